"""Confusions as their cells that are not empty say the same as the confusions themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.domain import BALANCED, OBSERVED, Prevalence, ScoreKey
from audit.metrics import (
    METRICS,
    Cells,
    Margins,
    TooManyCellsError,
    calibrate,
    calibrated_margins,
    count_cells,
    count_confusions,
    lost_classes,
    margins_at,
    row_scale,
    score,
    score_what_is_left,
)

from .strategies import confusions, label_set_of

PARTS = ("correct", "bias", "prevalence", "unanswered", "total", "averaged")


@st.composite
def stacks(draw):
    """One to four confusions of the same classes, each with gold of its own."""
    one = draw(confusions())
    n_classes, n_teams = len(one), draw(st.integers(0, 3))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    more = rng.integers(0, 30, (n_teams, n_classes, n_classes + 1)) * (
        rng.random((n_teams, 1, n_classes + 1)) < 0.7
    )
    more[:, 0, 0] += 1
    return np.concatenate([one[None], more])


def scales_of(stack):
    """Factors of the gold rows as a calibration has them: 0 for a class without gold."""
    prevalence = stack.sum(axis=-1)
    return row_scale(prevalence, np.random.default_rng(1).dirichlet(np.ones(stack.shape[1])))


@given(stacks())
def test_cells_are_those_that_are_not_empty_in_all(stack):
    """In the order of gold, and with every count in its place."""
    cells = Cells.of(stack)
    assert (np.diff(cells.gold) >= 0).all()
    rebuilt = np.zeros_like(stack)
    rebuilt[:, cells.gold, cells.predicted] = cells.counts
    np.testing.assert_array_equal(rebuilt, stack)
    assert cells.counts.any(axis=0).all()
    np.testing.assert_array_equal(cells.on_diagonal, cells.gold == cells.predicted)


@given(stacks())
def test_margins_are_those_of_the_confusions(stack):
    """Of counts to the last item, and of rows times a scale up to rounding."""
    cells, scale = Cells.of(stack), scales_of(stack)
    for part in PARTS:
        np.testing.assert_array_equal(
            getattr(Margins.of_cells(cells), part), getattr(Margins.of(stack), part), part
        )
        scaled = getattr(Margins.of(stack * scale[..., None]), part)
        np.testing.assert_allclose(
            getattr(Margins.of_cells(cells, scale), part),
            scaled,
            rtol=1e-12,
            atol=1e-9,
            err_msg=part,
        )


@given(stacks())
def test_sums_by_class_are_sums_of_rows_and_columns(stack):
    """Of any values, one for each cell, for as many leading axes as there are."""
    cells = Cells.of(stack)
    values = np.random.default_rng(2).normal(size=(2, len(stack), cells.gold.size))
    dense = np.zeros((2, *stack.shape))
    dense[..., cells.gold, cells.predicted] = values
    np.testing.assert_allclose(cells.by_gold(values), dense.sum(axis=-1), atol=1e-12)
    np.testing.assert_allclose(cells.by_predicted(values), dense.sum(axis=-2), atol=1e-12)


@given(stacks())
def test_row_means_are_means_over_the_items_of_a_class(stack):
    """0 for a class without an item."""
    cells, rng = Cells.of(stack), np.random.default_rng(3)
    n_teams, n_classes, _ = stack.shape
    column, diagonal = (
        rng.normal(size=(n_teams, n_classes + 1)),
        rng.normal(size=(n_teams, n_classes)),
    )
    found = cells.row_means(column, diagonal)
    for team, gold in np.ndindex(n_teams, n_classes):
        values = column[team] + diagonal[team, gold] * (np.arange(n_classes + 1) == gold)
        items = np.repeat(values, stack[team, gold])
        assert found[team, gold] == pytest.approx(items.mean() if items.size else 0, abs=1e-9)


# The same numbers as of whole matrices


def sparse(n_classes, n_teams=3, seed=0):
    """Confusions of many classes, each mistaken for a few others, one of which gold lacks."""
    rng = np.random.default_rng([seed, n_classes])
    stack = rng.integers(1, 30, (n_teams, n_classes, n_classes + 1)) * (
        rng.random((n_teams, n_classes, n_classes + 1)) < 0.1
    )
    stack[:, np.arange(n_classes), np.arange(n_classes)] += 1
    stack[:, n_classes // 2] = 0
    return stack


@pytest.mark.parametrize("n_classes", [2, 3, 17, 62, 63, 64, 65, 127, 130, 200])
def test_every_metric_of_cells_is_that_of_matrices_to_the_last_bit(n_classes):
    """Every metric of the registry, at observed, balanced and a named prevalence."""
    stack = sparse(n_classes)
    labels = label_set_of(stack)
    present = stack[0].any(axis=-1)
    shares = tuple((label, 1.0 + code) for code, label in enumerate(labels.labels) if present[code])
    prevalences = (OBSERVED, BALANCED, Prevalence("named", shares))
    names = [metric.slug for metric in METRICS.values() if metric.takes != "class"]
    names += [
        f"{metric.slug}[{labels.labels[0]}]"
        for metric in METRICS.values()
        if metric.takes == "class"
    ]
    keys = [ScoreKey(name, prevalence.name) for prevalence in prevalences for name in names]
    found = score(Cells.of(stack), keys, prevalences, labels)
    np.testing.assert_array_equal(found, score(stack, keys, prevalences, labels))
    for prevalence in prevalences:
        ours, theirs = (margins_at(each, prevalence, labels) for each in (Cells.of(stack), stack))
        for part in (*PARTS, "confusion"):
            np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part), part)


def test_margins_do_not_depend_on_how_many_rows_are_added_at_once(monkeypatch):
    """One, several or all: sums are those of whole rows."""
    stack = sparse(150)
    expected = Margins.of(calibrate(stack))
    for cells in (1, 1 << 12, 1 << 20):
        monkeypatch.setattr("audit.metrics.calibration._ROW_CELLS", cells)
        np.testing.assert_array_equal(
            calibrated_margins(Cells.of(stack)).prevalence, expected.prevalence
        )


@pytest.mark.parametrize("drop_missing", [False, True])
def test_cells_are_counted_as_matrices_are(drop_missing, monkeypatch):
    """Whether a row of counts or the answers themselves are gone through; of some teams, and of items in two parts."""
    rng = np.random.default_rng(4)
    gold, teams = rng.integers(0, 40, 500), list(rng.integers(0, 42, (3, 500)))
    expected = count_confusions(gold, teams, 40, drop_missing=drop_missing)
    for few in (0, 1 << 16):
        monkeypatch.setattr("audit.metrics.confusion._FEW_CELLS", few)
        cells = count_cells(gold, teams, 40, drop_missing=drop_missing)
        np.testing.assert_array_equal(cells.dense(), expected)
        assert cells.counts.any(axis=0).all()
        np.testing.assert_array_equal(cells.of_teams([2, 0]).dense(), expected[[2, 0]])
        parts = [
            count_cells(gold[part], [codes[part] for codes in teams], 40, drop_missing=drop_missing)
            for part in (slice(0, 200), slice(200, 500))
        ]
        both = parts[0].plus(parts[1])
        np.testing.assert_array_equal(both.counts, cells.counts)
        assert both.counts.flags.f_contiguous == cells.counts.flags.f_contiguous
        assert count_cells(gold, teams, 40, most=cells.counts.size * 2).counts.size
        with pytest.raises(TooManyCellsError):
            count_cells(gold, teams, 40, drop_missing=drop_missing, most=cells.counts.size - 1)


def test_unanswered_items_and_stand_ins_are_added_in_their_cells():
    """Where there was such a cell and where there was none."""
    stack = np.array([[[2, 1, 0], [0, 3, 4]], [[5, 0, 0], [1, 0, 0]]])
    items = np.array([[1, 0], [0, 2]])
    expected = stack.copy()
    expected[..., -1] += items
    np.testing.assert_array_equal(Cells.of(stack).with_unanswered(items).dense(), expected)
    cells = Cells.of(stack)
    assert cells.with_unanswered(np.zeros((2, 2), dtype=int)) is cells
    kept = cells.where(np.array([True, False]), np.array([[7, 8], [1, 0]]))
    np.testing.assert_array_equal(kept.dense(), [stack[0], [[1, 0, 0], [0, 0, 0]]])


def test_what_is_left_is_scored_alike():
    """Of teams that lost a class, or everything."""
    stack = sparse(20, n_teams=4)
    present = stack[0].any(axis=-1)
    stack[1, 3], stack[2:] = 0, 0
    (gold,) = np.flatnonzero(present)[:1]
    stack[3, gold, gold] = 1
    labels = label_set_of(stack)
    keys = [
        ScoreKey(name, prevalence.name)
        for name in ("accuracy", "mcc")
        for prevalence in (OBSERVED, BALANCED)
    ]
    ours, theirs = (
        score_what_is_left(each, lost_classes(each, present), keys, [OBSERVED, BALANCED], labels)
        for each in (Cells.of(stack), stack)
    )
    np.testing.assert_array_equal(ours, theirs)
    assert np.isnan(ours[:, 2]).all()
    assert ours[0, 3] == 1  # accuracy of the only item that is left
