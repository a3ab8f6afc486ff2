"""Metrics of the scores that teams give to single items: AUC, average precision and the Brier score.

None of them is a function of the confusion: they look at how far each item is said to be of one of two classes, and at
no label that a team answers. So a confusion gives none of them a value, and a slope in no cell.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType
from typing import Any

import numpy as np

from audit.domain.arrays import Bools, Counts, Floats
from audit.domain.submitted_runs import ItemScores
from audit.metrics import gradients, kernels
from audit.metrics.metric import Metric

_CELLS = 1 << 20  # scores of some teams at once: 8 MB


@dataclass(frozen=True, eq=False)
class Weighed:
    """Scores of some teams to the items of two classes, of which each has its share."""

    scores: Floats  # (t, N): the scores
    positive: Bools  # (N,): which items are of the class that a higher score speaks for; some are, and some are not
    share: float  # the mass of the items that are

    @property
    def n_positive(self) -> int:
        """Items of the class."""
        return int(self.positive.sum())

    @property
    def n_negative(self) -> int:
        """Items of the other class."""
        return self.positive.size - self.n_positive

    @property
    def item_mass(self) -> Floats:
        """The mass of each item, shape (N,); all together 1."""
        return np.where(self.positive, self.share / self.n_positive, (1 - self.share) / self.n_negative)


class MeanOf(Enum):
    """The terms that a metric of scores of items is a mean of, which decide how its variance is estimated."""

    LOSSES = auto()  # one number of each item, by itself
    PLACEMENTS = auto()
    """For each item of one class, the share of the other class's items that are on the right side of it."""


@dataclass(frozen=True)
class ItemScoreFunction:
    """The functions that compute one metric of scores of items."""

    values: Callable[[Weighed], Floats]  # scores of some teams → their values, shape (t,); NaN where undefined
    influence: Callable[[Weighed, bool], Floats] | None = None  # (t, N); None where weights stand in
    mean_of: MeanOf | None = None  # what the value is a mean of. None where it is of neither kind


def midranks(rows: Floats) -> Floats:
    """Ranks from 1 on within each row, shape (t, N); equal numbers share the mean of their ranks."""
    order = np.argsort(rows, axis=1, kind="stable")
    ascending = np.take_along_axis(rows, order, axis=1)
    begins = np.diff(ascending, axis=1, prepend=-np.inf) > 0
    begins[:, 0] = True
    run = np.cumsum(begins.ravel()) - 1
    starts = np.flatnonzero(begins.ravel())
    lengths = np.diff(starts, append=begins.size)
    places = starts % rows.shape[1] + (lengths + 1) / 2
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, places[run].reshape(rows.shape), axis=1)
    return ranks


def placements(weighed: Weighed) -> Floats:
    """For each item, the share of the items of the other class that stand on the right side of it, shape (t, N).

    Items of the class stand above the others in a perfect order; an equal score counts half. Source: the V10 and V01 of
    DeLong et al. 1988.
    """
    scores, positive = weighed.scores, weighed.positive
    ranks = midranks(scores)
    values = np.empty(scores.shape)
    values[:, positive] = (ranks[:, positive] - midranks(scores[:, positive])) / weighed.n_negative
    below = (ranks[:, ~positive] - midranks(scores[:, ~positive])) / weighed.n_positive
    values[:, ~positive] = 1 - below
    return values


def _auc(weighed: Weighed) -> Floats:
    """The ranks of one class alone say it, so that it is the same for any order of the items."""
    ranks = midranks(weighed.scores)[:, weighed.positive].sum(axis=1)
    n_positive, n_negative = weighed.n_positive, weighed.n_negative
    return np.asarray((ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative))


def _auc_influence(weighed: Weighed, _fixed: bool) -> Floats:  # noqa: FBT001 - the same either way
    """Placements less their mean, of each class by itself: the sum of their squares is DeLong's variance.

    Random class counts add nothing, as the score is of the two classes apart.
    """
    influence = placements(weighed)
    for of_class in (weighed.positive, ~weighed.positive):
        n_items = int(of_class.sum())
        unbiased = np.sqrt(n_items * (n_items - 1)) if n_items > 1 else np.nan
        own = influence[:, of_class]
        influence[:, of_class] = (own - own.mean(axis=1, keepdims=True)) / unbiased
    return influence


def losses(weighed: Weighed) -> Floats:
    """The squared distance of each probability from what gold says, shape (t, N); of others nobody looks at it."""
    return np.asarray((np.clip(weighed.scores, 0.0, 1.0) - weighed.positive) ** 2)


