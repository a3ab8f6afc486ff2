"""Team, run and role of files by their paths: defaults for the rows of files.csv, which a person can change there."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from audit.domain import Role
from audit.errors import InputError
from audit.formats.campaign.claims import uploader
from audit.formats.campaign.conventions import name_of, stem, without_ending
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.small_tables import small_table_of

_BOUNDARY = " _-."
_FEWEST = 3  # the fewest names that share a beginning or end not by chance
_BASELINE = re.compile(r"(?<![a-z])baselines?(?![a-z])", re.IGNORECASE)
_RUN = re.compile(r"(.+?)[_-]((?:run|v|sub|submission|system)[_-]?\d+|old|new|final)", re.IGNORECASE)
_CODABENCH = re.compile(r"(?P<run>\d+)_(?P<team>.+)_PhaseId(?P<phase>\d+)_\d{4}-\d\d-\d\d_\d\d-\d\d(?:_.*)?")
_CUT_TO = 35  # characters that Codabench keeps of an uploaded file's name
_CODABENCH_BEFORE = re.compile(r"ID_(?P<run>\d+)(?:_(?P<team>.*))?")


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose a file is."""

    team: str = ""
    run: str = ""
    role: str = ""
    why: str = ""
    is_counted: bool = True  # whether a platform ranks it: no earlier upload, of the last phase, and finished


def whose_of(paths: Sequence[str], told: Mapping[str, Whose]) -> dict[str, Whose]:
    """Whose each file of a test set is: by its platform's name, by what tells it, or by what differs between paths."""
    readings = (reading(paths) for reading in (_codabench, _codabench_before, _codalab))
    found = next((each for each in readings if each and len(each) == len(paths)), {})
    for path in found.keys() & told.keys():
        found[path] = replace(found[path], is_counted=found[path].is_counted and told[path].is_counted)
    if not found:
        own = {path: told[path] for path in paths if path in told}
        found = _tidied({**_by_difference([path for path in paths if path not in own]), **own})
    n_of = Counter(whose.team for whose in found.values() if whose.is_counted)
    alone = {path: replace(whose, run="") for path, whose in found.items() if n_of[whose.team] == 1}
    return {path: _with_role(path, whose) for path, whose in {**found, **alone}.items()}


def _with_role(path: str, whose: Whose) -> Whose:
    """With the role that a folder is called by; a baseline is one by its name, too."""
    folders = {part.casefold() for part in path.split("/")[:-1]}
    role = next((str(role) for role in Role if role in folders), "")
    if _BASELINE.search(path.replace("_", " ")):
        role = str(Role.BASELINE)
    return replace(whose, role=whose.role or role)


def _by_difference(paths: Sequence[str]) -> dict[str, Whose]:
    """Of the parts of the paths that differ the first is the team, the others the run where a team has several."""
    parts = {path: _parts(path) for path in paths}
    found: dict[str, Whose] = {}
    for depth in dict.fromkeys(map(len, parts.values())):
        of_depth = {path: own for path, own in parts.items() if len(own) == depth}
        differing = [at for at, column in enumerate(zip(*of_depth.values(), strict=True)) if len(set(column)) > 1]
        places = differing or [max(depth - 2, 1) if depth > 2 else depth - 1]  # noqa: PLR2004 - of one file its folder
        n_of = Counter(own[places[0]] for own in of_depth.values())
        for path, own in of_depth.items():
            run = "/".join(own[at] for at in places[1:]) if n_of[own[places[0]]] > 1 else ""
            found[path] = Whose(own[places[0]], run)
    return found


def _parts(path: str) -> list[str]:
    """The names of folders and archives without their endings, and of the file; without folders called as a role is."""
    *folders, _ = path.split("/")
    roles = {*Role, "baselines"}
    return [*(without_ending(part) for part in folders if part.casefold() not in roles), stem(path)]


def _tidied(found: Mapping[str, Whose]) -> dict[str, Whose]:
    """Without what all teams, or all runs, have in common; X_run2 and X_old as runs of X where X has several files."""
    teams, runs = {whose.team for whose in found.values()}, {whose.run for whose in found.values() if whose.run}
    team_of, run_of = _without_affixes(teams), _without_affixes(runs)
    tidy = {
        path: replace(whose, team=team_of[whose.team], run=run_of.get(whose.run, "")) for path, whose in found.items()
    }
    if any(whose.run for whose in tidy.values()):
        return tidy
    split = {path: match for path, whose in tidy.items() if (match := _RUN.fullmatch(whose.team))}
    n_of = Counter([match[1] for match in split.values()] + [w.team for path, w in tidy.items() if path not in split])
    of_team = {path: match for path, match in split.items() if n_of[match[1]] > 1}
    return tidy | {path: replace(tidy[path], team=match[1], run=match[2]) for path, match in of_team.items()}


