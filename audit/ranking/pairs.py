"""Every pair of entries: items that only one of the two gets right, and how sure their differences are."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from audit.domain import MOST_PAIRED, Evaluation, Pairs, ScoreKey
from audit.domain.evaluation import Floats, Ints
from audit.metrics import AGGREGATES
from audit.metrics.confusion import Bools, Counts
from audit.ranking.delta_method import covariance
from audit.ranking.resampling import Sample

_ANSWERS = 1 << 22  # answers at once: 16 MB, and few enough for their sums to be exact in float32
_STILL = 1e-3  # items: a standard error of less than a thousandth of an item is what a numerical derivative leaves of 0


def pairs_of(evaluation: Evaluation, predictions: Sequence[Counts]) -> Pairs | None:
    """What can be said of any two entries; None where there is one, or more than anybody looks through.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    predictions : sequence of T ndarrays of int, shape (N,)
        The label codes that were scored, in the order of the entries.
    """
    if not 1 < len(evaluation.entries) <= MOST_PAIRED:
        return None
    task, gold = evaluation.task, evaluation.gold
    sample = Sample.of(gold.codes, predictions, len(task.label_set), drop_missing=task.policies.missing == "drop")
    groups = None if gold.groups is None else gold.groups[np.argsort(gold.codes, kind="stable")]
    metrics = dict.fromkeys((task.ranking_metric.metric, *(metric.slug for metric in AGGREGATES)))
    keys = tuple(ScoreKey(metric, prevalence.name) for prevalence in evaluation.prevalences for metric in metrics)
    errors = [_errors(covariance(evaluation, key, sample, groups), evaluation.whole, gold.n_items) for key in keys]
    return Pairs(np.stack(list(only_right(sample)), axis=-1), keys, np.stack(errors))


def only_right(sample: Sample) -> Iterator[Ints]:
    """For each class, how many of its items the row's entry answers right and the column's does not, shape (T, T).

    Examples
    --------
    >>> sample = Sample.of(np.array([0, 0, 1]), [np.array([0, 0, 0]), np.array([0, 1, 1])], 2)
    >>> [counts.tolist() for counts in only_right(sample)]
    [[[0, 1], [0, 0]], [[0, 0], [1, 0]]]
    """
    for label, (start, stop) in enumerate(pairwise(sample.bounds.tolist())):
        both = _both_right(sample.predictions[:, start:stop] == label)
        yield np.diagonal(both)[:, None] - both


def _both_right(right: Bools) -> Ints:
    """On how many items each two entries are both right, shape (T, T)."""
    n_teams, n_items = right.shape
    both = np.zeros((n_teams, n_teams), dtype=np.int64)
    step = max(1, _ANSWERS // n_teams)
    for start in range(0, n_items, step):
        block = right[:, start : start + step].astype(np.float32)
        both += (block @ block.T).astype(np.int64)
    return both


def _errors(covariances: Floats, whole: Bools, n_items: int) -> Floats:
    """Standard errors of the paired differences from the covariances of the scores, shape (T, T)."""
    variances, least = np.diagonal(covariances), (_STILL / n_items) ** 2
    usable = whole & (variances > least)
    squares = variances[:, None] + variances - 2 * covariances
    errors = np.sqrt(np.where(squares > least, squares, 0))
    return np.where(usable[:, None] & usable, errors, np.nan)
