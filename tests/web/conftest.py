"""A service with two campaigns: one real and small, whose every text is a marker, and one of strangers."""

import fcntl
import os
import pickle
import shutil

import pytest
from anyio.from_thread import start_blocking_portal
from starlette.testclient import TestClient

from tests.web.planted import House, build, opened


@pytest.fixture(scope="session")
def _loop():
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(autouse=True)
def _one_loop(_loop, monkeypatch):
    """All requests go to one event loop, as a server's do: a client begins one, and two threads, for each request."""
    monkeypatch.setattr(TestClient, "portal", _loop)


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The data folder of a service in which one small campaign was read, evaluated and made anonymous, once."""
    common = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):  # all processes of this run share one
        common = common.parent
    root, made = common / "service-of-all", common / "service-of-all.made"
    with (common / "service-of-all.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            root.mkdir()
            made.write_bytes(pickle.dumps(build(root)))
    return root, pickle.loads(made.read_bytes())  # noqa: S301 - written above


@pytest.fixture(scope="module")
def copied(built, tmp_path_factory):
    """The data folder of one test module, which it may change."""
    copy = tmp_path_factory.mktemp("house") / "data"
    shutil.copytree(built[0], copy, symlinks=True)
    return copy


@pytest.fixture(scope="module")
def house(built, copied):
    """The service of one test module."""
    with opened(copied) as service:
        yield House(service, built[1])
