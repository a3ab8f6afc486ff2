"""How often intervals and claims on numbers of items are true: columns of a scorer, and ratings.

Run `python benchmarks/scores_and_ratings.py` (about ten minutes of one process); `--write` puts the tables into
numbers.md. Test sets are drawn from populations whose scores are known, and what `audit.evaluate_scores` and
`audit.evaluate_ratings` say is held against these.
"""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from scipy import stats

import audit

SEED = 20261128
_LARGE = 4_000_000  # items of the population from which a true metric of ratings is computed
Rng = np.random.Generator
Draw = Callable[[Rng, tuple[int, ...]], np.ndarray]


def _zeros_or_beta(rng: Rng, shape: tuple[int, ...]) -> np.ndarray:
    return np.where(rng.random(shape) < 0.65, 0.0, rng.beta(2, 3, shape))


def _penalties(rng: Rng, shape: tuple[int, ...]) -> np.ndarray:
    """Like error counts of translations: mostly none, else a few points, seldom many."""
    points = np.where(rng.random(shape) < 0.05, 10.0, rng.gamma(1.0, 2.0, shape))
    return np.where(rng.random(shape) < 0.6, 0.0, points)


MEANS: Mapping[str, tuple[Draw, float, tuple[float, float] | None]] = {
    "dense, [0, 1]": (lambda rng, shape: rng.beta(5, 3, shape), 5 / 8, (0, 1)),
    "65% zeros, [0, 1]": (_zeros_or_beta, 0.35 * 2 / 5, (0, 1)),
    "4% ones, [0, 1]": (lambda rng, shape: (rng.random(shape) < 0.04) * 1.0, 0.04, (0, 1)),
    "three steps, [0, 1]": (
        lambda rng, shape: rng.choice([0, 0.5, 1], shape, p=[0.2, 0.3, 0.5]),
        0.65,
        (0, 1),
    ),
    "normal": (lambda rng, shape: rng.normal(1, 1, shape), 1.0, None),
    "t₃": (lambda rng, shape: rng.standard_t(3, shape), 0.0, None),
    "exponential": (lambda rng, shape: rng.exponential(1, shape), 1.0, None),
    "lognormal, σ = 1": (lambda rng, shape: rng.lognormal(0, 1, shape), float(np.exp(0.5)), None),
    "error counts": (_penalties, 0.4 * (0.05 * 10 + 0.95 * 2), None),
}
"""Populations of a scorer's numbers: how they are drawn, their mean, and the range that is declared."""


def _linear(gold: Draw, noise: Draw) -> Callable[[Rng, int, int], tuple[np.ndarray, np.ndarray]]:
    def drawn(rng: Rng, n_teams: int, n_items: int) -> tuple[np.ndarray, np.ndarray]:
        true = gold(rng, (n_items,))
        return true, 0.8 * true + 0.2 + 0.6 * noise(rng, (n_teams, n_items))

    return drawn


def _normal(rng: Rng, shape: tuple[int, ...]) -> np.ndarray:
    return rng.normal(size=shape)


def _steps(rng: Rng, shape: tuple[int, ...]) -> np.ndarray:
    return rng.integers(1, 6, shape).astype(float)


def _rounded(
    drawn: Callable[[Rng, int, int], tuple[np.ndarray, np.ndarray]],
) -> Callable[[Rng, int, int], tuple[np.ndarray, np.ndarray]]:
    def steps(rng: Rng, n_teams: int, n_items: int) -> tuple[np.ndarray, np.ndarray]:
        gold, predicted = drawn(rng, n_teams, n_items)
        return gold, np.clip(np.round(predicted), 1, 5)

    return steps


RATINGS = {
    "normal": _linear(_normal, _normal),
    "five steps": _rounded(_linear(_steps, _normal)),
    "lognormal gold": _linear(lambda rng, shape: rng.lognormal(0, 0.8, shape), _normal),
    "t₃ errors": _linear(_normal, lambda rng, shape: rng.standard_t(3, shape)),
}
METRICS = (
    "spearman",
    "pearson",
    "kendall_tau_b",
    "ccc",
    "mean_absolute_error",
    "rmse",
    "r_squared",
)


