"""How few items carry the first place: without them the rival is ahead, and no more is claimed than was found."""

from itertools import product

import numpy as np
import pytest

from audit.domain import OBSERVED, ScoreKey
from audit.domain.answer_order import numbers_in
from audit.evaluation import score_campaign
from audit.inference import fragility
from audit.inference.fragility import Answers, Contest, carried_by, fewest_removed
from audit.metrics import score
from audit.ranking.ranks import TIE_TOLERANCE

from .codes import KEYS, coded, drawn, scored, shares

ACCURACY, AVERAGED = ScoreKey("accuracy"), ScoreKey("averaged_f1")


def without(gold, predictions, leader, carried):
    """Gold and predictions without the items that carry the first place, the first ones of each cell."""
    kept = np.ones(len(gold), dtype=bool)
    for code, first, second, count in carried.cells:
        alike = (
            (gold == code) & (predictions[leader] == first) & (predictions[carried.rival] == second)
        )
        assert alike.sum() >= count
        kept[np.flatnonzero(alike)[:count]] = False
    return gold[kept], [codes[kept] for codes in predictions]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_without_the_items_the_rival_is_ahead(key):
    """The whole campaign is scored anew from what is left of its data, and every class keeps an item."""
    gold, predictions = drawn(7, 300, 3, [0.72, 0.7, 0.69, 0.5], unanswered=0.05)
    evaluation, items = scored(gold, predictions, 3, prevalences=shares(3))
    carried = carried_by(evaluation, key, items)
    leader = evaluation.leader(key)
    left, answers = without(gold, predictions, leader, carried)
    assert len(left) == 300 - carried.n_items
    assert np.bincount(left, minlength=3).min() > 0
    scores = score_campaign(coded(left, answers, 3, prevalences=shares(3))).scores_of(key)
    assert scores[carried.rival] > scores[leader] + TIE_TOLERANCE


@pytest.mark.parametrize("seed", range(5))
def test_by_accuracy_it_is_one_item_more_than_the_lead(seed):
    """In closed form: each item on which the leader alone is right takes one from the lead."""
    gold, predictions = drawn(seed, 400, 4, [0.7, 0.7, 0.65, 0.6])
    evaluation, items = scored(gold, predictions, 4)
    n_right = sorted((int((gold == codes).sum()) for codes in predictions), reverse=True)
    assert carried_by(evaluation, ACCURACY, items).n_items == n_right[0] - n_right[1] + 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "key", [AVERAGED, ScoreKey("f1_of_averages"), ScoreKey("macro_recall")], ids=str
)
def test_it_is_an_upper_bound(seed, key):
    """Never fewer than an exhaustive search over all sets of items finds, and on a dozen items at most two more."""
    gold, predictions = drawn(seed, 12, 2, [0.8, 0.7, 0.6])
    evaluation, items = scored(gold, predictions, 2)
    carried, leader = carried_by(evaluation, key, items), evaluation.leader(key)
    kept = np.array(list(product([0, 1], repeat=12)))
    cells = np.stack([np.eye(6)[gold * 3 + codes] for codes in predictions])
    confusions = np.einsum("si,tic->stc", kept, cells).reshape(-1, 3, 2, 3)
    whole = (confusions.sum(axis=-1) > 0).all(axis=(1, 2))
    (scores,) = score(confusions[whole], [key], [OBSERVED], evaluation.task.label_set)
    overtaken = scores.max(axis=1) > scores[:, leader] + TIE_TOLERANCE
    assert (carried is not None) == overtaken.any()
    if carried is not None:
        fewest = 12 - kept[whole][overtaken].sum(axis=1).max()
        assert fewest <= carried.n_items <= fewest + 2


@pytest.mark.parametrize("seed", range(3))
def test_of_every_class_all_items_but_one_can_be_removed(seed):
    """In the order of what they add, counted one cell after the other."""
    rng = np.random.default_rng(seed)
    gold, left, gains = rng.integers(0, 4, 30), rng.integers(0, 6, 30), rng.normal(0.3, 1, 30)
    order = fragility._Order.of(
        Answers(gold, gold, gold, left, 4, np.arange(len(gold))), left, gains
    )
    spare, expected = np.bincount(gold, left, 4).astype(int) - 1, []
    for cell in sorted(range(30), key=lambda cell: -gains[cell]):
        able = min(int(left[cell]), int(spare[gold[cell]])) if gains[cell] > 0 else 0
        spare[gold[cell]] -= able
        expected += [(cell, able)] if able else []
    assert list(zip(order.cells.tolist(), order.able.tolist(), strict=True)) == expected
    assert len(expected) > 5


