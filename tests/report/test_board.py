"""The ranking on the first screen, where it could say too much."""

from dataclasses import replace

import numpy as np

from audit.domain import MARKS, Mark, Policies, ScoreKey
from audit.evaluation import evaluate
from audit.report.ahead import pairs_notes
from audit.report.board import board_of
from audit.report.printing import interval_notes, printing
from audit.text import range_text
from audit.writers.html import render_html

from .campaigns import random_campaign
from .saying import noisy, with_item_scores

KEY = ScoreKey("averaged_f1")


def with_ties_and_dropped_items():
    """The sixth and seventh of ten answer alike; the fifth has dropped items and is compared with nobody."""
    campaign = random_campaign(10, 400, 2, quality=(0.95, 0.5), policies=Policies(missing="drop"))
    submissions = list(campaign.submissions)
    submissions[4] = replace(
        submissions[4], given=np.where(np.arange(400) % 9, submissions[4].codes, 2)
    )
    submissions[6] = replace(submissions[6], given=submissions[5].codes)
    return evaluate(replace(campaign, submissions=tuple(submissions)))


def test_where_groups_are_drawn_the_interval_without_them_is_told():
    """What it would be if items were independent; not where a group is an item."""
    grouped, alone = (
        noisy(2, 300, [0.8, 0.7], groups=groups) for groups in (np.arange(300) // 3, None)
    )
    row, first = grouped.row(KEY), grouped.winners(KEY)[0]
    both = grouped.certainty.intervals, grouped.certainty.ungrouped
    ends = [
        range_text(float(each.lower[row, first]), float(each.upper[row, first])) for each in both
    ]
    (note,) = [note for note in pairs_notes(printing(grouped)) if "were independent" in note]
    assert note.startswith("What was drawn are 100 groups, not items: ")
    assert all(text in note for text in ends)
    assert ends[0] != ends[1]
    assert "were independent" not in " ".join(pairs_notes(printing(alone)))


def test_an_entry_that_was_not_compared_has_no_possible_ranks():
    """The others' are among the compared; those who answer alike have the same."""
    evaluation = with_ties_and_dropped_items()
    names = evaluation.names
    assert not evaluation.comparable[4]
    rows = {row.name.rstrip("‡"): row for row in board_of(printing(evaluation)).rows}
    for entry, name in enumerate(names):
        is_compared, row = evaluation.comparable[entry], rows[name]
        assert (row.possible_ranks == "–") is not is_compared
        assert is_compared or not row.confidence
    assert rows[names[5]].possible_ranks == rows[names[6]].possible_ranks


def uncertain(evaluation, teams, *, best):
    """The evaluation with entries that are too uncertain: they could be best, or nobody is ahead or behind."""
    (comparison, *others) = evaluation.certainty.comparisons
    chosen = np.isin(np.arange(len(evaluation.entries)), teams)
    changed = replace(
        comparison,
        uncertain=chosen,
        could_be_best=comparison.could_be_best | (chosen & best),
        ahead=comparison.ahead & ~chosen & ~chosen[:, None],
    )
    return evaluation.given(certainty=replace(evaluation.certainty, comparisons=(changed, *others)))


def test_who_cannot_be_excluded_is_hatched_and_a_legend_says_so():
    """The others of the confidence set stay shaded."""
    evaluation = evaluate(random_campaign(8, 600, 2, quality=(0.95, 0.5)))
    fifth = evaluation.order(KEY)[4]
    assert not evaluation.certainty.comparison(KEY).could_be_best[fifth]
    board = board_of(printing(uncertain(evaluation, [fifth], best=True)))
    (row,) = [row for row in board.rows if row.confidence == "imprecise"]
    assert row.name == evaluation.names[fifth]
    assert [note for note in board.notes if note.startswith("Hatched: ")]
    assert not [
        note for note in board_of(printing(evaluation)).notes if note.startswith("Hatched: ")
    ]


def off(scores, **task):
    """The ends of the scale that rows are beyond, by name."""
    evaluation = evaluate(random_campaign(len(scores), 500, 2, **task))
    values = np.broadcast_to(np.array(scores), evaluation.values.shape)
    rows = board_of(printing(replace(evaluation, values=values))).rows
    return {row.name: row.off_scale for row in rows if row.kind == "team" and row.off_scale}


def test_a_score_off_the_scale_is_marked_at_the_end_that_it_is_beyond():
    """Below for a share, above where lower is better."""
    assert off([0.9, 0.89, 0.88, 0.87, 0.1]) == {"team 004": "low"}
    assert off([0.1, 0.11, 0.12, 0.13, 0.9]) == {"team 004": "high"}


def test_where_most_tie_with_the_first_the_others_are_still_drawn():
    """The middle one is no measure then."""
    assert off([0.9, 0.9, 0.9, 0.89, 0.88]) == {}


def test_only_marks_that_stand_in_the_table_are_explained():
    """An entry further down has no interval; that is said where it is shown."""
    evaluation = evaluate(random_campaign(30, 600, 2, quality=(0.95, 0.7)))
    certainty, last = evaluation.certainty, evaluation.order(KEY)[-1]
    marks = certainty.intervals.marks.copy()
    marks[evaluation.row(KEY), last] = MARKS.index(Mark.FEW_HITS)
    marked = evaluation.given(
        certainty=replace(certainty, intervals=replace(certainty.intervals, marks=marks))
    )
    board = board_of(printing(marked))
    assert len(board.rows) < len(evaluation.entries)
    whole = list(interval_notes(marked, KEY, evaluation.order(KEY)))
    assert len(whole) == 2
    assert [note for note in whole if note in board.notes] == whole[:1]


def test_a_baseline_without_a_score_is_not_told():
    """Labels drawn at random have no AUC; by a score of labels they have one."""
    by_items, by_labels = with_item_scores("auc"), with_item_scores("accuracy")
    assert by_items.baselines
    of_items, of_labels = (board_of(printing(each)) for each in (by_items, by_labels))
    assert not [row for row in of_items.rows if row.name == "Majority class"]
    assert [row for row in of_labels.rows if row.name == "Majority class"]


def test_pairs_that_only_the_comparison_with_the_best_decides_are_said_to_be_so():
    """Below the table with the adjusted p."""
    evaluation = evaluate(random_campaign(4, 600, 2, quality=(0.95, 0.5)))
    (comparison, *others) = evaluation.certainty.comparisons
    against = np.zeros_like(comparison.ahead)
    for n_said in (0, 1):
        changed = replace(comparison, against_best=against)
        page = render_html(
            evaluation.given(
                certainty=replace(evaluation.certainty, comparisons=(changed, *others))
            )
        )
        assert page.count("for the comparisons of the first team with each other one") == n_said
        against = against.copy()
        against[comparison.leader] = np.arange(len(against)) == (comparison.leader + 1) % len(
            against
        )
