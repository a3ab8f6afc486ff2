"""Evaluate: start, watch, cancel, repeat."""

from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import Response

from audit.hosting import queue
from audit.hosting.rules import Act
from audit.web import api
from audit.web.access import Access, needs
from audit.web.pages.campaign_frame import state_of, step_page
from audit.web.pages.page_rendering import Fields, base_of, text_of, to_page, to_step

router = APIRouter(include_in_schema=False)


@router.get("/campaigns/{campaign}/evaluate")
def evaluation(request: Request, access: Annotated[Access, needs(Act.EVALUATE)]) -> Response:
    """The evaluation: to be started, under way, or what came of it."""
    with access.reading() as (connection, hosted):
        state = state_of(connection, hosted)
        job = state.evaluating
        before = queue.n_before(connection, job) if job else 0
    findings = (state.head and state.head.findings) or {}
    n_rejected = sum(len(task["rejected"]) for task in findings.get("tasks", ()))
    return step_page(
        request, access, "evaluate.html.j2", state, step="evaluate", job=job, before=before, n_rejected=n_rejected
    )


@router.post("/campaigns/{campaign}/evaluate")
def evaluate(access: Annotated[Access, needs(Act.EVALUATE)], fields: Fields) -> Response:
    """Evaluate the files that the page showed."""
    skips = text_of(fields, "skip_rejected") == "yes"
    api.evaluate(api.Evaluate(revision=base_of(fields), skip_rejected=skips), access)
    return to_step(access, "evaluate")


@router.post("/campaigns/{campaign}/jobs/{number}/cancel")
def cancel(number: api.Number, access: Annotated[Access, needs(Act.EVALUATE)], fields: Fields) -> Response:
    """End a job, and go back to the page that showed it."""
    api.cancel(number, access)
    return to_page(_way_back(access, fields), "cancelled")


@router.post("/campaigns/{campaign}/jobs/{number}/repeat")
def repeat(number: api.Number, access: Annotated[Access, needs(Act.EVALUATE)], fields: Fields) -> Response:
    """Queue a job again, and go back to the page that showed it."""
    job = api.repeat(number, access)
    back = text_of(fields, "back")
    return (
        to_step(access, f"answers/{job.number}") if back.startswith("answers/") else to_page(_way_back(access, fields))
    )


def _way_back(access: Access, fields: Fields) -> str:
    """The page that a form says it stands on: one of this campaign's, whatever it says."""
    back = text_of(fields, "back")
    is_path = back.replace("/", "").isalnum() and "//" not in back
    return f"/campaigns/{access.campaign}" + (f"/{back}" if is_path else "")
