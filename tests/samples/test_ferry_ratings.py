"""The made-up campaign of ratings tells the story on its page, by scikit-learn and by the audit."""

import csv
import json

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    f1_score,
    precision_score,
    recall_score,
)

from audit.domain import ScoreKey, State
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.report.page import document_of
from audit.report.printing import printing
from audit.report.winner_by_metric import winners_by_state
from audit.resources import samples

FOLDER = samples() / "ferry-ratings"
BY_NAMES, BY_SCALE = (
    ("accuracy", "kappa", "averaged_f1", "f1_of_averages"),
    ("quadratic_kappa", "linear_kappa"),
)


@pytest.fixture(scope="module")
def ferry():
    """The evaluation."""
    return evaluate(read_campaign(FOLDER))


@pytest.fixture(scope="module")
def page():
    return " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def gold():
    return ratings_of(FOLDER / "gold.csv")


@pytest.fixture(scope="module")
def scores(gold):
    """By scikit-learn, of everybody who answers every text."""
    files = sorted((FOLDER / "submissions").iterdir())
    return {file.stem: score(gold, ratings_of(file)) for file in files if file.stem != "Hawser"}


def ratings_of(path):
    """The rating of each text, in the order of the file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".jsonl":
        return np.array([json.loads(line)["rating"] for line in lines])
    rows = csv.DictReader(lines, delimiter="\t" if path.suffix == ".tsv" else ",")
    return np.array([int(row["rating"]) for row in rows])


def score(gold, given):
    averages = [
        each(gold, given, average="macro", zero_division=0)
        for each in (precision_score, recall_score)
    ]
    return {
        "accuracy": accuracy_score(gold, given),
        "kappa": cohen_kappa_score(gold, given),
        "averaged_f1": f1_score(gold, given, average="macro"),
        "f1_of_averages": 2 * averages[0] * averages[1] / sum(averages),
        "quadratic_kappa": cohen_kappa_score(gold, given, weights="quadratic"),
        "linear_kappa": cohen_kappa_score(gold, given, weights="linear"),
    }


def printed(number):
    return f"{number:.3f}".lstrip("0")


def test_the_generator_writes_the_same_bytes(regenerate, assert_same_bytes):
    """As they are committed."""
    assert_same_bytes(regenerate("generate_ferry_ratings.py"), FOLDER)


def test_scores_are_those_of_scikit_learn(ferry, scores):
    """Of everybody who answers every text, from the files themselves."""
    for slug in (*BY_NAMES, *BY_SCALE):
        audited = dict(zip(ferry.names, ferry.scores_of(ScoreKey(slug)), strict=True))
        assert {name: audited[name] for name in scores} == pytest.approx(
            {name: of_team[slug] for name, of_team in scores.items()}, abs=1e-12
        )


@pytest.mark.parametrize(
    ("slug", "order"),
    [
        ("accuracy", ["Astrolabe"]),
        ("kappa", ["Astrolabe"]),
        ("averaged_f1", ["Astrolabe", "Compass"]),
        ("f1_of_averages", ["Compass", "Astrolabe"]),
        ("quadratic_kappa", ["Ballast", "Gimbal", "Astrolabe"]),
    ],
)
def test_the_page_says_who_is_first_by_what(scores, page, slug, order):
    """With the scores of those it names."""
    best_first = sorted(scores, key=lambda name: -scores[name][slug])
    assert best_first[: len(order)] == order
    assert all(printed(scores[name][slug]) in page for name in order)
    if slug in {"accuracy", "kappa"}:
        assert printed(scores["Ballast"][slug]) in page


def test_one_is_far_off_where_the_other_is_a_step_off(gold, page):
    """The cause: more right answers with far errors, against more errors of one step."""
    apart = {
        name: np.abs(gold - ratings_of(FOLDER / "submissions" / f"{name}.csv"))
        for name in ("Astrolabe", "Ballast")
    }
    far = {name: np.sum(steps > 2) for name, steps in apart.items()}
    said = f"{far['Astrolabe']} of its answers are three steps or more from gold, and {far['Ballast']} of Ballast's is"
    assert said in page
    assert np.mean(apart["Ballast"] > 0) > np.mean(apart["Astrolabe"] > 0)


def test_the_change_of_winner_is_shown(ferry):
    """Ballast is the best by quadratic kappa, Astrolabe ahead of it by accuracy and kappa; macro F1s do not decide."""
    (best,) = ferry.comparison("quadratic_kappa").contenders
    assert ferry.names[best] == "Ballast"
    states = {
        change.keys[1].metric: change.state
        for change in ferry.certainty.changes
        if change.keys[1].metric != "f1_of_averages"
    }
    assert {states["accuracy"], states["kappa"]} == {State.OTHER_SHOWN}
    of_macro_f1 = next(
        each for each in ferry.certainty.changes if each.keys[1] == ScoreKey("f1_of_averages")
    )
    assert of_macro_f1.state is State.OTHER_NOT_SHOWN
    assert {"winner-depends-on-label-order", "winner-depends-on-macro-f1"} <= {
        flag.slug for flag in ferry.flags
    }
    rows = {row.choice: row for row in ferry.verdict.depends_on}
    assert rows["scale"].state is State.OTHER_SHOWN
    astrolabe = "Astrolabe wins under eight (four significantly: accuracy, weighted F1, Cohen’s kappa and MCC)"
    compass = (
        "Compass wins under macro precision and F1 of averages (one significantly: macro precision)"
    )
    assert rows["scale"].first == f"of ten other metrics, {astrolabe}; {compass}"
    assert rows["metric"].state is State.OTHER_NOT_SHOWN


def test_labels_are_on_a_scale_and_the_baseline_takes_no_rank(ferry):
    """In steps of one; eight teams are ranked."""
    assert ferry.task.label_set.scale == (0, 1, 2, 3, 4)
    assert {entry.name for entry in ferry.entries if not entry.competes} == {"baseline-always-4"}


def test_the_report_asks_whether_the_order_of_labels_matters(ferry):
    """As a question of its own, with Astrolabe and Ballast in its table."""
    section = next(each for each in document_of(ferry).sections if each.id == "label-order")
    (table,) = section.blocks
    first = {row[0].text: row[2].text for row in table.rows}
    assert set(first.values()) >= {"Astrolabe", "Ballast"}
    # words are aligned as words are
    assert not any(table.columns[place].numeric for place in (0, 1, -1))


def test_every_score_that_the_verdict_names_beside_the_ranking_has_a_row_among_the_winners(ferry):
    """Those that look at the order of the ratings too, of which the section's first sentence speaks."""
    rows = {row[0].text.casefold(): row[1].text for row in winners_by_state(printing(ferry)).rows}
    assert rows["mean absolute error"].startswith("Compass ")
    assert rows["closeness (cem)"].startswith("Astrolabe ")
    assert rows["macro precision"].startswith("Compass ")
