"""Which column holds the ids and which the labels: by task.toml, by name, by content, in this order."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from audit.errors import InputError, Issue
from audit.formats.issues import cells
from audit.formats.names import GOLD_NAMES, ID_NAMES, LABEL_NAMES, PREDICTION_NAMES, WIDE_ID_NAMES, fold
from audit.formats.reading import Keys, Known
from audit.text import did_you_mean, listed, quoted

Column = Sequence[str]
Pair = tuple[int | None, int]

_MOSTLY_UNIQUE = 0.9
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class Grid:
    """The columns of a sample, and their names where there is a header."""

    columns: Sequence[Column]
    names: tuple[str, ...] = ()


def fits_labels(column: Column, known: Known) -> bool:
    """Whether most of the cells that are not empty are labels; for undeclared gold, whether they repeat."""
    given = [cell for cell in column if cell]
    if known.labels is None:
        return len(given) > 1 and len(set(given)) <= _MOSTLY * len(given)
    return sum(cell in known.labels for cell in given) > _MOSTLY * len(given)


def fits_ids(column: Column, known: Known) -> bool:
    """Whether most of the cells are different gold ids; for gold, whether nearly all differ."""
    different = set(column)
    if known.ids is None:
        return len(different) >= _MOSTLY_UNIQUE * len(column)
    return len(different & known.ids.keys()) > _MOSTLY * len(column)


def fits(grid: Grid, pair: Pair, known: Known) -> bool:
    """Whether the content of both columns is what it should be."""
    item_id, label = pair
    ids_fit = item_id is None or fits_ids(grid.columns[item_id], known)
    return ids_fit and fits_labels(grid.columns[label], known)


def pairs(grid: Grid, keys: Keys, known: Known, path: str) -> list[Pair]:
    """Every choice of an id and a label column that task.toml, the names or the content allow.

    Raises
    ------
    InputError
        no-such-column, where task.toml names a column that is not there.
    """
    ids = _id_columns(grid, keys, known, path)
    labels = _label_columns(grid, keys, known, path, ids)
    found = [(item_id, label) for item_id, label in product(ids, labels) if item_id != label]
    return found or _by_elimination(grid, ids, labels, known)


def _label_columns(grid: Grid, keys: Keys, known: Known, path: str, ids: Sequence[int | None]) -> list[int]:
    if keys.label is not None:
        return [stated_column(keys.label, "label", grid, path)]
    fitting = [number for number, column in enumerate(grid.columns) if fits_labels(column, known)]
    chosen = _named_before_fitting(_named_labels(grid, known), fitting, sure=known.labels is not None)
    return chosen if known.is_gold else list(dict.fromkeys([*chosen, *_rivals(grid, fitting, ids, known)]))


def _rivals(grid: Grid, fitting: Sequence[int], ids: Sequence[int | None], known: Known) -> list[int]:
    """Columns of a submission that can be its answers, whatever the names choose: one of them may repeat gold.

    A column that is called a prediction is one even where its labels are spelt in another way than gold's. Beside it a
    column that is called gold is no rival (y_true and y_pred say which is which), unless gold's own file calls it so.
    """
    folded = list(map(fold, grid.names))
    predictions = [number for number, name in enumerate(folded) if name in PREDICTION_NAMES]
    no_labels = {*ids, *(number for number, name in enumerate(folded) if name in WIDE_ID_NAMES)}
    if predictions:
        gold = (number for number, name in enumerate(folded) if name in GOLD_NAMES)
        no_labels.update(number for number in gold if grid.names[number] != known.label_name)
    return [number for number in (*fitting, *predictions) if number not in no_labels]


def _named_before_fitting(named: list[int], fitting: list[int], *, sure: bool) -> list[int]:
    """The columns of the right name, if their content is right too; a name alone loses against content that is sure."""
    both = [number for number in named if number in fitting]
    return both or (fitting if sure and fitting else named or fitting)


def _named_labels(grid: Grid, known: Known) -> list[int]:
    """Columns whose name says label: gold's own name, or else the first kind of name that occurs."""
    if known.label_name is not None and known.label_name in grid.names:
        return [grid.names.index(known.label_name)]
    folded = list(map(fold, grid.names))
    predictions = [number for number, name in enumerate(folded) if name in PREDICTION_NAMES]
    labels = [number for number, name in enumerate(folded) if name in LABEL_NAMES]
    gold = [number for number, name in enumerate(folded) if name in GOLD_NAMES]
    in_order = (gold, labels, predictions) if known.is_gold else (predictions + labels, gold)
    return next((tier for tier in in_order if tier), [])


