"""A bundle computed again and compared value by value, with what it says of its own files."""

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from audit.domain import Campaign
from audit.errors import Issue
from audit.evaluation import evaluate
from audit.execution import THIS_PROCESS, Executor, Steps
from audit.formats.campaign.campaigns import read_part
from audit.text import agreeing, plural, quoted, visible
from audit.verification.bundle_reading import Bundle, bad_bundle, is_plain, read_bundle
from audit.verification.inputs import wrapping_folders, write_inputs
from audit.version import versions
from audit.writers.bundle.archive import (
    EVALUATION,
    INPUTS,
    JOURNAL,
    MANIFEST,
    README,
    SCHEMA_FILE,
    SETTINGS,
    SUMS,
    bundle_files,
    encoded,
    evaluation_document,
    input_files,
    platform_name,
    readme,
    schema_text,
    sums,
)
from audit.writers.bundle.sheets import items_of
from audit.writers.data.export import to_json

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
    """Whether two numbers are as near to each other as is allowed, relative for those beyond 1.

    A tolerance of 0 allows nothing; any other is that of closed forms, where draws in single precision have their own.
    """
    if tolerance and _OF_DRAWS.intersection(difference.place):
        tolerance = TOLERANCE_OF_DRAWS
    return math.isfinite(difference.size) and difference.size <= tolerance * max(1.0, abs(difference.bundle))


def count_numbers(value: object) -> int:
    """The number of numbers that stand in a document."""
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


TOLERANCE = 1e-9
"""Largest difference, relative for numbers beyond 1, that another machine or library may make in the last digits."""
TOLERANCE_OF_DRAWS = 1e-6
"""Likewise of quantiles of draws, between which versions of NumPy interpolate in single precision each in its way."""
_OF_DRAWS = frozenset({"critical_value", "found_half_the_time", "found_80_percent_of_the_time"})
_PRINTED = 4  # decimals that are printed at most

_DIGEST_SHOWN = 12
Said = TypeVar("Said")
_OF_MACHINE = frozenset({"versions", "platform"})
_OF_VERSION = frozenset({"program", "signature", "commands"})
"""What names what computed it, and so differs where something else computes it again."""


@dataclass(frozen=True)
class Verification:
    """The outcome of a verification."""

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
    n_believed: int = 0
    near: tuple[Difference, ...] = ()  # differences that other versions of libraries make

    @property
    def same(self) -> bool:
        """Whether every number was computed again from the bundle's inputs, and is the bundle's."""
        return self.recomputed and not self.issues and not self.differences

    @property
    def outcome(self) -> str:
        """The outcome in a word or two: the same, the same as printed, other, or nothing recomputed."""
        if not self.recomputed:
            return "not-recomputed"
        if not self.same:
            return "differs"
        printed = all(round(each.bundle, _PRINTED) == round(each.here, _PRINTED) for each in self.near)
        return "same" if not self.near else "same-as-printed" if printed else "same-within-tolerance"


def verify_bundle(
    path: Path, inputs: Path | None = None, *, executor: Executor = THIS_PROCESS, on_step: Steps | None = None
) -> Verification:
    """Compute all that a bundle holds again, from a folder or from the inputs in the bundle, and compare."""
    bundle = read_bundle(path)
    if inputs is None and not bundle.inputs:
        return _compared(bundle, None, {})
    with _folder_of(bundle, inputs) as folder:
        campaign = _campaign(bundle, folder, recorded_rejections=inputs is None)
        evaluation = evaluate(campaign, executor=executor, on_step=on_step)
    items = items_of(evaluation, campaign) if bundle.documents[EVALUATION].get("per_item") else None
    texts = {EVALUATION: to_json(evaluation_document(evaluation, items)), SCHEMA_FILE: schema_text()}
    files = bundle_files(evaluation, campaign, texts, include_inputs=bundle.has_inputs)
    verification = _compared(bundle, campaign, files)
    return replace(verification, n_believed=len(bundle.believed) if inputs is None else 0)


@contextmanager
def _folder_of(bundle: Bundle, inputs: Path | None) -> Iterator[Path]:
    """The folder of the inputs: the user's, or a temporary one with those of the bundle."""
    if inputs is not None:
        yield inputs
        return
    lost = [path for path in bundle.digests if path not in bundle.inputs]
    if lost:
        raise bad_bundle(bundle.path, f"it lacks the input {quoted(lost[0], 120)}")
    with TemporaryDirectory() as name:
        folder = Path(name) / "inputs"
        try:
            folder.mkdir()
            files = {**_places_of_rejected(bundle), **bundle.inputs}
            write_inputs(folder, files, wrapping_folders(files))
        except (OSError, ValueError) as error:
            raise bad_bundle(bundle.path, visible(str(getattr(error, "strerror", None) or error), 200)) from None
        yield folder


def _places_of_rejected(bundle: Bundle) -> dict[str, bytes]:
    """Empty files in place of those that were rejected, so that whatever names them finds them."""
    inputs = bundle.inputs
    return {
        each.path: b""
        for each in bundle.rejections
        if each.path in bundle.believed and is_plain(each.path)
        if not any(path.startswith(f"{each.path}/") for path in inputs)
    }


