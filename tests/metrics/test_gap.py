"""Δ, the gap between the two scores called macro F1: its sign, its closed form, its causes, its largest value."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from audit.metrics import METRICS, Margins, gap_by_class_pair, macro_f1_gap
from tests.nightly import whole_or

from .strategies import by_kernel, confusions


def difference(confusion, *, calibrated=False):
    """F1 of averages − macro-averaged F1."""
    return by_kernel("f1_of_averages", confusion, calibrated=calibrated) - by_kernel(
        "averaged_f1", confusion, calibrated=calibrated
    )


@given(confusion=confusions())
def test_the_closed_form_is_the_difference(confusion):
    """With unanswered items and absent classes, whole and over named classes."""
    margins = Margins.of(confusion)
    np.testing.assert_allclose(macro_f1_gap(margins), difference(confusion), rtol=0, atol=1e-13)


@given(data=st.data())
def test_the_gap_over_named_classes_is_the_difference_over_them(data):
    """Classes that are not averaged take no part; without any averaged class it is undefined, as both scores are."""
    confusion = data.draw(confusions())
    named = data.draw(st.sets(st.integers(0, len(confusion) - 1), min_size=1))
    margins = Margins.of(confusion).over(sorted(named))
    expected = METRICS["f1_of_averages"].kernel(margins) - METRICS["averaged_f1"].kernel(margins)
    np.testing.assert_allclose(macro_f1_gap(margins), expected, rtol=0, atol=1e-13)
    assert np.isnan(expected) == (not any(confusion[code].any() for code in named))


@given(confusion=confusions(), calibrated=st.booleans())
def test_f1_of_averages_is_never_below_averaged_f1(confusion, calibrated):
    """Δ ≥ 0, its closed form exactly and the difference up to rounding."""
    assert macro_f1_gap(Margins.of(confusion)) >= 0
    assert difference(confusion, calibrated=calibrated) >= -1e-15


@given(confusion=confusions())
def test_the_pairs_of_classes_add_up_to_the_gap(confusion):
    """The decomposition is symmetric, has no negative term, and no class differs from itself."""
    terms = gap_by_class_pair(Margins.of(confusion))
    np.testing.assert_allclose(terms.sum(), difference(confusion), rtol=0, atol=1e-13)
    np.testing.assert_array_equal(terms, terms.T)
    assert (terms >= 0).all()
    assert not np.diag(terms).any()


def test_the_decomposition_names_the_pair_that_makes_the_difference():
    """Classes 1 and 2 are confused in one direction only; class 3 has as many errors in either direction."""
    confusion = np.array([[10, 30, 0, 0], [0, 40, 0, 0], [0, 0, 20, 0]])
    terms = gap_by_class_pair(Margins.of(confusion))
    assert np.unravel_index(terms.argmax(), terms.shape) == (0, 1)
    assert terms[0, 1] > terms[0, 2] + terms[1, 2]


def test_classes_that_are_nearly_always_wrong_make_a_gap_too():
    """P = (.05, .01) and R = (.01, .05): F1 of averages .03, both class F1s 1/60, Δ 1/75."""
    confusion = np.array([[1, 99, 0], [19, 1, 0]])
    assert macro_f1_gap(Margins.of(confusion)) == pytest.approx(1 / 75, rel=1e-12)
    assert difference(confusion) == pytest.approx(1 / 75, rel=1e-12)


def all_small_confusions():
    """Every confusion of two classes with cells from 0 to 3 and an item in each class."""
    cells = np.indices((4,) * 6).reshape(6, -1).T.reshape(-1, 2, 3)
    return cells[(cells.sum(axis=-1) > 0).all(axis=-1)]


def many_small_confusions():
    """Twenty thousand sparse confusions of three classes, an item in each class."""
    rng = np.random.default_rng(3)
    cells = rng.integers(0, 4, (20_000, 3, 4)) * (rng.random((20_000, 3, 4)) < 0.6)
    return cells[(cells.sum(axis=-1) > 0).all(axis=-1)]


@pytest.mark.parametrize("sample", [all_small_confusions, many_small_confusions])
def test_the_scores_are_equal_exactly_where_the_paper_says_as_corrected(sample):
    """Equal iff P_i/R_i is one constant over the classes with a correct item, or nothing is; in both directions.

    P_i/R_i = prevalence_i/bias_i wherever something is correct, so that it is decided on integers.
    """
    confusions_ = sample()
    margins = Margins.of(confusions_)
    cross = margins.prevalence[:, :, None] * margins.bias[:, None, :]
    both_correct = (margins.correct[:, :, None] > 0) & (margins.correct[:, None, :] > 0)
    one_constant = ((cross == np.swapaxes(cross, 1, 2)) | ~both_correct).all(axis=(1, 2))
    for gap in (macro_f1_gap(margins), difference(confusions_)):
        assert np.abs(gap[one_constant]).max() < 1e-15
        assert gap[~one_constant].min() > 1e-7
    assert one_constant.sum() > 500 < (~one_constant).sum()


@given(data=st.data())
def test_a_constant_ratio_of_precision_and_recall_closes_the_gap(data):
    """As many errors to as from each class, and unanswered items in proportion: P_i/R_i is the same everywhere."""
    size, factor = data.draw(st.integers(2, 5)), data.draw(st.integers(0, 4))
    cells = data.draw(arrays(np.int64, (size, size), elements=st.integers(0, 50)))
    symmetric = cells + cells.T + np.eye(size, dtype=int)
    unanswered = factor * symmetric.sum(axis=1, keepdims=True)
    confusion = np.hstack([symmetric, unanswered])
    assert abs(difference(confusion)) < 1e-14
    assert macro_f1_gap(Margins.of(confusion)) < 1e-15


@given(data=st.data())
def test_without_a_correct_item_both_scores_and_the_gap_are_zero(data):
    """Nothing correct: exactly 0, each."""
    confusion = data.draw(confusions(least_present=2))
    np.fill_diagonal(confusion, 0)
    confusion[:, -1] += 1
    assert by_kernel("f1_of_averages", confusion) == by_kernel("averaged_f1", confusion) == 0
    assert macro_f1_gap(Margins.of(confusion)) == 0


def largest_gap(n_classes):
    """Sup Δ, by the theorem of Opitz & Burst 2019."""
    return 0.5 if n_classes % 2 == 0 else 0.5 - 1 / (2 * n_classes**2)


def extreme(n_classes, z):
    """Ones on the diagonal and z in the cells (2,1), (4,3), …, for an odd number of classes also in (n,1)."""
    confusion = np.eye(n_classes, n_classes + 1, dtype=np.int64)
    for row in range(1, n_classes, 2):
        confusion[row, row - 1] = z
    if n_classes % 2:
        confusion[-1, 0] = z
    return confusion


@pytest.mark.parametrize("n_classes", range(2, 8))
def test_the_gap_comes_as_close_as_you_like_to_its_supremum(n_classes):
    """As z grows the gap grows, the distance shrinks like 1/z, and the supremum is never reached."""
    sizes = 10.0 ** np.arange(1, 9)
    gaps = macro_f1_gap(Margins.of(np.stack([extreme(n_classes, int(z)) for z in sizes])))
    distances = largest_gap(n_classes) - gaps
    assert (np.diff(gaps) > 0).all()
    assert (distances > 0).all()
    assert (distances < 10 / sizes).all()


@pytest.mark.parametrize("n_classes", range(2, 8))
def test_no_confusion_exceeds_the_supremum(n_classes):
    """Thousands of confusions with cells of very different sizes, a quarter of them near the extreme one.

    The n of the theorem is the number of classes in gold.
    """
    rng = np.random.default_rng(n_classes)
    cells = (
        10.0 ** rng.uniform(-1, 6, (whole_or(4_000, 20_000), n_classes, n_classes + 1))
    ).astype(np.int64)
    cells *= rng.random(cells.shape) < rng.random((len(cells), 1, 1))
    cells[::4] += extreme(n_classes, 1_000_000)
    cells[:, 0, 0] += 1
    margins = Margins.of(cells)
    bounds = np.array([np.nan, 1e-15, *map(largest_gap, range(2, n_classes + 1))])[
        margins.n_averaged
    ]
    assert (macro_f1_gap(margins) < bounds).all()
