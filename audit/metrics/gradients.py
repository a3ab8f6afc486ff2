"""The gradient of every metric in the margins it is a function of, and in the cells where it looks at these.

One more item of gold class g, predicted as p, adds to the prevalence of g, to the bias of p (or to the unanswered
items), to what is correct where the two are the same, and to the total. So five partial derivatives say what any item
adds to a score; :mod:`audit.metrics.scoring` puts them together. Terms that a denominator of 0 makes 0 stay
0: a class that is never predicted has no slope in its bias.

Symbols: t correct, b bias, n prevalence, u unanswered, N total, k averaged classes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np

from audit.domain import Undefined
from audit.domain.arrays import Bools, Floats
from audit.metrics import kernels
from audit.metrics.confusion import Margins, over_classes, ratio
from audit.metrics.elementary import power
from audit.metrics.kernels import ClassScore, Quotient


@dataclass(frozen=True, eq=False)
class Gradient:
    """Partial derivatives of a score in its margins and cells, each held apart from the others.

    Of a class-wise metric the entry of a class is the derivative of that class's own score; see :meth:`of_class`.
    """

    correct: Floats
    """(..., C): derivatives in the counts of each class. Classes outside the averaging set have 0."""
    bias: Floats  # (..., C)
    prevalence: Floats  # (..., C)
    unanswered: Floats  # (...): in the unanswered items, and in all items
    total: Floats  # (...); of a class-wise metric (..., C)
    cells: Floats | None = None  # (..., C, C + 1): derivatives in single cells

    @classmethod
    def of_cells(cls, slopes: Floats) -> Self:
        """The gradient of a score of single cells, from its derivatives in them."""
        by_class = np.zeros(slopes.shape[:-1])
        single = np.zeros(slopes.shape[:-2])
        return cls(by_class, by_class, by_class, single, single, slopes)

    @property
    def by_cell(self) -> Floats:
        """The derivative in each cell, shape (..., C, C + 1)."""
        of_gold = self.prevalence + self.total[..., None]
        of_answers = np.concatenate([self.bias, self.unanswered[..., None]], axis=-1)
        slopes = of_gold[..., :, None] + of_answers[..., None, :]
        slopes = slopes + np.eye(*slopes.shape[-2:]) * self.correct[..., None]
        if self.cells is not None:
            slopes = slopes + self.cells
        return np.asarray(slopes)

    def of_class(self, code: int) -> "Gradient":
        """The gradient of one class's own score: the derivatives in the counts of all other classes are 0."""
        only = np.arange(self.correct.shape[-1]) == code
        return replace(
            self,
            correct=np.where(only, self.correct, 0.0),
            bias=np.where(only, self.bias, 0.0),
            prevalence=np.where(only, self.prevalence, 0.0),
            total=self.total[..., code],
        )

    @classmethod
    def weighted(cls, parts: "Sequence[Gradient]", weights: Sequence[Floats | float]) -> Self:
        """The gradient of a sum of scores of whole submissions, each times a number, or one of each confusion."""

        def summed(name: str, n_axes: int = 0) -> Floats:
            """Σ w · slopes over the parts that have them; a weight is of all n last axes alike."""
            terms = []
            for part, weight in zip(parts, weights, strict=True):
                slopes = getattr(part, name)
                if slopes is not None:
                    terms.append(np.asarray(weight)[(..., *[None] * n_axes)] * slopes)
            return np.asarray(sum(terms[1:], start=terms[0]))

        cells = None
        if any(part.cells is not None for part in parts):
            cells = summed("cells", 2)
        return cls(
            summed("correct", 1),
            summed("bias", 1),
            summed("prevalence", 1),
            summed("unanswered"),
            summed("total"),
            cells,
        )

    def times(self, factor: Floats) -> "Gradient":
        """The gradient of the score times a number for each confusion, shape (...)."""
        return Gradient.weighted([self], [factor])

    def scaled_by_class(self, factors: Floats | Bools) -> "Gradient":
        """The gradient with the slopes of each class times a factor of that class, factors of shape (..., C)."""
        return replace(
            self,
            correct=factors * self.correct,
            bias=factors * self.bias,
            prevalence=factors * self.prevalence,
            total=factors * self.total,
        )


