"""The relation over the tracks of a campaign, by the mean of their scores: one family, one relation, its intervals.

CAMPAIGNS.md, section 2, with the comparisons of groups of GROUPS.md. Compared are the rows that every track compares;
tracks share items by ids that say more than their number.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from audit.domain import Comparison, Evaluation, ScoreKey
from audit.domain.arrays import Bools, Floats, Ints
from audit.domain.privacy import ItemIds
from audit.inference.comparison import Compared, Family, comparison_of_family
from audit.inference.differences import Differences, differences
from audit.inference.intervals import ends_of_entries
from audit.inference.items import Items, items_of
from audit.inference.mean_source import source_of
from audit.inference.proportion_intervals import quantile_of
from audit.inference.sums_over_tracks import (
    Cross,
    TrackPart,
    correlations_of_tracks,
    cross_covariance,
    differences_of_sum,
    family_of_sum,
    mover_ends,
)
from audit.metrics import phrase
from audit.ranking.families import Family as Tracks
from audit.text import visible
from audit.threads import in_one_thread

_MOST_VALUES = 1 << 24  # values of units of all tracks that are kept at once: 128 MB


@dataclass(frozen=True)
class SharedItems:
    """Items that two tracks have in common."""

    first: int
    second: int
    n_items: int  # how many ids are those of both; ids that only count the items are no sign


@dataclass(frozen=True, eq=False)
class OverallComparison:
    """The comparison of all rows over the tracks by one rule, and the 95% intervals of its values."""

    comparison: Comparison | None  # of all T rows; None where there is none
    make_ends: Callable[
        [], tuple[Floats, Floats]
    ]  # of the intervals, (T,) each; NaN where there is none
    reason: str = ""  # why there is neither; nothing where there is
    shared: tuple[SharedItems, ...] = ()  # tracks with items in common; all others are independent
    has_groups: bool = False  # whether items of some track come in groups

    @classmethod
    def without(
        cls, reason: str, n_rows: int, shared: tuple[SharedItems, ...] = ()
    ) -> "OverallComparison":
        """Neither comparison nor intervals, for a reason."""
        nothing = np.full(n_rows, np.nan)
        return cls(None, lambda: (nothing, nothing), reason, shared)

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        lower, upper = self.make_ends()
        return lower, upper

    @property
    def lower(self) -> Floats:
        """Lower ends of the intervals, shape (T,); NaN where there is none."""
        return self._ends[0]

    @property
    def upper(self) -> Floats:
        """Upper ends, shape (T,)."""
        return self._ends[1]

    @property
    def shown_ends(self) -> tuple[Floats, Floats]:
        """The intervals as printed: that of the first is corrected for selection, (T,) each."""
        if self.comparison is None:
            return self.lower, self.upper
        chosen_lower = self.comparison.chosen_lower
        chosen_upper = self.comparison.chosen_upper
        lower = np.where(np.isnan(chosen_lower), self.lower, chosen_lower)
        upper = np.where(np.isnan(chosen_upper), self.upper, chosen_upper)
        return lower, upper


def shared_items(evaluations: Sequence[Evaluation]) -> tuple[SharedItems, ...]:
    """The tracks that have items in common, by their ids; ids that only count them tell nothing."""
    ids = [_telling_ids(evaluation) for evaluation in evaluations]
    counted = (
        SharedItems(first, second, len(ids[first] & ids[second]))
        for first, second in combinations(range(len(ids)), 2)
    )
    return tuple(shared for shared in counted if shared.n_items)


def count_items(evaluations: Sequence[Evaluation]) -> tuple[int, int]:
    """The units of all tracks, those of several tracks counted once, and how many of them are in several."""
    tracks = Counter[str]()
    n_units = 0
    for evaluation in evaluations:
        n_units += evaluation.gold.n_units
        if evaluation.gold.n_units == evaluation.gold.n_items:
            tracks.update(_telling_ids(evaluation))
    repeated = [n_tracks for n_tracks in tracks.values() if n_tracks > 1]
    return n_units - sum(repeated) + len(repeated), len(repeated)


def _telling_ids(evaluation: Evaluation) -> frozenset[str]:
    """The ids of a track's items that do more than count them, as two tracks may both do."""
    return ItemIds.of(evaluation.gold.item_ids, evaluation.task.label_set).secret


