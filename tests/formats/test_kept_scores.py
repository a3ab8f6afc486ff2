"""Scores of items beside labels: read from a column that task.toml names, in every format, and never guessed."""

import json

import numpy as np
import pytest

from audit.domain import Policies
from audit.errors import InputError
from audit.formats import check_submission, read_campaign

from .campaigns import write
from .tables import parquet_table, workbook

GOLD = "id,label\n1,no\n2,yes\n3,no\n4,yes\n"
SCORES = [0.1, 0.8, 0.25, 0.75]
ROWS = [("1", "no", "0.1"), ("2", "yes", ".8"), ("3", "yes", "2.5e-1"), ("4", "yes", "0.75")]
STATED = '[submissions]\nlabel = "label"\nscore = "p"\nabove = "yes"\n'
HEADED = [("id", "label", "p"), *ROWS]


def text(rows, separator=","):
    return "".join(separator.join(row) + "\n" for row in rows)


def read(tmp_path, files, settings=STATED, gold=GOLD):
    """The campaign of these submissions."""
    named = {f"submissions/{name}": content for name, content in files.items()}
    return read_campaign(write(tmp_path, {"gold.csv": gold, **named, "task.toml": settings}))


def records(rows):
    return [{"id": one, "label": label, "p": float(score)} for one, label, score in rows]


