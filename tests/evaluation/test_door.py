"""The Python door: predictions in memory are audited as files are."""

import tomllib

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

import audit
from audit.domain import ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign

GOLD = ["no", "yes", "no", "maybe", "yes", "no"]
ADA = ["no", "yes", "yes", "maybe", "no", "no"]
MISSING = {
    "None": None,
    "nan": float("nan"),
    "numpy's nan": np.float64("nan"),
    "NA": pd.NA,
    "NaT": pd.NaT,
    "numpy's NaT": np.datetime64("NaT", "s"),
    "empty text": "",
}


def accuracy(*args, **settings):
    return audit.evaluate(*args, **settings).scores["accuracy"].tolist()


def entry(gold, given, **settings):
    (entry,) = audit.evaluate(gold, {"X": given}, **settings).entries
    return entry


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "array of objects": lambda labels: np.array(labels, dtype=object),
    "Series": pd.Series,
    "Series of strings": lambda labels: pd.Series(labels, dtype="string"),
    "Series of categories": lambda labels: pd.Series(labels, dtype="category"),
    "Categorical": pd.Categorical,
    "Index": pd.Index,
}


@pytest.mark.parametrize("gold", CONTAINERS)
@pytest.mark.parametrize("given", CONTAINERS)
def test_every_container_gives_the_same_evaluation(gold, given):
    """Lists, arrays, Series and categories, for gold and for predictions, in any pair."""
    plain = audit.evaluate(GOLD, {"Ada": ADA})
    evaluation = audit.evaluate(CONTAINERS[gold](GOLD), {"Ada": CONTAINERS[given](ADA)})
    assert evaluation.signature == plain.signature
    np.testing.assert_array_equal(evaluation.values, plain.values)


NUMBERS = {
    "Python's": lambda labels: labels,
    "text": lambda labels: list(map(str, labels)),
    "numpy's, in a list": lambda labels: list(np.array(labels)),
    "numpy's bytes": lambda labels: np.array(labels, dtype=np.uint8),
    "Series": pd.Series,
    "Series with room for NA": lambda labels: pd.Series(labels, dtype="Int64"),
}


@pytest.mark.parametrize("given", NUMBERS)
def test_whole_numbers_are_labels_as_text(given):
    """1 and "1" are the same label, whatever kind of whole number it is."""
    evaluation = audit.evaluate([0, 1, 1, 10], {"X": NUMBERS[given]([0, 1, 10, 10])})
    assert evaluation.task.label_set.labels == ("0", "1", "10")
    assert evaluation.scores["accuracy"].tolist() == [0.75]


def test_one_point_nought_is_another_label():
    """Labels are compared as text, and floats print with a point."""
    assert entry([0, 1, 1], [0.0, 1.0, 1]).unusable_labels == (("0.0", 1), ("1.0", 1))


ONES = [0, 1] * 50
WRITINGS = {
    "floats": (ONES, [float(one) for one in ONES], "found “0.0” and “1.0”, expected “0” and “1”"),
    "floats for a missing answer": (
        pd.Series(ONES),
        pd.Series([None, *ONES[1:]]),
        "found “0.0” and “1.0”, expected “0” and “1”",
    ),
    "gold in floats": ([float(one) for one in ONES], ONES, "expected “0.0” and “1.0”"),
    "truth values": (
        [True, False] * 50,
        [1, 0] * 50,
        "found “0” and “1”, expected “False” and “True”",
    ),
    "case": (["a", "b"] * 50, ["A", "B"] * 50, "found “A” and “B”, expected “a” and “b”"),
    "others": (["a", "b"] * 50, ["p", "q"] * 50, "found “p” and “q”, expected “a” and “b”"),
}


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("as_frame", [False, True])
def test_labels_in_another_writing_are_refused(writing, as_frame):
    """As a file with such labels is: scored, the system would be the last of the ranking without a reason."""
    gold, given, words = WRITINGS[writing]
    columns = {"other": gold, "X": given}
    call = (pd.DataFrame({"gold": gold, **columns}),) if as_frame else (gold, columns)
    with pytest.raises(audit.UsageError, match=f"“X” has none of gold’s labels: .*{words}"):
        audit.evaluate(*call, gold="gold" if as_frame else None)


