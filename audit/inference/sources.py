"""Sources of variance: what each item, or each group of items, adds to the scores of some entries.

Intervals, comparisons and contributions ask a source, whatever the scores are of: labels, scores of single items,
units with sets, or a mean of these.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from audit.domain import OBSERVED, Evaluation, Gold, ItemScores, ScoreKey
from audit.domain.arrays import Bools, Counts, Floats
from audit.domain.sets import UnitCounts, scores_in
from audit.inference.gaussian import DEPENDENT
from audit.inference.influence_blocks import Splitting
from audit.inference.items import design_effect_of, leave_out_factors
from audit.metrics import (
    class_losses,
    influence_of_items,
    is_of_losses,
    named_metric,
    score_items,
    shares_of_scored,
    values_of_units,
)

SAME = 1e-12  # scores that are nearer to each other differ by rounding
_VALUES = 1 << 20  # influence values at once: 8 MB
_PSEUDO_ITEMS = 0.1
"""Items of each class that are added above all of the other class, and as many below, for the variance of AUC alone: a
perfect order of few items is not taken for one that cannot err. With fewer, intervals of an AUC above .95 miss it too
often (90% in place of 95 where the rarer class has 20 items); with more they become wide for nothing."""


class Source(ABC):
    """The values that each item, or group of items, adds to one score of t entries, all of which have the score."""

    @property
    @abstractmethod
    def by_item(self) -> Floats:
        """The value that each item adds to each score, in gold order, shape (t, N)."""

    @property
    @abstractmethod
    def by_group(self) -> Floats:
        """How far each score moves without each group, shape (t, G)."""

    @property
    @abstractmethod
    def leverage(self) -> Floats:
        """The share of the scores that is each group's, shape (1, G)."""

    @abstractmethod
    def null_variance(self) -> Floats:
        """Variance of each difference that small samples lack if both entries were equally good, shape (t, t)."""

    @abstractmethod
    def shared(self) -> tuple[Floats, Floats]:
        """What each group has of each score, in two ways that both sum to the score, shape (t, G) each."""

    def gold_leverage(self) -> Floats:
        """The share of gold's part of the scores that is each group's, shape (G,)."""
        return np.asarray(self.leverage.mean(axis=0))

    def beyond_groups(self) -> Floats:
        """Variance of each difference beside that of what groups add to it, shape (t, t)."""
        return np.zeros((len(self.has_influence),) * 2)

    @property
    @abstractmethod
    def has_influence(self) -> Bools:
        """Which of the entries have an influence function, shape (t,)."""

    @property
    def unidentified(self) -> Floats:
        """How much what only the row's entry answers could add to the column's score, shape (t, t)."""
        return np.zeros((len(self.has_influence),) * 2)

    @property
    def freedom(self) -> Floats | None:
        """Degrees of freedom of Student's distribution of each difference, shape (t, t); None for a normal one."""
        return None

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the scores as if items were drawn, shape (t, t)."""
        return products_of_rows(self.by_item)

    @cached_property
    def group_covariance(self) -> Floats:
        """Likewise where groups of them are."""
        return products_of_rows(self.by_group)

    def design_effect(self) -> Floats:
        """The factor by which groups increase the variance of each score, at least 1, shape (t,)."""
        by_group = (self.by_group**2).sum(axis=1)
        by_item = (self.by_item**2).sum(axis=1)
        return design_effect_of(by_group, by_item)


def products_of_rows(values: Floats) -> Floats:
    """Products of every two rows, summed over their columns: exact sums, the same on every processor."""
    splitting = Splitting.of(np.abs(values).max(axis=1, initial=0.0), values.shape[1])
    step = max(1, _VALUES // max(1, len(values)))
    columns = (values[:, first : first + step] for first in range(0, values.shape[1], step))
    return splitting.gram(splitting.products(columns))


def variances(covariance: Floats) -> Floats:
    """Variance of every difference, shape (t, t); 0 where the answers cannot move it, as of label-identical teams."""
    own = np.diagonal(covariance)
    variance = own[:, None] + own - 2 * covariance
    return np.where(variance > DEPENDENT * (own[:, None] + own), variance, 0.0)


@dataclass(frozen=True, eq=False)
class ItemScoreSource(Source):
    """One metric of scores of items, of some entries."""

    name: str  # the metric's slug
    given: ItemScores  # the scores of t entries, which all have them
    gold: Gold  # the items: their groups, and whether class counts are fixed by design
    places: Counts  # the items that have scores: all, or those that stand for units with sets
    shares: Floats  # (L,): the mass of each class with scores, that of all others being the rest
    is_observed: bool  # whether these are the shares among the items

    @classmethod
    def of(cls, evaluation: Evaluation, key: ScoreKey, entries: Counts) -> "ItemScoreSource":
        """The source of one score for some entries, all with a defined score."""
        scores = scores_in(evaluation.item_scores)
        assert scores is not None  # noqa: S101 - asked of a score that the evaluation has
        gold = evaluation.gold
        shares = shares_of_scored(
            scores, key, evaluation.prevalences, evaluation.prevalence_counts, evaluation.task
        )
        places = np.flatnonzero(gold.is_unit)
        is_observed = key.prevalence == OBSERVED.name
        return cls(key.metric, scores.of_entries(entries), gold, places, shares, is_observed)

    @cached_property
    def _sums(self) -> Floats:
        """The values of the items of each group, summed, shape (t, G)."""
        return np.stack([np.bincount(self._groups, row) for row in self.by_item])

    @property
    def has_influence(self) -> Bools:
        """All of the entries, where each class has items enough to vary; else none."""
        return np.full(len(self.given.rows), int(self.class_sizes.min(initial=2)) > 1)

    @cached_property
    def class_sizes(self) -> Counts:
        """Items of all others and of each class with an order, shape (L, 2)."""
        n_positive = self.given.positive[:, self.given.has_order].sum(axis=0)
        return np.stack([self.given.n_items - n_positive, n_positive], axis=1)

    @cached_property
    def by_item(self) -> Floats:
        """The value that each item adds to each score, shape (t, N)."""
        fixed = self.gold.stratified or not self.is_observed
        values = influence_of_items(self.name, self.given, self.shares, fixed=fixed)
        if self.places.size == self.gold.n_items:
            return values
        of_items = np.zeros((len(values), self.gold.n_items))
        of_items[:, self.places] = values
        return of_items

    @cached_property
    def by_group(self) -> Floats:
        """How far each score moves without each group, shape (t, G)."""
        return self._sums * leave_out_factors(self.leverage)

    def shared(self) -> tuple[Floats, Floats]:
        """The sums over each group, and the group's share of the score: the same both ways."""
        sums = self._sums + self.values[:, None] * self.leverage
        return sums, sums

    @cached_property
    def leverage(self) -> Floats:
        """The share of the scores that is each group's, shape (1, G): of AUC and average precision half by class."""
        positive = self.given.positive[:, self.given.has_order]
        masses = np.array([0.5, 0.5])
        if is_of_losses(self.name):
            masses = np.array([1 - self.shares[0], self.shares[0]])
        weights = masses / self.class_sizes
        by_class = np.where(positive, weights[:, 1], weights[:, 0])
        groups = self._groups[self.places]
        return np.bincount(groups, by_class.mean(axis=1))[None].astype(np.float64)

    @cached_property
    def _groups(self) -> Counts:
        """Which group each item belongs to, from 0 on."""
        return np.unique(np.asarray(self.gold.groups), return_inverse=True)[1]

    @cached_property
    def values(self) -> Floats:
        """The scores, shape (t,)."""
        return score_items(self.name, self.given, self.shares)

    def null_variance(self) -> Floats:
        """Variance of each difference under "no difference", shape (t, t).

        An item's part in a difference is measured from their difference, not from 0: what that leaves out is its square
        over the items. AUC, average precision, and any score in which classes keep their masses are of each class by
        itself; a mean over several classes of each of these.
        """
        sizes = self.class_sizes
        squares = (self.values[:, None] - self.values) ** 2
        if len(sizes) > 1:
            # Σ_l D_l² (1/n_l0 + 1/n_l1) / L², D_l the difference of the scores of class l
            of_classes = 0.0
            places = np.flatnonzero(self.given.has_order).tolist()
            for place, one_over_sizes in zip(places, (1 / sizes).sum(axis=1).tolist(), strict=True):
                scores = self._of_class(place).values
                of_classes = of_classes + (scores[:, None] - scores) ** 2 * one_over_sizes
            of_classes = of_classes / len(sizes) ** 2
            return np.maximum(of_classes, squares / self.given.n_items)
        if not is_of_losses(self.name):
            return np.asarray(squares * (1 / sizes).sum())
        if self.is_observed and not self.gold.stratified:
            return np.asarray(squares / sizes.sum())
        means = class_losses(self.given)
        masses = np.array([1 - self.shares[0], self.shares[0]])
        squares_by_class = (means[:, None] - means) ** 2
        return np.asarray((squares_by_class * masses**2 / sizes[0]).sum(axis=-1))

    def _of_class(self, place: int) -> "ItemScoreSource":
        """The score of one of several classes alone."""
        rows = tuple(row if row is None else row[:, [place]] for row in self.given.rows)
        positive = self.given.positive[:, [place]]
        given = replace(self.given, positive=positive, rows=rows)
        return replace(self, given=given, shares=self.shares[[place]])

    @property
    def n_effective(self) -> Floats:
        """The number of items whose proportion would vary as much as each score, y(1 − y)/V, shape (t,).

        Infinite for a score that cannot vary, unless it is at an end of its range: then as many as there are.
        """
        values = self.values
        variance = self._smoothed_variance
        spread = self.smoothed_values * (1 - self.smoothed_values)
        varies = variance > 0
        n_effective = np.divide(spread, variance, out=np.full(values.shape, np.inf), where=varies)
        at_end = ~varies & ((values <= 0) | (values >= 1))
        return np.where(at_end, float(self.given.n_items), np.maximum(n_effective, 1.0))

    @property
    def smoothed_values(self) -> Floats:
        """The scores, those of an order with pseudo-items, shape (t,)."""
        if is_of_losses(self.name):
            return self.values
        sizes = self.class_sizes.reshape(-1, 1)
        smoothed = (self.values * sizes + _PSEUDO_ITEMS) / (sizes + 2 * _PSEUDO_ITEMS)
        return np.asarray(smoothed.mean(axis=0))

    @property
    def _smoothed_variance(self) -> Floats:
        """Variance of each score, that of an order with pseudo-items of each class, shape (t,)."""
        variance = (self.by_item**2).sum(axis=1)
        if is_of_losses(self.name):
            return np.asarray(variance)
        n_classes = len(self.class_sizes)
        at_ends = _PSEUDO_ITEMS * (self.values**2 + (1 - self.values) ** 2)
        one_over_squares = (1 / self.class_sizes.astype(float) ** 2).sum()
        return np.asarray(variance + at_ends * one_over_squares / n_classes**2)


