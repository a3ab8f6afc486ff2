"""The data folder, and what was received, kept by its digest: a name is a row in a table, never a path on the disk.

An upload goes into ``incoming/`` while it streams and into ``content/`` when it is complete. Nothing in ``content/`` is
ever changed; two files with the same bytes are one.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Self

from audit.errors import UsageError
from audit.service.credentials import new_id
from audit.service.database import FILE_NAME
from audit.service.rules import HostingError, NoRoomError, RefusedError
from audit.text import composed, listed, quoted, visible

_LONGEST_NAME = 200  # bytes in UTF-8: file systems take 255
_LONGEST_PATH = 1000
_DEEPEST = 12
_KEPT_FREE = 64 << 20  # bytes of the disk that uploads leave to everything else


@dataclass(frozen=True, slots=True)
class Stored:
    """A file as it is kept."""

    sha256: str  # the SHA-256 of the bytes
    size: int  # the number of bytes


def checked_path(path: str) -> str:
    """The one spelling of a path in a campaign: relative, with forward slashes, inside the campaign's folder.

    >>> checked_path("submissions//A.csv")
    'submissions/A.csv'
    >>> checked_path("../gold.csv")
    Traceback (most recent call last):
        ...
    audit.service.rules.RefusedError: “../gold.csv” leads out of the campaign's folder.
    """
    text = composed(path.replace("\\", "/"))
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
        raise RefusedError(
            f"{shown} is too long: at most {_LONGEST_NAME} bytes a name, {_DEEPEST} folders deep."
        )
    return str(PurePosixPath(*parts))


_CONTROL = frozenset(map(chr, (*range(32), 127)))


class ContentFolder:
    """The files of one campaign by their digests."""

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
    def receiving(self, folder: Path | None = None) -> Iterator["Receiver"]:
        """A file that is being received, in this folder; what is not completed leaves nothing behind."""
        part = (folder or self._incoming) / f"{new_id()}.part"
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
        """Refuse what the disk has no room for, before it is received."""
        if shutil.disk_usage(self.root).free < size + _KEPT_FREE:
            raise NoRoomError(
                "There is no room left on the disk of the service. Nothing was received."
            )

    def keep_bytes(self, data: bytes, folder: Path | None = None) -> Stored:
        """Keep a file that is at hand, which is written in this folder first, if it is not there already."""
        stored = Stored(hashlib.sha256(data).hexdigest(), len(data))
        if not self.path_of(stored.sha256).exists():
            with self.receiving(folder) as receiver:
                receiver.write(data)
                receiver.complete()
        return stored

    def n_bytes(self) -> int:
        """The bytes that are stored, the same bytes once, and those of files that are being received."""
        total = 0
        for path in (*self._content.glob("??/*"), *self._incoming.glob("*.part")):
            # another upload came to its end, or was given up, meanwhile
            with suppress(FileNotFoundError):
                total += path.stat().st_size
        return total

    def forget(self, digests: Iterable[str]) -> None:
        """Remove files that nothing names any more."""
        for digest in digests:
            self.path_of(digest).unlink(missing_ok=True)

    def forget_incoming(self) -> None:
        """Remove what a server that was killed had not completed."""
        for part in self._incoming.glob("*.part"):
            part.unlink(missing_ok=True)

    def lay_out(self, files: Mapping[str, Stored], folder: Path) -> None:
        """Make a folder of these files, by links where the file system can; the folder is new."""
        folder.mkdir(parents=True)
        for path, stored in files.items():
            kept = self.path_of(stored.sha256)
            place = folder / path
            if not kept.is_file():
                raise HostingError(
                    f"{quoted(visible(path, 100))} was received, and is no longer on the disk of the service. Upload "
                    "the same file again; or whoever runs the service takes it from a backup."
                )
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.exists():
                shown = quoted(visible(path, 100))
                raise RefusedError(
                    f"The service's disk takes {shown} and another file for one. Rename it."
                )
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

    def settle(self) -> None:
        """Wait until what came is on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def complete(self) -> Stored:
        """Keep what came: it is on the disk when this returns."""
        self.settle()
        stored = Stored(self._digest.hexdigest(), self.size)
        self._folder.keep(self._part, stored.sha256)
        return stored


