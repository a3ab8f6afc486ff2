"""Where ids of gold repeat: the columns that would tell its rows apart, alone or two together."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import combinations

from audit.errors import Choice, InputError
from audit.formats.files.content import Content
from audit.formats.recognise import columns_beside
from audit.formats.settings.layout import toml_text
from audit.formats.table.parsed import Table

_MOST_COLUMNS = 12  # pairs are tried of so many


def id_choices(
    content: Content, table: Table, *, systems: Collection[str] | None = None
) -> list[Choice]:
    """The columns by which every row of gold has an id of its own; none where its ids do not repeat.

    A column whose cells all differ comes first, then the first pair, those with the present id before others. The
    systems are the columns of a wide file that hold predictions.
    """
    ids = table.ids or ()
    if len(set(ids)) == len(ids):
        return []
    if systems is None:
        section = "[gold]"
    else:
        section = "[wide]"
    columns = dict(_columns_like_ids(content, table, systems or ()))
    for name, cells in columns.items():
        if len(set(cells)) == len(cells):
            return [Choice(section, f"id = {toml_text(name)}", f"{toml_text(name)} is the id")]
    for first, second in combinations(columns, 2):
        cells_of_pair = set(zip(columns[first], columns[second], strict=True))
        if len(cells_of_pair) == len(ids):
            setting = f"id = [{toml_text(first)}, {toml_text(second)}]"
            return [Choice(section, setting, "the two columns together are the id")]
    return []


def _columns_like_ids(
    content: Content, table: Table, systems: Collection[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """The present id's column, then those that no label is read from and whose cells are single words, none empty."""
    layout = table.layout
    if len(layout.id or ()) == 1 and layout.names:
        yield layout.column_name((layout.id or ())[0]), table.ids or ()
    names = [name for name in layout.names if layout.names.count(name) == 1 and name not in systems]
    with suppress(InputError):  # of a column that nobody asked to read
        beside = columns_beside(content, layout, names)
        for name in list(beside)[:_MOST_COLUMNS]:
            if all(len(cell.split()) == 1 for cell in beside[name]):
                yield name, beside[name]
