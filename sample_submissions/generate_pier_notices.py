"""Write the sample pier-notices: a made-up campaign of three languages, with six teams.

Run from anywhere: ``python sample_submissions/generate_pier_notices.py``. A notice of a pier is urgent, planned or
cancelled. German and English share half of their notices, which are translations. What is hard in a notice is hard for
every system; each has noise of its own in each language, and one team sent nothing in Swahili.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]

FOLDER = Path(__file__).resolve().parent / "pier-notices"
SEED = 3  # chosen so that the story holds
LABELS = ("urgent", "planned", "cancelled")
PREVALENCE = (0.2, 0.5, 0.3)
N_ITEMS: Mapping[str, int] = {"de": 300, "en": 300, "sw": 240}
N_SHARED = 150
HARD = 0.55  # part of what makes an answer wrong that is the notice's own

# How often a system is right in German, English and Swahili; None where it sent nothing.
SYSTEMS: Mapping[str, tuple[float, float, float | None]] = {
    "Albatross": (0.86, 0.79, 0.74),
    "Bollard": (0.83, 0.86, 0.76),
    "Capstan": (0.84, 0.83, 0.82),
    "Davit": (0.78, 0.76, 0.79),
    "Estuary": (0.85, 0.85, None),
    "Fathom": (0.62, 0.60, 0.57),
}

TASK = """# A made-up campaign of three languages: one test set for each, summed up by their mean score.
title = "Notices of piers"
labels = ["urgent", "planned", "cancelled"]
official_metric = "averaged_f1"
overall = "mean-score"
"""
OF_LANGUAGE = """
[subtask.{language}]
gold = {{ path = "{language}/gold.csv" }}
submissions = {{ files = "{language}/submissions/{{team}}.csv" }}
"""


def generate(rng: np.random.Generator) -> dict[str, tuple[list[str], Codes, dict[str, Codes]]]:
    """The ids, gold and answers of every team, by language."""
    shared = _drawn(rng, N_SHARED)
    campaign = {}
    for place, (language, n_items) in enumerate(N_ITEMS.items()):
        gold, hard = _drawn(rng, n_items)
        ids = [f"{language}-{number:04d}" for number in range(n_items)]
        if language != "sw":
            gold[:N_SHARED], hard[:N_SHARED] = shared
            ids[:N_SHARED] = [f"pier-{number:04d}" for number in range(N_SHARED)]
        answers = {}
        for team, rates in SYSTEMS.items():
            rate = rates[place]
            if rate is not None:
                answers[team] = _answered(rng, gold, hard, rate)
        campaign[language] = (ids, gold, answers)
    return campaign


def _drawn(rng: np.random.Generator, n_items: int) -> tuple[Codes, NDArray[np.float64]]:
    """Gold, and how hard each notice is: a standard normal."""
    return rng.choice(len(LABELS), n_items, p=PREVALENCE), rng.standard_normal(n_items)


def _answered(
    rng: np.random.Generator, gold: Codes, hard: NDArray[np.float64], rate: float
) -> Codes:
    """Answers that are right as often as is said; a wrong one is one of the other two."""
    latent = np.sqrt(HARD) * hard + np.sqrt(1 - HARD) * rng.standard_normal(gold.size)
    is_right = latent < np.quantile(latent, rate)
    wrong = (gold + rng.integers(1, len(LABELS), gold.size)) % len(LABELS)
    return np.where(is_right, gold, wrong)


def main() -> None:
    """Write gold, submissions and settings."""
    campaign = generate(np.random.default_rng(SEED))
    FOLDER.mkdir(exist_ok=True)
    settings = TASK + "".join(OF_LANGUAGE.format(language=language) for language in campaign)
    (FOLDER / "task.toml").write_text(settings, encoding="utf-8")
    for language, (ids, gold, answers) in campaign.items():
        _write(FOLDER / language / "gold.csv", zip(ids, gold.tolist(), strict=True))
        for team, codes in answers.items():
            _write(
                FOLDER / language / "submissions" / f"{team}.csv",
                zip(ids, codes.tolist(), strict=True),
            )


def _write(path: Path, rows: Iterable[tuple[str, int]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{item_id},{LABELS[code]}" for item_id, code in rows]
    path.write_text("\n".join(["id,label", *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
