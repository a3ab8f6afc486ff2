"""Write the sample harbour-messages: gold and seven teams of a made-up task of messages with any number of labels.

Run from anywhere: ``python sample_submissions/generate_harbour_messages.py``. Each label of a message is decided by its
evidence: what misleads in it misleads every system alike, and each system adds noise of its own and its eagerness to
give the label.
"""

import csv
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Sets = NDArray[np.bool_]  # (N, L): which labels each message has

FOLDER = Path(__file__).resolve().parent / "harbour-messages"
SEED = 29  # chosen so that the story holds
N_MESSAGES, SIGNAL = 600, 2.3
LONG = 0.4  # messages above this length, in standard deviations, have more labels
SHARES = {
    "delay": 0.30,
    "complaint": 0.24,
    "question": 0.20,
    "damage": 0.09,
    "thanks": 0.07,
    "danger": 0.03,
}
LABELS = tuple(SHARES)


class System(NamedTuple):
    """How a system answers."""

    noise: float  # its own, where the noise that all systems share is 1
    eagerness: tuple[float, ...]  # to give each label


SYSTEMS: Mapping[str, System] = {
    "Anchor": System(0.45, (0.0, 0.0, 0.0, -0.1, -0.1, -0.2)),  # as many labels as there are
    # a rare label only when sure: high and low precision
    "Buoy": System(0.40, (0.5, 0.5, 0.4, -0.7, -0.8, -1.0)),
    "Cleat": System(0.60, (0.1, 0.0, 0.0, 0.1, 0.0, 0.0)),
    "Dinghy": System(0.62, (0.0, 0.1, 0.0, 0.0, -0.1, 0.1)),
    "Ebb": System(0.70, (-0.2, -0.1, 0.0, -0.2, 0.0, -0.3)),
    "Fender": System(0.80, (0.1, 0.1, 0.1, 0.0, 0.2, 0.2)),
    "Gangway": System(0.55, (0.4, 0.4, 0.4, 0.5, 0.5, 0.6)),  # a label at the slightest sign
}


def generate(rng: np.random.Generator) -> tuple[Sets, dict[str, Sets]]:
    """Gold sets, and those of every system."""
    shares = np.array(list(SHARES.values()))
    long = rng.standard_normal((N_MESSAGES, 1)) > LONG
    gold = rng.random((N_MESSAGES, len(LABELS))) < shares * np.where(long, 1.5, 0.75)
    evidence = SIGNAL * (gold - 0.5) + 0.8 * rng.standard_normal(gold.shape)
    sets = {}
    for name, system in SYSTEMS.items():
        own = system.noise * rng.standard_normal(gold.shape)
        sets[name] = evidence + own + np.array(system.eagerness) - 0.25 > 0
    return gold, sets


def _chosen(row: NDArray[np.bool_]) -> list[str]:
    return [label for label, has in zip(LABELS, row.tolist(), strict=True) if has]


def in_cells(sets: Sets) -> str:
    """Labels in a cell, with commas between them."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(("message", "labels"))
    rows.writerows(
        (f"m{number:03}", ", ".join(_chosen(row))) for number, row in enumerate(sets, start=1)
    )
    return file.getvalue()


def json_lines(sets: Sets) -> str:
    """An object for each message, with a list of its labels."""
    objects = (
        {"message": f"m{number:03}", "labels": _chosen(row)}
        for number, row in enumerate(sets, start=1)
    )
    return "".join(json.dumps(each) + "\n" for each in objects)


def without_the_last(sets: Sets) -> Sets:
    """What a run that was stopped too early leaves behind."""
    return sets[:-20]


WRITERS: Mapping[str, Callable[[Sets], str]] = {"csv": in_cells, "jsonl": json_lines}
FILES: Mapping[str, str] = {name: "jsonl" if name in {"Buoy", "Ebb"} else "csv" for name in SYSTEMS}


def write_campaign(folder: Path) -> None:
    """Write gold and the submissions, the same bytes each time."""
    gold, sets = generate(np.random.default_rng(SEED))
    sets["Fender"] = without_the_last(sets["Fender"])
    (folder / "submissions").mkdir(parents=True, exist_ok=True)
    (folder / "gold.csv").write_bytes(in_cells(gold).encode())
    for name, ending in FILES.items():
        (folder / "submissions" / f"{name}.{ending}").write_bytes(
            WRITERS[ending](sets[name]).encode()
        )


if __name__ == "__main__":
    write_campaign(FOLDER)
