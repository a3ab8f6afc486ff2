"""Methods and results: exactly what was computed, in the right number, and no claim beyond."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import audit
from audit.domain import Gold, Options, Policies, Role, ScoreKey, State, Submission, WinnerChange
from audit.evaluation import evaluate
from audit.report import paper_prose
from audit.report.paper_prose import plain_prose, results_of
from audit.text import in_words, number
from audit.version import versions
from audit.writers import latex
from audit.writers.latex import paper_files
from tests.report.campaigns import random_campaign
from tests.report.saying import pattern_of, templates


def words(evaluation, name):
    """A file's text without its comments and definitions."""
    lines = paper_files(evaluation)[f"{name}.tex"].decode().splitlines()
    return " ".join(line for line in lines if not line.startswith(("%", r"\providecommand")))


def answers(gold, *errors):
    """Two-class answers with so many errors at the start of each class."""
    return (
        ["b"] * errors[0]
        + ["a"] * (gold - errors[0])
        + ["a"] * errors[1]
        + ["b"] * (gold - errors[1])
    )


def campaign_of(predictions, n_items=60, **task):
    """A campaign of two classes of alike size with these answers, by team."""
    base = random_campaign(1, 2 * n_items, 2, labels=["a", "b"], **task)
    codes = base.gold.codes.dtype.type
    submissions = [
        Submission(team, np.array([codes(label == "b") for label in told]))
        for team, told in predictions
    ]
    gold = Gold(base.gold.label_set, np.repeat(np.array([0, 1], dtype=codes), n_items))
    return replace(base, gold=gold, submissions=tuple(submissions))


# Methods


def test_methods_say_n_classes_metric_intervals_procedure_ties_missing_and_versions(flood):
    """What an author would write, with the numbers of this evaluation."""
    text = words(flood, "methods")
    given = versions()
    for said in (
        "1,024 items of 5 classes; 11 teams took part",
        "by macro-averaged F1, the official metric, on full precision; equal scores share a rank",
        "Items without a usable answer count as wrong",
        "Items are taken as independent draws from a population with this class distribution; class counts are random.",
        r"delta method \cite{takahashi-etal-2022-confidence} from a confusion to which a few pseudo-items, half of",
        r"effective number of items in a Wilson score interval \cite{korn-graubard-1998-confidence,franco-etal-2019-",
        r"procedure \cite{romano-wolf-2005-exact} over all 55 unordered pairs by a metric, at a family-wise error of",
        f"against {flood.certainty.comparisons[0].n_draws:,} draws",
        r"largest of its own two-sided comparisons \cite{hsu-1984-constrained}, or over all pairs",
        r"corrected for selection \cite{zrnic-fithian-2024-locally}",
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
        (
            [Role.UNOFFICIAL],
            "Beside the ranking stands 1 unofficial submission, which takes no rank.",
        ),
        (
            [Role.BASELINE, Role.UNOFFICIAL, Role.UNOFFICIAL],
            "stand 1 baseline and 2 unofficial submissions,",
        ),
    ],
)
def test_methods_count_what_takes_no_rank(roles, said):
    """Baselines and unofficial runs, one or several."""
    base = random_campaign(len(roles) + 2, 90, 2)
    with_roles = [
        replace(each, role=role) for each, role in zip(base.submissions, roles, strict=False)
    ]
    campaign = replace(base, submissions=(*with_roles, *base.submissions[len(roles) :]))
    text = words(evaluate(campaign), "methods")
    assert said in text
    assert "2 teams took part" in text


@pytest.mark.parametrize("runs", ["primary", "last", "best"])
def test_methods_say_which_run_counts(runs):
    """Where a team has several; that the best one favours teams with many is said."""
    base = random_campaign(3, 90, 2, policies=Policies(runs=runs))
    first, second, third = base.submissions
    second = replace(second, team=first.team, run="2", role=Role.CONTRASTIVE)
    evaluation = evaluate(replace(base, submissions=(replace(first, run="1"), second, third)))
    assert "Of several runs of a team, the" in words(evaluation, "methods")
    assert ("which favours teams with many" in words(evaluation, "methods")) is (runs == "best")


