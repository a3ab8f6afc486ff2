"""Which interval stands beside a score: the same in table, figure, look-up and JSON, of all items and of a part."""

from dataclasses import dataclass

import numpy as np

from audit.domain import MARKS, Comparison, Evaluation, Mark, ScoreKey
from audit.domain.arrays import Floats
from audit.findings.comparisons import comparison_of


@dataclass(frozen=True, eq=False)
class ShownIntervals:
    """The 95% intervals of one score as they are shown."""

    lower: Floats
    """Lower ends, shape (T,): the leader's, and theirs who share its rank, are corrected for having been chosen as the
    best, where teams were compared by the score. NaN where it is undefined, or a mark says why there is none."""
    upper: Floats  # upper ends, likewise
    upper_if_never: Floats
    """Shape (T,): the upper ends given that a team never predicts the classes that it did not predict, where they are
    others; NaN elsewhere, and where an interval is corrected"""
    marks: tuple[Mark, ...]  # why there is none, or why it is rough
    corrected: tuple[int, ...]  # the entries whose interval is corrected

    def ends(self, entry: int) -> tuple[float, float] | None:
        """Lower and upper end of one entry's; None where there is none."""
        lower = float(self.lower[entry])
        upper = float(self.upper[entry])
        if np.isnan(lower):
            return None
        return (lower, upper)


def shown_intervals(evaluation: Evaluation, key: ScoreKey) -> ShownIntervals | None:
    """The intervals of one score; None where the certainty was left out."""
    certainty = evaluation.certainty
    if certainty is None:
        return None
    row = evaluation.row(key)
    intervals = certainty.intervals
    lower, upper, if_never = (
        ends[row].copy() for ends in (intervals.lower, intervals.upper, intervals.upper_if_never)
    )
    comparison = comparison_of(evaluation, key)
    corrected: tuple[int, ...] = ()
    if comparison is not None:
        chosen = np.flatnonzero(~np.isnan(comparison.chosen_lower))
        lower[chosen], upper[chosen] = (
            comparison.chosen_lower[chosen],
            comparison.chosen_upper[chosen],
        )
        if_never[chosen] = np.nan
        corrected = tuple(chosen.tolist())
    return ShownIntervals(
        lower, upper, if_never, tuple(MARKS[mark] for mark in intervals.marks[row]), corrected
    )


def possible_ranks_text(comparison: Comparison, entry: int) -> str:
    """Possible ranks as printed: one rank, or first–last; – for an entry that is not compared."""
    first, last = comparison.possible_ranks[entry].tolist()
    if not first:
        return "–"
    if first == last:
        return str(first)
    return f"{first}–{last}"
