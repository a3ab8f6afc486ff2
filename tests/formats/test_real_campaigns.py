"""The real campaigns of the shared data, against what their sources say of them."""

import csv
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from audit.formats.campaign.campaigns import read_campaign

from .campaigns import init

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the shared data are not beside this checkout"
)


def copied(name, root, toml=""):
    """The campaign's files in a folder of our own, with a task.toml."""
    shutil.copytree(DATA / name, root, copy_function=shutil.copyfile)
    root.chmod(0o755)
    if toml:
        (root / "task.toml").write_text(toml, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def emoji(tmp_path_factory):
    """Emoji prediction in English, with the settings that name its places."""
    toml = 'label_names_file = "labels/us_mapping.txt"\nlabel_names_column = 3\n'
    toml += '[gold]\npath = "tools/detailed_results/us_test.labels"\n'
    toml += '[submissions]\nfiles = "results/teams/english/{team}/english.output.txt"\n'
    root = copied("semeval2018-task2-emoji-en", tmp_path_factory.mktemp("data") / "emoji", toml)
    return read_campaign(root)


@pytest.fixture(scope="module")
def arct(tmp_path_factory):
    """Argument reasoning comprehension, likewise."""
    toml = '[gold]\npath = "data/gold/truth.txt"\n[submissions]\nfiles = "data/submissions/{team}.txt"\n'
    return read_campaign(
        copied("semeval2018-task12-arct", tmp_path_factory.mktemp("data") / "arct", toml)
    )


def test_emoji_has_the_names_of_its_mapping(emoji):
    """As its organisers published it: label, emoji, name, and an empty column."""
    lines = (
        (DATA / "semeval2018-task2-emoji-en/labels/us_mapping.txt")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    published = {label: name for label, _, name, *_ in (line.split("\t") for line in lines)}
    assert dict(zip(emoji.task.label_set, emoji.task.label_set.shown, strict=True)) == published
    assert len(published) == 20


def test_emoji_has_48_teams_50000_items_and_20_labels(emoji):
    """As its source says, with gold class sizes counted independently."""
    assert len(emoji.submissions) == 48
    assert emoji.gold.n_items == 50_000
    assert emoji.task.label_set.labels == tuple(map(str, range(20)))
    lines = (
        (DATA / "semeval2018-task2-emoji-en/tools/detailed_results/us_test.labels")
        .read_text()
        .split()
    )
    assert Counter(lines) == {
        str(code): count for code, count in enumerate(np.bincount(emoji.gold.codes))
    }


def test_emoji_has_one_team_with_unanswered_items(emoji):
    """19,315 of them, as the source says; no other issue."""
    assert {
        s.team: int((s.codes == 20).sum()) for s in emoji.submissions if (s.codes >= 20).any()
    } == {"tommasopasini": 19_315}
    assert [(issue.slug, issue.count, issue.fatal) for issue in emoji.issues] == [
        ("missing-label", 19_315, False)
    ]


def test_emoji_has_two_byte_identical_submissions(emoji):
    """Of two accounts, as the source says; and team names keep their dots."""
    digests = Counter(submission.source.sha256 for submission in emoji.submissions)
    twins = [s.team for s in emoji.submissions if digests[s.source.sha256] > 1]
    assert twins == ["Somethingx64", "guolinsen"]
    assert "NAVEEN.J.R" in {submission.team for submission in emoji.submissions}


def test_arct_has_23_submissions_of_444_items_without_an_issue(arct):
    """Comment lines or none, tabs or blanks, in any order."""
    assert len(arct.submissions) == 23
    assert arct.gold.n_items == 444
    assert {submission.codes.size for submission in arct.submissions} == {444}
    assert all((submission.codes < 2).all() for submission in arct.submissions)
    assert not arct.issues
    assert "data/submissions/metadata-public.xml" in arct.ignored


def test_arct_gives_the_22_published_accuracies(arct):
    """So every file is aligned as its organisers aligned it."""
    with (DATA / "semeval2018-task12-arct/published_scores.tsv").open(newline="") as file:
        published = Counter(float(row["value"]) for row in csv.DictReader(file, delimiter="\t"))
    scores = Counter(round(float((s.codes == arct.gold.codes).mean()), 3) for s in arct.submissions)
    assert published.total() == 22
    assert published <= scores


def test_compstats_is_recognised_as_a_wide_file(tmp_path):
    """Six systems of 1,580 items and 8 classes, with gold counts as the source says."""
    campaign = read_campaign(
        copied("compstats-six-systems/CompStats/tests", tmp_path / "compstats")
    )
    assert [s.team for s in campaign.submissions] == [
        "BoW",
        "BoW (Class Weight)",
        "BoW (Corpus)",
        "Dense",
        "INGEOTEC",
        "StackBoW",
    ]
    assert np.bincount(campaign.gold.codes).tolist() == [142, 82, 17, 122, 349, 656, 155, 57]
    assert {submission.codes.size for submission in campaign.submissions} == {1580}
    assert not campaign.issues


@pytest.mark.parametrize(
    ("name", "gold", "n_teams"),
    [
        ("semeval2018-task2-emoji-en", "tools/detailed_results/us_test.labels", 48),
        ("semeval2018-task12-arct", "data/gold/truth.txt", 23),
        ("compstats-six-systems", "CompStats/tests/data.csv", 6),
    ],
)
def test_a_draft_finds_the_files_of_a_real_campaign(name, gold, n_teams, tmp_path):
    """And the campaign reads with it, to the last file, without anything that is left to decide."""
    campaign = read_campaign(init(copied(name, tmp_path / "campaign")))
    assert campaign.gold.source.path == gold
    assert len(campaign.submissions) == n_teams


CQA = "semeval2016-task3-cqa/SemEval2016_task3_submissions_and_scores"
CQA_TOML = """labels = ["true", "false"]
[gold]
path = "_gold/SemEval2016-Task3-CQA-QL-test.xml.subtaskB.relevancy"
id = [1, 2]
label = 5
group = 1
[submissions]
files = "{team}/subtask_B_{run}.txt"
ignore = ["_baseline/*", "*.score"]
"""


def test_cqa_has_ids_of_two_columns_which_its_submissions_have_in_the_same_places(tmp_path):
    """Said of gold alone; tabs or runs of blanks, CRLF or LF; and the published accuracies come of it."""
    campaign = read_campaign(copied(CQA, tmp_path / "cqa", CQA_TOML))
    with (DATA / "semeval2016-task3-cqa/published_scores.tsv").open(
        newline="", encoding="utf-8"
    ) as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["task"] == "subtask B"]
    published = {row["system"]: float(row["value"]) for row in rows if row["metric"] == "accuracy"}
    accuracies = {
        f"{submission.team}-{submission.run}": float(
            (submission.codes == campaign.gold.codes).mean()
        )
        for submission in campaign.submissions
    }
    assert campaign.gold.n_items == 700
    assert len(set(campaign.gold.groups.tolist())) == 70
    assert not campaign.issues
    found = {
        name.replace("\N{SOFT HYPHEN}", ""): round(value, 4) for name, value in accuracies.items()
    }
    expected = {
        name.replace("\N{SOFT HYPHEN}", ""): value
        for name, value in published.items()
        if "baseline" not in name
    }
    assert len(found) == 25
    assert found == pytest.approx({name: expected[name] for name in found}, abs=5.1e-5)
