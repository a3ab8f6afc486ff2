"""From a published bundle and its inputs to an answer: are these the inputs, and are these their numbers?

A bundle comes from anywhere. Nothing in it is trusted: its entries are counted and measured before they are unpacked,
and inputs are only ever written into a temporary folder, under names that cannot leave it.
"""

import json
import math
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from audit.domain import Campaign, Rejection, Resampling
from audit.errors import ISSUE_KINDS, InputError, Issue
from audit.evaluation import evaluate
from audit.formats import read_campaign
from audit.report.bundle import (
    BUNDLE_FORMAT,
    EVALUATION,
    INPUTS,
    MANIFEST,
    evaluation_document,
    input_files,
    items_of,
    platform_name,
    versions,
)
from audit.report.export import to_json
from audit.text import plural, quoted, visible

TOLERANCE = 1e-9
"""Largest difference, relative for numbers beyond 1, that another machine or library may make in the last digits."""

MOST_ENTRIES = 10_000
MOST_BYTES = 2**31
MOST_RATIO = 200
ANY_RATIO = 2**26
"""Limits of a bundle: entries, bytes once unpacked, and unpacked bytes for each packed one beyond 64 MiB."""

_MOST_REPLICATES, _MOST_SEED = 1_000_000, 2**32 - 1
_MOST_DIGITS = 18
_DIGEST_SHOWN = 12
_ABSENT = object()
_NOT_COMPARED = frozenset({"program", "task", "title", "assumptions", "ignored", "journal"})
"""What depends on the folder's name, on how files were read, or on what else lies in the folder, and is no number."""

