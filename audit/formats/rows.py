"""Text → rows of cells: by comma, tab, semicolon, any single character, or runs of blanks."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, islice, repeat, takewhile
from operator import itemgetter
from typing import Self

from audit.errors import InputError, Issue
from audit.formats.content import Content
from audit.formats.issues import cells
from audit.formats.reading import BLANKS, DELIMITERS, Keys, Reading
from audit.text import quoted

Row = list[str]

_BLANK_RUN = re.compile(r"[ \t]+")
_OTHER_SPACE = re.compile(r"[^\S \t\r\n]")
_CELL_LIMIT = 2**31 - 1  # the widest that csv takes on every platform


@dataclass(frozen=True, slots=True)
class Dialect:
    """How lines become rows.

    Parameters
    ----------
    delimiter : str
        A character, or ``blanks``.
    quote : str
        The character around cells that contain the delimiter; empty for none.
    comment : str
        Lines that begin with it are left out; empty for none.
    skip : int
        Leading lines that are left out.
    """

    delimiter: str
    quote: str = ""
    comment: str = ""
    skip: int = 0

    @classmethod
    def of(cls, reading: Reading) -> Self:
        """The dialect of a reading."""
        comment = "" if reading.n_comments else reading.comment
        return cls(reading.delimiter, reading.quote, comment, reading.skip + reading.n_comments)


def possible_dialects(content: Content, keys: Keys) -> Iterator[Dialect]:
    """The dialects that task.toml leaves open."""
    skip = keys.skip or 0
    if keys.comment is None and "#" in content.text:
        skip += _n_leading_comments(content.lines[skip:])
    for delimiter in DELIMITERS.values() if keys.delimiter is None else [keys.delimiter]:
        quote = "" if delimiter == BLANKS else '"' if keys.quote is None else keys.quote
        yield Dialect(delimiter, quote, keys.comment or "", skip)


def _n_leading_comments(lines: Sequence[str]) -> int:
    """Leading lines that begin with # or are blank, unless all are."""
    leading = list(takewhile(lambda text: text.startswith("#") or not text.strip(), lines))
    has_comment = any(text.startswith("#") for text in leading)
    return len(leading) if has_comment and len(leading) < len(lines) else 0


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of cells, each with the line on which it begins."""

    rows: Sequence[Row]
    lines: Sequence[int]

    def body(self) -> "Rows":
        """The rows below the header, which is the first row with cells."""
        start = 1 + next((number for number, row in enumerate(self.rows) if row), -1)
        return Rows(self.rows[start:], self.lines[start:])

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
class FlatRows:
    """Rows of one width without blank ones, their cells in one list: no list for each row.

    ``step`` is the number of entries for each row.
    """

    cells: Sequence[str]
    step: int
    lines: Sequence[int]

    def column(self, number: int) -> Sequence[str]:
        """The cells of a column, counted from 0."""
        return self.cells[number :: self.step]


def read_body(content: Content, reading: Reading) -> tuple[Rows | FlatRows, list[Issue]]:
    """The rows of a whole file that are items, and a wrong-columns issue for every row of another width.

    Raises
    ------
    InputError
        open-quote.
    """
    dialect = Dialect.of(reading)
    if flat := _flat_rows(content, dialect, reading):
        return flat, []
    found = read_rows(content, dialect)
    body = found.body() if reading.header else found
    return of_width(body, reading.width, content.path, keep_blank=reading.id is None)


def _flat_rows(content: Content, dialect: Dialect, reading: Reading) -> FlatRows | None:
    """The rows of a file without comments and deviations, quoted everywhere or nowhere; None where it has any."""
    delimiter = dialect.delimiter
    if delimiter == BLANKS or dialect.comment or reading.width == 1 or not content.lines[dialect.skip]:
        return None
    start = dialect.skip + reading.header
    texts = content.lines[start:]
    if dialect.quote and dialect.quote in content.text:
        cells = _cells_all_quoted(texts, dialect, reading.width)
    else:
        cells = _cells(texts, delimiter, reading.width)
    return None if cells is None else FlatRows(cells, reading.width + 1, range(start + 1, start + 1 + len(texts)))


def _cells(texts: Sequence[str], separator: str, width: int) -> list[str] | None:
    """The cells of all rows, and the end of each row but the last between them; None where not all are as wide.

    Between two separators, each line end is a cell of its own: all are in place where all rows are of one width.
    """
    cells = f"{separator}\n{separator}".join(texts).split(separator)
    is_whole = len(cells) == (width + 1) * len(texts) - 1
    return cells if is_whole and cells[width :: width + 1].count("\n") == len(texts) - 1 else None


def _cells_all_quoted(texts: Sequence[str], dialect: Dialect, width: int) -> list[str] | None:
    """The cells where each is in quotes and none holds a quote; None where not."""
    quote = dialect.quote
    is_quoted = min(map(len, texts), default=0) > 1 and {text[0] + text[-1] for text in texts} == {quote * 2}
    if not is_quoted or sum(map(str.count, texts, repeat(quote))) != 2 * width * len(texts):
        return None
    return _cells([text[1:-1] for text in texts], f"{quote}{dialect.delimiter}{quote}", width)


def read_rows(content: Content, dialect: Dialect, limit: int | None = None) -> Rows:
    """The rows of a file as they stand, whatever their width; a blank line is an empty row.

    Raises
    ------
    InputError
        open-quote, unless only the first `limit` lines are wanted.
    """
    if dialect.quote and dialect.delimiter != BLANKS and dialect.quote in content.text:
        return _quoted_rows(content, dialect, limit)
    stop = None if limit is None else dialect.skip + limit
    texts = content.lines[dialect.skip : stop]
    lines: Sequence[int] = range(dialect.skip + 1, dialect.skip + 1 + len(texts))
    if dialect.comment:
        kept = [not text.startswith(dialect.comment) for text in texts]
        texts, lines = list(compress(texts, kept)), list(compress(lines, kept))
    return Rows(_split(texts, dialect.delimiter), lines)


def _split(texts: Sequence[str], delimiter: str) -> list[Row]:
    if delimiter != BLANKS:
        return [text.split(delimiter) if text else [] for text in texts]
    if any(map(_OTHER_SPACE.search, texts)):  # str.split would also split at a no-break space
        return [_BLANK_RUN.split(text.strip(" \t")) if text.strip(" \t") else [] for text in texts]
    return list(map(str.split, texts))


def _quoted_rows(content: Content, dialect: Dialect, limit: int | None) -> Rows:
    """Rows by the csv module, as RFC 4180 has them."""
    stop = None if limit is None else dialect.skip + limit
    previous_limit = csv.field_size_limit(_CELL_LIMIT)
    try:
        return _simple_rows(content.lines[dialect.skip : stop], dialect) or _spanning_rows(content, dialect, limit)
    finally:
        csv.field_size_limit(previous_limit)


def _simple_rows(lines: list[str], dialect: Dialect) -> Rows | None:
    """The rows where each is one line and every quote is closed; None where not."""
    if dialect.comment:
        return None
    try:
        rows = list(csv.reader(lines, delimiter=dialect.delimiter, quotechar=dialect.quote, strict=True))
    except csv.Error:
        return None
    return Rows(rows, range(dialect.skip + 1, dialect.skip + 1 + len(rows))) if len(rows) == len(lines) else None


def _spanning_rows(content: Content, dialect: Dialect, limit: int | None) -> Rows:
    """The rows where some span lines or a quote is wrong: one by one, to know where each begins."""
    stop = None if limit is None else dialect.skip + limit
    source = _Source(islice(content.lines_with_ends(), dialect.skip, stop), dialect.comment)
    reader = csv.reader(source, delimiter=dialect.delimiter, quotechar=dialect.quote, strict=limit is None)
    rows: list[Row] = []
    starts: list[int] = []
    try:
        for row in reader:
            rows.append(row)
            starts.append(source.start + dialect.skip)
            source.start = 0
    except csv.Error as error:
        found = "the quote that opens on this line is never closed" if "end of data" in str(error) else _after(error)
        line = source.start + dialect.skip
        raise InputError([Issue.of("open-quote", content.path, found, lines=[line])]) from None
    if stop is not None and stop < len(content.lines):
        del rows[-1:], starts[-1:]  # the sample may end inside a quote
    return Rows(rows, starts)


def _after(error: csv.Error) -> str:
    return f"a quote closes inside a cell of this line ({error})"


class _Source:
    """The lines that the csv module reads; it knows on which line the row under way began."""

    def __init__(self, lines: Iterable[str], comment: str) -> None:
        self.start = 0
        self._lines = enumerate(lines, start=1)
        self._comment = comment

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        number, line = next(self._lines)
        while not self.start and self._comment and line.startswith(self._comment):
            number, line = next(self._lines)
        self.start = self.start or number
        return line


def of_width(found: Rows, width: int, path: str, *, keep_blank: bool) -> tuple[Rows, list[Issue]]:
    """The rows of the expected width, and an issue for every other.

    Parameters
    ----------
    keep_blank : bool
        Whether a blank line is a row of empty cells (alignment by position) or nothing (alignment by id).
    """
    widths = set(map(len, found.rows))
    if widths == {width}:
        return found, []
    if widths <= {0, width} and not keep_blank:
        return Rows(list(compress(found.rows, found.rows)), list(compress(found.lines, found.rows))), []
    rows: list[Row] = []
    lines: list[int] = []
    issues: list[Issue] = []
    for row, line in zip(found.rows, found.lines, strict=True):
        if len(row) == width:
            rows.append(row)
            lines.append(line)
        elif not row:
            rows.extend(repeat([""] * width, keep_blank))
            lines.extend(repeat(line, keep_blank))
        else:
            issues.append(_wrong_width(row, line, width, path))
    return Rows(rows, lines), issues


def _wrong_width(row: Row, line: int, width: int, path: str) -> Issue:
    found = f"{cells(len(row))}: {shown_cells(row)}"
    return Issue.of("wrong-columns", path, found, lines=[line], expected=f"{cells(width)}, as in the rest of the file")


def shown_cells(row: Iterable[str]) -> str:
    """The first cells of a row, for a message."""
    first = list(islice(row, 7))
    return ", ".join(quoted(cell, 40) for cell in first[:6]) + (", …" if len(first) > 6 else "")  # noqa: PLR2004 - one more than shown
