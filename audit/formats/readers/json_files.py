"""The formats ``json``, one JSON value with a list or mapping of items, and ``jsonl``, an object per line.

The items of a value are a list of objects, a list of labels in gold order, a mapping from ids to labels or to objects,
or a mapping of names to lists of one length. They are the value itself, or stand below the names of objects.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, compress
from operator import methodcaller
from types import NoneType
from typing import Any

from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.files.limits import MOST_CELLS, MOST_COLUMNS, MOST_DEPTH
from audit.formats.settings.layout import Layout, StatedLayout
from audit.formats.table.columns import (
    OF_FIRST,
    Grid,
    are_row_numbers,
    first_entries,
    is_id_name,
    is_label_name,
)
from audit.formats.table.parsed import ColumnFrame, Frame, in_unit
from audit.formats.table.sample import ENTRY, Sample
from audit.text import plural, quoted, visible

Object = dict[str, Any]

_HALF_A_PAIR = re.compile("[\ud800-\udfff]")  # of surrogates: no text


# Decoding


_NESTED = frozenset({dict, list})
_SPACED_COLON = re.compile(r'"[ \t\r\n]+:')


def decoded(text: str, number: Callable[[str], str] = str) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a JSON text: numbers stay the text they are, so that an 18-digit id passes through no float.

    Objects are made by the library's own code, which keeps the last of two fields of one name; only where names may
    repeat, by their number, is the text decoded a second time, object by object.
    """
    try:
        value = _decoder(number).decode(text)
        if _names_may_repeat(text, value):
            value = _watchful_decoder(number).decode(text)
    except RecursionError:  # far more levels than are read
        raise ValueError("it is nested too deeply") from None
    return value


def _names_may_repeat(text: str, value: object) -> bool:
    """Whether a text could name a field twice: it has more names than the objects that were made of it.

    A name ends with a quote and a colon; texts that hold these make the number greater, never smaller.
    """
    n_names, has_dots = _names_in(value)
    return has_dots or text.count('":') != n_names or _SPACED_COLON.search(text) is not None


def _nested(values: Sequence[Any]) -> list[Any]:
    """The objects and lists among values, found without a look at each in Python."""
    return list(compress(values, map(_NESTED.__contains__, map(type, values))))


def _names_in(value: object) -> tuple[int, bool]:
    """The number of fields of all objects, and whether a name with a dot could say the same as an object in an object.

    Raises
    ------
    ValueError
        Where lists and objects are nested too deeply.
    """
    n_names = 0
    depth = 0
    names: set[str] = set()
    level = _nested([value])
    while level:
        depth += 1
        if depth > MOST_DEPTH:
            raise ValueError(f"it is nested too deeply: more than {MOST_DEPTH} levels")
        objects = [each for each in level if type(each) is dict]
        lists = [each for each in level if type(each) is list]
        n_names += sum(map(len, objects))
        names.update(*objects)
        in_objects = chain.from_iterable(map(dict.values, objects))
        level = _nested([*in_objects, *chain.from_iterable(lists)])
    return n_names, any("." in name for name in names)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> Object:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        refuse_repeated(name for name, _ in pairs)
    # of every object of a large file: a loop over its names takes twice as long
    has_dot = "." in "".join(fields)
    if has_dot and any(isinstance(inner, dict) for inner in fields.values()):
        refuse_repeated(name for name, inner in _leaves(fields) if is_plain(inner))
    return fields


