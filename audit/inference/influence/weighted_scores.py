"""Average precision under paired item weights: the same for all entries, drawn from the exponential distribution.

What an item adds to average precision depends on all others that are scored as high, so its variances and covariances
are taken from draws in place of a formula. Weights from the exponential distribution (Rubin 1981) leave no item out: no
draw lacks a class, and no two items become one. They are whole numbers, so that their sums are the same on every
processor. Nothing depends on blocks: each draw has a stream of random numbers of its own.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.domain import OBSERVED, Evaluation, ItemScores
from audit.domain.arrays import Counts, Floats
from audit.metrics import DescendingItems, prevalence_shares

N_WEIGHTS = 1000
"""Draws of item weights. A standard error from so many is itself uncertain by some 2%."""

_VALUES = 1 << 17  # weights of some draws at once: 1 MB, which stays in the processor's cache
_BITS = 16  # behind the point of a weight, before it is made a whole number
_SUM_BITS = 48  # 53 are exact; a weight is below 2^5, as of a billion numbers from the exponential distribution all are


@dataclass(frozen=True, eq=False)
class WeightedScores:
    """Average precision of every entry that has scores of items, in every draw of weights.

    Parameters
    ----------
    given : ItemScores
        The scores of T entries.
    shares : mapping of str to float or None
        For each prevalence by name, the mass of the items of the class; None where it is for the weights to say.
    seed : int
        Seeds every draw.
    groups : ndarray of int, shape (N,), optional
        Which group each item belongs to.
    """

    given: ItemScores
    shares: Mapping[str, float | None]
    seed: int
    groups: Counts | None = None

    @classmethod
    def of(cls, evaluation: Evaluation) -> "WeightedScores | None":
        """The weighted scores of an evaluation; None where no scores of single items are kept."""
        item_scores, labels = evaluation.item_scores, evaluation.task.label_set
        if item_scores is None:
            return None
        code, counts = labels.code_of[evaluation.task.scored_label or ""], evaluation.prevalence_counts
        shares: dict[str, float | None] = {
            each.name: float(prevalence_shares(each, counts, labels)[code]) for each in evaluation.prevalences
        }
        if not evaluation.gold.stratified:
            shares[OBSERVED.name] = None
        return cls(item_scores, shares, evaluation.options.seed, evaluation.gold.groups)

    def deviations(self, prevalence: str, *, grouped: bool) -> Floats:
        """How far the score in each draw is from its mean over the draws, shape (T, B); NaN without scores.

        So scaled that the sum of their squares is the variance of the score.

        Parameters
        ----------
        prevalence : str
            The prevalence at which the score is.
        grouped : bool
            Whether a weight is drawn for each group of items, not for each item.
        """
        drawn = self._of_groups if grouped else self._of_items
        return np.asarray(drawn[list(self.shares).index(prevalence)])

    def of_values(self, values: Floats, *, grouped: bool) -> Floats:
        """The sums of item values by each draw of item weights, shape (T, B), scaled like :meth:`deviations`.

        Parameters
        ----------
        values : ndarray, shape (T, N)
            What each item adds, in gold order; over all items the sum is 0.
        grouped : bool
            Whether a weight is drawn for each group of items, not for each item.
        """
        unit_of = self._group_of if grouped else np.arange(self.given.positive.size)
        of_units = np.stack([np.bincount(unit_of, row) for row in values])
        largest = np.abs(of_units).max(axis=1, initial=0.0)
        # Whole numbers, as the weights are, of which no sum has more bits than a float holds.
        unit = np.ldexp(1.0, np.frexp(largest)[1] - (_SUM_BITS - _BITS - of_units.shape[1].bit_length()))[:, None]
        whole, numbers = np.rint(of_units / unit), np.arange(of_units.shape[1])
        sums, step = np.empty((len(values), N_WEIGHTS)), max(1, _VALUES // numbers.size)
        for first in range(0, N_WEIGHTS, step):
            draws = slice(first, min(first + step, N_WEIGHTS))
            sums[:, draws] = whole @ self._weights(draws, numbers).T
        sums *= np.ldexp(unit, -_BITS)
        return _scaled(sums)

    @cached_property
    def _of_items(self) -> Floats:
        return self._drawn(np.arange(self.given.positive.size))

    @cached_property
    def _of_groups(self) -> Floats:
        return self._drawn(self._group_of)

    @cached_property
    def _group_of(self) -> Counts:
        """Which group each item belongs to, from 0 on."""
        return np.unique(np.asarray(self.groups), return_inverse=True)[1]

    def _drawn(self, unit_of: Counts) -> Floats:
        """The deviations at every prevalence, shape (K, T, B)."""
        scores = np.full((len(self.shares), len(self.given.rows), N_WEIGHTS), np.nan)
        entries = [(entry, self._descending(entry)) for entry in self.given.entries.tolist()]
        shares, step = list(self.shares.values()), max(1, _VALUES // unit_of.size)

        def add(first: int) -> None:
            draws = slice(first, min(first + step, N_WEIGHTS))
            weights = self._weights(draws, unit_of)
            for entry, items in entries:
                scores[:, entry, draws] = items.average_precision(weights, shares)

        with ThreadPoolExecutor() as pool:  # NumPy's loops let go of Python's lock
            list(pool.map(add, range(0, N_WEIGHTS, step)))
        return _scaled(scores)

    def _descending(self, entry: int) -> DescendingItems:
        scores = self.given.rows[entry]
        assert scores is not None  # noqa: S101 - asked of those that have them
        return DescendingItems.of(scores, self.given.positive)

    def _weights(self, draws: slice, unit_of: Counts) -> Floats:
        """Weights of all items in some draws, shape (b, N)."""
        n_units = int(unit_of.max()) + 1
        streams = (
            np.random.default_rng([self.seed, draw, *b"item weights"]) for draw in range(draws.start, draws.stop)
        )
        drawn = np.stack([stream.standard_exponential(n_units) for stream in streams])
        return np.take(np.maximum(np.rint(np.ldexp(drawn, _BITS)), 1.0), unit_of, axis=1)


def _scaled(values: Floats) -> Floats:
    """Scores in each draw, less their mean over the draws, so that their squares add up to the variance."""
    values -= values.mean(axis=-1, keepdims=True)
    values /= np.sqrt(N_WEIGHTS - 1)
    return values
