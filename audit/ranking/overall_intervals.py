"""Intervals of mean scores over several test sets, which may share items.

The squared distances of the scores from the ends of their own intervals add up, and so do their products, times the
correlation of the two scores (MOVER; Zou 2007; Zou and Donner 2008 where they are independent). Two scores
are correlated by what the items that both test sets have add to each. Simulated with 150 items in each of two test sets
and half or all of them in common, 95 to 96% of the intervals hold the mean; taken as independent samples, 92 to 93%.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from audit.domain import Evaluation
from audit.domain.arrays import Floats, Ints
from audit.domain.privacy import ItemIds
from audit.metrics import phrase

_VALUES = 1 << 22  # what items add to the scores of some rows at once: 32 MB


@dataclass(frozen=True)
class SharedItems:
    """Items that two test sets have in common."""

    first: int
    second: int
    n_items: int  # how many ids are those of both; ids that only count the items are no sign


@dataclass(frozen=True, eq=False)
class MeanInterval:
    """95% intervals of the mean scores."""

    lower: Floats  # (T,): NaN where there is none
    upper: Floats  # (T,)
    reason: str = ""  # why nobody has one; nothing where some row has
    shared: tuple[SharedItems, ...] = ()  # test sets that have items in common; all others are independent samples


def mean_interval(
    evaluations: Sequence[Evaluation], entries: Ints, means: Floats, weights: Sequence[float]
) -> MeanInterval:
    """Intervals of the mean scores, of rows that took part everywhere.

    Parameters
    ----------
    evaluations : sequence of P Evaluation
        The test sets.
    entries : ndarray of int, shape (T, P)
        Which entry of a test set a row is; -1 where it takes no part.
    means : ndarray, shape (T,)
        The mean scores; NaN for a row that has none, or takes no overall rank.
    weights : sequence of P float
        What each test set counts.
    """
    nothing, shared = np.full(len(entries), np.nan), shared_items(evaluations)
    reason = _no_interval(evaluations, means)
    if reason or not len(entries):
        return MeanInterval(nothing, nothing, reason, shared)
    correlations = np.broadcast_to(np.eye(len(evaluations)), (len(entries), *[len(evaluations)] * 2))
    rows = np.flatnonzero(~np.isnan(means) & (entries >= 0).all(axis=1))
    if shared and rows.size:
        correlating = _Correlating(evaluations, shared, entries[rows])
        reason = correlating.reason()
        if reason:
            return MeanInterval(nothing, nothing, reason, shared)
        correlations = correlations.copy()
        correlations[rows] = correlating.correlations()
    halves, shares = np.empty((2, *entries.shape)), np.array(weights) / sum(weights)
    for part, (evaluation, places, share) in enumerate(zip(evaluations, entries.T, shares, strict=True)):
        halves[:, :, part] = share * _distances(evaluation, places)
    below, above = np.sqrt(np.maximum(np.einsum("etp,tpq,etq->et", halves, correlations, halves), 0.0))
    return MeanInterval(means - below, means + above, shared=shared)


def _distances(evaluation: Evaluation, places: Ints) -> Floats:
    """Distances of some entries' scores from both ends of their intervals, shape (2, T); NaN where there is none."""
    key, certainty = evaluation.task.ranking_metric, evaluation.certainty
    assert certainty is not None  # noqa: S101 - a test set without gives a reason
    row, has_interval = evaluation.row(key), (places >= 0) & evaluation.whole[places]
    ends = np.stack([certainty.intervals.lower[row, places], certainty.intervals.upper[row, places]])
    return np.where(has_interval, np.abs(ends - evaluation.scores_of(key)[places]), np.nan)


def _no_interval(evaluations: Sequence[Evaluation], means: Floats) -> str:
    """Why no mean score has an interval, whatever items are shared; nothing where some may have."""
    if np.isnan(means).all():
        return "there is no mean score"
    if any(evaluation.certainty is None for evaluation in evaluations):
        return "the certainty of a test set was left out"
    return ""


def shared_items(evaluations: Sequence[Evaluation]) -> tuple[SharedItems, ...]:
    """Which test sets have items in common, by their ids; ids that only count them tell nothing."""
    ids = [_telling_ids(evaluation) for evaluation in evaluations]
    counted = (
        SharedItems(first, second, len(ids[first] & ids[second])) for first, second in combinations(range(len(ids)), 2)
    )
    return tuple(shared for shared in counted if shared.n_items)


def _telling_ids(evaluation: Evaluation) -> frozenset[str]:
    """The ids of a test set's items that do more than count them, as two test sets may both do."""
    return ItemIds.of(evaluation.gold.item_ids, evaluation.task.label_set).secret


