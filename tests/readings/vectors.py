"""Thousands of label vectors, random and degenerate, and what each is by name."""

import numpy as np

from audit.domain import OBSERVED, Answers, Cells, LabelSet
from audit.metrics import PRESETS, parse_reading, score_readings
from tests.nightly import whole_or

N_VECTORS, N_ITEMS, N_CLASSES = whole_or(3_000, 10_000), 9, 4


def label_vectors(labels, *, unanswered=False, seed=11):
    """Gold and predictions as codes, shape (N, 9): every third degenerate in one of many ways.

    Gold is constant or lacks classes, predictions are constant, perfect, all wrong, or of classes that gold lacks; with
    ``unanswered``, some items are missing (code C).
    """
    rng = np.random.default_rng(seed)
    n_classes = len(labels)
    gold = rng.integers(0, rng.integers(1, n_classes + 1, N_VECTORS)[:, None], (N_VECTORS, N_ITEMS))
    given = rng.integers(
        0, rng.integers(1, n_classes + 1, N_VECTORS)[:, None], (N_VECTORS, N_ITEMS)
    )
    shift = rng.integers(0, n_classes, N_VECTORS)[:, None]
    kind = rng.integers(0, 12, N_VECTORS)
    gold, given = (
        (gold + shift) % n_classes,
        (given + rng.integers(0, n_classes, N_VECTORS)[:, None]) % n_classes,
    )
    gold[kind == 0] = gold[kind == 0, :1]
    given[kind == 1] = given[kind == 1, :1]
    given[kind == 2] = gold[kind == 2]
    given[kind == 3] = (gold[kind == 3] + 1) % n_classes
    if unanswered:
        given[rng.random(given.shape) < rng.choice([0, 0.2, 0.6], N_VECTORS)[:, None]] = n_classes
    return gold, given


def answers_of(gold, given, n_classes):
    """Every vector as a submission to a gold of its own."""
    counts = np.zeros((len(gold), n_classes, n_classes + 2), dtype=np.int64)
    np.add.at(counts, (np.arange(len(gold))[:, None], gold, given), 1)
    cells = Cells.of(np.delete(counts, n_classes, axis=-1))
    return Answers(
        cells,
        counts[..., n_classes],
        np.zeros_like(counts[..., n_classes]),
        (frozenset(),) * len(gold),
    )


def scores_by(signature, gold, given, labels):
    """The scores of all vectors under one reading."""
    label_set = LabelSet(tuple(labels))
    reading = parse_reading(signature, label_set)
    return score_readings(
        answers_of(gold, given, len(label_set)), [reading], [OBSERVED], label_set
    )[0]


def scores_by_preset(slug, gold, given, labels):
    """Likewise under a preset."""
    return scores_by(PRESETS[slug].signature, gold, given, labels)
