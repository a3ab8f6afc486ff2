"""Which interval stands beside a score: the same in table, figure, look-up and JSON, of all items and of a part."""

from dataclasses import dataclass

import numpy as np

from audit.domain import MARKS, Evaluation, Mark, ScoreKey
from audit.domain.arrays import Floats
from audit.flags.rules.certainty_rules import comparison_of


@dataclass(frozen=True, eq=False)
class ShownIntervals:
    """The 95% intervals of one score as they are shown.

    Parameters
    ----------
    lower, upper : ndarray, shape (T,)
        The leader's, and theirs who share its rank, are corrected for having been chosen as the best, where teams were
        compared by the score. NaN where the score is undefined or marked.
    marks : tuple of T Mark
        Why there is none.
    corrected : tuple of int
        The entries whose interval is corrected.
    """

    lower: Floats
    upper: Floats
    marks: tuple[Mark, ...]
    corrected: tuple[int, ...]

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
    row = evaluation.row(key)
    lower, upper = certainty.intervals.lower[row].copy(), certainty.intervals.upper[row].copy()
    comparison = comparison_of(evaluation, key)
    corrected: tuple[int, ...] = ()
    if comparison is not None:
        chosen = np.flatnonzero(~np.isnan(comparison.chosen_lower))
        lower[chosen], upper[chosen] = comparison.chosen_lower[chosen], comparison.chosen_upper[chosen]
        corrected = tuple(chosen.tolist())
    return ShownIntervals(lower, upper, tuple(MARKS[mark] for mark in certainty.intervals.marks[row]), corrected)
