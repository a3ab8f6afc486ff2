"""Formulas, methods, results and checklist: exactly what was computed, in the right number, and no claim beyond."""

import re
from dataclasses import replace

import numpy as np
import pytest

from audit.domain import Gold, Policies, Prevalence, Resampling, Role, ScoreKey, Submission
from audit.evaluation import evaluate
from audit.metrics import AGGREGATES, METRICS
from audit.report.paper import paper_files
from audit.version import versions
from tests.report.campaigns import random_campaign

FEW = Resampling(99, 1)


def words(evaluation, name):
    """A file's text without its comments and definitions."""
    lines = paper_files(evaluation)[f"{name}.tex"].decode().splitlines()
    return " ".join(line for line in lines if not line.startswith(("%", r"\providecommand")))


def answers(gold, *errors):
    """Two-class answers with so many errors at the start of each class."""
    return ["b"] * errors[0] + ["a"] * (gold - errors[0]) + ["a"] * errors[1] + ["b"] * (gold - errors[1])


def campaign_of(predictions, n_items=60, **task):
    """A campaign of two classes of alike size with these answers, by team."""
    base = random_campaign(1, 2 * n_items, 2, labels=["a", "b"], resampling=FEW, **task)
    codes = base.gold.codes.dtype.type
    submissions = [Submission(team, np.array([codes(label == "b") for label in told])) for team, told in predictions]
    gold = Gold(base.gold.label_set, np.repeat(np.array([0, 1], dtype=codes), n_items))
    return replace(base, gold=gold, submissions=tuple(submissions))


# Formulas


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (ScoreKey("averaged_f1"), "The ranking is by averaged F1. Macro F1 (averaged F1):"),
        (ScoreKey("averaged_f1[class 0,class 2]"), r"Its sums run over class 0 and class 2 alone, with $k = 2$."),
        (ScoreKey("f1[class 1]"), "Class $i$ is class 1. F1:"),
        (ScoreKey("mcc", "balanced"), "by MCC at balanced prevalence. It is computed at balanced prevalence"),
        (ScoreKey("kappa", "street"), "It is computed at prevalence street, as below."),
    ],
)
def test_the_formula_of_the_ranking_is_that_of_its_classes_and_prevalence(key, said):
    """Not that of the metric's name alone."""
    street = Prevalence("street", (("class 0", 0.5), ("class 1", 0.25), ("class 2", 0.25)))
    text = words(evaluate(random_campaign(3, 90, 3, official_metric=key, prevalences=(street,))), "formulas")
    assert said in text
    assert METRICS[key.metric.partition("[")[0]].formula in text
    assert r"$\pi$: class 0 .500, class 1 .250 and class 2 .250." in text


def test_every_metric_of_the_tables_has_its_formula_once(flood):
    """And the classes, the undefined rule and the prevalence stand beside them."""
    text = words(flood, "formulas")
    for metric in AGGREGATES:
        assert text.count(f"\\[ {metric.formula} \\]") == 1
    assert "$k = 5$ classes that occur in the gold labels (not\\_relevant, sympathy, damage, help\\_needed and" in text
    assert "each counts as 0 where its denominator is 0" in text
    assert r"scaled by $|S| / (k \cdot \mathrm{prevalence}_i)$" in text


def test_a_class_that_gold_lacks_is_in_no_sum_and_named():
    """It is part of the label set all the same."""
    campaign = campaign_of([("X", answers(60, 3, 4)), ("Y", answers(60, 5, 9))])
    labels = replace(campaign.gold.label_set, labels=("a", "b", "c"))
    third = replace(campaign, gold=replace(campaign.gold, label_set=labels))
    third = replace(third, task=replace(third.task, label_set=labels, official_metric=ScoreKey("averaged_f1[b,c]")))
    text = words(evaluate(third), "formulas")
    assert "$k = 2$ classes that occur in the gold labels (a and b)" in text
    assert "a score of a class that gold lacks (c) is undefined" in text
    assert "Its sums run over b alone, with $k = 1$." in text


def test_dropped_items_are_in_no_total():
    """Where that is the policy; elsewhere nothing is said of it."""
    for missing in ("drop", "wrong"):
        campaign = random_campaign(3, 90, 3, policies=Policies(missing=missing))
        assert ("left out of those that it answered" in words(evaluate(campaign), "formulas")) is (missing == "drop")


# Methods


