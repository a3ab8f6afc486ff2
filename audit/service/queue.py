"""Jobs: queued, claimed by a worker, run once, and written by the newest attempt alone.

No result depends on a clock. A worker that lives makes its job's beat grow; others take the job over when the beat
stands still for a while by their own count of seconds. An attempt that was taken over can no longer write: each of its
writes names its number, and finds another one. Jobs of a campaign are done in the order in which they were asked for,
and campaigns take turns: next is the one of which a job was begun longest ago.
"""

import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, case, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from audit.service.control_tables import JOB
from audit.service.credentials import now
from audit.service.database import ControlDatabase, lock_campaign
from audit.service.events import keep_event
from audit.service.rules import Act, ConflictError, MemberRole, NotFoundError, RefusedError, may

# jobs of a campaign that may wait or run: one campaign does not keep all others waiting
MOST_OPEN = 50
# attempts of a job that something outside may end while its worker lives, as a lack of memory does
MOST_LOST = 3
# attempts that may end with their worker: a job may be what brings the machine down
MOST_ATTEMPTS = 50
DEAD_AFTER = 20.0  # seconds without a beat
# seconds that count between two looks at the beats, however long the observer itself stood still
_LONGEST_LOOK = 2.0
_OPEN = ("queued", "running")
READ = "read"  # read a revision: what is in it, and what is wrong with it
EVALUATE = "evaluate"  # evaluate a revision, and make a release of it
DIFFER = "differ"  # say what changed since an earlier release, and what became of it
ASK = "ask"  # ask a release a question, as a command of the command line does
ANONYMISE = "anonymise"  # write the reports of a release with numbers for teams
EXPORT = "export"  # write what papers and programs take of a release
ASIDE = (ANONYMISE, EXPORT)
"""What takes long and is made of a release that is there: done after all else, and beside its campaign's other jobs."""
_NO_STEP = {"step": None, "done": 0, "total": 0}


class JobState(StrEnum):
    """The state of a job."""

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

    number: int  # the number of the job, in the order in which jobs were asked for
    campaign: str  # the id of the campaign
    person: str  # the person who asked for it
    kind: str  # the kind of work
    arguments: Mapping[str, Any]  # the arguments of the work
    state: JobState  # the state of the job
    attempt: int  # the number of times that it was begun
    is_cancelled: bool  # whether somebody wants it to end
    step: str | None  # the step that is under way
    done: int  # pieces of the step that are done
    total: int  # pieces of the step
    outcome: Mapping[str, Any] | None  # the result, or what went wrong
    queued_at: str  # the time when it was asked for, in UTC
    started_at: str | None  # the time when the newest attempt began, in UTC
    ended_at: str | None  # the time when it ended, in UTC; None while it is open


def job_in(row: Row[Any]) -> Job:
    """The job in a row."""
    if row.outcome is None:
        outcome = None
    else:
        outcome = json.loads(row.outcome)
    what = (
        row.number,
        row.campaign,
        row.person,
        row.kind,
        json.loads(row.arguments),
        JobState(row.state),
    )
    progress = (row.attempt, bool(row.cancel), row.step, row.done, row.total)
    return Job(*what, *progress, outcome, row.queued_at, row.started_at, row.ended_at)


def ask_for(
    connection: Connection, campaign: str, person: str, kind: str, **arguments: object
) -> Job:
    """Queue a job that somebody asks for; the open job where the same was asked for already."""
    lock_campaign(connection, campaign)
    same = (
        JOB.c.campaign == campaign,
        JOB.c.kind == kind,
        JOB.c.arguments == _written(arguments),
        JOB.c.cancel == 0,
    )
    row = connection.execute(
        select(JOB).where(*same, JOB.c.state.in_(_OPEN)).order_by(JOB.c.number)
    ).first()
    if row is not None:  # one that waits or runs and will answer the same
        return job_in(row)
    if len(open_jobs(connection, campaign)) >= MOST_OPEN:
        raise RefusedError(
            f"{MOST_OPEN} jobs of this campaign wait already. Let them end, or cancel some."
        )
    return follow_up(connection, campaign, person, kind, **arguments)


def _written(arguments: Mapping[str, object]) -> str:
    return json.dumps(arguments, sort_keys=True)


