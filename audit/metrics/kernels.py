"""The metrics, each a function of margins, vectorised over the leading axes of a stack of confusions.

P, R and F1 stand for the precision, recall and F1 of a class, k for the number of averaged classes. As a term of an
average each of them is 0 where its denominator is 0 (Opitz & Burst 2019, equation 1), unless the margins say that an
undefined class score becomes something else, as it does for some scorers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from audit.domain import F1Undefined, Undefined
from audit.domain.arrays import Bools, Counts, Floats
from audit.metrics.confusion import Margins, over_classes, ratio
from audit.metrics.elementary import exponential, logarithm, power

_MULTIPLIED = 12  # recalls, each at least 1/N: their product is no smaller than the smallest double
Kernel = Callable[[Margins], Floats]
GAP_FORMULA = (
    r"\Delta = \frac{1}{k \sum_{x} (P_x + R_x)} \sum_{x, y} "
    r"\frac{(P_x R_y - P_y R_x)^2}{(P_x + R_x)(P_y + R_y)}"
)
"""What is computed, as LaTeX."""


def _defined(values: Floats, where: Bools) -> Floats:
    """Values, undefined (NaN) elsewhere."""
    return np.where(where, values, np.nan)


def _mean(terms: Floats, averaged: Counts) -> Floats:
    """Mean over the averaged classes, undefined where there is none."""
    count = over_classes(averaged)
    return _defined(ratio(over_classes(terms, averaged), count), count > 0)


# Class scores, shape (..., C)


@dataclass(frozen=True)
class Quotient:
    """A class score that is a quotient of two sums of counts; undefined where the lower one is 0."""

    slug: str  # that of the metric of one class
    above: Mapping[str, float]  # by margin, of a class: how often its items count
    below: Mapping[str, float]
    is_f: bool = False  # whether it is an F score, of which scorers leave different ones undefined

    def counts(self, margins: Margins) -> tuple[Counts, Counts]:
        """The two sums."""
        return _weighed(self.above, margins), _weighed(self.below, margins)

    def terms(self, margins: Margins) -> Floats:
        """The quotients, 0 where they are undefined."""
        above, below = self.counts(margins)
        if self.needs_others:  # rounded masses can leave a sum that is less than nothing
            above = np.maximum(above, 0)
        return ratio(above, below)

    def is_defined(self, margins: Margins) -> Bools:
        """Whether there is something to divide by; of an F score by the rule of the margins."""
        if not self.is_f or margins.f1_undefined is F1Undefined.EMPTY:
            return np.asarray(_weighed(self.below, margins) > 0)
        if margins.f1_undefined is F1Undefined.NONE_CORRECT:
            return np.asarray(margins.correct > 0)
        return np.asarray((margins.bias > 0) & (margins.prevalence > 0))

    @property
    def needs_others(self) -> bool:
        """Whether it looks at the gold items of all other classes, without which it has no value of its own."""
        return "others" in self.below


def _weighed(weights: Mapping[str, float], margins: Margins) -> Counts:
    """The weighted sum of some margins; counts with weight 1 stay integers."""
    terms = []
    for name, weight in weights.items():
        counts = getattr(margins, name)
        if weight != 1:
            counts = weight * counts
        terms.append(counts)
    return np.asarray(reduce(np.add, terms))


def f_beta(beta: float) -> Quotient:
    """F-beta (van Rijsbergen 1979, chapter 7); F1 is that of 1 (Opitz & Burst 2019, equation 1)."""
    weight = beta * beta
    return Quotient(
        f"f{beta:g}", {"correct": 1 + weight}, {"bias": 1, "prevalence": weight}, is_f=True
    )


RECALL = Quotient("recall", {"correct": 1}, {"prevalence": 1})
PRECISION = Quotient("precision", {"correct": 1}, {"bias": 1})
F1 = f_beta(1)
JACCARD = Quotient("jaccard", {"correct": 1}, {"bias": 1, "prevalence": 1, "correct": -1})
SPECIFICITY = Quotient("specificity", {"others": 1, "bias": -1, "correct": 1}, {"others": 1})


class _Informedness:
    """Recall and specificity less 1 (Youden 1950), 0 where one of both is undefined."""

    slug = "informedness"
    needs_others = True

    def terms(self, margins: Margins) -> Floats:
        """The informedness of each class."""
        both = RECALL.terms(margins) + SPECIFICITY.terms(margins) - 1
        return np.where(self.is_defined(margins), both, 0.0)

    @staticmethod
    def is_defined(margins: Margins) -> Bools:
        """Whether gold has the class, and another."""
        return RECALL.is_defined(margins) & SPECIFICITY.is_defined(margins)


INFORMEDNESS = _Informedness()
ClassScore = Quotient | _Informedness


def undefined(margins: Margins) -> Floats:
    """No value: of a score that no confusion has by itself."""
    return np.full(margins.total.shape, np.nan)


def own(score: ClassScore) -> Kernel:
    """A class score on its own, undefined where gold lacks the class; elsewhere as the margins say."""

    def kernel(margins: Margins) -> Floats:
        terms = score.terms(margins)
        has_value = margins.prevalence > 0
        if score.needs_others:
            has_value &= margins.others > 0
        if margins.undefined is Undefined.ONE:
            terms = np.where(score.is_defined(margins), terms, 1.0)
        elif margins.undefined is not Undefined.ZERO:
            has_value &= score.is_defined(margins)
        return _defined(terms, has_value)

    return kernel


# Averages of the classes: shape (...)


def mean_of(score: ClassScore) -> Kernel:
    """Mean of a class score over the averaged classes, with undefined ones as the margins say."""

    def kernel(margins: Margins) -> Floats:
        terms = score.terms(margins)
        if margins.undefined is Undefined.ZERO:
            return _mean(terms, margins.averaged)
        defined = score.is_defined(margins)
        if margins.undefined is Undefined.ONE:
            return _mean(np.where(defined, terms, 1.0), margins.averaged)
        among_defined = np.where(defined, margins.averaged, False)  # noqa: FBT003 - none of an undefined class
        mean = _mean(terms, among_defined)
        if margins.undefined is Undefined.DROPPED:
            return mean
        return _defined(mean, over_classes(among_defined) == margins.n_averaged)

    return kernel


macro_recall = mean_of(RECALL)
macro_precision = mean_of(PRECISION)


def accuracy(margins: Margins) -> Floats:
    """Share of all items that were predicted right."""
    return ratio(over_classes(margins.correct), margins.total)


def c_at_1(margins: Margins) -> Floats:
    """Accuracy, with the unanswered items counted as right as often as the others are: accuracy · (1 + their share)."""
    return accuracy(margins) * (1 + ratio(margins.unanswered, margins.total))


def geometric_macro_recall(margins: Margins) -> Floats:
    """Geometric mean of the class recalls; 0 where one of them is 0."""
    recall = RECALL.terms(margins)
    positive = np.where(recall > 0, recall, 1.0)
    count = over_classes(margins.averaged)
    mean_of_logarithms = ratio(_sum_of_logarithms(positive, margins.averaged), count)
    mean = exponential(_defined(mean_of_logarithms, count > 0))
    return np.where(_some_recall_is_zero(margins), 0.0, mean)


def _sum_of_logarithms(terms: Floats, averaged: Counts) -> Floats:
    """Sum over the averaged classes, where each counts once of logarithms of products, which are the fewer."""
    if averaged.dtype != bool:
        return over_classes(logarithm(terms), averaged)
    powers = np.where(averaged, terms, 1.0)
    width = -(-terms.shape[-1] // _MULTIPLIED)
    products = powers[..., :width]
    # a reduction by NumPy would multiply in the processor's order
    for start in range(width, terms.shape[-1], width):
        some = powers[..., start : start + width]
        products[..., : some.shape[-1]] *= some
    return over_classes(logarithm(products))


def harmonic_macro_recall(margins: Margins) -> Floats:
    """Harmonic mean of the class recalls; 0 where one of them is 0."""
    inverse_recalls = ratio(margins.prevalence, margins.correct)
    mean_inverse = np.maximum(_mean(inverse_recalls, margins.averaged), 1.0)
    return np.where(_some_recall_is_zero(margins), 0.0, 1 / mean_inverse)


def _some_recall_is_zero(margins: Margins) -> Bools:
    return np.asarray(over_classes((margins.correct == 0) & margins.averaged) > 0)


def power_macro_recall(exponent: float) -> Kernel:
    """Generalised mean of the class recalls (Opitz 2024, equation 4); 0 where one is 0 and the exponent negative."""

    def kernel(margins: Margins) -> Floats:
        recall = RECALL.terms(margins)
        # (Σ (R/r)^p / k)^(1/p) · r, r the recall that counts most, so that no power leaves the range of numbers
        if exponent < 0:
            least = np.where(margins.averaged & (recall > 0), recall, np.inf).min(axis=-1)
            reference = np.where(np.isfinite(least), least, 0.0)
        else:
            reference = np.where(margins.averaged, recall, 0.0).max(axis=-1)
        relative = ratio(recall, np.broadcast_to(reference[..., None], recall.shape))
        mean = _mean(power(relative, exponent), margins.averaged)
        score = np.minimum(reference * power(mean, 1 / exponent), 1.0)
        is_zero = _some_recall_is_zero(margins) & (exponent < 0)
        return _defined(np.where(is_zero, 0.0, score), margins.n_averaged > 0)

    return kernel


def f1_of_averages(margins: Margins) -> Floats:
    """F1 of macro precision and macro recall: the other score called macro F1 (Opitz & Burst 2019, equation 3)."""
    precision = macro_precision(margins)
    recall = macro_recall(margins)
    score = ratio(2 * precision * recall, precision + recall)
    return _defined(score, ~np.isnan(precision + recall))


def weighted(score: ClassScore) -> Kernel:
    """Mean of a score of the averaged classes, each weighted by its share of their gold items."""

    def kernel(margins: Margins) -> Floats:
        weights, total = weights_of_averaged(margins)
        mean = ratio(over_classes(weights * score.terms(margins)), total)
        return _defined(mean, margins.n_averaged > 0)

    return kernel


def weights_of_averaged(margins: Margins) -> tuple[Counts, Counts]:
    """Gold items of the averaged classes, 0 of any other, shape (..., C); and of all of them, shape (...)."""
    weights = np.where(margins.averaged, margins.prevalence, margins.prevalence.dtype.type(0))
    # Less what is left out, so that with nothing left out it is the total to the last bit.
    return weights, np.asarray(margins.total - over_classes(margins.prevalence - weights))


def sum_of(score: Quotient) -> Kernel:
    """A class score of all items of the averaged classes together (*micro*), as the margins say where undefined."""

    def kernel(margins: Margins) -> Floats:
        above, below = score.counts(margins)
        total_below = over_classes(below, margins.averaged)
        value = ratio(over_classes(above, margins.averaged), total_below)
        has_value = margins.n_averaged > 0
        if margins.undefined is Undefined.ONE:
            value = np.where(total_below > 0, value, 1.0)
        if margins.undefined is Undefined.WHOLE:
            has_value = has_value & (total_below > 0)
        return _defined(value, has_value)

    return kernel


# Agreement beyond chance, shape (...)


def kappa(margins: Margins) -> Floats:
    """Cohen's kappa, (N Σt − Σnb)/(N² − Σnb); undefined where gold and predictions are constant on the same class."""
    most_beyond = margins.total * margins.total - _chance(margins)
    score = np.clip(ratio(_beyond_chance(margins), most_beyond), -1, 1)
    # A class with an error has bias or prevalence above its correct items; masses are compared as they were added up.
    has_errors = (margins.bias != margins.correct) | (margins.prevalence != margins.correct)
    is_perfect = over_classes(has_errors) == 0
    return _defined(score, ~(constant_gold(margins) & is_perfect))


