"""The first rows of a table of cells → every layout of them: with and without a header, for each choice of columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from itertools import chain

from audit.errors import InputError, Issue
from audit.formats.files.limits import MOST_COLUMNS
from audit.formats.settings.layout import Keys, Layout
from audit.formats.table.columns import (
    ColumnChoice,
    Grid,
    choices,
    fits,
    fits_ids,
    fits_labels,
    is_id_name,
    is_label_name,
    names_both,
    unknown_columns,
    with_stated,
)
from audit.formats.table.parsed import TaskFacts
from audit.formats.table.text_rows import Rows, of_width

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_DIGIT = re.compile(r"\d")


class FirstRow(Enum):
    """The kinds of a first row."""

    HEADER = "header"
    DATA = "data"
    EITHER = "either"


def first_row(
    id_cell: str | None, label_cell: str, ids: Sequence[str] | None, labels: Sequence[str], facts: TaskFacts
) -> FirstRow:
    """The kind of the first row, judged by its two cells against the rows below and by gold."""
    named_id = _names_ids(id_cell, facts)
    named_label = _names_labels(label_cell, facts)
    if facts.ids is not None and id_cell in facts.ids:
        return FirstRow.EITHER if named_id and named_label else FirstRow.DATA
    if label_cell in (set(labels) if facts.labels is None else facts.labels):
        return FirstRow.EITHER if named_id else FirstRow.DATA
    if named_id:
        return FirstRow.HEADER
    return _of_unknown_cells(id_cell, label_cell, ids, labels, facts, named_label=named_label)


def is_named(id_cell: str | None, label_cell: str, facts: TaskFacts) -> bool:
    """Whether one of the two cells is a usual name of a column of ids or labels."""
    return _names_ids(id_cell, facts) or _names_labels(label_cell, facts)


def _names_ids(cell: str | None, facts: TaskFacts) -> bool:
    return cell is not None and (is_id_name(cell) or cell == facts.id_name)


def _names_labels(cell: str, facts: TaskFacts) -> bool:
    return is_label_name(cell) or cell == facts.label_name


def _of_unknown_cells(  # noqa: PLR0913 - the two cells, the two columns, and facts about them
    id_cell: str | None,
    label_cell: str,
    ids: Sequence[str] | None,
    labels: Sequence[str],
    facts: TaskFacts,
    *,
    named_label: bool,
) -> FirstRow:
    """The verdict on a first row whose id and label occur nowhere else."""
    if not label_cell:
        return FirstRow.DATA
    if id_cell is not None and ids and all(map(_DIGIT.search, ids)):
        like_the_rest = _DIGIT.search(id_cell)
        return (FirstRow.EITHER if named_label else FirstRow.DATA) if like_the_rest else FirstRow.HEADER
    if id_cell is None and not facts.is_gold:
        # By position, a misspelt label that is taken for a header would shift every answer.
        return FirstRow.HEADER if named_label else FirstRow.EITHER
    if named_label or (labels and all(map(_NUMBER.fullmatch, labels)) and not _NUMBER.fullmatch(label_cell)):
        return FirstRow.HEADER
    if facts.labels is not None:
        return FirstRow.HEADER
    # Gold, nothing declared: a class with a single item, or a header. Without it gold needs two classes all the same.
    return FirstRow.EITHER if len(set(labels)) > 1 else FirstRow.DATA


SAMPLE = 1000
"""How many lines of a submission decide its layout, which then has to hold for all lines; of gold, all lines decide."""

Key = tuple[tuple[str, ...], tuple[str, ...]]


class Trust(IntEnum):
    """The evidence that a layout rests on, firmest last."""

    NOTHING = 0
    ELIMINATION = 1
    NAMES = 2
    IDS = 3
    CONTENT = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A layout that is possible by the sample."""

    layout: Layout
    ids: tuple[str, ...]  # what it gives for the sample; two candidates that give the same are one layout
    labels: tuple[str, ...]
    lines: Sequence[int]  # the sample's line numbers
    trust: Trust  # what it rests on
    share: float = 1.0  # share of the sample's lines that have the expected number of columns, range (0, 1]

    @property
    def cells(self) -> Key:
        """The sample's ids and labels by this layout."""
        return self.ids, self.labels


