"""Every metric equals scikit-learn, observed, balanced and at any named prevalence.

Unanswered items are given to scikit-learn as one more predicted label, and averages run over the classes in gold.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gmean, hmean
from sklearn import metrics
from sklearn.utils.class_weight import compute_sample_weight

from audit.domain import BALANCED, OBSERVED, ScoreKey, code_dtype
from audit.metrics import METRICS, count_confusions, metric_name, score

from .strategies import TRIED, confusions, items_of, label_set_of, scores_of, shares_for


def averaged(function, average="macro"):
    """A scikit-learn score averaged over the classes in gold."""

    def oracle(gold, predicted, weights, classes):
        given = {
            "labels": classes,
            "average": average,
            "sample_weight": weights,
            "zero_division": 0,
        }
        return function(gold, predicted, **given)

    return oracle


def whole(function):
    """A scikit-learn score without averages."""
    return lambda gold, predicted, weights, _: function(gold, predicted, sample_weight=weights)


def mean_of_recalls(mean):
    """Another mean of scikit-learn's class recalls."""
    recalls = averaged(metrics.recall_score, None)
    return lambda *given: mean(recalls(*given))


def f1_of_averages(*given):
    """The harmonic mean of scikit-learn's macro precision and macro recall."""
    return hmean(
        [averaged(function)(*given) for function in (metrics.precision_score, metrics.recall_score)]
    )


def f_beta(beta, average="macro"):
    """scikit-learn's F-beta."""
    return averaged(
        lambda *given, **settings: metrics.fbeta_score(*given, beta=beta, **settings), average
    )


def specificities(gold, predicted, weights, classes):
    """Of each class, from scikit-learn's one-against-rest tables."""
    tables = metrics.multilabel_confusion_matrix(
        gold, predicted, labels=classes, sample_weight=weights
    )
    return tables[:, 0, 0] / tables[:, 0].sum(axis=-1)


def informednesses(*given):
    """Recall and specificity less 1."""
    return averaged(metrics.recall_score, None)(*given) + specificities(*given) - 1


def power_mean(exponent):
    """The generalised mean to the letter; 0 for a negative exponent where a recall is 0."""
    return lambda recalls: (
        0 if exponent < 0 and not recalls.all() else np.mean(recalls**exponent) ** (1 / exponent)
    )


def mcc(gold, predicted, weights, _):
    """scikit-learn's MCC; for a constant predictor, which rounding turns into NaN there, the 0 it gives unweighted."""
    constant = len(np.unique(predicted)) == 1
    return metrics.matthews_corrcoef(gold, predicted, sample_weight=None if constant else weights)


UNANSWERED = -1


def c_at_1(gold, predicted, weights, _):
    """Peñas & Rodrigo 2011, to the letter."""
    unanswered = np.average(predicted == UNANSWERED, weights=weights)
    right = metrics.accuracy_score(gold, predicted, sample_weight=weights)
    return right + unanswered * right


def of_answered(oracle):
    """scikit-learn on the answered items, over the classes in gold; undefined where nothing is answered."""

    def of_some(gold, predicted, weights, classes):
        answered = predicted != UNANSWERED
        some = None if weights is None else weights[answered]
        return (
            oracle(gold[answered], predicted[answered], some, classes) if answered.any() else np.nan
        )

    return of_some


ORACLES = {
    "c_at_1": c_at_1,
    "coverage": lambda _, predicted, weights, __: np.average(
        predicted != UNANSWERED, weights=weights
    ),
    "answered_accuracy": of_answered(whole(metrics.accuracy_score)),
    "answered_averaged_f1": of_answered(averaged(metrics.f1_score)),
    "answered_f1_of_averages": of_answered(f1_of_averages),
    "accuracy": whole(metrics.accuracy_score),
    "macro_recall": averaged(metrics.recall_score),
    "geometric_macro_recall": mean_of_recalls(gmean),
    "harmonic_macro_recall": mean_of_recalls(hmean),
    "macro_precision": averaged(metrics.precision_score),
    "averaged_f1": averaged(metrics.f1_score),
    "f1_of_averages": f1_of_averages,
    "weighted_f1": averaged(metrics.f1_score, "weighted"),
    "weighted_precision": averaged(metrics.precision_score, "weighted"),
    "weighted_jaccard": averaged(metrics.jaccard_score, "weighted"),
    "kappa": whole(metrics.cohen_kappa_score),
    "mcc": mcc,
    "recall": averaged(metrics.recall_score, None),
    "precision": averaged(metrics.precision_score, None),
    "f1": averaged(metrics.f1_score, None),
    "averaged_f0.5": f_beta(0.5),
    "averaged_f2": f_beta(2),
    "f0.5": f_beta(0.5, None),
    "f2": f_beta(2, None),
    "macro_jaccard": averaged(metrics.jaccard_score),
    "jaccard": averaged(metrics.jaccard_score, None),
    "macro_specificity": lambda *given: specificities(*given).mean(),
    "specificity": specificities,
    "macro_informedness": lambda *given: informednesses(*given).mean(),
    "informedness": informednesses,
    "micro_precision": averaged(metrics.precision_score, "micro"),
    "micro_recall": averaged(metrics.recall_score, "micro"),
    "micro_f1": averaged(metrics.f1_score, "micro"),
    **{f"macro_recall_p{p}": mean_of_recalls(power_mean(float(p))) for p in ("2", "0.5", "-2")},
}


