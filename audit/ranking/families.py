"""The tracks of a campaign side by side: which rows took part where, and mean score, mean rank and Borda count."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.domain import OVERALL_RULES, SHARE, Evaluation, Role, Scale, ScoreKey
from audit.domain.arrays import Bools, Floats, Ints
from audit.errors import UsageError
from audit.metrics import scale_of
from audit.ranking.ranks import competition_ranks, first_places


@dataclass(frozen=True, eq=False)
class Summary:
    """Every row's summary over the test sets, and its rank by each."""

    mean_score: Floats  # (T,): NaN where undefined. A high Borda count and a low mean rank are good
    mean_rank: Floats  # (T,)
    borda: Floats  # (T,)
    ranked: Bools  # (T,): which rows take an overall rank
    scale: Scale = SHARE
    """That of the metric whose scores the mean is of: which mean scores are good."""
    contending: Bools | bool = True  # (T,): which rows can be first

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
        rules = self.rules.values()
        places = first_places(
            np.stack([np.where(self.contending, values, np.nan) for values in rules])
        )
        return {
            rule: tuple(np.flatnonzero(first).tolist())
            for rule, first in zip(self.rules, places, strict=True)
        }


@dataclass(frozen=True)
class Row:
    """A row of the summary: a team, or a run of a team that has several in some test set."""

    team: str
    run: str | None  # the run of the team, where runs are rows of their own
    role: Role  # what it is to the campaign, in the first test set that has it

    @property
    def name(self) -> str:
        """The team, or TEAM/RUN."""
        if self.run:
            return f"{self.team}/{self.run}"
        return self.team


@dataclass(frozen=True, eq=False)
class Family:
    """The tracks of a campaign side by side."""

    evaluations: tuple[Evaluation, ...]
    places: tuple[int, ...]  # which tracks of the campaign these are: all, unless one was left out
    keys: tuple[ScoreKey, ...]
    """The score of each track: by its ranking metric, unless another was asked for."""
    weights: tuple[float, ...]  # the weight of each track
    rows: tuple[Row, ...]  # every team that competes in some track
    entries: Ints  # (T, K): which entry of a track a row is; -1 where it took no part
    scores: Floats  # (T, K): scores in each track
    ranks: Ints
    """(T, K): ranks in each track; 0 where the row takes no part and the policy leaves it out."""
    summary: Summary  # over the tracks
    unranked: tuple[tuple[Row, Ints], ...]  # by row that competes nowhere; -1 where it has no entry
    has_mean: bool  # whether there is a mean score
    announced: str | None  # the rule that the campaign announced; None where it stated none

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
        ranks = self.summary.ranks
        mean_rank = self.summary.mean_rank.tolist()
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
    """
    n_rows, n_parts = scores.shape
    counts = _counting(took_part, skipped)
    ranks = ranks_in_parts(scores, counts, scales)
    of_parts = np.array(weights or [1.0] * n_parts)
    total_weight = (counts * of_parts).sum(axis=1)
    # who took part in none has no means
    total_weight = np.where(total_weight > 0, total_weight, np.nan)
    mean_score = np.full(n_rows, np.nan)
    if has_mean:  # undefined with any score that counts
        mean_score = (np.where(counts, scores, 0.0) * of_parts).sum(axis=1) / total_weight
    scale = SHARE
    if scales:
        scale = scales[0]
    return Summary(
        mean_score=mean_score,
        mean_rank=(ranks * of_parts).sum(axis=1) / total_weight,
        borda=(_borda(ranks, counts) * of_parts).sum(axis=1),
        scale=scale,
        ranked=np.asarray(counts.all(axis=1)),
    )


def _counting(took_part: Bools, skipped: str) -> Bools:
    """A mask of the tracks that count for a row: those it took part in, or all."""
    if skipped == "left-out":
        return took_part
    return np.broadcast_to(took_part.any(axis=1, keepdims=True), took_part.shape)


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
        own = column[counted]
        n_level = np.bincount(own, minlength=2)[own]  # itself included
        n_below = counted.sum() - own + 1 - n_level
        points[counted, part] = n_below + (n_level - 1) / 2
    return points


def family_of(evaluations: Sequence[Evaluation]) -> Family:
    """The tracks of a campaign side by side, with every row's summary."""
    if not evaluations:
        raise UsageError("There is no track to sum up.")
    competing = _members(evaluations, competing=True)
    names = {row.name for row in competing}
    unranked = []
    for row, places in _members(evaluations, competing=False).items():
        if row.name not in names:
            unranked.append((row, np.array(places)))
    entries = np.array(list(competing.values()), dtype=np.int64)
    return _summed_up(
        tuple(evaluations),
        tuple(range(len(evaluations))),
        tuple(evaluation.task.ranking_metric for evaluation in evaluations),
        tuple(evaluation.task.weight for evaluation in evaluations),
        tuple(competing),
        entries.reshape(-1, len(evaluations)),
        tuple(unranked),
    )


