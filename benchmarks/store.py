"""Saving 1,000 submissions of 100,000 items, and checking one file of 100,000 lines as a whole process.

Run `python benchmarks/store.py`. The peer of saving is bare SQLite with the same bytes in three tables and no check of
anything; that of a check is a process that imports NumPy and SQLAlchemy and does nothing.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np

from audit.domain import Campaign, Gold, LabelSet, SourceFile, Submission, Task
from audit.store import open_store

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.peaks import own_peak

LABELS = ("negative", "neutral", "positive")


def large_campaign(n_teams: int, n_items: int) -> Campaign:
    """Submissions with the bytes that they would have as ``id,label``."""
    rng = np.random.default_rng(1)
    labels, ids = LabelSet(LABELS, declared=True), tuple(map(str, range(10**17, 10**17 + n_items)))
    gold = rng.integers(0, 3, n_items).astype(np.uint8)
    teams = []
    for team in range(n_teams):
        codes = np.where(rng.random(n_items) < 0.7, gold, rng.integers(0, 3, n_items)).astype(
            np.uint8
        )
        teams.append(
            Submission(
                f"team {team:04}", codes, source=SourceFile.of(f"{team:04}.csv", _rows(ids, codes))
            )
        )
    return Campaign(
        Task("large", "Large", labels),
        Gold(labels, gold, ids, SourceFile.of("gold.csv", _rows(ids, gold))),
        tuple(teams),
    )


def _rows(ids: tuple[str, ...], codes: np.ndarray) -> bytes:
    rows = map(",".join, zip(ids, map(LABELS.__getitem__, codes.tolist()), strict=True))
    return "\n".join(("id,label", *rows, "")).encode("ascii")


def seconds(work: Callable[[], object]) -> str:
    """Wall time and processor time of one call."""
    start, processor = time.perf_counter(), time.process_time()
    work()
    return f"{time.perf_counter() - start:.1f} s, of the processor {time.process_time() - processor:.1f} s"


def bare(campaign: Campaign, path: Path) -> None:
    """The same bytes in one transaction, and no more."""
    with closing(sqlite3.connect(path, isolation_level=None)) as opened:
        for table in (
            "file (sha256, compressed)",
            "submission (team, codes)",
            "item (external_id, code)",
        ):
            opened.execute(f"CREATE TABLE {table}")
        opened.execute("BEGIN")
        files = (each.source for each in campaign.submissions)
        opened.executemany(
            "INSERT INTO file VALUES (?, ?)",
            ((each.sha256, each.compressed) for each in files if each),
        )
        codes = ((each.team, each.codes.tobytes()) for each in campaign.submissions)
        opened.executemany("INSERT INTO submission VALUES (?, ?)", codes)
        items = zip(campaign.gold.item_ids or (), campaign.gold.codes.tolist(), strict=True)
        opened.executemany("INSERT INTO item VALUES (?, ?)", items)
        opened.execute("COMMIT")


def saving(folder: Path, n_teams: int, n_items: int) -> None:
    """Saving, and the memory that it takes beside the campaign itself."""
    campaign = large_campaign(n_teams, n_items)
    before = own_peak()
    with open_store(folder / "audit.db") as store:
        ours = seconds(lambda: store.save_campaigns(campaign))
    print(
        f"| saving {n_teams:,} × {n_items:,} | {ours}, {own_peak() - before} MB beside the campaign's {before} |",
        end="",
    )
    print(f" bare SQLite: {seconds(lambda: bare(campaign, folder / 'bare.db'))} |")


def checking(folder: Path, n_items: int) -> None:
    """Checking a file against a task of the store, and against a folder."""
    small = large_campaign(1, n_items)
    root = folder / "campaign"
    (root / "submissions").mkdir(parents=True)
    for path, source in (
        ("gold.csv", small.gold.source),
        ("submissions/A.csv", small.submissions[0].source),
    ):
        if source:
            (root / path).write_bytes(source.content)
    _audit("load", root, "--store", folder / "small.db")
    peer = _process("-c", "import numpy, sqlalchemy.orm")
    for against in (("--task", "campaign", "--store", folder / "small.db"), ("--campaign", root)):
        took = _audit("check", root / "submissions" / "A.csv", *against)
        print(
            f"| audit check, {n_items:,} lines, {against[0]} | {took:.2f} s | importing libraries: {peer:.2f} s |"
        )


def _audit(*arguments: object) -> float:
    return _process("-m", "audit", *arguments)


def _process(*arguments: object) -> float:
    """The least wall time of five runs."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, *map(str, arguments)], check=True, capture_output=True, env=environment
        )
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, default=1000)
    parser.add_argument("--items", type=int, default=100_000)
    wanted = parser.parse_args()
    print("| what | ours | peer |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        checking(Path(folder), wanted.items)
        saving(Path(folder), wanted.teams, wanted.items)


if __name__ == "__main__":
    main()
