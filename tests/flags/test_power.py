"""What the test set can tell, in sentences: each is one of the registry, with the numbers of the evaluation."""

import re
from dataclasses import replace

import numpy as np
import pytest

from audit.domain import CarriedBy, Certainty, LabelSet, Power, ScoreKey
from audit.evaluation import evaluate
from audit.findings.power_sentences import (
    about,
    needed_items,
    plan_sentences,
    power_sentences,
    short,
)
from audit.inference.confusions_alone import plan
from tests.inference.codes import coded, drawn

ACCURACY = ScoreKey("accuracy")
POWER = Power(
    *(ACCURACY, 0, 1, 0.0063, 0.0022, 3.95, 0.0024, 50_000),
    CarriedBy(2, ((0, 0, 1, 100), (1, 1, 0, 14))),
)


@pytest.fixture(scope="module")
def evaluation():
    """Three teams that can be compared."""
    return evaluate(coded(*drawn(1, 60, 2, [0.8, 0.7, 0.6]), 2, official_metric=ACCURACY))


def told(evaluation, power):
    """The sentences of an evaluation whose power is another one."""
    return power_sentences(evaluation.given(power=(power,)))


KINDS = {
    "typical": "is detected with 50% power",
    "needed among all": "if this pair alone is tested, .* if all pairs are,",
    "needed": "If the observed lead of",
    "carried": "^Without ",
    "not carried": "No items were found",
    "level": "have the same score",
    "nothing": "there is no difference to find",
    "plan": "by about .* items in a test of one pair",
    "assumed": "correlations of 0, .5 and .8 are assumed",
}


def kinds(sentences):
    """Which sentences on power these are."""
    return [
        next(kind for kind, words in KINDS.items() if re.search(words, sentence))
        for sentence in sentences
    ]


def test_numbers_are_those_of_the_power(evaluation):
    """Differences with two digits that count, numbers of items to three, shares in percent."""
    sentences = told(evaluation, POWER)
    assert kinds(sentences) == ["typical", "needed among all", "carried"]
    typical, needed, carried = sentences
    assert (
        "a true difference of .0095 between two teams is detected with 50% power, one of .011 with 80% power"
        in typical
    )
    assert needed.startswith(
        "If the observed lead of A over B, .0063, were the true difference, about "
    )
    for count in (POWER.needed_as_pair, POWER.needed_among_all):
        assert f"about {about(count)}" in needed
    assert needed.endswith("the test set has 50,000 items.")
    assert carried.startswith(
        "Without 114 of the 50,000 items, C would be ahead of A (Broderick et al. 2020)."
    )


def test_the_fewest_items_are_an_upper_bound_but_by_accuracy(evaluation):
    """By accuracy each item counts alike, so that the search finds the fewest; by other scores it may not."""
    others = replace(
        evaluation, task=replace(evaluation.task, official_metric=ScoreKey("averaged_f1"))
    )
    by_f1 = replace(POWER, key=ScoreKey("averaged_f1"))
    assert sum("Fewer may be enough" in sentence for sentence in told(others, by_f1)) == 1
    assert not any("Fewer may be enough" in sentence for sentence in told(evaluation, POWER))


def test_two_teams_are_one_pair(evaluation):
    """Then nothing is said of all pairs, and the critical value is that of a pair."""
    first, second, third = evaluation.entries
    two = evaluation.given(certainty=evaluation.certainty)
    two = replace(two, entries=(first, second, replace(third, competes=False)))
    typical, needed, *_ = told(two, POWER)
    assert kinds([needed]) == ["needed"]
    assert ".0047 between two teams" in typical
    assert "of which there is one" in typical
    assert "all pairs" not in typical + needed


def test_groups_are_what_is_counted(evaluation):
    """Where groups are drawn, more of these are needed."""
    for unit, noun in (("document", "documents"), ("author", "groups")):
        gold = replace(evaluation.gold, groups=np.arange(evaluation.gold.n_items) // 125, unit=unit)
        needed = told(replace(evaluation, gold=gold), replace(POWER, n_groups=400))[1]
        assert needed.endswith(f"the test set has 400 {noun}.")
        assert f" {noun} if this pair alone is tested, " in needed


def test_a_single_item_carries_the_first_place(evaluation):
    """No upper bound is claimed of what cannot be fewer."""
    (sentence,) = told(evaluation, replace(POWER, carried_by=CarriedBy(1, ((0, 0, 1, 1),))))[2:3]
    assert (
        sentence
        == "Without a single one of the 50,000 items, B would be ahead of A (Broderick et al. 2020)."
    )


def test_what_is_not_known_is_not_said(evaluation):
    """No standard error, no items found; without a lead there is no first place to lose."""
    bare = replace(POWER, carried_by=None, standard_error=np.nan, median_error=np.nan)
    assert kinds(told(evaluation, bare)) == ["not carried"]
    assert kinds(told(evaluation, replace(bare, difference=0.0))) == ["level"]


def test_of_a_significant_lead_no_items_are_needed():
    """“takes 690 items; the test set has 444” stood behind a lead that the test set showed."""
    clear = evaluate(coded(*drawn(1, 400, 2, [0.9, 0.6, 0.5]), 2, official_metric=ACCURACY))
    power = clear.power[0]
    assert clear.comparison("accuracy").ahead[power.first, power.second]
    assert needed_items(clear, power) == (None, None)
    assert not any("would be needed" in sentence for sentence in power_sentences(clear))


def test_without_certainty_nothing_is_said_and_without_a_pair_that_there_is_none(evaluation):
    """And a metric that was not asked for is none of them."""
    assert power_sentences(evaluation.given(certainty=None)) == ()
    assert kinds(power_sentences(evaluation, ScoreKey("mcc"))) == ["nothing"]
    alone = evaluate(coded([0, 1, 0], [[0, 1, 1]], 2))
    assert isinstance(alone.certainty, Certainty)
    assert kinds(power_sentences(alone)) == ["nothing"]


def test_every_real_evaluation_says_sentences_of_the_registry(evaluation):
    """By the ranking metric unless another one is named."""
    assert power_sentences(evaluation) == power_sentences(evaluation, ACCURACY)
    assert kinds(power_sentences(evaluation, ScoreKey("f1_of_averages")))


def test_a_plan_says_what_it_assumes():
    """One sentence for each correlation, and what cannot be seen from confusions."""
    found = plan(
        np.array([[[40, 10, 0], [10, 40, 0]]]), LabelSet(("a", "b")), ACCURACY, difference=0.02
    )
    sentences = plan_sentences(found, LabelSet(("a", "b")))
    assert kinds(sentences) == ["plan"] * 3 + ["assumed"]
    for sentence, each in zip(sentences, found.needed, strict=False):
        assert f"about {about(each.as_pair)} items" in sentence
        assert f"about {about(each.among_all)} in a comparison of all pairs of 20 teams" in sentence
    assert [sentence.rpartition("err ")[2] for sentence in sentences[:3]] == [
        "independently.",
        "with a correlation of .5.",
        "with a correlation of .8.",
    ]


def test_numbers_are_short():
    """Nothing is rounded to nothing."""
    assert [short(value) for value in (-0.0123, 1e-9, 0.0001)] == [
        "−.012",
        "less than .0001",
        ".00010",
    ]
    assert [about(count) for count in (7, 999, 1000, 123_456)] == ["7", "999", "1,000", "123,000"]
