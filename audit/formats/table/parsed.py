"""What a file says once its layout is decided: ids, labels and lines; and what gold says of them before."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from audit.errors import InputError, Issue
from audit.formats.settings.answers import CLASH_EXPECTED, Spelling
from audit.formats.settings.grouping import Separator
from audit.formats.settings.keys import Keys
from audit.formats.settings.layout import Layout
from audit.formats.settings.tomlfile import toml_text


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """Facts about the items and labels by which a file is recognised."""

    labels: Collection[str] | None = None  # the label set; None for a gold file whose labels are not declared
    ids: Mapping[str, int] | None = None  # the gold ids; None for gold itself, and where gold is known by position only
    n_items: int | None = None  # number of gold items; None for gold itself
    gold: Layout | None = None  # how the gold file was read; None for gold itself

    @property
    def is_gold(self) -> bool:
        """Whether the file to be recognised is the gold file."""
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
    """The content of a file by one layout."""

    layout: Layout  # how it was read
    ids: Sequence[str] | None  # the parts of a composite one joined by tabs; None where rows are known by position
    labels: Sequence[str]  # each row's label, empty where none is given
    lines: Sequence[int]  # each row's line, row or entry, counted from 1
    issues: tuple[Issue, ...] = ()  # what was wrong with single rows
    groups: Sequence[str] | None = None  # each row's group; None where there are none
    slices: tuple[Sequence[str], ...] = ()  # each row's value in each column that cuts the test set
    scores: Sequence[str] | None = None  # each row's score as it stands; None where the file has none
    sequences: Sequence[int] | None = None  # rows of each; None where the file does not say where sequences end
    separated: Sequence[int] | None = None  # the group of each row by the lines between groups
    respelt: tuple[tuple[str, str, int], ...] = ()  # spelling, its label, number of rows

    def says_the_same(self, other: "Table") -> bool:
        """Whether another table gives the same labels and scores to the same items."""
        if not self.labels and not other.labels:
            return True
        same_ids = (self.ids is None) == (other.ids is None) and list(self.ids or ()) == list(other.ids or ())
        same_scores = list(self.scores or ()) == list(other.scores or ())
        return same_ids and same_scores and list(self.labels) == list(other.labels)

    def spelled(self, spelling: Spelling, labels: Collection[str] | None, path: str) -> "Table":
        """The table with every accepted spelling replaced by its label, and counted."""
        if spelling.is_silent:
            return self
        counts = Counter(self.labels)
        if labels is None and (clash := spelling.clash(counts)) is not None:
            alias, label = clash
            lines = [self.lines[self.labels.index(label)]] if label in counts else []
            another = f"{toml_text(label)} = {toml_text(spelling.aliases[alias])}"
            issue = Issue.of(
                "bad-setting",
                path,
                spelling.clash_words(alias, label),
                lines=lines,
                expected=CLASH_EXPECTED,
                remedy=f"leave the alias out; or, if gold’s label is meant too, write under [aliases]: {another}",
            )
            raise InputError([issue])
        changes = spelling.changes(counts, labels)
        if not changes:
            return self
        respelt = tuple((spelling, label, counts[spelling]) for spelling, label in changes.items())
        meant = {label: label for label in counts} | changes
        return replace(self, labels=list(map(meant.__getitem__, self.labels)), respelt=respelt)
