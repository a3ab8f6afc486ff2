"""The format ``json``: one JSON value that is, or holds, a list or a mapping of items.

The items are a list of objects, a list of labels in gold order, a mapping from ids to labels or to objects, or a
mapping of names to lists of one length. They are the value itself, or stand below the names of objects.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import compress, islice
from typing import Any

from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.readers.records import Object, Records, bad_json, decoded, is_plain
from audit.formats.settings.keys import Keys
from audit.formats.settings.layout import Layout
from audit.formats.table.candidate import Candidate, Findings, Trust
from audit.formats.table.columns import Grid, fits_labels
from audit.formats.table.frame import Frame
from audit.formats.table.parsed import Table, TaskFacts
from audit.text import plural, quoted, visible

KEY, VALUE = "(key)", "(value)"
"""What the keys and values of a mapping, and the entries of a list of labels, are called."""

_MOST_NAMES = 20
_DEEPEST = 5


def is_json(content: Content) -> bool:
    """Whether the whole file is one JSON array or object."""
    is_possible = _begins(content) and _ends(content) and not _has_lines_of_json(content)
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


def _ends(content: Content) -> bool:
    return content.text.rstrip()[-1:] in {"]", "}"}


def can_be_one_item(content: Content) -> bool:
    """Whether the value is an object of few fields on one line, which is JSON Lines if they are those of an item."""
    value = content.parsed("json", _value)
    text = content.text.strip()
    return isinstance(value, dict) and len(value) <= _MOST_NAMES and "\n" not in text and "\r" not in text


def find(content: Content, keys: Keys, facts: TaskFacts) -> Findings:
    """Every choice of a place with items, and of fields there; not inside of items whose content fits."""
    candidates: list[Candidate] = []
    refusals: list[Issue] = []
    whole: list[str] = []
    for place in _places(content, keys):
        if any(place.startswith(f"{outer}." if outer else "") for outer in whole):
            continue
        try:
            findings = _find(_records(content, place), place, keys, facts)
        except InputError as refusal:
            refusals.extend(refusal.issues)
            continue
        candidates.extend(findings.candidates)
        if findings.candidates and findings.candidates[0].trust is Trust.CONTENT:
            whole.append(place)
    return Findings(tuple(candidates), tuple(refusals))


def _find(records: Records, place: str, keys: Keys, facts: TaskFacts) -> Findings:
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


def grids(content: Content, keys: Keys) -> Iterator[tuple[Layout, Grid]]:
    """The fields of the items at every place that can hold some."""
    for place in _places(content, keys):
        grid = _records(content, place).grid()
        is_stated = keys.records is not None or not place
        yield Layout("json", records=place, names=grid.names, width=len(grid.names), stated=is_stated), grid


def read(content: Content, layout: Layout) -> Table:
    """The ids and labels at the place and by the fields that the layout names."""
    return _records(content, layout.records).table(layout)


def frame(content: Content, layout: Layout, columns: Collection[int]) -> tuple[Frame, list[Issue]]:
    """The chosen fields of every good entry, and the issues of the other entries."""
    return _records(content, layout.records).frame(layout, columns)


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
    raise InputError([bad_json(content.path, f"{_described(value)} holds no list or mapping of items{named}")])


def _described(value: object) -> str:
    if isinstance(value, list):
        return f"a JSON array of {plural(len(value), 'entry', 'entries')}"
    return f"a JSON object of {plural(len(value), 'field')}" if isinstance(value, dict) else "a single JSON value"


def _items_of(content: Content) -> dict[str, list[Object]]:
    return content.parsed("json items", lambda whole: dict(_items(whole.parsed("json", _value))))


def _items(value: Any, place: str = "", depth: int = 0) -> Iterator[tuple[str, list[Object]]]:  # noqa: ANN401 - any JSON value, or why there is none
    """Every place with the objects of its items, the outermost first."""
    objects = _objects(value)
    if objects is not None:
        yield place, objects
    if isinstance(value, dict) and depth < _DEEPEST and len(value) <= _MOST_NAMES and not _is_table(value):
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
    if all(map(is_plain, value.values())):
        return [{KEY: key, VALUE: label} for key, label in value.items()]
    if all(isinstance(inner, dict) for inner in value.values()):
        return [{KEY: key, **inner} for key, inner in value.items()]
    return None


def _listed_objects(entries: list[Any]) -> list[Object] | None:
    if any(isinstance(entry, dict) for entry in entries):
        return entries
    return [{VALUE: entry} for entry in entries] if entries and all(map(is_plain, entries)) else None


def _is_table(value: Mapping[str, object]) -> bool:
    """Whether all fields are lists of plain values, of one length: the columns of a table."""
    columns = list(value.values())
    lists = [column for column in columns if isinstance(column, list) and column]
    are_alike = len(lists) == len(columns) > 1 == len(set(map(len, lists)))
    return are_alike and all(all(map(is_plain, column)) for column in lists)


def _records(content: Content, place: str) -> Records:
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
