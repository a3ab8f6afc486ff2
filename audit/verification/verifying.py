"""A bundle computed again and compared value by value, with what it says of its own files."""

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

from audit.domain import Campaign, Evaluation
from audit.errors import Issue
from audit.evaluation import evaluate
from audit.execution import THIS_PROCESS, Executor, Steps
from audit.formats.campaign.campaigns import read_part
from audit.formats.campaign.set_files import by_other_repairs
from audit.formats.door.files import GivenTree
from audit.formats.files.held_files import HeldFiles
from audit.formats.files.tree import Tree
from audit.text import agreeing, plural, quoted, visible
from audit.verification.bundle_reading import Bundle, bad_bundle, is_plain, read_bundle
from audit.version import versions
from audit.writers.bundle.archive import (
    EDITION,
    EVALUATION,
    FILES,
    FOR_READERS,
    INPUTS,
    JOURNAL,
    MANIFEST,
    README,
    SCHEMA_FILE,
    SEAL,
    SETTINGS,
    SUMS,
    bundle_files,
    encoded,
    evaluation_document,
    evaluation_texts,
    input_files,
    platform_name,
    readme,
    schema_text,
    seal_of,
    sums,
)
from audit.writers.bundle.sheets import items_of
from audit.writers.data.plain import picked
from audit.writers.data.readers_data import readers_data