def test_methods_say_n_classes_metric_resampling_test_correction_ties_missing_and_versions(flood):
    """What an author would write, with the numbers of this evaluation."""
    text = words(flood, "methods")
    given = versions()
    for said in (
        "1,024 items of 5 classes; 11 teams took part",
        "by averaged F1, the official metric, on full precision; equal scores share a rank",
        "Items without a usable answer count as wrong",
        rf"paired bootstrap over items \cite{{efron-tibshirani-1993-bootstrap}} with {flood.uncertainty.n_replicates}",
        r"over all 110 ordered pairs \cite{romano-wolf-2005-exact}, at a family-wise error of 5\%",
        f"audit {given['audit']} (Python {given['Python']}, NumPy {given['numpy']}, SciPy {given['scipy']})",
    ):
        assert said in text


@pytest.mark.parametrize(
    ("missing", "unusable", "said"),
    [
        ("reject", "reject", "Only submissions with a usable answer to every item were accepted."),
        (
            "reject",
            "wrong",
            "with an answer to every item were accepted; answers outside the label set count as wrong.",
        ),
        ("drop", "reject", "submissions with an answer outside the label set were not accepted."),
        ("wrong", "reject", "Items without an answer count as wrong; submissions with"),
    ],
)
def test_methods_say_what_became_of_unanswered_items(missing, unusable, said):
    """For every pair of policies a sentence of its own."""
    campaign = random_campaign(3, 90, 3, policies=Policies(missing=missing, unusable=unusable))
    whole = replace(campaign, submissions=campaign.submissions[:-1])
    assert said in words(evaluate(whole), "methods")


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ([Role.BASELINE], "Beside the ranking stands 1 baseline, which takes no rank."),
        ([Role.BASELINE] * 2, "Beside the ranking stand 2 baselines, which take no rank."),
        ([Role.UNOFFICIAL], "Beside the ranking stands 1 late or unofficial submission, which takes no rank."),
        ([Role.BASELINE, Role.UNOFFICIAL, Role.UNOFFICIAL], "stand 1 baseline and 2 late or unofficial submissions,"),
    ],
)
def test_methods_count_what_takes_no_rank(roles, said):
    """Baselines and unofficial runs, one or several."""
    base = random_campaign(len(roles) + 2, 90, 2)
    with_roles = [replace(each, role=role) for each, role in zip(base.submissions, roles, strict=False)]
    campaign = replace(base, submissions=(*with_roles, *base.submissions[len(roles) :]))
    text = words(evaluate(campaign), "methods")
    assert said in text
    assert "2 teams took part" in text


@pytest.mark.parametrize("runs", ["primary", "last", "best"])
def test_methods_and_checklist_say_which_run_counts(runs):
    """Where a team has several; a maximum over runs is called one."""
    base = random_campaign(3, 90, 2, policies=Policies(runs=runs), resampling=FEW)
    first, second, third = base.submissions
    second = replace(second, team=first.team, run="2", role=Role.CONTRASTIVE)
    evaluation = evaluate(replace(base, submissions=(replace(first, run="1"), second, third)))
    assert "Of several runs of a team, the" in words(evaluation, "methods")
    is_maximum = "is the maximum over them by the ranking metric on the test set" in words(evaluation, "arr_checklist")
    assert is_maximum is (runs == "best")


