"""Evaluates a made-up campaign that is too large for one process's memory: time, and peak memory by its kind.

Run `python benchmarks/scale.py`: 1,000 teams × 2,000,000 items × 3 classes in a store, evaluated with one process and
with two. It needs 5 GB in the folder for temporary files. `--teams`, `--items` and `--workers` say otherwise;
`--cluster` starts a Dask cluster of as many workers on this machine in place of processes, `--scores` leaves certainty
out, which takes most of the time.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from audit.domain import (
    Campaign,
    Evaluation,
    Gold,
    LabelSet,
    StatedOptions,
    Submission,
    Task,
    code_dtype,
)
from audit.execution import THIS_PROCESS, Executor
from audit.execution.cluster import Cluster
from audit.execution.processes import Processes
from audit.store import open_store
from audit.workflow import read_evaluation
from audit.writers.bundle.archive import evaluation_document
from audit.writers.data.export import to_json

CLASSES = 3
KINDS = ("RssAnon", "RssFile", "VmRSS")


def save(store: Path, n_teams: int, n_items: int) -> None:
    """A store with a made-up campaign, whose codes are mapped while they are saved."""
    rng = np.random.default_rng(3)
    labels, dtype = LabelSet(("a", "b", "c")), code_dtype(CLASSES)
    gold = rng.choice(CLASSES, n_items, p=[0.2, 0.3, 0.5]).astype(dtype)
    with tempfile.NamedTemporaryFile() as file:
        for share in np.linspace(0.5, 0.68, n_teams):
            right = rng.random(n_items, dtype=np.float32) < share
            file.write(
                np.where(right, gold, rng.integers(0, CLASSES, n_items, dtype=dtype)).tobytes()
            )
        file.flush()
        table = np.memmap(file.name, dtype, "r", shape=(n_teams, n_items))
        submissions = tuple(
            Submission(f"team {number:04}", np.asarray(row)) for number, row in enumerate(table)
        )
        with open_store(store) as opened:
            opened.save_campaigns(
                Campaign(Task("scale", "Scale", labels), Gold(labels, gold), submissions)
            )


def evaluate(store: Path, executor: Executor, *, certainty: bool) -> dict[str, float | str]:
    """The evaluation of the saved campaign: seconds, peak MB of each kind of memory, and its digest."""
    start, peaks = time.perf_counter(), dict.fromkeys((*KINDS, "workers"), 0.0)
    with _sampled(peaks):
        stated = StatedOptions(certainty=None if certainty else False)
        evaluation = read_evaluation(
            "scale", store, stated, executor=executor, on_step=_Told(start)
        )
    return {"seconds": time.perf_counter() - start, **peaks, "digest": _digest(evaluation)}


class _Told:
    """Prints when each step began to be done and when it was."""

    def __init__(self, start: float) -> None:
        self.start = start

    def __call__(self, step: str, done: int, total: int, /) -> None:
        if done in (1, total):
            seconds = time.perf_counter() - self.start
            print(f"  {seconds:7.1f} s: {step}, {done} of {total}", file=sys.stderr, flush=True)


def _digest(evaluation: Evaluation) -> str:
    return hashlib.sha256(to_json(evaluation_document(evaluation)).encode()).hexdigest()[:16]


@contextmanager
def _sampled(peaks: dict[str, float]) -> Iterator[None]:
    """Look ten times a second at what this process, and the largest process below it, hold."""
    ended = threading.Event()

    def sample() -> None:
        while not ended.wait(0.1):
            own = _memory(os.getpid())
            for kind in KINDS:
                peaks[kind] = max(peaks[kind], own[kind])
            below = [_memory(child)["RssAnon"] for child in _children(os.getpid())]
            peaks["workers"] = max([peaks["workers"], *below])

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _memory(process: int) -> dict[str, float]:
    """MB of each kind of memory of a process; nothing of one that has just ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        lines = []
    said = dict(line.split(":", 1) for line in lines)
    return {kind: float(said.get(kind, "0 kB").split()[0]) / 1024 for kind in KINDS}


def _children(process: int) -> list[int]:
    """The processes that a process has started, and those that these have started."""
    found = []
    for listing in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, listing.read_text().split()):
            found += [child, *_children(child)]
    return found


def measured(store: Path, n_workers: int, *, certainty: bool, on_cluster: bool) -> None:
    """Evaluate here, with so many workers, and print what it took as JSON."""
    if not on_cluster:
        here = THIS_PROCESS if n_workers == 1 else Processes(n_workers)
        print(json.dumps(evaluate(store, here, certainty=certainty)))
        return
    from distributed import LocalCluster  # noqa: PLC0415 - an optional extra

    with LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster:  # type: ignore[no-untyped-call]
        print(json.dumps(evaluate(store, Cluster(cluster.scheduler_address), certainty=certainty)))


def scale(
    n_teams: int,
    n_items: int,
    workers: list[int],
    *,
    certainty: bool = True,
    on_cluster: bool = False,
) -> None:
    """Print a row of a table for each number of workers, each measured in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "scale.db"
        save(store, n_teams, n_items)
        size, where = store.stat().st_size / 1e9, "Dask workers" if on_cluster else "processes"
        print(
            f"{n_teams:,} × {n_items:,} × {CLASSES}: a store of {size:.1f} GB",
            file=sys.stderr,
            flush=True,
        )
        for number in workers:
            command = [sys.executable, __file__, "--store", str(store), "--workers", str(number)]
            command += [*["--cluster"] * on_cluster, *["--scores"] * (not certainty)]
            child = subprocess.run(command, check=True, stdout=subprocess.PIPE)
            took = json.loads(child.stdout)
            print(
                _row(
                    took, f"{n_teams:,} × {n_items:,} × {CLASSES}, {_who(number, where)}", certainty
                ),
                flush=True,
            )


def _who(number: int, where: str) -> str:
    return "this process" if number == 1 and where == "processes" else f"{number} {where}"


def _row(took: dict[str, float], what: str, certainty: bool) -> str:  # noqa: FBT001 - a part of the words
    kind = "evaluation" if certainty else "scores"
    memory = f"{took['RssAnon']:.0f} MB apart from mapped pages, the largest worker {took['workers']:.0f} MB"
    resident = f"{took['VmRSS']:.0f} MB with the {took['RssFile']:.0f} MB of mapped pages"
    return f"| {kind} of {what} | {took['seconds']:.0f} s, {memory} | {resident} | digest {took['digest']} |"


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, default=1_000)
    parser.add_argument("--items", type=int, default=2_000_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument(
        "--cluster", action="store_true", help="a local Dask cluster in place of processes"
    )
    parser.add_argument("--scores", action="store_true", help="no intervals and comparisons")
    parser.add_argument("--store", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.store:
        measured(
            arguments.store,
            arguments.workers[0],
            certainty=not arguments.scores,
            on_cluster=arguments.cluster,
        )
    else:
        how = {"certainty": not arguments.scores, "on_cluster": arguments.cluster}
        scale(arguments.teams, arguments.items, arguments.workers, **how)


if __name__ == "__main__":
    main()
