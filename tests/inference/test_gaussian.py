"""Draws with a covariance, and the stepdown on their maxima, against loops and the tables of other programs."""

import csv
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats

from audit.domain import FAMILY_WISE_ERROR
from audit.inference import gaussian
from audit.inference.gaussian import DEPENDENT, N_DRAWS, Neighbours, draw, factor

from .campaigns import largest_of_each, shared

MANY = 40_000


def covariance_of(rng, n_teams, rank=None):
    """A covariance as scores on the same items have it, of full rank or less."""
    parts = rng.normal(size=(n_teams, rank or 3 * n_teams))
    return parts @ parts.T * np.outer(*[rng.uniform(0.1, 3, n_teams)] * 2)


def spread_of(covariance):
    """Standard deviations of all differences, 0 where rounding is all that is left."""
    own = np.diagonal(covariance)
    variance = own[:, None] + own - 2 * covariance
    return np.sqrt(np.where(variance > DEPENDENT * (own[:, None] + own), variance, 0.0))


def stepdown(t, draws, first, second, spread):
    """Adjusted p of the pairs, and the critical value of the first step; NaN where there is no pair."""
    of_pairs = np.zeros((len(draws), len(draws)))
    of_pairs[first, second] = of_pairs[second, first] = spread
    largest = Neighbours.of(draws, of_pairs).largest()
    p = gaussian.stepdown(t, draws, np.stack([first, second], axis=-1), spread, largest)
    return p, float(np.quantile(largest, 0.95)) if len(t) else np.nan


# The factor


@pytest.mark.parametrize("rank", [None, 1, 3, 6])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_factor_gives_the_covariance_back(rank, seed):
    """Lower triangular, also of a covariance that is singular."""
    covariance = covariance_of(np.random.default_rng(seed), 8, rank)
    lower = factor(covariance)
    size = np.sqrt(np.outer(*[np.diagonal(covariance)] * 2))
    assert (np.triu(lower, k=1) == 0).all()
    assert (np.abs(lower @ lower.T - covariance) <= 1e-4 * size).all()
    if rank is None:
        assert lower == pytest.approx(np.linalg.cholesky(covariance), rel=1e-9, abs=1e-9)


def test_a_team_that_cannot_vary_has_no_draws():
    """Its row is 0, and takes nothing from the others."""
    covariance = np.array([[0.0, 0, 0], [0, 4, 2], [0, 2, 9]])
    assert factor(covariance)[0].tolist() == [0, 0, 0]
    assert factor(covariance)[1:, 1:] == pytest.approx(np.linalg.cholesky(covariance[1:, 1:]))
    assert (draw(covariance, 1)[0] == 0).all()
    assert draw(np.zeros((0, 0)), 1).shape == (0, N_DRAWS)


@pytest.mark.parametrize("seed", range(6))
def test_twins_have_the_same_draws(seed):
    """To the last bit, wherever they stand; also beside teams that are nearly theirs."""
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=(7, 40))
    psi[3] = psi[0] + np.where(np.arange(40) < 1, 1e-3, 0)  # the same but for one item
    psi = psi[[0, 1, 2, 3, 4, 0, 5, 6, 3, 0]]
    covariance = np.array([[np.sum(one * other) for other in psi] for one in psi])
    draws = draw(covariance, seed)
    for twins in ((0, 5, 9), (3, 8)):
        for one, other in combinations(twins, 2):
            np.testing.assert_array_equal(draws[one], draws[other])


# The draws


def test_draws_have_the_covariance():
    """Within five standard errors of each entry, and mean 0."""
    covariance = covariance_of(np.random.default_rng(4), 6, rank=5)
    draws = draw(covariance, 1, MANY)
    own = np.diagonal(covariance)
    error = np.sqrt((np.outer(own, own) + covariance**2) / MANY)
    assert (np.abs(draws @ draws.T / MANY - covariance) <= 5 * error).all()
    assert (np.abs(draws.mean(axis=1)) <= 5 * np.sqrt(own / MANY)).all()
    assert stats.kstest(draws[0] / np.sqrt(own[0]), "norm").pvalue > 1e-4


