"""A table and gold → the label codes of a submission in gold order, with every defect of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain, compress, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.domain import (
    DEFAULT_POLICIES,
    Feature,
    Gold,
    JournalEntry,
    LabelSet,
    Policies,
    code_dtype,
)
from audit.domain.arrays import Codes
from audit.domain.sets import NO_SETS, GivenSets
from audit.errors import Choice, Issue
from audit.formats.align.changed_ids import change_of, headers_among_answers, restored, shift_of
from audit.formats.align.tokens import with_gold_tokens
from audit.formats.settings.answers import ROUNDED, number_of
from audit.formats.settings.layout import toml_text
from audit.formats.table.columns import is_id_name
from audit.formats.table.parsed import (
    MOST_OF_A_KIND,
    IdChange,
    Table,
    counted,
    repeated_ids,
    shown_id,
)
from audit.text import agreeing, did_you_mean, listed, look_of, plural, quoted, twin_of

_OF_LOST_ROWS = frozenset({"wrong-columns", "bad-json", "formula-without-value"})
_SHOWN_IDS = 5
_MOST_ABOVE = 20  # lines that may stand above the items
_SHOWN_LABELS = 5
_SHOWN_NEIGHBOURS = 5
_OTHER_IDS_REMEDY = (
    "check that these are answers to this task; ids have to be written as gold has them: "
    "they are compared as text"
)
_NO_IDS = Choice(
    "[submissions]", "id = false", "no column holds ids and the lines are in gold order"
)
_FOLDED = Choice("", "fold_case = true", "its labels are gold’s in another case")
_CHANGED_IDS_REMEDY = (
    "ask for a file whose ids are written as gold has them "
    "(in a spreadsheet: format their column as text first)"
)
# of a token in a span, in the schemes that are in use
_PLACES = frozenset({"B-", "I-", "E-", "S-", "L-", "U-", "M-"})
_OPEN = ("ambiguous-reading", "header-as-answer")
_MOST_NEIGHBOURS = 2000  # difflib compares one by one


class _CodeOf(dict[str, int]):
    """Label → code, with one code for every other text; found faster than by `get` with a default."""

    def __init__(self, codes: Mapping[str, int], unusable: int) -> None:
        super().__init__(codes)
        self.unusable = unusable

    def __missing__(self, label: str) -> int:
        """The code of a text that is no label."""
        return self.unusable


@dataclass(frozen=True, eq=False)
class Target:
    """Gold as submissions are aligned with it."""

    gold: Gold
    sequences: Sequence[int] | None = None
    """The number of items of each tag sequence; None where gold has none."""
    policies: Policies = DEFAULT_POLICIES  # what is done where a file leaves something open
    tokens: Sequence[str] | None = None
    """The words that gold's tags are of; None where its file gives none."""

    @cached_property
    def ids(self) -> list[str] | None:
        """The ids as a list, which compares fastest with another."""
        if self.gold.item_ids is None:
            return None
        return list(self.gold.item_ids)

    @cached_property
    def labels(self) -> list[str]:
        """The labels of the items, likewise."""
        labels = (*self.gold.label_set.labels, "")
        return list(map(labels.__getitem__, self.gold.codes.tolist()))

    @cached_property
    def position_of(self) -> Mapping[str, int] | None:
        """Id → position."""
        if self.ids is None:
            return None
        return {item_id: position for position, item_id in enumerate(self.ids)}

    @cached_property
    def code_of(self) -> Mapping[str, int]:
        """Label → code; no label is the code *missing*."""
        return {label: code for code, label in enumerate((*self.gold.label_set.labels, ""))}

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
        label_set = self.gold.label_set
        code_of = _CodeOf(self.code_of, self.unusable)
        each = map(code_of.__getitem__, labels)
        codes = np.fromiter(each, code_dtype(self.missing), len(labels))
        for row in np.flatnonzero(codes == self.unusable).tolist() if label_set.scale else ():
            codes[row] = label_set.unusable_code(labels[row])
        return codes


