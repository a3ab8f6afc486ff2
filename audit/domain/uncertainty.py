"""How sure an evaluation is: intervals, comparisons of teams, and what the resampling says beside them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.domain.task import ScoreKey

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Comparison:
    """What the data say about every pair of comparable entries by one metric, all pairs at once.

    Arrays have a row for every entry. One that is not comparable, because it does not compete or dropped items, is in
    no pair: its standard errors are NaN, its adjusted p 1, its rank set (0, 0), its tier 0 and its rank shares 0.

    Parameters
    ----------
    key : ScoreKey
        The metric.
    standard_error : ndarray, shape (T, T)
        Of the paired difference.
    adjusted_p : ndarray, shape (T, T), range [1/(B + 1), 1]
        For the row's team being better than the column's, adjusted for all ordered pairs.
    critical_value : float
        What a studentised difference must exceed; NaN where no pair ever differs.
    separable : ndarray of bool, shape (T, T)
        Whether the row's team is above, and separable from, the column's, at a family-wise error of 5%.
    rank_sets : ndarray of int, shape (T, 2)
        First and last rank among the comparable entries that the data do not reject, simultaneously at 95%.
    tiers : ndarray of int, shape (T,)
        1 for the best team and all not separable from it, and so on.
    rank_shares : ndarray, shape (T, T)
        Share of replicates in which a team (row) has a rank (column, from 1): a description, no confidence set.
    behind_lower, behind_upper : ndarray, shape (T,)
        95% percentile interval of the leader's score less this one's, for baselines too; NaN for the leader itself and
        for an entry that dropped items. The leader is the first comparable entry (:meth:`Evaluation.leader`).
    randomization_p : ndarray, shape (T,)
        Unadjusted two-sided p of approximate randomization against the leader; NaN likewise.
    delta_error : ndarray, shape (T,)
        Standard error of every entry's score by the delta method, without resampling: a check of the bootstrap, with
        which it agrees where every class has many items. NaN where the score is undefined.
    """

    key: ScoreKey
    standard_error: Floats
    adjusted_p: Floats
    critical_value: float
    separable: NDArray[np.bool_]
    rank_sets: Ints
    tiers: Ints
    rank_shares: Floats
    behind_lower: Floats
    behind_upper: Floats
    randomization_p: Floats
    delta_error: Floats

    @property
    def possible_winners(self) -> tuple[int, ...]:
        """Indices of the teams whose rank set holds 1."""
        return tuple(np.flatnonzero(self.rank_sets[:, 0] == 1).tolist())

    @property
    def resolution(self) -> float:
        """Median over the pairs of what a difference must exceed to be separable; NaN where no pair ever differs."""
        errors = self.standard_error[np.triu_indices(len(self.standard_error), k=1)]
        moving = errors[errors > 0]
        return float(np.median(moving) * self.critical_value) if moving.size else float("nan")


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """How sure the scores and their order are, by a paired bootstrap over items.

    Parameters
    ----------
    n_replicates, seed : int
        B, and what seeds them.
    n_groups : int, optional
        Number of groups resampled, where items come in groups.
    share_left_out : float
        Share of replicates in which an averaged class has no gold item; macro and calibrated metrics leave them out.
    n_repaired : int
        Rows whose recall is exactly 0 or 1, which the bootstrap cannot move, and which draw from a Beta distribution.
    lower, upper : ndarray, shape (K, T)
        95% percentile intervals of every score of the evaluation, in its order; NaN where the score is undefined.
    gap_lower, gap_upper : ndarray, shape (T,)
        95% percentile intervals of Δ.
    comparisons : tuple of Comparison
        The ranking metric first, then both macro F1s, and the ranking metric at observed and balanced prevalence.
    macro_f1_disagreement : float
        Share of replicates in which the two macro F1s have different winners.
    prevalence_disagreement : float
        Share of replicates in which the ranking metric has another winner at balanced prevalence.
    spearman_lower, spearman_upper : ndarray, shape (M, M)
        95% percentile intervals of Spearman's ρ between the metrics of the agreement matrix.
    n_spearman : int
        Replicates these rest on.
    """

    n_replicates: int
    seed: int
    n_groups: int | None
    share_left_out: float
    n_repaired: int
    lower: Floats
    upper: Floats
    gap_lower: Floats
    gap_upper: Floats
    comparisons: tuple[Comparison, ...]
    macro_f1_disagreement: float
    prevalence_disagreement: float
    spearman_lower: Floats
    spearman_upper: Floats
    n_spearman: int


@dataclass(frozen=True)
class PairComparison:
    """Two entries by one metric, as a single comparison that somebody asked for.

    Parameters
    ----------
    key : ScoreKey
        The metric.
    first, second : str
        The entries' names.
    difference : float
        The first one's score less the second one's; NaN where one is undefined, and with it all that follows.
    lower, upper : float
        95% percentile interval of the paired difference, for this pair alone.
    standard_error : float
        Of the paired difference, by the bootstrap.
    delta_error : float
        Likewise, by the delta method.
    randomization_p : float
        Unadjusted two-sided p of approximate randomization.
    adjusted_p : float, optional
        For the entry with the higher score being better, adjusted for all ordered pairs of comparable entries; None
        where the metric's simultaneous comparison was not made, or one of the two is not in it.
    n_replicates, seed : int
        Replicates and randomizations, and what seeds them.
    """

    key: ScoreKey
    first: str
    second: str
    difference: float
    lower: float
    upper: float
    standard_error: float
    delta_error: float
    randomization_p: float
    adjusted_p: float | None
    n_replicates: int
    seed: int
