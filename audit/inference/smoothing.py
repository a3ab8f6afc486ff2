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
        """The confusions of some cells with their pseudo-items; everywhere: in classes never predicted, too.

        E_jj = κ_j/2; E_jp gets κ_j/4 · (share of p in the team's other predictions); E_gj gets κ_j/4 · (share of row g
        in the errors of the other rows, or in their items where there are no errors).
        """
        margins = Margins.of_cells(cells)
        prevalence = margins.prevalence.astype(float)
        answers = np.concatenate([margins.bias, margins.unanswered[..., None]], axis=-1)
        answers = answers.astype(float)
        pseudo = _pseudo_items(prevalence, np.asarray(everywhere) | (margins.bias > 0))
        missed = _MISSED * pseudo
        alarms = _FALSE_ALARM * pseudo
        errors = prevalence - margins.correct
        other_answers = over_classes(answers)[..., None] - answers[..., :-1]
        other_errors = _others(errors)
        alarms_by_items = np.where(other_errors > 0, 0.0, alarms)
        outer = (
            (ratio(missed, other_answers), answers),
            (errors, _padded(ratio(alarms, other_errors))),
            (prevalence, _padded(ratio(alarms_by_items, _others(prevalence)))),
        )
        return cls(cells, _RIGHT * pseudo, outer, prevalence)

    @property
    def grown(self) -> Floats:
        """The factor by which each gold row grew, shape (T, C); 1 for a class without gold."""
        added = self.right + self._rows_of_outer(np.ones_like(self.outer[0][1]))
        return 1 + ratio(added, self.prevalence)

    def margins(self, scale: Floats | None = None) -> Margins:
        """Margins of the smoothed confusions, whose gold rows have as many items as before, times a scale."""
        weight = 1 / self.grown
        prevalence = self.prevalence
        if scale is not None:
            weight = scale / self.grown
            prevalence = scale * self.prevalence
        observed = Margins.of_cells(self.cells, weight)
        answers = np.concatenate([observed.bias, observed.unanswered[..., None]], axis=-1)
        answers[..., :-1] += weight * self.right
        for left, right in self.outer:
            weighted = weight * left
            answers += over_classes(weighted)[..., None] * right
            # their diagonal, which is no pseudo-item
            answers[..., :-1] -= weighted * right[..., :-1]
        matrices = cache(lambda: weight[..., None] * self.confusion)
        correct = observed.correct + weight * self.right
        return Margins.of_answers(correct, answers, prevalence, matrices)

    @cached_property
    def confusion(self) -> Floats:
        """The smoothed confusions as matrices, shape (T, C, C + 1), for a metric that looks at single cells."""
        products = [left[..., None] * right[..., None, :] for left, right in self.outer]
        added = np.sum(products, axis=0)
        codes = np.arange(self.cells.n_classes)
        added[:, codes, codes] = self.right
        return np.asarray(added + self.cells.dense(self.cells.counts))

    def row_means(self, column: Floats, diagonal: Floats, cells: Floats | None = None) -> Floats:
        """Mean over each smoothed gold row, as :meth:`Cells.row_means` has it of rows as they are, shape (T, C)."""
        observed = self.cells.row_means(column, diagonal) * self.prevalence
        right = self.right * (column[..., :-1] + diagonal)
        total = observed + right + self._rows_of_outer(column)
        if cells is not None:
            total = total + np.einsum("tgp,tgp->tg", self.confusion, cells)
        return ratio(total, self.prevalence * self.grown)

    def sum_of_squares(self, influence: Influence) -> Floats:
        """Sum over all items and pseudo-items of their squared influence, shape (T,)."""
        if influence.cells is not None:
            return _squares_of_cells(self.confusion, influence)
        cells = self.cells
        observed = (cells.counts * influence.at(cells.gold, cells.predicted) ** 2).sum(axis=-1)
        off_diagonal = influence.row + influence.scale * influence.column[..., :-1]
        right = over_classes(self.right * (off_diagonal + influence.diagonal) ** 2)
        outer = np.zeros(observed.shape)
        for left, right_factor in self.outer:
            outer = outer + _squares(left, right_factor, influence, off_diagonal)
        return np.asarray(observed + right + outer)

    def binomial_columns(self, scale: Floats) -> tuple[Floats, Floats]:
        """Variance of the scaled mass answered as each class, the rows being independent, each with its own shares.

        Σ_g λ_g² (x_gp − x_gp²/n_g) by column p, where x is smoothed and λ the scale: Σ λ² x is `linear`, Σ λ² x²/n is
        `quadratic`, both off the diagonal. Besides, the diagonal's own part. Shape (T, C) each.
        """
        cells = self.cells
        weight = ratio(scale**2, self.prevalence * self.grown)  # λ²/n
        correct = cells.by_gold(np.where(cells.on_diagonal, cells.counts, 0.0)) + self.right
        off_diagonal = np.where(cells.on_diagonal, 0.0, cells.counts)
        linear = cells.by_predicted(off_diagonal * (scale**2)[:, cells.gold])[..., :-1]
        quadratic = cells.by_predicted(off_diagonal**2 * weight[:, cells.gold])[..., :-1]
        for number, (left, right) in enumerate(self.outer):
            column = right[..., :-1]
            linear = linear + column * _others(scale**2 * left)
            crossed = cells.by_predicted(off_diagonal * (weight * left)[:, cells.gold])[..., :-1]
            quadratic = quadratic + 2 * column * crossed
            quadratic = quadratic + column * column * _others(weight * left * left)
            for other_left, other_right in self.outer[number + 1 :]:
                other_column = other_right[..., :-1]
                both = _others(weight * left * other_left)
                quadratic = quadratic + 2 * column * other_column * both
        diagonal = scale**2 * correct - weight * correct**2
        return linear - quadratic + diagonal, diagonal

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
        is_smoothed = np.asarray(everywhere) | (cells.answers[..., :-1] > 0)
        pseudo = _pseudo_items(prevalence, is_smoothed)
        codes = np.arange(cells.n_classes)
        is_next = (np.abs(np.subtract.outer(codes, codes)) == 1).astype(float)  # (C, C)
        n_next = np.maximum(is_next.sum(axis=1), 1)
        missed = (_MISSED * pseudo)[..., :, None] * is_next / n_next[:, None]
        # false alarms are items of the neighbours that gold has
        is_next_in_gold = (prevalence > 0)[..., :, None] * is_next
        n_next_in_gold = np.maximum(is_next_in_gold.sum(axis=-2), 1)
        alarms = (_FALSE_ALARM * pseudo)[..., None, :] * is_next_in_gold
        alarms = alarms / n_next_in_gold[..., None, :]
        right = np.eye(codes.size) * (_RIGHT * pseudo)[..., None]
        confusion = cells.dense().astype(float)
        confusion[..., :-1] += missed + alarms + right
        return cls(confusion, prevalence)

    def margins(self, scale: Floats | None = None) -> Margins:
        """Margins of the smoothed confusions, whose gold rows have as many items as before, times a scale."""
        weight = ratio(self.prevalence, over_classes(self.confusion))
        if scale is not None:
            weight = scale * weight
        return Margins.of(weight[..., None] * self.confusion)

    def row_means(self, column: Floats, diagonal: Floats, cells: Floats | None = None) -> Floats:
        """Mean over each smoothed gold row, as :meth:`Cells.row_means` has it of rows as they are, shape (T, C)."""
        values = column[..., None, :]
        if cells is not None:
            values = values + cells
        on_diagonal = np.diagonal(self.confusion, axis1=-2, axis2=-1) * diagonal
        total = over_classes(self.confusion * values) + on_diagonal
        return ratio(total, over_classes(self.confusion))

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
            counts[..., 0] = counts.sum(axis=-1)
            counts[..., 1:] = 0.0
        correct, prevalence, bias = counts
        pseudo = _pseudo_items(prevalence, np.asarray(everywhere) | (bias > 0))
        grown = 1 + (_RIGHT + _MISSED) * ratio(pseudo, prevalence)
        hits = correct + _RIGHT * pseudo
        missed = prevalence - correct + _MISSED * pseudo
        alarms = bias - correct + _FALSE_ALARM * pseudo
        return cls(grown, hits / grown, missed / grown, alarms / grown)

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
    """κ_j = 1 + 4 w_j, w_j = (1/n_j)/Σ(1/n), where it is wanted; 0 where gold lacks the class; shape (T, C)."""
    is_smoothed = (prevalence > 0) & where
    inverse = np.divide(1.0, prevalence, out=np.zeros(prevalence.shape), where=is_smoothed)
    share = ratio(inverse, over_classes(inverse)[..., None])
    return np.where(is_smoothed, 1 + 4 * share, 0.0)


