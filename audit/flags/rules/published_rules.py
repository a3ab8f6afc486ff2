"""Flags about published scores: headings that do not name their numbers, and scores that no reading gives."""

from audit.domain import Evaluation, Flag, IdentifiedColumn, LabelSet, Severity
from audit.flags.wording import NAME_LIMIT
from audit.metrics import reading_phrase
from audit.text import agreeing, listed, plural, quoted, visible

_SAID = 3


def heading_differs(evaluation: Evaluation) -> Flag | None:
    """Whether some heading of the published scores does not say what the numbers are."""
    published = evaluation.published
    if published is None or not published.findings:
        return None
    columns = [column for column in published.columns if column.heading_says in ("no", "leaves open")]
    sentences, more = published.findings[:_SAID], len(published.findings) - _SAID
    also = f" {plural(more, 'more finding')} of this kind." if more > 0 else ""
    return Flag(
        slug="published-heading-differs",
        severity=Severity.NOTE,
        sentence=f"Of {plural(len(published.columns), 'column')} of published scores, {len(columns)} "
        f"{agreeing(len(columns), 'has', 'have')} a heading that does not name the numbers. "
        f"{' '.join(sentences)}{also}",
        remedy="Write above each column the metric that its numbers are.",
        paper=f"{listed([_definition(column, evaluation.task.label_set) for column in columns], limit=_SAID)}.",
        evidence={"table": published.path, "columns": [_evidence(column) for column in columns]},
    )


def score_differs(evaluation: Evaluation) -> Flag | None:
    """Whether some published score is not what the reading of its column gives."""
    published = evaluation.published
    columns = [column for column in published.columns if _is_nearly_exact(column)] if published else []
    if published is None or not columns:
        return None
    shown, more = columns[:_SAID], len(columns) - _SAID
    also = f" {plural(more, 'more column')} likewise." if more > 0 else ""
    return Flag(
        slug="published-score-differs",
        severity=Severity.NOTE,
        sentence=f"{' '.join(sentence for column in shown for sentence in column.sentences[:2])}{also}",
        remedy="Compare these scores with the official scorer's output, and correct the table or the files.",
        paper=f"Not reproduced: {listed([_not_reproduced(column) for column in shown])}.",
        evidence={
            "table": published.path,
            "columns": [
                {
                    **_evidence(column),
                    "off": [
                        {"team": miss.team, "printed": miss.printed, "computed": miss.computed}
                        for miss in column.matches[0].misses
                    ],
                }
                for column in columns
            ],
        },
    )


def _is_nearly_exact(column: IdentifiedColumn) -> bool:
    """Whether a reading gives more scores of a column than chance explains, and not all."""
    return column.beats_chance and not column.is_exact


def _definition(column: IdentifiedColumn, labels: LabelSet) -> str:
    return f"{quoted(column.heading)} denotes {reading_phrase(column.matches[0].reading, labels)}"


def _not_reproduced(column: IdentifiedColumn) -> str:
    teams = [visible(miss.team, NAME_LIMIT) for miss in column.matches[0].misses]
    return f"the published {quoted(column.heading)} of {listed(teams, limit=_SAID)}"


def _evidence(column: IdentifiedColumn) -> dict[str, object]:
    best = column.matches[0]
    return {
        "heading": column.heading,
        "heading_names_the_numbers": column.heading_says,
        "reading": str(best.reading),
        "matched": best.n_matched,
        "teams": column.n_teams,
    }