@dataclass(frozen=True, eq=False)
class Checked:
    """The result of reading one submission."""

    path: str
    codes: Codes | None  # the label codes in gold order; None where the file is rejected
    unusable_labels: tuple[tuple[str, int], ...] = ()  # the labels outside the label set
    issues: tuple[Issue, ...] = ()  # everything found; a fatal one where the file is rejected
    layout: str | None = None  # how it was read, in words; None where it could not be
    is_assumed: bool = False  # whether task.toml leaves some of the layout open
    journal: tuple[JournalEntry, ...] = ()  # what was read, repaired and decided
    scores: NDArray[np.float64] | None = None  # in gold order; None where none are kept
    row_of: NDArray[np.int64] | None = None
    """The row that answers each item, -1 for none; None where none is told."""
    in_gold_order: bool = False  # whether its rows, which are known by ids, stand as gold's do
    sets: GivenSets = NO_SETS  # where items have sets, those of the units in gold order
    tells_missing: bool = True  # whether its reader may know how many items it leaves out

    @property
    def is_accepted(self) -> bool:
        """Whether a load would accept the file."""
        return self.codes is not None

    def counts(self, label_set: LabelSet, gold: Gold | None) -> dict[str, Any]:
        """Items, what of them is answered, and how often each label is given; none of a file that is rejected.

        Gold is for organisers. Participants, for whom it is None, see what is their own: no label that only gold tells;
        how many items they leave out only where all items are published, as it would tell gold's size; of sets the
        labels alone, as all else would tell how many of gold's were found.
        """
        if self.codes is None:
            return {}
        codes = np.minimum(self.codes, len(label_set) + 1)
        *label_counts, missing, unusable = np.bincount(codes, minlength=len(label_set) + 2).tolist()
        labels = dict(zip(label_set, label_counts, strict=True))
        if gold is None:
            labels = {
                label: count for label, count in labels.items() if count or label_set.declared
            }
        if label_set.supports(Feature.NUMBERS):
            labels = {}
        if label_set.supports(Feature.UNITS):
            labels.pop(str(label_set.rest), None)
            return {
                **({} if gold is None else _sets_beside_gold(self.codes, gold)),
                "labels": labels,
            }
        if gold is None:
            items = {}
        else:
            items = {"items": self.codes.size}
        if self.tells_missing:
            left_out = {"missing": missing}
        else:
            left_out = {}
        return {
            **items,
            "answered": sum(label_counts),
            **left_out,
            "unusable": unusable,
            "labels": labels,
        }


def _sets_beside_gold(codes: Codes, gold: Gold) -> dict[str, int]:
    """How many units there are, and how many labels are given: those of gold, and others; and how many are missed.

    An item for each unit, and one for each label of gold or the file, which is nothing where the file lacks it.
    """
    nothing = len(gold.label_set) - 1
    n_given = int(((codes < nothing) | (codes > nothing + 1)).sum())  # also labels that gold lacks
    n_gold = int((gold.codes < nothing).sum())
    missed = codes.size - n_given - gold.n_units
    right = n_gold - missed
    return {
        "units": gold.n_units,
        "given": n_given,
        "right": right,
        "missed": missed,
        "false_alarms": n_given - right,
    }


