"""Campaigns, their members, invitations to them, and the log."""

from typing import Annotated

from fastapi import APIRouter, Request

from audit.service import hosted_campaigns as campaigns
from audit.service import people
from audit.service.events import Event, events_of
from audit.service.hosted_campaigns import Hosted, Member, Removed
from audit.service.people import Invitation, Secret
from audit.service.rules import Act
from audit.web import schemas
from audit.web.access import Access, AnyCaller, PersonCaller, needs, service_of
from audit.web.api.routing import CAMPAIGN, PREFIX, MaybeNumber
from audit.web.schemas import HandOver, NewCampaign, NewInvitation

router = APIRouter(prefix=PREFIX)


@router.get("/campaigns", response_model=list[schemas.Hosted])
def list_campaigns(request: Request, caller: AnyCaller) -> list[Hosted]:
    """The campaigns that a caller may know of, the newest first."""
    with service_of(request).database.reading() as connection:
        return campaigns.campaigns_of(connection, caller)


@router.post("/campaigns", status_code=201, response_model=schemas.Hosted)
def begin_campaign(request: Request, body: NewCampaign, caller: PersonCaller) -> Hosted:
    """Begin a campaign, which the caller then owns."""
    with service_of(request).database.writing() as connection:
        return campaigns.begin_campaign(connection, caller.person, body.title)


@router.get(CAMPAIGN, response_model=schemas.Hosted)
def show_campaign(access: Annotated[Access, needs(Act.READ)]) -> Hosted:
    """One campaign."""
    with access.reading() as (_, hosted):
        return hosted


@router.put(f"{CAMPAIGN}/title", status_code=204)
def rename_campaign(body: NewCampaign, access: Annotated[Access, needs(Act.EDIT)]) -> None:
    """Give a campaign another title in lists and on pages; reports have theirs from task.toml."""
    with access.writing() as (connection, hosted):
        campaigns.rename(connection, access.caller, hosted, body.title)


@router.delete(CAMPAIGN, status_code=204)
def remove_campaign(access: Annotated[Access, needs(Act.REMOVE)]) -> None:
    """Take a campaign out of sight, and end its jobs; its owner can bring it back for 30 days.

    Its files stay until whoever runs the service deletes them.
    """
    with access.writing() as (connection, hosted):
        campaigns.remove_campaign(connection, access.caller, hosted)


@router.get("/removed", response_model=list[schemas.Removed])
def list_removed(request: Request, caller: PersonCaller) -> list[Removed]:
    """The campaigns that a person owns, removed in the last 30 days, the latest first."""
    with service_of(request).database.reading() as connection:
        return campaigns.removed_campaigns(connection, caller.person)


@router.post("/removed/{removed}/restore", status_code=204)
def bring_back(request: Request, removed: str, caller: PersonCaller) -> None:
    """Bring back a campaign that its owner removed less than 30 days ago, without its jobs."""
    with service_of(request).database.writing() as connection:
        campaigns.bring_back(connection, caller.person, removed)


# Members


@router.get(f"{CAMPAIGN}/members", response_model=list[schemas.Member])
def list_members(access: Annotated[Access, needs(Act.READ_FILES)]) -> list[Member]:
    """The members of a campaign by name."""
    with access.reading() as (connection, hosted):
        return campaigns.members_of(connection, hosted.id)


@router.delete(f"{CAMPAIGN}/members/{{person}}", status_code=204)
def remove_member(person: str, access: Annotated[Access, needs(Act.INVITE)]) -> None:
    """Take a member off, who is not the owner."""
    with access.writing() as (connection, hosted):
        campaigns.remove_member(connection, access.caller, hosted.id, person)


@router.post(f"{CAMPAIGN}/owner", status_code=204)
def hand_over(body: HandOver, access: Annotated[Access, needs(Act.HAND_OVER)]) -> None:
    """Make another member the owner; the former one stays as an organiser."""
    with access.writing() as (connection, hosted):
        campaigns.hand_over(connection, access.caller, hosted.id, body.person)


# Invitations to a campaign


@router.post(f"{CAMPAIGN}/invitations", status_code=201, response_model=schemas.Secret)
def invite_member(body: NewInvitation, access: Annotated[Access, needs(Act.INVITE)]) -> Secret:
    """Invite somebody to a campaign in a role. The link /invited/SECRET is good once."""
    with access.writing() as (connection, hosted):
        return people.invite(connection, access.caller.person, hosted.id, body.role)


@router.get(f"{CAMPAIGN}/invitations", response_model=list[schemas.Invitation])
def list_invitations(access: Annotated[Access, needs(Act.END_INVITATION)]) -> list[Invitation]:
    """The invitations to a campaign that are still good, the oldest first, without secrets."""
    with access.reading() as (connection, hosted):
        return people.invitations_to(connection, hosted.id)


@router.delete(f"{CAMPAIGN}/invitations/{{invitation}}", status_code=204)
def revoke_invitation(
    invitation: str, access: Annotated[Access, needs(Act.END_INVITATION)]
) -> None:
    """End an invitation to a campaign that nobody has used."""
    with access.writing() as (connection, hosted):
        people.revoke_invitation(connection, access.caller.person, hosted.id, invitation)


# The log


@router.get(f"{CAMPAIGN}/events", response_model=list[schemas.Event])
def list_events(
    access: Annotated[Access, needs(Act.READ_LOG)], before: MaybeNumber = None
) -> list[Event]:
    """Who did what, the latest first."""
    with access.reading() as (connection, hosted):
        return events_of(connection, hosted.id, before=before)
