"""A small version of benchmarks/coverage.py: what is claimed of known populations is true about as often as it says."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from audit.domain import ScoreKey

pytestmark = pytest.mark.no_cover  # a simulation repeats what other tests measure, and tracing doubles the time

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "coverage.py"
N_DATA_SETS, N_REPLICATES = 120, 300


@pytest.fixture(scope="module")
def simulation():
    """The benchmark as a module."""
    if not SCRIPT.is_file():
        pytest.skip("the benchmarks are in the checkout, not in the wheel")
    spec = importlib.util.spec_from_file_location("coverage_benchmark", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcomes(simulation, population, field, n_items):
    made = simulation.Population.of(simulation.POPULATIONS[population], simulation.FIELDS[field])
    return list(simulation.simulate(made, n_items, N_DATA_SETS, N_REPLICATES, seed=1))


@pytest.fixture(scope="module")
def mixed(simulation):
    return outcomes(simulation, "60/30/10", "mixed", 400)


@pytest.fixture(scope="module")
def tied(simulation):
    return outcomes(simulation, "60/30/10", "all tied", 400)


def at_most(count, nominal, n=N_DATA_SETS):
    """Whether a count is one that the nominal share gives in all but one seed of 10,000."""
    return count <= stats.binom.ppf(1 - 1e-4, n, nominal)


def test_the_population_s_scores_are_those_of_a_very_large_sample(simulation):
    """What intervals are held against, by drawing: 200,000 items, within five standard errors of a share."""
    population = simulation.Population.of(simulation.POPULATIONS["66/22/10/2"], simulation.FIELDS["mixed"])
    gold, answers = population.draw(np.random.default_rng(1), 200_000)
    truth = population.scores(np.ones(4, dtype=bool), [ScoreKey("accuracy"), ScoreKey("recall[c03]")])
    for team, given in enumerate(answers):
        right = gold == given
        assert right.mean() == pytest.approx(truth[0, team], abs=5 * 0.5 / np.sqrt(200_000))
        assert right[gold == 3].mean() == pytest.approx(truth[1, team], abs=5 * 0.5 / np.sqrt(4000 * 0.9))


def test_errors_of_teams_are_correlated(simulation):
    """Items are hard for all: otherwise a paired bootstrap would have nothing to win."""
    population = simulation.Population.of(simulation.POPULATIONS["balanced"], simulation.FIELDS["all tied"])
    gold, answers = population.draw(np.random.default_rng(2), 20_000)
    right = np.array([gold == given for given in answers]).astype(float)
    assert np.corrcoef(right)[~np.eye(6, dtype=bool)].min() > 0.2


def test_intervals_cover_about_95_percent(simulation, mixed):
    """Every metric, observed and balanced: between 90 and 99% of 720 intervals, of which 120 are independent.

    One standard error is at most 2 points. Intervals a fifth too short would cover 88%, unpaired ones nearly all.
    """
    covered, _, _ = simulation.shares(mixed)
    assert covered.size == 21
    assert covered.min() > 0.90
    assert np.median(covered) == pytest.approx(0.95, abs=0.03)


@pytest.mark.parametrize("field", ["tied", "mixed"])
def test_separable_pairs_are_seldom_wrong(request, field):
    """At most 5% of test sets have any false claim, under exact ties of all teams and of some."""
    found = request.getfixturevalue(field)
    for claims in np.array([outcome.false_claim for outcome in found]).T:
        assert at_most(claims.sum(), 0.05)


def test_pairs_compared_one_by_one_would_fail():
    """The bound is one that can be crossed: 15 pairs of six tied teams, each at 5%, err in a third of test sets."""
    scores = np.random.default_rng(3).normal(size=(N_DATA_SETS, 6))
    assert not at_most((np.ptp(scores, axis=1) > 1.96 * np.sqrt(2)).sum(), 0.05)


def test_rank_sets_cover_all_true_ranks_at_once(mixed):
    """In at least 95% of test sets every team's set holds every rank that the true scores leave open."""
    for covered in np.array([outcome.ranks_covered for outcome in mixed]).T:
        assert at_most((~covered).sum(), 0.05)


def test_a_class_with_few_items_keeps_its_coverage(simulation):
    """Recall of a class of about eight items, near 1 and near 0: the repair covers what resampling alone cannot.

    The percentile interval alone is a point whenever all eight are right (or wrong), in most of the test sets.
    """
    for level in (0.95, 0.05):
        conditional = np.array([[[0.7, 0.3], [1 - level, level]]])
        population = simulation.Population(np.array([0.92, 0.08]), conditional)
        found = list(simulation.simulate(population, 100, 200, 200, seed=4))
        covered, _, _ = simulation.shares(found)
        assert covered[-1] > 0.88
