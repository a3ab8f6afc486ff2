"""How often claims by mean ranks over tracks would be false: `python benchmarks/track_ranks.py`.

The procedure (a candidate, which the program does not use) redraws the scores of every track, ranks them, and compares
the mean ranks by the covariance of the redrawn ones. The truth is the expected mean rank over test sets of these sizes.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from audit.inference.comparison import Family, drawn_in_order
from audit.inference.differences import Differences
from audit.inference.gaussian import N_DRAWS
from audit.inference.sums_over_tracks import cross_covariance
from audit.ranking.ranks import competition_ranks

# not this folder: it has a module called coverage
sys.path[0] = str(Path(__file__).resolve().parents[1])
from benchmarks.tracks import Cell, drawn_tracks, true_accuracies  # noqa: E402

Floats = NDArray[np.float64]
# of the draws' variance, and of the variance of the redrawn mean ranks
INFLATED, WIDENED = 3.0, 4 / 3
MOST_FALSE = 0.065
N_OF_TRUTH = 3000


@dataclass(frozen=True)
class RankCell:
    """One population, with who is absent where."""

    base: Cell
    absent: int = 0  # so many teams are absent in every second track
    policy: str = "left-out"  # or "last"


def mid_ranks(goodness: Floats) -> Floats:
    """Ranks from 1 on, ties sharing their mean, along the first axis, shape (T, B)."""
    return np.asarray(rankdata(-goodness, axis=0), dtype=np.float64)


def ranks_of_track(goodness: Floats, present: NDArray[np.bool_], policy: str) -> Floats:
    """Ranks of the rows that took part, shape (T, B); of the others the last one, or NaN."""
    last = present.sum() + 1.0 if policy == "last" else np.nan
    ranks = np.full(goodness.shape, last)
    ranks[present] = mid_ranks(goodness[present])
    return ranks


def presence(cell: RankCell) -> NDArray[np.bool_]:
    """Who takes part in which track, shape (T, K)."""
    present = np.ones((cell.base.n_teams, cell.base.n_tracks), dtype=bool)
    if cell.absent:
        present[: cell.absent, ::2] = False
    return present


def redrawn(hits: NDArray[np.bool_], order: NDArray[np.int64], seed: int) -> Floats:
    """Scores of a track drawn anew about those observed, shape (T, B)."""
    n_items = hits.shape[1]
    scores = hits.mean(axis=1)
    centred = (hits - scores[:, None]) / n_items
    covariance = cross_covariance(centred, centred)
    null = (scores[:, None] - scores) ** 2 / n_items
    least = np.where(np.eye(len(null), dtype=bool), np.inf, null).min(axis=1)
    if len(scores) == 2:
        least /= 2
    errors = drawn_in_order(order, covariance, seed, 0).astype(np.float64)
    rng = np.random.default_rng([seed, *b"null"])
    errors += np.sqrt(least)[:, None] * rng.standard_normal(errors.shape)
    return np.asarray(scores[:, None] + np.sqrt(INFLATED) * errors)


def relation_by_ranks(
    cell: RankCell, drawn: list[NDArray[np.bool_]]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """The rows that are compared, who is ahead of whom among them, and who could be best."""
    present = presence(cell)
    compared = (
        np.flatnonzero(present.all(axis=1))
        if cell.policy == "left-out"
        else np.arange(len(present))
    )
    observed, again = [], []
    for track, hits in enumerate(drawn):
        of_track = present[:, track]
        scores = hits.mean(axis=1)
        order = np.argsort(scores[of_track], kind="stable")
        goodness = np.zeros((len(present), N_DRAWS))
        goodness[of_track] = redrawn(hits[of_track], order, 1000 + track)
        observed.append(ranks_of_track(scores[:, None], of_track, cell.policy)[compared, 0])
        again.append(ranks_of_track(goodness, of_track, cell.policy)[compared])
    mean_rank, redrawn_mean = np.mean(observed, axis=0), np.mean(again, axis=0)
    covariance = np.cov(redrawn_mean)
    own = np.diagonal(covariance)
    variance = np.maximum(own[:, None] + own - 2 * covariance, 0.0)
    differ = mean_rank[:, None] != mean_rank
    variance = np.where(differ, np.maximum(variance, len(drawn) ** -2.0 / N_DRAWS), variance)
    np.fill_diagonal(variance, 0.0)
    among = Differences(np.arange(len(compared)), covariance, np.sqrt(variance), np.sqrt(WIDENED * variance),
                        np.zeros_like(variance))  # fmt: skip
    order = np.argsort(mean_rank, kind="stable")
    family = Family.of(-mean_rank, among, 1, 0, order)
    relation = family.relation(competition_ranks(-mean_rank))
    return compared, relation.ahead, relation.could_be_best


def expected_mean_ranks(cell: RankCell, truth: Floats, seed: int) -> tuple[Floats, Floats]:
    """What each row gets on average over test sets of these sizes, and the Monte Carlo error of differences."""
    rng = np.random.default_rng([seed, 10**6])
    present, means = presence(cell), []
    for _ in range(N_OF_TRUTH):
        ranks = []
        for track, (hits, _, _) in enumerate(drawn_tracks(cell.base, truth, rng)):
            ranks.append(
                ranks_of_track(hits.mean(axis=1)[:, None], present[:, track], cell.policy)[:, 0]
            )
        means.append(np.mean(ranks, axis=0))
    found = np.array(means)
    error = (found[:, :, None] - found[:, None]).std(axis=0) / np.sqrt(N_OF_TRUTH)
    return found.mean(axis=0), error


def count(cell: RankCell, seed: int) -> tuple[int, int, int, int, int]:
    """Campaigns, those with a false claim, with the true best missed; true pairs found, and all of them."""
    truth = true_accuracies(
        cell.base, np.random.default_rng([seed, cell.base.n_tracks, cell.base.n_teams])
    )
    if cell.base.field == "equal" and not cell.absent:
        n_teams = cell.base.n_teams
        expected, error = np.zeros(n_teams), np.zeros((n_teams, n_teams))
    else:
        expected, error = expected_mean_ranks(cell, truth, seed)
    n_false = n_missed = n_found = n_true = 0
    for campaign in range(cell.base.n_campaigns):
        rng = np.random.default_rng([seed, campaign, cell.base.n_tracks, cell.base.n_teams])
        drawn = [hits for hits, _, _ in drawn_tracks(cell.base, truth, rng)]
        compared, ahead, could_be_best = relation_by_ranks(cell, drawn)
        # positive: the row is truly better
        lead = expected[compared][None] - expected[compared][:, None]
        is_better = lead > -3 * error[np.ix_(compared, compared)] if error.any() else lead > 0
        n_false += bool((ahead & ~is_better).any())
        n_missed += not could_be_best[np.argmin(expected[compared])]
        n_found += int((ahead & (lead > 0)).sum())
        n_true += int((lead > 0).sum())
    return cell.base.n_campaigns, n_false, n_missed, n_found, n_true


def cells() -> Iterator[RankCell]:
    """The cells that are drawn."""
    for n_tracks, n_teams in (
        (2, 2),
        (3, 2),
        (8, 2),
        (20, 2),
        (2, 8),
        (3, 8),
        (8, 8),
        (20, 8),
        (2, 30),
        (20, 30),
        (2, 50),
        (3, 50),
    ):
        few = 150 if n_teams >= 30 else 400
        yield RankCell(Cell(n_tracks, n_teams, n_campaigns=few))
    for n_tracks, n_teams in ((2, 2), (3, 8), (20, 8), (2, 30)):
        yield RankCell(Cell(n_tracks, n_teams, n_items=40, n_campaigns=200))
    for n_tracks, n_teams in ((2, 8), (8, 8), (20, 8)):
        yield RankCell(Cell(n_tracks, n_teams, field="crossed", n_campaigns=200))
        yield RankCell(Cell(n_tracks, n_teams, field="near", n_campaigns=200))
    for policy in ("left-out", "last"):
        yield RankCell(Cell(4, 8, n_campaigns=200), absent=2, policy=policy)


def main() -> None:
    """Print one row for each cell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=48)
    options = parser.parse_args()
    print("| K | T | N | cell | campaigns | false pair by ranks | best missed | pairs found |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for each in cells():
        began = time.perf_counter()
        n_campaigns = max(1, round(each.base.n_campaigns * options.scale))
        cell = replace(each, base=replace(each.base, n_campaigns=n_campaigns))
        n, n_false, n_missed, n_found, n_true = count(cell, options.seed)
        rough = " (rough)" if n_false / n > MOST_FALSE else ""
        absent = (
            f", {cell.absent} absent in half of the tracks ({cell.policy})" if cell.absent else ""
        )
        found = f"{100 * n_found / n_true:.0f}" if n_true else "–"
        base = cell.base
        print(
            f"| {base.n_tracks} | {base.n_teams} | {base.n_items} | {base.name}{absent} | {n} | "
            f"{100 * n_false / n:.1f}{rough} | {100 * n_missed / n:.1f} | {found} |",
            flush=True,
        )
        print(f"{time.perf_counter() - began:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
