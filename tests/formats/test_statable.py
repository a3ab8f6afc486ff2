"""Ids by a pattern, the greatest of several scores, the first entry of a list, a published table of runs."""

import json
import time

import pytest

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.single_file import AnswerKey, check_submission
from audit.formats.files.tree import Tree
from audit.formats.settings.values import Pattern
from audit.formats.small_tables import published_in

from .campaigns import ANSWERS, GOLD, GOOD, refusal, write

NUMBERS = "1234"


def codes(root):
    """The codes of the first submission."""
    return read_campaign(root).submissions[0].codes.tolist()


def test_ids_are_what_a_pattern_matches_in_gold_and_submissions(tmp_path):
    """Paths beside names; a cell without a match is its own id, and a check of one file reads alike."""
    gold, answers = GOLD, ANSWERS
    for number in NUMBERS[:3]:
        gold = gold.replace(f"\n{number},", f"\n/data/img/{number}.jpg,")
        answers = answers.replace(f"\n{number},", f"\n{number}.jpg,")
    files = {"gold.csv": gold, "submissions/A.csv": answers, "submissions/B.csv": ANSWERS}
    toml = {"task.toml": 'id_pattern = "([^/]+)\\\\.jpg$"\n'}
    campaign = read_campaign(write(tmp_path, {**files, **toml}))
    assert campaign.gold.item_ids == tuple(NUMBERS)
    assert [submission.codes.tolist() for submission in campaign.submissions] == [[0, 0, 0, 1]] * 2
    checked = check_submission(
        "C.csv", answers.encode(), AnswerKey(campaign.gold, campaign.settings.content)
    )
    assert checked.codes.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|a)*b", "a*b*c*", "(.)\\1", "(?=a)", "(a)(b)", "[", "a" * 101, "a**", 3],
)
def test_a_pattern_that_could_run_on_or_says_nothing_is_refused(pattern, tmp_path):
    """With what is expected."""
    issues = refusal(tmp_path, {**GOOD, "task.toml": f"id_pattern = {json.dumps(pattern)}\n"})
    assert [(issue.slug, issue.lines) for issue in issues] == [("bad-setting", (1,))]
    assert "([^/]+)$" in issues[0].expected


SCORES = "id,no,yes,label\n1,.9,.1,no\n2,.5,.4,yes\n3,.8,.2,no\n4,.1,.7,yes\n"


@pytest.mark.parametrize("columns", ['["no", "yes"]', '{ no = "no", yes = "yes" }'])
def test_the_label_is_that_of_the_greatest_score_and_a_column_that_contradicts_it_is_counted(
    columns, tmp_path
):
    """Team by team: a file without contradictions has no warning."""
    files = {
        "gold.csv": GOLD,
        "submissions/A.csv": SCORES,
        "submissions/B.csv": SCORES.replace(".5,.4", ".3,.4"),
    }
    toml = {"task.toml": f"[submissions]\nlabel = {{ greatest = {columns} }}\n"}
    first, second = read_campaign(write(tmp_path, {**files, **toml})).submissions
    assert (first.codes.tolist(), second.codes.tolist()) == ([0, 0, 0, 1], [0, 1, 0, 1])
    (issue,) = first.issues
    assert (issue.slug, issue.lines, issue.fatal) == ("contradicted-label", (3,), False)
    assert "1 item with a label in “label”" in issue.found
    assert second.issues == ()


def test_two_greatest_scores_and_texts_are_no_answer(tmp_path):
    """Each is outside the label set; a row without scores is unanswered."""
    rows = "id,no,yes\n1,.5,.5\n2,.5,high\n3,,\n4,.1,.7\n"
    toml = '[submissions]\nlabel = { greatest = ["no", "yes"] }\n'
    files = {"gold.csv": GOLD, "submissions/A.csv": rows, "task.toml": toml}
    (submission,) = read_campaign(write(tmp_path, files)).submissions
    assert submission.codes.tolist() == [3, 3, 2, 1]
    assert dict(submission.unusable_labels) == {"scores .5, .5": 1, "scores .5, high": 1}


@pytest.mark.parametrize(
    "label", ['{ greatest = ["no"] }', '{ least = ["no", "yes"] }', "{ greatest = 3 }"]
)
def test_greatest_of_less_than_two_columns_is_refused(label, tmp_path):
    """As any value that a setting cannot have."""
    toml = f"[submissions]\nlabel = {label}\n"
    assert [issue.slug for issue in refusal(tmp_path, {**GOOD, "task.toml": toml})] == [
        "bad-setting"
    ]


def test_greatest_names_labels(tmp_path):
    """Of the label set, where that is declared."""
    toml = 'labels = ["no", "yes"]\n[submissions]\nlabel = { greatest = ["no", "maybe"] }\n'
    with pytest.raises(InputError, match="“maybe”"):
        read_campaign(write(tmp_path, {**GOOD, "task.toml": toml}))


