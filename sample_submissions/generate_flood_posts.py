"""Write the sample flood-posts: gold and twelve teams of a made-up shared task.

Run from anywhere: ``python sample_submissions/generate_flood_posts.py``. Every post gives evidence for each class. What
is misleading in a post misleads every system alike; each system adds noise of its own, and answers the class with the
most evidence after adding its eagerness: positive for a class it likes to predict, negative for one it avoids.
"""

import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Answers = Iterable[tuple[str, str]]  # item id, label

FOLDER = Path(__file__).resolve().parent / "flood-posts"
# Chosen so that the story holds, as it does for about every sixth seed, and so that besides two teams are level at the
# three published decimals, which is a matter of luck.
SEED = 598

LABELS = ("not_relevant", "sympathy", "damage", "help_needed", "missing_person")
PREVALENCE = (531, 243, 157, 78, 15)
# Evidence that a post of the class in the row gives for the class in the column.
EVIDENCE = 2.6 * np.array(
    [
        [1.00, 0.25, 0.10, 0.05, 0.00],
        [0.25, 1.00, 0.00, 0.10, 0.10],
        [0.15, 0.00, 1.00, 0.35, 0.00],
        [0.05, 0.10, 0.35, 1.00, 0.35],
        [0.00, 0.10, 0.00, 0.45, 1.00],
    ]
)
ALWAYS, NEVER = 99.0, -99.0


class System(NamedTuple):
    """How a system answers."""

    noise: float  # its own, where the noise that all systems share is 1
    eagerness: tuple[float, float, float, float, float]


SYSTEMS = {
    # as many answers of each class as there are posts
    "Kingfisher": System(0.40, (0.45, 0.10, 0.10, -0.10, -0.60)),
    # precision-hungry: a rare class only when sure
    "Plumbline": System(0.30, (0.60, 0.50, 0.20, -0.90, -1.60)),
    # recall-hungry: a rare class at the slightest sign
    "Spate": System(0.32, (0.10, -0.10, 0.10, 0.30, 0.30)),
    "Estuary": System(0.46, (0.60, 0.00, 0.10, 0.00, -0.60)),
    "Oxbow": System(0.50, (0.50, 0.20, 0.00, -0.10, -0.60)),
    "Heron": System(0.54, (0.40, 0.20, 0.10, 0.00, -0.50)),
    "Sandbag": System(0.54, (0.70, 0.00, 0.20, -0.10, -0.60)),
    "Watershed": System(0.60, (0.50, 0.10, 0.10, -0.20, -0.50)),
    "Delta4": System(0.54, (0.90, 0.50, 0.20, -0.50, NEVER)),
    "HighTide": System(0.80, (0.50, 0.00, 0.00, -0.10, -0.60)),
    "baseline-majority": System(0.00, (ALWAYS, 0.00, 0.00, 0.00, 0.00)),
}


def generate(rng: np.random.Generator) -> tuple[Codes, dict[str, Codes]]:
    """Gold codes, shape (N,), and those of every system."""
    gold = rng.permutation(np.repeat(np.arange(len(LABELS)), PREVALENCE))
    posts = EVIDENCE[gold] + rng.standard_normal((gold.size, len(LABELS)))
    noise = np.array([system.noise for system in SYSTEMS.values()])[:, None, None]
    eagerness = np.array([system.eagerness for system in SYSTEMS.values()])[:, None, :]
    own = rng.standard_normal((len(SYSTEMS), *posts.shape))
    return gold, dict(zip(SYSTEMS, (posts + noise * own + eagerness).argmax(axis=2), strict=True))


def as_given(answers: Answers) -> Answers:
    """Every answer, in the order of gold."""
    return answers


def without_the_last(answers: Answers) -> Answers:
    """What a run that was stopped too early leaves behind."""
    return list(answers)[:-38]


def with_typing_errors(answers: Answers) -> Answers:
    """A label typed by hand, and wrongly, for the first seven posts that ask for help."""
    given = list(answers)
    by_hand = [place for place, (_, label) in enumerate(given) if label == "help_needed"][:7]
    return [
        (item, "help-needed" if place in by_hand else label)
        for place, (item, label) in enumerate(given)
    ]


def delimited(answers: Answers, row: str = "{},{}", header: str = "", end: str = "\n") -> str:
    """One line per answer."""
    return "".join(
        f"{line}{end}"
        for line in (*filter(None, [header]), *(row.format(*answer) for answer in answers))
    )


def json_lines(answers: Answers) -> str:
    """One JSON object per line."""
    return "".join(json.dumps({"post_id": item, "label": label}) + "\n" for item, label in answers)


def labels_only(answers: Answers) -> str:
    """One label per line, in the order of gold."""
    return "".join(f"{label}\n" for _, label in answers)


class File(NamedTuple):
    """A team's file: whose answers it holds, and what the team did to them."""

    system: str
    write: Callable[[Answers], str]
    edit: Callable[[Answers], Answers] = as_given


comma = partial(delimited, header="post_id,label")
tab = partial(delimited, row="{}\t{}")

FILES = {
    "Kingfisher.csv": File("Kingfisher", comma),
    "Plumbline.jsonl": File("Plumbline", json_lines),
    "Spate.tsv": File("Spate", partial(tab, header="post_id\tlabel")),
    "Estuary.csv": File("Estuary", partial(comma, end="\r\n")),
    "Oxbow.csv": File("Oxbow", comma, with_typing_errors),
    "Heron.tsv": File("Heron", tab, sorted),
    "Sandbag.csv": File("Sandbag", partial(comma, header="\ufeffpost_id,label"), without_the_last),
    "Watershed.csv": File("Watershed", comma),
    # both teams sent in what the starter notebook predicts
    "Millrace.jsonl": File("Watershed", json_lines),
    "Delta4.csv": File(
        "Delta4", partial(delimited, row="{};primary;{}", header="post_id;run;label")
    ),
    "HighTide.txt": File(
        "HighTide", partial(delimited, row="{} {}", header="# HighTide, final run")
    ),
    "baseline-majority.txt": File("baseline-majority", labels_only),
}


def write_campaign(folder: Path) -> None:
    """Gold and submissions into ``folder``."""
    rng = np.random.default_rng(SEED)
    gold, predicted = generate(rng)
    items = [f"{number:05d}" for number in rng.permutation(100_000)[: gold.size]]

    def answers(codes: Codes) -> Answers:
        return zip(items, (LABELS[code] for code in codes), strict=True)

    (folder / "submissions").mkdir(parents=True, exist_ok=True)
    (folder / "gold.csv").write_bytes(comma(answers(gold)).encode())
    for name, file in FILES.items():
        text = file.write(file.edit(answers(predicted[file.system])))
        (folder / "submissions" / name).write_bytes(text.encode())


if __name__ == "__main__":
    write_campaign(FOLDER)
    print(f"wrote {FOLDER}")
