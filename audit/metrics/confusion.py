"""Confusions, and the five counts of them that most metrics are functions of.

A confusion counts items as gold × predicted, with one more column for *unanswered* items: shape (..., C, C + 1).
Leading axes are submissions, prevalences, anything. The papers print the transpose (rows predictions).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from audit.domain import Cells, F1Undefined, Undefined
from audit.domain.arrays import Bools, Counts, Floats
from audit.errors import UsageError

# answers counted at once: bounded memory, and few enough to stay in the processor's cache
_BLOCK = 1 << 18
# of one confusion, however few items it has: a row of counts is then the fastest
_FEW_CELLS = 1 << 16


def over_classes(terms: Counts, where: Bools | None = None) -> Counts:
    """Sum over the last axis, the classes, or over those of them in a mask; of a boolean array the count.

    Several times as fast as ``terms.sum(axis=-1)`` where there are few classes and many confusions.
    """
    if where is not None:
        return np.asarray(np.einsum("...c,...c->...", terms, where))
    if terms.dtype == bool:
        return np.asarray(np.einsum("...c->...", terms, dtype=np.int64))
    return np.asarray(np.einsum("...c->...", terms, dtype=terms.dtype))


def ratio(numerator: Counts | float, denominator: Counts | float) -> Floats:
    """Quotient, 0 where the denominator is 0."""
    above = np.asarray(numerator)
    below = np.asarray(denominator)
    shape = above.shape
    # they nearly never differ, and of few teams broadcasting takes longest
    if above.shape != below.shape:
        shape = np.broadcast_shapes(above.shape, below.shape)
    quotient: Floats = np.divide(above, below, out=np.zeros(shape), where=below > 0)
    return quotient


def weighted_sum(values: Sequence[Floats | float], weights: Sequence[float]) -> Floats:
    """Σ w v."""
    return np.asarray(sum(weight * value for value, weight in zip(values, weights, strict=True)))


def count_confusions(
    gold: Counts, predictions: Sequence[Counts], n_classes: int, *, drop_missing: bool = False
) -> NDArray[np.int64]:
    """Confusions of many submissions to one gold.

    Counts, gold × predicted, shape (T, C, C + 1), the last column *unanswered*, from class codes of shape (N,): every
    predicted code from C on is *unanswered*. With `drop_missing` items of code C, *missing*, are left out of that
    submission's confusion instead.

    >>> count_confusions(np.array([0, 0, 1]), [np.array([0, 1, 1]), np.array([0, 0, 2])], 2).tolist()
    [[[1, 1, 0], [0, 1, 0]], [[2, 0, 0], [0, 0, 1]]]
    >>> count_confusions(np.array([0, 0, 1]), [np.array([0, 3, 2])], 2, drop_missing=True).tolist()
    [[[1, 0, 1], [0, 0, 0]]]
    """
    n_columns = n_classes + 1 + drop_missing
    n_cells = n_classes * n_columns
    counts = np.empty((len(predictions), n_cells), dtype=np.int64)
    step = max(1, min(len(predictions), _BLOCK // max(1, gold.size)))
    cell_number = np.min_scalar_type(step * n_cells)  # the narrower, the faster
    rows = gold.astype(cell_number) * cell_number.type(n_columns)
    first_cells = np.arange(step, dtype=cell_number)[:, None] * cell_number.type(n_cells) + rows
    for start in range(0, len(predictions), step):
        columns = np.stack(predictions[start : start + step])
        if columns.max(initial=0) >= n_columns:
            columns = np.minimum(columns, n_columns - 1)
        block = len(columns)
        tally = np.bincount((first_cells[:block] + columns).ravel(), minlength=block * n_cells)
        counts[start : start + block] = tally.reshape(block, n_cells)
    cells = counts.reshape(-1, n_classes, n_columns)
    if drop_missing:
        return np.delete(cells, n_classes, axis=-1)
    return cells


def count_cells(
    gold: Counts,
    predictions: Sequence[Counts],
    n_classes: int,
    *,
    drop_missing: bool = False,
    most: float = math.inf,
) -> Cells:
    """The confusions of many submissions as cells: memory follows the answers, however many classes there are.

    Parameters are those of :func:`count_confusions`, and how many cells there may be.

    >>> cells = count_cells(np.array([0, 0, 1]), [np.array([0, 1, 1]), np.array([0, 0, 2])], 2)
    >>> cells.gold.tolist(), cells.predicted.tolist(), cells.counts.tolist()
    ([0, 0, 1, 1], [0, 1, 1, 2], [[1, 1, 1, 0], [2, 0, 0, 1]])
    """
    if n_classes * (n_classes + 1) <= max(gold.size, _FEW_CELLS):
        cells = Cells.of(count_confusions(gold, predictions, n_classes, drop_missing=drop_missing))
        if cells.counts.size > most:
            raise TooManyCellsError(cells.gold.size)
        return cells
    rows = gold.astype(np.int64) * (n_classes + 1)
    counted = [_counted(rows, codes, n_classes, drop_missing=drop_missing) for codes in predictions]
    numbers = np.unique(np.concatenate([some for some, _ in counted]))
    if len(predictions) * numbers.size > most:
        raise TooManyCellsError(numbers.size)
    counts = np.zeros((len(predictions), numbers.size), dtype=np.int64)
    for row, (some, n_items) in zip(counts, counted, strict=True):
        row[np.searchsorted(numbers, some)] = n_items
    return Cells.numbered(counts, numbers, n_classes)


class TooManyCellsError(Exception):
    """The cells that are not empty in all confusions, as its argument, are more than were meant to be."""


def _counted(
    rows: Counts, codes: Counts, n_classes: int, *, drop_missing: bool
) -> tuple[Counts, Counts]:
    """The cells of one submission by their numbers, which ascend, and the items in each."""
    if drop_missing:
        kept = codes != n_classes
        rows, codes = rows[kept], codes[kept]
    return np.unique(rows + np.minimum(codes, n_classes), return_counts=True)


_COUNTS = ("correct", "bias", "prevalence", "unanswered", "total", "averaged")


@dataclass(frozen=True, eq=False)
class Margins:
    """A stack of confusions as a metric sees it: five counts at hand, and the cells for a metric that asks for them."""

    correct: Counts
    """(..., C): items of each class that were predicted right; then those predicted as it, and gold."""
    bias: Counts  # (..., C)
    prevalence: Counts  # (..., C)
    unanswered: Counts  # (...): items without a usable label, and all items
    total: Counts  # (...)
    averaged: Counts  # (..., C): the averaging set: the classes over which averages run
    undefined: Undefined = Undefined.ZERO
    """What an undefined class score becomes, on its own and in an average."""
    f1_undefined: F1Undefined = F1Undefined.EMPTY  # which class F1s are undefined
    made: Callable[[], Counts] | None = None  # makes the confusions, shape (..., C, C + 1)
    values: tuple[float, ...] | None = None
    """Of labels on a scale, in ascending order; None for steps of one."""

    @classmethod
    def of(cls, confusion: Counts, averaged: Bools | None = None) -> Self:
        """Margins of a stack of confusions: counts or masses, gold × predicted and *unanswered*, (..., C, C + 1).

        Averages run over the classes in gold, or over those of a mask of shape (..., C). UsageError where the
        shape is another, a cell is negative or not finite, or a confusion holds no item.

        >>> margins = Margins.of([[[5, 5, 0], [10, 9, 1]]])
        >>> margins.correct.tolist(), margins.bias.tolist(), margins.prevalence.tolist(), margins.unanswered.tolist()
        ([[5, 9]], [[15, 14]], [[10, 20]], [1])
        """
        cells = checked(confusion)
        # contiguous as prevalence is, so that their sums round alike and accuracy is at most 1
        correct = np.ascontiguousarray(np.diagonal(cells, axis1=-2, axis2=-1))
        answers = np.einsum("...gp->...p", cells)
        margins = cls.of_answers(correct, answers, over_classes(cells), lambda: cells)
        if averaged is None:
            return margins
        return replace(margins, averaged=averaged)

    @classmethod
    def of_cells(cls, cells: Cells, scale: Floats | None = None) -> Self:
        """Margins of T confusions, their gold rows multiplied by a scale of shape (T, C) where there is one."""
        if scale is not None:
            cells = replace(cells, counts=cells.counts * scale[:, cells.gold])
        return cls.of_answers(cells.correct, cells.answers, cells.prevalence, cache(cells.dense))

    @classmethod
    def of_answers(
        cls,
        correct: Counts,
        answers: Counts,
        prevalence: Counts,
        made: Callable[[], Counts] | None = None,
    ) -> Self:
        """Margins from the answers with each class and *unanswered*, (..., C + 1); averages run over those in gold."""
        bias = np.ascontiguousarray(answers[..., :-1])
        total = over_classes(prevalence)
        return cls(correct, bias, prevalence, answers[..., -1], total, prevalence > 0, made=made)

    @property
    def confusion(self) -> Counts:
        """The cells, shape (..., C, C + 1); where only margins are known, no metric that looks at cells is asked."""
        assert self.made is not None  # noqa: S101 - only those are asked that hold them
        return self.made()

    @classmethod
    def stacked(cls, margins: Sequence[Self]) -> Self:
        """Margins of confusions of one shape, by the rules of the first, along a new first axis."""
        counts: dict[str, Any] = {}
        for name in _COUNTS:
            counts[name] = np.stack([getattr(each, name) for each in margins])
        matrices = cache(lambda: np.stack([each.confusion for each in margins]))
        return replace(margins[0], made=matrices, **counts)

    def at(self, places: Counts) -> Self:
        """The margins at some places of the first axis, in the shape of their choice, as often as they are named."""
        matrices = self.made
        some_matrices = None
        if matrices is not None:
            some_matrices = cache(lambda: matrices()[places])
        counts: dict[str, Any] = {name: getattr(self, name)[places] for name in _COUNTS}
        return replace(self, made=some_matrices, **counts)

    def over(self, codes: Sequence[int]) -> Self:
        """Margins that average over the named classes alone, as far as these are in the averaging set."""
        named = np.zeros(self.correct.shape[-1], dtype=bool)
        named[list(codes)] = True
        return replace(self, averaged=self.averaged & named)

    def without(self, code: int | None) -> Self:
        """Margins that average over one class less; its items still count as errors of the other classes."""
        if code is None:
            return self
        is_other = np.arange(self.correct.shape[-1]) != code
        return replace(self, averaged=self.averaged & is_other)

    @property
    def others(self) -> Counts:
        """Gold items of all other classes, shape (..., C)."""
        # From the classes, whose sum the total is: with one class alone exactly 0, also where masses are rounded.
        in_gold = self.prevalence > 0
        is_only = over_classes(in_gold)[..., None] == in_gold
        nothing = self.prevalence.dtype.type(0)
        return np.asarray(np.where(is_only, nothing, self.total[..., None] - self.prevalence))

    @property
    def n_averaged(self) -> NDArray[np.int64]:
        """Classes in the averaging set, k, shape (...)."""
        return over_classes(self.averaged)


def checked(confusion: Counts) -> Counts:
    """Cells of a stack of confusions, integers as int64 and masses as float64; UsageError where they are none."""
    cells = np.asarray(confusion)
    if cells.ndim < 2 or cells.shape[-1] != cells.shape[-2] + 1:  # noqa: PLR2004 - a confusion has two axes
        raise UsageError(
            f"A confusion has shape (..., C, C + 1): gold × predicted and a last column for unanswered items. "
            f"Found {cells.shape}; append a column of zeros where every item is answered."
        )
    if not np.isfinite(cells).all() or (cells < 0).any():
        raise UsageError("A confusion holds counts or masses: every cell is finite and at least 0.")
    if (cells.sum(axis=(-2, -1)) == 0).any():
        raise UsageError("A confusion without items has no score: the gold is empty.")
    if np.issubdtype(cells.dtype, np.integer):
        # integers stay integers, so that what is 0 is decided exactly
        return cells.astype(np.int64)
    return cells.astype(np.float64)
