"""The program ``audit``: its help, its version, and how it starts.

Heavy libraries are imported by the command that needs them, so that ``audit --help`` is quick.
"""

import gc
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from audit.version import __version__

app = typer.Typer(
    name="audit",
    help="Audit the leaderboard of a classification shared task.",
    epilog="Example: audit run sample_submissions/flood-posts. Exit codes: 0 done, 1 bad input or store, "
    "2 wrong usage, 3 --fail-on fired, 130 interrupted.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

_OBJECTS_PER_COLLECTION = 100_000
"""Collect garbage less often than after every 700 new objects: items and labels form no cycles."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what the encoding lacks is shown as an escape
            stream.reconfigure(errors="backslashreplace")
    app()


def _version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"audit {__version__}")
        raise typer.Exit


@app.callback()
def _global(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=lambda value: _version(wanted=value), is_eager=True, help="Version.")
    ] = False,
) -> None:
    pass
