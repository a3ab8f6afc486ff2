"""The service under load: an upload, a status page, fifty people who watch one job, and the memory of it all.

Run `python benchmarks/service.py`. Each figure stands beside a peer of the same run: bytes that go from a socket to a
disk and nothing else, and the same server with an application that answers at once.

`python benchmarks/service.py --campaign FOLDER` sends a campaign's folder, zipped, through the HTTP interface under the
limits that a service has by default, up to the release with its exports: time and memory of each step.

`python benchmarks/service.py --crowd [postgresql+psycopg://…]`: fifty people on pages of two campaigns that are being
evaluated, while twenty files of 5 MB arrive, for forty seconds, with a database of that name or a file.

`python benchmarks/service.py --again 50`: the server's memory over so many evaluations, whose pages are read.
"""

import argparse
import http.client
import itertools
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from json import dumps, loads
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np

from audit.resources import samples
from audit.service.settings_text import settings_of_choice

OPEN = {"queued", "running"}
FIRST = {"revision": 1}  # a first evaluation; the sample states its official metric
SIZE, CHUNK = 200 << 20, 1 << 20
REQUESTS, PEOPLE = 1000, 50
UPLOADS, CROWD_SECONDS = 20, 40
BARE = """
import sys, uvicorn
async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})
uvicorn.run(app, port=int(sys.argv[1]), log_level="error", access_log=False, lifespan="off")
"""


