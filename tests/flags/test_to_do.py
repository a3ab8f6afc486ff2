"""What is to do before publication: one request each, in the order of what it changes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import audit
from audit.domain import LikelyGroups, Policies, Rejection, Role, ScoreKey, Severity
from audit.findings.catalogue import FLAG_KINDS
from audit.findings.to_do import to_do
from tests.nightly import examples

from .campaigns import compared, evaluated, flag_of, of_confusions, of_runs
from .cases import CASES, EVEN, SKEWED

HARM = (
    {"groups"},
    {"no-official-metric"},
    {"runs"},
    {"scale"},
    {"unused-files"},
    {"answers-equal-gold"},
    {"at-or-below-chance", "team-not-above-baseline", "identical-submissions"},
    {"scores-on-fewer-items", "unanswered-items"},
    {"tokens-are-scored", "first-place"},
    {"tied-winners", "tie-only-after-rounding", "order-beyond-printed-decimals"},
    {"published-not-readable"},
    {
        "published-not-computed",
        "published-table-contradicts-itself",
        "published-score-differs",
        "rare-class",
    },
    {"published-heading-differs"},
)
"""What requests are about: what the verdict rests on and nobody stated; then by harm: files not used, gold, labels that
look wrong, unanswered items, what the first place depends on, ties, numbers in print, names of scores."""
DEPENDS = {
    "winner-depends-on-macro-f1",
    "winner-depends-on-metric",
    "winner-depends-on-label-order",
    "winner-depends-on-prevalence",
    "tokens-are-scored",
    "slice-crowns-another",
    "class-set-matters",
    "answered-items-alone",
}


@pytest.fixture(scope="module")
def every_flag():
    """One flag of every rule."""
    return [flag_of(CASES[slug].fires(), slug) for slug in FLAG_KINDS]


@examples(100)
@given(data=st.data())
def test_whatever_fires_requests_stand_in_the_order_of_their_harm(every_flag, data):
    """Any flags in any order, beside files that were not used: one request each, and the name of a score once."""
    flags = data.draw(st.lists(st.sampled_from(every_flag), unique_by=lambda flag: flag.slug))
    n_rejected, ignored = (
        data.draw(st.integers(0, 2)),
        data.draw(st.sampled_from([(), ("README.md",), ("a.csv", "b/")])),
    )
    runs = data.draw(
        st.sampled_from([{("X", "1"): "aaba"}, {("X", "1"): "aaba", ("X", "2"): "abba"}])
    )
    made = replace(
        of_runs("aabb", runs), rejections=(Rejection("x.csv", ()),) * n_rejected, ignored=ignored
    )
    asked = to_do(made.given(flags=tuple(flags)))
    place = {about: place for place, group in enumerate(HARM) for about in group}
    places = [place[each.about] for each in asked]
    assert places == sorted(places)
    assert len({each.about for each in asked}) == len(asked)
    slugs = {flag.slug for flag in flags}
    files = {"unused-files"} if n_rejected or ignored[:1] == ("a.csv",) else set()
    ranked = {"runs"} if len(runs) > 1 else set()
    expected = (slugs & place.keys()) | files | ranked | {"first-place", "no-official-metric"}
    assert {each.about for each in asked} == expected
    depends = any(flag.slug in DEPENDS and flag.severity is Severity.WINNER for flag in flags)
    (paper,) = [each.text for each in asked if each.about == "first-place"]
    assert paper.startswith("State in the paper which macro F1 was used")
    assert ("the winner changes with" in paper) == depends


def asked(evaluation):
    return {each.about: each.text for each in evaluation.verdict.to_do}


def test_files_that_were_not_used_are_asked_about():
    """Rejected ones, and those that no rule claims and whose names could be those of data."""
    made = evaluated("aabb", {"X": "aaba"})
    correct = "2 files were not loaded: correct them, or ask the teams."
    texts = {
        (1, ()): "1 file was not loaded: correct it, or ask the team.",
        (2, ("a.csv",)): f"{correct} a.csv was not loaded: list it in files.csv.",
        (0, ("README.md", "a.csv", "b/")): "a.csv and b/ were not loaded: list them in files.csv.",
    }
    for (n_rejected, ignored), text in texts.items():
        requests = to_do(
            replace(made, rejections=(Rejection("x.csv", ()),) * n_rejected, ignored=ignored)
        )
        assert [each.text for each in requests if each.about == "unused-files"] == [text]
    assert "unused-files" not in {
        each.about for each in to_do(replace(made, ignored=("README.md",)))
    }


def test_what_the_first_place_depends_on_is_one_request():
    """It names every choice that makes another first."""
    made = of_confusions({"X": EVEN, "Y": SKEWED}, official_metric="averaged_f1")
    assert DEPENDS & {flag.slug for flag in made.flags} == {
        "winner-depends-on-macro-f1",
        "winner-depends-on-metric",
    }
    assert asked(made)["first-place"] == (
        "State in the paper which macro F1 was used (macro-averaged F1), and that the winner changes with the formula "
        "of macro F1 and the metric."
    )
    level = asked(of_confusions({"X": EVEN, "Y": EVEN}, official_metric="averaged_f1"))
    assert level["first-place"] == "State in the paper which macro F1 was used: macro-averaged F1."


def test_a_ranking_by_another_metric_does_not_depend_on_the_formula_of_macro_f1():
    """The two macro F1s still have different winners, and the finding says so."""
    made = of_confusions({"X": EVEN, "Y": SKEWED}, official_metric="accuracy")
    assert "winner-depends-on-macro-f1" in {flag.slug for flag in made.flags}
    assert "macro F1" not in asked(made).get("first-place", "")
    assert "Macro F1 formula" not in {each.title for each in made.verdict.depends_on}


def test_unanswered_items_are_told_with_their_share():
    """The largest first."""
    gold, right = "ab" * 100, "ab" * 100
    texts = {
        "Few": "." + right[1:],
        "Many": "." * 78 + right[78:],
        "Some": "." * 20 + right[20:],
        "All": right,
    }
    text = asked(evaluated(gold, texts))["unanswered-items"]
    assert text == (
        "Many left 78 items (39%) unanswered, Some 20 (10%) and Few 1 (under 1%); they count as wrong. Ask the teams."
    )


def test_one_item_and_one_strange_label_are_told_in_the_singular():
    """The label that may be meant is named where one is near."""
    gold = ["yes", "no"] * 100
    answers = {
        "Short": [None, *gold[1:]],
        "Strange": ["yess", *gold[1:]],
        "Odd": ["qqq", "qqq", *gold[2:]],
    }
    text = asked(audit.evaluate(gold, {"Short": answers["Short"]}, certainty=False))[
        "unanswered-items"
    ]
    assert text == "Short left 1 item (under 1%) unanswered; it counts as wrong. Ask the team."
    text = asked(audit.evaluate(gold, {"Strange": answers["Strange"]}, certainty=False))[
        "unanswered-items"
    ]
    assert (
        text
        == "1 label of Strange is outside the label set (“yess”; was “yes” meant?): ask, or accept it under [aliases]."
    )
    text = asked(audit.evaluate(gold, answers, certainty=False))["unanswered-items"]
    assert text.endswith(
        "2 labels of Odd (“qqq”) and 1 of Strange (“yess”; was “yes” meant?) are outside the label set: ask, or "
        "accept them under [aliases]."
    )


def test_a_published_score_that_differs_is_named_with_the_computed_one():
    """That of the last team, .575 by its answers, was printed as .900."""
    text = flag_of(CASES["published-score-differs"].fires(), "published-score-differs").remedy
    assert (
        text
        == "The published score of Z (.900) differs from the computed one (.575): find out why."
    )


def test_a_team_below_always_the_same_answer_is_asked_about_where_no_level_of_chance_says_it():
    """By weighted F1 the majority class has a score, and chance no level."""
    gold = "a" * 90 + "b" * 10
    given_answers = {"X": "a" * 40 + "b" * 50 + "b" * 10, "Y": gold[:-1] + "a"}
    made = evaluated(gold, given_answers, official_metric="weighted_f1")
    assert asked(made)["team-not-above-baseline"] == (
        "X does not outperform the baseline “Majority class” (.853). Say so in the paper."
    )
    by_accuracy = asked(evaluated(gold, given_answers, official_metric="accuracy"))
    assert "team-not-above-baseline" not in by_accuracy
    assert by_accuracy["at-or-below-chance"].startswith(
        "X is at chance level: check for swapped labels"
    )


RUNS = {("A", "1"): "aabb" * 5, ("A", "2"): "abbb" * 5, ("B", "1"): "abab" * 5}


@pytest.mark.parametrize(
    ("policy", "asks"), [("all", True), ("last", False), ("best", False), ("primary", False)]
)
def test_where_all_runs_are_ranked_that_is_asked_about(policy, asks):
    """Who has several, and what to write; a run that gives another's answers is counted with it."""
    runs = {
        **RUNS,
        ("B", "2"): RUNS["B", "1"],
        ("Base", "1"): "aaaa" * 5,
        ("Base", "2"): "bbbb" * 5,
    }
    made = of_runs(
        "aabb" * 5,
        runs,
        roles={"Base": Role.BASELINE},
        policies=Policies(runs=policy, gold_copy="accept"),
    )
    assert asked(made).get("runs") == (
        'A has 2 runs, each ranked like a team: set runs = "primary" under [policies], or say so.'
        if asks
        else None
    )


