"""Which parts the columns of gold that task.toml names cut the test set into."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.domain import MOST_SLICES, SliceColumn
from audit.errors import Issue
from audit.formats.settings.layout import Layout
from audit.formats.table.issues import MOST_LINES, counted
from audit.formats.table.parsed import Table
from audit.text import listed, look_of, lookalikes, quoted, told_apart


@dataclass(frozen=True, eq=False)
class Cut:
    """The columns that cut the test set, and why some cannot."""

    columns: tuple[SliceColumn, ...]
    issues: tuple[Issue, ...]


def slices_of(table: Table, path: str) -> Cut:
    """The columns of gold that cut the test set, with the value of each item."""
    layout = table.layout
    columns = list(zip(layout.slices, table.slices, strict=True))
    issues = [*_misplaced(layout, path)]
    for number, cells in columns:
        issues += _issues(_column_name(layout, number), cells, table, path)
    slice_columns = (
        () if issues else tuple(SliceColumn.of(_column_name(layout, number), cells) for number, cells in columns)
    )
    return Cut(slice_columns, tuple(issues))


def _column_name(layout: Layout, number: int) -> str:
    return layout.names[number] if layout.names else f"column {number + 1}"


def _misplaced(layout: Layout, path: str) -> Iterator[Issue]:
    """An issue for a column that holds something else, or is named twice."""
    for number in dict.fromkeys(layout.slices):
        called = quoted(_column_name(layout, number))
        if number in layout.label or number in (layout.id or ()):
            contents = "labels" if number in layout.label else "ids"
            yield Issue.of("gold-bad-slices", path, f"slices names {called}, which holds the {contents}")
        if layout.slices.count(number) > 1:
            yield Issue.of("gold-bad-slices", path, f"slices names {called} twice", expected="each column once")


def _issues(name: str, cells: Sequence[str], table: Table, path: str) -> Iterator[Issue]:
    """The issues that keep a column from cutting the test set."""
    blank = [line for line, cell in zip(table.lines, cells, strict=False) if not cell.strip()]
    if blank:
        defect = f"{counted(len(blank), 'item')} without a value in {quoted(name)}"
        yield Issue.of("gold-missing-slice", path, defect, lines=blank[:MOST_LINES], count=len(blank))
    values = {cell for cell in cells if cell.strip()}
    if len(values) > MOST_SLICES:
        yield Issue.of("gold-bad-slices", path, f"the column {quoted(name)} has {len(values):,} different values")
    elif len(values) == 1 and not blank:
        yield Issue.of("gold-bad-slices", path, f"the column {quoted(name)} has one value for all items")
    elif alike := next(iter(lookalikes(values, look_of)), ()):
        defect = f"{listed(told_apart(alike))} in the column {quoted(name)} look alike, or differ only in case"
        lines = [line for line, cell in zip(table.lines, cells, strict=False) if cell in alike[1:]]
        expected = "one spelling of each value"
        yield Issue.of("gold-bad-slices", path, defect, lines=lines[:MOST_LINES], count=len(lines), expected=expected)
