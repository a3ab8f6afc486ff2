"""What was found in the files, what is open to be decided, and the settings."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from audit.hosting import file_revisions as revisions
from audit.hosting.file_revisions import Revision
from audit.hosting.rules import Act, ConflictError, RefusedError
from audit.hosting.settings_text import Setting, settings_of_choice
from audit.web import api
from audit.web.access import Access, needs
from audit.web.pages.campaign_frame import state_of, step_page
from audit.web.pages.page_rendering import Fields, base_of, text_of, to_step
from audit.web.pages.settings_forms import changes_of, chosen_of, labels_of, roles_of, teams_of

router = APIRouter(include_in_schema=False)
_ROWS = 6
_LONGEST_ROW = 120
_LOOKED_AT = 8 << 10


@router.get("/campaigns/{campaign}/found")
def found(request: Request, access: Annotated[Access, needs(Act.READ_FILES)]) -> Response:
    """What each file was taken for, and what is wrong with it."""
    return _found_page(request, access)


def _found_page(
    request: Request, access: Access, status: int = 200, *, problem: str = "", typed: str | None = None
) -> Response:
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
    findings = (state.head and state.head.findings) or {}
    forms: dict[str, Any] = {}
    if findings.get("is_usable"):
        forms = {
            "labels": labels_of(findings), "teams": teams_of(findings), "roles": roles_of(findings),
            "chosen": chosen_of(findings),
        }  # fmt: skip
    failed = (state.reading and state.reading.outcome) or {}
    issues = [*findings.get("issues", ()), *failed.get("issues", ())]
    rows = first_rows(access, state.head, _open_to_choice(findings, issues))
    settings = "" if state.head is None else api.settings_text(access, state.head)
    return step_page(
        request, access, "found.html.j2", state, step="found", status=status,
        findings=findings, issues=issues, forms=forms, rows=rows, settings=settings, problem=problem, typed=typed,
        paths=list((state.head and state.head.files) or ()),
    )  # fmt: skip


def _open_to_choice(findings: Mapping[str, Any], issues: list[dict[str, Any]]) -> list[str]:
    """The files whose issues leave a choice."""
    rejected = [issue for task in findings.get("tasks", ()) for each in task["rejected"] for issue in each["issues"]]
    return list(dict.fromkeys(issue["file"] for issue in [*issues, *rejected] if issue["choices"]))


def first_rows(access: Access, revision: Revision | None, paths: list[str]) -> dict[str, list[str]]:
    """The first rows of text files, so that who decides sees what they decide on."""
    files = (revision and revision.files) or {}
    content = access.service.data.content_of(access.campaign)
    rows = {}
    for path in paths:
        if path in files:
            with content.path_of(files[path].sha256).open("rb") as file:
                start = file.read(_LOOKED_AT)
            if b"\0" not in start:
                rows[path] = [line[:_LONGEST_ROW] for line in start.decode("utf-8", "replace").splitlines()[:_ROWS]]
    return rows


def _keep_settings(access: Access, base: int, changes: list[Setting]) -> Response:
    if not changes:
        return to_step(access, "found", "unchanged")
    api.keep_settings(access, base, changes)
    return to_step(access, "found")


@router.post("/campaigns/{campaign}/found/choice")
def choose(access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Write what a choice says into task.toml."""
    return _keep_settings(
        access, base_of(fields), settings_of_choice(text_of(fields, "section"), text_of(fields, "settings"))
    )


@router.post("/campaigns/{campaign}/found/settings")
def change(access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Write what a form says into task.toml."""
    base = base_of(fields)
    with access.reading() as (connection, hosted):
        findings = revisions.revision_of(connection, hosted.id, base).findings or {}
    return _keep_settings(access, base, changes_of(fields, findings))


@router.post("/campaigns/{campaign}/found/text")
def write(request: Request, access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Replace the text of task.toml; what cannot be kept is shown again, and nothing that was typed is lost."""
    text = text_of(fields, "text")
    try:
        api.keep_settings(access, base_of(fields), [], text)
    except (RefusedError, ConflictError) as error:
        status = 409 if isinstance(error, ConflictError) else 400
        return _found_page(request, access, status, problem=str(error), typed=text)
    return to_step(access, "found")


@router.post("/campaigns/{campaign}/found/draft")
def begin_with_draft(access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Make the draft the campaign's task.toml."""
    base = base_of(fields)
    with access.reading() as (connection, hosted):
        findings = revisions.revision_of(connection, hosted.id, base).findings or {}
    if not findings.get("draft"):
        raise RefusedError("There is no draft for these files.")
    api.keep_settings(access, base, [], findings["draft"])
    return to_step(access, "found")
