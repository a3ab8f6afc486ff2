"""What reading one file did, for the campaign's journal."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from audit.domain import Gold, JournalEntry, Policies, Rejection
from audit.errors import Issue
from audit.formats.table.parsed import Table
from audit.text import listed, plural, quoted

_POLICY_OF: Mapping[str, str] = {
    "duplicate-item": "duplicates",
    "extra-item": "extra",
    "missing-item": "missing",
    "missing-label": "missing",
    "unusable-label": "unusable",
}
"""The policy that lets each kind of defect pass."""

_EFFECT_OF = {"wrong": ", counted as unanswered", "drop": ", left out of its scores"}


def journal_of(
    path: str, table: Table, issues: Iterable[Issue] = (), policies: Policies | None = None
) -> tuple[JournalEntry, ...]:
    """How a file was read, what was repaired in it, and what the policies decided."""
    decided = () if policies is None else _decided(path, list(issues), policies)
    return (_read(path, table), *_repaired(path, table), *decided)


def journal_of_gold(path: str, table: Table, gold: Gold) -> tuple[JournalEntry, ...]:
    """How gold was read, what was repaired in it, and which of its items belong together."""
    read, *repaired = journal_of(path, table)
    groups = "" if gold.groups is None else f"; {len(np.unique(gold.groups)):,} groups of items, by {gold.unit}"
    stratified = "; class counts fixed by design" if gold.stratified else ""
    cut = "".join(f"; cut by {quoted(column.name)} into {len(column.values)} parts" for column in gold.slices)
    entry = replace(read, text=f"{table.layout}{groups}{stratified}{cut}.")
    file = gold.group_file
    of_file = [] if file is None else [JournalEntry("read", file.path, f"The groups of items, by {gold.unit}.")]
    return (entry, *repaired, *_rounded(path, table), *of_file)


def journal_of_rejection(rejection: Rejection) -> JournalEntry:
    """The journal of a file that was not accepted, with its issues.

    >>> issues = [Issue.of("extra-item", "A.csv", "gold has no such id", lines=[line]) for line in (2, 3)]
    >>> journal_of_rejection(Rejection("A.csv", tuple(issues))).text
    'Not accepted: extra-item (2).'
    """
    counts: Counter[str] = Counter()
    for issue in rejection.issues:
        counts[issue.slug] += issue.count if issue.fatal else 0
    reasons = [f"{slug} ({count:,})" for slug, count in counts.items() if count]
    return JournalEntry("rejected", rejection.path, f"Not accepted: {listed(reasons)}.", counts.total())


def _read(path: str, table: Table) -> JournalEntry:
    return JournalEntry("read", path, f"{table.layout}.", len(table.labels))


def _repaired(path: str, table: Table) -> Iterator[JournalEntry]:
    for spelling, label, count in table.respelt:
        meant = f"as {quoted(label)}" if label else "as no answer"
        yield JournalEntry("repaired", path, f"{quoted(spelling)} was read {meant}, as task.toml says.", count)


def _rounded(path: str, table: Table) -> Iterator[JournalEntry]:
    """The entry for ids of gold that a spreadsheet rounded, and that still differ."""
    for issue in table.issues:
        if issue.slug == "doubtful-id":
            text = f"{issue.found[:1].upper()}{issue.found[1:]}; each is there once, and files are joined by them."
            yield JournalEntry("decided", path, text, issue.count)


def _decided(path: str, issues: Sequence[Issue], policies: Policies) -> Iterator[JournalEntry]:
    """The entries for issues that a policy forgives; labels outside the label set are one entry."""
    for issue in issues:
        if issue.slug == "doubtful-id" and not issue.fatal:
            yield JournalEntry("decided", path, f"{issue.found[:1].upper()}{issue.found[1:]}.", issue.count)
    passed = [issue for issue in issues if issue.slug in _POLICY_OF and not issue.fatal]
    for issue in passed:
        if issue.slug != "unusable-label":
            yield _by_policy(path, issue.slug, issue.found.rstrip("."), issue.count, policies)
    unusable = sum(issue.count for issue in passed if issue.slug == "unusable-label")
    if unusable:
        defect = f"{plural(unusable, 'answer')} outside the label set"
        yield _by_policy(path, "unusable-label", defect, unusable, policies)


def _by_policy(path: str, slug: str, defect: str, count: int, policies: Policies) -> JournalEntry:
    policy = _POLICY_OF[slug]
    value = getattr(policies, policy)
    text = f"{defect}{_EFFECT_OF.get(value, '')}, by the policy {policy} = {quoted(value)}."
    return JournalEntry("decided", path, text[:1].upper() + text[1:], count)