@pytest.mark.parametrize("n_groups", [2, 20])
def test_draws_of_few_groups_are_student_s(n_groups):
    """Each team's by itself, divided by its standard deviation; and what is common to all teams turns no difference."""
    covariance = covariance_of(np.random.default_rng(9), 3)
    normal, wide = (draw(covariance, 3, MANY, n_groups=count) for count in (0, n_groups))
    for row, own in zip(wide, np.diagonal(covariance), strict=True):
        assert stats.kstest(row / np.sqrt(own), stats.t(n_groups - 1).cdf).pvalue > 1e-4
    ratio = wide / normal
    assert ratio == pytest.approx(np.broadcast_to(ratio[0], ratio.shape), rel=1e-4)


def test_of_one_group_nothing_is_widened():
    """Nothing is known of it, and nothing is compared."""
    np.testing.assert_array_equal(draw(np.eye(2), 1, 50, n_groups=1), draw(np.eye(2), 1, 50))


def test_the_seed_decides_the_draws():
    """The same seed, the same bytes; another one, others."""
    covariance = covariance_of(np.random.default_rng(5), 4)
    assert draw(covariance, 1).tobytes() == draw(covariance, 1).tobytes()
    assert (draw(covariance, 1) != draw(covariance, 2)).any()
    assert draw(covariance, 1).shape == (4, N_DRAWS)


def test_the_unit_of_the_scores_does_not_matter():
    """A score a power of two as large has draws as large, exactly."""
    covariance = covariance_of(np.random.default_rng(6), 4)
    np.testing.assert_array_equal(draw(covariance * 2.0**-40, 1), draw(covariance, 1) * 2.0**-20)


# Stepdown


def pairs_of(estimates, covariance, seed=1, n_draws=199):
    """What a stepdown is given."""
    spread = spread_of(covariance)
    first, second = np.nonzero(np.triu(spread > 0, k=1))
    t = (estimates[first] - estimates[second]) / spread[first, second]
    return t, draw(covariance, seed, n_draws), first, second, spread[first, second]


def by_loops(t, draws, first, second, spread):
    """Romano and Wolf as it is written, and adjusted p.

    Reject every pair whose |t| is reached by the largest of all pairs that are left in 5% of draws at most, take it
    out, and begin again until nothing falls. p: from the largest |t| on, each counts the draws in which the largest
    of the pairs not yet passed reaches its |t|, and is at least the p before it.
    """
    n_draws = draws.shape[1]
    z = [
        [abs(draws[a, b] - draws[c, b]) / s for b in range(n_draws)]
        for a, c, s in zip(first, second, spread, strict=True)
    ]
    size = np.abs(t)

    def reached(pair, left):
        return (1 + sum(max(z[each][b] for each in left) >= size[pair] for b in range(n_draws))) / (
            1 + n_draws
        )

    left, rejected = set(range(len(t))), set()
    while True:
        falls = {pair for pair in left if reached(pair, left) <= FAMILY_WISE_ERROR}
        if not falls:
            break
        rejected, left = rejected | falls, left - falls
    p, before, left = np.ones(len(t)), 0.0, set(range(len(t)))
    for pair in sorted(left, key=lambda each: -size[each]):
        before = p[pair] = max(
            before, reached(pair, {each for each in left if size[each] <= size[pair]})
        )
    return rejected, p


@pytest.mark.parametrize("seed", range(6))
def test_stepdown_is_that_of_loops(seed):
    """Pairs are rejected that have p ≤ .05, and every p is that of the definition; twins are in no pair."""
    rng = np.random.default_rng(seed)
    covariance = covariance_of(rng, 5, rank=4)[np.ix_(*[[0, 1, 2, 3, 4, 1]] * 2)]
    estimates = rng.normal(0, 4, 6)
    estimates[5] = estimates[1]
    given = pairs_of(estimates, covariance, n_draws=99)
    assert (1, 5) not in zip(given[2].tolist(), given[3].tolist(), strict=True)
    p, _ = stepdown(*given)
    rejected, expected = by_loops(*given)
    assert p == pytest.approx(expected)
    assert rejected == set(np.flatnonzero(p <= FAMILY_WISE_ERROR).tolist())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_draws", [19, 199])
