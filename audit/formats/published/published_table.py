"""A published table: team names and columns of scores, as they are printed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from audit.domain import PrintedScore, Published, PublishedColumn, SourceFile
from audit.errors import InputError, Issue
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree, read_alone
from audit.formats.published.small_tables import rows_of
from audit.formats.settings.column_names import fold
from audit.formats.table.text_rows import shown_cells
from audit.text import listed, quoted

_TEAM_NAMES = frozenset({"team", "team_name", "teams", "system", "system_name", "name", "submission", "run", "user"})
_COUNTER_NAMES = frozenset({"#", "no", "nr"})
_NUMBERS_OF_ROWS = "numbers of rows; if they are ranks, write Rank over them"
_REASONS_SAID = 4
_RANK = re.compile(r"[=T]?\s*(\d{1,6})\s*(?:\.|st|nd|rd|th)?\s*[=T]?", re.IGNORECASE)
_NOTHING = frozenset({"", "-", "–", "—", "−", "n/a", "na", "nan", "none", "null", "?", "."})
_NUMBER = re.compile(r"(?P<sign>[+\-−–]?)(?P<whole>\d{0,6})(?:[.,](?P<part>\d{0,30}))?(?P<percent>\s*%)?")
_MOST_DECIMALS = 10  # more than anybody prints: a score in full precision, as programs write it, is rounded to as many
_MARKS = "*†‡§ \u00a0\u2009\u202f"  # footnote marks and blanks around a number
_LARGEST = 100


def read_published(path: Path) -> Published:
    """Read a published table from a delimited file with a heading row."""
    return _parsed(path.name, read_alone(path))


def published_in(tree: Tree, path: str) -> Published:
    """The published table of a campaign, with its file."""
    return replace(_parsed(path, tree.read(path)), source=SourceFile.of(path, tree.original(path)))


def _parsed(name: str, data: bytes) -> Published:
    content = decode(name, data)
    rows = rows_of(content, "no-scores")
    heads, body = rows[0].cells, rows[1:]
    if not body:
        raise InputError([Issue.of("no-scores", name, "a single row")])
    if any(_score(head) for head in heads):
        raise InputError(
            [Issue.of("no-scores", name, f"numbers in place of headings: {shown_cells(heads)}", lines=[1])]
        )
    columns = [_Column(head, [row.cells[place] for row in body]) for place, head in enumerate(heads)]
    team_column = _team_column(columns)
    lines = [row.line for row in body]
    issues = [*_doubles(team_column, lines, name)]
    scores, set_aside = [], []
    for column in columns:
        reason = "" if column is team_column else column.reason_to_set_aside()
        if reason:
            set_aside.append((column.head, reason))
        elif column is not team_column:
            issues += column.issues(lines, name)
            scores.append(column.read())
    if not scores:
        issues.append(_nothing_to_read(name, columns, set_aside))
    if issues:
        raise InputError(issues)
    return Published(name, tuple(team_column.cells), tuple(scores), tuple(set_aside))


@dataclass(frozen=True)
class _Column:
    """A column of cells under its heading."""

    head: str
    cells: list[str]

    @property
    def n_numbers(self) -> int:
        return sum(_score(cell) is not None for cell in self.cells)

    @property
    def n_filled(self) -> int:
        return sum(cell.casefold() not in _NOTHING for cell in self.cells)

    @property
    def is_numeric(self) -> bool:
        """Whether most of what stands in it are numbers."""
        return self.n_numbers > 0 and 2 * self.n_numbers >= self.n_filled

    @property
    def is_of_ranks(self) -> bool:
        return self.can_only_be_ranks or PublishedColumn(self.head, ()).is_of_ranks

    @property
    def is_counter(self) -> bool:
        """Whether its heading is one over numbers of rows, and over ranks, too."""
        return fold(self.head) in _COUNTER_NAMES

    @property
    def can_only_be_ranks(self) -> bool:
        """Whether whole numbers that do not count the rows are ranks: shared, left out, or in another order.

        They begin with 1, and none is above their number: numbers of something else would be.
        """
        if not self.is_counter or self._reason_against_ranks():
            return False
        ranks = [rank.units for cell in self.cells if (rank := _rank(cell))]
        counted = ranks == list(range(1, len(self.cells) + 1))
        return not counted and min(ranks) == 1 and max(ranks) <= len(ranks)

    def read(self) -> PublishedColumn:
        """The scores or ranks in the column."""
        cells = tuple(map(_rank if self.is_of_ranks else _score, self.cells))
        return PublishedColumn(self.head, cells, self.can_only_be_ranks)

    def reason_to_set_aside(self) -> str:
        """The reason why the column holds neither scores nor ranks; empty where it does."""
        if self.is_of_ranks:
            return self._reason_against_ranks()
        if self.is_counter:
            return _NUMBERS_OF_ROWS
        if not self.is_numeric:
            return "no numbers"
        scores = (_score(cell) for cell in self.cells)
        return "numbers above 100" if any(score and abs(score.value) > _LARGEST for score in scores) else ""

    def _reason_against_ranks(self) -> str:
        """The reason why the cells are no ranks; empty where they are."""
        readable = all(_rank(cell) or cell.casefold() in _NOTHING for cell in self.cells)
        return "" if readable and any(map(_rank, self.cells)) else "ranks that are no whole numbers from 1 on"

    def issues(self, lines: Sequence[int], path: str) -> Iterator[Issue]:
        """Cells of scores that are neither a number nor a mark for none; ranks are read, or set aside, as a whole."""
        if self.is_of_ranks:
            return
        for cell, line in zip(self.cells, lines, strict=True):
            if cell.casefold() not in _NOTHING and _score(cell) is None:
                yield Issue.of("bad-score", path, f"{quoted(cell)} under {quoted(self.head)}", lines=[line])


def _nothing_to_read(path: str, columns: Sequence[_Column], set_aside: Sequence[tuple[str, str]]) -> Issue:
    """The issue for a table in which no column holds scores or ranks."""
    reasons = listed([f"{quoted(head)} has {reason}" for head, reason in set_aside], limit=_REASONS_SAID)
    defect = f"no column of scores or ranks{': ' if reasons else ''}{reasons}"
    if not any(reason == _NUMBERS_OF_ROWS for _, reason in set_aside):
        return Issue.of("no-scores", path, defect)
    heading = next(column.head for column in columns if column.is_counter)
    remedy = f"if {quoted(heading)} holds ranks and not numbers of rows, write Rank over it"
    return Issue.of("no-scores", path, defect, remedy=remedy)


def _team_column(columns: Sequence[_Column]) -> _Column:
    """The column of names: by its heading, else the first that holds no numbers, else the first."""
    named = [column for column in columns if fold(column.head) in _TEAM_NAMES]
    texts = [column for column in columns if not column.is_numeric]
    return [*named, *texts, *columns][0]


def _doubles(column: _Column, lines: Sequence[int], path: str) -> Iterator[Issue]:
    places: dict[str, list[int]] = {}
    for cell, line in zip(column.cells, lines, strict=True):
        places.setdefault(cell, []).append(line)
    for cell, cell_lines in places.items():
        if len(cell_lines) > 1:
            yield Issue.of("team-twice", path, quoted(cell), lines=cell_lines, count=len(cell_lines))


def _rank(cell: str) -> PrintedScore | None:
    """A rank as printed; None where the cell is none.

    >>> _rank("=3"), _rank("2nd*"), _rank("–")
    (PrintedScore(text='=3', units=3, decimals=0, percent=False),
     PrintedScore(text='2nd*', units=2, decimals=0, percent=False), None)
    """
    match = _RANK.fullmatch(cell.strip(_MARKS))
    return None if match is None or not int(match[1]) else PrintedScore(cell, int(match[1]), 0)


def _score(cell: str) -> PrintedScore | None:
    """A number as printed; None where the cell is none.

    >>> _score("−.0461"), _score("71,2 %†")
    (PrintedScore(text='−.0461', units=-461, decimals=4, percent=False),
     PrintedScore(text='71,2 %†', units=712, decimals=1, percent=True))
    >>> _score("0.3599999999999999")
    PrintedScore(text='0.3599999999999999', units=3600000000, decimals=10, percent=False)
    """
    match = _NUMBER.fullmatch(cell.strip(_MARKS))
    if match is None or not (match["whole"] or match["part"]):
        return None
    part = match["part"] or ""
    decimals = min(len(part), _MOST_DECIMALS)
    units = round(Fraction(int(f"{match['whole']}{part}"), 10 ** (len(part) - decimals)))
    negative = match["sign"] not in ("", "+")
    return PrintedScore(cell, -units if negative else units, decimals, bool(match["percent"]))
