"""The audit: the report in its frame, questions to it, its releases, what changed in them, and links for others."""

import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from sqlalchemy import Connection
from starlette.datastructures import UploadFile as FormFile

from audit.service import queue, releases, revisions
from audit.service.queue import ANONYMISE, ASK, DIFFER, EXPORT
from audit.service.releases import Release, release_folder
from audit.service.rules import Act, NotFoundError, RefusedError, may
from audit.web.access import Access, Service, needs, service_of
from audit.web.api.release_requests import (
    artefact_place,
    ask_question,
    difference_place,
    edition_for_readers,
    whole_difference_place,
)
from audit.web.api.routing import MaybeNumber, Number
from audit.web.guard import framed as framed_report
from audit.web.pages.page_rendering import (
    Fields,
    page,
    rows_of,
    state_of,
    step_page,
    text_of,
    to_step,
)
from audit.web.questions import QUESTIONS, Question
from audit.web.receiving import receive_file

Differences = list[tuple[str, dict[str, Any]]]
# the slug of one; None: what sums up all, or the only one
TestSet = Annotated[str | None, Query(max_length=300)]
# the one that is looked at; None: that of who asks
Edition = Annotated[Literal["readers"] | None, Query()]
router = APIRouter(include_in_schema=False)
# what receives files, and may be sent more than other routes
uploads = APIRouter(include_in_schema=False)


@router.get("/campaigns/{campaign}/audit")
def audit_of(
    request: Request,
    access: Annotated[Access, needs(Act.READ)],
    release: MaybeNumber = None,
    task: TestSet = None,
    edition: Edition = None,
) -> Response:
    """The report of a release, the newest where none is named; for organisers also as readers see it."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        chosen = (
            releases.release_for(connection, hosted, release)
            if release
            else next(iter(state.releases), None)
        )
    if chosen is None:
        return step_page(request, access, "no_audit.html.j2", state, step="audit")
    return step_page(
        request, access, "audit.html.j2", state, step="audit", release=chosen, task=_test_set(chosen, task),
        as_reader=edition is not None,
    )  # fmt: skip


@router.get("/campaigns/{campaign}/more/{number}")
def more(
    request: Request,
    number: Number,
    access: Annotated[Access, needs(Act.READ)],
    task: TestSet = None,
) -> Response:
    """What else a release gives: downloads, and answers to questions."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        release = releases.release_for(connection, hosted, number)
        findings = _findings(connection, release)
    shown = _test_set(release, task)
    if shown:
        of_files = findings.get(shown["slug"])
    else:
        of_files = None
    questions = [
        job for job in state.jobs if job.kind == ASK and job.arguments["release"] == number
    ]
    return step_page(
        request, access, "more.html.j2", state, step="audit",
        release=release, task=shown, of_files=of_files, exports=state.latest(EXPORT, release=number), asked=questions,
        metric=_metric_in_words(shown["metric"], of_files) if shown else "", address=str(request.base_url).rstrip("/"),
    )  # fmt: skip


def _test_set(release: Release, slug: str | None) -> dict[str, Any] | None:
    """The test set that is shown; None for what sums up several."""
    tasks = release.summary["tasks"]
    if slug is None:
        return None if release.summary["summary"] else tasks[0]
    chosen = next((each for each in tasks if each["slug"] == slug), None)
    if chosen is None:
        raise NotFoundError("There is no such test set in this release.")
    return dict(chosen)


def _findings(connection: Connection, release: Release) -> dict[str, dict[str, Any]]:
    """The findings in the files of a release, by test set."""
    findings = revisions.revision_of(connection, release.campaign, release.revision).findings or {}
    return {task["slug"]: task for task in findings.get("tasks", ())}


@router.get("/campaigns/{campaign}/releases/{number}/framed/{name}")
def framed(
    number: Number,
    name: str,
    access: Annotated[Access, needs(Act.READ)],
    edition: Edition = None,
) -> Response:
    """A report as it stands, in its sandbox; organisers may look at the edition for readers, too."""
    with access.reading() as (connection, hosted):
        release = releases.release_for(connection, hosted, number)
    if not name.endswith(".html"):
        raise NotFoundError("There is no such report.")
    return framed_report(
        artefact_place(access, hosted, release, name, as_reader=edition is not None)
    )


