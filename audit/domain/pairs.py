"""Every pair of entries at once, for a reader who chooses two of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.domain.task import ScoreKey

MOST_PAIRED = 60
"""Above this many entries nobody looks through all pairs of them."""

_NORMAL_95 = 1.96  # standard errors in half a 95% interval of a normal distribution


@dataclass(frozen=True, eq=False)
class Pairs:
    """What can be said of any two entries.

    Parameters
    ----------
    only_right : ndarray of int, shape (T, T, C)
        Gold items of each class that the row's entry answers right and the column's does not, whether that one is wrong
        or gives no answer.
    keys : tuple of ScoreKey
        The M scores whose differences have a standard error: each of a whole submission, at every prevalence.
    standard_error : ndarray, shape (M, T, T)
        Of the paired difference, by the delta method, for the pair alone. NaN where a score is undefined or of fewer
        items than the others, and where the method fails: the score has a standard error of 0, as at a bound of its
        range.
    """

    only_right: NDArray[np.int64]
    keys: tuple[ScoreKey, ...]
    standard_error: NDArray[np.float64]

    @property
    def half_width(self) -> NDArray[np.float64]:
        """Half the normal 95% interval of each difference, shape (M, T, T)."""
        return _NORMAL_95 * self.standard_error
