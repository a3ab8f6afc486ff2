"""``audit check``: what a load would say of one file, and nothing of what is right."""

import json
import os
import re

import pytest

from audit.resources import samples

from .conftest import FLOOD

IDS = range(60)
GOOD = "id,label\n" + "".join(f"{i},{'yes' if i % 4 else 'no'}\n" for i in IDS)


@pytest.fixture
def against(campaign):
    """The three ways to name what a file is checked against, all of them the same campaign."""
    root = campaign()
    return {"--campaign": root, "--gold": root / "gold.csv", "--task": "small"}


@pytest.fixture
def loaded(run, against):
    """The same campaign in the store, too."""
    assert run("load", against["--campaign"]).exit_code == 0
    return against


def answers(folder, text, name="answers.csv"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("option", ["--campaign", "--gold", "--task"])
def test_an_accepted_file_is_described(run, folder, loaded, option):
    """How it was read, how much of it is answered, and how often it gives each label."""
    result = run("check", answers(folder, GOOD), option, loaded[option])
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Accepted: answers.csv",
        "    read as: comma-separated, header; column “id” holds the ids, column “label” the labels (assumed)",
        "    60 answered of 60 items",
        "    15  no",
        "    45  yes",
    ]
    assert result.stderr == ""


@pytest.mark.usefixtures("copies_accepted")
def test_nothing_but_files_is_needed_and_nothing_is_written(run, folder, against):
    """No store, no report."""
    before = sorted(folder.rglob("*"))
    for option in ("--campaign", "--gold"):
        assert run("check", against["--gold"], option, against[option]).exit_code == 0
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("path", ["none.csv", "nowhere/gold.csv"])
def test_a_gold_file_that_is_not_there_is_named(run, folder, path):
    """In a folder that is there, or in none."""
    result = run("check", answers(folder, GOOD), "--gold", path)
    assert result.exit_code == 1
    assert f"{path}: missing-file: there is no such file" in result.stderr


@pytest.mark.parametrize("option", ["--campaign", "--gold", "--task"])
@pytest.mark.parametrize(
    "rejected",
    [
        ("id,label\n1,yes\n1,no\n", "duplicate-item"),
        (GOOD + "99,yes\n", "extra-item"),
        ("", "empty-file"),
        (b"id,label\n1,\xff\n", "wrong-encoding"),
        ("id,label\n1,maybe\n", "no-usable-answer"),
        ("yes\n" * 59, "line-count"),
    ],
)
def test_a_file_that_a_load_rejects_is_not_accepted(run, folder, loaded, option, rejected):
    """With the same messages, and exit code 1."""
    text, slug = rejected
    result = run("check", answers(folder, text), option, loaded[option])
    assert result.exit_code == 1
    assert f": {slug}: " in result.stderr
    assert result.stdout.startswith("Not accepted: answers.csv\n")
    by_load = answers(loaded["--campaign"] / "submissions", text, "C.csv")
    said = run("load", loaded["--campaign"]).stderr.split("\n\n")[0]
    assert (
        result.stderr.replace("answers.csv", f"submissions/{by_load.name}").strip() == said.strip()
    )


def test_an_issue_that_does_not_reject_is_said_beside_the_counts(run, folder, against):
    """Missing items and labels outside the label set."""
    result = run(
        "check",
        answers(folder, "id,label\n1,yes\n2,mayb\n3,no\n"),
        "--campaign",
        against["--campaign"],
    )
    assert result.exit_code == 0
    assert "missing-item" in result.stderr
    assert "unusable-label" in result.stderr
    assert "    2 answered of 60 items, 57 missing, 1 unusable\n" in result.stdout


