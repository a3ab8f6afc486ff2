"""Formulas, methods, results and checklist: exactly what was computed, in the right number, and no claim beyond."""

import re
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from audit.domain import (
    CarriedBy,
    Gold,
    LabelNoise,
    Options,
    Policies,
    Power,
    Prevalence,
    Resampled,
    Role,
    ScoreKey,
    State,
    Submission,
    WinnerChange,
)
from audit.evaluation import evaluate
from audit.metrics import AGGREGATES, METRICS
from audit.report import paper
from audit.report.paper import paper_files
from audit.report.paper.references import OF_ITEM_SCORES
from audit.report.table_printing import printing
from audit.sentences import SENTENCES
from audit.version import versions
from tests.nightly import untraced
from tests.report.campaigns import random_campaign


def words(evaluation, name):
    """A file's text without its comments and definitions."""
    lines = paper_files(evaluation)[f"{name}.tex"].decode().splitlines()
    return " ".join(line for line in lines if not line.startswith(("%", r"\providecommand")))


def answers(gold, *errors):
    """Two-class answers with so many errors at the start of each class."""
    return ["b"] * errors[0] + ["a"] * (gold - errors[0]) + ["a"] * errors[1] + ["b"] * (gold - errors[1])


def campaign_of(predictions, n_items=60, **task):
    """A campaign of two classes of alike size with these answers, by team."""
    base = random_campaign(1, 2 * n_items, 2, labels=["a", "b"], **task)
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


def test_methods_say_n_classes_metric_intervals_procedure_ties_missing_and_versions(flood):
    """What an author would write, with the numbers of this evaluation."""
    text = words(flood, "methods")
    given = versions()
    for said in (
        "1,024 items of 5 classes; 11 teams took part",
        "by averaged F1, the official metric, on full precision; equal scores share a rank",
        "Items without a usable answer count as wrong",
        "Items are taken as independent draws from a population with this class distribution; class counts are random.",
        r"delta method \cite{takahashi-etal-2022-confidence} from a confusion to which a few pseudo-items, half of",
        r"effective number of items in a Wilson score interval \cite{korn-graubard-1998-confidence,franco-etal-2019-",
        r"procedure \cite{romano-wolf-2005-exact} over all 55 unordered pairs by a metric, at a family-wise error of",
        f"against {flood.certainty.comparisons[0].n_draws:,} draws",
        r"a 95\% confidence set for the best one \cite{hsu-1984-constrained}",
        r"corrected for its having been chosen as the best \cite{zrnic-fithian-2024-locally}",
        f"audit {given['audit']} (Python {given['Python']}, NumPy {given['numpy']}, SciPy {given['scipy']})",
    ):
        assert said in text


@untraced
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


@untraced
@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ([Role.BASELINE], "Beside the ranking stands 1 baseline, which takes no rank."),
        ([Role.BASELINE] * 2, "Beside the ranking stand 2 baselines, which take no rank."),
        ([Role.UNOFFICIAL], "Beside the ranking stands 1 unofficial submission, which takes no rank."),
        ([Role.BASELINE, Role.UNOFFICIAL, Role.UNOFFICIAL], "stand 1 baseline and 2 unofficial submissions,"),
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
    base = random_campaign(3, 90, 2, policies=Policies(runs=runs))
    first, second, third = base.submissions
    second = replace(second, team=first.team, run="2", role=Role.CONTRASTIVE)
    evaluation = evaluate(replace(base, submissions=(replace(first, run="1"), second, third)))
    assert "Of several runs of a team, the" in words(evaluation, "methods")
    is_maximum = "is the maximum over them by the ranking metric on the test set" in words(evaluation, "arr_checklist")
    assert is_maximum is (runs == "best")


