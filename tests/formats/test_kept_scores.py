"""Scores of items beside labels: read from a column that task.toml names, in every format, and never guessed."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from audit import workflow
from audit.domain import Policies
from audit.errors import InputError, UsageError
from audit.formats.campaign.campaigns import read_campaign, read_campaigns
from audit.formats.campaign.single_file import AnswerKey, check_submission

from .campaigns import write, zipped
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
        id=[row[0] for row in ROWS],
        label=[row[1] for row in ROWS],
        p=[float(row[2]) for row in ROWS],
    ),
    "A.xlsx": workbook(
        [["id", "label", "p"], *([one, label, float(score)] for one, label, score in ROWS)]
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_with_columns_has_them(name, tmp_path):
    """The labels are those of their own column: the third score is below what any threshold would say."""
    campaign = read(tmp_path, {name: FORMATS[name]})
    (submission,) = campaign.submissions
    assert submission.scores.tolist() == SCORES
    assert submission.codes.tolist() == [0, 1, 1, 1]
    assert (campaign.task.scored_labels, campaign.issues) == (("yes",), [])
    assert "“p” the scores" in campaign.journal[1].text


def test_they_follow_their_items(tmp_path):
    """In any order of the rows, by position, without a header, and where a policy chooses among rows."""
    assert (
        read(tmp_path, {"A.csv": text([HEADED[0], *ROWS[::-1]])}).submissions[0].scores.tolist()
        == SCORES
    )
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
    root = write(
        tmp_path,
        {"gold.txt": gold, "submissions/A.csv": by_position, "task.toml": f"{STATED}id = false\n"},
    )
    assert read_campaign(root).submissions[0].scores.tolist() == SCORES


def test_without_settings_no_column_is_taken_for_scores(tmp_path):
    """Nor with settings that name none."""
    for settings in ("", '[submissions]\nlabel = "label"\n'):
        campaign = read(tmp_path, {"A.csv": text(HEADED)}, settings)
        assert campaign.task.scored_labels == ()
        assert campaign.submissions[0].scores is None


def changed(row, score):
    """The file with another score in one row."""
    rows = [list(each) for each in HEADED]
    rows[row][2] = score
    return text(rows)


ODD = {
    "no number": (changed(2, "high"), "missing-score", (3,), "no number: “high”"),
    "not a number": (changed(2, "nan"), "missing-score", (3,), "no number: “nan”"),
    "infinity": (changed(2, "inf"), "missing-score", (3,), "no number: “inf”"),
    "beyond all numbers": (changed(2, "1e999"), "missing-score", (3,), "no number: “1e999”"),
    "a comma": (changed(2, '"0,5"'), "missing-score", (3,), "no number: “0,5”"),
    "an underscore": (changed(2, "1_0"), "missing-score", (3,), "no number: “1_0”"),
    "a blank": (changed(2, "' '").replace("'", ""), "missing-score", (3,), "no number: “ ”"),
    "empty": (changed(2, ""), "missing-score", (3,), "1 item of 4 without a score"),
    "no column": (text([row[:2] for row in HEADED]), "missing-score", (), "no column of scores"),
}


@pytest.mark.parametrize("case", ODD)
def test_what_is_no_score_leaves_the_labels_alone(case, tmp_path):
    """The file is accepted, with an issue that says where and what to do, and has no scores: none is made 0."""
    content, slug, lines, found = ODD[case]
    campaign = read(tmp_path, {"A.csv": content, "B.csv": text(HEADED)})
    (issue,) = campaign.issues
    assert (issue.slug, issue.lines, issue.fatal, issue.file) == (
        slug,
        lines,
        False,
        "submissions/A.csv",
    )
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
    assert campaign.task.scored_labels == ("yes",)
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
    assert campaign.task.scored_labels == ()
    assert campaign.submissions[0].scores is None


def test_a_check_reads_what_a_load_reads(tmp_path):
    """The same scores and issues."""
    campaign = read(tmp_path, {"A.csv": text(HEADED)})
    checked = check_submission(
        "A.csv",
        text(HEADED).encode(),
        AnswerKey(campaign.gold, STATED.encode(), policies=Policies()),
    )
    assert checked.scores.tolist() == SCORES
    (issue,) = check_submission(
        "A.csv", changed(2, "x").encode(), AnswerKey(campaign.gold, STATED.encode())
    ).issues
    assert issue.slug == "missing-score"


REFUSED = {
    "no such label": (STATED.replace("yes", "maybe"), "bad-setting", "scores for “maybe”", (4,)),
    "not declared": (
        f'labels = ["no", "yes"]\n{STATED.replace("yes", "maybe")}',
        "bad-setting",
        "“maybe”",
        (5,),
    ),
    "three labels": (
        f'labels = ["no", "yes", "other"]\n{STATED}',
        "bad-setting",
        "with 3 labels",
        (4,),
    ),
    "the labels": (
        STATED.replace('"p"', '"label"'),
        "bad-setting",
        "the column of the labels",
        (3,),
    ),
    "of gold": (
        STATED.replace("submissions", "gold"),
        "bad-setting",
        "score beside label in gold",
        (3,),
    ),
    "no label that it speaks for": (
        STATED.replace('above = "yes"\n', ""),
        "bad-setting",
        "label beside score",
        (2,),
    ),
    "no labels": (
        STATED.replace('label = "label"\n', ""),
        "bad-setting",
        "score without threshold",
        (2,),
    ),
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


# Another column in each file


def called(name):
    """The same file with its scores under another name."""
    return text([("id", "label", name), *ROWS])


BY_TEAM = STATED.replace('"p"', '{ SVM = "p(spam)", "*" = "score" }')


@pytest.mark.parametrize(
    ("score", "files"),
    [
        (
            '{ SVM = "p(spam)", "*" = "score" }',
            {"SVM.csv": "p(spam)", "A.csv": "score", "B.csv": "score"},
        ),
        ('{ "S*" = "p(spam)", A = "score" }', {"SVM.csv": "p(spam)", "A.csv": "score"}),
        (
            '{ run2 = "late", "*" = "score" }',
            {"A/run1.csv": "score", "A/run2.csv": "late", "B/run2.csv": "late"},
        ),
        (
            '{ "*/A/run2.csv" = "q", "*" = "score" }',
            {"A/run1.csv": "score", "A/run2.csv": "q", "B/run2.csv": "score"},
        ),
        ('{ SVM = 3, "*" = "score" }', {"SVM.csv": "whatever", "A.csv": "score"}),
    ],
)
def test_the_column_of_scores_is_called_otherwise_in_other_files(score, files, tmp_path):
    """By team, run or path; the first of the names that fits, whatever stands behind it."""
    settings = STATED.replace('"p"', score)
    campaign = read(tmp_path, {path: called(name) for path, name in files.items()}, settings)
    assert [each.scores.tolist() for each in campaign.submissions] == [SCORES] * len(files)
    assert [each.codes.tolist() for each in campaign.submissions] == [[0, 1, 1, 1]] * len(files)
    assert campaign.issues == []


def test_a_table_of_its_own_says_it_too(tmp_path):
    """As TOML has it, and with the line of the entry in an issue."""
    settings = (
        STATED.replace('score = "p"\n', "") + '[submissions.score]\nSVM = "p(spam)"\nA = "score"\n'
    )
    files = {"SVM.csv": called("p(spam)"), "A.csv": called("score")}
    assert [each.scores.tolist() for each in read(tmp_path / "a", files, settings).submissions] == [
        SCORES
    ] * 2
    with pytest.raises(InputError) as caught:
        read(tmp_path / "b", files, f'{settings}SWM = "x"\n')
    (issue,) = caught.value.issues
    assert (issue.slug, issue.lines) == ("bad-setting", (7,))
    assert "no submission is of the path, run or team “SWM”. Did you mean “SVM”?" in issue.found


def test_a_subtask_has_its_own(tmp_path):
    """What stands at the top holds for the others, and for no test set that states its own columns."""
    settings = BY_TEAM + '[subtask.en]\ngold.path = "en.csv"\nsubmissions.files = "en/{team}.csv"\n'
    settings += '[subtask.de]\ngold.path = "de.csv"\nsubmissions.files = "de/{team}.csv"\n'
    settings += 'submissions.score = { SVM = "q", "*" = "r" }\n'
    columns = {"en/SVM.csv": "p(spam)", "en/A.csv": "score", "de/SVM.csv": "q", "de/A.csv": "r"}
    files = {path: called(name) for path, name in columns.items()}
    found = read_campaigns(
        write(tmp_path, {"en.csv": GOLD, "de.csv": GOLD, "task.toml": settings, **files})
    )
    assert [each.scores.tolist() for campaign in found for each in campaign.submissions] == [
        SCORES
    ] * 4


def test_who_is_not_named_or_lacks_the_column_has_no_scores(tmp_path):
    """The labels count, and an issue says so; nobody guesses."""
    settings = STATED.replace('"p"', '{ SVM = "p(spam)", A = "score" }')
    files = {"SVM.csv": called("p(spam)"), "A.csv": called("other"), "B.csv": called("score")}
    campaign = read(tmp_path, files, settings)
    assert {each.team: each.scores is None for each in campaign.submissions} == {
        "SVM": False,
        "A": True,
        "B": True,
    }
    assert [issue.slug for issue in campaign.issues] == ["missing-score"] * 2
    assert {issue.file: issue.found for issue in campaign.issues} == {
        "submissions/A.csv": "no column of scores: score = “score”, but the columns are “id”, “label” and “other”.",
        "submissions/B.csv": "no column of scores",
    }


def test_a_threshold_makes_labels_of_each_column(tmp_path):
    """Who is not named has neither scores nor labels."""
    settings = '[submissions]\nscore = { SVM = "p(spam)", A = "q" }\nthreshold = 0.5\nabove = "yes"\nbelow = "no"\n'
    rows = [(row[0], row[2]) for row in ROWS]
    files = {"SVM.csv": text([("id", "p(spam)"), *rows]), "A.csv": text([("id", "q"), *rows])}
    campaign = read(tmp_path / "a", files, settings)
    assert [each.scores.tolist() for each in campaign.submissions] == [SCORES] * 2
    assert [each.codes.tolist() for each in campaign.submissions] == [[0, 1, 0, 1]] * 2
    files["B.csv"] = text([("id", "p"), *rows])
    with pytest.raises(InputError) as caught:
        read(tmp_path / "b", files, settings)
    (issue,) = caught.value.issues
    assert (issue.slug, issue.file) == ("no-such-column", "submissions/B.csv")
    assert "none of this one" in issue.found


def test_one_file_is_checked_by_its_name(tmp_path):
    """As that of the team that it is called by."""
    campaign = read(tmp_path, {"SVM.csv": called("p(spam)"), "A.csv": called("score")}, BY_TEAM)
    for name, column, kept in (
        ("SVM.csv", "p(spam)", True),
        ("SVM.csv", "score", False),
        ("B.csv", "score", True),
    ):
        checked = check_submission(
            name, called(column).encode(), AnswerKey(campaign.gold, BY_TEAM.encode())
        )
        assert (checked.scores is not None) == kept


# One file by itself

AT_A_PLACE = {
    "teams": (
        '{ SVM = "p(spam)", "*" = "score" }',
        "",
        {"SVM.csv": "p(spam)", "A.csv": "score", "B.csv.gz": "score"},
    ),
    "runs": (
        '{ A = "q", run2 = "late", "*" = "score" }',
        "",
        {"A/run1.csv": "q", "A/run2.csv": "q", "B/run1.csv": "score", "B/run2.csv": "late"},
    ),
    "paths": (
        '{ "*/A/run2.csv" = "q", "*" = "score" }',
        "",
        {"A/run1.csv": "score", "A/run2.csv": "q", "B/run2.csv": "score"},
    ),
    "a pattern": (
        '{ "A" = "q", "b*" = "late", "*" = "score" }',
        'files = "submissions/{team}/task-a_{run}.csv"\n',
        {"A/task-a_b.csv": "q", "B/task-a_b.csv": "late", "B/task-a_c.csv": "score"},
    ),
    "archives": (
        '{ A = "q", "3" = "late", "*" = "score" }',
        "",
        {"A.zip": "q", "ann - 3 submission.zip": "late", "B/1.zip": "score"},
    ),
    "names for readers": (
        '{ A = "q", "*" = "score" }\n[teams]\nA = "Team A"\nB = "A"',
        "",
        {"A.csv": "q", "B.csv": "score"},
    ),
}


def packed(path, content):
    """The file as its ending says."""
    if path.endswith(".zip"):
        return zipped({"answers.csv": content})
    return gzip.compress(content.encode(), mtime=0) if path.endswith(".gz") else content


@pytest.mark.parametrize("case", AT_A_PLACE)
def test_a_check_reads_each_file_as_a_load_does(case, tmp_path):
    """Against the folder and against the store, where it stands, or would stand, and from elsewhere by its name."""
    score, further, columns = AT_A_PLACE[case]
    own, _, teams = score.partition("\n")
    stated = STATED.replace('"p"', own)
    settings = f"{stated}{further}{teams}\n"
    files = {
        f"submissions/{path}": packed(path, called(column)) for path, column in columns.items()
    }
    root = write(tmp_path / "all", {"gold.csv": GOLD, "task.toml": settings, **files})
    (tmp_path / "else").mkdir()
    workflow.load(root, tmp_path / "all.db")
    loaded = {each.source.path: each for each in read_campaign(root).submissions}
    assert len(loaded) == len(columns)
    assert all(each.scores.tolist() == SCORES for each in loaded.values())
    names = [name.rpartition("/")[2] for name in columns]
    for against in (workflow.key_of_folder(root), workflow.key_of_task("all", tmp_path / "all.db")):
        for path in columns:
            place = f"submissions/{path}"
            found = [workflow.check(root / place, against, place)]
            if against.folder:
                found.append(workflow.check(root / place, against))
            if names.count(path.rpartition("/")[2]) == 1:
                found.append(
                    workflow.check(Path(shutil.copy(root / place, tmp_path / "else")), against)
                )
            for checked in found:
                assert checked.scores.tolist() == SCORES, (path, against.folder)
                assert checked.issues == ()


def test_a_check_asks_where_the_file_would_stand_if_that_decides(tmp_path):
    """A name that two teams use, and a new file of a team that nobody names; where all agree, nobody asks."""
    files = {
        f"submissions/{path}": called("score")
        for path in ("A/run1.csv", "B/run1.csv", "B/run2.csv")
    }
    answers = write(tmp_path / "else", {"run1.csv": called("score"), "run9.csv": called("score")})
    for score, asked in (('{ A = "q", "*" = "score" }', True), ('{ "*" = "score" }', False)):
        root = write(
            tmp_path / str(asked),
            {"gold.csv": GOLD, "task.toml": STATED.replace('"p"', score), **files},
        )
        against = workflow.key_of_folder(root)
        for name in ("run1.csv", "run9.csv"):
            if not asked:
                assert workflow.check(answers / name, against).scores.tolist() == SCORES
                continue
            known = f"submissions/A/{name}” or “submissions/B/{name}"
            with pytest.raises(UsageError, match=f"say it with --as, like “{known}”"):
                workflow.check(answers / name, against)
            assert (
                workflow.check(answers / name, against, f"submissions/B/{name}").scores.tolist()
                == SCORES
            )
            assert workflow.check(answers / name, against, f"submissions/A/{name}").scores is None


def test_a_check_reads_a_file_as_its_test_set_does(tmp_path):
    """Each has columns of its own; and a place may be written otherwise."""
    settings = BY_TEAM + '[subtask.en]\ngold.path = "en.csv"\nsubmissions.files = "en/{team}.csv"\n'
    settings += '[subtask.de]\ngold.path = "de.csv"\nsubmissions.files = "de/{team}.csv"\n'
    settings += 'submissions.score = { SVM = "q", "*" = "r" }\n'
    columns = {"en/SVM.csv": "p(spam)", "en/A.csv": "score", "de/SVM.csv": "q", "de/A.csv": "r"}
    files = {path: called(name) for path, name in columns.items()}
    root = write(tmp_path / "all", {"en.csv": GOLD, "de.csv": GOLD, "task.toml": settings, **files})
    workflow.load(root, tmp_path / "all.db")
    for path in columns:
        part, name = path.split("/")
        keys = (
            workflow.key_of_folder(root, part),
            workflow.key_of_task(f"all-{part}", tmp_path / "all.db"),
        )
        for against in keys:
            for place in (path, f"./{path}", None):
                checked = workflow.check(root / path, against, place)
                assert (checked.scores.tolist(), checked.issues) == (SCORES, ()), (
                    path,
                    place,
                    name,
                )


@pytest.mark.parametrize(
    ("score", "found"),
    [
        ("{ }", "score ="),
        ('{ SVM = "" }', "score ="),
        ('{ SVM = ["a", "b"] }', "score ="),
        ('{ SVM = "label" }', "score names the column of the labels"),
        ('{ "" = "p" }', "score ="),
    ],
)
def test_what_names_no_column_is_an_issue(score, found, tmp_path):
    """With the way to write it."""
    with pytest.raises(InputError) as caught:
        read(tmp_path, {"SVM.csv": called("p")}, STATED.replace('"p"', score))
    assert {issue.slug for issue in caught.value.issues} == {"bad-setting"}
    assert any(found in issue.found for issue in caught.value.issues)


def test_gold_has_one_column_of_scores(tmp_path):
    """It is one file."""
    gold = '[gold]\nscore = { A = "p" }\nthreshold = 0.5\nabove = "yes"\nbelow = "no"\n'
    with pytest.raises(InputError) as caught:
        read(tmp_path, {"A.csv": called("p")}, STATED + gold)
    assert "bad-setting" in {issue.slug for issue in caught.value.issues}


def test_each_of_several_labels_has_a_column_of_its_own(tmp_path):
    """In the order of their labels, beside labels or in their place; a file without one of them says so."""
    gold = "id,label\n1,a\n2,b\n3,c\n"
    header = ("id", "label", "pa", "pb", "pc")
    rows = (("1", "a", ".5", ".3", ".2"), ("2", "b", "0", "1", "0"), ("3", "b", ".1", ".5", ".4"))
    expected = [[0.5, 0.3, 0.2], [0, 1, 0], [0.1, 0.5, 0.4]]
    beside = '[submissions]\nlabel = "label"\nscore = ["pa", "pb", "pc"]\nabove = ["a", "b", "c"]\n'
    greatest = '[submissions]\nlabel = { greatest = { a = "pa", b = "pb", c = "pc" } }\n'
    for settings in (beside, greatest):
        campaign = read(tmp_path, {"A.csv": text([header, *rows])}, settings, gold)
        assert campaign.task.scored_labels == ("a", "b", "c")
        assert campaign.submissions[0].scores.tolist() == expected
    lacking = read(
        tmp_path, {"A.csv": text([row[:4] for row in (header, *rows)])}, beside, gold
    ).submissions[0]
    assert [(issue.slug, lacking.scores) for issue in lacking.issues] == [("missing-score", None)]


@pytest.mark.parametrize(
    ("settings", "defect"),
    [
        ('label = "label"\nscore = ["p", "q"]\nabove = "yes"', "score names 2 columns"),
        (
            'score = ["p", "q"]\nthreshold = 0.5\nabove = ["yes", "no"]\nbelow = "no"',
            "several columns or labels",
        ),
        (
            'label = "label"\nscore = ["p", "q"]\nabove = ["yes", "maybe"]',
            "scores for “yes” and “maybe”",
        ),
    ],
)
def test_columns_and_labels_of_scores_fit_each_other(settings, defect, tmp_path):
    """One column a label, one of both for a threshold, and labels of the task."""
    with pytest.raises(InputError, match=defect):
        read(tmp_path, {"A.csv": text(HEADED)}, f"[submissions]\n{settings}\n")
