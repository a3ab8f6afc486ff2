"""The gradient of every metric in the margins it is a function of, and in the cells where it looks at these.

One more item of gold class g, predicted as p, adds to the prevalence of g, to the bias of p (or to the unanswered
items), to what is correct where the two are the same, and to the total. So five partial derivatives say what any item
adds to a score; :mod:`audit.metrics.influence_functions` puts them together. Terms that a denominator of 0 makes 0 stay
0: a class that is never predicted has no slope in its bias.

Symbols: t correct, b bias, n prevalence, u unanswered, N total, k averaged classes.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from audit.metrics import kernels
from audit.metrics.confusion import Counts, Floats, Margins, over_classes


@dataclass(frozen=True, eq=False)
class Gradient:
    """Partial derivatives of a score in its margins and cells, each held apart from the others.

    Of a class-wise metric the entry of a class is the derivative of that class's own score; see :meth:`of_class`.

    Parameters
    ----------
    correct, bias, prevalence : ndarray, shape (..., C)
        In the counts of each class. Classes outside the averaging set have 0.
    unanswered, total : ndarray, shape (...)
        In the unanswered items, and in all items.
    cells : ndarray, shape (..., C, C + 1), optional
        In single cells; None for a metric of margins alone, as every class-wise one is.
    """

    correct: Floats
    bias: Floats
    prevalence: Floats
    unanswered: Floats
    total: Floats
    cells: Floats | None = None

    @classmethod
    def of_cells(cls, slopes: Floats) -> Self:
        """Of a score that looks at single cells and at nothing else, from its derivatives in them.

        Parameters
        ----------
        slopes : ndarray, shape (..., C, C + 1)
            What one item more in a cell adds to the score.
        """
        by_class, single = np.zeros(slopes.shape[:-1]), np.zeros(slopes.shape[:-2])
        return cls(by_class, by_class, by_class, single, single, slopes)

    def of_class(self, code: int) -> "Gradient":
        """Of one class's own score: the derivatives in the counts of all other classes are 0."""
        only = np.arange(self.correct.shape[-1]) == code
        return replace(
            self,
            correct=np.where(only, self.correct, 0.0),
            bias=np.where(only, self.bias, 0.0),
            prevalence=np.where(only, self.prevalence, 0.0),
        )

    def minus(self, other: "Gradient") -> "Gradient":
        """Of a difference of two scores of margins alone."""
        return Gradient(
            self.correct - other.correct,
            self.bias - other.bias,
            self.prevalence - other.prevalence,
            self.unanswered - other.unanswered,
            self.total - other.total,
        )


def _gradient(  # noqa: PLR0913 - one for each margin
    margins: Margins,
    correct: Floats,
    *,
    bias: Floats | float = 0.0,
    prevalence: Floats | float = 0.0,
    unanswered: Floats | float = 0.0,
    total: Floats | float = 0.0,
) -> Gradient:
    """A gradient with everything at full shape."""
    shape = np.broadcast_shapes(margins.correct.shape, margins.prevalence.shape)
    by_class = (np.broadcast_to(part, shape) for part in (correct, bias, prevalence))
    return Gradient(*by_class, *(np.broadcast_to(part, shape[:-1]) for part in (unanswered, total)))