def test_a_tie_that_one_item_breaks():
    """Two teams level on different items: without one of them the other is ahead."""
    gold = np.array([0, 0, 0, 1, 1, 1])
    predictions = [np.array([0, 0, 1, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 0])]
    evaluation, items = scored(gold, predictions, 2)
    carried = carried_by(evaluation, ACCURACY, items)
    assert (carried.rival, carried.cells) == (1, ((1, 1, 0, 1),))


@pytest.mark.parametrize(
    "predictions",
    [
        [[0, 0, 1, 1]],  # alone
        [[0, 0, 1, 1], [0, 1, 1, 0]],  # perfect
        [[0, 1, 1, 0], [0, 1, 1, 0]],  # label-identical
        [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]],  # all wrong on everything
    ],
    ids=["alone", "perfect", "twins", "wrong"],
)
def test_where_nobody_can_get_ahead_nothing_is_found(predictions):
    """No rival, no item on which a rival is better, or no item on which anybody differs."""
    evaluation, items = scored([0, 0, 1, 1], predictions, 2)
    for key in (ACCURACY, AVERAGED, ScoreKey("averaged_f1", "balanced")):
        assert carried_by(evaluation, key, items) is None


def test_every_class_keeps_an_item():
    """The leader is better on one class of two items alone: one stays, and another class must do the rest."""
    gold = np.array([0, 0, 1, 1, 1, 1, 1, 1])
    predictions = [np.array([0, 0, 1, 1, 1, 1, 0, 0]), np.array([1, 1, 1, 1, 1, 1, 1, 0])]
    evaluation, items = scored(gold, predictions, 2)
    carried = carried_by(evaluation, ScoreKey("macro_recall"), items)
    left, _ = without(gold, predictions, 0, carried) if carried else (gold, None)
    assert 0 in left
    assert 1 in left


def test_a_score_without_influence_function_is_left_out():
    """The geometric mean of recalls of a rival that misses a class has no slope, so nothing leads anywhere."""
    gold = [0, 0, 0, 1, 1, 1]
    evaluation, items = scored(gold, [[0, 0, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0]], 2)
    assert carried_by(evaluation, ScoreKey("geometric_macro_recall"), items) is None


def test_the_search_ends_where_others_need_fewer_items(monkeypatch):
    """A rival that would need as many as another one did is given up, and so is a search without an end."""
    gold, predictions = drawn(3, 200, 3, [0.75, 0.7])
    evaluation, items = scored(gold, predictions, 3)
    contest = Contest.of(evaluation, AVERAGED)
    answers = Answers.of(
        items, contest.leader, contest.rivals[0], numbers_in(evaluation.class_order)
    )
    n_needed = int(fewest_removed(contest, answers).sum())
    assert fewest_removed(contest, answers, n_needed) is None
    assert fewest_removed(contest, answers, n_needed + 1).sum() == n_needed
    monkeypatch.setattr(fragility, "_MOST_STRIDES", 1)
    assert fewest_removed(contest, answers) is None


def test_rivals_farther_behind_are_tried_where_they_need_fewer_items():
    """The second team answers alike but for one item; the third errs where the leader does not, and needs more."""
    gold, predictions = drawn(11, 500, 3, [0.8, 0.55, 0.5])
    close = predictions[0].copy()
    close[np.flatnonzero(close == gold)[0]] = (gold[close == gold][0] + 1) % 3
    evaluation, items = scored(gold, [*predictions, close], 3)
    carried = carried_by(evaluation, AVERAGED, items)
    assert evaluation.names[carried.rival] != evaluation.names[evaluation.leader(AVERAGED)]
    lone = [
        fewest_removed(
            Contest.of(evaluation, AVERAGED),
            Answers.of(items, 0, rival, numbers_in(evaluation.class_order)),
        )
        for rival in (1, 2, 3)
    ]
    assert carried.n_items <= min(int(each.sum()) for each in lone if each is not None)
