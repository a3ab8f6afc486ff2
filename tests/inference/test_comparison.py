"""Comparisons of all pairs: variances against loops and closed forms, decisions against what must hold of them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from audit.domain import FAMILY_WISE_ERROR, Prevalence, Role, ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.inference import label_source as module
from audit.inference.comparison import compare
from audit.inference.differences import differences
from audit.inference.gaussian import N_DRAWS, Neighbours, draw
from audit.inference.relation import Relation
from audit.resources import samples
from tests.nightly import by_day, slow

from . import reference
from .campaigns import (
    AGGREGATES,
    compared,
    field_of,
    labels_of,
    named_prevalence,
    noisy,
    scored_with_items,
)
from .test_relation import check_laws

NAMES = (
    *AGGREGATES,
    "recall[c1]",
    "precision[c0]",
    "f1[c1]",
    "averaged_f1[c0,c1]",
    "macro_recall[c1]",
)


def tied_field(seed, n_items=400, n_teams=5, recalls=None):
    """Gold of three classes and teams that are alike, their errors correlated."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(3, n_items, p=[0.5, 0.3, 0.2])
    return gold, noisy(rng, gold, 3, recalls or [0.75] * n_teams)


def prevalence_of(evaluation, key):
    return next(each for each in evaluation.prevalences if each.name == key.prevalence)


# Standard errors


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("prevalence", ["observed", "balanced", "deployment"])
@by_day(6)
def test_errors_are_those_of_loops(prevalence, stratified, grouped):
    """Item by item and cell by cell, with numerical slopes: covariance by unit, and the error of every difference."""
    gold, teams = field_of(31, 3, 60)
    teams = [teams[team] for team in (0, 3, 4, 6, 7)]  # good, silent, blind, constant, perfect
    groups = np.random.default_rng(32).integers(0, 9, 60) if grouped else None
    named = (named_prevalence(gold, 3),)
    keys = [ScoreKey(name, prevalence) for name in NAMES]
    evaluation, items = scored_with_items(
        gold,
        teams,
        3,
        groups=groups,
        stratified=stratified,
        prevalences=named,
        also=tuple(map(str, keys)),
    )
    for key in keys:
        found = differences(evaluation, key, items)
        kept = found.teams
        given = gold, [teams[team] for team in kept], groups
        covariance, error = reference.differences(
            evaluation.confusions[kept],
            given,
            key,
            prevalence_of(evaluation, key),
            labels_of(3),
            stratified=stratified,
        )
        size = np.abs(covariance).max()
        assert found.covariance == pytest.approx(covariance, abs=1e-6 * size), key
        assert found.error == pytest.approx(error, abs=1e-6 * max(error.max(), 1e-9)), key


@pytest.mark.parametrize("seed", range(4))
def test_accuracy_s_t_is_mcnemar_s(seed):
    """(b − c)/√(b + c), b and c the items that only one of the two gets right: the variance and the null together."""
    tables = pytest.importorskip(
        "statsmodels.stats.contingency_tables", reason="statsmodels is the oracle"
    )
    gold, teams = tied_field(seed, recalls=[0.8, 0.7, 0.72, 0.4])
    evaluation, items = scored_with_items(gold, teams, 3)
    key = ScoreKey("accuracy")
    found = differences(evaluation, key, items)
    scores, right = evaluation.scores_of(key), [given == gold for given in teams]
    for one, other in np.argwhere(np.triu(np.ones((4, 4)), k=1)):
        table = [
            [(right[one] & right[other]).sum(), (right[one] & ~right[other]).sum()],
            [(~right[one] & right[other]).sum(), (~right[one] & ~right[other]).sum()],
        ]
        oracle = tables.mcnemar(table, exact=False, correction=False)
        t = (scores[one] - scores[other]) / found.error[one, other]
        assert t**2 == pytest.approx(oracle.statistic, rel=1e-9)
        b, c, n_items = table[0][1], table[1][0], len(gold)
        assert found.spread[one, other] ** 2 == pytest.approx(
            (b + c - (b - c) ** 2 / n_items) / n_items**2, rel=1e-9
        )


