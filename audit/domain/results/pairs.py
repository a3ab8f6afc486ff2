"""Every pair of entries at once, for a reader who chooses two of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_PAIRED = 60
"""Above this many entries nobody looks through all pairs of them."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """On which items the entries differ. How sure their differences are, the comparisons of the certainty say."""

    only_right: NDArray[np.int64]
    """Gold items of each class that the row's entry answers right and the column's does not, whether that one is wrong
    or gives no answer, shape (T, T, C).
    """