def refuse_repeated(names: Iterable[str]) -> None:
    """Refuse a field that is there twice, also where a dot in a name says the same as an object in an object."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"the field {quoted(twice[0])} is there twice")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


@cache
def _decoder(number: Callable[[str], str]) -> json.JSONDecoder:
    """A decoder that keeps numbers as some kind of text."""
    return json.JSONDecoder(parse_int=number, parse_float=number, parse_constant=_refuse_constant)


@cache
def _watchful_decoder(number: Callable[[str], str]) -> json.JSONDecoder:
    """The same decoder, which refuses objects with two fields of one name, and takes several times as long."""
    return json.JSONDecoder(
        object_pairs_hook=_without_duplicates,
        parse_int=number,
        parse_float=number,
        parse_constant=_refuse_constant,
    )


# Values


def is_plain(value: object) -> bool:
    """Whether a value is text, a number, a truth value or null, rather than nested."""
    return value is None or isinstance(value, str | bool)


def plain(value: object) -> str | None:
    """The value as text; None where it is nested or half a surrogate pair."""
    if isinstance(value, str):
        if value.isascii() or value.isprintable() or not _HALF_A_PAIR.search(value):
            return value
        return None
    if value is None:
        return ""
    if value is True:
        return "true"
    if value is False:
        return "false"
    return None


def _leaves(fields: Object, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """All fields, each object followed by those inside of it, whose names have dots between the levels."""
    for name, inner in fields.items():
        yield f"{prefix}{name}", inner
        if isinstance(inner, dict):
            yield from _leaves(inner, f"{prefix}{name}.")


def _flat(fields: Object) -> Object:
    """An object with the fields of those inside of it beside its own; as it is where it has none."""
    if dict in map(type, fields.values()):
        return dict(_leaves(fields))
    return fields


# Records


_ABSENT = object()
_PLAIN = (str, bool, NoneType)


@dataclass(frozen=True, slots=True)
class Records:
    """The objects of a file with all their fields, each object with its line or entry."""

    path: str
    objects: Sequence[Object]
    lines: Sequence[int]  # the line of each object
    issues: tuple[Issue, ...]  # the issues of entries that are no objects
    unit: str  # whether they are counted as lines or as entries

    @classmethod
    def of(
        cls,
        path: str,
        values: Sequence[Any],
        lines: Sequence[int],
        issues: Sequence[Issue] = (),
        unit: str = "line",
    ) -> "Records":
        """The records of values, with an issue for each that is no object."""
        objects: list[Object] = []
        lines_of_objects: list[int] = []
        every_issue = list(issues)
        for value, line in zip(values, lines, strict=True):
            if isinstance(value, dict):
                objects.append(_flat(value))
                lines_of_objects.append(line)
            else:
                defect = f"it is no object: {visible(str(value), 40)}"
                every_issue.append(bad_json(path, defect, line, unit=unit))
        return cls(path, objects, lines_of_objects, tuple(every_issue), unit)

    def sample(self, how: Layout, stated: StatedLayout) -> Sample:
        """The plain fields as columns, in the order in which they first appear, and first entries that are stated."""
        names = self._names(_PLAIN)
        if len(names) > MOST_COLUMNS or len(names) * len(self.objects) > MOST_CELLS:
            defect = f"{plural(len(self.objects), 'object')} with {plural(len(names), 'field')}"
            raise InputError([Issue.of("too-large", self.path, defect)])
        lists = self._names((list,))
        for name in first_entries(stated):
            if name.removesuffix(OF_FIRST) in lists and name not in names:
                names += (name,)
        columns = [[plain(value) or "" for value in self._values(name)] for name in names]
        other_lists = tuple(name for name in lists if name not in names)
        grid = Grid(columns, names, nested=True, lists=other_lists)
        return Sample(self.path, replace(how, names=names, width=len(names)), grid, self.issues)

    def _names(self, wanted: tuple[type, ...]) -> tuple[str, ...]:
        """The names of all fields that hold values of these types, in the order in which they first appear."""
        every = dict.fromkeys(chain.from_iterable(self.objects))
        # few objects have a field: not looked up in each
        if len(every) * len(self.objects) > MOST_CELLS:
            fields = chain.from_iterable(map(dict.items, self.objects))
            return tuple(dict.fromkeys(name for name, inner in fields if isinstance(inner, wanted)))
        return tuple(name for name in every if self._holds(name, wanted))

    def _holds(self, name: str, wanted: tuple[type, ...]) -> bool:
        """Whether a field of some object is a value of these types."""
        types = set(map(type, map(methodcaller("get", name, _ABSENT), self.objects)))
        return any(issubclass(each, wanted) for each in types)

    def frame(self, layout: Layout, columns: Collection[int]) -> tuple[Frame, list[Issue]]:
        """The chosen fields of the objects that have them in the right form, and all issues."""
        issues = list(self.issues)
        required = {*(layout.id or ()), *layout.group, *layout.slices}
        cells = {
            number: self._cells(layout.names[number], issues, required=number in required)
            for number in sorted(columns)
        }
        if len(issues) == len(self.issues):
            return ColumnFrame(cells, self.lines), issues
        good = [None not in row for row in zip(*cells.values(), strict=True)]
        kept = {number: list(compress(column, good)) for number, column in cells.items()}
        return ColumnFrame(kept, list(compress(self.lines, good))), issues

    def _cells(self, name: str, issues: list[Issue], *, required: bool) -> list[Any]:
        """A field of every object as text; None, and an issue, where it is nested, or missing where that cannot be."""
        values = list(self._values(name))
        cells = list(map(plain, values))
        if required:
            cells = [cell or None for cell in cells]
        for value, cell, line in zip(values, cells, self.lines, strict=True):
            if cell is not None:
                continue
            if value is None or value == "":
                defect = f"the field {quoted(name)} is missing"
            else:
                defect = f"the field {quoted(name)} is no plain value"
            issues.append(bad_json(self.path, defect, line, unit=self.unit))
        return cells

    def _values(self, name: str) -> Iterable[Any]:
        if name.endswith(OF_FIRST) and not any(name in fields for fields in self.objects):
            return map(_first_entry, self._values(name.removesuffix(OF_FIRST)))
        return map(methodcaller("get", name), self.objects)


def _first_entry(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The first entry of a list; an empty list and what is no list as they are."""
    if isinstance(value, list) and value:
        return value[0]
    return value


