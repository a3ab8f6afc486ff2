"""Scores by name: every key gets its own score, at its own prevalence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.domain import BALANCED, OBSERVED, LabelSet, Prevalence, ScoreKey
from audit.errors import UsageError
from audit.metrics import (
    AGGREGATES,
    CLASS_METRICS,
    METRICS,
    Margins,
    all_keys,
    calibrate,
    margins_at,
    prevalence_shares,
    score,
)

from .strategies import confusions, label_set_of, shares_for

LABELS = LabelSet(("a", "b", "c"))
CONFUSION = np.array([[8, 1, 0, 1], [2, 5, 0, 1], [0, 0, 0, 0]])


def test_every_metric_has_a_key_at_every_prevalence():
    """The aggregates, and the class metrics for each class, absent ones included; no key twice."""
    prevalences = [OBSERVED, BALANCED, Prevalence("few", (("a", 0.9), ("b", 0.1)))]
    keys = all_keys(LABELS, prevalences)
    names = [metric.slug for metric in AGGREGATES]
    names += [f"{metric.slug}[{label}]" for metric in CLASS_METRICS for label in LABELS]
    assert keys == tuple(
        ScoreKey(name, prevalence.name) for prevalence in prevalences for name in names
    )
    assert len(set(keys)) == len(keys)


@given(data=st.data())
def test_each_score_is_the_kernel_at_the_prevalence_of_its_key(data):
    """In whatever order the keys and the prevalences are given."""
    confusion = data.draw(confusions())
    label_set, named = label_set_of(confusion), data.draw(shares_for(confusion))
    target = np.zeros(len(label_set))
    target[[int(label[1:]) for label, _ in named.shares]] = [share for _, share in named.shares]
    cells = {
        "observed": confusion,
        "balanced": calibrate(confusion),
        "named": calibrate(confusion, target),
    }
    prevalences = data.draw(st.permutations([OBSERVED, BALANCED, named]))
    keys = data.draw(st.permutations(all_keys(label_set, prevalences)))
    for key, found in zip(keys, score(confusion, keys, prevalences, label_set), strict=True):
        slug, _, label = key.metric.rstrip("]").partition("[")
        expected = METRICS[slug].kernel(Margins.of(cells[key.prevalence]))
        expected = expected[label_set.code_of[label]] if label else expected
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("together", [1, 30, 1 << 20])
def test_scores_do_not_depend_on_how_many_prevalences_are_scored_at_once(together, monkeypatch):
    """Of large confusions one at a time: together they would take several times the memory, and longer."""
    prevalences = [OBSERVED, BALANCED, Prevalence("few", (("a", 0.9), ("b", 0.1)))]
    keys, stack = all_keys(LABELS, prevalences), np.stack([CONFUSION, CONFUSION[:, [1, 0, 2, 3]]])
    expected = np.concatenate([score(stack, [key], prevalences, LABELS) for key in keys])
    monkeypatch.setattr("audit.metrics.scoring._TOGETHER", together)
    np.testing.assert_array_equal(score(stack, keys, prevalences, LABELS), expected)


@given(data=st.data())
def test_the_shares_of_a_prevalence_are_scaled_to_sum_1(data):
    """Shares 1 : 3 say the same as .25 : .75."""
    confusion = data.draw(confusions())
    label_set, named = label_set_of(confusion), data.draw(shares_for(confusion))
    doubled = Prevalence("named", tuple((label, 2 * share) for label, share in named.shares))
    once, twice = (margins_at(confusion, prevalence, label_set) for prevalence in (named, doubled))
    np.testing.assert_allclose(once.correct, twice.correct, rtol=1e-12)


def test_balanced_classes_are_those_that_gold_has():
    """Each has the same share, and together they are all."""
    shares = prevalence_shares(BALANCED, np.array([3, 0, 5, 1]), LabelSet(("a", "b", "c", "d")))
    assert shares.tolist() == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ((), "positive share to every class in gold"),
        ((("a", 1.0),), "positive share to every class in gold"),
        ((("a", 0.5), ("b", 0.3), ("c", 0.2)), "and to no other"),
        ((("a", 0.5), ("b", 0.0)), "positive share to every class in gold"),
        ((("a", 0.5), ("d", 0.5)), "The prevalence “few” names “d”, which is no label here"),
    ],
)
def test_a_prevalence_that_does_not_suit_the_gold_is_refused(shares, message):
    """One positive number for each class in gold, and for no other."""
    with pytest.raises(UsageError, match=message):
        margins_at(CONFUSION, Prevalence("few", shares), LABELS)


def test_a_key_at_a_prevalence_that_is_not_given_is_refused():
    """It has no score, and least of all whatever was in memory."""
    with pytest.raises(UsageError, match=r"There is no prevalence “few”\. There is observed alone"):
        score(CONFUSION, [ScoreKey("kappa"), ScoreKey("kappa", "few")], [OBSERVED], LABELS)


def test_averages_run_over_the_named_classes_that_are_in_gold():
    """A selection never brings back a class that is not averaged."""
    margins = Margins.of(CONFUSION)
    assert margins.over([1, 2]).averaged.tolist() == [False, True, False]
    assert margins.over([1, 2]).over([0]).n_averaged == 0
    assert margins.averaged.tolist() == [True, True, False]
