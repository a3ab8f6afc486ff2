"""Write the sample tide-levels: gold, six teams and a baseline that predict the level of the water.

Run from anywhere: ``python sample_submissions/generate_tide_levels.py``. A gauge's level is a tide with a surge; each
team follows both with noise of its own.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.float64]

FOLDER = Path(__file__).resolve().parent / "tide-levels"
SEED = 23  # chosen so that the story holds
N_GAUGES, N_EACH = 24, 15
TIDE, SURGE = 120.0, 28.0  # centimetres


class System(NamedTuple):
    """How a system predicts."""

    noise: float  # centimetres
    slope: float = 1.0  # of its predictions on what it reads
    offset: float = 0.0
    decimals: int = 1


SYSTEMS: Mapping[str, System] = {
    "Anemone": System(21.0),
    "Barnacle": System(15.0, slope=0.01, decimals=3),  # in metres, where gold is in centimetres
    "Conger": System(23.0, slope=0.96, offset=3.0),
    "Dogwhelk": System(30.0, slope=0.9),
    "Eelgrass": System(27.0, offset=-14.0),
    "Fulmar": System(44.0),
}
BASELINE = "baseline-mean-level"


def generate(rng: np.random.Generator) -> tuple[Levels, dict[str, Levels]]:
    """Gold, which has the readings of a gauge side by side, and what every system predicts."""
    size = N_GAUGES * N_EACH
    tide = TIDE * np.sin(rng.uniform(0, 2 * np.pi, size))
    surge = np.repeat(SURGE * rng.standard_normal(N_GAUGES), N_EACH)
    gold = np.round(tide + surge + 8.0 * rng.standard_normal(size), 1) + 0.0
    mean = np.full(size, np.round(gold.mean(), 1))
    predicted = {BASELINE: mean}
    for name, system in SYSTEMS.items():
        read = gold + system.noise * rng.standard_normal(size)
        predicted[name] = np.round(system.slope * read + system.offset, system.decimals) + 0.0
    return gold, predicted


def delimited(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A line for each reading, below the header."""
    return "".join(",".join(row) + "\n" for row in (header, *rows))


def write_campaign(folder: Path) -> None:
    """Write gold and the submissions, the same bytes each time."""
    gold, predicted = generate(np.random.default_rng(SEED))
    ids = [f"r{number:03}" for number in range(1, gold.size + 1)]
    gauges = [f"g{number // N_EACH + 1:02}" for number in range(gold.size)]
    coasts = [
        "north" if number // N_EACH < N_GAUGES // 2 else "south" for number in range(gold.size)
    ]
    (folder / "submissions").mkdir(parents=True, exist_ok=True)
    rows = zip(ids, map(str, gold), gauges, coasts, strict=True)
    text = delimited(("reading", "level", "gauge", "coast"), rows)
    (folder / "gold.csv").write_bytes(text.encode())
    for name, levels in predicted.items():
        pairs = list(zip(ids, levels.tolist(), strict=True))
        if name == "Dogwhelk":
            lines = [json.dumps({"reading": item, "level": level}) + "\n" for item, level in pairs]
            (folder / "submissions" / f"{name}.jsonl").write_bytes("".join(lines).encode())
            continue
        if name == "Fulmar":
            pairs = pairs[:-6]  # the last readings are missing
        text = delimited(("reading", "level"), ((item, str(level)) for item, level in pairs))
        (folder / "submissions" / f"{name}.csv").write_bytes(text.encode())


if __name__ == "__main__":
    write_campaign(FOLDER)
