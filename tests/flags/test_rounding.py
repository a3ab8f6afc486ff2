"""Flags about printed scores: ties that rounding makes, and orders that it hides."""

import pytest

from audit.domain import Severity

from .campaigns import flag_of, of_confusions
from .cases import CASES, CLOSE, CLOSER

RULES = ("tie-only-after-rounding", "order-beyond-printed-decimals")


def of_correct(**correct):
    """Confusions with these numbers of 8,000 items right, half of them in each class."""
    halves = {team: (number - number // 2, number // 2) for team, number in correct.items()}
    return {
        team: [[first, 4000 - first], [4000 - second, second]]
        for team, (first, second) in halves.items()
    }


def test_a_published_tie_names_teams_scores_and_decimals():
    """.500 and .501 are both .50: the first place is shared only as published."""
    flag = flag_of(CASES["tie-only-after-rounding"].fires(), "tie-only-after-rounding")
    assert flag.severity is Severity.WINNER
    (group,) = flag.evidence["groups"]
    assert group["teams"] == ["Y", "X"]
    assert group["scores"] == pytest.approx([1002 / 2000, 1000 / 2000])
    assert group["printed"] == f"{1002 / 2000:.2f}"[1:]
    assert group["decimals_that_tell_them_apart"] == 3
    assert (flag.evidence["decimals"], flag.evidence["metric"]) == (2, "accuracy")
    for words in ("2 decimals", "Y and X have .50", "accuracy"):
        assert words in flag.sentence


@pytest.mark.parametrize(
    ("rule", "settings"), [(RULES[0], {"official_decimals": 2}), (RULES[1], {})]
)
def test_the_severity_is_that_of_the_first_place(rule, settings):
    """With a better team above them, only the order is at stake."""
    confusions = of_correct(X=4800, Y=4801, Best=8000)
    flag = flag_of(of_confusions(confusions, official_metric="accuracy", **settings), rule)
    assert flag.severity is Severity.ORDER
    assert "Best" not in flag.sentence


@pytest.mark.parametrize(
    ("decimals", "fires"), [(0, True), (1, True), (2, True), (3, False), (15, False), (None, False)]
)
def test_a_tie_needs_stated_decimals(decimals, fires):
    """.600 and .601 are one score at up to two decimals, and nothing is said where none are stated."""
    evaluation = of_confusions(
        of_correct(X=4800, Y=4808), official_metric="accuracy", official_decimals=decimals
    )
    assert (flag_of(evaluation, "tie-only-after-rounding") is not None) == fires


@pytest.mark.parametrize("decimals", [None, 3, 4])
def test_the_two_rules_never_speak_together(decimals):
    """One is about stated decimals, the other about three where none are stated."""
    evaluation = of_confusions(CLOSER, official_metric="accuracy", official_decimals=decimals)
    fired = [rule for rule in RULES if flag_of(evaluation, rule)]
    assert fired == {None: [RULES[1]], 3: [RULES[0]], 4: []}[decimals]


@pytest.mark.parametrize("settings", [{"official_decimals": 2}, {}])
def test_a_true_tie_is_no_tie_of_rounding(settings):
    """Equal on full precision, equal in print: there is nothing to say."""
    evaluation = of_confusions(
        {"X": CLOSE["X"], "Y": CLOSE["X"]}, official_metric="accuracy", **settings
    )
    assert not any(flag_of(evaluation, rule) for rule in RULES)


def test_groups_come_best_first_with_their_teams_best_first():
    """Two published ties of two and three teams, and a team alone."""
    confusions = of_correct(A=4804, B=4816, C=5600, D=6560, E=6572, F=6560)
    flag = flag_of(
        of_confusions(confusions, official_metric="accuracy", official_decimals=2),
        "tie-only-after-rounding",
    )
    assert [group["teams"] for group in flag.evidence["groups"]] == [["E", "D", "F"], ["B", "A"]]
    assert [group["printed"] for group in flag.evidence["groups"]] == [".82", ".60"]
    assert "E, D and F have .82; B and A have .60" in flag.sentence
    assert flag.severity is Severity.WINNER


def test_more_than_three_groups_are_counted():
    """The evidence has all of them."""
    pairs = {
        f"{number}{team}": 4000 + 400 * number + team for number in range(5) for team in (0, 1)
    }
    flag = flag_of(
        of_confusions(of_correct(**pairs), official_metric="accuracy"),
        "order-beyond-printed-decimals",
    )
    assert len(flag.evidence["groups"]) == 5
    assert "(and 2 more groups)" in flag.sentence
    assert flag.sentence.count(" have .") == 3
    assert flag.sentence.startswith("By accuracy, with 3 decimals, as shown here, ")
    assert "the order within each pair is decided by later decimals" in flag.sentence


def test_a_single_group_has_one_order():
    """No pair is spoken of where there is one."""
    flag = flag_of(
        of_confusions(CLOSER, official_metric="accuracy"), "order-beyond-printed-decimals"
    )
    assert "; their order is decided by later decimals." in flag.sentence


def test_the_hidden_order_is_of_the_ranking_metric():
    """By macro-averaged F1 where no official metric is stated."""
    flag = flag_of(of_confusions(CLOSER), "order-beyond-printed-decimals")
    assert flag.evidence["metric"] == "averaged_f1"
    assert "macro-averaged F1" in flag.sentence


def test_rounding_is_that_of_print():
    """.0625 prints as .062 and .1875 as .188: an exact half goes to the even digit."""
    downward, upward = of_correct(X=500, Y=496), of_correct(X=1500, Y=1504)
    for confusions, shown in ((downward, ".062"), (upward, ".188")):
        flag = flag_of(
            of_confusions(confusions, official_metric="accuracy"), "order-beyond-printed-decimals"
        )
        (group,) = flag.evidence["groups"]
        assert group["printed"] == shown
        assert {f"{score:.3f}"[1:] for score in group["scores"]} == {shown}
