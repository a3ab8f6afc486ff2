"""Intervals of mean scores over several test sets, which may share items.

The squared distances of the scores from the ends of their own intervals add up, and so do their products, times the
correlation of the two scores (MOVER; Zou 2007; Zou and Donner 2008 where they are independent). Two scores
are correlated by what the items that both test sets have add to each. Simulated with 150 items in each of two test sets
and half or all of them in common, 95 to 96% of the intervals hold the mean; taken as independent samples, 92 to 93%.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from audit.domain import OVERALL_RULES, SHARE, Evaluation, Role, Scale
from audit.domain.arrays import Bools, Floats, Ints
from audit.domain.privacy import ItemIds
from audit.errors import UsageError
from audit.metrics import phrase, scale_of
from audit.ranking.ranks import competition_ranks, first_places

_VALUES = 1 << 22  # what items add to the scores of some rows at once: 32 MB


@dataclass(frozen=True)
class SharedItems:
    """Items that two test sets have in common."""

    first: int
    second: int
    n_items: int  # how many ids are those of both; ids that only count the items are no sign


@dataclass(frozen=True, eq=False)
class MeanInterval:
    """95% intervals of the mean scores."""

    lower: Floats  # (T,): NaN where there is none
    upper: Floats  # (T,)
    reason: str = ""  # why nobody has one; nothing where some row has
    shared: tuple[SharedItems, ...] = ()  # test sets that have items in common; all others are independent samples


def mean_interval(
    evaluations: Sequence[Evaluation], entries: Ints, means: Floats, weights: Sequence[float]
) -> MeanInterval:
    """Intervals of the mean scores, of rows that took part everywhere."""
    nothing, shared = np.full(len(entries), np.nan), shared_items(evaluations)
    reason = _no_interval(evaluations, means)
    if reason or not len(entries):
        return MeanInterval(nothing, nothing, reason, shared)
    correlations = np.broadcast_to(np.eye(len(evaluations)), (len(entries), *[len(evaluations)] * 2))
    rows = np.flatnonzero(~np.isnan(means) & (entries >= 0).all(axis=1))
    if shared and rows.size:
        correlating = _Correlating(evaluations, shared, entries[rows])
        reason = correlating.reason()
        if reason:
            return MeanInterval(nothing, nothing, reason, shared)
        correlations = correlations.copy()
        correlations[rows] = correlating.correlations()
    halves, shares = np.empty((2, *entries.shape)), np.array(weights) / sum(weights)
    for part, (evaluation, places, share) in enumerate(zip(evaluations, entries.T, shares, strict=True)):
        halves[:, :, part] = share * _distances(evaluation, places)
    below, above = np.sqrt(np.maximum(np.einsum("etp,tpq,etq->et", halves, correlations, halves), 0.0))
    return MeanInterval(means - below, means + above, shared=shared)


def _distances(evaluation: Evaluation, places: Ints) -> Floats:
    """Distances of some entries' scores from both ends of their intervals, shape (2, T); NaN where there is none."""
    key, certainty = evaluation.task.ranking_metric, evaluation.certainty
    assert certainty is not None  # noqa: S101 - a test set without gives a reason
    row, has_interval = evaluation.row(key), (places >= 0) & evaluation.whole[places]
    ends = np.stack([certainty.intervals.lower[row, places], certainty.intervals.upper[row, places]])
    return np.where(has_interval, np.abs(ends - evaluation.scores_of(key)[places]), np.nan)


def _no_interval(evaluations: Sequence[Evaluation], means: Floats) -> str:
    """Why no mean score has an interval, whatever items are shared; nothing where some may have."""
    if np.isnan(means).all():
        return "there is no mean score"
    if any(evaluation.certainty is None for evaluation in evaluations):
        return "the certainty of a test set was left out"
    return ""


