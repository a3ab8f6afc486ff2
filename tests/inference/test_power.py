"""What the test set can tell: differences that are found as often as is said, and items that suffice as often."""

import math
from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.power import normal_power

from audit.domain import ONE_PAIR, Certainty, Options, Power, ScoreKey, detectable
from audit.evaluation import evaluate
from audit.inference.certainty_analysis import power_of
from audit.inference.comparison import compare
from audit.inference.intervals import intervals_of, scored_of

from .codes import coded, drawn, scored

ACCURACY, AVERAGED, OF_AVERAGES = map(ScoreKey, ("accuracy", "averaged_f1", "f1_of_averages"))


@pytest.mark.parametrize("error", [0.001, 0.02])
def test_a_pair_is_found_as_often_as_statsmodels_says(error):
    """A two-sided test of 5% finds the detectable difference with power .8."""
    found = normal_power(detectable(ONE_PAIR, error) / error, nobs=1, alpha=0.05)
    assert found == pytest.approx(0.8, abs=1e-6)
    assert normal_power(ONE_PAIR, nobs=1, alpha=0.05) == pytest.approx(0.5, abs=1e-4)


def test_the_detectable_difference_is_found_four_times_in_five():
    """Among all pairs of four teams: campaigns are drawn in which the first two differ by what one campaign named."""
    rng, n_items = np.random.default_rng(8), 600
    key, reference = AVERAGED, drawn(rng, 4 * n_items, 3, [0.7, 0.7, 0.7, 0.7])
    evaluation, items = scored(*reference, 3)
    comparison = compare(evaluation, key, items, 1)
    wanted = detectable(
        comparison.critical_value, float(2 * np.median(comparison.standard_error[0, 1:]))
    )
    recalls = [0.7 + wanted / 2, *[0.7 - wanted / 2] * 3]
    found, true = 0, []
    for _ in range(120):
        evaluation, items = scored(*drawn(rng, n_items, 3, recalls), 3)
        found += bool(compare(evaluation, key, items, 1).ahead[0, 1])
        true.append(evaluation.scores_of(key)[0] - evaluation.scores_of(key)[1])
    assert np.mean(true) == pytest.approx(wanted, abs=0.006)
    # three and a half standard errors of 120 campaigns
    assert found / 120 == pytest.approx(0.8, abs=0.13)


def test_items_needed_are_where_the_detectable_difference_is_the_observed_one():
    """With that many units the standard error has shrunk so far, by the root of their number."""
    power = Power(ACCURACY, 0, 1, 0.012, 0.009, 3.4, 0.01, 2000)
    for needed, critical in ((power.needed_as_pair, ONE_PAIR), (power.needed_among_all, 3.4)):
        shrunk = power.standard_error * math.sqrt(2000 / needed)
        assert detectable(critical, shrunk) == pytest.approx(0.012, rel=1e-3)
    assert power.detected_as_pair < power.detected_among_all
    assert power.found_half_the_time == 3.4 * 0.009
    assert power.median_detected_among_all == detectable(3.4, 0.01)
    assert power.median_detected_as_pair == detectable(ONE_PAIR, 0.01)
    assert power.median_found_half_the_time == pytest.approx(0.034)


def test_items_needed_are_groups_where_groups_are_drawn():
    """Then the units of both numbers are groups."""
    items = Power(ACCURACY, 0, 1, 0.012, 0.009, 3.4, 0.01, 2000)
    groups = replace(items, n_groups=50)
    assert (items.n_units, groups.n_units) == (2000, 50)
    assert groups.needed_as_pair == math.ceil(50 * (groups.detected_as_pair / 0.012) ** 2)


@pytest.mark.parametrize(("difference", "error"), [(0.0, 0.01), (0.0, 0.0), (0.1, math.nan)])
def test_no_number_of_items_is_named_where_there_is_none(difference, error):
    """No difference, or no standard error."""
    power = Power(ACCURACY, 0, 1, difference, error, 3.4, 0.01, 2000)
    assert power.needed_as_pair is power.needed_among_all is None


@pytest.mark.parametrize(
    ("official", "keys"),
    [
        (None, [AVERAGED, OF_AVERAGES]),
        (OF_AVERAGES, [OF_AVERAGES, AVERAGED]),
        (ACCURACY, [ACCURACY, AVERAGED, OF_AVERAGES]),
        (ScoreKey("mcc", "balanced"), [ScoreKey("mcc", "balanced"), AVERAGED, OF_AVERAGES]),
    ],
    ids=str,
)
def test_every_evaluation_has_it_by_its_metric_and_both_macro_f1s(official, keys):
    """The ranking metric first, none twice, and what was asked for at the end."""
    campaign = coded(*drawn(1, 120, 3, [0.8, 0.7, 0.6]), 3, official_metric=official)
    assert [power.key for power in evaluate(campaign).power] == keys
    asked = evaluate(campaign, Options(compare=("kappa",))).power
    assert [power.key for power in asked] == [*keys, ScoreKey("kappa")]