def follow_up(
    connection: Connection, campaign: str, person: str, kind: str, **arguments: object
) -> Job:
    """Queue a job that follows from another one, which has ended and is not to fail."""
    row = {"campaign": campaign, "person": person, "kind": kind, "arguments": _written(arguments)}
    result = connection.execute(
        insert(JOB)
        .values(**row, state=JobState.QUEUED.value, queued_at=now())
        .returning(JOB.c.number)
    )
    number = result.scalar_one()
    about = {
        name: arguments[name] for name in ("revision", "release", "former") if name in arguments
    }
    keep_event(connection, campaign, person, "asked for a job", job=number, kind=kind, **about)
    return job_of(connection, campaign, number)


def job_of(connection: Connection, campaign: str, number: int) -> Job:
    """A job of a campaign."""
    row = connection.execute(
        select(JOB).where(JOB.c.campaign == campaign, JOB.c.number == number)
    ).first()
    if row is None:
        raise NotFoundError("There is no such job.")
    return job_in(row)


def jobs_of(connection: Connection, campaign: str, *, limit: int = 50) -> list[Job]:
    """The jobs of a campaign, the newest first."""
    query = select(JOB).where(JOB.c.campaign == campaign).order_by(JOB.c.number.desc()).limit(limit)
    return list(map(job_in, connection.execute(query)))


def shown_job(job: Job, role: MemberRole) -> Job:
    """A job as a member may see it: what it was told and what came of it may quote gold and items.

    What the numbers of anonymous teams are drawn by is shown to nobody.
    """
    if not may(role, Act.READ_FILES):
        return replace(job, person="", arguments={}, outcome=None)
    return replace(
        job, arguments={name: value for name, value in job.arguments.items() if name != "salt"}
    )


def last_done(connection: Connection, campaign: str, kind: str, release: int) -> Job | None:
    """The newest job of a kind that was done for a release."""
    its = (JOB.c.campaign == campaign, JOB.c.kind == kind, JOB.c.state == JobState.DONE.value)
    rows = connection.execute(select(JOB).where(*its).order_by(JOB.c.number.desc()))
    return next((job for job in map(job_in, rows) if job.arguments["release"] == release), None)


def open_jobs(connection: Connection, campaign: str) -> list[Job]:
    """The jobs of a campaign that wait or run, in their order."""
    query = (
        select(JOB).where(JOB.c.campaign == campaign, JOB.c.state.in_(_OPEN)).order_by(JOB.c.number)
    )
    return list(map(job_in, connection.execute(query)))


def n_before(connection: Connection, job: Job) -> int:
    """How many jobs at most come before a queued one: its campaign's own, those that run, and the others' turns.

    All that is not done aside comes before what is.
    """
    if job.state is not JobState.QUEUED:
        return 0
    query = select(JOB.c.campaign, JOB.c.number, JOB.c.state, JOB.c.kind)
    aside = job.kind in ASIDE
    every = connection.execute(query.where(JOB.c.state.in_(_OPEN))).all()
    rows = [row for row in every if (row.kind in ASIDE) == aside]
    n_others = sum(
        row not in rows and (aside or row.state == JobState.RUNNING.value) for row in every
    )
    n_running = sum(
        row.state == JobState.RUNNING.value and row.campaign != job.campaign for row in rows
    )
    own = sum(row.campaign == job.campaign and row.number < job.number for row in rows)
    waiting = Counter(row.campaign for row in rows if row.state == JobState.QUEUED.value)
    waiting.pop(job.campaign)
    return int(
        n_others + own + n_running + sum(min(n_waiting, own + 1) for n_waiting in waiting.values())
    )


def cancel(connection: Connection, campaign: str, person: str, number: int) -> Job:
    """End a job: at once where it waits, as soon as its worker sees it where it runs."""
    kind = job_of(connection, campaign, number).kind
    if _cancelled(connection, JOB.c.number == number):
        keep_event(connection, campaign, person, "cancelled a job", job=number, kind=kind)
    return job_of(connection, campaign, number)


def cancel_all(connection: Connection, campaign: str) -> None:
    """End every job of a campaign."""
    _cancelled(connection, JOB.c.campaign == campaign)