@dataclass(frozen=True, slots=True)
class Findings:
    """The possible layouts by one format; where there is none, the refusals may say why."""

    candidates: tuple[Candidate, ...] = ()
    refusals: tuple[Issue, ...] = ()

    @classmethod
    def of(cls, several: Sequence["Findings"]) -> "Findings":
        """The findings of several tries together."""
        return cls(
            tuple(chain.from_iterable(each.candidates for each in several)),
            tuple(chain.from_iterable(each.refusals for each in several)),
        )


def candidates_of(
    layouts: Sequence[Layout], grid: Grid, lines: Sequence[int], facts: TaskFacts, share: float = 1.0
) -> tuple[Candidate, ...]:
    """The candidates for the same columns: each is trusted as much as the most trusted one, since they compete."""
    trust = max((_trust(layout, grid, facts) for layout in layouts), default=Trust.NOTHING)
    return tuple(
        Candidate(
            layout,
            () if layout.id is None else tuple(grid.ids(layout.id)),
            tuple(grid.labels(layout.label, layout.rule)),
            lines,
            trust,
            share,
        )
        for layout in layouts
    )


def _trust(layout: Layout, grid: Grid, facts: TaskFacts) -> Trust:
    choice = ColumnChoice(layout.id, layout.label)
    # Without its first row, which may be a header, a column must not fit better than with it: that would decide.
    if fits(grid, choice, layout.rule, facts) or fits(grid.below_first(), choice, layout.rule, facts):
        return Trust.CONTENT
    if layout.id is not None and facts.ids is not None and fits_ids(grid.ids(layout.id), facts):
        return Trust.IDS
    return Trust.NAMES if layout.names else Trust.ELIMINATION


