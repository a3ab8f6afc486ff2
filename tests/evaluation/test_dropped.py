"""Missing items dropped: each submission is scored on the items it answered, and is compared with nobody."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from audit.domain import Gold, Options, Policies, Prevalence, ScoreKey, State
from audit.errors import UsageError
from audit.evaluation import evaluate
from audit.inference.comparison import compare_pair
from audit.inference.weighted import Sample
from audit.metrics import count_confusions
from audit.writers.bundle.archive import evaluation_document
from audit.writers.data.export import to_json
from audit.writers.html import render_html
from tests.nightly import examples

from .campaigns import AGGREGATES, by_scikit_learn, campaign, campaigns

DROP = Policies(missing="drop")
NEED_NO_CLASS = ("accuracy", "weighted_f1", "kappa", "mcc", "recall[", "precision[", "f1[")
KAPPA = ScoreKey("kappa")


def dropping(made, **settings):
    """The campaign under the policy."""
    return replace(made, task=replace(made.task, policies=DROP, **settings))


def answered(made, team):
    """A campaign of one team and the items that it answered, labels outside the label set included."""
    given = made.submissions[team]
    kept = given.codes != len(made.task.label_set)
    gold = Gold(made.gold.label_set, made.gold.codes[kept])
    return replace(made, gold=gold, submissions=(replace(given, given=given.codes[kept]),))


@given(campaigns())
def test_scores_are_those_of_scikit_learn_on_the_answered_items(made):
    """Calibrated with the team's own prevalence. Averages over classes need an item of every class in gold."""
    evaluation = evaluate(dropping(made))
    for team, entry in enumerate(evaluation.entries):
        part = answered(made, team)
        assert entry.n_dropped == made.gold.n_items - part.gold.n_items == entry.n_missing
        if not part.gold.n_items:
            assert np.isnan(evaluation.values[:, team]).all()
            continue
        whole = np.unique(part.gold.codes).size == np.unique(made.gold.codes).size
        left = part if whole else replace(part, task=replace(part.task, prevalences=()))
        keys, expected = by_scikit_learn(left)
        for key, value in zip(keys, expected[:, 0], strict=True):
            needs_all = key.prevalence != "observed" or not key.metric.startswith(NEED_NO_CLASS)
            if not whole and (needs_all or (key == KAPPA and np.unique(part.gold.codes).size == 1)):
                continue
            if key.metric in {"kappa", "mcc"} and np.unique(part.gold.codes).size == 1:
                continue
            ours = evaluation.scores_of(key)[team]
            np.testing.assert_allclose(ours, value, rtol=0, atol=1e-9, err_msg=str(key))
        if not whole:
            for key in evaluation.keys:
                if key.prevalence != "observed" or not key.metric.startswith(NEED_NO_CLASS):
                    assert np.isnan(evaluation.scores_of(key)[team]), str(key)


def test_unusable_labels_are_never_dropped():
    """They stay unanswered, and wrong."""
    evaluation = evaluate(dropping(campaign([0, 0, 1, 1], {"A": [0, 3, 1, 2]}, labels="ab")))
    assert evaluation.confusions.tolist() == [[[1, 0, 1], [0, 1, 0]]]
    assert evaluation.scores_of(ScoreKey("accuracy")).tolist() == [2 / 3]
    assert (evaluation.entries[0].n_missing, evaluation.entries[0].n_unusable) == (1, 1)


def test_where_nothing_is_missing_nothing_changes():
    """But the signature, which names the policy."""
    made = campaign([0, 0, 1, 1, 2], {"A": [0, 0, 1, 2, 2], "B": [0, 4, 1, 1, 0]})
    one, other = evaluate(made), evaluate(dropping(made))
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.rank_values, other.rank_values)
    assert "missing-dropped,unusable-wrong" in other.signature
    assert one.signature != other.signature


