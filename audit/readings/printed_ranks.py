"""Which score published ranks are by: a printed column, a mean of columns, a mean of ranks, or a reading."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from audit.domain import IdentifiedRanks, Order, PublishedColumn
from audit.domain.arrays import Bools, Floats
from audit.ranking import TIE_TOLERANCE, competition_ranks
from audit.readings.chance import LEVEL
from audit.text import agreeing, listed, number, plural, quoted, visible

Places = NDArray[np.intp]

_MOST_COLUMNS = 6
"""Means of columns are tried of so many of them: the more orders are tried, the more fit by chance."""
_SAID, _NAME_LIMIT = 3, 40
_MOST_TURNED = 20  # pairs that are kept: of a thousand teams there are half a million
_FEWEST = 3  # teams: two stand in one of two orders, which says nothing


@dataclass(frozen=True, eq=False)
class ScoredColumn:
    """A column of scores that ranks can be by, beside them or computed."""

    name: str
    """The column, as a sentence names it."""
    scores: Floats
    """Shape (T,), of all rows of the table; NaN where there is none."""
    greater_is_better: bool = True
    is_mean: bool = False
    """Whether it is a mean of ranks itself, of which no further mean is tried."""

    @property
    def goodness(self) -> Floats:
        """The scores, the higher the better."""
        return self.scores if self.greater_is_better else -self.scores


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
        return IdentifiedRanks(column.heading, len(rows), (), beats_chance=False, nearest=None, sentences=(few,))
    names = [teams[row] for row in rows.tolist()]
    beside = _columns_at(printed, rows)
    by_chance, tried = 0.0, []
    for stage in _stages(beside, computed, rows):
        orders = [order for order in stage if _has_enough(order)]
        tried += orders
        by_chance += sum(_by_chance(ranks, order) for order in _distinct(orders))
        fitting = tuple(order.name for order in orders if _fits(ranks, order.goodness))
        if fitting:
            beats_chance = by_chance <= LEVEL
            sentence = _fit(column.heading, fitting, len(rows), beats_chance=beats_chance)
            return IdentifiedRanks(
                column.heading, len(rows), fitting, beats_chance=beats_chance, nearest=None, sentences=(sentence,)
            )
    nearest = _nearest(ranks, names, [order for order in beside if _has_enough(order)] or tried)
    sentence = _misfit(column.heading, nearest)
    return IdentifiedRanks(column.heading, len(rows), (), beats_chance=True, nearest=nearest, sentences=(sentence,))


def _stages(
    beside: Sequence[ScoredColumn], computed: Callable[[], Sequence[ScoredColumn]], rows: Places
) -> Iterator[Sequence[ScoredColumn]]:
    """The orders to try one after the other until one fits: columns, their means, readings."""
    yield beside
    yield list(_means(beside))
    yield _columns_at(computed(), rows)


def _columns_at(columns: Sequence[ScoredColumn], rows: Places) -> list[ScoredColumn]:
    return [replace(column, scores=column.scores[rows]) for column in columns]


def _means(printed: Sequence[ScoredColumn]) -> Iterator[ScoredColumn]:
    """Means of the columns' scores, where all have one direction; then means of the ranks by them."""
    few = [column for column in printed if not column.is_mean][:_MOST_COLUMNS]
    chosen = [some for size in range(2, len(few) + 1) for some in combinations(few, size)]
    for some in chosen:
        if len({each.greater_is_better for each in some}) == 1:
            mean = np.mean([each.scores for each in some], axis=0)
            yield ScoredColumn(f"the mean of {_names(some)}", mean, some[0].greater_is_better)
    for some in chosen:
        ranks = competition_ranks(np.array([each.goodness for each in some])).astype(float)
        ranks[np.isnan([each.scores for each in some])] = np.nan
        yield ScoredColumn(f"the mean rank by {_names(some)}", ranks.mean(axis=0), greater_is_better=False)


def _names(some: Sequence[ScoredColumn]) -> str:
    return listed([each.name for each in some])


def _has_enough(order: ScoredColumn) -> bool:
    """Whether at least half of the teams, and three, have a score."""
    has_score = ~np.isnan(order.scores)
    return bool(has_score.sum() >= max(_FEWEST, len(has_score) / 2))


def _fits(ranks: Floats, goodness: Floats) -> bool:
    """Whether nobody with a higher rank is better, of those with a score."""
    has_score = ~np.isnan(goodness)
    own, good = ranks[has_score], goodness[has_score]
    best_first = good[np.lexsort((-good, own))]
    return bool((np.diff(best_first) <= TIE_TOLERANCE).all())


def _by_chance(ranks: Floats, order: ScoredColumn) -> float:
    """The probability that ranks assigned at random fit an order.

    Whoever is level by the score may stand in any order, and so may whoever shares a rank.
    """
    has_score = ~np.isnan(order.scores)
    level = [*_sizes(np.round(order.scores[has_score], 12)), *_sizes(ranks[has_score])]
    logarithm = sum(math.lgamma(size + 1) for size in level) - math.lgamma(int(has_score.sum()) + 1)
    return math.exp(min(logarithm, 0.0))


def _sizes(values: Floats) -> list[int]:
    return list(np.unique(values, return_counts=True)[1].tolist())


def _distinct(orders: Sequence[ScoredColumn]) -> list[ScoredColumn]:
    """The columns, one of all that rank alike."""
    by_ranks = {competition_ranks(order.goodness).tobytes(): order for order in orders}
    return list(by_ranks.values())


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


# Sentences


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
