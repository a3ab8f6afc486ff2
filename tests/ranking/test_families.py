"""Summaries over several test sets, against hand-worked examples and a count of pairs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import audit
from audit.domain import Policies, Role, ScoreKey
from audit.errors import UsageError
from audit.ranking.families import family_of, summarise

NAN = np.nan
# The example that textbooks on voting use: where Tennessee should have its capital. Each share of a hundred voters is
# a test set; the farther away a city, the lower its score. https://en.wikipedia.org/wiki/Borda_count
CITIES = ("Memphis", "Nashville", "Chattanooga", "Knoxville")
BALLOTS = {(4, 3, 2, 1): 42, (1, 4, 3, 2): 26, (1, 2, 4, 3): 15, (1, 2, 3, 4): 17}


def part(scores, **task):
    """A test set in which a team's accuracy is a number of tenths, or stands beside where a role says so."""
    gold = ["a"] * 5 + ["b"] * 5
    flipped = {"a": "b", "b": "a"}
    predictions = {
        team: [*gold[:tenths], *(flipped[label] for label in gold[tenths:])]
        for team, tenths in scores.items()
    }
    found = audit.evaluate(gold, predictions, official_metric="accuracy", certainty=False)
    return replace(found, task=replace(found.task, **task))


def of_runs(evaluation, runs):
    """The same entries as runs of teams: name → (team, run)."""
    entries = (
        replace(
            entry,
            team=runs.get(entry.name, (entry.name,))[0],
            run=runs.get(entry.name, (None, None))[1],
        )
        for entry in evaluation.entries
    )
    return replace(evaluation, entries=tuple(entries))


def beside(evaluation, names):
    """The same test set with some entries that take no rank."""
    entries = tuple(
        replace(entry, role=Role.BASELINE, competes=False) if entry.name in names else entry
        for entry in evaluation.entries
    )
    return replace(evaluation, entries=entries)


def test_the_borda_count_is_that_of_the_textbooks():
    """126, 194, 173 and 107 points: Nashville wins, though Memphis has the most first places."""
    scores = np.array(
        [ballot for ballot, voters in BALLOTS.items() for _ in range(voters)]
    ).T.astype(float)
    found = summarise(scores, np.ones(scores.shape, dtype=bool))
    assert dict(zip(CITIES, found.borda.tolist(), strict=True)) == {
        "Memphis": 126,
        "Nashville": 194,
        "Chattanooga": 173,
        "Knoxville": 107,
    }
    assert found.winners["Borda count"] == (1,)
    np.testing.assert_allclose(found.mean_rank, 4 - found.borda / 100)


def test_the_rules_can_have_different_winners():
    """A leads once by far, C twice by little; by hand: means .58, .53, .54, mean ranks 7/3, 2, 5/3, points 2, 3, 4."""
    scores = np.array([[0.9, 0.4, 0.44], [0.6, 0.5, 0.49], [0.5, 0.6, 0.52]])
    found = summarise(scores, np.ones(scores.shape, dtype=bool))
    np.testing.assert_allclose(found.mean_score, [0.58, 0.53, 0.54])
    np.testing.assert_allclose(found.mean_rank, [7 / 3, 2, 5 / 3])
    np.testing.assert_allclose(found.borda, [2, 3, 4])
    assert found.winners == {"mean score": (0,), "mean rank": (2,), "Borda count": (2,)}


def test_a_skipped_test_set_is_left_out_or_counts_as_last():
    """C skips the first, D the second; by hand for both policies, shared last ranks included."""
    scores = np.array([[0.9, 0.6], [0.8, 0.6], [NAN, 0.7], [0.7, NAN]])
    there = ~np.isnan(scores)
    left_out, last = summarise(scores, there), summarise(scores, there, "last")
    np.testing.assert_allclose(left_out.mean_score, [0.75, 0.7, 0.7, 0.7])
    np.testing.assert_allclose(left_out.mean_rank, [1.5, 2, 1, 3])
    np.testing.assert_allclose(left_out.borda, [2.5, 1.5, 2, 0])
    np.testing.assert_allclose(last.mean_score, [0.75, 0.7, NAN, NAN])
    np.testing.assert_allclose(last.mean_rank, [1.5, 2, 2.5, 3.5])
    np.testing.assert_allclose(last.borda, [4.5, 3.5, 3, 1])


def test_an_undefined_score_is_last_and_leaves_no_mean_score():
    """Whatever the policy: the row took part."""
    scores, there = np.array([[0.9, NAN], [0.8, 0.6]]), np.ones((2, 2), dtype=bool)
    for policy in ("left-out", "last"):
        found = summarise(scores, there, policy)
        np.testing.assert_allclose(found.mean_score, [NAN, 0.7])
        np.testing.assert_allclose(found.mean_rank, [1.5, 1.5])
        np.testing.assert_allclose(found.borda, [1, 1])


def test_scores_by_different_metrics_have_no_mean():
    """Ranks can be averaged, scores of different metrics cannot."""
    found = summarise(
        np.array([[0.9, 0.5], [0.8, 0.6]]), np.ones((2, 2), dtype=bool), has_mean=False
    )
    assert np.isnan(found.mean_score).all()
    assert found.winners["mean score"] == ()
    assert found.winners["mean rank"] == (0, 1)


TENTHS = st.integers(0, 10).map(lambda tenths: tenths / 10) | st.just(NAN)