Place = tuple[str, ...]
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that is not what the bundle says."""

    place: Place
    bundle: Any
    here: Any
    size: float = math.inf  # how far two numbers are apart; infinite for anything else


def differences(theirs: object, ours: object, place: Place = ()) -> Iterator[Difference]:
    """Every value that is not the same in both; 1, 1.0 and true are three values.

    >>> [each.place for each in differences({"a": 1, "b": [0.5]}, {"a": True, "b": [0.5]})]
    [('a',)]
    """
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in dict.fromkeys([*theirs, *ours]):
            their_part = theirs.get(name, _ABSENT)
            our_part = ours.get(name, _ABSENT)
            yield from differences(their_part, our_part, (*place, name))
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for index, (their_part, our_part) in enumerate(zip(theirs, ours, strict=True)):
            yield from differences(their_part, our_part, (*place, str(index)))
    elif type(theirs) is not type(ours) or repr(theirs) != repr(ours):
        size = math.inf
        if type(theirs) is type(ours) and _is_number(theirs):
            size = abs(theirs - ours)  # type: ignore[operator]  # both are numbers
        yield Difference(place, _shown(theirs), _shown(ours), size)


def _shown(value: object) -> Any:  # noqa: ANN401 - a plain value
    """A value as a difference carries it: a list or object by its size."""
    if isinstance(value, (dict, list)):
        return plural(len(value), "value")
    if value is _ABSENT:
        return None
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_within(difference: Difference, tolerance: float) -> bool:
    """Whether two numbers are as near to each other as is allowed, relative for those beyond 1.

    A tolerance of 0 allows nothing; any other is that of closed forms, where draws in single precision have their own.
    """
    if not math.isfinite(difference.size):
        return False
    if tolerance and _OF_DRAWS.intersection(difference.place):
        tolerance = TOLERANCE_OF_DRAWS
    return bool(difference.size <= tolerance * max(1.0, abs(difference.bundle)))


def count_numbers(value: object) -> int:
    """The number of numbers that stand in a document."""
    if isinstance(value, dict):
        return sum(map(count_numbers, value.values()))
    if isinstance(value, list):
        return sum(map(count_numbers, value))
    return int(_is_number(value))


_ALWAYS = (README, MANIFEST, EVALUATION, SCHEMA_FILE, JOURNAL, SUMS)
_SHOWN = 12  # characters of a digest


def own_differences(bundle: Bundle, *, same_program: bool) -> Iterator[Difference]:
    """Files too many or too few, and files of other bytes than the bundle says."""
    files = bundle.files
    copies = {f"{INPUTS}{path}": path for path in bundle.digests}
    settings = [name for name in (SETTINGS, FILES) if name in bundle.digests]
    expected = [*_ALWAYS, *settings]
    if bundle.has_inputs:
        expected += copies
    yield from _of_names(files, expected)
    made = {}
    if same_program:
        made = {README: readme(), SCHEMA_FILE: encoded(schema_text())}
    if SUMS in files:
        made[SUMS] = sums({name: content for name, content in files.items() if name != SUMS})
        yield from differences(_digests(files[SUMS]), _digests(made[SUMS]), (SUMS,))
    for name, content in made.items():
        if files.get(name, content) != content:
            yield of_bytes((name,), files[name], content)
    for name, path in {SETTINGS: SETTINGS, FILES: FILES, **copies}.items():
        if name in files and path in bundle.digests:
            stated = bundle.digests[path]
            computed = sha256(files[name]).hexdigest()
            if stated != computed:
                place = (MANIFEST, "inputs", path)
                yield Difference(place, stated[:_SHOWN], computed[:_SHOWN])


def _of_names(files: Mapping[str, bytes], expected: Sequence[str]) -> Iterator[Difference]:
    """Files that are missing, and files that are too many."""
    for name in dict.fromkeys([*expected, *files]):
        if name not in files:
            yield Difference((name,), "a file", None)
        elif name not in expected:
            yield Difference((name,), None, "a file")


def _digests(listed: bytes) -> dict[str, str]:
    """The beginning of each digest in a list of them, by the name behind it."""
    digests = {}
    for line in listed.decode("utf-8", "replace").splitlines():
        digest, _, name = line.partition("  ")
        digests[name] = digest[:_SHOWN]
    return digests


def of_bytes(place: Place, theirs: bytes, ours: bytes) -> Difference:
    """The difference of two files that are not the same, by their digests."""
    their_digest = f"SHA-256 {sha256(theirs).hexdigest()[:_SHOWN]}"
    our_digest = f"SHA-256 {sha256(ours).hexdigest()[:_SHOWN]}"
    return Difference(place, their_digest, our_digest)


TOLERANCE = 1e-9
"""Largest difference, relative for numbers beyond 1, that another machine or library may make in the last digits."""
TOLERANCE_OF_DRAWS = 1e-6
"""Likewise of quantiles of draws, between which versions of NumPy interpolate in single precision each in its way."""
_OF_DRAWS = frozenset({"critical_value", "found_half_the_time", "found_80_percent_of_the_time"})
_MOST_PLACES = 2_000  # folders below the one that is named
_PRINTED = 4  # decimals that are printed at most

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
        if not self.near:
            return "same"
        for difference in self.near:
            if round(difference.bundle, _PRINTED) != round(difference.here, _PRINTED):
                return "same-within-tolerance"
        return "same-as-printed"


def verify_bundle(
    path: Path,
    inputs: Path | None = None,
    *,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Verification:
    """Compute all that a bundle holds again, from a folder or from the inputs in the bundle, and compare."""
    verification, _ = verify_with_evaluation(path, inputs, executor=executor, on_step=on_step)
    return verification


def verify_with_evaluation(
    path: Path,
    inputs: Path | None = None,
    *,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> tuple[Verification, Evaluation | None]:
    """The outcome for a bundle, and what was computed again; None where inputs are lacking."""
    bundle = read_bundle(path)
    if inputs is None and not bundle.inputs:
        return _compared(bundle, None, {}), None
    with _files_of(bundle, inputs) as files:
        campaign = _campaign(bundle, files, recorded_rejections=inputs is None)
        evaluation = evaluate(
            campaign, executor=executor, on_step=on_step, repaired=by_other_repairs
        )
    items = None
    if bundle.documents[EVALUATION].get("per_item"):
        items = items_of(evaluation, campaign)
    document = evaluation_document(evaluation, items)
    for_readers = bundle.documents[MANIFEST].get(EDITION) == FOR_READERS
    if for_readers:
        document = readers_data(document)
    made = bundle_files(
        evaluation,
        campaign,
        evaluation_texts(document),
        include_inputs=bundle.has_inputs,
        for_readers=for_readers,
    )
    verification = _compared(bundle, campaign, made)
    if inputs is None:
        verification = replace(verification, n_believed=len(bundle.believed))
    return verification, evaluation


def _files_of(bundle: Bundle, inputs: Path | None) -> Tree:
    """The inputs: those in the user's folder, or those that the bundle holds."""
    if inputs is not None:
        return _files_in(bundle, inputs)
    if lost := [path for path in bundle.digests if path not in bundle.inputs]:
        raise bad_bundle(bundle.path, f"it lacks the input {quoted(lost[0], 120)}")
    return HeldFiles({**_places_of_rejected(bundle), **bundle.inputs})


