"""One file has one name: however a system writes its letters, its folders, and the ends of the lines in its cells."""

import csv
import io
from unicodedata import normalize

import pytest

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.files.held_files import HeldFiles
from audit.formats.files.tree import Tree
from audit.service.file_choices import written_table
from audit.service.files import checked_path
from audit.workflow.table_of_files import table_of_files

from .campaigns import ANSWERS, GOLD, refusal, tarred, write, zipped

COMPOSED = "Jos\u00e9"
APART = normalize("NFD", COMPOSED)
BOTH_WAYS = [(COMPOSED, APART), (APART, COMPOSED)]
MANIFEST = "file,kind,team\ngold.csv,gold,\n{path},submission,X\n"


def told(campaign):
    """The path of each submission, and its team."""
    return [(submission.source.path, submission.team) for submission in campaign.submissions]


# Letters and their marks


@pytest.mark.parametrize(("written", "on_disk"), BOTH_WAYS)
def test_files_csv_names_a_file_however_its_letters_are_written(written, on_disk, tmp_path):
    """Composed (NFC) or apart (NFD), as macOS writes them."""
    manifest = MANIFEST.format(path=f"{written}/{written}.csv")
    root = write(
        tmp_path, {"gold.csv": GOLD, f"{on_disk}/{on_disk}.csv": ANSWERS, "files.csv": manifest}
    )
    assert told(read_campaign(root)) == [(f"{COMPOSED}/{COMPOSED}.csv", "X")]


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize(("written", "packed"), BOTH_WAYS)
def test_files_csv_names_a_file_in_an_archive_however_its_letters_are_written(
    written, packed, pack, tmp_path
):
    """So do archives, whatever wraps what is in them."""
    name = f"{written}.zip" if pack is zipped else f"{written}.tar"
    on_disk = name.replace(written, packed)
    files = {f"{packed}/one.csv": ANSWERS, f"{packed}/two.csv": ANSWERS, "other/x.csv": ANSWERS}
    manifest = MANIFEST.format(path=f"{name}/{written}/one.csv")
    root = write(tmp_path, {"gold.csv": GOLD, "files.csv": manifest})
    write(root, {on_disk: pack(files)})
    assert told(read_campaign(root)) == [
        (f"{name}/{written}/one.csv".replace(APART, COMPOSED), "X")
    ]


@pytest.mark.parametrize(("written", "on_disk"), BOTH_WAYS)
def test_task_toml_names_files_however_their_letters_are_written(written, on_disk, tmp_path):
    """Gold's path, and the pattern of submissions; what a pattern captures is composed, too."""
    toml = f'[gold]\npath = "{written}.csv"\n[submissions]\nfiles = "{written}/{{team}}.csv"\n'
    root = write(
        tmp_path, {f"{on_disk}.csv": GOLD, f"{on_disk}/{on_disk}.csv": ANSWERS, "task.toml": toml}
    )
    campaign = read_campaign(root)
    assert campaign.gold.source.path == f"{COMPOSED}.csv"
    assert told(campaign) == [(f"{COMPOSED}/{COMPOSED}.csv", COMPOSED)]


def test_a_team_has_one_name_wherever_its_files_come_from(tmp_path):
    """The same campaign from a Mac and from Linux is the same."""
    campaigns = [
        read_campaign(
            write(tmp_path / form, {"gold.csv": GOLD, f"submissions/{name}.csv": ANSWERS})
        )
        for form, name in (("NFC", COMPOSED), ("NFD", APART))
    ]
    assert told(campaigns[0]) == told(campaigns[1]) == [(f"submissions/{COMPOSED}.csv", COMPOSED)]


def test_two_files_of_one_name_are_two_files(tmp_path):
    """A system that keeps both apart gives one team two files, which is refused; in an archive it is one name twice."""
    both = {f"submissions/{name}.csv": ANSWERS for name in (COMPOSED, APART)}
    issues = refusal(tmp_path / "folder", {"gold.csv": GOLD, **both})
    assert sorted((issue.slug, issue.file) for issue in issues) == sorted(
        ("duplicate-team", path) for path in both
    )
    (issue,) = refusal(tmp_path / "archive", {"gold.csv": GOLD, "submissions.zip": zipped(both)})
    assert (issue.slug, issue.file) == ("unsafe-archive", "submissions.zip")
    with Tree(tmp_path / "folder") as tree:
        assert [tree.read(path) for path in both] == [ANSWERS.encode()] * 2
        assert tree.canonical(f"submissions/{APART}.csv") == f"submissions/{APART}.csv"


