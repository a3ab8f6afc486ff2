"""Pages about the people of a campaign: members, invitations, the log."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from audit.hosting import hosted_campaigns as campaigns
from audit.hosting import people
from audit.hosting.events import Event, events_of
from audit.hosting.rules import Act, RefusedError, may
from audit.jobs.job_kinds import ANONYMISE, ASK, DIFFER, EVALUATE, EXPORT, READ
from audit.text import visible
from audit.web import api
from audit.web.access import Access, needs
from audit.web.pages.campaign_frame import state_of, step_page
from audit.web.pages.page_rendering import LESSER_ROLES, Fields, size_in_words, text_of, to_page, to_step

router = APIRouter(include_in_schema=False)


@router.get("/campaigns/{campaign}/people")
def members(request: Request, access: Annotated[Access, needs(Act.READ_FILES)]) -> Response:
    """The page of the members."""
    return _people_page(request, access)


def _people_page(request: Request, access: Access, *, invitation: str = "") -> Response:
    with access.reading() as (connection, hosted):
        state, member_list = state_of(connection, hosted), campaigns.members_of(connection, hosted.id)
        can_end = may(hosted.role, Act.END_INVITATION)
        invitations = people.invitations_to(connection, hosted.id) if can_end else []
    return step_page(
        request, access, "people.html.j2", state, step="people", members=member_list, invitation=invitation,
        invitations=invitations,
    )  # fmt: skip


@router.post("/campaigns/{campaign}/people/invitations")
def invite(request: Request, access: Annotated[Access, needs(Act.INVITE)], fields: Fields) -> Response:
    """An invitation; its link is shown once, here."""
    role = text_of(fields, "role")
    if role not in LESSER_ROLES:
        raise RefusedError("Invite an organiser or a reader.")
    secret = api.invite(api.NewInvitation(role=LESSER_ROLES[role]), access).secret
    return _people_page(request, access, invitation=f"{request.base_url}invited/{secret}")


@router.post("/campaigns/{campaign}/people/invitations/{invitation}/revoke")
def revoke_invitation(invitation: str, access: Annotated[Access, needs(Act.END_INVITATION)]) -> Response:
    """End an invitation that nobody has used."""
    api.revoke_invitation(invitation, access)
    return to_step(access, "people", "invitation-revoked")


@router.post("/campaigns/{campaign}/people/{person}/remove")
def remove_member(person: str, access: Annotated[Access, needs(Act.INVITE)]) -> Response:
    """Take a member off."""
    api.remove_member(person, access)
    return to_step(access, "people", "member-removed")


@router.post("/campaigns/{campaign}/people/{person}/owner")
def hand_over(person: str, access: Annotated[Access, needs(Act.HAND_OVER)]) -> Response:
    """Make a member the owner."""
    api.hand_over(api.HandOver(person=person[:100]), access)
    return to_step(access, "people", "handed-over")


@router.post("/campaigns/{campaign}/remove")
def remove(access: Annotated[Access, needs(Act.REMOVE)], fields: Fields) -> Response:
    """Take the audit out of sight."""
    if text_of(fields, "sure") != "yes":
        raise RefusedError("Tick the box that says that you mean it.")
    api.remove(access)
    return to_page("/", "removed")


@router.get("/campaigns/{campaign}/log")
def log(
    request: Request,
    access: Annotated[Access, needs(Act.READ_LOG)],
    before: Annotated[int | None, Query(ge=1, le=api.LARGEST)] = None,
) -> Response:
    """The page of the log: who did what."""
    with access.reading() as (connection, hosted):
        state, events = state_of(connection, hosted), events_of(connection, hosted.id, before=before)
    worded = [(event, detail_in_words(event)) for event in events]
    return step_page(request, access, "log.html.j2", state, step="people", events=worded)


def detail_in_words(event: Event) -> str:
    """The details of an event in words.

    Examples
    --------
    >>> detail = {"release": 2, "anonymous": True, "link": "37cb51d930425a4b"}
    >>> detail_in_words(Event(1, "", None, "made a link", detail))
    'release 2, teams as numbers, link 37cb51d930425a4b'
    """
    return ", ".join(filter(None, (_part_in_words(name, value) for name, value in event.detail.items())))


def _part_in_words(name: str, value: object) -> str:
    match name, value:
        case ("sha256", _) | (_, None | ""):
            return ""
        case "kind", str():
            return f"to {_TO_DO.get(value, value)}"
        case "anonymous", _:
            return "teams as numbers" if value else "teams by name"
        case "size", int():
            return size_in_words(value)
        case (("path" | "note" | "title" | "label"), _):
            return visible(str(value), _LONGEST)
        case _:
            return f"{name} {visible(str(value), _LONGEST)}"


_LONGEST = 120
_TO_DO = {
    READ: "read the files",
    EVALUATE: "evaluate",
    ANONYMISE: "write reports without names",
    EXPORT: "make tables, figures and the bundle",
    DIFFER: "compare with an earlier release",
    ASK: "answer a question",
}
