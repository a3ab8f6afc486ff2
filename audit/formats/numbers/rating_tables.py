"""A table of which a column holds numbers: gold's, or a team's predictions of them."""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from audit.domain.arrays import Floats
from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.recognise import named_columns, read_table
from audit.formats.settings.answers import number_of
from audit.formats.settings.layout import BLANKS, StatedLayout, toml_text
from audit.formats.table.columns import fold, is_id_name, is_label_name
from audit.formats.table.parsed import Table, TaskFacts, counted
from audit.formats.table.text_rows import small_table
from audit.text import listed, quoted

_DELIMITERS = ("\t", ",", ";", BLANKS)
NO_NUMBER = frozenset({"", "none", "nan", "na", "n/a", "null", "-"})
"""What a cell says, folded, that has no number."""
_NUMBER_NAMES = frozenset(
    {
        "score",
        "scores",
        "rating",
        "ratings",
        "value",
        "similarity",
        "number",
        "target",
        "y",
        "mean",
        "z_mean",
    }
)
_SHOWN = 3


@dataclass(frozen=True, eq=False)
class _Columns:
    """The columns of a file, with their names where it has a header."""

    names: tuple[str, ...]
    cells: Sequence[Sequence[str]]
    stated: StatedLayout  # which hold for all of them

    @property
    def of_numbers(self) -> list[int]:
        """The columns that hold numbers and nothing else."""
        return [place for place, cells in enumerate(self.cells) if are_numbers(cells)]

    def keys_of(self, place: int) -> str | int:
        """A column as task.toml names it."""
        if self.names and self.names.count(self.names[place]) == 1:
            return self.names[place]
        return place + 1


def are_numbers(cells: Sequence[str]) -> bool:
    """Whether cells are numbers or empty, and some are numbers.

    >>> are_numbers(["1.5", "", "-2e3"]), are_numbers(["1", "two"]), are_numbers([""])
    (True, False, False)
    """
    given = [cell for cell in cells if cell.strip().casefold() not in NO_NUMBER]
    return bool(given) and all(number_of(cell) is not None for cell in given)


def number_table(content: Content, stated: StatedLayout, facts: TaskFacts) -> Table:
    """The ids and numbers of a file, the numbers as text in place of labels.

    What columns are is told as it is of labels; where that does not tell them, the column of numbers is the only one,
    or the one that is called so.
    """
    table, refusal = None, InputError([])
    try:
        table = read_table(content, stated, facts)
    except InputError as error:
        refusal = error
    if table is not None and (stated.label is not None or are_numbers(table.labels)):
        return table
    found = None
    if stated.label is None:
        found = _by_numbers(content, stated, facts)
    if found is not None:
        return read_table(content, found, facts)
    if table is None:
        raise refusal
    return table


def _by_numbers(content: Content, stated: StatedLayout, facts: TaskFacts) -> StatedLayout | None:
    """The settings that name the columns of ids and numbers; None where the file does not tell them."""
    for columns in _layouts(content, stated):
        number = _number_place(content, columns, stated, facts)
        if number is None:
            continue
        found = replace(columns.stated, label=(columns.keys_of(number),))
        if stated.id is not None:
            return found
        place = _id_place(columns, number, facts)
        if place is not None:
            return replace(found, id=(columns.keys_of(place),))
        if len(columns.cells) > 1:
            return replace(found, id=False)
        return found
    return None


def _layouts(content: Content, stated: StatedLayout) -> Iterator[_Columns]:
    """The columns of a file, by each way to read it that gives any of numbers."""
    for reader in named_columns(content, stated).values():
        with suppress(InputError):
            for sample in reader.tables(content, stated):
                columns = _Columns(sample.grid.names, sample.grid.columns, stated)
                is_header = not any(number_of(name) is not None for name in columns.names)
                if len(columns.cells) > 1 and is_header and columns.of_numbers:
                    yield columns
    if content.binary_format is None and stated.header is not True:
        yield from _without_names(content, stated)


