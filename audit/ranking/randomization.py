"""Approximate randomization: a paired test of single comparisons, unadjusted.

Its null hypothesis is that the two teams' answers to every item are exchangeable, which is more than equal scores.
The swap indicators are shared by all pairs: the counts of a after swapping are total_a − S·onehot_a + S·onehot_b, so
that one product of indicators and one-hot predictions serves every pair.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audit.domain import Evaluation, ScoreKey
from audit.domain.evaluation import Floats, Ints
from audit.metrics import margins_at, score_margins
from audit.metrics.confusion import Counts, over_classes
from audit.ranking.resampling import CHUNK, Draws, Sample

_DRAWN_CELLS = 1 << 24  # swapped confusions of all teams at once: 64 MB
_EXCHANGED_CELLS = 1 << 21  # of them exchanged at once
_SCORED_CELLS = 1 << 17  # of pairs of them scored at once, few enough to stay in the processor's cache
_TOLERANCE = 1e-12


def against_the_first(
    evaluation: Evaluation, keys: Sequence[ScoreKey], sample: Sample, draws: Draws
) -> dict[ScoreKey, Floats]:
    """Two-sided p of every entry of all items against the leader, by several metrics from the same randomizations.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    keys : sequence of ScoreKey
        The metrics.
    sample : Sample
        What was scored.
    draws : Draws
        As many randomizations as it has replicates, R.

    Returns
    -------
    dict of ndarray, shape (T,), range [1/(R + 1), 1]
        NaN for the leader itself, for entries that dropped items, and where a score is undefined.
    """
    pairs = {key: _pairs_with_leader(evaluation, key) for key in keys}
    found = pairwise_p(evaluation, pairs, sample, draws)
    p = {key: np.full(len(evaluation.entries), np.nan) for key in keys}
    for key, values in found.items():
        p[key][pairs[key][:, 1]] = values
    return p


def _pairs_with_leader(evaluation: Evaluation, key: ScoreKey) -> Ints:
    leader = evaluation.leader(key)
    others = np.flatnonzero(evaluation.whole & ~np.isnan(evaluation.scores_of(key)))
    pairs = [(leader, other) for other in others.tolist() if leader is not None and other != leader]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def pairwise_p(
    evaluation: Evaluation, pairs: Mapping[ScoreKey, Ints], sample: Sample, draws: Draws
) -> dict[ScoreKey, Floats]:
    """Two-sided p of some pairs of teams, by several metrics from the same randomizations.

    Parameters
    ----------
    pairs : mapping of ScoreKey to ndarray of int, shape (n, 2)
        Indices of the teams compared, whose scores are of all items. The other parameters are those of
        :func:`against_the_first`.

    Returns
    -------
    dict of ndarray, shape (n,), range [1/(R + 1), 1]
        (c + 1)/(R + 1), c counting the randomizations with a difference at least as large as observed.
    """
    cells = sample.n_teams * sample.n_classes * (sample.n_classes + 1)
    drawn, exchanged = (CHUNK * max(1, most // (cells * CHUNK)) for most in (_DRAWN_CELLS, _EXCHANGED_CELLS))
    reached = {key: np.zeros(len(indices), dtype=np.int64) for key, indices in pairs.items()}
    for start in range(0, draws.n_replicates, drawn):
        swaps = draws.swaps(start, min(start + drawn, draws.n_replicates))
        moved = sample.confusions(slice(0, sample.n_teams), swaps)
        for first in range(0, len(moved), exchanged):
            for key, indices in pairs.items():
                reached[key] += _reaching(evaluation, key, moved[first : first + exchanged], indices)
    return {key: (count + 1) / (draws.n_replicates + 1) for key, count in reached.items()}


def _reaching(evaluation: Evaluation, key: ScoreKey, moved: NDArray[np.float32], pairs: Ints) -> Ints:
    """Randomizations in which each pair differs at least as much as observed, shape (n,)."""
    if not len(pairs):
        return np.zeros(0, dtype=np.int64)
    exchange = _Exchange(evaluation, key, moved)
    step = max(1, _SCORED_CELLS // (len(moved) * moved.shape[-2]))
    blocks = (pairs[start : start + step] for start in range(0, len(pairs), step))
    return np.concatenate([*map(exchange.reaching, blocks)])


@dataclass(frozen=True, eq=False)
class _Parts:
    """What is added when answers change places: correct and bias, shape (T, R, C), and unanswered, shape (T, R)."""

    correct: Floats
    bias: Floats
    unanswered: Floats

    @classmethod
    def of(cls, confusions: Counts, scale: Floats) -> "_Parts":
        """Parts of confusions, shape (R, T, C, C + 1), whose gold rows are scaled; a team's lie side by side."""
        cells = np.ascontiguousarray(np.swapaxes(confusions, 0, 1)) * scale[:, None]
        correct = np.ascontiguousarray(np.diagonal(cells, axis1=-2, axis2=-1))
        return cls(correct, np.einsum("...gp->...p", cells[..., :-1]), over_classes(cells[..., -1]))

    def exchanged(self, moved: "_Parts", given: Ints, taken: Ints) -> "_Parts":
        """Parts of some teams after giving away the moved answers of their own and taking those of others."""
        return _Parts(
            self.correct[given] + moved.correct[taken] - moved.correct[given],
            self.bias[given] + moved.bias[taken] - moved.bias[given],
            self.unanswered[given] + moved.unanswered[taken] - moved.unanswered[given],
        )


class _Exchange:
    """Scores one metric of pairs of teams whose answers changed places.

    Swapping moves answers between teams and leaves gold as it is, so that margins are added and subtracted, at any
    prevalence.
    """

    def __init__(self, evaluation: Evaluation, key: ScoreKey, moved: NDArray[np.float32]) -> None:
        prevalence = next(item for item in evaluation.prevalences if item.name == key.prevalence)
        self.labels, self.key = evaluation.task.label_set, key
        whole = evaluation.confusions[evaluation.whole]  # those that drop items have a gold of their own
        self.gold = margins_at(whole[:1], prevalence, self.labels)
        counts = evaluation.prevalence_counts
        scale = np.divide(self.gold.prevalence[0], counts, out=np.zeros(counts.shape), where=counts > 0)
        self.before, self.moved = _Parts.of(evaluation.confusions[None], scale), _Parts.of(moved, scale)
        self.scores = evaluation.scores_of(key)

    def reaching(self, pairs: Ints) -> Ints:
        """Randomizations in which each pair differs at least as much as observed, shape (n,)."""
        one, other = pairs.T
        observed = np.abs(self.scores[one] - self.scores[other])
        swapped = np.abs(self._score(one, other) - self._score(other, one))
        return np.asarray((swapped >= observed[:, None] - _TOLERANCE).sum(axis=1))

    def _score(self, given: Ints, taken: Ints) -> Floats:
        """Scores of the teams that give, after the exchange, shape (n, R)."""
        parts = self.before.exchanged(self.moved, given, taken)
        margins = replace(self.gold, correct=parts.correct, bias=parts.bias, unanswered=parts.unanswered)
        return score_margins(self.key.metric, margins, self.labels)
