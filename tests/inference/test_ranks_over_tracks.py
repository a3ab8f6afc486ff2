"""Mean ranks and Borda counts over tracks: redrawn ranks in closed form, what is claimed, and of what nothing is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm, rankdata

from audit.domain import ScoreKey
from audit.findings.campaign import MEAN, CampaignFindings
from audit.inference.ranks_over_tracks import (
    BORDA,
    INFLATED,
    MEAN_RANK,
    RankedTrack,
    mid_ranks,
    redrawn_ranks,
)
from audit.report.campaign_words import CampaignWords

from .test_over_tracks import answers, of_items


def tracks_of(rights, *, n_items=300, seed=1, names="ABCDEF", **settings):
    """A track for each row of accuracies, of a team for each column; tracks share no item."""
    rng = np.random.default_rng(seed)
    found = []
    for place, of_track in enumerate(rights):
        gold = rng.integers(0, 3, n_items)
        teams = {
            names[team]: answers(rng, gold, right)
            for team, right in enumerate(of_track)
            if right is not None
        }
        ids = range(place * n_items, (place + 1) * n_items)
        found.append(of_items(gold, teams, ids, part=f"T{place}", **settings))
    return found


@given(arrays(np.float64, (5, 4), elements=st.sampled_from([0.1, 0.2, 0.5, 0.7])))
def test_mid_ranks_are_those_of_scipy(goodness):
    """Ties share the mean of their places."""
    np.testing.assert_array_equal(mid_ranks(goodness), rankdata(-goodness, axis=0))


def test_two_teams_trade_places_as_often_as_the_normal_distribution_says():
    """Redrawn with √3 times their errors: P(rank 2) = Φ(−d/√(3(V + null)))."""
    covariance = np.array([[4e-4, 1e-4], [1e-4, 4e-4]])
    null = np.array([[0.0, 2e-4], [2e-4, 0.0]])
    track = RankedTrack(np.arange(2), np.array([0.82, 0.80]), covariance, null, np.arange(2))
    (ranks,) = redrawn_ranks([track], {}, [1, 0])
    of_difference = 4e-4 + 4e-4 - 2 * 1e-4 + 2e-4
    expected = norm.cdf(-0.02 / np.sqrt(INFLATED * of_difference))
    assert (ranks[0] == 2).mean() == pytest.approx(expected, abs=0.03)
    np.testing.assert_array_equal(ranks.sum(axis=0), 3)


def test_correlated_tracks_are_redrawn_together():
    """Where every item is shared and answered alike, the ranks are the same in both tracks."""
    covariance = np.diag([4e-4, 4e-4, 4e-4])
    nothing = np.zeros((3, 3))
    track = RankedTrack(
        np.arange(3), np.array([0.8, 0.79, 0.78]), covariance, nothing, np.arange(3)
    )
    first, second = redrawn_ranks([track, track], {(0, 1): covariance}, [1, 0])
    np.testing.assert_array_equal(first, second)
    apart, other = redrawn_ranks([track, track], {}, [1, 0])
    assert (apart != other).any()


def test_who_is_ahead_in_every_track_is_ahead_by_ranks():
    """With the largest p of the tracks, whatever the redrawn ranks say."""
    found = CampaignFindings(tracks_of([(0.95, 0.6, 0.3), (0.9, 0.6, 0.3)]), by="mean-rank")
    comparison = found.comparison
    own = [track.certainty.comparison(track.task.ranking_metric) for track in found.evaluations]
    assert all(each.ahead[0, 1] for each in own)
    assert comparison.ahead[0, 1]
    assert comparison.adjusted_p[0, 1] <= max(each.adjusted_p[0, 1] for each in own)
    assert found.is_significant
    assert "significantly ahead of both other teams" in CampaignWords(found).verdict()


def test_equal_answers_tie_and_names_change_nothing():
    """Twins have the same mean rank and are never ahead of each other; p-values follow the answers."""
    rights = [(0.8, 0.7, 0.6), (0.75, 0.7, 0.65)]
    found = CampaignFindings(tracks_of(rights), by="mean-rank")
    renamed = CampaignFindings(tracks_of(rights, names="CABDEF"), by="mean-rank")
    places = [renamed.row_number(name) for name in "CAB"]
    np.testing.assert_array_equal(
        found.comparison.adjusted_p, renamed.comparison.adjusted_p[np.ix_(places, places)]
    )
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 3, 200)
    alike = answers(rng, gold, 0.8)
    teams = {"A": alike, "B": alike, "C": answers(rng, gold, 0.5)}
    twins = CampaignFindings([of_items(gold, teams, range(200))] * 2, by="borda")
    assert not twins.comparison.ahead[0, 1]
    assert twins.comparison.adjusted_p[0, 1] == 1


def test_mean_rank_and_borda_count_order_and_claim_alike():
    """Where no scores tie, one is the other, mirrored: the same p, the same confidence set."""
    found = CampaignFindings(tracks_of([(0.9, 0.8, 0.6, 0.5), (0.85, 0.8, 0.7, 0.4)]))
    by_rank = found.compared_by(MEAN_RANK).comparison
    by_borda = found.compared_by(BORDA).comparison
    np.testing.assert_array_equal(by_rank.adjusted_p, by_borda.adjusted_p)
    np.testing.assert_array_equal(by_rank.could_be_best, by_borda.could_be_best)
    lower, upper = found.compared_by(MEAN_RANK).shown_ends
    assert (lower <= found.tracks.summary.mean_rank).all()
    assert (found.tracks.summary.mean_rank <= upper).all()
    assert lower.min() >= 1
    assert upper.max() <= 4


def test_who_skipped_a_track_is_compared_only_by_the_policy_last():
    """Left out, it is in no pair; with the last rank there, it is."""
    rights = [(0.9, 0.8, 0.5), (0.9, 0.8, None), (0.9, 0.8, 0.5)]
    left_out = CampaignFindings(tracks_of(rights), by="mean-rank")
    assert left_out.comparison.possible_ranks[2].tolist() == [0, 0]
    tracks = tracks_of(rights)
    policies = replace(tracks[0].task.policies, skipped="last")
    last = [replace(each, task=replace(each.task, policies=policies)) for each in tracks]
    assert CampaignFindings(last, by="mean-rank").comparison.possible_ranks[2, 0] == 3


def test_nothing_is_claimed_by_ranks_where_items_come_in_groups():
    """The reason is said; the mean score is compared."""
    groups = np.arange(300) // 10
    found = CampaignFindings(tracks_of([(0.9, 0.7), (0.9, 0.7)], groups=groups))
    assert found.compared_by(MEAN_RANK).comparison is None
    assert found.compared_by(MEAN).comparison is not None
    said = " ".join(CampaignWords(found).method())
    assert "Mean ranks and Borda counts have no interval and no test: items come in groups" in said


def test_tracks_of_different_directions_are_ranked_by_ranks():
    """A mean score of them is refused, with what to ask for instead."""
    one, other = tracks_of([(0.9, 0.7, 0.5), (0.9, 0.7, 0.5)])
    key = ScoreKey("kappa")
    mixed = [one, replace(other, task=replace(other.task, official_metric=key))]
    found = CampaignFindings(mixed)
    assert found.rule == MEAN_RANK
    assert found.comparison is not None
    with pytest.raises(Exception, match="There is no mean score"):
        CampaignFindings(mixed, by="mean-score")


def test_a_metric_without_influence_has_no_comparison_and_says_why():
    """As a mean of ranks by other metrics, which no item moves."""
    tracks = tracks_of([(0.9, 0.7, 0.5), (0.9, 0.7, 0.5)], metric="mean_rank(accuracy,kappa)")
    found = CampaignFindings(tracks)
    words = CampaignWords(found)
    assert found.comparison is None
    assert "whether its lead is significant was not tested: nothing says what each item" in (
        words.verdict()
    )
