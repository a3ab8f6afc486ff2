"""The identities of prevalence calibration (METRICS.md, section 3), with unanswered items and absent classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score

from audit.errors import UsageError
from audit.metrics import calibrate

from .strategies import by_kernel, confusions, items_of, shares_for

CLOSE = {"rtol": 0, "atol": 1e-13}

IDENTITIES = {
    "accuracy": "macro_recall",
    "macro_recall": "macro_recall",
    "weighted_f1": "averaged_f1~",
    "geometric_macro_recall": "geometric_macro_recall",
    "harmonic_macro_recall": "harmonic_macro_recall",
    "recall": "recall",
}
"""A calibrated metric → the score that it always equals."""


@pytest.mark.parametrize(("calibrated", "equal"), IDENTITIES.items())
@given(confusion=confusions())
def test_a_calibrated_metric_is_another_metric(calibrated, equal, confusion):
    """Accuracy~ is macro recall, weighted F1~ macro-averaged F1~, and what averages recalls does not change."""
    expected = by_kernel(equal.rstrip("~"), confusion, calibrated=equal.endswith("~"))
    np.testing.assert_allclose(by_kernel(calibrated, confusion, calibrated=True), expected, **CLOSE)


@given(confusion=confusions(least_present=2))
def test_calibrated_kappa_is_macro_recall_beyond_chance(confusion):
    """kappa~ = (macro recall − a/k) / (1 − a/k), a the calibrated share of items answered with a class in gold."""
    present = confusion.sum(axis=1) > 0
    k = present.sum()
    balanced = calibrate(confusion)
    a = balanced[:, :-1][:, present].sum() / balanced.sum()
    expected = (by_kernel("macro_recall", confusion) - a / k) / (1 - a / k)
    np.testing.assert_allclose(
        by_kernel("kappa", confusion, calibrated=True), expected, rtol=0, atol=1e-12
    )


@given(confusion=confusions(least_present=2, answered=True, largest=40))
def test_calibrated_kappa_is_adjusted_balanced_accuracy_where_classes_in_gold_answer_all(confusion):
    """For a = 1 it is what scikit-learn calls adjusted balanced accuracy."""
    present = np.flatnonzero(confusion.sum(axis=1))
    confusion = confusion[present][:, [*present, -1]]
    confusion[:, 0] += confusion.sum(axis=1) == 0
    expected = balanced_accuracy_score(*items_of(confusion), adjusted=True)
    np.testing.assert_allclose(
        by_kernel("kappa", confusion, calibrated=True), expected, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("slug", ["macro_precision", "averaged_f1", "f1_of_averages", "mcc"])
def test_the_other_calibrated_metrics_carry_new_information(slug):
    """Two confusions with equal macro recall that the calibrated metric tells apart."""
    even, skewed = (np.array(cells) for cells in ([[8, 2, 0], [2, 8, 0]], [[10, 0, 0], [4, 6, 0]]))
    assert by_kernel("macro_recall", even) == by_kernel("macro_recall", skewed) == 0.8
    assert (
        abs(by_kernel(slug, even, calibrated=True) - by_kernel(slug, skewed, calibrated=True))
        > 0.005
    )


@given(confusion=confusions())
def test_calibration_gives_every_class_in_gold_the_same_mass(confusion):
    """The total stays, absent classes stay empty, and within a class the proportions stay."""
    balanced = calibrate(confusion)
    prevalence = confusion.sum(axis=1)
    present = prevalence > 0
    np.testing.assert_allclose(
        balanced.sum(axis=1), np.where(present, prevalence.sum() / present.sum(), 0), rtol=1e-12
    )
    shares = confusion[present] / prevalence[present, None]
    np.testing.assert_allclose(
        balanced[present] / balanced[present].sum(axis=1, keepdims=True), shares, rtol=1e-12
    )


@given(data=st.data())
def test_calibration_to_a_target_gives_the_classes_their_shares(data):
    """λ_i = |S|·π_i / prevalence(i)."""
    confusion = data.draw(confusions())
    target = np.zeros(len(confusion))
    for label, share in data.draw(shares_for(confusion)).shares:
        target[int(label[1:])] = share
    calibrated = calibrate(confusion, target)
    np.testing.assert_allclose(calibrated.sum(axis=1), target * confusion.sum(), rtol=1e-12)


@given(confusion=confusions())
def test_calibration_to_the_observed_shares_changes_nothing(confusion):
    """A prevalence that gold already has."""
    observed = confusion.sum(axis=1) / confusion.sum()
    np.testing.assert_allclose(calibrate(confusion, observed), confusion, rtol=1e-12)


def test_a_stack_may_have_a_target_for_each_member():
    """Targets of shape (..., C) go along with the leading axes."""
    confusion = np.array([[15, 15, 0], [10, 0, 0]])
    targets = np.array([[0.5, 0.5], [0.75, 0.25]])
    expected = [calibrate(confusion, target) for target in targets]
    np.testing.assert_allclose(calibrate(np.stack([confusion, confusion]), targets), expected)


BAD_TARGETS = {
    "a class in gold without a share": [1, 0, 0],
    "a share for a class that gold lacks": [0.25, 0.25, 0.5],
    "a negative share": [1.5, -0.5, 0],
    "a negative share for a class that gold lacks": [0.75, 0.5, -0.25],
    "a sum other than 1": [0.5, 0.6, 0],
    "NaN": [0.5, np.nan, 0],
    "infinite": [0.5, np.inf, 0],
}


@pytest.mark.parametrize("target", BAD_TARGETS.values(), ids=BAD_TARGETS)
def test_a_target_that_does_not_suit_the_gold_is_refused(target):
    """A prevalence is positive exactly for the classes in gold, and sums to 1."""
    confusion = np.array([[5, 1, 0, 0], [1, 2, 1, 0], [0, 0, 0, 0]])
    with pytest.raises(
        UsageError, match="A prevalence gives a positive share to every class in gold"
    ):
        calibrate(confusion, np.array(target))