def align(table: Table, target: Target) -> Checked:
    """A table in gold order, with what was found on the way."""
    table = in_gold_sequences(_with_sure_ids(table, target), target)
    codes = target.encode(table.labels)
    if table.ids is None:
        place = _by_position
    else:
        place = _by_id
    placed = place(table, codes, target)
    defects = [*table.issues, *placed.issues]
    missing = _missing_items(table, placed.unanswered, target)
    if placed.rows is not None:
        table, codes = _only(table, placed.rows), codes[placed.rows]
    is_sound = placed.codes is not None and not any(issue.fatal for issue in defects)
    if (
        is_sound
        and placed.codes is not None
        and placed.codes.min(initial=target.missing) >= target.missing
    ):
        return Checked(
            table.path, None, issues=table.in_units([_no_usable_answer(table, codes, target)])
        )
    # What single labels are is not known before it is decided how the file is read.
    is_open = placed.codes is None and any(issue.slug in _OPEN for issue in defects)
    if is_open:
        unanswered = []
    else:
        unanswered = [*_label_issues(table, codes, target), *missing]
    is_strange = codes >= target.unusable
    strange = Counter(compress(table.labels, is_strange.tolist())) if is_strange.any() else {}
    unusable = tuple(sorted(strange.items(), key=lambda entry: (-entry[1], entry[0])))
    if placed.codes is None:
        in_order = None
    else:
        in_order = np.arange(placed.codes.size)
    if placed.row_of is None:
        row_of = in_order
    else:
        row_of = placed.row_of
    return Checked(
        table.path, placed.codes, unusable, table.in_units([*defects, *unanswered]), row_of=row_of
    )


def _with_sure_ids(table: Table, target: Target) -> Table:
    """The table with gold's ids where a spreadsheet rounded long numbers and each is told all the same, and a note."""
    ids = table.ids or ()
    gold = target.ids or ()
    if ids and set(ids) == set(gold):
        # The same ids in both files are matched, whatever a spreadsheet did to them before.
        sure = (issue for issue in table.issues if issue.slug != "doubtful-id" or issue.fatal)
        return replace(table, issues=tuple(sure))
    if (
        len(ids) != len(gold)
        or len(table.layout.id or ()) != 1
        or (restoration := restored(ids, gold)) is None
    ):
        return table
    restored_ids, words = restoration
    defect = f"{words}; both files have the same set of ids, each once, and are joined by them"
    note = table.issue("doubtful-id", defect, count=len(ids), fatal=False)
    others = (issue for issue in table.issues if issue.slug != "doubtful-id")
    return replace(table, ids=restored_ids, issues=(*others, note))


def in_gold_sequences(table: Table, target: Target, *, mark_spans: bool = False) -> Table:
    """A file of tags with gold's sequences where its tokens are gold's, in order, and blank lines alone differ.

    Without tokens to compare, a file of as many tags as gold and no blank line at all is read so, too: it says nothing
    but where tags mark spans. What is done, and how many tokens are others, is a note.
    """
    is_told = any(issue.slug == "line-count" for issue in table.issues)
    if table.ids is not None or target.sequences is None or is_told:
        return table
    if target.tokens is not None:
        table = with_gold_tokens(table, target.tokens, target.sequences, mark_spans=mark_spans)
    if len(table.labels) != sum(target.sequences):
        return table
    n_others = None
    if table.tokens is not None and target.tokens is not None:
        n_others = sum(one != other for one, other in zip(table.tokens, target.tokens, strict=True))
    is_alike = table.sequences is None or [*table.sequences] == [*target.sequences]
    if n_others and is_alike:
        return _with_other_tokens(table, n_others)
    says_where = table.sequences is not None
    if (
        n_others
        or (says_where and (is_alike or n_others is None))
        or not (says_where or mark_spans)
    ):
        return table
    own = "no blank line stands between sequences"
    if table.sequences is not None:
        own = f"blank lines make {plural(len(table.sequences), 'sequence')}"
    if n_others is None:
        same = "as many tags as gold"
    else:
        same = "the tokens are gold’s"
    defect = f"{own}, and gold has {len(target.sequences):,}; {same}, and gold’s blank lines hold"
    remedy = "nothing is to be done"
    note = table.issue(
        "line-count", defect, fatal=False, expected="blank lines as gold has them", remedy=remedy
    )
    return replace(table, sequences=target.sequences, issues=(*table.issues, note))


