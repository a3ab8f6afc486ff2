"""Releases: their files, what changed between two, questions to them, and links for others."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import FileResponse

from audit.service import queue, releases, revisions
from audit.service.files import DataFolder
from audit.service.hosted_campaigns import Hosted
from audit.service.people import Secret
from audit.service.queue import ASK, DIFFER, EXPORT, Job
from audit.service.releases import Release, ShareLink, artefact_name, release_folder
from audit.service.rules import Act, NotFoundError, may
from audit.web import schemas
from audit.web.access import Access, needs
from audit.web.api.routing import CAMPAIGN, FILE, PREFIX, Number, file_answer
from audit.web.questions import Question, TableQuestion, command_of, parts_of
from audit.web.schemas import Compare, NewLink, Withdraw

router = APIRouter(prefix=PREFIX)
RELEASE = f"{CAMPAIGN}/releases/{{number}}"


@router.get(f"{CAMPAIGN}/releases", response_model=list[schemas.Release])
def list_releases(access: Annotated[Access, needs(Act.READ)]) -> list[Release]:
    """Every release that a member may see, the newest first; readers see those that are published."""
    with access.reading() as (connection, hosted):
        return releases.releases_for(connection, hosted)


@router.get(RELEASE, response_model=schemas.Release)
def show_release(number: Number, access: Annotated[Access, needs(Act.READ)]) -> Release:
    """One release: verdicts, findings, and what was made of it; readers see published ones alone."""
    with access.reading() as (connection, hosted):
        return releases.release_for(connection, hosted, number)


@router.post(f"{RELEASE}/publish", response_model=schemas.Release)
def publish_release(number: Number, access: Annotated[Access, needs(Act.PUBLISH)]) -> Release:
    """Publish a release, once: a dated act, which stays. It is compared with the one published before."""
    with access.writing() as (connection, hosted):
        return releases.publish(connection, hosted, access.caller.person, number)


@router.post(f"{RELEASE}/withdraw", response_model=schemas.Release)
def withdraw_release(
    number: Number, body: Withdraw, access: Annotated[Access, needs(Act.PUBLISH)]
) -> Release:
    """Withdraw a published release: readers then see that it was withdrawn, when, and why."""
    with access.writing() as (connection, hosted):
        person = access.caller.person
        return releases.withdraw(connection, hosted, person, number, body.reason)


# Files of a release


@router.get(f"{RELEASE}/files/{{name}}", response_class=FileResponse, responses=FILE)
def download_artefact(
    number: Number, name: str, access: Annotated[Access, needs(Act.READ)]
) -> FileResponse:
    """A file of a release: a report, a document, an export, a bundle."""
    with access.reading() as (connection, hosted):
        release = releases.release_for(connection, hosted, number)
    return file_answer(artefact_place(access, hosted, release, name), name)


def artefact_place(
    access: Access, hosted: Hosted, release: Release, name: str, *, as_reader: bool = False
) -> Path:
    """Where a listed file of a release stands; for readers, where their edition of it stands."""
    folder = release_folder(access.service.data, release)
    exports = release.parts.get(EXPORT)
    tasks = release.summary["tasks"]
    evaluated = {release.summary["summary"]}
    exported = set()
    for task in tasks:
        evaluated |= {task["report"], task["document"]}
        exported |= {artefact_name(task["slug"], kind) for kind in ("export", "bundle")}
    if name in evaluated:
        place = folder / name
    elif exports and name in exported:
        place = folder.with_name(exports) / name
    else:
        raise NotFoundError("There is no such file in this release, or it is not made yet.")
    place.stat()
    if may(hosted.role, Act.READ_DRAFTS) and not as_reader:
        return place
    return edition_for_readers(release, place)


def edition_for_readers(release: Release, place: Path) -> Path:
    """The readers' edition of a file; the file itself where there is none, as in early releases."""
    with_edition = set()
    for task in release.summary["tasks"]:
        if "readers" in task:
            with_edition.add(task["report"])
        if "readers_document" in task:
            with_edition.add(task["document"])
    edition = releases.readers_edition(place)
    if place.name in with_edition or edition.is_file():
        return edition
    return place


# What changed between two releases