def test_one_run_a_team_asks_nothing_about_runs():
    """Whatever it is called, and however often it was handed in."""
    assert "runs" not in asked(of_runs("aabb", {("A", "1"): "aaba", ("B", "7"): "abbb"}))
    assert "runs" not in asked(
        of_runs("aabb", {("A", "1"): "aaba", ("A", "2"): "aaba", ("B", "7"): "abbb"})
    )


def test_joint_winners_are_teams():
    """Two runs of one team share first place, and no prize; beside another team it is named once."""
    gold = "ab" * 10
    first, second, third = "b" + gold[1:], "aa" + gold[2:], "ab" * 5 + "aa" * 5
    own = {("A", "1"): first, ("A", "2"): second, ("C", "1"): third}
    settings = {"official_metric": ScoreKey("accuracy")}
    alone = of_runs(gold, own, **settings)
    assert len(alone.winners(ScoreKey("accuracy"))) == 2
    assert flag_of(alone, "tied-winners") is None
    assert "tied-winners" not in asked(alone)
    both = of_runs(gold, {**own, ("B", "1"): "ab" * 9 + "aa"}, **settings)
    assert asked(both)["tied-winners"] == "Announce A and B as joint winners."
    best = of_runs(
        gold, {**own, ("B", "1"): "ab" * 9 + "aa"}, **settings, policies=Policies(runs="best")
    )
    assert asked(best)["tied-winners"] == "Announce A and B as joint winners."
    assert sorted(best.names) == ["A", "B", "C"]


