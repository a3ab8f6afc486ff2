"""Reports as files: where they go, and what they are never written over."""

import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from audit.domain import Evaluation
from audit.errors import InputError, Issue, UsageError
from audit.execution import Steps, of_step
from audit.text import visible
from audit.workflow.whole_files import STEM, write_text

if TYPE_CHECKING:
    from audit.report.bundle import GoldItems

_REPORT_MARK = "– leaderboard audit".encode()
"""The text in the title of every report."""
_HEAD_OF_REPORT = 2**16  # bytes in which the title stands, however long it is


def write_report(
    evaluation: Evaluation, path: Path | str, items: "GoldItems | None" = None, *, on_step: Steps | None = None
) -> Path:
    """Write the HTML report of an evaluation.

    Parameters
    ----------
    evaluation : Evaluation
        What was computed.
    path : Path or str
        The file to write; a report that stood there is replaced.
    items : GoldItems, optional
        Where ids and gold labels of single items may stand in it.
    on_step : callable, optional
        Called with the step, drawing or writing, and how far it is.

    Raises
    ------
    UsageError
        When a file stands there that is no report.
    InputError
        When the file cannot be written.
    """
    from audit.report import render_html

    check_replaceable(Path(path))
    html = render_html(evaluation, items, of_step(on_step, "drawing"))
    written = write_text(Path(path), html)
    if on_step is not None:
        on_step("writing", 1, 1)
    return written


def write_family_report(evaluations: Sequence[Evaluation], path: Path | str, reports: Sequence[Path] = ()) -> Path:
    """Write the HTML summary of a campaign with several test sets.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        One for each test set.
    path : Path or str
        The file to write; a report that stood there is replaced.
    reports : sequence of Path
        Each test set's own report, to which the summary then links.

    Raises
    ------
    UsageError
        When a file stands there that is no report.
    InputError
        When the file cannot be written.
    """
    from audit.report import render_family

    check_replaceable(Path(path))
    folder = Path(path).resolve().parent
    links = [os.path.relpath(report.resolve(), folder).replace(os.sep, "/") for report in reports]
    return write_text(Path(path), render_family(evaluations, links))


def write_family(evaluations: Sequence[Evaluation], reports: Sequence[Path]) -> Path | None:
    """Write the summary of several test sets beside their reports, over none of them; None where there is one."""
    if len(evaluations) == 1:
        return None
    name = _free_name(default_family_report(evaluations).name, {path.name.casefold() for path in reports})
    return write_family_report(evaluations, reports[0].with_name(name), reports)


def default_family_report(evaluations: Sequence[Evaluation]) -> Path:
    """The default path of the summary of several test sets: in the current folder, under the family's name."""
    return default_report(f"{evaluations[0].task.family or evaluations[0].task.slug}-summary")


def default_report(slug: str) -> Path:
    """The default path of a report: in the current folder, under the task's name.

    Examples
    --------
    >>> str(default_report("../flood posts"))
    'audit-flood-posts.html'
    """
    safe = re.sub(r"[^\w.\-]+", "-", slug).strip(".-") or "task"
    return Path(f"audit-{safe[:STEM]}.html")


def report_paths(slugs: Sequence[str], output: Path | None) -> list[Path]:
    """The path of each report of a campaign: of one test set as given, of several in a folder.

    Raises
    ------
    InputError
        When the folder cannot be made.
    """
    if len(slugs) == 1:
        return [output or default_report(slugs[0])]
    folder = output or Path()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError([Issue.of("cannot-write", str(folder), error.strerror or str(error))]) from error
    paths, taken = [], set[str]()
    for slug in slugs:
        name = _free_name(default_report(slug).name, taken)
        taken.add(name.casefold())
        paths.append(folder / name)
    return paths


def _free_name(name: str, taken: Collection[str]) -> str:
    """A file's name, or where another has it already, in whatever case, the first with a number behind it."""
    path, number, free = Path(name), 1, name
    while free.casefold() in taken:
        number += 1
        free = f"{path.stem}-{number}{path.suffix}"
    return free


def check_replaceable(path: Path) -> None:
    """Refuse to write a report over a file that is none: the store, an input, or whatever else stands there.

    An empty file, a pipe and a device are written to.

    Raises
    ------
    UsageError
        When there is such a file.
    """
    head = b""
    with suppress(OSError):  # writing will say why
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(_HEAD_OF_REPORT)
    if head and not (head.startswith(b"<!DOCTYPE html>") and _REPORT_MARK in head):
        raise UsageError(
            f"{visible(str(path), 200)} exists, and is no report: it is left as it is. Name another file with -o."
        )
