"""The commands, a module for each group of them, in the order of ``audit --help``."""

# ruff: noqa: F401, I001 - a command joins the program when its module is imported
from audit.cli.commands import (
    run,
    load,
    publish,
    show,
    explore,
    from_confusions,
    before_deadline,
    hosting,
    catalogues,
)