# What the verdict rests on, and nobody stated

LIKELY = LikelyGroups("column “qid”", 25, 4423, 'group = "qid" under [gold]', "qid")


def with_task(evaluation, **changes):
    return replace(evaluation, task=replace(evaluation.task, **changes))


def test_items_that_look_grouped_come_first_until_somebody_says_whether_they_are():
    """With the two settings that end the question, as the door that was used takes them."""
    made = of_confusions({"X": EVEN, "Y": SKEWED})
    assert "groups" not in asked(made)
    open_groups = with_task(made, likely_groups=LIKELY)
    assert next(iter(asked(open_groups).values())) == (
        "Items may come in groups (column “qid”: 25 values, about 177 items each): "
        'name it, group = "qid" under [gold], or '
        "state group = false if items are independent. If they come in groups, intervals and p-values are too small."
    )
    by_options = asked(with_task(open_groups, door="options"))["groups"]
    assert "name it, --group qid, or state --group none if items are independent." in by_options


def test_the_official_metric_is_asked_for_as_the_door_takes_it():
    """A line of task.toml, or an option."""
    made = of_confusions({"X": EVEN, "Y": SKEWED})
    assert asked(made)["no-official-metric"] == (
        'State the official metric: official_metric = "averaged_f1" in task.toml for macro-averaged F1.'
    )
    by_options = asked(with_task(made, door="options"))["no-official-metric"]
    assert (
        by_options
        == "State the official metric: --official-metric averaged_f1 for macro-averaged F1."
    )


def test_labels_that_look_like_a_scale_are_asked_about():
    """Unless somebody said whether they are."""
    made = audit.evaluate(list("0123"), {"X": list("0122")}, certainty=False)
    assert "scale" not in asked(made)
    assert asked(with_task(made, scale_is_open=True))["scale"] == (
        "Labels look like a scale (“0”, “1”, “2” and “3”): state scale = true or false."
    )


def test_several_teams_with_runs_are_counted():
    """Runs and teams; the verdict says that every run is ranked."""
    runs = {**RUNS, ("B", "2"): "baab" * 5}
    made = of_runs("aabb" * 5, runs, policies=Policies(gold_copy="accept"))
    assert asked(made)["runs"] == (
        '4 runs of 2 teams are each ranked like a team: set runs = "primary" under [policies], or say so.'
    )
    assert "Every run is ranked as a team." in made.verdict.more


def test_the_verdict_holds_if_items_are_independent_while_groups_are_open():
    """Said of who may be as good, and of who is ahead of all; and of neither where nothing looks grouped."""
    close = compared({"X": [[55, 5], [33, 7]], "Y": [[54, 6], [33, 7]]}, official_metric="accuracy")
    assert "Only Y may be equally good or better" in close.verdict.more
    held = with_task(close, likely_groups=LIKELY).verdict.more
    assert "If items are independent, only Y may be equally good or better" in held
    clear = compared(
        {"X": [[60, 0], [2, 38]], "Y": [[30, 30], [20, 20]]}, official_metric="accuracy"
    )
    assert clear.verdict.sentence.endswith("significantly ahead of the only other team.")
    held = with_task(clear, likely_groups=LIKELY).verdict.sentence
    assert held.endswith("significantly ahead of the only other team if items are independent.")
