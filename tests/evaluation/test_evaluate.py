"""The batch engine gives every team the scores that scikit-learn gives it alone."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import audit
from audit.domain import Prevalence, ScoreKey
from audit.errors import InputError, UsageError
from audit.evaluation import evaluate
from tests.nightly import examples

from .campaigns import by_scikit_learn, campaign, campaigns, naive_ranks, submission

GOLD = [0, 0, 1, 1, 1, 2]
ADA, BOB, EVE = [0, 1, 1, 1, 2, 2], [0, 0, 0, 1, 3, 4], [1, 1, 1, 1, 1, 1]


def random_campaign(n_teams, n_items=60, n_classes=3):
    rng = np.random.default_rng(7)
    gold = [*range(n_classes), *rng.integers(0, n_classes, n_items - n_classes).tolist()]
    right = rng.random((n_teams, n_items)) < rng.random((n_teams, 1))
    given = np.where(right, gold, rng.integers(0, n_classes + 2, (n_teams, n_items)))
    return campaign(gold, {f"T{number:03}": row.tolist() for number, row in enumerate(given)})


@given(campaigns())
def test_scores_are_those_of_scikit_learn(made):
    """Every metric and class score, observed, balanced and at a named prevalence, with unanswered items."""
    evaluation = evaluate(made)
    keys, expected = by_scikit_learn(made)
    assert evaluation.keys == keys
    np.testing.assert_allclose(evaluation.values, expected, rtol=0, atol=1e-9)


@given(campaigns())
def test_ranks_count_who_is_better(made):
    """Equal scores share the rank, undefined ones are last together."""
    evaluation = evaluate(made)
    assert evaluation.rank_values.tolist() == [naive_ranks(row) for row in evaluation.values]


@settings(max_examples=10, deadline=None)
@given(campaigns(fewest_teams=3))
def test_correlations_are_those_of_scipy(made):
    """Spearman's ρ and Kendall's τ-b of the ranks; undefined where a metric is constant."""
    evaluation = evaluate(made)
    ranks = [evaluation.ranks_of(key) for key in evaluation.agreement.keys]
    constant = [np.unique(row).size == 1 for row in ranks]
    for a, first in enumerate(ranks):
        for b, second in enumerate(ranks[: a + 1]):
            rho, tau = evaluation.agreement.spearman[a, b], evaluation.agreement.kendall[b, a]
            if constant[a] or constant[b]:
                assert np.isnan([rho, tau]).all()
            else:
                assert rho == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-9)
                assert tau == pytest.approx(stats.kendalltau(first, second).statistic, abs=1e-6)


@given(campaigns(fewest_teams=2), st.randoms(use_true_random=False))
def test_the_order_of_submissions_does_not_matter(made, random):
    """Scores and ranks go with the team, and the metrics agree as before."""
    order = list(range(len(made.submissions)))
    random.shuffle(order)
    before = evaluate(made)
    after = evaluate(replace(made, submissions=tuple(made.submissions[place] for place in order)))
    assert after.names == tuple(before.names[place] for place in order)
    np.testing.assert_array_equal(after.values, before.values[:, order])
    np.testing.assert_array_equal(after.rank_values, before.rank_values[:, order])
    np.testing.assert_allclose(after.agreement.spearman, before.agreement.spearman, atol=1e-12)
    assert [(flag.slug, flag.severity) for flag in after.flags] == [
        (flag.slug, flag.severity) for flag in before.flags
    ]


@examples(5)
@given(campaigns())
def test_the_same_campaign_gives_the_same_evaluation(made):
    """To the last bit, in every part."""
    first, second = evaluate(made), evaluate(made)
    for part in ("confusions", "values", "rank_values"):
        assert getattr(first, part).tobytes() == getattr(second, part).tobytes()
    for part in ("spearman", "kendall", "identical"):
        assert getattr(first.agreement, part).tobytes() == getattr(second.agreement, part).tobytes()
    assert (first.flags, first.signature, first.entries) == (
        second.flags,
        second.signature,
        second.entries,
    )


@given(campaigns())
def test_a_named_prevalence_meets_observed_and_balanced(made):
    """At gold's own distribution it is the observed one, at equal shares the balanced one."""
    labels, counts = (
        made.task.label_set,
        np.bincount(made.gold.codes, minlength=len(made.task.label_set)),
    )
    own = tuple(
        (label, n / counts.sum()) for label, n in zip(labels, counts.tolist(), strict=True) if n
    )
    even = tuple((label, 1 / len(own)) for label, _ in own)
    task = replace(made.task, prevalences=(Prevalence("own", own), Prevalence("even", even)))
    evaluation = evaluate(replace(made, task=task))
    for key in evaluation.keys:
        if key.prevalence in {"own", "even"}:
            same = ScoreKey(key.metric, {"own": "observed", "even": "balanced"}[key.prevalence])
            np.testing.assert_allclose(
                evaluation.scores_of(key), evaluation.scores_of(same), rtol=0, atol=1e-9
            )


