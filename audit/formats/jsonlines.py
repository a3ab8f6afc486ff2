"""The format ``jsonl``: JSON Lines, one object per line."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from audit.errors import InputError, Issue
from audit.formats.candidate import SAMPLE, Findings, candidates_of
from audit.formats.columns import Grid, fits_labels, pairs, unknown_columns
from audit.formats.content import Content
from audit.formats.reading import Keys, Known, Reading, Table
from audit.text import plural, quoted, visible

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects of a file, each with its line."""

    objects: Sequence[Object]
    lines: Sequence[int]
    issues: tuple[Issue, ...] = ()


def looks_like_json_lines(content: Content) -> bool:
    """Whether the first line with content is a JSON object, or the file's ending says so."""
    if content.path.endswith((".jsonl", ".ndjson")):
        return True
    first = next(line for line in content.lines if line.strip())
    try:
        return first.lstrip().startswith("{") and isinstance(_DECODER.decode(first), dict)
    except (ValueError, RecursionError):
        return False


def single_value(content: Content) -> Issue | None:
    """The issue for a file that is one JSON array or object in place of one object per line; None for any other."""
    if not content.text.lstrip().startswith(("[", "{")):
        return None
    try:
        value = json.loads(content.text, parse_int=str)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        what = f"a JSON array of {plural(len(value), 'entry', 'entries')}"
    else:
        what = f"a single JSON object of {plural(len(value), 'field')}"
    remedy = 'write one object per line, like {"id": "17", "label": "positive"}'
    return Issue.of("unrecognised", content.path, f"the whole file is {what}", remedy=remedy)


def can_be_one_item(content: Content) -> bool:
    """Whether a single JSON value is an object on one line, which is JSON Lines if its fields are an item's."""
    text = content.text.strip()
    return text.startswith("{") and "\n" not in text and "\r" not in text


def read_objects(content: Content, limit: int | None = None) -> Objects:
    """The objects of a file, with a bad-json issue for every line that is none; blank lines are left out."""
    objects: list[Object] = []
    lines: list[int] = []
    issues: list[Issue] = []
    for number, text in enumerate(content.lines[:limit], start=1):
        if not text or text.isspace():
            continue
        try:
            objects.append(_object(text))
            lines.append(number)
        except RecursionError:
            issues.append(_bad(content.path, number, "it is nested too deeply"))
        except ValueError as error:
            issues.append(_bad(content.path, number, visible(str(error), 120)))
    return Objects(objects, lines, tuple(issues))


def _object(text: str) -> Object:
    value = _DECODER.decode(text)
    if not isinstance(value, dict):
        raise ValueError(f"it is no object: {visible(text, 40)}")  # noqa: TRY004 - every defect of a line is one kind
    return value


def _without_duplicates(pairs: list[tuple[str, Any]]) -> Object:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {quoted(twice)} is there twice")
    return fields


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


# Numbers stay the text they are: an 18-digit id must not pass through a float, and 1.0 is not 1.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_without_duplicates, parse_int=str, parse_float=str, parse_constant=_refuse_constant
)


def _bad(path: str, line: int, found: str) -> Issue:
    return Issue.of("bad-json", path, found, lines=[line])


def _field_names(objects: Sequence[Object]) -> tuple[str, ...]:
    """The fields that hold plain values somewhere, in the order in which they first appear."""
    names = {name: None for fields in objects for name, value in fields.items() if _is_plain(value)}
    return tuple(names)


def _plain_cells(objects: Sequence[Object], name: str) -> list[str]:
    """A field of every object as text; empty where it is missing, null or nested."""
    return [plain if (plain := _plain(fields.get(name))) is not None else "" for fields in objects]


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | bool)


def _plain(value: object) -> str | None:
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


def find(content: Content, keys: Keys, known: Known) -> Findings:
    """Every possible choice of fields.

    Raises
    ------
    InputError
        bad-json, where no line of the sample is an object; no-such-column, where no field can be told.
    """
    sample = read_objects(content, None if known.is_gold else SAMPLE)
    if not sample.objects:
        raise InputError(sample.issues)
    names = _field_names(sample.objects)
    grid = Grid([_plain_cells(sample.objects, name) for name in names], names)
    found = pairs(grid, keys, known, content.path)
    if not found and len(names) == 1 and fits_labels(grid.columns[0], known):
        found = [(None, 0)]  # labels alone, in gold order
    stated = None not in {keys.format, keys.id, keys.label}
    readings = [
        Reading("jsonl", id=item_id, label=label, names=names, width=len(names), stated=stated)
        for item_id, label in found
    ]
    if not readings:
        raise InputError([unknown_columns(grid, known, content.path), *sample.issues])
    return Findings(candidates_of(readings, grid, sample.lines, known))


def read(content: Content, reading: Reading) -> Table:
    """The ids and labels of a file by the fields that the reading names."""
    found = read_objects(content)
    issues = list(found.issues)
    labels = _column(found, reading.label_name, content.path, issues)
    ids = None if reading.id is None else _column(found, reading.id_name, content.path, issues, required=True)
    good = [label is not None and (ids is None or ids[row] is not None) for row, label in enumerate(labels)]
    return Table(
        reading,
        None if ids is None else [cell for cell in compress(ids, good) if cell is not None],
        [cell for cell in compress(labels, good) if cell is not None],
        list(compress(found.lines, good)),
        tuple(issues),
    )


def _column(
    found: Objects, name: str | None, path: str, issues: list[Issue], *, required: bool = False
) -> list[str | None]:
    cells = [_plain(fields.get(name or "")) for fields in found.objects]
    if required:
        cells = [cell or None for cell in cells]
    for row, cell in enumerate(cells):
        if cell is None:
            value = found.objects[row].get(name or "")
            what = "is missing" if value is None or value == "" else "is no plain value"
            issues.append(_bad(path, found.lines[row], f"the field {quoted(name or '')} {what}"))
    return cells