@pytest.mark.parametrize("block", [1, 1 << 20])
def test_blocks_of_pairs_change_no_error(monkeypatch, block):
    """However few cells are held at once."""
    gold, teams = field_of(33, 4)
    expected = compared("averaged_f1", gold, teams, 4).standard_error
    monkeypatch.setattr(module, "_PAIR_CELLS", block)
    np.testing.assert_array_equal(compared("averaged_f1", gold, teams, 4).standard_error, expected)


def test_groups_leave_at_least_the_difference_s_square_over_their_number():
    """D²/G: what few groups lack if there is no difference."""
    gold, teams = tied_field(34, 60, recalls=[1.0, 0.5, 0.6])
    comparison = compared("accuracy", gold, teams, 3, groups=np.arange(60) % 4)
    scores = np.array([(given == gold).mean() for given in teams])
    floor = np.abs(scores[:, None] - scores) / 2
    assert (comparison.standard_error >= floor - 1e-12).all()
    assert not compared("accuracy", gold, teams, 3, groups=np.zeros(60, dtype=int)).ahead.any()


def test_groups_of_one_item_are_items():
    """The same decisions, and nearly the same errors: what small samples lack is in the squares of the groups."""
    gold, teams = tied_field(35, recalls=[0.9, 0.8, 0.7, 0.69])
    alone = compared("averaged_f1", gold, teams, 3)
    grouped = compared(
        "averaged_f1", gold, teams, 3, groups=np.random.default_rng(1).permutation(len(gold))
    )
    assert grouped.standard_error == pytest.approx(alone.standard_error, rel=0.05)
    np.testing.assert_array_equal(grouped.ahead, alone.ahead)


def test_hard_items_in_groups_make_differences_less_sure():
    """Teams that fail on whole groups: errors grow with the root of the group's size."""
    rng = np.random.default_rng(36)
    gold = rng.integers(0, 2, 1000)
    groups = np.arange(1000) // 20
    teams = [
        np.where(np.repeat(rng.random(50) < share, 20), gold, 1 - gold) for share in (0.8, 0.6)
    ]
    alone = compared("accuracy", gold, teams, 2)
    grouped = compared("accuracy", gold, teams, 2, groups=groups)
    assert alone.ahead[0, 1]
    assert not grouped.ahead.any()
    assert grouped.standard_error[0, 1] / alone.standard_error[0, 1] == pytest.approx(
        np.sqrt(20), rel=0.1
    )


@pytest.mark.parametrize("name", ["macro_recall", "averaged_f1", "macro_precision"])
def test_a_tie_has_the_error_that_a_difference_would_have(name):
    """Each misses ten items of another class: the same score, other answers, and what small samples lack is there."""
    gold = np.repeat([0, 1], 50)
    teams = [np.where(np.arange(100) < 10, 1, gold), np.where(np.arange(100) >= 90, 0, gold)]
    evaluation, items = scored_with_items(gold, teams, 2)
    key = ScoreKey(name)
    assert np.ptp(evaluation.scores_of(key)) < 1e-12
    found = differences(evaluation, key, items)
    _, error = reference.differences(
        evaluation.confusions,
        (gold, teams, None),
        key,
        prevalence_of(evaluation, key),
        labels_of(2),
    )
    assert found.error == pytest.approx(error, rel=1e-6)
    assert found.error[0, 1] > found.spread[0, 1]


@pytest.mark.parametrize("block", [1, 1000])
def test_few_answers_of_some_pairs_at_a_time_are_those_of_all(monkeypatch, block):
    """However many pairs are taken at once, by scores that divide by answers."""
    rng = np.random.default_rng(62)
    gold = rng.choice(4, 200)
    teams = [np.where(rng.random(200) < 0.6, gold, 0) for _ in range(5)]
    teams = [np.where((given == 3) & (rng.random(200) < 0.9), 1, given) for given in teams]
    for name in ("macro_precision", "f1_of_averages", "mcc"):
        expected = compared(name, gold, teams, 4).standard_error
        with monkeypatch.context() as patch:
            patch.setattr(module, "_PAIR_CELLS", block)
            np.testing.assert_array_equal(compared(name, gold, teams, 4).standard_error, expected)


