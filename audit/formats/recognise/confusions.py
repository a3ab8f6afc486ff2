"""A file with one confusion matrix → its labels and counts, gold by predicted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audit.domain import LabelSet
from audit.errors import InputError
from audit.formats.files.compressed import unpacked
from audit.formats.files.content import decode
from audit.formats.files.tree import read_alone
from audit.formats.readers.matrix import MOST_ITEMS, Matrix, Names, read_matrix, shape_words
from audit.formats.settings.column_names import fold
from audit.text import listed, quoted

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


def read_confusion(source: Path | bytes, *, rows: Axis | None = None, name: str = "the matrix") -> ConfusionFile:
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
    path = source.name if isinstance(source, Path) else name
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
    r"""The axis of the rows by the corner: its first part names rows, its second columns; None where unclear.

    >>> [rows_by_corner(corner) for corner in ("gold\\predicted", "Predicted / True", "true_label", "class", "")]
    ['gold', 'predicted', 'gold', None, None]
    >>> [rows_by_corner(corner) for corner in ("\\gold", "predicted →", "gold predicted", "gold/gold")]
    ['predicted', None, None, None]
    """
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
