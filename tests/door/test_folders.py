"""A folder read by evidence: what is unambiguous is used, the rest is one question whose answers run."""

import re
import zipfile

import pytest
from typer.testing import CliRunner

from audit.cli.program import app
from audit.errors import InputError, UsageError
from audit.formats.campaign.campaigns import campaigns_of
from audit.formats.door.finding import find_campaign, points_of
from audit.formats.door.opening import open_door
from audit.workflow import write_draft
from tests.door.test_plain_door import GOLD, IDS, answers, write


def campaigns(opening):
    with opening.tree() as tree:
        return campaigns_of(tree)


@pytest.fixture
def repository(tmp_path):
    """What organisers publish: gold among other data, results by team, and a table of scores."""
    write(tmp_path / "data" / "test_gold.csv", ["id", "label"], IDS, GOLD)
    write(
        tmp_path / "data" / "train.csv",
        ["id", "label"],
        [f"t{item}" for item in range(90)],
        (GOLD * 3)[:90],
    )
    for shift, team in enumerate(["ada", "ben", "cem", "dov"]):
        write(tmp_path / "output" / team / "run.csv", ["id", "label"], IDS, answers(shift))
    write(tmp_path / "output" / "table.csv", ["team", "f1"], ["ada", "ben"], ["0.8", "0.7"])
    return tmp_path


def test_gold_is_the_file_that_its_path_says_and_that_others_answer(repository):
    opening = find_campaign(repository)
    (campaign,) = campaigns(opening)
    assert [each.team for each in campaign.submissions] == ["ada", "ben", "cem", "dov"]
    assert (
        opening.told[0]
        == "Gold: data/test_gold.csv, 40 items, labels from “label”. 4 submissions, matched by id (“id”)."
    )


@pytest.mark.parametrize(
    ("path", "points"),
    [
        ("data/test_gold.csv", 4),
        ("gold/a.csv", 2),
        ("truth.txt", 3),
        ("train_labels.csv", 1),
        ("submissions/ada.csv", -2),
        ("a.csv", 0),
    ],
)
def test_words_say_how_likely_a_file_is_gold(path, points):
    assert points_of(path) == points


def test_a_file_without_a_word_is_never_assumed_to_be_gold(repository):
    (repository / "data" / "test_gold.csv").rename(repository / "data" / "first.csv")
    with pytest.raises(
        InputError, match="no-gold: no file is called gold and answered by other files"
    ) as refused:
        find_campaign(repository)
    assert "audit run --gold GOLD" in str(refused.value)


def test_a_rival_is_one_question_whose_answers_run(repository):
    changed = [*GOLD[1:], GOLD[0]]
    write(repository / "data" / "test_gold_old2.csv", ["id", "label"], IDS, GOLD)
    (repository / "data" / "test_gold_old2.csv").rename(repository / "data" / "gold_labels.csv")
    write(repository / "data" / "gold_labels.csv", ["id", "label"], IDS, changed)
    with pytest.raises(
        UsageError, match="2 files hold labels of the 40 items that 4 files in output/ answer"
    ) as asked:
        find_campaign(repository)
    place = re.search(r"audit run (\S+)", str(asked.value))[1]
    golds = re.findall(r"--gold (\S+)", str(asked.value))
    assert len(golds) == 2
    for gold in golds:
        assert len(campaigns(open_door(gold, [place]))[0].submissions) == 4


def test_files_outside_of_the_place_of_submissions_are_named(repository):
    write(repository / "data" / "example.csv", ["id", "label"], IDS, answers(5))
    opening = find_campaign(repository)
    assert len(campaigns(opening)[0].submissions) == 4
    assert any(
        "data/example.csv): outside output/, where the submissions stand" in line
        for line in opening.told
    )


def test_two_test_sets_are_two_tracks(repository):
    others = [f"b{item:03}" for item in range(40)]
    write(repository / "data" / "taskB_gold.csv", ["id", "label"], others, GOLD)
    for shift, team in enumerate(["ada", "ben", "cem"]):
        write(repository / "output" / team / "runB.csv", ["id", "label"], others, answers(shift))
    read = campaigns(find_campaign(repository))
    assert sorted(len(campaign.submissions) for campaign in read) == [3, 4]


