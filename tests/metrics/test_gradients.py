"""Influence values: the slope of every score in every cell, against differences of the scores themselves."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from audit.domain import BALANCED, OBSERVED, ScoreKey
from audit.metrics import (
    METRICS,
    Cells,
    Gradient,
    Margins,
    gradient_of,
    influence,
    metric_name,
    named_metric,
    prevalence_shares,
    row_scale,
    score,
)
from tests.nightly import examples

from .strategies import ANY, confusions, further_metrics, label_set_of, shares_for

pytestmark = pytest.mark.usefixtures("further_metrics_are_registered")


@pytest.fixture(scope="module")
def further_metrics_are_registered():
    """Laws hold for whatever may be registered."""
    with further_metrics():
        yield


@st.composite
def cases(draw, **kinds):
    """A confusion, of every metric a key, of some over one class or named ones, and a prevalence."""
    confusion = draw(confusions(**kinds))
    label_set = label_set_of(confusion)
    prevalence = draw(st.sampled_from([OBSERVED, BALANCED, draw(shares_for(confusion))]))
    code = st.integers(0, len(label_set) - 1)
    codes = {
        "nothing": None,
        "class": (draw(code),),
        "classes": draw(st.none() | st.sets(code, min_size=1).map(tuple)),
    }
    names = [metric_name(metric.slug, codes[metric.takes], label_set) for metric in ANY]
    return confusion, [ScoreKey(name, prevalence.name) for name in names], prevalence


def with_slopes(confusion, keys):
    """The keys of scores that every count moves: no product of recalls of which one is 0."""
    return [key for key in keys if not misses_a_class(confusion, key)]


def scale_of(confusion, prevalence):
    """Factors of the gold rows, None at observed prevalence."""
    if prevalence is OBSERVED:
        return None
    counts = confusion.sum(axis=-1)
    return row_scale(counts[None], prevalence_shares(prevalence, counts, label_set_of(confusion)))


def influence_of(stack, key, prevalence, *, stratified=False):
    """Influence of T confusions of the same gold, and their cells."""
    cells, scale = Cells.of(stack), scale_of(stack[0], prevalence)
    scale = None if scale is None else np.repeat(scale, len(stack), axis=0)
    gradient = gradient_of(key.metric, Margins.of_cells(cells, scale), label_set_of(stack))
    return influence(gradient, cells, scale, stratified=stratified), cells


def dense(of, n_classes):
    """Every influence value, shape (T, C, C + 1)."""
    return np.stack([of.of_gold(code) for code in range(n_classes)], axis=1)


def scored(stack, key, prevalence):
    """The score of every confusion of a stack."""
    return score(stack, [key], [prevalence], label_set_of(stack))[0]


def moved(confusion, cells, by):
    """Copies of a confusion, in each of which one cell is moved."""
    stack = np.repeat(confusion[None].astype(float), len(by), axis=0)
    stack[np.arange(len(by)), cells[0], cells[1]] += by
    return stack


def misses_a_class(confusion, key):
    """Whether the score is a product of recalls of which one is 0."""
    missed = (np.diagonal(confusion) == 0) & (confusion.sum(axis=1) > 0)
    return METRICS[key.metric.partition("[")[0]].terms == "product of recalls" and missed.any()


@examples(14)
@given(cases())
def test_influence_is_the_slope_in_every_cell(case):
    """Central differences of the fourth order, times the count: what doubling a cell would do at this slope."""
    confusion, keys, prevalence = case
    cells = np.nonzero(confusion)
    counts = confusion[cells]
    step = 1e-3 * counts
    at = [moved(confusion, cells, size) for size in (step, -step, 2 * step, -2 * step)]
    for key in with_slopes(confusion, keys):
        if np.isnan(scored(confusion[None], key, prevalence)[0]):
            continue
        of, _ = influence_of(confusion[None], key, prevalence)
        near, far = (
            scored(more, key, prevalence) - scored(less, key, prevalence)
            for more, less in (at[:2], at[2:])
        )
        slope = (8 * near - far) / (12 * step)
        assert counts * dense(of, len(confusion))[0][cells] == pytest.approx(
            counts * slope, abs=1e-8
        ), key


WITH_A_KINK = ("f1_of_averages", "macro_recall_p")
"""Where nothing is correct they have no derivative: a quotient or a root of what is 0."""


@examples(14)
@given(cases(largest=12))
def test_influence_is_what_one_more_item_adds(case):
    """Up to terms of 1/N²: with ten times the items, what is left of N · (change − ψ) is a tenth."""
    confusion, keys, prevalence = case
    cells = np.nonzero((confusion.sum(axis=1) > 0)[:, None] & (confusion.sum(axis=0) > 0))
    many = {times: confusion * times for times in (1_000, 10_000)}
    one_more = {times: moved(stack, cells, np.ones(len(cells[0]))) for times, stack in many.items()}
    for key in with_slopes(confusion, keys):
        value = scored(confusion[None], key, prevalence)[0]
        nothing = METRICS[key.metric.partition("[")[0]].scale.goodness(value) == 0
        if np.isnan(value) or (nothing and any(kind in key.metric for kind in WITH_A_KINK)):
            continue
        of, _ = influence_of(confusion[None], key, prevalence)
        exact = dense(of, len(confusion))[0][cells]
        left = []
        for times, stack in many.items():
            more = scored(one_more[times], key, prevalence)
            left.append(np.abs((more - scored(stack[None], key, prevalence)) * times - exact).max())
        assert left[1] <= 0.11 * left[0] + 1e-9, key


@given(cases(largest=12), st.sampled_from([10_000, 1_000_000]))
def test_items_that_are_copied_have_each_its_part_of_the_influence(case, times):
    """However many items there are: of millions no product of counts leaves the integers."""
    confusion, keys, _ = case
    for key in (ScoreKey(key.metric) for key in keys):
        one, many = (
            dense(influence_of((confusion * each)[None], key, OBSERVED)[0], len(confusion))
            for each in (1, times)
        )
        assert many * times == pytest.approx(one, rel=1e-9, abs=1e-12, nan_ok=True), key


@given(cases(), st.booleans())
def test_influence_sums_to_nothing(case, stratified):
    """Over the items: a score does not change when every count grows alike. By class, too, where these are fixed."""
    confusion, keys, prevalence = case
    for key in with_slopes(confusion, keys):
        of, _ = influence_of(confusion[None], key, prevalence, stratified=stratified)
        values = confusion * dense(of, len(confusion))[0]
        assert values.sum() == pytest.approx(0, abs=1e-9), key
        if stratified or prevalence is not OBSERVED:
            assert values.sum(axis=1) == pytest.approx(0, abs=1e-9), key


@examples(6)
@given(cases())
def test_what_is_fixed_by_class_is_measured_from_the_mean_of_the_class(case):
    """Stratified influence is that of independent items less its mean over the items of each class."""
    confusion, keys, prevalence = case
    n_items = confusion.sum(axis=1)
    present = n_items > 0
    for key in with_slopes(confusion, keys):
        free, fixed = (
            dense(
                influence_of(confusion[None], key, prevalence, stratified=stratified)[0],
                len(confusion),
            )[0]
            for stratified in (False, True)
        )
        means = (confusion * free).sum(axis=1)[present] / n_items[present]
        expected = free[present] - means[:, None]
        np.testing.assert_allclose(fixed[present], expected, atol=1e-9, err_msg=str(key))


@examples(6)
@given(cases())
def test_influence_is_undefined_only_where_no_slope_leads_away(case):
    """In products of recalls of which one is 0, and there for the correct items of every class."""
    confusion, keys, prevalence = case
    for key in keys:
        of, _ = influence_of(confusion[None], key, prevalence)
        right = np.diagonal(dense(of, len(confusion))[0])
        is_product = key.metric.partition("[")[0] != "macro_recall_p0.5"
        missed = misses_a_class(confusion, key) and is_product
        assert np.isnan(right).all() == np.isnan(dense(of, len(confusion))).any() == missed, key


@examples(4)
@given(cases(), st.integers(0, 99))
def test_twins_have_the_same_influence_to_the_last_bit(case, seed):
    """Wherever they stand in the stack, and whoever stands beside them."""
    confusion, keys, prevalence = case
    # the same gold, other answers
    shuffled = np.random.default_rng(seed).permuted(confusion, axis=1)
    stack = np.stack([confusion, shuffled, confusion])
    for key in keys:
        of, cells = influence_of(stack, key, prevalence)
        values = of.at(cells.gold, cells.predicted)
        np.testing.assert_array_equal(values[0], values[2], err_msg=str(key))


@given(confusions(), st.sampled_from(sorted(METRICS)))
def test_cells_and_rows_of_an_influence_are_one(confusion, slug):
    """By cell as by gold class, but for rounding."""
    metric = METRICS[slug]
    codes = (0,) if metric.takes == "class" else None
    key = ScoreKey(metric_name(slug, codes, label_set_of(confusion)))
    of, cells = influence_of(confusion[None], key, OBSERVED)
    found = dense(of, len(confusion))[0][cells.gold, cells.predicted]
    assert of.at(cells.gold, cells.predicted)[0] == pytest.approx(found, abs=1e-12, nan_ok=True)


def test_what_cannot_move_a_score_has_no_influence_to_the_last_bit():
    """Items of a perfect team, and of one that gives a single answer: rounding leaves nothing where parts cancel."""
    gold = np.array([37, 11, 101])
    perfect, constant = np.diag([*gold, 0])[:3], np.zeros((3, 4), dtype=int)
    constant[:, 1] = gold
    for confusion, still in (
        (perfect, set(METRICS)),
        (constant, {"kappa", "mcc", "macro_recall", "recall"}),
    ):
        for slug, prevalence in product(sorted(still), (OBSERVED, BALANCED)):
            codes = (1,) if METRICS[slug].takes == "class" else None
            key = ScoreKey(metric_name(slug, codes, label_set_of(confusion)), prevalence.name)
            of, _ = influence_of(confusion[None], key, prevalence)
            assert (dense(of, 3)[0][confusion > 0] == 0).all(), key


def test_the_gradient_of_a_class_forgets_all_others():
    """Each class's own score, by its name."""
    confusion = np.array([[[5, 2, 1], [3, 7, 0]]])
    label_set, margins = label_set_of(confusion), Margins.of_cells(Cells.of(confusion))
    for code in range(2):
        name = metric_name("f1", (code,), label_set)
        found, whole = gradient_of(name, margins, label_set), METRICS["f1"].gradient(margins)
        assert named_metric(name, label_set).codes == (code,)
        for part in ("correct", "bias", "prevalence"):
            one = getattr(found, part)[0]
            assert one[code] == getattr(whole, part)[0, code]
            assert one[1 - code] == 0


