"""The verdict: one of a closed set of claims, whose conditions exclude each other, in the words of the registry."""

import re
from dataclasses import replace

import numpy as np
import pytest

import audit
from audit.domain import Claim, Options, Policies, Role, ScoreKey, Severity, State
from audit.evaluation import evaluate, score_campaign
from audit.findings.claim import claim_of
from audit.formats.campaign.campaigns import read_campaign
from audit.report.distributions import map_statements
from audit.report.paper_prose import plain_prose, results_of
from audit.resources import samples
from audit.text import in_words

from .campaigns import flag_of, of_confusions, of_runs, printed, texts

GOLD = ["a", "b"] * 100


def right_on(n_items, *, at_the_end=False):
    """Answers that are right on the first items only, or on the last."""
    right = [
        at_the_end ^ (place < (200 - n_items if at_the_end else n_items)) for place in range(200)
    ]
    return [
        label if it_is else {"a": "b", "b": "a"}[label]
        for label, it_is in zip(GOLD, right, strict=True)
    ]


def verdict(teams, **settings):
    return audit.evaluate(GOLD, teams, official_metric="accuracy", **settings).verdict


CASES = {
    Claim.BEST: ({"X": right_on(190), "Y": right_on(80)}, {}),
    Claim.OPEN: ({"X": right_on(110), "Y": right_on(94, at_the_end=True)}, {}),
    Claim.SHARED: (
        {"X": right_on(150), "Y": right_on(150, at_the_end=True), "Z": right_on(90)},
        {},
    ),
    Claim.NOT_TESTED: ({"X": right_on(190), "Y": right_on(80)}, {"certainty": False}),
    Claim.LEVEL: ({"X": right_on(150), "Y": right_on(150)}, {}),
    Claim.ALONE: ({"X": right_on(150)}, {}),
}


@pytest.mark.parametrize("claim", CASES)
def test_each_claim_has_its_case(claim):
    """And says the score and who is first."""
    teams, settings = CASES[claim]
    found = verdict(teams, **settings)
    assert found.claim is claim
    right = {name: sum(map(str.__eq__, answers, GOLD)) for name, answers in teams.items()}
    assert f"{max(right.values()) / len(GOLD):.3f}"[1:] in found.sentence
    winners = {name for name, n_right in right.items() if n_right == max(right.values())}
    if claim is not Claim.LEVEL:
        assert all(name in found.sentence for name in winners)
        assert {list(teams)[entry] for entry in found.winners} in (winners, set())


def test_nobody_has_a_defined_score():
    """By the score of a class that gold lacks."""
    found = audit.evaluate(
        GOLD, {"X": GOLD, "Y": GOLD}, labels=["a", "b", "c"], official_metric="f1[c]"
    ).verdict
    assert (found.claim, found.winners) == (Claim.NOBODY, ())
    assert found.sentence.endswith(
        "before publishing. The teams cannot be ranked: by F1 of “c” no team has a defined score. State another "
        "official metric."
    )


def test_nobody_competes():
    """Only baselines."""
    campaign = read_campaign(samples() / "flood-posts")
    beside = tuple(replace(each, role=Role.BASELINE) for each in campaign.submissions)
    found = evaluate(replace(campaign, submissions=beside)).verdict
    assert found.claim is Claim.NOBODY
    assert found.sentence == (
        "The teams cannot be ranked: no team competes. Give those that compete the role “primary”."
    )


def test_one_group_decides_nothing():
    """Then it says why nothing is compared."""
    gold, rng = np.array(GOLD), np.random.default_rng(1)
    teams = {
        name: np.where(rng.random(200) < share, gold, "a").tolist()
        for name, share in (("X", 0.9), ("Y", 0.5))
    }
    found = audit.evaluate(GOLD, teams, official_metric="accuracy", groups=[0] * 200).verdict
    assert found.claim is Claim.UNDECIDED
    assert "all items are of one group" in found.more


