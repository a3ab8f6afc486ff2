"""The format ``delimited``: an id and a label in columns of a delimited file."""

from collections.abc import Iterable, Iterator

from audit.errors import InputError
from audit.formats.files.content import Content
from audit.formats.settings.layout import BLANKS, Layout, StatedLayout
from audit.formats.table.parsed import Rows, TaskFacts
from audit.formats.table.sample import SAMPLE, Finding, Sample, find_table, under_names
from audit.formats.table.text_rows import possible_layouts, read_rows


def find(content: Content, stated: StatedLayout, facts: TaskFacts) -> Iterator[Finding]:
    """Every possible layout: for each delimiter, with and without a header, and for each choice of columns."""
    for layout in possible_layouts(content, stated):
        yield from _find(content, layout, stated, facts)


def _find(
    content: Content, layout: Layout, stated: StatedLayout, facts: TaskFacts
) -> Iterable[Finding]:
    if layout.delimiter == BLANKS:
        marks = (" ", "\t")
    else:
        marks = (layout.delimiter, *layout.quote)
    if stated.id is not False and not any(mark in content.text for mark in marks):
        return ()  # one column cannot hold ids and labels
    try:
        rows = read_rows(content, layout, None if facts.is_gold else SAMPLE)
    except InputError as refusal:
        # a quoted cell before another delimiter is no mistake by that one
        return refusal.issues
    if layout.delimiter == BLANKS and _has_quoted_column(rows):
        return ()
    return find_table(content.path, layout, rows, stated, facts)


def _has_quoted_column(rows: Rows) -> bool:
    """Whether a column has quotes around every cell: those of a delimiter, since between blanks none are taken off."""
    width, share = rows.usual_width()
    if share < 1:
        return False
    whole = [row for row in rows.rows if len(row) == width]
    for column in zip(*whole, strict=True):
        if all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in column):
            return True
    return False


def tables(content: Content, stated: StatedLayout) -> Iterator[Sample]:
    """The rows below names, by each possible delimiter."""
    each = (
        (layout, read_rows(content, layout, SAMPLE)) for layout in possible_layouts(content, stated)
    )
    return under_names(content.path, each, stated)
