"""Degenerate confusions: what is undefined, what is exactly 0, and what is neither."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.domain import BALANCED, OBSERVED, LabelSet, ScoreKey
from audit.metrics import AGGREGATES, METRICS, Margins, calibrate, score

from .strategies import TRIED, by_kernel

PREVALENCES = pytest.mark.parametrize("calibrated", [False, True], ids=["observed", "balanced"])


def all_confusions():
    """Every confusion of two classes with cells from 0 to 2."""
    cells = np.indices((3,) * 6).reshape(6, -1).T.reshape(-1, 2, 3)
    return cells[cells.sum(axis=(-2, -1)) > 0]


CONFUSIONS = all_confusions()
GOLD_CONSTANT = (CONFUSIONS.sum(axis=-1) > 0).sum(axis=-1) == 1
PREDICTIONS_CONSTANT = (CONFUSIONS.sum(axis=-2) > 0).sum(axis=-1) == 1
SAME_CLASS = (CONFUSIONS[:, 0, 0] == CONFUSIONS.sum(axis=(1, 2))) | (
    CONFUSIONS[:, 1, 1] == CONFUSIONS.sum(axis=(1, 2))
)


def is_positive_zero(values):
    """Where a score is 0 and not −0.0."""
    return (values == 0) & ~np.signbit(values)


@PREVALENCES
def test_kappa_is_undefined_iff_both_are_constant_on_the_same_class(calibrated):
    """All 728 confusions; one that is constant otherwise has kappa 0."""
    kappa = by_kernel("kappa", CONFUSIONS, calibrated=calibrated)
    np.testing.assert_array_equal(np.isnan(kappa), SAME_CLASS)
    assert is_positive_zero(kappa[(GOLD_CONSTANT | PREDICTIONS_CONSTANT) & ~SAME_CLASS]).all()


@PREVALENCES
def test_mcc_is_undefined_iff_both_are_constant_and_0_where_one_is(calibrated):
    """All 728 confusions; predictions that are all unanswered are constant."""
    mcc = by_kernel("mcc", CONFUSIONS, calibrated=calibrated)
    np.testing.assert_array_equal(np.isnan(mcc), GOLD_CONSTANT & PREDICTIONS_CONSTANT)
    assert is_positive_zero(mcc[GOLD_CONSTANT ^ PREDICTIONS_CONSTANT]).all()


@PREVALENCES
def test_zero_is_never_negative_zero(calibrated):
    """A score of 0 prints without a sign."""
    margins = Margins.of(calibrate(CONFUSIONS) if calibrated else CONFUSIONS)
    for metric in TRIED:
        found = metric.kernel(margins)
        assert not np.signbit(found[found == 0]).any(), metric.slug


@pytest.mark.parametrize("slug", ["kappa", "mcc"])
@PREVALENCES
def test_the_constant_predictor_on_which_scikit_learn_returns_nan(slug, calibrated):
    """Gold 46 / 14, everything predicted as the second class: exactly 0."""
    assert is_positive_zero(
        by_kernel(slug, np.array([[0, 46, 0], [0, 14, 0]]), calibrated=calibrated)
    )


@pytest.mark.parametrize("slug", ["kappa", "mcc"])
@PREVALENCES
@given(gold=st.lists(st.integers(1, 100_000), min_size=2, max_size=8), data=st.data())
def test_a_constant_predictor_scores_exactly_zero(slug, calibrated, gold, data):
    """Whatever the gold counts and whatever the constant: the majority, a class that gold lacks, or unanswered."""
    confusion = np.zeros((len(gold) + 1, len(gold) + 2), dtype=int)
    confusion[:-1, data.draw(st.integers(0, len(gold) + 1))] = gold
    assert is_positive_zero(by_kernel(slug, confusion, calibrated=calibrated))


@pytest.mark.parametrize("slug", ["kappa", "mcc"])
@given(
    gold=st.lists(st.integers(1, 30_000), min_size=2, max_size=8),
    weights=st.lists(st.integers(1, 1_000), min_size=9, max_size=9),
)
# in floats kappa is 5e-17
@example(gold=[17_591, 23_297, 28_752, 18_339], weights=[716, 858, 980, 537, 574])
def test_predictions_without_any_relation_to_gold_score_exactly_zero(slug, gold, weights):
    """Whole rows in one proportion, unanswered items included: zero is decided on integers, also of a billion items."""
    confusion = np.outer(gold, weights[: len(gold)] + weights[-1:])
    assert is_positive_zero(by_kernel(slug, confusion))


@PREVALENCES
def test_the_majority_predictor_on_which_torchmetrics_returns_985(calibrated):
    """An always-majority binary predictor has MCC 0."""
    assert is_positive_zero(
        by_kernel("mcc", np.array([[985, 0, 0], [15, 0, 0]]), calibrated=calibrated)
    )


@pytest.mark.parametrize("metric", AGGREGATES, ids=lambda metric: metric.slug)
@PREVALENCES
def test_a_submission_without_answers_scores_zero(metric, calibrated):
    """Nobody wins by silence, and silence is not undefined."""
    assert is_positive_zero(
        by_kernel(metric.slug, np.array([[0, 0, 30], [0, 0, 10]]), calibrated=calibrated)
    )


def test_silence_on_a_single_class():
    """Cohen's kappa is 0, for gold and predictions are not constant on one class; MCC has no value, for both are."""
    confusion = np.array([[0, 0, 30], [0, 0, 0]])
    assert is_positive_zero(by_kernel("kappa", confusion))
    assert np.isnan(by_kernel("mcc", confusion))


