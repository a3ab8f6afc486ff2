"""How sure means are of which some scores are of labels and some of single items: against DeLong and simulations."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import accuracy_score, average_precision_score, f1_score, roc_auc_score

from audit.domain import MARKS, Mark, ScoreKey
from audit.evaluation import evaluate
from audit.inference.differences import differences
from audit.inference.items import items_of
from audit.metrics import parse_score_key
from tests.nightly import slow, whole_or

from . import scored_campaigns
from .campaigns import ends_of_entry
from .scored_campaigns import LABELS, drawn

OF_BOTH = "mean(accuracy,auc)"
campaign = partial(scored_campaigns.campaign, official=OF_BOTH)


def differences_by(made, name):
    """All paired differences by a metric."""
    evaluation = evaluate(made, also=[name])
    return differences(
        evaluation, ScoreKey(name), items_of(evaluation, made.predictions_of(evaluation.entries))
    )


def delong_and_accuracy(positive, rows):
    """Covariance of the means of accuracy and AUC: placements and hits of each item, added up."""
    scores = np.array(rows)
    above = (scores[:, positive, None] > scores[:, None, ~positive]).astype(float)
    added = np.empty(scores.shape)
    for of_class, placed in ((positive, above.mean(axis=2)), (~positive, above.mean(axis=1))):
        n_items = of_class.sum()
        added[:, of_class] = (placed - placed.mean(axis=1, keepdims=True)) / np.sqrt(
            n_items * (n_items - 1)
        )
    hits = ((scores > 0.5) == positive).astype(float)
    return (added + (hits - hits.mean(axis=1, keepdims=True)) / positive.size) / 2


def test_covariances_are_those_of_delong_and_of_hits_added_up():
    """Item by item, so that what accuracy and AUC share counts."""
    positive, rows = drawn(np.random.default_rng(1), 160, 0.3, (1.5, 1.0, 0.2))
    added = delong_and_accuracy(positive, rows)
    found = differences_by(campaign(positive, rows), OF_BOTH)
    assert found.covariance == pytest.approx(added @ added.T, rel=1e-9)
    lead = added[0] - added[1]
    assert found.spread[0, 1] == pytest.approx(np.sqrt((lead**2).sum()))
    assert (found.error >= found.spread).all()


def test_covariances_are_those_of_a_bootstrap():
    """Also of macro-averaged F1 and average precision, for which draws of item weights stand in place of items."""
    some = np.random.default_rng(2)
    positive, rows = drawn(some, 400, 0.4, (1.5, 1.0))
    scores = np.array(rows)
    values = []
    for _ in range(whole_or(400, 4000)):
        items = some.integers(0, positive.size, positive.size)
        gold, here = positive[items], scores[:, items]
        by_labels = [f1_score(gold, row > 0.5, average="macro") for row in here]
        by_scores = [
            [each(gold, row) for each in (roc_auc_score, average_precision_score)] for row in here
        ]
        values.append((np.array(by_labels)[:, None] + by_scores) / 2)
    spread = np.std(values, axis=0)
    apart = np.std(np.subtract(*np.moveaxis(np.array(values), 1, 0)), axis=0)
    for place, name in enumerate(("auc", "average_precision")):
        found = differences_by(campaign(positive, rows), f"mean(averaged_f1,{name})")
        assert np.sqrt(np.diag(found.covariance)) == pytest.approx(spread[:, place], rel=0.12)
        assert found.spread[0, 1] == pytest.approx(apart[place], rel=0.12)


@pytest.mark.parametrize(
    "name", [OF_BOTH, "mean(3*mcc,auc)", "mean(averaged_f1,auc)~", "mean(f1[yes],auc,kappa)"]
)
@pytest.mark.parametrize("stratified", [False, True])
def test_intervals_of_many_items_are_two_standard_errors(name, stratified):
    """Pseudo-items and Wilson's bend are gone by then: what is left is the variance of the sum."""
    positive, rows = drawn(np.random.default_rng(10), 20_000, 0.4, (1.5, 0.7))
    made = campaign(positive, rows, stratified=stratified)
    evaluation = evaluate(made, also=[name])
    key = parse_score_key(name, LABELS)
    items = items_of(evaluation, made.predictions_of(evaluation.entries))
    errors = np.sqrt(np.diag(differences(evaluation, key, items).covariance))
    for team in (0, 1):
        lower, upper = ends_of_entry(evaluation, key, team, items, 1.96)
        assert (upper - lower) / 2 == pytest.approx(1.96 * errors[team], rel=0.01)