def test_p_is_never_0_and_falls_with_t(seed, n_draws):
    """However far apart two teams are; a larger |t| never has the larger p, and equal ones have equal p."""
    rng = np.random.default_rng(seed)
    t, draws, first, second, spread = pairs_of(
        rng.normal(0, 30, 8), covariance_of(rng, 8), n_draws=n_draws
    )
    t[3], t[7] = t[5], -t[5]
    p, _ = stepdown(t, draws, first, second, spread)
    order = np.argsort(-np.abs(t), kind="stable")
    assert (np.diff(p[order]) >= 0).all()
    assert p[3] == p[5] == p[7]
    assert ((p >= 1 / (n_draws + 1)) & (p <= 1)).all()
    assert p.min() == 1 / (n_draws + 1)


def test_no_pair_no_critical_value():
    """Where nobody differs there is nothing to test."""
    empty = np.zeros(0)
    p, critical = stepdown(empty, np.zeros((2, 9)), empty.astype(int), empty.astype(int), empty)
    assert p.size == 0
    assert np.isnan(critical)


@pytest.mark.parametrize("block", [1, 7, 10_000])
def test_blocks_of_pairs_change_nothing(monkeypatch, block):
    """However few draws are held at once."""
    rng = np.random.default_rng(7)
    covariance = covariance_of(rng, 7)
    given = pairs_of(rng.normal(0, 3, 7), covariance)
    p, critical = stepdown(*given)
    monkeypatch.setattr(gaussian, "_DRAWN", block * 199)
    again, same = stepdown(*given)
    assert (p.tobytes(), critical) == (again.tobytes(), same)


def test_maxima_are_those_of_loops():
    """Of each team from all others; pairs that cannot differ are left out."""
    rng = np.random.default_rng(8)
    covariance = covariance_of(rng, 4)[np.ix_(*[[0, 1, 2, 3, 1]] * 2)]
    draws, spread = draw(covariance, 1, 50), spread_of(covariance)
    largest = Neighbours.of(draws, spread).largest()
    pairs = [pair for pair in combinations(range(5), 2) if pair != (1, 4)]
    for b in range(50):
        assert largest[b] == pytest.approx(
            max(abs(draws[i, b] - draws[j, b]) / spread[i, j] for i, j in pairs)
        )
    assert (Neighbours.of(draws[[1, 4]], np.zeros((2, 2))).largest() == 0).all()


@pytest.mark.parametrize("few", [1, 2, 5, 20])
@pytest.mark.parametrize("rank", [None, 2])
def test_what_the_ends_of_few_teams_bound_is_left_out_and_nothing_else(monkeypatch, few, rank):
    """Maxima of all pairs, and in how many draws each team reaches its t, are to the bit those of every pair."""
    rng = np.random.default_rng(few)
    # twins, and teams as good as twins
    covariance = covariance_of(rng, 12, rank)[np.ix_(*[[*range(12), 3, 3]] * 2)]
    draws, spread = draw(covariance, 2, 400), spread_of(covariance)
    monkeypatch.setattr(gaussian, "_FEW", few)
    of_each = largest_of_each(draws, spread)
    np.testing.assert_array_equal(Neighbours.of(draws, spread).largest(), of_each.max(axis=0))
    for t in (rng.uniform(0, 5, 14), of_each[:, 7].astype(float), np.full(14, 2.5)):
        expected = (of_each >= t[:, None]).sum(axis=1)
        np.testing.assert_array_equal(
            [Neighbours.of(draws, spread).reached(*each) for each in enumerate(t)], expected
        )


# Known quantiles


def critical_of(covariance, n_draws=MANY):
    """The critical value of all pairs."""
    return stepdown(*pairs_of(np.zeros(len(covariance)), covariance, n_draws=n_draws))[1]


def test_two_teams_have_the_normal_quantile():
    """1.96 within Monte Carlo error, whatever their variances and correlation."""
    for seed in range(3):
        covariance = covariance_of(np.random.default_rng(seed), 2)
        density = 2 * stats.norm.pdf(1.96)
        error = np.sqrt(0.95 * 0.05 / MANY) / density
        assert critical_of(covariance) == pytest.approx(stats.norm.ppf(0.975), abs=4 * error)


@pytest.mark.parametrize("n_teams", [3, 5, 10])
def test_independent_teams_have_the_studentised_range(n_teams):
    """Of equal variances: Tukey's quantile over √2, also with an error that all of them share."""
    for common in (0.0, 7.0):
        exact = stats.studentized_range.ppf(0.95, n_teams, np.inf) / np.sqrt(2)
        found = critical_of(np.eye(n_teams) + common)
        # four standard errors of a 95% quantile of 40,000
        assert found == pytest.approx(exact, abs=0.03)


