"""How firmly the first place stands: how few items carry it.

Items with the same gold label, the same answer of the leader and the same answer of a rival are alike, so that what is
chosen is how many items of each such cell to leave out. An item counts as much as its influence on the leader's score
exceeds that on the rival's; those that count most go first, and influences and scores are computed anew after every
stride. So the number found is an upper bound of the smallest one. Source: Broderick et al. 2020.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.domain import OBSERVED, CarriedBy, Evaluation, LabelSet, Prevalence, ScoreKey
from audit.domain.answer_order import numbers_in
from audit.domain.arrays import Counts, Floats
from audit.inference.items import Items
from audit.metrics import (
    Cells,
    Margins,
    gradient_of,
    influence,
    prevalence_shares,
    row_scale,
    scale_of,
    score,
)
from audit.ranking.ranks import TIE_TOLERANCE

MOST_RIVALS = 50  # rivals for which the number of items is estimated: the best-scored ones
_MOST_TRIED = 8
_HOPELESS = 2  # times the fewest items so far: no estimate is that much too high
# of the items that seem to be needed still, a quarter is removed before influences are computed anew
_STRIDE = 4
_MOST_STRIDES = 200  # some 30 are needed; where items cease to help, the search ends
_NO_INFLUENCE = 1e-15
# decimals, of the largest gain, to which gains are compared: what differs by less is rounding
_ALIKE = 12


def carried_by(evaluation: Evaluation, key: ScoreKey, items: Items) -> CarriedBy | None:
    """How few items carry the first place by a metric.

    The rivals are the 50 entries next to the leader. Those for which the influences at hand promise the fewest items
    are tried in earnest: at most eight, and none that seems to need twice as many as another one did.
    """
    contest = Contest.of(evaluation, key)
    numbers = numbers_in(evaluation.class_order)
    candidates = [Answers.of(items, contest.leader, rival, numbers) for rival in contest.rivals]
    estimates = np.array([_estimate(contest, answers) for answers in candidates])
    best: tuple[int, Counts] | None = None
    fewest = np.inf
    for place in np.argsort(estimates, kind="stable").tolist()[:_MOST_TRIED]:
        if estimates[place] > _HOPELESS * fewest:
            break
        removed = fewest_removed(contest, candidates[place], fewest)
        if removed is not None:
            fewest = int(removed.sum())
            best = (place, removed)
    if best is None:
        return None
    place, removed = best
    return CarriedBy(contest.rivals[place], candidates[place].removed_cells(removed))


@dataclass(frozen=True, eq=False)
class Contest:
    """A contest between the first by a metric and the next, with the data that compute the metric."""

    key: ScoreKey
    prevalence: Prevalence  # the prevalence at which it scores
    label_set: LabelSet
    leader: int  # the first comparable entry
    rivals: tuple[int, ...]  # the comparable entries behind it, from the best on

    @classmethod
    def of(cls, evaluation: Evaluation, key: ScoreKey) -> "Contest":
        """The contest for the first place; at least one comparable entry has a score."""
        leader, *rivals = evaluation.contenders(key)[: MOST_RIVALS + 1]
        prevalence = next(each for each in evaluation.prevalences if each.name == key.prevalence)
        return cls(key, prevalence, evaluation.task.label_set, leader, tuple(rivals))

    def lead(self, cells: Cells) -> float:
        """The first score minus the second; above 0 where the first is better."""
        scores = score(cells, [self.key], [self.prevalence], self.label_set)[0]
        first, second = scale_of(self.key.metric, self.label_set).goodness(scores)
        return float(first - second)

    def gains(self, answers: "Answers", cells: Cells) -> Floats:
        """The lead that one item of each cell contributes, shape (U,); 0 where a score has no influence function."""
        scale = None
        if self.prevalence.name != OBSERVED.name:
            n_items = Margins.of_cells(cells).prevalence
            scale = row_scale(
                n_items, prevalence_shares(self.prevalence, n_items[0], self.label_set)
            )
        slopes = influence(
            gradient_of(self.key.metric, Margins.of_cells(cells, scale), self.label_set),
            cells,
            scale,
        )
        first = slopes.of_team(0).at(answers.gold, answers.first)
        second = slopes.of_team(1).at(answers.gold, answers.second)
        if scale_of(self.key.metric, self.label_set).greater_is_better:
            better = first - second
        else:
            better = second - first
        return np.asarray(np.nan_to_num(better, nan=0.0)[0])


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of two teams to the items of each gold class, as counts."""

    gold: Counts  # (U,): gold class and the two answers of each of the U cells that are not empty
    first: Counts  # (U,)
    second: Counts  # (U,)
    counts: Counts  # (U,): items in each cell
    n_classes: int
    place: Counts
    """(U,): the place of each cell in an order that does not depend on the labels' names."""

    @classmethod
    def of(cls, items: Items, first: int, second: int, numbers_of: Counts) -> "Answers":
        """The answers of two teams, given by their numbers, and each class's number in an order without names."""
        sample = items.sample
        n_columns = items.sample.n_classes + 1
        one, other = sample.answers(np.array([first, second]))
        numbers = (sample.gold * n_columns + one) * n_columns + other
        numbers, counts = _tally(numbers)
        rows, seconds = np.divmod(numbers, n_columns)
        gold, firsts = np.divmod(rows, n_columns)
        order = np.lexsort((numbers_of[seconds], numbers_of[firsts], numbers_of[gold]))
        place = np.argsort(order)
        return cls(gold, firsts, seconds, counts, sample.n_classes, place)

    @cached_property
    def _both(self) -> tuple[Counts, Counts]:
        """The cells of the two teams' confusions by their numbers, and where in these each answer is, shape (2, U)."""
        cell_numbers = self.gold * (self.n_classes + 1) + np.stack([self.first, self.second])
        numbers, places = np.unique(cell_numbers, return_inverse=True)
        return numbers, places.reshape(cell_numbers.shape)

    def confusions(self, counts: Counts) -> Cells:
        """The two teams' confusions, given the number of items of each cell."""
        numbers, places = self._both
        rows = [np.bincount(of_team, counts, numbers.size).astype(np.int64) for of_team in places]
        return Cells.numbered(np.stack(rows), numbers, self.n_classes).of_teams(np.arange(2))

    def removed_cells(self, removed: Counts) -> tuple[tuple[int, int, int, int], ...]:
        """The cells of which items were removed: gold, both answers, and how many."""
        is_removed = removed > 0
        return tuple(
            zip(
                *(
                    part[is_removed].tolist()
                    for part in (self.gold, self.first, self.second, removed)
                ),
                strict=True,
            )
        )


