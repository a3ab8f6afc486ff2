"""Flags about other class distributions: their numbers against closed forms, and where they keep silent."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from audit.questions.catalogue import find_flags
from audit.questions.distributions import class_changes

from .campaigns import flag_of, of_confusions, printed
from .cases import CASES

LITTLE, SMALL = "winner-holds-on-little-of-the-simplex", "small-shift-crowns-another"


def test_the_share_of_a_line_is_its_length():
    """X wins from 5/7 of the first class on; the share drawn is within the interval that the evidence gives."""
    evidence = flag_of(CASES[LITTLE].fires(), LITTLE).evidence
    lower, upper = evidence["interval"]
    assert lower <= 2 / 7 <= upper < 0.5
    peer = stats.binomtest(round(evidence["share"] * evidence["draws"]), evidence["draws"]).proportion_ci(
        method="wilson"
    )
    assert (lower, upper) == pytest.approx((peer.low, peer.high))
    assert (evidence["winners"], evidence["most"]) == (["X"], "Y")
    assert evidence["share_of_most"] == pytest.approx(1 - evidence["share"])


def test_the_sentence_gives_the_share_and_who_has_more():
    """As printed, with the number of draws and the Monte Carlo interval."""
    flag = flag_of(CASES[LITTLE].fires(), LITTLE)
    assert flag.sentence.startswith("By accuracy X is first here, and would be on ")
    assert printed(flag.evidence["share"], 2) in flag.sentence
    assert f"Y would be on {printed(flag.evidence['share_of_most'], 2)}" in flag.sentence


def test_the_nearest_shift_is_where_the_accuracies_are_equal():
    """Half of the items are of the first class, and the two are level at 8/17."""
    flag = flag_of(CASES[SMALL].fires(), SMALL)
    assert flag.evidence["total_variation"] == pytest.approx(1 / 2 - 8 / 17, abs=1e-6)
    assert flag.evidence["shares"] == pytest.approx({"a": 8 / 17, "b": 9 / 17}, abs=1e-6)
    assert (flag.evidence["winners"], flag.evidence["others"]) == (["X"], ["Y"])
    assert "Y instead of X would be first if 6 of 200 items had another class: " in flag.sentence
    assert "“b” .529 instead of .500 and “a” .471 instead of .500" in flag.sentence


def test_a_team_that_holds_most_may_share_it():
    """X and Z are the same submission: each holds two sevenths, and neither is named as holding more."""
    confusions = {"X": [[90, 30], [20, 20]], "Z": [[90, 30], [20, 20]], "Y": [[78, 42], [10, 30]]}
    flag = flag_of(of_confusions(confusions, official_metric="accuracy"), LITTLE)
    assert "X and Z are first here" in flag.sentence


def test_who_holds_most_of_little_is_not_named_twice():
    """Where the winner itself holds the largest of many small shares, nobody else is said to hold more."""
    confusions = {
        "A": [[40, 0, 0], [20, 20, 0], [20, 0, 20]],
        "B": [[20, 20, 0], [0, 40, 0], [0, 20, 20]],
        "C": [[20, 0, 20], [0, 20, 20], [0, 0, 40]],
        "D": [[27, 7, 6], [7, 27, 6], [6, 7, 27]],
    }
    flag = flag_of(of_confusions(confusions, official_metric="accuracy"), LITTLE)
    assert flag.evidence["winners"] == ["D"]
    assert flag.evidence["share"] < 0.5


def test_a_shift_too_small_to_print_is_still_described():
    """The class that changes most is named with its share."""
    evaluation = CASES[SMALL].fires()
    found = evaluation.winner_map
    barely = replace(found.nearest, shares=found.reference + np.array([-1e-6, 1e-6]), distance=1e-6)
    assert class_changes(evaluation, replace(found, nearest=barely)) == "“b” about .500"
    assert class_changes(evaluation, replace(found, nearest=None)) == ""


@pytest.mark.parametrize("slug", [LITTLE, SMALL])
def test_without_a_map_both_are_silent(slug):
    """One team has nobody to lose to."""
    evaluation = of_confusions({"X": [[90, 30], [20, 20]]}, official_metric="accuracy")
    assert evaluation.winner_map is None
    assert slug not in {flag.slug for flag in find_flags(evaluation)}


def test_a_metric_that_states_its_prevalence_is_not_moved():
    """The class distribution of the test set does not enter it."""
    evaluation = of_confusions({"X": [[90, 30], [20, 20]], "Y": [[78, 42], [10, 30]]}, official_metric="accuracy~")
    assert evaluation.winner_map.holds_uniform < 0.5 or evaluation.winner_map.nearest is not None
    assert not {LITTLE, SMALL} & {flag.slug for flag in evaluation.flags}
