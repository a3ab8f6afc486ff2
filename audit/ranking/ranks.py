"""Ranks of teams, on full precision or as published, undefined scores last; and how alike metrics rank them."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from audit.domain import Agreement, Cells, Evaluation, Feature, LabelSet, Prevalence, ScoreKey, Task
from audit.domain.arrays import Bools, Floats, Ints
from audit.metrics import goodness, metric_of, score, terms_of
from audit.metrics.elementary import exponential, logarithm

# closer scores are equal: far less than any table shows, more than rounding can make
TIE_TOLERANCE = 1e-12


def competition_ranks(scores: Floats) -> Ints:
    """Ranks 1, 2, 2, 4, shape (..., T), of scores, higher better: equal ones share the best; the next counts all above.

    Scores are sorted, and a new rank starts where the gap to the previous score exceeds :data:`TIE_TOLERANCE`, so that
    being equal is transitive. Undefined scores (NaN) share the last rank.
    """
    order, starts = _tie_groups(scores)
    places = np.arange(scores.shape[-1])
    first = np.maximum.accumulate(np.where(starts, places, 0), axis=-1)
    ranks = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, first + 1, axis=-1)
    return ranks


def ranks_among(scores: Floats, competing: Bools) -> Ints:
    """Ranks of the entries that compete, and the ranks that the others would take, shape (K, T)."""
    ranks = np.empty(scores.shape, dtype=np.int64)
    ranks[:, competing] = competition_ranks(scores[:, competing])
    if competing.all():
        return ranks
    worst_last = np.where(np.isnan(scores), -np.inf, scores)
    for row, values in zip(ranks, worst_last, strict=True):
        ascending = np.sort(values[competing])
        others = values[~competing] + TIE_TOLERANCE
        n_not_better = np.searchsorted(ascending, others, side="right")
        row[~competing] = 1 + len(ascending) - n_not_better
    return ranks


def would_be_rank(scores: Floats, value: float) -> int:
    """The rank that a score would take among others: 1 and how many of them are better."""
    return 1 + int((scores > value + TIE_TOLERANCE).sum())


def _tie_groups(scores: Floats) -> tuple[Ints, NDArray[np.bool_]]:
    """Order from best to worst, and where in it a new score starts."""
    worst_last = np.where(np.isnan(scores), -np.inf, scores)
    order = np.argsort(-worst_last, axis=-1, kind="stable")
    ordered = np.take_along_axis(worst_last, order, axis=-1)
    starts = np.ones(scores.shape, dtype=bool)
    with np.errstate(invalid="ignore"):  # two undefined scores: inf - inf is NaN, which is no gap
        starts[..., 1:] = ordered[..., :-1] - ordered[..., 1:] > TIE_TOLERANCE
    return order, starts


def first_places(scores: Floats) -> NDArray[np.bool_]:
    """A mask of rank 1 among :func:`competition_ranks`, found without sorting; none where no score is defined."""
    defined = ~np.isnan(scores)
    lowest = np.max(scores, axis=-1, keepdims=True, initial=-np.inf, where=defined)
    first: NDArray[np.bool_] = defined & (scores >= lowest)
    while True:  # equality is transitive: who is close to one of the first is first too
        lowest = np.min(scores, axis=-1, keepdims=True, initial=np.inf, where=first)
        wider = defined & (lowest - scores <= TIE_TOLERANCE)
        if np.array_equal(wider, first):
            return first
        first = wider


def as_published(scores: Floats, decimals: int) -> Floats:
    """Scores rounded to the decimals on which a ranking was published, exactly as they print."""
    # Python's round looks at the exact value, as printing does; NumPy's multiplies first and can differ at a half.
    return np.array([round(score, decimals) for score in scores.tolist()])


def printed_ranks(scores: Floats, competing: Bools | None = None) -> list[str]:
    """Ranks as printed: a shared rank carries an equals sign, an undefined score has none."""
    if competing is None:
        competing = np.ones(scores.shape, dtype=bool)
    ranks = ranks_among(scores[None], competing)[0]
    n_teams_of = Counter(ranks[competing].tolist())
    printed = []
    for value, rank, takes_rank in zip(
        scores.tolist(), ranks.tolist(), competing.tolist(), strict=True
    ):
        if math.isnan(value):
            printed.append("–")
        elif not takes_rank:
            printed.append(f"({rank})")
        elif n_teams_of[rank] > 1:
            printed.append(f"{rank}=")
        else:
            printed.append(str(rank))
    return printed


def mean_ranks_of(
    key: ScoreKey,
    scores: Callable[[Sequence[ScoreKey]], Floats],
    counted: Bools,
    label_set: LabelSet,
) -> Floats:
    """Every entry's mean rank by the scores that a key names, shape (T,)."""
    terms = terms_of(key.metric)
    keys = [ScoreKey(term.name, key.prevalence) for term in terms]
    turned = goodness(scores(keys), [each.metric for each in keys], label_set)
    return mean_ranks(turned, [term.weight for term in terms], counted)


