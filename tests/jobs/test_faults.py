"""The server and its workers as real processes: killed at any time, they go on where they were, exactly once."""

import http.client
import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from audit.hosting.database import FILE_NAME
from tests.control_databases import cut, postgresql
from tests.nightly import ALL

from .fakes import until
from .servers import Server, begun, sample_campaign, small_campaign

nightly = pytest.mark.skipif(not ALL, reason="each starts a server several times: AUDIT_TESTS=all runs it")


@pytest.fixture
def serving(tmp_path):
    """Starts servers, and ends those that are left."""
    with ExitStack() as stack:

        def start(*options, data=tmp_path / "data"):
            server = Server(data, *options)
            stack.callback(lambda: server.process.poll() is None and server.kill())
            return server.start()

        yield start


def children_of(process):
    """The processes that a server has started and that live."""
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in found.stdout.split()]


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def exactly_once(server, evaluated, attempt):
    """One release, by this attempt; every job done; nothing half-made on the disk."""
    jobs = server.all_done()
    assert {job["state"] for job in jobs} == {"done"}
    assert server.folders("work") == []
    return released_once(server, evaluated, attempt)


def released_once(server, evaluated, attempt):
    """One release, by this attempt."""
    (release,) = server.ask("GET", f"{server.at}/releases")
    assert release["folder"] == f"{evaluated}-{attempt}"
    parts = release["parts"].values()
    assert server.folders("releases") == sorted([release["folder"], *parts])
    assert server.folders("incoming") == []
    status, report = server.call("GET", f"{server.at}/releases/1/files/{release['summary']['tasks'][0]['report']}")
    assert (status, report[:15]) == (200, b"<!DOCTYPE html>")
    return release


def announced(server, size):
    """A connection over which an upload was announced."""
    where = urlsplit(server.base)
    connection = http.client.HTTPConnection(where.hostname, where.port)
    connection.putrequest("PUT", f"{server.at}/uploads?path=large.zip")
    connection.putheader("content-length", str(size))
    connection.putheader("cookie", "; ".join(f"{each.name}={each.value}" for each in server.cookies))
    connection.endheaders()
    return connection


