"""Scores under many class distributions at once, against the calibration of one at a time and against sampled items."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.domain import BALANCED, OBSERVED, LabelSet, Prevalence
from audit.errors import UsageError
from audit.metrics import (
    METRICS,
    Cells,
    Margins,
    all_keys,
    calibrate,
    margins_under,
    parse_prevalence,
    parse_shares,
    prevalence_shares,
    score,
    score_each,
)
from audit.metrics import calibration as module

from .strategies import confusions, label_set_of, shares_for

LABELS = LabelSet(("a", "b", "c"))


def scores_at(confusion, shares):
    """Every metric of one confusion under one distribution, by the batch."""
    labels = label_set_of(confusion)
    names = [key.metric for key in all_keys(labels, [OBSERVED])]
    [(_, margins)] = margins_under(Cells.of(np.asarray(confusion)[None]), np.asarray(shares)[None])
    return score_each(names, margins, labels)[:, 0, 0]


def scores_of(confusion, prevalence):
    """The same by the public door, one calibration at a time."""
    labels = label_set_of(confusion)
    return score(np.asarray(confusion)[None], all_keys(labels, [prevalence]), [prevalence], labels)[
        :, 0
    ]


@given(st.data())
def test_every_metric_is_that_of_the_calibrated_confusion(data):
    """For any distribution the batch gives what scaling the confusion's rows gives; undefined stays undefined."""
    confusion = data.draw(confusions())
    prevalence = data.draw(shares_for(confusion))
    shares = prevalence_shares(prevalence, confusion.sum(axis=1), label_set_of(confusion))
    np.testing.assert_allclose(
        scores_at(confusion, shares), scores_of(confusion, prevalence), atol=1e-12
    )


@given(confusions())
def test_golds_own_distribution_changes_nothing(confusion):
    """What-if at the class distribution of gold is the identity, for every metric."""
    shares = prevalence_shares(OBSERVED, confusion.sum(axis=1), label_set_of(confusion))
    np.testing.assert_allclose(
        scores_at(confusion, shares), scores_of(confusion, OBSERVED), atol=1e-12
    )


@given(confusions())
def test_balanced_prevalence_is_a_special_case(confusion):
    """Equal shares of the classes in gold are prevalence calibration (Opitz 2024, equation 6)."""
    shares = prevalence_shares(BALANCED, confusion.sum(axis=1), label_set_of(confusion))
    np.testing.assert_allclose(
        scores_at(confusion, shares), scores_of(confusion, BALANCED), atol=1e-12
    )


@given(st.data())
def test_margins_are_those_of_the_calibrated_confusion(data):
    """Up to the total, which is 1."""
    confusion = data.draw(confusions())
    prevalence = data.draw(shares_for(confusion))
    shares = prevalence_shares(prevalence, confusion.sum(axis=1), label_set_of(confusion))
    [(_, ours)] = margins_under(Cells.of(confusion[None]), shares[None])
    theirs = Margins.of(calibrate(confusion, shares))
    for name in ("correct", "bias", "prevalence", "unanswered"):
        np.testing.assert_allclose(
            getattr(ours, name)[0, 0], getattr(theirs, name) / confusion.sum(), atol=1e-12
        )
    assert (ours.averaged[0, 0] == theirs.averaged).all()


def test_blocks_join_without_a_seam(monkeypatch):
    """Few or many distributions at a time: every one is scored once, in its place."""
    rng = np.random.default_rng(1)
    stack, shares = rng.integers(1, 9, (4, 3, 4)), rng.dirichlet(np.ones(3), 50)
    [(whole, together)] = margins_under(Cells.of(stack), shares)
    monkeypatch.setattr(module, "_BLOCK", 7 * 4 * 4)
    blocks = list(margins_under(Cells.of(stack), shares))
    assert whole == slice(0, 50)
    assert [rows.stop - rows.start for rows, _ in blocks] == [7] * 7 + [1]
    joined = np.concatenate([margins.bias for _, margins in blocks])
    np.testing.assert_array_equal(joined, together.bias)


