"""What the first place depends on: each state on a campaign made for it."""

import numpy as np
import pytest

from audit.domain import Role, ScoreKey, State
from audit.inference import relation
from audit.inference.relation import AVERAGED, OF_AVERAGES, choices, contested_scores

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


@pytest.mark.parametrize(
    ("times", "expected"), [(1, State.OTHER_NOT_SHOWN), (2500, State.OTHER_SHOWN)]
)
def test_the_two_macro_f1s_crown_different_teams(times, expected):
    """On few items the test set cannot tell them apart, on many the difference is real, both ways."""
    gold, teams = turned(times)
    evaluation = made_certain(gold, teams, 2, official_metric=ScoreKey("averaged_f1"))
    change = state(evaluation, "macro-f1")
    assert change.state is expected
    assert change.winners == ((0,), (1,))
    assert change.keys == (ScoreKey("averaged_f1"), ScoreKey("f1_of_averages"))
    one, other = (evaluation.comparison(key) for key in change.keys)
    assert (one.ahead[0, 1] and other.ahead[1, 0]) == (expected is State.OTHER_SHOWN)


@pytest.mark.parametrize(
    ("times", "expected"), [(1, State.OTHER_SHOWN_THERE), (20, State.OTHER_SHOWN)]
)
def test_the_prevalence_crowns_another(times, expected):
    """Accuracy at observed and with balanced classes, likewise."""
    gold, teams = balance_against_accuracy(times)
    evaluation = made_certain(gold, teams, 2, official_metric=ScoreKey("accuracy"))
    change = state(evaluation, "prevalence")
    assert change.keys == (ScoreKey("accuracy"), ScoreKey("accuracy", "balanced"))
    assert change.winners == ((1,), (0,))
    assert change.state is expected
    assert state(evaluation, "metric", "macro_recall").state is expected


def test_a_difference_that_only_the_other_side_shows_is_said_to_be_so():
    """The winner there is significantly ahead by that score, the official one not by its own: a state of its own."""
    gold, frequent = spread_out([[880, 20], [95, 5]])
    _, fair = spread_out([[865, 35], [40, 60]])
    fair[np.flatnonzero((gold == 0) & (fair == 0))[:52]] = 1
    evaluation = made_certain(
        gold, {"fair": fair, "frequent": frequent}, 2, official_metric=ScoreKey("accuracy")
    )
    change = state(evaluation, "prevalence")
    one, other = (evaluation.comparison(key) for key in change.keys)
    assert change.winners == ((1,), (0,))
    assert other.ahead[0, 1]
    assert not one.ahead[1, 0]
    assert change.state is State.OTHER_SHOWN_THERE


def test_the_same_team_first_by_all_is_shown_where_no_other_could_be_best():
    """Every choice, whatever it is; with too few items none is."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 3, 300)
    evaluation = made_certain(
        gold, noisy(rng, gold, 3, [0.95, 0.5, 0.4]), 3, official_metric=ScoreKey("averaged_f1")
    )
    assert {change.state for change in evaluation.certainty.changes} == {State.SAME_SHOWN}
    assert {change.could_be_best for change in evaluation.certainty.changes} == {(0,)}
    assert contested_scores(evaluation) == ()
    few = made_certain(
        gold[:9], noisy(rng, gold[:9], 3, [0.95, 0.5]), 3, official_metric=ScoreKey("accuracy")
    )
    same = [change for change in few.certainty.changes if change.winners == ((0,), (0,))]
    assert {change.state for change in same} == {State.SAME_NOT_SHOWN}
    assert {change.could_be_best for change in same} == {(0, 1)}


def test_joint_firsts_are_never_significant():
    """Whichever of the two sides is the ranking's."""
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


def test_the_ranking_s_macro_f1_stands_first():
    """So that what is tested is the other one."""
    gold, teams = turned(10)
    for key, other in ((AVERAGED, OF_AVERAGES), (OF_AVERAGES, AVERAGED)):
        evaluation = made_certain(gold, teams, 2, official_metric=key)
        assert state(evaluation, "macro-f1").keys == (key, other)


