"""JSON objects with an id and a label among their fields, for JSON Lines and for JSON alike."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import methodcaller
from typing import Any

import numpy as np

from audit.errors import InputError, Issue
from audit.formats.files.limits import MOST_CELLS, MOST_COLUMNS, MOST_DEPTH
from audit.formats.settings.answers import Column
from audit.formats.settings.keys import Keys
from audit.formats.settings.layout import Layout
from audit.formats.table.candidate import Findings
from audit.formats.table.columns import OF_ONE, Grid
from audit.formats.table.frame import Frame, table_of
from audit.formats.table.issues import in_unit
from audit.formats.table.parsed import Table, TaskFacts
from audit.formats.table.sample import find_named
from audit.text import plural, quoted

Object = dict[str, Any]


# Decoding


def decoded(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a JSON text: numbers stay the text they are, so that an 18-digit id passes through no float."""
    if text.count("[") + text.count("{") > MOST_DEPTH and _depth(text) > MOST_DEPTH:
        raise ValueError(f"it is nested too deeply: more than {MOST_DEPTH} levels")
    try:
        return _DECODER.decode(text)
    except RecursionError:  # unbalanced brackets can hide the depth
        raise ValueError("it is nested too deeply") from None


def _depth(text: str) -> int:
    """The most brackets that are open at once, those inside of strings left out."""
    outside = "".join(text.replace(r"\\", "").replace(r"\"", "").split('"')[::2])
    characters = np.frombuffer(outside.encode("utf-8", "surrogatepass"), np.uint8)
    opening = np.isin(characters, np.frombuffer(b"[{", np.uint8)).astype(np.int32)
    closing = np.isin(characters, np.frombuffer(b"]}", np.uint8)).astype(np.int32)
    return int((opening - closing).cumsum().max(initial=0))


def _without_duplicates(pairs: list[tuple[str, Any]]) -> Object:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        _refuse_repeated(name for name, _ in pairs)
    if any("." in name for name in fields) and any(isinstance(inner, dict) for inner in fields.values()):
        _refuse_repeated(_plain_names(fields))
    return fields


def _refuse_repeated(names: Iterable[str]) -> None:
    """Refuse a field that is there twice, also where a dot in a name says the same as an object in an object."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"the field {quoted(twice[0])} is there twice")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_without_duplicates, parse_int=str, parse_float=str, parse_constant=_refuse_constant
)


# Values


def is_plain(value: object) -> bool:
    """Whether a value is text, a number, a truth value or null, rather than nested."""
    return value is None or isinstance(value, str | bool)


def plain(value: object) -> str | None:
    """The value as text; None where it is nested or half a surrogate pair."""
    if isinstance(value, str):
        return value if value.isascii() or value.isprintable() or _is_text(value) else None
    if value is None:
        return ""
    return ("true" if value else "false") if isinstance(value, bool) else None


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def field_of(fields: Object, name: str) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a field: of this very name, or reached through its dotted parts; None where there is none."""
    if name in fields:
        return fields[name]
    for dot in re.finditer(r"\.", name):
        inner = fields.get(name[: dot.start()])
        value = field_of(inner, name[dot.end() :]) if isinstance(inner, dict) else None
        if value is not None:
            return value
    return None


def _plain_names(value: Object, prefix: str = "") -> Iterable[str]:
    """The names of all plain fields, nested ones with dots."""
    for name, inner in value.items():
        if isinstance(inner, dict):
            yield from _plain_names(inner, f"{prefix}{name}.")
        elif is_plain(inner):
            yield f"{prefix}{name}"


def _list_names(value: Object, prefix: str = "") -> Iterable[str]:
    """The names of all fields that hold a list, nested ones with dots."""
    for name, inner in value.items():
        if isinstance(inner, dict):
            yield from _list_names(inner, f"{prefix}{name}.")
        elif isinstance(inner, list):
            yield f"{prefix}{name}"


def _is_one(value: object) -> bool:
    return isinstance(value, list) and len(value) == 1 and is_plain(value[0])


