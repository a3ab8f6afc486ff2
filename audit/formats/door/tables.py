"""A file as the tables that it can be, whole columns with their names, before anything is known of ids and labels."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from audit.domain.tags import NO_TAG, are_tags
from audit.errors import InputError
from audit.formats.files.content import Content
from audit.formats.readers import excel, json_files, parquet
from audit.formats.settings.answers import number_of
from audit.formats.settings.layout import BLANKS, NOTHING_STATED, Layout
from audit.formats.table.parsed import Rows
from audit.formats.table.text_rows import possible_layouts, read_rows

Column = Sequence[str]

# share of the rows with the usual number of cells, from which on a delimiter parts them
_EVEN = 0.95
_TABBED = 0.6  # share of the lines with a TAB, from which on TABs part a token from its tags
_MOST_COLUMNS = 200
_BLANK_RUN = re.compile(r"[ \t]+")
_PROBED = 40  # lines of a part of a file that are looked at before all are


@dataclass(frozen=True, eq=False)
class FoundTable:
    """One way to see a file as columns; of a layout everything but the columns of ids and labels is decided."""

    path: str
    layout: Layout
    columns: tuple[Column, ...]
    n_sequences: int = 0  # runs of rows between blank lines; of tokens only

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; without any, their numbers from 1."""
        return self.layout.names or tuple(str(number + 1) for number in range(len(self.columns)))

    @property
    def n_rows(self) -> int:
        """Rows below the names."""
        if self.columns:
            return len(self.columns[0])
        return 0

    @cached_property
    def values(self) -> tuple[frozenset[str], ...]:
        """The different cells of each column that are not empty."""
        return tuple(frozenset(column) - {""} for column in self.columns)

    @cached_property
    def keys(self) -> list[int]:
        """The columns without repeats and without empty cells, which tell rows apart."""
        return [
            number
            for number, values in enumerate(self.values)
            if self.n_rows > 1 and len(values) == self.n_rows
        ]

    @cached_property
    def shape(self) -> tuple[str, tuple[str, ...], int]:
        """What files of one layout share: format, names and number of columns."""
        return self.layout.format, self.layout.names, len(self.columns)

    def number_of(self, name: str) -> int | None:
        """The column of a name, or of a number from 1; None where it has none, or several of the name."""
        if self.layout.names.count(name) == 1:
            return self.layout.names.index(name)
        is_place = name.isdigit() and 1 <= int(name) <= len(self.columns)
        if is_place and name not in self.layout.names:
            return int(name) - 1
        return None

    def numbers_of(self, names: Sequence[str]) -> tuple[int, ...] | None:
        """The columns of names or numbers; None where one is not there."""
        numbers = [self.number_of(name) for name in names]
        found = [number for number in numbers if number is not None]
        if len(found) < len(names):
            return None
        return tuple(found)


def tables_of(content: Content) -> list[FoundTable]:
    """Every table that a file can be, the likeliest first.

    Raises
    ------
    InputError
        Where the file is damaged, or too large.
    """
    if content.binary_format == "excel":
        return list(_sheets(content))
    if content.binary_format == "parquet":
        return list(_parquet(content))
    if not content.text.strip():
        return []
    if formats := json_files.formats_of(content, beside_ids=True):
        return list(_json(content, formats))
    return list(_texts(content))


def _json(content: Content, formats: Sequence[str]) -> Iterator[FoundTable]:
    for name in formats:
        read = json_files.tables_by_line if name == "jsonl" else json_files.tables
        with suppress(InputError):  # of JSON that holds no items
            for sample in read(content, NOTHING_STATED, None):
                if sample.grid.columns:
                    yield FoundTable(content.path, sample.how, tuple(sample.grid.columns))


def _parquet(content: Content) -> Iterator[FoundTable]:
    for sample in parquet.tables(content, NOTHING_STATED, None):
        yield FoundTable(content.path, sample.how, tuple(sample.grid.columns))


