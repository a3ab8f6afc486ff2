"""Jobs: queued, claimed by a worker, run once, and written by the newest attempt alone.

Nothing here depends on a clock. A worker that lives makes its job's beat grow; others take the job over when the beat
stands still for a while by their own count of seconds. An attempt that was taken over can no longer write: each of its
writes names its number, and finds another one.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from audit.hosting.control_tables import JOB
from audit.hosting.credentials import now
from audit.hosting.database import ControlDatabase
from audit.hosting.events import keep_event
from audit.hosting.rules import Act, ConflictError, MemberRole, NotFoundError, RefusedError, may

MOST_OPEN = 50  # jobs of a campaign that may wait or run: one campaign does not keep all others waiting
MOST_LOST = 3  # attempts of a job that may end without a word
DEAD_AFTER = 20.0  # seconds without a beat


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        """Whether something will still happen."""
        return self in {JobState.QUEUED, JobState.RUNNING}


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work on a campaign."""

    number: int
    """In the order in which they were asked for."""
    campaign: str
    """Whose."""
    person: str
    """Who asked for it."""
    kind: str
    """What is to be done."""
    arguments: Mapping[str, Any]
    """With what."""
    state: JobState
    """Where it stands."""
    attempt: int
    """How often it was begun."""
    is_cancelled: bool
    """Whether somebody wants it to end."""
    step: str | None
    """What is under way."""
    done: int
    """Pieces of the step that are done."""
    total: int
    """Pieces of the step."""
    outcome: Mapping[str, Any] | None
    """The result, or what went wrong."""
    queued_at: str
    """In UTC, as the next two."""
    started_at: str | None
    """Of the newest attempt."""
    ended_at: str | None
    """None while it is open."""


def _job(row: Row[Any]) -> Job:
    return Job(
        number=row.number,
        campaign=row.campaign,
        person=row.person,
        kind=row.kind,
        arguments=json.loads(row.arguments),
        state=JobState(row.state),
        attempt=row.attempt,
        is_cancelled=bool(row.cancel),
        step=row.step,
        done=row.done,
        total=row.total,
        outcome=None if row.outcome is None else json.loads(row.outcome),
        queued_at=row.queued_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
    )


# What the pages ask for


def ask_for(connection: Connection, campaign: str, person: str, kind: str, **arguments: object) -> Job:
    """Queue a job that somebody asks for.

    Raises
    ------
    RefusedError
        Where the campaign has many that wait.
    """
    if sum(job.state.is_open for job in jobs_of(connection, campaign, limit=MOST_OPEN)) >= MOST_OPEN:
        raise RefusedError(f"{MOST_OPEN} jobs of this campaign wait already. Let them end, or cancel some.")
    return follow_up(connection, campaign, person, kind, **arguments)


def follow_up(connection: Connection, campaign: str, person: str, kind: str, **arguments: object) -> Job:
    """Queue a job that follows from another one, which has ended and is not to fail."""
    row = {"campaign": campaign, "person": person, "kind": kind, "arguments": json.dumps(arguments)}
    made = connection.execute(
        insert(JOB).values(**row, state=JobState.QUEUED.value, queued_at=now()).returning(JOB.c.number)
    )
    number = made.scalar_one()
    keep_event(connection, campaign, person, "asked for a job", job=number, kind=kind)
    return job_of(connection, campaign, number)


def job_of(connection: Connection, campaign: str, number: int) -> Job:
    """A job of a campaign.

    Raises
    ------
    NotFoundError
        Where there is none.
    """
    row = connection.execute(select(JOB).where(JOB.c.campaign == campaign, JOB.c.number == number)).first()
    if row is None:
        raise NotFoundError("There is no such job.")
    return _job(row)


def jobs_of(connection: Connection, campaign: str, *, limit: int = 50) -> list[Job]:
    """The jobs of a campaign, the newest first."""
    query = select(JOB).where(JOB.c.campaign == campaign).order_by(JOB.c.number.desc()).limit(limit)
    return list(map(_job, connection.execute(query)))


def shown_job(job: Job, role: MemberRole) -> Job:
    """A job as a member may see it: what it was told and what came of it may quote gold and items.

    What the numbers of anonymous teams are drawn by is shown to nobody.
    """
    if not may(role, Act.READ_FILES):
        return replace(job, person="", arguments={}, outcome=None)
    return replace(job, arguments={name: value for name, value in job.arguments.items() if name != "salt"})


def n_before(connection: Connection, job: Job) -> int:
    """How many jobs of all campaigns run, or wait in front of a queued one."""
    ahead = and_(JOB.c.state == JobState.QUEUED.value, JOB.c.number < job.number)
    query = select(func.count()).where(ahead | (JOB.c.state == JobState.RUNNING.value))
    return int(connection.execute(query).scalar_one()) if job.state is JobState.QUEUED else 0


def cancel(connection: Connection, campaign: str, person: str, number: int) -> Job:
    """End a job: at once where it waits, as soon as its worker sees it where it runs."""
    job = job_of(connection, campaign, number)
    chosen = update(JOB).where(JOB.c.number == number)
    at_once = {"state": JobState.CANCELLED.value, "ended_at": now()}
    connection.execute(chosen.where(JOB.c.state == JobState.QUEUED.value).values(**at_once))
    connection.execute(chosen.where(JOB.c.state == JobState.RUNNING.value).values(cancel=1))
    if job.state.is_open:
        keep_event(connection, campaign, person, "cancelled a job", job=number)
    return job_of(connection, campaign, number)


