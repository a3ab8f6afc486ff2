"""Releases: what changed from one to the next, publishing, and links for others."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from audit.hosting import queue, releases
from audit.hosting.queue import Job
from audit.hosting.releases import Release
from audit.hosting.rules import Act, NotFoundError, RefusedError, may
from audit.jobs.job_kinds import DIFFER
from audit.web import api
from audit.web.access import Access, needs
from audit.web.pages.campaign_frame import state_of, step_page
from audit.web.pages.page_rendering import Fields, text_of, to_step

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
    done = next((each for each in state.jobs if _is_done(each, number)), None)
    return step_page(
        request, access, "release.html.j2", state, step="releases",
        release=release, job=job, before=before, former=done and done.arguments["former"],
        earlier=[each for each in state.releases if each.number < number], differences=_differences(access, release),
    )  # fmt: skip


def _is_done(job: Job, number: api.Number) -> bool:
    return job.kind == DIFFER and job.arguments["release"] == number and job.state is queue.JobState.DONE


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
    former = text_of(fields, "former")
    if not former.isdecimal():
        raise RefusedError("Choose the release to compare with.")
    api.difference(number, api.Compare(former=int(former[:9])), access)
    return to_step(access, f"releases/{number}")


@router.post("/campaigns/{campaign}/releases/{number}/publish")
def publish(number: api.Number, access: Annotated[Access, needs(Act.PUBLISH)]) -> Response:
    """Publish a release."""
    api.publish(number, access)
    return to_step(access, "releases", "published")


@router.post("/campaigns/{campaign}/releases/links")
def make_link(request: Request, access: Annotated[Access, needs(Act.PUBLISH)], fields: Fields) -> Response:
    """A link for others; its address is shown once, here."""
    number = text_of(fields, "release")
    if not number.isdecimal():
        raise RefusedError("Choose the release to share.")
    body = api.NewLink(release=int(number[:9]), anonymous=text_of(fields, "names") == "numbers")
    secret = api.make_link(body, access).secret
    return _releases_page(request, access, made_link=f"{request.base_url}shared/{secret}")


@router.post("/campaigns/{campaign}/releases/links/{link}/revoke")
def revoke_link(link: str, access: Annotated[Access, needs(Act.PUBLISH)]) -> Response:
    """End a link."""
    api.revoke_link(link, access)
    return to_step(access, "releases", "link-revoked")
