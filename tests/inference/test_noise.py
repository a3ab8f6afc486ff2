"""Label noise: shares of relabellings, held against every relabelling there is, and against counting from scratch."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from audit.domain import BALANCED, OBSERVED, ScoreKey
from audit.inference import fragility
from audit.inference.fragility import label_noise
from audit.metrics import count_confusions, score
from audit.ranking.ranks import first_places
from tests.nightly import untraced

from .codes import KEYS, drawn, scored, shares

ACCURACY, AVERAGED = ScoreKey("accuracy"), ScoreKey("averaged_f1")
N_DRAWS = 4000


def relabelled_golds(gold, n_relabelled, n_classes):
    """Every gold with so many labels replaced, all equally likely."""
    for places in combinations(range(len(gold)), n_relabelled):
        for further in product(range(1, n_classes), repeat=n_relabelled):
            new = gold.copy()
            new[list(places)] = (gold[list(places)] + further) % n_classes
            yield new


@pytest.mark.parametrize("n_relabelled", [1, 2])
def test_shares_are_those_of_all_relabellings(n_relabelled):
    """By every metric at every prevalence, within four standard errors of the draws."""
    gold, predictions = drawn(5, 14, 3, [0.75, 0.75, 0.6], unanswered=0.1)
    evaluation, items = scored(gold, predictions, 3, prevalences=shares(3))
    keys = [key for key in KEYS if not np.isnan(evaluation.scores_of(key)).any()]
    found = label_noise(evaluation, keys, items, 1, shares=(n_relabelled / 14,), n_draws=N_DRAWS)
    # a prevalence must not name a class that has gone: with two labels of each class left or more, none goes
    assert np.bincount(gold).min() > n_relabelled
    golds = list(relabelled_golds(gold, n_relabelled, 3))
    confusions = np.stack([count_confusions(new, predictions, 3) for new in golds])
    scores = score(confusions, keys, [OBSERVED, BALANCED, *shares(3)], evaluation.task.label_set)
    for key, those in zip(keys, scores, strict=True):
        exact = float(first_places(those)[:, evaluation.leader(key)].mean())
        error = math.sqrt(exact * (1 - exact) / N_DRAWS)
        assert found[key].stays == pytest.approx((exact,), abs=4 * error + 1e-12)
        assert found[key].n_draws == N_DRAWS


def test_updating_is_counting_anew():
    """What is updated from the relabelled items is what the relabelled gold gives, for every metric and every draw."""
    gold, predictions = drawn(2, 80, 4, [0.7, 0.65, 0.6, 0.5], unanswered=0.1)
    evaluation, items = scored(gold, predictions, 4, prevalences=shares(4))
    front = fragility._Front.of(evaluation, KEYS, items)
    in_order = np.sort(gold)
    answers = [codes[np.argsort(gold, kind="stable")] for codes in predictions]
    (drawn_items,) = fragility._draws(front, 8, 5, seed=3)
    stream = np.random.default_rng([3, *b"labels"])
    places = [(stream.choice(80, 8, replace=False), stream.integers(1, 4, 8))[0] for _ in range(5)]
    for count, state in zip([3, 8], fragility._states(front, drawn_items, [3, 8]), strict=True):
        golds = [in_order.copy() for _ in places]
        for new, where, labels in zip(golds, places, drawn_items.new, strict=True):
            new[where[:count]] = labels[:count]
        confusions = np.stack([count_confusions(new, answers, 4) for new in golds])
        expected = score(confusions, KEYS, [OBSERVED, BALANCED, *shares(4)], evaluation.task.label_set)
        for key, those in zip(KEYS, expected, strict=True):
            assert front.n_stayed(key, state) == first_places(those)[:, evaluation.leader(key)].sum()
        np.testing.assert_array_equal(state.prevalence, [np.bincount(new, minlength=4) for new in golds])
        np.testing.assert_array_equal(state.correct, np.diagonal(confusions, axis1=2, axis2=3))
        np.testing.assert_array_equal(front._confusions(state.relabelled, None), confusions)


def test_new_labels_are_others_and_each_equally_likely():
    """Never the old label, never a class that gold lacks; the rest uniformly."""
    gold = np.repeat([0, 2, 3], 40)
    evaluation, items = scored(gold, [gold, np.roll(gold, 1)], 4)
    front = fragility._Front.of(evaluation, [ACCURACY], items)
    blocks = list(fragility._draws(front, 60, 500, seed=1))
    old, new = (np.concatenate([getattr(block, which).ravel() for block in blocks]) for which in ("old", "new"))
    assert (old != new).all()
    counts = np.zeros((4, 4))
    np.add.at(counts, (old, new), 1)
    assert counts[[1], :].sum() == counts[:, [1]].sum() == 0
    np.testing.assert_allclose(counts[counts > 0], 30_000 / 6, rtol=0.06)


def test_the_items_of_a_draw_are_all_different():
    """No item is relabelled twice, and each as often as any other."""
    gold, predictions = drawn(1, 50, 2, [0.7, 0.6])
    evaluation, items = scored(gold, predictions, 2)
    front = fragility._Front.of(evaluation, [ACCURACY], items)
    (drawn_items,) = fragility._draws(front, 25, 400, seed=1)
    rates = drawn_items.answers.shape
    assert rates == (400, 25, 2)
    n_of_class_1 = (drawn_items.old == 1).sum(axis=1)
    expected = 25 * (gold == 1).mean()
    assert n_of_class_1.mean() == pytest.approx(expected, abs=0.5)
    assert n_of_class_1.max() <= (gold == 1).sum()


def test_without_noise_the_winner_stays():
    """A share of 0 relabels nothing; every share above 0 at least one item."""
    gold, predictions = drawn(4, 30, 3, [0.9, 0.5])
    evaluation, items = scored(gold, predictions, 3)
    found = label_noise(evaluation, KEYS[:20], items, 1, shares=(0.0,), n_draws=20)
    assert all(each.stays == (1.0,) for each in found.values())
    some = label_noise(evaluation, [ACCURACY], items, 1, shares=(0.0, 0.001, 1.0), n_draws=200)[ACCURACY]
    assert some.stays[0] == 1.0
    assert some.stays[2] < 0.5  # every label is wrong: whoever was right loses


def test_a_lead_that_hangs_on_one_label_is_lost_about_as_often_as_it_is_hit():
    """Two teams that differ in one item of n: relabelling that item loses the first place, any other one keeps it."""
    gold = np.repeat([0, 1], 10)
    rival = gold.copy()
    rival[0] = 1
    evaluation, items = scored(gold, [gold, rival], 2)
    found = label_noise(evaluation, [ACCURACY], items, 1, shares=(1 / 20,), n_draws=N_DRAWS)[ACCURACY]
    assert found.stays[0] == pytest.approx(19 / 20, abs=4 * math.sqrt(0.05 * 0.95 / N_DRAWS))


@untraced
def test_it_is_the_same_whenever_it_is_drawn(monkeypatch):
    """One seed, one result, however many draws are looked at together; another seed, another result."""
    gold, predictions = drawn(9, 60, 3, [0.62, 0.61, 0.6, 0.59])
    evaluation, items = scored(gold, predictions, 3)
    keys = [AVERAGED, ScoreKey("mcc", "balanced")]

    def stays(seed):
        found = label_noise(evaluation, keys, items, seed, n_draws=300)
        return [found[key].stays for key in keys]

    first = stays(1)
    assert stays(1) == first
    assert stays(2) != first
    monkeypatch.setattr(fragility, "_ANSWERS", 1)
    assert stays(1) == first


def test_only_those_next_to_the_leader_are_relabelled(monkeypatch):
    """With fewer rivals the leader stays at least as often; with all of them nothing changes."""
    gold, predictions = drawn(6, 100, 2, [0.6] * 8)
    evaluation, items = scored(gold, predictions, 2)
    everybody = label_noise(evaluation, [ACCURACY], items, 1, n_draws=200)[ACCURACY].stays
    monkeypatch.setattr(fragility, "_MOST_RIVALS", 2)
    few = label_noise(evaluation, [ACCURACY], items, 1, n_draws=200)[ACCURACY].stays
    assert all(one >= other for one, other in zip(few, everybody, strict=True))


def test_where_there_is_no_other_label_there_is_no_noise():
    """Gold of one class, and nobody to rank."""
    evaluation, items = scored([1, 1, 1], [[1, 1, 0], [1, 0, 0]], 2)
    assert label_noise(evaluation, [ACCURACY], items, 1) == {}
    assert label_noise(evaluation, [], items, 1) == {}


def test_a_class_that_loses_its_items_is_averaged_no_more():
    """One item of a class, relabelled: scores are those of the gold as it then is."""
    gold = np.array([0, 1, 1, 2, 2, 2])
    predictions = [np.array([0, 1, 1, 2, 2, 0]), np.array([1, 1, 1, 2, 2, 2])]
    evaluation, items = scored(gold, predictions, 3, prevalences=shares(3))
    keys = [ScoreKey("macro_recall"), ScoreKey("averaged_f1", "balanced")]
    found = label_noise(evaluation, keys, items, 1, shares=(1 / 6,), n_draws=N_DRAWS)
    golds = list(relabelled_golds(gold, 1, 3))
    confusions = np.stack([count_confusions(new, predictions, 3) for new in golds])
    scores = score(confusions, keys, [OBSERVED, BALANCED], evaluation.task.label_set)
    for key, those in zip(keys, scores, strict=True):
        exact = float(first_places(those)[:, evaluation.leader(key)].mean())
        assert 0 < exact < 1
        assert found[key].stays[0] == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / N_DRAWS))
    named = label_noise(evaluation, [ScoreKey("accuracy", "other year")], items, 1, shares=(0.5,), n_draws=50)
    assert all(0 <= share <= 1 for each in named.values() for share in each.stays)
