"""The formats ``json``, one JSON value with a list or mapping of items, and ``jsonl``, an object per line.

The items of a value are a list of objects, a list of labels in gold order, a mapping from ids to labels or to objects,
or a mapping of names to lists of one length. They are the value itself, or stand below the names of objects.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, islice
from operator import methodcaller
from typing import Any

import numpy as np

from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.files.limits import MOST_CELLS, MOST_COLUMNS, MOST_DEPTH
from audit.formats.settings.layout import Keys, Layout
from audit.formats.table.columns import OF_FIRST, Grid, fits_labels, is_id_name, is_label_name
from audit.formats.table.parsed import ColumnFrame, Frame, TaskFacts, in_unit
from audit.formats.table.sample import SAMPLE, Candidate, Findings, Trust, find_named
from audit.text import plural, quoted, visible

Object = dict[str, Any]

_HALF_A_PAIR = re.compile("[\ud800-\udfff]")  # of surrogates: no text


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
        _refuse_repeated(_names(fields, is_plain))
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
        return value if value.isascii() or value.isprintable() or not _HALF_A_PAIR.search(value) else None
    if value is None:
        return ""
    return ("true" if value else "false") if isinstance(value, bool) else None


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


def _names(value: Object, is_wanted: Callable[[object], bool], prefix: str = "") -> Iterable[str]:
    """The names of all fields that hold what is wanted, nested ones with dots."""
    for name, inner in value.items():
        if isinstance(inner, dict):
            yield from _names(inner, is_wanted, f"{prefix}{name}.")
        elif is_wanted(inner):
            yield f"{prefix}{name}"


def _is_list(value: object) -> bool:
    return isinstance(value, list)


# Records


@dataclass(frozen=True, slots=True)
class Records:
    """The objects of a file, each with its line or entry."""

    path: str
    objects: Sequence[Object]
    lines: Sequence[int]  # the line of each object
    issues: tuple[Issue, ...] = ()  # the issues of entries that are no objects
    unit: str = "line"  # whether they are counted as lines or as entries

    def grid(self, stated: Sequence[str] = ()) -> Grid:
        """The plain fields as columns, in the order in which they first appear, and first entries that are stated."""
        names = tuple(dict.fromkeys(name for fields in self.objects for name in _names(fields, is_plain)))
        if len(names) > MOST_COLUMNS or len(names) * len(self.objects) > MOST_CELLS:
            defect = f"{plural(len(self.objects), 'object')} with {plural(len(names), 'field')}"
            raise InputError([Issue.of("too-large", self.path, defect)])
        lists = tuple(dict.fromkeys(name for fields in self.objects for name in _names(fields, _is_list)))
        names += tuple(name for name in stated if name.removesuffix(OF_FIRST) in lists and name not in names)
        columns = [[plain(value) or "" for value in self._values(name)] for name in names]
        return Grid(columns, names, nested=True, lists=tuple(name for name in lists if name not in names))

    def find(self, how: Layout, keys: Keys, facts: TaskFacts) -> Findings:
        """Every choice of fields; a single one that holds labels is that of labels in gold order."""
        try:
            stated = [str(name) for name in (*(keys.id or ()), *(keys.label or ())) if str(name).endswith(OF_FIRST)]
            return find_named(self.path, how, self.grid(stated), self.lines, keys, facts)
        except InputError as refusal:
            raise InputError([*refusal.issues, *self.issues]) from None

    def frame(self, layout: Layout, columns: Collection[int]) -> tuple[Frame, list[Issue]]:
        """The chosen fields of the objects that have them in the right form, and all issues."""
        issues = list(self.issues)
        required = {*(layout.id or ()), *layout.group, *layout.slices}
        cells = {
            number: self._cells(layout.names[number], issues, required=number in required) for number in sorted(columns)
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
        for row, cell in enumerate(cells):
            if cell is None:
                defect = "is missing" if values[row] is None or values[row] == "" else "is no plain value"
                issues.append(
                    bad_json(self.path, f"the field {quoted(name)} {defect}", self.lines[row], unit=self.unit)
                )
        return cells

    def _values(self, name: str) -> Iterable[Any]:
        if name.endswith(OF_FIRST) and not any(name in fields for fields in self.objects):
            return (
                one[0] if isinstance(one, list) and one else one for one in self._values(name.removesuffix(OF_FIRST))
            )
        if "." in name:
            return (field_of(fields, name) for fields in self.objects)
        return map(methodcaller("get", name), self.objects)


def bad_json(path: str, defect: str, *lines: int, unit: str = "line") -> Issue:
    """The issue for what is no JSON, or not the JSON that holds labels."""
    return in_unit(Issue.of("bad-json", path, defect, lines=lines), unit)


KEY, VALUE = "(key)", "(value)"
"""What the keys and values of a mapping, and the entries of a list of labels, are called."""

_MOST_NAMES = 20
_DEEPEST = 5


def is_json(content: Content) -> bool:
    """Whether the whole file is one JSON array or object."""
    is_possible = _begins(content) and content.text.rstrip()[-1:] in {"]", "}"} and not _has_lines_of_json(content)
    return is_possible and not isinstance(content.parsed("json", _value), ValueError)


def _has_lines_of_json(content: Content) -> bool:
    """Whether the first of several lines is an object of its own."""
    texts = list(islice(filter(str.strip, content.lines), 2))
    try:
        return len(texts) > 1 and isinstance(decoded(texts[0]), dict)
    except ValueError:
        return False


def is_meant_as_json(content: Content) -> bool:
    """Whether the file begins and is called like one."""
    return _begins(content) and content.path.endswith(".json")


def _begins(content: Content) -> bool:
    return content.text.lstrip()[:1] in {"[", "{"}


def can_be_one_item(content: Content) -> bool:
    """Whether the value is an object of few fields on one line, which is JSON Lines if they are those of an item."""
    value = content.parsed("json", _value)
    text = content.text.strip()
    is_small = isinstance(value, dict) and len(value) <= _MOST_NAMES and _of_pandas(value) is None
    return is_small and "\n" not in text and "\r" not in text


def find_json(content: Content, keys: Keys, facts: TaskFacts) -> Findings:
    """Every choice of a place with items, and of fields there; not inside of items whose content fits."""
    candidates: list[Candidate] = []
    refusals: list[Issue] = []
    whole: list[str] = []
    for place in _places(content, keys):
        if any(place.startswith(f"{outer}." if outer else "") for outer in whole):
            continue
        try:
            findings = _find_at(_records_at(content, place), place, keys, facts)
        except InputError as refusal:
            refusals.extend(refusal.issues)
            continue
        candidates.extend(findings.candidates)
        if findings.candidates and findings.candidates[0].trust is Trust.CONTENT:
            whole.append(place)
    return Findings(tuple(candidates), tuple(refusals))


def _find_at(records: Records, place: str, keys: Keys, facts: TaskFacts) -> Findings:
    is_stated = None not in {keys.format, keys.id, keys.label} and (keys.records is not None or not place)
    how = Layout("json", records=place, stated=is_stated)
    if keys.names_a_column or not records.objects or records.objects[0].keys() != {VALUE}:
        return records.find(how, keys, facts)
    if (
        facts.ids is not None
        and len(records.objects) != facts.n_items
        and not fits_labels(records.grid().columns[0], facts)
    ):
        return Findings()
    how = replace(how, stated=keys.format is not None)
    return records.find(how, replace(keys, id=False, label=(VALUE,)), facts)


def json_grids(content: Content, keys: Keys) -> Iterator[tuple[Layout, Grid]]:
    """The fields of the items at every place that can hold some."""
    for place in _places(content, keys):
        grid = _records_at(content, place).grid()
        is_stated = keys.records is not None or not place
        yield Layout("json", records=place, names=grid.names, width=len(grid.names), stated=is_stated), grid


def json_frame(content: Content, layout: Layout, columns: Collection[int]) -> tuple[Frame, list[Issue]]:
    """The chosen fields of every good entry, and the issues of the other entries."""
    return _records_at(content, layout.records).frame(layout, columns)


# The value and the places in it


def _value(content: Content) -> Any:  # noqa: ANN401 - any JSON value, or why there is none
    try:
        return decoded(content.text)
    except ValueError as error:
        return error


def _places(content: Content, keys: Keys) -> list[str]:
    """The place that task.toml names, or every one that can hold items."""
    value = content.parsed("json", _value)
    if isinstance(value, ValueError):
        lines = [value.lineno] if isinstance(value, json.JSONDecodeError) else []
        raise InputError([bad_json(content.path, visible(str(value), 120), *lines)])
    items_by_place = _items_of(content)
    if keys.records is None and items_by_place:
        return list(items_by_place)
    if keys.records is not None and keys.records in items_by_place:
        return [keys.records]
    named = "" if keys.records is None else f" at {quoted(keys.records)}"
    fields = f"a JSON object of {plural(len(value), 'field')}" if isinstance(value, dict) else "a single JSON value"
    what = f"a JSON array of {plural(len(value), 'entry', 'entries')}" if isinstance(value, list) else fields
    raise InputError([bad_json(content.path, f"{what} holds no list or mapping of items{named}")])


def _items_of(content: Content) -> dict[str, list[Object]]:
    return content.parsed("json items", lambda whole: dict(_items(whole.parsed("json", _value))))


def _items(value: Any, place: str = "", depth: int = 0) -> Iterator[tuple[str, list[Object]]]:  # noqa: ANN401 - any JSON value, or why there is none
    """Every place with the objects of its items, the outermost first."""
    objects = _objects(value)
    if objects is not None:
        yield place, objects
    if isinstance(value, dict) and depth < _DEEPEST and len(value) <= _MOST_NAMES and not _is_whole(value):
        for name, inner in value.items():
            yield from _items(inner, f"{place}.{name}" if place else name, depth + 1)


def _objects(value: object) -> list[Object] | None:
    """The items of a list or mapping as objects; None where it can be neither."""
    if isinstance(value, list):
        return _listed_objects(value)
    if not isinstance(value, dict) or not value:
        return None
    if _is_table(value):
        return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]
    if (rows := _of_pandas(value)) is not None:
        return rows
    if all(map(is_plain, value.values())):
        return [{KEY: key, VALUE: label} for key, label in value.items()]
    are_objects = all(isinstance(inner, dict) for inner in value.values())
    return [{KEY: key, **inner} for key, inner in value.items()] if are_objects else None


def _of_pandas(value: Mapping[str, Any]) -> list[Object] | None:
    """The rows of a table as pandas writes it, whose numbers are no ids: by column, by row, or apart from names."""
    inner = list(value.values())
    if value.keys() == {"columns", "index", "data"} and _are_rows(value["data"], value["columns"]):
        return [dict(zip(value["columns"], row, strict=True)) for row in value["data"]]
    if not inner or not all(isinstance(each, dict) and each for each in inner):
        return None
    if _are_row_numbers(value) and not _are_row_numbers(inner[0]):
        return inner
    of_columns = any(map(is_label_name, value)) or {is_id_name(name) for name in value} == {True, False}
    if (
        len(inner) > 1
        and of_columns
        and all(_are_row_numbers(each) and each.keys() == inner[0].keys() for each in inner)
    ):
        return [{name: column[number] for name, column in value.items()} for number in inner[0]]
    return None


def _are_rows(rows: object, names: object) -> bool:
    """Whether these are lists of as many cells as there are names."""
    if not isinstance(rows, list) or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return False
    return all(isinstance(row, list) and len(row) == len(names) for row in rows)


def _are_row_numbers(names: Iterable[str]) -> bool:
    """Whether these are the numbers from 0 on, in order."""
    return all(name == str(number) for number, name in enumerate(names))


def _is_whole(value: Mapping[str, Any]) -> bool:
    """Whether there are no further items inside of what is one table."""
    return _is_table(value) or _of_pandas(value) is not None


def _as_pairs(entries: Sequence[Any]) -> list[Any]:
    """Lists of an id and a label, and objects of one field with a name of their own, as objects; others as they are."""
    pairs = [next(iter(each.items())) if isinstance(each, dict) and len(each) == 1 else each for each in entries]
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 and all(map(is_plain, pair)) for pair in pairs):  # noqa: PLR2004 - id and label
        return [*entries]
    # Fields with a name are columns, where a name is there twice; of ids and labels each id is there once.
    is_column = any(isinstance(each, dict) for each in entries) and len({name for name, _ in pairs}) < len(pairs)
    return [*entries] if is_column else [dict(zip((KEY, VALUE), pair, strict=True)) for pair in pairs]


def _listed_objects(entries: list[Any]) -> list[Object] | None:
    entries = _as_pairs(entries)
    if any(isinstance(entry, dict) for entry in entries):
        return entries
    return [{VALUE: entry} for entry in entries] if entries and all(map(is_plain, entries)) else None


def _is_table(value: Mapping[str, object]) -> bool:
    """Whether all fields are lists of plain values, of one length: the columns of a table."""
    columns = list(value.values())
    lists = [column for column in columns if isinstance(column, list) and column]
    are_alike = len(lists) == len(columns) > 1 == len(set(map(len, lists)))
    return are_alike and all(all(map(is_plain, column)) for column in lists)


def _records_at(content: Content, place: str) -> Records:
    """The items at a place, with a bad-json issue for every entry that is no object."""
    entries = _items_of(content)[place]
    numbers = range(1, len(entries) + 1)
    are_objects = [isinstance(entry, dict) for entry in entries]
    if all(are_objects):
        return Records(content.path, entries, numbers, unit="entry")
    issues = [
        bad_json(content.path, "it is no object", number, unit="entry")
        for number, good in zip(numbers, are_objects, strict=True)
        if not good
    ]
    return Records(
        content.path, list(compress(entries, are_objects)), list(compress(numbers, are_objects)), tuple(issues), "entry"
    )


def looks_like_json_lines(content: Content) -> bool:
    """Whether the first line with content is a JSON object, or the file's ending says so."""
    if content.path.endswith((".jsonl", ".ndjson")):
        return True
    first = content.first_line
    try:
        return first.startswith("{") and isinstance(decoded(first), dict)
    except ValueError:
        return False