def test_it_is_of_the_first_two_that_can_be_compared():
    """Numbers of the comparison, of entries that compete on all items."""
    gold, predictions = drawn(2, 300, 3, [0.9, 0.8, 0.7, 0.6])
    predictions[0][:5] = 3
    campaign = coded(gold, predictions, 3)
    policies = replace(campaign.task.policies, missing="drop")
    dropped = evaluate(replace(campaign, task=replace(campaign.task, policies=policies)))
    assert not dropped.comparable[0]
    power, comparison = dropped.power[0], dropped.comparison("averaged_f1")
    assert (power.first, power.second) == (1, 2)
    scores = dropped.scores_of(AVERAGED)
    assert power.difference == scores[1] - scores[2]
    assert power.standard_error == comparison.standard_error[1, 2]
    assert power.critical_value == comparison.critical_value
    errors = [comparison.standard_error[a, b] for a, b in ((1, 2), (1, 3), (2, 3))]
    assert power.median_error == np.median(errors)
    assert (power.n_items, power.n_groups) == (300, None)


def test_groups_are_units():
    """Where items come in groups, as many of these are what more are needed of."""
    gold, predictions = drawn(3, 200, 2, [0.8, 0.7, 0.6])
    campaign = coded(gold, predictions, 2, groups=np.arange(200) // 5)
    power = evaluate(campaign).power[0]
    assert (power.n_items, power.n_groups, power.n_units) == (200, 40, 40)


@pytest.mark.parametrize("predictions", [[[0, 1, 1, 0]], []], ids=["alone", "nobody scored"])
def test_without_a_second_entry_there_is_nothing_to_tell(predictions):
    """One entry, or none with a defined score."""
    campaign = coded([0, 0, 1, 1], predictions or [[0, 0, 0, 0], [0, 0, 0, 0]], 2)
    if predictions:
        assert not tuple(evaluate(campaign).power)
        return
    everything = coded([0, 0, 0], [[0, 0, 0], [0, 0, 0]], 2, official_metric=ScoreKey("kappa"))
    assert [power.key for power in evaluate(everything).power] == [AVERAGED, OF_AVERAGES]


def test_twins_have_no_difference_to_find():
    """Two label-identical entries: no standard error, and no items."""
    gold, predictions = drawn(4, 60, 2, [0.7])
    power = evaluate(coded(gold, predictions * 2, 2)).power[0]
    assert (power.difference, power.standard_error) == (0, 0)
    assert math.isnan(power.median_error)
    assert power.needed_as_pair is None
    assert power.carried_by is None


def test_without_certainty_nothing_of_it_is_computed(monkeypatch):
    """Removals belong to the certainty."""
    monkeypatch.setattr("audit.evaluation.power_of", None)
    assert (
        evaluate(coded(*drawn(1, 60, 2, [0.8, 0.7]), 2), Options(certainty=False)).certainty is None
    )


def test_everything_is_the_same_again():
    """Draws are seeded."""
    campaign = coded(*drawn(5, 150, 3, [0.66, 0.65, 0.64]), 3)
    first, second = (tuple(evaluate(campaign).power) for _ in range(2))
    assert first == second


def test_the_numbers_of_a_real_campaign_are_those_of_an_independent_program(emoji):
    """Emoji prediction, 50,000 items: items needed, and items that carry the first place."""
    _, evaluation, items = emoji
    comparisons = tuple(compare(evaluation, key, items, 1) for key in (AVERAGED, OF_AVERAGES))
    known = Certainty(
        intervals_of(scored_of(evaluation)),
        None,
        None,
        stratified=False,
        comparisons=comparisons,
        changes=(),
        seed=1,
    )
    averaged, of_averages = power_of(evaluation.given(certainty=known), items)
    assert averaged.needed_as_pair == pytest.approx(48_000, rel=0.01)
    # Thresholds agree to Monte Carlo error (± .05 of the threshold), of which (c + .84)² takes twice its share.
    assert averaged.needed_among_all == pytest.approx(141_000, rel=0.025)
    assert averaged.carried_by.n_items == pytest.approx(114, abs=2)
    assert of_averages.carried_by.n_items == 6