def _sheets(content: Content) -> Iterator[FoundTable]:
    """The sheets, each below the names in its first row with cells where there are names."""
    for sample in excel.tables(content, NOTHING_STATED):
        if sample.grid.columns and sample.grid.columns[0]:
            yield _with_or_without_names(
                content.path, sample.how, sample.grid.names, sample.grid.columns
            )


def _with_or_without_names(
    path: str, how: Layout, first: Sequence[str], columns: Sequence[Column]
) -> FoundTable:
    """A table whose first row is taken for names, or for a row like the others."""
    if are_names(first, columns):
        return FoundTable(
            path, replace(how, header=True, names=tuple(first), width=len(columns)), tuple(columns)
        )
    whole = tuple([cell, *column] for cell, column in zip(first, columns, strict=True))
    return FoundTable(path, replace(how, header=False, names=(), width=len(columns)), whole)


def are_names(first: Sequence[str], columns: Sequence[Column]) -> bool:
    """Whether the cells of a first row name the columns: they differ, none is a value below, none is a number."""
    filled = [cell for cell in first if cell.strip()]
    if len(set(filled)) < len(filled) or len(filled) < len(first) - 1:
        return False
    for cell, column in zip(first, columns, strict=True):
        if cell.strip() and cell in column:
            return False
        if number_of(cell) is not None and _are_mostly_numbers(column):
            return False
    return True


def _are_mostly_numbers(column: Column) -> bool:
    sample = [cell for cell in column[:200] if cell]
    return bool(sample) and 2 * sum(number_of(cell) is not None for cell in sample) > len(sample)


# Text


def _texts(content: Content) -> Iterator[FoundTable]:
    """Tokens where a column holds tags; the tables by each delimiter that reads most lines; a label on each line."""
    if tokens := _tokens(content):
        yield tokens
        if tokens.layout.delimiter == "\t" or tokens.n_sequences > 1:
            return
    found = list(_delimited(content))
    n_most = max((table.n_rows + table.layout.header for table in found), default=0)
    yield from (table for table in found if table.n_rows + table.layout.header == n_most)
    yield from _lines(content)


def _delimited(content: Content) -> Iterator[FoundTable]:
    """The tables by each delimiter that parts nearly all lines into as many cells."""
    for layout in possible_layouts(content, NOTHING_STATED):
        if layout.delimiter != BLANKS and layout.delimiter not in content.text:
            continue
        has_quotes = bool(layout.quote) and layout.quote in content.text
        if not has_quotes and not _may_part(content.lines[layout.n_left_out :], layout.delimiter):
            continue
        for quote in (layout.quote, "") if has_quotes else (layout.quote,):
            try:
                rows = read_rows(content, replace(layout, quote=quote))
            except InputError:
                continue  # quotes that are none
            if table := _even_table(content.path, replace(layout, quote=quote), rows):
                yield table
                break


def _may_part(lines: Sequence[str], delimiter: str) -> bool:
    """Whether a delimiter parts half of the lines of some part of a file into as many cells, two at least.

    Of a table that nearly all lines fit, those of its beginning, middle and end cannot all be otherwise.
    """
    middle = len(lines) // 2
    for part in (lines[:_PROBED], lines[middle : middle + _PROBED], lines[-_PROBED:]):
        filled = [line for line in part if line]
        widths = Counter(_n_cells(line, delimiter) for line in filled)
        if any(width > 1 and 2 * count >= len(filled) for width, count in widths.items()):
            return True
    return False


def _n_cells(line: str, delimiter: str) -> int:
    """How many cells a line without quotes has."""
    if delimiter == BLANKS:
        return len(_BLANK_RUN.split(line.strip(" \t")))
    return line.count(delimiter) + 1