def mcc(margins: Margins) -> Floats:
    """Multi-class Matthews correlation, (N Σt − Σnb)/√((N² − Σb² − u²)(N² − Σn²)).

    Undefined where gold and predictions are both constant, 0 where one is. The unanswered items are one more category
    of prediction.
    """
    square = margins.total * margins.total
    of_answers = (
        square - over_classes(margins.bias * margins.bias) - margins.unanswered * margins.unanswered
    )
    of_gold = square - over_classes(margins.prevalence * margins.prevalence)
    # Rounding can leave a calibrated spread slightly below 0; where it matters it is constant, and decided as such.
    spread = np.sqrt(np.maximum(of_answers, 0)) * np.sqrt(np.maximum(of_gold, 0))
    score = np.clip(ratio(_beyond_chance(margins), spread), -1, 1)
    return _defined(score, ~(constant_gold(margins) & constant_predictions(margins)))


def _chance(margins: Margins) -> Counts:
    """Items right by chance, times the total."""
    return over_classes(margins.prevalence * margins.bias)


def _beyond_chance(margins: Margins) -> Counts:
    """Total times items right, less chance: exactly 0, not about 0, where gold or predictions are constant."""
    beyond = margins.total * over_classes(margins.correct) - _chance(margins)
    constant = constant_gold(margins) | constant_predictions(margins)
    return np.asarray(np.where(constant, beyond.dtype.type(0), beyond))


