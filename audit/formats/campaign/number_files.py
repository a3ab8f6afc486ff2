"""Files of numbers: gold and predictions of ratings, and what a scorer gave each team for every item."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from audit.domain import Gold, JournalEntry, LabelSet, Policies, ScoreColumn, SourceFile, code_dtype
from audit.domain.arrays import Bools, Floats
from audit.errors import InputError, Issue, UsageError
from audit.formats.align.alignment import Checked, Target
from audit.formats.align.gold import slices_of
from audit.formats.align.groups import groups_of
from audit.formats.campaign.submission import GoldFile, checked, decided, refuse_copy, with_ways_out
from audit.formats.files.content import Content, decode, unpacked
from audit.formats.numbers.columns import StatedColumn, number_columns
from audit.formats.numbers.items import (
    columns_without_range,
    filled,
    how_missing,
    numbers_label_set,
    outside_range,
)
from audit.formats.numbers.rating_tables import NO_NUMBER, number_table, numbers_of
from audit.formats.numbers.score_formats import ScoreTable, tables_in
from audit.formats.recognise import read_table
from audit.formats.settings.layout import StatedLayout
from audit.formats.settings.parsing import TrackSettings
from audit.formats.table.parsed import Table, TaskFacts, capped, repeated_ids
from audit.text import did_you_mean, listed, plural, quoted

_ANOTHER_ID = (
    "name the column that tells gold's items apart: --id COLUMN; or write under [gold]: id = …"
)
_SHOWN = 4


# Ratings


@dataclass(frozen=True, eq=False, kw_only=True)
class GoldRatings(GoldFile):
    """Gold that is a number for each item; submissions are read as tables of numbers."""

    @cached_property
    def facts(self) -> TaskFacts:
        """What gold says of the items; of numbers it says nothing."""
        return facts_of_numbers(self.target, self.table)

    def read(self, path: str, data: bytes, settings: TrackSettings) -> Checked:
        """The predictions of one submission, whatever is wrong with them."""
        return read_ratings(path, data, settings, self.facts, self.target)


def facts_of_numbers(target: Target, table: Table | None) -> TaskFacts:
    """Facts that gold, and its file as it was read, give about submissions of numbers."""
    layout = None if table is None else table.layout
    return TaskFacts(None, target.position_of, target.gold.n_items, layout)


def build_ratings(
    table: Table,
    settings: TrackSettings,
    source: SourceFile | None,
    lines_of_groups: Sequence[str] | None = None,
) -> Gold:
    """Gold of ratings from its table, whose labels are numbers as text."""
    if not table.labels:
        raise InputError([*table.issues, table.issue("gold-one-class", "no line holds an item")])
    numbers, issues = numbers_of(table)
    groups = groups_of(table, settings.gold_layout.group, lines_of_groups)
    slices, slice_issues = slices_of(table)
    without = np.flatnonzero(np.isnan(numbers)).tolist()
    every = [*table.issues, *issues, *slice_issues, *repeated_ids(table, _ANOTHER_ID)]
    if without and not issues:
        defect = f"{plural(len(without), 'item')} without a number"
        remedy = "give them a number, or take them out of all files"
        every.append(table.issue("gold-missing-label", defect, without, remedy=remedy))
    if groups is not None:
        every += groups.issues
    if len(numbers) and not issues and not without and bool((numbers == numbers[0]).all()):
        defect = f"every item has the number {numbers[0]:g}"
        expected = "numbers that differ: correlations with one number are undefined"
        remedy = "check that this is the gold file, and which column holds the numbers"
        every.append(table.issue("gold-one-class", defect, expected=expected, remedy=remedy))
    if any(issue.fatal for issue in every):
        raise InputError(table.in_units(every))
    label_set = numbers_label_set(settings.toml.stated_kind)
    return Gold(
        label_set,
        np.zeros(len(table.labels), code_dtype(1)),
        None if table.ids is None else tuple(table.ids),
        source,
        None if groups is None else groups.numbers,
        None if groups is None else groups.unit,
        slices=slices,
        numbers=numbers,
    )


def check_rating_file(path: str, data: bytes, gold: Gold, settings: TrackSettings) -> Checked:
    """One submission of predicted numbers, read as a load would."""
    table = None
    if gold.source is not None:
        with suppress(InputError):  # of settings that have changed since
            source = unpacked(gold.source.path, gold.source.content)
            content = decode(gold.source.path, source, settings.gold_layout.encoding)
            table = number_table(content, settings.gold_layout, TaskFacts(None))
    target = target_of_numbers(gold, settings.policies)
    return read_ratings(path, data, settings, facts_of_numbers(target, table), target)


def check_score_file(path: str, data: bytes, gold: Gold, settings: TrackSettings) -> Checked:
    """A scorer's output for one team or several, read as a load would beside the items of a task."""
    items = ScoreItems(gold)
    try:
        tables = wanted_tables(path, data, settings)
        for table in tables:
            _check_known_columns(path, table, gold.label_set)
    except InputError as error:
        return Checked(path, None, issues=capped(error.issues))
    read = [check_scores(path, table, items, settings) for table in tables]
    refused = [each for each in read if not each.is_accepted]
    first = [*refused, *read][0]
    issues = tuple(issue for each in read for issue in each.issues)
    return replace(first, issues=capped(issues))


