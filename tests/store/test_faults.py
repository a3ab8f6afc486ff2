"""Whatever happens to a load or to the disk: nothing lost, nothing half-loaded, and the next load does it."""

import ast
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from audit.store import open_store
from tests.nightly import slow

from .campaigns import campaign, contents, original, submission
from .faults import PARTS

ROOT = Path(__file__).resolve().parents[2]
KILLS = 100
"""Half a second for each; ``python -m tests.store.faults 6`` kills as often as one likes."""


def program(*arguments):
    """A Python of our own with the checkout on its path."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error", *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def sound(path):
    """SQLite's own check of the whole file."""
    with closing(sqlite3.connect(path)) as opened:
        complaints = (
            opened.execute("PRAGMA integrity_check").fetchall(),
            opened.execute("PRAGMA foreign_key_check"),
        )
        return complaints[0] == [("ok",)] and not complaints[1].fetchall()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, to kill many loads in little time")
@slow("test_a_process_killed_in_the_middle_leaves_the_store_as_it_was")
def test_loads_killed_at_random_points_are_there_whole_or_not_at_all():
    """A load that replaces another; the program asserts after each kill, and runs the load to its end at last."""
    running = program("-m", "tests.store.faults", KILLS)
    output, complaints = running.communicate(timeout=50 + 10 * KILLS)
    assert running.returncode == 0, complaints
    seen = ast.literal_eval(output)
    assert seen["as it was"] + seen.get("loaded", 0) == KILLS
    assert seen["left a journal"] > 0


VERSIONS = 5
WRITER = """
    import sys
    from pathlib import Path
    from audit.store import open_store
    from tests.store.campaigns import campaign, submission

    path, own, versions = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with open_store(path) as store:
        for version in range(versions):
            teams = (submission("Ada", [0, 1, 2, version % 5], content=f"{own} {version}".encode()),)
            parts = [campaign(slug, title=f"{own} {version}", submissions=teams) for slug in (own, "shared")]
            print(*(int(bool(summary.added or summary.replaced)) for summary in store.save_campaigns(*parts)))
"""


@slow("test_processes_that_load_at_once_all_finish_right")
def test_two_writers_at_once_both_finish_right(path):
    """Each loads a task of its own and one that they share, in one transaction, again and again."""
    writers = {
        name: program("-c", textwrap.dedent(WRITER), path, name, VERSIONS)
        for name in ("one", "two")
    }
    finished = {name: process.communicate(timeout=120) for name, process in writers.items()}
    assert all(process.returncode == 0 for process in writers.values()), finished
    assert {output for output, _ in finished.values()} == {"1 1\n" * VERSIONS}
    assert sound(path)
    with open_store(path, create=False) as store:
        shared = store.history("shared")
        assert [event.number for event in shared] == list(range(2 * VERSIONS, 0, -1))
        for name in writers:
            history = store.history(name)
            assert [(event.n_submissions, len(event.replaced)) for event in history] == [(1, 1)] * (
                VERSIONS - 1
            ) + [(1, 0)]
            titles = [
                change.after
                for event in reversed(history)
                for change in event.changes
                if change.what == "title"
            ]
            assert titles == [f"{name} {version}" for version in range(1, VERSIONS)]
            for version in range(VERSIONS):
                content = f"{name} {version}".encode()
                source = submission("Ada", [0, 1, 2, 0], content=content).source
                assert original(store, source.path, source.sha256) == content


LIMITED = """
    import resource, sys
    from pathlib import Path
    from audit.errors import StoreError
    from audit.store import open_store
    from tests.store.faults import PARTS

    path = Path(sys.argv[1])
    with open_store(path, create=False) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
        try:
            store.save_campaigns(*PARTS)
        except StoreError as error:
            print(error.issue.slug)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="needs a limit of the size of files")
@pytest.mark.parametrize("more", [1_000, 100_000])
@slow("test_a_full_disk_undoes_the_load")
def test_a_quota_that_is_used_up_undoes_all_parts(store, path, dump, more):
    """Of a campaign with several test sets, the first of which would have had room."""
    store.save_campaigns(campaign())
    before = dump()
    running = program("-c", textwrap.dedent(LIMITED), path, path.stat().st_size + more)
    output, complaints = running.communicate(timeout=60)
    assert (output, running.returncode) == ("disk-full\n", 0), complaints
    assert sound(path)
    assert dump() == before
    store.save_campaigns(*PARTS)
    assert [contents(store.load_campaign(each.task.slug)) for each in PARTS] == list(
        map(contents, PARTS)
    )
