"""Metrics of ratings: equal to SciPy and scikit-learn, and to finite differences of themselves."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sklearn_metrics

from audit.domain.numbers import Numbers
from audit.metrics import RATING_FUNCTIONS, RATING_METRICS, influence_of_numbers, score_numbers
from audit.metrics.ratings import Ratings, n_below_in_both

Reference = Callable[[np.ndarray, np.ndarray], float]  # of gold and predictions


def _lin(gold: np.ndarray, predicted: np.ndarray) -> float:
    """Lin 1989, equation 1."""
    covariance = np.cov(gold, predicted, ddof=0)
    shift = gold.mean() - predicted.mean()
    return float(2 * covariance[0, 1] / (covariance[0, 0] + covariance[1, 1] + shift**2))


REFERENCES: dict[str, Reference] = {
    "spearman": lambda gold, predicted: float(stats.spearmanr(gold, predicted)[0]),
    "pearson": lambda gold, predicted: float(stats.pearsonr(gold, predicted)[0]),
    "kendall_tau_b": lambda gold, predicted: float(stats.kendalltau(gold, predicted)[0]),
    "ccc": _lin,
    "mean_absolute_error": sklearn_metrics.mean_absolute_error,
    "rmse": sklearn_metrics.root_mean_squared_error,
    "r_squared": sklearn_metrics.r2_score,
}


def _ratings(seed: int, *, ties: bool, n_items: int = 60, n_teams: int = 4) -> Ratings:
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=n_items)
    predicted = gold + rng.normal(size=(n_teams, n_items))
    if ties:
        gold, predicted = np.round(gold), np.round(predicted)
    return Ratings(predicted, gold)


def test_every_metric_has_a_reference() -> None:
    assert RATING_FUNCTIONS.keys() == RATING_METRICS.keys() == REFERENCES.keys()


@pytest.mark.parametrize("slug", REFERENCES)
@pytest.mark.parametrize("ties", [False, True])
def test_values_are_those_of_scipy_and_scikit_learn(slug: str, *, ties: bool) -> None:
    for seed in range(20):
        ratings = _ratings(seed, ties=ties)
        expected = [REFERENCES[slug](ratings.gold, row) for row in ratings.predicted]
        assert RATING_FUNCTIONS[slug].value(ratings) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("slug", REFERENCES)
@pytest.mark.parametrize("ties", [False, True])
def test_influence_is_the_change_of_the_value_with_the_weight_of_an_item(
    slug: str, *, ties: bool
) -> None:
    ratings = _ratings(3, ties=ties)
    influence = RATING_FUNCTIONS[slug].influence(ratings)
    value = np.array([REFERENCES[slug](ratings.gold, row) for row in ratings.predicted])
    for item in (0, 7, 59):
        slopes = []
        for copies in (200, 400):  # the items so many times, and this one once more
            gold = np.append(np.tile(ratings.gold, copies), ratings.gold[item])
            rows = [np.append(np.tile(row, copies), row[item]) for row in ratings.predicted]
            moved = np.array([REFERENCES[slug](gold, row) for row in rows])
            slopes.append((moved - value) * len(gold))
        extrapolated = 2 * slopes[1] - slopes[0]
        assert influence[:, item] == pytest.approx(extrapolated, abs=2e-4)


@pytest.mark.parametrize("slug", REFERENCES)
def test_influence_sums_to_0(slug: str) -> None:
    influence = RATING_FUNCTIONS[slug].influence(_ratings(5, ties=True))
    assert influence.mean(axis=1) == pytest.approx(0, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_items_below_in_both_are_counted_pair_by_pair(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    expected = [sum(a < x_i and b < y_i for a, b in pairs) for x_i, y_i in pairs]
    assert n_below_in_both(x[None], y[None]).tolist() == [expected]


def test_correlations_of_constant_predictions_are_undefined_and_ccc_is_0() -> None:
    gold = np.array([1.0, 2.0, 4.0])
    constant = Ratings(np.full((1, 3), 2.0), gold)
    values = {
        slug: float(functions.value(constant)[0]) for slug, functions in RATING_FUNCTIONS.items()
    }
    assert all(np.isnan(values[slug]) for slug in ("spearman", "pearson", "kendall_tau_b"))
    assert values["ccc"] == 0
    assert values["mean_absolute_error"] == 1
    assert values["r_squared"] == pytest.approx(
        sklearn_metrics.r2_score(gold, constant.predicted[0])
    )


def test_perfect_predictions_have_no_error_and_no_influence_on_it() -> None:
    gold = np.array([1.0, 2.0, 4.0])
    perfect = Ratings(gold[None], gold)
    assert RATING_FUNCTIONS["rmse"].value(perfect).tolist() == [0]
    assert RATING_FUNCTIONS["rmse"].influence(perfect).tolist() == [[0, 0, 0]]


def test_missing_predictions_are_left_out_of_each_entry_by_itself() -> None:
    ratings = _ratings(8, ties=False)
    predicted = ratings.predicted.copy()
    predicted[1, :5] = np.nan
    numbers = Numbers(predicted[:, None], ("",), ratings.gold)
    values = score_numbers("pearson", numbers)
    assert values[1] == pytest.approx(
        REFERENCES["pearson"](ratings.gold[5:], predicted[1, 5:]), abs=1e-12
    )
    assert values[0] == pytest.approx(REFERENCES["pearson"](ratings.gold, predicted[0]), abs=1e-12)
    assert (influence_of_numbers("pearson", numbers)[1, :5] == 0).all()


def test_an_entry_without_a_number_has_no_score() -> None:
    numbers = Numbers(np.array([[[np.nan, np.nan]], [[1.0, 2.0]]]), ("",), np.array([1.0, 3.0]))
    assert np.isnan(score_numbers("rmse", numbers)).tolist() == [True, False]


def test_means_of_a_column_heed_weights() -> None:
    values, weights = np.array([[[1.0, 2.0, 6.0]], [[2.0, np.nan, 4.0]]]), np.array([1.0, 2.0, 3.0])
    numbers = Numbers(values, ("x",), weights=weights)
    assert score_numbers("x", numbers) == pytest.approx(
        [np.average([1, 2, 6], weights=weights), (2 + 12) / 4]
    )
    assert influence_of_numbers("x", numbers).sum(axis=1) == pytest.approx(0, abs=1e-15)
