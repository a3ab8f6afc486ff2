"""What was handed in: original files, runs, rows of the ranking, and label codes in one file."""

import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from tempfile import mkstemp
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Codes
from audit.errors import Issue

_NEVER_DATA = (
    *("readme*", "license*", "licence*", "thumbs.db", "desktop.ini", ".*", "__*", "~$*", "*~"),
    *(
        "*.md",
        "*.markdown",
        "*.rst",
        "*.score",
        "*.scores",
        "*.tex",
        "*.pdf",
        "*.png",
        "*.jpg",
        "*.svg",
        "*.html",
    ),
    *(
        "*.py",
        "*.pyc",
        "*.ipynb",
        "*.sh",
        "*.db",
        "*.bak",
        "*.xml",
        "*.yaml",
        "*.yml",
        "*.doc",
        "*.docx",
    ),
    # what scorers and platforms write
    *("*.score.json", "*_metrics.json", "*.log", "*.check", "metadata.json"),
    "metadata",  # what a CodaLab submission of a program begins with
    # Beside the submissions in CodaLab's download:
    *(
        "* - [0-9]* output.zip",
        "* - [0-9]* profile.txt",
        "* - [0-9]* method.txt",
        "team_names_and_members.txt",
    ),
)


@dataclass(frozen=True)
class SourceFile:
    """An original file: its path, its digest, and every byte of it."""

    path: str  # relative to the campaign folder, with forward slashes
    sha256: str  # digest of the bytes as they stood
    size: int  # bytes
    compressed: bytes | None = field(compare=False)
    """The bytes, deflated; None where they were left in the store."""

    @classmethod
    def of(cls, path: str, content: bytes) -> Self:
        """A source file from its bytes."""
        # Level 1: label files shrink about as far as at 9, in a tenth of the time.
        return cls(
            path, hashlib.sha256(content).hexdigest(), len(content), zlib.compress(content, 1)
        )

    @property
    def packed(self) -> bytes:
        """The bytes, deflated."""
        if self.compressed is None:
            raise ValueError("the bytes of the file were left in the store")
        return self.compressed

    @property
    def content(self) -> bytes:
        """The bytes as they stood; raises as `packed`."""
        return zlib.decompress(self.packed)


class Role(StrEnum):
    """The role of a run in the campaign."""

    PRIMARY = "primary"
    CONTRASTIVE = "contrastive"
    BASELINE = "baseline"
    LATE = "late"
    UNOFFICIAL = "unofficial"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Origin:
    """The people behind a submission, by the organiser's table; None where it does not say."""

    affiliation: str | None = None  # the affiliation and the paper, as readers see them
    paper: str | None = None


UNKNOWN_ORIGIN = Origin()


