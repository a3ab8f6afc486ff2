"""What each item adds to an entry's official score, and the items that one of two entries alone answers right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from audit.domain import MOST_PAIRED, CodeRows, Evaluation, Pairs, ScoreKey
from audit.domain.arrays import Counts, Floats, Ints
from audit.domain.privacy import ItemIds
from audit.inference.differences import LabelFunction
from audit.inference.item_score_certainty import ItemScoreView, MeanParts, MeanView, in_gold_order
from audit.inference.items import Items, items_of
from audit.inference.weighted import Sample
from audit.metrics import named_metric

_MOST_ANSWERS = 1 << 28  # answers of all entries together that are kept for it: 256 MB of up to 254 labels
_ANSWERS = 1 << 22  # answers at once: 16 MB, and few enough for their sums to be exact in float32


@dataclass(frozen=True, eq=False)
class Contributions:
    """A function for the values that items add to the official score of one of several test sets."""

    answers: Sequence[Counts]  # (N,): the label codes that were scored

    def __call__(self, evaluation: Evaluation, entries: Counts) -> Floats | None:
        """What each item adds, in gold order, shape (t, N); NaN where it is not known of an entry.

        None where nothing says it of the score: of average precision, and of a mean of ranks.
        """
        key = evaluation.task.ranking_metric
        named = named_metric(key.metric, evaluation.task.label_set)
        if named.metric.of_ranks:
            return None
        items = items_of(evaluation, self.answers)
        if named.metric.of_labels:
            return _of_labels(evaluation, key, entries, items)
        if named.is_mean_with_item_scores:
            return _of_mean(evaluation, key, entries, items)
        view = ItemScoreView.of(evaluation, key, entries, items)
        return None if view.is_drawn else view.by_item


def contributions_of(evaluation: Evaluation, predictions: Sequence[Counts]) -> Contributions | None:
    """The function for contributions to the official score, for test sets that may share items.

    None for a test set that is the only one, whose items have no ids that say more than their number, or that has more
    answers than are kept.
    """
    ids = ItemIds.of(evaluation.gold.item_ids, evaluation.task.label_set)
    if evaluation.task.part is None or not ids.secret:
        return None
    if len(predictions) * evaluation.gold.n_items > _MOST_ANSWERS:
        return None
    mapped = isinstance(predictions, CodeRows)  # their file is gone when the evaluation is made
    return Contributions([np.array(codes) for codes in predictions] if mapped else predictions)


def _of_labels(evaluation: Evaluation, key: ScoreKey, entries: Counts, items: Items) -> Floats:
    function = LabelFunction.of(evaluation, key).of_teams(entries)
    added = in_gold_order(evaluation, items.of_teams(entries), function.influence)
    return np.where(function.has_influence[:, None], added, np.nan)


def _of_mean(evaluation: Evaluation, key: ScoreKey, entries: Counts, items: Items) -> Floats | None:
    """Contributions to a mean of scores of labels and scores of single items; None where they are drawn."""
    parts = MeanParts.of(key, evaluation.task.label_set)
    function = None if parts.labels is None else LabelFunction.of(evaluation, parts.labels).of_teams(entries)
    view = MeanView.of(evaluation, parts, entries, items, None if function is None else function.influence)
    return None if any(each.is_drawn for each in view.views) else view.by_item


def pairs_of(evaluation: Evaluation, predictions: Sequence[Counts]) -> Pairs | None:
    """The items that one entry of a pair answers right and the other does not, for every pair and class."""
    if not 1 < len(evaluation.entries) <= MOST_PAIRED:
        return None
    task = evaluation.task
    drop_missing = task.policies.missing == "drop"
    sample = Sample.of(evaluation.gold.codes, predictions, len(task.label_set), drop_missing=drop_missing)
    return Pairs(np.stack(list(only_right(sample)), axis=-1))


def only_right(sample: Sample) -> Iterator[Ints]:
    """For each class the items that the row's entry answers right and the column's does not, shape (T, T)."""
    for label, (start, stop) in enumerate(pairwise(sample.bounds.tolist())):
        both = _both_right(sample, label, start, stop)
        yield np.diagonal(both)[:, None] - both


def _both_right(sample: Sample, label: int, start: int, stop: int) -> Ints:
    """The number of items from start to stop that both entries of a pair answer right, shape (T, T)."""
    both = np.zeros((sample.n_teams, sample.n_teams), dtype=np.int64)
    step = max(1, _ANSWERS // sample.n_teams)
    for first in range(start, stop, step):
        block = (sample.answers(items=slice(first, min(first + step, stop))) == label).astype(np.float32)
        both += (block @ block.T).astype(np.int64)
    return both
