"""audit power: what a task's test set can tell, and how large one must be, as the evaluation and the plan have it."""

import json
import re

import numpy as np
import pytest

from audit.domain import LabelSet, Options, ScoreKey
from audit.evaluation import evaluate
from audit.findings.power_sentences import plan_sentences, power_sentences
from audit.formats import confusions
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.confusions import ConfusionFile
from audit.inference.confusions_alone import plan

from .conftest import FLOOD

LABELS = ("no", "yes")
FIRST = np.array([[80, 15, 5], [20, 78, 2]])
SECOND = np.array([[70, 25, 5], [20, 80, 0]])


@pytest.fixture(scope="module")
def evaluation():
    """The sample through the Python interface."""
    return evaluate(read_campaign(FLOOD), Options(compare=("mcc~",)))


@pytest.fixture
def pilots(monkeypatch):
    """Two files of confusions, and what was asked of their reader."""
    read = {"one.csv": (LABELS, FIRST), "two.csv": (LABELS[::-1], SECOND[::-1][:, [1, 0, 2]])}
    read["other.csv"] = (("no", "maybe"), SECOND)
    asked = []

    def read_confusion(path, *, rows=None):
        asked.append((path.name, rows))
        labels, cells = read[path.name]
        return ConfusionFile(LabelSet(tuple(labels)), np.asarray(cells), "option")

    monkeypatch.setattr(confusions, "read_confusion", read_confusion)
    return asked


def lines(result):
    """What was printed, without indents."""
    return [line.strip() for line in result.stdout.splitlines()]


@pytest.mark.usefixtures("store")
def test_sentences_stand_before_the_table(run, evaluation):
    """By the ranking metric, and the numbers by every metric in a column each."""
    result = run("power", "flood-posts")
    assert result.exit_code == 0
    printed = lines(result)
    assert printed[0] == f"{evaluation.task.title}: what the test set can tell"
    sentences = power_sentences(evaluation)
    assert printed[1 : 1 + len(sentences)] == list(sentences)
    assert "averaged_f1   f1_of_averages" in result.stdout
    power = evaluation.power[0]
    (needed,) = (
        line
        for line in printed
        if line.startswith("items the difference needs, these two among all pairs")
    )
    assert f"{power.needed_among_all:,}" in needed
    (carried,) = (
        line for line in printed if line.startswith("items without which another is first")
    )
    assert carried.split()[-2] == str(power.carried_by.n_items)
    assert "the pair with the median standard error" in sentences[0]
    said = re.findall(r"\.\d+", sentences[0])
    rows = [
        f"found {often} time, the median pair among all" for often in ("half the", "80% of the")
    ]
    assert [line.split()[-2] for row in rows for line in printed if line.startswith(row)] == said


@pytest.mark.usefixtures("store")
def test_another_metric_is_told_of_where_it_is_named(run, evaluation):
    """It comes first; JSON has every number, and None for what is undefined."""
    result = run("power", "flood-posts", "--metric", "mcc", "--prevalence", "balanced", "--json")
    found = json.loads(result.stdout)
    key = ScoreKey("mcc", "balanced")
    assert (found["task"], found["metric"]) == ("flood-posts", "mcc~")
    assert found["sentences"] == list(power_sentences(evaluation, key))
    assert [record["key"] for record in found["power"]] == ["mcc~", "averaged_f1", "f1_of_averages"]
    power = next(each for each in evaluation.power if each.key == key)
    record = found["power"][0]
    assert record["difference"] == power.difference
    assert record["median_detected_among_all"] == power.median_detected_among_all
    assert record["needed_as_pair"] == power.needed_as_pair
    assert record["first"] == evaluation.names[power.first]
    assert record["items_that_carry"] == power.carried_by.n_items
    assert "label_noise" not in record


def test_a_campaign_of_one_team_has_nothing_to_tell(run, campaign):
    """No table, one sentence; and of twins, dashes in place of numbers."""
    folder = campaign()
    (folder / "submissions" / "B.csv").unlink()
    run("load", folder)
    result = run("power", "small")
    assert lines(result)[1:] == [
        "Fewer than two entries can be compared by macro-averaged F1: there is no difference to find."
    ]
    (folder / "submissions" / "B.csv").write_bytes((folder / "submissions" / "A.csv").read_bytes())
    run("load", folder)
    printed = lines(run("power", "small"))
    assert (
        "A and B have the same score by macro-averaged F1: there is no lead that more items could confirm."
        in printed
    )
    found = json.loads(run("power", "small", "--json").stdout)["power"][0]
    assert found["needed_as_pair"] is found["carried_by"] is found["critical_value"] is None
    assert any(
        line.startswith("items without which another is first") and line.endswith("–")
        for line in printed
    )


