"""``audit history``: every load of a task, latest first; and what a load says when it replaces gold."""

import json
import re

import pytest

from .conftest import FLOOD


@pytest.fixture
def changed(run, campaign):
    """A task that was loaded four times: first, with another file, strictly, and with another gold."""
    assert run("load", campaign()).exit_code == 0
    answers = "id,label\n" + "".join(f"{i},yes\n" for i in range(60))
    assert (
        run(
            "load", campaign(**{"submissions/B.csv": answers, "submissions/C.csv": answers})
        ).exit_code
        == 0
    )
    assert run("load", campaign(**{"submissions/B.csv": answers}), "--strict").exit_code == 0
    gold = "id,label\n" + "".join(f"{i},{'yes' if i % 5 else 'no'}\n" for i in range(60))
    return run("load", campaign(**{"gold.csv": gold, "submissions/B.csv": answers}))


def test_a_load_that_replaces_gold_says_so(changed):
    """On standard error: it may be another campaign with the same slug."""
    assert changed.exit_code == 0
    assert (
        "The gold of “small” was replaced: 3 submissions of the former gold went into history (audit history)."
        in changed.stderr.splitlines()
    )


def _folder(place, ids, teams):
    """A campaign of its own in a folder of the name that all have."""
    rows = "".join(f"{i},{'yes' if i % 3 else 'no'}\n" for i in ids)
    (place / "task" / "submissions").mkdir(parents=True)
    for path in ("gold.csv", *(f"submissions/{team}.csv" for team in teams)):
        (place / "task" / path).write_text(f"id,label\n{rows}")
    return place / "task"


@pytest.mark.usefixtures("copies_accepted")
def test_a_folder_of_the_same_name_does_not_replace_another_campaign(run, tmp_path):
    """Neither its items nor its teams are those of the store; with the line that the message has, both are there."""
    assert run("load", _folder(tmp_path / "2030", range(9), "AB")).exit_code == 0
    other = _folder(tmp_path / "2031", range(20, 29), "CD")
    result = run("load", other)
    assert result.exit_code == 2
    assert "The store has a task “task” with other items and other teams" in result.stderr
    assert 'slug = "2031-task"' in result.stderr
    (other / "task.toml").write_text('slug = "2031-task"\n')
    assert run("load", other).exit_code == 0
    assert [task["task"] for task in json.loads(run("tasks", "--json").stdout)] == [
        "2031-task",
        "task",
    ]
    (other / "task.toml").write_text('slug = "task"\n')
    assert run("load", other).exit_code == 0


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize(("ids", "teams"), [(range(20, 29), "AD"), (range(8, 17), "CD")])
def test_another_gold_with_a_team_or_an_item_of_the_store_still_loads(run, tmp_path, ids, teams):
    """It is the campaign that it was, with other items or other teams."""
    assert run("load", _folder(tmp_path / "2030", range(9), "AB")).exit_code == 0
    assert run("load", _folder(tmp_path / "2031", ids, teams)).exit_code == 0


def test_a_run_that_replaces_gold_says_so_too(run, changed, campaign):
    """And as JSON."""
    result = run("run", campaign())
    assert "The gold of “small” was replaced: 3 submissions" in result.stderr
    assert json.loads(run("load", campaign(), "--json").stdout)["gold_changed"] is False
    gold = "id,label\n" + "".join(f"{i},{'yes' if i % 7 else 'no'}\n" for i in range(60))
    data = json.loads(run("load", campaign(**{"gold.csv": gold}), "--json").stdout)
    assert (data["gold_changed"], data["replaced"]) == (True, ["A", "B", "C"])
    assert changed


@pytest.mark.usefixtures("changed")
def test_the_history_is_a_log(run):
    """Who came and went, what was said otherwise, and the policies in force; latest first."""
    lines = run("history", "small").stdout.splitlines()
    heads = [number for number, line in enumerate(lines) if not line.startswith(" ") and line]
    loads = [lines[start:end] for start, end in zip(heads, [*heads[1:], None], strict=True)]
    assert [load[0].split(",")[0] for load in loads] == ["Load 4", "Load 3", "Load 2", "Load 1"]
    fourth, third, second, first = ([line.strip() for line in load[1:]] for load in loads)
    assert "then held 60 items, 2 labels and 2 submissions" in first
    assert "added 2: A and B" in first
    assert {"added 1: C", "replaced 1: B"} <= set(second)
    assert "policies: all by default" in second
    assert {"policy missing: wrong → reject", "policy unusable: wrong → reject"} <= set(third)
    assert "policies: missing = reject, unusable = reject; the others by default" in third
    assert "gold replaced: 3 submissions of the former gold went into history" in fourth
    assert "replaced 3: A, B and C" in fourth


