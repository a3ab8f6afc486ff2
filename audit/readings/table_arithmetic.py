"""What a published table says against itself: no gold and no submission is needed to see it."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from audit.domain import LabelSet, PrintedScore, Published, PublishedColumn
from audit.domain.arrays import Floats
from audit.metrics import METRICS
from audit.readings.headings import Heading, read_heading
from audit.text import listed, plural, quoted, visible

_NAME_LIMIT = 40
_SAID = 3  # rows
_FEWEST = 3  # rows in which two columns say the same by more than chance
_FALLING = frozenset(
    {
        "error",
        "errors",
        "err",
        "loss",
        "mae",
        "mse",
        "rmse",
        "brier",
        "distance",
        "perplexity",
        "eer",
    }
)
"""Words of a heading below which the lowest number is best."""


def contradictions(
    published: Published, scores: Sequence[PublishedColumn], label_set: LabelSet
) -> Iterator[str]:
    """Sentences on a highlighted best that is not the best, an F1 above its P and R, and columns that are the same."""
    headings = [read_heading(column.heading, label_set) for column in scores]
    for column, heading in zip(scores, headings, strict=True):
        yield from _highlights(published, column, heading)
    yield from _f_scores(published, scores, headings)
    yield from _same(scores, headings)


def _highlights(published: Published, column: PublishedColumn, heading: Heading) -> Iterator[str]:
    """The sentence for a column of which some cells are highlighted, and the best is not among them.

    Where it is not known whether the highest or the lowest is best, either may be.
    """
    cells = {
        team: cell
        for team, cell in zip(published.teams, column.scores, strict=True)
        if cell is not None
    }
    marked = {team: cell for team, cell in cells.items() if cell.is_highlighted}
    values = [cell.value for cell in cells.values()] or [0.0]
    is_falling = any(
        not METRICS[slug].greater_is_better for slug in heading.slugs if slug in METRICS
    )
    is_called_so = heading.is_mean_rank or bool(_FALLING & set(heading.words))
    falls = column.is_of_ranks or is_called_so or is_falling
    if falls:
        ends = {min(values)}
    elif heading.slugs:
        ends = {max(values)}
    else:
        ends = {max(values), min(values)}
    stars = all(cell.text.endswith("*") for cell in marked.values())
    if not marked or (stars and len(marked) > 1) or ends & {cell.value for cell in marked.values()}:
        return  # several stars are footnotes
    best = min(cells, key=lambda team: cells[team].value if falls else -cells[team].value)
    shown = listed(
        [f"{cell.number} ({visible(team, _NAME_LIMIT)})" for team, cell in marked.items()],
        limit=_SAID,
    )
    if stars:
        doubt = ", if * marks the best"
    else:
        doubt = ""
    if falls:
        compared = "lower"
    else:
        compared = "higher"
    yield (
        f"{quoted(column.heading)} highlights {shown} as its best{doubt}, and {cells[best].number} "
        f"({visible(best, _NAME_LIMIT)}) is {compared}."
    )


def _f_scores(
    published: Published, scores: Sequence[PublishedColumn], headings: Sequence[Heading]
) -> Iterator[str]:
    """The sentence for F1s above the harmonic mean of their P and R, which no average of F1s can be."""
    groups: dict[tuple[str, ...], dict[str, list[PublishedColumn]]] = {}
    for column, heading in zip(scores, headings, strict=True):
        if heading.family in {"precision", "recall", "f1"}:
            groups.setdefault(heading.rest, {}).setdefault(heading.family, []).append(column)
    for group in groups.values():
        if set(map(len, group.values())) != {1} or len(group) != 3:  # noqa: PLR2004 - P, R and F1
            continue
        (precision,), (recall,), (f_score,) = (
            group[family] for family in ("precision", "recall", "f1")
        )
        too_high = _above(precision, recall, f_score)
        if too_high:
            row = too_high[0]
            p, r, f = (column.scores[row] for column in (precision, recall, f_score))
            if len(too_high) > 1:
                also = f"; {plural(len(too_high) - 1, 'more row')} likewise"
            else:
                also = ""
            yield (
                f"{quoted(f_score.heading)} of {visible(published.teams[row], _NAME_LIMIT)} is {_number(f)}, which is "
                f"above the harmonic mean of {quoted(precision.heading)} {_number(p)} and {quoted(recall.heading)} "
                f"{_number(r)}: no F1 of them is{also}."
            )


def _number(cell: PrintedScore | None) -> str:
    if cell is None:
        return "–"
    return cell.number


def _above(
    precision: PublishedColumn, recall: PublishedColumn, f_score: PublishedColumn
) -> list[int]:
    """The rows whose F1 is too high, whichever numbers were rounded to what is printed."""
    p, r, f = (column.values for column in (precision, recall, f_score))
    p, r = p + _half_units(precision), r + _half_units(recall)
    with np.errstate(invalid="ignore", divide="ignore"):
        most = 2 * p * r / (p + r)
        rows: list[int] = np.flatnonzero(f - _half_units(f_score) > most + 1e-9).tolist()
    return rows


def _half_units(column: PublishedColumn) -> Floats:
    """By how much a number can have been changed where it was rounded, or cut off: one unit of its last digit."""
    return np.array([np.nan if cell is None else 10.0**-cell.decimals for cell in column.scores])


def _same(scores: Sequence[PublishedColumn], headings: Sequence[Heading]) -> Iterator[str]:
    """The sentence for two columns with the same numbers under headings that cannot mean the same."""
    for (one, first), (other, second) in combinations(zip(scores, headings, strict=True), 2):
        a = one.values
        b = other.values
        are_known = first.is_understood and second.is_understood and first.slugs and second.slugs
        differ = are_known and not first.slugs & second.slugs
        if (
            differ
            and len(np.unique(a[~np.isnan(a)])) >= _FEWEST
            and np.array_equal(a, b, equal_nan=True)
        ):
            yield f"{quoted(one.heading)} and {quoted(other.heading)} have the same numbers in every row."