def _cancelled(connection: Connection, chosen: Any) -> bool:  # noqa: ANN401 - a condition
    """Whether a job was open; it waits or runs, and no moment between the two escapes."""
    waits = JOB.c.state == JobState.QUEUED.value
    values = {"state": case((waits, JobState.CANCELLED.value), else_=JOB.c.state), "cancel": 1}
    ended = {"ended_at": case((waits, now()), else_=JOB.c.ended_at)}
    query = update(JOB).where(chosen, JOB.c.state.in_(_OPEN), JOB.c.cancel == 0)
    return bool(connection.execute(query.values(**values, **ended)).rowcount)


def repeat(connection: Connection, campaign: str, person: str, number: int) -> Job:
    """Queue a job again that failed or was cancelled."""
    job = job_of(connection, campaign, number)
    if job.state not in {JobState.FAILED, JobState.CANCELLED}:
        raise ConflictError("Only a job that failed or was cancelled can be repeated.")
    return ask_for(connection, campaign, person, job.kind, **job.arguments)


def attempts_of(connection: Connection, campaign: str) -> tuple[set[str], set[str]]:
    """Every attempt of a campaign, and those that count at the moment, by the names of their folders."""
    rows = connection.execute(
        select(JOB.c.number, JOB.c.attempt, JOB.c.state).where(JOB.c.campaign == campaign)
    ).all()
    begun = {
        attempt_name(row.number, attempt) for row in rows for attempt in range(1, row.attempt + 1)
    }
    return begun, {
        attempt_name(row.number, row.attempt) for row in rows if row.state == JobState.RUNNING.value
    }


def attempt_name(job: int, attempt: int) -> str:
    """The name of the folder of an attempt, which no other attempt has."""
    return f"{job}-{attempt}"


def claim(database: ControlDatabase, worker: str, *, none_aside: bool = False) -> Job | None:
    """The next job for a worker: the first of the campaign that waits longest for its turn, and of which none runs.

    What is done aside comes after everything else, and not at all to a worker that does none of it.
    """
    earlier = JOB.alias("earlier")
    beside = (
        earlier.c.campaign == JOB.c.campaign,
        earlier.c.kind.in_(ASIDE) == JOB.c.kind.in_(ASIDE),
    )
    waits_for = (*beside, earlier.c.state.in_(_OPEN), earlier.c.number < JOB.c.number)
    runs = (*beside, earlier.c.state == JobState.RUNNING.value)
    free = (
        JOB.c.state == JobState.QUEUED.value,
        ~select(earlier).where(*waits_for).exists(),
        ~select(earlier).where(*runs).exists(),
        *([~JOB.c.kind.in_(ASIDE)] if none_aside else []),
    )
    former = JOB.alias("former")
    last_turn = select(func.coalesce(func.max(former.c.started_at), "")).where(
        former.c.campaign == JOB.c.campaign
    )
    in_turn = (
        select(JOB)
        .where(*free)
        .order_by(JOB.c.kind.in_(ASIDE), last_turn.scalar_subquery(), JOB.c.number)
    )
    query = in_turn.limit(1).with_for_update(skip_locked=True, of=JOB)
    try:
        with database.writing() as connection:
            row = connection.execute(query).first()
            if row is None:
                return None
            begun = {"state": JobState.RUNNING.value, "attempt": row.attempt + 1, "worker": worker}
            fresh = {"started_at": now(), "beat": row.beat + 1, **_NO_STEP}
            connection.execute(
                update(JOB).where(JOB.c.number == row.number).values(**begun, **fresh)
            )
            return job_of(connection, row.campaign, row.number)
    except IntegrityError:  # a job of this campaign began to run at the same moment
        return None


def beat(connection: Connection, job: Job, step: str | None, done: int, total: int) -> bool:
    """Say that an attempt lives, and how far it is; whether it is to go on."""
    values = {"beat": JOB.c.beat + 1, "step": step, "done": done, "total": total}
    if not connection.execute(update(JOB).where(*_current_attempt(job)).values(**values)).rowcount:
        return False
    return not job_of(connection, job.campaign, job.number).is_cancelled


