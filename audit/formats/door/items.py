"""Which rows of a file answer which items of gold: by a column of ids, by two together, or by order.

No name of a column decides: ids are recognised because they are gold's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, repeat

from audit.formats.door.tables import Column, FoundTable
from audit.formats.settings.answers import number_of
from audit.formats.settings.layout import Numbers
from audit.formats.table.columns import is_id_name
from audit.formats.table.parsed import joined, shortened

_HALF = 0.5  # share of gold's ids that a column of ids holds at least
_NEARLY_ALL = 0.9  # the same of two columns together, one of which could be the labels
_PROBED = 60  # cells that are looked up before a whole column is
_MOST_OF_PAIR = 8  # columns of which two may be the id
_LONGEST_ID = 80  # characters of an id on average; longer cells are texts

PATTERNS = {
    "": "",
    "folders": "([^/]+)$",
    "“.0” behind": r"^(.+)\.0$",
    "folders and endings": r"([^/]+)\.[^./]+$",
    "leading zeros": "^0*(.+)$",
}
"""What ids may differ in, with the part of the cell that is compared: in this order, the first that fits."""


@dataclass(frozen=True, slots=True)
class Link:
    """How the rows of a file are matched with gold's: by columns of both, or by order where there are none."""

    gold: Numbers | None
    columns: Numbers | None
    share: float  # of gold's ids that the columns hold; 1 by order


@dataclass(frozen=True, eq=False)
class LinkedTable:
    """One table of a file whose rows are matched with gold's."""

    path: str
    table: FoundTable
    link: Link


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two columns that both hold gold's ids, and pair rows with different items."""

    first: int
    second: int
    n_rows: int


@lru_cache(maxsize=8)
def key_pairs(table: FoundTable) -> list[Numbers]:
    """The pairs of columns that tell items apart together, where no column does alone."""
    if table.keys or len(table.columns) > _MOST_OF_PAIR:
        return []
    varied = [number for number, values in enumerate(table.values) if len(values) > 1]
    pairs = combinations(varied, 2) if len(varied) > 2 else ()  # noqa: PLR2004 - a third one holds the labels
    return [pair for pair in pairs if len(set(_cells(table, pair))) == table.n_rows]


def _cells(table: FoundTable, numbers: Numbers, pattern: str = "") -> Column:
    """The ids that columns hold, the parts of those of several joined."""
    cells = joined([table.columns[number] for number in numbers])
    return shortened(cells, pattern or None)


@lru_cache(maxsize=8)
def _gold_ids(gold: FoundTable, numbers: Numbers, pattern: str) -> frozenset[str]:
    """Gold's ids by a pattern; none where the pattern makes two of them one."""
    cells = _cells(gold, numbers, pattern)
    ids = frozenset(cells)
    if len(ids) == len(cells):
        return ids
    return frozenset()


