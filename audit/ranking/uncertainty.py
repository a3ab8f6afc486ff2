"""From one set of paired replicates: intervals, comparisons, rank sets, tiers, and what the replicates disagree on."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from audit.domain import BALANCED, OBSERVED, Comparison, Evaluation, ScoreKey, Uncertainty
from audit.domain.evaluation import Floats, Ints
from audit.metrics import BOTH_MACRO_F1, lost_classes, score_what_is_left
from audit.metrics.confusion import Bools, Counts
from audit.ranking.agreement import standard_ranks
from audit.ranking.randomization import against_the_first
from audit.ranking.ranks import competition_ranks
from audit.ranking.repair import BoundaryRows
from audit.ranking.resampling import CHUNK, Draws, Sample
from audit.ranking.separability import rank_sets, separability, tiers

LEVEL = 0.95
_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)

_SCORE_BYTES = 1 << 27  # replicated scores of one block of teams
_CONFUSION_CELLS = 1 << 23  # replicated confusions at once
_SCORING_CELLS = 1 << 20  # of them scored at once, few enough to stay in the processor's cache
_SPEARMAN_REPLICATES, _SPEARMAN_CELLS = 1000, 4_000_000

AVERAGED, OF_AVERAGES = map(ScoreKey, BOTH_MACRO_F1)
Progress = Callable[[int, int], None]


def quantify(  # noqa: PLR0913 - two values, two numbers that seed, two options
    evaluation: Evaluation,
    predictions: Sequence[Counts],
    *,
    n_replicates: int,
    seed: int,
    groups: Ints | None = None,
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
    on_progress : callable, optional
        Called with the blocks done and their total.
    """
    order = np.argsort(evaluation.gold.codes, kind="stable")
    drop_missing = evaluation.task.policies.missing == "drop"
    n_classes = len(evaluation.task.label_set)
    sample = Sample.of(evaluation.gold.codes, predictions, n_classes, drop_missing=drop_missing)
    draws = Draws(sample.n_items, n_replicates, seed, None if groups is None else groups[order])
    replicates = _Replicator(evaluation, sample, draws).run(on_progress)
    key, kept = evaluation.task.ranking_metric, replicates.kept
    observed, balanced = _at_both_prevalences(key)
    keys = _compared(key)
    randomized = against_the_first(evaluation, keys, sample, draws)
    gaps = evaluation.scores_of(OF_AVERAGES) - evaluation.scores_of(AVERAGED)
    gap_lower, gap_upper = percentile_intervals((kept[OF_AVERAGES] - kept[AVERAGED])[None], gaps[None])
    spearman_lower, spearman_upper = _spearman_intervals(evaluation, replicates.early)
    return Uncertainty(
        n_replicates=n_replicates,
        seed=seed,
        n_groups=None if groups is None else int(np.unique(groups).size),
        share_left_out=replicates.share_left_out,
        n_repaired=replicates.n_repaired,
        lower=replicates.lower,
        upper=replicates.upper,
        gap_lower=gap_lower[0],
        gap_upper=gap_upper[0],
        comparisons=tuple(_compare(evaluation, compared, kept[compared], randomized[compared]) for compared in keys),
        macro_f1_disagreement=_disagreement(evaluation, kept[AVERAGED], kept[OF_AVERAGES]),
        prevalence_disagreement=_disagreement(evaluation, kept[observed], kept[balanced]),
        spearman_lower=spearman_lower,
        spearman_upper=spearman_upper,
        n_spearman=len(replicates.early[0]),
    )


def _at_both_prevalences(key: ScoreKey) -> tuple[ScoreKey, ScoreKey]:
    """A metric at observed and at balanced prevalence."""
    return ScoreKey(key.metric, OBSERVED.name), ScoreKey(key.metric, BALANCED.name)


def _compared(key: ScoreKey) -> tuple[ScoreKey, ...]:
    """The scores by which all teams are compared: the ranking metric first."""
    return tuple(dict.fromkeys((key, AVERAGED, OF_AVERAGES, *_at_both_prevalences(key))))


