"""The list of audits, how a new one begins, its evaluation, its people and its log."""

from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import Response

from audit.resources import samples
from audit.service import hosted_campaigns as campaigns
from audit.service import people, queue, revisions
from audit.service.events import events_of
from audit.service.queue import EVALUATE
from audit.service.revisions import FileChange
from audit.service.rules import Act, may
from audit.web.access import Access, AnyCaller, PersonCaller, needs, service_of
from audit.web.api.campaign_requests import begin_campaign
from audit.web.api.routing import MaybeNumber
from audit.web.pages.event_words import worded
from audit.web.pages.page_rendering import (
    page,
    reach_of,
    standing_of,
    state_of,
    step_page,
    to_page,
    to_step,
)
from audit.web.schemas import NewCampaign

router = APIRouter(include_in_schema=False)


@router.get("/")
def home(request: Request, caller: AnyCaller) -> Response:
    """The caller's campaigns, each with where it stands."""
    with service_of(request).database.reading() as connection:
        states = [
            state_of(connection, hosted) for hosted in campaigns.campaigns_of(connection, caller)
        ]
        if caller.by_token:
            removed = []
        else:
            removed = campaigns.removed_campaigns(connection, caller.person)
    standings = [(each, standing_of(each)) for each in states]
    return page(request, "home.html.j2", caller=caller, states=standings, removed=removed)


@router.post("/sample")
def begin_with_sample(request: Request, caller: PersonCaller) -> Response:
    """Begin an audit of the sample campaign, evaluated at once."""
    hosted = begin_campaign(request, NewCampaign(title="Flood posts, a sample"), caller)
    service = service_of(request)
    content = service.data.content_of(hosted.id)
    folder = samples() / "flood-posts"
    paths = sorted(each for each in folder.rglob("*") if each.is_file())
    stored = {
        path.relative_to(folder).as_posix(): content.keep_bytes(path.read_bytes()) for path in paths
    }
    with service.database.writing() as connection:
        change = FileChange(stored, unpack=False)
        revisions.change_files(
            connection, hosted, caller.person, change, base=0, note="the sample campaign"
        )
        queue.follow_up(
            connection, hosted.id, caller.person.id, EVALUATE, revision=1, skip_rejected=True
        )
    return to_page(f"/campaigns/{hosted.id}/evaluate")


@router.get("/campaigns/{campaign}")
def campaign(access: Annotated[Access, needs(Act.READ)]) -> Response:
    """Redirect to the step of the campaign that comes next."""
    with access.reading() as (connection, hosted):
        return to_step(access, standing_of(state_of(connection, hosted)).step)


@router.get("/campaigns/{campaign}/evaluate")
def evaluation(request: Request, access: Annotated[Access, needs(Act.EVALUATE)]) -> Response:
    """The evaluation: to be started, under way, or what came of it."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        job = state.evaluating
        if job:
            before = queue.n_before(connection, job)
        else:
            before = 0
    is_current = bool(state.releases) and state.releases[0].revision == state.base
    if is_current and job and job.state is queue.JobState.DONE:
        return to_step(access, "audit")
    findings = (state.head and state.head.findings) or {}
    n_rejected = sum(len(task["rejected"]) for task in findings.get("tasks", ()))
    return step_page(
        request,
        access,
        "evaluate.html.j2",
        state,
        step="evaluate",
        job=job,
        before=before,
        n_rejected=n_rejected,
    )


@router.get("/campaigns/{campaign}/people")
def members(request: Request, access: Annotated[Access, needs(Act.READ_FILES)]) -> Response:
    """The page of the members."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        member_list = campaigns.members_of(connection, hosted.id)
        can_end = may(hosted.role, Act.END_INVITATION)
        if can_end:
            invitations = people.invitations_to(connection, hosted.id)
        else:
            invitations = []
    return step_page(
        request, access, "people.html.j2", state, step="people", members=member_list,
        invitations=invitations, **reach_of(request),
    )  # fmt: skip


@router.get("/campaigns/{campaign}/log")
def log(
    request: Request, access: Annotated[Access, needs(Act.READ_LOG)], before: MaybeNumber = None
) -> Response:
    """The page of the log: who did what."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        events = events_of(connection, hosted.id, before=before)
    return step_page(request, access, "log.html.j2", state, step="people", events=worded(events))
