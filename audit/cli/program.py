"""The program ``audit``: its help, its version, and how it starts.

Heavy libraries are imported by the command that needs them, so that ``audit --help`` is quick.
"""

import atexit
import gc
import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Annotated, Any, ParamSpec

import typer
from typer.core import TyperGroup

from audit.cli.failures import reporting_errors
from audit.threads import one_thread_by_default
from audit.version import __version__

COMMAND_GROUPS = {
    "Start": ("run", "init", "sample", "load", "check"),
    "Ask": (
        *("show", "compare", "diff", "readings", "identify", "whatif"),
        *("winners", "properties", "power", "score"),
    ),
    "Paper": ("evaluate", "report", "export", "verify"),
    "Platforms": ("participants", "platform", "score-one"),
    "Serve": ("serve", "worker", "backup", "sign-in-link"),
    "Reference": ("tasks", "submissions", "history", "metrics", "flags", "issues"),
}
"""What the commands are for, in the order in which they are needed."""

P = ParamSpec("P")


class GroupedCommands(TyperGroup):
    """Help that lists the commands by what they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - of click, wherever Typer has it from
        """Write one list for each group."""
        for title, names in COMMAND_GROUPS.items():
            commands = ((name, self.get_command(ctx, name)) for name in names)
            with formatter.section(title):
                formatter.write_dl(
                    [(name, command.get_short_help_str()) for name, command in commands if command]
                )


app = typer.Typer(
    name="audit",
    cls=GroupedCommands,
    help="Audit the leaderboard of a shared task, in most detail of classification.",
    epilog="Example: audit run --gold gold.csv predictions/*.csv. Exit codes: 0 done, 1 bad input or store, "
    "2 wrong usage, 3 --fail-on fired, 130 interrupted.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def command(example: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """A command of the program, with an example below its help; its errors end in messages and exit codes."""

    def joined(function: Callable[P, None]) -> Callable[P, None]:
        return app.command(epilog=f"Example: {example}")(reporting_errors(function))

    return joined


_OBJECTS_PER_COLLECTION = 100_000
"""Collect garbage less often than after every 700 new objects: items and labels form no cycles."""


def main() -> None:
    """Run the command line."""
    one_thread_by_default()  # before anything imports NumPy
    # pydantic would look through every installed package for plugins, a twentieth of a second
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    # a process that ends gives everything back: cycles need not be looked for first
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what the encoding lacks is shown as an escape
            stream.reconfigure(errors="backslashreplace")
    app()


@app.callback(invoke_without_command=True)
def _global(
    *, version: Annotated[bool, typer.Option("--version", is_eager=True, help="Version.")] = False
) -> None:
    if version:
        typer.echo(f"audit {__version__}")
        raise typer.Exit