def sample_weights(prevalence, gold, label_set):
    """Item weights under which the classes have the shares of a prevalence."""
    if prevalence == OBSERVED:
        return None
    if prevalence == BALANCED:
        return compute_sample_weight("balanced", gold)
    shares = {label_set.code_of[label]: share for label, share in prevalence.shares}
    counts = np.bincount(gold)
    return np.array([shares[code] * gold.size / counts[code] for code in gold.tolist()])


# SciPy's gmean of a zero
@pytest.mark.filterwarnings("ignore:divide by zero encountered in log:RuntimeWarning")
@given(data=st.data())
def test_every_metric_equals_scikit_learn(data):
    """Random confusions with unanswered items and classes that gold lacks, at any prevalence."""
    confusion = data.draw(confusions(least_present=2, largest=40))
    label_set, (gold, predicted) = label_set_of(confusion), items_of(confusion)
    predicted = np.where(predicted == len(label_set), UNANSWERED, predicted)
    prevalence = data.draw(st.sampled_from([OBSERVED, BALANCED]) | shares_for(confusion))
    classes, weights = np.unique(gold), sample_weights(prevalence, gold, label_set)
    for metric in TRIED:
        expected = ORACLES[metric.slug](gold, predicted, weights, classes)
        found = scores_of(metric, confusion, prevalence)
        if len(found) > 1:
            found = found[classes]
        np.testing.assert_allclose(
            found, np.atleast_1d(expected), rtol=0, atol=1e-12, err_msg=metric.slug
        )


@given(data=st.data())
def test_named_classes_equal_scikit_learn_with_labels(data):
    """``averaged_f1[a,b]`` is scikit-learn's score with ``labels=[a, b]``, of those that occur in gold."""
    confusion = data.draw(confusions(least_present=2, largest=40))
    label_set, (gold, predicted) = label_set_of(confusion), items_of(confusion)
    predicted = np.where(predicted == len(label_set), UNANSWERED, predicted)
    present = np.unique(gold).tolist()
    named = data.draw(
        st.sets(st.sampled_from(range(len(label_set))), min_size=1).filter(
            lambda x: x & set(present)
        )
    )
    for slug in (metric.slug for metric in METRICS.values() if metric.takes == "classes"):
        found = score(
            confusion, [ScoreKey(metric_name(slug, tuple(named), label_set))], [OBSERVED], label_set
        )
        expected = ORACLES[slug](gold, predicted, None, sorted(named & set(present)))
        np.testing.assert_allclose(found, [expected], rtol=0, atol=1e-12, err_msg=slug)


@given(data=st.data())
def test_confusions_are_counted_as_scikit_learn_counts_them(data):
    """Gold × predicted; codes from C on are unanswered; several submissions at once, in several blocks."""
    n_classes, n_items = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 30))
    gold, *predictions = (
        np.array(
            data.draw(st.lists(st.integers(0, most), min_size=n_items, max_size=n_items)),
            dtype=np.uint8,
        )
        for most in (n_classes - 1, n_classes + 1, n_classes + 1, n_classes + 1)
    )
    labels = range(n_classes + 1)
    expected = [
        metrics.confusion_matrix(gold, np.minimum(predicted, n_classes), labels=labels)[:n_classes]
        for predicted in predictions
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("audit.metrics.confusion._BLOCK", data.draw(st.integers(1, 100)))
        found = count_confusions(gold, predictions, n_classes)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.int64


@pytest.mark.parametrize("n_teams", [1, 2, 5])
@pytest.mark.parametrize("n_classes", [11, 15, 16, 90, 255, 300])
def test_counting_is_exact_whatever_the_number_of_cells(n_classes, n_teams):
    """Below, at and beyond 256 and 65,536 cells, and with the largest codes there are: no cell number wraps around."""
    rng = np.random.default_rng([n_classes, n_teams])
    gold = rng.integers(0, n_classes, 2_000).astype(code_dtype(n_classes))
    predictions = rng.integers(0, n_classes + 2, (n_teams, 2_000)).astype(code_dtype(n_classes))
    gold[-1], predictions[:, -1] = n_classes - 1, n_classes + 1
    expected = np.zeros((n_teams, n_classes, n_classes + 1), dtype=int)
    for team, codes in enumerate(predictions.tolist()):
        for row, column in zip(gold.tolist(), codes, strict=True):
            expected[team, row, min(column, n_classes)] += 1
    np.testing.assert_array_equal(count_confusions(gold, list(predictions), n_classes), expected)


def test_counting_no_submissions_gives_an_empty_stack():
    """A campaign without submissions has a stack of no confusions."""
    assert count_confusions(np.array([0, 1]), [], 2).shape == (0, 2, 3)
