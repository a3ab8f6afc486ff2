"""What was loaded."""

from audit.domain import Entry, Role, UncountedRun
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import NAME_LIMIT, Printing
from audit.text import plural, visible


def files_table(show: Printing) -> Table:
    """The loaded files: each submission's role, file, digest and unanswered items."""
    evaluation = show.evaluation
    origins = _origin_columns(evaluation.entries)
    rows = tuple(
        (
            show.name(team),
            *((Cell(_role(entry)),) if _has_roles(evaluation.entries) else ()),
            Cell(visible(entry.path, 80) if entry.path else "given as an array"),
            Cell(entry.sha256[:12] if entry.sha256 else "–", style="code", title=entry.sha256 or ""),
            Cell(f"{entry.n_missing:,}" if entry.n_missing else ""),
            Cell(f"{entry.n_unusable:,}" if entry.n_unusable else ""),
            Cell(str(len(entry.issues)) if entry.issues else ""),
            *(Cell(visible(getattr(entry.origin, name) or "", 80)) for name in origins),
        )
        for team, entry in ((team, evaluation.entries[team]) for team in show.order)
    )
    columns = (
        Column("Team", numeric=False),
        *((Column("Role", numeric=False),) if _has_roles(evaluation.entries) else ()),
        Column("File", numeric=False),
        Column("SHA-256", numeric=False),
        Column("Missing", title="Items without a label"),
        Column("Unusable", title="Items with a label outside the label set"),
        Column("Issues"),
        *(Column(name.capitalize(), numeric=False) for name in origins),
    )
    n_incomplete = sum(entry.n_unanswered > 0 for entry in evaluation.entries)
    complete = "all of them answer every item" if not n_incomplete else f"{n_incomplete} leave items unanswered"
    caption = f"{plural(len(evaluation.entries), 'submission')} loaded; {complete}."
    return show.with_legend(Table("table-files", caption, columns, rows))


def _has_roles(entries: tuple[Entry, ...]) -> bool:
    return any(entry.role != Role.PRIMARY for entry in entries)


def _role(entry: Entry) -> str:
    return entry.role.value + ("" if entry.competes else ", beside")


def _origin_columns(entries: tuple[Entry, ...]) -> list[str]:
    """The columns on the people behind submissions, where something is known."""
    return [name for name in ("affiliation", "paper") if any(getattr(entry.origin, name) for entry in entries)]


def uncounted_table(runs: tuple[UncountedRun, ...]) -> Table | None:
    """The runs that are kept and not shown, with the reason; None where there are none."""
    if not runs:
        return None
    rows = tuple(
        (
            Cell(visible(run.team, NAME_LIMIT)),
            Cell(visible(run.run or "–", NAME_LIMIT)),
            Cell(run.role.value),
            Cell(visible(run.path or "given as an array", 80)),
            Cell(visible(run.reason, 200)),
        )
        for run in runs
    )
    columns = tuple(Column(head, numeric=False) for head in ("Team", "Run", "Role", "File", "Why it does not count"))
    caption = f"{plural(len(runs), 'run')} kept in the store and not ranked."
    return Table("table-uncounted", caption, columns, rows)
