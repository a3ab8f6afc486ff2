"""The analyses of an evaluation that inference makes: certainty, power, pairs and kept answers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from audit.domain import (
    BALANCED,
    MOST_PAIRED,
    OBSERVED,
    CarriedBy,
    Certainty,
    CodeRows,
    Comparison,
    Evaluation,
    Feature,
    Intervals,
    Power,
    ScoreKey,
)
from audit.domain.analyses import analysis
from audit.domain.arrays import Counts, Ints
from audit.domain.lazy import LazySequence
from audit.execution import IN_THIS_PROCESS, Blocks
from audit.inference.comparison import compare
from audit.inference.fragility import carried_by
from audit.inference.intervals import intervals_of_evaluation
from audit.inference.items import Items, items_of, leverage_by, worth_of
from audit.inference.mean_source import source_of
from audit.inference.relation import (
    AVERAGED,
    MOST_TESTED,
    OF_AVERAGES,
    contested_scores,
    winner_changes,
)
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
    """The certainty of an evaluation, whose intervals and comparisons are computed when they are read."""
    labels = evaluation.task.label_set
    compared = [key for key in dict.fromkeys(keys) if not metric_of(key.metric, labels).of_ranks]
    comparisons: Sequence[Comparison] = LazySequence(
        compare(evaluation, key, items, seed) for key in compared
    )
    has_groups = items.groups is not None
    # the things of one unit are never drawn one by one
    could_be_ungrouped = has_groups and not labels.supports(Feature.UNITS)

    def comparison_by(key: ScoreKey) -> Comparison | None:
        """The comparison that is kept, or one for the state of a choice alone."""
        if key in compared:
            return comparisons[compared.index(key)]
        if _has_few(evaluation):
            return compare(evaluation, key, items, seed)
        return None

    def ungrouped(_: object) -> Intervals | None:
        if not could_be_ungrouped:
            return None
        return intervals_of_evaluation(evaluation, items, grouped=False)

    def even_groups(_: object) -> float | None:
        if not has_groups:
            return None
        return _even_groups(evaluation, items)

    return Certainty(
        intervals=lambda _: intervals_of_evaluation(evaluation, items),
        ungrouped=ungrouped,
        n_groups=items.n_groups or None,
        stratified=evaluation.gold.stratified,
        comparisons=comparisons,
        changes=lambda _: winner_changes(evaluation, comparison_by),
        seed=seed,
        even_groups=even_groups,
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
    candidates = [key, AVERAGED, OF_AVERAGES]
    candidates += [ScoreKey(key.metric, each.name) for each in (OBSERVED, BALANCED)]
    if _has_few(evaluation):
        candidates += contested_scores(evaluation)
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
    if evaluation.certainty is None:
        return ()
    macro_f1 = [key for key in (AVERAGED, OF_AVERAGES) if key in evaluation.keys]
    keys = dict.fromkeys((evaluation.task.ranking_metric, *macro_f1, *also))
    return LazySequence(_powers(evaluation, evaluation.certainty, items, keys))


def _powers(
    evaluation: Evaluation, certainty: Certainty, items: Items, keys: Iterable[ScoreKey]
) -> Iterator[Power]:
    """The power by each score that two comparable entries have and by which teams are compared."""
    labels = evaluation.task.label_set
    for key in keys:
        first_two = evaluation.contenders(key)[:2]
        if len(first_two) < 2:  # noqa: PLR2004 - a pair
            continue
        comparison = certainty.comparison(key)
        if comparison is None:
            continue
        first, second = first_two
        goodness = evaluation.goodness_of(key)
        # items are left out one by one only of labels that teams answered
        is_sought = labels.supports(Feature.ANSWERS) and metric_of(key.metric, labels).of_labels
        yield Power(
            key=key,
            first=first,
            second=second,
            difference=float(goodness[first] - goodness[second]),
            standard_error=float(comparison.standard_error[first, second]),
            critical_value=comparison.critical_value,
            median_error=_median_error(evaluation, comparison),
            n_items=items.sample.n_items,
            carried_by=_search_of_carrying(evaluation, key, items) if is_sought else None,
            n_groups=items.n_groups or None,
        )


def _search_of_carrying(
    evaluation: Evaluation, key: ScoreKey, items: Items
) -> Callable[[object], CarriedBy | None]:
    """A function that searches for the fewest items without which another team ranks first; it takes seconds."""
    return lambda _: carried_by(evaluation, key, items)


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
    n_classes = len(task.label_set)
    sample = Sample.of(evaluation.gold.codes, predictions, n_classes, drop_missing=drop_missing)
    of_classes = []
    for label, (start, stop) in enumerate(pairwise(sample.bounds.tolist())):
        both_right = _both_right(sample, label, start, stop)
        own_right = np.diagonal(both_right)
        of_classes.append(own_right[:, None] - both_right)
    return np.stack(of_classes, axis=-1)


def _both_right(sample: Sample, label: int, start: int, stop: int) -> Ints:
    """The number of items from start to stop that both entries of a pair answer right, shape (T, T)."""
    both = np.zeros((sample.n_teams, sample.n_teams), dtype=np.int64)
    step = max(1, _ANSWERS // sample.n_teams)
    for first in range(start, stop, step):
        answers = sample.answers(items=slice(first, min(first + step, stop)))
        is_right = (answers == label).astype(np.float32)
        both += (is_right @ is_right.T).astype(np.int64)
    return both
