"""Standard errors without resampling: influence values of confusion cells, for every team and pair at once.

A metric is a smooth function of the cell counts. Its influence value ψ of a cell is what one more item of it adds,
times N; the variance of a score is the mean of ψ² over the items, divided by N, and the covariance of two teams' scores
the mean of the product of theirs over the same items. A cross-check of the bootstrap, with which it agrees when every
class has many items.
"""

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.evaluation import Floats
from audit.metrics import score
from audit.ranking.resampling import Sample

_STEP = 1e-3  # items by which a count is moved; a central difference of it is exact to about 1e-9


def influence(evaluation: Evaluation, key: ScoreKey) -> Floats:
    """Influence values of every cell of every team's confusion, shape (T, C, C + 1); 0 for empty cells.

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
    return np.asarray(score(confusions, [key], [prevalence], evaluation.task.label_set)[0])


def standard_errors(evaluation: Evaluation, key: ScoreKey) -> Floats:
    """Standard error of every team's score, shape (T,)."""
    psi, n_items = influence(evaluation, key), evaluation.gold.n_items
    return np.asarray(np.sqrt((psi**2 * evaluation.confusions).sum(axis=(1, 2))) / n_items)


def covariance(evaluation: Evaluation, key: ScoreKey, sample: Sample) -> Floats:
    """Covariance of the teams' scores, Ψ Ψᵀ / N² with Ψ the influence values of the items, shape (T, T)."""
    psi = influence(evaluation, key)
    per_item = np.concatenate(
        [
            np.take_along_axis(psi[:, label], sample.predictions[:, start:stop].astype(np.int64), axis=1)
            for label, (start, stop) in enumerate(zip(sample.bounds[:-1], sample.bounds[1:], strict=True))
        ],
        axis=1,
    )
    return np.asarray(per_item @ per_item.T) / sample.n_items**2