@pytest.mark.parametrize("n_teams", [2, pytest.param(6, marks=slow("the same test of two teams"))])
def test_a_class_that_is_rarely_predicted_makes_no_false_claims(n_teams):
    """Equally good teams that predict a class now and then, and never wrongly: its precision is 0 or 1, by luck.

    In 60 test sets a procedure that errs in 5% has more than 9 false claims once in 1,000.
    """
    rng, claims = np.random.default_rng(61), 0
    for _ in range(60):
        gold = rng.choice(3, 400, p=[0.5, 0.3, 0.2])
        hit, right = rng.random((2, n_teams, 400))
        teams = np.where(
            gold < 2, np.where(right < 0.9, gold, 1 - gold), np.where(hit < 0.015, 2, 0)
        )
        claims += compared("f1_of_averages", gold, list(teams), 3).ahead.any()
    assert claims <= 9


# What holds of every comparison


def assert_sound(evaluation, comparison):
    """Shapes, ranges, symmetry, and what follows from what."""
    n_teams = len(evaluation.entries)
    scores, error = evaluation.scores_of(comparison.key), comparison.standard_error
    able = evaluation.comparable & ~np.isnan(np.diagonal(error))
    p, ahead = comparison.adjusted_p, comparison.ahead
    assert p.shape == ahead.shape == error.shape == (n_teams, n_teams)
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_array_equal(error, error.T)
    assert ((p >= comparison.smallest_p) & (p <= 1)).all()
    assert (np.diagonal(p) == 1).all()
    inside = np.ix_(able, able)
    # Whoever is ahead has a p that says so, and nobody else: the p is that of the test that decides.
    np.testing.assert_array_equal(
        ahead[inside], ((p <= FAMILY_WISE_ERROR) & (scores[:, None] > scores))[inside]
    )
    assert not (comparison.against_best & ~ahead).any()
    assert (comparison.against_best.sum(axis=1) > 0).sum() <= 1
    assert_ends_agree(evaluation, comparison, able)
    assert not ahead[~able].any()
    assert not ahead[:, ~able].any()
    assert not (comparison.ahead_given & ahead).any()
    assert (p[~able] == 1).all()
    inside = np.ix_(able, able)
    check_laws(
        Relation(
            evaluation.ranks_of(comparison.key)[able],
            ahead[inside],
            comparison.could_be_best[able],
            comparison.uncertain[able],
        )
    )
    assert (comparison.possible_ranks[~able] == 0).all()
    assert comparison.is_compared.tolist() == able.tolist()
    assert not comparison.could_be_best[~able].any()
    assert comparison.leader == evaluation.leader(comparison.key)
    assert comparison.contenders == tuple(np.flatnonzero(comparison.could_be_best).tolist())
    known = ~np.isnan(error).any(axis=1)
    assert (np.diagonal(error)[known] == 0).all()


def assert_ends_agree(evaluation, comparison, able):
    """An interval holds its difference, and leaves 0 out on no side that is not decided."""
    lower, upper = comparison.difference_lower, comparison.difference_upper
    inside, goodness = np.ix_(able, able), evaluation.goodness_of(comparison.key)
    lead, there = goodness[:, None] - goodness, ~np.isnan(lower) & able & able[:, None]
    np.testing.assert_array_equal(np.isnan(lower), np.isnan(upper))
    assert (lower[there] <= lead[there] + 1e-9).all()
    assert (upper[there] >= lead[there] - 1e-9).all()
    assert (comparison.ahead[inside] | ~(lower[inside] > 1e-12)).all()


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_every_comparison_is_sound(seed, grouped):
    """Teams of every kind, one that does not compete, by every metric at observed and balanced prevalence."""
    n_classes = 2 + seed
    gold, teams = field_of(seed, n_classes)
    groups = np.arange(len(gold)) % 17 if grouped else None
    evaluation, items = scored_with_items(
        gold, teams, n_classes, groups=groups, roles={"team 002": Role.BASELINE}
    )
    for name in (*AGGREGATES, "recall[c1]", "f1[c0]"):
        for prevalence in ("observed", "balanced"):
            key = ScoreKey(name, prevalence)
            assert_sound(evaluation, compare(evaluation, key, items, 1))


