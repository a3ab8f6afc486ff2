"""How far a long piece of work is."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Protocol, TypeVar

Entry = TypeVar("Entry")


class Progress(Protocol):
    """A function that is told how far a piece of work is."""

    def __call__(self, done: int, total: int, /) -> None:
        """Take the number of pieces that are done, and their total."""


class Steps(Protocol):
    """A function that is told which step of a long piece of work is under way, and how far that step is."""

    def __call__(self, step: str, done: int, total: int, /) -> None:
        """Take the step's name, the number of its pieces that are done, and their total."""


def of_step(on_step: Steps | None, step: str) -> Progress | None:
    """A function that reports the progress of one step; None where no steps are reported.

    Examples
    --------
    >>> of_step(print, "reading")(1, 2)
    reading 1 2
    """
    return None if on_step is None else partial(on_step, step)


def counted(entries: Iterable[Entry], total: int, on_progress: Progress | None) -> Iterator[Entry]:
    """The entries, each counted as done when the next one is asked for.

    Parameters
    ----------
    entries : iterable
        Tasks, or results as they come.
    total : int
        How many there are.
    on_progress : callable, optional
        Who is told; nobody where it is None.

    Examples
    --------
    >>> for name in counted(["gold", "run 1"], 2, lambda done, total: print(f"{done} of {total}")):
    ...     print(name)
    gold
    1 of 2
    run 1
    2 of 2
    """
    for done, entry in enumerate(entries, start=1):
        yield entry
        if on_progress is not None:
            on_progress(done, total)
