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
        """The relation that follows from two families of decisions.

        Of three, the first is ahead of the last over all pairs, and the second is out by its own comparisons alone: the
        first alone could be best, and so is ahead of both.

        >>> decided = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
        >>> out, nobody = np.array([False, True, True]), np.zeros(3, dtype=bool)
        >>> relation = Relation.of(np.array([1, 2, 3]), decided, out, nobody)
        >>> relation.could_be_best.tolist(), relation.possible_ranks.tolist()
        ([True, False, False], [[1, 1], [2, 3], [2, 3]])
        """
        # An entry as sure as the others is not out where one with a lower score, as sure, is not: this only adds.
        last = ranks[~out & ~uncertain].max(initial=0)
        best = ~out | (~uncertain & (ranks <= last) & ~decided.any(axis=0))
        ahead = decided.copy()
        if best.sum() == 1:
            ahead[best] = ~best
            # what is ahead of all is told apart from all, however sure
            uncertain = uncertain & ~best
        return cls(ranks, ahead, best, uncertain)

    @cached_property
    def possible_ranks(self) -> Counts:
        """First and last possible rank of each entry, shape (t, 2)."""
        first = np.maximum(1 + self.ahead.sum(axis=0), np.where(self.could_be_best, 1, 2))
        return np.stack([first, len(self.ranks) - self.ahead.sum(axis=1)], axis=-1).astype(np.int64)


def choices(evaluation: Evaluation) -> tuple[tuple[str, ScoreKey, ScoreKey], ...]:
    """The choices other than the ranking metric: the kind, and the scores on the two sides, the ranking's first.

    The kind of another metric is “scale” iff one of the two looks at the order of the labels and the other does not.
    """
    key = evaluation.task.ranking_metric
    labels = evaluation.task.label_set
    metric = key.metric
    observed = ScoreKey(key.metric, OBSERVED.name)
    balanced = ScoreKey(metric, BALANCED.name)
    others = (
        ScoreKey(slug, key.prevalence)
        for slug in (*(each.slug for each in triggers_of(evaluation)), *SCALE_METRICS)
    )
    on_scale = metric_of(metric, labels).of_scale
    of_kinds = (
        *((("macro-f1", AVERAGED, OF_AVERAGES),) if AVERAGED in evaluation.keys else ()),
        *((("prevalence", observed, balanced),) if balanced in evaluation.keys else ()),
        *(
            (
                "metric" if metric_of(other.metric, labels).of_scale == on_scale else "scale",
                key,
                other,
            )
            for other in others
            if other in evaluation.keys and other != key and {key, other} != {AVERAGED, OF_AVERAGES}
        ),
    )
    return tuple(
        (kind, other, one) if other == key else (kind, one, other) for kind, one, other in of_kinds
    )


def contested(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """Both scores of each choice by which others are first: their comparisons decide whether that is shown."""
    pairs = [both for _, *both in choices(evaluation)]
    winners = {
        key: set(evaluation.winners(key))
        for key in dict.fromkeys(key for both in pairs for key in both)
    }
    contrary = (
        both
        for both in pairs
        if all(map(winners.get, both)) and winners[both[0]] != winners[both[1]]
    )
    return tuple(dict.fromkeys(key for both in contrary for key in both))


def winner_changes(
    evaluation: Evaluation, comparison_by: Callable[[ScoreKey], Comparison | None]
) -> tuple[WinnerChange, ...]:
    """The state of each choice."""
    return tuple(
        _change(evaluation, kind, (one, other), comparison_by)
        for kind, one, other in choices(evaluation)
    )


def _change(
    evaluation: Evaluation,
    kind: str,
    keys: tuple[ScoreKey, ScoreKey],
    comparison_by: Callable[[ScoreKey], Comparison | None],
) -> WinnerChange:
    winners = evaluation.winners(keys[0]), evaluation.winners(keys[1])
    of_ranks = any(metric_of(key.metric, evaluation.task.label_set).of_ranks for key in keys)
    comparisons = (None, None) if of_ranks else (comparison_by(keys[0]), comparison_by(keys[1]))
    could_be_best = () if comparisons[1] is None else comparisons[1].contenders
    p = _p_of_lead(evaluation, keys[1], winners, comparisons[1])
    return WinnerChange(kind, keys, winners, state_of(winners, comparisons), could_be_best, p)


def _p_of_lead(
    evaluation: Evaluation,
    key: ScoreKey,
    winners: tuple[Sequence[int], Sequence[int]],
    comparison: Comparison | None,
) -> float | None:
    """The adjusted p of the winner by a score over the official winner, or over the runner-up where these are one."""
    first, there = winners
    rival = rival_of(evaluation, key, first, there)
    if comparison is None or rival is None or not comparison.compares([there[0], rival]):
        return None
    return float(comparison.adjusted_p[there[0], rival])


def rival_of(
    evaluation: Evaluation, key: ScoreKey, first: Sequence[int], there: Sequence[int]
) -> int | None:
    """Whom the winner by a score is ahead of: the official winner, or the runner-up where these are one."""
    if not there:
        return None
    passed = [team for team in first if team not in there]
    behind = (
        team for team in evaluation.order(key) if evaluation.contending[team] and team not in there
    )
    if passed:
        return passed[0]
    return next(behind, None)


def state_of(
    winners: tuple[Sequence[int], Sequence[int]],
    comparisons: tuple[Comparison | None, Comparison | None],
) -> State:
    """What another choice makes of the first place (STATISTICS.md, section 4).

    Winners and comparisons are those by the official score, and those by the other choice.
    """
    (first, there) = winners
    (official, other) = comparisons
    involved = [*first, *there]
    if not (first and there) or other is None or not other.compares(involved):
        return State.NOT_TESTED
    if set(first) <= set(there):
        is_alone = len(there) == 1 and other.contenders == tuple(there)
        return State.SAME_SHOWN if is_alone else State.SAME_NOT_SHOWN
    if official is None or not official.compares(involved):
        return State.NOT_TESTED
    if len(first) > 1 or len(there) > 1 or not other.ahead[there[0], first[0]]:
        return State.OTHER_NOT_SHOWN
    return State.OTHER_SHOWN if official.ahead[first[0], there[0]] else State.OTHER_SHOWN_THERE