def test_the_unit_of_the_draws_is_said():
    """Items, groups with their design effect, or classes whose sizes are fixed by design."""
    base = random_campaign(3, 90, 3)
    plain, grouped = evaluate(base), evaluate(replace(base, gold=replace(base.gold, groups=np.arange(90) // 3)))
    assert "independent draws from a population with this class distribution" in words(plain, "methods")
    text = words(grouped, "methods")
    assert "Items come in 30 groups, which are taken as independent draws" in text
    assert "Student's with 29 degrees of freedom" in text
    assert "Test set: 90 items in 30 groups (class 0:" in words(grouped, "arr_checklist")
    stratified = plain.given(certainty=replace(plain.certainty, stratified=True))
    assert "how many there are of each class is fixed by design" in words(stratified, "methods")
    for evaluation in (plain, grouped, stratified):
        assert words(evaluation, "methods").count("independent draws") == 1


def test_a_single_group_has_no_design_effect():
    """And no interval."""
    base = random_campaign(2, 60, 2)
    text = words(evaluate(replace(base, gold=replace(base.gold, groups=np.zeros(60, dtype=int)))), "methods")
    assert "Student" not in text
    assert "Where simulation found no interval that holds its level, none is given" in text


def test_replicates_are_said_to_describe_and_not_to_test(flood):
    """Where there are any."""
    intervals, rho = flood.certainty.intervals, flood.agreement.spearman
    found = Resampled(500, 1, 498, intervals.lower, intervals.upper, (), np.zeros((0, 12, 12)), 0.2, 0.3, rho, rho, 498)
    text = words(flood.given(certainty=replace(flood.certainty, resampled=found)), "methods")
    assert r"500 replicates by paired item weights \cite{efron-tibshirani-1993-bootstrap} describe ranks" in text
    assert "replicates" not in words(flood, "methods")


# Results


def test_one_winner_and_a_pair_that_the_test_set_separates():
    """Nothing is said of more submissions than there are."""
    text = words(evaluate(campaign_of([("X", answers(60, 1, 1)), ("Y", answers(60, 40, 40))])), "results")
    start = (
        r"By averaged F1, X is first \(\.983; 95\\% interval (\S+) to (\S+), corrected for its having been chosen as"
    )
    lower, upper = re.match(start, text).groups()
    assert float(lower) < 0.983 < float(upper)
    assert "X is the only submission that could be best by averaged F1, at 95\\% confidence." in text
    assert "X is separable from Y." in text
    assert "Both definitions of macro F1 have the same winner, X." in text
    assert "First place holds by" in text
    assert "Of the" not in text.partition("With ")[0]


def test_two_that_the_test_set_does_not_separate():
    """In the singular."""
    text = words(evaluate(campaign_of([("X", answers(60, 5, 5)), ("Y", answers(60, 6, 5))])), "results")
    assert "X is not separable from one other (Y)." in text
    assert "2 submissions could be best by averaged F1, at 95\\% confidence: X and Y." in text
    assert "Of the" not in text.partition("With ")[0]


def test_several_winners_share_first_place():
    """And the others are compared with the first of them; none of them is called a rival."""
    same = answers(60, 4, 4)
    told = [("X", same), ("Y", same), ("Z", answers(60, 5, 5)), ("far", answers(60, 50, 50))]
    text = words(evaluate(campaign_of(told)), "results")
    assert "By averaged F1, X and Y share first place (.933)." in text
    assert "X is not separable from one other behind first place (Z)." in text
    assert "3 submissions could be best by averaged F1, at 95\\% confidence: X, Y and Z." in text
    assert "Both definitions of macro F1 have the same winners, X and Y." in text
    everybody = words(evaluate(campaign_of([("X", same), ("Y", same)])), "results")
    assert "separa" not in everybody


def test_who_could_be_best_is_the_best_set_and_rank_1_may_be_open_to_more(flood):
    """And one sentence says why the two differ; where they do not, none does."""
    comparison = flood.certainty.comparisons[0]
    n_best, n_possible = int(comparison.could_be_best.sum()), int((comparison.possible_ranks[:, 0] == 1).sum())
    text = words(flood, "results")
    assert n_possible > n_best > 1
    assert f"{n_best} submissions could be best by averaged F1" in text
    assert f"Rank 1 is a possible rank of {n_possible - n_best} more: possible ranks come from all pairs" in text
    same = replace(comparison, could_be_best=comparison.possible_ranks[:, 0] == 1)
    changed = flood.given(certainty=replace(flood.certainty, comparisons=(same,)))
    assert "possible rank" not in words(changed, "results")


STATES = {
    State.OTHER_SHOWN: "another is first, and the difference is real",
    State.OTHER_NOT_SHOWN: "another is first, but the test set cannot tell them apart; that is no evidence that the scores",
    State.NOT_TESTED: "another is first; whether the test set shows it was not tested.",
}


@pytest.mark.parametrize("state", STATES)
def test_every_change_of_winner_is_said_once_with_its_state(flood, support):
    """Scores by which the same others are first stand in one sentence; a side without a winner has nothing to say."""
    first, second, third = (flood.names.index(name) for name in ("Kingfisher", "Plumbline", "Spate"))
    own = ScoreKey("averaged_f1")

    def change(kind, metric, winners, state=support):
        return WinnerChange(kind, (own, ScoreKey(*metric)), ((first,), winners), state)

    changes = (
        change("macro-f1", ("f1_of_averages",), (second,)),
        change("prevalence", ("averaged_f1", "balanced"), (third,)),
        change("metric", ("f1_of_averages",), (second,)),  # the same choice once more
        change("metric", ("accuracy",), (second,)),
        change("metric", ("kappa",), (first,), State.SAME_NOT_SHOWN),
        change("metric", ("mcc",), (first,), State.SAME_NOT_SHOWN),
        change("metric", ("weighted_f1",), (), State.NOT_TESTED),
    )
    text = words(flood.given(certainty=replace(flood.certainty, changes=changes)), "results")
    assert text.count(STATES[support]) == 2
    assert f"is first by averaged F1, Plumbline by F1 of averages and accuracy: {STATES[support]}" in text
    score = printing(flood).score(flood.scores_of(ScoreKey("averaged_f1", "balanced"))[third])
    assert f"is first by averaged F1, Spate ({score}) by averaged F1 at balanced prevalence:" in text
    assert "First place holds by Cohen's kappa and MCC." in text
    assert "weighted" not in text


def test_where_the_macro_f1s_share_a_winner_both_are_named_without_a_test(flood):
    """Two winners on one side, one of them on the other: neither the same nor another."""
    key = ScoreKey("f1_of_averages")
    values, ranks = flood.values.copy(), flood.rank_values.copy()
    row, own = flood.keys.index(key), flood.keys.index(ScoreKey("averaged_f1"))
    values[row], ranks[row] = values[own], ranks[own]
    second = flood.order(flood.task.ranking_metric)[1]
    values[row, second], ranks[row, second] = values[row].max(), 1
    tied = replace(flood, values=values, rank_values=ranks).given(certainty=None)
    assert "by averaged F1 Kingfisher (.755), by F1 of averages Estuary and Kingfisher (.755)." in words(
        tied, "results"
    )


def test_what_the_test_set_can_tell_follows_from_the_standard_errors(flood):
    """Half the time at the critical value, 80% of the time .84 standard errors further; items with the square."""
    key, n_items = flood.task.ranking_metric, flood.gold.n_items
    first, second = flood.order(key)[:2]
    carried, noise = CarriedBy(second, ((0, 0, 1, 3), (1, 1, 2, 4))), LabelNoise((0.01, 0.05), (0.875, 0.5), 1000)
    power = Power(key, first, second, 0.0164, 0.0251, 3.25, 0.02, n_items, carried, noise)
    other = replace(power, key=ScoreKey("f1_of_averages"))
    text = words(flood.given(power=(power, other)), "results")
    quantile = NormalDist().inv_cdf
    found = re.search(r"finds a true difference of (\.\d+) about half the time, and one of (\.\d+) 80", text)
    assert [float(value) for value in found.groups()] == pytest.approx(
        [3.25 * 0.02, (3.25 + quantile(0.8)) * 0.02], abs=5e-4
    )
    found = re.search(r"takes about ([\d,]+) items where the two alone are compared, and ([\d,]+) among all", text)
    needed = [n_items * ((c + quantile(0.8)) * 0.0251 / 0.0164) ** 2 for c in (quantile(0.975), 3.25)]
    counts = [int(value.replace(",", "")) for value in found.groups()]
    assert counts == pytest.approx(needed, rel=5e-3)  # three digits: more would say that the error is known as well
    assert all(count % 100 == 0 for count in counts)
    assert r"Without 7 of the items \cite{broderick-etal-2020-automatic} Estuary would be ahead of Kingfisher" in text
    assert r"Where 1\% and 5\% of the gold labels are replaced at random, independently of the predictions," in text
    assert r"Kingfisher stays first by averaged F1 in 88\% and 50\% of the draws" in text
    assert text.count("takes about") == 1


def test_a_share_of_nearly_all_draws_is_not_rounded_to_all(flood):
    """998 of 1,000 are more than 99%, in the paper as in the terminal."""
    noise = LabelNoise((0.01, 0.05), (0.998, 0.5), 1000)
    power = replace(Power(flood.task.ranking_metric, 0, 1, 0.0164, 0.0251, 3.25, 0.02, 1024), label_noise=noise)
    text = words(flood.given(power=(power,)), "results")
    assert r"in more than 99\% and 50\% of the draws" in text


@pytest.mark.parametrize("lacking", [{"critical_value": np.nan}, {"difference": 0.0, "median_error": np.nan}])
def test_of_a_test_set_that_tells_nothing_nothing_is_said(flood, lacking):
    """Where no pair can differ, or the first two have one score and nothing carries the first place."""
    key = flood.task.ranking_metric
    power = replace(Power(key, *flood.order(key)[:2], 0.01, 0.02, 3.25, 0.02, 1024), **lacking)
    made = words(flood.given(power=(power,)), "results")
    without = flood.given(power=())
    assert made == words(without, "results")


STATISTICAL = re.compile(
    r"separab|9[05]\\%|5\\%|confiden|interval|could be best|possible rank|replicate|adjusted|draws"
)


def untold(text):
    """The lines of a file that speak of statistics and are no sentence of the registry."""
    lines = [line for line in text.splitlines() if not line.startswith(("%", r"\providecommand"))]
    spoken = [
        line.replace(r"\%", "%").replace("max-$t$", "max-t").replace("``", "“").replace("''", "”") for line in lines
    ]
    patterns = [sentence.pattern for sentence in SENTENCES.values()]
    return [
        line
        for line, shown in zip(lines, spoken, strict=True)
        if STATISTICAL.search(line) and not any(pattern.fullmatch(shown) for pattern in patterns)
    ]


@untraced
def test_every_statistical_sentence_of_methods_and_results_is_registered(flood, hostile):
    """Each stands on a line of its own, with what permits it and its limit."""
    base = random_campaign(4, 90, 3)
    grouped = evaluate(replace(base, gold=replace(base.gold, groups=np.arange(90) // 3)))
    pair = evaluate(campaign_of([("X", answers(60, 5, 5)), ("Y", answers(60, 6, 5))]))
    for evaluation in (flood, hostile, grouped, pair):
        files = paper_files(evaluation)
        for name in ("methods.tex", "results.tex"):
            assert untold(files[name].decode()) == []
    assert untold("They are separable.") != []


def test_every_reference_that_is_cited_stands_in_the_bibliography_and_none_twice(flood):
    """Whatever a file of any campaign may cite."""
    sources = Path(paper.__file__).parent.glob("*.py")
    cited = {
        key for source in sources for key in re.findall(r"[a-z]+(?:-[a-z]+)*-(?:19|20)\d\d-[a-z]+", source.read_text())
    }
    entries = paper_files(flood)["references.bib"].decode() + OF_ITEM_SCORES  # with these where such scores are kept
    bibliography = re.findall(r"^@\w+\{(.+),$", entries, re.MULTILINE)
    assert len(set(bibliography)) == len(bibliography)
    assert cited == set(bibliography)
    body = "".join(words(flood, name) for name in ("methods", "results", "formulas"))
    used = {key for keys in re.findall(r"\\cite\{(.*?)\}", body) for key in keys.split(",")}
    assert used <= set(bibliography)


def test_no_defined_score_means_no_winner_and_no_comparison():
    """By a metric of a class that gold lacks."""
    campaign = campaign_of([("X", answers(60, 4, 4)), ("Y", answers(60, 5, 4))])
    labels = replace(campaign.gold.label_set, labels=("a", "b", "c"))
    gold = replace(campaign.gold, label_set=labels)
    task = replace(campaign.task, label_set=labels, official_metric=ScoreKey("recall[c]"))
    text = words(evaluate(replace(campaign, gold=gold, task=task)), "results")
    assert text.startswith("No submission has a defined score by recall of ``c''.")
    assert "separable" not in text


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
    assert "interval" not in text  # none is corrected for the winner
    assert "Y, the first of those compared, is separable from Z." in text


def test_a_single_submission_is_compared_with_nobody():
    """Neither in the methods nor in the results."""
    lone = evaluate(campaign_of([("X", answers(60, 4, 4))]))
    assert "1 team took part." in words(lone, "methods")
    assert "pairs" not in words(lone, "methods")
    assert "Pairs are compared" not in words(lone, "arr_checklist")
    text = words(lone, "results")
    assert "X is first (.933" in text
    assert "Both definitions of macro F1 have the same winner, X." in text
    assert not re.search("separable|could be best|possible rank", text)


def test_without_certainty_nothing_is_said_of_intervals():
    """And the checklist says that there are none."""
    evaluation = evaluate(random_campaign(3, 90, 3), Options(certainty=False))
    assert "nterval" not in words(evaluation, "methods") + words(evaluation, "results")
    assert "Scores carry no intervals." in words(evaluation, "arr_checklist")


@untraced
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
