"""What reading one file did, for the campaign's journal."""

from collections.abc import Iterator

from audit.domain import JournalEntry
from audit.errors import Issue
from audit.formats.align import Aligned
from audit.formats.reading import Table
from audit.text import plural, quoted

_DECIDED = frozenset({"duplicate-item", "extra-item", "missing-item", "missing-label", "unusable-label"})


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

    Returns
    -------
    tuple of JournalEntry
        One that says how it was read; one *repaired* for each other spelling that was taken for a label; one *decided*
        for each kind of defect that a policy let pass. The counts are rows, or items where they are missing.
    """
    issues = () if aligned is None else aligned.issues
    return (_read(path, table), *_repaired(path, table), *_decided(path, issues))


def _read(path: str, table: Table) -> JournalEntry:
    groups = "" if table.groups is None else f"; resampled by groups: {len(set(table.groups)):,}"
    return JournalEntry("read", path, f"{table.reading}{groups}.", len(table.labels))


def _repaired(path: str, table: Table) -> Iterator[JournalEntry]:
    for spelling, label, count in table.respelt:
        meant = f"as {quoted(label)}" if label else "as no answer"
        yield JournalEntry("repaired", path, f"{quoted(spelling)} was read {meant}, as task.toml says.", count)


def _decided(path: str, issues: tuple[Issue, ...]) -> Iterator[JournalEntry]:
    """What is not fatal by policy; labels outside the label set, of which there may be many, are one entry."""
    passed = [issue for issue in issues if issue.slug in _DECIDED and not issue.fatal]
    for issue in passed:
        if issue.slug != "unusable-label":
            yield JournalEntry("decided", path, f"{issue.found.rstrip('.')}.", issue.count)
    unusable = sum(issue.count for issue in passed if issue.slug == "unusable-label")
    if unusable:
        answers = plural(unusable, "answer")
        verb = "counts" if unusable == 1 else "count"
        yield JournalEntry("decided", path, f"{answers} outside the label set {verb} as unanswered.", unusable)
