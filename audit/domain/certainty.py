"""How sure an evaluation is: intervals, comparisons, who could be best, and what the test set can tell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Bools, Floats, Ints
from audit.domain.lazy import LazyField
from audit.domain.task import SHARE, Scale, ScoreKey

# the error rate of all claims together that one entry is ahead of another, by one metric
FAMILY_WISE_ERROR = 0.05


class Mark(StrEnum):
    """The reason why a defined score has no interval, or a rough one: none was found that holds its level there."""

    NONE = ""
    RARE_CLASS = "rare-class"
    FEW_HITS = "few-hits"
    FEW_GROUPS = "few-groups"
    MEAN_OF_RANKS = "mean-of-ranks"
    FEW_ANSWERS = "few-answers"
    FEW_UNITS = "few-units"
    FEW_THINGS = "few-things"
    FEW_CARRYING = "few-carrying"


MARKS = tuple(Mark)  # the marks by their number, as arrays hold them; 0 is no mark
POWER = 0.8  # how often a difference is to be found for the test set to be said to find it
# |difference| / standard error above it tells a fixed pair apart: 1.96
ONE_PAIR = NormalDist().inv_cdf(0.975)

_IN_RESERVE = NormalDist().inv_cdf(POWER)


@dataclass(frozen=True, eq=False)
class Intervals:
    """A 95% interval of every score: Wilson's, with an effective number of items."""

    lower: Floats  # (K, T): NaN where the score is undefined, or a mark says why there is none
    upper: Floats  # (K, T)
    upper_if_never: Floats
    """(K, T): given that the team never predicts what it did not predict here."""
    marks: NDArray[np.uint8]
    """(K, T): why there is no interval, or a rough one, as an index into `MARKS`."""
    gap_upper: Floats
    """(T,): upper end of a one-sided 95% interval of Δ, the gap of the two macro F1s, from 0 on."""
    gap_marks: NDArray[np.uint8]
    """(T,): why Δ has no interval, or a rough one, as an index into `MARKS`."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """The comparison of every pair of comparable entries by one metric, and the relation that decides every claim.

    Arrays have a row for every entry. One that is not comparable, because it does not compete or dropped items, or
    that has no influence function, is in no pair of the family: nobody is ahead of it, its adjusted p are 1, it is
    not among those that could be best, and its possible ranks are (0, 0).
    """

    key: ScoreKey
    standard_error: Floats
    """(T, T): of the paired difference, the variance under "no difference" included."""
    # (T, T): two-sided p of each difference, of the test that decides it: that of all unordered pairs of the family, or
    # the comparison with the best.
    adjusted_p: Floats
    against_best: Bools
    """(T, T): pairs of which only the comparison with the best decides that the row is ahead."""
    difference_lower: Floats
    """(T, T): lower end of the 95% interval of row less column; −∞ for no bound, NaN for none."""
    critical_value: float
    """What |difference| / standard error must exceed for all pairs; ∞ where nothing is decided."""
    ahead: Bools  # (T, T): whether the row's entry is significantly ahead of the column's
    ahead_given: Bools
    """(T, T): further pairs, were the column never to predict what it does not here."""
    could_be_best: Bools  # (T,): which entries could be best: the true best is among them with 95%
    uncertain: Bools  # (T,): entries whose differences are much less sure than the field's
    possible_ranks: Ints
    """(T, 2): first and last possible rank; who is compared with nobody keeps its place."""
    leader: int | None  # the first comparable entry; None where none has a defined score
    n_draws: int  # draws of the Gaussian maxima, or patterns of signs beside the observed one, B
    # (T,): of who is first, corrected for the choice; NaN for all others and where marked.
    chosen_lower: LazyField[Floats] = LazyField()
    chosen_upper: LazyField[Floats] = LazyField()
    is_bounded: bool = False
    """A class that a compared entry never predicts, and another does, could add to its score."""

    @property
    def leader_interval(self) -> tuple[float, float]:
        """The leader's own corrected interval; NaN where there is none."""
        if self.leader is None:
            return np.nan, np.nan
        return float(self.chosen_lower[self.leader]), float(self.chosen_upper[self.leader])

    def compares(self, entries: Sequence[int]) -> bool:
        """Whether all of some entries are compared, and not one alone."""
        is_compared = self.is_compared
        return bool(is_compared[list(entries)].all() and is_compared.sum() > 1)

    @property
    def is_compared(self) -> Bools:
        """Which entries are in the comparison, shape (T,)."""
        return np.asarray(self.possible_ranks[:, 0] > 0)

    @property
    def contenders(self) -> tuple[int, ...]:
        """Indices of the entries that could be best."""
        return tuple(np.flatnonzero(self.could_be_best).tolist())

    @property
    def difference_upper(self) -> Floats:
        """Upper end of the 95% interval of row less column, by the test that decides the pair, shape (T, T)."""
        return np.asarray(-self.difference_lower.T)

    @property
    def smallest_p(self) -> float:
        """The smallest p that a difference can have: one of all patterns of signs, or draws."""
        return 1 / (self.n_draws + 1)


