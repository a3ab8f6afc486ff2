"""A service with two campaigns: one real and small, whose every text is a marker, and one of strangers."""

import fcntl
import os
import pickle
import shutil

import pytest

from tests.web.planted import House, build, opened


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
def house(built, tmp_path_factory):
    """The service of one test module: a copy that it may change."""
    root, planted = built
    copy = tmp_path_factory.mktemp("house") / "data"
    shutil.copytree(root, copy, symlinks=True)
    with opened(copy) as service:
        yield House(service, planted)
