"""What was loaded."""

from audit.domain import Entry, Role, UncountedRun
from audit.flags.wording import NAME_LIMIT
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import Printing
from audit.text import agreeing, plural, visible


def files_table(show: Printing) -> Table:
    """The loaded files: each run's role, file, digest and unanswered items; runs of one row stand together."""
    evaluation, runs = show.evaluation, show.evaluation.runs
    origins = _origin_columns(runs)
    rows = tuple(
        (
            show.name(team),
            *((Cell(_role(run)),) if _has_roles(runs) else ()),
            Cell(visible(run.path, 80) if run.path else "given as an array"),
            Cell(run.sha256[:12] if run.sha256 else "–", style="code", title=run.sha256 or ""),
            Cell(f"{run.n_missing:,}" if run.n_missing else ""),
            Cell(f"{run.n_unusable:,}" if run.n_unusable else ""),
            Cell(str(len(run.issues)) if run.issues else ""),
            *(Cell(visible(getattr(run.origin, name) or "", 80)) for name in origins),
        )
        for team in show.order
        for run in evaluation.entries[team].runs
    )
    columns = (
        Column("Team", numeric=False),
        *((Column("Role", numeric=False),) if _has_roles(runs) else ()),
        Column("File", numeric=False),
        Column("SHA-256", numeric=False),
        Column("Missing", title="Items without a label"),
        Column("Unusable", title="Items with a label outside the label set"),
        Column("Issues"),
        *(Column(name.capitalize(), numeric=False) for name in origins),
    )
    n_incomplete = sum(run.n_unanswered > 0 for run in runs)
    leave = agreeing(n_incomplete, "leaves", "leave")
    complete = "all of them answer every item" if not n_incomplete else f"{n_incomplete} {leave} items unanswered"
    caption = f"{plural(len(runs), 'submission')} loaded; {complete}."
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
