"""What every place where work can run has in common, and the simplest of them: this process."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Result = TypeVar("Result")


class Executor(Protocol):
    """Runs independent tasks; what comes out does not depend on where they run."""

    @property
    def n_workers(self) -> int:
        """How many tasks can run at once, at least 1."""

    def map(self, work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task]) -> Iterator[Result]:
        """The result of every task, in the order of the tasks.

        Parameters
        ----------
        work : callable
            Called with ``shared`` and one task. A function of a module, so that other processes can import it.
        shared : object
            What all tasks need. Each worker gets it once, pickled where the worker is another process.
        tasks : sequence
            One entry for each call.

        Returns
        -------
        iterator
            Results as they become available; an exception of ``work`` is raised in the place of its result.
        """

    def check_file(self, path: Path) -> None:
        """Refuse a file that not every worker can open under its path.

        Raises
        ------
        UsageError
            When there is a worker that cannot.
        """


@dataclass(frozen=True, slots=True)
class InThisProcess:
    """Runs one task after the other, each when its result is asked for.

    Examples
    --------
    >>> list(InThisProcess().map(pow, 2, [1, 2, 3]))
    [2, 4, 8]
    """

    @property
    def n_workers(self) -> int:
        """The number of tasks that run at once: 1."""
        return 1

    def map(self, work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task]) -> Iterator[Result]:
        """The result of every task, in the order of the tasks."""
        return (work(shared, task) for task in tasks)

    def check_file(self, path: Path) -> None:
        """Nothing to refuse: what this process wrote it can open."""


THIS_PROCESS = InThisProcess()
