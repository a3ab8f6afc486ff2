"""Write the sample quay-translations: what three scorers gave seven systems and a baseline for every segment.

Run from anywhere: ``python sample_submissions/generate_quay_translations.py``. A segment is easy or hard for everybody
alike, its document too; each scorer sees quality with noise of its own, and one of them length as well.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]

FOLDER = Path(__file__).resolve().parent / "quay-translations"
SEED = 31  # chosen so that the story holds
N_DOCUMENTS, N_EACH = 30, 12
DOMAINS = ("notices", "letters", "manuals")


class System(NamedTuple):
    """How good a system is, on a scale where segments have a standard deviation of 1."""

    quality: float
    wordy: float = 0.0  # how much longer than the reference it writes


SYSTEMS: Mapping[str, System] = {
    "Bollard": System(0.52),
    "Capstan": System(0.44, wordy=-0.5),  # short: fewest edits
    "Derrick": System(0.26),
    "Fender": System(0.20, wordy=0.6),
    "Gantry": System(0.02),
    "Hoist": System(-0.12),
    "Jib": System(-0.40, wordy=0.3),
}
BASELINE = "baseline-word-for-word"


def generate(rng: np.random.Generator) -> dict[str, Scores]:
    """Three numbers for every segment of every system: COMET, chrF and TER."""
    size = N_DOCUMENTS * N_EACH
    ease = np.repeat(0.5 * rng.standard_normal(N_DOCUMENTS), N_EACH) + rng.standard_normal(size)
    found = {}
    for name, system in {**SYSTEMS, BASELINE: System(-1.3, wordy=0.4)}.items():
        quality = ease + system.quality + 0.8 * rng.standard_normal(size)
        comet = 1 / (1 + np.exp(-(1.3 + 0.55 * quality + 0.25 * rng.standard_normal(size))))
        chrf = np.clip(52 + 9 * quality + 5 * rng.standard_normal(size), 0, 100)
        length = 14 * (system.wordy + 0.3 * rng.standard_normal(size))
        ter = np.clip(48 - 9 * quality + length + 6 * rng.standard_normal(size), 0, 150)
        found[name] = np.stack([comet.round(4), chrf.round(2), ter.round(2)], axis=1)
    return found


def delimited(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A line for each segment, below the header."""
    return "".join("\t".join(row) + "\n" for row in (header, *rows))


def write_campaign(folder: Path) -> None:
    """Write the items and what the scorers gave, the same bytes each time."""
    scores = generate(np.random.default_rng(SEED))
    size = N_DOCUMENTS * N_EACH
    ids = [f"d{number // N_EACH + 1:02}.{number % N_EACH + 1:02}" for number in range(size)]
    documents = [f"d{number // N_EACH + 1:02}" for number in range(size)]
    domains = [DOMAINS[number // N_EACH % len(DOMAINS)] for number in range(size)]
    (folder / "submissions").mkdir(parents=True, exist_ok=True)
    text = delimited(("segment", "document", "domain"), zip(ids, documents, domains, strict=True))
    (folder / "items.tsv").write_bytes(text.encode())
    for name, numbers in scores.items():
        rows = [(item, *map(str, row)) for item, row in zip(ids, numbers.tolist(), strict=True)]
        if name == "Hoist":
            rows = rows[:-5]  # the scorer found no translation of the last segments
        text = delimited(("segment", "COMET", "chrF", "TER"), rows)
        (folder / "submissions" / f"{name}.tsv").write_bytes(text.encode())


if __name__ == "__main__":
    write_campaign(FOLDER)
