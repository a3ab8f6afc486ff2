"""Write the sample semeval2017-task4a: gold, and eight systems whose confusions give a published table.

Run from anywhere: ``python sample_submissions/generate_semeval2017.py``. The confusions are given; which items a
system gets wrong is made up. Systems share what is hard about an item and what it is mistaken for, as real ones do.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FOLDER = Path(__file__).resolve().parent / "semeval2017-task4a"
SEED = 2017
# how much of an item's difficulty is the item's own, as the correlation between two systems
SHARED = 0.85
# 18 digits: more than a float can hold
FIRST_ID, LARGEST_GAP = 801_989_080_477_154_944, 4_000_000_000_000


def read_confusions(path: Path) -> tuple[list[str], dict[str, Ints]]:
    """The labels, and each system's counts, shape (C, C), gold × predicted."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return content["labels"], {
        name: np.array(counts) for name, counts in content["confusions"].items()
    }


def draw_shared(rng: np.random.Generator, n_systems: int, n_items: int) -> Floats:
    """One standard normal score per system and item, shape (S, N), correlated between the systems."""
    common, own = rng.standard_normal(n_items), rng.standard_normal((n_systems, n_items))
    return np.asarray(np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * own)


def positions(scores: Floats) -> Ints:
    """Each score's place in its row, from the lowest."""
    return np.argsort(np.argsort(scores, axis=1, kind="stable"), axis=1, kind="stable")


def predict_class(rng: np.random.Generator, gold: int, counts: Ints) -> Ints:
    """What the systems answer to the items of one gold class, (S, n): exactly ``counts``, (S, C), of each."""
    n_systems, n_classes = counts.shape
    n_items = int(counts[0].sum())
    difficulty, direction = (
        draw_shared(rng, n_systems, n_items),
        draw_shared(rng, n_systems, n_items),
    )

    answers = np.array([gold, *(code for code in range(n_classes) if code != gold)])
    bounds = np.cumsum(counts[:, answers], axis=1)
    # the easiest items are the ones a system gets right
    correct = positions(difficulty) < bounds[:, :1]
    # the others go to the class they lean to
    place = positions(np.where(correct, -np.inf, direction))
    return np.asarray(answers[(place[:, :, None] >= bounds[:, None, :-1]).sum(axis=2)])


def generate(confusions: Mapping[str, Ints], rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Gold codes, shape (N,), and every system's codes, shape (S, N), in one shuffled order of items."""
    counts = np.stack(list(confusions.values()))
    prevalence = counts[0].sum(axis=1)
    gold = np.repeat(np.arange(prevalence.size), prevalence)
    predicted = np.hstack(
        [predict_class(rng, code, counts[:, code]) for code in range(prevalence.size)]
    )
    order = rng.permutation(gold.size)
    return gold[order], predicted[:, order]


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """A text file with Unix line ends on every system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())


def write_campaign(folder: Path) -> None:
    """Gold and submissions into ``folder``; the submissions have one label per line, in the order of gold."""
    rng = np.random.default_rng(SEED)
    labels, confusions = read_confusions(FOLDER / "confusions.json")
    gold, predicted = generate(confusions, rng)
    ids = FIRST_ID + np.cumsum(rng.integers(1, LARGEST_GAP, gold.size))

    names = np.array(labels)
    write_lines(folder / "gold.tsv", ["id\tlabel", *map("{}\t{}".format, ids, names[gold])])
    for system, codes in zip(confusions, predicted, strict=True):
        write_lines(folder / "submissions" / f"{system}.txt", names[codes])


if __name__ == "__main__":
    write_campaign(FOLDER)
    print(f"wrote {FOLDER}")
