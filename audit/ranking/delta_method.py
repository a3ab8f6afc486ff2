"""Standard errors without resampling: influence values of confusion cells, for every team and pair at once.

A metric is a smooth function of the cell counts. Its influence value ψ of a cell is what one more item of it adds,
times N; the variance of a score is the mean of ψ² over the items, divided by N, and the covariance of two teams' scores
the mean of the product of theirs over the same items. Where items come in groups, ψ is summed by group first. A
cross-check of the bootstrap, with which it agrees when every class has many items.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.evaluation import Floats
from audit.metrics import lost_classes, score_what_is_left
from audit.metrics.confusion import Counts
from audit.ranking.resampling import Sample

_STEP = 1e-3  # items by which a count is moved; a central difference of it is exact to about 1e-9
_ANSWERS = 1 << 21  # influence values of teams' answers at once: 16 MB


def influence(evaluation: Evaluation, key: ScoreKey) -> Floats:
    """Influence values of every cell of every team's confusion, shape (T, C, C + 1).

    They are 0 for empty cells, and NaN where the score is undefined.

    Parameters
    ----------
    evaluation : Evaluation
        What was scored.
    key : ScoreKey
        The metric.
    """
    n_teams, n_classes, n_columns = evaluation.confusions.shape
    values = np.zeros(evaluation.confusions.shape)
    for row in range(n_classes):  # a gold row at a time bounds the memory: T·(C + 1) confusions, not T·C·(C + 1)
        moved = np.repeat(evaluation.confusions[:, None].astype(np.float64), n_columns, axis=1)
        cells = np.arange(n_columns)
        step = np.where(evaluation.confusions[:, row] > 0, _STEP, 0.0)
        ends = []
        for sign in (1, -1):
            moved[:, cells, row, cells] = evaluation.confusions[:, row] + sign * step
            ends.append(_score(moved, evaluation, key))
        slope = np.divide(ends[0] - ends[1], 2 * step, out=np.zeros((n_teams, n_columns)), where=step > 0)
        values[:, row] = slope * evaluation.gold.n_items
    return values


def _score(confusions: Floats, evaluation: Evaluation, key: ScoreKey) -> Floats:
    prevalence = next(item for item in evaluation.prevalences if item.name == key.prevalence)
    lost = lost_classes(confusions, evaluation.present)
    return np.asarray(score_what_is_left(confusions, lost, [key], [prevalence], evaluation.task.label_set)[0])


def standard_errors(
    evaluation: Evaluation, key: ScoreKey, sample: Sample | None = None, groups: Counts | None = None
) -> Floats:
    """Standard error of every team's score, shape (T,); NaN where it is undefined.

    Parameters
    ----------
    evaluation : Evaluation
        What was scored.
    key : ScoreKey
        The metric.
    sample, groups : Sample, and ndarray of int, shape (N,), optional
        The answers, and which group each item belongs to, in the order of the sample.
    """
    psi, n_items = influence(evaluation, key), evaluation.gold.n_items
    if sample is None or groups is None:
        squares = (psi**2 * evaluation.confusions).sum(axis=(1, 2))
    else:
        squares = (_by_group(psi, sample, groups) ** 2).sum(axis=1)
    return np.asarray(np.where(np.isnan(evaluation.scores_of(key)), np.nan, np.sqrt(squares) / n_items))


def covariance(evaluation: Evaluation, key: ScoreKey, sample: Sample, groups: Counts | None = None) -> Floats:
    """Covariance of the teams' scores, Ψ Ψᵀ / N² with Ψ the influence values of items or groups, shape (T, T)."""
    psi = influence(evaluation, key)
    if groups is not None:
        by_group = _by_group(psi, sample, groups)
        return np.asarray(by_group @ by_group.T) / sample.n_items**2
    total = np.zeros((sample.n_teams, sample.n_teams))
    for _, by_item in _by_item(psi, sample):
        total += by_item @ by_item.T
    return total / sample.n_items**2


def _by_group(psi: Floats, sample: Sample, groups: Counts) -> Floats:
    """Influence values summed by group, shape (T, G)."""
    names, group_of = np.unique(groups, return_inverse=True)
    sums = np.zeros((sample.n_teams, len(names)))
    for items, by_item in _by_item(psi, sample):
        order = np.argsort(group_of[items], kind="stable")
        found, starts = np.unique(group_of[items][order], return_index=True)
        sums[:, found] += np.add.reduceat(by_item[:, order], starts, axis=1)
    return sums


def _by_item(psi: Floats, sample: Sample) -> Iterator[tuple[slice, Floats]]:
    """Influence values of the teams' answers to some items at a time, shape (T, n); 0 for those that were dropped."""
    step = max(1, _ANSWERS // sample.n_teams)
    with_dropped: Floats = np.pad(psi, ((0, 0), (0, 0), (0, 1)))
    for label, (start, stop) in enumerate(pairwise(sample.bounds.tolist())):
        for first in range(start, stop, step):
            items = slice(first, min(first + step, stop))
            answers = sample.predictions[:, items].astype(np.intp)
            yield items, np.take_along_axis(with_dropped[:, label], answers, axis=1)
