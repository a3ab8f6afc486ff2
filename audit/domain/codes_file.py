"""The label codes of a large campaign in a file that every process maps, in place of arrays that each would hold."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import mkstemp
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Codes
from audit.domain.submitted_run import Submission


@dataclass(frozen=True, eq=False)
class CodeRows(Sequence[Codes]):
    """The label codes of some submissions, each a row of one file; pickled as the file's path, not as codes.

    Parameters
    ----------
    path : Path
        The file: rows of codes, and nothing else.
    shape : tuple of two ints
        Rows of the file, and items, N.
    dtype : dtype
        The type of the codes.
    rows : tuple of int
        Which row each submission is.
    """

    path: Path
    shape: tuple[int, int]
    dtype: np.dtype[np.unsignedinteger[Any]]
    rows: tuple[int, ...]

    @cached_property
    def table(self) -> Codes:
        """All rows of the file, mapped: the operating system holds its pages, as long as it has room for them."""
        return np.asarray(np.memmap(self.path, self.dtype, mode="r", shape=self.shape))

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, number: int) -> Codes: ...
    @overload
    def __getitem__(self, number: slice) -> "CodeRows": ...
    def __getitem__(self, number: int | slice) -> "Codes | CodeRows":
        rows = self.rows[number]
        return replace(self, rows=rows) if isinstance(rows, tuple) else self.table[rows]

    def __getstate__(self) -> dict[str, object]:
        """Without the mapping, which belongs to a process."""
        return {name: value for name, value in vars(self).items() if name != "table"}

    def columns(self, items: NDArray[np.intp]) -> Codes:
        """The codes of some items, in any order, shape (T, n)."""
        codes = np.empty((len(self.rows), items.size), dtype=self.dtype)
        for row, into in zip(self.rows, codes, strict=True):
            np.take(self.table[row], items, out=into, mode="clip")  # the other modes take a copy first
        return codes


@dataclass(frozen=True, eq=False)
class CodesFile:
    """A file with the label codes of a campaign's submissions.

    Parameters
    ----------
    path : Path
        The path of the file.
    n_items : int
        N.
    dtype : dtype
        The type of the codes.
    names : tuple of (team, run)
        The team and run whose codes each row holds.
    """

    path: Path
    n_items: int
    dtype: np.dtype[np.unsignedinteger[Any]]
    names: tuple[tuple[str, str | None], ...]

    def rows_of(self, submissions: Sequence[Submission]) -> CodeRows:
        """The rows of some submissions, in their order."""
        number = {name: row for row, name in enumerate(self.names)}
        rows = tuple(number[submission.team, submission.run] for submission in submissions)
        return CodeRows(self.path, (len(self.names), self.n_items), self.dtype, rows)


@contextmanager
def temporary_file(rows: Iterable[Codes]) -> Iterator[Path]:
    """A file of rows of codes in the folder for temporary files, removed afterwards however that comes.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    handle, name = mkstemp(prefix="audit-codes-")
    try:
        with os.fdopen(handle, "wb") as file:
            for row in rows:
                file.write(row.data)
        yield Path(name)
    finally:
        with suppress(OSError):  # Windows keeps a file that is still mapped
            Path(name).unlink()