@given(
    arrays.arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=TENTHS),
    st.data(),
)
def test_the_summary_is_a_count_of_pairs(scores, data):
    """Ranks and points by comparing every two rows, one test set at a time."""
    there = data.draw(arrays.arrays(bool, scores.shape)) | ~np.isnan(scores)
    there[:, 0] |= ~there.any(axis=1)  # every row takes part somewhere
    scores = np.where(there, scores, NAN)
    for policy in ("left-out", "last"):
        found = summarise(scores, there, policy)
        for row in range(len(scores)):
            ranks, points = [], 0.0
            for column, present in zip(scores.T, there.T, strict=True):
                if policy == "left-out" and not present[row]:
                    continue
                counted = column if policy == "last" else column[present]
                worth = np.nan_to_num(counted, nan=-1)
                mine = np.nan_to_num(column[row], nan=-1)
                ranks.append(1 + (worth > mine).sum())
                points += (worth < mine).sum() + ((worth == mine).sum() - 1) / 2
            assert found.mean_rank[row] == pytest.approx(np.mean(ranks))
            assert found.borda[row] == pytest.approx(points)
            taken = scores[row] if policy == "last" else scores[row, there[row]]
            assert found.mean_score[row] == pytest.approx(taken.mean(), nan_ok=True)


def test_a_team_is_one_row_whatever_its_run_is_called():
    """One counted run in each test set: the team's name, in the order of the names."""
    first = of_runs(part({"X": 9, "Y": 8}), {"X": ("X", "run1"), "Y": ("Y", "final")})
    second = of_runs(part({"X": 7, "Y": 8}), {"X": ("X", "run7")})
    family = family_of([first, second])
    assert [row.name for row in family.rows] == ["X", "Y"]
    np.testing.assert_allclose(family.scores, [[0.9, 0.7], [0.8, 0.8]])
    assert family.ranks.tolist() == [[1, 2], [2, 1]]
    assert family.summary.mean_score.tolist() == [0.8, 0.8]


def test_several_runs_of_a_team_are_rows_of_their_own():
    """As soon as one test set has two of them; a run without a name is the team."""
    first = of_runs(part({"X": 9, "X2": 8, "Y": 7}), {"X": ("X", "1"), "X2": ("X", "2")})
    second = of_runs(part({"X": 7, "Y": 8}), {"X": ("X", "2")})
    family = family_of([first, second])
    assert [row.name for row in family.rows] == ["X/1", "X/2", "Y"]
    assert family.entries.tolist() == [[0, -1], [1, 0], [2, 1]]
    assert family.n_parts.tolist() == [1, 2, 2]


def test_what_competes_nowhere_stands_beside():
    """Baselines take no rank from anybody; a team that competes somewhere is a row, and where it does not, skips."""
    first = beside(part({"Base": 9, "X": 8, "Y": 7}), {"Base"})
    second = beside(part({"Base": 5, "X": 6, "Y": 7}), {"Base", "Y"})
    family = family_of([first, second])
    assert [row.name for row in family.rows] == ["X", "Y"]
    assert [(row.name, row.role, places.tolist()) for row, places in family.unranked] == [
        ("Base", Role.BASELINE, [0, 0])
    ]
    assert family.entries.tolist() == [[1, 1], [2, -1]]
    assert family.ranks.tolist() == [[1, 1], [2, 0]]


def test_the_policy_is_that_of_the_task():
    """With skipped = "last" the team that is not there is last."""
    parts = [
        part({"X": 9, "Y": 8}, policies=Policies(skipped="last")),
        part({"X": 9}, policies=Policies()),
    ]
    assert family_of(parts).ranks.tolist() == [[1, 1], [2, 2]]
    assert family_of(parts[::-1]).ranks.tolist() == [[1, 1], [0, 2]]
    assert family_of(parts).order == (0, 1)
    assert family_of(parts).skipped == "last"


def test_one_metric_or_several():
    """The mean score needs one metric for all test sets."""
    parts = [part({"X": 9, "Y": 8}), part({"X": 9, "Y": 8}, official_metric=ScoreKey("mcc"))]
    family = family_of(parts)
    assert [part.task.ranking_metric for part in family.evaluations] == [
        ScoreKey("accuracy"),
        ScoreKey("mcc"),
    ]
    assert not family.has_mean
    assert np.isnan(family.summary.mean_score).all()
    assert family_of(parts[:1]).has_mean


def test_nothing_to_sum_up():
    """Without a test set there is no summary, and a message says so."""
    with pytest.raises(UsageError, match="no track"):
        family_of([])


def test_test_sets_without_a_team_that_competes():
    """Baselines alone: no row, and no error."""
    family = family_of([beside(part({"Base": 9}), {"Base"})])
    assert family.rows == ()
    assert family.summary.winners == {"mean score": (), "mean rank": (), "Borda count": ()}
    assert family.order == ()
    assert len(family.unranked) == 1


def test_a_ranked_baseline_is_first_by_no_rule():
    """It takes its ranks from the teams, and the best of these is first."""
    parts = [part({"Base": 10, "X": 9, "Y": 7}), part({"Base": 9, "X": 8, "Y": 8})]
    ranked = [
        replace(
            each,
            entries=tuple(
                replace(entry, role=Role.BASELINE) if entry.name == "Base" else entry
                for entry in each.entries
            ),
        )
        for each in parts
    ]
    summary, without = family_of(ranked).summary, family_of(parts).summary
    assert set(without.winners.values()) == {(0,)}
    assert set(summary.winners.values()) == {(1,)}
    np.testing.assert_array_equal(summary.mean_rank, without.mean_rank)
