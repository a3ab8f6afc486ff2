"""What a published table says against itself, and what of it cannot be computed: no accusation without arithmetic."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

import audit
from audit.domain import LabelSet
from audit.formats.small_tables import read_published
from audit.readings import identify
from audit.readings.table_arithmetic import contradictions
from tests.real_campaigns import DATA

from .tables import printed, published

LABELS = LabelSet(("no", "yes"))
TEAMS = ("A", "B", "C", "D")
LLMJUDGE = DATA / "llmjudge-2024" / "published_scores.tsv"
BOLD = {
    "kappa": ".2863",
    "alpha": ".4958",
    "kappa 0|123": ".4228",
    "kappa 01|23": ".3985",
    "kappa 012|3": ".3215",
}
"""The bold faces of LLMJudge 2024, tables 3 and 4 of arXiv 2502.13908; two are not the best of their column."""


def said(columns, teams=TEAMS):
    table = published(columns, teams)
    return list(contradictions(table, table.columns, LABELS))


@pytest.mark.skipif(
    not LLMJUDGE.is_file(), reason="the real campaigns stand beside the checkout, not in it"
)
@pytest.mark.parametrize(
    "bold", ["**{}**", r"\textbf{{{}}}", r"$\mathbf{{{}}}$", "<b>{}</b>", "{}*"]
)
def test_two_bold_faces_of_llmjudge_are_not_the_best(tmp_path, bold):
    """However the table's file writes them."""
    heads, *rows = [line.split("\t") for line in LLMJUDGE.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        for place, head in enumerate(heads):
            if row[place] == BOLD.get(head) and (head != "kappa" or row[0] == "willia-umbrela1"):
                row[place] = bold.format(row[place])
    path = tmp_path / "table.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in (heads, *rows)), encoding="utf-8")
    table = read_published(path)
    doubt = ", if * marks the best" if bold == "{}*" else ""
    assert list(contradictions(table, table.columns, LabelSet(tuple("0123")))) == [
        f"“alpha” highlights .4958 (h2oloo-fewself) as its best{doubt}, and .5020 (Olz-gpt4o) is higher.",
        f"“kappa 01|23” highlights .3985 (willia-umbrela1) as its best{doubt}, and .4280 (h2oloo-fewself) is higher.",
    ]


@given(st.lists(st.integers(0, 99), min_size=4, max_size=4), st.integers(0, 3))
def test_a_highlight_is_accused_if_and_only_if_another_is_better(values, place):
    """Higher by accuracy; lower by an error; of a heading that is not known either end is a best."""
    cells = [
        f"**.{value:02}**" if row == place else f".{value:02}" for row, value in enumerate(values)
    ]
    assert bool(said({"Accuracy": cells})) == (values[place] < max(values))
    assert bool(said({"MAE": cells})) == (values[place] > min(values))
    assert bool(said({"Quality": cells})) == (values[place] not in {min(values), max(values)})


def test_several_stars_are_footnotes_and_several_bold_faces_hold_the_best():
    """A star on one cell alone may be either, and the sentence says so."""
    assert not said({"Accuracy": [".5*", ".6*", ".7", ".4"]})
    assert not said({"Accuracy": ["**.5**", "**.7**", ".6", ".4"]})
    assert said({"Accuracy": ["**.5**", "**.6**", ".7", "–"]}) == [
        "“Accuracy” highlights .5 (A) and .6 (B) as its best, and .7 (C) is higher."
    ]
    assert not said({"Accuracy": [".5", ".6", ".7", ".4"]})


@given(st.data())
def test_no_table_that_was_computed_is_accused(data):
    """Macro, micro, weighted and of one class, as scikit-learn has them, rounded or cut off anywhere."""
    labels = st.lists(st.sampled_from("ab"), min_size=12, max_size=12)
    gold = data.draw(labels)
    assume(len(set(gold)) == 2)
    of = data.draw(
        st.sampled_from(
            [{"average": each} for each in ("macro", "micro", "weighted")] + [{"labels": ["a"]}]
        )
    )
    of = {"average": "macro", "zero_division": 0} | of
    drawn = [precision_recall_fscore_support(gold, data.draw(labels), **of)[:3] for _ in TEAMS]
    scores = np.array(drawn)
    decimals = data.draw(st.integers(1, 4))
    shown = np.floor(scores * 10**decimals) / 10**decimals if data.draw(st.booleans()) else scores
    columns = {
        name: printed(shown[:, place], decimals) for place, name in enumerate(("P", "R", "F1"))
    }
    assert not [sentence for sentence in said(columns) if "harmonic" in sentence]


def test_an_f1_above_its_precision_and_recall_is_said_with_all_three():
    """Of the same class or mean only; and not without one of the two."""
    columns = {"Macro P": [".50", ".40", ".4", ".40"], "Macro R": [".60", ".40", ".4", ".40"]}
    columns |= {"Macro F1": [".58", ".4", ".4", ".45"]}
    (sentence,) = said(columns)
    assert sentence.startswith(
        "“Macro F1” of A is .58, which is above the harmonic mean of “Macro P” .50 and “Macro R” "
    )
    assert sentence.endswith(".60: no F1 of them is; 1 more row likewise.")
    assert not said({"P yes": [".5"] * 4, "R no": [".5"] * 4, "F1 yes": [".9"] * 4})
    assert not said({"P": [".5"] * 4, "F1": [".9"] * 4})


def test_columns_of_other_metrics_with_the_same_numbers_are_said_and_those_that_may_be_equal_are_not():
    """Accuracy and micro F1 are one number; precision and kappa are not."""
    numbers = [".51", ".62", ".73", ".84"]
    assert said({"Kappa": numbers, "Macro precision": numbers}) == [
        "“Kappa” and “Macro precision” have the same numbers in every row."
    ]
    assert not said({"Accuracy": numbers, "Micro F1": numbers})
    assert not said({"W-R": numbers, "Accuracy": numbers})


@pytest.fixture(scope="module")
def campaign():
    """Six teams on three classes."""
    draw = np.random.default_rng(5)
    gold = draw.choice(list("abc"), 240)
    teams = {
        name: np.where(draw.random(240) < share, gold, draw.choice(list("abc"), 240)).tolist()
        for name, share in zip("ABCDEF", (0.9, 0.8, 0.7, 0.6, 0.5, 0.4), strict=True)
    }
    return audit.evaluate(gold.tolist(), teams, certainty=False)


def checked(campaign, **columns):
    return identify(campaign, published(columns, campaign.names))


def test_scores_of_another_gold_are_a_finding_and_a_constant_difference_is_said(campaign):
    """Two of three columns cannot be computed; one is the accuracy and .05."""
    accuracy = np.asarray(campaign.scores["accuracy"])
    found = checked(
        campaign,
        Accuracy=printed(accuracy + 0.05),
        Kappa=[".111", ".222", ".333", ".444", ".555", ".666"],
        F1=printed(campaign.scores["averaged_f1"]),
    )
    first, second, third = found.columns
    assert (first.is_unexplained, second.is_unexplained, third.is_unexplained) == (
        True,
        True,
        False,
    )
    assert first.apart == ".050 above accuracy"
    assert second.apart == ""


def test_what_a_heading_names_comes_before_a_reading_that_gives_one_score_more(campaign):
    """Two typing errors of accuracy do not make a column one of something exotic, and what accuracy gives is said."""
    cells = printed(campaign.scores["accuracy"])
    cells[2] = ".999"
    (column,) = checked(campaign, Accuracy=cells).columns
    assert column.matches[0].reading.metric == "accuracy"
    assert [miss.printed for miss in column.matches[0].misses] == [".999"]
    (column,) = checked(campaign, Kappa=printed(campaign.scores["accuracy"])).columns
    assert column.heading_says == "no"
    assert "What the heading names, Cohen’s kappa, gives 0 of 6." in column.sentences


def test_three_headings_that_changed_places_are_one_finding(campaign):
    """Each stands over what another says."""
    found = checked(
        campaign,
        Accuracy=printed(campaign.scores["kappa"]),
        Kappa=printed(campaign.scores["mcc"]),
        MCC=printed(campaign.scores["accuracy"]),
    )
    assert found.findings == (
        "“Accuracy”, “Kappa” and “MCC” have changed places: each holds what another says.",
    )


def test_a_heading_of_a_metric_that_was_not_tried_is_not_accused(campaign):
    """No scores of single items are kept here, so nothing is known of AUC."""
    (column,) = checked(campaign, AUC=printed(campaign.scores["accuracy"])).columns
    assert column.heading_says == "cannot tell"


@pytest.mark.parametrize("heading", ["W-R", "wF1", "weighted avg", "detection_f1"])
def test_a_heading_of_words_that_are_not_known_is_not_accused(campaign, heading):
    """It may name more than is known."""
    (column,) = checked(campaign, **{heading: printed(campaign.scores["accuracy"])}).columns
    assert column.heading_says in {"cannot tell", "names no metric"}
