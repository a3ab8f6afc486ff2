"""A table and gold → the label codes of a submission in gold order, with every defect of it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import chain, compress, filterfalse, repeat

import numpy as np
from numpy.typing import NDArray

from audit.domain import DEFAULT_POLICIES, Gold, Policies, code_dtype
from audit.domain.campaign import Codes
from audit.errors import Issue
from audit.formats.issues import MOST_LINES, MOST_OF_A_KIND, capped, repeated_ids
from audit.formats.reading import Table
from audit.text import did_you_mean, listed, plural, quoted

_SHOWN_IDS = 5
_SHOWN_LABELS = 5
_SHOWN_NEIGHBOURS = 5
_REJECTED_REMEDY = 'the policy rejects it: ask the team for the answers, or write under [policies]: {policy} = "wrong"'
_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(?:[.,][0-9]{1,40})?")
_MOST_NEIGHBOURS = 2000  # difflib compares one by one


@dataclass(frozen=True, eq=False)
class Target:
    """Gold as submissions are aligned with it.

    Parameters
    ----------
    gold : Gold
        The gold labels.
    """

    gold: Gold

    @cached_property
    def ids(self) -> list[str] | None:
        """The ids as a list, which compares fastest with another."""
        return None if self.gold.item_ids is None else list(self.gold.item_ids)

    @cached_property
    def position_of(self) -> dict[str, int] | None:
        """Id → position."""
        return None if self.ids is None else dict(zip(self.ids, range(len(self.ids)), strict=True))

    @cached_property
    def code_of(self) -> dict[str, int]:
        """Label → code; no label is the code *missing*."""
        return {**self.gold.label_set.code_of, "": self.missing}

    @property
    def missing(self) -> int:
        """The code of an item without a label."""
        return len(self.gold.label_set)

    @property
    def unusable(self) -> int:
        """The code of an item whose label is outside the label set."""
        return self.missing + 1

    def encode(self, labels: Sequence[str]) -> Codes:
        """Labels as codes."""
        codes = map(self.code_of.get, labels, repeat(self.unusable))
        return np.fromiter(codes, code_dtype(self.missing), len(labels))


@dataclass(frozen=True, eq=False)
class Aligned:
    """A submission in gold order: its codes, the labels outside the label set with their counts, and its issues.

    The codes are None where the rows cannot be aligned.
    """

    codes: Codes | None
    unusable_labels: tuple[tuple[str, int], ...]
    issues: tuple[Issue, ...]


def align(table: Table, target: Target, path: str, policies: Policies = DEFAULT_POLICIES) -> Aligned:
    """Put a table into gold order.

    Parameters
    ----------
    table : Table
        Ids and labels as read.
    target : Target
        Gold.
    path : str
        The file, for issues.
    policies : Policies
        Which defects are fatal.

    Returns
    -------
    Aligned
        With a fatal issue wherever the file must be rejected.
    """
    codes = target.encode(table.labels)
    placed, defects = (
        _by_position(table, codes, target, path) if table.ids is None else _by_id(table, codes, target, path)
    )
    defects = [*table.issues, *defects]
    if placed is not None and not defects and placed.min(initial=target.missing) >= target.missing:
        return Aligned(None, (), (_no_usable_answer(table, codes, target, path),))
    unanswered = [
        *_label_issues(table, codes, target, path, policies),
        *_missing_items(table, target, path, policies),
    ]
    return Aligned(placed, _unusable_labels(table, codes, target), capped([*defects, *unanswered]))


def _by_position(table: Table, codes: Codes, target: Target, path: str) -> tuple[Codes | None, list[Issue]]:
    wanted = target.gold.n_items
    if codes.size == wanted:
        return codes, []
    if table.issues:  # lines of another width are missing from the count
        return None, []
    slug = "too-few-lines" if codes.size < wanted else "too-many-lines"
    found = f"{plural(codes.size, 'line')} with labels for {plural(wanted, 'gold item')}"
    if codes.size > wanted and not table.labels[-1]:
        found += ". The last line is empty."
    elif codes.size == wanted + 1 and codes[0] == target.unusable and not table.reading.header:
        return None, [_header_or_label(table, target, path, found)]
    return None, [Issue.of(slug, path, found)]


def _header_or_label(table: Table, target: Target, path: str, found: str) -> Issue:
    """The issue for a line too many where the first is no label: a header of an unknown name, or a misspelt answer."""
    first = table.labels[0]
    return Issue.of(
        "too-many-lines",
        path,
        f"{found}. The first line, {quoted(first)}, is a header or a label misspelt.{_hint(first, target)}",
        lines=[table.lines[0]],
        remedy="if it is a header, write into task.toml, under [submissions]: header = true; or find the extra line",
    )


def _by_id(table: Table, codes: Codes, target: Target, path: str) -> tuple[Codes, list[Issue]]:
    ids = table.ids or ()
    if ids == target.ids:
        return codes, []
    position_of = target.position_of or {}
    positions = np.fromiter(map(position_of.get, ids, repeat(-1)), np.int64, len(ids))
    answers = np.bincount(positions[positions >= 0], minlength=target.gold.n_items)
    issues = [
        *repeated_ids("duplicate-item", path, ids, table.lines),
        *_unknown(table, positions, answers, target, path),
    ]
    placed = np.full(target.gold.n_items, target.missing, codes.dtype)
    known = positions >= 0
    placed[positions[known]] = codes[known]
    return placed, issues


def _missing_items(table: Table, target: Target, path: str, policies: Policies) -> list[Issue]:
    """The issue for gold items that the file does not name, unless broken lines or foreign ids say why."""
    broken = any(issue.slug in {"wrong-columns", "bad-json"} for issue in table.issues)
    if table.ids is None or broken or table.ids == target.ids:
        return []
    answered = set(table.ids)
    missing = list(filterfalse(answered.__contains__, target.ids or ()))
    if not missing or (len(missing) == target.gold.n_items and answered):
        return []
    found = f"no answer for {plural(len(missing), 'item')} of {target.gold.n_items:,}"
    issue = _unanswered("missing-item", path, found, count=len(missing), policy="missing", policies=policies)
    return [replace(issue, items=_some(missing))]


def _some(texts: Sequence[str]) -> str:
    return listed([quoted(text) for text in texts], limit=_SHOWN_IDS)


def _unanswered(  # noqa: PLR0913 - the parts of an issue, and whether the policy rejects it
    slug: str,
    path: str,
    found: str,
    *,
    count: int,
    policy: str,
    policies: Policies,
    lines: Sequence[int] = (),
    expected: str | None = None,
) -> Issue:
    """An issue of unanswered items, fatal by the policy of the campaign only."""
    fatal = getattr(policies, policy) == "reject"
    remedy = _REJECTED_REMEDY.format(policy=policy) if fatal else None
    return Issue.of(slug, path, found, lines=lines, count=count, expected=expected, remedy=remedy, fatal=fatal)


def _unknown(
    table: Table, positions: NDArray[np.int64], answers: NDArray[np.int64], target: Target, path: str
) -> list[Issue]:
    """An issue for every id that gold lacks."""
    rows = np.flatnonzero(positions < 0).tolist()
    if not rows:
        return []
    ids, lines = table.ids or (), table.lines
    if len(rows) == len(ids) > 1:
        return [_all_unknown(table, target, path)]
    unanswered = np.flatnonzero(answers == 0).tolist()
    slug = "unknown-item" if unanswered else "extra-item"
    near = [target.ids[position] for position in unanswered[:_MOST_NEIGHBOURS]] if target.ids else []
    hints = chain((did_you_mean(ids[row], near) for row in rows[:_SHOWN_NEIGHBOURS]), repeat(""))
    return [
        Issue.of(slug, path, "gold has no such id", lines=[lines[row]], items=f"{quoted(ids[row])}.{hint}")
        for row, hint in zip(rows, hints, strict=False)
    ]


def _all_unknown(table: Table, target: Target, path: str) -> Issue:
    """The issue for a file of which gold knows no id: another numbering, another subtask, or another column."""
    ids = list(dict.fromkeys(table.ids or ()))
    return Issue.of(
        "unknown-item",
        path,
        "gold has none of the ids of this file",
        items=f"the file has {_some(ids)}; gold has {_some(target.ids or ())}",
        lines=table.lines[:MOST_LINES],
        count=len(table.lines),
        remedy="check that these are answers to this task, and name the column of the ids in task.toml, under "
        "[submissions]: id = … (ids are compared as text)",
    )


def _no_usable_answer(table: Table, codes: Codes, target: Target, path: str) -> Issue:
    """The issue for a file that answers nothing, with the labels that it has instead."""
    counts = Counter(compress(table.labels, (codes == target.unusable).tolist())).most_common(_SHOWN_LABELS)
    strange = [
        f"{quoted(label)} is on {plural(count, 'line')} and not in the label set.{_hint(label, target)}"
        for label, count in counts
    ]
    without = int((codes == target.missing).sum())
    empty = [f"{plural(without, 'line')} without a label."] if without else []
    return Issue.of(
        "no-usable-answer",
        path,
        " ".join([*strange, *empty]) or "no line holds an answer",
        lines=table.lines[:MOST_LINES],
        count=max(1, len(table.lines)),
        expected=_expected_label(target),
        remedy=None if table.lines else "ask the team for the file again, or remove it",
    )


def _expected_label(target: Target) -> str:
    labels = [quoted(label) for label in target.gold.label_set]
    return f"a label of the label set: {listed(labels, 'or', limit=12)}"


def _label_issues(table: Table, codes: Codes, target: Target, path: str, policies: Policies) -> Iterator[Issue]:
    """missing-label and unusable-label, from the codes."""
    if codes.max(initial=0) < target.missing:
        return
    without = np.flatnonzero(codes == target.missing).tolist()
    if without:
        lines = [table.lines[row] for row in without[:MOST_LINES]]
        found = f"{plural(len(without), 'line')} without a label"
        yield _unanswered(
            "missing-label", path, found, lines=lines, count=len(without), policy="missing", policies=policies
        )
    yield from _unusable_issues(table, codes, target, path, policies)


def _unusable_issues(table: Table, codes: Codes, target: Target, path: str, policies: Policies) -> Iterator[Issue]:
    """An issue for every label outside the label set, the most frequent first."""
    rows_of: dict[str, list[int]] = {}
    for row in np.flatnonzero(codes == target.unusable).tolist():
        rows_of.setdefault(table.labels[row], []).append(row)
    in_order = sorted(rows_of.items(), key=lambda entry: -len(entry[1]))
    expected = _expected_label(target)
    for number, (label, rows) in enumerate(in_order):
        hint = _hint(label, target) if number < MOST_OF_A_KIND else ""
        yield _unanswered(
            "unusable-label",
            path,
            f"the label {quoted(label)} is not in the label set.{hint}",
            lines=[table.lines[row] for row in rows[:MOST_LINES]],
            count=len(rows),
            expected=expected,
            policy="unusable",
            policies=policies,
        )


def _hint(label: str, target: Target) -> str:
    """What may have been meant; a blank too many is named, because quotes alone hide it."""
    bare = label.strip()
    if bare != label and bare in target.code_of:
        if not bare:
            return " It consists of blanks."
        where = "begins" if label.endswith(bare) else "ends" if label.startswith(bare) else "begins and ends"
        return f" Did you mean {quoted(bare)}? It {where} with a blank."
    same = [known for known in target.gold.label_set if _NUMBER.fullmatch(known) and _value(known) == _value(bare)]
    return f" Did you mean {quoted(same[0])}?" if same else did_you_mean(label, target.gold.label_set.labels)


def _value(text: str) -> Decimal | None:
    """The number that a text writes; None where it writes none."""
    return Decimal(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None


def _unusable_labels(table: Table, codes: Codes, target: Target) -> tuple[tuple[str, int], ...]:
    """The labels outside the label set with their counts, the most frequent first."""
    if codes.max(initial=0) < target.unusable:
        return ()
    counts = Counter(compress(table.labels, (codes == target.unusable).tolist()))
    return tuple(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
