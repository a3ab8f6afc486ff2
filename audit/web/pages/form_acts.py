"""Forms of the pages, each of which asks for one operation of the HTTP interface; a page comes after it."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from audit.service.people import Caller, Secret
from audit.service.queue import ANONYMISE, ASK, DIFFER, EVALUATE, EXPORT, READ, Job
from audit.service.rules import Act
from audit.web.access import Access, HostCaller, PersonCaller, needs
from audit.web.api import account, campaign_requests, files, jobs, release_requests
from audit.web.api.routing import CAMPAIGN, Number
from audit.web.pages.page_rendering import page, to_page, to_step
from audit.web.schemas import (
    Compare,
    Evaluate,
    HandOver,
    NewCampaign,
    NewInvitation,
    NewLink,
    NewToken,
    Withdraw,
)

router = APIRouter(include_in_schema=False)
_SHOWS = {
    READ: "files",
    EVALUATE: "evaluate",
    ANONYMISE: "releases",
    EXPORT: "more/{release}",
    DIFFER: "releases/{release}",
    ASK: "answers/{number}",
}  # the page of a campaign on which each kind of job is seen


def _to_job(access: Access, job: Job, done: str = "") -> Response:
    """The way to the page on which a job is seen."""
    shown = _SHOWS[job.kind].format(number=job.number, **job.arguments)
    return to_step(access, shown, done)


def _shown_once(request: Request, caller: Caller, secret: str, what: str, back: str) -> Response:
    """The page that shows a secret, which no other page does again."""
    return page(request, "shown_once.html.j2", caller=caller, secret=secret, what=what, back=back)


def _invitation(request: Request, caller: Caller, made: Secret, back: str) -> Response:
    what = "Send this link to whom you invite. It is good once, for a week."
    return _shown_once(request, caller, f"{request.base_url}invited/{made.secret}", what, back)


# Campaigns


@router.post("/campaigns")
def begin_campaign(
    request: Request, body: Annotated[NewCampaign, Form()], caller: PersonCaller
) -> Response:
    """Begin a campaign."""
    begun = campaign_requests.begin_campaign(request, body, caller)
    return to_page(f"/campaigns/{begun.id}/files")


@router.post(f"{CAMPAIGN}/title")
def rename_campaign(
    body: Annotated[NewCampaign, Form()], access: Annotated[Access, needs(Act.EDIT)]
) -> Response:
    """Give a campaign another title."""
    campaign_requests.rename_campaign(body, access)
    return to_step(access, "people", "renamed")


@router.post(f"{CAMPAIGN}/remove")
def remove_campaign(access: Annotated[Access, needs(Act.REMOVE)]) -> Response:
    """Remove a campaign."""
    campaign_requests.remove_campaign(access)
    return to_page("/", "removed")


@router.post("/removed/{removed}/restore")
def bring_back(request: Request, removed: str, caller: PersonCaller) -> Response:
    """Bring back a campaign that was removed."""
    campaign_requests.bring_back(request, removed, caller)
    return to_page(f"/campaigns/{removed}/releases", "brought-back")


@router.post(f"{CAMPAIGN}/files/forget")
def forget_earlier(access: Annotated[Access, needs(Act.REMOVE)]) -> Response:
    """Free the space of earlier revisions."""
    files.forget_earlier(access)
    return to_step(access, "files", "given-back")


# Jobs


@router.post(f"{CAMPAIGN}/evaluate")
def start_evaluation(
    body: Annotated[Evaluate, Form()], access: Annotated[Access, needs(Act.EVALUATE)]
) -> Response:
    """Evaluate a revision."""
    jobs.start_evaluation(body, access)
    return to_step(access, "evaluate")


@router.post(f"{CAMPAIGN}/jobs/{{number}}/cancel")
def cancel_job(number: Number, access: Annotated[Access, needs(Act.EVALUATE)]) -> Response:
    """End a job."""
    return _to_job(access, jobs.cancel_job(number, access), "cancelled")


@router.post(f"{CAMPAIGN}/jobs/{{number}}/repeat")
def repeat_job(number: Number, access: Annotated[Access, needs(Act.EVALUATE)]) -> Response:
    """Queue a job again."""
    return _to_job(access, jobs.repeat_job(number, access))


# Releases


@router.post(f"{CAMPAIGN}/releases/{{number}}/difference")
def compare_releases(
    number: Number,
    body: Annotated[Compare, Form()],
    access: Annotated[Access, needs(Act.EVALUATE)],
) -> Response:
    """Compare a release with an earlier one."""
    release_requests.compare_releases(number, body, access)
    return to_step(access, f"releases/{number}")


@router.post(f"{CAMPAIGN}/releases/{{number}}/publish")
def publish_release(number: Number, access: Annotated[Access, needs(Act.PUBLISH)]) -> Response:
    """Publish a release."""
    release_requests.publish_release(number, access)
    return to_step(access, "releases", "published")


@router.post(f"{CAMPAIGN}/releases/{{number}}/withdraw")
def withdraw_release(
    number: Number,
    body: Annotated[Withdraw, Form()],
    access: Annotated[Access, needs(Act.PUBLISH)],
) -> Response:
    """Withdraw a release."""
    release_requests.withdraw_release(number, body, access)
    return to_step(access, "releases", "withdrawn")


@router.post(f"{CAMPAIGN}/releases/links")
def make_link(
    request: Request,
    body: Annotated[NewLink, Form()],
    access: Annotated[Access, needs(Act.PUBLISH)],
) -> Response:
    """Make a link by which others read a release."""
    link = f"{request.base_url}shared/{release_requests.make_link(body, access).secret}"
    what = "Whoever has this link can read the release."
    back = f"/campaigns/{access.campaign}/releases"
    return _shown_once(request, access.caller, link, what, back)


@router.post(f"{CAMPAIGN}/releases/links/{{link}}/revoke")
def revoke_link(link: str, access: Annotated[Access, needs(Act.PUBLISH)]) -> Response:
    """End a link."""
    release_requests.revoke_link(link, access)
    return to_step(access, "releases", "link-revoked")


# People of a campaign


@router.post(f"{CAMPAIGN}/people/owner")
def hand_over(
    body: Annotated[HandOver, Form()], access: Annotated[Access, needs(Act.HAND_OVER)]
) -> Response:
    """Make another member the owner."""
    campaign_requests.hand_over(body, access)
    return to_step(access, "people", "handed-over")


@router.post(f"{CAMPAIGN}/people/invitations")
def invite_member(
    request: Request,
    body: Annotated[NewInvitation, Form()],
    access: Annotated[Access, needs(Act.INVITE)],
) -> Response:
    """Invite somebody to a campaign."""
    made = campaign_requests.invite_member(body, access)
    return _invitation(request, access.caller, made, f"/campaigns/{access.campaign}/people")


@router.post(f"{CAMPAIGN}/people/{{person}}/remove")
def remove_member(person: str, access: Annotated[Access, needs(Act.INVITE)]) -> Response:
    """Take a member off."""
    campaign_requests.remove_member(person, access)
    return to_step(access, "people", "member-removed")


@router.post(f"{CAMPAIGN}/people/invitations/{{invitation}}/revoke")
def revoke_invitation(
    invitation: str, access: Annotated[Access, needs(Act.END_INVITATION)]
) -> Response:
    """End an invitation to a campaign."""
    campaign_requests.revoke_invitation(invitation, access)
    return to_step(access, "people", "uninvited")


# The caller's account, and invitations to the service


@router.post("/account/tokens")
def make_token(
    request: Request, body: Annotated[NewToken, Form()], caller: PersonCaller
) -> Response:
    """Make a token for a program."""
    secret = account.make_token(request, body, caller).secret
    return _shown_once(request, caller, secret, "This is the token.", "/account")


@router.post("/account/tokens/{token}/revoke")
def revoke_token(request: Request, token: str, caller: PersonCaller) -> Response:
    """End a token."""
    account.revoke_token(request, token, caller)
    return to_page("/account", "token-revoked")


@router.post("/account/sessions/{session}/revoke")
def revoke_session(request: Request, session: str, caller: PersonCaller) -> Response:
    """End a session."""
    account.revoke_session(request, session, caller)
    return to_page("/account", "session-ended")


@router.post("/account/invitations")
def invite_to_service(request: Request, caller: HostCaller) -> Response:
    """Invite somebody to begin campaigns of their own."""
    return _invitation(request, caller, account.invite_to_service(request, caller), "/account")


@router.post("/account/invitations/{invitation}/revoke")
def revoke_service_invitation(request: Request, invitation: str, caller: HostCaller) -> Response:
    """End an invitation to the service."""
    account.revoke_service_invitation(request, invitation, caller)
    return to_page("/account", "uninvited")