def _check_known_columns(path: str, table: ScoreTable, label_set: LabelSet) -> None:
    """Refuse a table without some column of the task."""
    names = [column.name for column in label_set.columns]
    lacking = [quoted(name, 40) for name in names if name not in table.columns]
    if lacking:
        defect = f"no column {listed(lacking, limit=_SHOWN)}"
        expected = f"the columns {listed([quoted(name, 40) for name in names], limit=8)}"
        remedy = "have the scorer write the same columns for every team"
        raise InputError(
            [Issue.of("wrong-columns", path, defect, expected=expected, remedy=remedy)]
        )


def target_of_numbers(gold: Gold, policies: Policies) -> Target:
    """Gold as submissions of numbers are aligned with it: where nothing is stated of missing ones, they are refused."""
    if policies.missing not in gold.label_set.kind.traits.missing:
        policies = replace(policies, missing="reject")
    return Target(gold, policies=policies)


def read_ratings(
    path: str, data: bytes, settings: TrackSettings, facts: TaskFacts, target: Target
) -> Checked:
    """Read one submission of predicted numbers, and align it with gold."""
    gold, stated = target.gold, settings.submission_layout
    try:
        content = decode(path, unpacked(path, data), stated.encoding)
        table = number_table(content, stated, facts)
        numbers, issues = numbers_of(table)
        is_alike = facts.gold is not None and facts.gold.names == table.layout.names
        is_copy = (
            is_alike
            and np.array_equal(numbers, np.asarray(gold.numbers))
            and table.ids == target.ids
        )
        refuse_copy(path, settings, is_copy=is_copy)
    except InputError as error:
        return Checked(path, None, issues=capped(error.issues))
    (name,) = gold.label_set.labels
    labels = ["" if cell.strip().casefold() in NO_NUMBER else name for cell in table.labels]
    as_one = replace(table, labels=labels, issues=(*table.issues, *issues))
    is_realigned = table.ids is None and facts.ids is not None
    found = checked(as_one, target, stated, is_realigned=is_realigned)
    found = _worded(found, settings, gold)
    values = None
    if found.codes is not None and found.row_of is not None:
        in_order = np.where(found.row_of < 0, np.nan, numbers[found.row_of])
        values = filled(in_order[:, None], target.policies.missing, gold.label_set)[:, 0]

    def read(stated: StatedLayout, facts: TaskFacts) -> Table:
        other = number_table(content, stated, facts)
        return replace(other, labels=[name if cell else "" for cell in other.labels])

    ways = with_ways_out(found.issues, read, settings, facts, target)
    return replace(found, issues=ways, scores=values, row_of=None)


def _worded(found: Checked, settings: TrackSettings, gold: Gold) -> Checked:
    """What was found, said of numbers; of missing ones what can be stated."""
    issues = []
    for issue in found.issues:
        words = issue.found.replace("label set", "numbers").replace("a label", "a number")
        said = replace(issue, found=words.replace("labels", "numbers"))
        if issue.slug in {"missing-item", "missing-label"} and issue.fatal:
            said = replace(said, remedy=how_missing(gold.label_set, settings.policies.missing))
        if issue.slug == "no-usable-answer":
            remedy = (
                "name the column of the numbers: --label COLUMN; or ask the team for the file again"
            )
            said = replace(said, expected="a number for each item", remedy=remedy, choices=())
        issues.append(said)
    layout = found.layout and in_numbers(found.layout)
    journal = [replace(entry, text=in_numbers(entry.text)) for entry in found.journal]
    return replace(found, issues=tuple(issues), layout=layout, journal=tuple(journal))


