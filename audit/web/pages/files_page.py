"""The files: upload, replace, remove; and every revision before."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Query, Request, UploadFile
from fastapi.responses import Response
from starlette.datastructures import UploadFile as FormFile

from audit.service import revisions
from audit.service.rules import Act, RefusedError
from audit.web import api
from audit.web.access import Access, needs
from audit.web.pages.campaign_frame import state_of, step_page
from audit.web.pages.page_rendering import Fields, base_of, number_of, text_of, texts_of, to_step
from audit.web.receiving import receive_file

router = APIRouter(include_in_schema=False)
uploads = APIRouter(include_in_schema=False)  # what receives files, and may be sent more than other routes


@router.get("/campaigns/{campaign}/files")
def files(
    request: Request,
    access: Annotated[Access, needs(Act.READ_FILES)],
    revision: Annotated[int | None, Query(ge=1, le=api.LARGEST)] = None,
) -> Response:
    """The files of the newest revision, or of an earlier one."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        newest = None if state.head is None else state.head.files
        shown = state.head if revision is None else revisions.revision_of(connection, hosted.id, revision)
        history = revisions.revisions_of(connection, hosted.id)
    files = None if shown is None else shown.files
    differs = None if files is None or newest is None else revisions.differences(files, newest)
    return step_page(
        request, access, "files.html.j2", state, step="files", shown=shown, history=history,
        limits=access.service.limits, folders=_folders(files or ()), differs=differs,
    )  # fmt: skip


def _folders(paths: Iterable[str]) -> list[str]:
    return sorted({path.rpartition("/")[0] for path in paths if "/" in path} | {"submissions"})


@uploads.post("/campaigns/{campaign}/files")
def add(access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Add files by a form, as browsers send it without a script."""
    files = [each for each in fields.getlist("files") if isinstance(each, FormFile) and each.filename]
    if not files:
        raise RefusedError("Choose files first.")
    folder = text_of(fields, "folder").strip().strip("/")
    kept = [_received(access, each, f"{folder}/{each.filename}" if folder else str(each.filename)) for each in files]
    api.change_files(api.Revise(base=base_of(fields), uploads=kept, unwrap=not folder), access)
    return to_step(access, "found")


@uploads.post("/campaigns/{campaign}/files/replace")
def replace(access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Replace one file by another, whatever that is called."""
    path, file = text_of(fields, "path"), fields.get("file")
    if not isinstance(file, FormFile) or not file.filename:
        raise RefusedError("Choose the new file first.")
    kept = [_received(access, file, path)]
    note = f"{path} replaced"[:500]
    api.change_files(api.Revise(base=base_of(fields), uploads=kept, unpack=False, unwrap=False, note=note), access)
    return to_step(access, "found")


def _received(access: Access, file: UploadFile | FormFile, path: str) -> str:
    return receive_file(access, path, file.file, file.size or 0).id


@router.post("/campaigns/{campaign}/files/restore")
def restore(access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Take up an earlier revision again: all of it, or the files that are marked."""
    paths = texts_of(fields, "path")
    number = number_of(fields, "revision", "The page does not say which revision it showed. Open it again.")
    is_whole = text_of(fields, "what") == "all"
    if not is_whole and not paths:
        raise RefusedError("Mark the files to bring back first.")
    body = api.Restore(base=base_of(fields), paths=None if is_whole else paths)
    api.restore_revision(number, body, access)
    return to_step(access, "found")


@router.post("/campaigns/{campaign}/files/remove")
def remove(access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Leave files out of the next revision."""
    paths = texts_of(fields, "path")
    if not paths:
        raise RefusedError("Mark the files to remove first.")
    api.change_files(api.Revise(base=base_of(fields), removed=paths), access)
    return to_step(access, "found")
