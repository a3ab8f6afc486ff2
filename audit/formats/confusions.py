"""A file with one confusion matrix → its labels and counts, gold by predicted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from audit.domain import LabelSet
from audit.errors import InputError, Issue
from audit.formats.files.content import Content, decode, unpacked
from audit.formats.files.tree import read_alone
from audit.formats.readers.json_files import bad_json, decoded, plain
from audit.formats.settings.layout import BLANKS
from audit.formats.table.columns import fold
from audit.formats.table.parsed import Rows, capped, in_unit
from audit.formats.table.text_rows import check_size, evened, small_table
from audit.text import listed, plural, quoted, visible

MOST_ITEMS = 2**53 - 1
"""The largest number of items that floating-point numbers, of which scores are made, hold exactly."""

# what the line of unanswered items is called where a file has it without a name
UNANSWERED = "unanswered"

_NUMBER = re.compile(
    r"[+-]?(?:nan|inf|infinity|(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:e[+-]?[0-9]+)?) *%?",
    re.IGNORECASE,
)
_MOST_DIGITS = 16
_JSON_EXPECTED = (
    'a list of rows, or {"labels": […], "matrix": [[…], …], "rows": "gold"} without labels or rows'
)

Names = tuple[str, ...]
Axis = Literal["gold", "predicted"]

_TOTALS = frozenset({"total", "totals", "sum", "sums", "all"})
_UNANSWERED = frozenset(
    {
        "unanswered", "missing", "none", "no_answer", "not_answered", "no_prediction", "no_label", "unusable",
        "invalid", "abstained", "abstention", "n/a", "na", "nan", "null",
    }
)  # fmt: skip
_AXIS_OF: dict[str, Axis] = {
    **dict.fromkeys(("gold", "true", "truth", "actual", "reference", "target"), "gold"),
    **dict.fromkeys(
        ("predicted", "prediction", "predictions", "pred", "system", "output"), "predicted"
    ),
}
_BETWEEN_AXES = re.compile(r"[\\/|×]")
_PLAIN_CORNER = re.compile(r"[\w \\/|×]*")
_OTHER: dict[Axis, Axis] = {"gold": "predicted", "predicted": "gold"}
_CLASSES: dict[Axis, str] = {"gold": "gold classes", "predicted": "predicted classes"}


@dataclass(frozen=True, eq=False)
class ConfusionFile:
    """The content of a file with a confusion matrix."""

    labels: LabelSet
    """The classes, in the order of the file's gold axis; "1", "2", … where it names none."""
    counts: NDArray[np.int64]
    """Items by gold class and predicted class, 0 or more, shape (C, C + 1); the last column counts those that were not
    answered.
    """
    orientation_said_by: Literal["option", "file", "default"]
    """What says which axis is gold: ``option``, the caller; ``file``, a corner such as *gold/predicted*, the field
    ``rows``, or the place of unanswered items; ``default``, nothing, so that gold is in rows.
    """


@dataclass(frozen=True, eq=False)
class _Matrix:
    """Cells, and what stands beside and above them."""

    path: str
    cells: NDArray[Any]  # counts, 0 or more; text before they are counted
    lines: Sequence[int]  # the line of each row of the file, counted from 1
    rows: Names | None = None  # the names; None where an axis has none
    columns: Names | None = None
    corner: str = ""  # what stands where the names of rows and columns meet
    rows_are: Axis | None = None  # what a field of JSON says
    unit: str = "line"  # what a row is in the file

    @property
    def shape_words(self) -> str:
        """The shape in words."""
        n_rows, n_columns = self.cells.shape
        return f"{plural(n_rows, 'row')} and {plural(n_columns, 'column')}"

    def refusal(
        self, defect: str, *lines: int, slug: str = "bad-confusion", expected: str | None = None
    ) -> InputError:
        """The error of one issue with this file."""
        return InputError(
            [in_unit(Issue.of(slug, self.path, defect, lines=lines, expected=expected), self.unit)]
        )


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
    if isinstance(source, Path):
        path = source.name
    else:
        path = "the matrix"
    if isinstance(source, Path):
        data = unpacked(path, read_alone(source))
    else:
        data = source
    matrix = _without_totals(_counted(_cells_of(decode(path, data))))
    gives_names = matrix.rows is not None and matrix.columns is not None
    matrix = _with_names_on_both(matrix)
    file_axis = _axis_in_file(matrix)
    if _rows_are(matrix, file_axis, rows, gives_names=gives_names) == "predicted":
        matrix = replace(matrix, cells=matrix.cells.T, rows=matrix.columns, columns=matrix.rows)
    labels, counts = _aligned(matrix)
    _check_items(matrix, labels, counts)
    return ConfusionFile(
        LabelSet(labels), counts, "option" if rows else "file" if file_axis else "default"
    )


# Cells and names


