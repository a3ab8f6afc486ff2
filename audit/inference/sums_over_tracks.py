"""Weighted means of scores over several tracks: their covariance, the error of each difference, draws, intervals.

Arrays in, values out. Tracks share units (items, or groups of items); what a unit adds to several tracks is added
before anything is squared. Tracks linked by units are a component. Sources: Zou 2007 (intervals of sums); GROUPS.md
for signs of whole groups, which are judged by their own distribution.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.domain.arrays import Bools, Counts, Floats
from audit.inference.comparison import Family, drawn_in_order
from audit.inference.differences import Differences, differences_from
from audit.inference.group_sums import N_SIGNS, GroupSums, random_bits, signed_sums
from audit.inference.influence_blocks import Splitting

MOST_SIGNED = 2000
"""Units whose signs are turned one by one; the sum of the others, each of which adds little, is drawn as normal."""

_COLUMNS = 1 << 20  # values of units at once: 8 MB

Cross = Mapping[tuple[int, int], Floats]
"""S_kl of tracks k < l that share units, shape (t, t) each."""


@dataclass(frozen=True, eq=False)
class TrackPart:
    """What one track adds to the differences of the t rows that are compared."""

    differences: Differences  # of the t rows, in their order
    component: int  # tracks that are linked by shared units have the same one
    n_groups: int = 0  # groups of items; 0 where items are independent
    is_single: bool = True  # whether each of its units is one item

    @property
    def null(self) -> Floats:
        """Variance of each difference that small samples lack under "no difference", shape (t, t)."""
        return np.maximum(self.differences.error**2 - self.differences.spread**2, 0.0)


def cross_covariance(first: Floats, second: Floats) -> Floats:
    """Ψ_k Ψ_lᵀ over shared units: a sum of exact products, the same on every processor, shape (t, t).

    Values have shape (t, U): how far each of the U shared units moves each score of the track.
    """
    n_rows = len(first)
    both = np.concatenate([first, second])
    splitting = Splitting.of(np.abs(both).max(axis=1, initial=0.0), both.shape[1])
    step = max(1, _COLUMNS // max(1, len(both)))
    columns = (both[:, start : start + step] for start in range(0, both.shape[1], step))
    return splitting.gram(splitting.products(columns))[:n_rows, n_rows:]


def covariance_of_sum(parts: Sequence[TrackPart], cross: Cross, weights: Floats) -> Floats:
    """S = Σ_kl w_k w_l S_kl, shape (t, t)."""
    covariance = np.zeros_like(parts[0].differences.covariance)
    for part, weight in zip(parts, weights, strict=True):
        covariance += weight**2 * part.differences.covariance
    for (first, second), shared in cross.items():
        covariance += weights[first] * weights[second] * (shared + shared.T)
    return covariance


def by_component(parts: Sequence[TrackPart], variance: Sequence[Floats], weights: Floats) -> Floats:
    """Σ_c (Σ_{k∈c} w_k √v_k)²: linked tracks as if they erred together, shape (t, t)."""
    errors: dict[int, Floats] = {}
    for part, own, weight in zip(parts, variance, weights, strict=True):
        error = weight * np.sqrt(own)
        errors[part.component] = errors.get(part.component, np.zeros_like(error)) + error
    return np.asarray(sum(error**2 for error in errors.values()))


def differences_of_sum(
    parts: Sequence[TrackPart], cross: Cross, weights: Floats, goodness: Floats
) -> Differences:
    """The differences of the rows' weighted means, whose goodness is given, shape (t,).

    By signs of whole units where some track has groups of items; else by the covariance and the null variance.
    """
    teams = np.arange(len(goodness))
    covariance = covariance_of_sum(parts, cross, weights)
    # add_AB = Σ_k w_k add_k,AB
    unidentified = np.zeros_like(covariance)
    for part, weight in zip(parts, weights, strict=True):
        unidentified += weight * part.differences.unidentified
    groups = [part.differences.groups for part in parts]
    of_groups = [each for each in groups if each is not None]
    if len(of_groups) < len(groups):
        null = by_component(parts, [part.null for part in parts], weights)
        squares = (goodness[:, None] - goodness) ** 2
        found = differences_from(teams, covariance, null, squares, unidentified)
        return replace(found, freedom=_freedom_of_sum(parts, weights))
    n_teams = len(teams)
    weighted = [
        each.times(np.full(n_teams, weight))
        for each, weight in zip(of_groups, weights, strict=True)
    ]
    beyond = by_component(parts, [each.beyond for each in of_groups], weights)
    sums = replace(GroupSums.of_sum(weighted), beyond=beyond)
    _, second, variance = sums.variances()
    return Differences(teams, covariance, np.sqrt(second), np.sqrt(variance), unidentified, sums)


def _freedom_of_sum(parts: Sequence[TrackPart], weights: Floats) -> Floats | None:
    """Degrees of freedom of the differences, shape (t, t); None if no track has any.

    (ΣV)²/Σ(V²/E): V is the variance that a track adds, E its degrees of freedom.
    """
    if all(part.differences.freedom is None for part in parts):
        return None
    total, fourths = np.zeros((2, *parts[0].differences.spread.shape))
    for part, weight in zip(parts, weights, strict=True):
        variance = (weight * part.differences.spread) ** 2
        total += variance
        if part.differences.freedom is not None:
            fourths += variance**2 / part.differences.freedom
    infinite = np.full(total.shape, np.inf)
    return np.asarray(np.divide(total**2, fourths, out=infinite, where=fourths > 0))


def single_units(parts: Sequence[TrackPart], names: Counts) -> Bools:
    """Which of the units of a sum are single items, shape (G,)."""
    is_single = np.zeros(len(names), dtype=bool)
    for part in parts:
        groups = part.differences.groups
        if groups is not None and part.is_single:
            is_single[np.searchsorted(names, groups.names)] = True
    return is_single


def signed_draws(sums: GroupSums, is_single: Bools, order: Counts, seed: int) -> Floats:
    """The rows' sums under random signs of units, shape (t, B); single items are drawn together, as normal."""
    is_signed = ~is_single
    if is_signed.all() and len(is_signed) <= MOST_SIGNED:
        return sums.draws(seed)
    unit_order = sums.order
    sizes = (sums.by_class**2).sum(axis=0)
    by_size = unit_order[np.argsort(-np.where(is_signed, sizes, -1.0)[unit_order], kind="stable")]
    signed = np.zeros(len(is_signed), dtype=bool)
    signed[by_size[: min(MOST_SIGNED, int(is_signed.sum()))]] = True
    columns = unit_order[signed[unit_order]]
    turned = signed_sums(sums.by_class[:, columns], random_bits(len(columns), seed))
    rest = sums.by_class[:, ~signed]
    return turned + drawn_in_order(order, cross_covariance(rest, rest), seed, 0, N_SIGNS)