@dataclass(frozen=True)
class PairComparison:
    """The comparison of two entries by one metric."""

    key: ScoreKey
    first: str  # the entries' names
    second: str
    scores: tuple[float, float]  # their scores; NaN where undefined, and with it all that follows
    standard_error: float  # of the paired difference, the variance under "no difference" included
    # 95% interval and two-sided p of the difference by the test that decides the pair; an end without a bound is
    # infinite. None where one of the two is not comparable.
    interval: tuple[float, float] | None
    adjusted_p: float | None
    interval_alone: tuple[float, float]  # the 95% interval for a pair that was fixed beforehand
    randomization_p: float
    """Two-sided p of approximate randomization, for a pair that was fixed beforehand."""
    ahead: str | None = None
    """The entry that is significantly ahead of the other; None where neither is."""
    against_best: bool = False  # only the comparison with the best decides that
    scale: Scale = SHARE  # the metric's: which of two scores is better

    @property
    def difference(self) -> float:
        """The score of the first minus that of the second; above 0 where the first is better."""
        first, second = map(self.scale.goodness, self.scores)
        return first - second

    @property
    def half_width(self) -> float | None:
        """Half of the interval; None where there is none, or its ends are not as far from the difference."""
        if self.interval is None:
            return None
        return half_of(self.interval, self.difference)

    @property
    def half_width_alone(self) -> float | None:
        """Likewise of the interval for a pair that was fixed beforehand."""
        return half_of(self.interval_alone, self.difference)


_AS_FAR = 1e-9  # ends whose distances from a difference are nearer to each other differ by rounding


def half_of(interval: tuple[float, float], difference: float) -> float | None:
    """Half of an interval; None where it has not both ends, or these are not as far from the difference."""
    below = difference - interval[0]
    above = interval[1] - difference
    if math.isfinite(below) and abs(below - above) <= _AS_FAR:
        return (below + above) / 2
    return None


class State(StrEnum):
    """What another choice makes of the first place, and whether that is significant; the most severe first.

    W is first by the official score, X by the other one. Joint firsts are never significant.
    """

    OTHER_SHOWN = "other-shown"
    """X is significantly ahead of W by the other score, and W of X by the official one."""
    OTHER_SHOWN_THERE = "other-shown-there"
    """X is ahead of W by the other score, W not of X by the official one."""
    OTHER_NOT_SHOWN = "other-not-shown"  # X is not significantly ahead of W by the other score
    SAME_NOT_SHOWN = "same-not-shown"
    """W is first there, too, and shares the place or the 95% confidence set."""
    SAME_SHOWN = "same-shown"  # W is first there, too, and alone in the 95% confidence set
    NOT_TESTED = "not-tested"  # nothing is compared there; milder than any state that was tested

    @property
    def is_same(self) -> bool:
        """Whether the same are known to be first."""
        return self in {State.SAME_SHOWN, State.SAME_NOT_SHOWN}


@dataclass(frozen=True)
class WinnerChange:
    """The winners by two scores, that of the ranking first if it is one of them, and what the test set shows of it."""

    kind: str  # what is chosen otherwise
    keys: tuple[ScoreKey, ScoreKey]  # the scores on the two sides
    winners: tuple[tuple[int, ...], tuple[int, ...]]  # the entries that are first on each side
    state: State  # what becomes of the first place by the second score
    could_be_best: tuple[int, ...] = ()
    """The 95% confidence set for the best team by the second score."""
    # Of the lead of the winner by the second score over the winner by the first, or over its runner-up where that is
    # the same; None where nothing is compared.
    adjusted_p: float | None = None


@dataclass(frozen=True)
class CarriedBy:
    """Items without which the rival is ahead of the first: an upper bound of the smallest number."""

    rival: int  # the entry that is ahead without them
    cells: tuple[tuple[int, int, int, int], ...]
    """Which items, by their label codes; an answer of C is *unanswered*."""

    @property
    def n_items(self) -> int:
        """The number of items that carry it."""
        return sum(count for *_, count in self.cells)


