"""The HTTP interface: everything that the pages do, for programs."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection

from audit.errors import SETTINGS_FILE
from audit.service import hosted_campaigns as campaigns
from audit.service import people, queue, releases, revisions
from audit.service.events import Event, events_of, keep_event
from audit.service.files import DataFolder, checked_path, without_wrapper
from audit.service.hosted_campaigns import Hosted
from audit.service.people import Caller, Person, Secret
from audit.service.queue import ASK, DIFFER, EVALUATE, EXPORT, Job, shown_job
from audit.service.releases import Release, artefact_name, release_folder
from audit.service.revisions import FileChange, NamedFiles, Revision, Upload
from audit.service.rules import Act, ConflictError, MemberRole, NotFoundError, RefusedError, may
from audit.service.settings_text import Setting, edited, names_of
from audit.text import plural, visible
from audit.web import first_evaluation
from audit.web.access import Access, AnyCaller, HostCaller, PersonCaller, needs, service_of
from audit.web.questions import Question, TableQuestion, command_of, parts_of
from audit.web.receiving import receive

# of a number that stands in an address or a body: PostgreSQL's integers have no more
LARGEST = 2**31 - 1
router = APIRouter(prefix="/api/v1")
uploads = APIRouter(prefix="/api/v1")  # what receives files, and may be sent more than other routes
Title = Annotated[str, Field(min_length=1, max_length=200)]
Number = Annotated[int, PathParameter(ge=0, le=LARGEST)]
MaybeNumber = Annotated[int | None, Query(ge=1, le=LARGEST)]
MOST_SETTINGS = 1_000_000  # bytes of a task.toml that pages and programs edit
_MOST = 20_000
_BYTES = {"type": "string", "format": "binary"}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {"schema": _BYTES}}}
}


class Body(BaseModel):
    """The body of a request: nothing that is not asked for."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


# Campaigns


class NewCampaign(Body):
    """A campaign to begin, or to be called otherwise."""

    title: Title  # its name for readers


@router.get("/me")
def show_me(caller: AnyCaller) -> Person:
    """Who asks."""
    return caller.person


@router.post("/campaigns", status_code=201)
def begin_campaign(request: Request, body: NewCampaign, caller: PersonCaller) -> Hosted:
    """Begin a campaign, which the caller then owns."""
    with service_of(request).database.writing() as connection:
        return campaigns.begin_campaign(connection, caller.person, body.title)


@router.get("/campaigns/{campaign}")
def show_campaign(access: Annotated[Access, needs(Act.READ)]) -> Hosted:
    """One campaign."""
    with access.reading() as (_, hosted):
        return hosted


# Files


@uploads.put(
    "/campaigns/{campaign}/uploads",
    status_code=201,
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": _BYTES}}}},
)
async def upload_file(
    request: Request,
    path: Annotated[str, Query(max_length=1000)],
    access: Annotated[Access, needs(Act.EDIT)],
) -> Upload:
    """Upload one file: its bytes are the body. It is part of the campaign once a revision names it."""
    return await receive(request, access, path)


class Revise(Body):
    """A change of the files, in view of a revision."""

    base: Annotated[int, Field(ge=0, le=LARGEST)]
    """The revision that the change was made in view of; 0 where there is none."""
    uploads: Annotated[list[str], Field(max_length=_MOST)] = []
    """Uploads to add, by id; a file of the same path is replaced."""
    removed: Annotated[list[str], Field(max_length=_MOST)] = []  # paths to leave out
    note: Annotated[str, Field(max_length=500)] = ""
    """What changed, for the log; said by the service where it is empty."""
    unpack: bool = True
    """Whether an archive that comes first and alone is the folder of the campaign."""
    unwrap: bool = True  # whether a folder around all that comes is taken off


@dataclass(frozen=True, slots=True)
class Revised:
    """A revision that was made, and the job that reads it."""

    revision: int  # its number
    job: Job  # what reads it


