"""Which score published ranks, or means of ranks, are by: a printed column, a mean of columns, or a score of ours."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from audit.domain import IdentifiedRanks, Order, PublishedColumn
from audit.domain.arrays import Bools, Floats
from audit.ranking import TIE_TOLERANCE, competition_ranks, mean_ranks
from audit.readings.printed import LEVEL, agreement_with, by_chance_clause, chance_of, is_percent
from audit.text import agreeing, listed, number, plural, quoted, visible

_MOST_COLUMNS = 6
"""Means of columns are tried of so many of them: the more are tried, the more fit by chance."""
_SAID, _NAME_LIMIT = 3, 40
_MOST_TURNED = 20  # pairs that are kept: of a thousand teams there are half a million
_FEWEST = 3  # teams: two stand in one of two orders, which says nothing


@dataclass(frozen=True, eq=False)
class ScoredColumn:
    """A column of scores that ranks can be by, beside them or computed."""

    name: str  # the column, as a sentence names it
    scores: Floats  # shape (T,), of all rows of the table; NaN where there is none
    greater_is_better: bool = True
    is_mean: bool = False  # of ranks; no further mean is tried of it

    @property
    def goodness(self) -> Floats:
        """The scores, the higher the better."""
        return self.scores if self.greater_is_better else -self.scores


def _selections(columns: Sequence[ScoredColumn]) -> list[tuple[ScoredColumn, ...]]:
    """Two or more of the first columns, the fewest first."""
    few = columns[:_MOST_COLUMNS]
    return [some for size in range(2, len(few) + 1) for some in combinations(few, size)]


def _names(some: Sequence[ScoredColumn]) -> str:
    return listed([each.name for each in some])


# Ranks


def identify_ranks(
    column: PublishedColumn,
    teams: Sequence[str],
    printed: Sequence[ScoredColumn],
    computed: Callable[[], Sequence[ScoredColumn]],
) -> IdentifiedRanks:
    """Find the score that ranks are by.

    An order fits where of any two teams the one with the lower rank has no worse score. Teams that the printed scores
    do not tell apart may stand in either order, and teams that share a rank may have different scores.

    Examples
    --------
    >>> from audit.domain import PrintedScore
    >>> ranks = PublishedColumn("Rank", tuple(PrintedScore(str(rank), rank, 0) for rank in (1, 2, 3, 4, 5)))
    >>> printed = [
    ...     ScoredColumn("“A”", np.array([0.9, 0.7, 0.8, 0.5, 0.4])),
    ...     ScoredColumn("“B”", np.array([0.9, 0.8, 0.6, 0.5, 0.3])),
    ... ]
    >>> identify_ranks(ranks, list("VWXYZ"), printed, list).sentences
    ('The ranks in “Rank” are those by “B”.',)
    """
    rows = np.flatnonzero([cell is not None for cell in column.scores])
    ranks = np.array([cell.value for cell in column.scores if cell is not None])
    if len(rows) < _FEWEST:
        few = f"{quoted(column.heading)} has ranks of {plural(len(rows), 'team')}: too few to tell what they are by."
        return _identified(column, (), few, beats_chance=False)
    beside = _at_rows(printed, rows)
    by_chance, tried = 0.0, []
    for stage in (lambda: beside, lambda: _means(beside), lambda: _at_rows(computed(), rows)):
        orders = [order for order in stage() if _has_enough(order)]
        tried += orders
        of_distinct = {competition_ranks(order.goodness).tobytes(): order for order in orders}
        by_chance += sum(_fits_by_chance(ranks, order) for order in of_distinct.values())
        if fitting := tuple(order.name for order in orders if _fits(ranks, order.goodness)):
            beats_chance = by_chance <= LEVEL
            sentence = _fit(column.heading, fitting, len(rows), beats_chance=beats_chance)
            return _identified(column, fitting, sentence, beats_chance=beats_chance)
    names = [teams[row] for row in rows.tolist()]
    nearest = _nearest(ranks, names, list(filter(_has_enough, beside)) or tried)
    return replace(_identified(column, (), _misfit(column.heading, nearest), beats_chance=True), nearest=nearest)


def _identified(column: PublishedColumn, by: tuple[str, ...], *sentences: str, beats_chance: bool) -> IdentifiedRanks:
    n_teams = sum(cell is not None for cell in column.scores)
    return IdentifiedRanks(column.heading, n_teams, by, beats_chance=beats_chance, nearest=None, sentences=sentences)


def _at_rows(columns: Sequence[ScoredColumn], rows: NDArray[np.intp]) -> list[ScoredColumn]:
    return [replace(column, scores=column.scores[rows]) for column in columns]


def _has_enough(order: ScoredColumn) -> bool:
    """Whether at least half of the teams, and three, have a score."""
    has_score = ~np.isnan(order.scores)
    return bool(has_score.sum() >= max(_FEWEST, len(has_score) / 2))


def _means(printed: Sequence[ScoredColumn]) -> Iterator[ScoredColumn]:
    """Means of the columns' scores, where all have one direction; then means of the ranks by them."""
    chosen = _selections([column for column in printed if not column.is_mean])
    for some in chosen:
        if len({each.greater_is_better for each in some}) == 1:
            mean = np.mean([each.scores for each in some], axis=0)
            yield ScoredColumn(f"the mean of {_names(some)}", mean, some[0].greater_is_better)
    for some in chosen:
        ranks = competition_ranks(np.array([each.goodness for each in some])).astype(float)
        ranks[np.isnan([each.scores for each in some])] = np.nan
        yield ScoredColumn(f"the mean rank by {_names(some)}", ranks.mean(axis=0), greater_is_better=False)


