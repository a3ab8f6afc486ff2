"""Ranks of teams: competition style, on full precision or as published, undefined scores last."""

import math

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Bools, Floats, Ints

TIE_TOLERANCE = 1e-12
"""Scores closer than this are equal: far less than any table shows, more than rounding in floating point can make."""


def competition_ranks(scores: Floats) -> Ints:
    """Ranks 1, 2, 2, 4: equal scores share the best rank, and the next rank counts everyone above.

    Scores are sorted, and a new rank starts where the gap to the previous score exceeds :data:`TIE_TOLERANCE`, so that
    being equal is transitive. Undefined scores (NaN) share the last rank.

    Parameters
    ----------
    scores : ndarray of float, shape (..., T)
        Higher is better.

    Returns
    -------
    ndarray of int, shape (..., T)
        1 is best.

    Examples
    --------
    >>> competition_ranks(np.array([[0.3, 0.5, np.nan, 0.5], [np.nan, 0.2, 0.1, np.nan]])).tolist()
    [[3, 1, 4, 1], [3, 1, 2, 3]]
    """
    order, starts = _tie_groups(scores)
    places = np.arange(scores.shape[-1])
    first = np.maximum.accumulate(np.where(starts, places, 0), axis=-1)
    ranks = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, first + 1, axis=-1)
    return ranks


def ranks_among(scores: Floats, competing: Bools) -> Ints:
    """Ranks of the entries that compete, and the ranks that the others would take.

    Parameters
    ----------
    scores : ndarray of float, shape (K, T)
        Higher is better.
    competing : ndarray of bool, shape (T,)
        Which entries take a rank.

    Returns
    -------
    ndarray of int, shape (K, T)
        Competition ranks among those that compete; for another entry 1 and how many of them are better than it.

    Examples
    --------
    >>> ranks_among(np.array([[0.9, 0.8, 0.7, 0.7]]), np.array([True, False, True, True])).tolist()
    [[1, 2, 2, 2]]
    """
    ranks = np.empty(scores.shape, dtype=np.int64)
    ranks[:, competing] = competition_ranks(scores[:, competing])
    worst_last = np.where(np.isnan(scores), -np.inf, scores)
    for row, those in zip(ranks, worst_last, strict=True):
        ascending = np.sort(those[competing])
        row[~competing] = 1 + len(ascending) - np.searchsorted(ascending, those[~competing] + TIE_TOLERANCE, "right")
    return ranks


def would_be_rank(scores: Floats, value: float) -> int:
    """The rank that a score would take among others: 1 and how many of them are better.

    Examples
    --------
    >>> would_be_rank(np.array([0.9, 0.5, np.nan]), 0.5)
    2
    """
    return 1 + int((scores > value + TIE_TOLERANCE).sum())


def _tie_groups(scores: Floats) -> tuple[Ints, NDArray[np.bool_]]:
    """Order from best to worst, and where in it a new score starts."""
    worst_last = np.where(np.isnan(scores), -np.inf, scores)
    order = np.argsort(-worst_last, axis=-1, kind="stable")
    ordered = np.take_along_axis(worst_last, order, axis=-1)
    starts = np.ones(scores.shape, dtype=bool)
    with np.errstate(invalid="ignore"):  # two undefined scores: inf - inf is NaN, which is no gap
        starts[..., 1:] = ordered[..., :-1] - ordered[..., 1:] > TIE_TOLERANCE
    return order, starts


def first_places(scores: Floats) -> NDArray[np.bool_]:
    """A mask of rank 1 among :func:`competition_ranks`, found without sorting; none where no score is defined.

    Parameters
    ----------
    scores : ndarray of float, shape (..., T)
        Higher is better.

    Returns
    -------
    ndarray of bool, shape (..., T)

    Examples
    --------
    >>> first_places(np.array([[0.3, 0.5, np.nan, 0.5], [np.nan, np.nan, np.nan, np.nan]])).tolist()
    [[False, True, False, True], [False, False, False, False]]
    """
    defined = ~np.isnan(scores)
    lowest = np.max(scores, axis=-1, keepdims=True, initial=-np.inf, where=defined)
    first: NDArray[np.bool_] = defined & (scores >= lowest)
    while True:  # equality is transitive: who is close to one of the first is first too
        lowest = np.min(scores, axis=-1, keepdims=True, initial=np.inf, where=first)
        wider = defined & (lowest - scores <= TIE_TOLERANCE)
        if np.array_equal(wider, first):
            return first
        first = wider


def as_published(scores: Floats, decimals: int) -> Floats:
    """Scores rounded to the decimals on which a ranking was published, exactly as they print.

    Parameters
    ----------
    scores : ndarray, shape (T,)
        NaN stays NaN.
    decimals : int
        Digits after the point.

    Examples
    --------
    >>> as_published(np.array([0.68149, 0.6806]), 3).tolist()
    [0.681, 0.681]
    """
    # Python's round looks at the exact value, as printing does; NumPy's multiplies first and can differ at a half.
    return np.array([round(score, decimals) for score in scores.tolist()])


def printed_ranks(scores: Floats, competing: Bools | None = None) -> list[str]:
    """Ranks as printed: a shared rank carries an equals sign, an undefined score has none.

    Parameters
    ----------
    scores : ndarray, shape (T,)
        Higher is better.
    competing : ndarray of bool, shape (T,), optional
        Which entries take a rank, by default all; the rank that another would take stands in parentheses.

    Examples
    --------
    >>> printed_ranks(np.array([0.9, 0.5, 0.5, np.nan]))
    ['1', '2=', '2=', '–']
    >>> printed_ranks(np.array([0.9, 0.5, 0.5]), np.array([True, False, True]))
    ['1', '(2)', '2']
    """
    takes_rank = np.ones(scores.shape, dtype=bool) if competing is None else competing
    ranks = ranks_among(scores[None], takes_rank)[0]
    values, counts = np.unique(ranks[takes_rank], return_counts=True)
    several = set(values[counts > 1].tolist())
    shared = (f"{rank}=" if rank in several else str(rank) for rank in ranks.tolist())
    return [
        "–" if math.isnan(score) else printed if takes else f"({rank})"
        for score, rank, printed, takes in zip(
            scores.tolist(), ranks.tolist(), shared, takes_rank.tolist(), strict=True
        )
    ]