def test_what_the_message_on_labels_advises_helps():
    """The whole numbers of floats, a missing answer among them, are gold's labels."""
    (found,) = audit.evaluate(ONES, {"X": pd.Series([None, *ONES[1:]]).astype("Int64")}).entries
    assert (found.n_missing, found.n_unusable) == (1, 0)
    mapped = pd.Series([True, False] * 50).astype(str).map({"False": "0", "True": "1"})
    assert accuracy([1, 0] * 50, {"X": mapped}) == [1]


def test_no_answer_at_all_is_one_that_a_team_may_give():
    """Every item is then missing."""
    assert entry(list("abab"), [None] * 4).n_missing == 4


def test_truth_values_are_labels():
    """True and False, Python's or numpy's."""
    assert accuracy([True, False, True], {"X": np.array([True, True, True])}) == [
        pytest.approx(2 / 3)
    ]


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize(
    "container", [list, pd.Series, lambda labels: np.array(labels, dtype=object)]
)
def test_no_label_is_unanswered(missing, container):
    """None, NaN, NA, NaT and the empty text are missing, not labels outside the label set."""
    found = entry(GOLD, container([*ADA[:-1], MISSING[missing]]))
    assert (found.n_missing, found.n_unusable) == (1, 0)


def test_the_word_nan_is_a_label():
    """And so are null, NA and None, as words, and a blank."""
    words = ["nan", "null", "NA", "None", " "]
    found = entry(words, words)
    assert found.n_unanswered == 0


@pytest.mark.parametrize("missing", MISSING)
def test_gold_needs_every_label(missing):
    """The error says which item has none."""
    with pytest.raises(audit.UsageError, match=r"no label for item 3 \(counted from 0\)"):
        audit.evaluate([*GOLD[:3], MISSING[missing], *GOLD[3:]], {"X": [*ADA, "no"]})


def test_series_are_aligned_by_index():
    """Whatever order either is in."""
    gold = pd.Series(GOLD, index=list("abcdef"))
    given = pd.Series(ADA, index=gold.index)
    expected = audit.evaluate(GOLD, {"Ada": ADA})
    for seed in range(5):
        shuffled = audit.evaluate(gold, {"Ada": given.sample(frac=1, random_state=seed)})
        np.testing.assert_array_equal(shuffled.values, expected.values)
        assert shuffled.signature == expected.signature
        gold_shuffled = audit.evaluate(gold.sample(frac=1, random_state=seed), {"Ada": given})
        np.testing.assert_array_equal(gold_shuffled.values, expected.values)


def test_all_else_is_aligned_by_position():
    """A Series beside a list is taken as it stands, unless it has an index that would then be passed over."""
    backwards = pd.Series(ADA, index=range(5, -1, -1))
    assert accuracy(GOLD, {"Ada": pd.Series(ADA)}) == accuracy(GOLD, {"Ada": ADA})
    with pytest.raises(audit.UsageError, match="pass gold as a Series too"):
        audit.evaluate(GOLD, {"Ada": backwards})
    assert accuracy(pd.Series(GOLD), {"Ada": backwards}) != accuracy(GOLD, {"Ada": ADA})
    assert accuracy(pd.Series(GOLD), {"Ada": ADA}) == accuracy(GOLD, {"Ada": ADA})


def test_an_item_that_a_series_lacks_is_unanswered():
    """And whole numbers stay whole numbers beside it."""
    gold = pd.Series([1, 2, 2, 1], index=[10, 11, 12, 13])
    found = entry(gold, pd.Series([1, 2], index=[13, 11]))
    assert (found.n_missing, found.n_unusable) == (2, 0)
    assert accuracy(gold, {"X": pd.Series([1, 2], index=[13, 11])}) == [0.5]


def test_an_index_of_several_levels():
    """Items may be known by two columns."""
    index = pd.MultiIndex.from_product([["q1", "q2", "q3"], [1, 2]])
    gold = pd.Series(GOLD, index=index)
    assert entry(gold, gold.iloc[::-1].iloc[1:]).n_missing == 1


