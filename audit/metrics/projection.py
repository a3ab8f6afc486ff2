"""Margins under many class distributions at once, and precision projected from recall.

Scaling gold rows is linear: with the error behaviour within each gold class fixed, what is predicted as a class under a
distribution is a weighted sum of rows. For all distributions together that is one matrix product.
Source: Opitz 2024, equation 5 and section 6.3.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Cells
from audit.domain.arrays import Floats
from audit.errors import UsageError
from audit.metrics.confusion import Margins, over_classes

if TYPE_CHECKING:
    from scipy import sparse

_BLOCK = 1 << 17  # masses held at once, so that the kernels' terms stay in the processor's cache


def margins_under(cells: Cells, shares: Floats, *, matrices: bool = False) -> Iterator[tuple[slice, Margins]]:
    """Margins of T submissions under D class distributions, a block of distributions at a time.

    Masses are shares of all items, so that the total is 1; metrics do not depend on it.

    Parameters
    ----------
    cells : Cells
        The cells of T submissions.
    shares : ndarray, shape (D, C)
        Share of each class: positive exactly for the classes in gold, summing to 1.
    matrices : bool
        Whether the confusions themselves are wanted too, which takes shorter blocks.

    Yields
    ------
    slice, Margins
        Which distributions, and their margins with leading axes (distributions, T).

    Raises
    ------
    UsageError
        When a share is not positive for a class in gold, or not 0 for one that gold lacks.

    Examples
    --------
    Two classes of 30 and 10 items, at equal shares and three to one:

    >>> cells = Cells.of(np.array([[[15, 15, 0], [10, 0, 0]]]))
    >>> [(_, margins)] = margins_under(cells, np.array([[0.5, 0.5], [0.75, 0.25]]))
    >>> margins.bias[:, 0].tolist()
    [[0.75, 0.25], [0.625, 0.375]]
    """
    rates = _rates(cells)
    present = cells.prevalence > 0
    if (np.sign(shares) != present.any(axis=0)).any() or not np.allclose(shares.sum(axis=-1), 1):
        raise UsageError("A prevalence gives a positive share to every class in gold and to no other, summing to 1.")
    n_teams, n_classes, n_columns = len(cells), cells.n_classes, cells.n_classes + 1
    answered = by_answer(rates)
    recall = rates.correct
    step = max(1, _BLOCK // (n_teams * n_columns * (n_classes if matrices else 1)))
    for start in range(0, len(shares), step):
        block = np.ascontiguousarray(shares[start : start + step])
        predicted = np.ascontiguousarray((answered @ block.T).T).reshape(-1, n_teams, n_columns)
        prevalence = block[:, None, :] * present
        margins = Margins(
            correct=block[:, None, :] * recall,
            bias=np.ascontiguousarray(predicted[..., :-1]),
            prevalence=prevalence,
            unanswered=predicted[..., -1],
            total=over_classes(prevalence),
            averaged=prevalence > 0,
            made=cache(partial(_scaled, rates, block)),
        )
        yield slice(start, start + len(block)), margins


def _rates(cells: Cells) -> Cells:
    """The cells as shares of their gold rows."""
    n_items = cells.prevalence[:, cells.gold]
    shares = np.divide(cells.counts, n_items, out=np.zeros(n_items.shape), where=n_items > 0)
    return replace(cells, counts=shares)


def by_answer(cells: Cells) -> "sparse.csr_array":
    """Counts of each team's answers by gold class, shape (T (C + 1), C), without those of 0: of many classes most."""
    from scipy import sparse  # noqa: PLC0415 - few commands project

    team, cell = np.nonzero(cells.counts)
    n_columns = cells.n_classes + 1
    rows, shape = team * n_columns + cells.predicted[cell], (len(cells) * n_columns, cells.n_classes)
    return sparse.csr_array((cells.counts[team, cell], (rows, cells.gold[cell])), shape=shape)


def _scaled(rates: Cells, shares: Floats) -> Floats:
    """Rows of shares scaled to class distributions, shape (D, T, C, C + 1)."""
    return np.asarray(shares[:, None, :, None] * rates.dense())


def projected_margins(recall: Floats, shares: Floats, predicted: Floats) -> Margins:
    """Margins that recall lets one expect on data without gold labels.

    Precision there is R_i · share_i / predicted_i, and estimated scores of every metric follow. Above 1 the three
    contradict each other: then recall is another on the new data, or its class distribution is.

    Parameters
    ----------
    recall : ndarray, shape (..., C), range [0, 1]
        Recall of each class, from data with gold labels.
    shares : ndarray, shape (..., C)
        The class distribution to expect on the new data, summing to 1.
    predicted : ndarray, shape (..., C)
        Share of the new data predicted as each class, found by running the classifier; what is left of 1 is
        unanswered.

    Returns
    -------
    Margins
        Masses as shares of all items, without confusions: which errors a team makes there is not known. Source: Opitz
        2024, section 6.3.

    Examples
    --------
    >>> margins = projected_margins(np.array([0.8, 0.6]), np.array([0.5, 0.5]), np.array([0.6, 0.4]))
    >>> (margins.correct / margins.bias).round(3).tolist()
    [0.667, 0.75]
    """
    present = shares > 0
    return Margins(
        correct=np.where(present, recall, 0) * shares,
        bias=predicted,
        prevalence=shares,
        unanswered=np.maximum(1 - over_classes(predicted), 0),
        total=over_classes(shares),
        averaged=present,
    )
