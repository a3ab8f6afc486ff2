"""Campaigns as the service keeps them, and their members."""

import json
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from audit.service.control_tables import CAMPAIGN, EVENT, MEMBERSHIP, PERSON
from audit.service.credentials import in_days, new_id, now
from audit.service.events import keep_event
from audit.service.people import Caller, Person, checked_name, person_in
from audit.service.queue import cancel_all
from audit.service.rules import (
    Act,
    MemberRole,
    NotAllowedError,
    NotFoundError,
    RefusedError,
    lesser,
    may,
)

_BEGAN = "began the campaign"


@dataclass(frozen=True, slots=True)
class Hosted:
    """A campaign of the service, as one of its members sees it."""

    id: str  # the id of the campaign in addresses, and the name of its folder
    title: str  # the title for readers
    created_at: str  # the time when it was made, in UTC
    head: int  # number of the newest revision of its files; 0 where nothing was received
    role: MemberRole  # the role of the caller in the campaign


@dataclass(frozen=True, slots=True)
class Member:
    """A person and their role."""

    person: Person  # the person who is a member
    role: MemberRole  # the role of the member in the campaign


def begin_campaign(connection: Connection, person: Person, title: str) -> Hosted:
    """A new campaign, which this person owns."""
    if not person.may_begin:
        raise NotAllowedError(
            "You were invited to a campaign. Whoever runs the service invites you to begin others."
        )
    hosted = Hosted(new_id(), checked_name(title), now(), 0, MemberRole.OWNER)
    row = {"id": hosted.id, "title": hosted.title, "created_at": hosted.created_at, "head": 0}
    connection.execute(insert(CAMPAIGN).values(**row))
    member = {
        "campaign": hosted.id,
        "person": person.id,
        "role": MemberRole.OWNER.value,
        "since": hosted.created_at,
    }
    connection.execute(insert(MEMBERSHIP).values(**member))
    keep_event(connection, hosted.id, person.id, _BEGAN, title=hosted.title)
    return hosted


def campaigns_of(connection: Connection, caller: Caller) -> list[Hosted]:
    """The campaigns that a caller may know of, the newest first."""
    query = (
        select(CAMPAIGN, MEMBERSHIP.c.role)
        .join(MEMBERSHIP, MEMBERSHIP.c.campaign == CAMPAIGN.c.id)
        .where(MEMBERSHIP.c.person == caller.person.id, CAMPAIGN.c.removed_at.is_(None))
        .order_by(CAMPAIGN.c.created_at.desc())
    )
    if caller.only_campaign is not None:
        query = query.where(CAMPAIGN.c.id == caller.only_campaign)
    return [
        Hosted(
            row.id,
            row.title,
            row.created_at,
            row.head,
            lesser(MemberRole(row.role), caller.at_most),
        )
        for row in connection.execute(query)
    ]


def title_of(connection: Connection, campaign: str) -> str:
    """A campaign's title in the service."""
    return str(
        connection.execute(select(CAMPAIGN.c.title).where(CAMPAIGN.c.id == campaign)).scalar_one()
    )


def first_title_of(connection: Connection, campaign: str) -> str:
    """The title that a campaign began with: its folder is called so, by which its history is found again."""
    begun = (
        select(EVENT.c.detail)
        .where(EVENT.c.campaign == campaign, EVENT.c.act == _BEGAN)
        .order_by(EVENT.c.number)
    )
    detail = connection.execute(begun).scalars().first()
    if detail is None:
        return title_of(connection, campaign)
    return str(json.loads(detail)["title"])


def rename(connection: Connection, caller: Caller, hosted: Hosted, title: str) -> None:
    """Give a campaign another title in lists and on pages; reports have theirs from task.toml."""
    new = {"title": checked_name(title)}
    connection.execute(update(CAMPAIGN).where(CAMPAIGN.c.id == hosted.id).values(new))
    keep_event(connection, hosted.id, caller.person.id, "renamed the campaign", **new)