def test_a_codabench_list_names_the_teams_of_numbers(tmp_path):
    write(tmp_path / "reference" / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, number in enumerate([511, 512, 513]):
        write(tmp_path / "download" / f"ID_{number}_p.csv", ["id", "label"], IDS, answers(shift))
    (tmp_path / "download" / "list.csv").write_text(
        "Submission ID,Owner,Status\n511,ada,Finished\n512,ben,Finished\n513,cem,Finished\n",
        encoding="utf-8",
    )
    (campaign,) = campaigns(find_campaign(tmp_path))
    assert [each.team for each in campaign.submissions] == ["ada", "ben", "cem"]


def test_the_newest_download_of_codabench_names_owners_and_ranks_the_latest(tmp_path):
    write(tmp_path / "gold_labels.csv", ["id", "label"], IDS, GOLD)
    for shift, (number, owner) in enumerate(
        [(501, "ben_k"), (502, "ada"), (507, "ben_k"), (508, "cem")]
    ):
        name = f"{number}_{owner}_PhaseId77_2026-03-03_03-12_p.csv"
        write(tmp_path / "download" / name, ["id", "label"], IDS, answers(shift))
    (campaign,) = campaigns(find_campaign(tmp_path))
    paths = {each.team: each.source.path for each in campaign.submissions}
    assert sorted(paths) == ["ada", "ben_k", "cem"]
    assert "507_" in paths["ben_k"]


def test_init_writes_what_run_takes_and_keeps_what_a_person_decided(repository):
    written, rows = write_draft(repository)
    assert sorted(path.name for path in written) == ["files.csv", "task.toml"]
    assert [row.file for row in rows if row.kind == "gold"] == ["data/test_gold.csv"]
    assert {row.team for row in rows if row.kind == "submission"} == {"ada", "ben", "cem", "dov"}
    table = (repository / "files.csv").read_text(encoding="utf-8")
    decided = table.replace(
        "output/ada/run.csv,submission,,ada,", "output/ada/run.csv,submission,unofficial,Ada Ltd,"
    )
    assert decided != table
    (repository / "files.csv").write_text(decided, encoding="utf-8")
    write(repository / "output" / "eva" / "run.csv", ["id", "label"], IDS, answers(5))
    write_draft(repository, overwrite=True)
    again = (repository / "files.csv").read_text(encoding="utf-8")
    assert "output/ada/run.csv,submission,unofficial,Ada Ltd," in again


def test_run_reads_a_folder_and_a_named_gold_alike_and_writes_nothing_there(
    repository, tmp_path, monkeypatch
):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    before = sorted(path for path in repository.rglob("*") if elsewhere not in path.parents)
    runner = CliRunner()
    by_folder = runner.invoke(
        app, ["run", str(repository), "--json", "--store", "a.db", "-o", "a.html"]
    )
    named = [str(repository / "output"), "--gold", str(repository / "data/test_gold.csv")]
    by_name = runner.invoke(app, ["run", *named, "--json", "--store", "b.db", "-o", "b.html"])
    assert (by_folder.exit_code, by_name.exit_code) == (0, 0), by_folder.output + by_name.output
    assert (elsewhere / "a.html").exists()
    assert (elsewhere / "b.html").exists()
    assert sorted(path for path in repository.rglob("*") if elsewhere not in path.parents) == before
    again = runner.invoke(app, ["run", *named, "--json", "--store", "b.db", "-o", "c.html"])
    assert again.exit_code == 0, again.output
    assert (elsewhere / "b.html").read_bytes() == (elsewhere / "c.html").read_bytes()


def test_save_writes_files_csv_and_task_toml_that_run_reads_alike(
    repository, tmp_path, monkeypatch
):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    runner = CliRunner()
    named = [str(repository / "output"), "--gold", str(repository / "data/test_gold.csv"), "--save"]
    saved = runner.invoke(app, ["load", *named, "--store", "a.db"])
    assert saved.exit_code == 0, saved.output
    assert (repository / "files.csv").exists()
    again = runner.invoke(app, ["load", str(repository), "--store", "b.db"])
    assert again.exit_code == 0, again.output
    assert "4 submissions loaded" in again.output


def test_gold_beside_files_of_its_layout_is_told_by_its_own_name(tmp_path):
    write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    for shift, team in enumerate(["ada", "ben", "cem", "dov"]):
        write(tmp_path / f"{team}.csv", ["id", "label"], IDS, answers(shift))
    (campaign,) = campaigns(find_campaign(tmp_path))
    assert [each.team for each in campaign.submissions] == ["ada", "ben", "cem", "dov"]


def test_files_that_all_say_gold_are_none(tmp_path):
    for shift, team in enumerate(["ada", "ben", "cem", "dov"]):
        write(tmp_path / f"labels_{team}.csv", ["id", "label"], IDS, answers(shift))
    with pytest.raises(InputError, match="no-gold"):
        find_campaign(tmp_path)


def test_test_sets_of_the_same_items_are_told_by_words_of_their_paths(tmp_path):
    for part in ("A", "B"):
        write(tmp_path / "gold" / f"task{part}.csv", ["id", "label"], IDS, GOLD)
        for shift, team in enumerate(["ada", "ben", "cem"]):
            write(
                tmp_path / "runs" / team / f"task_{part}.csv", ["id", "label"], IDS, answers(shift)
            )
    read = campaigns(find_campaign(tmp_path))
    assert [campaign.task.part for campaign in read] == ["A", "B"]
    assert all(
        [each.team for each in campaign.submissions] == ["ada", "ben", "cem"] for campaign in read
    )


def test_a_file_that_cannot_be_read_among_the_answers_stops_the_run(repository):
    """A team is never left out in silence."""
    (repository / "output" / "dov" / "run.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"output/dov/run\.csv"):
        find_campaign(repository)
    opening = find_campaign(repository, skip_rejected=True)
    assert any(line.startswith("Not scored: output/dov/run.csv: ") for line in opening.told)


def test_uploads_in_several_archives_are_in_one_place(tmp_path):
    write(tmp_path / "gold.csv", ["id", "label"], IDS, GOLD)
    for number, names in enumerate([["ada", "ben", "cem"], ["dov", "eva"]]):
        with zipfile.ZipFile(tmp_path / f"bulk{number}.zip", "w") as archive:
            for shift, name in enumerate(names):
                file = write(tmp_path / f"{name}.csv", ["id", "label"], IDS, answers(shift))
                archive.write(file, f"{name}.csv")
                file.unlink()
    (campaign,) = campaigns(find_campaign(tmp_path))
    assert len({each.team for each in campaign.submissions}) == 5
