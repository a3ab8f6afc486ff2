"""What an evaluation asks of the inference: its certainty, what its test set can tell, pairs, kept answers."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from audit.domain import (
    BALANCED,
    MOST_PAIRED,
    OBSERVED,
    Certainty,
    CodeRows,
    Comparison,
    Evaluation,
    Feature,
    Power,
    ScoreKey,
)
from audit.domain.analyses import analysis
from audit.domain.arrays import Counts, Ints
from audit.domain.deferred import InTurn
from audit.execution import IN_THIS_PROCESS, Blocks
from audit.inference.comparison import compare
from audit.inference.fragility import carried_by
from audit.inference.intervals import intervals_of_evaluation
from audit.inference.items import Items, items_of, leverage_by, worth_of
from audit.inference.mean_source import source_of
from audit.inference.relation import AVERAGED, MOST_TESTED, OF_AVERAGES, contested, winner_changes
from audit.inference.weighted import Sample
from audit.metrics import metric_of

# answers of all entries together that are kept for it: 256 MB of up to 254 labels
_MOST_ANSWERS = 1 << 28
_ANSWERS = 1 << 22  # answers at once: 16 MB, and few enough for their sums to be exact in float32


def certainty_of(
    evaluation: Evaluation,
    predictions: Sequence[Counts],
    *,
    seed: int,
    also: Sequence[ScoreKey] = (),
    blocks: Blocks = IN_THIS_PROCESS,
) -> Certainty:
    """How sure an evaluation is."""
    items = items_of(evaluation, predictions, blocks)
    return certainty_by(evaluation, items, (*_compared(evaluation), *also), seed=seed)


def certainty_by(
    evaluation: Evaluation, items: Items, keys: Iterable[ScoreKey], *, seed: int
) -> Certainty:
    """Intervals of every score and the comparisons by some, each made when it is asked for; else as `certainty_of`."""
    labels = evaluation.task.label_set
    compared = [key for key in dict.fromkeys(keys) if not metric_of(key.metric, labels).of_ranks]
    comparisons: Sequence[Comparison] = InTurn(
        compare(evaluation, key, items, seed) for key in compared
    )
    has_groups = items.groups is not None
    # what a unit has is never drawn by itself
    by_item_too = has_groups and not labels.supports(Feature.UNITS)

    def comparison_by(key: ScoreKey) -> Comparison | None:
        """The comparison that is kept, or one for the state alone."""
        if key in compared:
            return comparisons[compared.index(key)]
        if _has_few(evaluation):
            return compare(evaluation, key, items, seed)
        return None

    return Certainty(
        intervals=partial(intervals_of_evaluation, evaluation, items),
        ungrouped=partial(intervals_of_evaluation, evaluation, items, grouped=False)
        if by_item_too
        else None,
        n_groups=items.n_groups or None,
        stratified=evaluation.gold.stratified,
        comparisons=comparisons,
        changes=partial(winner_changes, evaluation, comparison_by),
        seed=seed,
        even_groups=None if items.groups is None else partial(_even_groups, evaluation, items),
    )


def _even_groups(evaluation: Evaluation, items: Items) -> float:
    """How many groups of one size would tell as much of the ranking metric; of accuracy or micro F1 in its place."""
    key = evaluation.task.ranking_metric
    labels = evaluation.task.label_set
    if labels.supports(Feature.NUMBERS):
        return float(worth_of(source_of(evaluation, key, items, np.arange(1)).leverage)[0])
    if not metric_of(key.metric, labels).of_labels:
        key = ScoreKey(labels.kind.traits.plain_metric)
    leverage = leverage_by(evaluation, key, items, np.arange(len(evaluation.entries)))
    worth = float(worth_of(leverage.mean(axis=0)))
    # of a class that nobody predicts, all alike
    if worth:
        return max(1.0, worth)
    return float(items.n_groups)


def _compared(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """Scores by which all pairs are always compared: the ranking metric first."""
    key = evaluation.task.ranking_metric
    both = (ScoreKey(key.metric, prevalence.name) for prevalence in (OBSERVED, BALANCED))
    candidates = (
        key,
        AVERAGED,
        OF_AVERAGES,
        *both,
        *(contested(evaluation) if _has_few(evaluation) else ()),
    )
    return tuple(dict.fromkeys(each for each in candidates if each in evaluation.keys))


def _has_few(evaluation: Evaluation) -> bool:
    """Whether a comparison more is quick."""
    return int(evaluation.comparable.sum()) <= MOST_TESTED


def power_of(
    evaluation: Evaluation, items: Items, also: Sequence[ScoreKey] = ()
) -> Sequence[Power]:
    """The power for the first two comparable entries by the ranking metric and both macro F1s.

    In the order of the metrics, without those by which fewer than two comparable entries have a score.
    """
    certainty = evaluation.certainty
    if certainty is None:
        return ()
    macro_f1 = [key for key in (AVERAGED, OF_AVERAGES) if key in evaluation.keys]
    keys = dict.fromkeys((evaluation.task.ranking_metric, *macro_f1, *also))
    first_two = {
        key: (two[0], two[1])
        for key in keys
        if len(two := evaluation.contenders(key)[:2]) == 2  # noqa: PLR2004
    }
    labels = evaluation.task.label_set
    of_labels = tuple(key for key in first_two if metric_of(key.metric, labels).of_labels)
    if labels.supports(Feature.ANSWERS):
        sought = of_labels
    else:
        sought = ()
    comparisons = ((key, certainty.comparison(key)) for key in first_two)
    return InTurn(
        Power(
            key=key,
            first=first,
            second=second,
            difference=float(
                evaluation.goodness_of(key)[first] - evaluation.goodness_of(key)[second]
            ),
            standard_error=float(comparison.standard_error[first, second]),
            critical_value=comparison.critical_value,
            median_error=_median_error(evaluation, comparison),
            n_items=items.sample.n_items,
            carried_by=partial(carried_by, evaluation, key, items) if key in sought else None,
            n_groups=items.n_groups or None,
        )
        for key, comparison in comparisons
        if comparison is not None
        for first, second in [first_two[key]]
    )


def _median_error(evaluation: Evaluation, comparison: Comparison) -> float:
    """Median standard error over the pairs of comparable entries that can differ; NaN where none can."""
    errors = comparison.standard_error[np.ix_(evaluation.comparable, evaluation.comparable)]
    errors = errors[np.triu_indices(len(errors), k=1)]
    able = errors > 0  # neither label-identical nor without an influence function
    if able.any():
        return float(np.median(errors[able]))
    return np.nan


def kept_answers(evaluation: Evaluation, predictions: Sequence[Counts]) -> Sequence[Counts] | None:
    """The answers of all entries, for comparisons over the tracks of a campaign.

    None for a test set that is the only one, or that has more answers than are kept.
    """
    if evaluation.task.part is None or len(predictions) * evaluation.gold.n_items > _MOST_ANSWERS:
        return None
    is_mapped = isinstance(predictions, CodeRows)  # their file is gone when the evaluation is made
    if is_mapped:
        return [np.array(codes) for codes in predictions]
    return predictions


@analysis("pairs", takes=("predictions",), needs=frozenset({Feature.CLASSES}))
def pairs_of(evaluation: Evaluation, predictions: Sequence[Counts]) -> Ints | None:
    """The items that one entry of a pair answers right and the other does not, for every pair and class."""
    if not 1 < len(evaluation.entries) <= MOST_PAIRED:
        return None
    task = evaluation.task
    drop_missing = task.policies.missing == "drop"
    sample = Sample.of(
        evaluation.gold.codes, predictions, len(task.label_set), drop_missing=drop_missing
    )
    both_right = (
        _both_right(sample, label, *ends)
        for label, ends in enumerate(pairwise(sample.bounds.tolist()))
    )
    return np.stack([np.diagonal(both)[:, None] - both for both in both_right], axis=-1)


def _both_right(sample: Sample, label: int, start: int, stop: int) -> Ints:
    """The number of items from start to stop that both entries of a pair answer right, shape (T, T)."""
    both = np.zeros((sample.n_teams, sample.n_teams), dtype=np.int64)
    step = max(1, _ANSWERS // sample.n_teams)
    for first in range(start, stop, step):
        block = (sample.answers(items=slice(first, min(first + step, stop))) == label).astype(
            np.float32
        )
        both += (block @ block.T).astype(np.int64)
    return both
