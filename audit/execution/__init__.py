"""Run work in this process or in several, with the same results in the same order, and report progress.

Several processes are in :mod:`audit.execution.processes`, a Dask cluster in :mod:`audit.execution.cluster`, imported
only by who starts or names them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Result = TypeVar("Result")
Entry = TypeVar("Entry")
Number = TypeVar("Number", bound=np.generic)
Span = tuple[int, int]  # the first item of a block, and the first item behind it
# in a block: 64 MB of codes of one byte; a campaign without more is computed in this process
ANSWERS = 1 << 26


@dataclass(frozen=True, slots=True)
class Executor:
    """Runs independent tasks, here one after the other in this process; what comes out does not depend on where."""

    def map(
        self, work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """The result of every task in their order, or in its place the exception of ``work``."""
        return (work(shared, task) for task in tasks)

    def check_file(self, path: Path) -> None:
        """Refuse a file that not every worker can open under its path; on this machine each can."""


THIS_PROCESS = Executor()

Progress = Callable[[int, int], None]  # is told how many pieces of work are done, and their total
# is told which step of long work is under way, and how far that step is
Steps = Callable[[str, int, int], None]


def of_step(on_step: Steps | None, step: str) -> Progress | None:
    """A function that reports the progress of one step; None where no steps are reported."""
    if on_step is None:
        return None
    return partial(on_step, step)


def counted(entries: Iterable[Entry], total: int, on_progress: Progress | None) -> Iterator[Entry]:
    """The entries, each counted as done when the next one is asked for."""
    for done, entry in enumerate(entries, start=1):
        yield entry
        if on_progress is not None:
            on_progress(done, total)


def spans(n_items: int, n_teams: int) -> list[Span]:
    """The first item of each block and the one behind its last; one span where there is no item."""
    step = max(1, ANSWERS // max(1, n_teams))
    return [(start, min(start + step, n_items)) for start in range(0, max(1, n_items), step)]


def merge(blocks: Iterable[NDArray[Number]]) -> NDArray[Number]:
    """The sum of blocks, in their order; there is at least one."""
    blocks = iter(blocks)
    total = np.array(next(blocks))
    for block in blocks:
        total += block
    return total


@dataclass(frozen=True, eq=False)
class Blocks:
    """Computes blocks by an executor and reports how many of them are done."""

    executor: Executor = THIS_PROCESS  # computes them, where there are several
    on_progress: Progress | None = None
    """Called with the blocks done and their total, where there are several."""

    def map(
        self, work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """The result of every block, in the order of the blocks."""
        if len(tasks) <= 1:
            return THIS_PROCESS.map(work, shared, tasks)
        return counted(self.executor.map(work, shared, tasks), len(tasks), self.on_progress)

    def sum(
        self, work: Callable[[Shared, Task], NDArray[Any]], shared: Shared, tasks: Sequence[Task]
    ) -> NDArray[Any]:
        """The sum of all blocks."""
        return merge(self.map(work, shared, tasks))


IN_THIS_PROCESS = Blocks()
