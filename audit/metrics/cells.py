"""Confusions as their cells that are not empty: memory and time follow these, however many classes there are."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from audit.metrics.confusion import Counts, Floats, Margins, over_classes


@dataclass(frozen=True, eq=False)
class Cells:
    """A stack of T confusions, each a row over the cells that are not empty in all of them.

    Parameters
    ----------
    counts : ndarray, shape (T, U)
        Items, or masses, in each of the U cells.
    gold, predicted : ndarray of int, shape (U,)
        Each cell's gold class, 0 … C - 1, in ascending order, and its predicted class, C for *unanswered*.
    n_classes : int
        C.
    """

    counts: Counts
    gold: Counts
    predicted: Counts
    n_classes: int

    @classmethod
    def of(cls, confusions: Counts) -> "Cells":
        """The cells of a stack of confusions.

        Parameters
        ----------
        confusions : ndarray, shape (T, C, C + 1)
            Gold × predicted, the last column *unanswered*.

        Examples
        --------
        >>> cells = Cells.of(np.array([[[3, 0, 0], [1, 0, 2]], [[3, 0, 0], [0, 3, 0]]]))
        >>> cells.gold.tolist(), cells.predicted.tolist(), cells.counts.tolist()
        ([0, 1, 1, 1], [0, 0, 1, 2], [[3, 1, 0, 2], [3, 0, 3, 0]])
        """
        gold, predicted = np.nonzero((confusions > 0).any(axis=0))
        return cls(confusions[:, gold, predicted], gold, predicted, confusions.shape[-2])

    @property
    def on_diagonal(self) -> Counts:
        """Which cells hold correct items, shape (U,)."""
        return np.asarray(self.gold == self.predicted)

    def by_gold(self, values: Floats) -> Floats:
        """Sums over the cells of each gold class: (..., U) → (..., C)."""
        return _sums(values, self.gold, self.n_classes)

    def by_predicted(self, values: Floats) -> Floats:
        """Sums over the cells of each predicted class and of *unanswered*: (..., U) → (..., C + 1)."""
        order = np.argsort(self.predicted, kind="stable")
        return _sums(values[..., order], self.predicted[order], self.n_classes + 1)

    def margins(self, scale: Floats | None = None) -> Margins:
        """Margins of the confusions, their gold rows multiplied by a scale of shape (T, C) where there is one.

        Averages run over the classes in gold.
        """
        counts = self.counts if scale is None else self.counts * scale[:, self.gold]
        prevalence, answers = self.by_gold(counts), self.by_predicted(counts)
        return Margins(
            correct=self.by_gold(np.where(self.on_diagonal, counts, 0)),
            bias=answers[..., :-1],
            prevalence=prevalence,
            unanswered=answers[..., -1],
            total=over_classes(prevalence),
            averaged=prevalence > 0,
            made=cache(lambda: self.dense(counts)),
        )

    def dense(self, values: Counts) -> Counts:
        """Values of the cells as whole confusions, 0 in the cells that are empty: (T, U) → (T, C, C + 1)."""
        whole = np.zeros((len(values), self.n_classes, self.n_classes + 1), dtype=values.dtype)
        whole[:, self.gold, self.predicted] = values
        return whole

    def row_means(self, column: Floats, diagonal: Floats, cells: Floats | None = None) -> Floats:
        """Mean over the items of each gold class of a value by answer, and one more where it is correct, shape (T, C).

        Parameters
        ----------
        column : ndarray, shape (T, C + 1)
            The value of each answer.
        diagonal : ndarray, shape (T, C)
            What is added where the answer is the gold class.
        cells : ndarray, shape (T, C, C + 1), optional
            What is added in each cell.
        """
        values = column[:, self.predicted] + np.where(self.on_diagonal, diagonal[:, self.gold], 0)
        if cells is not None:
            values = values + cells[:, self.gold, self.predicted]
        n_items = self.by_gold(self.counts)
        return np.divide(self.by_gold(self.counts * values), n_items, out=np.zeros(n_items.shape), where=n_items > 0)


def _sums(values: Floats, numbers: Counts, length: int) -> Floats:
    """Sums of the columns of each number, which ascend: (..., U) → (..., length)."""
    there, starts = np.unique(numbers, return_index=True)
    sums = np.zeros((*values.shape[:-1], length), dtype=values.dtype)
    sums[..., there] = np.add.reduceat(values, starts, axis=-1)
    return sums
