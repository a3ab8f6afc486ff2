"""Rules that make one ranking of several, against elections worked by hand and against counting pair by pair."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from audit.ranking.rank_aggregation import (
    RULES,
    borda,
    condorcet_winner,
    copeland,
    elect,
    mean_rank,
    pareto_front,
    preferences,
)
from tests.nightly import examples

# The capital of Tennessee, the textbook election of 100 voters: Memphis, Nashville, Chattanooga, Knoxville.
CAPITALS = [(42, "MNCK"), (26, "NCKM"), (15, "CKNM"), (17, "KCNM")]
MEMPHIS, NASHVILLE, CHATTANOOGA, KNOXVILLE = range(4)

ballots = st.tuples(st.integers(1, 6), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.1, 0.2, 0.3, np.nan]))
)


def scores_of(counted, candidates):
    """Scores of voters who rank candidates: the first gets most."""
    rows = [[-order.index(name) for name in candidates] for n, order in counted for _ in range(n)]
    return np.array(rows, dtype=float)


def above(scores, a, b):
    """How many voters put a above b, one at a time; undefined is below every score."""
    ballots = [
        [-np.inf if np.isnan(score) else score for score in (row[a], row[b])] for row in scores
    ]
    return sum(first > second for first, second in ballots)


def test_the_capital_of_tennessee():
    """The textbook's numbers: Nashville wins each contest of two and has 194 points, Memphis 126."""
    scores = scores_of(CAPITALS, "MNCK")
    assert borda(scores).tolist() == [126, 194, 173, 107]
    assert preferences(scores)[MEMPHIS].tolist() == [0, 42, 42, 42]
    assert preferences(scores)[NASHVILLE].tolist() == [58, 0, 68, 68]
    assert condorcet_winner(scores) == NASHVILLE
    assert copeland(scores).tolist() == [-3, 3, 1, -1]


def test_condorcets_paradox():
    """Majorities go round in a circle: nobody wins, and Copeland and Borda tie all three."""
    scores = scores_of([(1, "ABC"), (1, "BCA"), (1, "CAB")], "ABC")
    assert condorcet_winner(scores) is None
    assert copeland(scores).tolist() == [0, 0, 0]
    assert borda(scores).tolist() == [3, 3, 3]
    assert mean_rank(scores).tolist() == [2, 2, 2]
    assert pareto_front(scores).all()


def test_borda_can_pass_over_a_condorcet_winner():
    """Three of five put A first, and B has more points: worked by hand, 6 against 7."""
    scores = scores_of([(3, "ABC"), (2, "BCA")], "ABC")
    assert condorcet_winner(scores) == 0
    assert borda(scores).tolist() == [6, 7, 2]


def test_the_front_is_who_is_never_outdone():
    """C is outdone by A; B by nobody; D equals A by every voter, which outdoes neither."""
    scores = np.array([[0.9, 0.5, 0.9, 0.9], [0.4, 0.6, 0.3, 0.4]])
    assert pareto_front(scores).tolist() == [True, True, False, True]


def test_an_undefined_score_is_last():
    """Beside the other undefined ones; a mean of scores that are not all defined is undefined."""
    scores = np.array([[0.9, np.nan, np.nan], [0.1, 0.9, np.nan]])
    assert mean_rank(scores).tolist() == [1.5, 1.5, 2.5]
    assert condorcet_winner(scores) is None
    assert np.isnan(RULES["meta-balance"].values(scores)).tolist() == [False, True, True]


def test_the_mean_of_scores_is_the_mean():
    """Opitz 2024, section 6.2."""
    assert RULES["meta-balance"].values(np.array([[0.6, 0.2], [0.2, 0.4]])).tolist() == [
        0.4,
        pytest.approx(0.3),
    ]


