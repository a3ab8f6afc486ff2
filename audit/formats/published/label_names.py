"""What readers see in place of labels: names from task.toml, or from a mapping file as shared tasks publish it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from audit.domain import LabelSet, SourceFile
from audit.errors import SETTINGS_FILE, InputError, Issue
from audit.formats.files.content import Content, decode
from audit.formats.files.tree import Tree
from audit.formats.published.small_tables import Row, rows_of
from audit.formats.settings.task_settings import Settings
from audit.formats.table.text_rows import shown_cells
from audit.text import did_you_mean, listed, quoted


def with_names(label_set: LabelSet, settings: Settings, file: Mapping[str, str]) -> LabelSet:
    """The label set with the names that task.toml gives; those of [label_names] come before those of a file."""
    own = settings.toml.label_names
    issues = [
        settings.issue(
            "bad-setting",
            f"{quoted(label)} is no label here.{did_you_mean(label, label_set)}",
            "label_names",
            label,
            expected=f"a label of the label set: {listed(list(map(quoted, label_set)), 'or', limit=30)}",
        )
        for label in own
        if label not in label_set.code_of
    ]
    names = tuple(own.get(label) or file.get(label) or label for label in label_set)
    issues += [_twice(settings, name, label_set, names) for name in dict.fromkeys(names) if names.count(name) > 1]
    if issues:
        raise InputError(issues)
    return replace(label_set, names=() if names == label_set.labels else names)


def _twice(settings: Settings, name: str, label_set: LabelSet, names: Sequence[str]) -> Issue:
    alike = [quoted(label) for label, other in zip(label_set, names, strict=True) if other == name]
    place = ("label_names",) if settings.toml.label_names else ("label_names_file",)
    return settings.issue(
        "bad-setting", f"{quoted(name)} is the name of {listed(alike)}", *place, expected="another name for each label"
    )


def names_in(tree: Tree, settings: Settings, label_set: LabelSet) -> tuple[dict[str, str], SourceFile | None]:
    """The names by label that a mapping file gives, and the file; none where task.toml names no such file.

    The labels are the column that has all of them; the names are the next column, or that of ``label_names_column``.
    """
    path = settings.toml.label_names_file
    if path is None:
        return {}, None
    content = decode(path, tree.read(path))
    named = _of_object(content) or _of_table(content, settings.toml.label_names_column, label_set)
    return named, SourceFile.of(path, tree.original(path))


def _of_object(content: Content) -> dict[str, str]:
    """A JSON object from labels to names; empty where the file is none."""
    if not content.text.lstrip().startswith("{"):
        return {}
    try:
        pairs: list[tuple[str, Any]] = json.loads(content.text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise InputError([_bad(content, f"no JSON: {error}")]) from None
    if odd := [quoted(label) for label, name in pairs if not isinstance(name, str)]:
        raise InputError([_bad(content, f"no text as the name of {listed(odd, limit=5)}")])
    return _unique_names(content, pairs)


def _unique_names(content: Content, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Names by label, of which none has two."""
    named: dict[str, str] = {}
    for label, name in pairs:
        if named.setdefault(label, name) != name:
            raise InputError([_bad(content, f"{quoted(label)} is {quoted(named[label])} and {quoted(name)}")])
    return named


def _of_table(content: Content, column: str | int | None, label_set: LabelSet) -> dict[str, str]:
    rows = rows_of(content, "bad-label-names")
    columns = list(zip(*(row.cells for row in rows), strict=True))
    labels = max(range(len(columns)), key=lambda place: (len(set(columns[place]) & set(label_set)), -place))
    if missing := [quoted(label) for label in label_set if label not in columns[labels]]:
        raise InputError([_bad(content, f"no column has all labels; the best lacks {listed(missing, limit=8)}")])
    names = _place_of(content, column, rows) if column is not None else _neighbour_column(columns, labels)
    named = _unique_names(content, ((row.cells[labels], row.cells[names]) for row in rows))
    if nameless := [quoted(label) for label in label_set if not named[label]]:
        raise InputError([_bad(content, f"no name for {listed(nameless, limit=8)}")])
    return named


def _neighbour_column(columns: Sequence[Sequence[str]], labels: int) -> int:
    """The column behind that of the labels, or before it where it is the last."""
    return labels + 1 if labels + 1 < len(columns) else labels - 1


def _place_of(content: Content, column: str | int, rows: Sequence[Row]) -> int:
    """The column that task.toml names: by its number from 1, or by its heading."""
    heads = rows[0].cells
    if isinstance(column, int) and column <= len(heads):
        return column - 1
    if heads.count(str(column)) == 1:
        return heads.index(str(column))
    defect = f"{SETTINGS_FILE} names the column {quoted(str(column))}, and the first row is {shown_cells(heads)}"
    raise InputError([_bad(content, defect)])


def _bad(content: Content, defect: str) -> Issue:
    return Issue.of("bad-label-names", content.path, defect)
