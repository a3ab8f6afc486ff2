"""Weights are multinomial, shared by all teams, and the same whatever the blocks; confusions are counts under them."""

import numpy as np
import pytest
from scipy import stats

from audit.inference import weighted
from audit.inference.weighted import CHUNK, Draws, Sample
from audit.metrics import count_confusions
from tests.nightly import untraced

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
    assert weights.var(axis=0).mean() == pytest.approx(1 - 1 / n_items, rel=0.01)


def test_two_items_are_drawn_with_the_covariance_of_the_multinomial():
    """−1/N: drawing one leaves less for the other."""
    n_items, n_replicates = 10, 40_000
    weights = Draws(n_items, n_replicates, 2).weights(0, n_replicates).astype(float)
    off = np.cov(weights.T)[~np.eye(n_items, dtype=bool)]
    assert off == pytest.approx(-1 / n_items, abs=5 / np.sqrt(n_replicates))
    assert off.mean() == pytest.approx(-1 / n_items, rel=0.03)


@pytest.mark.parametrize("groups", [None, np.arange(333) % 41])
@pytest.mark.parametrize("kind", ["weights", "swaps"])
def test_replicates_do_not_depend_on_how_many_are_drawn_at_once(kind, groups):
    """All at once is chunk by chunk, and a longer bootstrap begins with the shorter one."""
    draw = getattr(Draws(333, 300, 5, groups), kind)
    whole = draw(0, 300)
    parts = [draw(start, min(start + CHUNK, 300)) for start in range(0, 300, CHUNK)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    longer = getattr(Draws(333, 9999, 5, groups), kind)
    np.testing.assert_array_equal(longer(0, 10), whole[:10])
    np.testing.assert_array_equal(longer(CHUNK, 100), whole[CHUNK:100])


@pytest.mark.parametrize("cached", [1, 333, 5000])
def test_weights_do_not_depend_on_the_cache(monkeypatch, cached):
    """However few items are drawn together."""
    whole = Draws(333, 200, 5).weights(0, 200)
    monkeypatch.setattr(weighted, "_CACHED_DRAWS", cached)
    np.testing.assert_array_equal(Draws(333, 200, 5).weights(0, 200), whole)


@pytest.mark.parametrize("kind", ["weights", "swaps"])
def test_the_seed_decides_every_draw(kind):
    """The same seed, the same draws; another seed, another; and chunks differ from each other."""
    drawn, again, other = (getattr(Draws(100, 128, seed), kind)(0, 128) for seed in (1, 1, 2))
    np.testing.assert_array_equal(drawn, again)
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
    np.testing.assert_array_equal(drawn, np.stack([first[group] for group in groups], axis=1))
    by_group = np.stack(list(first.values()), axis=1)
    if kind == "weights":
        assert (by_group.sum(axis=1) == 5).all()
    assert len(np.unique(by_group, axis=0)) > 20


# Confusions


@untraced
@pytest.mark.parametrize("teams", [slice(0, 6), slice(2, 3), slice(4, 6)])
@pytest.mark.parametrize("size", [None, 1, 1000])
def test_confusions_are_counts_under_the_weights(monkeypatch, field, teams, size):
    """Team by team and replicate by replicate, those of np.bincount, however many answers are counted at once."""
    for constant in ("_ANSWERS", "_REPLICATES_AT_ONCE") if size else ():
        monkeypatch.setattr(weighted, constant, size)
    gold, predictions = field
    order = np.argsort(gold, kind="stable")
    weights = Draws(301, 70, 1).weights(0, 70)
    found = Sample.of(gold, predictions, N_CLASSES).confusions(teams, weights)
    for number, team in enumerate(predictions[teams]):
        cells = (gold * (N_CLASSES + 1) + np.minimum(team, N_CLASSES))[order]
        for replicate, row in enumerate(weights):
            counts = np.bincount(cells, weights=row, minlength=N_CLASSES * (N_CLASSES + 1))
            np.testing.assert_array_equal(found[replicate, number].ravel(), counts)


@pytest.mark.parametrize("drop", [False, True])
def test_weights_of_one_give_the_observed_confusions(field, drop):
    """An item counted once each is the campaign itself; dropped items are in no cell."""
    gold, predictions = field
    sample = Sample.of(gold, predictions, N_CLASSES, drop_missing=drop)
    assert (sample.n_items, sample.n_teams) == (301, 6)
    found = sample.confusions(slice(0, 6), np.ones((1, 301), np.uint8))
    np.testing.assert_array_equal(found[0], count_confusions(gold, predictions, N_CLASSES, drop_missing=drop))
