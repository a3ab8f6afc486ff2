"""Paired item weights, for what has no influence function; and the randomization test of one pair."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from audit.domain import BALANCED, OBSERVED, Evaluation, Resampled, ScoreKey
from audit.domain.arrays import Bools, Counts, Floats
from audit.execution import Progress, counted
from audit.inference.items import Items
from audit.inference.relation import AVERAGED, OF_AVERAGES
from audit.inference.weighted import CHUNK, Draws
from audit.metrics import goodness, lost_classes, metric_of, score, score_what_is_left
from audit.ranking.ranks import competition_ranks, correlated

FEWEST_USABLE = 200  # the fewest replicates from which percentiles are printed
_TAILS = (0.025, 0.975)
_SPEARMAN_REPLICATES, _SPEARMAN_CELLS = 1000, 4_000_000
_SCORE_BYTES = 1 << 27  # replicated scores of one block of teams
_CONFUSION_CELLS = 1 << 23  # replicated confusions at once
_SCORING_CELLS = 1 << 20  # of them scored at once, few enough to stay in the processor's cache
N_RANDOMIZATIONS = 10_000
_CELLS = 1 << 22  # of randomized confusions at once: 32 MB
_TOLERANCE = 1e-12


def resample(
    evaluation: Evaluation, items: Items, n_replicates: int, seed: int, on_progress: Progress | None = None
) -> Resampled:
    """The results of paired item weights for an evaluation."""
    agreeing, n_teams = evaluation.agreement.keys, len(evaluation.entries)
    n_early = max(1, min(n_replicates, _SPEARMAN_REPLICATES, _SPEARMAN_CELLS // (len(agreeing) * n_teams)))
    ranking = evaluation.task.ranking_metric
    is_drawn = metric_of(ranking.metric, evaluation.task.label_set).of_labels  # confusions say nothing of others
    both = [ScoreKey(ranking.metric, prevalence.name) for prevalence in (OBSERVED, BALANCED)]
    both = both if is_drawn and set(both) <= set(evaluation.keys) else []  # sets have no balanced prevalence
    counted = tuple(dict.fromkeys((*([ranking] if is_drawn else []), AVERAGED, OF_AVERAGES)))
    draws = Draws(items.sample.n_items, n_replicates, seed, items.groups, _gold_places(evaluation))
    replicator = _Replicator(evaluation, items, draws)
    (lower, upper), replicates, early = replicator.run({*counted, *both}, n_early, on_progress)
    kept = {key: evaluation.goodness(key, scores) for key, scores in replicates.items()}
    early = goodness(early, [key.metric for key in agreeing], evaluation.task.label_set)
    spearman = _spearman_ends(evaluation, early[:, ~replicator.left_out[:n_early]])
    return Resampled(
        n_replicates=n_replicates,
        seed=seed,
        n_usable=int((~replicator.left_out).sum()),
        lower=lower,
        upper=upper,
        keys=counted,
        rank_shares=np.stack([_rank_shares(evaluation, kept[key]) for key in counted]),
        macro_f1_disagreement=_disagreement(evaluation, kept[AVERAGED], kept[OF_AVERAGES]),
        prevalence_disagreement=_disagreement(evaluation, *(kept[key] for key in both)) if both else np.nan,
        spearman_lower=spearman[0],
        spearman_upper=spearman[1],
        n_spearman=int((~replicator.left_out[:n_early]).sum()),
    )


def _gold_places(evaluation: Evaluation) -> Counts:
    """The place in gold of each item of a sample, which has them by class, shape (N,)."""
    return np.argsort(evaluation.gold.codes, kind="stable")


def _disagreement(evaluation: Evaluation, one: Floats, other: Floats) -> float:
    """Share of usable replicates in which two metrics, higher better, have different winners; NaN without one."""
    winners = [competition_ranks(scores[:, evaluation.comparable]) == 1 for scores in (one, other)]
    return float((winners[0] != winners[1]).any(axis=1).mean()) if len(one) else np.nan


def _rank_shares(evaluation: Evaluation, replicates: Floats) -> Floats:
    """Share of usable replicates in which each comparable entry has each rank, shape (T, T); 0 without one."""
    comparable = np.flatnonzero(evaluation.comparable)
    shares = np.zeros((len(evaluation.entries), len(evaluation.entries)))
    ranks = competition_ranks(replicates[:, comparable])
    n_replicates, n_teams = ranks.shape
    cells = (ranks - 1) + np.arange(n_teams) * n_teams
    counts = np.bincount(cells.ravel(), minlength=n_teams * n_teams).reshape(n_teams, n_teams)
    shares[comparable, :n_teams] = counts / max(1, n_replicates)
    return shares


def _spearman_ends(evaluation: Evaluation, replicates: Floats) -> Floats:
    """The middle 95% of ρ between the metrics, shape (2, A, A), over the entries that the matrix is of."""
    by_replicate = np.moveaxis(replicates[..., evaluation.ranked], 1, 0)
    undefined = np.isnan(by_replicate).any(axis=-1, keepdims=True)
    either = undefined | np.swapaxes(undefined, -1, -2)
    return _middle(np.where(either, np.nan, correlated(by_replicate, by_replicate)))


def _middle(replicates: Floats) -> Floats:
    """Both ends of the middle 95% over the first axis; NaN where a replicate is undefined or there are too few."""
    if len(replicates) < FEWEST_USABLE:
        return np.full((2, *replicates.shape[1:]), np.nan)
    return np.asarray(np.quantile(replicates, _TAILS, axis=0))


class _Replicator:
    """Draws, counts and scores replicates in blocks; `left_out` are those that lack some class of gold, (B,)."""

    def __init__(self, evaluation: Evaluation, items: Items, draws: Draws) -> None:
        self.evaluation, self.items, self.draws = evaluation, items, draws
        self.left_out = self._without_some_class()

    def _without_some_class(self) -> Bools:
        """Which replicates have no gold item of some class, shape (B,)."""
        bounds = self.items.sample.bounds
        nonempty = np.flatnonzero(np.diff(bounds))
        lacks_class = np.empty(self.draws.n_replicates, dtype=bool)
        for start, stop in _spans(0, self.draws.n_replicates, CHUNK):
            drawn = np.add.reduceat(self.draws.weights(start, stop), bounds[nonempty], axis=1, dtype=np.int64)
            lacks_class[start:stop] = (drawn == 0).any(axis=1)
        return lacks_class

    def run(
        self, kept: set[ScoreKey], n_early: int, on_progress: Progress | None
    ) -> tuple[Floats, dict[ScoreKey, Floats], Floats]:
        """Score every replicate of every team.

        Percentiles of every score, shape (2, K, T); some scores in the usable replicates, (B', T); and the first R
        replicates of the scores of the agreement matrix, (A, R, T).
        """
        evaluation = self.evaluation
        row_of = {key: row for row, key in enumerate(evaluation.keys)}
        agreeing = [row_of[key] for key in evaluation.agreement.keys]
        ends = np.empty((2, *evaluation.values.shape))
        keeping = {key: np.empty((self.draws.n_replicates, len(evaluation.entries))) for key in kept}
        early = np.empty((len(agreeing), n_early, len(evaluation.entries)))
        n_teams = len(evaluation.entries)
        step = max(1, _SCORE_BYTES // (8 * len(evaluation.keys) * self.draws.n_replicates))
        blocks = [slice(*ends) for ends in _spans(0, n_teams, step)]
        for teams in counted(blocks, len(blocks), on_progress):
            scores = self.scores(teams)
            ends[:, :, teams] = _middle(np.moveaxis(scores[:, ~self.left_out], 1, 0))
            early[:, :, teams] = scores[agreeing, :n_early]
            for key, array in keeping.items():
                array[:, teams] = scores[row_of[key]]
        keeping = {key: array[~self.left_out] for key, array in keeping.items()}
        return ends, keeping, early

    def scores(self, teams: slice) -> Floats:
        """Scores of some teams in every replicate, shape (K, B, t); NaN where undefined."""
        evaluation, n_classes = self.evaluation, self.items.sample.n_classes
        scored = evaluation.keys, evaluation.prevalences, evaluation.task.label_set
        n_teams = len(evaluation.entries[teams])
        scores = np.empty((len(evaluation.keys), self.draws.n_replicates, n_teams))
        cells = n_teams * n_classes * (n_classes + 1)
        step = CHUNK * max(1, _CONFUSION_CELLS // (cells * CHUNK))
        part = max(1, _SCORING_CELLS // cells)
        for start, stop in _spans(0, self.draws.n_replicates, step):
            confusions = self.items.sample.confusions(teams, self.draws.weights(start, stop))
            for first, last in _spans(start, stop, part):
                block = confusions[first - start : last - start].astype(np.float64)
                lost = lost_classes(block, evaluation.present)
                scores[:, first:last] = score_what_is_left(block, lost, *scored)
        return scores


def _spans(start: int, stop: int, step: int) -> Iterator[tuple[int, int]]:
    return pairwise([*range(start, stop, step), stop])


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
    both, labels = items.of_teams(np.array(pair)).sample, evaluation.task.label_set
    draws = Draws(both.n_items, n_randomizations, seed, items.groups, _gold_places(evaluation))
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
