"""One relation: who is ahead, who could be best and possible ranks, against loops, laws and simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from audit.inference.comparison import Family
from audit.inference.differences import Differences
from audit.inference.gaussian import draw
from audit.inference.relation import Relation
from tests.nightly import whole_or

from .campaigns import largest_of_each


def differences_of(covariance, null=0.0, unidentified=0.0):
    """Differences of so many teams, all of which can differ."""
    own = np.diagonal(covariance)
    variance = np.where(np.eye(len(own)), 0, own[:, None] + own - 2 * covariance)
    error = np.sqrt(np.where(variance > 1e-12, variance + null, 0))
    return Differences(
        np.arange(len(own)),
        covariance,
        np.sqrt(variance),
        error,
        unidentified + np.zeros_like(error),
    )


def alike(n_teams, correlation=0.5):
    """Scores of the same variance, equally correlated."""
    return np.full((n_teams, n_teams), correlation) + (1 - correlation) * np.eye(n_teams)


def ranks_of(scores):
    """Ranks with ties."""
    return stats.rankdata(-np.asarray(scores), method="min").astype(int)


def related(scores, differences, draws):
    """The relation of a family."""
    return Family(np.asarray(scores, dtype=float), differences, draws).relation(ranks_of(scores))


# As it is written


def best_by_loops(scores, differences, draws, decided):
    """Who is not out: by a decision over all pairs, or by what the largest of the team's own comparisons exceeds."""
    kept = []
    for team in range(len(scores)):
        rivals = [rival for rival in range(len(scores)) if differences.spread[rival, team] > 0]
        behind = max(
            [(scores[rival] - scores[team]) / differences.error[rival, team] for rival in rivals],
            default=0.0,
        )
        chance = [
            max(
                (
                    abs(draws[rival, b] - draws[team, b]) / differences.spread[rival, team]
                    for rival in rivals
                ),
                default=0,
            )
            for b in range(draws.shape[1])
        ]
        kept.append(behind <= np.quantile(chance, 0.95) and not decided[:, team].any())
    return kept


@pytest.mark.parametrize("seed", range(6))
def test_who_could_be_best_is_that_of_loops(seed):
    """Also with twins; nobody is uncertain."""
    rng = np.random.default_rng(seed)
    parts = rng.normal(size=(5, 4))
    covariance = (parts @ parts.T)[np.ix_(*[[0, 1, 2, 3, 4, 1]] * 2)]
    differences = differences_of(covariance, null=0.3)
    scores = rng.normal(0, 2.5, 6)
    scores[5] = scores[1]
    draws = draw(covariance, seed, 300)
    family = Family(scores, differences, draws)
    decided = (family.adjusted_p <= 0.05) & (scores[:, None] > scores)
    expected = np.array(best_by_loops(scores, differences, draws, decided))
    sure = ~family.uncertain
    lowest = min(scores[expected & sure], default=np.inf)
    expected |= sure & (scores >= lowest) & ~decided.any(axis=0)
    assert family.relation(ranks_of(scores)).could_be_best.tolist() == expected.tolist()


@st.composite
def decisions(draw_):
    """Ranks with ties, and decisions that follow the order."""
    n_teams = draw_(st.integers(0, 9))
    ranks = ranks_of([draw_(st.integers(0, 6)) for _ in range(n_teams)])
    higher = ranks[:, None] < ranks
    decided = higher & np.array(
        [[draw_(st.booleans()) for _ in ranks] for _ in ranks], dtype=bool
    ).reshape(higher.shape)
    out = decided.any(axis=0) | (
        higher.any(axis=0) & np.array([draw_(st.booleans()) for _ in ranks], dtype=bool)
    )
    return ranks, decided, out, np.array([draw_(st.booleans()) for _ in ranks], dtype=bool)


def check_laws(relation):
    """What no page may contradict."""
    ahead, best, ranks = relation.ahead, relation.could_be_best, relation.ranks
    (first, last), n_teams = relation.possible_ranks.T, len(ranks)
    assert not (ahead & ahead.T).any()
    assert (ranks[:, None] < ranks)[ahead].all()
    assert (best == (first == 1)).all()
    assert not ahead[:, best].any()
    assert best.any() or not n_teams
    for team in np.flatnonzero(ahead.sum(axis=1) == n_teams - 1):
        assert np.flatnonzero(best).tolist() == [team]
    if best.sum() == 1:
        assert (ahead[best].sum(axis=1) == n_teams - 1).all()
        assert not relation.uncertain[best].any()
    assert (first <= ranks).all()
    assert (ranks <= last).all()


@given(decisions())
def test_no_two_statements_contradict_each_other(decided):
    """Whatever was decided."""
    check_laws(Relation.of(*decided))


