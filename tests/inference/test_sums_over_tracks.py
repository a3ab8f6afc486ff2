"""Weighted means over tracks as arrays: covariances, null variances, signs of units, degrees of freedom, intervals."""

import numpy as np
import pytest

from audit.inference.differences import Differences, differences_from
from audit.inference.group_sums import N_SIGNS, GroupSums
from audit.inference.sums_over_tracks import (
    TrackPart,
    by_component,
    correlations_of_tracks,
    covariance_of_sum,
    cross_covariance,
    differences_of_sum,
    family_of_sum,
    groups_of_sum,
    mover_ends,
    signed_draws,
)


def hits_of(seed, n_teams=4, n_items=60):
    return (np.random.default_rng(seed).random((n_teams, n_items)) < 0.7).astype(float)


def values_of(hits):
    """How far each item moves each accuracy."""
    return (hits - hits.mean(axis=1, keepdims=True)) / hits.shape[1]


def independent(hits, component):
    """A track of independent items, by accuracy."""
    scores, values = hits.mean(axis=1), values_of(hits)
    squares = (scores[:, None] - scores) ** 2
    nothing = np.zeros(squares.shape)
    teams = np.arange(len(hits))
    found = differences_from(teams, values @ values.T, squares / hits.shape[1], squares, nothing)
    return TrackPart(found, component)


def grouped(hits, groups, names, component, *, is_single=False):
    """A track of groups of items, by accuracy."""
    n_teams, n_items = hits.shape
    sums = np.stack([np.bincount(groups, row) for row in hits / n_items]).astype(float)
    leverage = np.bincount(groups) / n_items
    moved = (sums - hits.mean(axis=1)[:, None] * leverage) / (1 - leverage)
    group_sums = GroupSums(sums, sums, leverage, np.zeros((n_teams, n_teams)), names)
    _, second, variance = group_sums.variances()
    teams, nothing = np.arange(n_teams), np.zeros((n_teams, n_teams))
    found = Differences(
        teams, moved @ moved.T, np.sqrt(second), np.sqrt(variance), nothing, group_sums
    )
    return TrackPart(found, component, 0 if is_single else len(leverage), is_single)


WEIGHTS = np.array([0.25, 0.75])


def test_the_covariance_is_that_of_the_stacked_values():
    """Of the weighted sum of what each unit adds: here half of the items are those of both tracks."""
    first, second = hits_of(1), hits_of(2)
    one, two = values_of(first), values_of(second)
    cross = {(0, 1): cross_covariance(one[:, :30], two[:, :30])}
    stacked = np.zeros((4, 90))
    stacked[:, :60] += WEIGHTS[0] * one
    stacked[:, :30] += WEIGHTS[1] * two[:, :30]
    stacked[:, 60:] = WEIGHTS[1] * two[:, 30:]
    found = covariance_of_sum([independent(first, 0), independent(second, 0)], cross, WEIGHTS)
    np.testing.assert_allclose(found, stacked @ stacked.T, atol=1e-12)


def test_linked_tracks_err_together_under_no_difference_and_others_apart():
    """(Σ w√v)² within a component, Σ w²v between components."""
    variance = [np.full((2, 2), 4.0), np.full((2, 2), 9.0)]
    parts = [independent(hits_of(seed, 2), 0) for seed in (1, 2)]
    np.testing.assert_allclose(by_component(parts, variance, WEIGHTS), (0.25 * 2 + 0.75 * 3) ** 2)
    apart = [parts[0], TrackPart(parts[1].differences, 1)]
    np.testing.assert_allclose(
        by_component(apart, variance, WEIGHTS), (0.25 * 2) ** 2 + (0.75 * 3) ** 2
    )


def test_the_error_of_a_difference_is_the_closed_form_for_independent_tracks():
    """Σ w² (V + D²/N), by hand."""
    first, second = hits_of(3), hits_of(4)
    parts = [independent(first, 0), independent(second, 1)]
    means = WEIGHTS[0] * first.mean(axis=1) + WEIGHTS[1] * second.mean(axis=1)
    found = differences_of_sum(parts, {}, WEIGHTS, means)
    for above, below in ((0, 1), (2, 3)):
        expected = 0.0
        for weight, hits in zip(WEIGHTS, (first, second), strict=True):
            moved = hits[above] - hits[below]
            expected += weight**2 * (moved.var() / 60 + moved.mean() ** 2 / 60)
        assert found.error[above, below] == pytest.approx(np.sqrt(expected))


