"""Team, run and role of files by their paths: defaults for the rows of files.csv, which a person can change there."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os.path import commonprefix

from audit.domain import Role
from audit.errors import InputError
from audit.formats.campaign.claims import CODALAB
from audit.formats.campaign.conventions import name_of, stem, without_ending
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.settings.manifest import FileRow
from audit.formats.small_tables import small_table_of

_BOUNDARY = " _-."
_FEWEST = 3  # the fewest names that share a beginning or end not by chance
_BASELINE = re.compile(r"(?<![a-z])baselines?(?![a-z])", re.IGNORECASE)
_RUN = re.compile(r"(.+?)[_-]((?:run|v|sub|submission|system)[_-]?\d+|old|new|final)", re.IGNORECASE)
_CODABENCH = re.compile(r"(?P<run>\d+)_(?P<team>.+)_PhaseId(?P<phase>\d+)_\d{4}-\d\d-\d\d_\d\d-\d\d(?:_.*)?")
_CODABENCH_BEFORE = re.compile(r"ID_(?P<id>\d+)(?:_(?P<team>.*))?")
_CUT_TO = 35  # characters that Codabench kept of an uploaded file's name, which then stands for the team's
_CUT = f", cut to {_CUT_TO} characters: is it one team’s?"
_UPLOADS = {
    _CODABENCH: "upload {run} to phase {phase}, by Codabench's name",
    _CODABENCH_BEFORE: "by its name on Codabench",
    CODALAB: "by CodaLab's name",
}
"""How the platforms' own code calls uploads, and why that tells whose they are."""
_LISTS = (("submission id", "owner"), ("id #", "owner"), ("id", "owner"), ("submitted file", "team name"))
"""The columns of the upload and its owner in the lists of Codabench, before and now, and of EvalAI."""


def whose_of(paths: Sequence[str], told: Mapping[str, FileRow]) -> dict[str, FileRow]:
    """Whose each file of a test set is: by its platform's name, by what tells it, or by what differs between paths.

    What a platform does not rank is to be ignored: an earlier upload, of another phase than the last, or unfinished.
    """
    found = _by_platform(paths)
    if found:
        unranked = {path: told[path].kind for path in found if path in told and told[path].kind == "ignore"}
        found |= {path: replace(found[path], kind=kind) for path, kind in unranked.items()}
    else:
        own = {path: told[path] for path in paths if path in told}
        found = _tidied({**_by_difference([path for path in paths if path not in own]), **own})
    n_of = Counter(row.team for row in found.values() if row.kind == "submission")
    return {
        path: replace(row, run="" if n_of[row.team] == 1 else row.run, role=row.role or _role_of(path))
        for path, row in found.items()
    }


def _role_of(path: str) -> str:
    """The role that a folder is called by; a baseline is one by its name, too."""
    if _BASELINE.search(path.replace("_", " ")):
        return str(Role.BASELINE)
    folders = {part.casefold() for part in path.split("/")[:-1]}
    return next((str(role) for role in Role if role in folders), "")


def _by_difference(paths: Sequence[str]) -> dict[str, FileRow]:
    """Of the parts of the paths that differ the first is the team, the others the run where a team has several."""
    parts = {path: _parts(path) for path in paths}
    found: dict[str, FileRow] = {}
    for depth in dict.fromkeys(map(len, parts.values())):
        of_depth = {path: own for path, own in parts.items() if len(own) == depth}
        differing = [at for at, column in enumerate(zip(*of_depth.values(), strict=True)) if len(set(column)) > 1]
        places = differing or [max(depth - 2, 1) if depth > 2 else depth - 1]  # noqa: PLR2004 - of one file its folder
        n_of = Counter(own[places[0]] for own in of_depth.values())
        for path, own in of_depth.items():
            run = "/".join(own[at] for at in places[1:]) if n_of[own[places[0]]] > 1 else ""
            found[path] = FileRow(path, "submission", team=own[places[0]], run=run)
    return found


def _parts(path: str) -> list[str]:
    """The names of folders and archives without their endings, and of the file; without folders called as a role is."""
    *folders, _ = path.split("/")
    roles = {*Role, "baselines"}
    return [*(without_ending(part) for part in folders if part.casefold() not in roles), stem(path)]


def _tidied(found: Mapping[str, FileRow]) -> dict[str, FileRow]:
    """Without what all teams, or all runs, have in common; X_run2 and X_old as runs of X where X has several files."""
    teams, runs = {row.team for row in found.values()}, {row.run for row in found.values() if row.run}
    team_of, run_of = _without_affixes(teams), _without_affixes(runs)
    tidy = {path: replace(row, team=team_of[row.team], run=run_of.get(row.run, "")) for path, row in found.items()}
    if runs:
        return tidy
    split = {path: match for path, row in tidy.items() if (match := _RUN.fullmatch(row.team))}
    n_of = Counter(split[path][1] if path in split else row.team for path, row in tidy.items())
    of_team = {path: match for path, match in split.items() if n_of[match[1]] > 1}
    return tidy | {path: replace(tidy[path], team=match[1], run=match[2]) for path, match in of_team.items()}


