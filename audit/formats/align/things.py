"""The sets that a file gives to units: lists in cells, a column for each label, rows of one label, spans of tags.

A thing is a label and a place: a pair of numbers for a span, the text of an object of an open set, nothing for a label
alone.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any
from unicodedata import normalize

from audit.domain.sets import Place, Thing
from audit.domain.tags import STANDARD, TagScheme, spans_of
from audit.errors import InputError, Issue
from audit.formats.align.label_cells import (
    SHOWN,
    Number,
    is_missing,
    is_vector,
    label_of,
    members_of,
)
from audit.formats.files.content import Content
from audit.formats.readers.json_files import decoded
from audit.formats.settings.answers import NEITHER, TRIPLES
from audit.formats.settings.layout import toml_text
from audit.formats.table.parsed import Table, capped, in_unit
from audit.text import listed, quoted, visible

_SPAN_KEYS = (("start", "begin"), ("end", "stop"), ("label", "type", "entity"))
_TEXT_KEYS = ("text", "surface", "mention")
_WHOLE = re.compile("[0-9]+")
_SCORE = re.compile(r"[-+]?\d*\.\d+(e[-+]?\d+)?", re.IGNORECASE)


def with_lists_as_text(content: Content) -> Content:
    """A JSON file whose lists in items are their JSON text, so that a column can hold them; any other as it is."""
    if content.text.lstrip()[:1] not in {"[", "{"}:
        return content
    with suppress(ValueError):
        return replace(
            content, text=_as_json(_flat(decoded(content.text, number=Number))), _parsed={}
        )
    with suppress(ValueError):
        lines = []
        for line in content.lines:
            if line.strip():
                flat = _as_json(_flat_fields(decoded(line, number=Number)))
            else:
                flat = line
            lines.append(flat)
        return replace(content, text="\n".join(lines), _parsed={})
    return content


def _flat(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """A value with items in it: a list of objects, or objects and lists by ids or below names."""
    if isinstance(value, list):
        return list(map(_flat_fields, value))
    if not isinstance(value, dict):
        return value
    are_items = any(
        isinstance(inner, list) and any(isinstance(each, dict) for each in inner)
        for inner in value.values()
    )
    if are_items:
        return {name: _flat(inner) for name, inner in value.items()}
    return _flat_fields(value)


def _flat_fields(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {name: _flat_fields(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return _as_json(value)
    return value


def _as_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value as JSON, its numbers as they are written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_as_json, value))}]"
    if isinstance(value, dict):
        fields = [f"{_dumped(name)}: {_as_json(value[name])}" for name in sorted(value)]
        return f"{{{', '.join(fields)}}}"
    return _dumped(value)


def _dumped(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value as JSON in which a number is the text that it is written as."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class SetReader:
    """How cells become sets."""

    form: str
    separator: str = ","
    repair: str = "conll"
    label: str = ""  # of the things of an open set, which have none
    known: frozenset[str] = frozenset()
    """Labels that are declared or gold's, and accepted spellings."""
    scheme: TagScheme = STANDARD  # of gold's tags
    triples: str | None = None  # the order of [label, start, end] where a file does not tell it
    closed: bool = False  # whether gold's tags mark the last token of a span

    def sets(self, table: Table, path: str) -> list[list[Thing]]:
        """The things of each unit of a file: of each row, or each sequence of tags."""
        if self.form == "tags":
            return self._spans(table, self.repair)
        members = self._members(table, path)
        things_of = self._things_of(members, path)
        return list(
            _each_row(things_of, list(zip(members, table.labels, strict=True)), table, path)
        )

    def texts(self, table: Table, path: str) -> list[dict[Place, str]]:
        """The text that a file gives beside the offsets of each span of a unit; none in any form but spans."""
        if self.form != "spans":
            return []
        texts: list[dict[Place, str]] = []
        for members in self._members(table, path):
            of_unit = {}
            for member in members:
                text = _text_of(member)
                if text is not None:
                    _, place = _span(member)
                    of_unit[place] = text
            texts.append(of_unit)
        return texts

    def count_broken(self, table: Table) -> int:
        """Count the spans that ``repair = "strict"`` drops from the tags of a file."""
        if self.form != "tags" or self.repair != "strict":
            return 0
        pairs = zip(self._spans(table, "conll"), self._spans(table, "strict"), strict=True)
        return sum(len(set(spans) - set(whole)) for spans, whole in pairs)

    def _spans(self, table: Table, repair: str) -> list[list[Thing]]:
        """The spans of each sequence of tags, by a rule for broken ones."""
        tags = map(self.scheme.standard, table.labels)
        sequences = (list(islice(tags, length)) for length in table.sequences or ())
        return [spans_of(sequence, repair, closed=self.closed) for sequence in sequences]

    def of_cell(self, cell: str) -> list[Thing]:
        """The things in one cell; raises ValueError, with the cell, where it is outside of the grammar."""
        members = self._members_of(cell)
        if self.form == "spans":
            positions = _label_positions(_triples([members]), self.known)
            return [_span(member, positions[0]) for member in members]
        return self._labels(members, cell)

    def check_vectors(self, table: Table, path: str) -> None:
        """Refuse cells that say 0 or 1 of each label, and do not name those that an item has."""
        if self.form != "list":
            return
        if not is_vector(self._members(table, path)) and not is_vector(
            [cell.split() for cell in table.labels]
        ):
            return
        defect = f"{quoted(table.labels[0], SHOWN)} says 0 or 1 of each label by its look, and names none"
        remedy = "write the names of its labels into each cell; or make a column of 0 and 1 for each label"
        raise InputError([_bad_set(defect, table.lines[0], table, path, remedy=remedy)])

    def _members(self, table: Table, path: str) -> list[list[Any]]:
        """What stands in each cell."""
        return list(_each_row(self._members_of, [(cell,) for cell in table.labels], table, path))

    def _members_of(self, cell: str) -> list[Any]:
        if cell.startswith(NEITHER):
            odd = cell.removeprefix(NEITHER)
            reason = "neither 0 nor 1, which say what a set has"
            if _SCORE.fullmatch(odd):
                reason = "a score, and the threshold of its label is not known: write 0 and 1, as the team decided"
            raise ValueError(f"{quoted(odd)} is {reason}")
        if cell.strip() in self.known:
            return [cell.strip()]
        return members_of(cell, None if self.form in {"rows", "spans"} else self.separator)

    def _things_of(
        self, members: Sequence[list[Any]], path: str
    ) -> Callable[[list[Any], str], list[Thing]]:
        """How the members of a cell become things; the place of labels in triples is one for the whole file."""
        if self.form != "spans":
            return self._labels
        positions = _label_positions(_triples(members), self.known)
        if len(positions) > 1 and self.triples is not None and TRIPLES[self.triples] in positions:
            positions = [TRIPLES[self.triples]]
        if len(positions) > 1:
            shown = _as_json(_triples(members)[0])
            settings = [f"triples = {toml_text(name)}" for name in TRIPLES]
            defect = f"{shown} and all others have numbers alone: which of the three is the label?"
            remedy = f"write into task.toml, under [sets]: {listed(settings, 'or')}"
            raise InputError(
                [Issue.of("ambiguous-reading", path, defect, expected="one reading", remedy=remedy)]
            )
        return lambda of_unit, _: [_span(member, positions[0]) for member in of_unit]

    def _labels(self, members: list[Any], cell: str) -> list[Thing]:
        """The labels of a cell, and the objects of an open set."""
        things: list[Thing] = []
        for member in members:
            if isinstance(member, dict | list):
                things.append((self.label, _dumped(member)))
                continue
            if isinstance(member, bool) or is_missing(member, self.known):
                raise _no_label(member, cell)
            if label := label_of(member, cell, self.known):
                things.append((label, ""))
        return things


