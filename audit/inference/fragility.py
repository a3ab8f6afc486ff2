"""How firmly the first place stands: how few items carry it, and whether label noise would change it.

Items with the same gold label, the same answer of the leader and the same answer of a rival are alike, so that what is
chosen is how many items of each such cell to leave out. An item counts as much as its influence on the leader's score
exceeds that on the rival's; those that count most go first, and influences and scores are computed anew after every
stride. So the number found is an upper bound of the smallest one. Source: Broderick et al. 2020.

Noise is taken to be independent of the predictions: which items are relabelled, and how, has nothing to do with what
any team answers. Real annotation errors gather where items are hard, and there systems err too. Source: Northcutt et
al. 2021.

Predictions stay as they are, so that only the gold counts change, and what is correct. Both are updated from the
relabelled items alone, for all teams and many draws at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.domain import BALANCED, OBSERVED, CarriedBy, Evaluation, LabelNoise, LabelSet, Prevalence, ScoreKey
from audit.domain.arrays import Counts, Floats
from audit.inference.items import Items
from audit.metrics import (
    Cells,
    Margins,
    by_answer,
    gradient_of,
    influence,
    metric_of,
    prevalence_shares,
    row_scale,
    scale_of,
    score,
    score_margins,
)
from audit.ranking.ranks import TIE_TOLERANCE, first_places

MOST_RIVALS = 50  # rivals for which the number of items is estimated: the best-scored ones
_MOST_TRIED = 8
_HOPELESS = 2  # times the fewest items so far: no estimate is that much too high
_STRIDE = 4  # of the items that seem to be needed still, a quarter is removed before influences are computed anew
_MOST_STRIDES = 200  # some 30 are needed; where items cease to help, the search ends
_NO_INFLUENCE = 1e-15
SHARES = (0.01, 0.05, 0.1)
_MOST_RIVALS = 20
_MOST_DRAWS, _FEWEST_DRAWS, _MOST_ITEMS = 1_000, 100, 100_000_000
_CELLS = 1 << 22  # of confusions after a draw at once: 32 MB
_ANSWERS = 1 << 21  # answers to relabelled items at once: 8 MB of numbers


def carried_by(evaluation: Evaluation, key: ScoreKey, items: Items) -> CarriedBy | None:
    """How few items carry the first place by a metric.

    The rivals are the 50 entries next to the leader. Those for which the influences at hand promise the fewest items
    are tried in earnest: at most eight, and none that seems to need twice as many as another one did.
    """
    contest = Contest.of(evaluation, key)
    candidates = [Answers.of(items, contest.leader, rival) for rival in contest.rivals]
    estimates = np.array([_estimate(contest, answers) for answers in candidates])
    best: tuple[int, Counts] | None = None
    fewest = np.inf
    for place in np.argsort(estimates, kind="stable").tolist()[:_MOST_TRIED]:
        if estimates[place] > _HOPELESS * fewest:
            break
        removed = fewest_removed(contest, candidates[place], fewest)
        if removed is not None:
            fewest, best = int(removed.sum()), (place, removed)
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
        leader, *rivals = contenders(evaluation, key)[: MOST_RIVALS + 1]
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
            scale = row_scale(n_items, prevalence_shares(self.prevalence, n_items[0], self.label_set))
        slopes = influence(gradient_of(self.key.metric, Margins.of_cells(cells, scale), self.label_set), cells, scale)
        first = slopes.of_team(0).at(answers.gold, answers.first)
        second = slopes.of_team(1).at(answers.gold, answers.second)
        better = first - second if scale_of(self.key.metric, self.label_set).greater_is_better else second - first
        return np.asarray(np.nan_to_num(better, nan=0.0)[0])


def contenders(evaluation: Evaluation, key: ScoreKey) -> list[int]:
    """Comparable entries with a defined score by a metric, best first."""
    able = evaluation.comparable & ~np.isnan(evaluation.scores_of(key))
    return [team for team in evaluation.order(key) if able[team]]


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of two teams to the items of each gold class, as counts."""

    gold: Counts  # (U,): gold class and the two answers of each of the U cells that are not empty
    first: Counts  # (U,)
    second: Counts  # (U,)
    counts: Counts  # (U,): items in each cell
    n_classes: int

    @classmethod
    def of(cls, items: Items, first: int, second: int) -> "Answers":
        """The answers of two teams, given by their numbers."""
        sample, n_columns = items.sample, items.sample.n_classes + 1
        one, other = sample.answers(np.array([first, second]))
        numbers = (sample.gold * n_columns + one) * n_columns + other
        numbers, counts = _tally(numbers)
        rows, seconds = np.divmod(numbers, n_columns)
        return cls(*np.divmod(rows, n_columns), seconds, counts, sample.n_classes)

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
            zip(*(part[is_removed].tolist() for part in (self.gold, self.first, self.second, removed)), strict=True)
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
        remaining[order.cells] -= np.clip(stride - (np.cumsum(order.able) - order.able), 0, order.able)
    return None


