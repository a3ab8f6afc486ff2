"""What the first place depends on, and whether the test set shows it."""

from collections.abc import Iterable, Mapping

import numpy as np

from audit.domain import BALANCED, OBSERVED, Comparison, Evaluation, ScoreKey, Support, WinnerChange
from audit.metrics import BOTH_MACRO_F1, metric_of, triggers_of

AVERAGED, OF_AVERAGES = map(ScoreKey, BOTH_MACRO_F1)
MOST_TESTED = 200
"""With more teams, other metrics are compared only on request: a comparison of 1,000 takes seconds."""


def choices(evaluation: Evaluation) -> tuple[tuple[str, ScoreKey, ScoreKey], ...]:
    """The choices other than the ranking metric: the kind, and the scores on the two sides."""
    key = evaluation.task.ranking_metric
    metric, observed = key.metric, ScoreKey(key.metric, OBSERVED.name)
    balanced = ScoreKey(metric, BALANCED.name)
    others = (ScoreKey(other.slug, key.prevalence) for other in triggers_of(evaluation) if other.slug != metric)
    return (
        ("macro-f1", AVERAGED, OF_AVERAGES),
        *((("prevalence", observed, balanced),) if balanced in evaluation.keys else ()),
        *(("metric", key, other) for other in others if other in evaluation.keys),
    )


def contested(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """Scores whose winners are all others than those of the ranking metric: what their comparisons say decides."""
    sides = (side for _, *both in choices(evaluation) if _differ(evaluation, both) for side in both)
    return tuple(dict.fromkeys(sides))


def _differ(evaluation: Evaluation, keys: Iterable[ScoreKey]) -> bool:
    one, other = (set(evaluation.winners(key)) for key in keys)
    return bool(one and other) and one.isdisjoint(other)


def winner_changes(evaluation: Evaluation, comparisons: Mapping[ScoreKey, Comparison]) -> tuple[WinnerChange, ...]:
    """The state of each choice, from the comparisons at hand.

    Parameters
    ----------
    evaluation : Evaluation
        Scores and ranks.
    comparisons : mapping of ScoreKey to Comparison
        The comparisons by `contested` scores, and perhaps by others.
    """
    return tuple(
        WinnerChange(kind, (one, other), (evaluation.winners(one), evaluation.winners(other)), support)
        for kind, one, other in choices(evaluation)
        for support in [_support(evaluation, one, other, comparisons)]
    )


def _support(
    evaluation: Evaluation, one: ScoreKey, other: ScoreKey, comparisons: Mapping[ScoreKey, Comparison]
) -> Support:
    winners = evaluation.winners(one), evaluation.winners(other)
    if not all(winners):
        return Support.NOT_TESTED
    shared = set(winners[0]) & set(winners[1])
    if shared:
        kept = shared.issuperset(winners[other == evaluation.task.ranking_metric])
        return Support.HOLDS if kept else Support.TIE_BROKEN
    of_ranks = any(metric_of(key.metric, evaluation.task.label_set).of_ranks for key in (one, other))
    tested = not of_ranks and evaluation.comparable[[*winners[0], *winners[1]]].all()
    if not tested or one not in comparisons or other not in comparisons:
        return Support.NOT_TESTED
    ahead_by_one = comparisons[one].ahead[np.ix_(*winners)].all()
    ahead_by_other = comparisons[other].ahead[np.ix_(*winners[::-1])].all()
    return Support.REAL if ahead_by_one and ahead_by_other else Support.OPEN