class _Correlating:
    """Correlations of the scores of rows in test sets of which some share items."""

    def __init__(self, evaluations: Sequence[Evaluation], shared: tuple[SharedItems, ...], entries: Ints) -> None:
        self.evaluations, self.shared, self.entries = evaluations, shared, entries
        self.sharing = np.unique([(each.first, each.second) for each in shared])

    def reason(self) -> str:
        """Why correlations cannot be found; nothing where they can."""
        for part in self.sharing.tolist():
            evaluation = self.evaluations[part]
            if evaluation.added_by_items is None:
                return "test sets share items, and what each of these adds was not kept"
            if evaluation.added_by_items(evaluation, self.entries[:1, part]) is None:
                by = phrase(evaluation.task.ranking_metric, evaluation.task.label_set)
                return f"test sets share items, and nothing says what each of these adds to {by}"
        return ""

    def correlations(self) -> Floats:
        """Correlations of every two scores of each row, shape (R, P, P); NaN where it is not known what items add."""
        n_rows, n_parts = self.entries.shape
        all_correlations = np.broadcast_to(np.eye(n_parts), (n_rows, n_parts, n_parts)).copy()
        unit_of = _units([self.evaluations[part] for part in self.sharing.tolist()])
        n_units = 1 + max(int(units.max()) for units in unit_of)
        step = max(1, _VALUES // (n_units * len(self.sharing)))
        for first in range(0, n_rows, step):
            rows = np.arange(first, min(first + step, n_rows))
            parts = zip(self.sharing.tolist(), unit_of, strict=True)
            sums = np.stack([self._sums(part, rows, units, n_units) for part, units in parts])
            products = np.einsum("ptu,qtu->tpq", sums, sums)
            all_correlations[np.ix_(rows, self.sharing, self.sharing)] = self._correlated(products)
        return all_correlations

    def _sums(self, part: int, rows: Ints, units: Ints, n_units: int) -> Floats:
        """The values that units add to the scores of some rows in one test set, shape (t, U)."""
        evaluation = self.evaluations[part]
        assert evaluation.added_by_items is not None  # noqa: S101 - there is a reason where it is
        added = evaluation.added_by_items(evaluation, self.entries[rows, part])
        assert added is not None  # noqa: S101 - there is a reason where it is
        return np.stack([np.bincount(units, row, n_units) for row in added])

    def _correlated(self, products: Floats) -> Floats:
        """Correlations from sums of products, shape (t, S, S).

        Where no item moves one of two scores, as of a team without an error, they are as correlated as scores can be
        that have so many items in common.
        """
        errors = np.sqrt(np.diagonal(products, axis1=1, axis2=2))
        both = errors[:, :, None] * errors[:, None, :]
        most = np.eye(len(self.sharing))
        for each in self.shared:
            n_items = [self.evaluations[part].gold.n_items for part in (each.first, each.second)]
            first, second = np.searchsorted(self.sharing, [each.first, each.second])
            most[first, second] = most[second, first] = each.n_items / np.sqrt(n_items[0] * n_items[1])
        ratios = np.divide(products, both, out=np.broadcast_to(most, products.shape).copy(), where=both != 0)
        return np.asarray(np.clip(ratios, -1.0, 1.0))


def _units(evaluations: Sequence[Evaluation]) -> list[Ints]:
    """Which independent draw each item of each test set belongs to, shape (N,) each: the same for an item of two.

    Groups of items that have an item in common across test sets are one draw.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 - where no test sets share items nobody waits for it
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - where no test sets share items nobody waits for it

    groups = [_groups(evaluation) for evaluation in evaluations]
    starts = np.cumsum([0, *(int(each.max()) + 1 for each in groups)])
    nodes = [each + start for each, start in zip(groups, starts[:-1], strict=True)]
    ids = np.concatenate([_ids(evaluation, place) for place, evaluation in enumerate(evaluations)])
    every = np.concatenate(nodes)
    item = np.unique(ids, return_inverse=True)[1]
    shape = (int(starts[-1]) + int(item.max()) + 1,) * 2
    links = coo_array((np.ones(every.size, dtype=np.int8), (every, starts[-1] + item)), shape=shape)
    units = connected_components(links, directed=False)[1]
    return [np.asarray(units[each], dtype=np.int64) for each in nodes]


def _groups(evaluation: Evaluation) -> Ints:
    """Which group each item belongs to, from 0 on; each is its own where items are independent."""
    if evaluation.gold.groups is None:
        return np.arange(evaluation.gold.n_items)
    return np.unique(evaluation.gold.groups, return_inverse=True)[1]


def _ids(evaluation: Evaluation, place: int) -> NDArray[np.str_]:
    """The ids of a test set's items; an id that only counts them is of no other test set."""
    telling = _telling_ids(evaluation)
    ids = evaluation.gold.item_ids or ()
    return np.array([f"+{each}" if each in telling else f"{place} {number}" for number, each in enumerate(ids)])
