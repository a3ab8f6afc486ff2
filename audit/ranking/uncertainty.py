"""From one set of paired replicates: intervals, comparisons, and what the replicates disagree on."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from audit.domain import BALANCED, OBSERVED, Evaluation, ScoreKey, Uncertainty
from audit.domain.evaluation import Floats, Ints
from audit.metrics import BOTH_MACRO_F1
from audit.metrics.confusion import Counts
from audit.ranking.agreement import standard_ranks
from audit.ranking.comparison import comparisons
from audit.ranking.ranks import competition_ranks
from audit.ranking.replicates import Progress, Replicator, percentile_intervals, resampling_of

_SPEARMAN_REPLICATES, _SPEARMAN_CELLS = 1000, 4_000_000

AVERAGED, OF_AVERAGES = map(ScoreKey, BOTH_MACRO_F1)


def quantify(  # noqa: PLR0913 - two values, two numbers that seed, three options
    evaluation: Evaluation,
    predictions: Sequence[Counts],
    *,
    n_replicates: int,
    seed: int,
    groups: Ints | None = None,
    compare: Sequence[ScoreKey] = (),
    on_progress: Progress | None = None,
) -> Uncertainty:
    """How sure an evaluation is, by a paired bootstrap over its items.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    predictions : sequence of T ndarrays of int, shape (N,)
        The label codes that were scored, in the order of the entries.
    n_replicates, seed : int
        B, and what seeds every draw. The result depends on nothing else: not on block sizes or threads.
    groups : ndarray of int, shape (N,), optional
        Which group an item belongs to, where items are not independent; groups are then drawn instead of items.
    compare : sequence of ScoreKey
        Scores of the evaluation by which all pairs are compared, beside those that always are.
    on_progress : callable, optional
        Called with the blocks done and their total.
    """
    sample, draws = resampling_of(evaluation, predictions, n_replicates, seed, groups)
    agreeing, n_teams = evaluation.agreement.keys, len(evaluation.entries)
    n_early = max(1, min(n_replicates, _SPEARMAN_REPLICATES, _SPEARMAN_CELLS // (len(agreeing) * n_teams)))
    replicator = Replicator(evaluation, sample, draws)
    keys = tuple(dict.fromkeys((*_compared(evaluation.task.ranking_metric), *compare)))
    replicates = replicator.run(keys, agreeing, n_early, on_progress)
    kept = replicates.kept
    observed, balanced = _at_both_prevalences(evaluation.task.ranking_metric)
    gaps = evaluation.scores_of(OF_AVERAGES) - evaluation.scores_of(AVERAGED)
    gap_lower, gap_upper = percentile_intervals((kept[OF_AVERAGES] - kept[AVERAGED])[None], gaps[None])
    spearman_lower, spearman_upper = _spearman_intervals(evaluation, replicates.early)
    return Uncertainty(
        n_replicates=n_replicates,
        seed=seed,
        n_groups=None if groups is None else int(np.unique(groups).size),
        share_left_out=float(replicates.left_out.mean()),
        n_repaired=replicator.n_repaired,
        lower=replicates.lower,
        upper=replicates.upper,
        gap_lower=gap_lower[0],
        gap_upper=gap_upper[0],
        comparisons=comparisons(evaluation, kept, sample, draws),
        macro_f1_disagreement=_disagreement(evaluation, kept[AVERAGED], kept[OF_AVERAGES]),
        prevalence_disagreement=_disagreement(evaluation, kept[observed], kept[balanced]),
        spearman_lower=spearman_lower,
        spearman_upper=spearman_upper,
        n_spearman=n_early,
    )


def extend(  # noqa: PLR0913 - what is known, of what, and what is asked for
    known: Uncertainty,
    known_keys: Sequence[ScoreKey],
    evaluation: Evaluation,
    predictions: Sequence[Counts],
    *,
    groups: Ints | None = None,
    compare: Sequence[ScoreKey] = (),
    on_progress: Progress | None = None,
) -> Uncertainty:
    """What is known of some scores, with the intervals and comparisons that are missing of others.

    Only those are resampled. The draws are the same, so that the result is to the last bit what `quantify` gives.

    Parameters
    ----------
    known : Uncertainty
        Of the same submissions, from the same number of replicates, seed and groups.
    known_keys : sequence of ScoreKey
        The scores that its intervals are of.
    evaluation : Evaluation
        These scores, and perhaps further ones. The other parameters are those of :func:`quantify`.
    """
    there = {comparison.key for comparison in known.comparisons}
    compared = [key for key in dict.fromkeys(compare) if key not in there]
    row_of = {key: row for row, key in enumerate(known_keys)}
    missing = [key for key in evaluation.keys if key not in row_of]
    wanted = tuple(dict.fromkeys((*missing, *compared)))
    if not wanted:
        return known
    sample, draws = resampling_of(evaluation, predictions, known.n_replicates, known.seed, groups)
    replicates = Replicator(evaluation, sample, draws, wanted).run(compared, on_progress=on_progress)
    row_of |= {key: len(known_keys) + row for row, key in enumerate(wanted) if key not in row_of}
    rows = [row_of[key] for key in evaluation.keys]
    return replace(
        known,
        lower=np.concatenate([known.lower, replicates.lower])[rows],
        upper=np.concatenate([known.upper, replicates.upper])[rows],
        comparisons=(*known.comparisons, *comparisons(evaluation, replicates.kept, sample, draws)),
    )


def _at_both_prevalences(key: ScoreKey) -> tuple[ScoreKey, ScoreKey]:
    """A metric at observed and at balanced prevalence."""
    return ScoreKey(key.metric, OBSERVED.name), ScoreKey(key.metric, BALANCED.name)


def _compared(key: ScoreKey) -> tuple[ScoreKey, ...]:
    """The scores by which all teams are always compared: the ranking metric first."""
    return tuple(dict.fromkeys((key, AVERAGED, OF_AVERAGES, *_at_both_prevalences(key))))


def _disagreement(evaluation: Evaluation, one: Floats, other: Floats) -> float:
    """Share of replicates in which two metrics have different winners; NaN where all are left out."""
    winners = [competition_ranks(scores[:, evaluation.comparable]) == 1 for scores in (one, other)]
    return float((winners[0] != winners[1]).any(axis=1).mean()) if len(one) else np.nan


def _spearman_intervals(evaluation: Evaluation, replicates: Floats) -> Floats:
    """95% percentile intervals of ρ between the metrics, shape (2, M, M), over the entries that the matrix is of."""
    ranked = evaluation.competing | ~evaluation.competing.any()
    by_replicate = np.moveaxis(replicates[..., ranked], 1, 0)
    undefined = np.isnan(by_replicate).any(axis=-1, keepdims=True)
    standard = np.where(undefined, np.nan, standard_ranks(by_replicate))
    rho = np.clip(standard @ np.swapaxes(standard, -1, -2), -1, 1)
    return percentile_intervals(np.moveaxis(rho, 1, 0), evaluation.agreement.spearman)
