"""How sure metrics of scores of single items are: intervals, and standard errors of every paired difference.

What an item adds to AUC is its placement among the items of the other class, so that variances and covariances are
those of DeLong et al. 1988; to the Brier score it adds its squared distance. For average precision draws of paired item
weights stand in place of items. From there on all is as for any other score: covariances summed over items, groups or
draws, a variance under "no difference", Wilson's interval with an effective number of items.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from audit.domain import OBSERVED, Evaluation, Gold, ItemScores, ScoreKey
from audit.domain.arrays import Counts, Floats
from audit.inference.influence.influence_blocks import Splitting
from audit.inference.influence.items import Items, blown_up, without
from audit.inference.influence.weighted_scores import WeightedScores
from audit.metrics import MeanOf, class_means, influence_of_items, mean_of, prevalence_shares, score_items

_VALUES = 1 << 20  # influence values at once: 8 MB
_PSEUDO_ITEMS = 0.1
"""Items of each class that are added above all of the other class, and as many below, for the variance of AUC alone: a
perfect order of few items is not taken for one that cannot err. With fewer, intervals of an AUC above .95 miss it too
often (90% in place of 95 where the rarer class has 20 items); with more they become wide for nothing."""


class ByUnit(ABC):
    """The values that each item, or group of items, adds to the scores of some entries."""

    @property
    @abstractmethod
    def by_item(self) -> Floats:
        """The value that each item adds to each score, shape (t, N), or each draw of item weights, shape (t, B)."""

    @property
    @abstractmethod
    def by_group(self) -> Floats:
        """How far each score moves without each group, shape (t, G), or by each draw of group weights, shape (t, B)."""

    @property
    @abstractmethod
    def leverage(self) -> Floats:
        """The share of the scores that is each group's, shape (1, G)."""

    def covariance(self, *, grouped: bool) -> Floats:
        """Covariance of the scores, shape (t, t): exact sums of products, the same on every processor."""
        return _products(self.by_group if grouped else self.by_item)

    def design_effect(self) -> Floats:
        """The factor by which groups increase the variance of each score, at least 1, shape (t,)."""
        by_group, by_item = (self.by_group**2).sum(axis=1), (self.by_item**2).sum(axis=1)
        return blown_up(by_group, by_item)


