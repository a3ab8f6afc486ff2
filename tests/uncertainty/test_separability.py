"""Rank sets are csranks', and the stepdown is what Romano and Wolf describe, done in loops."""

import csv
import itertools
from importlib import import_module

import numpy as np
import pytest

from audit.domain import ScoreKey
from audit.ranking.separability import separability, tiers

from .campaigns import resampled, shared

N_DRAWS = 20_000


def columns(path, delimiter="\t"):
    with path.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file, delimiter=delimiter)
    return dict(zip(header, zip(*lines, strict=True), strict=True))


def numbers(texts, kind=float):
    return np.array([kind(text) for text in texts])


def draws(estimates, covariance, seed):
    return np.random.default_rng(seed).multivariate_normal(estimates, covariance, N_DRAWS, method="cholesky")


@pytest.fixture(scope="module")
def pisa():
    """Estimates, standard errors and rank sets of 38 independent jurisdictions."""
    table = columns(shared("rank-sets-reference") / "pisa.tsv")
    sets = [np.stack([numbers(table[f"{end}_simul{run}"], int) for end in "LU"], -1) for run in ("", "_seed2")]
    return numbers(table["x"]), np.diag(numbers(table["se"]) ** 2), sets


@pytest.fixture(scope="module")
def correlated():
    """Estimates, covariance and rank sets of 12 teams scored on the same items."""
    folder = shared("rank-sets-reference")
    table = columns(folder / "correlated.tsv")
    covariance = np.loadtxt(folder / "correlated_covariance.tsv")
    sets = [np.stack([numbers(table[end + run], int) for end in "LU"], -1) for run in ("", "_seed2")]
    return numbers(table["x"]), covariance, sets


def errors_of(covariance):
    """Standard errors of all differences."""
    variance = np.diag(covariance)
    return np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", ["pisa", "correlated"])
def test_rank_sets_are_those_of_csranks(request, name, seed):
    """Given estimates and covariance: exactly, under two seeds."""
    estimates, covariance, published = request.getfixturevalue(name)
    assert (published[0] == published[1]).all()
    found = separability(estimates, draws(estimates, covariance, seed), errors_of(covariance))
    assert found.rank_sets.tolist() == published[0].tolist()


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", ["pisa", "correlated"])
def test_rank_sets_from_replicates_alone_are_those_of_csranks(request, name, seed):
    """Up to Monte Carlo error of one rank, in one end in twenty at most: the standard errors are estimated as well."""
    estimates, covariance, published = request.getfixturevalue(name)
    found = separability(estimates, draws(estimates, covariance, seed))
    off = np.abs(found.rank_sets - published[0])
    assert off.max() <= 1
    assert off.mean() <= 0.05


# Against loops


def naive(estimates, replicates):
    """Stepdown max-t as it is written: reject all pairs above the quantile, and begin again with the others.

    Adjusted p: the pairs from the largest t on; each counts the replicates in which the largest deviation of the pairs
    not yet passed reaches its t, and is at least the p before it.
    """
    n_teams, n_replicates = len(estimates), len(replicates)
    t, deviations = {}, {}
    for a, b in itertools.permutations(range(n_teams), 2):
        lead = [replicate[a] - replicate[b] for replicate in replicates]
        mean = sum(lead) / n_replicates
        error = (sum((value - mean) ** 2 for value in lead) / (n_replicates - 1)) ** 0.5
        if error > 1e-12:
            t[a, b] = (estimates[a] - estimates[b]) / error
            deviations[a, b] = [(value - (estimates[a] - estimates[b])) / error for value in lead]
    p, before = np.ones((n_teams, n_teams)), 0.0
    left = sorted(t, key=t.get, reverse=True)
    while left:
        tied = [pair for pair in left if t[pair] >= t[left[0]]]
        largest = [max(deviations[pair][b] for pair in left) for b in range(n_replicates)]
        reached = sum(value >= t[left[0]] for value in largest)
        before = max(before, (1 + reached) / (n_replicates + 1))
        for pair in tied:
            p[pair] = before
        left = [pair for pair in left if pair not in tied]
    return p


def made_up(seed, n_teams=5, n_replicates=99):
    """Correlated replicates around scores of which some are close and some far."""
    rng = np.random.default_rng(seed)
    estimates = np.round(rng.normal(0.6, 0.03, n_teams), 3)
    shared_part, own = rng.normal(0, 0.02, (n_replicates, 1)), rng.normal(0, 0.01, (n_replicates, n_teams))
    return estimates, estimates + shared_part + own * rng.uniform(0.5, 2, n_teams)


