"""The log of acts: rows are added, never changed or removed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select

from audit.service.control_tables import EVENT, PERSON
from audit.service.credentials import now

_MOST_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Event:
    """An act on a campaign, as the log keeps it."""

    number: int  # the number of the event, in the order in which events were kept
    at: str  # when, in UTC
    person: str | None  # the name of the person who acted; None for the service itself
    act: str  # the act, as the log names it
    detail: Mapping[str, Any]  # the things that the act was done to


def keep_event(
    connection: Connection, campaign: str | None, person: str | None, act: str, **detail: object
) -> None:
    """Add an act to the log, in the transaction that it is of."""
    row = {"campaign": campaign, "person": person, "at": now(), "act": act}
    stated = {name: value for name, value in detail.items() if value is not None}
    connection.execute(insert(EVENT).values(**row, detail=json.dumps(stated)))


def events_of(connection: Connection, campaign: str, *, before: int | None = None) -> list[Event]:
    """The acts on a campaign, the latest first."""
    chosen = [EVENT.c.campaign == campaign]
    if before is not None:
        chosen.append(EVENT.c.number < before)
    return _events(connection, *chosen)


def events_of_account(connection: Connection, person: str) -> list[Event]:
    """What a person did to their own account, the latest first."""
    is_of_account = EVENT.c.campaign.is_(None) | (EVENT.c.act == MADE_TOKEN)
    return _events(connection, EVENT.c.person == person, is_of_account)


MADE_TOKEN = "made a token"  # noqa: S105 - an act


def _events(connection: Connection, *chosen: ColumnElement[bool]) -> list[Event]:
    query = (
        select(EVENT.c.number, EVENT.c.at, PERSON.c.name, EVENT.c.act, EVENT.c.detail)
        .join_from(EVENT, PERSON, EVENT.c.person == PERSON.c.id, isouter=True)
        .where(*chosen)
        .order_by(EVENT.c.number.desc())
        .limit(_MOST_AT_ONCE)
    )
    rows = connection.execute(query).all()
    details = [json.loads(row.detail) for row in rows]
    ids = {detail[name] for detail in details for name in _PEOPLE if name in detail}
    found = connection.execute(select(PERSON.c.id, PERSON.c.name).where(PERSON.c.id.in_(ids)))
    names = {row.id: row.name for row in found}
    for detail in details:
        for name in _PEOPLE:
            if name in detail:
                detail[name] = names.get(detail[name], detail[name])
    return [
        Event(row.number, row.at, row.name, row.act, detail)
        for row, detail in zip(rows, details, strict=True)
    ]


# details that are people: the log keeps ids, so that who is erased has no name in it
_PEOPLE = ("member", "to")
