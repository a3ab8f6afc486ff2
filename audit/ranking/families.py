"""The summary of several test sets of one campaign: mean score, mean rank and Borda count of every team.

The three rules can have different winners. A mean score counts by how much a team leads, a mean rank and a Borda count
how many teams it leads. Which of them decides is for the campaign to have announced.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.domain import OVERALL_RULES, SHARE, Evaluation, Role, Scale, ScoreKey
from audit.domain.arrays import Bools, Floats, Ints
from audit.errors import UsageError
from audit.metrics import scale_of
from audit.ranking.overall_intervals import MeanInterval, mean_interval
from audit.ranking.ranks import competition_ranks, first_places


@dataclass(frozen=True, eq=False)
class Summary:
    """Every row's summary over the test sets, and its rank by each."""

    mean_score: Floats  # (T,): NaN where undefined. A high Borda count and a low mean rank are good
    mean_rank: Floats  # (T,)
    borda: Floats  # (T,)
    ranked: Bools  # (T,): which rows take an overall rank
    scale: Scale = SHARE  # that of the metric whose scores the mean is of: which mean scores are good
    contending: Bools | None = None  # (T,): which rows can be first

    @property
    def rules(self) -> dict[str, Floats]:
        """The values of every rule by its name, higher is better; NaN for rows without an overall rank."""
        mean_score = self.scale.goodness(self.mean_score)
        values = {"mean score": mean_score, "mean rank": -self.mean_rank, "Borda count": self.borda}
        return {rule: np.where(self.ranked, of_rows, np.nan) for rule, of_rows in values.items()}

    @property
    def ranks(self) -> dict[str, Ints]:
        """The rank of every row by each rule, shape (T,), 1 is best; undefined values last together."""
        return {rule: competition_ranks(values) for rule, values in self.rules.items()}

    @property
    def winners(self) -> dict[str, tuple[int, ...]]:
        """The rows that are first by each rule; none where all its values are undefined."""
        able = np.ones_like(self.ranked) if self.contending is None else self.contending
        places = first_places(np.stack([np.where(able, values, np.nan) for values in self.rules.values()]))
        return {rule: tuple(np.flatnonzero(first).tolist()) for rule, first in zip(self.rules, places, strict=True)}


@dataclass(frozen=True)
class Row:
    """A row of the summary: a team, or a run of a team that has several in some test set."""

    team: str
    run: str | None  # the run of the team, where runs are rows of their own
    role: Role  # what it is to the campaign, in the first test set that has it

    @property
    def name(self) -> str:
        """The team, or TEAM/RUN."""
        return f"{self.team}/{self.run}" if self.run else self.team


@dataclass(frozen=True, eq=False)
class Family:
    """The test sets of a campaign side by side."""

    evaluations: tuple[Evaluation, ...]
    rows: tuple[Row, ...]  # every team that competes in some test set
    entries: Ints  # (T, P): which entry of a test set a row is
    scores: Floats  # (T, P): scores by each test set's ranking metric
    ranks: Ints  # (T, P): ranks in each test set; 0 where the row takes no part and the policy leaves it out
    summary: Summary  # over the test sets
    mean_interval: MeanInterval  # the interval of the mean scores
    unranked: tuple[tuple[Row, Ints], ...]  # by row that competes nowhere; -1 where it has no entry

    @property
    def keys(self) -> tuple[ScoreKey, ...]:
        """Each test set's ranking metric."""
        return tuple(evaluation.task.ranking_metric for evaluation in self.evaluations)

    @property
    def has_mean(self) -> bool:
        """Whether there is a mean score: all test sets are ranked by the same metric, or it was announced.

        Scores by which higher is better and scores by which lower is have none.
        """
        return _has_mean(self.evaluations)

    @property
    def announced(self) -> str | None:
        """The rule that the campaign announced; None where it stated none."""
        return _announced(self.evaluations)

    @property
    def weights(self) -> tuple[float, ...]:
        """The weight of each test set."""
        return tuple(evaluation.task.weight for evaluation in self.evaluations)

    @property
    def skipped(self) -> str:
        """The policy for a test set that a team skipped."""
        return self.evaluations[0].task.policies.skipped

    @property
    def n_parts(self) -> Ints:
        """Number of test sets that each row takes part in, shape (T,)."""
        return np.asarray((self.entries >= 0).sum(axis=1))

    @property
    def order(self) -> tuple[int, ...]:
        """Rows from best to worst by the announced rule, or by mean rank; equal ones by Borda count, then by name.

        Those without an overall rank stand behind, first who took part in most test sets.
        """
        ranks, mean_rank = self.summary.ranks, self.summary.mean_rank.tolist()
        keys = zip(
            ranks[self.announced or "mean rank"].tolist(),
            ranks["Borda count"].tolist(),
            (-self.n_parts).tolist(),
            mean_rank,
            range(len(self.rows)),
            strict=True,
        )
        return tuple(place for *_, place in sorted(keys))


