"""Mean ranks over several scores of the same teams: who is level shares the mean of the places."""

from collections.abc import Callable, Sequence

import numpy as np

from audit.domain import LabelSet, ScoreKey
from audit.domain.arrays import Bools, Floats
from audit.metrics import goodness, terms_of
from audit.ranking.ranks import TIE_TOLERANCE, competition_ranks


def mean_ranks_of(
    key: ScoreKey, scores: Callable[[Sequence[ScoreKey]], Floats], counted: Bools, label_set: LabelSet
) -> Floats:
    """Every entry's mean rank by the scores that a key names, shape (T,).

    Parameters
    ----------
    key : ScoreKey
        The key of a mean of ranks.
    scores : callable
        Gives the scores of T entries by some keys, shape (K, T).
    counted : ndarray of bool, shape (T,)
        Which entries take a rank.
    label_set : LabelSet
        The labels that stand in names.
    """
    terms = terms_of(key.metric)
    keys = [ScoreKey(term.name, key.prevalence) for term in terms]
    turned = goodness(scores(keys), [each.metric for each in keys], label_set)
    return mean_ranks(turned, [term.weight for term in terms], counted)


def mean_ranks(scores: Floats, weights: Sequence[float], counted: Bools) -> Floats:
    """Weighted mean of the ranks by several scores.

    Parameters
    ----------
    scores : ndarray, shape (K, T)
        Higher is better.
    weights : sequence of K float
        What each counts.
    counted : ndarray of bool, shape (T,)
        Which entries take a rank; another one has the ranks that it would share with those who are level with it.

    Returns
    -------
    ndarray, shape (T,)
        Lower is better; NaN for who lacks a score, who takes no rank from the others either.

    Examples
    --------
    The second and third are level by the first score; the fourth lacks the second one:

    >>> scores = np.array([[0.9, 0.5, 0.5, 0.7], [0.4, 0.6, 0.3, np.nan]])
    >>> mean_ranks(scores, [1, 1], np.ones(4, dtype=bool)).tolist()
    [1.5, 1.75, 2.75, nan]
    """
    complete = ~np.isnan(scores).any(axis=0)
    among, beside = complete & counted, np.flatnonzero(complete & ~counted)
    ranks, others = np.full(scores.shape, np.nan), scores[:, among]
    n_ranked = others.shape[1]
    ranks[:, among] = (competition_ranks(others) + n_ranked + 1 - competition_ranks(-others)) / 2
    lead = others[:, None, :] - scores[:, beside, None]
    level = np.abs(lead) <= TIE_TOLERANCE
    ranks[:, beside] = 1 + ((lead > 0) & ~level).sum(axis=-1) + level.sum(axis=-1) / 2
    return np.asarray(np.average(ranks, axis=0, weights=weights))
