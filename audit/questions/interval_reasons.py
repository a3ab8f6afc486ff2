"""What comparisons and replicates say of ranks: the same in table, figure, look-up and JSON."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from audit.domain import Comparison, Evaluation, ScoreKey
from audit.domain.arrays import Floats
from audit.inference.differences import LabelFunction
from audit.inference.resampling import FEWEST_USABLE
from audit.metrics import has_influence, metric_of, terms_of


def covariance_of(key: ScoreKey) -> str:
    """The source of the covariance from which errors of scores are drawn, in words."""
    weighted = not all(has_influence(term.name) for term in terms_of(key.metric))
    return "draws by paired item weights" if weighted else "influence functions"


def rank_shares(evaluation: Evaluation, key: ScoreKey) -> Floats | None:
    """Share of the usable replicates in which an entry (row) has a rank (column), shape (T, T).

    None where none were asked for, too few are usable, or ranks by this score were not counted.
    """
    resampled = evaluation.certainty and evaluation.certainty.resampled
    if not resampled or resampled.n_usable < FEWEST_USABLE or key not in resampled.keys:
        return None
    return np.asarray(resampled.rank_shares[resampled.keys.index(key)])


def starts_of_tiers(comparison: Comparison, order: Sequence[int]) -> set[int]:
    """The first compared entry of each tier but the first, of some entries in the order of the ranking."""
    compared = [entry for entry in order if comparison.tiers[entry]]
    return {below for above, below in pairwise(compared) if comparison.tiers[above] < comparison.tiers[below]}


def across_tiers(comparison: Comparison, order: Sequence[int]) -> list[int]:
    """The entries, all of them uncertain, that a line between tiers says too much of, in some order."""
    tiers, uncertain = comparison.tiers, comparison.uncertain
    crossing = (tiers[:, None] > 0) & (tiers[:, None] < tiers) & ~comparison.ahead
    is_crossing = uncertain & (crossing.any(axis=0) | crossing.any(axis=1))
    return [entry for entry in order if is_crossing[entry]]


def is_bounded(evaluation: Evaluation, comparison: Comparison) -> bool:
    """Whether a class that a compared entry never predicts, and another does, could add to its score."""
    if metric_of(comparison.key.metric, evaluation.task.label_set).of_item_scores:
        return bool(comparison.ahead_given.any())
    teams = np.flatnonzero(comparison.possible_ranks[:, 0])
    return bool(LabelFunction.of(evaluation, comparison.key).of_teams(teams).unidentified.any())


def possible_ranks_text(comparison: Comparison, entry: int) -> str:
    """Possible ranks as printed: one rank, or first–last; – for an entry that is not compared."""
    first, last = comparison.possible_ranks[entry].tolist()
    if not first:
        return "–"
    return str(first) if first == last else f"{first}–{last}"
