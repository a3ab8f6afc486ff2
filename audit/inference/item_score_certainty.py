"""How sure metrics of scores of single items are, and means of them and of scores of labels."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from audit.domain import OBSERVED, Evaluation, Gold, ItemScores, LabelSet, ScoreKey
from audit.domain.arrays import Counts, Floats
from audit.inference.influence_blocks import Splitting, values_of
from audit.inference.items import Items, blown_up, leverage_by, without
from audit.metrics import (
    Influence,
    MeanOf,
    Term,
    class_means,
    composite_name,
    influence_of_items,
    mean_of,
    metric_of,
    prevalence_shares,
    score_items,
    terms_of,
)

_VALUES = 1 << 20  # influence values at once: 8 MB
_PSEUDO_ITEMS = 0.1
"""Items of each class that are added above all of the other class, and as many below, for the variance of AUC alone: a
perfect order of few items is not taken for one that cannot err. With fewer, intervals of an AUC above .95 miss it too
often (90% in place of 95 where the rarer class has 20 items); with more they become wide for nothing."""
_AT_END = 1e-9  # the value of y(1 - y) below which a score y is at an end of its range, apart from rounding


class ByUnit(ABC):
    """The values that each item, or group of items, adds to the scores of some entries."""

    @property
    @abstractmethod
    def by_item(self) -> Floats:
        """The value that each item adds to each score, shape (t, N)."""

    @property
    @abstractmethod
    def by_group(self) -> Floats:
        """How far each score moves without each group, shape (t, G)."""

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
    """One metric of scores of items, of some entries."""

    name: str  # the metric's slug
    given: ItemScores  # the scores of t entries, which all have them
    gold: Gold  # the items: their groups, and whether class counts are fixed by design
    shares: Floats  # (L,): the mass of each class with scores, that of all others being the rest
    is_observed: bool  # whether these are the shares among the items

    @classmethod
    def of(cls, evaluation: Evaluation, key: ScoreKey, entries: Counts) -> "ItemScoreView":
        """The view of one score for some entries, all with a defined score."""
        item_scores, labels = evaluation.item_scores, evaluation.task.label_set
        assert item_scores is not None  # noqa: S101 - asked of a score that the evaluation has
        prevalence = next(each for each in evaluation.prevalences if each.name == key.prevalence)
        shares = prevalence_shares(prevalence, evaluation.prevalence_counts, labels)[evaluation.task.scored_codes]
        given = replace(item_scores, rows=tuple(item_scores.rows[entry] for entry in entries.tolist()))
        return cls(key.metric, given, evaluation.gold, shares, prevalence.name == OBSERVED.name)

    @property
    def is_testable(self) -> bool:
        """Whether each class has items enough to vary."""
        return int(self.class_sizes.min()) > 1

    @cached_property
    def class_sizes(self) -> Counts:
        """Items of all others and of each class with an order, shape (L, 2)."""
        n_positive = self.given.positive[:, self.given.has_order].sum(axis=0)
        return np.stack([self.given.n_items - n_positive, n_positive], axis=1)

    @cached_property
    def by_item(self) -> Floats:
        """The value that each item adds to each score, shape (t, N)."""
        fixed = self.gold.stratified or not self.is_observed
        return influence_of_items(self.name, self.given, self.shares, fixed=fixed)

    @cached_property
    def by_group(self) -> Floats:
        """How far each score moves without each group, shape (t, G)."""
        return self.summed(self.by_item, self.leverage)

    @cached_property
    def leverage(self) -> Floats:
        """The share of the scores that is each group's, shape (1, G): of AUC and average precision half by class."""
        positive = self.given.positive[:, self.given.has_order]
        masses = np.array([1 - self.shares[0], self.shares[0]]) if mean_of(self.name) is MeanOf.LOSSES else 0.5
        weights = masses / self.class_sizes
        of_items = np.where(positive, weights[:, 1], weights[:, 0]).mean(axis=1)
        return np.bincount(self._groups, of_items)[None].astype(np.float64)

    @cached_property
    def _groups(self) -> Counts:
        """Which group each item belongs to, from 0 on."""
        return np.unique(np.asarray(self.gold.groups), return_inverse=True)[1]

    @cached_property
    def values(self) -> Floats:
        """The scores, shape (t,)."""
        return score_items(self.name, self.given, self.shares)

    def summed(self, by_item: Floats, leverage: Floats) -> Floats:
        """How far scores move without each group of items, given what items add, shape (t, G)."""
        return np.stack([np.bincount(self._groups, row) for row in by_item]) * without(leverage)

    def null_variance(self, scores: Floats) -> Floats:
        """Variance of each difference that small samples lack if both entries were equally good, shape (t, t).

        An item's part in a difference is measured from their difference, not from 0: what that leaves out is its square
        over the items. AUC, average precision, and any score in which classes keep their masses are of each class by
        itself; a mean over several classes of each of these.
        """
        sizes, squares = self.class_sizes, (scores[:, None] - scores) ** 2
        if len(sizes) > 1:
            by_class = (self.of_class(place).values for place in np.flatnonzero(self.given.has_order).tolist())
            parts = zip(by_class, (1 / sizes).sum(axis=1).tolist(), strict=True)
            apart = sum((each[:, None] - each) ** 2 * part for each, part in parts) / len(sizes) ** 2
            return np.asarray(np.maximum(apart, squares / self.given.n_items))
        if mean_of(self.name) is not MeanOf.LOSSES:
            return np.asarray(squares * (1 / sizes).sum())
        if self.is_observed and not self.gold.stratified:
            return np.asarray(squares / sizes.sum())
        means, masses = class_means(self.name, self.given), np.array([1 - self.shares[0], self.shares[0]])
        return np.asarray(((means[:, None] - means) ** 2 * masses**2 / sizes[0]).sum(axis=-1))

    def of_class(self, place: int) -> "ItemScoreView":
        """The view of one of the classes with scores."""
        rows = tuple(None if row is None else row[:, [place]] for row in self.given.rows)
        given = replace(self.given, positive=self.given.positive[:, [place]], rows=rows)
        return replace(self, given=given, shares=self.shares[[place]])

    def n_effective(self, values: Floats) -> Floats:
        """The number of items whose proportion would vary as much as each score, shape (t,).

        Infinite for a score that cannot vary, unless it is at an end of its range: then as many as there are.
        """
        variance, shares = self._smoothed_variance(values), self.smoothed_values(values)
        spread, can_vary = shares * (1 - shares), variance > 0
        effective = np.divide(spread, variance, out=np.full(values.shape, np.inf), where=can_vary)
        at_end = ~can_vary & ((values <= 0) | (values >= 1))
        return np.where(at_end, float(self.given.n_items), np.maximum(effective, 1.0))

    def smoothed_values(self, values: Floats) -> Floats:
        """The scores, those of an order with pseudo-items, shape (t,)."""
        if mean_of(self.name) is MeanOf.LOSSES:
            return values
        n_pseudo = 2 * _PSEUDO_ITEMS
        sizes = self.class_sizes.reshape(-1, 1)
        return np.asarray(((values * sizes + _PSEUDO_ITEMS) / (sizes + n_pseudo)).mean(axis=0))

    def _smoothed_variance(self, values: Floats) -> Floats:
        """Variance of each score, that of an order with pseudo-items of each class, shape (t,)."""
        variance = (self.by_item**2).sum(axis=1)
        if mean_of(self.name) is MeanOf.LOSSES:
            return np.asarray(variance)
        n_classes = len(self.class_sizes)
        ends = _PSEUDO_ITEMS * (values**2 + (1 - values) ** 2)
        return np.asarray(variance + ends * (1 / self.class_sizes.astype(float) ** 2).sum() / n_classes**2)


