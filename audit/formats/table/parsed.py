"""What a file says once its layout is decided: ids, labels and lines; what gold says of them before; and its issues."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from operator import itemgetter
from typing import Any

from audit.errors import MOST_LINES, InputError, Issue
from audit.formats.settings.answers import CLASH_EXPECTED, OF_SCORES, Column, Rule, Spelling
from audit.formats.settings.layout import Layout, Numbers, Separator, StatedLayout, toml_text
from audit.text import plural, quoted


def joined(columns: Sequence[Column]) -> Column:
    """The cells of a column; of several, the cells of each row joined by tabs."""
    if len(columns) == 1:
        return columns[0]
    return list(map("\t".join, zip(*columns, strict=True)))


_LONGEST_ID = 300  # characters of a cell in which a pattern is looked for


def shortened(ids: Column, pattern: str | None) -> Column:
    """The part of each cell that is the id by a pattern."""
    if pattern is None:
        return ids
    search = re.compile(pattern).search
    matches = ((cell, search(cell) if len(cell) <= _LONGEST_ID else None) for cell in ids)
    return [(match[match.lastindex or 0] if match else "") or cell for cell, match in matches]


_PATTERNS: Mapping[str, str] = {
    "folders before them": "([^/]+)$",
    "“.0” behind, as of numbers that were kept as floats": r"^(.+)\.0$",
    "folders and endings, as of names of files": r"([^/]+)\.[^./]+$",
    "zeros that they begin with": "^0*(.+)$",
    "blanks or quotes around them": "^[ \"']*(.*[^ \"'])",
}
"""What ids may differ in, with the ``id_pattern`` that leaves it out."""


@dataclass(frozen=True, slots=True)
class IdChange:
    """How most ids of a file differ from gold's."""

    words: str
    pattern: str = ""  # the ``id_pattern`` that leaves it out


def left_out_by_pattern(ids: Column, gold: Collection[str]) -> IdChange | None:
    """The difference between a file's ids and gold's where a pattern leaves it out of most."""
    for words, pattern in _PATTERNS.items():
        of_file = shortened(ids, pattern)
        of_gold = set(shortened(list(gold), pattern))
        if mostly(of_file, of_gold):
            return IdChange(except_for(words), pattern)
    return None


def except_for(words: str) -> str:
    """What ids differ in, as a sentence."""
    return f"the file's ids are gold's except for {words}"


def mostly(cells: Column, among: Collection[str]) -> bool:
    """Whether more than half of the cells are among others."""
    return 2 * sum(cell in among for cell in cells) > len(cells)


