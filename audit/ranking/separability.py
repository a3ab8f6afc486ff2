"""Which teams a test set separates: stepdown max-t over all ordered pairs, and what follows from it.

Every statement about pairs, rank sets, tiers and possible winners comes from this one procedure. Sources: Romano & Wolf
2005 (stepdown); Mogstad, Romano, Shaikh & Wilhelm 2024 (confidence sets for ranks).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.domain.evaluation import Floats, Ints
from audit.ranking.ranks import TIE_TOLERANCE

Bools = NDArray[np.bool_]

FAMILY_WISE_ERROR = 0.05
_BLOCK = 1 << 23  # studentised differences at once


@dataclass(frozen=True, eq=False)
class Separability:
    """What the data say about every ordered pair of teams by one metric.

    Parameters
    ----------
    standard_error : ndarray, shape (T, T)
        Of the paired difference; 0 for teams that never differ, NaN with fewer than two replicates.
    adjusted_p : ndarray, shape (T, T), range [1/(B + 1), 1]
        For the row's team being better than the column's, adjusted for all ordered pairs. Never 0.
    critical_value : float
        What a studentised difference must exceed in the first step: the 95% quantile of the largest of all pairs; NaN
        where no pair ever differs.
    """

    standard_error: Floats
    adjusted_p: Floats
    critical_value: float

    @property
    def separable(self) -> Bools:
        """Whether the row's team is separable from, and above, the column's, shape (T, T)."""
        return np.asarray(self.adjusted_p <= FAMILY_WISE_ERROR)

    @property
    def rank_sets(self) -> Ints:
        """First and last rank of each team that the data do not reject, all at once at 95%, shape (T, 2)."""
        return rank_sets(self.separable)


def separability(estimates: Floats, replicates: Floats, standard_error: Floats | None = None) -> Separability:
    """Stepdown max-t over all ordered pairs of teams.

    Parameters
    ----------
    estimates : ndarray, shape (T,)
        Scores of the T teams, all defined.
    replicates : ndarray, shape (B, T)
        Their scores in B paired replicates.
    standard_error : ndarray, shape (T, T), optional
        Of the paired differences; by default their standard deviation over the replicates.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> replicates = np.array([0.8, 0.5, 0.5]) + rng.normal(0, 0.02, (2000, 3))
    >>> separability(np.array([0.8, 0.5, 0.5]), replicates).rank_sets.tolist()
    [[1, 1], [2, 3], [2, 3]]
    """
    first, second = np.triu_indices(len(estimates), k=1)
    deviations = replicates - estimates
    errors = _pair_errors(deviations, first, second) if standard_error is None else standard_error[first, second]
    errors[errors <= TIE_TOLERANCE] = 0  # rounding alone: scores this close are equal
    shape = (len(estimates), len(estimates))
    adjusted, spread = np.ones(shape), np.zeros(shape)
    spread[first, second] = spread[second, first] = errors
    moving = errors > 0  # a pair that never differs stays out of the maximum and is never separable
    first, second, errors = first[moving], second[moving], errors[moving]
    t = (estimates[first] - estimates[second]) / errors
    p, critical = _stepdown(t, deviations, first, second, errors)
    adjusted[first, second], adjusted[second, first] = p
    return Separability(spread, adjusted, critical)


def _pair_errors(deviations: Floats, first: Ints, second: Ints) -> Floats:
    """Standard deviation of each paired difference over the replicates: exactly 0 for identical columns."""
    n_replicates = len(deviations)
    errors = np.full(len(first), np.nan)
    if n_replicates < 2:  # noqa: PLR2004 - one replicate has no spread
        return errors
    step = max(1, _BLOCK // max(1, n_replicates))
    for start in range(0, len(first), step):
        pairs = slice(start, start + step)
        errors[pairs] = (deviations[:, first[pairs]] - deviations[:, second[pairs]]).std(axis=0, ddof=1)
    return errors


def _stepdown(
    t: Floats, deviations: Floats, first: Ints, second: Ints, errors: Floats
) -> tuple[tuple[Floats, Floats], float]:
    """Adjusted p of both directions of each pair, and the critical value of the first step.

    The ordered pairs are sorted by their t. A pair's adjusted p counts the replicates in which the largest studentised
    deviation of it and of all pairs with smaller t reaches its t; a pair never gets a smaller p than one with larger t.
    """
    n_pairs, n_replicates = len(t), len(deviations)
    if not n_pairs:
        return (t, t), np.nan
    both = np.concatenate([t, -t])
    order = np.argsort(both, kind="stable")
    reached = np.zeros(2 * n_pairs, dtype=np.int64)
    largest = np.empty(n_replicates)
    step = max(1, _BLOCK // (2 * n_pairs))
    for start in range(0, n_replicates, step):
        block = deviations[start : start + step]
        z = (block[:, first] - block[:, second]) / errors
        ascending = np.maximum.accumulate(np.concatenate([z, -z], axis=1)[:, order], axis=1)
        reached += (ascending >= both[order]).sum(axis=0)
        largest[start : start + step] = ascending[:, -1]
    p_ascending = (1 + reached) / (n_replicates + 1)
    p = np.empty(2 * n_pairs)
    p[order] = np.maximum.accumulate(p_ascending[::-1])[::-1]
    return (p[:n_pairs], p[n_pairs:]), float(np.quantile(largest, 1 - FAMILY_WISE_ERROR))


def rank_sets(separable: Bools) -> Ints:
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


def tiers(estimates: Floats, separable: Bools) -> Ints:
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
        left = np.flatnonzero(tier == 0)
        anchor = left[estimates[left].argmax()]
        tier[left[~separable[anchor, left]]] = number
    return tier