@pytest.mark.parametrize("name", ["accuracy", "averaged_f1", "mcc"])
def test_twins_are_never_separable_and_share_their_fate(name):
    """Label-identical teams: no error, p 1, the same possible ranks, both or none among the best."""
    gold, teams = tied_field(37, recalls=[0.9, 0.75, 0.74, 0.5])
    teams = [
        teams[0],
        teams[1],
        teams[0].copy(),
        teams[2],
        teams[3],
        teams[1].copy(),
        teams[3].copy(),
    ]
    found = compared(name, gold, teams, 3)
    assert found.ahead.any()
    for one, other in ((0, 2), (1, 5), (4, 6)):
        assert found.standard_error[one, other] == 0
        assert found.adjusted_p[one, other] == 1
        np.testing.assert_array_equal(found.ahead[one], found.ahead[other])
        np.testing.assert_array_equal(found.ahead[:, one], found.ahead[:, other])
        for values in (found.possible_ranks, found.could_be_best):
            np.testing.assert_array_equal(values[one], values[other])
        others = [team for team in range(7) if team not in (one, other)]
        np.testing.assert_array_equal(
            found.adjusted_p[one, others], found.adjusted_p[other, others]
        )
        np.testing.assert_array_equal(
            found.standard_error[one, others], found.standard_error[other, others]
        )


def test_a_twin_does_not_change_the_maximum():
    """Its pairs are those of its twin: the critical value is that without it, whoever has the twin."""
    gold, teams = tied_field(38)
    alone = compared("averaged_f1", gold, teams, 3)
    beside = compared("averaged_f1", gold, [*teams, teams[2].copy()], 3)
    before = slice(0, 5)
    assert beside.critical_value == alone.critical_value
    np.testing.assert_array_equal(beside.adjusted_p[before, before], alone.adjusted_p)
    np.testing.assert_array_equal(beside.could_be_best[before], alone.could_be_best)
    assert beside.leader_interval == (
        alone.leader_interval[0],
        alone.leader_interval[1],
    )


def test_the_order_of_teams_changes_only_what_is_drawn():
    """Errors follow their teams to the last bit; p and decisions up to Monte Carlo error, as draws belong to places."""
    gold, teams = tied_field(39, recalls=[0.9, 0.88, 0.75, 0.74, 0.5, 0.2])
    order = np.array([3, 5, 0, 1, 4, 2])
    there = compared("averaged_f1", gold, teams, 3)
    back = compared("averaged_f1", gold, [teams[team] for team in order], 3)
    square = np.ix_(order, order)
    np.testing.assert_array_equal(back.standard_error, there.standard_error[square])
    assert back.adjusted_p == pytest.approx(there.adjusted_p[square], abs=0.03)
    assert back.critical_value == pytest.approx(there.critical_value, abs=0.1)
    clear = (there.adjusted_p < 0.02) | (there.adjusted_p > 0.1)
    assert clear.mean() > 0.8
    np.testing.assert_array_equal(back.ahead[clear[square]], there.ahead[square][clear[square]])
    assert order[back.leader] == there.leader
    assert back.leader_interval[0] == pytest.approx(there.leader_interval[0], abs=0.002)
    assert back.leader_interval[1] == pytest.approx(there.leader_interval[1], abs=1e-12)


def test_the_order_of_items_changes_nothing():
    """The same bytes, whatever comes first in the gold."""
    gold, teams = tied_field(40, recalls=[0.9, 0.8, 0.75])
    order = np.random.default_rng(1).permutation(len(gold))
    there = compared("mcc", gold, teams, 3)
    back = compared("mcc", gold[order], [given[order] for given in teams], 3)
    for part in ("standard_error", "adjusted_p", "ahead", "possible_ranks", "could_be_best"):
        np.testing.assert_array_equal(getattr(there, part), getattr(back, part))
    assert (there.critical_value, there.leader_interval[0]) == (
        back.critical_value,
        back.leader_interval[0],
    )