def _one_of(value: object) -> object:
    """The value of a list of one; anything else as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


# Records


@dataclass(frozen=True, slots=True)
class Records:
    """The objects of a file, each with its line or entry."""

    path: str
    objects: Sequence[Object]
    lines: Sequence[int]  # the line of each object
    issues: tuple[Issue, ...] = ()  # the issues of entries that are no objects
    unit: str = "line"  # whether they are counted as lines or as entries

    def grid(self) -> Grid:
        """The plain fields as columns, in the order in which they first appear, then those that hold a list of one.

        A cell is empty where a value is no text.
        """
        names = tuple(dict.fromkeys(name for fields in self.objects for name in _plain_names(fields)))
        if len(names) > MOST_COLUMNS or len(names) * len(self.objects) > MOST_CELLS:
            defect = f"{plural(len(self.objects), 'object')} with {plural(len(names), 'field')}"
            raise InputError([Issue.of("too-large", self.path, defect)])
        lists = dict.fromkeys(name for fields in self.objects for name in _list_names(fields))
        of_one = [name for name in lists if all(map(_is_one, self._values(name)))]
        names += tuple(f"{name}{OF_ONE}" for name in of_one)
        columns = [[plain(value) or "" for value in self._values(name)] for name in names]
        several = tuple(name for name in lists if name not in (*names, *of_one))
        return Grid(columns, names, nested=True, lists=several)

    def find(self, how: Layout, keys: Keys, facts: TaskFacts) -> Findings:
        """Every choice of fields; a single one that holds labels is that of labels in gold order."""
        try:
            return find_named(self.path, how, self.grid(), self.lines, keys, facts)
        except InputError as refusal:
            raise InputError([*refusal.issues, *self.issues]) from None

    def table(self, layout: Layout) -> Table:
        """The ids and labels by the fields that the layout names, with a bad-json issue where there is none."""
        return table_of(self.path, layout, *self.frame(layout, layout.columns))

    def frame(self, layout: Layout, columns: Collection[int]) -> tuple[Frame, list[Issue]]:
        """The chosen fields of the objects that have them in the right form, and all issues."""
        issues = list(self.issues)
        required = {*(layout.id or ()), *layout.group, *layout.slices}
        cells = {
            number: self._cells(layout.names[number], issues, required=number in required) for number in sorted(columns)
        }
        if len(issues) == len(self.issues):
            return _Frame(cells, self.lines), issues
        good = [None not in row for row in zip(*cells.values(), strict=True)]
        kept = {number: list(compress(column, good)) for number, column in cells.items()}
        return _Frame(kept, list(compress(self.lines, good))), issues

    def _cells(self, name: str, issues: list[Issue], *, required: bool) -> list[Any]:
        """A field of every object as text; None, and an issue, where it is nested, or missing where that cannot be."""
        values = list(self._values(name))
        cells = list(map(plain, values))
        if required:
            cells = [cell or None for cell in cells]
        for row, cell in enumerate(cells):
            if cell is None:
                defect = "is missing" if values[row] is None or values[row] == "" else "is no plain value"
                issues.append(
                    bad_json(self.path, f"the field {quoted(name)} {defect}", self.lines[row], unit=self.unit)
                )
        return cells

    def _values(self, name: str) -> Iterable[Any]:
        if name.endswith(OF_ONE) and not any(name in fields for fields in self.objects):
            return map(_one_of, self._values(name.removesuffix(OF_ONE)))
        if "." in name:
            return (field_of(fields, name) for fields in self.objects)
        return map(methodcaller("get", name), self.objects)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Columns of cells by their numbers."""

    cells: Mapping[int, Column]
    lines: Sequence[int]

    def column(self, number: int) -> Column:
        return self.cells[number]


def bad_json(path: str, defect: str, *lines: int, unit: str = "line") -> Issue:
    """The issue for what is no JSON, or not the JSON that holds labels."""
    return in_unit(Issue.of("bad-json", path, defect, lines=lines), unit)