Slopes = Callable[[Margins], Gradient]


def _gradient(  # noqa: PLR0913 - one for each margin
    margins: Margins,
    correct: Floats | float,
    *,
    bias: Floats | float = 0.0,
    prevalence: Floats | float = 0.0,
    unanswered: Floats | float = 0.0,
    total: Floats | float = 0.0,
) -> Gradient:
    """A gradient with everything at full shape."""
    of_classes = np.broadcast_shapes(margins.correct.shape, margins.prevalence.shape)
    of_confusions = of_classes[:-1]
    of_total = of_confusions
    if np.ndim(total) == len(of_classes):  # that of a class-wise metric
        of_total = of_classes
    return Gradient(
        np.broadcast_to(correct, of_classes),
        np.broadcast_to(bias, of_classes),
        np.broadcast_to(prevalence, of_classes),
        np.broadcast_to(unanswered, of_confusions),
        np.broadcast_to(total, of_total),
    )


def undefined(margins: Margins) -> Gradient:
    """The gradient of a score that no confusion has by itself: NaN everywhere."""
    by_class = np.full(margins.correct.shape, np.nan)
    single = np.full(margins.total.shape, np.nan)
    return Gradient(by_class, by_class, by_class, single, single)


def _share(margins: Margins) -> Floats:
    """The weight of each class in an average: 1/k, and 0 outside the averaging set."""
    return ratio(margins.averaged, np.asarray(margins.n_averaged)[..., None])


# Class scores, and sums and means of them


def own(score: ClassScore) -> Slopes:
    """The derivatives of each class's score in its own counts; of the averaged classes and of any other."""
    if isinstance(score, Quotient):
        return partial(_own, score)
    return _informedness


def _own(score: Quotient, margins: Margins) -> Gradient:
    """Of a quotient s = x/y: (dx − s dy)/y; 0 where it is undefined and counts as a number."""
    _, below = score.counts(margins)
    slopes = {}
    for name, change in _changes(score, score.terms(margins)).items():
        slopes[name] = ratio(change, below)
    # of which the total is the sum, with the class
    others = slopes.pop("others", np.zeros(margins.correct.shape))
    slopes["prevalence"] = slopes.get("prevalence", 0.0) - others
    gradient = _gradient(margins, **slopes, total=others)
    if margins.undefined is Undefined.ZERO:
        return gradient
    return gradient.scaled_by_class(score.is_defined(margins))


def _changes(score: Quotient, value: Floats) -> dict[str, Floats | float]:
    """By margin: what one item more adds to the upper sum of a quotient, less what it takes by the lower one."""
    names = {**score.above, **score.below}
    return {name: score.above.get(name, 0) - value * score.below.get(name, 0) for name in names}


def _informedness(margins: Margins) -> Gradient:
    """t/n - (b - t)/(N - n); 0 where one of both is undefined, as the term is."""
    both = [own(score)(margins) for score in (kernels.RECALL, kernels.SPECIFICITY)]
    return Gradient.weighted(both, (1.0, 1.0)).scaled_by_class(
        kernels.INFORMEDNESS.is_defined(margins)
    )


def mean_of(score: ClassScore) -> Slopes:
    """The derivatives of a mean over classes; dropped classes have 0."""

    def slopes(margins: Margins) -> Gradient:
        of_class = own(score)(margins)
        if margins.undefined is Undefined.DROPPED:
            margins = replace(margins, averaged=margins.averaged & score.is_defined(margins))
        terms = of_class.scaled_by_class(_share(margins))
        return replace(terms, total=over_classes(terms.total))

    return slopes


