"""Long lists of files in a few words: how many there are, where, and of which kinds."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from audit.text import listed, plural, visible

_SHOWN = 5
_NAME_LIMIT = 80


def shortened(paths: Sequence[str]) -> str:
    """Files by name where they are few; else how many they are of each kind, below the folder that all share.

    A kind is an ending, or the name where all files of that ending have the same.

    Examples
    --------
    >>> shortened(["README.md", "submissions/README.txt"])
    'README.md and submissions/README.txt'
    >>> shortened([f"runs/{team}/{name}" for team in "ABC" for name in ("a.score", "b.score", "README.txt")])
    '9 files in runs: 6 *.score and 3 README.txt'
    """
    return _names(paths) if len(paths) <= _SHOWN else counted(paths)


def counted(paths: Sequence[str]) -> str:
    """The number of files, then what `shortened` says of them.

    Examples
    --------
    >>> counted(["a.csv", "b.csv"])
    '2 files: a.csv and b.csv'
    """
    if len(paths) <= _SHOWN:
        return f"{plural(len(paths), 'file')}: {_names(paths)}"
    shared = _shared_folder(paths)
    where = f" in {visible(shared, _NAME_LIMIT)}" if shared else ""
    kinds = Counter(_kinds(paths)).most_common()
    shown = [
        visible(kind, _NAME_LIMIT) if count == 1 else f"{count:,} {visible(kind, _NAME_LIMIT)}" for kind, count in kinds
    ]
    rest = sum(count for _, count in kinds[_SHOWN:])
    more = [f"{rest:,} more"] if rest else []
    return f"{plural(len(paths), 'file')}{where}: {listed([*shown[:_SHOWN], *more])}"


def _names(paths: Sequence[str]) -> str:
    return listed([visible(path, _NAME_LIMIT) for path in paths])


def _shared_folder(paths: Sequence[str]) -> str:
    """The deepest folder that every path is below; empty where that is the campaign's own."""
    folders = [PurePosixPath(path).parent.parts for path in paths]
    shared = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/".join(shared)


def _kinds(paths: Sequence[str]) -> Iterator[str]:
    """The kind of each path: its name, where all files with its ending have the same, or else the ending."""
    names = [PurePosixPath(path).name for path in paths]
    alike: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        alike[PurePosixPath(name).suffix].add(name)
    for name in names:
        ending = PurePosixPath(name).suffix
        yield name if len(alike[ending]) == 1 or not ending else f"*{ending}"
