"""Metrics of ratings: gold is a number for each item, and a team predicts numbers.

Every metric has its value and its influence function, the change of the value with the weight of one item. The mean of
an influence function is 0, and the variance of the value is about the mean of its square over the number of items.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Bools, Counts, Floats


@dataclass(frozen=True, eq=False)
class Ratings:
    """Predictions of T teams for the same N items, none of which is missing, and gold."""

    predicted: Floats  # (T, N)
    gold: Floats  # (N,)

    @cached_property
    def deviations(self) -> tuple[Floats, Floats]:
        """Predictions and gold, each less its mean, shapes (T, N) and (1, N)."""
        return _centred(self.predicted), _centred(self.gold[None])

    @cached_property
    def moments(self) -> tuple[Floats, Floats, Floats]:
        """Variances of predictions and of gold, and their covariance, shape (T,) each."""
        of_predicted, of_gold = self.deviations
        gold_variance = np.repeat((of_gold**2).mean(axis=1), len(self.predicted))
        return (of_predicted**2).mean(axis=1), gold_variance, (of_predicted * of_gold).mean(axis=1)

    @cached_property
    def mid_ranks(self) -> tuple[Floats, Floats]:
        """Middle of each value's place in its distribution, less 1/2, shapes (T, N) and (1, N)."""
        return _mid_ranks(self.predicted), _mid_ranks(self.gold[None])

    @cached_property
    def is_constant(self) -> Bools:
        """Teams that predict one number for all items, or all of them where gold has one, shape (T,)."""
        is_flat = (self.predicted == self.predicted[:, :1]).all(axis=1)
        return np.asarray(is_flat | bool((self.gold == self.gold[0]).all()))

    @cached_property
    def errors(self) -> Floats:
        """Prediction less gold, shape (T, N)."""
        return np.asarray(self.predicted - self.gold)

    @cached_property
    def concordance(self) -> Floats:
        """Mean over all items j of sgn(x_i − x_j)·sgn(y_i − y_j), shape (T, N)."""
        x = self.predicted
        y = np.broadcast_to(self.gold, self.predicted.shape)
        agreeing = n_below_in_both(x, y) + n_below_in_both(-x, -y)
        opposed = n_below_in_both(x, -y) + n_below_in_both(-x, y)
        return np.asarray((agreeing - opposed) / self.gold.size)

    @cached_property
    def untied(self) -> tuple[Floats, Floats]:
        """Share of all items whose prediction, or gold, is another than that of item i, shapes (T, N) and (1, N)."""
        n_items = self.gold.size
        of_predicted = 1 - _n_tied(self.predicted) / n_items
        of_gold = 1 - _n_tied(self.gold[None]) / n_items
        return of_predicted, of_gold


def _centred(values: Floats) -> Floats:
    is_flat = (values == values[:, :1]).all(axis=1, keepdims=True)
    centred = values - values.mean(axis=1, keepdims=True)
    return np.where(is_flat, 0.0, centred)  # whose mean may be a digit off


