"""What confusions tell without items: scores with intervals, and how many items a test set needs before there is one.

The standard error of a difference shrinks with the root of the number of items, so a pilot says what it would be on any
test set with the pilot's class distribution. What confusions cannot say is how alike two systems' errors are; items are
therefore given for several correlations of their influence values. Source: Card et al. 2020.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from audit.domain import (
    BALANCED,
    FAMILY_WISE_ERROR,
    MARKS,
    OBSERVED,
    ONE_PAIR,
    LabelSet,
    Mark,
    NeededItems,
    Plan,
    ScoreKey,
    detectable,
)
from audit.domain.arrays import Counts, Floats
from audit.errors import UsageError
from audit.inference.intervals import intervals_of
from audit.inference.label_intervals import Scored
from audit.inference.smoothing import Smoothed
from audit.metrics import (
    BOTH_MACRO_F1,
    METRICS,
    Cells,
    Margins,
    gap_by_class_pair,
    gradient_of,
    influence,
    metric_name,
    parse_score_key,
    phrase,
    prevalence_shares,
    row_scale,
    score,
)
from audit.metrics.confusion import over_classes
from audit.text import number, plural

if TYPE_CHECKING:
    import pandas as pd

CORRELATIONS = (0.0, 0.5, 0.8)
"""Systems that err independently, and systems that err more and more on the same items, as those of one task do.