@dataclass(frozen=True, eq=False)
class PackedCodes:
    """Label codes of items that have a label of their own or nothing, as where sets are scored: a bit for each item.

    The label that each item can have is gold's to say, *nothing* for those that stand for a unit. Where some items are
    unanswered, a second row of bits says which.

    >>> own = np.array([2, 0, 1, 2, 1], np.uint8)
    >>> packed = PackedCodes.of(np.array([2, 0, 2, 3, 3], np.uint8), own)
    >>> len(packed.bits), packed.codes.tolist()
    (2, [2, 0, 2, 3, 3])
    """

    bits: bytes
    own: Codes  # (N,)

    @classmethod
    def of(cls, codes: Codes, own: Codes) -> Self:
        """Codes as bits; raises a ValueError where an item has another label than its own."""
        nothing = own.max()
        rows = [codes < nothing]
        if (codes > nothing).any():
            rows.append(codes > nothing)
        packed = cls(np.packbits(rows, axis=1).tobytes(), own)
        if not np.array_equal(packed.codes, codes):
            raise ValueError("a label code that is not of its item")
        return packed

    @property
    def codes(self) -> Codes:
        """The codes, read-only, shape (N,)."""
        n_bytes = -(-self.own.size // 8)
        rows = np.frombuffer(self.bits, np.uint8).reshape(-1, n_bytes)
        has, *unanswered = np.unpackbits(rows, axis=1, count=self.own.size).astype(bool)
        nothing = self.own.max()
        codes = np.where(has, self.own, nothing)
        for items in unanswered:
            codes[items] = nothing + 1
        codes.setflags(write=False)
        return codes


@dataclass(frozen=True, eq=False)
class Submission:
    """One file of predictions, in gold order."""

    team: str  # the team's name
    given: Codes | PackedCodes  # (N,): each item's predicted class, 0 … C - 1
    run: str | None = None  # the run's name, where a team may have several
    unusable_labels: tuple[tuple[str, int], ...] = ()
    """Outside the label set, with their number of items."""
    issues: tuple[Issue, ...] = ()  # what was odd about the file and did not reject it
    source: SourceFile | None = None  # the file it was read from; None for arrays
    role: Role = Role.PRIMARY  # what the run is to the campaign
    origin: Origin = UNKNOWN_ORIGIN  # who is behind it
    scores: NDArray[np.float64] | None = None  # (N,): how far an item is of the scored label

    @property
    def codes(self) -> Codes:
        """The label codes, shape (N,)."""
        if isinstance(self.given, PackedCodes):
            return self.given.codes
        return self.given

    @property
    def n_items(self) -> int:
        """How many items it has a label code for."""
        return int(self.given.own.size if isinstance(self.given, PackedCodes) else self.given.size)

    @property
    def packed(self) -> bytes:
        """The label codes as the store keeps them: bits, or the bytes of the codes."""
        if isinstance(self.given, PackedCodes):
            return self.given.bits
        return self.given.tobytes()


@dataclass(frozen=True)
class Entry:
    """A row of the ranking: one submission, without its predictions, and the team's others with the same answers."""

    name: str  # the team, or TEAM/RUN where a team has several rows. Unique
    team: str  # where the name comes from
    run: str | None
    path: str | None  # the file and its digest; None for arrays
    sha256: str | None
    n_missing: int  # items with no label, and with a label outside the label set
    n_unusable: int
    unusable_labels: tuple[tuple[str, int], ...]
    """The labels that are not in the label set, with their counts."""
    predictions_digest: str  # SHA-256 of the label codes: equal for label-identical submissions
    issues: tuple[Issue, ...] = ()  # what was odd about the file
    role: Role = Role.PRIMARY  # what the run is to the campaign
    n_dropped: int = 0  # missing items that its scores leave out, by policy
    competes: bool = True  # whether it takes a rank
    origin: Origin = UNKNOWN_ORIGIN  # who is behind it
    scores_digest: str | None = None  # SHA-256 of its scores of items; None where it has none
    answers_digest: str = ""
    """SHA-256 of its answers, which other names of the labels do not change."""
    same: tuple["Entry", ...] = ()  # the team's other runs with the same answers to every item

    @property
    def runs(self) -> tuple["Entry", ...]:
        """Every run of the row: this one, and those with the same answers."""
        return (self, *self.same)

    @property
    def n_unanswered(self) -> int:
        """Items for which the submission gave no usable label."""
        return self.n_missing + self.n_unusable

    @property
    def contends(self) -> bool:
        """Whether it can be first: it competes, and is no baseline that is ranked like a team."""
        return self.competes and self.role != Role.BASELINE

    @property
    def is_comparable(self) -> bool:
        """Whether it takes part in paired comparisons: it can be first, on the same items as all others."""
        return self.contends and not self.n_dropped


@dataclass(frozen=True, eq=False)
class CodeRows(Sequence[Codes]):
    """The label codes of some submissions, each a row of one file; pickled as the file's path, not as codes."""

    path: Path  # the file: rows of codes, and nothing else
    shape: tuple[int, int]  # rows of the file, and items, N
    dtype: np.dtype[np.unsignedinteger[Any]]  # the type of the codes
    rows: tuple[int, ...]  # which row each submission is

    @cached_property
    def table(self) -> Codes:
        """All rows of the file, mapped: the operating system holds its pages, as long as it has room for them."""
        return np.asarray(np.memmap(self.path, self.dtype, mode="r", shape=self.shape))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: Any) -> Any:  # noqa: ANN401 - a row, or of a slice several
        rows = self.rows[number]
        if isinstance(rows, tuple):
            return replace(self, rows=rows)
        return self.table[rows]

    def __getstate__(self) -> dict[str, object]:
        """Without the mapping, which belongs to a process."""
        return {name: value for name, value in vars(self).items() if name != "table"}

    def columns(self, items: NDArray[np.intp]) -> Codes:
        """The codes of some items, in any order, shape (T, n)."""
        codes = np.empty((len(self.rows), items.size), dtype=self.dtype)
        for row, into in zip(self.rows, codes, strict=True):
            # the other modes take a copy first
            np.take(self.table[row], items, out=into, mode="clip")
        return codes


@dataclass(frozen=True, eq=False)
class CodesFile:
    """A file with the label codes of a campaign's submissions."""

    path: Path  # the path of the file
    n_items: int  # n
    dtype: np.dtype[np.unsignedinteger[Any]]  # the type of the codes
    names: tuple[tuple[str, str | None], ...]  # the team and run whose codes each row holds

    def rows_of(self, submissions: Sequence[Submission]) -> CodeRows:
        """The rows of some submissions, in their order."""
        number = {name: row for row, name in enumerate(self.names)}
        rows = tuple(number[submission.team, submission.run] for submission in submissions)
        return CodeRows(self.path, (len(self.names), self.n_items), self.dtype, rows)


@contextmanager
def temporary_file(rows: Iterable[Codes]) -> Iterator[Path]:
    """A file of rows of codes in the folder for temporary files, removed afterwards however that comes."""
    handle, name = mkstemp(prefix="audit-codes-")
    try:
        with os.fdopen(handle, "wb") as file:
            for row in rows:
                file.write(row.data)
        yield Path(name)
    finally:
        with suppress(OSError):  # Windows keeps a file that is still mapped
            Path(name).unlink()


def can_be_data(path: str) -> bool:
    """Whether a file, or a folder with a slash at its end, is no documentation, score or system's own by its name.

    >>> can_be_data("submissions/README.txt"), can_be_data("a/team.csv"), can_be_data("old/")
    (False, True, True)
    """
    name = path.rstrip("/").rpartition("/")[2].lower()
    return not any(fnmatchcase(name, glob) for glob in _NEVER_DATA)
