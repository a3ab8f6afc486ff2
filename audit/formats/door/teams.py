"""Team and run of each submission: what differs between the paths, less the words that all names have."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import commonprefix

from audit.domain import Role
from audit.errors import UsageError
from audit.formats.campaign.conventions import stem, without_ending
from audit.formats.door.platforms import told_by_tables, uploads_of
from audit.formats.files.tree import Tree
from audit.formats.settings.values import Pattern
from audit.text import quoted, visible

_FEWEST_FOLDERS = 3  # folders that differ, from which on they are the teams'
_SEPARATORS = "_ ."
_WORDS = re.compile(r"[_ .]+")
_TRAILING_RUN = re.compile(
    r"(?P<team>.+?)(?:[-_. ]+)(?P<run>"
    r"(?:run|bundle|contrastive|primary|secondary|sub|submission|system|sys|entry|version|v)?[-_ ]?\d{1,3}"
    r"|(?:run|bundle)[-_ ]?[a-z]|contrastive|primary|secondary|[a-z])",
    re.IGNORECASE,
)
_NO_TEAM = re.compile(
    r"(?:team|group|participant|user|system|sys|run|submission|entry|model|test|task)s?",
    re.IGNORECASE,
)
"""What is left of a name that is no team's without the number behind it."""
_ENDINGS = re.compile(
    r"[-_. ]+(?:predictions?|preds?|outputs?|answers?|submissions?|results?)$", re.IGNORECASE
)
_MOST_NAMES = 6
_NAME_LIMIT = 40  # characters of a name in a message
_BASELINE = re.compile(r"(?<![a-z])(?:baselines?|majority|random)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Named:
    """Whose a file is."""

    team: str
    run: str = ""
    role: str = ""
    is_ranked: bool = True  # what a platform does not rank is left out
    why: str = ""  # what tells it


def named_by_pattern(paths: Sequence[str], pattern: str) -> dict[str, Named]:
    """Whose files are by a pattern with {team} and {run}: of the file's name, or of as many folders as it has.

    Raises
    ------
    UsageError
        Where it is no pattern, or does not fit a file.
    """
    try:
        wanted = Pattern(pattern)
    except ValueError as error:
        raise UsageError(f"--name {quoted(pattern)} is no pattern: it takes {error}.") from None
    found = {}
    for path in paths:
        whole = "/".join(path.split("/")[-len(wanted.components) :])
        folders, _, _ = whole.rpartition("/")
        if folders:
            bare = f"{folders}/{stem(whole)}"
        else:
            bare = stem(whole)
        ways = wanted.splits(bare) or wanted.splits(whole)
        if not ways:
            raise UsageError(
                f"--name {quoted(pattern)} does not fit {quoted(path, 120)}: write {{team}} and {{run}}."
            )
        way = ways[-1]  # each gap as short as can be
        found[path] = Named(way.team, way.run or "", _role_of(f"{way.team} {way.run or ''}"))
    _refuse_twins(found, pattern)
    return found


def _refuse_twins(named: Mapping[str, Named], pattern: str) -> None:
    """Refuse a pattern that gives two files the same team and run; where their folders differ, say how."""
    first_of: dict[tuple[str, str], str] = {}
    for path, name in named.items():
        first = first_of.setdefault((name.team, name.run), path)
        if first == path:
            continue
        differing = [part for part in ("{run}", "{team}") if part not in pattern]
        folders = {each.rpartition("/")[0].rpartition("/")[2] for each in (first, path)}
        remedy = "name one of them alone"
        if differing and len(folders) > 1:
            remedy = f"tell them apart by their folders: --name '{differing[0]}/{pattern}'"
        files = f"{quoted(first, 60)} and {quoted(path, 60)}"
        raise UsageError(f"--name {quoted(pattern, 40)} makes one run of {files}: {remedy}.")


def named_by_platform(tree: Tree, paths: Sequence[str], others: Sequence[str]) -> dict[str, Named]:
    """Whose uploads of one platform are: by its list among the other files, or by the names that it gives them."""
    told, _ = told_by_tables(tree, paths, others)
    rows = uploads_of(paths, told) or {path: told[path] for path in paths if path in told}
    if not rows:
        return {}
    ranked = Counter(row.team for row in rows.values() if row.kind == "submission")
    found = named_by_difference([path for path in paths if path not in rows])
    for path, row in rows.items():
        if ranked[row.team] != 1:
            run = row.run
        else:
            run = ""
        is_ranked = row.kind == "submission"
        found[path] = Named(
            row.team, run, row.role or _role_of(path), is_ranked=is_ranked, why=row.why
        )
    return found


def how_platform_tells(named: Mapping[str, Named]) -> str:
    """What of a platform tells whose files are: its list, or the names that it gives to uploads."""
    reasons = [name.why for name in named.values() if name.why]
    if any("list" in reason for reason in reasons):
        return "by the platform's list"
    return "by the platform's names of uploads"


def named_by_difference(paths: Sequence[str]) -> dict[str, Named]:
    """Whose files are: by their folders where three or more differ, else by their names."""
    parts = {path: _parts(path) for path in paths}
    level = _level_of_teams(list(parts.values()))
    if level is None:
        found = _by_file_names(paths)
    else:
        found = _by_folders(parts, level)
    n_of = Counter(name.team for name in found.values())
    return {
        path: replace(
            name, run=name.run if n_of[name.team] > 1 else "", role=_role_of(path) or name.role
        )
        for path, name in found.items()
    }


def _parts(path: str) -> list[str]:
    """Folders and archives without their endings, and the file's name without its."""
    *folders, _ = path.split("/")
    return [*map(without_ending, folders), stem(path)]


def _level_of_teams(paths: Sequence[Sequence[str]]) -> int | None:
    """The level of the folders that are the teams': the first on which three or more differ, or hold the same names."""
    deepest = min(map(len, paths), default=1)
    for level in range(deepest - 1):
        folders = {parts[level] for parts in paths}
        names = {parts[-1] for parts in paths}
        is_full = len(folders) > 1 and len(folders) * len(names) == len(
            {(parts[level], parts[-1]) for parts in paths}
        )
        if len(folders) >= _FEWEST_FOLDERS or is_full:
            return level
    return None


def _by_folders(parts: Mapping[str, Sequence[str]], level: int) -> dict[str, Named]:
    """The folder as team; the rest of the path, without the team's name and the words of all files, as run."""
    by_team: defaultdict[str, list[str]] = defaultdict(list)
    for path, names in parts.items():
        by_team[names[level]].append(path)
    common = _common_words([names[-1] for names in parts.values()])
    found = {}
    for path, names in parts.items():
        *inner, last = [_without_text(name, names[level]) for name in names[level + 1 :]]
        run = "/".join([*inner, _without_words(last, common) or last])
        found[path] = Named(names[level], run)
    return _with_short_runs(found, by_team)


def _with_short_runs(
    found: Mapping[str, Named], by_team: Mapping[str, Sequence[str]]
) -> dict[str, Named]:
    """The names with runs that leave out the folders in which no two runs of a team differ."""
    short = dict(found)
    for paths in by_team.values():
        lasts = [found[path].run.rpartition("/")[2] for path in paths]
        if len(set(lasts)) == len(lasts) and all(lasts):
            for path, last in zip(paths, lasts, strict=True):
                short[path] = replace(found[path], run=last)
    return short


def _without_text(name: str, text: str) -> str:
    """A name without a team's own in front of it."""
    if name.casefold().startswith(text.casefold()) and name[len(text) :][:1] in {
        "_",
        "-",
        " ",
        ".",
    }:
        return name[len(text) :].strip("_-. ")
    return name


def _by_file_names(paths: Sequence[str]) -> dict[str, Named]:
    """What is left of the file's name without the words of all names; a trailing number or letter is the run."""
    stems = _whole_names(paths)
    common = _common_words(list(stems.values()))
    bare = {
        path: _ENDINGS.sub("", _without_words(name, common) or name) or name
        for path, name in stems.items()
    }
    bare = _without_common_beginning(bare)
    split = {path: _split_run(name) for path, name in bare.items()}
    split = _without_lone_splits(split, bare)
    teams = {name.team for name in split.values()}
    # what differs is the team, though it is called by a number
    if len(teams) == 1 < len(set(bare.values())):
        split = {path: Named(name) for path, name in bare.items()}
    return split


def _without_common_beginning(names: Mapping[str, str]) -> dict[str, str]:
    """The names without what stands before a hyphen in all of three or more; a number alone is no name."""
    beginning = commonprefix(list(names.values()))  # noqa: RUF071 - of texts, not of paths
    beginning = beginning[: beginning.rfind("-") + 1]
    ends = {path: name[len(beginning) :] for path, name in names.items()}
    if len(set(names.values())) < _FEWEST_FOLDERS or all(end.isdigit() for end in ends.values()):
        return dict(names)
    return ends


_HYPHENATED = re.compile(r".*-(?:\d{1,3}|[a-z])", re.IGNORECASE)


def _without_lone_splits(split: Mapping[str, Named], bare: Mapping[str, str]) -> dict[str, Named]:
    """The names, those such as GPT-4 or uni-x whole where no other file is of the team without the number or letter."""
    n_of = Counter(name.team for name in split.values())
    kept = {}
    for path, name in split.items():
        is_lone = n_of[name.team] == 1 and _HYPHENATED.fullmatch(bare[path]) is not None
        if is_lone:
            kept[path] = Named(bare[path])
        else:
            kept[path] = name
    return kept


def _whole_names(paths: Sequence[str]) -> dict[str, str]:
    """The files' names; with the folders that differ where several files have the same."""
    of_name: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        of_name[stem(path)].append(path)
    found = {}
    for name, twins in of_name.items():
        parts = [_parts(twin) for twin in twins]
        depth = min(map(len, parts))
        differing = [
            place for place in range(depth - 1) if len({each[place] for each in parts}) > 1
        ]
        for path, own in zip(twins, parts, strict=True):
            found[path] = "_".join([*(own[place] for place in differing), name])
    return {path: found[path] for path in paths}


def _common_words(names: Sequence[str]) -> set[str]:
    """The words that all names have, where there are several names."""
    if len(set(names)) < 2:  # noqa: PLR2004 - several
        return set()
    words = [{word.casefold() for word in _WORDS.split(name) if word} for name in names]
    return set.intersection(*words)


def _without_words(name: str, common: set[str]) -> str:
    """A name without words, its other words with the separators that they have."""
    pieces = re.split(r"([_ .]+)", name)
    kept = [piece for piece in pieces[::2] if piece and piece.casefold() not in common]
    separators = [piece for piece in pieces[1::2] if piece]
    if separators:
        separator = separators[0][0]
    else:
        separator = "_"
    return separator.join(kept)


def _split_run(name: str) -> Named:
    """A name as team and run, as long as a team remains."""
    runs: list[str] = []
    while (match := _TRAILING_RUN.fullmatch(name)) and not _NO_TEAM.fullmatch(match["team"]):
        runs.insert(0, match["run"])
        name = match["team"]
    return Named(name, "_".join(runs))


def _role_of(path: str) -> str:
    """The role that a path tells: a baseline by its name, others by a folder that is called as a role."""
    if _BASELINE.search(path.replace("_", " ")):
        return str(Role.BASELINE)
    folders = {part.casefold() for part in path.split("/")[:-1]}
    return next((str(role) for role in Role if role in folders), "")


def shown_teams(names: Iterable[Named], limit: int = _MOST_NAMES) -> str:
    """The teams with the most runs, for a message."""
    counts = Counter(name.team for name in names).most_common()
    shown = []
    for team, count in counts[:limit]:
        runs = ""
        if count > 1:
            runs = f" ({count} runs)"
        shown.append(visible(team, _NAME_LIMIT) + runs)
    more = ""
    if len(counts) > limit:
        more = f" and {len(counts) - limit} more"
    return ", ".join(shown) + more
