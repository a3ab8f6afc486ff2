"""Several processes read what one reads, in the same order, and leave nothing behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from audit.errors import InputError
from audit.execution import processes
from audit.execution.processes import Processes
from audit.formats.campaign import all_files
from audit.formats.campaign.campaigns import read_campaign, read_campaigns
from tests.nightly import slow

from .campaigns import ANSWERS, GOLD, GOOD, write, zipped
from .kills import kill_at_random

SETTINGS = """[submissions]
files = "r/{team}_{run}.csv"
[roles]
"2" = "contrastive"
[policies]
missing = "drop"
"""
FILES = {
    "gold.csv": GOLD,
    "task.toml": SETTINGS,
    **{f"r/T{team}_1.csv": ANSWERS.replace("2,no", "2,oh") for team in range(6)},
    **{f"r/T{team}_2.csv": ANSWERS.replace("2,no\n", "") for team in range(6)},
    "r/T9_1.csv.gz": b"none",
    "r/T8_1.csv": "id,label\n1,no\n1,no\n",
}


def seen(campaign):
    """All that a campaign says of its submissions."""
    return [
        (s.team, s.run, s.role, s.codes.tolist(), s.unusable_labels, s.issues, s.source)
        for s in campaign.submissions
    ], (campaign.rejections, campaign.journal, campaign.ignored, campaign.task)


def test_several_processes_read_what_one_reads(tmp_path, monkeypatch):
    """Codes, issues, roles, sources, rejections and journal, in the same order; progress counts one by one."""
    root = write(tmp_path, FILES)
    alone = read_campaign(root, skip_rejected=True)
    monkeypatch.setattr(all_files, "MUCH", 1)
    calls = []
    (together,) = read_campaigns(
        root,
        skip_rejected=True,
        executor=Processes(2),
        on_progress=lambda done, total: calls.append((done, total)),
    )
    assert seen(together) == seen(alone)
    assert calls == [(done, 14) for done in range(1, 15)]
    assert not multiprocessing.active_children()


def test_processes_read_from_archives_too(tmp_path, monkeypatch):
    """Each opens them itself."""
    monkeypatch.setattr(all_files, "MUCH", 1)
    root = write(
        tmp_path,
        {"gold.csv": GOLD, "submissions.zip": zipped({f"T{n}.csv": ANSWERS for n in range(5)})},
    )
    (campaign,) = read_campaigns(root, executor=Processes(2))
    np.testing.assert_array_equal([s.codes for s in campaign.submissions], [[0, 0, 0, 1]] * 5)


def test_little_is_read_by_one_process(tmp_path, monkeypatch):
    """Starting others would take longer."""
    monkeypatch.setattr(processes, "ProcessPoolExecutor", lambda *_: pytest.fail("started"))
    assert (
        len(
            read_campaigns(write(tmp_path, FILES), skip_rejected=True, executor=Processes(8))[
                0
            ].submissions
        )
        == 12
    )


def test_what_a_process_that_died_left_is_read_by_this_one(tmp_path, monkeypatch):
    """Nothing is lost, and nothing twice."""
    root = write(tmp_path, FILES)
    alone = read_campaign(root, skip_rejected=True)

    class Dying(ProcessPoolExecutor):
        """Gives some answers and is broken."""

        def map(self, work, claims):
            yield from islice(super().map(work, claims), 3)
            raise BrokenProcessPool

    monkeypatch.setattr(all_files, "MUCH", 1)
    monkeypatch.setattr(processes, "ProcessPoolExecutor", Dying)
    (campaign,) = read_campaigns(root, skip_rejected=True, executor=Processes(2))
    assert seen(campaign) == seen(alone)


@slow("test_several_processes_read_what_one_reads: rejections come with their issues")
def test_issues_come_from_other_processes_whole(tmp_path, monkeypatch):
    """With their lines and remedies."""
    root = write(
        tmp_path,
        {**GOOD, "submissions/B.csv": "id,label\n1,no\n1,no\n9,no\n", "submissions/C.csv": ""},
    )
    caught = []
    for much in (all_files.MUCH, 1):
        monkeypatch.setattr(all_files, "MUCH", much)
        with pytest.raises(InputError) as error:
            read_campaigns(root, executor=Processes(2))
        caught.append(error.value.issues)
    assert caught[0] == caught[1]


def group(leader):
    """The processes of a group that run."""
    stats = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended meanwhile
            stats.append(path.read_text().rpartition(")")[2].split())
    return [state for state, _, pgrp, *_ in stats if int(pgrp) == leader and state != "Z"]


def wait_until(condition):
    """Until something is so, or a minute has gone."""
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def started(folder):
    """A load of much in a process group of its own, with the processes that read for it."""
    lines = "\n".join(["no", "yes"] * 60_000)
    files = {f"submissions/T{n:03}.txt": lines for n in range(150)}
    root = write(folder / "campaign", {"gold.txt": lines, **files})
    command = [
        sys.executable,
        "-m",
        "audit",
        "load",
        str(root),
        "--store",
        str(folder / "audit.db"),
    ]
    running = subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert wait_until(lambda: len(group(running.pid)) >= 3)  # it, and what reads for it
    return running


@pytest.mark.usefixtures("interruptible")
@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="the processes of a group are found in /proc"
)
def test_ctrl_c_ends_all_processes_without_a_traceback(tmp_path):
    """The signal goes to all of them; the one that began them says so, and none stays."""
    running = started(tmp_path)
    os.killpg(running.pid, signal.SIGINT)
    _, complaints = running.communicate(timeout=60)
    assert running.returncode == 130, complaints.decode()
    assert b"Traceback" not in complaints
    assert wait_until(lambda: not group(running.pid))


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="the processes of a group are found in /proc"
)
def test_processes_end_with_the_one_that_began_them(tmp_path):
    """However it was ended."""
    running = started(tmp_path)
    running.kill()
    running.communicate(timeout=60)
    assert wait_until(lambda: not group(running.pid))


KILLS = 20
"""A second or two for each; a hundred of much longer loads are for ``python -m tests.formats.kills 100``."""


@pytest.mark.skipif(os.name != "posix", reason="process groups and kill -9 are POSIX")
@slow("store/test_transactions::test_a_process_killed_in_the_middle_leaves_the_store_as_it_was")
def test_a_load_killed_at_a_random_point_is_there_whole_or_not_at_all(tmp_path):
    """The command as users run it; the program asserts after each kill, and runs the load to its end at last."""
    seen, _ = kill_at_random(tmp_path, KILLS, n_teams=3, n_items=2_000)
    assert seen.total() == KILLS
