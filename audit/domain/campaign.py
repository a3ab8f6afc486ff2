"""A campaign as read: gold, submissions, and where every byte of them came from."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Codes, Floats
from audit.domain.reading import Published
from audit.domain.submitted_runs import CodesFile, Entry, SourceFile, Submission
from audit.domain.task import LabelSet, Options, Task
from audit.errors import Issue
from audit.text import natural_order


def code_dtype(n_classes: int) -> np.dtype[np.unsignedinteger]:
    """The smallest little-endian unsigned integer for the label codes and the codes of unanswered items.

    Codes 0 … C - 1 are labels, C is *missing* (no label given), C + 1 is *unusable* (a label outside the label set).
    C + 2 is unusable, too: a number below all labels of a scale.
    """
    return np.min_scalar_type(n_classes + 2).newbyteorder("<")


MOST_SLICES = 30  # values of a column by which a test set is cut


@dataclass(frozen=True, eq=False)
class SliceColumn:
    """A column of the gold file whose values cut the test set into parts, such as language or domain."""

    name: str  # what the column is called
    values: tuple[str, ...]
    """The S different values as they stand, in natural order; at least 2, at most `MOST_SLICES`."""
    codes: Codes  # (N,): each item's value, 0 … S - 1; every value has an item

    @classmethod
    def of(cls, name: str, cells: Sequence[str]) -> "SliceColumn":
        """A slice column made from the cell that each item has in it."""
        values = tuple(sorted(set(cells), key=natural_order))
        code_of = {value: code for code, value in enumerate(values)}
        return cls(name, values, np.fromiter(map(code_of.__getitem__, cells), np.uint8, len(cells)))


@dataclass(frozen=True, eq=False)
class Gold:
    """The gold labels of a task."""

    label_set: LabelSet  # the labels; codes index it
    codes: Codes  # each item's class, 0 … C - 1, shape (N,)
    item_ids: tuple[str, ...] | None = None
    """Each item's id as it stands; None where items are known by position only."""
    source: SourceFile | None = None  # the file it was read from; None for arrays
    groups: NDArray[np.int64] | None = None
    """(N,): which group each item belongs to, where items are not independent."""
    unit: str | None = None  # what a group is, in words, or the name of the column that says it
    group_file: SourceFile | None = None
    """Says which items belong together, where it is not the gold file."""
    stratified: bool = False  # whether class counts were fixed by design, rather than random
    slices: tuple[SliceColumn, ...] = ()
    """Columns that cut the test set into parts evaluated by themselves, too."""
    own: Codes | None = None
    """(N,): where sets are scored, the label that an item has or has not, or *nothing*."""
    numbers: Floats | None = None  # (N,): where numbers are predicted, the true ones
    weights: Floats | None = None
    """(N,): what each item counts in means of numbers; None where all count alike."""

    @property
    def n_items(self) -> int:
        """Number of items, N."""
        return int(self.codes.size)

    @property
    def n_units(self) -> int:
        """Number of units whose sets are scored, U; elsewhere of items."""
        return int(self.is_unit.sum())

    @property
    def is_unit(self) -> NDArray[np.bool_]:
        """The items that stand for a whole unit where sets are scored; elsewhere all, shape (N,)."""
        if self.own is None:
            return np.ones(self.n_items, dtype=bool)
        return np.asarray(self.own == self.label_set.rest_code)

    def digest(self) -> str:
        """SHA-256 of what gold says, whatever file format it came in.

        Labels, ids and classes; groups and what they are called, that the classes are stratified, and the columns of
        slices, where they are.
        """
        state = hashlib.sha256()
        for texts in (self.label_set.labels, self.item_ids or ()):
            state.update(repr(texts).encode("utf-8", "surrogatepass"))
        state.update(self.codes.astype("<u4").tobytes())  # the same for any width the codes come in
        if self.groups is not None:
            state.update(self.groups.astype("<i8").tobytes())
        if self.unit is not None:
            state.update(repr(("unit", self.unit)).encode("utf-8", "surrogatepass"))
        if self.stratified:
            state.update(b"stratified")
        for name, values in (("numbers", self.numbers), ("weights", self.weights)):
            if values is not None:
                state.update(name.encode() + values.astype("<f8").tobytes())
        for column in self.slices:
            state.update(
                repr(("slices", column.name, column.values)).encode("utf-8", "surrogatepass")
            )
            state.update(column.codes.astype("<u4").tobytes())
        return state.hexdigest()

    def of_items(self, selected: NDArray[np.bool_]) -> "Gold":
        """The gold of some of the items, uncut; of no file, as none says it."""
        kept: dict[str, Any] = {}
        for name in ("groups", "own", "numbers", "weights"):
            values = getattr(self, name)
            if values is not None:
                kept[name] = values[selected]
        if self.item_ids is not None:
            kept["item_ids"] = tuple(compress(self.item_ids, selected.tolist()))
        return replace(
            self, codes=self.codes[selected], source=None, group_file=None, slices=(), **kept
        )


@dataclass(frozen=True)
class Rejection:
    """A submission that was not loaded, with the reasons."""

    path: str  # the file, relative to the campaign folder
    issues: tuple[Issue, ...]  # everything found in it


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One thing that was done while a campaign was read."""

    action: str
    """``read``, ``repaired``, ``decided`` (by a policy), ``rejected`` or ``chose`` (a run)."""
    subject: str  # the file or team concerned
    text: str  # what was done, in one sentence
    count: int = 1  # items, lines or runs concerned


@dataclass(frozen=True, eq=False)
class Campaign:
    """A task with its gold and submissions: what the formats read, the store keeps and the engine scores."""

    task: Task  # what is classified and how it is scored
    gold: Gold  # the gold labels
    submissions: tuple[Submission, ...]  # the accepted submissions, in the order of their names
    rejections: tuple[Rejection, ...] = ()  # the files that were not accepted
    ignored: tuple[str, ...] = ()  # the files that no rule claims
    settings: SourceFile | None = None  # task.toml, where there is one
    roster: SourceFile | None = None  # files.csv, which says what each file is, where there is one
    journal: tuple[JournalEntry, ...] = ()
    """What was read, repaired, decided and rejected, and which runs count."""
    published: tuple[Published, ...] = ()
    """The tables of scores that the organisers published, to be checked."""
    options: Options = field(default_factory=Options)
    """What the campaign's settings file says of its evaluation."""
    label_names_file: SourceFile | None = None
    """Gives labels their names, where task.toml names one."""
    further_files: tuple[SourceFile, ...] = ()
    """Further files of a scorer's output, where several are of one team: each team's first is its own."""
    codes_file: CodesFile | None = None
    """What the submissions' codes are mapped from; whoever loaded it keeps it."""

    @property
    def issues(self) -> Sequence[Issue]:
        """Every issue of every file, rejected files first."""
        rejected = [issue for rejection in self.rejections for issue in rejection.issues]
        return rejected + [issue for submission in self.submissions for issue in submission.issues]

    def predictions_of(self, entries: Iterable[Entry]) -> Sequence[Codes]:
        """The label codes that were scored for each of these entries, which are runs of the campaign."""
        submissions = {
            (each.team, each.run, each.source and each.source.path): each
            for each in self.submissions
        }
        return self.codes_of([submissions[entry.team, entry.run, entry.path] for entry in entries])

    def codes_of(self, submissions: Sequence[Submission]) -> Sequence[Codes]:
        """The label codes of some of the submissions: rows of a file where they are mapped from one."""
        if self.codes_file is not None:
            return self.codes_file.rows_of(submissions)
        return [submission.codes for submission in submissions]
