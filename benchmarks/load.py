"""Loading 1,000 submissions of 100,000 items each: labels a second and peak memory, by position and by id.

Run `python benchmarks/load.py`; `--teams` and `--items` make it smaller. The peers read the same files with NumPy or
pandas alone, which neither check nor store anything.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd

LABELS = np.array(["negative", "neutral", "positive"])


def lines_campaign(folder: Path, n_teams: int, n_items: int) -> None:
    """One label per line, aligned by position."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 3, n_items)
    _write(folder / "gold.txt", _lines(LABELS[gold].tolist()))
    for team in range(n_teams):
        _write(
            folder / "submissions" / f"team{team:04}.txt",
            _lines(LABELS[_answers(rng, gold)].tolist()),
        )


def csv_campaign(folder: Path, n_teams: int, n_items: int) -> None:
    """``id,label`` with the ids of each submission in an order of its own."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 3, n_items)
    ids = rng.permutation(10 * n_items)[:n_items]
    _write(folder / "gold.csv", _rows(ids, gold))
    for team in range(n_teams):
        order = rng.permutation(n_items)
        _write(
            folder / "submissions" / f"team{team:04}.csv",
            _rows(ids[order], _answers(rng, gold)[order]),
        )


def _answers(rng: np.random.Generator, gold: np.ndarray) -> np.ndarray:
    return np.where(rng.random(gold.size) < 0.7, gold, rng.integers(0, 3, gold.size))


def _lines(labels: list[str]) -> str:
    return "\n".join(labels) + "\n"


def _rows(ids: np.ndarray, codes: np.ndarray) -> str:
    rows = map(",".join, zip(map(str, ids.tolist()), LABELS[codes].tolist(), strict=True))
    return _lines(["id,label", *rows])


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def loaded(folder: Path, n_labels: int) -> str:
    """`audit load` as a process: speed, processor time, and the peak memory of it and its children together."""
    command = [
        sys.executable,
        "-m",
        "audit",
        "load",
        str(folder),
        "--store",
        str(folder / "audit.db"),
    ]
    before, start = os.times(), time.perf_counter()
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = [0]
    watching = threading.Thread(target=_watch, args=(running, peak))
    watching.start()
    running.wait()
    took, after = time.perf_counter() - start, os.times()
    watching.join()
    processor = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    size = (folder / "audit.db").stat().st_size / 2**20
    speed, by_processor = n_labels / took / 1e6, n_labels / processor / 1e6
    memory = f"peak {peak[0] / 2**20:.0f} MB, store {size:.0f} MB"
    return f"{speed:.2f} M labels/s ({took:.1f} s; {by_processor:.2f} M per second of processor time), {memory}"


def _watch(running: "subprocess.Popen[bytes]", peak: list[int]) -> None:
    """The most memory that the process and its children had together; 0 where the system does not tell."""
    while running.poll() is None:
        peak[0] = max(peak[0], sum(map(_memory, _family(running.pid))))
        time.sleep(0.05)


def _family(leader: int) -> list[int]:
    """A process and its children."""
    found = [leader]
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it ended meanwhile
            continue
        if parent == leader:
            found.append(int(path.parent.name))
    return found


def _memory(process: int) -> int:
    """Bytes that a process has for itself, and its part of what it shares."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    return next(
        int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:")
    )


def split_alone(folder: Path, n_labels: int) -> str:
    """Splitting the lines into NumPy text, no more."""
    start = time.perf_counter()
    for path in sorted((folder / "submissions").iterdir()):
        np.array(path.read_text(encoding="utf-8").split("\n"))
    return (
        "splitting the files into NumPy text, no more: "
        f"{n_labels / (time.perf_counter() - start) / 1e6:.2f} M labels/s"
    )


def pandas_alone(folder: Path, n_labels: int) -> str:
    """Reading with pandas and putting into gold order, no more."""
    gold = pd.read_csv(folder / "gold.csv", dtype=str).set_index("id")
    start = time.perf_counter()
    for path in sorted((folder / "submissions").iterdir()):
        pd.read_csv(path, dtype=str).set_index("id").reindex(gold.index)
    took = time.perf_counter() - start
    return f"pandas: read_csv and reindex, no more: {n_labels / took / 1e6:.2f} M labels/s"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, default=1000)
    parser.add_argument("--items", type=int, default=100_000)
    wanted = parser.parse_args()
    n_labels = wanted.teams * wanted.items
    kinds = (
        ("label lines", lines_campaign, split_alone),
        ("id,label with shuffled ids", csv_campaign, pandas_alone),
    )
    print(
        f"| {wanted.teams:,} submissions of {wanted.items:,} items | audit load, whole process | peer |"
    )
    print("| --- | --- | --- |")
    for name, make, peer in kinds:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            make(folder, wanted.teams, wanted.items)
            print(f"| {name} | {loaded(folder, n_labels)} | {peer(folder, n_labels)} |", flush=True)


if __name__ == "__main__":
    main()
