"""Every metric upside down, and over single cells: whatever ranks, compares and crowns says the same as before."""

from dataclasses import fields, replace

import numpy as np
import pytest

from audit.domain import OBSERVED, Options, ScoreKey
from audit.evaluation import answers_of, evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.inference.comparison import compare_pair
from audit.inference.confusions_alone import plan
from audit.metrics import AGGREGATES, METRICS, parse_reading, parse_score_key, score_readings
from audit.ranking.families import family_of
from audit.ranking.nearest import winner_map
from audit.ranking.prevalence_shift import scenario
from audit.ranking.rank_aggregation import default_voters, elect
from audit.resources import samples
from tests.further_metrics import TURNED, all_registered

SLUGS = [metric.slug for metric in AGGREGATES]
PREVALENCES = ("observed", "balanced")
CLOSE = {"rtol": 1e-9, "atol": 1e-9}
FEW = 10


pytestmark = pytest.mark.usefixtures("upside_down")


@pytest.fixture(scope="module")
def upside_down():
    with all_registered(TURNED.values()):
        yield


@pytest.fixture(scope="module")
def whole(upside_down):  # noqa: ARG001 - what is read names them
    return read_campaign(samples() / "flood-posts")


@pytest.fixture(scope="module")
def campaign(whole):
    """Without runs that give some answer rarely: a score that divides by these has an error of its own."""
    n_classes = len(whole.task.label_set)
    answers = [np.bincount(run.codes, minlength=n_classes)[:n_classes] for run in whole.submissions]
    often = [not ((counts > 0) & (counts < FEW)).any() for counts in answers]
    assert not all(often)
    return replace(
        whole,
        submissions=tuple(run for run, kept in zip(whole.submissions, often, strict=True) if kept),
    )


@pytest.fixture(scope="module")
def evaluation(campaign):
    """Both of every pair compared."""
    slugs = [slug for pair in SLUGS for slug in (pair, f"turned_{pair}")]
    names = tuple(f"{slug}{mark}" for slug in slugs for mark in ("", "~"))
    return evaluate(campaign, Options(compare=names)).settled()


def pair_of(slug, prevalence="observed"):
    return ScoreKey(slug, prevalence), ScoreKey(f"turned_{slug}", prevalence)


def mirrored(slug, values):
    return METRICS[slug].lower + METRICS[slug].upper - values


every_pair = pytest.mark.parametrize(
    ("slug", "prevalence"), [(slug, each) for slug in SLUGS for each in PREVALENCES]
)


@every_pair
def test_scores_are_mirrored_and_ranks_are_not(evaluation, slug, prevalence):
    """Nor winners, order and agreement."""
    key, other = pair_of(slug, prevalence)
    np.testing.assert_allclose(
        evaluation.scores_of(other), mirrored(slug, evaluation.scores_of(key)), **CLOSE
    )
    np.testing.assert_allclose(evaluation.goodness_of(other), evaluation.goodness_of(key), **CLOSE)
    np.testing.assert_array_equal(evaluation.ranks_of(other), evaluation.ranks_of(key))
    assert evaluation.winners(other) == evaluation.winners(key)
    assert evaluation.order(other) == evaluation.order(key)
    agreement = evaluation.agreement
    rows = [agreement.keys.index(each) for each in (key, other)]
    for matrix in (agreement.spearman, agreement.kendall):
        np.testing.assert_allclose(matrix[rows[0]], matrix[rows[1]], **CLOSE)
        assert matrix[tuple(rows)] == pytest.approx(1)
    assert agreement.identical[tuple(rows)]


@every_pair
def test_intervals_are_mirrored(evaluation, slug, prevalence):
    """With the same marks."""
    rows = [evaluation.keys.index(key) for key in pair_of(slug, prevalence)]
    found = evaluation.certainty.intervals
    np.testing.assert_array_equal(found.marks[rows[0]], found.marks[rows[1]])
    np.testing.assert_allclose(found.lower[rows[1]], mirrored(slug, found.upper[rows[0]]), **CLOSE)
    np.testing.assert_allclose(found.upper[rows[1]], mirrored(slug, found.lower[rows[0]]), **CLOSE)


