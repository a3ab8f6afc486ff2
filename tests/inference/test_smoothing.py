"""Pseudo-items, and every sum over them, are those of loops over a matrix that the engine never makes."""

import tracemalloc

import numpy as np
import pytest

from audit.inference.intervals import intervals_of
from audit.inference.smoothing import Smoothed
from audit.metrics import Cells, Influence, Margins

from .campaigns import AGGREGATES, as_scored
from .reference import smoothed

N_CLASSES = (1, 2, 3, 6)


def stack_of(n_classes, seed):
    """Confusions of every kind: random ones, perfect, constant, silent, with a class that nobody has in gold."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 30, n_classes)
    gold[rng.integers(n_classes)] *= n_classes == 1 or rng.random() < 0.5
    random = np.stack(
        [
            [rng.multinomial(n, rng.dirichlet(np.ones(n_classes + 1))) for n in gold]
            for _ in range(3)
        ]
    )
    perfect, constant, silent, blind = np.zeros((4, n_classes, n_classes + 1), dtype=int)
    perfect[:, :-1] = np.diag(gold)
    constant[:, 0], silent[:, -1] = gold, gold
    # answers one class, or none
    blind[:, -1], blind[:, 0] = random[0][:, 0], gold - random[0][:, 0]
    return np.concatenate([random, [perfect, constant, silent, blind]])


def loops(stack):
    """Items and pseudo-items of each confusion, and the growth of its rows."""
    return (np.stack(parts) for parts in zip(*(smoothed(x) for x in stack), strict=True))


@pytest.fixture(params=[(n, seed) for n in N_CLASSES for seed in (1, 2)], ids=str)
def case(request):
    """A stack, and what smoothing makes of it, by the engine and by loops."""
    stack = stack_of(*request.param)
    return stack, Smoothed.of(Cells.of(stack)), *loops(stack)


@pytest.fixture
def scale(case):
    """Factors of the gold rows."""
    return np.random.default_rng(3).uniform(0.2, 5, case[0].shape[:2])


def test_rows_grow_as_by_loops(case):
    """Half of κ right, a quarter missed, a quarter false alarms; a class without gold has none in its row."""
    stack, found, _, grown = case
    assert found.grown == pytest.approx(grown, abs=1e-12)
    assert (found.grown[stack.sum(axis=-1) == 0] == 1).all()


def test_margins_are_those_of_the_rows_scaled_back(case):
    """So that the gold totals stay as they were."""
    stack, found, mass, grown = case
    expected = Margins.of(mass / grown[..., None])
    for part in ("correct", "bias", "prevalence", "unanswered", "total", "averaged"):
        np.testing.assert_allclose(
            getattr(found.margins(), part), getattr(expected, part), atol=1e-9, err_msg=part
        )
    np.testing.assert_array_equal(found.margins().prevalence, stack.sum(axis=-1))
    np.testing.assert_array_equal(found.margins().total, stack.sum(axis=(1, 2)))


def test_margins_of_scaled_rows(case, scale):
    """Each gold row times its factor."""
    _, found, mass, grown = case
    expected = Margins.of(mass * (scale / grown)[..., None])
    for part in ("correct", "bias", "prevalence", "unanswered", "total", "averaged"):
        np.testing.assert_allclose(
            getattr(found.margins(scale), part), getattr(expected, part), atol=1e-9, err_msg=part
        )


def test_row_means_are_those_of_items_and_pseudo_items(case):
    """0 for a class without gold."""
    stack, found, mass, _ = case
    rng, (n_teams, n_classes, n_answers) = np.random.default_rng(4), stack.shape
    column, diagonal = rng.normal(size=(n_teams, n_answers)), rng.normal(size=(n_teams, n_classes))
    values = column[:, None, :] + np.eye(n_classes, n_answers) * diagonal[..., None]
    size = mass.sum(axis=-1)
    means = np.where(
        stack.sum(axis=-1) > 0, (mass * values).sum(axis=-1) / np.maximum(size, 1e-9), 0
    )
    assert found.row_means(column, diagonal) == pytest.approx(means, abs=1e-9)


def test_the_sum_of_squares_is_over_items_and_pseudo_items(case):
    """Of any values that an influence can have, large ones beside small ones too."""
    stack, found, mass, _ = case
    rng, (n_teams, n_classes, n_answers) = np.random.default_rng(5), stack.shape
    for far in (0.0, 1e4):
        influence = Influence(
            far + rng.normal(size=(n_teams, n_classes)),
            rng.normal(size=(n_teams, n_classes)),
            far * rng.normal(size=(n_teams, n_answers)),
            rng.normal(size=(n_teams, n_classes)),
        )
        values = np.stack([influence.of_gold(code) for code in range(n_classes)], axis=1)
        exact = (mass * values**2).sum(axis=(1, 2))
        assert found.sum_of_squares(influence) == pytest.approx(exact, rel=1e-9)


def test_the_variance_of_scaled_columns_is_binomial_row_by_row(case, scale):
    """λ² m (1 − m/size), summed over the rows, of the mass m that each row of a size puts into a column."""
    _, found, mass, _ = case
    size = mass.sum(axis=-1, keepdims=True)
    share = np.divide(mass, size, out=np.zeros(mass.shape), where=size > 0)
    terms = (scale**2)[..., None] * mass * (1 - share)
    sums, diagonal = found.binomial_columns(scale)
    atol = 1e-9 * terms.max()
    np.testing.assert_allclose(sums, terms.sum(axis=1)[:, :-1], atol=atol)
    np.testing.assert_allclose(diagonal, np.diagonal(terms[..., :-1], axis1=1, axis2=2), atol=atol)


def test_a_class_that_is_never_predicted_gets_no_pseudo_item():
    """It is taken for structural: neither its own column nor anything else is added for it."""
    x = np.array([[20, 0, 5, 0], [4, 0, 6, 0], [1, 0, 9, 2]])
    found = Smoothed.of(Cells.of(x[None]))
    assert found.right[0, 1] == 0
    assert found.margins().bias[0, 1] == 0


def test_nothing_of_the_size_of_a_confusion_is_made():
    """Intervals of all scores of three teams and 300 classes: beyond the confusions, well below one copy of them."""
    rng, n_classes, n_teams = np.random.default_rng(6), 300, 3
    gold = rng.integers(0, n_classes, 1500)
    confusions = np.zeros((n_teams, n_classes, n_classes + 1), dtype=np.int64)
    for team in range(n_teams):
        given = np.where(rng.random(1500) < 0.7, gold, rng.integers(0, n_classes + 1, 1500))
        np.add.at(confusions[team], (gold, given), 1)
    classes = [
        f"{slug}[c{code}]"
        for slug in ("recall", "precision", "f1")
        for code in range(0, n_classes, 60)
    ]
    scored = as_scored(confusions, [*AGGREGATES, *classes])
    tracemalloc.start()
    intervals_of(scored)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < confusions.nbytes / 2
