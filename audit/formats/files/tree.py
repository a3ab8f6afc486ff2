"""The files of a campaign folder: archives look like folders, and what leads out of the folder is refused."""

import os
import re
import stat
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Self

from audit.errors import InputError, Issue
from audit.formats.files import limits
from audit.formats.files.archives import (
    Archive,
    Listing,
    archive_ending,
    check_together,
    open_archive,
)
from audit.formats.files.content import unpacked
from audit.text import composed, visible

_MOST_OPEN = 16  # archives open at once

DEEPEST = 4
"""How many archives one path may lead through: a team's, in that of all teams, in that of everything, packed again."""


class Tree:
    """The files of a campaign, by paths relative to its folder; use it in a ``with`` block, or close it.

    A path may lead through archives, which are read in place: ``submissions.zip/A.zip/answer.txt``. A folder that wraps
    everything in an archive is seen through; a path may name it or not. Letters with marks are one name however a
    system writes them, and composed (NFC) in every path; only where two files of a folder differ in that alone, each
    keeps its own.
    """

    door = "task.toml"  # where a user states settings of what is read from here
    said: tuple[str, ...] = ()  # the options of a command, as its words, that say more

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            if root.exists():
                defect = "it is a file"
            else:
                defect = "there is no such folder"
            raise InputError([Issue.of("no-folder", str(root), defect)])
        self.root = root
        self._resolved = root.resolve()
        self._bundles: OrderedDict[str, Archive] = OrderedDict()
        self._refused: dict[str, InputError] = {}
        self._inner: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._spellings: dict[Path, defaultdict[str, list[str]]] = {}

    @property
    def name(self) -> str:
        """The name of the campaign: that of its folder."""
        return self.root.resolve().name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[type["Tree"], tuple[Any, ...]]:
        return Tree, (self.root,)  # another process opens the archives itself

    def close(self) -> None:
        """Close the archives."""
        while self._bundles:
            self._bundles.popitem()[1].file.close()

    def listing(self, folder: str) -> Listing:
        """The entries of a folder or archive; an archive is among the folders."""
        archive, inner = self._split(folder)
        if archive is None:
            return self._listing_on_disk(folder)
        bundle = self._bundle(archive)
        listing = bundle.listings.get(bundle.shown(inner))
        if listing is None:
            raise InputError(
                [Issue.of("missing-file", folder, "there is no such folder in the archive")]
            )
        return Listing(
            tuple(f"{archive}/{path}" for path in listing.files),
            tuple(f"{archive}/{path}" for path in listing.folders),
        )

    def original(self, path: str) -> bytes:
        """The bytes of a file as they stand: packed, where it is compressed."""
        archive, inner = self._split(path)
        if archive is None:
            with _opened(self._place(path), path, inside=self._resolved) as file:
                return _read(file, path)
        bundle = self._bundle(archive)
        shown = bundle.shown(inner)
        if shown in bundle.members:
            return bundle.members[shown]()
        if shown in bundle.listings:
            if path == archive:
                defect = "it is an archive"
            else:
                defect = "it is a folder in an archive"
            raise InputError([Issue.of("missing-file", path, defect)])
        raise InputError([Issue.of("missing-file", path, "there is no such file in the archive")])

    def read(self, path: str) -> bytes:
        """The bytes of a file, unpacked where it is compressed."""
        return unpacked(path, self.original(path))

    def canonical(self, path: str) -> str:
        """The one spelling of a path: without empty parts, and the folder that wraps everything in an archive."""
        path = "/".join(part for part in path.split("/") if part not in {"", "."})
        path = self._one_spelling(path)
        archive, inner = self._split(path)
        if archive is None or not inner:
            return path
        with suppress(InputError):
            return f"{archive}/{self._bundle(archive).shown(inner)}"
        return path

    def wrappers(self, path: str, written: Sequence[str]) -> list[tuple[str, ...]]:  # noqa: ARG002 - of held files
        """The folders, one in another, that wrap everything in an archive: none, or one way to name them."""
        with suppress(InputError):
            if self.is_archive(path) and (wrapper := self._bundle(path).wrapper):
                return [tuple(wrapper.split("/"))]
        return []

    def size(self, paths: Iterable[str]) -> int:
        """Bytes on the disk of all these files, an archive of several counted once."""
        places = {self._on_disk(path) for path in paths}
        return sum(place.stat().st_size for place in places if place.is_file())

    def _on_disk(self, path: str) -> Path:
        """The file on the disk that a path names, or leads into."""
        return self._place(next(iter(self._archives(path)), path))

    def _place(self, path: str) -> Path:
        """Where a path is on the disk, whose names may have letters and their marks apart."""
        place = self.root / path
        if path.isascii() or os.path.lexists(place):
            return place
        place = self.root
        for part in path.split("/"):
            names = self._names_like(place, part)
            if part in names:
                place /= part
            else:
                place /= next(iter(names), part)
        return place

    def _names_like(self, folder: Path, name: str) -> Sequence[str]:
        """The names in a folder on the disk that are a name but for how its letters are written."""
        if folder not in self._spellings:
            spellings = self._spellings[folder] = defaultdict(list)
            for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
                spellings[composed(entry.name)].append(entry.name)
        return self._spellings[folder].get(composed(name), ())

    def _one_spelling(self, path: str) -> str:
        """A path with its letters composed; as it is where two names of its folder differ in that alone."""
        if path.isascii():
            return path
        folder, _, name = path.rpartition("/")
        if len(self._names_like(self._place(folder), name)) > 1:
            return path
        return composed(path)

    def is_archive(self, path: str) -> bool:
        """Whether a path is an archive, rather than something in one."""
        archive, inner = self._split(path)
        return archive is not None and not inner

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder or an archive at this path."""
        archive, inner = self._split(path)
        if archive is None:
            return self._place(path).is_dir()
        if not inner:
            return True
        with suppress(InputError):
            bundle = self._bundle(archive)
            return bundle.shown(inner) in bundle.listings
        return False

    def exists(self, path: str) -> bool:
        """Whether there is anything at this path, even a link that leads nowhere."""
        archive, inner = self._split(path)
        if archive is None:
            return os.path.lexists(self._place(path))
        return self.is_folder(path) or self._has_file(archive, inner, path)

    # Archives

    def _split(self, path: str) -> tuple[str | None, str]:
        """The innermost archive that a path leads to or through, and the rest of the path; None where there is none."""
        archives = self._archives(path)
        if archives:
            return (archives[-1], path[len(archives[-1]) + 1 :])
        return (None, path)

    def _archives(self, path: str) -> list[str]:
        """The archives that a path leads to or through, the outermost first."""
        archives: list[str] = []
        start = 0
        for match in _COMPONENT_END.finditer(path):
            upto = path[: match.start()]
            inner = path[start : match.start()]
            outer = archives[-1] if archives else None
            if archive_ending(upto) and self._has_file(outer, inner, upto):
                archives.append(upto)
                start = match.end()
        return archives

    def _has_file(self, archive: str | None, inner: str, path: str) -> bool:
        if archive is None:
            return self._place(path).is_file()
        with suppress(InputError):
            bundle = self._bundle(archive)
            return bundle.shown(inner) in bundle.members
        return False

    def _bundle(self, path: str) -> Archive:
        """The open archive; those that were asked for last stay open."""
        if path in self._refused:
            raise InputError(self._refused[path].issues)
        if path not in self._bundles:
            try:
                self._bundles[path] = self._opened_bundle(path)
            except InputError as error:
                self._refused[path] = error
                raise
        self._bundles.move_to_end(path)
        if len(self._bundles) > _MOST_OPEN:
            self._bundles.popitem(last=False)[1].file.close()
        return self._bundles[path]

    def _opened_bundle(self, path: str) -> Archive:
        file = self._opened(path)
        try:
            archive = open_archive(path, file)
            self._count(path, archive.n_bytes)
        except BaseException:
            file.close()
            raise
        return archive

    def _count(self, path: str, n_bytes: int) -> None:
        """Count what an archive in another unpacks to against what the one on the disk may; again is not twice."""
        outer = self._on_disk(path)
        if outer == self._place(path):
            return
        shown = outer.relative_to(self.root).as_posix()
        opened = self._inner[shown]
        opened[path] = n_bytes
        check_together(path, sum(opened.values()), shown, outer.stat().st_size)

    def _opened(self, path: str) -> IO[bytes]:
        above = self._archives(path.rpartition("/")[0])
        if not above:
            return _opened(self._place(path), path, inside=self._resolved)
        if len(above) >= DEEPEST:
            raise InputError([too_deep(path)])
        outer = self._bundle(above[-1])
        return BytesIO(outer.members[outer.shown(path[len(above[-1]) + 1 :])]())

    # The disk

    def _listing_on_disk(self, folder: str) -> Listing:
        place = self._place(folder)
        if folder:
            shown = f"{folder}/"
        else:
            shown = "."
        try:
            if not place.resolve().is_relative_to(self._resolved):
                raise InputError([_path_outside(shown, place)])
            with os.scandir(place) as entries:
                children = sorted((entry.name, _is_folder(entry)) for entry in entries)
        except (OSError, RuntimeError) as error:
            raise InputError([Issue.of("unreadable-file", shown, _reason(error))]) from None
        n_alike = Counter(composed(name) for name, _ in children)
        children = sorted(
            (composed(name) if n_alike[composed(name)] == 1 else name, is_folder)
            for name, is_folder in children
        )
        if folder:
            prefix = f"{folder}/"
        else:
            prefix = ""
        return Listing(
            tuple(prefix + name for name, is_folder in children if not is_folder),
            tuple(prefix + name for name, is_folder in children if is_folder),
        )


def _opened(file: Path, shown: str, *, inside: Path | None = None, **parts: Any) -> IO[bytes]:  # noqa: ANN401 - of an issue
    """A regular file, inside a folder where one is given; a link is followed."""
    try:
        if inside is not None and not file.resolve().is_relative_to(inside):
            raise InputError([_path_outside(shown, file)])
        status = file.stat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= limits.MOST_BYTES:
            return file.open("rb")
    except FileNotFoundError:
        raise InputError(
            [Issue.of("missing-file", shown, "there is no such file", **parts)]
        ) from None
    except (OSError, RuntimeError, ValueError) as error:
        # RuntimeError: links in a circle, before Python 3.13
        raise InputError([Issue.of("unreadable-file", shown, _reason(error))]) from None
    raise InputError([no_file(shown, status)])


def too_deep(path: str) -> Issue:
    """The issue for an archive that is not opened because it is in too many others."""
    return Issue.of("unsafe-archive", path, f"more than {DEEPEST} archives in one another")


def read_alone(path: Path) -> bytes:
    """The bytes of a file that is in no campaign's folder."""
    expected = "a file of predictions"
    remedy = "check the path"
    with _opened(path, str(path), expected=expected, remedy=remedy) as file:
        return _read(file, str(path))


def _read(file: IO[bytes], shown: str) -> bytes:
    try:
        return file.read()
    except OSError as error:
        raise InputError([Issue.of("unreadable-file", shown, _reason(error))]) from None


def no_file(path: str, status: os.stat_result) -> Issue:
    """The issue for what is no regular file, or too large a one."""
    if stat.S_ISDIR(status.st_mode):
        return Issue.of("missing-file", path, "it is a directory")
    if stat.S_ISREG(status.st_mode):
        return Issue.of("too-large", path, f"{status.st_size:,} bytes")
    return Issue.of("unreadable-file", path, "it is no regular file (a pipe, socket or device)")


def _path_outside(path: str, place: Path) -> Issue:
    return Issue.of("path-outside", path, f"it leads to {visible(os.path.realpath(place), 200)}")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder, an archive, or a link to one; a link in a circle is none."""
    try:
        return entry.is_dir() or (archive_ending(entry.name) is not None and entry.is_file())
    except OSError:
        return False


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


_COMPONENT_END = re.compile(r"/|$")
