"""What goes wrong is said on standard error, with what to do, and with the exit code that the help names."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from audit import workflow
from audit.errors import AuditError, InputError, Issue
from audit.findings.catalogue import FLAG_KINDS
from audit.workflow.written_files import write_text
from tests.nightly import by_day

from .conftest import FLOOD

SLOW = """
import sys, time
from audit.store import saving
save = saving.save

def slow(*arguments):
    summary = save(*arguments)
    print("written, not committed", flush=True)
    time.sleep(60)
    return summary

saving.save = slow
from audit.cli import main
sys.argv[0] = "audit"
main()
"""


@pytest.mark.usefixtures("store")
def test_without_problems_the_exit_code_is_0(run):
    """Findings are no failure: flags never change the exit code unless one asks."""
    result = run("show", "flood-posts")
    assert result.exit_code == 0
    assert "changes the winner" in result.stdout
    assert result.stderr == ""


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("command", ["show", "evaluate"])
@pytest.mark.parametrize("threshold", ["winner", "order"])
def test_fail_on_makes_findings_a_failure(run, command, threshold):
    """Exit code 3 where a flag is as severe, after everything was printed; slugs say which."""
    result = run(command, "flood-posts", "--fail-on", threshold)
    assert result.exit_code == 3
    assert "Ties that exist only after rounding" in result.stdout
    assert result.stderr.startswith(f"--fail-on {threshold}: ")
    assert "winner-depends-on-macro-f1" in result.stderr


@pytest.mark.usefixtures("copies_accepted")
def test_fail_on_is_as_strict_as_one_says(run, campaign):
    """A campaign whose findings are notes passes both; one that changes the order passes the weaker."""
    run(
        "run",
        campaign(**{"task.toml": 'official_metric = "accuracy"\n', "submissions/B.csv": answers()}),
    )
    words = [(line.split() or [""])[0] for line in run("show", "small").stdout.splitlines()]
    assert "changes the" not in run("show", "small").stdout, [
        word for word in words if word in FLAG_KINDS
    ]
    assert run("show", "small", "--fail-on", "order").exit_code == 0
    assert run("run", FLOOD, "--fail-on", "winner", "-o", "report.html").exit_code == 3


def answers(n_refused=0):
    """A submission to the small campaign that is right but for the first items, where it always says no."""
    return "id,label\n" + "".join(
        f"{i},{'yes' if i % 3 and i > n_refused else 'no'}\n" for i in range(60)
    )


@pytest.mark.usefixtures("copies_accepted")
def test_fail_on_order_alone(run, campaign):
    """A tie for a lower place that rounding makes changes the order and not the winner."""
    files = {
        "task.toml": 'official_metric = "accuracy"\nofficial_decimals = 1\n',
        "submissions/A.csv": answers(),
        "submissions/B.csv": answers(17),
        "submissions/C.csv": answers(19),
    }
    run("load", campaign(**files))
    printed = run("show", "small").stdout
    assert "changes the order" in printed
    assert "changes the winner" not in printed
    assert run("show", "small", "--fail-on", "winner").exit_code == 0
    assert run("show", "small", "--fail-on", "order").exit_code == 3


# Bad input: exit code 1


def test_all_problems_of_all_files_come_at_once_and_nothing_is_loaded(run, folder, campaign):
    """File, what was found, expected and to do, for each; the last line counts them."""
    root = campaign(**{"submissions/A.csv": "", "submissions/C.csv": b"PK\x03\x04\x00"})
    result = run("load", root)
    assert result.exit_code == 1
    assert result.stdout == ""
    for file, slug in (("submissions/A.csv", "empty-file"), ("submissions/C.csv", "binary-file")):
        assert f"{file}: {slug}: " in result.stderr
    assert result.stderr.count("    expected: ") == result.stderr.count("    to do: ") == 2
    hint = "--skip-rejected loads the rest without the rejected files."
    assert result.stderr.endswith(f"2 issues in 2 files; nothing was loaded. {hint}\n")
    assert not (folder / "audit.db").exists()


@pytest.mark.parametrize("command", [("score",), ("identify", "small")])
def test_a_command_that_never_loads_does_not_say_that_nothing_was_loaded(
    command, run, folder, campaign
):
    """The issue, and how many there are."""
    assert run("load", campaign()).exit_code == 0
    (folder / "broken.csv").write_bytes(b"PK\x03\x04\x00")
    result = run(*command, "broken.csv")
    assert result.exit_code == 1
    assert "broken.csv: " in result.stderr
    assert result.stderr.endswith("\n\n1 issue in 1 file.\n")


def test_a_folder_without_a_campaign_has_no_rest_to_load(run, folder):
    """Neither gold nor submissions: no file is at fault."""
    (folder / "empty").mkdir()
    result = run("run", "empty")
    assert result.exit_code == 1
    last = result.stderr.splitlines()[-1]
    assert last == "1 issue; nothing was loaded."
    assert "audit run --gold GOLD" in result.stderr
    assert "--skip-rejected" not in result.stderr


def test_a_broken_submission_beside_a_missing_gold_counts_as_one_file(run, campaign):
    """The folder is no file."""
    root = campaign(**{"submissions/A.csv": ""})
    (root / "gold.csv").unlink()
    result = run("run", root)
    assert "\n1 issue; nothing was loaded.\n" in result.stderr
    assert "to do: name it: audit run --gold GOLD" in result.stderr
    assert " in 0 files" not in result.stderr


def test_rejected_files_can_be_skipped_and_are_named(run, folder, campaign):
    """The rest is loaded; who was left out is said on standard error and on the report's first page."""
    root = campaign(**{"submissions/C.csv": ""})
    result = run("run", root, "--skip-rejected")
    assert result.exit_code == 0
    assert "submissions/C.csv: empty-file" in result.stderr
    assert "Not loaded: submissions/C.csv" in result.stderr
    assert result.stdout.startswith("1 of 3 files was not loaded.\n")
    report = (folder / "audit-small.html").read_text(encoding="utf-8")
    assert "submissions/C.csv" in report.split('<section id="ranking">')[0]


