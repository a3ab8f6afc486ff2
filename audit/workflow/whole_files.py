"""Text files, written whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from audit.errors import InputError, Issue

STEM = 50  # characters of a file's name that fit into the 255 bytes of a file system in any script


def write_text(path: Path, text: str) -> Path:
    """Write a text file whole or not at all; a pipe or a device takes the text as it comes."""
    try:
        if path.exists() and not path.is_file():
            _write(path, text)
        else:
            _replace(Path(os.path.realpath(path)), text)  # what a link stands for is replaced, not the link
    except OSError as error:
        raise InputError([Issue.of("cannot-write", str(path), error.strerror or str(error))]) from error
    return path


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name[:STEM]}.part")
    try:
        _write(beside, text)
        beside.replace(path)
    finally:
        with suppress(OSError):  # it is gone once it has taken its place
            beside.unlink()


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n", errors="backslashreplace")
