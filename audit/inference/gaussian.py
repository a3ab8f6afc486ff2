"""Gaussian draws with the covariance of the scores, and the maxima over pairs that they give.

The factor of the covariance is a Cholesky factor: it has no eigenvectors that rounding could turn, and teams with the
same answers have the same draws. Products of floats are exact sums of integers, so that the draws are the same to the
last bit on every processor. Source: Romano and Wolf 2005 (stepdown).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Counts, Floats
from audit.metrics.confusion import ratio

N_DRAWS = 4000
Draws = NDArray[np.floating[Any]]  # in double precision where a draw may equal what was observed
# what is left of a variance below this share of what it was taken from is rounding
DEPENDENT = 1e-9
_BITS = 20  # of each factor of a product of two that are summed over up to 2^10 teams
_DRAWN = 1 << 18  # numbers drawn of some pairs at once
_FEW = 16  # teams whose draws are bounded together
_AT_ONCE = 1 << 12  # draws that are followed at once
_FOLLOWED = 0.8  # of the draws; with fewer to follow, the others are left out


def factor(covariance: Floats) -> Floats:
    """Cholesky factor of a covariance that may be singular, shape (T, T): lower triangular, L Lᵀ = S.

    Column by column, by operations on single numbers, which every processor rounds alike. Equal rows of S, those of
    teams with the same answers, have equal rows in L.
    """
    n_teams = len(covariance)
    least = DEPENDENT * np.diagonal(covariance)
    transposed = np.zeros_like(covariance)  # Lᵀ: a row is a column of L
    # S[i, c], and the terms L[i, k] · L[c, k], k < c, that are taken from it
    terms = np.empty((n_teams + 1, n_teams))
    for column in range(n_teams):
        below = slice(column, None)
        earlier = transposed[:column]
        terms[0, below] = covariance[below, column]
        np.multiply(earlier[:, below], earlier[:, column, None], out=terms[1 : column + 1, below])
        # one after the other, so that the order of the sum is fixed
        remainder = np.subtract.reduce(terms[: column + 1, below])
        if remainder[0] > least[column]:
            transposed[column, below] = remainder / np.sqrt(remainder[0])
    return transposed.T[_first_alike(covariance)]


def _first_alike(covariance: Floats) -> Counts:
    """The first row that is the same as each row, shape (T,)."""
    if not len(covariance):
        return np.arange(0)
    row_bytes = np.dtype((np.void, covariance.itemsize * len(covariance)))
    rows = np.ascontiguousarray(covariance).view(row_bytes).ravel()
    _, first, row_of = np.unique(rows, return_index=True, return_inverse=True)
    return first[row_of]


def draw(covariance: Floats, seed: int, n_draws: int = N_DRAWS, n_groups: int = 0) -> Draws:
    """Draws of the teams' errors Z ~ N(0, S), shape (T, B): a row for each team, in single precision.

    Teams with equal rows in the covariance share their draws, and take no numbers from the teams that follow.
    """
    distinct, row_of = np.unique(_first_alike(covariance), return_inverse=True)
    lower = factor(covariance[np.ix_(distinct, distinct)])
    normal = _normal(len(distinct), seed, n_draws)
    # Z = L · normal, exactly: L = 2^(exponent − bits) · (whole + 2^−bits · rest), in integers
    exponent = np.frexp(np.abs(lower).max(axis=1, initial=0.0))[1][:, None]
    scaled = np.ldexp(lower, _BITS - exponent)
    whole = np.rint(scaled)
    rest = np.rint(np.ldexp(scaled - whole, _BITS))
    product = whole @ normal + np.ldexp(rest @ normal, -_BITS)
    errors = np.ldexp(product, exponent - 2 * _BITS) * _widened(n_groups, seed, n_draws)
    return np.asarray(errors, dtype=np.float32)[row_of]


@lru_cache(maxsize=1)
def _normal(n_teams: int, seed: int, n_draws: int) -> Floats:
    """Standard normal draws as whole numbers, shape (T, B); one metric after the other takes the same."""
    normal = np.random.default_rng([seed, *b"max-t"]).standard_normal((n_teams, n_draws))
    return np.rint(np.ldexp(normal, _BITS))


def _widened(n_groups: int, seed: int, n_draws: int) -> Floats | float:
    """The factor that turns normal draws into Student's with G - 1 degrees of freedom, shape (B,)."""
    if n_groups < 2:  # noqa: PLR2004 - of one group nothing is known, and nothing is drawn
        return 1.0
    freedom = float(n_groups - 1)
    squares = np.random.default_rng([seed, *b"groups"]).chisquare(freedom, n_draws)
    squares = np.maximum(np.rint(np.ldexp(squares, _BITS)), 1.0)  # alike on every processor
    return np.asarray(np.sqrt(np.ldexp(freedom, _BITS) / squares))


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Draws, and their ends among few teams side by side: most differences are seen by them to be no large ones.

    Rounding keeps the order of differences and of their products, so that what an end bounds, it bounds to the bit.
    """

    draws: Draws  # (T, B)
    scale: Draws  # (T, T): 1 / standard deviation of a difference; 0 where no draw moves it
    some: list[slice]  # n stretches of few teams
    high: Draws  # (n, B): the highest draw among them
    low: Draws  # (n, B): the lowest
    widest: Draws  # (T, n): the largest scale of each team's differences from them

    @classmethod
    def of(cls, draws: Draws, spread: Floats) -> "Neighbours":
        """Draws with their ends, given the standard deviation of each difference."""
        scale = ratio(1.0, spread).astype(draws.dtype)
        starts = list(range(0, len(draws), _FEW))
        return cls(
            draws,
            scale,
            some=[slice(start, start + _FEW) for start in starts],
            high=np.maximum.reduceat(draws, starts),
            low=np.minimum.reduceat(draws, starts),
            widest=np.maximum.reduceat(scale, starts, axis=1),
        )

    def largest(self) -> Draws:
        """The largest of all pairs in each draw, max |Z_a − Z_b| / σ_ab, shape (B,)."""
        largest = np.zeros(self.draws.shape[1], dtype=self.draws.dtype)
        for number, one in enumerate(self.some):
            # of this stretch of teams and each that follows: the widest gap times the largest scale
            upward = self.high[number] - self.low[number:]
            downward = self.high[number:] - self.low[number]
            bounds = np.maximum(upward, downward)
            bounds *= self.widest[one].max(axis=0)[number:, None]
            for bound, other in zip(bounds, self.some[number:], strict=True):
                places = np.flatnonzero(bound > largest)
                if not places.size:
                    continue
                sizes = self.draws[one, places][:, None] - self.draws[other, places]
                sizes *= self.scale[one, other, None]
                np.abs(sizes, out=sizes)
                largest[places] = np.maximum(largest[places], sizes.max(axis=(0, 1)))
        return largest

    def largest_of(self, team: int) -> Draws:
        """The largest of all pairs with a team in each draw, shape (B,)."""
        sizes = np.abs(self.draws - self.draws[team])
        sizes *= self.scale[team, :, None]
        return np.asarray(sizes.max(axis=0))

    def reached(self, team: int, t: float) -> int:
        """The number of draws in which a team's largest of all pairs with it reaches its t."""
        own = self.draws[team]
        is_met = np.zeros(self.draws.shape[1], dtype=bool)
        bounds = np.maximum(self.high - own, own - self.low) * self.widest[team, :, None]
        for bound, some in zip(bounds, self.some, strict=True):
            places = np.flatnonzero((bound >= t) & ~is_met)
            if not places.size:
                continue
            differences = self.draws[some, places] - own[places]
            sizes = np.abs(differences * self.scale[some, team, None])
            is_met[places] = (sizes >= t).any(axis=0)
        return int(is_met.sum())


