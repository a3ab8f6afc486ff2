"""The source of variance of any score: of labels, of scores of items, of units with sets, or of a mean of these."""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.arrays import Bools, Counts, Floats
from audit.inference.items import Items
from audit.inference.label_source import LabelSource
from audit.inference.number_source import NumberSource
from audit.inference.sources import ItemScoreSource, Source, UnitSource
from audit.metrics import Term, composite_name, metric_of, named_metric, terms_of
from audit.metrics.confusion import weighted_sum

SourceOfOne = LabelSource | ItemScoreSource | UnitSource | NumberSource
# the value of y(1 - y) below which a score y is at an end of its range, apart from rounding
_AT_END = 1e-9


def source_of(
    evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts
) -> "SourceOfOne | MeanSource":
    """The source of the variance of one score of some entries, all of which have it, given the answers of all."""
    named = named_metric(key.metric, evaluation.task.label_set)
    if named.is_mean_with_item_scores:
        return MeanSource.of(evaluation, key, items, entries)
    return _source_of_one(evaluation, key, items, entries)


def _source_of_one(
    evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts
) -> SourceOfOne:
    over = metric_of(key.metric, evaluation.task.label_set).over
    if over == "units":
        return UnitSource.of(evaluation, key, entries)
    if over == "numbers":
        return NumberSource.of(evaluation, key, entries)
    if over == "item scores":
        return ItemScoreSource.of(evaluation, key, entries)
    return LabelSource.of(evaluation, key, entries, items)


def _correlation(first: Floats, second: Floats) -> Floats:
    """Correlation of what items add to two scores, shape (t,); 1 where they add nothing to one."""
    covariance = (first * second).sum(axis=1)
    errors = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    ones = np.ones(errors.shape)
    return np.asarray(np.divide(covariance, errors, out=ones, where=errors > 0))


@dataclass(frozen=True, eq=False)
class MeanSource(Source):
    """A mean of scores of labels and of single items, of some entries: what each item adds to it, part by part."""

    # The mean of the scores of labels, or the only one, if there is one; then the others.
    parts: tuple[SourceOfOne, ...]
    keys: tuple[ScoreKey, ...]  # their scores
    weights: tuple[float, ...]  # what each counts; they sum to 1

    @classmethod
    def of(
        cls, evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts
    ) -> "MeanSource":
        """The source of one mean."""
        label_set = evaluation.task.label_set
        of_labels: list[Term] = []
        others: list[Term] = []
        for term in terms_of(key.metric):
            if metric_of(term.name, label_set).of_labels:
                of_labels.append(term)
            else:
                others.append(term)
        terms = others
        if of_labels:  # their mean is a score of labels, too, with a source of its own
            weight = math.fsum(term.weight for term in of_labels)
            name = of_labels[0].name
            if len(of_labels) > 1:
                name = composite_name(of_labels)
            terms = [Term(weight, name), *others]
        keys = tuple(ScoreKey(term.name, key.prevalence) for term in terms)
        parts = tuple(_source_of_one(evaluation, part, items, entries) for part in keys)
        total = math.fsum(term.weight for term in terms)
        return cls(parts, keys, tuple(term.weight / total for term in terms))

    @cached_property
    def by_item(self) -> Floats:
        """What each item adds to each mean, shape (t, N)."""
        return self._mean([part.by_item for part in self.parts])

    @cached_property
    def by_group(self) -> Floats:
        """How far each mean moves without each group, shape (t, G)."""
        return self._mean([part.by_group for part in self.parts])

    def shared(self) -> tuple[Floats, Floats]:
        """What each group has of each mean, in both ways, shape (t, G) each."""
        by_influence = []
        by_class = []
        for part in self.parts:
            of_influence, of_class = part.shared()
            by_influence.append(of_influence)
            by_class.append(of_class)
        return self._mean(by_influence), self._mean(by_class)

    def gold_leverage(self) -> Floats:
        """The share of gold's part of the means that is each group's, shape (G,)."""
        return self._mean([part.gold_leverage() for part in self.parts])

    def beyond_groups(self) -> Floats:
        """Variance of each difference beside that of what groups add to it, as if all parts erred together, (t, t)."""
        return self._mean([np.sqrt(part.beyond_groups()) for part in self.parts]) ** 2

    @property
    def leverage(self) -> Floats:
        """The share of the means that is each group's, shape (1, G)."""
        return self._mean([part.leverage for part in self.parts])

    @property
    def has_influence(self) -> Bools:
        """Which of the entries have an influence function for every part, shape (t,)."""
        return np.asarray(np.all([part.has_influence for part in self.parts], axis=0))

    @property
    def unidentified(self) -> Floats:
        """How much what only the row's entry answers could add to the column's mean, shape (t, t)."""
        return self._mean([part.unidentified for part in self.parts])

    def _mean(self, parts: list[Floats]) -> Floats:
        return weighted_sum(parts, self.weights)

    def null_variance(self) -> Floats:
        """Variance of each difference that small samples lack if both entries were equally good, shape (t, t).

        That of each part, as if all parts erred together: what they share is not known where there is no difference.
        """
        return self._mean([np.sqrt(part.null_variance()) for part in self.parts]) ** 2

    def n_effective(self, shares: Floats, n_items: Floats, widths: Floats) -> Floats:
        """The number of items whose proportion would vary as much as each mean, y(1 − y)/V, shape (t,).

        V = Σ_k e_k² + 2 Σ_{k<l} ρ_kl e_k e_l: the variance of each part is that of its own interval, and parts are as
        correlated as what items add to them; where no item adds anything to one, as if all erred together. Infinite
        for a mean that cannot vary.

        Shares and numbers of items have shape (K, t): each part, as a share of its range, and the number of items that
        its own interval is of. Widths are those of the ranges of the parts, shape (K,).
        """
        at_end = (shares * (1 - shares) <= _AT_END) & np.isfinite(n_items)
        # as if one of these items were another
        shares = np.where(at_end, np.abs(shares - 1 / n_items), shares)
        weights = np.array(self.weights) * widths
        weights /= weights.sum()
        mean = weights @ shares
        errors = np.sqrt(shares * (1 - shares) / n_items) * weights[:, None]
        variance = (errors**2).sum(axis=0)
        by_item = [part.by_item for part in self.parts]
        for one, other in combinations(range(len(by_item)), 2):
            correlation = _correlation(by_item[one], by_item[other])
            variance += 2 * errors[one] * errors[other] * np.clip(correlation, -1.0, 1.0)
        infinite = np.full(mean.shape, np.inf)
        n_effective = np.divide(mean * (1 - mean), variance, out=infinite, where=variance > 0)
        return np.asarray(np.maximum(n_effective, 1.0))
