"""Differences between teams where items come in groups: what each group adds to them, and random signs of groups.

A difference of two teams is judged by its own distribution under "no difference", in which each group is as likely to
favour either team: the signs of whole groups are turned, for all teams alike.
"""

from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Bools, Counts, Floats
from audit.inference.influence_blocks import Splitting
from audit.inference.ordering import order_of

if TYPE_CHECKING:
    from collections.abc import Sequence

N_SIGNS = 40_000  # patterns of signs that are drawn where not all of them are taken
MOST_EXHAUSTED = 13  # groups up to which every pattern is taken
IDENTICAL = 1e-12  # squared differences below this share of the largest are rounding
# what is left of squares below this share of what it was taken from is computed by itself
_NEAR = 1e-3
_VALUES = 1 << 21  # values of pairs, or of draws, at once: 16 MB
_EXACT_BITS = 52  # sums of integers below 2^52 are exact in float64, in any order


@dataclass(frozen=True, eq=False)
class GroupSums:
    """What each of G groups has of the scores of t teams, in two ways, each of which sums to the score."""

    by_influence: Floats  # (t, G): influence and the group's share of the score
    by_class: Floats  # (t, G): gold's part of each class kept apart; its signs are turned
    leverage: Floats  # (G,): the share of gold's part of the scores that is each group's
    beyond: Floats  # (t, t): variance of each difference beside that of what groups add to it
    names: Counts  # (G,): which groups these are

    def of_teams(self, places: Counts) -> "GroupSums":
        """The sums of some of the teams."""
        beyond = self.beyond[np.ix_(places, places)]
        return GroupSums(
            self.by_influence[places], self.by_class[places], self.leverage, beyond, self.names
        )

    def times(self, weights: Floats) -> "GroupSums":
        """The sums of scores times a weight of each team, shape (t,)."""
        mean_weight = 0.0
        if weights.size:
            mean_weight = float(weights.mean())
        larger = np.maximum(weights[:, None], weights)
        return GroupSums(
            weights[:, None] * self.by_influence,
            weights[:, None] * self.by_class,
            mean_weight * self.leverage,
            larger**2 * self.beyond,
            self.names,
        )

    @classmethod
    def of_sum(cls, parts: "Sequence[GroupSums]") -> "GroupSums":
        """The sums of a sum of scores: what a group adds to several of them is added before anything is squared."""
        names = reduce(np.union1d, (part.names for part in parts))
        shape = (len(parts[0].by_class), len(names))
        by_influence = np.zeros(shape)
        by_class = np.zeros(shape)
        leverage = np.zeros(len(names))
        beyond = np.zeros(parts[0].beyond.shape)
        for part in parts:
            places = np.searchsorted(names, part.names)
            by_influence[:, places] += part.by_influence
            by_class[:, places] += part.by_class
            leverage[places] += part.leverage
            beyond += part.beyond
        return cls(by_influence, by_class, leverage, beyond, names)

    def variances(self) -> tuple[Floats, Floats, Floats]:
        """Σ(d¹)², Σ(d³)² and SE² of each difference, (t, t) each (GROUPS.md, section 2).

        SE² = max(Σ(d¹)², Σ(d³)²) + what the groups leave out. All 0 for teams that no group tells apart.
        """
        first = squares_of_differences(self.by_influence)
        second = squares_of_differences(self.by_class)
        variance = np.maximum(first, second) + self.beyond
        differ = second > IDENTICAL * second.max(initial=0.0)
        return (
            np.where(differ, first, 0.0),
            np.where(differ, second, 0.0),
            np.where(differ, variance, 0.0),
        )

    @property
    def order(self) -> Counts:
        """The groups in an order that follows from what they add to the scores, shape (G,)."""
        sums = self.by_class
        teams = order_of(sums.sum(axis=1), sums @ sums.T)
        places = np.argsort(teams) + 1.0  # by which a team's sums count, so that teams differ
        return order_of(places @ sums, places @ sums**2, sums.sum(axis=0), self.leverage)

    def draws(self, seed: int) -> Floats:
        """The teams' sums Σ ε_G Y³_G under every pattern of signs but the observed one, or under drawn ones, (t, B)."""
        sums = self.by_class[:, self.order]
        n_groups = sums.shape[1]
        if n_groups > MOST_EXHAUSTED:
            return signed_sums(sums, random_bits(n_groups, seed))
        patterns = all_patterns(n_groups)
        n_patterns = patterns.shape[1]
        return signed_sums(sums, np.packbits(patterns, axis=1))[:, :n_patterns]


