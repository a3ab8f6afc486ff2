"""A Dask cluster on this machine, where Dask is installed."""

import pytest

from audit.execution.cluster import Cluster


@pytest.fixture(scope="module")
def local_cluster():
    """Two workers, each a process."""
    distributed = pytest.importorskip(
        "distributed", reason="Dask is an optional extra: shared-task-auditor[cluster]"
    )
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as started:
        yield Cluster(started.scheduler_address)