def _files_in(bundle: Bundle, folder: Path) -> Tree:
    """The files of a user's folder; where it has no files.csv and the bundle does, those that the bundle names.

    They were named on the command line or found out, and lie in the folder, in one around it, or in one below.
    """
    if FILES not in bundle.files or (folder / FILES).exists():
        return Tree(folder)
    held = {name: bundle.files[name] for name in (SETTINGS, FILES) if name in bundle.files}
    paths = [path for path in bundle.digests if path not in held and is_plain(path)]
    tops = {path.split("/")[0] for path in paths}
    for place in chain((folder, *folder.resolve().parents), _folders_below(folder)):
        if all((place / top).exists() for top in tops):
            return GivenTree(place, bundle.title, paths, held)
    return GivenTree(folder, bundle.title, paths, held)


def _folders_below(folder: Path) -> Iterator[Path]:
    """Some folders below one, down to three levels."""
    paths = chain.from_iterable(sorted(folder.glob(depth)) for depth in ("*", "*/*", "*/*/*"))
    return islice((path for path in paths if path.is_dir()), _MOST_PLACES)


def _places_of_rejected(bundle: Bundle) -> dict[str, bytes]:
    """Empty files in place of those that were rejected, so that whatever names them finds them."""
    files = {}
    for rejection in bundle.rejections:
        path = rejection.path
        is_folder = any(held.startswith(f"{path}/") for held in bundle.inputs)
        if path in bundle.believed and is_plain(path) and not is_folder:
            files[path] = b""
    return files


def _campaign(bundle: Bundle, files: Tree, *, recorded_rejections: bool) -> Campaign:
    """The campaign as read now, with what the bundle says was asked for on the command line.

    Files that are no input may come and go: which ones there were is taken from the bundle.
    """
    campaign = read_part(
        files, bundle.part, slug=bundle.task, title=bundle.title, strict=bundle.strict
    )
    believed = bundle.believed
    if recorded_rejections and believed:
        rejections = _merged(
            bundle.rejections, campaign.rejections, lambda rejection: rejection.path in believed
        )
        journal = _merged(bundle.journal, campaign.journal, lambda entry: entry.subject in believed)
        task = replace(campaign.task, assumptions=bundle.assumptions)
        campaign = replace(campaign, task=task, rejections=rejections, journal=journal)
    return replace(campaign, options=bundle.options, ignored=bundle.ignored)


def _merged(
    theirs: Iterable[Said], ours: Iterable[Said], is_believed: Callable[[Said], bool]
) -> tuple[Said, ...]:
    """The results found here and, where the bundle has it, what is believed."""
    found_here = iter([each for each in ours if not is_believed(each)])
    merged = []
    for each in theirs:
        if is_believed(each):
            merged.append(each)
        else:
            merged += islice(found_here, 1)
    return (*merged, *found_here)


def _input_issues(digests: Mapping[str, str], campaign: Campaign) -> Iterator[Issue]:
    """Inputs that are not those of the bundle: other bytes, missing, or not in the bundle."""
    here = {path: source.sha256 for path, source in input_files(campaign).items()}
    for path in sorted(digests.keys() | here.keys()):
        theirs = digests.get(path)
        ours = here.get(path)
        if theirs is None:
            yield Issue.of("input-differs", path, "the bundle has no such input")
        elif ours is None:
            yield Issue.of("input-differs", path, "it is missing, or rejected")
        elif theirs != ours:
            shown = visible(theirs[:_SHOWN])
            defect = f"its SHA-256 begins with {ours[:_SHOWN]}, the bundle's with {shown}"
            yield Issue.of("input-differs", path, defect)


