"""Prevalence calibration: scores as they would be under another class distribution.

The error behaviour within each gold class stays as it was observed; the mass of the classes changes.
Source: Opitz 2024, equations 5 and 6.
"""

from dataclasses import replace
from functools import cache

import numpy as np

from audit.domain import Cells
from audit.domain.arrays import Counts, Floats
from audit.errors import UsageError
from audit.metrics.confusion import Margins, checked, over_classes

_ROW_CELLS = 1 << 20  # of rows at once: 8 MB
_LANE = 64  # numbers: as many as NumPy adds in one step on any processor, or several times as many


def calibrate(confusion: Counts, target: Floats | None = None) -> Floats:
    """Confusions with their gold rows scaled to a target class distribution.

    Row i is multiplied by total · target_i / prevalence_i. The total stays as it was.

    Parameters
    ----------
    confusion : array_like, shape (..., C, C + 1)
        Counts, gold × predicted, the last column *unanswered*.
    target : array_like, shape (C,) or (..., C), optional
        Share of each class: positive exactly for the classes in gold, summing to 1. By default every class in gold
        has the same share (*balanced prevalence*).

    Returns
    -------
    ndarray of float, shape (..., C, C + 1)

    Raises
    ------
    UsageError
        When a share is not positive for a class in gold, or not 0 for one that gold lacks; and when the confusion is
        none, as for :meth:`Margins.of`.

    Examples
    --------
    Two classes of 30 and 10 items, made equal:

    >>> calibrate(np.array([[15, 15, 0], [10, 0, 0]])).tolist()
    [[10.0, 10.0, 0.0], [20.0, 0.0, 0.0]]
    """
    cells = checked(confusion)
    calibrated: Floats = cells * _row_factors(over_classes(cells), target)[..., None]
    return calibrated


def calibrated_cells(cells: Cells, target: Floats | None = None) -> Cells:
    """Calibrated confusions as their cells, with the parameters and errors of :func:`calibrate`.

    Examples
    --------
    >>> calibrated_cells(Cells.of(np.array([[[15, 15, 0], [10, 0, 0]]]))).counts.tolist()
    [[10.0, 10.0, 20.0]]
    """
    return replace(cells, counts=cells.counts * _row_factors(cells.prevalence, target)[:, cells.gold])


def calibrated_margins(cells: Cells, target: Floats | None = None) -> Margins:
    """Margins of calibrated confusions: those of :func:`calibrate`, to the last bit."""
    masses = calibrated_cells(cells, target)
    prevalence, answers = _sums_of_rows(masses), _sums_of_columns(masses)
    return Margins(
        correct=masses.correct,
        bias=np.ascontiguousarray(answers[..., :-1]),
        prevalence=prevalence,
        unanswered=answers[..., -1],
        total=over_classes(prevalence),
        averaged=prevalence > 0,
        made=cache(masses.dense),
    )


def _sums_of_rows(masses: Cells) -> Floats:
    """Mass of each gold class, shape (T, C): added in the order in which NumPy adds a whole row.

    That order depends on where in a lane of a few numbers each one stands. So empty cells are filled in, but for whole
    lanes of them; classes with as many lanes are added together, a few at a time.
    """
    n_lanes, column = _places_in_lanes(masses)
    sums = np.zeros((len(masses), masses.n_classes))
    for width in np.unique(n_lanes).tolist():
        codes, n_columns = np.flatnonzero(n_lanes == width), width * _LANE + (masses.n_classes + 1) % _LANE
        step = max(1, _ROW_CELLS // (len(masses) * max(1, n_columns)))
        for some in np.split(codes, range(step, codes.size, step)):
            places = np.flatnonzero(np.isin(masses.gold, some))
            rows = np.zeros((len(masses), some.size, n_columns))
            rows[:, np.searchsorted(some, masses.gold[places]), column[places]] = masses.counts[:, places]
            sums[:, some] = over_classes(rows)
    return sums


def _places_in_lanes(masses: Cells) -> tuple[Counts, Counts]:
    """How many whole lanes of each gold class hold a cell, shape (C,), and each cell's column beside these, (U,).

    The columns behind the last whole lane stand behind those that are left.
    """
    lane, last = masses.predicted // _LANE, (masses.n_classes + 1) // _LANE
    lanes, number = np.unique(masses.gold * (last + 1) + lane, return_inverse=True)
    row, whole = lanes // (last + 1), lanes % (last + 1) < last
    n_lanes = np.bincount(row[whole], minlength=masses.n_classes)
    before = np.cumsum(whole) - whole - (np.cumsum(n_lanes) - n_lanes)[row]
    return n_lanes, _LANE * before[number] + masses.predicted % _LANE


def _sums_of_columns(masses: Cells) -> Floats:
    """Mass of each answer, shape (T, C + 1): one gold class after the other."""
    length = masses.n_classes + 1
    return np.stack([np.bincount(masses.predicted, row, length) for row in masses.counts])


def _row_factors(prevalence: Counts, target: Floats | None) -> Floats:
    """The factor of each gold row, shape (..., C); UsageError where the target does not fit gold."""
    present = prevalence > 0
    shares = present / present.sum(axis=-1, keepdims=True) if target is None else np.asarray(target, dtype=float)
    if (np.sign(shares) != present).any() or not np.allclose(shares.sum(axis=-1), 1):
        raise UsageError("A prevalence gives a positive share to every class in gold and to no other, summing to 1.")
    total = prevalence.sum(axis=-1, keepdims=True)
    factors: Floats = np.divide(total * shares, prevalence, out=np.zeros(prevalence.shape), where=present)
    return factors
