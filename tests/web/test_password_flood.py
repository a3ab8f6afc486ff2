"""Signing in under a flood of wrong passwords: the pages answer, and nobody is locked out whose browser is known."""

import asyncio
import threading
from contextlib import contextmanager

import httpx2 as httpx
import pytest
from argon2 import PasswordHasher

from audit.service import people
from audit.service.credentials import password_digest
from audit.web.access import SESSION_COOKIE
from audit.web.password_work import BY_DEVICE, BY_NAME, BY_NETWORK, DEVICE_COOKIE, MOST_WAITING
from tests.web.planted import PASSWORD

WRONG = "wrong horse battery"
N_FLOOD = 150


@pytest.fixture(autouse=True)
def _nobody_has_failed(house):
    """Each test begins with no failure counted."""
    work = house.service.passwords
    for failures in (work.by_address, work.by_network, work.by_name, work.by_device):
        failures.clear()


@contextmanager
def held_work(monkeypatch):
    """Passwords whose work lasts until it is let go, and how many were begun."""
    begun, let_go = [], threading.Event()

    def work(password, _):
        begun.append(password)
        assert let_go.wait(30)
        return password == PASSWORD

    monkeypatch.setattr("audit.service.people.password_fits", work)
    try:
        yield begun, let_go
    finally:
        let_go.set()


def client_of(house):
    return httpx.AsyncClient(transport=httpx.ASGITransport(house.app), base_url="http://localhost")


def wrong(number):
    return {"name": f"nobody{number}", "password": WRONG}


def test_a_flood_of_names_that_do_not_exist_is_refused_at_once_and_pages_answer(house, monkeypatch):
    """With 50 such requests /health took 8 s, with 150 it did not answer in 25: each held a thread of the pages."""

    async def flooded(begun, let_go):
        async with client_of(house) as client:
            flood = [
                asyncio.create_task(client.post("/sign-in", data=wrong(number)))
                for number in range(N_FLOOD)
            ]
            refused, _ = await asyncio.wait(flood, timeout=10)
            health = await client.get("/health")
            client.cookies.set(SESSION_COOKIE, house.browser_of("owner").cookies[SESSION_COOKIE])
            home = await client.get("/")
            n_begun = len(begun)
            let_go.set()
            answers = await asyncio.gather(*flood)
        return n_begun, [each.result() for each in refused], health, home, answers

    with held_work(monkeypatch) as (begun, let_go):
        n_begun, refused, health, home, answers = asyncio.run(
            asyncio.wait_for(flooded(begun, let_go), 60)
        )
    assert n_begun == 1
    assert len(refused) == N_FLOOD - 1 - MOST_WAITING
    assert {each.status_code for each in refused} == {429}
    assert all(int(each.headers["retry-after"]) > 0 for each in refused)
    assert (health.status_code, home.status_code) == (200, 200)
    assert sorted({each.status_code for each in answers}) == [403, 429]


def test_no_transaction_is_open_while_a_password_is_worked_on(house, monkeypatch):
    """On PostgreSQL each such transaction held one of 50 connections."""
    pool = house.service.database.engine.pool
    open_meanwhile = []
    monkeypatch.setattr(
        "audit.service.people.password_fits", lambda *_: open_meanwhile.append(pool.checkedout())
    )
    house.client().post("/sign-in", data=wrong(0))
    assert open_meanwhile == [0]


def test_the_password_of_who_has_hung_up_is_not_worked_on(house, monkeypatch):
    scope = {
        "type": "http", "method": "POST", "path": "/sign-in", "raw_path": b"/sign-in", "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/x-www-form-urlencoded")],
        "scheme": "http", "client": ("127.0.0.1", 1), "server": ("localhost", 80), "http_version": "1.1",
    }  # fmt: skip
    came = [
        {"type": "http.disconnect"},
        {"type": "http.request", "body": b"name=gone&password=x", "more_body": False},
    ]
    told, begun = [], []
    monkeypatch.setattr("audit.service.people.password_fits", lambda *_: begun.append(1))

    async def receive():
        return came.pop() if len(came) > 1 else came[0]

    async def send(message):
        told.append(message)

    asyncio.run(asyncio.wait_for(house.app(scope, receive, send), 30))
    assert (told, begun) == ([], [])


def test_names_that_are_new_each_time_are_counted_by_their_network(house, monkeypatch):
    monkeypatch.setattr("audit.service.people.password_fits", lambda *_: False)
    client = house.client()
    statuses = [
        client.post("/sign-in", data=wrong(number)).status_code for number in range(BY_NETWORK + 1)
    ]
    assert statuses == [403] * BY_NETWORK + [429]