def in_numbers(text: str) -> str:
    """How a file was read, said of numbers.

    >>> in_numbers("tab-separated, header; column “id” holds the ids, column “score” the labels")
    'tab-separated, header; column “id” holds the ids, column “score” the numbers'
    """
    return text.replace("the labels", "the numbers").replace("one label", "one number")


# Scores


@dataclass(frozen=True, eq=False)
class ScoreItems:
    """The items of a task whose scorer's output is read, and its columns."""

    gold: Gold
    sentences: tuple[str, ...] = ()
    by_position: bool = False
    is_closed: bool = True  # whether other items than these are none of the task

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        """The columns in the order of the ranking's metrics."""
        return self.gold.label_set.columns

    @cached_property
    def position_of(self) -> Mapping[str, int]:
        """Id → position."""
        return {item_id: place for place, item_id in enumerate(self.gold.item_ids or ())}

    def values_of(self, table: ScoreTable) -> Floats:
        """A table's numbers in the order of items and columns, shape (N, K), NaN where it has none."""
        places = [table.columns.index(column.name) for column in self.columns]
        if table.items == self.gold.item_ids:
            return table.values[:, places] + 0.0  # no negative zero
        values = np.full((self.gold.n_items, len(self.columns)), np.nan)
        rows = np.array([self.position_of.get(item, -1) for item in table.items], dtype=np.int64)
        is_known = rows >= 0
        values[rows[is_known]] = table.values[is_known][:, places]
        return values + 0.0


def wanted_tables(path: str, data: bytes, settings: TrackSettings) -> list[ScoreTable]:
    """The tables of a scorer's file, with the columns that task.toml names, or all."""
    tables = tables_in(path, data, _id_name(settings))
    named = tuple(map(str, settings.submission_layout.label or ()))
    if not named:
        return tables
    for table in tables:
        for name in named:
            if name not in table.columns:
                defect = f"no column {quoted(name)}.{did_you_mean(name, table.columns)}"
                columns = listed([quoted(each) for each in table.columns], limit=8)
                expected = f"one of its columns {columns}"
                raise InputError([Issue.of("no-such-column", path, defect, expected=expected)])
    return [table.of_columns(named) for table in tables]


def _id_name(settings: TrackSettings) -> str | None:
    """The column of ids that is named for submissions, or for the list of items."""
    stated = settings.submission_layout.id or settings.gold_layout.id
    if not stated:
        return None
    return str(stated[0])


def joined_tables(tables: Sequence[ScoreTable]) -> ScoreTable | None:
    """Tables of one team with different columns as one; None where two have a column in common."""
    columns = [column for table in tables for column in table.columns]
    if len(set(columns)) < len(columns):
        return None
    items = dict.fromkeys(item for table in tables for item in table.items)
    place_of = {item: place for place, item in enumerate(items)}
    values = np.full((len(items), len(columns)), np.nan)
    start = 0
    for table in tables:
        rows = [place_of[item] for item in table.items]
        stop = start + len(table.columns)
        values[np.array(rows, dtype=np.int64), start:stop] = table.values
        start = stop
    first = tables[0]
    by_position = all(table.by_position for table in tables)
    return replace(
        first,
        items=tuple(items),
        columns=tuple(columns),
        values=values,
        by_position=by_position,
    )


def items_of_scores(
    tables: Sequence[ScoreTable],
    paths: Sequence[str],
    settings: TrackSettings,
    listing: "ItemList | None",
    door: str,
) -> ScoreItems:
    """The items and columns of a task, from what the scorer gave all teams, and a list of items where there is one."""
    names = tables[0].columns
    _check_columns(tables, paths)
    by_position = all(table.by_position for table in tables)
    _check_lengths(tables, paths, listing, by_position=by_position)
    stated = {
        name: StatedColumn(column.is_better, column.range)
        for name, column in settings.toml.columns.items()
    }
    try:
        columns, sentences = number_columns(names, stated, _how(door))
    except UsageError as error:
        found, _, remedy = str(error).partition(" State it: ")
        issue = settings.issue("bad-setting", found, "columns", remedy=remedy or None)
        raise InputError([issue]) from None
    label_set = numbers_label_set(settings.toml.stated_kind, columns)
    if listing is None:
        items = tuple(dict.fromkeys(item for table in tables for item in table.items))
        gold = Gold(label_set, np.zeros(len(items), code_dtype(1)), items)
        return ScoreItems(gold, sentences, by_position, is_closed=False)
    gold = replace(listing.gold, label_set=label_set)
    if gold.item_ids is None:
        gold = replace(gold, item_ids=tuple(str(1 + place) for place in range(gold.n_items)))
    return ScoreItems(gold, sentences, by_position)


