"""One submission: read, aligned with gold, its scores of single items, and the journal of what was done."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from audit.domain import Feature, Gold, JournalEntry, LikelyGroups, Policies, Rejection
from audit.errors import Choice, InputError, Issue
from audit.formats.align.alignment import Checked, Target, align, by_policy
from audit.formats.files.content import decode, unpacked
from audit.formats.recognise import offering, read_table, stated_by, with_choice
from audit.formats.settings.answers import OF_SCORES, number_of
from audit.formats.settings.layout import NOTHING_STATED, StatedColumns, StatedLayout
from audit.formats.settings.parsing import TrackSettings
from audit.formats.table.parsed import Table, TaskFacts, capped, counted
from audit.text import agreeing, did_you_mean, listed, plural, quoted, sentence_case

_PLAIN = re.compile(r"[0-9eE+.\-\n]*")
_SHOWN = 3
_NAMES_SHOWN = 6


KeptScores = tuple[NDArray[np.float64] | None, tuple[Issue, ...], tuple[JournalEntry, ...]]
"""The scores of a file in gold order, None where an item has none, and what is to be said of them."""


def scores_of(
    table: Table, row_of: NDArray[np.int64], target: Target, column_keys: StatedColumns
) -> KeptScores:
    """The score of every item."""
    if not table.scores:
        defect = f"no column of scores{_missing_column(table, column_keys)}"
        return None, (by_policy(table, target, "missing-score", defect, "missing"),), ()
    of_rows = np.stack([_numbers(cells) for cells in table.scores], axis=1)
    scores = np.where(row_of[:, None] < 0, np.nan, of_rows[row_of])
    lacking = int(np.isnan(scores).any(axis=1).sum())
    if lacking:
        kept = None
    elif len(table.scores) == 1:
        kept = scores[:, 0]
    else:
        kept = scores
    if isinstance(table.layout.rule, OF_SCORES):
        text = f"Scores are not kept: {plural(lacking, 'item')} of {row_of.size:,} without one that is a number."
        journal = (JournalEntry("decided", table.path, text, lacking),) if lacking else ()
        return kept, (), journal
    of_columns = zip(table.scores, of_rows.T, strict=True)
    issues = chain(
        *(_of_scores(table, cells, numbers, row_of, target) for cells, numbers in of_columns)
    )
    return kept, table.in_units(issues), ()


def _missing_column(table: Table, column_keys: StatedColumns) -> str:
    """The column that was looked for, and those that the file has, where columns have names."""
    column_names = [name for name in table.layout.names if name]
    names = [name for name in column_keys if isinstance(name, str)]
    if not names or not column_names:
        return ""
    columns = listed(list(map(quoted, column_names)), limit=_NAMES_SHOWN)
    return f": score = {quoted(names[0])}, but the columns are {columns}.{did_you_mean(names[0], column_names)}"


def _numbers(cells: Sequence[str]) -> NDArray[np.float64]:
    """The finite number of each cell; NaN where it writes none, as `number_of` reads it."""
    scores = None
    if _PLAIN.fullmatch("\n".join(cells)):  # no blank, no underscore, no word for infinity
        try:
            scores = np.array(list(map(float, cells)))
        except ValueError:  # an empty cell, or signs and digits that are no number
            scores = None
    if scores is None or not np.isfinite(scores).all():
        scores = np.array(
            [math.nan if (value := number_of(cell)) is None else value for cell in cells]
        )
    return scores + 0.0  # no negative zero


def _of_scores(
    table: Table,
    cells: Sequence[str],
    numbers: NDArray[np.float64],
    row_of: NDArray[np.int64],
    target: Target,
) -> Iterator[Issue]:
    """The issues for items without a score: no row, an empty cell, or no number; and for what is no probability."""
    rows = np.sort(row_of[row_of >= 0])
    bad: list[int] = rows[np.isnan(numbers[rows])].tolist()
    empty = [row for row in bad if not cells[row]]
    n_missing = int((row_of < 0).sum()) + len(empty)
    if n_missing:
        defect = f"{plural(n_missing, 'item')} of {row_of.size:,} without a score"
        yield by_policy(
            table, target, "missing-score", defect, "missing", rows=empty, count=n_missing
        )
    unusable = [row for row in bad if cells[row]]
    outside: list[int] = rows[(numbers[rows] < 0) | (numbers[rows] > 1)].tolist()
    for odd, what in ((unusable, "that is no number"), (outside, "below 0 or above 1")):
        shown = listed(
            [quoted(cell) for cell in dict.fromkeys(cells[row] for row in odd)], limit=_SHOWN
        )
        defect = f"{counted(len(odd), table.layout.kind.answer)} with a score {what}: {shown}"
        if odd is unusable and odd:
            yield by_policy(table, target, "missing-score", defect, "unusable", rows=odd)
        elif odd:
            yield table.issue("score-outside", defect, odd)


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
    table: Table, issues: Iterable[Issue] = (), policies: Policies | None = None
) -> tuple[JournalEntry, ...]:
    """How a file was read, what was repaired in it, and what the policies decided."""
    entries = [JournalEntry("read", table.path, f"{table.layout}.", len(table.labels))]
    for spelling, label, count in table.respelt:
        if label:
            meant = f"as {quoted(label)}"
        else:
            meant = "as no answer"
        text = f"{quoted(spelling)} was read {meant}, as task.toml says."
        entries.append(JournalEntry("repaired", table.path, text, count))
    if table.n_rounded:
        numbers = plural(table.n_rounded, "number")
        text = f"{numbers} {agreeing(table.n_rounded, 'was', 'were')} read as the nearest label, as task.toml says."
        entries.append(JournalEntry("repaired", table.path, text, table.n_rounded))
    return (*entries, *(() if policies is None else decided(table.path, list(issues), policies)))


def journal_of_gold(table: Table, gold: Gold) -> tuple[JournalEntry, ...]:
    """How gold was read, what was repaired in it, and which of its items belong together."""
    read, *repaired = journal_of(table)
    if gold.groups is None or gold.label_set.supports(Feature.UNITS):
        groups = ""
    else:
        groups = f"; {len(np.unique(gold.groups)):,} groups of items, by {gold.unit}"
    if gold.stratified:
        stratified = "; class counts fixed by design"
    else:
        stratified = ""
    cut = "".join(
        f"; cut by {quoted(column.name)} into {len(column.values)} parts" for column in gold.slices
    )
    entry = replace(read, text=f"{table.layout}{groups}{stratified}{cut}.")
    file = gold.group_file
    if file is None:
        of_file = []
    else:
        of_file = [JournalEntry("read", file.path, f"The groups of items, by {gold.unit}.")]
    return (entry, *repaired, *of_file)


def journal_of_rejection(rejection: Rejection) -> JournalEntry:
    """The journal of a file that was not accepted, with its issues."""
    counts: Counter[str] = Counter()
    for issue in rejection.issues:
        if issue.fatal:
            counts[issue.slug] += issue.count
        else:
            counts[issue.slug] += 0
    reasons = [f"{slug} ({count:,})" for slug, count in counts.items() if count]
    return JournalEntry(
        "rejected", rejection.path, f"Not accepted: {listed(reasons)}.", counts.total()
    )


def decided(path: str, issues: Sequence[Issue], policies: Policies) -> Iterator[JournalEntry]:
    """The entries for issues that a policy forgives; labels outside the label set are one entry."""
    for issue in issues:
        if issue.slug in {"doubtful-id", "line-count"} and not issue.fatal:
            yield JournalEntry("decided", path, f"{sentence_case(issue.found)}.", issue.count)
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
    return JournalEntry("decided", path, sentence_case(text), count)


def refuse_copy(path: str, settings: TrackSettings, *, is_copy: bool) -> None:
    """Refuse what the gold file says as a submission, unless the policy lets it pass."""
    if is_copy and settings.policies.gold_copy == "refuse":
        raise InputError(
            [
                Issue.of(
                    "gold-copy", path, "its columns, items and labels are those of the gold file"
                )
            ]
        )


def _says_gold(table: Table, facts: TaskFacts, target: Target) -> bool:
    """Whether a file says what the gold file says, in the same columns and order, however it is packed or written."""
    gold = facts.gold
    ids = table.ids
    is_alike = gold is not None and (gold.names, gold.label) == (
        table.layout.names,
        table.layout.label,
    )
    has_items = (None if ids is None else list(ids)) == target.ids
    # stops where the first one differs
    return is_alike and has_items and list(table.labels) == target.labels


def _refuse_without_scores(path: str, stated: StatedLayout) -> None:
    """Labels are made of scores, and task.toml says for other submissions what their column is called."""
    if stated.makes_labels and stated.label is None:
        defect = "score names the columns of other submissions, and none of this one"
        remedy = (
            'write under [submissions] into score what it is called here, or "*" for all others'
        )
        raise InputError(
            [Issue.of("no-such-column", path, defect, expected="a column of scores", remedy=remedy)]
        )


def with_ways_out(
    issues: Iterable[Issue],
    read: Callable[[StatedLayout, TaskFacts], Table],
    settings: TrackSettings,
    facts: TaskFacts,
    target: Target,
) -> tuple[Issue, ...]:
    """Issues with those of their choices that were tried on the file: each leaves it without that issue."""
    fatal = {issue.slug for issue in issues if issue.fatal}

    def is_mended(issue: Issue, choice: Choice) -> bool:
        stated, further = with_choice(settings.submission_layout, facts, choice)
        chosen = stated_by(choice).policies
        differing = {slug: getattr(chosen, slug) for slug in chosen.differences}
        policies = replace(settings.policies, **differing)
        if further.ids is None:
            ids = None
        else:
            ids = tuple(further.ids)
        if len(ids or ()) != len(facts.ids or ()):
            return False  # two ids of gold would be one
        try:
            gold = replace(target.gold, item_ids=ids)
            aligned = align(read(stated, further), replace(target, gold=gold, policies=policies))
        except InputError:
            return False
        left = {each.slug for each in aligned.issues if each.fatal}
        return aligned.codes is not None and left <= fatal - {issue.slug}

    return tuple(offering(issue, partial(is_mended, issue)) for issue in issues)


def read_submission(
    path: str, data: bytes, settings: TrackSettings, facts: TaskFacts, target: Target
) -> Checked:
    """Read and align one submission, whatever is wrong with it."""
    try:
        _refuse_without_scores(path, settings.submission_layout)
        content = decode(path, unpacked(path, data), settings.submission_layout.encoding)
        table = read_table(content, settings.submission_layout, facts)
        refuse_copy(path, settings, is_copy=_says_gold(table, facts, target))
    except InputError as error:
        return Checked(path, None, issues=capped(error.issues))
    is_realigned = table.ids is None and facts.ids is not None
    found = checked(table, target, settings.submission_layout, is_realigned=is_realigned)
    in_order = (
        table.ids is not None and found.row_of is not None and (np.diff(found.row_of) > 0).all()
    )
    return replace(
        found,
        row_of=None,
        in_gold_order=bool(in_order),
        issues=with_ways_out(found.issues, partial(read_table, content), settings, facts, target),
    )


def checked(
    table: Table,
    target: Target,
    stated: StatedLayout = NOTHING_STATED,
    *,
    labels: Iterable[str] | None = None,
    is_realigned: bool = False,
) -> Checked:
    """Align one table with gold and its labels; realigned is one without ids beside gold with them."""
    found = align(table, target)
    kept: KeptScores = None, (), ()
    if found.row_of is not None and stated.scored_labels(
        target.gold.label_set if labels is None else labels
    ):
        kept = scores_of(table, found.row_of, target, stated.score)
    scores, of_scores, said_of_scores = kept
    issues = (*found.issues, *of_scores)
    is_rejected = found.codes is None or any(issue.fatal for issue in issues)
    return replace(
        found,
        codes=None if is_rejected else found.codes,
        issues=issues,
        layout=f"{table.layout}; aligned with gold by position"
        if is_realigned
        else str(table.layout),
        is_assumed=is_realigned or not table.layout.stated,
        journal=(
            *journal_of(table, issues, None if is_rejected else target.policies),
            *said_of_scores,
        ),
        scores=None if is_rejected else scores,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class GoldFile:
    """The gold file as it was read, and what submissions are read beside. Other processes get it without its bytes."""

    path: str
    gold: Gold  # as it is scored
    target: Target  # as submissions are aligned with it
    table: Table
    settings: TrackSettings
    suggestions: Sequence[str] = ()  # a sentence for each thing in it that looks like groups
    likely_groups: LikelyGroups | None = None  # the first of them that groups items
    stated: str = ""
    """The settings of gold and submissions by which it is read, where a draft chose some."""

    @cached_property
    def facts(self) -> TaskFacts:
        """Facts that gold gives about the submissions."""
        return facts_of(self.target, self.table)

    @property
    def labels(self) -> Sequence[str]:
        """The labels that occur, or are declared."""
        return self.gold.label_set.labels

    def __reduce__(self) -> tuple[Callable[[], "GoldFile"], tuple[()]]:
        gold = replace(self.gold, source=None, group_file=None)
        target = replace(self.target, gold=gold)
        table = replace(self.table, ids=None, labels=(), lines=(), issues=())
        whole = partial(
            type(self),
            path=self.path,
            gold=gold,
            target=target,
            table=table,
            settings=self.settings,
        )
        return whole, ()

    def read(self, path: str, data: bytes, settings: TrackSettings) -> Checked:
        """One submission read and aligned, whatever is wrong with it."""
        return read_submission(path, data, settings, self.facts, self.target)


def facts_of(target: Target, table: Table | None) -> TaskFacts:
    """Facts that gold, and its file as it was read, give about the submissions."""
    label_set = target.gold.label_set
    is_on_scale = bool(label_set.scale)
    facts = TaskFacts(
        label_set.code_of, target.position_of, target.gold.n_items, is_on_scale=is_on_scale
    )
    if table is None:
        return facts
    return replace(facts, gold=table.layout, others=table.others)