@pytest.mark.parametrize("slug", ["recall", "precision", "f1"])
@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_intervals_of_class_scores_are_mirrored(evaluation, slug, prevalence):
    """A class-wise metric declares what it is a share of, and nothing knows its name."""
    found = evaluation.certainty.intervals
    for label in evaluation.task.label_set:
        rows = [
            evaluation.keys.index(ScoreKey(f"{each}[{label}]", prevalence))
            for each in (slug, f"turned_{slug}")
        ]
        np.testing.assert_array_equal(found.marks[rows[0]], found.marks[rows[1]])
        np.testing.assert_allclose(found.lower[rows[1]], 1 - found.upper[rows[0]], **CLOSE)
        np.testing.assert_allclose(found.upper[rows[1]], 1 - found.lower[rows[0]], **CLOSE)


@every_pair
def test_comparisons_are_the_same(evaluation, slug, prevalence):
    """Which pairs are separable, possible ranks, the best set; the leader's interval is mirrored."""
    one, other = map(evaluation.certainty.comparison, pair_of(slug, prevalence))
    for each in fields(one):
        if each.name not in {"key", "chosen_lower", "chosen_upper"}:
            np.testing.assert_allclose(
                getattr(one, each.name), getattr(other, each.name), atol=1e-7
            )
    assert other.chosen_lower == pytest.approx(mirrored(slug, one.chosen_upper), nan_ok=True)
    assert other.chosen_upper == pytest.approx(mirrored(slug, one.chosen_lower), nan_ok=True)


def test_few_answers_leave_as_much_open(whole):
    """By macro precision, which divides by the answers of a class and looks at its gold nowhere."""
    keys = pair_of("macro_precision")
    found = evaluate(whole, Options(compare=tuple(map(str, keys)))).certainty
    one, other = map(found.comparison, keys)
    np.testing.assert_allclose(one.standard_error, other.standard_error, atol=1e-7)
    np.testing.assert_array_equal(one.ahead, other.ahead)


def test_intervals_of_who_gives_some_answer_rarely_are_mirrored(whole):
    """A class that is seldom predicted moves to its ends from either side."""
    slugs = ("macro_precision", "averaged_f1", "f1_of_averages")
    evaluation = evaluate(whole, Options(compare=tuple(f"turned_{slug}" for slug in slugs)))
    intervals = evaluation.certainty.intervals
    for slug in slugs:
        row, turned = map(evaluation.keys.index, pair_of(slug))
        np.testing.assert_allclose(intervals.lower[row], 1 - intervals.upper[turned], **CLOSE)
        np.testing.assert_allclose(intervals.upper[row], 1 - intervals.lower[turned], **CLOSE)


@pytest.mark.parametrize("rules", ["", "(union-per-team)", "(union)", "(declared)"])
def test_readings_of_a_macro_score_are_mirrored(whole, rules):
    """Over classes that gold lacks, too: their rows and columns are empty."""
    labels, answers = whole.task.label_set, answers_of(whole, whole.submissions)
    readings = [parse_reading(f"{slug}averaged_f1{rules}", labels) for slug in ("", "turned_")]
    one, other = score_readings(answers, readings, [OBSERVED], labels)
    np.testing.assert_allclose(other, 1 - one, **CLOSE)


@every_pair
def test_what_the_test_set_can_tell_is_the_same(evaluation, slug, prevalence):
    """The lead and the items that carry it."""
    found = {power.key: power for power in evaluation.power}
    one, other = (found[key] for key in pair_of(slug, prevalence))
    assert (one.first, one.second) == (other.first, other.second)
    assert other.difference == pytest.approx(one.difference)
    assert other.median_error == pytest.approx(one.median_error)
    assert (other.carried_by is None) == (one.carried_by is None)
    if one.carried_by is not None:
        assert (other.carried_by.rival, other.carried_by.n_items) == (
            one.carried_by.rival,
            one.carried_by.n_items,
        )