def test_relabelled_classes_have_the_same_comparison():
    """Up to rounding, which changes no decision here."""
    gold, teams = tied_field(41, recalls=[0.9, 0.8, 0.75])
    new = np.array([2, 0, 1, 3])
    there, back = (
        compared(
            "averaged_f1",
            new[gold] if renamed else gold,
            [new[t] if renamed else t for t in teams],
            3,
        )
        for renamed in (False, True)
    )
    assert back.standard_error == pytest.approx(there.standard_error, rel=1e-9)
    np.testing.assert_array_equal(back.ahead, there.ahead)
    assert back.adjusted_p == pytest.approx(there.adjusted_p, abs=1e-3)


def test_teams_far_apart_are_separable_and_nearly_tied_ones_are_not():
    """Of 2,000 items: .9 from .7, but not .700 from .702."""
    gold, teams = tied_field(42, 2000, recalls=[0.9, 0.7, 0.702])
    found = compared("accuracy", gold, teams, 3)
    assert found.ahead.tolist() == [[False, True, True], [False] * 3, [False] * 3]
    assert found.possible_ranks.tolist() == [[1, 1], [2, 3], [2, 3]]
    assert found.contenders == (0,)


# Who is in the family


@pytest.mark.parametrize("role", [Role.BASELINE, Role.UNOFFICIAL])
def test_who_does_not_compete_is_in_no_pair(role):
    """It has errors beside everybody, and changes nothing for those that compete."""
    gold, teams = tied_field(43, recalls=[0.7, 0.72, 0.95, 0.6])
    whole = compared("averaged_f1", gold, teams, 3, roles={"team 002": role})
    others = [0, 1, 3]
    alone = compared("averaged_f1", gold, [teams[team] for team in others], 3)
    assert (whole.standard_error[2, others] > 0).all()
    np.testing.assert_array_equal(whole.adjusted_p[np.ix_(others, others)], alone.adjusted_p)
    np.testing.assert_array_equal(whole.possible_ranks[others], alone.possible_ranks)
    assert (whole.adjusted_p[2] == 1).all()
    assert whole.possible_ranks[2].tolist() == [0, 0]
    assert not whole.could_be_best[2]
    assert (whole.leader, whole.critical_value) == (others[alone.leader], alone.critical_value)


def test_who_dropped_items_is_in_no_pair():
    """Its score is of other items: it has no paired error beside anybody."""
    gold, teams = tied_field(44, recalls=[0.7, 0.72, 0.95, 0.6])
    teams[2] = np.where(np.arange(len(gold)) < 3, 3, teams[2])
    found = compared("averaged_f1", gold, teams, 3, missing="drop")
    assert np.isnan(found.standard_error[2]).all()
    assert not found.ahead[2].any()
    assert found.possible_ranks[2].tolist() == [0, 0]
    assert found.leader == 1


def test_a_recall_of_0_has_no_comparison_in_products_of_recalls():
    """No slope leads away from 0: nothing is said of such a team, though its score is defined and last."""
    gold, teams = tied_field(45, recalls=[0.9, 0.7, 0.6])
    teams.append(np.where(teams[0] == 2, 0, teams[0]))
    for name in ("geometric_macro_recall", "harmonic_macro_recall"):
        found = compared(name, gold, teams, 3)
        assert np.isnan(found.standard_error[3]).all()
        assert found.ahead[0, 1]
        assert not found.ahead[:, 3].any()
        assert found.possible_ranks[3].tolist() == [0, 0]
        assert not found.could_be_best[3]
        assert found.possible_ranks[:3].max() == 3


def test_a_score_that_nobody_has_compares_nobody():
    """The F1 of a class that gold lacks: no pair, no leader, no rank."""
    gold, teams = tied_field(46)
    found = compared("f1[c3]", gold, teams, 4)
    assert np.isnan(found.critical_value)
    assert found.leader is None
    assert np.isnan(found.leader_interval).all()
    assert not found.ahead.any()
    assert (found.possible_ranks == 0).all()
    assert not found.could_be_best.any()


