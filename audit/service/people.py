"""People, how they sign in, and the tokens of their programs."""

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from audit.service.control_tables import (
    API_TOKEN,
    INVITATION,
    MEMBERSHIP,
    PERSON,
    SERVICE,
    SESSION,
    SIGN_IN_LINK,
)
from audit.service.credentials import (
    digest_of,
    in_days,
    is_of_other_costs,
    new_id,
    new_secret,
    now,
    password_digest,
    password_fits,
)
from audit.service.database import ControlDatabase
from audit.service.events import MADE_TOKEN, keep_event
from audit.service.rules import MemberRole, NotFoundError, RefusedError, lesser
from audit.text import quoted, visible

SESSION_DAYS = 14
INVITATION_DAYS = 7
TOKEN_DAYS = 180
SHORTEST_PASSWORD = 12
LONGEST = 200
ERASED = "(erased)"


@dataclass(frozen=True, slots=True)
class Person:
    """A person who uses the service."""

    id: str  # the id of the person in addresses
    name: str  # the name for readers
    is_host: bool = False  # whether they run the service: they invite organisers
    has_account: bool = False  # whether they have a password
    may_begin: bool = False
    """Whether they begin campaigns of their own: who was invited to one campaign does not."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a request: a person, by a browser's session or by a program's token, which may allow less."""

    person: Person  # the person who calls
    by_token: bool = False  # whether a program asks
    by_link: bool = False
    """Whether a link from the host began the session: the old password is not asked for then."""
    only_campaign: str | None = None
    """The campaign that the token is good for; None: every one of theirs."""
    at_most: MemberRole = MemberRole.OWNER  # the most that the token may do


@dataclass(frozen=True, slots=True)
class Secret:
    """What is shown once."""

    secret: str  # to be kept by whoever asked for it


def person_in(row: Any) -> Person:  # noqa: ANN401 - of any query that has a person's columns
    """The person in a row."""
    return Person(
        row.id, row.name, bool(row.is_host), row.password is not None, bool(row.may_begin)
    )


_COLUMNS = (PERSON.c.id, PERSON.c.name, PERSON.c.is_host, PERSON.c.password, PERSON.c.may_begin)


def host_of(connection: Connection) -> Person:
    """The person who runs the service on this machine; made on first use."""
    row = connection.execute(
        select(*_COLUMNS).where(PERSON.c.is_host == 1, PERSON.c.erased_at.is_(None))
    ).first()
    if row is not None:
        return person_in(row)
    person = Person(new_id(), "You", is_host=True, may_begin=True)
    rights = {"is_host": 1, "may_begin": 1}
    connection.execute(
        insert(PERSON).values(id=person.id, name=person.name, created_at=now(), **rights)
    )
    keep_event(connection, None, person.id, "began the service")
    return person


def has_accounts(connection: Connection) -> bool:
    """Whether the host can sign in with a password, so that others may be let in."""
    query = select(func.count()).where(PERSON.c.password.is_not(None), PERSON.c.is_host == 1)
    return bool(connection.execute(query).scalar_one())


def checked_name(name: str) -> str:
    """A person's name, without blanks around it.

    >>> checked_name("  Ada   Lovelace ")
    'Ada Lovelace'
    """
    name = " ".join(unicodedata.normalize("NFC", name).split())
    # the direction of what stands around it
    turns = any(unicodedata.bidirectional(each) in _TURNING for each in name)
    if (
        not name
        or len(name) > LONGEST
        or turns
        or any(unicodedata.category(each) in {"Cc", "Cs"} for each in name)
    ):
        raise RefusedError(
            f"A name has 1 to {LONGEST} characters, and none that changes how others are shown."
        )
    return name


_TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def sign_in_name(name: str) -> str:
    r"""The key that tells people apart at sign-in: the name without case, width, outer blanks and unseen characters.

    >>> sign_in_name(" ÉMILE ") == sign_in_name("Émile") == sign_in_name("É\u200bmile")
    True
    """
    seen = "".join(
        each for each in unicodedata.normalize("NFKC", name) if unicodedata.category(each) != "Cf"
    )
    return " ".join(unicodedata.normalize("NFKC", seen.casefold()).split())


