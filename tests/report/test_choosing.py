"""What a page holds for choosing: no markup, packed numbers that are read back, and a sentence where it is left out."""

import json
import string
from dataclasses import replace

import numpy as np
import pytest

import audit
from audit.domain import LabelSet, Options, Role
from audit.evaluation import evaluate
from audit.report.classes import items_table, matrix_chooser
from audit.report.page_packing import packed, script_json, width_for
from audit.report.pairs import PAIR_VERDICTS, pair_chooser
from audit.report.printing import GoldItems, printing
from audit.writers.html import render_html

from .campaigns import HOSTILE, random_campaign, random_evaluation
from .document import read

DIGITS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"


def unpacked(text, width):
    """Whole numbers of base 64, read by the book; the largest stands for none."""
    numbers = [
        sum(
            DIGITS.index(digit) * 64**place
            for place, digit in enumerate(reversed(text[start : start + width]))
        )
        for start in range(0, len(text), width)
    ]
    return [-1 if number == 64**width - 1 else number for number in numbers]


def pair_data(show):
    """What the page holds of every pair, read back from JSON."""
    (choice,) = pair_chooser(show)
    return json.loads(script_json(choice.data))


@pytest.mark.parametrize("most", [0, 1, 62, 63, 64, 4094, 4095, 262142, 262143, 2**40])
def test_packed_numbers_are_read_back(most):
    """Every number up to the most, and none; in no more digits than it takes."""
    width = width_for(most)
    numbers = np.array([0, most // 2, most, -1])
    assert unpacked(packed(numbers, width), width) == numbers.tolist()
    assert width == 1 or most > 64 ** (width - 1) - 2


def test_what_is_chosen_from_is_data_and_no_markup(hostile):
    """Names and labels of any kind come back from JSON, and no text of it can end the script element."""
    show = printing(hostile)
    for choice in (*pair_chooser(show), matrix_chooser(show)):
        data = script_json(choice.data)
        assert not set("<>&") & set(data)
        assert (
            json.loads(data)["names"]
            == list(choice.options)
            == [show.name(team).text for team in show.order]
        )
    labels = matrix_chooser(show).data["labels"]
    assert len(labels) == len(HOSTILE)
    assert HOSTILE[0].startswith(labels[0][:8])


def test_the_page_opens_with_the_first_two_that_take_a_rank():
    """A baseline in front is in no comparison of all pairs."""
    gold = [*"ab" * 20]
    worse = {f"T{number}": ["a"] * number + gold[number:] for number in (6, 12, 18)}
    evaluation = audit.evaluate(gold, {"copy": gold, **worse}, roles={"copy": "baseline"})
    (choice,) = pair_chooser(printing(evaluation))
    assert [choice.options[place] for place in (0, *choice.chosen)] == ["copy", "T6", "T12"]
    page = read(render_html(evaluation))
    for anchor, name in (("pairs-first", "T6"), ("pairs-second", "T12")):
        (selected,) = [
            option for option in page.by_id(anchor).all("option") if "selected" in option.attributes
        ]
        assert selected.text == name


def test_the_confusions_of_the_page_are_those_of_the_evaluation(hostile):
    """Every cell of every team, read back."""
    show = printing(hostile)
    data = matrix_chooser(show).data
    for team, rows in zip(show.order, data["rows"], strict=True):
        cells = [unpacked(row, width) for row, width in zip(rows, data["widths"], strict=True)]
        assert cells == hostile.confusions[team].tolist()


def test_of_many_classes_the_sum_is_counted():
    """Above 30 classes there is one row of items that only one gets right, and no confusion."""
    evaluation = random_evaluation(4, 400, 31)
    show = printing(evaluation)
    (row,) = pair_data(show)["classes"]
    assert (row["name"], row["items"]) == ("All classes", 400)
    alone = [
        int(evaluation.pairs[show.order[one], show.order[other]].sum())
        for one in range(4)
        for other in range(one + 1, 4)
    ]
    assert unpacked(row["onlyFirst"], row["width"]) == alone
    choice = matrix_chooser(show)
    assert choice.options == ()
    assert choice.left_out == (
        "Confusion matrices of 4 teams and 31 classes are not on the page: audit export writes confusions.csv."
    )


def test_above_sixty_teams_the_page_says_where_pairs_are():
    """Nothing can be chosen, and the sentences stand on the page."""
    evaluation = random_evaluation(61, 120, 2)
    page = read(render_html(evaluation))
    assert not page.all("select")
    assert not page.all("noscript")
    for part, file in (("ahead", "pairs.csv"), ("matrices", "confusions.csv")):
        assert file in page.by_id(part).text


def test_no_pairs_where_there_are_none():
    """One entry, or an evaluation that looked at no pairs, has no such part."""
    assert pair_chooser(printing(random_evaluation(1, 40, 2))) == ()
    assert pair_chooser(printing(random_evaluation(3, 40, 2).given(pairs=None))) == ()


@pytest.mark.parametrize("certainty", [False, True])
def test_the_page_says_which_differences_have_a_p(certainty):
    """Those by which all pairs were compared, by name; where that was left out, none."""
    evaluation = random_evaluation(3, 200, 2, options=Options(certainty=certainty))
    (choice,) = pair_chooser(printing(evaluation))
    if not certainty:
        assert choice.notes == (
            "The certainty was left out: differences have no interval and no adjusted p.",
        )
        return
    interval, compared = choice.notes
    assert "for all pairs at once" in interval
    assert "macro-averaged F1, " in compared
    assert "macro-averaged F1 with balanced classes" in compared


def test_the_verdict_of_each_pair_is_that_of_the_comparison():
    """Ahead, behind, open, in no pair, or of a metric that was not compared: each has its sentence."""
    evaluation = random_evaluation(5, 400, 2)
    beside = replace(evaluation.entries[4], competes=False)
    evaluation = replace(evaluation, entries=(*evaluation.entries[:4], beside))
    show, comparison = printing(evaluation), evaluation.comparison("averaged_f1")
    found = pair_data(show)["verdict"]
    told = unpacked(found["of"], 1)
    pairs = [
        (show.order[one], show.order[other]) for one in range(5) for other in range(one + 1, 5)
    ]
    for verdict, (one, other) in zip(told, pairs, strict=True):
        inside = evaluation.comparable[[one, other]].all()
        ahead = 0 if comparison.ahead[one, other] else 1 if comparison.ahead[other, one] else 4
        as_best = 2 if ahead < 2 and comparison.adjusted_p[one, other] > 0.05 else 0
        assert verdict == (ahead + as_best if inside else 6)
        assert found["texts"][verdict] in PAIR_VERDICTS.values()
    adjusted = pair_data(show)["adjusted"]
    for numbers in adjusted["numbers"].values():
        steps = unpacked(numbers, adjusted["width"])
        # of no other there is none
        assert [step == -1 for step in steps] == [4 in pair for pair in pairs]
    without = pair_data(printing(evaluation.given(certainty=None)))["verdict"]
    assert set(unpacked(without["of"], 1)) == {7}
    assert without["texts"][7] == PAIR_VERDICTS["unknown"]


def test_the_first_two_that_are_chosen_are_ranked():
    """A baseline that stands above them can be chosen by who looks; it is one of two where only two are there."""
    campaign = random_campaign(3, 200, 2)
    first, *others = campaign.submissions
    perfect = replace(
        first, given=campaign.gold.codes.astype(first.codes.dtype), role=Role.BASELINE
    )
    for submissions, chosen in (((perfect, *others), (1, 2)), ((perfect, others[0]), (0, 1))):
        show = printing(evaluate(replace(campaign, submissions=submissions)))
        assert show.order[0] == 0
        (choice,) = pair_chooser(show)
        assert choice.chosen == chosen


def test_label_identical_entries_have_a_verdict_of_their_own():
    """No answer can move their difference."""
    gold = list("aabbaabb") * 5
    teams = {"X": list("aabbabab") * 5, "Y": list("aabbabab") * 5, "Z": list("abababab") * 5}
    show = printing(audit.evaluate(gold, teams))
    found = pair_data(show)["verdict"]
    assert unpacked(found["of"], 1)[0] == 5
    assert found["texts"][5] == PAIR_VERDICTS["identical"]


def test_items_without_ids_are_known_by_their_place():
    """The hardest first, equal ones in the order of gold."""
    right = np.array([[True, False, False], [True, False, True]])
    table = items_table(
        GoldItems(("A", "B"), None, ("x", "y", "x"), right, right), LabelSet(("x", "y"))
    )
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["2", "–", "y", "0", ""],
        ["3", "–", "x", "1", "B"],
        ["1", "–", "x", "2", "A and B"],
    ]
    assert table.caption == "1 item of 3 is answered right by no entry."
