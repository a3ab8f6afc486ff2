"""The service under people who mean harm: floods of wrong passwords, and crowds of slow headers and slow bodies.

Run `python benchmarks/flood.py`. A server is begun on this machine with 1,024 open files at most; beside each flood a
member with a session asks for a page and whoever watches asks for /health, five times a second. `--database
postgresql+psycopg://…` puts the tables into PostgreSQL. All of it goes to 127.0.0.1 and ends after a few minutes.
"""

import argparse
import asyncio
import logging
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

FLOODS = (50, 150, 300)
SLOW_HEADERS = b"GET / HTTP/1.1\r\nhost:"
SLOW_BODY = b"PUT /api/v1/me HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000\r\n\r\n"
N_SLOW, SECONDS, PAUSE = 1200, 10.0, 0.2
N_FILES = 1024
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
    """A try to sign in with a name that does not exist."""
    body = f"name=nobody{number}&password=wrong+horse+battery"
    kind = "content-type: application/x-www-form-urlencoded"
    head = f"POST /sign-in HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{kind}\r\ncontent-length: {len(body)}"
    return f"{head}\r\n\r\n{body}".encode()


async def beside(port: int, cookie: str, until: asyncio.Event) -> dict[str, list[tuple[int, float]]]:
    """What whoever watches and a member are answered, as long as a flood lasts."""
    found: dict[str, list[tuple[int, float]]] = {"/health": [], "/": []}
    while not until.is_set():
        for path, answers in found.items():
            status, seconds, _ = await ask(port, get(path, cookie))
            answers.append((status, seconds))
        await asyncio.sleep(PAUSE)
    return found


def told(found: dict[str, list[tuple[int, float]]]) -> str:
    """The statuses, and the median and the longest time in milliseconds."""
    parts = []
    for path, answers in found.items():
        times = sorted(1000 * seconds for _, seconds in answers)
        statuses = dict(Counter(status for status, _ in answers))
        parts.append(f"{path} {statuses}, median {times[len(times) // 2]:.0f} ms, longest {times[-1]:.0f} ms")
    return "; ".join(parts)


async def flood(port: int, cookie: str, number: int) -> None:
    """So many wrong passwords at the same time."""
    over = asyncio.Event()
    watching = asyncio.create_task(beside(port, cookie, over))
    begun = time.perf_counter()
    answers = await asyncio.gather(*(ask(port, wrong_password(each)) for each in range(number)))
    seconds = time.perf_counter() - begun
    await asyncio.sleep(1)
    over.set()
    statuses = dict(Counter(status for status, _, _ in answers))
    refused = [1000 * each for status, each, _ in answers if status == REFUSED]
    late = f"refused after {max(refused, default=0):.0f} ms at the latest"
    print(f"{number} wrong passwords: {statuses} in {seconds:.1f} s, {late}; {told(await watching)}")


async def crowd(port: int, cookie: str, name: str, request: bytes) -> None:
    """Many connections that begin a request, and go on with a byte a second."""
    over = asyncio.Event()
    watching = asyncio.create_task(beside(port, cookie, over))
    writers = []
    end = time.monotonic() + SECONDS
    for _ in range(N_SLOW):
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(2):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            writers.append(writer)
    while time.monotonic() < end:
        for writer in writers:
            if not writer.is_closing():
                writer.write(b"x")
        await asyncio.sleep(1)
    over.set()
    n_open = sum(not writer.is_closing() for writer in writers)
    print(f"{name}, {N_SLOW} connections: {n_open} open at the end; {told(await watching)}")
    for writer in writers:
        writer.transport.abort()


def begun(folder: Path, database: str | None) -> tuple["subprocess.Popen[bytes]", int, str]:
    """A server with few open files, its port, and the path of its first link."""
    command = [sys.executable, "-m", "audit", "serve", "--data", str(folder / "data"), "--port", "0", "--no-browser"]
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
        said += process.stdout.readline().decode()
    found = re.search(r":(\d+)(/start\S+)", said)
    assert found is not None, said  # noqa: S101 - the server was begun
    return process, int(found[1]), found[2]


async def measure(port: int, link: str) -> None:
    """Every flood and every crowd, one after the other."""
    _, _, came = await ask(port, get(link))
    cookie = re.search(rb"audit_session=([\w-]+)", came)
    assert cookie is not None, came  # noqa: S101 - the link is new
    session = f"audit_session={cookie[1].decode()}"
    for number in FLOODS:
        await flood(port, session, number)
    for name, request in {"slow headers": SLOW_HEADERS, "slow bodies": SLOW_BODY}.items():
        await crowd(port, session, name, request)
        await asyncio.sleep(2)


def main() -> None:
    """Begin a server, measure, and end it."""
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # who is hung up on says so each time
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, max(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    with tempfile.TemporaryDirectory() as place:
        process, port, link = begun(Path(place), options.database)
        try:
            asyncio.run(measure(port, link))
        finally:
            process.terminate()
            process.wait(30)
        lines = (Path(place) / "log").read_text("utf-8", "replace").splitlines()
        print(f"lines in the log: {len(lines)}")
        for line in lines[:5]:
            print(f"  {line[:200]}")


if __name__ == "__main__":
    main()
