"""How alike metrics rank the teams: Spearman's ρ, Kendall's τ-b, and which of their ones are identities."""

from dataclasses import replace

import numpy as np

from audit.domain import Agreement, Cells, Prevalence, ScoreKey, Task
from audit.domain.arrays import Bools, Floats, Ints
from audit.metrics import goodness, score
from audit.ranking.ranks import competition_ranks

FEWEST_TEAMS = 3  # a rank correlation of fewer teams says nothing
_BLOCK = 1 << 22  # signs compared at once
_PROBES = 64
_MOST_CLASSES = 512  # that an imagined submission may take for each other
_ANSWERS = 64  # of an imagined submission to the items of a class, where there are more classes
_SEED = 20240416


def spearman(scores: Floats) -> Floats:
    """Spearman's ρ between metrics, over the teams for which both are defined, shape (M, T) → (M, M).

    NaN where a metric is constant over those teams, or they are fewer than three.
    """
    defined = ~np.isnan(scores)
    patterns, pattern_of = np.unique(defined, axis=0, return_inverse=True)
    pattern_of = pattern_of.ravel()  # NumPy 2.0 kept the axis here
    rho = np.full((len(scores), len(scores)), np.nan)
    for a, mask_a in enumerate(patterns):
        for b, mask_b in enumerate(patterns):
            rows, columns, both = pattern_of == a, pattern_of == b, mask_a & mask_b
            if both.sum() >= FEWEST_TEAMS:
                rho[np.ix_(rows, columns)] = correlated(scores[rows][:, both], scores[columns][:, both])
    return rho


def correlated(scores: Floats, others: Floats) -> Floats:
    """ρ of every row of scores with every row of others, none undefined: (..., M, T) and (..., L, T) → (..., M, L)."""
    left, right = _centred_ranks(scores), _centred_ranks(others)
    squares = (left**2).sum(axis=-1)[..., :, None] * (right**2).sum(axis=-1)[..., None, :]
    products = left @ np.swapaxes(right, -1, -2)
    rho: Floats = np.divide(products, np.sqrt(squares), out=np.full(squares.shape, np.nan), where=squares > 0)
    return np.clip(rho, -1, 1)


def _centred_ranks(scores: Floats) -> Floats:
    """Twice the average ranks over the last axis, less their mean: integers, whose products sum alike in any order."""
    ranks = competition_ranks(scores)  # one more than the scores above each; counted from the other end, those below
    return np.asarray(competition_ranks(ranks.astype(float)) - ranks, dtype=float)


def kendall_tau_b(scores: Floats) -> Floats:
    """Kendall's τ-b between metrics, over the teams for which both are defined.

    Parameters and result are those of :func:`spearman`.
    """
    defined = ~np.isnan(scores)
    ranks = competition_ranks(scores)
    n_metrics, n_teams = scores.shape
    concordance = np.zeros((n_metrics, n_metrics))
    untied = np.zeros((n_metrics, n_metrics))  # pairs that the row's metric sets apart and the column's defines
    step = max(1, _BLOCK // max(1, n_metrics * n_teams))
    for start in range(0, n_teams, step):
        both = (defined[:, start : start + step, None] & defined[:, None, :]).reshape(n_metrics, -1)
        signs = np.sign(ranks[:, start : start + step, None] - ranks[:, None, :]).reshape(n_metrics, -1)
        signs = np.where(both, signs, 0).astype(np.float32)
        concordance += signs @ signs.T
        untied += np.abs(signs) @ both.astype(np.float32).T
    scale = np.sqrt(untied * untied.T)
    enough = (defined.astype(np.int64) @ defined.T) >= FEWEST_TEAMS
    tau: Floats = np.divide(concordance, scale, out=np.full(scale.shape, np.nan), where=(scale > 0) & enough)
    return tau


def agreement(
    keys: tuple[ScoreKey, ...], scores: Floats, cells: Cells, task: Task, prevalence: Ints | None = None
) -> Agreement:
    """Rank correlations between metrics, with the pairs that agree by identity told apart."""
    identical = identical_rankings(keys, cells, task, prevalence)
    return Agreement(keys, spearman(scores), kendall_tau_b(scores), identical)


def identical_rankings(keys: tuple[ScoreKey, ...], cells: Cells, task: Task, prevalence: Ints | None = None) -> Bools:
    """Which metrics rank any submissions to this gold alike.

    Decided from the confusions and not from names: many imagined submissions are drawn that keep what is given (the
    gold, unless items of it were dropped, and whether any team left items unanswered or predicted a class that gold
    lacks) and are random elsewhere. Two metrics that rank all of them alike do so by identity. For example kappa~ is an
    increasing function of macro recall, but only where every item is answered with a class in gold; and in a balanced
    gold every metric equals its calibrated form.

    Parameters and result are those of :func:`agreement`: a boolean array of shape (M, M).
    """
    named = {prevalence.name: prevalence for prevalence in task.prevalences}
    prevalences = [named.get(name, Prevalence(name)) for name in sorted({key.prevalence for key in keys})]
    scores = score(_imagined(cells, prevalence), keys, prevalences, task.label_set)
    ranks = competition_ranks(goodness(scores, [key.metric for key in keys], task.label_set))
    return np.asarray((ranks[:, None, :] == ranks[None, :, :]).all(axis=-1))


def _imagined(cells: Cells, prevalence: Ints | None) -> Cells:
    """Random confusions with the gold of these, and with their kinds of prediction."""
    in_gold = cells.prevalence.max(axis=0) if prevalence is None else prevalence
    predicted = cells.answers.any(axis=0) | np.append(in_gold > 0, [False])
    rng = np.random.default_rng(_SEED)
    answers = _imagined_answers(cells.n_classes)
    masses = rng.exponential(size=(_PROBES, answers.gold.size)) * predicted[answers.predicted]
    shares = masses / np.where(answers.by_gold(masses) > 0, answers.by_gold(masses), 1.0)[:, answers.gold]
    dropped = (cells.prevalence != in_gold).any()  # submissions then differ in their prevalence
    sizes = in_gold * rng.exponential(size=(_PROBES, len(in_gold))) if dropped else np.tile(in_gold, (_PROBES, 1))
    return replace(answers, counts=shares * sizes[:, answers.gold])


def _imagined_answers(n_classes: int) -> Cells:
    """Which answers each gold class may have: all; of many the right one, none at all, and some that are drawn."""
    codes, n_columns = np.arange(n_classes), n_classes + 1
    if n_classes <= _MOST_CLASSES:
        numbers = np.arange(n_classes * n_columns)
    else:
        drawn = np.random.default_rng(_SEED).integers(0, n_columns, (n_classes, _ANSWERS))
        fixed = np.stack([codes, np.full(n_classes, n_classes)], axis=-1)
        numbers = np.unique(codes[:, None] * n_columns + np.concatenate([drawn, fixed], axis=-1))
    return Cells.numbered(np.zeros((0, numbers.size)), numbers, n_classes)
