"""The progress bar of commands that take long."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from audit.execution import Steps


@contextmanager
def progress_bar() -> Iterator[Steps | None]:
    """A bar on standard error, where that is a terminal, for the step that is under way; it disappears when done.

    The time left is that of the step.
    """
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        row = bar.add_task("Starting", total=None)

        def tell(step: str, done: int, total: int) -> None:
            if bar.tasks[row].description != step.capitalize():
                bar.reset(row, description=step.capitalize())
            bar.update(row, completed=done, total=total)

        yield tell
