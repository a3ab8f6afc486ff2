"""The relation over the tracks of a campaign by mean ranks or Borda counts: by expected ones.

The scores of every track are redrawn about those observed, ranked, and summed up; the rows are compared by the
covariance of their redrawn mean ranks. A rank counts a hair like a mile: what is estimated is not the mean rank in
endless test sets, but what a row gets on average over test sets as large as these.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from audit.domain import ScoreKey
from audit.domain.arrays import Counts, Floats, Ints
from audit.domain.certainty import ONE_PAIR
from audit.inference.comparison import Compared, Family, comparison_of_family, drawn_in_order
from audit.inference.differences import Differences
from audit.inference.gaussian import N_DRAWS
from audit.inference.over_tracks import CampaignMeans, OverallComparison, SharedItems, TrackInputs
from audit.inference.sources import variances
from audit.inference.sums_over_tracks import Cross, cross_covariance
from audit.metrics import scale_of
from audit.ranking.families import Family as Tracks
from audit.text import visible
from audit.threads import in_one_thread

INFLATED = 3.0
"""Factor of the variance of redrawn scores: those about which is drawn were drawn themselves."""

WIDENED = 4 / 3
"""Factor of the variance of redrawn mean ranks, chosen by simulation together with the other one."""

MEAN_RANK = "mean rank"
BORDA = "Borda count"


@dataclass(frozen=True, eq=False)
class RankedTrack:
    """The n rows that are ranked in one track, and how their scores vary."""

    rows: Ints  # (n,): which rows of the campaign these are
    goodness: Floats  # (n,): their scores; more is better
    covariance: Floats  # (n, n): of these scores
    null: Floats
    """(n, n): variance of each difference that small samples lack under "no difference"."""
    order: Counts  # (n,): the rows in an order that follows from their answers alone

    @cached_property
    def least_null(self) -> Floats:
        """Variance of each row's own that small samples lack: of its smallest difference, shape (n,)."""
        if len(self.rows) < 2:  # noqa: PLR2004 - nobody to differ from
            return np.zeros(len(self.rows))
        least = np.where(np.eye(len(self.rows), dtype=bool), np.inf, self.null).min(axis=1)
        if len(self.rows) == 2:  # noqa: PLR2004 - the two rows share it
            return np.asarray(least / 2)
        return np.asarray(least)


def mid_ranks(goodness: Floats) -> Floats:
    """Ranks from 1 on down each column, the highest first, shape (n, B); level ones share their mean.

    >>> mid_ranks(np.array([[0.5, 0.1], [0.7, 0.1]])).tolist()
    [[2.0, 1.5], [1.0, 1.5]]
    """
    if not len(goodness):
        return np.zeros(goodness.shape)
    order = np.argsort(-goodness, axis=0, kind="stable")
    ordered = np.take_along_axis(goodness, order, axis=0)
    places = np.arange(len(goodness))[:, None]
    differs = ordered[1:] != ordered[:-1]
    edge = np.ones((1, goodness.shape[1]), dtype=bool)
    starts = np.concatenate([edge, differs])
    ends = np.concatenate([differs, edge])
    first = np.maximum.accumulate(np.where(starts, places, 0), axis=0)
    last = np.minimum.accumulate(np.where(ends, places, len(goodness))[::-1], axis=0)[::-1]
    ranks = np.empty(goodness.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=0)
    return ranks


def redrawn_ranks(tracks: Sequence[RankedTrack], cross: Cross, seed: Sequence[int]) -> list[Floats]:
    """Mid-ranks of redrawn scores, shape (n, B) each, in tracks whose errors are correlated: S_kl of tracks k < l.

    A row's score is s + √3·Z, Z normal with the stacked covariance, and what small samples lack.
    """
    starts = np.cumsum([0, *(len(each.rows) for each in tracks)])
    stacked = np.zeros((int(starts[-1]),) * 2)
    for each, start in zip(tracks, starts[:-1], strict=True):
        own = slice(start, start + len(each.rows))
        stacked[own, own] = each.covariance
    for (first, second), shared in cross.items():
        of_first = slice(starts[first], starts[first + 1])
        of_second = slice(starts[second], starts[second + 1])
        stacked[of_first, of_second] = shared
        stacked[of_second, of_first] = shared.T
    order = np.concatenate(
        [each.order + start for each, start in zip(tracks, starts[:-1], strict=True)]
    )
    own_seed = int(np.random.default_rng([*seed, *b"ranks"]).integers(1 << 31))
    errors = drawn_in_order(order, stacked, own_seed, 0).astype(np.float64)
    normal = np.random.default_rng([*seed, *b"null"]).standard_normal((len(order), N_DRAWS))
    least = np.concatenate([each.least_null for each in tracks])
    errors[order] += np.sqrt(least[order])[:, None] * normal
    goodness = np.concatenate([each.goodness for each in tracks])
    redrawn = goodness[:, None] + np.sqrt(INFLATED) * errors
    return [mid_ranks(redrawn[start:end]) for start, end in pairwise(starts)]


