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
from audit.metrics.confusion import over_classes, ratio
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
    on_scale: bool = False  # it is a score of labels on a scale, where an error is most often a near one

    @classmethod
    def of(cls, named: NamedMetric) -> "Function":
        """A score as it is."""
        metric = named.metric
        return cls(named.score, named.gradient, metric.lower, metric.upper, named.over_all, metric.of_scale)

    def mirrored(self) -> "Function":
        """The score upside down, from 0 to 1."""
        return Function(
            lambda margins: 1 - self.score(margins),
            lambda margins: self.gradient(margins).times(np.array(-1.0)),
            1 - self.upper,
            1 - self.lower,
        )

    def gap_to(self, other: "Function") -> "Function":
        """How much higher it is than another one: at least 0, and at most a half as both macro F1s go."""
        return Function(
            lambda margins: np.maximum(self.score(margins) - other.score(margins), 0.0),
            lambda margins: Gradient.weighted([self.gradient(margins), other.gradient(margins)], (1.0, -1.0)),
            0.0,
            0.5,
        )


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
        by_class, single = np.zeros(margins.correct.shape), np.zeros(margins.correct.shape[:-1])
        return cls(by_class, by_class, single, single, single, single)

    @classmethod
    def weighted(cls, moves: "Sequence[Moves]", weights: Sequence[float]) -> "Moves":
        """Those of a sum of scores, whose classes move in all of them at once."""
        pairs = list(zip(moves, weights, strict=True))
        return cls(*(np.asarray(sum(w * getattr(each, part.name) for each, w in pairs)) for part in fields(cls)))

    def ends(
        self, values: Floats, lower: Floats, upper: Floats, *, greater_is_better: bool = True
    ) -> tuple[Floats, Floats, Floats]:
        """The ends of the interval, from those with all these classes held; and the upper one without the unseen."""
        if not greater_is_better:
            least, most, _ = self.ends(-values, -upper, -lower)
            return -most, -least, -least
        down = np.sqrt((values - lower) ** 2 + over_classes(self.down**2))
        up = np.sqrt((upper - values) ** 2 + over_classes(self.up**2) + self.together**2)
        given = values + up + self.above
        return values - down - self.below, given + self.unseen, given


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

        def summed(values: Sequence[Floats | float]) -> Floats:
            return np.asarray(sum(share * value for share, value in zip(shares, values, strict=True)))

        function = Function(
            lambda margins: summed([each.score(margins) for each in functions]),
            lambda margins: Gradient.weighted([each.gradient(margins) for each in functions], shares),
            summed([each.lower for each in functions]),
            summed([each.upper for each in functions]),
        )
        return cls(function, Moves.weighted([part.moves for part in parts], shares))

    def gap_to(self, other: "Held") -> "Held":
        """How much higher it is than another one; of use are the moves up alone."""
        against = replace(
            other.moves, up=other.moves.down, above=other.moves.below, together=0.0 * other.moves.together
        )
        return Held(self.function.gap_to(other.function), Moves.weighted([self.moves, against], (1.0, 1.0)))


