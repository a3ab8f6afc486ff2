"""Jobs are done once, in order, one of a campaign at a time, and written by the newest attempt alone."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from audit.service import hosted_campaigns, queue
from audit.service.control_tables import JOB
from audit.service.events import events_of
from audit.service.people import Caller
from audit.service.queue import JobState, Watch
from audit.service.rules import ConflictError, NotFoundError


class Asking:
    """What the pages and the workers ask of the queue, each in a transaction of its own."""

    def __init__(self, hosting):
        self.hosting, self.database = hosting, hosting.database
        self.person = hosting.person()
        self.campaign = hosting.campaign(self.person)

    def ask(self, campaign=None, kind="read", **arguments):
        with self.database.writing() as connection:
            return queue.ask_for(
                connection, (campaign or self.campaign).id, self.person.id, kind, **arguments
            )

    def do(self, act, *arguments, **named):
        with self.database.writing() as connection:
            return act(connection, *arguments, **named)

    def cancel(self, job):
        return self.do(queue.cancel, job.campaign, self.person.id, job.number)

    def now(self, job):
        with self.database.reading() as connection:
            return queue.job_of(connection, job.campaign, job.number)

    def claim(self):
        return queue.claim(self.database, "a worker")


@pytest.fixture
def asking(hosting):
    return Asking(hosting)


def test_a_job_is_claimed_followed_and_done(asking):
    job = asking.ask(revision=1)
    assert (job.state, job.attempt, job.arguments) == (JobState.QUEUED, 0, {"revision": 1})
    claimed = asking.claim()
    assert (claimed.number, claimed.state, claimed.attempt) == (job.number, JobState.RUNNING, 1)
    assert asking.do(queue.beat, claimed, "reading", 2, 5)
    assert (asking.now(job).step, asking.now(job).done, asking.now(job).total) == ("reading", 2, 5)
    assert asking.do(queue.end, claimed, JobState.DONE, {"tasks": ["\ud800\0"]}) is JobState.DONE
    assert asking.now(job).state is JobState.DONE
    assert asking.now(job).outcome == {"tasks": ["\ud800\0"]}  # PostgreSQL takes neither as text
    assert asking.claim() is None


def test_jobs_of_a_campaign_are_done_in_their_order_and_others_beside_them(asking):
    """Reading a revision needs the files of the one before it."""
    first, second = asking.ask(revision=1), asking.ask(revision=2)
    other = asking.ask(asking.hosting.campaign(asking.person, "Another"), revision=1)
    running = asking.claim()
    assert running.number == first.number
    assert asking.claim().number == other.number
    assert asking.claim() is None
    asking.do(queue.end, running, JobState.FAILED, {"error": "…"})
    assert asking.claim().number == second.number


def test_a_job_that_waits_behind_a_locked_one_is_not_taken_before_it(hosting, asking):
    """On PostgreSQL a claim passes over rows that another claim is about to take."""
    if hosting.database.is_sqlite:
        pytest.skip("SQLite has one writer at a time")
    first, _ = asking.ask(revision=1), asking.ask(revision=2)
    with hosting.database.writing() as connection:
        connection.execute(select(JOB).where(JOB.c.number == first.number).with_for_update())
        assert asking.claim() is None
    assert asking.claim().number == first.number


def test_a_campaign_with_a_later_job_that_runs_holds_up_nobody_else(asking):
    """However that came about: its earlier job waits, and the next campaign's is claimed."""
    earlier, later = asking.ask(revision=1), asking.ask(revision=2)
    asking.do(lambda connection: connection.execute(_running(later)))
    other = asking.ask(asking.hosting.campaign(asking.person, "Another"), revision=1)
    assert asking.claim().number == other.number
    asking.do(queue.end, asking.now(later), JobState.DONE, {})
    assert asking.claim().number == earlier.number


def test_the_database_itself_refuses_two_running_jobs_of_a_campaign(asking):
    first, second = asking.ask(revision=1), asking.ask(revision=2)
    assert asking.claim().number == first.number
    with pytest.raises(IntegrityError):
        asking.do(lambda connection: connection.execute(_running(second)))
    asking.do(lambda connection: connection.execute(update(JOB).values(state="queued")))
    asking.do(lambda connection: connection.execute(_running(second)))
    other = asking.ask(asking.hosting.campaign(asking.person, "Another"), revision=1)
    # the first waits while a later one runs, and keeps nobody else
    assert asking.claim().number == other.number
    assert asking.claim() is None


