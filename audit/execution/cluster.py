"""Work on a Dask cluster, on this machine or on others. Dask is an optional extra: ``shared-task-auditor[cluster]``."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from audit.errors import UsageError
from audit.execution import Executor, Result, Shared, Task
from audit.extras import require
from audit.text import listed, plural, quoted
from audit.version import __version__

_CONNECT_SECONDS = 20
# tasks for each worker that are under way: results that nobody has taken yet need memory
_AHEAD = 2


@dataclass(frozen=True, slots=True)
class Cluster(Executor):
    """Runs tasks on the workers of a Dask cluster.

    Only name a cluster of your own: a scheduler and its workers run whatever they are sent, and so can what they send
    back. Each worker needs this version of the program, and sees the file of codes under the same path.
    """

    address: str

    def map(
        self, work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """The result of every task, in the order of the tasks."""
        with self._client() as client:
            spread = client.scatter(shared, broadcast=True, hash=False)
            rest = iter(tasks)
            submit = partial(client.submit, work, spread, pure=False)
            # of tasks that the workers run at once
            n_threads = sum(map(int, client.nthreads().values()))
            under_way = deque(map(submit, islice(rest, _AHEAD * n_threads)))
            while under_way:
                result = under_way.popleft().result()
                under_way.extend(map(submit, islice(rest, 1)))
                yield result

    def check(self) -> None:
        """Refuse a cluster that could do nothing, before there is work for it."""
        with self._client() as client:
            versions = set(client.run(_version).values())
        if others := sorted(versions - {__version__}):
            raise UsageError(
                f"The cluster {self.address} runs version {listed(others)} of the auditor, and this is {__version__}: "
                f"install the same one everywhere."
            )

    def check_file(self, path: Path) -> None:
        """Refuse a file that some worker does not see."""
        with self._client() as client:
            sizes = client.run(_size, str(path))
        if blind := sorted(worker for worker, size in sizes.items() if size != path.stat().st_size):
            raise UsageError(
                f"{plural(len(blind), 'worker')} of the cluster {self.address} cannot read the file of codes "
                f"{quoted(str(path), 200)}: {listed(blind, limit=5)}. Set TMPDIR to a folder that this machine and all "
                f"workers share under the same path."
            )

    @contextmanager
    def _client(self) -> Iterator[Any]:
        distributed = require("cluster", "--cluster")
        try:
            client = distributed.Client(
                self.address, timeout=_CONNECT_SECONDS, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise UsageError(
                f"No Dask scheduler answers at {quoted(self.address)}: {error}"
            ) from None
        with client:
            if not client.nthreads():
                raise UsageError(
                    f"The cluster {self.address} has no worker: start one with dask worker {self.address}"
                )
            yield client


# On each of the workers


def _version() -> str:
    return __version__


def _size(path: str) -> int | None:
    """The size of a file as this worker reads it; None where it cannot."""
    try:
        with Path(path).open("rb") as file:
            return file.seek(0, os.SEEK_END)
    except OSError:
        return None
