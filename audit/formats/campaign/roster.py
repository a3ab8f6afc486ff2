"""The table of the submissions: which files count, whose they are, and what each run is to the campaign."""

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from audit.domain import Origin, Role
from audit.errors import ISSUE_KINDS, InputError, Issue
from audit.formats.campaign.claims import FileClaim, conventional_claims, files_by_cell, matching_claims
from audit.formats.campaign.conventions import file_of, matches_any, name_of, only_file
from audit.formats.files.content import Content, decode
from audit.formats.files.tree import Tree
from audit.formats.readers import excel
from audit.formats.settings.column_names import fold
from audit.formats.settings.keys import SILENT, Keys
from audit.formats.settings.task_settings import Settings
from audit.formats.settings.tomlfile import toml_text
from audit.formats.settings.values import ROSTER, relative_path
from audit.formats.table.issues import MOST_LINES
from audit.text import did_you_mean, listed, quoted

COLUMNS = ROSTER
_DELIMITERS = (",", "\t", ";")
_ALSO_CALLED = {"display_name": "name", "path": "file", "filename": "file", "file_name": "file"}
TEAM_NAMES = (
    *("team", "team_name", "teamname", "name_of_your_team", "group", "group_name", "participant", "user_name"),
    *("username", "user", "owner"),
)
"""What forms and platforms call the column of the teams."""
_ON_PLATFORMS = ("owner", "user", "username", "user_name", "participant")
_UNKNOWN = '"…"'
_OF_FILES = {"file", "upload", "uploads", "submission", "predictions", "prediction", "link", "url"}
_BY_COLUMNS = "say which of its columns hold what, in task.toml, under [submissions]: table_columns = {{ {} }}"
_LEFT_OUT = ""  # what a column holds that the table does not need
_ROLES = f"{listed(list(Role), 'or')}, or a name that [roles] maps to one"
_NO_SCORES = "and task.toml keeps no scores"
_SCORES = (
    "under [submissions] what they are called in files whose line is silent, and what they speak for, like "
    'label = "label", score = "score", above = "yes"'
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: its number, and its cells by column, without empty ones."""

    line: int
    cells: Mapping[str, str]


def claims_of(tree: Tree, settings: Settings) -> tuple[list[FileClaim], list[Issue]]:
    """The submissions, each with its role and who is behind it, and what is wrong with their places."""
    if settings.toml.submissions.files is None:
        claims, misplaced = conventional_claims(tree, settings.toml.submissions.ignore)
    else:
        claims, misplaced = matching_claims(
            tree, settings.toml.submissions.files, settings.toml.submissions.ignore, settings.toml.submissions.split
        )
    if settings.toml.submissions.table is not None:
        claims = _tabled(tree, settings, settings.toml.submissions.table, claims)
        listed_files = {claim.path for claim in claims}
        misplaced = [
            issue
            for issue in misplaced
            if settings.toml.submissions.files is not None and issue.file not in listed_files
        ]
    return _with_roles(claims, settings, misplaced), misplaced


# Roles


def _with_roles(claims: Iterable[FileClaim], settings: Settings, issues: list[Issue]) -> list[FileClaim]:
    """The submissions with their roles; an unknown role becomes an issue."""
    with_roles = []
    for claim in claims:
        role = role_of(claim, settings.toml.roles)
        if role is None:
            issues.append(_unknown_role(claim, settings))
        else:
            with_roles.append(replace(claim, role=role))
    return with_roles


def role_of(claim: FileClaim, roles: Mapping[str, Role]) -> Role | None:
    """The role by its name, or by [roles] from the name of the run or the team; None for a name that is no role's.

    >>> roles = {"contrastive*": Role.CONTRASTIVE, "_baseline": Role.BASELINE}
    >>> [str(role_of(FileClaim("a", team, run), roles)) for team, run in (("A", "contrastive2"), ("_baseline", "x"))]
    ['contrastive', 'baseline']
    >>> str(role_of(FileClaim("a", "A", "contrastive2"), {})), str(role_of(FileClaim("a", "A", "1", "Late"), {}))
    ('primary', 'late')
    """
    if claim.role_name is not None:
        role = _by_glob(claim.role_name, roles)
        name = claim.role_name.strip().casefold()
        return role or (Role(name) if name in set(Role) else None)
    by_run = None if claim.run is None else _by_glob(claim.run, roles)
    return by_run or _by_glob(claim.team, roles) or Role.PRIMARY


def _by_glob(name: str, roles: Mapping[str, Role]) -> Role | None:
    return next((role for glob, role in roles.items() if fnmatchcase(name, glob)), None)


def _unknown_role(claim: FileClaim, settings: Settings) -> Issue:
    name = claim.role_name or ""
    defect = f"the role {quoted(name)} of {quoted(claim.path, 200)}.{did_you_mean(name, Role)}"
    return settings.issue("bad-setting", defect, "submissions", "files", expected=_ROLES)


# The table


@dataclass(frozen=True, eq=False)
class _Files:
    """The files that the rows of a table may stand for, by path and by what else a cell may say."""

    by_path: Mapping[str, FileClaim]  # the submissions that task.toml finds
    by_cell: Mapping[str, str]  # their paths by name, number and uploader, where a form or a platform wrote the table
    other_cells: Collection[str]  # what cells say of submissions to the other test sets alone

    @classmethod
    def of(cls, tree: Tree, settings: Settings, by_path: Mapping[str, FileClaim]) -> "_Files":
        """The files of a test set, and of the others."""
        if not settings.toml.submissions.table_columns:
            return cls(by_path, {}, ())
        claims_of_each = (
            matching_claims(tree, pattern, settings.toml.submissions.ignore, settings.toml.submissions.split)[0]
            for pattern in settings.elsewhere
        )
        others = {claim.path for claims in claims_of_each for claim in claims} - by_path.keys()
        by_cell = files_by_cell(by_path)
        return cls(by_path, by_cell, files_by_cell(others).keys() - by_cell.keys())

    def is_elsewhere(self, row: Row) -> bool:
        """Whether a row is about a submission to another test set."""
        cell = row.cells["file"]
        return file_of(cell) in self.other_cells and _relative(cell) not in self.by_path


def _tabled(tree: Tree, settings: Settings, table: str, claims: Sequence[FileClaim]) -> list[FileClaim]:
    """The submissions as the table lists them, and those that a pattern of task.toml finds besides."""
    by_path = {claim.path: claim for claim in claims if claim.path != table}
    files = _Files.of(tree, settings, by_path)
    rows = read_roster(decode(table, tree.read(table)), settings.toml.submissions.table_columns)
    rows = [row for row in rows if not files.is_elsewhere(row)]
    if nameless := [
        row for row in rows if _is_link_without_name(row.cells["file"]) and row.cells["file"] not in files.by_cell
    ]:
        raise InputError([_nameless_links(table, nameless, by_path)])
    issues: list[Issue] = []
    tabled: dict[str, FileClaim] = {}
    names: dict[str, str] = {}
    numbers: dict[str, str] = {}
    for row in rows:
        try:
            claim = _claim_of_row(tree, settings, table, row, files)
        except InputError as error:
            issues.extend(error.issues)
            continue
        if claim is None:
            continue
        if claim.path in tabled:
            issues.append(_bad(table, row, f"{quoted(claim.path, 120)} is on two lines"))
        if claim.name and names.setdefault(claim.team, claim.name) != claim.name:
            called = f"both {quoted(names[claim.team])} and {quoted(claim.name)}"
            issues.append(_bad(table, row, f"the team {quoted(claim.team)} is called {called}"))
        tabled[claim.path] = claim
        if row.cells["file"].isdigit():
            numbers[claim.path] = row.cells["file"]
    if issues:
        raise InputError(issues)
    tabled = _with_numbers_as_runs(tabled, numbers)
    beside = {} if settings.toml.submissions.files is None else by_path
    return [replace(claim, name=names.get(claim.team)) for claim in {**beside, **tabled}.values()]


def _claim_of_row(tree: Tree, settings: Settings, table: str, row: Row, files: _Files) -> FileClaim | None:
    """The submission of a row; None where it is to be ignored, or answers to another test set.

    One table may serve all test sets: a line that no pattern finds says of none of them that it was answered.
    """
    path = _path_of(tree, table, row, files)
    is_of_part = settings.part is not None and settings.toml.submissions.files is not None
    if matches_any(path, settings.toml.submissions.ignore) or (is_of_part and path not in files.by_path):
        return None
    return _claim(table, row, path, files.by_path.get(path), settings)


def _with_numbers_as_runs(claims: Mapping[str, FileClaim], numbers: Mapping[str, str]) -> dict[str, FileClaim]:
    """The submissions, those of a team with several and no names of runs with their numbers on the platform as runs."""
    n_of = Counter(claim.team for claim in claims.values())
    return {
        path: replace(claim, run=numbers[path])
        if path in numbers and claim.run is None and n_of[claim.team] > 1
        else claim
        for path, claim in claims.items()
    }


def _is_link_without_name(cell: str) -> bool:
    """Whether a cell is a link in which no file's name stands, as those of Google Drive."""
    return "://" in cell and "." not in file_of(cell)


def _nameless_links(table: str, rows: Sequence[Row], paths: Iterable[str]) -> Issue:
    """The issue for links that hold no file's name, with what may tell the files otherwise."""
    uploaded = next((name_of(path) for path in paths if " - " in name_of(path)), None)
    by_uploader = (
        ""
        if uploaded is None
        else (
            f"; or, as files here are called like {quoted(uploaded)}, name the column of the uploaders’ names as file: "
            "each stands for the one file whose name ends in it"
        )
    )
    return Issue.of(
        "bad-table",
        table,
        f"the link {quoted(rows[0].cells['file'], 120)} does not hold the name of a file",
        lines=[row.line for row in rows][:MOST_LINES],
        count=len(rows),
        expected="the name of a file, a path or a link that ends in the name",
        remedy="add a column with the names of the files to the sheet, and name it in task.toml, under [submissions]: "
        f'table_columns = {{ file = "…", team = "…" }}{by_uploader}',
    )


def _path_of(tree: Tree, table: str, row: Row, files: _Files) -> str:
    """The file of a row; an archive stands for the only file in it.

    Where a form or a platform wrote the table, a name, a link, a number or an uploader stands for a submission.
    """
    cell = row.cells["file"]
    path = _relative(cell)
    is_path = path in files.by_path or (path is not None and "/" in path and tree.exists(path))
    if file_of(cell) in files.by_cell and not is_path:
        return files.by_cell[file_of(cell)]
    if path is None:
        raise InputError([Issue.of("path-outside", table, f"the file {quoted(cell, 120)}", lines=[row.line])])
    if not tree.exists(path):
        defect, remedy = f"there is no file {quoted(path, 120)}", "correct the path in the table, or remove the line"
        raise InputError([Issue.of("missing-file", table, defect, lines=[row.line], remedy=remedy)])
    return only_file(tree, path)


def _relative(text: str) -> str | None:
    try:
        return relative_path(text)
    except ValueError:
        return None


def _claim(table: str, row: Row, path: str, by_path: FileClaim | None, settings: Settings) -> FileClaim:
    """The submission of a row; what the row leaves open is what the path says."""
    pattern_claim = FileClaim(path, "") if by_path is None else by_path
    claim = FileClaim(
        path,
        team=row.cells.get("team", pattern_claim.team),
        run=row.cells.get("run", pattern_claim.run),
        role_name=row.cells.get("role", pattern_claim.role_name),
        name=row.cells.get("name"),
        origin=Origin(row.cells.get("affiliation"), row.cells.get("paper")),
        score=row.cells.get("score"),
    )
    if not claim.team:
        raise InputError([_bad(table, row, "no team, and the path does not tell it", "a name in the column team")])
    if role_of(claim, settings.toml.roles) is None:
        name = claim.role_name or ""
        raise InputError([_bad(table, row, f"the role {quoted(name)}.{did_you_mean(name, Role)}", _ROLES)])
    if claim.score is not None:
        _refuse_unusable_column(table, row, claim.score, settings.submissions)
    return claim


def _refuse_unusable_column(table: str, row: Row, column: str, keys: Keys) -> None:
    """Refuse a column of scores where nothing says what they speak for, or where it holds the labels."""
    if not (keys.makes_labels or keys.keeps_scores):
        raise InputError([_bad(table, row, f"the column of scores {quoted(column)}, {_NO_SCORES}", _SCORES)])
    if not keys.makes_labels and column in (keys.label or ()):
        defect = f"the column of scores {quoted(column)}, which task.toml says is that of the labels"
        raise InputError([_bad(table, row, defect, "another column")])


def read_roster(content: Content, called: Mapping[str, str] | None = None) -> list[Row]:
    """The rows of the table, by comma, tab or semicolon, or in a workbook's sheet, with a header."""
    if content.binary_format == "excel":
        rows = _cells_of_workbook(content, called)
    else:
        rows = _cells(content, _delimiter(content, called))
    _, heads = rows[0]
    columns = [_ALSO_CALLED.get(fold(head), fold(head)) for head in heads]
    if called:
        holding = {name: column for column, name in called.items()}
        columns = [holding.get(head, _LEFT_OUT) for head in heads]
    issues = list(_missing_heads(content.path, heads, called) if called else _heads(content.path, heads, columns))
    if not issues:
        issues = [
            Issue.of("bad-table", content.path, f"{len(cells)} cells, and {len(columns)} columns", lines=[line])
            for line, cells in rows[1:]
            if len(cells) != len(columns)
        ]
    if issues:
        raise InputError(issues)
    all_rows = [
        Row(line, {name: cell for name, cell in zip(columns, cells, strict=True) if cell and name != _LEFT_OUT})
        for line, cells in rows[1:]
    ]
    nameless = [
        _bad(content.path, row, "no file", "a path in the column file") for row in all_rows if "file" not in row.cells
    ]
    if nameless or not all_rows:
        raise InputError(nameless or [Issue.of("bad-table", content.path, "no line below the header")])
    return all_rows


def _delimiter(content: Content, called: Mapping[str, str] | None) -> str:
    """The delimiter by which the header has the most columns that the table may have."""
    first = content.lines[0]
    column_names = set(map(fold, called.values())) if called else {*COLUMNS, *_ALSO_CALLED}
    return max(_DELIMITERS, key=lambda mark: sum(fold(head.strip('"')) in column_names for head in first.split(mark)))


def _cells_of_workbook(content: Content, called: Mapping[str, str] | None) -> list[tuple[int, list[str]]]:
    """The line and the cells of every row, of the one sheet of a workbook that has the columns."""
    column_names = set(called.values()) if called else {"file"}
    layouts = [layout for layout, _ in excel.grids(content, SILENT)]
    having = [layout for layout in layouts if column_names <= _known_columns(layout.names, called)]
    if len(having) > 1:
        defect = f"the sheets {listed([quoted(str(layout.sheet)) for layout in having])} have the columns"
        raise InputError([Issue.of("bad-table", content.path, defect, expected="one sheet that has them")])
    if not layouts or not any(layouts[0].names):
        raise InputError([Issue.of("bad-table", content.path, "no line below the header")])
    layout = (having or layouts)[0]
    columns = [place for place, name in enumerate(layout.names) if not called or name in column_names]
    frame, issues = excel.frame(content, layout, columns)
    if issues:
        raise InputError(issues)
    cells_of = zip(*map(frame.column, range(len(layout.names))), strict=True)
    body = zip(frame.lines, map(list, cells_of), strict=True)
    return [(layout.skip + 1, list(layout.names)), *((line, cells) for line, cells in body if any(cells))]


def _known_columns(names: Sequence[str], called: Mapping[str, str] | None) -> set[str]:
    """The names of a sheet's columns; without names in task.toml, those that the program knows for them."""
    return set(names) if called else {_ALSO_CALLED.get(fold(name), fold(name)) for name in names}


def _cells(content: Content, delimiter: str) -> list[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line on which it begins."""
    reader = csv.reader(content.lines_with_ends(), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        start = 1
        for cells in reader:
            if any(cells):
                rows.append((start, cells))
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError([Issue.of("open-quote", content.path, str(error), lines=[reader.line_num])]) from None
    return rows


def _missing_heads(path: str, heads: Sequence[str], called: Mapping[str, str]) -> Iterator[Issue]:
    """The issues for columns that task.toml names and that are not there once."""
    for name in called.values():
        if heads.count(name) != 1:
            count = f"there are {heads.count(name)} columns" if name in heads else "there is no column"
            defect = f"{count} {quoted(name)}.{did_you_mean(name, set(heads) - {name})}"
            yield Issue.of("bad-table", path, defect, lines=[1])


def _heads(path: str, heads: Sequence[str], columns: Sequence[str]) -> Iterator[Issue]:
    """The issues for columns that a table may not have; one, where the header is that of a form."""
    setting = _stating_columns(heads)
    if "file" not in columns and sum(column not in COLUMNS for column in columns) > 1:
        defect = f"the columns are {listed([quoted(head) for head in heads], limit=8)}, and none is called “file”"
        yield Issue.of("bad-table", path, defect, lines=[1], remedy=_BY_COLUMNS.format(setting))
        return
    remedy = f"{ISSUE_KINDS['bad-table'].remedy}; or {_BY_COLUMNS.format(setting)}"
    for head, column in zip(heads, columns, strict=True):
        if column not in COLUMNS:
            defect = f"the column {quoted(head)}.{did_you_mean(column, COLUMNS)}"
            yield Issue.of("bad-table", path, defect, lines=[1], remedy=remedy)
        elif columns.count(column) > 1:
            yield Issue.of("bad-table", path, f"the column {quoted(head)} is there twice", lines=[1])
    if "file" not in columns:
        yield Issue.of("bad-table", path, "there is no column “file”", lines=[1], remedy=remedy)


def _stating_columns(heads: Sequence[str]) -> str:
    """The columns of files and teams as task.toml names them, by what the header calls them; dots where none fits."""
    team = next((head for head in heads if fold(head) in TEAM_NAMES), None)
    number = [head for head in heads if fold(head) == "id"] if team and fold(team) in _ON_PLATFORMS else []
    others = [head for head in heads if head != team]
    file = next((head for head in (*number, *others) if head in number or set(fold(head).split("_")) & _OF_FILES), None)
    cells = {"file": file, "team": team}
    return ", ".join(f"{key} = {_UNKNOWN if head is None else toml_text(head)}" for key, head in cells.items())


def _bad(table: str, row: Row, defect: str, expected: str | None = None) -> Issue:
    return Issue.of("bad-table", table, defect, lines=[row.line], expected=expected)