def _cells_of(content: Content) -> _Matrix:
    """The cells of a file as text, and its names."""
    if content.binary_format is not None:
        defect = f"it is in the format {quoted(content.binary_format)}"
        raise InputError(
            [Issue.of("binary-file", content.path, defect, expected="delimited text, or JSON")]
        )
    if content.text.lstrip()[:1] in {"[", "{"}:
        return _of_json(content)
    return _with_names(
        content.path, small_table(content, ("\t", ";", ",", BLANKS), may_lack_corner=True)
    )


def _with_names(path: str, table: Rows) -> _Matrix:
    """Which cells are names: those of the first row, of the first column, of both, or none."""
    corner, *head = table.rows[0]
    side = [row[0] for row in table.rows[1:]]
    in_head = any(map(_is_name, head))
    in_side = any(map(_is_name, side))
    if not corner or (in_head and in_side) or (in_head == in_side and _is_name(corner)):
        in_head = in_side = True
    else:
        head, side, corner = [corner, *head], [corner, *side], ""
    cells = np.array(table.rows, object)[int(in_head) :, int(in_side) :]
    names = tuple(side) if in_side else None, tuple(head) if in_head else None
    return _Matrix(path, cells, table.lines[in_head:], *names, corner)


def _is_name(cell: str) -> bool:
    """Whether a cell is text, rather than a number, however wrong, or nothing."""
    return bool(cell) and not _NUMBER.fullmatch(cell)


def _of_json(content: Content) -> _Matrix:
    """A list of rows, or an object with one, and perhaps with labels and what the rows are."""
    rows, labels, rows_are = _fields(content)
    check_size(content.path, len(rows), max(map(len, rows)))
    table = evened(Rows(list(map(_plain, rows)), range(1, len(rows) + 1)), content.path, "row")
    if labels is None:
        return replace(_with_names(content.path, table), rows_are=rows_are, unit="row")
    names = tuple(_plain(labels))
    matrix = _Matrix(
        content.path, np.array(table.rows, object), table.lines, names, names, "", rows_are, "row"
    )
    further = [length - len(names) for length in matrix.cells.shape]
    if sorted(further) == [0, 1] and UNANSWERED not in names:
        more = (*names, UNANSWERED)
        if further[1]:
            return replace(matrix, columns=more)
        return replace(matrix, rows=more)
    if any(further):
        defect = f"{matrix.shape_words} for {plural(len(names), 'label')}"
        expected = "a row and a column for each label, and perhaps a last one for unanswered items"
        raise matrix.refusal(defect, expected=expected)
    return matrix


def _fields(content: Content) -> tuple[list[list[Any]], list[Any] | None, Axis | None]:
    """The rows, the labels and what the rows are."""
    try:
        value = decoded(content.text)
    except ValueError as error:
        raise InputError([bad_json(content.path, visible(str(error), 120))]) from None
    if isinstance(value, dict):
        fields = value
    else:
        fields = {"matrix": value}
    rows: Any = fields.get("matrix")
    labels: Any = fields.get("labels")
    rows_are: Any = fields.get("rows")
    wrong = [
        *(
            f"the field {quoted(name)}"
            for name in fields
            if name not in {"matrix", "labels", "rows"}
        ),
        *(["no rows of cells"] if not _is_list(rows) or not all(map(_is_list, rows)) else []),
        *(["labels that are no list"] if labels is not None and not _is_list(labels) else []),
        *(
            ["rows that are neither gold nor predicted"]
            if rows_are not in (None, "gold", "predicted")
            else []
        ),
    ]
    if wrong:
        issue = Issue.of(
            "bad-json", content.path, wrong[0], expected=_JSON_EXPECTED, remedy="correct the file"
        )
        raise InputError([issue])
    return rows, labels, rows_are


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value)


def _plain(values: Sequence[Any]) -> list[str]:
    """Cells as text; what is nested as text that is no number."""
    texts = map(plain, values)
    return ["[…]" if text is None else text.strip() for text in texts]


# Counts


def _counted(matrix: _Matrix) -> _Matrix:
    """The matrix with the counts that its cells write."""
    if not matrix.cells.size:
        raise matrix.refusal("names without a count")
    counts = [[count_of(cell) for cell in row] for row in matrix.cells]
    issues = [
        *_bad_names(matrix, "rows"),
        *_bad_names(matrix, "columns"),
        *_bad_counts(matrix, counts),
    ]
    if issues:
        raise InputError(in_unit(issue, matrix.unit) for issue in capped(issues))
    cells = np.array(counts, object)
    if cells.sum() > 4 * MOST_ITEMS:  # as much as items and three totals of them
        raise matrix.refusal(f"{cells.sum():,} items", expected=f"at most {MOST_ITEMS:,} items")
    return replace(matrix, cells=cells.astype(np.int64))


