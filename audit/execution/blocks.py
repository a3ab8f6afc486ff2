"""Work over items in blocks: a block is computed by a pure function of what is shared and a span; blocks are added.

Where spans begin and end follows from the data's shape alone, and blocks are added in the order of their spans. So the
sums have the same bytes whatever executor computes them, with however many workers.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from audit.execution.executor import THIS_PROCESS, Executor, Result, Shared, Task
from audit.execution.progress import Progress, counted

Number = TypeVar("Number", bound=np.generic)
Span = tuple[int, int]
"""The first item of a block, and the first item behind it."""

ANSWERS = 1 << 26
"""Answers in a block: 64 MB of codes of one byte. A campaign without more is one block, computed in this process."""


def spans(n_items: int, n_teams: int) -> list[Span]:
    """The first item of each block and the one behind its last; one span where there is no item.

    Examples
    --------
    >>> spans(200_000, 1_000)
    [(0, 67108), (67108, 134216), (134216, 200000)]
    >>> spans(50_000, 48)
    [(0, 50000)]
    """
    step = max(1, ANSWERS // max(1, n_teams))
    return [(start, min(start + step, n_items)) for start in range(0, max(1, n_items), step)]


def merge(blocks: Iterable[NDArray[Number]]) -> NDArray[Number]:
    """The sum of blocks, in their order; there is at least one.

    Examples
    --------
    >>> merge([np.array([1, 2]), np.array([10, 20])]).tolist()
    [11, 22]
    """
    blocks = iter(blocks)
    total = np.array(next(blocks))
    for block in blocks:
        total += block
    return total


@dataclass(frozen=True, eq=False)
class Blocks:
    """Computes blocks by an executor and reports how many of them are done.

    Parameters
    ----------
    executor : Executor
        Computes them, where there are several.
    on_progress : callable, optional
        Called with the blocks done and their total, where there are several.
    """

    executor: Executor = THIS_PROCESS
    on_progress: Progress | None = None

    def map(self, work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task]) -> Iterator[Result]:
        """The result of every block, in the order of the blocks."""
        if len(tasks) <= 1:
            return THIS_PROCESS.map(work, shared, tasks)
        return counted(self.executor.map(work, shared, tasks), len(tasks), self.on_progress)

    def sum(self, work: Callable[[Shared, Task], NDArray[Any]], shared: Shared, tasks: Sequence[Task]) -> NDArray[Any]:
        """The sum of all blocks."""
        return merge(self.map(work, shared, tasks))


IN_THIS_PROCESS = Blocks()