def test_variance_under_no_difference_is_that_of_the_parts_together():
    """Accuracy lacks the square of its difference over all items, AUC over those of each class."""
    positive, rows = drawn(np.random.default_rng(3), 150, 0.3, (1.5, 0.9))
    made = campaign(positive, rows)
    found = differences_by(made, OF_BOTH)
    scores = [[accuracy_score(positive, row > 0.5), roc_auc_score(positive, row)] for row in rows]
    by_accuracy, by_auc = np.abs(np.subtract(*np.array(scores)))
    counts = positive.sum(), (~positive).sum()
    null = (
        by_accuracy / np.sqrt(positive.size) + by_auc * np.sqrt(1 / counts[0] + 1 / counts[1])
    ) / 2
    assert found.error[0, 1] ** 2 - found.spread[0, 1] ** 2 == pytest.approx(null**2)


@pytest.mark.parametrize("second", ["auc", "average_precision", "mcc"])
def test_groups_are_what_is_drawn(second):
    """Items in threes that say the same have the errors of a third of the items, about; one group says nothing."""
    name = f"mean(averaged_f1,auc,{second})" if second != "auc" else "mean(averaged_f1,auc)"
    positive, rows = drawn(np.random.default_rng(4), 80, 0.4, (1.5, 0.5))
    alone = campaign(positive, rows, official=name)
    threes = campaign(
        np.repeat(positive, 3),
        [np.repeat(row, 3) for row in rows],
        official=name,
        groups=np.arange(240) // 3,
    )
    errors = [differences_by(made, name).error[0, 1] for made in (alone, threes)]
    assert errors[1] == pytest.approx(errors[0], rel=0.08)
    apart, together = evaluate(alone), evaluate(threes)
    row = apart.keys.index(ScoreKey(name))
    widths = [
        (each.certainty.intervals.upper - each.certainty.intervals.lower)[row]
        for each in (apart, together)
    ]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    assert (together.certainty.ungrouped.upper - together.certainty.ungrouped.lower)[
        row
    ].max() < widths[1].min()
    one = campaign(positive, rows, official=name, groups=np.zeros(80, dtype=np.int64))
    assert differences_by(one, name).teams.size == 0
    marks = evaluate(one).certainty.intervals.marks[row]
    assert [MARKS[mark] for mark in marks] == [Mark.FEW_GROUPS] * 2


def test_a_mean_of_scores_of_items_alone_needs_no_label():
    """AUC and average precision: whatever the labels are, nothing moves."""
    positive, rows = drawn(np.random.default_rng(5), 90, 0.4, (1.5, 0.5))
    name = "mean(auc,average_precision)"
    one, other = (
        evaluate(campaign(positive, rows, official=name, thresholds=each))
        for each in ((0.5, 0.5), (0.9, 0.1))
    )
    key, row = ScoreKey(name), one.keys.index(ScoreKey(name))
    expected = [
        (roc_auc_score(positive, each) + average_precision_score(positive, each)) / 2
        for each in rows
    ]
    assert one.scores_of(key) == pytest.approx(expected)
    for end in ("lower", "upper"):
        ends = [getattr(each.certainty.intervals, end)[row] for each in (one, other)]
        np.testing.assert_array_equal(*ends)
        assert not np.isnan(ends[0]).any()


