"""What an operator, a disk or a network does to a service: each ends in words that help, and loses nothing."""

import asyncio
import logging
import runpy
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
import uvicorn
from sqlalchemy import event
from uvicorn.server import ServerState

from audit.service import releases
from audit.service.database import FILE_NAME
from audit.web import guard, serving
from audit.web.connections import Crowd
from tests.web.planted import House, opened

NOT_FOUND = (
    "The service does not find a file that it kept. Whoever runs it finds its name in the log."
)
NO_DISK = "The service cannot write to its disk. Nothing was changed."
AWAY = "The database does not answer at the moment. Nothing was changed; try again soon."
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def owner(house):
    house.service.failures.clear()
    return house.browser_of("owner")


@contextmanager
def gone(path):
    """As long as this lasts, somebody has taken a file away."""
    aside = path.with_name(f"{path.name}.aside")
    path.rename(aside)
    try:
        yield
    finally:
        aside.rename(path)


def api(house, rest=""):
    return f"/api/v1/campaigns/{house.campaign}{rest}"


@pytest.mark.parametrize("name", ["words.html", "~readers-words.html", "words.json"])
def test_a_file_of_a_release_that_was_deleted_is_told_and_everything_else_answers(
    name, house, owner, caplog
):
    with house.service.database.reading() as connection:
        folder = releases.release_of(connection, house.campaign, 1).folder
    path = house.service.data.of_campaign(house.campaign) / "releases" / folder / name
    link = house.link(anonymous=False)
    reader, asked_for = house.browser_of("reader"), name.removeprefix("~readers-")
    client = reader if name.startswith("~") else owner
    with gone(path):
        answers = [client.get(api(house, f"/releases/1/files/{asked_for}"))]
        if path.suffix == ".html":
            answers.append(client.get(f"/campaigns/{house.campaign}/releases/1/framed/{asked_for}"))
        if client is reader:
            answers.append(house.client().get(f"/shared/{link}/report/{asked_for}"))
        assert [answer.status_code for answer in answers] == [500] * len(answers)
        assert answers[0].json() == {"error": NOT_FOUND}
        assert all(NOT_FOUND in answer.text for answer in answers)
        assert str(path) in caplog.text
        assert all(str(house.service.data.root) not in answer.text for answer in answers)
        assert owner.get(api(house, "/releases")).status_code == 200
        assert owner.get(f"/campaigns/{house.campaign}/audit").status_code == 200
    assert client.get(api(house, f"/releases/1/files/{asked_for}")).status_code == 200


def test_a_received_file_that_was_deleted_is_told(house, owner):
    stored = owner.get(api(house, "/revisions/1")).json()["files"]["mkfilegold.csv"]
    with gone(house.service.data.content_of(house.campaign).path_of(stored["sha256"])):
        answer = owner.get(api(house, "/revisions/1/files/mkfilegold.csv"))
        assert (answer.status_code, answer.json()) == (500, {"error": NOT_FOUND})
        assert owner.get(f"/campaigns/{house.campaign}/files").status_code == 200


def test_a_disk_without_room_for_the_tables_is_told_as_such_and_is_used_again_later(house):
    """The database itself says it: SQLITE_FULL."""
    with opened(house.service.data.root) as service:
        client = House(service, house.planted).browser_of("owner")

        def no_room(connection, *_):
            connection.execute("PRAGMA max_page_count = 1")

        event.listen(service.database.engine, "checkout", no_room)
        titles = [{"title": "x" * 200}] * 60  # what the pages that are there have no room for
        answers = [client.post("/api/v1/campaigns", json=each) for each in titles]
        event.remove(service.database.engine, "checkout", no_room)
        service.database.engine.dispose()
        refused = [answer for answer in answers if answer.status_code != 201]
        assert {(answer.status_code, answer.json()["error"]) for answer in refused} == {
            (507, NO_DISK)
        }
        kept = [
            each for each in client.get("/api/v1/campaigns").json() if each["title"] == "x" * 200
        ]
        assert len(kept) == len(answers) - len(refused)
        assert client.post("/api/v1/campaigns", json=titles[0]).status_code == 201


def test_tables_that_may_only_be_read_are_told_as_a_disk_that_takes_nothing(house):
    with opened(house.service.data.root) as service:
        client = House(service, house.planted).browser_of("owner")

        def only_read(connection, *_):
            connection.execute("PRAGMA query_only = ON")

        event.listen(
            service.database.engine, "begin", lambda connection: only_read(connection.connection)
        )
        answer = client.post("/api/v1/campaigns", json={"title": "x"})
        assert (answer.status_code, answer.json()) == (507, {"error": NO_DISK})
        assert client.get("/api/v1/campaigns").status_code == 200


