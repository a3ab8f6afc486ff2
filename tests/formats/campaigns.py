"""Small campaigns, written to a folder file by file."""

import tarfile
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import TypeVar

import pytest

from audit.errors import ISSUE_KINDS, MANIFEST, SETTINGS_FILE, InputError, Issue
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.door.draft import draft

Read = TypeVar("Read")
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


def refusal(root: Path, files: Mapping[str, File] | None = None) -> tuple[Issue, ...]:
    """The issues for which the campaign of a folder is refused, once these files stand in it."""
    with pytest.raises(InputError) as caught:
        read_campaign(write(root, files or {}))
    return caught.value.issues


def init(root: Path) -> Path:
    """The folder with the drafts of files.csv and task.toml written into it."""
    drafted = draft(root)
    return write(
        root,
        {
            MANIFEST: drafted.files,
            **({SETTINGS_FILE: drafted.settings} if drafted.settings else {}),
        },
    )


def read_or_refused(read: Callable[[], Read]) -> Read | None:
    """What is read; None where it is refused, with issues of the catalogue alone."""
    try:
        return read()
    except InputError as error:
        issues = error.issues
    assert issues
    assert {issue.slug for issue in issues} <= set(ISSUE_KINDS)
    return None


def folder(path: Path) -> None:
    """A directory where a file is expected."""
    path.mkdir(parents=True)


def link_to(target: str) -> Callable[[Path], object]:
    """A symbolic link."""
    return lambda path: path.symlink_to(target)


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    """A zip of some files."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def tarred(members: Mapping[str, str | bytes | tarfile.TarInfo], mode: str = "w") -> bytes:
    """A tar of some files, and of whatever headers are given in place of content."""
    file = BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            data = (
                content
                if isinstance(content, bytes)
                else content.encode()
                if isinstance(content, str)
                else b""
            )
            header = content if isinstance(content, tarfile.TarInfo) else tarfile.TarInfo(name)
            header.size = len(data)
            archive.addfile(header, BytesIO(data))
    return file.getvalue()


def encrypted(content: bytes) -> bytes:
    """A zip that says of its first entry that it is encrypted."""
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = content.index(signature) + offset
        content = content[:at] + bytes([content[at] | 1]) + content[at + 1 :]
    return content