def test_a_lone_team_is_first():
    """Without a rival there is no critical value; its interval is the usual one."""
    gold, teams = tied_field(47, n_teams=1)
    evaluation, items = scored_with_items(gold, teams, 3)
    found = compare(evaluation, ScoreKey("averaged_f1"), items, 1)
    assert_sound(evaluation, found)
    assert np.isnan(found.critical_value)
    assert found.contenders == (0,)
    assert found.possible_ranks.tolist() == [[1, 1]]
    assert found.leader_interval[0] < evaluation.scores_of(found.key)[0] < found.leader_interval[1]


def test_two_teams_have_one_pair():
    """With the normal quantile, up to Monte Carlo error, and p that of the normal distribution."""
    from scipy import stats  # noqa: PLC0415

    gold, teams = tied_field(48, recalls=[0.8, 0.74])
    found = compared("averaged_f1", gold, teams, 3)
    assert found.critical_value == pytest.approx(1.96, abs=0.1)
    scores = compared("averaged_f1", gold, teams, 3)
    evaluation, _ = scored_with_items(gold, teams, 3)
    difference = np.subtract(*evaluation.scores_of(ScoreKey("averaged_f1")))
    p = 2 * stats.norm.sf(abs(difference) / scores.standard_error[0, 1])
    assert found.adjusted_p[0, 1] == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / N_DRAWS) + 1e-3)


def test_all_twins_are_all_first():
    """Where nobody differs nobody is behind."""
    gold, teams = tied_field(49, n_teams=1)
    found = compared("mcc", gold, [teams[0]] * 4, 3)
    assert np.isnan(found.critical_value)
    assert found.contenders == (0, 1, 2, 3)
    assert (found.possible_ranks == [1, 4]).all()
    assert found.leader_interval[0] < found.leader_interval[1]


@pytest.mark.parametrize("name", ["accuracy", "averaged_f1", "kappa", "mcc", "macro_recall"])
def test_errors_that_rounding_makes_are_none(name):
    """Constant systems of two classes: what cannot vary has no error, and is separable from nobody."""
    gold = np.repeat([0, 1, 2], [50, 30, 20])
    fair = np.where(np.arange(100) % 4 == 0, (gold + 1) % 3, gold)
    teams = [np.zeros(100, dtype=int), np.ones(100, dtype=int), fair]
    found = compared(name, gold, teams, 3)
    if name in {"kappa", "mcc", "macro_recall"}:
        assert found.standard_error[0, 1] == 0
        assert found.adjusted_p[0, 1] == 1
    assert found.ahead[2, 0]


PERFECT_AND_CONSTANT = ("macro_recall", "kappa", "mcc", "recall[c1]")


@pytest.mark.parametrize("name", PERFECT_AND_CONSTANT)
@pytest.mark.parametrize("n_items", [4, 300])
def test_a_perfect_team_is_ahead_of_a_constant_one_where_items_suffice(name, n_items):
    """No draw of items moves the difference; what small samples lack is its whole error, and t is normal."""
    gold = np.arange(n_items) % 2
    found = compared(name, gold, [gold, np.zeros(n_items, dtype=int)], 2)
    error = found.standard_error[0, 1]
    difference = {"macro_recall": 0.5}.get(name, 1.0)
    assert error > 0
    assert found.critical_value == pytest.approx(stats.norm.isf(0.025))
    alone = 2 * stats.norm.sf(difference / error)
    assert found.adjusted_p[0, 1] == pytest.approx(max(alone, 1 / (N_DRAWS + 1)), rel=1e-6)
    clear = n_items == 300
    assert found.ahead[0, 1] == clear
    assert found.contenders == ((0,) if clear else (0, 1))


def test_beside_teams_that_vary_the_p_of_one_that_cannot_is_the_larger_of_two():
    """Of the family's maximum, and of Bonferroni's among such pairs."""
    gold = np.repeat([0, 1], [30, 12])
    rng = np.random.default_rng(8)
    teams = [
        gold,
        np.zeros(42, dtype=int),
        np.ones(42, dtype=int),
        np.where(rng.random(42) < 0.7, gold, 1 - gold),
    ]
    evaluation, items = scored_with_items(gold, teams, 2)
    key = ScoreKey("macro_recall")
    found, family = compare(evaluation, key, items, 1), differences(evaluation, key, items)
    largest = Neighbours.of(draw(family.covariance, 1), family.spread).largest()
    for constant in (1, 2):
        t = 0.5 / family.error[0, constant]
        reached = (1 + (largest >= t).sum()) / (N_DRAWS + 1)
        assert found.adjusted_p[0, constant] == pytest.approx(
            max(reached, 2 * 2 * stats.norm.sf(t)), rel=1e-6
        )
        assert found.ahead[0, constant]
    assert found.contenders == (0,)


