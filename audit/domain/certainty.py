"""How sure an evaluation is: intervals, comparisons, who could be best, and what the test set can tell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Bools, Floats, Ints
from audit.domain.task import SHARE, Scale, ScoreKey

FAMILY_WISE_ERROR = 0.05
"""The error rate of all claims together that one entry is ahead of another, by one metric."""


class Mark(StrEnum):
    """The reason why a defined score has no interval, or a rough one: none was found that holds its level there."""

    NONE = ""
    RARE_CLASS = "rare-class"
    FEW_HITS = "few-hits"
    FEW_GROUPS = "few-groups"
    MEAN_OF_RANKS = "mean-of-ranks"


MARKS = tuple(Mark)
"""The marks by their number, as arrays hold them; 0 is no mark."""

POWER = 0.8
"""How often a difference is to be found for the test set to be said to find it."""

ONE_PAIR = NormalDist().inv_cdf(0.975)
"""What |difference| / standard error must exceed where one pair, fixed beforehand, is tested: 1.96."""

_IN_RESERVE = NormalDist().inv_cdf(POWER)


@dataclass(frozen=True, eq=False)
class Intervals:
    """A 95% interval of every score: Wilson's, with an effective number of items.

    Parameters
    ----------
    lower, upper : ndarray, shape (K, T)
        NaN where the score is undefined, or a mark says why there is none. The score always lies inside.
    upper_if_never : ndarray, shape (K, T)
        The upper end given that the team never predicts the classes that it did not predict here, whose precisions
        nothing is known of; NaN where it is the upper end itself.
    marks : ndarray of uint8, shape (K, T)
        Why there is no interval, or a rough one, as an index into `MARKS`; 0 for any other interval, or where the score
        is undefined.
    gap_upper : ndarray, shape (T,)
        Upper end of a one-sided 95% interval of Δ, the gap of the two macro F1s, from 0 on; NaN where there is none.
    gap_marks : ndarray of uint8, shape (T,)
        Why Δ has no interval, or a rough one, as an index into `MARKS`.
    """

    lower: Floats
    upper: Floats
    upper_if_never: Floats
    marks: NDArray[np.uint8]
    gap_upper: Floats
    gap_marks: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Comparison:
    """The comparison of every pair of comparable entries by one metric, and the relation that decides every claim.

    Arrays have a row for every entry. One that is not comparable, because it does not compete or dropped items, or
    that has no influence function, is in no pair of the family: nobody is ahead of it, its adjusted p are 1, it is not
    among those that could be best, its possible ranks are (0, 0) and its tier is 0.

    Parameters
    ----------
    key : ScoreKey
        The metric.
    standard_error : ndarray, shape (T, T)
        Of the paired difference, the variance under "no difference" included; 0 on the diagonal, for label-identical
        entries, and where the answers cannot move the difference. Given for entries that do not compete, too, where
        they are scored on all items; NaN elsewhere.
    adjusted_p : ndarray, shape (T, T), range [1/(B + 1), 1], symmetric
        Two-sided p of each difference, adjusted for all unordered pairs of the family. Never 0.
    critical_value : float
        What |difference| / standard error must exceed in the first step, for all pairs; NaN where no pair can differ.
    ahead : ndarray of bool, shape (T, T)
        Whether the row's entry is statistically ahead of the column's: decided over all pairs at a family-wise error of
        5%, or because the row's alone could be best.
    ahead_given : ndarray of bool, shape (T, T)
        Further pairs that would be decided given that the column's entry never predicts a class that it does not
        predict here. They decide nothing else.
    could_be_best : ndarray of bool, shape (T,)
        Which entries could be best: the true best is among them with 95%.
    uncertain : ndarray of bool, shape (T,)
        Entries whose differences are much less sure than the field's.
    possible_ranks : ndarray of int, shape (T, 2)
        First and last possible rank among the compared entries.
    tiers : ndarray of int, shape (T,)
        Stretches of the ranking, from 1 on: every entry that is not uncertain is ahead of all such of later tiers.
    leader : int or None
        The first comparable entry; None where none has a defined score.
    chosen_lower, chosen_upper : ndarray, shape (T,)
        The 95% interval of the leader, and of each entry that shares its rank, corrected for having been chosen as the
        best; NaN for all others, and where the score is marked.
    n_draws : int
        Draws of the Gaussian maxima, B.
    """

    key: ScoreKey
    standard_error: Floats
    adjusted_p: Floats
    critical_value: float
    ahead: Bools
    ahead_given: Bools
    could_be_best: Bools
    uncertain: Bools
    possible_ranks: Ints
    tiers: Ints
    leader: int | None
    chosen_lower: Floats
    chosen_upper: Floats
    n_draws: int

    @property
    def leader_interval(self) -> tuple[float, float]:
        """The leader's own corrected interval; NaN where there is none."""
        if self.leader is None:
            return np.nan, np.nan
        return float(self.chosen_lower[self.leader]), float(self.chosen_upper[self.leader])

    def compares(self, entries: Sequence[int]) -> bool:
        """Whether all of some entries are compared, and not one alone."""
        compared = self.possible_ranks[:, 0] > 0
        return bool(compared[list(entries)].all() and compared.sum() > 1)

    @property
    def contenders(self) -> tuple[int, ...]:
        """Indices of the entries that could be best."""
        return tuple(np.flatnonzero(self.could_be_best).tolist())

    @property
    def half_width(self) -> Floats:
        """Half the simultaneous 95% interval of every difference: critical value × standard error, shape (T, T)."""
        return np.asarray(self.critical_value * self.standard_error)