def test_a_plan_from_one_pilot(run, pilots):
    """The sentences of the plan, and its numbers in a table."""
    result = run(
        "power", "--pilot", "one.csv", "--difference", ".02", "--teams", "10", "--rows", "predicted"
    )
    assert result.exit_code == 0
    assert pilots == [("one.csv", "predicted")]
    labels = LabelSet(LABELS)
    expected = plan(FIRST[None], labels, ScoreKey("averaged_f1"), difference=0.02, n_teams=10)
    printed = lines(result)
    assert printed[0] == "How large a test set must be"
    assert printed[1].startswith("one.csv: 200 items, macro-averaged F1 .")
    assert printed[2:6] == list(plan_sentences(expected, labels))
    table = [line.split() for line in printed if line[:1] == "."]
    counts = [[f"{each.as_pair:,}", f"{each.among_all:,}"] for each in expected.needed]
    assert [row[1:] for row in table] == counts


def test_a_plan_from_two_pilots_takes_their_difference(run, pilots):
    """Whatever the order of their labels; a metric is named as everywhere."""
    result = run("power", "--pilot", "one.csv", "--pilot", "two.csv", "-m", "accuracy~", "--json")
    assert [rows for _, rows in pilots] == [None, None]
    found = json.loads(result.stdout)
    assert found["metric"] == "accuracy~"
    assert [pilot["file"] for pilot in found["pilots"]] == ["one.csv", "two.csv"]
    assert [pilot["score"] for pilot in found["pilots"]] == pytest.approx([0.79, 0.75])
    assert found["difference"] == pytest.approx(0.04)
    both = np.stack([FIRST, SECOND])
    expected = plan(
        both, LabelSet(LABELS), ScoreKey("accuracy", "balanced"), difference=found["difference"]
    )
    assert found["needed"] == [vars(each) for each in expected.needed]
    assert (found["teams"], found["critical_value"]) == (20, expected.critical_value)


@pytest.mark.usefixtures("pilots", "store")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Name a task"),
        (["--difference", ".02"], "Name a task"),
        (["flood-posts", "--difference", ".02"], "go with these"),
        (["flood-posts", "--rows", "gold"], "go with these"),
        (["flood-posts", "--pilot", "one.csv"], "without them"),
        (["--pilot", "one.csv"], "only two pilots have one of their own"),
        (["--pilot", "one.csv", "--difference", "0"], "above 0"),
        (["--pilot", "one.csv", "--pilot", "one.csv"], "above 0"),
        (["--pilot", "one.csv", "--pilot", "other.csv"], "different labels: “maybe” and “yes”"),
        (["--pilot", "one.csv", "--difference", ".02", "-m", "macro_f1"], "is two metrics"),
        (["--pilot", "one.csv", "--difference", ".02", "-p", "there"], "no prevalence “there”"),
        (
            [
                "--pilot",
                "one.csv",
                "--pilot",
                "one.csv",
                "--pilot",
                "one.csv",
                "--difference",
                ".02",
            ],
            "from two",
        ),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(run, arguments, message):
    """With what to do, and exit code 2."""
    result = run("power", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_file_of_a_confusion_is_read(run, folder):
    """Gold in rows, or predictions where that is said."""
    (folder / "gold.csv").write_text("gold,no,yes\nno,80,20\nyes,10,90\n", encoding="utf-8")
    (folder / "predicted.csv").write_text(
        "predicted,no,yes\nno,80,10\nyes,20,90\n", encoding="utf-8"
    )
    asked = ("--difference", ".02", "-m", "macro_recall", "--json")
    by_gold = run("power", "--pilot", "gold.csv", "--rows", "gold", *asked)
    other = run("power", "--pilot", "predicted.csv", "--rows", "predicted", *asked)
    assert by_gold.exit_code == other.exit_code == 0
    one, two = (json.loads(result.stdout) for result in (by_gold, other))
    assert one["needed"] == two["needed"]
    assert one["pilots"][0]["score"] == pytest.approx(0.85)
