"""Signing in and out, and invitations."""

import re
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from audit.hosting import people
from audit.hosting.hosted_campaigns import title_of
from audit.hosting.people import Caller
from audit.hosting.rules import RefusedError
from audit.web.access import SignedOutError, caller_of, person_of, service_of
from audit.web.attempts import network_of
from audit.web.guard import SESSION_COOKIE, TOO_OFTEN
from audit.web.pages.page_rendering import page, to_page

router = APIRouter(include_in_schema=False)
_SECONDS_A_DAY = 24 * 60 * 60
_INVITATION = re.compile(r"/invited/[\w-]{1,100}")


def signed_in(request: Request, person: people.Person, to: str = "/") -> Response:
    """A new session for a person, and the way on."""
    service = service_of(request)
    with service.database.writing() as connection:
        secret = people.begin_session(connection, person)
    answer = RedirectResponse(to, 303)
    answer.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=people.SESSION_DAYS * _SECONDS_A_DAY,
        httponly=True,
        samesite="lax",
        secure=service.is_secure,
    )
    return answer


@router.get("/start")
def start(request: Request, token: str) -> Response:
    """The link that the terminal printed: good once."""
    service = service_of(request)
    if not service.start_link.use(token):
        raise HTTPException(403, "This link was used, or is of an earlier start: take the one in the terminal.")
    with service.database.writing() as connection:
        host = people.host_of(connection)
    return signed_in(request, host)


@router.get("/sign-in")
def sign_in_page(request: Request, to: Annotated[str, Query(max_length=200)] = "/") -> Response:
    """The page where people sign in."""
    return page(request, "sign_in.html.j2", problem="", to=_way_on(to))


@router.post("/sign-in")
def sign_in(
    request: Request, name: Annotated[str, Form()], password: Annotated[str, Form()], to: Annotated[str, Form()] = "/"
) -> Response:
    """Sign in by name and password; who tries a name too often waits: soon in one network, later wherever they are."""
    service, known_as = service_of(request), people.sign_in_name(name[: people.LONGEST])
    here = (network_of(request.client.host if request.client else None), known_as)
    if seconds := max(service.failures.seconds_to_wait(here), service.failed_names.seconds_to_wait(known_as)):
        raise HTTPException(429, TOO_OFTEN, {"retry-after": str(seconds)})
    with service_of(request).database.reading() as connection:
        person = people.sign_in(connection, name, password)
    if person is None:
        service.failures.add(here)
        service.failed_names.add(known_as)
        problem = "No account has this name and password."
        return page(request, "sign_in.html.j2", 403, problem=problem, to=_way_on(to))
    return signed_in(request, person, _way_on(to))


def _way_on(to: str) -> str:
    """The address after signing in: an invitation, or home; never one outside the service."""
    return to if _INVITATION.fullmatch(to) else "/"


@router.post("/sign-out")
def sign_out(request: Request) -> Response:
    """End the session of this browser."""
    if (secret := request.cookies.get(SESSION_COOKIE)) is not None:
        with service_of(request).database.writing() as connection:
            people.end_session(connection, secret)
    answer = RedirectResponse("/sign-in", 303)
    answer.delete_cookie(SESSION_COOKIE)
    return answer


# Invitations


@router.get("/invited/{secret}")
def invited(request: Request, secret: str) -> Response:
    """What somebody is invited to, and how they accept."""
    return _invitation_page(request, secret)


def _invitation_page(
    request: Request, secret: str, status: int = 200, *, problem: str = "", name: str = ""
) -> Response:
    with service_of(request).database.reading() as connection:
        invitation = people.invitation_of(connection, secret)
        title = None if invitation.campaign is None else title_of(connection, invitation.campaign)
    context = {"secret": secret, "invitation": invitation, "title": title, "problem": problem, "name": name}
    shortest = people.SHORTEST_PASSWORD
    return page(request, "invited.html.j2", status, **context, caller=_caller_or_none(request), shortest=shortest)


def _caller_or_none(request: Request) -> Caller | None:
    try:
        return caller_of(request)
    except SignedOutError:
        return None


@router.post("/invited/{secret}/accept")
def accept(request: Request, secret: str, caller: Annotated[Caller, Depends(person_of)]) -> Response:
    """Accept as the person who is signed in."""
    with service_of(request).database.writing() as connection:
        invitation = people.accept(connection, secret, caller.person)
    return to_page(f"/campaigns/{invitation.campaign}" if invitation.campaign else "/")


@router.post("/invited/{secret}/account")
def accept_with_account(
    request: Request, secret: str, name: Annotated[str, Form()], password: Annotated[str, Form()]
) -> Response:
    """Accept as somebody who has no account yet; nothing is used up where name or password will not do."""
    try:
        with service_of(request).database.writing() as connection:
            person = people.new_person(connection, name, password)
            invitation = people.accept(connection, secret, person)
    except RefusedError as error:
        return _invitation_page(request, secret, 400, problem=str(error), name=name)
    return signed_in(request, person, f"/campaigns/{invitation.campaign}" if invitation.campaign else "/")
