"""How a notebook hands over its data: a DataFrame or arrays, with roles; and what is said of any other call."""

import numpy as np
import pandas as pd
import pytest

import audit
from audit.domain import Role

GOLD = ["no", "yes", "no", "maybe", "yes", "no"]
ADA = ["no", "yes", "yes", "maybe", "no", "no"]
FRAME = pd.DataFrame({"gold": GOLD, "Ada": ADA, "Bob": GOLD[::-1], "majority": "no"})
SERIES = pd.Series(ADA, name="Ada")


def test_a_frame_is_gold_and_a_column_for_each_system():
    """The evaluation is that of the same columns handed over apart, whatever the index is."""
    apart = audit.evaluate(GOLD, {name: FRAME[name] for name in ("Ada", "Bob", "majority")})
    for frame in (FRAME, FRAME.set_index(pd.Index([9, 8, 7, 3, 2, 1]))):
        together = audit.evaluate(frame, gold="gold")
        assert together.signature == apart.signature
        np.testing.assert_array_equal(together.values, apart.values)


def test_gold_and_predictions_may_be_named():
    """As they always could be."""
    named = audit.evaluate(gold=GOLD, predictions={"Ada": ADA})
    assert named.signature == audit.evaluate(GOLD, {"Ada": ADA}).signature


def test_columns_may_have_numbers_as_names():
    """A table without a header."""
    table = pd.DataFrame({0: GOLD, 1: ADA})
    assert audit.evaluate(table, gold=0).names == ("1",)


def test_a_column_of_groups_is_no_system():
    """It is said by its name, which is what a group is called."""
    frame = FRAME.assign(author=list("xxyyzz"))
    evaluation = audit.evaluate(frame, gold="gold", groups="author")
    assert (evaluation.names, evaluation.gold.unit) == (("Ada", "Bob", "majority"), "author")
    assert audit.evaluate(FRAME, gold="gold", groups=list("xxyyzz")).gold.n_items == 6


def test_a_baseline_takes_no_rank_from_anybody():
    """Here it would be second."""
    gold = ["a", "b", "c", "a"]
    predictions = {"X": gold, "Y": ["b", "b", "b", "b"], "given": ["a", "b", "c", "c"]}
    evaluation = audit.evaluate(gold, predictions, roles={"given": "baseline"})
    assert [entry.role for entry in evaluation.entries] == [
        Role.PRIMARY,
        Role.PRIMARY,
        Role.BASELINE,
    ]
    assert evaluation.competing.tolist() == [True, True, False]
    assert evaluation.ranks["accuracy"].tolist() == [1, 2, 2]
    without = audit.evaluate(gold, {name: predictions[name] for name in ("X", "Y")})
    np.testing.assert_array_equal(evaluation.ranks.iloc[:2], without.ranks)


