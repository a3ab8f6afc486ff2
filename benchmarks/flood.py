"""The service under people who mean harm: floods of wrong passwords, and crowds of slow headers and slow bodies.

Run `python benchmarks/flood.py`. A server is begun on this machine with 1,024 open files at most.
Beside each flood, in a process of their own, a member with a session asks for a page and whoever
watches asks for /health, five times a second. In a flood so many people try a name that does not
exist, all at once and then each again a second after an answer, for ten seconds, each from an
address of their own; with `--once` all try once. Whoever floods gives way to the others (`nice`),
as they would be on other machines. `--database postgresql+psycopg://…` puts the tables into
PostgreSQL. All of it goes to 127.0.0.1 and ends after a few minutes.
"""

import argparse
import asyncio
import itertools
import logging
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

FLOODS = (50, 150, 300)
SLOW_HEADERS = b"GET / HTTP/1.1\r\nhost:"
SLOW_BODY = b"PUT /api/v1/me HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000\r\n\r\n"
N_SLOW, SECONDS, PAUSE = 1200, 10.0, 0.2
N_FILES = 1024
NICE = 15
BEGIN, END = "begin", "end"
REFUSED = 429


async def ask(port: int, request: bytes, seconds: float = 30.0) -> tuple[int, float, bytes]:
    """The status of an answer, 0 where none came; how long it took; and all of it."""
    begun = time.perf_counter()
    came = b""
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            came = await reader.read()
            writer.close()
    status = int(came.split(b" ", 2)[1]) if came.startswith(b"HTTP/1.1 ") else 0
    return status, time.perf_counter() - begun, came


def get(path: str, cookie: str = "") -> bytes:
    """A request for a page, after which the connection ends."""
    session = f"cookie: {cookie}\r\n" if cookie else ""
    return f"GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{session}\r\n".encode()


def wrong_password(number: int) -> bytes:
    """A try to sign in with a name that does not exist, as a proxy hands it on from an address."""
    body = f"name=nobody{number}&password=wrong+horse+battery"
    lines = (
        "POST /sign-in HTTP/1.1",
        "host: localhost",
        "connection: close",
        f"x-forwarded-for: 10.{number >> 16}.{number >> 8 & 255}.{number & 255}",
        "content-type: application/x-www-form-urlencoded",
        f"content-length: {len(body)}",
    )
    return "\r\n".join([*lines, "", body]).encode()


def look(port: int, cookie: str, told_by: Connection) -> None:
    """What whoever watches and a member are answered, from one message to the next: in a process of their own."""
    while told_by.recv() == BEGIN:
        answers: dict[str, list[tuple[int, float]]] = {"/health": [], "/": []}
        while not told_by.poll():
            for path, of_path in answers.items():
                status, seconds, _ = asyncio.run(ask(port, get(path, cookie)))
                of_path.append((status, seconds))
            time.sleep(PAUSE)
        told_by.recv()
        told_by.send(answers)


@dataclass
class Watch:
    """Somebody who asks beside a flood, and the server, whose processor is watched."""

    asking: Connection
    server: int  # the process of the server

    async def during(self, flood: Coroutine[None, None, str]) -> None:
        """Print what a flood tells, and what was answered beside it."""
        self.asking.send(BEGIN)
        await asyncio.sleep(1)
        before = processor_seconds(self.server)
        what = await flood
        took = processor_seconds(self.server) - before
        self.asking.send(END)
        answers = await asyncio.to_thread(self.asking.recv)
        load = f"{os.getloadavg()[0]:.1f}"
        print(
            f"{what}; the server's processor {took:.2f} s, load {load}; {told(answers)}", flush=True
        )