FORMATS = {
    "A.csv": text(HEADED),
    "A.tsv": text(HEADED, "\t"),
    "A.json": json.dumps(records(ROWS)),
    "A.jsonl": "".join(json.dumps(each) + "\n" for each in records(ROWS)),
    "A.parquet": parquet_table(
        id=[row[0] for row in ROWS], label=[row[1] for row in ROWS], p=[float(row[2]) for row in ROWS]
    ),
    "A.xlsx": workbook([["id", "label", "p"], *([one, label, float(score)] for one, label, score in ROWS)]),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_with_columns_has_them(name, tmp_path):
    """The labels are those of their own column: the third score is below what any threshold would say."""
    campaign = read(tmp_path, {name: FORMATS[name]})
    (submission,) = campaign.submissions
    assert submission.scores.tolist() == SCORES
    assert submission.codes.tolist() == [0, 1, 1, 1]
    assert (campaign.task.scored_label, campaign.issues) == ("yes", [])
    assert "“p” the scores" in campaign.journal[1].text


def test_they_follow_their_items(tmp_path):
    """In any order of the rows, by position, without a header, and where a policy chooses among rows."""
    assert read(tmp_path, {"A.csv": text([HEADED[0], *ROWS[::-1]])}).submissions[0].scores.tolist() == SCORES
    twice = text([*HEADED, ("1", "no", "0.9")])
    for which, score in (("first", 0.1), ("last", 0.9)):
        chosen = read(tmp_path, {"A.csv": twice}, f'{STATED}[policies]\nduplicates = "{which}"\n')
        assert chosen.submissions[0].scores.tolist() == [score, *SCORES[1:]]
    more = text([HEADED[0], ("9", "no", "0.3"), *ROWS])
    extra = read(tmp_path, {"A.csv": more}, f'{STATED}[policies]\nextra = "ignore"\n')
    assert extra.submissions[0].scores.tolist() == SCORES
    headless = STATED.replace('"label"', "2").replace('"p"', "3")
    assert read(tmp_path, {"A.csv": text(ROWS)}, headless).submissions[0].scores.tolist() == SCORES
    by_position = text([row[1:] for row in HEADED])
    gold = "no\nyes\nno\nyes\n"
    (tmp_path / "gold.csv").unlink()
    (tmp_path / "submissions/A.csv").unlink()
    root = write(tmp_path, {"gold.txt": gold, "submissions/A.csv": by_position, "task.toml": f"{STATED}id = false\n"})
    assert read_campaign(root).submissions[0].scores.tolist() == SCORES


def test_without_settings_no_column_is_taken_for_scores(tmp_path):
    """Nor with settings that name none."""
    for settings in ("", '[submissions]\nlabel = "label"\n'):
        campaign = read(tmp_path, {"A.csv": text(HEADED)}, settings)
        assert campaign.task.scored_label is None
        assert campaign.submissions[0].scores is None


def changed(row, score):
    """The file with another score in one row."""
    rows = [list(each) for each in HEADED]
    rows[row][2] = score
    return text(rows)


ODD = {
    "no number": (changed(2, "high"), "unusable-score", (3,), "no number: “high”"),
    "not a number": (changed(2, "nan"), "unusable-score", (3,), "no number: “nan”"),
    "infinity": (changed(2, "inf"), "unusable-score", (3,), "no number: “inf”"),
    "beyond all numbers": (changed(2, "1e999"), "unusable-score", (3,), "no number: “1e999”"),
    "a comma": (changed(2, '"0,5"'), "unusable-score", (3,), "no number: “0,5”"),
    "an underscore": (changed(2, "1_0"), "unusable-score", (3,), "no number: “1_0”"),
    "a blank": (changed(2, "' '").replace("'", ""), "unusable-score", (3,), "no number: “ ”"),
    "empty": (changed(2, ""), "missing-score", (3,), "1 item of 4 without a score"),
    "no column": (text([row[:2] for row in HEADED]), "no-score-column", (), "no column of scores"),
}


@pytest.mark.parametrize("case", ODD)
def test_what_is_no_score_leaves_the_labels_alone(case, tmp_path):
    """The file is accepted, with an issue that says where and what to do, and has no scores: none is made 0."""
    content, slug, lines, found = ODD[case]
    campaign = read(tmp_path, {"A.csv": content, "B.csv": text(HEADED)})
    (issue,) = campaign.issues
    assert (issue.slug, issue.lines, issue.fatal, issue.file) == (slug, lines, False, "submissions/A.csv")
    assert found in issue.found
    assert issue.remedy
    assert [each.codes.tolist() for each in campaign.submissions] == [[0, 1, 1, 1]] * 2
    assert [each.scores is None for each in campaign.submissions] == [True, False]


@pytest.mark.parametrize("case", ODD)
def test_a_policy_rejects_it(case, tmp_path):
    """Where missing and unusable answers are rejected."""
    content, slug, *_ = ODD[case]
    with pytest.raises(InputError) as caught:
        read(tmp_path, {"A.csv": content}, f"strict = true\n{STATED}")
    assert [issue.slug for issue in caught.value.issues] == [slug]


def test_scores_outside_are_kept_and_said(tmp_path):
    """They have an order, and are no probabilities."""
    campaign = read(tmp_path, {"A.csv": changed(4, "7"), "B.csv": changed(1, "-1")})
    assert [(issue.slug, issue.lines) for issue in campaign.issues] == [
        ("score-outside", (5,)),
        ("score-outside", (2,)),
    ]
    assert campaign.submissions[0].scores.tolist() == [*SCORES[:3], 7.0]


def test_an_item_without_a_row_has_no_score(tmp_path):
    """Beside the issue for its label."""
    campaign = read(tmp_path, {"A.csv": text(HEADED[:-1])})
    assert [issue.slug for issue in campaign.issues] == ["missing-item", "missing-score"]
    assert campaign.submissions[0].scores is None


def test_negative_zero_is_zero(tmp_path):
    """So that equal scores are equal bytes."""
    scores = read(tmp_path, {"A.csv": changed(1, "-0.0")}).submissions[0].scores
    assert not np.signbit(scores).any()


THRESHOLD = '[submissions]\nscore = "p"\nthreshold = 0.5\nabove = "yes"\nbelow = "no"\n'


def test_scores_with_a_threshold_are_kept_for_two_labels(tmp_path):
    """For the label above; in lines, too. Abstention leaves none: the journal says it, and no issue but the labels'."""
    campaign = read(tmp_path, {"A.csv": text(HEADED)}, THRESHOLD)
    assert campaign.submissions[0].scores.tolist() == SCORES
    assert campaign.submissions[0].codes.tolist() == [0, 1, 0, 1]
    assert campaign.task.scored_label == "yes"
    abstaining = read(tmp_path, {"A.csv": changed(2, "")}, THRESHOLD)
    assert abstaining.submissions[0].scores is None
    assert [issue.slug for issue in abstaining.issues] == ["missing-label"]
    assert "Scores are not kept: 1 item of 4 without one" in abstaining.journal[-1].text
    in_lines = THRESHOLD.replace('score = "p"', 'format = "lines"\nscore = 1')
    (tmp_path / "submissions/A.csv").unlink()
    lines = read(tmp_path, {"A.txt": ".1\n.8\n.25\n.75\n"}, in_lines)
    assert lines.submissions[0].scores.tolist() == SCORES


def test_three_labels_keep_no_scores(tmp_path):
    """A threshold then says something of two of them alone."""
    campaign = read(tmp_path, {"A.csv": text(HEADED)}, THRESHOLD, GOLD.replace("4,yes", "4,maybe"))
    assert campaign.task.scored_label is None
    assert campaign.submissions[0].scores is None


def test_a_check_reads_what_a_load_reads(tmp_path):
    """The same scores and issues."""
    campaign = read(tmp_path, {"A.csv": text(HEADED)})
    checked = check_submission("A.csv", text(HEADED).encode(), campaign.gold, STATED.encode(), policies=Policies())
    assert checked.scores.tolist() == SCORES
    (issue,) = check_submission("A.csv", changed(2, "x").encode(), campaign.gold, STATED.encode()).issues
    assert issue.slug == "unusable-score"


REFUSED = {
    "no such label": (STATED.replace("yes", "maybe"), "bad-setting", "scores for “maybe”", (4,)),
    "not declared": (f'labels = ["no", "yes"]\n{STATED.replace("yes", "maybe")}', "bad-setting", "“maybe”", (5,)),
    "three labels": (f'labels = ["no", "yes", "other"]\n{STATED}', "bad-setting", "with 3 labels", (4,)),
    "the labels": (STATED.replace('"p"', '"label"'), "bad-setting", "the column of the labels", (3,)),
    "of gold": (STATED.replace("submissions", "gold"), "bad-setting", "score beside label in gold", (3,)),
    "no label that it speaks for": (STATED.replace('above = "yes"\n', ""), "bad-setting", "label beside score", (2,)),
    "no labels": (STATED.replace('label = "label"\n', ""), "bad-setting", "score without threshold", (2,)),
    "a metric without scores": ('official_metric = "auc"\n', "bad-metric", "none are kept", (1,)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_settings_that_keep_nothing_are_refused(case, tmp_path):
    """With the line, what was found and what is possible."""
    settings, slug, found, lines = REFUSED[case]
    with pytest.raises(InputError) as caught:
        read(tmp_path, {"A.csv": text(HEADED)}, settings)
    issue = caught.value.issues[0]
    assert (issue.slug, issue.lines) == (slug, lines)
    assert found in issue.found
    assert issue.expected


def test_a_name_twice_is_no_guess(tmp_path):
    """Two columns of the name that holds the scores."""
    content = "id,label,p,p\n" + "".join(f"{','.join(row)},0.3\n" for row in ROWS)
    with pytest.raises(InputError) as caught:
        read(tmp_path, {"A.csv": content})
    assert "2 columns have this name" in caught.value.issues[0].found