def _with_other_tokens(table: Table, n_others: int) -> Table:
    """The table with a note of the tokens that gold has otherwise, which are aligned by position all the same."""
    defect = f"{plural(n_others, 'token')} of {len(table.labels):,} written otherwise than in gold, aligned by position"
    remedy = "see whether the file answers this test set, in gold’s order"
    note = table.issue("line-count", defect, fatal=False, expected="gold’s tokens", remedy=remedy)
    return replace(table, issues=(*table.issues, note))


@dataclass(frozen=True, eq=False)
class _Placed:
    """The codes in gold order, None where the rows cannot be aligned, and what is wrong with the alignment."""

    codes: Codes | None
    issues: Sequence[Issue] = ()
    rows: NDArray[np.int64] | None = None
    """Those that count, None for all: a policy can leave others out."""
    unanswered: Sequence[int] = ()  # positions in gold of items whose id no row has
    row_of: NDArray[np.int64] | None = None
    """The row of each item, -1 for none; None where rows are in gold order."""


def _only(table: Table, rows: NDArray[np.int64]) -> Table:
    """The rows of a table that count."""
    kept = rows.tolist()
    if table.ids is None:
        ids = None
    else:
        ids = [table.ids[row] for row in kept]
    labels = [table.labels[row] for row in kept]
    lines = [table.lines[row] for row in kept]
    return replace(table, ids=ids, labels=labels, lines=lines)


def _by_position(table: Table, codes: Codes, target: Target) -> _Placed:
    n_items = target.gold.n_items
    if headers := headers_among_answers(table, target.code_of):
        return _Placed(None, headers)
    # lines of another width are missing from every count
    if any(issue.fatal for issue in table.issues):
        return _Placed(codes if codes.size == n_items else None)
    if (
        table.sequences is not None
        and target.sequences is not None
        and [*table.sequences] != [*target.sequences]
    ):
        return _Placed(None, list(_of_other_lengths(table, table.sequences, target.sequences)))
    if codes.size == n_items:
        return _Placed(codes)
    return _more_or_fewer(table, codes, target)


def _more_or_fewer(table: Table, codes: Codes, target: Target) -> _Placed:
    """Answers that are not as many as the items."""
    n_items = target.gold.n_items
    has_one_more = codes.size == n_items + 1
    has_empty_end = has_one_more and table.layout.format == "lines" and not table.labels[-1]
    is_strange = has_one_more and table.layout.kind.unit == "line" and codes[0] >= target.unusable
    is_header = is_strange and bool(table.labels[-1]) and not table.layout.header
    is_ignored = (
        codes.size > n_items and target.policies.extra == "ignore" and table.sequences is None
    )
    if is_header or not (has_empty_end or is_ignored):
        return _Placed(None, [_of_another_size(table, target, is_header=is_header)])
    rows = range(n_items, codes.size)
    words = f"behind the last item {agreeing(len(rows), 'is', 'are')} left out"
    return _Placed(
        codes[:n_items], [_passed_over("extra-item", table, rows, words)], np.arange(n_items)
    )


