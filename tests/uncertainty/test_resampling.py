"""Weights are multinomial, shared by all teams, and the same whatever the blocks; confusions are counts under them."""

import os
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from scipy import stats

from audit.domain import ScoreKey
from audit.ranking import Draws, Sample, default_replicates, quantify
from audit.ranking.resampling import CHUNK

from .campaigns import bits, noisy, replicates, resampled

N_CLASSES = 4


@pytest.fixture(scope="module")
def field():
    """Gold of four classes of which one is rare, and six teams: two identical, one with unanswered items."""
    rng = np.random.default_rng(11)
    gold = rng.choice(N_CLASSES, 301, p=[0.5, 0.3, 0.17, 0.03])
    teams = noisy(rng, gold, N_CLASSES, [0.8, 0.75, 0.7, 0.6, 0.5])
    teams[3] = np.where(rng.random(301) < 0.1, N_CLASSES + rng.integers(0, 2, 301), teams[3])
    return gold, [*teams, teams[1]]


# Weights


def test_each_replicate_draws_as_many_items_as_there_are():
    """Every row of weights sums to N, and no weight is negative."""
    weights = Draws(777, 300, 1).weights(0, 300)
    assert weights.shape == (300, 777)
    assert (weights.sum(axis=1, dtype=np.int64) == 777).all()


def test_an_item_s_weight_is_binomial():
    """Over all replicates and items: mean 1, variance 1 - 1/N, and frequencies by χ² (errs once in 10,000 seeds)."""
    n_items, n_replicates = 50, 20_000
    weights = Draws(n_items, n_replicates, 1).weights(0, n_replicates)
    assert weights.mean() == 1
    # Items of a row are dependent; one item's weights over the replicates are not.
    first = weights[:, 7].astype(np.int64)
    error = np.sqrt((1 - 1 / n_items) / n_replicates)
    assert abs(first.mean() - 1) < 4 * error
    expected = stats.binom.pmf(range(6), n_items, 1 / n_items)
    observed = np.bincount(np.minimum(first, 5), minlength=6)
    expected[5] = 1 - expected[:5].sum()
    assert stats.chisquare(observed, expected * n_replicates).pvalue > 1e-4
    variance = weights.var(axis=0).mean()
    assert variance == pytest.approx(1 - 1 / n_items, rel=0.01)


def test_two_items_are_drawn_with_the_covariance_of_the_multinomial():
    """−1/N: drawing one leaves less for the other."""
    n_items, n_replicates = 10, 40_000
    weights = Draws(n_items, n_replicates, 2).weights(0, n_replicates).astype(float)
    covariance = np.cov(weights.T)
    off = covariance[~np.eye(n_items, dtype=bool)]
    assert off == pytest.approx(-1 / n_items, abs=5 * 1 / np.sqrt(n_replicates))
    assert off.mean() == pytest.approx(-1 / n_items, rel=0.03)


@pytest.mark.parametrize("groups", [None, np.arange(333) % 41])
@pytest.mark.parametrize("kind", ["weights", "swaps"])
def test_replicates_do_not_depend_on_how_many_are_drawn_at_once(kind, groups):
    """All at once is chunk by chunk, and a longer bootstrap begins with the shorter one."""
    whole = getattr(Draws(333, 300, 5, groups), kind)(0, 300)
    draw = getattr(Draws(333, 300, 5, groups), kind)
    parts = [draw(start, min(start + CHUNK, 300)) for start in range(0, 300, CHUNK)]
    assert (np.concatenate(parts) == whole).all()
    assert (getattr(Draws(333, 9999, 5, groups), kind)(0, 10) == whole[:10]).all()
    assert (getattr(Draws(333, 9999, 5, groups), kind)(CHUNK, 100) == whole[CHUNK:100]).all()


@pytest.mark.parametrize("cached", [1, 333, 5000])
def test_weights_do_not_depend_on_the_cache(monkeypatch, cached):
    """However few items are drawn together."""
    whole = Draws(333, 200, 5).weights(0, 200)
    monkeypatch.setattr(import_module("audit.ranking.resampling"), "_CACHED_DRAWS", cached)
    assert (Draws(333, 200, 5).weights(0, 200) == whole).all()


