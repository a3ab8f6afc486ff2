"""Confusions with a few pseudo-items, half of them right, so that a row without errors can err.

Sources: Agresti and Coull 1998; Price and Bonett 2004. A class j that is in gold and predicted gets κ_j = 1 + 4 w_j
pseudo-items, w_j being its share of Σ 1/n: half of them right; a quarter missed, answered as the team's other
predictions are; a quarter false alarms, in the rows in which the team errs elsewhere. A class that is never predicted
is left alone, but where a score of a team that predicts one class only could otherwise not vary.

The false alarms and the missed items of all classes together are a sum of three outer products, so that no C × C matrix
is made: off the diagonal, E[g, p] = Σ over three pairs of vectors of left[g] · right[p].
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from audit.domain import Cells
from audit.domain.arrays import Bools, Floats
from audit.metrics.confusion import Margins, over_classes, ratio
from audit.metrics.scoring import Influence

_RIGHT = 0.5
_MISSED = 0.25
_FALSE_ALARM = 0.25
_ROUNDING = 1e-12  # of two sums that cancel


@dataclass(frozen=True, eq=False)
class Smoothed:
    """T confusions with pseudo-items."""

    cells: Cells
    right: Floats  # (T, C): pseudo-items on the diagonal
    outer: tuple[tuple[Floats, Floats], ...]
    """(T, C) each: off the diagonal their products are pseudo-items."""
    prevalence: Floats  # (T, C): gold items of each class, which the smoothed rows keep

    @classmethod
    def of(cls, cells: Cells, *, everywhere: bool = False) -> "Smoothed":
        """The confusions of some cells with their pseudo-items; everywhere: in classes never predicted, too."""
        margins = Margins.of_cells(cells)
        prevalence = margins.prevalence.astype(float)
        correct = margins.correct
        predicted = np.concatenate([margins.bias, margins.unanswered[..., None]], axis=-1).astype(
            float
        )
        pseudo = _pseudo_items(prevalence, np.asarray(everywhere) | (margins.bias > 0))
        wrong = prevalence - correct
        elsewhere = over_classes(predicted)[..., None] - predicted[..., :-1]
        errs = over_classes(wrong)[..., None] - wrong
        others = over_classes(prevalence)[..., None] - prevalence
        alarms = _FALSE_ALARM * pseudo
        outer = (
            (ratio(_MISSED * pseudo, elsewhere), predicted),
            (wrong, _padded(ratio(alarms, errs))),
            (prevalence, _padded(ratio(np.where(errs > 0, 0.0, alarms), others))),
        )
        return cls(cells, _RIGHT * pseudo, outer, prevalence)

    @property
    def grown(self) -> Floats:
        """The factor by which each gold row grew, shape (T, C); 1 for a class without gold."""
        added = self.right + self._rows_of_outer(np.ones_like(self.outer[0][1]))
        return 1 + ratio(added, self.prevalence)

    def margins(self, scale: Floats | None = None) -> Margins:
        """Margins of the smoothed confusions, whose gold rows have as many items as before, times a scale."""
        if scale is None:
            weight = 1 / self.grown
        else:
            weight = scale / self.grown
        seen = Margins.of_cells(self.cells, weight)
        answers = np.concatenate([seen.bias, seen.unanswered[..., None]], axis=-1)
        answers[..., :-1] += weight * self.right
        for left, right in self.outer:
            weighted = weight * left
            answers += over_classes(weighted)[..., None] * right
            answers[..., :-1] -= weighted * right[..., :-1]
        if scale is None:
            prevalence = self.prevalence
        else:
            prevalence = scale * self.prevalence
        made = cache(lambda: weight[..., None] * self.confusion)
        return Margins.of_answers(seen.correct + weight * self.right, answers, prevalence, made)

    @cached_property
    def confusion(self) -> Floats:
        """The smoothed confusions as matrices, shape (T, C, C + 1), for a metric that looks at single cells."""
        errors = np.sum(
            [left[..., None] * right[..., None, :] for left, right in self.outer], axis=0
        )
        codes = np.arange(self.cells.n_classes)
        errors[:, codes, codes] = self.right
        return np.asarray(errors + self.cells.dense(self.cells.counts))

    def row_means(self, column: Floats, diagonal: Floats, cells: Floats | None = None) -> Floats:
        """Mean over each smoothed gold row, as :meth:`Cells.row_means` has it of rows as they are, shape (T, C)."""
        seen = self.cells.row_means(column, diagonal) * self.prevalence
        right = self.right * (column[..., :-1] + diagonal)
        if cells is None:
            by_cell = 0.0
        else:
            by_cell = np.einsum("tgp,tgp->tg", self.confusion, cells)
        return ratio(
            seen + right + self._rows_of_outer(column) + by_cell, self.prevalence * self.grown
        )

    def sum_of_squares(self, influence: Influence) -> Floats:
        """Sum over all items and pseudo-items of their squared influence, shape (T,)."""
        if influence.cells is not None:
            return _squares_of_cells(self.confusion, influence)
        cells = self.cells
        seen = (cells.counts * influence.at(cells.gold, cells.predicted) ** 2).sum(axis=-1)
        off_diagonal = influence.row + influence.scale * influence.column[..., :-1]
        right = over_classes(self.right * (off_diagonal + influence.diagonal) ** 2)
        return np.asarray(
            seen + right + sum(_squares(*pair, influence, off_diagonal) for pair in self.outer)
        )

    def binomial_columns(self, scale: Floats) -> tuple[Floats, Floats]:
        """Variance of the scaled mass answered as each class, the rows being independent, each with its own shares."""
        cells = self.cells
        size = self.prevalence * self.grown
        # of the square of a count; the first term has that of the count, scale²
        weight = ratio(scale**2, size)
        correct = cells.by_gold(np.where(cells.on_diagonal, cells.counts, 0.0)) + self.right
        off_diagonal = np.where(cells.on_diagonal, 0.0, cells.counts)
        first = cells.by_predicted(off_diagonal * (scale**2)[:, cells.gold])[..., :-1]
        second = cells.by_predicted(off_diagonal**2 * weight[:, cells.gold])[..., :-1]
        for number, (left, right) in enumerate(self.outer):
            column = right[..., :-1]
            first = first + column * _others(scale**2 * left)
            crossed = cells.by_predicted(off_diagonal * (weight * left)[:, cells.gold])[..., :-1]
            second = second + 2 * column * crossed
            for other, (also_left, also_right) in enumerate(self.outer):
                if other >= number:
                    if other == number:
                        twice = 1
                    else:
                        twice = 2
                    second = second + twice * column * also_right[..., :-1] * _others(
                        weight * left * also_left
                    )
        diagonal = scale**2 * correct - weight * correct**2
        return first - second + diagonal, diagonal

    def _rows_of_outer(self, column: Floats) -> Floats:
        """Sum over each row's outer products of a value by answer, shape (T, C)."""
        rows = np.zeros(self.prevalence.shape)
        for left, right in self.outer:
            weighted = right * column
            rows += left * (over_classes(weighted)[..., None] - weighted[..., :-1])
        return rows


