"""The table of a folder's files: what each is taken for, whose it is, and which nothing uses."""

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from audit.domain import Campaign, can_be_data
from audit.errors import MANIFEST, SETTINGS_FILE, InputError, UsageError
from audit.formats.campaign.all_files import gold_path, wide_file
from audit.formats.campaign.claims import claims_of, read_settings, shown_name
from audit.formats.campaign.conventions import printable
from audit.formats.campaign.draft import draft
from audit.formats.campaign.survey import every_path
from audit.formats.files.tree import Tree
from audit.formats.settings.manifest import COLUMNS
from audit.formats.settings.parsing import Settings


@dataclass(frozen=True, slots=True)
class RowOfFile:
    """A file, also one in an archive, as the table shows it."""

    file: str
    kind: str = ""  # as files.csv calls it; empty where nobody can tell
    role: str = ""
    team: str = ""  # the name for readers
    run: str = ""
    part: str = ""
    why: str = ""
    is_open: bool = False  # whether nothing uses it, and nobody has said so


@dataclass(frozen=True, slots=True)
class TableOfFiles:
    """Every file of a folder, those first of which nobody has said what they are; and a task.toml where it has none."""

    rows: tuple[RowOfFile, ...]
    settings: str | None


def table_of_files(folder: Path, campaigns: Sequence[Campaign] | None) -> TableOfFiles:
    """The table of a folder whose campaigns were read, or, where they are None, could not be.

    What files.csv says of a file stands; then what task.toml and the conventions take it for. What they do not take is
    open, with what a draft proposes for it.
    """
    with Tree(folder) as tree:
        paths = [path for path in every_path(tree) if path not in {SETTINGS_FILE, MANIFEST}]
        said = _said(tree, paths)
        taken = _taken(tree)
    rows = {**taken, **{path: _with_names(row, taken.get(path)) for path, row in said.items()}}
    unclaimed = None if campaigns is None else [path for each in campaigns for path in each.ignored]
    drafted = None
    if any(can_be_data(path) for path in paths if path not in rows) or unclaimed is None:
        with suppress(InputError, UsageError):
            drafted = draft(folder)
    proposed = {} if drafted is None else _rows_in(drafted.files)
    for path in paths:
        if path not in rows:
            rows[path] = _of_rest(proposed.get(path, RowOfFile(path)), unclaimed, is_said=bool(said))
    in_order = sorted(
        (rows[path] for path in paths), key=lambda row: (not row.is_open, _ORDER.index(row.kind), row.part)
    )
    return TableOfFiles(tuple(in_order), None if drafted is None else drafted.settings)


_ORDER = ("", "gold", "submission", "published", "names", "reference", "ignore")


def _of_rest(row: RowOfFile, unclaimed: Sequence[str] | None, *, is_said: bool) -> RowOfFile:
    """The row of a file that neither files.csv nor a convention takes for anything, as a draft proposes it."""
    if unclaimed is not None and not _is_below(row.file, unclaimed):
        return RowOfFile(row.file, "reference", why="read as task.toml says")
    can_count = can_be_data(row.file) or row.kind not in {"", "ignore"}
    is_proposed = unclaimed is None and not is_said and row.kind not in {"", "ignore"}
    return replace(row, kind=row.kind or ("" if can_count else "ignore"), is_open=can_count and not is_proposed)


def _is_below(path: str, others: Sequence[str]) -> bool:
    """Whether a file is one of these, or in a folder or an archive among them."""
    shown = printable(path)
    return any(shown == other or shown.startswith(f"{other.rstrip('/')}/") for other in others)


def _said(tree: Tree, paths: Sequence[str]) -> dict[str, RowOfFile]:
    """What files.csv says of each file, whatever else is wrong with it; a line may name the archive around a file."""
    if not tree.exists(MANIFEST) or tree.is_folder(MANIFEST):
        return {}
    lines = _rows_in(tree.read(MANIFEST).decode("utf-8-sig", "replace"))
    lines = {path: row for path, row in lines.items() if row.kind in _ORDER[1:]}
    above = {path: [path, *(path[:at] for at, mark in enumerate(path) if mark == "/")] for path in paths}
    return {path: replace(lines[name], file=path) for path, names in above.items() for name in names if name in lines}


def _with_names(row: RowOfFile, taken: RowOfFile | None) -> RowOfFile:
    """A line of files.csv with the names and the role that follow from it."""
    if taken is None or taken.kind != row.kind:
        return row
    return replace(row, team=taken.team, run=taken.run, role=taken.role)


def _rows_in(text: str) -> dict[str, RowOfFile]:
    rows = {}
    with suppress(csv.Error):
        for line in csv.DictReader(io.StringIO(text), delimiter=_delimiter(text), strict=True):
            row = RowOfFile(*((line.get(name) or "").strip() for name in COLUMNS))  # type: ignore[arg-type]
            path = row.file.replace("\\", "/").removeprefix("./")
            rows[path] = replace(row, file=path, kind=row.kind.casefold())
    return rows


def _delimiter(text: str) -> str:
    return max(",;\t", key=text.partition("\n")[0].count)


def _taken(tree: Tree) -> dict[str, RowOfFile]:
    """What task.toml and the conventions take files for, as far as they can be followed."""
    rows: dict[str, RowOfFile] = {}
    with suppress(InputError, UsageError):
        for settings in read_settings(tree):
            for row in _taken_in(tree, settings):
                rows.setdefault(row.file, row)
    return rows


def _taken_in(tree: Tree, settings: Settings) -> Iterator[RowOfFile]:
    part = settings.part or ""
    others = {settings.toml.published.path: "published", settings.toml.label_names_file: "names"}
    yield from (RowOfFile(path, kind, part="" if kind == "names" else part) for path, kind in others.items() if path)
    with suppress(InputError):
        if (wide := wide_file(tree, settings)) is not None:
            yield RowOfFile(wide, "gold", part=part, why="gold and a column for each system")
            return
        yield RowOfFile(gold_path(tree, settings), "gold", part=part)
    with suppress(InputError):
        for claim in claims_of(tree, settings)[0]:
            names = (str(claim.role), shown_name(claim, settings), claim.run or "")
            yield RowOfFile(claim.path, "submission", *names, part=part)
