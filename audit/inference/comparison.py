"""Every pair of teams by one metric: separable, adjusted p, possible ranks, tiers, the best set, the leader's interval.

Every statement about pairs comes from this one procedure, that about the best from its T - 1 comparisons.
"""

import numpy as np

from audit.domain import Comparison, Evaluation, ScoreKey
from audit.domain.arrays import Bools, Counts, Floats
from audit.inference.differences import differences
from audit.inference.family import Family
from audit.inference.gaussian import FAMILY_WISE_ERROR, N_DRAWS
from audit.inference.influence.items import Items
from audit.inference.intervals import ends_of_entries, quantile_of
from audit.inference.ranks_and_tiers import rank_sets, tiers
from audit.metrics import scale_of


def compare(evaluation: Evaluation, key: ScoreKey, items: Items, seed: int) -> Comparison:
    """All pairs of comparable entries by one metric.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    key : ScoreKey
        The metric.
    items : Items
        The answers of all entries, by item.
    seed : int
        Seeds the draws.
    """
    n_teams = len(evaluation.entries)
    whole = differences(evaluation, key, items)
    among = whole.among(evaluation.comparable)
    scores = evaluation.goodness_of(key)[among.teams]
    entries = [evaluation.entries[team] for team in among.teams.tolist()]
    names = [(entry.team, entry.run or "") for entry in entries]
    family = Family.of(scores, among, seed, items.n_groups, names)
    p, compared_pairs = family.adjusted_p(), np.ix_(among.teams, among.teams)
    error, adjusted = np.full((n_teams, n_teams), np.nan), np.ones((n_teams, n_teams))
    separable = np.zeros((n_teams, n_teams), dtype=bool)
    error[np.ix_(whole.teams, whole.teams)] = whole.error
    adjusted[compared_pairs] = p
    separable[compared_pairs] = (p <= FAMILY_WISE_ERROR) & (scores[:, None] > scores)
    best = np.zeros(n_teams, dtype=bool)
    best[among.teams] = family.best_set()
    lower, upper = _chosen_intervals(evaluation, key, items, family)
    return Comparison(
        key=key,
        standard_error=error,
        adjusted_p=adjusted,
        critical_value=family.critical_value,
        separable=separable,
        rank_sets=_spread_rows(evaluation.comparable, rank_sets(separable[np.ix_(*[evaluation.comparable] * 2)])),
        tiers=_tiers(evaluation, key, separable, among.teams),
        best_set=best,
        leader=evaluation.leader(key),
        chosen_lower=lower,
        chosen_upper=upper,
        n_draws=N_DRAWS,
    )


def _chosen_intervals(evaluation: Evaluation, key: ScoreKey, items: Items, family: Family) -> tuple[Floats, Floats]:
    """The intervals of the leader and of who shares its rank, the worse end corrected for their having been chosen."""
    lower, upper = np.full((2, len(evaluation.entries)), np.nan)
    leader, ranks, teams = evaluation.leader(key), evaluation.ranks_of(key), family.differences.teams
    places = np.flatnonzero(ranks[teams] == ranks[leader]) if leader is not None else np.empty(0, dtype=np.int64)
    if places.size:
        first, usual = teams[places], quantile_of(items.n_groups)
        lower[first], upper[first] = ends_of_entries(evaluation, key, first, items, usual)
        corrected = ends_of_entries(evaluation, key, first, items, max(family.chosen_quantile(places), usual))
        if scale_of(key.metric, evaluation.task.label_set).greater_is_better:
            lower[first] = corrected[0]
        else:
            upper[first] = corrected[1]
    return lower, upper


def _spread_rows(comparable: Bools, rows: Counts) -> Counts:
    """Rows of the comparable entries among those of all, with 0 elsewhere."""
    all_rows = np.zeros((len(comparable), *rows.shape[1:]), dtype=np.int64)
    all_rows[comparable] = rows
    return all_rows


def _tiers(evaluation: Evaluation, key: ScoreKey, separable: Bools, compared: Counts) -> Counts:
    """Tiers of the comparable entries; those that cannot be compared by their score, or have none, share a last one."""
    comparable, scores = evaluation.comparable, evaluation.goodness_of(key)
    is_compared = np.zeros_like(comparable)
    is_compared[compared] = True
    team_tiers = _spread_rows(is_compared, tiers(scores[is_compared], separable[np.ix_(is_compared, is_compared)]))
    team_tiers[comparable & ~is_compared] = team_tiers.max(initial=0) + 1
    return team_tiers
