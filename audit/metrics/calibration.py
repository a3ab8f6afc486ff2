"""Class distributions: as a user types them, scores calibrated to one, and margins under many at once.

The error behaviour within each gold class stays as it was observed; the mass of the classes changes.
Source: Opitz 2024, equations 5 and 6.
"""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Cells, LabelSet, Prevalence
from audit.domain.arrays import Bools, Counts, Floats
from audit.errors import UsageError
from audit.metrics.confusion import Margins, checked, over_classes, ratio
from audit.text import did_you_mean, listed, quoted

if TYPE_CHECKING:
    from scipy import sparse

_ROW_CELLS = 1 << 20  # of rows at once: 8 MB
_BLOCK = 1 << 17  # masses held at once, so that the kernels' terms stay in the processor's cache


def calibrate(confusion: Counts, target: Floats | None = None) -> Floats:
    """Confusions with their gold rows scaled to a target class distribution.

    Row i of counts gold × predicted, shape (..., C, C + 1), is multiplied by total · target_i / prevalence_i: the
    total stays as it was. The target, shape (C,) or (..., C), has a positive share exactly for the classes in gold; by
    default they have the same (*balanced prevalence*). Anything else, and what is no confusion, is a UsageError.

    Two classes of 30 and 10 items, made equal:

    >>> calibrate(np.array([[15, 15, 0], [10, 0, 0]])).tolist()
    [[10.0, 10.0, 0.0], [20.0, 0.0, 0.0]]
    """
    cells = checked(confusion)
    return np.asarray(cells * _row_factors(over_classes(cells), target)[..., None])


def calibrated_cells(cells: Cells, target: Floats | None = None) -> Cells:
    """Calibrated confusions as their cells, with the parameters and errors of :func:`calibrate`."""
    factors = _row_factors(cells.prevalence, target)
    return replace(cells, counts=cells.counts * factors[:, cells.gold])


def calibrated_margins(cells: Cells, target: Floats | None = None) -> Margins:
    """Margins of calibrated confusions: those of :func:`calibrate`, to the last bit."""
    masses = calibrated_cells(cells, target)
    prevalence = _sums_of_rows(masses)
    length = masses.n_classes + 1
    # one class after another
    answers = np.stack([np.bincount(masses.predicted, row, length) for row in masses.counts])
    return Margins.of_answers(masses.correct, answers, prevalence, cache(masses.dense))


