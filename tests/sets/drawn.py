"""Random campaigns of sets, as folders and as matrices."""

import csv
import json

import numpy as np

from audit.domain.sets import GivenSets

LABELS = ("anger", "fear", "joy", "trust")
TAGS = ("O", "B-LOC", "I-LOC", "B-PER", "I-PER", "I-ORG")


def matrices(seed, n_teams=3, n_units=60):
    """Gold and teams as matrices of 0 and 1: the last label is in no gold set, and a team never says the first."""
    rng = np.random.default_rng(seed)
    gold = (rng.random((n_units, len(LABELS))) < (0.5, 0.3, 0.1, 0)).astype(int)
    gold[0, :3] = 1
    noise = rng.random((n_teams, *gold.shape)) < 0.2
    teams = np.where(noise, 1 - gold, gold)
    teams[0, :, 0] = 0
    return gold, teams


def written(folder, gold, teams, cell, names=("id", "labels")):
    """A folder with a cell for each set."""
    (folder / "submissions").mkdir(parents=True)
    files = {
        "gold.csv": gold,
        **{f"submissions/t{number}.csv": team for number, team in enumerate(teams)},
    }
    for name, matrix in files.items():
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(names)
            rows.writerows(cell(unit, row) for unit, row in enumerate(matrix.tolist()))
    return folder


def in_cell(separator):
    """A row with a list in its cell."""

    def cell(unit, row):
        chosen = [label for label, has in zip(LABELS, row, strict=True) if has]
        return (f"m{unit}", json.dumps(chosen) if separator == "json" else separator.join(chosen))

    return cell


def of_matrix(matrix):
    """A row of 0 and 1 for each unit as its set of labels, which are letters."""
    things = tuple((chr(ord("a") + code), "") for code in range(matrix.shape[1]))
    return GivenSets(np.ones(len(matrix), bool), things, *np.nonzero(matrix))


def tag_sequences(seed, n_sequences=40):
    """Random tags, often broken."""
    rng = np.random.default_rng(seed)
    return [
        rng.choice(TAGS, rng.integers(1, 9), p=(0.4, 0.15, 0.15, 0.1, 0.1, 0.1)).tolist()
        for _ in range(n_sequences)
    ]


def tag_file(path, sequences):
    """A file with a token and its tag on each line."""
    blocks = ("".join(f"w{place}\t{tag}\n" for place, tag in enumerate(tags)) for tags in sequences)
    path.write_text("\n".join(blocks), encoding="utf-8")
