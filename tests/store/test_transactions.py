"""Every load is one transaction: whatever happens, the store is as it was or as it should be."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from audit.errors import StoreError
from audit.store import open_store, sqlite_file
from tests.nightly import slow

from .campaigns import (
    beside,
    campaign,
    certain,
    contents,
    document,
    evaluation,
    policed,
    saved_as,
    submission,
)

ROOT = Path(__file__).resolve().parents[2]
BETTER = campaign(
    gold=(0, 1, 2, 2),
    submissions=(submission("Ada", [0, 1, 2, 2]), submission("Zoe", [0, 0, 0, 0])),
)

MADE = certain(beside(evaluation(campaign())))


@contextmanager
def failing_after(statement, failure):
    """SQLAlchemy fails after so many statements have been executed."""
    numbers = count(1)

    def fail(*_):
        if next(numbers) == statement:
            raise failure

    event.listen(Engine, "after_cursor_execute", fail)
    try:
        yield
    finally:
        event.remove(Engine, "after_cursor_execute", fail)


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), RuntimeError("in the middle")], ids=repr)
@pytest.mark.parametrize(
    ("change", "args"),
    [
        ("save_campaigns", (BETTER,)),
        ("save_campaigns", (BETTER, policed("other"))),
        ("save_evaluation", (MADE, document(MADE))),
    ],
    ids=["campaign", "campaigns", "evaluation"],
)
def test_a_failure_after_any_statement_leaves_the_store_as_it_was(
    store, dump, failure, change, args
):
    """Ctrl-C included, which is raised on; and the next attempt succeeds."""
    store.save_campaigns(campaign())
    before = dump()
    for statement in count(1):
        try:
            with failing_after(statement, failure):
                getattr(store, change)(*args)
        except type(failure):
            assert dump() == before
        else:
            break
    assert statement > 5
    assert dump() != before


def test_a_failure_while_a_store_is_made_leaves_nothing_in_it(path):
    """The next attempt makes it."""
    for statement in count(1):
        try:
            with failing_after(statement, KeyboardInterrupt()):
                open_store(path)
        except KeyboardInterrupt:
            assert path.stat().st_size == 0
        else:
            break
    assert statement > 20
    assert open_store(path).tasks() == ()


def python(script, *args, **options):
    """A process that runs a script."""
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(script), *map(str, args)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    return subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


LOADER = """
    import sys
    from pathlib import Path
    from audit.store import open_store
    from tests.store.campaigns import campaign, saved_as, submission

    teams = tuple(submission(team, [0, 1, 2, 2]) for team in sys.argv[3:])
    with open_store(Path(sys.argv[1])) as store:
        print(saved_as(store, campaign(sys.argv[2], submissions=teams)))
"""


def test_processes_that_load_at_once_all_finish_right(path):
    """Into a store that none of them has made before, two of them the same task."""
    loads = [("one", "Ada"), ("two", "Bob", "Cid"), ("two", "Bob", "Cid")]
    running = [python(LOADER, path, *load) for load in loads]
    finished = [process.communicate(timeout=60) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], finished
    assert sum("created=True" in output for output, _ in finished) == 2
    with open_store(path, create=False) as store:
        assert [(task.slug, task.n_submissions) for task in store.tasks()] == [
            ("one", 1),
            ("two", 2),
        ]
        for slug, *teams in loads:
            expected = campaign(
                slug, submissions=tuple(submission(team, [0, 1, 2, 2]) for team in teams)
            )
            assert contents(store.load_campaign(slug)) == contents(expected)


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from audit.store import sqlite_file, open_store, saving
    from tests.store.campaigns import campaign, submission

    sqlite_file.PRAGMAS = (*sqlite_file.PRAGMAS, "cache_size = 1")  # pages go to the file before the commit
    gold = tuple(range(3)) * 20_000
    teams = tuple(submission(f"team {i}", gold, content=os.urandom(50_000)) for i in range(20))

    def die(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)

    saving._retire_and_move = die  # the last thing before the submissions
    open_store(Path(sys.argv[1])).save_campaigns(campaign("task", submissions=teams, gold=gold))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_process_killed_in_the_middle_leaves_the_store_as_it_was(store, path):
    """Its pages are in the file already; SQLite's journal takes them back."""
    store.save_campaigns(campaign())
    process = python(KILLED, path)
    _, complaints = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, complaints
    assert path.with_name("audit.db-journal").exists()
    with open_store(path, create=False) as again:
        assert contents(again.load_campaign("task")) == contents(campaign())
        assert [task.n_items for task in again.tasks()] == [4]
        again.save_campaigns(BETTER)
        assert contents(again.load_campaign("task")) == contents(BETTER)


