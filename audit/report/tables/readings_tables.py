"""Winner by reading: who is first by which macro F1."""

from audit.domain import MacroF1Audit
from audit.readings.macro_f1_wording import WinnerRow, winner_rows
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import Printing
from audit.text import plural, sentence_case, visible


def readings_table(show: Printing, audit: MacroF1Audit) -> Table:
    """The table of winners by readings of macro F1: the base, the nearest reading of every other winner, and more."""
    columns = (
        Column("Macro F1 read as", numeric=False),
        Column("Winner", numeric=False),
        Column("Score"),
        Column("Other ranks", title="Teams with another rank than by the first row"),
        Column("Computed by", title="Scorers that compute this, or what is the same on this campaign", numeric=False),
    )
    rows = winner_rows(audit, show.evaluation.task.label_set, show.decimals)
    return Table(
        "table-readings",
        _caption(rows),
        columns,
        tuple(map(_cells, rows)),
        note=_note(len(rows), len(audit.groups), show.evaluation.task.slug),
        sortable=False,
    )


def _caption(rows: list[WinnerRow]) -> str:
    if any(row.another for row in rows):
        return "Winner by reading; the first row is the reading that ranks here, and other winners are in bold."
    return "Winner by reading; the first row is the reading that ranks here. Every reading has the same winner."


def _cells(row: WinnerRow) -> tuple[Cell, ...]:
    return (
        Cell(sentence_case(row.reading), title=visible(row.signature, 300)),
        Cell(row.winner, style="best" if row.another else ""),
        Cell(row.score),
        Cell(row.moved),
        Cell(row.computed_by, style="quiet"),
    )


def _note(n_shown: int, n_groups: int, slug: str) -> str:
    if n_shown == n_groups:
        return ""
    left_out = plural(n_groups - n_shown, "further table of scores", "further tables of scores")
    return f"Left out: {left_out}; audit readings {visible(slug, 80)} --json has all."
