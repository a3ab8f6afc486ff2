"""What holds for every metric of the registry, whatever it computes."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from audit.domain import BALANCED, OBSERVED, LabelSet, ScoreKey
from audit.errors import UsageError
from audit.metrics import METRICS, Margins, calibrate, gap_by_class_pair, macro_f1_gap, score

from .strategies import (
    ANY,
    ORDINAL,
    UNORDERED,
    by_kernel,
    confusions,
    further_metrics,
    label_set_of,
    scores_of,
    shares_for,
)

pytestmark = pytest.mark.usefixtures("further_metrics_are_registered")
either_prevalence = st.sampled_from([OBSERVED, BALANCED])


@pytest.fixture(scope="module")
def further_metrics_are_registered():
    """Laws hold for whatever may be registered."""
    with further_metrics():
        yield


def assert_close(found, expected, metric):
    """The same scores but for rounding; which metric has others is said."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, err_msg=metric.slug)


@given(data=st.data(), prevalence=either_prevalence)
def test_renaming_the_classes_changes_nothing(data, prevalence):
    """A permutation of the label set leaves the aggregates alone and permutes the class scores."""
    confusion = data.draw(confusions())
    order = np.array(data.draw(st.permutations(range(len(confusion)))))
    renamed = confusion[np.ix_(order, [*order, len(order)])]
    for metric in UNORDERED:
        before, after = (
            scores_of(metric, confusion, prevalence),
            scores_of(metric, renamed, prevalence),
        )
        assert_close(after, before[order] if metric.takes == "class" else before, metric)


@given(confusion=confusions())
def test_a_proportion_is_the_ratio_of_the_counts_that_it_names(confusion):
    """Intervals take the counts, tables the score: they are of the same share."""
    margins = Margins.of(confusion)
    for metric in METRICS.values():
        if metric.proportion is None:
            continue
        part, whole = map(np.asarray, metric.proportion(margins))
        there = whole > 0
        expected = metric.kernel(margins)
        is_score = there & ~np.isnan(expected)
        assert (part >= 0).all()
        assert (part <= whole).all()
        assert_close(
            metric.from_proportion(part[is_score] / whole[is_score]), expected[is_score], metric
        )


@given(confusion=confusions(), prevalence=either_prevalence)
def test_a_scale_may_be_turned_round(confusion, prevalence):
    """Of an ordinal metric the order of the labels counts, and not at which end it begins."""
    codes = np.arange(len(confusion))[::-1]
    reversed_ = confusion[np.ix_(codes, [*codes, len(codes)])]
    for metric in ORDINAL:
        assert_close(
            scores_of(metric, reversed_, prevalence),
            scores_of(metric, confusion, prevalence),
            metric,
        )


@given(confusion=confusions(), copies=st.integers(2, 1000), prevalence=either_prevalence)
def test_copying_every_item_changes_nothing(confusion, copies, prevalence):
    """Scores depend on proportions, not on the size of the test set."""
    for metric in ANY:
        once, often = (scores_of(metric, times * confusion, prevalence) for times in (1, copies))
        assert_close(often, once, metric)


@given(data=st.data(), prevalence=either_prevalence)
def test_a_stack_equals_its_members(data, prevalence):
    """Leading axes are free: any number of them, of any length, in any memory layout."""
    leading = data.draw(st.lists(st.integers(1, 3), max_size=3))
    members = [data.draw(confusions(largest=50))]
    size = len(members[0])
    cells = arrays(np.int64, (*leading, size, size + 1), elements=st.integers(0, 30))
    stack = np.asarray(data.draw(cells), order=data.draw(st.sampled_from("CF"))) + members[0]
    for metric in ANY:
        found = scores_of(metric, stack, prevalence)
        for index in np.ndindex(*leading):
            assert_close(
                found[(slice(None), *index)], scores_of(metric, stack[index], prevalence), metric
            )


@pytest.mark.parametrize("prevalence", [OBSERVED, BALANCED], ids=str)
def test_an_empty_stack_has_no_scores(prevalence):
    """A campaign in which every submission was rejected is scored without ado."""
    for metric in ANY:
        assert scores_of(metric, np.empty((0, 3, 4), dtype=int), prevalence).shape[1:] == (0,), (
            metric.slug
        )


