"""The source of variance of means of a scorer's columns, and of metrics of ratings."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.arrays import Bools, Counts, Floats
from audit.domain.numbers import Numbers
from audit.inference.items import leave_out_factors
from audit.inference.sources import Source, products_of_rows
from audit.metrics import Metric, influence_of_numbers, metric_of, score_numbers

LEAST_FREEDOM = 4.0  # degrees of freedom, however few items carry a score or a difference
# fourth powers below this share of those that they are taken from are computed by themselves
_NEAR = 1e-3
_DIGITS = 9  # of an effective number of items: what is beyond them depends on the order of sums
_VALUES = 1 << 20  # differences of pairs at once: 8 MB


@dataclass(frozen=True, eq=False)
class NumberSource(Source):
    """One mean of numbers, or one metric of ratings, of some entries."""

    numbers: Numbers  # those of t entries
    groups: Counts  # (N,): which group each item belongs to, from 0 on
    metric: Metric

    @classmethod
    def of(cls, evaluation: Evaluation, key: ScoreKey, entries: Counts) -> "NumberSource":
        """The source of one score for some entries, all with a defined score."""
        assert isinstance(evaluation.item_scores, Numbers)  # noqa: S101 - asked of a score that the evaluation has
        groups = evaluation.gold.groups
        if groups is None:
            group_of = np.arange(evaluation.gold.n_items)
        else:
            group_of = np.unique(groups, return_inverse=True)[1]
        metric = metric_of(key.metric, evaluation.task.label_set)
        return cls(evaluation.item_scores.of_entries(entries), group_of, metric)

    @property
    def is_of_means(self) -> bool:
        """Whether the scores are means of a scorer's numbers, rather than metrics of ratings."""
        return self.numbers.gold is None

    @property
    def is_bounded(self) -> bool:
        """Whether the scores are means of numbers between two known ends."""
        return self.is_of_means and self.metric.scale.is_bounded

    @property
    def has_influence(self) -> Bools:
        """All of the entries."""
        return np.ones(len(self.numbers.values), dtype=bool)

    @cached_property
    def values(self) -> Floats:
        """The scores, shape (t,)."""
        return score_numbers(self.metric.slug, self.numbers)

    @cached_property
    def by_item(self) -> Floats:
        """The value that each item adds to each score, shape (t, N)."""
        return influence_of_numbers(self.metric.slug, self.numbers)

    @cached_property
    def _sums(self) -> Floats:
        """The values of the items of each group, summed, shape (t, G)."""
        return np.stack([np.bincount(self.groups, row) for row in self.by_item])

    @cached_property
    def by_group(self) -> Floats:
        """How far each score moves without each group, shape (t, G)."""
        return self._sums * leave_out_factors(self.leverage)

    def shared(self) -> tuple[Floats, Floats]:
        """The sums over each group, and the group's share of the score: the same both ways."""
        sums = self._sums + self.values[:, None] * self.leverage
        return sums, sums

    @cached_property
    def leverage(self) -> Floats:
        """The share of the items that is each group's, shape (1, G)."""
        return np.bincount(self.groups, self.numbers.shares)[None].astype(np.float64)

    @cached_property
    def _mapped(self) -> tuple[Floats, Floats]:
        """Numbers as shares of the range, and the weight of each in the mean, 0 where there is none, (t, N) each."""
        lower = self.metric.lower
        width = self.metric.upper - lower
        numbers = self.numbers.of_column(self.metric.slug)
        shares = (np.nan_to_num(numbers, nan=lower) - lower) / width
        weights = np.where(np.isnan(numbers), 0.0, self.numbers.shares)
        return shares, weights / weights.sum(axis=1, keepdims=True)

    @property
    def _n_alike(self) -> Floats:
        """How many items of one weight would tell as much as these do, shape (t,): N where weights are alike."""
        return np.asarray(1 / (self._mapped[1] ** 2).sum(axis=1))

    @property
    def smoothed_values(self) -> Floats:
        """Means of numbers as shares of their range, with one item more at each end of it, shape (t,)."""
        numbers, weights = self._mapped
        n_items = self._n_alike
        return np.asarray(((numbers * weights).sum(axis=1) * n_items + 1) / (n_items + 2))

    @property
    def n_effective(self) -> Floats:
        """The number of items whose proportion would vary as much as each mean, shape (t,)."""
        numbers, weights = self._mapped
        n_items = self._n_alike
        mean = self.smoothed_values
        mean_square = ((numbers**2 * weights).sum(axis=1) * n_items + 1) / (n_items + 2)
        variance = mean_square - mean**2  # of one item
        return np.asarray(np.maximum(n_items * mean * (1 - mean) / variance, 1.0))

    def null_variance(self) -> Floats:
        """Variance of each difference under "no difference", shape (t, t): its square over the items.

        Nothing for a metric with heavy tails: the shapes of two distributions then differ too much for it, and
        Student's distribution takes its place.
        """
        if self.metric.is_heavy_tailed:
            return np.zeros((len(self.values),) * 2)
        squares = (self.values[:, None] - self.values) ** 2
        return squares * float((self.numbers.shares**2).sum())

    @property
    def freedom(self) -> Floats | None:
        """Degrees of freedom of Student's distribution of each difference, shape (t, t); None for a normal one."""
        if not self.metric.is_heavy_tailed:
            return None
        return np.maximum(LEAST_FREEDOM, items_in_differences(self.by_item))


