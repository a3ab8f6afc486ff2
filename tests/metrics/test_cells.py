"""Confusions as their cells that are not empty say the same as the confusions themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.metrics import Cells, Margins, row_scale

from .strategies import confusions, law

PARTS = ("correct", "bias", "prevalence", "unanswered", "total", "averaged")


@st.composite
def stacks(draw):
    """One to four confusions of the same classes, each with gold of its own."""
    one = draw(confusions())
    n_classes, n_teams = len(one), draw(st.integers(0, 3))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    more = rng.integers(0, 30, (n_teams, n_classes, n_classes + 1)) * (rng.random((n_teams, 1, n_classes + 1)) < 0.7)
    more[:, 0, 0] += 1
    return np.concatenate([one[None], more])


def scales_of(stack):
    """Factors of the gold rows as a calibration has them: 0 for a class without gold."""
    prevalence = stack.sum(axis=-1)
    return row_scale(prevalence, np.random.default_rng(1).dirichlet(np.ones(stack.shape[1])))


@law
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


@law
@given(stacks())
def test_margins_are_those_of_the_confusions(stack):
    """Of counts to the last item, and of rows times a scale up to rounding."""
    cells, scale = Cells.of(stack), scales_of(stack)
    for part in PARTS:
        np.testing.assert_array_equal(getattr(cells.margins(), part), getattr(Margins.of(stack), part), part)
        scaled = getattr(Margins.of(stack * scale[..., None]), part)
        np.testing.assert_allclose(getattr(cells.margins(scale), part), scaled, rtol=1e-12, atol=1e-9, err_msg=part)


@law
@given(stacks())
def test_sums_by_class_are_sums_of_rows_and_columns(stack):
    """Of any values, one for each cell, for as many leading axes as there are."""
    cells = Cells.of(stack)
    values = np.random.default_rng(2).normal(size=(2, len(stack), cells.gold.size))
    dense = np.zeros((2, *stack.shape))
    dense[..., cells.gold, cells.predicted] = values
    np.testing.assert_allclose(cells.by_gold(values), dense.sum(axis=-1), atol=1e-12)
    np.testing.assert_allclose(cells.by_predicted(values), dense.sum(axis=-2), atol=1e-12)


@law
@given(stacks())
def test_row_means_are_means_over_the_items_of_a_class(stack):
    """0 for a class without an item."""
    cells, rng = Cells.of(stack), np.random.default_rng(3)
    n_teams, n_classes, _ = stack.shape
    column, diagonal = rng.normal(size=(n_teams, n_classes + 1)), rng.normal(size=(n_teams, n_classes))
    found = cells.row_means(column, diagonal)
    for team, gold in np.ndindex(n_teams, n_classes):
        values = column[team] + diagonal[team, gold] * (np.arange(n_classes + 1) == gold)
        items = np.repeat(values, stack[team, gold])
        assert found[team, gold] == pytest.approx(items.mean() if items.size else 0, abs=1e-9)
