"""The sets that a file gives to units: lists in cells, a column for each label, rows of one label, spans of tags.

A thing is a label and a place: a pair of numbers for a span, the text of an object of an open set, nothing for a label
alone.
"""

import ast
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from audit.domain.sets import Thing
from audit.domain.tags import spans_of
from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.readers.json_files import decoded
from audit.formats.settings.answers import NEITHER
from audit.formats.table.parsed import Table, in_unit
from audit.text import listed, quoted, visible

SEPARATORS = (",", ";", "|")
_SPAN_KEYS = (("start", "begin"), ("end", "stop"), ("label", "type", "entity"))
_SHOWN = 80
_OF_PYTHON = re.compile(r"(?:frozen)?set\((.*)\)", re.DOTALL)  # as Python writes a set; an empty one has nothing inside


def with_lists_as_text(content: Content) -> Content:
    """A JSON file whose lists in items are their JSON text, so that a column can hold them; any other as it is."""
    if content.text.lstrip()[:1] not in {"[", "{"}:
        return content
    with suppress(ValueError):
        return replace(content, text=_dumped(_flat(decoded(content.text))), _parsed={})
    with suppress(ValueError):
        lines = [_dumped(_flat_fields(decoded(line))) if line.strip() else line for line in content.lines]
        return replace(content, text="\n".join(lines), _parsed={})
    return content