def test_a_first_on_fewer_items_is_compared_with_nobody():
    """Its missing items were dropped."""
    campaign = read_campaign(samples() / "flood-posts")
    dropping = replace(campaign, task=replace(campaign.task, policies=Policies(missing="drop")))
    first = evaluate(dropping).order(campaign.task.ranking_metric)[0]
    codes = dropping.submissions[first].codes.copy()
    wrong = np.flatnonzero(codes != dropping.gold.codes)
    codes[wrong[:200]] = len(campaign.task.label_set)
    submissions = list(dropping.submissions)
    submissions[first] = replace(submissions[first], given=codes)
    found = evaluate(replace(dropping, submissions=tuple(submissions))).verdict
    assert found.claim is Claim.FEWER_ITEMS
    assert "compared with none of them" in found.sentence


@pytest.mark.parametrize("name", ["flood-posts", "semeval2017-task4a"])
def test_the_verdict_follows_from_the_best_set(name):
    """It counts the confidence set, and names the lead, the items needed and what each choice changes."""
    evaluation = evaluate(read_campaign(samples() / name))
    key, found = evaluation.task.ranking_metric, evaluation.verdict
    comparison = evaluation.certainty.comparison(key)
    assert set(found.could_be_best) == set(comparison.contenders)
    assert found.could_be_best[0] == found.winners[0] == evaluation.order(key)[0]
    assert found.claim is Claim.OPEN
    assert found.sentence.endswith(", but its lead is not statistically significant.")
    others = in_words(len(comparison.contenders) - 1).capitalize()
    assert (
        f"{others} other teams may be equally good or better (95% confidence set for the best team)."
        in found.more
    )
    (power,) = [each for each in evaluation.power if each.key == key]
    assert evaluation.names[power.second] in found.more
    states = {change.state for change in evaluation.certainty.changes}
    assert {each.state for each in found.depends_on} <= states | {
        State.SAME_NOT_SHOWN,
        State.NOT_TESTED,
    }


def test_what_is_to_do_stands_in_the_order_of_its_weight():
    """What to ask of the teams, what the first place depends on, the name of the score last; each from its flag."""
    evaluation = evaluate(read_campaign(samples() / "flood-posts"))
    asked = evaluation.verdict.to_do
    abouts = [each.about for each in asked]
    assert abouts[:3] == ["identical-submissions", "unanswered-items", "first-place"]
    assert set(abouts) - {"groups", "scale", "unused-files", "runs", "first-place"} <= {
        flag.slug for flag in evaluation.flags
    }
    assert "Millrace and Watershed" in asked[0].text
    submissions = read_campaign(samples() / "flood-posts").submissions
    (left_out,) = (
        int((each.codes == len(evaluation.task.label_set)).sum())
        for each in submissions
        if each.team == "Sandbag"
    )
    share = f"{100 * left_out / evaluation.gold.n_items:.0f}%"
    assert (
        f"Sandbag left {left_out} items ({share}) unanswered; they count as wrong." in asked[1].text
    )


def test_the_best_of_those_that_were_compared():
    """An entry without an influence function is compared with nobody, and not counted."""
    teams = {"X": right_on(190), "Y": right_on(80), "Z": ["a"] * 200}
    found = audit.evaluate(GOLD, teams, official_metric="geometric_macro_recall").verdict
    assert found.claim is Claim.BEST
    assert found.sentence.endswith("significantly ahead of the only other team that was compared.")


def lead_said(found):
    """Who is second, the lead, the ends of its interval, and what stands of p."""
    pattern = r"The lead over (\S+), in second place, is (\S+) \(95% CI (\S+) to (\S+), adjusted p (.*?)\)\."
    return re.match(pattern, found.more).groups()