@pytest.mark.parametrize("command", ["run", "load", "init"])
@pytest.mark.parametrize("what", ["nothing", "a file"])
def test_a_path_that_is_no_folder_is_refused(run, folder, command, what):
    """Whether nothing is there or a file, the message names the path and what a campaign is."""
    if what == "a file":
        (folder / "place").write_text("id,label\n")
    result = run(command, "place")
    assert result.stdout == ""
    if what == "a file" and command != "init":
        assert result.exit_code == 2
        assert (
            "place is one file: name gold and submissions: audit run --gold GOLD SUBMISSIONS…"
            in result.stderr
        )
    else:
        assert result.exit_code == 1
        assert "place: no-folder: " in result.stderr
        assert "    to do: " in result.stderr
    assert [path.name for path in folder.iterdir()] == (["place"] if what == "a file" else [])


@pytest.mark.parametrize(
    "command", [["show", "x"], ["evaluate", "x"], ["report", "x"], ["tasks"], ["submissions", "x"]]
)
def test_a_store_that_does_not_exist_is_not_made_by_reading(run, folder, command):
    """The message says how to get one."""
    result = run(*command, "--store", "nowhere.db")
    assert result.exit_code == 1
    assert "nowhere.db: " in result.stderr
    assert "audit run FOLDER" in result.stderr
    assert list(folder.iterdir()) == []


def test_a_file_that_is_no_store_is_left_as_it_is(run, folder):
    """Whatever it is, it is not overwritten."""
    (folder / "audit.db").write_bytes(
        b"not a database at all, but longer than a header of SQLite would be" * 20
    )
    before = (folder / "audit.db").read_bytes()
    for command in (["tasks"], ["load", FLOOD], ["show", "x"]):
        result = run(*command)
        assert result.exit_code == 1
        assert "store-corrupt" in result.stderr
    assert (folder / "audit.db").read_bytes() == before


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "place", ["nowhere/report.html", ".", "/", "there", "audit.db/report.html", "x" * 300]
)
@pytest.mark.parametrize("command", [["report", "flood-posts"], ["run", FLOOD]])
@by_day(2)
def test_a_report_that_cannot_be_written_says_so(run, folder, command, place, monkeypatch):
    """A missing folder, a folder, a file in place of one, an impossible name: one message, and no half file."""
    # where it goes is asked
    monkeypatch.setattr("audit.writers.html.render_html", lambda *_: "<!DOCTYPE html>")
    (folder / "there").mkdir()
    result = run(*command, "-o", place)
    assert result.exit_code == 1
    assert "cannot-write: " in result.stderr
    assert "to do: name another path" in result.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["audit.db", "there"]
    assert list((folder / "there").iterdir()) == []


