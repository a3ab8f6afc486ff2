"""Releases: what changed from one to the next, publishing, and what links show to others."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from audit.service import queue, releases
from audit.service.child import ANONYMISE, DIFFER
from audit.service.orders import release_folder
from audit.service.releases import Release
from audit.service.rules import Act, NotFoundError, may
from audit.web import api
from audit.web.access import Access, needs, service_of
from audit.web.guard import framed as framed_report
from audit.web.pages.campaign_frame import state_of, step_page
from audit.web.pages.page_rendering import Fields, number_of, page, text_of, to_step

router = APIRouter(include_in_schema=False)


@router.get("/campaigns/{campaign}/releases")
def list_releases(request: Request, access: Annotated[Access, needs(Act.READ)]) -> Response:
    """Every release, and the links to them."""
    return _releases_page(request, access)


def _releases_page(request: Request, access: Access, *, made_link: str = "") -> Response:
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        links = releases.links_of(connection, hosted.id) if may(hosted.role, Act.PUBLISH) else []
    return step_page(request, access, "releases.html.j2", state, step="releases", links=links, made_link=made_link)


@router.get("/campaigns/{campaign}/releases/{number}")
def before_and_after(request: Request, number: api.Number, access: Annotated[Access, needs(Act.READ)]) -> Response:
    """What changed since an earlier release, and what became of it."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        release = releases.release_of(connection, hosted.id, number)
        job = state.latest(DIFFER, release=number)
        before = queue.n_before(connection, job) if job else 0
    compared = (each for each in state.jobs if each.kind == DIFFER and each.arguments["release"] == number)
    done = next((each for each in compared if each.state is queue.JobState.DONE), None)
    return step_page(
        request, access, "release.html.j2", state, step="releases",
        release=release, job=job, before=before, former=done and done.arguments["former"],
        earlier=[each for each in state.releases if each.number < number], differences=_differences(access, release),
    )  # fmt: skip


def _differences(access: Access, release: Release) -> list[tuple[str, dict[str, Any]]]:
    """The title of each test set that differs, with what is said of it."""
    differences = []
    for task in release.summary["tasks"] if DIFFER in release.parts else ():
        try:
            place = api.difference_place(access, release, task["slug"])
        except NotFoundError:  # this test set is as it was
            continue
        differences.append((task["title"], json.loads(place.read_text(encoding="utf-8"))))
    return differences


@router.post("/campaigns/{campaign}/releases/{number}/difference")
def compare(number: api.Number, access: Annotated[Access, needs(Act.EVALUATE)], fields: Fields) -> Response:
    """Say what changed since another release."""
    former = number_of(fields, "former", "Choose the release to compare with.")
    api.compare_releases(number, api.Compare(former=former), access)
    return to_step(access, f"releases/{number}")


@router.post("/campaigns/{campaign}/releases/{number}/publish")
def publish(number: api.Number, access: Annotated[Access, needs(Act.PUBLISH)]) -> Response:
    """Publish a release."""
    api.publish_release(number, access)
    return to_step(access, "releases", "published")


@router.post("/campaigns/{campaign}/releases/links")
def make_link(request: Request, access: Annotated[Access, needs(Act.PUBLISH)], fields: Fields) -> Response:
    """A link for others; its address is shown once, here."""
    number = number_of(fields, "release", "Choose the release to share.")
    body = api.NewLink(release=number, anonymous=text_of(fields, "names") == "numbers")
    secret = api.make_link(body, access).secret
    return _releases_page(request, access, made_link=f"{request.base_url}shared/{secret}")


@router.post("/campaigns/{campaign}/releases/links/{link}/revoke")
def revoke_link(link: str, access: Annotated[Access, needs(Act.PUBLISH)]) -> Response:
    """End a link."""
    api.revoke_link(link, access)
    return to_step(access, "releases", "link-revoked")


@dataclass(frozen=True, slots=True)
class Shared:
    """The release that a link leads to."""

    release: Release  # the release
    anonymous: bool  # whether teams are numbers in it
    folder: Path | None  # the folder with its reports; None while they are being made


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
