"""The macro F1 audit against brute force: groups, winners, the nearest flip, moves, and their sentences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

import audit
from audit.domain import LabelSet, Reading, Role, ScoreKey
from audit.evaluation import evaluate
from audit.metrics import parse_reading, score_readings
from audit.ranking.ranks import competition_ranks
from audit.readings import (
    audit_macro_f1,
    groups_by_winners,
    largest_move,
    macro_f1_readings,
    nearest_flip,
)
from audit.readings.macro_f1_wording import definition, shown_groups, statements
from audit.report.macro_f1 import readings_table
from audit.report.printing import printing
from audit.writers.data.command_data import macro_f1_data
from tests.nightly import examples

from .campaigns import campaign, campaigns


def by_brute_force(evaluation):
    """Every reading's scores, one reading at a time."""
    readings = macro_f1_readings(
        evaluation.task, [prevalence.name for prevalence in evaluation.prevalences]
    )
    return {
        reading: score_readings(
            evaluation.answers, [reading], evaluation.prevalences, evaluation.task.label_set
        )[0]
        for reading in readings
    }


@given(campaigns(fewest_teams=2))
@examples(4)
def test_the_audit_is_every_reading_one_by_one(made):
    """Groups hold each reading once, with its scores; the first is the base; winners, flip and move follow."""
    evaluation = evaluate(made)
    found, scores = audit_macro_f1(evaluation), by_brute_force(evaluation)
    assert sorted(map(str, scores)) == sorted(
        str(reading) for group in found.groups for reading in group.readings
    )
    for group in found.groups:
        alike = np.array([scores[reading] for reading in group.readings])
        np.testing.assert_allclose(alike, np.broadcast_to(group.scores, alike.shape), atol=1e-10)
        np.testing.assert_array_equal(group.ranks, competition_ranks(scores[group.reading]))
        assert group.changed == group.reading.differs_in(found.base)
    assert found.groups[0].reading == found.base == Reading("averaged_f1")
    assert [len(group.changed) for group in found.groups] == sorted(
        len(group.changed) for group in found.groups
    )

    winners = {group.winners for group in found.groups}
    assert set(groups_by_winners(found)) == winners
    flip = nearest_flip(found)
    others = [g for g in found.groups if g.winners and g.winners != found.groups[0].winners]
    assert (flip is None) == (not others)
    assert flip is None or len(flip.changed) == min(len(group.changed) for group in others)

    farthest = 0
    for group in found.groups:
        both = ~np.isnan(group.scores) & ~np.isnan(found.groups[0].scores)
        farthest = max(
            farthest, int(np.abs(group.ranks - found.groups[0].ranks)[both].max(initial=0))
        )
    move = largest_move(found)
    assert (0 if move is None else abs(move.rank - move.base_rank)) == farthest

    assert all(sentence.endswith(".") for sentence in statements(found, made.task.label_set))
    shown = shown_groups(found)
    assert 1 <= len(shown) <= 14
    assert sum(group.winners != shown[0].winners for group in shown) >= (flip is not None)


def test_opitz_and_bursts_tables_swap_between_the_two_formulas():
    """Tables 1 and 2: each system wins by one macro F1, by no other choice."""
    gold = ["a"] * 10 + ["b"] * 20
    even = ["a"] * 5 + ["b"] * 5 + ["a"] * 10 + ["b"] * 10
    skewed = ["a"] + ["b"] * 9 + ["a"] + ["b"] * 19
    evaluation = audit.evaluate(gold, {"even": even, "skewed": skewed}, certainty=False)
    found = audit_macro_f1(evaluation)
    assert nearest_flip(found).changed == ("metric",)
    said = " ".join(statements(found, evaluation.task.label_set))
    assert "with F1 of averages, skewed ranks first" in said


def test_where_every_reading_agrees_the_audit_says_so():
    """Perfect and hopeless teams have the same place by any reading."""
    gold = ["a", "b", "a", "b"]
    evaluation = audit.evaluate(
        gold, {"right": gold, "wrong": ["b", "a", "b", "a"]}, certainty=False
    )
    found = audit_macro_f1(evaluation)
    # undefined F1s of a team without a correct item are its only choice
    assert len(found.groups) == 2
    assert nearest_flip(found) is None
    said = statements(found, evaluation.task.label_set)
    assert "right ranks first by every one of them." in said
    assert "No reading changes the rank of any team." in said
    data = macro_f1_data(found, evaluation)
    assert (data["farthest_move"], data["nearest_reading_with_another_winner"]) == (None, None)
    alone = audit_macro_f1(audit.evaluate(gold, {"right": gold}, certainty=False))
    assert len(alone.groups) == 1
    assert statements(alone, evaluation.task.label_set)[0].startswith("All 192 readings")


