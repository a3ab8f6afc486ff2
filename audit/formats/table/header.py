"""Whether the first row of a file names its columns or is the first item."""

import re
from collections.abc import Sequence
from enum import Enum

from audit.formats.settings.column_names import is_id_name, is_label_name
from audit.formats.table.parsed import TaskFacts

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_DIGIT = re.compile(r"\d")


class FirstRow(Enum):
    """The kinds of a first row."""

    HEADER = "header"
    DATA = "data"
    EITHER = "either"


def first_row(
    id_cell: str | None, label_cell: str, ids: Sequence[str] | None, labels: Sequence[str], facts: TaskFacts
) -> FirstRow:
    """The kind of the first row, judged by its two cells against the rows below and by gold."""
    named_id = _names_ids(id_cell, facts)
    named_label = _names_labels(label_cell, facts)
    if facts.ids is not None and id_cell in facts.ids:
        return FirstRow.EITHER if named_id and named_label else FirstRow.DATA
    if label_cell in (set(labels) if facts.labels is None else facts.labels):
        return FirstRow.EITHER if named_id else FirstRow.DATA
    if named_id:
        return FirstRow.HEADER
    return _of_unknown_cells(id_cell, label_cell, ids, labels, facts, named_label=named_label)


def is_named(id_cell: str | None, label_cell: str, facts: TaskFacts) -> bool:
    """Whether one of the two cells is a usual name of a column of ids or labels."""
    return _names_ids(id_cell, facts) or _names_labels(label_cell, facts)


def _names_ids(cell: str | None, facts: TaskFacts) -> bool:
    return cell is not None and (is_id_name(cell) or cell == facts.id_name)


def _names_labels(cell: str, facts: TaskFacts) -> bool:
    return is_label_name(cell) or cell == facts.label_name


def _of_unknown_cells(  # noqa: PLR0913 - the two cells, the two columns, and facts about them
    id_cell: str | None,
    label_cell: str,
    ids: Sequence[str] | None,
    labels: Sequence[str],
    facts: TaskFacts,
    *,
    named_label: bool,
) -> FirstRow:
    """The verdict on a first row whose id and label occur nowhere else."""
    if not label_cell:
        return FirstRow.DATA
    if id_cell is not None and ids and all(map(_DIGIT.search, ids)):
        like_the_rest = _DIGIT.search(id_cell)
        return (FirstRow.EITHER if named_label else FirstRow.DATA) if like_the_rest else FirstRow.HEADER
    if id_cell is None and not facts.is_gold:
        # By position, a misspelt label that is taken for a header would shift every answer.
        return FirstRow.HEADER if named_label else FirstRow.EITHER
    if named_label or (labels and all(map(_NUMBER.fullmatch, labels)) and not _NUMBER.fullmatch(label_cell)):
        return FirstRow.HEADER
    if facts.labels is not None:
        return FirstRow.HEADER
    # Gold, nothing declared: a class with a single item, or a header. Without it gold needs two classes all the same.
    return FirstRow.EITHER if len(set(labels)) > 1 else FirstRow.DATA