def test_tables_that_were_taken_away_are_waited_for_and_not_made_anew(house, owner):
    path = house.service.data.root / FILE_NAME
    with gone(path):
        for answer in (
            owner.get("/api/v1/campaigns"),
            owner.post("/api/v1/campaigns", json={"title": "x"}),
        ):
            assert (answer.status_code, answer.json()) == (503, {"error": AWAY})
        assert not path.exists()
    assert owner.get("/api/v1/campaigns").status_code == 200


def test_a_data_folder_whose_disk_is_away_receives_nothing(house, owner):
    """And no folder is made in its place; what the tables say then is kept elsewhere."""
    fresh = owner.post("/api/v1/campaigns", json={"title": "fresh"}).json()["id"]
    campaigns = house.service.data.root / "campaigns"
    with gone(campaigns):
        answer = owner.put(f"/api/v1/campaigns/{fresh}/uploads?path=gold.csv", content=b"id,label")
        assert (answer.status_code, answer.json()) == (500, {"error": NOT_FOUND})
        assert not campaigns.exists()
    assert (
        owner.put(
            f"/api/v1/campaigns/{fresh}/uploads?path=gold.csv", content=b"id,label"
        ).status_code
        == 201
    )


def test_who_falls_silent_in_the_middle_of_an_upload_keeps_no_quota(house, owner, monkeypatch):
    """A machine that was put to sleep: its connection stays, and nothing comes."""
    monkeypatch.setattr(guard, "LONGEST_SILENCE", 0.05)
    path = api(house, "/uploads")
    cookie = "; ".join(f"{name}={value}" for name, value in owner.cookies.items())
    headers = {"host": "localhost", "cookie": cookie, "content-length": "1000"}
    scope = {
        "type": "http", "method": "PUT", "path": path, "raw_path": path.encode(), "query_string": b"path=gold.csv",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()], "scheme": "http",
        "client": ("127.0.0.1", 1), "server": ("localhost", 80), "http_version": "1.1",
    }  # fmt: skip
    told, came = [], [{"type": "http.request", "body": b"half", "more_body": True}]

    async def receive():
        if came:
            return came.pop()
        return await asyncio.Event().wait()

    async def send(message):
        told.append(message)

    asyncio.run(asyncio.wait_for(house.app(scope, receive, send), 60))  # it would wait for ever
    assert told[0]["status"] == 408
    assert (b"connection", b"close") in told[0]["headers"]
    assert b"Nothing more came for a while" in told[1]["body"]
    assert not list((house.service.data.of_campaign(house.campaign) / "incoming").iterdir())


WHOLE, HALF = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n", b"GET / HTTP/1.1\r\nhost:"


async def slow(_scope, _receive, send):
    """An application that takes its time."""
    await asyncio.sleep(0.5)
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    )
    await send({"type": "http.response.body", "body": b"ok"})


def asked_of_a_server(ask, crowd=None, app=slow):
    """What a coroutine finds that is given the port of a server with our protocol."""
    crowd = Crowd() if crowd is None else crowd

    async def served():
        config = uvicorn.Config(
            app, lifespan="off", log_level=logging.CRITICAL, timeout_keep_alive=1
        )
        config.load()
        state = ServerState()
        make = partial(crowd.protocol, config=config, server_state=state, app_state={})
        server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
        async with server:
            return await ask(server.sockets[0].getsockname()[1])

    return asyncio.run(served())


async def answered(port, sent):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    came = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    return came


def test_who_does_not_end_the_headers_of_a_request_is_hung_up_on():
    """At the first request of a connection and at a later one; who waits for an answer is not."""

    async def each_answered(port):
        return await asyncio.gather(
            *(answered(port, sent) for sent in (b"", HALF, WHOLE + HALF, WHOLE + WHOLE))
        )

    nothing, none, one, two = asked_of_a_server(each_answered, Crowd(header_seconds=0.2))
    assert (nothing, none) == (b"", b"")
    assert (one.count(b"200 OK"), two.count(b"200 OK")) == (1, 2)


def test_a_crowd_of_slow_connections_keeps_nobody_out():
    """The one that has waited longest makes room; whoever waits for an answer is not touched."""
    waiting = Crowd(most_waiting=20)
    closing = WHOLE.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")

    async def in_a_crowd(port):
        first = asyncio.create_task(answered(port, closing))
        await asyncio.sleep(0.1)
        crowd = [await asyncio.open_connection("127.0.0.1", port) for _ in range(100)]
        for _, writer in crowd:
            writer.write(HALF)
        answers = await asyncio.gather(first, answered(port, closing))
        n_waiting = len(waiting.waiting)
        hung_up = sum(reader.at_eof() or reader.exception() is not None for reader, _ in crowd)
        for _, writer in crowd:
            writer.transport.abort()
        return answers, n_waiting, hung_up

    answers, n_waiting, hung_up = asked_of_a_server(in_a_crowd, waiting)
    assert [answer.count(b"200 OK") for answer in answers] == [1, 1]
    assert n_waiting <= 20
    assert hung_up >= 80


