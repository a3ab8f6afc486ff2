"""A worker: claims jobs one after the other, has a child process do each, and keeps what the newest attempt gave."""

import logging
import os
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from audit.errors import AuditError
from audit.service import queue, releases
from audit.service.child import STORE, ChildProcess, Limits, Work
from audit.service.credentials import new_id
from audit.service.database import ControlDatabase
from audit.service.files import ContentFolder, DataFolder, sync
from audit.service.hosted_campaigns import first_title_of
from audit.service.queue import (
    ASK,
    DIFFER,
    EVALUATE,
    EXPORT,
    READ,
    Job,
    JobState,
    Watch,
    attempt_name,
)
from audit.service.releases import Release, release_folder
from audit.service.revisions import (
    files_before,
    files_from,
    forget_abandoned,
    keep_reading,
    read_revision,
    revision_of,
)

_LONGEST = 200  # bytes: file systems take 255


def work_of(
    connection: Connection, data: DataFolder, job: Job, place: Path, limits: Limits
) -> Work:
    """The order for the child process of an attempt."""
    title = first_title_of(connection, job.campaign)
    content = str(data.of_campaign(job.campaign))
    arguments = _ARGUMENTS.get(job.kind, _of_release)(connection, data, job)
    return Work(job.kind, folder_name(title), content, str(place), arguments, limits)


def folder_name(title: str) -> str:
    """The name of the campaign's folder, which gives slug and title where task.toml states none.

    >>> folder_name("Ann's task: flood (2031)"), folder_name("../a/b")
    ("Ann's task: flood (2031)", 'a-b')
    """
    cut = re.sub(r"[/\\\0-\x1f\x7f]+", "-", title).strip(" .-").encode("utf-8")[:_LONGEST]
    return cut.decode("utf-8", "ignore").rstrip() or "campaign"


def _reading(connection: Connection, _: DataFolder, job: Job) -> Mapping[str, Any]:
    number = job.arguments["revision"]
    before = files_before(connection, job.campaign, number)
    change = revision_of(connection, job.campaign, number).change
    return {"files": {path: asdict(stored) for path, stored in before.items()}, **asdict(change)}


def _evaluating(connection: Connection, data: DataFolder, job: Job) -> Mapping[str, Any]:
    _, files = read_revision(connection, job.campaign, job.arguments["revision"])
    former = next(iter(releases.releases_of(connection, job.campaign)), None)
    return {
        "files": {path: asdict(stored) for path, stored in files.items()},
        "skip_rejected": job.arguments["skip_rejected"],
        "former_store": str(release_folder(data, former) / STORE) if former else None,
    }


def _of_release(connection: Connection, data: DataFolder, job: Job) -> Mapping[str, Any]:
    """The arguments of a job, with the store of its release and the loads of its test sets."""
    release = releases.release_of(connection, job.campaign, job.arguments["release"])
    return {
        **job.arguments,
        "store": str(release_folder(data, release) / STORE),
        "loads": _loads(release),
    }


def _differing(connection: Connection, data: DataFolder, job: Job) -> Mapping[str, Any]:
    former = releases.release_of(connection, job.campaign, job.arguments["former"])
    return {**_of_release(connection, data, job), "former_loads": _loads(former)}


def _loads(release: Release) -> Mapping[str, int]:
    return {task["slug"]: task["load"] for task in release.summary["tasks"]}


# of the other kinds those of a release
_ARGUMENTS = {READ: _reading, EVALUATE: _evaluating, DIFFER: _differing}


_LOG = logging.getLogger("audit.service")


def tidy(database: ControlDatabase, data: DataFolder) -> None:
    """Remove what was left in every campaign: for a server that begins, and alone receives files.

    That is what one that was killed left, and uploads that nobody made part of the campaign.
    """
    for folder in sorted((data.root / "campaigns").iterdir()):
        content = ContentFolder(folder)
        content.forget_incoming()
        with database.writing() as connection:
            content.forget(forget_abandoned(connection, folder.name))
        forget_attempts(database, data, folder.name)


def forget_attempts(database: ControlDatabase, data: DataFolder, campaign: str) -> None:
    """Remove the folders of a campaign's attempts that neither count nor gave anything that is kept.

    What was kept of an attempt that the tables do not know is put aside: the tables may be an older copy, which
    somebody restored, and releases that were made since then are nowhere else.
    """
    folder = data.of_campaign(campaign)
    # before the tables are read
    work, outputs = (sorted(folder.glob(f"{name}/*")) for name in ("work", "releases"))
    with database.reading() as connection:
        begun, running = queue.attempts_of(connection, campaign)
        kept = releases.kept_folders(connection, campaign)
    for each in work:
        if each.name not in running:
            shutil.rmtree(each, ignore_errors=True)
    for each in outputs:
        if each.name in begun - running - kept:
            shutil.rmtree(each, ignore_errors=True)
        elif each.name not in begun:
            (folder / "unknown").mkdir(exist_ok=True)
            aside = folder / "unknown" / f"{each.name}-{new_id()}"
            each.rename(aside)
            _LOG.warning(
                "%s is of no job in the database, maybe an older copy: put aside as %s", each, aside
            )


