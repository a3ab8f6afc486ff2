"""Average precision under weights of items: of one entry, for many draws of weights at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.domain.arrays import Bools, Counts, Floats


@dataclass(frozen=True, eq=False)
class DescendingItems:
    """The items of one entry from its highest score to its lowest, as far as average precision looks at them.

    Parameters
    ----------
    order : ndarray of int, shape (N,)
        The items, those with higher scores first.
    positive : ndarray of int, shape (n,)
        The items of the class among them, in this order.
    ends : ndarray of int, shape (n,)
        For each item of the class, the place of the last item that is scored as high.
    positive_ends : ndarray of int, shape (n,)
        For each item of the class, the place among these items of the last one that is scored as high.
    """

    order: Counts
    positive: Counts
    ends: Counts
    positive_ends: Counts

    @classmethod
    def of(cls, scores: Floats, positive: Bools) -> "DescendingItems":
        """Items in descending order of their scores, shape (N,); some are of the class."""
        order = np.argsort(-scores, kind="stable")
        descending, of_class = scores[order], positive[order]
        last_alike = np.append(np.flatnonzero(descending[1:] < descending[:-1]), scores.size - 1)
        places = np.flatnonzero(of_class)
        ends = last_alike[np.searchsorted(last_alike, places)]
        narrow = np.min_scalar_type(scores.size)
        positive_ends = (np.cumsum(of_class) - 1)[ends]
        return cls(*(each.astype(narrow) for each in (order, order[of_class], ends, positive_ends)))

    def average_precision(self, weights: Floats, shares: Sequence[float | None]) -> Floats:
        """The score for each draw of weights, shape (K, b).

        Parameters
        ----------
        weights : ndarray, shape (b, N)
            What each item counts; whole numbers above 0, so that no sum of them is rounded.
        shares : sequence of K float or None
            Masses of the items of the class, however much they weigh; None where that is for the weights to say.

        Examples
        --------
        Two items of the class, on places 1 and 3 of three; then the one on place 2 counts twice:

        >>> items = DescendingItems.of(np.array([0.2, 0.9, 0.5]), np.array([True, True, False]))
        >>> weights = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
        >>> items.average_precision(weights, [None, 0.5]).round(4).tolist()
        [[0.8333, 0.75], [0.75, 0.75]]
        """
        own = np.take(weights, self.positive, axis=1)
        hits = np.cumsum(own, axis=1)
        counted = np.cumsum(np.take(weights, self.order, axis=1), axis=1)
        of_class, of_all = hits[:, -1:], counted[:, -1:]
        reached = np.take(hits, self.positive_ends, axis=1)
        alarms = np.take(counted, self.ends, axis=1) - reached
        scores = np.empty((len(shares), len(weights)))
        for row, share in enumerate(shares):
            of_alarm = 1.0 if share is None else (1 - share) * of_class / (share * (of_all - of_class))
            precision = reached / (reached + of_alarm * alarms)
            scores[row] = (own * precision).sum(axis=1) / of_class[:, 0]
        return scores
