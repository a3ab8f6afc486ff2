"""An evaluation on half a screen: the verdict, what the first place depends on, and the first rows of the ranking."""

from dataclasses import dataclass

from audit.domain import Evaluation
from audit.metrics import phrase, without_rest
from audit.ranking import printed_ranks
from audit.report.table_printing import BEST_MARK, best_notes, interval_notes
from audit.report.text_ranking import certainty_columns, marked_name, notes_on_entries
from audit.text import number, plural, sentence_case, visible

MOST_ROWS = 15
_TITLE_LIMIT = 80
_TEAM = 1


@dataclass(frozen=True, slots=True)
class ShortView:
    """The short view of an evaluation in a notebook; every text as it is printed, and not yet escaped."""

    heading: str
    """The title and the metric that ranks."""
    sentence: str
    """The verdict."""
    more: str
    """What would tell more; may be empty."""
    depends_on: tuple[str, ...]
    """A sentence for each thing that the first place depends on."""
    heads: tuple[str, ...]
    """The heads of the ranking; the second is the teams'."""
    rows: tuple[tuple[str, ...], ...]
    """The first rows of the ranking."""
    notes: tuple[str, ...]
    """What marks mean, what is not shown, and where it is."""


def short_view(evaluation: Evaluation) -> ShortView:
    """The short view of an evaluation in a notebook."""
    key, verdict = evaluation.task.ranking_metric, evaluation.verdict
    by, order = phrase(key, evaluation.task.label_set), evaluation.order(key)
    rest = without_rest(evaluation.task.label_set)
    ranks = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
    scores, sure = evaluation.scores_of(key).tolist(), certainty_columns(evaluation, key)
    return ShortView(
        heading=f"{visible(evaluation.task.title, _TITLE_LIMIT)}, ranked by {by}{rest and '; ' + rest}",
        sentence=verdict.sentence,
        more=verdict.more,
        depends_on=tuple(dependence.sentence for dependence in verdict.depends_on),
        heads=("rank", "team", by, *sure),
        rows=tuple(
            (
                ranks[team],
                marked_name(evaluation, team),
                number(scores[team], evaluation.task.printed_decimals),
                *(column[team] for column in sure.values()),
            )
            for team in order[:MOST_ROWS]
        ),
        notes=tuple(_notes(evaluation, sure)),
    )


def _notes(evaluation: Evaluation, sure: dict[str, list[str]]) -> list[str]:
    """Notes on the marks, on what is not shown, and where it is."""
    n_entries, sizes = len(evaluation.entries), (evaluation.gold.n_items, len(evaluation.task.label_set))
    best = [f"{note}." for note in best_notes(sure.get(BEST_MARK, ()))]
    beside = [f"{sentence_case(note)}." for note in notes_on_entries(evaluation, with_computed=False)]
    size = f"{plural(n_entries, 'submission')} × {plural(sizes[0], 'item')} × {plural(sizes[1], 'label')}"
    first = f", the first {MOST_ROWS} shown" if n_entries > MOST_ROWS else ""
    where = f"{plural(len(evaluation.flags), 'flag')} in .flags; see also .ranking, .compare(…), .plot, .scores."
    return [*best, *interval_notes(evaluation, evaluation.task.ranking_metric), *beside, f"{size}{first}. {where}"]


def short_text(evaluation: Evaluation) -> str:
    """The short view of an evaluation in a notebook, as plain text."""
    view = short_view(evaluation)
    verdict = " ".join(filter(None, (view.sentence, view.more)))
    return "\n".join(
        (
            view.heading,
            verdict,
            *(f"    {sentence}" for sentence in view.depends_on),
            "",
            *_table(view.heads, view.rows),
            "",
            *view.notes,
        )
    )


def _table(heads: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> list[str]:
    """Columns under their heads, names on the left and all else on the right."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place == _TEAM else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (heads, *rows)
    ]