def _of_another_size(table: Table, target: Target, *, is_header: bool) -> Issue:
    """The issue for more or fewer answers than gold has items; the first may be a header, or a misspelt answer."""
    kind = table.layout.kind
    n_items = target.gold.n_items
    if kind.answer == "tag":
        labels = ""
    else:
        labels = " with labels"
    if table.layout.header:
        below = " below a header"
    else:
        below = ""
    defect = f"{counted(len(table.labels), kind.answer)}{labels}{below} for {plural(n_items, 'gold item')}"
    if len(table.labels) < n_items:
        return table.issue("line-count", defect)
    remedy = None if kind.answer == "line" else f"find the {kind.answer} that is too many"
    choices = []
    if is_header:
        first = table.labels[0]
        hint = _hint(table.labels[0], target)
        defect += f". The first line, {quoted(first)}, is a header or a label misspelt.{hint}"
        remedy = "find the extra line"
        if not hint:  # as a header, a label misspelt would shift every answer
            choices = [Choice("[submissions]", "header = true", "it is a header")]
    elif not any(table.labels[n_items:]):
        n_empty = len(table.labels) - n_items
        last = agreeing(n_empty, f"{kind.answer} is", f"{n_empty:,} {kind.answer}s are")
        defect += f"; the last {last} empty"
        remedy = "remove what is empty at the end"
        choices = [
            Choice(
                "[policies]", 'extra = "ignore"', "what stands behind the last item is no answer"
            )
        ]
    elif sum(map(bool, table.labels)) == _n_words(target) != n_items:
        defect += f"; gold’s lines have {_n_words(target):,} words"
        remedy = 'if each line of gold is a sequence of tags, write into task.toml, under [gold]: format = "sequences"'
    return table.issue("line-count", defect, range(int(is_header)), remedy=remedy, choices=choices)


def _passed_over(slug: str, table: Table, rows: Sequence[int], words: str) -> Issue:
    """The issue that counts the answers that do not count by policy."""
    return table.issue(
        slug, f"{counted(len(rows), table.layout.kind.answer)} {words}", rows, fatal=False
    )


def _n_words(target: Target) -> int:
    """How many words the labels of all gold items have."""
    counts = np.array([len(label.split()) for label in target.gold.label_set])
    return int(counts[target.gold.codes].sum())


def _of_other_lengths(
    table: Table, sequences: Sequence[int], expected: Sequence[int]
) -> Iterator[Issue]:
    """An issue for every sequence that is longer or shorter than in gold; one, where there are more or fewer."""
    starts = list(accumulate(sequences, initial=0))
    different = [
        (
            number,
            f"sequence {number + 1:,} has {plural(length, 'tag')}, and {gold_length:,} in gold",
        )
        for number, (length, gold_length) in enumerate(zip(sequences, expected, strict=False))
        if length != gold_length
    ]
    if len(sequences) == len(expected):
        for number, defect in different:
            yield table.issue("line-count", defect, [starts[number]])
        return
    if different:
        first = f". The first difference: {different[0][1]}"
    else:
        first = ""
    defect = f"{plural(len(sequences), 'sequence')} for {len(expected):,} in gold{first}"
    yield table.issue("line-count", defect, [starts[number] for number, _ in different[:1]])


def _by_id(table: Table, codes: Codes, target: Target) -> _Placed:
    ids = table.ids or ()
    n_items = target.gold.n_items
    if ids == target.ids:
        return _Placed(codes)
    positions = np.fromiter(
        map((target.position_of or {}).get, ids, repeat(-1)), np.int64, len(ids)
    )
    rows = np.flatnonzero(positions >= 0)
    answers = np.bincount(positions[rows], minlength=n_items)
    unanswered = np.flatnonzero(answers == 0).tolist()
    issues: list[Issue] = []
    # Where they are doubtful, that is why they are none of gold's.
    are_sound = all(issue.slug != "doubtful-id" or not issue.fatal for issue in table.issues)
    if are_sound and 0 < rows.size < len(ids):
        shift = shift_of(ids, target.ids or ())
    else:
        shift = None
    if shift is not None and (len(ids) == n_items or abs(shift) == 1):
        return _Placed(None, [_shifted(table, shift)])
    if are_sound and rows.size < len(ids):
        strangers = np.flatnonzero(positions < 0).tolist()
        if target.policies.extra == "ignore" and rows.size:
            one = "answers an item that gold lacks, and is"
            several = "answer items that gold lacks, and are"
            shown = _shown_ids([ids[row] for row in strangers], table)
            words = f"{agreeing(len(strangers), one, several)} left out: {shown}"
            issues.append(_passed_over("extra-item", table, strangers, words))
        else:
            issues += _unknown(table, strangers, unanswered, target)
    kept = target.policies.duplicates
    if kept == "reject":
        if are_sound and (rows.size < len(ids) or rows.size + len(unanswered) > n_items):
            issues += repeated_ids(table)
    elif answers.max(initial=0) > 1:
        chosen = _one_per_item(rows, positions, n_items, kept)
        again = np.setdiff1d(rows, chosen).tolist()
        if kept == "first":
            other = "a second time"
        else:
            other = "that a later one answers again"
        words = (
            f"{agreeing(len(again), 'answers', 'answer')} an item {other}; the {kept} answer counts"
        )
        issues.append(_passed_over("duplicate-item", table, again, words))
        rows = chosen
    placed = np.full(n_items, target.missing, codes.dtype)
    placed[positions[rows]] = codes[rows]
    by_id = np.full(n_items, -1)
    by_id[positions[rows]] = rows
    decided = issues and not any(issue.fatal for issue in issues)
    return _Placed(placed, issues, rows if decided else None, unanswered, by_id)