def _running(job):
    return update(JOB).where(JOB.c.number == job.number).values(state="running")


def test_an_export_holds_no_evaluation_of_its_campaign_back(asking):
    """It is done aside: one at a time, after whatever else waits, and never by a worker that does none of it."""
    exports = [asking.ask(kind=kind, release=1) for kind in queue.ASIDE]
    evaluation = asking.ask(kind="evaluate", revision=2)
    with asking.database.reading() as connection:
        assert [queue.n_before(connection, each) for each in (*exports, evaluation)] == [1, 2, 0]
    assert queue.claim(asking.database, "a worker").number == evaluation.number
    assert queue.claim(asking.database, "a worker", none_aside=True) is None
    assert queue.claim(asking.database, "a worker").number == exports[0].number
    assert queue.claim(asking.database, "a worker") is None
    other = asking.ask(campaign=asking.hosting.campaign(asking.person, "Another"), revision=1)
    with asking.database.reading() as connection:  # one worker alone does both
        assert queue.n_before(connection, other) == 2


def test_a_claim_that_another_was_quicker_in_gives_nothing(asking, monkeypatch):
    """Two workers take two jobs of a campaign at the same moment: the index lets one of them."""
    asking.ask(revision=1)

    def refused(*_):
        raise IntegrityError("", {}, Exception("one_running_job_of_a_campaign"))

    monkeypatch.setattr(queue, "job_of", refused)
    assert asking.claim() is None


def test_the_same_is_not_queued_twice_while_it_is_open(asking):
    """A double click, or a program that asks again because it heard no answer."""
    first = asking.ask(kind="evaluate", revision=1, skip_rejected=False)
    assert asking.ask(kind="evaluate", skip_rejected=False, revision=1).number == first.number
    assert asking.ask(kind="evaluate", revision=1, skip_rejected=True).number != first.number
    running = asking.claim()
    assert asking.ask(kind="evaluate", revision=1, skip_rejected=False).number == running.number
    asking.cancel(running)  # what is about to end is no answer
    assert asking.ask(kind="evaluate", revision=1, skip_rejected=False).number != running.number


def test_twenty_who_ask_for_the_same_at_once_ask_for_one_job(asking):
    """Threads, each with a connection of its own."""
    with ThreadPoolExecutor(20) as pool:
        found = set(pool.map(lambda _: asking.ask(kind="evaluate", revision=1).number, range(20)))
    assert len(found) == 1


def test_the_place_in_the_queue_counts_turns_of_all_campaigns(asking):
    """At most: each other campaign comes as often as one's own, and no oftener than it has jobs."""
    other = asking.hosting.campaign(asking.person, "Another")
    jobs = [asking.ask(other, revision=1), asking.ask(revision=1), asking.ask(revision=2)]
    with asking.database.reading() as connection:
        assert [queue.n_before(connection, job) for job in jobs] == [1, 1, 2]
    running = asking.claim()
    with asking.database.reading() as connection:
        assert queue.n_before(connection, running) == 0
        assert queue.n_before(connection, jobs[2]) == 2


def test_one_campaign_with_many_jobs_holds_no_other_back(asking):
    """Fifty questions of one organiser, and the first upload of another: it is next, and they then take turns."""
    other = asking.hosting.campaign(asking.person, "Another")
    many = [asking.ask(revision=number) for number in range(50)]
    asking.do(queue.end, asking.claim(), JobState.DONE, {})
    late = [asking.ask(other, revision=number) for number in range(3)]
    with asking.database.reading() as connection:
        assert queue.n_before(connection, late[0]) == 1
    order = []
    for _ in range(7):
        order.append(job := asking.claim())
        asking.do(queue.end, job, JobState.DONE, {})
    expected = [late[0], many[1], late[1], many[2], late[2], many[3], many[4]]
    assert [job.number for job in order] == [job.number for job in expected]


# Ending


