"""What is told of the files: every number is that of the run, and no line is long."""

from itertools import cycle, islice

from typer.testing import CliRunner

from audit.cli.program import app
from audit.formats.door.finding import find_campaign
from audit.formats.door.opening import open_door
from audit.formats.door.said import Said
from tests.door.test_plain_door import GOLD, IDS, N, answers, write

LEVELS = list(islice(cycle(["low", "high", "high"]), N))
SHIFTED = [*LEVELS[1:], LEVELS[0]]


def test_a_further_column_is_counted_among_the_submissions_alone(tmp_path):
    """A baseline beside gold has the column, too, and is no submission of the folder."""
    write(tmp_path / "eval" / "gold.csv", ["id", "level", "stance"], IDS, LEVELS, GOLD)
    for shift, team in enumerate(["ada", "ben", "cem", "dov"]):
        write(tmp_path / "runs" / f"{team}.csv", ["id", "stance"], IDS, answers(shift))
    both = ["id", "stance", "level"]
    write(tmp_path / "runs" / "eva.csv", both, IDS, answers(4), SHIFTED)
    write(tmp_path / "eval" / "baseline.csv", both, IDS, answers(5), SHIFTED)
    told = find_campaign(tmp_path).told
    line = "“level” holds labels, too, and 1 of the submissions has it"
    assert any(line in each for each in told), told
    assert any("outside runs/, where the submissions stand" in each for each in told)


def test_a_stated_column_is_looked_for_in_every_reading_of_gold(tmp_path):
    """A text in quotes makes gold a table by one delimiter alone; the other has no such column."""
    texts = [f"one; two; three {number}" for number in range(N)]
    gold = write(tmp_path / "gold.csv", ["id", "a;b;c", "stance"], IDS, texts, GOLD)
    write(tmp_path / "ada.csv", ["id", "stance"], IDS, answers(0))
    opening = open_door(gold, [tmp_path / "ada.csv"], Said(label="stance"))
    assert "labels from “stance”" in opening.told[0]


def test_baselines_are_no_teams(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, name in enumerate(["ada", "ben", "baseline_majority", "baseline_random"]):
        write(tmp_path / "runs" / f"{name}.csv", ["id", "label"], IDS, answers(shift))
    told = open_door(gold, [tmp_path / "runs"]).told
    assert told[1].startswith("2 teams and 2 baselines by what differs in the paths: ada, ben")


def test_a_platform_s_list_is_named_where_it_told_the_teams(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, number in enumerate([511, 512, 513]):
        write(tmp_path / "up" / f"ID_{number}_p.csv", ["id", "label"], IDS, answers(shift))
    rows = "511,ada,Finished\n512,ben,Finished\n513,cem,Failed\n"
    owners = tmp_path / "up" / "list.csv"
    owners.write_text(f"Submission ID,Owner,Status\n{rows}", encoding="utf-8")
    told = open_door(gold, [tmp_path / "up"]).told
    assert "2 submissions, matched by id" in told[0]
    assert told[1].startswith("2 teams by the platform's list: ada, ben.")
    assert told[2].startswith("Not ranked: 1 upload (up/ID_513_p.csv)")


def test_a_pattern_is_named_where_it_told_the_teams(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, name in enumerate(["ada-x", "ada-y", "ben-x"]):
        write(tmp_path / "runs" / f"{name}.csv", ["id", "label"], IDS, answers(shift))
    told = open_door(gold, [tmp_path / "runs"], Said(name="{team}-{run}")).told
    assert told[1].startswith("2 teams by --name: ada (2 runs), ben.")


def test_every_file_that_is_no_submission_has_its_reason(tmp_path):
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    folder = tmp_path / "runs"
    for shift, team in enumerate(["ada", "ben", "cem"]):
        write(folder / f"{team}.csv", ["id", "label"], IDS, answers(shift))
    for number in (3, 5, 7):
        write(folder / "notes" / f"n{number}.csv", ["a", "b"], range(number), range(number))
    write(folder / "notes" / "texts.csv", ["id", "text"], IDS, [f"t{item}" for item in IDS])
    (folder / "notes" / "x.json").write_text('{"f1": 0.5}', encoding="utf-8")
    (folder / "notes" / "y.csv").write_bytes(b"\xff\xfe\x00")
    told = open_door(gold, [folder]).told
    lines = " ".join(line for line in told if line.startswith("Not submissions: "))
    assert "4 files with other numbers of rows, the first runs/notes/n3.csv: 3 rows for 40" in lines
    assert "1 file (runs/notes/texts.csv): no column with labels of gold's “label”" in lines
    assert "1 file (runs/notes/y.csv): " in lines
    assert "other reasons" not in lines
    assert all(len(line) <= 300 for line in told)


def test_runs_that_take_no_rank_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold = write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, name in enumerate(["ada_run1", "ada_run2", "ben_run1", "cem"]):
        write(tmp_path / "runs" / f"{name}.csv", ["id", "label"], IDS, answers(shift))
    words = ["run", "--gold", str(gold), str(tmp_path / "runs"), "--runs", "primary"]
    result = CliRunner().invoke(app, [*words, "--no-certainty", "--store", "a.db"])
    assert result.exit_code == 0, result.output
    said = "1 run is not ranked (runs = “primary”: not the last by name): ada/run1."
    assert said in result.output