@pytest.mark.parametrize("seed", range(12))
def test_adjusted_p_are_those_of_loops(seed):
    """Of every ordered pair."""
    estimates, replicates = made_up(seed)
    found = separability(estimates, replicates)
    assert found.adjusted_p == pytest.approx(naive(estimates, replicates), abs=1e-12)
    assert len(np.unique(found.adjusted_p)) > 5  # or little was compared


def test_equal_scores_and_identical_columns_too():
    """Pairs of equal t share their p, as in the loops."""
    estimates, replicates = made_up(3)
    estimates, replicates = estimates[[0, 0, 1, 2, 2, 3]], replicates[:, [0, 0, 1, 2, 2, 3]]
    assert separability(estimates, replicates).adjusted_p == pytest.approx(naive(estimates, replicates), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_stepdown_rejects_what_stepwise_quantiles_reject(seed):
    """Separable is what is left when rejected pairs are taken out and the rest is tested again, until nothing falls."""
    estimates, replicates = made_up(seed, n_teams=6, n_replicates=999)
    found = separability(estimates, replicates)
    deviations = replicates - estimates
    pairs = list(itertools.permutations(range(6), 2))
    error = {(a, b): (deviations[:, a] - deviations[:, b]).std(ddof=1) for a, b in pairs}
    t = {(a, b): (estimates[a] - estimates[b]) / error[a, b] for a, b in pairs}
    left = set(pairs)
    while True:
        largest = np.max([(deviations[:, a] - deviations[:, b]) / error[a, b] for a, b in left], axis=0)
        # The 95% quantile by ranks: of 999 replicates at most 49 may reach t, for (1 + 49)/1,000 is 5%.
        critical = np.sort(largest)[-50]
        falling = {pair for pair in left if t[pair] > critical}
        if not falling:
            break
        left -= falling
    assert {tuple(pair) for pair in np.argwhere(found.separable).tolist()} == set(pairs) - left


# Laws


@pytest.mark.parametrize("n_replicates", [2, 19, 20, 99])
def test_no_p_is_zero(n_replicates):
    """However far apart two teams are, p is at least 1/(B + 1), and fewer than 19 replicates separate nobody."""
    rng = np.random.default_rng(4)
    estimates = np.array([0.9, 0.1, 0.5])
    found = separability(estimates, estimates + rng.normal(0, 1e-3, (n_replicates, 3)))
    assert found.adjusted_p.min() == pytest.approx(1 / (n_replicates + 1))
    assert found.separable.any() == (n_replicates >= 19)
    assert found.adjusted_p.max() <= 1


@pytest.mark.parametrize("n_replicates", [0, 1])
def test_too_few_replicates_separate_nobody(n_replicates):
    """Without a spread there is no studentised difference, and every rank remains possible."""
    found = separability(np.array([0.9, 0.1]), np.full((n_replicates, 2), 0.5))
    assert found.rank_sets.tolist() == [[1, 2], [1, 2]]
    assert (found.adjusted_p == 1).all()
    assert np.isnan(found.critical_value)
    assert np.isnan(found.standard_error[0, 1])


@pytest.mark.parametrize("seed", range(5))
def test_adjusted_p_falls_with_t(seed):
    """A pair with the larger studentised difference never has the larger p."""
    estimates, replicates = made_up(seed, n_teams=8)
    found = separability(estimates, replicates)
    off = ~np.eye(8, dtype=bool)
    t = (estimates[:, None] - estimates)[off] / found.standard_error[off]
    assert (np.diff(found.adjusted_p[off][np.argsort(t)]) <= 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_pair_is_separable_one_way_at_most(seed):
    """Who is above and separable has the higher score."""
    estimates, replicates = made_up(seed, n_teams=8, n_replicates=499)
    separable = separability(estimates, replicates).separable
    assert not (separable & separable.T).any()
    assert ((estimates[:, None] > estimates) | ~separable).all()


def test_identical_columns_are_never_separable_and_change_nothing_for_others():
    """A copy of a team stays out of the maximum: every other p and the critical value are as without it."""
    estimates, replicates = made_up(7, n_teams=4, n_replicates=499)
    alone = separability(estimates, replicates)
    twice = [0, 1, 2, 3, 1]
    found = separability(estimates[twice], replicates[:, twice])
    assert found.standard_error[1, 4] == 0
    assert found.adjusted_p[1, 4] == found.adjusted_p[4, 1] == 1
    assert found.critical_value == alone.critical_value
    assert (found.adjusted_p[:4, :4] == alone.adjusted_p).all()
    assert (found.adjusted_p[4, [0, 2, 3]] == alone.adjusted_p[1, [0, 2, 3]]).all()


def test_differences_of_rounding_alone_are_none():
    """Scores within 1e-12 are equal, so a spread of 1e-17 neither separates nor enters the maximum."""
    estimates, replicates = made_up(8, n_teams=3, n_replicates=499)
    noise = np.random.default_rng(5).normal(0, 1e-17, 499)
    alone = separability(estimates, replicates)
    found = separability(
        np.append(estimates, estimates[0] + 1e-16), np.column_stack([replicates, replicates[:, 0] + noise])
    )
    assert found.critical_value == pytest.approx(alone.critical_value, abs=1e-9)
    assert found.adjusted_p[3, 0] == found.adjusted_p[0, 3] == 1
    assert (found.adjusted_p[:3, :3] == alone.adjusted_p).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_teams_changes_nothing(seed):
    """Every p, rank set and tier follows its team, bit by bit."""
    estimates, replicates = made_up(seed, n_teams=7, n_replicates=499)
    order = np.random.default_rng(seed).permutation(7)
    found, moved = separability(estimates, replicates), separability(estimates[order], replicates[:, order])
    assert (moved.adjusted_p == found.adjusted_p[np.ix_(order, order)]).all()
    assert moved.critical_value == found.critical_value
    assert (moved.rank_sets == found.rank_sets[order]).all()
    assert (tiers(estimates[order], moved.separable) == tiers(estimates, found.separable)[order]).all()


@pytest.mark.parametrize("block", [1, 300, 5000])
def test_blocks_change_nothing(monkeypatch, block):
    """Neither the pairs nor the replicates looked at together matter, bit by bit."""
    estimates, replicates = made_up(9, n_teams=7, n_replicates=499)
    whole = separability(estimates, replicates)
    monkeypatch.setattr(import_module("audit.ranking.separability"), "_BLOCK", block)
    found = separability(estimates, replicates)
    assert (found.adjusted_p == whole.adjusted_p).all()
    assert (found.standard_error == whole.standard_error).all()
    assert found.critical_value == whole.critical_value


@pytest.mark.parametrize("seed", range(6))
def test_rank_sets_hold_the_rank_and_count_separable_teams(seed):
    """From one more than the teams that are separable from above, to all but those that are from below."""
    estimates, replicates = made_up(seed, n_teams=8, n_replicates=499)
    found = separability(estimates, replicates)
    for team, (first, last) in enumerate(found.rank_sets.tolist()):
        above = sum(bool(found.separable[other, team]) for other in range(8))
        below = sum(bool(found.separable[team, other]) for other in range(8))
        assert (first, last) == (1 + above, 8 - below)
        assert first <= 1 + (estimates > estimates[team]).sum() <= last


# Tiers


@pytest.mark.parametrize("seed", range(8))
def test_tiers_are_by_their_definition(seed):
    """The best team left and all not separable from it; then the best of the rest."""
    rng = np.random.default_rng(seed)
    estimates = rng.normal(size=9)
    separable = (estimates[:, None] > estimates) & (rng.random((9, 9)) < 0.5)
    found = tiers(estimates, separable)
    left, number = set(range(9)), 0
    while left:
        number += 1
        best = max(left, key=lambda team: estimates[team])
        inside = {team for team in left if not separable[best, team]}
        assert {team for team in range(9) if found[team] == number} == inside
        left -= inside
    assert found.max() == number


def test_a_tier_need_not_follow_rank_order():
    """The third may be in the first tier while the second is not."""
    separable = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
    assert tiers(np.array([0.9, 0.8, 0.7]), separable).tolist() == [1, 2, 1]


def test_nobody_is_separable_without_teams():
    """An empty field has no pairs."""
    assert separability(np.empty(0), np.empty((9, 0))).rank_sets.shape == (0, 2)


def test_teams_right_on_the_same_items_are_not_told_apart_by_rounding():
    """They are wrong in other ways, so that their calibrated accuracies differ by 1e-16: no difference at all."""
    rng = np.random.default_rng(3)
    gold = rng.choice(7, 500, p=np.arange(1, 8) / 28)
    right = rng.random(500) < 0.6
    teams = [np.where(right, gold, (gold + rng.integers(1, 7, 500)) % 7) for _ in "AB"]
    teams.append((gold + (rng.random(500) < 0.5)) % 7)
    calibrated, recall = (
        resampled(gold, teams, 7, n_replicates=300, official_metric=key).uncertainty.comparisons[0]
        for key in (ScoreKey("accuracy", "balanced"), ScoreKey("macro_recall"))
    )
    assert calibrated.standard_error[0, 1] == recall.standard_error[0, 1] == 0
    assert calibrated.adjusted_p == pytest.approx(recall.adjusted_p)
    assert calibrated.critical_value == pytest.approx(recall.critical_value)
