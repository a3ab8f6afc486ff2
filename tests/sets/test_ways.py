"""What sets do not have is said wherever it is asked for, and a store gives back what it was given."""

import numpy as np
import pytest

from audit.domain import MARKS, Mark, ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.single_file import check_submission, read_key
from audit.formats.files.tree import Tree
from audit.report.distributions import map_blocks
from audit.report.properties import properties_blocks
from audit.store.repository import open_store
from audit.writers.data.export import evaluation_data
from tests.sets.drawn import in_cell, matrices, written


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A campaign of which one team gives no label to anything."""
    gold, teams = matrices(9)
    folder = written(
        tmp_path_factory.mktemp("sets"), gold, [*teams, np.zeros_like(gold)], in_cell(";")
    )
    (folder / "task.toml").write_text(
        'kind = "sets"\nslug = "s"\nofficial_metric = "micro_f1"\n', encoding="utf-8"
    )
    return folder


@pytest.fixture(scope="module")
def evaluation(folder):
    """Its evaluation."""
    return evaluate(read_campaign(folder))


def test_class_distributions_and_chance_are_refused_with_the_reason(evaluation):
    """In what-if and properties; no baseline, no map, no finding on chance."""
    assert "not defined for sets" in str(
        list(map_blocks(evaluation, evaluation.task.ranking_metric, (), None))
    )
    assert "not defined for sets" in str(properties_blocks(evaluation.task.label_set))
    assert (evaluation.baselines, evaluation.winner_map) == ((), None)
    assert "at-or-below-chance" not in {flag.slug for flag in evaluation.flags}


def test_a_team_without_any_label_scores_0_and_is_last(evaluation):
    """By every score, of which no interval is known."""
    intervals = evaluation.certainty.intervals
    for slug in ("micro_precision", "micro_f1", "averaged_f1", "f1_of_averages", "macro_recall"):
        row = evaluation.row(ScoreKey(slug))
        assert evaluation.values[row, 3] == 0
        assert MARKS[intervals.marks[row, 3]] is Mark.FEW_THINGS
        assert np.isnan(intervals.lower[row, 3])
        assert evaluation.order(ScoreKey(slug))[-1] == 3


def test_a_store_gives_back_the_same_evaluation(folder, evaluation, tmp_path):
    """Kind, sets and scores, and what JSON says of them."""
    with open_store(tmp_path / "audit.db", create=True) as store:
        store.save_campaigns(read_campaign(folder))
        again = evaluate(store.load_campaign("s"))
    assert again.task.label_set == evaluation.task.label_set
    assert (
        again.values[~np.isnan(again.values)] == evaluation.values[~np.isnan(evaluation.values)]
    ).all()
    assert again.signature == evaluation.signature
    assert evaluation_data(again) == evaluation_data(evaluation)
    assert (evaluation_data(again)["kind"], evaluation_data(again)["units"]) == ("labels", 60)


def test_one_file_is_checked_as_a_load_reads_it(folder):
    """A label that gold lacks is outside the label set; a cell that is no set refuses the file."""
    with Tree(folder) as tree:
        key = read_key(tree)
    text = "id,labels\n" + "".join(
        f"m{unit},{'joy;pride' if unit == 3 else 'joy'}\n" for unit in range(59)
    )
    checked = check_submission("x.csv", text.encode(), key)
    assert checked.unusable_labels == (("pride", 1),)
    codes = np.bincount(checked.codes)
    labels = key.gold.label_set
    joy, nothing, missing = labels.code_of["joy"], len(labels) - 1, len(labels)
    assert codes[joy] == 59
    assert codes[missing] >= 1
    assert codes[nothing] >= 59
    assert check_submission("x.csv", text.replace("m4,joy", "m4,[joy").encode(), key).codes is None
