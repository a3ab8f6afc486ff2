"""Published scores that task.toml names: read with the campaign, kept with it, and checked by every evaluation."""

import json
from dataclasses import replace

import pytest

from audit import workflow
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign, read_campaigns
from audit.readings import identify
from audit.report.page import document_of
from audit.store import open_store
from audit.writers.bundle.archive import input_files
from audit.writers.bundle.folder import ExportOptions, export_files
from audit.writers.data.command_data import identification_data
from audit.writers.data.export import evaluation_data
from audit.writers.html import render_html
from tests.formats.campaigns import write
from tests.report.parts import fold_of, sentences, table_of

pytestmark = pytest.mark.usefixtures("computed_once")  # what stays as it is, is analysed once

GOLD = "a" * 10 + "b" * 20
TEAMS = {
    "Even": "ab" * 5 + "ab" * 10,
    "Skewed": "a" + "b" * 9 + "a" + "b" * 19,
    "Third": "b" * 10 + "a" * 5 + "b" * 15,
    "All a": "a" * 30,
    "All b": "b" * 30,
}
# Opitz & Burst 2019, tables 1 and 2: F1 of averages .500 and .555; Third's is by hand 2 · .3 · .375 / .675 = .333, and
# those of a single label 2 · .5 · p / (.5 + p), where p is half its share of gold.
TABLE = (
    "Rank,Team,Macro-F1,Acc\n1,skewed,.555,.667\n2,Even,.500,.500\n3,All b,.400,.667\n4,Third,.333,.999\n"
    "5,All a,.250,.333\n"
)
SETTINGS = '[published]\npath = "tables/published.csv"\n'


def files(**more):
    """A campaign's files, one label a line."""
    return {
        "task.toml": SETTINGS,
        "gold.txt": "\n".join(GOLD) + "\n",
        "tables/published.csv": TABLE,
        **{f"submissions/{team}.txt": "\n".join(labels) + "\n" for team, labels in TEAMS.items()},
        **more,
    }


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "campaign", files())


@pytest.fixture
def campaign(folder):
    return read_campaign(folder)


@pytest.fixture
def evaluation(campaign):
    return evaluate(campaign)


def refused(folder):
    with pytest.raises(InputError) as caught:
        read_campaign(folder)
    return [(issue.slug, issue.file) for issue in caught.value.issues]


def test_the_table_is_read_with_the_campaign(campaign):
    """With its bytes, and as no file that is left alone."""
    (found,) = campaign.published
    assert (found.path, found.teams) == (
        "tables/published.csv",
        ("skewed", "Even", "All b", "Third", "All a"),
    )
    assert [column.heading for column in found.columns] == ["Rank", "Macro-F1", "Acc"]
    assert found.set_aside == ()
    assert found.source.content == TABLE.encode()
    assert campaign.ignored == ()


def test_without_the_setting_no_table_is_looked_for(tmp_path):
    """A file of that name is one that no rule claims."""
    read = read_campaign(write(tmp_path, files(**{"task.toml": ""})))
    assert read.published == ()
    assert read.ignored == ("tables/",)
    assert evaluate(read).published is None


def test_every_test_set_has_a_table_of_its_own(tmp_path):
    """Or that of the campaign, where it says none."""
    parts = '[subtask.A]\n[subtask.B]\n[subtask.B.published]\npath = "b.csv"\n'
    folder = write(
        tmp_path, files(**{"task.toml": SETTINGS + parts, "b.csv": "Team,Acc\nEven,.5\n"})
    )
    read = read_campaigns(folder)
    assert [table.path for each in read for table in each.published] == [
        "tables/published.csv",
        "b.csv",
    ]
    assert all(not each.ignored for each in read)


@pytest.mark.parametrize(
    ("wrong", "issue"),
    [
        ({"task.toml": '[published]\npath = "no.csv"\n'}, ("missing-file", "no.csv")),
        ({"task.toml": '[published]\npath = "../published.csv"\n'}, ("path-outside", "task.toml")),
        ({"task.toml": '[published]\nfile = "published.csv"\n'}, ("bad-setting", "task.toml")),
    ],
)
def test_a_table_that_is_no_file_is_said_with_the_other_files(tmp_path, wrong, issue):
    """By the catalogue."""
    assert issue in refused(write(tmp_path, files(**wrong)))


@pytest.mark.parametrize(
    ("table", "defect"),
    [
        ("Team\nEven\n", "“tables/published.csv” was not checked: a single column."),
        (
            "Team,Acc\nEven,.5\nEven,.5\n",
            "“tables/published.csv” was not checked: “Even” has several rows (lines 2 and 3).",
        ),
        (
            "Team,Acc\nX,.5\nY,.4\n",
            "“tables/published.csv” was not checked: none of its names is a team of this campaign: “X” and “Y”.",
        ),
        (
            "Team,Acc\nEven,.500\nThird,.50x\n",
            "“.50x” under “Acc” (line 3) is no number: it was not compared.",
        ),
        ("", "“tables/published.csv” was not checked: 0 bytes, no content."),
    ],
)
def test_a_published_table_never_stops_a_run(tmp_path, table, defect):
    """It is optional: what cannot be read is a finding, and the rest of the report is what it would be without."""
    folder = write(tmp_path / "campaign", files(**{"tables/published.csv": table}))
    workflow.load(folder, tmp_path / "audit.db")
    made = workflow.evaluate_task("campaign", tmp_path / "audit.db")
    assert made.published.defects == (defect,)
    assert defect in {flag.slug: flag.sentence for flag in made.flags}["published-not-readable"]
    assert defect in sentences(fold_of(document_of(made), "published"))
    assert evaluation_data(made)["published"]["defects"] == [defect]
    without = evaluate(
        read_campaign(write(tmp_path / "without", files(**{"task.toml": "[resampling]\n"})))
    )
    assert made.scores.equals(without.scores)


