"""Which files are submissions, whose, and in what role: by place and name, and by files.csv."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from fnmatch import fnmatchcase
from itertools import chain

from audit.domain import Role
from audit.errors import MANIFEST, SETTINGS_FILE, InputError, Issue
from audit.formats.campaign.conventions import (
    SUBMISSIONS,
    answers_below,
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
from audit.formats.files.content import inner_name
from audit.formats.files.tree import Tree
from audit.formats.settings.layout import toml_text
from audit.formats.settings.manifest import FileRow, Manifest, bad_manifest, read_manifest
from audit.formats.settings.parsing import TrackSettings, parse_parts
from audit.formats.settings.values import Names, Pattern
from audit.text import did_you_mean, listed, plural, quoted, slug_of

CODALAB = re.compile(r"(?:Team (?=.+  - ))?(?P<team>.+?) {1,2}- (?P<run>[0-9]+) submission")


def conventional_claims(
    tree: Tree, ignore: Sequence[str] = ()
) -> tuple[list[FileRow], list[Issue]]:
    """The submissions TEAM.ext and TEAM/RUN.ext in the folder submissions, and what is wrong with their places."""
    place = submissions_folder(tree)
    if place is None:
        return [], []
    issues: list[Issue] = []
    top = listed_or_not(tree, _packed_again(tree, place, ignore), issues)
    named = [(path, Names(stem(path))) for path in top.files]
    for folder in (folder for folder in top.folders if not is_never_data(folder, ignore)):
        if tree.is_archive(folder):
            named.append((folder, Names(*uploader(without_ending(folder)))))
            continue
        below = listed_or_not(tree, folder, issues)
        team = name_of(folder)
        named += [(path, Names(team, stem(path))) for path in below.files]
        named += [
            (path, Names(team, without_ending(path)))
            for path in below.folders
            if archive_ending(path)
        ]
    every = (
        _claims_at(tree, *each, ignore, issues)
        for each in named
        if not is_never_data(each[0], ignore)
    )
    return list(chain.from_iterable(every)), issues


def _packed_again(tree: Tree, place: str, ignore: Sequence[str]) -> str:
    """The archive or folder alone in the place of the submissions that is no team's, but holds theirs; or the place."""
    paths = _data_in(tree, place, ignore)
    if len(paths) != 1 or not tree.is_folder(only := paths[0]):
        return place
    below = _data_in(tree, only, ignore)
    holds_archives = tree.is_archive(only) and len(below) > 1 and all(map(tree.is_archive, below))
    is_named_so = without_ending(only).casefold() == SUBMISSIONS
    if holds_archives or is_named_so:
        return _packed_again(tree, only, ignore)
    return place


def _data_in(tree: Tree, folder: str, ignore: Sequence[str]) -> list[str]:
    """Files and folders in one that can be data."""
    listing = listed_or_not(tree, folder, [])
    return [path for path in (*listing.files, *listing.folders) if not is_never_data(path, ignore)]


def _claims_at(
    tree: Tree, path: str, names: Names, ignore: Sequence[str], issues: list[Issue]
) -> Iterator[FileRow]:
    """The submission that a file is, or those in an archive."""
    run = names.run or ""
    role = names.role or ""
    if archive_ending(path) is None:
        yield FileRow(path, "submission", role, names.team, run)
        return
    try:
        packed = answers_below(tree, path, ignore)
    except InputError as error:
        issues.extend(error.issues)
        return
    if not packed:
        issues.append(Issue.of("empty-file", path, "no data file is in it"))
    for each in packed:
        *folders, file = each[len(path) + 1 :].split("/")
        inner_path = "/".join([*map(without_ending, folders), stem(file)])
        if run:
            several = f"{run}/{inner_path}"
        else:
            several = inner_path
        yield FileRow(each, "submission", role, names.team, run if len(packed) == 1 else several)


def uploader(name: str) -> tuple[str, str]:
    """Team and run of an archive's name: CodaLab's download calls them ``USER - 3 submission``."""
    match = CODALAB.fullmatch(name)
    if match is None:
        return (name, "")
    return (match["team"], match["run"])


