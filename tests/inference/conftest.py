"""Two real campaigns whose intervals and comparisons an independent program computed, and what it found."""

import json

import numpy as np
import pytest

from .campaigns import scored_with_items, shared


def _codes(lines, n_items, n_classes):
    """Label codes of a file with one label on a line; whatever is no label is unanswered."""
    label_of = {str(code): code for code in range(n_classes)}
    codes = [label_of.get(line.strip(), n_classes) for line in lines][:n_items]
    return np.array(codes + [n_classes] * (n_items - len(codes)))


def _lines(path):
    return path.read_text(encoding="utf-8", errors="replace").split("\n")


def _with_ids(path, items):
    """Label codes of a file of ids and labels, in the order of the items."""
    rows = (line.split()[:2] for line in _lines(path) if line.strip() and not line.startswith("#"))
    label_of = dict(rows)
    return np.array([int(label_of.get(item, 2)) for item in items])


@pytest.fixture(scope="session")
def emoji():
    """SemEval-2018 task 2, English: 48 teams, 50,000 items, 20 classes; what was found, scores and answers."""
    found = _found("semeval2018-task2-emoji-en")
    folder = shared("semeval2018-task2-emoji-en")
    gold = _codes(_lines(folder / "tools/detailed_results/us_test.labels"), found["n_items"], 20)
    files = {
        team: folder / "results/teams/english" / team / "english.output.txt"
        for team in found["teams"]
    }
    answers = {team: _codes(_lines(file), found["n_items"], 20) for team, file in files.items()}
    return found, *scored_with_items(gold, answers, 20)


@pytest.fixture(scope="session")
def arct():
    """SemEval-2018 task 12: 22 teams, 444 items, two classes; likewise."""
    found = _found("semeval2018-task12-arct")
    folder = shared("semeval2018-task12-arct") / "data"
    rows = [
        line.split()[:2]
        for line in _lines(folder / "gold/truth.txt")
        if line.strip() and not line.startswith("#")
    ]
    answers = {
        team: _with_ids(folder / "submissions" / f"{team}.txt", [item for item, _ in rows])
        for team in found["teams"]
    }
    return found, *scored_with_items([int(label) for _, label in rows], answers, 2)


def _found(name):
    path = shared("statistics-reference") / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))
