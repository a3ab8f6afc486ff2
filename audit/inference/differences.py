"""Every paired difference of scores by one metric: covariances, and standard errors that hold where items are few.

The variance of a difference is that of the influence functions, plus what small samples lack if the two teams were
equally good; where items come in groups it is that of what the groups add.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.arrays import Bools, Counts, Floats
from audit.inference.group_sums import GroupSums
from audit.inference.items import Items, in_one_group
from audit.inference.mean_source import source_of
from audit.inference.sources import SAME, Source, variances
from audit.metrics import metric_of

_LEAST_P = 1e-300  # below it a t is as far out as numbers tell


@dataclass(frozen=True, eq=False)
class Differences:
    """All paired differences of the entries that are scored on all items."""

    teams: Counts
    """(t,): which entries: scored on all items, with a score that has an influence function."""
    covariance: Floats  # (t, t): the covariance of the scores
    spread: Floats  # (t, t): standard deviation of each difference
    error: Floats
    """(t, t): the standard error of each difference, with the variance under "no difference"."""
    unidentified: Floats  # (t, t): what the column could gain by classes that only the row predicts
    groups: GroupSums | None = None
    """What each group adds to the scores; None where items are independent."""
    # (t, t): degrees of freedom of Student's distribution of each difference; None where it is taken to be normal
    freedom: Floats | None = None

    def among(self, kept: Bools) -> "Differences":
        """The differences among some of the entries, which are given as a mask over all."""
        return self.at(np.flatnonzero(kept[self.teams]))

    def at(self, places: Counts) -> "Differences":
        """The differences of some of the entries, which are given by their places among them."""
        square = np.ix_(places, places)
        groups = self.groups
        if groups is not None:
            groups = groups.of_teams(places)
        freedom = self.freedom
        if freedom is not None:
            freedom = freedom[square]
        return Differences(
            self.teams[places],
            self.covariance[square],
            self.spread[square],
            self.error[square],
            self.unidentified[square],
            groups,
            freedom,
        )

    def normal_equivalent(self, t: Floats) -> Floats:
        """The normal deviate that has the same p as each pair's Student's t, shape (t, t)."""
        if self.freedom is None:
            return t
        from scipy.special import ndtri, stdtr  # noqa: PLC0415 - a command without certainty does not wait for it

        return np.asarray(-ndtri(np.maximum(stdtr(self.freedom, -t), _LEAST_P)))

    def student_critical_values(self, critical: Floats) -> Floats:
        """Critical values of Student's t, one for each pair, that correspond to normal ones, shape (t, t)."""
        if self.freedom is None:
            return critical
        from scipy.special import ndtr, stdtrit  # noqa: PLC0415 - a command without certainty does not wait for it

        return -stdtrit(self.freedom, np.maximum(ndtr(-critical), _LEAST_P))


def differences(
    evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts | None = None
) -> Differences:
    """Covariances of the scores by one metric, and the standard error of every paired difference.

    Of all entries, or some, that are scored on all items and whose scores have an influence function.
    """
    metric = metric_of(key.metric, evaluation.task.label_set)
    if metric.of_ranks:
        return _no_differences()  # no item adds to a rank
    scores = evaluation.scores_of(key)
    is_able = evaluation.whole & ~np.isnan(scores) & (items.n_groups != 1)
    teams = np.flatnonzero(is_able)
    if entries is not None:
        teams = entries[is_able[entries]]
    source, teams = _source_with_influence(evaluation, key, items, teams)
    if source is None:
        return _no_differences()
    if items.groups is None:
        squares = (scores[teams, None] - scores[teams]) ** 2
        found = differences_from(
            teams, source.covariance, source.null_variance(), squares, source.unidentified
        )
        return replace(found, freedom=source.freedom)
    if in_one_group(source.leverage).any():
        return _no_differences()
    by_influence, by_class = source.shared()
    if not metric.greater_is_better:
        by_influence, by_class = -by_influence, -by_class
    names = np.unique(np.asarray(evaluation.gold.groups))
    groups = GroupSums(
        by_influence, by_class, source.gold_leverage(), source.beyond_groups(), names
    )
    return _of_groups(teams, source.group_covariance, groups, source.unidentified)


