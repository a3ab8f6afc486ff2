"""A page from its template, in the frame of its campaign: the steps, where each stands, who may take which."""

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlalchemy import Connection
from starlette.datastructures import FormData

from audit.errors import ISSUE_KINDS, NOT_RECOGNISED
from audit.resources import templates
from audit.service import queue, releases, revisions
from audit.service.hosted_campaigns import Hosted, members_of
from audit.service.people import Caller
from audit.service.queue import EVALUATE, READ, Job, JobState
from audit.service.releases import Release, artefact_name
from audit.service.revisions import Revision
from audit.service.rules import Act, MemberRole, NotFoundError, RefusedError, may
from audit.text import listed, number, plural, visible
from audit.web.access import Access
from audit.web.first_evaluation import has_several_runs, stated_policy_of_runs

router = APIRouter(include_in_schema=False)
_STATIC: Mapping[str, tuple[str, str]] = {
    "report.css": ("style.css", "text/css"),  # the report's look: service and report are one family
    "copy.js": ("copy.js", "text/javascript"),
    "service.css": ("web/service.css", "text/css"),
    "service.js": ("web/service.js", "text/javascript"),
}
SAID: Mapping[str, str] = {
    "account": "Your name and password are set.",
    "named": "You have another name, with which you sign in from now on.",
    "password": "Your password was changed. Other sessions have ended, and so have tokens that you did not keep.",
    "session-ended": "The session has ended.",
    "cancelled": "The job is being ended.",
    "given-back": "The space of earlier revisions was freed.",
    "handed-over": "The audit has a new owner.",
    "uninvited": "The invitation no longer works.",
    "link-revoked": "The link no longer works.",
    "member-removed": "The member was removed.",
    "published": "The release is published, with today's date: readers of this audit see it from now on.",
    "renamed": "The audit has a new name. The title of its reports is a setting, beside the files.",
    "removed": "The audit was removed. You can bring it back for 30 days, below.",
    "brought-back": "The audit is back, with everything in it.",
    "withdrawn": "The release is withdrawn: readers see when and why, and no longer what it says.",
    "token-revoked": "The token no longer works.",
    "unchanged": "Nothing was changed: everything is as it was.",
}  # what a page says of the act that led to it, by the word in its address


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(templates() / "web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= {"when": when, "day": day, "listed": listed, "visible": visible}
    environment.filters["number"] = lambda score: "–" if score is None else number(score)
    functions = (asset, plural, issue_title, artefact_name, releases.withdrawn_in_words)
    of_findings = (has_several_runs, stated_policy_of_runs, to_decide)
    environment.globals |= {each.__name__: each for each in (*functions, *of_findings)}
    return environment


def page(request: Request, template: str, status: int = 200, **context: object) -> HTMLResponse:
    """A page from its template."""
    notice = SAID.get(request.query_params.get("done", ""), "")
    values: dict[str, object] = {
        "path": request.url.path,
        "said": notice,
        "caller": None,
        **context,
    }
    return HTMLResponse(_environment().get_template(template).render(values), status)


def error_page(request: Request, status: int, message: str, caller: Caller | None) -> Response:
    """A page that says what went wrong, and the way back."""
    parts = request.url.path.split("/")
    back = "/".join(parts[:4]) if parts[1] == "campaigns" and len(parts) > 4 else "/"  # noqa: PLR2004 - /campaigns/ID/STEP/…
    return page(
        request,
        "error.html.j2",
        status,
        message=message,
        status_code=status,
        back=back,
        caller=caller,
    )


def to_step(access: Access, step: str, done: str = "") -> Response:
    """Redirect to a page of the campaign after an action."""
    return to_page(f"/campaigns/{access.campaign}/{step}", done)


def to_page(address: str, done: str = "") -> Response:
    """Redirect to a page after an action."""
    return RedirectResponse(address + (f"?done={done}" if done else ""), 303)


_MOST_FIELDS = 10_000  # five a file in the table of files


async def _form(request: Request) -> AsyncIterator[FormData]:
    async with request.form(max_fields=_MOST_FIELDS) as fields:  # and its files are closed
        yield fields


Fields = Annotated[FormData, Depends(_form)]  # the fields of a form whose names the page made


NO_FORM = "The page is out of date. Open it again."


def texts_of(fields: FormData, name: str) -> list[str]:
    """Every text that a form has under a name, with plain line ends."""
    return [value.replace("\r\n", "\n") for value in fields.getlist(name) if isinstance(value, str)]


def text_of(fields: FormData, name: str) -> str:
    """The first text that a form has under a name; empty where it has none."""
    return next(iter(texts_of(fields, name)), "")


def rows_of(fields: FormData, *names: str) -> list[tuple[str, ...]]:
    """The rows of a table in a form, which has as many texts under each of these names."""
    columns = [texts_of(fields, name) for name in names]
    if len({len(column) for column in columns}) > 1:
        raise RefusedError(NO_FORM)
    return list(zip(*columns, strict=True))


def number_of(fields: FormData, name: str) -> int:
    """The number that a form has under a name."""
    digits = text_of(fields, name)
    if not digits.isdecimal():
        raise RefusedError(NO_FORM)
    return int(digits[:9])


def when(time: str) -> str:
    """A time of the control tables as people read it.

    >>> when("2031-05-06T07:08:09.123456+00:00")
    '2031-05-06 07:08 UTC'
    """
    return f"{time[:10]} {time[11:16]} UTC"


def day(time: str) -> str:
    """The day of a time of the control tables.

    >>> day("2031-05-06T07:08:09.123456+00:00")
    '6 May 2031'
    """
    return f"{datetime.fromisoformat(time):%-d %B %Y}"


def reach_of(request: Request) -> dict[str, Any]:
    """The address at which the service was asked for, and whether no other machine can ask so."""
    return {
        "address": str(request.base_url),
        "is_local": request.url.hostname in {"127.0.0.1", "localhost", "::1"},
    }


def issue_title(slug: str) -> str:
    """The title of an issue's kind, in the catalogue's words."""
    if slug in ISSUE_KINDS:
        return ISSUE_KINDS[slug].title
    return slug


@lru_cache(maxsize=len(_STATIC))
def _static(name: str) -> bytes:
    return (templates() / _STATIC[name][0]).read_bytes()


def asset(name: str) -> str:
    """The address of a file that pages are made with; another file has another address."""
    return f"/static/{name}?v={hashlib.sha256(_static(name)).hexdigest()[:12]}"


@router.get("/static/{name}")
def static(name: str) -> Response:
    """A file that pages are made with."""
    if name not in _STATIC:
        raise NotFoundError("There is no such file.")
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(_static(name), media_type=_STATIC[name][1], headers=headers)


Findings = Mapping[str, Any]  # what was found in a revision


@dataclass(frozen=True, slots=True)
class CampaignState:
    """A campaign as its pages show it."""

    hosted: Hosted  # the campaign
    head: Revision | None  # the newest revision of its files; None where there is none
    jobs: Sequence[Job]  # the newest jobs, the latest first
    releases: Sequence[Release]  # every release that the member may see, the newest first
    withdrawn: Sequence[Release]  # what was withdrawn, of which readers see no more than that
    readers: Sequence[str]  # the names of those who see what is published, and nothing else

    @property
    def base(self) -> int:
        """Number of the revision that a change is made in view of."""
        return self.hosted.head

    def latest(self, kind: str, **arguments: int) -> Job | None:
        """The latest job of a kind with these arguments."""
        return next(
            (
                job
                for job in self.jobs
                if job.kind == kind and arguments.items() <= job.arguments.items()
            ),
            None,
        )

    @property
    def reading(self) -> Job | None:
        """The job that reads the newest revision, as long as it has not been read."""
        if self.head is None or self.head.findings is not None:
            return None
        return self.latest(READ, revision=self.base)

    @property
    def evaluating(self) -> Job | None:
        """The latest evaluation."""
        return self.latest(EVALUATE)

    @property
    def is_usable(self) -> bool:
        """Whether the newest revision can be evaluated."""
        return self.head is not None and bool(
            self.head.findings and self.head.findings["is_usable"]
        )


def state_of(connection: Connection, hosted: Hosted) -> CampaignState:
    """The state of a campaign: its files, jobs and releases."""
    if hosted.head:
        head = revisions.revision_of(connection, hosted.id, hosted.head)
    else:
        head = None
    shown_releases = releases.releases_for(connection, hosted)
    withdrawn = releases.withdrawn_of(connection, hosted.id)
    members = members_of(connection, hosted.id)
    readers = [each.person.name for each in members if each.role is MemberRole.READER]
    return CampaignState(
        hosted, head, queue.jobs_of(connection, hosted.id), shown_releases, withdrawn, readers
    )


def steps_of(state: CampaignState) -> list[dict[str, str]]:
    """The steps of the way to a published audit that this member may take: address, title, and where each stands."""
    if state.releases:
        newest = state.releases[0]
    else:
        newest = None
    published = next((each for each in state.releases if each.is_public), None)
    steps = (
        (Act.READ_FILES, "files", "Files", _of_files(state)[0]),
        (Act.EVALUATE, "evaluate", "Evaluate", _evaluation_in_words(state)),
        (Act.READ, "audit", "The audit", f"release {newest.number}" if newest else "none yet"),
        (
            Act.READ,
            "releases",
            "Releases",
            f"{published.number} is published" if published else "none published",
        ),
        (Act.READ_FILES, "people", "People", ""),
    )
    names = ("slug", "title", "state")
    return [
        dict(zip(names, step, strict=True)) for act, *step in steps if may(state.hosted.role, act)
    ]


def _evaluation_in_words(state: CampaignState) -> str:
    job = state.evaluating
    if job is None or (
        state.releases and state.releases[0].revision != state.base and not job.state.is_open
    ):
        if state.is_usable:
            return "to do"
        return ""
    return {"done": "done", "failed": "failed", "cancelled": "cancelled"}.get(
        job.state.value, "under way"
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a campaign stands, and what comes next."""

    words: str  # the state in a few words
    action: str  # the next action, as a link says it; empty where there is none
    step: str  # the step where that is done


def standing_of(state: CampaignState) -> Standing:
    """Where a campaign stands for a member; whoever may not see the files waits for what is published."""
    newest = next(iter(state.releases), None)
    job = state.evaluating
    if not may(state.hosted.role, Act.READ_FILES):
        if newest:
            words = f"Release {newest.number} is published."
        else:
            words = "Nothing is published yet."
        return Standing(words, "Read the audit" if newest else "", "audit")
    if job and job.state.is_open:
        return Standing("It is being evaluated.", "See the progress", "evaluate")
    if newest is None or newest.revision != state.base:
        return _of_files(state)[1]
    if newest.withdrawn:
        return Standing(
            f"Release {newest.number} was withdrawn.", "Look at the releases", "releases"
        )
    if newest.is_public:
        return Standing(f"Release {newest.number} is published.", "Read the audit", "audit")
    return Standing(
        f"Release {newest.number} is a draft: readers do not see it.",
        "Read and publish it",
        "audit",
    )


def _of_files(state: CampaignState) -> tuple[str, Standing]:
    """Where the files of a campaign stand, in a word or two; and where the campaign does that is not evaluated."""
    job = state.evaluating
    findings = (state.head and state.head.findings) or {}
    # that nothing uses, and nobody has said so
    n_open = sum(row["is_open"] for row in findings.get("files", ()))
    if state.head is None:
        return "none yet", Standing("There are no files yet.", "Upload files", "files")
    if (reading := state.reading) is not None:
        if reading.state.is_open:
            words = "being read"
        else:
            words = "not read"
        return words, Standing(f"The files are {words}.", "Look at the files", "files")
    if n_open:
        words = f"{n_open} not used"
    elif state.is_usable:
        words = "ready"
    else:
        words = "to decide"
    if job and job.state is JobState.FAILED and job.arguments["revision"] == state.base:
        return words, Standing("The evaluation did not work.", "See why", "evaluate")
    if n_open:
        return words, Standing(
            f"{plural(n_open, 'file is', 'files are')} not used.", "Say what each file is", "files"
        )
    if not state.is_usable:
        return words, Standing("Something has to be decided.", "Decide it", "files")
    return words, Standing("It is ready to be evaluated.", "Evaluate", "files")


def to_decide(state: CampaignState) -> tuple[str, str]:
    """The one thing that is to be decided first before the files can be evaluated, and the part of the page with it."""
    findings = (state.head and state.head.findings) or {}
    n_open = sum(row["is_open"] for row in findings.get("files", ()))
    if not any(row["kind"] == "gold" for row in findings.get("files", ())):
        return "which file is gold", "table"
    issues = [each for each in findings.get("issues", ()) if each["slug"] not in NOT_RECOGNISED]
    if issues:
        return f"{issues[0]['file']}: {issue_title(issues[0]['slug'])}", "issues"
    if n_open:
        return f"what {plural(n_open, 'file is', 'files are')} that nothing uses", "table"
    return "what each file is", "table"


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
    frame: dict[str, Any] = {
        "caller": access.caller,
        "state": state,
        "hosted": state.hosted,
        "step": step,
    }
    can = {act.name.lower(): may(state.hosted.role, act) for act in Act}
    return page(request, template, status, **frame, steps=steps_of(state), can=can, **more)
