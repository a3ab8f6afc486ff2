"""How often claims over the tracks of a campaign are true: `python benchmarks/tracks.py`, rows for coverage.md.

Answers are drawn from populations whose accuracies are known; the program's own functions compare their means over
the tracks. One process, an hour and a half for all cells; `--only groups` takes those whose name says so.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from audit.inference.differences import Differences, differences_from
from audit.inference.group_sums import GroupSums
from audit.inference.proportion_intervals import quantile_of, share_ends
from audit.inference.sums_over_tracks import (
    TrackPart,
    correlations_of_tracks,
    cross_covariance,
    family_of_sum,
    mover_ends,
)
from audit.ranking.ranks import competition_ranks

Floats = NDArray[np.float64]
COMMON_DIFFICULTY = 0.4  # part of an answer's latent variance that is the item's
OF_GROUP = 0.15  # and that is the team's in the group of items
MOST_FALSE = 0.065
MANY_TEAMS = 20


@dataclass(frozen=True)
class Cell:
    """One population of campaigns, and how many of them are drawn."""

    n_tracks: int
    n_teams: int
    n_items: int = 200
    shared: float = 0.0  # part of each track's items that all tracks have
    field: str = "equal"  # equal, crossed (equal means, unequal in tracks), near or ladder
    weights: str = "equal"  # or "unequal": 1 to 4
    sizes: str = "equal"  # or "unequal": a fourth to twice the items
    n_groups: int = 0  # groups of items in each track; 0 for none
    grouped: str = "all"  # or "half" of the tracks
    pareto: bool = False  # whether groups are of Pareto sizes
    n_campaigns: int = 400

    @property
    def name(self) -> str:
        """The cell in a few words."""
        parts = [self.field]
        if self.shared:
            parts.append(f"{self.shared:.0%} of items shared")
        parts += [
            f"{what} {value}"
            for what, value in (("weights", self.weights), ("sizes", self.sizes))
            if value != "equal"
        ]
        if self.n_groups:
            of_half = " in half of the tracks" if self.grouped == "half" else ""
            parts.append(f"{self.n_groups} {'Pareto ' if self.pareto else ''}groups{of_half}")
        return ", ".join(parts)


@dataclass
class Counts:
    """What was claimed in some campaigns, and how often it was true."""

    n: int = 0
    false: int = 0  # campaigns with a false claim over a pair
    missed: int = 0  # campaigns in which a true best is outside the confidence set
    covered: int = 0
    intervals: int = 0
    first_covered: int = 0
    found: int = 0
    findable: int = 0


def true_accuracies(cell: Cell, rng: np.random.Generator) -> Floats:
    """The accuracy of each team in each track, shape (T, K)."""
    shape = (cell.n_teams, cell.n_tracks)
    if cell.field == "equal":
        return np.full(shape, 0.75)
    if cell.field == "crossed":
        moved = rng.uniform(-0.12, 0.12, shape)
        return np.asarray(0.75 + moved - moved.mean(axis=1, keepdims=True))
    steps = np.linspace(0, 1, cell.n_teams)[:, None]
    if cell.field == "near":
        error = np.sqrt(0.75 * 0.25 / (cell.n_items * cell.n_tracks))
        return np.array(np.broadcast_to(0.75 - error * steps * (cell.n_teams - 1) / 2, shape))
    return np.array(np.broadcast_to(0.83 - 0.16 * steps, shape))


def group_sizes(cell: Cell, n_items: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Which group each item belongs to, shape (N,)."""
    weights = rng.pareto(1.2, cell.n_groups) + 1 if cell.pareto else np.ones(cell.n_groups)
    drawn = rng.choice(cell.n_groups, n_items, p=weights / weights.sum())
    return np.asarray(np.unique(drawn, return_inverse=True)[1], dtype=np.int64)


def drawn_tracks(
    cell: Cell, truth: Floats, rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64] | None]]:
    """Hits (T, N), units (N,) and groups of each track; the first units are those that all tracks share."""
    n_shared = round(cell.shared * cell.n_items)
    difficulty = rng.standard_normal(n_shared)
    own_part = rng.standard_normal((cell.n_teams, n_shared))
    start = n_shared
    for track in range(cell.n_tracks):
        n_items = cell.n_items
        if cell.sizes == "unequal":
            n_items = round(cell.n_items * (0.25 + 1.75 * track / max(1, cell.n_tracks - 1)))
        n_own = max(0, n_items - n_shared)
        n_items = n_own + n_shared
        hard = np.concatenate([difficulty, rng.standard_normal(n_own)])
        noise = rng.standard_normal((cell.n_teams, n_items))
        noise[:, :n_shared] = np.sqrt(0.5) * (noise[:, :n_shared] + own_part)
        has_groups = cell.n_groups > 0 and (cell.grouped == "all" or track % 2 == 0)
        groups = group_sizes(cell, n_items, rng) if has_groups else None
        of_group: Floats | float = 0.0
        left = 1 - COMMON_DIFFICULTY
        if groups is not None:
            effects = rng.standard_normal((cell.n_teams, int(groups.max()) + 1))
            of_group = np.sqrt(OF_GROUP) * effects[:, groups]
            left -= OF_GROUP
        latent = np.sqrt(COMMON_DIFFICULTY) * hard + of_group + np.sqrt(left) * noise
        hits = latent < ndtri(truth[:, track])[:, None]
        units = np.concatenate([np.arange(n_shared), start + np.arange(n_own)])
        start += n_own
        yield hits, units, groups


