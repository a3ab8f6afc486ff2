"""Evaluations under `kill -9` at random moments of their steps: nothing is lost, and every job ends.

Run `python benchmarks/kills.py` for children of a server on SQLite, and with `--database postgresql+psycopg://…` for
workers on PostgreSQL, of which two share the jobs of a server that does none itself. The sample is evaluated again and
again; each kill waits for one of the phases in turn, then for a random part of it. A line a kill says what it met: the
phase, what was done of the step told last, and what the attempt had written. At the end every release is compared with
one that nothing touched.
"""

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from audit.verification.verifying import differences
from benchmarks.service import FIRST, Client, family, sample, serving

PHASES = ("reading", "comparing", "drawing", "writing")
OPEN = {"queued", "running"}
DEAD_AFTER = 5  # seconds after which another worker takes a job over
PATIENCE = 600.0  # seconds after which an evaluation counts as lost
# a child that is killed three times ends its job, as the docs say: the third one is let be
MOST_OF_A_JOB = 2


def phase_of(job: dict[str, Any]) -> str:
    """What an evaluation is at: a step that is done whole is over, and the drawing is told when it is done."""
    if job["step"] == "comparing":
        return "comparing" if job["done"] < job["total"] else "drawing"
    return "writing" if job["step"] in {"drawing", "writing"} else "reading"


@dataclass
class Workers:
    """Two workers on PostgreSQL; whoever is killed is begun again, as systemd does."""

    command: list[str]
    running: "list[subprocess.Popen[bytes]]"

    @classmethod
    def begun(cls, data: Path, database: str) -> "Workers":
        """Begin both."""
        options = [
            "--data",
            str(data),
            "--database",
            database,
            "--dead-after",
            str(DEAD_AFTER),
            "--workers",
            "1",
        ]
        command = [sys.executable, "-m", "audit", "worker", *options]
        workers = cls(command, [])
        for _ in range(2):
            workers.add()
        return workers

    def add(self) -> None:
        """Begin one more."""
        self.running.append(subprocess.Popen(self.command))

    def replace(self, pid: int) -> None:
        """Begin another one in the place of one that was killed."""
        dead = next(each for each in self.running if each.pid == pid)
        dead.wait()
        self.running.remove(dead)
        self.add()

    def end(self) -> None:
        """End them in order."""
        for each in self.running:
            each.terminate()
        for each in self.running:
            each.wait()