Path_ = tuple[str, ...]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that is not what the bundle says.

    Parameters
    ----------
    place : tuple of str
        Where it stands in ``evaluation.json``.
    bundle, here : object
        What the bundle says, and what was computed here; None also where one of them lacks it.
    size : float
        How far apart two numbers are; infinite for what are not two numbers.
    """

    place: Path_
    bundle: Any
    here: Any
    size: float


@dataclass(frozen=True)
class Verification:
    """What became of a bundle's numbers.

    Parameters
    ----------
    task : str
        The task's slug.
    n_inputs : int
        Inputs whose digests the bundle has.
    issues : tuple of Issue
        Inputs that are not the bundle's.
    recomputed : bool
        Whether there were inputs to compute from.
    n_numbers : int
        Numbers that were compared.
    differences : tuple of Difference
        What differs by more than the tolerance, in the order of the document.
    tolerance : float
        0 where program, libraries and machine are those of the bundle.
    largest_difference : float
        Between two numbers, within or beyond the tolerance.
    bundle_versions, versions : mapping of str to str
        What computed the bundle's numbers, and what computes here.
    """

    task: str
    n_inputs: int
    issues: tuple[Issue, ...]
    recomputed: bool
    n_numbers: int
    differences: tuple[Difference, ...]
    tolerance: float
    largest_difference: float
    bundle_versions: Mapping[str, str]
    versions: Mapping[str, str]

    @property
    def same(self) -> bool:
        """Whether every number was computed again from the bundle's inputs, and is the bundle's."""
        return self.recomputed and not self.issues and not self.differences


def verify_bundle(path: Path, inputs: Path | None = None, *, on_progress: Progress | None = None) -> Verification:
    """Compute a bundle's numbers again, from a folder or from the inputs in the bundle, and compare.

    Parameters
    ----------
    path : Path
        The bundle.
    inputs : Path, optional
        The campaign's folder; without it the inputs inside the bundle, if there are any.
    on_progress : callable, optional
        Called with the blocks of replicates done and their total.

    Raises
    ------
    InputError
        bad-bundle, or what is wrong with the inputs so that nothing can be computed from them.
    """
    bundle = _read_bundle(path)
    if inputs is None and not bundle.inputs:
        return _compared(bundle, None, None)
    with _folder_of(bundle, inputs) as folder:
        campaign = _campaign(bundle, folder, recorded_rejections=inputs is None)
        evaluation = evaluate(campaign, on_progress=on_progress)
    items = items_of(evaluation, campaign) if bundle.document.get("per_item") else None
    return _compared(bundle, campaign, json.loads(to_json(evaluation_document(evaluation, items))))


# The bundle


@dataclass(frozen=True)
class _Bundle:
    """What a bundle says, checked as far as it is used."""

    path: Path
    task: str
    versions: Mapping[str, str]
    digests: Mapping[str, str]
    strict: bool | None
    resampling: Resampling
    rejections: tuple[Rejection, ...]
    document: dict[str, Any]
    inputs: Mapping[str, bytes]


def _bad(path: Path, found: str) -> InputError:
    return InputError([Issue.of("bad-bundle", str(path), found)])


def _read_bundle(path: Path) -> _Bundle:
    files = _unpacked(path)
    try:
        manifest, document = (_json(files[name]) for name in (MANIFEST, EVALUATION))
        _expect(isinstance(manifest, dict) and isinstance(document, dict), "its documents are no objects")
        _expect(manifest["format"] == BUNDLE_FORMAT, f"its format is {quoted(str(manifest['format']))}")
        settings = manifest["settings"]
        return _Bundle(
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
            resampling=_resampling(settings),
            rejections=tuple(map(_rejection, manifest["rejected"])),
            document=document,
            inputs={name.removeprefix(INPUTS): data for name, data in files.items() if name.startswith(INPUTS)},
        )
    except KeyError as error:
        raise _bad(path, f"it lacks {quoted(str(error.args[0]))}") from None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise _bad(path, visible(str(error), 200)) from None


def _expect(condition: bool, otherwise: str) -> None:  # noqa: FBT001 - it reads as a sentence
    if not condition:
        raise ValueError(otherwise)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{visible(repr(value), 60)} stands where text is expected")
    return value


def _resampling(settings: Mapping[str, Any]) -> Resampling:
    replicates, seed = settings["replicates"], settings["seed"]
    _expect(replicates is None or _whole(replicates, _MOST_REPLICATES), "its number of replicates is unusable")
    _expect(_whole(seed, _MOST_SEED), "its seed is unusable")
    return Resampling(replicates, seed)


def _whole(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


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


_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


def _unpacked(path: Path) -> dict[str, bytes]:
    """The files of the bundle that are looked at, by name."""
    try:
        _expect(path.stat().st_size <= MOST_BYTES, f"it is larger than {MOST_BYTES:,} bytes")
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            _check(entries)
            return {entry.filename: _content(archive, entry) for entry in entries if _is_wanted(entry.filename)}
    except _BROKEN as error:
        raise _bad(path, visible(str(getattr(error, "strerror", None) or error), 200)) from None


def _is_wanted(name: str) -> bool:
    return name in {MANIFEST, EVALUATION} or name.startswith(INPUTS)


def _check(entries: list[zipfile.ZipInfo]) -> None:
    """Refuse an archive that is too large, or whose entries could be written anywhere but below one folder."""
    _expect(len(entries) <= MOST_ENTRIES, f"it has more than {plural(MOST_ENTRIES, 'entry', 'entries')}")
    total = sum(entry.file_size for entry in entries)
    _expect(total <= MOST_BYTES, f"it unpacks to more than {MOST_BYTES:,} bytes")
    names = [entry.filename for entry in entries]
    _expect(len({name.casefold() for name in names}) == len(names), "it has two entries of one name")
    files = set(names)
    for entry in entries:
        shown, parts = quoted(entry.filename, 120), entry.filename.split("/")
        _expect(_is_plain(entry.filename, parts), f"the path {shown} could lead out of a folder")
        _expect(files.isdisjoint("/".join(parts[:depth]) for depth in range(1, len(parts))), f"{shown} is below a file")
        packed = entry.compress_size
        _expect(
            entry.file_size <= max(ANY_RATIO, MOST_RATIO * packed), f"{shown} shrinks further than any label file does"
        )
        _expect(not entry.flag_bits & 1, f"{shown} is encrypted")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        _expect(kind in {0, stat.S_IFREG}, f"{shown} is a link or a device")


def _is_plain(name: str, parts: list[str]) -> bool:
    """Whether a path is relative, has no odd part, and no character that some system reads as something else."""
    odd_part = any(part in {"", ".", ".."} or part != part.rstrip(" .") for part in parts)
    return not odd_part and not any(character in '\\:*?"<>|' or character < " " for character in name)


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry: never more than it says."""
    with archive.open(entry) as member:
        content = member.read(entry.file_size + 1)
    _expect(len(content) == entry.file_size, f"{quoted(entry.filename, 120)} is not as long as it says")
    return content