def test_files_in_memory_have_the_same_names():
    """Those of a bundle; two that differ in nothing else stay two."""
    files = HeldFiles({f"a.zip/{APART}.csv": b"1"})
    assert [files.read(f"a.zip/{name}.csv") for name in (COMPOSED, APART)] == [b"1", b"1"]
    assert files.canonical(f"./a.zip/{APART}.csv") == f"a.zip/{COMPOSED}.csv"
    both = HeldFiles({f"{APART}.csv": b"1", f"{COMPOSED}.csv": b"2"})
    assert [both.read(f"{name}.csv") for name in (APART, COMPOSED)] == [b"1", b"2"]


def test_the_service_keeps_one_name():
    """What is uploaded a second time from another system replaces the first."""
    assert checked_path(f"runs\\{APART}.csv") == f"runs/{COMPOSED}.csv"


# Paths of Windows


@pytest.mark.parametrize("written", ["runs\\1.csv", ".\\runs\\1.csv", "runs/1.csv"])
def test_a_backslash_in_files_csv_separates_folders(written, tmp_path):
    """As a program on Windows writes paths."""
    root = write(
        tmp_path,
        {"gold.csv": GOLD, "runs/1.csv": ANSWERS, "files.csv": MANIFEST.format(path=written)},
    )
    assert told(read_campaign(root)) == [("runs/1.csv", "X")]
    (row,) = (row for row in table_of_files(root, None).rows if row.file == "runs/1.csv")
    assert (row.kind, row.team) == ("submission", "X")


def test_a_backslash_in_task_toml_separates_folders(tmp_path):
    """In single quotes, where TOML takes it as it is."""
    toml = "[gold]\npath = 'g\\1.csv'\n[submissions]\nfiles = 'runs\\{team}.csv'\n"
    root = write(tmp_path, {"g/1.csv": GOLD, "runs/X.csv": ANSWERS, "task.toml": toml})
    assert told(read_campaign(root)) == [("runs/X.csv", "X")]


def test_a_name_that_has_a_backslash_is_taken_as_it_is(tmp_path):
    """Linux has such files."""
    root = write(
        tmp_path,
        {"gold.csv": GOLD, "a\\b.csv": ANSWERS, "files.csv": MANIFEST.format(path="a\\b.csv")},
    )
    assert told(read_campaign(root)) == [("a\\b.csv", "X")]


@pytest.mark.parametrize("path", ["..\\b.csv", "C:\\b.csv", "\\b.csv", "runs\\..\\..\\b.csv"])
def test_a_backslash_leads_out_of_no_folder(path, tmp_path):
    """Upwards, to a drive, or to the root."""
    (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "files.csv": MANIFEST.format(path=path)})
    assert (issue.slug, issue.lines) == ("path-outside", (3,))


# files.csv as spreadsheets write it, and without its header


