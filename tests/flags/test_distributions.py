"""Flags about other class distributions: their numbers against closed forms, and where they keep silent."""

from dataclasses import replace

import numpy as np
import pytest

from audit.findings.catalogue import find_flags
from audit.findings.distributions import class_changes

from .campaigns import flag_of, of_confusions
from .cases import CASES

SMALL = "small-shift-crowns-another"


def test_the_nearest_shift_is_where_the_accuracies_are_equal():
    """Half of the items are of the first class, and the two are level at 8/17."""
    flag = flag_of(CASES[SMALL].fires(), SMALL)
    assert flag.evidence["total_variation"] == pytest.approx(1 / 2 - 8 / 17, abs=1e-6)
    assert flag.evidence["shares"] == pytest.approx({"a": 8 / 17, "b": 9 / 17}, abs=1e-6)
    assert (flag.evidence["winners"], flag.evidence["others"]) == (["X"], ["Y"])
    assert (
        "Y instead of X would rank first after a small change of the class distribution, 6 of 200 items"
        in flag.sentence
    )
    assert "“b” .529 instead of .500 and “a” .471 instead of .500" in flag.sentence


def test_a_shift_too_small_to_print_is_still_described():
    """The class that changes most is named with its share."""
    evaluation = CASES[SMALL].fires()
    before = evaluation.winner_map.reference
    assert class_changes(evaluation, before, before + np.array([-1e-6, 1e-6])) == "“b” about .500"


@pytest.mark.parametrize(("distance", "fires"), [(0.05, True), (0.0501, False), (0.9, False)])
def test_a_shift_is_small_up_to_a_twentieth_of_the_items(distance, fires):
    """As its description says."""
    evaluation = CASES[SMALL].fires()
    found = evaluation.winner_map
    there = evaluation.given(
        winner_map=replace(found, nearest=replace(found.nearest, distance=distance))
    )
    assert (SMALL in {flag.slug for flag in find_flags(there)}) == fires


def test_without_a_map_it_is_silent():
    """One team has nobody to lose to."""
    evaluation = of_confusions({"X": [[90, 30], [20, 20]]}, official_metric="accuracy")
    assert evaluation.winner_map is None
    assert SMALL not in {flag.slug for flag in find_flags(evaluation)}


def test_a_metric_that_states_its_prevalence_is_not_moved():
    """The class distribution of the test set does not enter it."""
    evaluation = of_confusions(
        {"X": [[90, 30], [20, 20]], "Y": [[78, 42], [10, 30]]}, official_metric="accuracy~"
    )
    assert evaluation.winner_map.holds_uniform < 0.5 or evaluation.winner_map.nearest is not None
    assert SMALL not in {flag.slug for flag in evaluation.flags}
