"""Metrics of the scores that teams give to single items: AUC, average precision and the Brier score.

None of them is a function of the confusion: they look at how far each item is said to be of a class, and at no label
that a team answers. So a confusion gives none of them a value, and a slope in no cell. Where several classes have
scores, AUC and average precision are means over these, each against all others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from audit.domain.arrays import Bools, Counts, Floats
from audit.domain.sets import ItemScores
from audit.metrics import gradients, kernels
from audit.metrics.metric import OF_LABELS, Metric

_CELLS = 1 << 20  # scores of some teams at once: 8 MB


@dataclass(frozen=True, eq=False)
class Weighed:
    """Scores of some teams to the items of two classes, of which each has its share."""

    scores: Floats  # (t, N): the scores
    positive: Bools
    """(N,): which items are of the class that a higher score speaks for; some are, and some are not."""
    share: float  # the mass of the items that are

    @property
    def n_positive(self) -> int:
        """Items of the class."""
        return int(self.positive.sum())

    @property
    def n_negative(self) -> int:
        """Items of the other class."""
        return self.positive.size - self.n_positive


@dataclass(frozen=True)
class ItemScoreFunction:
    """The functions that compute one metric of scores of items."""

    values: Callable[[Weighed], Floats]
    """Scores of some teams → their values, shape (t,); NaN where undefined."""
    influence: Callable[[Weighed, bool], Floats]  # what each item adds to each value, shape (t, N)
    of_losses: bool = False
    """The value is a mean of one number of each item, by itself: so is its variance found."""


def midranks(rows: Floats) -> Floats:
    """Ranks from 1 on within each row, shape (t, N); equal numbers share the mean of their ranks."""
    ranks = np.empty(rows.shape)
    for row, own in zip(rows, ranks, strict=True):
        _, place, sizes = np.unique(row, return_inverse=True, return_counts=True)
        own[:] = (np.cumsum(sizes) - (sizes - 1) / 2)[place]
    return ranks


def placements(weighed: Weighed) -> Floats:
    """For each item, the share of the items of the other class that stand on the right side of it, shape (t, N).

    Items of the class stand above the others in a perfect order; an equal score counts half. Source: the V10 and V01 of
    DeLong et al. 1988.
    """
    positive = weighed.positive
    ranks = midranks(weighed.scores)
    own_ranks = np.empty(ranks.shape)  # among the items of the same class
    own_ranks[:, positive] = midranks(weighed.scores[:, positive])
    own_ranks[:, ~positive] = midranks(weighed.scores[:, ~positive])
    n_others_below = ranks - own_ranks
    values = np.empty(ranks.shape)
    values[:, positive] = n_others_below[:, positive] / weighed.n_negative
    values[:, ~positive] = 1 - n_others_below[:, ~positive] / weighed.n_positive
    return values


def _auc(weighed: Weighed) -> Floats:
    """The ranks of one class alone say it, so that it is the same for any order of the items."""
    ranks = midranks(weighed.scores)[:, weighed.positive].sum(axis=1)
    n_positive = weighed.n_positive
    n_negative = weighed.n_negative
    return np.asarray((ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative))


def _auc_influence(weighed: Weighed, _fixed: bool) -> Floats:  # noqa: FBT001 - the same either way
    """Placements less their mean, of each class by itself: the sum of their squares is DeLong's variance.

    Random class counts add nothing, as the score is of the two classes apart.
    """
    influence = placements(weighed)
    for of_class in (weighed.positive, ~weighed.positive):
        n_items = int(of_class.sum())
        divisor = np.nan
        if n_items > 1:
            divisor = np.sqrt(n_items * (n_items - 1))
        own = influence[:, of_class]
        influence[:, of_class] = (own - own.mean(axis=1, keepdims=True)) / divisor
    return influence


def losses(weighed: Weighed) -> Floats:
    """The squared distance of each probability from what gold says, shape (t, N); of others nobody looks at it."""
    return np.asarray((np.clip(weighed.scores, 0.0, 1.0) - weighed.positive) ** 2)


def _brier(weighed: Weighed) -> Floats:
    """The mean squared distance from gold; undefined where a score is no probability."""
    outside = ((weighed.scores < 0) | (weighed.scores > 1)).any(axis=1)
    of_items = losses(weighed)
    positive = weighed.positive
    of_class = of_items[:, positive].mean(axis=1)
    of_other = of_items[:, ~positive].mean(axis=1)
    return np.where(outside, np.nan, of_other + weighed.share * (of_class - of_other))


def _brier_influence(weighed: Weighed, fixed: bool) -> Floats:  # noqa: FBT001 - as every one takes it
    """The distance of each loss from the mean: of all items, or of its class where each class has a mass of its own."""
    influence = losses(weighed)
    n_items = weighed.positive.size
    parts = [np.ones(n_items, dtype=bool)]
    if fixed:
        parts = [weighed.positive, ~weighed.positive]
    for part in parts:
        influence[:, part] -= influence[:, part].mean(axis=1, keepdims=True)
    mass_of_class = weighed.share / weighed.n_positive
    mass_of_other = (1 - weighed.share) / weighed.n_negative
    masses = np.where(weighed.positive, mass_of_class, mass_of_other)
    return np.asarray(influence * masses * np.sqrt(n_items / (n_items - 1)))


@dataclass(frozen=True, eq=False)
class _Descending:
    """The items of some teams from the highest score to the lowest, all arrays of shape (t, N)."""

    order: Counts  # the items, those with higher scores first
    positive: Bools  # which of them, in this order, are of the class
    first: Counts  # the place of the first item that is scored as high
    last: Counts  # the place of the last one
    alarms: float  # what an item of the other class counts beside one of the class

    @classmethod
    def of(cls, weighed: Weighed) -> "_Descending":
        order = np.argsort(-weighed.scores, axis=1, kind="stable")
        descending = np.take_along_axis(weighed.scores, order, axis=1)
        n_items = order.shape[1]
        ends = np.ones(order.shape, dtype=bool)  # the last of the items with one score
        ends[:, :-1] = descending[:, 1:] < descending[:, :-1]
        begins = np.roll(ends, 1, axis=1)
        places = np.broadcast_to(np.arange(n_items), order.shape)
        first = np.maximum.accumulate(np.where(begins, places, 0), axis=1)
        from_the_end = np.where(ends, places, n_items)[:, ::-1]
        last = np.minimum.accumulate(from_the_end, axis=1)[:, ::-1]
        share = weighed.share
        alarms = (1 - share) * weighed.n_positive / (share * weighed.n_negative)
        return cls(order, weighed.positive[order], first, last, alarms)

    @cached_property
    def hits(self) -> Floats:
        """The items of the class that are scored at least as high."""
        n_before = np.cumsum(self.positive, axis=1, dtype=np.float64)
        return np.take_along_axis(n_before, self.last, axis=1)

    @cached_property
    def false_alarms(self) -> Floats:
        """The mass of the other items that are scored at least as high."""
        return np.asarray(self.alarms * (self.last + 1 - self.hits))

    @cached_property
    def precision(self) -> Floats:
        """The precision among the items that are scored at least as high."""
        return np.asarray(self.hits / (self.hits + self.false_alarms))

    @property
    def value(self) -> Floats:
        """The mean of the precision over the items of the class."""
        return np.asarray(self.precision.mean(axis=1, where=self.positive))

    def from_here_on(self, values: Floats) -> Floats:
        """The sum, over the items of the class that are scored at most as high, of a value of each."""
        sums = np.cumsum(np.where(self.positive, values, 0.0)[:, ::-1], axis=1)[:, ::-1]
        return np.take_along_axis(sums, self.first, axis=1)

    def in_gold_order(self, values: Floats) -> Floats:
        """Values of the items as gold has them."""
        found = np.empty(values.shape)
        np.put_along_axis(found, self.order, values, axis=1)
        return found


def _average_precision_influence(weighed: Weighed, fixed: bool) -> Floats:  # noqa: FBT001 - as every one takes it
    """An item's own precision, and how it moves the precision of those below it, by the rule of small changes.

    Each class by itself where it has a mass of its own; else an item more is an item more of its class, too.
    """
    items = _Descending.of(weighed)
    own = np.where(items.positive, items.precision - items.value[:, None], 0.0)
    counted = items.hits + items.false_alarms
    if fixed:
        # d/d hits = false alarms/counted², d/d false alarms = −hits/counted²
        squares = counted**2
        by_hit = items.from_here_on(items.false_alarms / squares)
        by_alarm = -items.alarms * items.from_here_on(items.hits / squares)
        moved = np.where(items.positive, by_hit, by_alarm)
        for of_class in (items.positive, ~items.positive):
            mean = moved.mean(axis=1, where=of_class, keepdims=True)
            moved -= np.where(of_class, mean, 0.0)
    else:
        by_hit = items.positive * items.from_here_on(1 / counted)
        moved = by_hit - items.from_here_on(items.precision / counted)
    return items.in_gold_order((own + moved) / weighed.n_positive)


_of_item_scores = partial(
    Metric,
    over="item scores",
    kernel=kernels.undefined,
    gradient=gradients.undefined,
    averages=False,
    standard=False,
)


AUC = _of_item_scores(
    *("auc", "AUC", "AUC", "AUC"),
    formula=r"\frac{1}{n_1 n_0} \sum_{i: g_i = 1} \sum_{j: g_j = 0} \left( [s_i > s_j] + \tfrac{1}{2} [s_i = s_j] "
    r"\right)",
    explanation="The area under the ROC curve: how often an item of the class is scored above one of another class, "
    "equal scores counting half; of several classes the mean over those in gold, each against all others. Of the order "
    "of the scores alone.",
    baseline="1/2, strict",
    needs=OF_LABELS,
    moves_with_classes=False,
    source="Hanley & McNeil 1982; DeLong et al. 1988",
)

AVERAGE_PRECISION = _of_item_scores(
    *("average_precision", "Average precision", "average precision", "AP"),
    formula=r"\frac{1}{n_1} \sum_{i: g_i = 1} \frac{|\{j: g_j = 1, s_j \geq s_i\}|}{|\{j: s_j \geq s_i\}|}",
    explanation="The mean, over the items of the class, of the precision among all items scored at least as high; what "
    "scikit-learn calls average_precision_score, of several classes with average='macro'. In small test sets it is on "
    "average above that of the population.",
    baseline="the class’s prevalence",
    source="Salton & McGill 1983; as scikit-learn computes it",
    needs=OF_LABELS,
)

BRIER = _of_item_scores(
    *("brier", "Brier score", "Brier score", "Brier"),
    formula=r"\frac{1}{|S|} \sum_{i} (s_i - g_i)^2",
    explanation="The mean squared distance of a probability from what happened, 1 for an item of the class and 0 for "
    "another. Undefined where a score is below 0 or above 1.",
    baseline="1/4 for the answer 1/2",
    source="Brier 1950",
    greater_is_better=False,
)

ITEM_SCORE_METRICS: Mapping[str, Metric] = {
    metric.slug: metric for metric in (AUC, AVERAGE_PRECISION, BRIER)
}
"""The metrics that an evaluation has where teams' scores of single items are kept, by slug."""

