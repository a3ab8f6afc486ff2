"""Work in several processes of this machine."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import wait
from threading import Thread
from typing import Any, Self

from audit.execution import THIS_PROCESS, Executor, Result, Shared, Task
from audit.threads import one_thread_by_default


@dataclass(frozen=True, slots=True)
class Processes(Executor):
    """Runs tasks in several processes, which end with the last task, or with this process.

    A script that uses it must be safe to import without running, as Python's multiprocessing asks. Where this process
    is interrupted, the others end after the task at hand. Where one of the others dies, for want of memory say, this
    process does the rest.
    """

    n_processes: int

    @classmethod
    def one_per_core(cls) -> Self:
        """An executor with one process for each core of the machine."""
        return cls(os.cpu_count() or 1)

    def map(
        self, work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """The result of every task, in the order of the tasks."""
        n_done = 0
        for result in self._by_pool(work, shared, tasks):
            n_done += 1
            yield result
        yield from THIS_PROCESS.map(work, shared, tasks[n_done:])

    def _by_pool(
        self, work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """The results in order, as far as they came before a process died."""
        n_processes = min(self.n_processes, len(tasks))
        if n_processes <= 1:
            return
        # fork copies locks held by threads that do not exist in the child
        context = get_context("spawn")
        pool = ProcessPoolExecutor(n_processes, context, _begin, (work, shared))
        try:
            with suppress(BrokenProcessPool):
                with _interrupts_held(), _one_thread_each():
                    results = pool.map(_run, tasks)
                yield from results
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Keep Ctrl-C until later. Processes started meanwhile never get it, on systems with signal masks."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # it would unblock interrupts if it were started later
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes started meanwhile multiply matrices on one core each, where nobody says otherwise."""
    names = one_thread_by_default()
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name, None)


# In each of the processes

_work: Callable[[Any, Any], Any]
_shared: Any


def _begin(work: Callable[[Shared, Task], Result], shared: Shared) -> None:
    """Prepare a process; Ctrl-C is for the one that started it."""
    global _work, _shared  # noqa: PLW0603 - what a process works on, told once as it begins
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _work = work
    _shared = shared


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however it ended: nobody is left to take a result."""
    if (parent := parent_process()) is not None:
        wait([parent.sentinel])
        os._exit(1)


def _run(task: Any) -> Any:  # noqa: ANN401 - whatever the work takes and gives
    return _work(_shared, task)