def _one_per_item(
    rows: NDArray[np.int64], positions: NDArray[np.int64], n_items: int, kept: str
) -> NDArray[np.int64]:
    """One row for each answered item: the first or the last of its rows."""
    if kept == "last":
        in_order = rows
    else:
        in_order = rows[::-1]
    row_of = np.full(n_items, -1)
    row_of[positions[in_order]] = in_order  # of several, the last remains
    return np.sort(row_of[row_of >= 0])


def _missing_items(table: Table, unanswered: Sequence[int], target: Target) -> list[Issue]:
    """The issue for gold items that the file does not name, unless broken lines or foreign ids say why."""
    broken = any(issue.slug in _OF_LOST_ROWS for issue in table.issues)
    if not unanswered or broken or (len(unanswered) == target.gold.n_items and table.labels):
        return []
    missing = [(target.ids or ())[position] for position in unanswered]
    defect = f"no answer for {plural(len(missing), 'item')} of {target.gold.n_items:,}"
    items = _shown_ids(missing, table)
    return [
        by_policy(table, target, "missing-item", defect, "missing", count=len(missing), items=items)
    ]


def _shown_ids(ids: Sequence[str], table: Table) -> str:
    shown = [quoted(shown_id(item_id, table.layout)) for item_id in ids[: _SHOWN_IDS + 1]]
    return listed([*shown, *ids[_SHOWN_IDS + 1 :]], limit=_SHOWN_IDS)


def by_policy(
    table: Table,
    target: Target,
    slug: str,
    defect: str,
    policy: str,
    **parts: Any,  # noqa: ANN401 - of an issue
) -> Issue:
    """An issue of what is missing or unusable, fatal where a policy of the campaign rejects that."""
    is_rejected = getattr(target.policies, policy) == "reject"
    if slug.endswith(("score", "score-column")):
        what = "scores"
    else:
        what = "answers"
    remedy = f'the policy rejects it: ask the team for the {what}, or write under [policies]: {policy} = "wrong"'
    return table.issue(
        slug, defect, remedy=remedy if is_rejected else None, fatal=is_rejected or None, **parts
    )


def _unknown(
    table: Table, rows: Sequence[int], unanswered: Sequence[int], target: Target
) -> list[Issue]:
    """An issue for every row whose id gold lacks."""
    ids = table.ids or ()
    if 1 < len(ids) < 2 * len(rows):
        change = change_of([ids[row] for row in rows], target.ids or ())
    else:
        change = None
    if change is not None or len(rows) == len(ids) > 1:
        return [_all_unknown(table, rows, change, target)]
    are_above = not unanswered and [*rows] == list(range(len(rows))) and len(rows) <= _MOST_ABOVE
    if are_above and "skip" in table.layout.kind.settings:
        return [_lines_above(table, rows)]
    if unanswered:
        slug = "unknown-item"
    else:
        slug = "extra-item"
    near = [
        shown_id(target.ids[position], table.layout)
        for position in unanswered[:_MOST_NEIGHBOURS]
        if target.ids
    ]
    shown = [shown_id(ids[row], table.layout) for row in rows]
    hints = [
        twin_of(item_id, near) or did_you_mean(item_id, near)
        for item_id in shown[:_SHOWN_NEIGHBOURS]
    ]
    return [
        table.issue(slug, "gold has no such id", [row], items=f"{quoted(item_id)}.{hint}")
        for row, item_id, hint in zip(rows, shown, chain(hints, repeat("")), strict=False)
    ]


