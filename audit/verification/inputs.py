"""The inputs of a bundle as the files they were read from: archives are made again, in the folders that wrapped them.

A bundle has the path of an input without the folders that wrapped an archive, since a path may name such a folder or
not. Where one names it, the archive has to be wrapped in it again, or that path leads nowhere.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.errors import MANIFEST, SETTINGS_FILE, InputError
from audit.extras import require
from audit.formats.campaign.conventions import without_ending
from audit.formats.files.archives import archive_ending
from audit.formats.files.content import decode, inner_name
from audit.formats.settings.manifest import listed_files
from audit.formats.settings.values import Pattern
from audit.writers.bundle.archive import zip_bytes

_ANY = "x"  # a name that * stands for
Wrappers = Mapping[str, str]  # the folder, or folders, that wrapped an archive, by its path in the bundle


def wrapping_folders(inputs: Mapping[str, bytes]) -> dict[str, str]:
    """The wrapping folders that task.toml or files.csv writes into the path of an input."""
    paths = [path for path in inputs if any(map(archive_ending, path.split("/")[:-1]))]
    settings: dict[str, Any] = {}
    if paths:
        with suppress(tomllib.TOMLDecodeError, UnicodeDecodeError):  # whoever reads the settings says so
            settings = tomllib.loads(inputs.get(SETTINGS_FILE, b"").decode("utf-8-sig"))
    wrapper_of: dict[str, str] = {}
    for text in dict.fromkeys([*_texts(settings), *_listed(inputs)]):
        written = _WrittenPath.of(text)
        for path in paths if len(written.components) > 1 else ():
            for archive, folders in written.wrappers_in(path):
                wrapper = "/".join(folders).replace("*", _ANY)
                if "{" not in wrapper:
                    wrapper_of.setdefault(archive, wrapper)
    return wrapper_of


def _texts(value: object) -> Iterator[str]:
    """Every text of the settings."""
    if isinstance(value, str):
        yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(child)


def _listed(inputs: Mapping[str, bytes]) -> Sequence[str]:
    """What files.csv calls the files."""
    with suppress(InputError):  # whoever reads it says so
        return listed_files(decode(MANIFEST, inputs[MANIFEST])) if MANIFEST in inputs else ()
    return ()


@dataclass(frozen=True)
class _WrittenPath:
    """A path or pattern as it is written, which may name folders that wrap archives."""

    text: str
    components: tuple[str, ...]
    pattern: Pattern | None

    @classmethod
    def of(cls, text: str) -> "_WrittenPath":
        """The path in a text, or the pattern, where the text can be one."""
        components = tuple(part for part in text.split("/") if part not in {"", "."})
        with suppress(ValueError):
            return cls(text, components, Pattern("/".join(components)))
        return cls(text, components, None)

    def _fits(self, at: int, part: str) -> bool:
        """Whether a part of a path can be a component."""
        pattern = self.pattern
        names = {
            part,
            without_ending(part),
            inner_name(part),
        }  # archives as folders, compressed files as what they hold
        return self.components[at] in names if pattern is None else any(pattern.fits(at, name) for name in names)

    def wrappers_in(self, path: str) -> list[tuple[str, tuple[str, ...]]]:
        """The archives that a path leads through, with the folders in them that are written and not in the path."""
        parts = path.split("/")
        return next(self._ways(parts, 0, 0), []) if len(parts) < 2 * len(self.components) else []

    def _ways(self, parts: Sequence[str], at: int, done: int) -> Iterator[list[tuple[str, tuple[str, ...]]]]:
        """The ways in which the components from here are the parts of a path from there, those of few folders first."""
        if done == len(self.components):
            if at == len(parts) or (at and archive_ending(parts[at - 1])):
                yield []
            return
        if at < len(parts) and self._fits(done, parts[at]):
            yield from self._ways(parts, at + 1, done + 1)
        if at and archive_ending(parts[at - 1]):
            for stop in range(done + 1, len(self.components)):
                if at < len(parts) and self._fits(stop, parts[at]):
                    wrapper = "/".join(parts[:at]), self.components[done:stop]
                    yield from ([wrapper, *rest] for rest in self._ways(parts, at + 1, stop + 1))


Files = Mapping[str, bytes]
_TOP = "README.txt"  # documentation is never an input


def write_inputs(folder: Path, inputs: Files, wrappers: Wrappers) -> None:
    """Write the inputs into a folder, so that they are read as they were.

    What a path calls an archive is written as one: ``submissions/A.zip/answer.csv`` is the only file of the submission
    of A there, and in a folder of that name it would be a run of a team called A.zip. It is wrapped as it was, as far
    as that is known, and marked so that it is seen through to there and no deeper.
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
        archive = next(iter(_archives_above(path)), None)
        if archive is None:
            files[path] = content
        else:
            archives.setdefault(archive, {})[path.removeprefix(f"{archive}/")] = content
    return files | {path: _packed(path, _on_disk(members)) for path, members in archives.items()}


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
