"""Whatever workers and people do, in any order: a job ends once, two of a campaign never run, nothing is lost."""

from collections import defaultdict

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import delete, select

from audit.service import queue
from audit.service.control_tables import JOB
from audit.service.queue import JobState
from audit.service.rules import ConflictError, RefusedError
from tests.nightly import whole_or

OPEN = {JobState.QUEUED, JobState.RUNNING}
WORKERS = st.integers(0, 2)


class Workers(RuleBasedStateMachine):
    """Two campaigns, three workers, and what each of them believes; the tables are compared with it after each step."""

    hosting = None

    @initialize()
    def begin(self):
        with self.hosting.database.writing() as connection:
            connection.execute(delete(JOB))
        self.database, self.person = self.hosting.database, self.hosting.person()
        self.campaigns = [self.hosting.campaign(self.person, name) for name in "AB"]
        self.ours = {campaign.id for campaign in self.campaigns}
        self.held = {}  # by worker: the attempt that it believes to be at
        self.stale = []  # attempts of workers that are dead, or were taken for dead
        self.asked, self.ended, self.writes = {}, {}, defaultdict(list)
        self.n_questions = 0

    def do(self, act, *given, **named):
        with self.database.writing() as connection:
            return act(connection, *given, **named)

    def jobs(self):
        with self.database.reading() as connection:
            query = select(JOB).where(JOB.c.campaign.in_(self.ours))
            return {row.number: queue.job_in(row) for row in connection.execute(query)}

    @rule(which=st.integers(0, 1))
    def ask(self, which):
        self.n_questions += 1
        job = self.do(
            queue.ask_for,
            self.campaigns[which].id,
            self.person.id,
            "ask",
            question=self.n_questions,
        )
        assert job.number not in self.asked
        self.asked[job.number] = job

    @precondition(lambda self: self.asked)
    @rule(data=st.data())
    def ask_for_the_same(self, data):
        job = data.draw(st.sampled_from(list(self.asked.values())))
        before = self.jobs()
        again = self.do(queue.ask_for, job.campaign, self.person.id, job.kind, **job.arguments)
        same = [each for each in before.values() if each.arguments == job.arguments]
        if any(each.state in OPEN and not each.is_cancelled for each in same):
            assert again.number in before
        else:
            assert again.number not in before
            self.asked[again.number] = again

    @rule(worker=WORKERS)
    def claim(self, worker):
        if worker in self.held:
            return
        before = self.jobs()
        job = queue.claim(self.database, f"worker {worker}")
        busy = {each.campaign for each in before.values() if each.state is JobState.RUNNING}
        firsts, last_turns = {}, defaultdict(str)
        for each in sorted(before.values(), key=lambda each: each.number):
            last_turns[each.campaign] = max(last_turns[each.campaign], each.started_at or "")
            if each.state is JobState.QUEUED:
                firsts.setdefault(each.campaign, each.number)
        free = [
            (last_turns[campaign], number)
            for campaign, number in firsts.items()
            if campaign not in busy
        ]
        assert (None if job is None else job.number) == min(free, default=("", None))[1]
        if job is not None:
            assert job.attempt == before[job.number].attempt + 1
            self.held[worker] = job

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def beat(self, data):
        job = data.draw(st.sampled_from(list(self.held.values())))
        assert self.do(queue.beat, job, "step", 1, 2) == (
            self.counts(job) and not self.jobs()[job.number].is_cancelled
        )

    def counts(self, job):
        now = self.jobs()[job.number]
        return now.state is JobState.RUNNING and now.attempt == job.attempt

    @precondition(lambda self: self.held)
    @rule(data=st.data(), state=st.sampled_from([JobState.DONE, JobState.FAILED]))
    def end(self, data, state):
        worker = data.draw(st.sampled_from(list(self.held)))
        self.write(self.held.pop(worker), state)

    @precondition(lambda self: self.stale)
    @rule(data=st.data())
    def an_old_attempt_wakes_up(self, data):
        """It beats, ends, and gives back; what it holds was taken over."""
        job = data.draw(st.sampled_from(self.stale))
        if not self.counts(job):
            before = self.jobs()
            assert not self.do(queue.beat, job, "old", 9, 9)
            assert self.do(queue.end, job, JobState.DONE, {"by": "old"}) is None
            assert not self.do(queue.give_back, job)
            assert not self.do(queue.release_attempt, job)
            assert self.jobs() == before

    def write(self, job, state):
        counted, wanted = self.counts(job), self.jobs()[job.number].is_cancelled
        kept = self.do(queue.end, job, state, {"attempt": job.attempt})
        assert (kept is not None) == counted
        if counted:
            assert kept is (JobState.CANCELLED if wanted else state)
            self.writes[job.number].append(job.attempt)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def give_back(self, data):
        worker = data.draw(st.sampled_from(list(self.held)))
        job = self.held.pop(worker)
        counted = self.counts(job)
        assert self.do(queue.give_back, job) == counted

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def die(self, data):
        """The worker is gone; whether it is dead, nobody knows yet."""
        self.stale.append(self.held.pop(data.draw(st.sampled_from(list(self.held)))))

    @precondition(lambda self: self.held or self.stale)
    @rule(data=st.data())
    def take_over(self, data):
        """Some observer thinks a worker dead, rightly or not."""
        job = data.draw(st.sampled_from([*self.held.values(), *self.stale]))
        counted = self.counts(job)
        assert (
            self.do(data.draw(st.sampled_from([queue.release_attempt, queue.outlive_worker])), job)
            == counted
        )
        assert not self.counts(job)

    @precondition(lambda self: self.asked)
    @rule(data=st.data())
    def cancel(self, data):
        job = data.draw(st.sampled_from(list(self.asked.values())))
        before = self.jobs()[job.number]
        after = self.do(queue.cancel, job.campaign, self.person.id, job.number)
        assert after.is_cancelled or before.state not in OPEN
        if before.state is JobState.QUEUED:
            assert after.state is JobState.CANCELLED

    @precondition(lambda self: self.asked)
    @rule(data=st.data())
    def repeat(self, data):
        job = data.draw(st.sampled_from(list(self.asked.values())))
        try:
            again = self.do(queue.repeat, job.campaign, self.person.id, job.number)
        except (ConflictError, RefusedError):
            assert self.jobs()[job.number].state not in {JobState.FAILED, JobState.CANCELLED}
        else:
            self.asked[again.number] = again

    @rule()
    def the_only_server_begins_again(self):
        """Those who worked for it are gone with it."""
        self.stale += self.held.values()
        self.held.clear()
        self.do(queue.take_back)
        assert not [job for job in self.jobs().values() if job.state is JobState.RUNNING]

    @invariant()
    def laws(self):
        jobs = self.jobs()
        assert set(jobs) == set(self.asked)  # nothing is lost, nothing comes from nowhere
        running = [job.campaign for job in jobs.values() if job.state is JobState.RUNNING]
        assert len(running) == len(set(running))
        for number, job in jobs.items():
            assert len(self.writes[number]) <= 1
            if number in self.ended:
                assert job == self.ended[number]  # what has ended stays as it ended
            elif job.state not in OPEN:
                self.ended[number] = job
            assert (job.ended_at is None) == (job.state in OPEN)
            if self.writes[number] and job.state is not JobState.CANCELLED:
                assert job.outcome == {"attempt": self.writes[number][0]}


def test_the_laws_of_the_queue(hosting):
    machine = type("Machine", (Workers,), {"hosting": hosting})
    how = settings(
        max_examples=whole_or(12, 150),
        stateful_step_count=whole_or(25, 50),
        deadline=None,
        # a step is a transaction: what fails is not made smaller
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=how)
