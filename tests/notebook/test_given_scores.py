"""Scores of items in memory: AUC and its like in a notebook."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import audit
from audit.errors import UsageError

GOLD = ["no", "yes", "no", "yes", "no", "yes"]
ADA, BOB = ["no", "yes", "no", "no", "no", "yes"], ["no", "yes", "yes", "yes", "no", "no"]
SCORES = [0.1, 0.9, 0.2, 0.4, 0.3, 0.6]


def test_python_takes_them():
    """By position, by index, and of some teams only."""
    evaluation = audit.evaluate(
        GOLD,
        {"Ada": ADA, "Bob": BOB},
        item_scores={"Ada": SCORES},
        scored_label="yes",
        official_metric="auc",
    )
    assert evaluation.scores["auc"].tolist()[0] == roc_auc_score(np.array(GOLD) == "yes", SCORES)
    assert np.isnan(evaluation.scores["auc"]["Bob"])
    index = list("uvwxyz")
    gold = pd.Series(GOLD, index)
    turned = pd.Series(SCORES, index)[::-1]
    by_index = audit.evaluate(
        gold, {"Ada": ADA}, item_scores={"Ada": turned}, scored_label="yes", certainty=False
    )
    assert by_index.scores["auc"].tolist() == evaluation.scores["auc"].tolist()[:1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"item_scores": {"Ada": SCORES}}, "come together"),
        ({"scored_label": "yes"}, "come together"),
        ({"item_scores": {"Ada": SCORES}, "scored_label": "Yes"}, "Did you mean “yes”"),
        ({"item_scores": [SCORES], "scored_label": "yes"}, "Found a list as item_scores"),
        (
            {"item_scores": {"Eve": SCORES}, "scored_label": "yes"},
            "“Eve”, which has no predictions",
        ),
        (
            {"item_scores": {"Ada": SCORES[1:]}, "scored_label": "yes"},
            "are 5 numbers, and gold has 6 items",
        ),
        (
            {"item_scores": {"Ada": [*SCORES[1:], np.nan]}, "scored_label": "yes"},
            "no finite number for item 5",
        ),
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


def test_several_labels_have_scores_of_their_own():
    """AUC and average precision are the means that scikit-learn gives; no Brier score, and no other prevalence."""
    some = np.random.default_rng(1)
    gold = np.array(list("abc") * 20)
    right = np.eye(3)[np.tile(range(3), 20)]
    scores = {team: some.random((60, 3)) + lead * right for team, lead in (("A", 0.5), ("B", 0.2))}
    labels = {team: np.array(list("abc"))[rows.argmax(axis=1)] for team, rows in scores.items()}
    evaluation = audit.evaluate(
        gold,
        labels,
        item_scores=scores,
        scored_label=["a", "b", "c"],
        official_metric="average_precision",
    )
    one_hot = gold[:, None] == np.array(list("abc"))
    for name, oracle in (("auc", roc_auc_score), ("average_precision", average_precision_score)):
        expected = [oracle(one_hot, rows, average="macro") for rows in scores.values()]
        assert evaluation.scores[name].tolist() == pytest.approx(expected)
        lower, upper = (evaluation.intervals[f"{name}", end] for end in ("lower", "upper"))
        assert (lower < evaluation.scores[name]).all()
        assert (evaluation.scores[name] < upper).all()
    assert not {"brier", "auc~", "average_precision~"} & set(evaluation.scores)
    for metric in ("brier", "average_precision~"):
        with pytest.raises(UsageError, match="several labels have scores"):
            audit.evaluate(
                gold,
                labels,
                item_scores=scores,
                scored_label=["a", "b", "c"],
                official_metric=metric,
                certainty=False,
            )
    for scored, message in (
        (["a"], "each of several"),
        (["a", "a"], "each of several"),
        (["a", "b"], "2 scores each"),
    ):
        with pytest.raises(UsageError, match=message):
            audit.evaluate(gold, labels, item_scores=scores, scored_label=scored)
