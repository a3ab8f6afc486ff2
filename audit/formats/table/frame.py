"""Rows and columns, whatever file they come from → a Table by one layout of them."""

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Protocol

from audit.errors import Issue
from audit.formats.settings.answers import Column, Threshold
from audit.formats.settings.layout import Layout, Numbers
from audit.formats.table.columns import joined, labelled
from audit.formats.table.issues import MOST_LINES, in_unit
from audit.formats.table.parsed import Table
from audit.text import quoted


class Frame(Protocol):
    """Rows of one width, each with its line, row or entry."""

    @property
    def lines(self) -> Sequence[int]:
        """The line of each row, counted from 1."""

    def column(self, number: int) -> Column:
        """The cells of a column, counted from 0."""


def table_of(path: str, layout: Layout, frame: Frame, issues: Sequence[Issue] = ()) -> Table:
    """All that columns hold, row by row, with a doubtful-id issue where the parts of an id hold a tab."""
    ids = None if layout.id is None else joined(_columns(frame, layout.id))
    return Table(
        layout,
        ids,
        labelled(_columns(frame, layout.label), layout.rule),
        frame.lines,
        (*issues, *_tabs(path, layout, ids or (), frame.lines)),
        joined(_columns(frame, layout.group)) if layout.group else None,
        tuple(_columns(frame, layout.slices)),
        scores=_scores(frame, layout),
    )


def _scores(frame: Frame, layout: Layout) -> Column | None:
    """The cells of the scores: of their own column, or of that which a threshold makes labels of."""
    column = layout.label if isinstance(layout.rule, Threshold) else layout.score
    return frame.column(column[0]) if column else None


def _columns(frame: Frame, numbers: Numbers) -> list[Column]:
    return [frame.column(number) for number in numbers]


def _tabs(path: str, layout: Layout, ids: Column, lines: Sequence[int]) -> Iterator[Issue]:
    n_parts = len(layout.id or ())
    if n_parts < 2 or "\t".join(ids).count("\t") == n_parts * len(ids) - 1:  # noqa: PLR2004 - parts are joined
        return
    odd = [item_id.count("\t") >= n_parts for item_id in ids]
    odd_lines = list(compress(lines, odd))
    shown = quoted(next(compress(ids, odd)))
    defect = f"a part of the id {shown} holds a tab"
    issue = Issue.of("doubtful-id", path, defect, lines=odd_lines[:MOST_LINES], count=len(odd_lines))
    yield in_unit(issue, layout.kind.unit)