def campaign_for(connection: Connection, caller: Caller, campaign: str, act: Act) -> Hosted:
    """The campaign, where the caller may do this to it: the one door to every campaign."""
    hosted = next((each for each in campaigns_of(connection, caller) if each.id == campaign), None)
    if hosted is None:
        raise NotFoundError("There is no such campaign.")
    if not may(hosted.role, act):
        raise NotAllowedError(
            f"A {hosted.role.value} of this campaign may not do that ({act.value})."
        )
    return hosted


def remove_campaign(connection: Connection, caller: Caller, hosted: Hosted) -> None:
    """Take a campaign out of sight, and end its jobs; its owner can bring it back for 30 days.

    Its files stay until whoever runs the service deletes them.
    """
    cancel_all(connection, hosted.id)
    connection.execute(update(CAMPAIGN).where(CAMPAIGN.c.id == hosted.id).values(removed_at=now()))
    keep_event(connection, hosted.id, caller.person.id, "removed the campaign")


DAYS_TO_BRING_BACK = 30


@dataclass(frozen=True, slots=True)
class Removed:
    """A campaign that its owner removed and can bring back."""

    id: str  # the id of the campaign
    title: str  # its title for readers
    removed_at: str  # the time when it was removed, in UTC


def removed_campaigns(connection: Connection, person: Person) -> list[Removed]:
    """The campaigns that a person owns, removed in the last 30 days, the latest first."""
    query = (
        select(CAMPAIGN)
        .join(MEMBERSHIP, MEMBERSHIP.c.campaign == CAMPAIGN.c.id)
        .where(MEMBERSHIP.c.person == person.id, MEMBERSHIP.c.role == MemberRole.OWNER.value)
        .where(CAMPAIGN.c.removed_at > in_days(-DAYS_TO_BRING_BACK))
        .order_by(CAMPAIGN.c.removed_at.desc())
    )
    return [Removed(row.id, row.title, row.removed_at) for row in connection.execute(query)]


def bring_back(connection: Connection, person: Person, removed: str) -> None:
    """Bring back a campaign that its owner removed less than 30 days ago: everything in it, but for its jobs."""
    if removed not in {each.id for each in removed_campaigns(connection, person)}:
        raise NotFoundError(f"You removed no such campaign in the last {DAYS_TO_BRING_BACK} days.")
    connection.execute(update(CAMPAIGN).where(CAMPAIGN.c.id == removed).values(removed_at=None))
    keep_event(connection, removed, person.id, "brought the campaign back")


def members_of(connection: Connection, campaign: str) -> list[Member]:
    """The members of a campaign by name."""
    query = select(PERSON, MEMBERSHIP.c.role).join(MEMBERSHIP, MEMBERSHIP.c.person == PERSON.c.id)
    rows = connection.execute(
        query.where(MEMBERSHIP.c.campaign == campaign).order_by(PERSON.c.name)
    )
    return [Member(person_in(row), MemberRole(row.role)) for row in rows]


def remove_member(connection: Connection, caller: Caller, campaign: str, person: str) -> None:
    """Take a member off, who is not the owner."""
    chosen = (MEMBERSHIP.c.campaign == campaign, MEMBERSHIP.c.person == person)
    gone = delete(MEMBERSHIP).where(*chosen, MEMBERSHIP.c.role != MemberRole.OWNER.value)
    if connection.execute(gone).rowcount == 0:
        raise NotFoundError("There is no such member, or it is the owner.")
    keep_event(connection, campaign, caller.person.id, "removed a member", member=person)


def hand_over(connection: Connection, caller: Caller, campaign: str, person: str) -> None:
    """Make another member the owner; the former one stays as an organiser."""
    members = {member.person.id: member.role for member in members_of(connection, campaign)}
    if members.get(person) in {None, MemberRole.OWNER}:
        raise RefusedError(
            "A campaign is handed over to another of its members. Invite them first."
        )
    former = next(each for each, role in members.items() if role is MemberRole.OWNER)
    for each, role in ((former, MemberRole.ORGANISER), (person, MemberRole.OWNER)):
        chosen = (MEMBERSHIP.c.campaign == campaign, MEMBERSHIP.c.person == each)
        connection.execute(update(MEMBERSHIP).where(*chosen).values(role=role.value))
    keep_event(connection, campaign, caller.person.id, "handed the campaign over", to=person)
