"""Find the submission that a file checked by itself is, where its columns depend on that."""

from collections.abc import Iterable, Sequence

from audit.domain import SourceFile
from audit.errors import UsageError
from audit.formats.campaign.claims import FileClaim, files_by_cell, uploader
from audit.formats.campaign.conventions import SUBMISSIONS, file_of, joined, stem, without_ending
from audit.formats.campaign.roster import Row, claims_of, read_roster
from audit.formats.files.archives import archive_ending
from audit.formats.files.compressed import inner_name
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.settings.parsing import parse_settings
from audit.formats.settings.pattern import SPLITS, Names
from audit.formats.settings.task_settings import Settings
from audit.text import listed, quoted

_SHOWN = 4


def settings_of_file(name: str, place: str | None, settings: Settings, claims: Sequence[FileClaim]) -> Settings:
    r"""The settings by which a load would read one file.

    >>> from audit.formats.settings.parsing import parse_settings
    >>> settings = parse_settings(
    ...     b'[submissions]\nlabel = "label"\nabove = "yes"\nscore = { SVM = "p", "*" = "score" }\n'
    ... )
    >>> settings_of_file("SVM.csv", None, settings, ()).submissions.score
    ('p',)
    >>> settings_of_file("1.csv", "submissions/SVM/1.csv", settings, ()).submissions.score
    ('p',)
    """
    if not has_columns_by_file(settings):
        return settings
    candidates = _candidates(name, None if place is None else _plain(place), settings, claims)
    settings_of_each = [settings.of_submission(each.path, each.run, each.team, score=each.score) for each in candidates]
    if any(other.submissions != settings_of_each[0].submissions for other in settings_of_each[1:]):
        places = dict.fromkeys(_sibling_path(claim.path, name) for claim in candidates if claim.path)
        like = listed([quoted(each, 120) for each in places], "or", limit=_SHOWN) or f"{SUBMISSIONS}/TEAM/{name}"
        raise UsageError(
            f"Columns of scores are named for each file, and which of them {quoted(name, 120)} has depends on where it "
            f"would stand: say it with --as, like {like}."
        )
    return settings_of_each[0]


def _sibling_path(path: str, name: str) -> str:
    """The path itself if it has the name in it; otherwise the path of that name in the same folder."""
    return path if name in path.split("/") else joined(path.rpartition("/")[0], name)


def has_columns_by_file(settings: Settings) -> bool:
    """Whether files may be read by columns of their own: by names in task.toml, or by the table of the submissions."""
    return bool(settings.submissions.score_by_name) or settings.toml.submissions.table is not None


def claims_in(tree: Tree, settings: Settings) -> tuple[FileClaim, ...]:
    """The submissions of a folder, where they are needed for how a file is read."""
    return tuple(claims_of(tree, settings)[0]) if has_columns_by_file(settings) else ()


def claims_of_loaded(
    content: bytes, part: str | None, table: SourceFile | None, loaded: Iterable[tuple[str, str, str | None]]
) -> tuple[FileClaim, ...]:
    """The submissions of a campaign that was loaded, as task.toml and the table of the submissions call them."""
    settings = parse_settings(content, part)
    if not has_columns_by_file(settings):
        return ()
    rows = (
        [] if table is None else read_roster(decode(table.path, table.content), settings.toml.submissions.table_columns)
    )
    named = [row for row in rows if {"name", "team"} <= row.cells.keys()]
    own_names = {row.cells["name"]: row.cells["team"] for row in named}
    own_names |= {shown: team for team, shown in settings.toml.teams.items()}
    claims = []
    for path, team, run in loaded:
        by_path = _claim_at(path, settings)
        name = own_names.get(team) or (team if by_path is None or not rows else by_path.team)
        claims.append(FileClaim(path, name, run, score=_score_in(rows, path, settings)))
    return tuple(claims)


def _score_in(rows: Iterable[Row], path: str, settings: Settings) -> str | None:
    """The column of scores that the table names for the file, or for the archive that it is in."""
    return next((row.cells.get("score") for row in rows if _is_of(row.cells["file"], path, settings)), None)


def _is_of(cell: str, path: str, settings: Settings) -> bool:
    """Whether a cell names a file, or the archive that it is in; in a form's sheet its name or number is enough."""
    by_cell = settings.toml.submissions.table_columns is not None and file_of(cell) in files_by_cell([path])
    return by_cell or _is_below(path, _plain(cell))


def _plain(path: str) -> str:
    """A path without what changes nothing in it."""
    return "/".join(part for part in path.split("/") if part not in {"", "."})


def _is_below(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _candidates(name: str, place: str | None, settings: Settings, claims: Sequence[FileClaim]) -> Sequence[FileClaim]:
    """Which submissions the file may be: one that is there, or a new one."""
    if place is not None:
        matching = [claim for claim in claims if _is_below(claim.path, place)]
    else:
        matching = [claim for claim in claims if name in claim.path.split("/")]
    if matching:
        return matching
    new = _claim_at(place or _place_of(name, settings, claims), settings)
    return [*_anyone(settings), *claims] if new is None else [new]


def _anyone(settings: Settings) -> list[FileClaim]:
    """A submission of each of the names that columns are given for, and of another one."""
    return [FileClaim("", ""), *(FileClaim("", glob) for glob, _ in settings.submissions.score_by_name)]


def _place_of(name: str, settings: Settings, claims: Sequence[FileClaim]) -> str:
    """The place where a new file of this name would stand, or its name alone where that is open.

    By the conventions that is a team's own file, unless other teams have folders; by a pattern, the only folder of it.
    """
    if settings.toml.submissions.files is None:
        return (
            name
            if settings.toml.submissions.table is not None or any(claim.run for claim in claims)
            else f"{SUBMISSIONS}/{name}"
        )
    above, _, _ = settings.toml.submissions.files.text.rpartition("/")
    return name if set(above) & set("{*") else joined(above, name)


def _claim_at(place: str, settings: Settings) -> FileClaim | None:
    """Team and run of a path, as the pattern or the conventions have them; None where they do not tell."""
    if settings.toml.submissions.files is not None:
        names = _names_at(place, settings)
        return None if names is None else FileClaim(place, *names)
    folder, *path = place.split("/")
    if folder != SUBMISSIONS or len(path) not in {1, 2}:
        return None
    if len(path) == 2:  # noqa: PLR2004 - a team's folder, and a run in it
        is_archive = archive_ending(path[1]) is not None
        return FileClaim(place, path[0], without_ending(path[1]) if is_archive else stem(path[1]))
    return (
        FileClaim(place, *uploader(without_ending(path[0])))
        if archive_ending(path[0])
        else FileClaim(place, stem(path[0]))
    )


def _names_at(place: str, settings: Settings) -> Names | None:
    """The names that the pattern finds in a path, with the ending of a compression or without."""
    pattern = settings.toml.submissions.files
    if pattern is None:
        return None
    for path in dict.fromkeys((inner_name(place), place)):
        splits = pattern.splits(path)
        if settings.toml.submissions.split is None and len(splits) > 1:
            raise UsageError(f"{quoted(pattern.text, 120)} splits {quoted(place, 120)} in several ways.")
        if splits:
            return splits.get(settings.toml.submissions.split or SPLITS[0]) or next(iter(splits.values()))
    return None
