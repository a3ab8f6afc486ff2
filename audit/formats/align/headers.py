"""Names of columns among the answers: a header that was taken for data, or that stands in the file a second time."""

from collections import Counter
from collections.abc import Container, Iterator
from itertools import compress

from audit.errors import Issue
from audit.formats.settings.column_names import is_label_name
from audit.formats.table.issues import MOST_LINES
from audit.formats.table.parsed import Table
from audit.text import quoted


def headers_in_gold(table: Table, path: str, *, is_declared: bool) -> list[Issue]:
    """The issue for rows of gold that repeat its header, or for a first one that holds the name of its column."""
    rows = list(_repeated(table, is_declared=is_declared))
    first = table.labels[0]
    if not rows and not is_declared and not _has_setting(table) and _names_labels(first):
        rows = [0][: 2 - Counter(table.labels)[first]]
    return _issue(table, rows, path)


def headers_among_answers(table: Table, labels: Container[str], path: str) -> list[Issue]:
    """The issue for rows of a submission, known by position, that are no label and the name of a column of labels.

    As an answer such a row would stand for an item, and hide that another row is missing. A first line that task.toml
    says is no header is an answer of no label.
    """
    strange = {label for label in set(table.labels) if label not in labels and _names_labels(label)}
    if not strange:
        return []
    rows = [row for row, label in enumerate(table.labels) if label in strange and (row or not _has_setting(table))]
    return _issue(table, rows, path)


def _names_labels(label: str) -> bool:
    return bool(label) and is_label_name(label)


def _has_setting(table: Table) -> bool:
    """Whether task.toml could say that there is a header: then it was asked, or the first row was judged."""
    return "header" in table.layout.kind.settings


def _repeated(table: Table, *, is_declared: bool) -> Iterator[int]:
    """The rows that say again what the columns are called."""
    layout = table.layout
    if layout.label_name is None or layout.label_name not in table.labels or layout.rule is not None:
        return
    if table.ids is None:
        is_header = [not is_declared and _bare(label) == _bare(layout.label_name) for label in table.labels]
    else:
        names = "\t".join(layout.names[number] for number in layout.id or ())
        is_header = [
            label == layout.label_name and _bare(item_id) == _bare(names)
            for item_id, label in zip(table.ids, table.labels, strict=True)
        ]
    yield from compress(range(len(is_header)), is_header)


def _bare(text: str) -> str:
    """A cell without the mark that text files of some programs begin with."""
    return text.removeprefix("\ufeff")


def _issue(table: Table, rows: list[int], path: str) -> list[Issue]:
    if not rows:
        return []
    lines = [table.lines[row] for row in rows]
    defect = f"{quoted(table.labels[rows[0]])} is the name of a column, and no label"
    return [Issue.of("header-as-answer", path, defect, lines=lines[:MOST_LINES], count=len(lines))]