def _brier(weighed: Weighed) -> Floats:
    """The mean squared distance from gold; undefined where a score is no probability."""
    outside = ((weighed.scores < 0) | (weighed.scores > 1)).any(axis=1)
    of_items, positive = losses(weighed), weighed.positive
    of_class, of_other = of_items[:, positive].mean(axis=1), of_items[:, ~positive].mean(axis=1)
    return np.where(outside, np.nan, of_other + weighed.share * (of_class - of_other))


def _brier_influence(weighed: Weighed, fixed: bool) -> Floats:  # noqa: FBT001 - as every one takes it
    """The distance of each loss from the mean: of all items, or of its class where each class has a mass of its own."""
    influence, n_items = losses(weighed), weighed.positive.size
    parts = (weighed.positive, ~weighed.positive) if fixed else (np.ones(n_items, dtype=bool),)
    for part in parts:
        influence[:, part] -= influence[:, part].mean(axis=1, keepdims=True)
    return np.asarray(influence * weighed.item_mass * np.sqrt(n_items / (n_items - 1)))


def _average_precision(weighed: Weighed) -> Floats:
    """The mean, over the items of the class, of the precision among all items scored at least as high."""
    order = np.argsort(-weighed.scores, axis=1, kind="stable")
    descending = np.take_along_axis(weighed.scores, order, axis=1)
    hits = np.cumsum(weighed.positive[order], axis=1)
    alarms = np.arange(1, order.shape[1] + 1) - hits
    last_alike = np.ones(order.shape, dtype=bool)
    last_alike[:, :-1] = descending[:, 1:] < descending[:, :-1]
    reached = np.maximum.accumulate(np.where(last_alike, hits, 0), axis=1)
    gained = np.where(last_alike, np.diff(reached, axis=1, prepend=0), 0)
    of_alarm = (1 - weighed.share) * weighed.n_positive / (weighed.share * weighed.n_negative)
    return np.asarray((gained * hits / (hits + of_alarm * alarms)).sum(axis=1) / weighed.n_positive)


def _of_item_scores(**declared: Any) -> Metric:  # noqa: ANN401 - the fields of a metric
    """A metric that confusions and labels say nothing of: no voter, and a trigger where scores are kept alone."""
    common: dict[str, Any] = {
        "over": "item scores",
        "kernel": kernels.undefined,
        "gradient": gradients.undefined,
        "averages": False,
        "standard": False,
        "votes": False,
        "triggers": False,
    }
    return Metric(**(common | declared))


AUC = _of_item_scores(
    slug="auc",
    label="AUC",
    phrase="AUC",
    short="AUC",
    formula=r"\frac{1}{n_1 n_0} \sum_{i: g_i = 1} \sum_{j: g_j = 0} \left( [s_i > s_j] + \tfrac{1}{2} [s_i = s_j] "
    r"\right)",
    explanation="The area under the ROC curve: how often an item of the class is scored above one of the other class, "
    "equal scores counting half. Of the order of the scores alone, and the same at any prevalence.",
    baseline="1/2, strict",
    moves_with_classes=False,
    source="Hanley & McNeil 1982; DeLong et al. 1988",
)

AVERAGE_PRECISION = _of_item_scores(
    slug="average_precision",
    label="Average precision",
    phrase="average precision",
    short="AP",
    formula=r"\frac{1}{n_1} \sum_{i: g_i = 1} \frac{|\{j: g_j = 1, s_j \geq s_i\}|}{|\{j: s_j \geq s_i\}|}",
    explanation="The mean, over the items of the class, of the precision among all items scored at least as high; what "
    "scikit-learn calls average_precision_score.",
    baseline="the class’s prevalence",
    source="Salton & McGill 1983; as scikit-learn computes it",
)

BRIER = _of_item_scores(
    slug="brier",
    label="Brier score",
    phrase="Brier score",
    short="Brier",
    formula=r"\frac{1}{|S|} \sum_{i} (s_i - g_i)^2",
    explanation="The mean squared distance of a probability from what happened, 1 for an item of the class and 0 for "
    "another. Undefined where a score is below 0 or above 1.",
    baseline="1/4 for the answer 1/2",
    source="Brier 1950",
    greater_is_better=False,
)

ITEM_SCORE_METRICS: Mapping[str, Metric] = MappingProxyType(
    {metric.slug: metric for metric in (AUC, AVERAGE_PRECISION, BRIER)}
)
"""The metrics that an evaluation has where teams' scores of single items are kept, by slug."""

_FUNCTIONS: Mapping[str, ItemScoreFunction] = MappingProxyType(
    {
        "auc": ItemScoreFunction(_auc, _auc_influence, MeanOf.PLACEMENTS),
        "average_precision": ItemScoreFunction(_average_precision),
        "brier": ItemScoreFunction(_brier, _brier_influence, MeanOf.LOSSES),
    }
)


