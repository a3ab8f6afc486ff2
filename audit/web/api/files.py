"""The files of a campaign: uploads, revisions, and the settings that stand in task.toml."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse

from audit.errors import SETTINGS_FILE
from audit.service import revisions
from audit.service.files import checked_path, without_wrapper
from audit.service.queue import Job
from audit.service.revisions import FileChange, NamedFiles, Revision, Upload
from audit.service.rules import Act, ConflictError, NotFoundError, RefusedError
from audit.service.settings_text import Setting, edited, names_of
from audit.text import plural, visible
from audit.web import schemas
from audit.web.access import Access, needs
from audit.web.api.routing import BYTES, CAMPAIGN, FILE, PREFIX, Number, file_answer
from audit.web.receiving import receive
from audit.web.schemas import MOST_SETTINGS, EditSettings, NameFiles, Restore, Revise

router = APIRouter(prefix=PREFIX)
uploads = APIRouter(prefix=PREFIX)  # what receives files, and may be sent more than other routes


@dataclass(frozen=True, slots=True)
class Revised:
    """A revision that was made, and the job that reads it."""

    revision: int
    job: Job


@dataclass(frozen=True, slots=True)
class FreedSpace:
    """Bytes freed from the quota."""

    size: int


@uploads.put(
    f"{CAMPAIGN}/uploads",
    status_code=201,
    response_model=schemas.Upload,
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": BYTES}}}},
)
async def upload_file(
    request: Request,
    path: Annotated[str, Query(max_length=1000)],
    access: Annotated[Access, needs(Act.EDIT)],
) -> Upload:
    """Upload one file: its bytes are the body. It is part of the campaign once a revision names it."""
    return await receive(request, access, path)


# Revisions


@router.get(f"{CAMPAIGN}/revisions", response_model=list[schemas.Revision])
def list_revisions(access: Annotated[Access, needs(Act.READ_FILES)]) -> list[Revision]:
    """Every revision of the files, the newest first."""
    with access.reading() as (connection, hosted):
        return revisions.revisions_of(connection, hosted.id)


@router.get(f"{CAMPAIGN}/revisions/{{number}}", response_model=schemas.Revision)
def show_revision(number: Number, access: Annotated[Access, needs(Act.READ_FILES)]) -> Revision:
    """One revision: every file, and what was found in them."""
    with access.reading() as (connection, hosted):
        return revisions.revision_of(connection, hosted.id, number)


@router.get(
    f"{CAMPAIGN}/revisions/{{number}}/files/{{path:path}}",
    response_class=FileResponse,
    responses=FILE,
)
def download_file(
    number: Number, path: str, access: Annotated[Access, needs(Act.READ_FILES)]
) -> FileResponse:
    """One file as it was received."""
    with access.reading() as (connection, hosted):
        files = revisions.revision_of(connection, hosted.id, number).files or {}
    if path not in files:
        raise NotFoundError("There is no such file in this revision.")
    place = access.service.data.content_of(access.campaign).path_of(files[path].sha256)
    return file_answer(place, path.rpartition("/")[2])


@router.post(f"{CAMPAIGN}/revisions", status_code=201, response_model=schemas.Revised)
def change_files(body: Revise, access: Annotated[Access, needs(Act.EDIT)]) -> Revised:
    """Make the next revision of the files: add what was uploaded, leave out what is removed.

    An archive that comes first and alone is unpacked, and a folder around all that comes is taken
    off, unless the request says otherwise (`unpack`, `unwrap`).
    """
    with access.writing() as (connection, hosted):
        named = revisions.uploads_by_id(connection, hosted.id, body.uploads)
        new_paths: Mapping[str, str] = {}
        if body.unwrap:
            new_paths = without_wrapper([each.path for each in named.values()])
        added = {new_paths.get(each.path, each.path): each.stored for each in named.values()}
        change = FileChange(added, tuple(map(checked_path, body.removed)), body.unpack)
        note = body.note or _change_in_words(change)
        person = access.caller.person
        made = revisions.change_files(connection, hosted, person, change, base=body.base, note=note)
    return Revised(*made)


def _change_in_words(change: FileChange) -> str:
    """What was added and removed, for the log."""
    parts = []
    if change.added:
        parts.append(f"{_paths_in_words(tuple(change.added))} added")
    if change.removed:
        parts.append(f"{_paths_in_words(change.removed)} removed")
    return ", ".join(parts)


def _paths_in_words(paths: Sequence[str]) -> str:
    if len(paths) == 1:
        return visible(paths[0], 200)
    return plural(len(paths), "file")


@router.post(
    f"{CAMPAIGN}/revisions/{{number}}/restore", status_code=201, response_model=schemas.Revised
)
def restore_revision(
    number: Number, body: Restore, access: Annotated[Access, needs(Act.EDIT)]
) -> Revised:
    """Make the next revision from an earlier one: the same files, or some. No revision is changed."""
    with access.writing() as (connection, hosted):
        earlier = revisions.revision_of(connection, hosted.id, number)
        newest = revisions.revision_of(connection, hosted.id, hosted.head)
        change = revisions.restored(earlier, newest, body.paths)
        note = body.note or revisions.restored_in_words(change, earlier)
        person = access.caller.person
        made = revisions.change_files(connection, hosted, person, change, base=body.base, note=note)
    return Revised(*made)


@router.post(f"{CAMPAIGN}/revisions/forget", response_model=schemas.FreedSpace)
def forget_earlier(access: Annotated[Access, needs(Act.REMOVE)]) -> FreedSpace:
    """Forget the files of revisions that are neither the newest nor evaluated, and free their space.

    Nobody brings those files back. The revisions stay in the history, and so do all releases with
    their files.
    """
    content = access.service.data.content_of(access.campaign)
    before = content.n_bytes()
    with access.writing() as (connection, hosted):
        content.forget(revisions.forget_earlier(connection, hosted, access.caller.person))
    return FreedSpace(before - content.n_bytes())


@router.put(f"{CAMPAIGN}/gold-and-submissions", status_code=201, response_model=schemas.Revised)
def name_files(body: NameFiles, access: Annotated[Access, needs(Act.EDIT)]) -> Revised:
    """Make the next revision from a gold file and submissions, read as `audit run --gold` reads them.

    Its task.toml and files.csv are written by the job that reads it; earlier revisions keep theirs.
    """
    submissions = tuple(path.rstrip("/") for path in body.submissions)
    named = NamedFiles(body.gold, submissions, body.id or None, body.label or None)
    with access.writing() as (connection, hosted):
        findings = revisions.revision_of(connection, hosted.id, body.base).findings
        if findings is None:
            raise ConflictError(
                "The newest files are still being read. Name gold once that is done."
            )
        paths = {row["file"] for row in findings.get("files", ())}
        folders = {str(above) for path in paths for above in PurePosixPath(path).parents} - {"."}
        if body.gold not in paths or not set(submissions) <= paths | folders:
            raise RefusedError("Choose gold and submissions among the files of this audit.")
        change = FileChange({}, unpack=False, named=named)
        note = f"gold named: {visible(body.gold, 300)}"
        person = access.caller.person
        made = revisions.change_files(connection, hosted, person, change, base=body.base, note=note)
    return Revised(*made)


# Settings


@router.put(f"{CAMPAIGN}/settings", status_code=201, response_model=schemas.Revised)
def write_settings(body: EditSettings, access: Annotated[Access, needs(Act.EDIT)]) -> Revised:
    """Change settings in task.toml, keeping its comments and order; or replace its text."""
    changes = [Setting(tuple(each.table), each.key, each.value) for each in body.settings]
    return keep_settings(access, body.base, changes, body.text)


def keep_settings(
    access: Access, base: int, changes: Sequence[Setting], text: str | None = None
) -> Revised:
    """Make a revision whose task.toml has these settings, written into a text or into its own."""
    if text is not None:
        before, note = text, "task.toml written"
    else:
        before, note = _settings_before(access, base), f"settings: {names_of(changes)}"
    return keep_texts(access, base, {SETTINGS_FILE: edited(before, changes)}, note)


def keep_texts(
    access: Access, base: int, texts: Mapping[str, str], note: str, removed: Sequence[str] = ()
) -> Revised:
    """Make a revision with these files, by their paths, and without others."""
    content = access.service.data.content_of(access.campaign)
    person = access.caller.person
    with access.writing() as (connection, hosted):
        added = {}
        for path, text in texts.items():
            stored = content.keep_bytes(text.encode("utf-8", "replace"))
            upload = revisions.keep_upload(connection, hosted.id, person, path, stored)
            added[upload.path] = upload.stored
        change = FileChange(added, tuple(removed), unpack=False)
        made = revisions.change_files(connection, hosted, person, change, base=base, note=note)
    return Revised(*made)


def _settings_before(access: Access, base: int) -> str:
    """The text of task.toml in a revision; empty before the first one."""
    if not base:
        return ""
    with access.reading() as (connection, hosted):
        revision = revisions.revision_of(connection, hosted.id, base)
    if revision.files is None and SETTINGS_FILE not in revision.change.added:
        raise ConflictError(
            "The files were not read yet, so that it is not known what stands in task.toml."
        )
    return text_of_file(access, revision, SETTINGS_FILE)


def text_of_file(access: Access, revision: Revision, path: str) -> str:
    """The text of a file in a revision, or in its change where it was not read; empty without one."""
    files = revision.files
    if files is None:
        files = revision.change.added
    stored = files.get(path)
    if stored is None:
        return ""
    if stored.size > MOST_SETTINGS:
        raise RefusedError(
            f"{path} is larger than {MOST_SETTINGS:,} bytes: nobody wrote it by hand."
        )
    place = access.service.data.content_of(access.campaign).path_of(stored.sha256)
    return place.read_text("utf-8", "replace")
