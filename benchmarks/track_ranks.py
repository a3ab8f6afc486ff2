"""How often claims by mean ranks over tracks are false: `python benchmarks/track_ranks.py`, rows for coverage.md.

The program's own functions redraw the scores of every track, rank them, and compare the mean ranks. The truth is the
expected mean rank over test sets of these sizes. Ten minutes of processor time for all cells.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

# not this folder: it has a module called coverage
sys.path[0] = str(Path(__file__).resolve().parents[1])
from audit.inference.gaussian import N_DRAWS  # noqa: E402
from audit.inference.ranks_over_tracks import RankedTrack, family_of_ranks, mid_ranks, redrawn_ranks  # noqa: E402
from audit.inference.sums_over_tracks import cross_covariance  # noqa: E402
from audit.ranking.ranks import competition_ranks  # noqa: E402
from benchmarks.tracks import COMMON_DIFFICULTY, Cell, drawn_tracks, true_accuracies  # noqa: E402

Floats = NDArray[np.float64]
# correlation of the answers of teams that are nearly alike, beside the items' difficulty
ALIKE = 0.95
MOST_FALSE = 0.065
N_OF_TRUTH = 3000


@dataclass(frozen=True)
class RankCell:
    """One population, with who is absent where."""

    base: Cell
    absent: int = 0  # so many teams are absent in every second track
    policy: str = "left-out"  # or "last"
    n_alike: int = 0  # so many teams answer nearly alike, as runs of one system


def drawn_hits(cell: RankCell, truth: Floats, rng: np.random.Generator) -> list[NDArray[np.bool_]]:
    """Who is right on which item, by track, shape (T, N) each."""
    if not cell.n_alike:
        return [hits for hits, _, _ in drawn_tracks(cell.base, truth, rng)]
    tracks = []
    for track in range(cell.base.n_tracks):
        hard, common = rng.standard_normal((2, cell.base.n_items))
        noise = rng.standard_normal((cell.base.n_teams, cell.base.n_items))
        own = np.sqrt(1 - ALIKE) * noise[: cell.n_alike]
        noise[: cell.n_alike] = np.sqrt(ALIKE) * common + own
        latent = np.sqrt(COMMON_DIFFICULTY) * hard + np.sqrt(1 - COMMON_DIFFICULTY) * noise
        tracks.append(latent < ndtri(truth[:, track])[:, None])
    return tracks


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


def ranked_track(hits: NDArray[np.bool_], rows: NDArray[np.int64]) -> RankedTrack:
    """The rows that took part in a track, with what is known of their accuracies."""
    scores = hits.mean(axis=1)
    centred = (hits - scores[:, None]) / hits.shape[1]
    null = (scores[:, None] - scores) ** 2 / hits.shape[1]
    order = np.argsort(scores, kind="stable")
    return RankedTrack(rows, scores, cross_covariance(centred, centred), null, order)


def relation_by_ranks(
    cell: RankCell, drawn: list[NDArray[np.bool_]]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """The rows that are compared, who is ahead of whom among them, and who could be best."""
    present = presence(cell)
    compared = np.arange(len(present))
    if cell.policy == "left-out":
        compared = np.flatnonzero(present.all(axis=1))
    observed = np.zeros(len(present))
    again = np.zeros((len(present), N_DRAWS))
    for track, hits in enumerate(drawn):
        rows = np.flatnonzero(present[:, track])
        ranked = ranked_track(hits[rows], rows)
        (ranks,) = redrawn_ranks([ranked], {}, [1, track])
        # who skipped a track has the last rank there, which all that skipped it share
        last = np.full(len(present), len(rows) + 1.0)
        last[rows] = competition_ranks(ranked.goodness)
        observed += last / len(drawn)
        again[rows] += ranks / len(drawn)
    values = -observed[compared]
    order = np.argsort(-values, kind="stable")
    nothing = np.zeros((len(compared), len(compared)))
    family = family_of_ranks(values, again[compared], 1 / len(drawn), nothing, None, order, 1)
    relation = family.relation(competition_ranks(values))
    return compared, relation.ahead, relation.could_be_best


def expected_mean_ranks(cell: RankCell, truth: Floats, seed: int) -> tuple[Floats, Floats]:
    """What each row gets on average over test sets of these sizes, and the Monte Carlo error of differences."""
    rng = np.random.default_rng([seed, 10**6])
    present = presence(cell)
    means = []
    for _ in range(N_OF_TRUTH):
        ranks = []
        for track, hits in enumerate(drawn_hits(cell, truth, rng)):
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
        expected = np.zeros(n_teams)
        error = np.zeros((n_teams, n_teams))
    else:
        expected, error = expected_mean_ranks(cell, truth, seed)
    n_false = n_missed = n_found = n_true = 0
    for campaign in range(cell.base.n_campaigns):
        rng = np.random.default_rng([seed, campaign, cell.base.n_tracks, cell.base.n_teams])
        drawn = drawn_hits(cell, truth, rng)
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
    for n_tracks, n_teams, n_alike in ((2, 8, 4), (3, 8, 4), (3, 8, 7), (2, 20, 10), (8, 20, 10)):
        yield RankCell(Cell(n_tracks, n_teams, n_campaigns=150), n_alike=n_alike)
    for policy in ("left-out", "last"):
        yield RankCell(Cell(4, 8, n_campaigns=200), absent=2, policy=policy)
        yield RankCell(Cell(4, 8, field="near", n_campaigns=200), absent=3, policy=policy)


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
        alike = ""
        if cell.n_alike:
            alike = f", {cell.n_alike} nearly alike"
        print(
            f"| {base.n_tracks} | {base.n_teams} | {base.n_items} | {base.name}{absent}{alike} | {n} | "
            f"{100 * n_false / n:.1f}{rough} | {100 * n_missed / n:.1f} | {found} |",
            flush=True,
        )
        print(f"{time.perf_counter() - began:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