def test_one_team_is_first_everywhere():
    """Alone it has rank 1 by every metric, and no metric agrees or disagrees with another."""
    evaluation = evaluate(campaign(GOLD, {"Ada": ADA}))
    assert set(evaluation.rank_values.ravel().tolist()) == {1}
    assert np.isnan(evaluation.agreement.spearman).all()
    assert np.isnan(evaluation.agreement.kendall).all()


def test_two_teams_have_no_correlation():
    """Of two ranks a correlation says nothing."""
    evaluation = evaluate(campaign(GOLD, {"Ada": ADA, "Bob": BOB}))
    assert np.isnan(evaluation.agreement.spearman).all()
    assert evaluation.order(ScoreKey("accuracy")) == [0, 1]


def test_three_hundred_teams():
    """All of them are scored and ranked, and agree with scikit-learn."""
    made = random_campaign(300)
    evaluation = evaluate(made)
    assert len(evaluation.entries) == 300
    some = replace(made, submissions=made.submissions[::60])
    np.testing.assert_allclose(
        evaluation.values[:, ::60], by_scikit_learn(some)[1], rtol=0, atol=1e-9
    )
    assert evaluation.ranks_of(ScoreKey("accuracy")).tolist() == naive_ranks(
        evaluation.scores_of(ScoreKey("accuracy"))
    )
    order = evaluation.scores_of(ScoreKey("mcc"))[evaluation.order(ScoreKey("mcc"))]
    assert (np.diff(order) <= 0).all()


def test_more_than_two_hundred_and_fifty_four_classes():
    """Codes take two bytes then, and nothing else changes."""
    n_classes = 300
    gold = list(range(n_classes))
    shifted = [*gold[1:], gold[0]]
    made = campaign(
        gold,
        {"All": gold, "None": shifted, "Half": gold[:150] + shifted[150:]},
        map(str, range(n_classes)),
    )
    accuracy = evaluate(made).scores_of(ScoreKey("accuracy"))
    assert accuracy.tolist() == [1, 0, 0.5]


def test_a_team_with_several_runs_has_a_name_for_each():
    """TEAM/RUN where a team has several, TEAM where it has one, whatever it calls it."""
    made = campaign(GOLD, {"Ada/1": ADA, "Ada/2": BOB, "Bob/primary": EVE, "Eve": EVE})
    assert evaluate(made).names == ("Ada/1", "Ada/2", "Bob", "Eve")


def test_an_entry_counts_what_is_unanswered():
    """Missing and unusable apart, with the labels that are unusable."""
    (entry,) = evaluate(campaign(GOLD, {"Bob": BOB})).entries
    assert (entry.n_missing, entry.n_unusable, entry.n_unanswered) == (1, 1, 2)
    assert entry.unusable_labels == (("stray", 1),)


