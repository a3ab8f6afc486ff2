"""Whose uploads of a platform are: by the names that it gives files, and by its own list."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from audit.errors import InputError
from audit.formats.campaign.claims import CODALAB
from audit.formats.campaign.conventions import name_of, stem, without_ending
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.settings.manifest import FileRow
from audit.formats.small_tables import small_table_of

_CODABENCH = re.compile(
    r"(?P<run>\d+)_(?P<team>.+)_PhaseId(?P<phase>\d+)_\d{4}-\d\d-\d\d_\d\d-\d\d(?:_.*)?"
)
_CODABENCH_BEFORE = re.compile(r"ID_(?P<id>\d+)(?:_(?P<team>.*))?")
# characters that Codabench kept of an uploaded file's name, which then stands for the team's
_CUT_TO = 35
_CUT = f", cut to {_CUT_TO} characters: is it one team’s?"
_UPLOADS = {
    _CODABENCH: "upload {run} to phase {phase}, by Codabench's name",
    _CODABENCH_BEFORE: "by its name on Codabench",
    CODALAB: "by CodaLab's name",
}
"""How the platforms' own code calls uploads, and why that tells whose they are."""
_LISTS = (
    ("submission id", "owner"),
    ("id #", "owner"),
    ("id", "owner"),
    ("submitted file", "team name"),
)
"""The columns of the upload and its owner in the lists of Codabench, before and now, and of EvalAI."""


def uploads_of(paths: Sequence[str], told: Mapping[str, FileRow]) -> dict[str, FileRow]:
    """Whose uploads of one platform are, by the names that it gives them; none where some file is no such upload.

    What a platform does not rank is to be ignored: an earlier upload, of another phase than the last, or unfinished.
    """
    found = _by_platform(paths)
    for path, row in found.items():
        if path in told and told[path].kind == "ignore":
            found[path] = replace(row, kind="ignore")
    return found


def is_of_platforms(tree: Tree, paths: Sequence[str], others: Sequence[str]) -> bool:
    """Whether files are uploads that only a platform's names or its list give to their owners."""
    has_list = bool(
        told_by_tables(tree, paths, [path for path in others if path.endswith(".csv")])[0]
    )
    return has_list or any(
        _upload(path, pattern) for path in paths[:1] for pattern in (_CODABENCH, _CODABENCH_BEFORE)
    )


def _by_platform(paths: Sequence[str]) -> dict[str, FileRow]:
    """Whose uploads of one platform are; none where some file is no upload, or a name would be of several."""
    for pattern, why in _UPLOADS.items():
        uploads = {path: match for path in paths if (match := _upload(path, pattern))}
        has_runs = "run" in pattern.groupindex
        teams = {match["team"] for match in uploads.values() if match["team"]}
        if len(uploads) == len(paths) > 0 and (has_runs or len(teams) == len(paths)):
            found: dict[str, FileRow] = {}
            for path, match in uploads.items():
                run = match["run"] if has_runs else ""
                words = why.format(**match.groupdict())
                if not has_runs and len(match["team"]) >= _CUT_TO:
                    words += _CUT
                else:
                    words += ""
                found[path] = FileRow(path, "submission", team=match["team"], run=run, why=words)
            if "phase" in pattern.groupindex:
                return _ranked(uploads, found)
            return found
    return {}


def _upload(path: str, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """A folder, an archive or the file itself that is called as a platform calls an upload."""
    names = map(without_ending, [*path.split("/")[:-1], stem(path)])
    return next(filter(None, map(pattern.fullmatch, names)), None)


def _ranked(
    uploads: Mapping[str, re.Match[str]], found: Mapping[str, FileRow]
) -> dict[str, FileRow]:
    """The latest upload of each owner in the last phase; the others are to be ignored."""
    order = {path: (int(match["phase"]), int(match["run"])) for path, match in uploads.items()}
    latest = {found[path].team: path for path in sorted(order, key=order.__getitem__)}
    last_phase, _ = max(order.values())
    ranked = {path for path in latest.values() if order[path][0] == last_phase}
    return {
        path: row
        if path in ranked
        else replace(row, kind="ignore", why=f"{row.why}; not the latest")
        for path, row in found.items()
    }


def told_by_tables(
    tree: Tree, paths: Sequence[str], tables: Sequence[str]
) -> tuple[dict[str, FileRow], str | None]:
    """Whose files are by a platform's own list of submissions, and that list."""
    for table in tables:
        try:
            heads, *rows = small_table_of(decode(table, tree.read(table)), "bad-manifest").rows
        except InputError:
            continue
        row_of = _listed([head.casefold() for head in heads], rows)
        found = {path: row for path in paths if (row := _told(path, row_of)) is not None}
        if found:
            return found, table
    return {}, None


def _listed(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, FileRow]:
    """The owner of each upload of a list, by the upload's name or number."""
    columns = next((pair for pair in _LISTS if set(pair) <= set(heads)), None)
    if columns is None:
        return {}
    upload, owner = map(heads.index, columns)
    if "status" in heads:
        status = heads.index("status")
    else:
        status = None
    return {
        name_of(row[upload]): FileRow(
            row[upload],
            "submission" if status is None or row[status].casefold() == "finished" else "ignore",
            team=row[owner],
            run=row[upload] if row[upload].isdigit() else "",
            why="by the platform's list",
        )
        for row in rows
    }


def _told(path: str, row_of: Mapping[str, FileRow]) -> FileRow | None:
    """What is told of a file, by its name or by the number that Codabench put before it."""
    numbers = (
        match[1] for pattern in (_CODABENCH, _CODABENCH_BEFORE) if (match := _upload(path, pattern))
    )
    row = next((row_of[name] for name in (*path.split("/"), *numbers) if name in row_of), None)
    return row and replace(row, file=path)
