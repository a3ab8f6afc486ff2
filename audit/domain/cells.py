"""Confusions as their cells that are not empty: memory and time follow these, however many classes there are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from audit.domain.arrays import Counts, Floats


@dataclass(frozen=True, eq=False)
class Cells:
    """A stack of T confusions, each a row over the cells that are not empty in all of them."""

    counts: Counts  # (T, U): items, or masses, in each of the U cells
    gold: Counts  # (U,): 0 … C - 1; cells ascend, row by row
    predicted: Counts  # (U,): C for *unanswered*
    n_classes: int

    @classmethod
    def of(cls, confusions: Counts) -> Self:
        """The cells of a stack of confusions.

        >>> cells = Cells.of(np.array([[[3, 0, 0], [1, 0, 2]], [[3, 0, 0], [0, 3, 0]]]))
        >>> cells.gold.tolist(), cells.predicted.tolist(), cells.counts.tolist()
        ([0, 1, 1, 1], [0, 0, 1, 2], [[3, 1, 0, 2], [3, 0, 3, 0]])
        """
        gold, predicted = np.nonzero((confusions > 0).any(axis=0))
        return cls(
            np.asfortranarray(confusions[:, gold, predicted]), gold, predicted, confusions.shape[-2]
        )

    @classmethod
    def numbered(cls, counts: Counts, numbers: Counts, n_classes: int) -> Self:
        """Cells made from their numbers gold · (C + 1) + predicted, in ascending order."""
        return cls(np.asfortranarray(counts), *np.divmod(numbers, n_classes + 1), n_classes)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def numbers(self) -> Counts:
        """The number gold · (C + 1) + predicted of each cell, shape (U,)."""
        return np.asarray(self.gold * (self.n_classes + 1) + self.predicted)

    @property
    def on_diagonal(self) -> Counts:
        """A mask of the cells that hold correct items, shape (U,)."""
        return np.asarray(self.gold == self.predicted)

    @cached_property
    def prevalence(self) -> Counts:
        """Items of each gold class, shape (T, C)."""
        return self.by_gold(self.counts)

    @cached_property
    def answers(self) -> Counts:
        """Items answered with each class and unanswered ones, shape (T, C + 1)."""
        return self.by_predicted(self.counts)

    @cached_property
    def correct(self) -> Counts:
        """Items of each class that were predicted right, shape (T, C)."""
        return self.by_gold(np.where(self.on_diagonal, self.counts, 0))

    def by_gold(self, values: Floats) -> Floats:
        """Sums over the cells of each gold class: (..., U) → (..., C)."""
        return _sums(values, self.gold, self.n_classes)

    def by_predicted(self, values: Floats) -> Floats:
        """Sums over the cells of each predicted class and of *unanswered*: (..., U) → (..., C + 1)."""
        order = np.argsort(self.predicted, kind="stable")
        return _sums(values[..., order], self.predicted[order], self.n_classes + 1)

    def of_teams(self, teams: Counts | Sequence[int]) -> Self:
        """The cells that are not empty in all confusions of some teams; these in the order that is given."""
        counts = self.counts[np.asarray(teams)]
        occupied = counts.any(axis=0)
        return replace(
            self,
            counts=np.asfortranarray(counts[:, occupied]),
            gold=self.gold[occupied],
            predicted=self.predicted[occupied],
        )

    def plus(self, other: "Cells") -> Self:
        """The sum of two stacks of as many confusions, of the same classes."""
        numbers = np.union1d(self.numbers, other.numbers)
        counts = np.zeros(
            (len(self), numbers.size), dtype=np.result_type(self.counts, other.counts)
        )
        for each in (self, other):
            counts[:, np.searchsorted(numbers, each.numbers)] += each.counts
        return self.numbered(counts, numbers, self.n_classes)

    def where(self, kept: Counts, correct: Counts) -> Self:
        """The confusions that a mask selects; all-correct ones with counts (T, C) replace the others."""
        codes = np.arange(self.n_classes)
        others = Cells(np.where(kept[:, None], 0, correct), codes, codes, self.n_classes)
        return replace(self, counts=np.where(kept[:, None], self.counts, 0)).plus(others)

    def with_unanswered(self, items: Counts) -> Self:
        """The confusions with further unanswered items of each gold class, whose numbers have shape (T, C)."""
        gold = np.flatnonzero(items.any(axis=0))
        unanswered = np.full(gold.shape, self.n_classes)
        if gold.size:
            return self.plus(Cells(items[:, gold], gold, unanswered, self.n_classes))
        return self

    def dense(self, values: Counts | None = None) -> Counts:
        """The confusions, or values of their cells, as matrices, 0 in the empty cells: (T, U) → (T, C, C + 1)."""
        if values is None:
            values = self.counts
        whole = np.zeros((len(values), self.n_classes, self.n_classes + 1), dtype=values.dtype)
        whole[:, self.gold, self.predicted] = values
        return whole

    def row_means(self, column: Floats, diagonal: Floats, cells: Floats | None = None) -> Floats:
        """Mean over each gold class of a value by answer, and of one more where it is correct, shape (T, C)."""
        values = column[:, self.predicted] + np.where(self.on_diagonal, diagonal[:, self.gold], 0)
        if cells is not None:
            values = values + cells[:, self.gold, self.predicted]
        n_items = self.by_gold(self.counts)
        return np.divide(
            self.by_gold(self.counts * values),
            n_items,
            out=np.zeros(n_items.shape),
            where=n_items > 0,
        )


def _sums(values: Floats, numbers: Counts, length: int) -> Floats:
    """Sums of the columns of each number, which ascend: (..., U) → (..., length)."""
    places, starts = np.unique(numbers, return_index=True)
    sums = np.zeros((*values.shape[:-1], length), dtype=values.dtype)
    if places.size:
        sums[..., places] = np.add.reduceat(values, starts, axis=-1)
    return sums
