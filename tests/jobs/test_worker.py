"""A worker does what the queue has, ends each job once, goes on after any fault, and leaves nothing half-made."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import DataError, OperationalError

from audit.service import queue, releases
from audit.service import revisions as file_revisions
from audit.service import worker as worker_module
from audit.service.child import ChildProcess
from audit.service.control_tables import CAMPAIGN, JOB, RELEASE
from audit.service.credentials import in_days
from audit.service.queue import ANONYMISE, ASK, DIFFER, EVALUATE, EXPORT, READ, JobState, Watch
from audit.service.releases import release_folder
from audit.service.rules import RefusedError
from audit.service.worker import tidy
from tests.nightly import whole_or

from .fakes import PATIENCE, Children, Site, plain_result, stretched, until

GOLD = {"gold.csv": b"id,label\n1,a\n2,b\n"}


@pytest.fixture
def site(hosting):
    return Site(hosting)


@pytest.fixture
def read(site):
    """A site whose first revision was read."""
    job = site.change(GOLD)
    assert site.worker().do_next()
    assert site.now(job).state is JobState.DONE
    return site


def do_all(worker):
    """Do what the queue has; how many jobs that were."""
    n_jobs = 0
    while worker.do_next():
        n_jobs += 1
    return n_jobs


def releases_of(site):
    return site.ask_database(releases.releases_of, site.hosted.id)


# What a job gives


def test_a_revision_is_read_and_evaluated_into_a_release_with_its_exports(read):
    job, worker = read.evaluate(), read.worker()
    assert do_all(worker) == 2
    (release,) = releases_of(read)
    assert (release.number, release.revision, release.signatures) == (1, 1, {"flood": "s"})
    assert set(release.parts) == {EXPORT}
    assert read.attempts() == [[], sorted([release.folder, release.parts[EXPORT]])]
    assert (release_folder(read.data, release) / "made.txt").is_file()
    assert read.now(job).outcome["signatures"] == {"flood": "s"}
    read.evaluate()
    assert do_all(worker) == 3  # the exports, and what changed since the release before
    newest, before = releases_of(read)
    assert (newest.number, before.number, set(newest.parts)) == (2, 1, {EXPORT, DIFFER})
    assert before == release


def test_what_a_child_is_told_of_a_release_is_where_it_stands(read):
    read.evaluate()
    children = Children()
    do_all(read.worker(children))
    store = str(release_folder(read.data, releases_of(read)[0]) / "audit.db")
    evaluated, exported = (child.work for child in children.made)
    assert evaluated.arguments["former_store"] is None
    assert (exported.arguments["store"], exported.arguments["loads"]) == (store, {"flood": 1})
    read.ask(ANONYMISE, release=1, salt="x")
    read.ask(ASK, release=1, command=["compare"])
    read.evaluate()
    do_all(read.worker(children))
    # what is waited for first
    *_, asked, again, differed, anonymised, _ = (child.work for child in children.made)
    assert anonymised.arguments["salt"] == "x"
    assert asked.arguments["command"] == ["compare"]
    assert again.arguments["former_store"] == store
    assert differed.arguments["former_loads"] == {"flood": 1}


def test_a_part_that_is_made_again_takes_the_place_of_the_former(read):
    read.evaluate()
    do_all(read.worker())
    former = releases_of(read)[0].parts[EXPORT]
    read.ask(EXPORT, release=1)
    do_all(read.worker())
    newest = releases_of(read)[0].parts[EXPORT]
    assert newest != former
    assert read.attempts()[1] == sorted([releases_of(read)[0].folder, newest])


def test_a_change_is_read_on_top_of_the_last_revision_that_was_read(read):
    """A reading that failed or was cancelled loses nothing of what stood before it."""
    failing = Children(lambda _: {"error": "The files cannot be used as they are.", "issues": []})
    read.change({"a.csv": b"a"}, base=1)
    read.worker(failing).do_next()
    cancelled = read.change({"b.csv": b"b"}, base=2)
    read.cancel(cancelled)
    read.change({"c.csv": b"c"}, base=3)
    read.worker().do_next()
    newest = read.ask_database(file_revisions.revision_of, read.hosted.id, 4)
    assert set(newest.files) == {"gold.csv", "c.csv"}
    # too late: the newest revision would go without it, and nobody would see that
    again = read.ask(READ, revision=3)
    read.worker().do_next()
    assert read.now(again).state is JobState.FAILED
    assert "changed again since then" in read.now(again).outcome["error"]


def test_what_was_not_read_is_not_evaluated(site):
    job = site.change(GOLD)
    with pytest.raises(RefusedError, match="still being read"):
        site.ask_database(file_revisions.read_revision, site.hosted.id, 1)
    site.worker(Children(lambda _: {"error": "no"})).do_next()
    assert site.now(job).state is JobState.FAILED
    with pytest.raises(RefusedError, match="could not be read"):
        site.ask_database(file_revisions.read_revision, site.hosted.id, 1)
    evaluation = site.evaluate()  # by whatever way it came into the queue
    site.worker().do_next()
    assert "could not be read" in site.now(evaluation).outcome["error"]
    assert releases_of(site) == []


# Faults of the work


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({}, "The program itself is at fault (it ended without a result)."),
        ({"had_no_room": True}, "it may be full"),
    ],
)
def test_what_would_fail_again_fails_at_once(how, says, read):
    job = read.evaluate()
    assert do_all(read.worker(Children(lambda _: None, **how))) == 1
    assert read.now(job).state is JobState.FAILED
    assert says in read.now(job).outcome["error"]
    assert read.attempts() == [[], []]


def test_what_something_outside_ended_is_tried_three_times(read, monkeypatch):
    monkeypatch.setattr(worker_module, "_TOGETHER", 0.0)  # nobody ends this service
    job = read.evaluate()
    assert do_all(read.worker(Children(lambda _: None, was_killed=True))) == queue.MOST_LOST
    assert read.now(job).state is JobState.FAILED
    assert "too little memory" in read.now(job).outcome["error"]


def test_a_real_child_that_is_killed_is_begun_again_and_its_work_is_whole(site):
    """With kill -9, as soon as it is there; benchmarks/kills.py does it at random moments of every phase."""
    begun = []

    def start(work, scratch):
        child = ChildProcess.start(work, scratch)
        begun.append(child)
        if len(begun) == 1:
            child.kill()
        return child

    rows = b"".join(b"%d,%c\n" % (item, b"ab"[item % 2]) for item in range(10))
    files = {"gold.csv": b"id,label\n" + rows, "submissions/A.csv": b"id,label\n" + rows}
    job, worker = site.change(files), site.worker(start)
    assert do_all(worker) == 2
    assert (site.now(job).state, site.now(job).attempt, len(begun)) == (JobState.DONE, 2, 2)
    revision = site.ask_database(file_revisions.revision_of, site.hosted.id, 1)
    assert revision.files.keys() == files.keys()
    assert {row["file"] for row in revision.findings["files"]} == files.keys()
    assert site.attempts() == [[], []]


def test_a_child_that_is_ended_together_with_its_server_has_not_failed(read):
    """Whoever ends the service may reach the child first: the job goes back into the queue, and nothing is counted."""
    job = read.evaluate()

    def killed(_):
        worker.stopping.set()

    worker = read.worker(Children(killed, was_killed=True))
    assert worker.do_next()
    assert (read.now(job).state, read.now(job).outcome) == (JobState.QUEUED, None)
    assert (
        read.ask_database(
            lambda connection: connection.execute(select(JOB.c.lost)).scalars().all()
        )[-1]
        == 0
    )


def test_an_error_of_a_child_is_the_jobs(read):
    job = read.evaluate()
    told = {"error": "The files cannot be used as they are.", "issues": [{"slug": "no-gold"}]}
    read.worker(Children(lambda _: told)).do_next()
    assert (read.now(job).state, read.now(job).outcome) == (JobState.FAILED, told)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (OSError(28, "No space left on device"), "it may be full"),
        (KeyError("tasks"), "The program itself is at fault (KeyError)"),
        (
            DataError("", {}, Exception("value out of range")),
            "The program itself is at fault (DataError)",
        ),
        (RefusedError("This cannot be."), "This cannot be."),
    ],
)
@pytest.mark.parametrize("where", ["work_of", "keep_result"])
def test_a_fault_of_the_service_ends_the_job_and_not_the_worker(
    where, fault, says, read, monkeypatch
):
    """At the beginning, and when all is done: either way nothing of it stays."""

    def fails(*_):
        raise fault

    job = read.evaluate()
    with monkeypatch.context() as patch:
        patch.setattr(worker_module, where, fails)
        assert do_all(read.worker()) == 1
    assert read.now(job).state is JobState.FAILED
    assert says in read.now(job).outcome["error"]
    assert read.attempts() == [[], []]
    assert releases_of(read) == []
    assert do_all(read.worker()) == 0


def test_a_result_that_lacks_a_part_is_a_fault_of_the_program(read):
    job = read.evaluate()

    def lacks(work):
        return {"result": {**plain_result(work)["result"], "signatures": None, "tasks": {1, 2}}}

    read.worker(Children(lacks)).do_next()
    assert "(TypeError)" in read.now(job).outcome["error"]
    assert read.attempts() == [[], []]


def test_a_disk_that_is_full_ends_the_job_with_the_reason(read, monkeypatch):
    job = read.evaluate()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(worker_module.Path, "mkdir", full)
        read.worker().do_next()
    assert read.now(job).state is JobState.FAILED
    assert "it may be full" in read.now(job).outcome["error"]


def test_what_is_kept_is_on_the_disk_before_the_tables_say_so(read, monkeypatch):
    """After a power cut a release that the tables name is whole."""
    synced, ended = [], []
    monkeypatch.setattr(worker_module, "sync", synced.append)
    end = queue.end
    monkeypatch.setattr(queue, "end", lambda *given: ended.append(list(synced)) or end(*given))
    read.evaluate()
    read.worker().do_next()
    assert [path.name for path in ended[0]] == ["made.txt", "kept", "releases"]


# Cancelling and stopping


def begun(worker):
    """A worker in a thread, and its job under way."""
    thread = threading.Thread(target=worker.run)
    thread.start()
    return thread


def ended(worker, thread):
    worker.stopping.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_job_that_runs_is_cancelled_within_two_seconds(read):
    children = Children(end=False)
    worker, job = read.worker(children), read.evaluate()
    thread = begun(worker)
    until(lambda: read.now(job).step == "working")
    start = time.monotonic()
    read.cancel(job)
    until(lambda: read.now(job).state is JobState.CANCELLED)
    assert time.monotonic() - start < stretched(2)
    assert children.made[0].is_dead
    ended(worker, thread)
    assert read.attempts() == [[], []]


def test_a_worker_that_stops_gives_its_job_back(read):
    children = Children(end=False)
    worker, job = read.worker(children), read.evaluate()
    thread = begun(worker)
    until(lambda: read.now(job).state is JobState.RUNNING and children.made)
    ended(worker, thread)
    assert children.made[0].is_dead
    assert (read.now(job).state, read.now(job).attempt) == (JobState.QUEUED, 1)
    assert do_all(read.worker()) == 2
    assert releases_of(read)[0].folder == f"{job.number}-2"


def test_what_was_cancelled_as_it_ended_makes_no_release(read):
    job = read.evaluate()

    def cancelled_meanwhile(work):
        read.cancel(job)
        return plain_result(work)

    read.worker(Children(cancelled_meanwhile)).do_next()
    assert read.now(job).state is JobState.CANCELLED
    assert releases_of(read) == []
    assert read.attempts() == [[], []]


def test_the_worker_itself_is_interrupted_and_its_child_ends(read, monkeypatch):
    """Ctrl-C in a worker that runs in the main thread."""
    children = Children(end=False)
    monkeypatch.setattr(queue, "beat", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    read.evaluate()
    with pytest.raises(KeyboardInterrupt):
        read.worker(children).do_next()
    assert children.made[0].is_dead


# Workers that die


def test_an_old_attempt_never_writes(read):
    """A worker that was taken for dead comes back with its result when another one has done the job."""
    job, other = read.evaluate(), read.worker()

    def slow(work):
        with read.database.writing() as connection:
            queue.release_attempt(connection, read.now(job))
        assert other.do_next()
        return plain_result(work)

    read.worker(Children(slow)).do_next()
    (release,) = releases_of(read)
    assert release.folder == f"{job.number}-2"
    do_all(other)
    assert read.attempts() == [[], sorted([release.folder, releases_of(read)[0].parts[EXPORT]])]


def test_an_attempt_that_was_taken_over_ends_at_its_next_beat(read):
    children, job = Children(end=False), read.evaluate()
    worker = read.worker(children)
    thread = begun(worker)
    until(lambda: read.now(job).step == "working")
    with read.database.writing() as connection:
        connection.execute(update(JOB).where(JOB.c.number == job.number).values(attempt=7))
    until(lambda: children.made[0].is_dead)
    ended(worker, thread)
    assert (read.now(job).state, read.now(job).attempt) == (JobState.RUNNING, 7)


def test_a_busy_worker_takes_over_what_a_dead_one_ran(read):
    """Whoever works for an hour looks after the others meanwhile."""
    lost = read.evaluate()
    assert queue.claim(read.database, "dead").number == lost.number
    (read.folder / "work" / f"{lost.number}-1").mkdir(parents=True)
    other = read.hosting.campaign(read.person, "Another")
    read.change(GOLD, hosted=other)
    children = Children(end=False)
    worker = read.worker(children, watch=Watch(dead_after=0.2))
    thread = begun(worker)
    until(lambda: read.now(lost).state is JobState.QUEUED)
    until(lambda: read.attempts() == [[], []])
    children.ends.set()
    until(lambda: read.now(lost).state is JobState.DONE)
    ended(worker, thread)
    assert [release.folder for release in releases_of(read)] == [f"{lost.number}-2"]


def test_a_server_that_begins_removes_what_the_last_one_left(read):
    read.evaluate()
    do_all(read.worker())
    kept = read.attempts()
    lost = read.evaluate()
    queue.claim(read.database, "elsewhere")
    with read.database.writing() as connection:
        queue.release_attempt(connection, read.now(lost))
    running = queue.claim(read.database, "elsewhere")
    name = f"{running.number}-2"
    for path in ("work/9-1", f"work/{name}", f"releases/{lost.number}-1", f"releases/{name}"):
        (read.folder / path / "files").mkdir(parents=True)
    (read.folder / "incoming" / "x.part").write_bytes(b"half")
    (read.data.root / "campaigns" / "nobody's").mkdir()
    tidy(read.database, read.data)
    assert read.attempts() == [[name], sorted([*kept[1], name])]
    assert list((read.folder / "incoming").iterdir()) == []


class Killed(BaseException):
    """Nothing in the program handles it, as nothing handles a kill."""


@pytest.mark.parametrize(
    ("place", "name", "attempt"),
    [
        (worker_module, "work_of", 2),
        (Children, "__call__", 2),
        (worker_module.Worker, "_follow", 2),
        (worker_module.Worker, "_move_outputs", 2),
        (queue, "end", 2),  # what it gave has its place, and the tables do not know it
        (worker_module, "keep_result", 2),  # they are just told
        (worker_module, "forget_attempts", 1),  # they know it
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_server_that_is_killed_at_any_moment_makes_one_release(
    place, name, attempt, read, monkeypatch
):
    """Nothing is tidied up by who is killed; the server that begins then does it, and goes on."""
    job, worker = read.evaluate(), read.worker()

    def killed(*_):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(worker_module.shutil, "rmtree", lambda *_, **__: None)
        patch.setattr(place, name, killed)
        with pytest.raises(Killed):
            worker.do_next()
    with read.database.writing() as connection:
        queue.take_back(connection)
    tidy(read.database, read.data)
    do_all(read.worker())
    assert (read.now(job).state, read.now(job).attempt) == (JobState.DONE, attempt)
    (release,) = releases_of(read)
    assert release.folder == f"{job.number}-{attempt}"
    assert read.attempts() == [[], sorted([release.folder, *release.parts.values()])]
    assert list(read.folder.glob("unknown/*")) == []


def test_a_release_that_older_tables_do_not_know_is_put_aside(read):
    """Somebody restored last night's tables, and not the folder: what was made since then is nowhere else."""
    read.evaluate()
    do_all(read.worker())
    (kept,) = releases_of(read)
    newer = [f"{kept.folder.partition('-')[0]}-7", "99-1"]
    for name in newer:
        (read.folder / "releases" / name).mkdir()
        (read.folder / "releases" / name / "audit.db").write_bytes(name.encode())
    for _ in range(2):
        tidy(read.database, read.data)
        aside = {path.read_bytes().decode() for path in read.folder.glob("unknown/*/audit.db")}
        assert aside == set(newer)
        assert read.attempts()[1] == sorted([kept.folder, *kept.parts.values()])


