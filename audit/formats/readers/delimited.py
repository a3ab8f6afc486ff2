"""The format ``delimited``: an id and a label in columns of a delimited file."""

from collections.abc import Iterable, Iterator

from audit.errors import InputError
from audit.formats.files.content import Content
from audit.formats.settings.layout import BLANKS, Keys, Layout
from audit.formats.table.parsed import Rows, TaskFacts
from audit.formats.table.sample import SAMPLE, Finding, Sample, find_table, under_names
from audit.formats.table.text_rows import possible_layouts, read_rows


def find(content: Content, keys: Keys, facts: TaskFacts) -> Iterator[Finding]:
    """Every possible layout: for each delimiter, with and without a header, and for each choice of columns."""
    for layout in possible_layouts(content, keys):
        yield from _find(content, layout, keys, facts)


def _find(content: Content, layout: Layout, keys: Keys, facts: TaskFacts) -> Iterable[Finding]:
    if layout.delimiter == BLANKS:
        marks = (" ", "\t")
    else:
        marks = (layout.delimiter, *layout.quote)
    if keys.id is not False and not any(mark in content.text for mark in marks):
        return ()  # one column cannot hold ids and labels
    try:
        rows = read_rows(content, layout, None if facts.is_gold else SAMPLE)
    except InputError as refusal:
        # a quoted cell before another delimiter is no mistake by that one
        return refusal.issues
    if layout.delimiter == BLANKS and _has_quoted_column(rows):
        return ()
    return find_table(content.path, layout, rows, keys, facts)


def _has_quoted_column(rows: Rows) -> bool:
    """Whether a column has quotes around every cell: those of a delimiter, since between blanks none are taken off."""
    width, share = rows.usual_width()
    whole = [row for row in rows.rows if len(row) == width]
    columns = zip(*whole, strict=True) if share == 1.0 else ()
    return any(
        all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in column) for column in columns
    )


def tables(content: Content, keys: Keys) -> Iterator[Sample]:
    """The rows below names, by each possible delimiter."""
    each = (
        (layout, read_rows(content, layout, SAMPLE)) for layout in possible_layouts(content, keys)
    )
    return under_names(content.path, each, keys)
