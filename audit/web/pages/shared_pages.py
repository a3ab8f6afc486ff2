"""What a link shows to whoever has it: one release, read-only, with team names or without."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from audit.hosting import releases
from audit.hosting.releases import Release
from audit.hosting.rules import NotFoundError
from audit.jobs.job_kinds import ANONYMISE
from audit.jobs.work_orders import release_folder
from audit.web.access import service_of
from audit.web.pages.page_rendering import page
from audit.web.sandbox import framed as framed_report

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Shared:
    """The release that a link leads to."""

    release: Release
    """The release."""
    anonymous: bool
    """Whether teams are numbers in it."""
    folder: Path | None
    """The folder with its reports; None while they are being made."""


def _shared(request: Request, secret: str) -> Shared:
    service = service_of(request)
    with service.database.reading() as connection:
        release, anonymous = releases.shared_by(connection, secret)
    folder = release_folder(service.data, release)
    if anonymous:
        part = release.parts.get(ANONYMISE)
        return Shared(release, anonymous, folder.parent / part if part else None)
    return Shared(release, anonymous, folder)


@router.get("/shared/{secret}")
def shared(request: Request, secret: str, task: Annotated[str | None, Query(max_length=300)] = None) -> Response:
    """The page of a release as others see it; without names where teams are numbers."""
    link = _shared(request, secret)
    tasks = link.release.summary["tasks"]
    shown = next((each for each in tasks if each["slug"] == task), None)
    if shown is None and not link.release.summary["summary"]:
        shown = tasks[0]
    return page(request, "shared.html.j2", shared=link, secret=secret, tasks=tasks, task=shown)


@router.get("/shared/{secret}/report/{name}")
def shared_report(request: Request, secret: str, name: str) -> Response:
    """A report of the release, in its sandbox."""
    link = _shared(request, secret)
    summary = link.release.summary
    names = {task["report"] for task in summary["tasks"]} | {summary["summary"]}
    if link.folder is None or name not in names:
        raise NotFoundError("There is no such report, or it is not made yet.")
    return framed_report(link.folder / name)