@pytest.mark.usefixtures("changed")
def test_the_history_says_what_was_evaluated(run):
    """When, by which version, and how many flags it has."""
    assert "evaluated" not in run("history", "small").stdout
    n_flags = len(json.loads(run("evaluate", "small", "--json").stdout)["flags"])
    (line,) = (line for line in run("history", "small").stdout.splitlines() if "evaluated" in line)
    assert line.endswith(f": {n_flags} flags")


def test_other_options_make_no_other_load(run, campaign):
    """They are no data: one load, and an evaluation for each set of options."""
    folder = campaign()
    assert run("run", folder, "-o", "report.html").exit_code == 0
    for options in (["--seed", 3], ["--seed", 2], ["--no-certainty"], []):
        assert run("evaluate", "small", *options).exit_code == 0
    assert run("run", folder, "--seed", 2, "-o", "report.html").exit_code == 0
    (load,) = json.loads(run("history", "small", "--json").stdout)
    signatures = [made["signature"] for made in load["evaluations"]]
    assert len(set(signatures)) == len(signatures) == 4
    lines = run("history", "small").stdout.splitlines()
    assert sum(line.startswith("Load ") for line in lines) == 1
    said = [re.findall(r", audit [^,:]*(.*):", line)[0] for line in lines if "evaluated" in line]
    assert said == [", without certainty", ", seed 2", ", seed 3", ""]
    assert "seed" not in {change["what"] for change in load["changes"]}


@pytest.mark.usefixtures("changed")
def test_the_history_is_the_same_as_json(run):
    """In full."""
    data = json.loads(run("history", "small", "--json").stdout)
    assert [event["number"] for event in data] == [4, 3, 2, 1]
    assert [event["gold_changed"] for event in data] == [True, False, False, False]
    assert data[2]["replaced"] == ["B"]
    assert data[1]["policies"]["missing"] == "reject"
    assert {"what": "policy missing", "before": "wrong", "after": "reject"} in data[1]["changes"]
    assert all(event["loaded_at"].endswith("+00:00") for event in data)


def test_the_history_has_the_journal(run, store):
    """What was read, in so many words; the first entries on a terminal, all of them as JSON."""
    assert store
    run("load", FLOOD, "--lenient")
    journal = json.loads(run("history", "flood-posts", "--json").stdout)[0]["journal"]
    shown = run("history", "flood-posts").stdout
    for action in {entry["action"] for entry in journal}:
        entries = [entry for entry in journal if entry["action"] == action]
        assert f"{action} {entries[0]['subject']}: " in shown
        assert (f"{action} {len(entries) - 8} more; --json has them all" in shown) == (
            len(entries) > 8
        )


def test_the_history_says_what_was_decided_and_rejected(run, campaign):
    """The policy by its name, with how many items it decided about; every rejected file with its issues."""
    files = {
        "submissions/B.csv": "id,label\n1,yes\n",
        "submissions/C.csv": "id,label\n1,no\n1,no\n",
    }
    run("load", campaign(**files), "--skip-rejected")
    lines = [line.strip() for line in run("history", "small").stdout.splitlines()]
    (decided,) = (line for line in lines if line.startswith("decided submissions/B.csv"))
    assert "by the policy missing = “wrong”" in decided
    (rejected,) = (line for line in lines if line.startswith("rejected submissions/C.csv"))
    assert "Not accepted: duplicate-item (1)." in rejected


def test_a_history_in_hostile_words_is_text(run, campaign):
    """Titles and team names from files."""
    escape = "\\u001b[31m"
    root = campaign(**{"task.toml": f'title = "{escape}one"\n', "submissions/\u202ered.csv": b""})
    run("load", root, "--skip-rejected")
    run("load", campaign(**{"task.toml": f'title = "{escape}two"\n'}), "--skip-rejected")
    shown = run("history", "small").output
    assert not {"\x1b", "\u202e"} & set(shown)
    assert "title: \\x1b[31mone → \\x1b[31mtwo" in shown


def test_a_task_that_is_not_there_brings_the_closest(run, store):
    """As everywhere."""
    assert store
    result = run("history", "flood-post")
    assert result.exit_code == 2
    assert "Did you mean “flood-posts”?" in result.stderr


def test_long_texts_that_differ_at_their_end_are_shown_where_they_differ(run, campaign):
    """A note of which the last word changes: both sides end with the word, and neither is cut before it."""
    shared = " ".join(f"word{number}" for number in range(80))
    for last in ("before", "after"):
        run("load", campaign(**{"task.toml": f'note = "{shared} {last}"\n'}))
    (line,) = [
        each
        for each in run("history", "small").stdout.splitlines()
        if each.strip().startswith("note: ")
    ]
    before, after = line.removeprefix("    note: ").split(" → ")
    assert before.startswith("… word")
    assert (before.split()[-1], after.split()[-1]) == ("before", "after")
    assert before.removesuffix("before") == after.removesuffix("after")