# seconds within which a service ends that is ended together with the processes of its jobs
_TOGETHER = 1.0
_LOOK = 1.0  # seconds between two looks at other workers
_AWAY = (OperationalError, InterfaceError, InternalError, PoolTimeoutError)
"""How a database fails that may be back in a moment."""


@dataclass(eq=False)
class Worker:
    """A process that does jobs, one at a time."""

    database: ControlDatabase  # the queue
    data: DataFolder  # the files
    limits: Limits = field(default_factory=Limits)  # the limits of each job
    watch: Watch = field(default_factory=Watch)  # the heartbeats that it has seen of other workers
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set to end it: a job that runs goes back into the queue."""
    name: str = field(
        default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}:{threading.get_native_id()}"
    )
    """The name of the worker, for the person who runs the service."""
    start: Callable[[Work, Path], ChildProcess] = ChildProcess.start
    """Begins the process that does a job."""
    none_aside: bool = False  # whether it leaves what is done aside to others
    idle: float = 0.5  # seconds between two looks at an empty queue
    poll: float = 0.25  # seconds between two looks at a child
    _given_up: Job | None = None  # an attempt whose end the database did not take
    _looked: float = 0.0

    def run(self) -> None:
        """Do jobs until the worker is to stop; wait while the database is away."""
        while not self.stopping.is_set():
            try:
                busy = self.do_next()
            except _AWAY as error:
                _LOG.warning("the database does not answer: %s", error)
                busy = False
            except Exception:  # noqa: BLE001 - the queue must not stand still
                _LOG.exception("a worker goes on after a fault of the program")
                busy = False
            if not busy:
                self.stopping.wait(self.idle)

    def do_next(self) -> bool:
        """Do the next job, if there is one; returns whether there was one."""
        # what was lost with the database: that was no fault of the work
        if self._given_up is not None:
            self._give_back(self._given_up)
            forget_attempts(self.database, self.data, self._given_up.campaign)
            self._given_up = None
        self._look_after_others()
        job = queue.claim(self.database, self.name, none_aside=self.none_aside)
        if job is None:
            return False
        try:
            self._do(job)
        except _AWAY:
            self._given_up = job
            raise
        return True

    def _look_after_others(self) -> None:
        """Queue again what dead workers ran, and remove what they left."""
        self._looked = time.monotonic()
        for job in self.watch.take_over(self.database):
            _LOG.warning("job %d, attempt %d, has no worker any more", job.number, job.attempt)
            forget_attempts(self.database, self.data, job.campaign)

    def _do(self, job: Job) -> None:
        """Do a job: whatever goes wrong, it has an end that says so."""
        scratch = (
            self.data.of_campaign(job.campaign) / "work" / attempt_name(job.number, job.attempt)
        )
        try:
            self._attempt(job, scratch)
        except _AWAY:
            raise
        except AuditError as error:
            self._end(job, JobState.FAILED, {"error": str(error)})
        except OSError as error:
            _LOG.warning("job %d, attempt %d: %s", job.number, job.attempt, error)
            self._end(job, JobState.FAILED, {"error": _NO_DISK})
        except Exception as error:  # noqa: BLE001 - whatever it is, the job ends with it
            _LOG.exception("job %d, attempt %d", job.number, job.attempt)
            self._end(job, JobState.FAILED, {"error": _FAULT.format(type(error).__name__)})
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        if self._place(job).exists():  # its end may have been refused; or kept, and the answer lost
            self._persistently(lambda: forget_attempts(self.database, self.data, job.campaign))

    def _place(self, job: Job) -> Path:
        """The folder in which the kept files of an attempt stand."""
        return (
            self.data.of_campaign(job.campaign) / "releases" / attempt_name(job.number, job.attempt)
        )

    def _attempt(self, job: Job, scratch: Path) -> None:
        shutil.rmtree(scratch, ignore_errors=True)
        # no folder above it: where the disk is away, none is made in its place
        scratch.parent.mkdir(exist_ok=True)
        scratch.mkdir()
        with self.database.reading() as connection:
            work = work_of(connection, self.data, job, scratch / "kept", self.limits)
        child = self.start(work, scratch)
        try:
            counts = self._follow(job, child)
        except BaseException:
            child.kill()
            raise
        outcome = child.result()
        if counts:
            self._keep(job, child, scratch, outcome)

    def _follow(self, job: Job, child: ChildProcess) -> bool:
        """Wait for a child's end, and say that it lives; False where the attempt no longer counts, or was ended."""
        while not child.wait(self.poll):
            if self.stopping.is_set():
                child.kill()
                self._give_back(job)
                return False
            if not self._beats(job, child):
                child.kill()
                self._end(job, JobState.CANCELLED, {})
                return False
        return True

    def _beats(self, job: Job, child: ChildProcess) -> bool:
        now = child.progress
        try:
            with self.database.writing() as connection:
                goes_on = queue.beat(connection, job, now.step, now.done, now.total)
            if time.monotonic() - self._looked > _LOOK:
                self._look_after_others()
        except _AWAY as error:  # it may be back before others think this worker dead
            _LOG.warning("the database does not answer: %s", error)
            return True
        return goes_on

    def _give_back(self, job: Job) -> None:
        """Queue the job again, as if this attempt had never been."""
        with self.database.writing() as connection:
            queue.give_back(connection, job)

    def _keep(
        self, job: Job, child: ChildProcess, scratch: Path, outcome: Mapping[str, Any] | None
    ) -> None:
        if outcome is None:
            self._keep_silence(job, child)
        elif "result" not in outcome:
            self._end(job, JobState.FAILED, outcome)
        else:
            if job.kind in {READ, ASK}:
                kept = None
            else:
                kept = self._move_outputs(job, scratch / "kept")
            self._end(job, JobState.DONE, outcome["result"], kept)

    def _keep_silence(self, job: Job, child: ChildProcess) -> None:
        """End an attempt without a result: it is tried again only where something outside ended it."""
        _LOG.warning(
            "job %d, attempt %d, ended without a result: %s",
            job.number,
            job.attempt,
            child.last_words().strip() or "it left no message",
        )
        if child.had_no_room:
            self._end(job, JobState.FAILED, {"error": _NO_DISK})
        elif child.was_killed and self.stopping.wait(_TOGETHER):
            # whoever ends the service ended the child first
            self._give_back(job)
        elif child.was_killed:
            with self.database.writing() as connection:
                queue.release_attempt(connection, job)
        else:
            self._end(job, JobState.FAILED, {"error": _FAULT.format("it ended without a result")})

    def _move_outputs(self, job: Job, kept: Path) -> Path:
        """Move the outputs that are kept of an attempt to their place."""
        for path in (*kept.rglob("*"), kept):
            sync(path)
        place = self._place(job)
        place.parent.mkdir(exist_ok=True)
        kept.rename(place)
        sync(place.parent)
        return place

    def _end(
        self, job: Job, state: JobState, outcome: Mapping[str, Any], place: Path | None = None
    ) -> None:
        """End the attempt and keep what it gave, in one transaction; nothing where it no longer counts."""

        def end() -> None:
            with self.database.writing() as connection:
                if job.kind != READ or state is JobState.FAILED:
                    brief = outcome
                else:
                    brief = {}
                if queue.end(connection, job, state, brief) is JobState.DONE:
                    keep_result(connection, job, outcome, place)

        self._persistently(end)

    def _persistently(self, act: Callable[[], None]) -> None:
        """Repeat an action while the database does not answer, but no longer than others wait for this worker."""
        begun = time.monotonic()
        while True:
            try:
                return act()
            except _AWAY as error:
                if self.stopping.is_set() or time.monotonic() - begun > self.watch.dead_after:
                    raise
                _LOG.warning("the database does not answer: %s", error)
                self.stopping.wait(self.idle)


_NO_DISK = (
    "The service cannot write to its disk: it may be full, or away. Nothing was lost: repeat the job when whoever runs "
    "the service has seen to it."
)
_FAULT = "The program itself is at fault ({}). Nothing was lost: please report it."


def keep_result(
    connection: Connection, job: Job, result: Mapping[str, Any], place: Path | None
) -> None:
    """Keep what a job gave where it belongs, in the transaction that ends it."""
    if job.kind == READ:
        files = files_from(result["files"])
        keep_reading(connection, job.campaign, job.arguments["revision"], files, result["findings"])
    elif job.kind == EVALUATE and place is not None:
        number = releases.keep_release(connection, job, place.name, result)
        _, *former = releases.releases_of(connection, job.campaign)
        if former:  # first, as it is waited for: drawing takes long
            queue.follow_up(
                connection,
                job.campaign,
                job.person,
                DIFFER,
                release=number,
                former=former[0].number,
            )
        queue.follow_up(connection, job.campaign, job.person, EXPORT, release=number)
    elif place is not None:
        releases.keep_part(connection, job, place.name)
