"""Swaps are fair coins and the same whatever the blocks; confusions are counts under item weights."""

import numpy as np
import pytest

from audit.inference import weighted
from audit.inference.weighted import CHUNK, Sample, SwapDraws
from audit.metrics import count_confusions

from .campaigns import noisy

N_CLASSES = 4


@pytest.fixture(scope="module")
def field():
    """Gold of four classes of which one is rare, and six teams: two identical, one with unanswered items."""
    rng = np.random.default_rng(11)
    gold = rng.choice(N_CLASSES, 301, p=[0.5, 0.3, 0.17, 0.03])
    teams = noisy(rng, gold, N_CLASSES, [0.8, 0.75, 0.7, 0.6, 0.5])
    teams[3] = np.where(rng.random(301) < 0.1, N_CLASSES + rng.integers(0, 2, 301), teams[3])
    return gold, [*teams, teams[1]]


# Swaps


@pytest.mark.parametrize("groups", [None, np.arange(333) % 41])
def test_swaps_do_not_depend_on_how_many_are_drawn_at_once(groups):
    """All at once is chunk by chunk, and a longer test begins with the shorter one."""
    draw = SwapDraws(333, 5, groups).swaps
    whole = draw(0, 300)
    parts = [draw(start, min(start + CHUNK, 300)) for start in range(0, 300, CHUNK)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    np.testing.assert_array_equal(draw(CHUNK, 100), whole[CHUNK:100])


def test_the_seed_decides_every_swap():
    """The same seed, the same swaps; another seed, another; and chunks differ from each other."""
    drawn, again, other = (SwapDraws(100, seed).swaps(0, 128) for seed in (1, 1, 2))
    np.testing.assert_array_equal(drawn, again)
    assert (drawn != other).mean() > 0.3
    assert (drawn[:CHUNK] != drawn[CHUNK:]).mean() > 0.3


def test_swaps_are_fair_coins():
    """0 or 1, each half of the time (within 4 standard errors), for each item."""
    swaps = SwapDraws(40, 3).swaps(0, 10_000)
    assert set(np.unique(swaps).tolist()) == {0, 1}
    assert swaps.mean(axis=0) == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(10_000))
    assert np.corrcoef(swaps.T)[~np.eye(40, dtype=bool)] == pytest.approx(
        0, abs=5 / np.sqrt(10_000)
    )


def test_items_of_a_group_share_their_swap():
    """Groups are drawn, whatever their numbers and order."""
    rng = np.random.default_rng(6)
    groups = rng.permutation(np.repeat([3, 17, 4, 99, 50], [1, 10, 2, 30, 7]))
    drawn = SwapDraws(50, 1, groups).swaps(0, 500)
    first = {group: drawn[:, groups == group][:, 0] for group in np.unique(groups)}
    np.testing.assert_array_equal(drawn, np.stack([first[group] for group in groups], axis=1))
    by_group = np.stack(list(first.values()), axis=1)
    assert len(np.unique(by_group, axis=0)) > 20


# Confusions


@pytest.mark.parametrize("teams", [slice(0, 6), slice(2, 3), slice(4, 6)])
@pytest.mark.parametrize("size", [None, 1, 1000])
def test_confusions_are_counts_under_the_weights(monkeypatch, field, teams, size):
    """Team by team and row by row, those of np.bincount, however many answers are counted at once."""
    for constant in ("_ANSWERS", "_ROWS_AT_ONCE") if size else ():
        monkeypatch.setattr(weighted, constant, size)
    gold, predictions = field
    order = np.argsort(gold, kind="stable")
    weights = np.random.default_rng(1).poisson(1, (70, 301)).astype(np.uint8)
    found = Sample.of(gold, predictions, N_CLASSES).confusions(teams, weights)
    for number, team in enumerate(predictions[teams]):
        cells = (gold * (N_CLASSES + 1) + np.minimum(team, N_CLASSES))[order]
        for place, row in enumerate(weights):
            counts = np.bincount(cells, weights=row, minlength=N_CLASSES * (N_CLASSES + 1))
            np.testing.assert_array_equal(found[place, number].ravel(), counts)


@pytest.mark.parametrize("drop", [False, True])
def test_weights_of_one_give_the_observed_confusions(field, drop):
    """An item counted once each is the campaign itself; dropped items are in no cell."""
    gold, predictions = field
    sample = Sample.of(gold, predictions, N_CLASSES, drop_missing=drop)
    assert (sample.n_items, sample.n_teams) == (301, 6)
    found = sample.confusions(slice(0, 6), np.ones((1, 301), np.uint8))
    np.testing.assert_array_equal(
        found[0], count_confusions(gold, predictions, N_CLASSES, drop_missing=drop)
    )
