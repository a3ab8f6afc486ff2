"""Whether the files of a bundle are what it says they are: compared with each other, and nothing computed."""

from collections.abc import Iterator
from hashlib import sha256

from audit.report.bundle import (
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
from audit.verification.bundle_reading import Bundle
from audit.verification.comparing import Difference

_ALWAYS = (README, MANIFEST, EVALUATION, SCHEMA_FILE, JOURNAL, SUMS)
_SHOWN = 12


def own_differences(bundle: Bundle, *, same_program: bool) -> Iterator[Difference]:
    """Files too many or too few, and files of other bytes than the bundle says.

    Parameters
    ----------
    bundle : Bundle
        The bundle as it was read.
    same_program : bool
        Whether it was made by this version of the program, which then knows what its unchanging files say.
    """
    files = bundle.files
    expected = dict.fromkeys(_ALWAYS)
    expected |= dict.fromkeys([SETTINGS] if SETTINGS in bundle.digests else [])
    expected |= dict.fromkeys([f"{INPUTS}{path}" for path in bundle.digests] if bundle.has_inputs else [])
    for name in dict.fromkeys([*expected, *files]):
        if name not in files or name not in expected:
            yield _of_presence(name, is_theirs=name in files)
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
            yield Difference((MANIFEST, "inputs", path), bundle.digests[path][:_SHOWN], digest[:_SHOWN], float("inf"))


def _of_presence(name: str, *, is_theirs: bool) -> Difference:
    theirs, ours = ("a file", None) if is_theirs else (None, "a file")
    return Difference((name,), theirs, ours, float("inf"))


def _of_sums(bundle: Bundle) -> Iterator[Difference]:
    """The differences between the list of digests and the files."""
    listed = bundle.files[SUMS]
    expected = sums({name: content for name, content in bundle.files.items() if name != SUMS})
    theirs, ours = _by_name(listed), _by_name(expected)
    for name in sorted(theirs.keys() | ours.keys()):
        if theirs.get(name) != ours.get(name):
            yield Difference((SUMS, name), theirs.get(name), ours.get(name), float("inf"))
    if theirs == ours and listed != expected:
        yield of_bytes((SUMS,), listed, expected)


def _by_name(listed: bytes) -> dict[str, str]:
    """The beginning of each digest in a list of them, by the name behind it."""
    lines = (line.partition("  ") for line in listed.decode("utf-8", "replace").splitlines())
    return {name: digest[:_SHOWN] for digest, _, name in lines}


def of_bytes(place: tuple[str, ...], theirs: bytes, ours: bytes) -> Difference:
    """The difference of two files that are not the same, by their digests."""
    shown = (f"SHA-256 {sha256(each).hexdigest()[:_SHOWN]}" for each in (theirs, ours))
    return Difference(place, next(shown), next(shown), float("inf"))
