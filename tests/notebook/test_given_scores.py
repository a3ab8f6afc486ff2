"""Scores of items in memory: AUC and its like in a notebook."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import audit
from audit.errors import UsageError

GOLD = ["no", "yes", "no", "yes", "no", "yes"]
ADA, BOB = ["no", "yes", "no", "no", "no", "yes"], ["no", "yes", "yes", "yes", "no", "no"]
SCORES = [0.1, 0.9, 0.2, 0.4, 0.3, 0.6]


def test_python_takes_them():
    """By position, by index, and of some teams only."""
    evaluation = audit.evaluate(
        GOLD, {"Ada": ADA, "Bob": BOB}, item_scores={"Ada": SCORES}, scored_label="yes", official_metric="auc"
    )
    assert evaluation.scores["auc"].tolist()[0] == roc_auc_score(np.array(GOLD) == "yes", SCORES)
    assert np.isnan(evaluation.scores["auc"]["Bob"])
    index = list("uvwxyz")
    gold = pd.Series(GOLD, index)
    turned = pd.Series(SCORES, index)[::-1]
    by_index = audit.evaluate(gold, {"Ada": ADA}, item_scores={"Ada": turned}, scored_label="yes", certainty=False)
    assert by_index.scores["auc"].tolist() == evaluation.scores["auc"].tolist()[:1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"item_scores": {"Ada": SCORES}}, "come together"),
        ({"scored_label": "yes"}, "come together"),
        ({"item_scores": {"Ada": SCORES}, "scored_label": "Yes"}, "Did you mean “yes”"),
        ({"item_scores": [SCORES], "scored_label": "yes"}, "Found a list as item_scores"),
        ({"item_scores": {"Eve": SCORES}, "scored_label": "yes"}, "“Eve”, which has no predictions"),
        ({"item_scores": {"Ada": SCORES[1:]}, "scored_label": "yes"}, "are 5 numbers, and gold has 6 items"),
        ({"item_scores": {"Ada": [*SCORES[1:], np.nan]}, "scored_label": "yes"}, "no finite number for item 5"),
        ({"item_scores": {"Ada": ["high"] * 6}, "scored_label": "yes"}, "are no numbers"),
    ],
)
def test_a_wrong_call_says_what_is_right(given, message):
    """Never a traceback."""
    with pytest.raises(UsageError, match=message):
        audit.evaluate(GOLD, {"Ada": ADA, "Bob": BOB}, **given)


def test_an_index_that_is_not_golds_is_refused():
    """Neither fewer items nor others."""
    gold, scores = pd.Series(GOLD, list("uvwxyz")), pd.Series(SCORES, list("uvwxya"))
    with pytest.raises(UsageError, match="have another index than gold"):
        audit.evaluate(gold, {"Ada": ADA}, item_scores={"Ada": scores}, scored_label="yes")
