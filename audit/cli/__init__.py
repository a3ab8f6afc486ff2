"""The command line: arguments in, one call of the workflow, text out."""

from audit.cli import exploring, power  # noqa: F401 - their commands join the others
from audit.cli.commands import app, main

__all__ = ["app", "main"]