@pytest.mark.parametrize("slug", SLUGS)
def test_other_class_distributions_crown_the_same(evaluation, slug):
    """In the map, at the nearest change, and in a scenario."""
    keys = pair_of(slug)
    one, other = (winner_map(evaluation, key) for key in keys)
    np.testing.assert_array_equal(one.uniform, other.uniform)
    np.testing.assert_array_equal(one.nearby, other.nearby)
    assert (one.nearest is None) == (other.nearest is None)
    if one.nearest is not None:
        assert other.nearest.distance == pytest.approx(one.nearest.distance, abs=1e-6)
        assert other.nearest.winners == one.nearest.winners
    there = scenario(evaluation, replace(OBSERVED, name="balanced"))
    one, other = (ScoreKey(name, "balanced") for name in (slug, f"turned_{slug}"))
    assert there.winners(other) == there.winners(one)
    assert there.order(other) == there.order(one)


def test_elections_are_the_same(evaluation):
    """Voters that are turned vote alike, also on a mean of scores."""
    voters = [
        key
        for key in default_voters(evaluation.task.label_set)
        if not key.metric.startswith("turned_")
    ]
    ballots = (
        np.stack([evaluation.goodness_of(key) for key in keys])
        for keys in (voters, [ScoreKey(f"turned_{key.metric}") for key in voters])
    )
    for one, other in zip(
        *(elect(scores, evaluation.competing) for scores in ballots), strict=True
    ):
        assert one.winners == other.winners
        np.testing.assert_allclose(one.values, other.values, **CLOSE)


def test_two_teams_and_a_plan_are_the_same(evaluation, campaign):
    """Who is ahead is ahead, by as much."""
    predictions = [run.codes for run in campaign.submissions]
    names = {run.team: run.codes for run in campaign.submissions}
    assert len(names) == len(predictions)
    in_order = [names[entry.team] for entry in evaluation.entries]
    first, second = (
        evaluation.names[team] for team in evaluation.order(ScoreKey("macro_recall"))[:2]
    )
    one, other = (
        compare_pair(evaluation, in_order, first, second, key) for key in pair_of("macro_recall")
    )
    assert other.difference == pytest.approx(one.difference)
    assert one.difference > 0
    assert (other.ahead, other.randomization_p) == (one.ahead, one.randomization_p)
    pilots = evaluation.confusions[:2]
    plans = [
        plan(pilots, evaluation.task.label_set, key, difference=0.02)
        for key in pair_of("averaged_f1")
    ]
    assert plans[0].needed == plans[1].needed


def test_several_test_sets_sum_up_alike(campaign):
    """A mean of errors is best where it is lowest."""
    families = [
        family_of(
            [evaluate(replace(campaign, task=replace(campaign.task, official_metric=key)))] * 2
        )
        for key in pair_of("macro_recall")
    ]
    assert families[0].order == families[1].order
    np.testing.assert_array_equal(families[0].ranks, families[1].ranks)
    one, other = (family.summary for family in families)
    np.testing.assert_allclose(other.mean_score, 1 - one.mean_score, **CLOSE)
    assert one.winners == other.winners
    for rule, ranks in one.ranks.items():
        np.testing.assert_array_equal(ranks, other.ranks[rule])


@pytest.mark.parametrize("runs", ["best", "all"])
def test_the_official_metric_may_be_turned(campaign, runs):
    """The same order, and findings that differ in the metric's name and numbers alone."""
    found = []
    for key in pair_of("averaged_f1"):
        policies = replace(campaign.task.policies, runs=runs)
        found.append(
            evaluate(
                replace(
                    campaign, task=replace(campaign.task, official_metric=key, policies=policies)
                )
            )
        )
    one, other = found
    keys = [each.task.ranking_metric for each in found]
    assert one.names == other.names
    assert one.order(keys[0]) == other.order(keys[1])
    slugs = [{flag.slug for flag in each.flags} for each in found]
    assert slugs[0] - slugs[1] <= {"winner-depends-on-macro-f1"}
    assert parse_score_key("turned_averaged_f1", one.task.label_set) == keys[1]