@pytest.mark.parametrize("n_right", [94, 150])
def test_the_lead_has_interval_and_p_of_the_test_that_decides_it(n_right):
    """Of two teams by accuracy: the ends of the comparison, about the lead."""
    found = audit.evaluate(
        GOLD, {"X": right_on(190), "Y": right_on(n_right)}, official_metric="accuracy"
    )
    second, lead, lower, upper, p = lead_said(found.verdict)
    comparison = found.certainty.comparison(ScoreKey("accuracy"))
    assert second == "Y"
    assert float(lead) == pytest.approx((190 - n_right) / 200, abs=5e-4)
    assert float(lower) == pytest.approx(comparison.difference_lower[0, 1], abs=5e-4)
    assert float(upper) == pytest.approx(comparison.difference_upper[0, 1], abs=5e-4)
    assert p == "< .001"
    assert comparison.adjusted_p[0, 1] < 0.001


def test_a_lead_that_only_the_comparison_with_the_best_decides_is_said_to_be_so():
    """The word stands behind its p."""
    found = audit.evaluate(
        GOLD, {"X": right_on(190), "Y": right_on(80)}, official_metric="accuracy"
    )
    comparison, *others = found.certainty.comparisons
    against = replace(comparison, against_best=np.array([[False, True], [False, False]]))
    changed = found.given(certainty=replace(found.certainty, comparisons=(against, *others)))
    assert lead_said(changed.verdict)[-1] == "< .001 against the best"


def test_of_several_that_are_second_the_least_clearly_behind_is_named():
    """Whatever they are called: B errs where X does, C elsewhere, so that less is known of the lead over C."""
    teams = {"X": right_on(150), "B": right_on(140), "C": right_on(140, at_the_end=True)}
    for order in (("X", "B", "C"), ("X", "C", "B")):
        renamed = {other: teams[name] for other, name in zip(("X", "B", "C"), order, strict=True)}
        found = audit.evaluate(GOLD, renamed, official_metric="accuracy").verdict
        assert lead_said(found)[0] == ("C" if order[1] == "B" else "B")


def test_no_lead_is_told_where_the_second_is_compared_with_nobody():
    """Its missing items were dropped."""
    codes = np.array([label == "b" for label in GOLD], dtype=np.uint8)
    second = np.where(np.arange(200) < 100, codes, 2)
    second[:10] = 1 - codes[:10]
    runs = {"X": right_on(190), "Y": ["ab."[code] for code in second], "Z": right_on(120)}
    found = of_runs(
        "".join(GOLD),
        {(name, "1"): "".join(answers) for name, answers in runs.items()},
        official_metric=ScoreKey("accuracy"),
        policies=Policies(missing="drop"),
        options=Options(),
    )
    assert names_of(found, found.order(ScoreKey("accuracy"))) == ["X", "Y", "Z"]
    assert found.verdict.claim is Claim.BEST
    assert "lead over" not in found.verdict.more


def test_by_a_score_that_nobody_has_no_team_is_ranked():
    """Kappa is 0 or less of all of them."""
    confusions = {"X": [[5, 5], [5, 5]], "Y": [[2, 8], [8, 2]]}
    claim = claim_of(of_confusions(confusions, official_metric="kappa"))
    assert claim.claim is Claim.LEVEL
    assert (
        claim.sentence
        == "The teams cannot be ranked: no team does better than a Cohen’s kappa of .000."
    )


def asked(gold, teams, **settings):
    found = audit.evaluate(gold, teams, official_metric="accuracy", **settings)
    return {each.about: each.text for each in found.verdict.to_do}


def test_winners_that_tie_are_announced_together():
    """No tie-break is asked for."""
    tied = asked(GOLD, {"X": right_on(150), "Y": right_on(150, at_the_end=True), "Z": right_on(90)})
    assert tied["tied-winners"] == "Announce X and Y as joint winners."


def test_an_order_that_rounding_hides_is_asked_about_as_its_flag_does():
    """Where ranks are given on rounded scores they are shared; else ranks or digits are to change."""
    gold = GOLD * 20
    right = {"X": 3000, "Y": 2999, "Z": 1500}
    teams = {
        name: ["a" if place >= n else label for place, label in enumerate(gold)]
        for name, n in right.items()
    }
    printed = f"{sum(map(str.__eq__, teams['X'], gold)) / len(gold):.3f}"[1:]
    shared = asked(gold, teams, official_decimals=3)["tie-only-after-rounding"]
    assert (
        shared == f"X and Y have the same score to 3 decimals ({printed}): give them the same rank."
    )
    hidden = asked(gold, teams)["order-beyond-printed-decimals"]
    assert hidden == (
        "X and Y have the same score to 3 decimals: give them the same rank, or print more decimals."
    )


