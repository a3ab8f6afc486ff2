"""A bundle as read: an archive from anywhere, nothing in it trusted.

Its entries pass the guard of all archives before they are unpacked, and its paths are plain on every system.
"""

import json
import math
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from audit.domain import JournalEntry, Options, Rejection, options_from
from audit.errors import ISSUE_KINDS, InputError, Issue, UsageError
from audit.formats.files import limits
from audit.formats.files.archives import BROKEN_ARCHIVE, zip_members
from audit.formats.readers.json_files import refuse_repeated
from audit.text import quoted, visible
from audit.writers.bundle.archive import BUNDLE_FORMAT, EVALUATION, INPUTS, JOURNAL, MANIFEST, SEAL

_MOST_DIGITS = 18
# a team may be called “What?”, where a system has such files
_ODD = "\\:" + '*?"<>|' * (os.name == "nt")
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Bundle:
    """The content of a bundle, checked as far as it is used."""

    path: Path
    files: Mapping[str, bytes]
    documents: Mapping[str, dict[str, Any]]
    task: str
    title: str
    part: str | None
    versions: Mapping[str, str]
    digests: Mapping[str, str]
    seal: str
    has_inputs: bool
    strict: bool | None
    options: Options
    rejections: tuple[Rejection, ...]
    journal: tuple[JournalEntry, ...]
    assumptions: tuple[str, ...]
    ignored: tuple[str, ...]

    @property
    def believed(self) -> frozenset[str]:
        """The paths of rejected files, of which nothing but the bundle tells."""
        return frozenset(rejection.path for rejection in self.rejections) - self.digests.keys()

    @property
    def inputs(self) -> dict[str, bytes]:
        """The inputs in it, by their paths in the campaign's folder."""
        return {
            name.removeprefix(INPUTS): data
            for name, data in self.files.items()
            if name.startswith(INPUTS)
        }


def bad_bundle(path: Path, defect: str) -> InputError:
    """The refusal of a bundle."""
    return InputError([Issue.of("bad-bundle", str(path), defect)])


def read_bundle(path: Path) -> Bundle:
    """Read a bundle, and check all that is used of it."""
    files = unpacked(path)
    try:
        documents = {name: _document(files, name) for name in (MANIFEST, EVALUATION, JOURNAL)}
        manifest = documents[MANIFEST]
        journal = documents[JOURNAL]
        _expect(
            manifest["format"] == BUNDLE_FORMAT, f"its format is {quoted(str(manifest['format']))}"
        )
        settings = manifest["settings"]
        return Bundle(
            path=path,
            files=files,
            documents=documents,
            task=_text(manifest["task"]),
            title=_text(manifest["title"]),
            part=None if manifest["part"] is None else _text(manifest["part"]),
            versions={
                **{_text(name): _text(version) for name, version in manifest["versions"].items()},
                "platform": _text(manifest["platform"]),
            },
            digests={_text(entry["path"]): _text(entry["sha256"]) for entry in manifest["inputs"]},
            seal=_text(manifest[SEAL]),
            has_inputs=_of_type(manifest["inputs_included"], bool, "true or false"),
            strict={("reject", "reject"): True, ("wrong", "wrong"): False}.get(
                (settings["missing"], settings["unusable"])
            ),
            options=options_from(settings),
            rejections=tuple(
                Rejection(_text(each["file"]), tuple(map(_issue, each["issues"])))
                for each in journal["rejected"]
            ),
            journal=tuple(
                JournalEntry(
                    _text(each["action"]),
                    _text(each["subject"]),
                    _text(each["text"]),
                    _count(each["count"]),
                )
                for each in journal["journal"]
            ),
            assumptions=tuple(map(_text, journal["assumptions"])),
            ignored=tuple(map(_text, journal["ignored"])),
        )
    except KeyError as error:
        raise bad_bundle(path, f"it lacks {quoted(str(error.args[0]))}") from None
    except (UsageError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise bad_bundle(path, visible(str(error), 200)) from None


def _expect(condition: bool, otherwise: str) -> None:  # noqa: FBT001 - it reads as a sentence
    if not condition:
        raise ValueError(otherwise)


def _text(value: object) -> str:
    return _of_type(value, str, "text")


def _count(value: object) -> int:
    return _of_type(value, int, "a count")


def _of_type(value: object, kind: type[Kind], expected: str) -> Kind:
    if type(value) is not kind:
        raise TypeError(f"{visible(repr(value), 60)} stands where {expected} is expected")
    return value


def _issue(data: Mapping[str, Any]) -> Issue:
    slug = _text(data["slug"])
    _expect(slug in ISSUE_KINDS, "it names an issue that does not exist")
    return Issue.of(
        slug,
        _text(data["file"]),
        _text(data["found"]),
        lines=list(map(_count, data["lines"])),
        count=1,
    )


def _document(files: Mapping[str, bytes], name: str) -> dict[str, Any]:
    pairs = {
        "object_pairs_hook": _unique_members,
        "parse_constant": _finite,
        "parse_float": _finite,
        "parse_int": _short,
    }
    document = json.loads(files[name], **pairs)  # type: ignore[arg-type]  # each hook has its own type
    _expect(isinstance(document, dict), "its documents are no objects")
    return dict(document)


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, each of whose names stands in it once: of two, programs would take one or the other."""
    members = dict(pairs)
    if len(members) < len(pairs):
        refuse_repeated(name for name, _ in pairs)
    return members


def _finite(text: str) -> float:
    value = float(text)
    _expect(math.isfinite(value), f"{visible(text, 40)} is no number")
    return value


def _short(text: str) -> int:
    _expect(len(text) <= _MOST_DIGITS, f"{visible(text, 40)} is too long for a count")
    return int(text)


def unpacked(path: Path) -> dict[str, bytes]:
    """The files of the bundle, by name."""
    try:
        _expect(
            path.is_file(),
            "it is no file, but a folder, a device or a pipe" if path.exists() else "no such file",
        )
        with path.open("rb") as file:
            _expect(
                file.seek(0, 2) <= limits.MOST_BYTES,
                f"it is larger than {limits.MOST_BYTES:,} bytes",
            )
            members = dict(zip_members(str(path), file))
            names = [name for name in zipfile.ZipFile(file).namelist() if not name.endswith("/")]
            for name in names:  # the inputs are written into a folder to be read again
                _expect(is_plain(name), f"the path {quoted(name, 120)} could lead out of a folder")
            _expect(
                len({name.casefold() for name in names}) == len(names),
                "it has two entries of one name",
            )
            return {name: read() for name, read in members.items()}
    except InputError as error:
        raise bad_bundle(path, error.issues[0].found) from None
    except BROKEN_ARCHIVE as error:
        raise bad_bundle(
            path, visible(str(getattr(error, "strerror", None) or error), 200)
        ) from None


def is_plain(name: str) -> bool:
    """Whether a path has no odd part, and no character that some system reads as something else."""
    odd_part = any(part in {"", ".", ".."} or part != part.rstrip(" .") for part in name.split("/"))
    return not odd_part and not any(character in _ODD or character < " " for character in name)