def _shifted(table: Table, shift: int) -> Issue:
    """The issue for numbers that count from elsewhere: nearly all of them are gold's, and each is another item's."""
    if shift > 0:
        sign = "plus"
        change = "add"
    else:
        sign = "less"
        change = "take away"
    defect = f"gold’s ids are those of this file {sign} {abs(shift):,}: one of the two counts from another number"
    remedy = (
        f"ask the team for a file with gold’s numbers, or {change} {abs(shift):,} in every line; the answers of ids "
        "that both have are those of other items"
    )
    return table.issue("unknown-item", defect, range(len(table.lines)), remedy=remedy)


def _lines_above(table: Table, rows: Sequence[int]) -> Issue:
    """The issue for ids that gold lacks on the first lines alone: a title and names may stand there."""
    kind = table.layout.kind
    first = agreeing(len(rows), kind.unit, counted(len(rows), kind.unit))
    skip = Choice(
        "[submissions]", f"skip = {table.lines[rows[-1]]}, header = false", "these are no items"
    )
    items = _shown_ids([(table.ids or ())[row] for row in rows], table)
    return table.issue(
        "extra-item",
        f"gold has none of the ids on the first {first}",
        rows,
        choices=[skip],
        items=items,
    )


def _all_unknown(
    table: Table, rows: Sequence[int], change: IdChange | None, target: Target
) -> Issue:
    """The issue for a file of which gold knows no id, or few: ids that were changed, or another numbering or column."""
    ids = table.ids or ()
    gold_ids = target.ids or []
    if len(rows) == len(ids):
        n_known = "none"
    else:
        n_known = f"only {len(ids) - len(rows):,}"
    id_name = table.layout.id_name
    has_no_ids = (
        id_name is not None and not is_id_name(id_name) and len(table.labels) == target.gold.n_items
    )
    remedy = _OTHER_IDS_REMEDY
    choices = [_NO_IDS] if has_no_ids else []
    if change is not None:
        pattern = Choice("", f"id_pattern = {toml_text(change.pattern)}", "they mean the same")
        remedy = _CHANGED_IDS_REMEDY
        choices = [pattern] if change.pattern else []
    defect = (
        f"gold has {n_known} of the ids of this file{'' if change is None else f'; {change.words}'}"
    )
    items = f"the file has {_shown_ids([ids[rows[0]]], table)}; gold has {_shown_ids(gold_ids[:1], table)}"
    return table.issue("unknown-item", defect, rows, items=items, remedy=remedy, choices=choices)


def _no_usable_answer(table: Table, codes: Codes, target: Target) -> Issue:
    """The issue for a file that answers nothing, with the labels that it has instead."""
    counts = Counter(compress(table.labels, (codes >= target.unusable).tolist())).most_common(
        _SHOWN_LABELS
    )
    answer = table.layout.kind.answer
    strange = [
        f"{quoted(label)} is on {counted(count, answer)} and not in the label set.{_hint(label, target)}"
        for label, count in counts
    ]
    without = int((codes == target.missing).sum())
    if without:
        empty = [f"{counted(without, answer)} without a label."]
    else:
        empty = []
    defect = " ".join([*strange, *empty]) or f"no {answer} holds an answer"
    expected = _expected_label(target)
    remedy = _remedy_without_labels(table, codes, target)
    every = range(len(table.lines))
    choices = [*([ROUNDED] if target.gold.label_set.scale else []), _FOLDED]
    return table.issue(
        "no-usable-answer", defect, every, expected=expected, remedy=remedy, choices=choices
    )


