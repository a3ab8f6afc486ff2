"""Numbers of items: what a scorer gave each team for every item, or what teams predict of it."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Bools, Floats


@dataclass(frozen=True, eq=False)
class Numbers:
    """K numbers of each of T entries for each of N items."""

    values: Floats  # (T, K, N): NaN where an entry has none
    columns: tuple[str, ...]  # the names of the K columns; of ratings one without a name
    gold: Floats | None = None  # (N,): gold of ratings, where a column is a prediction
    weights: Floats | None = None  # (N,): what each item counts; None where all count alike

    def of_column(self, name: str) -> Floats:
        """The numbers of one column, shape (T, N)."""
        return np.ascontiguousarray(self.values[:, self.columns.index(name)])

    def of_entries(self, entries: NDArray[np.intp]) -> "Numbers":
        """The numbers of some of the entries."""
        return replace(self, values=self.values[entries])

    def of_items(self, selected: Bools) -> "Numbers":
        """The numbers of some of the items."""
        if self.gold is None:
            gold = None
        else:
            gold = self.gold[selected]
        if self.weights is None:
            weights = None
        else:
            weights = self.weights[selected]
        return replace(self, values=self.values[..., selected], gold=gold, weights=weights)

    def with_value(self, value: float) -> "Numbers":
        """The numbers, those that are missing replaced by one."""
        return replace(self, values=np.where(np.isnan(self.values), value, self.values))

    def with_means(self) -> "Numbers":
        """The numbers, those that are missing replaced by the mean of the same entry's others."""
        is_given = ~np.isnan(self.values)
        sums = np.where(is_given, self.values, 0.0).sum(axis=-1, keepdims=True)
        means = sums / np.maximum(is_given.sum(axis=-1, keepdims=True), 1)
        return replace(self, values=np.where(is_given, self.values, means))

    @property
    def equal_gold(self) -> Bools:
        """Whether entries predict gold's number for every item, shape (T,)."""
        if self.gold is None:
            return np.zeros(len(self.values), dtype=bool)
        return np.asarray((self.values[:, 0] == self.gold).all(axis=1))

    @property
    def item_weights(self) -> Floats:
        """What each item counts, 1 where all count alike, shape (N,)."""
        if self.weights is None:
            return np.ones(self.values.shape[-1])
        return self.weights

    @property
    def shares(self) -> Floats:
        """The share of each item in a mean over all of them, shape (N,)."""
        weights = self.item_weights
        return np.asarray(weights / weights.sum())
