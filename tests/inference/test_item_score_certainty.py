"""How sure AUC, average precision and Brier scores are: against DeLong, scikit-learn and simulations."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from audit.domain import MARKS, Campaign, Gold, LabelSet, Mark, Options, ScoreKey, Submission, Task
from audit.evaluation import evaluate
from audit.inference.comparison import compare_pair
from audit.inference.differences import differences
from audit.inference.items import items_of
from audit.inference.proportion_intervals import wilson
from tests.nightly import slow

from . import scored_campaigns
from .campaigns import ends_of_entry
from .scored_campaigns import drawn

campaign = partial(scored_campaigns.campaign, official="auc")


def differences_by(evaluation, name, made):
    """All paired differences by a metric."""
    return differences(
        evaluation, ScoreKey(name), items_of(evaluation, made.predictions_of(evaluation.entries))
    )


def test_the_errors_of_differences_are_delongs_and_what_small_samples_lack():
    """The square of the difference over the items of each class; of all items for a mean over them."""
    positive, rows = drawn(np.random.default_rng(1), 150, 0.3, (1.5, 1.0, 0.2))
    made = campaign(positive, rows)
    evaluation = evaluate(made)
    scores = np.array(rows)
    below = (scores[:, positive, None] > scores[:, None, ~positive]).astype(float)
    covariance = (
        np.cov(below.mean(axis=2)) / positive.sum() + np.cov(below.mean(axis=1)) / (~positive).sum()
    )
    found = differences_by(evaluation, "auc", made)
    assert found.covariance == pytest.approx(covariance, rel=1e-9)
    variance = np.add.outer(np.diag(covariance), np.diag(covariance)) - 2 * covariance
    apart = np.subtract.outer(*[evaluation.scores_of(ScoreKey("auc"))] * 2) ** 2
    null = apart / positive.sum() + apart / (~positive).sum()
    assert found.error**2 == pytest.approx(variance + null, abs=1e-12)
    losses = (scores - positive) ** 2
    of_brier = differences_by(evaluation, "brier", made)
    assert of_brier.covariance == pytest.approx(np.cov(losses) / positive.size, rel=1e-9)
    lead = losses[0] - losses[1]
    expected = lead.var(ddof=1) / positive.size + lead.mean() ** 2 / positive.size
    assert of_brier.error[0, 1] ** 2 == pytest.approx(expected)


def test_each_class_counts_by_itself_where_its_mass_is_fixed():
    """At balanced prevalence, and by design: what classes differ in adds nothing."""
    positive, rows = drawn(np.random.default_rng(2), 90, 0.4, (1.5, 0.5))
    losses = (np.array(rows) - positive) ** 2
    lead, n_items = losses[0] - losses[1], positive.size
    for stratified, prevalence, share in (
        (False, "balanced", 0.5),
        (True, "observed", positive.mean()),
    ):
        made = campaign(positive, rows, stratified=stratified)
        evaluation = evaluate(made)
        items = items_of(evaluation, made.predictions_of(evaluation.entries))
        found = differences(evaluation, ScoreKey("brier", prevalence), items)
        parts = [(lead[positive], share), (lead[~positive], 1 - share)]
        varies = (
            sum(mass**2 * part.var() / part.size for part, mass in parts) * n_items / (n_items - 1)
        )
        null = sum(mass**2 * part.mean() ** 2 / part.size for part, mass in parts)
        assert found.error[0, 1] ** 2 == pytest.approx(varies + null)


def test_groups_are_what_is_drawn():
    """Items in threes that say the same have the errors of a third of the items, about; one group says nothing.

    An error from squares of groups has no part for what small samples of each class lack.
    """
    positive, rows = drawn(np.random.default_rng(3), 80, 0.4, (1.5, 0.5))
    alone = campaign(positive, rows)
    threes = campaign(
        np.repeat(positive, 3), [np.repeat(row, 3) for row in rows], groups=np.arange(240) // 3
    )
    apart, together = evaluate(alone), evaluate(threes)
    for name in ("auc", "average_precision", "brier"):
        errors = [
            differences_by(e, name, made).error[0, 1]
            for e, made in ((apart, alone), (together, threes))
        ]
        assert errors[1] == pytest.approx(errors[0], rel=0.03 if name == "brier" else 0.2)
        row = apart.keys.index(ScoreKey(name))
        widths = [
            (e.certainty.intervals.upper - e.certainty.intervals.lower)[row]
            for e in (apart, together)
        ]
        assert widths[1] == pytest.approx(widths[0], rel=0.08)
        assert (together.certainty.ungrouped.upper - together.certainty.ungrouped.lower)[
            row
        ].max() < widths[1].min()
    one = campaign(positive, rows, groups=np.zeros(80, dtype=np.int64))
    evaluation = evaluate(one)
    assert differences_by(evaluation, "auc", one).teams.size == 0
    marks = evaluation.certainty.intervals.marks[evaluation.keys.index(ScoreKey("auc"))]
    assert [MARKS[mark] for mark in marks] == [Mark.FEW_GROUPS] * 2


def test_groups_of_one_size_are_counted_by_labels():
    """Where the ranking is by a score of no labels: of even groups there are as many as there are."""
    positive, rows = drawn(np.random.default_rng(3), 80, 0.4, (1.5, 0.5))
    assert evaluate(
        campaign(positive, rows, groups=np.arange(80) // 4)
    ).certainty.even_groups == pytest.approx(20)


def test_intervals_hold_their_scores_and_widen_with_the_quantile():
    """Also of a perfect order, which is not taken for one that cannot err, and of a constant answer, which cannot."""
    positive = np.arange(60) < 20
    made = campaign(
        positive, [positive * 0.8 + 0.1, np.full(60, 0.5), np.sin(np.arange(60)) / 2 + 0.5]
    )
    evaluation = evaluate(made)
    items = items_of(evaluation, made.predictions_of(evaluation.entries))
    intervals = evaluation.certainty.intervals
    for name in ("auc", "average_precision", "brier"):
        row = evaluation.keys.index(ScoreKey(name))
        assert (intervals.lower[row] <= evaluation.values[row]).all()
        assert (intervals.upper[row] >= evaluation.values[row]).all()
        narrow, wide = (
            ends_of_entry(evaluation, ScoreKey(name), 2, items, quantile) for quantile in (1.0, 3.0)
        )
        assert wide[0] < narrow[0] < narrow[1] < wide[1]
    auc, brier = (evaluation.keys.index(ScoreKey(name)) for name in ("auc", "brier"))
    assert (intervals.lower[auc, 0] < 0.98, intervals.upper[auc, 0]) == (True, 1.0)
    assert intervals.lower[brier, 1] == intervals.upper[brier, 1] == 0.25


def test_a_perfect_brier_score_has_the_interval_of_a_perfect_accuracy():
    """As many items as there are, none of them wrong."""
    positive = np.arange(40) < 15
    evaluation = evaluate(
        campaign(positive, [positive.astype(float), np.full(40, 0.4)], official="brier")
    )
    row = evaluation.keys.index(ScoreKey("brier"))
    expected = wilson(np.array(0.0), np.array(40.0), 1.959964)[1]
    assert evaluation.certainty.intervals.upper[row, 0] == pytest.approx(float(expected), abs=1e-6)


def test_where_there_is_no_interval_a_mark_says_why():
    """Few items of a class; of one item nothing is compared."""
    some = np.random.default_rng(4)
    rows = drawn(some, 60, 0.4, (1.5, 0.5))[1]
    rare = evaluate(campaign(np.arange(60) < 4, rows))
    single = campaign(np.arange(60) < 1, rows)
    for name in ("auc", "average_precision"):
        assert (
            MARKS[rare.certainty.intervals.marks[rare.keys.index(ScoreKey(name))][0]]
            is Mark.RARE_CLASS
        )
        assert differences_by(evaluate(single), name, single).teams.size == 0


def test_teams_without_scores_are_compared_with_nobody():
    """And the others as if they were not there."""
    positive, rows = drawn(np.random.default_rng(5), 120, 0.4, (2.5, 1.5, 0.2))
    made = campaign(positive, rows)
    without = replace(
        made, submissions=(*made.submissions, replace(made.submissions[0], team="Z", scores=None))
    )
    both = [evaluate(each).comparison("auc") for each in (made, without)]
    assert both[1].adjusted_p[:3, :3] == pytest.approx(both[0].adjusted_p)
    assert not both[1].ahead[3].any()
    assert not both[1].ahead[:, 3].any()
    assert not both[1].could_be_best[3]


def test_power_and_pairs_say_nothing_that_was_not_looked_for():
    """No removed items and no exchanged labels tell of scores."""
    positive, rows = drawn(np.random.default_rng(6), 120, 0.4, (2.0, 1.0, 0.5))
    made = campaign(positive, rows)
    evaluation = evaluate(made)
    power = evaluation.power[0]
    assert (power.key, power.carried_by) == (ScoreKey("auc"), None)
    assert evaluation.power[1].carried_by is not None
    predictions = made.predictions_of(evaluation.entries)
    pair = compare_pair(evaluation, predictions, "T0", "T1", ScoreKey("auc"))
    assert np.isnan(pair.randomization_p)
    assert 0 < pair.adjusted_p <= 1


def truth_by(name, share, distance):
    """The score of such a team of all items that there could be."""
    if name == "auc":
        return norm.cdf(distance / np.sqrt(2))
    scores = np.linspace(-10, 10, 20001)
    hits, alarms = norm.sf(scores - distance / 2), norm.sf(scores + distance / 2)
    precision = share * hits / (share * hits + (1 - share) * alarms)
    return np.trapezoid(precision * norm.pdf(scores - distance / 2), scores)


def covered(sizes, distances, repetitions, official, name="auc"):
    """How often intervals hold the true score, and how often a difference between equal teams is found."""
    some, holds, found = np.random.default_rng(7), 0, 0
    truth = truth_by(name, sizes[1], distances[0])
    for _ in range(repetitions):
        positive, rows = drawn(some, *sizes, distances)
        evaluation = evaluate(campaign(positive, rows, official=official), Options(seed=1))
        row = evaluation.keys.index(ScoreKey(name))
        intervals = evaluation.certainty.intervals
        holds += ((intervals.lower[row] <= truth) & (truth <= intervals.upper[row])).mean()
        found += evaluation.comparison(official).ahead.any()
    return holds / repetitions, found / repetitions


@pytest.mark.parametrize(
    ("official", "name"), [("auc", "auc"), ("brier", "auc"), ("average_precision",) * 2]
)
def test_equal_teams_are_rarely_told_apart_and_intervals_hold(official, name):
    """A few campaigns under each official metric; the tests below draw as many as it takes to tell 5% from 9%."""
    holds, found = covered((150, 0.3), (1.0,) * 4, 4, official, name)
    assert holds > 0.8
    assert found <= 1 / 4


@slow("test_equal_teams_are_rarely_told_apart_and_intervals_hold")
@pytest.mark.parametrize(
    ("n_items", "share", "distance"),
    [(100, 0.3, 1.0), (300, 0.1, 2.5), (600, 0.5, 1.5), (80, 0.5, 0.0)],
)
def test_error_rates_and_coverage(n_items, share, distance):
    """At most some 6% of campaigns of five equal teams, and about 95% of intervals."""
    holds, found = covered((n_items, share), (distance,) * 5, 400, "auc")
    assert 0.92 < holds <= 1
    assert found < 0.085


@slow("test_equal_teams_are_rarely_told_apart_and_intervals_hold")
@pytest.mark.parametrize(
    ("n_items", "share", "distance"),
    [(100, 0.3, 1.0), (300, 0.1, 2.5), (600, 0.5, 1.5), (1000, 0.05, 1.5)],
)
def test_error_rates_and_coverage_by_item_weights(n_items, share, distance):
    """Likewise of average precision."""
    holds, found = covered(
        (n_items, share), (distance,) * 5, 400, "average_precision", "average_precision"
    )
    assert 0.92 < holds <= 1
    assert found < 0.085


def test_of_several_classes_variances_are_those_of_their_mean():
    """Each item adds the mean of what it adds to each class; the null variance is that of the classes apart."""
    some = np.random.default_rng(8)
    labels = LabelSet(("a", "b", "c"))
    gold = some.integers(0, 3, 200)
    rows = [some.random((200, 3)) + lead * np.eye(3)[gold] for lead in (0.6, 0.5)]
    teams = tuple(
        Submission(f"T{place}", row.argmax(axis=1).astype(np.uint8), scores=row)
        for place, row in enumerate(rows)
    )
    task = Task("t", "T", labels, official_metric=ScoreKey("auc"), scored_labels=tuple(labels))
    made = Campaign(task, Gold(labels, gold.astype(np.uint8)), teams)
    evaluation = evaluate(made)
    apart = [
        evaluate(campaign(gold == label, [row[:, label] for row in rows], official="auc"))
        for label in range(3)
    ]
    found = differences_by(evaluation, "auc", made)
    leads = np.array([np.subtract(*each.scores_of(ScoreKey("auc"))) for each in apart])
    sizes = np.bincount(gold)
    null = max((leads**2 * (1 / sizes + 1 / (200 - sizes))).sum() / 9, leads.mean() ** 2 / 200)
    variance = found.covariance[0, 0] + found.covariance[1, 1] - 2 * found.covariance[0, 1]
    assert found.error[0, 1] ** 2 == pytest.approx(variance + null)
    boot = []
    for _ in range(200):
        drawn_items = some.integers(0, 200, 200)
        one_hot = np.eye(3)[gold[drawn_items]]
        boot.append([roc_auc_score(one_hot, row[drawn_items]) for row in rows])
    assert np.var(np.subtract(*np.transpose(boot))) == pytest.approx(variance, rel=0.35)

    def widths(each):
        row, intervals = each.keys.index(ScoreKey("auc")), each.certainty.intervals
        return intervals.upper[row] - intervals.lower[row]

    assert (widths(evaluation) < np.mean([widths(each) for each in apart], axis=0)).all()