def resummed_family(
    family: Family,
    *,
    without: int | None = None,
    keys: Sequence[ScoreKey] | None = None,
    weights: Sequence[float] | None = None,
) -> Family:
    """The same rows summed up over all tracks but one, by other scores, or with other weights."""
    kept = [track for track in range(len(family.evaluations)) if track != without]
    return _summed_up(
        tuple(family.evaluations[track] for track in kept),
        tuple(family.places[track] for track in kept),
        tuple((keys or family.keys)[track] for track in kept),
        tuple((weights or family.weights)[track] for track in kept),
        family.rows,
        family.entries[:, kept],
        (),
    )


def _summed_up(  # noqa: PLR0913, PLR0917 - what is summed up, and for whom
    evaluations: tuple[Evaluation, ...],
    places: tuple[int, ...],
    keys: tuple[ScoreKey, ...],
    weights: tuple[float, ...],
    rows: tuple[Row, ...],
    entries: Ints,
    unranked: tuple[tuple[Row, Ints], ...],
) -> Family:
    tasks = [evaluation.task for evaluation in evaluations]
    scores = _scores(evaluations, keys, entries)
    took_part = entries >= 0
    skipped = tasks[0].policies.skipped
    scales = [scale_of(key.metric, task.label_set) for key, task in zip(keys, tasks, strict=True)]
    announced = OVERALL_RULES.get(tasks[0].overall or "")
    one_direction = len({scale.greater_is_better for scale in scales}) == 1
    has_mean = len(set(keys)) == 1 or (announced == "mean score" and one_direction)
    summary = summarise(
        scores, took_part, skipped, scales=scales, weights=weights, has_mean=has_mean
    )
    contending = np.array([row.role != Role.BASELINE for row in rows], dtype=bool)
    return Family(
        evaluations=evaluations,
        places=places,
        keys=keys,
        weights=weights,
        rows=rows,
        entries=entries,
        scores=scores,
        ranks=ranks_in_parts(scores, _counting(took_part, skipped), scales),
        summary=replace(summary, contending=contending),
        unranked=unranked,
        has_mean=has_mean,
        announced=announced,
    )


def _members(evaluations: Sequence[Evaluation], *, competing: bool) -> dict[Row, list[int]]:
    """The rows of those that compete, or of those that do not, with their entry in each test set; by name.

    A team with more than one row that competes, or that stands beside, in some test set has a row for each run; runs
    that are one entry wherever they took part are one row.
    """
    with_runs = _teams_with_several_rows(evaluations)
    roles: dict[tuple[str, str | None], Role] = {}
    places: dict[tuple[str, str | None], list[int]] = {}
    for part, evaluation in enumerate(evaluations):
        for place, entry in enumerate(evaluation.entries):
            if entry.competes != competing:
                continue
            names: list[tuple[str, str | None]] = [(entry.team, None)]
            if entry.team in with_runs:
                names = [(run.team, run.run) for run in entry.runs]
            for name in names:
                roles.setdefault(name, entry.role)
                places.setdefault(name, [-1] * len(evaluations))[part] = place
    first_alike: dict[tuple[object, ...], tuple[str, str | None]] = {}
    for name, of_name in places.items():
        team, _ = name
        first_alike.setdefault((team, *of_name), name)
    rows = {Row(*name, role=roles[name]): places[name] for name in first_alike.values()}
    return dict(sorted(rows.items(), key=lambda item: item[0].name))


def _teams_with_several_rows(evaluations: Sequence[Evaluation]) -> set[str]:
    """The teams that in some test set have several entries that compete, or several that do not."""
    teams = set()
    for evaluation in evaluations:
        n_rows = Counter((entry.team, entry.competes) for entry in evaluation.entries)
        teams |= {team for (team, _), n_of_team in n_rows.items() if n_of_team > 1}
    return teams


def _scores(evaluations: Sequence[Evaluation], keys: Sequence[ScoreKey], entries: Ints) -> Floats:
    """The scores of entries, shape (T, K); NaN where there is none."""
    columns = []
    for evaluation, key, places in zip(evaluations, keys, entries.T, strict=True):
        scores = evaluation.scores_of(key)
        columns.append(np.where(places >= 0, scores[places], np.nan))
    return np.stack(columns, axis=-1)
