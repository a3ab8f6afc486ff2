"""Margins under many class distributions at once, and precision projected from recall.

Scaling gold rows is linear: with the error behaviour within each gold class fixed, what is predicted as a class under a
distribution is a weighted sum of rows. For all distributions together that is one matrix product.
Source: Opitz 2024, equation 5 and section 6.3.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from audit.errors import UsageError
from audit.metrics.confusion import Counts, Floats, Margins, checked, over_classes

if TYPE_CHECKING:
    from scipy import sparse

_BLOCK = 1 << 17  # masses held at once, so that the kernels' terms stay in the processor's cache


def answer_rates(confusions: Counts) -> Floats:
    """How each gold class is answered: the rows of a confusion as shares.

    Parameters
    ----------
    confusions : array_like, shape (..., C, C + 1)
        Counts, gold × predicted, the last column *unanswered*.

    Returns
    -------
    ndarray of float, shape (..., C, C + 1), range [0, 1]
        The diagonal is recall. A class without gold has a row of zeros.

    Examples
    --------
    >>> answer_rates([[3, 1, 0], [0, 1, 1]]).tolist()
    [[0.75, 0.25, 0.0], [0.0, 0.5, 0.5]]
    """
    cells = checked(confusions)
    prevalence = over_classes(cells)[..., None]
    return np.divide(cells, prevalence, out=np.zeros(cells.shape), where=prevalence > 0)


def margins_under(confusions: Counts, shares: Floats, *, cells: bool = False) -> Iterator[tuple[slice, Margins]]:
    """Margins of T submissions under D class distributions, a block of distributions at a time.

    Masses are shares of all items, so that the total is 1; metrics do not depend on it.

    Parameters
    ----------
    confusions : array_like, shape (T, C, C + 1)
        Counts, gold × predicted, the last column *unanswered*.
    shares : ndarray, shape (D, C)
        Share of each class: positive exactly for the classes in gold, summing to 1.
    cells : bool
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

    >>> confusions = np.array([[[15, 15, 0], [10, 0, 0]]])
    >>> [(_, margins)] = margins_under(confusions, np.array([[0.5, 0.5], [0.75, 0.25]]))
    >>> margins.bias[:, 0].tolist()
    [[0.75, 0.25], [0.625, 0.375]]
    """
    rates = answer_rates(confusions)
    present = rates.any(axis=-1)
    if (np.sign(shares) != present.any(axis=0)).any() or not np.allclose(shares.sum(axis=-1), 1):
        raise UsageError("A prevalence gives a positive share to every class in gold and to no other, summing to 1.")
    n_teams, n_classes, n_columns = rates.shape
    answered = _by_answer(rates)
    recall = np.diagonal(rates, axis1=-2, axis2=-1)
    step = max(1, _BLOCK // (n_teams * n_columns * (n_classes if cells else 1)))
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
            made=partial(_scaled, rates, block),
        )
        yield slice(start, start + len(block)), margins


def _by_answer(rates: Floats) -> "sparse.csr_array":
    """Rates of each team's answers (rows) by gold class, without those of 0: of many classes most are."""
    from scipy import sparse  # noqa: PLC0415 - few commands project

    return sparse.csr_array(rates.transpose(0, 2, 1).reshape(-1, rates.shape[1]))


def _scaled(rates: Floats, shares: Floats) -> Floats:
    """Rows of shares scaled to class distributions, shape (D, T, C, C + 1)."""
    return np.asarray(shares[:, None, :, None] * rates)


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
