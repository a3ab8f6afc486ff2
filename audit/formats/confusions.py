"""A file with one confusion matrix → its labels and counts, gold by predicted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from audit.domain import LabelSet
from audit.errors import InputError, Issue
from audit.formats.files.content import Content, decode, unpacked
from audit.formats.files.limits import MOST_CELLS, MOST_COLUMNS
from audit.formats.files.tree import read_alone
from audit.formats.readers.json_files import bad_json, decoded, plain
from audit.formats.settings.layout import BLANKS
from audit.formats.table.columns import fold
from audit.formats.table.parsed import capped, in_unit
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
            yield Issue.of("bad-count", self.path, defect, lines=lines, remedy=remedy)

    def _shares(self, counts: Sequence[Sequence[int | None]]) -> Iterator[Issue]:
        """The issue for shares that are all 0 or 1, and for more items than can be scored."""
        sums = [sum(count or 0 for count in row) for row in counts]
        has_point = any("." in cell for row in self.cells for cell in row)
        if has_point and {*sums} in ({1}, {100}):
            yield Issue.of("bad-count", self.path, f"every row sums to {sums[0]}: shares in place of counts")
        elif sum(sums) > 4 * MOST_ITEMS:  # as much as items and three totals of them
            yield Issue.of("bad-count", self.path, f"{sum(sums):,} items", expected=f"at most {MOST_ITEMS:,} items")


def count_of(cell: str) -> int | None:
    """The count that a cell writes; None where it writes none."""
    if len(cell) <= _PLAIN_DIGITS and cell.isascii() and cell.isdigit():
        return int(cell)
    if len(cell) > _LONGEST_NUMBER or not _NUMBER.fullmatch(cell):
        return None
    value = Decimal(cell)
    return int(value) if 0 <= value <= MOST_ITEMS and value == value.to_integral_value() else None


def _with_names(path: str, text_rows: Rows) -> _Sheet:
    """Which cells are names: those of the first row, of the first column, of both, or none."""
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
    _check_size(content.path, len(content.lines), len(first))
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


Axis = Literal["gold", "predicted"]

_TOTALS = frozenset({"total", "totals", "sum", "sums", "all"})
_UNANSWERED = frozenset(
    {
        "unanswered", "missing", "none", "no_answer", "not_answered", "no_prediction", "no_label", "unusable",
        "invalid", "abstained", "abstention", "n/a", "na", "nan", "null",
    }
)  # fmt: skip
_WORDS: dict[Axis, frozenset[str]] = {
    "gold": frozenset({"gold", "true", "truth", "actual", "actuals", "reference", "ref", "target", "correct"}),
    "predicted": frozenset(
        {
            "predicted", "prediction", "predictions", "pred", "preds", "system", "output", "response", "hypothesis",
            "guess", "classified",
        }
    ),
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")
_BETWEEN_AXES = re.compile(r"[\\/|×]|\b(?:by|vs|x)\b\.?")
_ARROW = re.compile(r"[←-⇿]|->|<-")
_OTHER: dict[Axis, Axis] = {"gold": "predicted", "predicted": "gold"}
_CLASSES: dict[Axis, str] = {"gold": "gold classes", "predicted": "predicted classes"}


@dataclass(frozen=True, eq=False)
class ConfusionFile:
    """The content of a file with a confusion matrix."""

    labels: LabelSet  # the classes, in the order of the file's gold axis; "1", "2", … where it names none
    counts: NDArray[np.int64]
    """Items by gold class and predicted class, 0 or more, shape (C, C + 1); the last column counts those that were not
    answered.
    """
    orientation_said_by: Literal["option", "file", "default"]
    """What says which axis is gold: ``option``, the caller; ``file``, a corner such as *gold/predicted*, the field
    ``rows``, or the place of unanswered items; ``default``, nothing, so that gold is in rows.
    """


def read_confusion(source: Path | bytes, *, rows: Axis | None = None) -> ConfusionFile:
    r"""Read a confusion matrix: counts of items, gold in rows unless something says otherwise.

    It is delimited text (tabs, semicolons, commas or blanks) or JSON: a list of rows, or an object with ``matrix``, and
    perhaps ``labels`` and ``rows``. Names stand on both axes, in whatever order, on one, or on none. One more column
    than there are gold classes, called *unanswered*, *missing* or *none*, counts unanswered items. Totals are left out
    where they are called so and are the sums.

    >>> found = read_confusion(b"gold/predicted,yes,no,missing\nno,2,30,1\nyes,8,1,0\n")
    >>> found.labels.labels, found.counts.tolist(), found.orientation_said_by
    (('no', 'yes'), [[30, 2, 1], [1, 8, 0]], 'file')
    >>> read_confusion(b"[[8, 2], [1, 30]]", rows="predicted").counts.tolist()
    [[8, 1, 0], [2, 30, 0]]
    """
    path = source.name if isinstance(source, Path) else "the matrix"
    data = unpacked(path, read_alone(source)) if isinstance(source, Path) else source
    matrix = _without_totals(read_matrix(decode(path, data)))
    file_axis = _axis_in_file(matrix)
    axis = _rows_are(matrix, file_axis, rows)
    labels, counts = _aligned(matrix if axis == "gold" else matrix.transposed())
    _check_items(matrix, labels, counts)
    return ConfusionFile(LabelSet(labels), counts, "option" if rows else "file" if file_axis else "default")


# Totals


def _without_totals(matrix: Matrix) -> Matrix:
    """The matrix without the rows and columns that are called totals, which have to be the sums."""
    of_rows, of_columns = _totals(matrix.rows), _totals(matrix.columns)
    if not of_rows and not of_columns:
        _check_nameless_totals(matrix)
        return matrix
    rows, columns = _other_numbers(matrix.shape[0], of_rows), _other_numbers(matrix.shape[1], of_columns)
    inner = matrix.values[np.ix_(rows, columns)]
    sums = matrix.values.copy()
    sums[np.ix_(rows, of_columns)] = inner.sum(axis=1, keepdims=True)
    sums[np.ix_(of_rows, columns)] = inner.sum(axis=0, keepdims=True)
    sums[np.ix_(of_rows, of_columns)] = inner.sum()
    wrong = np.argwhere(sums != matrix.values).tolist()
    if wrong:
        raise _wrong_total(matrix, *wrong[0], total=int(sums[tuple(wrong[0])]))
    return replace(
        matrix,
        values=inner,
        lines=[matrix.lines[row] for row in rows],
        rows=_named_by(matrix.rows, rows),
        columns=_named_by(matrix.columns, columns),
    )


def _totals(names: Names | None) -> list[int]:
    return [number for number, name in enumerate(names or ()) if fold(name) in _TOTALS]


def _other_numbers(length: int, numbers: Sequence[int]) -> list[int]:
    return [number for number in range(length) if number not in numbers]


def _named_by(names: Names | None, numbers: Sequence[int]) -> Names | None:
    return None if names is None else tuple(names[number] for number in numbers)


def _wrong_total(matrix: Matrix, row: int, column: int, *, total: int) -> InputError:
    """The refusal of a cell below or beside a name of totals that is not the sum."""
    names = [*(matrix.columns or ())[column : column + 1], *(matrix.rows or ())[row : row + 1]]
    called = next(name for name in names if fold(name) in _TOTALS)
    defect = f"{matrix.values[row, column]:,} in {quoted(called)}, where the sum is {total:,}"
    return matrix.refusal(
        defect, matrix.lines[row], expected="totals that are the sums; a class that is called so needs another name"
    )


def _check_nameless_totals(matrix: Matrix) -> None:
    """Refuse a matrix without names whose last row and column are the sums of the others: they could be classes."""
    values, inner = matrix.values, matrix.values[:-1, :-1]
    is_named = matrix.rows is not None or matrix.columns is not None
    if is_named or values.shape[0] != values.shape[1] or len(inner) < 2 or not inner.any():  # noqa: PLR2004 - classes
        return
    is_last_column = np.array_equal(values[:, -1], [*inner.sum(axis=1), inner.sum()])
    if is_last_column and np.array_equal(values[-1, :-1], inner.sum(axis=0)):
        defect = "the last row and column are the sums of the others: totals, or a class?"
        raise matrix.refusal(defect, expected="names on both axes, or no totals")


# Which axis is gold


def _axis_in_file(matrix: Matrix) -> Axis | None:
    """The axis that the file says its rows are; None where it says nothing."""
    by_field: dict[str | None, Axis] = {"gold": "gold", "predicted": "predicted"}
    axis_of = {
        f"the corner {quoted(matrix.corner)}": rows_by_corner(matrix.corner),
        "the field “rows”": by_field.get(matrix.rows_are),
        "the place of unanswered items": _rows_by_unanswered(matrix),
    }
    axes = {source: axis for source, axis in axis_of.items() if axis is not None}
    if len(set(axes.values())) > 1:
        defect = listed([f"{source} says that rows are {_CLASSES[axis]}" for source, axis in axes.items()])
        raise matrix.refusal(defect, slug="confusion-orientation", expected="one of the two")
    return next(iter(axes.values()), None)


def _rows_by_unanswered(matrix: Matrix) -> Axis | None:
    """The axis of the rows by the line of unanswered items, as only predictions can be missing; None without it."""
    (n_rows, n_columns), rows, columns = matrix.shape, matrix.rows, matrix.columns
    if rows is not None and columns is not None:
        of_rows, of_columns = _only_in(rows, columns), _only_in(columns, rows)
    else:  # on an axis that has one line more, the name of that line
        of_rows = [name for name in rows or () if _is_unanswered(name)] if n_rows == n_columns + 1 else []
        of_columns = [name for name in columns or () if _is_unanswered(name)] if n_columns == n_rows + 1 else []
    match of_rows, of_columns:
        case [], [] if n_rows == n_columns:
            return None
        case [], [name] if _is_unanswered(name):
            return "gold"
        case [name], [] if _is_unanswered(name):
            return "predicted"
    raise _other_classes(matrix, of_rows, of_columns)


def _only_in(names: Names, others: Names) -> list[str]:
    other_names = set(others)
    return [name for name in names if name not in other_names]


def _is_unanswered(name: str) -> bool:
    return fold(name) in _UNANSWERED


def _other_classes(matrix: Matrix, of_rows: Sequence[str], of_columns: Sequence[str]) -> InputError:
    """The refusal of axes that do not have the same classes."""
    have_names = matrix.rows is not None and matrix.columns is not None
    named = {"rows": of_rows, "columns": of_columns} if have_names else {}
    parts = [f"{listed(list(map(quoted, names)), limit=5)} in {axis} only" for axis, names in named.items() if names]
    return matrix.refusal(
        listed(parts) or shape_words(*matrix.shape),
        expected="the same classes on both axes, and perhaps one more column called unanswered, missing or none",
    )


def _rows_are(matrix: Matrix, file_axis: Axis | None, option_axis: Axis | None) -> Axis:
    """The axis of the rows: as the caller says, as the file does, or gold where both axes have names."""
    if option_axis is not None and file_axis == _OTHER[option_axis]:
        defect = f"rows are {_CLASSES[file_axis]} by the file, and {_CLASSES[option_axis]} by --rows {option_axis}"
        raise matrix.refusal(defect, slug="confusion-orientation", expected="one of the two")
    axis = option_axis or file_axis
    if axis is not None:
        return axis
    if matrix.rows is None or matrix.columns is None:
        defect = "nothing says whether rows are gold classes or predicted ones"
        raise matrix.refusal(defect, slug="confusion-orientation")
    if _axes(matrix.corner):
        defect = f"the corner {quoted(matrix.corner)} does not say which axis is gold"
        raise matrix.refusal(defect, slug="confusion-orientation")
    return "gold"


def rows_by_corner(corner: str) -> Axis | None:
    """The axis of the rows by the corner: its first part names rows, its second columns; None where unclear."""
    if _ARROW.search(corner):
        return None
    parts = [_axes(part) for part in _BETWEEN_AXES.split(corner.casefold())]
    match parts:
        case [[axis]] | [[axis], []]:
            return axis
        case [[], [axis]]:
            return _OTHER[axis]
        case [[first], [second]] if first != second:
            return first
    return None


def _axes(part: str) -> list[Axis]:
    """The axes that words of a corner name."""
    words = set(_WORD.findall(part.casefold()))
    return [axis for axis, names in _WORDS.items() if words & names]


# Gold in rows, one class in the same place on both axes


def _aligned(matrix: Matrix) -> tuple[Names, NDArray[np.int64]]:
    """The classes in the order of the rows, which are gold, and their counts, those of unanswered items last."""
    n_classes, n_columns = matrix.shape
    columns = matrix.columns or matrix.rows or tuple(str(number) for number in range(1, n_classes + 1))
    classes = set(columns if matrix.rows is None else matrix.rows)
    if n_columns > n_classes and matrix.rows is None:
        classes = {name for name in columns if not _is_unanswered(name)}
    labels = matrix.rows or tuple(name for name in columns if name in classes)
    place_of = {name: number for number, name in enumerate(columns)}
    of_classes = matrix.values[:, [place_of[label] for label in labels]]
    others = [number for number, name in enumerate(columns) if name not in classes]
    unanswered = matrix.values[:, others].sum(axis=1, keepdims=True)
    return labels, np.ascontiguousarray(np.concatenate([of_classes, unanswered], axis=1))


def _check_items(matrix: Matrix, labels: Names, counts: NDArray[np.int64]) -> None:
    """Refuse counts that cannot be scored."""
    present = [label for label, row in zip(labels, counts, strict=True) if row.any()]
    if not present:
        raise matrix.refusal("every count is 0", slug="gold-no-items")
    if len(present) == 1:
        raise matrix.refusal(f"only the class {quoted(present[0])} has gold items", slug="gold-one-class")
    if (n_items := int(counts.sum())) > MOST_ITEMS:
        raise matrix.refusal(f"{n_items:,} items", slug="bad-count", expected=f"at most {MOST_ITEMS:,} items")
