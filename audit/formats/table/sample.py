"""The first rows of a table of cells → every layout of them: with and without a header, for each choice of columns."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import chain

from audit.errors import InputError, Issue
from audit.formats.files.limits import MOST_COLUMNS
from audit.formats.settings.layout import Layout, StatedLayout
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
from audit.formats.table.parsed import Rows, TaskFacts
from audit.formats.table.text_rows import above_names, of_width

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_DIGIT = re.compile(r"\d")

HEADER = (True,)
DATA = (False,)
EITHER = (True, False)
"""What a first row can be: the possible values of `Layout.header`."""


def first_row(
    id_cell: str | None,
    label_cell: str,
    ids: Sequence[str] | None,
    labels: Sequence[str],
    facts: TaskFacts,
) -> Sequence[bool]:
    """What the first row can be, judged by its two cells against the rows below and by gold."""
    named_id = _names_ids(id_cell, facts)
    named_label = _names_labels(label_cell, facts)
    if facts.ids is not None and id_cell in facts.ids:
        if named_id and named_label:
            return EITHER
        return DATA
    if label_cell in (set(labels) if facts.labels is None else facts.labels):
        if named_id:
            return EITHER
        return DATA
    if named_id:
        return HEADER
    return _of_unknown_cells(id_cell, label_cell, ids, labels, facts)


def _of_unknown_cells(
    id_cell: str | None,
    label_cell: str,
    ids: Sequence[str] | None,
    labels: Sequence[str],
    facts: TaskFacts,
) -> Sequence[bool]:
    """What a first row can be whose id and label occur nowhere else."""
    named_label = _names_labels(label_cell, facts)
    if not label_cell:
        return DATA
    if id_cell is not None and ids and all(map(_DIGIT.search, ids)):
        like_the_rest = _DIGIT.search(id_cell)
        return (EITHER if named_label else DATA) if like_the_rest else HEADER
    if id_cell is None and not facts.is_gold:
        # By position, a misspelt label that is taken for a header would shift every answer.
        return HEADER if named_label else EITHER
    below_numbers = (
        labels and all(map(_NUMBER.fullmatch, labels)) and not _NUMBER.fullmatch(label_cell)
    )
    if named_label or below_numbers or facts.labels is not None:
        return HEADER
    # Gold, nothing declared: a class with a single item, or a header. Without it gold needs two classes all the same.
    return EITHER if len(set(labels)) > 1 else DATA


def is_named(id_cell: str | None, label_cell: str, facts: TaskFacts) -> bool:
    """Whether one of the two cells is a usual name of a column of ids or labels."""
    return _names_ids(id_cell, facts) or _names_labels(label_cell, facts)


def _names_ids(cell: str | None, facts: TaskFacts) -> bool:
    return cell is not None and (is_id_name(cell) or cell == facts.id_name)


def _names_labels(cell: str, facts: TaskFacts) -> bool:
    return is_label_name(cell) or cell == facts.label_name


SAMPLE = 1000
"""How many lines of a submission decide its layout, which then has to hold for all lines; of gold, all lines decide."""


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
    trust: Trust  # what it rests on
    share: float = 1.0
    """Share of the sample's lines that have the expected number of columns, range (0, 1]."""


Finding = Candidate | Issue
"""A layout that is possible by one format, or why one is not."""