def sum_of(score: Quotient) -> Slopes:
    """The derivatives of a class score of all items of the averaged classes together."""

    def slopes(margins: Margins) -> Gradient:
        # no slope where it is undefined
        value = np.nan_to_num(kernels.sum_of(score)(margins))[..., None]
        _, below = score.counts(margins)
        one_over_below = ratio(margins.averaged, over_classes(below, margins.averaged)[..., None])
        changes = _changes(score, value)
        return _gradient(
            margins, **{name: change * one_over_below for name, change in changes.items()}
        )

    return slopes


def weighted(score: Quotient) -> Slopes:
    """Σ n · s / Σ n over the averaged classes, s being a class's score; with all of them Σ n is N."""

    def slopes(margins: Margins) -> Gradient:
        weights, total = kernels.weights_of_averaged(margins)
        one_over_total = ratio(1.0, total)
        mean = np.nan_to_num(kernels.weighted(score)(margins)) * one_over_total
        of_scores = own(score)(margins).scaled_by_class(weights * one_over_total[..., None])
        of_weights = np.where(
            margins.averaged, score.terms(margins) * one_over_total[..., None], 0.0
        )
        # items of a class that is left out are in N, but not in Σ n
        is_left_out = (margins.prevalence > 0) & ~np.asarray(margins.averaged, dtype=bool)
        of_left_out = np.where(is_left_out, mean[..., None], 0.0)
        in_prevalence = of_scores.prevalence + of_weights + of_left_out
        return replace(of_scores, prevalence=in_prevalence, total=-mean)

    return slopes


# Of all classes


def accuracy(margins: Margins) -> Gradient:
    """Σt/N."""
    each = ratio(1.0, margins.total)
    return _gradient(margins, each[..., None], total=-kernels.accuracy(margins) * each)


def c_at_1(margins: Margins) -> Gradient:
    """Σt/N · (1 + u/N)."""
    each = ratio(1.0, margins.total)
    left_out = ratio(margins.unanswered, margins.total)
    right = kernels.accuracy(margins)
    in_correct = (1 + left_out) * each
    in_total = -right * (1 + 2 * left_out) * each
    return _gradient(margins, in_correct[..., None], unanswered=right * each, total=in_total)


def power_macro_recall(exponent: float) -> Slopes:
    """(Σ (t/n)^p / k)^(1/p): the slope in a recall R is (R/score)^(p - 1)/k.

    NaN where a recall is 0 and the exponent negative, as no slope leads away from there. For other exponents below 1
    the slope in that recall is infinite, and left out: only a first right answer moves it, and there is none.
    """

    def slopes(margins: Margins) -> Gradient:
        score = kernels.power_macro_recall(exponent)(margins)[..., None]
        recall = kernels.RECALL.terms(margins)
        relative = np.where(score > 0, ratio(recall, score), 0.0)
        has_no_slope = (exponent < 0) & (score == 0)
        powers = np.where(has_no_slope, np.nan, power(relative, exponent - 1))
        in_recall = _share(margins) * powers
        of_recall = own(kernels.RECALL)(margins)
        return _gradient(
            margins,
            in_recall * of_recall.correct,
            prevalence=in_recall * of_recall.prevalence,
        )

    return slopes


def geometric_macro_recall(margins: Margins) -> Gradient:
    """The exponential of the mean of log t/n; NaN where a recall is 0, as no slope leads away from there."""
    score = _off_zero(kernels.geometric_macro_recall(margins))[..., None] * _share(margins)
    return _gradient(
        margins,
        score * ratio(1.0, margins.correct),
        prevalence=-score * ratio(1.0, margins.prevalence),
    )


def harmonic_macro_recall(margins: Margins) -> Gradient:
    """The quotient k / Σ n/t; NaN where a recall is 0, as no slope leads away from there."""
    score = _off_zero(kernels.harmonic_macro_recall(margins))[..., None]
    slope = score * score * _share(margins) * ratio(1.0, margins.correct)
    return _gradient(margins, slope * ratio(margins.prevalence, margins.correct), prevalence=-slope)


def _off_zero(score: Floats) -> Floats:
    return np.where(score > 0, score, np.nan)


