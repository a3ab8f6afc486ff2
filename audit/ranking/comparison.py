"""All pairs of comparable entries by one metric: what is separable, rank sets, tiers, and leads."""

import numpy as np

from audit.domain import Comparison, Evaluation, ScoreKey
from audit.domain.evaluation import Floats, Ints
from audit.metrics.confusion import Bools
from audit.ranking.delta_method import standard_errors
from audit.ranking.randomization import against_the_first
from audit.ranking.ranks import competition_ranks
from audit.ranking.replicates import percentile_intervals
from audit.ranking.resampling import Draws, Sample
from audit.ranking.separability import rank_sets, separability, tiers


def comparisons(
    evaluation: Evaluation, replicates: dict[ScoreKey, Floats], sample: Sample, draws: Draws
) -> tuple[Comparison, ...]:
    """A comparison by each metric whose replicates are given, with randomizations shared by all.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    replicates : dict of ScoreKey to ndarray, shape (B', T)
        The replicated scores of every entry.
    sample, draws : Sample, Draws
        What is randomized, and how often.
    """
    randomized = against_the_first(evaluation, tuple(replicates), sample, draws)
    return tuple(
        _comparison(evaluation, key, scores, randomized[key], standard_errors(evaluation, key, sample, draws.groups))
        for key, scores in replicates.items()
    )


def _comparison(
    evaluation: Evaluation, key: ScoreKey, replicates: Floats, randomized: Floats, delta_error: Floats
) -> Comparison:
    """Every pair of comparable entries by one metric. Those without a defined score are separable from nobody."""
    estimates, comparable = evaluation.scores_of(key), np.flatnonzero(evaluation.comparable)
    n_teams = len(estimates)
    defined = comparable[~np.isnan(estimates[comparable]) & ~np.isnan(replicates[:, comparable]).any(axis=0)]
    found = separability(estimates[defined], replicates[:, defined])
    error, p = np.full((n_teams, n_teams), np.nan), np.ones((n_teams, n_teams))
    separable = np.zeros((n_teams, n_teams), dtype=bool)
    inside = np.ix_(defined, defined)
    error[inside], p[inside], separable[inside] = found.standard_error, found.adjusted_p, found.separable
    sets, tier = np.zeros((n_teams, 2), dtype=np.int64), np.zeros(n_teams, dtype=np.int64)
    shares = np.zeros((n_teams, n_teams))
    among = separable[np.ix_(comparable, comparable)]
    sets[comparable], tier[comparable] = rank_sets(among), _tiers(estimates[comparable], among)
    shares[comparable, : len(comparable)] = _rank_shares(replicates[:, comparable])
    behind = _behind(evaluation, key, replicates)
    return Comparison(
        key=key,
        standard_error=error,
        adjusted_p=p,
        critical_value=found.critical_value,
        separable=separable,
        rank_sets=sets,
        tiers=tier,
        rank_shares=shares,
        behind_lower=behind[0],
        behind_upper=behind[1],
        randomization_p=randomized,
        delta_error=delta_error,
    )


def _tiers(estimates: Floats, separable: Bools) -> Ints:
    """Tiers of the teams with a defined score; all others share a last one."""
    defined = ~np.isnan(estimates)
    found = np.zeros(len(estimates), dtype=np.int64)
    found[defined] = tiers(estimates[defined], separable[np.ix_(defined, defined)])
    found[~defined] = found.max(initial=0) + 1
    return found


def _behind(evaluation: Evaluation, key: ScoreKey, replicates: Floats) -> Floats:
    """95% percentile interval of the leader's lead over each other entry of all items, shape (2, T)."""
    scores, leader = evaluation.scores_of(key), evaluation.leader(key)
    ends = np.full((2, len(scores)), np.nan)
    if leader is None:
        return ends
    others = np.flatnonzero(evaluation.whole & (np.arange(len(scores)) != leader))
    leads = replicates[:, [leader]] - replicates[:, others]
    ends[:, others] = percentile_intervals(leads[None], (scores[leader] - scores[others])[None])[:, 0]
    return ends


def _rank_shares(replicates: Floats) -> Floats:
    """Share of replicates in which each team has each rank, shape (T, T); 0 where all are left out."""
    ranks = competition_ranks(replicates)
    n_replicates, n_teams = ranks.shape
    cells = (ranks - 1) + np.arange(n_teams) * n_teams
    counts = np.bincount(cells.ravel(), minlength=n_teams * n_teams).reshape(n_teams, n_teams)
    return np.asarray(counts / max(1, n_replicates))
