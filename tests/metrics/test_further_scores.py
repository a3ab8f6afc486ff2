"""What is special about the metrics that an evaluation has where they are asked for: identities and other oracles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycm import ConfusionMatrix
from scipy.stats import pmean
from sklearn import metrics as sklearn_metrics

from audit.domain import BALANCED, OBSERVED, ScoreKey
from audit.errors import MetricNameError
from audit.metrics import METRICS, parse_reading, phrase, score

from .strategies import by_kernel, confusions, items_of, label_set_of, shares_for


def scored(confusion, *names, prevalence=OBSERVED):
    """Scores of one confusion by name."""
    keys = [ScoreKey(name, prevalence.name) for name in names]
    return score(confusion, keys, [prevalence], label_set_of(confusion))


@given(
    confusion=confusions(least_present=2), beta=st.sampled_from(["0.5", "2", "3", "0.01", "100"])
)
def test_an_f_beta_lies_between_precision_and_recall(confusion, beta):
    """Of a class and on average; for a small β near precision, for a large one near recall."""
    code = int(np.flatnonzero(confusion.sum(axis=1))[0])
    value, precision, recall = scored(
        confusion, *(f"{name}[c{code}]" for name in (f"f{beta}", "precision", "recall"))
    )
    assert min(precision, recall) - 1e-12 <= value <= max(precision, recall) + 1e-12
    near = {"0.01": precision, "100": recall}.get(beta)
    assert (
        near is None or abs(value - near) <= max(precision, recall) * 2e-2 or not precision * recall
    )


@given(confusion=confusions(least_present=2))
def test_a_class_jaccard_is_a_function_of_its_f1(confusion):
    """J = F1/(2 - F1)."""
    f1 = by_kernel("f1", confusion)
    np.testing.assert_allclose(by_kernel("jaccard", confusion), f1 / (2 - f1), rtol=0, atol=1e-12)


@given(confusion=confusions(least_present=2))
def test_macro_informedness_is_macro_recall_and_macro_specificity(confusion):
    """Less 1; and with all classes predicted alone and answered, the recalls of two classes less 1."""
    recall, specificity, informedness = scored(
        confusion, "macro_recall", "macro_specificity", "macro_informedness"
    )
    assert informedness == pytest.approx(recall + specificity - 1, abs=1e-12)


@given(
    confusion=confusions(least_present=2, answered=True, largest=40).filter(
        lambda cells: len(cells) == 2
    )
)
def test_informedness_of_two_classes_is_adjusted_balanced_accuracy(confusion):
    """With every item answered, as scikit-learn has it."""
    gold, predicted = items_of(confusion)
    expected = sklearn_metrics.balanced_accuracy_score(gold, predicted, adjusted=True)
    assert scored(confusion, "informedness[c0]", "macro_informedness") == pytest.approx(
        [expected, expected], abs=1e-12
    )


@given(confusion=confusions(least_present=2, answered=True))
def test_all_classes_together_are_accuracy(confusion):
    """Micro recall always; micro precision and micro F1 where gold has every class that is predicted."""
    accuracy, recall, precision, f1 = scored(
        confusion, "accuracy", "micro_recall", "micro_precision", "micro_f1"
    )
    assert recall == pytest.approx(accuracy, abs=1e-12)
    if (confusion.sum(axis=1) > 0).all():
        assert [precision, f1] == pytest.approx([accuracy, accuracy], abs=1e-12)


@given(data=st.data())
def test_weighted_macro_recall_is_accuracy_at_a_prevalence(data):
    """Recalls weighted by shares that a user names are accuracy at this prevalence."""
    confusion = data.draw(confusions(least_present=2))
    named, labels = data.draw(shares_for(confusion)), label_set_of(confusion)
    recalls = by_kernel("recall", confusion)
    expected = sum(share * recalls[labels.code_of[label]] for label, share in named.shares)
    assert scored(confusion, "accuracy", prevalence=named)[0] == pytest.approx(expected, abs=1e-12)


@given(confusion=confusions(least_present=2).filter(lambda cells: (np.diagonal(cells) > 0).any()))
def test_means_of_recalls_grow_with_the_exponent(confusion):
    """From the smallest recall to the largest, through the harmonic, the geometric and the plain mean."""
    names = [f"macro_recall_p{p}" for p in (-100, -5, -2)]
    names += [
        "harmonic_macro_recall",
        "macro_recall_p-0.5",
        "geometric_macro_recall",
        "macro_recall_p0.5",
    ]
    names += ["macro_recall", "macro_recall_p2", "macro_recall_p5", "macro_recall_p100"]
    values = scored(confusion, *names)
    recalls = by_kernel("recall", confusion)
    assert (np.diff(values) >= -1e-9).all()
    assert np.nanmin(recalls) - 1e-12 <= values[0]
    assert values[-1] <= np.nanmax(recalls) + 1e-12
    if np.nanmin(recalls) > 0:
        for name, exponent in (
            ("macro_recall_p-5", -5),
            ("macro_recall_p5", 5),
            ("macro_recall_p0.5", 0.5),
        ):
            assert scored(confusion, name)[0] == pytest.approx(
                pmean(recalls[~np.isnan(recalls)], exponent), rel=1e-9
            )


@given(confusion=confusions(least_present=2, answered=True, largest=30))
def test_pycm_has_the_same_class_scores(confusion):
    """Specificity, informedness, Jaccard and F-beta of PyCM, for gold that has every class."""
    n_classes = len(confusion)
    if not (confusion.sum(axis=1) > 0).all():
        return
    table = {
        row: {column: int(confusion[row, column]) for column in range(n_classes)}
        for row in range(n_classes)
    }
    theirs = ConfusionMatrix(matrix=table)
    pairs = {
        "specificity": theirs.TNR,
        "informedness": theirs.BM,
        "jaccard": theirs.J,
        "f2": theirs.F2,
    }
    for slug, values in pairs.items():
        expected = [values[code] for code in range(n_classes)]
        known = [isinstance(value, (int, float)) for value in expected]
        found = by_kernel(slug, confusion)[known]
        np.testing.assert_allclose(
            found, [v for v, k in zip(expected, known, strict=True) if k], atol=1e-9
        )


@given(confusion=confusions(least_present=2))
def test_a_precision_over_classes_left_out_counts_their_answers_as_errors(confusion):
    """Micro scores over all classes but one: answers of the rest class are no answers, its items no hits."""
    labels = label_set_of(confusion)
    kept = [code for code in range(1, len(labels)) if confusion[code].any()]
    if not kept:
        return
    names = ",".join(labels.labels[code] for code in kept)
    found = scored(
        confusion, f"micro_precision[{names}]", f"micro_recall[{names}]", f"micro_f1[{names}]"
    )
    correct = confusion[kept, kept].sum()
    answers, items = confusion[:, kept].sum(), confusion[kept].sum()
    expected = [
        correct / answers if answers else 0,
        correct / items,
        2 * correct / (answers + items),
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        ("micro_f1(union)", "write declared"),
        ("micro_f1(undefined=dropped)", "no average to drop the class from"),
    ],
)
def test_sums_have_no_readings_that_change_nothing(signature, words):
    """Each reading has one signature."""
    labels = label_set_of(np.eye(3, 4))
    with pytest.raises(MetricNameError, match=words):
        parse_reading(signature, labels)


def test_calibration_leaves_the_means_of_recalls_alone():
    """Opitz 2024, section 5.1: they have all properties; informedness changes."""
    confusion = np.array([[50, 10, 5, 1], [2, 20, 3, 0], [1, 1, 3, 1]])
    for slug in ("macro_recall_p2", "macro_recall_p-2", "macro_recall_p0.5"):
        observed, balanced = scored(confusion, slug), scored(confusion, slug, prevalence=BALANCED)
        assert observed == pytest.approx(balanced, abs=1e-12)
    assert scored(confusion, "macro_informedness") != scored(
        confusion, "macro_informedness", prevalence=BALANCED
    )


def test_names_inside_sentences():
    """Of a class “of”, over classes “over”."""
    labels = label_set_of(np.eye(3, 4))
    assert phrase(ScoreKey("f2[c1]"), labels) == "F2 of “c1”"
    assert phrase(ScoreKey("micro_f1[c0,c1]"), labels) == "micro F1 over “c0” and “c1”"
    assert METRICS["averaged_f1.5"].phrase == "macro-averaged F1.5"