def _bad_names(matrix: _Matrix, axis: Literal["rows", "columns"]) -> Iterator[Issue]:
    """An issue for names that are missing, or there twice."""
    names = (matrix.rows if axis == "rows" else matrix.columns) or ()
    if "" in names:
        yield Issue.of(
            "bad-confusion",
            matrix.path,
            f"one of the {axis} has no name",
            expected="a name for each",
        )
    if twice := dict.fromkeys(quoted(name) for name in names if names.count(name) > 1 and name):
        defect = f"several {axis} are called {listed(list(twice), limit=5)}"
        yield Issue.of("bad-confusion", matrix.path, defect, expected="each class once")


def _bad_counts(matrix: _Matrix, counts: Sequence[Sequence[int | None]]) -> Iterator[Issue]:
    """An issue for every cell that is no count."""
    for row, line, row_counts in zip(matrix.cells, matrix.lines, counts, strict=True):
        for number in (number for number, count in enumerate(row_counts) if count is None):
            if matrix.columns is None:
                column = str(number + 1)
            else:
                column = quoted(matrix.columns[number])
            if row[number]:
                shown = quoted(row[number])
            else:
                shown = "nothing"
            found = f"{shown} in column {column}"
            expected = "a whole number of items, 0 or more"
            yield Issue.of("bad-confusion", matrix.path, found, lines=[line], expected=expected)


def count_of(cell: str) -> int | None:
    """The count that a cell writes, digits alone; None where it writes none."""
    is_whole = len(cell) <= _MOST_DIGITS and cell.isascii() and cell.isdigit()
    if is_whole and int(cell) <= MOST_ITEMS:
        return int(cell)
    return None


# Totals


def _without_totals(matrix: _Matrix) -> _Matrix:
    """The matrix without the rows and columns that are called totals, which have to be the sums."""
    keeps = [
        np.array([names is None or fold(names[number]) not in _TOTALS for number in range(length)])
        for names, length in zip((matrix.rows, matrix.columns), matrix.cells.shape, strict=True)
    ]
    if all(map(np.all, keeps)):
        _check_nameless_totals(matrix)
        return matrix
    inner = matrix.cells[np.ix_(*keeps)]
    sums = matrix.cells.copy()
    sums[np.ix_(keeps[0], ~keeps[1])] = inner.sum(axis=1, keepdims=True)
    sums[np.ix_(~keeps[0], keeps[1])] = inner.sum(axis=0, keepdims=True)
    sums[np.ix_(~keeps[0], ~keeps[1])] = inner.sum()
    for row, column in np.argwhere(sums != matrix.cells).tolist():
        if keeps[1][column]:
            axis = matrix.rows
            number = row
        else:
            axis = matrix.columns
            number = column
        called = quoted((axis or ())[number])
        defect = (
            f"{matrix.cells[row, column]:,} in {called}, where the sum is {sums[row, column]:,}"
        )
        expected = "totals that are the sums; a class that is called so needs another name"
        raise matrix.refusal(defect, matrix.lines[row], expected=expected)
    rows, columns = (
        None if names is None else tuple(np.array(names, object)[keep])
        for names, keep in zip((matrix.rows, matrix.columns), keeps, strict=True)
    )
    return replace(
        matrix,
        cells=inner,
        lines=np.array(matrix.lines)[keeps[0]].tolist(),
        rows=rows,
        columns=columns,
    )


def _check_nameless_totals(matrix: _Matrix) -> None:
    """Refuse a matrix without names whose last row and column are the sums of the others: they could be classes."""
    cells = matrix.cells
    inner = matrix.cells[:-1, :-1]
    is_named = matrix.rows is not None or matrix.columns is not None
    if is_named or cells.shape[0] != cells.shape[1] or len(inner) < 2 or not inner.any():  # noqa: PLR2004 - classes
        return
    is_last_column = np.array_equal(cells[:, -1], [*inner.sum(axis=1), inner.sum()])
    if is_last_column and np.array_equal(cells[-1, :-1], inner.sum(axis=0)):
        defect = "the last row and column are the sums of the others: totals, or a class?"
        raise matrix.refusal(defect, expected="names on both axes, or no totals")


# Which axis is gold


def _with_names_on_both(matrix: _Matrix) -> _Matrix:
    """The matrix with the names of one axis on the other, without that of unanswered items; numbers where none are."""
    shape = matrix.cells.shape
    if matrix.rows is None and matrix.columns is None:
        numbers = tuple(str(number) for number in range(1, max(shape) + 1))
        return replace(matrix, rows=numbers[: shape[0]], columns=numbers[: shape[1]])
    if matrix.rows is not None and matrix.columns is not None:
        return matrix
    given = matrix.rows or matrix.columns or ()
    if shape[0] == shape[1]:
        other = given
    else:
        other = tuple(name for name in given if not _is_unanswered(name))
    if {len(given), len(other)} != {*shape}:
        raise matrix.refusal(matrix.shape_words)
    return replace(matrix, rows=matrix.rows or other, columns=matrix.columns or other)


