"""Classes that a team seldom or never predicts: what they leave open of a score that divides by answers.

A few answers say little of a class's precision, and no pseudo-items make up for answers that there are not. So the
terms of such classes are held as they are while the interval of the others is taken, and each is then moved by itself
to the ends of its own interval. A precision of a class that is never predicted could be anything up to 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from audit.domain import Undefined
from audit.domain.arrays import Bools, Floats
from audit.metrics import METRICS, Gradient, Margins, Metric, NamedMetric, answered_margins
from audit.metrics.confusion import over_classes, ratio, weighted_sum
from audit.metrics.gradients import slopes_of_answered
from audit.metrics.kernels import of_answered, weights_of_averaged

FEWEST_ANSWERS = 5  # a class with fewer answers than this is seldom predicted


@dataclass(frozen=True, eq=False)
class Function:
    """A score as a function of margins, with its gradient and range."""

    score: Callable[[Margins], Floats]
    gradient: Callable[[Margins], Gradient]
    lower: Floats | float
    upper: Floats | float
    pools: bool = False  # it is a score of the labels of sets as if they were one
    on_scale: bool = False
    """It is a score of labels on a scale, where an error is most often a near one."""

    @classmethod
    def of(cls, named: NamedMetric) -> "Function":
        """A score as it is."""
        metric = named.metric
        return cls(
            named.score, named.gradient, metric.lower, metric.upper, named.over_all, metric.of_scale
        )

    def mirrored(self) -> "Function":
        """The score upside down, from 0 to 1."""

        def score(margins: Margins) -> Floats:
            return 1 - self.score(margins)

        def gradient(margins: Margins) -> Gradient:
            return self.gradient(margins).times(np.array(-1.0))

        return Function(score, gradient, 1 - self.upper, 1 - self.lower)

    def gap_to(self, other: "Function") -> "Function":
        """How much higher it is than another one: at least 0, and at most a half as both macro F1s go."""

        def score(margins: Margins) -> Floats:
            return np.maximum(self.score(margins) - other.score(margins), 0.0)

        def gradient(margins: Margins) -> Gradient:
            gradients = [self.gradient(margins), other.gradient(margins)]
            return Gradient.weighted(gradients, (1.0, -1.0))

        return Function(score, gradient, 0.0, 0.5)


@dataclass(frozen=True, eq=False)
class Moves:
    """How far the classes that a team seldom predicts could move its score; up is to the better."""

    down: Floats  # (T, C): each class by itself; classes err apart from each other
    up: Floats  # (T, C)
    together: Floats  # (T,): up, those of which no answer is right: their scores can only rise
    below: Floats  # (T,): what no answer says anything of, so that it is added as it is
    above: Floats  # (T,)
    unseen: Floats  # (T,): up, precisions of classes that are never predicted

    @classmethod
    def none(cls, margins: Margins) -> "Moves":
        """No class is seldom predicted."""
        by_class = np.zeros(margins.correct.shape)
        single = np.zeros(margins.correct.shape[:-1])
        return cls(by_class, by_class, single, single, single, single)

    @classmethod
    def weighted(cls, moves: "Sequence[Moves]", weights: Sequence[float]) -> "Moves":
        """Those of a sum of scores, whose classes move in all of them at once."""
        summed = {}
        for field in fields(cls):
            values = [getattr(each, field.name) for each in moves]
            summed[field.name] = weighted_sum(values, weights)
        return cls(**summed)

    def ends(
        self, values: Floats, lower: Floats, upper: Floats, *, greater_is_better: bool = True
    ) -> tuple[Floats, Floats, Floats]:
        """Lower and upper ends of the interval, and the upper one without the unseen, (T,) each.

        From the ends with all these classes held, at the distances d_L and d_U: y − √(d_L² + Σ down²) − below, and
        y + √(d_U² + Σ up² + together²) + above + unseen.
        """
        if not greater_is_better:
            least, most, _ = self.ends(-values, -upper, -lower)
            return -most, -least, -least
        down = np.sqrt((values - lower) ** 2 + over_classes(self.down**2))
        up = np.sqrt((upper - values) ** 2 + over_classes(self.up**2) + self.together**2)
        upper_given = values + up + self.above
        return values - down - self.below, upper_given + self.unseen, upper_given


@dataclass(frozen=True, eq=False)
class Held:
    """A score with the terms of the seldom predicted classes held as they are observed, and how far they could go."""

    function: Function
    moves: Moves

    @classmethod
    def weighted(cls, parts: "Sequence[Held]", weights: Sequence[float]) -> "Held":
        """The weighted mean of several scores."""
        functions = [part.function for part in parts]
        shares = [weight / sum(weights) for weight in weights]

        def score(margins: Margins) -> Floats:
            return weighted_sum([function.score(margins) for function in functions], shares)

        def gradient(margins: Margins) -> Gradient:
            return Gradient.weighted([function.gradient(margins) for function in functions], shares)

        lower = weighted_sum([function.lower for function in functions], shares)
        upper = weighted_sum([function.upper for function in functions], shares)
        moves = Moves.weighted([part.moves for part in parts], shares)
        return cls(Function(score, gradient, lower, upper), moves)

    def gap_to(self, other: "Held") -> "Held":
        """How much higher it is than another one; of use are the moves up alone."""
        moves = other.moves
        against = replace(moves, up=moves.down, above=moves.below, together=0.0 * moves.together)
        gap = self.function.gap_to(other.function)
        return Held(gap, Moves.weighted([self.moves, against], (1.0, 1.0)))


@dataclass(frozen=True, eq=False)
class SeldomPredicted:
    """The classes that each of T teams seldom predicts, at one class distribution."""

    margins: Margins  # of the T confusions there
    n_answers: Floats  # (T, C): how often each class is predicted
    ends: Callable[[str, bool], tuple[Floats, Floats]]  # of a class score, of answered items or not
    terms: Callable[[NamedMetric], str]
    """What a metric averages over classes there, as :attr:`Metric.terms` has it."""

    def where(self, named: NamedMetric) -> Bools:
        """The teams by whose score, if it divides by answers, a class counts that they seldom predict, shape (T,)."""
        if named.parts:
            return np.asarray(np.any([self.where(part) for part in named.parts], axis=0))
        if named.metric.takes == "class" and named.metric.terms != "recalls":
            return self.n_answers[..., named.code] < FEWEST_ANSWERS
        if named.metric.takes == "class" or self.terms(named) != "precisions":
            return np.zeros(self.margins.correct.shape[:-1], dtype=bool)
        in_question = self._classes(named) | self._could_vanish(named)
        return np.asarray(in_question.any(axis=-1))

    def held(self, named: NamedMetric) -> Held:
        """A score with these classes held."""
        if named.parts:
            return Held.weighted([self.held(part) for part in named.parts], named.weights)
        if named.metric.takes == "class":
            return self._of_one_class(named)
        base = _counting_all(named.metric)
        of_class = base.mean_of or base.weighted_mean_of
        if self.terms(named) != "precisions" or not (of_class or base.harmonic_mean_of):
            return Held(Function.of(named), Moves.none(self.margins))
        if of_class:
            held = self._mean(named, base)
        else:
            held = self._harmonic_mean(named, *base.harmonic_mean_of)
        # A mean without the classes that could vanish is larger by their share.
        share = over_classes(self._weights(named), self._could_vanish(named))
        larger = np.nan_to_num(named.score(self.margins)) * ratio(share, 1 - share)
        moves = replace(held.moves, above=held.moves.above + larger)
        return replace(held, moves=moves)

    def _classes(self, named: NamedMetric) -> Bools:
        """The averaged classes that are seldom predicted and whose terms move with answers, shape (T, C)."""
        seldom = (self.n_answers < FEWEST_ANSWERS) & named.margins(self.margins).averaged
        if named.reading.undefined is not Undefined.ZERO:
            return np.asarray(seldom)
        of_recalls = _counting_all(named.metric).mean_of == "recall"
        return seldom & (self.margins.prevalence > 0) & (not of_recalls)

    def _could_vanish(self, named: NamedMetric) -> Bools:
        """The classes without gold that are averaged for a few answers alone, shape (T, C)."""
        few = named.margins(self.margins).averaged & (self.n_answers < FEWEST_ANSWERS)
        return np.asarray(few & (self.margins.prevalence == 0) & named.counts_predicted)

    def _weights(self, named: NamedMetric) -> Floats:
        """What the term of each class counts in a mean, shape (T, C)."""
        margins = named.margins(self.margins)
        if _counting_all(named.metric).weighted_mean_of:
            masses, total = weights_of_averaged(margins)
        else:
            masses = margins.averaged
            total = margins.n_averaged
        return masses / np.maximum(total, 1e-300)[..., None]

    def _kept(self, named: NamedMetric) -> Callable[[Margins], Margins]:
        """Margins that average over the other classes alone."""
        kept = named.margins(self.margins).averaged & ~self._classes(named)
        return lambda margins: replace(named.margins(margins), averaged=kept)

    def _mean(self, named: NamedMetric, metric: Metric) -> Held:
        """A mean of class scores: y = s · (mean over the other classes) + the terms of these classes.

        s is what the other classes weigh together.
        """
        whole = _of_items(named.metric, metric)
        classes = self._classes(named)
        share = over_classes(self._weights(named), ~classes)
        kept = self._kept(named)

        def mean_of_others(margins: Margins) -> Floats:
            return share * np.nan_to_num(whole.kernel(kept(margins)))

        terms = whole.kernel(named.margins(self.margins)) - mean_of_others(self.margins)

        def score(margins: Margins) -> Floats:
            return mean_of_others(margins) + terms

        def gradient(margins: Margins) -> Gradient:
            return whole.gradient(kept(margins)).times(share)

        lower = terms + share * metric.lower
        upper = terms + share * metric.upper
        moves = self._moves_of_mean(named, metric, terms)
        return Held(Function(score, gradient, lower, upper), moves)

    def _moves_of_mean(self, named: NamedMetric, metric: Metric, terms: Floats) -> Moves:
        """How far these classes could move a mean of class scores, given their terms, shape (T,)."""
        none = Moves.none(self.margins)
        classes = self._classes(named)
        weights = self._weights(named)
        if named.reading.undefined is not Undefined.ZERO:
            # With a few answers less a term is something else.
            fall = np.maximum(terms, 0.0)
            rise = np.maximum(over_classes(weights, classes) - terms, 0.0)
            below, above = _worse_and_better(metric, fall, rise)
            return replace(none, below=below, above=above)
        of_class = METRICS[metric.mean_of or metric.weighted_mean_of]
        to_lower, to_upper = self._to_the_ends(named, of_class)
        down = np.where(classes, weights * to_lower, 0.0)
        up = np.where(classes, weights * to_upper, 0.0)
        if of_class.terms == "precisions":
            never = self.n_answers == 0
            unseen = over_classes(up, never)
            return replace(none, down=down, up=np.where(never, 0.0, up), unseen=unseen)
        # as answers become fewer, the score of a class goes to 0
        missed = self.margins.correct == 0
        together = over_classes(up, missed)
        return replace(none, down=down, up=np.where(missed, 0.0, up), together=together)

    def _of_one_class(self, named: NamedMetric) -> Held:
        """A score of one class, held as it is of the teams that seldom predict it."""
        few = self.where(named)
        values = np.nan_to_num(named.score(self.margins))

        def score(margins: Margins) -> Floats:
            return np.where(few, values, named.score(margins))

        def gradient(margins: Margins) -> Gradient:
            return named.gradient(margins).times(np.where(few, 0.0, 1.0))

        lower = np.where(few, values, named.metric.lower)
        upper = np.where(few, values, named.metric.upper)
        moves = self._moves_of_one_class(named, few, values)
        return Held(Function(score, gradient, lower, upper), moves)

    def _moves_of_one_class(self, named: NamedMetric, few: Bools, values: Floats) -> Moves:
        """How far the score of one class could move, given its values, shape (T,)."""
        metric = named.metric
        none = Moves.none(self.margins)
        if named.reading.undefined is not Undefined.ZERO:
            lower = np.where(few, metric.lower, values)
            upper = np.where(few, metric.upper, values)
            below, above = _worse_and_better(metric, values - lower, upper - values)
            return replace(none, below=below, above=above)
        of_answered_alone = False
        lower_ends, upper_ends = self.ends(metric.slug, of_answered_alone)
        lower = np.where(few, lower_ends[..., named.code], values)
        upper = np.where(few, upper_ends[..., named.code], values)
        worse, better = _worse_and_better(metric, values - lower, upper - values)
        is_own = np.arange(self.margins.correct.shape[-1]) == named.code
        down = np.where(is_own, np.maximum(worse, 0.0)[..., None], 0.0)
        up = np.where(is_own, np.maximum(better, 0.0)[..., None], 0.0)
        is_unseen = (metric.terms == "precisions") & (self.n_answers[..., named.code] == 0)
        up_of_seen = np.where(is_unseen[..., None], 0.0, up)
        return replace(none, down=down, up=up_of_seen, unseen=is_unseen * over_classes(up))

    def _to_the_ends(self, named: NamedMetric, of_class: Metric) -> tuple[Floats, Floats]:
        """How far the score of each class is from the ends of its interval, shape (T, C) each."""
        of_answered_alone = named.metric.abstention == "left out"
        lower, upper = self.ends(of_class.slug, of_answered_alone)
        margins = self.margins
        if of_answered_alone:
            margins = answered_margins(margins)
        values = np.nan_to_num(of_class.kernel(margins))
        return np.maximum(values - lower, 0.0), np.maximum(upper - values, 0.0)

    def _harmonic_mean(self, named: NamedMetric, of_precisions: str, of_recalls: str) -> Held:
        """F1 of averages, 2PR/(P + R): each precision moves their mean P, and that moves the score."""
        precision = _of_items(named.metric, METRICS[of_precisions])
        recall = _of_items(named.metric, METRICS[of_recalls])
        precisions = self._mean(replace(named, metric=precision), precision)
        mean = precisions.function
        observed_p = mean.score(self.margins)
        observed_r = recall.kernel(named.margins(self.margins))

        def score(margins: Margins) -> Floats:
            return _harmonic(mean.score(margins), recall.kernel(named.margins(margins)))

        def gradient(margins: Margins) -> Gradient:
            # d/dP 2PR/(P + R) = 2 (R/(P + R))², and likewise by R
            p = mean.score(margins)
            r = recall.kernel(named.margins(margins))
            slopes = [2 * ratio(r, p + r) ** 2, 2 * ratio(p, p + r) ** 2]
            parts = mean.gradient(margins), recall.gradient(named.margins(margins))
            return Gradient.weighted(parts, slopes)

        def moved(p_by: Floats, r_by: Floats | float = 0.0) -> Floats:
            """What the score gains where P and R gain this, shape (T,) or (T, C)."""
            further_axes = (1,) * (p_by.ndim - observed_p.ndim)
            p = observed_p.reshape(observed_p.shape + further_axes)
            r = observed_r.reshape(observed_r.shape + further_axes)
            return _harmonic(p + p_by, r + r_by) - _harmonic(p, r)

        is_never = self._classes(named) & (self.n_answers == 0)
        _, recalls_to_upper = self._to_the_ends(named, METRICS["recall"])
        never_weights = np.where(is_never, self._weights(named), 0.0)
        recalls_of_never = over_classes(never_weights * recalls_to_upper)
        moves = replace(
            precisions.moves,
            down=-moved(-precisions.moves.down),
            up=moved(precisions.moves.up),
            below=-moved(-precisions.moves.below),
            above=moved(precisions.moves.above),
            unseen=moved(precisions.moves.unseen, recalls_of_never),
        )
        upper = _harmonic(np.asarray(mean.upper), np.ones(observed_r.shape))
        function = Function(score, gradient, 0.0, upper)
        if not named.metric.greater_is_better:
            function = function.mirrored()
        return Held(function, moves)


def _counting_all(metric: Metric) -> Metric:
    """The metric of all items that one of the answered items alone is made of; any other one itself."""
    if metric.with_abstained:
        return METRICS[metric.with_abstained]
    return metric


def _of_items(whole: Metric, metric: Metric) -> Metric:
    """A metric of the items that another one is of: of the answered ones alone, or of all."""
    if whole.abstention != "left out" or metric.abstention == "left out":
        return metric
    return replace(
        metric,
        kernel=of_answered(metric.kernel),
        gradient=slopes_of_answered(metric.gradient),
        abstention="left out",
    )


def _worse_and_better(metric: Metric, fall: Floats, rise: Floats) -> tuple[Floats, Floats]:
    """How far a score could become worse, and better, if it could fall and rise so far."""
    if metric.greater_is_better:
        return fall, rise
    return rise, fall


def _harmonic(one: Floats, other: Floats) -> Floats:
    """The harmonic mean of two numbers; 0 where both are."""
    return 2 * one * ratio(other, one + other)
