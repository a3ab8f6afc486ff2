"""audit score: one confusion matrix in, every metric out, against scikit-learn and the reference program."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sklearn_metrics

import audit
from audit.domain import ScoreKey
from audit.errors import InputError, UsageError
from audit.metrics import METRICS

# Opitz & Burst 2019, the example of their program mf1: predicted × gold.
MF1 = "predicted/gold,a,b\na,100,10000\nb,0,100\n"
THREE = [[50, 3, 2], [6, 30, 4], [1, 9, 20]]


@pytest.fixture
def matrix(tmp_path):
    """A file with the example of the reference program."""
    path = tmp_path / "confusion.csv"
    path.write_text(MF1, encoding="utf-8")
    return str(path)


def test_it_prints_what_the_reference_program_prints(run, matrix):
    """Both macro F1s and Δ to the last digit, and the two classes that make it."""
    found = json.loads(run("score", matrix, "--json").stdout)
    macro_f1 = found["macro_f1"]
    printed = (macro_f1["f1_of_averages"], macro_f1["averaged_f1"], macro_f1["gap"])
    assert printed == pytest.approx(
        (0.504950495049505, 0.0196078431372549, 0.48534265191225007), abs=1e-15
    )
    assert macro_f1["class_pairs"] == [
        {"classes": ["a", "b"], "part": pytest.approx(printed[2]), "share": 1.0}
    ]
    assert found["confusion"] == [[100, 0, 0], [10000, 100, 0]]
    assert (found["file"], found["orientation_said_by"]) == ("confusion.csv", "file")


def test_every_metric_is_there_and_scikit_learns(run, tmp_path):
    """Those of a whole matrix, observed and balanced; no interval without a reason."""
    path = tmp_path / "three.json"
    path.write_text(
        json.dumps({"labels": ["x", "y", "z"], "rows": "gold", "matrix": THREE}), encoding="utf-8"
    )
    scores = json.loads(run("score", str(path), "--json").stdout)["scores"]
    whole = {metric.slug for metric in METRICS.values() if metric.takes != "class"}
    assert {name.partition("[")[0].removesuffix("~") for name in scores} >= whole
    gold, predicted = (np.repeat(each.ravel(), np.ravel(THREE)) for each in np.indices((3, 3)))
    expected = {
        "accuracy": sklearn_metrics.accuracy_score(gold, predicted),
        "averaged_f1": sklearn_metrics.f1_score(gold, predicted, average="macro"),
        "macro_jaccard": sklearn_metrics.jaccard_score(gold, predicted, average="macro"),
        "averaged_f2": sklearn_metrics.fbeta_score(gold, predicted, beta=2, average="macro"),
        "kappa": sklearn_metrics.cohen_kappa_score(gold, predicted),
        "mcc": sklearn_metrics.matthews_corrcoef(gold, predicted),
        "f1[y]": sklearn_metrics.f1_score(gold, predicted, labels=[1], average=None)[0],
    }
    assert {name: scores[name]["score"] for name in expected} == pytest.approx(expected)
    for each in scores.values():
        assert (each["interval"] is None) == (each["no_interval_because"] is not None)
        assert (
            each["interval"] is None or each["interval"][0] <= each["score"] <= each["interval"][1]
        )


def test_a_reader_sees_scores_classes_and_why_macro_f1_is_two(run, matrix):
    """The table, the classes, and the sentence on Δ; the axes said by nobody are said."""
    printed = run("score", matrix).stdout
    assert "10,200 items, 2 classes" in printed
    assert (
        "Macro F1 is two scores: macro-averaged F1 .020, F1 of averages .505. They differ by Δ = .485."
        in printed
    )
    assert (
        "100% of Δ comes from “a” and “b”: precision / recall .010 / 1.000 and 1.000 / .010."
        in printed
    )
    assert "Nothing says which axis is gold" not in printed


def test_where_nothing_says_which_axis_is_gold_it_is_said(run, tmp_path):
    """Both axes have names: rows are gold, as documented."""
    path = tmp_path / "named.csv"
    path.write_text(",a,b\na,5,1\nb,2,9\n", encoding="utf-8")
    assert "Nothing says which axis is gold" in run("score", str(path)).stdout
    assert "Nothing says" not in run("score", str(path), "--rows", "predicted").stdout


def test_single_scores_are_asked_for(run, matrix):
    """Readings and any β included; nothing else stands in the table then."""
    printed = run("score", matrix, "--metric", "averaged_f1(all-but)[b]", "-m", "f3[a]~").stdout
    assert "averaged_f1(all-but)[b]" in printed
    assert "f3[a]" in printed
    assert "accuracy" not in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--metric", "macro_f1"), "is two metrics"),
        (("--metric", "mcc@few"), "no prevalence “few”"),
    ],
)
def test_a_wrong_name_is_refused(run, matrix, arguments, message):
    """Exit code 2, and what is right."""
    result = run("score", matrix, *arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_a_gap_of_nothing_is_said_so(run, tmp_path):
    """The second example of the reference program: both are the same; a mark says why there is no interval."""
    path = tmp_path / "even.csv"
    path.write_text("gold/predicted,a,b\na,100,5000\nb,5000,100\n", encoding="utf-8")
    assert "the two are the same here" in run("score", str(path)).stdout
    path.write_text("gold/predicted,a,b\na,100,1\nb,3,1\n", encoding="utf-8")
    printed = run("score", str(path)).stdout
    assert "–¹" in printed
    assert "by geometric and harmonic macro recall none was found" in " ".join(printed.split())


# In Python


def test_the_python_door_is_the_command(run, matrix):
    """The same numbers from an array, and from a DataFrame with its axes in another order."""
    by_file = json.loads(run("score", matrix, "--json").stdout)["scores"]
    array = audit.score([[100, 10000], [0, 100]], labels=["a", "b"], rows="predicted")
    frame = pd.DataFrame([[100.0, 10000.0], [0.0, 100.0]], index=["b", "a"], columns=["b", "a"])
    named = audit.score(frame.rename_axis("gold"))
    assert dict(array.scores["value"]) == {name: each["score"] for name, each in by_file.items()}
    assert named.confusion.tolist() == [[100, 10000, 0], [0, 100, 0]]
    assert array.row_of[ScoreKey("accuracy")] == 0
    assert array.gap == pytest.approx(array.f1_of_averages - array.averaged_f1)


def test_unanswered_items_of_an_array_stand_in_the_last_column():
    """And in a DataFrame in a column that is called so."""
    array = audit.score([[5, 1, 2], [0, 7, 0]], labels=["a", "b"])
    frame = audit.score(
        pd.DataFrame([[5, 2, 1], [0, 0, 7]], index=["a", "b"], columns=["a", "missing", "b"])
    )
    assert array.confusion.tolist() == frame.confusion.tolist() == [[5, 1, 2], [0, 7, 0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: audit.score([1, 2]), r"has the shape \(2,\)"),
        (lambda: audit.score([[1, 2], [3, 4]], rows="columns"), "rows is “gold” or “predicted”"),
        (
            lambda: audit.score(pd.DataFrame([[1]], columns=["a"]), labels=["a"]),
            "leave labels=… out",
        ),
        (lambda: audit.score([[1, 2], [3, 4]], labels=["a", "a"]), "has “a” twice"),
    ],
)
def test_a_wrong_call_says_what_is_right(call, message):
    """Usage errors, without a traceback into the program."""
    with pytest.raises(UsageError, match=message):
        call()


@pytest.mark.parametrize(
    "matrix_", [[[1.5, 2], [3, 4]], [[1, -2], [3, 4]], [[1, 2], [0, 0]], [["x", "y"], [1, 2]]]
)
def test_what_is_no_confusion_is_refused_as_a_file_is(matrix_):
    """Shares, negative counts, one class, words."""
    with pytest.raises(InputError):
        audit.score(matrix_)


def test_a_matrix_in_memory_shows_its_scores():
    """What is looked at first, with intervals as its table has them, and the gap."""
    found = audit.score([[30, 5], [2, 13]])
    head, *table, gap = repr(found).splitlines()
    assert head.startswith("50 items of 2 classes")
    first = ["accuracy", "macro_recall", "averaged_f1", "f1_of_averages", "kappa", "mcc"]
    assert table == repr(found.scores.loc[first].round(3)).splitlines()
    assert f"{found.gap:.4f}".removeprefix("0") in gap
    assert "mcc " in repr(audit.score([[30, 5], [2, 13]], metrics=["mcc"]))