@dataclass(frozen=True, eq=False)
class RankFamily(Family):
    """Rows that are compared by ranks: who is ahead of whom in every track is ahead."""

    # (t, t): the largest p over the tracks of such a pair, else 1
    in_every_track: Floats | None = None

    @cached_property
    def adjusted_p(self) -> Floats:
        """Adjusted two-sided p of every pair, shape (t, t)."""
        adjusted = self._adjusted_p(self.t)
        if self.in_every_track is None:
            return adjusted
        return np.minimum(adjusted, self.in_every_track)


def family_of_ranks(  # noqa: PLR0913, PLR0917 - the rows, and how their mean ranks vary
    values: Floats,
    redrawn: Floats,
    smallest: float,
    unidentified: Floats,
    in_every_track: Floats | None,
    order: Counts,
    seed: int,
) -> RankFamily:
    """The t rows that are compared by their mean ranks, or by Borda counts; of the values more is better, shape (t,).

    Redrawn mean ranks have shape (t, B). Two rows differ by `smallest` at least, or not at all.
    """
    n_draws = redrawn.shape[1]
    centred = redrawn - redrawn.mean(axis=1, keepdims=True)
    covariance = cross_covariance(centred, centred) / (n_draws - 1)  # Σ*
    differ = values[:, None] != values
    variance = variances(covariance)  # V*_ab
    variance = np.where(differ, np.maximum(variance, smallest**2 / n_draws), variance)
    np.fill_diagonal(variance, 0.0)
    among = Differences(
        np.arange(len(values)),
        covariance,
        np.sqrt(variance),
        np.sqrt(WIDENED * variance),
        unidentified,
    )
    family = Family.of(values, among, seed, 0, order)
    return RankFamily(values, among, family.draws, 0, seed, order, in_every_track)


