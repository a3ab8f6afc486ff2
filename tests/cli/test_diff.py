"""``audit diff``: a task before and after a change, as a table, in sentences and as JSON."""

import json
import shlex
import subprocess
from dataclasses import replace

import pytest
from rich.console import Console

from audit import workflow
from audit.domain import Flag, Severity
from audit.errors import UsageError
from audit.findings.revision.difference import FindingChange
from audit.report.correction import difference_blocks
from audit.writers import terminal
from audit.writers.data.difference_data import difference_data

from .test_readme import ROOT, is_shown

ANSWERS = "id,label\n" + "".join(f"{i},yes\n" for i in range(60))
GOLD = "id,label\n" + "".join(f"{i},{'yes' if i % 5 else 'no'}\n" for i in range(60))


@pytest.fixture
def changed(run, campaign):
    """A task that was loaded four times: first, with a further file, by another metric, and with another gold."""
    settings = 'slug = "small"\nofficial_metric = "accuracy"\n'
    for files in (
        {},
        {"submissions/C.csv": ANSWERS},
        {"task.toml": settings},
        {"gold.csv": GOLD, "task.toml": settings},
    ):
        folder = campaign(**files)
        assert run("load", folder).exit_code == 0
    return folder


PAGE = (
    (ROOT / "docs" / "paper.md")
    .read_text(encoding="utf-8")
    .partition("\n## Gold was corrected\n")[2]
)


def test_the_page_on_errata_shows_what_is_printed(run, folder):
    """Its commands, one after the other, print what stands below them."""
    commands, _, excerpt = PAGE.partition("```sh\n")[2].partition("\n```\n\n```text\n")
    for line in commands.splitlines():
        program, *arguments = shlex.split(line)
        if program != "audit":
            subprocess.run(["sh", "-c", line], cwd=folder, check=True)
            continue
        result = run(*arguments)
        assert result.exit_code == 0, line
    printed = result.stdout.replace("─", "")
    for part in excerpt.partition("\n```")[0].splitlines():
        assert is_shown(part, printed), part


def words(text):
    return " ".join(text.split())


@pytest.mark.usefixtures("changed")
def test_the_last_two_loads_stand_side_by_side(run):
    """The table first, then what was changed, the findings, and the erratum with both first places."""
    result = run("diff", "small")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "small: load 4 against load 3, ranked by accuracy"
    assert lines[1].split() == [
        "rank",
        "before",
        "team",
        "accuracy",
        "before",
        "moves",
        "●",
        "possible",
        "ranks",
    ]
    heads = [line for line in lines[1:] if line and not line.startswith((" ", "─", "rank"))]
    assert heads[-3:] == ["What was changed", "Findings", "For an erratum"]
    n_relabelled = sum((i % 5 == 0) != (i % 3 == 0) for i in range(60))
    assert f"    {n_relabelled} of 60 gold labels were corrected" in lines
    assert words(result.stdout).count("from “yes” to “no”") == 1
    assert lines[-1].startswith(f"    After {n_relabelled} of 60 gold labels were corrected, ")


@pytest.mark.usefixtures("changed")
def test_the_json_has_the_boards_of_show(run):
    """Ranks and scores of each side are those that the evaluation of its load has."""
    data = json.loads(run("diff", "small", 2, 4, "--json").stdout)
    now = json.loads(run("show", "small", "--json").stdout)
    board = {row["team"]: row["after"] for row in data["board"]}
    for row in now["ranking"]:
        there = board[row["team"]]
        assert (there["rank"], there["score"]) == (row["rank"], row["score"])
        assert there["could_be_best"] == row["could_be_best"]
    assert data["after"]["signature"] == now["signature"]
    assert (data["before"]["of"], data["after"]["of"]) == ("load 2", "load 4")
    assert [each["slug"] for each in data["settings"]] == ["official_metric"]
    assert data["gold"]["items_relabelled"] == sum(
        each["items"] for each in data["gold"]["relabelled"]
    )
    assert data["erratum"].startswith("After ")
    assert not data["same"]