@examples(14)
@given(st.integers(1, 5), st.integers(0, 30), st.integers(0, 2**32 - 1))
def test_dropped_items_are_in_no_confusion_under_any_weights(n_classes, n_items, seed):
    """Observed and weighted, cell by cell."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, n_classes, n_items + 1)
    teams = rng.integers(0, n_classes + 2, (3, n_items + 1))
    weights = rng.integers(0, 4, (3, n_items + 1), dtype=np.uint8)
    order = np.argsort(gold, kind="stable")
    sample = Sample.of(
        gold.astype(np.uint8), list(teams.astype(np.uint8)), n_classes, drop_missing=True
    )
    found = sample.confusions(slice(0, 3), weights)
    observed = count_confusions(gold, list(teams), n_classes, drop_missing=True)
    for place, row in enumerate([*weights, np.ones(n_items + 1)]):
        expected = np.zeros((3, n_classes, n_classes + 1))
        for weight, item in zip(row, order, strict=True):
            for team, code in enumerate(teams[:, item]):
                if code != n_classes:
                    expected[team, gold[item], min(code, n_classes)] += weight
        assert ((found[place] if place < 3 else observed) == expected).all()


def test_the_largest_label_set_of_one_byte_drops_too():
    """Its codes take all 256 values."""
    labels = tuple(map(str, range(254)))
    gold = list(range(254))
    given = [254, 255, *gold[2:]]
    evaluation = evaluate(dropping(campaign(gold, {"A": given, "B": gold}, labels)))
    assert evaluation.scores_of(ScoreKey("accuracy")).tolist() == [252 / 253, 1]
    sample = Sample.of(evaluation.gold.codes, [np.array(given, np.uint8)], 254, drop_missing=True)
    assert sample.predictions[0, :3].tolist() == [255, 254, 2]


# What is compared


@pytest.fixture(scope="module")
def field():
    """Six teams of 400 items: the best and the worst have dropped some."""
    rng = np.random.default_rng(4)
    gold = rng.choice(3, 400, p=[0.5, 0.3, 0.2])
    teams = {
        f"T{number}": np.where(rng.random(400) < share, gold, rng.integers(0, 3, 400))
        for number, share in enumerate([0.95, 0.8, 0.75, 0.7, 0.6, 0.3])
    }
    teams["T0"] = np.where(rng.random(400) < 0.1, 3, teams["T0"])
    teams["T5"] = np.where(gold == 2, 3, teams["T5"])
    shares = (("a", 0.2), ("b", 0.2), ("c", 0.6))
    return campaign(
        gold, teams, policies=DROP, options=Options(300), prevalences=(Prevalence("named", shares),)
    )


@pytest.fixture(scope="module")
def evaluation(field):
    return evaluate(field)


AVERAGED = ScoreKey("averaged_f1")


def test_a_score_of_other_items_is_ranked_and_not_compared(evaluation):
    """It has a rank and an interval, and is in no pair and no rank set."""
    assert evaluation.ranks_of(AVERAGED)[0] == 1
    assert evaluation.winners(AVERAGED) == (0,)
    assert evaluation.leader(AVERAGED) == 1
    assert evaluation.comparable.tolist() == [False, True, True, True, True, False]
    for comparison in evaluation.certainty.comparisons:
        for team in (0, 5):
            assert not comparison.ahead[team].any()
            assert not comparison.ahead[:, team].any()
            assert (comparison.adjusted_p[team] == 1).all()
            assert np.isnan(comparison.standard_error[team]).all()
            assert comparison.possible_ranks[team].tolist() == [0, 0]
        assert set(comparison.contenders) <= {1, 2, 3, 4}
        assert comparison.possible_ranks[1:5].min() >= 1
        # five take a rank, and the first, compared with nobody, is one
        assert comparison.possible_ranks[1:5].max() <= 5


def test_comparisons_are_those_of_the_comparable_teams_alone(field, evaluation):
    """As if the others had not taken part."""
    alone = evaluate(replace(field, submissions=field.submissions[1:5])).certainty
    for expected in alone.comparisons:
        found = evaluation.certainty.comparison(expected.key)
        for name in ("standard_error", "adjusted_p", "ahead"):
            np.testing.assert_array_equal(getattr(found, name)[1:5, 1:5], getattr(expected, name))
        np.testing.assert_array_equal(found.could_be_best[1:5], expected.could_be_best)
        ranks = evaluation.ranks_of(expected.key)
        uncompared = (
            evaluation.competing
            & ~evaluation.comparable
            & ~np.isnan(evaluation.scores_of(expected.key))
        )
        n_above = (ranks[uncompared] < ranks[1:5, None]).sum(axis=1)
        np.testing.assert_array_equal(
            found.possible_ranks[1:5], expected.possible_ranks + n_above[:, None]
        )
        assert found.leader_interval == (
            expected.leader_interval[0],
            expected.leader_interval[1],
        )


def test_intervals_are_of_the_answered_items(field, evaluation):
    """Of accuracy, Wilson's of as many items as were answered, as statsmodels has it."""
    row, intervals = evaluation.keys.index(ScoreKey("accuracy")), evaluation.certainty.intervals
    for team, entry in enumerate(evaluation.entries[:5]):
        n_answered = 400 - entry.n_dropped
        n_correct = round(evaluation.values[row, team] * n_answered)
        expected = proportion_confint(n_correct, n_answered, method="wilson")
        assert (intervals.lower[row, team], intervals.upper[row, team]) == pytest.approx(expected)
    undefined = np.isnan(evaluation.values[:, 5])
    assert undefined.any()
    assert not undefined.all()
    assert (np.isnan(intervals.lower[:, 5]) == (undefined | (intervals.marks[:, 5] > 0))).all()
    assert field.submissions[5].codes.max() == 3