def _id_columns(grid: Grid, keys: Keys, known: Known, path: str) -> list[int | None]:
    if keys.id is False or (known.ids is None and not known.is_gold):
        return [None]
    if keys.id is not None:
        return [stated_column(keys.id, "id", grid, path)]
    if known.id_name is not None and known.id_name in grid.names:
        return [grid.names.index(known.id_name)]
    fitting = [number for number, column in enumerate(grid.columns) if fits_ids(column, known)]
    named = [number for number, name in enumerate(map(fold, grid.names)) if name in ID_NAMES]
    return list(_named_before_fitting(named, fitting, sure=known.ids is not None))


def _by_elimination(grid: Grid, ids: Sequence[int | None], labels: Sequence[int], known: Known) -> list[Pair]:
    """With two columns, one that is known leaves the other."""
    if len(grid.columns) != 2 or None in ids:  # noqa: PLR2004 - the other one of two
        return []
    if len(labels) == 1 and not ids:
        other = 1 - labels[0]
        return [(other, labels[0])] if not known.is_gold or _mostly_unique(grid.columns[other]) else []
    if len(ids) == 1 and not labels and ids[0] is not None:
        return [(ids[0], 1 - ids[0])]
    both_ways: list[Pair] = [(0, 1), (1, 0)]
    return both_ways if known.is_gold and len(ids) == 2 else []  # noqa: PLR2004 - both columns could be ids


def _mostly_unique(column: Column) -> bool:
    return len(set(column)) > _MOSTLY * len(column)


def unknown_columns(grid: Grid, known: Known, path: str) -> Issue:
    """The issue for a file with columns of which none, or no two, can be told."""
    ids = [number for number, column in enumerate(grid.columns) if fits_ids(column, known)]
    labels = [number for number, column in enumerate(grid.columns) if fits_labels(column, known)]
    told = [
        f"{'no column' if not ids else _shown(ids, grid)} can hold {'the ids' if known.is_gold else 'gold ids'}",
        f"{'no column' if not labels else _shown(labels, grid)} can hold labels",
    ]
    first = ", ".join(quoted(column[0], 30) for column in grid.columns[:6])
    found = f"{cells(len(grid.columns))} ({first}): {listed(told)}"
    slug = "no-such-column" if grid.names else "unrecognised"
    remedy = f"name them in task.toml, under {known.section}: id = …, label = … (a name, or a number from 1)"
    return Issue.of(slug, path, found, remedy=remedy)


def _shown(numbers: Sequence[int], grid: Grid) -> str:
    names = [quoted(grid.names[number]) if grid.names else str(number + 1) for number in numbers]
    return f"{'column' if len(names) == 1 else 'columns'} {listed(names, 'or', limit=4)}"


def stated_column(stated: str | int, key: str, grid: Grid, path: str) -> int:
    """The column that task.toml names, counted from 0.

    Raises
    ------
    InputError
        no-such-column.
    """
    width = len(grid.columns)
    if isinstance(stated, int):
        if stated <= width:
            return stated - 1
        raise InputError([Issue.of("no-such-column", path, f"{key} = {stated}, but there are {cells(width)}")])
    if grid.names.count(stated) == 1:
        return grid.names.index(stated)
    raise InputError([Issue.of("no-such-column", path, _not_there(stated, key, grid))])


def _not_there(stated: str, key: str, grid: Grid) -> str:
    if not grid.names:
        return f"{key} = {quoted(stated)}, but the file has no header"
    if stated in grid.names:
        return f"{key} = {quoted(stated)}, but {grid.names.count(stated)} columns have this name"
    there = listed([quoted(name) for name in grid.names], limit=8)
    return f"{key} = {quoted(stated)}, but the columns are {there}.{did_you_mean(stated, grid.names)}"