@pytest.mark.usefixtures("changed")
def test_any_two_loads_can_be_compared(run):
    """By their numbers in the history, in either direction; NEW is the latest where it is not named."""
    there = json.loads(run("diff", "small", 1, 2, "--json").stdout)
    back = json.loads(run("diff", "small", 2, 1, "--json").stdout)
    assert [(each["fate"], each["after"]) for each in there["submissions"]] == [("added", "C")]
    assert [(each["fate"], each["before"]) for each in back["submissions"]] == [("withdrawn", "C")]
    assert (there["before"]["sentence"], there["after"]["sentence"]) == (
        back["after"]["sentence"],
        back["before"]["sentence"],
    )
    assert json.loads(run("diff", "small", 1, "--json").stdout)["after"]["of"] == "load 4"
    assert json.loads(run("diff", "small", 3, 3, "--json").stdout)["same"]
    assert "Nothing was changed that a rank" in run("diff", "small", 3, 3).stdout


def test_a_folder_is_compared_before_it_is_loaded(run, changed, contents, folder):
    """The latest load against it, and nothing is written."""
    before = contents(folder / "audit.db")
    same = json.loads(run("diff", "small", "4", changed, "--json").stdout)
    assert same["same"]
    (changed / "submissions" / "D.csv").write_text(ANSWERS.replace("yes", "no"), encoding="utf-8")
    result = run("diff", "small", "4", changed)
    assert f"the folder {changed} against load 4" in words(result.stdout)
    assert "After the submission of D was added, " in result.stdout
    _, sides = workflow.compare_loads("small", folder / "audit.db", new=changed)
    assert sides[0] == "load 4"
    (changed / "submissions" / "E.csv").write_text("", encoding="utf-8")
    assert run("diff", "small", "4", changed).exit_code == 1
    assert (
        "After the submission of D was added, "
        in run("diff", "small", "4", changed, "--skip-rejected").stdout
    )
    assert contents(folder / "audit.db") == before


@pytest.mark.usefixtures("store")
def test_one_load_has_nothing_to_be_compared_with(run):
    """The message says both ways on."""
    result = run("diff", "flood-posts")
    assert result.exit_code == 2
    assert "“flood-posts” was loaded once: there is nothing to compare with" in result.stderr
    assert "audit diff flood-posts 1 FOLDER" in result.stderr


@pytest.mark.usefixtures("changed")
def test_what_does_not_exist_is_said(run, folder):
    """A task, a load, a folder, a folder of another task, a store."""
    for arguments, code, said in (
        (("diff", "smal"), 2, "no task “smal”. Did you mean “small”?"),
        (("diff", "small", 9), 2, "has 4 loads in its history, and no load 9"),
        (("diff", "small", 1, "nowhere"), 1, "nowhere"),
        (("diff", "small", "--store", "none.db"), 1, "none.db"),
    ):
        result = run(*arguments)
        assert (result.exit_code, said in words(result.stderr)) == (code, True), result.stderr
    (folder / "small" / "task.toml").write_text('slug = "other"\n', encoding="utf-8")
    result = run("diff", "small", 1, "small")
    assert result.exit_code == 2
    assert "holds “other”, and no task “small”" in result.stderr
    with pytest.raises(UsageError, match="has no load before the first"):
        workflow.compare_loads("small", folder / "audit.db", new=1)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_long_name_is_whole_on_a_narrow_terminal(changed, monkeypatch, capsys, width):
    """Columns are left out from the right, and named; rank, rank before and team stay."""
    name = "A team with a name of thirty-four"
    (changed / "submissions" / f"{name}.csv").write_text(ANSWERS, encoding="utf-8")
    difference, sides = workflow.compare_loads("small", changed.parent / "audit.db", new=changed)
    monkeypatch.setattr(terminal, "console", lambda: Console(width=width, force_terminal=False))
    terminal.write(*difference_blocks(difference, sides))
    shown = words(capsys.readouterr().out)
    assert name in shown or width == 40
    assert ("columns hidden (window too narrow)" in shown) == (width < 90)
    assert "For an erratum" in shown


def test_a_change_of_the_confidence_set_is_shown(changed, monkeypatch, capsys):
    """As any other change, with the meaning of the mark."""
    difference, sides = workflow.compare_loads("small", changed.parent / "audit.db", new=changed)
    row = difference.board[0]
    before, after = (
        replace(row.after, could_be_best=best, possible_ranks=(1, 2)) for best in (True, False)
    )
    one = replace(difference, board=(replace(row, before=before, after=after),))
    monkeypatch.setattr(terminal, "console", lambda: Console(width=200, force_terminal=False))
    terminal.write(*difference_blocks(one, sides))
    shown = words(capsys.readouterr().out)
    assert "● → –" in shown
    assert "● 95% confidence set for the best team." in shown


