"""Label codes and arrays as bytes, and the digests by which the store knows what it holds.

The digests are part of the schema: whoever changes how they are made writes a migration.
"""

import hashlib
import json
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, fields, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.domain import (
    DEFAULT_POLICIES,
    DEFAULT_RESAMPLING,
    STRICT_POLICIES,
    Campaign,
    Gold,
    JournalEntry,
    Origin,
    Policies,
    Published,
    Role,
    SourceFile,
    Submission,
    Task,
    code_dtype,
)
from audit.errors import Issue, UsageError
from audit.text import quoted


def canonical(codes: NDArray[Any], n_codes: int, n_classes: int) -> NDArray[np.unsignedinteger]:
    """Codes in the type that the store packs.

    Parameters
    ----------
    codes : ndarray of int, shape (N,)
        Label codes of any integer type.
    n_codes : int
        How many codes there are: C in gold, C + 2 in a submission.
    n_classes : int
        C, which decides the type.

    Raises
    ------
    ValueError
        Where a code is none, or there is no item.

    Examples
    --------
    >>> canonical(np.array([0, 3]), 4, 2)
    array([0, 3], dtype=uint8)
    """
    if codes.ndim != 1 or not codes.size:
        raise ValueError("no row of label codes")
    lowest, highest = int(codes.min()), int(codes.max())
    if lowest < 0 or highest >= n_codes:
        raise ValueError(f"label codes from {lowest} to {highest} in place of 0 to {n_codes - 1}")
    return np.ascontiguousarray(codes, dtype=code_dtype(n_classes))


def canonical_campaign(campaign: Campaign) -> Campaign:
    """The campaign, with its codes in the type that the store packs.

    Raises
    ------
    UsageError
        When it contradicts itself: such a one comes from a call, not from files.
    """
    slug, n_classes = quoted(campaign.task.slug), len(campaign.task.label_set)
    for wrong, what in _contradictions(campaign):
        if wrong:
            raise UsageError(f"The campaign {slug} cannot be saved: {what}.")
    try:
        gold = _canonical_gold(campaign.gold)
        submissions = tuple(
            replace(submission, codes=canonical(submission.codes, n_classes + 2, n_classes))
            for submission in campaign.submissions
        )
    except ValueError as error:
        raise UsageError(f"The campaign {slug} cannot be saved: {error}.") from error
    return replace(campaign, gold=gold, submissions=submissions)


def _canonical_gold(gold: Gold) -> Gold:
    n_classes = len(gold.label_set)
    groups = None if gold.groups is None else gold.groups.astype(np.int64, copy=False)
    return replace(gold, codes=canonical(gold.codes, n_classes, n_classes), groups=groups)


def _contradictions(campaign: Campaign) -> Iterator[tuple[bool, str]]:
    gold, submissions, published = campaign.gold, campaign.submissions, campaign.published
    names = {(submission.team, submission.run) for submission in submissions}
    sizes = {submission.codes.size for submission in submissions}
    yield gold.label_set != campaign.task.label_set, "its task and its gold have different label sets"
    yield gold.item_ids is not None and len(set(gold.item_ids)) != gold.n_items, "gold has not one id for each item"
    yield gold.groups is not None and gold.groups.shape != gold.codes.shape, "gold has not one group for each item"
    yield len(names) != len(submissions), "two submissions have one name"
    yield not sizes <= {gold.n_items}, "a submission has not one answer for each item"
    uneven = published and any(len(column.scores) != len(published.teams) for column in published.columns)
    yield bool(uneven), "a column of its published scores has not one place for each team"
    yield campaign.task.part is not None and campaign.task.family is None, "it is a part of no family"


def unpacked(packed: bytes, n_items: int, n_classes: int) -> NDArray[np.unsignedinteger]:
    """A submission's codes from its bytes, read-only, shape (N,).

    Raises
    ------
    ValueError
        Where their number is wrong, or a code is none.
    """
    codes = np.frombuffer(packed, code_dtype(n_classes))
    if codes.size != n_items:
        raise ValueError(f"{codes.size} label codes for {n_items} items")
    return canonical(codes, n_classes + 2, n_classes)


def deflated(array: NDArray[Any]) -> bytes:
    """An array's numbers as little-endian float64, row by row, deflated.

    Examples
    --------
    >>> inflated(deflated(np.array([[True, False]])), (1, 2))
    array([[1., 0.]])
    """
    return zlib.compress(float_bytes(array))


def inflated(compressed: bytes, shape: Sequence[int]) -> NDArray[np.float64]:
    """The numbers of an array of this shape, to the last bit.

    Raises
    ------
    ValueError
        Where the bytes are not those of such an array.
    """
    content = inflated_bytes(compressed, prod(shape) * 8)
    return np.frombuffer(content, "<f8").astype(np.float64, copy=False).reshape(shape)


