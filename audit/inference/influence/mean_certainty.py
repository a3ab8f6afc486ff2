"""How sure a mean is of which some scores are of labels and some are of scores of single items.

All scores of a mean are of the same items, so what an item adds to the mean is the mean of what it adds to each. What
labels say is one part, the mean of the scores of labels; each score of single items is another. Where one of them has
draws of item weights in place of items (average precision), the others are taken by the same draws.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.domain import Evaluation, LabelSet, ScoreKey
from audit.domain.arrays import Counts, Floats
from audit.inference.influence.influence_blocks import values_of
from audit.inference.influence.item_score_certainty import ByUnit, ItemScoreView, drawn_without
from audit.inference.influence.items import Items
from audit.inference.influence.leverage import leverage_by
from audit.metrics import Influence, Term, composite_name, metric_of, terms_of

_AT_END = 1e-9
"""The value of y(1 - y) below which a score y is at an end of its range, apart from rounding."""


@dataclass(frozen=True)
class MeanParts:
    """The scores of a mean: those of labels as one mean, and each of those of single items.

    Parameters
    ----------
    labels : ScoreKey, optional
        The mean of the scores of labels, or the only one; None where there is none.
    of_items : tuple of ScoreKey
        The others.
    weights : tuple of float
        What each counts, that of labels first, if there is one; they sum to 1.
    """

    labels: ScoreKey | None
    of_items: tuple[ScoreKey, ...]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, key: ScoreKey, label_set: LabelSet) -> "MeanParts":
        """The parts of a mean, by its key.

        Examples
        --------
        >>> parts = MeanParts.of(ScoreKey("mean(2*averaged_f1,accuracy,auc)"), LabelSet(("a", "b")))
        >>> str(parts.labels), [str(each) for each in parts.of_items], parts.weights
        ('mean(2*averaged_f1,accuracy)', ['auc'], (0.75, 0.25))
        """
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
    """One mean, of some entries: what each item adds to it, part by part.

    Parameters
    ----------
    parts : MeanParts
        The K scores that it is the mean of.
    views : tuple of ItemScoreView
        The views of the scores of single items.
    by_part : tuple of K ndarrays, shape (t, N) or (t, B)
        What each item, or each draw of item weights, adds to each part.
    grouped_parts : tuple of K ndarrays, shape (t, G) or (t, B)
        How far each part moves without each group of items, or by each draw of weights of groups; empty for independent
        items.
    leverages : tuple of K ndarrays, shape (t or 1, G)
        The share of each part that is each group's; empty for independent items.
    """

    parts: MeanParts
    views: tuple[ItemScoreView, ...]
    by_part: tuple[Floats, ...]
    grouped_parts: tuple[Floats, ...] = ()
    leverages: tuple[Floats, ...] = ()

    @classmethod
    def of(
        cls, evaluation: Evaluation, parts: MeanParts, entries: Counts, items: Items, slopes: Influence | None
    ) -> "MeanView":
        """The view of one mean for some entries, all with a defined mean.

        Parameters
        ----------
        evaluation : Evaluation
            The scores.
        parts : MeanParts
            The scores that the mean is of.
        entries : ndarray of int, shape (t,)
            Which entries.
        items : Items
            The answers of all entries by item.
        slopes : Influence, optional
            The influence on the part of labels, for these entries; None where there is none.
        """
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

        Parameters
        ----------
        shares : ndarray, shape (K, t)
            Each part, with its pseudo-items, as a share of its range.
        n_items : ndarray, shape (K, t)
            Effective numbers of items of each part; infinite for one that cannot vary.
        widths : ndarray, shape (K,)
            How wide the range of each part is.
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
                variance += 2 * errors[one] * errors[other] * _correlation(first, self.by_part[other])
        spread, varies = mean * (1 - mean), variance > 0
        n_effective = np.divide(spread, variance, out=np.full(spread.shape, np.inf), where=varies)
        return np.asarray(np.maximum(n_effective, 1.0))


def _correlation(first: Floats, second: Floats) -> Floats:
    """Correlation of what items add to two scores, shape (t,); 1 where they add nothing to one of them."""
    both = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    correlation = np.divide((first * second).sum(axis=1), both, out=np.ones(both.shape), where=both > 0)
    return np.asarray(np.clip(correlation, -1.0, 1.0))


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
