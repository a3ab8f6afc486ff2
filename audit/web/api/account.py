"""The caller: who asks, their sessions and tokens; and invitations to the service."""

from fastapi import APIRouter, Request

from audit.service import hosted_campaigns as campaigns
from audit.service import people
from audit.service.people import ApiToken, Invitation, Person, Secret, Session
from audit.service.rules import Act
from audit.web import schemas
from audit.web.access import AnyCaller, HostCaller, PersonCaller, service_of
from audit.web.api.routing import PREFIX
from audit.web.schemas import NewToken

router = APIRouter(prefix=PREFIX)


@router.get("/me", response_model=schemas.Person)
def show_me(caller: AnyCaller) -> Person:
    """Who asks."""
    return caller.person


# Sessions


@router.get("/sessions", response_model=list[schemas.Session])
def list_sessions(request: Request, caller: PersonCaller) -> list[Session]:
    """The sessions of a person that have not ended, the newest first."""
    with service_of(request).database.reading() as connection:
        return people.sessions_of(connection, caller.person)


@router.delete("/sessions/{session}", status_code=204)
def revoke_session(request: Request, session: str, caller: PersonCaller) -> None:
    """End a session of this person."""
    with service_of(request).database.writing() as connection:
        people.revoke_session(connection, caller.person, session)


# Tokens


@router.post("/tokens", status_code=201, response_model=schemas.Secret)
def make_token(request: Request, body: NewToken, caller: PersonCaller) -> Secret:
    """A token for a program of the caller's."""
    with service_of(request).database.writing() as connection:
        if body.campaign is not None:
            campaigns.campaign_for(connection, caller, body.campaign, Act.READ)
        secret = people.make_token(connection, caller.person, body.label, body.campaign, body.role)
    return Secret(secret)


@router.get("/tokens", response_model=list[schemas.ApiToken])
def list_tokens(request: Request, caller: PersonCaller) -> list[ApiToken]:
    """The tokens of a person that still work."""
    with service_of(request).database.reading() as connection:
        return people.tokens_of(connection, caller.person)


@router.delete("/tokens/{token}", status_code=204)
def revoke_token(request: Request, token: str, caller: PersonCaller) -> None:
    """End a token of this person."""
    with service_of(request).database.writing() as connection:
        people.revoke_token(connection, caller.person, token)


# Invitations to the service


@router.post("/invitations", status_code=201, response_model=schemas.Secret)
def invite_to_service(request: Request, caller: HostCaller) -> Secret:
    """Invite somebody to begin campaigns of their own. The link /invited/SECRET is good once."""
    with service_of(request).database.writing() as connection:
        return people.invite(connection, caller.person, campaign=None)


@router.get("/invitations", response_model=list[schemas.Invitation])
def list_service_invitations(request: Request, caller: HostCaller) -> list[Invitation]:  # noqa: ARG001 - who may
    """The invitations to the service that are still good, the oldest first, without secrets."""
    with service_of(request).database.reading() as connection:
        return people.invitations_to(connection, None)


@router.delete("/invitations/{invitation}", status_code=204)
def revoke_service_invitation(request: Request, invitation: str, caller: HostCaller) -> None:
    """End an invitation to the service that nobody has used."""
    with service_of(request).database.writing() as connection:
        people.revoke_invitation(connection, caller.person, None, invitation)