def test_an_attempt_that_was_taken_over_writes_nothing(asking):
    asking.ask(revision=1)
    old = asking.claim()
    assert asking.do(queue.release_attempt, old)
    new = asking.claim()
    assert (new.number, new.attempt) == (old.number, 2)
    assert not asking.do(queue.beat, old, "reading", 9, 9)
    assert asking.do(queue.end, old, JobState.DONE, {"by": "old"}) is None
    assert not asking.do(queue.give_back, old)
    assert not asking.do(queue.release_attempt, old)
    assert (asking.now(new).state, asking.now(new).step, asking.now(new).outcome) == (
        JobState.RUNNING,
        None,
        None,
    )
    assert asking.do(queue.end, new, JobState.DONE, {"by": "new"}) is JobState.DONE
    assert asking.do(queue.end, new, JobState.FAILED, {}) is None
    assert asking.now(new).outcome == {"by": "new"}


def test_what_waits_is_cancelled_at_once_and_what_runs_at_its_next_beat(asking):
    running, waiting = asking.ask(revision=1), asking.ask(revision=2)
    running = asking.claim()
    assert asking.cancel(waiting).state is JobState.CANCELLED
    assert asking.now(waiting).ended_at is not None
    assert asking.cancel(running).is_cancelled
    assert asking.now(running).state is JobState.RUNNING
    assert not asking.do(queue.beat, running, "reading", 1, 2)
    with asking.database.reading() as connection:
        acts = [event.act for event in events_of(connection, asking.campaign.id)]
    assert acts.count("cancelled a job") == 2
    asking.cancel(running)  # again: it changes nothing, and is no second act
    with asking.database.reading() as connection:
        assert [event.act for event in events_of(connection, asking.campaign.id)] == acts


@pytest.mark.parametrize("end", [queue.give_back, queue.release_attempt])
def test_a_job_that_was_cancelled_is_not_queued_again(end, asking):
    asking.ask(revision=1)
    running = asking.claim()
    asking.cancel(running)
    assert asking.do(end, running)
    assert asking.now(running).state is JobState.CANCELLED
    assert asking.now(running).ended_at is not None


@pytest.mark.parametrize("end", [queue.give_back, queue.release_attempt])
def test_a_job_that_waits_again_is_at_no_step(end, asking):
    """Nobody is told that figures are drawn while nobody draws them."""
    asking.ask(revision=1)
    running = asking.claim()
    asking.do(queue.beat, running, "drawing", 3, 12)
    assert asking.do(end, running)
    waiting = asking.now(running)
    assert (waiting.state, waiting.step, waiting.done, waiting.total) == (
        JobState.QUEUED,
        None,
        0,
        0,
    )


def test_a_job_that_was_cancelled_before_its_end_gives_nothing(asking):
    """Who was told that it is cancelled finds no release of it later."""
    asking.ask(revision=1)
    running = asking.claim()
    asking.cancel(running)
    assert asking.do(queue.end, running, JobState.DONE, {"tasks": []}) is JobState.CANCELLED
    assert asking.now(running).outcome == {}


def test_what_ends_without_a_word_is_begun_again_twice_and_fails_then(asking):
    job = asking.ask(revision=1)
    for attempt in (1, 2):
        assert asking.claim().attempt == attempt
        asking.do(queue.release_attempt, asking.now(job))
        assert asking.now(job).state is JobState.QUEUED
    assert asking.claim().attempt == 3
    asking.do(queue.release_attempt, asking.now(job))
    assert asking.now(job).state is JobState.FAILED
    assert "ended 3 times without a word" in asking.now(job).outcome["error"]


def test_a_worker_that_is_asked_to_stop_is_no_lost_attempt(asking):
    job = asking.ask(revision=1)
    for _ in range(queue.MOST_LOST + 1):
        assert asking.do(queue.give_back, asking.claim())
    assert asking.now(job).state is JobState.QUEUED


def test_only_what_failed_or_was_cancelled_is_repeated(asking):
    job = asking.ask(revision=1)
    with pytest.raises(ConflictError):
        asking.do(queue.repeat, job.campaign, asking.person.id, job.number)
    asking.cancel(job)
    again = asking.do(queue.repeat, job.campaign, asking.person.id, job.number)
    assert (again.state, again.kind, again.arguments) == (JobState.QUEUED, job.kind, job.arguments)
    assert again.number != job.number
    with pytest.raises(NotFoundError):
        asking.do(queue.repeat, job.campaign, asking.person.id, 99)


def test_the_jobs_of_a_removed_campaign_end(asking):
    running, waiting = asking.ask(revision=1), asking.ask(revision=2)
    running = asking.claim()
    asking.do(hosted_campaigns.remove_campaign, Caller(asking.person), asking.campaign)
    assert asking.now(waiting).state is JobState.CANCELLED
    assert not asking.do(queue.beat, running, None, 0, 0)