def test_few_teams_of_many_pairs_are_below_bonferroni_and_above_one_pair():
    """For any correlation."""
    for seed in range(3):
        found = critical_of(covariance_of(np.random.default_rng(seed), 6))
        assert stats.norm.ppf(0.975) < found < stats.norm.ppf(1 - 0.025 / 15) + 0.03


# csranks (Mogstad, Romano, Shaikh and Wilhelm 2024)


def columns(path):
    with path.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file, delimiter="\t")
    return dict(zip(header, zip(*lines, strict=True), strict=True))


@pytest.fixture(scope="module")
def pisa():
    """Estimates, covariance and rank sets of 38 independent jurisdictions."""
    table = columns(shared("rank-sets-reference") / "pisa.tsv")
    sets = np.stack([np.array(table[f"{end}_simul"], dtype=int) for end in "LU"], axis=-1)
    return np.array(table["x"], dtype=float), np.diag(np.array(table["se"], dtype=float) ** 2), sets


@pytest.fixture(scope="module")
def correlated():
    """Estimates, covariance and rank sets of 12 teams scored on the same items."""
    folder = shared("rank-sets-reference")
    table = columns(folder / "correlated.tsv")
    sets = np.stack([np.array(table[end], dtype=int) for end in "LU"], axis=-1)
    return np.array(table["x"], dtype=float), np.loadtxt(folder / "correlated_covariance.tsv"), sets


def rank_sets(ahead):
    """First and last rank that decided pairs leave open."""
    return np.stack([1 + ahead.sum(axis=0), len(ahead) - ahead.sum(axis=1)], axis=-1)


def ordered_rank_sets(estimates, covariance, seed):
    """Rank sets as csranks finds them, from the same draws.

    It tests ordered pairs: a rejected one, say that A is not above B, leaves the other direction, that B is not above
    A, in the maximum. Here pairs are unordered, so that a decided one leaves in both directions, and the rest is
    tested a little less strictly.
    """
    draws, spread = draw(covariance, seed, 20_000), spread_of(covariance)
    pairs = list(permutations(range(len(estimates)), 2))
    z = np.stack([(draws[a] - draws[b]) / spread[a, b] for a, b in pairs])
    t = np.array([(estimates[a] - estimates[b]) / spread[a, b] for a, b in pairs])
    left = np.ones(len(pairs), dtype=bool)
    while True:
        falls = left & (t > np.quantile(z[left].max(axis=0), 0.95))
        if not falls.any():
            break
        left &= ~falls
    separable = np.zeros((len(estimates),) * 2, dtype=bool)
    for (a, b), kept in zip(pairs, left, strict=True):
        separable[a, b] = not kept
    return rank_sets(separable)


@pytest.mark.parametrize("name", ["pisa", "correlated"])
@pytest.mark.parametrize("seed", [1, 2])
def test_rank_sets_are_those_of_csranks(request, name, seed):
    """From its estimates and covariance, with its ordered pairs: exactly, under two seeds."""
    estimates, covariance, published = request.getfixturevalue(name)
    assert ordered_rank_sets(estimates, covariance, seed).tolist() == published.tolist()


@pytest.mark.parametrize("name", ["pisa", "correlated"])
def test_unordered_pairs_give_sets_that_lie_inside(request, name):
    """By at most one rank at an end, and no wider than without any stepdown."""
    estimates, covariance, published = request.getfixturevalue(name)
    t, draws, first, second, spread = pairs_of(estimates, covariance, n_draws=20_000)
    p, critical = stepdown(t, draws, first, second, spread)
    found, single = (
        rank_sets(_separable(len(estimates), first, second, t, decided))
        for decided in (p <= FAMILY_WISE_ERROR, np.abs(t) > critical)
    )
    for narrower, wider in ((found, published), (published, single)):
        assert (narrower[:, 0] >= wider[:, 0]).all()
        assert (narrower[:, 1] <= wider[:, 1]).all()
    assert np.abs(found - published).max() <= 1


def _separable(n_teams, first, second, t, decided):
    separable = np.zeros((n_teams, n_teams), dtype=bool)
    separable[first, second], separable[second, first] = decided & (t > 0), decided & (t < 0)
    return separable
