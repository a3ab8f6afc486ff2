"""Which files are submissions, and of which team and run: by the conventions, or by the pattern of task.toml."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from audit.domain import Origin, Role
from audit.domain.submitted_runs import UNKNOWN_ORIGIN
from audit.errors import Choice, InputError, Issue
from audit.formats.campaign.conventions import (
    SUBMISSIONS,
    answers_below,
    is_never_data,
    joined,
    listed_or_not,
    name_of,
    stem,
    submissions_folder,
    without_ending,
)
from audit.formats.files.archives import archive_ending
from audit.formats.files.compressed import inner_name
from audit.formats.files.tree import Tree
from audit.formats.settings.pattern import SPLITS, Names, Pattern
from audit.text import quoted

_NUMBERED = re.compile(r"(?:ID_)?([0-9]+)(?:[_ .-].*)?")
_UPLOADED = " - "
_CODALAB = re.compile(r"(?:Team (?P<team>.+)  |(?P<user>.+) )- (?P<run>[0-9]+) submission")


@dataclass(frozen=True, slots=True)
class FileClaim:
    """A file that is a submission."""

    path: str
    team: str  # their names, as the path gives them, or else the table of the submissions
    run: str | None = None
    role_name: str | None = None  # what the path or the table calls its role
    role: Role = Role.PRIMARY  # what the run is to the campaign
    name: str | None = None  # the team's name for readers, where the table has one
    origin: Origin = UNKNOWN_ORIGIN  # who is behind it
    score: str | None = None  # what its column of scores is called, where the table of the submissions says so


def is_number_for_name(team: str) -> bool:
    """Whether a team's name is a number that a platform gave its submission, like 511 or ID_511."""
    match = _NUMBERED.fullmatch(team)
    return match is not None and team.endswith(match[1])


def files_by_cell(paths: Iterable[str]) -> dict[str, str]:
    """The submissions by what a cell of a form's or platform's table says: the file's name, its number, its uploader.

    A name, number or uploader that several files have stands for none.

    >>> found = files_by_cell(["up/ID_511_x.zip/out.csv", "up/ID_512_x.zip/out.csv", "up/run - Ana Silva.csv"])
    >>> found["512"], found["Ana Silva"], "out.csv" in found
    ('up/ID_512_x.zip/out.csv', 'up/run - Ana Silva.csv', False)
    """
    ways: list[dict[str, list[str]]] = [{}, {}, {}]
    for path in paths:
        uploaded = stem(path).rpartition(_UPLOADED)
        numbers = {match[1] for part in path.split("/") if (match := _NUMBERED.fullmatch(part))}
        for way, keys in zip(ways, ([uploaded[2]] if uploaded[1] else [], numbers, [name_of(path)]), strict=True):
            for key in keys:
                way.setdefault(key, []).append(path)
    return {key: candidates[0] for way in ways for key, candidates in way.items() if len(candidates) == 1}


def conventional_claims(tree: Tree, ignore: Sequence[str] = ()) -> tuple[list[FileClaim], list[Issue]]:
    """The submissions TEAM.ext and TEAM/RUN.ext in the folder submissions, and what is wrong with their places.

    An archive TEAM.zip is the submission in it, or a team's runs where it holds several. An archive of all teams' alone
    in the folder is the folder, and so is a folder that is called submissions too.
    """
    place = submissions_folder(tree)
    if place is None:
        return [], []
    issues: list[Issue] = []
    top = listed_or_not(tree, _packed_again(tree, place, ignore), issues)
    claims = [FileClaim(path, stem(path)) for path in top.files if not is_never_data(path, ignore)]
    for folder in top.folders:
        if is_never_data(folder, ignore):
            continue
        if tree.is_archive(folder):
            claims.extend(_packed(tree, folder, *uploader(without_ending(folder)), ignore=ignore, issues=issues))
        else:
            claims.extend(_runs(tree, folder, ignore, issues))
    return claims, issues


def _packed_again(tree: Tree, place: str, ignore: Sequence[str]) -> str:
    """The archive or folder alone in the place of the submissions that is no team's, but holds theirs; or the place.

    It is called submissions too, or is an archive that has several archives in it and nothing else.
    """
    paths = _data_in(tree, place, ignore)
    if len(paths) != 1 or not tree.is_folder(only := paths[0]):
        return place
    below = _data_in(tree, only, ignore)
    holds_archives = tree.is_archive(only) and len(below) > 1 and all(map(tree.is_archive, below))
    is_named_so = without_ending(only).casefold() == SUBMISSIONS
    return _packed_again(tree, only, ignore) if holds_archives or is_named_so else place


def _data_in(tree: Tree, folder: str, ignore: Sequence[str]) -> list[str]:
    """Files and folders in one that can be data."""
    listing = listed_or_not(tree, folder, [])
    return [path for path in (*listing.files, *listing.folders) if not is_never_data(path, ignore)]


def _runs(tree: Tree, folder: str, ignore: Sequence[str], issues: list[Issue]) -> Iterator[FileClaim]:
    """The runs in a team's folder, each a file or an archive."""
    team = folder.rpartition("/")[2]
    below = listed_or_not(tree, folder, issues)
    yield from (FileClaim(path, team, stem(path)) for path in below.files if not is_never_data(path, ignore))
    for packed in below.folders:
        if archive_ending(packed) and not is_never_data(packed, ignore):
            yield from _packed(tree, packed, team, without_ending(packed), ignore=ignore, issues=issues)


