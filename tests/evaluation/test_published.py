"""Published tables that the policies reproduce: read here by a few lines of the test's own, scored by the engine."""

import csv
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from audit.domain import Campaign, Gold, LabelSet, Policies, Role, ScoreKey, Submission, Task
from audit.evaluation import evaluate
from audit.ranking.ranks import published_ranks

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
ACCURACY = ScoreKey("accuracy")


def folder(name):
    if not (DATA / name).is_dir():
        pytest.skip(f"{name} stands beside the checkout, not in it")
    return DATA / name


# SemEval-2016 task 3: missing items are dropped

TRUE_OR_FALSE = LabelSet(("false", "true"))
SUBTASKS = {"A": 128, "B": 112, "C": 52, "D": 64}
METRICS = {
    "precision": "precision[true]",
    "recall": "recall[true]",
    "f1": "f1[true]",
    "accuracy": "accuracy",
}


def answers(path):
    """(question, answer) → label, of a file with five columns."""
    rows = (
        line.split()
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip()
    )
    return {(row[0], row[1]): row[-1] for row in rows}


def cqa(subtask, **policies):
    """All runs of a subtask and its baselines, as a campaign."""
    root = folder("semeval2016-task3-cqa") / "SemEval2016_task3_submissions_and_scores"
    (gold_file,) = root.glob(f"_gold/*.subtask{subtask}.relevancy")
    gold = answers(gold_file)
    codes = {"false": 0, "true": 1}
    submissions = []
    for path in sorted(root.glob(f"*/subtask_{subtask}_*.txt")):
        given, run = answers(path), path.stem.removeprefix(f"subtask_{subtask}_")
        role = Role.BASELINE if path.parent.name == "_baseline" else Role(run.rstrip("12"))
        predicted = np.array(
            [codes[given[item]] if item in given else 2 for item in gold], dtype=np.uint8
        )
        submissions.append(Submission(path.parent.name, predicted, run, role=role))
    truth = np.array([codes[label] for label in gold.values()], dtype=np.uint8)
    task = Task(subtask, subtask, TRUE_OR_FALSE, ACCURACY, policies=Policies(**policies))
    return Campaign(task, Gold(TRUE_OR_FALSE, truth), tuple(submissions))


def published(subtask):
    """(system, metric) → value, as printed."""
    path = folder("semeval2016-task3-cqa") / "published_scores.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file, delimiter="\t")
            if row["task"] == f"subtask {subtask}"
        ]
    return {
        (row["system"], row["metric"]): row["value"] for row in rows if row["metric"] in METRICS
    }


def scores(evaluation):
    """(system, metric) → value, with four decimals."""
    return {
        (f"{run.team}-{run.run}", metric): f"{evaluation.scores_of(ScoreKey(name))[row]:.4f}"
        for row, entry in enumerate(evaluation.entries)
        for run in entry.runs
        for metric, name in METRICS.items()
    }


@pytest.mark.parametrize("subtask", SUBTASKS)
def test_the_published_values_of_semeval_2016_task_3_are_met_with_missing_items_dropped(subtask):
    """All 356 of the four subtasks, to the last printed decimal."""
    expected = published(subtask)
    assert len(expected) == SUBTASKS[subtask]
    assert scores(evaluate(cqa(subtask, missing="drop"))) == expected


def test_with_missing_items_wrong_the_runs_that_miss_some_have_other_scores():
    """Two runs of one team in subtask D miss 30 items, and only they differ."""
    wrong, dropped = (evaluate(cqa("D", missing=missing)) for missing in ("wrong", "drop"))
    assert {entry.name: entry.n_dropped for entry in dropped.entries if entry.n_dropped} == {
        "ConvKN/contrastive1": 30,
        "ConvKN/contrastive2": 30,
    }
    ours, expected = scores(wrong), published("D")
    assert {
        system for (system, metric) in expected if ours[system, metric] != expected[system, metric]
    } == {
        "ConvKN-contrastive1",
        "ConvKN-contrastive2",
    }
    assert ours["ConvKN-contrastive1", "recall"] == "0.9647"


def test_the_primary_runs_are_those_of_the_official_table():
    """With their baselines beside them."""
    evaluation = evaluate(cqa("A", runs="primary"))
    assert {entry.run for entry in evaluation.entries if entry.competes} == {"primary"}
    assert int(evaluation.competing.sum()) == 12
    assert [entry.team for entry in evaluation.entries if not entry.competes] == ["_baseline"] * 3
    assert len(evaluation.uncounted) == 29 - 12
    assert {run.reason for run in evaluation.uncounted} == {"not primary"}


# SemEval-2018 task 12: a withdrawn run and a baseline


def arct(baselines):
    """All 23 files, with the roles that the organisers' list gives them."""
    root = folder("semeval2018-task12-arct")
    labels = LabelSet(("0", "1"))

    def codes(path):
        lines = path.read_text(encoding="utf-8").splitlines()
        found = dict(
            line.split()[:2] for line in lines if line.strip() and not line.startswith("#")
        )
        return {item: int(label) for item, label in found.items()}

    gold = codes(root / "data/gold/truth.txt")
    submissions = []
    listing = ET.parse(root / "data/submissions/metadata-public.xml")  # noqa: S314 - a file that we hold
    for participant in listing.getroot():
        of = participant.attrib.get
        given = codes(root / f"data/submissions/{of('submissionID')}.txt")
        role = (
            Role.WITHDRAWN if of("withdrawn") else Role.BASELINE if of("baseline") else Role.PRIMARY
        )
        name = (
            "Random baseline"
            if of("baseline")
            else of("shownName") or of("systemName") or of("username")
        )
        predicted = np.array([given[item] for item in gold], dtype=np.uint8)
        submissions.append(Submission(name, predicted, role=role))
    task = Task("arct", "arct", labels, ACCURACY, 3, Policies(baselines=baselines))
    return Campaign(
        task, Gold(labels, np.array(list(gold.values()), dtype=np.uint8)), tuple(submissions)
    )


@pytest.fixture(scope="module")
def table():
    """Team → (rank, accuracy) as published."""
    page = (folder("semeval2018-task12-arct") / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^ *(\d+) +(\S.*?) +(0\.\d{3})$", page, re.MULTILINE)
    return {team: (int(rank), accuracy) for rank, team, accuracy in rows}


def test_the_official_table_of_arct_is_met_with_the_baseline_ranked(table):
    """The baseline 18th, two teams sharing rank 8, the withdrawn run not shown."""
    evaluation = evaluate(arct("ranked"))
    printed = [int(rank.removesuffix("=")) for rank in published_ranks(evaluation)]
    accuracy = [f"{score:.3f}" for score in evaluation.scores_of(ACCURACY)]
    assert dict(zip(evaluation.names, zip(printed, accuracy, strict=True), strict=True)) == table
    assert printed[evaluation.names.index("Random baseline")] == 18
    assert sorted(printed)[7:9] == [8, 8]
    assert [run.reason for run in evaluation.uncounted] == ["withdrawn"]


def test_beside_the_teams_the_baseline_takes_no_rank(table):
    """Whoever stood behind it moves up by one, and it keeps the rank that it would take."""
    evaluation = evaluate(arct("beside"))
    ranks = dict(zip(evaluation.names, published_ranks(evaluation), strict=True))
    assert ranks["Random baseline"] == "(18)"
    for team, (rank, _) in table.items():
        if team != "Random baseline":
            assert int(ranks[team].removesuffix("=")) == rank - (rank > 18)
    order = [evaluation.names[entry] for entry in evaluation.order(ACCURACY)]
    assert order[16:19] == ["HHU", "Random baseline", "Deepfinder"]