def _compared(
    bundle: Bundle, campaign: Campaign | None, files: Mapping[str, bytes]
) -> Verification:
    """The outcome, with all that differs; nothing was computed where there is no campaign."""
    here = {**versions(), "platform": platform_name()}
    same_program = here["audit"] == bundle.versions.get("audit")
    broken_seal = list(_broken_seal(bundle))
    tolerance = 0.0
    left_out: frozenset[str] = frozenset()
    # Versions may only excuse last digits where they are those that were stated when the numbers were written.
    if here != bundle.versions and not broken_seal:
        tolerance = TOLERANCE
        left_out = _OF_MACHINE
        if not same_program:
            left_out = _OF_MACHINE | _OF_VERSION
    issues: list[Issue] = []
    found: list[Difference] = []
    n_numbers = 0
    if campaign is not None:
        issues += _input_issues(bundle.digests, campaign)
        found += _of_documents(bundle, files, left_out, {issue.file for issue in issues})
        n_numbers = count_numbers(json.loads(files[EVALUATION]))
    found += [*broken_seal, *own_differences(bundle, same_program=same_program)]
    sizes = [difference.size for difference in found if math.isfinite(difference.size)]
    return Verification(
        task=bundle.task,
        n_inputs=len(bundle.digests),
        issues=tuple(issues),
        recomputed=campaign is not None,
        n_numbers=n_numbers,
        differences=tuple(each for each in found if not is_within(each, tolerance)),
        near=tuple(each for each in found if is_within(each, tolerance)),
        tolerance=tolerance,
        largest_difference=max(sizes, default=0.0),
        bundle_versions=bundle.versions,
        versions=here,
    )


def _without_seal(file: bytes, document: Mapping[str, Any]) -> bytes:
    """The bytes of a document without its seal, which is compared by itself."""
    if document.get(SEAL):
        return file.replace(document[SEAL].encode(), b"", 1)
    return file


def _broken_seal(bundle: Bundle) -> Iterator[Difference]:
    """Whether a manifest's seal is not that of what it states and of the documents beside it."""
    manifest = bundle.documents[MANIFEST]
    seal = seal_of(manifest, bundle.files)
    if bundle.seal != seal:
        yield Difference((MANIFEST, SEAL), visible(bundle.seal[:_SHOWN]), seal[:_SHOWN])


def _of_documents(
    bundle: Bundle,
    files: Mapping[str, bytes],
    left_out: frozenset[str],
    different_inputs: Collection[str],
) -> Iterator[Difference]:
    """Differences between the bundle's documents and those made here, but for inputs known to differ."""
    for name, place in ((EVALUATION, ()), (MANIFEST, (MANIFEST,)), (JOURNAL, (JOURNAL,))):
        stated = bundle.documents[name]
        computed = json.loads(files[name])
        not_compared = left_out | {SEAL}  # which is that of what it seals, wherever that was made
        theirs = {key: value for key, value in stated.items() if key not in not_compared}
        ours = {key: value for key, value in computed.items() if key not in not_compared}
        if name == MANIFEST:
            for manifest in (theirs, ours):
                inputs = manifest["inputs"]
                manifest["inputs"] = [
                    each for each in inputs if each["path"] not in different_inputs
                ]
        of_document = list(differences(theirs, ours, place))
        yield from of_document
        if of_document or left_out or different_inputs:
            continue
        written = _without_seal(bundle.files[name], stated)
        made = _without_seal(files[name], computed)
        if written != made:
            yield of_bytes((name,), bundle.files[name], files[name])


_LISTED = 20
_BELIEVED = "What the bundle says of {}, and its assumptions, were taken as they are: inputs lack such files."
_SAME = {
    "same-as-printed": "the same to every printed digit, with other library versions",
    "same-within-tolerance": "the same within what other library versions change",
}


