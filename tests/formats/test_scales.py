"""Labels on a scale as task.toml states them: in which order they stand, and which label a number between them is."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, mean_absolute_error

import audit
from audit import workflow
from audit.errors import UsageError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.settings.answers import Rounding
from audit.report import scale
from audit.report.printing import printing
from tests.formats.campaigns import refusal, write

GRADES = np.array([8, 9, 10, 11])


def drawn(seed):
    """Grades of gold and of a team, near each other."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(GRADES, 80)
    return gold, np.clip(gold + rng.choice([-2, -1, 0, 0, 0, 1, 2], 80), 8, 11)


def csv_of(cells):
    return "id,label\n" + "".join(f"q{number},{cell}\n" for number, cell in enumerate(cells))


def campaign(tmp_path, settings, gold, **teams):
    files = {"task.toml": settings, "gold.csv": csv_of(gold)}
    files |= {f"submissions/{team}.csv": csv_of(cells) for team, cells in teams.items()}
    return read_campaign(write(tmp_path, files))


@pytest.mark.parametrize(
    "labels", ['labels = ["10", "11", "8", "9"]\n', 'labels = ["8", "9", "10", "11"]\n', ""]
)
@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_numerals_are_ordered_by_their_value(tmp_path, labels, weights):
    """However `labels` lists them, and where it does not; the oracle is scikit-learn, which sorts numbers."""
    gold, answers = drawn(1)
    settings = f'{labels}scale = true\nofficial_metric = "{weights}_kappa"\n'
    read = campaign(tmp_path, settings, gold, A=answers)
    assert read.gold.label_set.labels == ("8", "9", "10", "11")
    expected = cohen_kappa_score(gold, answers, weights=weights)
    made = evaluate(read)
    assert made.scores[f"{weights}_kappa"].tolist() == [pytest.approx(expected, abs=1e-12)]
    as_text = cohen_kappa_score(
        gold.astype(str), answers.astype(str), labels=["10", "11", "8", "9"], weights=weights
    )
    assert abs(as_text - expected) > 0.01  # what the order of the texts would give
    assert "this order, the lowest first: “8”, “9”, “10” and “11”." in " ".join(
        scale.section(printing(made)).answer
    )
    says = "The labels are numerals on a scale, and stand in the order of their values"
    assert any(says in sentence for sentence in read.task.assumptions) == ("10" in labels[:14])


def test_an_order_that_is_stated_goes_before_the_values_of_numerals(tmp_path):
    """As where the best of five grades is another one; it names the labels, too."""
    gold, answers = drawn(2)
    order = ["10", "11", "8", "9"]
    settings = f'scale = true\norder = {order}\nofficial_metric = "quadratic_kappa"\n'
    read = campaign(tmp_path, settings, gold, A=answers)
    assert read.gold.label_set.labels == tuple(order)
    expected = cohen_kappa_score(
        gold.astype(str), answers.astype(str), labels=order, weights="quadratic"
    )
    made = evaluate(read)
    assert made.scores["quadratic_kappa"].tolist() == [pytest.approx(expected, abs=1e-12)]
    assert "the lowest first: “10”, “11”, “8” and “9”." in " ".join(
        scale.section(printing(made)).answer
    )


@pytest.mark.parametrize(
    ("labels", "settings", "values", "said"),
    [
        (
            ("0", "1", "2", "5"),
            "scale = true",
            (0, 1, 2, 3),
            "They are not equally spaced, and count by their steps, of one each",
        ),
        (
            ("0", "1", "2", "5"),
            "scale = [0, 1, 2, 5]",
            (0, 1, 2, 5),
            "They are not equally spaced, and count by their values.",
        ),
        (
            ("10", "20", "30"),
            "scale = true",
            (0, 1, 2),
            "They count by their steps, of one each, not by their values.",
        ),
        (
            ("1", "2", "3"),
            "scale = [0, 1, 5]",
            (0, 1, 5),
            "They count by the values that are stated, 0, 1 and 5, not by their own.",
        ),
        (("1", "2", "3"), "scale = true", (0, 1, 2), ""),
        (("low", "middle", "high"), "scale = true", (0, 1, 2), "Each is one step from the next."),
        (("low", "middle", "high"), "scale = [0, 1, 5]", (0, 1, 5), "Their values are 0, 1 and 5."),
    ],
)
def test_numerals_that_are_not_equally_spaced_count_as_is_said(
    tmp_path, labels, settings, values, said
):
    """By their steps or by the values that are stated, whichever is used: the mean absolute error shows it."""
    rng = np.random.default_rng(3)
    gold, answers = rng.integers(0, len(labels), (2, 60))
    texts = np.array(labels)
    stated = f'labels = {list(labels)}\n{settings}\nofficial_metric = "mae"\n'
    made = evaluate(campaign(tmp_path, stated, texts[gold], A=texts[answers]))
    expected = mean_absolute_error(np.array(values)[gold], np.array(values)[answers])
    assert made.scores["mae"].tolist() == [pytest.approx(expected, abs=1e-12)]
    _, *sentences = scale.order_sentences(made.task.label_set)
    assert [sentence.startswith(said) for sentence in sentences] == [True] * bool(said)


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (
            "scale = true\n",
            "scale without labels, and gold's labels are no numerals: “high” and “low”",
        ),
        ('labels = ["low", "high"]\nround = "nearest"\n', 'round = "nearest" without scale'),
        (
            'labels = ["low", "high"]\nscale = true\nround = "nearest"\n',
            'round = "nearest" of labels that are words',
        ),
        ('labels = ["low", "high"]\norder = ["high", "low"]\n', "order without scale"),
        (
            'labels = ["low", "high"]\nscale = true\norder = ["high", "middle"]\n',
            'order = ["high", "middle"]',
        ),
        ('labels = ["10", "9"]\nscale = [1, 2]\n', 'rising values of ["10", "9"]'),
        ("scale = [1, 2]\n", "values without labels"),
    ],
)
def test_a_scale_of_which_the_order_is_not_known_is_refused(tmp_path, settings, found):
    """With the file and the line."""
    files = {"task.toml": settings, "gold.csv": csv_of(["low", "high", "low"])}
    issues = refusal(tmp_path, files | {"submissions/A.csv": csv_of(["low", "low", "high"])})
    assert [(issue.slug, issue.file, issue.found) for issue in issues] == [
        ("bad-setting", "task.toml", found)
    ]
    assert issues[0].lines


