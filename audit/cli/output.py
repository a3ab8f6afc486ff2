"""What a command prints: JSON for programs, or blocks, records and entries of a registry for people; how far it is."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import typer

from audit.cli.parameters import DEFAULT_STORE
from audit.text import visible

if TYPE_CHECKING:
    from audit.document import Block
    from audit.domain import Evaluation, ScoreKey
    from audit.execution import Steps


def print_json(data: object) -> None:
    """Print data as JSON."""
    from audit.writers.data.export import to_json

    typer.echo(to_json(data), nl=False)


def print_parts(parts: list[dict[str, Any]], **summary: Any) -> None:  # noqa: ANN401 - whatever JSON writes
    """Print one test set as it is; several as a list under "parts", with their summary."""
    print_json(parts[0] if len(parts) == 1 else {"parts": parts, **summary})


def answer(
    data: Callable[[], object], blocks: "Callable[[], Iterable[Block]]", *, as_json: bool
) -> None:
    """Print an answer as JSON, or as blocks; what is not printed is not made."""
    if as_json:
        print_json(data())
    else:
        from audit.writers.terminal import write

        write(*blocks())


def store_option(store: Path) -> str:
    """The option by which the next command finds a store, behind a space; nothing for the usual one."""
    if store == DEFAULT_STORE:
        return ""
    return f" --store {visible(quote(str(store)), 1000)}"


def print_evaluation(
    evaluation: "Evaluation", key: "ScoreKey", store: Path = DEFAULT_STORE
) -> None:
    """Print a task's ranking by a score, with the verdict where it is the ranking metric, on one screen."""
    from audit.report.terminal_layout import LINES_OF_SHOW, show_layouts
    from audit.writers.terminal import layout_width, write_layout

    layouts = show_layouts(evaluation, key, layout_width(), store_option(store))
    write_layout(layouts, LINES_OF_SHOW)


def print_records(records: list[dict[str, Any]], *, as_json: bool) -> None:
    """Records of one shape as a table, or as JSON."""
    answer(lambda: records, lambda: _record_blocks(records), as_json=as_json)


def _record_blocks(records: list[dict[str, Any]]) -> "Iterable[Block]":
    from audit.document import Cell, Column, Paragraph, Table

    if not records:
        return [Paragraph("Nothing here yet. Load a campaign: audit load FOLDER", "lead")]
    columns = tuple(
        Column(name, numeric=isinstance(value, int)) for name, value in records[0].items()
    )
    rows = (tuple(Cell(_cell(name, value)) for name, value in record.items()) for record in records)
    return [Table("records", "", columns, tuple(rows))]


def _cell(name: str, value: object) -> str:
    """A value of a record as people read it."""
    from audit.cli.load_log import time_text

    if value is None:
        return ""
    if name in {"loaded", "replaced"}:
        return time_text(str(value))
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


def print_entries(
    entries: list[dict[str, Any]], details: tuple[str, ...], *, as_json: bool
) -> None:
    """Entries of a registry: slug and title, the explanation, then the details one a line."""
    if as_json:
        print_json(entries)
        return
    for entry in entries:
        typer.echo(f"{entry['slug']}: {entry['title']}\n    {entry['explanation']}")
        for name in details:
            typer.echo(f"    {name}: {entry[name]}")
        typer.echo()


@contextmanager
def progress_bar() -> "Iterator[Steps | None]":
    """A bar on standard error, where that is a terminal, for the step that is under way; it disappears when done.

    The time left is that of the step.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        row = bar.add_task("Starting", total=None)

        def tell(step: str, done: int, total: int) -> None:
            if bar.tasks[row].description != step.capitalize():
                bar.reset(row, description=step.capitalize())
            bar.update(row, completed=done, total=total)

        yield tell