def test_a_data_folder_that_is_away_is_not_made_anew(read):
    """Its disk was taken out: jobs wait for it where the tables are on it, and fail with the reason elsewhere."""
    job, root, worker = read.evaluate(), read.data.root, read.worker()
    root.rename(root.with_name("away"))
    with (
        pytest.raises(OperationalError, match="moved, replaced")
        if read.database.is_sqlite
        else nullcontext()
    ):
        worker.do_next()
    assert not root.exists()
    root.with_name("away").rename(root)
    if not read.database.is_sqlite:
        assert read.now(job).state is JobState.FAILED
        assert "it may be full, or away" in read.now(job).outcome["error"]
        job = read.evaluate()
    do_all(worker)
    assert (read.now(job).state, read.now(job).attempt) == (JobState.DONE, 1)


@pytest.mark.parametrize("days", [-400, 400])
def test_a_clock_that_is_set_changes_nothing_but_what_is_shown(days, read, monkeypatch):
    """While a job runs and while one waits: each is done once, in the order in which they were asked for."""
    first = read.evaluate()

    def clock_is_set(work):
        monkeypatch.setattr(queue, "now", lambda: in_days(days))
        return plain_result(work)

    worker = read.worker(Children(clock_is_set), watch=Watch(dead_after=1))
    worker.do_next()
    second = read.evaluate()
    do_all(worker)
    assert [read.now(job).state for job in (first, second)] == [JobState.DONE] * 2
    assert [read.now(job).attempt for job in (first, second)] == [1, 1]
    assert [release.folder for release in releases_of(read)] == [
        f"{second.number}-1",
        f"{first.number}-1",
    ]


