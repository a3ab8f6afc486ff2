"""Metrics that an evaluation has where they are official or asked for: everywhere then, and nowhere otherwise."""

import numpy as np
import pytest

import audit
from audit.domain import ScoreKey
from audit.inference.relation import choices
from audit.metrics import METRICS, STANDARD, TRIGGERS, VOTERS
from audit.readings import identify
from tests.readings.tables import printed, published

FURTHER = [metric for metric in METRICS.values() if not metric.standard]
LABELS = ("a", "b", "rest")


def predictions(n_items=300, seed=1):
    """Gold of three classes, the last one most of it, and three teams."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(LABELS, n_items, p=[0.2, 0.2, 0.6]).tolist()
    teams = {
        name: [label if rng.random() < right else rng.choice(LABELS) for label in gold]
        for name, right in (("X", 0.8), ("Y", 0.75), ("Z", 0.4))
    }
    return gold, teams


def evaluation_by(name, **options):
    """An evaluation that is ranked by a metric."""
    gold, teams = predictions()
    return audit.evaluate(gold, teams, official_metric=name, **options)


def partly_answered():
    """The same gold and teams, of which each leaves items open: X few, Z many."""
    gold, teams = predictions()
    rng = np.random.default_rng(2)
    shares = {"X": 0.05, "Y": 0.15, "Z": 0.4}
    return gold, {
        name: [None if rng.random() < shares[name] else label for label in given]
        for name, given in teams.items()
    }


def named(metric):
    """A score of each metric."""
    return metric.slug + ("[a]" if metric.takes == "class" else "")


@pytest.mark.parametrize("metric", FURTHER, ids=lambda metric: metric.slug)
def test_a_campaign_may_be_ranked_by_it(metric):
    """Scores, intervals, comparisons, and what carries the first place follow it.

    Items are left open for those that heed it: where none is, coverage is 1 for every team, and scores of the answered
    items are those of all. Of others specificity rises with open items, which are no false alarms.
    """
    gold, teams = partly_answered() if metric.abstention else predictions()
    evaluation = audit.evaluate(gold, teams, official_metric=named(metric))
    key = evaluation.task.ranking_metric
    assert str(key) == named(metric)
    scores, order = evaluation.scores_of(key), evaluation.order(key)
    assert (np.diff(scores[list(order)]) <= 0).all()
    certainty = evaluation.certainty
    row = evaluation.keys.index(key)
    assert (certainty.intervals.lower[row] < scores).all()
    assert (scores < certainty.intervals.upper[row]).all()
    comparison = evaluation.comparison(key)
    assert comparison.ahead[0, 2]  # X is far ahead of Z
    assert evaluation.power[0].carried_by is not None
    assert not any(key in (one, other) for _, one, other in choices(evaluation_by("accuracy")))


def test_the_tables_of_other_campaigns_are_without_them():
    """No key, no formula, no vote."""
    evaluation = evaluation_by("accuracy")
    standard = {metric.slug for metric in STANDARD}
    assert {key.metric.partition("[")[0] for key in evaluation.keys} == standard
    assert not {metric.slug for metric in FURTHER} & {
        metric.slug for metric in (*VOTERS, *TRIGGERS)
    }


def test_what_is_asked_for_is_scored_and_defined(tmp_path):
    """Also by a number that no list has, and over classes but the rest class."""
    gold, teams = predictions()
    asked = ("averaged_f1.5", "micro_f1[a,b]", "f3[a]~")
    evaluation = audit.evaluate(gold, teams, metrics=asked)
    assert not np.isnan([evaluation.scores_of(ScoreKey(name.rstrip("~"))) for name in asked]).any()
    page = audit.write_report(evaluation, tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(f'id="metric-{slug}"' in page for slug in ("averaged_f1.5", "micro_f1", "f3"))
    assert 'id="metric-micro_recall"' not in page


@pytest.mark.parametrize(
    ("heading", "metric"), [("F2", "averaged_f2"), ("mIoU", "macro_jaccard"), ("f3[a]", "f3[a]")]
)
def test_what_a_heading_names_is_tried(heading, metric):
    """And what none names is not: the more is tried, the more matches by chance."""
    gold, teams = predictions()
    evaluation = audit.evaluate(gold, teams, metrics=(metric,), certainty=False)
    scores = printed(evaluation.scores_of(ScoreKey(metric)), 4)
    (column,) = identify(evaluation, published({heading: scores}, evaluation.names)).columns
    assert str(column.matches[0].reading) == metric
    assert column.is_exact
    (column,) = identify(evaluation, published({"score": scores}, evaluation.names)).columns
    assert metric not in [str(reading) for match in column.matches for reading in match.readings]


def test_a_micro_f1_over_all_but_the_rest_class_is_found_by_its_numbers():
    """As relation extraction publishes it."""
    gold, teams = predictions()
    evaluation = audit.evaluate(gold, teams, metrics=("micro_f1[a,b]",))
    scores = evaluation.scores_of(ScoreKey("micro_f1[a,b]"))
    (column,) = identify(evaluation, published({"F": printed(scores, 4)}, evaluation.names)).columns
    assert any(reading.slug == "micro_f1" for match in column.matches for reading in match.readings)


@pytest.mark.parametrize(
    "name", ["specificity[a]", "jaccard[a]", "f2[a]", "informedness[a]~", "micro_f1[a,b]"]
)
def test_groups_widen_its_interval(name):
    """Items that stand and fall together are fewer than they look."""
    gold, teams = predictions(100)
    gold, teams = gold * 4, {team: given * 4 for team, given in teams.items()}
    groups = list(range(100)) * 4
    widths = []
    for given in (None, groups):
        evaluation = audit.evaluate(gold, teams, official_metric=name, groups=given)
        row = evaluation.keys.index(evaluation.task.ranking_metric)
        intervals = evaluation.certainty.intervals
        widths.append(intervals.upper[row] - intervals.lower[row])
    assert (widths[1] > 1.5 * widths[0]).all()


def test_where_a_class_is_hardly_predicted_its_f_beta_has_an_interval():
    """No share of items, and so by its right and false answers, of which there are few."""
    gold, teams = predictions()
    teams["Z"] = ["a" if place < 2 else "rest" for place in range(len(gold))]
    evaluation = audit.evaluate(gold, teams, metrics=["f2[a]", "specificity[a]"])
    lower, upper = evaluation.intervals.loc["Z", "f2[a]"]
    assert lower <= evaluation.scores.loc["Z", "f2[a]"] < upper
    assert not evaluation.marks[["f2[a]", "specificity[a]"]].loc["Z"].any()


@pytest.mark.parametrize(
    "name", ["macro_recall_p2", "macro_recall_p-2", "mean(macro_recall_p2,macro_recall)"]
)
def test_a_mean_of_recalls_has_no_column_at_balanced_prevalence_unless_it_is_asked_for(name):
    """Nothing is lost: the column would hold the same numbers again, at any class distribution."""
    gold, teams = predictions()
    found = audit.evaluate(gold, teams, metrics=[name], certainty=False)
    assert [str(key) for key in found.keys if key.metric == name] == [name]
    both = audit.evaluate(gold, teams, metrics=[name, f"{name}~"], certainty=False)
    np.testing.assert_allclose(
        both.scores_of(ScoreKey(name)), both.scores_of(ScoreKey(name, "balanced")), rtol=1e-12
    )
    recalls = np.array(
        [
            [np.mean(np.array(row)[np.array(gold) == label] == label) for label in LABELS]
            for row in teams.values()
        ]
    )
    exponent = {"macro_recall_p2": 2, "macro_recall_p-2": -2}.get(name)
    squares = (recalls ** (exponent or 2)).mean(axis=1) ** (1 / (exponent or 2))
    expected = squares if exponent else (squares + recalls.mean(axis=1)) / 2
    np.testing.assert_allclose(both.scores_of(ScoreKey(name, "balanced")), expected, rtol=1e-12)
