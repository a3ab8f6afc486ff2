"""The table of a folder's files: what each is taken for, whose it is, and which nothing uses."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from audit.domain import Campaign, can_be_data
from audit.errors import MANIFEST, SETTINGS_FILE, InputError, UsageError
from audit.formats.campaign.conventions import every_path, printable
from audit.formats.door.draft import draft, taken_rows
from audit.formats.files.content import Content
from audit.formats.files.tree import Tree
from audit.formats.settings.manifest import COLUMNS, KINDS, FileRow, lines_of
from audit.text import composed


@dataclass(frozen=True, slots=True)
class TableOfFiles:
    """Every file of a folder, also those in archives; and a task.toml where it has none."""

    rows: Sequence[FileRow]
    """Those first of which nobody has said what they are; a team by its name for readers."""
    open_files: AbstractSet[str]  # what nothing uses, and nobody has said so
    settings: str | None

    def data(self) -> list[dict[str, Any]]:
        """The rows as plain data for JSON."""
        names = (*COLUMNS, "is_open")
        return [dict(zip(names, (*(getattr(row, name) for name in COLUMNS), row.file in self.open_files), strict=True))
                for row in self.rows]  # fmt: skip


def table_of_files(folder: Path, campaigns: Sequence[Campaign] | None) -> TableOfFiles:
    """The table of a folder whose campaigns were read, or, where they are None, could not be.

    What files.csv says of a file stands; then what task.toml and the conventions take it for. What they do not take is
    open, with what a draft proposes for it.
    """
    with Tree(folder) as tree:
        paths = [path for path in every_path(tree) if path not in {SETTINGS_FILE, MANIFEST}]
        said = _said(tree, paths)
        taken = taken_rows(tree)
    rows = {**taken, **{path: _with_names(row, taken.get(path)) for path, row in said.items()}}
    if campaigns is None:
        unclaimed = None
    else:
        unclaimed = [path for each in campaigns for path in each.ignored]
    drafted = None
    if any(can_be_data(path) for path in paths if path not in rows) or unclaimed is None:
        with suppress(InputError, UsageError):
            drafted = draft(folder)
    if drafted is None:
        proposed = {}
    else:
        proposed = {row.file: row for row in drafted.rows}
    open_files = set()
    for path in paths:
        if path in rows:
            continue
        row = proposed.get(path, FileRow(path))
        can_count = can_be_data(path) or row.kind not in {"", "ignore"}
        if unclaimed is not None and not _is_below(path, unclaimed):
            rows[path] = FileRow(path, "reference", why="read as task.toml says")
            continue
        rows[path] = replace(row, kind=row.kind or ("" if can_count else "ignore"))
        is_proposed = unclaimed is None and not said and row.kind not in {"", "ignore"}
        if can_count and not is_proposed:
            open_files |= {path}
        else:
            open_files |= set()
    order = ("", "gold", "submission", "published", "names", "reference", "ignore")
    in_order = sorted(
        (rows[path] for path in paths),
        key=lambda row: (row.file not in open_files, order.index(row.kind), row.part),
    )
    return TableOfFiles(in_order, open_files, None if drafted is None else drafted.settings)


def _is_below(path: str, others: Sequence[str]) -> bool:
    """Whether a file is one of these, or in a folder or an archive among them."""
    shown = printable(path)
    return any(shown == other or shown.startswith(f"{other.rstrip('/')}/") for other in others)


def _said(tree: Tree, paths: Sequence[str]) -> dict[str, FileRow]:
    """What files.csv says of each file, whatever else is wrong with it; a line may name the archive around a file."""
    if not tree.exists(MANIFEST) or tree.is_folder(MANIFEST):
        return {}
    lines: dict[str, FileRow] = {}
    with suppress(InputError):  # of quotes that are not closed, below the lines that were taken
        every = lines_of(
            tree, Content(MANIFEST, tree.read(MANIFEST).decode("utf-8-sig", "replace"))
        )
        _, heads = next(every, (1, COLUMNS))
        for _, cells in every:
            line = dict(zip(heads, cells, strict=False))
            values: dict[str, Any] = {name: line.get(name, "") for name in COLUMNS}
            row = FileRow(**values)
            path = composed(row.file.replace("\\", "/")).removeprefix("./")
            kind = row.kind.casefold()
            if kind in KINDS:
                lines |= {path: replace(row, kind=kind)}
            else:
                lines |= {}
    above = {
        path: [path, *(path[:at] for at, mark in enumerate(path) if mark == "/")] for path in paths
    }
    return {
        path: replace(lines[name], file=path)
        for path, names in above.items()
        for name in names
        if name in lines
    }


def _with_names(row: FileRow, taken: FileRow | None) -> FileRow:
    """A line of files.csv with the names and the role that follow from it."""
    if taken is None or taken.kind != row.kind:
        return row
    return replace(row, team=taken.team, run=taken.run, role=taken.role)