def _tally(numbers: Counts) -> tuple[Counts, Counts]:
    """The numbers that occur, ascending, and how often each does."""
    if numbers.max(initial=0) > numbers.size:
        return np.unique(numbers, return_counts=True)
    counts = np.bincount(numbers)  # sorts nothing: of few classes ten times as fast
    occurring = np.flatnonzero(counts)
    return occurring, counts[occurring]


def fewest_removed(contest: Contest, answers: Answers, fewest: float = np.inf) -> Counts | None:
    """How many items of each cell are removed so that the second team is ahead, shape (U,)."""
    remaining = answers.counts.copy()
    for _ in range(_MOST_STRIDES):
        cells = answers.confusions(remaining)
        lead = contest.lead(cells)
        if lead < -TIE_TOLERANCE:
            return np.asarray(answers.counts - remaining)
        n_removed = int((answers.counts - remaining).sum())
        order = _Order.of(answers, remaining, contest.gains(answers, cells))
        if n_removed + 1 >= fewest or not order.cells.size:
            return None
        stride = max(1, order.n_needed(lead) // _STRIDE)
        remaining[order.cells] -= np.clip(
            stride - (np.cumsum(order.able) - order.able), 0, order.able
        )
    return None


def _estimate(contest: Contest, answers: Answers) -> float:
    """How many items the influences at hand promise to be enough; infinite where they promise nothing."""
    cells = answers.confusions(answers.counts)
    order = _Order.of(answers, answers.counts, contest.gains(answers, cells))
    lead = contest.lead(cells)
    if order.gained.sum() > lead:
        return order.n_needed(lead)
    return np.inf


@dataclass(frozen=True, eq=False)
class _Order:
    """The cells whose items add to the lead, those that add most first."""

    cells: Counts
    gains: Floats  # what an item of each adds
    able: Counts
    """How many items of each can be removed if all before it are, so that every class keeps one."""

    @classmethod
    def of(cls, answers: Answers, remaining: Counts, gains: Floats) -> "_Order":
        """The order of the cells that still have removable items."""
        adding = np.flatnonzero((gains > _NO_INFLUENCE) & (remaining > 0))
        alike = np.round(gains[adding] / gains[adding].max(initial=_NO_INFLUENCE), _ALIKE)
        cells = adding[np.lexsort((answers.place[adding], -alike))]
        spare = np.bincount(answers.gold, remaining, answers.n_classes) - 1
        gold = answers.gold[cells]
        counts = remaining[cells]
        by_gold = np.argsort(gold, kind="stable")
        before = np.cumsum(counts[by_gold]) - counts[by_gold]
        starts = np.searchsorted(gold[by_gold], gold[by_gold])
        able = np.empty(len(cells), dtype=np.int64)
        able[by_gold] = np.clip(
            spare[gold[by_gold]] - (before - before[starts]), 0, counts[by_gold]
        )
        return cls(cells[able > 0], gains[cells][able > 0], able[able > 0])

    @property
    def gained(self) -> Floats:
        """The lead that all removable items of each cell add together."""
        return np.asarray(self.able * self.gains)

    def n_needed(self, lead: float) -> int:
        """How many items, from the first on, add as much as the lead; all of them where they add less."""
        gained = np.cumsum(self.gained)
        place = int(np.searchsorted(gained, lead))
        if place == len(gained):
            return int(self.able.sum())
        missing = lead - (gained[place] - self.gained[place])
        return int(self.able[:place].sum() + np.ceil(missing / self.gains[place]))
