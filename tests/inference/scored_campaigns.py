"""Campaigns of two labels whose teams give scores of single items, drawn or given."""

import numpy as np
from scipy.stats import norm

from audit.domain import Campaign, Gold, LabelSet, ScoreKey, Submission, Task

LABELS = LabelSet(("no", "yes"))


def campaign(positive, rows, official, thresholds=(0.5,) * 9, **gold):
    """Teams with these scores, which answer yes from a threshold on."""
    task = Task("t", "T", LABELS, official_metric=ScoreKey(official), scored_labels=("yes",))
    teams = tuple(
        Submission(
            f"T{place}",
            (np.asarray(row) > threshold).astype(np.uint8),
            scores=np.asarray(row, dtype=float),
        )
        for place, (row, threshold) in enumerate(zip(rows, thresholds, strict=False))
    )
    return Campaign(task, Gold(LABELS, positive.astype(np.uint8), **gold), teams)


def drawn(some, n_items, share, distances):
    """Gold, and normal scores of each team, higher by its distance for the class, as probabilities."""
    positive = some.random(n_items) < share
    common = some.normal(size=n_items)
    rows = [
        norm.cdf((common + some.normal(size=n_items)) / np.sqrt(2) + distance * (positive - 0.5))
        for distance in distances
    ]
    return positive, rows
