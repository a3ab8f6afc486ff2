"""The format ``delimited``: an id and a label in columns of a delimited file."""

from collections.abc import Sequence
from dataclasses import dataclass

from audit.errors import InputError, Issue
from audit.formats.candidate import SAMPLE, Candidate, Findings, candidates_of
from audit.formats.columns import Grid, Pair, fits, pairs, unknown_columns
from audit.formats.content import Content
from audit.formats.header import FirstRow, first_row, is_named
from audit.formats.reading import Keys, Known, Reading, Table
from audit.formats.rows import Dialect, Rows, of_width, possible_dialects, read_body, read_rows, shown_cells
from audit.text import quoted


def find(content: Content, keys: Keys, known: Known) -> Findings:
    """Every possible reading: for each delimiter, with and without a header, and for each choice of columns."""
    findings = [_Sample.of(content, dialect, keys, known).find() for dialect in possible_dialects(content, keys)]
    return Findings(
        tuple(candidate for found in findings for candidate in found.candidates),
        tuple(refusal for found in findings for refusal in found.refusals),
    )


def read(content: Content, reading: Reading) -> Table:
    """The whole file by one reading, with a wrong-columns issue for every row of another width.

    Raises
    ------
    InputError
        open-quote.
    """
    rows, issues = read_body(content, reading)
    ids = None if reading.id is None else rows.column(reading.id)
    return Table(reading, ids, rows.column(reading.label), rows.lines, tuple(issues))


@dataclass(frozen=True, slots=True)
class _Sample:
    """The first rows by one dialect, as far as they have the usual width."""

    path: str
    dialect: Dialect
    rows: Rows
    strays: Sequence[Issue]
    width: int
    share: float
    keys: Keys
    known: Known

    @classmethod
    def of(cls, content: Content, dialect: Dialect, keys: Keys, known: Known) -> "_Sample":
        found = read_rows(content, dialect, len(content.lines) if known.is_gold else SAMPLE)
        width, share = found.usual_width()
        rows, strays = of_width(found, width, content.path, keep_blank=keys.id is False)
        return cls(content.path, dialect, rows, strays, width, share, keys, known)

    def find(self) -> Findings:
        """The readings by this dialect."""
        one_is_enough = self.keys.label is not None and self.keys.id is False
        if self.width < (1 if one_is_enough else 2):
            return Findings()
        if self.keys.header and self._starts_astray():
            return Findings(refusals=tuple(self.strays[:1]))
        candidates: list[Candidate] = []
        refusals: list[Issue] = []
        for header in self._headers():
            grid = self._grid(header=header)
            try:
                found = pairs(grid, self.keys, self.known, self.path)
            except InputError as refusal:
                refusals.extend(refusal.issues)
                continue
            candidates.extend(self._candidates(grid, found, header=header))
        if not candidates and not refusals and self.share == 1.0:
            refusals.append(unknown_columns(self._grid(header=False), self.known, self.path))
        return Findings(tuple(candidates), tuple(refusals))

    def _headers(self) -> Sequence[bool]:
        """Whether there can be a header: as task.toml says, or because it names a column, or either way."""
        if self.keys.header is not None:
            return [self.keys.header]
        if self._starts_astray():
            return [False]
        named = isinstance(self.keys.id, str) or isinstance(self.keys.label, str)
        return [True] if named else [True, False]

    def _starts_astray(self) -> bool:
        """Whether a row of another width stands above the others, where a header would."""
        return bool(self.strays) and self.strays[0].lines[0] < self.rows.lines[0]

    def _grid(self, *, header: bool) -> Grid:
        columns = list(zip(*self.rows.rows, strict=True))
        return Grid([column[header:] for column in columns], tuple(self.rows.rows[0]) if header else ())

    def _candidates(self, grid: Grid, found: Sequence[Pair], *, header: bool) -> Sequence[Candidate]:
        readings = [
            self._reading(pair, grid.names, header=header)
            for pair in found
            if self.keys.header is not None or self._header_is_possible(grid, pair, header=header)
        ]
        return candidates_of(readings, grid, self.rows.lines[header:], self.known, self.share)

    def _header_is_possible(self, grid: Grid, pair: Pair, *, header: bool) -> bool:
        """Whether the first row can be what the reading takes it for."""
        item_id, label = pair
        ids = None if item_id is None else self.rows.column(item_id)
        labels = self.rows.column(label)
        id_cell = None if ids is None else ids[0]
        verdict = first_row(id_cell, labels[0], ids and ids[1:], labels[1:], self.known)
        strange = not self.known.is_gold and not fits(grid, pair, self.known)
        if verdict is FirstRow.HEADER and strange and not is_named(id_cell, labels[0], self.known):
            verdict = FirstRow.DATA  # nothing in the file is known to gold, so the first row is no exception
        return verdict is not (FirstRow.DATA if header else FirstRow.HEADER)

    def _reading(self, pair: Pair, names: tuple[str, ...], *, header: bool) -> Reading:
        keys, dialect = self.keys, self.dialect
        columns_stated = None not in {keys.delimiter, keys.header, keys.id, keys.label}
        return Reading(
            "delimited",
            delimiter=dialect.delimiter,
            header=header,
            comment="#" if dialect.skip else dialect.comment,
            quote=dialect.quote,
            id=pair[0],
            label=pair[1],
            names=names,
            width=self.width,
            n_comments=dialect.skip,
            stated=columns_stated and not dialect.skip,
        )


def check_comments(content: Content, table: Table, known: Known) -> None:
    """Refuse to leave out a leading line that begins with # and could be an item.

    Raises
    ------
    InputError
        ambiguous-reading.
    """
    reading = table.reading
    head = Content(content.path, "\n".join(content.lines[: reading.n_comments]))
    rows = read_rows(head, Dialect(reading.delimiter, reading.quote), limit=reading.n_comments)
    labels = set(table.labels) if known.labels is None else known.labels
    for row, line in zip(rows.rows, rows.lines, strict=True):
        if len(row) != reading.width:
            continue
        is_item = known.ids is not None and reading.id is not None and row[reading.id] in known.ids
        if is_item or row[reading.label] in labels:
            found = f"a comment that begins with {quoted('#')}, or an item: {shown_cells(row)}"
            remedy = f'write into task.toml, under {known.section}: comment = "#" or comment = ""'
            raise InputError([Issue.of("ambiguous-reading", content.path, found, lines=[line], remedy=remedy)])
