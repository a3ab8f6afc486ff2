"""Competition ranks: against a naive reference, against SciPy, and where scores are nearly equal."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

import audit
from audit.ranking.ranks import (
    TIE_TOLERANCE,
    as_published,
    competition_ranks,
    printed_ranks,
    published_ranks,
)
from tests.nightly import examples

few_different_scores = st.integers(-4, 4).map(lambda tenths: tenths / 10)
nearly_equal_scores = st.builds(
    lambda tenth, step: tenth / 10 + step * 4e-13, st.integers(-2, 2), st.integers(0, 12)
)


def naive_ranks(scores):
    """METRICS.md, section 7, to the letter: sort, and a new rank starts where the gap exceeds 1e-12."""
    defined = sorted((score for score in scores if not math.isnan(score)), reverse=True)
    rank_of, rank = {}, 0
    for place, score in enumerate(defined):
        if place == 0 or defined[place - 1] - score > 1e-12:
            rank = place + 1
        rank_of[score] = rank
    return [len(defined) + 1 if math.isnan(score) else rank_of[score] for score in scores]


@given(scores=st.lists(few_different_scores | nearly_equal_scores | st.just(math.nan), max_size=20))
@examples(35)
def test_ranks_are_those_of_the_naive_reference(scores):
    """With equal, nearly equal and undefined scores, and with no team at all."""
    found = competition_ranks(np.array(scores, dtype=float))
    assert found.tolist() == naive_ranks(scores)
    assert found.dtype == np.int64


@given(scores=st.lists(few_different_scores, min_size=1, max_size=20))
@examples(35)
def test_ranks_are_scipys_where_no_scores_are_nearly_equal(scores):
    """1, 2, 2, 4: the method "min" on the scores from high to low."""
    ranks = competition_ranks(np.array(scores))
    np.testing.assert_array_equal(ranks, rankdata(-np.array(scores), method="min"))


@given(data=st.data())
@examples(35)
def test_a_stack_of_rankings_equals_its_members(data):
    """Leading axes are metrics, prevalences, replicates, anything."""
    shape = data.draw(st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(0, 6)))
    stack = data.draw(
        arrays(
            float, shape, elements=few_different_scores | nearly_equal_scores | st.just(math.nan)
        )
    )
    found = competition_ranks(stack)
    assert found.shape == shape
    for index in np.ndindex(*shape[:2]):
        np.testing.assert_array_equal(found[index], competition_ranks(stack[index]))


@given(
    scores=st.lists(nearly_equal_scores | st.just(math.nan), min_size=1, max_size=12),
    data=st.data(),
)
@examples(35)
def test_ranks_do_not_depend_on_the_order_of_the_teams(scores, data):
    """Nobody wins by the alphabet."""
    order = data.draw(st.permutations(range(len(scores))))
    ranks = competition_ranks(np.array(scores))
    np.testing.assert_array_equal(competition_ranks(np.array(scores)[order]), ranks[order])


@pytest.mark.parametrize(
    ("step", "expected"), [(0.8 * TIE_TOLERANCE, [1] * 10), (1.2 * TIE_TOLERANCE, range(1, 11))]
)
def test_being_equal_is_transitive(step, expected):
    """A chain of nearly equal scores is one rank, however far apart its ends are; steps above the tolerance are not."""
    chain = 0.5 - step * np.arange(10)
    assert competition_ranks(chain).tolist() == list(expected)


def test_the_tolerance_is_that_of_the_specification():
    """METRICS.md, section 7."""
    assert TIE_TOLERANCE == 1e-12


def test_undefined_scores_are_last_together():
    """Behind the lowest score, sharing a rank; never first while anybody has a score."""
    scores = np.array([[math.nan, -1.0, math.nan, 0.2], [0.1, math.nan, math.nan, math.nan]])
    assert competition_ranks(scores).tolist() == [[3, 2, 3, 1], [1, 2, 2, 2]]


def test_zero_and_minus_zero_share_a_rank():
    """The sign of nothing decides nothing."""
    assert competition_ranks(np.array([0.0, -0.0, 0.0])).tolist() == [1, 1, 1]


@given(
    scores=st.lists(st.floats(-1, 1) | st.just(math.nan), max_size=10), decimals=st.integers(0, 6)
)
@examples(35)
def test_published_scores_are_what_python_prints(scores, decimals):
    """To the last half: a score rounds as it is printed, and an undefined one stays undefined."""
    printed = [float(f"{score:.{decimals}f}") for score in scores]
    np.testing.assert_array_equal(as_published(np.array(scores), decimals), np.array(printed))


def test_a_half_rounds_by_its_exact_value():
    """.0285 is stored a little above, .0295 a little below: NumPy's rounding would get one of them wrong."""
    scores = [0.0285, 0.0295, 0.5005, 1.0005]
    assert as_published(np.array(scores), 3).tolist() == [float(f"{score:.3f}") for score in scores]
    assert as_published(np.array(scores), 3).tolist() != np.round(scores, 3).tolist()


def test_scores_that_print_alike_share_a_published_rank():
    """A and B of SemEval-2017 task 4 were first together at .681."""
    assert competition_ranks(as_published(np.array([0.68109, 0.68137, 0.676]), 3)).tolist() == [
        1,
        1,
        3,
    ]


@given(scores=st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4, float("nan")]), max_size=12))
@examples(35)
def test_a_shared_rank_is_printed_with_an_equals_sign(scores):
    """A rank of one team is not, and an undefined score has no rank at all, even where every score is undefined."""
    better = [sum(other > score for other in scores) for score in scores]
    expected = [
        f"{above + 1}=" if scores.count(score) > 1 else f"{above + 1}"
        for score, above in zip(scores, better, strict=True)
    ]
    expected = [
        "–" if np.isnan(score) else rank for score, rank in zip(scores, expected, strict=True)
    ]
    assert printed_ranks(np.array(scores)) == expected


def test_published_ranks_are_those_of_the_rounded_official_scores():
    """Accuracies .65 and .70 are both .7 at one decimal; where no decimals are stated nothing was published."""
    gold = ["a"] * 10 + ["b"] * 10
    predictions = {
        team: ["a"] * (10 + n_wrong) + ["b"] * (10 - n_wrong)
        for team, n_wrong in [("A", 7), ("B", 6), ("C", 9)]
    }
    rounded = audit.evaluate(gold, predictions, official_metric="accuracy", official_decimals=1)
    assert competition_ranks(rounded.scores_of(rounded.task.ranking_metric)).tolist() == [2, 1, 3]
    assert published_ranks(rounded) == ["1=", "1=", "3"]
    assert published_ranks(audit.evaluate(gold, predictions, official_metric="accuracy")) is None