class CampaignRanks:
    """Comparisons of the rows of a campaign by mean ranks and Borda counts over all of its tracks, or some of them.

    The ranks of each track are redrawn once for each score.
    """

    def __init__(self, means: CampaignMeans) -> None:
        self._means = means
        self._redrawn: dict[tuple[tuple[int, ScoreKey], ...], list[Floats]] = {}

    def reason(self, tracks: Tracks) -> str:
        """Why ranks cannot be compared; nothing where some can."""
        if any(evaluation.certainty is None for evaluation in tracks.evaluations):
            return "the certainty of a track was left out"
        if any(evaluation.kept_answers is None for evaluation in tracks.evaluations):
            return "what each item of a track adds was not kept"
        if self._means.has_groups:
            return "items come in groups, for which no test of ranks has been validated"
        for place, key, column in zip(tracks.places, tracks.keys, tracks.entries.T, strict=True):
            track = self._means.part(place, key)
            if track.has_entries and not track.differences.teams.size:
                return track.why_unknown
            took_part = column >= 0
            unknown = took_part & ~np.isin(column, track.differences.teams)
            if unknown.any():
                task = track.evaluation.task
                name = visible(tracks.rows[int(np.flatnonzero(unknown)[0])].name, 40)
                return f"nothing says how the score of {name} in {visible(task.part or task.slug, 80)} varies"
        return ""

    @in_one_thread
    def compare(self, rule: str, tracks: Tracks | None = None) -> OverallComparison:
        """The comparison by mean ranks or Borda counts of the tracks as they are summed up."""
        tracks = tracks or self._means.tracks
        shared = self._means.linking.shared
        reason = self.reason(tracks)
        rows = self._rows(tracks)
        if not reason and rows.size < 2:  # noqa: PLR2004 - a pair
            reason = "fewer than two can be compared"
        if reason:
            return OverallComparison.without(reason, len(tracks.rows), shared)
        mean_ranks = self._mean_ranks(tracks)
        inputs = self._inputs(tracks)
        return _Ranks(rule, tracks, rows, mean_ranks, inputs, shared).comparison()

    def _inputs(self, tracks: Tracks) -> list[TrackInputs]:
        return [
            self._means.part(place, key)
            for place, key in zip(tracks.places, tracks.keys, strict=True)
        ]

    @staticmethod
    def _rows(tracks: Tracks) -> Ints:
        """The rows with an overall rank that every track which has them compares."""
        able = tracks.summary.ranked & ~np.isnan(tracks.summary.mean_rank)
        for evaluation, column in zip(tracks.evaluations, tracks.entries.T, strict=True):
            able = able & ((column < 0) | evaluation.comparable[column])
        return np.flatnonzero(able)

    def _mean_ranks(self, tracks: Tracks) -> Floats:
        """Redrawn mean ranks of all rows, shape (T, B); who skipped a track has the last rank there."""
        components = self._means.linking.components[list(tracks.places)]
        weights = np.array(tracks.weights) / sum(tracks.weights)
        total = np.zeros((len(tracks.rows), N_DRAWS))
        for component in dict.fromkeys(components.tolist()):
            some = np.flatnonzero(components == component).tolist()
            for track, ranks in zip(some, self._redrawn_of(tracks, some, component), strict=True):
                present = tracks.entries[:, track] >= 0
                total[present] += weights[track] * ranks
                total[~present] += weights[track] * (present.sum() + (1 + (~present).sum()) / 2)
        return total

    def _redrawn_of(self, tracks: Tracks, some: Sequence[int], component: int) -> list[Floats]:
        """Redrawn ranks of tracks that are linked; made once."""
        names = tuple((tracks.places[track], tracks.keys[track]) for track in some)
        if names not in self._redrawn:
            ranked = [
                self._ranked(tracks, track, name) for track, name in zip(some, names, strict=True)
            ]
            seed = [tracks.evaluations[0].options.seed, component]
            self._redrawn[names] = redrawn_ranks(ranked, self._cross(tracks, some, names), seed)
        return self._redrawn[names]

    def _ranked(self, tracks: Tracks, track: int, name: tuple[int, ScoreKey]) -> RankedTrack:
        """The rows that took part in a track, with what is known of their scores there."""
        part = self._means.part(*name)
        rows = np.flatnonzero(tracks.entries[:, track] >= 0)
        entries = tracks.entries[rows, track]
        own = part.differences.at(np.searchsorted(part.differences.teams, entries))
        null = np.maximum(own.error**2 - own.spread**2, 0.0)
        scale = scale_of(name[1].metric, part.evaluation.task.label_set)
        goodness = scale.goodness(tracks.scores[rows, track])
        place = np.empty(len(part.evaluation.entries), dtype=np.int64)
        place[part.evaluation.answer_order] = np.arange(len(place))
        order = np.argsort(place[entries], kind="stable")
        return RankedTrack(rows, goodness, own.covariance, null, order)

    def _cross(
        self, tracks: Tracks, some: Sequence[int], names: Sequence[tuple[int, ScoreKey]]
    ) -> Cross:
        """S_kl of the rows' goodness in every two of some tracks, (n, m) each."""
        places = []
        signs = []
        for track, name in zip(some, names, strict=True):
            part = self._means.part(*name)
            column = tracks.entries[:, track]
            places.append(np.searchsorted(part.differences.teams, column[column >= 0]))
            scale = scale_of(name[1].metric, part.evaluation.task.label_set)
            signs.append(1 if scale.greater_is_better else -1)
        cross = {}
        for (first, second), shared in self._means.cross(names).items():
            sign = signs[first] * signs[second]
            cross[first, second] = sign * shared[np.ix_(places[first], places[second])]
        return cross


