"""Ranks, correlations, pairs, confusions, parts of the test set and items as CSV; undefined numbers are empty."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, repeat
from typing import Any

import numpy as np

from audit.domain import Campaign, Comparison, Evaluation, ScoreKey, Slice, Sliced
from audit.domain.arrays import Floats, Ints
from audit.report.printing import GoldItems
from audit.writers.data.export import csv_table, ranks_taken, run_names
from audit.writers.data.plain import MOST_IN_MATRIX, confusion_rows, ranks_among_all, rows_of_parts

Row = tuple[object, ...]

MOST_ROWS = 1_048_575  # rows below the head that a spreadsheet takes

_PAIRS = (
    "metric",
    "first",
    "second",
    "difference",
    "standard_error",
    "lower",
    "upper",
    "adjusted_p",
    "ahead",
)
_CORRELATIONS = (
    *("metric", "other_metric", "spearman", "kendall_tau_b"),
    "equal_by_identity",
)


def ranks_csv(evaluation: Evaluation) -> str:
    """Ranks as CSV: a row for each entry in the order of the ranking, a column for each metric."""
    columns = [ranks_taken(evaluation, key) for key in evaluation.keys]
    roles = [entry.role.value for entry in evaluation.entries]
    runs = map(run_names, evaluation.entries)
    rows = list(zip(evaluation.names, *columns, roles, runs, strict=True))
    order = evaluation.order(evaluation.task.ranking_metric)
    return csv_table(
        ("team", *map(str, evaluation.keys), "role", "runs"), (rows[team] for team in order)
    )


def correlations_csv(evaluation: Evaluation) -> str:
    """Rank correlations as CSV, a row for each pair of metrics."""
    agreement = evaluation.agreement
    upper = np.triu_indices(len(agreement.keys), k=1)
    names = np.array(list(map(str, agreement.keys)), dtype=object)
    matrices = agreement.spearman, agreement.kendall, agreement.identical
    columns = (*(names[side] for side in upper), *(matrix[upper] for matrix in matrices))
    return csv_table(_CORRELATIONS, zip(*(column.tolist() for column in columns), strict=True))


def pairs_csv(evaluation: Evaluation) -> str:
    """Every pair of comparable entries as CSV, the better one first, by each metric for which pairs were compared.

    The 95% interval of the difference, from lower to upper, and the two-sided adjusted p are those of the test that
    decides the pair: of all unordered pairs of the metric at once, or the comparison with the best. An empty end is no
    bound. ahead is who is significantly ahead of the other, or nobody. Where the certainty was left out, the pairs are
    those of the ranking metric, and only their difference is known. There are never more rows than a spreadsheet takes:
    where all metrics have more, the pairs are those of the ranking metric, and where it has more, of its best entries.
    """
    n_compared = int(evaluation.comparable.sum())
    compared: list[tuple[ScoreKey, Comparison | None]] = [(evaluation.task.ranking_metric, None)]
    if evaluation.certainty is not None:
        compared = [(comparison.key, comparison) for comparison in evaluation.certainty.comparisons]
    if len(compared) * math.comb(n_compared, 2) > MOST_ROWS:
        compared = compared[:1]
    most = next(size for size in range(n_compared, -1, -1) if math.comb(size, 2) <= MOST_ROWS)
    rows = (
        row for key, comparison in compared for row in _pairs(evaluation, key, comparison, most)
    )
    return csv_table(_PAIRS, rows)


def _pairs(
    evaluation: Evaluation, key: ScoreKey, comparison: Comparison | None, most: int
) -> Iterable[Row]:
    order = np.array(
        [team for team in evaluation.order(key) if evaluation.comparable[team]][:most],
        dtype=np.int64,
    )
    first, second = (order[side] for side in np.triu_indices(len(order), k=1))
    names = np.array(evaluation.names, dtype=object)
    goodness = evaluation.goodness_of(key)
    sure: Iterable[Iterable[object]] = ([None] * len(first),) * 5
    if comparison is not None:
        matrices = (
            comparison.standard_error,
            np.where(np.isfinite(comparison.difference_lower), comparison.difference_lower, np.nan),
            np.where(np.isfinite(comparison.difference_upper), comparison.difference_upper, np.nan),
            comparison.adjusted_p,
        )
        ahead = np.where(comparison.ahead[first, second], names[first], "")
        ahead = np.where(comparison.ahead[second, first], names[second], ahead)
        sure = (*(matrix[first, second].tolist() for matrix in matrices), ahead.tolist())
    columns = names[first], names[second], goodness[first] - goodness[second]
    return zip(
        repeat(str(key), len(first)), *(column.tolist() for column in columns), *sure, strict=True
    )


def confusions_csv(evaluation: Evaluation) -> str:
    """Every entry's confusion: a row for each gold class, a column for each predicted one, then what is unanswered.

    Of many classes most cells are empty: then a row for each cell that is not, with the predicted class as a column.
    """
    labels = evaluation.task.label_set.labels
    if len(labels) > MOST_IN_MATRIX:
        return csv_table(("team", "gold", "predicted", "items"), _cells(evaluation))
    confusions = evaluation.confusions
    rows = (
        (evaluation.names[team], label, *counts)
        for team in evaluation.order(evaluation.task.ranking_metric)
        for label, counts in zip(labels, confusions[team].tolist(), strict=True)
    )
    return csv_table(
        ("team", "gold", *(f"predicted {label}" for label in labels), "unanswered"), rows
    )


def _cells(evaluation: Evaluation) -> Iterator[Row]:
    """Every entry's cells that are not empty; an unanswered item has no predicted class."""
    labels = [*evaluation.task.label_set.labels, None]
    for team in evaluation.order(evaluation.task.ranking_metric):
        name = evaluation.names[team]
        cells = evaluation.cells.of_teams([team])
        yield from (
            (name, labels[gold], labels[predicted], items)
            for gold, predicted, items in confusion_rows(cells)
        )