def _how(door: str) -> str:
    """How a direction is stated."""
    if door == "options":
        return "--better {name}=higher"
    return '[columns."{name}"] better = "higher"'


def _check_columns(tables: Sequence[ScoreTable], paths: Sequence[str]) -> None:
    """Refuse teams for which the scorer has other columns."""
    first = tables[0]
    issues = []
    for table, path in zip(tables, paths, strict=True):
        if set(table.columns) != set(first.columns):
            found, expected = (
                listed([quoted(name, 40) for name in each.columns], limit=_SHOWN)
                for each in (table, first)
            )
            both = [name for name in first.columns if all(name in each.columns for each in tables)]
            remedy = "have the scorer write the same columns for every team"
            if both:
                columns = ",".join(both)
                remedy = f"name the columns that all have: --label {columns}; or label = … under [submissions]"
            defect = f"the columns are {found}"
            expected = f"those of {quoted(paths[0], 80)}: {expected}"
            issues.append(Issue.of("wrong-columns", path, defect, expected=expected, remedy=remedy))
    if issues:
        raise InputError(capped(issues))


def _check_lengths(
    tables: Sequence[ScoreTable],
    paths: Sequence[str],
    listing: "ItemList | None",
    *,
    by_position: bool,
) -> None:
    """Refuse tables without ids that have different numbers of rows, or stand beside others with ids."""
    without = [
        (table, path) for table, path in zip(tables, paths, strict=True) if table.by_position
    ]
    if not without:
        return
    first, first_path = without[0]
    n_items = len(first.items)
    expected = f"as many as {quoted(first_path, 80)} has, {n_items:,}"
    if listing is not None:
        n_items, expected = (
            listing.gold.n_items,
            f"as many as the list of items has, {listing.gold.n_items:,}",
        )
    remedy = "have the scorer write a number for each item, or ids"
    issues = []
    for table, path in without:
        if len(table.items) != n_items:
            defect = f"{plural(len(table.items), 'number')} without ids"
            issues.append(Issue.of("line-count", path, defect, expected=expected, remedy=remedy))
    if not issues and not by_position:
        defect = "no ids, and other teams' files have them"
        issues.append(
            Issue.of(
                "line-count", first_path, defect, expected="ids, as in the others", remedy=remedy
            )
        )
    if issues:
        raise InputError(capped(issues))


@dataclass(frozen=True, eq=False)
class ItemList:
    """A file of items beside a scorer's output: their ids, groups, parts and weights."""

    gold: Gold
    table: Table


def item_list(path: str, data: bytes, settings: TrackSettings) -> ItemList:
    """The items of a file that says which belong together, what cuts the test set, or what each counts."""
    stated = settings.gold_layout
    weight = settings.toml.gold.weight
    content = decode(path, unpacked(path, data), stated.encoding)
    table = _item_table(content, stated, weight)
    weights, issues = None, [*table.issues, *repeated_ids(table, _ANOTHER_ID)]
    if weight is not None:
        weights, odd = numbers_of(table)
        issues += odd
        low = np.flatnonzero(~(weights > 0)).tolist()
        if low and not odd:
            defect = f"{plural(len(low), 'item')} with a weight that is not above 0"
            remedy = "leave out items that count nothing, or give them a weight"
            issues.append(
                table.issue(
                    "gold-bad-weights", defect, low, expected="a number above 0", remedy=remedy
                )
            )
    groups = groups_of(table, stated.group)
    slices, slice_issues = slices_of(table)
    issues += slice_issues
    if groups is not None:
        issues += groups.issues
    if any(issue.fatal for issue in issues):
        raise InputError(table.in_units(issues))
    gold = Gold(
        numbers_label_set(settings.toml.stated_kind),
        np.zeros(len(table.labels), code_dtype(1)),
        None if table.ids is None else tuple(table.ids),
        SourceFile.of(path, data),
        None if groups is None else groups.numbers,
        None if groups is None else groups.unit,
        slices=slices,
        weights=weights,
    )
    return ItemList(gold, table)


