"""How a file is read: what task.toml says about it, and what was decided."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from audit.errors import Issue
from audit.formats.settings.answers import AS_IT_STANDS, Rule, Spelling
from audit.formats.settings.grouping import Grouping, Separator
from audit.text import listed, quoted

BLANKS = "blanks"
DELIMITERS: Mapping[str, str] = {"tab": "\t", "comma": ",", "semicolon": ";", "blanks": BLANKS}
"""Delimiters by their names in task.toml, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class FormatKind:
    """What is to be said about one format.

    Parameters
    ----------
    words : str
        A file of it, in the list of assumptions; fields of `Layout` in braces.
    settings : tuple of str
        The settings beside ``format`` and ``encoding`` that it has, of which those that differ tell two layouts apart.
    unit : str
        What an item is in it.
    column : str
        What a column is in it; empty where there are none.
    answer : str
        What an answer is in it.
    """

    words: str
    settings: tuple[str, ...]
    unit: str = "line"
    column: str = "column"
    answer: str = "line"


_COLUMNS = ("id", "label", "score", "group")
FORMATS: Mapping[str, FormatKind] = {
    "delimited": FormatKind("{delimiter}, {header}", ("skip", "delimiter", "header", "comment", "quote", *_COLUMNS)),
    "excel": FormatKind(
        "sheet {sheet} of a workbook, {header}", ("sheet", "skip", "header", *_COLUMNS), unit="row", answer="row"
    ),
    "parquet": FormatKind("a Parquet table", _COLUMNS, unit="row", answer="row"),
    "json": FormatKind("JSON{records}", ("records", *_COLUMNS), unit="entry", column="field", answer="entry"),
    "jsonl": FormatKind("JSON Lines", _COLUMNS, column="field"),
    "lines": FormatKind("one label per line{header}", ("skip", "header", "comment", "score"), column=""),
    "sequences": FormatKind("a sequence of tags per line", ("skip", "comment"), column="", answer="tag"),
    "tokens": FormatKind(
        "a token per line, {delimiter}", ("skip", "comment", "delimiter", "label", "group"), answer="tag"
    ),
}
"""The formats, by their names in task.toml."""

Numbers = tuple[int, ...]
"""Columns, counted from 0."""

