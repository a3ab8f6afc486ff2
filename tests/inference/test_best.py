"""The leader's interval, corrected for its having been chosen as the best."""

import numpy as np
import pytest
from scipy import stats

from audit.domain import ScoreKey
from audit.inference.comparison import Family, compare
from audit.inference.differences import Differences
from audit.inference.gaussian import Neighbours, draw
from audit.inference.proportion_intervals import quantile_of, wilson

from .campaigns import ends_of_entry, field_of, made_certain, noisy, scored_with_items


def family_of(covariance, null=0.0):
    """Differences of so many teams, all of which can differ."""
    own = np.diagonal(covariance)
    variance = np.where(np.eye(len(own)), 0, own[:, None] + own - 2 * covariance)
    error = np.sqrt(np.where(variance > 1e-12, variance + null, 0))
    return Differences(
        np.arange(len(own)), covariance, np.sqrt(variance), error, np.zeros_like(error)
    )


# The leader's interval


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_leader_s_interval_contains_the_usual_one(seed, grouped):
    """The same upper end, and a lower end that is lower where others might have come first."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, 300)
    teams = noisy(rng, gold, 3, [0.8, 0.79, 0.78, 0.77, 0.3])
    groups = np.arange(300) // 4 if grouped else None
    evaluation, items = scored_with_items(gold, teams, 3, groups=groups)
    for name in ("accuracy", "averaged_f1", "mcc"):
        found = compare(evaluation, ScoreKey(name), items, 1)
        usual = ends_of_entry(
            evaluation, found.key, found.leader, items, quantile_of(items.n_groups)
        )
        assert found.leader_interval[1] == usual[1]
        assert found.leader_interval[0] < usual[0]
        # whoever is chosen among five has at most the quantile of five, by Šidák
        most = stats.norm.ppf(0.975 ** (1 / 5)) + 0.1
        most *= quantile_of(items.n_groups) / quantile_of(0)
        assert (
            found.leader_interval[0]
            >= ends_of_entry(evaluation, found.key, found.leader, items, most)[0]
        )


def chosen_by_loops(leader, scores, family, draws):
    """The smaller of two quantiles: of the largest error of all teams, and a stricter one of the plausible ones."""
    n_teams = len(scores)
    errors = [np.sqrt(family.covariance[team, team]) for team in range(n_teams)]
    varying = [team for team in range(n_teams) if errors[team] > 0]
    if not varying:
        return 0.0
    c = np.quantile(Neighbours.of(draws, family.spread).largest(), 0.995)
    close = [
        team
        for team in range(n_teams)
        if scores[leader] - scores[team] <= c * family.error[leader, team]
    ]
    plausible = {
        team
        for team in varying
        for other in close
        if abs(scores[team] - scores[other]) <= 2 * c * family.error[team, other]
    }

    def quantile(among, share):
        return np.quantile(
            [max(draws[team, b] / errors[team] for team in among) for b in range(draws.shape[1])],
            share,
        )

    return min(quantile(varying, 0.975), quantile(plausible, 0.98) if plausible else np.inf)


@pytest.mark.parametrize("seed", range(8))
def test_the_quantile_of_the_chosen_is_that_of_loops(seed):
    """Close fields, fields with teams far behind, and a team that cannot vary."""
    rng = np.random.default_rng(seed)
    parts = rng.normal(size=(6, 8))
    parts[4] = 0
    covariance = parts @ parts.T
    family = family_of(covariance)
    scores = rng.normal(0, [0.1, 3, 30, 300][seed % 4], 6)
    draws = draw(covariance, seed, 300)
    leader = int(scores.argmax())
    assert Family(scores, family, draws).chosen_quantile(np.array([leader])) == pytest.approx(
        chosen_by_loops(leader, scores, family, draws)
    )


def test_a_leader_far_ahead_pays_for_nobody():
    """Alone among the plausible teams it has a quantile of its own; among tied ones that of the largest error."""
    covariance = np.eye(8)
    family, draws = family_of(covariance), draw(covariance, 1, 40_000)
    apart, tied = np.array([100.0, *[0.0] * 7]), np.zeros(8)
    assert Family(apart, family, draws).chosen_quantile(np.array([0])) == pytest.approx(
        stats.norm.ppf(0.98), abs=0.05
    )
    assert Family(tied, family, draws).chosen_quantile(np.array([0])) == pytest.approx(
        stats.norm.ppf(0.975 ** (1 / 8)), abs=0.05
    )


def test_where_nothing_varies_nothing_is_corrected():
    """The usual quantile is left."""
    nothing = family_of(np.zeros((2, 2)))
    assert (
        Family(np.zeros(2), nothing, draw(np.zeros((2, 2)), 1)).chosen_quantile(np.array([0])) == 0
    )


@pytest.mark.parametrize("every", [5, 2])
def test_a_leader_that_cannot_vary_among_teams_that_can(every):
    """A perfect team: the others' quantile, whether any of them is near or not; its interval is as if of N items."""
    gold = np.tile([0, 1, 2], 40)
    fair = np.where(np.arange(120) % every == 0, (gold + 1) % 3, gold)
    evaluation, items = scored_with_items(gold, [gold, fair], 3)
    found = compare(evaluation, ScoreKey("accuracy"), items, 1)
    assert found.leader == 0
    assert found.leader_interval[1] == 1
    assert 0.9 < found.leader_interval[0] < 1


