"""Label codes as bytes, and the digests by which the store knows what it holds.

The digests are part of the schema: once a version is released, whoever changes how they are made writes a migration.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import astuple, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.domain import (
    MOST_SLICES,
    Campaign,
    Feature,
    Gold,
    JournalEntry,
    PackedCodes,
    Published,
    Rejection,
    SourceFile,
    Submission,
    code_dtype,
)
from audit.domain.arrays import Codes, Floats
from audit.errors import Issue, UsageError
from audit.text import quoted


def canonical(codes: NDArray[Any], n_codes: int, n_classes: int) -> NDArray[np.unsignedinteger]:
    """Codes in the type that the store packs.

    >>> canonical(np.array([0, 3]), 4, 2)
    array([0, 3], dtype=uint8)
    """
    if codes.ndim != 1 or not codes.size:
        raise ValueError("no row of label codes")
    lowest = int(codes.min())
    highest = int(codes.max())
    if lowest < 0 or highest >= n_codes:
        raise ValueError(f"label codes from {lowest} to {highest} in place of 0 to {n_codes - 1}")
    return np.ascontiguousarray(codes, dtype=code_dtype(n_classes))


def canonical_campaign(campaign: Campaign) -> Campaign:
    """The campaign, with its codes in the type that the store packs; parts of composite ids may make one of two."""
    ids = campaign.gold.item_ids
    gold = _canonical_gold(campaign.gold)
    if ids is not None and len(set(ids)) < len(ids):
        raise UsageError(
            f"The campaign {quoted(campaign.task.slug)} cannot be saved: two items have one id."
        )
    submissions = tuple(
        replace(each, given=_canonical_codes(each, gold)) for each in campaign.submissions
    )
    return replace(campaign, gold=gold, submissions=submissions)


def _canonical_codes(submission: Submission, gold: Gold) -> Codes | PackedCodes:
    """The codes of a submission beside canonical gold, as bits where sets are scored."""
    n_classes = len(gold.label_set)
    codes = canonical(submission.codes, n_classes + 2 + bool(gold.label_set.scale), n_classes)
    if gold.own is None:
        return codes
    return PackedCodes.of(codes, gold.own)


def _canonical_gold(gold: Gold) -> Gold:
    n_classes = len(gold.label_set)
    if gold.own is None:
        own = None
    else:
        own = canonical(gold.own, n_classes, n_classes)
    if gold.groups is None:
        groups = None
    else:
        groups = gold.groups.astype(np.int64, copy=False)
    slices = tuple(
        replace(column, codes=canonical(column.codes, len(column.values), MOST_SLICES))
        for column in gold.slices
    )
    return replace(
        gold,
        codes=canonical(gold.codes, n_classes, n_classes),
        groups=groups,
        slices=slices,
        own=own,
    )


def unpacked(packed: bytes, n_items: int, n_classes: int) -> Codes:
    """Codes of labels, or of none, from their bytes, read-only, shape (N,)."""
    codes = np.frombuffer(packed, code_dtype(n_classes))
    if codes.size != n_items:
        raise ValueError(f"{codes.size} label codes for {n_items} items")
    return canonical(codes, n_classes + 3, n_classes)


def unpacked_bits(packed: bytes, own: Codes) -> PackedCodes:
    """A submission's codes of items with labels of their own from its bits, which have to be canonical."""
    held = PackedCodes(packed, own)
    if PackedCodes.of(held.codes, own).bits != packed:
        raise ValueError("bits that no label codes are packed to")
    return held


def shape_of_scores(campaign: Campaign) -> tuple[int, ...]:
    """The shape of a submission's scores of items, or of units with sets: a row for each where labels are several."""
    n_items = campaign.gold.n_units
    n_labels = len(campaign.task.scored_labels)
    if campaign.task.label_set.supports(Feature.NUMBERS):
        n_labels = max(1, len(campaign.task.label_set.columns))
    if n_labels == 1:
        return (n_items,)
    return (n_items, n_labels)


def packed_numbers(numbers: Floats | None) -> bytes | None:
    """Numbers of items as bytes; None where there are none."""
    if numbers is None:
        return None
    return numbers.astype("<f8").tobytes()


