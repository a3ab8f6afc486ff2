"""An order of teams, or of groups, that follows from their values alone: what they are called changes no draw."""

import numpy as np

from audit.domain.arrays import Counts, Floats

_SAME = 1e-9  # of the largest: values that are nearer to each other differ by rounding


def order_of(*values: Floats) -> Counts:
    """The places of n things, sorted by the first of their values; those with the same one by the next, and so on.

    Values have shape (n,); for a matrix, shape (n, n), what two things have in common, its diagonal and its sums with
    the places so far count. Only things that no value tells apart stay in the order that they are given in.

    >>> order_of(np.array([2.0, 1.0, 1.0]), np.array([0.0, 5.0, 4.0])).tolist()
    [2, 1, 0]
    """
    ranks = np.zeros(len(values[0]), dtype=np.int64)
    for each in values:
        if each.ndim == 1:
            ranks = _refined(ranks, each)
            continue
        ranks = _refined(ranks, np.diagonal(each))
        for power in (1, 2):
            ranks = _refined(ranks, each @ (ranks + 1.0) ** power)
        ranks = _refined(ranks, (each**2).sum(axis=1))
    return np.argsort(ranks, kind="stable")


def _refined(ranks: Counts, values: Floats) -> Counts:
    """Ranks from 0 on by the ranks so far, and by value among those that share one."""
    order = np.lexsort((values, ranks))
    size = float(np.abs(values).max(initial=0.0))
    steps = (np.diff(ranks[order]) > 0) | (np.diff(values[order]) > _SAME * size)
    refined = np.empty_like(ranks)
    refined[order] = np.concatenate([[0], np.cumsum(steps)]).astype(np.int64)[: len(ranks)]
    return refined