# A database that is away


class Away:
    """Fails as a database does that does not answer, so many times."""

    def __init__(self, act, times, *, after=False):
        self.act, self.left, self.after = act, times, after

    def __call__(self, *given, **named):
        if self.left and not self.after:
            self.left -= 1
            raise OperationalError("", {}, Exception("terminating connection"))
        return self.act(*given, **named)


def test_a_database_that_is_away_when_a_job_ends_is_waited_for(read, monkeypatch):
    job = read.evaluate()
    monkeypatch.setattr(queue, "end", Away(queue.end, 3))
    read.worker().do_next()
    assert (read.now(job).state, read.now(job).attempt) == (JobState.DONE, 1)
    assert len(releases_of(read)) == 1


def test_an_end_whose_confirmation_was_lost_is_not_undone(read, monkeypatch):
    """The tables took it, and the answer did not arrive: the second try finds that it is done."""
    job, times = read.evaluate(), []
    writing = read.database.writing

    class Lossy:
        def __init__(self):
            self.inner = writing()

        def __enter__(self):
            return self.inner.__enter__()

        def __exit__(self, *how):
            found = self.inner.__exit__(*how)
            if times == ["end"]:
                times.append("lost")
                raise OperationalError(
                    "", {}, Exception("server closed the connection unexpectedly")
                )
            return found

    end = queue.end
    monkeypatch.setattr(queue, "end", lambda *given: times.append("end") or end(*given))
    monkeypatch.setattr(read.database, "writing", Lossy)
    read.worker().do_next()
    assert times == ["end", "lost", "end"]
    assert read.now(job).state is JobState.DONE
    (release,) = releases_of(read)
    assert (release_folder(read.data, release) / "made.txt").is_file()