@contextmanager
def held(path, mode):
    """Another process's lock on the store."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute(f"BEGIN {mode}")
        yield other


@pytest.mark.parametrize(
    ("mode", "call"), [("IMMEDIATE", "save_campaigns"), ("EXCLUSIVE", "tasks")]
)
def test_a_store_that_somebody_else_holds_is_busy(store, path, monkeypatch, mode, call):
    """After a wait."""
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.05)
    with held(path, mode), pytest.raises(StoreError) as caught:
        getattr(store, call)(*[campaign()][: call == "save_campaigns"])
    assert caught.value.issue.slug == "store-busy"


def test_a_reader_is_served_while_somebody_writes(store, path):
    """Writers hold others off only while they commit."""
    store.save_campaigns(campaign())
    with held(path, "IMMEDIATE"):
        assert contents(store.load_campaign("task")) == contents(campaign())


def test_a_writer_waits_for_another_one(store, path):
    """Rather than fail at once."""
    with held(path, "IMMEDIATE") as other:
        release = threading.Thread(target=lambda: (time.sleep(0.3), other.execute("COMMIT")))
        release.start()
        assert saved_as(store, campaign()).created
        release.join()


def full_at(path, monkeypatch, pages):
    """Let the store grow by so many pages and no further."""
    with closing(sqlite3.connect(path)) as asked:
        (size,) = asked.execute("PRAGMA page_count").fetchone()
    monkeypatch.setattr(
        sqlite_file, "PRAGMAS", (*sqlite_file.PRAGMAS, f"max_page_count = {max(size + pages, 1)}")
    )


@pytest.mark.parametrize("pages", [0, 1, 3])
def test_a_full_disk_undoes_the_load(store, dump, path, monkeypatch, pages):
    """And says so."""
    store.save_campaigns(campaign())
    before = dump()
    with monkeypatch.context() as patch:
        full_at(path, patch, pages)
        long = campaign(
            gold=(0, 1, 2) * 10_000, submissions=(submission("Ada", (0, 1, 2) * 10_000),)
        )
        with pytest.raises(StoreError) as caught:
            store.save_campaigns(long)
        assert caught.value.issue.slug == "disk-full"
        assert dump() == before
    store.save_campaigns(long)
    assert contents(store.load_campaign("task")) == contents(long)


def test_a_full_disk_makes_no_store(path, monkeypatch):
    """The file that is left is empty, and the next attempt makes it a store."""
    with monkeypatch.context() as patch:
        path.touch()
        full_at(path, patch, 1)
        with pytest.raises(StoreError) as caught:
            open_store(path)
        assert caught.value.issue.slug == "disk-full"
    assert path.stat().st_size == 0
    assert open_store(path).tasks() == ()


FILLS_A_DISK = """
    import os, sys
    from pathlib import Path
    from audit.errors import StoreError
    from audit.store import open_store
    from tests.store.campaigns import campaign, contents, submission

    path = Path(sys.argv[1], "audit.db")
    with open_store(path) as store:
        store.save_campaigns(campaign())
        for size in (1, 3, 30):
            teams = [submission(f"t{i}", [0, 1, 2, 2], content=os.urandom(2**20)) for i in range(size)]
            try:
                store.save_campaigns(campaign(submissions=tuple(teams)))
            except StoreError as error:
                print(error.issue.slug)
        assert contents(store.load_campaign("task")) == contents(campaign()), "not as it was"
"""


@pytest.mark.skipif(
    shutil.which("unshare") is None, reason="needs unshare, to mount a small disk for one process"
)
@slow("test_a_full_disk_undoes_the_load")
def test_a_disk_that_is_really_full_undoes_the_load(tmp_path):
    """A file system of one megabyte."""
    mounted = 'mount -t tmpfs -o size=1m tmpfs "$1" && shift && exec "$@"'
    script = textwrap.dedent(FILLS_A_DISK)
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", mounted, "sh", tmp_path]
    probe = subprocess.run([*command, "true"], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip("may not mount a file system here")
    done = subprocess.run(
        [*command, sys.executable, "-c", script, tmp_path],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.split(), done.returncode) == (["disk-full"] * 3, 0), done.stderr
