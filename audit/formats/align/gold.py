"""A table → Gold: its label set, its codes, its groups and slices."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np

from audit.domain import (
    MOST_SLICES,
    Gold,
    LabelSet,
    SliceColumn,
    SourceFile,
    code_dtype,
    labels_on_scale,
    numerals,
)
from audit.errors import ISSUE_KINDS, InputError, Issue
from audit.formats.align.changed_ids import headers_in_gold
from audit.formats.align.groups import groups_of
from audit.formats.files.limits import MOST_LABELS
from audit.formats.settings.answers import IN_ORDER, SETS, are_tag_lists, labels_in_one, number_of
from audit.formats.settings.layout import toml_list
from audit.formats.settings.parsing import TrackSettings
from audit.formats.table.parsed import Table, counted, line_list, repeated_ids
from audit.text import (
    agreeing,
    are_measurements,
    did_you_mean,
    listed,
    look_of,
    lookalikes,
    plural,
    quoted,
    told_apart,
)


def slices_of(table: Table) -> tuple[tuple[SliceColumn, ...], list[Issue]]:
    """The columns of gold that cut the test set, with the value of each item; or why some cannot."""
    layout = table.layout
    columns = [
        (layout.column_name(number), cells)
        for number, cells in zip(layout.slices, table.slices, strict=True)
    ]
    issues = [*_misplaced(table)]
    for name, cells in columns:
        issues += _issues(name, cells, table)
    return () if issues else tuple(SliceColumn.of(name, cells) for name, cells in columns), issues


def _misplaced(table: Table) -> Iterator[Issue]:
    """An issue for a column that holds something else, or is named twice."""
    layout = table.layout
    for number in dict.fromkeys(layout.slices):
        called = quoted(layout.column_name(number))
        if number in layout.label or number in (layout.id or ()):
            if number in layout.label:
                contents = "labels"
            else:
                contents = "ids"
            yield table.issue(
                "gold-bad-slices", f"slices names {called}, which holds the {contents}"
            )
        if layout.slices.count(number) > 1:
            yield table.issue(
                "gold-bad-slices", f"slices names {called} twice", expected="each column once"
            )


def _issues(name: str, cells: Sequence[str], table: Table) -> Iterator[Issue]:
    """The issues that keep a column from cutting the test set."""
    blank = [row for row, cell in enumerate(cells) if not cell.strip()]
    if blank:
        defect = f"{counted(len(blank), 'item')} without a value in {quoted(name)}"
        yield table.issue(
            "gold-bad-slices",
            defect,
            blank,
            expected="a value for every item, such as other for none",
        )
    values = {cell for cell in cells if cell.strip()}
    if len(values) > MOST_SLICES:
        yield table.issue(
            "gold-bad-slices", f"the column {quoted(name)} has {len(values):,} different values"
        )
    elif len(values) == 1 and not blank:
        yield table.issue(
            "gold-bad-slices", f"the column {quoted(name)} has one value for all items"
        )
    elif alike := next(iter(lookalikes(values, look_of)), ()):
        defect = f"{listed(told_apart(alike))} in the column {quoted(name)} look alike, or differ only in case"
        rows = [row for row, cell in enumerate(cells) if cell in alike[1:]]
        yield table.issue("gold-bad-slices", defect, rows, expected="one spelling of each value")


_ONE_EACH = "one label for each item, or a declared label set"
_ANOTHER_ID = (
    "name the column, or the columns, that tell gold's items apart in task.toml: [gold] id = …; or, where items are "
    "known by their order, id = false"
)
_NO_ANSWERS = frozenset({"nan", "na", "n/a", "#n/a", "null", "-", "?"})
_RARE = 20  # one of more items than this has it
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


def sorted_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Distinct labels in sorted order; where all are numbers, in the order of their values."""
    distinct = sorted(set(labels))
    if all(map(_NUMBER.fullmatch, distinct)):
        distinct.sort(key=Decimal)
    return tuple(distinct)


