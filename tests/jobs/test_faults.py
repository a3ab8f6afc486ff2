"""The server and its workers as real processes: killed at any time, they go on where they were, exactly once."""

import http.client
import os
import resource
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from audit.errors import UsageError
from audit.service.database import FILE_NAME
from audit.service.files import DataFolder
from audit.web.serving import ServeOptions, serve, work
from tests.control_databases import cut, postgresql
from tests.nightly import slow

from .fakes import PATIENCE, stretched, until
from .servers import STEPS, Held, Server, alive, begun, sample_campaign, small_campaign, unzipped


@pytest.fixture
def held(tmp_path):
    """Holds the children of servers at a step."""
    return Held(tmp_path / "held")


@pytest.fixture
def serving(tmp_path, held):
    """Starts servers, and ends those that are left."""
    with ExitStack() as stack:

        def start(*options, data=tmp_path / "data"):
            server = Server(data, *options, environment=held.environment)
            stack.callback(lambda: server.process.poll() is None and server.kill())
            return server.start()

        yield start


def exactly_once(server, evaluated, attempt):
    """One release, by this attempt; nothing of any other on the disk."""
    job = server.done(evaluated)
    assert (job["state"], job["attempt"]) == ("done", attempt)
    (release,) = server.ask("GET", f"{server.at}/releases")
    assert release["folder"] == f"{evaluated}-{attempt}"
    assert [name for name in server.folders("releases") if name.startswith(f"{evaluated}-")] == [
        release["folder"]
    ]
    # a worker tidies up when the tables have the end of its job
    until(lambda: not any(name.startswith(f"{evaluated}-") for name in server.folders("work")))
    assert server.folders("incoming") == server.folders("unknown") == []
    status, report = server.call(
        "GET", f"{server.at}/releases/1/files/{release['summary']['tasks'][0]['report']}"
    )
    assert (status, report[:15]) == (200, b"<!DOCTYPE html>")
    return release


def announced(server, size):
    """A connection over which an upload was announced."""
    where = urlsplit(server.base)
    connection = http.client.HTTPConnection(where.hostname, where.port)
    connection.putrequest("PUT", f"{server.at}/uploads?path=large.zip")
    connection.putheader("content-length", str(size))
    connection.putheader(
        "cookie", "; ".join(f"{each.name}={each.value}" for each in server.cookies)
    )
    connection.endheaders()
    return connection


