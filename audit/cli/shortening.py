"""Long lists of files in a few words: how many there are, where, and of which kinds."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from audit.text import listed, plural, visible

_SHOWN = 5
_NAME_LIMIT = 80


def shortened(paths: Sequence[str]) -> str:
    """Files by name where they are few; else how many they are of each kind, below the folder that all share.

    A kind is a name that several folders have, or else an ending.

    Examples
    --------
    >>> shortened(["README.md", "submissions/README.txt"])
    'README.md and submissions/README.txt'
    >>> shortened([f"runs/{team}/{name}" for team in "ABC" for name in ("a.score", "b.score", "README.txt")])
    '9 files in runs: 3 a.score, 3 b.score and 3 README.txt'
    """
    if len(paths) <= _SHOWN:
        return listed([visible(path, _NAME_LIMIT) for path in paths])
    shared = _shared_folder(paths)
    where = f" in {visible(shared, _NAME_LIMIT)}" if shared else ""
    kinds = Counter(_kinds(paths)).most_common()
    shown = [
        visible(kind, _NAME_LIMIT) if count == 1 else f"{count:,} {visible(kind, _NAME_LIMIT)}" for kind, count in kinds
    ]
    rest = sum(count for _, count in kinds[_SHOWN:])
    more = [f"{rest:,} more"] if rest else []
    return f"{plural(len(paths), 'file')}{where}: {listed([*shown[:_SHOWN], *more])}"


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
    """What each path is counted as."""
    names = [PurePosixPath(path).name for path in paths]
    times = Counter(names)
    for name in names:
        ending = PurePosixPath(name).suffix
        yield name if times[name] > 1 or not ending else f"*{ending}"
