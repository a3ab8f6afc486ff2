"""What the test set can tell: the differences it finds, the items that others need, what carries the first place."""

from collections.abc import Sequence

import numpy as np

from audit.domain import Comparison, Evaluation, LabelNoise, Power, ScoreKey
from audit.inference.changes import AVERAGED, OF_AVERAGES
from audit.inference.influence.items import Items
from audit.inference.power.noise import label_noise
from audit.inference.power.removals import carried_by, contenders
from audit.metrics import metric_of


def power_of(evaluation: Evaluation, items: Items, also: Sequence[ScoreKey] = ()) -> tuple[Power, ...]:
    """The power for the first two comparable entries by the ranking metric and both macro F1s.

    Parameters
    ----------
    evaluation : Evaluation
        The scores, with their certainty; without it there is nothing to tell.
    items : Items
        The answers of all entries, by item.
    also : sequence of ScoreKey
        Other metrics by which all pairs were compared.

    Returns
    -------
    tuple of Power
        In the order of the metrics, without those by which fewer than two comparable entries have a score.
    """
    certainty = evaluation.certainty
    if certainty is None:
        return ()
    keys = dict.fromkeys((evaluation.task.ranking_metric, AVERAGED, OF_AVERAGES, *also))
    first_two = {key: (two[0], two[1]) for key in keys if len(two := contenders(evaluation, key)[:2]) == 2}  # noqa: PLR2004
    of_labels = tuple(key for key in first_two if metric_of(key.metric, evaluation.task.label_set).of_labels)
    noise = label_noise(evaluation, of_labels, items, certainty.seed)
    return tuple(
        _power(evaluation, comparison, first_two[comparison.key], items, noise.get(comparison.key))
        for comparison in map(certainty.comparison, first_two)
        if comparison is not None
    )


def _power(
    evaluation: Evaluation, comparison: Comparison, pair: tuple[int, int], items: Items, noise: LabelNoise | None
) -> Power:
    key, (first, second) = comparison.key, pair
    of_labels = metric_of(key.metric, evaluation.task.label_set).of_labels
    scores = evaluation.goodness_of(key)
    return Power(
        key=key,
        first=first,
        second=second,
        difference=float(scores[first] - scores[second]),
        standard_error=float(comparison.standard_error[first, second]),
        critical_value=comparison.critical_value,
        median_error=_median_error(evaluation, comparison),
        n_items=items.sample.n_items,
        carried_by=carried_by(evaluation, key, items) if of_labels else None,
        label_noise=noise,
        n_groups=items.n_groups or None,
    )


def _median_error(evaluation: Evaluation, comparison: Comparison) -> float:
    """Median standard error over the pairs of comparable entries that can differ; NaN where none can."""
    errors = comparison.standard_error[np.ix_(evaluation.comparable, evaluation.comparable)]
    errors = errors[np.triu_indices(len(errors), k=1)]
    able = errors > 0  # neither label-identical nor without an influence function
    return float(np.median(errors[able])) if able.any() else np.nan