def test_scores_without_answers_have_a_verdict():
    """The same winner, and that nothing was tested."""
    campaign = read_campaign(samples() / "flood-posts")
    found = score_campaign(campaign).verdict
    assert found.claim is Claim.NOT_TESTED
    assert found.winners == evaluate(campaign).verdict.winners


def test_without_a_rule_nothing_is_claimed():
    """As of an evaluation that is put together by hand."""
    found = replace(evaluate(read_campaign(samples() / "flood-posts")), analyses={}).verdict
    assert (found.claim, found.sentence, found.winners) == (Claim.NOBODY, "", ())


MOVED_NOT = [
    "macro_recall",
    "geometric_macro_recall",
    "harmonic_macro_recall",
    "macro_recall_p2",
    "recall[a]",
    "recall[b]",
]
ONLY_WITH_TWO = ["macro_informedness", "informedness[a]", "macro_specificity", "specificity[b]"]


@pytest.mark.parametrize(
    "metric", [*MOVED_NOT, "mean(macro_recall,harmonic_macro_recall)", *ONLY_WITH_TWO]
)
def test_that_a_number_cannot_change_is_said(metric):
    """Scores of recalls alone are the same at every class distribution: that is said."""
    found = of_confusions({"X": [[5, 2], [3, 7]], "Y": [[4, 3], [5, 5]]}, official_metric=metric)
    (row,) = [each for each in found.verdict.depends_on if each.choice == "prevalence"]
    assert row.state is State.NOT_TESTED
    assert re.match("[XY] wins under every one: .* does not depend on it$", row.first)
    (said,) = map_statements(found, found.winner_map)
    assert said.endswith(" wins under every class distribution: the metric does not depend on it.")


@pytest.mark.parametrize("metric", ["accuracy", "averaged_f1", *ONLY_WITH_TWO])
def test_what_moves_is_held_against_balanced_prevalence(metric):
    """With three classes false alarms come from two, in proportions that the class distribution says."""
    confusions = {"X": [[50, 2, 1], [3, 7, 2], [0, 1, 9]], "Y": [[40, 10, 3], [3, 6, 3], [2, 1, 7]]}
    (row,) = [
        each
        for each in of_confusions(confusions, official_metric=metric).verdict.depends_on
        if each.choice == "prevalence"
    ]
    assert "does not depend on it" not in row.first


TIED = {"A": [[50, 10], [10, 30]], "B": [[55, 5], [15, 25]], "C": [[40, 20], [20, 20]]}


def test_who_shares_first_place_is_said_to_be_first_only_by_the_metrics_that_agree():
    """A and B are level by accuracy; by macro recall A is ahead, and nobody writes that both are."""
    found = of_confusions(TIED, official_metric="accuracy")
    assert found.verdict.claim is Claim.SHARED
    for row in found.verdict.depends_on:
        assert row.state is State.NOT_TESTED
    broken = [row for row in found.verdict.depends_on if not row.first.startswith("A and B tie")]
    recalls = np.array([[50 / 60, 30 / 40], [55 / 60, 25 / 40]]).mean(axis=1)
    assert recalls[0] > recalls[1]
    assert {row.choice for row in broken} == {"metric", "prevalence"}
    (by_others,) = [row for row in broken if row.choice == "metric"]
    assert by_others.first.startswith("of nine other metrics, A wins under ")
    assert "A and B tie" not in by_others.first


def test_a_second_winner_by_another_metric_is_named():
    """A is first alone, and by accuracy with B: B is not kept back."""
    found = of_confusions(TIED, official_metric="macro_recall").verdict
    (row,) = [row for row in found.depends_on if row.choice == "metric"]
    assert "A and B tie for first place under accuracy" in row.first