def _packed(  # noqa: PLR0913 - what is packed, whose it is, and where issues go
    tree: Tree, archive: str, team: str, run: str | None, *, ignore: Sequence[str], issues: list[Issue]
) -> Iterator[FileClaim]:
    """The submission in an archive, or the submissions."""
    try:
        paths = answers_below(tree, archive, ignore)
    except InputError as error:
        issues.extend(error.issues)
        return
    if not paths:
        issues.append(Issue.of("empty-file", archive, "no data file is in it"))
    for path in paths:
        *folders, file = path[len(archive) + 1 :].split("/")
        inner_path = "/".join([*map(without_ending, folders), stem(file)])
        several = inner_path if run is None else f"{run}/{inner_path}"
        yield FileClaim(path, team, run if len(paths) == 1 else several)


def uploader(name: str) -> tuple[str, str | None]:
    """Team and run of an archive's name: CodaLab's download calls them ``USER - 3 submission``.

    >>> uploader("ann - 3 submission"), uploader("Team B-7  - 12 submission"), uploader("B")
    (('ann', '3'), ('B-7', '12'), ('B', None))
    """
    match = _CODALAB.fullmatch(name)
    return (name, None) if match is None else (match["team"] or match["user"], match["run"])


def matching_claims(
    tree: Tree, pattern: Pattern, ignore: Sequence[str] = (), split: str | None = None
) -> tuple[list[FileClaim], list[Issue]]:
    """The submissions that the pattern of task.toml finds, and what is wrong with their places.

    Archives count as folders and compressed files as what is in them, whether the pattern names their endings or not.
    A name that can be split in several ways is an issue, unless `split` says at which place.
    """
    issues: list[Issue] = []
    *above, last = pattern.component_expressions
    places = [("", _Place(""))]  # with their paths as the pattern has them, which may name what wraps an archive
    for expression in above:
        below = [entry for shown_path, place in places for entry in _places_below(tree, place, shown_path, issues)]
        places = [(shown_path, place) for shown_path, place in below if expression.fullmatch(name_of(shown_path))]
    claims: dict[str, FileClaim] = {}
    undecided: set[str] = set()
    for shown_path, folder in ((shown_path, place.folder) for shown_path, place in places if not place.wrapper):
        for path, name in _files_below(tree, folder, pattern, issues):
            if path in claims or path in undecided or not last.fullmatch(name) or is_never_data(path, ignore):
                continue
            splits = pattern.splits(joined(shown_path, name))
            if split is None and len(splits) > 1:
                issues.append(_several_splits(path, pattern, splits))
                undecided.add(path)
                continue
            names = splits.get(split or SPLITS[0]) or next(iter(splits.values()), None)
            for claim in [] if names is None else _matched(tree, path, names, ignore, issues):
                claims.setdefault(claim.path, claim)
    return list(claims.values()), issues


def _several_splits(path: str, pattern: Pattern, splits: Mapping[str, Names]) -> Issue:
    """The issue for a name that the pattern splits in several ways, with each, and the setting that chooses it."""
    ways = {split: _names_in_words(names) for split, names in splits.items()}
    defect = f"{quoted(pattern.text, 120)} splits this name in several ways: {' · or · '.join(ways.values())}"
    choices = " · or · ".join(f'split = "{split}" ({way})' for split, way in ways.items())
    remedy = f"write into task.toml, under [submissions]: {choices}; or list the files in a table of submissions"
    decide = [Choice("[submissions]", f'split = "{split}"', way) for split, way in ways.items()]
    return Issue.of("ambiguous-reading", path, defect, remedy=remedy, choices=decide)


def _names_in_words(names: Names) -> str:
    parts = (f"{name} {quoted(value)}" for name, value in names._asdict().items() if value is not None)
    return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder or archive, with those of the folders that wrap what is in it that are still to be named.

    ``wrapper`` is None where none of them was: they may be left out.
    """

    folder: str
    wrapper: tuple[str, ...] | None = None


def _places_below(tree: Tree, place: _Place, shown_path: str, issues: list[Issue]) -> Iterator[tuple[str, _Place]]:
    """The folders in a folder, by each way to write them; and an archive itself, if folders wrap what is in it."""
    wrapper = tree.wrapper(place.folder).split("/") if place.wrapper is None else place.wrapper
    if wrapper and wrapper[0]:
        yield joined(shown_path, wrapper[0]), _Place(place.folder, tuple(wrapper[1:]))
    if place.wrapper:
        return
    for path in listed_or_not(tree, place.folder, issues).folders:
        for name in dict.fromkeys((without_ending(path), name_of(path))):
            yield joined(shown_path, name), _Place(path)


def _files_below(tree: Tree, folder: str, pattern: Pattern, issues: list[Issue]) -> Iterator[tuple[str, str]]:
    """The files in a folder, by each way to write them; archives where the pattern asks for such."""
    listing = listed_or_not(tree, folder, issues)
    for path in listing.files:
        for name in dict.fromkeys((inner_name(name_of(path)), name_of(path))):
            yield path, name
    if archive_ending(pattern.text):
        yield from ((path, name_of(path)) for path in listing.folders if archive_ending(path))


def _matched(tree: Tree, path: str, names: Names, ignore: Sequence[str], issues: list[Issue]) -> Iterable[FileClaim]:
    if not tree.is_archive(path):
        return [FileClaim(path, *names)]
    packed = _packed(tree, path, names.team, names.run, ignore=ignore, issues=issues)
    return [replace(claim, role_name=names.role) for claim in packed]