@examples(21)
@given(ballots)
def test_pairs_are_counted_one_by_one(scores):
    """Preferences, Copeland, Condorcet, Borda and the front follow from counting voters for each pair."""
    n_voters, n = scores.shape
    counted = np.array([[above(scores, a, b) for b in range(n)] for a in range(n)])
    assert (preferences(scores) == counted).all()
    points = [
        sum(
            counted[a, b] + (n_voters - counted[a, b] - counted[b, a]) / 2
            for b in range(n)
            if b != a
        )
        for a in range(n)
    ]
    assert borda(scores).tolist() == points
    won = [[int(np.sign(counted[a, b] - counted[b, a])) for b in range(n)] for a in range(n)]
    assert copeland(scores).tolist() == [sum(row) for row in won]
    unbeaten = [a for a in range(n) if all(won[a][b] == 1 for b in range(n) if b != a)]
    assert condorcet_winner(scores) == (unbeaten[0] if unbeaten else None)
    outdone = {
        a
        for a, b in itertools.permutations(range(n), 2)
        if counted[b, a] > 0 and counted[a, b] == 0
    }
    assert [not flag for flag in pareto_front(scores)] == [a in outdone for a in range(n)]


@examples(21)
@given(st.integers(2, 6), st.integers(1, 5), st.randoms())
def test_borda_orders_as_the_mean_rank_does_where_nobody_is_level(n, n_voters, random):
    """Points are voters times candidates below, on average."""
    scores = np.array([random.sample(range(n), n) for _ in range(n_voters)], dtype=float)
    np.testing.assert_allclose(borda(scores), n_voters * (n - mean_rank(scores)))


@examples(21)
@given(ballots)
def test_the_mean_rank_counts_who_is_above(scores):
    """One more than the candidates above, on average over the voters."""
    n_voters, n = scores.shape
    counted = [
        1 + sum(above(scores, b, a) for b in range(n) if b != a) / n_voters for a in range(n)
    ]
    np.testing.assert_allclose(mean_rank(scores), counted)


@examples(21)
@given(ballots)
def test_a_condorcet_winner_is_first_by_copeland_and_on_the_front(scores):
    """Alone by Copeland: it wins every contest, and nobody else can."""
    winner = condorcet_winner(scores)
    if winner is not None:
        assert np.flatnonzero(copeland(scores) == copeland(scores).max()).tolist() == [winner]
        assert pareto_front(scores)[winner]


def test_every_rule_crowns_by_its_own_values():
    """In the order of the registry; mean ranks are negative, so that more is better everywhere."""
    scores = scores_of(CAPITALS, "MNCK")
    outcomes = {outcome.rule: outcome for outcome in elect(scores)}
    assert list(outcomes) == list(RULES)
    assert {slug: outcome.winners for slug, outcome in outcomes.items()} == {
        "pareto": (MEMPHIS, NASHVILLE, CHATTANOOGA, KNOXVILLE),
        "condorcet": (NASHVILLE,),
        "copeland": (NASHVILLE,),
        "borda": (NASHVILLE,),
        "mean-rank": (NASHVILLE,),
        "meta-balance": (NASHVILLE,),
    }
    assert outcomes["mean-rank"].values.tolist() == (-mean_rank(scores)).tolist()


def test_who_takes_no_part_changes_nothing():
    """A baseline that every voter puts first has no value and takes no point from the others."""
    scores = scores_of(CAPITALS, "MNCK")
    with_baseline = np.column_stack([np.full(100, 9.0), scores])
    part = np.array([False, True, True, True, True])
    for outcome, alone in zip(elect(with_baseline, part), elect(scores), strict=True):
        assert np.isnan(outcome.values[0])
        np.testing.assert_array_equal(outcome.values[1:], alone.values)
        assert outcome.winners == tuple(winner + 1 for winner in alone.winners)


def test_nobody_wins_where_nobody_takes_part():
    """And nothing fails."""
    for outcome in elect(np.ones((2, 3)), np.zeros(3, dtype=bool)):
        assert outcome.winners == ()


def test_every_rule_says_what_it_assumes():
    """No entry of the registry is silent about it."""
    for slug, rule in RULES.items():
        assert rule.slug == slug
        assert rule.assumes.endswith(".")
        assert rule.explanation.endswith(".")
        assert rule.source
