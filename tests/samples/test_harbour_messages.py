"""The made-up campaign of several labels tells the story on its page, by scikit-learn and by the audit."""

import csv
import json

import numpy as np
import pytest
from sklearn.metrics import f1_score, multilabel_confusion_matrix, precision_score, recall_score

from audit.domain import ScoreKey, State
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.metrics import parse_reading, reading_phrase
from audit.report.page import document_of
from audit.report.pairs import pair_data
from audit.report.paper_prose import methods_of
from audit.report.printing import counted, printing
from audit.report.short import short_blocks
from audit.resources import samples
from audit.writers.data.export import scores_csv
from audit.writers.latex import paper_files
from audit.writers.terminal import text_of

FOLDER = samples() / "harbour-messages"
LABELS = ["complaint", "damage", "danger", "delay", "question", "thanks"]


@pytest.fixture(scope="module")
def harbour():
    """The evaluation."""
    return evaluate(read_campaign(FOLDER))


def sets_of(path):
    """The labels of each message, as the file writes them."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        objects = map(json.loads, text.splitlines())
        return {each["message"]: each["labels"] for each in objects}
    return {
        row["message"]: [part.strip() for part in row["labels"].split(",")]
        for row in csv.DictReader(text.splitlines())
    }


def matrix_of(path, messages):
    """Which labels each message has; a message that is not there has none."""
    sets = sets_of(path)
    return np.array([[label in sets.get(message, ()) for label in LABELS] for message in messages])


def test_the_generator_writes_the_same_bytes(regenerate, assert_same_bytes):
    """As they are committed."""
    assert_same_bytes(regenerate("generate_harbour_messages.py"), FOLDER)


def test_scores_are_those_of_scikit_learn(harbour):
    """Of every team, from the files themselves."""
    messages = list(sets_of(FOLDER / "gold.csv"))
    gold = matrix_of(FOLDER / "gold.csv", messages)
    for entry, name in enumerate(harbour.names):
        (path,) = (FOLDER / "submissions").glob(f"{name}.*")
        team = matrix_of(path, messages)
        precision, recall = (
            precision_score(gold, team, average="macro"),
            recall_score(gold, team, average="macro"),
        )
        expected = {
            "averaged_f1": f1_score(gold, team, average="macro"),
            "micro_f1": f1_score(gold, team, average="micro"),
            "weighted_f1": f1_score(gold, team, average="weighted"),
            "f1_of_averages": 2 * precision * recall / (precision + recall),
        }
        for slug, value in expected.items():
            assert harbour.scores_of(ScoreKey(slug))[entry] == pytest.approx(value, abs=1e-12)


def test_what_a_reader_chooses_counts_labels(harbour):
    """Hits, misses and false alarms are scikit-learn's; what is in neither of two sets is no number."""
    messages, labels = list(sets_of(FOLDER / "gold.csv")), harbour.task.label_set
    gold = matrix_of(FOLDER / "gold.csv", messages)
    show = printing(harbour)
    right = np.array([each["right"] for each in pair_data(show, harbour.pairs)["classes"]]).T
    for place, entry in enumerate(show.order):
        (path,) = (FOLDER / "submissions").glob(f"{harbour.names[entry]}.*")
        parts = multilabel_confusion_matrix(gold, matrix_of(path, messages))
        matrix = counted(harbour.confusions[entry], labels)
        assert right[place].tolist() == np.diagonal(matrix)[:-1].tolist() == parts[:, 1, 1].tolist()
        assert matrix[:-1, -2:].sum(axis=1).tolist() == parts[:, 1, 0].tolist()
        assert matrix[-1, :-2].tolist() == parts[:, 0, 1].tolist()
        assert matrix[-1, -2:].tolist() == [0, 0]


def test_the_methods_speak_of_messages(harbour):
    """Each is a draw by itself: items and groups are spoken of where there are some."""
    methods = " ".join(methods_of(harbour))
    assert (
        "Messages are taken as independent draws from a population with this label distribution"
        in methods
    )
    assert "within one message" in methods
    assert "group" not in methods


def test_the_page_says_who_is_first_by_which_macro_f1(harbour):
    """Each of the two has another winner, not significantly."""
    page = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())
    for slug, first, second in (
        ("averaged_f1", "Anchor", "Buoy"),
        ("f1_of_averages", "Buoy", "Anchor"),
    ):
        scores = dict(zip(harbour.names, harbour.scores_of(ScoreKey(slug)), strict=True))
        assert sorted(scores, key=scores.get)[::-1][:2] == [first, second]
        assert f"{scores[first]:.3f}".lstrip("0") in page
        assert f"{scores[second]:.3f}".lstrip("0") in page
    change = next(
        each for each in harbour.certainty.changes if each.keys[1] == ScoreKey("f1_of_averages")
    )
    assert change.state is State.OTHER_NOT_SHOWN


def test_a_reader_is_told_what_was_scored(harbour):
    """Units and labels where items and classes stood; what is left out is said in one place."""
    document = document_of(harbour)
    n_labels = int(matrix_of(FOLDER / "gold.csv", list(sets_of(FOLDER / "gold.csv"))).sum())
    assert document.facts[:3] == ("600 messages", f"{n_labels} gold labels", "6 different labels")
    assert any("sets of labels are scored" in fact for fact in document.facts)
    assert "class-distributions" not in {section.id for section in document.sections}
    assert {key.prevalence for key in harbour.keys} == {"observed"}
    assert not {"accuracy", "kappa", "mcc"} & {key.metric for key in harbour.keys}


def test_questions_and_readings_speak_of_labels(harbour):
    """Where those of items of one class each speak of classes."""
    document = document_of(harbour)
    assert "Which labels are hard, and who is good at which?" in {
        section.question for section in document.sections
    }
    method = str(document.sections[-1])
    assert not [words for words in ("chance: ", "Properties", "Gorodkin") if words in method]
    readings = {
        reading_phrase(parse_reading(text, harbour.task.label_set), harbour.task.label_set)
        for text in READINGS
    }
    assert readings == {
        "macro-averaged F1 over all labels of the label set",
        "macro-averaged F1 over the labels in gold but “damage”",
    }


READINGS = ("averaged_f1(declared)", "averaged_f1(all-but)[damage]")


def test_messages_and_labels_are_counted_alike_on_the_page_in_captions_and_in_data(harbour):
    """As gold's file has them; what the audit counts in cells is no number of a reader's."""
    sets = sets_of(FOLDER / "gold.csv")
    n_messages, n_labels = len(sets), sum(len([*filter(None, each)]) for each in sets.values())
    counted_here = f"{n_messages} messages and {n_labels} gold labels"
    page = document_of(harbour)
    assert counted_here.split(" and ") == [*page.facts[:2]]
    tables = [text.decode() for text in paper_files(harbour).values() if rb"\auditcaption{" in text]
    assert tables
    assert all(f", {counted_here}." in table for table in tables)
    assert f"× {n_messages} messages × {len(LABELS)} labels" in text_of(*short_blocks(harbour))
    rows = csv.DictReader(
        scores_csv(harbour, harbour.keys, harbour.task.ranking_metric).splitlines()
    )
    assert {row["items_scored"] for row in rows} == {str(n_messages)}
