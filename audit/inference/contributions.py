"""What each item adds to a score of labels, in two ways that both sum to the score: comparisons of groups ask for them.

The first is the item's influence and its share of the score. The second keeps gold's part of every class apart: right
answers and answers count by their slopes, and what is left of a class's part of the score is shared by its gold items.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.domain import Cells
from audit.domain.arrays import Counts, Floats
from audit.inference.items import masses_of
from audit.metrics import METRICS, Gradient, Influence, Margins, Metric, NamedMetric, influence
from audit.metrics.confusion import over_classes, ratio, weighted_sum


def gold_masses(named: NamedMetric, margins: Margins, counts: Counts, shares: Floats) -> Floats:
    """The part of a score that the gold items of each class share, shape (C,), which sum to 1.

    Of a score of all items alike a class has its share of them; of an average over classes all classes the same; of one
    class's own score that class has all.
    """
    if named.parts:
        masses = [gold_masses(part, margins, counts, shares) for part in named.parts]
        return weighted_sum(masses, named.weights) / sum(named.weights)
    if named.metric.takes == "class" and not named.gradient(margins).total.any():
        is_own = (np.arange(len(counts)) == named.code) & (counts > 0)
        return np.asarray(is_own / max(1, int(is_own.sum())))
    return masses_of(named, counts, shares)


def class_parts(named: NamedMetric, margins: Margins) -> Floats | None:
    """The part of each class in a score that is made of class scores, shape (T, C); None for others.

    Of a harmonic mean y = 2PR/(P + R) the parts are dy/dP · (terms of P) + dy/dR · (terms of R), where
    dy/dP = 2 (R/(P + R))².
    """
    metric = named.metric
    averaged = named.margins(margins)
    if metric.takes == "class":
        is_own = np.arange(margins.correct.shape[-1]) == named.code
        values = np.nan_to_num(named.score(margins))
        return np.where(is_own, values[:, None], 0.0)
    if metric.harmonic_mean_of:
        precision, recall = (METRICS[slug] for slug in metric.harmonic_mean_of)
        p = precision.kernel(averaged)
        r = recall.kernel(averaged)
        by_precision = 2 * ratio(r, p + r)[:, None] ** 2
        by_recall = 2 * ratio(p, p + r)[:, None] ** 2
        return by_precision * _terms(precision, averaged) + by_recall * _terms(recall, averaged)
    if metric.mean_of or metric.weighted_mean_of:
        return _terms(metric, averaged)
    return None


def _terms(metric: Metric, margins: Margins) -> Floats:
    """The terms of a mean of class scores, shape (T, C).

    Each is divided by how many there are, or weighted by its items.
    """
    class_scores = np.nan_to_num(METRICS[metric.mean_of or metric.weighted_mean_of].kernel(margins))
    weights = margins.averaged * 1.0
    if not metric.mean_of:
        weights = margins.averaged * margins.prevalence
    return class_scores * ratio(weights, over_classes(weights)[:, None])


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
        slopes = influence(
            named.gradient(self.margins), self.cells, self.scale, stratified=self.stratified
        )
        return replace(slopes, row=slopes.row + self._by_item(named, self._values(named)))

    def by_class(self, named: NamedMetric) -> Influence:
        """The second way; of a score of single cells that has none the first."""
        if not named.parts:
            return self._of_one(named)
        shares = [weight / sum(named.weights) for weight in named.weights]
        return _weighted([self._of_one(part) for part in named.parts], shares)

    def _of_one(self, named: NamedMetric) -> Influence:
        margins = self.margins
        gradient = named.gradient(margins)
        if gradient.cells is not None:
            return self._of_cells(named)
        of_answers = gradient.correct * margins.correct + gradient.bias * margins.bias
        of_gold = np.zeros(of_answers.shape)  # what is left of a class's part, for its gold items
        parts = class_parts(named, margins)
        if parts is not None:
            of_gold = np.where(self.counts > 0, parts - of_answers, 0.0)
        of_unanswered = gradient.unanswered * margins.unanswered
        rest = self._values(named) - over_classes(of_answers + of_gold) - of_unanswered
        row = ratio(of_gold, self.counts) + self._by_item(named, rest)
        return self._with_row(row, gradient)

    def _of_cells(self, named: NamedMetric) -> Influence:
        """By what answers add while gold stays as it is, where the metric says so, and an equal share of the rest."""
        if named.metric.in_answers is None or self.scale is not None:
            return self.by_influence(named)
        slopes = named.metric.in_answers(named.margins(self.margins))
        of_answers = over_classes(over_classes(slopes * self.cells.dense()))
        rest = self._values(named) - of_answers
        return self._with_row(self._by_item(named, rest), Gradient.of_cells(slopes))

    def _with_row(self, row: Floats, gradient: Gradient) -> Influence:
        factor = self.scale
        if factor is None:
            factor = np.ones(self.margins.correct.shape)
        column = np.concatenate([gradient.bias, gradient.unanswered[:, None]], axis=-1)
        return Influence(row, factor, column, factor * gradient.correct, gradient.cells)

    def _values(self, named: NamedMetric) -> Floats:
        return np.nan_to_num(named.score(self.margins))

    def _by_item(self, named: NamedMetric, values: Floats) -> Floats:
        """What one gold item of each class has of a value of its team, shape (T, C)."""
        masses = gold_masses(named, self.margins, self.counts, self.shares)
        return values[:, None] * ratio(masses, self.counts)


def _weighted(parts: Sequence[Influence], weights: Sequence[float]) -> Influence:
    """The weighted sum of values by cell; all have the same scale of the gold rows."""
    row = weighted_sum([part.row for part in parts], weights)
    column = weighted_sum([part.column for part in parts], weights)
    diagonal = weighted_sum([part.diagonal for part in parts], weights)
    of_cells = []
    weights_of_cells = []
    for part, weight in zip(parts, weights, strict=True):
        if part.cells is not None:
            of_cells.append(part.cells)
            weights_of_cells.append(weight)
    cells = None
    if of_cells:
        cells = weighted_sum(of_cells, weights_of_cells)
    return Influence(row, parts[0].scale, column, diagonal, cells)