def test_a_scale_gives_classes_their_shares():
    """And a class without gold nothing."""
    prevalence = np.array([[30, 10, 0], [5, 35, 0]])
    shares = np.array([0.25, 0.75, 0.0])
    scaled = prevalence * row_scale(prevalence, shares)
    assert scaled == pytest.approx(40 * np.broadcast_to(shares, (2, 3)))


def test_differences_have_the_difference_of_gradients():
    """Of two scores of the same confusion, part by part."""
    margins = Margins.of_cells(Cells.of(np.array([[[5, 2, 1], [3, 7, 0]], [[1, 0, 7], [0, 9, 1]]])))
    for one, other in pairwise(METRICS.values()):
        first, second = one.gradient(margins), other.gradient(margins)
        found = Gradient.weighted([first, second], (1.0, -1.0))
        for part in ("correct", "bias", "prevalence", "unanswered", "total"):
            np.testing.assert_array_equal(
                getattr(found, part), getattr(first, part) - getattr(second, part)
            )


@given(confusions(), st.sampled_from(sorted(METRICS)), st.booleans())
def test_no_influence_exceeds_its_bound(confusion, slug, stratified):
    """In any cell, empty ones too; and a team taken out of a stack keeps its values."""
    metric = METRICS[slug]
    key = ScoreKey(
        metric_name(slug, (0,) if metric.takes == "class" else None, label_set_of(confusion))
    )
    assume(not misses_a_class(confusion, key))
    stack = np.stack([confusion, np.roll(confusion, 1, axis=1)])
    assume(not misses_a_class(stack[1], key))
    of, _ = influence_of(stack, key, OBSERVED, stratified=stratified)
    values = np.abs(dense(of, len(confusion)))
    assert (values.max(axis=(1, 2)) <= of.bound * (1 + 1e-12)).all()
    np.testing.assert_array_equal(np.abs(dense(of.of_team(1), len(confusion))), values[[1]])