@dataclass(frozen=True)
class PairComparison:
    """The comparison of two entries by one metric.

    Parameters
    ----------
    key : ScoreKey
        The metric.
    first, second : str
        The entries' names.
    scores : tuple of two floats
        Their scores; NaN where undefined, and with it all that follows.
    standard_error : float
        Of the paired difference, the variance under "no difference" included.
    half_width : float, optional
        Half the 95% interval of the difference that holds for all pairs of comparable entries at once; None where one
        of the two is not among these.
    adjusted_p : float, optional
        Two-sided p of the difference, adjusted for all these pairs; None where `half_width` is.
    half_width_alone : float
        Half the 95% interval for a pair that was fixed beforehand.
    randomization_p : float
        Two-sided p of approximate randomization, for a pair that was fixed beforehand.
    ahead : str, optional
        The entry that is statistically ahead of the other; None where neither is.
    scale : Scale
        The metric's: which of two scores is better.
    """

    key: ScoreKey
    first: str
    second: str
    scores: tuple[float, float]
    standard_error: float
    half_width: float | None
    adjusted_p: float | None
    half_width_alone: float
    randomization_p: float
    ahead: str | None = None
    scale: Scale = SHARE

    @property
    def difference(self) -> float:
        """The score of the first minus that of the second; above 0 where the first is better."""
        first, second = map(self.scale.goodness, self.scores)
        return first - second

    @property
    def as_best(self) -> bool:
        """Whether one is ahead because it alone could be best, though the comparison of all pairs does not show it."""
        return self.ahead is not None and self.adjusted_p is not None and self.adjusted_p > FAMILY_WISE_ERROR


class State(StrEnum):
    """What another choice makes of the first place, and whether the test set shows it; the worst first."""

    OTHER_SHOWN = "other-shown"
    """Another is first, and each of the two is ahead of the other by its own score."""
    OTHER_NOT_SHOWN = "other-not-shown"
    """Others are first, or not the same share first place, and not both are ahead of the other by their own score."""
    NOT_TESTED = "not-tested"
    SAME_NOT_SHOWN = "same-not-shown"
    """The same are first, and others could be best there."""
    SAME_SHOWN = "same-shown"
    """The same one is first, and ahead of all others there, too."""

    @property
    def is_same(self) -> bool:
        """Whether the same are known to be first."""
        return self in {State.SAME_SHOWN, State.SAME_NOT_SHOWN}


