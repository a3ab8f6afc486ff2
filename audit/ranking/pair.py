"""Two entries by one metric: the single comparison that somebody asks for, with nothing adjusted."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from audit.domain import Evaluation, PairComparison, ScoreKey
from audit.domain.evaluation import Floats, Ints
from audit.errors import UsageError
from audit.metrics.confusion import Counts
from audit.ranking.delta_method import covariance
from audit.ranking.randomization import pairwise_p
from audit.ranking.replicates import Replicator, percentile_intervals, resampling_of
from audit.ranking.resampling import Draws, Sample, default_replicates
from audit.text import plural, quoted


def compare_pair(
    evaluation: Evaluation, predictions: Sequence[Counts], first: str, second: str, key: ScoreKey
) -> PairComparison:
    """How far apart two entries are by a metric, and how sure that is.

    Replicates and randomizations are those of the evaluation, so that the numbers are the same as where they stand in
    it. An evaluation without any takes as many as the default rule gives.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    predictions : sequence of T ndarrays of int, shape (N,)
        The label codes that were scored, in the order of the entries.
    first, second : str
        Names of two entries; they need not compete.
    key : ScoreKey
        The metric, one of the evaluation's.

    Raises
    ------
    UsageError
        When there is no such entry or score, both are the same entry, or one has dropped items, so that its score is of
        other items.
    """
    teams = np.array([evaluation.entry_number(name) for name in (first, second)])
    _check(evaluation, teams)
    resampling, groups = evaluation.task.resampling, evaluation.gold.groups
    n_replicates = resampling.n_replicates or default_replicates(evaluation.gold.n_items)
    sample, draws = resampling_of(evaluation, predictions, n_replicates, resampling.seed, groups)
    scores = evaluation.scores_of(key)[teams]
    lead = _replicated_lead(evaluation, sample, draws, key, teams)
    ends = percentile_intervals(lead[None, :, None], np.array([[scores[0] - scores[1]]]))[:, 0, 0]
    both = replace(
        evaluation,
        entries=tuple(evaluation.entries[team] for team in teams.tolist()),
        confusions=evaluation.confusions[teams],
        values=evaluation.values[:, teams],
        uncertainty=None,
    )
    of_both = replace(sample, predictions=sample.predictions[teams])
    spread = covariance(both, key, of_both, draws.groups)
    undefined = bool(np.isnan(scores).any())
    pairs = {key: np.zeros((0, 2), dtype=np.int64) if undefined else np.array([[0, 1]])}
    randomized = pairwise_p(both, pairs, of_both, draws)[key]
    return PairComparison(
        key=key,
        first=first,
        second=second,
        difference=float(scores[0] - scores[1]),
        lower=float(ends[0]),
        upper=float(ends[1]),
        standard_error=float(lead.std(ddof=1)) if len(lead) > 1 and not undefined else np.nan,
        delta_error=float(np.sqrt(np.maximum(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1], 0))),
        randomization_p=np.nan if undefined else float(randomized[0]),
        adjusted_p=_adjusted_p(evaluation, key, teams),
        n_replicates=n_replicates,
        seed=resampling.seed,
    )


def _check(evaluation: Evaluation, teams: Ints) -> None:
    entries = [evaluation.entries[team] for team in teams.tolist()]
    if teams[0] == teams[1]:
        raise UsageError(f"{quoted(entries[0].name)} cannot be compared with itself.")
    for entry in entries:
        if entry.n_dropped:
            left = plural(entry.n_dropped, "missing item")
            raise UsageError(
                f"{quoted(entry.name)} cannot be compared: its scores leave out {left}, and are of other items."
            )


def _replicated_lead(evaluation: Evaluation, sample: Sample, draws: Draws, key: ScoreKey, teams: Ints) -> Floats:
    """The first one's lead in each replicate, without those that are left out, shape (B',)."""
    replicator = Replicator(evaluation, sample, draws, [key])
    scores = replicator.scores(teams)[0][~replicator.left_out]
    return np.asarray(scores[:, 0] - scores[:, 1])


def _adjusted_p(evaluation: Evaluation, key: ScoreKey, teams: Ints) -> float | None:
    """Of the better one being better than the other, where all comparable entries were compared by this metric."""
    comparisons = evaluation.uncertainty.comparisons if evaluation.uncertainty else ()
    found = [comparison for comparison in comparisons if comparison.key == key]
    if not found or not evaluation.comparable[teams].all():
        return None
    one, other = teams.tolist()
    return float(min(found[0].adjusted_p[one, other], found[0].adjusted_p[other, one]))
