"""Kills a process that loads, again and again at random points, and looks at what it leaves.

``python -m tests.store.faults 100`` kills a hundred times. It is a program of its own because it forks, which a process
with threads should not.
"""

import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from audit.store import open_store, sqlite_file

from .campaigns import campaign, contents, original, submission

N_ITEMS, N_TEAMS = 2_000, 25


def version(name, seed):
    """A campaign of one task, with a gold, submissions and files of its own."""
    chance = random.Random(seed)  # noqa: S311 - which labels is no secret
    gold = tuple(chance.choices(range(3), k=N_ITEMS))
    teams = [
        submission(
            f"{name} {team}", chance.choices(range(5), k=N_ITEMS), content=chance.randbytes(20_000)
        )
        for team in range(N_TEAMS)
    ]
    return campaign(title=name, gold=gold, submissions=tuple(teams))


LONG = (0, 1, 2) * 5_000
PARTS = [
    campaign("first", family="both", part="first"),
    campaign(
        "second", gold=LONG, submissions=(submission("Ada", LONG),), family="both", part="second"
    ),
]
"""Two test sets of one campaign, of which the second needs more room."""

VERSIONS = [version("one", 1), version("other", 2)]


def load(path, number):
    """Load a version in a process of its own; gives the process's id."""
    process = os.fork()
    if process:
        return process
    try:
        with open_store(path) as store:
            store.save_campaigns(VERSIONS[number])
    finally:
        os._exit(0)


def held(path):
    """Which version the store holds, after SQLite's own check of it; whether the killed process left a journal."""
    left_journal = path.with_name(f"{path.name}-journal").exists()
    with open_store(path, create=False) as store:
        found = contents(store.load_campaign("task"))
        history = store.history("task")
    with closing(sqlite3.connect(path)) as opened:
        assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert opened.execute("PRAGMA foreign_key_check").fetchall() == []
    (number,) = [number for number, whole in enumerate(map(contents, VERSIONS)) if whole == found]
    return number, len(history), left_journal


def kill_at_random(path, n_kills, seed=1):
    """Kill so many loads, each of the version that the store does not hold; gives what was seen, by its count."""
    # pages go to the file long before the commit
    sqlite_file.PRAGMAS = (*sqlite_file.PRAGMAS, "cache_size = 1")
    chance = random.Random(seed)  # noqa: S311 - when is no secret
    with open_store(path) as store:
        store.save_campaigns(VERSIONS[0])
    start = time.perf_counter()
    os.waitpid(load(path, 1), 0)
    seconds = time.perf_counter() - start
    now, n_loads, _ = held(path)
    assert (now, n_loads) == (1, 2)
    seen = Counter()
    for _ in range(n_kills):
        process = load(path, 1 - now)
        # any point of a load, however busy the machine is by now
        time.sleep(chance.uniform(0, 1.1) * seconds)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        after, n_after, left_journal = held(path)
        assert n_after - n_loads == (after != now), "a load that is half there, or one that is lost"
        seen["loaded" if after != now else "as it was"] += 1
        seen["left a journal"] += left_journal
        seconds *= 0.9 if after != now else 1.05
        now, n_loads = after, n_after
    os.waitpid(load(path, 1 - now), 0)  # the same command again does what the killed ones did not
    assert held(path)[:2] == (1 - now, n_loads + 1)
    check_originals(path)
    return seen


def check_originals(path):
    """Every byte of both versions is there, whichever is held now."""
    with open_store(path, create=False) as store:
        for whole in VERSIONS:
            for source in (whole.gold.source, *(each.source for each in whole.submissions)):
                assert original(store, source.path, source.sha256) == source.content


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(dict(kill_at_random(Path(folder) / "audit.db", int(sys.argv[1]))))  # noqa: T201 - it is a program