# Parts of the test set

_SLICES = ("column", "slice", "items", "rank", "team", "role")
_SURE = ("lower", "upper", "no_interval_because", "could_be_best")


def slices_csv(evaluation: Evaluation, cuts: Sequence[Sliced], part: Slice | None = None) -> str:
    """Parts of the test set as CSV: a row for each part and entry, in the order of the part's ranking.

    All parts of these columns, or one part of the first.
    """
    if part is None:
        rows = chain.from_iterable(_rows_of_column(evaluation, sliced) for sliced in cuts)
    else:
        rows = chain(_rows_of_part(evaluation, cuts[0], part))
    return csv_table(
        (*_SLICES, *_SURE, *(str(evaluation.keys[row]) for row in rows_of_parts(evaluation))), rows
    )


def _rows_of_column(evaluation: Evaluation, sliced: Sliced) -> Iterator[Row]:
    for part in sliced.slices:
        yield from _rows_of_part(evaluation, sliced, part)
    nothing = [(None, None, None, None)] * len(evaluation.entries)
    yield from _slice_rows(
        evaluation, (sliced.column, None, None), sliced.macro, sliced.macro_ranks, nothing
    )


def _rows_of_part(evaluation: Evaluation, sliced: Sliced, part: Slice) -> Iterator[Row]:
    lower = part.lower.tolist()
    could_be_best = part.verdict.could_be_best
    best = (team in could_be_best if could_be_best else None for team in range(len(lower)))
    reasons = (
        mark.value if math.isnan(end) else None for mark, end in zip(part.marks, lower, strict=True)
    )
    sure = list(zip(lower, part.upper.tolist(), reasons, best, strict=True))
    start = (sliced.column, part.value, part.n_items)
    yield from _slice_rows(evaluation, start, part.values, part.rank_values, sure)


def _slice_rows(
    evaluation: Evaluation, start: Row, values: Floats, ranks: Ints, sure: Sequence[Row]
) -> Iterator[Row]:
    key = evaluation.task.ranking_metric
    row = evaluation.row(key)
    shown = values[list(rows_of_parts(evaluation))]
    taken = ranks_among_all(evaluation, values[row], ranks[row])
    for team in evaluation.order_by(evaluation.goodness(key, values[row]), ranks[row]):
        entry = evaluation.entries[team]
        yield (
            *start,
            taken[team],
            entry.name,
            entry.role.value,
            *sure[team],
            *shown[:, team].tolist(),
        )


def items_of(evaluation: Evaluation, campaign: Campaign) -> GoldItems:
    """The items of an evaluation, with the answers of its entries as the campaign has them."""
    labels = evaluation.task.label_set
    gold = campaign.gold
    codes = np.stack(campaign.predictions_of(evaluation.entries))
    return GoldItems(
        names=evaluation.names,
        ids=gold.item_ids,
        gold=tuple(map(labels.labels.__getitem__, gold.codes.tolist())),
        right=codes == gold.codes,
        answered=codes < len(labels),
    )


def items_data(items: GoldItems) -> dict[str, Any]:
    """The items as plain data: a list for each property, in the order of gold."""
    return {
        "ids": None if items.ids is None else list(items.ids),
        "gold": list(items.gold),
        "entries_right": items.n_right.tolist(),
    }


def items_csv(items: GoldItems) -> str:
    """A row for each item: id, gold label, how many entries are right; then 1 or 0 by entry, nothing for no answer."""
    answers = np.where(items.answered, np.where(items.right, "1", "0"), "").tolist()
    ids = items.ids or [None] * len(items.gold)
    rows = zip(count(1), ids, items.gold, items.n_right.tolist(), *answers, strict=False)
    return csv_table(("item", "id", "gold", "entries_right", *items.names), rows)
