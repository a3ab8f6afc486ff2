"""What the first place depends on: each state on a campaign made for it."""

import numpy as np
import pytest

from audit.domain import Role, ScoreKey, State
from audit.inference import changes
from audit.inference.changes import AVERAGED, OF_AVERAGES, choices, contested

from .campaigns import AGGREGATES, made_certain, noisy, scored_with_items


def spread_out(confusion, times=1):
    """Gold and answers, item by item."""
    gold, answers = np.indices(np.shape(confusion))
    counts = np.asarray(confusion).ravel() * times
    return np.repeat(gold.ravel(), counts), np.repeat(answers.ravel(), counts)


def turned(times):
    """Gold and two teams of whom each is first by one macro F1 (Opitz & Burst 2019), on so many times 30 items."""
    gold, even = spread_out([[5, 5], [10, 10]], times)
    same, skewed = spread_out([[1, 9], [1, 19]], times)
    assert (gold == same).all()
    return gold, {"even": even, "skewed": skewed}


def balance_against_accuracy(times):
    """One team knows the frequent class only and is first by accuracy, the other is first where classes are equal."""
    gold, frequent = spread_out([[90, 0], [10, 0]], times)
    _, fair = spread_out([[75, 15], [2, 8]], times)
    return gold, {"fair": fair, "frequent": frequent}


