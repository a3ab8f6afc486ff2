"""The one way to campaigns: a route names its act and gets a connection only where the caller may do it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request
from sqlalchemy import Connection

from audit.errors import AuditError
from audit.service.database import lock_campaign
from audit.service.hosted_campaigns import Hosted, campaign_for
from audit.service.people import Caller, caller_of_session, caller_of_token
from audit.service.rules import Act, NotAllowedError
from audit.web.guard import SESSION_COOKIE
from audit.web.service import Service

_LOG = logging.getLogger("audit.web")

_BEARER = "bearer "


def service_of(request: Request) -> Service:
    """The service that a request is made to."""
    service = request.app.state.service
    assert isinstance(service, Service)  # noqa: S101 - as the app was made
    return service


class SignedOutError(AuditError):
    """Nobody is signed in, and this is for people who are."""

    def __init__(self) -> None:
        super().__init__("Sign in first.")


def caller_of(request: Request) -> Caller:
    """The caller of a request."""
    authorization = request.headers.get("authorization", "")
    cookie = request.cookies.get(SESSION_COOKIE)
    with service_of(request).database.reading() as connection:
        if authorization[: len(_BEARER)].lower() == _BEARER:
            caller = caller_of_token(connection, authorization[len(_BEARER) :].strip())
        else:
            caller = caller_of_session(connection, cookie) if cookie else None
    if caller is None:
        raise SignedOutError
    return caller


def signed_in(request: Request) -> Caller | None:
    """The person signed in with this browser, for what pages show; None where that cannot be told now."""
    cookie = request.cookies.get(SESSION_COOKIE)
    if not cookie:
        return None
    try:
        with service_of(request).database.reading() as connection:
            return caller_of_session(connection, cookie)
    except Exception:  # noqa: BLE001 - the page is of another error, which is due all the same
        _LOG.exception("who asks could not be looked up for the page of an error")
        return None


def person_of(request: Request) -> Caller:
    """The caller, who has to be a person at a browser: no token may change accounts."""
    caller = caller_of(request)
    if caller.by_token:
        raise HTTPException(403, "A token cannot do this: sign in with a browser.")
    return caller


def host_of(caller: Annotated[Caller, Depends(person_of)]) -> Caller:
    """The caller, who has to be the person who runs the service."""
    if not caller.person.is_host:
        raise NotAllowedError("Only whoever runs the service invites people to it.")
    return caller


AnyCaller = Annotated[Caller, Depends(caller_of)]
PersonCaller = Annotated[Caller, Depends(person_of)]
HostCaller = Annotated[Caller, Depends(host_of)]


@dataclass(frozen=True, slots=True)
class Access:
    """A caller before a campaign, with what they are about to do."""

    service: Service  # the service
    caller: Caller  # the caller
    campaign: str  # the id of the campaign
    act: Act  # the act for which access is asked

    @contextmanager
    def reading(self) -> Iterator[tuple[Connection, Hosted]]:
        """A transaction that reads, and the campaign."""
        with self.service.database.reading() as connection:
            yield connection, campaign_for(connection, self.caller, self.campaign, self.act)

    @contextmanager
    def writing(self) -> Iterator[tuple[Connection, Hosted]]:
        """A transaction that writes, and the campaign."""
        with self.service.database.writing() as connection:
            lock_campaign(connection, self.campaign)
            yield connection, campaign_for(connection, self.caller, self.campaign, self.act)


class AccessFor:
    """A route's dependency that says which act it is."""

    def __init__(self, act: Act) -> None:
        self.act = act

    def __call__(self, request: Request, campaign: str) -> Access:
        """The caller and the campaign; whether they may act is checked again in the transaction."""
        access = Access(service_of(request), caller_of(request), campaign, self.act)
        with access.reading():
            return access


def needs(act: Act) -> Any:  # noqa: ANN401 - FastAPI's mark
    """The dependency of a route on a campaign that does this."""
    return Depends(AccessFor(act))
