"""Evaluations, and the jobs of a campaign."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter

from audit.service import queue, releases, revisions
from audit.service.events import keep_event
from audit.service.queue import EVALUATE, Job, shown_job
from audit.service.rules import Act
from audit.web import first_evaluation, schemas
from audit.web.access import Access, needs
from audit.web.api.files import keep_settings
from audit.web.api.routing import CAMPAIGN, PREFIX, Number
from audit.web.schemas import Evaluate

router = APIRouter(prefix=PREFIX)


@dataclass(frozen=True, slots=True)
class Queued:
    """A job, and how many others come first."""

    job: Job
    before: int


@router.post(f"{CAMPAIGN}/evaluations", status_code=202, response_model=schemas.Queued)
def start_evaluation(body: Evaluate, access: Annotated[Access, needs(Act.EVALUATE)]) -> Queued:
    """Evaluate a revision: a job that makes a release.

    Before a first evaluation somebody has to say which metric is official, or that none was
    announced, and which runs of a team count; where that changes task.toml, the job is of the
    revision that has it, which is read before.
    """
    with access.reading() as (connection, hosted):
        is_first = not releases.releases_of(connection, hosted.id)
        revision, _ = revisions.read_revision(connection, hosted.id, body.revision)
    findings = revision.findings or {}
    if not is_first or not findings.get("tasks"):
        return _evaluated(access, body.revision, skip_rejected=body.skip_rejected)
    officials, runs = first_evaluation.stated(findings)
    match body.official_metric:
        case str(metric):
            officials = {task["slug"]: metric for task in findings["tasks"]}
        case dict(by_test_set):
            officials |= by_test_set
    return evaluate_first(
        access, body.revision, officials, body.runs or runs, skip_rejected=body.skip_rejected
    )


def evaluate_first(
    access: Access, base: int, officials: Mapping[str, str], runs: str, *, skip_rejected: bool
) -> Queued:
    """Evaluate for the first time, with the stated official metrics and runs that count."""
    with access.reading() as (connection, hosted):
        findings = revisions.revision_of(connection, hosted.id, base).findings or {"tasks": ()}
    changes = first_evaluation.answered(findings, officials, runs)
    revision = base
    if changes:
        revision = keep_settings(access, base, changes).revision
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
        person = access.caller.person.id
        job = queue.ask_for(connection, hosted.id, person, EVALUATE, **arguments)
        return Queued(shown_job(job, hosted.role), queue.n_before(connection, job))


@router.get(f"{CAMPAIGN}/jobs", response_model=list[schemas.Job])
def list_jobs(access: Annotated[Access, needs(Act.READ)]) -> list[Job]:
    """The jobs of a campaign, the newest first."""
    with access.reading() as (connection, hosted):
        return [shown_job(each, hosted.role) for each in queue.jobs_of(connection, hosted.id)]


@router.get(f"{CAMPAIGN}/jobs/{{number}}", response_model=schemas.Queued)
def show_job(number: Number, access: Annotated[Access, needs(Act.READ)]) -> Queued:
    """One job: its state, its step, how many come first."""
    with access.reading() as (connection, hosted):
        job = queue.job_of(connection, hosted.id, number)
        return Queued(shown_job(job, hosted.role), queue.n_before(connection, job))


@router.post(f"{CAMPAIGN}/jobs/{{number}}/cancel", response_model=schemas.Job)
def cancel_job(number: Number, access: Annotated[Access, needs(Act.EVALUATE)]) -> Job:
    """End a job."""
    with access.writing() as (connection, hosted):
        job = queue.cancel(connection, hosted.id, access.caller.person.id, number)
        return shown_job(job, hosted.role)


@router.post(f"{CAMPAIGN}/jobs/{{number}}/repeat", status_code=202, response_model=schemas.Job)
def repeat_job(number: Number, access: Annotated[Access, needs(Act.EVALUATE)]) -> Job:
    """Queue a job again that failed or was cancelled."""
    with access.writing() as (connection, hosted):
        job = queue.repeat(connection, hosted.id, access.caller.person.id, number)
        return shown_job(job, hosted.role)