@pytest.mark.parametrize(
    ("settings", "baseline"),
    [({}, "always answering “a”"), ({"roles": {"Base": "baseline"}}, "the baseline “Base”")],
)
def test_a_winner_that_is_not_above_a_baseline_is_told_so(settings, baseline):
    """Nine in ten are of one class: who answers always this class is ahead of the winner, by however little.

    That is said first, since nothing else says more of the first place.
    """
    teams = {"X": [[80, 10], [9, 1]], "Y": [[60, 30], [5, 5]], "Base": [[90, 0], [8, 2]]}
    found = of_confusions({name: teams[name] for name in list(teams)[: 3 if settings else 2]}, **settings,
                          official_metric="accuracy").verdict  # fmt: skip
    score = ".920" if settings else ".900"
    assert found.sentence == f"No team outperforms {baseline} ({score}); the best, X, reaches .810."
    above = of_confusions(
        {"X": [[90, 0], [5, 5]], "Y": teams["Y"]}, official_metric="accuracy"
    ).verdict
    assert above.sentence.startswith("X ranks first with an accuracy of ")


def test_a_lead_over_always_the_same_answer_that_the_draw_of_items_could_make_is_called_so():
    """The first's interval holds the share of the largest class; else, or without certainty, nothing is said."""
    weak, strong = (
        {"X": [[55, 5], [33, 7]], "Y": [[40, 20], [30, 10]]},
        {"X": [[58, 2], [5, 35]], "Y": [[40, 20], [30, 10]]},
    )
    evaluation = of_confusions(weak, official_metric="accuracy", certainty=True)
    found, results = evaluation.verdict, plain_prose(results_of(evaluation))
    assert (
        "X is not significantly above always answering “a” (.600), which its 95% interval, reaching ."
        in results
    )
    assert found.sentence.startswith("X ranks first with an accuracy of .620, ")
    assert (
        "X is not significantly above always answering “a” (.600), which its 95% interval, reaching ."
        in found.more
    )
    for campaign, options in ((strong, {"certainty": True}), (weak, {})):
        assert (
            "Always"
            not in of_confusions(campaign, official_metric="accuracy", **options).verdict.more
        )
    copied = of_confusions(
        {"X": [[60, 0], [40, 0]], "Y": [[40, 20], [30, 10]]},
        official_metric="accuracy",
        certainty=True,
    )
    copied = copied.verdict
    assert "Always answering" not in copied.more  # it is said before: nobody is above it


def test_level_with_always_the_same_answer_is_not_above_it():
    """Nor is anybody who is below: one team as good as the majority class, and one that is not."""
    found = of_confusions(
        {"X": [[90, 0], [10, 0]], "Y": [[80, 10], [9, 1]]}, official_metric="accuracy"
    ).verdict
    assert (
        found.sentence
        == "No team outperforms always answering “a” (.900); the best, X, reaches .900."
    )


@pytest.mark.parametrize(
    "answers", [{"X": GOLD, "Y": right_on(150)}, {"X": GOLD, "Y": GOLD, "Z": right_on(150)}]
)
def test_a_first_place_with_every_gold_label_asks_whether_it_is_a_copy(answers):
    """Who has them is named before anything else; a policy ends the question, and is told as every other."""
    teams = [name for name, given in answers.items() if given == GOLD]
    runs, accuracy = (
        {(name, "1"): "".join(given) for name, given in answers.items()},
        ScoreKey("accuracy"),
    )
    asking = of_runs("".join(GOLD), runs, official_metric=accuracy)
    asked = {
        1: (
            "X ranks first with an accuracy of 1.000, but its file agrees with gold on all 200 items: check whether it "
            "is a copy before publishing."
        ),
        2: (
            "X and Y agree with gold on all 200 items: check whether they are copies before publishing. X and Y tie "
            "for first place with an accuracy of 1.000."
        ),
    }
    assert asking.verdict.sentence == asked[len(teams)]
    assert asking.verdict.to_do[0].about == "answers-equal-gold"
    assert asking.verdict.to_do[0].text.startswith(f"{' and '.join(teams)} ")
    accepting = of_runs(
        "".join(GOLD), runs, official_metric=accuracy, policies=Policies(gold_copy="accept")
    )
    assert "gold" not in accepting.verdict.sentence
    assert asking.verdict.more == accepting.verdict.more
    assert {each.about for each in accepting.verdict.to_do}.isdisjoint({"answers-equal-gold"})
    assert flag_of(accepting, "answers-equal-gold") is None
    assert flag_of(accepting, "policy-differs") is not None


