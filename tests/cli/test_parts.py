"""A campaign of several test sets is loaded, evaluated and reported by one command."""

import json
from pathlib import Path

import pytest

from audit.store import open_store
from audit.workflow import report_paths

GOLD = "id,label\n1,no\n2,yes\n3,no\n4,yes\n"
ANSWERS = "id,label\n1,no\n2,no\n3,no\n4,yes\n"
SETTINGS = """slug = "nli"
[subtask.en]
gold.path = "en.csv"
submissions.files = "en/{team}.csv"
[subtask.de]
gold.path = "de.csv"
submissions.files = "de/{team}.csv"
"""


@pytest.fixture
def several(tmp_path):
    """A folder with two test sets, of which a team skipped one."""
    root = tmp_path / "several"
    files = {"task.toml": SETTINGS, "en.csv": GOLD, "de.csv": GOLD}
    files |= {"en/A.csv": ANSWERS, "en/B.csv": GOLD, "de/A.csv": ANSWERS}
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.usefixtures("copies_accepted")
def test_run_reports_every_test_set(run, several, folder):
    """Into the current folder, or the one that -o names; each is a task of its own."""
    result = run("run", several)
    assert result.exit_code == 0
    assert [path.name for path in sorted(folder.glob("*.html"))] == [
        "audit-nli-de.html",
        "audit-nli-en.html",
        "audit-nli.html",
    ]
    assert result.output.count("Report: audit-nli.html") == 1
    assert run("run", several, "-o", "reports/nli").exit_code == 0
    assert len(list((folder / "reports" / "nli").glob("*.html"))) == 3
    with open_store(Path("audit.db")) as store:
        assert [task.slug for task in store.tasks()] == ["nli-de", "nli-en"]


@pytest.mark.usefixtures("copies_accepted")
def test_json_lists_the_test_sets_under_parts(run, several):
    """In the order of task.toml; one alone stands as it is."""
    for command in ("run", "load"):
        parts = json.loads(run(command, several, "--json").stdout)["parts"]
        assert [part["task"] for part in parts] == ["nli-en", "nli-de"]
    assert [
        Path(part["report"]).name
        for part in json.loads(run("run", several, "--json").stdout)["parts"]
    ] == [
        "audit-nli-en.html",
        "audit-nli-de.html",
    ]


@pytest.mark.usefixtures("copies_accepted")
def test_nothing_is_stored_where_one_test_set_is_refused(run, several, folder):
    """All or nothing."""
    (several / "de" / "A.csv").write_text("", encoding="utf-8")
    assert run("load", several).exit_code == 1
    assert not (folder / "audit.db").exists() or run("tasks", "--json").stdout.strip() == "[]"


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("taken", [("", 1, "cannot-write"), ("x", 2, "is no report")])
def test_a_file_where_the_folder_of_reports_should_be_is_left_as_it_is(run, several, folder, taken):
    """And the message says so, whether something is in it or not."""
    content, code, said = taken
    (folder / "taken").write_text(content, encoding="utf-8")
    result = run("run", several, "-o", "taken")
    assert result.exit_code == code
    assert said in result.output
    assert (folder / "taken").read_text(encoding="utf-8") == content


def test_reports_of_long_names_do_not_overwrite_one_another(tmp_path):
    """Names are cut, and those that then are the same are numbered."""
    paths = report_paths(["x" * 60 + "-a", "x" * 60 + "-b", "c"], tmp_path)
    assert len(set(paths)) == 3
    assert paths[2].name == "audit-c.html"


def test_no_name_of_a_test_set_makes_one_report_overwrite_another(tmp_path):
    """Names that differ in case alone are one on some disks, and one with a number may be another's own."""
    paths = report_paths(["a", "A", "a.", "a-2", "a-2-2"], tmp_path)
    assert len({path.name.casefold() for path in paths}) == 5
    assert paths[0].name == "audit-a.html"


def test_test_sets_whose_names_make_one_slug_are_refused_by_line(run, several):
    """And not only when the store takes them for one task."""
    text = (several / "task.toml").read_text(encoding="utf-8")
    text = text.replace("subtask.de", 'subtask."C++"').replace("subtask.en", "subtask.C")
    (several / "task.toml").write_text(text, encoding="utf-8")
    result = run("load", several)
    assert result.exit_code == 1
    assert "the subtask “C++”" in result.output
    assert "differ in letters or digits" in result.output


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize(
    "command", [("evaluate",), ("properties",), ("submissions",), ("readings",)]
)
def test_commands_of_single_tasks_name_the_tracks_of_a_campaign(command, run, several):
    """It is the start of each, and no slug that is alike."""
    assert run("load", several).exit_code == 0
    name, *others = command
    result = run(name, "nli", *others)
    assert result.exit_code == 2
    assert "each is a task: “nli-de” and “nli-en”. Name one of them." in result.stderr
