"""Signing in and out, invitations, and the caller's own account."""

import re
from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from audit.service import hosted_campaigns as campaigns
from audit.service import people
from audit.service.credentials import password_digest, password_fits
from audit.service.events import events_of_account
from audit.service.hosted_campaigns import title_of
from audit.service.people import Caller
from audit.service.rules import RefusedError
from audit.web.access import SESSION_COOKIE, PersonCaller, network_of, service_of, signed_in
from audit.web.pages.event_words import worded
from audit.web.pages.page_rendering import page, reach_of, to_page
from audit.web.password_work import DEVICE_COOKIE, DEVICE_DAYS, TOO_OFTEN

router = APIRouter(include_in_schema=False)
_SECONDS_A_DAY = 24 * 60 * 60
_INVITATION = re.compile(r"/invited/[\w-]{1,100}")


def in_new_session(
    request: Request, person: people.Person, to: str = "/", *, by_link: bool = False
) -> Response:
    """A new session for a person, and the way on; their browser is known from then on."""
    service = service_of(request)
    with service.database.writing() as connection:
        secret = people.begin_session(
            connection, person, request.headers.get("user-agent", ""), by_link=by_link
        )
        name = people.known_name_of(connection, person)
    answer = RedirectResponse(to, 303)
    set_cookie = partial(answer.set_cookie, httponly=True, samesite="lax", secure=service.is_secure)
    set_cookie(SESSION_COOKIE, secret, max_age=people.SESSION_DAYS * _SECONDS_A_DAY)
    if name is not None:
        device = service.passwords.devices.new_cookie(name)
        set_cookie(DEVICE_COOKIE, device, max_age=DEVICE_DAYS * _SECONDS_A_DAY, path="/sign-in")
    return answer


@router.get("/start")
def start(request: Request, token: str) -> Response:
    """A link that the terminal printed: good once."""
    service = service_of(request)
    is_first = service.start_link.use(token)
    with service.database.writing() as connection:
        person = (
            people.host_of(connection) if is_first else people.use_sign_in_link(connection, token)
        )
    if person is None:
        raise HTTPException(
            403, "This link was used, or is of an earlier start: take the one in the terminal."
        )
    return in_new_session(request, person, by_link=True)


@router.get("/sign-in")
def sign_in_page(request: Request, to: Annotated[str, Query(max_length=200)] = "/") -> Response:
    """The page where people sign in."""
    return page(request, "sign_in.html.j2", problem="", to=way_on(to))


@router.post("/sign-in")
async def sign_in(
    request: Request,
    name: Annotated[str, Form()],
    password: Annotated[str, Form()],
    to: Annotated[str, Form()] = "/",
) -> Response:
    """Sign in by name and password; who tries too often waits, unless this browser has signed in before."""
    service = service_of(request)
    network = network_of(request.client.host if request.client else None)
    known_as = people.sign_in_name(name[: people.LONGEST])
    check = partial(people.sign_in, service.database, name, password)
    person = await service.passwords.attempt(request, network, known_as, check)
    if person is None:
        problem = "No account has this name and password."
        return page(request, "sign_in.html.j2", 403, problem=problem, to=way_on(to))
    return await run_in_threadpool(in_new_session, request, person, way_on(to))


def way_on(to: str) -> str:
    """The address after signing in: an invitation, or home; never one outside the service."""
    if _INVITATION.fullmatch(to):
        return to
    return "/"


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
        if invitation.campaign is None:
            title = None
        else:
            title = title_of(connection, invitation.campaign)
    context = {
        "secret": secret,
        "invitation": invitation,
        "title": title,
        "problem": problem,
        "name": name,
    }
    shortest = people.SHORTEST_PASSWORD
    return page(
        request, "invited.html.j2", status, **context, caller=signed_in(request), shortest=shortest
    )


@router.post("/invited/{secret}/accept")
def accept(request: Request, secret: str, caller: PersonCaller) -> Response:
    """Accept as the person who is signed in."""
    with service_of(request).database.writing() as connection:
        invitation = people.accept(connection, secret, caller.person)
    return to_page(f"/campaigns/{invitation.campaign}" if invitation.campaign else "/")


@router.post("/invited/{secret}/account")
async def accept_with_account(
    request: Request, secret: str, name: Annotated[str, Form()], password: Annotated[str, Form()]
) -> Response:
    """Accept as somebody who has no account yet; nothing is used up where name or password will not do."""
    await run_in_threadpool(_check_invitation, request, secret)
    try:
        digest = await _digest_of_new(request, password)
        person, invitation = await run_in_threadpool(_accepted, request, secret, name, digest)
    except RefusedError as error:
        return await run_in_threadpool(
            _invitation_page, request, secret, 400, problem=str(error), name=name
        )
    if invitation.campaign:
        to = f"/campaigns/{invitation.campaign}"
    else:
        to = "/"
    return await run_in_threadpool(in_new_session, request, person, to)


def _check_invitation(request: Request, secret: str) -> None:
    with service_of(request).database.reading() as connection:
        people.invitation_of(connection, secret)