@pytest.mark.parametrize("kind", ["weights", "swaps"])
def test_the_seed_decides_every_draw(kind):
    """The same seed, the same draws; another seed, another; and chunks differ from each other."""
    drawn, again, other = (getattr(Draws(100, 128, seed), kind)(0, 128) for seed in (1, 1, 2))
    assert (drawn == again).all()
    assert (drawn != other).mean() > 0.3
    assert (drawn[:CHUNK] != drawn[CHUNK:]).mean() > 0.3


def test_swaps_are_fair_coins():
    """0 or 1, each half of the time (within 4 standard errors), for each item."""
    swaps = Draws(40, 10_000, 3).swaps(0, 10_000)
    assert set(np.unique(swaps).tolist()) == {0, 1}
    assert swaps.mean(axis=0) == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(10_000))
    assert np.corrcoef(swaps.T)[~np.eye(40, dtype=bool)] == pytest.approx(0, abs=5 / np.sqrt(10_000))


@pytest.mark.parametrize("kind", ["weights", "swaps"])
def test_items_of_a_group_share_their_draw(kind):
    """Groups are drawn, as many as there are, whatever their numbers and order."""
    rng = np.random.default_rng(6)
    groups = rng.permutation(np.repeat([3, 17, 4, 99, 50], [1, 10, 2, 30, 7]))
    drawn = getattr(Draws(50, 500, 1, groups), kind)(0, 500).astype(np.int64)
    first = {group: drawn[:, groups == group][:, 0] for group in np.unique(groups)}
    assert (drawn == np.stack([first[group] for group in groups], axis=1)).all()
    by_group = np.stack(list(first.values()), axis=1)
    if kind == "weights":
        assert (by_group.sum(axis=1) == 5).all()
    assert len(np.unique(by_group, axis=0)) > 20


@pytest.mark.parametrize(
    ("n_items", "expected"),
    [(1, 10_000), (20_000, 10_000), (20_001, 9_999), (50_000, 4_000), (200_000, 1_000), (10**7, 1_000)],
)
def test_the_default_number_of_replicates(n_items, expected):
    """The largest up to 10,000 with N·B ≤ 2·10⁸, at least 1,000."""
    assert default_replicates(n_items) == expected


# Confusions


@pytest.mark.parametrize("teams", [slice(0, 6), slice(2, 3), slice(4, 6)])
def test_confusions_are_counts_under_the_weights(field, teams):
    """Team by team and replicate by replicate, those of np.bincount."""
    gold, predictions = field
    order = np.argsort(gold, kind="stable")
    weights = Draws(301, 70, 1).weights(0, 70)
    found = Sample.of(gold, predictions, N_CLASSES).confusions(teams, weights)
    for number, team in enumerate(predictions[teams]):
        cells = (gold * (N_CLASSES + 1) + np.minimum(team, N_CLASSES))[order]
        for replicate, row in enumerate(weights):
            counts = np.bincount(cells, weights=row, minlength=N_CLASSES * (N_CLASSES + 1))
            assert (found[replicate, number].ravel() == counts).all()


def test_weights_of_one_give_the_observed_confusions(field):
    """An item counted once each is the campaign itself."""
    gold, predictions = field
    evaluation, _ = replicates(gold, predictions, N_CLASSES, n_replicates=1)
    found = Sample.of(gold, predictions, N_CLASSES).confusions(slice(0, 6), np.ones((1, 301), np.uint8))
    assert (found[0] == evaluation.confusions).all()


def test_grouped_replicates_are_those_of_whole_groups(field):
    """Counting a drawn group's items as often as the group is drawn gives the same scores."""
    gold, predictions = field
    groups = np.random.default_rng(8).integers(0, 30, 301)
    evaluation, scores = replicates(gold, predictions, N_CLASSES, n_replicates=40, groups=groups)
    order = np.argsort(gold, kind="stable")
    weights = Draws(301, 40, 1, groups[order]).weights(0, 40).astype(np.int64)
    row = evaluation.keys.index(ScoreKey("accuracy"))
    for team, given in enumerate(predictions):
        right = (gold == given)[order]
        assert scores[row, :, team] == pytest.approx(weights @ right / weights.sum(axis=1), abs=1e-12)