def test_a_folder_without_permission_is_named(closed_folder):
    """The operating system's reason stands in the message, and nothing is left behind."""
    with pytest.raises(InputError, match=r"report\.html: cannot-write: Permission denied"):
        write_text(closed_folder / "report.html", "text")


def test_what_was_written_in_vain_is_removed(folder, monkeypatch):
    """Where the last step fails, the old report stands as it was, and nothing beside it."""
    (folder / "report.html").write_text("old")

    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "replace", refused)
    with pytest.raises(InputError, match="cannot-write: Operation not permitted"):
        write_text(folder / "report.html", "new")
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("report.html", "old")]


@pytest.mark.usefixtures("store")
@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no device that is always full"
)
def test_a_full_disk_is_named(run):
    """A report that does not fit is an error with the system's reason."""
    result = run("report", "flood-posts", "-o", "/dev/full")
    assert result.exit_code == 1
    assert "/dev/full: cannot-write: No space left on device" in result.stderr


@pytest.mark.usefixtures("store")
def test_a_name_as_long_as_the_system_takes_is_written(run, folder):
    """The file that is written first needs no longer name than the report."""
    for name in ("x" * 250 + ".html", "水" * 83 + ".html"):
        assert run("report", "flood-posts", "-o", name).exit_code == 0
        assert (folder / name).is_file()


@pytest.mark.usefixtures("store")
def test_a_pipe_takes_the_report(run, folder):
    """What is no regular file is written to, and never replaced."""
    os.mkfifo(folder / "pipe")
    # a file takes a report of any size, before anyone reads it
    with (folder / "copy").open("wb") as copy:
        reader = subprocess.Popen(["cat", "pipe"], cwd=folder, stdout=copy)
        try:
            assert run("report", "flood-posts", "-o", "pipe").exit_code == 0
            reader.wait(timeout=30)
        finally:
            reader.kill()
    assert (folder / "copy").read_bytes().startswith(b"<!DOCTYPE html>")
    assert (folder / "pipe").is_fifo()


# Wrong usage: exit code 2


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("name", ["macro_f1", "Macro-F1", "f1 macro", "macroF1"])
def test_macro_f1_is_refused_with_the_explanation(run, name):
    """A name that means two formulas ranks nobody; the message names both."""
    result = run("show", "flood-posts", "--metric", name)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"“{name}” is two metrics" in result.stderr
    assert "averaged_f1" in result.stderr
    assert "f1_of_averages" in result.stderr


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["show", "flod-posts"], "Did you mean “flood-posts”?"),
        (["evaluate", "flood-post"], "Did you mean “flood-posts”?"),
        (["report", "floodposts"], "Did you mean “flood-posts”?"),
        (["submissions", "Flood-Posts"], "Did you mean “flood-posts”?"),
        (["show", "flood-posts", "-m", "acuracy"], "Did you mean “accuracy”?"),
        (["show", "flood-posts", "-m", "recall[damge]"], "Did you mean “damage”?"),
        (["show", "flood-posts", "-m", "recall"], "recall[not_relevant]"),
        (["show", "flood-posts", "-p", "balaned"], "Did you mean “balanced”?"),
        (["show", "flood-posts", "-m", "kappa~", "-p", "observed"], ""),
        (["show", "flood-posts", "--json", "--csv"], "exclude each other"),
        (["show", "flood-posts", "--fail-on", "loser"], "winner"),
        (["report"], "TASK"),
        (["shwo", "flood-posts"], "show"),
        (["show", "flood-posts", "--metrik", "kappa"], "--metric"),
    ],
)
def test_wrong_usage_gets_exit_code_2_and_a_hint(run, arguments, hint):
    """What was meant, or what is possible, stands in the message."""
    result = run(*arguments)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    assert hint in result.stderr