def test_a_database_that_stays_away_costs_no_attempt(read, monkeypatch):
    """What was lost with it is queued again once it is back; the worker goes on."""
    job, end = read.evaluate(), queue.end
    worker = read.worker(watch=Watch(dead_after=0.2))
    away = Away(end, 10**6)
    monkeypatch.setattr(queue, "end", away)
    thread = begun(worker)
    until(lambda: read.now(job).attempt == 2)
    away.left = 0
    until(lambda: read.now(job).state is JobState.DONE)
    ended(worker, thread)
    assert (
        read.ask_database(
            lambda connection: connection.execute(select(JOB.c.lost)).scalars().all()
        ).count(0)
        >= 2
    )
    assert len(releases_of(read)) == 1
    assert read.attempts()[1][0] == releases_of(read)[0].folder


def test_a_beat_that_does_not_arrive_is_followed_by_another(read, monkeypatch):
    children, job = Children(end=False), read.evaluate()
    away = Away(queue.beat, 3)
    monkeypatch.setattr(queue, "beat", away)
    worker = read.worker(children)
    thread = begun(worker)
    until(lambda: away.left == 0)
    children.ends.set()
    until(lambda: read.now(job).state is JobState.DONE)
    ended(worker, thread)
    assert read.now(job).attempt == 1


