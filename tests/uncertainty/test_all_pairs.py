"""Every pair of entries at once: who alone is right, and how sure differences are."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from audit.domain import MOST_PAIRED, Policies, Role, ScoreKey, Submission
from audit.evaluation import evaluate, predictions_of
from audit.ranking import compare_pair, pairs, pairs_of

from .campaigns import scored
from .test_pairs import made


def with_gaps(campaign):
    """The campaign with answers missing, and outside the label set."""
    gap = [(replace(each, codes=each.codes.copy()), shift) for shift, each in enumerate(campaign.submissions)]
    for given, shift in gap:
        given.codes[shift::7] = 3 + shift % 2
    return replace(campaign, submissions=tuple(given for given, _ in gap))


@pytest.mark.parametrize("missing", ["wrong", "drop"])
@pytest.mark.parametrize("block", [1 << 22, 40])
def test_items_that_only_one_gets_right_are_counted_one_by_one(monkeypatch, missing, block):
    """For every ordered pair and class, whatever the missing rule and however many items are counted at once."""
    monkeypatch.setattr(pairs, "_ANSWERS", block)
    campaign = with_gaps(made(n_replicates=0, policies=Policies(missing=missing)))
    evaluation = evaluate(campaign)
    right = [submission.codes == campaign.gold.codes for submission in campaign.submissions]
    for one, other in permutations(range(5), 2):
        alone = campaign.gold.codes[right[one] & ~right[other]]
        assert evaluation.pairs.only_right[one, other].tolist() == np.bincount(alone, minlength=3).tolist()
    assert not np.diagonal(evaluation.pairs.only_right).any()


def test_the_error_of_a_difference_of_accuracies_is_that_of_mcnemar():
    """√(b + c − (b − c)²/N) / N, from the counts of items that only one of two gets right."""
    evaluation = evaluate(made(n_replicates=0))
    alone, n_items = evaluation.pairs.only_right.sum(axis=-1), evaluation.gold.n_items
    closed = np.sqrt(alone + alone.T - (alone - alone.T) ** 2 / n_items) / n_items
    row = evaluation.pairs.keys.index(ScoreKey("accuracy"))
    assert evaluation.pairs.standard_error[row] == pytest.approx(closed, rel=1e-6)
    assert evaluation.pairs.half_width == pytest.approx(1.96 * evaluation.pairs.standard_error)


@pytest.mark.parametrize("groups", [None, np.arange(300) % 40])
def test_errors_are_those_of_the_single_comparison(groups):
    """By every metric at every prevalence, also of items in groups, and of an entry that does not compete."""
    campaign = made(groups=groups, n_replicates=20, roles={"C": Role.BASELINE})
    evaluation = evaluate(campaign)
    predictions = predictions_of(evaluation, campaign)
    found = evaluation.pairs
    assert [str(key) for key in found.keys if key.metric == "mcc"] == ["mcc", "mcc~"]
    for row, key in enumerate(found.keys):
        single = compare_pair(evaluation, predictions, "A", "C", key)
        assert found.standard_error[row, 0, 2] == pytest.approx(single.delta_error, rel=1e-9)
        assert found.standard_error[row, 2, 0] == found.standard_error[row, 0, 2]


def test_label_identical_entries_differ_by_exactly_nothing():
    """The error of their difference is 0, not what rounding leaves; C and E of the campaign are one."""
    found = evaluate(made(n_replicates=0)).pairs
    assert (found.standard_error[:, 2, 4] == 0).all()
    assert not found.only_right[2, 4].any()


@pytest.mark.parametrize("n_items", [20, 200])
def test_no_error_where_the_delta_method_has_none(n_items):
    """A perfect entry, one that answers nothing, a geometric mean of 0: resampling cannot move them."""
    gold = np.arange(n_items) % 2
    answers = np.where(np.arange(n_items) % 5 == 0, 1 - gold, gold)
    evaluation = scored(gold, [gold, answers, np.roll(answers, 2), np.full(n_items, 2), np.zeros(n_items, int)], 2)
    errors = dict(zip(map(str, evaluation.pairs.keys), evaluation.pairs.standard_error, strict=True))
    for name, still in {"averaged_f1": [0, 3], "mcc": [0, 3, 4], "geometric_macro_recall": [0, 3, 4]}.items():
        assert np.isnan(errors[name][still]).all(), name
        assert np.isnan(errors[name][:, still]).all(), name
        assert errors[name][1, 2] > 0


def test_no_error_beside_an_entry_of_fewer_items():
    """A dropped item leaves a score of other items, whose difference has no pairs."""
    campaign = made(n_replicates=0, policies=Policies(missing="drop"))
    shorter = campaign.submissions[0].codes.copy()
    shorter[:3] = 3
    others = campaign.submissions[1:]
    found = evaluate(replace(campaign, submissions=(Submission("A", shorter), *others))).pairs
    assert np.isnan(found.standard_error[:, 0]).all()
    assert not np.isnan(found.standard_error[:, 1:, 1:]).any()


@pytest.mark.parametrize(("n_teams", "there"), [(1, False), (2, True), (MOST_PAIRED, True), (MOST_PAIRED + 1, False)])
def test_pairs_are_for_two_to_sixty_entries(n_teams, there):
    """One entry makes no pair, and nobody looks through more than 60."""
    gold = np.arange(12) % 2
    evaluation = scored(gold, {f"team {n:02}": np.roll(gold, n % 3 + 1) for n in range(n_teams)}, 2)
    assert (evaluation.pairs is not None) == there
    assert (pairs_of(evaluation, [gold] * n_teams) is not None) == there