def test_naive_intervals_of_the_first_cover_too_seldom_and_corrected_ones_often_enough():
    """Ten tied teams, 200 samples of 300 items: the first one's accuracy is above .7 by having been chosen.

    The usual lower end lies above .7 in more than one sample of ten; the corrected one in 2.5% at most, but for chance.
    """
    rng = np.random.default_rng(3)
    above = np.zeros(2)
    for _ in range(200):
        right = rng.random((10, 300)) < 0.7
        scores = right.mean(axis=1)
        family = family_of(np.cov(right, bias=True) / 300, null=1e-4)
        leader = int(scores.argmax())
        chosen = Family(scores, family, draw(family.covariance, 1, 1000)).chosen_quantile(
            np.array([leader])
        )
        usual = quantile_of(0)
        above += [
            wilson(scores[leader], 300, quantile)[0] > 0.7
            for quantile in (usual, max(chosen, usual))
        ]
    assert above[0] > 20
    assert above[1] <= stats.binom.ppf(1 - 1e-4, 200, 0.025)


@pytest.mark.parametrize("n_groups", [1, 2])
def test_a_marked_score_s_leader_has_no_interval(n_groups):
    """Of one group there is none; of two a wide one."""
    gold, teams = field_of(54, 2)
    evaluation, items = scored_with_items(gold, teams, 2, groups=np.arange(len(gold)) % n_groups)
    found = compare(evaluation, ScoreKey("accuracy"), items, 1)
    assert np.isnan(found.leader_interval).all() == (n_groups == 1)
    assert n_groups == 1 or found.n_draws == 1  # the one other pattern of two signs


def test_a_leader_without_an_influence_has_the_usual_interval_or_none():
    """First by geometric macro recall with 0, as everybody is: it is in no pair, and has no corrected interval."""
    gold = np.tile([0, 1], 30)
    evaluation, items = scored_with_items(
        gold, [np.zeros(60, dtype=int), np.ones(60, dtype=int)], 2
    )
    found = compare(evaluation, ScoreKey("geometric_macro_recall"), items, 1)
    assert found.leader in {0, 1}
    assert np.isnan(found.leader_interval).all()
    assert not found.could_be_best.any()


def test_who_shares_first_place_was_chosen_as_much_as_its_namesake():
    """Two that are level and differ in how sure they are: both are corrected, in whatever order their names stand."""
    gold = np.repeat([0, 1], [60, 40])
    one, other = np.repeat([0, 1, 0, 1], [50, 10, 10, 30]), np.repeat([0, 1, 0, 1], [55, 5, 15, 25])
    behind = np.repeat([0, 1, 0, 1], [40, 20, 20, 20])
    by_name = {}
    for names in (("A", "B", "C"), ("B", "A", "C")):
        teams = dict(zip(names, (one, other, behind), strict=True))
        evaluation = made_certain(gold, teams, 2, official_metric=ScoreKey("accuracy"))
        comparison = evaluation.certainty.comparison(ScoreKey("accuracy"))
        usual = evaluation.certainty.intervals.lower[evaluation.keys.index(ScoreKey("accuracy"))]
        places = [evaluation.names.index(name) for name in names]
        corrected = comparison.chosen_lower[places]
        assert (corrected[:2] < usual[places[:2]]).all()
        assert np.isnan(corrected[2])
        by_name[names] = corrected[:2]
    np.testing.assert_allclose(*by_name.values(), atol=0.003)
