"""The experiments and tables of the two papers, regenerated: the published value beside ours.

Run `python benchmarks/papers.py` (a minute or two on one core). It prints what it writes to benchmarks/papers.md; the
words of that page stand in benchmarks/papers.template.md.
The papers are Opitz & Burst 2019, "Macro F1 and Macro F1", and Opitz 2024, "A Closer Look at Classification Evaluation
Metrics". Where a description leaves open how something is drawn, every reading of it is tried.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from string import Template

import numpy as np
from scipy import stats

from audit.domain import BALANCED, OBSERVED, LabelSet, ScoreKey
from audit.domain.arrays import Counts, Floats
from audit.metrics import (
    AGGREGATES,
    BOTH_MACRO_F1,
    METRICS,
    Margins,
    macro_f1_gap,
    parse_score_key,
    score,
)
from audit.ranking.ranks import spearman
from audit.resources import samples

PAGE = Path(__file__).with_name("papers.md")
TEMPLATE = Path(__file__).with_name("papers.template.md")
SEED = 20191108


# Drawing test sets and answers


def drawn(
    shares: Floats,
    conditional: Floats,
    n_items: int,
    rng: np.random.Generator,
    *,
    exact_gold: bool = False,
) -> Counts:
    """Confusions of test sets: gold from a class distribution, answers from a distribution for each gold class.

    Parameters
    ----------
    shares : ndarray, shape (..., n)
        The class distribution.
    conditional : ndarray, shape (..., n, n)
        How items of each gold class are answered.
    n_items : int
        Items of each test set.
    rng : Generator
        Where randomness comes from.
    exact_gold : bool
        Whether the classes have their shares exactly, as far as whole items go, instead of being drawn.

    Returns
    -------
    ndarray of int, shape (..., n, n + 1)
    """
    if exact_gold:
        bounds = np.rint(n_items * shares.cumsum(axis=-1)).astype(np.int64)
        prevalence = np.diff(bounds, axis=-1, prepend=0)
    else:
        prevalence = rng.multinomial(n_items, shares)
    return answered(rng.multinomial(prevalence, conditional))


def answered(cells: Counts) -> Counts:
    """Confusions in which every item is answered, from gold × predicted."""
    return np.concatenate([cells, np.zeros_like(cells[..., :1])], axis=-1)


def margins(confusions: Counts) -> Margins:
    """Margins with averages over all n classes, as in the papers."""
    return Margins.of(confusions, averaged=np.ones(confusions.shape[:-1], dtype=bool))


def by_metric(slug: str, confusions: Counts) -> Floats:
    """One metric of a stack of confusions."""
    return METRICS[slug].kernel(margins(confusions))


# Figure 1: chance classifiers on skewed data

N_SETS, N_ITEMS_1, REPEATS_1 = 1000, 1000, 400
SKEWED = np.array([0.95, 0.05])
STATISTICS = {  # of figure 1a, as printed
    "root mean squared deviation": "0.13",
    "maximum of F1 of averages": "0.56",
    "maximum of macro-averaged F1": "0.41",
    "Pearson": "0.72",
    "Spearman": "0.69",
}


def _chance(n_sets: int, rng: np.random.Generator, *, exact_gold: bool) -> Counts:
    shares = np.broadcast_to(SKEWED, (n_sets, 2))
    return drawn(shares, np.full((n_sets, 2, 2), 0.5), N_ITEMS_1, rng, exact_gold=exact_gold)


def gold_and_answers_drawn(n_sets: int, rng: np.random.Generator) -> Counts:
    """Every gold label from 95/5, every answer a coin toss: the words of the paper taken literally."""
    return _chance(n_sets, rng, exact_gold=False)


def gold_exact(n_sets: int, rng: np.random.Generator) -> Counts:
    """Exactly 950 and 50 gold items."""
    return _chance(n_sets, rng, exact_gold=True)


def answers_exact(n_sets: int, rng: np.random.Generator) -> Counts:
    """Exactly 500 answers of each class, shuffled."""
    prevalence = rng.multinomial(N_ITEMS_1, SKEWED, n_sets)
    first = rng.hypergeometric(prevalence[:, 0], prevalence[:, 1], N_ITEMS_1 // 2)
    predicted = np.stack([first, N_ITEMS_1 // 2 - first], axis=-1)
    return answered(np.stack([predicted, prevalence - predicted], axis=-1))


def classifier_drawn(n_sets: int, rng: np.random.Generator) -> Counts:
    """Each classifier predicts the classes with a probability of its own, uniform on [0, 1]."""
    rates = rng.random((n_sets, 1))
    conditional = np.repeat(np.stack([rates, 1 - rates], axis=-1), 2, axis=1)
    return drawn(np.broadcast_to(SKEWED, (n_sets, 2)), conditional, N_ITEMS_1, rng)


FIGURE_1A: dict[str, Callable[[int, np.random.Generator], Counts]] = {
    "gold and answers drawn": gold_and_answers_drawn,
    "gold exactly 950 and 50": gold_exact,
    "exactly 500 answers of each class": answers_exact,
    "a random rate for each classifier": classifier_drawn,
}


def figure_1a(confusions: Counts, n_sets: int) -> Floats:
    """The five statistics of each experiment of ``n_sets`` test sets, shape (experiments, 5)."""
    both = np.stack(
        [
            by_metric(slug, confusions).reshape(-1, n_sets)
            for slug in ("f1_of_averages", "averaged_f1")
        ]
    )
    deviation = np.sqrt(((both[0] - both[1]) ** 2).mean(axis=-1))
    pairs = both.swapaxes(0, 1)
    pearson = [np.corrcoef(pair)[0, 1] for pair in pairs]
    rank = [spearman(pair)[0, 1] for pair in pairs]
    return np.stack([deviation, *both.max(axis=-1), pearson, rank], axis=-1)


# Figures 2 and 3: Δ over accuracy and skew

N_ITEMS_2, REPEATS_2 = 2000, 100


def skewed_gold(n: int, accuracy: Floats, skew: Floats) -> tuple[Floats, Floats]:
    """Figure 2: class i has the share 1/n [skew 0] to i/Σi [skew 1]; errors fall on the other classes evenly."""
    weights = np.arange(1, n + 1) / math.comb(n + 1, 2)
    shares = (1 - skew[:, None]) / n + skew[:, None] * weights
    errors = (1 - np.eye(n)) / (n - 1)
    return shares, _with_accuracy(accuracy, np.broadcast_to(errors, (skew.size, n, n)))


def skewed_errors(n: int, accuracy: Floats, skew: Floats) -> tuple[Floats, Floats]:
    """Figure 3: even classes; an error of gold class i falls on class j evenly [skew 0] to by j/(Σj − i) [skew 1]."""
    even = 1 - np.eye(n)
    by_number = even * np.arange(1, n + 1)
    even, by_number = (
        weights / weights.sum(axis=1, keepdims=True) for weights in (even, by_number)
    )
    errors = (1 - skew[:, None, None]) * even + skew[:, None, None] * by_number
    return np.full((skew.size, n), 1 / n), _with_accuracy(accuracy, errors)


def _with_accuracy(accuracy: Floats, errors: Floats) -> Floats:
    return (
        accuracy[:, None, None] * np.eye(errors.shape[-1]) + (1 - accuracy[:, None, None]) * errors
    )


PANELS = {"2, n = 4": (skewed_gold, 4), "2, n = 13": (skewed_gold, 13)} | {
    "3, n = 4": (skewed_errors, 4),
    "3, n = 13": (skewed_errors, 13),
}
# in points, as printed
LARGEST = {"2, n = 4": "2", "2, n = 13": "2", "3, n = 4": "0.8", "3, n = 13": "1.7"}


@dataclass(frozen=True)
class Reading:
    """How the points of figures 2 and 3 may have come about.

    Parameters
    ----------
    name : str
        In words.
    side : int
        Points on each axis of the grid; 0 for 1,000 points at random.
    n_draws : int
        Test sets drawn at each point and averaged; 0 for the expected confusion, without any drawing.
    exact_gold : bool
        Whether the classes have their shares exactly.
    """

    name: str
    side: int
    n_draws: int = 1
    exact_gold: bool = False

    def points(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Accuracy, from 1/n to 1, and skew, from 0 to 1, of each point."""
        if not self.side:
            return rng.uniform(1 / n, 1, 1000), rng.random(1000)
        accuracy, skew = np.meshgrid(np.linspace(1 / n, 1, self.side), np.linspace(0, 1, self.side))
        return accuracy.ravel(), skew.ravel()

    def gaps(self, panel: str, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
        """Accuracy, skew and Δ in points, of each point of a panel."""
        population, n = PANELS[panel]
        accuracy, skew = self.points(n, rng)
        shares, conditional = population(n, accuracy, skew)
        if not self.n_draws:
            return (
                accuracy,
                skew,
                100 * macro_f1_gap(margins(answered(shares[..., None] * conditional))),
            )
        total = np.zeros(accuracy.size)
        for _ in range(self.n_draws):
            confusions = drawn(shares, conditional, N_ITEMS_2, rng, exact_gold=self.exact_gold)
            total += macro_f1_gap(margins(confusions))
        return accuracy, skew, 100 * total / self.n_draws

    def maxima(self, panel: str, repeats: int, rng: np.random.Generator) -> Floats:
        """The largest Δ of each repetition of a panel, in points, shape (repeats,)."""
        return np.array(
            [self.gaps(panel, rng)[2].max() for _ in range(repeats if self.n_draws else 1)]
        )


READINGS = (
    Reading("expected confusion, nothing drawn", 101, n_draws=0),
    Reading("one test set at each of 11 × 11 points", 11),
    Reading("one at each of 11 × 11, gold shares exact", 11, exact_gold=True),
    Reading("one at each of 21 × 21", 21),
    Reading("one at each of 51 × 51", 51),
    Reading("one at each of 1,000 random points", 0),
    Reading("mean of 5 at each of 21 × 21", 21, n_draws=5),
    Reading("mean of 25 at each of 21 × 21", 21, n_draws=25),
)


# What the papers print

EXTREME = 10**9
WORKED_2019 = (  # place, predicted × gold, metric, printed
    ("table 1", [[5, 10], [5, 10]], "f1_of_averages", "0.5"),
    ("table 1", [[5, 10], [5, 10]], "averaged_f1", "0.49"),
    ("table 2", [[1, 1], [9, 19]], "f1_of_averages", "0.55"),
    ("table 2", [[1, 1], [9, 19]], "averaged_f1", "0.48"),
    ("table 3", [[100, 10000], [0, 100]], "f1_of_averages", "0.505"),
    ("table 3", [[100, 10000], [0, 100]], "averaged_f1", "0.0196"),
    ("table 4", [[100, 5000], [5000, 100]], "f1_of_averages", "0.0196"),
    ("table 4", [[100, 5000], [5000, 100]], "averaged_f1", "0.0196"),
    ("appendix D", [[100, 10000], [0, 100]], "f1_of_averages", "0.504950495049505"),
    ("appendix D", [[100, 10000], [0, 100]], "averaged_f1", "1.96078431372549e-2"),
    ("appendix D", [[100, 10000], [0, 100]], "Δ", "0.48534265191225007"),
    ("appendix D", [[100, 5000], [5000, 100]], "f1_of_averages", "1.96078431372549e-2"),
    ("appendix D", [[100, 5000], [5000, 100]], "averaged_f1", "1.96078431372549e-2"),
    ("appendix D", [[100, 5000], [5000, 100]], "Δ", "0.0"),
)
WORKED_2024 = (
    ("table 2", [[15, 5], [10, 10]], "macro_precision", "5/8"),
    ("table 4", [[15, 10], [10, 20]], "macro_precision", "19/30"),
    ("table 7", [[10, 43, 0], [1, 1, 0], [0, 0, 1]], "mcc", "0.0"),
    ("table 7", [[10, 43, 0], [1, 1, 0], [0, 0, 1]], "kappa", "0.0"),
    ("table 8", [[10, 43, 0], [1, 1, 0], [0, 10, 1]], "mcc", "0.07"),
    ("table 8", [[10, 43, 0], [1, 1, 0], [0, 10, 1]], "kappa", "0.02"),
)
TABLE_6_COLUMNS = (
    "accuracy",
    "macro_recall",
    "macro_precision",
    "averaged_f1",
    "f1_of_averages",
    "weighted_f1",
    "kappa",
    "mcc",
    "geometric_macro_recall",
    "harmonic_macro_recall",
    "recall[negative]",
    "recall[neutral]",
    "recall[positive]",
    "averaged_f1~",
    "f1_of_averages~",
    "kappa~",
    "mcc~",
)
_TABLE_6 = """
A 65.1 68.1 65.5 65.4 66.8 64.5 46.5 48.0 66.8 65.4 82.9 51.2 70.2 67.7 68.2 52.1 52.6
B 65.8 68.1 67.4 66.0 67.8 65.1 47.3 49.2 66.5 65.0 87.8 51.4 65.2 67.7 68.7 52.2 53.1
C 66.1 67.6 66.2 66.0 66.9 65.7 47.2 48.1 66.8 66.0 81.7 56.0 65.2 67.5 68.0 51.4 51.8
D 65.2 67.4 64.9 65.1 66.1 64.8 46.3 47.3 66.5 65.6 80.3 54.2 67.6 67.1 67.5 51.0 51.3
E 66.4 66.9 65.4 66.0 66.1 66.4 47.0 47.0 66.8 66.8 69.8 64.0 66.8 67.3 67.5 50.3 50.5
F 64.8 65.9 63.9 64.5 64.9 64.7 45.0 45.4 65.6 65.4 73.5 58.7 65.6 66.1 66.3 48.9 49.0
G 63.3 64.9 63.6 63.4 64.2 63.1 43.0 43.8 64.2 63.5 77.4 53.9 63.5 64.9 65.4 47.4 47.7
H 64.3 64.5 63.1 63.7 63.8 64.4 43.6 43.6 64.5 64.5 65.3 63.6 64.5 64.9 65.2 46.7 47.0
"""
# ×100
TABLE_6 = {system: printed for system, *printed in map(str.split, _TABLE_6.strip().splitlines())}
TABLE_6_GOLD = np.array([3972, 5937, 2375])
TABLE_5 = {  # PI to PV, as printed: has it, has it after calibration, has it not
    "accuracy": "✓~~~~",
    "macro_recall": "✓✓✓✓✓",
    "geometric_macro_recall": "✓✓✓✓✓",
    "harmonic_macro_recall": "✓✓✓✓✓",
    "macro_precision": "✓✓✓~✓",
    "averaged_f1": "✓✓✓~✓",
    "f1_of_averages": "✓✓✗~✓",
    "weighted_f1": "✗✓~~~",
    "kappa": "✗✓✗~✓",
    "mcc": "✗✓✗~✓",
}


def decimals(printed: str) -> int:
    """Digits after the point of a printed number."""
    mantissa, _, exponent = printed.partition("e")
    return len(mantissa.partition(".")[2]) - int(exponent or 0)


def verdict(value: float, printed: str) -> str:
    """Whether a value prints as it is printed: yes, no, or cut off instead of rounded.

    Examples
    --------
    >>> verdict(0.5553, "0.56"), verdict(0.5553, "0.55"), verdict(0.5553, "0.54")
    ('yes', 'cut off, not rounded', '**no**')
    """
    if "/" in printed:
        return "yes" if math.isclose(value, Fraction(printed), rel_tol=1e-15) else "**no**"
    unit = 10.0 ** -decimals(printed)
    above = value - float(printed)
    if abs(above) <= max(unit / 2, 1e-15):
        return "yes"
    return "cut off, not rounded" if 0 < above < unit else "**no**"


def as_published(maxima: dict[str, Floats]) -> float:
    """Share of the repetitions of figures 2 and 3 in which the largest Δ of each prints as it is printed.

    Figure 2 has one printed value for both panels. Rounded or cut off, as in ``verdict``.
    """
    by_claim = {
        "2": np.maximum(maxima["2, n = 4"], maxima["2, n = 13"]),
        "0.8": maxima["3, n = 4"],
        "1.7": maxima["3, n = 13"],
    }
    matches = [
        [verdict(value, printed) != "**no**" for value in values]
        for printed, values in by_claim.items()
    ]
    return float(np.all(matches, axis=0).mean())


# The blocks of the page


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows as a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def figure_1a_block(rng: np.random.Generator) -> str:
    """The statistics of figure 1a under each reading."""
    found = {
        name: figure_1a(draw(N_SETS * REPEATS_1, rng), N_SETS) for name, draw in FIGURE_1A.items()
    }
    rows = [
        [statistic, printed, *(_with_range(values[:, row], printed) for values in found.values())]
        for row, (statistic, printed) in enumerate(STATISTICS.items())
    ]
    literal = next(iter(found.values()))
    weakest = float(literal[:, 3:].min())
    p = 2 * stats.t.sf(weakest * np.sqrt((N_SETS - 2) / (1 - weakest**2)), N_SETS - 2)
    rows.append(
        ["largest p of both correlations", "< 0.0001", f"{p:.0e}", *["–"] * (len(found) - 1)]
    )
    return table(["statistic", "published", *found], rows)


def _with_range(values: Floats, printed: str) -> str:
    low, high = np.quantile(values, [0.025, 0.975])
    half = 10.0 ** -decimals(printed) / 2
    text = f"{values.mean():.3f} ({low:.3f}–{high:.3f})"
    return text if low < float(printed) + half and high > float(printed) - half else f"**{text}**"


DISTRIBUTIONS = {
    "50/50": (0.5, 0.5),
    "75/25": (0.75, 0.25),
    "90/10": (0.9, 0.1),
    "95/5": (0.95, 0.05),
    "25/25/25/25": (0.25,) * 4,
    "40/30/20/10": (0.4, 0.3, 0.2, 0.1),
    "85/5/5/5": (0.85, 0.05, 0.05, 0.05),
}


def figure_1b_block(rng: np.random.Generator) -> str:
    """Δ of chance classifiers for some class distributions."""
    rows = []
    for name, distribution in DISTRIBUTIONS.items():
        shares, n = np.array(distribution), len(distribution)
        conditional = np.full((n, n), 1 / n)
        stack = (
            np.broadcast_to(shares, (20 * N_SETS, n)),
            np.broadcast_to(conditional, (20 * N_SETS, n, n)),
        )
        gaps = macro_f1_gap(margins(drawn(*stack, N_ITEMS_1, rng)))
        limit = macro_f1_gap(margins(answered(shares[:, None] * conditional)))
        low, high = np.quantile(gaps, [0.05, 0.95])
        rows.append([name, f"{gaps.mean():.3f}", f"{low:.3f}–{high:.3f}", f"{limit:.3f}"])
    return table(["classes", "mean Δ", "middle 90%", "Δ of the expected confusion"], rows)


def largest_gaps_block(rng: np.random.Generator) -> str:
    """The largest Δ of figures 2 and 3 under each reading."""
    rows = [["published", *LARGEST.values(), ""]]
    for reading in READINGS:
        maxima = {panel: reading.maxima(panel, REPEATS_2, rng) for panel in PANELS}
        rows.append(
            [reading.name, *map(_with_deviation, maxima.values()), f"{as_published(maxima):.0%}"]
        )
    return table(["reading", *(f"figure {panel}" for panel in PANELS), "as published"], rows)


def _with_deviation(values: Floats) -> str:
    return f"{values.mean():.2f} ± {values.std():.2f}" if values.size > 1 else f"{values[0]:.2f}"


def surfaces_block(rng: np.random.Generator) -> str:
    """Figures 2 and 3 as tables."""
    return "\n\n".join(f"Figure {panel}:\n\n{_surface(panel, rng)}" for panel in PANELS)


def _surface(panel: str, rng: np.random.Generator) -> str:
    accuracy, skew, gaps = Reading("", 6, n_draws=REPEATS_2).gaps(panel, rng)
    rows = [
        [f"{level:.1f}", *(f"{gap:.2f}" for gap in gaps[skew == level])]
        for level in np.unique(skew)
    ]
    return table(["skew \\ accuracy", *(f"{value:.2f}" for value in np.unique(accuracy))], rows)


def worked_block(entries: Sequence[tuple[str, list[list[int]], str, str]]) -> str:
    """Worked tables: published, ours, and whether they agree."""
    rows = []
    for place, matrix, slug, printed in entries:
        confusion = answered(np.array(matrix).T)
        value = float(
            macro_f1_gap(margins(confusion)) if slug == "Δ" else by_metric(slug, confusion)
        )
        name = slug if slug == "Δ" else METRICS[slug].phrase
        digits = max(5, decimals(printed))
        rows.append(
            [place, f"`{matrix}`", name, printed, f"{value:.{digits}f}", verdict(value, printed)]
        )
    return table(["place", "predicted × gold", "metric", "published", "ours", "agrees"], rows)


def supremum_block() -> str:
    """How close Δ comes to its supremum."""
    rows = []
    for n in (2, 3, 4, 13):
        limit = 0.5 if n % 2 == 0 else 0.5 - 1 / (2 * n**2)
        gap = float(macro_f1_gap(margins(answered(extreme(n)))))
        rows.append([str(n), f"{limit:.6f}", f"{gap:.6f}", f"{limit - gap:.0e}"])
    return table(["n", "published", "ours", "what is left"], rows)


def extreme(n: int) -> Counts:
    """Gold × predicted of appendix C: ones on the diagonal, one cell of nearly every other row large."""
    cells = np.eye(n, dtype=np.int64)
    rows = np.arange(1, n, 2)
    cells[rows, rows - 1] = EXTREME
    if n % 2:
        cells[-1, 0] = EXTREME
    return cells


def equal_scores_block() -> str:
    """A confusion with P ≠ R and equal scores."""
    cells = answered(np.array([[5, 5], [1, 0]]))
    precision, recall = (
        np.round(by_metric(slug, cells), 4).tolist() for slug in ("precision", "recall")
    )
    scores = [
        f"{METRICS[slug].phrase} {float(by_metric(slug, cells)):.4f}" for slug in BOTH_MACRO_F1
    ]
    return f"P = {precision}, R = {recall}, {' and '.join(scores)}"


def statements_block(rng: np.random.Generator) -> str:
    """Statements of Opitz 2024 that a number decides."""
    rows = [
        [
            f"§4.3, n = {n}",
            "scaling a class moves macro precision by up to 1 − 1/n",
            f"{1 - 1 / n:.6f}",
            f"{gap:.6f}",
        ]
        for n, gap in ((n, precision_spread(n)) for n in (2, 3, 10))
    ]
    rows += _mcc_and_kappa(rng)
    for system, printed in (("E", "5.8"), ("B", "36.4")):
        recalls = [float(value) for value in TABLE_6[system][10:13]]
        spread = max(recalls) - min(recalls)
        rows.append(
            [
                "§7.1",
                f"largest difference between the recalls of {system}",
                printed,
                f"{spread:.1f}",
            ]
        )
    for columns in (TABLE_6_COLUMNS[:8], TABLE_6_COLUMNS):
        statement = f"rank of E by an ensemble of metrics; the mean of {len(columns)} columns"
        ours = f"{ensemble_rank('E', columns)} (B: {ensemble_rank('B', columns)})"
        rows.append(["§7.1", statement, "better than 5, the official", ours])
    return table(["place", "statement", "published", "ours"], rows)


def _mcc_and_kappa(rng: np.random.Generator) -> list[list[str]]:
    cells = rng.integers(0, rng.integers(1, 50, (100_000, 1, 1)), (100_000, 3, 3)) + np.eye(
        3, dtype=np.int64
    )
    mcc, kappa = by_metric("mcc", answered(cells)), by_metric("kappa", answered(cells))
    holds = (np.abs(mcc) >= np.abs(kappa) - 1e-12) & (np.sign(mcc) == np.sign(kappa))
    bias, prevalence = cells.sum(axis=1), cells.sum(axis=2)
    squares = np.minimum((bias**2).sum(axis=1), (prevalence**2).sum(axis=1))
    reason = (prevalence * bias).sum(axis=1) <= squares
    found = [f"in {share.sum():,} of {share.size:,} random confusions" for share in (holds, reason)]
    return [
        ["§4.7", "MCC and kappa agree in sign, and \\|MCC\\| ≥ \\|kappa\\|", "always", found[0]],
        ["§4.7", "… since pᵀb ≤ bᵀb and pᵀb ≤ pᵀp", "always", found[1]],
    ]


def ensemble_rank(system: str, columns: Sequence[str]) -> int:
    """Rank of a system by the mean of some printed columns of table 6."""
    rows = [TABLE_6_COLUMNS.index(column) for column in columns]
    means = {name: sum(float(cells[row]) for row in rows) for name, cells in TABLE_6.items()}
    return 1 + sum(mean > means[system] for mean in means.values())


def precision_spread(n: int) -> float:
    """How far macro precision moves when the first class shrinks: ones on the diagonal, its other cells large."""
    cells = np.eye(n)
    cells[0, 1:] = EXTREME
    scale = np.ones((n, 1))
    scale[0] = 1 / EXTREME**2
    before, after = (
        float(by_metric("macro_precision", answered(array))) for array in (cells, cells * scale)
    )
    return after - before


def table_6() -> Floats:
    """The seventeen scores ×100 of each system, from the sample campaign's confusions, shape (8, 17)."""
    found = json.loads(
        (samples() / "semeval2017-task4a" / "confusions.json").read_text(encoding="utf-8")
    )
    labels = LabelSet(tuple(found["labels"]))
    confusions = answered(np.array([found["confusions"][system] for system in TABLE_6]))
    keys: list[ScoreKey] = [parse_score_key(column, labels) for column in TABLE_6_COLUMNS]
    return 100 * score(confusions, keys, [OBSERVED, BALANCED], labels).T


def table_6_block() -> str:
    """Table 6, published and ours."""
    ours = table_6()
    rows = [
        [
            f"`{column}`",
            *(
                f"{TABLE_6[system][index]} · {ours[row, index]:.2f}"
                for row, system in enumerate(TABLE_6)
            ),
        ]
        for index, column in enumerate(TABLE_6_COLUMNS)
    ]
    printed = [text for cells in TABLE_6.values() for text in cells]
    agreeing = sum(
        f"{value:.1f}" == text for value, text in zip(ours.ravel(), printed, strict=True)
    )
    return (
        table(["score", *TABLE_6], rows)
        + f"\n\n{agreeing} of {len(printed)} scores print to the published digit."
    )


def derived(printed: Floats) -> dict[str, Floats]:
    """Columns of table 6 that follow from other columns of it, each by a function that rises with all of them."""
    column = dict(zip(TABLE_6_COLUMNS, printed.T, strict=True))
    recalls = printed[:, 10:13]
    precision, recall = column["macro_precision"], column["macro_recall"]
    return {
        "accuracy": recalls @ TABLE_6_GOLD / TABLE_6_GOLD.sum(),
        "macro_recall": recalls.mean(axis=1),
        "geometric_macro_recall": stats.gmean(recalls, axis=1),
        "harmonic_macro_recall": stats.hmean(recalls, axis=1),
        "f1_of_averages": 2 * precision * recall / (precision + recall),
        "kappa~": (recall - 100 / 3) / (1 - 1 / 3),
    }


def consistency_block() -> str:
    """How many printed values of table 6 lie within rounding of what other printed columns imply."""
    published = np.array(list(TABLE_6.values()), dtype=float)
    low, high = derived(published - 0.05), derived(published + 0.05)
    columns = {name: published[:, TABLE_6_COLUMNS.index(name)] for name in low}
    inside = np.array(
        [
            (low[name] <= values + 0.05) & (values - 0.05 <= high[name])
            for name, values in columns.items()
        ]
    )
    return f"{inside.sum()} of {inside.size} values of {', '.join(f'`{name}`' for name in columns)}"


def table_5_block() -> str:
    """Table 5 as printed, and the registry's mark where it is another."""
    rows = []
    for metric in AGGREGATES:
        ours = "".join(mark.value for mark in vars(metric.properties).values())
        pairs = zip(TABLE_5[metric.slug], ours, strict=True)
        rows.append([metric.label, *(a if a == b else f"**{a}**, here {b}" for a, b in pairs)])
    properties = "PI monotonic,PII class-sensitive,PIII decomposable,PIV prevalence-invariant,PV chance-corrected"
    return table(["metric", *properties.split(",")], rows)


SAMPLED: dict[str, Callable[[np.random.Generator], str]] = {
    "figure_1a": figure_1a_block,
    "figure_1b": figure_1b_block,
    "largest_gaps": largest_gaps_block,
    "surfaces": surfaces_block,
    "statements": statements_block,
}
COMPUTED: dict[str, Callable[[], str]] = {
    "worked_2019": lambda: worked_block(WORKED_2019),
    "worked_2024": lambda: worked_block(WORKED_2024),
    "supremum": supremum_block,
    "equal_scores": equal_scores_block,
    "table_6": table_6_block,
    "consistency": consistency_block,
    "table_5": table_5_block,
}


def main() -> None:
    """Print the page and write it."""
    blocks = {name: block() for name, block in COMPUTED.items()}
    for number, (name, sampled) in enumerate(SAMPLED.items()):
        blocks[name] = sampled(np.random.default_rng([SEED, number]))
    page = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        blocks, repeats_1=REPEATS_1, repeats_2=REPEATS_2
    )
    print(page)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