@dataclass(frozen=True, eq=False)
class Linking:
    """Which tracks share items, and the independent draw that each item of each track belongs to."""

    shared: tuple[SharedItems, ...]
    components: Ints  # (K,): tracks that are linked by shared items have the same number
    grouped: Bools  # (K,): tracks of whose component some track has groups of items

    @classmethod
    def of(cls, evaluations: Sequence[Evaluation]) -> "Linking":
        """The links between the tracks of a campaign."""
        shared = shared_items(evaluations)
        components = np.arange(len(evaluations))
        for each in shared:
            first, second = components[[each.first, each.second]]
            components[components == max(first, second)] = min(first, second)
        has_groups = np.array([evaluation.gold.groups is not None for evaluation in evaluations])
        grouped = np.isin(components, components[has_groups])
        return cls(shared, components, grouped)

    def units(self, evaluations: Sequence[Evaluation]) -> list[Ints]:
        """The independent draw that each item of each track belongs to, shape (N,) each, from 0 on.

        Groups of items that have an item in common across tracks are one draw.
        """
        units: list[Ints] = [np.zeros(0, dtype=np.int64)] * len(evaluations)
        start = 0
        for component in np.unique(self.components).tolist():
            tracks = np.flatnonzero(self.components == component).tolist()
            of_component = _units_of_linked([evaluations[track] for track in tracks])
            for track, own in zip(tracks, of_component, strict=True):
                units[track] = own + start
            start += 1 + max(int(own.max()) for own in of_component)
        return units


def _units_of_linked(evaluations: Sequence[Evaluation]) -> list[Ints]:
    """The draw that each item belongs to, in tracks that are linked, from 0 on."""
    groups = [_groups(evaluation) for evaluation in evaluations]
    if len(groups) == 1:
        return groups
    from scipy.sparse import coo_array  # noqa: PLC0415 - where no tracks share items nobody waits for it
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - likewise

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
    """The ids of a track's items; an id that only counts them is of no other track."""
    telling = _telling_ids(evaluation)
    ids = evaluation.gold.item_ids or ()
    return np.array(
        [f"+{each}" if each in telling else f"{place} {number}" for number, each in enumerate(ids)]
    )


