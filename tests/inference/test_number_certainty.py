"""Intervals and comparisons of numbers: by formulas of their own, and true as often as they say."""

import numpy as np
import pytest
from scipy import stats

import audit
from audit.inference.differences import combined_differences, differences
from audit.inference.items import items_of
from audit.inference.number_intervals import Spread, mean_ends
from audit.inference.number_source import items_carrying, items_in_differences


def _teams(values: np.ndarray) -> dict[str, dict[str, np.ndarray]]:
    return {f"t{number}": {"x": row} for number, row in enumerate(values)}


def test_items_that_carry_a_difference_are_those_of_the_differences_themselves() -> None:
    rng = np.random.default_rng(1)
    influence = rng.standard_t(3, (6, 200))
    influence[5] = influence[4]
    influence[5, 0] += 1e-9  # a near-copy, of which sums of products leave only rounding
    found = items_in_differences(influence)
    for first in range(6):
        for second in range(6):
            expected = items_carrying((influence[first] - influence[second])[None])[0]
            assert found[first, second] == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_ends_of_a_mean_are_the_wider_of_student_and_of_halls_transformation() -> None:
    rng = np.random.default_rng(2)
    values = rng.exponential(size=60)
    deviations = (values - values.mean()) / 60
    spread = Spread(np.array([values.mean()]), deviations[None], np.array([60.0]), 0.975)
    error = np.sqrt((deviations**2).sum())
    freedom = min(59, (deviations**2).sum() ** 2 / (deviations**4).sum())
    quantile = stats.t.ppf(0.975, freedom)
    skewness = stats.skew(values) / np.sqrt(60)

    # Hall 1992: solved for t by its cubic, rather than by the inverse
    def transformed(t: float) -> float:
        roots = np.roots([skewness**2 / 27, skewness / 3, 1, skewness / 6 - t])
        return float(roots[np.abs(roots.imag) < 1e-9].real[0])

    lower, upper = mean_ends(spread)
    assert lower[0] == pytest.approx(values.mean() - error * max(quantile, transformed(quantile)))
    assert upper[0] == pytest.approx(values.mean() + error * max(quantile, -transformed(-quantile)))
    # of a distribution with a long right tail
    assert upper[0] - values.mean() > values.mean() - lower[0]


def test_ends_of_a_symmetric_mean_are_students() -> None:
    values = np.array([-2.0, -1.0, 0.0, 1.0, 2.0] * 10)
    evaluation = audit.evaluate_scores(
        {"a": {"x": values}, "b": {"x": values + 1}}, columns={"x": {"better": "higher"}}
    )
    deviations = values / 50
    carrying = (deviations**2).sum() ** 2 / (deviations**4).sum()
    half = stats.t.ppf(0.975, min(49, carrying)) * np.sqrt((deviations**2).sum())
    assert evaluation.intervals.loc["a", ("x", "upper")] == pytest.approx(half)


def test_an_interval_of_a_bounded_mean_is_the_same_on_any_scale() -> None:
    values = np.random.default_rng(3).beta(2, 2, (2, 40))
    shares = audit.evaluate_scores(
        _teams(values), columns={"x": {"better": "higher", "range": (0, 1)}}
    )
    percent = audit.evaluate_scores(
        _teams(100 * values), columns={"x": {"better": "higher", "range": (0, 100)}}
    )
    assert (100 * shares.intervals).to_numpy() == pytest.approx(percent.intervals.to_numpy())
    assert 100 * shares.comparison("x").standard_error == pytest.approx(
        percent.comparison("x").standard_error
    )


def test_where_lower_is_better_the_comparison_is_mirrored() -> None:
    values = np.random.default_rng(4).normal(size=(3, 80)) + np.arange(3)[:, None] / 3
    higher = audit.evaluate_scores(_teams(values), columns={"x": {"better": "higher"}}).comparison(
        "x"
    )
    lower = audit.evaluate_scores(_teams(values), columns={"x": {"better": "lower"}}).comparison(
        "x"
    )
    assert (higher.ahead == lower.ahead.T).all()
    assert higher.adjusted_p == pytest.approx(lower.adjusted_p)
    assert higher.ahead.any()


def test_a_pair_of_unbounded_means_is_judged_by_student_with_the_items_that_carry_it() -> None:
    values = np.random.default_rng(5).standard_t(3, (2, 30)) + np.array([[0.0], [0.8]])
    evaluation = audit.evaluate_scores(_teams(values), columns={"x": {"better": "higher"}})
    difference = values[1] - values[0]
    deviations = (difference - difference.mean()) / 30
    carrying = max(4, (deviations**2).sum() ** 2 / (deviations**4).sum())
    t = difference.mean() / np.sqrt((deviations**2).sum())
    p = evaluation.comparison("x").adjusted_p[0, 1]
    assert p == pytest.approx(2 * stats.t.sf(t, carrying), abs=0.015)  # 4,000 draws
    pair = evaluation.compare("t1", "t0")
    half = stats.t.ppf(0.975, carrying) * np.sqrt((deviations**2).sum())
    assert pair.interval_alone == pytest.approx(
        (difference.mean() - half, difference.mean() + half)
    )