def groups_of_sum(parts: Sequence[TrackPart], cross: Cross, weights: Floats) -> int:
    """Groups that the sum is worth for Student's quantile: f + 1, f by Satterthwaite; 0 where items are independent.

    f = (Σ_c v_c)² / Σ_c (v_c²/f_c): v_c is the component's part of the mean variance, f_c its fewest groups less 1.
    """
    variance: dict[int, float] = {}
    fewest: dict[int, float] = {}
    for part, weight in zip(parts, weights, strict=True):
        own = float(weight**2 * np.diagonal(part.differences.covariance).mean())
        variance[part.component] = variance.get(part.component, 0.0) + own
        n_groups = part.n_groups or math.inf
        fewest[part.component] = min(fewest.get(part.component, math.inf), n_groups)
    for (first, second), shared in cross.items():
        both = 2 * float(weights[first] * weights[second] * np.diagonal(shared).mean())
        variance[parts[first].component] += both
    inverse = sum(variance[each] ** 2 / (fewest[each] - 1) for each in variance if fewest[each] > 1)
    if not inverse:
        return 0
    return math.floor(sum(variance.values()) ** 2 / inverse) + 1


def family_of_sum(  # noqa: PLR0913, PLR0917 - the tracks, the rows, and how errors are drawn
    parts: Sequence[TrackPart],
    cross: Cross,
    weights: Floats,
    goodness: Floats,
    order: Counts,
    seed: int,
) -> Family:
    """The t rows that are compared by their weighted means, with draws of the errors of these."""
    among = differences_of_sum(parts, cross, weights, goodness)
    if not goodness.size:
        return Family(goodness, among, np.zeros((0, 0)), 0, seed, order)
    n_groups = groups_of_sum(parts, cross, weights)
    if among.groups is None:
        draws = drawn_in_order(order, among.covariance, seed, 0)
    else:
        draws = signed_draws(among.groups, single_units(parts, among.groups.names), order, seed)
    return Family(goodness, among, draws, n_groups, seed, order)


def correlations_of_tracks(parts: Sequence[TrackPart], cross: Cross, most: Floats) -> Floats:
    """Correlations of each row's scores in every two tracks, S_kl,aa/√(S_kk,aa S_ll,aa), shape (t, K, K).

    Where no item moves one of two scores, as of a team without an error, they are as correlated as scores can be that
    share so many items: `most`, shape (K, K).
    """
    own = np.stack([np.diagonal(part.differences.covariance) for part in parts])
    n_tracks, n_rows = own.shape
    found = np.broadcast_to(np.eye(n_tracks), (n_rows, n_tracks, n_tracks)).copy()
    for (first, second), shared in cross.items():
        both = np.sqrt(own[first] * own[second])
        at_most = np.full(n_rows, most[first, second])
        ratio = np.divide(np.diagonal(shared), both, out=at_most, where=both > 0)
        found[:, first, second] = found[:, second, first] = np.clip(ratio, -1.0, 1.0)
    return found


def mover_ends(means: Floats, distances: Floats, correlations: Floats) -> tuple[Floats, Floats]:
    """Ends of the intervals of sums (MOVER; Zou 2007), shape (t,) each.

    Distances have shape (2, t, K): of each score from its own two ends, times the track's weight. Their squares add
    up, and so do their products, times the correlation of the two scores.
    """
    squares = np.einsum("etp,tpq,etq->et", distances, correlations, distances)
    below, above = np.sqrt(np.maximum(squares, 0.0))
    return means - below, means + above