@uploads.post("/campaigns/{campaign}/audit/{number}/question")
def ask(number: Number, access: Annotated[Access, needs(Act.EDIT)], fields: Fields) -> Response:
    """Ask a release what a form says, and go to where the answer will be."""
    job = ask_question(number, _question(access, fields), access)
    return to_step(access, f"answers/{job.number}")


def _question(access: Access, fields: Fields) -> Question:
    names = ("about", "task", "first", "second", "metric")
    stated: dict[str, Any] = {
        name: text.strip() for name in names if (text := text_of(fields, name).strip())
    }
    if stated.get("about") == "identify":
        stated["upload"] = _published_table(access, fields)
    elif stated.get("about") == "whatif":
        stated["shares"] = _shares(fields)
    return QUESTIONS.validate_python(stated)


def _published_table(access: Access, fields: Fields) -> str:
    file = fields.get("table")
    if not isinstance(file, FormFile) or not file.filename:
        raise RefusedError(
            "Choose the published table first: a text file with a line for each team."
        )
    return receive_file(access, file.filename.rpartition("/")[2], file.file, file.size or 0).id


def _shares(fields: Fields) -> dict[str, float]:
    """Each class's share, scaled so that they sum to 1."""
    try:
        shares = {
            label: float(share.replace(",", "."))
            for label, share in rows_of(fields, "label", "share")
        }
    except ValueError:
        shares = {}
    if not shares or not all(0 < share < _MOST for share in shares.values()):
        raise RefusedError("Give every class a share above 0.")
    total = sum(shares.values())
    return {label: share / total for label, share in shares.items()}


_MOST = 1e9


@router.get("/campaigns/{campaign}/answers/{number}")
def answer(
    request: Request, number: Number, access: Annotated[Access, needs(Act.READ_FILES)]
) -> Response:
    """What became of a question."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        job = queue.job_of(connection, hosted.id, number)
        before = queue.n_before(connection, job)
        if job.kind != ASK:
            raise NotFoundError("There is no such question.")
        asked_of = releases.release_for(connection, hosted, job.arguments["release"])
        findings = _findings(connection, asked_of)
    command = shlex.join(["audit", *job.arguments["command"]])
    tasks = {each["slug"]: each for each in asked_of.summary["tasks"]}
    task = tasks[job.arguments["question"]["task"]]
    return step_page(
        request, access, "answer.html.j2", state, step="audit", job=job, before=before, command=command, task=task,
        metric=_metric_in_words(job.arguments["question"].get("metric") or task["metric"], findings.get(task["slug"])),
    )  # fmt: skip


def _metric_in_words(slug: str, of_files: Mapping[str, Any] | None) -> str:
    """A metric's name for readers, of one class or of all; its slug where it has none."""
    found = of_files or {"metrics": (), "labels": ()}
    names = {each["slug"]: each["label"] for each in found["metrics"]}
    names |= {f"f1[{each['label']}]": f"F1 of {each['name']}" for each in found["labels"]}
    return str(names.get(slug, slug))


@router.get("/campaigns/{campaign}/releases")
def list_releases(request: Request, access: Annotated[Access, needs(Act.READ)]) -> Response:
    """Every release, and the links to them."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        if may(hosted.role, Act.PUBLISH):
            links = releases.links_of(connection, hosted.id)
        else:
            links = []
    return step_page(request, access, "releases.html.j2", state, step="releases", links=links)


@router.get("/campaigns/{campaign}/releases/{number}/publish")
def before_publishing(
    request: Request, number: Number, access: Annotated[Access, needs(Act.PUBLISH)]
) -> Response:
    """Ask once before a release is published: who will see what, and what was found that is to be done before."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        release = releases.release_for(connection, hosted, number)
        n_links = sum(each.release == number for each in releases.links_of(connection, hosted.id))
    return step_page(
        request, access, "publish.html.j2", state, step="releases", release=release, n_links=n_links
    )