def test_a_data_frame_is_a_mapping_of_teams():
    """A column for each team."""
    frame = pd.DataFrame({"Ada": ADA, "All": GOLD})
    assert accuracy(GOLD, frame) == accuracy(GOLD, {"Ada": ADA, "All": GOLD})


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ([0, 1, 2, 3, 4, 4], "“X” has an item twice"),
        ([0, 1, 2, 3, 4, 99], "“X” has 1 item that gold lacks, like 99"),
        ([0, 1, 2, 3, "x", (1, 2)], "2 items that gold lacks"),
        (list("abcdef"), "6 items that gold lacks, like 'a'"),
    ],
)
def test_an_index_that_does_not_fit_is_a_wrong_call(index, words):
    """The error says whose index it is, and what is wrong with it."""
    given = pd.Series(ADA, index=pd.Index(index, dtype=object))
    with pytest.raises(audit.UsageError, match=words.replace("(", r"\(")):
        audit.evaluate(pd.Series(GOLD), {"X": given})


def test_an_index_of_gold_with_an_item_twice_is_a_wrong_call():
    """It would not be clear which item an answer belongs to."""
    with pytest.raises(audit.UsageError, match="gold’s index has an item twice"):
        audit.evaluate(pd.Series(GOLD, index=[0, 0, 1, 2, 3, 4]), {"X": pd.Series(ADA)})


@pytest.mark.parametrize("n_items", [0, 5, 7])
def test_another_length_is_a_wrong_call(n_items):
    """With both numbers."""
    with pytest.raises(
        audit.UsageError, match=rf"“X” has {n_items} predictions, and gold has 6 items"
    ):
        audit.evaluate(GOLD, {"X": (ADA * 2)[:n_items]})


@pytest.mark.parametrize(
    ("gold", "predictions", "settings", "words"),
    [
        ([], {"X": []}, {}, "no item"),
        (GOLD, {}, {}, "no submission"),
        (["a", "a"], {"X": ["a", "a"]}, {}, "fewer than two classes"),
        ([], {"X": []}, {"labels": "ab"}, "fewer than two classes"),
        (GOLD, {1: ADA, "1": ADA}, {}, "same name"),
        (
            GOLD,
            {"X": ADA},
            {"labels": ["no", "yes", "mabye"]},
            "“maybe”, which labels=… lacks. Did you mean “mabye”",
        ),
        (GOLD, {"X": ADA}, {"labels": ["no", "yes", "maybe", "no"]}, "“no” twice"),
        (GOLD, {"X": ADA}, {"labels": []}, "at least one label"),
        (GOLD, {"X": ADA}, {"official_decimals": -1}, "from 0 to 15"),
        (GOLD, {"X": ADA}, {"official_decimals": 16}, "from 0 to 15"),
        (GOLD, {"X": ADA}, {"official_decimals": "3"}, "from 0 to 15"),
    ],
)
def test_what_cannot_be_evaluated_is_a_wrong_call(gold, predictions, settings, words):
    """Every such call says what is the matter."""
    with pytest.raises(audit.UsageError) as caught:
        audit.evaluate(gold, predictions, **settings)
    assert words in str(caught.value)


def test_labels_outside_the_label_set_are_unusable():
    """They are counted by label, the most frequent first, as they stand to the last character."""
    found = entry(["a", "b", "a", "b", "a", "a"], ["A", "b ", "x\x00", "x", "A", "a"])
    assert found.unusable_labels == (("A", 2), ("b ", 1), ("x", 1), ("x\x00", 1))
    assert (found.n_missing, found.n_unusable) == (0, 5)


def test_the_label_set_is_golds_in_sorted_order_unless_it_is_stated():
    """Stated labels keep their order, may be more than gold has, and may be numbers."""
    assert audit.evaluate(GOLD, {"X": ADA}).task.label_set.labels == ("maybe", "no", "yes")
    stated = audit.evaluate([2, 1], {"X": [1, 3]}, labels=[3, 2, 1])
    assert stated.task.label_set.labels == ("3", "2", "1")
    assert stated.task.label_set.declared
    assert stated.entries[0].n_unusable == 0
    assert "class-without-gold" in {flag.slug for flag in stated.flags}