def items_carrying(influence: Floats) -> Floats:
    """(Σψ²)²/Σψ⁴: how many items would carry the variance if all of them carried alike, shape (t,); 0 for none.

    >>> items_carrying(np.array([[1.0, -1.0, 1.0, -1.0], [3.0, 0.0, 0.0, 0.0], [0.0] * 4])).tolist()
    [4.0, 1.0, 0.0]
    """
    squares = (influence**2).sum(axis=1)
    fourths = (influence**4).sum(axis=1)
    return np.asarray(
        np.divide(squares**2, fourths, out=np.zeros(squares.shape), where=fourths > 0)
    )


def items_in_differences(influence: Floats) -> Floats:
    """The same of the difference of every two entries, shape (t, t).

    Σ(a − b)² and Σ(a − b)⁴ = Σa⁴ − 4Σa³b + 6Σa²b² − 4Σab³ + Σb⁴, from products of rows; those of near-copies, of
    which these leave only rounding, pair by pair.
    """
    largest = float(np.abs(influence).max(initial=0.0)) or 1.0
    values = influence / largest
    n_entries, n_items = values.shape
    products = products_of_rows(np.concatenate([values, values**3]))
    a_b = products[:n_entries, :n_entries]
    a3_b = products[n_entries:, :n_entries]
    a2_b2 = products_of_rows(values**2)
    second = np.diagonal(a_b)[:, None] + np.diagonal(a_b) - 2 * a_b
    fourth_powers = np.diagonal(a2_b2)
    both = fourth_powers[:, None] + fourth_powers
    fourth = both - 4 * (a3_b + a3_b.T) + 6 * a2_b2
    firsts, others = np.nonzero(np.triu(fourth < _NEAR * both, k=1))
    step = max(1, _VALUES // max(1, n_items))
    for start in range(0, len(firsts), step):
        one = firsts[start : start + step]
        other = others[start : start + step]
        squares = (values[one] - values[other]) ** 2
        second[one, other] = second[other, one] = squares.sum(axis=1)
        fourth[one, other] = fourth[other, one] = (squares**2).sum(axis=1)
    np.fill_diagonal(fourth, 0.0)
    carrying = np.divide(second**2, fourth, out=np.zeros(fourth.shape), where=fourth > 0)
    return np.asarray(np.round(carrying, _DIGITS), dtype=np.float64)
