"""Whether published scores are what their headings say."""

from collections.abc import Sequence

from audit.domain import Evaluation, Identification, IdentifiedColumn, Miss, Severity
from audit.findings.flag_kind import Fired, flag
from audit.findings.wording import NAME_LIMIT
from audit.metrics import reading_phrase
from audit.text import agreeing, listed, number, plural, quoted, visible

RULES_PLACE = 80


def unexplained_columns(identification: Identification) -> str:
    """How many columns no reading fits, and by what number some are apart; empty where there is none."""
    columns = [column for column in identification.columns if column.n_teams]
    n_unexplained = sum(column.is_unexplained for column in columns)
    if not n_unexplained:
        return ""
    apart = [
        f"{quoted(column.heading)} is {column.apart} in every row"
        for column in columns
        if column.apart
    ]
    if apart:
        also = f": {listed(apart, limit=MOST_SAID)}"
    else:
        also = ""
    return f"No reading fits {n_unexplained:,} of {plural(len(columns), 'column')}{also}."


MOST_SAID = 3


def _first_of(sentences: Sequence[str], rest: str) -> str:
    """The first sentences, and how many more there are of what the rest are called."""
    n_more = len(sentences) - MOST_SAID
    return " ".join(
        [
            *sentences[:MOST_SAID],
            *([f"{plural(n_more, f'more {rest}')} likewise."] if n_more > 0 else []),
        ]
    )


@flag(
    "published-heading-differs",
    "A published heading does not name its numbers",
    Severity.NOTE,
    "published",
)
def heading_differs(evaluation: Evaluation) -> Fired | None:
    """Whether some heading of the published scores does not say what the numbers are.

    Fires when task.toml names a table of published scores, and the heading of a column says another metric than its
    numbers are, or has the name of several: a column called macro F1 can be macro-averaged F1 or F1 of averages. Every
    reading of every metric is tried; a column of which no reading gives more than half of the scores stays silent.
    """
    published = evaluation.published
    if published is None or not published.findings:
        return None
    columns = [
        column for column in published.columns if column.heading_says in ("no", "leaves open")
    ]
    labels = evaluation.task.label_set
    readings = [(column.heading, column.matches[0].reading) for column in columns]
    denote = [
        f"{quoted(heading)} denotes {reading_phrase(reading, labels)}"
        for heading, reading in readings
    ]
    return Fired(
        sentence=f"Of {plural(len(published.columns), 'column')} of published scores, {len(columns)} "
        f"{agreeing(len(columns), 'has', 'have')} a heading that does not name the numbers. "
        f"{_first_of(published.findings, 'finding')}",
        remedy="Correct the heading of the published table: it does not name its numbers.",
        paper=f"{listed(denote, limit=MOST_SAID)}.",
        evidence={"table": published.path, "columns": [_evidence(column) for column in columns]},
    )


@flag(
    "published-score-differs",
    "A published score is not what its column gives",
    Severity.NOTE,
    "published",
)
def score_differs(evaluation: Evaluation) -> Fired | None:
    """Whether some published score is not what the reading of its column gives.

    Fires when task.toml names a table of published scores, and the reading that gives most scores of a column, but
    not all, leaves some team's score unexplained: a typing error, another file, or another rule.
    """
    published = evaluation.published
    if published:
        columns = [
            column for column in published.columns if (column.beats_chance and not column.is_exact)
        ]
    else:
        columns = []
    if published is None or not columns:
        return None
    sentence = _first_of([" ".join(column.sentences[:2]) for column in columns], "column")
    return Fired(
        sentence=sentence,
        paper=f"Not every published score was reproduced. {sentence}",
        remedy=f"{_published_apart(columns[0].matches[0].misses)}: find out why.",
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


def _published_apart(misses: Sequence[Miss]) -> str:
    """A clause on the published score that is farthest from the computed one, and on how many more are apart."""
    farthest = misses[0]
    n_more = len(misses) - 1
    decimals = len(farthest.printed.partition(".")[2].rstrip("%* "))
    if n_more:
        more = f", and {n_more:,} more {agreeing(n_more, 'differs', 'differ')}, too"
    else:
        more = ""
    team, printed = (visible(text, NAME_LIMIT) for text in (farthest.team, farthest.printed))
    return (
        f"The published score of {team} ({printed}) differs from the computed one "
        f"({number(farthest.computed, decimals or 3)}){more}"
    )


@flag(
    "published-table-contradicts-itself",
    "A published table contradicts itself",
    Severity.NOTE,
    "published",
)
def contradicts_itself(evaluation: Evaluation) -> Fired | None:
    """Whether the published table says something against itself, whatever gold is.

    Fires when task.toml names a table of published scores in which a cell is highlighted as the best of its column
    (bold in Markdown, LaTeX or HTML, or the only one with * behind it) and another is better, an F1 is above the
    harmonic mean of the precision and the recall beside it, or columns of different metrics have the same numbers.
    """
    published = evaluation.published
    if published is None or not published.contradictions:
        return None
    sentence = _first_of(published.contradictions, "contradiction")
    return Fired(
        sentence=sentence,
        paper=f"The published table contradicts itself: {sentence}",
        remedy="Correct the published table: it contradicts itself.",
        evidence={"table": published.path, "contradictions": list(published.contradictions)},
    )


@flag(
    "published-not-readable",
    "A published table that could not be read in full",
    Severity.NOTE,
    "published",
)
def not_readable(evaluation: Evaluation) -> Fired | None:
    """Whether something of a published table could not be read or compared.

    Fires when task.toml or files.csv names a table of published scores in which a cell is neither a number nor a mark
    for none, or which has no team of the campaign, no scores, or a team twice. All else is evaluated as it would be.
    """
    published = evaluation.published
    if published is None or not published.defects:
        return None
    return Fired(
        sentence=_first_of(published.defects, "defect"),
        remedy="Correct the published table: some of it could not be read.",
        evidence={"defects": list(published.defects)},
    )


@flag("published-not-computed", "Published scores that no reading fits", Severity.NOTE, "published")
def not_computed(evaluation: Evaluation) -> Fired | None:
    """Whether the published table has columns of which no reading of any metric gives more scores than chance.

    Fires when task.toml names a table of published scores, and it may be of another metric, another gold or other
    files. Where the scores are all the same number above or below what the heading names, that number is said.
    """
    published = evaluation.published
    if published is None:
        sentence = ""
    else:
        sentence = unexplained_columns(published)
    if published is None or not sentence:
        return None
    columns = [column for column in published.columns if column.is_unexplained]
    return Fired(
        sentence=sentence,
        remedy=f"No reading fits {len(columns):,} of {plural(len(published.columns), 'published column')}: another "
        "metric, another gold, or other files?",
        evidence={"table": published.path, "columns": [_evidence(column) for column in columns]},
    )


def _evidence(column: IdentifiedColumn) -> dict[str, object]:
    best = column.matches[0]
    return {
        "heading": column.heading,
        "heading_names_the_numbers": column.heading_says,
        "reading": str(best.reading),
        "matched": best.n_matched,
        "teams": column.n_teams,
    }
