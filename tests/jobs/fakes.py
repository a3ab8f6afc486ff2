"""Children that do nothing but what a test says: no process, no engine. The program's own are in the other modules."""

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from audit.service import queue
from audit.service import revisions as file_revisions
from audit.service.child import ChildProgress, Work
from audit.service.files import Stored
from audit.service.hosted_campaigns import Hosted
from audit.service.queue import EVALUATE, READ
from audit.service.revisions import FileChange
from audit.service.worker import Worker

Result = Mapping[str, Any] | None


@dataclass
class FakeChild:
    """A child that ends when it is told to; its result is what the test says."""

    work: Work
    result_of: Callable[[Work], Result]
    ends: threading.Event
    progress: ChildProgress = field(default_factory=lambda: ChildProgress("working", 1, 2))
    was_killed: bool = False
    had_no_room: bool = False
    is_dead: bool = False

    def wait(self, seconds: float) -> bool:
        return self.ends.wait(min(seconds, 0.01))

    def kill(self) -> None:
        self.is_dead = True

    def result(self) -> Result:
        return self.result_of(self.work)

    def last_words(self) -> str:
        return "its last words"


def plain_result(work: Work) -> dict[str, Any]:
    """What a stage gives where all goes well; what is kept is written into the folder of the attempt."""
    if work.kind == READ:
        after = {**work.arguments["files"], **work.arguments["added"]}
        left = {path: file for path, file in after.items() if path not in work.arguments["removed"]}
        return {"result": {"files": left, "findings": {"is_usable": True, "tasks": []}}}
    place = Path(work.place)
    place.mkdir(parents=True)
    (place / "made.txt").write_text(json.dumps(work.arguments), encoding="utf-8")
    tasks = [{"slug": "flood", "load": 1, "report": "made.txt", "document": "made.txt"}]
    return {
        "result": {"signatures": {"flood": "s"}, "tasks": tasks, "summary": None, "rejected": []}
    }


class Children:
    """Begins children in a worker's stead, and keeps them."""

    def __init__(
        self, result: Callable[[Work], Result] = plain_result, *, end: bool = True, **how: bool
    ) -> None:
        self.result, self.how, self.made = result, how, []
        self.ends = threading.Event()
        if end:
            self.ends.set()

    def __call__(self, work: Work, _: Path) -> FakeChild:
        self.made.append(FakeChild(work, self.result, self.ends, **self.how))
        return self.made[-1]


class Site:
    """A person, a campaign, and what they ask for."""

    def __init__(self, hosting) -> None:
        self.hosting, self.database, self.data = hosting, hosting.database, hosting.data
        self.person = hosting.person()
        self.hosted = hosting.campaign(self.person)
        self.folder = self.data.of_campaign(self.hosted.id)

    def worker(self, children=None, **named) -> Worker:
        return Worker(self.database, self.data, start=children or Children(), **named)

    def receive(self, content: bytes, hosted: Hosted | None = None) -> Stored:
        folder = self.data.content_of((hosted or self.hosted).id)
        with folder.receiving() as receiver:
            receiver.write(content)
            return receiver.complete()

    def change(self, added, removed=(), *, base=0, hosted=None, unpack=True):
        """Make a revision; the job that reads it."""
        hosted = hosted or self.hosted
        stored = {path: self.receive(content, hosted) for path, content in added.items()}
        change = FileChange(stored, tuple(removed), unpack)
        with self.database.writing() as connection:
            _, job = file_revisions.change_files(
                connection, hosted, self.person, change, base=base, note="a change"
            )
        return job

    def ask(self, kind=EVALUATE, hosted=None, **arguments):
        with self.database.writing() as connection:
            return queue.ask_for(
                connection, (hosted or self.hosted).id, self.person.id, kind, **arguments
            )

    def evaluate(self, revision=1, hosted=None):
        return self.ask(EVALUATE, hosted, revision=revision, skip_rejected=False)

    def cancel(self, job):
        with self.database.writing() as connection:
            return queue.cancel(connection, job.campaign, self.person.id, job.number)

    def now(self, job):
        with self.database.reading() as connection:
            return queue.job_of(connection, job.campaign, job.number)

    def ask_database(self, act, *arguments):
        with self.database.reading() as connection:
            return act(connection, *arguments)

    def attempts(self):
        """Folders of attempts, and of what is kept of them."""
        return [
            sorted(path.name for path in self.folder.glob(f"{parent}/*"))
            for parent in ("work", "releases")
        ]


PATIENCE = 300.0
"""Seconds after which a test gives up: nothing takes so long, however busy the machine is."""


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """What a condition gives once it holds."""
    end, pause = time.monotonic() + seconds, 0.01
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(pause)
        # who asks a server all the time slows down what it waits for
        pause = min(1.2 * pause, 0.25)
    return found


def stretched(seconds: float) -> float:
    """So many seconds of a machine that has nothing else to do, on this one at the moment."""
    return seconds * max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))
