"""The journal as it is read: what was done alike to many files stands in one line."""

from collections import defaultdict
from collections.abc import Sequence

from audit.domain import JournalEntry
from audit.report.page import JournalLine
from audit.text import listed, plural, visible

_ORDER = ("rejected", "decided", "chose", "repaired", "read")
_SUBJECTS_SHOWN = 6


def journal_lines(journal: Sequence[JournalEntry]) -> tuple[JournalLine, ...]:
    """The lines of the journal: rejected, decided, chosen and repaired, then read, each with its files or teams.

    Examples
    --------
    >>> journal = [JournalEntry("repaired", f"{name}.csv", "blank lines at the end dropped", 2) for name in "ab"]
    >>> journal_lines(journal)
    (JournalLine(action='repaired', text='blank lines at the end dropped', where='a.csv and b.csv, 4 in all'),)
    """
    alike: defaultdict[tuple[str, str], list[JournalEntry]] = defaultdict(list)
    for entry in journal:
        alike[entry.action, entry.text].append(entry)
    ordered = sorted(alike.items(), key=lambda item: _place(item[0][0]))
    return tuple(JournalLine(action, visible(text, 1000), _where(entries)) for (action, text), entries in ordered)


def _place(action: str) -> int:
    return _ORDER.index(action) if action in _ORDER else len(_ORDER)


def _where(entries: Sequence[JournalEntry]) -> str:
    """The files or teams, and the number of lines or items where it is not one each."""
    subjects = list(dict.fromkeys(visible(entry.subject, 80) for entry in entries))
    total = sum(entry.count for entry in entries)
    many = plural(len(subjects), "file or team", "files or teams") if len(subjects) > _SUBJECTS_SHOWN else ""
    shown = many or listed(subjects)
    return shown if total == len(entries) else f"{shown}, {total:,} in all"
