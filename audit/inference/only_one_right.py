"""Every pair of entries: items that only one of the two gets right."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from audit.domain import MOST_PAIRED, Evaluation, Pairs
from audit.domain.arrays import Counts, Ints
from audit.inference.influence.weighted_sample import Sample

_ANSWERS = 1 << 22  # answers at once: 16 MB, and few enough for their sums to be exact in float32


def pairs_of(evaluation: Evaluation, predictions: Sequence[Counts]) -> Pairs | None:
    """The items that one entry of a pair answers right and the other does not, for every pair and class.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    predictions : sequence of T ndarrays of int, shape (N,)
        The label codes that were scored, in the order of the entries.
    """
    if not 1 < len(evaluation.entries) <= MOST_PAIRED:
        return None
    task = evaluation.task
    drop_missing = task.policies.missing == "drop"
    sample = Sample.of(evaluation.gold.codes, predictions, len(task.label_set), drop_missing=drop_missing)
    return Pairs(np.stack(list(only_right(sample)), axis=-1))


def only_right(sample: Sample) -> Iterator[Ints]:
    """For each class the items that the row's entry answers right and the column's does not, shape (T, T).

    Examples
    --------
    >>> sample = Sample.of(np.array([0, 0, 1]), [np.array([0, 0, 0]), np.array([0, 1, 1])], 2)
    >>> [counts.tolist() for counts in only_right(sample)]
    [[[0, 1], [0, 0]], [[0, 0], [1, 0]]]
    """
    for label, (start, stop) in enumerate(pairwise(sample.bounds.tolist())):
        both = _both_right(sample, label, start, stop)
        yield np.diagonal(both)[:, None] - both


def _both_right(sample: Sample, label: int, start: int, stop: int) -> Ints:
    """The number of items from start to stop that both entries of a pair answer right, shape (T, T)."""
    both = np.zeros((sample.n_teams, sample.n_teams), dtype=np.int64)
    step = max(1, _ANSWERS // sample.n_teams)
    for first in range(start, stop, step):
        block = (sample.answers(items=slice(first, min(first + step, stop))) == label).astype(np.float32)
        both += (block @ block.T).astype(np.int64)
    return both