def _even_table(path: str, layout: Layout, rows: Rows) -> FoundTable | None:
    """The rows as columns where nearly all have as many cells, two at least."""
    filled = [row for row in rows.rows if row]
    if not filled:
        return None
    widths = Counter(map(len, filled))
    width, count = widths.most_common(1)[0]
    if not 1 < width <= _MOST_COLUMNS or count < _EVEN * len(filled):
        return None
    even = [row for row in filled if len(row) == width]
    columns = [list(column) for column in zip(*even[1:], strict=True)] or [[] for _ in range(width)]
    if len(filled[0]) != width:
        whole = tuple([cell, *column] for cell, column in zip(even[0], columns, strict=True))
        return FoundTable(path, replace(layout, header=False, width=width), whole)
    return _with_or_without_names(path, layout, even[0], columns)


def _lines(content: Content) -> Iterator[FoundTable]:
    """A label on each line, as lines stand and below a first one that is like no other."""
    lines = content.lines
    skip = 0
    while skip < len(lines) and lines[skip].startswith("#"):
        skip += 1
    column = lines[skip:]
    if not column:
        return
    layout = Layout("lines", skip=skip)
    yield FoundTable(content.path, layout, (column,))
    if column[0].strip() and are_names(column[:1], [column[1:]]) and len(column) > 1:
        yield FoundTable(content.path, replace(layout, header=True), (column[1:],))


# Tokens


def is_comment(line: str, delimiter: str) -> bool:
    """Whether a line of a file of tokens is a comment: it begins with # and has no filled cell after a TAB."""
    if not line.startswith("#"):
        return False
    if delimiter != "\t":
        return False  # without TABs only a head of such lines is one
    _, tab, rest = line.partition("\t")
    return not tab or not rest.strip("\t ")


def _may_hold_tags(lines: Sequence[str]) -> bool:
    """Whether a cell of the last lines is a tag; in a column of tags every cell is one, below its name."""
    last = (line for line in reversed(lines) if line.strip())
    return any(
        are_tags({cell}) or cell in NO_TAG
        for line in islice(last, _PROBED)
        for cell in line.split()
    )


def _tokens(content: Content) -> FoundTable | None:
    """The lines as tokens with tags; None where no column holds tags, or nothing stands between sequences."""
    lines = content.lines
    if not _may_hold_tags(lines):
        return None
    with_tab = sum("\t" in line for line in lines if line.strip())
    n_filled = sum(bool(line.strip()) for line in lines)
    delimiter = "\t" if n_filled and with_tab > _TABBED * n_filled else BLANKS
    rows: list[list[str]] = []
    n_sequences = 0
    is_open = False
    n_head = 0
    for line in lines:
        if not rows and delimiter == BLANKS and line.startswith("#"):
            n_head += 1
            continue
        if is_comment(line, delimiter):
            continue
        if not line.strip():
            is_open = False
            continue
        n_sequences += not is_open
        is_open = True
        rows.append(line.split("\t") if delimiter == "\t" else line.split())
    if not rows:
        return None
    widths = Counter(map(len, rows))
    width, count = widths.most_common(1)[0]
    if not 1 < width <= _MOST_COLUMNS or count < _EVEN * len(rows):
        return None
    first, *body = [row for row in rows if len(row) == width]
    columns = [list(column) for column in zip(*body, strict=True)]
    tagged = [number for number, column in enumerate(columns) if are_tags(set(column))]
    if not tagged:
        return None
    has_names = (
        all(first[number] not in set(columns[number]) for number in tagged)
        and len(set(first)) == width
    )
    has_names = has_names and not are_tags({first[number] for number in tagged})
    names = tuple(first) if has_names else ()
    if not has_names:
        columns = [[cell, *column] for cell, column in zip(first, columns, strict=True)]
    has_comments = delimiter == "\t" and any(is_comment(line, delimiter) for line in lines)
    layout = Layout(
        "tokens",
        delimiter=delimiter,
        header=has_names,
        comment="#" if has_comments else "",
        names=names,
        width=width,
        skip=n_head,
    )
    return FoundTable(content.path, layout, tuple(columns), n_sequences)
