"""The inputs of a bundle as the files they were read from: members of an archive are put into one again."""

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

from audit.extras import require
from audit.formats.files.archives import archive_ending
from audit.report.bundle import zip_bytes
from audit.verification.wrapping_folders import Wrappers

Files = Mapping[str, bytes]
_TOP = "README.txt"  # documentation is never an input


def write_inputs(folder: Path, inputs: Files, wrappers: Wrappers) -> None:
    """Write the inputs into a folder, so that they are read as they were.

    What a path calls an archive is written as one: ``submissions/A.zip/answer.csv`` is the only file of the submission
    of A there, and in a folder of that name it would be a run of a team called A.zip. It is wrapped as it was, as far
    as that is known, and marked so that it is seen through to there and no deeper.

    Raises
    ------
    OSError, ValueError
        Where the disk does not take a name.
    """
    marks = {f"{archive}/{_TOP}": b"" for path in inputs for archive in _archives_above(path)}
    wrapped = {_wrapped(path, wrappers): content for path, content in {**marks, **inputs}.items()}
    for path, content in _on_disk(wrapped).items():
        target = folder.joinpath(*path.split("/"))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _archives_above(path: str) -> list[str]:
    """Every archive that a path leads through, the outermost first."""
    parts = path.split("/")
    folders = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
    return [folder for folder in folders if archive_ending(folder)]


def _wrapped(path: str, wrappers: Wrappers) -> str:
    """A path with the folders that wrap the archives on its way.

    Examples
    --------
    >>> _wrapped("a.zip/b.tar/c.csv", {"a.zip": "x", "a.zip/b.tar": "y/z"})
    'a.zip/x/b.tar/y/z/c.csv'
    """
    for archive in reversed(_archives_above(path)):
        if wrapper := wrappers.get(archive):
            path = f"{archive}/{wrapper}{path.removeprefix(archive)}"
    return path


def _on_disk(inputs: Files) -> dict[str, bytes]:
    """The files by path, those of each outermost archive as one."""
    files: dict[str, bytes] = {}
    archives: dict[str, dict[str, bytes]] = {}
    for path, content in inputs.items():
        archive = _outermost_archive(path)
        if archive is None:
            files[path] = content
        else:
            archives.setdefault(archive, {})[path.removeprefix(f"{archive}/")] = content
    return files | {path: _packed(path, _on_disk(members)) for path, members in archives.items()}


def _outermost_archive(path: str) -> str | None:
    """The archive in which a path is, if it is in one.

    Examples
    --------
    >>> _outermost_archive("a/b.zip/c.tar/d.csv"), _outermost_archive("a/b.zip")
    ('a/b.zip', None)
    """
    return next(iter(_archives_above(path)), None)


def _packed(path: str, members: Files) -> bytes:
    """The archive of some members."""
    ending = archive_ending(path)
    if ending == ".zip":
        return zip_bytes(members)
    data = _tar(members)
    return require("zst", path).compress(data) if ending == ".tar.zst" else _COMPRESSED[ending or ".tar"](data)


def _tar(members: Files) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(members):
            header = tarfile.TarInfo(name)
            header.size = len(members[name])
            archive.addfile(header, io.BytesIO(members[name]))
    return target.getvalue()


_COMPRESSED: Mapping[str, Callable[[bytes], bytes]] = {
    ".tar": bytes,
    ".tgz": gzip.compress,
    ".tar.gz": gzip.compress,
    ".tar.bz2": bz2.compress,
    ".tar.xz": lzma.compress,
}