def percentile_intervals(replicates: Floats, values: Floats) -> Floats:
    """95% percentile intervals that contain the scores they are of.

    Parameters
    ----------
    replicates : ndarray, shape (K, B, T)
        Scores in B replicates, NaN where undefined.
    values : ndarray, shape (K, T)
        The scores.

    Returns
    -------
    ndarray, shape (2, K, T)
        Lower and upper ends; NaN where a score, or every replicate of it, is undefined.
    """
    if not replicates.shape[1]:  # all of them are left out
        return np.full((2, *values.shape), np.nan)
    ends = np.empty((2, *values.shape))
    step = max(1, _SCORING_CELLS // max(1, replicates[0].size))
    for start in range(0, len(replicates), step):  # a few keys at a time: a quantile copies what it sorts
        ends[:, start : start + step] = _quantiles(replicates[start : start + step])
    return np.stack([np.minimum(ends[0], values), np.maximum(ends[1], values)])


def _quantiles(replicates: Floats) -> Floats:
    """Both tails over the replicates that are defined, shape (2, K, T); NaN where none is."""
    ends = np.quantile(replicates, _TAILS, axis=1)
    undefined = np.isnan(replicates)
    holes = undefined.any(axis=1) & ~undefined.all(axis=1)
    if holes.any():
        ends[:, holes] = np.nanquantile(np.moveaxis(replicates, 1, 0)[:, holes], _TAILS, axis=0)
    return np.asarray(ends)


# The replicates


@dataclass(frozen=True, eq=False)
class _Replicates:
    """Intervals of every score, and the replicates themselves where all teams are compared."""

    lower: Floats
    upper: Floats
    kept: dict[ScoreKey, Floats]  # (B', T) each, without the replicates that are left out
    early: Floats  # (M, R, T): the first R replicates of the metrics of the agreement matrix
    share_left_out: float
    n_repaired: int


class _Replicator:
    """Draws, counts, repairs and scores the replicates, in blocks of teams and of replicates."""

    def __init__(self, evaluation: Evaluation, sample: Sample, draws: Draws) -> None:
        self.evaluation, self.sample, self.draws = evaluation, sample, draws
        self.repaired = BoundaryRows.of(evaluation.confusions, _identity(evaluation))
        if draws.groups is not None:
            self.repaired = self.repaired.none()
        self.row_of = {key: row for row, key in enumerate(evaluation.keys)}
        self.left_out = np.zeros(draws.n_replicates, dtype=bool)

    def run(self, on_progress: Progress | None) -> _Replicates:
        """Score every replicate of every team."""
        evaluation, (n_keys, n_teams) = self.evaluation, self.evaluation.values.shape
        n_replicates = self.draws.n_replicates
        kept = {key: np.empty((n_replicates, n_teams)) for key in _compared(evaluation.task.ranking_metric)}
        agreeing = [self.row_of[key] for key in evaluation.agreement.keys]
        n_early = max(1, min(n_replicates, _SPEARMAN_REPLICATES, _SPEARMAN_CELLS // (len(agreeing) * n_teams)))
        early = np.empty((len(agreeing), n_early, n_teams))
        intervals = np.empty((2, n_keys, n_teams))
        blocks = list(self._team_blocks())
        for number, teams in enumerate(blocks):
            scores = self._scores(teams)
            intervals[:, :, teams] = percentile_intervals(scores, evaluation.values[:, teams])
            early[:, :, teams] = scores[agreeing, :n_early]
            for key, array in kept.items():
                array[:, teams] = scores[self.row_of[key]]
            if on_progress:
                on_progress(number + 1, len(blocks))
        left = {key: array[~self.left_out] for key, array in kept.items()} if self.left_out.any() else kept
        return _Replicates(
            intervals[0], intervals[1], left, early, float(self.left_out.mean()), len(self.repaired.teams)
        )

    def _team_blocks(self) -> Iterator[slice]:
        n_keys, n_teams = self.evaluation.values.shape
        step = max(1, _SCORE_BYTES // (8 * n_keys * self.draws.n_replicates))
        return (slice(start, min(start + step, n_teams)) for start in range(0, n_teams, step))

    def _scores(self, teams: slice) -> Floats:
        """Scores of a block of teams in every replicate, shape (K, B, t)."""
        n_teams, n_classes = teams.stop - teams.start, self.sample.n_classes
        scores = np.empty((len(self.evaluation.keys), self.draws.n_replicates, n_teams))
        cells = n_teams * n_classes * (n_classes + 1)
        step = CHUNK * max(1, _CONFUSION_CELLS // (cells * CHUNK))
        part = max(1, _SCORING_CELLS // cells)
        for start, stop in _spans(0, self.draws.n_replicates, step):
            weights = self.draws.weights(start, stop)
            confusions = self.sample.confusions(teams, weights)
            recalls = self._recalls(start, stop)
            for first, last in _spans(start, stop, part):
                block = confusions[first - start : last - start].astype(np.float64)
                self.repaired.repair(block, teams, recalls[first - start : last - start])
                scores[:, first:last] = self._score(block, teams, self.left_out[first:last])
        return scores

    def _recalls(self, start: int, stop: int) -> Floats:
        """A recall for each repaired row in each replicate, from streams of their own."""
        chunks = [self.draws.stream(first // CHUNK, "recall") for first, _ in _spans(start, stop, CHUNK)]
        shape = (CHUNK, len(self.repaired.successes))
        drawn = [stream.beta(self.repaired.successes, self.repaired.failures, shape) for stream in chunks]
        return np.concatenate(drawn)[: stop - start]

    def _score(self, confusions: Floats, teams: slice, left_out: Bools) -> Floats:
        """Scores of replicated confusions; says which replicates have no gold item of some class."""
        evaluation = self.evaluation
        lost = lost_classes(confusions, evaluation.present)
        left_out |= lost[:, evaluation.whole[teams]].any(axis=1)
        keys, prevalences = evaluation.keys, evaluation.prevalences
        return score_what_is_left(confusions, lost, keys, prevalences, evaluation.task.label_set)


def _spans(start: int, stop: int, step: int) -> Iterator[tuple[int, int]]:
    return pairwise([*range(start, stop, step), stop])


def _identity(evaluation: Evaluation) -> Ints:
    """A number for each entry, equal for label-identical submissions."""
    digests = [entry.predictions_digest for entry in evaluation.entries]
    return np.unique(digests, return_inverse=True)[1].astype(np.int64)


# What follows from them


def _compare(evaluation: Evaluation, key: ScoreKey, replicates: Floats, randomized: Floats) -> Comparison:
    """Every pair of comparable entries by one metric. Those without a defined score are separable from nobody."""
    estimates, comparable = evaluation.scores_of(key), np.flatnonzero(evaluation.comparable)
    n_teams = len(estimates)
    defined = comparable[~np.isnan(estimates[comparable]) & ~np.isnan(replicates[:, comparable]).any(axis=0)]
    found = separability(estimates[defined], replicates[:, defined])
    error, p = np.full((n_teams, n_teams), np.nan), np.ones((n_teams, n_teams))
    separable = np.zeros((n_teams, n_teams), dtype=bool)
    sets, tier = np.zeros((n_teams, 2), dtype=np.int64), np.zeros(n_teams, dtype=np.int64)
    shares = np.zeros((n_teams, n_teams))
    inside = np.ix_(defined, defined)
    error[inside], p[inside], separable[inside] = found.standard_error, found.adjusted_p, found.separable
    among = np.ix_(comparable, comparable)
    sets[comparable] = rank_sets(separable[among])
    tier[comparable] = _tiers(estimates[comparable], separable[among])
    shares[comparable, : len(comparable)] = _rank_shares(replicates[:, comparable])
    behind = _behind(evaluation, key, replicates)
    return Comparison(
        key=key,
        standard_error=error,
        adjusted_p=p,
        critical_value=found.critical_value,
        separable=separable,
        rank_sets=sets,
        tiers=tier,
        rank_shares=shares,
        behind_lower=behind[0],
        behind_upper=behind[1],
        randomization_p=randomized,
    )


def _tiers(estimates: Floats, separable: Bools) -> Ints:
    """Tiers of the teams with a defined score; all others share a last one."""
    defined = ~np.isnan(estimates)
    found = np.zeros(len(estimates), dtype=np.int64)
    found[defined] = tiers(estimates[defined], separable[np.ix_(defined, defined)])
    found[~defined] = found.max(initial=0) + 1
    return found


def _behind(evaluation: Evaluation, key: ScoreKey, replicates: Floats) -> Floats:
    """95% percentile interval of the leader's lead over each other entry of all items, shape (2, T)."""
    scores, leader = evaluation.scores_of(key), evaluation.leader(key)
    ends = np.full((2, len(scores)), np.nan)
    if leader is None:
        return ends
    others = np.flatnonzero(evaluation.whole & (np.arange(len(scores)) != leader))
    leads = replicates[:, [leader]] - replicates[:, others]
    ends[:, others] = percentile_intervals(leads[None], (scores[leader] - scores[others])[None])[:, 0]
    return ends


def _rank_shares(replicates: Floats) -> Floats:
    """Share of replicates in which each team has each rank, shape (T, T); 0 where all are left out."""
    ranks = competition_ranks(replicates)
    n_replicates, n_teams = ranks.shape
    cells = (ranks - 1) + np.arange(n_teams) * n_teams
    counts = np.bincount(cells.ravel(), minlength=n_teams * n_teams).reshape(n_teams, n_teams)
    return np.asarray(counts / max(1, n_replicates))


def _disagreement(evaluation: Evaluation, one: Floats, other: Floats) -> float:
    """Share of replicates in which two metrics have different winners; NaN where all are left out."""
    winners = [competition_ranks(scores[:, evaluation.comparable]) == 1 for scores in (one, other)]
    return float((winners[0] != winners[1]).any(axis=1).mean()) if len(one) else np.nan


def _spearman_intervals(evaluation: Evaluation, replicates: Floats) -> Floats:
    """95% percentile intervals of ρ between the metrics, shape (2, M, M)."""
    ranked = evaluation.competing | ~evaluation.competing.any()
    by_replicate = np.moveaxis(replicates[..., ranked], 1, 0)
    undefined = np.isnan(by_replicate).any(axis=-1, keepdims=True)
    standard = np.where(undefined, np.nan, standard_ranks(by_replicate))
    rho = np.clip(standard @ np.swapaxes(standard, -1, -2), -1, 1)
    return percentile_intervals(np.moveaxis(rho, 1, 0), evaluation.agreement.spearman)
