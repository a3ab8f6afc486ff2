"""How many items a test set needs before there is one, judged from the confusions of a pilot system or two.

The standard error of a difference shrinks with the root of the number of items, so a pilot says what it would be on any
test set with the pilot's class distribution. What confusions cannot say is how alike two systems' errors are; items are
therefore given for several correlations of their influence values. Source: Card et al. 2020.
"""

import math
from collections.abc import Sequence

import numpy as np

from audit.domain import (
    BALANCED,
    FAMILY_WISE_ERROR,
    OBSERVED,
    ONE_PAIR,
    LabelSet,
    NeededItems,
    Plan,
    ScoreKey,
    detectable,
)
from audit.domain.arrays import Counts, Floats
from audit.errors import UsageError
from audit.inference.smoothing import Smoothed
from audit.metrics import Cells, Margins, gradient_of, influence, phrase, prevalence_shares, row_scale, score
from audit.metrics.confusion import over_classes

CORRELATIONS = (0.0, 0.5, 0.8)
"""Systems that err independently, and systems that err more and more on the same items, as those of one task do.

On three real campaigns (48 teams on 20 classes, 23 on two, six on eight) the influence values of the ten best systems
have correlations of .23 to .87, with medians of .36 to .63, by accuracy and by averaged F1.
"""
_MOST_PILOTS = 2
_CONSTANT = 1e-9  # a smaller deviation is rounding


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

    Parameters
    ----------
    confusions : ndarray of int, shape (1 or 2, C, C + 1)
        Of the pilot systems, gold × predicted, the last column *unanswered*. With one, the other system is taken to
        vary as much.
    label_set : LabelSet
        The C labels.
    key : ScoreKey
        The metric, at observed or balanced prevalence.
    difference : float
        The true difference that is to be found; positive.
    n_teams : int
        Teams whose pairs are all compared; at least 2.
    correlations : sequence of float
        Correlations of the two systems' influence values, item by item.

    Raises
    ------
    UsageError
        When there is no such difference, team number, or prevalence, there are more than two pilots, or the score of
        the pilots is undefined or cannot vary.

    Examples
    --------
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
    first, second = float(deviations[0]), float(deviations[-1])
    critical = critical_value_among(n_teams)
    spreads = [math.sqrt(first**2 + second**2 - 2 * each * first * second) for each in correlations]
    return Plan(
        key=key,
        difference=difference,
        n_teams=n_teams,
        critical_value=critical,
        scores=tuple(scores.tolist()),
        n_items=tuple(confusions.sum(axis=(1, 2)).tolist()),
        deviations=(first, second),
        needed=tuple(
            NeededItems(each, *(_needed(value, spread, difference) for value in (ONE_PAIR, critical)))
            for each, spread in zip(correlations, spreads, strict=True)
        ),
    )


def _check(confusions: Counts, key: ScoreKey, difference: float, n_teams: int) -> None:
    if not 0 < difference < 1:
        raise UsageError("A difference to be found is above 0 and below 1.")
    if n_teams < 2:  # noqa: PLR2004 - a pair
        raise UsageError("A comparison is of at least two teams.")
    if len(confusions) > _MOST_PILOTS:
        raise UsageError("A plan is made from one pilot confusion, or from two.")
    if key.prevalence not in (OBSERVED.name, BALANCED.name):
        raise UsageError("A plan is at observed or at balanced prevalence: a pilot names no other.")


def _deviations(confusions: Counts, label_set: LabelSet, key: ScoreKey) -> Floats:
    """Standard deviation of one item's influence, times the number of items, of each system.

    Computed with the pseudo-items of an interval, so that a small pilot without an error in some class is not taken for
    a system that cannot err. They make it a little too large, by a tenth where a pilot has 100 items in two classes.
    """
    cells, scale = Cells.of(confusions), None
    prevalence = Margins.of_cells(cells).prevalence
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
    return math.ceil(detectable(critical_value, math.hypot(spread, difference)) ** 2 / difference**2)