def test_the_newest_jobs_are_listed_first(asking):
    jobs = [asking.ask(revision=number).number for number in (1, 2, 3)]
    with asking.database.reading() as connection:
        assert [
            job.number for job in queue.jobs_of(connection, asking.campaign.id, limit=2)
        ] == jobs[:0:-1]
        assert [job.number for job in queue.open_jobs(connection, asking.campaign.id)] == jobs


# Dead workers


class Clock:
    """Seconds as a test counts them."""

    def __init__(self, monkeypatch):
        self.seconds = 1000.0
        monkeypatch.setattr(queue.time, "monotonic", lambda: self.seconds)

    def looks(self, watch, database, seconds):
        """What a watch takes over that looks each second, so long."""
        found = []
        for _ in range(seconds):
            self.seconds += 1
            found += [job.number for job in watch.take_over(database)]
        return found


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def test_a_worker_without_a_beat_is_dead_after_a_while(asking, clock):
    asking.ask(revision=1)
    running, watch = asking.claim(), Watch(dead_after=20)
    assert clock.looks(watch, asking.database, 21) == []
    assert clock.looks(watch, asking.database, 1) == [running.number]
    assert asking.now(running).state is JobState.QUEUED


def test_a_worker_that_beats_lives(asking, clock):
    asking.ask(revision=1)
    running, watch = asking.claim(), Watch(dead_after=20)
    for _ in range(5):
        assert clock.looks(watch, asking.database, 20) == []
        asking.do(queue.beat, running, "reading", 1, 2)
    assert clock.looks(watch, asking.database, 22) == [running.number]


def test_a_new_attempt_is_not_taken_for_the_old_one(asking, clock):
    asking.ask(revision=1)
    old, watch = asking.claim(), Watch(dead_after=20)
    assert clock.looks(watch, asking.database, 20) == []
    asking.do(queue.give_back, old)
    asking.claim()
    assert clock.looks(watch, asking.database, 20) == []


def test_an_observer_that_stood_still_itself_takes_nobody_for_dead(asking, clock):
    """A machine that was asleep wakes an hour later; the workers on it had no time to beat."""
    asking.ask(revision=1)
    asking.claim()
    watch = Watch(dead_after=20)
    assert clock.looks(watch, asking.database, 2) == []
    clock.seconds += 3600
    assert watch.take_over(asking.database) == []


def test_a_job_whose_server_is_killed_has_not_failed(asking, monkeypatch):
    """However often, up to what only a job does that brings the machine down; nobody says that it lacked memory."""
    job = asking.ask(revision=1)
    for attempt in range(1, 6):
        asking.claim()
        asking.do(queue.take_back)
        assert (asking.now(job).state, asking.now(job).attempt) == (JobState.QUEUED, attempt)
    monkeypatch.setattr(queue, "MOST_ATTEMPTS", 6)
    asking.claim()
    asking.do(queue.take_back)
    assert asking.now(job).state is JobState.FAILED
    assert (
        asking.now(job)
        .outcome["error"]
        .startswith("The service ended 6 times while this was being done")
    )


# Real concurrency


@pytest.mark.parametrize("n_workers", [4])
def test_a_hundred_jobs_are_done_once_each_by_threads(n_workers, asking):
    """None lost, none twice, never two of a campaign at once."""
    campaigns = [asking.hosting.campaign(asking.person, str(number)) for number in range(20)]
    jobs = {
        asking.ask(campaign, revision=number).number
        for campaign in campaigns
        for number in range(5)
    }
    lock, running, done, doubled = threading.Lock(), set(), [], []

    def work():
        misses = 0
        while misses < 20:
            job = asking.claim()
            if job is None:
                misses += 1
                continue
            misses = 0
            with lock:
                doubled.extend({job.campaign} & running)
                running.add(job.campaign)
            asking.do(queue.beat, job, "working", 1, 1)
            with lock:
                running.remove(job.campaign)
                done.append(job.number)
            assert asking.do(queue.end, job, JobState.DONE, {}) is JobState.DONE

    threads = [threading.Thread(target=work) for _ in range(n_workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert doubled == []
    assert sorted(done) == sorted(jobs)