_FUNCTIONS: Mapping[str, ItemScoreFunction] = {
    "auc": ItemScoreFunction(_auc, _auc_influence),
    "average_precision": ItemScoreFunction(
        lambda weighed: _Descending.of(weighed).value, _average_precision_influence
    ),
    "brier": ItemScoreFunction(_brier, _brier_influence, of_losses=True),
}


def metrics_of_item_scores(scored_labels: Sequence[str]) -> list[str]:
    """The slugs of those that an evaluation has: of several labels with scores each, no Brier score."""
    if not scored_labels:
        return []
    return [slug for slug in ITEM_SCORE_METRICS if len(scored_labels) == 1 or slug != BRIER.slug]


def is_of_losses(name: str) -> bool:
    """Whether one of these metrics is a mean of one number of each item, by itself."""
    return _FUNCTIONS[name].of_losses


def score_items(name: str, item_scores: ItemScores, shares: Floats) -> Floats:
    """Values of every entry, shape (T,): means over the classes with scores, whose masses are `shares`, (L,)."""
    return _over_classes(item_scores, shares, (), _FUNCTIONS[name].values)


def influence_of_items(
    name: str, item_scores: ItemScores, shares: Floats, *, fixed: bool
) -> Floats:
    """The value that each item adds to that of every entry, shape (T, N); NaN for one without scores."""
    return _over_classes(
        item_scores,
        shares,
        (item_scores.n_items,),
        lambda weighed: _FUNCTIONS[name].influence(weighed, fixed),
    )


