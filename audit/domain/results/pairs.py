"""Every pair of entries at once, for a reader who chooses two of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_PAIRED = 60
"""The largest number of entries of which all pairs are kept."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Items on which entries differ. The comparisons of the certainty say how sure the differences are."""

    only_right: NDArray[np.int64]
    """Gold items of each class that the row's entry answers right and the column's does not, whether that one is wrong
    or gives no answer, shape (T, T, C).
    """
