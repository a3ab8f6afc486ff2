"""Published columns that are means: the official one, one that is named, and what is only called Overall."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score

import audit
from audit.domain import LabelSet, PrintedScore, Published, PublishedColumn
from audit.readings import identify
from audit.readings.headings import read_heading
from audit.readings.space import means_of_columns
from tests.nightly import by_day

LABELS = ("a", "b", "c")


def teams(n_items=700, seed=2):
    """Gold and six teams."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(LABELS, n_items, p=[0.6, 0.3, 0.1])
    rights = (0.9, 0.85, 0.8, 0.7, 0.65, 0.5)
    answers = [np.where(rng.random(n_items) < right, gold, rng.choice(LABELS, n_items)) for right in rights]
    return gold.tolist(), {f"T{place}": found.tolist() for place, found in enumerate(answers)}


def column(heading, scores):
    """Scores as they are printed, to four decimals."""
    printed = (f"{score:.4f}" for score in scores)
    return PublishedColumn(heading, tuple(PrintedScore(text, int(text.replace(".", "")), 4) for text in printed))


def identified(columns, **said):
    """What the columns turn out to be."""
    gold, given = teams()
    evaluation = audit.evaluate(gold, given, certainty=False, **said)
    return identify(evaluation, Published("p.csv", tuple(given), tuple(columns))).columns


def scores_of():
    """Each team's accuracy, macro F1 and kappa, by scikit-learn."""
    gold, given = teams()
    macro = [f1_score(gold, found, average="macro") for found in given.values()]
    accuracy = [accuracy_score(gold, found) for found in given.values()]
    return np.array(accuracy), np.array(macro), np.array([cohen_kappa_score(gold, found) for found in given.values()])


@pytest.mark.parametrize("heading", ["Overall", "Avg.", "Final score", "Score"])
@by_day(2)
def test_overall_is_the_mean_of_other_columns(heading):
    """Whatever it is called, where the numbers tell it; of all, or of some of them."""
    accuracy, macro, kappa = scores_of()
    printed = [column("Acc", accuracy), column("macro F1", macro), column("Kappa", kappa)]
    for mean, name in (
        ((accuracy + macro) / 2, "mean(accuracy,averaged_f1)"),
        ((accuracy + macro + kappa) / 3, "mean(accuracy,averaged_f1,kappa)"),
    ):
        found = identified([*printed, column(heading, mean)])[-1]
        assert found.is_exact
        assert str(found.matches[0].reading) == name
        assert found.heading_says == "names no metric"
        assert "mean of accuracy and averaged F1" in found.sentences[0] or "kappa" in found.sentences[0]


def test_the_official_mean_is_found_whatever_it_is_called():
    """With its weights; a heading may also name it."""
    accuracy, macro, _ = scores_of()
    mean = (2 * macro + accuracy) / 3
    name = "mean(2*averaged_f1,accuracy)"
    (found,) = identified([column("Rating", mean)], official_metric=name)
    assert str(found.matches[0].reading) == name
    (found,) = identified([column(name, mean)])
    assert (str(found.matches[0].reading), found.heading_says) == (name, "yes")
    (found,) = identified([column(name, accuracy)])
    assert str(found.matches[0].reading) == "accuracy"
    assert found.heading_says == "no"
    assert "says “mean(2*averaged_f1,accuracy)”, and these numbers are accuracy" in " ".join(found.sentences)


def test_no_mean_is_tried_where_no_heading_asks_for_one():
    """The more is tried, the more matches by chance."""
    accuracy, macro, _ = scores_of()
    plain = identified([column("Acc", accuracy), column("Rating", (accuracy + macro) / 2)])[-1]
    assert not plain.is_exact
    assert not read_heading("Rating", LabelSet(LABELS)).is_overall
    assert not read_heading("Mean recall", LabelSet(LABELS)).is_overall
    assert len(means_of_columns([["accuracy"], ["kappa"], ["mcc"], ["f1"]])) == 4
