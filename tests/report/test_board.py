"""The ranking on the first screen, where it could say too much."""

from dataclasses import replace

import numpy as np

from audit.domain import Policies, ScoreKey
from audit.evaluation import evaluate
from audit.report import render_html
from audit.report.sections.board import ahead_of, board_of
from audit.report.table_printing import interval_notes, printing
from tests.nightly import long

from .campaigns import random_campaign
from .document import read
from .saying import with_item_scores

KEY = ScoreKey("averaged_f1")


def with_ties_and_dropped_items():
    """The sixth and seventh of ten answer alike; the fifth has dropped items and is compared with nobody."""
    campaign = random_campaign(10, 400, 2, quality=(0.95, 0.5), policies=Policies(missing="drop"))
    submissions = list(campaign.submissions)
    submissions[4] = replace(submissions[4], codes=np.where(np.arange(400) % 9, submissions[4].codes, 2))
    submissions[6] = replace(submissions[6], codes=submissions[5].codes)
    return evaluate(replace(campaign, submissions=tuple(submissions)))


def ranks_in(text):
    """Those that a range or several span."""
    ends = [list(map(int, part.split("–"))) for part in text.split(", ")]
    return {rank for part in ends for rank in range(part[0], part[-1] + 1)}


def test_an_entry_is_ahead_of_a_rank_where_it_is_ahead_of_all_who_share_it():
    """An entry that was not compared keeps its rank out of every range."""
    evaluation = with_ties_and_dropped_items()
    comparison, ranks = evaluation.certainty.comparison(KEY), evaluation.ranks_of(KEY)
    best = evaluation.order(KEY)[0]
    shown = ranks_in(ahead_of(printing(evaluation), comparison, best))
    for rank in set(ranks.tolist()):
        assert (rank in shown) == comparison.ahead[best, ranks == rank].all()
    assert min(shown) < ranks[4] < max(shown)


def off(scores, **task):
    """The classes of the rows that are off the scale, by rank."""
    evaluation = evaluate(random_campaign(len(scores), 500, 2, **task))
    values = np.broadcast_to(np.array(scores), evaluation.values.shape)
    rows = board_of(printing(replace(evaluation, values=values))).rows
    return {row.name: row.off for row in rows if row.off}


def test_a_score_off_the_scale_is_marked_at_the_end_that_it_is_beyond():
    """Below for a share, above where lower is better."""
    assert off([0.9, 0.89, 0.88, 0.87, 0.1]) == {"team 004": "off low"}
    assert off([0.1, 0.11, 0.12, 0.13, 0.9]) == {"team 004": "off high"}


def test_where_most_tie_with_the_first_the_others_are_still_drawn():
    """The middle one is no measure then."""
    assert off([0.9, 0.9, 0.9, 0.89, 0.88]) == {}


def test_only_marks_that_stand_in_the_table_are_explained():
    """An entry further down has no interval; that is said where it is shown."""
    campaign = random_campaign(20, 600, 2, quality=(0.95, 0.6))
    submissions = list(campaign.submissions)
    submissions[-1] = replace(submissions[-1], codes=np.zeros_like(submissions[-1].codes))
    evaluation = evaluate(replace(campaign, submissions=tuple(submissions)))
    board = board_of(printing(evaluation))
    assert len(board.rows) < len(evaluation.entries)
    whole = list(interval_notes(evaluation, KEY))
    assert len(whole) == 2
    assert [note for note in whole if note in board.notes] == whole[:1]


@long
def test_a_baseline_without_a_score_is_not_told():
    """Labels drawn at random have no AUC; by a score of labels they have one."""
    by_items, by_labels = with_item_scores("auc"), with_item_scores("accuracy")
    assert by_items.baselines
    assert "Computed: " not in read(render_html(by_items)).one("main").text
    assert "Computed: oracle of the 3 best teams" in read(render_html(by_labels)).one("main").text