def mean_ranks(scores: Floats, weights: Sequence[float], counted: Bools) -> Floats:
    """Weighted mean of the ranks by several scores, shape (T,): lower is better; NaN for who lacks one."""
    is_complete = ~np.isnan(scores).any(axis=0)
    is_ranked = is_complete & counted
    beside = np.flatnonzero(is_complete & ~counted)
    ranked_scores = scores[:, is_ranked]
    n_ranked = ranked_scores.shape[1]
    # the mean of the first and the last place that teams that are level share
    first = competition_ranks(ranked_scores)
    last = n_ranked + 1 - competition_ranks(-ranked_scores)
    ranks = np.full(scores.shape, np.nan)
    ranks[:, is_ranked] = (first + last) / 2
    lead = ranked_scores[:, None, :] - scores[:, beside, None]
    is_level = np.abs(lead) <= TIE_TOLERANCE
    is_better = (lead > 0) & ~is_level
    ranks[:, beside] = 1 + is_better.sum(axis=-1) + is_level.sum(axis=-1) / 2
    return np.average(ranks, axis=0, weights=weights)


def published_scores(evaluation: Evaluation) -> Floats:
    """Each entry's score by the ranking metric as it is printed, shape (T,).

    A mean of ranks is not rounded itself where the official decimals are stated: it is the mean of the ranks by scores
    that are rounded to these, as whoever ranks by a printed table has it. Where none are stated it is printed alone.
    """
    key = evaluation.task.ranking_metric
    decimals = evaluation.task.printed_decimals
    labels = evaluation.task.label_set
    if not metric_of(key.metric, labels).of_ranks or evaluation.task.official_decimals is None:
        return as_published(evaluation.scores_of(key), decimals)

    def rounded(terms: Sequence[ScoreKey]) -> Floats:
        return np.array([as_published(evaluation.scores_of(term), decimals) for term in terms])

    return mean_ranks_of(key, rounded, evaluation.ranked, labels)


def published_ranks(evaluation: Evaluation) -> list[str] | None:
    """Each entry's rank by the ranking metric on rounded scores, as printed; None where no rounding is stated."""
    if evaluation.task.official_decimals is None:
        return None
    goodness = evaluation.goodness(evaluation.task.ranking_metric, published_scores(evaluation))
    return printed_ranks(goodness, evaluation.competing)


def expected_maximum(n_runs: int) -> float:
    """Expected maximum of independent standard normal numbers: what the best of equally good runs gains by luck alone.

    ∫ x n φ(x) Φ(x)^(n − 1) dx, in standard errors of a run's score. Runs that err on the same items gain less.
    """
    from scipy.special import ndtr  # noqa: PLC0415 - only campaigns that pick the best run need it

    if n_runs <= 1:
        return 0.0
    points = np.linspace(-12, 12, 4801)
    others_below = exponential((n_runs - 1) * logarithm(ndtr(points)))
    density = n_runs * exponential(-(points**2) / 2) / np.sqrt(2 * np.pi) * others_below
    return float(np.trapezoid(points * density, points))


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
    # metrics that are defined for the same teams are correlated at once
    patterns, pattern_of = np.unique(~np.isnan(scores), axis=0, return_inverse=True)
    pattern_of = pattern_of.ravel()  # NumPy 2.0 kept the axis here
    rho = np.full((len(scores), len(scores)), np.nan)
    for a, defined_by_a in enumerate(patterns):
        rows = np.flatnonzero(pattern_of == a)
        for b, defined_by_b in enumerate(patterns):
            columns = np.flatnonzero(pattern_of == b)
            both = defined_by_a & defined_by_b
            if both.sum() >= FEWEST_TEAMS:
                found = correlated(scores[rows][:, both], scores[columns][:, both])
                rho[np.ix_(rows, columns)] = found
    return rho


def correlated(scores: Floats, others: Floats) -> Floats:
    """ρ of every row of scores with every row of others, none undefined: (..., M, T) and (..., L, T) → (..., M, L)."""
    left = _centred_ranks(scores)
    right = _centred_ranks(others)
    products = left @ np.swapaxes(right, -1, -2)
    left_squares = (left**2).sum(axis=-1)
    right_squares = (right**2).sum(axis=-1)
    squares = left_squares[..., :, None] * right_squares[..., None, :]
    undefined = np.full(squares.shape, np.nan)
    rho: Floats = np.divide(products, np.sqrt(squares), out=undefined, where=squares > 0)
    return np.clip(rho, -1, 1)


def _centred_ranks(scores: Floats) -> Floats:
    """Twice the average ranks over the last axis, less their mean: integers, whose products sum alike in any order."""
    # one more than the scores above each; counted from the other end, those below
    ranks = competition_ranks(scores)
    return np.asarray(competition_ranks(ranks.astype(float)) - ranks, dtype=float)


