"""The folder that a form's uploads come in: a draft that loads all of them, and says what it leaves."""

import tomllib

import pytest

from audit.errors import InputError
from audit.formats import can_be_data, draft_settings, read_campaign
from audit.formats.campaign.affixes import pattern_of

from .campaigns import ANSWERS, GOLD, write

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
