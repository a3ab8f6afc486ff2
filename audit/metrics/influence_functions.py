"""Influence functions: what each item's answer adds to a score.

The influence ψ of a cell is the score's derivative in its count, through the calibration where there is one. Every
metric of margins alone has C × (C + 1) values that are a sum of a few vectors, and are never stored as a matrix; what
depends on single cells is added to them where a metric looks at these:

    ψ[g, p] = row[g] + scale[g] · (column[p] + cells[g, p]) + diagonal[g] where p = g

The sum of ψ over a confusion's items is 0: a score does not change when every count grows alike. Source of the use of
it for standard errors: Takahashi et al. 2022; of the calibration: Opitz 2024, equations 5 and 6.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from audit.domain import LabelSet
from audit.domain.arrays import Counts, Floats
from audit.metrics.confusion import Margins, over_classes
from audit.metrics.gradients import Gradient
from audit.metrics.names import named_metric

_ROUNDING = 1e-12  # of the parts of a sum; what an item adds is at least 1/N of them


class Masses(Protocol):
    """Confusions held by their cells, from which an influence is computed."""

    def row_means(self, column: Floats, diagonal: Floats, cells: Floats | None = None) -> Floats:
        """Mean over each gold row of a value by answer, one more where it is correct, and one by cell, shape (T, C)."""


@dataclass(frozen=True, eq=False)
class Influence:
    """Influence values of every cell of T confusions."""

    row: Floats  # (T, C): values by gold class
    scale: Floats  # (T, C)
    column: Floats  # (T, C + 1): values by answer, the last one *unanswered*
    diagonal: Floats  # (T, C)
    cells: Floats | None = None  # (T, C, C + 1): values by cell; None for a metric of margins alone

    def of_team(self, team: int) -> "Influence":
        """The influence for one team's confusion alone."""
        row, scale, column, diagonal = (part[[team]] for part in (self.row, self.scale, self.column, self.diagonal))
        return Influence(row, scale, column, diagonal, None if self.cells is None else self.cells[[team]])

    def at(self, gold: Counts, predicted: Counts) -> Floats:
        """Values of some cells, shape (T, U); gold and predicted have shape (U,)."""
        values = np.take(self.column, predicted, axis=1)
        if self.cells is not None:
            values += self.cells[:, gold, predicted]
        values *= np.take(self.scale, gold, axis=1)
        values += np.take(self.row, gold, axis=1)
        right = np.flatnonzero(gold == predicted)
        values[:, right] += self.diagonal[:, gold[right]]
        return values

    def of_gold(self, code: int) -> Floats:
        """Values of the answers to items of one gold class, shape (T, C + 1); exactly 0 where all parts cancel."""
        row, column = self.row[:, [code]], self.scale[:, [code]] * self.column
        values, size = row + column, np.abs(row) + np.abs(column)
        if self.cells is not None:
            values = values + self.scale[:, [code]] * self.cells[:, code]
            size = size + np.abs(self.scale[:, [code]]) * self._largest_cell[:, None]
        values[:, code] += self.diagonal[:, code]
        size[:, code] += np.abs(self.diagonal[:, code])
        values[np.abs(values) <= _ROUNDING * size] = 0.0
        return np.asarray(values)

    @cached_property
    def _largest_cell(self) -> Floats:
        """The largest value by cell of each team, shape (T,), beside which rounding is known as such."""
        return np.asarray(np.abs(np.asarray(self.cells)).max(axis=(1, 2)))

    @property
    def bound(self) -> Floats:
        """An upper bound of the absolute values of each team, shape (T,)."""
        largest = np.abs(self.column).max(axis=-1, keepdims=True)
        if self.cells is not None:
            largest = largest + np.abs(self.cells).max(axis=-1)
        return np.asarray((np.abs(self.row) + np.abs(self.scale) * largest + np.abs(self.diagonal)).max(axis=-1))


def gradient_of(name: str, margins: Margins, label_set: LabelSet) -> Gradient:
    """The gradient of a score, by the name that a key has for it."""
    return named_metric(name, label_set).gradient(margins)


def row_scale(prevalence: Counts, shares: Floats) -> Floats:
    """Factors of the gold rows that give classes their shares of all items, shape (T, C); 0 for a class without any."""
    mass = over_classes(prevalence)[..., None] * shares
    return np.divide(mass, prevalence, out=np.zeros(mass.shape), where=prevalence > 0)


def influence(
    gradient: Gradient, masses: Masses, scale: Floats | None = None, *, stratified: bool = False
) -> Influence:
    """Influence values from a score's gradient.

    Parameters
    ----------
    gradient : Gradient
        The gradient at the margins of these masses, with their scale.
    masses : Masses
        What they are of.
    scale : ndarray, shape (T, C), optional
        Factors of the gold rows, as `row_scale` gives them; None at observed prevalence.
    stratified : bool
        Whether class counts are fixed by design: what an item adds is then measured from the mean of its class.

    Examples
    --------
    The influence of right and wrong answers on accuracy, with two of three items right: (1 - 2/3)/3 and -(2/3)/3.

    >>> from audit.domain import Cells, LabelSet
    >>> cells = Cells.of(np.array([[[1, 1, 0], [0, 1, 0]]]))
    >>> slopes = gradient_of("accuracy", Margins.of_cells(cells), LabelSet(("a", "b")))
    >>> influence(slopes, cells).of_gold(0).round(3).tolist()
    [[0.111, -0.222, -0.222]]
    """
    column = np.concatenate([gradient.bias, gradient.unanswered[..., None]], axis=-1)
    ones = np.ones(gradient.correct.shape)
    if scale is None and not stratified:
        row = gradient.prevalence + gradient.total[..., None]
        return Influence(row, ones, column, gradient.correct, gradient.cells)
    # A row that keeps its mass: what one more item adds to one cell is taken from all cells of the row.
    factor = ones if scale is None else scale
    means = masses.row_means(column, gradient.correct, gradient.cells)
    return Influence(-factor * means, factor, column, factor * gradient.correct, gradient.cells)
