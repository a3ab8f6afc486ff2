"""The scores that teams give to single items, such as probabilities: how far each item is of one of two classes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Floats


@dataclass(frozen=True, eq=False)
class ItemScores:
    """The score that each entry gives every item; the higher, the more the item is of the scored class.

    Parameters
    ----------
    positive : ndarray of bool, shape (N,)
        Which items are of the class that a higher score speaks for, in gold order.
    rows : tuple of T ndarrays, shape (N,)
        Each entry's scores in gold order, all finite; None for an entry without a score for every item.
    """

    positive: NDArray[np.bool_]
    rows: tuple[Floats | None, ...]

    @property
    def entries(self) -> NDArray[np.intp]:
        """Indices of the entries that have scores, ascending."""
        return np.array([entry for entry, row in enumerate(self.rows) if row is not None], dtype=np.intp)

    def of_items(self, selected: NDArray[np.bool_]) -> "ItemScores":
        """The scores of some of the items."""
        rows = tuple(None if row is None else row[selected] for row in self.rows)
        return ItemScores(self.positive[selected], rows)