def test_a_joint_first_is_never_shown():
    """Twins on one side, though both are ahead."""
    gold, teams = turned(2500)
    evaluation = made_certain(
        gold, {**teams, "twin": teams["even"].copy()}, 2, official_metric=ScoreKey("averaged_f1")
    )
    assert state(evaluation, "macro-f1").state is State.OTHER_NOT_SHOWN


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
    evaluation = made_certain(
        gold, teams, 2, official_metric=ScoreKey("averaged_f1"), missing="drop"
    )
    assert state(evaluation, "macro-f1").state is State.NOT_TESTED


def test_who_does_not_compete_is_nobody_s_winner():
    """A baseline that is first by F1 of averages changes nothing."""
    gold, teams = turned(10)
    roles = {"skewed": Role.BASELINE}
    evaluation = made_certain(gold, teams, 2, official_metric=ScoreKey("averaged_f1"), roles=roles)
    assert state(evaluation, "macro-f1").winners == ((0,), (0,))
    assert state(evaluation, "macro-f1").state is State.NOT_TESTED  # there is one team alone


def test_with_very_many_teams_other_metrics_are_not_tested(monkeypatch):
    """A comparison of 1,000 takes seconds: only the ranking metric and both macro F1s are compared unasked."""
    gold, teams = balance_against_accuracy(20)
    few = made_certain(gold, teams, 2, official_metric=ScoreKey("averaged_f1"))
    monkeypatch.setattr("audit.inference.certainty_analysis.MOST_TESTED", 1)
    many = made_certain(gold, teams, 2, official_metric=ScoreKey("averaged_f1"))
    assert state(few, "metric", "accuracy").state is State.OTHER_SHOWN
    assert state(many, "metric", "accuracy").state is State.NOT_TESTED
    assert len(many.certainty.comparisons) == 3
    asked = made_certain(
        gold, teams, 2, official_metric=ScoreKey("averaged_f1"), compare=("accuracy",)
    )
    assert state(asked, "metric", "accuracy").state is State.OTHER_SHOWN


def test_the_choices_are_the_macro_f1_the_prevalence_and_every_other_metric():
    """At the prevalence of the ranking metric."""
    gold, teams = balance_against_accuracy(2)
    made = choices(made_certain(gold, teams, 2, official_metric=ScoreKey("kappa", "balanced")))
    assert [kind for kind, *_ in made] == ["macro-f1", "prevalence"] + ["metric"] * 9
    assert made[1][1:] == (ScoreKey("kappa", "balanced"), ScoreKey("kappa"))
    assert [other.metric for _, _, other in made[2:]] == [
        name for name in AGGREGATES if name != "kappa"
    ]
    assert {other.prevalence for _, _, other in made[2:]} == {"balanced"}


def test_whatever_is_contested_is_compared():
    """So that none is untested for want of a comparison."""
    gold, teams = balance_against_accuracy(2)
    evaluation = made_certain(gold, teams, 2, official_metric=ScoreKey("accuracy"))
    assert contested_scores(evaluation)
    assert {comparison.key for comparison in evaluation.certainty.comparisons} >= set(
        contested_scores(evaluation)
    )
    unlike = [
        change for change in evaluation.certainty.changes if change.winners[0] != change.winners[1]
    ]
    products = {"geometric_macro_recall", "harmonic_macro_recall"}  # a recall of 0 has no influence
    assert {
        change.keys[1].metric for change in unlike if change.state is State.NOT_TESTED
    } <= products


def test_states_need_the_comparisons_they_rest_on():
    """Without them nothing is tested, whoever is first."""
    gold, teams = turned(10)
    evaluation, _ = scored_with_items(gold, teams, 2, official_metric=ScoreKey("averaged_f1"))
    assert {change.state for change in relation.winner_changes(evaluation, lambda _: None)} == {
        State.NOT_TESTED
    }
