"""How a file is laid out: what task.toml says of it, and one complete layout, in words and as task.toml states it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audit.errors import Issue
from audit.formats.files.content import Content
from audit.formats.settings.answers import AS_IT_STANDS, Greatest, Rule, Spelling, Threshold
from audit.text import listed, quoted, visible


def toml_text(text: str) -> str:
    """Text as a TOML basic string, whose escapes are JSON's."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_list(texts: Iterable[str]) -> str:
    """Texts as a TOML list."""
    return f"[{', '.join(map(toml_text, texts))}]"


def shown_value(value: object) -> str:
    """A value of task.toml for a message, shortened."""
    if isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, dict):
        pairs = (
            f"{key} = {'…' if isinstance(inner, dict | list) else shown_value(inner)}"
            for key, inner in value.items()
        )
        return visible(f"{{ {', '.join(pairs)} }}", 60)
    if isinstance(value, str):
        return toml_text(visible(value, 60))
    return visible(str(value), 60)


DOCUMENT = "document"  # what a group is called where task.toml has no other word

KNOWN_SEPARATORS = ("-DOCSTART-", "# newdoc")
"""How lines between documents begin in the format of CoNLL 2003, and in CoNLL-U."""


@dataclass(frozen=True, slots=True)
class GroupFile:
    """A second file with a group on each line: ``group = { path = "test.docs" }``."""

    path: str
    """The file: a line for each sequence of gold, or for each item where gold has no sequences."""
    unit: str = DOCUMENT


@dataclass(frozen=True, slots=True)
class Separator:
    """Lines between groups of sequences: ``group = { between = "-DOCSTART-" }``."""

    text: str  # the text that such a line begins with; empty for blank lines
    unit: str = DOCUMENT


Grouping = tuple[str | int, ...] | Literal[False] | GroupFile | Separator
"""Columns; False where items are independent; a second file; or lines between groups."""


@dataclass(frozen=True, eq=False)
class Separated:
    """A file without its separating lines."""

    content: Content  # the file, every separating line blank, so that all others keep their numbers
    separators: NDArray[np.int64] | None = None
    """The lines that separate, counted from 1, in order, shape (S,); None where nothing separates."""

    @classmethod
    def by(cls, separator: str | None, content: Content) -> "Separated":
        """The file without the lines that begin with a text, or that are blank where it is empty."""
        if separator is None:
            return cls(content)
        lines = content.lines
        separates = [
            line.startswith(separator) if separator else not line.strip(" \t") for line in lines
        ]
        numbers = 1 + np.flatnonzero(np.array(separates, dtype=bool))
        if not separator or not numbers.size:
            return cls(content, numbers)
        kept = [
            "" if is_separator else line
            for line, is_separator in zip(lines, separates, strict=True)
        ]
        return cls(replace(content, text="\n".join([*kept, ""]), _parsed={}), numbers)

    def groups(self, lines: Sequence[int]) -> list[int] | None:
        """The group of each of these lines, by number; None where nothing separates."""
        if self.separators is None:
            return None
        groups: list[int] = np.searchsorted(self.separators, np.asarray(lines, np.int64)).tolist()
        return groups


def no_sequences(path: str, reason: str) -> Issue:
    """The issue for lines that would stand between groups of sequences in a file that has none."""
    expected = "tag sequences; in other files a column of groups, or a second file, says which items belong together"
    remedy = (
        'say under [gold] how the sequences are written: format = "sequences", or format = "tokens" with delimiter = … '
        "and label = …; group = false takes items as independent"
    )
    return Issue.of(
        "gold-bad-groups",
        path,
        f"lines between groups, but {reason}",
        expected=expected,
        remedy=remedy,
    )


StatedColumns = tuple[
    str | int, ...
]  # columns as task.toml names them: by name, or by number from 1