def _accepted(
    request: Request, secret: str, name: str, digest: str
) -> tuple[people.Person, people.Invitation]:
    with service_of(request).database.writing() as connection:
        person = people.new_person(connection, name, digest)
        return person, people.accept(connection, secret, person)


async def _digest_of_new(request: Request, password: str) -> str:
    """What is kept of a new password; refused where it is too short."""
    people.checked_password(password)
    return await service_of(request).passwords.known.run(
        request, partial(password_digest, password)
    )


# The caller's account


@router.get("/account")
def account(request: Request, caller: PersonCaller) -> Response:
    """The page of the caller's account: sessions, tokens, and what became of them."""
    return _account_page(request, caller)


def _account_page(
    request: Request, caller: Caller, status: int = 200, *, problem: str = ""
) -> Response:
    with service_of(request).database.reading() as connection:
        tokens = people.tokens_of(connection, caller.person)
        sessions = people.sessions_of(connection, caller.person)
        hosted = campaigns.campaigns_of(connection, caller)
        if caller.person.is_host:
            invitations = people.invitations_to(connection, None)
        else:
            invitations = []
        events = events_of_account(connection, caller.person.id)
    this_session = people.session_id(request.cookies.get(SESSION_COOKIE, ""))
    context = {
        "tokens": tokens,
        "campaigns": hosted,
        "problem": problem,
        "invitations": invitations,
    }
    context |= {"sessions": sessions, "this_session": this_session, "events": worded(events)}
    context |= {"asks_old": caller.person.has_account and not caller.by_link, **reach_of(request)}
    shortest = people.SHORTEST_PASSWORD
    days = people.TOKEN_DAYS
    return page(
        request, "account.html.j2", status, caller=caller, **context, shortest=shortest, days=days
    )


@router.post("/account")
async def set_account(
    request: Request,
    caller: PersonCaller,
    name: Annotated[str, Form()],
    password: Annotated[str, Form()],
) -> Response:
    """Set name and password, for whoever has none; this browser stays signed in."""
    if caller.person.has_account:
        raise RefusedError(
            "You have a name and a password. Change them one at a time, under Account."
        )

    def keep(digest: str) -> None:
        with service_of(request).database.writing() as connection:
            people.set_account(connection, caller.person, name, digest)

    return await _with_new_password(request, caller, password, keep, "account")


@router.post("/account/name")
def rename(request: Request, caller: PersonCaller, name: Annotated[str, Form()]) -> Response:
    """Change the name by which the caller signs in and is seen."""
    try:
        with service_of(request).database.writing() as connection:
            people.rename_account(connection, caller.person, name)
    except RefusedError as error:
        return _account_page(request, caller, 400, problem=str(error))
    return to_page("/account", "named")


@router.post("/account/password")
async def change_password(
    request: Request,
    caller: PersonCaller,
    password: Annotated[str, Form()],
    old: Annotated[str, Form()] = "",
    keep: Annotated[list[str] | None, Form()] = None,
) -> Response:
    """Change the password; other sessions end, and tokens but for those that are kept."""
    if not caller.by_link and not await _is_old_password(request, caller, old):
        problem = "The old password is wrong. Nothing was changed."
        return await run_in_threadpool(_account_page, request, caller, 403, problem=problem)

    def change(digest: str) -> None:
        with service_of(request).database.writing() as connection:
            people.change_password(connection, caller.person, digest, keep or ())

    return await _with_new_password(request, caller, password, change, "password")


async def _is_old_password(request: Request, caller: Caller, old: str) -> bool:
    """Whether this is the caller's password; whoever took over a session has few guesses."""
    service = service_of(request)
    failures = service.passwords.by_device
    key = ("old password", caller.person.id)
    if seconds := failures.seconds_to_wait(key):
        raise HTTPException(429, TOO_OFTEN, {"retry-after": str(seconds)})

    def check() -> bool:
        with service.database.reading() as connection:
            digest = people.password_of(connection, caller.person)
        return digest is not None and password_fits(old[: people.LONGEST], digest)

    fits = await service.passwords.known.run(request, check)
    if not fits:
        failures.add(key)
    return fits


async def _with_new_password(
    request: Request, caller: Caller, password: str, keep: Callable[[str], None], done: str
) -> Response:
    try:
        digest = await _digest_of_new(request, password)
        await run_in_threadpool(keep, digest)
    except RefusedError as error:
        return await run_in_threadpool(_account_page, request, caller, 400, problem=str(error))
    return await run_in_threadpool(in_new_session, request, caller.person, f"/account?done={done}")


@router.post("/account/erase")
def erase(request: Request, caller: PersonCaller, sure: Annotated[str, Form()] = "") -> Response:
    """Forget who the caller is."""
    if sure != "yes":
        raise RefusedError("Tick the box that says that you mean it.")
    with service_of(request).database.writing() as connection:
        people.erase(connection, caller.person)
    return to_page("/sign-in")