def best_of(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that rest on the firmest ground: those that hold on every line, or else the least broken."""
    for trust in sorted(Trust, reverse=True):
        trusted = [
            candidate
            for candidate in candidates
            if candidate.trust == trust and candidate.share > 0.5  # noqa: PLR2004 - most
        ]
        whole = [candidate for candidate in trusted if candidate.share == 1.0]
        if trusted:
            best = max(trusted, key=lambda candidate: candidate.share).layout.delimiter
            return whole or [
                candidate for candidate in trusted if candidate.layout.delimiter == best
            ]
    return []


@dataclass(frozen=True, slots=True)
class Sample:
    """The first rows of a table below its names, or of one that has none."""

    path: str
    how: Layout  # what is decided before columns are; ``stated`` of these decisions
    grid: Grid
    issues: Sequence[Issue] = ()  # what is wrong with rows that are left out

    def candidates(
        self,
        stated: StatedLayout,
        facts: TaskFacts,
        column_choices: Sequence[ColumnChoice],
        share: float = 1.0,
    ) -> list[Candidate]:
        """The candidates for choices of columns: each is trusted as much as the best one, since they compete."""
        how = with_stated(self.how, self.grid, stated, self.path)
        how = replace(how, names=self.grid.names, width=len(self.grid.columns), rule=stated.rule)
        trust = max(
            (_trust(choice, self.grid, stated, facts) for choice in column_choices),
            default=Trust.NOTHING,
        )
        return [
            Candidate(replace(how, id=each.id, label=each.label), trust, share)
            for each in column_choices
        ]


def _trust(choice: ColumnChoice, grid: Grid, stated: StatedLayout, facts: TaskFacts) -> Trust:
    # Without its first row, which may be a header, a column must not fit better than with it: that would decide.
    below_first = replace(grid, columns=[column[1:] for column in grid.columns])
    if fits(grid, choice, stated.rule, facts) or fits(below_first, choice, stated.rule, facts):
        return Trust.CONTENT
    if choice.id is not None and facts.ids is not None and fits_ids(grid.ids(choice.id), facts):
        return Trust.IDS
    if grid.names:
        return Trust.NAMES
    return Trust.ELIMINATION


def find_named(
    samples: Iterable[Sample], stated: StatedLayout, facts: TaskFacts
) -> Iterator[Finding]:
    """Every choice of columns that have names of their own; not inside of a table whose content fits."""
    whole: list[str] = []
    found: list[Finding] = []
    refused: list[list[Issue]] = []
    for sample in samples:
        if any(_is_inside(sample.how.records, outer) for outer in whole):
            continue
        try:
            candidates = _find_named(sample, stated, facts)
        except InputError as refusal:
            refused.append([*refusal.issues, *sample.issues])
            continue
        found += candidates
        if candidates[0].trust is Trust.CONTENT:
            whole.append(sample.how.records)
    if len(refused) == 1 and not found:
        raise InputError(refused[0])
    yield from chain(found, *refused)


def _is_inside(place: str, outer: str) -> bool:
    """Whether a place in a JSON value is inside of another one; all are inside of the value itself."""
    return not outer or place.startswith(f"{outer}.")


ENTRY = "(value)"  # what the entries of a list of labels, and the values of a mapping, are called


def _find_named(sample: Sample, stated: StatedLayout, facts: TaskFacts) -> list[Candidate]:
    """The candidates of one table; a single column that holds labels is that of labels in gold order."""
    grid = sample.grid
    is_stated = sample.how.stated and stated.format is not None
    is_list = grid.names == (ENTRY,) and (
        facts.ids is None or len(grid.columns[0]) == facts.n_items
    )
    is_alone = len(grid.names) == 1 and not stated.names_a_column
    if is_alone and (is_list or fits_labels(grid.labels((0,), stated.rule), facts)):
        column_choices = [ColumnChoice(None, (0,))]
    else:
        column_choices = choices(grid, stated, facts, sample.path)
        is_stated = is_stated and None not in {stated.id, stated.label}
    if not column_choices:
        raise InputError([unknown_columns(grid, facts, sample.path)])
    return replace(sample, how=replace(sample.how, stated=is_stated)).candidates(
        stated, facts, column_choices
    )


def under_names(
    path: str, tables: Iterable[tuple[Layout, Rows]], stated: StatedLayout
) -> Iterator[Sample]:
    """The rows of tables below their names, even if unknown ones; not of one whose names are more or fewer."""
    for how, rows in tables:
        above = 0
        if stated.skip is None:
            above = above_names(rows.rows, are_known=False)
        if above:
            rows = rows.below(above)  # noqa: PLW2901 - a title stands above the names
            how = replace(how, skip=rows.lines[0] - 1, n_above=0)  # noqa: PLW2901 - likewise
        names = tuple(next(filter(None, rows.rows), []))
        if len(names) == rows.usual_width()[0]:
            body = [row for row in rows.body().rows if len(row) == len(names)]
            grid = Grid(list(zip(*body, strict=True)) or [()] * len(names), names)
            yield Sample(path, replace(how, header=True, names=names, width=len(names)), grid)


def find_table(
    path: str, how: Layout, text_rows: Rows, stated: StatedLayout, facts: TaskFacts
) -> Iterator[Finding]:
    """The layouts of a file's first rows that task.toml, the names or the content allow, or why there is none."""
    width, share = text_rows.usual_width()
    has_labels_alone = stated.label is not None and stated.id is False
    if width < 1 or (width == 1 and not has_labels_alone):
        return
    if width > MOST_COLUMNS:
        yield Issue.of(
            "unrecognised", path, f"{width:,} columns, and at most {MOST_COLUMNS:,} are looked at"
        )
        return
    rows, strays = of_width(text_rows, width, path, keep_blank=stated.id is False)
    # where a header would stand
    starts_astray = bool(strays) and strays[0].lines[0] < rows.lines[0]
    if stated.header and starts_astray:
        yield strays[0]
        return
    how = replace(how, stated=how.stated and None not in {stated.header, stated.id, stated.label})
    first = rows.rows[0]
    columns = list(zip(*rows.rows, strict=True))
    grids = {
        header: Grid([each[header:] for each in columns], tuple(first) if header else ())
        for header in EITHER
    }
    found: list[Finding] = []
    for header in _headers(first, stated, facts, starts_astray=starts_astray):
        sample = Sample(path, replace(how, header=header), grids[header])
        try:
            every = choices(sample.grid, stated, facts, path)
            possible = [
                choice
                for choice in every
                if stated.header is not None
                or header in _first_row(grids[False], sample.grid, choice, stated, facts)
            ]
            found += sample.candidates(stated, facts, possible, share)
        except InputError as refusal:
            found += refusal.issues
    if not found and share == 1.0:
        is_headed = stated.header is not False and any(
            is_id_name(cell) or is_label_name(cell) for cell in first
        )
        found.append(unknown_columns(grids[is_headed], facts, path))
    yield from found


def _headers(
    first: Sequence[str], stated: StatedLayout, facts: TaskFacts, *, starts_astray: bool
) -> Sequence[bool]:
    """Whether there can be a header: as task.toml says, or because it names a column, or either way."""
    if stated.header is not None:
        return [stated.header]
    if starts_astray:
        return DATA
    named = (*(stated.id or ()), *(stated.label or ()), *stated.further_columns)
    is_header = any(isinstance(column, str) for column in named) or (
        names_both(first)
        and not any(
            cell in known for cell in first for known in (facts.ids or (), facts.labels or ())
        )
    )
    if is_header:
        return HEADER
    return EITHER


def _first_row(
    whole: Grid, grid: Grid, choice: ColumnChoice, stated: StatedLayout, facts: TaskFacts
) -> Sequence[bool]:
    """What the first row of a whole table can be, by what a choice of columns takes the rest for."""
    id_cell = None
    ids_below = None
    if choice.id is not None:
        id_cell, *ids_below = whole.ids(choice.id)
    labels = whole.labels(choice.label, stated.rule)
    possible = first_row(id_cell, labels[0], ids_below, labels[1:], facts)
    strange = not facts.is_gold and not fits(grid, choice, stated.rule, facts)
    if possible is HEADER and strange and not is_named(id_cell, labels[0], facts):
        return DATA  # nothing in the file is known to gold, so the first row is no exception
    return possible
