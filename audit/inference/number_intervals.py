"""Intervals of means of numbers and of metrics of ratings: by the delta method, on the scale that suits each metric.

E, the number of items that carry the variance of a score, gives the degrees of freedom of Student's distribution where
few items do: of a mean without a range, and of a metric that squares deviations.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.domain import MARKS, Mark
from audit.domain.arrays import Floats
from audit.inference.items import worth_of
from audit.inference.number_source import LEAST_FREEDOM, NumberSource, items_carrying

_FEWEST_CARRYING = 3.0  # items: where one or two carry the variance, no interval holds its level
_FEW_CARRYING = 10.0  # items: below it intervals of all but rank correlations hold 63 to 93%
_FREE_OF_FISHER = 3  # Fisher's variance of a correlation has N − 3 in place of N
_LEAST_SKEW = 1e-9  # below it Hall's transformation is the identity, apart from rounding
_LEAST_GROUP_FREEDOM = 2.0  # of few groups no more is known than that there are several


@dataclass(frozen=True, eq=False)
class Spread:
    """How t scores vary, by items or by groups of them."""

    scores: Floats  # (t,)
    influence: Floats  # (t, n): of each item or group
    n_units: Floats  # (t,): items or groups that the score is of
    level: float  # probability below the quantile: .975 of a 95% interval
    is_of_groups: bool = False

    @property
    def error(self) -> Floats:
        """Standard errors."""
        return np.asarray(np.sqrt((self.influence**2).sum(axis=1)))

    @property
    def carrying(self) -> Floats:
        """E, the number of items or groups that carry the variance."""
        return items_carrying(self.influence)

    def quantile(self, freedom: Floats | None = None) -> Floats:
        """Student's quantile, the normal one where no degrees of freedom are given, shape (t,)."""
        from scipy.special import ndtri, stdtrit  # noqa: PLC0415 - a command without certainty does not wait for it

        if freedom is None:
            return np.full(self.scores.shape, ndtri(self.level))
        return np.asarray(stdtrit(freedom, self.level))

    @property
    def student(self) -> Floats:
        """Student's quantile with as many degrees of freedom as items carry the variance."""
        if self.is_of_groups:
            least = _LEAST_GROUP_FREEDOM
        else:
            least = LEAST_FREEDOM
        freedom = np.minimum(self.n_units - 1, np.maximum(least, self.carrying))
        return self.quantile(np.maximum(1.0, freedom))

    @property
    def skewness(self) -> Floats:
        """Skewness of the influence over √n: Σψ³/(Σψ²)^(3/2)."""
        return np.asarray((self.influence**3).sum(axis=1) / self.error**3)


def number_ends(
    source: NumberSource, quantile: float, n_groups: int
) -> tuple[Floats, Floats, NDArray[np.uint8]]:
    """Lower and upper ends of the intervals of some scores, and marks, shape (t,) each; NaN where no end holds."""
    spread = _spread(source, quantile, n_groups)
    carrying = spread.carrying
    has_no_interval = spread.error == 0
    marks = np.zeros(len(source.values), np.uint8)
    if source.metric.is_heavy_tailed:
        has_no_interval |= carrying < _FEWEST_CARRYING
        if not source.is_of_means:
            marks[carrying < _FEW_CARRYING] = MARKS.index(Mark.FEW_CARRYING)
    marks[has_no_interval] = MARKS.index(Mark.FEW_UNITS)
    ends = _ENDS.get(source.metric.slug, mean_ends)
    # scores without variance, which are marked
    with np.errstate(divide="ignore", invalid="ignore"):
        lower, upper = ends(spread)
    return (
        np.where(has_no_interval, np.nan, lower),
        np.where(has_no_interval, np.nan, upper),
        marks,
    )


def _spread(source: NumberSource, quantile: float, n_groups: int) -> Spread:
    from scipy.special import ndtr, stdtr  # noqa: PLC0415 - a command without certainty does not wait for it

    if not n_groups:
        has_numbers = ~np.isnan(source.numbers.values).any(axis=1)
        n_items = has_numbers.sum(axis=1).astype(np.float64)
        return Spread(source.values, source.by_item, n_items, float(ndtr(quantile)))
    n_units = np.full(len(source.values), float(worth_of(source.leverage)[0]))
    level = float(stdtr(max(n_groups - 1, 1), quantile))
    return Spread(source.values, source.by_group, n_units, level, is_of_groups=True)


def mean_ends(spread: Spread) -> tuple[Floats, Floats]:
    """Of a mean: end by end the wider of Student's interval and of Hall's, which corrects for skewness.

    g⁻¹(y) = 3[(1 + G(y − G/6))^(1/3) − 1]/G, G the skewness over √N (Hall 1992).
    """
    error = spread.error
    skewness = spread.skewness
    quantile = spread.student
    ends = []
    for side in (quantile, -quantile):
        shifted = np.cbrt(1 + skewness * (side - skewness / 6)) - 1
        transformed = np.where(np.abs(skewness) > _LEAST_SKEW, 3 * shifted / skewness, side)
        ends.append(transformed)
    lower = spread.scores - np.maximum(quantile, ends[0]) * error
    upper = spread.scores + np.maximum(quantile, -ends[1]) * error
    return lower, upper


def _rank_correlation_ends(spread: Spread) -> tuple[Floats, Floats]:
    """Of a correlation of ranks: on Fisher's z, with the normal quantile, or Student's of the number of groups."""
    if spread.is_of_groups:
        quantile = spread.quantile(spread.n_units - 1)
    else:
        quantile = spread.quantile()
    return _fisher_ends(spread, quantile)


def _correlation_ends(spread: Spread) -> tuple[Floats, Floats]:
    """Of a correlation of the numbers themselves: on Fisher's z, with Student's quantile."""
    return _fisher_ends(spread, spread.student)


def _fisher_ends(spread: Spread, quantile: Floats) -> tuple[Floats, Floats]:
    """tanh(atanh s ± q·se·√(N/(N − 3))/(1 − s²))."""
    widened = np.sqrt(spread.n_units / np.maximum(spread.n_units - _FREE_OF_FISHER, 1.0))
    half = quantile * spread.error * widened / (1 - spread.scores**2)
    middle = np.arctanh(spread.scores)
    return np.tanh(middle - half), np.tanh(middle + half)


def _absolute_error_ends(spread: Spread) -> tuple[Floats, Floats]:
    """s·exp(±q·se/s)."""
    if spread.is_of_groups:
        quantile = spread.quantile(spread.n_units - 1)
    else:
        quantile = spread.quantile()
    return _log_ends(spread.scores, quantile * spread.error)


def _squared_error_ends(spread: Spread) -> tuple[Floats, Floats]:
    """The same with Student's quantile."""
    return _log_ends(spread.scores, spread.student * spread.error)


def _explained_variance_ends(spread: Spread) -> tuple[Floats, Floats]:
    """Those of 1 − R², which is a ratio of squared errors."""
    lower, upper = _log_ends(1 - spread.scores, spread.student * spread.error)
    return 1 - upper, 1 - lower


def _log_ends(scores: Floats, half: Floats) -> tuple[Floats, Floats]:
    factor = np.exp(half / scores)
    return scores / factor, scores * factor


_ENDS: Mapping[str, Callable[[Spread], tuple[Floats, Floats]]] = {
    "spearman": _rank_correlation_ends,
    "kendall_tau_b": _rank_correlation_ends,
    "pearson": _correlation_ends,
    "ccc": _correlation_ends,
    "mean_absolute_error": _absolute_error_ends,
    "rmse": _squared_error_ends,
    "r_squared": _explained_variance_ends,
}