@dataclass(frozen=True)
class WinnerChange:
    """The winners by two scores, that of the ranking first if it is one of them, and what the test set shows of it.

    Parameters
    ----------
    kind : {"macro-f1", "metric", "prevalence"}
        What is chosen otherwise.
    keys : tuple of two ScoreKey
        The scores on the two sides.
    winners : tuple of two tuples of int
        The entries that are first on each side.
    state : State
        What becomes of the first place by the second score.
    could_be_best : tuple of int
        The entries that could be best by the second score; none where nothing was compared by it.
    """

    kind: str
    keys: tuple[ScoreKey, ScoreKey]
    winners: tuple[tuple[int, ...], tuple[int, ...]]
    state: State
    could_be_best: tuple[int, ...] = ()


@dataclass(frozen=True)
class CarriedBy:
    """The few items that carry the first place: without them the rival is ahead. An upper bound of the smallest number.

    Parameters
    ----------
    rival : int
        The entry that is ahead without them.
    cells : tuple of (gold, leader's answer, rival's answer, count)
        Which items, by their label codes; an answer of C is *unanswered*.
    """

    rival: int
    cells: tuple[tuple[int, int, int, int], ...]

    @property
    def n_items(self) -> int:
        """How many items these are."""
        return sum(count for *_, count in self.cells)


@dataclass(frozen=True)
class LabelNoise:
    """How label noise changes the winner: gold labels are replaced at random, whatever was predicted.

    Parameters
    ----------
    shares : tuple of float
        Shares of items that are relabelled.
    stays : tuple of float
        Share of the relabellings in which the winner is still first, for each.
    n_draws : int
        Relabellings drawn for each share.
    """

    shares: tuple[float, ...]
    stays: tuple[float, ...]
    n_draws: int


def detectable(critical_value: float, standard_error: float) -> float:
    """The smallest true difference that is found 80% of the time.

    Parameters
    ----------
    critical_value : float
        What |difference| / standard error must exceed.
    standard_error : float
        The standard error of the difference.

    Notes
    -----
    The source is Card et al. 2020, and any textbook on the power of a test.

    Examples
    --------
    >>> round(detectable(ONE_PAIR, 0.01), 4)
    0.028
    """
    return (critical_value + _IN_RESERVE) * standard_error


@dataclass(frozen=True)
class Power:
    """The power of the test set for the first two comparable entries by one metric, and what carries the first.

    Two tests are told apart: of one pair that was fixed beforehand, and of all pairs at once.

    Parameters
    ----------
    key : ScoreKey
        The metric.
    first, second : int
        The entries.
    difference, standard_error : float
        Of their scores, as the comparison has them. The standard error is 0 for label-identical entries, and NaN where
        a score has no influence function.
    critical_value : float
        The critical value of the comparison of all pairs.
    median_error : float
        Median standard error over the pairs of the family that can differ; NaN where none can.
    n_items : int
        Items of the test set, N.
    carried_by : CarriedBy, optional
        None where no items were found without which another one is ahead.
    label_noise : LabelNoise, optional
        None where it was not computed.
    n_groups : int, optional
        Groups of items that are taken as independent draws; None where items are.

    Examples
    --------
    A lead of .01 with a standard error of .005 on 1,000 items, among twenty teams:

    >>> power = Power(ScoreKey("accuracy"), 0, 1, 0.01, 0.005, 3.5, 0.006, 1000)
    >>> [round(power.detected_as_pair, 4), round(power.detected_among_all, 4), round(power.found_half_the_time, 4)]
    [0.014, 0.0217, 0.0175]
    >>> power.needed_as_pair, power.needed_among_all
    (1963, 4713)
    """

    key: ScoreKey
    first: int
    second: int
    difference: float
    standard_error: float
    critical_value: float
    median_error: float
    n_items: int
    carried_by: CarriedBy | None = None
    label_noise: LabelNoise | None = None
    n_groups: int | None = None

    @property
    def n_units(self) -> int:
        """How many independent draws there are: groups, or items."""
        return self.n_items if self.n_groups is None else self.n_groups

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
        if not (self.difference > 0 and detected > 0):
            return None
        return math.ceil(self.n_units * (detected / self.difference) ** 2)


