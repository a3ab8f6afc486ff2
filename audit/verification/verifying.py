"""From a bundle and its inputs to an answer: are these the inputs, and are these their numbers."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from audit.domain import Campaign
from audit.errors import Issue
from audit.evaluation import evaluate
from audit.execution import THIS_PROCESS, Executor, Steps
from audit.formats import read_campaign
from audit.report import to_json
from audit.report.bundle import evaluation_document, input_files, items_of, platform_name
from audit.text import visible
from audit.verification.bundle_reading import Bundle, bad_bundle, read_bundle
from audit.verification.comparing import Difference, count_numbers, differences, is_within
from audit.verification.unpacking import write_inputs
from audit.version import versions

TOLERANCE = 1e-9
"""Largest difference, relative for numbers beyond 1, that another machine or library may make in the last digits."""

_DIGEST_SHOWN = 12
_NOT_COMPARED = frozenset({"program", "task", "title", "assumptions", "ignored", "journal"})
"""What depends on the folder's name, on how files were read, or on what else lies in the folder, and is no number."""


@dataclass(frozen=True)
class Verification:
    """The outcome of a verification.

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


def verify_bundle(
    path: Path,
    inputs: Path | None = None,
    *,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Verification:
    """Compute a bundle's numbers again, from a folder or from the inputs in the bundle, and compare.

    Parameters
    ----------
    path : Path
        The bundle.
    inputs : Path, optional
        The campaign's folder; without it the inputs inside the bundle, if there are any.
    executor : Executor
        Computes over blocks of items, where a campaign is large.
    on_step : callable, optional
        As in :func:`audit.evaluation.evaluate`.

    Raises
    ------
    InputError
        bad-bundle, or what is wrong with the inputs so that nothing can be computed from them.
    """
    bundle = read_bundle(path)
    if inputs is None and not bundle.inputs:
        return _compared(bundle, None, None)
    with _folder_of(bundle, inputs) as folder:
        campaign = _campaign(bundle, folder, recorded_rejections=inputs is None)
        evaluation = evaluate(campaign, executor=executor, on_step=on_step)
    items = items_of(evaluation, campaign) if bundle.document.get("per_item") else None
    return _compared(bundle, campaign, json.loads(to_json(evaluation_document(evaluation, items))))


# The inputs


@contextmanager
def _folder_of(bundle: Bundle, inputs: Path | None) -> Iterator[Path]:
    """The folder of the inputs: the user's, or a temporary one with those of the bundle."""
    if inputs is not None:
        yield inputs
        return
    with TemporaryDirectory() as name:
        folder = Path(name) / "inputs"
        try:
            folder.mkdir()
            write_inputs(folder, bundle.inputs)
        except (OSError, ValueError) as error:
            raise bad_bundle(bundle.path, visible(str(getattr(error, "strerror", None) or error), 200)) from None
        yield folder


def _campaign(bundle: Bundle, folder: Path, *, recorded_rejections: bool) -> Campaign:
    """The campaign as read now, with what the bundle says was asked for on the command line."""
    campaign = read_campaign(folder, skip_rejected=True, strict=bundle.strict)
    if recorded_rejections:  # a rejected file is in no bundle
        campaign = replace(campaign, rejections=bundle.rejections)
    return replace(campaign, options=bundle.options)


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
            found = f"its SHA-256 begins with {ours[:_DIGEST_SHOWN]}, the bundle's with {shown}"
            yield Issue.of("input-differs", path, found)


# The numbers


def _compared(bundle: Bundle, campaign: Campaign | None, document: dict[str, Any] | None) -> Verification:
    here = {**versions(), "platform": platform_name()}
    tolerance = 0.0 if here == bundle.versions else TOLERANCE
    not_compared = _NOT_COMPARED if here["audit"] == bundle.versions.get("audit") else {*_NOT_COMPARED, "signature"}
    theirs, ours = (_without(each, not_compared) for each in (bundle.document, document or {}))
    found = [] if document is None else list(differences(theirs, ours))
    sizes = [difference.size for difference in found if math.isfinite(difference.size)]
    return Verification(
        task=bundle.task,
        n_inputs=len(bundle.digests),
        issues=() if campaign is None else tuple(_input_issues(bundle.digests, campaign)),
        recomputed=document is not None,
        n_numbers=count_numbers(ours),
        differences=tuple(each for each in found if not is_within(each, tolerance)),
        tolerance=tolerance,
        largest_difference=max(sizes, default=0.0),
        bundle_versions=bundle.versions,
        versions=here,
    )


def _without(document: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in names}