def shared_items(evaluations: Sequence[Evaluation]) -> tuple[SharedItems, ...]:
    """The test sets that have items in common, by their ids; ids that only count them tell nothing."""
    ids = [_telling_ids(evaluation) for evaluation in evaluations]
    counted = (
        SharedItems(first, second, len(ids[first] & ids[second])) for first, second in combinations(range(len(ids)), 2)
    )
    return tuple(shared for shared in counted if shared.n_items)


def _telling_ids(evaluation: Evaluation) -> frozenset[str]:
    """The ids of a test set's items that do more than count them, as two test sets may both do."""
    return ItemIds.of(evaluation.gold.item_ids, evaluation.task.label_set).secret


class _Correlating:
    """Correlations of the scores of rows in test sets of which some share items."""

    def __init__(self, evaluations: Sequence[Evaluation], shared: tuple[SharedItems, ...], entries: Ints) -> None:
        self.evaluations, self.shared, self.entries = evaluations, shared, entries
        self.sharing = np.unique([(each.first, each.second) for each in shared])

    def reason(self) -> str:
        """Why correlations cannot be found; nothing where they can."""
        for part in self.sharing.tolist():
            evaluation = self.evaluations[part]
            if evaluation.added_by_items is None:
                return "test sets share items, and what each of these adds was not kept"
            if evaluation.added_by_items(evaluation, self.entries[:1, part]) is None:
                by = phrase(evaluation.task.ranking_metric, evaluation.task.label_set)
                return f"test sets share items, and nothing says what each of these adds to {by}"
        return ""

    def correlations(self) -> Floats:
        """Correlations of every two scores of each row, shape (R, P, P); NaN where it is not known what items add."""
        n_rows, n_parts = self.entries.shape
        all_correlations = np.broadcast_to(np.eye(n_parts), (n_rows, n_parts, n_parts)).copy()
        unit_of = _units([self.evaluations[part] for part in self.sharing.tolist()])
        n_units = 1 + max(int(units.max()) for units in unit_of)
        step = max(1, _VALUES // (n_units * len(self.sharing)))
        for first in range(0, n_rows, step):
            rows = np.arange(first, min(first + step, n_rows))
            parts = zip(self.sharing.tolist(), unit_of, strict=True)
            sums = np.stack([self._sums(part, rows, units, n_units) for part, units in parts])
            products = np.einsum("ptu,qtu->tpq", sums, sums)
            all_correlations[np.ix_(rows, self.sharing, self.sharing)] = self._correlated(products)
        return all_correlations

    def _sums(self, part: int, rows: Ints, units: Ints, n_units: int) -> Floats:
        """The values that units add to the scores of some rows in one test set, shape (t, U)."""
        evaluation = self.evaluations[part]
        assert evaluation.added_by_items is not None  # noqa: S101 - there is a reason where it is
        added = evaluation.added_by_items(evaluation, self.entries[rows, part])
        assert added is not None  # noqa: S101 - there is a reason where it is
        return np.stack([np.bincount(units, row, n_units) for row in added])

    def _correlated(self, products: Floats) -> Floats:
        """Correlations from sums of products, shape (t, S, S).

        Where no item moves one of two scores, as of a team without an error, they are as correlated as scores can be
        that have so many items in common.
        """
        errors = np.sqrt(np.diagonal(products, axis1=1, axis2=2))
        both = errors[:, :, None] * errors[:, None, :]
        most = np.eye(len(self.sharing))
        for each in self.shared:
            n_items = [self.evaluations[part].gold.n_items for part in (each.first, each.second)]
            first, second = np.searchsorted(self.sharing, [each.first, each.second])
            most[first, second] = most[second, first] = each.n_items / np.sqrt(n_items[0] * n_items[1])
        ratios = np.divide(products, both, out=np.broadcast_to(most, products.shape).copy(), where=both != 0)
        return np.asarray(np.clip(ratios, -1.0, 1.0))


def _units(evaluations: Sequence[Evaluation]) -> list[Ints]:
    """The independent draw that each item of each test set belongs to, shape (N,) each: the same for an item of two.

    Groups of items that have an item in common across test sets are one draw.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 - where no test sets share items nobody waits for it
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - where no test sets share items nobody waits for it

    groups = [_groups(evaluation) for evaluation in evaluations]
    starts = np.cumsum([0, *(int(each.max()) + 1 for each in groups)])
    nodes = [each + start for each, start in zip(groups, starts[:-1], strict=True)]
    ids = np.concatenate([_ids(evaluation, place) for place, evaluation in enumerate(evaluations)])
    every = np.concatenate(nodes)
    item = np.unique(ids, return_inverse=True)[1]
    shape = (int(starts[-1]) + int(item.max()) + 1,) * 2
    links = coo_array((np.ones(every.size, dtype=np.int8), (every, starts[-1] + item)), shape=shape)
    units = connected_components(links, directed=False)[1]
    return [np.asarray(units[each], dtype=np.int64) for each in nodes]


def _groups(evaluation: Evaluation) -> Ints:
    """The group that each item belongs to, from 0 on; each is its own where items are independent."""
    if evaluation.gold.groups is None:
        return np.arange(evaluation.gold.n_items)
    return np.unique(evaluation.gold.groups, return_inverse=True)[1]


def _ids(evaluation: Evaluation, place: int) -> NDArray[np.str_]:
    """The ids of a test set's items; an id that only counts them is of no other test set."""
    telling = _telling_ids(evaluation)
    ids = evaluation.gold.item_ids or ()
    return np.array([f"+{each}" if each in telling else f"{place} {number}" for number, each in enumerate(ids)])


@dataclass(frozen=True, eq=False)
class Summary:
    """Every row's summary over the test sets, and its rank by each."""

    mean_score: Floats  # (T,): NaN where undefined. A high Borda count and a low mean rank are good
    mean_rank: Floats  # (T,)
    borda: Floats  # (T,)
    ranked: Bools  # (T,): which rows take an overall rank
    scale: Scale = SHARE  # that of the metric whose scores the mean is of: which mean scores are good
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
        places = first_places(np.stack([np.where(self.contending, values, np.nan) for values in rules]))
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
    has_mean: bool  # whether there is a mean score
    announced: str | None  # the rule that the campaign announced; None where it stated none

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
    tasks = [evaluation.task for evaluation in evaluations]
    weights, keys = [task.weight for task in tasks], [task.ranking_metric for task in tasks]
    scales = [scale_of(key.metric, task.label_set) for key, task in zip(keys, tasks, strict=True)]
    announced = OVERALL_RULES.get(tasks[0].overall or "")
    one_direction = len({scale.greater_is_better for scale in scales}) == 1
    has_mean = len(set(keys)) == 1 or (announced == "mean score" and one_direction)
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
        has_mean=has_mean,
        announced=announced,
    )


def _members(evaluations: Sequence[Evaluation], *, competing: bool) -> dict[Row, list[int]]:
    """The rows of those that compete, or of those that do not, with their entry in each test set; by name.

    A team with more than one row that competes, or that stands beside, in some test set has a row for each run; runs
    that are one entry wherever they took part are one row.
    """
    n_rows = (Counter((entry.team, entry.competes) for entry in evaluation.entries) for evaluation in evaluations)
    several = {team for n_rows_of in n_rows for (team, _), n_of_team in n_rows_of.items() if n_of_team > 1}
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


def _scores(evaluations: Sequence[Evaluation], entries: Ints) -> Floats:
    """The scores of entries, shape (T, P); NaN where there is none."""
    columns = [evaluation.scores_of(evaluation.task.ranking_metric) for evaluation in evaluations]
    parts = zip(columns, entries.T, strict=True)
    return np.stack([np.where(places >= 0, column[places], np.nan) for column, places in parts], axis=-1)
