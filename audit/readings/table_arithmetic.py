"""What a published table says against itself: no gold and no submission is needed to see it."""

from collections.abc import Iterator, Mapping, Sequence
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
    """The sentence for a column of which some cells are highlighted, and the best is not among them."""
    printed = zip(published.teams, column.scores, strict=True)
    cells = {team: cell for team, cell in printed if cell is not None}
    marked = {team: cell for team, cell in cells.items() if cell.is_highlighted}
    are_stars = all(cell.text.endswith("*") for cell in marked.values())
    if not marked or (are_stars and len(marked) > 1):
        return  # several stars are footnotes
    is_lowest_best = column.is_of_ranks or _is_falling(heading)
    best, *others = _best_teams(cells, heading, is_lowest_best=is_lowest_best)
    best_values = {cells[team].value for team in (best, *others)}
    if best_values & {cell.value for cell in marked.values()}:
        return
    compared = "higher"
    if is_lowest_best:
        compared = "lower"
    doubt = ""
    if are_stars:
        doubt = ", if * marks the best"
    names = [f"{cell.number} ({visible(team, _NAME_LIMIT)})" for team, cell in marked.items()]
    yield (
        f"{quoted(column.heading)} highlights {listed(names, limit=_SAID)} as its best{doubt}, and "
        f"{cells[best].number} ({visible(best, _NAME_LIMIT)}) is {compared}."
    )


def _best_teams(
    cells: Mapping[str, PrintedScore], heading: Heading, *, is_lowest_best: bool
) -> list[str]:
    """The team with the best number; also that with the lowest where it is not known which end is best."""
    lowest = min(cells, key=lambda team: cells[team].value)
    highest = max(cells, key=lambda team: cells[team].value)
    if is_lowest_best:
        return [lowest]
    if heading.slugs:
        return [highest]
    return [highest, lowest]


def _is_falling(heading: Heading) -> bool:
    """Whether the lowest number of a column with this heading is the best."""
    if heading.is_mean_rank or _FALLING & set(heading.words):
        return True
    metrics = [METRICS[slug] for slug in heading.slugs if slug in METRICS]
    return any(not metric.greater_is_better for metric in metrics)


def _f_scores(
    published: Published, scores: Sequence[PublishedColumn], headings: Sequence[Heading]
) -> Iterator[str]:
    """The sentence for F1s above the harmonic mean of their P and R, which no average of F1s can be."""
    groups: dict[tuple[str, ...], dict[str, list[PublishedColumn]]] = {}
    for column, heading in zip(scores, headings, strict=True):
        if heading.family in {"precision", "recall", "f1"}:
            groups.setdefault(heading.rest, {}).setdefault(heading.family, []).append(column)
    for group in groups.values():
        if len(group) != 3 or any(len(columns) > 1 for columns in group.values()):  # noqa: PLR2004 - P, R and F1
            continue
        precision = group["precision"][0]
        recall = group["recall"][0]
        f_score = group["f1"][0]
        too_high = _above(precision, recall, f_score)
        if not too_high:
            continue
        row = too_high[0]
        also = ""
        if len(too_high) > 1:
            also = f"; {plural(len(too_high) - 1, 'more row')} likewise"
        yield (
            f"{quoted(f_score.heading)} of {visible(published.teams[row], _NAME_LIMIT)} is "
            f"{_number(f_score.scores[row])}, which is above the harmonic mean of {quoted(precision.heading)} "
            f"{_number(precision.scores[row])} and {quoted(recall.heading)} {_number(recall.scores[row])}: no F1 of "
            f"them is{also}."
        )


def _number(cell: PrintedScore | None) -> str:
    if cell is None:
        return "–"
    return cell.number


def _above(
    precision: PublishedColumn, recall: PublishedColumn, f_score: PublishedColumn
) -> list[int]:
    """The rows whose F1 is too high, whichever numbers were rounded to what is printed."""
    most_p = precision.values + _half_units(precision)
    most_r = recall.values + _half_units(recall)
    least_f = f_score.values - _half_units(f_score)
    with np.errstate(invalid="ignore", divide="ignore"):
        most_f = 2 * most_p * most_r / (most_p + most_r)
        rows: list[int] = np.flatnonzero(least_f > most_f + 1e-9).tolist()
    return rows


def _half_units(column: PublishedColumn) -> Floats:
    """By how much a number can have been changed where it was rounded, or cut off: one unit of its last digit."""
    return np.array([np.nan if cell is None else 10.0**-cell.decimals for cell in column.scores])


def _same(scores: Sequence[PublishedColumn], headings: Sequence[Heading]) -> Iterator[str]:
    """The sentence for two columns with the same numbers under headings that cannot mean the same."""
    columns = zip(scores, headings, strict=True)
    for (one, first), (other, second) in combinations(columns, 2):
        are_known = first.is_understood and second.is_understood and first.slugs and second.slugs
        if not are_known or first.slugs & second.slugs:
            continue
        n_numbers = len(np.unique(one.values[~np.isnan(one.values)]))
        if n_numbers >= _FEWEST and np.array_equal(one.values, other.values, equal_nan=True):
            yield f"{quoted(one.heading)} and {quoted(other.heading)} have the same numbers in every row."