@given(data=st.data())
def test_calibrated_scores_do_not_depend_on_prevalence(data):
    """Scaling the gold rows by any positive integers changes no calibrated score, balanced or at a named prevalence."""
    confusion = data.draw(confusions())
    scales = data.draw(arrays(np.int64, (len(confusion), 1), elements=st.integers(1, 500)))
    prevalence = data.draw(st.just(BALANCED) | shares_for(confusion))
    for metric in ANY:
        before, after = (
            scores_of(metric, cells, prevalence) for cells in (confusion, scales * confusion)
        )
        assert_close(after, before, metric)


@given(confusion=confusions(), prevalence=either_prevalence)
def test_scores_stay_in_their_range(confusion, prevalence):
    """No rounding carries a score out of the range that the registry states."""
    for metric in ANY:
        found = scores_of(metric, confusion, prevalence)
        assert np.all((found >= metric.lower) & (found <= metric.upper) | np.isnan(found)), (
            metric.slug
        )


@given(
    gold=st.lists(st.integers(0, 10_000), min_size=2, max_size=30).filter(
        lambda counts: np.sign(counts).sum() > 1
    )
)
@example(gold=[3, 1])  # √x·√x is below x: an unclipped MCC is 1.0000000000000002
def test_perfect_predictions_score_the_best_bound(gold):
    """Whoever predicts gold has the best score that there is, at any prevalence and with absent classes."""
    perfect = np.diag(gold) @ np.eye(len(gold), len(gold) + 1, dtype=int)
    for metric, prevalence in product(ANY, (OBSERVED, BALANCED)):
        found = scores_of(metric, perfect, prevalence)
        found = found[np.array(gold) > 0] if metric.takes == "class" else found
        best = metric.upper if metric.greater_is_better else metric.lower
        np.testing.assert_allclose(found, best, rtol=0, atol=1e-15, err_msg=metric.slug)
        assert np.all((found >= metric.lower) & (found <= metric.upper)), metric.slug


@given(confusion=confusions())
def test_an_aggregate_is_undefined_only_for_a_single_class(confusion):
    """With two classes in gold every aggregate has a score; a class score is missing exactly where gold is."""
    present = confusion.sum(axis=1) > 0
    for metric in ANY:
        undefined = np.isnan(scores_of(metric, confusion))
        # there are no other classes
        if present.sum() == 1 and metric.slug in ("specificity", "informedness"):
            assert undefined.all(), metric.slug
        elif metric.takes == "class":
            np.testing.assert_array_equal(undefined, ~present, err_msg=metric.slug)
        elif present.sum() > 1:
            is_left_out = metric.abstention == "left out" and not confusion[:, :-1].any()
            assert undefined.any() == is_left_out, metric.slug


TRANSPOSED = {
    "recall": "precision",
    "precision": "recall",
    "f1": "f1",
    "accuracy": "accuracy",
    "macro_recall": "macro_precision",
    "macro_precision": "macro_recall",
    "averaged_f1": "averaged_f1",
    "f1_of_averages": "f1_of_averages",
    "kappa": "kappa",
    "mcc": "mcc",
}


@given(data=st.data())
def test_transposition_swaps_precision_and_recall(data):
    """With every item answered and every class in gold and predicted, exchanging gold and predictions is known."""
    size = data.draw(st.integers(2, 5))
    square = data.draw(arrays(np.int64, (size, size), elements=st.integers(0, 50))) + np.eye(
        size, dtype=int
    )
    unanswered = np.zeros((size, 1), dtype=int)
    straight, transposed = np.hstack([square, unanswered]), np.hstack([square.T, unanswered])
    for slug, partner in TRANSPOSED.items():
        assert_close(by_kernel(slug, transposed), by_kernel(partner, straight), METRICS[slug])


def test_rows_are_gold():
    """Two of three gold items of the first class were found, and the two predictions of it were both right."""
    confusion = np.array([[2, 1, 0], [0, 1, 0]])
    assert by_kernel("recall", confusion).tolist() == [2 / 3, 1]
    assert by_kernel("precision", confusion).tolist() == [1, 1 / 2]


