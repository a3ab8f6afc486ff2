"""The data folder: the control tables' file, and a folder for each campaign."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from audit.errors import UsageError
from audit.hosting.database import FILE_NAME
from audit.hosting.received_files import ContentFolder
from audit.text import listed, quoted, visible


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The folder in which a service keeps everything."""

    root: Path
    """Absolute; on a disk of this machine, or one that all workers share."""

    @classmethod
    def at(cls, root: Path) -> "DataFolder":
        """The folder, made where it is not there, and found fit.

        Raises
        ------
        UsageError
            When it cannot be written, holds other things, or its file system knows no links and no locks.
        """
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
                "and with links to files, on which this user may write."
            ) from error
        return folder

    def check_own(self) -> None:
        """Refuse a folder in which something else stands: it would be closed to all others.

        Raises
        ------
        UsageError
            Where it is neither new nor empty nor a service's.
        """
        if not self.root.is_dir() or any((self.root / own).exists() for own in ("campaigns", FILE_NAME)):
            return
        others = sorted(path.name for path in self.root.iterdir() if path.name != "lost+found")
        if others:
            raise UsageError(
                f"{quoted(visible(str(self.root), 200))} holds {listed(list(map(quoted, others)), limit=3)}: a service "
                "keeps everything in a folder of its own. Name a new or an empty one with --data."
            )

    def check_local(self) -> None:
        """Refuse a folder on another machine's disk, where SQLite damages its files.

        Raises
        ------
        UsageError
            Where it is one.
        """
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
        finally:
            for path in self.root.glob(f".trial-{os.getpid()}-*"):
                path.unlink()

    def of_campaign(self, campaign: str) -> Path:
        """A campaign's folder."""
        return self.root / "campaigns" / campaign

    def content_of(self, campaign: str) -> ContentFolder:
        """The files of a campaign, ready to receive more."""
        return ContentFolder(self.of_campaign(campaign)).make()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other servers from using the folder while the context lasts.

        Raises
        ------
        UsageError
            When one does.
        """
        where = quoted(visible(str(self.root), 200))
        try:
            file = (self.root / ".lock").open("wb")
        except OSError as error:  # of another user, say, as whom the service was once started
            raise UsageError(
                f"The data folder {where} cannot be used: {error.strerror or error}, .lock. Everything in it must "
                "belong to the user as whom the service runs."
            ) from error
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise UsageError(f"Another audit serve uses {where}: end it, or name another folder.") from error
            yield


_OF_OTHERS = frozenset({"9p", "afs", "beegfs", "ceph", "cifs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs"})
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