def _source_with_influence(
    evaluation: Evaluation, key: ScoreKey, items: Items, teams: Counts
) -> tuple[Source | None, Counts]:
    """The source of the score of those teams that have an influence function, and which these are."""
    if not teams.size:
        return None, teams
    source = source_of(evaluation, key, items, teams)
    if source.has_influence.all():
        return source, teams
    teams = teams[source.has_influence]
    if not teams.size:
        return None, teams
    return source_of(evaluation, key, items, teams), teams


def _no_differences() -> Differences:
    nothing = np.zeros((0, 0))
    return Differences(np.zeros(0, dtype=np.int64), nothing, nothing, nothing, nothing)


def differences_from(
    teams: Counts, covariance: Floats, null: Floats, squares: Floats, unidentified: Floats
) -> Differences:
    """The differences of independent items, given the squares of the differences and their null variance."""
    variance = variances(covariance)
    differ = (variance > 0) | (squares > SAME**2)
    error = np.sqrt(np.where(differ, variance + null, 0.0))
    return Differences(teams, covariance, np.sqrt(variance), error, unidentified)


def _of_groups(
    teams: Counts, covariance: Floats, groups: GroupSums, unidentified: Floats
) -> Differences:
    _, second, variance = groups.variances()
    return Differences(teams, covariance, np.sqrt(second), np.sqrt(variance), unidentified, groups)


def combined_differences(
    parts: Sequence[tuple[Differences, Floats]], scores: Floats
) -> Differences:
    """The differences of sums of independent scores, each times weights of the entries, shape (T,), from 0 on.

    Of the entries that can be compared in every part; scores are the sums. What a part leaves open under "no
    difference" counts with the larger weight of the two.
    """
    teams = reduce(np.intersect1d, (part.teams for part, _ in parts))
    shape = (len(teams), len(teams))
    covariance = np.zeros(shape)
    null = np.zeros(shape)
    unidentified = np.zeros(shape)
    of_groups = []
    for part, weights in parts:
        some = part.at(np.flatnonzero(np.isin(part.teams, teams)))
        own = weights[teams]
        larger = np.maximum(own[:, None], own)
        covariance += own[:, None] * own * some.covariance
        null += larger**2 * np.maximum(some.error**2 - some.spread**2, 0.0)
        unidentified += larger * some.unidentified
        if some.groups is not None:
            of_groups.append(some.groups.times(own))
    if len(of_groups) == len(parts):
        return _of_groups(teams, covariance, GroupSums.of_sum(of_groups), unidentified)
    squares = (scores[teams, None] - scores[teams]) ** 2
    found = differences_from(teams, covariance, null, squares, unidentified)
    return replace(found, freedom=_freedom_of_sum(parts, teams))


def _freedom_of_sum(parts: Sequence[tuple[Differences, Floats]], teams: Counts) -> Floats | None:
    """Degrees of freedom of differences of sums, shape (t, t): (ΣV)²/Σ(V²/E) of the parts; None if none has any.

    V is the variance of a part, E its degrees of freedom: as if all items of all parts stood in one list.
    """
    if all(part.freedom is None for part, _ in parts):
        return None
    total, fourths = np.zeros((2, len(teams), len(teams)))
    for part, weights in parts:
        places = np.flatnonzero(np.isin(part.teams, teams))
        square = np.ix_(places, places)
        own = weights[teams]
        variance = part.spread[square] ** 2 * np.maximum(own[:, None], own) ** 2
        total += variance
        if part.freedom is not None:
            fourths += variance**2 / part.freedom[square]
    return np.asarray(
        np.divide(total**2, fourths, out=np.full(total.shape, np.inf), where=fourths > 0)
    )
