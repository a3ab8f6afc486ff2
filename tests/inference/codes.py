"""Campaigns made of label codes, with the answers item by item."""

import numpy as np

from audit.domain import (
    Campaign,
    Gold,
    LabelSet,
    Prevalence,
    ScoreKey,
    Submission,
    Task,
    code_dtype,
)
from audit.evaluation import score_campaign
from audit.inference.items import items_of
from audit.metrics import AGGREGATES

OTHER = "other year"
KEYS = tuple(
    ScoreKey(metric.slug, prevalence)
    for prevalence in ("observed", "balanced", OTHER)
    for metric in AGGREGATES
)


def coded(gold, predictions, n_classes, groups=None, **settings):
    """A campaign of codes; C is unanswered. Teams are called A, B, … unless they have names."""
    labels = LabelSet(tuple(f"c{code}" for code in range(n_classes)))
    dtype = code_dtype(n_classes)
    named = (
        predictions
        if isinstance(predictions, dict)
        else dict(zip(map(chr, range(65, 256)), predictions))  # noqa: B905
    )
    return Campaign(
        Task("t", "T", labels, **settings),
        Gold(labels, np.asarray(gold).astype(dtype), groups=groups),
        tuple(Submission(team, np.asarray(codes).astype(dtype)) for team, codes in named.items()),
    )


def scored(gold, predictions, n_classes, **settings):
    """Its evaluation without certainty, and the items."""
    campaign = coded(gold, predictions, n_classes, **settings)
    return score_campaign(campaign), items_of_campaign(campaign)


def items_of_campaign(campaign):
    """The answers of a campaign, item by item."""
    evaluation = score_campaign(campaign)
    return items_of(evaluation, [submission.codes for submission in campaign.submissions])


def shares(n_classes):
    """A named prevalence that is neither observed nor balanced."""
    weights = np.arange(1, n_classes + 1) / (n_classes * (n_classes + 1) / 2)
    return (
        Prevalence(
            OTHER, tuple((f"c{code}", float(weight)) for code, weight in enumerate(weights))
        ),
    )


def drawn(seed, n_items, n_classes, recalls, *, unanswered=0.0):
    """Gold with every class in it, and teams that are right as often as they are said to be."""
    rng = np.random.default_rng(seed)
    gold = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_items - n_classes)])
    wrong = [(gold + rng.integers(1, n_classes, n_items)) % n_classes for _ in recalls]
    answers = [
        np.where(rng.random(n_items) < recall, gold, other)
        for recall, other in zip(recalls, wrong, strict=True)
    ]
    return gold, [np.where(rng.random(n_items) < unanswered, n_classes, given) for given in answers]
