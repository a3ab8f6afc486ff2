"""Flags about the data: the classes of gold, and what the submissions answer."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score

from audit.domain import Policies, Role, ScoreKey, Severity
from audit.findings.handed_in import chance_levels

from .campaigns import compared, evaluated, flag_of, of_confusions, of_runs
from .cases import CASES


def teams_of(flag, list_of="submissions"):
    return [row["team"] for row in flag.evidence[list_of]]


@pytest.mark.parametrize(
    ("given", "fires"), [("aabbb", False), ("aabab", True), ("aaaaa", True), ("bbbaa", True)]
)
def test_chance_by_accuracy_is_the_share_of_the_largest_class(given, fires):
    """Of five items three are a: three right is chance, four is not."""
    flag = flag_of(
        evaluated("aaabb", {"X": given}, official_metric="accuracy"), "at-or-below-chance"
    )
    assert (flag is not None) == fires
    if fires:
        (row,) = flag.evidence["submissions"]
        assert row["chance"] == 3 / 5
        assert row["score"] == pytest.approx(accuracy_score(list("aaabb"), list(given)))
        assert row["kappa"] == pytest.approx(cohen_kappa_score(list("aaabb"), list(given)))
        assert row["score_at_or_below"] is True
        assert row["kappa_at_or_below"] is (cohen_kappa_score(list("aaabb"), list(given)) <= 0)


def test_chance_by_accuracy_is_that_of_the_items_scored():
    """Of eight items, four of b; of the six that X answers, four are a, and always a is what it answers."""
    runs = {("X", "1"): "aaaaaa..", ("Y", "1"): "aaaabbbb"}
    found = of_runs(
        "aaaabbbb", runs, policies=Policies(missing="drop"), official_metric=ScoreKey("accuracy")
    )
    (row,) = flag_of(found, "at-or-below-chance").evidence["submissions"]
    assert (row["team"], row["chance"], row["score"]) == ("X", 4 / 6, pytest.approx(4 / 6))


@pytest.mark.parametrize(
    ("metric", "level"),
    [
        *[
            ("macro_recall", 1 / 4),
            ("averaged_f1", 1 / 4),
            ("f1_of_averages", 1 / 4),
            ("macro_precision", 1 / 4),
        ],
        *[("kappa", 0), ("mcc", 0), ("mcc~", 0), ("accuracy~", 1 / 4), ("weighted_f1~", 1 / 4)],
        *[("averaged_f1[a,b]", 7 / 17), ("macro_recall[a,b,c]", 1 / 3), ("accuracy", 5 / 10)],
        *[("weighted_f1", None), ("recall[a]", None), ("f1[d]", None)],
    ],
)
def test_chance_is_that_of_the_metric(metric, level):
    """1/k for an average over k classes; less by F1 where some are named, as the others’ items are false alarms.

    0 for kappa and MCC; none for class scores.
    """
    evaluation = evaluated("aaaaabbccd", {"X": "aaaaabbccd"}, official_metric=metric)
    (found,) = chance_levels(evaluation, evaluation.task.ranking_metric)
    assert found == pytest.approx(level) if level is not None else np.isnan(found)


def test_an_accuracy_below_the_majority_is_no_finding_where_macro_f1_counts():
    """Eight of ten are a; X finds both b and misses four a: accuracy .6, macro-averaged F1 well above one half."""
    gold, given = "aaaaaaaabb", "aaaabbbbbb"
    assert flag_of(evaluated(gold, {"X": given}), "at-or-below-chance") is None
    assert (
        flag_of(evaluated(gold, {"X": given}, official_metric="accuracy"), "at-or-below-chance")
        is not None
    )


def test_who_is_at_or_below_chance_is_counted_and_named():
    """Two of three, with the share of the largest class."""
    found = evaluated(
        "aaabb", {"X": "aaaaa", "Good": "aaabb", "Z": "....."}, official_metric="accuracy"
    )
    flag = flag_of(found, "at-or-below-chance")
    assert teams_of(flag) == ["X", "Z"]
    for words in ("2 submissions", "X and Z", ".600"):
        assert words in flag.sentence
    assert "Good" not in flag.sentence


@pytest.mark.parametrize(
    ("given", "fires"), [("aabb", True), ("aaba", False), ("aab.", False), ("bbaa", False)]
)
def test_answers_that_equal_gold_are_flagged(given, fires):
    """All of them, exactly; who it is stands in the evidence, and in what is to be done."""
    evaluation = evaluated("aabb", {"X": given, "Y": "abab"})
    flag = flag_of(evaluation, "answers-equal-gold")
    assert (flag is not None) == fires
    assert any(asked.about == "answers-equal-gold" for asked in evaluation.verdict.to_do) == fires
    if fires:
        assert teams_of(flag) == ["X"]


def test_a_baseline_may_equal_gold():
    """An oracle says how far systems could go."""
    runs = {("X", "1"): "aaba", ("oracle", "1"): "aabb"}
    evaluation = of_runs("aabb", runs, roles={"oracle": Role.BASELINE})
    assert flag_of(evaluation, "answers-equal-gold") is None


@pytest.mark.parametrize(
    ("contents", "byte_identical"), [((b"1", b"1"), True), ((b"1", b"2"), False)]
)
def test_identical_labels_of_different_teams(contents, byte_identical):
    """Whether the files are the same to the byte is told apart from whether the labels are."""
    runs = {("X", "1"): "aaba", ("Y", "1"): "aaba", ("Z", "1"): "aabb"}
    files = dict(zip(runs, (*contents, b"3"), strict=True))
    flag = flag_of(of_runs("aabb", runs, files), "identical-submissions")
    assert flag.evidence["groups"] == [
        {
            "teams": ["X", "Y"],
            "baselines": [],
            "files": ["submissions/X/1.txt", "submissions/Y/1.txt"],
            "byte_identical": byte_identical,
        }
    ]
    assert "X and Y" in flag.sentence
    assert "Z" not in flag.sentence


def test_runs_of_one_team_may_be_identical():
    """They are one row, and fire only with another team's among them; every file is then named."""
    own = {("X", "1"): "aaba", ("X", "2"): "aaba"}
    assert flag_of(of_runs("aabb", {**own, ("Y", "1"): "abba"}), "identical-submissions") is None
    (group,) = flag_of(
        of_runs("aabb", {**own, ("Y", "1"): "aaba"}), "identical-submissions"
    ).evidence["groups"]
    assert group["teams"] == ["X", "Y"]
    assert len(group["files"]) == 3
    assert group["byte_identical"] is False