def end(
    connection: Connection, job: Job, state: JobState, outcome: Mapping[str, Any]
) -> JobState | None:
    """Keep how an attempt ended: cancelled, where somebody asked for that before it was done.

    None, and nothing kept, where it is no longer the attempt that counts.
    """
    lock_campaign(connection, job.campaign)
    is_cancelled = JOB.c.cancel == 1
    values = {
        "state": case((is_cancelled, JobState.CANCELLED.value), else_=state.value),
        "outcome": case((is_cancelled, "{}"), else_=json.dumps(outcome)),
        "ended_at": now(),
    }
    row = connection.execute(
        update(JOB).where(*_current_attempt(job)).values(**values).returning(JOB.c.state)
    ).first()
    if row is None:
        return None
    return JobState(row.state)


def _current_attempt(job: Job) -> tuple[Any, ...]:
    """The job, as long as this attempt is the one that counts."""
    return (
        JOB.c.number == job.number,
        JOB.c.attempt == job.attempt,
        JOB.c.state == JobState.RUNNING.value,
    )


@dataclass(eq=False)
class Watch:
    """The heartbeats of running jobs that one observer has seen, by its own count of seconds."""

    dead_after: float = DEAD_AFTER  # seconds without a beat after which a worker counts as dead
    _seen: dict[int, tuple[int, int, float]] = field(default_factory=dict)
    _looked: float | None = None

    def take_over(self, database: ControlDatabase) -> list[Job]:
        """Queue again what dead workers ran; what was begun too often fails. Those jobs."""
        with database.reading() as connection:
            running = connection.execute(
                select(JOB).where(JOB.c.state == JobState.RUNNING.value)
            ).all()
        clock, before, self._seen = time.monotonic(), self._seen, {}
        if self._looked is None:
            passed = 0.0
        else:
            passed = min(clock - self._looked, _LONGEST_LOOK)
        self._looked = clock
        for row in running:
            attempt, beats, silent = before.get(row.number, (-1, -1, 0.0))
            stands = (attempt, beats) == (row.attempt, row.beat)
            self._seen[row.number] = (row.attempt, row.beat, silent + passed if stands else 0.0)
        dead = [job_in(row) for row in running if self._seen[row.number][2] > self.dead_after]
        for job in dead:
            with database.writing() as connection:
                outlive_worker(connection, job)
        return dead


def release_attempt(connection: Connection, job: Job) -> bool:
    """Queue a job again that something outside ended while its worker lived; it fails where that happened too often.

    False, and nothing kept, where it is no longer the attempt that counts.
    """
    lost = connection.execute(select(JOB.c.lost).where(JOB.c.number == job.number)).scalar_one() + 1
    if lost >= MOST_LOST:
        message = f"The work ended {lost} times without a word: the machine may have had too little memory for it."
        return end(connection, job, JobState.FAILED, {"error": message}) is not None
    return give_back(connection, job, lost=lost)


def outlive_worker(connection: Connection, job: Job) -> bool:
    """Queue a job again whose worker is gone, which is no fault of the work; far too often, and it fails."""
    if job.attempt < MOST_ATTEMPTS:
        return give_back(connection, job)
    message = f"The service ended {job.attempt} times while this was being done: whoever runs it finds out why."
    return end(connection, job, JobState.FAILED, {"error": message}) is not None


def take_back(connection: Connection) -> None:
    """Queue again whatever runs: for a service that alone does jobs, and begins; the one before it was killed."""
    for row in connection.execute(select(JOB).where(JOB.c.state == JobState.RUNNING.value)).all():
        outlive_worker(connection, job_in(row))


def give_back(connection: Connection, job: Job, **values: int) -> bool:
    """Queue a job again, as one whose worker is asked to stop: at no step; where somebody wanted it to end, it ends."""
    is_cancelled = JOB.c.cancel == 1
    again = {
        "state": case((is_cancelled, JobState.CANCELLED.value), else_=JobState.QUEUED.value),
        "ended_at": case((is_cancelled, now()), else_=None),
        "worker": None,
        **_NO_STEP,
    }
    return bool(
        connection.execute(
            update(JOB).where(*_current_attempt(job)).values(**again, **values)
        ).rowcount
    )