@dataclass(frozen=True, eq=False)
class ItemScoreView(ByUnit):
    """One metric of scores of items, of some entries.

    Parameters
    ----------
    name : str
        The metric's slug.
    given : ItemScores
        The scores of t entries, which all have them.
    gold : Gold
        The items: their groups, and whether class counts are fixed by design.
    shares : ndarray, shape (2,)
        The mass of the other class, and of the class that a higher score speaks for.
    is_observed : bool
        Whether these are the shares among the items.
    entries : ndarray of int, shape (t,)
        Which entries of the evaluation these are.
    prevalence : str
        The prevalence at which the score is.
    weighted : WeightedScores
        What item weights say of a metric of which nothing says what each item adds.
    """

    name: str
    given: ItemScores
    gold: Gold
    shares: Floats
    is_observed: bool
    entries: Counts
    prevalence: str
    weighted: WeightedScores

    @classmethod
    def of(cls, evaluation: Evaluation, key: ScoreKey, entries: Counts, items: Items) -> "ItemScoreView":
        """The view of one score for some entries, all with a defined score."""
        item_scores, labels = evaluation.item_scores, evaluation.task.label_set
        weighted = items.weighted
        assert item_scores is not None  # noqa: S101 - asked of a score that the evaluation has
        assert weighted is not None  # noqa: S101 - asked of a score that the evaluation has
        prevalence = next(each for each in evaluation.prevalences if each.name == key.prevalence)
        code = labels.code_of[evaluation.task.scored_label or ""]
        shares = prevalence_shares(prevalence, evaluation.prevalence_counts, labels)[[1 - code, code]]
        rows = tuple(item_scores.rows[entry] for entry in entries.tolist())
        is_observed = prevalence.name == OBSERVED.name
        return cls(
            key.metric,
            replace(item_scores, rows=rows),
            evaluation.gold,
            shares,
            is_observed,
            entries,
            key.prevalence,
            weighted,
        )

    @property
    def is_testable(self) -> bool:
        """Whether each class has items enough to vary."""
        return int(self.class_sizes.min()) > 1

    @property
    def class_sizes(self) -> Counts:
        """Items of the other class and of the class, shape (2,)."""
        n_positive = int(self.given.positive.sum())
        return np.array([self.given.positive.size - n_positive, n_positive])

    @cached_property
    def by_item(self) -> Floats:
        """The value that each item adds to each score, shape (t, N), or each draw of item weights, shape (t, B)."""
        return self._deviations(grouped=False) if self._influence is None else self._influence

    @cached_property
    def by_group(self) -> Floats:
        """How far each score moves without each group, shape (t, G), or by each draw of group weights, shape (t, B)."""
        if self._influence is None:
            return self._deviations(grouped=True) * drawn_without(self.leverage)
        return self.summed(self._influence, self.leverage)

    @cached_property
    def leverage(self) -> Floats:
        """The share of the scores that is each group's, shape (1, G): of AUC and average precision half by class."""
        masses = self.shares if mean_of(self.name) is MeanOf.LOSSES else np.full(2, 0.5)
        weights = np.divide(masses, self.class_sizes, out=np.zeros(2), where=self.class_sizes > 0)
        return np.bincount(self._groups, weights[self.given.positive.astype(np.intp)])[None].astype(np.float64)

    @cached_property
    def _influence(self) -> Floats | None:
        fixed = self.gold.stratified or not self.is_observed
        return influence_of_items(self.name, self.given, float(self.shares[1]), fixed=fixed)

    def _deviations(self, *, grouped: bool) -> Floats:
        return self.weighted.deviations(self.prevalence, grouped=grouped)[self.entries]

    @cached_property
    def _groups(self) -> Counts:
        """Which group each item belongs to, from 0 on."""
        return np.unique(np.asarray(self.gold.groups), return_inverse=True)[1]

    @property
    def is_drawn(self) -> bool:
        """Whether nothing says what each item adds, so that draws of item weights stand in place of items."""
        return self._influence is None

    @cached_property
    def values(self) -> Floats:
        """The scores, shape (t,)."""
        return score_items(self.name, self.given, float(self.shares[1]))

    def summed(self, by_item: Floats, leverage: Floats) -> Floats:
        """How far scores move without each group of items, given what items add, shape (t, G)."""
        return np.stack([np.bincount(self._groups, row) for row in by_item]) * without(leverage)

    def null_variance(self, scores: Floats) -> Floats:
        """Variance of each difference that small samples lack if both entries were equally good, shape (t, t).

        An item's part in a difference is measured from their difference, not from 0: what that leaves out is its square
        over the items. AUC, average precision, and any score in which classes keep their masses are of each class by
        itself.
        """
        sizes = self.class_sizes
        if mean_of(self.name) is not MeanOf.LOSSES:
            return np.asarray((scores[:, None] - scores) ** 2 * (1 / sizes).sum())
        if self.is_observed and not self.gold.stratified:
            return np.asarray((scores[:, None] - scores) ** 2 / sizes.sum())
        means = class_means(self.name, self.given)
        return np.asarray(((means[:, None] - means) ** 2 * self.shares**2 / sizes).sum(axis=-1))

    def n_effective(self, values: Floats) -> Floats:
        """The number of items whose proportion would vary as much as each score, shape (t,).

        Infinite for a score that cannot vary, unless it is at an end of its range: then as many as there are. Average
        precision is a mean over the items of the class, and never surer than a proportion of these; at another
        prevalence, where few items of the other class may count for many, nor of those.
        """
        variance, shares = self._smoothed_variance(values), self.smoothed_values(values)
        n_items = float(self.class_sizes.sum())
        spread = shares * (1 - shares)
        can_vary = variance > 0
        effective = np.divide(spread, variance, out=np.full(values.shape, np.inf), where=can_vary)
        if self._influence is None:
            n_sure = self.class_sizes[1] if self.is_observed else self.class_sizes.min()
            return np.asarray(np.clip(effective, 1.0, float(n_sure)))
        return np.where(~can_vary & ((values <= 0) | (values >= 1)), n_items, np.maximum(effective, 1.0))

    def smoothed_values(self, values: Floats) -> Floats:
        """The scores, that of AUC with pseudo-items, shape (t,)."""
        if mean_of(self.name) is not MeanOf.PLACEMENTS:
            return values
        n_pseudo = 2 * _PSEUDO_ITEMS
        sizes = self.class_sizes[:, None]
        return np.asarray(((values * sizes + _PSEUDO_ITEMS) / (sizes + n_pseudo)).mean(axis=0))

    def _smoothed_variance(self, values: Floats) -> Floats:
        """Variance of each score, that of AUC with pseudo-items, shape (t,)."""
        by_item = self.by_item
        if mean_of(self.name) is not MeanOf.PLACEMENTS:
            return np.asarray((by_item**2).sum(axis=1))
        total = np.zeros(len(by_item))
        for of_class in (self.given.positive, ~self.given.positive):
            n_items = int(of_class.sum())
            squares = (by_item[:, of_class] ** 2).sum(axis=1) * n_items * (n_items - 1)
            many = n_items + 2 * _PSEUDO_ITEMS
            mean = (values * n_items + _PSEUDO_ITEMS) / many
            squares += n_items * (values - mean) ** 2 + _PSEUDO_ITEMS * (mean**2 + (1 - mean) ** 2)
            total += squares / many**2
        return total


def drawn_without(leverage: Floats) -> Floats:
    """What `without` multiplies groups by, on average, for draws of weights of groups, shape (T or 1, 1)."""
    squares = (leverage**2).sum(axis=-1, keepdims=True)
    moved = ((leverage * without(leverage)) ** 2).sum(axis=-1, keepdims=True)
    return np.asarray(np.sqrt(np.divide(moved, squares, out=np.ones(squares.shape), where=squares > 0)))


def _products(values: Floats) -> Floats:
    """Products of every two rows, summed over their columns."""
    splitting = Splitting.of(np.abs(values).max(axis=1, initial=0.0), values.shape[1])
    step = max(1, _VALUES // max(1, len(values)))
    columns = (values[:, first : first + step] for first in range(0, values.shape[1], step))
    return splitting.gram(splitting.products(columns))
