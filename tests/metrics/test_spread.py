"""The spread of class scores behind a macro score, against NumPy and scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

import audit
from audit.domain import BALANCED, OBSERVED, ScoreKey
from audit.metrics import METRICS, score, spread_of, spread_over_classes

from .strategies import confusions, items_of, label_set_of

MEANS = [metric.slug for metric in METRICS.values() if metric.mean_of]
ORACLES = {
    "macro_recall": sklearn_metrics.recall_score,
    "macro_precision": sklearn_metrics.precision_score,
    "averaged_f1": sklearn_metrics.f1_score,
    "macro_jaccard": sklearn_metrics.jaccard_score,
}


@pytest.mark.parametrize("slug", ORACLES)
@given(confusion=confusions(least_present=2, largest=40))
def test_it_is_numpys_of_scikit_learns_class_scores(slug, confusion):
    """Over the classes in gold; a class that was never predicted counts with 0."""
    gold, predicted = items_of(confusion)
    classes = np.unique(gold)
    terms = ORACLES[slug](gold, predicted, labels=classes, average=None, zero_division=0)
    found = spread_over_classes(confusion, ScoreKey(slug), [OBSERVED], label_set_of(confusion))
    assert found.deviation == pytest.approx(np.std(terms), abs=1e-12)
    assert [found.lowest, found.highest] == pytest.approx([terms.min(), terms.max()], abs=1e-12)


@pytest.mark.parametrize("slug", MEANS)
@given(confusion=confusions(least_present=2), prevalence=st.sampled_from([OBSERVED, BALANCED]))
def test_the_mean_lies_inside_the_range_and_near_the_deviation(slug, confusion, prevalence):
    """No deviation exceeds half the range, and it is 0 where the range is."""
    labels, key = label_set_of(confusion), ScoreKey(slug, prevalence.name)
    found = spread_over_classes(confusion[None], key, [prevalence], labels)
    mean = score(confusion[None], [key], [prevalence], labels)[0]
    width = found.highest - found.lowest
    assert (found.lowest - 1e-12 <= mean).all()
    assert (mean <= found.highest + 1e-12).all()
    assert (found.deviation <= width / 2 + 1e-12).all()
    assert ((found.deviation > 1e-12) | (width < 1e-9)).all()


def test_named_classes_alone_count():
    """Of an average over some classes; of one class nothing is apart."""
    confusion = np.array([[[5, 5, 0, 0], [1, 9, 0, 0], [0, 0, 3, 0]]])
    labels = label_set_of(confusion[0])
    found = spread_over_classes(confusion, ScoreKey("macro_recall[c0,c1]"), [OBSERVED], labels)
    assert found.deviation == pytest.approx([0.2])
    assert spread_over_classes(
        confusion, ScoreKey("macro_recall[c2]"), [OBSERVED], labels
    ).deviation == [0]


@pytest.mark.parametrize(
    "name", ["accuracy", "f1_of_averages", "kappa", "micro_f1", "macro_recall_p2", "recall[c0]"]
)
def test_what_is_no_mean_of_class_scores_has_none(name):
    """Sums, products and ratios of means."""
    confusion = np.array([[[5, 5, 0], [1, 9, 0]]])
    assert (
        spread_over_classes(confusion, ScoreKey(name), [OBSERVED], label_set_of(confusion[0]))
        is None
    )


def test_an_undefined_score_has_an_undefined_spread():
    """Of one entry, and of all."""
    evaluation = audit.evaluate(
        list("aabb"), {"X": list("abbb"), "Y": list("aaab")}, certainty=False
    )
    key = ScoreKey("macro_recall")
    for undefined in ([False, True], [True, True]):
        values = np.where(undefined, np.nan, evaluation.values)
        found = spread_of(replace(evaluation, values=values), key)
        for part in (found.deviation, found.lowest, found.highest):
            assert np.isnan(part).tolist() == undefined
