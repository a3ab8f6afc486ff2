"""How long what lets somebody in is good: as long as the documentation says, and no longer."""

import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from audit.service import people, releases
from audit.service.control_tables import SESSION
from audit.service.rules import MemberRole

DOCS = Path(__file__).resolve().parents[2] / "docs" / "service.md"
SOON = timedelta(minutes=5)


def documented():
    """Days by kind, from the table of the limits."""
    kinds, days = re.search(
        r"\| (a session; [^|]*) \| ([^|]*) days \|", DOCS.read_text("utf-8")
    ).groups()
    return dict(zip(kinds.split("; "), map(int, days.split("; ")), strict=True))


class Clock(datetime):
    """The time of the service, which a test puts forward."""

    ahead = timedelta()

    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz) + cls.ahead


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr("audit.service.credentials.datetime", Clock)
    monkeypatch.setattr(Clock, "ahead", timedelta())
    return Clock


def read(house, act, *given):
    with house.service.database.reading() as connection:
        return act(connection, *given)


def session(house):
    browser = house.browser_of("reader")
    return lambda: browser.get("/api/v1/me").status_code == 200, None


def token(house):
    before = len(read(house, people.tokens_of, house.planted.people["reader"]))
    program = house.program_of("reader", MemberRole.READER)
    listed = lambda: len(read(house, people.tokens_of, house.planted.people["reader"])) > before  # noqa: E731
    return lambda: program.get("/api/v1/me").status_code == 200, listed


def link(house):
    secret = house.link(anonymous=False)
    listed = lambda: bool(read(house, releases.links_of, house.campaign))  # noqa: E731
    return lambda: house.client().get(f"/shared/{secret}").status_code == 200, listed


def invitation(house):
    with house.service.database.writing() as connection:
        secret = people.invite(
            connection, house.planted.people["owner"], house.campaign, MemberRole.READER
        ).secret
    listed = lambda: bool(read(house, people.invitations_to, house.campaign))  # noqa: E731
    return lambda: house.client().get(f"/invited/{secret}").status_code == 200, listed


@pytest.mark.parametrize(
    ("kind", "made"),
    [("a session", session), ("a token", token), ("a link", link), ("an invitation", invitation)],
)
def test_what_lets_somebody_in_is_good_for_so_many_days_and_no_longer(kind, made, house, clock):
    """Up to the last minutes; afterwards it lets nobody in, and is in no list of what does."""
    house.service.failures.clear()
    is_good, is_listed = made(house)
    end = timedelta(days=documented()[kind])
    for ahead, expected in ((timedelta(), True), (end - SOON, True), (end + SOON, False)):
        clock.ahead = ahead
        assert is_good() is expected
        assert is_listed is None or is_listed() is expected
    house.service.failures.clear()


def test_sessions_that_have_ended_are_forgotten_when_somebody_signs_in(house, clock):
    """And those that have not are kept."""
    house.browser_of("reader")
    clock.ahead = timedelta(days=documented()["a session"]) - SOON
    lasting = house.browser_of("reader")
    clock.ahead += 2 * SOON
    house.browser_of("reader")
    with house.service.database.reading() as connection:
        ends = [row.expires_at for row in connection.execute(SESSION.select())]
    assert min(ends) > clock.now(tz=None).astimezone().isoformat()[:10]
    assert len(ends) == 2
    assert lasting.get("/api/v1/me").status_code == 200
