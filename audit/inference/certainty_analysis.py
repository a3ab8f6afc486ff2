"""How sure an evaluation is: intervals, comparisons, and what the first place depends on, in one value."""

from collections.abc import Sequence

from audit.domain import BALANCED, OBSERVED, Certainty, Evaluation, ScoreKey
from audit.execution import IN_THIS_PROCESS, Blocks
from audit.inference.changes import AVERAGED, MOST_TESTED, OF_AVERAGES, contested, winner_changes
from audit.inference.comparison import compare
from audit.inference.intervals import intervals_of, scored_of
from audit.inference.items import items_of
from audit.metrics.confusion import Counts


def certainty_of(
    evaluation: Evaluation,
    predictions: Sequence[Counts],
    *,
    seed: int,
    also: Sequence[ScoreKey] = (),
    blocks: Blocks = IN_THIS_PROCESS,
) -> Certainty:
    """How sure an evaluation is.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    predictions : sequence of T ndarrays of int, shape (N,)
        The label codes that were scored, in the order of the entries.
    seed : int
        Seeds every draw.
    also : sequence of ScoreKey
        Scores of the evaluation by which all pairs are compared, beside those that always are.
    blocks : Blocks
        Who computes over blocks of items.
    """
    items, scored = items_of(evaluation, predictions, blocks), scored_of(evaluation)
    made = {key: compare(evaluation, key, items, seed) for key in (*_compared(evaluation), *also)}
    return Certainty(
        intervals=intervals_of(scored, items),
        ungrouped=None if items.groups is None else intervals_of(scored),
        n_groups=items.n_groups or None,
        stratified=evaluation.gold.stratified,
        comparisons=tuple(made.values()),
        changes=winner_changes(evaluation, made),
        seed=seed,
    )


def _compared(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """Scores by which all pairs are always compared: the ranking metric first."""
    key = evaluation.task.ranking_metric
    both = (ScoreKey(key.metric, prevalence.name) for prevalence in (OBSERVED, BALANCED))
    few = int(evaluation.comparable.sum()) <= MOST_TESTED
    return tuple(dict.fromkeys((key, AVERAGED, OF_AVERAGES, *both, *(contested(evaluation) if few else ()))))
