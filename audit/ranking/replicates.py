"""The replicates: drawn, counted, repaired and scored in blocks of teams and of replicates, and their percentiles."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.evaluation import Floats, Ints
from audit.metrics import lost_classes, score_what_is_left
from audit.metrics.confusion import Bools, Counts
from audit.ranking.repair import BoundaryRows
from audit.ranking.resampling import CHUNK, Draws, Sample

LEVEL = 0.95
_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)

_SCORE_BYTES = 1 << 27  # replicated scores of one block of teams
_CONFUSION_CELLS = 1 << 23  # replicated confusions at once
_SCORING_CELLS = 1 << 20  # of them scored at once, few enough to stay in the processor's cache

Progress = Callable[[int, int], None]


def resampling_of(
    evaluation: Evaluation,
    predictions: Sequence[Counts],
    n_replicates: int,
    seed: int,
    groups: Ints | None,
) -> tuple[Sample, Draws]:
    """What is resampled, and how often each item is drawn; parameters are those of `quantify`."""
    gold, n_classes = evaluation.gold.codes, len(evaluation.task.label_set)
    drop_missing = evaluation.task.policies.missing == "drop"
    sample = Sample.of(gold, predictions, n_classes, drop_missing=drop_missing)
    order = np.argsort(gold, kind="stable")
    return sample, Draws(sample.n_items, n_replicates, seed, None if groups is None else groups[order])


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
    if not replicates.size:  # all of them are left out
        return np.full((2, *values.shape), np.nan)
    ends = np.empty((2, *values.shape))
    step = max(1, _SCORING_CELLS // replicates[0].size)
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


@dataclass(frozen=True, eq=False)
class Replicates:
    """What is kept of the replicates.

    Parameters
    ----------
    lower, upper : ndarray, shape (K, T)
        95% percentile intervals of the replicated scores.
    kept : dict of ndarray, shape (B', T)
        The scores themselves where all teams are compared, without the replicates that are left out.
    early : ndarray, shape (M, R, T)
        The first R replicates of some scores.
    left_out : ndarray of bool, shape (B,)
        Which replicates have no gold item of some class.
    """

    lower: Floats
    upper: Floats
    kept: dict[ScoreKey, Floats]
    early: Floats
    left_out: Bools


class Replicator:
    """Replicates scores of an evaluation.

    A replicate of a score depends on the draws and on the team's answers, and on no other score or team.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    sample, draws : Sample, Draws
        What is resampled.
    keys : sequence of K ScoreKey, optional
        Which scores; by default all of the evaluation.
    """

    def __init__(
        self, evaluation: Evaluation, sample: Sample, draws: Draws, keys: Sequence[ScoreKey] | None = None
    ) -> None:
        self.evaluation, self.sample, self.draws = evaluation, sample, draws
        self.keys = evaluation.keys if keys is None else tuple(keys)
        repaired = BoundaryRows.of(evaluation.confusions, _identity(evaluation))
        self.repaired = repaired if draws.groups is None else repaired.none()
        self.left_out = np.zeros(draws.n_replicates, dtype=bool)

    @property
    def n_repaired(self) -> int:
        """Gold rows of teams that the bootstrap cannot move."""
        return len(self.repaired.teams)

    def run(
        self,
        kept: Sequence[ScoreKey],
        early: Sequence[ScoreKey] = (),
        n_early: int = 0,
        on_progress: Progress | None = None,
    ) -> Replicates:
        """Score every replicate of every team, and keep those of some scores: all of them, or the first ones."""
        row_of = {key: row for row, key in enumerate(self.keys)}
        values = np.stack([self.evaluation.scores_of(key) for key in self.keys])
        n_teams = values.shape[1]
        keeping = {key: np.empty((self.draws.n_replicates, n_teams)) for key in kept}
        first = np.empty((len(early), n_early, n_teams))
        intervals = np.empty((2, *values.shape))
        blocks = list(self._team_blocks(n_teams))
        for number, teams in enumerate(blocks):
            scores = self.scores(teams)
            intervals[:, :, teams] = percentile_intervals(scores, values[:, teams])
            first[:, :, teams] = scores[[row_of[key] for key in early], :n_early]
            for key, array in keeping.items():
                array[:, teams] = scores[row_of[key]]
            if on_progress:
                on_progress(number + 1, len(blocks))
        if self.left_out.any():
            keeping = {key: array[~self.left_out] for key, array in keeping.items()}
        return Replicates(intervals[0], intervals[1], keeping, first, self.left_out)

    def _team_blocks(self, n_teams: int) -> Iterator[slice]:
        step = max(1, _SCORE_BYTES // (8 * len(self.keys) * self.draws.n_replicates))
        return (slice(start, min(start + step, n_teams)) for start in range(0, n_teams, step))

    def scores(self, teams: slice | Ints) -> Floats:
        """Scores of some teams in every replicate, shape (K, B, t); NaN where undefined."""
        numbers, n_classes = np.arange(self.sample.n_teams)[teams], self.sample.n_classes
        scores = np.empty((len(self.keys), self.draws.n_replicates, len(numbers)))
        cells = len(numbers) * n_classes * (n_classes + 1)
        step = CHUNK * max(1, _CONFUSION_CELLS // (cells * CHUNK))
        part = max(1, _SCORING_CELLS // cells)
        for start, stop in _spans(0, self.draws.n_replicates, step):
            weights = self.draws.weights(start, stop)
            confusions = self.sample.confusions(teams, weights)
            recalls = self._recalls(start, stop)
            for first, last in _spans(start, stop, part):
                block = confusions[first - start : last - start].astype(np.float64)
                self.repaired.repair(block, numbers, recalls[first - start : last - start])
                scores[:, first:last] = self._score(block, numbers, self.left_out[first:last])
        return scores

    def _recalls(self, start: int, stop: int) -> Floats:
        """A recall for each repaired row in each replicate, from streams of their own."""
        chunks = [self.draws.stream(first // CHUNK, "recall") for first, _ in _spans(start, stop, CHUNK)]
        shape = (CHUNK, len(self.repaired.successes))
        drawn = [stream.beta(self.repaired.successes, self.repaired.failures, shape) for stream in chunks]
        return np.concatenate(drawn)[: stop - start]

    def _score(self, confusions: Floats, teams: Ints, left_out: Bools) -> Floats:
        """Scores of replicated confusions; marks the replicates that have no gold item of some class."""
        evaluation = self.evaluation
        lost = lost_classes(confusions, evaluation.present)
        left_out |= lost[:, evaluation.whole[teams]].any(axis=1)
        return score_what_is_left(confusions, lost, self.keys, evaluation.prevalences, evaluation.task.label_set)


def _spans(start: int, stop: int, step: int) -> Iterator[tuple[int, int]]:
    return pairwise([*range(start, stop, step), stop])


def _identity(evaluation: Evaluation) -> Ints:
    """A number for each entry, equal for label-identical submissions."""
    digests = [entry.predictions_digest for entry in evaluation.entries]
    return np.unique(digests, return_inverse=True)[1].astype(np.int64)
