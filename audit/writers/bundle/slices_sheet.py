"""The parts of a test set as CSV: numbers in full, undefined ones empty."""

import math
from collections.abc import Iterator, Sequence

from audit.domain import Evaluation, Slice, Sliced
from audit.domain.arrays import Floats, Ints
from audit.writers.data.export import csv_line, csv_number, csv_text
from audit.writers.data.plain import ranks_among_all, rows_of_parts

_HEADS = ("column", "slice", "items", "rank", "team", "role")
_SURE = ("lower", "upper", "no_interval_because", "could_be_best")


def slices_csv(evaluation: Evaluation) -> str:
    """Every part of the test set as CSV: a row for each part and entry, in the order of the part's ranking.

    Behind the parts of a column stands the mean over them, whose slice is empty. Rank, interval and who could be best
    are those by the ranking metric.
    """
    rows = (row for sliced in evaluation.slices for row in _rows_of_column(evaluation, sliced))
    return "".join((_head(evaluation), *map(csv_line, rows)))


def sliced_csv(evaluation: Evaluation, sliced: Sliced, part: Slice | None = None) -> str:
    """The rows of one column, or of one of its parts."""
    rows = _rows_of_column(evaluation, sliced) if part is None else _rows_of_part(evaluation, sliced, part)
    return "".join((_head(evaluation), *map(csv_line, rows)))


def _head(evaluation: Evaluation) -> str:
    return csv_line((*_HEADS, *_SURE, *(csv_text(str(evaluation.keys[row])) for row in rows_of_parts(evaluation))))


def _rows_of_column(evaluation: Evaluation, sliced: Sliced) -> Iterator[list[object]]:
    for part in sliced.slices:
        yield from _rows_of_part(evaluation, sliced, part)
    nothing = [("", "", "", "")] * len(evaluation.entries)
    yield from _rows(evaluation, (sliced.column, "", ""), sliced.macro, sliced.macro_ranks, nothing)


def _rows_of_part(evaluation: Evaluation, sliced: Sliced, part: Slice) -> Iterator[list[object]]:
    could_be_best = part.verdict.could_be_best
    best = ["" if not could_be_best else str(team in could_be_best).lower() for team in range(len(evaluation.entries))]
    ends = (map(csv_number, column.tolist()) for column in (part.lower, part.upper))
    missing = map(math.isnan, part.lower.tolist())
    reasons = [mark.value if none else "" for mark, none in zip(part.marks, missing, strict=True)]
    sure = list(zip(*ends, reasons, best, strict=True))
    start = (sliced.column, part.value, part.n_items)
    yield from _rows(evaluation, start, part.values, part.rank_values, sure)


def _rows(
    evaluation: Evaluation,
    start: tuple[str, str, object],
    values: Floats,
    ranks: Ints,
    sure: Sequence[tuple[str, ...]],
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
