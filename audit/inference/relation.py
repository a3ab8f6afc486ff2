"""Who is ahead of whom: who could be best, possible ranks, and what the first place depends on.

Nothing else decides them. Sources: Romano and Wolf 2005 (all pairs); Mogstad, Romano, Shaikh and Wilhelm 2024
(possible ranks).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.domain import BALANCED, OBSERVED, Comparison, Evaluation, ScoreKey, State, WinnerChange
from audit.domain.arrays import Bools, Counts, Ints
from audit.metrics import BOTH_MACRO_F1, SCALE_METRICS, metric_of, triggers_of

AVERAGED, OF_AVERAGES = map(ScoreKey, BOTH_MACRO_F1)
# with more teams, other metrics are compared only on request: a comparison of 1,000 takes seconds
MOST_TESTED = 200


@dataclass(frozen=True, eq=False)
class Relation:
    """What the test set shows of t entries by one score."""

    ranks: Ints  # (t,): their ranks; equal scores share one
    ahead: Bools  # (t, t): whether the row's entry is ahead of the column's
    could_be_best: Bools  # (t,): which entries could be best
    uncertain: Bools  # (t,): entries whose differences are much less sure than the field's

    @classmethod
    def of(cls, ranks: Ints, decided: Bools, out: Bools, uncertain: Bools) -> "Relation":
        """The relation that follows from the decisions over all pairs (t, t), and from who is out by its own (t,).

        Of three, the first is ahead of the last over all pairs, and the second is out by its own comparisons alone: the
        first alone could be best, and so is ahead of both.

        >>> decided = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
        >>> out, nobody = np.array([False, True, True]), np.zeros(3, dtype=bool)
        >>> relation = Relation.of(np.array([1, 2, 3]), decided, out, nobody)
        >>> relation.could_be_best.tolist(), relation.possible_ranks.tolist()
        ([True, False, False], [[1, 1], [2, 3], [2, 3]])
        """
        # An entry as sure as the others is not out where one with a lower score, as sure, is not: this only adds.
        last_rank = ranks[~out & ~uncertain].max(initial=0)
        is_behind = decided.any(axis=0)
        is_added = ~uncertain & (ranks <= last_rank) & ~is_behind
        could_be_best = ~out | is_added
        ahead = decided.copy()
        if could_be_best.sum() == 1:
            ahead[could_be_best] = ~could_be_best
            # what is ahead of all is told apart from all, however sure
            uncertain = uncertain & ~could_be_best
        return cls(ranks, ahead, could_be_best, uncertain)

    @cached_property
    def possible_ranks(self) -> Counts:
        """First and last possible rank of each entry, shape (t, 2).

        From 1 + the number ahead of it (2 at least if it could not be best) to t − the number it is ahead of.
        """
        smallest = np.where(self.could_be_best, 1, 2)
        first = np.maximum(1 + self.ahead.sum(axis=0), smallest)
        last = len(self.ranks) - self.ahead.sum(axis=1)
        return np.stack([first, last], axis=-1).astype(np.int64)


def choices(evaluation: Evaluation) -> tuple[tuple[str, ScoreKey, ScoreKey], ...]:
    """The choices other than the ranking metric: the kind, and the scores on the two sides, the ranking's first.

    The kind of another metric is “scale” iff one of the two looks at the order of the labels and the other does not.
    """
    key = evaluation.task.ranking_metric
    labels = evaluation.task.label_set
    found = []
    if AVERAGED in evaluation.keys:
        found.append(("macro-f1", AVERAGED, OF_AVERAGES))
    balanced = ScoreKey(key.metric, BALANCED.name)
    if balanced in evaluation.keys:
        found.append(("prevalence", ScoreKey(key.metric, OBSERVED.name), balanced))
    on_scale = metric_of(key.metric, labels).of_scale
    other_metrics = [metric.slug for metric in triggers_of(evaluation)]
    for slug in (*other_metrics, *SCALE_METRICS):
        other = ScoreKey(slug, key.prevalence)
        is_same_choice = other == key or {key, other} == {AVERAGED, OF_AVERAGES}
        if is_same_choice or other not in evaluation.keys:
            continue
        kind = "scale"
        if metric_of(slug, labels).of_scale == on_scale:
            kind = "metric"
        found.append((kind, key, other))
    in_order = []
    for kind, one, other in found:
        if other == key:
            in_order.append((kind, other, one))
        else:
            in_order.append((kind, one, other))
    return tuple(in_order)


def contested_scores(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """Both scores of each choice by which others are first: their comparisons decide whether that is shown."""
    keys: dict[ScoreKey, None] = {}
    for _, one, other in choices(evaluation):
        first = set(evaluation.winners(one))
        there = set(evaluation.winners(other))
        if first and there and first != there:
            keys |= {one: None, other: None}
    return tuple(keys)


def winner_changes(
    evaluation: Evaluation, comparison_by: Callable[[ScoreKey], Comparison | None]
) -> tuple[WinnerChange, ...]:
    """The state of each choice."""
    changes = []
    for kind, one, other in choices(evaluation):
        changes.append(_change(evaluation, kind, (one, other), comparison_by))
    return tuple(changes)


def _change(
    evaluation: Evaluation,
    kind: str,
    keys: tuple[ScoreKey, ScoreKey],
    comparison_by: Callable[[ScoreKey], Comparison | None],
) -> WinnerChange:
    labels = evaluation.task.label_set
    official_key, other_key = keys
    winners = (evaluation.winners(official_key), evaluation.winners(other_key))
    official = None
    other = None
    if not any(metric_of(key.metric, labels).of_ranks for key in keys):
        official = comparison_by(official_key)
        other = comparison_by(other_key)
    could_be_best: tuple[int, ...] = ()
    if other is not None:
        could_be_best = other.contenders
    state = state_of(winners, (official, other))
    p = _p_of_lead(evaluation, other_key, winners, other)
    return WinnerChange(kind, keys, winners, state, could_be_best, p)


def _p_of_lead(
    evaluation: Evaluation,
    key: ScoreKey,
    winners: tuple[Sequence[int], Sequence[int]],
    comparison: Comparison | None,
) -> float | None:
    """The adjusted p of the winner by a score over the official winner, or over the runner-up where these are one."""
    first, there = winners
    rival = rival_of(evaluation, key, first, there)
    if comparison is None or rival is None:
        return None
    if not comparison.compares([there[0], rival]):
        return None
    return float(comparison.adjusted_p[there[0], rival])


def rival_of(
    evaluation: Evaluation, key: ScoreKey, first: Sequence[int], there: Sequence[int]
) -> int | None:
    """Whom the winner by a score is ahead of: the official winner, or the runner-up where these are one."""
    if not there:
        return None
    for team in first:
        if team not in there:
            return team
    for team in evaluation.order(key):
        if evaluation.contending[team] and team not in there:
            return team
    return None


def state_of(
    winners: tuple[Sequence[int], Sequence[int]],
    comparisons: tuple[Comparison | None, Comparison | None],
) -> State:
    """What another choice makes of the first place (STATISTICS.md, section 4).

    Winners and comparisons are those by the official score, and those by the other choice.
    """
    first, there = winners
    official, other = comparisons
    involved = [*first, *there]
    if not (first and there) or other is None or not other.compares(involved):
        return State.NOT_TESTED
    if set(first) <= set(there):
        is_alone = len(there) == 1 and other.contenders == tuple(there)
        if is_alone:
            return State.SAME_SHOWN
        return State.SAME_NOT_SHOWN
    if official is None or not official.compares(involved):
        return State.NOT_TESTED
    is_tied = len(first) > 1 or len(there) > 1
    state = State.OTHER_SHOWN_THERE
    if is_tied or not other.ahead[there[0], first[0]]:
        state = State.OTHER_NOT_SHOWN
    elif official.ahead[first[0], there[0]]:
        state = State.OTHER_SHOWN
    return state