def checked_password(password: str) -> str:
    """A new password, unless it is too short or too long."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST:
        raise RefusedError(f"A password has {SHORTEST_PASSWORD} to {LONGEST} characters.")
    return password


def set_name(connection: Connection, person: Person, name: str) -> None:
    """Give a person a name, by which they sign in."""
    name = checked_name(name)
    known_as = sign_in_name(name)
    taken = select(PERSON.c.id).where(PERSON.c.sign_in_name == known_as, PERSON.c.id != person.id)
    if known_as == ERASED or connection.execute(taken).first() is not None:
        raise RefusedError("Somebody else has this name. Choose another one.")
    changed = update(PERSON).where(PERSON.c.id == person.id)
    connection.execute(changed.values(name=name, sign_in_name=known_as))


def rename_account(connection: Connection, person: Person, name: str) -> None:
    """Give a person another name."""
    set_name(connection, person, name)
    keep_event(connection, None, person.id, "changed the name")


def set_account(connection: Connection, person: Person, name: str, digest: str) -> None:
    """Give a person a name and a password, of which the digest is kept; their sessions end."""
    set_name(connection, person, name)
    connection.execute(update(PERSON).where(PERSON.c.id == person.id).values(password=digest))
    connection.execute(delete(SESSION).where(SESSION.c.person == person.id))
    keep_event(connection, None, person.id, "set name and password")


def change_password(
    connection: Connection, person: Person, digest: str, kept_tokens: Collection[str] = ()
) -> None:
    """Give a person another password; their sessions end, and so do their tokens but for those that are kept, by id."""
    connection.execute(update(PERSON).where(PERSON.c.id == person.id).values(password=digest))
    n_sessions = connection.execute(delete(SESSION).where(SESSION.c.person == person.id)).rowcount
    ended = [each for each in tokens_of(connection, person) if each.id not in kept_tokens]
    for each in ended:
        connection.execute(
            update(API_TOKEN).where(API_TOKEN.c.id == each.id).values(revoked_at=now())
        )
    tokens = [each.label for each in ended]
    keep_event(
        connection, None, person.id, "changed the password", sessions=n_sessions, tokens=tokens
    )


def known_name_of(connection: Connection, person: Person) -> str | None:
    """The key by which a person signs in; None where they have no account."""
    row = connection.execute(select(PERSON.c.sign_in_name).where(PERSON.c.id == person.id)).one()
    if row.sign_in_name is None:
        return None
    return str(row.sign_in_name)


def password_of(connection: Connection, person: Person) -> str | None:
    """The digest of a person's password; None where they have none."""
    row = connection.execute(select(PERSON.c.password).where(PERSON.c.id == person.id)).one()
    if row.password is None:
        return None
    return str(row.password)


def account_of(connection: Connection, name: str) -> tuple[Person | None, str]:
    """The person with this name, and the digest of a password; of nobody's where there is no such person."""
    query = select(*_COLUMNS).where(
        PERSON.c.sign_in_name == sign_in_name(name), PERSON.c.erased_at.is_(None)
    )
    if len(name) <= LONGEST:
        row = connection.execute(query).first()
    else:
        row = None
    if row is None or row.password is None:
        return None, _NO_PASSWORD
    return person_in(row), row.password


_NO_PASSWORD = (
    "$argon2id$v=19$m=65536,t=3,p=1$c2FsdHNhbHRzYWx0$y4zBx3WSxw6sp16ikB5OTW2AcAO48a/sCwpBJReIo/Q"  # noqa: S105 - of nobody
)
"""The digest that a password is compared with where there is no such person, so that the time tells nothing."""


def sign_in(database: ControlDatabase, name: str, password: str) -> Person | None:
    """The person with this name and password; None where there is none, after the same work.

    No transaction is open while the password is worked on. A digest of other costs than today's is
    replaced, so that the time tells no name in the long run either.
    """
    with database.reading() as connection:
        person, digest = account_of(connection, name)
    if len(password) > LONGEST or not password_fits(password, digest):
        return None
    if person is not None and is_of_other_costs(digest):
        unchanged = (PERSON.c.id == person.id, PERSON.c.password == digest)
        renewed = password_digest(password)
        with database.writing() as connection:
            connection.execute(update(PERSON).where(*unchanged).values(password=renewed))
    return person


# Sessions


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a person, without its secret."""

    id: str  # the id by which the session is ended
    client: str  # the browser, as it calls itself; empty where it says nothing
    created_at: str  # the time of signing in, in UTC
    expires_at: str  # the time when it ends by itself, in UTC
    by_link: bool  # whether a link from the host began it


# of a session's digest, by which it is named: they give nothing away that lets anybody in
_DIGITS = 16
_LONGEST_CLIENT = 300


def begin_session(
    connection: Connection, person: Person, client: str = "", *, by_link: bool = False
) -> str:
    """A session's secret, for the cookie."""
    secret = new_secret()
    row = {
        "digest": digest_of(secret),
        "person": person.id,
        "created_at": now(),
        "expires_at": in_days(SESSION_DAYS),
    }
    connection.execute(delete(SESSION).where(SESSION.c.expires_at < now()))
    known = {"client": visible(client, _LONGEST_CLIENT), "by_link": int(by_link)}
    connection.execute(insert(SESSION).values(**row, **known))
    return secret