def command_line(pid: int) -> str:
    """The command of a process; empty where it has ended."""
    with suppress(OSError):
        return (
            Path(f"/proc/{pid}/cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode("utf-8", "replace")
        )
    return ""


def child_of(parents: list[int], attempt: str) -> tuple[int, int] | None:
    """The process that does an attempt, and whose child it is."""
    for parent in parents:
        for pid in family(parent)[1:]:
            if f"/{attempt}/" in command_line(pid):
                return pid, parent
    return None


def written(data: Path, attempt: str) -> list[str]:
    """The files that an attempt has written so far, of those that are kept."""
    return sorted(
        path.name for path in data.glob(f"campaigns/*/work/{attempt}/kept/*") if path.is_file()
    )


def state_of(client: Client, campaign: str, number: int) -> dict[str, Any]:
    """A job as it is now."""
    found = client.again().ask("GET", f"{campaign}/jobs/{number}")["job"]
    assert isinstance(found, dict)  # noqa: S101 - JSON of ours
    return found


@contextmanager
def everything(data: Path, database: str | None) -> Iterator[tuple[Client, int, Workers | None]]:
    """A server, and two workers where it is PostgreSQL that holds the tables."""
    with ExitStack() as stack:
        more = (
            ["--database", database, "--workers", "0", "--dead-after", str(DEAD_AFTER)]
            if database
            else []
        )
        client, pid = stack.enter_context(serving(data, *more))
        workers = None
        if database:
            workers = Workers.begun(data, database)
            stack.callback(workers.end)
        yield client, pid, workers


@dataclass
class Round:
    """One service whose evaluations are killed."""

    client: Client
    server: int
    workers: Workers | None
    data: Path
    draw: random.Random
    campaign: str = ""
    lengths: dict[str, float] = field(default_factory=dict)  # seconds of each phase, untouched

    def finish(self, number: int) -> dict[str, Any]:
        """Wait for the end of a job."""
        end = time.monotonic() + PATIENCE
        while (job := state_of(self.client, self.campaign, number))["state"] in OPEN:
            assert time.monotonic() < end, job  # noqa: S101 - a job that is lost ends the benchmark
            time.sleep(0.1)
        return job

    def begin(self) -> None:
        """Take in the sample, and evaluate it once, untouched."""
        begun = self.client.ask("POST", "/api/v1/campaigns", {"title": "Killed"})
        self.campaign = f"/api/v1/campaigns/{begun['id']}"
        upload = self.client.ask("PUT", f"{self.campaign}/uploads?path=flood-posts.zip", sample())[
            "id"
        ]
        body = {"base": 0, "uploads": [upload]}
        read = self.client.ask("POST", f"{self.campaign}/revisions", body)["job"]["number"]
        assert self.finish(read)["state"] == "done"  # noqa: S101 - as above
        number = self.evaluation()
        lengths, before = dict.fromkeys(PHASES, 0.0), time.monotonic()
        while (job := state_of(self.client, self.campaign, number))["state"] in OPEN:
            now = time.monotonic()
            lengths[phase_of(job)] += (now - before) * (job["state"] == "running")
            before = now
            time.sleep(0.05)
        assert job["state"] == "done", job  # noqa: S101 - as above
        self.lengths = lengths
        print(
            "untouched:",
            ", ".join(f"{phase} {seconds:.1f} s" for phase, seconds in lengths.items()),
            flush=True,
        )

    def evaluation(self) -> int:
        """Ask for an evaluation; what would follow from the one before is ended, as it is not what is tried."""
        for job in self.client.again().ask("GET", f"{self.campaign}/jobs"):
            if job["state"] in OPEN:
                with suppress(AssertionError):  # it ended meanwhile
                    self.client.again().ask("POST", f"{self.campaign}/jobs/{job['number']}/cancel")
        asked = self.client.again().ask("POST", f"{self.campaign}/evaluations", FIRST)
        return int(asked["job"]["number"])

    def kill(self, number: int, phase: str, attempt: int) -> str | None:
        """Kill the attempt of a job at a random moment of a phase; what that met, or None where it was too quick."""
        while True:
            job = state_of(self.client, self.campaign, number)
            if job["state"] not in OPEN or job["attempt"] > attempt:
                return None
            if job["attempt"] == attempt and job["state"] == "running":
                if phase_of(job) == phase:
                    break
                if PHASES.index(phase_of(job)) > PHASES.index(phase):
                    return None
            time.sleep(0.02)
        time.sleep(self.draw.uniform(0, self.lengths[phase]))
        parents = [each.pid for each in self.workers.running] if self.workers else [self.server]
        found = child_of(parents, f"{number}-{attempt}")
        if found is None:
            return None
        child, parent = found
        job, files = (
            state_of(self.client, self.campaign, number),
            written(self.data, f"{number}-{attempt}"),
        )
        victim = parent if self.workers else child
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return None
        if self.workers:
            self.workers.replace(victim)
        had = ", ".join(files) or "nothing"
        told = f"{job['done']} of {job['total']} {job['step']}" if job["step"] else "nothing"
        return f"{phase_of(job)} (told: {told}); it had written {had}"

    def compared(self) -> str:
        """Every release beside the first one, which nothing touched: documents and stores."""
        releases = self.client.again().ask("GET", f"{self.campaign}/releases")
        documents: dict[bytes, list[int]] = {}
        reports: dict[bytes, list[int]] = {}
        for each in releases:
            (task,) = each["summary"]["tasks"]
            files = f"{self.campaign}/releases/{each['number']}/files"
            document = self.client.again().ask("GET", f"{files}/{task['document']}")
            report = self.client.again().ask("GET", f"{files}/{task['report']}")
            documents.setdefault(document, []).append(each["number"])
            reports.setdefault(report, []).append(each["number"])
            (store,) = self.data.glob(f"campaigns/*/releases/{each['folder']}/audit.db")
            with closing(sqlite3.connect(store)) as opened:
                assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]  # noqa: S101 - as above
        for other in list(documents)[1:]:
            first, where = next(iter(documents)), documents[other]
            places = [each.place for each in differences(json.loads(first), json.loads(other))]
            print(f"documents of releases {where} differ in {len(places)} places: {places[:5]}")
        if len(reports) > 1:
            print(f"reports alike: {list(reports.values())}")
        signatures = {json.dumps(each["signatures"]) for each in releases}
        return (
            f"{len(releases)} releases, {len(signatures)} signature, {len(documents)} document of all results, "
            f"{len(reports)} report; stores whole"
        )

    def left_over(self) -> list[str]:
        """Folders of attempts that are of no release and of no job that runs."""
        kept = {
            each["folder"] for each in self.client.again().ask("GET", f"{self.campaign}/releases")
        }
        running = {
            f"{each['number']}-{each['attempt']}"
            for each in self.client.again().ask("GET", f"{self.campaign}/jobs")
            if each["state"] in OPEN or each["kind"] != "evaluate"
        }
        places = (*self.data.glob("campaigns/*/work/*"), *self.data.glob("campaigns/*/releases/*"))
        return sorted({place.name for place in places} - kept - running)


def main() -> None:
    """Kill, wait, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        data = Path(root) / "data"
        with everything(data, options.database) as (client, server, workers):
            this_round = Round(client, server, workers, data, random.Random(options.seed))  # noqa: S311 - moments
            this_round.begin()
            attempts = killed(this_round, options.kills)
            states = Counter(
                state_of(client, this_round.campaign, number)["state"] for number in attempts
            )
            print(
                f"{len(attempts)} evaluations: {dict(states)}; attempts {dict(Counter(attempts.values()))}"
            )
            print(this_round.compared())
            print(f"left over: {this_round.left_over() or 'nothing'}")


def killed(this_round: Round, n_kills: int) -> dict[int, int]:
    """Kill so many times; the attempts that each evaluation took."""
    attempts: dict[int, int] = {}
    n_done = 0
    while n_done < n_kills:
        number, n_of_job = this_round.evaluation(), 0
        while n_of_job < MOST_OF_A_JOB and n_done < n_kills:
            phase = PHASES[n_done % len(PHASES)]
            met = this_round.kill(number, phase, n_of_job + 1)
            if met is None:  # it was quicker than the last time
                break
            n_of_job, n_done = n_of_job + 1, n_done + 1
            print(f"kill {n_done}, evaluation {number}, attempt {n_of_job}: {met}", flush=True)
        job = this_round.finish(number)
        attempts[number] = job["attempt"]
        assert job["state"] == "done", job  # noqa: S101 - as above
    return attempts


if __name__ == "__main__":
    main()