@dataclass(frozen=True, eq=False)
class SmoothedScale:
    """T confusions with pseudo-items, of which the wrong ones are answered with the labels next on the scale."""

    confusion: Floats  # (T, C, C + 1)
    prevalence: Floats  # (T, C): gold items of each class, which the smoothed rows keep

    @classmethod
    def of(cls, cells: Cells, *, everywhere: bool = False) -> "SmoothedScale":
        """The confusions of some cells with their pseudo-items; everywhere: in classes never predicted, too."""
        prevalence = cells.prevalence.astype(float)
        pseudo = _pseudo_items(prevalence, np.asarray(everywhere) | (cells.answers[..., :-1] > 0))
        codes = np.arange(cells.n_classes)
        near = (np.abs(np.subtract.outer(codes, codes)) == 1).astype(float)
        missed = (_MISSED * pseudo)[..., :, None] * near / np.maximum(near.sum(axis=1), 1)[:, None]
        # false alarms are items of the neighbours that gold has
        rows = (prevalence > 0)[..., :, None] * near
        alarms = (
            (_FALSE_ALARM * pseudo)[..., None, :]
            * rows
            / np.maximum(rows.sum(axis=-2), 1)[..., None, :]
        )
        confusion = cells.dense().astype(float)
        confusion[..., :-1] += missed + alarms + np.eye(codes.size) * (_RIGHT * pseudo)[..., None]
        return cls(confusion, prevalence)

    def margins(self, scale: Floats | None = None) -> Margins:
        """Margins of the smoothed confusions, whose gold rows have as many items as before, times a scale."""
        weight = ratio(self.prevalence, over_classes(self.confusion))
        if scale is not None:
            weight = scale * weight
        return Margins.of(weight[..., None] * self.confusion)

    def row_means(self, column: Floats, diagonal: Floats, cells: Floats | None = None) -> Floats:
        """Mean over each smoothed gold row, as :meth:`Cells.row_means` has it of rows as they are, shape (T, C)."""
        values = column[..., None, :] + (0.0 if cells is None else cells)
        on_diagonal = np.diagonal(self.confusion, axis1=-2, axis2=-1) * diagonal
        return ratio(
            over_classes(self.confusion * values) + on_diagonal, over_classes(self.confusion)
        )

    def sum_of_squares(self, influence: Influence) -> Floats:
        """Sum over all items and pseudo-items of their squared influence, shape (T,)."""
        return _squares_of_cells(self.confusion, influence)


