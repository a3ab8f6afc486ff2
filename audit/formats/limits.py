"""How large and how deep a file may be before it is refused, so that no file can exhaust the machine.

A file is checked against these limits before it is unpacked or parsed, as far as it says what is in it, and while it is,
because what it says may be wrong. What is beyond them is the issue too-large.
"""

MOST_BYTES = 2**31
"""Bytes of a file, and of everything in an archive or workbook together once unpacked: 2 GiB."""

MOST_ENTRIES = 10_000
"""Entries of an archive or workbook."""

MOST_RATIO = 200
"""Unpacked bytes for each packed one, of an entry and of the whole; label files shrink to a hundredth at most."""

SMALL_ENTRY = 2**20
"""Unpacked bytes up to which an entry may shrink as it likes: a file of one repeated label does."""

MOST_ITEMS = 10_000_000
"""Rows of one file."""

MOST_CELLS = 50_000_000
"""Cells of one sheet, its empty ones included."""

MOST_DEPTH = 64
"""Levels of brackets in JSON."""