def test_a_check_is_the_same_as_json(run, folder, against):
    """Every count and issue, for programs."""
    path = answers(folder, "id,label\n1,yes\n2,mayb\n3,no\n")
    data = json.loads(run("check", path, "--campaign", against["--campaign"], "--json").stdout)
    assert {
        name: data[name]
        for name in ("file", "accepted", "items", "answered", "missing", "unusable", "labels")
    } == {
        "file": "answers.csv",
        "accepted": True,
        "items": 60,
        "answered": 2,
        "missing": 57,
        "unusable": 1,
        "labels": {"no": 1, "yes": 1},
    }
    assert [issue["slug"] for issue in data["issues"]] == ["unusable-label", "missing-item"]
    rejected = run("check", answers(folder, ""), "--campaign", against["--campaign"], "--json")
    assert rejected.exit_code == 1
    assert json.loads(rejected.stdout)["accepted"] is False
    assert "labels" not in json.loads(rejected.stdout)


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_check_tells_nothing_of_what_is_right(run, folder, against, as_json):
    """Two files with the same answers in other places: one is the gold itself, the other nearly all wrong."""
    right = (against["--campaign"] / "gold.csv").read_text()
    header, *lines = right.splitlines()
    labels = [line.split(",")[1] for line in lines]
    wrong = "\n".join(
        [header, *(f"{i},{label}" for i, label in zip(IDS, reversed(labels), strict=True)), ""]
    )
    assert wrong != right
    said = [
        run("check", answers(folder, text), "--gold", against["--gold"], *as_json)
        for text in (right, wrong)
    ]
    assert said[0].stdout == said[1].stdout != ""
    assert said[0].stderr == said[1].stderr == ""


def test_the_policies_of_the_load_are_in_force(run, folder, campaign):
    """A task that was loaded strictly checks strictly, whatever task.toml says."""
    root = campaign()
    assert run("load", root, "--strict").exit_code == 0
    path = answers(folder, "id,label\n1,yes\n3,no\n")
    assert run("check", path, "--task", "small").exit_code == 1
    assert run("check", path, "--campaign", root).exit_code == 0


def test_the_settings_of_the_campaign_are_in_force(run, folder, campaign):
    """As task.toml in the folder says, or as it stood when the task was loaded."""
    shifted = GOOD.replace("id,label", "label,id")
    root = campaign(**{"task.toml": '[submissions]\nid = "item"\nlabel = "answer"\n'})
    text = "answer,item\n" + "".join(f"{'yes' if i % 4 else 'no'},{i}\n" for i in IDS)
    for name in "AB":
        answers(root / "submissions", text, f"{name}.csv")
    assert run("load", root).exit_code == 0
    for option, named in (("--campaign", root), ("--task", "small")):
        assert run("check", answers(folder, text), option, named).exit_code == 0
        result = run("check", answers(folder, shifted), option, named)
        assert result.exit_code == 1
        assert "no-such-column" in result.stderr


@pytest.mark.usefixtures("copies_accepted")
def test_a_file_is_checked_against_the_test_set_that_is_meant(run, folder, campaign):
    """By name where the folder has several; a task of the store is one of them."""
    gold = "".join(f"{i},{'yes' if i % 3 else 'no'}\n" for i in range(60, 90))
    root = campaign(
        **{
            "task.toml": '[subtask.en]\ngold.path = "gold.csv"\nsubmissions.files = "submissions/{team}.csv"\n'
            '[subtask.es]\ngold.path = "es/gold.csv"\nsubmissions.files = "es/teams/{team}.csv"\n',
            "es/gold.csv": f"id,label\n{gold}",
            "es/teams/A.csv": f"id,label\n{gold}",
        }
    )
    assert run("load", root).exit_code == 0
    slugs = {task["part"]: task["task"] for task in json.loads(run("tasks", "--json").stdout)}
    path = answers(folder, f"id,label\n{gold}")
    for named, exit_code in (("es", 0), ("en", 1)):
        assert run("check", path, "--campaign", root, "--part", named).exit_code == exit_code
        assert run("check", path, "--task", slugs[named]).exit_code == exit_code
    assert run("check", path, "--campaign", root).exit_code == 2