def test_the_unit_of_the_draws_is_said():
    """Items, groups with their design effect, or classes whose sizes are fixed by design."""
    base = random_campaign(3, 90, 3)
    plain, grouped = (
        evaluate(base),
        evaluate(replace(base, gold=replace(base.gold, groups=np.arange(90) // 3))),
    )
    assert "independent draws from a population with this class distribution" in words(
        plain, "methods"
    )
    text = words(grouped, "methods")
    assert "Items come in 30 groups, which are taken as independent draws" in text
    assert (
        "one degree of freedom fewer than groups of one size that would tell as much, from 2 to 29."
        in text
    )
    stratified = plain.given(certainty=replace(plain.certainty, stratified=True))
    assert "how many there are of each class is fixed by design" in words(stratified, "methods")
    for evaluation in (plain, grouped, stratified):
        assert words(evaluation, "methods").count("independent draws") == 1


def test_a_single_group_has_no_design_effect():
    """And no interval."""
    base = random_campaign(2, 60, 2)
    text = words(
        evaluate(replace(base, gold=replace(base.gold, groups=np.zeros(60, dtype=int)))), "methods"
    )
    assert "Student" not in text
    assert "Where simulation found no interval that holds its level, none is given" in text


# Results


def sentences_of(evaluation):
    """The sentences of the results."""
    return [plain_prose([each]) for each in results_of(evaluation)]


LIMIT = "a non-significant difference is not evidence of equality, and errors in the gold labels are not modelled."
RANKED = "{} teams were ranked by macro-averaged F1 (the mean of the F1s of the classes) on 120 items in 2 classes."


def test_one_winner_that_is_ahead_of_all():
    """Nothing is said of more submissions than there are."""
    evaluation = evaluate(campaign_of([("X", answers(60, 1, 1)), ("Y", answers(60, 40, 40))]))
    ranked, first, choices, detected = sentences_of(evaluation)
    assert ranked == RANKED.format("Two")
    start = r"X ranked first \(\.983, 95% CI \[(\S+), (\S+)\], corrected for selection\), \.650 ahead of Y, and is (.*)"
    lower, upper, significant = re.match(start, first).groups()
    assert float(lower) < 0.983 < float(upper)
    assert significant == "significantly ahead of the only other team (adjusted p < .001)."
    assert choices.startswith(
        "The winner does not depend on the formula of macro F1, the class distribution or the me"
    )
    assert choices.endswith(", too, significantly ahead of all others.")
    assert detected.startswith(
        "1 of 1 pairwise difference is significant, and for a typical pair true differences be"
    )
    assert detected.endswith(LIMIT)


def test_two_of_which_either_could_be_best():
    """The other is counted, with the p of the comparison, and nobody is called ahead significantly."""
    evaluation = evaluate(campaign_of([("X", answers(60, 5, 5)), ("Y", answers(60, 6, 5))]))
    told = list(sentences_of(evaluation))
    p = float(evaluation.certainty.comparison(evaluation.task.ranking_metric).adjusted_p[0, 1])
    assert told[1].endswith(
        f" ahead of Y; the lead is not statistically significant (adjusted p = {number(p, 2)}), and one other team "
        "belongs to the 95% confidence set for the best team."
    )
    assert told[2].endswith(
        "X ranks first by F1 of averages, macro-averaged F1 with balanced classes and 8 more, too, but "
        "not significantly by each of these."
    )
    assert "significantly ahead" not in " ".join(told)


def test_several_winners_share_first_place():
    """In the words of the verdict, and who else belongs to the confidence set."""
    same = answers(60, 4, 4)
    four = [("X", same), ("Y", same), ("Z", answers(60, 5, 5)), ("far", answers(60, 50, 50))]
    ranked, first, others, choices, detected = sentences_of(evaluate(campaign_of(four)))
    assert ranked == RANKED.format("Four")
    assert first == "X and Y tie for first place with a macro-averaged F1 of .933."
    assert others == "Only Z may be equally good or better (95% confidence set for the best team)."
    assert "X and Y rank first by F1 of averages" in choices
    assert choices.endswith(", too, but not significantly by each of these.")
    assert detected.endswith(LIMIT)
    three = [("X", same), ("Y", same), ("far", answers(60, 50, 50))]
    told = list(sentences_of(evaluate(campaign_of(three))))
    assert told[1] == first
    assert told[2].startswith("The winner does not depend on ")


def test_the_confidence_set_is_counted(flood):
    """As the verdict has it; four sentences, and no more than 150 words."""
    told = list(sentences_of(flood))
    n_others = len(flood.verdict.could_be_best) - 1
    assert n_others > 3
    assert (
        f", and {in_words(n_others)} other teams belong to the 95% confidence set for the best team."
        in told[1]
    )
    comparison = flood.certainty.comparison(flood.task.ranking_metric)
    assert told[3].startswith(
        f"{comparison.ahead.sum()} of {math.comb(int(flood.contending.sum()), 2)} pairwise differences are "
    )
    assert len(told) == 4
    assert len(" ".join(told).split()) <= 150


STATES = {
    State.OTHER_SHOWN: ", significantly ahead of Kingfisher there, although Kingfisher is significantly ahead "
    "by macro-averaged F1.",
    State.OTHER_SHOWN_THERE: ", significantly ahead of Kingfisher.",
    State.OTHER_NOT_SHOWN: ", not significantly ahead of Kingfisher.",
    State.NOT_TESTED: ".",
}


def change_to(metric, winners, state, *, first=4):
    """A change of the first place of Kingfisher."""
    return WinnerChange(
        "metric", (ScoreKey("averaged_f1"), ScoreKey(*metric)), ((first,), winners), state
    )


def with_changes(evaluation, *changes):
    certainty = replace(evaluation.certainty, changes=changes)
    return evaluation.given(certainty=certainty, flags=evaluation.flags, verdict=evaluation.verdict)


@pytest.mark.parametrize("state", STATES)
def test_changes_of_winner_of_the_worst_state_stand_in_one_sentence(flood, state):
    """Scores by which the same others are first stand together."""
    second, third = (flood.names.index(name) for name in ("Plumbline", "Spate"))
    assert flood.names[4] == "Kingfisher"
    changed = with_changes(
        flood,
        change_to(("f1_of_averages",), (second,), state),
        change_to(("averaged_f1", "balanced"), (third,), state),
        change_to(("f1_of_averages",), (second,), state),  # the same choice once more
        change_to(("accuracy",), (second,), state),
        change_to(("kappa",), (4,), State.SAME_NOT_SHOWN),
    )
    (told,) = [each for each in sentences_of(changed) if each.startswith("The winner depends on ")]
    why = ", which was not tested" if state is State.NOT_TESTED else ""
    by = {
        metric: number(flood.scores_of(ScoreKey(metric))[second])
        for metric in ("f1_of_averages", "accuracy")
    }
    balanced = number(flood.scores_of(ScoreKey("averaged_f1", "balanced"))[third])
    clauses = (
        f"Plumbline ranks first by F1 of averages ({by['f1_of_averages']}) and accuracy ({by['accuracy']}); Spate "
        f"ranks first by macro-averaged F1 with balanced classes ({balanced})"
    )
    assert told == f"The winner depends on the metric{why}: {clauses}{STATES[state]}"
    alone = with_changes(
        flood,
        *[change_to((metric,), (second,), state) for metric in ("f1_of_averages", "accuracy")],
    )
    assert (
        f"The winner depends on the metric{why}: {clauses.partition(';')[0]}{STATES[state]}"
        in sentences_of(alone)
    )


def test_what_is_significant_is_told_before_what_is_not(flood):
    """The others are counted."""
    second, third = (flood.names.index(name) for name in ("Plumbline", "Spate"))
    changed = with_changes(
        flood,
        change_to(("accuracy",), (third,), State.OTHER_NOT_SHOWN),
        change_to(("f1_of_averages",), (second,), State.OTHER_SHOWN),
        change_to(("kappa",), (third,), State.OTHER_NOT_SHOWN),
    )
    score = number(flood.scores_of(ScoreKey("f1_of_averages"))[second])
    plumbline = (
        f"The winner depends on the metric: Plumbline ranks first by F1 of averages ({score})"
    )
    told = list(sentences_of(changed))
    place = told.index(f"{plumbline}{STATES[State.OTHER_SHOWN]}")
    assert told[place + 1] == "The winner changes under 2 further choices (not significantly), too."
    changed = with_changes(
        flood,
        change_to(("accuracy",), (third,), State.NOT_TESTED),
        change_to(("f1_of_averages",), (second,), State.OTHER_NOT_SHOWN),
    )
    told = list(sentences_of(changed))
    place = told.index(f"{plumbline}{STATES[State.OTHER_NOT_SHOWN]}")
    assert told[place + 1] == "The winner changes under 1 further choice (without a test), too."
    changed = with_changes(
        flood,
        change_to(("accuracy",), (third,), State.OTHER_SHOWN_THERE),
        change_to(("f1_of_averages",), (second,), State.OTHER_SHOWN),
        change_to(("kappa",), (4, third), State.SAME_NOT_SHOWN),
    )
    told = list(sentences_of(changed))
    place = told.index(f"{plumbline}{STATES[State.OTHER_SHOWN]}")
    assert told[place + 1] == "The winner changes under 1 further choice (significantly), too."


@pytest.mark.parametrize("state", [State.SAME_SHOWN, State.SAME_NOT_SHOWN])
def test_where_no_other_is_first_that_is_said_with_its_state(flood, state):
    """Shown only where it is by each score."""
    changed = with_changes(
        flood,
        change_to(("accuracy",), (4,), State.SAME_SHOWN),
        change_to(("f1_of_averages",), (4,), state),
    )
    (told,) = [
        each
        for each in sentences_of(changed)
        if each.startswith("The winner does not depend on the metric: ")
    ]
    ends = {
        State.SAME_SHOWN: (
            "Kingfisher ranks first by accuracy and F1 of averages, too, significantly ahead of all others."
        ),
        State.SAME_NOT_SHOWN: (
            "Kingfisher ranks first by accuracy and F1 of averages, too, but not significantly by each of these."
        ),
    }
    assert told.endswith(ends[state])


STATISTICAL = re.compile(
    r"statistically|9[05]\\%|5\\%|confiden|interval|may be the best|possible rank|adjusted|draws"
)


def untold(text):
    """The lines of a file that speak of statistics and are no sentence of the registry."""
    lines = [line for line in text.splitlines() if not line.startswith(("%", r"\providecommand"))]
    spoken = [
        line.replace(r"\%", "%").replace("max-$t$", "max-t").replace("``", "“").replace("''", "”")
        for line in lines
    ]
    patterns = list(map(pattern_of, templates("paper_prose", "claim")))
    return [
        line
        for line, shown in zip(lines, spoken, strict=True)
        if STATISTICAL.search(line) and not any(pattern.fullmatch(shown) for pattern in patterns)
    ]


def test_every_statistical_sentence_of_methods_and_results_is_registered(flood, hostile):
    """Each stands on a line of its own, with what permits it and its limit."""
    base = random_campaign(4, 90, 3)
    grouped = evaluate(replace(base, gold=replace(base.gold, groups=np.arange(90) // 3)))
    pair = evaluate(campaign_of([("X", answers(60, 5, 5)), ("Y", answers(60, 6, 5))]))
    for evaluation in (flood, hostile, grouped, pair):
        files = paper_files(evaluation)
        for name in ("methods.tex", "results.tex"):
            assert untold(files[name].decode()) == []
    assert untold("They may be the best.") != []


def test_every_reference_that_is_cited_stands_in_the_bibliography_and_none_twice(flood):
    """Whatever a file of any campaign may cite."""
    sources = (
        file for room in (paper_prose, latex) for file in Path(room.__file__).parent.glob("*.py")
    )
    cited = {
        key
        for source in sources
        for key in re.findall(r"[a-z]+(?:-[a-z]+)*-(?:19|20)\d\d-[a-z]+", source.read_text())
    }
    entries = paper_files(flood)["references.bib"].decode()
    bibliography = re.findall(r"^@\w+\{(.+),$", entries, re.MULTILINE)
    assert len(set(bibliography)) == len(bibliography)
    assert cited <= set(bibliography)
    body = "".join(words(flood, name) for name in ("methods", "results"))
    used = {key for keys in re.findall(r"\\cite\{(.*?)\}", body) for key in keys.split(",")}
    assert used <= set(bibliography)


def test_no_defined_score_means_no_winner_and_no_comparison():
    """By a metric of a class that gold lacks."""
    campaign = campaign_of([("X", answers(60, 4, 4)), ("Y", answers(60, 5, 4))])
    labels = replace(campaign.gold.label_set, labels=("a", "b", "c"))
    gold = replace(campaign.gold, label_set=labels)
    task = replace(campaign.task, label_set=labels, official_metric=ScoreKey("recall[c]"))
    text = words(evaluate(replace(campaign, gold=gold, task=task)), "results")
    assert "The teams cannot be ranked: by recall of ``c'' no team has a defined score." in text
    assert "may be equally good" not in text


def test_where_nothing_competes_nothing_wins():
    """Baselines alone are no ranking."""
    base = campaign_of([("X", answers(60, 4, 4)), ("Y", answers(60, 5, 4))])
    campaign = replace(
        base, submissions=tuple(replace(each, role=Role.BASELINE) for each in base.submissions)
    )
    assert words(evaluate(campaign), "results").startswith(
        "The teams cannot be ranked: no team competes."
    )


def test_a_winner_that_is_not_compared_is_not_said_to_be_ahead():
    """It dropped items."""
    campaign = campaign_of(
        [("X", answers(60, 0, 0)), ("Y", answers(60, 4, 4)), ("Z", answers(60, 50, 50))],
        policies=Policies(missing="drop"),
    )
    first, *others = campaign.submissions
    codes = first.codes.copy()
    codes[3] = 2
    text = words(
        evaluate(replace(campaign, submissions=(replace(first, given=codes), *others))), "results"
    )
    assert "X ranks first with " in text
    # none is corrected for the winner
    assert not re.search("interval|ahead|may be equally good", text)


def test_a_single_submission_is_compared_with_nobody():
    """Neither in the methods nor in the results."""
    lone = evaluate(campaign_of([("X", answers(60, 4, 4))]))
    assert "1 team took part." in words(lone, "methods")
    assert "pairs" not in words(lone, "methods")
    text = words(lone, "results")
    assert "X is the only team in the ranking, with a macro-averaged F1 of .933." in text
    assert not re.search("ahead|may be equally good|possible rank", text)


def test_without_certainty_nothing_is_said_of_intervals():
    """Neither in the methods nor in the results."""
    evaluation = evaluate(random_campaign(3, 90, 3), Options(certainty=False))
    assert "nterval" not in words(evaluation, "methods") + words(evaluation, "results")


def test_no_sentence_claims_more_than_the_test_set_tells(flood, hostile):
    """Nor probability, nor equality: the words of the procedure are shown and not shown."""
    for evaluation in (flood, hostile):
        text = " ".join(words(evaluation, name) for name in ("methods", "results")).lower()
        assert not re.search(r"probab|equally good|as good as|outperform|state of the art", text)


@pytest.mark.parametrize("roles", [{}, {"团队": "baseline"}])
def test_what_destroys_the_verdict_is_told_first_with_names_as_they_are_set(roles):
    """A copy of gold, or a baseline that nobody is above, under the name that the organiser wrote for TeX."""
    gold = list("aabbaabbab") * 6
    answers = {"团队": gold, "B": list("ababaabbab") * 6}
    evaluation = audit.evaluate(
        gold, answers, labels=list("ab"), official_metric="accuracy", roles=roles
    )
    text = paper_files(evaluation, engine="pdflatex", latex_names={"团队": "Written by hand"})[
        "results.tex"
    ].decode()
    assert "团队" not in text
    first = (
        "No team outperforms the baseline ``Written by hand''"
        if roles
        else "Written by hand agrees with gold on all 60 items"
    )
    assert next(line for line in text.splitlines() if "Written by hand" in line).startswith(first)
