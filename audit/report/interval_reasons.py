"""Which interval stands beside a score, and why there is none: the same in table, figure, look-up and JSON."""

from dataclasses import dataclass

import numpy as np

from audit.domain import MARKS, Comparison, Evaluation, Mark, ScoreKey
from audit.domain.evaluation import Floats
from audit.flags.certainty_rules import comparison_of
from audit.inference.weights.bootstrap import FEWEST_USABLE


@dataclass(frozen=True, eq=False)
class ShownIntervals:
    """The 95% intervals of one score as they are shown.

    Parameters
    ----------
    lower, upper : ndarray, shape (T,)
        The leader's is corrected for its having been chosen as the best, where teams were compared by the score. NaN
        where the score is undefined or marked.
    marks : tuple of T Mark
        Why there is none.
    corrected : int or None
        The entry whose interval is corrected.
    """

    lower: Floats
    upper: Floats
    marks: tuple[Mark, ...]
    corrected: int | None

    def ends(self, entry: int) -> tuple[float, float] | None:
        """Lower and upper end of one entry's; None where there is none."""
        lower, upper = float(self.lower[entry]), float(self.upper[entry])
        return None if np.isnan(lower) else (lower, upper)


def shown_intervals(evaluation: Evaluation, key: ScoreKey) -> ShownIntervals | None:
    """The intervals of one score; None where the certainty was left out.

    Parameters
    ----------
    evaluation : Evaluation
        What was computed.
    key : ScoreKey
        One of its scores.
    """
    certainty = evaluation.certainty
    if certainty is None:
        return None
    row = evaluation.keys.index(key)
    lower, upper = certainty.intervals.lower[row].copy(), certainty.intervals.upper[row].copy()
    comparison = comparison_of(evaluation, key)
    corrected = None
    if comparison is not None and comparison.leader is not None and not np.isnan(comparison.leader_lower):
        corrected = comparison.leader
        lower[corrected], upper[corrected] = comparison.leader_lower, comparison.leader_upper
    return ShownIntervals(lower, upper, tuple(MARKS[mark] for mark in certainty.intervals.marks[row]), corrected)


def ranking_comparison(evaluation: Evaluation) -> Comparison | None:
    """The comparison by the ranking metric; None where the certainty was left out, or nothing could be decided."""
    return comparison_of(evaluation, evaluation.task.ranking_metric)


def rank_shares(evaluation: Evaluation, key: ScoreKey) -> Floats | None:
    """Share of the usable replicates in which an entry (row) has a rank (column), shape (T, T).

    None where none were asked for, too few are usable, or ranks by this score were not counted.
    """
    resampled = evaluation.certainty and evaluation.certainty.resampled
    if not resampled or resampled.n_usable < FEWEST_USABLE or key not in resampled.keys:
        return None
    return np.asarray(resampled.rank_shares[resampled.keys.index(key)])


def possible_ranks_text(comparison: Comparison, entry: int) -> str:
    """Possible ranks as printed: one rank, or first–last; – for an entry that is not compared."""
    first, last = comparison.rank_sets[entry].tolist()
    if not first:
        return "–"
    return str(first) if first == last else f"{first}–{last}"
