"""The gold items with every answer: made only for who asks, since it gives the test set away."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class GoldItems:
    """The gold items with every entry's answers.

    Parameters
    ----------
    names : tuple of str
        The T entries, in the evaluation's order.
    ids : tuple of str, optional
        The N item ids; None where items are known by position only.
    gold : tuple of str
        Each item's gold label.
    right : ndarray of bool, shape (T, N)
        Whether the entry's answer is the gold label.
    answered : ndarray of bool, shape (T, N)
        Whether the entry gave a label of the label set.
    """

    names: tuple[str, ...]
    ids: tuple[str, ...] | None
    gold: tuple[str, ...]
    right: NDArray[np.bool_]
    answered: NDArray[np.bool_]

    @property
    def n_right(self) -> NDArray[np.int64]:
        """How many entries are right on each item, shape (N,)."""
        return np.asarray(np.count_nonzero(self.right, axis=0), dtype=np.int64)
