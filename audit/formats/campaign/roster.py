"""Which files are submissions, whose, and in what role: by place and name, and by the table of the submissions."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from audit.domain import Origin, Role
from audit.domain.submitted_runs import UNKNOWN_ORIGIN
from audit.errors import ISSUE_KINDS, Choice, InputError, Issue
from audit.formats.campaign.conventions import (
    SUBMISSIONS,
    answers_below,
    file_of,
    is_never_data,
    joined,
    listed_or_not,
    matches_any,
    name_of,
    only_file,
    stem,
    submissions_folder,
    without_ending,
)
from audit.formats.files.archives import archive_ending
from audit.formats.files.content import Content, decode, inner_name
from audit.formats.files.tree import Tree
from audit.formats.readers import excel
from audit.formats.settings.layout import SILENT, Keys, toml_text
from audit.formats.settings.parsing import Settings
from audit.formats.settings.values import ROSTER, SPLITS, Names, Pattern, relative_path
from audit.formats.table.columns import fold
from audit.formats.table.text_rows import Dialect, read_rows
from audit.text import did_you_mean, listed, quoted

_NUMBERED = re.compile(r"(?:ID_)?([0-9]+)(?:[_ .-].*)?")
_UPLOADED = " - "
_CODALAB = re.compile(r"(?:Team (?P<team>.+)  |(?P<user>.+) )- (?P<run>[0-9]+) submission")


@dataclass(frozen=True, slots=True)
class FileClaim:
    """A file that is a submission."""

    path: str
    team: str  # their names, as the path gives them, or else the table of the submissions
    run: str | None = None
    role_name: str | None = None  # what the path or the table calls its role
    role: Role = Role.PRIMARY  # what the run is to the campaign
    name: str | None = None  # the team's name for readers, where the table has one
    origin: Origin = UNKNOWN_ORIGIN  # who is behind it
    score: str | None = None  # what its column of scores is called, where the table of the submissions says so


def is_number_for_name(team: str) -> bool:
    """Whether a team's name is a number that a platform gave its submission, like 511 or ID_511."""
    match = _NUMBERED.fullmatch(team)
    return match is not None and team.endswith(match[1])


def files_by_cell(paths: Iterable[str]) -> dict[str, str]:
    """The submissions by what a cell of a form's or platform's table says: the file's name, its number, its uploader.

    A name, number or uploader that several files have stands for none.

    >>> found = files_by_cell(["up/ID_511_x.zip/out.csv", "up/ID_512_x.zip/out.csv", "up/run - Ana Silva.csv"])
    >>> found["512"], found["Ana Silva"], "out.csv" in found
    ('up/ID_512_x.zip/out.csv', 'up/run - Ana Silva.csv', False)
    """
    ways: list[dict[str, list[str]]] = [{}, {}, {}]
    for path in paths:
        uploaded = stem(path).rpartition(_UPLOADED)
        numbers = {match[1] for part in path.split("/") if (match := _NUMBERED.fullmatch(part))}
        for way, keys in zip(ways, ([uploaded[2]] if uploaded[1] else [], numbers, [name_of(path)]), strict=True):
            for key in keys:
                way.setdefault(key, []).append(path)
    return {key: candidates[0] for way in ways for key, candidates in way.items() if len(candidates) == 1}


def conventional_claims(tree: Tree, ignore: Sequence[str] = ()) -> tuple[list[FileClaim], list[Issue]]:
    """The submissions TEAM.ext and TEAM/RUN.ext in the folder submissions, and what is wrong with their places.

    An archive TEAM.zip is the submission in it, or a team's runs where it holds several. An archive of all teams' alone
    in the folder is the folder, and so is a folder that is called submissions too.
    """
    place = submissions_folder(tree)
    if place is None:
        return [], []
    issues: list[Issue] = []
    top = listed_or_not(tree, _packed_again(tree, place, ignore), issues)
    claims = [FileClaim(path, stem(path)) for path in top.files if not is_never_data(path, ignore)]
    for folder in top.folders:
        if is_never_data(folder, ignore):
            continue
        if tree.is_archive(folder):
            claims.extend(_packed(tree, folder, *uploader(without_ending(folder)), ignore=ignore, issues=issues))
        else:
            claims.extend(_runs(tree, folder, ignore, issues))
    return claims, issues


