"""What the first place depends on, and whether the test set shows it."""

from collections.abc import Callable, Sequence

from audit.domain import BALANCED, OBSERVED, Comparison, Evaluation, ScoreKey, State, WinnerChange
from audit.metrics import BOTH_MACRO_F1, metric_of, triggers_of

AVERAGED, OF_AVERAGES = map(ScoreKey, BOTH_MACRO_F1)
MOST_TESTED = 200
"""With more teams, other metrics are compared only on request: a comparison of 1,000 takes seconds."""


def choices(evaluation: Evaluation) -> tuple[tuple[str, ScoreKey, ScoreKey], ...]:
    """The choices other than the ranking metric: the kind, and the scores on the two sides, the ranking's first."""
    key = evaluation.task.ranking_metric
    metric, observed = key.metric, ScoreKey(key.metric, OBSERVED.name)
    balanced = ScoreKey(metric, BALANCED.name)
    others = (ScoreKey(other.slug, key.prevalence) for other in triggers_of(evaluation) if other.slug != metric)
    of_kinds = (
        ("macro-f1", AVERAGED, OF_AVERAGES),
        *((("prevalence", observed, balanced),) if balanced in evaluation.keys else ()),
        *(("metric", key, other) for other in others if other in evaluation.keys),
    )
    return tuple((kind, other, one) if other == key else (kind, one, other) for kind, one, other in of_kinds)


def contested(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """Both scores of each choice by which others are first: their comparisons decide whether that is shown."""
    winners = {key: set(evaluation.winners(key)) for _, *both in choices(evaluation) for key in both}
    pairs = (both for _, *both in choices(evaluation) if all(map(winners.get, both)))
    return tuple(dict.fromkeys(key for one, other in pairs if winners[one] != winners[other] for key in (one, other)))


def winner_changes(
    evaluation: Evaluation, comparison_by: Callable[[ScoreKey], Comparison | None]
) -> tuple[WinnerChange, ...]:
    """The state of each choice.

    Parameters
    ----------
    evaluation : Evaluation
        Scores and ranks.
    comparison_by : callable
        The comparison by a score; None where there is none.
    """
    return tuple(_change(evaluation, kind, (one, other), comparison_by) for kind, one, other in choices(evaluation))


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
    return WinnerChange(kind, keys, winners, state_of(winners, comparisons), could_be_best)


def state_of(
    winners: tuple[Sequence[int], Sequence[int]], comparisons: tuple[Comparison | None, Comparison | None]
) -> State:
    """What another choice makes of the first place.

    Parameters
    ----------
    winners : tuple of two sequences of int
        Who is first by the ranking, and by the other choice.
    comparisons : tuple of two Comparison, optional
        All pairs by each; None where nothing was compared.
    """
    (first, there), (one, other) = winners, comparisons
    involved = [*first, *there]
    if not (first and there) or other is None or not other.compares(involved):
        return State.NOT_TESTED
    if set(first) == set(there):
        return State.SAME_SHOWN if other.contenders == tuple(there) and len(there) == 1 else State.SAME_NOT_SHOWN
    if one is None or not one.compares(involved):
        return State.NOT_TESTED
    shown = len(involved) == 2 and other.ahead[there[0], first[0]] and one.ahead[first[0], there[0]]  # noqa: PLR2004 - one on each side
    return State.OTHER_SHOWN if shown else State.OTHER_NOT_SHOWN
