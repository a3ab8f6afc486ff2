"""How often claims over tracks are true by the whole engine: `python benchmarks/track_metrics.py`.

Labels are drawn, not scores: macro F1, Cohen's kappa and accuracy in one campaign, few items with many ties, teams that
are absent in half of the tracks, both policies. All teams are equally good in every track, so that every claim that one
is ahead of another is false. By mean score and by mean rank at once; five minutes of processor time.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

_ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(_ROOT)  # not this folder: it has a module called coverage
from audit.domain import Campaign, Gold, LabelSet, Policies, ScoreKey, Submission, Task  # noqa: E402
from audit.evaluation import evaluate  # noqa: E402
from audit.findings.campaign import MEAN, CampaignFindings  # noqa: E402
from audit.inference.ranks_over_tracks import MEAN_RANK  # noqa: E402
from benchmarks.tracks import MOST_FALSE, share  # noqa: E402

LABELS = LabelSet(("a", "b", "c"))
SHARES = (0.5, 0.3, 0.2)
COMMON_DIFFICULTY = 0.4  # part of an answer's latent variance that is the item's
RIGHT = 0.75


@dataclass(frozen=True)
class Cell:
    """One population of campaigns, and how many of them are drawn."""

    n_tracks: int
    n_teams: int
    n_items: int = 200
    metrics: tuple[str, ...] = (
        "averaged_f1",
    )  # of the tracks, one after the other, again from the start
    n_absent: int = 0  # teams that skip every second track
    policy: str = "left-out"  # or "last"
    shared: float = 0.0  # part of the items that all tracks have
    n_campaigns: int = 200

    @property
    def name(self) -> str:
        """The cell in a few words."""
        parts = [", ".join(self.metrics)]
        if self.shared:
            parts.append(f"{self.shared:.0%} of items shared")
        if self.n_absent:
            parts.append(f"{self.n_absent} absent in half of the tracks ({self.policy})")
        return "; ".join(parts)


def drawn_campaign(cell: Cell, rng: np.random.Generator) -> CampaignFindings:
    """Equally good teams in every track; of shared items every team has the same answer in all tracks."""
    n_shared = round(cell.shared * cell.n_items)
    shared_gold = rng.choice(len(SHARES), n_shared, p=SHARES)
    shared_answers = _answers(shared_gold, cell.n_teams, rng)
    tracks = []
    for track in range(cell.n_tracks):
        own_gold = rng.choice(len(SHARES), cell.n_items - n_shared, p=SHARES)
        gold = np.concatenate([shared_gold, own_gold]).astype(np.uint8)
        answers = np.concatenate([shared_answers, _answers(own_gold, cell.n_teams, rng)], axis=1)
        ids = [f"x-{item}-s" for item in range(n_shared)]
        ids += [f"x-{track}-{item}-o" for item in range(len(own_gold))]
        submissions = [
            Submission(f"team {team}", row.astype(np.uint8))
            for team, row in enumerate(answers)
            if team >= cell.n_absent or track % 2
        ]
        task = Task(
            slug=f"t-{track}",
            title=f"T: {track}",
            label_set=LABELS,
            official_metric=ScoreKey(cell.metrics[track % len(cell.metrics)]),
            policies=Policies(skipped=cell.policy),
            family="t",
            part=str(track),
            overall="mean-score",
        )
        made = Gold(LABELS, gold, item_ids=tuple(ids))
        tracks.append(evaluate(Campaign(task, made, tuple(submissions))))
    return CampaignFindings(tracks)


def _answers(gold: np.ndarray, n_teams: int, rng: np.random.Generator) -> np.ndarray:
    """Answers of teams that find the same items hard, shape (T, N)."""
    hard = rng.standard_normal(len(gold))
    noise = rng.standard_normal((n_teams, len(gold)))
    latent = np.sqrt(COMMON_DIFFICULTY) * hard + np.sqrt(1 - COMMON_DIFFICULTY) * noise
    is_right = latent < np.quantile(rng.standard_normal(20_000), RIGHT)
    wrong = (gold + rng.integers(1, len(SHARES), (n_teams, len(gold)))) % len(SHARES)
    return np.where(is_right, gold, wrong)


def count(cell: Cell, seed: int) -> dict[str, tuple[int, int, int]]:
    """By rule: campaigns that were compared, those with a false claim, those with a given best team missed."""
    counts = dict.fromkeys((MEAN, MEAN_RANK), (0, 0, 0))
    for campaign in range(cell.n_campaigns):
        found = drawn_campaign(cell, np.random.default_rng([seed, campaign, cell.n_tracks]))
        for rule in counts:
            comparison = found.compared_by(rule).comparison
            if comparison is None:
                continue
            compared = np.flatnonzero(comparison.possible_ranks[:, 0] > 0)
            equal = compared[
                compared >= cell.n_absent
            ]  # who skipped a track and is last there is no equal
            n, n_false, n_missed = counts[rule]
            is_false = bool(comparison.ahead[np.ix_(equal, equal)].any())
            is_missed = not comparison.could_be_best[equal[0]]
            counts[rule] = n + 1, n_false + is_false, n_missed + is_missed
    return counts


def cells() -> Iterator[Cell]:
    """The cells that are drawn."""
    mixed = ("averaged_f1", "kappa", "accuracy")
    yield Cell(2, 4)
    yield Cell(3, 8, metrics=mixed)
    yield Cell(3, 2, metrics=mixed)
    yield Cell(3, 8, n_items=40, metrics=("accuracy",))
    yield Cell(8, 8, n_items=60, metrics=mixed, n_campaigns=100)
    yield Cell(2, 8, shared=0.5, metrics=("averaged_f1", "accuracy"))
    yield Cell(2, 8, shared=1.0, metrics=("averaged_f1", "kappa"))
    for policy in ("left-out", "last"):
        yield Cell(4, 8, n_absent=3, policy=policy, metrics=mixed, n_campaigns=150)


def main() -> None:
    """Print one row for each cell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of campaigns")
    parser.add_argument("--seed", type=int, default=49)
    options = parser.parse_args()
    heads = [
        "K",
        "T",
        "N",
        "metrics",
        "campaigns",
        "false pair by mean",
        "best missed",
        "by mean rank",
        "best missed",
    ]
    print(f"| {' | '.join(heads)} |")
    print("| --- " * len(heads) + "|")
    for cell in cells():
        began = time.process_time()
        n_campaigns = max(1, round(cell.n_campaigns * options.scale))
        counts = count(Cell(**{**vars(cell), "n_campaigns": n_campaigns}), options.seed)
        texts = [
            str(cell.n_tracks),
            str(cell.n_teams),
            str(cell.n_items),
            cell.name,
            str(n_campaigns),
        ]
        for n, n_false, n_missed in counts.values():
            rough = " (rough)" if n and n_false / n > MOST_FALSE else ""
            texts += [f"{share(n_false, n)}{rough}", share(n_missed, n)]
        print(f"| {' | '.join(texts)} |", flush=True)
        print(f"{time.process_time() - began:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
