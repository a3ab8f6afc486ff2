"""The official metric is checked once, for folders and for Python."""

import pytest

from audit.domain import LabelSet, Policies, ScoreKey
from audit.errors import MetricNameError
from audit.metrics.official_metric import official_metric

LABELS = LabelSet(("no", "yes"))


def checked(name, *, prevalences=(), scored_labels=(), policies=None):
    """The key, and what each defect is about."""
    key, defects = official_metric(
        name,
        LABELS,
        prevalences=prevalences,
        scored_labels=scored_labels,
        policies=policies or Policies(),
    )
    return key, [defect.about for defect in defects]


def test_a_metric_that_goes_with_the_task_has_no_defect():
    assert checked("averaged_f1~") == (ScoreKey("averaged_f1", "balanced"), [])
    assert checked("kappa@newsroom", prevalences=["newsroom"])[1] == []
    assert checked("auc", scored_labels=("yes",))[1] == []


def test_scores_of_items_are_needed_where_the_metric_is_of_them():
    assert checked("auc")[1] == ["item scores"]


def test_the_best_run_is_not_chosen_by_ranks():
    best = Policies(runs="best")
    assert checked("mean_rank(accuracy,kappa)", policies=best)[1] == ["runs"]
    assert checked("accuracy", policies=best)[1] == []


def test_a_metric_of_unanswered_items_needs_them():
    dropping = Policies(missing="drop")
    assert checked("answered_averaged_f1", policies=dropping)[1] == ["missing items"]
    assert checked("averaged_f1", policies=dropping)[1] == []


def test_the_class_distribution_is_one_of_the_task():
    assert checked("kappa@newsrom", prevalences=["newsroom"])[1] == ["prevalence"]


def test_no_metric_is_guessed():
    with pytest.raises(MetricNameError, match="is two metrics"):
        checked("macro_f1")
