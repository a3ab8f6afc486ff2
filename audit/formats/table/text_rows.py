"""Text → rows of cells: by comma, tab, semicolon, any single character, or runs of blanks."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, islice, repeat, takewhile
from operator import itemgetter
from typing import Self

import numpy as np
from numpy.typing import NDArray

from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.files.spans import Spans
from audit.formats.settings.layout import BLANKS, DELIMITERS, Keys, Layout
from audit.formats.table.parsed import cells
from audit.text import quoted

Row = list[str]

_LF = ord("\n")
_BLANK_RUN = re.compile(r"[ \t]+")
_OTHER_SPACE = re.compile(r"[^\S \t\r\n]")
_CELL_LIMIT = 2**31 - 1  # the widest that csv takes on every platform


@dataclass(frozen=True, slots=True)
class Dialect:
    """The delimiter, quotes and comments by which lines become rows."""

    delimiter: str  # a character, or `blanks`
    quote: str = ""  # the character around cells that contain the delimiter; empty for none
    comment: str = ""  # lines that begin with it are left out; empty for none
    skip: int = 0  # leading lines that are left out

    @classmethod
    def of(cls, layout: Layout) -> Self:
        """The dialect of a layout."""
        comment = "" if layout.n_comments else layout.comment
        return cls(layout.delimiter, layout.quote, comment, layout.skip + layout.n_comments)


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


@dataclass(frozen=True, eq=False)
class FlatRows:
    """Rows of one width without blank ones, their cells as places in the file: no string is made of any."""

    data: bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    lines: Sequence[int]

    def column(self, number: int) -> Sequence[str]:
        """The cells of a column, counted from 0."""
        return Spans(self.data, self.starts[:, number], self.ends[:, number])


def read_body(content: Content, layout: Layout) -> tuple[Rows | FlatRows, list[Issue]]:
    """The rows of a whole file that are items, and a wrong-columns issue for every row of another width."""
    dialect = Dialect.of(layout)
    if flat := _flat_rows(content, dialect, layout):
        return flat, []
    text_rows = read_rows(content, dialect)
    body = text_rows.body() if layout.header else text_rows
    return of_width(body, layout.width, content.path, keep_blank=layout.id is None)


def _flat_rows(content: Content, dialect: Dialect, layout: Layout) -> FlatRows | None:
    """The rows of a file without comments and deviations, by its bytes; None where they are not so simple."""
    n_rows, width = content.n_lines - dialect.skip, layout.width
    if dialect.comment or width == 1 or n_rows <= layout.header or not _is_byte(dialect.delimiter):
        return None
    data = content.encoded
    begin = len("".join(f"{line}\n" for line in content.head(dialect.skip)).encode())
    array = np.frombuffer(data, np.uint8)
    ends = begin + np.flatnonzero((array[begin:] == ord(dialect.delimiter)) | (array[begin:] == _LF))
    if ends.size != n_rows * width or not (array[ends[width - 1 :: width]] == _LF).all():
        return None  # as many ends as rows: where each row's last one is a line's end, no other is
    starts = np.concatenate([[begin], ends[:-1] + 1])
    if dialect.quote and dialect.quote in content.text:
        is_quoted = _quoted_cells(array, starts, ends, dialect.quote)
        if is_quoted is None:
            return None
        starts, ends = starts + is_quoted, ends - is_quoted
    first = int(layout.header)
    starts, ends = starts.reshape(n_rows, width)[first:], ends.reshape(n_rows, width)[first:]
    return FlatRows(data, starts, ends, range(dialect.skip + first + 1, dialect.skip + n_rows + 1))


def _is_byte(character: str) -> bool:
    """Whether a delimiter is one byte in UTF-8; the word for runs of blanks is not."""
    return len(character) == 1 and character.isascii()


def _quoted_cells(
    array: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], quote: str
) -> NDArray[np.bool_] | None:
    """Which cells are in quotes; None unless quotes stand nowhere but at both ends of those.

    Then none holds a delimiter, a line end or a quote. Each has two quotes at least: if all are twice as many as the
    cells, there are no others.
    """
    if not _is_byte(quote):
        return None
    is_quoted = array[starts] == ord(quote)
    last = ends[is_quoted] - 1
    is_closed = (array[last] == ord(quote)) & (last > starts[is_quoted])
    n_quotes = np.count_nonzero(array[starts[0] :] == ord(quote))
    return is_quoted if is_closed.all() and n_quotes == 2 * np.count_nonzero(is_quoted) else None


def read_rows(content: Content, dialect: Dialect, limit: int | None = None) -> Rows:
    """The rows of a file as they stand, whatever their width; a blank line is an empty row."""
    if dialect.quote and dialect.delimiter != BLANKS and dialect.quote in content.text:
        return _quoted_rows(content, dialect, limit)
    texts = _lines(content, dialect, limit)
    lines: Sequence[int] = range(dialect.skip + 1, dialect.skip + 1 + len(texts))
    if dialect.comment:
        kept = [not text.startswith(dialect.comment) for text in texts]
        texts, lines = list(compress(texts, kept)), list(compress(lines, kept))
    return Rows(_split(texts, dialect.delimiter), lines)


def _lines(content: Content, dialect: Dialect, limit: int | None) -> list[str]:
    """The lines below those that are left out, at most as many as the limit."""
    return (content.lines if limit is None else content.head(dialect.skip + limit))[dialect.skip :]


def _split(texts: Sequence[str], delimiter: str) -> list[Row]:
    if delimiter != BLANKS:
        return [text.split(delimiter) if text else [] for text in texts]
    if any(map(_OTHER_SPACE.search, texts)):  # str.split would also split at a no-break space
        return [_BLANK_RUN.split(text.strip(" \t")) if text.strip(" \t") else [] for text in texts]
    return list(map(str.split, texts))


def _quoted_rows(content: Content, dialect: Dialect, limit: int | None) -> Rows:
    """Rows by the csv module, as RFC 4180 has them."""
    previous_limit = csv.field_size_limit(_CELL_LIMIT)
    try:
        return _simple_rows(_lines(content, dialect, limit), dialect) or _spanning_rows(content, dialect, limit)
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
        defect = (
            "the quote that opens on this line is never closed"
            if "end of data" in str(error)
            else f"a quote closes inside a cell of this line ({error})"
        )
        line = source.start + dialect.skip
        raise InputError([Issue.of("open-quote", content.path, defect, lines=[line])]) from None
    if stop is not None and stop < content.n_lines:
        del rows[-1:], starts[-1:]  # the sample may end inside a quote
    return Rows(rows, starts)


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


def of_width(text_rows: Rows, width: int, path: str, *, keep_blank: bool) -> tuple[Rows, list[Issue]]:
    """The rows of the expected width, and an issue for every other."""
    widths = set(map(len, text_rows.rows))
    if widths == {width}:
        return text_rows, []
    if widths <= {0, width} and not keep_blank:
        return Rows(list(compress(text_rows.rows, text_rows.rows)), list(compress(text_rows.lines, text_rows.rows))), []
    rows: list[Row] = []
    lines: list[int] = []
    issues: list[Issue] = []
    for row, line in zip(text_rows.rows, text_rows.lines, strict=True):
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
    defect = f"{cells(len(row))}: {shown_cells(row)}"
    return Issue.of("wrong-columns", path, defect, lines=[line], expected=f"{cells(width)}, as in the rest of the file")


def shown_cells(row: Iterable[str]) -> str:
    """The first cells of a row, for a message."""
    first = list(islice(row, 7))
    return ", ".join(quoted(cell, 40) for cell in first[:6]) + (", …" if len(first) > 6 else "")  # noqa: PLR2004 - one more than shown