@pytest.mark.parametrize(
    "name", ["accuracy", "kappa~", "recall[yes]", "averaged_f1[no, yes]", "mcc@flat"]
)
def test_the_official_metric_ranks(name):
    """Any score of the registry, at any prevalence that exists, over any classes."""
    flat = dict.fromkeys(["no", "yes", "maybe"], 1)
    evaluation = audit.evaluate(GOLD, {"X": ADA}, official_metric=name, prevalences={"flat": flat})
    assert evaluation.task.official_metric == evaluation.task.ranking_metric
    assert str(evaluation.task.official_metric) in evaluation.scores
    assert str(evaluation.task.official_metric) == name.replace(" ", "")


@pytest.mark.parametrize("name", ["macro_f1", "f1_macro", "Macro-F1", "macro f1~", "F1 macro"])
def test_macro_f1_is_refused_with_both_candidates(name):
    """The name means two metrics."""
    with pytest.raises(audit.MetricNameError) as caught:
        audit.evaluate(GOLD, {"X": ADA}, official_metric=name)
    for word in (name, "averaged_f1", "f1_of_averages", "scikit-learn", "GermEval"):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("acuracy", "Did you mean “accuracy”"),
        ("kappa@flat", "there is no prevalence “flat”"),
        ("recall[yess]", "Did you mean “yes”"),
        ("recall", "Name the class"),
        ("", "is no metric"),
    ],
)
def test_an_official_metric_that_does_not_exist_is_refused(name, words):
    """With what may have been meant."""
    with pytest.raises(audit.UsageError) as caught:
        audit.evaluate(GOLD, {"X": ADA}, official_metric=name)
    assert words in str(caught.value)


def test_a_named_prevalence_is_scaled_to_one():
    """Shares may be counts; the scores are scikit-learn's under such weights."""
    from sklearn.metrics import f1_score  # noqa: PLC0415 - only here

    shares = {"no": 5, "yes": 3, "maybe": 2}
    weights = [shares[label] / GOLD.count(label) for label in GOLD]
    evaluation = audit.evaluate(GOLD, {"X": ADA}, prevalences={"planned": shares})
    expected = f1_score(GOLD, ADA, average="macro", sample_weight=weights)
    assert evaluation.scores.loc["X", "averaged_f1@planned"] == pytest.approx(expected)
    tenth = {label: share / 10 for label, share in shares.items()}
    scaled = audit.evaluate(GOLD, {"X": ADA}, prevalences={"planned": tenth})
    np.testing.assert_allclose(scaled.values, evaluation.values, atol=1e-12)


@pytest.mark.parametrize(
    "shares",
    [
        {"no": 1, "yes": 1},
        {"no": 1, "yes": 1, "maybe": 1, "never": 1},
        {"no": 1e308, "yes": 1e308, "maybe": 1},
        {"no": 1e308, "yes": 1, "maybe": 1e-320},
        {},
    ],
)
def test_a_prevalence_gives_a_positive_share_to_every_class_in_gold_and_no_other(shares):
    """The error names the prevalence and the classes."""
    with pytest.raises(
        audit.UsageError, match="“odd” needs a positive share for “maybe”, “no” and “yes”"
    ):
        audit.evaluate(GOLD, {"X": ADA}, prevalences={"odd": shares})


@pytest.mark.parametrize("share", [0, -1, float("nan"), float("inf"), "1", None])
def test_a_share_is_a_positive_number(share):
    """The error says of which class."""
    with pytest.raises(
        audit.UsageError, match=r"as prevalences\['odd'\]\['maybe'\], expected a positive number"
    ):
        audit.evaluate(GOLD, {"X": ADA}, prevalences={"odd": {"no": 1, "yes": 1, "maybe": share}})