@dataclass(frozen=True, eq=False)
class SmoothedSets:
    """T stacks of hits, misses and false alarms of labels with pseudo-things: half hits, a quarter of each error.

    It depends on the sets of gold and one team alone: not on *nothing*, which counts what other teams found.
    """

    grown: Floats  # (T, C): the factor by which each label grew
    hits: Floats
    """(T, C): with pseudo-things, scaled to the gold things that there are; 0 for *nothing*."""
    missed: Floats
    alarms: Floats

    @classmethod
    def of(cls, cells: Cells, *, pooled: bool = False, everywhere: bool = False) -> "SmoothedSets":
        """The labels of some cells, of which *nothing* is the last; pooled: all of them as one."""
        margins = Margins.of_cells(cells)
        counts = np.stack([margins.correct, margins.prevalence, margins.bias]).astype(float)
        counts[..., -1] = 0.0
        if pooled:
            counts[..., 0], counts[..., 1:] = counts.sum(axis=-1), 0.0
        correct, prevalence, bias = counts
        pseudo = _pseudo_items(prevalence, np.asarray(everywhere) | (bias > 0))
        grown = 1 + (_RIGHT + _MISSED) * ratio(pseudo, prevalence)
        return cls(
            grown,
            (correct + _RIGHT * pseudo) / grown,
            (prevalence - correct + _MISSED * pseudo) / grown,
            (bias - correct + _FALSE_ALARM * pseudo) / grown,
        )

    def margins(self, _: Floats | None = None) -> Margins:
        """Their margins, of as many gold things as before: at the observed prevalence, the only one of sets."""
        return Margins.of_answers(
            self.hits, _padded(self.hits + self.alarms), self.hits + self.missed
        )

    def sum_of_squares(self, influence: Influence) -> Floats:
        """Sum over all things and pseudo-things of their squared influence, shape (T,)."""
        hit = influence.row + influence.column[..., :-1] + influence.diagonal
        squares = (
            self.hits * hit**2
            + self.missed * influence.row**2
            + self.alarms * influence.column[..., :-1] ** 2
        )
        return over_classes(self.grown * squares)


def _pseudo_items(prevalence: Floats, where: Bools) -> Floats:
    """κ of each class, shape (T, C), where it is wanted; 0 where gold lacks the class."""
    in_both = (prevalence > 0) & where
    inverse = np.divide(1.0, prevalence, out=np.zeros(prevalence.shape), where=in_both)
    return np.where(in_both, 1 + 4 * ratio(inverse, over_classes(inverse)[..., None]), 0.0)


def _squares_of_cells(confusion: Floats, influence: Influence) -> Floats:
    """Sum over the cells of squared influence, row by row, shape (T,)."""
    codes = range(confusion.shape[-2])
    by_row = [over_classes(confusion[:, code] * influence.of_gold(code) ** 2) for code in codes]
    return over_classes(np.stack(by_row, axis=-1))


def _squares(left: Floats, right: Floats, influence: Influence, off_diagonal: Floats) -> Floats:
    """Sum of left[g] · right[p] · ψ[g, p]² over the cells off the diagonal, shape (T,).

    Squares are taken around the mean of ψ over a row, so that nothing cancels.
    """
    mass = over_classes(right)[..., None]
    mean = ratio(over_classes(right * influence.column)[..., None], mass)
    spread = over_classes(right * (influence.column - mean) ** 2)[..., None]
    rows = mass * (influence.row + influence.scale * mean) ** 2 + influence.scale**2 * spread
    others = rows - right[..., :-1] * off_diagonal**2
    return over_classes(left * np.where(others > _ROUNDING * rows, others, 0.0))


def _others(values: Floats) -> Floats:
    """Sum over all other classes, shape (T, C)."""
    return np.asarray(over_classes(values)[..., None] - values)


def _padded(by_class: Floats) -> Floats:
    """Values by class with a last column of zeros for *unanswered*, shape (T, C + 1)."""
    return np.concatenate([by_class, np.zeros((len(by_class), 1))], axis=-1)
