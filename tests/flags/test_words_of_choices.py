"""What is said of choices other than a metric, of few groups, and of a metric elsewhere."""

from dataclasses import replace

import audit
from audit.domain import ScoreKey, State
from audit.findings.comparisons import state_in_words, what_few_groups_decide
from audit.findings.first_place import said_of
from audit.inference.group_sums import GroupSums
from audit.ranking.nearest import winner_map
from audit.report.distributions import map_statements

GOLD = list("aabbccabcaab") * 5
TEAMS = {
    "Ann": list("aabbccabcbab") * 5,
    "Ben": list("aabacbabcaab") * 5,
    "Cem": list("abbbccabcaac") * 5,
}


def test_a_part_of_the_test_set_has_words_of_its_own():
    """Nothing is significant under a metric there, but on items."""
    assert (
        state_in_words(State.OTHER_SHOWN, "slice")
        == "different winner, each significant on its own items"
    )
    assert state_in_words(State.OTHER_SHOWN, "class-set") != state_in_words(
        State.OTHER_SHOWN, "slice"
    )
    assert (
        state_in_words(State.OTHER_SHOWN)
        == "different winner, each significant under its own metric"
    )


def test_the_metric_is_said_of_in_one_sentence_for_each_state():
    """With the state first."""
    evaluation = audit.evaluate(GOLD, TEAMS)
    (said,) = said_of(evaluation, "metric")
    (row,) = [row for row in evaluation.verdict.depends_on if row.choice == "metric"]
    assert said.casefold().startswith(state_in_words(row.state).casefold())


def test_a_metric_that_states_its_prevalence_is_said_to_stand_there():
    """What follows is of the metric elsewhere; a metric that no class distribution moves needs one sentence."""
    evaluation = audit.evaluate(GOLD, TEAMS)
    stated = replace(evaluation.task, official_metric=ScoreKey("averaged_f1", "balanced"))
    calibrated = replace(evaluation, task=stated)
    assert (
        "which states its class distribution"
        in map_statements(calibrated, winner_map(calibrated))[0]
    )
    unmoved = replace(
        evaluation, task=replace(evaluation.task, official_metric=ScoreKey("macro_recall"))
    )
    (sentence,) = map_statements(unmoved, winner_map(unmoved))
    assert "under every class distribution" in sentence


def test_few_groups_are_said_to_decide_little():
    """Up to five nothing can be significant at 5%, up to twelve only large differences."""
    by_count = {
        n: audit.evaluate(GOLD, TEAMS, groups=[str(place % n) for place in range(60)])
        for n in (4, 8, 20)
    }
    few, some, many = (what_few_groups_decide(evaluation) for evaluation in by_count.values())
    assert (
        "With 4 groups no difference can be significant at 5%: the smallest possible p-value is .12"
        in few
    )
    assert "With 8 groups only large differences among few teams can be significant." in some
    assert many == ""


def test_sums_of_no_team_have_no_weight():
    """Where every team has dropped a part."""
    import numpy as np  # noqa: PLC0415 - for this test alone

    nothing = GroupSums(
        np.zeros((0, 3)), np.zeros((0, 3)), np.ones(3), np.zeros((0, 0)), np.arange(3)
    )
    assert nothing.times(np.zeros(0)).leverage.tolist() == [0, 0, 0]
