"""Kills ``audit load``, the whole command with the processes that read for it, at random points of its real duration.

``python -m tests.formats.kills 100`` kills a hundred times, loads of as many bytes as several processes are begun for.
"""

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

from audit.store import open_store

from .campaigns import write

LABELS = ("no", "perhaps", "yes")
VERSIONS = ("one", "other")


def campaign(root, name, n_teams, n_items):
    """A folder with ids in an order of each team's own; the versions differ in every answer that is not right."""
    chance = random.Random(name)  # noqa: S311 - which labels is no secret
    gold = chance.choices(LABELS, k=n_items)
    files = {
        "task.toml": f'slug = "task"\ntitle = "{name}"\n',
        "gold.csv": table(range(n_items), gold),
    }
    for team in range(n_teams):
        order = chance.sample(range(n_items), n_items)
        files[f"submissions/{name}-{team}.csv"] = table(order, chance.choices(LABELS, k=n_items))
    return write(root / name, files)


def table(ids, labels):
    """An id and a label on each line."""
    rows = "\n".join(f"{item_id:09},{label}" for item_id, label in zip(ids, labels, strict=True))
    return f"id,label\n{rows}\n"


def begin(folder, store):
    """A load in a process group of its own."""
    command = [sys.executable, "-m", "audit", "load", str(folder), "--store", str(store)]
    return subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def held(path, n_teams):
    """Which version the store holds, whole, and how many loads it knows of, after SQLite's own check of it."""
    with open_store(path, create=False) as store:
        # compares all it reads with the fingerprint that was taken
        found = store.load_campaign("task")
        n_loads = len(store.history("task"))
    with closing(sqlite3.connect(path)) as opened:
        assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert opened.execute("PRAGMA foreign_key_check").fetchall() == []
    assert [each.team for each in found.submissions] == sorted(
        f"{found.task.title}-{n}" for n in range(n_teams)
    )
    return VERSIONS.index(found.task.title), n_loads


def none_left(group):
    """Whether every process of a group ends within some seconds of its leader, those that read for it too."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def kill_at_random(root, n_kills, n_teams, n_items, seed=1):
    """Kill so many loads, each of the version that the store does not hold; gives what was seen, by its count."""
    chance = random.Random(seed)  # noqa: S311 - when is no secret
    folders = [campaign(root, name, n_teams, n_items) for name in VERSIONS]
    store = root / "audit.db"
    assert begin(folders[0], store).wait() == 0
    start = time.perf_counter()
    assert begin(folders[1], store).wait() == 0
    seconds = time.perf_counter() - start
    now, n_loads = held(store, n_teams)
    assert (now, n_loads) == (1, 2)
    seen = Counter()
    for _ in range(n_kills):
        running = begin(folders[1 - now], store)
        with suppress(subprocess.TimeoutExpired):
            running.wait(chance.uniform(0, 1.1) * seconds)
        running.kill()
        running.wait()
        assert none_left(running.pid), "a process that reads for one that is gone"
        after, n_after = held(store, n_teams)
        assert n_after - n_loads == (after != now), "a load that is half there, or one that is lost"
        seen["loaded" if after != now else "as it was"] += 1
        now, n_loads = after, n_after
    # the same command again does what the killed ones did not
    assert begin(folders[1 - now], store).wait() == 0
    assert held(store, n_teams) == (1 - now, n_loads + 1)
    return seen, seconds


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        seen, seconds = kill_at_random(Path(folder), int(sys.argv[1]), n_teams=40, n_items=100_000)
        print(f"{dict(seen)}, a whole load takes {seconds:.1f} s")  # noqa: T201 - it is a program