def part_of(
    cell: Cell, track: int, hits: NDArray[np.bool_], groups: NDArray[np.int64] | None, start: int
) -> TrackPart:
    """What a track adds to the differences of accuracies, with units from a number on."""
    n_teams, n_items = hits.shape
    scores = hits.mean(axis=1)
    component = 0 if cell.shared else track
    if not cell.n_groups:
        centred = (hits - scores[:, None]) / n_items
        covariance = cross_covariance(centred, centred)
        squares = (scores[:, None] - scores) ** 2
        nothing = np.zeros((n_teams, n_teams))
        found = differences_from(
            np.arange(n_teams), covariance, squares / n_items, squares, nothing
        )
        return TrackPart(found, component)
    own = np.arange(n_items) if groups is None else groups
    n_groups = int(own.max()) + 1
    sums = np.stack([np.bincount(own, row, n_groups) for row in hits / n_items]).astype(np.float64)
    leverage = np.bincount(own, minlength=n_groups) / n_items
    moved = (sums - scores[:, None] * leverage) / (1 - leverage)
    names = start + np.arange(n_groups)
    group_sums = GroupSums(sums, sums, leverage, np.zeros((n_teams, n_teams)), names)
    _, second, variance = group_sums.variances()
    found = Differences(
        np.arange(n_teams), cross_covariance(moved, moved), np.sqrt(second), np.sqrt(variance),
        np.zeros((n_teams, n_teams)), group_sums,
    )  # fmt: skip
    return TrackPart(found, component, n_groups if groups is not None else 0, groups is None)


def count(cell: Cell, seed: int) -> Counts:
    """Draw the campaigns of a cell, and count what is claimed."""
    counts = Counts()
    weights = np.ones(cell.n_tracks)
    if cell.weights == "unequal":
        weights = np.linspace(1, 4, cell.n_tracks)
    weights /= weights.sum()
    for campaign in range(cell.n_campaigns):
        rng = np.random.default_rng([seed, campaign, cell.n_tracks, cell.n_teams])
        truth = true_accuracies(cell, rng)
        true_means = np.round(truth @ weights, 12)
        if cell.field == "crossed":
            truth += 0.75 - true_means[:, None]
            true_means = np.full(cell.n_teams, 0.75)
        _count_one(cell, truth, true_means, weights, rng, counts)
    return counts


def _count_one(  # noqa: PLR0913, PLR0917 - a campaign, and where it is counted
    cell: Cell,
    truth: Floats,
    true_means: Floats,
    weights: Floats,
    rng: np.random.Generator,
    counts: Counts,
) -> None:
    drawn = list(drawn_tracks(cell, truth, rng))
    parts, cross, start = [], {}, 0
    for track, (hits, _, groups) in enumerate(drawn):
        parts.append(part_of(cell, track, hits, groups, start))
        start += hits.shape[1]
    if cell.shared and not cell.n_groups:
        values = [(hits - hits.mean(axis=1, keepdims=True)) / hits.shape[1] for hits, _, _ in drawn]
        n_shared = round(cell.shared * cell.n_items)
        for one in range(cell.n_tracks):
            for other in range(one + 1, cell.n_tracks):
                cross[one, other] = cross_covariance(
                    values[one][:, :n_shared], values[other][:, :n_shared]
                )
    scores = np.stack([hits.mean(axis=1) for hits, _, _ in drawn], axis=1)
    means = scores @ weights
    order = np.lexsort(scores.T)
    family = family_of_sum(parts, cross, weights, means, order, 1)
    ranks = competition_ranks(means)
    relation = family.relation(ranks)
    is_better = true_means[:, None] > true_means + 1e-9
    counts.n += 1
    counts.false += bool((relation.ahead & ~is_better).any())
    best = true_means >= true_means.max() - 1e-9
    # Of several that are best, one is drawn by its place: the promise is of any of them.
    counts.missed += not relation.could_be_best[np.flatnonzero(best)[0]]
    counts.found += int((relation.ahead & is_better).sum())
    counts.findable += int(is_better.sum())
    first = np.flatnonzero(ranks == 1)
    corrected = max(family.chosen_quantile(first), quantile_of(0))
    ends, first_ends = (_ends(drawn, quantile) for quantile in (None, corrected))
    most = np.full((cell.n_tracks,) * 2, cell.shared)
    correlations = correlations_of_tracks(parts, cross, most)
    lower, upper = mover_ends(means, weights * np.abs(ends - scores), correlations)
    inside = (lower <= true_means) & (true_means <= upper)
    counts.covered += int(inside.sum())
    counts.intervals += cell.n_teams
    worse, _ = mover_ends(means, weights * np.abs(first_ends - scores), correlations)
    leader = first[0]
    counts.first_covered += bool(worse[leader] <= true_means[leader] <= upper[leader])


