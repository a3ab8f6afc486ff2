"""Approximate randomization: a paired test of two teams that were fixed beforehand, unadjusted.

Its null hypothesis is that the two teams' answers to every item are exchangeable, which is more than equal scores.
"""

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.inference.influence.items import Items
from audit.inference.influence.weighted_sample import CHUNK, Draws
from audit.metrics import score

N_RANDOMIZATIONS = 10_000
_CELLS = 1 << 22  # of randomized confusions at once: 32 MB
_TOLERANCE = 1e-12


def randomization_p(  # noqa: PLR0913 - what is tested, by what, and how often
    evaluation: Evaluation,
    key: ScoreKey,
    pair: tuple[int, int],
    items: Items,
    *,
    seed: int,
    n_randomizations: int = N_RANDOMIZATIONS,
) -> float:
    """Two-sided p of the difference of two entries that are scored on all items.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    key : ScoreKey
        The metric.
    pair : tuple of two ints
        Which entries.
    items : Items
        The answers of all entries. Where items come in groups, all answers to a group change places together.
    seed : int
        Seeds the randomizations.
    n_randomizations : int
        R.

    Returns
    -------
    float, range [1/(R + 1), 1]
        (c + 1)/(R + 1), c counting the randomizations with a difference at least as large as observed.
    """
    both, labels = items.of_teams(np.array(pair)).sample, evaluation.task.label_set
    draws = Draws(both.n_items, n_randomizations, seed, items.groups)
    whole = evaluation.cells.of_teams(pair).dense()
    scores = evaluation.scores_of(key)[list(pair)]
    observed, reached = abs(scores[0] - scores[1]), 0
    step = CHUNK * max(1, _CELLS // (CHUNK * whole.size))
    for start in range(0, n_randomizations, step):
        moved = both.confusions(slice(0, 2), draws.swaps(start, min(start + step, n_randomizations)))
        swapped = whole - moved + moved[:, ::-1]
        swapped_scores = score(swapped, [key], evaluation.prevalences, labels)[0]
        reached += int((np.abs(swapped_scores[:, 0] - swapped_scores[:, 1]) >= observed - _TOLERANCE).sum())
    return (reached + 1) / (n_randomizations + 1)