def matching_claims(
    tree: Tree, pattern: Pattern, ignore: Sequence[str] = ()
) -> tuple[list[FileRow], list[Issue]]:
    """The submissions that the pattern of task.toml finds, and what is wrong with their places."""
    issues: list[Issue] = []
    n_above = len(pattern.components) - 1
    claims: dict[str, FileRow] = {}
    undecided: set[str] = set()
    for folder, shown_path in list(_places(tree, pattern, issues)):
        for path, name in _files_below(tree, folder, pattern, issues):
            if (
                path in claims
                or path in undecided
                or not pattern.fits(n_above, name)
                or is_never_data(path, ignore)
            ):
                continue
            splits = pattern.splits(joined(shown_path, name))
            if len(splits) > 1:
                named = [
                    [f"{k} {quoted(v)}" for k, v in names._asdict().items() if v is not None]
                    for names in splits
                ]
                ways = " · or · ".join(map(", ".join, named))
                defect = f"{quoted(pattern.text, 120)} splits this name in several ways: {ways}"
                remedy = f"say in {MANIFEST} whose it is: a line with the file, the kind submission, team and run"
                issues.append(Issue.of("ambiguous-reading", path, defect, remedy=remedy))
                undecided.add(path)
            for claim in (
                _claims_at(tree, path, splits[0], ignore, issues) if len(splits) == 1 else ()
            ):
                claims.setdefault(claim.file, claim)
    return list(claims.values()), issues


def _places(
    tree: Tree, pattern: Pattern, issues: list[Issue], folder: str = "", shown_path: str = ""
) -> Iterator[tuple[str, str]]:
    """The folders that may hold the files, each with its path by the pattern, which may name what wraps an archive."""
    above = pattern.components[:-1]
    level = len(shown_path.split("/")) if shown_path else 0
    for wrapper in (*tree.wrappers(folder, above[level:]), ()):
        path = "/".join(filter(None, (shown_path, *wrapper)))
        depth = level + len(wrapper)
        if depth > len(above) or not all(map(pattern.fits, range(level, depth), wrapper)):
            continue
        if depth == len(above):
            yield folder, path
        for below in listed_or_not(tree, folder, issues).folders if depth < len(above) else ():
            for name in dict.fromkeys((without_ending(below), name_of(below))):
                if pattern.fits(depth, name):
                    yield from _places(tree, pattern, issues, below, joined(path, name))


def _files_below(
    tree: Tree, folder: str, pattern: Pattern, issues: list[Issue]
) -> Iterator[tuple[str, str]]:
    """The files in a folder, by each way to write them; archives where the pattern asks for such."""
    listing = listed_or_not(tree, folder, issues)
    for path in listing.files:
        for name in dict.fromkeys((inner_name(name_of(path)), name_of(path))):
            yield path, name
    if archive_ending(pattern.text):
        yield from ((path, name_of(path)) for path in listing.folders if archive_ending(path))


_ROLES = f"{listed(list(Role), 'or')}, or a name that [roles] maps to one"


def claims_of(tree: Tree, settings: TrackSettings) -> tuple[list[FileRow], list[Issue]]:
    """The submissions, each with its role and who is behind it, and what is wrong with their places."""
    submissions = settings.toml.submissions
    manifest = settings.manifest
    if submissions.files is None:
        claims, misplaced = conventional_claims(tree, submissions.ignore)
    else:
        claims, misplaced = matching_claims(tree, submissions.files, submissions.ignore)
    if manifest is not None:
        claims = _with_manifest(tree, settings, manifest, claims)
        decided = {row.file for row in manifest.rows}
        is_told = submissions.files is None and manifest.of_kind("submission")
        if is_told:
            misplaced = []
        else:
            misplaced = [issue for issue in misplaced if issue.file not in decided]
    return _with_roles(claims, settings, misplaced), misplaced


# Roles


def _with_roles(
    claims: Iterable[FileRow], settings: TrackSettings, issues: list[Issue]
) -> list[FileRow]:
    """The submissions of a role that there is; an unknown one becomes an issue."""
    known = []
    for claim in claims:
        if role_of(claim, settings.toml.roles) is not None:
            known.append(claim)
            continue
        defect = f"the role {quoted(claim.role)} of {quoted(claim.file, 200)}.{did_you_mean(claim.role, Role)}"
        issues.append(
            settings.issue("bad-setting", defect, "submissions", "files", expected=_ROLES)
        )
    return known


def role_of(claim: FileRow, roles: Mapping[str, Role]) -> Role | None:
    """The role by its name, or by [roles] from the name of the run or the team; None for a name that is no role's."""
    if not claim.role:
        return _by_glob(roles, claim.run, claim.team) or Role.PRIMARY
    name = claim.role.strip().casefold()
    return _by_glob(roles, claim.role) or (Role(name) if name in set(Role) else None)


def _by_glob(roles: Mapping[str, Role], *names: str) -> Role | None:
    """The role that [roles] gives to the first of these names that has one."""
    return next(
        (
            role
            for name in names
            for glob, role in roles.items()
            if name and fnmatchcase(name, glob)
        ),
        None,
    )


