"""Small campaigns by how many items each team gets right, to be changed one thing at a time."""

import numpy as np

from audit.domain import (
    Campaign,
    Gold,
    LabelSet,
    Options,
    Role,
    ScoreKey,
    SourceFile,
    Submission,
    Task,
)
from audit.evaluation import evaluate

N_ITEMS = 200
LABELS = LabelSet(("no", "yes"))
ACCURACY = ScoreKey("accuracy")


def truth(*wrong):
    """Every other item is yes, but for those items whose label is the other one."""
    codes = np.arange(N_ITEMS) % 2
    codes[list(wrong)] = 1 - codes[list(wrong)]
    return codes.astype(np.uint8)


def team(name, n_right, *, run=None, n_missing=0, role=Role.PRIMARY, file=None):  # noqa: PLR0913 - each may be said
    """A team that gets the first so many items right, and leaves the last ones out."""
    codes = np.where(np.arange(N_ITEMS) < n_right, truth(), 1 - truth()).astype(np.uint8)
    codes[N_ITEMS - n_missing :] = 2
    source = SourceFile.of(f"{name}{run or ''}.txt", file or codes.tobytes())
    return Submission(name, codes, run, source=source, role=role)


ANN, BEN, CEM = team("Ann", 170), team("Ben", 168), team("Cem", 120)


def evaluated(*teams, gold=None, options=None, title="A task", **task):
    """The three teams where none are named; official metric is accuracy unless another is said."""
    task = {"official_metric": ACCURACY, **task}
    labels = task.pop("labels", LABELS)
    if gold is None:
        gold = Gold(LABELS, truth(), tuple(f"i{place}" for place in range(N_ITEMS)))
    made = Campaign(Task("task", title, labels, **task), gold, teams or (ANN, BEN, CEM))
    return evaluate(made, options or Options())