ColumnKeys = tuple[str | int, ...]
"""Columns as task.toml names them: by name, or by number from 1."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What task.toml says about reading the gold or the submissions; None where it is silent.

    Parameters
    ----------
    format : str, optional
        One of `FORMATS`.
    delimiter : str, optional
        The character, or ``blanks`` for runs of blanks.
    header : bool, optional
        Whether the first line names the columns.
    skip : int, optional
        Lines or rows above the header, or above the first item, that are left out.
    comment, quote : str, optional
        The character, or the empty text for none.
    encoding : str, optional
        A Python text codec.
    sheet : str, int, optional
        A workbook's sheet: its name, or its number from 1.
    records : str, optional
        Where in a JSON value the items are: the names on the way, joined by dots.
    id : tuple of str and int, optional
        The columns whose cells are together an item's id; False where items are known by position only.
    label : tuple of str and int, optional
        The column of the labels, or of the scores; several where a combination of values is a label.
    group : tuple of str and int, GroupFile or Separator, optional
        What says which items belong together: the columns whose cells are together an item's group, a second file, or
        lines between groups; False where items are independent.
    rule : Threshold or Combinations, optional
        How scores or several columns become labels.
    spelling : Spelling
        Other spellings of labels that are accepted.
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
    id: ColumnKeys | Literal[False] | None = None
    label: ColumnKeys | None = None
    group: Grouping | None = None
    rule: Rule | None = None
    spelling: Spelling = AS_IT_STANDS

    @property
    def names_a_column(self) -> bool:
        """Whether a column of ids, labels or groups is named."""
        return bool(self.id or self.label or self.group_columns)

    @property
    def group_columns(self) -> ColumnKeys:
        """The columns of the groups; none where something else says which items belong together."""
        return self.group if isinstance(self.group, tuple) else ()


SILENT = Keys()


@dataclass(frozen=True, slots=True)
class Layout:
    """One complete way to read a file.

    Parameters
    ----------
    format : str
        One of `FORMATS`.
    delimiter, comment, quote : str
        As in `Keys`; empty for none.
    header : bool
        Whether the first line is a header.
    id, label, group : tuple of int
        The columns, counted from 0; ``id`` is None where items are known by position.
    names : tuple of str
        The header, or the fields of the JSON objects.
    width : int
        Number of columns.
    skip : int
        Leading lines or rows that task.toml leaves out.
    n_comments : int
        Leading lines below them that are comments.
    sheet : str
        A workbook's sheet.
    records : str
        Where in a JSON value the items are; empty for the value itself.
    rule : Threshold or Combinations, optional
        How scores or several columns become labels.
    separator : str, optional
        How the lines between groups of sequences begin, empty for blank lines; None where there are none.
    stated : bool
        Whether task.toml leaves nothing of this layout open.
    """

    format: str
    delimiter: str = ""
    header: bool = False
    comment: str = ""
    quote: str = ""
    id: Numbers | None = None
    label: Numbers = (0,)
    group: Numbers = ()
    names: tuple[str, ...] = ()
    width: int = 1
    skip: int = 0
    n_comments: int = 0
    sheet: str = ""
    records: str = ""
    rule: Rule | None = None
    separator: str | None = None
    stated: bool = False

    @property
    def id_name(self) -> str | None:
        """The name of the id column, where there is one and it has a name."""
        return self._only_name(self.id or ())

    @property
    def label_name(self) -> str | None:
        """The name of the label column, where there is one and it has a name."""
        return self._only_name(self.label)

    def _only_name(self, columns: Numbers) -> str | None:
        return self.names[columns[0]] if self.names and len(columns) == 1 else None

    @property
    def columns(self) -> set[int]:
        """All columns that are read."""
        return {*(self.id or ()), *self.label, *self.group}

    @property
    def kind(self) -> FormatKind:
        """The format."""
        return FORMATS[self.format]

    def settings(self) -> dict[str, str]:
        """The lines for task.toml that state this layout, by key."""
        label = "label" if self.rule is None or len(self.label) > 1 else "score"
        values = {
            "format": toml_text(self.format),
            "sheet": toml_text(self.sheet),
            "records": toml_text(self.records),
            "skip": str(self.skip) if self.skip else None,
            "delimiter": toml_text(delimiter_name(self.delimiter)),
            "header": toml_bool(self.header),
            "comment": toml_text(self.comment) if self.comment or self.format == "delimited" else None,
            "id": self._stating(self.id),
            label: self._stating(self.label),
            "group": self._stating(self.group) if self.group else None,
        }
        keys = ("format", *self.kind.settings)
        return {key: f"{key} = {value}" for key, value in values.items() if key in keys and value is not None}

    def _stating(self, columns: Numbers | None) -> str:
        if columns is None:
            return "false"
        shown = list(map(self._stating_one, columns))
        return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"

    def _stating_one(self, column: int) -> str:
        unique = self.names.count(self.names[column]) == 1 if self.names else False
        return toml_text(self.names[column]) if unique else str(column + 1)

    @property
    def how(self) -> str:
        """The layout in words, but for what the columns hold."""
        above = self.kind.unit if self.skip == 1 else f"{self.skip:,} {self.kind.unit}s"
        left_out = f"the first {above} left out" if self.skip else ""
        comments = f"leading lines with {quoted('#')} are comments" if self.n_comments else ""
        words = self.kind.words.format_map(self._words())
        between = f"lines that begin with {quoted(self.separator)}" if self.separator else "blank lines"
        separated = "" if self.separator is None else f"{between} stand between groups"
        return ", ".join(filter(None, (words, left_out, comments, separated)))

    def __str__(self) -> str:
        """The layout in words, for the list of assumptions."""
        columns = self._columns(self.kind.column) if self.kind.column else ""
        return "; ".join(filter(None, (self.how, columns, "" if self.rule is None else str(self.rule))))

    def _words(self) -> dict[str, str]:
        """The parts of the layout in words."""
        header = "header" if self.header else "no header"
        return {
            "delimiter": delimiter_words(self.delimiter),
            "header": header if self.kind.column else ", after a header" * self.header,
            "sheet": quoted(self.sheet),
            "records": f", {quoted(self.records)}" if self.records else "",
        }

    def _columns(self, noun: str) -> str:
        """Which columns hold what."""
        labels = "labels" if self.rule is None or len(self.label) > 1 else "scores"
        parts = [] if self.id is None else [(self.id, "ids")]
        parts += [(self.label, labels)] + ([(self.group, "groups")] if self.group else [])
        holders = [f"{self._called(noun, columns)} the {what}" for columns, what in parts]
        first, what = parts[0]
        holders[0] = f"{self._called(noun, first)} {'holds' if len(first) == 1 else 'hold'} the {what}"
        return ", ".join(holders) + (", items are known by position" if self.id is None else "")

    def _called(self, noun: str, columns: Numbers) -> str:
        names = [quoted(self.names[column]) if self.names else str(column + 1) for column in columns]
        return f"{noun if len(names) == 1 else noun + 's'} {listed(names)}"


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about the items and labels when a file is to be recognised.

    Parameters
    ----------
    labels : collection of str, optional
        The label set; None for a gold file whose labels are not declared.
    ids : mapping, optional
        The gold ids; None for gold itself, and where gold is known by position only.
    n_items : int, optional
        Number of gold items; None for gold itself.
    gold : Layout, optional
        How the gold file was read; None for gold itself.
    """

    labels: Collection[str] | None = None
    ids: Mapping[str, int] | None = None
    n_items: int | None = None
    gold: Layout | None = None

    @property
    def is_gold(self) -> bool:
        """Whether it is the gold file that is to be recognised."""
        return self.n_items is None

    @property
    def section(self) -> str:
        """The table of task.toml that decides how the file is read."""
        return "[gold]" if self.is_gold else "[submissions]"

    @property
    def id_name(self) -> str | None:
        """The name that the gold file gives its id column."""
        return None if self.gold is None else self.gold.id_name

    @property
    def label_name(self) -> str | None:
        """The name that the gold file gives its label column."""
        return None if self.gold is None else self.gold.label_name

    def separator(self, keys: Keys) -> str | None:
        """How the lines between groups of sequences begin; those of gold are no items of a submission either."""
        if not self.is_gold:
            return (self.gold.separator or None) if self.gold is not None else None
        return keys.group.text if isinstance(keys.group, Separator) else None

    @property
    def has_sequences(self) -> bool:
        """Whether gold's items are the tokens of sequences."""
        return self.gold is not None and self.gold.format in {"sequences", "tokens"}