def summarise(  # noqa: PLR0913 - each a rule of the campaign
    scores: Floats,
    took_part: Bools,
    skipped: str = "left-out",
    *,
    scales: Sequence[Scale] = (),
    weights: Sequence[float] = (),
    has_mean: bool = True,
) -> Summary:
    """Mean score, mean rank and Borda count over several test sets.

    The Borda count of a row in a test set is the number of rows below it, and half of those level with it.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.5], [0.8, 0.7], [0.7, np.nan]])
    >>> found = summarise(scores, ~np.isnan(scores))
    >>> found.mean_score.tolist(), found.mean_rank.tolist(), found.borda.tolist()
    ([0.7, 0.75, 0.7], [1.5, 1.5, 3.0], [2.0, 2.0, 0.0])
    >>> found.ranked.tolist(), found.winners
    ([True, True, False], {'mean score': (1,), 'mean rank': (0, 1), 'Borda count': (0, 1)})
    >>> summarise(scores, ~np.isnan(scores), "last").mean_rank.tolist()
    [1.5, 1.5, 3.0]
    """
    counts = _counting(took_part, skipped)
    ranks, of_parts = ranks_in_parts(scores, counts, scales), np.array(weights or [1.0] * scores.shape[1])
    total_weight = (counts * of_parts).sum(axis=1)
    total = (np.where(counts, scores, 0.0) * of_parts).sum(axis=1)  # undefined with any score that counts
    return Summary(
        mean_score=total / total_weight if has_mean else np.full(len(scores), np.nan),
        mean_rank=(ranks * of_parts).sum(axis=1) / total_weight,
        borda=(_borda(ranks, counts) * of_parts).sum(axis=1),
        scale=scales[0] if scales else SHARE,
        ranked=np.asarray(counts.all(axis=1)),
    )


def _counting(took_part: Bools, skipped: str) -> Bools:
    """A mask of the test sets that count for a row: those it took part in, or all."""
    return took_part if skipped == "left-out" else np.ones_like(took_part)


def ranks_in_parts(scores: Floats, counts: Bools, scales: Sequence[Scale] = ()) -> Ints:
    """Ranks in each test set among the rows that count there, shape (T, P); 0 where a row does not."""
    ranks = np.zeros(scores.shape, dtype=np.int64)
    by_part = zip(scores.T, counts.T, scales or [SHARE] * len(scores.T), strict=True)
    for part, (column, counted, scale) in enumerate(by_part):
        ranks[counted, part] = competition_ranks(scale.goodness(column[counted]))
    return ranks


def _borda(ranks: Ints, counts: Bools) -> Floats:
    """For each row and test set: the rows below, and half of those level, shape (T, P); 0 where it does not count."""
    points = np.zeros(ranks.shape)
    for part, (column, counted) in enumerate(zip(ranks.T, counts.T, strict=True)):
        level = np.bincount(column[counted], minlength=2)[column[counted]]
        points[counted, part] = counted.sum() - column[counted] + 1 - level + (level - 1) / 2
    return points


