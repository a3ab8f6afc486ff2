"""The frame of a campaign's pages: the steps, where each stands, and which the caller may take."""

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import Response
from sqlalchemy import Connection

from audit.service import queue, releases, revisions
from audit.service.child import EVALUATE, READ
from audit.service.hosted_campaigns import Hosted
from audit.service.queue import Job
from audit.service.releases import Release
from audit.service.revisions import Revision
from audit.service.rules import Act, may
from audit.text import plural
from audit.web.access import Access
from audit.web.pages.page_rendering import Context, page


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the way to a published audit."""

    slug: str  # the name of the step in addresses
    title: str  # the name of the step for readers
    state: str  # the state of the step, in a few words


@dataclass(frozen=True, slots=True)
class CampaignState:
    """A campaign as its pages show it."""

    hosted: Hosted  # the campaign
    head: Revision | None  # the newest revision of its files; None where there is none
    jobs: Sequence[Job]  # the newest jobs, the latest first
    releases: Sequence[Release]  # every release, the newest first

    @property
    def base(self) -> int:
        """Number of the revision that a change is made in view of."""
        return self.hosted.head

    def latest(self, kind: str, **arguments: int) -> Job | None:
        """The latest job of a kind with these arguments."""
        return next((job for job in self.jobs if job.kind == kind and arguments.items() <= job.arguments.items()), None)

    @property
    def reading(self) -> Job | None:
        """The job that reads the newest revision, as long as it has not been read."""
        return None if self.head is None or self.head.findings is not None else self.latest(READ, revision=self.base)

    @property
    def evaluating(self) -> Job | None:
        """The latest evaluation."""
        return self.latest(EVALUATE)

    @property
    def is_usable(self) -> bool:
        """Whether the newest revision can be evaluated."""
        return self.head is not None and bool(self.head.findings and self.head.findings["is_usable"])


def state_of(connection: Connection, hosted: Hosted) -> CampaignState:
    """The state of a campaign: its files, jobs and releases."""
    head = revisions.revision_of(connection, hosted.id, hosted.head) if hosted.head else None
    all_releases = releases.releases_of(connection, hosted.id)
    return CampaignState(hosted, head, queue.jobs_of(connection, hosted.id), all_releases)


def steps_of(state: CampaignState) -> list[Step]:
    """The steps that this member may take, each with where it stands."""
    newest = state.releases[0] if state.releases else None
    published = next((each for each in state.releases if each.published_at), None)
    steps = (
        (Act.READ_FILES, Step("files", "Files", _files_in_words(state))),
        (Act.READ_FILES, Step("found", "What was found", _findings_in_words(state))),
        (Act.EVALUATE, Step("evaluate", "Evaluate", _evaluation_in_words(state))),
        (Act.READ, Step("audit", "The audit", f"release {newest.number}" if newest else "none yet")),
        (Act.READ, Step("releases", "Releases", f"{published.number} is published" if published else "none published")),
        (Act.READ_FILES, Step("people", "People", "")),
    )
    return [step for act, step in steps if may(state.hosted.role, act)]


def _files_in_words(state: CampaignState) -> str:
    if state.head is None:
        return "none yet"
    return plural(len(state.head.files), "file") if state.head.files is not None else "being read"


def _findings_in_words(state: CampaignState) -> str:
    if state.head is None:
        return ""
    if (reading := state.reading) is not None:
        return "being read" if reading.state.is_open else "not read"
    return "ready" if state.is_usable else "to decide"


def _evaluation_in_words(state: CampaignState) -> str:
    job = state.evaluating
    if job is None or (state.releases and state.releases[0].revision != state.base and not job.state.is_open):
        return "to do" if state.is_usable else ""
    return {"done": "done", "failed": "failed", "cancelled": "cancelled"}.get(job.state.value, "under way")


def next_step(state: CampaignState) -> str:
    """The step that a member who comes back wants to see.

    Whoever may not see the files sees the audit.
    """
    if not may(state.hosted.role, Act.READ_FILES):
        return "audit"
    if state.head is None:
        return "files"
    if not state.is_usable:
        return "found"
    job = state.evaluating
    if state.releases and not (job and job.state.is_open):
        return "audit" if state.releases[0].revision == state.base else "found"
    return "evaluate" if job else "found"


def step_page(  # noqa: PLR0913 - what every page of a campaign has
    request: Request,
    access: Access,
    template: str,
    state: CampaignState,
    *,
    step: str,
    status: int = 200,
    **more: object,
) -> Response:
    """A page of a campaign, in its frame."""
    frame: Context = {"caller": access.caller, "state": state, "hosted": state.hosted, "step": step}
    can = {act.name.lower(): may(state.hosted.role, act) for act in Act}
    return page(request, template, status, **frame, steps=steps_of(state), can=can, **more)