@router.get(f"{RELEASE}/differences/{{task}}", response_class=FileResponse, responses=FILE)
def show_difference(
    number: Number, task: str, access: Annotated[Access, needs(Act.READ)]
) -> FileResponse:
    """What changed in a test set since the release that this one was compared with last, as JSON."""
    with access.reading() as (connection, hosted):
        release = releases.release_for(connection, hosted, number)
        former = releases.former_of(connection, release)
    sees_drafts = may(hosted.role, Act.READ_DRAFTS)
    if former is None or not (former.is_public or sees_drafts):
        raise NotFoundError("This release was not compared with one that you may see.")
    place = difference_place(access.service.data, release, task, for_readers=not sees_drafts)
    return file_answer(place, f"difference of {task}.json")


def difference_place(data: DataFolder, release: Release, task: str, *, for_readers: bool) -> Path:
    """Where it is kept what changed in a test set since an earlier release."""
    if DIFFER in release.parts and any(each["slug"] == task for each in release.summary["tasks"]):
        folder = release_folder(data, release).parent / release.parts[DIFFER]
        place = folder / artefact_name(task, "document")
        if place.is_file():
            if for_readers:
                return edition_for_readers(release, place)
            return place
    raise NotFoundError("This release was not compared in this test set, or nothing changed in it.")


def whole_difference_place(data: DataFolder, release: Release) -> Path | None:
    """Where it is kept what became of several test sets together; None where nothing is."""
    if DIFFER not in release.parts or not release.summary.get("whole"):
        return None
    folder = release_folder(data, release).parent / release.parts[DIFFER]
    place = folder / releases.WHOLE_DIFFERENCE
    if place.is_file():
        return place
    return None


@router.post(f"{RELEASE}/difference", status_code=202, response_model=schemas.Job)
def compare_releases(
    number: Number, body: Compare, access: Annotated[Access, needs(Act.EVALUATE)]
) -> Job:
    """Say what changed since an earlier release: a job, which describes each test set that changed."""
    with access.writing() as (connection, hosted):
        for each in (number, body.former):
            releases.release_for(connection, hosted, each)
        person = access.caller.person.id
        arguments = {"release": number, "former": body.former}
        return queue.ask_for(connection, hosted.id, person, DIFFER, **arguments)


# Questions


@router.post(f"{RELEASE}/questions", status_code=202, response_model=schemas.Job)
def ask_question(
    number: Number, body: Question, access: Annotated[Access, needs(Act.EVALUATE)]
) -> Job:
    """Ask a release what a command of the command line answers: a job, whose outcome has the answer."""
    with access.writing() as (connection, hosted):
        release = releases.release_for(connection, hosted, number)
        parts = parts_of(body, release)
        arguments: dict[str, Any] = {"release": number, "question": parts}
        arguments["command"] = command_of(parts)
        if isinstance(body, TableQuestion):
            uploads = revisions.uploads_by_id(connection, hosted.id, [body.upload])
            table = uploads[body.upload]
            name = table.path.rpartition("/")[2]
            arguments["table"] = {"sha256": table.stored.sha256, "name": name}
            arguments["command"] = command_of(parts, name)
        return queue.ask_for(connection, hosted.id, access.caller.person.id, ASK, **arguments)


# Links


@router.post(f"{CAMPAIGN}/links", status_code=201, response_model=schemas.Secret)
def make_link(body: NewLink, access: Annotated[Access, needs(Act.PUBLISH)]) -> Secret:
    """A link by which others read one release: /shared/SECRET. Its teams may be numbers."""
    with access.writing() as (connection, hosted):
        person = access.caller.person
        return releases.make_link(
            connection, hosted, person, body.release, anonymous=body.anonymous
        )


@router.get(f"{CAMPAIGN}/links", response_model=list[schemas.ShareLink])
def list_links(access: Annotated[Access, needs(Act.PUBLISH)]) -> list[ShareLink]:
    """The links of a campaign that still work, the oldest first, without their secrets."""
    with access.reading() as (connection, hosted):
        return releases.links_of(connection, hosted.id)


@router.delete(f"{CAMPAIGN}/links/{{link}}", status_code=204)
def revoke_link(link: str, access: Annotated[Access, needs(Act.PUBLISH)]) -> None:
    """End a link."""
    with access.writing() as (connection, hosted):
        releases.revoke_link(connection, access.caller.person, hosted.id, link)
