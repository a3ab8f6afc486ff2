"""Signing in and out, invitations, and the caller's own account."""

import re
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from audit.service import hosted_campaigns as campaigns
from audit.service import people
from audit.service.hosted_campaigns import title_of
from audit.service.people import Caller
from audit.service.rules import RefusedError
from audit.web.access import SESSION_COOKIE, PersonCaller, network_of, service_of, signed_in
from audit.web.guard import TOO_OFTEN
from audit.web.pages.page_rendering import page, reach_of, to_page

router = APIRouter(include_in_schema=False)
_SECONDS_A_DAY = 24 * 60 * 60
_INVITATION = re.compile(r"/invited/[\w-]{1,100}")


def in_new_session(request: Request, person: people.Person, to: str = "/") -> Response:
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
    return in_new_session(request, host)


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
    return in_new_session(request, person, _way_on(to))


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
    return page(request, "invited.html.j2", status, **context, caller=signed_in(request), shortest=shortest)


@router.post("/invited/{secret}/accept")
def accept(request: Request, secret: str, caller: PersonCaller) -> Response:
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
    return in_new_session(request, person, f"/campaigns/{invitation.campaign}" if invitation.campaign else "/")


@router.get("/account")
def account(request: Request, caller: PersonCaller) -> Response:
    """The page of the caller's account and tokens."""
    return _account_page(request, caller)


def _account_page(request: Request, caller: Caller, status: int = 200, *, problem: str = "") -> Response:
    with service_of(request).database.reading() as connection:
        tokens = people.tokens_of(connection, caller.person)
        hosted = campaigns.campaigns_of(connection, caller)
        invitations = people.invitations_to(connection, None) if caller.person.is_host else []
    context = {"tokens": tokens, "campaigns": hosted, "problem": problem, "invitations": invitations}
    context |= reach_of(request)
    shortest, days = people.SHORTEST_PASSWORD, people.TOKEN_DAYS
    return page(request, "account.html.j2", status, caller=caller, **context, shortest=shortest, days=days)


@router.post("/account")
def set_account(
    request: Request, caller: PersonCaller, name: Annotated[str, Form()], password: Annotated[str, Form()]
) -> Response:
    """Set name and password; this browser stays signed in."""
    try:
        with service_of(request).database.writing() as connection:
            people.set_account(connection, caller.person, name, password)
    except RefusedError as error:
        return _account_page(request, caller, 400, problem=str(error))
    return in_new_session(request, caller.person, "/account?done=account")


@router.post("/account/erase")
def erase(request: Request, caller: PersonCaller, sure: Annotated[str, Form()] = "") -> Response:
    """Forget who the caller is."""
    if sure != "yes":
        raise RefusedError("Tick the box that says that you mean it.")
    with service_of(request).database.writing() as connection:
        people.erase(connection, caller.person)
    return to_page("/sign-in")