def test_a_perfect_submission_is_perfect_everywhere():
    """Exactly 1, never a rounding above it, and never undefined."""
    shares = np.random.default_rng(2).dirichlet(np.ones(7), 2_000)
    perfect = np.concatenate([np.diag([3, 1, 4, 1, 5, 9, 2]), np.zeros((7, 1), int)], axis=1)
    for _, margins in margins_under(Cells.of(perfect[None]), shares):
        for slug in (
            "accuracy",
            "macro_recall",
            "averaged_f1",
            "f1_of_averages",
            "kappa",
            "weighted_f1",
        ):
            scores = METRICS[slug].kernel(margins)
            assert scores.max() <= 1
            assert scores.min() > 1 - 1e-12


@pytest.mark.parametrize("shares", [[1.0, 0.0, 0.0], [0.5, 0.25, 0.25], [0.6, 0.6, 0.0]])
def test_a_distribution_that_does_not_suit_gold_is_refused(shares):
    """No share for a class in gold, a share for one that it lacks, and shares that do not sum to 1."""
    with pytest.raises(UsageError, match="positive share to every class in gold"):
        list(
            margins_under(
                Cells.of(np.array([[[2, 0, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0]]])), np.array([shares])
            )
        )


def test_a_submission_scored_on_fewer_items_keeps_its_own_classes():
    """Where missing items are left out a team may lack a class that another has: its averages leave the class out."""
    both = np.array([[[4, 1, 0], [1, 4, 0]], [[3, 2, 0], [0, 0, 0]]])
    [(_, margins)] = margins_under(Cells.of(both), np.array([[0.3, 0.7]]))
    assert margins.averaged[0].tolist() == [[True, True], [True, False]]
    np.testing.assert_allclose(METRICS["macro_recall"].kernel(margins)[0], [0.8, 0.6])


# What a user types


def test_shares_are_read_as_typed_and_scaled():
    """Numbers, percentages, blanks after commas; a label with a comma stands in quotes."""
    counts = np.array([1, 1, 1])
    typed = parse_prevalence("a=50%, b=30%,c=20%", [], counts, LABELS)
    assert typed == Prevalence("a=50%, b=30%,c=20%", (("a", 0.5), ("b", 0.3), ("c", 0.2)))
    assert dict(parse_shares('"x,y=1",z==3', LabelSet(("x,y", "z=")))) == {"x,y": 0.25, "z=": 0.75}


def test_a_known_prevalence_is_meant_by_its_name():
    """Observed, balanced, and those of task.toml."""
    named = Prevalence("newsroom", (("a", 0.2), ("b", 0.3), ("c", 0.5)))
    assert parse_prevalence("newsroom", [OBSERVED, BALANCED, named], np.ones(3), LABELS) is named


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("newsrom", "no prevalence “newsrom”. Did you mean “newsroom”"),
        ("a=.5,b=.5", "no share to “c”"),
        ("a=.5,b=.5,c=0", "no share to “c”"),
        ("a=.5,b=.5,d=1", "names no label"),
        ("a=.5,a=.5", "twice"),
        ("a=.5,b=much,c=1", "“much” in"),
        ("a=.5,b=-1,c=1", "“-1” in"),
        ("a=.5,b=inf,c=1", "“inf” in"),
        ("a=.5,b=nan,c=1", "“nan” in"),
        ("a=0,b=0,c=0", "above 0"),
        ("a=.5,b", "names no label"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_words(text, message):
    """And never guessed."""
    known = [OBSERVED, BALANCED, Prevalence("newsroom")]
    with pytest.raises(UsageError, match=message):
        parse_prevalence(text, known, np.ones(3), LABELS)


def test_a_class_without_gold_has_no_share():
    """As in task.toml."""
    with pytest.raises(UsageError, match="gives a share to “c”, of which gold has no item"):
        parse_prevalence("a=1,b=1,c=1", [], np.array([2, 3, 0]), LABELS)
    assert parse_prevalence("a=1,b=3,c=0", [], np.array([2, 3, 0]), LABELS).shares == (
        ("a", 0.25),
        ("b", 0.75),
    )