def squares_of_differences(sums: Floats) -> Floats:
    """Σ (Y_a − Y_b)² over the groups, shape (t, t), given Y, shape (t, G).

    Σ Y_a² + Σ Y_b² − 2 Σ Y_a Y_b of the centred Y; for near-copies, of which that leaves rounding, pair by pair.
    """
    n_groups = sums.shape[1]
    centred = sums - sums.mean(axis=0)
    splitting = Splitting.of(np.abs(centred).max(axis=1, initial=0.0), n_groups)
    products = splitting.gram(splitting.products([centred]))
    own = np.diagonal(products)
    both = own[:, None] + own
    squares = both - 2 * products
    first, second = np.nonzero(np.triu(squares < _NEAR * both, k=1))
    step = max(1, _VALUES // n_groups)
    for start in range(0, len(first), step):
        one = first[start : start + step]
        other = second[start : start + step]
        exact = ((sums[one] - sums[other]) ** 2).sum(axis=1)
        squares[one, other] = exact
        squares[other, one] = exact
    np.fill_diagonal(squares, 0.0)
    return np.maximum(squares, 0.0)


def all_patterns(n_groups: int) -> NDArray[np.uint8]:
    """Which of G groups have another sign in every pattern but the observed one, up to a common sign.

    >>> all_patterns(3).tolist()
    [[0, 0, 0], [1, 0, 1], [0, 1, 1]]
    """
    patterns = np.arange(1, 1 << (n_groups - 1))
    turned = patterns >> np.arange(n_groups - 1)[:, None] & 1
    return np.concatenate([np.zeros((1, len(patterns))), turned]).astype(np.uint8)


@lru_cache(maxsize=1)
def random_bits(n_groups: int, seed: int) -> NDArray[np.uint8]:
    """A random bit for each group and draw, eight in a byte; one metric after the other takes the same."""
    stream = np.random.default_rng([seed, *b"signs"])
    n_bytes = N_SIGNS // 8
    numbers = np.frombuffer(stream.bytes(n_groups * n_bytes), dtype=np.uint8)
    return numbers.reshape(n_groups, n_bytes)


def signed_sums(sums: Floats, signs: NDArray[np.uint8]) -> Floats:
    """Sums of the groups' values, of which set bits turn the signs: exact sums of integers, shape (t, B)."""
    n_teams, n_groups = sums.shape
    largest = float(np.abs(sums).max(initial=0.0))
    bits = _EXACT_BITS - max(1, n_groups).bit_length() - int(np.frexp(largest)[1])
    whole = np.rint(np.ldexp(sums, bits))
    step = max(1, _VALUES // max(1, 8 * n_groups))
    parts = [np.zeros((n_teams, 0))]
    for start in range(0, signs.shape[1], step):
        is_turned = np.unpackbits(signs[:, start : start + step], axis=1)
        parts.append(whole @ (1.0 - 2.0 * is_turned))
    return np.asarray(np.ldexp(np.concatenate(parts, axis=1), -bits))


def ends_of_differences(
    groups: GroupSums, scores: Floats, lowered: Floats, critical: Floats | float
) -> Floats:
    """Lower end of the interval of every difference, row less column, shape (t, t): −∞ where there is no bound.

    The end is D − x, x the smallest positive root of (1 − c²H)x² − 2c²Bx − c²A = 0, which is where x reaches c standard
    errors of what the groups add to a difference of D − x: e = d − D·h, A = Σe² and what the sums leave out,
    B = Σe·h, H = Σh². Of both ways the wider one. D is lowered where the decision was.
    """
    leverage = groups.leverage
    h_squares = float((leverage**2).sum())  # H
    differences = scores[:, None] - scores  # D
    ends = []
    for sums in (groups.by_influence, groups.by_class):
        projected = sums @ leverage
        d_along_h = projected[:, None] - projected  # Σd·h
        d_squares = squares_of_differences(sums)  # Σd²
        # A = Σd² − 2DΣd·h + D²H + what the sums leave out; B = Σd·h − DH
        e_squares = (
            d_squares - 2 * differences * d_along_h + differences**2 * h_squares + groups.beyond
        )
        e_along_h = d_along_h - differences * h_squares
        root = smallest_root(
            1 - critical**2 * h_squares, critical**2 * e_along_h, critical**2 * e_squares
        )
        ends.append(differences - lowered - root)
    by_influence, by_class = ends
    return np.minimum(by_influence, by_class)


def smallest_root(square: Floats | float, half_linear: Floats, constant: Floats) -> Floats:
    """The smallest positive root of square·x² − 2·half_linear·x − constant = 0, constant ≥ 0; ∞ where there is none.

    >>> smallest_root(1.0, np.array([1.0, 0.0]), np.array([3.0, 4.0])).tolist()
    [3.0, 2.0]
    >>> smallest_root(-1.0, np.array([1.0, -2.0]), np.array([3.0, 3.0])).tolist()
    [inf, 1.0]
    """
    square = np.broadcast_to(square, half_linear.shape)
    constant = np.maximum(constant, 0.0)
    inside = half_linear**2 + square * constant
    root = np.sqrt(np.maximum(inside, 0.0))
    # (root + b) / square is constant / (root − b), which holds for a square of 0 or below it, too
    below = root - half_linear
    has_root: Bools = (inside >= 0) & (below > 0)
    found = np.divide(constant, below, out=np.full(half_linear.shape, np.inf), where=has_root)
    is_plain = (square > 0) & (half_linear > 0)
    return np.asarray(np.divide(root + half_linear, square, out=found, where=is_plain))