# The manifest


def _with_manifest(
    tree: Tree, settings: TrackSettings, manifest: Manifest, claims: Sequence[FileRow]
) -> list[FileRow]:
    """The submissions as files.csv lists them, and those that a pattern of task.toml finds besides.

    Where it lists none, they are those of the conventions that it does not take for something else.
    """
    found = {claim.file: claim for claim in claims}
    is_told = settings.toml.submissions.files is None and manifest.of_kind("submission")
    claimed = {} if is_told else dict(found)
    issues: list[Issue] = []
    lines: dict[str, int] = {}
    for row in manifest.rows:
        try:
            path = only_file(tree, row.file) if row.kind == "submission" else row.file
            if (line := lines.setdefault(path, row.line)) != row.line:
                issues.append(bad_manifest(f"{quoted(path, 120)} is on two lines", line, row.line))
            if row.kind != "submission":
                below = (
                    [each for each in found if each.startswith(f"{path}/")]
                    if tree.is_folder(path)
                    else []
                )
                for each in [path] if path in found else below:
                    _refuse_difference(settings, row, f"it is {row.kind}", "it is a submission")
                    claimed.pop(each, None)
            elif (claim := _claim_of_row(settings, row, path, found.get(path))) is not None:
                claimed[path] = claim
        except InputError as error:
            issues.extend(error.issues)
    if issues:
        raise InputError(issues)
    return list(claimed.values())


def _refuse_difference(
    settings: TrackSettings, row: FileRow, of_manifest: str, of_settings: str
) -> None:
    """Refuse what files.csv says of a file that a pattern of task.toml finds, where that says otherwise."""
    if (files := settings.toml.submissions.files) is not None:
        by_pattern = f"{of_settings}, by files = {toml_text(files.text)}"
        raise InputError([differing(row, of_manifest, by_pattern)])


def _claim_of_row(
    settings: TrackSettings, row: FileRow, path: str, found: FileRow | None
) -> FileRow | None:
    """The submission of a row, what it leaves open by its path; None where it answers to another test set."""
    submissions = settings.toml.submissions
    if matches_any(path, submissions.ignore):
        raise InputError(
            [differing(row, "it is a submission", "it is none, by ignore under [submissions]")]
        )
    if not row.is_of(settings.part):
        if found is not None:
            of_other = f"it is of the test set {quoted(row.part)}"
            _refuse_difference(settings, row, of_other, f"it is of {quoted(settings.part or '')}")
        return None
    if (
        found is None
        and not row.part
        and settings.part is not None
        and submissions.files is not None
    ):
        return None
    by_path = found or FileRow(path)
    own, other = (asdict(each) for each in (row, by_path))
    for word in ("team", "run", "role"):
        if own[word] and other[word] and own[word] != other[word]:
            _refuse_difference(
                settings, row, f"the {word} is {quoted(own[word])}", f"it is {quoted(other[word])}"
            )
    team = row.team or by_path.team
    run = row.run or by_path.run
    role = row.role or by_path.role
    claim = replace(row, file=path, team=team, run=run, role=role)
    _check_names(claim, row, settings)
    return claim


def _check_names(claim: FileRow, row: FileRow, settings: TrackSettings) -> None:
    """Refuse a submission of nobody, in no role that there is, or in another one than [roles] gives it."""
    if not claim.team:
        defect = f"no team for {quoted(row.file, 120)}, and the path does not tell it"
        raise InputError([bad_manifest(defect, row.line, expected="a name in the column team")])
    roles = settings.toml.roles
    role = role_of(claim, roles)
    stated = _by_glob(roles, claim.run, claim.team)
    if role is None:
        defect = f"the role {quoted(row.role)}.{did_you_mean(row.role, Role)}"
        raise InputError([bad_manifest(defect, row.line, expected=_ROLES)])
    if row.role and stated is not None and stated is not role:
        raise InputError([differing(row, f"the role is {role}", f"it is {stated}, by [roles]")])


def shown_name(claim: FileRow, settings: TrackSettings) -> str:
    """A team's name for readers: by [teams], or as files.csv or the path gives it."""
    return settings.toml.teams.get(claim.team, claim.team)


# What it says of the other files


def differing(row: FileRow, of_manifest: str, of_settings: str) -> Issue:
    """The issue for a file of which files.csv and task.toml say different things."""
    defect = f"{quoted(row.file, 120)}: {MANIFEST} says {of_manifest}, and {SETTINGS_FILE} says {of_settings}"
    return Issue.of(
        "bad-manifest",
        MANIFEST,
        defect,
        lines=[row.line],
        expected="the same in both, or one is silent",
    )