TWO_LABELS = LabelSet(("a", "b"))
DOORS = {
    "score": lambda cells: score(cells, [ScoreKey("kappa")], [OBSERVED], TWO_LABELS),
    "score, balanced": lambda cells: score(
        cells, [ScoreKey("kappa", "balanced")], [BALANCED], TWO_LABELS
    ),
    "Margins.of": Margins.of,
    "calibrate": calibrate,
    "calibrate to a target": lambda cells: calibrate(cells, np.array([0.5, 0.5])),
}
NO_CONFUSIONS = {
    "no axis": 3,
    "one axis": [1, 2],
    "square": [[1, 2], [3, 4]],
    "two unanswered columns": [[1, 2, 0, 0], [3, 4, 0, 0]],
    "a negative count": [[1, 2, 0], [-1, 4, 0]],
    "a row of negative counts": [[1, 2, 0], [-1, 0, 0]],
    "NaN": [[1, 2, 0], [np.nan, 4, 0]],
    "infinite": [[1, 2, 0], [np.inf, 4, 0]],
    "empty gold": [[0, 0, 0], [0, 0, 0]],
    "one of a stack empty": [[[1, 0, 0], [0, 1, 0]], [[0, 0, 0], [0, 0, 0]]],
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("cells", NO_CONFUSIONS.values(), ids=NO_CONFUSIONS)
def test_what_is_no_confusion_is_refused(door, cells):
    """A wrong shape, an impossible count or an empty gold is an error with a sentence, never a score."""
    with pytest.raises(UsageError, match=r"^A confusion .*[.]$"):
        door(np.array(cells))


def test_an_empty_gold_is_called_empty():
    """The message names what is wrong, at either prevalence."""
    for function in (Margins.of, calibrate):
        with pytest.raises(UsageError, match="the gold is empty"):
            function(np.zeros((2, 3), dtype=int))


def test_the_message_shows_the_shape_that_was_given():
    """Whoever forgets the unanswered column is told to append it."""
    with pytest.raises(UsageError, match=r"Found \(2, 2\); append a column of zeros"):
        Margins.of([[1, 2], [3, 4]])


@given(
    confusion=confusions(),
    dtype=st.sampled_from([np.uint8, np.int32, np.uint64, np.float32, np.float64]),
)
def test_the_type_of_the_counts_does_not_matter(confusion, dtype):
    """Counts of any integer type, and whole masses, give the scores of int64 counts: nothing wraps around."""
    confusion = confusion % 100
    confusion[0, 0] += 1
    for metric in METRICS.values():
        kernels = [
            metric.kernel(Margins.of(cells)) for cells in (confusion, confusion.astype(dtype))
        ]
        np.testing.assert_allclose(kernels[1], kernels[0], rtol=0, atol=1e-12)


def test_scores_of_a_billion_items_do_not_overflow():
    """The squares of kappa and MCC stay within int64 for a billion items: two classes, nine in ten right."""
    confusion = np.array([[450_000_000, 50_000_000, 0], [50_000_000, 450_000_000, 0]])
    assert by_kernel("kappa", confusion) == pytest.approx(0.8, abs=1e-12)
    assert by_kernel("mcc", confusion) == pytest.approx(0.8, abs=1e-12)


@given(confusion=confusions())
def test_margins_are_sums_of_the_confusion(confusion):
    """Bias leaves the unanswered column out, prevalence and the total do not."""
    margins, label_set = Margins.of(confusion), label_set_of(confusion)
    assert margins.correct.tolist() == [confusion[code, code] for code in range(len(label_set))]
    assert margins.bias.tolist() == [sum(confusion[:, code]) for code in range(len(label_set))]
    assert margins.prevalence.tolist() == [sum(row) for row in confusion]
    assert int(margins.unanswered) == sum(confusion[:, -1])
    assert int(margins.total) == confusion.sum()
    assert margins.averaged.tolist() == [any(row) for row in confusion]
    assert margins.n_averaged == sum(map(any, confusion))


@given(data=st.data())
def test_the_gap_obeys_the_laws_of_the_scores(data):
    """Δ and its terms: renaming permutes them, and a stack equals its members."""
    confusion = data.draw(confusions())
    order = np.array(data.draw(st.permutations(range(len(confusion)))))
    renamed = confusion[np.ix_(order, [*order, len(order)])]
    both = Margins.of(np.stack([confusion, renamed]))
    np.testing.assert_allclose(macro_f1_gap(both)[0], macro_f1_gap(both)[1], rtol=0, atol=1e-12)
    terms = gap_by_class_pair(Margins.of(confusion))
    by_pair = [terms, terms[np.ix_(order, order)]]
    np.testing.assert_allclose(gap_by_class_pair(both), by_pair, rtol=0, atol=1e-12)
