"""The list of audits, and how a new one begins."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response

from audit.hosting import hosted_campaigns as campaigns
from audit.hosting.people import Caller
from audit.hosting.rules import Act
from audit.web import api
from audit.web.access import Access, caller_of, needs, person_of, service_of
from audit.web.pages.campaign_frame import next_step, state_of
from audit.web.pages.page_rendering import page, to_page, to_step

router = APIRouter(include_in_schema=False)


@router.get("/")
def home(request: Request, caller: Annotated[Caller, Depends(caller_of)]) -> Response:
    """The caller's campaigns, each with where it stands."""
    with service_of(request).database.reading() as connection:
        states = [state_of(connection, hosted) for hosted in campaigns.campaigns_of(connection, caller)]
    return page(request, "home.html.j2", caller=caller, states=[(state, next_step(state)) for state in states])


@router.post("/campaigns")
def begin(
    request: Request, title: Annotated[str, Form(max_length=200)], caller: Annotated[Caller, Depends(person_of)]
) -> Response:
    """Begin an audit, and go to its files."""
    hosted = api.begin(request, api.NewCampaign(title=title), caller)
    return to_page(f"/campaigns/{hosted.id}/files")


@router.get("/campaigns/{campaign}")
def campaign(access: Annotated[Access, needs(Act.READ)]) -> Response:
    """Redirect to the step of the campaign that comes next."""
    with access.reading() as (connection, hosted):
        return to_step(access, next_step(state_of(connection, hosted)))