def test_groups_of_identical_submissions_are_counted():
    """Two groups of different teams."""
    flag = flag_of(
        evaluated("aabb", {"A": "aaba", "B": "abab", "C": "aaba", "D": "abab"}),
        "identical-submissions",
    )
    assert [group["teams"] for group in flag.evidence["groups"]] == [["A", "C"], ["B", "D"]]
    for words in ("2 groups", "A and C", "B and D"):
        assert words in flag.sentence


@pytest.mark.parametrize(("first", "second"), [("aab.", "aabz"), ("aaby", "aabz")])
def test_unanswered_in_different_ways_is_not_identical(first, second):
    """A label outside the label set is neither no label nor another such label."""
    assert flag_of(evaluated("aabb", {"X": first, "Y": second}), "identical-submissions") is None


def test_the_same_unanswered_items_are_identical():
    """No label for the same items, the same labels for the others."""
    assert flag_of(evaluated("aabb", {"X": "aab.", "Y": "aab."}), "identical-submissions")


@pytest.mark.parametrize(
    ("given", "missing", "unusable", "words"),
    [
        ("aa..", 2, 0, "X (2 missing, 50%)"),
        ("aazy", 0, 2, "X (2 outside the label set, 50%)"),
        ("aaz.", 1, 1, "X (1 missing, 1 outside the label set, 50%)"),
    ],
)
def test_unanswered_items_are_missing_or_unusable(given, missing, unusable, words):
    """Both are counted apart, and the labels outside the label set are listed."""
    flag = flag_of(evaluated("aabb", {"X": given, "Y": "aabb"}), "unanswered-items")
    (row,) = flag.evidence["submissions"]
    strays = {letter: 1 for letter in given if letter in "zy"}
    assert row == {"team": "X", "missing": missing, "unusable": unusable, "unusable_labels": strays}
    assert words in flag.sentence
    assert "Y (" not in flag.sentence


def test_unanswered_items_come_most_first_and_are_cut_in_the_sentence():
    """Seven teams with unanswered items: five are named, all are in the evidence; of six all are named."""
    predictions = {f"T{number}": "a" * (9 - number) + "." * number for number in range(1, 8)}
    flag = flag_of(evaluated("aaaabbbba", predictions), "unanswered-items")
    assert teams_of(flag) == ["T7", "T6", "T5", "T4", "T3", "T2", "T1"]
    assert "7 submissions have" in flag.sentence
    assert "2 more" in flag.sentence
    assert "T1" not in flag.sentence
    del predictions["T1"]
    assert "and T2 (" in flag_of(evaluated("aaaabbbba", predictions), "unanswered-items").sentence


def test_thousands_are_separated():
    """As people read them."""
    gold = "ab" * 1000
    flag = flag_of(evaluated(gold, {"X": gold[:-1500] + "." * 1500}), "unanswered-items")
    assert "1,500 missing, 75%" in flag.sentence


