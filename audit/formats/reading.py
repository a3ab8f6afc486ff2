"""How a file is read: what task.toml says about it, and what was decided."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from audit.errors import Issue
from audit.text import quoted

BLANKS = "blanks"
DELIMITERS: Mapping[str, str] = {"tab": "\t", "comma": ",", "semicolon": ";", "blanks": BLANKS}
"""Delimiters by their names in task.toml, in the order in which they are tried."""

FORMATS = ("delimited", "jsonl", "lines")


@dataclass(frozen=True, slots=True)
class Keys:
    """What task.toml says about reading the gold or the submissions; None where it is silent.

    Parameters
    ----------
    format : str, optional
        ``delimited``, ``jsonl`` or ``lines``.
    delimiter : str, optional
        The character, or ``blanks`` for runs of blanks.
    header : bool, optional
        Whether the first line names the columns.
    comment, quote : str, optional
        The character, or the empty text for none.
    encoding : str, optional
        A Python text codec.
    id, label : str, int, optional
        A column's name or its number from 1; ``id`` is False where items are known by position only.
    """

    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    comment: str | None = None
    quote: str | None = None
    encoding: str | None = None
    id: str | int | Literal[False] | None = None
    label: str | int | None = None


SILENT = Keys()


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about the items and labels when a file is to be recognised.

    Parameters
    ----------
    labels : mapping, optional
        The label set; None for a gold file whose labels are not declared.
    ids : mapping, optional
        The gold ids; None for gold itself, and where gold is known by position only.
    n_items : int, optional
        Number of gold items; None for gold itself.
    id_name, label_name : str, optional
        The names that the gold file gives its two columns.
    """

    labels: Container[str] | None = None
    ids: Mapping[str, int] | None = None
    n_items: int | None = None
    id_name: str | None = None
    label_name: str | None = None

    @property
    def is_gold(self) -> bool:
        """Whether it is the gold file that is to be recognised."""
        return self.n_items is None

    @property
    def section(self) -> str:
        """The table of task.toml that decides how the file is read."""
        return "[gold]" if self.is_gold else "[submissions]"


@dataclass(frozen=True, slots=True)
class Reading:
    """One complete way to read a file.

    Parameters
    ----------
    format : str
        ``delimited``, ``jsonl`` or ``lines``.
    delimiter, comment, quote : str
        As in `Keys`; empty for none.
    header : bool
        Whether the first line is a header.
    id, label : int
        The columns, counted from 0; ``id`` is None where items are known by position.
    names : tuple of str
        The header, or the fields of the JSON objects.
    width : int
        Number of columns.
    n_comments : int
        Leading lines that are comments.
    stated : bool
        Whether task.toml leaves nothing of this reading open.
    """

    format: str
    delimiter: str = ""
    header: bool = False
    comment: str = ""
    quote: str = ""
    id: int | None = None
    label: int = 0
    names: tuple[str, ...] = ()
    width: int = 1
    n_comments: int = 0
    stated: bool = False

    @property
    def id_name(self) -> str | None:
        """The name of the id column, where it has one."""
        return self.names[self.id] if self.names and self.id is not None else None

    @property
    def label_name(self) -> str | None:
        """The name of the label column, where it has one."""
        return self.names[self.label] if self.names else None

    def settings(self) -> dict[str, str]:
        """The lines for task.toml that state this reading, by key."""
        lines = {"format": toml_text(self.format)}
        if self.format == "delimited":
            lines |= {
                "delimiter": toml_text(delimiter_name(self.delimiter)),
                "header": toml_bool(self.header),
                "comment": toml_text(self.comment),
                "id": self._column(self.id),
                "label": self._column(self.label),
            }
        elif self.format == "jsonl":
            lines |= {"id": self._column(self.id), "label": self._column(self.label)}
        else:
            lines |= {"header": toml_bool(self.header)}
        return {key: f"{key} = {value}" for key, value in lines.items()}

    def _column(self, column: int | None) -> str:
        if column is None:
            return "false"
        unique = self.names.count(self.names[column]) == 1 if self.names else False
        return toml_text(self.names[column]) if unique else str(column + 1)

    def __str__(self) -> str:
        """The reading in words, for the list of assumptions."""
        if self.format == "lines":
            return "one label per line" + (", after a header" if self.header else "")
        if self.format == "jsonl":
            return f"JSON Lines; {self._columns('field')}"
        header = "header" if self.header else "no header"
        comments = f", leading lines with {quoted('#')} are comments" if self.n_comments else ""
        return f"{delimiter_words(self.delimiter)}, {header}{comments}; {self._columns('column')}"

    def _columns(self, noun: str) -> str:
        label = self._column_words(self.label)
        if self.id is None:
            return f"{noun} {label} holds the labels, items are known by position"
        return f"{noun} {self._column_words(self.id)} holds the ids, {noun} {label} the labels"

    def _column_words(self, column: int) -> str:
        return quoted(self.names[column]) if self.names else str(column + 1)


@dataclass(frozen=True, slots=True)
class Table:
    """What a reading of a file gives.

    Parameters
    ----------
    reading : Reading
        How it was read.
    ids : sequence of str, optional
        Each row's item id; None where rows are known by position only.
    labels : sequence of str
        Each row's label, empty where none is given.
    lines : sequence of int
        Each row's line, counted from 1.
    issues : tuple of Issue
        What was wrong with single rows.
    """

    reading: Reading
    ids: Sequence[str] | None
    labels: Sequence[str]
    lines: Sequence[int]
    issues: tuple[Issue, ...] = field(default=())

    def says_the_same(self, other: "Table") -> bool:
        """Whether it gives the same labels to the same items."""
        same_ids = (self.ids is None) == (other.ids is None) and list(self.ids or ()) == list(other.ids or ())
        return same_ids and list(self.labels) == list(other.labels)


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
