"""files.csv and task.toml as `audit init` writes them: what a run of the folder takes each file for."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from audit.domain import Role, can_be_data
from audit.errors import MANIFEST, SETTINGS_FILE, InputError, UsageError
from audit.formats.campaign import conventions
from audit.formats.campaign.all_files import gold_path, wide_file
from audit.formats.campaign.claims import claims_of, read_settings, role_of, shown_name
from audit.formats.door.finding import find_campaign
from audit.formats.door.labels import is_of_tags
from audit.formats.door.opening import files_csv
from audit.formats.door.platforms import is_of_platforms
from audit.formats.door.tables import tables_of
from audit.formats.files.archives import archive_ending
from audit.formats.files.content import decode, unpacked
from audit.formats.files.tree import Tree
from audit.formats.settings.layout import toml_text
from audit.formats.settings.manifest import FileRow, decided_rows
from audit.formats.settings.parsing import TrackSettings
from audit.formats.small_tables import published_in
from audit.text import visible

_ORDER = ("", "gold", "published", "names", "submission", "reference", "ignore")

_HEAD = f"# How this campaign is scored; {MANIFEST} says what each file is. docs/task-toml.md explains every setting.\n"
_METRIC = """
# To decide, at the top: the metric that the campaign announced; `audit metrics` lists them all.
# official_metric = "averaged_f1"
"""


@dataclass(frozen=True)
class Draft:
    """What `audit init` writes into a folder."""

    rows: Sequence[FileRow]  # of files.csv; those without a kind a person has to decide
    settings: str | None  # the text of task.toml; None where there is one

    @property
    def files(self) -> str:
        """The text of files.csv."""
        return files_csv(self.rows)


def draft(folder: Path) -> Draft:
    """files.csv for a folder, with what somebody has decided in it, and task.toml where it has none.

    Raises
    ------
    UsageError
        Where one question has to be answered first.
    InputError
        Where no file is gold by evidence.
    """
    with Tree(folder) as tree:
        has_settings = tree.exists(SETTINGS_FILE)
        decided = decided_rows(tree)
        if has_settings or is_laid_out(tree):
            rows = [_without_plain_role(row) for row in taken_rows(tree).values()]
            if has_settings:
                settings = None
            else:
                settings = _title(folder)
        else:
            opening = find_campaign(folder, skip_rejected=True)
            doubtful = {stray.path for stray in opening.meant}
            rows = [replace(row, kind="") if row.file in doubtful else row for row in opening.rows]
            settings = opening.settings.decode()
        known = {row.file for row in rows}
        paths = conventions.every_path(tree)
        others = [
            path
            for path in paths
            if path not in {*known, SETTINGS_FILE, MANIFEST} and can_be_data(path)
        ]
        rows += [_other_row(path) for path in others]
        rows = _with_published(tree, rows)
    every = {**{row.file: row for row in rows}, **decided}
    in_order = sorted(every.values(), key=lambda row: (_ORDER.index(row.kind), row.part, row.file))
    return Draft(in_order, settings and _HEAD + settings + _METRIC)


def _without_plain_role(row: FileRow) -> FileRow:
    """The row, its role left open where it is that of any submission."""
    if row.role == Role.PRIMARY:
        return replace(row, role="")
    return row


def _other_row(path: str) -> FileRow:
    """The row of a file that a run does not take for anything; an archive that cannot be opened, a person decides."""
    if archive_ending(path):
        return FileRow(path, why="an archive that cannot be opened")
    return FileRow(path, "ignore", why="not told apart")


def _title(folder: Path) -> str:
    return f"title = {toml_text(visible(folder.resolve().name, 200) or 'Campaign')}\n"


def _with_published(tree: Tree, rows: Sequence[FileRow]) -> list[FileRow]:
    """The rows, a table of scores of these teams among them taken for what was published."""
    teams = {row.team for row in rows if row.kind == "submission"}
    found = []
    for row in rows:
        if row.kind == "ignore" and _is_of_teams(tree, row.file, teams):
            row = replace(row, kind="published", why="scores of these teams")  # noqa: PLW2901 - one row
        found.append(row)
    return found


def _is_of_teams(tree: Tree, path: str, teams: set[str]) -> bool:
    """Whether a file is a table of scores, most of them of these teams."""
    with suppress(InputError):
        table = published_in(tree, path)
        return bool(table.columns) and 2 * len(teams & set(table.teams)) >= len(table.teams)
    return False


# What settings and conventions take


def is_laid_out(tree: Tree) -> bool:
    """Whether a folder has gold beside submissions/ that are called by their teams, or all in one file."""
    with suppress(InputError):
        gold = conventions.find_gold(tree)
        if conventions.submissions_folder(tree) is None:
            return False
        claims, _ = claims_of(tree, TrackSettings())
        if not claims:
            return False
        paths = [claim.file for claim in claims]
        others = [path for path in conventions.every_path(tree) if path not in {gold, *paths}]
        return not is_of_platforms(tree, paths, others) and not _holds_tags(tree, gold)
    with suppress(InputError):
        return wide_file(tree, TrackSettings()) is not None
    return False


def _holds_tags(tree: Tree, path: str) -> bool:
    """Whether a file has tags of tokens, which are spans unless somebody says otherwise."""
    content = decode(path, unpacked(path, tree.original(path)))
    tables = [table for table in tables_of(content) if table.layout.format == "tokens"]
    return any(
        is_of_tags(table, number) for table in tables for number in range(len(table.columns))
    )


def taken_rows(tree: Tree) -> dict[str, FileRow]:
    """What task.toml, files.csv and the conventions take files for, as far as they can be followed."""
    rows: dict[str, FileRow] = {}
    with suppress(InputError, UsageError):
        for settings in read_settings(tree):
            for row in _taken_in(tree, settings):
                rows.setdefault(row.file, row)
    return rows


def _taken_in(tree: Tree, settings: TrackSettings) -> Iterator[FileRow]:
    part = settings.part or ""
    yield from (FileRow(path, "published", part=part) for path in settings.published)
    if settings.toml.label_names_file is not None:
        yield FileRow(settings.toml.label_names_file, "names")
    with suppress(InputError):
        if (wide := wide_file(tree, settings)) is not None:
            yield FileRow(wide, "gold", part=part, why="gold and a column for each system")
            return
        yield FileRow(
            gold_path(tree, settings), "gold", part=part, why="by its name or by task.toml"
        )
    with suppress(InputError):
        for claim in claims_of(tree, settings)[0]:
            names = (
                str(role_of(claim, settings.toml.roles)),
                shown_name(claim, settings),
                claim.run,
            )
            yield FileRow(
                claim.file, "submission", *names, part=part, why="by its place or by task.toml"
            )