def test_the_first_entry_of_a_list_is_the_answer_where_it_is_said(tmp_path):
    """Not otherwise; an empty list is no answer in plain text, and named."""
    answers = [["no", "x"], ["no"], ["no", "yes"], ["yes", "no", "no"]]
    rows = "\n".join(
        json.dumps({"id": number, "label": each})
        for number, each in zip(NUMBERS, answers, strict=True)
    )
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.jsonl": rows})
    with pytest.raises(InputError):
        read_campaign(root)
    write(root, {"task.toml": '[submissions]\nlabel = "label[0]"\n'})
    assert codes(root) == [0, 0, 0, 1]
    write(root, {"submissions/A.jsonl": rows.replace('["no"]', "[]")})
    with pytest.raises(InputError, match="no plain value"):
        read_campaign(root)


TABLES = {
    "team and run": ("Team,Run,Acc\nA,1,.5\nA,2,.6\nB,1,.4\n", ("A/1", "A/2", "B/1")),
    "run before team": ("Run,Team,Acc\n1,A,.5\n2,A,.6\n", ("A/1", "A/2")),
    "one run of each team": ("Team,Run,Acc\nA,3,.5\nB,1,.6\n", ("A", "B")),
    "a column of runs alone": ("run,kappa\nx,.5\ny,.6\n", ("x", "y")),
}


@pytest.mark.parametrize("case", TABLES)
def test_a_published_table_can_name_teams_and_runs(case, tmp_path):
    """By two columns, where a team has several rows."""
    text, names = TABLES[case]
    with Tree(write(tmp_path, {"p.csv": text})) as tree:
        published = published_in(tree, "p.csv")
    assert published.teams == names
    assert len(published.columns) == 1 + (case == "one run of each team")


HUGE = {
    "a name of 20,000 parts": "a." * 10_000 + "a = 1\n",
    "one of 80,000": "a." * 40_000 + "a = 1\n",
    "with blanks and quotes": 'a . "b" . ' * 1_000 + "a = 1\n",
    "a heading": "[" + "a." * 40_000 + "a]\n",
    "in a value": "a = {" + "a." * 40_000 + "a = 1}\n",
    "megabytes": "# " + "x" * 2**20 + "\n",
    "labels": f"labels = {[f'l{number}' for number in range(20_002)]}\n",
    "stars": '[submissions]\nfiles = "' + "*a" * 4 + '/{team}"\n',
}


@pytest.mark.parametrize("case", HUGE)
def test_settings_that_would_exhaust_the_machine_are_refused_at_once(case, tmp_path):
    """Without memory for them, and without a traceback."""
    started = time.process_time()
    issues = refusal(tmp_path, {**GOOD, "task.toml": HUGE[case]})
    assert {issue.slug for issue in issues} <= {"bad-toml", "bad-setting"}
    assert time.process_time() - started < 5


def test_a_pattern_of_stars_is_matched_at_once_and_one_of_many_is_refused():
    """A name of a hundred letters took 40 s by ten stars."""
    started = time.process_time()
    assert Pattern("*a*a{team}b").splits("a" * 255) == []
    assert Pattern("*a*a{team}").splits("a" * 255)[0].team == "a"
    assert Pattern("*{team}b").splits("a" * 256 + "b") == []
    assert time.process_time() - started < 5
    with pytest.raises(ValueError, match="at most 3 stars and placeholders"):
        Pattern("*a*a*a{team}")


def test_gold_of_more_labels_than_can_be_scored_is_refused(tmp_path):
    """Two items of each."""
    gold = "".join(f"{number},l{number // 2}\n" for number in range(10_002))
    issues = refusal(
        tmp_path, {"gold.csv": f"id,label\n{gold}", "submissions/A.csv": f"id,label\n{gold}"}
    )
    assert [(issue.slug, issue.file) for issue in issues] == [("too-large", "gold.csv")]


SCALE = "The labels may be steps of a scale"


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize(
    ("labels", "settings", "is_asked"),
    [
        ("123", "", True),
        ("321", 'labels = ["1", "2", "3"]\nscale = false\n', False),
        ("123", 'labels = ["1", "2", "3"]\nscale = true\n', False),
        ("124", "", False),
        ("abc", "", False),
        (("low", "high", "Medium"), "", True),
        ("12", "", False),
    ],
)
def test_labels_that_may_be_a_scale_are_asked_about_until_task_toml_says_it(
    labels, settings, is_asked, tmp_path
):
    """Three consecutive whole numbers or more, and words for steps; never taken for one."""
    rows = "id,label\n" + "".join(
        f"{item},{label}\n" for item, label in enumerate([*labels, *labels])
    )
    campaign = read_campaign(
        write(tmp_path, {"gold.csv": rows, "submissions/A.csv": rows, "task.toml": settings})
    )
    assert any(SCALE in each for each in campaign.task.assumptions) == is_asked
    assert bool(campaign.task.label_set.scale) == ("true" in settings)