def end_session(connection: Connection, secret: str) -> None:
    """Sign out."""
    connection.execute(delete(SESSION).where(SESSION.c.digest == digest_of(secret)))


def session_id(secret: str) -> str:
    """The id of the session with this secret."""
    return digest_of(secret)[:_DIGITS]


def sessions_of(connection: Connection, person: Person) -> list[Session]:
    """The sessions of a person that have not ended, the newest first."""
    good = (SESSION.c.person == person.id, SESSION.c.expires_at > now())
    rows = connection.execute(
        select(SESSION).where(*good).order_by(SESSION.c.created_at.desc(), SESSION.c.digest)
    )
    return [
        Session(
            row.digest[:_DIGITS],
            row.client or "",
            row.created_at,
            row.expires_at,
            bool(row.by_link),
        )
        for row in rows
    ]


def revoke_session(connection: Connection, person: Person, session: str) -> None:
    """End a session of this person."""
    chosen = (SESSION.c.person == person.id, func.substr(SESSION.c.digest, 1, _DIGITS) == session)
    if connection.execute(delete(SESSION).where(*chosen)).rowcount == 0:
        raise NotFoundError("There is no such session: it may have ended.")
    keep_event(connection, None, person.id, "ended a session")


def device_key(connection: Connection) -> str:
    """The key with which cookies of browsers that have signed in are signed; made on first use."""
    query = select(SERVICE.c.value).where(SERVICE.c.name == _DEVICE_KEY)
    key = connection.execute(query).scalar_one_or_none()
    if key is None:
        key = new_secret()
        connection.execute(insert(SERVICE).values(name=_DEVICE_KEY, value=key))
    return key


_DEVICE_KEY = "device key"


# Links that are made on the host


def keep_address(connection: Connection, address: str) -> None:
    """Keep the address at which the service is reached, for links that are made beside it."""
    connection.execute(delete(SERVICE).where(SERVICE.c.name == _ADDRESS))
    connection.execute(insert(SERVICE).values(name=_ADDRESS, value=address))


def address_of(connection: Connection) -> str:
    """The address at which the service was reached when it was started last."""
    query = select(SERVICE.c.value).where(SERVICE.c.name == _ADDRESS)
    return connection.execute(query).scalar_one_or_none() or "http://127.0.0.1:8111/"


_ADDRESS = "address"


def make_sign_in_link(connection: Connection, name: str | None = None) -> tuple[Person, Secret]:
    """A link that signs a person in, once, within the hour: the host where no name is stated. /start?token=SECRET."""
    person: Person | None = host_of(connection)
    if name is not None:
        person, _ = account_of(connection, name)
    if person is None:
        raise RefusedError(
            f"Nobody has an account under the name {quoted(visible(str(name), 200))}."
        )
    secret = new_secret()
    row = {
        "digest": digest_of(secret),
        "person": person.id,
        "made_at": now(),
        "expires_at": in_days(_AN_HOUR),
    }
    connection.execute(insert(SIGN_IN_LINK).values(**row))
    keep_event(connection, None, person.id, "was given a sign-in link on the host")
    return person, Secret(secret)


_AN_HOUR = 1 / 24  # of a day


def use_sign_in_link(connection: Connection, secret: str) -> Person | None:
    """The person whom a link signs in, and the link is used up; None where it is not valid."""
    good = (SIGN_IN_LINK.c.digest == digest_of(secret), SIGN_IN_LINK.c.used_at.is_(None))
    used = (
        update(SIGN_IN_LINK).where(*good, SIGN_IN_LINK.c.expires_at > now()).values(used_at=now())
    )
    if connection.execute(used).rowcount == 0:
        return None
    query = select(*_COLUMNS).join(SIGN_IN_LINK, SIGN_IN_LINK.c.person == PERSON.c.id)
    row = connection.execute(
        query.where(SIGN_IN_LINK.c.digest == digest_of(secret), PERSON.c.erased_at.is_(None))
    )
    found = row.first()
    if found is None:
        return None
    return person_in(found)