def processor_seconds(pid: int) -> float:
    """Seconds that a process has had of the processor."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def told(found: dict[str, list[tuple[int, float]]]) -> str:
    """The statuses, and the median and the longest time in milliseconds."""
    parts = []
    for path, answers in found.items():
        times = sorted(1000 * seconds for _, seconds in answers)
        statuses = dict(Counter(status for status, _ in answers))
        middle, slow = times[len(times) // 2], times[int(0.95 * len(times))]
        spread = f"median {middle:.0f}, 95 in 100 within {slow:.0f}, longest {times[-1]:.0f} ms"
        parts.append(f"{path} {statuses}, {spread}")
    return "; ".join(parts)


async def flood(port: int, n_people: int, seconds: float) -> str:
    """So many people who try wrong passwords at the same time, each again and again."""
    begun = time.perf_counter()
    numbers = itertools.count()
    answers: list[tuple[int, float]] = []

    async def person() -> None:
        while True:
            status, took, _ = await ask(port, wrong_password(next(numbers)))
            answers.append((status, took))
            if time.perf_counter() - begun >= seconds:
                return
            await asyncio.sleep(1)

    await asyncio.gather(*(person() for _ in range(n_people)))
    took = time.perf_counter() - begun
    await asyncio.sleep(1)
    statuses = dict(Counter(status for status, _ in answers))
    refused = sorted(1000 * each for status, each in answers if status == REFUSED)
    late = f"half refused within {refused[len(refused) // 2]:.0f} ms" if refused else "none refused"
    return f"{n_people} people with wrong passwords: {statuses} in {took:.1f} s, {late}"


async def crowd(port: int, name: str, request: bytes) -> str:
    """Many connections that begin a request, and go on with a byte a second."""
    connections = []
    for _ in range(N_SLOW):
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(2):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            connections.append((reader, writer))
    # not before all are there: on a busy machine that takes as long
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for reader, writer in connections:
            if is_open(reader, writer):
                writer.write(b"x")
        await asyncio.sleep(1)
    n_open = sum(is_open(reader, writer) for reader, writer in connections)
    for _, writer in connections:
        writer.transport.abort()
    return f"{name}, {len(connections)} of {N_SLOW} connections were made: {n_open} open at the end"


def is_open(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Whether neither side has ended a connection.

    A stream whose server has hung up is not closing until two more writes have failed: its reader knows it at once.
    """
    return not (reader.at_eof() or writer.is_closing())


def begun(folder: Path, database: str | None) -> tuple["subprocess.Popen[bytes]", int, str]:
    """A server with few open files, its port, and the path of its first link."""
    command = [
        sys.executable,
        "-m",
        "audit",
        "serve",
        "--data",
        str(folder / "data"),
        "--port",
        "0",
        "--no-browser",
    ]
    more = ["--database", database, "--workers", "0"] if database else []
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, *more],
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (N_FILES, N_FILES)),  # noqa: PLW1509 - no thread
        )
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    said = ""
    while "Ctrl-C" not in said:
        line = process.stdout.readline().decode()
        assert line, (folder / "log").read_text("utf-8", "replace")  # noqa: S101 - it ended at once
        said += line
    found = re.search(r":(\d+)(/start\S+)", said)
    assert found is not None, said  # noqa: S101 - the server was begun
    return process, int(found[1]), found[2]


async def measure(port: int, watch: Watch, seconds: float) -> None:
    """Every flood and every crowd, one after the other."""
    for number in FLOODS:
        await watch.during(flood(port, number, seconds))
    for name, request in {"slow headers": SLOW_HEADERS, "slow bodies": SLOW_BODY}.items():
        await watch.during(crowd(port, name, request))
        await asyncio.sleep(2)


def session_of(port: int, link: str) -> str:
    """The cookie of whoever follows the first link."""
    _, _, came = asyncio.run(ask(port, get(link)))
    cookie = re.search(rb"audit_session=([\w-]+)", came)
    assert cookie is not None, came  # noqa: S101 - the link is new
    return f"audit_session={cookie[1].decode()}"


def main() -> None:
    """Begin a server, measure, and end it."""
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # who is hung up on says so each time
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database")
    parser.add_argument("--once", action="store_true", help="each tries once")
    options = parser.parse_args()
    seconds = 0.0 if options.once else SECONDS
    multiprocessing.set_start_method("spawn")
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (4096, max(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    )
    with tempfile.TemporaryDirectory() as place:
        process, port, link = begun(Path(place), options.database)
        mine, theirs = multiprocessing.Pipe()
        asking = multiprocessing.Process(target=look, args=(port, session_of(port, link), theirs))
        asking.start()
        os.nice(NICE)  # not of the process that looks, which is begun
        try:
            asyncio.run(measure(port, Watch(mine, process.pid), seconds))
            mine.send(END)
            asking.join()
        finally:
            process.terminate()
            process.wait(30)
        lines = (Path(place) / "log").read_text("utf-8", "replace").splitlines()
        print(f"lines in the log: {len(lines)}")
        for line in lines[:5]:
            print(f"  {line[:200]}")


if __name__ == "__main__":
    main()
