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
        answers = np.concatenate([self.bias, self.unanswered[..., None]], axis=-1)
        slopes = (self.prevalence + self.total[..., None])[..., :, None] + answers[..., None, :]
        slopes = slopes + np.eye(*slopes.shape[-2:]) * self.correct[..., None]
        return np.asarray(slopes if self.cells is None else slopes + self.cells)

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
            beside = [np.asarray(weight)[(..., *[None] * n_axes)] for weight in weights]
            both = zip(beside, (getattr(part, name) for part in parts), strict=True)
            terms = [weight * slopes for weight, slopes in both if slopes is not None]
            return np.asarray(sum(terms[1:], start=terms[0]))

        correct, bias, prevalence = (summed(name, 1) for name in ("correct", "bias", "prevalence"))
        if all(part.cells is None for part in parts):
            cells = None
        else:
            cells = summed("cells", 2)
        return cls(correct, bias, prevalence, summed("unanswered"), summed("total"), cells)

    def times(self, factor: Floats) -> "Gradient":
        """The gradient of the score times a number for each confusion, shape (...)."""
        return Gradient.weighted([self], [factor])

    def by_class(self, weights: Floats | Bools) -> "Gradient":
        """The gradients of the classes' own scores, each times a number of its class, shape (..., C)."""
        return replace(
            self,
            correct=weights * self.correct,
            bias=weights * self.bias,
            prevalence=weights * self.prevalence,
            total=weights * self.total,
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
    shape = np.broadcast_shapes(margins.correct.shape, margins.prevalence.shape)
    in_correct, in_bias, in_prevalence = (
        np.broadcast_to(part, shape) for part in (correct, bias, prevalence)
    )
    in_total = np.broadcast_to(total, shape if np.ndim(total) == len(shape) else shape[:-1])
    return Gradient(
        in_correct, in_bias, in_prevalence, np.broadcast_to(unanswered, shape[:-1]), in_total
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
    slopes = {
        name: ratio(change, below) for name, change in _changes(score, score.terms(margins)).items()
    }
    # of which the total is the sum, with the class
    others = slopes.pop("others", np.zeros(margins.correct.shape))
    slopes["prevalence"] = slopes.get("prevalence", 0.0) - others
    gradient = _gradient(margins, **slopes, total=others)
    if margins.undefined is Undefined.ZERO:
        return gradient
    return gradient.by_class(score.is_defined(margins))


def _changes(score: Quotient, value: Floats) -> dict[str, Floats | float]:
    """By margin: what one item more adds to the upper sum of a quotient, less what it takes by the lower one."""
    names = {**score.above, **score.below}
    return {name: score.above.get(name, 0) - value * score.below.get(name, 0) for name in names}


def _informedness(margins: Margins) -> Gradient:
    """t/n - (b - t)/(N - n); 0 where one of both is undefined, as the term is."""
    both = [own(score)(margins) for score in (kernels.RECALL, kernels.SPECIFICITY)]
    return Gradient.weighted(both, (1.0, 1.0)).by_class(kernels.INFORMEDNESS.is_defined(margins))


def mean_of(score: ClassScore) -> Slopes:
    """The derivatives of a mean over classes; dropped classes have 0."""

    def slopes(margins: Margins) -> Gradient:
        of_class = own(score)(margins)
        if margins.undefined is Undefined.DROPPED:
            margins = replace(margins, averaged=margins.averaged & score.is_defined(margins))
        terms = of_class.by_class(_share(margins))
        return replace(terms, total=over_classes(terms.total))

    return slopes


def sum_of(score: Quotient) -> Slopes:
    """The derivatives of a class score of all items of the averaged classes together."""

    def slopes(margins: Margins) -> Gradient:
        # no slope where it is undefined
        value = np.nan_to_num(kernels.sum_of(score)(margins))[..., None]
        below = over_classes(score.counts(margins)[1], margins.averaged)[..., None]
        each = ratio(margins.averaged, below)
        changes = _changes(score, value)
        return _gradient(margins, **{name: change * each for name, change in changes.items()})

    return slopes


def weighted(score: Quotient) -> Slopes:
    """Σ n · s / Σ n over the averaged classes, s being a class's score; with all of them Σ n is N."""

    def slopes(margins: Margins) -> Gradient:
        weights, total = kernels.weights_of_averaged(margins)
        each = ratio(1.0, total)
        terms = own(score)(margins).by_class(weights * each[..., None])
        value = np.nan_to_num(kernels.weighted(score)(margins)) * each
        left_out = (margins.prevalence > 0) & ~np.asarray(margins.averaged, dtype=bool)
        by_items = np.where(margins.averaged, score.terms(margins) * each[..., None], 0.0)
        in_prevalence = terms.prevalence + by_items + np.where(left_out, value[..., None], 0.0)
        return replace(terms, prevalence=in_prevalence, total=-value)

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
        powers = power(relative, exponent - 1)
        in_recall = _share(margins) * np.where((exponent < 0) & (score == 0), np.nan, powers)
        of_class = own(kernels.RECALL)(margins)
        return _gradient(
            margins, in_recall * of_class.correct, prevalence=in_recall * of_class.prevalence
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
    """2PR/(P + R) of the means P of the precisions and R of the recalls."""
    means = kernels.macro_precision(margins), kernels.macro_recall(margins)
    in_precision, in_recall = (2 * ratio(mean, means[0] + means[1]) ** 2 for mean in means[::-1])
    precision = mean_of(kernels.PRECISION)(margins)
    recall = mean_of(kernels.RECALL)(margins)
    return Gradient.weighted((precision, recall), (in_precision, in_recall))


# Agreement beyond chance


def kappa(margins: Margins) -> Gradient:
    """(N Σt − e)/(N² − e) with e = Σ n b; in floats, since the fourth power of 65,000 items is no 64-bit integer."""
    total = margins.total * 1.0
    correct = over_classes(margins.correct) * 1.0
    chance = over_classes(margins.prevalence * margins.bias) * 1.0
    beyond_chance = total * total - chance
    in_correct = ratio(total, beyond_chance)
    in_chance = ratio(total * correct - total * total, beyond_chance * beyond_chance)
    return _gradient(
        margins,
        in_correct[..., None],
        bias=in_chance[..., None] * margins.prevalence,
        prevalence=in_chance[..., None] * margins.bias,
        total=ratio(correct, beyond_chance)
        - ratio((total * correct - chance) * 2 * total, beyond_chance * beyond_chance),
    )


def mcc(margins: Margins) -> Gradient:
    """(N Σt − e)/√(p q), p = N² − Σ b² − u², q = N² − Σ n²; 0 where one of both is, as the score is by construction."""
    total = margins.total
    square = margins.total * margins.total
    predicted = (
        square - over_classes(margins.bias * margins.bias) - margins.unanswered * margins.unanswered
    )
    gold = square - over_classes(margins.prevalence * margins.prevalence)
    moving = ~(kernels.constant_gold(margins) | kernels.constant_predictions(margins))
    spread = np.where(moving, np.sqrt(np.maximum(predicted, 0)) * np.sqrt(np.maximum(gold, 0)), 0.0)
    score = np.where(moving, kernels.mcc(margins), 0.0)
    each = ratio(1.0, spread)
    in_predicted, in_gold = (
        -0.5 * np.where(moving, ratio(score, side), 0.0) for side in (predicted, gold)
    )
    return _gradient(
        margins,
        (total * each)[..., None],
        bias=-each[..., None] * margins.prevalence - 2 * in_predicted[..., None] * margins.bias,
        prevalence=-each[..., None] * margins.bias - 2 * in_gold[..., None] * margins.prevalence,
        unanswered=-2 * in_predicted * margins.unanswered,
        total=over_classes(margins.correct) * each + 2 * total * (in_predicted + in_gold),
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
