"""A metric's scale: its range, and which end of it is best."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", float, NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of a metric's scores, and which end of it is best.

    Whatever ranks, compares or crowns asks for the goodness of scores, and nothing else knows of directions.

    Parameters
    ----------
    lower, upper : float
        The range.
    greater_is_better : bool
        Whether the upper end is the best one; otherwise the lower end is.

    Examples
    --------
    >>> Scale(0, 1, greater_is_better=False).goodness(0.25), Scale(0, 1).goodness(0.25)
    (0.75, 0.25)
    """

    lower: float
    upper: float
    greater_is_better: bool = True

    def goodness(self, scores: Number) -> Number:
        """Scores turned so that higher is better: those of which less is better, mirrored in their range.

        A turned score that is turned again is the score.
        """
        return scores if self.greater_is_better else self.lower + self.upper - scores

    @property
    def best(self) -> float:
        """The score of a perfect system."""
        return self.upper if self.greater_is_better else self.lower

    @property
    def words(self) -> str:
        """Which end is best, in words."""
        return "higher is better" if self.greater_is_better else "lower is better"


SHARE = Scale(0.0, 1.0)
"""The scale of most metrics."""
