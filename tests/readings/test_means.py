"""Published columns that are means: the official one, one that is named, and what is only called Overall."""

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    cohen_kappa_score,
    f1_score,
    fbeta_score,
    jaccard_score,
    roc_auc_score,
)

import audit
from audit.domain import LabelSet, PrintedScore, Published, PublishedColumn
from audit.readings import identify
from audit.readings.headings import read_heading
from audit.readings.space import means_of_columns

LABELS = ("a", "b", "c")


def teams(n_items=700, seed=2):
    """Gold and six teams."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(LABELS, n_items, p=[0.6, 0.3, 0.1])
    rights = (0.9, 0.85, 0.8, 0.7, 0.65, 0.5)
    answers = [
        np.where(rng.random(n_items) < right, gold, rng.choice(LABELS, n_items)) for right in rights
    ]
    return gold.tolist(), {f"T{place}": found.tolist() for place, found in enumerate(answers)}


def column(heading, scores):
    """Scores as they are printed, to four decimals."""
    printed = (f"{score:.4f}" for score in scores)
    return PublishedColumn(
        heading, tuple(PrintedScore(text, int(text.replace(".", "")), 4) for text in printed)
    )


def identified(columns, **said):
    """What the columns turn out to be."""
    gold, given = teams()
    evaluation = audit.evaluate(gold, given, certainty=False, **said)
    return identify(evaluation, Published("p.csv", tuple(given), tuple(columns))).columns


def scores_of():
    """Each team's accuracy, macro F1 and kappa, by scikit-learn."""
    gold, given = teams()
    macro = [f1_score(gold, found, average="macro") for found in given.values()]
    accuracy = [accuracy_score(gold, found) for found in given.values()]
    return (
        np.array(accuracy),
        np.array(macro),
        np.array([cohen_kappa_score(gold, found) for found in given.values()]),
    )


@pytest.mark.parametrize("heading", ["Overall", "Avg.", "Final score", "Score"])
def test_overall_is_the_mean_of_other_columns(heading):
    """Whatever it is called, where the numbers tell it; of all, or of some of them."""
    accuracy, macro, kappa = scores_of()
    printed = [column("Acc", accuracy), column("macro F1", macro), column("Kappa", kappa)]
    for mean, name in (
        ((accuracy + macro) / 2, "mean(accuracy,averaged_f1)"),
        ((accuracy + macro + kappa) / 3, "mean(accuracy,averaged_f1,kappa)"),
    ):
        found = identified([*printed, column(heading, mean)])[-1]
        assert found.is_exact
        assert str(found.matches[0].reading) == name
        assert found.heading_says == "names no metric"
        assert (
            "mean of accuracy and macro-averaged F1" in found.sentences[0]
            or "kappa" in found.sentences[0]
        )


def test_the_official_mean_is_found_whatever_it_is_called():
    """With its weights; a heading may also name it."""
    accuracy, macro, _ = scores_of()
    mean = (2 * macro + accuracy) / 3
    name = "mean(2*averaged_f1,accuracy)"
    (found,) = identified([column("Rating", mean)], official_metric=name)
    assert str(found.matches[0].reading) == name
    (found,) = identified([column(name, mean)])
    assert (str(found.matches[0].reading), found.heading_says) == (name, "yes")
    (found,) = identified([column(name, accuracy)])
    assert str(found.matches[0].reading) == "accuracy"
    assert found.heading_says == "no"
    assert "says “mean(2*averaged_f1,accuracy)”, and these numbers are accuracy" in " ".join(
        found.sentences
    )


def test_no_mean_is_tried_where_no_heading_asks_for_one():
    """The more is tried, the more matches by chance."""
    accuracy, macro, _ = scores_of()
    plain = identified([column("Acc", accuracy), column("Rating", (accuracy + macro) / 2)])[-1]
    assert not plain.is_exact
    assert not read_heading("Rating", LabelSet(LABELS)).is_overall
    assert not read_heading("Mean recall", LabelSet(LABELS)).is_overall
    assert len(means_of_columns([["accuracy"], ["kappa"], ["mcc"], ["f1"]])) == 4


# Scores of items, and scores that heed what is left open