def inflated_bytes(compressed: bytes, size: int) -> bytes:
    """So many bytes; never more than one more is inflated.

    Raises
    ------
    ValueError
        Where there are more or fewer of them, or they are damaged.
    """
    try:
        content = zlib.decompressobj().decompress(compressed, min(max(size, 0), sys.maxsize - 1) + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if len(content) != size:
        raise ValueError(f"{len(content)} bytes in place of {size}")
    return content


def whole_numbers(text: str) -> tuple[int, ...]:
    """The numbers of a JSON array of integers, which is the only JSON that is read back.

    Raises
    ------
    ValueError
        Where the text is something else, however deep.

    Examples
    --------
    >>> whole_numbers("[3, 14]")
    (3, 14)
    """
    if not _WHOLE_NUMBERS.fullmatch(text):
        raise ValueError("no list of whole numbers")
    return tuple(map(int, filter(None, text[1:-1].split(", "))))


_WHOLE_NUMBERS = re.compile(r"\[(?:-?[0-9]+(?:, -?[0-9]+)*)?\]")


def float_bytes(array: NDArray[Any]) -> bytes:
    """An array's numbers as little-endian float64, row by row."""
    return np.ascontiguousarray(array, "<f8").tobytes()


def fingerprint_of_submission(submission: Submission) -> str:
    """SHA-256 of everything a submission says; its codes are canonical."""
    return _digest(
        submission.team,
        submission.run,
        hashlib.sha256(submission.codes.tobytes()).hexdigest(),
        submission.unusable_labels,
        [_kept(issue) for issue in submission.issues],
        _identity(submission.source),
        *_standing(submission),
    )


def _standing(submission: Submission) -> Iterator[Any]:
    """What a run is and who is behind it; by default nothing, as of older revisions."""
    if submission.role is not Role.PRIMARY:
        yield "role", submission.role
    if submission.origin != Origin():
        yield "origin", astuple(submission.origin)


def fingerprint_of_campaign(campaign: Campaign, submissions: Iterable[str]) -> str:
    """SHA-256 of everything a campaign says, given the fingerprints of its submissions in their order.

    The journal is no part of it: a program that words an entry in another way reads the same campaign.
    """
    return _digest(
        *_settings(campaign.task),
        gold_digest(campaign.gold),
        _identity(campaign.gold.source),
        list(submissions),
        [(rejection.path, tuple(map(_kept, rejection.issues))) for rejection in campaign.rejections],
        campaign.ignored,
        _identity(campaign.settings),
        *_published(campaign.published),
    )


def _published(published: Published | None) -> Iterator[Any]:
    """The published scores; by default nothing, as of older revisions."""
    if published is not None:
        yield "published", _identity(published.source), published.path, published.teams, published.set_aside
        yield [(column.heading, [score and astuple(score) for score in column.scores]) for column in published.columns]


def _kept(issue: Issue) -> tuple[Any, ...]:
    """What the store keeps of an issue: all but the ids of its items."""
    return tuple(getattr(issue, each.name) for each in fields(issue) if each.compare)


def _settings(task: Task) -> Iterator[Any]:
    """All that a task says; by default nothing that an older revision did not know, so that fingerprints stay."""
    yield from (task.slug, task.title, astuple(task.label_set), task.official_metric and astuple(task.official_metric))
    yield from (task.official_decimals, task.policies == STRICT_POLICIES)
    yield from (list(map(astuple, task.prevalences)), task.assumptions)
    if task.resampling != DEFAULT_RESAMPLING:
        yield astuple(task.resampling)
    if task.policies not in (DEFAULT_POLICIES, STRICT_POLICIES):
        yield "policies", _said(task.policies), list(map(astuple, task.policies.chosen))
    if task.family is not None:
        yield "family", task.family, task.part


def _said(policies: Policies) -> dict[str, str]:
    """The policies that differ from the default, so that a policy that is new one day changes no fingerprint."""
    return {slug: getattr(policies, slug) for slug in policies.differences}


def journal_digest(journal: Iterable[JournalEntry]) -> str:
    """SHA-256 of a journal."""
    return _digest(*map(astuple, journal))


def gold_digest(gold: Gold) -> str:
    """The digest of gold whose codes are canonical, whatever type they come in."""
    return _canonical_gold(gold).digest()


def _identity(source: SourceFile | None) -> tuple[str, str, int] | None:
    return (source.path, source.sha256, source.size) if source else None


def _digest(*parts: Any) -> str:  # noqa: ANN401 - whatever JSON writes
    return hashlib.sha256(json.dumps(parts, default=int).encode("ascii")).hexdigest()