def bad_json(path: str, defect: str, *lines: int, unit: str = "line") -> Issue:
    """The issue for what is no JSON, or not the JSON that holds labels."""
    return in_unit(Issue.of("bad-json", path, defect, lines=lines), unit)


KEY = "(key)"
VALUE = ENTRY
"""What the keys and values of a mapping, and the entries of a list of labels, are called."""

_END_OF_LINE = re.compile("[\r\n]")
_MOST_NAMES = 20
_DEEPEST = 5


def formats_of(content: Content, *, beside_ids: bool) -> list[str]:
    """The formats of a file that is JSON, or is meant to be; none for any other.

    An object of few fields on one line is JSON Lines, too, if these can be those of an item.
    """
    text = content.text.strip()
    first, rest = _first_line(text)
    begins = text[:1]
    ends = text[-1:]
    is_object_of_lines = begins == "{" and rest and isinstance(_value_of(first), dict)
    if begins in {"[", "{"} and ends in {"]", "}"} and not is_object_of_lines:
        value = content.parsed("json", _value)
        if not isinstance(value, ValueError):
            is_small = (
                isinstance(value, dict) and len(value) <= _MOST_NAMES and _table_of(value) is None
            )
            if beside_ids and is_small and not rest:
                return ["json", "jsonl"]
            return ["json"]
    if is_object_of_lines or content.path.endswith((".jsonl", ".ndjson")):
        return ["jsonl"]
    if begins in {"[", "{"} and content.path.endswith(".json"):
        return ["json"]
    return []


def _first_line(text: str) -> tuple[str, bool]:
    """The first line of a text, and whether there is another."""
    end = _END_OF_LINE.search(text)
    if end is None:
        return text, False
    return text[: end.start()], True


def tables(content: Content, stated: StatedLayout, _: int | None = None) -> Iterator[Sample]:
    """The fields of the items at every place that can hold some; all of them, as the file was parsed as a whole."""
    for place in _places(content, stated):
        how = Layout("json", records=place, stated=stated.records is not None or not place)
        yield _records_at(content, place).sample(how, stated)


def tables_by_line(
    content: Content, stated: StatedLayout, limit: int | None = None
) -> Iterator[Sample]:
    """The fields of all objects."""
    records = _records_by_line(content, limit)
    if not records.objects:
        raise InputError(records.issues)
    yield records.sample(Layout("jsonl", stated=True), stated)


def frame(content: Content, layout: Layout, columns: Collection[int]) -> tuple[Frame, list[Issue]]:
    """The chosen fields of every good object, and the issues of the others."""
    if layout.format == "jsonl":
        records = _records_by_line(content)
    else:
        records = _records_at(content, layout.records)
    return records.frame(layout, columns)


# The value and the places in it


def _value(content: Content) -> Any:  # noqa: ANN401 - any JSON value, or why there is none
    return _value_of(content.text)


def _value_of(text: str) -> Any:  # noqa: ANN401 - any JSON value, or why there is none
    try:
        return decoded(text)
    except ValueError as error:
        return error


def _places(content: Content, stated: StatedLayout) -> list[str]:
    """The place that task.toml names, or every one that can hold items."""
    value = content.parsed("json", _value)
    if isinstance(value, ValueError):
        if isinstance(value, json.JSONDecodeError):
            lines = [value.lineno]
        else:
            lines = []
        raise InputError([bad_json(content.path, visible(str(value), 120), *lines)])
    items_by_place = _items_of(content)
    if stated.records is None and items_by_place:
        return list(items_by_place)
    if stated.records is not None and stated.records in items_by_place:
        return [stated.records]
    if stated.records is None:
        named = ""
    else:
        named = f" at {quoted(stated.records)}"
    if isinstance(value, dict):
        fields = f"a JSON object of {plural(len(value), 'field')}"
    else:
        fields = "a single JSON value"
    if isinstance(value, list):
        what = f"a JSON array of {plural(len(value), 'entry', 'entries')}"
    else:
        what = fields
    raise InputError([bad_json(content.path, f"{what} holds no list or mapping of items{named}")])


def _items_of(content: Content) -> dict[str, list[Object]]:
    return content.parsed("json items", lambda whole: dict(_items(whole.parsed("json", _value))))