def test_one_or_two_items_that_carry_a_mean_leave_it_without_an_interval() -> None:
    values = np.zeros((2, 100))
    values[:, 0] = 50
    values[1, 1] = 1
    evaluation = audit.evaluate_scores(_teams(values), columns={"x": {"better": "higher"}})
    assert evaluation.intervals.isna().all(axis=None)
    assert (evaluation.marks == "few-units").all(axis=None)


def test_few_items_that_carry_a_squared_error_are_marked() -> None:
    rng = np.random.default_rng(6)
    gold = rng.normal(size=100)
    predicted = gold + rng.normal(size=100)
    predicted[:6] += 20
    evaluation = audit.evaluate_ratings(gold, {"a": predicted, "b": gold + rng.normal(size=100)})
    assert evaluation.marks.loc["a", "rmse"] == "few-carrying"
    assert evaluation.marks.loc["b", "rmse"] == ""
    assert not np.isnan(evaluation.intervals.loc["a", ("rmse", "lower")])


@pytest.mark.parametrize(
    ("metric", "least"), [("spearman", 0.91), ("pearson", 0.91), ("mean_absolute_error", 0.91)]
)
def test_intervals_of_ratings_hold_the_true_value(metric: str, least: float) -> None:
    rng = np.random.default_rng(7)
    truth = {
        "spearman": 6 / np.pi * np.arcsin(0.4),
        "pearson": 0.8,
        "mean_absolute_error": np.sqrt(0.8 / np.pi),
    }[metric]
    held = []
    for _ in range(20):
        gold = rng.normal(size=100)
        predicted = 0.8 * gold + 0.6 * rng.normal(size=(20, 100))
        evaluation = audit.evaluate_ratings(
            gold, dict(zip("abcdefghijklmnopqrst", predicted, strict=True))
        )
        ends = evaluation.intervals[metric]
        held.append(((ends["lower"] <= truth) & (truth <= ends["upper"])).mean())
    assert least < np.mean(held) < 0.99


def test_groups_of_items_widen_intervals_of_numbers() -> None:
    rng = np.random.default_rng(8)
    values = (rng.normal(size=(2, 30, 1)) + 0.3 * rng.normal(size=(2, 30, 10))).reshape(2, 300)
    groups = np.repeat(np.arange(30), 10)
    apart = audit.evaluate_scores(_teams(values), columns={"x": {"better": "higher"}})
    together = audit.evaluate_scores(
        _teams(values), columns={"x": {"better": "higher"}}, groups=groups
    )
    widths = [
        (each.intervals["x"]["upper"] - each.intervals["x"]["lower"]).to_numpy()
        for each in (apart, together)
    ]
    assert (widths[1] > 2 * widths[0]).all()
    assert (
        (together.comparison("x").standard_error[0, 1])
        > 2 * apart.comparison("x").standard_error[0, 1]
    )


@pytest.mark.parametrize("ends", [None, (0, 1)])
def test_weights_alike_change_nothing(ends: tuple[int, int] | None) -> None:
    values = np.random.default_rng(9).beta(2, 2, (3, 50))
    column = {"x": {"better": "higher", **({"range": ends} if ends else {})}}
    plain = audit.evaluate_scores(_teams(values), columns=column)
    weighted = audit.evaluate_scores(_teams(values), columns=column, weights=np.full(50, 7.0))
    assert plain.intervals.to_numpy() == pytest.approx(weighted.intervals.to_numpy())
    assert plain.comparison("x").standard_error == pytest.approx(
        weighted.comparison("x").standard_error, nan_ok=True
    )


def test_a_mean_of_two_slices_is_judged_with_the_items_of_both() -> None:
    """Degrees of freedom of a sum of independent parts are those of all their items in one list."""
    rng = np.random.default_rng(10)
    values = rng.standard_t(3, (2, 60)) + np.array([[0.5], [0.0]])
    evaluation = audit.evaluate_scores(
        _teams(values), columns={"x": {"better": "higher"}}, slices={"half": ["a", "b"] * 30}
    )
    (sliced,) = evaluation.slices
    assert sliced.state is not None
    parts, names = [], np.array(["a", "b"] * 30)
    for half in ("a", "b"):
        some = {team: {"x": row["x"][names == half]} for team, row in _teams(values).items()}
        part = audit.evaluate_scores(some, columns={"x": {"better": "higher"}})
        items = items_of(part, part.predictions)
        parts.append((differences(part, part.task.ranking_metric, items), np.full(2, 0.5)))
    together = combined_differences(parts, values.mean(axis=1))
    influence = [
        (row - row.mean()) / 30
        for half in ("a", "b")
        for row in [(values[0] - values[1])[names == half]]
    ]
    expected = items_carrying(np.concatenate(influence)[None])[0]
    assert together.freedom is not None
    assert together.freedom[0, 1] == pytest.approx(expected)