class CampaignMeans:
    """Comparisons of the rows of a campaign by weighted means over all of its tracks, or over some of them.

    What each track adds is found once for each score.
    """

    def __init__(self, tracks: Tracks) -> None:
        self.tracks = tracks
        self._parts: dict[tuple[int, ScoreKey], TrackInputs] = {}
        self._answers: dict[int, tuple[Evaluation, Items]] = {}
        self._crossed: dict[tuple[tuple[int, ScoreKey], tuple[int, ScoreKey]], Floats] = {}

    @cached_property
    def linking(self) -> Linking:
        """Which tracks share items."""
        return Linking.of(self.tracks.evaluations)

    @cached_property
    def units(self) -> list[Ints]:
        """The draw that each item of each track belongs to."""
        return self.linking.units(self.tracks.evaluations)

    @property
    def has_groups(self) -> bool:
        """Whether items of some track come in groups, so that signs of whole units decide."""
        return bool(self.linking.grouped.any())

    def reason(self, tracks: Tracks) -> str:
        """Why mean scores cannot be compared; nothing where some can."""
        if np.isnan(tracks.summary.mean_score).all():
            return "there is no mean score"
        if any(evaluation.certainty is None for evaluation in tracks.evaluations):
            return "the certainty of a track was left out"
        if any(evaluation.kept_answers is None for evaluation in tracks.evaluations):
            return "what each item of a track adds was not kept"
        for place, key in zip(tracks.places, tracks.keys, strict=True):
            part = self.part(place, key)
            if part.has_entries and not part.differences.teams.size:
                return part.why_unknown
        return ""

    def part(self, place: int, key: ScoreKey) -> "TrackInputs":
        """What one track adds to the means, by one score."""
        if (place, key) not in self._parts:
            self._parts[place, key] = self._inputs(place, key)
        return self._parts[place, key]

    def _inputs(self, place: int, key: ScoreKey) -> "TrackInputs":
        """The differences of a track's entries; by units where some track has groups, or shares them with one."""
        evaluation, items = self._answers_of(place)
        column = self.tracks.entries[:, place]
        entries = np.unique(column[column >= 0])
        found = differences(evaluation, key, items, entries)
        return TrackInputs(evaluation, key, items, found, self.has_groups, bool(entries.size))

    def _answers_of(self, place: int) -> tuple[Evaluation, Items]:
        """A track with the answers of all entries; its groups are units of the campaign where signs decide."""
        if place not in self._answers:
            evaluation = self.tracks.evaluations[place]
            if self.has_groups:
                evaluation = replace(
                    evaluation, gold=replace(evaluation.gold, groups=self.units[place])
                )
            assert evaluation.kept_answers is not None  # noqa: S101 - there is a reason where it is
            self._answers[place] = evaluation, items_of(evaluation, evaluation.kept_answers)
        return self._answers[place]

    def cross(self, names: "Sequence[tuple[int, ScoreKey]]") -> Cross:
        """S_kl of every two tracks that are linked, for all entries of the two, (t, u) each.

        Tracks are named by their place and a score; pairs are numbered as they are named.
        """
        components = self.linking.components
        kept: dict[int, Floats] = {}
        cross = {}
        for first, second in combinations(range(len(names)), 2):
            both = (names[first], names[second])
            if components[both[0][0]] != components[both[1][0]]:
                continue
            if both not in self._crossed:
                if sum(each.size for each in kept.values()) > _MOST_VALUES:
                    kept.clear()
                for one in (first, second):
                    if one not in kept:
                        kept[one] = self.part(*names[one]).values
                first_units, second_units = (
                    self.part(*name).unit_names(self.units[name[0]]) for name in both
                )
                _, at_first, at_second = np.intersect1d(
                    first_units, second_units, return_indices=True
                )
                self._crossed[both] = _rectangular(
                    kept[first][:, at_first], kept[second][:, at_second]
                )
            cross[first, second] = self._crossed[both]
        return cross

    @in_one_thread
    def compare(self, tracks: Tracks | None = None) -> OverallComparison:
        """The comparison by the mean scores of the tracks as they are summed up."""
        tracks = tracks or self.tracks
        shared = self.linking.shared
        reason = self.reason(tracks)
        if reason:
            return OverallComparison.without(reason, len(tracks.rows), shared)
        of_tracks = [
            self.part(place, key) for place, key in zip(tracks.places, tracks.keys, strict=True)
        ]
        rows = _rows_in_all(tracks, of_tracks)
        weights = np.array(tracks.weights) / sum(tracks.weights)
        parts, cross = self._of_rows(tracks, of_tracks, rows)
        sums = _Sums(tracks, of_tracks, parts, cross, weights, rows, self._most(tracks.places))
        if sums.compared.any():
            comparison = sums.comparison()
        else:
            comparison = None
        return OverallComparison(
            comparison, sums.intervals, shared=shared, has_groups=self.has_groups
        )

    def _of_rows(
        self, tracks: Tracks, of_tracks: "Sequence[TrackInputs]", rows: Ints
    ) -> tuple[list[TrackPart], Cross]:
        """What each track adds to the differences of some rows, and what two tracks share of them."""
        columns = zip(of_tracks, tracks.entries[rows].T, strict=True)
        own = [np.searchsorted(each.differences.teams, column) for each, column in columns]
        parts = [
            TrackPart(
                each.differences.at(at),
                int(self.linking.components[place]),
                each.n_groups,
                not self.linking.grouped[place],
            )
            for each, at, place in zip(of_tracks, own, tracks.places, strict=True)
        ]
        crossed = self.cross(list(zip(tracks.places, tracks.keys, strict=True)))
        of_rows = {
            pair: shared[np.ix_(own[pair[0]], own[pair[1]])] for pair, shared in crossed.items()
        }
        return parts, of_rows

    def _most(self, places: Sequence[int]) -> Floats:
        """The correlation of scores that have so many items in common, were each item's part the same, (K, K)."""
        n_items = np.array([self.tracks.evaluations[place].gold.n_items for place in places])
        most = np.zeros((len(places), len(places)))
        for each in self.linking.shared:
            if each.first in places and each.second in places:
                first = places.index(each.first)
                second = places.index(each.second)
                share = each.n_items / np.sqrt(n_items[first] * n_items[second])
                most[first, second] = most[second, first] = share
        return most


