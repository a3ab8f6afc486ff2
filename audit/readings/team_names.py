"""Names in a published table → entries of the campaign."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from audit.domain import Entry, Evaluation, Published
from audit.errors import Issue
from audit.text import did_you_mean, listed, quoted, slugify


@dataclass(frozen=True)
class Names:
    """Rows of a table → entries of the campaign, and the names that were taken for the same though they differ."""

    entry_of: Mapping[int, int]
    renamed: tuple[tuple[str, str], ...]


def match_names(teams: Sequence[str], evaluation: Evaluation) -> Names:
    """Find the entries that a table's names mean: as they stand, then with less and less of their spelling.

    Case, blanks, punctuation and invisible characters are folded only where exactly one name on each side remains.
    A team with a single run is also found under its own name, and a run under TEAM/RUN.
    """
    entries = evaluation.entries
    runs = Counter(entry.team for entry in entries)
    spellings = [_spellings(entry, alone=runs[entry.team] == 1) for entry in entries]
    entry_of: dict[int, int] = {}
    for fold in (str, slugify, _letters):
        _match_by(fold, teams, spellings, entry_of)
    renamed = [(teams[row], entry) for row, entry in sorted(entry_of.items()) if teams[row] not in spellings[entry]]
    return Names(entry_of, tuple((team, entries[entry].name) for team, entry in renamed))


def _spellings(entry: Entry, *, alone: bool) -> frozenset[str]:
    """The names that an entry may have in a table."""
    names = (entry.name, entry.team if alone else None, entry.run and f"{entry.team}/{entry.run}")
    return frozenset(filter(None, names))


def _match_by(
    fold: Callable[[str], str], teams: Sequence[str], spellings: Sequence[frozenset[str]], entry_of: dict[int, int]
) -> None:
    """Add what matches by one way of folding, where it is the only one on both sides."""
    rows: dict[str, set[int]] = {}
    for row, team in enumerate(teams):
        if row not in entry_of:
            rows.setdefault(fold(team), set()).add(row)
    entries: dict[str, set[int]] = {}
    taken = set(entry_of.values())
    for entry, names in enumerate(spellings):
        if entry not in taken:
            for name in names:
                entries.setdefault(fold(name), set()).add(entry)
    for name, row_numbers in rows.items():
        if len(row_numbers) == len(entries.get(name, ())) == 1:
            entry_of[min(row_numbers)] = min(entries[name])


def _letters(name: str) -> str:
    """Letters and digits alone, in lower case; the name itself where it has none."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(filter(str.isalnum, folded)) or name


def no_team_in_common(published: Published, evaluation: Evaluation) -> Issue:
    """The issue for a table of which no name is a team of the campaign."""
    near = did_you_mean(published.teams[0], evaluation.names)
    shown = listed([quoted(name) for name in published.teams], limit=5)
    names = listed([quoted(name) for name in evaluation.names], limit=5)
    defect = f"none of its names is a team of this campaign: {shown}.{near}"
    return Issue.of("no-team-in-common", published.path, defect, expected=f"names like {names}")
