"""The hardest items: only for who asks, since it gives the test set away."""

from typing import TYPE_CHECKING

import numpy as np

from audit.domain import LabelSet
from audit.flags.wording import NAME_LIMIT
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import label_text
from audit.text import agreeing, distinct, listed, plural, visible

if TYPE_CHECKING:
    from audit.report.gold_items import GoldItems

MOST_ITEMS = 200
"""Rows of the table; items.csv of an export with items has all of them."""

_ID_LIMIT, _TEAMS_SHOWN = 60, 5


def items_table(items: "GoldItems", label_set: LabelSet) -> Table:
    """The items that fewest entries get right, with their gold labels and who gets them right."""
    n_right, n_items, n_teams = items.n_right, len(items.gold), len(items.names)
    hardest = np.argsort(n_right, kind="stable")[:MOST_ITEMS].tolist()
    rows = tuple(
        (
            Cell(f"{place + 1:,}"),
            Cell(visible(items.ids[place], _ID_LIMIT) if items.ids else "–"),
            Cell(label_text(label_set.shown_as(items.gold[place]))),
            Cell(f"{n_right[place]:,}"),
            Cell(_right_teams(items, place)),
        )
        for place in hardest
    )
    columns = (
        Column("Item", title="Its place in gold"),
        Column("Id", numeric=False),
        Column("Gold", numeric=False),
        Column("Right", title="Entries that answer the gold label"),
        Column("Who is right", numeric=False),
    )
    nobody = int((n_right == 0).sum())
    caption = f"{plural(nobody, 'item')} of {n_items:,} {agreeing(nobody, 'is', 'are')} answered right by no entry."
    note = (
        f"The {len(hardest):,} of {plural(n_items, 'item')} that fewest of {plural(n_teams, 'entry', 'entries')} get "
        "right, equal ones in the order of gold. Not for a test set in use. audit export --with-items writes all of "
        "them into items.csv."
    )
    return Table("table-items", caption, columns, rows, note=note)


def _right_teams(items: "GoldItems", place: int) -> str:
    teams = np.flatnonzero(items.right[:, place]).tolist()
    names = distinct(items.names, NAME_LIMIT)
    return listed([names[team] for team in teams], limit=_TEAMS_SHOWN)