def labelled(columns: Sequence[Column], rule: Rule | None) -> Column:
    """The labels that cells are, or that a rule makes of them."""
    if rule is None:
        return columns[0]
    return rule.labels(columns)


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """Facts about the items and labels by which a file is recognised."""

    labels: Collection[str] | None = None
    """The label set; None for a gold file whose labels are not declared."""
    ids: Mapping[str, int] | None = None
    """The gold ids; None for gold itself, and where gold is known by position only."""
    n_items: int | None = None  # number of gold items; None for gold itself
    gold: Layout | None = None  # how the gold file was read; None for gold itself
    id_pattern: str | None = None  # the part of its cell that is the id
    is_on_scale: bool = False  # whether the labels are steps of a scale
    others: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Columns of gold beside the ids that tell its items apart, too, by their names."""

    @property
    def is_gold(self) -> bool:
        """Whether the file to be recognised is the gold file."""
        return self.n_items is None

    @property
    def section(self) -> str:
        """The table of task.toml that decides how the file is read."""
        if self.is_gold:
            return "[gold]"
        return "[submissions]"

    @property
    def id_name(self) -> str | None:
        """The name that the gold file gives its id column."""
        if self.gold is None:
            return None
        return self.gold.id_name

    @property
    def label_name(self) -> str | None:
        """The name that the gold file gives its label column."""
        if self.gold is None:
            return None
        return self.gold.label_name

    def separator(self, stated: StatedLayout) -> str | None:
        """How the lines between groups of sequences begin; those of gold are no items of a submission either."""
        if not self.is_gold:
            if self.gold is not None:
                return self.gold.separator or None
            return None
        if isinstance(stated.group, Separator):
            return stated.group.text
        return None


@dataclass(frozen=True, slots=True)
class Table:
    """The content of a file by one layout."""

    path: str  # the file
    layout: Layout  # how it was read
    ids: Sequence[str] | None
    """The parts of a composite one joined by tabs; None where rows are known by position."""
    labels: Sequence[str]  # each row's label, empty where none is given
    lines: Sequence[int]  # each row's line, row or entry, counted from 1
    issues: tuple[Issue, ...] = ()  # what was wrong with single rows
    groups: Sequence[str] | None = None  # each row's group; None where there are none
    slices: tuple[Sequence[str], ...] = ()  # each row's value in each column that cuts the test set
    scores: tuple[Sequence[str], ...] = ()
    """Each row's score as it stands, for each label with scores."""
    sequences: Sequence[int] | None = None
    """Rows of each; None where the file does not say where sequences end."""
    tokens: Sequence[str] | None = None  # the words that are tagged; None where the file gives none
    separated: Sequence[int] | None = None  # the group of each row by the lines between groups
    respelt: tuple[tuple[str, str, int], ...] = ()  # spelling, its label, number of rows
    n_rounded: int = 0  # rows with a number that was rounded to the nearest label of a scale
    others: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of gold, as in `TaskFacts`

    def issue(self, slug: str, defect: str, rows: Iterable[int] = (), **parts: Any) -> Issue:  # noqa: ANN401 - of an issue
        """An issue of some of the rows, or of the whole file."""
        return Issue.of(slug, self.path, defect, lines=[self.lines[row] for row in rows], **parts)

    def in_units(self, issues: Iterable[Issue]) -> tuple[Issue, ...]:
        """Issues, so many of a kind, in which lines, rows or entries are called so."""
        return tuple(in_unit(issue, self.layout.kind.unit) for issue in capped(issues))

    def says_the_same(self, other: "Table") -> bool:
        """Whether another table gives the same labels and scores to the same items."""
        if not self.labels and not other.labels:
            return True
        are_both_by_id = (self.ids is None) == (other.ids is None)
        same_ids = are_both_by_id and list(self.ids or ()) == list(other.ids or ())
        same_scores = list(map(list, self.scores)) == list(map(list, other.scores))
        return same_ids and same_scores and list(self.labels) == list(other.labels)

    def spelled(self, spelling: Spelling, labels: Collection[str] | None) -> "Table":
        """The table with every accepted spelling replaced by its label, and counted."""
        if spelling.is_silent:
            return self
        counts = Counter(self.labels)
        if labels is None and (clash := spelling.clash(counts)) is not None:
            alias, label = clash
            if label in counts:
                rows = [self.labels.index(label)]
            else:
                rows = []
            another = f"{toml_text(label)} = {toml_text(spelling.aliases[alias])}"
            remedy = f"leave the alias out; or, if gold’s label is meant too, write under [aliases]: {another}"
            words = spelling.clash_words(alias, label)
            raise InputError(
                [self.issue("bad-setting", words, rows, expected=CLASH_EXPECTED, remedy=remedy)]
            )
        changes = spelling.changes(counts, labels)
        rounded: dict[str, str] = {}
        if spelling.rounding is not None and labels is not None:
            rounded = spelling.rounding.nearest(counts.keys() - changes.keys(), labels)
        if not changes and not rounded:
            return self
        respelt = tuple((spelling, label, counts[spelling]) for spelling, label in changes.items())
        meant = {label: label for label in counts} | changes | rounded
        n_rounded = sum(counts[cell] for cell in rounded)
        labels_meant = list(map(meant.__getitem__, self.labels))
        return replace(self, labels=labels_meant, respelt=respelt, n_rounded=n_rounded)


# how many issues of one kind are listed for a file; one more issue counts the rest
MOST_OF_A_KIND = 20


