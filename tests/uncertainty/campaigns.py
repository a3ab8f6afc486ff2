"""Campaigns made of codes, their replicates, and how they are judged."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from audit.domain import Campaign, Gold, LabelSet, ScoreKey, Submission, Task, code_dtype
from audit.evaluation import evaluate
from audit.flags import find_flags
from audit.ranking import Draws, Sample, quantify
from audit.ranking.replicates import Replicator

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

AGGREGATES = (
    *("accuracy", "macro_recall", "geometric_macro_recall", "harmonic_macro_recall", "macro_precision"),
    *("averaged_f1", "f1_of_averages", "weighted_f1", "kappa", "mcc"),
)
CALIBRATED = tuple(ScoreKey(metric, "balanced") for metric in AGGREGATES)
AGGREGATE_KEYS = (*map(ScoreKey, AGGREGATES), *CALIBRATED)


def shared(name):
    """A folder of the data that stands beside the checkout; the test is skipped where it is not."""
    if not (DATA / name).is_dir():
        pytest.skip(f"{name} stands beside the checkout, not in it")
    return DATA / name


def scored(gold, predictions, n_classes, **settings):
    """An evaluation without resampling, of codes; C is unanswered. Teams are called A, B, … or as a mapping says."""
    labels = LabelSet(tuple(f"c{code:02}" for code in range(n_classes)))
    dtype = code_dtype(n_classes)
    named = predictions if isinstance(predictions, dict) else dict(zip("ABCDEFGHIJKL", predictions, strict=False))
    return evaluate(
        Campaign(
            Task("t", "T", labels, **settings),
            Gold(labels, np.asarray(gold).astype(dtype)),
            tuple(Submission(team, np.asarray(codes).astype(dtype)) for team, codes in named.items()),
        )
    )


def listed(predictions):
    """Predictions as the engine takes them."""
    return [np.asarray(codes) for codes in (predictions.values() if isinstance(predictions, dict) else predictions)]


def resampled(gold, predictions, n_classes, *, n_replicates=1000, groups=None, **settings):
    """An evaluation with its uncertainty, and with the flags that follow from it."""
    seed = settings.pop("seed", 1)
    evaluation = scored(gold, predictions, n_classes, **settings)
    uncertainty = quantify(evaluation, listed(predictions), n_replicates=n_replicates, seed=seed, groups=groups)
    evaluation = replace(evaluation, uncertainty=uncertainty)
    return replace(evaluation, flags=find_flags(evaluation))


def replicator(gold, predictions, n_classes, *, n_replicates=1000, groups=None, **settings):
    """What draws, counts, repairs and scores the replicates of a campaign."""
    seed = settings.pop("seed", 1)
    evaluation = scored(gold, predictions, n_classes, **settings)
    order = np.argsort(evaluation.gold.codes, kind="stable")
    sample = Sample.of(evaluation.gold.codes, listed(predictions), n_classes)
    draws = Draws(sample.n_items, n_replicates, seed, None if groups is None else np.asarray(groups)[order])
    return Replicator(evaluation, sample, draws)


def replicates(gold, predictions, n_classes, **settings):
    """The evaluation, and every replicated score, shape (K, B, T)."""
    made = replicator(gold, predictions, n_classes, **settings)
    return made.evaluation, made.scores(slice(0, made.sample.n_teams))


def rows(evaluation, keys):
    """Where some scores stand among all."""
    return [evaluation.keys.index(key) for key in keys]


def noisy(rng, gold, n_classes, recalls, difficulty=None):
    """Teams whose errors are correlated by the items' difficulty, and which answer with any class when wrong."""
    difficulty = rng.random(len(gold)) if difficulty is None else difficulty
    made = []
    for recall in recalls:
        uniform = np.where(rng.random(len(gold)) < 0.5, difficulty, rng.random(len(gold)))
        wrong = (gold + rng.integers(1, n_classes, len(gold))) % n_classes
        made.append(np.where(uniform < recall, gold, wrong))
    return made


def bits(uncertainty):
    """Everything that an uncertainty says, as bytes."""
    comparisons = [
        array
        for found in uncertainty.comparisons
        for array in (
            *(found.standard_error, found.adjusted_p, found.separable, found.rank_sets, found.tiers),
            *(found.rank_shares, found.behind_lower, found.behind_upper, found.randomization_p),
            *(np.array(found.critical_value), found.delta_error),
        )
    ]
    arrays = (
        *(uncertainty.lower, uncertainty.upper, uncertainty.gap_lower, uncertainty.gap_upper),
        *(uncertainty.spearman_lower, uncertainty.spearman_upper),
    )
    numbers = np.array(
        [
            *(uncertainty.share_left_out, uncertainty.n_repaired, uncertainty.n_spearman),
            *(uncertainty.macro_f1_disagreement, uncertainty.prevalence_disagreement),
        ]
    )
    return b"".join(np.ascontiguousarray(array).tobytes() for array in (*arrays, *comparisons, numbers))