def kendall_tau_b(scores: Floats) -> Floats:
    """Kendall's τ-b between metrics, over the teams for which both are defined, as :func:`spearman` has ρ.

    Σ sgn(x_i − x_j) sgn(y_i − y_j) over the pairs of teams for which both are defined, divided by
    √(pairs that x sets apart · pairs that y sets apart).
    """
    defined = ~np.isnan(scores)
    ranks = competition_ranks(scores)
    n_metrics, n_teams = scores.shape
    concordance = np.zeros((n_metrics, n_metrics))
    # pairs that the row's metric sets apart and the column's defines
    n_untied = np.zeros((n_metrics, n_metrics))
    step = max(1, _BLOCK // max(1, n_metrics * n_teams))
    for start in range(0, n_teams, step):
        some = slice(start, start + step)
        both = (defined[:, some, None] & defined[:, None, :]).reshape(n_metrics, -1)
        differences = (ranks[:, some, None] - ranks[:, None, :]).reshape(n_metrics, -1)
        signs = np.where(both, np.sign(differences), 0).astype(np.float32)
        concordance += signs @ signs.T
        n_untied += np.abs(signs) @ both.astype(np.float32).T
    scale = np.sqrt(n_untied * n_untied.T)
    n_common = defined.astype(np.int64) @ defined.T
    has_tau = (scale > 0) & (n_common >= FEWEST_TEAMS)
    undefined = np.full(scale.shape, np.nan)
    tau: Floats = np.divide(concordance, scale, out=undefined, where=has_tau)
    return tau


def agreement(
    keys: tuple[ScoreKey, ...],
    scores: Floats,
    cells: Cells,
    task: Task,
    prevalence: Ints | None = None,
) -> Agreement:
    """Rank correlations between metrics, with the pairs that agree by identity told apart."""
    if task.label_set.supports(Feature.CLASSES):
        identical = identical_rankings(keys, cells, task, prevalence)
    else:
        identical = np.eye(len(keys), dtype=bool)
    return Agreement(keys, spearman(scores), kendall_tau_b(scores), identical)


def identical_rankings(
    keys: tuple[ScoreKey, ...], cells: Cells, task: Task, prevalence: Ints | None = None
) -> Bools:
    """The metrics that rank any submissions to this gold alike.

    Decided from the confusions and not from names: many imagined submissions are drawn that keep what is given (the
    gold, unless items of it were dropped, and whether any team left items unanswered or predicted a class that gold
    lacks) and are random elsewhere. Two metrics that rank all of them alike do so by identity. For example kappa~ is an
    increasing function of macro recall, but only where every item is answered with a class in gold; and in a balanced
    gold every metric equals its calibrated form.

    Parameters and result are those of :func:`agreement`: a boolean array of shape (M, M).
    """
    by_name = {each.name: each for each in task.prevalences}
    names = sorted({key.prevalence for key in keys})
    prevalences = [by_name.get(name, Prevalence(name)) for name in names]
    scores = score(_imagined(cells, prevalence), keys, prevalences, task.label_set)
    ranks = competition_ranks(goodness(scores, [key.metric for key in keys], task.label_set))
    return np.asarray((ranks[:, None, :] == ranks[None, :, :]).all(axis=-1))


def _imagined(cells: Cells, prevalence: Ints | None) -> Cells:
    """Random confusions with the gold of these, and with their kinds of prediction."""
    in_gold = prevalence
    if in_gold is None:
        in_gold = cells.prevalence.max(axis=0)
    is_predicted = cells.answers.any(axis=0) | np.append(in_gold > 0, [False])
    rng = np.random.default_rng(_SEED)
    answers = _imagined_answers(cells.n_classes)
    masses = rng.exponential(size=(_PROBES, answers.gold.size)) * is_predicted[answers.predicted]
    row_masses = answers.by_gold(masses)
    shares = masses / np.where(row_masses > 0, row_masses, 1.0)[:, answers.gold]
    sizes = np.tile(in_gold, (_PROBES, 1))
    if (
        cells.prevalence != in_gold
    ).any():  # items were dropped: submissions differ in their prevalence
        sizes = in_gold * rng.exponential(size=(_PROBES, len(in_gold)))
    return replace(answers, counts=shares * sizes[:, answers.gold])


def _imagined_answers(n_classes: int) -> Cells:
    """The answers that each gold class may have: all; of many the right one, none at all, and some that are drawn."""
    codes = np.arange(n_classes)
    n_columns = n_classes + 1
    if n_classes <= _MOST_CLASSES:
        numbers = np.arange(n_classes * n_columns)
    else:
        drawn = np.random.default_rng(_SEED).integers(0, n_columns, (n_classes, _ANSWERS))
        fixed = np.stack([codes, np.full(n_classes, n_classes)], axis=-1)
        numbers = np.unique(codes[:, None] * n_columns + np.concatenate([drawn, fixed], axis=-1))
    return Cells.numbered(np.zeros((0, numbers.size)), numbers, n_classes)