@router.post("/campaigns/{campaign}/revisions", status_code=201)
def change_files(body: Revise, access: Annotated[Access, needs(Act.EDIT)]) -> Revised:
    """Make the next revision of the files: add what was uploaded, leave out what is removed.

    An archive that comes first and alone is unpacked, and a folder around all that comes is taken off, unless the
    request says otherwise (`unpack`, `unwrap`).
    """
    with access.writing() as (connection, hosted):
        named = revisions.uploads_by_id(connection, hosted.id, body.uploads)
        if body.unwrap:
            paths = without_wrapper([each.path for each in named.values()])
        else:
            paths = {}
        added = {paths.get(each.path, each.path): each.stored for each in named.values()}
        change = FileChange(added, tuple(map(checked_path, body.removed)), body.unpack)
        parts = ((tuple(change.added), "added"), (change.removed, "removed"))
        note = body.note or ", ".join(
            f"{_paths_in_words(paths)} {verb}" for paths, verb in parts if paths
        )
        return Revised(
            *revisions.change_files(
                connection, hosted, access.caller.person, change, base=body.base, note=note
            )
        )


def _paths_in_words(paths: Sequence[str]) -> str:
    if len(paths) == 1:
        return visible(paths[0], 200)
    return plural(len(paths), "file")


@router.get(
    "/campaigns/{campaign}/revisions/{number}/files/{path:path}",
    response_class=FileResponse,
    responses=_FILE,
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
    return sent(place, path.rpartition("/")[2])


def sent(place: Path, name: str) -> FileResponse:
    """A file to be saved; where it is no longer on the disk that is told, and not half an answer sent."""
    return FileResponse(
        place, stat_result=place.stat(), media_type="application/octet-stream", filename=name
    )


class Restore(Body):
    """Files of a revision to take up again, in view of the newest one."""

    base: Annotated[int, Field(ge=1, le=LARGEST)]  # the revision that this is done in view of
    paths: Annotated[list[str] | None, Field(max_length=_MOST)] = None
    """The files to bring back, the others staying as they are; null: every file is as it was, and no other is left."""
    note: Annotated[str, Field(max_length=500)] = ""
    """Why, for the log; said by the service where it is empty."""


@router.post("/campaigns/{campaign}/revisions/{number}/restore", status_code=201)
def restore_revision(
    number: Number, body: Restore, access: Annotated[Access, needs(Act.EDIT)]
) -> Revised:
    """Make the next revision from an earlier one: the same files, or some of them. No revision is changed."""
    with access.writing() as (connection, hosted):
        earlier, newest = (
            revisions.revision_of(connection, hosted.id, each) for each in (number, hosted.head)
        )
        change = revisions.restored(earlier, newest, body.paths)
        person = access.caller.person
        note = body.note or revisions.restored_in_words(change, earlier)
        return Revised(
            *revisions.change_files(connection, hosted, person, change, base=body.base, note=note)
        )


class NameFiles(Body):
    """Which file is gold and which are submissions, in view of a revision."""

    base: Annotated[int, Field(ge=1, le=LARGEST)]  # the revision that this is done in view of
    gold: Annotated[str, Field(min_length=1, max_length=1000)]  # the path of the gold file
    submissions: Annotated[list[str], Field(max_length=_MOST)] = []
    """Paths of the files with the teams' answers, or of folders; empty: all other files."""
    id: Annotated[str | None, Field(max_length=200)] = None
    """The column of item ids, or GOLD=SUBMISSION where names differ; null: found by comparing the files."""
    label: Annotated[str | None, Field(max_length=200)] = None
    """The column of labels, or GOLD=SUBMISSION where names differ; null: found by comparing the files."""


@router.put("/campaigns/{campaign}/gold-and-submissions", status_code=201)
def name_files(body: NameFiles, access: Annotated[Access, needs(Act.EDIT)]) -> Revised:
    """Make the next revision from a gold file and submissions, read by the decision of `audit run --gold`.

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
        note = f"gold named: {visible(body.gold, 300)}"
        change = FileChange({}, unpack=False, named=named)
        person = access.caller.person
        return Revised(
            *revisions.change_files(connection, hosted, person, change, base=body.base, note=note)
        )


@dataclass(frozen=True, slots=True)
class GivenBack:
    """Space that counts towards the limit no longer."""

    size: int  # bytes that were given back


@router.post("/campaigns/{campaign}/revisions/forget")
def forget_earlier(access: Annotated[Access, needs(Act.REMOVE)]) -> GivenBack:
    """Forget the files of revisions that are neither the newest nor evaluated, and give back their space.

    Nobody brings those files back. The revisions stay in the history, and so do all releases with their files.
    """
    content = access.service.data.content_of(access.campaign)
    before = content.n_bytes()
    with access.writing() as (connection, hosted):
        content.forget(revisions.forget_earlier(connection, hosted, access.caller.person))
    return GivenBack(before - content.n_bytes())


class SettingEdit(Body):
    """One setting of task.toml to write, or to take out where the value is null."""

    table: Annotated[list[str], Field(max_length=4)] = []
    """The tables that lead to it, such as ["gold"]; empty for the top."""
    key: Annotated[str, Field(min_length=1, max_length=200)]  # its name
    value: Any = None  # text, number, yes or no, a list or a table of them; null takes it out


class EditSettings(Body):
    """Settings to change, in view of a revision; or the whole text of task.toml."""

    base: Annotated[int, Field(ge=0, le=LARGEST)]
    """The revision that the change was made in view of."""
    settings: Annotated[list[SettingEdit], Field(max_length=1000)] = []
    """What to write, one after the other."""
    text: Annotated[str | None, Field(max_length=MOST_SETTINGS)] = None
    """The whole text of task.toml, into which the settings are written; null keeps the one that is there."""


@router.put("/campaigns/{campaign}/settings", status_code=201)
def write_settings(body: EditSettings, access: Annotated[Access, needs(Act.EDIT)]) -> Revised:
    """Change settings in task.toml, keeping its comments and order; or replace its text."""
    changes = [Setting(tuple(each.table), each.key, each.value) for each in body.settings]
    return keep_settings(access, body.base, changes, body.text)


def keep_settings(
    access: Access, base: int, changes: Sequence[Setting], text: str | None = None
) -> Revised:
    """Make a revision whose task.toml has these settings."""
    if text is not None or not base:
        before = ""
    else:
        before = _settings_before(access, base)
    after = edited(before if text is None else text, changes)
    if text is None:
        note = f"settings: {names_of(changes)}"
    else:
        note = "task.toml written"
    return keep_texts(access, base, {SETTINGS_FILE: after}, note)


def keep_texts(
    access: Access, base: int, texts: Mapping[str, str], note: str, removed: Sequence[str] = ()
) -> Revised:
    """Make a revision with these files, by their paths, and without others."""
    content = access.service.data.content_of(access.campaign)
    person = access.caller.person
    with access.writing() as (connection, hosted):
        stored = {
            path: content.keep_bytes(text.encode("utf-8", "replace"))
            for path, text in texts.items()
        }
        kept = [
            revisions.keep_upload(connection, hosted.id, person, path, each)
            for path, each in stored.items()
        ]
        change = FileChange({each.path: each.stored for each in kept}, tuple(removed), unpack=False)
        return Revised(
            *revisions.change_files(connection, hosted, person, change, base=base, note=note)
        )


def _settings_before(access: Access, base: int) -> str:
    with access.reading() as (connection, hosted):
        revision = revisions.revision_of(connection, hosted.id, base)
    if revision.files is None and SETTINGS_FILE not in revision.change.added:
        raise ConflictError(
            "The files were not read yet, so that it is not known what stands in task.toml."
        )
    return text_of_file(access, revision, SETTINGS_FILE)


def text_of_file(access: Access, revision: Revision, path: str) -> str:
    """The text of a file in a revision, or in what changes where that was not read; empty where there is none."""
    if revision.files is None:
        files = revision.change.added
    else:
        files = revision.files
    stored = files.get(path)
    if stored is None:
        return ""
    if stored.size > MOST_SETTINGS:
        raise RefusedError(
            f"{path} is larger than {MOST_SETTINGS:,} bytes: nobody wrote it by hand."
        )
    return (
        access.service.data.content_of(access.campaign)
        .path_of(stored.sha256)
        .read_text("utf-8", "replace")
    )


# Jobs


class Evaluate(Body):
    """An evaluation to start."""

    revision: Annotated[int, Field(ge=1, le=LARGEST)]  # the revision of the files
    skip_rejected: bool = False
    """Whether submissions that cannot be read are left out; else one of them stops the evaluation."""
    official_metric: Annotated[str | dict[str, str] | None, Field(max_length=300)] = None
    """Before a first evaluation: the official metric, by test set where there are several; "none" where none was
    announced. It is written into task.toml; null where that states it."""
    runs: Annotated[str | None, Field(max_length=100)] = None
    """Before a first evaluation in which a team has several runs: which of them count. It is written into task.toml;
    null where that states it."""


@dataclass(frozen=True, slots=True)
class Queued:
    """A job, and how many others come first."""

    job: Job  # the job
    before: int  # jobs that run, or wait in front of it


@router.post("/campaigns/{campaign}/evaluations", status_code=202)
def start_evaluation(body: Evaluate, access: Annotated[Access, needs(Act.EVALUATE)]) -> Queued:
    """Evaluate a revision: a job that makes a release.

    Before a first evaluation somebody has to say which metric is official, or that none was announced, and which runs
    of a team count; where that changes task.toml, the job is of the revision that has it, which is read before.
    """
    with access.reading() as (connection, hosted):
        is_first = not releases.releases_of(connection, hosted.id)
        findings = revisions.read_revision(connection, hosted.id, body.revision)[0].findings or {}
    if is_first and findings.get("tasks"):
        officials, runs = first_evaluation.stated(findings)
        match body.official_metric:
            case str(metric):
                officials = {task["slug"]: metric for task in findings["tasks"]}
            case dict(by_test_set):
                officials |= by_test_set
        return evaluate_first(
            access, body.revision, officials, body.runs or runs, skip_rejected=body.skip_rejected
        )
    return _evaluated(access, body.revision, skip_rejected=body.skip_rejected)


def evaluate_first(
    access: Access, base: int, officials: Mapping[str, str], runs: str, *, skip_rejected: bool
) -> Queued:
    """Evaluate for the first time, with what somebody said of the official metrics and of the runs that count."""
    with access.reading() as (connection, hosted):
        findings = revisions.revision_of(connection, hosted.id, base).findings or {"tasks": ()}
    changes = first_evaluation.answered(findings, officials, runs)
    if changes:
        revision = keep_settings(access, base, changes).revision
    else:
        revision = base
    with access.writing() as (connection, hosted):
        person = access.caller.person.id
        said = {"official": sorted(set(officials.values())), "runs": runs or None}
        keep_event(connection, hosted.id, person, "said what counts", **said)
        if changes:  # the files are read again before
            arguments = {"revision": revision, "skip_rejected": skip_rejected}
            job = queue.follow_up(connection, hosted.id, person, EVALUATE, **arguments)
            return Queued(shown_job(job, hosted.role), queue.n_before(connection, job))
    return _evaluated(access, base, skip_rejected=skip_rejected)


def _evaluated(access: Access, revision: int, *, skip_rejected: bool) -> Queued:
    with access.writing() as (connection, hosted):
        chosen_revision, _ = revisions.read_revision(connection, hosted.id, revision)
        arguments = {"revision": chosen_revision.number, "skip_rejected": skip_rejected}
        job = queue.ask_for(connection, hosted.id, access.caller.person.id, EVALUATE, **arguments)
        return Queued(shown_job(job, hosted.role), queue.n_before(connection, job))


@router.get("/campaigns/{campaign}/jobs")
def list_jobs(access: Annotated[Access, needs(Act.READ)]) -> list[Job]:
    """The jobs of a campaign, the newest first."""
    with access.reading() as (connection, hosted):
        return [shown_job(each, hosted.role) for each in queue.jobs_of(connection, hosted.id)]


@router.get("/campaigns/{campaign}/jobs/{number}")
def show_job(number: Number, access: Annotated[Access, needs(Act.READ)]) -> Queued:
    """One job: its state, its step, how many come first."""
    with access.reading() as (connection, hosted):
        this_job = queue.job_of(connection, hosted.id, number)
        return Queued(shown_job(this_job, hosted.role), queue.n_before(connection, this_job))


@router.post("/campaigns/{campaign}/jobs/{number}/cancel")
def cancel_job(number: Number, access: Annotated[Access, needs(Act.EVALUATE)]) -> Job:
    """End a job."""
    with access.writing() as (connection, hosted):
        return shown_job(
            queue.cancel(connection, hosted.id, access.caller.person.id, number), hosted.role
        )


@router.post("/campaigns/{campaign}/jobs/{number}/repeat", status_code=202)
def repeat_job(number: Number, access: Annotated[Access, needs(Act.EVALUATE)]) -> Job:
    """Queue a job again that failed or was cancelled."""
    with access.writing() as (connection, hosted):
        return shown_job(
            queue.repeat(connection, hosted.id, access.caller.person.id, number), hosted.role
        )


# Releases


@router.get(
    "/campaigns/{campaign}/releases/{number}/files/{name}",
    response_class=FileResponse,
    responses=_FILE,
)
def download_artefact(
    number: Number, name: str, access: Annotated[Access, needs(Act.READ)]
) -> FileResponse:
    """A file of a release: a report, a document, an export, a bundle."""
    with access.reading() as (connection, hosted):
        release = releases.release_for(connection, hosted, number)
    return sent(artefact_place(access, hosted, release, name), name)


def artefact_place(
    access: Access, hosted: Hosted, release: Release, name: str, *, as_reader: bool = False
) -> Path:
    """Where a file of a release stands: only what the release itself lists; readers get their edition of it."""
    folder = release_folder(access.service.data, release)
    exports = release.parts.get(EXPORT)
    tasks = release.summary["tasks"]
    own = {
        release.summary["summary"],
        *(task[kind] for task in tasks for kind in ("report", "document")),
    }
    if name in own:
        place = folder / name
    elif exports and name in {
        artefact_name(each["slug"], kind) for each in tasks for kind in ("export", "bundle")
    }:
        place = folder.with_name(exports) / name
    else:
        raise NotFoundError("There is no such file in this release, or it is not made yet.")
    place.stat()
    if may(hosted.role, Act.READ_DRAFTS) and not as_reader:
        return place
    return edition_for_readers(release, place)


def edition_for_readers(release: Release, place: Path) -> Path:
    """The readers' edition of a file; the file itself where it is the same, or of before there were editions."""
    tasks = release.summary["tasks"]
    with_edition = {each["report"] for each in tasks if "readers" in each}
    with_edition |= {each["document"] for each in tasks if "readers_document" in each}
    edition = releases.readers_edition(place)
    if place.name in with_edition or edition.is_file():
        return edition
    return place


@router.get(
    "/campaigns/{campaign}/releases/{number}/differences/{task}",
    response_class=FileResponse,
    responses=_FILE,
)
def show_difference(
    number: Number, task: str, access: Annotated[Access, needs(Act.READ)]
) -> FileResponse:
    """What changed in a test set since the earlier release that this one was compared with last, as JSON."""
    with access.reading() as (connection, hosted):
        release = releases.release_for(connection, hosted, number)
        former = releases.former_of(connection, release)
        if former is None or not (former.is_public or may(hosted.role, Act.READ_DRAFTS)):
            raise NotFoundError("This release was not compared with one that you may see.")
    name = f"difference of {task}.json"
    for_readers = not may(hosted.role, Act.READ_DRAFTS)
    return sent(difference_place(access.service.data, release, task, for_readers=for_readers), name)


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


class Compare(Body):
    """Two releases to set side by side."""

    former: Annotated[int, Field(ge=1, le=LARGEST)]  # the earlier release


@router.post("/campaigns/{campaign}/releases/{number}/difference", status_code=202)
def compare_releases(
    number: Number, body: Compare, access: Annotated[Access, needs(Act.EVALUATE)]
) -> Job:
    """Say what changed since an earlier release: a job, after which each test set that changed has its difference."""
    with access.writing() as (connection, hosted):
        for each in (number, body.former):
            releases.release_for(connection, hosted, each)
        person = access.caller.person.id
        return queue.ask_for(
            connection, hosted.id, person, DIFFER, release=number, former=body.former
        )


@router.post("/campaigns/{campaign}/releases/{number}/questions", status_code=202)
def ask_question(
    number: Number, body: Question, access: Annotated[Access, needs(Act.EVALUATE)]
) -> Job:
    """Ask a release what a command of the command line answers: a job, whose outcome has the answer."""
    with access.writing() as (connection, hosted):
        release = releases.release_for(connection, hosted, number)
        parts = parts_of(body, release)
        arguments: dict[str, Any] = {
            "release": number,
            "question": parts,
            "command": command_of(parts),
        }
        if isinstance(body, TableQuestion):
            table = revisions.uploads_by_id(connection, hosted.id, [body.upload])[body.upload]
            name = table.path.rpartition("/")[2]
            arguments["table"] = {"sha256": table.stored.sha256, "name": name}
            arguments["command"] = command_of(parts, name)
        return queue.ask_for(connection, hosted.id, access.caller.person.id, ASK, **arguments)


# Links


class Withdraw(Body):
    """A published release to withdraw."""

    reason: Annotated[str, Field(min_length=1, max_length=500)]
    """Why it is withdrawn, which readers see."""


class NewLink(Body):
    """A link to make."""

    release: Annotated[int, Field(ge=1, le=LARGEST)]  # the release that it shows
    anonymous: bool = False  # whether teams are numbers in it


# People


class NewInvitation(Body):
    """Somebody to invite."""

    role: Literal[MemberRole.ORGANISER, MemberRole.READER]
    """What they become; a campaign has one owner, who may hand it over."""


class HandOver(Body):
    """The member who becomes the owner."""

    person: Annotated[str, Field(max_length=100)]  # a member, by id


@router.get("/campaigns/{campaign}/events")
def list_events(
    access: Annotated[Access, needs(Act.READ_LOG)], before: MaybeNumber = None
) -> list[Event]:
    """Who did what, the latest first."""
    with access.reading() as (connection, hosted):
        return events_of(connection, hosted.id, before=before)


# Tokens


class NewToken(Body):
    """A token to make."""

    label: Title  # what it is for
    campaign: Annotated[str | None, Field(max_length=100)] = None
    """The only campaign that it is good for; null: all of the caller's."""
    role: Literal[MemberRole.ORGANISER, MemberRole.READER] = MemberRole.ORGANISER
    """What it may do at most."""


@router.post("/tokens", status_code=201)
def make_token(request: Request, body: NewToken, caller: PersonCaller) -> Secret:
    """A token for a program of the caller's."""
    with service_of(request).database.writing() as connection:
        if body.campaign is not None:
            campaigns.campaign_for(connection, caller, body.campaign, Act.READ)
        return Secret(
            people.make_token(connection, caller.person, body.label, body.campaign, body.role)
        )


# Acts that the service does as they stand

_CAMPAIGN = "/campaigns/{campaign}"
_END = people.revoke_invitation
_PASSED_ON: tuple[tuple[str, str, Any, str, Callable[..., Any], type[Body] | None], ...] = (
    ("GET", "/campaigns", AnyCaller, "list_campaigns", campaigns.campaigns_of, None),
    ("PUT", f"{_CAMPAIGN}/title", Act.EDIT, "rename_campaign", campaigns.rename, NewCampaign),
    ("DELETE", _CAMPAIGN, Act.REMOVE, "remove_campaign", campaigns.remove_campaign, None),
    (
        "GET",
        f"{_CAMPAIGN}/revisions",
        Act.READ_FILES,
        "list_revisions",
        revisions.revisions_of,
        None,
    ),
    (
        "GET",
        f"{_CAMPAIGN}/revisions/{{number}}",
        Act.READ_FILES,
        "show_revision",
        revisions.revision_of,
        None,
    ),
    ("GET", f"{_CAMPAIGN}/releases", Act.READ, "list_releases", releases.releases_for, None),
    (
        "GET",
        f"{_CAMPAIGN}/releases/{{number}}",
        Act.READ,
        "show_release",
        releases.release_for,
        None,
    ),
    (
        "POST",
        f"{_CAMPAIGN}/releases/{{number}}/publish",
        Act.PUBLISH,
        "publish_release",
        releases.publish,
        None,
    ),
    (
        "POST",
        f"{_CAMPAIGN}/releases/{{number}}/withdraw",
        Act.PUBLISH,
        "withdraw_release",
        releases.withdraw,
        Withdraw,
    ),
    ("POST", f"{_CAMPAIGN}/links", Act.PUBLISH, "make_link", releases.make_link, NewLink),
    ("GET", f"{_CAMPAIGN}/links", Act.PUBLISH, "list_links", releases.links_of, None),
    (
        "DELETE",
        f"{_CAMPAIGN}/links/{{link}}",
        Act.PUBLISH,
        "revoke_link",
        releases.revoke_link,
        None,
    ),
    ("GET", f"{_CAMPAIGN}/members", Act.READ_FILES, "list_members", campaigns.members_of, None),
    (
        "DELETE",
        f"{_CAMPAIGN}/members/{{person}}",
        Act.INVITE,
        "remove_member",
        campaigns.remove_member,
        None,
    ),
    ("POST", f"{_CAMPAIGN}/invitations", Act.INVITE, "invite_member", people.invite, NewInvitation),
    (
        "GET",
        f"{_CAMPAIGN}/invitations",
        Act.END_INVITATION,
        "list_invitations",
        people.invitations_to,
        None,
    ),
    (
        "DELETE",
        f"{_CAMPAIGN}/invitations/{{invitation}}",
        Act.END_INVITATION,
        "revoke_invitation",
        _END,
        None,
    ),
    ("POST", f"{_CAMPAIGN}/owner", Act.HAND_OVER, "hand_over", campaigns.hand_over, HandOver),
    ("GET", "/removed", PersonCaller, "list_removed", campaigns.removed_campaigns, None),
    ("POST", "/removed/{removed}/restore", PersonCaller, "bring_back", campaigns.bring_back, None),
    ("POST", "/invitations", HostCaller, "invite_to_service", people.invite, None),
    ("GET", "/invitations", HostCaller, "list_service_invitations", people.invitations_to, None),
    ("DELETE", "/invitations/{invitation}", HostCaller, "revoke_service_invitation", _END, None),
    ("GET", "/sessions", PersonCaller, "list_sessions", people.sessions_of, None),
    ("DELETE", "/sessions/{session}", PersonCaller, "revoke_session", people.revoke_session, None),
    ("GET", "/tokens", PersonCaller, "list_tokens", people.tokens_of, None),
    ("DELETE", "/tokens/{token}", PersonCaller, "revoke_token", people.revoke_token, None),
)
"""Method and path; the act that it is on a campaign, or who may elsewhere; its name, what does it, and the body."""


def _passed_on(
    method: str, path: str, who: object, do: Callable[..., Any], body: type[Body] | None
) -> Callable[..., Any]:
    """An operation that is one function of the service.

    What the function takes of the transaction, it is given by its type; its other arguments stand in path and body.
    """
    own = inspect.signature(do)
    kind_of = {each.name: each.annotation for each in own.parameters.values()}

    def operation(body: Body | None = None, **asked: Any) -> Any:  # noqa: ANN401 - of any function
        access = asked.get("access")
        opened: Any = access or service_of(asked["request"]).database
        with opened.reading() if method == "GET" else opened.writing() as found:
            if access:
                connection, hosted = found
            else:
                connection = found
                hosted = None
            if access:
                caller = access.caller
            else:
                caller = asked["caller"]
            known = {Connection: connection, Hosted: hosted, Caller: caller, Person: caller.person}
            # what was let through goes first
            stated = {**dict(body or ()), **asked, "campaign": hosted and hosted.id}
            given = {name: known.get(kind, stated.get(name)) for name, kind in kind_of.items()}
            return do(
                **{
                    name: value
                    for name, value in given.items()
                    if name in stated or kind_of[name] in known
                }
            )

    of_path = re.findall(r"{(\w+)}", path.removeprefix(_CAMPAIGN))
    kinds: dict[str, Any] = {name: Number if name == "number" else str for name in of_path}
    if isinstance(who, Act):
        kinds |= {"access": Annotated[Access, needs(who)]}
    else:
        kinds |= {"request": Request, "caller": who}
    if body:
        kinds |= {"body": body}
    else:
        kinds |= {}
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kinds[name])
        for name in kinds
    ]
    operation.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    operation.__doc__ = do.__doc__
    return operation


PASSED_ON: dict[str, Callable[..., Any]] = {}  # those operations by their names
for _method, _path, _who, _name, _do, _body in _PASSED_ON:
    PASSED_ON[_name] = _passed_on(_method, _path, _who, _do, _body)
    _status = {None: 204, Secret: 201}.get(inspect.signature(_do).return_annotation, 200)
    router.add_api_route(
        _path, PASSED_ON[_name], methods=[_method], name=_name, status_code=_status
    )