def without_wrapper(paths: Iterable[str]) -> dict[str, str]:
    """The new path of each file, without the one folder that contains all of them where there is one.

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


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The folder in which a service keeps everything."""

    root: Path  # absolute; on a disk of this machine, or one that all workers share

    @classmethod
    def at(cls, root: Path) -> "DataFolder":
        """The folder, made where it is not there, and found fit."""
        folder = cls(root.absolute())
        try:
            folder.check_own()
            (folder.root / "campaigns").mkdir(parents=True, exist_ok=True)
            folder.root.chmod(0o700)
            folder.check()
        except OSError as error:
            where = quoted(visible(str(root), 200))
            raise UsageError(
                f"The data folder {where} cannot be used: {error.strerror or error}. It needs a file system with locks "
                "and with links to files, on which this user may write; everything in it must belong to this user."
            ) from error
        return folder

    def check_own(self) -> None:
        """Refuse a folder in which something else stands: it would be closed to all others."""
        if not self.root.is_dir() or any(
            (self.root / own).exists() for own in ("campaigns", FILE_NAME)
        ):
            return
        others = sorted(path.name for path in self.root.iterdir() if path.name != "lost+found")
        if others:
            raise UsageError(
                f"{quoted(visible(str(self.root), 200))} holds {listed(list(map(quoted, others)), limit=3)}: a service "
                "keeps everything in a folder of its own. Name a new or an empty one with --data."
            )

    def check_local(self) -> None:
        """Refuse a folder on another machine's disk, where SQLite damages its files."""
        kind = file_system_of(self.root)
        if kind in _OF_OTHERS or kind.startswith("fuse."):
            where = quoted(visible(str(self.root), 200))
            raise UsageError(
                f"The data folder {where} is on a disk of another machine ({kind}), where SQLite is not safe. Take a "
                "folder on this machine's own disk, or keep the tables in PostgreSQL: --database."
            )

    def check(self) -> None:
        """Try what the service needs of a file system: a file that takes another's place, links, and locks."""
        trial, other = (self.root / f".trial-{os.getpid()}-{name}" for name in "ab")
        try:
            trial.write_bytes(b"1")
            os.link(trial, other)
            trial.replace(self.root / f".trial-{os.getpid()}-c")
            with other.open("r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # of this program
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # of SQLite
            # it may be of another user, as whom the service was once started
            (self.root / ".lock").open("ab").close()
        finally:
            for path in self.root.glob(f".trial-{os.getpid()}-*"):
                path.unlink()

    def try_writing(self) -> None:
        """Write a few bytes and remove them: what reads on a full disk does not write there."""
        trial = self.root / "campaigns" / f".trial-{new_id()}"
        try:
            trial.write_bytes(_A_FEW_BYTES)
        finally:
            trial.unlink(missing_ok=True)

    def of_campaign(self, campaign: str) -> Path:
        """A campaign's folder."""
        return self.root / "campaigns" / campaign

    def content_of(self, campaign: str) -> ContentFolder:
        """The files of a campaign, ready to receive more."""
        return ContentFolder(self.of_campaign(campaign)).make()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other servers from using the folder while the context lasts."""
        with (self.root / ".lock").open("wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                where = quoted(visible(str(self.root), 200))
                raise UsageError(
                    f"Another audit serve uses {where}: end it, or name another folder."
                ) from error
            yield


_A_FEW_BYTES = bytes(4096)  # a block: a few bytes of it may fit where no block is left
_OF_OTHERS = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs"}
)
_MOUNTS = Path("/proc/self/mountinfo")


def file_system_of(folder: Path) -> str:
    """The kind of file system that a folder is on, as Linux calls it; empty where the system does not say."""
    if not _MOUNTS.exists():
        return ""
    kinds: dict[str, str] = {}
    for line in _MOUNTS.read_text("utf-8", "surrogateescape").splitlines():
        before, _, after = line.partition(" - ")
        kinds[before.split(" ")[4].replace("\\040", " ")] = after.split(" ")[0]
    real = folder.resolve()
    return next((kinds[str(each)] for each in (real, *real.parents) if str(each) in kinds), "")