def half_an_upload(server, size=50 << 20):
    """A connection over which half of an upload was sent."""
    connection = announced(server, size)
    connection.send(bytes(size // 2))
    until(lambda: server.folders("incoming"))
    return connection


@slow("test_worker::test_a_server_that_is_killed_at_any_moment_makes_one_release")
def test_a_server_that_is_killed_goes_on_exactly_once(serving, held):
    """Killed while it receives one file and evaluates others; nobody works for it afterwards."""
    server = serving()
    server.campaign()
    assert server.done(server.revise(server.upload(small_campaign())))["state"] == "done"
    with held.at("drawing"):
        evaluated = server.evaluate()
        child, upload = held.who(), half_an_upload(server)
        server.kill()
        upload.close()
        until(lambda: not alive(child))  # it would wait for ever
        assert len(server.folders("incoming")) == len(server.folders("work")) == 1
    server.start()
    assert server.folders("incoming") == []
    exactly_once(server, evaluated, attempt=2)
    assert {job["state"] for job in server.all_done()} == {"done"}
    until(lambda: server.folders("work") == [])
    (release,) = server.ask("GET", f"{server.at}/releases")
    assert server.folders("releases") == sorted([release["folder"], *release["parts"].values()])


@slow("test_worker::test_a_worker_that_stops_gives_its_job_back")
def test_a_server_that_is_asked_to_end_gives_back_what_it_does(serving, held):
    """In the middle of the exports of a release, which stays; it counts as no lost attempt."""
    server = serving()
    server.campaign()
    assert server.done(server.revise(server.upload(small_campaign())))["state"] == "done"
    evaluated = server.evaluate()
    assert server.done(evaluated)["state"] == "done"
    with held.at("drawing"):
        held.who()
        assert server.kill(signal.SIGTERM) == 0
    assert server.folders("work") == []
    with closing(sqlite3.connect(server.data / FILE_NAME)) as tables:
        rows = tables.execute(
            "SELECT state, lost, step, worker FROM job WHERE kind = 'export'"
        ).fetchall()
    assert rows == [("queued", 0, None, None)]
    server.start()
    exactly_once(server, evaluated, attempt=1)


@slow("hosting/test_received_files.py, without a server")
def test_what_cannot_be_received_leaves_nothing_and_says_why(serving):
    """Cut off, over the limit, over what the disk takes; then the same server receives as ever."""
    server = serving("--upload-limit", 1)
    server.campaign()
    kept = server.upload(b"id,label\nq1,a\n", "gold.csv")
    connection = half_an_upload(server)
    connection.close()
    until(lambda: server.folders("incoming") == [])
    with closing(announced(server, (1 << 30) + 1)) as connection:
        assert (connection.getresponse().status, server.folders("incoming")) == (413, [])
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    status, told = server.call("PUT", f"{server.at}/uploads?path=a.zip", raw=bytes(5 << 20))
    assert (status, server.folders("incoming")) == (507, []), told
    assert "cannot write to its disk" in told["error"]
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)
    read = server.done(
        server.revise(kept, server.upload(b"no zip at all" * 100, "submissions.zip"))
    )
    assert read["state"] == "done"  # what was received is kept, with what is wrong with it
    revision = server.ask("GET", f"{server.at}/revisions/1")
    assert sorted(revision["files"]) == ["gold.csv", "submissions.zip"]
    assert "damaged-file" in str(revision["findings"]["issues"])
    with ThreadPoolExecutor(2) as pool:  # two organisers at once, in view of the same files
        uploads = [
            server.upload(content, "gold.csv")
            for content in (b"id,label\nq1,b\n", b"id,label\nq1,c\n")
        ]
        body = [{"base": 1, "uploads": [upload], "note": f"mine {upload}"} for upload in uploads]
        found = list(
            pool.map(lambda each: server.call("POST", f"{server.at}/revisions", each), body)
        )
    assert sorted(status for status, _ in found) == [201, 409]
    (late,) = (told["error"] for status, told in found if status == 409)
    assert "mine" in late
    assert server.ask("GET", server.at)["head"] == 2


@slow("test_worker::test_a_server_that_is_killed_at_any_moment_makes_one_release")
@pytest.mark.parametrize(
    ("step", "signals"),
    [
        *((step, [signal.SIGKILL]) for step in STEPS),
        *(
            (step, signals)
            for step in ("begun", "drawing")
            for signals in ([signal.SIGTERM], [signal.SIGKILL] * 2)
        ),
    ],
    ids=str,
)
def test_a_server_that_ends_at_any_step_goes_on(step, signals, serving, held):
    """What was asked to end lost no attempt; a job that was begun twice in vain is begun a third time."""
    server = serving()
    server.campaign()
    assert server.done(server.revise(server.upload(small_campaign())))["state"] == "done"
    with held.at(step):
        evaluated = server.evaluate()
        for number in signals:
            child = held.who()
            server.kill(number)
            if step != "begun":  # it is held before it can know that it has no parent any more
                until(lambda child=child: not alive(child))
            server.start()
        held.who()
    assert server.job(evaluated)["attempt"] == len(signals) + 1
    exactly_once(server, evaluated, attempt=len(signals) + 1)


@slow("test_worker::test_a_server_that_is_killed_at_any_moment_makes_one_release")
@pytest.mark.parametrize("step", ["begun", "reading"])
def test_a_server_that_is_killed_while_files_are_read_reads_them_again(step, serving, held):
    """Every file of the archive is there once, whatever the first attempt had kept of it."""
    server = serving()
    server.campaign()
    with held.at(step):
        read = server.revise(server.upload(sample_campaign(), "flood-posts.zip"))
        held.who()
        server.kill()
    server.start()
    job = server.done(read)
    assert (job["state"], job["attempt"]) == ("done", 2)
    files = server.ask("GET", f"{server.at}/revisions/1")["files"]
    expected = {path: len(content) for path, content in unzipped(sample_campaign()).items()}
    assert {path: stored["size"] for path, stored in files.items()} == expected
    until(lambda: server.folders("work") == [])


@slow("test_worker::test_a_job_that_runs_is_cancelled_within_two_seconds")
@pytest.mark.parametrize("step", STEPS)
def test_a_job_is_cancelled_at_any_step_within_two_seconds(step, serving, held):
    server = serving()
    server.campaign()
    assert server.done(server.revise(server.upload(small_campaign())))["state"] == "done"
    with held.at(step):
        evaluated = server.evaluate()
        child = held.who()
        start = time.monotonic()
        server.ask("POST", f"{server.at}/jobs/{evaluated}/cancel")
        until(lambda: server.job(evaluated)["state"] == "cancelled")
        assert time.monotonic() - start < stretched(2)
        until(lambda: not alive(child) and server.folders("work") == [])
    again = server.ask("POST", f"{server.at}/jobs/{evaluated}/repeat")["number"]
    assert server.done(again)["state"] == "done"
    (release,) = server.ask("GET", f"{server.at}/releases")
    assert release["folder"] == f"{again}-1"


@slow("test_worker::test_what_something_outside_ended_is_tried_three_times")
def test_a_child_that_is_killed_is_begun_again(serving, held):
    """As by a machine that is short of memory; three times, and the job fails with that reason."""
    server = serving()
    server.campaign()
    server.done(server.revise(server.upload(small_campaign())))
    with held.at("comparing"):
        evaluated = server.evaluate()
        os.kill(held.who(), signal.SIGKILL)
        os.kill(until(lambda: server.job(evaluated)["attempt"] == 2 and held.who()), signal.SIGKILL)
        until(lambda: server.job(evaluated)["attempt"] == 3 and held.who())
    exactly_once(server, evaluated, attempt=3)


@slow("test_child::test_a_job_that_needs_more_memory_than_it_may_says_so")
def test_a_job_over_its_memory_fails_with_the_reason(serving):
    """One GiB is enough for the libraries and not for this file."""
    server = serving("--memory", 1)
    server.campaign()
    rows = b"".join(b"item-%09d,label-%d\n" % (number, number % 5) for number in range(6_000_000))
    gold = server.upload(b"id,label\n" + rows, "gold.csv")
    job = server.done(server.revise(gold, server.upload(b"id,label\n" + rows, "submissions/A.csv")))
    assert job["state"] == "failed"
    assert (
        job["outcome"]["error"] == "The work needs more than the 1 GiB of memory that it may use."
    )
    assert job["attempt"] == 1


# The network


def handles(server):
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


@slow(
    "web/test_hostile_surroundings::test_who_falls_silent_in_the_middle_of_an_upload_keeps_no_quota"
)
def test_connections_that_are_cut_or_say_nothing_keep_nothing(serving):
    """A proxy that closes in the middle of a download, and strangers who begin a request and do not end it."""
    server = serving()
    server.campaign()
    content = os.urandom(20 << 20)
    uploads = (
        server.upload(content, "submissions/A.csv"),
        server.upload(b"id,label\n1,a\n", "gold.csv"),
    )
    server.done(server.revise(*uploads))
    path = f"{server.at}/revisions/1/files/submissions/A.csv"
    assert server.call("GET", path) == (200, content)
    where, cookies = (
        urlsplit(server.base),
        "; ".join(f"{each.name}={each.value}" for each in server.cookies),
    )
    request = f"GET {path} HTTP/1.1\r\nHost: {where.netloc}\r\nCookie: {cookies}\r\n\r\n".encode()
    before = handles(server)
    silent = [socket.create_connection((where.hostname, where.port)) for _ in range(50)]
    for each in silent:
        each.sendall(request[:20])
    for _ in range(20):
        with socket.create_connection((where.hostname, where.port)) as cut_off:
            cut_off.sendall(request)
            assert cut_off.recv(1 << 16)
            # at once, unread
            cut_off.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert server.call("GET", path) == (200, content)
    for each in silent:
        each.close()
    until(lambda: handles(server) <= before + 5)
    server.process.terminate()
    said = server.process.stdout.read().decode()
    assert server.kill(signal.SIGTERM) == 0
    assert "Traceback" not in said


# Several processes, one folder


def test_a_data_folder_has_one_server(tmp_path):
    """Nor is a worker of its own of use beside it."""
    options, ended_at_once = ServeOptions(DataFolder.at(tmp_path)), threading.Event()
    ended_at_once.set()
    with options.data.alone(), pytest.raises(UsageError, match="Another audit serve uses"):
        serve(options, pytest.fail, opens_browser=False)
    with pytest.raises(UsageError, match="audit worker needs --database"):
        work(options, ended_at_once)


@pytest.fixture
def tables():
    """The address of a database of PostgreSQL."""
    with postgresql() as url:
        yield url


@pytest.fixture
def working(tables, tmp_path, held):
    """Starts workers on that database, and ends those that are left."""
    with ExitStack() as stack:

        def start(*more):
            options = (
                "--data",
                tmp_path / "data",
                "--database",
                tables,
                "--dead-after",
                DEAD_AFTER,
            )
            worker = begun("worker", *options, *more, environment=held.environment)
            stack.callback(ended, worker)
            return worker

        yield start


DEAD_AFTER = 10
"""Seconds: a worker that lives is seldom kept from a beat for so long, however busy the machine is."""


def ended(worker):
    """End a worker, be it stopped."""
    if worker.poll() is None:
        worker.send_signal(signal.SIGCONT)
        worker.terminate()
        worker.wait(PATIENCE)
    worker.stdout.close()


def worker_of(process, workers):
    """Whose child a process is."""
    parent = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return next(worker for worker in workers if worker.pid == parent)


@slow("test_worker::test_a_real_child_that_is_killed_is_begun_again_and_its_work_is_whole")
def test_a_worker_that_is_killed_is_taken_over_by_another(serving, tables, working, held):
    """Two workers beside a server that does no job itself; connections are cut meanwhile."""
    server = serving("--database", tables, "--workers", 0, "--dead-after", DEAD_AFTER)
    server.campaign()
    workers = [working() for _ in range(2)]
    server.done(server.revise(server.upload(small_campaign())))
    with held.at("comparing"):
        evaluated = server.evaluate()
        child = held.who()
        worker_of(child, workers).kill()
        until(lambda: not alive(child))
        until(lambda: server.job(evaluated)["attempt"] == 2 and held.who())
        cut(tables)
    exactly_once(server, evaluated, attempt=2)


@slow("test_worker::test_an_old_attempt_never_writes")
def test_a_worker_that_wakes_up_too_late_writes_nothing(serving, tables, working, held):
    """It stood still, as a machine does that sleeps; its child went on, and has a result that nobody waits for."""
    server = serving("--database", tables, "--workers", 0, "--dead-after", DEAD_AFTER)
    server.campaign()
    sleeper = working()
    assert server.done(server.revise(server.upload(small_campaign())))["state"] == "done"
    with held.at("writing"):
        evaluated = server.evaluate()
        child = held.who()
        sleeper.send_signal(signal.SIGSTOP)
    until((server.only(f"campaigns/*/work/{evaluated}-1") / "result.json").exists)
    assert server.job(evaluated)["state"] == "running"
    working()
    until(lambda: server.job(evaluated)["attempt"] == 2)
    assert server.done(evaluated)["state"] == "done"
    sleeper.send_signal(signal.SIGCONT)
    until(lambda: not alive(child))
    exactly_once(server, evaluated, attempt=2)
    assert sleeper.poll() is None


@slow("hosting/test_database::test_database_and_data_folder_belong_together")
def test_a_worker_without_the_shared_folder_is_refused(serving, tables, tmp_path):
    serving("--database", tables, "--workers", 0)
    worker = begun("worker", "--data", tmp_path / "another", "--database", tables)
    said, _ = worker.communicate(timeout=PATIENCE)
    assert worker.returncode == 2
    assert "does not belong to the data folder" in " ".join(said.decode().split())


@slow("test_worker::test_a_database_that_is_away_when_a_job_ends_is_waited_for")
@pytest.mark.parametrize("step", ["begun", "drawing", None])
def test_postgresql_that_is_begun_again_is_waited_for(step, serving, held, cluster):
    """Stopped at once in the middle of an evaluation, as by a power cut; or away when it ends."""
    server = serving("--database", cluster.url, "--dead-after", PATIENCE)
    server.campaign()
    server.done(server.revise(server.upload(small_campaign())))
    with held.at(step or "writing"):
        evaluated = server.evaluate()
        child = held.who()
        cluster.stop()
        status, told = server.call("GET", f"{server.at}/jobs/{evaluated}")
        assert (status, "try again soon" in told["error"]) == (503, True)
        if step is not None:
            cluster.start()
            until(lambda: server.job(evaluated)["step"] == (None if step == "begun" else step))
    if step is None:
        until(lambda: not alive(child))
        cluster.start()
    exactly_once(server, evaluated, attempt=1)


class Cluster:
    """A PostgreSQL server of a test's own, which it may stop."""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.port = programs, folder, free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def run(self, program, *options):
        user = {"user": "postgres", "cwd": "/"} if os.getuid() == 0 else {}
        command = [self.programs / program, "-D", self.folder, *options]
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user
        )

    def start(self):
        self.run(
            "pg_ctl",
            "-w",
            "-l",
            self.folder / "log",
            "-o",
            f"-p {self.port} -k {self.folder}",
            "start",
        )

    def stop(self):
        self.run("pg_ctl", "-m", "immediate", "stop")


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@pytest.fixture
def cluster():
    """Where PostgreSQL's programs are installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL's initdb is not installed")
    folder = Path(tempfile.mkdtemp())  # not below pytest's, which its own user alone may read
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")
    made = Cluster(found[-1].parent, folder)
    try:
        made.run("initdb", "-U", "postgres", "--auth=trust")
        made.start()
        with psycopg.connect(made.url):
            yield made
    finally:
        made.run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
