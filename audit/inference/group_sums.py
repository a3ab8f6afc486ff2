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
        larger = np.maximum(weights[:, None], weights)
        first, second = (weights[:, None] * sums for sums in (self.by_influence, self.by_class))
        if weights.size:
            mean_weight = float(weights.mean())
        else:
            mean_weight = 0.0
        leverage = mean_weight * self.leverage
        beyond = larger**2 * self.beyond
        return GroupSums(first, second, leverage, beyond, self.names)

    @classmethod
    def of_sum(cls, parts: "Sequence[GroupSums]") -> "GroupSums":
        """The sums of a sum of scores: what a group adds to several of them is added before anything is squared."""
        names = reduce(np.union1d, (part.names for part in parts))
        first, second = np.zeros((2, len(parts[0].by_class), len(names)))
        leverage = np.zeros(len(names))
        beyond = np.zeros(parts[0].beyond.shape)
        for part in parts:
            places = np.searchsorted(names, part.names)
            first[:, places] += part.by_influence
            second[:, places] += part.by_class
            leverage[places] += part.leverage
            beyond += part.beyond
        return cls(first, second, leverage, beyond, names)

    def variances(self) -> tuple[Floats, Floats, Floats]:
        """Squares of what groups add to each difference, in both ways, and the variance, (t, t) each.

        All 0 for teams that no group tells apart.
        """
        first, second = (
            squares_of_differences(sums) for sums in (self.by_influence, self.by_class)
        )
        differ = second > IDENTICAL * second.max(initial=0.0)
        variance = np.maximum(first, second) + self.beyond
        return (
            np.where(differ, first, 0.0),
            np.where(differ, second, 0.0),
            np.where(differ, variance, 0.0),
        )

    @property
    def order(self) -> Counts:
        """The groups in an order that follows from what they add to the scores, shape (G,)."""
        teams = order_of(self.by_class.sum(axis=1), self.by_class @ self.by_class.T)
        weights = np.argsort(teams) + 1.0
        return order_of(
            weights @ self.by_class,
            weights @ self.by_class**2,
            self.by_class.sum(axis=0),
            self.leverage,
        )

    def draws(self, seed: int) -> Floats:
        """The teams' sums under every pattern of signs but the observed one, or under drawn ones, shape (t, B)."""
        order = self.order
        sums = self.by_class[:, order]
        if sums.shape[1] <= MOST_EXHAUSTED:
            bits = all_patterns(sums.shape[1])
            return signed_sums(sums, np.packbits(bits, axis=1))[:, : bits.shape[1]]
        return signed_sums(sums, random_bits(sums.shape[1], seed))


def squares_of_differences(sums: Floats) -> Floats:
    """Σ (Y_a − Y_b)² over the groups, shape (t, t), given Y, shape (t, G)."""
    centred = sums - sums.mean(axis=0)
    splitting = Splitting.of(np.abs(centred).max(axis=1, initial=0.0), sums.shape[1])
    products = splitting.gram(splitting.products([centred]))
    own = np.diagonal(products)
    both = own[:, None] + own
    squares = both - 2 * products
    first, second = np.nonzero(np.triu(squares < _NEAR * both, k=1))
    step = max(1, _VALUES // sums.shape[1])
    for start in range(0, len(first), step):
        some = first[start : start + step], second[start : start + step]
        squares[some] = squares[some[::-1]] = ((sums[some[0]] - sums[some[1]]) ** 2).sum(axis=1)
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
    return np.frombuffer(stream.bytes(n_groups * N_SIGNS // 8), dtype=np.uint8).reshape(
        n_groups, N_SIGNS // 8
    )


def signed_sums(sums: Floats, signs: NDArray[np.uint8]) -> Floats:
    """Sums of the groups' values, of which set bits turn the signs: exact sums of integers, shape (t, B)."""
    n_groups = sums.shape[1]
    n_columns = signs.shape[1]
    largest = float(np.abs(sums).max(initial=0.0))
    bits = _EXACT_BITS - max(1, n_groups).bit_length() - int(np.frexp(largest)[1])
    whole = np.rint(np.ldexp(sums, bits))
    step = max(1, _VALUES // max(1, 8 * n_groups))
    some = (signs[:, start : start + step] for start in range(0, n_columns, step))
    parts = [whole @ (1.0 - 2.0 * np.unpackbits(each, axis=1)) for each in some]
    return np.asarray(np.ldexp(np.concatenate([np.zeros((len(sums), 0)), *parts], axis=1), -bits))


def ends_of_differences(
    groups: GroupSums, scores: Floats, lowered: Floats, critical: Floats | float
) -> Floats:
    """Lower end of the interval of every difference, row less column, shape (t, t): −∞ where there is no bound.

    The end is D − x, x the smallest positive root of (1 − c²H)x² − 2c²Bx − c²A = 0, which is where x reaches c standard
    errors of what the groups add to a difference of D − x: e = d − D·h, A = Σe² and what the sums leave out,
    B = Σe·h, H = Σh². Of both ways the wider one. D is lowered where the decision was.
    """
    leverage = groups.leverage
    ends = []
    own = float((leverage**2).sum())
    differences = scores[:, None] - scores
    for sums in (groups.by_influence, groups.by_class):
        projected = sums @ leverage
        along = projected[:, None] - projected
        rest = (
            squares_of_differences(sums)
            - 2 * differences * along
            + differences**2 * own
            + groups.beyond
        )
        root = smallest_root(
            1 - critical**2 * own, critical**2 * (along - differences * own), critical**2 * rest
        )
        ends.append(differences - lowered - root)
    return np.minimum(*ends)


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
