"""Names in a published table → entries of the campaign."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath

from audit.domain import Entry, Evaluation, Published, PublishedColumn
from audit.errors import InputError, Issue
from audit.text import did_you_mean, listed, quoted, slugify


@dataclass(frozen=True)
class Names:
    """Rows of a table → entries of the campaign, and the names that were taken for the same though they differ."""

    run_of: Mapping[int, tuple[int, str]]  # the entry that a row means, and the run of it
    renamed: tuple[tuple[str, str], ...]

    @property
    def entry_of(self) -> dict[int, int]:
        """The entry that each row means."""
        return {row: entry for row, (entry, _) in self.run_of.items()}


def joined_tables(tables: Sequence[Published], evaluation: Evaluation) -> tuple[Published, Names]:
    """Published tables as one, and what its names mean: rows of several that mean the same run are one row.

    An InputError is raised for tables of which no name is a team.
    """
    matched = [match_names(table.teams, evaluation) for table in tables]
    if strange := [table for table, names in zip(tables, matched, strict=True) if not names.run_of]:
        raise InputError(_no_team_in_common(table, evaluation) for table in strange)
    if len(tables) == 1:
        return tables[0], matched[0]
    name_of: dict[tuple[int, str] | str, str] = {}
    columns: list[tuple[PublishedColumn, list[tuple[int, str] | str]]] = []
    for number, (table, names) in enumerate(zip(tables, matched, strict=True)):
        keys = [names.run_of.get(row, team) for row, team in enumerate(table.teams)]
        for key, team in zip(keys, table.teams, strict=True):
            name_of.setdefault(key, team)
        columns += [(replace(column, table=number), keys) for column in table.columns]
    joined = Published(
        path=listed([table.path for table in tables]),
        teams=tuple(name_of.values()),
        columns=tuple(
            replace(
                column, scores=tuple(map(dict(zip(keys, column.scores, strict=True)).get, name_of))
            )
            for column, keys in columns
        ),
    )
    run_of = {row: key for row, key in enumerate(name_of) if isinstance(key, tuple)}
    renamed = dict.fromkeys(chain.from_iterable(names.renamed for names in matched))
    return joined, Names(run_of, tuple(renamed))


def match_names(teams: Sequence[str], evaluation: Evaluation) -> Names:
    """Find the entries that a table's names mean: as they stand, then with less and less of their spelling.

    Case, blanks, punctuation and invisible characters are folded only where exactly one name on each side remains.
    A team with a single row is also found under its own name, and a run under TEAM/RUN: runs with the same answers are
    several rows of a table and one entry. What no name means can be a file, with or without folders and endings.
    """
    entries = evaluation.entries
    n_rows = Counter(entry.team for entry in entries)
    runs = [(place, run) for place, entry in enumerate(entries) for run in entry.runs]
    named = [
        _spellings(run, alone=n_rows[run.team] == 1 and run is entries[place])
        for place, run in runs
    ]
    n_runs = Counter(name for _, run in runs for name in _files(run))
    files = [frozenset(name for name in _files(run) if n_runs[name] == 1) for _, run in runs]
    run_of: dict[int, int] = {}
    for spellings in (named, files):
        for fold in (str, slugify, _letters):
            _match_by(fold, teams, spellings, run_of)
    renamed = [
        (row, run)
        for row, run in sorted(run_of.items())
        if teams[row] not in named[run] | files[run]
    ]
    return Names(
        {row: (runs[run][0], runs[run][1].name) for row, run in run_of.items()},
        tuple((teams[row], runs[run][1].name) for row, run in renamed),
    )


def _spellings(run: Entry, *, alone: bool) -> frozenset[str]:
    names = (run.name, run.team if alone else None, run.run and f"{run.team}/{run.run}")
    return frozenset(filter(None, names))


def _files(run: Entry) -> frozenset[str]:
    parts = PurePosixPath(run.path or "").name.split(".")
    names = (".".join(parts[:number]) for number in range(1, 1 + len(parts)))
    return frozenset(filter(None, (run.path, *names)))


def _match_by(
    fold: Callable[[str], str],
    teams: Sequence[str],
    spellings: Sequence[frozenset[str]],
    run_of: dict[int, int],
) -> None:
    """Add what matches by one way of folding, where it is the only one on both sides."""
    rows: dict[str, set[int]] = {}
    for row, team in enumerate(teams):
        if row not in run_of:
            rows.setdefault(fold(team), set()).add(row)
    runs: dict[str, set[int]] = {}
    taken = set(run_of.values())
    for run, names in enumerate(spellings):
        if run not in taken:
            for name in names:
                runs.setdefault(fold(name), set()).add(run)
    for name, row_numbers in rows.items():
        if len(row_numbers) == len(runs.get(name, ())) == 1:
            run_of[min(row_numbers)] = min(runs[name])


def _letters(name: str) -> str:
    """Letters and digits alone, in lower case; the name itself where it has none."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(filter(str.isalnum, folded)) or name


def is_of_other_teams(published: Published, evaluation: Evaluation) -> bool:
    """Whether no name of a table is a team of the campaign."""
    return not match_names(published.teams, evaluation).run_of


def words_on_other_teams(published: Published, evaluation: Evaluation) -> str:
    """What is wrong with a table of which no name is a team of the campaign."""
    near = did_you_mean(published.teams[0], evaluation.names)
    shown = listed([quoted(name) for name in published.teams], limit=5)
    return f"none of its names is a team of this campaign: {shown}.{near}"


def _no_team_in_common(published: Published, evaluation: Evaluation) -> Issue:
    """The issue for a table of which no name is a team of the campaign."""
    names = listed([quoted(name) for name in evaluation.names], limit=5)
    defect = words_on_other_teams(published, evaluation)
    return Issue.of("bad-table", published.path, defect, expected=f"names like {names}")
