"""The files that a user names: files, folders and archives, below the one folder that holds them all."""

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.domain import can_be_data
from audit.errors import MANIFEST, SETTINGS_FILE, InputError, Issue, UsageError
from audit.formats.files.archives import Listing, archive_ending, is_system_file, listings_of
from audit.formats.files.tree import Tree
from audit.text import quoted

MOST_FILES = 20_000  # below the folders that a user names
_PLAIN_NAMES = frozenset(
    {
        "data",
        "eval",
        "evaluation",
        "gold",
        "input",
        "inputs",
        "labels",
        "output",
        "outputs",
        "ref",
        "reference",
    }
    | {"res", "results", "runs", "submissions", "submitted", "systems", "test", "tmp", "work"}
)
"""Names of folders that say nothing of the campaign in them."""


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file below the root, and whether the user named it itself rather than a folder or archive around it."""

    path: str
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """Gold and the files that may be submissions, by their paths below one root."""

    root: Path
    gold: str
    files: tuple[GivenFile, ...]


class GivenTree(Tree):
    """A tree of the files that were given and no others; task.toml and files.csv are held in memory."""

    door = "options"

    def __init__(
        self, root: Path, title: str, paths: Sequence[str], held: Mapping[str, bytes]
    ) -> None:
        super().__init__(root)
        self._title = title
        self._paths, self._held = tuple(paths), dict(held)
        self._given_listings = listings_of([*self._paths, *self._held])

    def __reduce__(self) -> tuple[type["Tree"], tuple[Any, ...]]:
        return GivenTree, (self.root, self._title, self._paths, self._held)

    @property
    def name(self) -> str:
        """The name of the campaign."""
        return self._title

    def listing(self, folder: str) -> Listing:
        """The entries that were given."""
        return self._given_listings.get(folder, Listing())

    def original(self, path: str) -> bytes:
        """The bytes of a file as they stand."""
        if path in self._held:
            return self._held[path]
        return super().original(path)

    def exists(self, path: str) -> bool:
        """Whether a path was given, and is there."""
        if path in {SETTINGS_FILE, MANIFEST}:
            return path in self._held
        return super().exists(path)

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder or an archive at this path."""
        return path not in self._held and super().is_folder(path)

    def size(self, paths: Iterable[str]) -> int:
        """Bytes on the disk of all these files."""
        return super().size(path for path in paths if path not in self._held)


def campaign_name(folder: Path) -> str:
    """The name of the nearest folder, upwards, whose name is no word like data or results."""
    resolved = folder.resolve()
    for place in (resolved, *resolved.parents):
        if place.name and place.name.casefold() not in _PLAIN_NAMES:
            return place.name
    return resolved.name


def given_files(gold: Path, submissions: Sequence[Path]) -> GivenFiles:
    """Gold and all files below what is given as submissions; gold itself, in a folder or a glob, is none of them.

    Raises
    ------
    UsageError
        Where nothing is there, where gold is named among the submissions, or where no submission is named.
    """
    gold_place = _existing(gold, "gold file")
    if gold_place.is_dir():
        raise UsageError(
            f"{quoted(str(gold), 120)} is a folder: --gold takes the file with the gold labels."
        )
    if not submissions:
        raise UsageError("Name the submissions, too: audit run --gold GOLD SUBMISSIONS…")
    places = [place for given in submissions for place in _places(given)]
    alone = [place for place in places if place.is_file() and _same(place, gold_place)]
    if alone and len(places) == 1:
        raise UsageError(
            f"{quoted(str(gold), 120)} is gold itself: name the files with the teams' answers."
        )
    root = _common_folder([gold_place, *places])
    gold_path = _only_in(root, _relative(gold_place, root))
    found = _found(root, places)
    found.pop(gold_path, None)
    return GivenFiles(root, gold_path, tuple(found.values()))


def given_submissions(submissions: Sequence[Path]) -> GivenFiles:
    """All files below what is given as submissions, where no gold is; raises as `given_files`."""
    places = [place for given in submissions for place in _places(given)]
    root = _common_folder(places)
    return GivenFiles(root, "", tuple(_found(root, places).values()))


def _found(root: Path, places: Sequence[Path]) -> dict[str, GivenFile]:
    """The files below places, by their paths below the root."""
    found: dict[str, GivenFile] = {}
    with Tree(root) as tree:
        for place in places:
            path = _relative(place, root)
            if place.is_dir() or archive_ending(path):
                for below in files_below(tree, path):
                    found.setdefault(below, GivenFile(below))
            else:
                found[path] = GivenFile(path, is_named=True)
    return found


def _existing(path: Path, what: str) -> Path:
    """An absolute path of what is there; links are kept, as their names are those that users know."""
    place = Path(os.path.abspath(path))  # noqa: PTH100 - links are kept
    if not place.exists():
        defect = "there is no such file"
        remedy = "check the path"
        raise InputError(
            [Issue.of("missing-file", str(path), defect, expected=f"a {what}", remedy=remedy)]
        )
    return place


def _places(given: Path) -> list[Path]:
    """The path that is given, or what a glob finds where the shell has left one as it is."""
    if glob.has_magic(str(given)) and not given.exists():
        found = sorted(glob.glob(str(given), recursive=True))  # noqa: PTH207 - of any path, absolute ones too
        if not found:
            raise UsageError(f"No file matches {quoted(str(given), 90)}: check the pattern.")
        return [_existing(Path(each), "submission") for each in found]
    return [_existing(given, "file or folder of submissions")]


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _common_folder(places: Iterable[Path]) -> Path:
    """The deepest folder that holds all of these."""
    return Path(os.path.commonpath([place if place.is_dir() else place.parent for place in places]))


def _relative(place: Path, root: Path) -> str:
    path = place.relative_to(root).as_posix()
    if path == ".":
        return ""
    return path


def _only_in(root: Path, path: str) -> str:
    """A file's path as it is; for an archive that of the only data file in it."""
    if archive_ending(path) is None:
        return path
    with Tree(root) as tree:
        paths = list(files_below(tree, path))
    if len(paths) == 1:
        return paths[0]
    raise UsageError(
        f"{quoted(path, 120)} holds {len(paths)} files: unpack it, and name the gold file."
    )


def files_below(tree: Tree, folder: str) -> Iterator[str]:
    """All files of a folder or archive that can be data, those in archives among them."""
    for number, path in enumerate(_below(tree, folder)):
        if number >= MOST_FILES:
            defect = f"more than {MOST_FILES:,} files"
            raise InputError(
                [
                    Issue.of(
                        "too-large", folder or ".", defect, remedy="name the folder of the answers"
                    )
                ]
            )
        yield path


def _below(tree: Tree, folder: str) -> Iterator[str]:
    listing = tree.listing(folder)
    for path in listing.files:
        name = path.rpartition("/")[2]
        if can_be_data(path) and not name.startswith(".") and not is_system_file(path):
            yield path
    for inner in listing.folders:
        name = inner.rpartition("/")[2]
        if name.startswith(".") or is_system_file(inner):
            continue
        try:
            yield from _below(tree, inner)
        except InputError:
            if archive_ending(inner) is None:
                raise
            yield inner  # an archive that cannot be opened is a file that cannot be read