@dataclass(frozen=True, eq=False)
class UnitSource(Source):
    """One mean over units with sets, of some entries."""

    counts: UnitCounts
    of_units: Floats  # (t, U): the value of each unit; NaN where the mean leaves it out
    groups: Counts  # (U,): which group each unit belongs to, from 0 on

    @classmethod
    def of(cls, evaluation: Evaluation, key: ScoreKey, entries: Counts) -> "UnitSource":
        """The source of one score for some entries, all with a defined score."""
        assert isinstance(evaluation.item_scores, UnitCounts)  # noqa: S101 - asked of a score that the evaluation has
        counts = evaluation.item_scores.of_entries(entries)
        groups = np.unique(np.asarray(evaluation.gold.groups)[counts.first], return_inverse=True)[1]
        named = named_metric(key.metric, evaluation.task.label_set)
        return cls(counts, values_of_units(named.reading, counts), groups)

    @property
    def has_influence(self) -> Bools:
        """All of the entries."""
        return np.ones(len(self.of_units), dtype=bool)

    @cached_property
    def _n_counted(self) -> Counts:
        """Units that each mean is of, shape (t,)."""
        return np.asarray((~np.isnan(self.of_units)).sum(axis=1))

    @cached_property
    def values(self) -> Floats:
        """The scores, shape (t,)."""
        return np.asarray(np.nansum(self.of_units, axis=1) / self._n_counted)

    @cached_property
    def _by_unit(self) -> Floats:
        """How far each unit moves each mean, shape (t, U)."""
        return np.nan_to_num(self.of_units - self.values[:, None]) / self._n_counted[:, None]

    @property
    def by_item(self) -> Floats:
        """The value that each unit adds to each mean, at the item that stands for it, shape (t, N)."""
        values = np.zeros((len(self.of_units), self.counts.unit_of.size))
        values[:, self.counts.first] = self._by_unit
        return values

    @cached_property
    def by_group(self) -> Floats:
        """How far each mean moves without each group of units, shape (t, G)."""
        return self._sums * leave_out_factors(self.leverage)

    def shared(self) -> tuple[Floats, Floats]:
        """The sums over the units of each group: the same both ways."""
        sums = self._sums + self.values[:, None] * self.leverage
        return sums, sums

    @property
    def leverage(self) -> Floats:
        """The share of the units that is each group's, shape (1, G)."""
        return np.bincount(self.groups)[None] / self.groups.size

    def null_variance(self) -> Floats:
        """Variance of each difference under "no difference", shape (t, t): its square over the units."""
        return (self.values[:, None] - self.values) ** 2 / self.groups.size

    @property
    def smoothed_values(self) -> Floats:
        """The scores with one unit more that has 0 and one that has 1, shape (t,)."""
        return np.asarray((self.values * self._n_counted + 1) / (self._n_counted + 2))

    @property
    def n_effective(self) -> Floats:
        """The number of units whose proportion would vary as much as each score, shape (t,)."""
        n_units = self._n_counted
        mean = self.smoothed_values
        mean_square = (np.nansum(self.of_units**2, axis=1) + 1) / (n_units + 2)
        variance = mean_square - mean**2  # of one unit
        return np.asarray(np.maximum(n_units * mean * (1 - mean) / variance, 1.0))

    @cached_property
    def _sums(self) -> Floats:
        """The values of the units of each group, summed, shape (t, G)."""
        return np.stack([np.bincount(self.groups, row) for row in self._by_unit])
