"""A campaign's bundle verified whole: the bundle of each track, then what was computed over all tracks."""

import json
import math
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from audit.execution import THIS_PROCESS, Executor, Steps
from audit.findings.campaign import CampaignFindings
from audit.formats.files.archives import BROKEN_ARCHIVE
from audit.verification.bundle_reading import bad_bundle, unpacked
from audit.verification.verifying import (
    Difference,
    Verification,
    count_numbers,
    differences,
    is_within,
    verify_bundle,
    verify_with_evaluation,
)
from audit.writers.bundle.archive import SUMS, sums
from audit.writers.bundle.campaign_folder import CAMPAIGN, TRACKS
from audit.writers.data.campaign_data import campaign_data
from audit.writers.data.export import to_json

if TYPE_CHECKING:
    from audit.errors import Issue


def verify_any(
    path: Path,
    inputs: Path | None = None,
    *,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Verification:
    """Compute all that a bundle holds again, of one task or of a campaign, and compare."""
    if _is_of_campaign(path):
        return verify_campaign(path, inputs, executor=executor, on_step=on_step)
    return verify_bundle(path, inputs, executor=executor, on_step=on_step)


def _is_of_campaign(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return CAMPAIGN in archive.namelist()
    except BROKEN_ARCHIVE:
        return False  # reading it as a bundle says what is wrong


def verify_campaign(
    path: Path,
    inputs: Path | None = None,
    *,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Verification:
    """The outcome for all tracks together, each difference with its track, and for what stands over all of them."""
    files = unpacked(path)
    outcomes = {}
    evaluations = []
    with TemporaryDirectory() as folder:
        for name in _track_files(path, files):
            place = Path(folder) / "track.zip"
            place.write_bytes(files[name])
            outcome, evaluation = verify_with_evaluation(
                place, inputs, executor=executor, on_step=on_step
            )
            outcomes[name] = outcome
            evaluations.append(evaluation)
    computed = [evaluation for evaluation in evaluations if evaluation is not None]
    is_whole = len(computed) == len(evaluations)
    found = None
    if is_whole:
        found = CampaignFindings(computed)
    return _together(files, outcomes, found)


def _track_files(path: Path, files: Mapping[str, bytes]) -> list[str]:
    """The bundles of the tracks, in the campaign's order."""
    try:
        tasks = [track["task"] for track in json.loads(files[CAMPAIGN])["tracks"]]
    except (ValueError, KeyError, TypeError):
        raise bad_bundle(path, f"its {CAMPAIGN} does not list the tracks") from None
    names = [name for name in files if name.startswith(f"{TRACKS}/") and name.endswith(".zip")]
    if len(names) != len(tasks) or not names:
        raise bad_bundle(path, f"it has {len(names)} bundles of tracks for {len(tasks)} tracks")
    by_task = {_task_of(path, files[name]): name for name in names}
    if set(by_task) != set(tasks):
        raise bad_bundle(path, "the bundles of its tracks are not those that it lists")
    return [by_task[task] for task in tasks]


def _task_of(path: Path, content: bytes) -> str:
    """The task of a track's bundle."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            return str(json.loads(archive.read("manifest.json"))["task"])
    except (*BROKEN_ARCHIVE, ValueError, KeyError, TypeError):
        raise bad_bundle(path, "the bundle of a track cannot be read") from None


def _together(
    files: Mapping[str, bytes], outcomes: Mapping[str, Verification], found: CampaignFindings | None
) -> Verification:
    """One outcome of all: of the tracks, and of what stands over all of them."""
    tolerance = max(outcome.tolerance for outcome in outcomes.values())
    theirs = json.loads(files[CAMPAIGN])
    own = list(_own_differences(files))
    n_numbers = 0
    if found is not None:
        ours = json.loads(to_json(campaign_data(found)))
        # what the store calls it follows from its folder's name
        ours["campaign"] = theirs.get("campaign")
        own += differences(theirs, ours, (CAMPAIGN,))
        n_numbers = count_numbers(ours)
    sizes = [each.size for each in own if math.isfinite(each.size)]
    issues: list[Issue] = []
    found_differences: list[Difference] = []
    near: list[Difference] = []
    for name, outcome in outcomes.items():
        issues += outcome.issues
        for each in outcome.differences:
            found_differences.append(replace(each, place=(name, *each.place)))
        near += outcome.near
        sizes.append(outcome.largest_difference)
        n_numbers += outcome.n_numbers
    for each in own:
        if is_within(each, tolerance):
            near.append(each)
        else:
            found_differences.append(each)
    first = next(iter(outcomes.values()))
    return replace(
        first,
        task=str(theirs.get("campaign") or first.task),
        n_inputs=sum(outcome.n_inputs for outcome in outcomes.values()),
        issues=tuple(issues),
        recomputed=found is not None,
        n_numbers=n_numbers,
        differences=tuple(found_differences),
        near=tuple(near),
        tolerance=tolerance,
        largest_difference=max(sizes, default=0.0),
        n_believed=sum(outcome.n_believed for outcome in outcomes.values()),
    )


def _own_differences(files: Mapping[str, bytes]) -> list[Difference]:
    """Files of other bytes than the bundle's list of digests says."""
    made = sums({name: content for name, content in files.items() if name != SUMS})
    if files.get(SUMS) == made:
        return []
    return [Difference((SUMS,), "other digests", "those of the files")]
