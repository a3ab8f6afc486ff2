"""The command line: arguments in, one call of the workflow, text out."""

from audit.cli import exploring  # noqa: F401 - its commands join the others
from audit.cli.commands import app, main

__all__ = ["app", "main"]