def known_browser(house, name):
    """A browser that has signed in with this name, and signed out."""
    with house.service.database.writing() as connection:
        people.new_person(connection, name, password_digest(PASSWORD))
    client = house.client()
    assert client.post("/sign-in", data={"name": name, "password": PASSWORD}).status_code == 303
    client.post("/sign-out")
    return client


def test_nobody_locks_out_whoever_has_signed_in_with_this_browser_before(house):
    """Wrong passwords from five addresses kept the owner out, who came from a sixth."""
    client = known_browser(house, "mkpersonknown")
    for _ in range(BY_NAME):
        house.service.passwords.by_name.add("mkpersonknown")
    fields = {"name": "mkpersonknown", "password": PASSWORD}
    assert house.client().post("/sign-in", data=fields).status_code == 429
    assert client.post("/sign-in", data=fields).status_code == 303


def test_a_flood_does_not_fill_the_lane_of_known_browsers(house, monkeypatch):
    client = known_browser(house, "mkpersonlane")
    cookie = client.cookies.get(DEVICE_COOKIE)

    async def flooded(let_go):
        async with client_of(house) as stranger:
            flood = [
                asyncio.create_task(stranger.post("/sign-in", data=wrong(number)))
                for number in range(30)
            ]
            await asyncio.wait(flood, timeout=5)
            stranger.cookies.set(DEVICE_COOKIE, cookie)
            known = asyncio.create_task(
                stranger.post("/sign-in", data={"name": "mkpersonlane", "password": PASSWORD})
            )
            await asyncio.sleep(0.2)
            let_go.set()
            await asyncio.gather(*flood)
            return (await known).status_code

    with held_work(monkeypatch) as (_, let_go):
        assert asyncio.run(asyncio.wait_for(flooded(let_go), 60)) == 303


def test_a_known_browser_is_a_stranger_after_ten_wrong_passwords(house, monkeypatch):
    """And its cookie is good for no other name, and none that somebody else has signed."""
    client = known_browser(house, "mkpersonguessing")
    monkeypatch.setattr("audit.service.people.password_fits", lambda *_: False)
    for _ in range(BY_DEVICE):
        client.post("/sign-in", data={"name": "mkpersonguessing", "password": WRONG})
    assert house.service.passwords.by_name.seconds_to_wait("mkpersonguessing") == 0
    assert house.service.passwords.by_name.n_keys == 0
    client.post("/sign-in", data={"name": "mkpersonguessing", "password": WRONG})
    assert house.service.passwords.by_name.n_keys == 1
    devices, cookie = house.service.passwords.devices, client.cookies.get(DEVICE_COOKIE)
    assert devices.number_of(cookie, "mkpersonguessing") is not None
    for other, name in (
        (cookie, "mkpersonowner"),
        (f"{cookie[:-1]}x", "mkpersonguessing"),
        ("", "x"),
        (".x", "x"),
    ):
        assert devices.number_of(other, name) is None


def test_a_link_that_was_made_on_the_host_always_lets_in_once(house):
    """However many have failed, and without the password."""
    for _ in range(BY_NAME):
        house.service.passwords.by_name.add("mkpersonowner")
        house.service.failures.add("testclient")
    with house.service.database.writing() as connection:
        person, link = people.make_sign_in_link(connection)
    assert person.is_host
    client = house.client()
    assert client.get(f"/start?token={link.secret}").status_code == 303
    assert client.get("/api/v1/me").json()["name"] == person.name
    assert house.client().get(f"/start?token={link.secret}").status_code in {403, 429}
    house.service.failures.clear()


def test_a_sign_in_link_is_for_who_is_named_and_for_nobody_unknown(house):
    with house.service.database.writing() as connection:
        person, _ = people.make_sign_in_link(connection, "mkpersonreader")
        assert person.name == "mkpersonreader"
        with pytest.raises(
            people.RefusedError, match="Nobody has an account under the name “nobody”"
        ):
            people.make_sign_in_link(connection, "nobody")


def test_a_digest_of_other_costs_is_replaced_at_the_next_sign_in(house):
    """Else the time of an answer would tell for good which names exist: nobody's digest has today's."""
    with house.service.database.writing() as connection:
        person = people.new_person(connection, "mkpersonolder", PasswordHasher().hash(PASSWORD))
    kept = []
    for _ in range(2):
        assert people.sign_in(house.service.database, "mkpersonolder", PASSWORD) == person
        with house.service.database.reading() as connection:
            kept.append(people.password_of(connection, person))
    assert kept[0].startswith("$argon2id$v=19$m=65536,t=3,p=1$")
    assert kept[1] == kept[0]
    assert people.sign_in(house.service.database, "mkpersonolder", WRONG) is None
