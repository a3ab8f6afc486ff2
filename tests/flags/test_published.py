"""Flags about published scores: what they say of real figures and worked tables."""

import pytest

from audit.findings.to_do import to_do

from .campaigns import evaluated, flag_of, of_confusions, with_published
from .cases import CASES, EVEN, FIVE, GOLD_OF_FIVE, SKEWED, THREE

HEADING, SCORE = "published-heading-differs", "published-score-differs"


def test_a_macro_f1_of_the_other_kind_is_named():
    """Opitz & Burst 2019, tables 1 and 2: F1 of averages .50 and .555 under the name that both macro F1s have."""
    flag = flag_of(CASES[HEADING].fires(), HEADING)
    assert flag.sentence == (
        "Of 1 column of published scores, 1 has a heading that does not name the numbers. “macro_F1” is the name of "
        "two metrics; these numbers are F1 of averages: write that."
    )
    assert flag.paper == "“macro_F1” denotes F1 of averages."
    (column,) = flag.evidence["columns"]
    assert (column["heading_names_the_numbers"], column["reading"]) == (
        "leaves open",
        "f1_of_averages",
    )
    assert (column["matched"], column["teams"]) == (2, 2)


def test_a_heading_that_says_another_metric_is_contradicted():
    """A column of accuracies called kappa."""
    flag = flag_of(
        with_published(evaluated("aabb", THREE), kappa=[".75000", "1.00000", ".50000"]), HEADING
    )
    assert "The heading “kappa” says Cohen’s kappa, and these numbers are accuracy" in flag.sentence
    assert [column["heading_names_the_numbers"] for column in flag.evidence["columns"]] == ["no"]


def test_columns_that_changed_places_are_one_finding():
    """Accuracy and Cohen's kappa, each under the other's heading."""
    swapped = with_published(
        evaluated("aabb", THREE),
        accuracy=["0.50000", "1.00000", "0.00000"],
        kappa=["0.75000", "1.00000", "0.50000"],
    )
    flag = flag_of(swapped, HEADING)
    assert flag.sentence.startswith(
        "Of 2 columns of published scores, 2 have a heading that does not name the numbers."
    )
    assert "“accuracy” and “kappa” have changed places" in flag.sentence


def test_of_many_headings_three_are_said():
    """The evidence has them all."""
    cells = {f"macro-F1{mark}": [".5000000", ".5552885"] for mark in ("", "*", "†", "‡", "§")}
    flag = flag_of(with_published(of_confusions({"X": EVEN, "Y": SKEWED}), **cells), HEADING)
    assert flag.sentence.endswith(" 2 more findings likewise.")
    assert len(flag.evidence["columns"]) == 5


def test_a_typing_error_is_found_and_named():
    """The team, what is printed, and what the reading of the other scores gives."""
    flag = flag_of(CASES[SCORE].fires(), SCORE)
    assert (
        "the best, accuracy (as fractions, rounded to 3 decimals), gives 4 of 5 scores."
        in flag.sentence
    )
    assert "Not given by it: Z, printed .900, computed .57500, .32500" in flag.sentence
    assert flag.paper == f"Not every published score was reproduced. {flag.sentence}"
    (column,) = flag.evidence["columns"]
    assert column["off"] == [{"team": "Z", "printed": ".900", "computed": 0.575}]


def test_of_many_columns_with_errors_three_are_said():
    """The evidence has them all."""
    cells = {
        f"accuracy{mark}": [".975", ".925", ".825", ".750", ".900"] for mark in ("", "*", "†", "‡")
    }
    flag = flag_of(with_published(evaluated(GOLD_OF_FIVE, FIVE), **cells), SCORE)
    assert flag.sentence.endswith(" 1 more column likewise.")
    assert len(flag.evidence["columns"]) == 4


@pytest.mark.parametrize("cells", [[".11", ".12", ".13"], [".75", ".12", ".13"]])
def test_numbers_that_no_reading_gives_raise_no_flag(cells):
    """There is nothing to say of a heading whose numbers are unknown, nor who is off."""
    made = with_published(evaluated("aabb", THREE), kappa=cells)
    assert (flag_of(made, HEADING), flag_of(made, SCORE)) == (None, None)


@pytest.mark.parametrize("slug", [HEADING, SCORE])
def test_without_published_scores_both_are_silent(slug):
    """Nothing was given to check."""
    assert flag_of(evaluated("aabb", THREE), slug) is None


def test_a_table_that_contradicts_itself_is_asked_to_be_corrected():
    """An F1 above the harmonic mean of .50 and .60, which is .545, in each of five rows."""
    slug = "published-table-contradicts-itself"
    found = CASES[slug].fires()
    flag = flag_of(found, slug)
    assert "is .58, which is above the harmonic mean of “P” .50 and “R” .60" in flag.sentence
    assert flag.paper == f"The published table contradicts itself: {flag.sentence}"
    assert list(found.published.contradictions) == flag.evidence["contradictions"]
    assert "Correct the published table: it contradicts itself." in [
        each.text for each in to_do(found)
    ]
    assert flag_of(CASES[slug].silent(), slug) is None


def test_columns_that_cannot_be_computed_are_counted_and_how_far_they_are_is_said():
    """Invented scores; and accuracies with .05 less in each, as of a gold that was corrected since."""
    slug = "published-not-computed"
    found = CASES[slug].fires()
    assert flag_of(found, slug).sentence == "No reading fits 1 of 1 column."
    asked = "No reading fits 1 of 1 published column: another metric, another gold, or other files?"
    assert asked in [each.text for each in to_do(found)]
    below = with_published(
        evaluated(GOLD_OF_FIVE, FIVE), accuracy=[".925", ".875", ".775", ".700", ".525"]
    )
    assert flag_of(below, slug).sentence == (
        "No reading fits 1 of 1 column: “accuracy” is .050 below accuracy in every row."
    )