_STEPS = ({"low", "medium", "high"}, {"strongly disagree", "disagree", "agree", "strongly agree"})
_FEWEST_STEPS = 3
_MOST_STEPS = 11


def may_be_a_scale(labels: Sequence[str]) -> bool:
    """Whether labels are consecutive whole numbers, or words that name steps."""
    if not _FEWEST_STEPS <= len(labels) <= _MOST_STEPS:
        return False
    if all(label.isascii() and label.isdigit() for label in labels):
        numbers = sorted(map(int, labels))
        return numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return any(steps <= {label.casefold() for label in labels} for steps in _STEPS)


def build_gold(
    table: Table,
    settings: TrackSettings,
    source: SourceFile | None,
    lines_of_groups: Sequence[str] | None = None,
) -> Gold:
    """Gold from its table; where task.toml names a second file of groups, its lines say which items belong together."""
    declared = settings.toml.labels
    if not table.labels:
        raise InputError(
            table.issues
            or [table.issue("gold-one-class", f"no {table.layout.kind.unit} holds an item")]
        )
    if (
        table.layout.format == "lines"
        and "" in table.labels
        and table.labels.index("") == len(table.labels) - 1
    ):
        # an empty line at the end is no item
        table = replace(table, labels=table.labels[:-1], lines=table.lines[:-1])
    present = set(table.labels) - {""}
    if len(present) > MOST_LABELS:
        defect = f"{len(present):,} different labels, and at most {MOST_LABELS:,} are scored"
        raise InputError(
            [table.issue("too-large", defect, remedy="name the column of the labels: label = …")]
        )
    groups = groups_of(table, settings.gold_layout.group, lines_of_groups)
    slices, slice_issues = slices_of(table)
    if declared is not None:
        labels = declared
    else:
        labels = sorted_labels(present)
    are_doubtful = any(issue.slug == "doubtful-id" for issue in table.issues)
    issues = [
        *table.issues,
        *headers_in_gold(table, is_declared=declared is not None),
        *_missing(table),
        *([] if declared is not None else summary_lines(table)),
        *(() if groups is None else groups.issues),
        *slice_issues,
        *_unknown(table, labels),
        *([] if are_doubtful else repeated_ids(table, _ANOTHER_ID)),
        *([] if declared is not None else _doubtful_labels(table, labels)),
        *_of_scale(settings, labels),
    ]
    if len(present) < 2 and not table.issues:  # noqa: PLR2004 - a ranking needs two classes
        only = next(iter(present), None)
        if only is None:
            defect = "no item has a label"
        else:
            defect = f"every item has the label {quoted(only)}"
        issues.append(table.issue("gold-one-class", defect))
    # ids that Excel rounded may be told apart all the same
    if any(issue.fatal for issue in issues):
        raise InputError(table.in_units(issues))
    labels, scale = labels_on_scale(labels, settings.toml.scale, settings.toml.order)
    label_set = LabelSet(labels, declared=declared is not None, scale=scale)
    codes = np.fromiter(
        map(label_set.code_of.__getitem__, table.labels), code_dtype(len(labels)), len(table.labels)
    )
    return Gold(
        label_set,
        codes,
        None if table.ids is None else tuple(table.ids),
        source,
        None if groups is None else groups.numbers,
        None if groups is None else groups.unit,
        stratified=(settings.toml.wide or settings.toml.gold).stratified,
        slices=slices,
    )