@pytest.mark.parametrize("key", [ScoreKey("accuracy", "deployment"), ScoreKey("kappa", "balanced")])
def test_a_calibrated_score_averages_over_classes(key):
    """Its null variance is that of class averages, whatever the metric: more than D²/N."""
    gold, teams = tied_field(50, recalls=[0.9, 0.5])
    named = (Prevalence("deployment", (("c0", 0.1), ("c1", 0.1), ("c2", 0.8))),)
    evaluation, items = scored_with_items(gold, teams, 3, prevalences=named)
    found = differences(evaluation, key, items)
    null = found.error[0, 1] ** 2 - found.spread[0, 1] ** 2
    assert null > 1.1 * np.subtract(*evaluation.scores_of(key)) ** 2 / len(gold)


def test_the_family_is_cut_out_of_all_differences():
    """Rows and columns of those that are kept."""
    gold, teams = tied_field(51)
    evaluation, items = scored_with_items(gold, teams, 3)
    whole = differences(evaluation, ScoreKey("accuracy"), items)
    kept = np.array([True, False, True, True, False])
    part = whole.among(kept)
    assert part.teams.tolist() == [0, 2, 3]
    for name in ("covariance", "spread", "error"):
        np.testing.assert_array_equal(
            getattr(part, name), getattr(whole, name)[np.ix_([0, 2, 3], [0, 2, 3])]
        )


def test_seeds_change_draws_only():
    """Errors stay; p and the critical value move by Monte Carlo error."""
    gold, teams = tied_field(52)
    evaluation, items = scored_with_items(gold, teams, 3)
    first, again, other = (
        compare(evaluation, ScoreKey("accuracy"), items, seed) for seed in (1, 1, 2)
    )
    assert first.adjusted_p.tobytes() == again.adjusted_p.tobytes()
    assert first.standard_error.tobytes() == other.standard_error.tobytes()
    assert first.critical_value != other.critical_value
    assert first.adjusted_p == pytest.approx(other.adjusted_p, abs=0.05)


def test_a_team_without_a_score_has_no_possible_ranks():
    """A class that one team lost by dropping its items leaves that one out of everything."""
    gold, teams = tied_field(53, recalls=[0.9, 0.6, 0.5])
    evaluation, items = scored_with_items(gold, teams, 3)
    key = ScoreKey("averaged_f1")
    values = evaluation.values.copy()
    values[evaluation.keys.index(key), 1] = np.nan
    found = compare(replace(evaluation, values=values), key, items, 1)
    assert found.possible_ranks[1].tolist() == [0, 0]
    assert found.is_compared.tolist() == [True, False, True]
    assert not found.ahead[1].any()
    assert np.isnan(found.standard_error[1]).all()


def test_decisions_go_with_the_team_however_the_teams_stand():
    """The draws are the team's own, to the last bit of every adjusted p that they decide."""
    campaign = read_campaign(samples() / "flood-posts")
    order = np.random.default_rng(3).permutation(len(campaign.submissions)).tolist()
    shuffled = replace(campaign, submissions=tuple(campaign.submissions[place] for place in order))
    one, other = (
        evaluate(each).certainty.comparison(ScoreKey("averaged_f1"))
        for each in (campaign, shuffled)
    )
    np.testing.assert_allclose(other.adjusted_p, one.adjusted_p[np.ix_(order, order)], rtol=1e-9)
    np.testing.assert_array_equal(other.ahead, one.ahead[np.ix_(order, order)])
    np.testing.assert_array_equal(other.possible_ranks, one.possible_ranks[order])
    assert other.critical_value == pytest.approx(one.critical_value, rel=1e-12)