def detectable(critical_value: float, standard_error: float) -> float:
    """The smallest true difference that is found 80% of the time (Card et al. 2020)."""
    return (critical_value + _IN_RESERVE) * standard_error


@dataclass(frozen=True)
class Power:
    """The power of the test set for the first two comparable entries by one metric, and what carries the first.

    Two tests are told apart: of one pair that was fixed beforehand, and of all pairs at once.
    """

    key: ScoreKey
    first: int
    second: int
    difference: float  # of their scores, as the comparison has them
    standard_error: float
    critical_value: float  # the critical value of the comparison of all pairs
    median_error: float
    """Median standard error over the pairs of the family that can differ; NaN where none can."""
    n_items: int  # items of the test set, N
    # None where no items were found without which another one is ahead.
    carried_by: LazyField[CarriedBy | None] = LazyField(None)
    n_groups: int | None = None
    """Groups of items that are taken as independent draws; None where items are."""

    @property
    def n_units(self) -> int:
        """The number of independent draws: groups, or items."""
        if self.n_groups is None:
            return self.n_items
        return self.n_groups

    @property
    def detected_as_pair(self) -> float:
        """The smallest true difference of these two that is found 80% of the time, by a test of this pair alone."""
        return detectable(ONE_PAIR, self.standard_error)

    @property
    def detected_among_all(self) -> float:
        """The smallest true difference of these two that is found 80% of the time, when all pairs are compared."""
        return detectable(self.critical_value, self.standard_error)

    @property
    def found_half_the_time(self) -> float:
        """The true difference of these two that is found about half the time, when all pairs are compared."""
        return self.critical_value * self.standard_error

    @property
    def median_detected_as_pair(self) -> float:
        """The difference found 80% of the time for one fixed pair with the median standard error."""
        return detectable(ONE_PAIR, self.median_error)

    @property
    def median_detected_among_all(self) -> float:
        """The difference found 80% of the time among all pairs, with the median standard error."""
        return detectable(self.critical_value, self.median_error)

    @property
    def median_found_half_the_time(self) -> float:
        """The difference found half the time among all pairs, with the median standard error."""
        return self.critical_value * self.median_error

    @property
    def needed_as_pair(self) -> int | None:
        """Items (groups, where these are drawn) with which the observed difference is found 80% of the time as a pair.

        None where there is no difference, or no standard error.
        """
        return self._needed(self.detected_as_pair)

    @property
    def needed_among_all(self) -> int | None:
        """Items (or groups) needed to find the observed difference 80% of the time among all pairs."""
        return self._needed(self.detected_among_all)

    def _needed(self, detected: float) -> int | None:
        if not (self.difference > 0 and 0 < detected < math.inf):
            return None
        return math.ceil(self.n_units * (detected / self.difference) ** 2)


@dataclass(frozen=True)
class NeededItems:
    """The number of items with which a difference is found 80% of the time."""

    correlation: float  # of the two systems' influence values, item by item
    as_pair: int  # items for a test of this pair alone
    among_all: int  # items for a comparison of all pairs of teams


@dataclass(frozen=True)
class Plan:
    """The size that a test set needs, judged from the confusions of one or two pilot systems."""

    key: ScoreKey
    difference: float  # the true difference that is to be found
    n_teams: int  # teams whose pairs are all compared
    critical_value: float  # the critical value of that comparison
    scores: tuple[float, ...]  # the scores of the pilot systems
    n_items: tuple[int, ...]  # items of each one's confusion
    deviations: tuple[float, float]
    """Of one item's influence, times the number of items, of the two systems."""
    needed: tuple[NeededItems, ...]  # the needed items for each assumed correlation


@dataclass(frozen=True, eq=False)
class Certainty:
    """The certainty of an evaluation, from its confusions and the items' influence: nothing is resampled."""

    intervals: LazyField[Intervals] = LazyField()
    # What they would be if items were independent; None where they are taken to be.
    ungrouped: LazyField[Intervals | None] = LazyField(None)
    n_groups: int | None = None
    """Groups of items that are taken as independent draws; None where items are."""
    stratified: bool = False  # whether class counts are taken as fixed by design
    comparisons: Sequence[Comparison] = ()  # the ranking metric first
    # What the first place depends on: the macro F1, the prevalence, the metric.
    changes: LazyField[tuple[WinnerChange, ...]] = LazyField(())
    seed: int = 1
    # The number of groups of one size that would tell as much of the ranking metric.
    even_groups: LazyField[float | None] = LazyField(None)

    def comparison(self, key: ScoreKey) -> Comparison | None:
        """The comparison by a metric; None where it was not made."""
        return next((comparison for comparison in self.comparisons if comparison.key == key), None)