def _without_affixes(names: set[str]) -> dict[str, str]:
    """Names without the beginning and the end that all share, as far as these end and begin at a boundary."""
    if len(names) < _FEWEST:
        return {name: name for name in names}
    before = commonprefix(list(names))  # noqa: RUF071 - of texts, not of paths
    before = before[: 1 + max(before.rfind(mark) for mark in _BOUNDARY)]
    behind = commonprefix([name[len(before) :][::-1] for name in names])  # noqa: RUF071
    behind = behind[: 1 + max(behind.rfind(mark) for mark in _BOUNDARY)]
    if all(name[len(before) : len(name) - len(behind)].isdigit() for name in names):
        before = ""  # a number alone is no name
    return {name: name[len(before) : len(name) - len(behind)] for name in names}


def is_of_platform(paths: Sequence[str]) -> bool:
    """Whether all files are called as one platform calls uploads."""
    return bool(_by_platform(paths))


def _by_platform(paths: Sequence[str]) -> dict[str, FileRow]:
    """Whose uploads of one platform are; none where some file is no upload, or a name would be of several."""
    for pattern, why in _UPLOADS.items():
        uploads = {path: match for path in paths if (match := _upload(path, pattern))}
        has_runs = "run" in pattern.groupindex
        teams = {match["team"] for match in uploads.values() if match["team"]}
        if len(uploads) == len(paths) > 0 and (has_runs or len(teams) == len(paths)):
            found: dict[str, FileRow] = {}
            for path, match in uploads.items():
                run, words = match["run"] if has_runs else "", why.format(**match.groupdict())
                words += _CUT if not has_runs and len(match["team"]) >= _CUT_TO else ""
                found[path] = FileRow(path, "submission", team=match["team"], run=run, why=words)
            return _ranked(uploads, found) if "phase" in pattern.groupindex else found
    return {}


def _upload(path: str, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """A folder, an archive or the file itself that is called as a platform calls an upload."""
    names = map(without_ending, [*path.split("/")[:-1], stem(path)])
    return next(filter(None, map(pattern.fullmatch, names)), None)


def _ranked(uploads: Mapping[str, re.Match[str]], found: Mapping[str, FileRow]) -> dict[str, FileRow]:
    """The latest upload of each owner in the last phase; the others are to be ignored."""
    order = {path: (int(match["phase"]), int(match["run"])) for path, match in uploads.items()}
    latest = {found[path].team: path for path in sorted(order, key=order.__getitem__)}
    last_phase, _ = max(order.values())
    ranked = {path for path in latest.values() if order[path][0] == last_phase}
    return {
        path: row if path in ranked else replace(row, kind="ignore", why=f"{row.why}; not the latest")
        for path, row in found.items()
    }


def told_by_tables(tree: Tree, paths: Sequence[str], tables: Sequence[str]) -> tuple[dict[str, FileRow], str | None]:
    """Whose files are by a platform's own list of submissions, and that list."""
    for table in tables:
        try:
            heads, *rows = small_table_of(decode(table, tree.read(table)), "bad-manifest").rows
        except InputError:
            continue
        row_of = _listed([head.casefold() for head in heads], rows)
        found = {path: row for path in paths if (row := _told(path, row_of)) is not None}
        if found:
            return found, table
    return {}, None


def _listed(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, FileRow]:
    """The owner of each upload of a list, by the upload's name or number."""
    columns = next((pair for pair in _LISTS if set(pair) <= set(heads)), None)
    if columns is None:
        return {}
    upload, owner = map(heads.index, columns)
    status = heads.index("status") if "status" in heads else None
    return {
        name_of(row[upload]): FileRow(
            row[upload],
            "submission" if status is None or row[status].casefold() == "finished" else "ignore",
            team=row[owner],
            run=row[upload] if row[upload].isdigit() else "",
            why="by the platform's list",
        )
        for row in rows
    }


def _told(path: str, row_of: Mapping[str, FileRow]) -> FileRow | None:
    """What is told of a file, by its name or by the number that Codabench put before it."""
    numbers = (match[1] for pattern in (_CODABENCH, _CODABENCH_BEFORE) if (match := _upload(path, pattern)))
    row = next((row_of[name] for name in (*path.split("/"), *numbers) if name in row_of), None)
    return row and replace(row, file=path)
