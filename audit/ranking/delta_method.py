"""Standard errors without resampling: influence values of confusion cells, for every team and pair at once.

A metric is a smooth function of the cell counts. Its influence value ψ of a cell is what one more item of it adds,
times N; the variance of a score is the mean of ψ² over the items, divided by N, and the covariance of two teams' scores
the mean of the product of theirs over the same items. Where items come in groups, ψ is summed by group first. A
cross-check of the bootstrap, with which it agrees when every class has many items.

One more item of gold class g, predicted as p, adds to the prevalence of g, to the bias of p, to what is correct where
the two are the same, and to the total: the gradient of a metric in its margins gives every cell.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from audit.domain import Evaluation, LabelSet, Prevalence, ScoreKey
from audit.domain.evaluation import Floats, Ints
from audit.metrics import Margins, margins_at, score_margins
from audit.metrics.confusion import Counts
from audit.ranking.resampling import Sample

_STEP = 1e-3  # items by which a count is moved; a central difference of it is exact to about 1e-9
_MARGINS = ("correct", "bias", "prevalence", "unanswered", "total")
_ANSWERS = 1 << 21  # influence values of teams' answers at once: 16 MB
_MOVED = 1 << 21  # margins moved at once: 16 MB


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
    prevalence = next(item for item in evaluation.prevalences if item.name == key.prevalence)
    values = np.full(evaluation.confusions.shape, np.nan)
    defined = np.flatnonzero(~np.isnan(evaluation.scores_of(key)))
    step = max(1, _MOVED // len(evaluation.task.label_set) ** 2)
    for start in range(0, len(defined), step):
        teams = defined[start : start + step]
        confusions = evaluation.confusions[teams]
        slope = _slopes(confusions, prevalence, key.metric, evaluation.task.label_set)
        values[teams] = np.where(confusions > 0, slope, 0) * evaluation.gold.n_items
    return values


def _slopes(confusions: Ints, prevalence: Prevalence, metric: str, labels: LabelSet) -> Floats:
    """What one more item of each cell adds to a score, shape (t, C, C + 1)."""
    margins = margins_at(confusions, prevalence, labels)
    slope = {name: _slope(margins, name, metric, labels) for name in _MARGINS}
    # By column: the bias of a class, or the unanswered items; and on the diagonal what is correct.
    columns = np.concatenate([slope["bias"], slope["unanswered"]], axis=-1)[:, None, :]
    cells = np.repeat(columns, len(labels), axis=1)
    diagonal = np.arange(len(labels))
    cells[:, diagonal, diagonal] += slope["correct"]
    if prevalence.name == "observed":
        return np.asarray(cells + (slope["prevalence"] + slope["total"])[..., None])
    # A gold row keeps its mass: one more item takes from all of its cells what it adds to one.
    mass = confusions.sum(axis=-1, keepdims=True)
    share = np.divide(confusions, mass, out=np.zeros(confusions.shape), where=mass > 0)
    scale = np.divide(margins.prevalence[..., None], mass, out=np.zeros(mass.shape), where=mass > 0)
    return np.asarray(scale * (cells - (cells * share).sum(axis=-1, keepdims=True)))


def _slope(margins: Margins, name: str, metric: str, labels: LabelSet) -> Floats:
    """Derivative of a score in one of its margins, of each class where it has classes, shape (t, C) or (t, 1)."""
    whole = getattr(margins, name).astype(np.float64)
    step = _STEP * np.eye(whole.shape[-1]) if whole.ndim > 1 else np.array([_STEP])
    still = {each: np.asarray(getattr(margins, each))[:, None] for each in (*_MARGINS, "averaged")}
    ends = [
        score_margins(metric, replace(margins, **{**still, name: whole[:, None] + sign * step}), labels)
        for sign in (1, -1)
    ]
    slope = (ends[0] - ends[1]) / (2 * _STEP)
    return np.broadcast_to(slope, (len(whole), len(step)))  # a score may know nothing of this margin


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