def test_two_numerals_of_one_value_are_no_two_steps(tmp_path):
    files = {
        "task.toml": 'labels = ["1", "1.0", "2"]\nscale = true\n',
        "gold.csv": csv_of(["1", "1.0", "2"]),
    }
    (issue,) = refusal(tmp_path, files | {"submissions/A.csv": csv_of(["2", "2", "2"])})
    assert issue.found == "“1” and “1.0” are one number, and two labels of a scale"


# Numbers between the labels


def test_numbers_count_as_the_nearest_label_where_task_toml_says_so(tmp_path):
    """Those halfway as the higher, those beyond as the end: the oracle rounds with NumPy."""
    rng = np.random.default_rng(4)
    gold, _ = drawn(4)
    ratings = np.round(gold + rng.normal(0, 1, gold.size), 2)
    settings = 'scale = true\nround = "nearest"\nofficial_metric = "quadratic_kappa"\n'
    read = campaign(tmp_path, settings, gold, A=ratings)
    rounded = np.clip(np.floor(ratings + 0.5), 8, 11).astype(int)
    expected = cohen_kappa_score(gold, rounded, weights="quadratic")
    assert evaluate(read).scores["quadratic_kappa"].tolist() == [pytest.approx(expected, abs=1e-12)]
    n_between = sum(
        not float(cell).is_integer() or str(cell) not in {"8", "9", "10", "11"} for cell in ratings
    )
    said = f"{n_between} numbers were read as the nearest label, as task.toml says."
    assert said in [entry.text for entry in read.journal]
    assert any("count as the nearest label" in sentence for sentence in read.task.assumptions)


@pytest.mark.parametrize(
    ("cell", "label"),
    [
        ("1.49", "1"),
        ("1.5", "2"),
        ("2.5", "2"),
        ("3.5", "5"),
        ("3.4", "2"),
        ("-7", "1"),
        ("9e3", "5"),
        ("2.0", "2"),
        (" 4 ", "5"),
    ],
)
def test_a_number_is_nearest_to_one_label(cell, label):
    """Of 1, 2 and 5: by hand, halfway between 2 and 5 is 3.5, and between 1 and 2 is 1.5."""
    assert Rounding().nearest([cell], ["5", "1", "2"]) == {cell: label}


def test_a_half_that_no_binary_fraction_is_counts_as_a_half():
    """.15 lies halfway between .1 and .2, though in floating point the mean of both is above it."""
    assert Rounding().nearest(["0.15", "0.149", "0.35"], ["0.1", "0.2", "0.3", "0.4"]) == {
        "0.15": "0.2",
        "0.149": "0.1",
        "0.35": "0.4",
    }


@pytest.mark.parametrize("cell", ["nan", "inf", "1e999", "", "one", "1,5", "1"])
def test_what_is_no_number_or_a_label_is_left_as_it_is(cell):
    assert Rounding().nearest([cell], ["1", "2"]) == {}


@pytest.mark.usefixtures("copies_accepted")
def test_labels_that_are_words_are_nearest_by_the_values_that_are_stated(tmp_path):
    """2.9 is nearest to the label of the value 2, 4 to that of 5."""
    settings = 'labels = ["none", "some", "much"]\nscale = [0, 2, 5]\nround = "nearest"\n'
    read = campaign(tmp_path, settings, ["none", "some", "much"], A=["0.9", "2.9", "4"])
    assert read.submissions[0].codes.tolist() == [0, 1, 2]
    assert Rounding().nearest(["1.2"], ["none", "some"]) == {}


