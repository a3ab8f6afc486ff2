"""Scores under readings: today's numbers by default, and each choice what its name says."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import f1_score, precision_recall_fscore_support

from audit.domain import BALANCED, OBSERVED, F1Undefined, LabelSet, Prevalence
from audit.evaluation import answers_of, evaluate
from audit.metrics import CLASS_METRICS, count_answers, parse_reading, score_readings

from .campaigns import campaign, campaigns

LABELS = LabelSet(("a", "b", "c", "d"))


def scores(answers, *signatures, prevalences=(OBSERVED,), labels=LABELS):
    readings = [parse_reading(signature, labels) for signature in signatures]
    return score_readings(answers, readings, prevalences, labels)


def answers(gold, *given_, strays=None):
    n_teams = len(given_)
    codes = [np.array(each) for each in given_]
    return count_answers(np.array(gold), codes, len(LABELS), strays or [()] * n_teams)


@given(campaigns())
def test_the_default_readings_are_the_evaluations_scores(made):
    """Every metric, class score and prevalence, missing and unusable answers included, to the last bit."""
    evaluation = evaluate(made)
    labels = made.task.label_set
    readings = [parse_reading(str(key), labels) for key in evaluation.keys]
    found = score_readings(
        answers_of(made, made.submissions), readings, evaluation.prevalences, labels
    )
    np.testing.assert_array_equal(found, evaluation.values)


@given(campaigns())
def test_with_missing_items_left_out_a_team_is_scored_on_what_it_answered(made):
    """As if the campaign had only the items that it answers, with the class set of the whole gold."""
    labels = made.task.label_set
    names = [
        *("accuracy", "kappa", "mcc", "weighted_f1"),
        *(f"{m.slug}[{labels.labels[0]}]" for m in CLASS_METRICS),
    ]
    for team, submission in enumerate(made.submissions):
        kept = submission.codes != len(labels)
        if not kept.any():
            found = scores(
                answers_of(made, made.submissions), "accuracy(missing=dropped)", labels=labels
            )
            assert np.isnan(found[0, team])
            continue
        alone = campaign(made.gold.codes[kept], {"T": submission.codes[kept]}, labels.labels)
        dropped = [name.replace("[", "(missing=dropped)[", 1) for name in names[4:]]
        dropped = [f"{name}(missing=dropped)" for name in names[:4]] + dropped
        theirs = scores(answers_of(alone, alone.submissions), *names, labels=labels)[:, 0]
        ours = scores(answers_of(made, made.submissions), *dropped, labels=labels)[:, team]
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_labels_outside_the_label_set_are_classes_of_a_union():
    """Each different one counts once, with F1 0, as scikit-learn has it when it is given the labels as text."""
    gold = ["a", "a", "b", "b", "c", "c"]
    texts = ["a", "x", "y", "y", "c", "b"]
    made = answers(
        [0, 0, 1, 1, 2, 2], [0, 5, 5, 5, 2, 1], [0, 0, 1, 1, 2, 2], strays=[("x", "y"), ()]
    )
    theirs = f1_score(gold, texts, average="macro", zero_division=0)
    per_team, frozen, in_gold = scores(
        made, "averaged_f1(union-per-team)", "averaged_f1(union)", "averaged_f1"
    )
    assert per_team[0] == pytest.approx(theirs, abs=1e-15)
    assert frozen[0] == per_team[0]
    assert in_gold[0] == pytest.approx(theirs * 5 / 3, abs=1e-15)
    # The team that uses none of them: only a union over all teams has them.
    assert (per_team[1], frozen[1]) == (1.0, pytest.approx(3 / 5))


def test_strays_of_other_teams_follow_the_rule_for_undefined_scores():
    """For a team that does not predict them they are neither in gold nor predicted."""
    made = answers([0, 0, 1, 1], [0, 0, 1, 5], [0, 0, 1, 1], strays=[("x",), ()])
    names = (
        "averaged_f1(union)",
        *(f"averaged_f1(union,undefined={rule})" for rule in ("1", "dropped", "whole")),
    )
    first, second = scores(made, *names).T
    assert first.tolist() == pytest.approx([(1 + 2 / 3) / 3] * 4)
    assert second.tolist() == pytest.approx([2 / 3, 1, 1, np.nan], nan_ok=True)


def test_named_classes_and_all_but_are_scikit_learns_labels():
    """``labels=`` with a selection, whatever else is predicted."""
    rng = np.random.default_rng(5)
    gold, given_ = rng.integers(0, 4, 60), rng.integers(0, 4, 60)
    made = answers(gold, given_)
    for text, codes in (("averaged_f1[b,d]", [1, 3]), ("averaged_f1(all-but)[b,d]", [0, 2])):
        theirs = f1_score(gold, given_, labels=codes, average="macro")
        assert scores(made, text)[0, 0] == pytest.approx(theirs, abs=1e-15)
    precision, recall, *_ = precision_recall_fscore_support(
        gold, given_, labels=[0, 2], average="macro"
    )
    ours = scores(made, "macro_precision[a,c]", "macro_recall[a,c]", "f1_of_averages[a,c]")[:, 0]
    assert ours == pytest.approx(
        [precision, recall, 2 * precision * recall / (precision + recall)], abs=1e-15
    )


def test_a_class_score_on_its_own_follows_the_rule_where_it_is_undefined():
    """Precision of a class never predicted is 0, 1 or undefined; a class without gold has no score by any rule."""
    made = answers([0, 0, 1, 2], [0, 0, 0, 3])
    names = ["precision[b]", "precision(undefined=1)[b]", "precision(undefined=whole)[b]"]
    names += ["f1(undefined=whole)[b]", "f1(undefined=whole,f1-undefined=one-sided)[b]"]
    names += [
        "f1(undefined=1,f1-undefined=none-correct)[b]",
        "precision(undefined=1)[d]",
        "recall(undefined=1)[d]",
    ]
    assert scores(made, *names)[:, 0].tolist() == pytest.approx(
        [0, 1, np.nan, 0, np.nan, 1, np.nan, np.nan], nan_ok=True
    )
    once = answers([0, 1, 1, 2], [0, 0, 1, 2])  # one item and one answer are enough on either side
    names = [
        f"f1(undefined=whole,f1-undefined={rule})[{label}]"
        for rule in F1Undefined
        for label in "bc"
    ]
    assert scores(once, *names)[:, 0].tolist() == pytest.approx([2 / 3, 1] * len(F1Undefined))


def test_at_a_named_prevalence_a_team_without_any_item_of_a_class_has_no_score():
    """What it left out cannot be given a mass; with balanced classes its other classes share it all."""
    named = Prevalence("named", (("a", 0.5), ("b", 0.5)))
    made = answers([0, 0, 1, 1], [0, 1, 4, 4], [0, 0, 1, 0])
    names = ("accuracy(missing=dropped)@named", "accuracy(missing=dropped)~", "accuracy@named")
    left, right = scores(made, *names, prevalences=(named, BALANCED)).T
    assert left.tolist() == pytest.approx([np.nan, 0.5, 0.25], nan_ok=True)
    assert right.tolist() == pytest.approx([0.75, 0.75, 0.75])


def test_many_readings_are_scored_in_blocks(monkeypatch):
    """With one class mask at a time the scores are the same."""
    rng = np.random.default_rng(2)
    made = answers(
        rng.integers(0, 4, 50),
        *(rng.integers(0, 6, 50) for _ in range(3)),
        strays=[("x",), (), ("y",)],
    )
    names = [
        f"averaged_f1({classes},all-but)[{label}]"
        for classes in ("declared", "union")
        for label in LABELS
    ]
    whole = scores(made, *names)
    monkeypatch.setattr("audit.metrics.readings._BLOCK", 1)
    np.testing.assert_array_equal(scores(made, *names), whole)
