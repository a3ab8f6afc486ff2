"""AUC, average precision and Brier score of single items against scikit-learn, DeLong's formulas, and their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from audit.domain import ItemScores, LabelSet
from audit.errors import MetricNameError
from audit.metrics import (
    AGGREGATES,
    ITEM_SCORE_METRICS,
    METRICS,
    Margins,
    class_losses,
    influence_of_items,
    parse_score_key,
    score_items,
)
from tests.nightly import examples

ORACLES = {
    "auc": roc_auc_score,
    "average_precision": average_precision_score,
    "brier": brier_score_loss,
}
LABELS = LabelSet(("no", "yes"))


def item_scores(positive, *rows):
    """Scores of some teams for one class."""
    given_rows = (None if row is None else np.array(row, dtype=float) for row in rows)
    return ItemScores.of(np.array(positive, dtype=np.uint8), [1], given_rows)


def of_one(scores):
    """Which items are of the class, shape (N,), and the scores of all teams, shape (T, N)."""
    return scores.positive[:, 0], np.array(scores.rows)[..., 0]


def value_of(name, scores, share):
    """The values by one metric at one mass of the class."""
    return score_items(name, scores, np.array([share]))


def influence(name, scores, share, *, fixed):
    """What each item adds at one mass of the class."""
    return influence_of_items(name, scores, np.array([share]), fixed=fixed)


@st.composite
def some_scores(draw, n_teams=3, *, least=1):
    """Gold with both classes, and probabilities of which many are equal."""
    n_items = draw(st.integers(2 * least, 25))
    n_positive = draw(st.integers(least, n_items - least))
    positive = draw(st.permutations([True] * n_positive + [False] * (n_items - n_positive)))
    rows = [
        draw(
            st.lists(st.integers(0, 6), min_size=n_items, max_size=n_items).map(
                lambda row: np.array(row) / 6
            )
        )
        for _ in range(n_teams)
    ]
    return item_scores(positive, *rows)


@examples(21)
@given(some_scores(), st.sampled_from([None, 0.5, 0.2]))
def test_scikit_learn_says_the_same(scores, share):
    """At the observed prevalence, at the balanced one and at any other, ties and all."""
    positive, rows = of_one(scores)
    observed = float(positive.mean())
    target = observed if share is None else share
    weights = np.where(positive, target / positive.sum(), (1 - target) / (~positive).sum())
    for name, oracle in ORACLES.items():
        expected = [oracle(positive, row, sample_weight=weights) for row in rows]
        assert value_of(name, scores, target) == pytest.approx(expected, abs=1e-12)


@examples(14)
@given(some_scores(least=2))
def test_the_influences_on_auc_are_those_of_delong(scores):
    """Their products are his covariance matrix: of the two kinds of placements, each over its class."""
    positive, rows = of_one(scores)

    def psi(row, first, second):
        return np.mean(
            [(row[first] > row[other]) + (row[first] == row[other]) / 2 for other in second]
        )

    ones, zeros = np.flatnonzero(positive), np.flatnonzero(~positive)
    of_ones = np.array([[psi(row, item, zeros) for item in ones] for row in rows])
    of_zeros = np.array([[1 - psi(row, item, ones) for item in zeros] for row in rows])
    expected = np.cov(of_ones) / len(ones) + np.cov(of_zeros) / len(zeros)
    for fixed in (False, True):
        found = influence("auc", scores, 0.5, fixed=fixed)
        assert found @ found.T == pytest.approx(expected, abs=1e-12)


@examples(14)
@given(some_scores())
def test_the_influences_on_brier_are_those_of_a_mean(scores):
    """Of all items, or of each class by itself where classes keep their masses."""
    positive, rows = of_one(scores)
    losses, n_items = (rows - positive) ** 2, positive.size
    found = influence("brier", scores, float(positive.mean()), fixed=False)
    assert (found**2).sum(axis=1) == pytest.approx(losses.var(axis=1, ddof=1) / n_items, abs=1e-12)
    fixed = influence("brier", scores, 0.3, fixed=True)
    parts = [(losses[:, positive], 0.3), (losses[:, ~positive], 0.7)]
    expected = (
        sum(share**2 * part.var(axis=1) / part.shape[1] for part, share in parts)
        * n_items
        / (n_items - 1)
    )
    assert (fixed**2).sum(axis=1) == pytest.approx(expected, abs=1e-12)
    assert class_losses(scores)[:, 1] == pytest.approx(losses[:, positive].mean(axis=1))


@examples(14)
@given(some_scores(n_teams=1), st.randoms(use_true_random=False))
def test_laws_of_the_order(scores, random):
    """No order of the items matters, nor any rising function of the scores to AUC and average precision."""
    positive, (row,) = of_one(scores)
    order = list(range(positive.size))
    random.shuffle(order)
    moved = item_scores(positive[order], row[order])
    stretched = item_scores(positive, np.exp(5 * row) - 40)
    turned = item_scores(~positive, 1 - row)
    for name in ORACLES:
        value = value_of(name, scores, 0.4)
        assert value_of(name, moved, 0.4) == pytest.approx(value, abs=1e-12)
        if name != "brier":
            assert value_of(name, stretched, 0.4) == pytest.approx(value, abs=1e-12)
        if name != "average_precision":  # it looks at one class alone
            assert value_of(name, turned, 0.6) == pytest.approx(value, abs=1e-12)


def test_perfect_worst_and_constant_scores():
    """To the last bit: a perfect order is 1, and no score tells nothing."""
    positive = [True] * 3 + [False] * 7
    scores = item_scores(positive, [1.0] * 3 + [0.0] * 7, [0.0] * 3 + [1.0] * 7, [0.5] * 10)
    assert value_of("auc", scores, 0.3).tolist() == [1.0, 0.0, 0.5]
    assert value_of("brier", scores, 0.3).tolist() == pytest.approx([0.0, 1.0, 0.25], abs=1e-15)
    perfect, _, constant = value_of("average_precision", scores, 0.3).tolist()
    assert (perfect, constant) == (1.0, pytest.approx(0.3))


def test_what_is_undefined_is_no_number():
    """A team without scores, a class that gold lacks; Brier of what is no probability."""
    scores = item_scores([True, False, True], None, [0.2, 0.4, 3.0], [-0.1, 0.0, 1.0])
    assert np.isnan(value_of("auc", scores, 0.5)).tolist() == [True, False, False]
    assert np.isnan(value_of("brier", scores, 0.5)).all()
    assert np.isnan(influence("auc", scores, 0.5, fixed=False)[0]).all()
    assert np.isnan(class_losses(item_scores([True, True], [0.1, 0.2]))).all()
    assert np.isnan(
        influence("auc", item_scores([True, False], [0.1, 0.2]), 0.5, fixed=False)
    ).all()
    for name in ORACLES:
        assert np.isnan(value_of(name, item_scores([True, True], [0.1, 0.2]), 0.5)).all()


@examples(14)
@given(some_scores(n_teams=2), st.booleans())
def test_the_influences_on_average_precision_are_small_changes_of_weights(scores, fixed):
    """Of scikit-learn's, one item a little heavier: by itself, or where each class keeps its mass."""
    (positive, rows), step = of_one(scores), 1e-5
    share = 0.4 if fixed else float(positive.mean())
    found = influence("average_precision", scores, share, fixed=fixed)

    def weighed(item, more):
        weights = np.ones(positive.size)
        weights[item] += more
        for of_class, mass in ((positive, share), (~positive, 1 - share)) if fixed else ():
            weights[of_class] *= mass / weights[of_class].sum()
        return [average_precision_score(positive, row, sample_weight=weights) for row in rows]

    moves = [
        np.subtract(weighed(item, step), weighed(item, -step)) / (2 * step)
        for item in range(positive.size)
    ]
    assert found == pytest.approx(np.transpose(moves), abs=1e-8)
    assert found.sum(axis=1) == pytest.approx(0, abs=1e-12)


