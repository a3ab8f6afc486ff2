"""The comparison of two entries by one metric, among all pairs and as a single pair."""

from collections.abc import Sequence

import numpy as np

from audit.domain import Comparison, Evaluation, PairComparison, ScoreKey
from audit.domain.arrays import Counts
from audit.errors import UsageError
from audit.execution import IN_THIS_PROCESS, Blocks
from audit.inference.comparison import compare
from audit.inference.differences import differences
from audit.inference.influence.items import items_of
from audit.inference.intervals import quantile_of
from audit.inference.weights.randomization import randomization_p
from audit.metrics import metric_of
from audit.text import plural, quoted


def compare_pair(  # noqa: PLR0913 - two entries, by what, and who computes
    evaluation: Evaluation,
    predictions: Sequence[Counts],
    first: str,
    second: str,
    key: ScoreKey,
    *,
    blocks: Blocks = IN_THIS_PROCESS,
) -> PairComparison:
    """How far apart two entries are by a metric, and how sure that is.

    Parameters
    ----------
    evaluation : Evaluation
        The scores, with or without their certainty.
    predictions : sequence of T ndarrays of int, shape (N,)
        The label codes that were scored, in the order of the entries.
    first, second : str
        Names of two entries, in any case; they need not compete.
    key : ScoreKey
        The metric, one of the evaluation's.
    blocks : Blocks
        Who computes over blocks of items.

    Raises
    ------
    UsageError
        When there is no such entry or score, both are the same entry, or one has dropped items, so that its score is of
        other items.
    """
    pair = evaluation.entry_number(first), evaluation.entry_number(second)
    _check(evaluation, pair)
    items, seed = items_of(evaluation, predictions, blocks), evaluation.certainty.seed if evaluation.certainty else 1
    scores = evaluation.scores_of(key)[list(pair)]
    metric = metric_of(key.metric, evaluation.task.label_set)
    untested = bool(np.isnan(scores).any()) or not metric.of_labels  # answers that change places leave it as it is
    comparison = evaluation.certainty.comparison(key) if evaluation.certainty else None
    if comparison is None and evaluation.comparable[list(pair)].all():
        comparison = compare(evaluation, key, items, seed)
    alone = differences(evaluation, key, items, np.array(pair))
    error = float(alone.error[0, 1]) if len(alone.teams) > 1 else np.nan
    is_compared = comparison is not None and evaluation.comparable[list(pair)].all() and not np.isnan(error)
    return PairComparison(
        key=key,
        first=evaluation.names[pair[0]],
        second=evaluation.names[pair[1]],
        scores=(float(scores[0]), float(scores[1])),
        standard_error=error,
        half_width=float(comparison.critical_value * error) if is_compared and comparison else None,
        adjusted_p=float(comparison.adjusted_p[pair]) if is_compared and comparison else None,
        half_width_alone=quantile_of(items.n_groups) * error,
        randomization_p=np.nan if untested else randomization_p(evaluation, key, pair, items, seed=seed),
        ahead=_ahead(evaluation, comparison, pair) if is_compared and comparison else None,
        scale=metric.scale,
    )


def _ahead(evaluation: Evaluation, comparison: Comparison, pair: tuple[int, int]) -> str | None:
    """The entry of two that is ahead of the other."""
    first, second = pair
    if comparison.ahead[first, second]:
        return evaluation.names[first]
    return evaluation.names[second] if comparison.ahead[second, first] else None


def _check(evaluation: Evaluation, pair: tuple[int, int]) -> None:
    entries = [evaluation.entries[team] for team in pair]
    if pair[0] == pair[1]:
        raise UsageError(f"{quoted(entries[0].name)} cannot be compared with itself.")
    for entry in entries:
        if entry.n_dropped:
            dropped = plural(entry.n_dropped, "missing item")
            raise UsageError(
                f"{quoted(entry.name)} cannot be compared: its scores leave out {dropped}, and are of other items."
            )
