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
    """The fewest items found without which another team ranks first by a metric.

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
        prevalence = evaluation.prevalence_of(key)
        return cls(key, prevalence, evaluation.task.label_set, leader, tuple(rivals))

    def lead(self, cells: Cells) -> float:
        """The first score minus the second; above 0 where the first is better."""
        scores = score(cells, [self.key], [self.prevalence], self.label_set)[0]
        first, second = scale_of(self.key.metric, self.label_set).goodness(scores)
        return float(first - second)

    def gains(self, answers: "Answers", cells: Cells) -> Floats:
        """The lead that one item of each cell contributes, ψ_leader − ψ_rival, shape (U,).

        0 where a score has no influence function.
        """
        scale = None
        if self.prevalence.name != OBSERVED.name:
            n_items = Margins.of_cells(cells).prevalence
            shares = prevalence_shares(self.prevalence, n_items[0], self.label_set)
            scale = row_scale(n_items, shares)
        gradient = gradient_of(self.key.metric, Margins.of_cells(cells, scale), self.label_set)
        slopes = influence(gradient, cells, scale)
        first = slopes.of_team(0).at(answers.gold, answers.first)
        second = slopes.of_team(1).at(answers.gold, answers.second)
        lead = first - second
        if not scale_of(self.key.metric, self.label_set).greater_is_better:
            lead = second - first
        return np.asarray(np.nan_to_num(lead, nan=0.0)[0])


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
        n_answers = sample.n_classes + 1
        of_first, of_second = sample.answers(np.array([first, second]))
        cell_of_item = (sample.gold * n_answers + of_first) * n_answers + of_second
        cells, counts = _tally(cell_of_item)
        rows, second_answers = np.divmod(cells, n_answers)
        gold, first_answers = np.divmod(rows, n_answers)
        order = np.lexsort(
            (numbers_of[second_answers], numbers_of[first_answers], numbers_of[gold])
        )
        place = np.argsort(order)
        return cls(gold, first_answers, second_answers, counts, sample.n_classes, place)

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
        columns = np.stack([self.gold, self.first, self.second, removed], axis=-1)
        return tuple(
            (gold, first, second, count)
            for gold, first, second, count in columns[removed > 0].tolist()
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
            return answers.counts - remaining
        n_removed = int((answers.counts - remaining).sum())
        order = _Order.of(answers, remaining, contest.gains(answers, cells))
        if n_removed + 1 >= fewest or not order.cells.size:
            return None
        stride = max(1, order.n_needed(lead) // _STRIDE)
        n_before = np.cumsum(order.able) - order.able
        remaining[order.cells] -= np.clip(stride - n_before, 0, order.able)
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
        largest = gains[adding].max(initial=_NO_INFLUENCE)
        gain_classes = np.round(gains[adding] / largest, _ALIKE)
        cells = adding[np.lexsort((answers.place[adding], -gain_classes))]

        # of a class all items but one can go, those of the first cells first
        n_spare = np.bincount(answers.gold, remaining, answers.n_classes) - 1
        by_gold = np.argsort(answers.gold[cells], kind="stable")
        gold = answers.gold[cells][by_gold]
        counts = remaining[cells][by_gold]
        n_before = np.cumsum(counts) - counts
        n_before_of_class = n_before - n_before[np.searchsorted(gold, gold)]
        able = np.empty(len(cells), dtype=np.int64)
        able[by_gold] = np.clip(n_spare[gold] - n_before_of_class, 0, counts)
        is_able = able > 0
        return cls(cells[is_able], gains[cells][is_able], able[is_able])

    @property
    def gained(self) -> Floats:
        """The lead that all removable items of each cell add together."""
        return self.able * self.gains

    def n_needed(self, lead: float) -> int:
        """How many items, from the first on, add as much as the lead; all of them where they add less."""
        gained = np.cumsum(self.gained)
        place = int(np.searchsorted(gained, lead))
        if place == len(gained):
            return int(self.able.sum())
        missing = lead - (gained[place] - self.gained[place])
        return int(self.able[:place].sum() + np.ceil(missing / self.gains[place]))