def test_a_pair_of_which_one_dropped_items_is_refused(field, evaluation):
    """Its scores are of other items."""
    with pytest.raises(
        UsageError, match="“T0” cannot be compared: its scores leave out 48 missing items"
    ):
        compare_pair(evaluation, field.predictions_of(evaluation.entries), "T1", "T0", AVERAGED)


def test_all_have_dropped_items():
    """Everybody is ranked, nobody is compared, and metrics still agree or do not."""
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 3, 90)
    teams = {
        name: np.where(rng.random(90) < 0.2, 3, np.where(rng.random(90) < 0.6, gold, 0))
        for name in "ABC"
    }
    evaluation = evaluate(campaign(gold, teams, policies=DROP, options=Options(64)))
    assert evaluation.ranks_of(AVERAGED).min() == 1
    assert evaluation.leader(AVERAGED) is None
    assert evaluation.certainty.comparisons[0].contenders == ()
    assert np.isnan(evaluation.certainty.comparisons[0].critical_value)
    assert not np.isnan(evaluation.certainty.intervals.lower[evaluation.keys.index(AVERAGED)]).any()
    assert not np.isnan(np.diag(evaluation.agreement.spearman)[:3]).any()


def test_calibrated_scores_in_a_balanced_gold_are_equal_by_identity_only_where_nothing_is_dropped():
    """Whoever drops items has a prevalence of their own."""
    gold, teams = (
        [0, 0, 0, 1, 1, 1],
        {"A": [0, 0, 1, 1, 1, 1], "B": [0, 0, 0, 1, 0, 1], "C": [0, 1, 0, 2, 1, 1]},
    )
    for policies, alike in ((Policies(), True), (DROP, False)):
        agreement = evaluate(campaign(gold, teams, labels="ab", policies=policies)).agreement
        one, other = (
            agreement.keys.index(ScoreKey("accuracy", at)) for at in ("observed", "balanced")
        )
        assert agreement.identical[one, other] == alike
        recall = agreement.keys.index(ScoreKey("macro_recall"))
        assert agreement.identical[other, recall]


@pytest.mark.parametrize("metric", AGGREGATES)
def test_the_best_of_those_who_answered_nothing_is_nobody(metric):
    """A submission without an answer has no score."""
    evaluation = evaluate(campaign([0, 1, 1], {"A": [2, 2, 2]}, labels="ab", policies=DROP))
    assert np.isnan(evaluation.scores_of(ScoreKey(metric)))
    assert evaluation.winners(ScoreKey(metric)) == ()


codes = st.lists(st.integers(0, 3), min_size=6, max_size=6)
"""Answers to six items: three classes, or none."""


@examples(5)
@given(st.lists(st.integers(0, 2), min_size=6, max_size=6), st.lists(codes, min_size=1, max_size=3))
# all have lost the same class
@example([2, 1, 1, 0, 2, 1], [[3, 1, 1, 3, 3, 1], [3, 3, 1, 0, 3, 3]])
@example([0, 0, 0, 2, 0, 2], [[3] * 6])
@example([2, 0, 1, 0, 0, 1], [[3] * 6, [2, 3, 3, 3, 3, 3]])
def test_whatever_is_dropped_the_evaluation_is_told(gold, answers):
    """By every analysis, the document and the page; whoever lost a class has no score by a mean over classes."""
    teams = {f"T{number}": given for number, given in enumerate(answers)}
    evaluation = evaluate(campaign(gold, teams, labels="abc", policies=DROP)).settled()
    to_json(evaluation_document(evaluation))
    assert "</html>" in render_html(evaluation)
    for place, row in enumerate(answers):
        lost = {code for code, answer in zip(gold, row, strict=True) if answer != 3} != set(gold)
        assert np.isnan(evaluation.scores_of(ScoreKey("macro_recall"))[place]) == lost


def test_missing_items_as_wrong_have_a_state():
    """The first dropped items, and is compared once these count as wrong: ahead of all, or not any more."""
    for n_dropped, state in (
        (4, State.SAME_SHOWN),
        (72, State.SAME_NOT_SHOWN),
        (120, State.NOT_TESTED),
    ):
        gold = [0, 1] * 200
        sure = [2 if item < n_dropped else code for item, code in enumerate(gold)]
        other = [1 - code if item % 5 == 0 else code for item, code in enumerate(gold)]
        settings = {"policies": Policies(missing="drop"), "official_metric": ScoreKey("accuracy")}
        made = campaign(gold, {"A": sure, "B": other}, "ab", **settings)
        (row,) = (
            each for each in evaluate(made).verdict.depends_on if each.choice == "missing-items"
        )
        assert row.state is state