def caller_of_session(connection: Connection, secret: str) -> Caller | None:
    """The caller who is signed in by this session; None where there is none."""
    query = select(*_COLUMNS).join(SESSION, SESSION.c.person == PERSON.c.id)
    good = (SESSION.c.expires_at > now(), PERSON.c.erased_at.is_(None))
    query = query.add_columns(SESSION.c.by_link).where(SESSION.c.digest == digest_of(secret), *good)
    row = connection.execute(query).first()
    if row is None:
        return None
    return Caller(person_in(row), by_link=bool(row.by_link))


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token of a program, without its secret."""

    id: str  # the id by which the token is revoked
    label: str  # the purpose of the token
    campaign: str | None  # the only campaign it is good for
    role: MemberRole  # the most that the token may do
    expires_at: str  # the time when the token expires, in UTC


MOST_OF_A_TOKEN = MemberRole.ORGANISER
"""Inviting, handing over and removing are a person's: whoever stole a token could else stay when it is revoked."""


def make_token(
    connection: Connection, person: Person, label: str, campaign: str | None, role: MemberRole
) -> str:
    """A new token's secret, which is shown once; it does at most what an organiser does."""
    secret, role = new_secret(), lesser(role, MOST_OF_A_TOKEN)
    row = {
        "id": new_id(),
        "digest": digest_of(secret),
        "person": person.id,
        "campaign": campaign,
        "role": role.value,
    }
    times = {"label": checked_name(label), "created_at": now(), "expires_at": in_days(TOKEN_DAYS)}
    connection.execute(insert(API_TOKEN).values(**row, **times))
    keep_event(connection, campaign, person.id, MADE_TOKEN, label=label, role=role.value)
    return secret


def tokens_of(connection: Connection, person: Person) -> list[ApiToken]:
    """The tokens of a person that still work."""
    good = (API_TOKEN.c.revoked_at.is_(None), API_TOKEN.c.expires_at > now())
    query = (
        select(API_TOKEN)
        .where(API_TOKEN.c.person == person.id, *good)
        .order_by(API_TOKEN.c.created_at)
    )
    rows = connection.execute(query)
    return [
        ApiToken(row.id, row.label, row.campaign, MemberRole(row.role), row.expires_at)
        for row in rows
    ]


def revoke_token(connection: Connection, person: Person, token: str) -> None:
    """End a token of this person."""
    good = (
        API_TOKEN.c.id == token,
        API_TOKEN.c.person == person.id,
        API_TOKEN.c.revoked_at.is_(None),
    )
    if connection.execute(update(API_TOKEN).where(*good).values(revoked_at=now())).rowcount == 0:
        raise NotFoundError("There is no such token.")
    label = connection.execute(
        select(API_TOKEN.c.label).where(API_TOKEN.c.id == token)
    ).scalar_one()
    keep_event(connection, None, person.id, "revoked a token", label=label)


def caller_of_token(connection: Connection, secret: str) -> Caller | None:
    """The caller whose program has this token; None where it is not valid."""
    query = select(*_COLUMNS, API_TOKEN.c.campaign, API_TOKEN.c.role).join(
        API_TOKEN, API_TOKEN.c.person == PERSON.c.id
    )
    good = (
        API_TOKEN.c.revoked_at.is_(None),
        API_TOKEN.c.expires_at > now(),
        PERSON.c.erased_at.is_(None),
    )
    row = connection.execute(query.where(API_TOKEN.c.digest == digest_of(secret), *good)).first()
    if row is None:
        return None
    at_most = lesser(MemberRole(row.role), MOST_OF_A_TOKEN)
    return Caller(person_in(row), by_token=True, only_campaign=row.campaign, at_most=at_most)


