"""Text → rows of cells: by comma, tab, semicolon, any single character, or runs of blanks."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress, islice, repeat, takewhile
from typing import Any

from audit.errors import InputError, Issue
from audit.formats.files.content import Content
from audit.formats.files.limits import MOST_CELLS
from audit.formats.settings.layout import BLANKS, DELIMITERS, Layout, StatedLayout
from audit.formats.table.columns import names_both
from audit.formats.table.parsed import ColumnFrame, Frame, Row, Rows, capped, in_unit
from audit.text import plural, quoted

_BLANK_RUN = re.compile(r"[ \t]+")
_OTHER_SPACE = re.compile(r"[^\S \t\r\n]")
_LINE_WITH_END = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FOR_SPREADSHEETS = re.compile(r'"?sep=.?"?', re.IGNORECASE)
_RULE = re.compile(r":?-{3,}:?")  # below the headings of a table in Markdown
_MOST_ABOVE = 100  # lines above the items
_MOST_SHOWN = 6  # cells of a row in a message
_CELL_LIMIT = 2**31 - 1  # the widest that csv takes on every platform


def possible_layouts(content: Content, stated: StatedLayout) -> Iterator[Layout]:
    """The layouts, before a header and columns are decided, by each delimiter that task.toml leaves open.

    There are no runs of blanks where each line has as many tabs or spaced commas.
    """
    lines = content.lines[stated.skip or 0 :]
    is_even = False
    if _FOR_SPREADSHEETS.fullmatch("".join(lines[:1])):
        text = "\n".join(lines[1:])
    else:
        text = content.text
    delimiters = list(DELIMITERS.values())
    if stated.delimiter is not None:
        delimiters = [stated.delimiter]
    for delimiter in delimiters:
        if delimiter == BLANKS and is_even:
            continue
        if 0 < text.count(delimiter) == text.count(f"{delimiter} ") and delimiter not in {
            "\t",
            " ",
        }:
            delimiter += " "  # noqa: PLW2901 - a blank behind each one belongs to it
        if delimiter == BLANKS:
            quote = ""
        elif stated.quote is None:
            quote = '"'
        else:
            quote = stated.quote
        layout = Layout(
            "delimited",
            delimiter=delimiter,
            comment=stated.comment or "",
            quote=quote,
            skip=stated.skip or 0,
            n_above=_n_above(lines, delimiter, stated),
        )
        yield replace(layout, stated=stated.delimiter is not None and not layout.n_above)
        if delimiter == "\t" or len(delimiter) == 2:  # noqa: PLR2004 - with its blank
            counts = {
                line.count(delimiter) for line in content.lines[layout.n_left_out :] if line.strip()
            }
            is_even |= len(counts) == 1 and 0 not in counts


def _n_above(lines: Sequence[str], delimiter: str, stated: StatedLayout) -> int:
    """Leading lines that hold no item: comments, what tells a spreadsheet the delimiter, a title above names."""
    n_comments = 0
    skip = 0
    if stated.comment is None:
        leading = list(takewhile(lambda text: text.startswith("#") or not text.strip(), lines))
        if "#" in "".join(leading) and len(leading) < len(lines):
            n_comments = len(leading)
    if stated.skip is None and stated.header is not False:
        skip = n_comments
        first = "".join(lines[skip : skip + 1])
        if _FOR_SPREADSHEETS.fullmatch(first):
            skip += 1
        skip += above_names(_split(lines[skip : skip + _MOST_ABOVE], delimiter))
    return max(n_comments, skip)


def above_names(rows: Iterable[Row], *, are_known: bool = True) -> int:
    """How many leading rows have one cell with content at most: a title above the names of columns; 0 without such."""
    rows = list(islice(rows, _MOST_ABOVE))
    n_above = sum(1 for _ in takewhile(lambda row: sum(map(bool, row)) < 2, rows))  # noqa: PLR2004 - several
    is_above = n_above < len(rows) and (not are_known or names_both(rows[n_above]))
    if is_above:
        return n_above
    return 0


def read_body(content: Content, layout: Layout) -> tuple[Frame, list[Issue]]:
    """The rows of a whole file that are items, and a wrong-columns issue for every row of another width."""
    if even := _even_rows(content, layout):
        return even, []
    text_rows = read_rows(content, layout)
    if layout.header:
        body = text_rows.body()
    else:
        body = text_rows
    return of_width(body, layout.width, content.path, keep_blank=layout.id is None)


def _even_rows(content: Content, layout: Layout) -> ColumnFrame | None:
    """The rows of a file without comments and quotes whose lines have the same delimiters; None for any other."""
    lines = content.lines[layout.n_left_out :]
    width = layout.width
    delimiter = layout.delimiter
    has_quotes = layout.quote and layout.quote in content.text
    if (
        layout.comment
        or has_quotes
        or delimiter == BLANKS
        or width == 1
        or len(lines) <= layout.header
    ):
        return None
    if {line.count(delimiter) for line in lines} != {width - 1}:
        return None
    cells = delimiter.join(lines[layout.header :]).split(delimiter)
    columns = {number: cells[number::width] for number in range(width)}
    return ColumnFrame(
        columns, range(layout.n_left_out + layout.header + 1, layout.n_left_out + len(lines) + 1)
    )


def read_rows(content: Content, layout: Layout, limit: int | None = None) -> Rows:
    """The rows of a file as they stand, whatever their width; a blank line is an empty row."""
    if layout.quote and layout.delimiter != BLANKS and layout.quote in content.text:
        previous_limit = csv.field_size_limit(_CELL_LIMIT)
        try:  # by the csv module, as RFC 4180 has them
            return _simple_rows(_lines(content, layout, limit), layout) or _spanning_rows(
                content, layout, limit
            )
        finally:
            csv.field_size_limit(previous_limit)
    texts = _lines(content, layout, limit)
    lines: Sequence[int] = range(layout.n_left_out + 1, layout.n_left_out + 1 + len(texts))
    if layout.comment:
        kept = [not text.startswith(layout.comment) for text in texts]
        texts, lines = list(compress(texts, kept)), list(compress(lines, kept))
    return Rows(_split(texts, layout.delimiter), lines)


def _lines(content: Content, layout: Layout, limit: int | None) -> list[str]:
    """The lines below those that are left out, at most as many as the limit."""
    start = layout.n_left_out
    if limit is None:
        return content.lines[start:]
    return content.lines[start : start + limit]


def _split(texts: Sequence[str], delimiter: str) -> list[Row]:
    if delimiter != BLANKS:
        return [text.split(delimiter) if text else [] for text in texts]
    if not any(map(_OTHER_SPACE.search, texts)):
        return list(map(str.split, texts))
    # str.split would also split at a no-break space
    bare = [text.strip(" \t") for text in texts]
    return [_BLANK_RUN.split(text) if text else [] for text in bare]


def _as_csv(layout: Layout) -> dict[str, Any]:
    """The arguments of the csv module."""
    is_spaced = layout.delimiter[1:] == " "
    return {
        "delimiter": layout.delimiter[0],
        "quotechar": layout.quote,
        "skipinitialspace": is_spaced,
    }


def _simple_rows(lines: list[str], layout: Layout) -> Rows | None:
    """The rows where each is one line and every quote is closed; None where not."""
    if layout.comment:
        return None
    try:
        rows = list(csv.reader(lines, strict=True, **_as_csv(layout)))
    except csv.Error:
        return None
    if len(rows) == len(lines):
        return Rows(rows, range(layout.n_left_out + 1, layout.n_left_out + 1 + len(rows)))
    return None


def _spanning_rows(content: Content, layout: Layout, limit: int | None) -> Rows:
    """The rows where some span lines or a quote is wrong: one by one, to know where each begins."""
    if limit is None:
        stop = None
    else:
        stop = layout.n_left_out + limit
    # which cells in quotes keep
    with_ends = (match[0] for match in _LINE_WITH_END.finditer(content.text))
    start = 0  # the line on which the row under way began

    def source() -> Iterator[str]:
        nonlocal start
        for number, line in enumerate(
            islice(with_ends, layout.n_left_out, stop), start=layout.n_left_out + 1
        ):
            if start or not layout.comment or not line.startswith(layout.comment):
                start = start or number
                yield line

    rows: list[Row] = []
    starts: list[int] = []
    try:
        for row in csv.reader(source(), strict=limit is None, **_as_csv(layout)):
            # programs keep the end of a line that they copied
            rows.append([cell.strip("\r\n") for cell in row])
            starts.append(start)
            start = 0
    except csv.Error as error:
        if "end of data" in str(error):
            defect = "the quote that opens on this line is never closed"
        else:
            defect = f"a quote closes inside a cell of this line ({error})"
        raise InputError([Issue.of("open-quote", content.path, defect, lines=[start])]) from None
    if stop is not None and stop < len(content.lines):
        del rows[-1:], starts[-1:]  # the sample may end inside a quote
    return Rows(rows, starts)


def of_width(
    text_rows: Rows, width: int, path: str, *, keep_blank: bool
) -> tuple[Rows, list[Issue]]:
    """The rows of the expected width, and an issue for every other."""
    widths = set(map(len, text_rows.rows))
    if widths == {width}:
        return text_rows, []
    if widths <= {0, width} and not keep_blank:
        return text_rows.only(text_rows.rows), []
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
            defect = f"{plural(len(row), 'column')}: {shown_cells(row)}"
            expected = f"{plural(width, 'column')}, as in the rest of the file"
            issues.append(Issue.of("wrong-columns", path, defect, lines=[line], expected=expected))
    return Rows(rows, lines), issues


def small_table(
    content: Content, delimiters: Iterable[str], *, may_lack_corner: bool = False
) -> Rows:
    """The rows with content, cells stripped, by the first delimiter that gives all as many cells, two or more."""
    tried: list[Rows] = []
    refusals: list[InputError] = []
    for delimiter in delimiters:
        try:
            table = _stripped(content, delimiter)
        except InputError as refusal:
            refusals.append(refusal)
            continue
        if may_lack_corner and {len(row) for row in table.rows[1:]} == {len(table.rows[0]) + 1}:
            table.rows[0].insert(0, "")
        if len(set(map(len, table.rows))) == 1 < len(table.rows[0]):
            return table
        tried.append(table)
    if refusals:
        raise refusals[-1]
    return evened(max(tried, key=Rows.usual_width), content.path)


def _stripped(content: Content, delimiter: str) -> Rows:
    """The rows that are not blank, without the marks around and below the headings of a table in Markdown."""
    texts = list(filter(str.strip, content.lines))
    if not texts:
        raise InputError([Issue.of("empty-file", content.path, "there is no text in it")])
    first = _split([texts[0].lstrip()], delimiter)[0]
    check_size(content.path, len(content.lines), len(first))
    quote = '"'
    if delimiter == BLANKS:
        quote = ""
    table = read_rows(content, Layout("delimited", delimiter, quote=quote))
    rows = []
    lines = []
    for row, line in zip(table.rows, table.lines, strict=True):
        cells = [cell.strip() for cell in row]
        if delimiter == "|" and cells[:1] == cells[-1:] == [""]:  # | a |
            cells = cells[1:-1]
        if any(cells) and not all(map(_RULE.fullmatch, cells)):
            rows.append(cells)
            lines.append(line)
    return Rows(rows or [[""]], lines or [1])


def evened(table: Rows, path: str, unit: str = "line") -> Rows:
    """The rows, all of the usual width."""
    even, issues = of_width(table, table.usual_width()[0], path, keep_blank=False)
    if issues:
        raise InputError(in_unit(issue, unit) for issue in capped(issues))
    return even


def check_size(path: str, n_rows: int, n_columns: int) -> None:
    """Refuse a table of more cells than are read."""
    if n_rows * n_columns > MOST_CELLS:
        defect = f"{plural(n_rows, 'row')} of {plural(n_columns, 'cell')}"
        expected = f"at most {MOST_CELLS:,} cells"
        raise InputError(
            [Issue.of("too-large", path, defect, expected=expected, remedy="check the file")]
        )


def shown_cells(row: Iterable[str]) -> str:
    """The first cells of a row, for a message."""
    cells = iter(row)
    shown = [quoted(cell, 40) for cell in islice(cells, _MOST_SHOWN)]
    has_more = any(True for _ in cells)
    if has_more:
        shown.append("…")
    return ", ".join(shown)