@dataclass(frozen=True, eq=False)
class _Ranks:
    """The t rows that are compared by one rule of ranks, and all that follows."""

    rule: str
    tracks: Tracks
    rows: Ints  # (t,)
    mean_ranks: Floats  # (T, B): redrawn ones
    inputs: Sequence[TrackInputs]
    shared: tuple[SharedItems, ...]

    @property
    def is_high_good(self) -> bool:
        """Whether a high value is a good one."""
        return self.rule == BORDA

    @property
    def unit(self) -> float:
        """How much the rule's value changes with the mean rank: Borda counts are sums over the tracks."""
        if self.rule == BORDA:
            return sum(self.tracks.weights)
        return 1.0

    @property
    def weights(self) -> Floats:
        """The weights of the tracks, which sum to 1, shape (K,)."""
        return np.array(self.tracks.weights) / sum(self.tracks.weights)

    @cached_property
    def values(self) -> Floats:
        """The rule's values of all rows, turned so that higher is better, shape (T,)."""
        return self.tracks.summary.rules[self.rule]

    @cached_property
    def family(self) -> RankFamily:
        """The compared rows with draws of the errors of their values."""
        found = family_of_ranks(
            self.values[self.rows],
            self.unit * self.mean_ranks[self.rows],
            self.unit * float(self.weights.min()),
            self.unidentified(),
            self.in_every_track(),
            self.order(),
            self.tracks.evaluations[0].options.seed,
        )
        return replace(found, differences=replace(found.differences, teams=self.rows))

    def comparison(self) -> OverallComparison:
        """All pairs, and the interval of every value."""
        rows = self.rows
        family = self.family
        ranks = self.tracks.summary.ranks[self.rule]
        leader = int(rows[self.order()][np.argmin(ranks[rows[self.order()]])])
        uncompared = self.tracks.summary.ranked & ~np.isnan(self.values)
        uncompared[rows] = False
        n_above = np.searchsorted(np.sort(ranks[uncompared]), ranks[rows], side="left")
        compared = Compared(
            len(ranks), rows, ranks[rows], np.asarray(n_above, dtype=np.int64), leader
        )
        found = comparison_of_family(
            self.tracks.keys[0], compared, family, family.differences, self.values[rows]
        )
        first = np.flatnonzero(ranks[rows] == ranks[leader])
        lower, upper = self.ends(ONE_PAIR)
        worse_lower, worse_upper = self.ends(max(ONE_PAIR, family.chosen_quantile(first)))
        chosen_lower, chosen_upper = (np.full(len(ranks), np.nan) for _ in range(2))
        leaders = rows[first]
        if self.is_high_good:
            worse_upper = upper
        else:
            worse_lower = lower
        chosen_lower[leaders] = worse_lower[leaders]
        chosen_upper[leaders] = worse_upper[leaders]
        found = replace(found, chosen_lower=chosen_lower, chosen_upper=chosen_upper)
        return OverallComparison(found, partial(self.ends, ONE_PAIR), shared=self.shared)

    def ends(self, quantile: float) -> tuple[Floats, Floats]:
        """Ends of the intervals of the rule's values, within what it can give, shape (T,) each."""
        n_ranked = (self.tracks.entries >= 0).sum(axis=0)
        if self.tracks.skipped == "last":
            n_ranked = np.full(len(n_ranked), len(self.tracks.rows))
        most = float(self.weights @ n_ranked)
        least = 1.0
        if self.rule == BORDA:
            least, most = 0.0, self.unit * (most - 1)
        printed = np.abs(self.values[self.rows])
        error = np.sqrt(WIDENED * np.diagonal(self.family.differences.covariance))
        lower, upper = (np.full(len(self.tracks.rows), np.nan) for _ in range(2))
        lower[self.rows] = np.maximum(printed - quantile * error, least)
        upper[self.rows] = np.minimum(printed + quantile * error, most)
        return lower, upper

    def order(self) -> Ints:
        """The compared rows in an order that follows from their answers alone, shape (t,)."""
        places = []
        for part, column in zip(self.inputs, self.tracks.entries[self.rows].T, strict=True):
            rank = np.empty(len(part.evaluation.entries) + 1, dtype=np.int64)
            rank[part.evaluation.answer_order] = np.arange(len(rank) - 1)
            rank[-1] = len(rank)  # of who took no part
            places.append(rank[column])
        return np.lexsort(places[::-1])

    def unidentified(self) -> Floats:
        """What the column's value could gain if its score in each track were as much higher as is open, (t, t)."""
        gained = np.zeros(len(self.tracks.rows))
        for track, part in enumerate(self.inputs):
            column = self.tracks.entries[:, track]
            present = np.flatnonzero(column >= 0)
            addable = part.differences.unidentified.max(axis=0, initial=0.0)
            more = addable[np.searchsorted(part.differences.teams, column[present])]
            scale = scale_of(part.key.metric, part.evaluation.task.label_set)
            goodness = scale.goodness(self.tracks.scores[present, track])
            for place in np.flatnonzero(more > 0).tolist():
                raised = goodness.copy()
                raised[place] += more[place]
                both = np.stack([goodness, raised], axis=1)
                before, after = mid_ranks(both)[place]
                gained[present[place]] += self.weights[track] * (before - after)
        of_rows = self.unit * gained[self.rows]
        return np.broadcast_to(of_rows, (len(of_rows), len(of_rows))).copy()

    def in_every_track(self) -> Floats | None:
        """The largest p over the tracks of each pair of which one is ahead in every track, shape (t, t); else 1."""
        largest = np.zeros((len(self.rows), len(self.rows)))
        is_ahead = np.ones(largest.shape, dtype=bool)
        for part, column in zip(self.inputs, self.tracks.entries[self.rows].T, strict=True):
            certainty = part.evaluation.certainty
            if certainty is None or part.key != part.evaluation.task.ranking_metric:
                return None
            comparison = certainty.comparison(part.key)
            if comparison is None:
                return None
            square = np.ix_(column, column)
            took_part = column >= 0
            is_ahead &= comparison.ahead[square] & took_part[:, None] & took_part
            largest = np.maximum(largest, comparison.adjusted_p[square])
        is_ahead |= is_ahead.T
        return np.where(is_ahead, largest, 1.0)