def _axis_in_file(matrix: _Matrix) -> Axis | None:
    """The axis that the file says its rows are; None where it says nothing."""
    axis_of = {
        f"the corner {quoted(matrix.corner)}": rows_by_corner(matrix.corner),
        "the field “rows”": matrix.rows_are,
        "the place of unanswered items": _rows_by_unanswered(matrix),
    }
    axes = {source: axis for source, axis in axis_of.items() if axis is not None}
    if len(set(axes.values())) > 1:
        defect = listed(
            [f"{source} says that rows are {_CLASSES[axis]}" for source, axis in axes.items()]
        )
        raise matrix.refusal(defect, slug="confusion-orientation", expected="one of the two")
    return next(iter(axes.values()), None)


def _rows_by_unanswered(matrix: _Matrix) -> Axis | None:
    """The axis of the rows by the line of unanswered items, as only predictions can be missing; None without it."""
    rows = dict.fromkeys(matrix.rows or ())
    columns = dict.fromkeys(matrix.columns or ())
    named = {
        "rows": [name for name in rows if name not in columns],
        "columns": [name for name in columns if name not in rows],
    }
    single = named["rows"] + named["columns"]
    if not single:
        return None
    if len(single) == 1 and _is_unanswered(single[0]):
        if named["columns"]:
            return "gold"
        return "predicted"
    parts = [
        f"{listed(list(map(quoted, names)), limit=5)} in {axis} only"
        for axis, names in named.items()
        if names
    ]
    expected = "the same classes on both axes, and perhaps one more column called unanswered, missing or none"
    raise matrix.refusal(f"{listed(parts)}, of {matrix.shape_words}", expected=expected)


def _is_unanswered(name: str) -> bool:
    return fold(name) in _UNANSWERED


def _rows_are(
    matrix: _Matrix, file_axis: Axis | None, option_axis: Axis | None, *, gives_names: bool
) -> Axis:
    """The axis of the rows: as the caller says, as the file does, or gold where both axes have names."""
    expected = None
    if option_axis is not None and file_axis == _OTHER[option_axis]:
        defect = f"rows are {_CLASSES[file_axis]} by the file, and {_CLASSES[option_axis]} by --rows {option_axis}"
        expected = "one of the two"
    elif option_axis or file_axis:
        return option_axis or file_axis or "gold"
    elif not gives_names:
        defect = "nothing says whether rows are gold classes or predicted ones"
    elif not _AXIS_OF.keys().isdisjoint(re.findall("[a-z]+", matrix.corner.casefold())):
        defect = f"the corner {quoted(matrix.corner)} does not say which axis is gold"
    else:
        return "gold"
    raise matrix.refusal(defect, slug="confusion-orientation", expected=expected)


def rows_by_corner(corner: str) -> Axis | None:
    """The axis of the rows by a corner like gold, y_true or gold/predicted; None where it is no such one."""
    if not _PLAIN_CORNER.fullmatch(corner):
        return None
    words = [re.split(r"[ _]+", part) for part in _BETWEEN_AXES.split(corner.casefold())]
    rows, *others = [{_AXIS_OF[word] for word in of_part if word in _AXIS_OF} for of_part in words]
    is_clear = len(rows) == 1 and len(others) < 2 and not any(map(rows.intersection, others))  # noqa: PLR2004 - of columns
    if is_clear:
        return next(iter(rows))
    return None


# Gold in rows, one class in the same place on both axes


def _aligned(matrix: _Matrix) -> tuple[Names, NDArray[np.int64]]:
    """The classes in the order of the rows, which are gold, and their counts, those of unanswered items last."""
    labels = matrix.rows or ()
    columns = matrix.columns or ()
    of_classes = matrix.cells[:, [columns.index(label) for label in labels]]
    others = [number for number, name in enumerate(columns) if name not in labels]
    unanswered = matrix.cells[:, others].sum(axis=1, keepdims=True)
    return labels, np.ascontiguousarray(np.concatenate([of_classes, unanswered], axis=1))


def _check_items(matrix: _Matrix, labels: Names, counts: NDArray[np.int64]) -> None:
    """Refuse counts that cannot be scored."""
    present = [label for label, row in zip(labels, counts, strict=True) if row.any()]
    if not present:
        raise matrix.refusal("every count is 0", slug="gold-one-class")
    if len(present) == 1:
        raise matrix.refusal(
            f"only the class {quoted(present[0])} has gold items", slug="gold-one-class"
        )
    if (n_items := int(counts.sum())) > MOST_ITEMS:
        raise matrix.refusal(f"{n_items:,} items", expected=f"at most {MOST_ITEMS:,} items")