def _rectangular(first: Floats, second: Floats) -> Floats:
    """Ψ_k Ψ_lᵀ over shared units, of tracks that need not have as many entries, shape (t, u)."""
    n_rows = max(len(first), len(second))
    padded = [np.pad(each, ((0, n_rows - len(each)), (0, 0))) for each in (first, second)]
    return cross_covariance(*padded)[: len(first), : len(second)]


def _rows_in_all(tracks: Tracks, of_tracks: "Sequence[TrackInputs]") -> Ints:
    """The rows with a mean score of which every track says how it varies."""
    able = tracks.summary.ranked & ~np.isnan(tracks.summary.mean_score)
    for each, column in zip(of_tracks, tracks.entries.T, strict=True):
        able = able & np.isin(column, each.differences.teams)
    return np.flatnonzero(able)


@dataclass(frozen=True, eq=False)
class TrackInputs:
    """One track by one score: its differences, and what each of its units adds."""

    evaluation: Evaluation
    key: ScoreKey
    items: Items  # the answers of all entries
    differences: Differences  # of all entries of rows that have an influence function
    by_groups: bool  # whether units of the campaign are its groups of items
    has_entries: bool  # whether some row has an entry

    @property
    def n_groups(self) -> int:
        """Groups of items; 0 where items are independent."""
        groups = self.evaluation.gold.groups
        if groups is None:
            return 0
        return int(np.unique(groups).size)

    @property
    def why_unknown(self) -> str:
        """Why nothing is known of any entry's differences."""
        task = self.evaluation.task
        track = visible(task.part or task.slug, 80)
        if self.n_groups == 1:
            return f"all items of {track} are in one group"
        return f"nothing says what each item of {track} adds to {phrase(self.key, task.label_set)}"

    @property
    def values(self) -> Floats:
        """How far each unit moves each score, shape (t, U)."""
        source = source_of(self.evaluation, self.key, self.items, self.differences.teams)
        if self.by_groups:
            return source.by_group
        return source.by_item

    def unit_names(self, units: Ints) -> Ints:
        """The units of the campaign that these values are of, shape (U,)."""
        if self.by_groups:
            return np.unique(units)
        return units