def stepdown(t: Floats, draws: Draws, pairs: Counts, spread: Floats, largest: Draws) -> Floats:
    """Adjusted p of each pair, shape (P,).

    The pairs are sorted by |t|. A pair's adjusted p counts the draws in which the largest of its own and all pairs with
    smaller |t| reaches its |t|; a pair never gets a smaller p than one with larger |t|.
    """
    size = np.abs(t)
    scale = ratio(1.0, spread).astype(draws.dtype)
    n_draws = draws.shape[1]
    order = np.argsort(size, kind="stable")
    within = order[size[order] <= largest.max(initial=0.0)]  # no draw reaches the others
    n_reached = np.zeros(len(t), dtype=np.int64)
    for start in range(0, n_draws, _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        with_largest = np.concatenate([draws[:, some], largest[None, some]])
        n_reached[within] += _reached(size[within], with_largest, pairs[within], scale[within])
    own_p = (1 + n_reached[order]) / (n_draws + 1)
    p = np.empty(len(t))
    p[order] = np.maximum.accumulate(own_p[::-1])[::-1]  # from the largest |t| down
    return p


def _reached(size: Floats, draws: Draws, pairs: Counts, scale: Draws) -> Counts:
    """The number of draws in which a pair, or one before it, reaches its size, shape (P,); sizes are sorted.

    A draw that reaches a pair's size reaches all smaller sizes, unless its largest so far grows in the same block: such
    draws become few, and they alone are followed pair by pair. One whose largest of all pairs, in the last row, was met
    or is below all further sizes is followed no more.
    """
    n_reached = np.zeros(len(size), dtype=np.int64)
    # draws that reach all sizes up to an end: + there, − at it
    n_dropped = np.zeros(len(size) + 1, dtype=np.int64)
    before = np.zeros(draws.shape[1], dtype=draws.dtype)  # the largest so far, of each draw
    start = 0
    while start < len(size) and draws.size:
        block = slice(start, start + max(1, _DRAWN // draws.shape[1]))
        sizes = size[block]
        first, second = pairs[block].T
        differences = draws[first]
        differences -= draws[second]
        differences *= scale[block, None]
        np.abs(differences, out=differences)
        after = np.maximum(differences.max(axis=0), before)

        grows = (after > before) & (after >= sizes[0]) & (before < sizes[-1])
        # of the others: how many reach each size is seen from where their largest stands among the sizes
        n_sizes_reached = np.searchsorted(sizes, before[~grows], side="right")
        ends_before = np.cumsum(np.bincount(n_sizes_reached, minlength=len(sizes) + 1))[:-1]
        n_reached[block] += len(n_sizes_reached) - ends_before
        growing = np.maximum.accumulate(np.maximum(differences[:, grows], before[grows]), axis=0)
        n_reached[block] += (growing >= sizes[:, None]).sum(axis=1)

        before = after
        start += len(sizes)
        is_met = before >= draws[-1]
        is_followed = ~is_met & (draws[-1] >= sizes[-1])
        if is_followed.mean() < _FOLLOWED:
            ends = np.maximum(np.searchsorted(size, draws[-1, is_met], side="right"), start)
            n_dropped[start] += len(ends)
            np.subtract.at(n_dropped, ends, 1)
            draws = np.ascontiguousarray(draws[:, is_followed])
            before = before[is_followed]
    return n_reached + np.cumsum(n_dropped)[:-1]
