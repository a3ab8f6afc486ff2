"""Blocks in a terminal: plain text, colour only on terminals, tables that fit its width."""

import sys
from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import accumulate

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from audit.document import Block, Listing, Paragraph, Span, Table, Terms
from audit.document import Text as Words
from audit.text import listed, visible

_PIPE_WIDTH = 10_000  # a pipe has no width: nothing is cut or wrapped for it
_LAYOUT_WIDTH = 100  # but a layout is made for some width, and in a pipe for no more
_NARROW = 80
_CELL_LIMIT = 200
_BETWEEN_COLUMNS = 3
_BETWEEN_TIGHT = 2
_INDENT = 4
_INDENT_OF_NUMBERS = 2
_HANGING = 3
_STYLES = {
    "heading": "bold",
    "strong": "bold",
    "warning": "bold red",
    "caution": "yellow",
    "severity-1": "bold red",
    "severity-2": "yellow",
    "severity-3": "dim",
}
_AT_THE_MARGIN = frozenset({"heading", "warning", "caution", "lead"})


def console() -> Console:
    """Standard output. Users' text is never read as markup, emoji codes or numbers to highlight."""
    if sys.stdout.isatty():
        width = None
    else:
        width = _PIPE_WIDTH
    return Console(width=width, markup=False, emoji=False, highlight=False, soft_wrap=False)


def write(*blocks: Block) -> None:
    """Print blocks; what only a page has, pictures, choices and folds, is passed over."""
    _Terminal(console()).write(blocks)


def layout_width() -> int:
    """The width that a layout is made for: the window's, and of a pipe no more than many windows have."""
    width = console().width
    if width == _PIPE_WIDTH:
        return _LAYOUT_WIDTH
    return width


def write_layout(layouts: Iterable[tuple[Block, ...]], most_lines: int) -> None:
    """Print the first layout that takes no more than so many lines; the last where none does."""
    out = console()
    width = layout_width()
    text = ""
    for layout in layouts:
        buffer = StringIO()
        _Terminal(
            Console(file=buffer, width=width, markup=False, emoji=False, highlight=False)
        ).write(layout)
        text = buffer.getvalue()
        chosen = layout
        if text.count("\n") <= most_lines:
            break
    if text:
        out.width = width
        _Terminal(out).write(chosen)


def text_of(*blocks: Block) -> str:
    """Blocks as plain text, as wide as they are."""
    out = StringIO()
    _Terminal(
        Console(file=out, width=_PIPE_WIDTH, markup=False, emoji=False, highlight=False)
    ).write(blocks)
    return out.getvalue().rstrip("\n")


def _pieces(words: Words) -> tuple[str | Span, ...]:
    if isinstance(words, str):
        return (words,)
    return words


class _Terminal:
    """Writes blocks to a console."""

    def __init__(self, out: Console) -> None:
        self._out = out

    def write(self, blocks: Iterable[Block]) -> None:
        """Print blocks below each other."""
        for block in blocks:
            match block:
                case Table():
                    self._table(block)
                case Paragraph():
                    indent = 0 if block.style in _AT_THE_MARGIN else _INDENT
                    self._line(block.text, indent, _STYLES.get(block.style, ""))
                case Listing(style="numbered"):
                    for item in block.items:
                        self._line(item, _INDENT_OF_NUMBERS, hanging=_HANGING)
                case Listing():
                    for item in block.items:
                        self._line(item, _INDENT)
                case Terms():
                    for term, about in (
                        (row.term, about) for row in block.rows for about in row.about
                    ):
                        self._line((*_pieces(term), ": ", *_pieces(about)), _INDENT, "dim")

    def _line(self, words: Words, indent: int = 0, style: str = "", hanging: int = 0) -> None:
        """Print a text, wrapped where the width ends; its further lines are indented by so much more."""
        spans = (Span(part) if isinstance(part, str) else part for part in _pieces(words))
        text = Text.assemble(
            *((span.text, _STYLES.get(span.style, "")) for span in spans), style=style
        )
        if not text:
            self._out.print()
            return
        room = max(1, self._out.width - indent - hanging)
        for place, line in enumerate(text.wrap(self._out, room)):
            line.rstrip()
            self._out.print(
                Text(" " * (indent + hanging * (place > 0))) + line, no_wrap=True, crop=False
            )

    def _table(self, table: Table) -> None:
        if table.caption:
            self._line(table.caption)
        heads = [visible(column.label, _CELL_LIMIT) for column in table.columns]
        rows = [[visible(text, _CELL_LIMIT) for text in row] for row in table.texts]
        keep = 1 + max(
            1, *(place for place, column in enumerate(table.columns) if column.heads_rows), 0
        )
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        if table.style == "tight":
            between = _BETWEEN_TIGHT
        else:
            between = _BETWEEN_COLUMNS
        n_shown = max(keep, _fitting(widths, self._out.width, between))
        is_tight = table.style == "tight"
        box, padding = (None, (0, _BETWEEN_TIGHT, 0, 0)) if is_tight else (SIMPLE_HEAD, (0, 1))
        grid = Grid(box=box, padding=padding, pad_edge=False, show_edge=False)
        for column, head in zip(table.columns[:n_shown], heads, strict=False):
            grid.add_column(
                Text(head), justify="right" if column.numeric else "left", no_wrap=n_shown > keep
            )
        for row in rows:
            grid.add_row(*map(Text, row[:n_shown]))
        self._out.print(grid)
        # what a tight table has beyond that, nobody misses
        is_extra = is_tight and self._out.width >= _NARROW
        if n_shown < len(heads) and not is_extra:
            self._line(f"columns hidden (window too narrow): {listed(heads[n_shown:])}", _INDENT)
        if table.note:
            self._line(table.note, _INDENT)


def _fitting(widths: Sequence[int], width: int, between: int) -> int:
    ends = [end - between for end in accumulate(column + between for column in widths)]
    return sum(end <= width for end in ends)
