"""The issue that shows two readings of a file, and the lines for task.toml that decide between them."""

from collections.abc import Mapping, Sequence

from audit.errors import Issue
from audit.formats.issues import quoted_id
from audit.formats.reading import Reading, Table
from audit.text import quoted

_MOST_SHOWN = 4
_OR = " · or · "

_Row = tuple[str | None, str]


def ambiguous(tables: Sequence[Table], path: str, section: str) -> Issue:
    """The issue for readings that all hold: each at the first line on which they differ, with the settings that decide.

    Parameters
    ----------
    tables : sequence of Table
        What the readings give: at least two, and no two the same.
    path : str
        The file.
    section : str
        The table of task.toml that the settings belong to.
    """
    shown = tables[:_MOST_SHOWN]
    rows = [_by_line(table) for table in shown]
    line = _first_difference(rows)
    readings = [f"{table.reading} → {_at(line, by_line, table)}" for table, by_line in zip(shown, rows, strict=True)]
    choices = dict.fromkeys(_deciding(table.reading, shown) for table in shown)
    remedy = f"write into task.toml, under {section}: {_OR.join(choices)}"
    lines = [line] if {table.reading.kind.unit for table in shown} == {"line"} else []
    return Issue.of("ambiguous-reading", path, _OR.join(readings), lines=lines, remedy=remedy)


def _by_line(table: Table) -> dict[int, _Row]:
    ids: Sequence[str | None] = table.ids or [None] * len(table.labels)
    return dict(zip(table.lines, zip(ids, table.labels, strict=True), strict=True))


def _first_difference(rows: Sequence[Mapping[int, _Row]]) -> int:
    every_line = sorted(set().union(*rows))
    return next(line for line in every_line if len({by_line.get(line) for by_line in rows}) > 1)


def _at(line: int, by_line: Mapping[int, _Row], table: Table) -> str:
    place = f"{table.reading.kind.unit} {line}"
    if line not in by_line:
        return f"{place} is no item"
    item_id, label = by_line[line]
    ids = "" if item_id is None else f"id {quoted_id(item_id, table.reading)}, "
    return f"{place}: {ids}label {quoted(label)}"


def _deciding(reading: Reading, tables: Sequence[Table]) -> str:
    """The settings that tell one reading from the others; a column is the same by name and by number."""
    settings = reading.settings()
    attribute_of = {"score": "label"}
    keys = [
        key for key in settings if len({getattr(table.reading, attribute_of.get(key, key)) for table in tables}) > 1
    ]
    return ", ".join(settings[key] for key in keys)