def _without_names(content: Content, stated: StatedLayout) -> Iterator[_Columns]:
    """The columns of a text without a header; of one with a single column also below a header."""
    with suppress(InputError):
        rows = small_table(content, _DELIMITERS).rows
        cells = [list(column) for column in zip(*rows, strict=True)]
        if len(cells) > 1:
            yield _Columns((), cells, replace(stated, header=False))
            return
        has_header = bool(cells[0]) and number_of(cells[0][0]) is None
        if are_numbers(cells[0][has_header:]):
            yield _Columns(
                (), [cells[0][has_header:]], replace(stated, format="lines", header=has_header)
            )


def _number_place(
    content: Content, columns: _Columns, stated: StatedLayout, facts: TaskFacts
) -> int | None:
    """The column of the numbers; an error that asks where there are several."""
    places = [
        place for place in columns.of_numbers if not _may_be_id(columns, place, stated, facts)
    ]
    names = columns.names
    if names:
        known = [place for place in places if names[place] == facts.label_name]
        called = [place for place in places if _is_called(names[place])]
        for few in (known, called):
            if len(few) == 1:
                return few[0]
    if len(places) > 1:
        raise InputError([_several(content, columns, places, facts)])
    if not places:
        return None
    return places[0]


def _is_called(name: str) -> bool:
    return fold(name) in _NUMBER_NAMES or is_label_name(name)


def _several(content: Content, columns: _Columns, places: Sequence[int], facts: TaskFacts) -> Issue:
    """The issue for several columns of numbers."""
    shown = [columns.keys_of(place) for place in places]
    words = listed([quoted(str(each), 40) for each in shown], limit=6)
    ways = [
        f"label = {each if isinstance(each, int) else toml_text(each)}" for each in shown[:_SHOWN]
    ]
    remedy = f"name it: --label {shown[0]}; or write into task.toml, under {facts.section}: {listed(ways, 'or')}"
    defect = f"the columns {words} hold numbers: which is the one that is scored?"
    return Issue.of("ambiguous-reading", content.path, defect, expected="one column", remedy=remedy)


def _may_be_id(columns: _Columns, place: int, stated: StatedLayout, facts: TaskFacts) -> bool:
    """Whether a column of numbers is rather that of ids: by what is said, by its name, or by gold's ids."""
    if stated.id:
        return columns.keys_of(place) in stated.id or place + 1 in stated.id
    if columns.names and is_id_name(columns.names[place]):
        return True
    if facts.ids:
        return 2 * sum(cell in facts.ids for cell in columns.cells[place]) > len(
            columns.cells[place]
        )
    return False


def _id_place(columns: _Columns, number: int, facts: TaskFacts) -> int | None:
    """The column of ids: gold's, or called so, or text of which no two cells are alike."""
    others = [place for place in range(len(columns.cells)) if place != number]
    if facts.ids is not None:
        known = [
            place for place in others if any(cell in facts.ids for cell in columns.cells[place])
        ]
        return known[0] if len(known) == 1 else None
    if facts.n_items is not None:
        return None  # gold is known by position
    named = [place for place in others if columns.names and is_id_name(columns.names[place])]
    if len(named) == 1:
        return named[0]
    unique = []
    for place in others:
        cells = columns.cells[place]
        if not are_numbers(cells) and len(set(cells)) == len(cells):
            unique.append(place)
    return unique[0] if unique and (not columns.names or len(unique) == 1) else None


def numbers_of(table: Table) -> tuple[Floats, list[Issue]]:
    """The number of each row, NaN where it has none, and an issue for cells that are none."""
    values = np.full(len(table.labels), math.nan)
    odd = []
    for row, cell in enumerate(table.labels):
        if cell.strip().casefold() in NO_NUMBER:
            continue
        value = number_of(cell)
        if value is None:
            odd.append(row)
        else:
            values[row] = value
    values += 0.0  # no negative zero
    if not odd:
        return values, []
    shown = listed(
        [quoted(cell, 30) for cell in dict.fromkeys(table.labels[row] for row in odd)], limit=_SHOWN
    )
    defect = (
        f"{counted(len(odd), table.layout.kind.answer)} with {shown} where a number is expected"
    )
    return values, [table.issue("no-number", defect, odd)]
