"""Audits made-up campaigns with hundreds and thousands of labels: time and peak memory of the whole command.

Run `python benchmarks/many_labels.py`: 30 teams × 50,000 items × 100, 300, 1,000 and 5,000 labels, `audit run` with its
report, each in a process of its own. `--teams`, `--items` and `--labels` say otherwise; `--write FOLDER` writes one
campaign and audits nothing.

Labels are as frequent as words and entities are (Zipf); a team errs more on rare labels and on hard items, mostly by
one of a few labels that look alike, sometimes by a frequent one, and leaves a few items unanswered.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.peaks import peak_of_command

Codes = NDArray[np.int64]

ALIKE = 4
"""Labels for which a label is mistaken."""
BY_FREQUENT, UNANSWERED = 0.2, 0.002
"""Shares of the errors that name a frequent label, and of the items that are left out."""


def write_campaign(folder: Path, n_teams: int, n_items: int, n_labels: int) -> None:
    """A folder with a gold file and a submission of each team."""
    rng = np.random.default_rng(n_labels)
    shares = 1 / np.arange(1, n_labels + 1)
    shares /= shares.sum()
    others = rng.choice(n_labels, n_items - n_labels, p=shares)
    gold = rng.permutation(np.concatenate([np.arange(n_labels), others]))
    alike = rng.integers(0, n_labels, (n_labels, ALIKE))
    difficulty = rng.normal(size=n_items) + 0.15 * np.log(shares[0] / shares[gold])
    (folder / "submissions").mkdir(parents=True)
    _write(folder / "gold.csv", gold, np.ones(n_items, dtype=bool))
    for team, skill in enumerate(np.linspace(2.2, 0.8, n_teams)):
        wrong = difficulty + rng.normal(size=n_items) > skill
        mistaken = alike[gold, rng.integers(0, ALIKE, n_items)]
        frequent = rng.choice(n_labels, n_items, p=shares)
        answers = np.where(rng.random(n_items) < BY_FREQUENT, frequent, mistaken)
        answered = rng.random(n_items) >= UNANSWERED
        _write(
            folder / "submissions" / f"team{team:02}.csv", np.where(wrong, answers, gold), answered
        )


def _write(path: Path, codes: Codes, written: NDArray[np.bool_]) -> None:
    rows = (f"item{item:06},entity{codes[item]:05}\n" for item in np.flatnonzero(written).tolist())
    path.write_text("id,label\n" + "".join(rows))


def measure(folder: Path) -> tuple[float, int]:
    """Seconds and peak MB of `audit run` on a folder, with its report."""
    start, variables = time.perf_counter(), {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    report = str(folder / "report.html")
    peak = peak_of_command(
        "run", str(folder), "-o", report, environment=variables, folder=folder.parent
    )
    return time.perf_counter() - start, peak


def main() -> None:
    """Measure, the small campaigns first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, default=30)
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--labels", type=int, nargs="+", default=[100, 300, 1_000, 5_000])
    parser.add_argument(
        "--write", type=Path, help="write the campaign to this folder and audit nothing"
    )
    given = parser.parse_args()
    if given.write:
        write_campaign(given.write, given.teams, given.items, given.labels[0])
        return
    for n_labels in sorted(given.labels):
        with tempfile.TemporaryDirectory() as folder:
            write_campaign(Path(folder) / "campaign", given.teams, given.items, n_labels)
            seconds, peak = measure(Path(folder) / "campaign")
        size = f"{given.teams:,} × {given.items:,} × {n_labels:,}"
        print(f"| {size} | {seconds:.0f} s | {peak:,.0f} MB |", flush=True)


if __name__ == "__main__":
    main()