def _remedy_without_labels(table: Table, codes: Codes, target: Target) -> str | None:
    """The remedy for the organiser: where the answers are scores, to say what they mean."""
    if not table.lines:
        return "ask the team for the file again, or remove it"
    if (codes == target.missing).all():
        return (
            f"if the team did not take part in this test set, leave the file out, under [submissions]: ignore = "
            f"[{toml_text(table.path)}]; or name the column of the labels there: label = …"
        )
    strange = set(compress(table.labels, (codes >= target.unusable).tolist()))
    n_numbers = sum(number_of(label) is not None for label in strange)
    are_scores = n_numbers > len(target.gold.label_set) and 2 * n_numbers > len(strange)
    if not are_scores or not table.layout.kind.column:
        return None
    column = table.layout.settings()["label"].removeprefix("label = ")
    return (
        f"if they are scores, say what they mean in task.toml, under [submissions]: score = {column}, threshold = …, "
        "above = …, below = …; or name the column of the labels: label = …"
    )


def _expected_label(target: Target) -> str:
    labels = [quoted(label) for label in target.gold.label_set]
    return f"a label of the label set: {listed(labels, 'or', limit=12)}"


def _label_issues(table: Table, codes: Codes, target: Target) -> Iterator[Issue]:
    """missing-label, and unusable-label for every label outside the label set, the most frequent first."""
    if codes.max(initial=0) < target.missing:
        return
    without = np.flatnonzero(codes == target.missing).tolist()
    if without:
        defect = f"{counted(len(without), table.layout.kind.answer)} without a label"
        yield by_policy(table, target, "missing-label", defect, "missing", rows=without)
    rows_of: dict[str, list[int]] = {}
    for row in np.flatnonzero(codes >= target.unusable).tolist():
        rows_of.setdefault(table.labels[row], []).append(row)
    in_order = sorted(rows_of.items(), key=lambda entry: -len(entry[1]))
    expected = _expected_label(target)
    for number, (label, rows) in enumerate(in_order):
        if number < MOST_OF_A_KIND:
            hint = _hint(label, target)
        else:
            hint = ""
        defect = f"the label {quoted(label)} is not in the label set.{hint}"
        is_number = target.gold.label_set.scale and number_of(label) is not None
        # one trial a file
        if is_number and number == 0:
            choices = [ROUNDED]
        else:
            choices = []
        yield by_policy(
            table,
            target,
            "unusable-label",
            defect,
            "unusable",
            rows=rows,
            expected=expected,
            choices=choices,
        )


def _hint(label: str, target: Target) -> str:
    """A label that may have been meant; a blank too many is named, because quotes alone hide it."""
    bare = label.strip()
    if bare != label and bare in target.code_of:
        if not bare:
            return " It consists of blanks."
        if label.endswith(bare):
            where = "begins"
        elif label.startswith(bare):
            where = "ends"
        else:
            where = "begins and ends"
        return f" Did you mean {quoted(bare)}? It {where} with a blank."
    if twin := twin_of(label, target.gold.label_set):
        return twin
    look = look_of(label)
    same = next(
        (gold_label for gold_label in target.gold.label_set if look_of(gold_label) == look), None
    )
    if same is not None:
        return f" Did you mean {quoted(same)}?"
    place = label[:2].upper()
    of_thing = label[2:].casefold()
    if place in _PLACES and any(
        gold_label[2:].casefold() == of_thing for gold_label in target.gold.label_set
    ):
        return " Other places in a span are tagged here: have it written with gold’s tags."
    return did_you_mean(label, target.gold.label_set.labels)
