"""A disk that is really full: a small file system of its own, filled to the last byte."""

import os
import re
import shutil
import subprocess
from contextlib import contextmanager, suppress

import pytest

from tests.nightly import slow

from .fakes import until
from .servers import Held, Server, small_campaign

SIZE = 192 << 20
STEP = 4096
NEARLY = 1 << 20


@pytest.fixture
def disk(tmp_path):
    """A file system in memory of a size of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    made = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", place],
            capture_output=True,
            check=False,
        )
        if shutil.which("mount")
        else None
    )
    if made is None or made.returncode:
        pytest.skip("no file system can be mounted here: that takes the rights of root")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


@contextmanager
def filled(disk, leaving=0):
    """The disk with so many bytes left, as another program would leave it."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(disk).free - leaving - NEARLY)
        file.seek(0, os.SEEK_END)
        with suppress(OSError):  # what others write meanwhile takes its part
            while shutil.disk_usage(disk).free > leaving:
                file.write(bytes(STEP))
    try:
        yield
    finally:
        filler.unlink()


@pytest.fixture
def held(tmp_path):
    return Held(tmp_path / "held")


@pytest.fixture
def server(disk, held):
    found = Server(disk / "data", environment=held.environment).start()
    found.campaign()
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.kill()


def contents(server):
    """Every file that was received or is of a release, with its bytes."""
    kept = [
        path
        for folder in ("content", "releases")
        for path in server.data.glob(f"campaigns/*/{folder}/**/*")
    ]
    return {str(path): path.read_bytes() for path in kept if path.is_file()}


def without_exports(server):
    """End what follows from a release, which is not what is tried here and takes long."""
    for job in server.ask("GET", f"{server.at}/jobs"):
        if job["state"] in {"queued", "running"}:
            server.ask("POST", f"{server.at}/jobs/{job['number']}/cancel")
    server.all_done()


@slow("test_worker::test_a_disk_that_is_full_ends_the_job_with_the_reason")
def test_what_needs_a_full_disk_is_refused_and_works_once_there_is_room(server, disk, held):
    """Uploading, changing files, evaluating and publishing; what was there is served as it was all the time."""
    assert server.done(server.revise(server.upload(small_campaign())))["state"] == "done"
    assert server.done(server.evaluate())["state"] == "done"
    without_exports(server)
    before = contents(server)
    report = server.ask("GET", f"{server.at}/releases/1/files/small.html")
    publish, late = f"{server.at}/releases/1/publish", b"id,label\nq1,yes\n"

    with filled(disk, leaving=(64 << 20) - STEP):
        status, told = server.call("PUT", f"{server.at}/uploads?path=late.csv", raw=late)
        assert status == 507
        assert "no room left" in told["error"]

    with held.at("drawing"):
        waiting = server.evaluate()
        held.who()
        with filled(disk):
            assert server.call("PUT", f"{server.at}/uploads?path=late.csv", raw=late)[0] == 507
            assert server.call("POST", f"{server.at}/revisions", {"base": 1, "uploads": []})[0] in {
                400,
                507,
            }
            asked = [
                server.call("POST", "/api/v1/campaigns", {"title": "x" * 190})[0] for _ in range(40)
            ]
            # the first ones may find room in pages that the tables have already
            assert set(asked[-5:]) == {507}
            assert server.call("POST", publish)[0] == 507
            assert len(server.ask("GET", "/api/v1/campaigns")) == 1 + asked.count(201)
            assert server.folders("incoming") == []
            status, told = server.call("GET", "/health")
            assert (status, told["status"]) == (
                503,
                "the data folder takes nothing: its disk may be full, or away",
            )
            assert server.ask("GET", f"{server.at}/releases/1/files/small.html") == report
            held.let_go("drawing")
            until(lambda: not list(server.data.glob("campaigns/*/work/*/kept")))
            assert {
                path: content for path, content in contents(server).items() if path in before
            } == before
            assert [each["number"] for each in server.ask("GET", f"{server.at}/releases")] == [1]
    assert server.ask("GET", "/health") == {"status": "ok"}
    job = server.done(waiting)
    if job["state"] == "failed":  # where its end could be written down; else it was begun again
        assert re.match("The service cannot (write to|use) its disk", job["outcome"]["error"])
        assert "Nothing was lost: repeat" in job["outcome"]["error"]
        job = server.done(server.ask("POST", f"{server.at}/jobs/{waiting}/repeat")["number"])
    else:
        assert job["attempt"] > 1
    assert job["state"] == "done"

    assert server.ask("PUT", f"{server.at}/uploads?path=late.csv", raw=late)["id"]
    without_exports(server)
    server.ask("POST", publish)
    found = server.ask("GET", f"{server.at}/releases")
    assert [each["number"] for each in found] == [2, 1]
    assert found[1]["published_at"]
    assert {path: content for path, content in contents(server).items() if path in before} == before
    assert server.folders("work") == []
