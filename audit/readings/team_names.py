"""Names in a published table → entries of the campaign."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath

from audit.domain import Entry, Evaluation, PrintedScore, Published, PublishedColumn
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
    names_of = [match_names(table.teams, evaluation) for table in tables]
    issues = []
    for table, names in zip(tables, names_of, strict=True):
        if not names.run_of:
            issues.append(_no_team_in_common(table, evaluation))
    if issues:
        raise InputError(issues)
    if len(tables) == 1:
        return tables[0], names_of[0]
    # a row of the joined table is a run, or a name that means none
    team_of: dict[tuple[int, str] | str, str] = {}
    cells_of: list[tuple[PublishedColumn, dict[tuple[int, str] | str, PrintedScore | None]]] = []
    renamed: dict[tuple[str, str], None] = {}
    for number, (table, names) in enumerate(zip(tables, names_of, strict=True)):
        keys = [names.run_of.get(row, team) for row, team in enumerate(table.teams)]
        for key, team in zip(keys, table.teams, strict=True):
            team_of.setdefault(key, team)
        for column in table.columns:
            cells = dict(zip(keys, column.scores, strict=True))
            cells_of.append((replace(column, table=number), cells))
        renamed |= dict.fromkeys(names.renamed)
    columns = []
    for column, cells in cells_of:
        columns.append(replace(column, scores=tuple(cells.get(key) for key in team_of)))
    joined = Published(
        path=listed([table.path for table in tables]),
        teams=tuple(team_of.values()),
        columns=tuple(columns),
    )
    run_of = {row: key for row, key in enumerate(team_of) if isinstance(key, tuple)}
    return joined, Names(run_of, tuple(renamed))


def match_names(teams: Sequence[str], evaluation: Evaluation) -> Names:
    """Find the entries that a table's names mean: as they stand, then with less and less of their spelling.

    Case, blanks, punctuation and invisible characters are folded only where exactly one name on each side remains.
    A team with a single row is also found under its own name, and a run under TEAM/RUN: runs with the same answers are
    several rows of a table and one entry. What no name means can be a file, with or without folders and endings.
    """
    n_rows = Counter(entry.team for entry in evaluation.entries)
    runs = []
    spellings = []
    files = []
    for place, entry in enumerate(evaluation.entries):
        for run in entry.runs:
            runs.append((place, run))
            is_only_row = n_rows[run.team] == 1 and run is entry
            spellings.append(_spellings(run, alone=is_only_row))
            files.append(_files(run))
    n_runs = Counter(chain.from_iterable(files))
    own_files = [frozenset(name for name in names if n_runs[name] == 1) for names in files]
    number_of: dict[int, int] = {}  # the run that each row means, by its number
    for names in (spellings, own_files):
        for fold in (str, slugify, _letters):
            _match_by(fold, teams, names, number_of)
    run_of = {}
    for row, number in number_of.items():
        place, run = runs[number]
        run_of[row] = (place, run.name)
    renamed = []
    for row, number in sorted(number_of.items()):
        if teams[row] not in spellings[number] | own_files[number]:
            renamed.append((teams[row], run_of[row][1]))
    return Names(run_of, tuple(renamed))


def _spellings(run: Entry, *, alone: bool) -> frozenset[str]:
    names = {run.name}
    if alone:
        names.add(run.team)
    if run.run:
        names.add(f"{run.team}/{run.run}")
    return frozenset(names)


def _files(run: Entry) -> frozenset[str]:
    """The run's path, and the name of its file with all, some and none of its endings."""
    path = run.path or ""
    parts = PurePosixPath(path).name.split(".")
    names = [".".join(parts[:number]) for number in range(1, 1 + len(parts))]
    return frozenset(filter(None, (path, *names)))


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
