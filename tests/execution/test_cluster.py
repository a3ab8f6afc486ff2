"""A Dask cluster: the same results as anywhere, and errors that say what to do."""

import gc
import operator
import os
import sys
from itertools import islice
from pathlib import Path

import pytest

from audit.errors import MissingLibraryError, UsageError
from audit.execution import cluster as module
from audit.execution.cluster import Cluster

NOWHERE = Cluster("tcp://127.0.0.1:1")


def test_results_come_in_the_order_of_the_tasks(local_cluster):
    """More tasks than are under way at once; and none."""
    assert list(local_cluster.map(operator.sub, 100, range(30))) == list(range(100, 70, -1))
    assert list(local_cluster.map(operator.sub, 100, [])) == []


def test_an_error_stands_in_the_place_of_its_result(local_cluster):
    """The results before it are there."""
    results = local_cluster.map(operator.floordiv, 12, [3, 4, 0, 6])
    assert list(islice(results, 2)) == [4, 3]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_without_dask_the_extra_is_named(monkeypatch):
    """In place of Python's words for a module that is not there."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'shared-task-auditor\[cluster\]'"):
        NOWHERE.check()


def test_a_scheduler_that_does_not_answer_is_said(monkeypatch):
    """With its address."""
    pytest.importorskip("distributed", reason="Dask is an optional extra")
    monkeypatch.setattr(module, "_CONNECT_SECONDS", 0.2)
    with pytest.raises(UsageError, match=r"No Dask scheduler answers at “tcp://127.0.0.1:1”"):
        NOWHERE.check()
    with pytest.raises(UsageError, match="No Dask scheduler answers at “nonsense://”"):
        Cluster("nonsense://").check()


def test_a_cluster_without_workers_could_do_nothing():
    """It is refused before it waits for one."""
    distributed = pytest.importorskip("distributed", reason="Dask is an optional extra")
    # a client that found no scheduler, when collected later, waits for the lock that a new one holds
    gc.collect()
    none = distributed.LocalCluster(n_workers=0, dashboard_address=":0")
    with none, pytest.raises(UsageError, match="has no worker"):
        Cluster(none.scheduler_address).check()


def test_every_worker_has_the_same_version(local_cluster, monkeypatch):
    """Another one might round otherwise."""
    local_cluster.check()
    monkeypatch.setattr(module, "__version__", "0.0")
    with pytest.raises(UsageError, match=r"and this is 0\.0: install the same one everywhere"):
        local_cluster.check()


def test_every_worker_sees_the_file(local_cluster, tmp_path):
    """One that this process has open has its path here alone, as one on another machine would."""
    path = tmp_path / "codes"
    path.write_bytes(b"codes")
    local_cluster.check_file(path)
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("this system has no path that each process understands otherwise")
    with path.open("rb") as file:
        number = os.dup2(file.fileno(), 600)
    try:
        with pytest.raises(
            UsageError,
            match=r"2 workers of the cluster .* cannot read .* Set TMPDIR to a folder that",
        ):
            local_cluster.check_file(Path(f"/proc/self/fd/{number}"))
    finally:
        os.close(number)