def find_json_lines(content: Content, keys: Keys, facts: TaskFacts) -> Findings:
    """Every possible choice of fields."""
    sample = _records_by_line(content, None if facts.is_gold else SAMPLE)
    if not sample.objects:
        raise InputError(sample.issues)
    how = Layout("jsonl", stated=None not in {keys.format, keys.id, keys.label})
    return sample.find(how, keys, facts)


def json_lines_grids(content: Content, keys: Keys) -> Iterator[tuple[Layout, Grid]]:
    """The fields of all objects."""
    del keys  # they say nothing of where in the file the objects are
    records = _records_by_line(content)
    if not records.objects:
        raise InputError(records.issues)
    grid = records.grid()
    yield Layout("jsonl", names=grid.names, width=len(grid.names), stated=True), grid


def json_lines_frame(content: Content, layout: Layout, columns: Collection[int]) -> tuple[Frame, list[Issue]]:
    """The chosen fields of every line that is a good object, and the issues of the other lines."""
    return _records_by_line(content).frame(layout, columns)


def _records_by_line(content: Content, limit: int | None = None) -> Records:
    """The objects of a file, with a bad-json issue for every line that is none; blank lines are left out."""
    values: list[Any] = []
    lines: list[int] = []
    issues: list[Issue] = []
    for number, text in enumerate(content.lines[:limit], start=1):
        if not text or text.isspace():
            continue
        try:
            values.append(decoded(text))
            lines.append(number)
        except ValueError as error:
            issues.append(bad_json(content.path, visible(str(error), 120), number))
    kept = []
    for value, line in zip(_as_pairs(values), lines, strict=True):
        if isinstance(value, dict):
            kept.append((value, line))
        else:
            issues.append(bad_json(content.path, f"it is no object: {visible(content.lines[line - 1], 40)}", line))
    return Records(content.path, [pair for pair, _ in kept], [line for _, line in kept], tuple(issues))