@examples(14)
@given(st.integers(0, 10_000), st.sampled_from([1, 8]))
def test_of_several_classes_they_are_means_over_these(seed, decimals):
    """Each class against all others, as scikit-learn averages them; one that gold lacks counts for nobody."""
    some = np.random.default_rng(seed)
    gold = some.integers(0, 3, 30)
    gold[:3] = range(3)
    rows = some.random((4, 30, 4)).round(decimals) + np.eye(4)[gold]
    scores, shares = ItemScores.of(gold, [0, 1, 2, 3], rows), np.bincount(gold, minlength=4) / 30
    for name, oracle in (("auc", roc_auc_score), ("average_precision", average_precision_score)):
        one_hot = np.eye(3)[gold]
        expected = [oracle(one_hot, row[:, :3], average="macro") for row in rows]
        assert score_items(name, scores, shares) == pytest.approx(expected, abs=1e-12)
        added = influence_of_items(name, scores, shares, fixed=False)
        apart = [ItemScores.of(gold, [label], rows[..., label]) for label in range(3)]
        parts = [
            influence_of_items(name, each, shares[[label]], fixed=False)
            for label, each in enumerate(apart)
        ]
        assert added == pytest.approx(np.mean(parts, axis=0), abs=1e-12)


def test_many_teams_are_scored_some_at_a_time(monkeypatch):
    """With the same numbers."""
    some = np.random.default_rng(5)
    scores = item_scores(some.random(40) < 0.4, *some.random((7, 40)))
    whole = {name: value_of(name, scores, 0.4) for name in ORACLES}
    monkeypatch.setattr("audit.metrics.item_score_metrics._CELLS", 80)
    assert all((value_of(name, scores, 0.4) == values).all() for name, values in whole.items())


def test_a_confusion_gives_them_no_value():
    """Nor a slope; they are found by name, and stand in no list of metrics that every evaluation has."""
    margins = Margins.of(np.array([[[3, 1, 0], [2, 4, 0]]]))
    for slug, metric in ITEM_SCORE_METRICS.items():
        assert METRICS[slug] is metric
        assert metric not in AGGREGATES
        assert slug not in list(METRICS)
        assert np.isnan(metric.kernel(margins)).all()
        assert np.isnan(metric.gradient(margins).correct).all()
    assert not ITEM_SCORE_METRICS["brier"].greater_is_better


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("roc_auc", "is called auc here"),
        ("Brier score", "is called brier here"),
        ("AP", "is called average_precision here"),
        ("brierr", "Did you mean “brier”"),
        ("auc[yes]", "auc is not defined over named classes"),
        ("mean(brier,accuracy)", "scores of two directions"),
    ],
)
def test_other_names_lead_to_theirs(name, message):
    """As for every metric."""
    with pytest.raises(MetricNameError, match=message.replace("[", r"\[")):
        parse_score_key(name, LABELS)
