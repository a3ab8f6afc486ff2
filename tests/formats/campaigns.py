"""Small campaigns, written to a folder file by file."""

from collections.abc import Callable, Mapping
from pathlib import Path

File = str | bytes | Callable[[Path], object]

GOLD = "id,label\n1,no\n2,yes\n3,no\n4,yes\n"
ANSWERS = "id,label\n1,no\n2,no\n3,no\n4,yes\n"
GOOD: Mapping[str, File] = {"gold.csv": GOLD, "submissions/A.csv": ANSWERS}


def write(root: Path, files: Mapping[str, File]) -> Path:
    """Write every file below the folder; a callable makes what is no plain file."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def folder(path: Path) -> None:
    """A directory where a file is expected."""
    path.mkdir(parents=True)


def link_to(target: str) -> Callable[[Path], object]:
    """A symbolic link."""
    return lambda path: path.symlink_to(target)