def _of_interval(evaluation: audit.Evaluation, name: str, truth: float) -> tuple[int, int, int]:
    """Intervals that hold the truth, and those that are given, and scores."""
    ends = evaluation.intervals[name]
    lower, upper = ends["lower"].to_numpy(), ends["upper"].to_numpy()
    given = ~np.isnan(lower)
    held = (lower <= truth) & (truth <= upper) & given
    return int(held.sum()), int(given.sum()), len(lower)


def coverage_of_means(n_sets: int = 2_000) -> list[list[str]]:
    """A row for each population: coverage at each number of items; in brackets the share without an interval."""
    rows: list[list[str]] = []
    for place, (name, (draw, truth, ends)) in enumerate(MEANS.items()):
        row = [name]
        for n_items in (20, 50, 150, 300, 2_000):
            rng = np.random.default_rng([SEED, 1, place, n_items])
            n_teams = min(n_sets, 2_000_000 // n_items)
            drawn = draw(rng, (n_teams, n_items))
            column = {"better": "higher", **({"range": ends} if ends else {})}
            teams = {f"t{number}": {"x": values} for number, values in enumerate(drawn)}
            evaluation = audit.evaluate_scores(teams, columns={"x": column})
            row.append(_cell(*_of_interval(evaluation, "x", truth)))
        rows.append(row)
    return rows


def coverage_of_ratings(n_gold: int = 60, n_teams: int = 20) -> list[list[str]]:
    """A row for each population and metric."""
    rows: list[list[str]] = []
    for place, (name, drawn) in enumerate(RATINGS.items()):
        gold, predicted = drawn(np.random.default_rng([SEED, 2, place]), 1, _LARGE)
        truths = _true_values(gold, predicted[0])
        by_metric = {metric: [name, metric] for metric in METRICS}
        for n_items in (20, 50, 200, 1_000):
            counts = {metric: np.zeros(3, int) for metric in METRICS}
            rng = np.random.default_rng([SEED, 3, place, n_items])
            for _ in range(n_gold):
                gold, predicted = drawn(rng, n_teams, n_items)
                teams = {f"t{number}": values for number, values in enumerate(predicted)}
                evaluation = audit.evaluate_ratings(gold, teams)
                for metric in METRICS:
                    counts[metric] += _of_interval(evaluation, metric, truths[metric])
            for metric in METRICS:
                by_metric[metric].append(_cell(*counts[metric]))
        rows.extend(by_metric.values())
    return rows


def _true_values(gold: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """Metrics of a large population, by SciPy and closed forms."""
    error = predicted - gold
    few = slice(0, _LARGE // 10)
    covariance = float(np.cov(predicted, gold, ddof=0)[0, 1])
    spread = predicted.var() + gold.var() + (predicted.mean() - gold.mean()) ** 2
    return {
        "spearman": float(stats.spearmanr(predicted, gold)[0]),
        "pearson": float(stats.pearsonr(predicted, gold)[0]),
        "kendall_tau_b": float(stats.kendalltau(predicted[few], gold[few])[0]),
        "ccc": 2 * covariance / float(spread),
        "mean_absolute_error": float(np.abs(error).mean()),
        "rmse": float(np.sqrt((error**2).mean())),
        "r_squared": 1 - float((error**2).mean() / gold.var()),
    }


def _alike(draw: Draw) -> Callable[[Rng, int, int], np.ndarray]:
    """Equal teams that share half of each item: what is drawn is the same for all with probability 1/2."""

    def drawn(rng: Rng, n_teams: int, n_items: int) -> np.ndarray:
        shared = np.broadcast_to(draw(rng, (1, n_items)), (n_teams, n_items))
        return np.where(rng.random((1, n_items)) < 0.5, shared, draw(rng, (n_teams, n_items)))

    return drawn


def _lognormals(rng: Rng, n_teams: int, n_items: int) -> np.ndarray:
    """Equal means, unequal shapes: from nearly normal to heavy tails."""
    sigma = np.linspace(0.3, 1.2, n_teams)[:, None]
    return np.exp(sigma * rng.normal(size=(n_teams, n_items)) - sigma**2 / 2)


def _grid_and_dense(rng: Rng, n_teams: int, n_items: int) -> np.ndarray:
    """Equal means, unequal shapes in [0, 1]."""
    spread = np.linspace(0.2, 20, n_teams)[:, None]
    return rng.beta(0.7 * spread, 0.3 * spread, (n_teams, n_items))


FAMILIES = {
    "65% zeros, [0, 1]": (_alike(_zeros_or_beta), (0, 1)),
    "three steps, [0, 1]": (_alike(MEANS["three steps, [0, 1]"][0]), (0, 1)),
    "unequal shapes, [0, 1]": (_grid_and_dense, (0, 1)),
    "normal": (_alike(_normal), None),
    "t₃": (_alike(MEANS["t₃"][0]), None),
    "error counts": (_alike(_penalties), None),
    "lognormal, unequal shapes": (_lognormals, None),
}


def false_claims_on_means(n_sets: int) -> list[list[str]]:
    """A row for each population and number of teams: test sets in which some team is called ahead of an equal one."""
    rows: list[list[str]] = []
    for place, (name, (drawn, ends)) in enumerate(FAMILIES.items()):
        column = {"better": "higher", **({"range": ends} if ends else {})}
        for n_teams in (2, 10, 48):
            row = [name, str(n_teams)]
            for n_items in (50, 300, 2_000):
                rng = np.random.default_rng([SEED, 4, place, n_teams, n_items])
                false = 0
                for _ in range(n_sets):
                    values = drawn(rng, n_teams, n_items)
                    teams = {f"t{number}": {"x": each} for number, each in enumerate(values)}
                    evaluation = audit.evaluate_scores(teams, columns={"x": column})
                    false += bool(evaluation.comparison("x").ahead.any())
                row.append(f"{100 * false / n_sets:.1f}")
            rows.append(row)
    return rows


def false_claims_on_ratings(n_sets: int) -> list[list[str]]:
    """The same by each metric of ratings; teams are equal."""
    rows: list[list[str]] = []
    for place, (name, drawn) in enumerate(RATINGS.items()):
        for n_teams in (2, 10):
            found = {metric: [name, metric, str(n_teams)] for metric in METRICS}
            for n_items in (50, 300):
                rng = np.random.default_rng([SEED, 5, place, n_teams, n_items])
                false = dict.fromkeys(METRICS, 0)
                for _ in range(n_sets):
                    gold, predicted = drawn(rng, n_teams, n_items)
                    teams = {f"t{number}": values for number, values in enumerate(predicted)}
                    evaluation = audit.evaluate_ratings(gold, teams, compare=METRICS)
                    for metric in METRICS:
                        false[metric] += bool(evaluation.comparison(metric).ahead.any())
                for metric in METRICS:
                    found[metric].append(f"{100 * false[metric] / n_sets:.1f}")
            rows.extend(found.values())
    return rows


def _cell(held: int, given: int, n_scores: int) -> str:
    without = f" ({100 * (n_scores - given) / n_scores:.0f}% none)" if given < n_scores else ""
    return f"{100 * held / given:.1f}{without}" if given else "none"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def tables(n_sets: int) -> str:
    """All tables, as Markdown."""
    return f"""# How often claims on numbers of items are true

Written by `python benchmarks/scores_and_ratings.py --write`, seed {SEED}. Percent.

## Coverage of 95% intervals: means of a column

In brackets: scores without an interval, as fewer than three items carry their variance.

{_table(["numbers", *(f"N = {n:,}" for n in (20, 50, 150, 300, 2_000))], coverage_of_means())}

## Coverage of 95% intervals: ratings

{_table(["ratings", "metric", *(f"N = {n:,}" for n in (20, 50, 200, 1_000))], coverage_of_ratings())}

## Test sets with a false claim: means of a column, equal teams

{n_sets} test sets a cell: ± {100 * 1.96 * np.sqrt(0.05 * 0.95 / n_sets):.1f} at 5%.

{_table(["numbers", "teams", *(f"N = {n:,}" for n in (50, 300, 2_000))], false_claims_on_means(n_sets))}

## Test sets with a false claim: ratings, equal teams

{_table(["ratings", "metric", "teams", "N = 50", "N = 300"], false_claims_on_ratings(n_sets))}
"""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--sets", type=int, default=200)
    given = parser.parse_args()
    text = tables(given.sets)
    if given.write:
        Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)