class Client:
    """One browser's session."""

    def __init__(self, port: int, cookie: str = "") -> None:
        self.port, self.cookie = port, cookie
        self.connection = http.client.HTTPConnection("127.0.0.1", port)

    def ask(self, method: str, path: str, body: Any = None) -> Any:  # noqa: ANN401 - JSON
        """The answer, where all is well."""
        raw = isinstance(body, bytes)
        kind = "application/octet-stream" if raw else "application/json"
        data = body if raw or body is None else dumps(body)
        self.connection.request(method, path, data, {"cookie": self.cookie, "content-type": kind})
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status < 400, text  # noqa: S101 - a benchmark of failures is none
        if (cookie := answer.headers.get("set-cookie")) is not None:
            self.cookie = cookie.partition(";")[0]
        return loads(text) if "json" in answer.headers.get("content-type", "") else text

    def again(self) -> "Client":
        """The same person over another connection."""
        return Client(self.port, self.cookie)


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[Client, int]]:
    """A service on a new folder: a session with it, and its process."""
    command = [
        sys.executable,
        "-m",
        "audit",
        "serve",
        "--data",
        str(folder),
        "--port",
        "0",
        "--no-browser",
        *options,
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    assert process.stdout is not None  # noqa: S101 - it was asked for
    try:
        link = next(found for line in process.stdout if (found := re.search(r"http://\S+", line)))[
            0
        ]
        port = int(link.split(":")[2].partition("/")[0])
        client = Client(port)
        client.ask("GET", link.partition(str(port))[2])
        yield client, process.pid
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def resident(pid: int) -> float:
    """MB that a process has in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return [pid, *(each for child in found.split() for each in family(int(child)))]


def seconds(work: Callable[[], Any]) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# Uploads


def bare_upload(folder: Path, chunk: bytes) -> None:
    """As many bytes through a socket onto the disk, and nothing else."""

    def receive() -> None:
        taken, _ = listening.accept()
        with closing(taken), (folder / "bare").open("wb") as file:
            while data := taken.recv(CHUNK):
                file.write(data)
            file.flush()
            os.fsync(file.fileno())

    with socket.create_server(("127.0.0.1", 0)) as listening:
        receiver = threading.Thread(target=receive)
        receiver.start()
        with socket.create_connection(listening.getsockname()) as sending:
            for _ in range(SIZE // CHUNK):
                sending.sendall(chunk)
        receiver.join()


def upload(client: Client, campaign: str, chunk: bytes) -> None:
    """As many bytes as a file of a campaign."""
    connection = client.again().connection
    connection.putrequest("PUT", f"{campaign}/uploads?path=large.zip")
    connection.putheader("content-length", str(SIZE))
    connection.putheader("cookie", client.cookie)
    connection.endheaders()
    for _ in range(SIZE // CHUNK):
        connection.send(chunk)
    assert connection.getresponse().status == 201  # noqa: S101 - as above


def uploads(client: Client, campaign: str, folder: Path, pid: int) -> None:
    """An upload, and the memory that it takes."""
    chunk, before = os.urandom(CHUNK), resident(pid)
    bare = float(np.median([seconds(lambda: bare_upload(folder, chunk)) for _ in range(3)]))
    ours = float(np.median([seconds(lambda: upload(client, campaign, chunk)) for _ in range(3)]))
    show(
        "upload of 200 MB",
        f"{SIZE / ours / 1e6:.0f} MB/s, {resident(pid) - before:+.0f} MB of memory",
        f"socket to disk {SIZE / bare / 1e6:.0f} MB/s",
        f"{ours / bare:.1f}× the time",
    )


# A status page


@contextmanager
def bare_server() -> Iterator[int]:
    """The same server with an application that does nothing."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = int(trial.getsockname()[1])
    process = subprocess.Popen([sys.executable, "-c", BARE, str(port)])
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()


def rate(client: Client, path: str) -> float:
    """Requests a second over four connections."""
    clients = [client.again() for _ in range(4)]

    def some(each: Client) -> None:
        for _ in range(REQUESTS // len(clients)):
            each.ask("GET", path)

    with ThreadPoolExecutor(len(clients)) as pool:
        return REQUESTS / seconds(lambda: list(pool.map(some, clients)))


def status_page(client: Client, path: str) -> None:
    """The state of a job, asked for again and again."""
    ours = rate(client, path)
    with bare_server() as port:
        bare = rate(Client(port), "/")
    show(
        "state of a job",
        f"{ours:.0f} requests/s",
        f"an application that says ok {bare:.0f}/s",
        f"{bare / ours:.1f}×",
    )


# A job


def job(client: Client, campaign: str, number: int, pid: int) -> None:
    """Fifty people watch a job, each asking once a second; what its processes take meanwhile."""
    waited: list[float] = []
    peak = {"server": 0.0, "all": 0.0}
    path, over = f"{campaign}/jobs/{number}", threading.Event()

    def watch(_: int) -> None:
        each = client.again()
        while not over.is_set():
            waited.append(seconds(lambda: each.ask("GET", path)))
            over.wait(1)

    start = time.perf_counter()
    with ThreadPoolExecutor(PEOPLE) as pool:
        people = [pool.submit(watch, number) for number in range(PEOPLE)]
        while client.ask("GET", path)["job"]["state"] in {"queued", "running"}:
            sizes = [resident(each) for each in family(pid) if Path(f"/proc/{each}").exists()]
            peak = {"server": max(peak["server"], sizes[0]), "all": max(peak["all"], sum(sizes))}
            time.sleep(0.2)
        over.set()
        for each in people:
            each.result()
    took = time.perf_counter() - start
    middle, slow = np.quantile(waited, [0.5, 0.99]) * 1000
    show(
        f"{PEOPLE} people watch an evaluation of {took:.0f} s",
        f"median {middle:.0f} ms, 99 in 100 within {slow:.0f} ms",
        f"{len(waited):,} answers",
        "none failed",
    )
    show(
        "memory in a job",
        f"server {peak['server']:.0f} MB",
        f"with its children {peak['all']:.0f} MB",
        "",
    )


# A crowd


def evaluating(client: Client, title: str) -> tuple[str, int]:
    """A campaign with the sample's files, and the job that evaluates it."""
    campaign = (
        f"/api/v1/campaigns/{client.ask('POST', '/api/v1/campaigns', {'title': title})['id']}"
    )
    received = client.ask("PUT", f"{campaign}/uploads?path=flood-posts.zip", sample())["id"]
    read = client.ask("POST", f"{campaign}/revisions", {"base": 0, "uploads": [received]})["job"][
        "number"
    ]
    while client.ask("GET", f"{campaign}/jobs/{read}")["job"]["state"] in {"queued", "running"}:
        time.sleep(0.2)
    return campaign, client.ask("POST", f"{campaign}/evaluations", FIRST)["job"]["number"]


def crowd(client: Client, database: str) -> None:
    """Fifty people on pages, and twenty uploads; an answer that is an error ends the benchmark."""
    campaigns = [evaluating(client, f"Crowd {number}") for number in range(2)]
    waited: list[float] = []
    over = time.monotonic() + CROWD_SECONDS

    def person(number: int) -> None:
        each, (campaign, job_number) = client.again(), campaigns[number % 2]
        pages = (
            "/",
            campaign,
            f"{campaign.removeprefix('/api/v1')}/files",
            f"{campaign}/jobs/{job_number}",
        )
        for at in itertools.count(number):
            if time.monotonic() > over:
                return
            waited.append(seconds(partial(each.ask, "GET", pages[at % len(pages)])))
            time.sleep(0.5 + at * 0.37 % 1)

    def sender(number: int) -> float:
        time.sleep(CROWD_SECONDS / UPLOADS * number)
        path = f"{campaigns[number % 2][0]}/uploads?path=large{number}.txt"
        return seconds(lambda: client.again().ask("PUT", path, os.urandom(5 << 20)))

    with ThreadPoolExecutor(PEOPLE + UPLOADS) as pool:
        people, sent = (
            [pool.submit(person, number) for number in range(PEOPLE)],
            pool.map(sender, range(UPLOADS)),
        )
        of_uploads = np.quantile(list(sent), [0.5, 0.95])
        for each in people:
            each.result()
    middle, slow = np.quantile(waited, [0.5, 0.95]) * 1000
    answers = f"median {middle:.0f} ms, 95 in 100 within {slow:.0f} ms"
    show(
        f"{PEOPLE} people, {UPLOADS} uploads, {database}",
        answers,
        f"{len(waited):,} answers",
        f"an upload median {of_uploads[0]:.2f} s, 95 in 100 within {of_uploads[1]:.2f} s",
    )


# Memory in the long run


def evaluated_again(client: Client, pid: int, n_evaluations: int) -> None:
    """The server's memory while a campaign is evaluated again and again, and its pages are read."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 3, 60)
    files = {"gold.csv": gold} | {
        f"submissions/{team}.csv": _answers(rng, gold) for team in "ABCDE"
    }
    campaign = (
        f"/api/v1/campaigns/{client.ask('POST', '/api/v1/campaigns', {'title': 'Again'})['id']}"
    )
    uploads = [
        client.ask("PUT", f"{campaign}/uploads?path={path}", _table(codes))["id"]
        for path, codes in files.items()
    ]
    client.ask("POST", f"{campaign}/revisions", {"base": 0, "uploads": uploads})
    wait_for_all(client, campaign)
    show("evaluations", "the server's memory, MB", "its threads", "its open files")
    show(*["---"] * 4)
    for number in range(n_evaluations + 1):
        if number in {0, 1, 2, 5} or number % 10 == 0:
            threads, handles = (
                len(list(Path(f"/proc/{pid}/{part}").iterdir())) for part in ("task", "fd")
            )
            show(f"{number}", f"{resident(pid):.1f}", f"{threads}", f"{handles}")
        body = {"revision": 1, "official_metric": "none"}
        client.again().ask("POST", f"{campaign}/evaluations", body)
        wait_for_all(client, campaign)
        read_pages(client, campaign, number + 1)


def _answers(rng: np.random.Generator, gold: np.ndarray) -> np.ndarray:
    return np.where(rng.random(gold.size) < 0.7, gold, rng.integers(0, 3, gold.size))


def _table(codes: np.ndarray) -> bytes:
    rows = [f"{item},{'abc'[code]}" for item, code in enumerate(codes.tolist())]
    return "\n".join(["id,label", *rows, ""]).encode()


def wait_for_all(client: Client, campaign: str) -> None:
    """Wait until no job is open; exports are ended, as drawing takes long and is done by others."""
    while jobs := [
        each for each in client.again().ask("GET", f"{campaign}/jobs") if each["state"] in OPEN
    ]:
        for each in jobs:
            if each["kind"] == "export" and not each["is_cancelled"]:
                with suppress(AssertionError):  # it ended meanwhile
                    client.again().ask("POST", f"{campaign}/jobs/{each['number']}/cancel")
        time.sleep(0.2)


def read_pages(client: Client, campaign: str, release: int) -> None:
    """What an organiser looks at after an evaluation."""
    page = campaign.removeprefix("/api/v1")
    name = client.again().ask("GET", f"{campaign}/releases/{release}")["summary"]["tasks"][0][
        "report"
    ]
    steps = (
        "files",
        "audit",
        f"releases/{release}/framed/{name}",
        f"releases/{release}",
        f"more/{release}",
        "log",
    )
    for step in steps:
        client.again().ask("GET", f"{page}/{step}")


# A whole campaign


@dataclass
class Peaks:
    """What the children of a server took, at most."""

    one: float = 0.0
    """MB in memory, of the largest process."""
    asked: float = 0.0
    """MB of address space that one process asked for: what the limit is on."""
    together: float = 0.0
    """MB in memory, of all at once; pages that they share are counted for each."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Of each step."""

    def look(self, children: list[int]) -> None:
        """Take what they have at the moment."""
        now = 0.0
        for child in children:
            with suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
                status = Path(f"/proc/{child}/status").read_text(encoding="utf-8")
                kilobytes = {
                    name: int(size) for name, size in re.findall(r"(Vm\w+):\s+(\d+) kB", status)
                }
                self.one = max(self.one, kilobytes.get("VmHWM", 0) * 1.024e-3)
                self.asked = max(self.asked, kilobytes.get("VmPeak", 0) * 1.024e-3)
                now += resident(child)
        self.together = max(self.together, now, self.one)


def followed(client: Client, campaign: str, number: int, pid: int) -> Peaks:
    """Watch a job to its end."""
    peaks, before, step = Peaks(), time.perf_counter(), "beginning"
    while True:
        job = client.ask("GET", f"{campaign}/jobs/{number}")["job"]
        peaks.look(family(pid)[1:])
        now = time.perf_counter()
        peaks.seconds[step] = peaks.seconds.get(step, 0.0) + now - before
        before, step = now, job["step"] or "beginning"
        if job["state"] == "queued":
            step = "waiting"
        if job["state"] not in {"queued", "running"}:
            assert job["state"] == "done", job["outcome"]  # noqa: S101 - a benchmark of failures is none
            return peaks
        time.sleep(0.1)


def decided(client: Client, campaign: str, revision: int, pid: int) -> int:
    """Take the draft of the settings, or the first choice, until the files can be evaluated; the revision then."""
    for _ in range(8):
        findings = client.ask("GET", f"{campaign}/revisions/{revision}")["findings"]
        if findings["is_usable"]:
            return revision
        body = (
            {"base": revision, "text": findings["draft"]}
            if findings["draft"]
            else _first_choice(findings, revision)
        )
        revised = client.ask("PUT", f"{campaign}/settings", body)
        followed(client, campaign, revised["job"]["number"], pid)
        revision = revised["revision"]
    raise AssertionError(findings)


def answers(client: Client, campaign: str, revision: int) -> dict[str, Any]:
    """What is asked before a first evaluation, answered by what the campaign states, else by the defaults."""
    findings = client.again().ask("GET", f"{campaign}/revisions/{revision}")["findings"]
    officials = {task["slug"]: task["official_metric"] or "none" for task in findings["tasks"]}
    is_stated = re.search(r"^runs\s*=", findings["settings"] or "", re.MULTILINE) is not None
    return {"official_metric": officials, "runs": None if is_stated else "all"}


def _first_choice(findings: Any, revision: int) -> dict[str, Any]:  # noqa: ANN401 - JSON
    choice = next(choice for issue in findings["issues"] for choice in issue["choices"])
    settings = [
        {"table": list(each.table), "key": each.key, "value": each.value}
        for each in settings_of_choice(choice["section"], choice["settings"])
    ]
    return {"base": revision, "settings": settings}


def whole_campaign(client: Client, folder: Path, pid: int) -> None:
    """A campaign's way from its zip to the exports of its release."""
    show("step", "seconds", "largest process, MB", "it asked for, MB", "all processes, MB")
    show(*["---"] * 5)
    campaign = (
        f"/api/v1/campaigns/{client.ask('POST', '/api/v1/campaigns', {'title': folder.name})['id']}"
    )
    content = zipped(folder)
    start = time.perf_counter()
    received = client.ask("PUT", f"{campaign}/uploads?path=campaign.zip", content)["id"]
    show(f"upload of {len(content) / 1e6:.1f} MB", f"{time.perf_counter() - start:.1f}", "", "", "")
    read = client.ask("POST", f"{campaign}/revisions", {"base": 0, "uploads": [received]})["job"][
        "number"
    ]
    rows("reading", followed(client, campaign, read, pid))
    revision = decided(client, campaign, 1, pid)
    body = {"revision": revision, "skip_rejected": True, **answers(client, campaign, revision)}
    evaluated = client.ask("POST", f"{campaign}/evaluations", body)["job"]["number"]
    rows("evaluation", followed(client, campaign, evaluated, pid))
    export = next(job for job in client.ask("GET", f"{campaign}/jobs") if job["kind"] == "export")
    rows("exports", followed(client, campaign, export["number"], pid))
    (release,) = client.ask("GET", f"{campaign}/releases")
    for task in release["summary"]["tasks"]:
        size = len(client.ask("GET", f"{campaign}/releases/1/files/{task['report']}"))
        show(
            f"release 1: {task['verdict']['sentence']} {len(task['entries'])} entries, report {size:,} bytes"
        )


def rows(what: str, peaks: Peaks) -> None:
    """One line for a job, and one for each of its steps."""
    show(
        what,
        f"{sum(peaks.seconds.values()):.1f}",
        *(f"{each:.0f}" for each in (peaks.one, peaks.asked, peaks.together)),
    )
    for step, took in peaks.seconds.items():
        show(f"— {step}", f"{took:.1f}", "", "", "")


def sample() -> bytes:
    """The sample campaign, zipped."""
    return zipped(samples() / "flood-posts")


def zipped(root: Path) -> bytes:
    """A folder as it stands, zipped."""
    target = BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for path in sorted(root.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(root.parent))
    return target.getvalue()


def show(*cells: str) -> None:
    """One line of the table."""
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Measure everything, or one campaign."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--campaign", type=Path, help="a campaign's folder")
    parser.add_argument(
        "--crowd", nargs="?", const="", help="fifty people and twenty uploads; with this database"
    )
    parser.add_argument(
        "--again", type=int, help="so many evaluations of one campaign: memory in the long run"
    )
    arguments = parser.parse_args()
    if arguments.again is not None:
        with tempfile.TemporaryDirectory() as root, serving(Path(root) / "data") as (client, pid):
            evaluated_again(client, pid, arguments.again)
        return
    if (database := arguments.crowd) is not None:
        options = ("--database", database) if database else ()
        with (
            tempfile.TemporaryDirectory() as root,
            serving(Path(root) / "data", *options) as (client, _),
        ):
            crowd(client, "PostgreSQL" if database else "SQLite")
        return
    if (chosen := arguments.campaign) is not None:
        with tempfile.TemporaryDirectory() as root, serving(Path(root) / "data") as (client, pid):
            whole_campaign(client, chosen.resolve(), pid)
        return
    print("| what | ours | peer, in the same run | ratio |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as root, serving(Path(root) / "data") as (client, pid):
        time.sleep(2)
        show("memory of the server, idle", f"{resident(pid):.0f} MB", "limit 120 MB", "")
        campaign = (
            f"/api/v1/campaigns/{client.ask('POST', '/api/v1/campaigns', {'title': 'Load'})['id']}"
        )
        received = client.ask("PUT", f"{campaign}/uploads?path=flood-posts.zip", sample())["id"]
        read = client.ask("POST", f"{campaign}/revisions", {"base": 0, "uploads": [received]})[
            "job"
        ]["number"]
        while client.ask("GET", f"{campaign}/jobs/{read}")["job"]["state"] in {"queued", "running"}:
            time.sleep(0.2)
        uploads(client, campaign, Path(root), pid)
        status_page(client, f"{campaign}/jobs/{read}")
        # the server closes a connection on which nothing is asked for a while
        fresh = client.again()
        evaluated = fresh.ask("POST", f"{campaign}/evaluations", FIRST)["job"]["number"]
        job(fresh, campaign, evaluated, pid)


if __name__ == "__main__":
    main()