@dataclass(frozen=True, eq=False)
class _Sums:
    """Weighted means of t rows that took part in all tracks, and all that follows."""

    tracks: Tracks
    of_tracks: Sequence[TrackInputs]
    parts: list[TrackPart]
    cross: Cross
    weights: Floats  # (K,): they sum to 1
    rows: Ints  # (t,)
    most: Floats  # (K, K)

    @cached_property
    def greater_is_better(self) -> bool:
        """Whether a higher mean is better."""
        return self.tracks.summary.scale.greater_is_better

    @cached_property
    def goodness(self) -> Floats:
        """The mean scores, turned so that higher is better, shape (T,)."""
        means = self.tracks.summary.mean_score
        if self.greater_is_better:
            return means
        return -means

    @cached_property
    def correlations(self) -> Floats:
        """Correlations of each row's scores in every two tracks, shape (T, K, K); NaN where it is not known."""
        n_tracks = len(self.of_tracks)
        found = np.broadcast_to(
            np.eye(n_tracks), (len(self.tracks.rows), n_tracks, n_tracks)
        ).copy()
        for first, second in self.cross:
            found[:, first, second] = found[:, second, first] = np.nan
        if self.rows.size:
            found[self.rows] = correlations_of_tracks(self.parts, self.cross, self.most)
        return found

    def intervals(self) -> tuple[Floats, Floats]:
        """MOVER of the tracks' printed ends, shape (T,) each."""
        ends = []
        tracks = self.tracks
        for evaluation, key, column in zip(
            tracks.evaluations, tracks.keys, tracks.entries.T, strict=True
        ):
            certainty = evaluation.certainty
            assert certainty is not None  # noqa: S101 - there is a reason where it is
            row = evaluation.row(key)
            has_interval = (column >= 0) & evaluation.whole[column]
            own = np.stack(
                [certainty.intervals.lower[row, column], certainty.intervals.upper[row, column]]
            )
            ends.append(np.where(has_interval, own, np.nan))
        return self._mover(np.stack(ends, axis=-1), np.arange(len(self.tracks.rows)))

    def _mover(self, ends: Floats, rows: Ints) -> tuple[Floats, Floats]:
        """The interval of some rows' means, given the ends in each track, shape (2, t, K)."""
        scores = self.tracks.scores[rows]
        distances = self.weights * np.abs(ends - scores)
        return mover_ends(self.tracks.summary.mean_score[rows], distances, self.correlations[rows])

    @cached_property
    def compared(self) -> Bools:
        """Which of the t rows every track compares."""
        able = np.ones(len(self.rows), dtype=bool)
        for each, column in zip(self.of_tracks, self.tracks.entries[self.rows].T, strict=True):
            able &= each.evaluation.comparable[column]
        return able

    @cached_property
    def order(self) -> Ints:
        """The compared rows in an order that follows from their answers alone, shape (t,)."""
        rows = self.rows[self.compared]
        places = []
        for each, column in zip(self.of_tracks, self.tracks.entries[rows].T, strict=True):
            rank = np.empty(len(each.evaluation.entries), dtype=np.int64)
            rank[each.evaluation.answer_order] = np.arange(len(rank))
            places.append(rank[column])
        return np.lexsort(places[::-1])

    def comparison(self) -> Comparison:
        """All pairs of the rows that every track compares."""
        whole = replace(self._differences(np.arange(len(self.rows))), teams=self.rows)
        rows = self.rows[self.compared]
        family = self._family(np.flatnonzero(self.compared))
        ranks = self.tracks.summary.ranks["mean score"]
        key = self.tracks.keys[0]
        n_above = self._uncompared_above(ranks, rows)
        in_order = rows[self.order]
        leader = int(in_order[np.argmin(ranks[in_order])])
        compared = Compared(len(ranks), rows, ranks[rows], n_above, leader)
        found = comparison_of_family(key, compared, family, whole, self.goodness[self.rows])
        lower, upper = self._chosen_ends(family, rows, ranks, leader)
        return replace(found, chosen_lower=lower, chosen_upper=upper)

    def _differences(self, some: Ints) -> Differences:
        """The differences of the means of some of the t rows."""
        parts = [replace(part, differences=part.differences.at(some)) for part in self.parts]
        cross = {pair: shared[np.ix_(some, some)] for pair, shared in self.cross.items()}
        return differences_of_sum(parts, cross, self.weights, self.goodness[self.rows[some]])

    def _family(self, some: Ints) -> Family:
        """The compared rows with their draws."""
        parts = [replace(part, differences=part.differences.at(some)) for part in self.parts]
        cross = {pair: shared[np.ix_(some, some)] for pair, shared in self.cross.items()}
        seed = self.tracks.evaluations[0].options.seed
        rows = self.rows[some]
        family = family_of_sum(parts, cross, self.weights, self.goodness[rows], self.order, seed)
        return replace(family, differences=replace(family.differences, teams=rows))

    def _uncompared_above(self, ranks: Ints, rows: Ints) -> Ints:
        """How many rows with a rank that are in no pair stand above each, shape (t,)."""
        uncompared = self.tracks.summary.ranked & ~np.isnan(self.goodness)
        uncompared[rows] = False
        above = np.searchsorted(np.sort(ranks[uncompared]), ranks[rows], side="left")
        return np.asarray(above, dtype=np.int64)

    def _chosen_ends(
        self, family: Family, rows: Ints, ranks: Ints, leader: int
    ) -> tuple[Callable[[object], Floats], Callable[[object], Floats]]:
        """What makes the ends of the intervals of who is first, the worse end corrected for the choice."""
        places = np.flatnonzero(ranks[rows] == ranks[leader])
        corrected = family.chosen_quantile(places)
        first = rows[places]

        def ends(side: int, _: object, *, is_worse: bool) -> Floats:
            of_all = np.full(len(ranks), np.nan)
            own = list[Floats]()
            tracks = self.tracks
            for evaluation, key, column in zip(
                tracks.evaluations, tracks.keys, tracks.entries[first].T, strict=True
            ):
                assert evaluation.kept_answers is not None  # noqa: S101 - there is a reason where it is
                items = items_of(evaluation, evaluation.kept_answers)
                usual = quantile_of(items.n_groups)
                if is_worse:
                    quantile = max(corrected, usual)
                else:
                    quantile = usual
                own.append(np.stack(ends_of_entries(evaluation, key, column, items, quantile)))
            of_all[first] = self._mover(np.stack(own, axis=-1), first)[side]
            return of_all

        greater = self.greater_is_better
        return partial(ends, 0, is_worse=greater), partial(ends, 1, is_worse=not greater)
