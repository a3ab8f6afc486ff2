"""Invitations: whoever may see them can end them, and one that was ended or used lets nobody in."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import update

from audit.service import people
from audit.service.control_tables import INVITATION
from audit.service.events import events_of
from audit.service.rules import MemberRole, NotFoundError


class Desk:
    def __init__(self, hosting):
        self.hosting, self.database, self.owner = hosting, hosting.database, hosting.person()
        self.campaign = hosting.campaign(self.owner).id

    def do(self, act, *given):
        with self.database.writing() as connection:
            return act(connection, *given)

    def invite(self, role=MemberRole.READER):
        return self.do(people.invite, self.owner, self.campaign, role).secret

    def open(self):
        return self.do(people.invitations_to, self.campaign)


@pytest.fixture
def desk(hosting):
    return Desk(hosting)


def test_open_invitations_say_what_they_are_to_by_whom_and_until_when_and_not_their_secret(desk):
    secrets = [desk.invite(role) for role in (MemberRole.READER, MemberRole.ORGANISER)]
    desk.do(people.invite, desk.owner, None, None)  # to the service: in no campaign's list
    found = desk.open()
    assert [(each.role, each.by, each.campaign) for each in found] == [
        ("reader", "Ada", desk.campaign),
        ("organiser", "Ada", desk.campaign),
    ]
    assert all(each.made_at < each.expires_at for each in found)
    assert not any(secret in str(found) for secret in secrets)
    (to_service,) = desk.do(people.invitations_to, None)
    assert (to_service.campaign, to_service.role) == (None, None)


def test_what_is_used_revoked_or_expired_is_open_no_more(desk):
    secrets = [desk.invite() for _ in range(4)]
    used, revoked, expired, stays = (each.id for each in desk.open())
    desk.do(people.accept, secrets[0], desk.hosting.person("Grace"))
    desk.do(people.revoke_invitation, desk.owner, desk.campaign, revoked)
    with desk.database.writing() as connection:
        connection.execute(
            update(INVITATION).where(INVITATION.c.id == expired).values(expires_at="2020-01-01")
        )
    assert [each.id for each in desk.open()] == [stays]
    for secret in secrets[:3]:
        with pytest.raises(NotFoundError):
            desk.do(people.invitation_of, secret)
        with pytest.raises(NotFoundError):
            desk.do(people.accept, secret, desk.hosting.person("Eve"))
    for ended in (used, revoked, expired, "none"):
        with pytest.raises(NotFoundError):
            desk.do(people.revoke_invitation, desk.owner, desk.campaign, ended)
    assert desk.do(people.invitation_of, secrets[3]).id == stays


def test_an_invitation_is_ended_only_where_it_is_to(desk):
    """Neither from another campaign, nor as one to the service."""
    desk.invite()
    (invitation,) = desk.open()
    for elsewhere in (desk.hosting.campaign(desk.owner, "Another").id, None):
        with pytest.raises(NotFoundError):
            desk.do(people.revoke_invitation, desk.owner, elsewhere, invitation.id)
    assert desk.open() == [invitation]


def test_the_log_names_the_invitation_when_it_is_made_used_and_ended(desk):
    secret = desk.invite()
    desk.invite(MemberRole.ORGANISER)
    first, second = desk.open()
    desk.do(people.accept, secret, desk.hosting.person("Grace"))
    desk.do(people.revoke_invitation, desk.owner, desk.campaign, second.id)
    acts = [
        (each.person, each.act, dict(each.detail)) for each in desk.do(events_of, desk.campaign)
    ]
    one, other = (
        {"invitation": first.id, "role": "reader"},
        {"invitation": second.id, "role": "organiser"},
    )
    assert acts[:4] == [
        ("Ada", "revoked an invitation", other),
        ("Grace", "accepted an invitation", one),
        ("Ada", "invited somebody", other),
        ("Ada", "invited somebody", one),
    ]
    assert secret not in str(acts)


def test_an_invitation_is_either_used_or_ended(desk):
    """Of several at once, exactly one has their way."""
    guests = [desk.hosting.person(f"Guest {number}") for number in range(4)]
    secret = desk.invite()
    (invitation,) = desk.open()

    def try_it(guest):
        try:
            if guest is None:
                desk.do(people.revoke_invitation, desk.owner, desk.campaign, invitation.id)
            else:
                desk.do(people.accept, secret, guest)
        except NotFoundError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(try_it, [guests[0], None, guests[1], None, *guests[2:]])) == 1