def test_the_official_macro_f1_is_the_base_with_its_classes_and_prevalence():
    """Named classes and all; another official metric leaves macro-averaged F1."""
    made = campaign(
        [0, 0, 1, 2], {"X": [0, 1, 1, 2]}, official_metric=ScoreKey("averaged_f1[a,c]", "balanced")
    )
    found = audit_macro_f1(evaluate(made))
    assert str(found.base) == "averaged_f1[a,c]~"
    assert {"averaged_f1", "f1_of_averages[a,c]"} <= {
        str(g) for group in found.groups for g in group.readings
    }
    other = campaign([0, 0, 1, 2], {"X": [0, 1, 1, 2]}, official_metric=ScoreKey("accuracy"))
    assert audit_macro_f1(evaluate(other)).base == Reading("averaged_f1")


@given(campaigns(fewest_teams=2))
def test_what_takes_no_rank_is_left_out(made):
    """A baseline beside the teams neither wins nor swaps, and its stray labels are in no union."""
    evaluation = evaluate(made)
    beside = replace(evaluation.entries[0], role=Role.BASELINE, competes=False)
    without = audit_macro_f1(replace(evaluation, entries=(beside, *evaluation.entries[1:])))
    alone = audit_macro_f1(evaluate(replace(made, submissions=made.submissions[1:])))
    assume(alone is not None)
    assert without.teams == alone.teams
    by_reading = {reading: group.scores for group in alone.groups for reading in group.readings}
    for group in without.groups:
        alike = np.array([by_reading[reading] for reading in group.readings])
        np.testing.assert_allclose(alike, np.broadcast_to(group.scores, alike.shape), atol=1e-10)


def test_without_a_ranked_entry_or_without_answers_there_is_no_audit():
    evaluation = evaluate(campaign([0, 1], {"X": [0, 1]}))
    beside = replace(evaluation.entries[0], competes=False)
    assert audit_macro_f1(replace(evaluation, entries=(beside,))) is None
    assert audit_macro_f1(replace(evaluation, answers=None)) is None


def test_a_team_with_no_score_by_the_base_is_said():
    """Where gold's classes are averaged and a team answers nothing, it has 0; by the base nobody is without."""
    # gold lacks c
    made = campaign([0, 1], {"X": [3, 3]}, official_metric=ScoreKey("averaged_f1[c]"))
    evaluation = evaluate(made)
    found = audit_macro_f1(evaluation)
    assert found.groups[0].winners == ()
    assert any(
        "no team has a score" in sentence for sentence in statements(found, made.task.label_set)
    )
    assert [cell.text for cell in readings_table(printing(evaluation), found).rows[0]][1] == "–"


@pytest.mark.parametrize(
    ("signature", "said"),
    [
        (
            "averaged_f1",
            "macro-averaged F1 over the classes in gold (here 3), on the test set’s own class distribution",
        ),
        (
            "f1_of_averages(declared)~",
            "F1 of averages over all classes of the label set (here 3), with all classes of",
        ),
        (
            "averaged_f1[a,b]@x",
            "macro-averaged F1 over “a” and “b”, at the class distribution “x”: the mean of the class F1s",
        ),
        (
            "averaged_f1(all-but)[a]",
            "macro-averaged F1 over the classes in gold but “a”, on the test set’s own",
        ),
        (
            "averaged_f1(undefined=1)",
            "undefined class scores count as 1, and missing items count as wrong.",
        ),
        ("averaged_f1(missing=dropped)", "count as 0, and missing items are left out."),
    ],
)
def test_the_sentence_for_the_paper_says_every_choice(signature, said):
    """Formula, classes, prevalence, and both rules."""
    label_set = LabelSet(("a", "b", "c"))
    assert said in definition(parse_reading(signature, label_set), label_set, 3)