@pytest.mark.parametrize("name", ["observed", "balanced", "", "a b", "x~", "[x]", "x\n", "x" * 61])
def test_a_prevalence_has_a_name_that_a_score_can_carry(name):
    """And not that of the two that are always there."""
    words = "as prevalences, expected letters, digits and hyphens; not observed or balanced"
    with pytest.raises(audit.UsageError, match=words):
        audit.evaluate(
            GOLD, {"X": ADA}, prevalences={name: dict.fromkeys(["no", "yes", "maybe"], 1)}
        )


SETTINGS = """
official_metric = "averaged_f1"
official_decimals = 1
[prevalence.planned]
no = 5
yes = 3
maybe = 2
"""
TEAMS = {
    "Ada": ADA,
    "Bob": ["no", "no", "no", "no", "", "stray"],
    "Eve": ["yes", "yes", "stray", "maybe", "yes", "no"],
    "Zoë": ADA,
}


@pytest.mark.parametrize("settings", ["", SETTINGS])
def test_memory_and_files_give_the_same(tmp_path, settings):
    """One label per line, read from a folder: equal scores, ranks, agreement, flags, unanswered items, signature."""
    folder = tmp_path / "Evaluation"
    (folder / "submissions").mkdir(parents=True)
    if settings:
        (folder / "task.toml").write_text(settings, encoding="utf-8")
    for path, labels in {
        "gold.txt": GOLD,
        **{f"submissions/{team}.txt": TEAMS[team] for team in TEAMS},
    }.items():
        (folder / path).write_text("".join(f"{label}\n" for label in labels), encoding="utf-8")
    stated = tomllib.loads(settings)
    stated["prevalences"] = stated.pop("prevalence", None)
    memory, files = audit.evaluate(GOLD, TEAMS, **stated), evaluate(read_campaign(folder))
    assert memory.names == files.names == ("Ada", "Bob", "Eve", "Zoë")
    assert memory.keys == files.keys
    for part in ("confusions", "values", "rank_values"):
        np.testing.assert_array_equal(getattr(memory, part), getattr(files, part))
    np.testing.assert_array_equal(memory.agreement.spearman, files.agreement.spearman)
    assert memory.signature == files.signature
    assert [flag.sentence for flag in memory.flags] == [flag.sentence for flag in files.flags]
    for ours, theirs in zip(memory.entries, files.entries, strict=True):
        assert (ours.n_missing, ours.n_unusable) == (theirs.n_missing, theirs.n_unusable)
        assert ours.unusable_labels == theirs.unusable_labels
        assert ours.predictions_digest == theirs.predictions_digest


def test_the_report_of_an_evaluation_can_be_written(tmp_path):
    """From a notebook as from the command line."""
    path = audit.write_report(
        audit.evaluate(GOLD, TEAMS, title="My campaign"), tmp_path / "report.html"
    )
    page = path.read_text(encoding="utf-8")
    assert "My campaign" in page
    assert "Zoë" in page


def test_the_winners_of_the_evaluation_are_found_by_key():
    """Three teams have four of six items right; the key is exported beside the function."""
    evaluation = audit.evaluate(GOLD, TEAMS)
    assert [evaluation.names[team] for team in evaluation.winners(audit.ScoreKey("accuracy"))] == [
        "Ada",
        "Eve",
        "Zoë",
    ]
    assert audit.ScoreKey is ScoreKey


def test_averages_over_named_classes_are_scored_on_request():
    """SemEval-2013 to 2016 averaged the F1 of positive and negative: scikit-learn's labels=."""
    gold = ["neg", "neu", "pos", "pos", "neg", "neu"]
    given = ["neg", "pos", "pos", "neu", "neu", "neu"]
    evaluation = audit.evaluate(gold, {"A": given}, metrics=["averaged_f1[pos,neg]"])
    expected = f1_score(gold, given, labels=["pos", "neg"], average="macro")
    assert evaluation.scores.loc["A", "averaged_f1[neg,pos]"] == pytest.approx(expected)
    assert "averaged_f1[neg,pos]~" in evaluation.scores
    with pytest.raises(audit.MetricNameError, match="is two metrics"):
        audit.evaluate(gold, {"A": given}, metrics=["macro_f1[pos,neg]"])


