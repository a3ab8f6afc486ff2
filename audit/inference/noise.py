"""Label noise: whether the winner stays first when some gold labels are replaced at random.

Noise is taken to be independent of the predictions: which items are relabelled, and how, has nothing to do with what
any team answers. Real annotation errors gather where items are hard, and there systems err too. Source: Northcutt et
al. 2021.

Predictions stay as they are, so that only the gold counts change, and what is correct. Both are updated from the
relabelled items alone, for all teams and many draws at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from audit.domain import BALANCED, OBSERVED, Evaluation, LabelNoise, Prevalence, ScoreKey
from audit.domain.arrays import Counts, Floats
from audit.inference.items import Items
from audit.inference.removals import contenders
from audit.metrics import Cells, Margins, by_answer, metric_of, prevalence_shares, row_scale, score_margins
from audit.ranking.ranks import first_places

SHARES = (0.01, 0.05, 0.1)
_MOST_RIVALS = 20
_MOST_DRAWS, _FEWEST_DRAWS, _MOST_ITEMS = 1_000, 100, 100_000_000
_CELLS = 1 << 22  # of confusions after a draw at once: 32 MB
_ANSWERS = 1 << 21  # answers to relabelled items at once: 8 MB of numbers


def default_draws(n_items: int) -> int:
    """Relabellings for each share: 1,000, or as many as keep items × draws below 10⁸, at least 100."""
    return max(_FEWEST_DRAWS, min(_MOST_DRAWS, _MOST_ITEMS // n_items))


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
    n_draws = default_draws(n_items) if n_draws is None else n_draws
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

    def part(self, start: int, stop: int) -> "_Relabelling":
        """The relabelling of some of the items of every draw."""
        items = slice(start, stop)
        return _Relabelling(self.answers[:, items], self.old[:, items], self.new[:, items], self.n_classes)

    def correct(self, labels: Counts) -> Counts:
        """Items of each class that each team predicts right if these are their labels, shape (b, t, C)."""
        from scipy import sparse  # noqa: PLC0415 - a command without certainty does not wait for it

        n_draws, n_items, n_teams = self.answers.shape
        right = (self.answers == labels[..., None].astype(self.answers.dtype)).reshape(-1, n_teams).astype(np.int32)
        rows, ends = self._rows(labels).ravel(), np.arange(n_draws * n_items + 1)
        shape = (n_draws * self.n_classes, n_draws * n_items)
        sums = sparse.csc_array((np.ones(rows.size, dtype=np.int32), rows, ends), shape=shape) @ right
        return np.asarray(sums.reshape(n_draws, self.n_classes, n_teams).swapaxes(1, 2))

    def prevalence(self, labels: Counts) -> Counts:
        """Items of each class if these are their labels, shape (b, C)."""
        n_draws = len(labels)
        sums = np.bincount(self._rows(labels).ravel(), minlength=n_draws * self.n_classes)
        return sums.reshape(n_draws, self.n_classes)

    def cells(self, labels: Counts) -> Counts:
        """Items in each cell of each team's confusion if these are their labels, shape (b, t, C, C + 1)."""
        (n_draws, _, n_teams), n_columns = self.answers.shape, self.n_classes + 1
        teams = np.arange(n_draws)[:, None, None] * n_teams + np.arange(n_teams)
        numbers = (teams * self.n_classes + labels[..., None]) * n_columns + self.answers
        size = n_draws * n_teams * self.n_classes * n_columns
        return np.bincount(numbers.ravel(), minlength=size).reshape(n_draws, n_teams, self.n_classes, n_columns)

    def draws(self, start: int, stop: int) -> "_Relabelling":
        """The relabelling of some of the draws."""
        some = slice(start, stop)
        return _Relabelling(self.answers[some], self.old[some], self.new[some], self.n_classes)

    def _rows(self, labels: Counts) -> Counts:
        return np.asarray(np.arange(len(labels))[:, None] * self.n_classes + labels)

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

    def part(self, start: int, stop: int) -> "_State":
        """The state for some of the draws."""
        some = slice(start, stop)
        return _State(self.correct[some], self.prevalence[some], self.relabelled.draws(start, stop))


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
        parts = (state.part(start, start + step) for start in range(0, len(state.correct), step))
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
        yield _Relabelling(front.answers[drawn], old, new, len(front.evaluation.task.label_set))


def _states(front: _Front, drawn: _Relabelling, counts: Sequence[int]) -> Iterator[_State]:
    """The gold of each draw after a first number of relabelled items, and after each further number."""
    correct = front.cells.correct
    prevalence = front.evaluation.prevalence_counts
    start = 0
    for stop in counts:
        further = drawn.part(start, stop)
        correct = correct + further.correct(further.new) - further.correct(further.old)
        prevalence = prevalence + further.prevalence(further.new) - further.prevalence(further.old)
        yield _State(correct, prevalence, drawn.part(0, stop))
        start = stop