def test_what_a_unit_adds_to_two_tracks_is_added_before_it_is_squared():
    """The same groups with the same answers in both tracks are those of one track."""
    hits, groups = hits_of(5), np.arange(60) // 6
    part = grouped(hits, groups, np.arange(10), 0)
    means = hits.mean(axis=1)
    twice = differences_of_sum([part, part], {(0, 1): part.differences.covariance}, WEIGHTS, means)
    np.testing.assert_allclose(twice.error, part.differences.error)
    np.testing.assert_allclose(twice.covariance, part.differences.covariance)
    one = family_of_sum([part], {}, np.ones(1), means, np.arange(4), 1)
    two = family_of_sum(
        [part, part], {(0, 1): part.differences.covariance}, WEIGHTS, means, np.arange(4), 1
    )
    np.testing.assert_allclose(one.adjusted_p, two.adjusted_p)
    assert one.n_draws == 2**9 - 1


def test_single_items_beside_groups_are_drawn_as_a_normal_sum():
    """With the variance of their signs; groups keep signs of their own."""
    hits, own = hits_of(6), hits_of(7, n_items=500)
    parts = [
        grouped(hits, np.arange(60) // 6, np.arange(10), 0),
        grouped(own, np.arange(500), 10 + np.arange(500), 1, is_single=True),
    ]
    means = WEIGHTS[0] * hits.mean(axis=1) + WEIGHTS[1] * own.mean(axis=1)
    family = family_of_sum(parts, {}, WEIGHTS, means, np.arange(4), 1)
    assert family.n_draws == N_SIGNS
    drawn = family.draws[0] - family.draws[1]
    assert drawn.std() == pytest.approx(family.differences.spread[0, 1], rel=0.02)


def test_many_units_are_signed_one_by_one_up_to_the_largest(monkeypatch):
    """The rest together, with the same spread."""
    hits = hits_of(8, n_items=400)
    part = grouped(hits, np.arange(400) // 4, np.arange(100), 0)
    sums = part.differences.groups
    monkeypatch.setattr("audit.inference.sums_over_tracks.MOST_SIGNED", 40)
    drawn = signed_draws(sums, np.zeros(100, dtype=bool), np.arange(4), 1)
    assert drawn.shape == (4, N_SIGNS)
    assert (drawn[0] - drawn[1]).std() == pytest.approx(part.differences.spread[0, 1], rel=0.02)


def test_groups_of_a_sum_follow_satterthwaite():
    """Of two alike tracks of G groups 2(G − 1) degrees of freedom; without groups none are counted."""
    hits, groups = hits_of(9), np.arange(60) // 6
    part = grouped(hits, groups, np.arange(10), 0)
    apart = TrackPart(part.differences, 1, part.n_groups, is_single=False)
    assert groups_of_sum([part, apart], {}, np.full(2, 0.5)) == 2 * 9 + 1
    linked = groups_of_sum([part, part], {(0, 1): part.differences.covariance}, np.full(2, 0.5))
    assert linked == 9 + 1
    assert groups_of_sum([independent(hits, 0)], {}, np.ones(1)) == 0


def test_scores_that_nothing_moves_are_as_correlated_as_the_shared_items_allow():
    """A team without an error in either track."""
    perfect = np.ones((2, 50))
    parts = [independent(perfect, 0), independent(perfect, 0)]
    most = np.array([[0.0, 0.4], [0.4, 0.0]])
    found = correlations_of_tracks(parts, {(0, 1): np.zeros((2, 2))}, most)
    np.testing.assert_array_equal(found[0], [[1.0, 0.4], [0.4, 1.0]])


def test_ends_add_up_as_squares_or_as_they_are():
    """Independent scores 3-4-5; fully correlated ones 3 + 4."""
    distances = np.array([[[3.0, 4.0]], [[3.0, 4.0]]])
    for correlation, half in ((0.0, 5.0), (1.0, 7.0)):
        matrix = np.array([[[1.0, correlation], [correlation, 1.0]]])
        lower, upper = mover_ends(np.array([10.0]), distances, matrix)
        assert (lower[0], upper[0]) == (10 - half, 10 + half)


def test_nobody_to_compare_is_an_empty_family():
    """Without draws."""
    part = independent(np.zeros((0, 10)), 0)
    family = family_of_sum([part], {}, np.ones(1), np.zeros(0), np.arange(0), 1)
    assert family.n_draws == 0
