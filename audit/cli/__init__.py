"""The command line: arguments in, one call of the workflow, text out."""

from audit.cli import commands  # noqa: F401 - they join the program
from audit.cli.program import app, main

__all__ = ["app", "main"]