def capped(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """The issues, at most twenty of a kind; the rest of a kind become one issue with their count."""
    by_kind: defaultdict[str, list[Issue]] = defaultdict(list)
    for issue in issues:
        by_kind[issue.slug].append(issue)
    shown: list[Issue] = []
    for kind in by_kind.values():
        shown += kind[:MOST_OF_A_KIND]
        if len(kind) > MOST_OF_A_KIND:
            shown.append(_rest(kind[MOST_OF_A_KIND:]))
    return tuple(shown)


def _rest(issues: Sequence[Issue]) -> Issue:
    """One issue for all of these, which are of a kind."""
    first = issues[0]
    return Issue.of(
        first.slug,
        first.file,
        f"and {len(issues):,} more",
        lines=[issue.lines[0] for issue in issues if issue.lines],
        count=sum(issue.count for issue in issues),
        remedy=first.remedy,
        fatal=first.fatal,
    )


def in_unit(issue: Issue, unit: str) -> Issue:
    """The issue of a file that is not made of lines: which row or entry it concerns is then said in words."""
    if unit == "line" or not issue.lines:
        return issue
    where = line_list(issue.lines, unit)
    if issue.count > len(issue.lines):
        more = f" and {issue.count - len(issue.lines):,} more"
    else:
        more = ""
    return replace(issue, found=f"{where}{more}: {issue.found}", lines=())


def counted(number: int, unit: str) -> str:
    """A number of lines, rows or entries in words."""
    if unit == "entry":
        return plural(number, unit, "entries")
    return plural(number, unit)


def line_list(lines: Iterable[int], unit: str = "line") -> str:
    """'line 3' or 'lines 3, 5 and 2 more'."""
    numbers = list(lines)
    shown = ", ".join(map(str, numbers[:MOST_LINES]))
    if len(numbers) > MOST_LINES:
        shown += f" and {len(numbers) - MOST_LINES:,} more"
    if len(numbers) == 1:
        return f"{unit} {shown}"
    units = counted(2, unit).removeprefix("2 ")
    return f"{units} {shown}"


def shown_id(item_id: str, layout: Layout) -> str:
    """An item's id for a message: the parts of a composite one with commas between."""
    if len(layout.id or ()) > 1:
        return item_id.replace("\t", ", ")
    return item_id


def repeated_ids(table: Table, remedy: str | None = None) -> Iterator[Issue]:
    """An issue for every id that stands on several lines."""
    ids = table.ids or ()
    if len(set(ids)) == len(ids):
        return
    lines_of: dict[str, list[int]] = {
        item_id: [] for item_id, count in Counter(ids).items() if count > 1
    }
    for item_id, line in zip(ids, table.lines, strict=True):
        if item_id in lines_of:
            lines_of[item_id].append(line)
    unit = table.layout.kind.unit
    for item_id, id_lines in lines_of.items():
        where = f"an id is on {line_list(id_lines, unit)}"
        item = quoted(shown_id(item_id, table.layout))
        shown = id_lines[:MOST_LINES]
        if unit != "line":
            shown = []
        yield Issue.of(
            "duplicate-item", table.path, where, lines=shown, count=1, remedy=remedy, items=item
        )


Row = list[str]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of cells, each with the line on which it begins."""

    rows: Sequence[Row]
    lines: Sequence[int]

    def below(self, n_above: int, limit: int | None = None) -> "Rows":
        """The rows below the first, at most as many as the limit."""
        if limit is None:
            stop = None
        else:
            stop = n_above + limit
        return Rows(self.rows[n_above:stop], self.lines[n_above:stop])

    def only(self, kept: Sequence[object]) -> "Rows":
        """The rows that are marked as kept."""
        return Rows(list(compress(self.rows, kept)), list(compress(self.lines, kept)))

    def body(self) -> "Rows":
        """The rows below the header, which is the first row with cells."""
        for number, row in enumerate(self.rows):
            if row:
                return self.below(number + 1)
        return self

    def column(self, number: int) -> list[str]:
        """The cells of a column, counted from 0."""
        return list(map(itemgetter(number), self.rows))

    def usual_width(self) -> tuple[int, float]:
        """The most frequent number of columns, several rather than one, and the share of the rows that have it."""
        counts = Counter(map(len, filter(None, self.rows)))
        several = Counter({width: count for width, count in counts.items() if width > 1}) or counts
        if not several:
            return 0, 0.0
        width, count = several.most_common(1)[0]
        return width, count / counts.total()


@dataclass(frozen=True, slots=True)
class ColumnFrame:
    """Columns of cells by their numbers."""

    cells: Mapping[int, Column]
    lines: Sequence[int]

    def column(self, number: int) -> Column:
        """The cells of a column, counted from 0."""
        return self.cells[number]


Frame = Rows | ColumnFrame


def table_of(path: str, layout: Layout, frame: Frame, issues: Sequence[Issue] = ()) -> Table:
    """All that columns hold, row by row, with a doubtful-id issue where the parts of an id hold a tab."""
    ids = None
    if layout.id is not None:
        ids = shortened(joined(_columns_of(frame, layout.id)), layout.id_pattern)
    groups = None
    if layout.group:
        groups = joined(_columns_of(frame, layout.group))
    scores = layout.score
    if isinstance(layout.rule, OF_SCORES):
        scores = layout.label
    return Table(
        path,
        layout,
        ids,
        labels=labelled(_columns_of(frame, layout.label), layout.rule),
        lines=frame.lines,
        issues=(*issues, *_tabs(path, layout, ids or (), frame.lines)),
        groups=groups,
        slices=tuple(_columns_of(frame, layout.slices)),
        scores=tuple(_columns_of(frame, scores)),
    )


def _columns_of(frame: Frame, numbers: Numbers) -> list[Column]:
    return [frame.column(number) for number in numbers]


def _tabs(path: str, layout: Layout, ids: Column, lines: Sequence[int]) -> Iterator[Issue]:
    n_parts = len(layout.id or ())
    if n_parts < 2 or not ids or "\t".join(ids).count("\t") == n_parts * len(ids) - 1:  # noqa: PLR2004 - parts are joined
        return
    odd = [item_id.count("\t") >= n_parts for item_id in ids]
    odd_lines = list(compress(lines, odd))
    shown = quoted(next(compress(ids, odd)))
    defect = f"a part of the id {shown} holds a tab"
    issue = Issue.of("doubtful-id", path, defect, lines=odd_lines)
    yield in_unit(issue, layout.kind.unit)
