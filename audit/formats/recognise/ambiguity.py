"""The issue that shows two layouts of a file, and the lines for task.toml that decide between them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from audit.errors import Choice, Issue
from audit.formats.settings.layout import BLANKS, Layout
from audit.formats.settings.tomlfile import toml_text
from audit.formats.table.issues import quoted_id
from audit.formats.table.parsed import Table
from audit.text import listed, quoted

_MOST_SHOWN = 4
_BINARY = {"0", "1", "0.0", "1.0", "true", "false"}
OR = " · or · "

_Row = tuple[str | None, str]


def ambiguous(tables: Sequence[Table], path: str, section: str) -> Issue:
    """The issue for several possible layouts: the first line on which they differ, with the settings that decide."""
    if (several := _several_labels(tables)) and section == "[gold]":
        return _multi_label(several, path)
    shown = tables[:_MOST_SHOWN]
    rows = [_by_line(table) for table in shown]
    line = _first_difference(rows)
    layouts = [
        f"{table.layout} → {_place_words(line, by_line, table)}" for table, by_line in zip(shown, rows, strict=True)
    ]
    settings = [_deciding(table.layout, shown) for table in shown]
    ways = [Choice(section, each, layout) for each, layout in zip(settings, layouts, strict=True)]
    remedy = deciding(section, settings)
    if section == "[gold]" and all(table.layout.delimiter == BLANKS for table in tables):
        remedy += '; or, where each line is a sequence of tags: format = "sequences"'
    lines = [line] if {table.layout.kind.unit for table in shown} == {"line"} else []
    return Issue.of("ambiguous-reading", path, OR.join(layouts), lines=lines, remedy=remedy, choices=ways)


def deciding(section: str, settings: Iterable[str]) -> str:
    """What to do: write one of some settings into task.toml."""
    remedy = f"write into task.toml, under {section}: {OR.join(dict.fromkeys(settings))}"
    if section == "[submissions]":
        remedy += "; this holds for every submission: where others are written otherwise, correct this file instead"
    return remedy


def _several_labels(tables: Sequence[Table]) -> list[str]:
    """The columns that each hold yes or no for one label, where all do; none otherwise."""
    names = [table.layout.label_name for table in tables]
    if None in names or len({(table.layout.id, table.layout.header) for table in tables}) > 1:
        return []
    are_binary = all({label.casefold() for label in table.labels} <= values for table in tables for values in [_BINARY])
    return [name or "" for name in names] if are_binary else []


def _multi_label(names: Sequence[str], path: str) -> Issue:
    """The issue for a file in which an item has several labels: each of them is a test set of its own."""
    shown = listed([quoted(name) for name in names], limit=8)
    defect = f"a multi-label file by the look of it: {shown} each say 0 or 1 of an item"
    first = toml_text(names[0])
    of_gold = f"[subtask.{first}.gold] path = {toml_text(path)}, label = {first}"
    one = f"{of_gold}, and [subtask.{first}.submissions] label = {first}"
    remedy = (
        f"write into task.toml a test set for each label, like {one}; or one alone, under [gold]: label = {first}; or "
        "all as one label: label = […] and [combinations]"
    )
    return Issue.of("ambiguous-reading", path, defect, expected="one label for each item", remedy=remedy)


def _by_line(table: Table) -> dict[int, list[_Row]]:
    """The rows of each line; in tag sequences there are several."""
    ids: Sequence[str | None] = table.ids or [None] * len(table.labels)
    rows: defaultdict[int, list[_Row]] = defaultdict(list)
    for line, item_id, label in zip(table.lines, ids, table.labels, strict=True):
        rows[line].append((item_id, label))
    return dict(rows)


def _first_difference(rows: Sequence[Mapping[int, list[_Row]]]) -> int:
    every_line = sorted(set().union(*rows))
    return next(line for line in every_line if any(by_line.get(line) != rows[0].get(line) for by_line in rows))


def _place_words(line: int, by_line: Mapping[int, list[_Row]], table: Table) -> str:
    place = f"{table.layout.kind.unit} {line}"
    if line not in by_line:
        return f"{place} is no item"
    (item_id, label), *others = by_line[line]
    ids = "" if item_id is None else f"id {quoted_id(item_id, table.layout)}, "
    more = f" and {len(others):,} more" if others else ""
    return f"{place}: {ids}label {quoted(label)}{more}"


def _deciding(layout: Layout, tables: Sequence[Table]) -> str:
    """The settings that tell one layout from the others; a column is the same by name and by number."""
    settings = layout.settings()
    attribute_of = {"score": "label"}
    keys = [key for key in settings if len({getattr(table.layout, attribute_of.get(key, key)) for table in tables}) > 1]
    return ", ".join(settings[key] for key in keys)
