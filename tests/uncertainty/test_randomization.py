"""Approximate randomization is exact enumeration up to Monte Carlo error."""

import itertools

import numpy as np
import pytest
from sklearn import metrics as peer

from audit.domain import ScoreKey
from audit.ranking import Draws, Sample, pairwise_p

from .campaigns import resampled, scored

N_RANDOMIZATIONS = 4000
SCORES = {
    "accuracy": peer.accuracy_score,
    "averaged_f1": lambda gold, given: peer.f1_score(gold, given, average="macro", labels=[0, 1, 2], zero_division=0),
    "macro_recall": lambda gold, given: peer.recall_score(
        gold, given, average="macro", labels=[0, 1, 2], zero_division=0
    ),
    "weighted_f1": lambda gold, given: peer.f1_score(
        gold, given, average="weighted", labels=[0, 1, 2], zero_division=0
    ),
}


def tiny(seed, n_items=8):
    """Gold of three classes and two teams, one better than the other."""
    rng = np.random.default_rng(seed)
    gold = np.arange(n_items) % 3
    good, bad = (np.where(rng.random(n_items) < share, gold, rng.integers(0, 3, n_items)) for share in (0.85, 0.15))
    return gold, [good, bad]


def enumerated(gold, teams, score):
    """Share of all ways of swapping answers that reach the difference: nothing is left to chance."""
    observed = abs(score(gold, teams[0]) - score(gold, teams[1]))
    reached = 0
    for swap in itertools.product([False, True], repeat=len(gold)):
        one, other = np.where(swap, teams[1], teams[0]), np.where(swap, teams[0], teams[1])
        reached += abs(score(gold, one) - score(gold, other)) >= observed - 1e-12
    return reached / 2 ** len(gold)


def p_of(gold, teams, key, pairs=((0, 1),), **settings):
    """P of some pairs."""
    evaluation, groups = scored(gold, teams, 3), settings.get("groups")
    order = np.argsort(gold, kind="stable")
    n = settings.get("n", N_RANDOMIZATIONS)
    draws = Draws(len(gold), n, 1, None if groups is None else groups[order])
    return pairwise_p(evaluation, {key: np.array(pairs)}, Sample.of(gold, teams, 3), draws)[key]


@pytest.mark.parametrize("metric", SCORES)
@pytest.mark.parametrize("seed", [1, 2])
def test_p_is_that_of_all_swaps(metric, seed):
    """Within four standard errors of 4,000 randomizations."""
    gold, teams = tiny(seed, 7)
    exact = enumerated(gold, teams, SCORES[metric])
    (found,) = p_of(gold, teams, ScoreKey(metric))
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / N_RANDOMIZATIONS) + 1 / N_RANDOMIZATIONS)


def test_groups_swap_as_wholes():
    """Four groups have sixteen ways to swap, and p is a multiple of an eighth up to Monte Carlo error."""
    gold, teams = tiny(3, 12)
    groups = np.array([5, 2, 2, 9] * 3)
    score = SCORES["accuracy"]
    observed = abs(score(gold, teams[0]) - score(gold, teams[1]))
    reached = []
    for swap in itertools.product([False, True], repeat=3):
        swapped = np.isin(groups, np.array([2, 5, 9])[list(swap)])
        one, other = np.where(swapped, teams[1], teams[0]), np.where(swapped, teams[0], teams[1])
        reached.append(abs(score(gold, one) - score(gold, other)) >= observed - 1e-12)
    exact = np.mean(reached)
    (found,) = p_of(gold, teams, ScoreKey("accuracy"), groups=groups)
    assert found == pytest.approx(exact, abs=4 * np.sqrt(0.25 / N_RANDOMIZATIONS))


@pytest.mark.parametrize("metric", ["accuracy", "averaged_f1", "mcc", "f1_of_averages"])
def test_identical_teams_have_p_1(metric):
    """Nothing is smaller than no difference, at observed and at balanced prevalence."""
    gold, teams = tiny(4, 60)
    for prevalence in ("observed", "balanced"):
        (found,) = p_of(gold, [teams[0], teams[0].copy()], ScoreKey(metric, prevalence), n=200)
        assert found == 1


def test_p_is_symmetric_and_never_below_its_floor():
    """Two-sided: the order of a pair does not matter; and (c + 1)/(R + 1) is not 0 however far apart they are."""
    gold = np.arange(300) % 3
    teams = [gold, (gold + 1) % 3, tiny(5, 300)[1][0]]
    pairs = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    found = p_of(gold, teams, ScoreKey("averaged_f1"), pairs=pairs, n=500)
    assert (found[::2] == found[1::2]).all()
    assert found.min() == pytest.approx(1 / 501)


def test_under_exchangeable_answers_p_is_uniform():
    """Over 300 pairs that answer at random, p ≤ .1 in a tenth, within four standard errors."""
    rng = np.random.default_rng(6)
    gold = rng.integers(0, 3, 120)
    teams = [np.where(rng.random(120) < 0.5, gold, rng.integers(0, 3, 120)) for _ in range(25)]
    pairs = np.array(list(itertools.combinations(range(25), 2)))
    named = {f"T{number:02}": team for number, team in enumerate(teams)}
    evaluation = scored(gold, named, 3)
    key = ScoreKey("averaged_f1")
    found = pairwise_p(evaluation, {key: pairs}, Sample.of(gold, teams, 3), Draws(120, 999, 1))[key]
    # A team is in 24 pairs, so that far fewer than 300 are independent: 25 teams give at least 12 that are.
    assert (found <= 0.1).mean() == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / 50))
    assert found.mean() == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / 12))


def test_the_comparison_with_the_first_is_that_of_the_pair():
    """What stands beside the tiers is the p of the pair with the first team, and none for that team itself."""
    gold, teams = tiny(7, 90)
    teams.append(tiny(8, 90)[1][0])
    found = resampled(gold, teams, 3, n_replicates=600).uncertainty.comparisons[0]
    evaluation = scored(gold, teams, 3)
    (first,) = evaluation.winners(found.key)
    others = [team for team in range(3) if team != first]
    expected = p_of(gold, teams, found.key, pairs=[(first, other) for other in others], n=600)
    assert found.randomization_p[others].tolist() == expected.tolist()
    assert np.isnan(found.randomization_p[first])
