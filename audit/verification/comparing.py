"""Two evaluation documents compared value by value, and the files of a bundle with what it says of them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from audit.text import plural
from audit.verification.bundle_reading import Bundle
from audit.writers.bundle.archive import (
    EVALUATION,
    INPUTS,
    JOURNAL,
    MANIFEST,
    README,
    SCHEMA_FILE,
    SETTINGS,
    SUMS,
    encoded,
    readme,
    schema_text,
    sums,
)

Place = tuple[str, ...]
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that is not what the bundle says."""

    place: Place
    bundle: Any
    here: Any
    size: float


def differences(theirs: object, ours: object, place: Place = ()) -> Iterator[Difference]:
    """Every value that is not the same in both; 1, 1.0 and true are three values.

    >>> [each.place for each in differences({"a": 1, "b": [0.5]}, {"a": True, "b": [0.5]})]
    [('a',)]
    """
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in dict.fromkeys([*theirs, *ours]):
            yield from differences(theirs.get(name, _ABSENT), ours.get(name, _ABSENT), (*place, name))
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for index, (one, other) in enumerate(zip(theirs, ours, strict=True)):
            yield from differences(one, other, (*place, str(index)))
    elif type(theirs) is not type(ours) or theirs != ours or repr(theirs) != repr(ours):
        both = type(theirs) is type(ours) and _is_number(theirs)
        size = abs(theirs - ours) if both else math.inf  # type: ignore[operator]  # both are numbers
        yield Difference(place, _shown(theirs), _shown(ours), size)


def _shown(value: object) -> Any:  # noqa: ANN401 - a plain value
    """A value as a difference carries it: a list or object by its size."""
    if isinstance(value, (dict, list)):
        return plural(len(value), "value")
    return None if value is _ABSENT else value


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_within(difference: Difference, tolerance: float) -> bool:
    """Whether two numbers are as near to each other as the tolerance allows, relative for those beyond 1."""
    return math.isfinite(difference.size) and difference.size <= tolerance * max(1.0, abs(difference.bundle))


def count_numbers(value: object) -> int:
    """How many numbers stand in a document."""
    if isinstance(value, dict):
        return sum(map(count_numbers, value.values()))
    if isinstance(value, list):
        return sum(map(count_numbers, value))
    return int(_is_number(value))


_ALWAYS = (README, MANIFEST, EVALUATION, SCHEMA_FILE, JOURNAL, SUMS)
_SHOWN = 12


def own_differences(bundle: Bundle, *, same_program: bool) -> Iterator[Difference]:
    """Files too many or too few, and files of other bytes than the bundle says."""
    files = bundle.files
    expected = dict.fromkeys(_ALWAYS)
    expected |= dict.fromkeys([SETTINGS] if SETTINGS in bundle.digests else [])
    expected |= dict.fromkeys([f"{INPUTS}{path}" for path in bundle.digests] if bundle.has_inputs else [])
    for name in dict.fromkeys([*expected, *files]):
        if name not in files or name not in expected:
            theirs, ours = ("a file", None) if name in files else (None, "a file")
            yield Difference((name,), theirs, ours, math.inf)
    if SUMS in files:
        yield from _of_sums(bundle)
    if same_program:
        for name, content in ((README, readme()), (SCHEMA_FILE, encoded(schema_text()))):
            if name in files and files[name] != content:
                yield of_bytes((name,), files[name], content)
    copies = {SETTINGS: SETTINGS, **{f"{INPUTS}{path}": path for path in bundle.digests}}
    for name, path in copies.items():
        digest = sha256(files[name]).hexdigest() if name in files else None
        if digest is not None and digest != bundle.digests.get(path, digest):
            yield Difference((MANIFEST, "inputs", path), bundle.digests[path][:_SHOWN], digest[:_SHOWN], math.inf)


def _of_sums(bundle: Bundle) -> Iterator[Difference]:
    """The differences between the list of digests and the files."""
    listed = bundle.files[SUMS]
    expected = sums({name: content for name, content in bundle.files.items() if name != SUMS})
    theirs, ours = _by_name(listed), _by_name(expected)
    for name in sorted(theirs.keys() | ours.keys()):
        if theirs.get(name) != ours.get(name):
            yield Difference((SUMS, name), theirs.get(name), ours.get(name), math.inf)
    if theirs == ours and listed != expected:
        yield of_bytes((SUMS,), listed, expected)


def _by_name(listed: bytes) -> dict[str, str]:
    """The beginning of each digest in a list of them, by the name behind it."""
    lines = (line.partition("  ") for line in listed.decode("utf-8", "replace").splitlines())
    return {name: digest[:_SHOWN] for digest, _, name in lines}


def of_bytes(place: tuple[str, ...], theirs: bytes, ours: bytes) -> Difference:
    """The difference of two files that are not the same, by their digests."""
    shown = (f"SHA-256 {sha256(each).hexdigest()[:_SHOWN]}" for each in (theirs, ours))
    return Difference(place, next(shown), next(shown), math.inf)
