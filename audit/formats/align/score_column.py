"""A submission's scores of single items in gold order, where task.toml says that they are kept."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audit.domain import JournalEntry, Policies
from audit.errors import Issue
from audit.formats.settings.answers import Threshold, number_of
from audit.formats.settings.keys import ColumnKeys
from audit.formats.table.issues import MOST_LINES, counted, in_unit
from audit.formats.table.parsed import Table
from audit.text import did_you_mean, listed, plural, quoted

_PLAIN = re.compile(r"[0-9eE+.\-\n]*")
_SHOWN, _NAMES_SHOWN = 3, 6


@dataclass(frozen=True, eq=False)
class KeptScores:
    """The scores of a file in gold order, None where an item has none, and what is to be said of them."""

    scores: NDArray[np.float64] | None
    issues: tuple[Issue, ...] = ()
    journal: tuple[JournalEntry, ...] = ()


def scores_of(
    table: Table, row_of: NDArray[np.int64], path: str, policies: Policies, column_keys: ColumnKeys
) -> KeptScores:
    """The score of every item."""
    if table.scores is None:
        defect = f"no column of scores{_missing_column(table, column_keys)}"
        return KeptScores(None, (_by_policy("no-score-column", path, defect, policies, "missing"),))
    of_rows = _numbers(table.scores)
    scores = np.where(row_of < 0, np.nan, of_rows[row_of])
    lacking = int(np.isnan(scores).sum())
    if isinstance(table.layout.rule, Threshold):
        text = f"Scores are not kept: {plural(lacking, 'item')} of {row_of.size:,} without one that is a number."
        journal = (JournalEntry("decided", path, text, lacking),) if lacking else ()
        return KeptScores(None if lacking else scores, journal=journal)
    issues = [
        *_without_number(table, of_rows, row_of, path, policies),
        *_outside_unit_interval(table, scores, row_of, path),
    ]
    in_units = tuple(in_unit(issue, table.layout.kind.unit) for issue in issues)
    return KeptScores(None if lacking else scores, in_units)


def _missing_column(table: Table, column_keys: ColumnKeys) -> str:
    """The column that was looked for, and those that the file has, where columns have names."""
    column_names = [name for name in table.layout.names if name]
    names = [name for name in column_keys if isinstance(name, str)]
    if not names or not column_names:
        return ""
    columns = listed(list(map(quoted, column_names)), limit=_NAMES_SHOWN)
    return f": score = {quoted(names[0])}, but the columns are {columns}.{did_you_mean(names[0], column_names)}"


def _numbers(cells: Sequence[str]) -> NDArray[np.float64]:
    """The finite number of each cell; NaN where it writes none, as `number_of` reads it."""
    scores = None
    if _PLAIN.fullmatch("\n".join(cells)):  # no blank, no underscore, no word for infinity
        try:
            scores = np.array(list(map(float, cells)))
        except ValueError:  # an empty cell, or signs and digits that are no number
            scores = None
    if scores is None or not np.isfinite(scores).all():
        scores = np.array([math.nan if (value := number_of(cell)) is None else value for cell in cells])
    return scores + 0.0  # no negative zero


def _without_number(
    table: Table, of_rows: NDArray[np.float64], row_of: NDArray[np.int64], path: str, policies: Policies
) -> Iterator[Issue]:
    """The issues for items without a score: no row, an empty cell, or a cell that is no number."""
    cells = table.scores or ()
    rows = np.sort(row_of[row_of >= 0])
    bad: list[int] = rows[np.isnan(of_rows[rows])].tolist()
    empty = [row for row in bad if not cells[row]]
    n_missing = int((row_of < 0).sum()) + len(empty)
    if n_missing:
        defect = f"{plural(n_missing, 'item')} of {row_of.size:,} without a score"
        missing = _by_policy("missing-score", path, defect, policies, "missing")
        yield replace(missing, lines=_lines(table, empty), count=n_missing)
    unusable = [row for row in bad if cells[row]]
    if unusable:
        shown = listed([quoted(cell) for cell in dict.fromkeys(cells[row] for row in unusable)], limit=_SHOWN)
        defect = f"{counted(len(unusable), table.layout.kind.answer)} with a score that is no number: {shown}"
        no_number = _by_policy("unusable-score", path, defect, policies, "unusable")
        yield replace(no_number, lines=_lines(table, unusable), count=len(unusable))


def _outside_unit_interval(
    table: Table, scores: NDArray[np.float64], row_of: NDArray[np.int64], path: str
) -> Iterator[Issue]:
    """The issue for scores that are no probabilities: below 0 or above 1."""
    rows = np.sort(row_of[(scores < 0) | (scores > 1)]).tolist()
    if rows:
        shown = listed(
            [quoted(cell) for cell in dict.fromkeys((table.scores or ())[row] for row in rows)], limit=_SHOWN
        )
        defect = f"{counted(len(rows), table.layout.kind.answer)} with a score below 0 or above 1: {shown}"
        yield Issue.of("score-outside", path, defect, lines=_lines(table, rows), count=len(rows))


def _by_policy(slug: str, path: str, defect: str, policies: Policies, policy: str) -> Issue:
    """An issue that rejects the file by a policy of the campaign only."""
    if getattr(policies, policy) != "reject":
        return Issue.of(slug, path, defect)
    remedy = f'the policy rejects it: ask the team for the scores, or write under [policies]: {policy} = "wrong"'
    return Issue.of(slug, path, defect, remedy=remedy, fatal=True)


def _lines(table: Table, rows: Sequence[int]) -> tuple[int, ...]:
    return tuple(table.lines[row] for row in rows[:MOST_LINES])
