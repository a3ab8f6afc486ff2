"""Who is ahead of whom, and what follows: who could be best, possible ranks, tiers. Nothing else decides them.

Sources: Romano and Wolf 2005 (all pairs); Mogstad, Romano, Shaikh and Wilhelm 2024 (possible ranks).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.domain.arrays import Bools, Counts, Ints


@dataclass(frozen=True, eq=False)
class Relation:
    """What the test set shows of t entries by one score.

    Parameters
    ----------
    ranks : ndarray of int, shape (t,)
        Their ranks; equal scores share one.
    ahead : ndarray of bool, shape (t, t)
        Whether the row's entry is ahead of the column's.
    could_be_best : ndarray of bool, shape (t,)
        Which entries could be best.
    uncertain : ndarray of bool, shape (t,)
        Entries whose differences are much less sure than the field's.
    """

    ranks: Ints
    ahead: Bools
    could_be_best: Bools
    uncertain: Bools

    @classmethod
    def of(cls, ranks: Ints, decided: Bools, out: Bools, uncertain: Bools) -> "Relation":
        """The relation that follows from two families of decisions.

        Parameters
        ----------
        ranks : ndarray of int, shape (t,)
            The ranks; equal scores share one.
        decided : ndarray of bool, shape (t, t)
            Whether the comparison of all pairs puts the row's entry ahead of the column's.
        out : ndarray of bool, shape (t,)
            Whether some other is ahead of an entry among this entry's own comparisons, or by a decision over all pairs.
        uncertain : ndarray of bool, shape (t,)
            Entries whose differences are much less sure than the field's.

        Examples
        --------
        Of three, the first is ahead of the last over all pairs, and the second is out by its own comparisons alone: the
        first alone could be best, and so is ahead of both.

        >>> decided = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
        >>> out, nobody = np.array([False, True, True]), np.zeros(3, dtype=bool)
        >>> relation = Relation.of(np.array([1, 2, 3]), decided, out, nobody)
        >>> relation.could_be_best.tolist(), relation.possible_ranks.tolist(), relation.tiers.tolist()
        ([True, False, False], [[1, 1], [2, 3], [2, 3]], [1, 2, 2])
        """
        # An entry as sure as the others is not out where one with a lower score, as sure, is not: this only adds.
        last = ranks[~out & ~uncertain].max(initial=0)
        best = ~out | (~uncertain & (ranks <= last) & ~decided.any(axis=0))
        ahead = decided.copy()
        if best.sum() == 1:
            ahead[best] = ~best
        return cls(ranks, ahead, best, uncertain)

    @cached_property
    def possible_ranks(self) -> Counts:
        """First and last possible rank of each entry, shape (t, 2)."""
        first = np.maximum(1 + self.ahead.sum(axis=0), np.where(self.could_be_best, 1, 2))
        return np.stack([first, len(self.ranks) - self.ahead.sum(axis=1)], axis=-1).astype(np.int64)

    @cached_property
    def tiers(self) -> Counts:
        """Tier of each entry, from 1 on: stretches of the ranking, shape (t,).

        A tier ends where the score drops below an entry that is no uncertain one, and every other that is none is ahead
        of all below that are none.
        """
        order = np.argsort(self.ranks, kind="stable")
        sure = ~self.uncertain[order]
        open_pairs = (~self.ahead[np.ix_(order, order)] & sure[:, None] & sure).astype(np.int64)
        # How many pairs of one among the first k and one below are open, for each k.
        from_above = np.triu(open_pairs, k=1)
        n_open = np.cumsum(from_above.sum(axis=1) - from_above.sum(axis=0))
        drops = np.append(np.diff(self.ranks[order]) > 0, False)
        sure_below = np.append(np.cumsum(sure[::-1])[::-1][1:] > 0, False)
        ends = sure & drops & sure_below & (n_open == 0)
        tiers = np.empty(len(order), dtype=np.int64)
        tiers[order] = 1 + np.concatenate([[0], np.cumsum(ends)[:-1]]).astype(np.int64)[: len(order)]
        return tiers
