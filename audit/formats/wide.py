"""One wide file: a column with gold, a column for each system, and perhaps one with ids."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from audit.errors import InputError, Issue
from audit.formats import delimited
from audit.formats.columns import Grid, stated_column
from audit.formats.content import Content
from audit.formats.delimited import Dialect, Row, Rows
from audit.formats.names import GOLD_NAMES, WIDE_GOLD_NAMES, WIDE_ID_NAMES, fold
from audit.formats.reading import BLANKS, DELIMITERS, Reading, Table, delimiter_name, delimiter_words, toml_text
from audit.formats.settings import Wide
from audit.text import listed, quoted

SILENT_WIDE = Wide()


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
        ids = (
            "items are known by position"
            if reading.id is None
            else f"column {quoted(reading.id_name or '')} holds the ids"
        )
        systems = listed([quoted(name) for name in self.systems], limit=8)
        return (
            f"{delimiter_words(reading.delimiter)}, header; column {quoted(reading.label_name or '')} holds gold, {ids}, "
            f"and the systems are {systems}"
        )


def read_wide(content: Content, wide: Wide = SILENT_WIDE) -> WideTable:
    """Gold and systems from a wide file.

    Raises
    ------
    InputError
        no-such-column, ambiguous-reading, unrecognised, wrong-columns or open-quote.
    """
    reading = _reading(content, wide)
    dialect = Dialect(
        reading.delimiter, reading.quote, "" if reading.n_comments else reading.comment, reading.n_comments
    )
    found = delimited.read_rows(content, dialect)
    start = 1 + next(number for number, row in enumerate(found.rows) if row)
    body = Rows(found.rows[start:], found.lines[start:])
    rows, issues = delimited.of_width(body, reading.width, content.path, keep_blank=reading.id is None)
    ids = None if reading.id is None else _column(rows.rows, reading.id)
    gold = Table(reading, ids, _column(rows.rows, reading.label), rows.lines, tuple(issues))
    systems = {
        reading.names[number]: Table(reading, ids, _column(rows.rows, number), rows.lines)
        for number in _systems(reading, wide, content.path)
    }
    if wide.systems is None:
        _check_systems(gold, systems, content.path)
    return WideTable(gold, systems)


def _column(rows: Sequence[Row], number: int) -> list[str]:
    return list(map(itemgetter(number), rows))


def is_wide(content: Content) -> bool:
    """Whether a file reads as a wide one without any setting, with every further column a system."""
    try:
        table = read_wide(content)
    except InputError:
        return False
    return bool(table.systems)


def _reading(content: Content, wide: Wide) -> Reading:
    """The one delimiter by which the header names a gold column."""
    keys = wide.keys
    skip = 0
    if keys.comment is None:
        skip = next((number for number, text in enumerate(content.lines) if text and not text.startswith("#")), 0)
    readings: list[Reading] = []
    refusals: list[Issue] = []
    for delimiter in DELIMITERS.values() if keys.delimiter is None else [keys.delimiter]:
        quote = "" if delimiter == BLANKS else '"' if keys.quote is None else keys.quote
        head = delimited.read_rows(content, Dialect(delimiter, quote, keys.comment or "", skip), 1000)
        names = tuple(next(filter(None, head.rows), []))
        if len(names) < 2 or Counter(map(len, filter(None, head.rows))).most_common(1)[0][0] != len(names):  # noqa: PLR2004 - gold and a system
            continue
        try:
            label = _gold_column(names, wide, content.path)
            item_id = _id_column(names, wide, label, content.path)
        except InputError as refusal:
            refusals.extend(refusal.issues)
            continue
        readings.append(
            Reading(
                "delimited", delimiter, header=True, comment=keys.comment or "", quote=quote, id=item_id, label=label,
                names=names, width=len(names), n_comments=skip,
            )
        )  # fmt: skip
    if len(readings) == 1:
        return readings[0]
    if readings:
        raise InputError([_two_delimiters(content, readings)])
    raise InputError(
        refusals[:1] or [Issue.of("unrecognised", content.path, "no header with a gold column and a system")]
    )


def _two_delimiters(content: Content, readings: Sequence[Reading]) -> Issue:
    shown = " · or · ".join(
        f"{delimiter_words(reading.delimiter)}: {delimited.shown_cells(reading.names)}" for reading in readings
    )
    choices = " or ".join(f"delimiter = {toml_text(delimiter_name(reading.delimiter))}" for reading in readings)
    return Issue.of(
        "ambiguous-reading", content.path, shown, lines=[1], remedy=f"write into task.toml, under [wide]: {choices}"
    )


def _gold_column(names: tuple[str, ...], wide: Wide, path: str) -> int:
    if wide.gold is not None:
        return stated_column(wide.gold, "gold", Grid([()] * len(names), names), path)
    for known in (GOLD_NAMES, WIDE_GOLD_NAMES):
        found = [number for number, name in enumerate(names) if fold(name) in known]
        if len(found) == 1:
            return found[0]
        if found:
            choices = " or ".join(f"gold = {toml_text(names[number])}" for number in found)
            shown = f"{listed([quoted(names[number]) for number in found], 'or')} may hold gold"
            raise InputError(
                [
                    Issue.of(
                        "ambiguous-reading",
                        path,
                        shown,
                        lines=[1],
                        remedy=f"write into task.toml, under [wide]: {choices}",
                    )
                ]
            )
    shown = f"none of {delimited.shown_cells(names)} is the name of a gold column"
    remedy = 'name it in task.toml, under [wide]: gold = "…"'
    raise InputError([Issue.of("no-such-column", path, shown, remedy=remedy)])


def _id_column(names: tuple[str, ...], wide: Wide, label: int, path: str) -> int | None:
    stated = wide.keys.id
    if stated is False:
        return None
    if stated is not None:
        return stated_column(stated, "id", Grid([()] * len(names), names), path)
    found = [number for number, name in enumerate(names) if fold(name) in WIDE_ID_NAMES and number != label]
    if len(found) > 1:
        choices = " or ".join(f"id = {toml_text(names[number])}" for number in found)
        shown = f"{listed([quoted(names[number]) for number in found], 'or')} may hold the ids"
        raise InputError(
            [
                Issue.of(
                    "ambiguous-reading", path, shown, lines=[1], remedy=f"write into task.toml, under [wide]: {choices}"
                )
            ]
        )
    return found[0] if found else None


def _systems(reading: Reading, wide: Wide, path: str) -> list[int]:
    """The systems' columns; a name that stands above two of them cannot be one team's."""
    others = [number for number in range(reading.width) if number not in {reading.id, reading.label}]
    if wide.systems is not None:
        grid = Grid([()] * reading.width, reading.names)
        return [stated_column(name, "systems", grid, path) for name in wide.systems]
    twice = [name for name, count in Counter(reading.names[number] for number in others).items() if count > 1]
    if twice:
        found = (
            f"{len(others)} columns, of which several are called {listed([quoted(name) for name in twice], limit=5)}"
        )
        raise InputError([Issue.of("duplicate-team", path, found, lines=[1])])
    return others


def _check_systems(gold: Table, systems: Mapping[str, Table], path: str) -> None:
    """A column without a single gold label is hardly a system, and leaving it out would be a guess."""
    labels = set(gold.labels) - {""}
    strange = [name for name, table in systems.items() if labels.isdisjoint(table.labels)]
    if strange and gold.labels:
        found = f"the columns {listed([quoted(name) for name in strange], limit=5)} hold no label that gold has"
        rest = ", ".join(toml_text(name) for name in systems if name not in strange)
        remedy = (
            f"if they are no systems, write into task.toml, under [wide]: systems = [{rest}]; otherwise list them too"
        )
        raise InputError([Issue.of("ambiguous-reading", path, found, lines=[1], remedy=remedy)])


def without_settings(table: Table) -> Table:
    """The table without its issues, for a second use."""
    return replace(table, issues=())