@dataclass(frozen=True, eq=False)
class SeldomPredicted:
    """The classes that each of T teams seldom predicts, at one class distribution."""

    margins: Margins  # of the T confusions there
    n_answers: Floats  # (T, C): how often each class is predicted
    ends: Callable[[str, bool], tuple[Floats, Floats]]  # of a class score, of answered items or not
    terms: Callable[[NamedMetric], str]  # what a metric averages over classes there, as :attr:`Metric.terms` has it

    def where(self, named: NamedMetric) -> Bools:
        """The teams by whose score, if it divides by answers, a class counts that they seldom predict, shape (T,)."""
        if named.parts:
            return np.asarray(np.any([self.where(part) for part in named.parts], axis=0))
        if named.metric.takes == "class" and named.metric.terms != "recalls":
            return np.asarray(self.n_answers[..., named.code] < FEWEST_ANSWERS)
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
        held = self._mean(named, base) if of_class else self._harmonic_mean(named, *base.harmonic_mean_of)
        share = over_classes(self._weights(named), self._could_vanish(named))
        larger = np.nan_to_num(named.score(self.margins)) * ratio(share, 1 - share)
        return replace(held, moves=replace(held.moves, above=held.moves.above + larger))

    def _classes(self, named: NamedMetric) -> Bools:
        """The averaged classes that are seldom predicted and whose terms move with answers, shape (T, C)."""
        seldom = (self.n_answers < FEWEST_ANSWERS) & named.margins(self.margins).averaged
        if named.reading.undefined is not Undefined.ZERO:
            return np.asarray(seldom)
        of_recalls = _counting_all(named.metric).mean_of == "recall"
        return np.asarray(seldom & (self.margins.prevalence > 0) & (not of_recalls))

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
            masses, total = margins.averaged, margins.n_averaged
        return np.asarray(masses / np.maximum(total, 1e-300)[..., None])

    def _kept(self, named: NamedMetric) -> Callable[[Margins], Margins]:
        """Margins that average over the other classes alone."""
        kept = named.margins(self.margins).averaged & ~self._classes(named)
        return lambda margins: replace(named.margins(margins), averaged=kept)

    def _mean(self, named: NamedMetric, metric: Metric) -> Held:
        kept, whole, classes = self._kept(named), _of_items(named.metric, metric), self._classes(named)
        weights = self._weights(named)
        share = over_classes(weights, ~classes)
        held = whole.kernel(named.margins(self.margins)) - share * np.nan_to_num(whole.kernel(kept(self.margins)))
        function = Function(
            lambda margins: share * np.nan_to_num(whole.kernel(kept(margins))) + held,
            lambda margins: whole.gradient(kept(margins)).times(share),
            held + share * metric.lower,
            held + share * metric.upper,
        )
        none = Moves.none(self.margins)
        if named.reading.undefined is not Undefined.ZERO:  # with a few answers less a term is something else
            below, above = _worse_and_better(
                metric, np.maximum(held, 0.0), np.maximum(over_classes(weights, classes) - held, 0.0)
            )
            return Held(function, replace(none, below=below, above=above))
        of_class = METRICS[metric.mean_of or metric.weighted_mean_of]
        down, up = (np.where(classes, weights * move, 0.0) for move in self._to_the_ends(named, of_class))
        if of_class.terms == "precisions":
            never = self.n_answers == 0
            return Held(function, replace(none, down=down, up=np.where(never, 0.0, up), unseen=over_classes(up, never)))
        missed = self.margins.correct == 0  # as answers become fewer, the score of a class goes to 0
        return Held(function, replace(none, down=down, up=np.where(missed, 0.0, up), together=over_classes(up, missed)))

    def _of_one_class(self, named: NamedMetric) -> Held:
        few, values, metric = self.where(named), np.nan_to_num(named.score(self.margins)), named.metric
        function = Function(
            lambda margins: np.where(few, values, named.score(margins)),
            lambda margins: named.gradient(margins).times(np.where(few, 0.0, 1.0)),
            np.where(few, values, metric.lower),
            np.where(few, values, metric.upper),
        )
        lower, upper = (np.where(few, end[..., named.code], values) for end in self.ends(metric.slug, False))  # noqa: FBT003
        none, own = Moves.none(self.margins), np.arange(self.margins.correct.shape[-1]) == named.code
        if named.reading.undefined is not Undefined.ZERO:
            lower, upper = (np.where(few, end, values) for end in (metric.lower, metric.upper))
            below, above = _worse_and_better(metric, values - lower, upper - values)
            return Held(function, replace(none, below=below, above=above))
        unseen = (metric.terms == "precisions") & (self.n_answers[..., named.code] == 0)
        moves = _worse_and_better(metric, values - lower, upper - values)
        down, up = (np.where(own, np.maximum(move, 0.0)[..., None], 0.0) for move in moves)
        up_of_seen = np.where(unseen[..., None], 0.0, up)
        return Held(function, replace(none, down=down, up=up_of_seen, unseen=unseen * over_classes(up)))

    def _to_the_ends(self, named: NamedMetric, of_class: Metric) -> tuple[Floats, Floats]:
        """How far the score of each class is from the ends of its interval, shape (T, C) each."""
        of_answered_alone = named.metric.abstention == "left out"
        lower, upper = self.ends(of_class.slug, of_answered_alone)
        margins = answered_margins(self.margins) if of_answered_alone else self.margins
        values = np.nan_to_num(of_class.kernel(margins))
        return np.maximum(values - lower, 0.0), np.maximum(upper - values, 0.0)

    def _harmonic_mean(self, named: NamedMetric, of_precisions: str, of_recalls: str) -> Held:
        """F1 of averages: each precision moves the mean of them, and that moves the score."""
        first, second = (_of_items(named.metric, METRICS[slug]) for slug in (of_precisions, of_recalls))
        precisions = self._mean(replace(named, metric=first), first)
        moves, mean = precisions.moves, precisions.function
        at = mean.score(self.margins), second.kernel(named.margins(self.margins))

        def moved(by: Floats, also: Floats | float = 0.0) -> Floats:
            precision, recall = (each.reshape(each.shape + (1,) * (by.ndim - each.ndim)) for each in at)
            return _harmonic(precision + by, recall + also) - _harmonic(precision, recall)

        def gradient(margins: Margins) -> Gradient:
            precision, recall = mean.score(margins), second.kernel(named.margins(margins))
            parts = mean.gradient(margins), second.gradient(named.margins(margins))
            return Gradient.weighted(parts, [2 * ratio(each, precision + recall) ** 2 for each in (recall, precision)])

        never = np.where(self._classes(named) & (self.n_answers == 0), self._weights(named), 0.0)
        recalls = over_classes(never * self._to_the_ends(named, METRICS["recall"])[1])
        function = Function(
            lambda margins: _harmonic(mean.score(margins), second.kernel(named.margins(margins))),
            gradient,
            0.0,
            _harmonic(np.asarray(mean.upper), np.ones(at[1].shape)),
        )
        return Held(
            function if named.metric.greater_is_better else function.mirrored(),
            replace(
                moves,
                down=-moved(-moves.down),
                up=moved(moves.up),
                below=-moved(-moves.below),
                above=moved(moves.above),
                unseen=moved(moves.unseen, recalls),
            ),
        )


def _counting_all(metric: Metric) -> Metric:
    """The metric of all items that one of the answered items alone is made of; any other one itself."""
    return METRICS[metric.with_abstained] if metric.with_abstained else metric


def _of_items(whole: Metric, metric: Metric) -> Metric:
    """A metric of the items that another one is of: of the answered ones alone, or of all."""
    if whole.abstention != "left out" or metric.abstention == "left out":
        return metric
    return replace(
        metric, kernel=of_answered(metric.kernel), gradient=slopes_of_answered(metric.gradient), abstention="left out"
    )


def _worse_and_better(metric: Metric, down: Floats, up: Floats) -> tuple[Floats, Floats]:
    return (down, up) if metric.greater_is_better else (up, down)


def _harmonic(one: Floats, other: Floats) -> Floats:
    return 2 * one * ratio(other, one + other)
