"""The first rows of a table of cells → every layout of them: with and without a header, for each choice of columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from audit.errors import InputError, Issue
from audit.formats.files.limits import MOST_COLUMNS
from audit.formats.settings.keys import Keys
from audit.formats.settings.layout import Layout
from audit.formats.table.candidate import Candidate, Findings, candidates_of
from audit.formats.table.columns import ColumnChoice, Grid, choices, fits, fits_labels, unknown_columns, with_stated
from audit.formats.table.header import FirstRow, first_row, is_named
from audit.formats.table.parsed import TaskFacts
from audit.formats.table.text_rows import Rows, of_width


def find_named(path: str, how: Layout, grid: Grid, lines: Sequence[int], keys: Keys, facts: TaskFacts) -> Findings:  # noqa: PLR0913, PLR0917 - the columns, and facts about them
    """Every choice of columns that have names of their own; a single one of labels is that of labels in gold order."""
    column_choices = choices(grid, keys, facts, path)
    if not column_choices and len(grid.names) == 1 and fits_labels(grid.labels((0,), keys.rule), facts):
        column_choices = [ColumnChoice(None, (0,))]
    if not column_choices:
        raise InputError([unknown_columns(grid, facts, path)])
    how = replace(with_stated(how, grid, keys, path), names=grid.names, width=len(grid.names), rule=keys.rule)
    layouts = [replace(how, id=choice.id, label=choice.label) for choice in column_choices]
    return Findings(candidates_of(layouts, grid, lines, facts))


def above_names(rows: Rows) -> int:
    """How many leading rows have no more than one cell with content: a title, and no names of several columns."""
    return sum(1 for _ in takewhile(lambda row: sum(map(bool, row)) < 2, rows.rows))  # noqa: PLR2004 - several


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
            refusals.append(unknown_columns(self._grid(header=False), self.facts, self.path))
        return Findings(tuple(candidates), tuple(refusals))

    def _headers(self) -> Sequence[bool]:
        """Whether there can be a header: as task.toml says, or because it names a column, or either way."""
        if self.keys.header is not None:
            return [self.keys.header]
        if self._starts_astray():
            return [False]
        named = (*(self.keys.id or ()), *(self.keys.label or ()), *self.keys.further_columns)
        return [True] if any(isinstance(column, str) for column in named) else [True, False]

    def _starts_astray(self) -> bool:
        """Whether a row of another width stands above the others, where a header would."""
        return bool(self.strays) and self.strays[0].lines[0] < self.rows.lines[0]

    def _grid(self, *, header: bool) -> Grid:
        columns = list(zip(*self.rows.rows, strict=True))
        return Grid([column[header:] for column in columns], tuple(self.rows.rows[0]) if header else ())

    def _candidates(self, grid: Grid, column_choices: Sequence[ColumnChoice], how: Layout) -> Sequence[Candidate]:
        layouts = [
            replace(how, id=choice.id, label=choice.label, width=self.width, rule=self.keys.rule)
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