def read_settings(tree: Tree, *, is_whole: bool = True) -> tuple[TrackSettings, ...]:
    """The settings of each test set in task.toml and files.csv; silent ones of one test set where there is neither."""
    manifest = read_manifest(tree, is_whole=is_whole)
    has_parts = manifest is not None and any(row.part for row in manifest.rows)
    has_settings = tree.exists(SETTINGS_FILE)
    if has_settings:
        every = parse_parts(tree.original(SETTINGS_FILE), has_parts=has_parts)
    else:
        every = (TrackSettings(),)
    if manifest is None:
        return every
    return _with_files(every, manifest)


def _with_files(every: Sequence[TrackSettings], manifest: Manifest) -> tuple[TrackSettings, ...]:
    """The settings of every test set with what files.csv says; test sets that task.toml does not have are its own."""
    named: dict[str, FileRow] = {}
    for row in manifest.rows:
        named.setdefault(row.part, row)
    named.pop("", None)
    if every[0].part is None and named:
        every = [_of_part(every[0], part) for part in named]
    parts = [settings.part for settings in every]
    slugs = [slug_of(part or "") for part in parts]
    issues = [
        bad_manifest(f"the test set {quoted(part)}.{did_you_mean(part, map(str, parts))}", row.line)
        for part, row in named.items()
        if part not in parts or slugs.count(slug_of(part)) > 1
    ]
    golds = {row.part for row in manifest.of_kind("gold")}
    if len(golds) > 1 and (rows := [row for row in manifest.of_kind("submission") if not row.part]):
        defect = (
            f"{plural(len(rows), 'submission')} without a part, first {quoted(rows[0].file, 120)}"
        )
        expected = "the test set in the column part, as there are several gold files"
        issues.append(bad_manifest(defect, *(row.line for row in rows), expected=expected))
    applied = []
    for settings in every:
        try:
            applied.append(_applied(settings, manifest))
        except InputError as error:
            issues += error.issues
    if issues:
        raise InputError(dict.fromkeys(issues))
    return tuple(applied)


def _of_part(settings: TrackSettings, part: str) -> TrackSettings:
    """The settings of a test set that only files.csv names."""
    title = settings.toml.title and f"{settings.toml.title}: {part}"
    return replace(settings, part=part, toml=settings.toml.model_copy(update={"title": title}))


def _applied(settings: TrackSettings, manifest: Manifest) -> TrackSettings:
    """The settings with the files that the manifest names in place of those that task.toml leaves open."""
    toml = settings.toml
    wide = settings.toml.wide
    gold = _named(settings, manifest, "gold", toml.gold.path if wide is None else wide.path)
    names = _named(settings, manifest, "names", toml.label_names_file)
    published = _named(settings, manifest, "published", toml.published.path)
    place = {"gold": toml.gold} if wide is None else {"wide": wide}
    files = {
        name: table.model_copy(update={"path": next(iter(gold), None)})
        for name, table in place.items()
    }
    toml = toml.model_copy(update={**files, "label_names_file": next(iter(names), None)})
    return replace(settings, toml=toml, manifest=manifest, published=tuple(published))


def _named(settings: TrackSettings, manifest: Manifest, kind: str, stated: str | None) -> list[str]:
    """The files of a kind that the manifest names for a test set, or else the one that task.toml states.

    Published tables may be several; of other kinds a test set has one, its own rather than that of all.
    """
    rows = [row for row in manifest.of_kind(kind) if row.is_of(settings.part)]
    if kind != "published":
        rows = [row for row in rows if row.part == settings.part] or rows
    if len(rows) > 1 and kind != "published":
        files = listed([quoted(row.file, 120) for row in rows], limit=4)
        if settings.part is None:
            of_part = ""
        else:
            of_part = f" of the test set {quoted(settings.part)}"
        expected = (
            f"one; where each is of a test set of its own, its name in the column part{of_part}"
        )
        raise InputError(
            [bad_manifest(f"{kind} is {files}", *(row.line for row in rows), expected=expected)]
        )
    if not rows:
        other = next(
            (row for row in manifest.rows if stated is not None and row.file == stated), None
        )
        if other is not None:
            raise InputError([differing(other, f"it is {other.kind}", f"it is {kind}")])
        if stated is None:
            return []
        return [stated]
    if stated is not None and stated.strip("/") not in {row.file for row in rows}:
        raise InputError([differing(rows[0], f"it is {kind}", f"that is {quoted(stated, 120)}")])
    return [row.file for row in rows]
