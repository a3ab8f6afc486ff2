"""The example data of CompStats: the winner depends on which macro F1 is used."""

import csv
import re

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from audit.domain import Options, ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from tests.real_campaigns import copied


def winner(evaluation, name):
    (first,) = evaluation.winners(ScoreKey(name))
    return evaluation.names[first]


@pytest.fixture(scope="module")
def columns(compstats_folder):
    """The columns of the file, read by nothing of ours."""
    with (compstats_folder / "CompStats/tests/data.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def test_the_published_order_by_weighted_f1(compstats, compstats_folder):
    """As CompStats' documentation has it."""
    page = (compstats_folder / "docs/source/index.rst").read_text(encoding="utf-8")
    sentence = re.search(r"the ranking is (.*?)\. Hence", page)[1]
    published = [name.casefold() for name in re.findall(r"\*(.+?)\*", sentence)]
    ranked = [compstats.names[team].casefold() for team in compstats.order(ScoreKey("weighted_f1"))]
    assert ranked == published
    assert len(published) == 6


def test_the_weighted_f1_scores(compstats):
    """As reproduced beside the data."""
    scores = compstats.scores_of(ScoreKey("weighted_f1"))
    shown = [f"{scores[team]:.4f}"[1:] for team in compstats.order(ScoreKey("weighted_f1"))]
    assert shown == [".3861", ".3791", ".3754", ".3648", ".3634", ".3603"]


@pytest.mark.parametrize(
    ("metric", "team", "score"),
    [
        ("accuracy", "BoW", ".4234"),
        ("averaged_f1", "INGEOTEC", ".2845"),
        ("f1_of_averages", "StackBoW", ".2912"),
        ("macro_recall", "StackBoW", ".3123"),
        ("macro_precision", "BoW", ".2835"),
        ("weighted_f1", "INGEOTEC", ".3861"),
        ("mcc", "INGEOTEC", None),
        ("kappa", "INGEOTEC", None),
    ],
)
def test_the_winner_by_metric(compstats, metric, team, score):
    """As recomputed beside the data."""
    assert winner(compstats, metric) == team
    assert score is None or f"{compstats.scores_of(ScoreKey(metric)).max():.4f}"[1:] == score


def test_scores_are_those_of_scikit_learn(compstats, columns):
    """From the same file, read by nothing of ours."""
    assert set(compstats.names) == set(columns) - {"y"}
    for name, accuracy, averaged in zip(
        compstats.names,
        compstats.scores_of(ScoreKey("accuracy")),
        compstats.scores_of(ScoreKey("averaged_f1")),
        strict=True,
    ):
        assert accuracy == pytest.approx(accuracy_score(columns["y"], columns[name]), abs=1e-12)
        f1 = f1_score(
            columns["y"], columns[name], average="macro", labels=sorted(set(columns["y"]))
        )
        assert averaged == pytest.approx(f1, abs=1e-12)


def test_the_winner_depends_on_which_macro_f1_is_used(compstats):
    """INGEOTEC by one, StackBoW by the other, and the first page says so."""
    (flag,) = [flag for flag in compstats.flags if flag.slug == "winner-depends-on-macro-f1"]
    assert [(each["teams"], each["metrics"]) for each in flag.evidence["winners"]] == [
        (["INGEOTEC"], ["averaged_f1"]),
        (["StackBoW"], ["f1_of_averages"]),
    ]
    for words in ("INGEOTEC (.2845)", "StackBoW (.2912)"):
        assert words in flag.sentence
    assert compstats.flags[0] is flag


def test_the_winner_depends_on_the_metric(compstats):
    """Accuracy has a third winner."""
    (flag,) = [flag for flag in compstats.flags if flag.slug == "winner-depends-on-metric"]
    found = {
        metric: group["teams"] for group in flag.evidence["winners"] for metric in group["metrics"]
    }
    assert len(found) == 10
    assert (found["accuracy"], found["averaged_f1"], found["f1_of_averages"]) == (
        ["BoW"],
        ["INGEOTEC"],
        ["StackBoW"],
    )


def test_accuracy_and_macro_f1_hardly_agree(compstats):
    """Spearman's ρ is −.086."""
    assert compstats.correlations.loc["accuracy", "averaged_f1"].round(3) == -0.086


def test_gold_has_a_rare_class(compstats):
    """17 items of class 2, and counts as the page of the data says."""
    assert dict(
        zip(compstats.task.label_set, compstats.prevalence_counts.tolist(), strict=True)
    ) == {
        "0": 142,
        "1": 82,
        "2": 17,
        "3": 122,
        "4": 349,
        "5": 656,
        "6": 155,
        "7": 57,
    }
    (flag,) = [flag for flag in compstats.flags if flag.slug == "rare-class"]
    assert flag.evidence["classes"] == [{"label": "2", "gold_items": 17}]


@pytest.mark.parametrize("rest", ["5", "2"])
def test_with_a_rest_class_the_campaign_is_ranked_by_scikit_learn_without_it(
    rest, columns, compstats_folder, tmp_path
):
    """The largest class and the smallest: macro and micro F1 over the other seven, accuracy over all."""
    folder = copied(compstats_folder / "CompStats/tests", tmp_path, "data.csv")
    settings = 'official_metric = "averaged_f1"\n[wide]\npath = "data.csv"\ngold = "y"\n'
    (folder / "task.toml").write_text(f'rest_label = "{rest}"\n{settings}')
    found = evaluate(read_campaign(folder), Options(certainty=False), also=["micro_f1"])
    others = [str(label) for label in range(8) if str(label) != rest]
    for average, name in (
        ("macro", "averaged_f1"),
        ("micro", "micro_f1"),
        ("weighted", "weighted_f1"),
    ):
        expected = [
            f1_score(columns["y"], columns[team], labels=others, average=average, zero_division=0)
            for team in found.names
        ]
        np.testing.assert_allclose(found.scores_of(ScoreKey(name)), expected, atol=1e-12)
    accuracy = [accuracy_score(columns["y"], columns[team]) for team in found.names]
    np.testing.assert_allclose(found.scores_of(ScoreKey("accuracy")), accuracy, atol=1e-12)
