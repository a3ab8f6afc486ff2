"""Ranks, correlations, pairs of teams and confusions as CSV: numbers in full, undefined ones empty."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

import numpy as np

from audit.domain import Comparison, Evaluation, ScoreKey
from audit.domain.arrays import Floats, Ints
from audit.writers.data.export import csv_line, csv_number, csv_text, ranks_taken, run_names
from audit.writers.data.plain import MOST_IN_MATRIX

MOST_ROWS = 1_048_575
"""Rows below the head that a spreadsheet takes."""

_PAIRS = ("metric", "first", "second", "difference", "standard_error", "adjusted_p", "separable")
_DIFFERENCES = ("metric", "first", "second", "difference", "standard_error", "lower", "upper", "adjusted_p")
_ONLY_RIGHT = ("first", "second", "class", "gold_items", "only_first_right", "only_second_right")
_CORRELATIONS = (
    *("metric", "other_metric", "spearman", "replicates_lower", "replicates_upper", "kendall_tau_b"),
    "equal_by_identity",
)


def ranks_csv(evaluation: Evaluation) -> str:
    """Ranks as CSV: a row for each entry in the order of the ranking, a column for each metric.

    What takes no rank, or has no defined score, has an empty cell.
    """
    names = [csv_text(entry.name) for entry in evaluation.entries]
    roles, runs = [entry.role.value for entry in evaluation.entries], map(run_names, evaluation.entries)
    columns = [_printed(ranks_taken(evaluation, key)) for key in evaluation.keys]
    rows = list(zip(names, *columns, roles, runs, strict=True))
    order = evaluation.order(evaluation.task.ranking_metric)
    return _table(("team", *_heads(evaluation.keys), "role", "runs"), (rows[team] for team in order))


def correlations_csv(evaluation: Evaluation) -> str:
    """Rank correlations as CSV: a row for each pair of metrics, with the middle 95% of the replicates if there are any.

    These describe the replicates, and are no interval of a population's ρ.
    """
    agreement = evaluation.agreement
    resampled = evaluation.certainty and evaluation.certainty.resampled
    upper = np.triu_indices(len(agreement.keys), k=1)
    nothing = np.full(agreement.spearman.shape, np.nan)
    ends = (resampled.spearman_lower, resampled.spearman_upper) if resampled else (nothing, nothing)
    names = np.array(_heads(agreement.keys), dtype=object)
    columns = (
        *(names[side].tolist() for side in upper),
        *(map(csv_number, matrix[upper].tolist()) for matrix in (agreement.spearman, *ends, agreement.kendall)),
        _yes_or_no(agreement.identical[upper].tolist()),
    )
    return _table(_CORRELATIONS, zip(*columns, strict=True))


def pairs_csv(evaluation: Evaluation) -> str:
    """Every pair of comparable entries as CSV, the better one first, by each metric for which pairs were compared.

    The adjusted p is two-sided, for all unordered pairs of the metric at once. Where the certainty was left out, the
    pairs are those of the ranking metric, and only their difference is known. There are never more rows than a
    spreadsheet takes: where all metrics have more, the pairs are those of the ranking metric, and where it has more, of
    its best entries.
    """
    n_compared = int(evaluation.comparable.sum())
    compared: list[tuple[ScoreKey, Comparison | None]] = [(evaluation.task.ranking_metric, None)]
    if evaluation.certainty is not None:
        compared = [(comparison.key, comparison) for comparison in evaluation.certainty.comparisons]
    if len(compared) * math.comb(n_compared, 2) > MOST_ROWS:
        compared = compared[:1]
    most = next(size for size in range(n_compared, -1, -1) if math.comb(size, 2) <= MOST_ROWS)
    lines = (line for key, comparison in compared for line in _pairs(evaluation, key, comparison, most))
    return "".join((csv_line(_PAIRS), *lines))


def _pairs(evaluation: Evaluation, key: ScoreKey, comparison: Comparison | None, most: int) -> Iterator[str]:
    """The lines of one metric's pairs of its best entries; names are quoted once each, and numbers need no quotes."""
    order = np.array([team for team in evaluation.order(key) if evaluation.comparable[team]][:most], dtype=np.int64)
    first, second = (order[side] for side in np.triu_indices(len(order), k=1))
    names = np.array([_cell(name) for name in evaluation.names], dtype=object)
    goodness = evaluation.goodness_of(key)
    differences = map(csv_number, (goodness[first] - goodness[second]).tolist())
    sure: Iterable[Iterable[str]] = ([""] * len(first),) * 3
    if comparison is not None:
        sure = (
            map(csv_number, comparison.standard_error[first, second].tolist()),
            map(csv_number, comparison.adjusted_p[first, second].tolist()),
            _yes_or_no(comparison.ahead[first, second].tolist()),
        )
    metric = repeat(_cell(str(key)), len(first))
    cells = zip(metric, names[first].tolist(), names[second].tolist(), differences, *sure, strict=True)
    return (f"{','.join(row)}\n" for row in cells)


def _cell(text: str) -> str:
    """A text as it stands between commas; alone on its line an empty one would be quoted."""
    return csv_line([csv_text(text), ""]).removesuffix(",\n")


