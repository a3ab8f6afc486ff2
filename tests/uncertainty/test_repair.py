"""Rows that resampling cannot move draw their recall from a Beta distribution; all others are left alone."""

import numpy as np
import pytest
from scipy import stats

from audit.domain import ScoreKey
from audit.ranking.repair import BoundaryRows

from .campaigns import noisy, replicates, replicator, resampled, rows

N_REPLICATES = 20_000

# Gold × predicted, the last column unanswered. The first row of A is never right, the second always.
A = [[0, 6, 2, 1], [0, 5, 0, 0], [1, 2, 7, 3]]
# B is A's twin in its counts; C never predicts but the third class; D misses nothing.
C = [[0, 0, 9, 0], [0, 0, 5, 0], [0, 0, 13, 0]]
D = [[9, 0, 0, 0], [0, 5, 0, 0], [0, 0, 13, 0]]
TEAMS = np.array([A, A, C, D])


def of(confusions, identity=(0, 1, 2, 3)):
    return BoundaryRows.of(np.asarray(confusions, dtype=np.int64), np.array(identity))


def test_boundary_rows_are_those_with_a_recall_of_exactly_0_or_1():
    """Every such row of every team, and no other; a class without gold has none."""
    found = of(TEAMS)
    expected = {(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2)}
    assert set(zip(found.teams.tolist(), found.labels.tolist(), strict=True)) == expected
    assert of([[[0, 0, 0], [3, 1, 0]]], [0]).teams.size == 0


def test_draws_are_beta_with_half_an_item_of_each():
    """Beta(correct + ½, prevalence − correct + ½) for every draw."""
    found = of(TEAMS)
    correct, prevalence = TEAMS.diagonal(axis1=1, axis2=2), TEAMS.sum(axis=-1)
    for team, label, draw in zip(found.teams, found.labels, found.draws, strict=True):
        assert found.successes[draw] == correct[team, label] + 0.5
        assert found.failures[draw] == prevalence[team, label] - correct[team, label] + 0.5


def test_label_identical_submissions_share_their_draws_and_others_do_not():
    """Equal counts are not enough: other answers are another team's."""
    apart, together = of(TEAMS, (0, 1, 2, 3)), of(TEAMS, (0, 0, 2, 3))
    assert (apart.draws[apart.teams == 0] != apart.draws[apart.teams == 1]).all()
    assert (together.draws[together.teams == 0] == together.draws[together.teams == 1]).all()
    assert together.draws.max() + 1 == together.successes.size == apart.successes.size - 2


def test_errors_are_spread_as_observed_else_as_predicted():
    """Where there are errors as they are, elsewhere as the team predicts other classes, else evenly."""
    found = of(TEAMS)
    spread = {(t, c): row for t, c, row in zip(found.teams, found.labels, found.spread, strict=True)}
    assert spread[0, 0] == pytest.approx(np.array([0, 6, 2, 1]) / 9)  # its errors
    assert spread[0, 1] == pytest.approx(np.array([1, 0, 9, 4]) / 14)  # it has none: its other predictions
    assert spread[2, 0] == pytest.approx([0, 0, 1, 0])
    assert spread[2, 2] == pytest.approx(np.array([1, 1, 0, 1]) / 3)  # it predicts nothing else: anything
    assert found.spread.sum(axis=1) == pytest.approx(1)
    assert (found.spread[np.arange(len(found.labels)), found.labels] == 0).all()


def test_repair_touches_nothing_else_and_keeps_the_mass_of_every_row():
    """Other rows stay bit by bit; repaired ones have the recall that was drawn, of the mass that was there."""
    rng = np.random.default_rng(1)
    found = of(TEAMS[:2])
    before = rng.integers(0, 20, (50, 2, 3, 4)).astype(float)
    recalls = rng.random((50, found.successes.size))
    after = before.copy()
    found.repair(after, np.arange(2), recalls)
    touched = np.zeros((2, 3), dtype=bool)
    touched[found.teams, found.labels] = True
    assert (after[:, ~touched] == before[:, ~touched]).all()
    assert after.sum(axis=-1) == pytest.approx(before.sum(axis=-1))
    for team, label, draw, spread in zip(found.teams, found.labels, found.draws, found.spread, strict=True):
        mass = before[:, team, label].sum(axis=-1)
        assert after[:, team, label, label] == pytest.approx(mass * recalls[:, draw])
        errors = after[:, team, label].copy()
        errors[:, label] = 0
        assert errors == pytest.approx((mass * (1 - recalls[:, draw]))[:, None] * spread)