def unpacked_numbers(packed: bytes | None, n_items: int) -> Floats | None:
    """Numbers of items from their bytes, read-only, shape (N,); None where there are none."""
    if packed is None:
        return None
    numbers = unpacked_scores(packed)
    if numbers.size != n_items:
        raise ValueError(f"{numbers.size} numbers for {n_items} items")
    return numbers


def unpacked_scores(packed: bytes) -> NDArray[np.float64]:
    """A submission's scores of items from their bytes, read-only, one after the other."""
    scores = np.frombuffer(packed, "<f8")
    if not scores.size or not np.isfinite(scores).all():
        raise ValueError("not a finite score for each item")
    return scores


def fingerprint_of_submission(submission: Submission) -> str:
    """SHA-256 of everything a submission says, except for the words of its issues; its codes are canonical."""
    return _digest(
        submission.team,
        submission.run,
        hashlib.sha256(submission.codes.tobytes()).hexdigest(),
        submission.unusable_labels,
        list(map(_facts, submission.issues)),
        _identity(submission.source),
        submission.role,
        astuple(submission.origin),
        *(
            []
            if submission.scores is None
            else [hashlib.sha256(submission.scores.astype("<f8").tobytes()).hexdigest()]
        ),
    )


def fingerprint_of_campaign(campaign: Campaign, submissions: Iterable[str]) -> str:
    """SHA-256 of everything a campaign says, given the fingerprints of its submissions in their order.

    What the program says of it in words is no part of it, nor are the options of evaluating: a version that words a
    sentence in another way reads the same campaign.
    """
    task = campaign.task
    gold = campaign.gold
    # Those that differ from the default alone, so that a policy that is new one day changes no fingerprint.
    decided = {slug: getattr(task.policies, slug) for slug in task.policies.differences}
    return _digest(
        *(
            task.slug,
            task.title,
            task.note,
            astuple(task.label_set),
            task.official_metric and astuple(task.official_metric),
        ),
        *(task.official_decimals, decided, list(map(astuple, task.policies.chosen))),
        *(list(map(astuple, task.prevalences)), task.family, task.part, task.overall, task.weight),
        *(gold_digest(gold), _identity(gold.source), _identity(gold.group_file)),
        list(submissions),
        [
            (rejection.path, list(map(_facts, rejection.issues)))
            for rejection in campaign.rejections
        ],
        campaign.ignored,
        *map(_identity, (campaign.settings, campaign.label_names_file, campaign.roster)),
        list(map(_published, campaign.published)),
        *task.scored_labels,
        *([] if task.door == "task.toml" else [task.door]),
        *([] if gold.own is None else [hashlib.sha256(gold.own.tobytes()).hexdigest()]),
        *map(_identity, campaign.further_files),
    )


def _published(published: Published) -> list[Any]:
    columns = list(map(astuple, published.columns))
    return [
        _identity(published.source),
        published.path,
        published.teams,
        published.set_aside,
        columns,
    ]


def _facts(issue: Issue) -> tuple[Any, ...]:
    """The facts of an issue of a file, without the words for it."""
    return issue.slug, issue.file, issue.lines, issue.count, issue.fatal


def _words(issue: Issue) -> tuple[str, ...]:
    return issue.found, issue.expected, issue.remedy


def words_of_load(
    journal: Iterable[JournalEntry], assumptions: Iterable[str], rejections: Iterable[Rejection]
) -> str:
    """SHA-256 of what the program says of a load in words: journal, assumptions, and the issues of rejections."""
    issues = [_words(issue) for rejection in rejections for issue in rejection.issues]
    return _digest(list(map(astuple, journal)), list(assumptions), issues)


def words_of_submission(issues: Iterable[Issue]) -> str:
    """SHA-256 of the words of a submission's issues."""
    return _digest(list(map(_words, issues)))


def gold_digest(gold: Gold) -> str:
    """The digest of gold whose codes are canonical, whatever type they come in."""
    return _canonical_gold(gold).digest()


def _identity(source: SourceFile | None) -> tuple[str, str, int] | None:
    if source:
        return (source.path, source.sha256, source.size)
    return None


def _digest(*parts: Any) -> str:  # noqa: ANN401 - whatever JSON writes
    return hashlib.sha256(json.dumps(parts, default=int).encode("ascii")).hexdigest()
