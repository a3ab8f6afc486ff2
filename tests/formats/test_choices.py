"""Where a file leaves something open, each choice of its issue decides it: as a click, or as a line by hand."""

import pytest

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign
from audit.service.settings_text import edited, settings_of_choice

from .campaigns import GOLD, write

TWO_LABELS = "id,first,second\n1,no,yes\n2,no,no\n3,yes,no\n4,yes,yes\n"
NAMED = "id,first,second\n1,no,no\n2,no,yes\n3,no,no\n4,yes,yes\n"

OPEN = {
    "two columns of labels in gold": {"gold.csv": TWO_LABELS, "submissions/A.csv": NAMED},
    "two columns of labels in a submission": {"gold.csv": GOLD, "submissions/A.csv": NAMED},
    "a comment or an item": {
        "gold.csv": "#1,no\n2,no\n3,no\n4,yes\n",
        "submissions/A.csv": "#1,no\n2,no\n3,no\n4,yes\n",
    },
    "a wide file with two golds": {
        "all.csv": "id,gold,truth,A\n1,no,no,no\n2,yes,no,yes\n3,no,no,no\n4,yes,yes,yes\n"
    },
    "names in place of paths": {
        "gold.csv": "id,label\na/1,no\na/2,yes\na/3,no\n",
        "submissions/A.csv": "id,label\n3,no\n1,yes\n2,no\n",
    },
    "a first line that is like no label": {
        "gold.txt": "no\nyes\nyes\n",
        "submissions/A.txt": "mood\nno\nyes\nno\n",
    },
    "empty entries at the end": {
        "gold.txt": "no\nyes\nyes\n",
        "submissions/A.json": '["no", "yes", "no", "", ""]',
    },
    "labels in capitals": {
        "gold.csv": GOLD,
        "submissions/A.csv": GOLD.replace("no", "NO").replace("yes", "YES"),
    },
    "other names of items": {
        "gold.csv": GOLD,
        "submissions/A.csv": "name,label\nw,no\nx,yes\ny,no\nz,no\n",
    },
    "a title above": {
        "gold.csv": GOLD,
        "submissions/A.csv": "Our team,2031\n1,no\n2,no\n3,yes\n4,yes\n",
        "task.toml": "[submissions]\nheader = false\n",
    },
}
"""Folders that leave something open, and the settings that they come with."""


def issues_in(root):
    """What reading a folder says."""
    try:
        return read_campaign(root).issues
    except InputError as error:
        return error.issues


def identity(issue):
    """What is open, whatever is said of it."""
    return issue.slug, issue.file, issue.found


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("kind", OPEN)
def test_every_choice_decides_what_is_open(kind, tmp_path):
    """After it the same issue is gone; comments and settings that were there stay."""
    files = OPEN[kind]
    before = issues_in(write(tmp_path / "open", files))
    offering = [issue for issue in before if issue.choices]
    assert offering, [str(issue) for issue in before]
    for issue in offering:
        for number, choice in enumerate(issue.choices):
            text = edited(
                "# mine\n" + files.get("task.toml", ""),
                settings_of_choice(choice.section, choice.settings),
            )
            root = write(tmp_path / f"decided {number}", {**files, "task.toml": text})
            assert text.startswith("# mine\n")
            assert identity(issue) not in map(identity, issues_in(root)), (choice, text)


@pytest.mark.parametrize("kind", ["two columns of labels in gold", "a wide file with two golds"])
def test_choices_differ_in_what_they_decide(kind, tmp_path):
    """Otherwise there would be nothing to choose."""
    (issue,) = (issue for issue in issues_in(write(tmp_path / "open", OPEN[kind])) if issue.choices)
    assert len({choice.settings for choice in issue.choices}) == len(issue.choices) > 1


def test_the_remedy_says_the_choices(tmp_path):
    """What is read and what is clicked is the same."""
    for number, files in enumerate(OPEN.values()):
        for issue in issues_in(write(tmp_path / str(number), files)):
            for choice in issue.choices:
                assert choice.settings in issue.remedy
                assert choice.section in issue.remedy
                assert choice.meaning


NEVER = {
    "two ids that would be one": {
        "gold.csv": "id,label\na/1,no\nb/1,yes\nb/2,no\n",
        "submissions/A.csv": "id,label\n1,no\n2,yes\n3,no\n",
    },
    "ids that are left strange": {
        "gold.csv": "id,label\na/1,no\na/2,yes\na/3,no\na/4,no\n",
        "submissions/A.csv": "id,label\n1,no\n2,yes\n3,no\n9,no\n",
    },
    "a label misspelt above": {
        "gold.txt": "no\nyes\nyes\n",
        "submissions/A.txt": "yess\nno\nyes\nno\n",
    },
    "answers behind the last item": {
        "gold.txt": "no\nyes\nyes\n",
        "submissions/A.txt": "no\nyes\nno\nno\n",
    },
    "no ids, and labels in another case": {
        "gold.csv": GOLD,
        "submissions/A.csv": "name,label\nw,No\nx,Yes\ny,No\nz,No\n",
        "task.toml": '[policies]\nunusable = "reject"\n',
    },
}


@pytest.mark.parametrize("kind", NEVER)
def test_what_would_not_read_the_file_or_shift_its_answers_is_not_offered(kind, tmp_path):
    """It was tried: ids would be one, or stay strange; a label would be a header; labels would be none of gold's."""
    issues = issues_in(write(tmp_path, NEVER[kind]))
    assert issues
    assert not [issue.choices for issue in issues if issue.choices]
    assert not any(
        setting in issue.remedy
        for issue in issues
        for setting in ("id_pattern", "header", "id = false")
    )