def _sums_of_rows(masses: Cells) -> Floats:
    """Mass of each gold class, shape (T, C), added in the order in which NumPy adds a whole row: a few at a time."""
    n_teams = len(masses)
    n_classes = masses.n_classes
    sums = np.zeros((n_teams, n_classes))
    step = max(1, _ROW_CELLS // (n_teams * (n_classes + 1)))
    for start in range(0, n_classes, step):
        some = slice(*np.searchsorted(masses.gold, [start, start + step]))
        n_rows = min(step, n_classes - start)
        rows = np.zeros((n_teams, n_rows, n_classes + 1))
        rows[:, masses.gold[some] - start, masses.predicted[some]] = masses.counts[:, some]
        sums[:, start : start + step] = over_classes(rows)
    return sums


def _row_factors(prevalence: Counts, target: Floats | None) -> Floats:
    """The factor of each gold row, N · share/n, shape (..., C); UsageError where the target does not fit gold."""
    in_gold = prevalence > 0
    if target is None:
        shares = in_gold / in_gold.sum(axis=-1, keepdims=True)
    else:
        shares = np.asarray(target, dtype=float)
    _check_shares(shares, in_gold)
    return ratio(prevalence.sum(axis=-1, keepdims=True) * shares, prevalence)


def _check_shares(shares: Floats, in_gold: Bools) -> None:
    if (np.sign(shares) != in_gold).any() or not np.allclose(shares.sum(axis=-1), 1):
        raise UsageError(
            "A prevalence gives a positive share to every class in gold and to no other, summing to 1."
        )


def margins_under(
    cells: Cells, shares: Floats, *, matrices: bool = False
) -> Iterator[tuple[slice, Margins]]:
    """Margins of T submissions under D class distributions, in blocks; masses are shares of all items."""
    in_gold = cells.prevalence > 0
    _check_shares(shares, np.asarray(in_gold.any(axis=0)))
    # shares of their gold rows
    rates = replace(cells, counts=ratio(cells.counts, cells.prevalence[:, cells.gold]))
    rates_of_answers = by_answer(rates)
    recall = rates.correct
    n_teams = len(cells)
    n_columns = cells.n_classes + 1
    n_values = n_teams * n_columns
    if matrices:
        n_values *= cells.n_classes
    step = max(1, _BLOCK // n_values)
    for start in range(0, len(shares), step):
        block = np.ascontiguousarray(shares[start : start + step])
        answers = np.ascontiguousarray((rates_of_answers @ block.T).T)
        margins = Margins.of_answers(
            block[:, None, :] * recall,
            answers.reshape(-1, n_teams, n_columns),
            block[:, None, :] * in_gold,
            cache(partial(_scaled, rates, block)),
        )
        yield slice(start, start + len(block)), margins


def by_answer(cells: Cells) -> "sparse.csr_array":
    """Counts of each team's answers by gold class, shape (T (C + 1), C), without those of 0: of many classes most."""
    from scipy import sparse  # noqa: PLC0415 - few commands need it

    team, cell = np.nonzero(cells.counts)
    n_columns = cells.n_classes + 1
    rows = team * n_columns + cells.predicted[cell]
    shape = (len(cells) * n_columns, cells.n_classes)
    return sparse.csr_array((cells.counts[team, cell], (rows, cells.gold[cell])), shape=shape)


def _scaled(rates: Cells, shares: Floats) -> Floats:
    """Rows of shares scaled to class distributions, shape (D, T, C, C + 1)."""
    return np.asarray(shares[:, None, :, None] * rates.dense())


def parse_prevalence(
    text: str, prevalences: Sequence[Prevalence], counts: Counts, label_set: LabelSet
) -> Prevalence:
    """The prevalence that a user names, or writes out as ``label=share,…``."""
    by_name = {prevalence.name: prevalence for prevalence in prevalences}
    if text in by_name:
        return by_name[text]
    if "=" not in text:
        near = did_you_mean(text, by_name)
        parts = [f"{label}=…" for label in label_set.labels[:2]]
        if len(parts) < len(label_set):
            parts.append("…")
        raise UsageError(
            f"There is no prevalence {quoted(text)}.{near} This task has {listed(list(by_name))}; write another out as "
            f"{quoted(','.join(parts))}."
        )
    shares = parse_shares(text, label_set)
    in_gold = [label for label, count in zip(label_set, counts.tolist(), strict=True) if count]
    for label in label_set:
        if label in in_gold and not shares.get(label):
            raise UsageError(
                f"{quoted(text, 200)} gives no share to {quoted(label)}; every class in gold needs one."
            )
        if label not in in_gold and shares.get(label):
            raise UsageError(
                f"{quoted(text, 200)} gives a share to {quoted(label)}, of which gold has no item."
            )
    return Prevalence(text, tuple((label, shares[label]) for label in in_gold))


def parse_shares(text: str, label_set: LabelSet) -> Mapping[str, float]:
    """Shares written out as ``label=share,…``, scaled to sum to 1."""
    shares: dict[str, float] = {}
    for cell in next(csv.reader([text], skipinitialspace=True)):
        written, equals, share = cell.rpartition("=")
        if written in label_set.code_of:
            label = written
        else:
            label = written.strip()
        if not equals or label not in label_set.code_of:
            near = did_you_mean(label, label_set)
            shown = listed(list(map(quoted, label_set)), "or", limit=10)
            raise UsageError(
                f"{quoted(cell)} in {quoted(text, 200)} names no label.{near} The labels are {shown}."
            )
        if label in shares:
            raise UsageError(f"{quoted(text, 200)} has {quoted(label)} twice.")
        shares[label] = _share(share, text)
    total = sum(shares.values())
    if not total:
        raise UsageError(f"{quoted(text, 200)}: some share must be above 0.")
    return {label: share / total for label, share in shares.items()}


def _share(written: str, text: str) -> float:
    number = written.strip().removesuffix("%")
    try:
        share = float(number)
    except ValueError:
        share = math.nan
    if not 0 <= share < math.inf:
        raise UsageError(
            f"{quoted(written)} in {quoted(text, 200)} is no share: a number from 0 on."
        )
    return share
