"""Ranks, correlations, pairs, confusions, parts of the test set and items as CSV; undefined numbers are empty."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, repeat
from typing import Any

import numpy as np

from audit.domain import Campaign, Comparison, Evaluation, ScoreKey, Slice, Sliced
from audit.domain.arrays import Floats, Ints
from audit.questions.printing import GoldItems
from audit.writers.data.export import csv_line, csv_number, csv_text, ranks_taken, run_names
from audit.writers.data.plain import MOST_IN_MATRIX, confusion_rows, ranks_among_all, rows_of_parts

MOST_ROWS = 1_048_575  # rows below the head that a spreadsheet takes

_PAIRS = ("metric", "first", "second", "difference", "standard_error", "half_width", "adjusted_p", "ahead")
_CORRELATIONS = (
    *("metric", "other_metric", "spearman", "replicates_lower", "replicates_upper", "kendall_tau_b"),
    "equal_by_identity",
)


def ranks_csv(evaluation: Evaluation) -> str:
    """Ranks as CSV: a row for each entry in the order of the ranking, a column for each metric."""
    names = [csv_text(entry.name) for entry in evaluation.entries]
    roles, runs = [entry.role.value for entry in evaluation.entries], map(run_names, evaluation.entries)
    columns = [["" if rank is None else rank for rank in ranks_taken(evaluation, key)] for key in evaluation.keys]
    rows = list(zip(names, *columns, roles, runs, strict=True))
    order = evaluation.order(evaluation.task.ranking_metric)
    return _table(("team", *_heads(evaluation.keys), "role", "runs"), (rows[team] for team in order))


def correlations_csv(evaluation: Evaluation) -> str:
    """Rank correlations as CSV, a row for each pair of metrics; the middle 95% of replicates describe these alone."""
    agreement = evaluation.agreement
    resampled = evaluation.certainty and evaluation.certainty.resampled
    upper = np.triu_indices(len(agreement.keys), k=1)
    nothing = np.full(agreement.spearman.shape, np.nan)
    ends = (resampled.spearman_lower, resampled.spearman_upper) if resampled else (nothing, nothing)
    names = np.array(_heads(agreement.keys), dtype=object)
    columns = (
        *(names[side].tolist() for side in upper),
        *(map(csv_number, matrix[upper].tolist()) for matrix in (agreement.spearman, *ends, agreement.kendall)),
        (str(identical).lower() for identical in agreement.identical[upper].tolist()),
    )
    return _table(_CORRELATIONS, zip(*columns, strict=True))


def pairs_csv(evaluation: Evaluation) -> str:
    """Every pair of comparable entries as CSV, the better one first, by each metric for which pairs were compared.

    The 95% interval, difference ± half width, and the two-sided adjusted p are for all unordered pairs of the metric at
    once; ahead is who is statistically ahead of the other, or nobody. Where the certainty was left out, the pairs are
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
    lines = (line for key, comparison in compared for line in _pairs(evaluation, key, comparison, most))
    return "".join((csv_line(_PAIRS), *lines))


def _pairs(evaluation: Evaluation, key: ScoreKey, comparison: Comparison | None, most: int) -> Iterator[str]:
    """The lines of one metric's pairs of its best entries; names are quoted once each, and numbers need no quotes."""
    order = np.array([team for team in evaluation.order(key) if evaluation.comparable[team]][:most], dtype=np.int64)
    first, second = (order[side] for side in np.triu_indices(len(order), k=1))
    names = np.array([_cell(name) for name in evaluation.names], dtype=object)
    goodness = evaluation.goodness_of(key)
    differences = map(csv_number, (goodness[first] - goodness[second]).tolist())
    sure: Iterable[Iterable[str]] = ([""] * len(first),) * 4
    if comparison is not None:
        matrices = comparison.standard_error, comparison.half_width, comparison.adjusted_p
        ahead = np.where(comparison.ahead[first, second], names[first], "")
        ahead = np.where(comparison.ahead[second, first], names[second], ahead)
        sure = (*(map(csv_number, matrix[first, second].tolist()) for matrix in matrices), ahead.tolist())
    metric = repeat(_cell(str(key)), len(first))
    cells = zip(metric, names[first].tolist(), names[second].tolist(), differences, *sure, strict=True)
    return (f"{','.join(row)}\n" for row in cells)


def _cell(text: str) -> str:
    """A text as it stands between commas; alone on its line an empty one would be quoted."""
    return csv_line([csv_text(text), ""]).removesuffix(",\n")


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
        yield from ((name, labels[gold], labels[predicted], items) for gold, predicted, items in confusion_rows(cells))


def _heads(keys: Sequence[ScoreKey]) -> list[str]:
    return [csv_text(str(key)) for key in keys]


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "".join((csv_line(heads), *map(csv_line, rows)))


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
    return _table((*_SLICES, *_SURE, *_heads([evaluation.keys[row] for row in rows_of_parts(evaluation)])), rows)


def _rows_of_column(evaluation: Evaluation, sliced: Sliced) -> Iterator[list[object]]:
    for part in sliced.slices:
        yield from _rows_of_part(evaluation, sliced, part)
    nothing = [("", "", "", "")] * len(evaluation.entries)
    yield from _slice_rows(evaluation, (sliced.column, "", ""), sliced.macro, sliced.macro_ranks, nothing)


def _rows_of_part(evaluation: Evaluation, sliced: Sliced, part: Slice) -> Iterator[list[object]]:
    could_be_best = part.verdict.could_be_best
    best = ["" if not could_be_best else str(team in could_be_best).lower() for team in range(len(evaluation.entries))]
    ends = (map(csv_number, column.tolist()) for column in (part.lower, part.upper))
    missing = map(math.isnan, part.lower.tolist())
    reasons = [mark.value if none else "" for mark, none in zip(part.marks, missing, strict=True)]
    sure = list(zip(*ends, reasons, best, strict=True))
    start = (sliced.column, part.value, part.n_items)
    yield from _slice_rows(evaluation, start, part.values, part.rank_values, sure)


def _slice_rows(
    evaluation: Evaluation, start: tuple[str, str, object], values: Floats, ranks: Ints, sure: Sequence[tuple[str, ...]]
) -> Iterator[list[object]]:
    column, value, items = start
    key = evaluation.task.ranking_metric
    row = evaluation.row(key)
    shown = values[list(rows_of_parts(evaluation))]
    taken = ranks_among_all(evaluation, values[row], ranks[row])
    for team in evaluation.order_by(evaluation.goodness(key, values[row]), ranks[row]):
        entry, rank = evaluation.entries[team], taken[team]
        yield [
            *(csv_text(column), csv_text(value), items, "" if rank is None else rank, csv_text(entry.name)),
            *(entry.role.value, *sure[team], *map(csv_number, shown[:, team].tolist())),
        ]


def items_of(evaluation: Evaluation, campaign: Campaign) -> GoldItems:
    """The items of an evaluation, with the answers of its entries as the campaign has them."""
    labels, gold = evaluation.task.label_set, campaign.gold
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
    ids, gold = map(csv_text, items.ids or [""] * len(items.gold)), map(csv_text, items.gold)
    rows = zip(count(1), ids, gold, items.n_right.tolist(), *answers, strict=False)
    return _table(("item", "id", "gold", "entries_right", *map(csv_text, items.names)), rows)
