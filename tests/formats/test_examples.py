"""What small functions give for small inputs."""

from collections import Counter
from datetime import datetime, time

import pytest

from audit.domain import PrintedScore, Role
from audit.domain.tags import spans_of
from audit.formats.align.changed_ids import change_of, restored, shift_of
from audit.formats.align.gold import sorted_labels
from audit.formats.align.things import SetReader
from audit.formats.campaign.claims import role_of, uploader
from audit.formats.campaign.conventions import gold_candidates, is_never_data, stem
from audit.formats.confusions import count_of, rows_by_corner
from audit.formats.door.teams import named_by_difference
from audit.formats.files.archives import archive_ending
from audit.formats.files.content import Content
from audit.formats.readers.excel import _text
from audit.formats.settings.answers import (
    Combinations,
    Greatest,
    Indicators,
    Spelling,
    Threshold,
    are_tag_lists,
    labels_in_one,
    number_of,
)
from audit.formats.settings.layout import BLANKS, DELIMITERS, Layout, Separated, StatedLayout
from audit.formats.settings.manifest import FileRow
from audit.formats.settings.parsing import TrackSettings
from audit.formats.settings.values import Pattern
from audit.formats.small_tables import _rank, _score
from audit.formats.table.parsed import IdChange, shortened, shown_id
from audit.formats.table.text_rows import possible_layouts

LONG = ["223456789012345678", "123456789012345678"]
ROUNDED = ["123456789012345000", "223456789012345000"]
TAGS = ["I-PER", "O", "B-LOC", "I-LOC", "I-PER"]
BY_NAME = TrackSettings(
    submission_layout=StatedLayout(score_by_name=(("SVM", ("p(spam)",)), ("*", ("score",))))
)
ROLES = {"contrastive*": Role.CONTRASTIVE, "_baseline": Role.BASELINE}
DOCUMENTS = Separated.by(
    "-DOCSTART-", Content("a.conll", "-DOCSTART- O\n\na X\n-DOCSTART- O\nb X\n")
)
LOOK = "the file's ids are gold's except for blanks, quotes, letters that look the same, or upper and lower case"