def test_a_block_of_teams_is_repaired_as_among_all():
    """Teams from the second on get the draws that are theirs."""
    rng = np.random.default_rng(2)
    found = of(TEAMS)
    recalls = rng.random((5, found.successes.size))
    before = rng.integers(0, 20, (5, 4, 3, 4)).astype(float)
    whole, part = before.copy(), before[:, 1:3].copy()
    found.repair(whole, np.arange(4), recalls)
    found.repair(part, np.array([1, 2]), recalls)
    assert (part == whole[:, 1:3]).all()


@pytest.fixture(scope="module")
def boundary():
    """Ten items of a class that one team has all right, another all wrong, and a third in part; 60 of another."""
    rng = np.random.default_rng(3)
    gold = np.repeat([0, 1], [10, 60])
    part = noisy(rng, gold, 2, [0.6])[0]
    part[:10] = [0] * 6 + [1] * 4
    right, wrong = part.copy(), part.copy()
    right[:10], wrong[:10] = 0, 1
    return gold, [right, wrong, part, right.copy()]


def test_replicated_recalls_have_the_mean_and_variance_of_their_beta(boundary):
    """Within four standard errors; the class that some replicates lack apart."""
    evaluation, scores = replicates(*boundary, 2, n_replicates=N_REPLICATES)
    (recall,) = scores[rows(evaluation, [ScoreKey("recall[c00]")])]
    for team, beta in ((0, stats.beta(10.5, 0.5)), (1, stats.beta(0.5, 10.5))):
        drawn = recall[:, team][~np.isnan(recall[:, team])]
        assert drawn.mean() == pytest.approx(beta.mean(), abs=4 * beta.std() / np.sqrt(drawn.size))
        kurtosis = float(beta.stats("k")) + 3
        assert drawn.var() == pytest.approx(beta.var(), rel=4 * np.sqrt((kurtosis - 1) / drawn.size))
        assert stats.kstest(drawn, beta.cdf).pvalue > 1e-4


def test_a_recall_in_between_is_not_repaired(boundary):
    """Its replicates are shares of whole items."""
    evaluation, scores = replicates(*boundary, 2, n_replicates=500)
    (recall,) = scores[rows(evaluation, [ScoreKey("recall[c00]")])]
    part = recall[:, 2][~np.isnan(recall[:, 2])]
    assert all(any(abs(value * n - round(value * n)) < 1e-9 for n in range(1, 41)) for value in part)
    assert part.mean() == pytest.approx(0.6, abs=4 * np.sqrt(0.24 / 10 / 500) + 0.01)


def test_label_identical_submissions_never_differ(boundary):
    """The difference of such a pair has standard error 0, by every metric compared, and stays unseparated."""
    found = resampled(*boundary, 2, n_replicates=300).uncertainty
    assert found.n_repaired == 3
    for comparison in found.comparisons:
        assert comparison.standard_error[0, 3] == 0
        assert comparison.adjusted_p[0, 3] == comparison.adjusted_p[3, 0] == 1
        assert comparison.randomization_p[3 if np.isnan(comparison.randomization_p[0]) else 0] == 1


def test_nothing_is_repaired_with_groups(boundary):
    """A Beta of items is not valid for groups: recall 1 stays 1 in every replicate, and no row is counted."""
    groups = np.arange(70) // 2
    made = replicator(*boundary, 2, n_replicates=200, groups=groups)
    scores = made.scores(slice(0, 4))
    recall = scores[made.evaluation.keys.index(ScoreKey("recall[c00]"))]
    assert set(recall[:, 0][~np.isnan(recall[:, 0])]) == {1.0}
    assert set(recall[:, 1][~np.isnan(recall[:, 1])]) == {0.0}
    found = resampled(*boundary, 2, n_replicates=200, groups=groups).uncertainty
    assert (found.n_repaired, found.n_groups) == (0, 35)