def _ends(
    drawn: Sequence[tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64] | None]],
    quantile: float | None,
) -> Floats:
    """Wilson's ends of each accuracy, of groups with their design effect, shape (2, T, K)."""
    ends = []
    for hits, _, groups in drawn:
        n_items = hits.shape[1]
        share = hits.mean(axis=1)
        n_effective = np.full(len(share), float(n_items))
        own = quantile_of(0)
        if groups is not None:
            leverage = np.bincount(groups) / n_items
            sums = np.stack([np.bincount(groups, row) for row in (hits - share[:, None]) / n_items])
            by_group = ((sums / (1 - leverage)) ** 2).sum(axis=1)
            by_item = share * (1 - share) / n_items
            n_effective /= np.maximum(1.0, by_group / np.maximum(by_item, 1e-12))
            own = quantile_of(int(np.clip(round(1 / (leverage**2).sum()), 3, leverage.size)))
        ends.append(np.stack(share_ends(share, n_effective, max(own, quantile or 0.0))))
    return np.stack(ends, axis=-1)


def cells() -> Iterator[Cell]:
    """The cells that are drawn, the most doubtful one first."""
    yield Cell(20, 30, n_campaigns=1000)
    sizes = [(n_tracks, n_teams) for n_tracks in (2, 8, 20) for n_teams in (2, 8, 30)]
    for n_tracks, n_teams in sizes:
        n_campaigns = 200 if n_teams > MANY_TEAMS else 400
        for shared in (0.0, 0.5, 1.0):
            yield Cell(n_tracks, n_teams, shared=shared, n_campaigns=n_campaigns)
        yield Cell(n_tracks, n_teams, field="crossed", n_campaigns=n_campaigns)
    for field in ("near", "ladder"):
        for shared in (0.0, 0.5):
            yield Cell(8, 8, field=field, shared=shared, n_campaigns=200)
    for n_tracks, n_teams in ((3, 2), (3, 8), (8, 8)):
        for field in ("equal", "crossed"):
            yield Cell(n_tracks, n_teams, field=field, weights="unequal")
            yield Cell(n_tracks, n_teams, field=field, weights="unequal", sizes="unequal")
    for n_tracks, n_teams in ((2, 2), (2, 8), (8, 2), (8, 8)):
        n_campaigns = 300 if n_teams == 2 else 150
        for n_groups, pareto in ((4, False), (10, False), (20, True), (50, True)):
            yield Cell(n_tracks, n_teams, n_groups=n_groups, pareto=pareto, n_campaigns=n_campaigns)
        yield Cell(n_tracks, n_teams, n_groups=12, grouped="half", n_campaigns=n_campaigns)
        yield Cell(
            n_tracks, n_teams, n_groups=20, pareto=True, field="crossed", n_campaigns=n_campaigns
        )


def share(number: int, of: int) -> str:
    """A share in percent."""
    return f"{100 * number / of:.1f}" if of else "–"


def main() -> None:
    """Print one row for each cell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of campaigns")
    parser.add_argument("--only", default="", help="cells whose name contains this")
    parser.add_argument("--seed", type=int, default=47)
    options = parser.parse_args()
    print(
        "| K | T | N | cell | campaigns | false pair | best missed | mean's interval | first's interval | pairs found |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for cell in cells():
        if options.only not in cell.name:
            continue
        began = time.perf_counter()
        n_campaigns = max(1, round(cell.n_campaigns * options.scale))
        found = count(replace(cell, n_campaigns=n_campaigns), options.seed)
        rough = " (rough)" if found.false / found.n > MOST_FALSE else ""
        print(
            f"| {cell.n_tracks} | {cell.n_teams} | {cell.n_items} | {cell.name} | {found.n} | "
            f"{share(found.false, found.n)}{rough} | {share(found.missed, found.n)} | "
            f"{share(found.covered, found.intervals)} | {share(found.first_covered, found.n)} | "
            f"{share(found.found, found.findable)} |",
            flush=True,
        )
        print(f"{time.perf_counter() - began:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
