"""The format ``excel``: an id and a label in columns of a workbook's sheet.

A workbook is a ZIP archive of XML: its limits are checked before anything is unpacked, and entities are never expanded.
"""

import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from io import BytesIO
from itertools import islice
from typing import Any

from audit.errors import InputError, Issue
from audit.formats.files.archives import Member, zip_members
from audit.formats.files.content import Content, refusing_damage
from audit.formats.files.limits import MOST_CELLS
from audit.formats.settings.layout import Layout, StatedLayout
from audit.formats.table.parsed import Frame, Rows, TaskFacts, in_unit
from audit.formats.table.sample import SAMPLE, Finding, Sample, find_table, under_names
from audit.formats.table.text_rows import above_names, of_width
from audit.text import listed, plural, quoted

_FORMULA_ALONE = re.compile(
    rb"<(?:\w+:)?c\b(?![^<>]*\bt=[\"']str)(?:[^<>]*?\br=[\"']([A-Z]{1,3}[0-9]{1,7})[\"'])?[^<>]*>\s*+"
    rb"<(?:\w+:)?f\b(?:[^<>]*/>|[^<>]*>[^<]*+</(?:\w+:)?f>)\s*+"
    rb"(?:<(?:\w+:)?v\s*+/>\s*+|<(?:\w+:)?v>\s*+</(?:\w+:)?v>\s*+)?</(?:\w+:)?c>"
)
"""A cell with a formula and no stored value, and where it is; an empty text is one. The time is linear in the bytes: no
part goes beyond the next tag, and none gives back what the one behind it could take."""
_MOST_ROWS = 2**20  # of a sheet, by Excel itself
_MOST_DIGITS = 10**15  # from here on Excel keeps no number exactly

Cell = Any  # a value as the workbook keeps it: text, number, truth value, date, or None


_HIDDEN_TAG = re.compile(rb'<(?:\w+:)?(?:row|col)\b[^<>]*\bhidden="(?:1|true)"')


@dataclass(frozen=True, slots=True)
class Sheet:
    """The cells of one sheet, rows counted from 1 and columns from 0."""

    name: str
    rows: Rows  # the cells as text, all rows of one width, those without a cell empty
    inexact: frozenset[tuple[int, int]]  # row and column of each number that is rounded
    unknown: frozenset[tuple[int, int]]  # those of each formula without a stored value
    hidden: str  # what Excel does not show of it, in words


def find(content: Content, stated: StatedLayout, facts: TaskFacts) -> Iterator[Finding]:
    """Every sheet, with and without a header, and every choice of columns."""
    for sheet in _chosen_sheets(_sheets(content), stated, content.path):
        skip = stated.skip or 0
        if stated.skip is None and stated.header is not False:
            skip = above_names(sheet.rows.rows)
        rows = sheet.rows.below(skip)
        if not facts.is_gold:
            rows = rows.below(0, SAMPLE)
        how = _base_layout(sheet, content, stated, skip)
        how = replace(how, stated=how.stated and stated.format is not None)
        is_alone = max(map(len, rows.rows), default=0) == 1 and not stated.names_a_column
        if is_alone:
            yield from find_table(
                content.path, how, rows, replace(stated, id=False, label=(1,)), facts
            )
        else:
            yield from find_table(content.path, how, rows, stated, facts)


def _chosen_sheets(sheets: Mapping[str, Sheet], stated: StatedLayout, path: str) -> Sequence[Sheet]:
    """The sheet that task.toml names, or all."""
    every = list(sheets.values())
    sheet = stated.sheet
    if sheet is None:
        return every
    if isinstance(sheet, int):
        found = every[sheet - 1 : sheet]
        shown = str(sheet)
    else:
        found = [each for each in every if each.name == sheet]
        shown = quoted(sheet)
    if found:
        return found
    sheet_names = listed([quoted(name) for name in sheets], limit=8)
    raise InputError(
        [Issue.of("no-such-column", path, f"sheet = {shown}, but the sheets are {sheet_names}")]
    )


def _base_layout(sheet: Sheet, content: Content, stated: StatedLayout, skip: int) -> Layout:
    """The layout of a sheet, before a header and columns are decided; that something is hidden is said in any case."""
    is_told = stated.sheet is not None or len(_sheets(content)) == 1
    if sheet.hidden:
        hidden = f"{sheet.hidden} hidden in Excel, read like others"
    else:
        hidden = ""
    return Layout(
        "excel", sheet=sheet.name, skip=skip, hidden=hidden, stated=is_told and not hidden
    )


def tables(content: Content, stated: StatedLayout) -> Iterator[Sample]:
    """Every sheet below the names in its first row."""
    skip = stated.skip or 0
    sheets = _chosen_sheets(_sheets(content), stated, content.path)
    each = (
        (_base_layout(sheet, content, stated, skip), sheet.rows.below(skip)) for sheet in sheets
    )
    return under_names(content.path, each, stated)


