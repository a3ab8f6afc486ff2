"""The gold items with every answer: made only for who asks, since it gives the test set away."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class GoldItems:
    """The gold items with every entry's answers."""

    names: tuple[str, ...]  # the T entries, in the evaluation's order
    ids: tuple[str, ...] | None  # the N item ids; None where items are known by position only
    gold: tuple[str, ...]  # each item's gold label
    right: NDArray[np.bool_]  # shape (T, N): whether the entry's answer is the gold label
    answered: NDArray[np.bool_]  # shape (T, N): whether the entry gave a label of the label set

    @property
    def n_right(self) -> NDArray[np.int64]:
        """How many entries are right on each item, shape (N,)."""
        return np.asarray(np.count_nonzero(self.right, axis=0), dtype=np.int64)