def test_groups_and_replicates_left_out_are_said():
    """Groups are what is drawn; replicates without a class are no replicates of a macro score."""
    base = random_campaign(3, 90, 3, resampling=FEW)
    rare = np.where(np.arange(90) == 5, 2, np.minimum(base.gold.codes, 1)).astype(base.gold.codes.dtype)
    grouped = evaluate(replace(base, gold=replace(base.gold, codes=rare, groups=np.arange(90) // 3)))
    text = words(grouped, "methods")
    assert "paired bootstrap over the 30 groups of items" in text
    assert re.search(r"leave out the \d+\\% of the replicates in which a class has no gold item", text)
    assert "Test set: 90 items in 30 groups (class 0:" in words(grouped, "arr_checklist")


# Results


def test_one_winner_and_a_pair_that_the_test_set_separates():
    """Nothing is said of more submissions than there are."""
    text = words(evaluate(campaign_of([("X", answers(60, 1, 1)), ("Y", answers(60, 40, 40))])), "results")
    assert "By averaged F1, X is first (.983). The test set separates X from Y." in text
    assert text.endswith("Both definitions of macro F1 have the same winner, X.")


def test_two_that_the_test_set_does_not_separate():
    """In the singular."""
    text = words(evaluate(campaign_of([("X", answers(60, 5, 5)), ("Y", answers(60, 6, 5))])), "results")
    assert "does not separate X from one other (Y). In all, 2 submissions have" in text
    assert "pairs" not in text


def test_several_winners_share_first_place():
    """And the others are compared with the first of them; none of them is called a rival."""
    same = answers(60, 4, 4)
    told = [("X", same), ("Y", same), ("Z", answers(60, 5, 5)), ("far", answers(60, 50, 50))]
    text = words(evaluate(campaign_of(told)), "results")
    assert "By averaged F1, X and Y share first place (.933)." in text
    assert "does not separate X from one other behind first place (Z). In all, 3 submissions have" in text
    assert "Both definitions of macro F1 have the same winners, X and Y." in text
    everybody = words(evaluate(campaign_of([("X", same), ("Y", same)])), "results")
    assert "separa" not in everybody


def test_no_defined_score_means_no_winner_and_no_comparison():
    """By a metric of a class that gold lacks."""
    campaign = campaign_of([("X", answers(60, 4, 4)), ("Y", answers(60, 5, 4))])
    labels = replace(campaign.gold.label_set, labels=("a", "b", "c"))
    gold = replace(campaign.gold, label_set=labels)
    task = replace(campaign.task, label_set=labels, official_metric=ScoreKey("recall[c]"))
    text = words(evaluate(replace(campaign, gold=gold, task=task)), "results")
    assert text.startswith("No submission has a defined score by recall of ``c''.")
    assert "does not separate" not in text


def test_where_nothing_competes_nothing_wins():
    """Baselines alone are no ranking."""
    base = campaign_of([("X", answers(60, 4, 4)), ("Y", answers(60, 5, 4))])
    campaign = replace(base, submissions=tuple(replace(each, role=Role.BASELINE) for each in base.submissions))
    assert words(evaluate(campaign), "results").startswith("No submission takes a rank.")


def test_a_winner_that_is_not_compared_is_not_said_to_be_separated():
    """It dropped items: the sentence is about the first of those that are compared."""
    campaign = campaign_of(
        [("X", answers(60, 0, 0)), ("Y", answers(60, 4, 4)), ("Z", answers(60, 50, 50))],
        policies=Policies(missing="drop"),
    )
    first, *others = campaign.submissions
    codes = first.codes.copy()
    codes[3] = 2
    text = words(evaluate(replace(campaign, submissions=(replace(first, codes=codes), *others))), "results")
    assert "X is first" in text
    assert "The test set separates Y, the first of those compared, from Z." in text


def test_a_single_submission_is_compared_with_nobody():
    """Neither in the methods nor in the results."""
    lone = evaluate(campaign_of([("X", answers(60, 4, 4))]))
    assert "1 team took part." in words(lone, "methods")
    assert "ordered pairs" not in words(lone, "methods")
    assert "Pairs are compared" not in words(lone, "arr_checklist")
    assert words(lone, "results").strip() == (
        "By averaged F1, X is first (.933). Both definitions of macro F1 have the same winner, X."
    )


def test_without_resampling_nothing_is_said_of_intervals():
    """And the checklist says that there are none."""
    evaluation = evaluate(random_campaign(3, 90, 3))
    assert "nterval" not in words(evaluation, "methods") + words(evaluation, "results")
    assert "Scores carry no intervals." in words(evaluation, "arr_checklist")


def test_no_sentence_claims_significance(flood, hostile):
    """Nor probability, nor equality: the words of the procedure are separable and not separable."""
    for evaluation in (flood, hostile):
        text = " ".join(words(evaluation, name) for name in ("methods", "results", "arr_checklist")).lower()
        assert not re.search(r"significan|probab|equally good|as good as|outperform|state of the art", text)


def test_the_checklist_answers_its_three_items(flood):
    """B6 with the class counts, C3 with what stands beside a score, C4 with versions and the signature."""
    text = words(flood, "arr_checklist")
    assert re.findall(r"\\item\[(\w+)\]", text) == ["B6", "C3", "C4"]
    counts = dict(zip(flood.task.label_set, flood.prevalence_counts.tolist(), strict=True))
    assert all(f"{label.replace('_', chr(92) + '_')}: {count}" in text for label, count in counts.items())
    assert f"version:\\allowbreak{{}}{versions()['audit']}" in text