def _without_affixes(names: set[str]) -> dict[str, str]:
    """Names without the beginning and the end that all share, as far as these end and begin at a boundary."""
    if len(names) < _FEWEST:
        return {name: name for name in names}
    before = _shared(sorted(names))
    before = before[: 1 + max(before.rfind(mark) for mark in _BOUNDARY)]
    behind = _shared([name[len(before) :][::-1] for name in sorted(names)])
    behind = behind[: 1 + max(behind.rfind(mark) for mark in _BOUNDARY)]
    if all(name[len(before) : len(name) - len(behind)].isdigit() for name in names):
        before = ""  # a number alone is no name
    return {name: name[len(before) : len(name) - len(behind)] for name in names}


def _shared(texts: Sequence[str]) -> str:
    """The beginning that all texts share."""
    alike = takewhile(lambda characters: len(set(characters)) == 1, zip(*texts, strict=False))
    return "".join(characters[0] for characters in alike)


# As the platforms' own code writes it


def _codabench_before(paths: Sequence[str]) -> dict[str, Whose]:
    """Uploads in archives with a number and the name of the file that was handed in: where these differ, the teams."""
    uploads = {path: without_ending(part) for path in paths for part in path.split("/")[:-1]}
    matches = {path: match for path, name in uploads.items() if (match := _CODABENCH_BEFORE.fullmatch(name))}
    teams = {path: match["team"] or "" for path, match in matches.items()}
    found = {path: Whose(team, why=_by_file_name(team)) for path, team in teams.items()}
    return found if len({whose.team for whose in found.values()} - {""}) == len(paths) else {}


def _by_file_name(team: str) -> str:
    was_cut = len(team) >= _CUT_TO
    return "by its name on Codabench" + (f", cut to {_CUT_TO} characters: is it one team’s?" if was_cut else "")


def _codalab(paths: Sequence[str]) -> dict[str, Whose]:
    uploads = {path: uploader(without_ending(part)) for path in paths for part in path.split("/")[:-1]}
    return {path: Whose(team, run, why="by CodaLab's name") for path, (team, run) in uploads.items() if run}


def _codabench(paths: Sequence[str]) -> dict[str, Whose]:
    """The latest upload of each owner in the last phase; the others are not counted."""
    matches = {
        path: match
        for path in paths
        for part in path.split("/")
        if (match := _CODABENCH.fullmatch(without_ending(stem(part) if part == name_of(path) else part)))
    }
    last_phase = max((int(match["phase"]) for match in matches.values()), default=0)
    latest: dict[str, int] = {}
    for match in matches.values():
        if int(match["phase"]) == last_phase:
            latest[match["team"]] = max(latest.get(match["team"], 0), int(match["run"]))
    found = {}
    for path, match in matches.items():
        is_counted = int(match["phase"]) == last_phase and int(match["run"]) == latest[match["team"]]
        why = f"upload {match['run']} to phase {match['phase']}, by Codabench's name"
        found[path] = Whose(
            match["team"], match["run"], why=why if is_counted else f"{why}; not the latest", is_counted=is_counted
        )
    return found


def told_by_tables(tree: Tree, paths: Sequence[str], tables: Sequence[str]) -> tuple[dict[str, Whose], str | None]:
    """Whose files are by a platform's own list of submissions, and that list."""
    for table in tables:
        try:
            heads, *rows = small_table_of(decode(table, tree.read(table)), "bad-manifest").rows
        except InputError:
            continue
        owner_of = _owners([head.casefold() for head in heads], rows)
        told = {path: whose for path in paths if (whose := _told(path, owner_of)) is not None}
        if told:
            return told, table
    return {}, None


_LISTS = (("submission id", "owner"), ("id #", "owner"), ("id", "owner"), ("submitted file", "team name"))
"""The columns of the upload and its owner in the lists of Codabench, before and now, and of EvalAI."""


def _owners(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, Whose]:
    columns = next((pair for pair in _LISTS if set(pair) <= set(heads)), None)
    if columns is None:
        return {}
    upload, owner = map(heads.index, columns)
    status = heads.index("status") if "status" in heads else None
    return {
        name_of(row[upload]): Whose(
            row[owner],
            row[upload] if row[upload].isdigit() else "",
            why="by the platform's list",
            is_counted=status is None or row[status].casefold() == "finished",
        )
        for row in rows
    }


def _told(path: str, owner_of: Mapping[str, Whose]) -> Whose | None:
    """The owner of a file, by its name or by the number that Codabench put before it."""
    for part in path.split("/"):
        name = without_ending(part)
        match = _CODABENCH.fullmatch(name) or _CODABENCH_BEFORE.fullmatch(name)
        whose = owner_of.get(part) or (owner_of.get(match["run"]) if match else None)
        if whose is not None:
            return whose
    return None