BODY = b"PUT / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n"


def test_a_crowd_of_slow_bodies_is_bounded_and_who_sends_goes_on():
    """The connection whose last bytes are longest ago makes room, and not the oldest: an upload may be long."""
    senders = Crowd(most_sending=20)

    async def in_a_crowd(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(BODY)
        await writer.drain()
        crowd = []
        for number in range(100):
            crowd.append(await asyncio.open_connection("127.0.0.1", port))
            crowd[-1][1].write(BODY + b"x")
            if number % 5 == 0:
                writer.write(b"x")
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        n_sending = len(senders.sending)
        hung_up = sum(other.at_eof() or other.exception() is not None for other, _ in crowd)
        is_served = not reader.at_eof() and reader.exception() is None
        for _, other in (*crowd, (reader, writer)):
            other.transport.abort()
        return is_served, n_sending, hung_up

    is_served, n_sending, hung_up = asked_of_a_server(in_a_crowd, senders)
    assert is_served
    assert n_sending <= 20
    assert hung_up >= 80


def test_the_flood_benchmark_counts_what_the_server_keeps(monkeypatch):
    """A stream whose server hung up is not closing until it has been written to twice."""
    flood = runpy.run_path(str(BENCHMARKS / "flood.py"))
    senders = Crowd(most_sending=20)
    crowd = flood["crowd"]
    monkeypatch.setitem(crowd.__globals__, "N_SLOW", 100)
    monkeypatch.setitem(crowd.__globals__, "SECONDS", 0.1)  # one write to each

    async def in_a_crowd(port):
        told = await crowd(port, "slow bodies", BODY)
        return told, len(senders.sending)

    async def never(_scope, _receive, _send):
        await asyncio.Event().wait()

    told, n_sending = asked_of_a_server(in_a_crowd, senders, never)
    assert n_sending <= 20
    assert told == "slow bodies, 100 of 100 connections were made: 20 open at the end"


def test_a_burst_of_slow_bodies_is_begun_in_turn_and_who_made_room_is_not():
    """Hundreds at the same moment: a page is answered before most of them are begun."""
    senders, begun = Crowd(most_sending=50), []

    async def counting(scope, receive, send):
        begun.append(scope["method"])
        if scope["method"] == "PUT":
            assert (await receive())["body"] == b""
            await asyncio.Event().wait()
        await slow(scope, receive, send)

    async def in_a_burst(port):
        crowd = [await asyncio.open_connection("127.0.0.1", port) for _ in range(200)]
        closing = WHOLE.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
        for _, writer in crowd:
            writer.write(BODY)
        answer = await answered(port, closing)
        n_before = begun.index("GET")
        for _, other in crowd:
            other.transport.abort()
        return answer, n_before

    answer, n_before = asked_of_a_server(in_a_burst, senders, counting)
    assert b"200 OK" in answer
    assert n_before < 100
    assert begun.count("PUT") <= 100


def test_too_many_open_files_are_said_once_a_minute():
    """21,366 such lines were written in a few minutes, each with a traceback."""
    now = [0.0]
    once = serving.OncePerMinute(clock=lambda: now[0])

    def said(error):
        try:
            raise error
        except OSError:
            record = logging.LogRecord(
                "asyncio", logging.ERROR, "", 1, "accept failed", (), sys.exc_info()
            )
        return record.getMessage() if once.filter(record) else None

    too_many = [said(OSError(24, "Too many open files")) for _ in range(1000)]
    assert too_many[0].startswith("Too many open files: new connections wait (said 0 times")
    assert set(too_many[1:]) == {None}
    assert said(OSError(5, "Input/output error")) == "accept failed"
    now[0] = 61.0
    assert "said 999 times" in said(OSError(24, "Too many open files"))


def test_a_slow_answer_is_no_silence(monkeypatch):
    """What is waited for once a request is whole, is that the other side hangs up."""
    waited = []

    async def receive():
        waited.append(asyncio.current_task().cancelling())
        await asyncio.sleep(0.2 if len(waited) > 1 else 0)
        return (
            {"type": "http.request", "body": b""}
            if len(waited) == 1
            else {"type": "http.disconnect"}
        )

    monkeypatch.setattr(guard, "LONGEST_SILENCE", 0.05)
    body = guard._Body(receive)

    async def both():
        return [await body(), await body()]

    assert [message["type"] for message in asyncio.run(both())] == [
        "http.request",
        "http.disconnect",
    ]
    assert not body.fell_silent