@pytest.mark.parametrize("mark", ["sep=,", '"sep=,"', "SEP=,", "\ufeffsep=,"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_what_tells_a_spreadsheet_the_delimiter_is_no_header(mark, end, tmp_path):
    """The manifest is below it, and lines are counted with it."""
    text = f"{mark}\n{MANIFEST.format(path='runs/1.csv')}".replace("\n", end)
    root = write(tmp_path, {"gold.csv": GOLD, "runs/1.csv": ANSWERS, "files.csv": text})
    assert told(read_campaign(root)) == [("runs/1.csv", "X")]
    assert {row.file: row.kind for row in table_of_files(root, None).rows}[
        "runs/1.csv"
    ] == "submission"
    (issue,) = refusal(root, {"files.csv": text.replace("runs/1", "runs/2")})
    assert (issue.slug, issue.lines) == ("missing-file", (4,))


def test_files_csv_without_its_header_is_the_manifest(tmp_path):
    """Of two columns, and of all that audit init writes; each line begins with a file that is there, and a kind."""
    files = {"g/x.csv": GOLD, "submissions/A.csv": ANSWERS, "submissions/B.csv": ANSWERS}
    two = "g\\x.csv,gold\nsubmissions/A.csv,Submission\nsubmissions/B.csv,ignore\n"
    root = write(tmp_path, {**files, "files.csv": f"sep=,\n{two}"})
    campaign = read_campaign(root)
    assert (campaign.gold.source.path, told(campaign)) == ("g/x.csv", [("submissions/A.csv", "A")])
    seven = "g/x.csv,gold,,,,,\nsubmissions/A.csv,submission,baseline,T,1,,\nsubmissions/B.csv,ignore,,,,,\n"
    (submission,) = read_campaign(write(root, {"files.csv": seven})).submissions
    assert (submission.team, submission.run, str(submission.role)) == ("T", "1", "baseline")
    assert {row.file: row.kind for row in table_of_files(root, None).rows}["g/x.csv"] == "gold"


def test_of_a_lacking_header_whose_columns_cannot_be_told_is_said_what_to_write(tmp_path):
    """And with that the file is read."""
    rows = "gold.csv,gold,\nruns/1.csv,submission,X\n"
    (issue,) = refusal(tmp_path, {"gold.csv": GOLD, "runs/1.csv": ANSWERS, "files.csv": rows})
    assert (issue.slug, issue.lines, issue.found) == (
        "bad-manifest",
        (1,),
        "its first line is no header, and it has 3 columns",
    )
    assert "file,kind,team" in issue.remedy
    root = write(tmp_path, {"files.csv": f"file,kind,team\n{rows}"})
    assert told(read_campaign(root)) == [("runs/1.csv", "X")]


@pytest.mark.parametrize(
    "text",
    [
        "a,gold\nb,submission\n",
        "gold.csv,what\n",
        "gold.csv\n",
        '"gold.csv,gold\n',
        "/gold.csv,gold\n",
        "sep=,\n",
    ],
)
def test_another_table_of_that_name_stays_another(text, tmp_path):
    """Of files that are not there, without kinds, or with open quotes."""
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.csv": ANSWERS, "files.csv": text})
    campaign = read_campaign(root)
    assert (campaign.roster, campaign.ignored) == (None, ("files.csv",))


def test_further_columns_stay_when_the_service_writes_the_table():
    """Whatever ends its lines, and with what a spreadsheet had above them."""
    row = {
        "file": f"r/{COMPOSED}.csv",
        "kind": "submission",
        "role": "",
        "team": "X",
        "run": "",
        "part": "",
        "why": "",
    }
    before = f'\ufeffsep=;\rfile;kind;paper\rr\\{APART}.csv;submission;"P\r1"\r'
    ((head, *_), written) = csv.reader(io.StringIO(written_table([row], before)))
    assert (head, written[0], written[-1]) == ("file", f"r/{COMPOSED}.csv", "P\n1")


# Ends of lines inside cells


CARRIED = {
    "a label": ("id,label\n", '{id},"{label}\r"\n'),
    "an id": ("id,label\n", '"{id}\r",{label}\n'),
    "a name of a column": ('id,"label\r"\n', "{id},{label}\n"),
    "before a label": ("id,label\n", '{id},"\r\n{label}"\n'),
    "in a text": ("id,text,label\n", '{id},"x\ry, z",{label}\n'),
    "behind a text": ("id\ttext\tlabel\n", '{id}\t"xy\r"\t{label}\n'),
}


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("case", CARRIED)
def test_the_end_of_a_line_in_a_quoted_cell_is_read(case, ends, tmp_path):
    """A program that copies lines from Windows keeps a carriage return, and another quotes it."""
    head, row = (part.replace("\n", ends) for part in CARRIED[case])
    labels = ["no", "no", "no", "yes"]
    text = head + "".join(
        row.format(id=at, label=label) for at, label in enumerate(labels, start=1)
    )
    of_team = read_campaign(write(tmp_path / "team", {"gold.csv": GOLD, "submissions/A.csv": text}))
    assert of_team.submissions[0].codes.tolist() == [0, 0, 0, 1]
    of_gold = read_campaign(write(tmp_path / "gold", {"gold.csv": text, "submissions/A.csv": GOLD}))
    assert of_gold.gold.codes.tolist() == [0, 0, 0, 1]
    assert of_gold.submissions[0].codes.tolist() == [0, 1, 0, 1]
    assert of_gold.task.label_set.labels == ("no", "yes")


@pytest.mark.parametrize("head", ["", "label\n"])
def test_the_end_of_a_line_in_a_column_of_labels_alone_is_read(head, tmp_path):
    """Twice as many lines were no answers before, and gold had twice as many items."""
    gold = head + "".join(f'"{label}\r"\n' for label in ("no", "yes", "no", "yes"))
    answers = head + "".join(f'"{label}\r\n"\n' for label in ("no", "no", "no", "yes"))
    campaign = read_campaign(write(tmp_path, {"gold.txt": gold, "submissions/A.txt": answers}))
    assert campaign.gold.n_items == 4
    assert campaign.submissions[0].codes.tolist() == [0, 0, 0, 1]


def test_files_csv_has_ends_of_lines_in_its_cells(tmp_path):
    """A name on two lines has a blank between them."""
    text = '"file\r",kind,team\ngold.csv,"gold\r",\nruns/1.csv,submission,"Team\rX\r\n"\n'
    root = write(tmp_path, {"gold.csv": GOLD, "runs/1.csv": ANSWERS, "files.csv": text})
    assert told(read_campaign(root)) == [("runs/1.csv", "Team X")]
    with pytest.raises(InputError, match="quotes are not closed"):
        read_campaign(write(root, {"files.csv": text + '"runs/2.csv,submission,"Y\n'}))