def _packed_again(tree: Tree, place: str, ignore: Sequence[str]) -> str:
    """The archive or folder alone in the place of the submissions that is no team's, but holds theirs; or the place."""
    paths = _data_in(tree, place, ignore)
    if len(paths) != 1 or not tree.is_folder(only := paths[0]):
        return place
    below = _data_in(tree, only, ignore)
    holds_archives = tree.is_archive(only) and len(below) > 1 and all(map(tree.is_archive, below))
    is_named_so = without_ending(only).casefold() == SUBMISSIONS
    return _packed_again(tree, only, ignore) if holds_archives or is_named_so else place


def _data_in(tree: Tree, folder: str, ignore: Sequence[str]) -> list[str]:
    """Files and folders in one that can be data."""
    listing = listed_or_not(tree, folder, [])
    return [path for path in (*listing.files, *listing.folders) if not is_never_data(path, ignore)]


def _runs(tree: Tree, folder: str, ignore: Sequence[str], issues: list[Issue]) -> Iterator[FileClaim]:
    """The runs in a team's folder, each a file or an archive."""
    team = folder.rpartition("/")[2]
    below = listed_or_not(tree, folder, issues)
    yield from (FileClaim(path, team, stem(path)) for path in below.files if not is_never_data(path, ignore))
    for packed in below.folders:
        if archive_ending(packed) and not is_never_data(packed, ignore):
            yield from _packed(tree, packed, team, without_ending(packed), ignore=ignore, issues=issues)


def _packed(  # noqa: PLR0913 - what is packed, whose it is, and where issues go
    tree: Tree, archive: str, team: str, run: str | None, *, ignore: Sequence[str], issues: list[Issue]
) -> Iterator[FileClaim]:
    """The submission in an archive, or the submissions."""
    try:
        paths = answers_below(tree, archive, ignore)
    except InputError as error:
        issues.extend(error.issues)
        return
    if not paths:
        issues.append(Issue.of("empty-file", archive, "no data file is in it"))
    for path in paths:
        *folders, file = path[len(archive) + 1 :].split("/")
        inner_path = "/".join([*map(without_ending, folders), stem(file)])
        several = inner_path if run is None else f"{run}/{inner_path}"
        yield FileClaim(path, team, run if len(paths) == 1 else several)


def uploader(name: str) -> tuple[str, str | None]:
    """Team and run of an archive's name: CodaLab's download calls them ``USER - 3 submission``.

    >>> uploader("ann - 3 submission"), uploader("Team B-7  - 12 submission"), uploader("B")
    (('ann', '3'), ('B-7', '12'), ('B', None))
    """
    match = _CODALAB.fullmatch(name)
    return (name, None) if match is None else (match["team"] or match["user"], match["run"])


def matching_claims(
    tree: Tree, pattern: Pattern, ignore: Sequence[str] = (), split: str | None = None
) -> tuple[list[FileClaim], list[Issue]]:
    """The submissions that the pattern of task.toml finds, and what is wrong with their places.

    Archives count as folders and compressed files as what is in them, whether the pattern names their endings or not.
    A name that can be split in several ways is an issue, unless `split` says at which place.
    """
    issues: list[Issue] = []
    *above, last = pattern.component_expressions
    places = [("", _Place(""))]  # with their paths as the pattern has them, which may name what wraps an archive
    for expression in above:
        below = [entry for shown_path, place in places for entry in _places_below(tree, place, shown_path, issues)]
        places = [(shown_path, place) for shown_path, place in below if expression.fullmatch(name_of(shown_path))]
    claims: dict[str, FileClaim] = {}
    undecided: set[str] = set()
    for shown_path, folder in ((shown_path, place.folder) for shown_path, place in places if not place.wrapper):
        for path, name in _files_below(tree, folder, pattern, issues):
            if path in claims or path in undecided or not last.fullmatch(name) or is_never_data(path, ignore):
                continue
            splits = pattern.splits(joined(shown_path, name))
            if split is None and len(splits) > 1:
                issues.append(_several_splits(path, pattern, splits))
                undecided.add(path)
                continue
            names = splits.get(split or SPLITS[0]) or next(iter(splits.values()), None)
            for claim in [] if names is None else _matched(tree, path, names, ignore, issues):
                claims.setdefault(claim.path, claim)
    return list(claims.values()), issues