@PREVALENCES
def test_class_scores_of_a_class_without_gold_are_undefined(calibrated):
    """Predicted or not; and a class of gold that was never predicted has precision 0, not an undefined one."""
    confusion = np.array([[3, 0, 1, 0, 0], [2, 0, 0, 0, 1], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
    for slug in ("recall", "precision", "f1"):
        found = by_kernel(slug, confusion, calibrated=calibrated)
        assert np.isnan(found).tolist() == [False, False, True, True]
        assert is_positive_zero(found[1])


@pytest.mark.parametrize(
    "slug", [metric.slug for metric in METRICS.values() if metric.takes == "classes"]
)
@pytest.mark.parametrize("prevalence", [OBSERVED, BALANCED], ids=str)
def test_an_average_over_classes_that_gold_lacks_is_undefined(slug, prevalence):
    """Over classes some of which are in gold it is the average of those."""
    confusion = np.array([[3, 1, 0, 0, 0], [1, 4, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
    names = [f"{slug}[c,d]", f"{slug}[a,d]", f"{slug}[a]"]
    keys = [ScoreKey(name, prevalence.name) for name in names]
    absent, partly, present = score(confusion, keys, [prevalence], LabelSet(tuple("abcd")))
    assert np.isnan(absent)
    assert partly == present > 0


@pytest.mark.parametrize("slug", ["geometric_macro_recall", "harmonic_macro_recall"])
def test_one_missed_class_takes_the_whole_mean_to_zero(slug):
    """A single recall of 0 gives 0, and a class that gold lacks does not."""
    assert is_positive_zero(by_kernel(slug, np.array([[9, 0, 0], [1, 0, 0]])))
    assert by_kernel(slug, np.array([[9, 0, 0], [0, 0, 0]])) == 1


def test_no_average_over_no_class():
    """A kernel that averages says that it cannot, where no class is averaged; and never divides by 0."""
    margins = Margins.of(np.array([[3, 1, 0], [1, 2, 0]]), averaged=np.zeros(2, dtype=bool))
    for metric in TRIED:
        averages = metric.averages and metric.takes != "class"
        assert np.isnan(metric.kernel(margins)).all() == averages, metric.slug


@pytest.mark.parametrize(("slug", "expected"), [("kappa", 0.5), ("mcc", 0.5773502691896258)])
def test_a_single_error_against_constant_predictions_is_not_constant(slug, expected):
    """Just beside the degenerate case the formulas hold: [[1, 1], [0, 2]] by hand, kappa 1/2 and MCC 1/√3."""
    assert by_kernel(slug, np.array([[1, 1, 0], [0, 2, 0]])) == pytest.approx(expected, rel=1e-15)


@given(gold=st.lists(st.integers(1, 100_000), min_size=2, max_size=8))
def test_perfect_predictions_survive_rounding_at_balanced_prevalence(gold):
    """Masses that do not add up exactly are still two classes, both right: kappa is 1, not undefined."""
    balanced = calibrate(np.diag(gold) @ np.eye(len(gold), len(gold) + 1, dtype=int))
    assert METRICS["kappa"].kernel(Margins.of(balanced)) == pytest.approx(1, abs=1e-15)