def _fits(ranks: Floats, goodness: Floats) -> bool:
    """Whether nobody with a higher rank is better, of those with a score."""
    has_score = ~np.isnan(goodness)
    own, good = ranks[has_score], goodness[has_score]
    best_first = good[np.lexsort((-good, own))]
    return bool((np.diff(best_first) <= TIE_TOLERANCE).all())


def _fits_by_chance(ranks: Floats, order: ScoredColumn) -> float:
    """The probability that ranks assigned at random fit an order.

    Whoever is level by the score may stand in any order, and so may whoever shares a rank.
    """
    has_score = ~np.isnan(order.scores)
    level = (np.round(order.scores[has_score], 12), ranks[has_score])
    sizes = [size for values in level for size in np.unique(values, return_counts=True)[1].tolist()]
    logarithm = sum(math.lgamma(size + 1) for size in sizes) - math.lgamma(int(has_score.sum()) + 1)
    return math.exp(min(logarithm, 0.0))


def _nearest(ranks: Floats, names: Sequence[str], tried: Sequence[ScoredColumn]) -> Order | None:
    """The order by which the fewest pairs of teams stand the other way round, the first of several.

    Of the columns beside the ranks, where there are any: of hundreds of readings some far-fetched one is always nearer.
    """
    if not tried:
        return None
    counts = [int(_turned(ranks, order.goodness).sum()) for order in tried]
    place = int(np.argmin(counts))
    better, worse = np.nonzero(_turned(ranks, tried[place].goodness))
    first = np.lexsort((ranks[better], ranks[worse]))[:_MOST_TURNED]
    pairs = zip(better[first].tolist(), worse[first].tolist(), strict=True)
    turned = tuple((names[one], int(ranks[one]), names[other], int(ranks[other])) for one, other in pairs)
    return Order(tried[place].name, counts[place], turned)


def _turned(ranks: Floats, goodness: Floats) -> Bools:
    """For each pair of teams whether the first is better and has the higher rank, shape (T, T)."""
    is_better = np.subtract.outer(goodness, goodness) > TIE_TOLERANCE
    return np.asarray(is_better & (ranks[:, None] > ranks))


def _fit(heading: str, fitting: Sequence[str], n_teams: int, *, beats_chance: bool) -> str:
    more = len(fitting) - _SAID
    rest = f" or {plural(more, 'other order')}, which rank alike" if more > 0 else ""
    by = listed(list(fitting[:_SAID]), "or") + rest
    if beats_chance:
        return f"The ranks in {quoted(heading)} are those by {by}."
    few = f"so few teams ({number(n_teams, 0)}) stand in one of the orders tried by chance, too"
    return f"The ranks in {quoted(heading)} could be those by {by}: {few}."


def _misfit(heading: str, nearest: Order | None) -> str:
    nothing = f"The ranks in {quoted(heading)} are by no score that is printed or computed here"
    if nearest is None:
        return f"{nothing}: there is none beside them."
    better, its_rank, worse, other_rank = nearest.turned[0]
    pairs = f"{plural(nearest.n_turned, 'pair')} of teams {agreeing(nearest.n_turned, 'stands', 'stand')}"
    such = (
        f"{visible(better, _NAME_LIMIT)} has the better score and rank {its_rank}, {visible(worse, _NAME_LIMIT)} rank "
        f"{other_rank}"
    )
    return f"{nothing}. By {nearest.by}, the nearest, {pairs} the other way round: {such}."


# Means of ranks