@pytest.fixture(scope="module")
def scored():
    """Seven teams with labels, some of them left open, and scores; each of their scores by scikit-learn."""
    rng = np.random.default_rng(12)
    gold = rng.random(400) < 0.3
    given, labels = {}, {}
    for place, noise in enumerate(np.linspace(0.2, 0.6, 7)):
        given[f"T{place}"] = np.round(
            np.clip(0.4 * gold + 0.3 + rng.normal(0, noise / 2, 400), 0, 1), 3
        )
        open_ = rng.random(400) < 0.1 * noise
        answers = np.where(given[f"T{place}"] > 0.5, "yes", "no")
        labels[f"T{place}"] = [
            None if skipped else label
            for skipped, label in zip(open_, answers.tolist(), strict=True)
        ]
    truth = np.where(gold, "yes", "no")
    evaluation = audit.evaluate(
        truth.tolist(), labels, item_scores=given, scored_label="yes", certainty=False
    )
    answered = {
        team: np.array([label is not None for label in row]) for team, row in labels.items()
    }
    right = {
        team: np.mean([one == other for one, other in zip(row, truth, strict=True)])
        for team, row in labels.items()
    }
    some = {team: (truth[there], np.array(labels[team])[there]) for team, there in answered.items()}
    as_wrong = {team: [label or "" for label in row] for team, row in labels.items()}
    macro = {"labels": ["no", "yes"], "average": "macro"}
    found = {
        "auc": [roc_auc_score(gold, row) for row in given.values()],
        "average_precision": [average_precision_score(gold, row) for row in given.values()],
        "brier": [brier_score_loss(gold, row) for row in given.values()],
        "coverage": [there.mean() for there in answered.values()],
        "answered_accuracy": [accuracy_score(*each) for each in some.values()],
        "answered_averaged_f1": [f1_score(*each, average="macro") for each in some.values()],
        "c_at_1": [right[team] * (1 + (~there).mean()) for team, there in answered.items()],
        "averaged_f0.5": [fbeta_score(truth, row, beta=0.5, **macro) for row in as_wrong.values()],
        "macro_jaccard": [jaccard_score(truth, row, **macro) for row in as_wrong.values()],
        "macro_f1": [f1_score(truth, row, **macro) for row in as_wrong.values()],
    }
    return evaluation, {name: np.array(row) for name, row in found.items()}


NEWER = {
    "ROC-AUC": "auc",
    "AP": "average_precision",
    "Average precision": "average_precision",
    "Brier score": "brier",
    "Cov.": "coverage",
    "Acc (answered)": "answered_accuracy",
    "F1 (answered)": "answered_averaged_f1",
    "c@1": "c_at_1",
    "F0.5": "averaged_f0.5",
    "Jaccard": "macro_jaccard",
}


@pytest.mark.parametrize("heading", NEWER)
def test_newer_scores_are_found_under_the_headings_of_the_field(scored, heading):
    """As scikit-learn has them; under the heading of another one it says no."""
    evaluation, scores = scored
    name = NEWER[heading]
    other = "AUC" if name != "auc" else "Brier"
    for said, says in ((heading, ("yes", "leaves open")), (other, ("no",))):
        table = Published(
            "p.csv",
            tuple(evaluation.names),
            (column("macro F1", scores["macro_f1"]), column(said, scores[name])),
        )
        found = identify(evaluation, table).columns[1]
        if says == ("no",) and name not in ("auc", "average_precision", "brier"):
            # what no heading asks for is not tried
            assert found.heading_says in ("no", "cannot tell")
            continue
        assert (str(found.matches[0].reading), found.is_exact, found.beats_chance) == (
            name,
            True,
            True,
        )
        assert found.heading_says in says


def test_an_overall_mean_may_have_scores_of_items(scored):
    """Of labels and items, as the official one has; lower and higher are not mixed."""
    evaluation, scores = scored
    mean = (scores["macro_f1"] + scores["auc"]) / 2
    columns = (
        column("macro F1", scores["macro_f1"]),
        column("AUC", scores["auc"]),
        column("Brier", scores["brier"]),
        column("Overall", mean),
    )
    found = identify(evaluation, Published("p.csv", tuple(evaluation.names), columns)).columns[-1]
    assert (str(found.matches[0].reading), found.is_exact, found.beats_chance) == (
        "mean(averaged_f1,auc)",
        True,
        True,
    )


def test_where_no_scores_of_items_are_kept_a_column_of_them_is_not_tried():
    """It is said, and no other reading named."""
    (found,) = identified([column("AUC", np.linspace(0.61, 0.83, 6))])
    assert (
        found.sentences[-1]
        == "No scores of single items are kept here, which AUC is of: it was not tried."
    )
    assert found.heading_says == "cannot tell"