def _of_scale(settings: TrackSettings, labels: Sequence[str]) -> Iterator[Issue]:
    """The issues of a scale whose labels gold alone gives, and of numbers that are to be rounded to no numbers."""
    toml = settings.toml
    numbers = numerals(labels)
    if toml.scale is True and toml.labels is None and not numbers:
        shown = listed(list(map(quoted, labels)), limit=5)
        defect = f"scale without labels, and gold's labels are no numerals: {shown}"
        yield settings.issue("bad-setting", defect, "scale", expected=IN_ORDER)
    elif toml.scale is True and toml.order is None and len(set(numbers)) < len(numbers):
        twice = next(number for number in numbers if numbers.count(number) > 1)
        alike = [
            quoted(label) for label, number in zip(labels, numbers, strict=True) if number == twice
        ]
        defect = f"{listed(alike)} are one number, and two labels of a scale"
        yield settings.issue(
            "bad-setting", defect, "scale", expected="numerals of different values, or order = […]"
        )
    if toml.round is not None and toml.scale is False:
        expected = "labels on a scale: scale = true"
        yield settings.issue(
            "bad-setting", 'round = "nearest" without scale', "round", expected=expected
        )
    elif toml.round is not None and toml.scale is True and not numbers:
        expected = "labels that are numerals, or the value of each: scale = [0, 1, 2]"
        yield settings.issue(
            "bad-setting", 'round = "nearest" of labels that are words', "round", expected=expected
        )


def _rows_of(table: Table, labels: Container[str]) -> list[int]:
    """The rows that have one of these labels."""
    return [row for row, label in enumerate(table.labels) if label in labels]


def _missing(table: Table) -> Iterator[Issue]:
    """The issue for items without a label; blank lines among several words may stand between sequences."""
    if rows := _rows_of(table, {""}):
        remedy = ISSUE_KINDS["gold-missing-label"].remedy
        if table.layout.format == "lines" and any(
            " " in label or "\t" in label for label in table.labels
        ):
            remedy += '; or, where blank lines stand between sequences, write under [gold]: format = "tokens"'
        yield table.issue(
            "gold-missing-label",
            f"{plural(len(rows), 'item')} without a label",
            rows,
            remedy=remedy,
        )


def _unknown(table: Table, labels: Sequence[str]) -> Iterator[Issue]:
    """An issue for each label that is not declared."""
    known = {"", *labels}
    for label in (label for label in dict.fromkeys(table.labels) if label not in known):
        defect = f"the label {quoted(label)}.{did_you_mean(label, labels)}"
        yield table.issue("gold-unknown-label", defect, _rows_of(table, {label}))


def _doubtful_labels(table: Table, labels: Sequence[str]) -> list[Issue]:
    """The issues for labels that are hardly what task.toml would declare."""
    if are_measurements(labels, len(table.labels)):
        return [_measurements(table, labels)]
    return [
        *_nearly_one(table, labels),
        *_several_in_one(table, labels),
        *_no_answers(table, labels),
    ]


def _no_answers(table: Table, labels: Sequence[str]) -> Iterator[Issue]:
    """The issue for labels that are rather marks of items without one: nan, NA, -, ?, and a rare -1 beside 0 and 1."""
    counts = Counter(table.labels)
    others = set(labels) - {"-1"}
    is_rare = others < set(map(str, range(len(labels)))) and counts["-1"] * _RARE < len(
        table.labels
    )
    odd = [
        label for label in labels if label.casefold() in _NO_ANSWERS or (label == "-1" and is_rare)
    ]
    if odd and len(odd) < len(labels):
        rows = _rows_of(table, odd)
        defect = f"{listed([quoted(label) for label in odd])} on {plural(len(rows), 'item')}: a class, or no label?"
        remedy = (
            "give these items the labels that they have; or, if it is a class, declare it in task.toml: "
            f"labels = {toml_list(labels)}"
        )
        yield table.issue("ambiguous-reading", defect, rows, expected=_ONE_EACH, remedy=remedy)


_OF_SUMMARIES = frozenset(
    {
        "accuracy", "acc", "precision", "recall", "f", "f1", "fscore", "score", "scores", "kappa", "mcc", "auc",
        "macro", "micro", "weighted", "total", "sum", "average", "avg", "mean", "overall", "count", "support",
    }
)  # fmt: skip