def f1_of_averages(margins: Margins) -> Gradient:
    """2PR/(P + R) of the means P of the precisions and R of the recalls: slopes 2(R/(P + R))² and 2(P/(P + R))²."""
    precision = kernels.macro_precision(margins)
    recall = kernels.macro_recall(margins)
    in_precision = 2 * ratio(recall, precision + recall) ** 2
    in_recall = 2 * ratio(precision, precision + recall) ** 2
    gradients = (mean_of(kernels.PRECISION)(margins), mean_of(kernels.RECALL)(margins))
    return Gradient.weighted(gradients, (in_precision, in_recall))


# Agreement beyond chance


def kappa(margins: Margins) -> Gradient:
    """(N Σt − e)/(N² − e) with e = Σ n b; in floats, since the fourth power of 65,000 items is no 64-bit integer."""
    total = margins.total * 1.0
    correct = over_classes(margins.correct) * 1.0
    chance = over_classes(margins.prevalence * margins.bias) * 1.0
    most_beyond = total * total - chance  # N² − e
    in_correct = ratio(total, most_beyond)
    in_chance = ratio(total * correct - total * total, most_beyond * most_beyond)
    of_square = ratio((total * correct - chance) * 2 * total, most_beyond * most_beyond)
    return _gradient(
        margins,
        in_correct[..., None],
        bias=in_chance[..., None] * margins.prevalence,
        prevalence=in_chance[..., None] * margins.bias,
        total=ratio(correct, most_beyond) - of_square,
    )


def mcc(margins: Margins) -> Gradient:
    """(N Σt − e)/√(p q), p = N² − Σ b² − u², q = N² − Σ n²; 0 where one of both is, as the score is by construction.

    With s the score: ds/de = −1/√(pq), ds/dp = −s/(2p), ds/dq = −s/(2q).
    """
    total = margins.total
    square = margins.total * margins.total
    of_answers = (  # p
        square - over_classes(margins.bias * margins.bias) - margins.unanswered * margins.unanswered
    )
    of_gold = square - over_classes(margins.prevalence * margins.prevalence)  # q
    varies = ~(kernels.constant_gold(margins) | kernels.constant_predictions(margins))
    spread = np.sqrt(np.maximum(of_answers, 0)) * np.sqrt(np.maximum(of_gold, 0))
    score = np.where(varies, kernels.mcc(margins), 0.0)
    in_chance = -ratio(1.0, np.where(varies, spread, 0.0))
    in_p = -0.5 * np.where(varies, ratio(score, of_answers), 0.0)
    in_q = -0.5 * np.where(varies, ratio(score, of_gold), 0.0)
    return _gradient(
        margins,
        (total * -in_chance)[..., None],
        bias=in_chance[..., None] * margins.prevalence - 2 * in_p[..., None] * margins.bias,
        prevalence=in_chance[..., None] * margins.bias - 2 * in_q[..., None] * margins.prevalence,
        unanswered=-2 * in_p * margins.unanswered,
        total=over_classes(margins.correct) * -in_chance + 2 * total * (in_p + in_q),
    )


# Of the answered items alone


def slopes_of_answered(gradient: Slopes) -> Slopes:
    """The derivatives of a score of the answered items: one unanswered item more adds nothing."""

    def slopes(margins: Margins) -> Gradient:
        cells = gradient(kernels.answered_margins(margins)).by_cell
        cells[..., -1] = 0.0
        return Gradient.of_cells(cells)

    return slopes


def coverage(margins: Margins) -> Gradient:
    """1 - u/N."""
    each = 1 / margins.total
    return _gradient(margins, 0.0, unanswered=-each, total=margins.unanswered * each * each)


def answered_accuracy(margins: Margins) -> Gradient:
    """Σt/(N - u)."""
    n_answered = margins.total - margins.unanswered
    is_some = kernels.some_answered(margins)
    each = np.divide(1.0, n_answered, out=np.zeros(np.shape(n_answered)), where=is_some)
    share = np.nan_to_num(kernels.answered_accuracy(margins)) * each
    return _gradient(margins, each[..., None], unanswered=share, total=-share)
