"""Which column of gold is scored, in the light of the submissions, and which others hold labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.errors import UsageError
from audit.formats.door.items import LinkedTable
from audit.formats.door.labels import (
    MOST_HAVE,
    answered,
    are_sets,
    is_of_tags,
    label_candidates,
    same_column,
)
from audit.formats.door.said import Said
from audit.formats.door.tables import FoundTable
from audit.formats.settings.layout import Numbers
from audit.text import listed, quoted

_MOST_CLASSES = 50  # of a further column of labels
_MOST_WAYS = 4  # columns that a question names

Users = Mapping[int, frozenset[str]]
"""The files that use the values of a column of gold, by the column."""


@dataclass(frozen=True, slots=True)
class OtherLabels:
    """A column of gold that holds labels and is not scored, with the files that answer it."""

    name: str
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class GoldLabels:
    """The columns of gold that are scored, and as what; none where no column holds labels."""

    columns: Numbers
    kind: str  # labels, sets or spans
    others: tuple[OtherLabels, ...] = ()


def gold_labels(
    gold: FoundTable, ids: Numbers, linked: Sequence[LinkedTable], said: Said
) -> GoldLabels:
    """The columns of labels that are stated; else those whose values most submissions use.

    Raises
    ------
    UsageError
        Where gold lacks what is stated, or where several columns may be meant.
    """
    stated = said.columns("label")
    if stated is not None:
        return _stated_labels(gold, stated[0], said)
    candidates = _candidates(gold, ids, said)
    users = {number: _users(gold, number, linked, candidates) for number in candidates}
    scored = _used_by_most(gold, users, linked)
    if len(scored) > 1 and said.kind in {None, "sets"} and are_sets(gold, scored):
        return GoldLabels(tuple(scored), "sets")
    if not scored:
        scored = _used_by_any(users)
    if not scored and len(candidates) == 1:
        scored = candidates  # what is wrong with the labels of the submissions, their reader says
    if not scored:
        return GoldLabels((), said.kind or "labels")
    if len(scored) > 1:
        raise UsageError(_question(gold, scored))
    columns = (scored[0],)
    others = _other_labels(gold, columns, users, linked)
    return GoldLabels(columns, said.kind or kind_of(gold, columns), others)


def _stated_labels(gold: FoundTable, names: Sequence[str], said: Said) -> GoldLabels:
    """The columns that --label names."""
    numbers = gold.numbers_of(names)
    if numbers is None:
        label = quoted(said.label or "", 60)
        raise UsageError(f"--label {label}: gold has no such column. {columns_of(gold)}")
    return GoldLabels(numbers, said.kind or kind_of(gold, numbers))


def columns_of(gold: FoundTable) -> str:
    """The names of gold's columns, as a sentence."""
    names = listed([quoted(name, 30) for name in gold.names], limit=6)
    return f"Its columns are {names}."


def kind_of(gold: FoundTable, labels: Numbers) -> str:
    """What is scored where nobody says it: several columns are sets, tags of tokens are spans."""
    if len(labels) > 1:
        return "sets"
    if gold.layout.format == "tokens" and is_of_tags(gold, labels[0]):
        return "spans"
    return "labels"


def _candidates(gold: FoundTable, ids: Numbers, said: Said) -> list[int]:
    """The columns that may hold labels; where some hold tags, those alone unless labels are stated."""
    candidates = label_candidates(gold, ids)
    tags = [number for number in candidates if is_of_tags(gold, number)]
    if tags and said.kind != "labels":
        return tags
    return candidates


def _users(
    gold: FoundTable, label: int, linked: Sequence[LinkedTable], candidates: Sequence[int]
) -> frozenset[str]:
    """The files with a column that uses the values of one of gold."""
    paths = set()
    for each in linked:
        used = each.link.columns or ()
        if answered(gold, label, each.table, used, candidates).columns:
            paths.add(each.path)
    return frozenset(paths)


def _used_by_most(gold: FoundTable, users: Users, linked: Sequence[LinkedTable]) -> list[int]:
    """The columns that most files answer: no input that all repeat; best those called as in gold."""
    n_files = len({each.path for each in linked})
    full = [
        number for number, paths in users.items() if paths and len(paths) >= MOST_HAVE * n_files
    ]
    if len(full) > 1:
        full = [number for number in full if not _is_input(gold, number, linked)] or full
    named = [number for number in full if _n_named(gold, number, linked) > 1]
    return named or full


def _used_by_any(users: Users) -> list[int]:
    """The columns that the most files answer, be they few."""
    most = max(map(len, users.values()), default=0)
    return [number for number, paths in users.items() if paths and len(paths) == most]


def _question(gold: FoundTable, columns: Sequence[int]) -> str:
    """Which of several columns is scored, with the option for each."""
    names = listed([quoted(gold.names[number], 30) for number in columns], limit=_MOST_WAYS)
    ways = " · or · ".join(f"--label '{gold.names[number]}'" for number in columns[:_MOST_WAYS])
    return f"{names} of gold all hold values that the submissions use. Which is scored? {ways}"


def _other_labels(
    gold: FoundTable, scored: Numbers, users: Users, linked: Sequence[LinkedTable]
) -> tuple[OtherLabels, ...]:
    """The other columns with names that some files answer and that are no inputs."""
    if not gold.layout.names:
        return ()
    found = []
    for number, paths in users.items():
        is_of_classes = len(gold.values[number]) <= _MOST_CLASSES
        if paths and number not in scored and is_of_classes and not _is_input(gold, number, linked):
            found.append(OtherLabels(gold.names[number], paths))
    return tuple(found)


def _n_named(gold: FoundTable, label: int, linked: Sequence[LinkedTable]) -> int:
    """How many files have a column that is called as one of gold."""
    if not gold.layout.names:
        return 0
    return len({each.path for each in linked if same_column(gold, label, each.table) is not None})


def _is_input(gold: FoundTable, label: int, linked: Sequence[LinkedTable]) -> bool:
    """Whether all of several files repeat a column of gold: it was given to the teams, not asked."""
    if len({each.path for each in linked}) < 2:  # noqa: PLR2004 - several
        return False
    for each in linked:
        number = same_column(gold, label, each.table)
        if number is None or not _repeats(gold, label, each, number):
            return False
    return True


def _repeats(gold: FoundTable, label: int, linked: LinkedTable, number: int) -> bool:
    """Whether a column of a file says of every item what gold's says."""
    link, column = linked.link, linked.table.columns[number]
    if link.columns is None or link.gold is None:
        return list(column) == list(gold.columns[label])
    items = zip(*(gold.columns[place] for place in link.gold), strict=True)
    label_of = dict(zip(items, gold.columns[label], strict=True))
    rows = zip(*(linked.table.columns[place] for place in link.columns), strict=True)
    return all(label_of.get(row, cell) == cell for row, cell in zip(rows, column, strict=True))