def _squares_of_cells(confusion: Floats, influence: Influence) -> Floats:
    """Sum over the cells of squared influence, row by row, shape (T,)."""
    rows = []
    for code in range(confusion.shape[-2]):
        rows.append(over_classes(confusion[:, code] * influence.of_gold(code) ** 2))
    return over_classes(np.stack(rows, axis=-1))


def _squares(left: Floats, right: Floats, influence: Influence, off_diagonal: Floats) -> Floats:
    """Sum of left[g] · right[p] · ψ[g, p]² over the cells off the diagonal, shape (T,).

    With ψ[g, p] = row[g] + λ[g] column[p], around the mean of the column over right, so that nothing cancels:
    Σ_p right[p] ψ[g, p]² = mass · (row + λ mean)² + λ² Σ_p right[p] (column[p] − mean)².
    """
    mass = over_classes(right)[..., None]
    mean = ratio(over_classes(right * influence.column)[..., None], mass)
    deviation = over_classes(right * (influence.column - mean) ** 2)[..., None]
    of_row = mass * (influence.row + influence.scale * mean) ** 2 + influence.scale**2 * deviation
    without_diagonal = of_row - right[..., :-1] * off_diagonal**2
    is_more_than_rounding = without_diagonal > _ROUNDING * of_row
    return over_classes(left * np.where(is_more_than_rounding, without_diagonal, 0.0))


def _others(values: Floats) -> Floats:
    """Sum over all other classes, shape (T, C)."""
    return over_classes(values)[..., None] - values


def _padded(by_class: Floats) -> Floats:
    """Values by class with a last column of zeros for *unanswered*, shape (T, C + 1)."""
    return np.concatenate([by_class, np.zeros((len(by_class), 1))], axis=-1)
