"""Metrics of numbers of items: means of a scorer's columns, and metrics of ratings (:mod:`audit.metrics.ratings`)."""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from audit.domain import Feature, LabelSet, ScoreColumn
from audit.domain.arrays import Counts, Floats
from audit.domain.numbers import Numbers
from audit.metrics import gradients, kernels
from audit.metrics.metric import Metric
from audit.metrics.ratings import RATING_FUNCTIONS, Ratings

_of_numbers = partial(
    Metric,
    over="numbers",
    kernel=kernels.undefined,
    gradient=gradients.undefined,
    needs=frozenset({Feature.NUMBERS}),
    averages=False,
    standard=False,
    moves_with_classes=False,
    needs_every_class=False,
)

RATING_METRICS: Mapping[str, Metric] = {
    metric.slug: metric
    for metric in (
        _of_numbers(
            *("spearman", "Spearman’s ρ", "Spearman’s ρ", "ρ"),
            formula=r"r(\mathrm{rank}(x), \mathrm{rank}(y))",
            explanation="The correlation of the ranks, ties at their middle rank. Undefined for constant predictions.",
            baseline="0 for predictions that have nothing to do with gold",
            source="Spearman 1904; as SciPy computes it",
            lower=-1,
        ),
        _of_numbers(
            *("pearson", "Pearson’s r", "Pearson’s r", "r"),
            formula=r"\frac{\mathrm{cov}(x, y)}{s_x s_y}",
            explanation="The linear correlation: another scale or zero changes nothing. Undefined for constant "
            "predictions.",
            baseline="0 for predictions that have nothing to do with gold",
            source="Pearson 1895; as SciPy computes it",
            lower=-1,
            is_heavy_tailed=True,
        ),
        _of_numbers(
            *("kendall_tau_b", "Kendall’s τ-b", "Kendall’s τ-b", "τ"),
            formula=r"\frac{C - D}{\sqrt{(C + D + X)(C + D + Y)}}",
            explanation="Concordant less discordant pairs of items, of those that are not tied. Undefined for "
            "constant predictions.",
            baseline="0 for predictions that have nothing to do with gold",
            source="Kendall 1945; as SciPy computes it",
            lower=-1,
        ),
        _of_numbers(
            *("ccc", "Concordance correlation", "concordance correlation coefficient", "CCC"),
            formula=r"\frac{2\, \mathrm{cov}(x, y)}{s_x^2 + s_y^2 + (\bar{x} - \bar{y})^2}",
            explanation="Pearson’s r, lowered by another scale and another mean than gold’s. 0 for constant "
            "predictions.",
            baseline="0 for predictions that have nothing to do with gold",
            source="Lin 1989",
            lower=-1,
            is_heavy_tailed=True,
        ),
        _of_numbers(
            *("mean_absolute_error", "Mean absolute error", "mean absolute error", "MAE"),
            formula=r"\frac{1}{N} \sum_{i} |x_i - y_i|",
            explanation="The mean distance of a prediction from gold, in units of gold.",
            baseline="the mean distance of gold from its median",
            source="as scikit-learn computes it",
            upper=np.inf,
            greater_is_better=False,
            is_heavy_tailed=True,
        ),
        _of_numbers(
            *("rmse", "RMSE", "root mean squared error", "RMSE"),
            formula=r"\sqrt{\frac{1}{N} \sum_{i} (x_i - y_i)^2}",
            explanation="The root of the mean squared error, in units of gold: large errors count most.",
            baseline="the standard deviation of gold",
            source="as scikit-learn computes it",
            upper=np.inf,
            greater_is_better=False,
            is_heavy_tailed=True,
        ),
        _of_numbers(
            *("r_squared", "R²", "R²", "R²"),
            formula=r"1 - \frac{\sum_{i} (x_i - y_i)^2}{\sum_{i} (y_i - \bar{y})^2}",
            explanation="The share of gold’s variance that the predictions explain as they stand; below 0 where they "
            "are worse than gold’s mean.",
            baseline="0 for gold’s mean",
            source="scikit-learn’s r2_score",
            lower=-np.inf,
            is_heavy_tailed=True,
        ),
    )
}
"""The metrics of ratings, by slug."""


def _column_metric(column: ScoreColumn) -> Metric:
    """The mean of a column of a scorer's output as a metric."""
    return _of_numbers(
        *(column.name,) * 4,
        formula=r"\frac{\sum_{i} w_i x_i}{\sum_{i} w_i}",
        explanation="The mean over the items of what the organiser’s scorer gave.",
        baseline="depends on the scorer",
        source="the organiser’s scorer",
        lower=column.scale.lower,
        upper=column.scale.upper,
        greater_is_better=column.scale.greater_is_better,
        is_heavy_tailed=not column.scale.is_bounded,
    )


def column_metrics(label_set: LabelSet) -> Mapping[str, Metric]:
    """A task's own metrics, by the names of their columns; nothing where labels are scored.

    >>> column_metrics(LabelSet(("yes", "no")))
    {}
    """
    return {column.name: _column_metric(column) for column in label_set.columns}


def score_numbers(slug: str, numbers: Numbers) -> Floats:
    """The scores of all entries by one metric, shape (T,); NaN where it is undefined."""
    if numbers.gold is None:
        return _means(numbers.of_column(slug), numbers.item_weights)
    values = np.full(len(numbers.values), np.nan)
    for entries, _, ratings in _by_items_given(numbers):
        values[entries] = RATING_FUNCTIONS[slug].value(ratings)
    return values


def influence_of_numbers(slug: str, numbers: Numbers) -> Floats:
    """What each item adds to the scores, shape (T, N): 0 where an entry has no number; rows sum to 0."""
    if numbers.gold is None:
        return _influence_on_means(numbers.of_column(slug), numbers.item_weights)
    influence = np.zeros((len(numbers.values), numbers.gold.size))
    for entries, items, ratings in _by_items_given(numbers):
        influence[np.ix_(entries, items)] = RATING_FUNCTIONS[slug].influence(ratings) / items.size
    return influence


def _means(values: Floats, item_weights: Floats) -> Floats:
    """Weighted means of the numbers that are there, shape (T,)."""
    weights = np.where(np.isnan(values), 0.0, item_weights)
    totals = weights.sum(axis=1)
    sums = (weights * np.nan_to_num(values)).sum(axis=1)
    return np.asarray(np.divide(sums, totals, out=np.full(totals.shape, np.nan), where=totals > 0))


def _influence_on_means(values: Floats, item_weights: Floats) -> Floats:
    """w_i (x_i − s)/Σw, shape (T, N)."""
    weights = np.where(np.isnan(values), 0.0, item_weights)
    deviations = np.nan_to_num(values - _means(values, item_weights)[:, None])
    return np.asarray(weights * deviations / weights.sum(axis=1, keepdims=True))


def _by_items_given(numbers: Numbers) -> Iterator[tuple[Counts, Counts, Ratings]]:
    """Entries that have numbers for the same items: which entries, which items, and their ratings."""
    gold = np.asarray(numbers.gold)
    predicted = numbers.values[:, 0]
    patterns, pattern_of = np.unique(~np.isnan(predicted), axis=0, return_inverse=True)
    for number, is_given in enumerate(patterns):  # one pattern, unless missing items are left out
        items = np.flatnonzero(is_given)
        if items.size:
            entries = np.flatnonzero(pattern_of.reshape(-1) == number)
            some = np.ascontiguousarray(predicted[np.ix_(entries, items)])
            yield entries, items, Ratings(some, gold[items])
