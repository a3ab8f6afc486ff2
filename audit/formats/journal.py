"""What reading one file did, for the campaign's journal."""

from audit.domain import JournalEntry
from audit.formats.align import Aligned
from audit.formats.reading import Table


def journal_of(path: str, table: Table, aligned: Aligned | None) -> tuple[JournalEntry, ...]:
    """How a file was read, what was repaired in it, and what the policies decided.

    Parameters
    ----------
    path : str
        The file.
    table : Table
        What was read.
    aligned : Aligned, optional
        The submission in gold order; None for gold.
    """
    del aligned
    return (JournalEntry("read", path, f"{table.reading}.", len(table.labels)),)