def differences_csv(evaluation: Evaluation, keys: Sequence[ScoreKey]) -> str:
    """Every pair of entries, also those without a rank, by each of some metrics: how far apart they are.

    The interval is the difference ± critical value × standard error, which holds for all pairs of the metric's family
    at once at 95%; the adjusted p is that of the same family. Both are empty by a metric whose pairs were not compared,
    and for a pair of which one entry takes part in no comparison.
    """
    order = np.array(evaluation.order(evaluation.task.ranking_metric))
    first, second = (order[side] for side in np.triu_indices(len(order), k=1))
    names = np.array(list(map(csv_text, evaluation.names)), dtype=object)
    ends = names[first].tolist(), names[second].tolist()
    rows: list[tuple[str, ...]] = []
    for key in keys:
        goodness = evaluation.goodness_of(key)
        difference = goodness[first] - goodness[second]
        error, half, p = (matrix[first, second] for matrix in _of_pairs(evaluation, key))
        numbers = (difference, error, difference - half, difference + half, p)
        columns = (map(csv_number, column.tolist()) for column in numbers)
        rows += zip(repeat(csv_text(str(key)), len(first)), *ends, *columns, strict=True)
    return _table(_DIFFERENCES, rows)


def _of_pairs(evaluation: Evaluation, key: ScoreKey) -> tuple[Floats, Floats, Floats]:
    """Standard error, half width and adjusted p of every pair by one metric, shape (T, T); NaN where not compared."""
    comparison = evaluation.certainty and evaluation.certainty.comparison(key)
    n_entries = len(evaluation.entries)
    if not comparison:
        nothing = np.full((n_entries, n_entries), np.nan)
        return nothing, nothing, nothing
    is_compared = evaluation.comparable[:, None] & evaluation.comparable & ~np.isnan(comparison.standard_error)
    half, p = (np.where(is_compared, matrix, np.nan) for matrix in (comparison.half_width, comparison.adjusted_p))
    return comparison.standard_error, half, p


def only_right_csv(evaluation: Evaluation, alone: Iterable[Ints]) -> str:
    """Every pair of entries: by class, on how many items only one of the two is right.

    Parameters
    ----------
    evaluation : Evaluation
        The entries, and their order.
    alone : iterable of ndarray of int, shape (T, T)
        The counts for each class, or one of all classes, whose name is then empty.
    """
    order = np.array(evaluation.order(evaluation.task.ranking_metric))
    first, second = (order[side] for side in np.triu_indices(len(order), k=1))
    names = np.array(list(map(csv_text, evaluation.names)), dtype=object)
    ends = names[first].tolist(), names[second].tolist()
    counts, labels, items = list(alone), [*map(csv_text, evaluation.task.label_set)], evaluation.prevalence_counts
    if len(counts) < len(labels):
        labels, items = [""], items.sum(keepdims=True)
    rows: list[tuple[object, ...]] = []
    for label, size, of_class in zip(labels, items.tolist(), counts, strict=True):
        numbers = of_class[first, second].tolist(), of_class[second, first].tolist()
        rows += zip(*ends, repeat(label, len(first)), repeat(size, len(first)), *numbers, strict=True)
    return _table(_ONLY_RIGHT, rows)


def confusions_csv(evaluation: Evaluation) -> str:
    """Every entry's confusion: a row for each gold class, a column for each predicted one, then what is unanswered.

    Of many classes most cells are empty: then a row for each cell that is not, with the predicted class as a column.
    """
    labels = evaluation.task.label_set.labels
    if len(labels) > MOST_IN_MATRIX:
        return _table(("team", "gold", "predicted", "items"), _cells(evaluation))
    confusions = evaluation.confusions
    rows = (
        (csv_text(evaluation.names[team]), csv_text(label), *counts)
        for team in evaluation.order(evaluation.task.ranking_metric)
        for label, counts in zip(labels, confusions[team].tolist(), strict=True)
    )
    return _table(("team", "gold", *(f"predicted {label}" for label in labels), "unanswered"), rows)


def _cells(evaluation: Evaluation) -> Iterator[tuple[object, ...]]:
    """Every entry's cells that are not empty; an unanswered item has no predicted class."""
    labels = [*map(csv_text, evaluation.task.label_set.labels), ""]
    for team in evaluation.order(evaluation.task.ranking_metric):
        name, cells = csv_text(evaluation.names[team]), evaluation.cells.of_teams([team])
        for gold, predicted, items in zip(
            cells.gold.tolist(), cells.predicted.tolist(), cells.counts[0].tolist(), strict=True
        ):
            yield name, labels[gold], labels[predicted], items


def _heads(keys: Sequence[ScoreKey]) -> list[str]:
    return [csv_text(str(key)) for key in keys]


def _printed(ranks: Sequence[int | None]) -> list[str]:
    return ["" if rank is None else str(rank) for rank in ranks]


def _yes_or_no(values: Iterable[bool]) -> list[str]:
    return ["true" if value else "false" for value in values]


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "".join((csv_line(heads), *map(csv_line, rows)))
