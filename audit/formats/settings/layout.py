"""How a file is laid out: its format, its columns, and how it is told in words and in task.toml."""

from collections.abc import Mapping
from dataclasses import dataclass

from audit.formats.settings.answers import Rule
from audit.formats.settings.tomlfile import toml_bool, toml_text
from audit.text import listed, quoted

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
        "a token per line, {delimiter}", ("skip", "comment", "delimiter", "label", "group", "slices"), answer="tag"
    ),
}
"""The formats, by their names in task.toml."""

Numbers = tuple[int, ...]  # columns, counted from 0


@dataclass(frozen=True, slots=True)
class Layout:
    """One complete way to read a file."""

    format: str
    delimiter: str = ""  # as in `Keys`; empty for none
    header: bool = False  # whether the first line is a header
    comment: str = ""
    quote: str = ""
    id: Numbers | None = None
    label: Numbers = (0,)
    group: Numbers = ()
    slices: Numbers = ()
    score: Numbers = ()  # beside the labels, not what a rule makes labels of
    names: tuple[str, ...] = ()  # the header, or the fields of the JSON objects
    width: int = 1
    skip: int = 0  # leading lines or rows that task.toml leaves out
    n_comments: int = 0  # leading lines below them that are comments
    sheet: str = ""
    records: str = ""  # where in a JSON value the items are; empty for the value itself
    rule: Rule | None = None  # how scores or several columns become labels
    separator: str | None = None  # how lines between groups of sequences begin; empty for blank lines
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
        return self.names[columns[0]] if self.names and len(columns) == 1 else None

    @property
    def columns(self) -> set[int]:
        """All columns that are read."""
        return {*(self.id or ()), *self.label, *self.group, *self.slices, *self.score}

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
            **({"score": self._stating(self.score)} if self.score else {}),
            "group": self._stating(self.group) if self.group else None,
            "slices": f"[{', '.join(map(self._stating_one, self.slices))}]" if self.slices else None,
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
        """The layout in words, except for what the columns hold."""
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
        parts += [(self.label, labels), *((each, "groups") for each in [self.group] if each)]
        parts += [(each, "slices") for each in [self.slices] if each]
        parts += [(each, "scores") for each in [self.score] if each]
        holders = [f"{self._column_words(noun, columns)} the {role}" for columns, role in parts]
        first, role = parts[0]
        holders[0] = f"{self._column_words(noun, first)} {'holds' if len(first) == 1 else 'hold'} the {role}"
        return ", ".join(holders) + (", items are known by position" if self.id is None else "")

    def _column_words(self, noun: str, columns: Numbers) -> str:
        names = [quoted(self.names[column]) if self.names else str(column + 1) for column in columns]
        return f"{noun if len(names) == 1 else noun + 's'} {listed(names)}"


def delimiter_name(delimiter: str) -> str:
    """The delimiter as task.toml writes it."""
    return next((name for name, character in DELIMITERS.items() if character == delimiter), delimiter)


def delimiter_words(delimiter: str) -> str:
    """The delimiter in words."""
    if delimiter == BLANKS:
        return "separated by runs of blanks"
    name = delimiter_name(delimiter)
    return f"{name}-separated" if name in DELIMITERS else f"separated by {quoted(delimiter)}"