def _is_likely(cells: Column, ids: frozenset[str], pattern: str) -> bool:
    """Whether a few cells from all over a column, one at least, are ids of gold."""
    step = max(1, len(cells) // _PROBED)
    return any(cell in ids for cell in shortened(cells[::step], pattern or None))


def links_by_id(gold: FoundTable, table: FoundTable, pattern: str) -> list[Link]:
    """Each way to match a file's rows with gold's by a column, or by two columns together; the fullest first."""
    links = []
    for gold_column in gold.keys:
        ids = _gold_ids(gold, (gold_column,), pattern)
        for column in range(len(table.columns)):
            if not _is_likely(table.columns[column], ids, pattern):
                continue
            share = len(ids.intersection(_cells(table, (column,), pattern))) / len(ids)
            if share >= _HALF:
                links.append(Link((gold_column,), (column,), share))
    if not links and not pattern and 1 < len(table.columns) <= _MOST_OF_PAIR:
        links = list(_links_by_pair(gold, table))
    return sorted(links, key=lambda link: -link.share)


def _links_by_pair(gold: FoundTable, table: FoundTable) -> list[Link]:
    links = []
    for pair in key_pairs(gold):
        ids = _gold_ids(gold, pair, "")
        fitting = []
        for gold_column in pair:
            known = gold.values[gold_column]
            fitting.append(
                [
                    number
                    for number, values in enumerate(table.values)
                    if 2 * len(values & known) > len(known)
                ]
            )
        for first in fitting[0]:
            for second in fitting[1]:
                if first == second:
                    continue
                share = len(ids.intersection(_cells(table, (first, second)))) / len(ids)
                if share >= _NEARLY_ALL:
                    links.append(Link(pair, (first, second), share))
    return links


def conflict_of(
    gold: FoundTable, table: FoundTable, chosen: Link, links: Sequence[Link], pattern: str
) -> Conflict | None:
    """Another column that pairs rows with other items than the chosen one does, and has as many columns on its side.

    Columns that agree, such as the id and the title of an item, outvote one that differs; None where all agree.
    """
    if chosen.columns is None or chosen.gold is None or len(chosen.columns) > 1:
        return None
    items = {link: _items(gold, table, link, pattern) for link in links if link.columns is not None}
    of_chosen = items[chosen]
    agreeing = [link for link in items if not _n_differing(of_chosen, items[link])]
    for link, of_link in items.items():
        n_rows = _n_differing(of_chosen, of_link)
        if not n_rows or link.columns in {None, chosen.columns}:
            continue
        with_link = [other for other in items if not _n_differing(of_link, items[other])]
        if _n_columns(agreeing) <= _n_columns(with_link) and link.columns is not None:
            return Conflict(chosen.columns[0], link.columns[0], n_rows)
    return None


def _items(gold: FoundTable, table: FoundTable, link: Link, pattern: str) -> list[int]:
    """The place in gold of each row's item, by a link; -1 where gold has no such id."""
    item_of = _positions(gold, link.gold or (), pattern)
    return list(map(item_of.get, _cells(table, link.columns or (), pattern), repeat(-1)))


def _n_differing(first: Sequence[int], second: Sequence[int]) -> int:
    """The number of rows whose items, where both are known, are not the same."""
    if first == second:  # as almost always: no row is looked at
        return 0
    return sum(
        one != other for one, other in zip(first, second, strict=True) if -1 not in {one, other}
    )


def _n_columns(links: Sequence[Link]) -> int:
    return len({link.columns for link in links})


@lru_cache(maxsize=8)
def _positions(gold: FoundTable, numbers: Numbers, pattern: str) -> dict[str, int]:
    return {cell: place for place, cell in enumerate(_cells(gold, numbers, pattern))}


# By order


def other_ids(gold: FoundTable, table: FoundTable) -> int | None:
    """A column of a file that holds ids, but not gold's; None where there is none.

    Numbers of rows, scores and texts are no ids.
    """
    gold_has_ids = any(_look_like_ids(gold, number) for number in gold.keys)
    for number in table.keys:
        if not _look_like_ids(table, number) or _counts_rows(table.columns[number]):
            continue
        if gold_has_ids or (table.layout.names and is_id_name(table.layout.names[number])):
            return number
    return None


def _look_like_ids(table: FoundTable, number: int) -> bool:
    column = table.columns[number]
    sample = column[:200]
    is_short = sum(map(len, sample)) <= _LONGEST_ID * len(sample)
    are_scores = any("." in cell and number_of(cell) is not None for cell in sample)
    are_texts = 2 * sum(cell.count(" ") > 1 for cell in sample) > len(sample)
    return is_short and not are_scores and not are_texts


def _counts_rows(column: Column) -> bool:
    """Whether cells are the numbers from 0 or from 1 on, in order."""
    return any(
        all(cell == str(place) for place, cell in enumerate(column, start)) for start in (0, 1)
    )


def differing_text(gold: FoundTable, table: FoundTable, labels: set[str]) -> str | None:
    """A column of the same name as gold's, no label, that tells other rows; None where none does."""
    for name in gold.layout.names:
        first = gold.number_of(name)
        second = table.number_of(name)
        if (
            name in labels
            or first is None
            or second is None
            or len(gold.values[first]) * 2 < gold.n_rows
        ):
            continue
        same = sum(
            one == other
            for one, other in zip(gold.columns[first], table.columns[second], strict=False)
        )
        shared = len(gold.values[first] & table.values[second])
        if shared * 2 >= len(gold.values[first]) and same * 2 < gold.n_rows:
            return name
    return None