def _over(numerator: Counts | float, denominator: Counts) -> Floats:
    """Quotient, 0 where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), denominator.shape)
    return np.divide(numerator, denominator, out=np.zeros(shape), where=denominator > 0)


def _share(margins: Margins) -> Floats:
    """What each class counts in an average: 1/k, and 0 outside the averaging set."""
    return _over(margins.averaged, np.asarray(margins.n_averaged)[..., None])


# Class scores, each in its own counts


def class_recall(margins: Margins) -> Gradient:
    """R = t/n."""
    recall = kernels.recall_terms(margins)
    return _gradient(margins, _over(1.0, margins.prevalence), prevalence=-_over(recall, margins.prevalence))


def class_precision(margins: Margins) -> Gradient:
    """P = t/b."""
    precision = kernels.precision_terms(margins)
    return _gradient(margins, _over(1.0, margins.bias), bias=-_over(precision, margins.bias))


def class_f1(margins: Margins) -> Gradient:
    """F1 = 2t/(b + n)."""
    size = margins.bias + margins.prevalence
    slope = -_over(kernels.f1_terms(margins), size)
    return _gradient(margins, _over(2.0, size), bias=slope, prevalence=slope)


# Averages over classes


def _mean(of_class: Gradient, margins: Margins) -> Gradient:
    """Of a mean over classes from the gradients of its terms."""
    share = _share(margins)
    return _gradient(
        margins, share * of_class.correct, bias=share * of_class.bias, prevalence=share * of_class.prevalence
    )


def accuracy(margins: Margins) -> Gradient:
    """Σt/N."""
    each = _over(1.0, margins.total)
    return _gradient(margins, each[..., None], total=-kernels.accuracy(margins) * each)


def macro_recall(margins: Margins) -> Gradient:
    """Mean of t/n."""
    return _mean(class_recall(margins), margins)


def macro_precision(margins: Margins) -> Gradient:
    """Mean of t/b."""
    return _mean(class_precision(margins), margins)


def averaged_f1(margins: Margins) -> Gradient:
    """Mean of 2t/(b + n)."""
    return _mean(class_f1(margins), margins)


def geometric_macro_recall(margins: Margins) -> Gradient:
    """The exponential of the mean of log t/n; NaN where a recall is 0, as no slope leads away from there."""
    score = _off_zero(kernels.geometric_macro_recall(margins))[..., None] * _share(margins)
    return _gradient(margins, score * _over(1.0, margins.correct), prevalence=-score * _over(1.0, margins.prevalence))


def harmonic_macro_recall(margins: Margins) -> Gradient:
    """The quotient k / Σ n/t; NaN where a recall is 0, likewise."""
    score = _off_zero(kernels.harmonic_macro_recall(margins))[..., None]
    slope = score * score * _share(margins) * _over(1.0, margins.correct)
    return _gradient(margins, slope * _over(margins.prevalence, margins.correct), prevalence=-slope)


def _off_zero(score: Floats) -> Floats:
    return np.where(score > 0, score, np.nan)


def f1_of_averages(margins: Margins) -> Gradient:
    """2PR/(P + R) of the means P of the precisions and R of the recalls."""
    means = kernels.macro_precision(margins), kernels.macro_recall(margins)
    in_precision, in_recall = (2 * _over(mean, means[0] + means[1]) ** 2 for mean in means[::-1])
    precision, recall = macro_precision(margins), macro_recall(margins)
    return _gradient(
        margins,
        in_precision[..., None] * precision.correct + in_recall[..., None] * recall.correct,
        bias=in_precision[..., None] * precision.bias,
        prevalence=in_recall[..., None] * recall.prevalence,
    )


def weighted_f1(margins: Margins) -> Gradient:
    """Σ n · 2t/(b + n) / N."""
    of_class, each = class_f1(margins), _over(1.0, margins.total)
    weight = margins.prevalence * each[..., None]
    return _gradient(
        margins,
        weight * of_class.correct,
        bias=weight * of_class.bias,
        prevalence=weight * of_class.prevalence + kernels.f1_terms(margins) * each[..., None],
        total=-kernels.weighted_f1(margins) * each,
    )


# Agreement beyond chance


def kappa(margins: Margins) -> Gradient:
    """(N Σt − e)/(N² − e) with e = Σ n b."""
    total, correct = margins.total, over_classes(margins.correct)
    chance = over_classes(margins.prevalence * margins.bias)
    left = total * total - chance
    in_correct, in_chance = _over(total, left), _over(total * correct - total * total, left * left)
    return _gradient(
        margins,
        in_correct[..., None],
        bias=in_chance[..., None] * margins.prevalence,
        prevalence=in_chance[..., None] * margins.bias,
        total=_over(correct, left) - _over((total * correct - chance) * 2 * total, left * left),
    )


def mcc(margins: Margins) -> Gradient:
    """(N Σt − e)/√(p q), p = N² − Σ b² − u², q = N² − Σ n²; 0 where one of both is, as the score is by construction."""
    total, square = margins.total, margins.total * margins.total
    predicted = square - over_classes(margins.bias * margins.bias) - margins.unanswered * margins.unanswered
    gold = square - over_classes(margins.prevalence * margins.prevalence)
    moving = ~(kernels.constant_gold(margins) | kernels.constant_predictions(margins))
    spread = np.where(moving, np.sqrt(np.maximum(predicted, 0)) * np.sqrt(np.maximum(gold, 0)), 0.0)
    score = np.where(moving, kernels.mcc(margins), 0.0)
    each = _over(1.0, spread)
    in_predicted, in_gold = (-0.5 * np.where(moving, _over(score, side), 0.0) for side in (predicted, gold))
    return _gradient(
        margins,
        (total * each)[..., None],
        bias=-each[..., None] * margins.prevalence - 2 * in_predicted[..., None] * margins.bias,
        prevalence=-each[..., None] * margins.bias - 2 * in_gold[..., None] * margins.prevalence,
        unanswered=-2 * in_predicted * margins.unanswered,
        total=over_classes(margins.correct) * each + 2 * total * (in_predicted + in_gold),
    )