@dataclass(frozen=True, eq=False)
class _Sorted:
    """Rows of values in ascending order, and where ties begin and end."""

    order: Counts  # (T, N): the items, by value
    first: Counts  # (T, N): place of the first item of the same value, of each item
    last: Counts  # (T, N): place of the last one

    @classmethod
    def of(cls, values: Floats) -> "_Sorted":
        order = np.argsort(values, axis=1, kind="stable")
        ascending = np.take_along_axis(values, order, axis=1)
        is_new = np.ones(values.shape, dtype=bool)
        is_new[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
        is_end = np.ones(values.shape, dtype=bool)
        is_end[:, :-1] = is_new[:, 1:]
        places = np.broadcast_to(np.arange(values.shape[1]), values.shape)
        first = np.maximum.accumulate(np.where(is_new, places, 0), axis=1)
        backwards = np.where(is_end, places, values.shape[1])[:, ::-1]
        last = np.minimum.accumulate(backwards, axis=1)[:, ::-1]
        return cls(order, _at_items(order, first), _at_items(order, last))


def _at_items(order: Counts, values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Values by place as values by item."""
    of_items = np.empty_like(values)
    np.put_along_axis(of_items, order, values, axis=1)
    return of_items


def _mid_ranks(values: Floats) -> Floats:
    """P(X < x) + P(X = x)/2 − 1/2 of every value x in its row, shape (T, N)."""
    places = _Sorted.of(values)
    return np.asarray((places.first + places.last + 1) / (2 * values.shape[1]) - 0.5)


def _n_tied(values: Floats) -> Counts:
    """How many items of the row have the same value, itself included, shape (T, N)."""
    places = _Sorted.of(values)
    return np.asarray(places.last - places.first + 1)


def _mean_above(values: Floats, weights: Floats) -> Floats:
    """Mean over all items j of ([x_i < x_j] + [x_i = x_j]/2)·w_j, of every item i, shape (T, N)."""
    places = _Sorted.of(values)
    weights = np.broadcast_to(weights, values.shape)
    sums = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(np.take_along_axis(weights, places.order, axis=1), axis=1, out=sums[:, 1:])
    below = np.take_along_axis(sums, places.first, axis=1)
    up_to = np.take_along_axis(sums, places.last + 1, axis=1)
    return np.asarray((sums[:, -1:] - (below + up_to) / 2) / values.shape[1])


def n_below_in_both(x: Floats, y: Floats) -> Counts:
    """How many items of the same row have a smaller x and a smaller y, of every item, shape (T, N).

    Merge sort by y of items that stand by x: what comes from the left half before an item of the right half is below
    it.

    >>> n_below_in_both(np.array([[1.0, 2.0, 3.0, 3.0]]), np.array([[1.0, 3.0, 2.0, 4.0]])).tolist()
    [[0, 1, 1, 2]]
    """
    n_teams, n_items = x.shape
    # of items with the same x the larger y first: none is below another
    order = np.lexsort((-y, x), axis=1)
    length = 1 << max(1, (n_items - 1).bit_length())
    padded = np.full((n_teams, length), np.iinfo(np.int64).max)
    places = _Sorted.of(y).first  # smaller numbers for smaller y, equal ones for equal y
    padded[:, :n_items] = np.take_along_axis(places, order, axis=1)
    counts = np.zeros((n_teams, length), dtype=np.int64)
    width = 1
    while width < length:
        counts += _n_smaller_in_left_half(padded, width)
        width *= 2
    return np.asarray(_at_items(order, counts[:, :n_items]))


def _n_smaller_in_left_half(values: Counts, width: int) -> Counts:
    """Of two neighbouring stretches of a width each: how many values of the left one are below each of the right."""
    stretches = values.reshape(len(values), -1, 2 * width)
    right_first = np.concatenate([stretches[..., width:], stretches[..., :width]], axis=-1)
    # of equal values those of the right come first
    order = np.argsort(right_first, axis=-1, kind="stable")
    is_left = order >= width
    n_left = np.cumsum(is_left, axis=-1)
    counts = np.zeros(stretches.shape, dtype=np.int64)
    of_both = np.empty_like(n_left)
    np.put_along_axis(of_both, order, n_left, axis=-1)
    counts[..., width:] = of_both[..., :width]
    return counts.reshape(values.shape)


def _where_defined(values: Floats, ratings: Ratings) -> Floats:
    return np.where(ratings.is_constant, np.nan, values)


def _ratio(over: Floats, under: Floats) -> Floats:
    return np.asarray(np.divide(over, under, out=np.full(np.shape(over), np.nan), where=under != 0))


def _column(values: Floats) -> Floats:
    return np.asarray(values[:, None])


def pearson(ratings: Ratings) -> Floats:
    """Pearson's r, shape (T,)."""
    of_predicted, of_gold, both = ratings.moments
    return _where_defined(_ratio(both, np.sqrt(of_predicted) * np.sqrt(of_gold)), ratings)


def influence_on_pearson(ratings: Ratings) -> Floats:
    """z_x z_y − r(z_x² + z_y²)/2, shape (T, N)."""
    of_predicted, of_gold, _ = ratings.moments
    x, y = ratings.deviations
    full_size = np.zeros(ratings.predicted.shape)
    z_x = _ratio(x, np.sqrt(_column(of_predicted)) + full_size)
    z_y = _ratio(y + full_size, np.sqrt(_column(of_gold)) + full_size)
    return np.asarray(z_x * z_y - _column(pearson(ratings)) * (z_x**2 + z_y**2) / 2)


def _rank_moments(ratings: Ratings) -> tuple[Floats, Floats, Floats]:
    """A, B and C: means of u², v² and uv of mid-ranks, shape (T,) each."""
    u, v = ratings.mid_ranks
    of_gold = np.repeat((v**2).mean(axis=1), len(u))
    return (u**2).mean(axis=1), of_gold, (u * v).mean(axis=1)


def spearman(ratings: Ratings) -> Floats:
    """Spearman's ρ with mid-ranks, shape (T,)."""
    of_predicted, of_gold, both = _rank_moments(ratings)
    return _where_defined(_ratio(both, np.sqrt(of_predicted) * np.sqrt(of_gold)), ratings)


def influence_on_spearman(ratings: Ratings) -> Floats:
    """dC/√(AB) − ρ(dA/A + dB/B)/2, shape (T, N).

    dC = u v + E φ_x v + E φ_y u − 3C, dA = u² + 2 E φ_x u − 3A, dB alike; φ_x = [x_i < x_j] + [x_i = x_j]/2.
    """
    u, v = ratings.mid_ranks
    x = ratings.predicted
    y = np.broadcast_to(ratings.gold, ratings.predicted.shape)
    a, b, c = map(_column, _rank_moments(ratings))
    d_c = u * v + _mean_above(x, v) + _mean_above(y, u) - 3 * c
    d_a = u**2 + 2 * _mean_above(x, u) - 3 * a
    d_b = v**2 + 2 * _mean_above(ratings.gold[None], v) - 3 * b
    with np.errstate(divide="ignore", invalid="ignore"):  # a constant row, whose value is undefined
        rho = _column(spearman(ratings))
        return np.asarray(d_c / np.sqrt(a * b) - rho * (d_a / a + d_b / b) / 2)


def kendall_tau_b(ratings: Ratings) -> Floats:
    """Kendall's τ_b, shape (T,)."""
    of_predicted, of_gold = (untied.mean(axis=1) for untied in ratings.untied)
    under = np.sqrt(of_predicted) * np.sqrt(of_gold)
    return _where_defined(_ratio(ratings.concordance.mean(axis=1), under), ratings)


def influence_on_kendall(ratings: Ratings) -> Floats:
    """2(s_i − S)/√(T_x T_y) − τ[(t_x − T_x)/T_x + (t_y − T_y)/T_y], shape (T, N)."""
    s = ratings.concordance
    (t_x, t_y) = ratings.untied
    tau = _column(kendall_tau_b(ratings))
    mean_x = t_x.mean(axis=1, keepdims=True)
    mean_y = t_y.mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # a constant row, whose value is undefined
        of_pairs = 2 * (s - s.mean(axis=1, keepdims=True)) / np.sqrt(mean_x * mean_y)
        return np.asarray(of_pairs - tau * ((t_x - mean_x) / mean_x + (t_y - mean_y) / mean_y))


def mean_absolute_error(ratings: Ratings) -> Floats:
    """Mean of |x − y|, shape (T,)."""
    return np.asarray(np.abs(ratings.errors).mean(axis=1))


def influence_on_mean_absolute_error(ratings: Ratings) -> Floats:
    """|e| − MAE, shape (T, N)."""
    return _centred(np.abs(ratings.errors))


def rmse(ratings: Ratings) -> Floats:
    """Root of the mean of (x − y)², shape (T,)."""
    return np.asarray(np.sqrt((ratings.errors**2).mean(axis=1)))


def influence_on_rmse(ratings: Ratings) -> Floats:
    """(e² − MSE)/(2 RMSE), shape (T, N); 0 where there is no error."""
    twice = 2 * _column(rmse(ratings)) + 0 * ratings.errors
    return np.asarray(
        np.divide(_centred(ratings.errors**2), twice, out=np.zeros(twice.shape), where=twice > 0)
    )


def r_squared(ratings: Ratings) -> Floats:
    """1 − Σ(x − y)²/Σ(y − ȳ)², shape (T,): scikit-learn's r2_score; no square, and below 0 for bad predictions."""
    return 1 - _ratio((ratings.errors**2).mean(axis=1), ratings.moments[1])


def influence_on_r_squared(ratings: Ratings) -> Floats:
    """−e²/B + (1 − R²)(y − ȳ)²/B, B the variance of gold, shape (T, N)."""
    of_gold = _column(ratings.moments[1]) + 0 * ratings.errors
    unexplained = 1 - _column(r_squared(ratings))
    return _ratio(unexplained * ratings.deviations[1] ** 2 - ratings.errors**2, of_gold)


def _ccc_terms(ratings: Ratings) -> tuple[Floats, Floats]:
    """Q = A + B + b² and b, the difference of the means, shape (T,) each."""
    of_predicted, of_gold, _ = ratings.moments
    shift = ratings.predicted.mean(axis=1) - ratings.gold.mean()
    return of_predicted + of_gold + shift**2, shift


def ccc(ratings: Ratings) -> Floats:
    """Lin's concordance correlation coefficient 2C/Q, shape (T,); 0 for constant predictions."""
    return _ratio(2 * ratings.moments[2], _ccc_terms(ratings)[0])


def influence_on_ccc(ratings: Ratings) -> Floats:
    """[2(d_x d_y − C) − ccc(d_x² − A + d_y² − B + 2b(d_x − d_y))]/Q, shape (T, N)."""
    x, y = ratings.deviations
    a, b, c = map(_column, ratings.moments)
    q, shift = map(_column, _ccc_terms(ratings))
    of_under = x**2 - a + y**2 - b + 2 * shift * (x - y)
    over = 2 * (x * y - c) - _column(ccc(ratings)) * of_under
    return _ratio(over, q + 0 * over)


@dataclass(frozen=True)
class RatingFunctions:
    """How a metric of ratings is computed."""

    value: Callable[[Ratings], Floats]  # (T,)
    influence: Callable[[Ratings], Floats]  # (T, N)
    needs_varied_gold: bool = True  # it has no value where gold is one number


RATING_FUNCTIONS: Mapping[str, RatingFunctions] = {
    "spearman": RatingFunctions(spearman, influence_on_spearman),
    "pearson": RatingFunctions(pearson, influence_on_pearson),
    "kendall_tau_b": RatingFunctions(kendall_tau_b, influence_on_kendall),
    "ccc": RatingFunctions(ccc, influence_on_ccc, needs_varied_gold=False),
    "mean_absolute_error": RatingFunctions(
        mean_absolute_error, influence_on_mean_absolute_error, needs_varied_gold=False
    ),
    "rmse": RatingFunctions(rmse, influence_on_rmse, needs_varied_gold=False),
    "r_squared": RatingFunctions(r_squared, influence_on_r_squared),
}
"""Value and influence of each metric of ratings, by slug."""
