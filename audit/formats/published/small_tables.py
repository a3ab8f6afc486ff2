"""Small tables beside the campaign, as they are published: rows of cells, whatever delimits them."""

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.text import plural

_DELIMITERS = "\t;|,"  # a comma can be a decimal comma: it delimits where nothing else does


@dataclass(frozen=True, slots=True)
class Row:
    """A row of cells, without blanks around them."""

    line: int  # the line it begins on, from 1
    cells: list[str]


def rows_of(content: Content, single_column: str) -> list[Row]:
    """Rows of cells by the first delimiter that gives all rows as many, two or more."""
    tried = [rows for rows in (_split(content, delimiter) for delimiter in _DELIMITERS) if rows]
    for rows in tried:
        if len(rows[0].cells) > 1 and len({len(row.cells) for row in rows}) == 1:
            return rows
    rows = max(tried, key=lambda rows: len(rows[0].cells), default=[])
    width = len(rows[0].cells) if rows else 1
    if width == 1:
        raise InputError([Issue.of(single_column, content.path, "a single column")])
    strays = [row for row in rows if len(row.cells) != width]
    cells = f"{plural(len(strays[0].cells), 'cell')} where the heading has {width}"
    lines = [row.line for row in strays]
    raise InputError([Issue.of("wrong-columns", content.path, cells, lines=lines[:5], count=len(lines))])


def _split(content: Content, delimiter: str) -> list[Row]:
    reader = csv.reader(content.lines_with_ends(), delimiter=delimiter)
    rows: list[Row] = []
    line = 1
    for cells in _until_error(reader):
        stripped = [cell.strip() for cell in cells]
        if delimiter == "|" and len(stripped) > 2 and not stripped[0] and not stripped[-1]:  # noqa: PLR2004 - | a |
            stripped = stripped[1:-1]
        if any(stripped) and not all(re.fullmatch(r":?-{3,}:?", cell) for cell in stripped):
            rows.append(Row(line, stripped))
        line = reader.line_num + 1
    return rows


def _until_error(reader: Iterator[list[str]]) -> Iterator[list[str]]:
    """Rows as far as they can be read: a cell that has no end is no row of a table."""
    with suppress(csv.Error):
        yield from reader