@dataclass(frozen=True, slots=True)
class Table:
    """What a layout of a file gives.

    Parameters
    ----------
    layout : Layout
        How it was read.
    ids : sequence of str, optional
        Each row's item id, the parts of a composite one joined by tabs; None where rows are known by position only.
    labels : sequence of str
        Each row's label, empty where none is given.
    lines : sequence of int
        Each row's line, row or entry, counted from 1.
    issues : tuple of Issue
        What was wrong with single rows.
    groups : sequence of str, optional
        Each row's group; None where there are none.
    sequences : sequence of int, optional
        The number of rows of each tag sequence; None where the file does not say where sequences end.
    separated : sequence of int, optional
        Each row's group by the lines that stand between groups; None where no such lines do.
    respelt : tuple of (str, str, int)
        Each spelling that task.toml accepts for a label, with that label, and the number of rows.
    """

    layout: Layout
    ids: Sequence[str] | None
    labels: Sequence[str]
    lines: Sequence[int]
    issues: tuple[Issue, ...] = ()
    groups: Sequence[str] | None = None
    sequences: Sequence[int] | None = None
    separated: Sequence[int] | None = None
    respelt: tuple[tuple[str, str, int], ...] = ()

    def says_the_same(self, other: "Table") -> bool:
        """Whether it gives the same labels to the same items."""
        if not self.labels and not other.labels:
            return True
        same_ids = (self.ids is None) == (other.ids is None) and list(self.ids or ()) == list(other.ids or ())
        return same_ids and list(self.labels) == list(other.labels)

    def spelled(self, spelling: Spelling, labels: Collection[str] | None) -> "Table":
        """The table with every accepted spelling replaced by its label, and counted."""
        if spelling.is_silent:
            return self
        found = Counter(self.labels)
        changes = spelling.changes(found, labels)
        if not changes:
            return self
        respelt = tuple((spelling, label, found[spelling]) for spelling, label in changes.items())
        meant = {label: label for label in found} | changes
        return replace(self, labels=list(map(meant.__getitem__, self.labels)), respelt=respelt)


def delimiter_name(delimiter: str) -> str:
    """The delimiter as task.toml writes it."""
    return next((name for name, character in DELIMITERS.items() if character == delimiter), delimiter)


def delimiter_words(delimiter: str) -> str:
    """The delimiter in words."""
    if delimiter == BLANKS:
        return "separated by runs of blanks"
    name = delimiter_name(delimiter)
    return f"{name}-separated" if name in DELIMITERS else f"separated by {quoted(delimiter)}"


def toml_text(text: str) -> str:
    r"""Text as a TOML basic string.

    Examples
    --------
    >>> print(toml_text('say "a"\t'))
    "say \"a\"\u0009"
    """
    escaped = "".join(
        f"\\{character}"
        if character in '"\\'
        else f"\\u{ord(character):04x}"
        if ord(character) < 0x20 or ord(character) == 0x7F  # noqa: PLR2004 - TOML's control characters
        else character
        for character in text
    )
    return f'"{escaped}"'


def toml_bool(value: bool) -> str:  # noqa: FBT001 - the value is the subject
    """A truth value as TOML writes it."""
    return "true" if value else "false"