def test_gold_is_never_rounded(tmp_path):
    """A number in gold that is no label stays a fault of gold."""
    settings = 'labels = ["1", "2", "3"]\nscale = true\nround = "nearest"\n'
    files = {
        "task.toml": settings,
        "gold.csv": csv_of(["1", "2.4", "3"]),
        "submissions/A.csv": csv_of("123"),
    }
    (issue,) = refusal(tmp_path, files)
    assert (issue.slug, issue.found) == ("gold-unknown-label", "the label “2.4”.")


def test_rounding_is_offered_where_numbers_are_no_labels(tmp_path):
    """Tried on the file: the remedy is one that reads it. Without a scale it is not."""
    gold, _ = drawn(5)
    ratings = gold + 0.25
    files = {
        "gold.csv": csv_of(gold),
        "submissions/A.csv": csv_of(ratings),
        "submissions/B.csv": csv_of(gold + 0.1),
    }
    on_scale = 'labels = ["8", "9", "10", "11"]\nscale = true\n'
    first, *_ = refusal(tmp_path / "scale", files | {"task.toml": on_scale})
    assert first.slug == "no-usable-answer"
    offer = (
        "if its numbers count as the nearest label of the scale, write into task.toml, at "
        'the top: round = "nearest"'
    )
    assert first.remedy.startswith(offer)
    first, *_ = refusal(
        tmp_path / "names", files | {"task.toml": 'labels = ["8", "9", "10", "11"]\n'}
    )
    assert "nearest" not in first.remedy
    unnamed = {
        path: text.replace("id,label", "item,rating")
        for path, text in files.items()
        if path != "gold.csv"
    }
    first, *_ = refusal(tmp_path / "unnamed", files | unnamed | {"task.toml": on_scale})
    assert 'round = "nearest"' in first.remedy
    read = read_campaign(
        write(
            tmp_path / "mended", files | unnamed | {"task.toml": f'{on_scale}round = "nearest"\n'}
        )
    )
    assert np.array_equal(read.submissions[0].codes, read.gold.codes)


def test_rounding_is_offered_for_some_answers_too(tmp_path):
    gold, _ = drawn(6)
    some = [*gold[:-1], "9.5"]
    read = campaign(tmp_path, 'labels = ["8", "9", "10", "11"]\nscale = true\n', gold, A=some)
    (issue,) = read.submissions[0].issues
    assert (issue.slug, 'round = "nearest"' in issue.remedy) == ("unusable-label", True)


def test_systems_of_a_wide_file_are_rounded_and_gold_is_not(tmp_path):
    rows = "".join(f"{number},{label},{label}.2,{label}\n" for number, label in enumerate("123123"))
    settings = (
        'labels = ["1", "2", "3"]\nscale = true\nround = "nearest"\n'
        '[wide]\ngold = "gold"\nsystems = ["A", "B"]\n'
    )
    read = read_campaign(
        write(tmp_path, {"runs.csv": f"id,gold,A,B\n{rows}", "task.toml": settings})
    )
    for submission in read.submissions:
        assert np.array_equal(submission.codes, read.gold.codes)


def test_the_kit_of_participants_reads_a_scale_without_labels(tmp_path):
    """What they are given says the labels, or checks without."""
    gold, answers = drawn(7)
    files = {
        "task.toml": 'scale = true\nslug = "grades"\n',
        "gold.csv": csv_of(gold),
        "submissions/A.csv": csv_of(answers),
    }
    workflow.load(write(tmp_path / "folder", files), tmp_path / "audit.db")
    (tmp_path / "items.csv").write_text("id\n" + "".join(f"q{number}\n" for number in range(80)))
    workflow.write_kit("grades", tmp_path / "kit", tmp_path / "audit.db", tmp_path / "items.csv")
    key = workflow.key_of_kit(tmp_path / "kit")
    assert workflow.check_for_participants(
        tmp_path / "folder" / "submissions" / "A.csv", key
    ).is_accepted


# In memory


def test_numerals_in_memory_are_ordered_by_value_too():
    """With and without `labels`; `order` states another; words need their order."""
    gold, answers = drawn(8)
    expected = cohen_kappa_score(gold, answers, weights="quadratic")
    for labels in (None, [10, 11, 8, 9]):
        made = audit.evaluate(gold, {"A": answers}, labels=labels, scale=True, certainty=False)
        assert made.scores["quadratic_kappa"].tolist() == [pytest.approx(expected, abs=1e-12)]
    order = [10, 11, 8, 9]
    other = audit.evaluate(gold, {"A": answers}, scale=True, order=order, certainty=False)
    expected = cohen_kappa_score(gold, answers, labels=order, weights="quadratic")
    assert other.scores["quadratic_kappa"].tolist() == [pytest.approx(expected, abs=1e-12)]
    with pytest.raises(UsageError, match="where they are words"):
        audit.evaluate(["low", "high"], {"A": ["low", "low"]}, scale=True)