def identify_mean_ranks(column: PublishedColumn, tried: Sequence[ScoredColumn]) -> IdentifiedRanks:
    """Find the mean of ranks that a column's numbers are.

    Examples
    --------
    >>> from audit.domain import PrintedScore
    >>> numbers = tuple(PrintedScore(f"{n / 10}", n, 1) for n in (10, 25, 25, 40, 50))
    >>> means = {"B": [1, 2.5, 2.5, 4, 5], "C": [3, 4.5, 1.5, 2, 4]}
    >>> tried = [ScoredColumn(f"the mean rank by “A” and “{other}”", np.array(mean)) for other, mean in means.items()]
    >>> identify_mean_ranks(PublishedColumn("Avg. rank", numbers), tried).sentences
    ('The 5 values in “Avg. rank” are the mean rank by “A” and “B”.',)
    """
    return replace(_identified_means(column, tried), are_means=True)


def _identified_means(column: PublishedColumn, tried: Sequence[ScoredColumn]) -> IdentifiedRanks:
    rows = np.flatnonzero([cell is not None for cell in column.scores])
    printed = [cell for cell in column.scores if cell is not None]
    heading, n_values = quoted(column.heading), plural(len(printed), "value")
    if not tried:
        nothing = f"{heading} is what a mean of ranks is called, and no two scores or ranks are there."
        return _identified(column, (), nothing, beats_chance=True)
    unit = 100.0 if is_percent(printed) else 1.0  # numbers above 1 are taken for percentages of scores
    values = np.array([each.scores[rows] for each in tried]) / unit
    distinct = np.unique(np.round(np.nan_to_num(values, nan=-1.0), 9), axis=0, return_index=True)[1]
    n_matched = agreement_with(printed, values).matched.sum(axis=1)
    chance = chance_of(printed, values[distinct])
    most = int(n_matched.max())
    names = tuple(each.name for each, count in zip(tried, n_matched.tolist(), strict=True) if count == most)
    by_chance = by_chance_clause(chance.of_invented, plural(len(printed), "invented value"), "mean of ranks")
    if most < len(printed):
        gives = f"the best, {names[0]}, gives {most:,} of {n_values}"
        misfit = f"No mean of ranks that was tried gives {heading}: {gives}."
        return _identified(column, (), misfit, *([f"{by_chance}."] if most else []), beats_chance=True)
    beats_chance = not chance.explains(most, len(printed))
    more = len(names) - _SAID
    by = listed(list(names[:_SAID]), "or") + (f" or {plural(more, 'other mean')}" if more > 0 else "")
    fit = f"The {n_values} in {heading} {'are' if beats_chance else 'could be'} {by}."
    doubt = [] if beats_chance else [f"{by_chance}: these matches say nothing of what the column holds."]
    return _identified(column, names, fit, *doubt, beats_chance=beats_chance)


def tried_means(
    printed: Sequence[ScoredColumn], ranks: Sequence[ScoredColumn], ours: Sequence[ScoredColumn], competing: Bools
) -> list[ScoredColumn]:
    """The means of ranks that a table's numbers may be: of its columns of ranks, or by its scores, or by ours.

    Ours are of the metrics that the table's headings name. Those of most columns come first. Some rows take no rank in
    the campaign: they are not competing.
    """
    means = [
        ScoredColumn(f"the mean of the ranks in {_names(some)}", np.mean([each.scores for each in some], axis=0))
        for some in _most_first(ranks)
    ]
    for columns in (printed, ours):
        for some in _most_first(columns):
            means.extend(_by_each_rule(some, competing))
    return means


def _most_first(columns: Sequence[ScoredColumn]) -> list[tuple[ScoredColumn, ...]]:
    return sorted(_selections(columns), key=len, reverse=True)


def _by_each_rule(some: Sequence[ScoredColumn], competing: Bools) -> Iterator[ScoredColumn]:
    """The mean rank by some scores, and by further rules where it is another number."""
    goodness, everyone = np.array([each.goodness for each in some]), np.ones(competing.shape, dtype=bool)
    name = f"the mean rank by {_names(some)}"
    plain = mean_ranks(goodness, [1] * len(goodness), everyone)
    best = np.full(goodness.shape, np.nan)
    complete = ~np.isnan(goodness).any(axis=0)
    best[:, complete] = competition_ranks(goodness[:, complete])
    dense = best.copy()
    dense[:, complete] = [np.unique(row, return_inverse=True)[1] + 1.0 for row in best[:, complete]]
    by_rule = {" (who is level has the best place)": best.mean(axis=0), " (dense ranks)": dense.mean(axis=0)}
    if competing.any():
        by_rule[" among those who compete"] = mean_ranks(goodness, [1] * len(goodness), competing)
    yield ScoredColumn(name, plain)
    for rule, values in by_rule.items():
        if not np.allclose(values, plain, equal_nan=True):
            yield ScoredColumn(f"{name}{rule}", values)
