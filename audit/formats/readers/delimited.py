"""The format ``delimited``: an id and a label in columns of a delimited file."""

from collections.abc import Iterable, Iterator

from audit.errors import InputError
from audit.formats.files.content import Content
from audit.formats.settings.layout import BLANKS, Keys, Layout
from audit.formats.table.parsed import Rows, TaskFacts
from audit.formats.table.sample import SAMPLE, Finding, Sample, find_table, under_names
from audit.formats.table.text_rows import Dialect, possible_dialects, read_rows


def find(content: Content, keys: Keys, facts: TaskFacts) -> Iterator[Finding]:
    """Every possible layout: for each delimiter, with and without a header, and for each choice of columns."""
    for dialect in possible_dialects(content, keys):
        yield from _find(content, dialect, keys, facts)


def _base_layout(dialect: Dialect, keys: Keys) -> Layout:
    """A layout by a dialect, before a header and columns are decided."""
    skip = keys.skip or 0
    n_above = dialect.skip - skip
    return Layout(
        "delimited",
        delimiter=dialect.delimiter,
        comment=dialect.comment,
        quote=dialect.quote,
        skip=skip,
        n_above=n_above,
        stated=keys.delimiter is not None and not n_above,
    )


def _find(content: Content, dialect: Dialect, keys: Keys, facts: TaskFacts) -> Iterable[Finding]:
    marks = (" ", "\t") if dialect.delimiter == BLANKS else (dialect.delimiter, *dialect.quote)
    if keys.id is not False and not any(mark in content.text for mark in marks):
        return ()  # one column cannot hold ids and labels
    try:
        rows = read_rows(content, dialect, None if facts.is_gold else SAMPLE)
    except InputError as refusal:  # a quoted cell before another delimiter is no mistake by that one
        return refusal.issues
    if dialect.delimiter == BLANKS and _has_quoted_column(rows):
        return ()
    return find_table(content.path, _base_layout(dialect, keys), rows, keys, facts)


def _has_quoted_column(rows: Rows) -> bool:
    """Whether a column has quotes around every cell: those of a delimiter, since between blanks none are taken off."""
    width, share = rows.usual_width()
    whole = [row for row in rows.rows if len(row) == width]
    columns = zip(*whole, strict=True) if share == 1.0 else ()
    return any(all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in column) for column in columns)


def tables(content: Content, keys: Keys) -> Iterator[Sample]:
    """The rows below names, by each possible delimiter."""
    for dialect in possible_dialects(content, keys):
        table = under_names(content.path, _base_layout(dialect, keys), read_rows(content, dialect, SAMPLE), keys)
        if table is not None:
            yield table
