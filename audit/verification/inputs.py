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
from itertools import chain, combinations, pairwise
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
_DEEPEST = 12  # components of a written path that may name wrapping folders: all ways to leave some out are tried
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
        # An archive may be written as a folder, a compressed file as what it holds.
        names, pattern = {part, without_ending(part), inner_name(part)}, self.pattern
        return self.components[at] in names if pattern is None else any(pattern.fits(at, name) for name in names)

    def wrappers_in(self, path: str) -> list[tuple[str, tuple[str, ...]]]:
        """The archives that a path leads through, with the folders in them that are written and not in the path.

        What is written may end at an archive, whose only file it means.
        """
        parts = path.split("/")
        if len(self.components) > _DEEPEST or not self._fits(0, parts[0]):
            return []
        ends = [len(parts), *(depth for depth in range(1, len(parts)) if archive_ending(parts[depth - 1]))]
        for kept in chain.from_iterable(combinations(range(len(self.components)), end) for end in ends):
            gaps = [self.components[one + 1 : other] for one, other in pairwise((*kept, len(self.components)))]
            folders = list(zip(parts, gaps, strict=False))
            in_archives = all(archive_ending(part) for part, gap in folders if gap)
            if not kept[0] and in_archives and all(map(self._fits, kept, parts)):
                return [("/".join(parts[:depth]), gap) for depth, (_, gap) in enumerate(folders, start=1) if gap]
        return []


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