# Interrupted: exit code 130


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["load", FLOOD], "load"),
        (["run", FLOOD], "load"),
        (["evaluate", "x"], "evaluate_task"),
        (["report", "x"], "resolve"),
        (["show", "x"], "resolve"),
    ],
)
def test_ctrl_c_ends_any_command_with_130(run, monkeypatch, arguments, name):
    """A message in place of a traceback."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(workflow, name, interrupted)
    result = run(*arguments)
    assert result.exit_code == 130
    assert result.stdout == ""
    assert "Interrupted. " in result.stderr


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_in_the_middle_of_a_load_leaves_the_store_as_it_was(folder, store, contents):
    """A real signal, after the rows are written and before they are committed."""
    before = contents(store)
    changed = folder / "flood-posts"
    changed.mkdir()
    # it is to replace the task of this name
    (changed / "task.toml").write_text('slug = "flood-posts"\n')
    (changed / "gold.txt").write_text("a\nb\n" * 30)
    (changed / "submissions").mkdir()
    (changed / "submissions" / "A.txt").write_text("a\na\n" * 30)
    command = [sys.executable, "-c", SLOW, "load", str(changed)]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        line = running.stdout.readline()
        assert line == "written, not committed\n", running.communicate(timeout=30)
        running.send_signal(signal.SIGINT)
        stdout, stderr = running.communicate(timeout=30)
    assert running.returncode == 130
    assert stdout == ""
    assert "Interrupted. " in stderr
    assert "Traceback" not in stderr
    assert contents(store) == before
    assert sorted(path.name for path in folder.iterdir()) == ["audit.db", "flood-posts"]


@pytest.mark.usefixtures("store")
def test_only_errors_of_our_own_become_messages(run, monkeypatch):
    """A mistake in the program is not dressed up as a mistake of the user."""

    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(workflow, "read_evaluation", broken)
    with pytest.raises(AssertionError):
        run("show", "flood-posts")
    assert not issubclass(ZeroDivisionError, AuditError)


def test_a_run_is_not_stopped_by_another_that_loads_the_task_meanwhile(run, campaign, monkeypatch):
    """Its report is written; the store keeps what was computed of what it holds."""
    from audit import evaluation, workflow  # noqa: PLC0415 - as the command imports them

    original, others = (
        evaluation.evaluate,
        ["id,label\n" + "".join(f"{i},yes\n" for i in range(60))],
    )

    def evaluate(*arguments, **options):
        while others:
            workflow.load(campaign(**{"submissions/A.csv": others.pop()}), Path("audit.db"))
        return original(*arguments, **options)

    monkeypatch.setattr(evaluation, "evaluate", evaluate)
    result = run("run", campaign())
    assert result.exit_code == 0, result.stderr
    assert "Report: " in result.stdout


def test_remarks_are_not_counted_among_what_keeps_a_campaign_from_being_loaded(run, campaign):
    """A hundred lines of them would hide the one thing to mend."""
    odd = "id,label\n" + "".join(f"{number},odd{number}\n" for number in range(50)) + "50,yes\n"
    result = run(
        "load",
        campaign(**{"submissions/A.csv": odd, "submissions/B.csv": "id,label\n1,no\n1,no\n2,x\n"}),
    )
    assert result.exit_code == 1
    assert result.stderr.count("unusable-label") == 1  # of the file that is refused
    assert "1 issue in 1 file; nothing was loaded." in result.stderr


def test_every_issue_of_a_folder_is_listed_for_who_asks(run, campaign):
    """Each line by itself, for people and as JSON, where a load says one message for all."""
    twice = "id,label\n" + "".join(f"{i % 30},no\n" for i in range(60))
    root = campaign(**{f"submissions/{team}.csv": twice for team in "ABC"})
    loading = run("load", root)
    assert loading.stderr.count("duplicate-item") == 1
    assert "audit issues FOLDER lists each line." in loading.stderr
    listed, data = run("issues", root), json.loads(run("issues", root, "--json").stdout)
    assert listed.exit_code == 0
    assert (
        listed.stdout.count("duplicate-item")
        == sum(each["slug"] == "duplicate-item" for each in data)
        > 60
    )
    assert {each["file"] for each in data} == {f"submissions/{team}.csv" for team in "ABC"}


def test_a_folder_in_which_nothing_is_wrong_has_no_issues(run, campaign):
    """And says so."""
    assert run("issues", campaign()).stdout == "Nothing is wrong with these files.\n"


def test_nothing_was_loaded_is_said_of_loads_alone(run, folder, monkeypatch):
    """Of what goes wrong behind a load, the store has what was loaded."""

    def fail(*_, **__):
        raise InputError([Issue.of("bad-table", "published.csv", "none of its names is a team")])

    monkeypatch.setattr(workflow, "evaluate_task", fail)
    result = run("run", FLOOD)
    assert result.exit_code == 1
    assert "1 issue in 1 file." in result.stderr
    assert "nothing was loaded" not in result.stderr
    assert "flood-posts" in run("tasks").stdout
    empty = run("run", folder)
    assert "nothing was loaded" in empty.stderr