def class_losses(item_scores: ItemScores) -> Floats:
    """The mean loss over each class, shape (T, 2): the other class, then the class."""

    def means(weighed: Weighed) -> Floats:
        values = losses(weighed)
        of_other = values[:, ~weighed.positive].mean(axis=1)
        of_class = values[:, weighed.positive].mean(axis=1)
        return np.stack([of_other, of_class], axis=1)

    return _over_classes(item_scores, np.array([0.5]), (2,), means)


def _over_classes(
    item_scores: ItemScores,
    shares: Floats,
    shape: tuple[int, ...],
    function: Callable[[Weighed], Floats],
) -> Floats:
    """The mean over the classes with scores of what a function says, shape (T, *shape); some entries at a time.

    A class of which gold has no item, or nothing else, has no order: it is left out for everybody.
    """
    values = np.full((len(item_scores.rows), *shape), np.nan)
    entries = item_scores.entries
    classes = np.flatnonzero(item_scores.has_order).tolist()
    if not classes:
        return values
    step = max(1, _CELLS // item_scores.n_items)
    for start in range(0, len(entries), step):
        some = entries[start : start + step]
        given = np.stack([item_scores.rows[entry] for entry in some])
        total: Floats | float = 0.0
        for place in classes:
            positive = item_scores.positive[:, place]
            weighed = Weighed(given[..., place], positive, float(shares[place]))
            total = total + function(weighed)
        values[some] = total / len(classes)
    return values