# The inputs


@contextmanager
def _folder_of(bundle: _Bundle, inputs: Path | None) -> Iterator[Path]:
    """The folder of the inputs: the user's, or a temporary one with those of the bundle."""
    if inputs is not None:
        yield inputs
        return
    with TemporaryDirectory() as name:
        folder = Path(name) / "inputs"
        try:
            for path, content in bundle.inputs.items():
                target = folder / PurePosixPath(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        except (OSError, ValueError) as error:
            raise _bad(bundle.path, visible(str(getattr(error, "strerror", None) or error), 200)) from None
        yield folder


def _campaign(bundle: _Bundle, folder: Path, *, recorded_rejections: bool) -> Campaign:
    """The campaign as read now, with what the bundle says was asked for on the command line."""
    campaign = read_campaign(folder, skip_rejected=True, strict=bundle.strict)
    if recorded_rejections:  # a rejected file is in no bundle
        campaign = replace(campaign, rejections=bundle.rejections)
    return replace(campaign, task=replace(campaign.task, resampling=bundle.resampling))


def _input_issues(digests: Mapping[str, str], campaign: Campaign) -> Iterator[Issue]:
    """Inputs that are not those of the bundle: other bytes, missing, or not in the bundle."""
    here = {path: source.sha256 for path, source in input_files(campaign).items()}
    for path in sorted(digests.keys() | here.keys()):
        theirs, ours = digests.get(path), here.get(path)
        if theirs is None:
            yield Issue.of("input-differs", path, "the bundle has no such input")
        elif ours is None:
            yield Issue.of("input-differs", path, "it is missing, or rejected")
        elif theirs != ours:
            shown = visible(theirs, _DIGEST_SHOWN)
            found = f"its SHA-256 begins with {ours[:_DIGEST_SHOWN]}, the bundle's with {shown}"
            yield Issue.of("input-differs", path, found)


# The numbers


def _compared(bundle: _Bundle, campaign: Campaign | None, document: dict[str, Any] | None) -> Verification:
    here = {**versions(), "platform": platform_name()}
    tolerance = 0.0 if here == bundle.versions else TOLERANCE
    not_compared = _NOT_COMPARED if here["audit"] == bundle.versions.get("audit") else {*_NOT_COMPARED, "signature"}
    theirs, ours = (_without(each, not_compared) for each in (bundle.document, document or {}))
    found = [] if document is None else list(_differences(theirs, ours))
    sizes = [difference.size for difference in found if math.isfinite(difference.size)]
    return Verification(
        task=bundle.task,
        n_inputs=len(bundle.digests),
        issues=() if campaign is None else tuple(_input_issues(bundle.digests, campaign)),
        recomputed=document is not None,
        n_numbers=_count(ours),
        differences=tuple(each for each in found if not _within(each, tolerance)),
        tolerance=tolerance,
        largest_difference=max(sizes, default=0.0),
        bundle_versions=bundle.versions,
        versions=here,
    )


def _without(document: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in names}


def _differences(theirs: object, ours: object, place: Path_ = ()) -> Iterator[Difference]:
    """Every value that is not the same in both."""
    if theirs == ours:
        return
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in dict.fromkeys([*theirs, *ours]):
            yield from _differences(theirs.get(name, _ABSENT), ours.get(name, _ABSENT), (*place, name))
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for index, (one, other) in enumerate(zip(theirs, ours, strict=True)):
            yield from _differences(one, other, (*place, str(index)))
    else:
        both = _is_number(theirs) and _is_number(ours)
        size = abs(theirs - ours) if both else math.inf  # type: ignore[operator]  # both are numbers
        yield Difference(place, _shown(theirs), _shown(ours), size)


def _shown(value: object) -> Any:  # noqa: ANN401 - a plain value
    """A value as a difference carries it: a list or object by its size."""
    if isinstance(value, (dict, list)):
        return plural(len(value), "value")
    return None if value is _ABSENT else value


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _within(difference: Difference, tolerance: float) -> bool:
    return math.isfinite(difference.size) and difference.size <= tolerance * max(1.0, abs(difference.bundle))


def _count(value: object) -> int:
    """How many numbers stand in a document."""
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    if isinstance(value, list):
        return sum(map(_count, value))
    return int(_is_number(value))


# What is said about it


_LISTED = 20


def verification_sentences(found: Verification) -> list[str]:
    """What became of a bundle's numbers, in words: inputs, then numbers, then the first of those that differ."""
    if not found.recomputed:
        return [
            f"Nothing was recomputed: the bundle has the digests of {plural(found.n_inputs, 'input')}, not the inputs. "
            "Name the folder that holds them: --inputs FOLDER."
        ]
    listed = [_sentence(difference) for difference in found.differences[:_LISTED]]
    more = len(found.differences) - len(listed)
    return [
        _inputs_sentence(found),
        *_machines(found),
        _numbers_sentence(found),
        *listed,
        *([f"  and {more:,} more (--json lists them all)"] if more else []),
    ]


def _inputs_sentence(found: Verification) -> str:
    if found.issues:
        verb = "is" if len(found.issues) == 1 else "are"
        return f"{plural(len(found.issues), 'input')} {verb} not as in the bundle, which has {found.n_inputs:,}."
    return f"All {plural(found.n_inputs, 'input')} are the bundle’s, byte for byte."


def _machines(found: Verification) -> Iterator[str]:
    """What computed the bundle's numbers, where it is not what computes here."""
    names = dict.fromkeys([*found.bundle_versions, *found.versions])
    theirs, ours = found.bundle_versions, found.versions
    changed = [
        f"{visible(name, 40)} {visible(theirs.get(name, 'none'), 40)}, here {ours.get(name, 'none')}"
        for name in names
        if theirs.get(name) != ours.get(name)
    ]
    if changed:
        yield f"The bundle was made with {'; '.join(changed)}."


def _numbers_sentence(found: Verification) -> str:
    rule = f"tolerance {found.tolerance:g}" if found.tolerance else "exact equality expected"
    largest = f"largest difference {found.largest_difference:.3g}" if found.largest_difference else "no difference"
    if found.differences:
        verb = "differs" if len(found.differences) == 1 else "differ"
        compared = plural(found.n_numbers, "number")
        return f"Recomputed {compared}: {plural(len(found.differences), 'value')} {verb} ({rule}; {largest})."
    return f"Recomputed {plural(found.n_numbers, 'number')}: all the same ({rule}; {largest})."


def _sentence(difference: Difference) -> str:
    place = " › ".join(visible(part, 60) for part in difference.place)
    digits = ""
    if math.isfinite(difference.size):
        digits = f" (same to {plural(max(0, math.floor(-math.log10(2 * difference.size))), 'decimal')})"
    return f"  {place}: bundle {_value(difference.bundle)}, here {_value(difference.here)}{digits}"


def _value(value: object) -> str:
    return "nothing" if value is None else visible(str(value), 80)


def verification_data(found: Verification) -> dict[str, Any]:
    """What became of a bundle's numbers, as plain data."""
    return {
        "task": found.task,
        "same": found.same,
        "recomputed": found.recomputed,
        "inputs": found.n_inputs,
        "inputs_that_differ": [{"file": issue.file, "found": issue.found} for issue in found.issues],
        "numbers": found.n_numbers,
        "tolerance": found.tolerance,
        "largest_difference": found.largest_difference,
        "differences": [
            {
                "place": list(difference.place),
                "bundle": difference.bundle,
                "here": difference.here,
                "size": difference.size if math.isfinite(difference.size) else None,
            }
            for difference in found.differences
        ],
        "bundle_versions": dict(found.bundle_versions),
        "versions": dict(found.versions),
    }
