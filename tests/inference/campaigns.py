"""Campaigns made of codes: scored, and made certain, without the rest of an evaluation."""

from pathlib import Path

import numpy as np
import pytest

from audit.domain import (
    BALANCED,
    OBSERVED,
    Campaign,
    Cells,
    Gold,
    LabelSet,
    Options,
    Policies,
    Prevalence,
    Role,
    ScoreKey,
    Submission,
    Task,
    code_dtype,
)
from audit.evaluation import score_campaign
from audit.inference.certainty_analysis import certainty_of
from audit.inference.comparison import compare
from audit.inference.intervals import ends_of_entries
from audit.inference.items import items_of
from audit.inference.label_intervals import Scored
from audit.metrics import score

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

AGGREGATES = (
    *(
        "accuracy",
        "macro_recall",
        "geometric_macro_recall",
        "harmonic_macro_recall",
        "macro_precision",
    ),
    *("averaged_f1", "f1_of_averages", "weighted_f1", "kappa", "mcc"),
)


def shared(name):
    """A folder of the data that stands beside the checkout; the test is skipped where it is not."""
    if not (DATA / name).is_dir():
        pytest.skip(f"{name} stands beside the checkout, not in it")
    return DATA / name


def labels_of(n_classes):
    """Labels c0, c1, …."""
    return LabelSet(tuple(f"c{code}" for code in range(n_classes)))


def campaign_of(  # noqa: PLR0913 - all of a campaign
    gold, predictions, n_classes, *, groups=None, stratified=False, roles=(), **settings
):
    """A campaign of codes: C is missing, C + 1 unusable. Teams are called A, B, … or as a mapping says."""
    labels, dtype = labels_of(n_classes), code_dtype(n_classes)
    if not isinstance(predictions, dict):
        predictions = {f"team {number:03}": codes for number, codes in enumerate(predictions)}
    roles = dict(roles)
    policies = Policies(missing=settings.pop("missing", "wrong"))
    options = Options(seed=settings.pop("seed", 1))
    return Campaign(
        Task("t", "T", labels, policies=policies, **settings),
        Gold(labels, np.asarray(gold).astype(dtype), groups=groups, stratified=stratified),
        tuple(
            Submission(team, np.asarray(codes).astype(dtype), role=roles.get(team, Role.PRIMARY))
            for team, codes in predictions.items()
        ),
        options=options,
    )


def ends_of_entry(evaluation, key, entry, items, quantile):
    """Lower and upper end of one entry's interval."""
    lower, upper = ends_of_entries(evaluation, key, np.array([entry]), items, quantile)
    return float(lower[0]), float(upper[0])


def scored_with_items(*arguments, **settings):
    """The scores of such a campaign, and its answers item by item."""
    also = settings.pop("also", ())
    campaign = campaign_of(*arguments, **settings)
    evaluation = score_campaign(campaign, also=also)
    return evaluation, items_of(evaluation, campaign.predictions_of(evaluation.entries))


def made_certain(*arguments, compare=(), **settings):
    """The evaluation of such a campaign with its certainty."""
    campaign = campaign_of(*arguments, **settings)
    evaluation = score_campaign(campaign, also=compare)
    keys = [key for key in evaluation.keys if str(key) in compare]
    found = certainty_of(
        evaluation,
        campaign.predictions_of(evaluation.entries),
        seed=campaign.options.seed,
        also=keys,
    )
    return evaluation.given(certainty=found)


def compared(key, *arguments, **settings):
    """The comparison by one score."""
    evaluation, items = scored_with_items(*arguments, **settings)
    return compare(
        evaluation, ScoreKey(*key) if isinstance(key, tuple) else ScoreKey(key), items, 1
    )


def noisy(rng, gold, n_classes, recalls, difficulty=None):
    """Teams whose errors are correlated by the items' difficulty, and which answer with any class when wrong."""
    difficulty = rng.random(len(gold)) if difficulty is None else difficulty
    made = []
    for recall in recalls:
        uniform = np.where(rng.random(len(gold)) < 0.5, difficulty, rng.random(len(gold)))
        wrong = (gold + rng.integers(1, max(n_classes, 2), len(gold))) % n_classes
        made.append(np.where(uniform < recall, gold, wrong))
    return made


def field_of(seed, n_classes=3, n_items=120):
    """Gold and eight teams of every kind; of the gold's classes the last may be rare."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(n_classes, n_items, p=rng.dirichlet(np.full(n_classes, 3.0)))
    good, fair, poor = noisy(rng, gold, n_classes, [0.9, 0.7, 0.4])
    silent = np.where(rng.random(n_items) < 0.2, n_classes, fair)
    blind = np.where(good == gold[0], (gold[0] + 1) % n_classes, good)  # never predicts one class
    # has no correct item of one class
    unable = np.where(gold == gold[0], (gold[0] + 1) % n_classes, fair)
    constant = np.full(n_items, gold[0])
    return gold, [good, fair, poor, silent, blind, unable, constant, gold.copy()]


def named_prevalence(gold, n_classes):
    """A class distribution of its own for the classes in gold."""
    there = sorted(set(np.asarray(gold).tolist()))
    weights = [1 + code for code in there]
    shares = tuple((labels_of(n_classes).labels[code], (1 + code) / sum(weights)) for code in there)
    return Prevalence("deployment", shares)


def as_scored(confusions, names, *, prevalences=(OBSERVED, BALANCED), stratified=False):
    """Scores of a stack of confusions, as intervals take them."""
    confusions = np.asarray(confusions)
    labels = labels_of(confusions.shape[1])
    keys = [ScoreKey(name, prevalence.name) for prevalence in prevalences for name in names]
    values = score(confusions, keys, prevalences, labels)
    return Scored(Cells.of(confusions), keys, values, prevalences, labels, stratified)


def confusions_of(gold, teams, n_classes):
    """Counted item by item."""
    confusions = np.zeros((len(teams), n_classes, n_classes + 1), dtype=np.int64)
    for confusion, given in zip(confusions, teams, strict=True):
        for g, p in zip(gold, given, strict=True):
            confusion[g, p] += 1
    return confusions


def largest_of_each(draws, spread):
    """The largest |drawn difference| / standard deviation of each team from all others, shape (T, B), one by one."""
    scale = np.divide(1.0, spread, out=np.zeros(spread.shape), where=spread > 0).astype(draws.dtype)
    teams = range(len(draws))
    sizes = [
        [np.abs((draws[one] - draws[other]) * scale[one, other]) for other in teams]
        for one in teams
    ]
    return np.max(sizes, axis=1) if len(draws) else draws
