"""The commands, a module for each group of them, in the order of ``audit --help``."""

# ruff: noqa: F401, I001 - a command joins the program when its module is imported
from audit.cli.commands import run, load, evaluate, publish
from audit.cli.commands import show, before_after, which_reading, explore, sample_size, one_matrix, hosting, catalogues