def _items(value: Any, place: str = "", depth: int = 0) -> Iterator[tuple[str, list[Object]]]:  # noqa: ANN401 - any JSON value, or why there is none
    """Every place with the objects of its items, the outermost first."""
    objects = _objects(value)
    if objects is not None:
        yield place, objects
    is_object = isinstance(value, dict) and depth < _DEEPEST and len(value) <= _MOST_NAMES
    if is_object and _table_of(value) is None:  # what is one table has no others in it
        for name, inner in value.items():
            inner_place = name
            if place:
                inner_place = f"{place}.{name}"
            yield from _items(inner, inner_place, depth + 1)


def _objects(value: object) -> list[Object] | None:
    """The items of a list or mapping as objects; None where it can be neither."""
    if isinstance(value, list):
        return _objects_of_list(value)
    if not isinstance(value, dict) or not value:
        return None
    if (rows := _table_of(value)) is not None:
        return rows
    if all(map(is_plain, value.values())):
        return [{KEY: key, VALUE: label} for key, label in value.items()]
    if all(isinstance(inner, dict) for inner in value.values()):
        return [{KEY: key, **inner} for key, inner in value.items()]
    return None


def _objects_of_list(value: Sequence[Any]) -> list[Object] | None:
    """The items of a list as objects; None where it holds none."""
    entries = _as_pairs(value)
    if any(isinstance(entry, dict) for entry in entries):
        return entries
    if entries and all(map(is_plain, entries)):
        return [{VALUE: entry} for entry in entries]
    return None


def _table_of(value: Mapping[str, Any]) -> list[Object] | None:
    """The rows of a table: of lists by name; or as pandas writes it by column, by row, or apart from names.

    The numbers of rows that pandas writes are no ids.
    """
    inner = list(value.values())
    if value.keys() == {"columns", "index", "data"} and _are_rows(value["data"], value["columns"]):
        return [dict(zip(value["columns"], row, strict=True)) for row in value["data"]]
    if inner and all(isinstance(each, dict) and each for each in inner):
        if are_row_numbers(value) and not are_row_numbers(inner[0]):
            return inner
        of_columns = any(map(is_label_name, value)) or {is_id_name(name) for name in value} == {
            True,
            False,
        }
        if not of_columns or not all(map(are_row_numbers, inner)):
            return None
        inner = [list(each.values()) for each in inner]
    elif not all(isinstance(each, list) and each and all(map(is_plain, each)) for each in inner):
        return None
    is_even = len(inner) > 1 == len(set(map(len, inner)))
    if is_even:
        return [dict(zip(value, row, strict=True)) for row in zip(*inner, strict=True)]
    return None


def _are_rows(rows: object, names: object) -> bool:
    """Whether these are lists of as many cells as there are names."""
    if (
        not isinstance(rows, list)
        or not isinstance(names, list)
        or not all(isinstance(name, str) for name in names)
    ):
        return False
    return all(isinstance(row, list) and len(row) == len(names) for row in rows)


def _as_pairs(entries: Sequence[Any]) -> list[Any]:
    """Lists of an id and a label, and objects of one field with a name of their own, as objects; others as they are."""
    pairs: list[Sequence[Any]] = []
    for entry in entries:
        pair = entry
        if isinstance(entry, dict) and len(entry) == 1:
            (pair,) = entry.items()
        if not _is_pair(pair):
            return [*entries]
        pairs.append(pair)
    # Fields with a name are columns, where a name is there twice; of ids and labels each id is there once.
    has_repeated = len({item_id for item_id, _ in pairs}) < len(pairs)
    if has_repeated and any(isinstance(entry, dict) for entry in entries):
        return [*entries]
    return [{KEY: item_id, VALUE: label} for item_id, label in pairs]


def _is_pair(value: object) -> bool:
    """Whether a value is a list of two plain values, as of an id and a label."""
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(is_plain, value))  # noqa: PLR2004 - two


def _records_at(content: Content, place: str) -> Records:
    """The items at a place."""
    entries = _items_of(content)[place]
    return Records.of(content.path, entries, range(1, len(entries) + 1), unit="entry")


def _records_by_line(content: Content, limit: int | None = None) -> Records:
    """The objects of a file; blank lines are left out."""
    values: list[Any] = []
    lines: list[int] = []
    issues: list[Issue] = []
    for line, text in enumerate(content.lines[:limit], start=1):
        if not text or text.isspace():
            continue
        value = _value_of(text)
        if isinstance(value, ValueError):
            issues.append(bad_json(content.path, visible(str(value), 120), line))
        else:
            values.append(value)
            lines.append(line)
    return Records.of(content.path, _as_pairs(values), lines, issues)