def constant_gold(margins: Margins) -> Bools:
    """Whether gold has items of one class only."""
    return np.asarray(over_classes(margins.prevalence > 0) == 1)


def constant_predictions(margins: Margins) -> Bools:
    """Whether all items have the same answer, none at all included."""
    return np.asarray(over_classes(margins.bias > 0) + (margins.unanswered > 0) == 1)


# Of the answered items alone: what a team leaves open costs it nothing. Averages keep their classes, so that all teams
# are comparable by one rule: a class of which a team answered no item is a class without a right answer.


def answered_margins(margins: Margins) -> Margins:
    """Margins of the answered items alone, averaging over the same classes as before."""
    prevalence = over_classes(margins.confusion[..., :-1])
    return replace(
        margins,
        prevalence=prevalence,
        unanswered=np.zeros_like(margins.unanswered),
        total=over_classes(prevalence),
        made=None,
    )


def of_answered(kernel: Kernel) -> Kernel:
    """A metric of the answered items; undefined where there is none."""

    def scores(margins: Margins) -> Floats:
        answered = answered_margins(margins)
        return np.where(answered.total > 0, kernel(answered), np.nan)

    return scores


def coverage(margins: Margins) -> Floats:
    """Share of the items that are answered."""
    return np.asarray(1 - margins.unanswered / margins.total)