EXAMPLES = {
    "long ids restored": (restored(ROUNDED, LONG)[0], LONG[::-1]),
    "long ids of which two became one": (restored(ROUNDED[:1] * 2, LONG), None),
    "ids without zeros": (
        change_of(["1", "2"], ["001", "002", "003"]),
        IdChange("the file's ids are gold's except for zeros that they begin with", "^0*(.+)$"),
    ),
    "ids that look alike": (change_of(["a", "b"], ["A ", "B", "C"]), IdChange(LOOK)),
    "other ids": (change_of(["x", "y"], ["1", "2"]), None),
    "ids that count from elsewhere": (shift_of(["q0", "q2", "q1"], ["q1", "q2", "q3"]), 1),
    "ids in another order": (shift_of(["1", "2"], ["2", "1"]), None),
    "an id that is missing": (shift_of(["1", "2"], ["1", "3"]), None),
    "numbers as labels": (sorted_labels(["10", "9", "10"]), ("9", "10")),
    "numbers and texts as labels": (sorted_labels(["10", "9", "b"]), ("10", "9", "b")),
    "spans by conlleval": (
        spans_of(TAGS, "conll", closed=False),
        [("PER", (0, 0)), ("LOC", (2, 3)), ("PER", (4, 4))],
    ),
    "spans, strictly": (spans_of(TAGS, "strict", closed=False), [("LOC", (2, 3))]),
    "a list in a cell": (SetReader("list").of_cell("joy, fear"), [("joy", ""), ("fear", "")]),
    "an empty cell": (SetReader("list").of_cell(""), []),
    "spans in a cell": (
        SetReader("spans").of_cell('[{"start": 3, "end": 5, "label": "PER"}]'),
        [("PER", (3, 5))],
    ),
    "CodaLab's names": (
        list(map(uploader, ("ann - 3 submission", "Team B-7  - 12 submission", "B"))),
        [("ann", "3"), ("B-7", "12"), ("B", "")],
    ),
    "a role by the run": (
        role_of(FileRow("a", team="A", run="contrastive2"), ROLES),
        Role.CONTRASTIVE,
    ),
    "a role by the team": (role_of(FileRow("a", team="_baseline", run="x"), ROLES), Role.BASELINE),
    "a role by its name": (role_of(FileRow("a", role="Late", team="A", run="1"), {}), Role.LATE),
    "no role": (role_of(FileRow("a", team="A", run="contrastive2"), {}), Role.PRIMARY),
    "what is never data": (
        [
            is_never_data("s/README.txt"),
            is_never_data("a/team.csv"),
            is_never_data("a/b.log", ["*.log"]),
        ],
        [True, False, True],
    ),
    "a name with dots": (stem("submissions/NAVEEN.J.R.csv.gz"), "NAVEEN.J.R"),
    "names that say gold": (
        gold_candidates(["data/gold/a.txt", "b.txt", "us_test.labels", "monkey.txt"]),
        ["us_test.labels", "data/gold/a.txt"],
    ),
    "answers of each team": (
        gold_candidates(["gold.csv", "A/answers.csv", "B/answers.csv"]),
        ["gold.csv"],
    ),
    "what names share": (
        [
            name.team
            for name in named_by_difference(
                ["task1_A_out.csv", "task1_Bee_out.csv", "task1_C_out.csv"]
            ).values()
        ],
        ["A", "Bee", "C"],
    ),
    "counts": (
        [
            count_of(cell)
            for cell in ("12", "12.0", "1.2e1", "0.5", "-1", "1,000", "nan", "", "9" * 20)
        ],
        [12, None, None, None, None, None, None, None, None],
    ),
    "corners": (
        [
            rows_by_corner(corner)
            for corner in ("gold\\predicted", "Predicted / True", "true_label", "class", "")
        ],
        ["gold", "predicted", "gold", None, None],
    ),
    "corners that are unclear": (
        [
            rows_by_corner(corner)
            for corner in ("\\gold", "predicted →", "gold predicted", "gold/gold")
        ],
        [None, None, None, None],
    ),
    "archives": (
        list(map(archive_ending, ("r.tar.gz", "A.csv.gz", "A.xlsx"))),
        [".tar.gz", None, None],
    ),
    "line ends": (Content("a.txt", "a\r\n\rb\u2028c\n").lines, ["a", "", "b\u2028c"]),
    "cells of a workbook": (
        list(map(_text, ("a", 1.0, 0.25, True, None, datetime(2031, 5, 1), time(9, 30)))),  # noqa: DTZ001 - as Excel's
        ["a", "1", "0.25", "TRUE", "", "2031-05-01", "09:30:00"],
    ),
    "delimiters beside as many tabs on each line": (
        [
            layout.delimiter
            for layout in possible_layouts(Content("a.txt", "a b\tx\nc\ty\n"), StatedLayout())
        ],
        [delimiter for delimiter in DELIMITERS.values() if delimiter != BLANKS],
    ),
    "delimiters beside a tab on one line": (
        [
            layout.delimiter
            for layout in possible_layouts(Content("a.txt", "a b\tx\nc y\n"), StatedLayout())
        ],
        list(DELIMITERS.values()),
    ),
    "numbers in cells": (
        [number_of(cell) for cell in ("-1.5e-3", " .5", "nan", "1,5", "1e999")],
        [-0.0015, 0.5, None, None, None],
    ),
    "scores and a threshold": (
        Threshold(0.5, "yes", "no", abstain="-1").labels([["0.5", ".49", "-1.0", "", "high"]]),
        ["yes", "no", "", "", "score high"],
    ),
    "combinations": (
        Combinations({"1,0": "irony", "1,1": "sarcasm"}).labels(
            [["1", "1", "0", ""], ["0", "1", "1", ""]]
        ),
        ["irony", "sarcasm", "combination 0,1", ""],
    ),
    "the greatest score": (
        Greatest(("no", "yes"), ("p0", "p1")).labels(
            [[".8", ".5", "x", ""], [".2", ".5", "1", ""]]
        ),
        ["no", "scores .5, .5", "scores x, 1", ""],
    ),
    "spellings": (
        Spelling({"pos": "positive"}, fold_case=True).changes(
            Counter(["POS", "Negative", "x"]), ["positive", "negative"]
        ),
        {"POS": "positive", "Negative": "negative"},
    ),
    "lists of tags": (are_tag_lists(["OK BAD OK", "OK OK", "BAD OK"]), True),
    "labels of words": (are_tag_lists(["very good", "good", "very bad", "bad"]), False),
    "several numbers in one": (labels_in_one(["0", "2", "0,2", "14"]), ["0,2"]),
    "several texts in one": (
        labels_in_one(["['joy']", "['fear', 'joy']", "['fear']"]),
        ["['fear', 'joy']"],
    ),
    "towns and their states": (labels_in_one(["Albany, NY", "Boston, MA", "Buffalo, NY"]), []),
    "decimal commas": (labels_in_one(["1", "1,5", "2", "2,5", "3"]), []),
    "pairs of as few words": (labels_in_one(["a,b", "a,c", "b,c"]), []),
    "pairs of fewer words": (
        labels_in_one(["a,b", "a,c", "b,c", "b,a"]),
        ["a,b", "a,c", "b,a", "b,c"],
    ),
    "classes of two parts": (labels_in_one(["favor|high", "favor|low", "against|low"]), []),
    "lines between documents": (DOCUMENTS.content.lines, ["", "", "a X", "", "b X"]),
    "documents": (DOCUMENTS.groups([3, 5]), [1, 2]),
    "the column of a team": (
        BY_NAME.of_submission("svm.csv", "SVM").submission_layout.score,
        ("p(spam)",),
    ),
    "the column of another": (
        BY_NAME.of_submission("A.csv", "A").submission_layout.score,
        ("score",),
    ),
    "columns of 0 and 1": (
        Indicators(("joy", "fear")).labels([["1", "0"], ["true", "0"]]),
        ['["joy", "fear"]', "[]"],
    ),
    "a pattern": (
        Pattern("r/{team}/{run}.txt").splits("r/A.B/primary.txt"),
        [("A.B", "primary", None)],
    ),
    "another path": (Pattern("r/{team}/{run}.txt").splits("r/README.txt"), []),
    "ranks": (
        [_rank("=3"), _rank("2nd*"), _rank("–")],
        [PrintedScore("=3", 3, 0), PrintedScore("2nd*", 2, 0), None],
    ),
    "scores": (
        [_score("−.0461"), _score("71,2 %†"), _score("0.3599999999999999")],
        [
            PrintedScore("−.0461", -461, 4),
            PrintedScore("71,2 %†", 712, 1, percent=True),
            PrintedScore("0.3599999999999999", 3_600_000_000, 10),
        ],
    ),
    "ids by a pattern": (shortened(["a/b.jpg", "c.jpg", "d"], r"([^/]+)\.jpg$"), ["b", "c", "d"]),
    "an id of two parts": (
        shown_id("Q268_R4\tQ268_R4_C1", Layout("delimited", id=(0, 1))),
        "Q268_R4, Q268_R4_C1",
    ),
}


@pytest.mark.parametrize("case", EXAMPLES)
def test_a_small_input_gives_what_it_should(case):
    """Value by value."""
    found, expected = EXAMPLES[case]
    assert found == expected
