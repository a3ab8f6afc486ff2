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
from audit.inference.weighted import WeightedScores
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
    """One metric of scores of items, of some entries."""

    name: str  # the metric's slug
    given: ItemScores  # the scores of t entries, which all have them
    gold: Gold  # the items: their groups, and whether class counts are fixed by design
    shares: Floats  # (2,): the mass of the other class, and of the class that a higher score speaks for
    is_observed: bool  # whether these are the shares among the items
    entries: Counts  # (t,): which entries of the evaluation these are
    prevalence: str  # the prevalence at which the score is
    weighted: WeightedScores  # what item weights say of a metric of which nothing says what each item adds

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
    by_part: tuple[Floats, ...]  # (t, N): what each item, or each draw of item weights, adds to each part
    grouped_parts: tuple[Floats, ...] = ()  # (t, G): by group left out, or by draw of weights of groups
    leverages: tuple[Floats, ...] = ()  # (t or 1, G): the share of each part that is each group's

    @classmethod
    def of(
        cls, evaluation: Evaluation, parts: MeanParts, entries: Counts, items: Items, slopes: Influence | None
    ) -> "MeanView":
        """The view of one mean for some entries, all with a defined mean."""
        views = tuple(ItemScoreView.of(evaluation, key, entries, items) for key in parts.of_items)
        answers = items.of_teams(entries)
        of_labels = [] if slopes is None else [in_gold_order(evaluation, answers, slopes)]
        by_part = _of_parts(of_labels, views)
        if items.groups is None:
            return cls(parts, views, by_part)
        own = [] if parts.labels is None else [leverage_by(evaluation, parts.labels, answers, entries)]
        grouped = _of_groups(of_labels, own, views)
        return cls(parts, views, by_part, grouped, (*own, *(view.leverage for view in views)))

    @cached_property
    def by_item(self) -> Floats:
        """What each item, or draw, adds to each mean, shape (t, N) or (t, B)."""
        return self._mean(self.by_part)

    @cached_property
    def by_group(self) -> Floats:
        """How far each mean moves without each group, or by each draw of group weights, shape (t, G) or (t, B)."""
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


def _of_parts(of_labels: Sequence[Floats], views: Sequence[ItemScoreView]) -> tuple[Floats, ...]:
    """The values that each item adds to each part; each draw of weights where one part is drawn."""
    if not any(view.is_drawn for view in views):
        return (*of_labels, *(view.by_item for view in views))
    weighted = views[0].weighted
    by_item = (view.by_item if view.is_drawn else weighted.of_values(view.by_item, grouped=False) for view in views)
    return (*(weighted.of_values(part, grouped=False) for part in of_labels), *by_item)


def _of_groups(
    of_labels: Sequence[Floats], leverages: Sequence[Floats], views: Sequence[ItemScoreView]
) -> tuple[Floats, ...]:
    """How far each part moves without each group; by each draw of weights of groups where one part is drawn."""
    whole = views[0]
    if not any(view.is_drawn for view in views):
        labels = (whole.summed(part, each) for part, each in zip(of_labels, leverages, strict=True))
        return (*labels, *(view.by_group for view in views))

    def drawn(by_item: Floats, leverage: Floats) -> Floats:
        return whole.weighted.of_values(by_item, grouped=True) * drawn_without(leverage)

    by_group = (view.by_group if view.is_drawn else drawn(view.by_item, view.leverage) for view in views)
    return (*map(drawn, of_labels, leverages), *by_group)


def in_gold_order(evaluation: Evaluation, items: Items, slopes: Influence) -> Floats:
    """The values that items add to a score of labels, shape (t, N), in gold order; 0 for a dropped item."""
    values = np.empty((items.sample.n_teams, items.sample.n_items))
    order = np.argsort(evaluation.gold.codes, kind="stable")
    values[:, order] = np.concatenate(list(values_of(items.sample, slopes, (0, items.sample.n_items))), axis=1)
    return values