@dataclass(frozen=True, slots=True)
class StatedLayout:
    """What task.toml states of a file's layout, in [gold], [submissions] or [wide]; None where it is silent.

    The readers look for the one `Layout` that agrees with it.
    """

    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    skip: int | None = None
    comment: str | None = None
    quote: str | None = None
    encoding: str | None = None
    sheet: str | int | None = None
    records: str | None = None
    id: StatedColumns | Literal[False] | None = None
    label: StatedColumns | None = None
    group: Grouping | None = None
    slices: StatedColumns = ()
    score: StatedColumns = ()
    score_by_name: tuple[tuple[str, StatedColumns], ...] = ()
    above: tuple[str, ...] = ()
    rule: Rule | None = None
    spelling: Spelling = AS_IT_STANDS
    id_pattern: str | None = None

    def overridden_by(self, other: "StatedLayout") -> "StatedLayout":
        """Return this layout with all that another one states in its place."""
        stated = {}
        for field in fields(self):
            value = getattr(other, field.name)
            if value != getattr(NOTHING_STATED, field.name):
                stated[field.name] = value
        return replace(self, **stated)

    def with_score(self, column: StatedColumns) -> "StatedLayout":
        """Return this layout with a column of scores, which a threshold makes labels or which are kept."""
        if self.makes_labels:
            return replace(self, label=column)
        return replace(self, score=column)

    @property
    def names_a_column(self) -> bool:
        """Whether a column of ids, labels, groups or slices is named."""
        return bool(self.id or self.label or self.further_columns)

    @property
    def further_columns(self) -> StatedColumns:
        """The columns beside those of ids and labels that task.toml names: of groups, and of slices."""
        return (*self.group_columns, *self.slices)

    def scored_labels(self, labels: Iterable[str]) -> tuple[str, ...]:
        """The labels that a higher score of an item speaks for: one of two, or each that has a column of its own."""
        label_set = set(labels)
        if isinstance(self.rule, Threshold):
            if {self.rule.above, self.rule.below} == label_set:
                return (self.rule.above,)
            return ()
        if isinstance(self.rule, Greatest):
            named = self.rule.names
        else:
            named = self.above
        is_one_of_many = len(named) == 1 and len(label_set) != 2  # noqa: PLR2004 - that label and another one
        if set(named) <= label_set and not is_one_of_many:
            return named
        return ()

    @property
    def makes_labels(self) -> bool:
        """Whether a threshold makes labels of scores."""
        return isinstance(self.rule, Threshold)

    @property
    def group_columns(self) -> StatedColumns:
        """The columns of the groups; none where something else says which items belong together."""
        if isinstance(self.group, tuple):
            return self.group
        return ()


NOTHING_STATED = StatedLayout()