def summary_lines(table: Table) -> Iterator[Issue]:
    """The issue for a last line that is rather a score or a total of the file: a number where no other label is one."""
    last = table.labels[-1]
    others = set(table.labels[:-1])
    is_decimal = number_of(last.rstrip("%")) is not None and not last.strip().isdigit()
    is_alone = not any(_is_such_a_number(label, is_decimal=is_decimal) for label in others)
    if not others or number_of(last.rstrip("%")) is None or not is_alone or table.ids is None:
        return
    *ids, last_id = table.ids
    is_named = not _OF_SUMMARIES.isdisjoint(re.split(r"[\W_]+", last_id.casefold()))
    is_unlike = not re.search("[0-9]", last_id) and all(
        re.search("[0-9]", item_id) for item_id in ids
    )
    if is_named or is_unlike:
        shown = f"{quoted(last_id.replace(chr(9), ', '))}, {quoted(last)}"
        defect = f"the last {table.layout.kind.unit}, {shown}, is rather a score of the file than an item"
        remedy = "remove it; or, if it is an item, declare its label in task.toml: labels = […]"
        yield table.issue(
            "ambiguous-reading", defect, [len(ids)], expected="items alone", remedy=remedy
        )


def _is_such_a_number(label: str, *, is_decimal: bool) -> bool:
    """Whether a label is a number; of numbers with decimals, whether it has some, too."""
    is_number = number_of(label.rstrip("%")) is not None
    return is_number and not (is_decimal and label.strip().isdigit())


def _measurements(table: Table, labels: Sequence[str]) -> Issue:
    """The issue for numbers to be predicted, of which a team that comes close would be as wrong as any."""
    shown = listed([quoted(label, 30) for label in labels], limit=3)
    n_items = plural(len(table.labels), "item")
    defect = (
        f"these look like numbers to be predicted, not classes: {len(labels):,} different "
        f"ones on {n_items}, {shown}"
    )
    expected = "classes, to which a number that is nearly right is wrong; or ratings"
    remedy = (
        'if teams predict these numbers, write at the top of task.toml: kind = "ratings"; else name the column of the '
        "classes, under [gold]: label = …; or, if each number is a class, declare them all: labels = […]"
    )
    return table.issue("ambiguous-reading", defect, expected=expected, remedy=remedy)


def _several_in_one(table: Table, labels: Sequence[str]) -> Iterator[Issue]:
    """The issue for cells of several labels, of which each combination would be a class of its own."""
    kind = table.layout.format
    # Where lines are lists of tags, the two readings were told apart already.
    are_tags = kind not in {"lines", "sequences", "tokens"} and are_tag_lists(labels)
    joined = frozenset(labels if are_tags else () if kind == "sequences" else labels_in_one(labels))
    if not joined:
        return
    shown = listed([quoted(label, 30) for label in labels if label in joined], limit=3)
    look = agreeing(len(joined), "looks", "look")
    defect = f"{len(joined):,} of {plural(len(labels), 'label')} {look} like several labels in one cell: {shown}"
    remedy = (
        f"where an item has several labels, write into task.toml: {SETS}; if each combination is a class, declare them "
        f"all: labels = {toml_list(labels)}"
    )
    if are_tags:
        remedy += '; if each tag is an answer, write one list on each line of a text file (format = "sequences")'
    yield table.issue(
        "ambiguous-reading", defect, _rows_of(table, joined), expected=_ONE_EACH, remedy=remedy
    )


def _nearly_one(table: Table, labels: Sequence[str]) -> Iterator[Issue]:
    """An issue for every group of labels that are one class misspelt, or several that task.toml has to declare."""
    counts = Counter(table.labels)
    expected = "labels that differ in more than that, or a declared label set"
    remedy = f"correct the file; or, if each is a class, declare them in task.toml: labels = {toml_list(labels)}"
    for group in lookalikes(labels, look_of):
        by_count = sorted(group, key=lambda label: -counts[label])
        usual_shown, *rarer_shown = told_apart(by_count)
        rows = _rows_of(table, by_count[1:])
        where = line_list([table.lines[row] for row in rows], table.layout.kind.unit)
        defect = f"{listed(rarer_shown)} on {where} and {usual_shown} on others look alike, or differ only in case"
        yield table.issue("ambiguous-reading", defect, rows, expected=expected, remedy=remedy)
