"""The randomization test of one pair of teams that was fixed beforehand."""

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.inference.items import Items
from audit.inference.weighted import CHUNK, SwapDraws
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
    """Two-sided p of a difference: (c + 1)/(R + 1), c counting the randomizations with one at least as large."""
    both = items.of_teams(np.array(pair)).sample
    labels = evaluation.task.label_set
    # a sample has its items by class
    gold_places = np.argsort(evaluation.gold.codes, kind="stable")
    draws = SwapDraws(both.n_items, seed, items.groups, gold_places)
    whole = evaluation.cells.of_teams(pair).dense()
    scores = evaluation.scores_of(key)[list(pair)]
    observed = abs(scores[0] - scores[1])
    reached = 0
    step = CHUNK * max(1, _CELLS // (CHUNK * whole.size))
    for start in range(0, n_randomizations, step):
        moved = both.confusions(
            slice(0, 2), draws.swaps(start, min(start + step, n_randomizations))
        )
        swapped = whole - moved + moved[:, ::-1]
        swapped_scores = score(swapped, [key], evaluation.prevalences, labels)[0]
        reached += int(
            (np.abs(swapped_scores[:, 0] - swapped_scores[:, 1]) >= observed - _TOLERANCE).sum()
        )
    return (reached + 1) / (n_randomizations + 1)