class MissingValueError(ValueError):
    """A cell with a word for a missing value, and what could be stated of it."""

    def __init__(self, defect: str, remedy: str | None) -> None:
        super().__init__(defect)
        self.remedy = remedy


def _no_label(member: str | None, cell: str) -> MissingValueError:
    if isinstance(member, str):
        shown = member
    else:
        shown = json.dumps(member)
    defect = f"{quoted(cell, SHOWN)} is no list of labels: {quoted(shown)} is no label"
    remedy = None
    if isinstance(member, str):
        alias = f'{toml_text(shown)} = ""'
        remedy = f"if it says that there is no label, write into task.toml, under [aliases]: {alias}; or declare labels"
    return MissingValueError(defect, remedy)


def _each_row(
    read: Callable[..., Any], rows: Sequence[tuple[Any, ...]], table: Table, path: str
) -> Iterator[Any]:
    """What is read of each row; raises every ValueError as one issue of its line."""
    issues = []
    for row, line in zip(rows, table.lines, strict=True):
        try:
            yield read(*row)
        except ValueError as error:
            if isinstance(error, MissingValueError):
                remedy = error.remedy
            else:
                remedy = None
            issues.append(_bad_set(str(error), line, table, path, remedy=remedy))
    if issues:
        raise InputError(capped(issues))


def _bad_set(
    defect: str, line: int, table: Table, path: str, *, remedy: str | None = None
) -> Issue:
    return in_unit(
        Issue.of("bad-set", path, defect, lines=[line], remedy=remedy), table.layout.kind.unit
    )


