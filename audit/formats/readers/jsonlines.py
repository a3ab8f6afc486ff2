"""The format ``jsonl``: JSON Lines, one object per line."""

from collections.abc import Collection, Iterator

from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.readers.records import Object, Records, bad_json, decoded
from audit.formats.settings.keys import Keys
from audit.formats.settings.layout import Layout
from audit.formats.table.candidate import SAMPLE, Findings
from audit.formats.table.columns import Grid
from audit.formats.table.frame import Frame
from audit.formats.table.parsed import Table, TaskFacts
from audit.text import visible


def looks_like_json_lines(content: Content) -> bool:
    """Whether the first line with content is a JSON object, or the file's ending says so."""
    if content.path.endswith((".jsonl", ".ndjson")):
        return True
    first = content.first_line
    try:
        return first.startswith("{") and isinstance(decoded(first), dict)
    except ValueError:
        return False


def find(content: Content, keys: Keys, facts: TaskFacts) -> Findings:
    """Every possible choice of fields."""
    sample = _records(content, None if facts.is_gold else SAMPLE)
    if not sample.objects:
        raise InputError(sample.issues)
    how = Layout("jsonl", stated=None not in {keys.format, keys.id, keys.label})
    return sample.find(how, keys, facts)


def grids(content: Content, keys: Keys) -> Iterator[tuple[Layout, Grid]]:
    """The fields of all objects."""
    del keys  # they say nothing of where in the file the objects are
    records = _records(content)
    if not records.objects:
        raise InputError(records.issues)
    grid = records.grid()
    yield Layout("jsonl", names=grid.names, width=len(grid.names), stated=True), grid


def read(content: Content, layout: Layout) -> Table:
    """The ids and labels of a file by the fields that the layout names."""
    return _records(content).table(layout)


def frame(content: Content, layout: Layout, columns: Collection[int]) -> tuple[Frame, list[Issue]]:
    """The chosen fields of every line that is a good object, and the issues of the other lines."""
    return _records(content).frame(layout, columns)


def _records(content: Content, limit: int | None = None) -> Records:
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
        except ValueError as error:
            issues.append(bad_json(content.path, visible(str(error), 120), number))
    return Records(content.path, objects, lines, tuple(issues))


def _object(text: str) -> Object:
    value = decoded(text)
    if not isinstance(value, dict):
        raise ValueError(f"it is no object: {visible(text, 40)}")  # noqa: TRY004 - every defect of a line is one kind
    return value
