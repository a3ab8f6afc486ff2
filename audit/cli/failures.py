"""How a command ends: errors as messages with an exit code, never as tracebacks."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeVar

import typer

from audit.errors import (
    NOT_RECOGNISED,
    AuditError,
    InputError,
    NotLoadedError,
    UsageError,
    causes_of,
    told,
)
from audit.text import plural

if TYPE_CHECKING:
    from audit.domain import Flag

BAD_INPUT = 1
WRONG_USAGE = 2
FLAGGED = 3
INTERRUPTED = 130

_NO_LOAD = frozenset({"no-folder", "cannot-write", "bad-bundle", "unsettable-name"})

P = ParamSpec("P")
R = TypeVar("R")
FailOn = Literal["winner", "order"]  # what makes the exit code 3


def reporting_errors(command: Callable[P, R]) -> Callable[P, R]:
    """A command whose errors are messages on standard error, with the documented exit codes."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except UsageError as error:
            typer.echo(f"Error: {error}", err=True)
            raise typer.Exit(WRONG_USAGE) from None
        except AuditError as error:
            typer.echo(_with_count(error), err=True)
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            typer.echo(
                "\nInterrupted. What was under way was undone, and the store is as it was.",
                err=True,
            )
            raise typer.Exit(INTERRUPTED) from None

    return wrapped


def _with_count(error: AuditError) -> str:
    """An error's issues, how many there are in how many files, and what follows."""
    if not isinstance(error, InputError) or any(issue.slug in _NO_LOAD for issue in error.issues):
        return str(error)
    fatal = [issue for issue in error.issues if issue.fatal]
    n_files = len({issue.file for issue in fatal if issue.slug not in NOT_RECOGNISED})
    if n_files:
        where = f" in {plural(n_files, 'file')}"
    else:
        where = ""
    refused = {issue.file for issue in fatal}
    shown = [issue for issue in error.issues if issue.file in refused]
    causes = causes_of(fatal)
    count = f"{told(shown)}\n\n{plural(len(causes), 'issue')}{where}"
    if not isinstance(error, NotLoadedError):
        return f"{count}."
    if len(shown) > len(causes):
        each = " audit issues FOLDER lists each line."
    else:
        each = ""
    return f"{count}; nothing was loaded.{each}{_hint(error)}"


def _hint(error: InputError) -> str:
    """Advice besides mending each file."""
    if any(issue.slug in NOT_RECOGNISED for issue in error.issues):
        return ""
    of_submissions = any(
        issue.fatal and issue.file.startswith("submissions/") for issue in error.issues
    )
    if of_submissions:
        return " --skip-rejected loads the rest without the rejected files."
    return ""


def fail_on(flags: "tuple[Flag, ...]", threshold: FailOn | None) -> None:
    """Exit with 3 where a flag is as severe as the user asked to fail on."""
    from audit.domain import Severity  # noqa: PLC0415 - it brings NumPy, which --help does without

    limit = {None: 0, "winner": Severity.WINNER, "order": Severity.ORDER}[threshold]
    slugs = dict.fromkeys(flag.slug for flag in flags if flag.severity <= limit)
    if slugs:
        typer.echo(f"--fail-on {threshold}: {', '.join(slugs)}", err=True)
        raise typer.Exit(FLAGGED)