def _campaign(bundle: Bundle, folder: Path, *, recorded_rejections: bool) -> Campaign:
    """The campaign as read now, with what the bundle says was asked for on the command line.

    Files that are no input may come and go: which ones there were is taken from the bundle.
    """
    campaign = read_part(folder, bundle.part, slug=bundle.task, title=bundle.title, strict=bundle.strict)
    if recorded_rejections and bundle.believed:
        believed = bundle.believed
        campaign = replace(
            campaign,
            task=replace(campaign.task, assumptions=bundle.assumptions),
            rejections=_merged(bundle.rejections, campaign.rejections, lambda each: each.path in believed),
            journal=_merged(bundle.journal, campaign.journal, lambda each: each.subject in believed),
        )
    return replace(campaign, options=bundle.options, ignored=bundle.ignored)


def _merged(theirs: Iterable[Said], ours: Iterable[Said], is_believed: Callable[[Said], bool]) -> tuple[Said, ...]:
    """The results found here and, where the bundle has it, what is believed."""
    here = iter([each for each in ours if not is_believed(each)])
    merged = [each if is_believed(each) else next(here, None) for each in theirs]
    return (*(each for each in merged if each is not None), *here)


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
            shown = visible(theirs[:_DIGEST_SHOWN])
            defect = f"its SHA-256 begins with {ours[:_DIGEST_SHOWN]}, the bundle's with {shown}"
            yield Issue.of("input-differs", path, defect)


def _compared(bundle: Bundle, campaign: Campaign | None, files: Mapping[str, bytes]) -> Verification:
    """The outcome, with all that differs; nothing was computed where there is no campaign."""
    here = {**versions(), "platform": platform_name()}
    tolerance = 0.0 if here == bundle.versions else TOLERANCE
    same_program = here["audit"] == bundle.versions.get("audit")
    left_out = frozenset() if not tolerance else _OF_MACHINE if same_program else _OF_MACHINE | _OF_VERSION
    issues = [] if campaign is None else list(_input_issues(bundle.digests, campaign))
    different_inputs = {issue.file for issue in issues}
    all_differences = [] if campaign is None else list(_of_documents(bundle, files, left_out, different_inputs))
    all_differences += own_differences(bundle, same_program=same_program)
    sizes = [difference.size for difference in all_differences if math.isfinite(difference.size)]
    return Verification(
        task=bundle.task,
        n_inputs=len(bundle.digests),
        issues=tuple(issues),
        recomputed=campaign is not None,
        n_numbers=count_numbers(json.loads(files[EVALUATION])) if campaign is not None else 0,
        differences=tuple(each for each in all_differences if not is_within(each, tolerance)),
        near=tuple(each for each in all_differences if is_within(each, tolerance)),
        tolerance=tolerance,
        largest_difference=max(sizes, default=0.0),
        bundle_versions=bundle.versions,
        versions=here,
    )


def _of_documents(
    bundle: Bundle, files: Mapping[str, bytes], left_out: frozenset[str], different_inputs: Collection[str]
) -> Iterator[Difference]:
    """Differences between the bundle's documents and those made here, but for inputs known to differ."""
    for name, place in ((EVALUATION, ()), (MANIFEST, (MANIFEST,)), (JOURNAL, (JOURNAL,))):
        theirs, ours = (_without(each, left_out) for each in (bundle.documents[name], json.loads(files[name])))
        if name == MANIFEST and different_inputs:
            for each in (theirs, ours):
                each["inputs"] = [one for one in each["inputs"] if one["path"] not in different_inputs]
        of_document = list(differences(theirs, ours, place))
        yield from of_document
        if not of_document and not left_out and not different_inputs and bundle.files[name] != files[name]:
            yield of_bytes((name,), bundle.files[name], files[name])
    if SETTINGS in files and SETTINGS not in different_inputs and bundle.files.get(SETTINGS) != files[SETTINGS]:
        yield of_bytes((SETTINGS,), bundle.files.get(SETTINGS, b""), files[SETTINGS])


def _without(document: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in names}


_LISTED = 20
_BELIEVED = "What the bundle says of {}, and its assumptions, were taken as they are: inputs lack such files."


def verification_sentences(verification: Verification) -> list[str]:
    """The outcome of a verification, in words: inputs, then numbers, then the first of those that differ."""
    if not verification.recomputed:
        n_inputs, n_different = plural(verification.n_inputs, "input"), len(verification.differences)
        verb = agreeing(n_different, "is", "are")
        nothing = f"Nothing was recomputed: the bundle has the digests of {n_inputs}, not the inputs."
        return [
            nothing,
            "Name the folder that holds them: --inputs FOLDER.",
            *([f"In the bundle itself {plural(n_different, 'thing')} {verb} not as it says:"] if n_different else []),
            *_listed(verification),
        ]
    return [
        _inputs_sentence(verification),
        *([_BELIEVED.format(plural(verification.n_believed, "rejected file"))] if verification.n_believed else []),
        *_machines(verification),
        _numbers_sentence(verification),
        *_listed(verification),
    ]


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
    rule = (
        f"tolerance {TOLERANCE:g}, of draws {TOLERANCE_OF_DRAWS:g}"
        if verification.tolerance
        else "exact equality expected"
    )
    largest = (
        f"largest difference {verification.largest_difference:.3g}"
        if verification.largest_difference
        else "no difference"
    )
    if verification.differences:
        verb = "differs" if len(verification.differences) == 1 else "differ"
        compared = plural(verification.n_numbers, "number")
        return f"Recomputed {compared}: {plural(len(verification.differences), 'value')} {verb} ({rule}; {largest})."
    near = {
        "same-as-printed": "the same to every printed digit, with other library versions",
        "same-within-tolerance": "the same within what other library versions change",
    }
    same = near.get(verification.outcome, "all the same")
    return f"Recomputed {plural(verification.n_numbers, 'number')}: {same} ({rule}; {largest})."


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
        "outcome": verification.outcome,
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
