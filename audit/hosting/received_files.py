"""What was received, kept by its digest: a name is a row in a table and never a path on the disk.

An upload goes into ``incoming/`` while it streams and into ``content/`` when it is complete. Nothing in ``content/`` is
ever changed; two files with the same bytes are one.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Self

from audit.hosting.credentials import new_id
from audit.hosting.rules import LostFileError, NoRoomError, RefusedError
from audit.text import quoted, visible

_LONGEST_NAME = 200  # bytes in UTF-8: file systems take 255
_LONGEST_PATH = 1000
_DEEPEST = 12
_KEPT_FREE = 64 << 20  # bytes of the disk that uploads leave to everything else


@dataclass(frozen=True, slots=True)
class Stored:
    """A file as it is kept."""

    sha256: str
    """The SHA-256 of the bytes."""
    size: int
    """The number of bytes."""


def checked_path(path: str) -> str:
    """The one spelling of a path in a campaign: relative, with forward slashes, inside the campaign's folder.

    Raises
    ------
    RefusedError
        Where it is none.

    Examples
    --------
    >>> checked_path("submissions//A.csv")
    'submissions/A.csv'
    >>> checked_path("../gold.csv")
    Traceback (most recent call last):
        ...
    audit.hosting.rules.RefusedError: “../gold.csv” leads out of the campaign's folder.
    """
    text = path.replace("\\", "/")
    shown = quoted(visible(path, 100))
    parts = [part for part in text.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise RefusedError(f"{shown} leads out of the campaign's folder.")
    if not parts or any(set(part) & _CONTROL for part in parts):
        raise RefusedError(f"{shown} is no name for a file.")
    try:
        longest = max(len(part.encode("utf-8")) for part in parts)
    except UnicodeEncodeError:
        raise RefusedError(f"{shown} is no name for a file: it is not Unicode.") from None
    if longest > _LONGEST_NAME or len(text) > _LONGEST_PATH or len(parts) > _DEEPEST:
        raise RefusedError(f"{shown} is too long: at most {_LONGEST_NAME} bytes a name, {_DEEPEST} folders deep.")
    return str(PurePosixPath(*parts))


_CONTROL = frozenset(map(chr, (*range(32), 127)))


class ContentFolder:
    """The files of one campaign by their digests.

    Parameters
    ----------
    root : Path
        The campaign's folder in the data folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._content, self._incoming = root / "content", root / "incoming"

    def make(self) -> Self:
        """Make the folders; a data folder whose disk went away is not made anew without what was in it."""
        for folder in (self.root, self._content, self._incoming):
            folder.mkdir(exist_ok=True)
        return self

    def path_of(self, sha256: str) -> Path:
        """The path of the file with this digest."""
        return self._content / sha256[:2] / sha256

    @contextmanager
    def receiving(self) -> Iterator["Receiver"]:
        """A file that is being received; what is not completed leaves nothing behind."""
        part = self._incoming / f"{new_id()}.part"
        with part.open("xb") as file:
            try:
                yield Receiver(self, part, file)
            finally:
                with suppress(FileNotFoundError):
                    part.unlink()

    def keep(self, part: Path, sha256: str) -> None:
        """Give a complete file its place; one that is there already stays."""
        place = self.path_of(sha256)
        place.parent.mkdir(exist_ok=True)
        part.chmod(0o444)
        part.replace(place)
        sync(place.parent)

    def check_room(self, size: int) -> None:
        """Refuse what the disk has no room for, before it is received.

        Raises
        ------
        NoRoomError
            Where it has none.
        """
        if shutil.disk_usage(self.root).free < size + _KEPT_FREE:
            raise NoRoomError("There is no room left on the disk of the service. Nothing was received.")

    def forget_incoming(self) -> None:
        """Remove what a server that was killed had not completed."""
        for part in self._incoming.glob("*.part"):
            part.unlink(missing_ok=True)

    def lay_out(self, files: Mapping[str, Stored], folder: Path) -> None:
        """Make a folder of these files, by links where the file system can; the folder is new.

        Raises
        ------
        LostFileError
            Where one of them is no longer on the disk.
        RefusedError
            Where the file system takes two of their names for one, as some do with capital and small letters.
        """
        folder.mkdir(parents=True)
        for path, stored in files.items():
            kept, place = self.path_of(stored.sha256), folder / path
            if not kept.is_file():
                raise LostFileError(
                    f"{quoted(visible(path, 100))} was received, and is no longer on the disk of the service. Upload "
                    "the same file again; or whoever runs the service takes it from a backup."
                )
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.exists():
                shown = quoted(visible(path, 100))
                raise RefusedError(f"The service's disk takes {shown} and another file for one. Rename it.")
            try:
                os.link(kept, place)
            except OSError:  # a file system without links, or no more of them
                shutil.copyfile(kept, place)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk and survive a power cut."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class Receiver:
    """Bytes as they come, with their digest."""

    def __init__(self, folder: ContentFolder, part: Path, file: IO[bytes]) -> None:
        self._folder, self._part, self._file = folder, part, file
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self._file.write(chunk)
        self._digest.update(chunk)
        self.size += len(chunk)

    def complete(self) -> Stored:
        """Keep what came: it is on the disk when this returns."""
        self._file.flush()
        os.fsync(self._file.fileno())
        stored = Stored(self._digest.hexdigest(), self.size)
        self._folder.keep(self._part, stored.sha256)
        return stored


def without_wrapper(paths: Iterable[str]) -> dict[str, str]:
    """The new path of each file, without the one folder that contains all of them where there is one.

    Examples
    --------
    >>> without_wrapper(["flood/gold.csv", "flood/submissions/A.csv"])
    {'flood/gold.csv': 'gold.csv', 'flood/submissions/A.csv': 'submissions/A.csv'}
    >>> without_wrapper(["submissions/A.csv", "submissions/B.csv"])
    {'submissions/A.csv': 'submissions/A.csv', 'submissions/B.csv': 'submissions/B.csv'}
    """
    paths = list(paths)
    tops = {path.partition("/")[0] for path in paths}
    wrapped = len(tops) == 1 and all("/" in path for path in paths) and not tops & _MEANING
    return {path: path.partition("/")[2] if wrapped else path for path in paths}


_MEANING = frozenset({"submissions"})  # a folder whose name says something
