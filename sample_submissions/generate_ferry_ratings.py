"""Write the sample ferry-ratings: gold, eight teams and a baseline of a made-up task of ratings from 1 to 5.

Run from anywhere: ``python sample_submissions/generate_ferry_ratings.py``. A text has a tone, and who annotates it is
more or less severe. What misleads in a text misleads every system alike; each adds noise of its own, stretches what it
reads to the ends of the scale or to its middle, and takes irony at its word or not.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ratings = NDArray[np.int64]
Rows = Iterable[tuple[str, ...]]

FOLDER = Path(__file__).resolve().parent / "ferry-ratings"
SEED = 59  # chosen so that the story holds
N_ANNOTATORS, N_EACH = 40, 15
# between the tones of two ratings: 6, 12, 22, 35 and 25 in a hundred
CUTS = (-1.55, -0.92, -0.25, 0.67)
SEVERITY, MISLEADING, IRONY = 0.20, 0.30, 0.12


class System(NamedTuple):
    """How a system answers."""

    noise: float  # its own, where the tones of all texts have a standard deviation of 1
    literal: bool = True  # takes irony at its word: the tone is turned round
    stretch: float = 1.0  # above one: to the ends of the scale
    shift: float = 0.0  # of every answer, to the higher ratings


SYSTEMS: Mapping[str, System] = {
    "Astrolabe": System(0.18),  # most often right, and far off where a text is ironic
    "Ballast": System(0.50, literal=False),  # often one step off, and seldom more
    "Compass": System(0.02, stretch=0.75, shift=-0.1),  # an end of the scale only when sure
    "Drift": System(0.30),
    "Eddy": System(0.45),
    "Foghorn": System(0.35, stretch=1.6),  # the ends of the scale at the slightest sign
    "Gimbal": System(0.70, literal=False, stretch=0.9),
    "Hawser": System(0.65, shift=0.2),
}
BASELINE = "baseline-always-4"


def generate(rng: np.random.Generator) -> tuple[Ratings, dict[str, Ratings]]:
    """Gold, which has the texts of an annotator side by side, and the ratings of every system."""
    size = N_ANNOTATORS * N_EACH
    tone = rng.standard_normal(size)
    severity = np.repeat(SEVERITY * rng.standard_normal(N_ANNOTATORS), N_EACH)
    gold = rated(tone - severity)
    read = tone + MISLEADING * rng.standard_normal(size)
    at_its_word = np.where(rng.random(size) < IRONY, -read, read)
    ratings = {BASELINE: np.full(size, 4)}
    for name, system in SYSTEMS.items():
        own = (at_its_word if system.literal else read) + system.noise * rng.standard_normal(size)
        ratings[name] = rated(own * system.stretch + system.shift)
    return gold, ratings


def rated(tones: NDArray[np.float64]) -> Ratings:
    """The rating of each tone."""
    return 1 + np.searchsorted(CUTS, tones)


def delimited(rows: Rows, between: str = ",", header: tuple[str, ...] = ("text", "rating")) -> str:
    """A line for each text, below the header."""
    return "".join(between.join(row) + "\n" for row in (header, *rows))


def json_lines(rows: Rows) -> str:
    """An object for each text, with its rating as a number."""
    return "".join(
        json.dumps({"text": text, "rating": int(rating)}) + "\n" for text, rating in rows
    )


def tabbed(rows: Rows) -> str:
    """As ``delimited``, with tabs."""
    return delimited(rows, "\t")


WRITERS: Mapping[str, Callable[[Rows], str]] = {
    "csv": delimited,
    "tsv": tabbed,
    "jsonl": json_lines,
}
# every other team hands in CSV
ENDINGS: Mapping[str, str] = {"Compass": "jsonl", "Foghorn": "tsv", "Gimbal": "jsonl"}
LEFT_OUT: Mapping[str, int] = {"Hawser": 15}  # the texts of the last annotator


def write_campaign(folder: Path) -> None:
    """Write gold and the submissions, the same bytes each time."""
    gold, ratings = generate(np.random.default_rng(SEED))
    texts = [f"t{number:03}" for number in range(1, gold.size + 1)]
    annotators = [f"a{number // N_EACH + 1:02}" for number in range(gold.size)]
    (folder / "submissions").mkdir(parents=True, exist_ok=True)
    rows = zip(texts, map(str, gold), annotators, strict=True)
    (folder / "gold.csv").write_bytes(delimited(rows, header=("text", "rating", "group")).encode())
    for name, given in ratings.items():
        ending = ENDINGS.get(name, "csv")
        answers = list(zip(texts, map(str, given), strict=True))[
            : gold.size - LEFT_OUT.get(name, 0)
        ]
        (folder / "submissions" / f"{name}.{ending}").write_bytes(WRITERS[ending](answers).encode())


if __name__ == "__main__":
    write_campaign(FOLDER)