def test_of_two_tables_the_one_that_can_be_used_is_checked(tmp_path):
    """Though the other has no team of the campaign."""
    manifest = (
        "file,kind,team\ngold.txt,gold,\ntables/published.csv,published,\nother.csv,published,\n"
    )
    manifest += "".join(f"submissions/{team}.txt,submission,{team}\n" for team in TEAMS)
    own = {"task.toml": "", "files.csv": manifest, "other.csv": "Team,Acc\nX,.5\n"}
    found = evaluate(read_campaign(write(tmp_path, files(**own)))).published
    assert [table.path for table in found.tables] == ["tables/published.csv"]
    assert found.defects == (
        "“other.csv” was not checked: none of its names is a team of this campaign: “X”.",
    )


def test_two_scores_of_two_decimals_are_too_few_digits_and_no_misfit(tmp_path):
    """Several readings give .50 and .67: the page names none, and does not say that none fits."""
    table = "Team,Macro-F1,Entries,Date,Rank\nEven,.50,3,05.12,2\nAll b,.40,12,04.12,1\n"
    made = evaluate(read_campaign(write(tmp_path, files(**{"tables/published.csv": table}))))
    document = document_of(made)
    (row,) = table_of(document, "table-published").texts
    assert row[:3] == ["Macro-F1", "too few digits to tell", "2 of 2"]
    said = " ".join(sentences(fold_of(document, "published")))
    assert "No reading fits" not in said
    assert "2 scores of 2 decimals have too few digits to tell" in said
    assert "Not looked at: “Entries” (counts or dates" in said
    assert "Not looked at: “Date” (counts or dates" in said
    assert "published-not-computed" not in {flag.slug for flag in made.flags}


def test_the_audit_says_what_the_command_says(campaign, evaluation):
    """One path: what ``audit identify`` finds of the same table."""
    assert identification_data(evaluation.published) == identification_data(
        identify(evaluation, *campaign.published)
    )
    assert evaluation_data(evaluation)["published"] == identification_data(evaluation.published)
    macro, accuracy = evaluation.published.columns
    assert (str(macro.matches[0].reading), macro.is_exact, macro.heading_says) == (
        "f1_of_averages",
        True,
        "leaves open",
    )
    assert [miss.team for miss in accuracy.matches[0].misses] == ["Third"]
    assert evaluation.published.renamed == (("skewed", "Skewed"),)


def test_the_flags_of_the_audit_name_heading_and_team(evaluation):
    """The heading that leaves open which macro F1 it is, and the typing error."""
    said = {flag.slug: flag.sentence for flag in evaluation.flags}
    assert (
        "“Macro-F1” is the name of two metrics; these numbers are F1 of averages"
        in said["published-heading-differs"]
    )
    assert "Not given by it: Third, printed .999" in said["published-score-differs"]


def test_the_report_has_a_section_in_the_same_words(evaluation):
    """Findings, one row for each column, and what was matched or set aside."""
    document = document_of(evaluation)
    *statements, note = sentences(fold_of(document, "published"))
    assert tuple(statements[: len(evaluation.published.findings)]) == evaluation.published.findings
    assert table_of(document, "table-published").texts == [
        ["Macro-F1", "F1 of averages", "5 of 5", "≤ 1", "leaves open"],
        ["Acc", "Accuracy", "4 of 5", "≤ 1", "yes"],
    ]
    assert statements[-1] == "The ranks in “Rank” are those by “Macro-F1”."
    assert note == "“skewed” was taken for “Skewed”."
    html = render_html(evaluation)
    assert 'id="published"' in html
    assert 'href="#published"' in html


def test_without_a_table_the_report_has_no_such_section(evaluation):
    """Nor a row of headings without numbers."""
    without = evaluation.given(published=None)
    assert fold_of(document_of(without), "published") is None
    assert 'id="published"' not in render_html(without)


def test_a_column_without_a_team_of_the_campaign_is_a_row_of_dashes(tmp_path):
    """What is known of it is that nothing is."""
    table = "Team,Acc,F1\nEven,.500,\nNobody,.1,.2\n"
    made = evaluate(read_campaign(write(tmp_path, files(**{"tables/published.csv": table}))))
    fold = fold_of(document_of(made), "published")
    (_, empty) = table_of(fold, "table-published").texts
    assert empty == ["F1", "–", "–", "–", "cannot tell"]
    assert "Not in the campaign: “Nobody”." in sentences(fold)


def test_the_store_keeps_table_and_bytes(campaign, tmp_path):
    """And the history says when it changed."""
    with open_store(tmp_path / "audit.db") as store:
        store.save_campaigns(replace(campaign, published=()))
        store.save_campaigns(campaign)
        assert store.load_campaign("campaign").published == campaign.published
        assert store.load_campaign("campaign").published[0].source.content == TABLE.encode()
        last, _ = store.history("campaign")
    (change,) = last.changes
    assert (change.what, change.before) == ("published scores", None)
    assert change.after.startswith("tables/published.csv (")


def test_a_bundle_lists_the_table_among_its_inputs(campaign, evaluation, tmp_path):
    """So that verifying computes all of it again."""
    assert "tables/published.csv" in input_files(campaign)
    document = json.loads(
        export_files(evaluation, campaign, ExportOptions(figures=()))["evaluation.json"]
    )
    assert document["published"]["findings"] == list(evaluation.published.findings)
    workflow.load(write(tmp_path / "again", files()), tmp_path / "audit.db")
    assert workflow.read_evaluation("again", tmp_path / "audit.db").published is not None
