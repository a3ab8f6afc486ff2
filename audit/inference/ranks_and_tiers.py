"""What follows from the separable pairs: possible ranks and tiers.

Source: Mogstad, Romano, Shaikh and Wilhelm 2024 (confidence sets for ranks).
"""

import numpy as np

from audit.domain.arrays import Bools, Counts, Floats


def rank_sets(separable: Bools) -> Counts:
    """First and last rank of each team that the separable pairs leave open, shape (T, 2).

    Parameters
    ----------
    separable : ndarray of bool, shape (T, T)
        Whether the row's team is separable from, and above, the column's.

    Examples
    --------
    >>> rank_sets(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    return np.stack([1 + separable.sum(axis=0), len(separable) - separable.sum(axis=1)], axis=-1)


def tiers(estimates: Floats, separable: Bools) -> Counts:
    """Tiers with a fixed anchor: the best team and all not separable from it; then the best of the rest, and so on.

    Membership need not follow rank order.

    Parameters
    ----------
    estimates : ndarray, shape (T,)
        Scores.
    separable : ndarray of bool, shape (T, T)
        Whether the row's team is separable from, and above, the column's.

    Returns
    -------
    ndarray of int, shape (T,)
        1 is the first tier.

    Examples
    --------
    >>> apart = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> tiers(np.array([0.9, 0.8, 0.7]), apart).tolist()
    [1, 1, 2]
    """
    tier = np.zeros(len(estimates), dtype=np.int64)
    number = 0
    while (tier == 0).any():
        number += 1
        without_tier = np.flatnonzero(tier == 0)
        anchor = without_tier[estimates[without_tier].argmax()]
        tier[without_tier[~separable[anchor, without_tier]]] = number
    return tier