def test_those_at_chance_are_told_from_those_that_agree_with_gold_by_chance():
    """Below the majority class all three; by kappa all, some or none of them are above 0."""
    gold = "aaaaaabbb"
    above, below, neither = "aaabbbbbb", "bbbbbbaaa", "aaaaaaaaa"
    said = {
        "X.": {"X": above},
        "X and Y. Kappa is not above 0 for X and Y.": {"X": below, "Y": neither},
        "X and Y. Kappa is not above 0 for Y.": {"X": above, "Y": below},
    }
    for words, predictions in said.items():
        found = evaluated(gold, predictions, official_metric="accuracy")
        sentence = flag_of(found, "at-or-below-chance").sentence
        assert sentence.endswith(f"the share of the largest class): {words}")


def test_no_agreement_with_gold_is_a_finding_by_any_metric():
    """Weighted F1 has no level of chance; kappa has."""
    flag = flag_of(
        evaluated("aaabb", {"X": "bbbaa"}, official_metric="weighted_f1"), "at-or-below-chance"
    )
    assert flag.sentence == "Kappa is not above 0 for X."
    assert flag.evidence["submissions"][0]["chance"] is None


def test_a_class_of_gold_that_a_team_never_predicts():
    """Only classes in gold count, and only teams that miss one."""
    flag = flag_of(
        evaluated("aabbcc", {"X": "aaaaaa", "Y": "aabbcc", "Z": "abbbb."}, labels="abcd"),
        "class-never-predicted",
    )
    assert flag.evidence == {
        "submissions": [{"team": "X", "classes": ["b", "c"]}, {"team": "Z", "classes": ["c"]}]
    }
    for words in ("2 submissions never predict", "X (“b” and “c”)", "Z (“c”)"):
        assert words in flag.sentence
    assert "Y (" not in flag.sentence


def test_a_class_predicted_only_in_error_is_predicted():
    """One wrong answer with the label is enough."""
    assert flag_of(evaluated("aabb", {"X": "baaa"}), "class-never-predicted") is None


def test_a_declared_class_without_gold_counts_its_predictions():
    """How many items each team predicts as one of these classes, and how many teams do."""
    flag = flag_of(
        evaluated("aabb", {"X": "ccdb", "Y": "aabb"}, labels="abcd"), "class-without-gold"
    )
    assert flag.evidence == {"classes": ["c", "d"], "items_predicted": {"X": 3, "Y": 0}}
    for words in ("2 classes", "“c” and “d”", "1 team"):
        assert words in flag.sentence


def test_rare_is_below_twenty_and_very_rare_below_ten():
    """20 is enough, 19 is rare, 10 is not very rare, 9 is, and none at all is another flag."""
    gold = "".join(label * size for label, size in {"a": 20, "b": 19, "c": 10, "d": 9}.items())
    flag = flag_of(evaluated(gold, {"X": gold}, labels="abcde"), "rare-class")
    assert flag.severity is Severity.NOTE
    assert flag.evidence["classes"] == [
        {"label": "d", "gold_items": 9},
        {"label": "c", "gold_items": 10},
        {"label": "b", "gold_items": 19},
    ]
    assert "3 classes have fewer than 20 gold items" in flag.sentence
    assert "“d” (9), “c” (10) and “b” (19)" in flag.sentence
    assert "1 of them" in flag.sentence


def test_rare_classes_say_nothing_of_ten_where_none_is_below():
    """19 is rare, and no more than that."""
    sentence = flag_of(CASES["rare-class"].fires(), "rare-class").sentence
    assert "“a” (19)" in sentence
    assert "10" not in sentence


def test_above_chance_but_not_significantly_is_said_of_the_interval():
    """Sixty of 110 right, and half would be chance: the point is above it, its interval contains it; 90 is clear."""
    found = compared(
        {"X": [[30, 25], [25, 30]], "Y": [[45, 10], [10, 45]]}, official_metric="accuracy"
    )
    flag = flag_of(found, "not-significantly-above-chance")
    (row,) = flag.evidence["submissions"]
    assert (row["team"], row["chance"]) == ("X", 0.5)
    assert row["lower"] < 0.5 < row["score"] < row["upper"]
    assert flag.sentence == (
        "1 submission is not significantly above chance by accuracy (.500, which its 95% interval contains): X."
    )
    assert flag_of(found, "at-or-below-chance") is None
    assert flag.slug not in {each.about for each in found.verdict.to_do}


def test_without_intervals_nothing_is_said_of_them():
    found = of_confusions({"X": [[30, 25], [25, 30]]}, official_metric="accuracy")
    assert flag_of(found, "not-significantly-above-chance") is None
