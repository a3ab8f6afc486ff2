"""The folder that a form's uploads come in: a draft that loads all of them, and says what it leaves."""

import tomllib
from datetime import datetime

import pytest

from audit.domain import can_be_data
from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.draft import draft_settings
from audit.formats.campaign.roster import read_roster
from audit.formats.campaign.survey import pattern_of
from audit.formats.files.content import decode

from .campaigns import ANSWERS, GOLD, write, zipped
from .tables import workbook

NAMES = {
    "submission - Ann Miller.csv": "Alpha",
    "submission (2) - Ben.csv": "Beta",
    "submission (3) - Çelik.csv": "Gamma",
    "submission (4) - Dan.csv": "Delta",
    "submission - Eve.tsv": "Epsilon",
    "submission (1) - Finn.tsv": "Zeta",
}
UPLOADS = {f"uploads/{name}": ANSWERS.replace(",", "\t") if name.endswith("tsv") else ANSWERS for name in NAMES}


def sheet(cell, delimiter=","):
    """A form's answers, with a cell for each upload."""
    rows = [["Timestamp", "E-mail", "Team name", "Upload"]]
    rows += [["1/2/2031 10:00", "a@b.example", team, cell(name)] for name, team in NAMES.items()]
    return "\n".join(delimiter.join(row) for row in rows)


def drafted(root, files):
    """The campaign as its draft reads it, and the draft."""
    draft = draft_settings(write(root, files))
    return read_campaign(write(root, {"task.toml": draft})), draft


def teams(campaign):
    """The teams' names."""
    return [submission.team for submission in campaign.submissions]


def test_every_upload_is_loaded_under_the_name_of_whoever_sent_it(tmp_path):
    """Whatever its ending; what all names have in common is taken off."""
    campaign, draft = drafted(tmp_path, {"gold.csv": GOLD, **UPLOADS})
    assert tomllib.loads(draft)["submissions"]["files"] == "uploads/submission* - {team}.*"
    assert teams(campaign) == ["Ann Miller", "Ben", "Dan", "Eve", "Finn", "Çelik"]
    assert not campaign.ignored


