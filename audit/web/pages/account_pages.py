"""The caller's own account: name and password, tokens of programs, and how to be forgotten."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response

from audit.hosting import hosted_campaigns as campaigns
from audit.hosting import people
from audit.hosting.people import Caller
from audit.hosting.rules import RefusedError
from audit.web import api
from audit.web.access import host_of, person_of, service_of
from audit.web.pages.page_rendering import LESSER_ROLES, Fields, page, text_of, to_page
from audit.web.pages.sign_in_pages import signed_in

router = APIRouter(include_in_schema=False)
Person = Annotated[Caller, Depends(person_of)]
Host = Annotated[Caller, Depends(host_of)]


@router.get("/account")
def account(request: Request, caller: Person) -> Response:
    """The page of the caller's account and tokens."""
    return _account_page(request, caller)


def _account_page(  # noqa: PLR0913 - with what is shown once
    request: Request, caller: Caller, status: int = 200, *, problem: str = "", token: str = "", invitation: str = ""
) -> Response:
    with service_of(request).database.reading() as connection:
        tokens = people.tokens_of(connection, caller.person)
        hosted = campaigns.campaigns_of(connection, caller)
        invitations = people.invitations_to(connection, None) if caller.person.is_host else []
    context = {"tokens": tokens, "campaigns": hosted, "problem": problem, "token": token, "invitation": invitation}
    context |= {"invitations": invitations}
    shortest, days = people.SHORTEST_PASSWORD, people.TOKEN_DAYS
    return page(request, "account.html.j2", status, caller=caller, **context, shortest=shortest, days=days)


@router.post("/account")
def set_account(
    request: Request, caller: Person, name: Annotated[str, Form()], password: Annotated[str, Form()]
) -> Response:
    """Set name and password; this browser stays signed in."""
    try:
        with service_of(request).database.writing() as connection:
            people.set_account(connection, caller.person, name, password)
    except RefusedError as error:
        return _account_page(request, caller, 400, problem=str(error))
    return signed_in(request, caller.person, "/account?done=account")


@router.post("/account/tokens")
def make_token(request: Request, caller: Person, fields: Fields) -> Response:
    """A token for a program; it is shown once, here."""
    role = text_of(fields, "role")
    if role not in LESSER_ROLES:
        raise RefusedError("Say what the token may do.")
    label = text_of(fields, "label").strip()[:200]
    if not label:
        raise RefusedError("Say what the token is for.")
    body = api.NewToken(label=label, campaign=text_of(fields, "campaign")[:100] or None, role=LESSER_ROLES[role])
    return _account_page(request, caller, token=api.make_token(request, body, caller).secret)


@router.post("/account/tokens/{token}/revoke")
def revoke_token(request: Request, token: str, caller: Person) -> Response:
    """End a token."""
    api.revoke_token(request, token, caller)
    return to_page("/account", "token-revoked")


@router.post("/account/invitations")
def invite(request: Request, host: Host) -> Response:
    """Whoever runs the service invites organisers, who then begin audits of their own."""
    secret = api.invite_to_service(request, host).secret
    return _account_page(request, host, invitation=f"{request.base_url}invited/{secret}")


@router.post("/account/invitations/{invitation}/revoke")
def revoke_invitation(request: Request, invitation: str, host: Host) -> Response:
    """End an invitation to the service that nobody has used."""
    api.revoke_service_invitation(request, invitation, host)
    return to_page("/account", "invitation-revoked")


@router.post("/account/erase")
def erase(request: Request, caller: Person, fields: Fields) -> Response:
    """Forget who the caller is."""
    if text_of(fields, "sure") != "yes":
        raise RefusedError("Tick the box that says that you mean it.")
    with service_of(request).database.writing() as connection:
        people.erase(connection, caller.person)
    return to_page("/sign-in")