def test_no_two_statements_contradict_each_other_in_random_fields():
    """Of all sizes and spreads, with teams of the same answers, and classes that some never predict."""
    rng = np.random.default_rng(1)
    for _ in range(whole_or(1500, 10_000)):
        n_teams = int(rng.integers(1, 9))
        parts = rng.normal(size=(n_teams, int(rng.integers(1, 8)))) * rng.choice(
            [0.0, 0.3, 1, 3], (n_teams, 1)
        )
        twin = rng.integers(0, n_teams, 2)
        parts[twin[0]] = parts[twin[1]]
        scores = rng.normal(0, rng.choice([0.1, 2, 10]), n_teams).round(1)
        scores[twin[0]] = scores[twin[1]]
        shy = rng.random((n_teams, n_teams)) * (rng.random(n_teams) < 0.2)
        differences = differences_of(parts @ parts.T, rng.choice([0, 0.3]), shy)
        relation = related(scores, differences, draw(differences.covariance, 1, 200))
        check_laws(relation)
        assert not relation.ahead[twin, twin[::-1]].any()


# What is promised


def test_of_two_equal_teams_one_is_called_best_in_one_of_twenty_samples():
    """Two-sided: the quantile of one pair is 1.96."""
    differences, draws = differences_of(alike(2)), draw(alike(2), 1, 40_000)
    for size, alone in ((1.9, False), (2.02, True)):
        scores = np.array([size * differences.error[0, 1], 0.0])
        relation = related(scores, differences, draws)
        assert (relation.could_be_best.tolist() == [True, False]) == alone == relation.ahead[0, 1]


@pytest.mark.parametrize("field", ["tied", "clear", "steps"])
def test_the_best_team_could_be_best_in_95_of_100_samples(field):
    """Over 300 samples: any given best team, whoever it ties with; errs once in 10,000 seeds."""
    truth = {"tied": [0.0] * 5, "clear": [4, 0, 0, 0, 0], "steps": [1.0, 0.8, 0.6, 0.2, -1]}[field]
    differences, draws = differences_of(alike(5, 0.6)), draw(alike(5, 0.6), 1)
    samples = np.random.default_rng(2).multivariate_normal(
        truth, alike(5, 0.6), 300, method="cholesky"
    )
    missed = sum(not related(scores, differences, draws).could_be_best[0] for scores in samples)
    assert missed <= stats.binom.ppf(1 - 1e-4, 300, 0.05)


def test_all_could_be_best_when_they_tie_and_the_first_always():
    """Nobody is ahead of it."""
    differences, draws = differences_of(alike(4)), draw(alike(4), 1)
    assert related(np.zeros(4), differences, draws).could_be_best.all()
    for seed in range(5):
        scores = np.random.default_rng(seed).normal(0, 20, 4)
        assert related(scores, differences, draws).could_be_best[scores.argmax()]


def test_one_team_and_no_team():
    """A lone one is best; of none nobody is."""
    nobody = related(np.zeros(0), differences_of(np.zeros((0, 0))), draw(np.zeros((0, 0)), 1))
    assert (nobody.could_be_best.size, nobody.possible_ranks.shape) == (0, (0, 2))
    alone = related(np.zeros(1), differences_of(np.eye(1)), draw(np.eye(1), 1))
    assert (alone.could_be_best.tolist(), alone.possible_ranks.tolist()) == ([True], [[1, 1]])


def test_a_team_alone_among_its_own_comparisons_is_ahead_of_all():
    """T − 1 comparisons ask less than all pairs: what they decide of the best is said of every pair with it."""
    draws, differences = draw(alike(10), 1), differences_of(alike(10))
    family = Family(np.zeros(10), differences, draws)
    own = np.quantile(largest_of_each(draws, differences.spread), 0.95, axis=1)
    scores = np.zeros(10)
    # too little for all pairs
    scores[0] = (own.max() + family.critical_value) / 2 * differences.error[0, 1]
    relation = related(scores, differences, draws)
    assert np.flatnonzero(relation.could_be_best).tolist() == [0]
    assert relation.ahead[0, 1:].all()
    assert relation.possible_ranks.tolist() == [[1, 1], *[[2, 10]] * 9]


def test_what_a_team_never_predicts_is_not_shown():
    """Its rivals are ahead only by what that class could not make up for; the condition shows the rest."""
    differences = differences_of(np.eye(2), unidentified=np.array([[0.0, 4.0], [0.0, 0.0]]))
    draws = draw(np.eye(2), 1)
    for lead, shown in ((5.0, False), (8.0, True)):
        family = Family(np.array([lead, 0.0]), differences, draws)
        assert family.decided_given()[0, 1]
        assert family.relation(np.array([1, 2])).ahead[0, 1] == shown


def test_a_team_less_sure_than_the_field_is_not_excluded():
    """However low it scores; the others are compared as without it."""
    covariance = np.diag([1e-4, 1e-4, 100.0, 1e-4, 1e-4])
    differences = differences_of(covariance)
    relation = related([5.0, 4.9, 4.0, 1.0, 0.9], differences, draw(covariance, 1))
    assert relation.uncertain.tolist() == [False, False, True, False, False]
    assert relation.could_be_best.tolist() == [True, False, True, False, False]
    assert relation.ahead[0, 1]