def _flat(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """A value with items in it: a list of objects, or objects and lists by ids or below names."""
    if isinstance(value, list):
        return list(map(_flat_fields, value))
    if not isinstance(value, dict):
        return value
    are_items = any(
        isinstance(inner, list) and any(isinstance(each, dict) for each in inner) for inner in value.values()
    )
    return {name: _flat(inner) for name, inner in value.items()} if are_items else _flat_fields(value)


def _flat_fields(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {name: _flat_fields(inner) for name, inner in value.items()}
    return _dumped(value) if isinstance(value, list) else value


def _dumped(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def separator_of(cells: Sequence[str]) -> str:
    """The separator that cells of lists have: the only one of three that stands in any, else a comma.

    A blank only says so where the words between blanks are cells by themselves, too: then it is asked for.
    """
    plain = {cell for cell in cells if cell[:1] not in {"[", "{", "("}}
    found = [each for each in SEPARATORS if any(each in cell for cell in plain)]
    if not found and (joined := sorted(cell for cell in plain if " " in cell and plain.issuperset(cell.split()))):
        raise ValueError(
            f"{quoted(joined[0], _SHOWN)}, {len(joined):,} of {len(plain):,} cells: one label, or several?"
        )
    return found[0] if len(found) == 1 else SEPARATORS[0]


@dataclass(frozen=True, slots=True)
class SetReader:
    """How cells become sets."""

    form: str
    separator: str = ","
    repair: str = "conll"
    label: str = ""  # of the things of an open set, which have none
    closed: bool = False  # whether gold's tags mark the last token of a span

    def sets(self, table: Table, path: str) -> list[list[Thing]]:
        """The things of each unit of a file: of each row, or each sequence of tags."""
        if self.form == "tags":
            return self._spans(table, self.repair)
        sets, issues = [], []
        for cell, line in zip(table.labels, table.lines, strict=True):
            try:
                sets.append(self.of_cell(cell))
            except ValueError as error:
                issues.append(in_unit(Issue.of("bad-set", path, str(error), lines=[line]), table.layout.kind.unit))
        if issues:
            raise InputError(issues)
        return sets

    def count_broken(self, table: Table) -> int:
        """Count the spans that ``repair = "strict"`` drops from the tags of a file."""
        if self.form != "tags" or self.repair != "strict":
            return 0
        pairs = zip(self._spans(table, "conll"), self._spans(table, "strict"), strict=True)
        return sum(len(set(spans) - set(whole)) for spans, whole in pairs)

    def _spans(self, table: Table, repair: str) -> list[list[Thing]]:
        """The spans of each sequence of tags, by a rule for broken ones."""
        tags = iter(table.labels)
        sequences = (list(islice(tags, length)) for length in table.sequences or ())
        return [spans_of(sequence, repair, closed=self.closed) for sequence in sequences]

    def of_cell(self, cell: str) -> list[Thing]:
        """The things in one cell."""
        members = self._members(cell.strip())
        if self.form == "spans":
            return list(map(_span, members))
        return [
            (self.label, _dumped(member)) if isinstance(member, dict | list) else (str(member).strip(), "")
            for member in members
        ]

    def _members(self, cell: str) -> list[Any]:
        cell = _OF_PYTHON.sub(r"\1", cell)
        if not cell:
            return []
        if cell[0] not in "[{(" and not cell.startswith("null"):
            parts = [cell] if self.form == "rows" else cell.split(self.separator)
            return [part.strip() for part in parts if part.strip()]
        if cell.startswith(NEITHER):
            cell = cell.removeprefix(NEITHER)
            is_score = re.fullmatch(r"[-+]?\d*\.\d+(e[-+]?\d+)?", cell, re.IGNORECASE)
            reason = "a score, and the threshold of its label is not known: write 0 and 1, as the team decided"
            raise ValueError(f"{quoted(cell)} is {reason if is_score else 'neither 0 nor 1, which say what a set has'}")
        with suppress(ValueError, RecursionError, SyntaxError, MemoryError):
            return _as_list(json.loads(cell, parse_int=str, parse_float=str))
        with suppress(ValueError, RecursionError, SyntaxError, MemoryError):
            return _as_list(ast.literal_eval(cell))
        raise ValueError(f"{quoted(cell, _SHOWN)} is no list of labels")


def _as_list(value: Any) -> list[Any]:  # noqa: ANN401 - any literal
    if value is None:
        return []
    if isinstance(value, list | tuple | set | frozenset):
        return sorted(value) if isinstance(value, set | frozenset) else list(value)
    raise ValueError("no list")


def _span(member: Any) -> Thing:  # noqa: ANN401 - any JSON value
    """A span from an object or a triple; the numbers as they stand."""
    if isinstance(member, dict):
        found = [next((member[key] for key in keys if key in member), None) for keys in _SPAN_KEYS]
    elif isinstance(member, list | tuple) and len(member) == len(_SPAN_KEYS):
        found = sorted(member, key=lambda part: not str(part).isdigit())
    else:
        found = []
    label = str(found[2]) if len(found) == len(_SPAN_KEYS) and found[2] is not None else ""
    numbers = [str(part) for part in found[:2]]
    if not label or not all(map(str.isdigit, numbers)):
        shown = visible(_dumped(member), _SHOWN)
        names = listed([quoted(keys[0]) for keys in _SPAN_KEYS])
        raise ValueError(f"{shown} is no span: an object with {names}, the first two whole numbers")
    return (label, (int(numbers[0]), int(numbers[1])))


def shifted(sets: Sequence[Sequence[Thing]], gold: Sequence[Sequence[Thing]]) -> tuple[int, int, int, int] | None:
    """How far starts and ends are from gold's where they count otherwise, with the hits as they stand and so moved.

    From 0 or 1, ends inclusive or not: what is hit more than twice as often by one of these is meant so.

    >>> gold = [[("PER", (0, 5)), ("LOC", (9, 12))], [("PER", (3, 6))]]
    >>> shifted([[("PER", (1, 5)), ("LOC", (10, 12))], [("PER", (4, 6))]], gold)
    (1, 0, 0, 3)
    """
    known = {(unit, thing) for unit, things in enumerate(gold) for thing in things}
    spans = [(unit, label, *at) for unit, things in enumerate(sets) for label, at in things if isinstance(at, tuple)]

    def n_hits(by: tuple[int, int]) -> int:
        return sum((unit, (label, (start - by[0], end - by[1]))) in known for unit, label, start, end in spans)

    best = max(((start, end) for start in (0, -1, 1) for end in (0, -1, 1)), key=n_hits)
    as_they_stand, moved = n_hits((0, 0)), n_hits(best)
    return (*best, as_they_stand, moved) if moved > max(2, 2 * as_they_stand) else None