@pytest.mark.parametrize("n_wrong", [1, 2])
def test_nearly_every_gold_label_is_no_copy(n_wrong):
    """However few are wrong, nothing is asked."""
    found = audit.evaluate(
        GOLD, {"X": right_on(200 - n_wrong), "Y": right_on(150)}, official_metric="accuracy"
    )
    assert found.verdict.sentence.startswith("X ranks first")
    assert flag_of(found, "answers-equal-gold") is None


def test_a_baseline_that_knows_gold_is_no_copy():
    """An oracle is declared; nobody is above it, and that is said."""
    found = audit.evaluate(
        GOLD,
        {"X": right_on(150), "Oracle": GOLD},
        official_metric="accuracy",
        roles={"Oracle": "baseline"},
    )
    assert found.verdict.sentence.startswith(
        "No team outperforms the baseline “Oracle” (1.000); the best, X, "
    )


STRONG = {
    "Base": [[9, 1, 0], [1, 8, 1], [0, 1, 4]],
    "X": [[8, 2, 0], [2, 6, 2], [2, 1, 2]],
    "Y": [[6, 4, 0], [1, 8, 1], [0, 3, 2]],
}


@pytest.mark.parametrize("metric", ["accuracy", "averaged_f1", "f1_of_averages", "macro_recall"])
@pytest.mark.parametrize("baselines", ["beside", "ranked"])
def test_a_declared_baseline_takes_part_in_no_sentence_on_the_first_place_but_the_first(
    metric, baselines
):
    """Whether it takes a rank or not; of the teams each says what it would say without it."""
    gold, given = texts(STRONG)
    runs = {(name, "1"): text for name, text in given.items()}
    settings = {
        "official_metric": ScoreKey(metric),
        "policies": Policies(baselines=baselines),
        "options": Options(),
    }
    found = of_runs(gold, runs, roles={"Base": Role.BASELINE}, **settings)
    alone = of_runs(gold, {run: text for run, text in runs.items() if run[0] != "Base"}, **settings)
    assert found.ranks_of(ScoreKey(metric))[0] == 1
    with_it, without = found.verdict, alone.verdict
    score = printed(found.scores_of(ScoreKey(metric))[0])
    best = max(alone.scores_of(ScoreKey(metric)))
    first = names_of(alone, alone.winners(ScoreKey(metric)))
    reach = "reaches" if len(first) == 1 else "reach"
    assert with_it.sentence == (
        f"No team outperforms the baseline “Base” ({score}); the best, {' and '.join(first)}, {reach} {printed(best)}."
    )
    assert with_it.more == without.more
    assert [row.sentence for row in with_it.depends_on] == [
        row.sentence for row in without.depends_on
    ]
    assert [names_of(found, with_it.winners), names_of(found, with_it.could_be_best)] == [
        names_of(alone, without.winners),
        names_of(alone, without.could_be_best),
    ]
    assert all(
        "Base" not in flag.sentence for flag in found.flags if flag.severity is Severity.WINNER
    )
    assert all(
        "Base" not in each.text
        for each in with_it.to_do
        if each.about in {"first-place", "tied-winners"}
    )
    assert "Base" not in found.macro_f1.teams
    assert all("Base" not in names_of(found, outcome.winners) for outcome in found.elections)
    assert found.winner_map.uniform[0] == 0