def _item_table(content: Content, stated: StatedLayout, weight: str | int | None) -> Table:
    """The table of a list of items; what stands for labels in it is the weight, a group, or the id."""
    if weight is not None:
        return number_table(content, replace(stated, label=(weight,)), TaskFacts(None))
    if stated.further_columns:
        return read_table(
            content, replace(stated, label=stated.further_columns[:1]), TaskFacts(None)
        )
    table = read_table(content, replace(stated, id=False, label=stated.id or (1,)), TaskFacts(None))
    return replace(table, ids=table.labels)


# Each team's numbers beside the items


def check_scores(
    path: str,
    table: ScoreTable,
    items: ScoreItems,
    settings: TrackSettings,
    kept: Bools | None = None,
) -> Checked:
    """A team's numbers in the order of the items, whatever is wrong with them; of some items where these are named."""
    gold, policies = items.gold, settings.policies
    issues: list[Issue] = []
    if items.is_closed:
        issues += _extra_items(path, table, items, settings)
    values = items.values_of(table)
    if kept is not None:
        values = values[kept]
    issues += [
        _outside(path, column, values[rows, place])
        for place, column, rows in outside_range(values, gold.label_set)
    ]
    is_missing: Bools = np.asarray(np.isnan(values).any(axis=1))
    missing = policies.missing
    if missing not in gold.label_set.kind.traits.missing:
        missing = "reject"
    if is_missing.any():
        issues.append(_missing(path, is_missing, gold.label_set, policies.missing, missing))
    is_rejected = any(issue.fatal for issue in issues)
    words = f"{table.format}, {plural(len(table.items), 'item')}"
    journal = [JournalEntry("read", path, f"{words}.", len(table.items))]
    if is_rejected:
        return Checked(
            path,
            None,
            issues=tuple(issues),
            layout=table.format,
            is_assumed=True,
            journal=tuple(journal),
        )
    journal += decided(path, issues, policies)
    scores = filled(values, missing, gold.label_set)
    return Checked(
        path,
        is_missing.astype(code_dtype(1)),
        issues=tuple(issues),
        layout=table.format,
        is_assumed=True,
        journal=tuple(journal),
        scores=scores[:, 0] if len(items.columns) == 1 else scores,
    )


def _extra_items(
    path: str, table: ScoreTable, items: ScoreItems, settings: TrackSettings
) -> Iterator[Issue]:
    """The issue for items that the list of items lacks."""
    extra = [item for item in table.items if item not in items.position_of]
    if not extra:
        return
    is_ignored = settings.policies.extra == "ignore"
    defect = f"{plural(len(extra), 'item')} that the list of items lacks"
    remedy = (
        'check that these are scores of this test set; or write under [policies]: extra = "ignore"'
    )
    shown = listed([quoted(item, 40) for item in extra], limit=_SHOWN)
    yield Issue.of(
        "extra-item",
        path,
        defect,
        count=len(extra),
        items=shown,
        remedy=remedy,
        fatal=not is_ignored,
    )


def _outside(path: str, column: ScoreColumn, values: Floats) -> Issue:
    """The issue for numbers outside the range of their column."""
    scale = column.scale
    shown = listed([f"{value:g}" for value in dict.fromkeys(values.tolist())], limit=_SHOWN)
    defect = (
        f"{plural(len(values), 'number')} in {quoted(column.name, 40)} outside its range: {shown}"
    )
    expected = f"numbers from {scale.lower:g} to {scale.upper:g}"
    remedy = "correct the range that is stated, or the numbers"
    return Issue.of(
        "outside-range",
        path,
        defect,
        count=len(values),
        expected=expected,
        remedy=remedy,
        fatal=True,
    )


def _missing(path: str, is_missing: Bools, label_set: LabelSet, stated: str, missing: str) -> Issue:
    """The issue for items without a number."""
    n_missing = int(is_missing.sum())
    defect = f"no number for {plural(n_missing, 'item')} of {is_missing.size:,}"
    is_fatal = missing == "reject" or bool(is_missing.all())
    remedy = how_missing(label_set, stated) if is_fatal else None
    if missing == "worst" and (without := columns_without_range(label_set)):
        is_fatal = True
        name = without[0].name
        remedy = f"state the range of {quoted(name, 40)}: --range {name}=LOW,HIGH, or range = [LOW, HIGH]"
    return Issue.of("missing-item", path, defect, count=n_missing, fatal=is_fatal, remedy=remedy)