@router.get("/campaigns/{campaign}/releases/{number}")
def before_and_after(
    request: Request, number: Number, access: Annotated[Access, needs(Act.READ)]
) -> Response:
    """What changed since an earlier release, and what became of it."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        release = releases.release_for(connection, hosted, number)
        job = state.latest(DIFFER, release=number)
        if job:
            before = queue.n_before(connection, job)
        else:
            before = 0
        former = releases.former_of(connection, release)
    earlier = [each for each in state.releases if each.number < number]
    is_seen = former is not None and former.number in {each.number for each in earlier}
    return step_page(
        request, access, "release.html.j2", state, step="releases",
        release=release, job=job, before=before, former=former.number if former and is_seen else None, earlier=earlier,
        differences=_differences(access.service, release, for_readers=not may(hosted.role, Act.READ_DRAFTS))
        if is_seen else [],
    )  # fmt: skip


def _differences(service: Service, release: Release, *, for_readers: bool = True) -> Differences:
    """The title of each test set that differs, with what is said of it."""
    differences = []
    whole = whole_difference_place(service.data, release)
    if whole is not None:
        together = json.loads(whole.read_text(encoding="utf-8"))
        differences.append((release.summary["whole"]["title"] + ", all test sets", together))
    for task in release.summary["tasks"] if DIFFER in release.parts else ():
        with suppress(NotFoundError):  # one that is as it was has none
            place = difference_place(service.data, release, task["slug"], for_readers=for_readers)
            differences.append((task["title"], json.loads(place.read_text(encoding="utf-8"))))
    return differences


@dataclass(frozen=True, slots=True)
class Shared:
    """The release that a link leads to."""

    release: Release  # the release
    anonymous: bool  # whether teams are numbers in it
    folder: Path | None  # the folder with its reports; None while they are being made
    corrections: Sequence[tuple[Release, int | None, Differences]]
    """What was published since, the newest first: with the release it is compared with, and how they differ."""


def _shared(request: Request, secret: str, number: int | None = None) -> Shared:
    """What a link shows: its own release, or one that was published since and corrects it."""
    service = service_of(request)
    with service.database.reading() as connection:
        own, anonymous = releases.shared_by(connection, secret)
        every = releases.releases_of(connection, own.campaign)
        public = [each for each in every if each.is_public and each.number > own.number]
        release = (
            own
            if number is None
            else next((each for each in (*public, own) if each.number == number), None)
        )
        if release is None:
            raise NotFoundError("This link does not lead to such a release.")
        newer = [each for each in public if each.number > release.number]
        compared = [(each, releases.former_of(connection, each)) for each in newer]
    corrections = [
        (each, former.number, _differences(service, each))
        if former and former.is_public
        else (each, None, [])
        for each, former in compared
    ]
    if anonymous:
        name = release.parts.get(ANONYMISE)
    else:
        name = release.folder
    if name:
        folder = release_folder(service.data, release).with_name(name)
    else:
        folder = None
    return Shared(release, anonymous, folder, corrections)


@router.get("/shared/{secret}")
def shared(request: Request, secret: str, task: TestSet = None) -> Response:
    """The page of a release as others see it; without names where teams are numbers."""
    return _shared_page(request, secret, _shared(request, secret), task, f"/shared/{secret}")


@router.get("/shared/{secret}/releases/{number}")
def shared_correction(
    request: Request, secret: str, number: Number, task: TestSet = None
) -> Response:
    """The page of a release that corrects the one that a link is of."""
    link = _shared(request, secret, number)
    return _shared_page(request, secret, link, task, f"/shared/{secret}/releases/{number}")


def _shared_page(
    request: Request, secret: str, link: Shared, task: str | None, here: str
) -> Response:
    tasks = link.release.summary["tasks"]
    shown = _test_set(link.release, task)
    return page(
        request, "shared.html.j2", shared=link, secret=secret, here=here, tasks=tasks, task=shown
    )


@router.get("/shared/{secret}/report/{name}")
def shared_report(request: Request, secret: str, name: str) -> Response:
    """A report of the release, in its sandbox."""
    return _shared_report(_shared(request, secret), name)


@router.get("/shared/{secret}/releases/{number}/report/{name}")
def shared_corrected_report(request: Request, secret: str, number: Number, name: str) -> Response:
    """A report of a release that corrects the one that a link is of, in its sandbox."""
    return _shared_report(_shared(request, secret, number), name)


def _shared_report(link: Shared, name: str) -> Response:
    summary = link.release.summary
    names = {task["report"] for task in summary["tasks"]} | {summary["summary"]}
    if link.release.withdrawn is not None:
        raise NotFoundError(releases.withdrawn_in_words(link.release))
    if link.folder is None or name not in names:
        raise NotFoundError("There is no such report, or it is not made yet.")
    return framed_report(edition_for_readers(link.release, link.folder / name))