# The same bytes


def test_the_same_seed_gives_the_same_bytes(field):
    """And another seed another result."""
    once, again = (resampled(*field, N_CLASSES, n_replicates=200) for _ in range(2))
    assert bits(once.uncertainty) == bits(again.uncertainty)
    assert bits(resampled(*field, N_CLASSES, n_replicates=200, seed=2).uncertainty) != bits(once.uncertainty)


BLOCKS = {
    "audit.ranking.resampling": ("_CACHED_DRAWS", "_ANSWERS", "_REPLICATES_AT_ONCE"),
    "audit.ranking.replicates": ("_SCORE_BYTES", "_CONFUSION_CELLS", "_SCORING_CELLS"),
    "audit.ranking.randomization": ("_DRAWN_CELLS", "_EXCHANGED_CELLS", "_SCORED_CELLS"),
    "audit.ranking.separability": ("_BLOCK",),
}


@pytest.mark.parametrize("groups", [None, "groups"])
@pytest.mark.parametrize("size", [1, 1000, 200_000])
def test_block_sizes_change_no_bit(monkeypatch, field, size, groups):
    """Memory is bounded by blocks of teams, replicates, items and pairs, of which the result knows nothing."""
    given = None if groups is None else np.arange(301) % 37
    whole = resampled(*field, N_CLASSES, n_replicates=140, groups=given)
    for name, constants in BLOCKS.items():
        for constant in constants:
            monkeypatch.setattr(import_module(name), constant, size)
    assert bits(resampled(*field, N_CLASSES, n_replicates=140, groups=given).uncertainty) == bits(whole.uncertainty)


def test_the_order_of_teams_changes_no_interval(field):
    """Repaired rows draw by what a team answered, not by where it stands."""
    gold, teams = field
    one = resampled(gold, dict(zip("ABCDEF", teams, strict=True)), N_CLASSES, n_replicates=200)
    other = resampled(gold, dict(zip("FEDCBA", teams[::-1], strict=True)), N_CLASSES, n_replicates=200)
    assert (one.uncertainty.lower == other.uncertainty.lower[:, ::-1]).all()
    assert (one.uncertainty.upper == other.uncertainty.upper[:, ::-1]).all()


THREADED = """
import hashlib, sys
import numpy as np
from dataclasses import replace
from audit.domain import Campaign, Gold, LabelSet, Resampling, Submission, Task
from audit.evaluation import evaluate
rng = np.random.default_rng(1)
gold = rng.integers(0, 3, 20_000).astype(np.uint8)
teams = [np.where(rng.random(20_000) < 0.6, gold, rng.integers(0, 4, 20_000)).astype(np.uint8) for _ in range(30)]
labels = LabelSet(("a", "b", "c"))
task = Task("t", "T", labels, resampling=Resampling(300, 1))
teams = tuple(Submission(f"T{number:02}", codes) for number, codes in enumerate(teams))
found = evaluate(Campaign(task, Gold(labels, gold), teams)).uncertainty
arrays = [found.lower, found.upper, found.spearman_lower, found.spearman_upper]
arrays += [array for c in found.comparisons for array in (c.adjusted_p, c.standard_error, c.randomization_p)]
print(hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest())
"""


def test_the_number_of_threads_changes_no_bit():
    """One thread or several, in processes of their own."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    digests = [
        subprocess.run(
            [sys.executable, "-c", THREADED],
            env={**os.environ, **dict.fromkeys(names, n_threads)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for n_threads in ("1", "4")
    ]
    assert digests[0] == digests[1]
    assert len(digests[0].strip()) == 64


def test_progress_is_told_block_by_block(monkeypatch, field):
    """Whoever asks hears of every block of teams, and of their total."""
    heard = []
    evaluation, _ = replicates(*field, N_CLASSES, n_replicates=100)
    monkeypatch.setattr(import_module("audit.ranking.replicates"), "_SCORE_BYTES", 1)
    quantify(evaluation, field[1], n_replicates=100, seed=1, on_progress=lambda *step: heard.append(step))
    assert heard == [(number, 6) for number in range(1, 7)]