def _estimate(contest: Contest, answers: Answers) -> float:
    """How many items the influences at hand promise to be enough; infinite where they promise nothing."""
    cells = answers.confusions(answers.counts)
    order = _Order.of(answers, answers.counts, contest.gains(answers, cells))
    lead = contest.lead(cells)
    return order.n_needed(lead) if order.gained.sum() > lead else np.inf


@dataclass(frozen=True, eq=False)
class _Order:
    """The cells whose items add to the lead, those that add most first."""

    cells: Counts
    gains: Floats  # what an item of each adds
    able: Counts  # how many items of each can be removed if all before it are, so that every class keeps one

    @classmethod
    def of(cls, answers: Answers, remaining: Counts, gains: Floats) -> "_Order":
        """The order of the cells that still have removable items."""
        adding = np.flatnonzero((gains > _NO_INFLUENCE) & (remaining > 0))
        cells = adding[np.argsort(-gains[adding], kind="stable")]
        spare = np.bincount(answers.gold, remaining, answers.n_classes) - 1
        gold, counts = answers.gold[cells], remaining[cells]
        by_gold = np.argsort(gold, kind="stable")
        before = np.cumsum(counts[by_gold]) - counts[by_gold]
        starts = np.searchsorted(gold[by_gold], gold[by_gold])
        able = np.empty(len(cells), dtype=np.int64)
        able[by_gold] = np.clip(spare[gold[by_gold]] - (before - before[starts]), 0, counts[by_gold])
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


