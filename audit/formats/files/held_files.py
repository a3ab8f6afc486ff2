"""Files that are held in memory, read as those of a campaign's folder: of what lies in archives each by its path."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from audit.errors import InputError, Issue
from audit.formats.files.archives import Listing, archive_ending, listings_of
from audit.formats.files.tree import Tree
from audit.text import composed


class HeldFiles(Tree):
    """The files of a campaign by their paths, archives among them as the folders that they look like.

    A folder that wrapped everything in an archive is in no path here. Where one is written nevertheless, as a folder's
    own path may have it, it is passed over: which folders wrapped an archive nobody knows any more.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.root = Path("inputs")
        by_name = {composed(path): content for path, content in files.items()}
        self._files = by_name if len(by_name) == len(files) else files
        self._listings = listings_of(self._files)

    @property
    def name(self) -> str:
        """Nobody knows what its folder was called."""
        return self.root.name

    def close(self) -> None:
        """Nothing is open."""

    def listing(self, folder: str) -> Listing:
        """The entries of a folder or archive; an archive is among the folders."""
        place = self.canonical(folder)
        if place not in self._listings:
            raise InputError([Issue.of("missing-file", folder, "there is no such folder")])
        return self._listings[place]

    def original(self, path: str) -> bytes:
        """The bytes of a file as they stand: packed, where it is compressed."""
        place = self.canonical(path)
        if place in self._files:
            return self._files[place]
        if place in self._listings:
            what = "it is a directory"
        else:
            what = "there is no such file"
        raise InputError([Issue.of("missing-file", path, what)])

    def canonical(self, path: str) -> str:
        """The path without empty parts, and without folders below an archive that are not there."""
        place, path = "", path if path in self._files else composed(path)
        for part in (part for part in path.split("/") if part not in {"", "."}):
            if place:
                further = f"{place}/{part}"
            else:
                further = part
            if self._is_there(further):
                place = further
                is_reached = True
            elif archive_ending(place):
                is_reached = False
            else:
                return path
        if not place or is_reached:
            return place
        return path

    def size(self, paths: Iterable[str]) -> int:
        """Bytes of all these files."""
        return sum(len(self._files.get(self.canonical(path), b"")) for path in paths)

    def wrappers(self, path: str, written: Sequence[str]) -> list[tuple[str, ...]]:
        """The folders that may have wrapped everything in an archive: the first that are written, one, two or more."""
        if self.is_archive(path):
            plain = tuple(takewhile(lambda part: "{" not in part, written))
        else:
            plain = ()
        return [plain[:depth] for depth in range(1, len(plain) + 1)]

    def is_archive(self, path: str) -> bool:
        """Whether a path is an archive, rather than something in one."""
        return archive_ending(path) is not None and self._is_there(self.canonical(path))

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder or an archive at this path."""
        return self.canonical(path) in self._listings or self.is_archive(path)

    def exists(self, path: str) -> bool:
        """Whether there is anything at this path."""
        return self._is_there(self.canonical(path))

    def _is_there(self, path: str) -> bool:
        return path in self._files or path in self._listings