def test_slices_are_columns_or_a_mapping():
    """Columns of the frame are no systems, and the parts are the same either way."""
    half = [1, 2, 2, 1, 2, 1]
    apart = audit.evaluate(GOLD, {"Ada": ADA}, slices={"half": half}, certainty=False)
    frame = FRAME[["gold", "Ada"]].assign(half=half)
    for named in ("half", ["half"]):
        together = audit.evaluate(frame, gold="gold", slices=named, certainty=False)
        assert (together.names, together.signature) == (("Ada",), apart.signature)
        assert [(part.value, part.n_items) for part in together.slices[0].slices] == [
            ("1", 3),
            ("2", 3),
        ]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: audit.evaluate(SERIES),
            ["Found a Series and no predictions", 'audit.evaluate(frame, gold="column")'],
        ),
        (
            lambda: audit.evaluate([0.13, 2.5, 3.75, 4.1], {"X": [0.1, 2.5, 3.7, 4]}),
            [
                "“0.13”, “2.5”, “3.75” and “4.1”",
                "numbers to be predicted, which audit.evaluate_ratings audits",
                "labels=[…]",
            ],
        ),
        (
            lambda: audit.evaluate(["0", "2", "0,2", "2"], {"X": ["0", "2", "0,2", "2"]}),
            [
                "gold has “0,2”",
                "like several labels in one, each of which is a call of its own",
                "labels=[…]",
            ],
        ),
        (lambda: audit.evaluate(GOLD), ["Found a list and no predictions"]),
        (audit.evaluate, ["There are no gold labels", "audit.evaluate(gold, {"]),
        (
            lambda: audit.evaluate(GOLD, SERIES),
            ["Found a Series as predictions", '{"Ada": predictions}'],
        ),
        (
            lambda: audit.evaluate(GOLD, np.array([ADA])),
            ["Found an ndarray of 2 dimensions as predictions"],
        ),
        (lambda: audit.evaluate(GOLD, {"X": ADA}, gold="gold"), ["gold labels are given twice"]),
        (
            lambda: audit.evaluate(5, {"X": ADA}),
            ["Found an int for the gold", "one label after the other"],
        ),
        (lambda: audit.evaluate(set(GOLD), {"X": ADA}), ["Found a set for the gold"]),
        (lambda: audit.evaluate({"a": 1}, {"X": ADA}), ["Found a dict for the gold"]),
        (
            lambda: audit.evaluate(np.array([GOLD]), {"X": ADA}),
            ["Found an ndarray of 2 dimensions for the gold"],
        ),
        (lambda: audit.evaluate(GOLD, {"X": iter(ADA)}), ["Found a list_iterator for “X”"]),
        (lambda: audit.evaluate(GOLD, {"X": FRAME}), ["Found a DataFrame for “X”"]),
        (lambda: audit.evaluate(GOLD, {"X": ADA}, groups=7), ["Found an int for the groups"]),
        (
            lambda: audit.evaluate(GOLD, {"X": ADA}, slices="half"),
            ["Found a str as slices", '{"language": values}'],
        ),
        (
            lambda: audit.evaluate(GOLD, {"X": ADA}, slices={"half": [1, 2]}),
            ["2 values for 6 items as the slices by “half”"],
        ),
        (
            lambda: audit.evaluate(GOLD, {"X": ADA}, slices={"h": [1, 2, 1, None, 2, 1]}),
            ["no value for item 3", "“h”"],
        ),
        (
            lambda: audit.evaluate(GOLD, {"X": ADA}, slices={"h": [1] * 6}),
            ["1 different value by “h”", "2 to 30"],
        ),
        (
            lambda: audit.evaluate(FRAME, gold="gold", slices=["Eva"]),
            ["no column “Eva” as slices='Eva'"],
        ),
        (
            lambda: audit.evaluate(GOLD, {"X": ADA[:5]}),
            ["“X” has 5 predictions", "gold has 6 items", "None where"],
        ),
        (
            lambda: audit.evaluate(FRAME),
            ["Which column has the gold labels?", 'gold="…"', "“gold”, “Ada”"],
        ),
        (lambda: audit.evaluate(FRAME, gold="god"), ["no column “god”", "Did you mean “gold”?"]),
        (
            lambda: audit.evaluate(FRAME, gold=GOLD),
            ["Found a list as gold", "the name of a column"],
        ),
        (
            lambda: audit.evaluate(FRAME, gold="gold", groups="athor"),
            ["no column “athor” as groups='athor'"],
        ),
        (
            lambda: audit.evaluate(FRAME, {"X": ADA}, gold="gold"),
            ["predictions beside it", 'frame["column"]'],
        ),
        (lambda: audit.evaluate(FRAME[["gold"]], gold="gold"), ["no column beside gold"]),
        (lambda: audit.evaluate(FRAME[["gold", "Ada", "Ada"]], gold="gold"), ["two columns “Ada”"]),
        (lambda: audit.evaluate(GOLD, FRAME[["Ada", "Ada"]]), ["two columns “Ada”"]),
        (
            lambda: audit.evaluate(FRAME.assign(id=range(6)), gold="gold"),
            [
                "“id” has none of gold’s labels",
                "“0”, “1”, “2” and 3 more",
                "“maybe”, “no” and “yes”",
                "['id']",
            ],
        ),
        (
            lambda: audit.evaluate(FRAME.assign(none=None), gold="gold"),
            ["“none” has none of gold’s", "found no value"],
        ),
        (
            lambda: audit.evaluate(FRAME, gold="gold", roles=["majority"]),
            ["Found ['majority'] as roles, expected a mapping"],
        ),
        (
            lambda: audit.evaluate(FRAME, gold="gold", roles={"Adda": "baseline"}),
            ["“Adda”", "mean “Ada”?"],
        ),
        (
            lambda: audit.evaluate(FRAME, gold="gold", roles={"Ada": "base"}),
            ["Found 'base' as roles['Ada']", '"baseline"'],
        ),
    ],
)
def test_a_call_that_cannot_be_meant_says_what_was_found_and_what_to_do(call, words):
    """In one sentence or two."""
    with pytest.raises(audit.UsageError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_a_notebook_shows_the_message_of_an_error_and_no_code():
    """By the protocol that IPython has for it."""
    with pytest.raises(audit.UsageError) as caught:
        audit.evaluate(GOLD)
    assert caught.value._render_traceback_() == [f"UsageError: {caught.value}"]


def test_a_scored_label_among_three_is_not_proposed_again():
    """It is one of the labels: what is wrong is their number."""
    gold = ["a", "b", "c"] * 4
    with pytest.raises(audit.UsageError, match=r"there are 3 labels\.$"):
        audit.evaluate(gold, {"X": gold}, item_scores={"X": [0.5] * 12}, scored_label="a")