def test_every_kind_of_line_is_printed(run, campaign):
    """A baseline beside the ranking, a submission that goes, a title, more relabellings than are shown."""
    letters = "abcdefgh"
    gold = [letters[i % 8] for i in range(160)]
    other = [letters[(i + 1 + i // 40) % 8] if i % 40 < 24 else letters[i % 8] for i in range(160)]
    settings = 'slug = "small"\ntitle = "{}"\n[roles]\nBase = "baseline"\n'
    files = {
        "gold.csv": table(gold),
        "submissions/A.csv": table(gold[:150] + ["a"] * 10),
        "submissions/B.csv": table(["a"] * 160),
        "submissions/Base.csv": table(["b"] * 160),
        "task.toml": settings.format("One"),
    }
    root = campaign(**files)
    assert run("load", root).exit_code == 0
    (root / "submissions" / "B.csv").unlink()
    campaign(
        **{
            **files,
            "gold.csv": table(other),
            "submissions/B.csv": "",
            "task.toml": settings.format("Two"),
        }
    )
    (root / "submissions" / "B.csv").unlink()
    assert run("load", root).exit_code == 0
    printed = run("diff", "small").stdout
    assert "more such changes, in --json" in printed
    assert "Without weight for ranks: the title: One → Two" in printed
    assert "In parentheses: the rank that an entry would take; it takes none." in printed
    (gone,) = [line.split() for line in printed.splitlines() if " B  " in line]
    assert (gone[0], gone[1], "gone" in gone) == ("2", "B", True)
    (came,) = [
        line.split() for line in run("diff", "small", 2, 1).stdout.splitlines() if " B  " in line
    ]
    assert (came[0], came[1], "new" in came) == ("2", "B", True)


def table(labels):
    return "id,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels))


def test_undefined_scores_are_dashes(run, campaign):
    """By a class that gold lacks: no rank, no move."""
    settings = (
        'slug = "small"\nlabels = ["no", "yes", "maybe"]\nofficial_metric = "recall[maybe]"\n'
    )
    assert run("load", campaign(**{"task.toml": settings})).exit_code == 0
    assert run("load", campaign(**{"task.toml": settings, "gold.csv": GOLD})).exit_code == 0
    lines = run("diff", "small").stdout.splitlines()
    assert [line.split() for line in lines if line.split()[2:3] in (["A"], ["B"])] == [
        ["–", "–", "A", "–", "–"],
        ["–", "–", "B", "–", "–"],
    ]


def test_a_title_alone_changes_nothing_that_counts(run, campaign, folder):
    """The board stands all the same, and each part says that nothing has changed."""
    assert run("load", campaign()).exit_code == 0
    assert run("load", campaign(**{"task.toml": 'slug = "small"\ntitle = "Tea"\n'})).exit_code == 0
    printed = run("diff", "small").stdout
    assert "The same as before." in printed
    assert "    Nothing that counts" in printed.splitlines()
    assert "    Nothing was changed that a rank, a score or a finding depends on" in printed
    difference, _ = workflow.compare_loads("small", folder / "audit.db")
    assert difference_data(difference)["before"]["of"] == "before"


def test_a_finding_that_weighs_more_is_told_with_its_weight(monkeypatch, capsys, changed):
    """What was a note before and changes the winner now."""
    difference, sides = workflow.compare_loads("small", changed.parent / "audit.db")
    flag = Flag("rare-class", Severity.NOTE, "Before.", "Do.", "Say.")
    heavier = FindingChange(flag, replace(flag, severity=Severity.WINNER, sentence="Now."))
    monkeypatch.setattr(terminal, "console", lambda: Console(width=200, force_terminal=False))
    found = replace(difference, findings=(heavier,))
    terminal.write(*difference_blocks(found, sides))
    lines = capsys.readouterr().out.splitlines()
    assert "    changed: rare-class (changes the winner, before note): Now." in [
        line.rstrip() for line in lines
    ]
