"""Baselines that need no submission: what an answer without a system scores, and what the best systems could together.

A random baseline draws each item's label on its own. Given how often it drew each label, it is any assignment of them
to the items with equal probability, so that what is right by it is right by chance; the closed forms follow from that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from audit.domain import BALANCED, Baseline, Cells, Evaluation, LabelSet, Prevalence, ScoreKey
from audit.domain.arrays import Counts, Floats, Ints
from audit.metrics.confusion import count_cells, over_classes
from audit.metrics.elementary import exponential, logarithm
from audit.metrics.names import NamedMetric, named_metric
from audit.metrics.scoring import prevalence_shares, score

ORACLE_TEAMS = 3  # teams whose answers the oracle may choose from
_MOST_DRAWS = 10_000
_FEWEST_DRAWS = 30
# draws of more classes, kept as their cells: they take as much as a campaign of so many entries
_CELLS_AT_ONCE = 10
_DRAWN_CELLS = 1 << 20  # as many draws as have this many cells together are drawn at once
# as many draws are made as have this many cells: of 20 classes 714, whose mean is off by a 27th of a draw's spread
_CELLS_OF_ALL = 300_000
_SEED = 20240416


_FOUND = "Expected scores: exact where there is a closed form, else the mean of seeded draws with its standard error."
_ORACLE = (
    f"Right where any of the {ORACLE_TEAMS} best teams is, each with its best run by the ranking metric; elsewhere the "
    "best team’s answer. It knows gold: choosing between these teams could be right no more often."
)
BASELINE_KINDS: Mapping[str, tuple[str, str]] = {
    "majority": (
        "Majority class",
        "Gives every item the most frequent label of gold, which is no system.",
    ),
    "uniform": ("Uniform random", f"Draws each label from the classes in gold alike. {_FOUND}"),
    "prevalence": ("Random by prevalence", f"Draws each label as often as gold has it. {_FOUND}"),
    "oracle": (f"Oracle of the {ORACLE_TEAMS} best teams", _ORACLE),
}
"""Every built-in baseline by its slug → its title, and what it answers and how its scores are found, in sentences."""


def chance_baselines(
    counts: Ints,
    keys: Sequence[ScoreKey],
    prevalences: Sequence[Prevalence],
    label_set: LabelSet,
    order: Ints | None = None,
) -> tuple[Baseline, ...]:
    """The baselines that know nothing but how often gold has each class: majority, uniform and by prevalence.

    Of the largest classes the majority is the first in an order of all C, in which labels are drawn, too.
    """
    if order is None:
        order = np.argsort(-counts, kind="stable")
    in_gold = counts > 0
    codes = np.flatnonzero(in_gold)
    majority = order[counts[order].argmax()]
    answers = np.full(codes.shape, majority)
    confusion = Cells(counts[None, codes], codes, answers, len(counts))
    values = score(confusion, keys, prevalences, label_set)[:, 0]
    baselines = [baseline_of("majority", values)]
    shares_of_labels = {"uniform": in_gold / in_gold.sum(), "prevalence": counts / counts.sum()}
    for slug, shares in shares_of_labels.items():
        if codes.size == 1:  # there is nothing to draw
            baselines.append(baseline_of(slug, values))
        else:
            drawn = _Random(counts, shares, prevalences, label_set, order)
            baselines.append(baseline_of(slug, *drawn.scores(keys)))
    return tuple(baselines)


def baseline_order(evaluation: Evaluation) -> Ints:
    """The class codes, the largest first: those of one size in an order without names, or in that of their scale.

    A metric that looks at single cells may have a scale of its own.
    """
    labels = evaluation.task.label_set
    metric = named_metric(evaluation.task.ranking_metric.metric, labels).metric
    if labels.scale or metric.over == "confusions":
        return np.argsort(-evaluation.prevalence_counts, kind="stable")
    return np.asarray(evaluation.class_order)


def baseline_of(slug: str, values: Floats, standard_errors: Floats | None = None) -> Baseline:
    """A baseline of the registry with its scores; exact ones have no error."""
    if standard_errors is None:
        standard_errors = np.zeros(values.shape)
    return Baseline(slug, *BASELINE_KINDS[slug], values, standard_errors)


def oracle(gold: Counts, predictions: Sequence[Counts]) -> Counts:
    """Label codes that are right where any prediction is, and elsewhere those of the first, shape (N,)."""
    right = np.logical_or.reduce([prediction == gold for prediction in predictions])
    return np.where(right, gold, predictions[0])


class _Random:
    """Expected scores of a classifier that draws every item's label with the same probabilities."""

    def __init__(
        self,
        counts: Ints,
        shares: Floats,
        prevalences: Sequence[Prevalence],
        label_set: LabelSet,
        order: Ints,
    ) -> None:
        self.counts = counts
        self.shares = shares
        self.labels = label_set
        self.order = order
        self.prevalences = {prevalence.name: prevalence for prevalence in prevalences}
        self.in_gold = counts / counts.sum()
        self.geometric: dict[tuple[int, ...], float] = {}
        self.targets: dict[str, tuple[Floats, bool]] = {}

    def scores(self, keys: Sequence[ScoreKey]) -> tuple[Floats, Floats]:
        """Expected scores and their Monte Carlo errors, 0 where they are exact or undefined."""
        values = np.full(len(keys), np.nan)
        errors = np.zeros(len(keys))
        rows = []  # of the scores without a closed form
        for row, key in enumerate(keys):
            exact = self._exact(key)
            if exact is None:
                rows.append(row)
            else:
                values[row] = exact
        if rows:
            drawn = self._drawn([keys[row] for row in rows])
            values[rows] = drawn.mean(axis=1)
            errors[rows] = drawn.std(axis=1, ddof=1) / np.sqrt(drawn.shape[1])
        return values, errors

    def _exact(self, key: ScoreKey) -> float | None:
        """An expectation in closed form; None where there is none, NaN where the score is undefined."""
        named = named_metric(key.metric, self.labels)
        if named.metric.of_ranks:
            return np.nan
        if named.parts:
            return self._exact_mean(named, key)
        if not named.is_plain:
            return None
        codes = self._averaged_codes(named)
        if not codes.size:
            return np.nan
        target, is_observed = self._target(key.prevalence)
        forms: dict[str, Callable[[], float]] = {
            "accuracy": lambda: float(over_classes(target * self.shares)),
            "recall": lambda: float(self.shares[codes].mean()),
            "geometric_macro_recall": lambda: self._geometric(codes),
        }
        if key.prevalence == BALANCED.name:
            forms["kappa"] = lambda: 0.0  # it grows with macro recall in a straight line
        if is_observed:
            forms |= {
                "precision": lambda: float(self._precision[codes].mean()),
                "f1": lambda: float(self._f1[codes].mean()),
                "weighted_f1": lambda: self._weighted_f1(codes),
                # However often each label is drawn, as many items are right as by chance, on average.
                "kappa": lambda: 0.0,
                "mcc": lambda: 0.0,
            }
        form = forms.get(named.metric.mean_of or named.metric.slug)
        if form is None:
            return None
        return form()

    def _averaged_codes(self, named: NamedMetric) -> Ints:
        """The classes in gold that a metric averages: those it names, or all but the rest class."""
        if named.codes is not None:
            codes = np.array(named.codes)
        else:
            codes = np.arange(len(self.labels))
            if named.rest is not None:
                codes = np.delete(codes, named.rest)
        return np.asarray(codes[self.counts[codes] > 0])

    def _target(self, prevalence: str) -> tuple[Floats, bool]:
        """Shares of the classes at a prevalence, and whether they are those of gold."""
        if prevalence not in self.targets:
            target = prevalence_shares(self.prevalences[prevalence], self.counts, self.labels)
            is_observed = bool(np.allclose(target, self.in_gold, rtol=0, atol=1e-12))
            self.targets[prevalence] = (target, is_observed)
        return self.targets[prevalence]

    def _exact_mean(self, named: NamedMetric, key: ScoreKey) -> float | None:
        """The expected mean of a composite; None where one of its scores has no closed form."""
        names = [part.reading.metric for part in named.parts if part.is_plain]
        values = [self._exact(replace(key, metric=name)) for name in names]
        if len(names) < len(named.parts) or None in values:
            return None
        return float(np.average(np.array(values, dtype=np.float64), weights=named.weights))

    @cached_property
    def _precision(self) -> Floats:
        """Expected precision of each class, (n/N) · (1 − (1 − share)^N).

        A drawn label is right as often as gold has it, if it is drawn at all.
        """
        never_drawn = exponential(self.counts.sum() * logarithm(1 - self.shares))
        return np.asarray(self.in_gold * (1 - never_drawn))

    def _weighted_f1(self, codes: Ints) -> float:
        left_out = np.delete(np.arange(self.in_gold.size), codes)
        kept = self.in_gold.copy()
        kept[left_out] = 0.0
        return float(over_classes(self._f1 * kept) / (1.0 - self.in_gold[left_out].sum()))

    @cached_property
    def _f1(self) -> Floats:
        """Expected F1 of each class: the mean of 2 · b · n/N / (b + n) over the number b of draws of its label."""
        n_items = int(self.counts.sum())
        f1 = np.zeros(len(self.counts))
        for code in np.flatnonzero(self.counts).tolist():
            bias, chance = _binomial(n_items, self.shares[code])
            of_bias = 2 * bias * self.in_gold[code] / (bias + self.counts[code])
            f1[code] = over_classes(chance * of_bias)
        return f1

    def _geometric(self, codes: Ints) -> float:
        """Recalls are independent of each other: the product of the means of their k-th roots."""
        if tuple(codes) not in self.geometric:
            means = []
            for code in codes.tolist():
                n_items = self.counts[code]
                n_right, chance = _binomial(n_items, self.shares[code])
                means.append(over_classes(chance * _root(n_right / n_items, len(codes))))
            self.geometric[tuple(codes)] = float(np.prod(means))
        return self.geometric[tuple(codes)]

    def _drawn(self, keys: Sequence[ScoreKey]) -> Floats:
        """Scores of drawn confusions, shape (K, R)."""
        n_cells = len(self.labels) * (len(self.labels) + 1)
        n_draws = min(_MOST_DRAWS, max(_FEWEST_DRAWS, _CELLS_OF_ALL // n_cells))
        step = _DRAWN_CELLS // n_cells or _CELLS_AT_ONCE
        rng = np.random.default_rng(_SEED)
        prevalences = list(self.prevalences.values())
        parts = []
        for start in range(0, n_draws, step):
            confusions = self._confusions(rng, min(step, n_draws - start))
            parts.append(score(confusions, keys, prevalences, self.labels))
        return np.concatenate(parts, axis=1)

    def _confusions(self, rng: "np.random.Generator", n_draws: int) -> Ints | Cells:
        """Drawn confusions: cell by cell, or item by item where the cells of one are more than are held at once."""
        n_classes = len(self.labels)
        if n_classes * (n_classes + 1) > _DRAWN_CELLS:
            gold = np.repeat(np.arange(n_classes), self.counts)
            drawn = [rng.choice(n_classes, gold.size, p=self.shares) for _ in range(n_draws)]
            return count_cells(gold, drawn, n_classes)
        confusions = np.zeros((n_draws, n_classes, n_classes + 1), dtype=np.int64)
        order = self.order
        for code in order.tolist():
            confusions[:, code, order] = rng.multinomial(
                self.counts[code], self.shares[order], size=n_draws
            )
        return confusions


def _binomial(n: int, share: float) -> tuple[Floats, Floats]:
    """Counts that n draws can give, with their probabilities; those of less than 1e-20 are left out.

    From the likeliest count on, each probability is a multiple of the one beside it, and together they are 1:
    P(b + 1)/P(b) = (n − b) share / ((b + 1)(1 − share)).
    """
    mean = n * share
    reach = 10 * np.sqrt(n * share * (1 - share)) + 20
    fewest = max(0, int(mean - reach))
    most = min(n, int(mean + reach))
    counts = np.arange(fewest, most + 1, dtype=np.float64)
    growth = (n - counts[:-1]) * share / ((counts[1:]) * (1 - share))
    likeliest = int((growth >= 1).sum())
    above = np.cumprod(growth[likeliest:])
    below = np.cumprod(1 / growth[:likeliest][::-1])[::-1]
    chance = np.concatenate([below, [1.0], above])
    return counts, chance / over_classes(chance)


def _root(values: Floats, degree: int) -> Floats:
    """The k-th roots of numbers from 0 on."""
    is_positive = values > 0
    roots = exponential(logarithm(np.where(is_positive, values, 1.0)) / degree)
    return np.where(is_positive, roots, 0.0)