@pytest.mark.parametrize(
    "fault", [OperationalError("", {}, Exception("away")), ValueError("a fault")]
)
def test_a_worker_goes_on_after_a_fault_between_two_jobs(fault, site, monkeypatch):
    job, claim, faults = site.change(GOLD), queue.claim, [fault, fault]

    def failing(*given, **named):
        if faults:
            raise faults.pop()
        return claim(*given, **named)

    monkeypatch.setattr(queue, "claim", failing)
    worker = site.worker()
    thread = begun(worker)
    until(lambda: site.now(job).state is JobState.DONE)
    ended(worker, thread)


# Many


@pytest.mark.parametrize("n_campaigns", [whole_or(20, 100)])
def test_campaigns_and_four_workers_lose_nothing_and_do_nothing_twice(n_campaigns, site):
    """Each is read, evaluated and exported."""
    lock, running, overlaps = threading.Lock(), set(), []

    def result(work):
        with lock:
            if work.content in running:
                overlaps.append(work.content)
            running.add(work.content)
        found = plain_result(work)
        with lock:
            running.remove(work.content)
        return found

    hosted = [
        site.hosting.campaign(site.person, f"Campaign {number}") for number in range(n_campaigns)
    ]
    for each in hosted:
        site.change(GOLD, hosted=each)
    workers = [site.worker(Children(result)) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        threads = [pool.submit(worker.run) for worker in workers]
        until(lambda: all_done(site, n_campaigns))
        for each in hosted:
            site.evaluate(hosted=each)
        until(lambda: all_done(site, 3 * n_campaigns))
        for worker in workers:
            worker.stopping.set()
        for thread in threads:
            thread.result(PATIENCE)
    assert overlaps == []
    with site.database.reading() as connection:
        jobs = connection.execute(select(JOB)).all()
        assert {job.attempt for job in jobs} == {1}
        assert sorted(connection.execute(select(RELEASE.c.campaign)).scalars()) == sorted(
            each.id for each in hosted
        )
        assert len(connection.execute(select(CAMPAIGN.c.id)).all()) == n_campaigns + 1
    for kind in (READ, EVALUATE, EXPORT):
        assert sorted(job.campaign for job in jobs if job.kind == kind) == sorted(
            each.id for each in hosted
        )


def all_done(site, n_jobs):
    with site.database.reading() as connection:
        states = connection.execute(select(JOB.c.state)).scalars().all()
    assert set(states) <= {"queued", "running", "done"}
    return len(states) == n_jobs and set(states) == {"done"}