BLANKS = "blanks"
DELIMITERS: Mapping[str, str] = {"tab": "\t", "comma": ",", "semicolon": ";", "blanks": BLANKS}
"""Delimiters by their names in task.toml, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class FormatKind:
    """The description of one format."""

    words: str  # a file of it, in the list of assumptions; fields of `Layout` in braces
    settings: tuple[str, ...]
    """The settings beside ``format`` and ``encoding`` that it has, of which those that differ tell two layouts apart.
    """
    unit: str = "line"  # the word for the place of an item, such as line or row
    column: str = "column"  # the word for a column; empty where the format has none
    answer: str = "line"  # the word for an answer


_COLUMNS = ("id", "label", "score", "group", "slices")

FORMATS: Mapping[str, FormatKind] = {
    "delimited": FormatKind(
        "{delimiter}, {header}", ("skip", "delimiter", "header", "comment", "quote", *_COLUMNS)
    ),
    "excel": FormatKind(
        "sheet {sheet} of a workbook, {header}",
        ("sheet", "skip", "header", *_COLUMNS),
        unit="row",
        answer="row",
    ),
    "parquet": FormatKind("a Parquet table", _COLUMNS, unit="row", answer="row"),
    "json": FormatKind(
        "JSON{records}", ("records", *_COLUMNS), unit="entry", column="field", answer="entry"
    ),
    "jsonl": FormatKind("JSON Lines", _COLUMNS, column="field"),
    "lines": FormatKind(
        "one label per line{header}", ("skip", "header", "comment", "score"), column=""
    ),
    "sequences": FormatKind(
        "a sequence of tags per line", ("skip", "comment"), column="", answer="tag"
    ),
    "tokens": FormatKind(
        "a token per line, {delimiter}{header}",
        ("skip", "header", "comment", "delimiter", "label", "group", "slices"),
        answer="tag",
    ),
}
"""The formats, by their names in task.toml."""

Numbers = tuple[int, ...]  # columns, counted from 0


@dataclass(frozen=True, slots=True)
class Layout:
    """One complete way to read a file."""

    format: str
    delimiter: str = ""  # a character, or `blanks`; empty for none
    header: bool = False  # whether the first line is a header
    comment: str = ""  # lines that begin with it are left out; empty for none
    quote: str = ""  # the character around cells that contain the delimiter; empty for none
    id: Numbers | None = None
    label: Numbers = (0,)
    group: Numbers = ()
    slices: Numbers = ()
    score: Numbers = ()  # beside the labels, not what a rule makes labels of
    names: tuple[str, ...] = ()  # the header, or the fields of the JSON objects
    width: int = 1
    skip: int = 0  # leading lines or rows that task.toml leaves out
    n_above: int = 0  # leading lines below them that hold no item, as their look says
    sheet: str = ""
    records: str = ""  # where in a JSON value the items are; empty for the value itself
    rule: Rule | None = None  # how scores or several columns become labels
    id_pattern: str | None = None  # the part of its cell that is the id
    separator: str | None = None
    """How lines between groups of sequences begin; empty for blank lines."""
    hidden: str = ""  # what Excel hides of that which is read, in words
    stated: bool = False  # whether task.toml leaves nothing of this layout open

    @property
    def id_name(self) -> str | None:
        """The name of the id column, where there is one and it has a name."""
        return self._only_name(self.id or ())

    @property
    def label_name(self) -> str | None:
        """The name of the label column, where there is one and it has a name."""
        return self._only_name(self.label)

    def _only_name(self, columns: Numbers) -> str | None:
        if self.names and len(columns) == 1:
            return self.names[columns[0]]
        return None

    def column_name(self, number: int) -> str:
        """The name of a column, or its number in words."""
        if self.names:
            return self.names[number]
        return f"column {number + 1}"

    @property
    def columns(self) -> set[int]:
        """All columns that are read."""
        return {*(self.id or ()), *self.label, *self.group, *self.slices, *self.score}

    @property
    def n_left_out(self) -> int:
        """Leading lines that are not read: those that task.toml leaves out, and those that hold no item."""
        return self.skip + self.n_above

    @property
    def kind(self) -> FormatKind:
        """The format."""
        return FORMATS[self.format]

    def settings(self) -> dict[str, str]:
        """The lines for task.toml that state this layout, by key."""
        if self.rule is None or len(self.label) > 1:
            label = "label"
        else:
            label = "score"
        greatest = f"{{ greatest = {self._stating(self.label)} }}"
        values = {
            "format": toml_text(self.format),
            "sheet": toml_text(self.sheet),
            "records": toml_text(self.records),
            "skip": str(self.skip) if self.skip else None,
            "delimiter": toml_text(delimiter_name(self.delimiter)),
            "header": json.dumps(self.header),
            "comment": toml_text(self.comment)
            if self.comment or self.format == "delimited"
            else None,
            "id": self._stating(self.id),
            label: greatest if isinstance(self.rule, Greatest) else self._stating(self.label),
            **({"score": self._stating(self.score)} if self.score else {}),
            "group": self._stating(self.group) if self.group else None,
            "slices": f"[{', '.join(map(self.stating, self.slices))}]" if self.slices else None,
        }
        keys = ("format", *self.kind.settings)
        return {
            key: f"{key} = {value}"
            for key, value in values.items()
            if key in keys and value is not None
        }

    def _stating(self, columns: Numbers | None) -> str:
        if columns is None:
            return "false"
        shown = list(map(self.stating, columns))
        if len(shown) == 1:
            return shown[0]
        return f"[{', '.join(shown)}]"

    def stating(self, column: int) -> str:
        """A column for task.toml: by its name, or by its number where it has none of its own."""
        if self.names:
            unique = self.names.count(self.names[column]) == 1
        else:
            unique = False
        if unique:
            return toml_text(self.names[column])
        return str(column + 1)

    @property
    def how(self) -> str:
        """The layout in words, except for what the columns hold."""
        if self.n_left_out == 1:
            above = self.kind.unit
        else:
            above = f"{self.n_left_out:,} {self.kind.unit}s"
        if self.n_left_out:
            left_out = f"the first {above} left out"
        else:
            left_out = ""
        words = self.kind.words.format_map(self._words())
        if self.separator:
            between = f"lines that begin with {quoted(self.separator)}"
        else:
            between = "blank lines"
        if self.separator is None:
            separated = ""
        else:
            separated = f"{between} stand between groups"
        return ", ".join(filter(None, (words, left_out, self.hidden, separated)))

    def __str__(self) -> str:
        """The layout in words, for the list of assumptions."""
        if self.kind.column:
            columns = self._columns(self.kind.column)
        else:
            columns = ""
        return "; ".join(
            filter(None, (self.how, columns, "" if self.rule is None else str(self.rule)))
        )

    def _words(self) -> dict[str, str]:
        """The parts of the layout in words."""
        if self.header:
            header = "header"
        else:
            header = "no header"
        if self.format in {"lines", "tokens"}:
            header = ", after a header" * self.header
        name = delimiter_name(self.delimiter)
        if name in DELIMITERS:
            delimiter = f"{name}-separated"
        else:
            delimiter = f"separated by {quoted(self.delimiter)}"
        return {
            "delimiter": "separated by runs of blanks" if self.delimiter == BLANKS else delimiter,
            "header": header,
            "sheet": quoted(self.sheet),
            "records": f", {quoted(self.records)}" if self.records else "",
        }

    def _columns(self, noun: str) -> str:
        """Which columns hold what."""
        if isinstance(self.rule, Threshold | Greatest):
            labels = "scores"
        else:
            labels = "labels"
        roles = {"ids": self.id, labels: self.label, "groups": self.group, "slices": self.slices}
        parts = [*roles.items(), ("scores", self.score)]  # beside scores that make labels, too
        holders = [
            (role, columns, self._column_words(noun, columns)) for role, columns in parts if columns
        ]
        (role, columns, words), *others = holders
        first = f"{words} {'holds' if len(columns) == 1 else 'hold'} the {role}"
        position = ["items are known by position"] * (self.id is None)
        return ", ".join([first, *(f"{words} the {role}" for role, _, words in others), *position])

    def _column_words(self, noun: str, columns: Numbers) -> str:
        names = [
            quoted(self.names[column]) if self.names else str(column + 1) for column in columns
        ]
        return f"{noun if len(names) == 1 else noun + 's'} {listed(names)}"


def delimiter_name(delimiter: str) -> str:
    """The delimiter as task.toml writes it."""
    return next(
        (name for name, character in DELIMITERS.items() if character == delimiter), delimiter
    )