def _products(values: Floats) -> Floats:
    """Products of every two rows, summed over their columns."""
    splitting = Splitting.of(np.abs(values).max(axis=1, initial=0.0), values.shape[1])
    step = max(1, _VALUES // max(1, len(values)))
    columns = (values[:, first : first + step] for first in range(0, values.shape[1], step))
    return splitting.gram(splitting.products(columns))


@dataclass(frozen=True)
class MeanParts:
    """The scores of a mean: those of labels as one mean, and each of those of single items."""

    labels: ScoreKey | None  # the mean of the scores of labels, or the only one; None where there is none
    of_items: tuple[ScoreKey, ...]
    weights: tuple[float, ...]  # what each counts, that of labels first, if there is one; they sum to 1

    @classmethod
    def of(cls, key: ScoreKey, label_set: LabelSet) -> "MeanParts":
        """The parts of a mean, by its key."""
        of_labels: list[Term] = []
        of_items: list[Term] = []
        for term in terms_of(key.metric):
            (of_labels if metric_of(term.name, label_set).of_labels else of_items).append(term)
        together = [math.fsum(term.weight for term in of_labels)] if of_labels else []
        counted = [*together, *(term.weight for term in of_items)]
        name = composite_name(of_labels) if len(of_labels) > 1 else "".join(term.name for term in of_labels)
        return cls(
            ScoreKey(name, key.prevalence) if of_labels else None,
            tuple(ScoreKey(term.name, key.prevalence) for term in of_items),
            tuple(weight / math.fsum(counted) for weight in counted),
        )

    @property
    def keys(self) -> tuple[ScoreKey, ...]:
        """All scores of the mean, that of labels first."""
        return (*([] if self.labels is None else [self.labels]), *self.of_items)


@dataclass(frozen=True, eq=False)
class MeanView(ByUnit):
    """One mean, of some entries: what each item adds to it, part by part."""

    parts: MeanParts  # the K scores that it is the mean of
    views: tuple[ItemScoreView, ...]  # the views of the scores of single items
    by_part: tuple[Floats, ...]  # (t, N): what each item adds to each part
    grouped_parts: tuple[Floats, ...] = ()  # (t, G): by group left out
    leverages: tuple[Floats, ...] = ()  # (t or 1, G): the share of each part that is each group's

    @classmethod
    def of(
        cls, evaluation: Evaluation, parts: MeanParts, entries: Counts, items: Items, slopes: Influence | None
    ) -> "MeanView":
        """The view of one mean for some entries, all with a defined mean."""
        views = tuple(ItemScoreView.of(evaluation, key, entries) for key in parts.of_items)
        answers = items.of_teams(entries)
        of_labels = [] if slopes is None else [in_gold_order(evaluation, answers, slopes)]
        by_part = (*of_labels, *(view.by_item for view in views))
        if items.groups is None:
            return cls(parts, views, by_part)
        own = [] if parts.labels is None else [leverage_by(evaluation, parts.labels, answers, entries)]
        grouped = (views[0].summed(part, each) for part, each in zip(of_labels, own, strict=True))
        by_group = (*grouped, *(view.by_group for view in views))
        return cls(parts, views, by_part, by_group, (*own, *(view.leverage for view in views)))

    @cached_property
    def by_item(self) -> Floats:
        """What each item adds to each mean, shape (t, N)."""
        return self._mean(self.by_part)

    @cached_property
    def by_group(self) -> Floats:
        """How far each mean moves without each group, shape (t, G)."""
        return self._mean(self.grouped_parts)

    @property
    def leverage(self) -> Floats:
        """The share of the means that is each group's, shape (t or 1, G)."""
        return self._mean(self.leverages)

    def _mean(self, parts: Sequence[Floats]) -> Floats:
        return np.asarray(sum(weight * part for weight, part in zip(self.parts.weights, parts, strict=True)))

    @property
    def is_testable(self) -> bool:
        """Whether each class has items enough to vary."""
        return all(view.is_testable for view in self.views)

    def null_variance(self, of_labels: Floats | None) -> Floats:
        """Variance of each difference that small samples lack if both entries were equally good, shape (t, t).

        That of each part, as if all parts erred together: what they share is not known where there is no difference.
        """
        of_items = [view.null_variance(view.values) for view in self.views]
        each = [*([] if of_labels is None else [of_labels]), *of_items]
        return np.asarray(sum(w * np.sqrt(part) for w, part in zip(self.parts.weights, each, strict=True)) ** 2)

    def n_effective(self, shares: Floats, n_items: Floats, widths: Floats) -> Floats:
        """The number of items whose proportion would vary as much as each mean, shape (t,).

        The variance of each part is that of its own interval, and parts are as correlated as what items add to them;
        where no item adds anything to one, as if all erred together. Infinite for a mean that cannot vary.
        """
        at_end = (shares * (1 - shares) <= _AT_END) & np.isfinite(n_items)
        shares = np.where(at_end, np.abs(shares - 1 / n_items), shares)  # as if one of these items were another
        errors = np.sqrt(shares * (1 - shares) / n_items)
        weights = np.array(self.parts.weights) * widths
        weights /= weights.sum()
        mean, variance = weights @ shares, np.zeros(shares.shape[1])
        errors *= weights[:, None]
        for one, first in enumerate(self.by_part):
            variance += errors[one] ** 2
            for other in range(one):
                second = self.by_part[other]
                both = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
                correlation = np.divide((first * second).sum(axis=1), both, out=np.ones(both.shape), where=both > 0)
                variance += 2 * errors[one] * errors[other] * np.asarray(np.clip(correlation, -1.0, 1.0))
        spread, varies = mean * (1 - mean), variance > 0
        n_effective = np.divide(spread, variance, out=np.full(spread.shape, np.inf), where=varies)
        return np.asarray(np.maximum(n_effective, 1.0))


def in_gold_order(evaluation: Evaluation, items: Items, slopes: Influence) -> Floats:
    """The values that items add to a score of labels, shape (t, N), in gold order; 0 for a dropped item."""
    values = np.empty((items.sample.n_teams, items.sample.n_items))
    order = np.argsort(evaluation.gold.codes, kind="stable")
    values[:, order] = np.concatenate(list(values_of(items.sample, slopes, (0, items.sample.n_items))), axis=1)
    return values