def family_of(evaluations: Sequence[Evaluation]) -> Family:
    """The test sets of a campaign side by side, with every row's summary."""
    if not evaluations:
        raise UsageError("There is no test set to sum up.")
    members = _members(evaluations, competing=True)
    entries = np.array(list(members.values()), dtype=np.int64).reshape(-1, len(evaluations))
    scores, took_part = _scores(evaluations, entries), entries >= 0
    skipped = evaluations[0].task.policies.skipped
    has_mean = _has_mean(evaluations)
    weights = [evaluation.task.weight for evaluation in evaluations]
    scales = [_scale(evaluation) for evaluation in evaluations]
    summary = summarise(scores, took_part, skipped, scales=scales, weights=weights, has_mean=has_mean)
    summary = replace(summary, contending=np.array([row.role != Role.BASELINE for row in members], dtype=bool))
    means = np.where(summary.ranked, summary.mean_score, np.nan)
    names = {row.name for row in members}
    beside = _members(evaluations, competing=False).items()
    return Family(
        evaluations=tuple(evaluations),
        rows=tuple(members),
        entries=entries,
        scores=scores,
        ranks=ranks_in_parts(scores, _counting(took_part, skipped), scales),
        summary=summary,
        mean_interval=mean_interval(evaluations, entries, means, weights),
        unranked=tuple((row, np.array(places)) for row, places in beside if row.name not in names),
    )


def _has_mean(evaluations: Sequence[Evaluation]) -> bool:
    one_metric = len({evaluation.task.ranking_metric for evaluation in evaluations}) == 1
    directions = {_scale(evaluation).greater_is_better for evaluation in evaluations}
    return one_metric or (_announced(evaluations) == "mean score" and len(directions) == 1)


def _announced(evaluations: Sequence[Evaluation]) -> str | None:
    overall = evaluations[0].task.overall
    return None if overall is None else OVERALL_RULES[overall]


def _scale(evaluation: Evaluation) -> Scale:
    """The scale of the ranking metric."""
    return scale_of(evaluation.task.ranking_metric.metric, evaluation.task.label_set)


def _members(evaluations: Sequence[Evaluation], *, competing: bool) -> dict[Row, list[int]]:
    """The rows of those that compete, or of those that do not, with their entry in each test set; by name.

    A team's runs that are one entry wherever they took part are one row.
    """
    several = _teams_with_several_rows(evaluations)
    roles: dict[tuple[str, str | None], Role] = {}
    places: defaultdict[tuple[str, str | None], list[int]] = defaultdict(lambda: [-1] * len(evaluations))
    for part, evaluation in enumerate(evaluations):
        for place, entry in enumerate(evaluation.entries):
            for run in entry.runs if entry.team in several else (entry,):
                if entry.competes == competing:
                    row = run.team, run.run if run.team in several else None
                    roles.setdefault(row, entry.role)
                    places[row][part] = place
    alike: dict[tuple[object, ...], tuple[str, str | None]] = {}
    for row, of_row in places.items():
        alike.setdefault((row[0], *of_row), row)
    rows = {Row(*row, role=roles[row]): places[row] for row in alike.values()}
    return dict(sorted(rows.items(), key=lambda item: item[0].name))


def _teams_with_several_rows(evaluations: Sequence[Evaluation]) -> frozenset[str]:
    """Teams with more than one row that competes, or that stands beside, in some test set."""
    counts = (Counter((entry.team, entry.competes) for entry in evaluation.entries) for evaluation in evaluations)
    return frozenset(team for n_runs_of in counts for (team, _), n_runs in n_runs_of.items() if n_runs > 1)


def _scores(evaluations: Sequence[Evaluation], entries: Ints) -> Floats:
    """The scores of entries, shape (T, P); NaN where there is none."""
    columns = [evaluation.scores_of(evaluation.task.ranking_metric) for evaluation in evaluations]
    parts = zip(columns, entries.T, strict=True)
    return np.stack([np.where(places >= 0, column[places], np.nan) for column, places in parts], axis=-1)