def test_winners_and_order_of_a_metric():
    """Ties are in the order of the names, and a score that nobody has defined has no winner."""
    evaluation = evaluate(
        campaign([0, 0, 1, 1], {"Z": [0, 0, 1, 0], "A": [0, 1, 1, 1], "M": [0, 0, 1, 1]})
    )
    assert evaluation.winners(ScoreKey("accuracy")) == (2,)
    assert evaluation.order(ScoreKey("accuracy")) == [2, 0, 1]
    assert evaluation.winners(ScoreKey("recall[c]")) == ()


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (ScoreKey("averaged_f2"), "“averaged_f1”"),
        (ScoreKey("macro_recal", "balanced"), "“macro_recall~”"),
        (ScoreKey("zzz"), None),
    ],
)
def test_an_unknown_score_says_what_may_be_meant(key, expected):
    """With the nearest name, where one is near."""
    evaluation = evaluate(campaign(GOLD, {"Ada": ADA}))
    for ask in (evaluation.scores_of, evaluation.ranks_of, evaluation.winners, evaluation.order):
        with pytest.raises(UsageError) as caught:
            ask(key)
        assert f"“{key}”" in str(caught.value)
        assert ("Did you mean" in str(caught.value)) == (expected is not None)
        assert expected is None or expected in str(caught.value)


def test_nothing_to_evaluate_is_a_wrong_call():
    """Without submissions, or without items."""
    with pytest.raises(UsageError, match="no submission"):
        evaluate(campaign(GOLD, {}))
    with pytest.raises(UsageError, match="no item"):
        evaluate(campaign([], {"Ada": []}))


def test_scores_over_named_classes_are_computed_where_they_are_official():
    """At every prevalence, beside the metrics that everybody gets."""
    official = ScoreKey("averaged_f1[a,b]")
    evaluation = evaluate(
        campaign(GOLD, {"Ada": ADA, "Bob": BOB, "Eve": EVE}, official_metric=official)
    )
    f1 = [evaluation.scores_of(ScoreKey(f"f1[{label}]")) for label in "ab"]
    np.testing.assert_allclose(evaluation.scores_of(official), np.mean(f1, axis=0))
    assert official in evaluation.agreement.keys
    assert ScoreKey(official.metric, "balanced") in evaluation.keys


def test_what_was_not_loaded_is_passed_on():
    """Rejected and ignored files are in the evaluation as in the campaign."""
    made = replace(campaign(GOLD, {"Ada": ADA}), ignored=("README",))
    assert evaluate(made).ignored == ("README",)
    assert evaluate(made).rejections == made.rejections


def test_unanswered_is_compared_as_unanswered():
    """Missing or unusable, an item is as wrong."""
    labels = campaign(GOLD, {}).task.label_set
    made = campaign(GOLD, {})
    both = tuple(
        submission(name, [code] * 6, labels) for name, code in (("Missing", 3), ("Unusable", 4))
    )
    evaluation = evaluate(replace(made, submissions=both))
    np.testing.assert_array_equal(evaluation.values[:, 0], evaluation.values[:, 1])


def test_more_labels_than_memory_is_meant_for_are_refused(monkeypatch):
    """What counts is how many pairs of label and answer there are: a row of counts for each is what takes memory."""
    labels = ["a", "b", "c"]
    monkeypatch.setattr("audit.evaluation.MOST_CELLS", 2 * 3)
    assert audit.evaluate(labels, {"X": labels, "Y": labels}).names == ("X", "Y")
    monkeypatch.setattr("audit.evaluation.MOST_CELLS", 2 * 3 - 1)
    with pytest.raises(InputError) as caught:
        audit.evaluate(labels, {"X": labels, "Y": labels})
    (issue,) = caught.value.issues
    assert issue.slug == "too-many-labels"
    assert issue.found == "2 entries and 3 different pairs of gold label and answer"
    assert issue.expected == "at most 2 pairs with so many entries; here are 3 labels"
    assert audit.evaluate(labels, {"X": labels}).names == ("X",)