def test_items_that_come_in_groups_are_drawn_by_group():
    """Ten documents of six items: ten groups in the certainty, longer intervals, and a flag that they are few."""
    rng = np.random.default_rng(5)
    document = np.repeat(np.arange(10), 6)
    gold = np.where(rng.random(60) < 0.5, "a", "b")
    hit = rng.random(10)[document] < 0.6  # a document is right or wrong as a whole
    predictions = {"X": np.where(hit, gold, np.where(gold == "a", "b", "a")), "Y": gold}
    alone = audit.evaluate(gold, predictions)
    grouped = audit.evaluate(gold, predictions, groups=document)
    assert (alone.certainty.n_groups, grouped.certainty.n_groups) == (None, 10)
    widths = [np.ptp(each.intervals.loc["X", "accuracy"].to_numpy()) for each in (alone, grouped)]
    assert widths[1] > 1.5 * widths[0]
    assert "few-groups" in {flag.slug for flag in grouped.flags}
    assert alone.signature != grouped.signature
    with pytest.raises(audit.UsageError, match="each item needs one"):
        audit.evaluate(gold, predictions, groups=document[:-1])


def test_a_group_is_called_what_its_series_is_called():
    """And gold says so; a list or an array has no name, and an item without a group is refused."""
    gold, authors = ["a", "b", "a", "b"], ["x", "x", "y", "y"]
    for groups, unit in (
        (pd.Series(authors, name="author"), "author"),
        (pd.Series(authors), None),
        (pd.Series(authors, name=3), None),
        (authors, None),
        (np.array(authors), None),
    ):
        found = audit.evaluate(gold, {"X": gold}, groups=groups).gold
        assert (found.groups.tolist(), found.unit) == ([0, 0, 1, 1], unit)
    assert audit.evaluate(gold, {"X": gold}).gold.unit is None
    with pytest.raises(audit.UsageError, match="no group for item 2"):
        audit.evaluate(gold, {"X": gold}, groups=["x", "x", None, "y"])


def test_that_a_test_set_is_stratified_is_said_of_gold():
    """It is part of the signature, since intervals depend on it; anything but True and False is refused."""
    gold = ["a", "b", "a", "b"]
    plain, stratified = (
        audit.evaluate(gold, {"X": gold}, stratified=said) for said in (False, True)
    )
    assert (plain.gold.stratified, stratified.gold.stratified) == (False, True)
    assert plain.signature != stratified.signature
    with pytest.raises(audit.UsageError, match="as stratified, expected true or false"):
        audit.evaluate(gold, {"X": gold}, stratified="yes")


def test_intervals_are_a_frame_beside_the_scores():
    """A lower and an upper end for every score, which lies between them, or a mark that says why there is none."""
    gold, given = ["a", "b", "b", "a", "b"] * 8, ["a", "b", "a", "a", "b"] * 8
    evaluation = audit.evaluate(gold, {"X": given})
    assert list(evaluation.intervals.columns.get_level_values(0).unique()) == list(
        evaluation.scores.columns
    )
    for key in evaluation.scores:
        low, high = evaluation.intervals.loc["X", key]
        assert low <= evaluation.scores.loc["X", key] <= high
    assert not evaluation.marks.to_numpy().any()
    left_out = audit.evaluate(gold, {"X": given}, certainty=False)
    for ask in (
        lambda: left_out.intervals,
        lambda: left_out.marks,
        lambda: left_out.comparison("averaged_f1"),
    ):
        with pytest.raises(audit.UsageError, match="certainty was left out"):
            ask()
    with pytest.raises(audit.UsageError, match="not compared by “accuracy”, but by averaged_f1, "):
        evaluation.comparison("accuracy")


def test_rarely_predicted_classes_widen_the_interval():
    """Not that of accuracy, which averages nothing over classes."""
    gold, given = ["a", "b"] * 20, ["a"] * 38 + ["b"] * 2
    evaluation = audit.evaluate(gold, {"X": given})
    assert not evaluation.marks.to_numpy().any()
    widths = {
        key: np.ptp(evaluation.intervals.loc["X", key]) for key in ("accuracy", "macro_precision")
    }
    assert widths["macro_precision"] > 1.3 * widths["accuracy"]
