"""Which column of gold holds the labels: the one whose values the submissions use."""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from audit.domain.tags import NO_TAG, are_tags
from audit.formats.door.tables import FoundTable
from audit.formats.settings.layout import Numbers
from audit.formats.table.columns import GOLD_NAMES, PREDICTION_NAMES, fold

MOST_HAVE = 0.7  # share of rows that use a gold column's values; and of submissions that have it
_FEWEST_FILLED = 0.25  # share of a column's cells that are not empty
_FEWEST_OF_SETS = 3  # columns of 0 and 1 from which on they are the labels of sets
_BINARY = frozenset({"0", "1", "0.0", "1.0"})


@dataclass(frozen=True, slots=True)
class Answered:
    """The columns of one file that use the values of a gold column, the best first; several are rivals."""

    columns: tuple[int, ...]
    is_named: bool = False  # whether the column is called, or placed, as in gold


def label_candidates(gold: FoundTable, ids: Numbers) -> list[int]:
    """The columns of gold with several values that repeat: half as many as items at most."""
    found = []
    for number, values in enumerate(gold.values):
        n_filled = gold.n_rows - gold.columns[number].count("")
        if (
            number not in ids
            and 1 < len(values) < n_filled
            and len(values) <= max(2, n_filled // 2)
        ):
            found.append(number)
    return found


def answered(
    gold: FoundTable, label: int, table: FoundTable, ids: Collection[int], others: Collection[int]
) -> Answered:
    """The columns of a file that answer a gold column; those called as another gold column answer that one."""
    same = same_column(gold, label, table)
    taken = {
        number
        for other in others
        if other != label and (number := same_column(gold, other, table)) is not None
    }
    fitting = [
        number
        for number in range(len(table.columns))
        if number not in ids and number not in taken and uses(gold, label, table, number)
    ]
    if same in fitting and same is not None:
        rivals = [
            number
            for number in fitting
            if number != same and fold(table.names[number]) in PREDICTION_NAMES
        ]
        rivals = [
            number for number in rivals if list(table.columns[number]) != list(table.columns[same])
        ]
        return Answered((same, *rivals), is_named=True)
    predicted = [number for number in fitting if fold(table.names[number]) in PREDICTION_NAMES]
    fitting = (
        predicted
        or [number for number in fitting if fold(table.names[number]) not in GOLD_NAMES]
        or fitting
    )
    varied = [number for number in fitting if len(table.values[number]) > 1]
    return Answered(tuple(_different(table, varied or fitting)))


def _different(table: FoundTable, numbers: Sequence[int]) -> list[int]:
    """The columns without those that repeat an earlier one."""
    kept: list[int] = []
    for number in numbers:
        if not any(list(table.columns[number]) == list(table.columns[other]) for other in kept):
            kept.append(number)
    return kept


def same_column(gold: FoundTable, number: int, table: FoundTable) -> int | None:
    """The column of a file that is called as one of gold, or placed as it where neither file has names."""
    if gold.layout.names:
        if table.layout.names:
            return table.number_of(gold.layout.names[number])
        return None
    is_alike = not table.layout.names and len(table.columns) == len(gold.columns)
    if is_alike:
        return number
    return None


def uses(gold: FoundTable, label: int, table: FoundTable, number: int) -> bool:
    """Whether most of a column's cells that are not empty are values of a gold column."""
    values = gold.values[label]
    column = table.columns[number]
    if are_tags(values):
        return uses_tags(values, table.values[number])
    if not values & table.values[number]:
        return False
    n_filled = len(column) - column.count("")
    if n_filled == 0 or n_filled < _FEWEST_FILLED * len(column):
        return False
    return sum(map((values - {""}).__contains__, column)) >= MOST_HAVE * n_filled


def types_of(tags: Collection[str]) -> set[str]:
    """The types that tags name, whatever the scheme."""
    return {tag.partition("-")[2] for tag in tags if tag not in NO_TAG}


def folded_labels(gold: AbstractSet[str], values: AbstractSet[str]) -> dict[str, str]:
    """The labels of a file that gold has in another case, with gold's; none where case tells gold's own apart."""
    of_case: dict[str, str] = {}
    for label in sorted(gold):
        if of_case.setdefault(label.casefold(), label) != label:
            return {}
    return {
        value: of_case[value.casefold()]
        for value in sorted(values - set(gold))
        if value.casefold() in of_case
    }


def uses_tags(gold: Collection[str], values: Collection[str]) -> bool:
    """Whether values are tags of spans, most of types that gold has."""
    if not are_tags(values):
        return False
    types = {label.casefold() for label in types_of(values)}
    known = {label.casefold() for label in types_of(gold)}
    return len(types & known) >= MOST_HAVE * len(types)


def is_of_tags(gold: FoundTable, label: int) -> bool:
    """Whether a column of gold holds tags of tokens, one of them at least opening a span."""
    return are_tags(gold.values[label]) and any(
        tag[:2] in {"B-", "I-"} for tag in gold.values[label]
    )


def are_sets(gold: FoundTable, labels: Sequence[int]) -> bool:
    """Whether columns are the labels of sets: three at least, each of 0 and 1."""
    return len(labels) >= _FEWEST_OF_SETS and all(
        gold.values[number] <= _BINARY for number in labels
    )