def has_influence(name: str) -> bool:
    """Whether a function says what each item adds to a score; else draws of item weights stand in its place."""
    return name not in _FUNCTIONS or _FUNCTIONS[name].influence is not None


def mean_of(name: str) -> MeanOf | None:
    """The terms that one of these metrics is a mean of; None where it is no mean."""
    return _FUNCTIONS[name].mean_of


def score_items(name: str, item_scores: ItemScores, share: float) -> Floats:
    """Values of every entry by one of these metrics, shape (T,)."""
    values = np.full(len(item_scores.rows), np.nan)
    for entries, weighed in _blocks(item_scores, share):
        values[entries] = _FUNCTIONS[name].values(weighed)
    return values


def influence_of_items(name: str, item_scores: ItemScores, share: float, *, fixed: bool) -> Floats | None:
    """The value that each item adds to that of every entry, shape (T, N); NaN for one without scores.

    None for a metric that has no such function here.
    """
    function = _FUNCTIONS[name].influence
    if function is None:
        return None
    influence = np.full((len(item_scores.rows), item_scores.positive.size), np.nan)
    for entries, weighed in _blocks(item_scores, share):
        influence[entries] = function(weighed, fixed)
    return influence


def class_means(name: str, item_scores: ItemScores) -> Floats:
    """The mean over each class of what the metric is the mean of, shape (T, 2): the other class, then the class.

    AUC is the same mean of placements over either class; the Brier score is of losses.
    """
    means = np.full((len(item_scores.rows), 2), np.nan)
    if mean_of(name) is MeanOf.PLACEMENTS:
        means[:] = score_items(name, item_scores, 0.5)[:, None]
        return means
    for entries, weighed in _blocks(item_scores, 0.5):
        values = losses(weighed)
        for place, of_class in enumerate((~weighed.positive, weighed.positive)):
            means[entries, place] = values[:, of_class].mean(axis=1)
    return means


def _blocks(item_scores: ItemScores, share: float) -> "Sequence[tuple[Counts, Weighed]]":
    """The entries with scores, some at a time; none where gold lacks a class."""
    entries, n_items = item_scores.entries, item_scores.positive.size
    if not 0 < int(item_scores.positive.sum()) < n_items:
        return []
    step = max(1, _CELLS // n_items)
    return [
        (some, Weighed(np.stack([item_scores.rows[entry] for entry in some]), item_scores.positive, share))
        for some in (entries[start : start + step] for start in range(0, len(entries), step))
    ]


@dataclass(frozen=True, eq=False)
class DescendingItems:
    """The items of one entry from its highest score to its lowest, as far as average precision looks at them."""

    order: Counts  # (N,): the items, those with higher scores first
    positive: Counts  # (n,): the items of the class among them, in this order
    ends: Counts  # (n,): for each item of the class, the place of the last item that is scored as high
    positive_ends: Counts  # (n,): the place of the last item of the class that is scored as high

    @classmethod
    def of(cls, scores: Floats, positive: Bools) -> "DescendingItems":
        """Items in descending order of their scores, shape (N,); some are of the class."""
        order = np.argsort(-scores, kind="stable")
        descending, of_class = scores[order], positive[order]
        last_alike = np.append(np.flatnonzero(descending[1:] < descending[:-1]), scores.size - 1)
        places = np.flatnonzero(of_class)
        ends = last_alike[np.searchsorted(last_alike, places)]
        narrow = np.min_scalar_type(scores.size)
        positive_ends = (np.cumsum(of_class) - 1)[ends]
        return cls(*(each.astype(narrow) for each in (order, order[of_class], ends, positive_ends)))

    def average_precision(self, weights: Floats, shares: Sequence[float | None]) -> Floats:
        """The score for each draw of weights, shape (K, b)."""
        own = np.take(weights, self.positive, axis=1)
        hits = np.cumsum(own, axis=1)
        counted = np.cumsum(np.take(weights, self.order, axis=1), axis=1)
        of_class, of_all = hits[:, -1:], counted[:, -1:]
        reached = np.take(hits, self.positive_ends, axis=1)
        alarms = np.take(counted, self.ends, axis=1) - reached
        scores = np.empty((len(shares), len(weights)))
        for row, share in enumerate(shares):
            of_alarm = 1.0 if share is None else (1 - share) * of_class / (share * (of_all - of_class))
            precision = reached / (reached + of_alarm * alarms)
            scores[row] = (own * precision).sum(axis=1) / of_class[:, 0]
        return scores
