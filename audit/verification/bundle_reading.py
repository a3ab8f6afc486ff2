"""A bundle as read: an archive from anywhere, nothing in it trusted.

Its entries pass the guard of all archives before they are unpacked, and its paths are plain on every system.
"""

import json
import math
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.domain import Options, Rejection, options_from
from audit.errors import ISSUE_KINDS, InputError, Issue, UsageError
from audit.formats.files import limits
from audit.formats.files.archives import BROKEN_ARCHIVE, zip_members
from audit.report.bundle import BUNDLE_FORMAT, EVALUATION, INPUTS, MANIFEST
from audit.text import quoted, visible

_MOST_DIGITS = 18


@dataclass(frozen=True)
class Bundle:
    """What a bundle says, checked as far as it is used."""

    path: Path
    task: str
    versions: Mapping[str, str]
    digests: Mapping[str, str]
    strict: bool | None
    options: Options
    rejections: tuple[Rejection, ...]
    document: dict[str, Any]
    inputs: Mapping[str, bytes]


def bad_bundle(path: Path, found: str) -> InputError:
    """The refusal of a bundle."""
    return InputError([Issue.of("bad-bundle", str(path), found)])


def read_bundle(path: Path) -> Bundle:
    """Read a bundle, and check all that is used of it.

    Raises
    ------
    InputError
        bad-bundle.
    """
    files = _unpacked(path)
    try:
        manifest, document = (_json(files[name]) for name in (MANIFEST, EVALUATION))
        _expect(isinstance(manifest, dict) and isinstance(document, dict), "its documents are no objects")
        _expect(manifest["format"] == BUNDLE_FORMAT, f"its format is {quoted(str(manifest['format']))}")
        settings = manifest["settings"]
        return Bundle(
            path=path,
            task=_text(manifest["task"]),
            versions={
                **{_text(name): _text(version) for name, version in manifest["versions"].items()},
                "platform": _text(manifest["platform"]),
            },
            digests={_text(entry["path"]): _text(entry["sha256"]) for entry in manifest["inputs"]},
            strict={("reject", "reject"): True, ("wrong", "wrong"): False}.get(
                (settings["missing"], settings["unusable"])
            ),
            options=options_from(settings),
            rejections=tuple(map(_rejection, manifest["rejected"])),
            document=document,
            inputs={name.removeprefix(INPUTS): data for name, data in files.items() if name.startswith(INPUTS)},
        )
    except KeyError as error:
        raise bad_bundle(path, f"it lacks {quoted(str(error.args[0]))}") from None
    except (UsageError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise bad_bundle(path, visible(str(error), 200)) from None


def _expect(condition: bool, otherwise: str) -> None:  # noqa: FBT001 - it reads as a sentence
    if not condition:
        raise ValueError(otherwise)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{visible(repr(value), 60)} stands where text is expected")
    return value


def _rejection(entry: Mapping[str, Any]) -> Rejection:
    path, slugs = _text(entry["path"]), list(map(_text, entry["issues"]))
    _expect(set(slugs) <= ISSUE_KINDS.keys(), "it names an issue that does not exist")
    return Rejection(path, tuple(Issue.of(slug, path, "as the bundle says") for slug in slugs))


def _json(data: bytes) -> Any:  # noqa: ANN401 - a document is of any shape until it is checked
    return json.loads(data, parse_constant=_finite, parse_float=_finite, parse_int=_short)


def _finite(text: str) -> float:
    value = float(text)
    _expect(math.isfinite(value), f"{visible(text, 40)} is no number")
    return value


def _short(text: str) -> int:
    _expect(len(text) <= _MOST_DIGITS, f"{visible(text, 40)} is too long for a count")
    return int(text)


# The archive


def _unpacked(path: Path) -> dict[str, bytes]:
    """The files of the bundle that are looked at, by name."""
    try:
        with path.open("rb") as file:
            _expect(file.seek(0, 2) <= limits.MOST_BYTES, f"it is larger than {limits.MOST_BYTES:,} bytes")
            members = dict(zip_members(str(path), file))
            _check_names(zipfile.ZipFile(file).namelist())
            return {name: read() for name, read in members.items() if _is_wanted(name)}
    except InputError as error:
        raise bad_bundle(path, error.issues[0].found) from None
    except BROKEN_ARCHIVE as error:
        raise bad_bundle(path, visible(str(getattr(error, "strerror", None) or error), 200)) from None


def _is_wanted(name: str) -> bool:
    return name in {MANIFEST, EVALUATION} or name.startswith(INPUTS)


def _check_names(names: list[str]) -> None:
    """Refuse names that some system would read otherwise: the inputs are written into a folder to be read again."""
    files = [name for name in names if not name.endswith("/")]
    for name in files:
        _expect(_is_plain(name), f"the path {quoted(name, 120)} could lead out of a folder")
    _expect(len({name.casefold() for name in files}) == len(files), "it has two entries of one name")


def _is_plain(name: str) -> bool:
    """Whether a path has no odd part, and no character that some system reads as something else."""
    odd_part = any(part in {"", ".", ".."} or part != part.rstrip(" .") for part in name.split("/"))
    return not odd_part and not any(character in '\\:*?"<>|' or character < " " for character in name)