@pytest.mark.parametrize(
    "cell", [str, lambda name: f"https://x.example/f/{name.replace(' ', '%20')}?usp=1", lambda name: f"in/{name}"]
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_sheet_of_the_form_is_offered_and_gives_the_teams_names(cell, delimiter, tmp_path):
    """Its lines for task.toml work as they stand, whether it has names, links or paths."""
    files = {"gold.csv": GOLD, **UPLOADS, "responses.csv": sheet(cell, delimiter)}
    campaign, draft = drafted(tmp_path, files)
    assert "TO DECIDE: responses.csv names 6 of these files." in draft
    assert [path for path in campaign.ignored if can_be_data(path)] == ["responses.csv"]
    decided = draft.replace("# table", "table")
    campaign = read_campaign(write(tmp_path, {"task.toml": decided}))
    assert teams(campaign) == sorted(NAMES.values())
    assert not campaign.ignored


def test_a_sheet_that_names_other_files_is_none(tmp_path):
    """Nor is one without a column of teams, or a damaged one."""
    other = sheet(lambda name: f"x{name}")
    files = {"a.csv": other, "b.csv": sheet(str).replace("Team name", "When"), "c.csv": b"\xff\xfe\0"}
    _, draft = drafted(tmp_path, {"gold.csv": GOLD, **UPLOADS, **files})
    assert "table" not in tomllib.loads(draft)["submissions"]
    assert "table_columns" not in draft


@pytest.mark.parametrize(
    "stated", ['{ team = "T" }', '{ file = "F", other = "O" }', '{ file = "F", team = "F" }', '"F"', '{ file = "" }']
)
def test_the_columns_of_a_table_are_named_as_they_have_to_be(stated, tmp_path):
    """With the column of the files, each once."""
    toml = f'[submissions]\ntable = "t.csv"\ntable_columns = {stated}\n'
    with pytest.raises(InputError, match="bad-setting"):
        read_campaign(write(tmp_path, {"gold.csv": GOLD, "task.toml": toml, "t.csv": "F,T\n"}))


def test_a_table_without_a_column_that_is_named_is_refused(tmp_path):
    """No file is found by it."""
    toml = '[submissions]\ntable = "t.csv"\ntable_columns = { file = "Upload" }\n'
    files = {"gold.csv": GOLD, "task.toml": toml, "t.csv": "File,Team\na,b\n"}
    with pytest.raises(InputError, match="bad-table: there is no column “Upload”"):
        read_campaign(write(tmp_path, files))


def test_a_form_as_the_table_is_told_its_columns(tmp_path):
    """In one issue, with the line filled in from the header, which then works."""
    form = sheet(str).replace("Upload", "Upload your predictions").replace("E-mail", "Affiliation")
    toml = '[submissions]\nfiles = "uploads/{team}.*"\ntable = "t.csv"\n'
    with pytest.raises(InputError) as caught:
        read_campaign(write(tmp_path, {"gold.csv": GOLD, **UPLOADS, "t.csv": form, "task.toml": toml}))
    (issue,) = caught.value.issues
    line = 'table_columns = { file = "Upload your predictions", team = "Team name" }'
    assert (issue.slug, issue.lines) == ("bad-table", (1,))
    assert "“Timestamp”, “Affiliation”, “Team name” and “Upload your predictions”, and none is" in issue.found
    assert issue.remedy.endswith(line)
    assert teams(read_campaign(write(tmp_path, {"task.toml": toml + line}))) == sorted(NAMES.values())


def test_a_link_that_holds_no_name_is_called_so_and_uploaders_tell_the_files(tmp_path):
    """As Google Drive's links are; a column of who uploaded stands for the one file whose name ends in it."""
    rows = ["Name,Team name,Upload"]
    for number, (name, team) in enumerate(NAMES.items()):
        uploader = name.rpartition(" - ")[2].rpartition(".")[0]
        rows.append(f"{uploader},{team},https://drive.google.com/open?id=1AbC{number}dEf")
    toml = '[submissions]\nfiles = "uploads/{team}.*"\ntable = "t.csv"\ntable_columns = '
    files = {"gold.csv": GOLD, **UPLOADS, "t.csv": "\n".join(rows)}
    by_link = toml + '{ file = "Upload", team = "Team name" }\n'
    with pytest.raises(InputError) as caught:
        read_campaign(write(tmp_path, {**files, "task.toml": by_link}))
    (issue,) = caught.value.issues
    assert (issue.slug, issue.count, issue.lines[0]) == ("bad-table", 6, 2)
    assert "“https://drive.google.com/open?id=1AbC0dEf” does not hold the name of a file" in issue.found
    assert "the column of the uploaders’ names as file" in issue.remedy
    by_uploader = toml + '{ file = "Name", team = "Team name" }\n'
    assert teams(read_campaign(write(tmp_path, {"task.toml": by_uploader}))) == sorted(NAMES.values())
    again = {"uploads/again - Ben.csv": ANSWERS}
    with pytest.raises(InputError, match="there is no file “Ben”"):
        read_campaign(write(tmp_path, again))


NUMBERED = {f"ID_{number}_submission.zip": zipped({"out.csv": ANSWERS}) for number in (511, 512, 513)}
EXPORT = "ID,Owner,File name,Status\n511,ann,a.zip,Finished\n512,ann,a.zip,Finished\n513,Ben,s.zip,Failed\n"


def test_the_numbers_of_a_platform_are_told_by_its_table(tmp_path):
    """The draft offers it; the uploads of one owner are then runs of one team, called by their numbers."""
    files = {"gold.csv": GOLD, "bulk.zip": zipped(NUMBERED), "export.csv": EXPORT}
    campaign, draft = drafted(tmp_path, files)
    assert teams(campaign) == ["ID_511", "ID_512", "ID_513"]
    assert "The teams’ names are numbers, like “ID_511”" in campaign.task.assumptions[-1]
    assert 'table_columns = { file = "ID", team = "Owner" }' in draft
    campaign = read_campaign(write(tmp_path, {"task.toml": draft.replace("# table", "table")}))
    assert [(each.team, each.run) for each in campaign.submissions] == [("Ben", None), ("ann", "511"), ("ann", "512")]
    toml = draft.replace("# table = ", "table = ").replace("# table_columns", "#")
    with pytest.raises(InputError, match=r'table_columns = \{ file = "ID", team = "Owner" \}'):
        read_campaign(write(tmp_path, {"task.toml": toml}))


def test_names_that_are_numbers_are_said_to_be_so(tmp_path):
    """Where no table tells whose they are."""
    _, draft = drafted(tmp_path, {"gold.csv": GOLD, "bulk.zip": zipped(NUMBERED)})
    assert "TO DECIDE: the teams' names are numbers, like “ID_511”" in draft


def test_affixes_are_taken_off_in_the_conventional_place_too(tmp_path):
    """Where no pattern would be needed otherwise."""
    files = {f"submissions/task1_{team}_final.csv": ANSWERS for team in ("uni-x", "B", "C")}
    campaign, draft = drafted(tmp_path, {"gold.csv": GOLD, **files})
    assert tomllib.loads(draft)["submissions"]["files"] == "submissions/task1_{team}_final.csv"
    assert teams(campaign) == ["B", "C", "uni-x"]


@pytest.mark.parametrize(
    ("stems", "pattern"),
    [
        (["a - x", "b - x", "c - x"], "{team} - x"),
        (["a - x", "b - y", "a - b - z"], "{team}"),
        (["x_a", "x_b"], "{team}"),
        (["A", "B", "C"], "{team}"),
        (["sub_1", "sub_2", "sub_30"], "{team}"),
        (["sub_1_x", "sub_2_x", "sub_30_x"], "{team}_x"),
        (["team-a", "team-b", "team-a-b"], "team-{team}"),
    ],
)
def test_what_is_no_affix_stays(stems, pattern):
    """A name that could be split in two ways, two files, or numbers alone."""
    assert pattern_of(stems) == pattern


def book(cell, **further):
    """A form's answers as Google Forms and MS Forms export them: dates and numbers are such, rows may be blank."""
    rows = [["ID", "Start time", "Email", "Name", "Team name", "Upload your file"]]
    start = datetime(2031, 5, 1, 10, 30)  # noqa: DTZ001 - as workbooks have it
    rows += [
        [number, start, "a@b.example", "", team, cell(name)] for number, (name, team) in enumerate(NAMES.items(), 1)
    ]
    rows.insert(3, [])
    return workbook({"Form1": rows, **further})


@pytest.mark.parametrize(
    "cell", [str, lambda name: f"https://x.example/f/{name.replace(' ', '%20')}?usp=1", lambda name: f"in/{name}"]
)
def test_a_workbook_of_answers_is_offered_as_a_csv_file_is(cell, tmp_path):
    """Its lines for task.toml work as they stand."""
    campaign, draft = drafted(tmp_path, {"gold.csv": GOLD, **UPLOADS, "responses.xlsx": book(cell)})
    assert "TO DECIDE: responses.xlsx names 6 of these files." in draft
    assert [path for path in campaign.ignored if can_be_data(path)] == ["responses.xlsx"]
    decided = draft.replace("# table", "table")
    assert 'table_columns = { file = "Upload your file", team = "Team name" }' in decided
    campaign = read_campaign(write(tmp_path, {"task.toml": decided}))
    assert teams(campaign) == sorted(NAMES.values())
    assert not campaign.ignored


def test_another_sheet_of_the_workbook_changes_nothing(tmp_path):
    """A summary beside the answers, as organisers add it; two sheets with the columns are refused."""
    summary = {"Summary": [["Team", "Files"], ["Alpha", 1]]}
    campaign, draft = drafted(tmp_path, {"gold.csv": GOLD, **UPLOADS, "r.xlsx": book(str, **summary)})
    toml = draft.replace("# table", "table")
    campaign = read_campaign(write(tmp_path, {"task.toml": toml}))
    assert teams(campaign) == sorted(NAMES.values())
    twice = {"Copy": [["Team name", "Upload your file"], ["Alpha", "submission - Eve.tsv"]]}
    with pytest.raises(InputError, match="the sheets “Form1” and “Copy” have the columns"):
        read_campaign(write(tmp_path, {"task.toml": toml, "r.xlsx": book(str, **twice)}))


@pytest.mark.parametrize(
    ("rows", "slug"),
    [
        ([], "bad-table"),
        ([["file", "team"]], "bad-table"),
        ([["file", "team"], ["", "A"]], "bad-table"),
        ([["file", "team"], ["submissions/A.csv", "=1+1"]], "formula-without-value"),
        ([["path", "file"], ["submissions/A.csv", "submissions/A.csv"]], "bad-table"),
        ([["team"], ["A"]], "bad-table"),
        ([["file", "team", "remark"], ["submissions/A.csv", "A", "late"]], "bad-table"),
        ([["file", "team"], ["submissions/B.csv", "A"]], "missing-file"),
    ],
)
def test_a_workbook_that_is_no_table_is_refused(rows, slug, tmp_path):
    """With the issue of the catalogue that a CSV file would have."""
    toml = '[submissions]\ntable = "t.xlsx"\n'
    files = {"gold.csv": GOLD, "submissions/A.csv": ANSWERS, "task.toml": toml, "t.xlsx": workbook({"S": rows})}
    with pytest.raises(InputError) as caught:
        read_campaign(write(tmp_path, files))
    assert {issue.slug for issue in caught.value.issues} == {slug}


def test_a_damaged_workbook_of_answers_is_no_sheet(tmp_path):
    """It is left where it is; as a table it is refused."""
    damaged = book(str)[:-400]
    _, draft = drafted(tmp_path, {"gold.csv": GOLD, **UPLOADS, "r.xlsx": damaged})
    assert "table_columns" not in draft
    toml = '[submissions]\ntable = "r.xlsx"\ntable_columns = { file = "Upload your file" }\n'
    with pytest.raises(InputError) as caught:
        read_campaign(write(tmp_path, {"task.toml": toml}))
    assert caught.value.issues


def test_workbook_and_csv_file_give_the_same_table():
    """Cell by cell."""
    columns = {"file": "Upload", "team": "Team name"}
    rows = [line.split(",") for line in sheet(str).split("\n")]
    of_text = read_roster(decode("t.csv", sheet(str).encode()), columns)
    assert read_roster(decode("t.xlsx", workbook({"S": rows})), columns) == of_text


MOODLE = {"Ana Silva_12345": "pred", "Bo Li_12346": "my_run", "Chi Wu_23456": "final"}


@pytest.mark.parametrize("in_folders", [False, True])
def test_a_download_of_moodle_is_read_by_its_names(in_folders, tmp_path):
    """Files with what Moodle puts before their names, or a folder of each participant."""
    files = {"gold.csv": GOLD}
    for who, file in MOODLE.items():
        own = f"{who}_assignsubmission_file_"
        files[f"submissions/{own}/pred.csv" if in_folders else f"submissions/{own}{file}.csv"] = ANSWERS
    root = write(tmp_path, files)
    write(root, {"task.toml": draft_settings(root)})
    assert [(each.team, each.run) for each in read_campaign(root).submissions] == [
        ("Ana Silva", None),
        ("Bo Li", None),
        ("Chi Wu", None),
    ]