def _several_splits(path: str, pattern: Pattern, splits: Mapping[str, Names]) -> Issue:
    """The issue for a name that the pattern splits in several ways, with each, and the setting that chooses it."""
    ways = {split: _names_in_words(names) for split, names in splits.items()}
    defect = f"{quoted(pattern.text, 120)} splits this name in several ways: {' · or · '.join(ways.values())}"
    choices = " · or · ".join(f'split = "{split}" ({way})' for split, way in ways.items())
    remedy = f"write into task.toml, under [submissions]: {choices}; or list the files in a table of submissions"
    decide = [Choice("[submissions]", f'split = "{split}"', way) for split, way in ways.items()]
    return Issue.of("ambiguous-reading", path, defect, remedy=remedy, choices=decide)


def _names_in_words(names: Names) -> str:
    parts = (f"{name} {quoted(value)}" for name, value in names._asdict().items() if value is not None)
    return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder or archive, with those of the folders that wrap what is in it that are still to be named."""

    folder: str
    wrapper: tuple[str, ...] | None = None  # None where none of them was named: they may be left out


def _places_below(tree: Tree, place: _Place, shown_path: str, issues: list[Issue]) -> Iterator[tuple[str, _Place]]:
    """The folders in a folder, by each way to write them; and an archive itself, if folders wrap what is in it."""
    wrapper = tree.wrapper(place.folder).split("/") if place.wrapper is None else place.wrapper
    if wrapper and wrapper[0]:
        yield joined(shown_path, wrapper[0]), _Place(place.folder, tuple(wrapper[1:]))
    if place.wrapper:
        return
    for path in listed_or_not(tree, place.folder, issues).folders:
        for name in dict.fromkeys((without_ending(path), name_of(path))):
            yield joined(shown_path, name), _Place(path)


def _files_below(tree: Tree, folder: str, pattern: Pattern, issues: list[Issue]) -> Iterator[tuple[str, str]]:
    """The files in a folder, by each way to write them; archives where the pattern asks for such."""
    listing = listed_or_not(tree, folder, issues)
    for path in listing.files:
        for name in dict.fromkeys((inner_name(name_of(path)), name_of(path))):
            yield path, name
    if archive_ending(pattern.text):
        yield from ((path, name_of(path)) for path in listing.folders if archive_ending(path))


def _matched(tree: Tree, path: str, names: Names, ignore: Sequence[str], issues: list[Issue]) -> Iterable[FileClaim]:
    if not tree.is_archive(path):
        return [FileClaim(path, *names)]
    packed = _packed(tree, path, names.team, names.run, ignore=ignore, issues=issues)
    return [replace(claim, role_name=names.role) for claim in packed]


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
    """The submission of a row; None where it is to be ignored, or answers to another test set."""
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
        lines=[row.line for row in rows],
        expected="the name of a file, a path or a link that ends in the name",
        remedy="add a column with the names of the files to the sheet, and name it in task.toml, under [submissions]: "
        f'table_columns = {{ file = "…", team = "…" }}{by_uploader}',
    )


def _path_of(tree: Tree, table: str, row: Row, files: _Files) -> str:
    """The file of a row; an archive stands for the only file in it."""
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
        text_rows = read_rows(content, Dialect(_delimiter(content, called), '"'))
        rows = [(line, row) for line, row in zip(text_rows.lines, text_rows.rows, strict=True) if any(row)]
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


def shown_name(claim: FileClaim, settings: Settings) -> str:
    """A team's name for readers: by [teams], by the table of the submissions, or as the path gives it."""
    return settings.toml.teams.get(claim.team) or claim.name or claim.team
