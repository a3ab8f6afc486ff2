"""A worker: claims jobs one after the other, has a child process do each, and keeps what the newest attempt gave."""

import logging
import os
import shutil
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from audit.hosting import queue
from audit.hosting.database import ControlDatabase
from audit.hosting.file_revisions import files_from, keep_reading
from audit.hosting.queue import Job, JobState, Watch
from audit.hosting.releases import keep_part, keep_release, releases_of
from audit.jobs.child import ChildProcess
from audit.jobs.data_folder import DataFolder
from audit.jobs.job_kinds import ASK, DIFFER, EVALUATE, EXPORT, READ, Limits
from audit.jobs.work_orders import work_of

_POLL = 0.25  # seconds between two looks at a child
_IDLE = 0.5  # seconds between two looks at an empty queue
_LOG = logging.getLogger("audit.jobs")


@dataclass(eq=False)
class Worker:
    """One that does jobs, one at a time."""

    database: ControlDatabase
    """The queue."""
    data: DataFolder
    """The files."""
    limits: Limits = field(default_factory=Limits)
    """What each job may use."""
    watch: Watch = field(default_factory=Watch)
    """What it has seen of other workers."""
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set to end it: a job that runs goes back into the queue."""
    name: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}:{threading.get_native_id()}")
    """For whoever runs the service."""

    def run(self) -> None:
        """Do jobs until it is to stop; a database that is away for a while is waited for."""
        while not self.stopping.is_set():
            try:
                busy = self.do_next()
            except DBAPIError as error:
                _LOG.warning("the database does not answer: %s", error.orig)
                busy = False
            if not busy:
                self.stopping.wait(_IDLE)

    def do_next(self) -> bool:
        """Do the next job, if there is one; whether there was."""
        self.watch.take_over(self.database)
        job = queue.claim(self.database, self.name)
        if job is None:
            return False
        self._do(job)
        return True

    def _do(self, job: Job) -> None:
        scratch = self.data.of_campaign(job.campaign) / "work" / f"{job.number}-{job.attempt}"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        try:
            with self.database.reading() as connection:
                work = work_of(connection, self.data, job, scratch / "kept", self.limits)
            child = ChildProcess.start(work, scratch)
            try:
                counts = self._follow(job, child)
            except BaseException:
                child.kill()
                raise
            found = child.result()
            if counts:
                self._keep(job, scratch, found)
            if counts and found is None:
                _LOG.warning(
                    "job %d, attempt %d, ended without a word: %s", job.number, job.attempt, child.last_words()
                )
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _follow(self, job: Job, child: ChildProcess) -> bool:
        """Wait for a child's end, and say that it lives; False where the attempt no longer counts, or was ended."""
        while not child.wait(_POLL):
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
                return queue.beat(connection, job, now.step, now.done, now.total)
        except DBAPIError as error:  # it may be back before others think this worker dead
            _LOG.warning("the database does not answer: %s", error.orig)
            return True

    def _give_back(self, job: Job) -> None:
        """Queue the job again, as if this attempt had never been."""
        with self.database.writing() as connection:
            queue.give_back(connection, job)

    def _keep(self, job: Job, scratch: Path, found: Mapping[str, Any] | None) -> None:
        if found is None:
            with self.database.writing() as connection:
                queue.release_attempt(connection, job)
            return
        if "result" not in found:
            self._end(job, JobState.FAILED, found)
            return
        place = None if job.kind in {READ, ASK} else self._moved(job, scratch / "kept")
        if not self._end(job, JobState.DONE, found["result"], place) and place is not None:
            shutil.rmtree(place, ignore_errors=True)  # a newer attempt counts

    def _moved(self, job: Job, kept: Path) -> Path:
        """What is kept of an attempt, under a name that no other attempt has."""
        place = self.data.of_campaign(job.campaign) / "releases" / f"{job.number}-{job.attempt}"
        place.parent.mkdir(exist_ok=True)
        kept.rename(place)
        return place

    def _end(self, job: Job, state: JobState, outcome: Mapping[str, Any], place: Path | None = None) -> bool:
        """End the attempt and keep what it gave, in one transaction; nothing where it no longer counts."""
        with self.database.writing() as connection:
            brief = {} if job.kind == READ else outcome
            if not queue.end(connection, job, state, outcome if state is JobState.FAILED else brief):
                return False
            if state is JobState.DONE:
                keep_result(connection, job, outcome, place)
        return True


def keep_result(connection: Connection, job: Job, result: Mapping[str, Any], place: Path | None) -> None:
    """Keep what a job gave where it belongs, in the transaction that ends it."""
    if job.kind == READ:
        files = files_from(result["files"])
        keep_reading(connection, job.campaign, job.arguments["revision"], files, result["findings"])
    elif job.kind == EVALUATE and place is not None:
        _ask_for_more(connection, job, keep_release(connection, job, place.name, result))
    elif place is not None:
        keep_part(connection, job, place.name)


def _ask_for_more(connection: Connection, job: Job, number: int) -> None:
    """Queue what is made of a new release: its exports, and what changed since the one before it."""
    queue.follow_up(connection, job.campaign, job.person, EXPORT, release=number)
    _, *former = releases_of(connection, job.campaign)
    if former:
        queue.follow_up(connection, job.campaign, job.person, DIFFER, release=number, former=former[0].number)