def test_a_label_set_in_hostile_words_is_shown_as_text(run, campaign):
    """Control characters as escapes, as everywhere."""
    hostile = "\x1b[31myes"
    root = campaign(
        **{
            "gold.csv": "id,label\n" + "".join(f"{i},{hostile if i % 2 else 'no'}\n" for i in IDS),
            "submissions/A.csv": "id,label\n" + "".join(f"{i},no\n" for i in IDS),
            "submissions/B.csv": "id,label\n" + "".join(f"{i},no\n" for i in IDS),
        }
    )
    result = run("check", root / "submissions" / "A.csv", "--campaign", root)
    assert "\x1b" not in result.output
    assert "\\x1b[31myes" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ([], "--task TASK, --campaign FOLDER, --gold FILE or --kit FOLDER"),
        (["--task", "small", "--gold", "gold.csv"], "one of them"),
        (["--task", "smal"], "Did you mean “small”?"),
        (["--task", "small", "--part", "es"], "--part names a test set of the folder"),
        (["--campaign", "small", "--part", "es"], "one test set only"),
    ],
)
@pytest.mark.usefixtures("loaded")
def test_what_to_check_against_has_to_be_said(run, folder, arguments, hint):
    """Once."""
    result = run("check", answers(folder, GOOD), *arguments)
    assert result.exit_code == 2
    assert hint in result.stderr


def test_a_file_that_cannot_be_opened_says_so(run, folder, against):
    """A path misspelt, a folder, a pipe, a link in a circle."""
    (folder / "circle").symlink_to("circle")
    os.mkfifo(folder / "pipe")
    found = {
        "nothing.csv": "missing-file",
        "small": "missing-file",
        "pipe": "unreadable-file",
        "circle": "unreadable-file",
    }
    for name, slug in found.items():
        result = run("check", folder / name, "--gold", against["--gold"])
        assert result.exit_code == 1
        assert f": {slug}: " in result.stderr
        assert result.stdout == f"Not accepted: {folder / name}\n"
        data = json.loads(run("check", folder / name, "--gold", against["--gold"], "--json").stdout)
        assert (data["accepted"], data["issues"][0]["slug"]) == (False, slug)


def test_a_gold_that_cannot_be_used_says_so(run, folder, against):
    """Before the file is looked at."""
    result = run(
        "check", answers(folder, GOOD), "--gold", answers(folder, "id,label\n1,yes\n", "gold.csv")
    )
    assert result.exit_code == 1
    assert "gold-one-class" in result.stderr
    result = run("check", answers(folder, GOOD), "--campaign", folder / "submissions")
    assert result.exit_code == 1
    assert "no-folder" in result.stderr
    assert against


def test_every_submission_of_the_sample_passes(run):
    """Those that the load of the same folder accepted; archives and compressed files included."""
    for path in sorted((FLOOD / "submissions").glob("*.*")):
        if path.name != "README.txt":
            assert run("check", path, "--campaign", FLOOD).exit_code == 0, path


def test_a_check_imports_no_engine(process, against, folder):
    """Nor a report, nor, without a task, a database: it is done in less than a second."""
    path = answers(folder, GOOD)
    script = (
        "import sys; from audit.cli import main; sys.argv = ['audit', 'check', *sys.argv[1:]]\n"
        "try: main()\n"
        "finally: print(*{'scipy', 'pandas', 'sqlalchemy', 'alembic', 'jinja2'} & set(sys.modules), file=sys.stderr)"
    )
    done = process(path, "--campaign", against["--campaign"], program=("-c", script))
    assert (done.returncode, done.stderr.strip()) == (0, b"")
    assert re.match(rb"Accepted: ", done.stdout)


def test_of_sets_organisers_see_what_is_found_and_participants_their_own_labels(run):
    """Items of a pool count nothing that anybody knows; labels that are given, right, missed and false do."""
    root = samples() / "harbour-messages"
    given = "check", root / "submissions" / "Anchor.csv", "--campaign", root
    data = json.loads(run(*given, "--json").stdout)
    found = {"units": 600, "given": 679, "right": 503, "missed": 95, "false_alarms": 176}
    assert {name: data[name] for name in found} == found
    assert sum(data["labels"].values()) == 679
    assert (
        "    679 labels given: 503 as in gold, 176 not; 95 of gold missed\n" in run(*given).stdout
    )
    hidden = json.loads(run(*given, "--for", "participants", "--json").stdout)
    assert hidden["labels"] == data["labels"]
    assert hidden.keys().isdisjoint(found)