def repeat(connection: Connection, campaign: str, person: str, number: int) -> Job:
    """Queue a job again that failed or was cancelled.

    Raises
    ------
    ConflictError
        Where it is open, or done.
    """
    job = job_of(connection, campaign, number)
    if job.state not in {JobState.FAILED, JobState.CANCELLED}:
        raise ConflictError("Only a job that failed or was cancelled is repeated.")
    return ask_for(connection, campaign, person, job.kind, **job.arguments)


# What workers ask for


def claim(database: ControlDatabase, worker: str) -> Job | None:
    """The next job for a worker: the first whose campaign has none that runs. None where there is none."""
    busy = select(JOB.c.campaign).where(JOB.c.state == JobState.RUNNING.value)
    free = (JOB.c.state == JobState.QUEUED.value, JOB.c.campaign.not_in(busy))
    query = select(JOB).where(*free).order_by(JOB.c.number).limit(1).with_for_update(skip_locked=True)
    try:
        with database.writing() as connection:
            row = connection.execute(query).first()
            if row is None:
                return None
            begun = {"state": JobState.RUNNING.value, "attempt": row.attempt + 1, "worker": worker}
            fresh = {"started_at": now(), "beat": row.beat + 1, "step": None, "done": 0, "total": 0}
            connection.execute(update(JOB).where(JOB.c.number == row.number).values(**begun, **fresh))
            return job_of(connection, row.campaign, row.number)
    except IntegrityError:  # another worker took another job of this campaign at the same moment
        return None


def beat(connection: Connection, job: Job, step: str | None, done: int, total: int) -> bool:
    """Say that an attempt lives, and how far it is; whether it is to go on."""
    values = {"beat": JOB.c.beat + 1, "step": step, "done": done, "total": total}
    if not connection.execute(update(JOB).where(*_its(job)).values(**values)).rowcount:
        return False
    return not job_of(connection, job.campaign, job.number).is_cancelled


def end(connection: Connection, job: Job, state: JobState, outcome: Mapping[str, Any]) -> bool:
    """Keep how an attempt ended; False, and nothing kept, where it is no longer the one that counts."""
    values = {"state": state.value, "outcome": json.dumps(outcome, ensure_ascii=False), "ended_at": now()}
    return bool(connection.execute(update(JOB).where(*_its(job)).values(**values)).rowcount)


def _its(job: Job) -> tuple[Any, ...]:
    """The job, as long as this attempt is the one that counts."""
    return JOB.c.number == job.number, JOB.c.attempt == job.attempt, JOB.c.state == JobState.RUNNING.value


@dataclass(eq=False)
class Watch:
    """What one observer has seen of running jobs, by its own count of seconds."""

    dead_after: float = DEAD_AFTER
    """Seconds without a beat after which a worker counts as dead."""
    _seen: dict[int, tuple[int, int, float]] = field(default_factory=dict)

    def take_over(self, database: ControlDatabase) -> list[int]:
        """Queue again what dead workers ran; what was begun too often fails. The numbers of those jobs."""
        with database.reading() as connection:
            running = connection.execute(select(JOB).where(JOB.c.state == JobState.RUNNING.value)).all()
        clock, before, self._seen = time.monotonic(), self._seen, {}
        for row in running:
            attempt, beats, since = before.get(row.number, (-1, -1, clock))
            stands = (attempt, beats) == (row.attempt, row.beat)
            self._seen[row.number] = (row.attempt, row.beat, since if stands else clock)
        dead = [row for row in running if clock - self._seen[row.number][2] > self.dead_after]
        for row in dead:
            with database.writing() as connection:
                release_attempt(connection, _job(row))
        return [row.number for row in dead]


def release_attempt(connection: Connection, job: Job) -> bool:
    """Queue a job again whose attempt ended without a word; it fails where that happened too often."""
    lost = connection.execute(select(JOB.c.lost).where(JOB.c.number == job.number)).scalar_one() + 1
    if lost >= MOST_LOST:
        found = f"The work ended {lost} times without a word: the machine may have had too little memory for it."
        return end(connection, job, JobState.FAILED, {"error": found})
    return _queued_again(connection, job, lost=lost)


def take_back(connection: Connection) -> None:
    """Queue again whatever runs: for a service that alone does jobs, and begins."""
    for row in connection.execute(select(JOB).where(JOB.c.state == JobState.RUNNING.value)).all():
        give_back(connection, _job(row))


def give_back(connection: Connection, job: Job) -> bool:
    """Queue a job again whose worker is asked to stop."""
    return _queued_again(connection, job)


def _queued_again(connection: Connection, job: Job, **values: int) -> bool:
    """The job waits again; where somebody wanted it to end, it ends."""
    if job_of(connection, job.campaign, job.number).is_cancelled:
        return end(connection, job, JobState.CANCELLED, {})
    again = {"state": JobState.QUEUED.value, "worker": None, **values}
    return bool(connection.execute(update(JOB).where(*_its(job)).values(**again)).rowcount)
