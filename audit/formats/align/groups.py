"""Which items of gold belong together, and what looks as if it said so."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from audit.domain import LikelyGroups
from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.recognise import columns_beside
from audit.formats.settings.layout import (
    KNOWN_SEPARATORS,
    GroupFile,
    Grouping,
    Separated,
    Separator,
    StatedLayout,
    no_sequences,
    toml_text,
)
from audit.formats.table.columns import GROUP_NAMES, fold
from audit.formats.table.parsed import Table
from audit.text import at_a_glance, listed, lookalikes, plural, quoted, told_apart, visible

SEQUENCE = "sequence"  # the unit of tag sequences where task.toml says nothing else

_MOSTLY_DIFFERENT = 0.9
_MOST_SUGGESTIONS = 3
_FEWEST_RUNS = 10
"""Fewer values that each stand in one stretch of lines are rather parts of a test set."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of each item of gold."""

    of_items: Sequence[str | int]  # a name or number for each item
    unit: str  # what a group is, in words
    issues: tuple[Issue, ...] = ()  # why the groups do not fit gold

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The groups by number, in the order in which they first appear, shape (N,)."""
        number_of = {group: number for number, group in enumerate(dict.fromkeys(self.of_items))}
        return np.array(list(map(number_of.__getitem__, self.of_items)), np.int64)


def groups_of(
    table: Table, grouping: Grouping | None, lines_of_file: Sequence[str] | None = None
) -> Groups | None:
    """Which items belong together: as task.toml says, or else the tokens of each sequence."""
    if grouping is False:
        return None
    if isinstance(grouping, GroupFile) and lines_of_file is not None:
        return _of_file(table, grouping, [line.strip() for line in lines_of_file])
    if isinstance(grouping, Separator):
        return _between(table, grouping)
    if table.groups is not None:
        lines = [
            line
            for line, group in zip(table.lines, table.groups, strict=False)
            if "" in group.split("\t")
        ]
        issues = (*_nameless(lines, "item", table.path), *_alike(table.groups, table.path))
        return Groups(
            table.groups, ", ".join(map(table.layout.column_name, table.layout.group)), issues
        )
    if table.sequences is None:
        return None
    return Groups(_per_item(range(len(table.sequences)), table), SEQUENCE)


def _per_item(groups: Sequence[str | int], table: Table) -> list[str | int]:
    """The groups of sequences as those of their items."""
    return [
        group
        for group, length in zip(groups, table.sequences or (), strict=True)
        for _ in range(length)
    ]


def _nameless(lines: Sequence[int], what: str, path: str) -> Iterator[Issue]:
    """The issue for items or lines that lack a group, or a part of one."""
    if lines:
        yield Issue.of(
            "gold-bad-groups", path, f"{plural(len(lines), what)} without a group", lines=lines
        )


def _between(table: Table, separator: Separator) -> Groups:
    """The groups of sequences that lines stand between."""
    if table.separated is None:
        return Groups(
            (), separator.unit, (no_sequences(table.path, f"it is read as {table.layout.how}"),)
        )
    issues: tuple[Issue, ...] = ()
    if len(set(table.separated)) <= 1 and not table.issues:
        if separator.text:
            condition = f"begins with {quoted(separator.text)}"
        else:
            condition = "is blank"
        defect = f"no line between two sequences {condition}"
        expected = "two groups or more"
        issues = (table.issue("gold-bad-groups", defect, expected=expected),)
    return Groups(table.separated, separator.unit, issues)


def _of_file(table: Table, group_file: GroupFile, names: Sequence[str]) -> Groups:
    """The groups that a second file gives, line by line."""
    by_sequence = table.sequences is not None
    if table.sequences is None:
        n_expected = len(table.labels)
    else:
        n_expected = len(table.sequences)
    if len(names) != n_expected:
        if by_sequence:
            unit = SEQUENCE
        else:
            unit = "item"
        if names[-1]:
            last = ""
        else:
            last = ". The last line is empty"
        defect = f"{plural(len(names), 'line')} for {plural(n_expected, unit)} of {visible(table.path, 200)}{last}"
        expected = f"the group of one {unit} on each line"
        issue = Issue.of("gold-bad-groups", group_file.path, defect, expected=expected)
        return Groups((), group_file.unit, () if table.issues else (issue,))
    blank = [number for number, name in enumerate(names, start=1) if not name]
    issues = (*_nameless(blank, "line", group_file.path), *_alike(names, group_file.path))
    return Groups(_per_item(names, table) if by_sequence else names, group_file.unit, issues)


def _alike(names: Sequence[str], path: str) -> Iterator[Issue]:
    """The issue for names that cannot be told apart by looking: they are one group, or one is misspelt."""
    for alike in lookalikes((name.replace("\t", " | ") for name in names), at_a_glance)[:1]:
        defect = f"{listed(told_apart(alike))} look alike, and are {len(alike)} groups"
        yield Issue.of("gold-bad-groups", path, defect, expected="one spelling of each group")


# What looks like groups


@dataclass(frozen=True)
class Suggestions:
    """What in a gold file looks like groups."""

    sentences: Sequence[str] = ()  # one for each thing, with the setting that decides
    likely: LikelyGroups | None = None  # the first of them by which items may be grouped


def suggestions(
    content: Content, table: Table, stated: StatedLayout, *, systems: Collection[str] | None = None
) -> Suggestions:
    """What in a gold file looks like groups: columns, lines between sequences, or a common stem of ids."""
    if stated.group is not None:
        return Suggestions()
    if table.sequences is not None or table.layout.format == "tokens":
        return Suggestions(list(_of_separators(content, table)))
    if systems is None:
        section = "[gold]"
    else:
        section = "[wide]"
    found = _likely_columns(content, table, section, systems)
    if not found and (of_stems := _stem_groups(table.ids, section)) is not None:
        found = [of_stems]
    found = found[:_MOST_SUGGESTIONS]
    sentences = [_sentence(content.path, each) for each in found]
    return Suggestions(sentences, found[0] if found else None)


def _sentence(path: str, likely: LikelyGroups) -> str:
    """What looks like groups, and the setting that decides."""
    items = plural(likely.n_items, "item")
    what = f"{likely.what} has {likely.n_groups:,} values for {items} and may say which belong together"
    setting, _, place = likely.setting.rpartition(" under ")
    decide = f"items are taken as independent. To decide, write under {place}: {setting} or group = false."
    return f"{visible(path, 200)}: {what}; {decide}"


def _likely_columns(
    content: Content, table: Table, section: str, systems: Collection[str] | None
) -> list[LikelyGroups]:
    """The columns that look like groups: parts of ids, such as a question; names of groups; runs of equal values."""
    layout = table.layout
    columns: dict[int, Sequence[str]] = {}
    # a question of several answers, a document
    if len(layout.id or ()) > 1 and table.ids is not None:
        parts = [item_id.split("\t") for item_id in table.ids]
        is_whole = {len(each) for each in parts} == {len(layout.id or ())}  # no cell holds a tab
        if is_whole:
            columns = dict(zip(layout.id or (), zip(*parts, strict=True), strict=True))
        else:
            columns = {}
    others = set(layout.names) - set(systems or ())
    named = {name for name in others if fold(name.rpartition(".")[2]) in GROUP_NAMES}
    columns |= _columns_of(content, table, named)
    found = []
    for number, cells in columns.items():
        different = set(cells)
        if "" in different or not 1 < len(different) < _MOSTLY_DIFFERENT * len(cells):
            continue  # one is empty, all are one, or nearly all differ
        found.append(_likely_column(table, number, len(different), section))
    if found or systems is not None:
        return found
    for number, cells in _columns_of(content, table, others - named).items():
        n_groups = _n_runs(cells)
        if n_groups is not None:
            found.append(_likely_column(table, number, n_groups, section))
    return found


def _columns_of(content: Content, table: Table, names: Collection[str]) -> dict[int, Sequence[str]]:
    """Columns by their places; none that nobody asked to read and that cannot be read."""
    layout = table.layout
    with suppress(InputError):
        return {
            layout.names.index(name): cells
            for name, cells in columns_beside(content, layout, names).items()
            if len(cells) == len(table.labels)
        }
    return {}


def _likely_column(table: Table, number: int, n_groups: int, section: str) -> LikelyGroups:
    layout = table.layout
    if layout.names:
        name = layout.names[number]
    else:
        name = str(number + 1)
    setting = f"group = {toml_text(name) if layout.names else name} under {section}"
    return LikelyGroups(f"column {quoted(name)}", n_groups, len(table.labels), setting, name)


def _n_runs(values: Sequence[str]) -> int | None:
    """The number of different values, where each stands in one stretch of lines; None where that is no sign of groups.

    Few values are rather parts of a test set, many are rather ids.

    >>> _n_runs(list("aaabbbcccdddeeefffggghhhiiijjj")), _n_runs(list("abab"))
    (10, None)
    """
    n_different = len(set(values))
    if not _FEWEST_RUNS <= n_different <= len(values) / 2 or "" in set(values):
        return None
    n_changes = sum(one != other for one, other in pairwise(values))
    if n_changes + 1 == n_different:
        return n_different
    return None


_STEM = re.compile(r"(.*\w)[-_.:/#|](\w+)", re.DOTALL)


def _stem_groups(ids: Sequence[str] | None, section: str) -> LikelyGroups | None:
    """Groups by a common stem of ids, such as “doc7” of “doc7-1” and “doc7-2”; None where ids have none.

    Stems stand in stretches, as runs of values do, and what follows them begins anew with each.
    """
    parts = [_STEM.fullmatch(item_id) for item_id in ids or ()]
    if not all(parts):
        return None
    stems = [part[1] for part in parts if part]
    ends = [part[2] for part in parts if part]
    n_groups = _n_runs(stems)
    if n_groups is None or len(set(ends)) > len(ends) / 2:
        return None
    return LikelyGroups(
        "a common stem of ids", n_groups, len(stems), f'group = {{ path = "FILE" }} under {section}'
    )


def _of_separators(content: Content, table: Table) -> list[str]:
    """The suggestion for lines that stand between documents by a convention, or for blank lines among tag sequences."""
    texts = [
        text for text in KNOWN_SEPARATORS if any(line.startswith(text) for line in content.lines)
    ]
    paragraphs = Separated.by("", content).groups(table.lines) or []
    if (
        not texts
        and table.layout.format == "sequences"
        and 1 < len(set(paragraphs)) < len(table.sequences or ())
    ):
        texts = [""]
    choices = [f"group = {{ between = {toml_text(text)} }}" for text in texts]
    if texts:
        kinds = [
            f"lines that begin with {quoted(text)}" if text else "blank lines" for text in texts
        ]
        observation = f"{listed(kinds)} may stand between documents"
    elif table.sequences is None:
        observation = "no blank line says where a sequence ends; tokens are taken as independent"
        choices.append('group = { path = "…" }')
    else:
        return []
    decision = f"To decide, write under [gold]: {listed([*choices, 'group = false'], 'or')}."
    return [f"{visible(content.path, 200)}: {observation}. {decision}"]
