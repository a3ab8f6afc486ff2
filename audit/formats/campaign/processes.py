"""Submissions read by several processes: each opens the files itself and holds what they are read beside."""

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread

from audit.formats.campaign.claimed_files import Answer, Beside, read_claim
from audit.formats.campaign.claims import Claim
from audit.formats.files.tree import Tree

_worker: tuple[Tree, Beside]


def read_by_processes(root: Path, claims: Sequence[Claim], beside: Beside, n_processes: int) -> Iterator[Answer]:
    """The submissions in order, as far as they were read when a process died.

    Where this is interrupted, the other processes end with the file in their hands.

    Parameters
    ----------
    root : Path
        The campaign folder.
    claims : sequence of Claim
        Where the submissions are.
    beside : Beside
        What they are read beside.
    n_processes : int
        How many processes read.
    """
    context = get_context("spawn")  # a fork would take along locks of threads that it has not
    pool = ProcessPoolExecutor(n_processes, context, _begin, (root, beside.without_files()))
    try:
        with suppress(BrokenProcessPool):
            with _interrupts_held():
                answers = pool.map(_read, claims)
            yield from answers
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Keep Ctrl-C for later; processes that are begun meanwhile never get it, where the system knows such a thing."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # which would let interrupts through again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(root: Path, beside: Beside) -> None:
    """Make ready a process; Ctrl-C is for the one that began it."""
    global _worker  # noqa: PLW0603 - the only way to hand a process what it keeps
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _worker = Tree(root), beside


def _end_with_parent() -> None:
    """End this process when the one that began it is gone, however it went: nobody is there to take an answer."""
    if (parent := parent_process()) is not None:
        wait([parent.sentinel])
        os._exit(1)


def _read(claim: Claim) -> Answer:
    return read_claim(_worker[0], claim, _worker[1])