def verification_sentences(verification: Verification) -> list[str]:
    """The outcome of a verification, in words: inputs, then numbers, then the first of those that differ."""
    if verification.recomputed:
        sentences = list(_outcome_in_words(verification))
    else:
        sentences = list(_digests_in_words(verification))
    sentences += map(_sentence, verification.differences[:_LISTED])
    n_more = len(verification.differences) - _LISTED
    if n_more > 0:
        sentences.append(f"  and {n_more:,} more (--json lists them all)")
    return sentences


def _digests_in_words(verification: Verification) -> Iterator[str]:
    """What is said where nothing was computed."""
    n_inputs = plural(verification.n_inputs, "input")
    n_different = len(verification.differences)
    yield f"Nothing was recomputed: the bundle has the digests of {n_inputs}, not the inputs."
    yield "Name the folder that holds them: --inputs FOLDER."
    if n_different:
        things = f"{plural(n_different, 'thing')} {agreeing(n_different, 'is', 'are')}"
        yield f"In the bundle itself {things} not as it says:"


def _outcome_in_words(verification: Verification) -> Iterator[str]:
    n_issues = len(verification.issues)
    if n_issues:
        inputs = f"{plural(n_issues, 'input')} {agreeing(n_issues, 'is', 'are')}"
        yield f"{inputs} not as in the bundle, which has {verification.n_inputs:,}."
    else:
        yield f"All {plural(verification.n_inputs, 'input')} are the bundle’s, byte for byte."
    if verification.n_believed:
        yield _BELIEVED.format(plural(verification.n_believed, "rejected file"))
    changed = []
    for name in dict.fromkeys([*verification.bundle_versions, *verification.versions]):
        theirs = verification.bundle_versions.get(name, "none")
        ours = verification.versions.get(name, "none")
        if theirs != ours:
            changed.append(f"{visible(name, 40)} {visible(theirs, 40)}, here {ours}")
    if changed:
        yield f"The bundle was made with {'; '.join(changed)}."
    yield _numbers_sentence(verification)


def _numbers_sentence(verification: Verification) -> str:
    rule = f"tolerance {TOLERANCE:g}, of draws {TOLERANCE_OF_DRAWS:g}"
    if not verification.tolerance:
        rule = "exact equality expected"
    size = verification.largest_difference
    n_different = len(verification.differences)
    if size:
        largest = f"largest difference {size:.3g}"
    else:
        largest = "no difference"
    same = _SAME.get(verification.outcome, "all the same")
    if n_different:
        found = f"{plural(n_different, 'value')} {agreeing(n_different, 'differs', 'differ')}"
    else:
        found = same
    return f"Recomputed {plural(verification.n_numbers, 'number')}: {found} ({rule}; {largest})."


def _sentence(difference: Difference) -> str:
    place = " / ".join(visible(part, 60) for part in difference.place)
    values = []
    for value in (difference.bundle, difference.here):
        if value is None:
            values.append("nothing")
        else:
            values.append(visible(str(value), 80))
    digits = ""
    if math.isfinite(difference.size):
        n_same = max(0, math.floor(-math.log10(2 * difference.size)))
        digits = f" (same to {plural(n_same, 'decimal')})"
    return f"  {place}: bundle {', here '.join(values)}{digits}"


def verification_data(verification: Verification) -> dict[str, Any]:
    """The outcome of a verification, as plain data."""
    found = []
    for difference in verification.differences:
        size = None
        if math.isfinite(difference.size):
            size = difference.size
        found.append({**picked(difference, "place", "bundle", "here"), "size": size})
    return {
        **picked(verification, "task", "outcome", "same", "recomputed", inputs="n_inputs"),
        "inputs_that_differ": [picked(issue, "file", "found") for issue in verification.issues],
        "numbers": verification.n_numbers,
        **picked(verification, "tolerance", "largest_difference"),
        "differences": found,
        **picked(verification, "bundle_versions", "versions"),
    }
