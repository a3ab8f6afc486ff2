"""A file with one matrix of counts → its numbers, and the names of rows and columns, whatever they mean."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.files.limits import MOST_CELLS, MOST_COLUMNS
from audit.formats.readers.records import bad_json, decoded, plain
from audit.formats.settings.layout import BLANKS
from audit.formats.table.issues import MOST_LINES, capped, in_unit
from audit.formats.table.text_rows import Dialect, Rows, of_width, read_rows
from audit.text import listed, plural, quoted, visible

MOST_ITEMS = 2**53 - 1
"""The largest number of items that floating-point numbers, of which scores are made, hold exactly."""

UNANSWERED = "unanswered"  # what the line of unanswered items is called where a file has it without a name

_DELIMITERS = ("\t", ";", ",", BLANKS)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}\.000")
_NO_NUMBERS = frozenset({"nan", "+nan", "-nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"})
_PLAIN_DIGITS = 15
_LONGEST_NUMBER = 60
_FIELDS = ("matrix", "labels", "rows")
_JSON_EXPECTED = 'a list of rows, or {"labels": […], "matrix": [[…], …], "rows": "gold"} without labels or rows'

Names = tuple[str, ...]
Cells = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Matrix:
    """Counts, and what stands beside and above them."""

    path: str
    values: NDArray[np.int64]  # the counts, 0 or more
    lines: Sequence[int]  # the line of each row of the file, counted from 1
    rows: Names | None = None  # the names; None where an axis has none
    columns: Names | None = None
    corner: str = ""  # what stands where the names of rows and columns meet
    rows_are: str | None = None  # what a field of JSON says the rows are
    unit: str = "line"  # what a row is in the file

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        n_rows, n_columns = self.values.shape
        return n_rows, n_columns

    def transposed(self) -> "Matrix":
        """The matrix with rows and columns exchanged."""
        return replace(self, values=self.values.T, rows=self.columns, columns=self.rows)

    def refusal(self, defect: str, *lines: int, slug: str = "bad-confusion", expected: str | None = None) -> InputError:
        """The error of one issue with this file."""
        return InputError([in_unit(Issue.of(slug, self.path, defect, lines=lines, expected=expected), self.unit)])


def read_matrix(content: Content) -> Matrix:
    """The counts and names of a file."""
    if content.binary_format is not None:
        defect = f"it is in the format {quoted(content.binary_format)}"
        raise InputError([Issue.of("binary-file", content.path, defect, expected="delimited text, or JSON")])
    sheet = _of_json(content) if content.text.lstrip()[:1] in {"[", "{"} else _of_text(content)
    return sheet.matrix()


# Cells and names


@dataclass(frozen=True, eq=False)
class _Sheet:
    """The cells as text, in rows of one width, and the names of rows and columns."""

    path: str
    cells: Cells
    lines: Sequence[int]
    rows: Names | None = None
    columns: Names | None = None
    corner: str = ""
    rows_are: str | None = None
    unit: str = "line"

    def matrix(self) -> Matrix:
        """The counts that the cells write."""
        counts = [[count_of(cell) for cell in row] for row in self.cells]
        issues = [*self._bad_names(self.rows, "rows"), *self._bad_names(self.columns, "columns")]
        issues += self._bad_counts(counts)
        if not any(counts):
            issues = [Issue.of("bad-confusion", self.path, "names without a count")]
        elif not issues:
            issues += [*self._thousands(), *self._shares(counts)]
        if issues:
            raise InputError(in_unit(issue, self.unit) for issue in capped(issues))
        values = np.array(counts, np.int64)
        return Matrix(self.path, values, self.lines, self.rows, self.columns, self.corner, self.rows_are, self.unit)

    def _bad_names(self, names: Names | None, axis: str) -> Iterator[Issue]:
        """An issue for names that are missing, or there twice."""
        axis_names = names or ()
        if "" in axis_names:
            yield Issue.of("bad-confusion", self.path, f"one of the {axis} has no name", expected="a name for each")
        if len(set(axis_names)) < len(axis_names):
            twice = dict.fromkeys(quoted(name) for name in axis_names if axis_names.count(name) > 1 and name)
            defect = f"several {axis} are called {listed(list(twice), limit=5)}"
            yield Issue.of("bad-confusion", self.path, defect, expected="each class once")

    def _bad_counts(self, counts: Sequence[Sequence[int | None]]) -> Iterator[Issue]:
        """An issue for every cell that is no count."""
        for row, cells, line in zip(counts, self.cells, self.lines, strict=True):
            for number, (count, cell) in enumerate(zip(row, cells, strict=True)):
                if count is None:
                    column = str(number + 1) if self.columns is None else quoted(self.columns[number])
                    defect = f"{quoted(cell) if cell else 'nothing'} in column {column}"
                    yield Issue.of("bad-count", self.path, defect, lines=[line])

    def _thousands(self) -> Iterator[Issue]:
        """The issue for a point that may stand between thousands: other cells have none, and it is read as decimal."""
        if self.unit != "line" or all("." in cell for row in self.cells for cell in row):  # JSON has no such mark
            return
        cells = [(cell, line) for row, line in zip(self.cells, self.lines, strict=True) for cell in row]
        doubtful = [(cell, line) for cell, line in cells if _THOUSANDS.fullmatch(cell)]
        if doubtful:
            lines = list(dict.fromkeys(line for _, line in doubtful))
            cell = doubtful[0][0]
            defect = (
                f"{quoted(cell)} is {count_of(cell):,}, or {int(cell.replace('.', '')):,} with a point in thousands"
            )
            remedy = "write whole numbers, without a point"
            yield Issue.of("bad-count", self.path, defect, lines=lines[:MOST_LINES], count=len(lines), remedy=remedy)

    def _shares(self, counts: Sequence[Sequence[int | None]]) -> Iterator[Issue]:
        """The issue for shares that are all 0 or 1, and for more items than can be scored."""
        sums = [sum(count or 0 for count in row) for row in counts]
        has_point = any("." in cell for row in self.cells for cell in row)
        if has_point and {*sums} in ({1}, {100}):
            yield Issue.of("bad-count", self.path, f"every row sums to {sums[0]}: shares in place of counts")
        elif sum(sums) > 4 * MOST_ITEMS:  # as much as items and three totals of them
            yield Issue.of("bad-count", self.path, f"{sum(sums):,} items", expected=f"at most {MOST_ITEMS:,} items")


def count_of(cell: str) -> int | None:
    """The count that a cell writes; None where it writes none.

    >>> [count_of(cell) for cell in ("12", "12.0", "1.2e1", "0.5", "-1", "1,000", "nan", "", "9" * 20)]
    [12, 12, 12, None, None, None, None, None, None]
    """
    if len(cell) <= _PLAIN_DIGITS and cell.isascii() and cell.isdigit():
        return int(cell)
    if len(cell) > _LONGEST_NUMBER or not _NUMBER.fullmatch(cell):
        return None
    value = Decimal(cell)
    return int(value) if 0 <= value <= MOST_ITEMS and value == value.to_integral_value() else None


def _with_names(path: str, text_rows: Rows) -> _Sheet:
    """Which cells are names: those of the first row, of the first column, of both, or none.

    Numbers are names where the corner is none, since counts have no corner.
    """
    rows, lines = text_rows.rows, text_rows.lines
    corner, *head = rows[0]
    side = [row[0] for row in rows[1:]]
    in_head, in_side = any(map(_is_name, head)), any(map(_is_name, side))
    if not corner or (in_head and in_side) or (in_head == in_side and _is_name(corner)):
        return _Sheet(path, [row[1:] for row in rows[1:]], lines[1:], tuple(side), tuple(head), corner)
    if in_head:
        return _Sheet(path, rows[1:], lines[1:], columns=tuple(rows[0]))
    if in_side:
        return _Sheet(path, [row[1:] for row in rows], lines, rows=(corner, *side))
    return _Sheet(path, rows, lines)


def _is_name(cell: str) -> bool:
    """Whether a cell is text, rather than a number, however wrong, or nothing."""
    return bool(cell) and not _NUMBER.fullmatch(cell.rstrip("% ")) and cell.casefold() not in _NO_NUMBERS


# Text


def _of_text(content: Content) -> _Sheet:
    """The rows by the first delimiter that gives all rows as many cells, two or more."""
    tried: list[Rows] = []
    refusals: list[InputError] = []
    for delimiter in _DELIMITERS:
        if delimiter != BLANKS and delimiter not in content.text:
            continue
        try:
            text_rows = _rows_by(content, delimiter)
        except InputError as refusal:
            refusals.append(refusal)
            continue
        if len(set(map(len, text_rows.rows))) == 1 < len(text_rows.rows[0]):
            return _with_names(content.path, text_rows)
        tried.append(text_rows)
    if refusals:
        raise refusals[-1]
    return _with_names(content.path, _even(content.path, max(tried, key=Rows.usual_width)))


def _even(path: str, text_rows: Rows, unit: str = "line") -> Rows:
    """The rows, all of one width."""
    even, issues = of_width(text_rows, text_rows.usual_width()[0], path, keep_blank=False)
    if issues:
        raise InputError(in_unit(issue, unit) for issue in capped(issues))
    return even


def _rows_by(content: Content, delimiter: str) -> Rows:
    """The rows that are not blank, cells stripped; a first row that is one short begins with an empty corner."""
    first = read_rows(Content(content.path, content.first_line), Dialect(delimiter), 1).rows[0]
    _check_size(content.path, content.n_lines, len(first))
    text_rows = read_rows(content, Dialect(delimiter, "" if delimiter == BLANKS else '"'))
    kept = [(row, line) for row, line in zip(text_rows.rows, text_rows.lines, strict=True) if any(map(str.strip, row))]
    rows = [list(map(str.strip, row)) for row, _ in kept]
    if {len(row) for row in rows[1:]} == {len(rows[0]) + 1}:
        rows[0].insert(0, "")
    return Rows(rows, [line for _, line in kept])


def _check_size(path: str, n_rows: int, n_columns: int) -> None:
    if max(n_rows, n_columns) > MOST_COLUMNS or n_rows * n_columns > MOST_CELLS:
        expected = f"at most {MOST_COLUMNS:,} rows and columns, and {MOST_CELLS:,} cells"
        defect = f"{plural(n_rows, 'row')} of {plural(n_columns, 'cell')}"
        raise InputError([Issue.of("too-large", path, defect, expected=expected, remedy="check the file")])


# JSON


def _of_json(content: Content) -> _Sheet:
    """A list of rows, or an object with one, and perhaps with labels and what the rows are."""
    matrix, labels, rows_are = _fields(content)
    _check_size(content.path, len(matrix), max(map(len, matrix)))
    text_rows = _even(content.path, Rows(list(map(_plain, matrix)), range(1, len(matrix) + 1)), "row")
    if labels is None:
        return replace(_with_names(content.path, text_rows), rows_are=rows_are, unit="row")
    names = tuple(_plain(labels))
    sheet = _Sheet(content.path, text_rows.rows, text_rows.lines, names, names, rows_are=rows_are, unit="row")
    return _with_unanswered(sheet, names)


def _fields(content: Content) -> tuple[list[list[Any]], list[Any] | None, str | None]:
    """The rows, the labels and what the rows are."""
    try:
        value = decoded(content.text)
    except ValueError as error:
        raise InputError([bad_json(content.path, visible(str(error), 120))]) from None
    fields = value if isinstance(value, dict) else {"matrix": value}
    matrix: Any = fields.get("matrix")
    labels: Any = fields.get("labels")
    rows_are: Any = fields.get("rows")
    wrong = [
        *(f"the field {quoted(name)}" for name in fields if name not in _FIELDS),
        *(["no rows of cells"] if not _is_list(matrix) or not all(map(_is_list, matrix)) else []),
        *(["labels that are no list"] if labels is not None and not _is_list(labels) else []),
        *(["rows that are neither gold nor predicted"] if rows_are not in (None, "gold", "predicted") else []),
    ]
    if wrong:
        issue = Issue.of("bad-json", content.path, wrong[0], expected=_JSON_EXPECTED, remedy="correct the file")
        raise InputError([issue])
    return matrix, labels, rows_are


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value)


def _plain(values: Sequence[Any]) -> list[str]:
    """Cells as text; what is nested as text that is no number."""
    texts = map(plain, values)
    return ["[…]" if text is None else text.strip() for text in texts]


def _with_unanswered(sheet: _Sheet, names: Names) -> _Sheet:
    """The cells of a matrix whose labels are said once; one more column, or row, than labels is of unanswered items."""
    n_labels, further = len(names), (*names, UNANSWERED)
    shape = len(sheet.cells), len(sheet.cells[0])
    if shape == (n_labels, n_labels):
        return sheet
    if shape == (n_labels, n_labels + 1) and UNANSWERED not in names:
        return replace(sheet, columns=further)
    if shape == (n_labels + 1, n_labels) and UNANSWERED not in names:
        return replace(sheet, rows=further)
    defect = f"{shape_words(*shape)} for {plural(n_labels, 'label')}"
    expected = "a row and a column for each label, and perhaps a last one for unanswered items"
    raise InputError([Issue.of("bad-confusion", sheet.path, defect, expected=expected)])


def shape_words(n_rows: int, n_columns: int) -> str:
    """The shape of a matrix in words."""
    return f"{plural(n_rows, 'row')} and {plural(n_columns, 'column')}"