@dataclass(frozen=True)
class NeededItems:
    """The number of items with which a difference is found 80% of the time.

    Parameters
    ----------
    correlation : float
        Of the two systems' influence values, item by item: 0 where they err independently, 1 where alike.
    as_pair : int
        Items for a test of this pair alone.
    among_all : int
        Items for a comparison of all pairs of teams.
    """

    correlation: float
    as_pair: int
    among_all: int


@dataclass(frozen=True)
class Plan:
    """The size that a test set needs, judged from the confusions of one or two pilot systems.

    Parameters
    ----------
    key : ScoreKey
        The metric.
    difference : float
        The true difference that is to be found.
    n_teams : int
        Teams whose pairs are all compared.
    critical_value : float
        The critical value of that comparison.
    scores : tuple of float
        The scores of the pilot systems.
    n_items : tuple of int
        Items of each one's confusion.
    deviations : tuple of two float
        Standard deviation of one item's influence, times the number of items, of the two systems.
    needed : tuple of NeededItems
        The needed items for each assumed correlation.
    """

    key: ScoreKey
    difference: float
    n_teams: int
    critical_value: float
    scores: tuple[float, ...]
    n_items: tuple[int, ...]
    deviations: tuple[float, float]
    needed: tuple[NeededItems, ...]


@dataclass(frozen=True, eq=False)
class Resampled:
    """Results of paired item weights for numbers without an influence function. A description, no test.

    Parameters
    ----------
    n_replicates, seed : int
        B, and what seeds them.
    n_usable : int
        Replicates in which every averaged class has a gold item; the others are left out.
    lower, upper : ndarray, shape (K, T)
        Percentile intervals of every score from the usable replicates: a second opinion; NaN below 200 of them.
    keys : tuple of M ScoreKey
        The scores whose ranks were counted: the ranking metric and both macro F1s.
    rank_shares : ndarray, shape (M, T, T)
        Share of replicates in which an entry (row) has a rank (column, from 1) by each of them.
    macro_f1_disagreement, prevalence_disagreement : float
        Share of replicates in which the two macro F1s, and the ranking metric at observed and balanced prevalence,
        have different winners.
    spearman_lower, spearman_upper : ndarray, shape (A, A)
        The middle 95% of the replicates' Spearman's ρ between the metrics of the agreement matrix.
    n_spearman : int
        Replicates these rest on.
    """

    n_replicates: int
    seed: int
    n_usable: int
    lower: Floats
    upper: Floats
    keys: tuple[ScoreKey, ...]
    rank_shares: Floats
    macro_f1_disagreement: float
    prevalence_disagreement: float
    spearman_lower: Floats
    spearman_upper: Floats
    n_spearman: int


@dataclass(frozen=True, eq=False)
class Certainty:
    """The certainty of an evaluation, from its confusions and the items' influence: nothing is resampled.

    Parameters
    ----------
    intervals : Intervals
        The interval of every score.
    ungrouped : Intervals, optional
        What they would be if items were independent; None where they are taken to be.
    n_groups : int, optional
        Groups of items that are taken as independent draws; None where items are.
    stratified : bool
        Whether class counts are taken as fixed by design.
    comparisons : tuple of Comparison
        The ranking metric first, then both macro F1s, the ranking metric at observed and balanced prevalence, and every
        metric by which somebody else is first.
    changes : tuple of WinnerChange
        What the first place depends on: the macro F1, the prevalence, the metric.
    seed : int
        Seeds every draw.
    resampled : Resampled, optional
        None where no replicates were asked for.
    even_groups : float, optional
        The number of groups of one size that would tell as much of the ranking metric: one over the sum of squares of
        their leverage. None where items are independent.
    """

    intervals: Intervals
    ungrouped: Intervals | None
    n_groups: int | None
    stratified: bool
    comparisons: tuple[Comparison, ...]
    changes: tuple[WinnerChange, ...]
    seed: int
    resampled: Resampled | None = None
    even_groups: float | None = None

    def comparison(self, key: ScoreKey) -> Comparison | None:
        """The comparison by a metric; None where it was not made."""
        return next((comparison for comparison in self.comparisons if comparison.key == key), None)