def state(evaluation, kind, other=None):
    """The change of a kind, by another metric where the kind is that."""
    found = [
        change
        for change in evaluation.certainty.changes
        if change.kind == kind and (other is None or change.keys[1].metric == other)
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(("times", "state"), [(1, State.OTHER_NOT_SHOWN), (2500, State.OTHER_SHOWN)])
def test_the_two_macro_f1s_crown_different_teams(times, support):
    """On few items the test set cannot tell them apart, on many the difference is real, both ways."""
    gold, teams = turned(times)
    evaluation = made_certain(gold, teams, 2, official_metric=ScoreKey("averaged_f1"))
    change = state(evaluation, "macro-f1")
    assert change.state is support
    assert change.winners == ((0,), (1,))
    assert change.keys == (ScoreKey("averaged_f1"), ScoreKey("f1_of_averages"))
    one, other = (evaluation.comparison(key) for key in change.keys)
    assert (one.ahead[0, 1] and other.ahead[1, 0]) == (support is State.OTHER_SHOWN)


@pytest.mark.parametrize(("times", "state"), [(1, State.OTHER_NOT_SHOWN), (20, State.OTHER_SHOWN)])
def test_the_prevalence_crowns_another(times, support):
    """Accuracy at observed and at balanced prevalence, likewise."""
    gold, teams = balance_against_accuracy(times)
    evaluation = made_certain(gold, teams, 2, official_metric=ScoreKey("accuracy"))
    change = state(evaluation, "prevalence")
    assert change.keys == (ScoreKey("accuracy"), ScoreKey("accuracy", "balanced"))
    assert change.winners == ((1,), (0,))
    assert change.state is support
    assert state(evaluation, "metric", "macro_recall").state is support


def test_a_difference_that_only_one_side_shows_is_open():
    """Each winner must be separably ahead of the other under its own score."""
    gold, frequent = spread_out([[880, 20], [95, 5]])
    _, fair = spread_out([[865, 35], [40, 60]])
    fair[np.flatnonzero((gold == 0) & (fair == 0))[:52]] = 1
    evaluation = made_certain(gold, {"fair": fair, "frequent": frequent}, 2, official_metric=ScoreKey("accuracy"))
    change = state(evaluation, "prevalence")
    one, other = (evaluation.comparison(key) for key in change.keys)
    assert change.winners == ((1,), (0,))
    assert other.ahead[0, 1]
    assert not one.ahead[1, 0]
    assert change.state is State.OTHER_NOT_SHOWN


def test_the_same_team_first_by_all_holds():
    """Every choice, whatever it is."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 3, 300)
    evaluation = made_certain(gold, noisy(rng, gold, 3, [0.95, 0.5, 0.4]), 3, official_metric=ScoreKey("averaged_f1"))
    assert {change.state for change in evaluation.certainty.changes} == {State.SAME_NOT_SHOWN}
    assert contested(evaluation) == ()


def test_one_of_two_joint_winners_breaks_the_tie_and_a_second_winner_changes_nothing():
    """What holds is the first place by the ranking metric, whichever of the two sides that is."""
    gold, first = spread_out([[8, 2], [2, 8]])
    _, second = spread_out([[10, 0], [4, 6]])
    tied = made_certain(gold, [first, second], 2, official_metric=ScoreKey("accuracy"))
    for change in (state(tied, "metric", "averaged_f1"), state(tied, "metric", "f1_of_averages")):
        assert change.winners in {((0, 1), (0,)), ((0, 1), (1,))}
        assert change.state is State.OTHER_NOT_SHOWN
    alone = made_certain(gold, [first, second], 2, official_metric=ScoreKey("averaged_f1"))
    change = state(alone, "metric", "accuracy")
    assert change.winners == ((0,), (0, 1))
    assert change.state is State.SAME_NOT_SHOWN


def test_of_the_macro_f1s_the_one_that_ranks_says_whether_a_tie_is_broken(monkeypatch):
    """Its winners are those that stay first or do not."""
    gold, teams = turned(10)
    evaluation = made_certain(gold, teams, 2, official_metric=ScoreKey("f1_of_averages"))
    for key, support in ((OF_AVERAGES, State.SAME_NOT_SHOWN), (AVERAGED, State.OTHER_NOT_SHOWN)):
        first = {key: (0,), AVERAGED if key == OF_AVERAGES else OF_AVERAGES: (0, 1)}
        monkeypatch.setattr(type(evaluation), "winners", lambda _, asked, first=first: first[asked])
        assert changes._support(evaluation, AVERAGED, OF_AVERAGES, {}) is support


def test_joint_winners_must_all_be_ahead():
    """Twins on one side: both are, or the change is open."""
    gold, teams = turned(2500)
    evaluation = made_certain(gold, {**teams, "twin": teams["even"].copy()}, 2, official_metric=ScoreKey("averaged_f1"))
    assert state(evaluation, "macro-f1").state is State.OTHER_SHOWN


def test_nobody_first_is_not_tested():
    """By the F1 of a class that gold lacks nobody is first."""
    gold, teams = turned(10)
    evaluation = made_certain(gold, teams, 3, official_metric=ScoreKey("f1[c2]"))
    assert state(evaluation, "prevalence").state is State.NOT_TESTED
    assert state(evaluation, "metric", "accuracy").state is State.NOT_TESTED
    assert state(evaluation, "macro-f1").state is State.OTHER_NOT_SHOWN


def test_a_winner_that_dropped_items_is_not_tested():
    """It is in no pair."""
    gold, teams = turned(10)
    teams["skewed"] = np.where(np.arange(len(gold)) < 1, 2, teams["skewed"])
    evaluation = made_certain(gold, teams, 2, official_metric=ScoreKey("averaged_f1"), missing="drop")
    assert state(evaluation, "macro-f1").state is State.NOT_TESTED


def test_who_does_not_compete_is_nobody_s_winner():
    """A baseline that is first by F1 of averages changes nothing."""
    gold, teams = turned(10)
    roles = {"skewed": Role.BASELINE}
    evaluation = made_certain(gold, teams, 2, official_metric=ScoreKey("averaged_f1"), roles=roles)
    assert state(evaluation, "macro-f1").state is State.SAME_NOT_SHOWN


def test_with_very_many_teams_other_metrics_are_not_tested(monkeypatch):
    """A comparison of 1,000 takes seconds: only the ranking metric and both macro F1s are compared unasked."""
    gold, teams = balance_against_accuracy(20)
    few = made_certain(gold, teams, 2, official_metric=ScoreKey("averaged_f1"))
    monkeypatch.setattr("audit.inference.certainty_analysis.MOST_TESTED", 1)
    many = made_certain(gold, teams, 2, official_metric=ScoreKey("averaged_f1"))
    assert state(few, "metric", "accuracy").state is State.OTHER_SHOWN
    assert state(many, "metric", "accuracy").state is State.NOT_TESTED
    assert len(many.certainty.comparisons) == 3
    asked = made_certain(gold, teams, 2, official_metric=ScoreKey("averaged_f1"), compare=("accuracy",))
    assert state(asked, "metric", "accuracy").state is State.OTHER_SHOWN


def test_the_choices_are_the_macro_f1_the_prevalence_and_every_other_metric():
    """At the prevalence of the ranking metric."""
    gold, teams = balance_against_accuracy(2)
    made = choices(made_certain(gold, teams, 2, official_metric=ScoreKey("kappa", "balanced")))
    assert [kind for kind, *_ in made] == ["macro-f1", "prevalence"] + ["metric"] * 9
    assert made[1][1:] == (ScoreKey("kappa"), ScoreKey("kappa", "balanced"))
    assert [other.metric for _, _, other in made[2:]] == [name for name in AGGREGATES if name != "kappa"]
    assert {other.prevalence for _, _, other in made[2:]} == {"balanced"}


def test_whatever_is_contested_is_compared():
    """So that each change is real or open, and none is untested for want of a comparison."""
    gold, teams = balance_against_accuracy(2)
    evaluation = made_certain(gold, teams, 2, official_metric=ScoreKey("accuracy"))
    assert contested(evaluation)
    assert {comparison.key for comparison in evaluation.certainty.comparisons} >= set(contested(evaluation))
    assert State.NOT_TESTED not in {change.state for change in evaluation.certainty.changes}


def test_states_need_the_comparisons_they_rest_on():
    """Without them a change is not tested, but what holds, holds."""
    gold, teams = turned(10)
    evaluation, _ = scored_with_items(gold, teams, 2, official_metric=ScoreKey("averaged_f1"))
    found = {change.kind: change.state for change in changes.winner_changes(evaluation, {})}
    assert found["macro-f1"] is State.NOT_TESTED
    assert State.SAME_NOT_SHOWN in found.values()