On three real campaigns (48 teams on 20 classes, 23 on two, six on eight) the influence values of the ten best systems
have correlations of .23 to .87, with medians of .36 to .63, by accuracy and by macro-averaged F1.
"""
_FIRST = frozenset({*BOTH_MACRO_F1, "accuracy", "macro_recall", "kappa", "mcc"})
_MOST_PILOTS = 2
_CONSTANT = 1e-9  # a smaller deviation is rounding
_BY_CLASS = ("precision", "recall", "f1", "jaccard", "specificity")


def critical_value_among(n_teams: int) -> float:
    """The value that |difference| / standard error must exceed when all pairs of so many teams are compared.

    It is that of teams whose scores are equally correlated: Tukey's studentized range, divided by √2. For a pair it is
    1.96.
    """
    from scipy.stats import studentized_range  # noqa: PLC0415 - a second that only a plan needs

    return float(studentized_range.ppf(1 - FAMILY_WISE_ERROR, n_teams, np.inf) / math.sqrt(2))


def plan(  # noqa: PLR0913 - what a plan is of
    confusions: Counts,
    label_set: LabelSet,
    key: ScoreKey,
    *,
    difference: float,
    n_teams: int = 20,
    correlations: Sequence[float] = CORRELATIONS,
) -> Plan:
    """How many items it takes to find a difference of two systems 80% of the time.

    A pilot with 8,000 right answers in 10,000: one item's accuracy has a standard deviation of √(.8 · .2) = .4.

    >>> pilot = np.array([[[4000, 1000, 0], [1000, 4000, 0]]])
    >>> found = plan(pilot, LabelSet(("a", "b")), ScoreKey("accuracy"), difference=0.02)
    >>> [round(deviation, 2) for deviation in found.deviations]
    [0.4, 0.4]
    >>> [(each.correlation, each.as_pair, each.among_all) for each in found.needed]
    [(0.0, 6295, 15425), (0.5, 3152, 7722), (0.8, 1266, 3101)]
    """
    _check(confusions, key, difference, n_teams)
    scores = score(confusions, [key], [OBSERVED, BALANCED], label_set)[0]
    if np.isnan(scores).any():
        raise UsageError(f"The pilot's {phrase(key, label_set)} is undefined.")
    deviations = _deviations(confusions, label_set, key)
    if not (deviations > _CONSTANT).all():
        raise UsageError(
            f"The pilot's {phrase(key, label_set)} has no standard error: no item can change it, or a recall of 0 "
            "keeps it at 0. Such a system does not say how many items are needed."
        )
    first = float(deviations[0])
    second = float(deviations[-1])
    critical = critical_value_among(n_teams)
    needed = []
    for correlation in correlations:
        spread = math.sqrt(first**2 + second**2 - 2 * correlation * first * second)
        as_pair = _needed(ONE_PAIR, spread, difference)
        among_all = _needed(critical, spread, difference)
        needed.append(NeededItems(correlation, as_pair, among_all))
    return Plan(
        key=key,
        difference=difference,
        n_teams=n_teams,
        critical_value=critical,
        scores=tuple(scores.tolist()),
        n_items=tuple(confusions.sum(axis=(1, 2)).tolist()),
        deviations=(first, second),
        needed=tuple(needed),
    )


def _check(confusions: Counts, key: ScoreKey, difference: float, n_teams: int) -> None:
    if not 0 < difference < 1:
        raise UsageError("A difference to be found is above 0 and below 1.")
    if n_teams < 2:  # noqa: PLR2004 - a pair
        raise UsageError("A comparison is of at least two teams.")
    if len(confusions) > _MOST_PILOTS:
        raise UsageError("A plan is made from one pilot confusion, or from two.")
    if key.prevalence not in (OBSERVED.name, BALANCED.name):
        raise UsageError("A plan is at observed or with balanced classes: a pilot names no other.")


def _deviations(confusions: Counts, label_set: LabelSet, key: ScoreKey) -> Floats:
    """Standard deviation of one item's influence, times the number of items, of each system.

    Computed with the pseudo-items of an interval, so that a small pilot without an error in some class is not taken for
    a system that cannot err. They make it a little too large, by a tenth where a pilot has 100 items in two classes.
    """
    cells = Cells.of(confusions)
    scale = None
    prevalence = cells.prevalence
    if key.prevalence == BALANCED.name:
        shares = np.stack([prevalence_shares(BALANCED, counts, label_set) for counts in prevalence])
        scale = row_scale(prevalence, shares)
    smoothed = Smoothed.of(cells)
    slopes = influence(gradient_of(key.metric, smoothed.margins(scale), label_set), smoothed, scale)
    return np.sqrt(smoothed.sum_of_squares(slopes) * over_classes(prevalence))


def _needed(critical_value: float, spread: float, difference: float) -> int:
    """Items with which a difference exceeds its critical value 80% of the time.

    The variance under "no difference" adds the square of the difference, as it does to that of every comparison.
    """
    return math.ceil(
        detectable(critical_value, math.hypot(spread, difference)) ** 2 / difference**2
    )


@dataclass(frozen=True)
class GapPair:
    """The part of Δ that two classes add: one has the higher precision for its recall, the other the lower."""

    labels: tuple[str, str]  # the two classes
    part: float  # the part of Δ that the two classes add
    share: float  # the share of Δ that the two classes add


@dataclass(frozen=True, eq=False)
class ConfusionScores:
    """The scores of one confusion."""

    labels: LabelSet  # the C classes
    confusion: Counts  # (C, C + 1): gold × predicted, the last column *unanswered*
    keys: tuple[ScoreKey, ...]
    """The scores: every metric, observed and balanced, or those that were asked for."""
    values: Floats  # (K,): the scores and the ends of their 95% intervals
    lower: Floats  # (K,)
    upper: Floats  # (K,)
    marks: tuple[Mark, ...]  # why a score has no interval, or a rough one
    class_keys: tuple[ScoreKey, ...]
    """The class scores among the keys that are not asked for by name."""
    averaged_f1: float  # both macro F1s
    f1_of_averages: float
    gap_pairs: tuple[GapPair, ...]
    """What makes them differ, the largest part first; nothing where they do not."""

    def __repr__(self) -> str:
        """What is looked at first, with its intervals, and the gap; ``scores`` has the rest."""
        first = [
            str(key)
            for key in self.keys
            if key.metric in _FIRST and key.prevalence == OBSERVED.name
        ]
        head = f"{plural(int(self.confusion.sum()), 'item')} of {plural(len(self.labels), 'class', 'classes')}"
        gap = f"Δ of the two macro F1s: {number(self.gap, 4)}; every score: .scores"
        return f"{head}; scores with 95% intervals\n{self.scores.loc[first or slice(None)].round(3)}\n{gap}"

    @property
    def gap(self) -> float:
        """Δ: F1 of averages less macro-averaged F1, at least 0."""
        return max(self.f1_of_averages - self.averaged_f1, 0.0)

    @cached_property
    def row_of(self) -> dict[ScoreKey, int]:
        """The row of each score."""
        return {key: row for row, key in enumerate(self.keys)}

    @property
    def whole_keys(self) -> tuple[ScoreKey, ...]:
        """The scores of the whole confusion, and those that were asked for."""
        by_class = set(self.class_keys)
        return tuple(key for key in self.keys if key not in by_class)

    @property
    def scores(self) -> "pd.DataFrame":
        """Every score with its interval as a DataFrame: a row for each, by its name."""
        import pandas as pd  # noqa: PLC0415 - a third of a second that only notebooks need

        index = pd.Index([str(key) for key in self.keys], name="score")
        return pd.DataFrame(
            {"value": self.values, "lower": self.lower, "upper": self.upper}, index=index
        )


def score_confusion(
    confusion: Counts, label_set: LabelSet, metrics: Sequence[str] = ()
) -> ConfusionScores:
    """Every metric of one confusion, with 95% intervals."""
    prevalences = [OBSERVED, BALANCED]
    keys = [parse_score_key(name, label_set) for name in metrics]
    class_keys = []
    if not metrics:
        for metric in METRICS.values():
            if metric.takes != "class":
                keys += [ScoreKey(metric.slug, each.name) for each in prevalences]
        for slug in _BY_CLASS:
            for code in range(len(label_set)):
                class_keys.append(ScoreKey(metric_name(slug, (code,), label_set)))
    keys = [*dict.fromkeys(keys), *class_keys]
    cells = Cells.of(confusion[None])
    values = score(cells, keys, prevalences, label_set)
    intervals = intervals_of(Scored(cells, keys, values, prevalences, label_set))
    both_keys = [ScoreKey(slug) for slug in BOTH_MACRO_F1]
    averaged, of_averages = score(cells, both_keys, prevalences, label_set)[:, 0].tolist()
    return ConfusionScores(
        labels=label_set,
        confusion=confusion,
        keys=tuple(keys),
        values=values[:, 0],
        lower=intervals.lower[:, 0],
        upper=intervals.upper[:, 0],
        marks=tuple(MARKS[mark] for mark in intervals.marks[:, 0]),
        class_keys=tuple(class_keys),
        averaged_f1=averaged,
        f1_of_averages=of_averages,
        gap_pairs=_gap_pairs(confusion, label_set),
    )


def _gap_pairs(confusion: Counts, label_set: LabelSet) -> tuple[GapPair, ...]:
    """The pairs of classes that make Δ, the largest part first."""
    by_pair = 2 * np.triu(gap_by_class_pair(Margins.of(confusion)))
    gap = by_pair.sum()
    first, second = np.nonzero(by_pair > 0)
    parts = by_pair[first, second]
    pairs = []
    for place in np.argsort(-parts, kind="stable").tolist():
        labels = (label_set.labels[first[place]], label_set.labels[second[place]])
        part = parts[place]
        pairs.append(GapPair(labels, float(part), float(part / gap)))
    return tuple(pairs)