def frame(content: Content, layout: Layout, columns: Collection[int]) -> tuple[Frame, list[Issue]]:
    """The rows whose values in these columns are known, and what is wrong with them or others.

    A column that is not read may hold no values, as where pandas took texts such as “=)” for formulas.
    """
    sheet = _sheets(content)[layout.sheet]
    rows = sheet.rows.below(layout.skip)
    if layout.header:
        body = rows.body()
    else:
        body = rows
    kept, issues = of_width(body, layout.width, content.path, keep_blank=layout.id is None)
    of_ids = {line for line, column in sheet.inexact if column in (layout.id or ())}
    if rounded := sorted(of_ids.intersection(kept.lines)):
        defect = f"{plural(len(rounded), 'id')} kept as a number of more than 15 digits, which Excel rounds"
        fatal = None  # as the kind of issue says
        if _are_told_apart(kept, rounded, layout.id or ()):
            defect += "; the first 15 digits tell each from all other ids"
            fatal = False
        issue = Issue.of("doubtful-id", content.path, defect, lines=rounded, fatal=fatal)
        issues.append(in_unit(issue, "row"))
    unknown = {line for line, column in sheet.unknown if column in columns and line > layout.skip}
    if unknown:
        defect = f"{plural(len(unknown), 'formula')} without a value"
        issue = Issue.of("formula-without-value", content.path, defect, lines=sorted(unknown))
        issues.append(in_unit(issue, "row"))
        kept = kept.only([line not in unknown for line in kept.lines])
    return kept, issues


_KEPT_DIGITS = 15  # of a number, by Excel
_FEW = 0.1  # share of the ids that may be rounded where their first digits are to tell them apart


def _are_told_apart(rows: Rows, rounded: Sequence[int], columns: Sequence[int]) -> bool:
    """Whether a few ids that are rounded differ from all others in the digits that are kept."""
    if len(columns) != 1 or len(rounded) > _FEW * len(rows.rows):
        return False
    kept = Counter(cell[:_KEPT_DIGITS] for cell in rows.column(columns[0]))
    row_of = dict(zip(rows.lines, rows.rows, strict=True))
    return all(kept[row_of[line][columns[0]][:_KEPT_DIGITS]] == 1 for line in rounded)


# The workbook


def _sheets(content: Content) -> dict[str, Sheet]:
    return content.parsed("excel", _parse)


def _parse(content: Content) -> dict[str, Sheet]:
    """The sheets of a workbook by their names."""
    with refusing_damage(content, "excel"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and extensions, which hold no labels
        parts = dict(zip_members(content.path, BytesIO(content.data)))
        return {sheet.name: sheet for sheet in _read_sheets(content, parts)}


def _read_sheets(content: Content, members: Mapping[str, Member]) -> Iterator[Sheet]:
    """The sheets of a workbook, read by openpyxl; what it does not tell stands in the XML of each sheet."""
    from openpyxl import load_workbook  # noqa: PLC0415 - only where there is a workbook
    from openpyxl.utils.cell import coordinate_to_tuple  # noqa: PLC0415 - likewise

    book = load_workbook(BytesIO(content.data), read_only=True, data_only=True, keep_links=False)
    sheets: list[Any] = book.worksheets  # a chart sheet has no cells, and is none of them
    names = [sheet.title for sheet in sheets]
    if len(set(names)) < len(names):  # no program writes a name twice
        raise ValueError(f"two sheets are called {quoted(max(names, key=names.count))}")
    for sheet in sheets:
        rows = _trimmed(sheet, content.path)
        member = members.get(sheet._worksheet_path.lstrip("/"))  # noqa: SLF001 - openpyxl shows it nowhere else
        xml = b""
        if member is not None:
            xml = member()
        texts = Rows([list(map(_text, row)) for row in rows], range(1, len(rows) + 1))
        unknown = set()
        for place in filter(None, _FORMULA_ALONE.findall(xml)):
            line, column = coordinate_to_tuple(place.decode())
            unknown.add((line, column - 1))
        if sheet.sheet_state != "visible":
            hidden = "the whole sheet"
        elif _HIDDEN_TAG.search(xml):
            hidden = "rows or columns"
        else:
            hidden = ""
        yield Sheet(sheet.title, texts, _inexact_numbers(rows), frozenset(unknown), hidden)


def _inexact_numbers(rows: Sequence[Sequence[Cell]]) -> frozenset[tuple[int, int]]:
    """The line and the column of each number of more digits than Excel keeps."""
    inexact = set()
    for line, row in enumerate(rows, start=1):
        for column, value in enumerate(row):
            if isinstance(value, int | float) and abs(value) >= _MOST_DIGITS:
                inexact.add((line, column))
    return frozenset(inexact)


def _trimmed(sheet: Any, path: str) -> list[list[Cell]]:  # noqa: ANN401 - openpyxl's sheet
    """The rows to the last cell with a value."""
    sheet.reset_dimensions()  # what the file says of them may be wrong
    rows: list[list[Cell]] = []
    n_cells = 0
    for row in islice(sheet.iter_rows(values_only=True), _MOST_ROWS + 1):
        end = max((place for place, value in enumerate(row, 1) if value is not None), default=0)
        rows.append(list(row[:end]))
        n_cells += len(row)
        if n_cells > MOST_CELLS or len(rows) > _MOST_ROWS:
            defect = f"the sheet {quoted(sheet.title)} has more than {len(rows) - 1:,} rows or {MOST_CELLS:,} cells"
            raise InputError([Issue.of("too-large", path, defect)])
    while rows and not rows[-1]:
        rows.pop()
    width = max(map(len, rows), default=0)
    if width * len(rows) > MOST_CELLS:
        defect = f"the sheet {quoted(sheet.title)} has {len(rows):,} rows and {width:,} columns"
        raise InputError([Issue.of("too-large", path, defect)])
    for row in rows:
        if row:
            row.extend([None] * (width - len(row)))
    return rows


def _text(value: Cell) -> str:
    """A cell as Excel shows it, dates in ISO 8601."""
    match value:
        case None | str():
            return value or ""
        case bool():
            return str(value).upper()
        case float() if value.is_integer():
            return str(int(value))
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case date() | time():
            return value.isoformat()
    return str(value)
