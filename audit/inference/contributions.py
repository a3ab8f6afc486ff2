"""What each item adds to a score of labels, in two ways that both sum to the score: comparisons of groups ask for them.

The first is the item's influence and its share of the score. The second keeps gold's part of every class apart: right
answers and answers count by their slopes, and what is left of a class's part of the score is shared by its gold items.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from audit.domain import Cells
from audit.domain.arrays import Counts, Floats
from audit.inference.items import masses_of
from audit.metrics import METRICS, Gradient, Influence, Margins, Metric, NamedMetric, influence
from audit.metrics.confusion import over_classes, ratio


def gold_masses(named: NamedMetric, margins: Margins, counts: Counts, shares: Floats) -> Floats:
    """The part of a score that the gold items of each class share, shape (C,), which sum to 1.

    Of a score of all items alike a class has its share of them; of an average over classes all classes the same; of one
    class's own score that class has all.
    """
    if named.parts:
        parts = (gold_masses(part, margins, counts, shares) for part in named.parts)
        together = sum(weight * part for weight, part in zip(named.weights, parts, strict=True))
        return np.asarray(together / sum(named.weights))
    if named.metric.takes == "class" and not named.gradient(margins).total.any():
        only = (np.arange(len(counts)) == named.code) & (counts > 0)
        return np.asarray(only / max(1, int(only.sum())))
    return masses_of(named, counts, shares)


def class_parts(named: NamedMetric, margins: Margins) -> Floats | None:
    """The part of each class in a score that is made of class scores, shape (T, C); None for a score that is not."""
    metric, seen = named.metric, named.margins(margins)
    if metric.takes == "class":
        only = np.arange(margins.correct.shape[-1]) == named.code
        return np.where(only, np.nan_to_num(named.score(margins))[:, None], 0.0)
    if metric.harmonic_mean_of:
        one, other = (METRICS[slug] for slug in metric.harmonic_mean_of)
        means = [each.kernel(seen) for each in (one, other)]
        slopes = [2 * ratio(mean, means[0] + means[1])[:, None] ** 2 for mean in means[::-1]]
        return np.asarray(slopes[0] * _terms(one, seen) + slopes[1] * _terms(other, seen))
    return _terms(metric, seen) if metric.mean_of or metric.weighted_mean_of else None


def _terms(metric: Metric, margins: Margins) -> Floats:
    """The terms of a mean of class scores, each divided by how many there are or weighted by its items, (T, C)."""
    own = np.nan_to_num(METRICS[metric.mean_of or metric.weighted_mean_of].kernel(margins))
    weights = margins.averaged * (1.0 if metric.mean_of else margins.prevalence)
    return np.asarray(own * ratio(weights, over_classes(weights)[:, None]))


@dataclass(frozen=True, eq=False)
class Shared:
    """The confusions of T teams, whose scores are shared out among the items."""

    cells: Cells
    margins: Margins  # their margins, the gold rows multiplied by the scale
    scale: Floats | None  # (T, C): factors of the gold rows; None at observed prevalence
    counts: Counts  # (C,): gold items of each class
    shares: Floats  # (C,): the mass of each class
    stratified: bool = False  # whether class counts are fixed by design

    def by_influence(self, named: NamedMetric) -> Influence:
        """Influence, and each item's share of the score: the first way."""
        slopes = influence(named.gradient(self.margins), self.cells, self.scale, stratified=self.stratified)
        return replace(slopes, row=slopes.row + self._by_item(named, self._values(named)))

    def by_class(self, named: NamedMetric) -> Influence:
        """The second way; of a score of single cells that has none the first."""
        if not named.parts:
            return self._of_one(named)
        shares = [weight / sum(named.weights) for weight in named.weights]
        return _weighted([self._of_one(part) for part in named.parts], shares)

    def _of_one(self, named: NamedMetric) -> Influence:
        gradient, margins = named.gradient(self.margins), self.margins
        if gradient.cells is not None:
            return self._of_cells(named)
        of_answers = gradient.correct * margins.correct + gradient.bias * margins.bias
        parts = class_parts(named, margins)
        left = np.zeros(of_answers.shape) if parts is None else np.where(self.counts > 0, parts - of_answers, 0.0)
        rest = self._values(named) - over_classes(of_answers + left) - gradient.unanswered * margins.unanswered
        return self._with_row(ratio(left, self.counts) + self._by_item(named, rest), gradient)

    def _of_cells(self, named: NamedMetric) -> Influence:
        """By what answers add while gold stays as it is, where the metric says so, and an equal share of the rest."""
        if named.metric.in_answers is None or self.scale is not None:
            return self.by_influence(named)
        slopes = named.metric.in_answers(named.margins(self.margins))
        of_answers = over_classes(over_classes(slopes * self.cells.dense()))
        return self._with_row(self._by_item(named, self._values(named) - of_answers), Gradient.of_cells(slopes))

    def _with_row(self, row: Floats, gradient: Gradient) -> Influence:
        factor = np.ones(self.margins.correct.shape) if self.scale is None else self.scale
        column = np.concatenate([gradient.bias, gradient.unanswered[:, None]], axis=-1)
        return Influence(row, factor, column, factor * gradient.correct, gradient.cells)

    def _values(self, named: NamedMetric) -> Floats:
        return np.nan_to_num(named.score(self.margins))

    def _by_item(self, named: NamedMetric, values: Floats) -> Floats:
        """What one gold item of each class has of a value of its team, shape (T, C)."""
        masses = gold_masses(named, self.margins, self.counts, self.shares)
        return np.asarray(values[:, None] * ratio(masses, self.counts))


def _weighted(parts: Sequence[Influence], weights: Sequence[float]) -> Influence:
    """The sum of values by cell, each times a weight; all have the same scale of the gold rows."""

    def summed(name: str) -> Floats:
        terms = (weight * getattr(part, name) for weight, part in zip(weights, parts, strict=True))
        return np.asarray(reduce(np.add, terms))

    of_cells = [(part.cells, weight) for part, weight in zip(parts, weights, strict=True) if part.cells is not None]
    cells = reduce(np.add, [weight * values for values, weight in of_cells]) if of_cells else None
    return Influence(summed("row"), parts[0].scale, summed("column"), summed("diagonal"), cells)
