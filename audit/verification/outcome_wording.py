"""The outcome of a verification: in words, and as data."""

import math
from collections.abc import Iterator
from typing import Any

from audit.text import agreeing, plural, visible
from audit.verification.comparing import Difference
from audit.verification.verifying import Verification

_LISTED = 20


def verification_sentences(verification: Verification) -> list[str]:
    """The outcome of a verification, in words: inputs, then numbers, then the first of those that differ."""
    if not verification.recomputed:
        n_inputs = plural(verification.n_inputs, "input")
        nothing = f"Nothing was recomputed: the bundle has the digests of {n_inputs}, not the inputs."
        return [
            nothing,
            "Name the folder that holds them: --inputs FOLDER.",
            *_bundle_sentences(verification),
            *_listed(verification),
        ]
    return [
        _inputs_sentence(verification),
        *_believed(verification),
        *_machines(verification),
        _numbers_sentence(verification),
        *_listed(verification),
    ]


def _bundle_sentences(verification: Verification) -> Iterator[str]:
    if verification.differences:
        verb = agreeing(len(verification.differences), "is", "are")
        yield f"In the bundle itself {plural(len(verification.differences), 'thing')} {verb} not as it says:"


def _believed(verification: Verification) -> Iterator[str]:
    if verification.n_believed:
        files = plural(verification.n_believed, "rejected file")
        yield f"What the bundle says of {files}, and its assumptions, were taken as they are: inputs lack such files."


def _listed(verification: Verification) -> list[str]:
    listed = [_sentence(difference) for difference in verification.differences[:_LISTED]]
    more = len(verification.differences) - len(listed)
    return [*listed, *([f"  and {more:,} more (--json lists them all)"] if more else [])]


def _inputs_sentence(verification: Verification) -> str:
    if verification.issues:
        verb = agreeing(len(verification.issues), "is", "are")
        inputs = plural(len(verification.issues), "input")
        return f"{inputs} {verb} not as in the bundle, which has {verification.n_inputs:,}."
    return f"All {plural(verification.n_inputs, 'input')} are the bundle’s, byte for byte."


def _machines(verification: Verification) -> Iterator[str]:
    """A sentence with the versions that made the bundle, where they differ from those here."""
    names = dict.fromkeys([*verification.bundle_versions, *verification.versions])
    theirs, ours = verification.bundle_versions, verification.versions
    changed = [
        f"{visible(name, 40)} {visible(theirs.get(name, 'none'), 40)}, here {ours.get(name, 'none')}"
        for name in names
        if theirs.get(name) != ours.get(name)
    ]
    if changed:
        yield f"The bundle was made with {'; '.join(changed)}."


def _numbers_sentence(verification: Verification) -> str:
    rule = f"tolerance {verification.tolerance:g}" if verification.tolerance else "exact equality expected"
    largest = (
        f"largest difference {verification.largest_difference:.3g}"
        if verification.largest_difference
        else "no difference"
    )
    if verification.differences:
        verb = "differs" if len(verification.differences) == 1 else "differ"
        compared = plural(verification.n_numbers, "number")
        return f"Recomputed {compared}: {plural(len(verification.differences), 'value')} {verb} ({rule}; {largest})."
    return f"Recomputed {plural(verification.n_numbers, 'number')}: all the same ({rule}; {largest})."


def _sentence(difference: Difference) -> str:
    place = " / ".join(visible(part, 60) for part in difference.place)
    digits = ""
    if math.isfinite(difference.size):
        digits = f" (same to {plural(max(0, math.floor(-math.log10(2 * difference.size))), 'decimal')})"
    return f"  {place}: bundle {_value(difference.bundle)}, here {_value(difference.here)}{digits}"


def _value(value: object) -> str:
    return "nothing" if value is None else visible(str(value), 80)


def verification_data(verification: Verification) -> dict[str, Any]:
    """The outcome of a verification, as plain data."""
    return {
        "task": verification.task,
        "same": verification.same,
        "recomputed": verification.recomputed,
        "inputs": verification.n_inputs,
        "inputs_that_differ": [{"file": issue.file, "found": issue.found} for issue in verification.issues],
        "numbers": verification.n_numbers,
        "tolerance": verification.tolerance,
        "largest_difference": verification.largest_difference,
        "differences": [
            {
                "place": list(difference.place),
                "bundle": difference.bundle,
                "here": difference.here,
                "size": difference.size if math.isfinite(difference.size) else None,
            }
            for difference in verification.differences
        ],
        "bundle_versions": dict(verification.bundle_versions),
        "versions": dict(verification.versions),
    }