def test_intervals_hold_their_scores_and_widen_with_the_quantile():
    """Also of a team without an error, which is not taken for one that cannot err."""
    positive = np.arange(60) < 20
    made = campaign(positive, [positive * 0.8 + 0.1, np.sin(np.arange(60)) / 2 + 0.5])
    evaluation = evaluate(made)
    items, key = items_of(evaluation, made.predictions_of(evaluation.entries)), ScoreKey(OF_BOTH)
    lower, upper = (
        getattr(evaluation.certainty.intervals, end)[evaluation.keys.index(key)]
        for end in ("lower", "upper")
    )
    scores = evaluation.scores_of(key)
    assert (lower[0] < 0.98, upper[0], scores[0]) == (True, 1.0, 1.0)
    assert lower[1] < scores[1] < upper[1]
    narrow, wide = (ends_of_entry(evaluation, key, 1, items, quantile) for quantile in (1.0, 3.0))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def rarely(name, n_positive, threshold):
    """The intervals, with the scores, by a mean, of two teams that answer yes from a threshold on."""
    positive = np.arange(80) < n_positive
    scores = np.random.default_rng(6).random(80)
    evaluation = evaluate(
        campaign(positive, [scores, scores[::-1]], official=name, thresholds=(threshold,) * 2)
    )
    row, intervals = evaluation.keys.index(ScoreKey(name)), evaluation.certainty.intervals
    return intervals.lower[row], evaluation.values[row], intervals.upper[row], intervals.marks[row]


def test_where_a_part_has_no_interval_the_mean_has_none():
    """For the reason of the part."""
    lower, _, _, marks = rarely(OF_BOTH, 3, 2.0)
    assert [MARKS[each] for each in marks] == [Mark.RARE_CLASS] * 2
    assert np.isnan(lower).all()


@pytest.mark.parametrize("name", ["mean(macro_precision,auc)", "mean(precision[yes],auc)"])
def test_a_class_that_is_never_predicted_leaves_its_part_of_the_mean_open(name):
    """The interval is wider than where it is often predicted."""
    lower, scores, upper, marks = rarely(name, 30, 2.0)
    often = rarely(name, 30, 0.3)
    assert not marks.any()
    assert ((lower < scores) & (scores < upper)).all()
    assert (upper - lower > often[2] - often[0]).all()


def test_too_few_items_of_a_class_tell_no_teams_apart():
    """One item does not vary."""
    positive, scores = np.arange(30) < 1, np.random.default_rng(7).random(30)
    assert differences_by(campaign(positive, [scores, scores[::-1]]), OF_BOTH).teams.size == 0


@pytest.mark.parametrize(
    ("name", "n_items", "share", "distance"),
    [
        pytest.param(
            name,
            *population,
            marks=[slow("the same test of these in other pairs")] * (one != other),
        )
        for one, name in enumerate(
            (OF_BOTH, "mean(2*averaged_f1,auc)", "mean(averaged_f1,average_precision)")
        )
        for other, population in enumerate(((80, 0.3, 1.0), (300, 0.15, 2.0), (150, 0.5, 3.0)))
    ],
)
def test_intervals_cover_the_population(name, n_items, share, distance):
    """Of normal scores, of which a large sample says the mean of the population."""
    some, key = np.random.default_rng([9, n_items]), ScoreKey(name)
    n_drawn = whole_or(10 if "precision" in name else 40, 1000)
    target = float(
        evaluate(campaign(*drawn(some, 200_000, share, (distance,)), official=name)).scores_of(key)[
            0
        ]
    )
    covered = 0
    for _ in range(n_drawn):
        made = campaign(*drawn(some, n_items, share, (distance,)), official=name)
        evaluation = evaluate(made)
        items = items_of(evaluation, made.predictions_of(evaluation.entries))
        lower, upper = ends_of_entry(evaluation, key, 0, items, float(norm.ppf(0.975)))
        covered += lower <= target <= upper
    assert covered / n_drawn >= 0.92 - 3 * np.sqrt(0.92 * 0.08 / n_drawn)
