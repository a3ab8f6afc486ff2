"""A table and gold → the label codes of a submission in gold order, with every defect of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, repeat

import numpy as np
from numpy.typing import NDArray

from audit.domain import Gold, code_dtype
from audit.domain.campaign import Codes
from audit.errors import Issue
from audit.formats.issues import MOST_LINES, MOST_OF_A_KIND, capped, repeated_ids
from audit.formats.reading import Table
from audit.text import did_you_mean, listed, plural, quoted

_SHOWN_IDS = 5
_SHOWN_NEIGHBOURS = 5
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


def align(table: Table, target: Target, path: str, *, strict: bool) -> Aligned:
    """Put a table into gold order.

    Parameters
    ----------
    table : Table
        Ids and labels as read.
    target : Target
        Gold.
    path : str
        The file, for issues.
    strict : bool
        Whether unanswered items are fatal.

    Returns
    -------
    Aligned
        With a fatal issue wherever the file must be rejected.
    """
    codes = target.encode(table.labels)
    issues = [*table.issues, *_label_issues(table, codes, target, path, strict=strict)]
    if table.ids is None:
        placed, more = _by_position(table, codes, target, path)
    else:
        placed, more = _by_id(table, codes, target, path, strict=strict)
    return Aligned(placed, _unusable_labels(table, codes, target), capped([*issues, *more]))


def _by_position(table: Table, codes: Codes, target: Target, path: str) -> tuple[Codes | None, list[Issue]]:
    wanted = target.gold.n_items
    if codes.size == wanted:
        return codes, []
    if table.issues:  # lines of another width are missing from the count
        return None, []
    slug = "too-few-lines" if codes.size < wanted else "too-many-lines"
    found = f"{plural(codes.size, 'line')} with labels for {plural(wanted, 'gold item')}"
    last = " The last line is empty." if codes.size > wanted and not table.labels[-1] else ""
    return None, [Issue.of(slug, path, found + "." + last if last else found)]


def _by_id(table: Table, codes: Codes, target: Target, path: str, *, strict: bool) -> tuple[Codes, list[Issue]]:
    ids = table.ids or ()
    if ids == target.ids:
        return codes, []
    position_of = target.position_of or {}
    positions = np.fromiter(map(position_of.get, ids, repeat(-1)), np.int64, len(ids))
    answers = np.bincount(positions[positions >= 0], minlength=target.gold.n_items)
    broken = any(issue.slug in {"wrong-columns", "bad-json"} for issue in table.issues)
    issues = [
        *repeated_ids("duplicate-item", path, ids, table.lines),
        *_unknown(table, positions, answers, target, path),
        *([] if broken else _missing_items(answers, target, path, strict=strict)),
    ]
    placed = np.full(target.gold.n_items, target.missing, codes.dtype)
    known = positions >= 0
    placed[positions[known]] = codes[known]
    return placed, issues


def _missing_items(answers: NDArray[np.int64], target: Target, path: str, *, strict: bool) -> list[Issue]:
    missing = np.flatnonzero(answers == 0)
    if not missing.size:
        return []
    ids = target.ids or ()
    first = [quoted(ids[position]) for position in missing[:_SHOWN_IDS].tolist()]
    more = [f"{missing.size - _SHOWN_IDS:,} more"] if missing.size > _SHOWN_IDS else []
    found = f"no answer for {plural(missing.size, 'item')} of {target.gold.n_items:,}: {listed([*first, *more])}"
    return [Issue.of("missing-item", path, found, count=int(missing.size), fatal=strict)]


def _unknown(
    table: Table, positions: NDArray[np.int64], answers: NDArray[np.int64], target: Target, path: str
) -> list[Issue]:
    """An issue for every id that gold lacks."""
    rows = np.flatnonzero(positions < 0).tolist()
    if not rows:
        return []
    ids, lines = table.ids or (), table.lines
    unanswered = np.flatnonzero(answers == 0).tolist()
    slug = "unknown-item" if unanswered else "extra-item"
    near = [target.ids[position] for position in unanswered[:_MOST_NEIGHBOURS]] if target.ids else []
    hints = chain((did_you_mean(ids[row], near) for row in rows[:_SHOWN_NEIGHBOURS]), repeat(""))
    return [
        Issue.of(slug, path, f"gold has no id {quoted(ids[row])}.{hint}", lines=[lines[row]])
        for row, hint in zip(rows, hints, strict=False)
    ]


def _label_issues(table: Table, codes: Codes, target: Target, path: str, *, strict: bool) -> Iterator[Issue]:
    """missing-label and unusable-label, from the codes."""
    if codes.max(initial=0) < target.missing:
        return
    without = np.flatnonzero(codes == target.missing).tolist()
    if without:
        lines = [table.lines[row] for row in without[:MOST_LINES]]
        found = f"{plural(len(without), 'line')} without a label"
        yield Issue.of("missing-label", path, found, lines=lines, count=len(without), fatal=strict)
    yield from _unusable_issues(table, codes, target, path, strict=strict)


def _unusable_issues(table: Table, codes: Codes, target: Target, path: str, *, strict: bool) -> Iterator[Issue]:
    """An issue for every label outside the label set, the most frequent first."""
    rows_of: dict[str, list[int]] = {}
    for row in np.flatnonzero(codes == target.unusable).tolist():
        rows_of.setdefault(table.labels[row], []).append(row)
    in_order = sorted(rows_of.items(), key=lambda entry: -len(entry[1]))
    labels = [quoted(label) for label in target.gold.label_set]
    for number, (label, rows) in enumerate(in_order):
        hint = _hint(label, target) if number < MOST_OF_A_KIND else ""
        yield Issue.of(
            "unusable-label",
            path,
            f"the label {quoted(label)} is not in the label set.{hint}",
            lines=[table.lines[row] for row in rows[:MOST_LINES]],
            count=len(rows),
            expected=f"a label of the label set: {listed(labels, 'or', limit=12)}",
            fatal=strict,
        )


def _hint(label: str, target: Target) -> str:
    """What may have been meant; a blank too many is named, because quotes alone hide it."""
    bare = label.strip()
    if bare != label and bare in target.code_of:
        if not bare:
            return " It consists of blanks."
        where = "begins" if label.endswith(bare) else "ends" if label.startswith(bare) else "begins and ends"
        return f" Did you mean {quoted(bare)}? It {where} with a blank."
    return did_you_mean(label, target.gold.label_set.labels)


def _unusable_labels(table: Table, codes: Codes, target: Target) -> tuple[tuple[str, int], ...]:
    """The labels outside the label set with their counts, the most frequent first."""
    if codes.max(initial=0) < target.unusable:
        return ()
    counts = Counter(compress(table.labels, (codes == target.unusable).tolist()))
    return tuple(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
