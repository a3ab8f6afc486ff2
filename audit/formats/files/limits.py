"""How large and how deep a file may be before it is refused, so that no file can exhaust the machine.

A file is checked against these limits before it is unpacked, as far as it says what is in it, and while it is, because
what it says may be wrong. What is beyond them is the issue too-large.
"""

import os

VARIABLE = "AUDIT_MOST_BYTES"
"""The environment variable by which the service sets its own limit for a process and all that this one starts."""

_stated = os.environ.get(VARIABLE, "")
MOST_BYTES = int(_stated) if _stated.isdecimal() else 2**31
"""Bytes of a file, and of everything in an archive or workbook together once unpacked: 2 GiB where nobody says else."""

MOST_ENTRIES = 10_000  # entries of an archive or workbook

MOST_RATIO = 200  # unpacked bytes for each packed one, beyond `ANY_RATIO`

ANY_RATIO = 2**26
"""Unpacked bytes up to which a file may shrink as it likes, 64 MiB: one of a single repeated label does."""


def most_unpacked(packed: int) -> int:
    """The largest size in bytes that a packed file of this size may have unpacked."""
    return max(ANY_RATIO, MOST_RATIO * packed)


MOST_ITEMS = 10_000_000  # rows of one file

MOST_CELLS = 20_000_000  # cells of one sheet of a workbook, its empty ones included

MOST_LABELS = 5_000  # classes: each pair of them can be a cell of every confusion

MOST_COLUMNS = 16_384  # columns of a table, as many as Excel has

# characters of one line, of any text but JSON: 256 for each of as many cells as a table may have
MOST_OF_LINE = 2**22

MOST_DEPTH = 64  # levels of brackets in JSON, and of names joined by dots in task.toml

MOST_OF_SETTINGS = 2**19  # bytes of task.toml
