"""Prevalence calibration: scores as they would be under another class distribution.

The error behaviour within each gold class stays as it was observed; the mass of the classes changes.
Source: Opitz 2024, equations 5 and 6.
"""

import numpy as np

from audit.errors import UsageError
from audit.metrics.confusion import Counts, Floats, checked, over_classes


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
    prevalence = over_classes(cells)
    present = prevalence > 0
    shares = present / present.sum(axis=-1, keepdims=True) if target is None else np.asarray(target, dtype=float)
    if (np.sign(shares) != present).any() or not np.allclose(shares.sum(axis=-1), 1):
        raise UsageError("A prevalence gives a positive share to every class in gold and to no other, summing to 1.")
    total = prevalence.sum(axis=-1, keepdims=True)
    scale = np.divide(total * shares, prevalence, out=np.zeros(prevalence.shape), where=present)
    calibrated: Floats = cells * scale[..., None]
    return calibrated
