"""The share of the simplex of class distributions that each team wins."""

from collections.abc import Sequence

import numpy as np

from audit.domain import Evaluation, ScoreKey, WinnerMap
from audit.ranking.nearest import MANY_CLASSES, nearest_change
from audit.ranking.prevalence_shift import (
    CONCENTRATION,
    drawn_nearby,
    drawn_uniformly,
    first_under,
    reference_shares,
    total_variation,
)

DRAWS = 2_000
"""Distributions drawn from the simplex, and again around the reference: Monte Carlo standard error at most .011."""

FEWER_DRAWS = 500
"""Of many classes, each of which every team's score has to be added up for: Monte Carlo standard error at most .023."""

SEED = 20240416


def winner_map(evaluation: Evaluation, key: ScoreKey | None = None, *, seed: int = SEED) -> WinnerMap | None:
    """The winner map by one metric: the share of the simplex that each team wins, and the nearest other winner.

    Parameters
    ----------
    evaluation : Evaluation
        Scores, ranks and confusions.
    key : ScoreKey, optional
        The metric, at the prevalence where its ranking stands; by default the ranking metric.
    seed : int
        What seeds them.

    Returns
    -------
    WinnerMap, optional
        None where fewer than two teams take a rank, gold has fewer than two classes, or nobody has a defined score.
    """
    maps = winner_maps(evaluation, [key or evaluation.task.ranking_metric], seed=seed, search=True)
    return maps[0] if maps and maps[0].winners else None


def winner_maps(
    evaluation: Evaluation,
    keys: Sequence[ScoreKey],
    *,
    n_draws: int | None = None,
    seed: int = SEED,
    search: bool = False,
) -> tuple[WinnerMap, ...]:
    """The winner maps by several metrics of one prevalence, on the same draws.

    Parameters
    ----------
    evaluation, seed
        As for :func:`winner_map`.
    n_draws : int, optional
        Distributions drawn of either kind; by default `DRAWS`, of more than `MANY_CLASSES` classes `FEWER_DRAWS`.
    keys : sequence of ScoreKey
        The metrics, all at the same prevalence.
    search : bool
        Whether the nearest change is searched for.

    Returns
    -------
    tuple of WinnerMap
        None at all where fewer than two teams can be first, or gold has fewer than two classes.
    """
    present = evaluation.present
    if evaluation.contending.sum() < 2 or present.sum() < 2:  # noqa: PLR2004 - nothing can change
        return ()
    n_draws = n_draws or (DRAWS if present.size <= MANY_CLASSES else FEWER_DRAWS)
    reference = reference_shares(evaluation, keys[0])
    nearby = drawn_nearby(reference, n_draws, seed)
    draws = np.concatenate([reference[None], drawn_uniformly(present, n_draws, seed), nearby])
    spread = float(total_variation(nearby, reference).mean())
    maps = []
    for key, first in zip(keys, first_under(evaluation, draws, [key.metric for key in keys]), strict=True):
        still = (first & first[0]).any(axis=-1)
        maps.append(
            WinnerMap(
                key=key,
                reference=reference,
                winners=tuple(np.flatnonzero(first[0]).tolist()),
                uniform=first[1 : n_draws + 1].mean(axis=0),
                nearby=first[n_draws + 1 :].mean(axis=0),
                holds_uniform=float(still[1 : n_draws + 1].mean()),
                holds_nearby=float(still[n_draws + 1 :].mean()),
                n_draws=n_draws,
                seed=seed,
                concentration=CONCENTRATION,
                spread=spread,
                nearest=nearest_change(evaluation, key, draws[~still]) if search else None,
            )
        )
    return tuple(maps)


def monte_carlo_interval(share: float, n_draws: int) -> tuple[float, float]:
    """95% interval of a share found by drawing, by Wilson's formula: sound at shares of 0 and 1 too.

    Examples
    --------
    >>> [round(end, 3) for end in monte_carlo_interval(1.0, 2000)]
    [0.998, 1.0]
    """
    z = 1.959963984540054
    centre = (share + z * z / (2 * n_draws)) / (1 + z * z / n_draws)
    half = z / (1 + z * z / n_draws) * (share * (1 - share) / n_draws + (z / (2 * n_draws)) ** 2) ** 0.5
    return max(0.0, centre - half), min(1.0, centre + half)
