"""Every paired difference of scores by one metric: covariances, and standard errors that hold where items are few.

The variance of a difference is that of the influence functions, plus what small samples lack if the two teams were
equally good.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.arrays import Bools, Counts, Floats
from audit.inference.items import Items, in_one_group
from audit.inference.mean_source import source_of
from audit.inference.sources import SAME, variances
from audit.metrics import metric_of


@dataclass(frozen=True, eq=False)
class Differences:
    """All paired differences of the entries that are scored on all items."""

    teams: Counts  # (t,): which entries: scored on all items, with a score that has an influence function
    covariance: Floats  # (t, t): the covariance of the scores
    spread: Floats  # (t, t): standard deviation of each difference
    error: Floats  # (t, t): the standard error of each difference, with the variance under "no difference"
    unidentified: Floats  # (t, t): what the column could gain by classes that only the row predicts

    def among(self, kept: Bools) -> "Differences":
        """The differences among some of the entries, which are given as a mask over all."""
        places = np.flatnonzero(kept[self.teams])
        square = np.ix_(places, places)
        matrices = (self.covariance, self.spread, self.error, self.unidentified)
        return Differences(self.teams[places], *(matrix[square] for matrix in matrices))


def differences(evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts | None = None) -> Differences:
    """Covariances of the scores by one metric, and the standard error of every paired difference.

    Of all entries, or some, that are scored on all items and whose scores have an influence function.
    """
    if metric_of(key.metric, evaluation.task.label_set).of_ranks:
        return _no_differences()  # no item adds to a rank
    able = evaluation.whole & ~np.isnan(evaluation.scores_of(key)) & (items.n_groups != 1)
    teams = np.flatnonzero(able) if entries is None else entries[able[entries]]
    source = source_of(evaluation, key, items, teams) if teams.size else None
    if source is not None and not source.has_influence.all():
        teams = teams[source.has_influence]
        source = source_of(evaluation, key, items, teams) if teams.size else None
    if source is None or (items.groups is not None and in_one_group(source.leverage).any()):
        return _no_differences()
    scores, null, covariance = evaluation.scores_of(key)[teams], source.null_variance(), source.covariance
    squares = (scores[:, None] - scores) ** 2
    if items.groups is not None:
        by_item, covariance = variances(covariance), source.group_covariance
        design = np.divide(variances(covariance), by_item, out=np.ones_like(by_item), where=by_item > 0)
        null = np.maximum(null * np.maximum(design, 1.0), squares * (source.leverage.mean(axis=0) ** 2).sum())
    return _differences(teams, covariance, null, squares, source.unidentified)


def _no_differences() -> Differences:
    return Differences(np.zeros(0, dtype=np.int64), *[np.zeros((0, 0))] * 4)


def _differences(teams: Counts, covariance: Floats, null: Floats, squares: Floats, unidentified: Floats) -> Differences:
    variance = variances(covariance)
    differ = (variance > 0) | (squares > SAME**2)
    error = np.sqrt(np.where(differ, variance + null, 0.0))
    return Differences(teams, covariance, np.sqrt(variance), error, unidentified)


def combined(parts: Sequence[tuple[Differences, Floats]], scores: Floats) -> Differences:
    """The differences of sums of independent scores, each times weights of the entries, shape (T,), from 0 on.

    Of the entries that can be compared in every part; scores are the sums. What a part leaves open under "no
    difference" counts with the larger weight of the two.
    """
    teams = reduce(np.intersect1d, (part.teams for part, _ in parts))
    sums = np.zeros((3, len(teams), len(teams)))  # covariance, variance under "no difference", unidentified
    for part, weights in parts:
        square, own = np.ix_(*[np.isin(part.teams, teams)] * 2), weights[teams]
        larger = np.maximum(own[:, None], own)
        null = np.maximum(part.error[square] ** 2 - part.spread[square] ** 2, 0.0)
        sums += own[:, None] * own * part.covariance[square], larger**2 * null, larger * part.unidentified[square]
    squares = (scores[teams, None] - scores[teams]) ** 2
    return _differences(teams, sums[0], sums[1], squares, sums[2])