def half_an_upload(server, size=50 << 20):
    """A connection over which half of an upload was sent."""
    connection = announced(server, size)
    connection.send(bytes(size // 2))
    until(lambda: server.folders("incoming"))
    return connection


@nightly
def test_a_server_that_is_killed_goes_on_exactly_once(serving):
    """Killed while it receives one file and evaluates another; and asked to end in the middle of the exports."""
    server = serving()
    server.campaign()
    assert server.done(server.revise(server.upload(small_campaign())))["state"] == "done"
    upload = half_an_upload(server)
    evaluated = server.evaluate()
    (child,) = until(lambda: server.job(evaluated)["step"] and children_of(server.process))
    server.kill()
    upload.close()
    until(lambda: not lives(child), 2)  # nobody works for a server that is gone
    assert len(server.folders("incoming")) == len(server.folders("work")) == 1
    server.start()
    assert server.folders("incoming") == []
    assert server.done(evaluated)["attempt"] == 2
    released_once(server, evaluated, attempt=2)
    assert server.kill(signal.SIGTERM) == 0
    assert server.folders("work") == []
    with closing(sqlite3.connect(server.data / FILE_NAME)) as tables:
        assert tables.execute("SELECT state, lost FROM job WHERE kind = 'export'").fetchall() == [("queued", 0)]


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
    read = server.done(server.revise(kept, server.upload(b"no zip at all" * 100, "submissions.zip")))
    assert read["state"] == "done"  # what was received is kept, with what is wrong with it
    revision = server.ask("GET", f"{server.at}/revisions/1")
    assert sorted(revision["files"]) == ["gold.csv", "submissions.zip"]
    assert "damaged-archive" in str(revision["findings"]["issues"])
    with ThreadPoolExecutor(2) as pool:  # two organisers at once, in view of the same files
        uploads = [server.upload(content, "gold.csv") for content in (b"id,label\nq1,b\n", b"id,label\nq1,c\n")]
        body = [{"base": 1, "uploads": [upload], "note": f"mine {upload}"} for upload in uploads]
        found = list(pool.map(lambda each: server.call("POST", f"{server.at}/revisions", each), body))
    assert sorted(status for status, _ in found) == [201, 409]
    (late,) = (told["error"] for status, told in found if status == 409)
    assert "mine" in late
    assert server.ask("GET", server.at)["head"] == 2


_STEPS = ("reading", "comparing", "drawing", "writing")


def stopped_at(server, number, step):
    """Wait until a job is at this step or, where that took no time, at a later one, by the tables themselves."""
    with closing(sqlite3.connect(server.data / FILE_NAME, timeout=30)) as tables:
        query = "SELECT state, step FROM job WHERE number = ?"

        def at_it():
            state, found = tables.execute(query, (number,)).fetchone()
            assert state in {"queued", "running"}, f"{state} before {step}"
            return found in _STEPS[_STEPS.index(step) :]

        until(at_it, 120)


@nightly
@pytest.mark.parametrize("signals", [[signal.SIGKILL], [signal.SIGTERM], [signal.SIGKILL] * 2])
@pytest.mark.parametrize("step", ["reading", "comparing", "drawing", None])
def test_a_server_that_ends_at_any_step_goes_on(step, signals, serving):
    """The sample campaign, whose evaluation takes some seconds. What was asked to end lost no attempt."""
    server = serving()
    server.campaign()
    assert server.done(server.revise(server.upload(sample_campaign(), "flood-posts.zip")))["state"] == "done"
    evaluated = server.evaluate()
    for number in signals:
        if step is None:
            until(lambda: server.job(evaluated)["state"] == "running")
        else:
            stopped_at(server, evaluated, step)
        server.kill(number)
        server.start()
    exactly_once(server, evaluated, attempt=len(signals) + 1)


@nightly
@pytest.mark.parametrize("step", ["reading", "comparing", "drawing", None])
def test_a_job_is_cancelled_at_any_step_within_two_seconds(step, serving):
    server = serving()
    server.campaign()
    assert server.done(server.revise(server.upload(sample_campaign(), "flood-posts.zip")))["state"] == "done"
    evaluated = server.evaluate()
    if step is None:
        until(lambda: server.job(evaluated)["state"] == "running")
    else:
        stopped_at(server, evaluated, step)
    start = time.monotonic()
    server.ask("POST", f"{server.at}/jobs/{evaluated}/cancel")
    until(lambda: server.job(evaluated)["state"] == "cancelled")
    assert time.monotonic() - start < 2
    until(lambda: children_of(server.process) == [] and server.folders("work") == [])
    again = server.ask("POST", f"{server.at}/jobs/{evaluated}/repeat")["number"]
    server.done(again)
    assert server.folders("releases")[0].startswith(f"{again}-1")


@nightly
def test_a_child_that_is_killed_is_begun_again(serving):
    """As by a machine that is short of memory."""
    server = serving()
    server.campaign()
    server.done(server.revise(server.upload(small_campaign())))
    evaluated = server.evaluate()
    (child,) = until(lambda: server.job(evaluated)["step"] and children_of(server.process))
    os.kill(child, signal.SIGKILL)
    exactly_once(server, evaluated, attempt=2)


@nightly
def test_a_job_over_its_memory_fails_with_the_reason(serving):
    """One GiB is enough for the libraries and not for this file."""
    server = serving("--memory", 1)
    server.campaign()
    rows = b"".join(b"item-%09d,label-%d\n" % (number, number % 5) for number in range(6_000_000))
    gold = server.upload(b"id,label\n" + rows, "gold.csv")
    job = server.done(server.revise(gold, server.upload(b"id,label\n" + rows, "submissions/A.csv")))
    assert job["state"] == "failed"
    assert job["outcome"]["error"] == "The work needs more than the 1 GiB of memory that it may use."
    assert job["attempt"] == 1


# Several processes, one folder


def test_a_data_folder_has_one_server(serving, tmp_path):
    serving()
    other = begun("serve", "--data", tmp_path / "data", "--port", 0, "--no-browser")
    said, _ = other.communicate(timeout=60)
    assert other.returncode == 2
    assert "Another audit serve uses" in said.decode()
    worker = begun("worker", "--data", tmp_path / "data")
    said, _ = worker.communicate(timeout=60)
    assert worker.returncode == 2
    assert "audit worker needs --database" in said.decode()


@pytest.fixture
def tables():
    """The address of a database of PostgreSQL."""
    with postgresql() as url:
        yield url


@nightly
def test_a_worker_that_is_killed_is_taken_over_by_another(serving, tables, tmp_path):
    """Two workers beside a server that does no job itself; connections are cut meanwhile."""
    server = serving("--database", tables, "--workers", 0, "--dead-after", 2)
    server.campaign()
    options = ("--data", tmp_path / "data", "--database", tables, "--dead-after", 2)
    workers = [begun("worker", *options) for _ in range(2)]
    try:
        server.done(server.revise(server.upload(sample_campaign(), "flood-posts.zip")))
        evaluated = server.evaluate()
        until(lambda: server.job(evaluated)["step"])
        busy = next(worker for worker in workers if children_of(worker))
        (child,) = children_of(busy)
        busy.kill()
        until(lambda: not lives(child), 2)
        until(lambda: server.job(evaluated)["attempt"] == 2 and server.job(evaluated)["step"])
        cut(tables)
        exactly_once(server, evaluated, attempt=2)
    finally:
        for worker in workers:
            worker.terminate()
            worker.wait(30)
            worker.stdout.close()


@nightly
def test_a_worker_without_the_shared_folder_is_refused(serving, tables, tmp_path):
    serving("--database", tables, "--workers", 0)
    worker = begun("worker", "--data", tmp_path / "another", "--database", tables)
    said, _ = worker.communicate(timeout=60)
    assert worker.returncode == 2
    assert "does not belong to the data folder" in " ".join(said.decode().split())


@nightly
def test_postgresql_that_is_begun_again_is_waited_for(serving, cluster):
    """Stopped at once in the middle of an evaluation, as by a power cut, and away for some seconds."""
    server = serving("--database", cluster.url, "--dead-after", 30)
    server.campaign()
    server.done(server.revise(server.upload(sample_campaign(), "flood-posts.zip")))
    evaluated = server.evaluate()
    until(lambda: server.job(evaluated)["step"])
    cluster.stop()
    time.sleep(3)
    status, told = server.call("GET", f"{server.at}/jobs/{evaluated}")
    assert (status, "try again soon" in told["error"]) == (503, True)
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
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)

    def start(self):
        self.run("pg_ctl", "-w", "-l", self.folder / "log", "-o", f"-p {self.port} -k {self.folder}", "start")

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