def answered_accuracy(margins: Margins) -> Floats:
    """Share of the answered items that are right."""
    n_right = over_classes(margins.correct)
    n_answered = margins.total - margins.unanswered
    undefined_share = np.full(np.shape(n_answered), np.nan)
    return np.asarray(
        np.divide(n_right, n_answered, out=undefined_share, where=some_answered(margins))
    )


def some_answered(margins: Margins) -> Counts:
    """Whether any item is answered: of masses one that rounding leaves over is none."""
    return np.asarray(over_classes(margins.bias) > 0)


def macro_f1_gap(margins: Margins) -> Floats:
    """Δ = F1 of averages − macro-averaged F1, by its closed form, shape (...), range [0, 0.5].

    0 when nothing is correct; undefined (NaN) where no class is averaged, as both scores are.

    The reference program of the paper prints 0.48534265191225007 for this confusion and 0.0 for the next:

    >>> skewed, even = [[100, 0, 0], [10000, 100, 0]], [[100, 5000, 0], [5000, 100, 0]]
    >>> [round(float(gap), 12) for gap in macro_f1_gap(Margins.of([skewed, even]))]
    [0.485342651912, 0.0]
    """
    codes, sizes = kinds_of_classes(margins)
    n_pairs = np.outer(sizes, sizes)
    return np.asarray((gap_by_class_pair(margins, codes) * n_pairs).sum(axis=(-2, -1)))


def kinds_of_classes(margins: Margins) -> tuple[Counts, Counts]:
    """Classes of different precision and recall: the first one of each kind, ascending, and how many there are of it.

    Two classes of one kind have the same term with any third, and none with each other. Of thousands of classes most
    are rare, and of few kinds.

    >>> codes, sizes = kinds_of_classes(Margins.of([[5, 0, 0, 0], [0, 1, 0, 1], [0, 0, 7, 0]]))
    >>> codes.tolist(), sizes.tolist()
    ([0, 1], [2, 1])
    """
    columns = []
    for score in (PRECISION, RECALL):
        terms = np.where(margins.averaged, score.terms(margins), 0)
        columns.append(terms.reshape(-1, terms.shape[-1]))
    of_classes = np.concatenate(columns, axis=-2)
    _, first, sizes = np.unique(of_classes, axis=1, return_index=True, return_counts=True)
    order = np.argsort(first)
    return first[order], sizes[order]


def gap_by_class_pair(margins: Margins, codes: Counts | None = None) -> Floats:
    """The terms of Δ: how much each pair of classes contributes, of all C classes or of some, shape (..., C, C).

    (P_x R_y − P_y R_x)²/((P_x + R_x)(P_y + R_y)) / (k Σ (P + R)).
    """
    precision = np.where(margins.averaged, PRECISION.terms(margins), 0)
    recall = np.where(margins.averaged, RECALL.terms(margins), 0)
    whole = (margins.n_averaged * (precision + recall).sum(axis=-1))[..., None, None]
    if codes is not None:
        precision = precision[..., codes]
        recall = recall[..., codes]
    cross = precision[..., :, None] * recall[..., None, :]  # P_x R_y
    squares = (cross - np.swapaxes(cross, -1, -2)) ** 2
    sums = precision + recall
    products = sums[..., :, None] * sums[..., None, :]
    terms = ratio(ratio(squares, products), whole)
    return np.where(margins.n_averaged[..., None, None] > 0, terms, np.nan)