def best_of(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that rest on the firmest ground: those that hold on every line, or else the least broken."""
    for trust in sorted(Trust, reverse=True):
        trusted = [candidate for candidate in candidates if candidate.trust == trust and candidate.share > 0.5]  # noqa: PLR2004 - most
        whole = [candidate for candidate in trusted if candidate.share == 1.0]
        if trusted:
            best = max(trusted, key=lambda candidate: candidate.share).layout.delimiter
            return whole or [candidate for candidate in trusted if candidate.layout.delimiter == best]
    return []


def find_named(path: str, how: Layout, grid: Grid, lines: Sequence[int], keys: Keys, facts: TaskFacts) -> Findings:  # noqa: PLR0913, PLR0917 - the columns, and facts about them
    """Every choice of columns that have names of their own; a single one of labels is that of labels in gold order."""
    column_choices = choices(grid, keys, facts, path)
    if not column_choices and len(grid.names) == 1 and fits_labels(grid.labels((0,), keys.rule), facts):
        column_choices = [ColumnChoice(None, (0,))]
    if not column_choices:
        raise InputError([unknown_columns(grid, facts, path)])
    how = replace(
        with_stated(how, grid, keys, path),
        names=grid.names,
        width=len(grid.names),
        rule=keys.rule,
        id_pattern=keys.id_pattern,
    )
    layouts = [replace(how, id=choice.id, label=choice.label) for choice in column_choices]
    return Findings(candidates_of(layouts, grid, lines, facts))


def named_grid(names: tuple[str, ...], rows: Rows) -> Grid:
    """The columns below a header, of the rows that are as wide."""
    body = [row for row in rows.body().rows if len(row) == len(names)]
    return Grid(list(zip(*body, strict=True)) or [()] * len(names), names)


@dataclass(frozen=True, slots=True)
class TableSample:
    """The first rows of a file, as far as they have the usual width."""

    path: str
    how: Layout  # the part of the layout that is decided before header and columns are
    rows: Rows  # the rows of the usual width
    strays: Sequence[Issue]  # an issue for every other row
    width: int  # the usual number of columns
    share: float  # share of the rows that have it, range [0, 1]
    keys: Keys  # the settings of task.toml for reading the file
    facts: TaskFacts  # the ids and labels of gold, as far as they are known

    @classmethod
    def of(cls, path: str, how: Layout, text_rows: Rows, keys: Keys, facts: TaskFacts) -> "TableSample":
        """The sample from its rows as they stand."""
        width, share = text_rows.usual_width()
        rows, strays = of_width(text_rows, width, path, keep_blank=keys.id is False)
        return cls(path, how, rows, strays, width, share, keys, facts)

    def find(self) -> Findings:
        """The layouts that task.toml, the names or the content allow."""
        one_is_enough = self.keys.label is not None and self.keys.id is False
        if self.width < (1 if one_is_enough else 2):
            return Findings()
        if self.width > MOST_COLUMNS:
            too_wide = f"{self.width:,} columns, and at most {MOST_COLUMNS:,} are looked at"
            return Findings(refusals=(Issue.of("unrecognised", self.path, too_wide),))
        if self.keys.header and self._starts_astray():
            return Findings(refusals=tuple(self.strays[:1]))
        candidates: list[Candidate] = []
        refusals: list[Issue] = []
        for header in self._headers():
            grid = self._grid(header=header)
            try:
                column_choices = choices(grid, self.keys, self.facts, self.path)
                how = with_stated(self.how, grid, self.keys, self.path)
            except InputError as refusal:
                refusals.extend(refusal.issues)
                continue
            candidates.extend(self._candidates(grid, column_choices, replace(how, header=header, names=grid.names)))
        if not candidates and not refusals and self.share == 1.0:
            first = self.rows.rows[0]
            is_headed = self.keys.header is not False and any(is_id_name(cell) or is_label_name(cell) for cell in first)
            refusals.append(unknown_columns(self._grid(header=is_headed), self.facts, self.path))
        return Findings(tuple(candidates), tuple(refusals))

    def _headers(self) -> Sequence[bool]:
        """Whether there can be a header: as task.toml says, or because it names a column, or either way."""
        if self.keys.header is not None:
            return [self.keys.header]
        if self._starts_astray():
            return [False]
        named = (*(self.keys.id or ()), *(self.keys.label or ()), *self.keys.further_columns)
        first = self.rows.rows[0]
        is_header = any(isinstance(column, str) for column in named) or (
            names_both(first)
            and not any(cell in known for cell in first for known in (self.facts.ids or (), self.facts.labels or ()))
        )
        return [True] if is_header else [True, False]

    def _starts_astray(self) -> bool:
        """Whether a row of another width stands above the others, where a header would."""
        return bool(self.strays) and self.strays[0].lines[0] < self.rows.lines[0]

    def _grid(self, *, header: bool) -> Grid:
        columns = list(zip(*self.rows.rows, strict=True))
        return Grid([column[header:] for column in columns], tuple(self.rows.rows[0]) if header else ())

    def _candidates(self, grid: Grid, column_choices: Sequence[ColumnChoice], how: Layout) -> Sequence[Candidate]:
        layouts = [
            replace(
                how,
                id=choice.id,
                label=choice.label,
                width=self.width,
                rule=self.keys.rule,
                id_pattern=self.keys.id_pattern,
            )
            for choice in column_choices
            if self.keys.header is not None or self._header_is_possible(grid, choice, header=how.header)
        ]
        return candidates_of(layouts, grid, self.rows.lines[how.header :], self.facts, self.share)

    def _header_is_possible(self, grid: Grid, choice: ColumnChoice, *, header: bool) -> bool:
        """Whether the first row can be what the layout takes it for."""
        whole = self._grid(header=False)
        ids = None if choice.id is None else whole.ids(choice.id)
        labels = whole.labels(choice.label, self.keys.rule)
        id_cell = None if ids is None else ids[0]
        verdict = first_row(id_cell, labels[0], ids and ids[1:], labels[1:], self.facts)
        strange = not self.facts.is_gold and not fits(grid, choice, self.keys.rule, self.facts)
        if verdict is FirstRow.HEADER and strange and not is_named(id_cell, labels[0], self.facts):
            verdict = FirstRow.DATA  # nothing in the file is known to gold, so the first row is no exception
        return verdict is not (FirstRow.DATA if header else FirstRow.HEADER)
