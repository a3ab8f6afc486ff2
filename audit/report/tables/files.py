"""What was loaded."""

from audit.report.page import Cell, Column, Table
from audit.report.printing import Printing
from audit.text import plural, visible


def files_table(show: Printing) -> Table:
    """What was loaded: each submission's file, digest and unanswered items."""
    evaluation = show.evaluation
    rows = tuple(
        (
            show.name(team),
            Cell(visible(entry.path, 80) if entry.path else "given as an array"),
            Cell(entry.sha256[:12] if entry.sha256 else "–", style="code", title=entry.sha256 or ""),
            Cell(f"{entry.n_missing:,}" if entry.n_missing else ""),
            Cell(f"{entry.n_unusable:,}" if entry.n_unusable else ""),
            Cell(str(len(entry.issues)) if entry.issues else ""),
        )
        for team, entry in ((team, evaluation.entries[team]) for team in show.order)
    )
    columns = (
        Column("Team", numeric=False),
        Column("File", numeric=False),
        Column("SHA-256", numeric=False),
        Column("Missing", title="Items without a label"),
        Column("Unusable", title="Items with a label outside the label set"),
        Column("Issues"),
    )
    n_incomplete = sum(entry.n_unanswered > 0 for entry in evaluation.entries)
    complete = "all of them answer every item" if not n_incomplete else f"{n_incomplete} leave items unanswered"
    caption = f"{plural(len(evaluation.entries), 'submission')} loaded; {complete}."
    return Table("table-files", caption, columns, rows)