def label_noise(  # noqa: PLR0913 - which campaign, by which metrics, and what is drawn
    evaluation: Evaluation,
    keys: Sequence[ScoreKey],
    items: Items,
    seed: int,
    *,
    shares: Sequence[float] = SHARES,
    n_draws: int | None = None,
) -> dict[ScoreKey, LabelNoise]:
    """How often the leader by each metric stays first when some gold labels are replaced at random.

    A new label is drawn uniformly among the other classes in gold. The items of a smaller share are among those of a
    larger one. By each metric the leader must stay above, or level with, the 20 comparable entries next to it: one
    farther behind would have to pass all of these. Averages run over the classes that the relabelled gold has.
    """
    if not keys or int(evaluation.present.sum()) < 2:  # noqa: PLR2004 - one label, and another one
        return {}
    n_items = items.sample.n_items
    n_draws = max(_FEWEST_DRAWS, min(_MOST_DRAWS, _MOST_ITEMS // n_items)) if n_draws is None else n_draws
    counts = [max(round(share * n_items), int(share > 0)) for share in shares]
    front = _Front.of(evaluation, keys, items)
    stayed = np.zeros((len(keys), len(shares)), dtype=np.int64)
    for drawn in _draws(front, counts[-1], n_draws, seed):
        for column, state in enumerate(_states(front, drawn, counts)):
            stayed[:, column] += [front.n_stayed(key, state) for key in keys]
    return {
        key: LabelNoise(tuple(shares), tuple((row / n_draws).tolist()), n_draws)
        for key, row in zip(keys, stayed, strict=True)
    }


@dataclass(frozen=True, eq=False)
class _Relabelling:
    """The relabelled items of b draws, M each."""

    answers: Counts  # (b, M, t): what the teams answer to them
    old: Counts  # (b, M): their gold classes before and after
    new: Counts  # (b, M)
    n_classes: int

    def at(self, draws: slice, items: slice = slice(None)) -> "_Relabelling":
        """The relabelling of some of the draws, or of some of their items."""
        return _Relabelling(self.answers[draws, items], self.old[draws, items], self.new[draws, items], self.n_classes)

    def of_class(self, labels: Counts) -> Counts:
        """Items of each class by these labels, shape (b, t + 1, C): those that each team predicts right, then all."""
        from scipy import sparse  # noqa: PLC0415 - a command without certainty does not wait for it

        n_draws, _, n_teams = self.answers.shape
        rows, size = (np.arange(n_draws)[:, None] * self.n_classes + labels).ravel(), n_draws * self.n_classes
        # Labels are repeated for each team, which compares in half the time that a column of them takes.
        repeated = np.repeat(labels.astype(self.answers.dtype).ravel(), n_teams)
        right = (self.answers.ravel() == repeated).reshape(rows.size, n_teams).astype(np.int32)
        by_class = sparse.csc_array(
            (np.ones(rows.size, dtype=np.int32), rows, np.arange(rows.size + 1)), shape=(size, rows.size)
        )
        counts = np.column_stack([by_class @ right, np.bincount(rows, minlength=size)])
        return counts.reshape(n_draws, self.n_classes, n_teams + 1).swapaxes(1, 2)

    def cells(self, labels: Counts) -> Counts:
        """Items in each cell of each team's confusion if these are their labels, shape (b, t, C, C + 1)."""
        (n_draws, _, n_teams), n_columns = self.answers.shape, self.n_classes + 1
        teams = np.arange(n_draws)[:, None, None] * n_teams + np.arange(n_teams)
        numbers = (teams * self.n_classes + labels[..., None]) * n_columns + self.answers
        size = n_draws * n_teams * self.n_classes * n_columns
        return np.bincount(numbers.ravel(), minlength=size).reshape(n_draws, n_teams, self.n_classes, n_columns)

    def answered(self, weights: Floats) -> Floats:
        """Sum of the items' weights, shape (b, M), by what each team answers, shape (b, t, C + 1)."""
        (n_draws, _, n_teams), n_columns = self.answers.shape, self.n_classes + 1
        rows = np.arange(n_draws)[:, None, None] * n_teams + np.arange(n_teams)
        each = np.broadcast_to(weights[..., None], self.answers.shape)
        size = n_draws * n_teams * n_columns
        sums = np.bincount((rows * n_columns + self.answers).ravel(), each.ravel(), size)
        return np.asarray(sums.reshape(n_draws, n_teams, n_columns))


@dataclass(frozen=True, eq=False)
class _State:
    """Gold of each draw, with the counts that scores depend on."""

    correct: Counts  # (b, t, C): items of each class that each team predicts right
    prevalence: Counts  # (b, C): gold items of each class
    relabelled: _Relabelling

    def at(self, draws: slice) -> "_State":
        """The state for some of the draws."""
        return _State(self.correct[draws], self.prevalence[draws], self.relabelled.at(draws))


@dataclass(frozen=True, eq=False)
class _Front:
    """The t teams that are first by some metric, or next to it."""

    evaluation: Evaluation
    cells: Cells  # their confusions
    answers: Counts  # (N, t): what they answer, a row for each item
    gold: Counts  # (N,): the gold classes
    places: dict[ScoreKey, Counts]  # the contenders by each metric as their places among these teams, the leader first

    @classmethod
    def of(cls, evaluation: Evaluation, keys: Sequence[ScoreKey], items: Items) -> "_Front":
        """The leaders by some metrics, and their nearest rivals."""
        nearest = {key: np.array(contenders(evaluation, key)[: _MOST_RIVALS + 1]) for key in keys}
        teams, sample = np.unique(np.concatenate(list(nearest.values()))), items.sample
        answers = np.ascontiguousarray(sample.answers(teams).T)
        places = {key: np.searchsorted(teams, those) for key, those in nearest.items()}
        return cls(evaluation, evaluation.cells.of_teams(teams), answers, sample.gold, places)

    def n_stayed(self, key: ScoreKey, state: _State) -> int:
        """The number of draws in which the leader by a metric is still first."""
        prevalence = next(each for each in self.evaluation.prevalences if each.name == key.prevalence)
        label_set = self.evaluation.task.label_set
        step = len(state.correct)
        if metric_of(key.metric, label_set).over == "confusions":
            step = max(1, _CELLS // (len(self.cells) * self.cells.n_classes * (self.cells.n_classes + 1)))
        parts = (state.at(slice(start, start + step)) for start in range(0, len(state.correct), step))
        scores = [score_margins(key.metric, self._margins(part, prevalence), label_set) for part in parts]
        turned = self.evaluation.goodness(key, np.concatenate(scores))
        return int(first_places(turned[:, self.places[key]])[:, 0].sum())

    def _margins(self, state: _State, prevalence: Prevalence) -> Margins:
        """Margins after each draw, shape (b, t)."""
        n_items, correct, scale = state.prevalence[:, None, :], state.correct, None
        if prevalence.name == OBSERVED.name:
            answered = self.cells.answers
        else:
            scale = row_scale(state.prevalence, self._shares(state.prevalence, prevalence))
            answered = self._scaled_answers(state.relabelled, scale)
            n_items, correct = scale[:, None, :] * n_items, scale[:, None, :] * correct
        return Margins(
            correct=correct,
            bias=answered[..., :-1],
            prevalence=n_items,
            unanswered=answered[..., -1],
            total=n_items.sum(axis=-1),
            averaged=n_items > 0,
            made=lambda: self._confusions(state.relabelled, scale),
        )

    def _confusions(self, relabelled: _Relabelling, scale: Floats | None) -> Counts:
        """The confusions after each draw, shape (b, t, C, C + 1), gold rows multiplied by a scale of shape (b, C)."""
        confusions = self.cells.dense() + relabelled.cells(relabelled.new) - relabelled.cells(relabelled.old)
        return confusions if scale is None else np.asarray(scale[:, None, :, None] * confusions)

    def _shares(self, counts: Counts, prevalence: Prevalence) -> Floats:
        """Shares of the classes that each draw's gold has, shape (b, C)."""
        shares = np.ones(counts.shape[-1])
        if prevalence.name != BALANCED.name:
            labels = self.evaluation.task.label_set
            shares = prevalence_shares(prevalence, self.evaluation.prevalence_counts, labels)
        kept_shares = np.where(counts > 0, shares, 0.0)
        return np.asarray(kept_shares / kept_shares.sum(axis=-1, keepdims=True))

    def _scaled_answers(self, relabelled: _Relabelling, scale: Floats) -> Floats:
        """Masses answered as each class and unanswered, shape (b, t, C + 1): gold rows count as their scale says."""
        (n_teams, n_columns), n_draws = self.cells.answers.shape, len(scale)
        before = (by_answer(self.cells) @ scale.T).T.reshape(n_draws, n_teams, n_columns)
        new, old = (np.take_along_axis(scale, labels, axis=1) for labels in (relabelled.new, relabelled.old))
        return np.asarray(before + relabelled.answered(new - old))


def _draws(front: _Front, n_relabelled: int, n_draws: int, seed: int) -> Iterator[_Relabelling]:
    """The relabelled items of some draws at a time."""
    stream = np.random.default_rng([seed, *b"labels"])
    classes, number = np.flatnonzero(front.evaluation.present), np.cumsum(front.evaluation.present) - 1
    n_items, n_teams = front.answers.shape

    def one_draw() -> tuple[Counts, Counts]:
        """Items, all of them different, and how many classes on the new label of each one is."""
        drawn = stream.choice(n_items, n_relabelled, replace=False)
        return drawn, stream.integers(1, classes.size, n_relabelled)

    step = max(1, _ANSWERS // (max(1, n_relabelled) * n_teams))
    for start in range(0, n_draws, step):
        # One at a time, so that what is drawn does not depend on how many are looked at together.
        several = [one_draw() for _ in range(start, min(start + step, n_draws))]
        drawn, further = map(np.stack, zip(*several, strict=True))
        old = front.gold[drawn]
        new = classes[(number[old] + further) % classes.size]
        yield _Relabelling(front.answers.take(drawn, axis=0), old, new, len(front.evaluation.task.label_set))


def _states(front: _Front, drawn: _Relabelling, counts: Sequence[int]) -> Iterator[_State]:
    """The gold of each draw after a first number of relabelled items, and after each further number."""
    of_class = np.vstack([front.cells.correct, front.evaluation.prevalence_counts])
    start = 0
    for stop in counts:
        further = drawn.at(slice(None), slice(start, stop))
        of_class = of_class + further.of_class(further.new) - further.of_class(further.old)
        yield _State(of_class[:, :-1], of_class[:, -1], drawn.at(slice(None), slice(stop)))
        start = stop
