"""Every pair of teams by one metric: who is ahead of whom, and with it who could be best, possible ranks and tiers."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from audit.domain import Comparison, Evaluation, ScoreKey
from audit.domain.arrays import Counts, Floats
from audit.inference.differences import differences
from audit.inference.family import Family
from audit.inference.gaussian import N_DRAWS
from audit.inference.influence.items import Items
from audit.inference.intervals import ends_of_entries, quantile_of
from audit.metrics import scale_of

Number = TypeVar("Number", bound=np.generic)


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
    whole = differences(evaluation, key, items)
    among = whole.among(evaluation.comparable)
    teams = among.teams
    entries = [evaluation.entries[team] for team in teams.tolist()]
    names = [(entry.team, entry.run or "") for entry in entries]
    family = Family.of(evaluation.goodness_of(key)[teams], among, seed, items.n_groups, names)
    relation = family.relation(evaluation.ranks_of(key)[teams])
    lower, upper = _chosen_intervals(evaluation, key, items, family)
    n_teams = len(evaluation.entries)
    return Comparison(
        key=key,
        standard_error=_of_pairs(np.full((n_teams, n_teams), np.nan), whole.teams, whole.error),
        adjusted_p=_of_pairs(np.ones((n_teams, n_teams)), teams, family.adjusted_p),
        critical_value=family.critical_value,
        ahead=_of_pairs(np.zeros((n_teams, n_teams), dtype=bool), teams, relation.ahead),
        ahead_given=_of_pairs(
            np.zeros((n_teams, n_teams), dtype=bool), teams, family.decided_given() & ~relation.ahead
        ),
        could_be_best=_of_teams(n_teams, teams, relation.could_be_best),
        uncertain=_of_teams(n_teams, teams, relation.uncertain),
        possible_ranks=_of_teams(n_teams, teams, relation.possible_ranks),
        tiers=_of_teams(n_teams, teams, relation.tiers),
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


def _of_teams(n_teams: int, teams: Counts, values: NDArray[Number]) -> NDArray[Number]:
    """Values of the compared entries among those of all, with 0 elsewhere."""
    of_all = np.zeros((n_teams, *values.shape[1:]), dtype=values.dtype)
    of_all[teams] = values
    return of_all


def _of_pairs(of_all: NDArray[Number], teams: Counts, values: NDArray[Number]) -> NDArray[Number]:
    """Values of the pairs of some entries among those of all."""
    of_all[np.ix_(teams, teams)] = values
    return of_all