def invite(
    connection: Connection, by: Person, campaign: str | None, role: MemberRole | None = None
) -> Secret:
    """An invitation, good once: to a campaign in a role, or to begin campaigns of one's own. /invited/SECRET."""
    secret = new_secret()
    number = new_id()
    row = {
        "id": number,
        "digest": digest_of(secret),
        "campaign": campaign,
        "role": role and role.value,
    }
    by_whom = {"made_by": by.id, "made_at": now(), "expires_at": in_days(INVITATION_DAYS)}
    connection.execute(insert(INVITATION).values(**row, **by_whom))
    keep_event(connection, campaign, by.id, "invited somebody", invitation=number, role=role)
    return Secret(secret)


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation, without its secret."""

    id: str  # the id by which the invitation is revoked
    campaign: str | None  # the campaign; None for an invitation to the service
    role: MemberRole | None  # the role in the campaign
    by: str  # the name of the person who invites
    made_at: str  # the time when it was made, in UTC
    expires_at: str  # the time from which it can no longer be used, in UTC


_OPEN = (INVITATION.c.used_at.is_(None), INVITATION.c.revoked_at.is_(None))
"""The conditions for an invitation that nobody used or revoked."""


def _invitations(connection: Connection, *chosen: Any) -> list[Invitation]:  # noqa: ANN401 - conditions
    """Invitations that are still good, the oldest first."""
    query = select(INVITATION, PERSON.c.name).join(PERSON, PERSON.c.id == INVITATION.c.made_by)
    good = (*_OPEN, INVITATION.c.expires_at > now(), *chosen)
    rows = connection.execute(query.where(*good).order_by(INVITATION.c.made_at, INVITATION.c.id))
    return [
        Invitation(
            row.id,
            row.campaign,
            row.role and MemberRole(row.role),
            row.name,
            row.made_at,
            row.expires_at,
        )
        for row in rows
    ]


def invitations_to(connection: Connection, campaign: str | None) -> list[Invitation]:
    """The invitations to a campaign, or to the service, that are still good, the oldest first, without secrets."""
    return _invitations(connection, INVITATION.c.campaign.is_not_distinct_from(campaign))


def revoke_invitation(
    connection: Connection, person: Person, campaign: str | None, invitation: str
) -> None:
    """End an invitation to a campaign, or to the service, that nobody has used."""
    open_invitation = next(
        (each for each in invitations_to(connection, campaign) if each.id == invitation), None
    )
    ended = update(INVITATION).where(INVITATION.c.id == invitation, *_OPEN).values(revoked_at=now())
    if open_invitation is None or connection.execute(ended).rowcount == 0:
        raise NotFoundError("There is no such invitation: it was used or revoked, or has expired.")
    its = {"invitation": invitation, "role": open_invitation.role}
    keep_event(connection, campaign, person.id, "revoked an invitation", **its)


def invitation_of(connection: Connection, secret: str) -> Invitation:
    """The invitation that a secret link stands for."""
    invitations = _invitations(connection, INVITATION.c.digest == digest_of(secret))
    if not invitations:
        raise NotFoundError(
            "This invitation was used or revoked, has expired, or never was. Ask for another one."
        )
    return invitations[0]


def accept(connection: Connection, secret: str, person: Person) -> Invitation:
    """Use an invitation, once."""
    invitation = invitation_of(connection, secret)
    used = update(INVITATION).where(INVITATION.c.id == invitation.id, *_OPEN).values(used_at=now())
    if connection.execute(used).rowcount == 0:
        raise NotFoundError("This invitation was used or revoked a moment ago.")
    if invitation.campaign is None:
        connection.execute(update(PERSON).where(PERSON.c.id == person.id).values(may_begin=1))
    elif invitation.role is not None:
        member = {"campaign": invitation.campaign, "person": person.id}
        query = select(MEMBERSHIP).where(
            *(MEMBERSHIP.c[name] == value for name, value in member.items())
        )
        if connection.execute(query).first() is None:
            connection.execute(
                insert(MEMBERSHIP).values(**member, role=invitation.role.value, since=now())
            )
    its = {"invitation": invitation.id, "role": invitation.role}
    keep_event(connection, invitation.campaign, person.id, "accepted an invitation", **its)
    return invitation


def new_person(connection: Connection, name: str, digest: str) -> Person:
    """An account for somebody who was invited, with the digest of their password."""
    person = Person(new_id(), ERASED)
    connection.execute(
        insert(PERSON).values(id=person.id, name=person.name, is_host=0, created_at=now())
    )
    set_account(connection, person, name, digest)
    return Person(person.id, checked_name(name), has_account=True)


def erase(connection: Connection, person: Person) -> None:
    """Forget who a person was; what they did stays, by nobody's name."""
    owned = select(func.count()).where(
        MEMBERSHIP.c.person == person.id, MEMBERSHIP.c.role == MemberRole.OWNER.value
    )
    if person.is_host or connection.execute(owned).scalar_one():
        raise RefusedError("Hand over the service and the campaigns that you own first.")
    changed = update(PERSON).where(PERSON.c.id == person.id)
    connection.execute(
        changed.values(name=ERASED, sign_in_name=None, password=None, erased_at=now())
    )
    connection.execute(delete(SESSION).where(SESSION.c.person == person.id))
    connection.execute(delete(SIGN_IN_LINK).where(SIGN_IN_LINK.c.person == person.id))
    connection.execute(delete(MEMBERSHIP).where(MEMBERSHIP.c.person == person.id))
    connection.execute(
        update(API_TOKEN)
        .where(API_TOKEN.c.person == person.id)
        .values(revoked_at=now(), label=ERASED)
    )
    keep_event(connection, None, None, "erased a person")
