"""Which file of a campaign folder is what: gold, a submission, or nothing that a rule claims."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from audit.errors import InputError, Issue
from audit.formats.pattern import Pattern
from audit.formats.settings import FILE_NAME
from audit.text import listed, quoted, visible

_NEVER_DATA = (
    *("readme*", "license*", "licence*", "thumbs.db", "desktop.ini", ".*", "__*", "~$*", "*~"),
    *("*.md", "*.markdown", "*.rst", "*.score", "*.scores", "*.tex", "*.pdf", "*.png", "*.jpg", "*.svg", "*.html"),
    *("*.py", "*.pyc", "*.ipynb", "*.sh", "*.db", "*.bak"),
)
SUBMISSIONS = "submissions"


@dataclass(frozen=True, slots=True)
class Claim:
    """A file that is a submission: its path, and the team and run that the path says."""

    path: str
    team: str
    run: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries of one folder, sorted by name: files and folders apart."""

    files: tuple[str, ...]
    folders: tuple[str, ...]


def is_never_data(path: str, ignore: Sequence[str] = ()) -> bool:
    """Whether a file is documentation, a score or a system's own, or task.toml says to ignore it.

    Examples
    --------
    >>> is_never_data("submissions/README.txt"), is_never_data("a/team.csv"), is_never_data("a/b.log", ["*.log"])
    (True, False, True)
    """
    name = path.rpartition("/")[2]
    by_default = any(fnmatchcase(name.lower(), glob) for glob in _NEVER_DATA)
    return by_default or any(fnmatchcase(path, glob) or fnmatchcase(name, glob) for glob in ignore)


def check_folder(root: Path) -> None:
    """Refuse a path that is no folder.

    Raises
    ------
    InputError
        no-folder.
    """
    if not root.is_dir():
        found = "it is a file" if root.exists() else "there is no such folder"
        raise InputError([Issue.of("no-folder", str(root), found)])


def list_folder(root: Path, folder: str) -> Listing:
    """The entries of a folder inside the campaign.

    Raises
    ------
    InputError
        path-outside, missing-file or unreadable-file.
    """
    place = root / folder
    shown = f"{folder}/" if folder else "."
    try:
        if not place.resolve().is_relative_to(root.resolve()):
            raise InputError([Issue.of("path-outside", shown, f"it leads to {visible(os.path.realpath(place), 200)}")])
        with os.scandir(place) as entries:
            found = sorted((entry.name, _is_folder(entry)) for entry in entries)
    except (OSError, RuntimeError) as error:
        found_text = str(getattr(error, "strerror", None) or error)
        raise InputError([Issue.of("unreadable-file", shown, found_text)]) from None
    return Listing(
        tuple(joined(folder, name) for name, is_folder in found if not is_folder),
        tuple(joined(folder, name) for name, is_folder in found if is_folder),
    )


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, or a link to one; a link in a circle is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def joined(folder: str, name: str) -> str:
    """A path below a folder; the campaign folder itself has no name."""
    return f"{folder}/{name}" if folder else name


def find_gold(root: Path) -> str:
    """The file that answers to the convention gold.*.

    Raises
    ------
    InputError
        no-gold or several-golds.
    """
    top = list_folder(root, "")
    named = [path for path in top.files if path.startswith("gold.") and not is_never_data(path)]
    if len(named) == 1:
        return named[0]
    if named:
        remedy = "decide in task.toml, under [gold]: " + " or ".join(f'path = "{visible(path)}"' for path in named)
        found = listed([quoted(path) for path in named], limit=8)
        raise InputError([Issue.of("several-golds", ".", found, remedy=remedy)])
    folders = [path for path in top.folders if path.startswith("gold.")]
    if folders:
        raise InputError([Issue.of("directory", folders[0], "it is a directory")])
    data = [quoted(path) for path in data_files(top.files)]
    found = f"the files at the top are {listed(data, limit=8)}" if data else "there is no data file at the top"
    raise InputError([Issue.of("no-gold", ".", found)])


def data_files(paths: Iterable[str]) -> list[str]:
    """The files that can hold labels."""
    return [path for path in paths if path != FILE_NAME and not is_never_data(path)]


def misspelt_submissions(root: Path) -> str | None:
    """A folder that would be the submissions by convention, were it not for its upper case."""
    if (root / SUBMISSIONS).is_dir():
        return None
    return next((name for name in list_folder(root, "").folders if name.casefold() == SUBMISSIONS), None)


def conventional_claims(root: Path, ignore: Sequence[str] = ()) -> tuple[list[Claim], list[Issue]]:
    """The submissions TEAM.ext and TEAM/RUN.ext in the folder submissions, and what is wrong with their places."""
    if not (root / SUBMISSIONS).is_dir():
        return [], []
    issues: list[Issue] = []
    top = _listed(root, SUBMISSIONS, issues)
    claims = [Claim(path, _stem(path)) for path in top.files if not is_never_data(path, ignore)]
    for folder in top.folders:
        if not is_never_data(folder, ignore):
            team = folder.rpartition("/")[2]
            runs = _listed(root, folder, issues).files
            claims.extend(Claim(path, team, _stem(path)) for path in runs if not is_never_data(path, ignore))
    return claims, issues


def matching_claims(root: Path, pattern: Pattern, ignore: Sequence[str] = ()) -> tuple[list[Claim], list[Issue]]:
    """The submissions that the pattern of task.toml finds, and what is wrong with their places."""
    issues: list[Issue] = []
    folders = [""]
    for expression in pattern.component_expressions[:-1]:
        below = [path for folder in folders for path in _listed(root, folder, issues).folders]
        folders = [path for path in below if expression.fullmatch(path.rpartition("/")[2])]
    files = [path for folder in folders for path in _listed(root, folder, issues).files]
    matches = [(path, pattern.match(path)) for path in files if not is_never_data(path, ignore)]
    return [Claim(path, *match) for path, match in matches if match is not None], issues


def _listed(root: Path, folder: str, issues: list[Issue]) -> Listing:
    try:
        return list_folder(root, folder)
    except InputError as error:
        issues.extend(error.issues)
        return Listing((), ())


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0]
    return stem or name


def unclaimed(root: Path, claimed: Iterable[str]) -> tuple[str, ...]:
    """Everything beside the claimed files: files, and folders that hold no claimed file as ``folder/``.

    A folder without a claimed file is not looked into, however much it holds.
    """
    taken = {FILE_NAME, *claimed}
    folders = {"", *(ancestor for path in taken for ancestor in _ancestors(path))}
    return tuple(sorted(printable(path) for folder in folders for path in _beside(root, folder, taken, folders)))


def _beside(root: Path, folder: str, taken: set[str], folders: set[str]) -> Iterator[str]:
    listing = _listed(root, folder, [])
    yield from (path for path in listing.files if path not in taken)
    yield from (f"{path}/" for path in listing.folders if path not in folders)


def _ancestors(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[: depth + 1]) for depth in range(len(parts)))


def check_name(path: str) -> None:
    """Refuse a path whose bytes are not UTF-8: no store and no page can hold such a team name.

    Raises
    ------
    InputError
        wrong-encoding.
    """
    if printable(path) != path:
        found = "the name of the file is not UTF-8"
        raise InputError([Issue.of("wrong-encoding", printable(path), found, remedy="rename the file")])


def printable(path: str) -> str:
    """The path as text that can be stored: bytes of a name that are not UTF-8 become escapes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