def names_of(evaluation, places):
    return [evaluation.names[place] for place in places]


def test_a_baseline_is_not_asked_why_it_copies_and_a_strange_label_is_not_called_missing():
    """What an organiser can do differs: teams are asked, labels are mended."""
    answers = {"X": right_on(150), "Twin": right_on(150), "All a": ["a"] * 200, "Base": ["a"] * 200}
    answers["Strange"] = ["A", *right_on(140)[1:]]
    answers["Short"] = [None, None, *right_on(130)[2:]]
    found = audit.evaluate(
        GOLD, answers, official_metric="accuracy", roles={"Base": "baseline"}
    ).verdict
    asked = {each.about: each.text for each in found.to_do}
    assert asked["identical-submissions"] == (
        "X and Twin submitted identical predictions; so did All a and Base: ask the teams, or report it."
    )
    assert asked["unanswered-items"] == (
        "Short left 2 items (1%) unanswered; they count as wrong. Ask the team. 1 label of Strange is outside the "
        "label set (“A”; was “a” meant?): ask, or accept it under [aliases]."
    )
    assert asked["at-or-below-chance"] == (
        "All a is at chance level: check for swapped labels or misaligned lines."
    )


def test_whoever_scores_no_better_than_chance_is_asked_about_misaligned_lines():
    """All of them: a page that named four of five called the fifth something else."""
    teams = {"X": [[80, 10], [5, 5]], "Y": [[10, 80], [9, 1]]}
    texts = {flag: each.text for each in of_confusions(teams, official_metric="accuracy").verdict.to_do
             for flag in [each.about]}  # fmt: skip
    assert texts["at-or-below-chance"] == (
        "X and Y are at chance level: check for swapped labels or misaligned lines."
    )
    alone = of_confusions(
        {"X": teams["X"], "Z": [[70, 20], [3, 7]]}, official_metric="accuracy"
    ).verdict
    (text,) = [each.text for each in alone.to_do if each.about == "at-or-below-chance"]
    assert text == "X and Z are at chance level: check for swapped labels or misaligned lines."


def test_the_share_of_distributions_of_joint_winners_is_that_of_one_of_them():
    """It is a sum: each of them alone holds less."""
    found = of_confusions(TIED, official_metric="accuracy")
    shares = found.winner_map.uniform[:2]
    assert found.winner_map.holds_uniform == pytest.approx(shares.sum(), abs=0.01)
    (statement,) = [
        text for text in map_statements(found, found.winner_map) if "equally likely" in text
    ]
    assert (
        f"one of A and B (A {shares[0]:.3f} and B {shares[1]:.3f})".replace(" 0.", " .")
        in statement
    )


def test_possible_ranks_are_among_all_that_take_a_rank():
    """A ranked baseline takes one: rank 22 stood beside possible ranks of 14 to 21."""
    gold, given = texts(STRONG)
    runs = {(name, "1"): text for name, text in given.items()}
    policies = Policies(baselines="ranked")
    settings = {"official_metric": ScoreKey("accuracy"), "policies": policies, "options": Options()}
    found = of_runs(gold, runs, roles={"Base": Role.BASELINE}, **settings)
    (comparison, *_), ranks = found.certainty.comparisons, found.ranks_of(ScoreKey("accuracy"))
    assert (comparison.possible_ranks[found.comparable, 0] <= ranks[found.comparable]).all()
    assert (ranks[found.comparable] <= comparison.possible_ranks[found.comparable, 1]).all()
    base = found.names.index("Base")
    behind = found.comparable & (ranks > ranks[base])
    alone = of_runs(gold, {run: text for run, text in runs.items() if run[0] != "Base"}, **settings)
    (without, *_) = alone.certainty.comparisons
    of_teams = np.delete(comparison.possible_ranks, base, axis=0)
    np.testing.assert_array_equal(
        of_teams - without.possible_ranks, np.delete(behind, base)[:, None] * [1, 1]
    )
