"""One wide file: a column with gold, a column for each system, and perhaps one with ids."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit.errors import InputError, Issue
from audit.formats.candidate import SAMPLE
from audit.formats.columns import Grid, stated_column
from audit.formats.content import Content
from audit.formats.frame import table_of
from audit.formats.limits import MOST_COLUMNS
from audit.formats.names import WIDE_GOLD_NAMES, WIDE_ID_NAMES, fold
from audit.formats.reading import SILENT, Numbers, Reading, Table, delimiter_name, delimiter_words, toml_text
from audit.formats.rows import Dialect, Rows, possible_dialects, read_body, read_rows, shown_cells
from audit.formats.settings import Wide
from audit.text import listed, quoted

SILENT_WIDE = Wide()
_MOSTLY = 0.5


class UndecidedError(InputError):
    """A wide file with a choice that task.toml has to make.

    Parameters
    ----------
    path : str
        The file.
    found : str
        What has to be decided.
    choices : sequence of str
        The lines for [wide], of which one decides.
    """

    def __init__(self, path: str, found: str, choices: Sequence[str]) -> None:
        self.choices = tuple(choices)
        remedy = f"write into task.toml, under [wide]: {listed(self.choices, 'or')}"
        super().__init__([Issue.of("ambiguous-reading", path, f"as a wide file: {found}", lines=[1], remedy=remedy)])


@dataclass(frozen=True, slots=True)
class WideTable:
    """Gold and systems of a wide file.

    Parameters
    ----------
    gold : Table
        The gold column, with the issues of the whole file.
    systems : mapping of str to Table
        Each system's column by its name.
    """

    gold: Table
    systems: Mapping[str, Table]

    def __str__(self) -> str:
        """The reading in words, for the list of assumptions."""
        reading = self.gold.reading
        gold = quoted(reading.label_name or "")
        ids = [quoted(reading.names[number]) for number in reading.id or ()]
        holds = "column {} holds the ids" if len(ids) == 1 else "columns {} hold the ids"
        items = holds.format(listed(ids)) if ids else "items are known by position"
        systems = listed([quoted(name) for name in self.systems], limit=8)
        how = f"{delimiter_words(reading.delimiter)}, header"
        return f"{how}; column {gold} holds gold, {items}, and the systems are {systems}"


def read_wide(content: Content, wide: Wide = SILENT_WIDE) -> WideTable:
    """Gold and systems from a wide file.

    Raises
    ------
    InputError
        no-such-column, ambiguous-reading, unrecognised, wrong-columns or open-quote.
    """
    reading = _reading(content, wide)
    rows, issues = read_body(content, reading)
    spelling = wide.keys.spelling
    gold = table_of(content.path, reading, rows, issues).spelled(spelling, spelling.labels)
    labels = spelling.labels or dict.fromkeys(gold.labels)
    systems = {
        reading.names[number]: Table(reading, gold.ids, rows.column(number), rows.lines).spelled(spelling, labels)
        for number in _systems(reading, wide, content.path)
    }
    if wide.systems is None:
        _check_systems(gold, systems, content.path)
    return WideTable(gold, systems)


def is_wide(content: Content) -> bool:
    """Whether a file reads as a wide one without any setting, with every further column a system."""
    try:
        table = read_wide(content)
    except InputError:
        return False
    return bool(table.systems)


def looks_wide(content: Content) -> bool:
    """Whether the header names a gold column, and another column holds its labels, whatever remains to be decided."""
    return any(
        _has_gold_and_system(read_rows(content, dialect, SAMPLE)) for dialect in possible_dialects(content, SILENT)
    )


def _has_gold_and_system(sample: Rows) -> bool:
    header = next(filter(None, sample.rows), [])
    names = list(map(fold, header[:MOST_COLUMNS]))
    body = [row for row in sample.body().rows if len(row) == len(names)]
    gold = [number for number, name in enumerate(names) if name in WIDE_GOLD_NAMES]
    others = [number for number, name in enumerate(names) if name not in WIDE_ID_NAMES]
    columns = list(zip(*body, strict=True))
    return bool(columns) and any(
        _holds_labels(columns[other], set(columns[label])) for label in gold for other in others if other != label
    )


def _holds_labels(column: Sequence[str], labels: set[str]) -> bool:
    """Whether there are cells that are not empty, and half of them or more are labels."""
    given = [cell for cell in column if cell]
    return bool(given) and sum(cell in labels for cell in given) >= _MOSTLY * len(given)


def _reading(content: Content, wide: Wide) -> Reading:
    """The one reading by which the header names a gold column.

    Raises
    ------
    InputError
        no-such-column, ambiguous-reading or unrecognised.
    """
    readings: list[Reading] = []
    refusals: list[Issue] = []
    for dialect in possible_dialects(content, wide.keys):
        try:
            readings.extend(_readings(content, dialect, wide))
        except InputError as refusal:
            refusals.extend(refusal.issues)
    if len(readings) == 1:
        return readings[0]
    if readings:
        shown = [f"{delimiter_words(reading.delimiter)}: {shown_cells(reading.names)}" for reading in readings]
        choices = [f"delimiter = {toml_text(delimiter_name(reading.delimiter))}" for reading in readings]
        raise UndecidedError(content.path, " · or · ".join(shown), choices)
    missing = Issue.of("unrecognised", content.path, "no header with a gold column and a system")
    raise InputError(refusals[:1] or [missing])


def _readings(content: Content, dialect: Dialect, wide: Wide) -> Iterator[Reading]:
    """The reading by one dialect, if most rows are as wide as the header."""
    sample = read_rows(content, dialect, SAMPLE)
    names = tuple(next(filter(None, sample.rows), []))
    width, _ = sample.usual_width()
    if len(names) != width or not 2 <= width <= MOST_COLUMNS:  # noqa: PLR2004 - gold and a system
        return
    gold = _gold_column(names, wide, content.path)
    skip = wide.keys.skip or 0
    n_comments = dialect.skip - skip
    yield Reading(
        "delimited",
        delimiter=dialect.delimiter,
        header=True,
        comment="#" if n_comments else dialect.comment,
        quote=dialect.quote,
        id=_id_column(names, wide, gold, content.path),
        label=(gold,),
        group=_group_columns(names, wide, content.path),
        names=names,
        width=width,
        skip=skip,
        n_comments=n_comments,
        stated=None not in {wide.gold, wide.systems, wide.keys.id, wide.keys.delimiter},
    )


def _gold_column(names: tuple[str, ...], wide: Wide, path: str) -> int:
    if wide.gold is not None:
        return _stated(wide.gold, "gold", names, path)
    found = [number for number, name in enumerate(names) if fold(name) in WIDE_GOLD_NAMES]
    if found:
        return _only(found, "gold", names, path)
    shown = f"none of {shown_cells(names)} is the name of a gold column"
    raise InputError([Issue.of("no-such-column", path, shown, remedy='write into task.toml, under [wide]: gold = "…"')])


def _id_column(names: tuple[str, ...], wide: Wide, gold: int, path: str) -> Numbers | None:
    if wide.keys.id is not None:
        return tuple(_stated(column, "id", names, path) for column in wide.keys.id or ()) or None
    found = [number for number, name in enumerate(names) if fold(name) in WIDE_ID_NAMES and number != gold]
    return (_only(found, "id", names, path),) if found else None


def _group_columns(names: tuple[str, ...], wide: Wide, path: str) -> Numbers:
    return tuple(_stated(column, "group", names, path) for column in wide.keys.group or ())


def _stated(stated: str | int, key: str, names: tuple[str, ...], path: str) -> int:
    return stated_column(stated, key, Grid([()] * len(names), names), path)


def _only(found: Sequence[int], key: str, names: tuple[str, ...], path: str) -> int:
    """The one column that was found, or the issue that leaves the choice to the organiser."""
    if len(found) == 1:
        return found[0]
    shown = f"the {key} column can be {listed([quoted(names[number]) for number in found], 'or')}"
    raise UndecidedError(path, shown, [f"{key} = {_stating(names, number)}" for number in found])


def _stating(names: tuple[str, ...], number: int) -> str:
    """A column for task.toml: by its name, or by its number where several have the name."""
    return toml_text(names[number]) if names.count(names[number]) == 1 else str(number + 1)


def _toml_list(names: Iterable[str]) -> str:
    return f"[{', '.join(map(toml_text, names))}]"


def _systems(reading: Reading, wide: Wide, path: str) -> list[int]:
    """The systems' columns; a name that stands above two of them cannot be one team's."""
    if wide.systems is not None:
        return [_stated(name, "systems", reading.names, path) for name in wide.systems]
    taken = {*(reading.id or ()), *reading.label, *reading.group}
    others = [number for number in range(reading.width) if number not in taken]
    counts = Counter(reading.names[number] for number in others)
    twice = [quoted(name) for name, count in counts.items() if count > 1]
    if twice:
        found = f"as a wide file: several columns are called {listed(twice, limit=5)}"
        single = [name for name, count in counts.items() if count == 1]
        line = f"systems = {_toml_list(single)}" if single else "systems = […]"
        remedy = f"rename those that are systems; or name the systems in task.toml, under [wide]: {line}"
        raise InputError([Issue.of("duplicate-team", path, found, lines=[1], remedy=remedy)])
    return others


def _check_systems(gold: Table, systems: Mapping[str, Table], path: str) -> None:
    """A column of few gold labels, or one named like gold, is hardly a system; leaving it out would be a guess."""
    labels = set(gold.labels) - {""}
    named = [name for name in systems if fold(name) in WIDE_GOLD_NAMES]
    strange = [name for name, table in systems.items() if name not in named and not _holds_labels(table.labels, labels)]
    if not labels or not (named or strange):
        return
    doubts = [
        f"{listed([quoted(name) for name in names], limit=5)} {what}"
        for names, what in ((strange, "with few or no labels of gold"), (named, "with a gold column's name"))
        if names
    ]
    without = [name for name in systems if name not in {*named, *strange}]
    choices = [f"systems = {_toml_list(names)}" for names in (without, systems) if names]
    raise UndecidedError(path, f"{listed(doubts)}: systems, or other columns?", choices)
