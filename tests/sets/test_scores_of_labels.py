"""Scores that files give for each of several labels: AUC and average precision over them, by scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from audit.domain import ScoreKey
from audit.domain.sets import ItemScores
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.inference.sources import ItemScoreSource
from audit.metrics import influence_of_items
from audit.store import open_store
from tests.sets.drawn import LABELS, matrices

SETTINGS = """kind = "sets"
official_metric = "auc"
labels = ["anger", "fear", "joy", "trust"]
[gold]
id = "id"
label = ["anger", "fear", "joy", "trust"]
[submissions]
id = "id"
label = ["anger", "fear", "joy", "trust"]
score = ["p_anger", "p_fear", "p_joy", "p_trust"]
above = ["anger", "fear", "joy", "trust"]
[published]
path = "published.csv"
"""
MACRO = {"auc": roc_auc_score, "average_precision": average_precision_score}


def file_of(path, labels, scores):
    """A column of 0 and 1 for each label, and one of scores."""
    heads = ("id", *LABELS, *(f"p_{label}" for label in LABELS))
    rows = [
        (f"m{unit}", *row)
        for unit, row in enumerate(np.hstack([labels.astype(object), scores]).tolist())
    ]
    path.write_text(
        "".join(",".join(map(str, row)) + "\n" for row in (heads, *rows)), encoding="utf-8"
    )


@pytest.fixture
def made(tmp_path):
    """Gold and scores as matrices, and the evaluation of the folder; no gold set has the last label."""
    gold, teams = matrices(5, n_teams=4, n_units=120)
    scores = np.random.default_rng(6).normal(teams, 1.0).round(2)  # some are equal, some below 0
    (tmp_path / "submissions").mkdir()
    file_of(tmp_path / "gold.csv", gold, gold)
    for number, (labels, given) in enumerate(zip(teams, scores, strict=True)):
        file_of(tmp_path / "submissions" / f"t{number}.csv", labels, given)
    values = [roc_auc_score(gold[:, :3], given[:, :3]) for given in scores]
    published = "".join(f"t{number},{value:.4f}\n" for number, value in enumerate(values))
    (tmp_path / "published.csv").write_text(f"team,AUC\n{published}", encoding="utf-8")
    (tmp_path / "task.toml").write_text(SETTINGS, encoding="utf-8")
    return gold, scores, evaluate(read_campaign(tmp_path))


def test_scores_over_labels_are_those_of_scikit_learn(made):
    """Its macro average, without the label that gold has nowhere: it has no order for anybody."""
    gold, scores, evaluation = made
    for slug, by_scikit_learn in MACRO.items():
        expected = [by_scikit_learn(gold[:, :3], given[:, :3], average="macro") for given in scores]
        assert evaluation.scores_of(ScoreKey(slug)) == pytest.approx(expected, abs=1e-12)
    (column,) = evaluation.published.columns
    assert (str(column.matches[0].reading), column.is_exact) == ("auc", True)


def test_units_are_drawn(made):
    """What each unit adds, the mean over labels, stands at the item that stands for it; intervals are around scores."""
    gold, scores, evaluation = made
    places = np.flatnonzero(evaluation.gold.is_unit)
    for slug in MACRO:
        source, key = ItemScoreSource.of(evaluation, ScoreKey(slug), np.arange(4)), ScoreKey(slug)
        apart = [
            influence_of_items(
                slug, ItemScores.of(has, [1], list(given)), has.mean(keepdims=True), fixed=False
            )
            for has, given in zip(gold.T[:3], scores.transpose(2, 0, 1)[:3], strict=True)
        ]
        assert source.by_item[:, places] == pytest.approx(np.mean(apart, axis=0), abs=1e-12)
        assert np.count_nonzero(source.by_item) == np.count_nonzero(source.by_item[:, places])
        assert source.leverage.sum() == pytest.approx(1)
        row, intervals = evaluation.keys.index(key), evaluation.certainty.intervals
        assert (intervals.lower[row] < evaluation.values[row]).all()
        assert (evaluation.values[row] < intervals.upper[row]).all()


def test_they_are_kept(made, tmp_path):
    """The store gives back a row of scores for each unit."""
    campaign = read_campaign(tmp_path)
    with open_store(tmp_path / "s.db") as store:
        store.save_campaigns(campaign)
        again = store.load_campaign(campaign.task.slug)
    assert again.task.scored_labels == LABELS
    for submission, other, given in zip(
        campaign.submissions, again.submissions, made[1], strict=True
    ):
        np.testing.assert_array_equal(submission.scores, given)
        np.testing.assert_array_equal(other.scores, given)