def _triples(members: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """The members that are lists of three."""
    return [
        member
        for of_unit in members
        for member in of_unit
        if isinstance(member, list) and len(member) == len(_SPAN_KEYS)
    ]


def _label_positions(triples: Sequence[Sequence[Any]], known: Collection[str]) -> list[int]:
    """Which of three parts can be the label of all spans of a file: one, where the file tells it.

    The others are whole numbers, by what follows one after another as long as it tells: texts and numbers of JSON, a
    start that is not behind its end, and labels that are known.

    >>> _label_positions([["25", "0", "5"]], ()), _label_positions([["3", "4", "5"]], ())
    ([0], [0, 2])
    """
    if not triples:
        return [0]
    if all(_is_whole(part) for triple in triples for part in triple):
        positions = [0, 2]
    else:
        positions = [0, 1, 2]
    for is_possible in (
        _has_numbers_beside,
        _differs_in_kind,
        _is_in_order,
        lambda one, at: str(one[at]) in known,
    ):
        possible = [at for at in positions if all(is_possible(triple, at) for triple in triples)]
        positions = possible or positions
    return positions


def _is_whole(part: object) -> bool:
    return isinstance(part, str) and _WHOLE.fullmatch(part) is not None


def _beside(triple: Sequence[Any], at: int) -> list[Any]:
    return [*triple[:at], *triple[at + 1 :]]


def _has_numbers_beside(triple: Sequence[Any], at: int) -> bool:
    return all(map(_is_whole, _beside(triple, at)))


def _differs_in_kind(triple: Sequence[Any], at: int) -> bool:
    return not isinstance(triple[at], Number) and all(
        isinstance(part, Number) for part in _beside(triple, at)
    )


def _is_in_order(triple: Sequence[Any], at: int) -> bool:
    start, end = _beside(triple, at)
    return _is_whole(start) and _is_whole(end) and int(start) <= int(end)


def _span(member: Any, label_at: int = 0) -> Thing:  # noqa: ANN401 - any JSON value
    """A span from an object or a triple; the numbers as they stand."""
    parts: list[Any] = []
    if isinstance(member, dict):
        parts = [next((member[key] for key in keys if key in member), None) for keys in _SPAN_KEYS]
    elif isinstance(member, list) and len(member) == len(_SPAN_KEYS):
        parts = [*_beside(member, label_at), member[label_at]]
    shown = visible(_as_json(member), SHOWN)
    if parts and isinstance(parts[2], str):
        label = label_of(parts[2], shown)
    else:
        label = ""
    if not label or not all(map(_is_whole, parts[:2])):
        names = listed([quoted(keys[0]) for keys in _SPAN_KEYS])
        raise ValueError(f"{shown} is no span: an object with {names}, the first two whole numbers")
    return (label, (int(parts[0]), int(parts[1])))


def _text_of(member: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """The text that an object gives beside its offsets, composed, with single blanks; None where it gives none."""
    if not isinstance(member, dict):
        return None
    text = next((member[key] for key in _TEXT_KEYS if key in member), None)
    if isinstance(text, str):
        return " ".join(normalize("NFC", text).split())
    return None


def other_texts(
    texts: Sequence[dict[Place, str]], gold: Sequence[dict[Place, str]]
) -> tuple[int, list[tuple[int, Place, str, str]]]:
    """Spans that two files have at the same place of a unit: how many both give a text, and those with different ones.

    >>> other_texts([{(0, 3): "Bob", (4, 7): "ran"}], [{(0, 3): "Ann", (9, 9): "x"}])
    (1, [(0, (0, 3), 'Bob', 'Ann')])
    """
    n_both = 0
    different = []
    for unit, (of_file, of_gold) in enumerate(zip(texts, gold, strict=True)):
        for place in of_file.keys() & of_gold.keys():
            n_both += 1
            if of_file[place] != of_gold[place]:
                different.append((unit, place, of_file[place], of_gold[place]))
    return n_both, sorted(different)


def fields_of(sets: Iterable[Iterable[Thing]]) -> set[tuple[str, ...]]:
    """The names of fields that objects of an open set have, in order, each combination once.

    >>> fields_of([[("found", '{"doc": "1", "part": "a"}')], [("joy", "")]])
    {('doc', 'part')}
    """
    distinct = {
        place
        for things in sets
        for _, place in things
        if isinstance(place, str) and place[:1] == "{"
    }
    return {tuple(sorted(json.loads(place))) for place in distinct}


def shifted(
    sets: Sequence[Sequence[Thing]], gold: Sequence[Sequence[Thing]]
) -> tuple[int, int, int, int] | None:
    """How far starts and ends are from gold's where they count otherwise, with the hits as they stand and so moved.

    From 0 or 1, ends inclusive or not: what is hit more than twice as often by one of these is meant so.

    >>> gold = [[("PER", (0, 5)), ("LOC", (9, 12))], [("PER", (3, 6))]]
    >>> shifted([[("PER", (1, 5)), ("LOC", (10, 12))], [("PER", (4, 6))]], gold)
    (1, 0, 0, 3)
    """
    known = {(unit, thing) for unit, things in enumerate(gold) for thing in things}
    spans = [
        (unit, label, *at)
        for unit, things in enumerate(sets)
        for label, at in things
        if isinstance(at, tuple)
    ]

    def n_hits(by: tuple[int, int]) -> int:
        return sum(
            (unit, (label, (start - by[0], end - by[1]))) in known
            for unit, label, start, end in spans
        )

    best = max(((start, end) for start in (0, -1, 1) for end in (0, -1, 1)), key=n_hits)
    as_they_stand = n_hits((0, 0))
    moved = n_hits(best)
    if moved > max(2, 2 * as_they_stand):
        return (*best, as_they_stand, moved)
    return None
