"""Real campaigns in folders of their own, read and evaluated once."""

import csv
import re
from collections import defaultdict
from xml.etree import ElementTree as ET

import pytest

from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign, read_campaigns
from tests import real_campaigns
from tests.real_campaigns import copied, folder_of

EMOJI = """
slug = "emoji-en"
labels = [%s]
official_metric = "averaged_f1"
[gold]
path = "tools/detailed_results/us_test.labels"
[submissions]
files = "results/teams/english/{team}/english.output.txt"
format = "lines"
"""
ARCT = """
slug = "arct"
labels = ["0", "1"]
official_metric = "accuracy"
official_decimals = 3
[gold]
path = "data/gold/truth.txt"
[submissions]
files = "data/submissions/{team}.txt"
"""
COMPSTATS = """
slug = "compstats"
official_metric = "weighted_f1"
[wide]
path = "data.csv"
gold = "y"
"""


def campaign_in(folder, settings):
    (folder / "task.toml").write_text(settings, encoding="utf-8")
    return read_campaign(folder)


def evaluated(folder, settings):
    return evaluate(campaign_in(folder, settings))


@pytest.fixture(scope="session")
def emoji_folder():
    return folder_of("semeval2018-task2-emoji-en")


@pytest.fixture(scope="session")
def emoji_campaign(emoji_folder, tmp_path_factory):
    """SemEval-2018 task 2, English: 48 teams, 50,000 items, 20 classes."""
    gold, submissions = (
        "tools/detailed_results/us_test.labels",
        "results/teams/english/*/english.output.txt",
    )
    folder = copied(emoji_folder, tmp_path_factory.mktemp("emoji"), gold, submissions)
    return campaign_in(folder, EMOJI % ", ".join(f'"{label}"' for label in range(20)))


@pytest.fixture(scope="session")
def emoji(emoji_campaign):
    return evaluate(emoji_campaign)


@pytest.fixture(scope="session")
def arct_folder():
    return folder_of("semeval2018-task12-arct")


@pytest.fixture(scope="session")
def arct_teams(arct_folder):
    """Submission id → the name in the published table, and the ids of withdrawn runs, from the organisers' file."""
    listing = ET.parse(arct_folder / "data/submissions/metadata-public.xml")  # noqa: S314 - a file that we hold
    names, withdrawn = {}, []
    for participant in listing.getroot():
        number, of = participant.attrib["submissionID"], participant.attrib.get
        if of("withdrawn"):
            withdrawn.append(number)
        elif of("baseline"):
            names[number] = "Random baseline"
        else:
            names[number] = of("shownName") or of("systemName") or of("username")
    return names, withdrawn


@pytest.fixture(scope="session")
def arct(arct_folder, arct_teams, tmp_path_factory):
    """SemEval-2018 task 12: 22 ranked entries, 444 items, two classes."""
    names, withdrawn = arct_teams
    folder = copied(
        arct_folder, tmp_path_factory.mktemp("arct"), "data/gold/truth.txt", "data/submissions/*"
    )
    ignore = ", ".join(f'"data/submissions/{number}.txt"' for number in withdrawn)
    teams = "\n".join(f'{number} = "{name}"' for number, name in names.items())
    return evaluated(folder, ARCT + f"ignore = [{ignore}]\n[teams]\n{teams}\n")


@pytest.fixture(scope="session")
def arct_whole_campaign(arct_folder, tmp_path_factory):
    """The same with the withdrawn run: all 23 files, under their ids."""
    folder = copied(
        arct_folder, tmp_path_factory.mktemp("arct"), "data/gold/truth.txt", "data/submissions/*"
    )
    return campaign_in(folder, ARCT)


@pytest.fixture(scope="session")
def arct_whole(arct_whole_campaign):
    return evaluate(arct_whole_campaign)


@pytest.fixture(scope="session")
def arct_published(arct_folder):
    """Team → (rank, accuracy) of the organisers' table."""
    table = (arct_folder / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^ *(\d+) +(\S.*?) +(0\.\d{3})$", table, re.MULTILINE)
    return {team: (int(rank), accuracy) for rank, team, accuracy in rows}


@pytest.fixture(scope="session")
def compstats_folder():
    return folder_of("compstats-six-systems")


@pytest.fixture(scope="session")
def compstats_campaign(compstats_folder, tmp_path_factory):
    """The example data of CompStats: six systems, 1,580 items, eight classes, one wide file."""
    folder = copied(
        compstats_folder / "CompStats/tests", tmp_path_factory.mktemp("compstats"), "data.csv"
    )
    return campaign_in(folder, COMPSTATS)


@pytest.fixture(scope="session")
def compstats(compstats_campaign):
    return evaluate(compstats_campaign)


@pytest.fixture(scope="session")
def arct_tabled(tmp_path_factory):
    """SemEval-2018 task 12 as the docs take it in: the organisers' XML turned into a table of the submissions."""
    return read_campaign(real_campaigns.arct_tabled(tmp_path_factory.mktemp("arct")))


@pytest.fixture(scope="session")
def cqa(tmp_path_factory):
    """SemEval-2016 task 3: four subtasks from the distribution's folder as it stands, with the docs' one task.toml."""
    folder = real_campaigns.cqa(tmp_path_factory.mktemp("cqa"))
    return {campaign.task.part: campaign for campaign in read_campaigns(folder)}


@pytest.fixture(scope="session")
def cqa_published():
    """(subtask, team, run) → metric of labels → the value in the organisers' tables."""
    with (folder_of("semeval2016-task3-cqa") / "published_scores.tsv").open(
        encoding="utf-8", newline=""
    ) as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    published = defaultdict(dict)
    for row in rows:
        team, _, run = row["system"].rpartition("-")
        if row["metric"] != "MAP":  # which is of the scores beside the labels
            published[row["task"].removeprefix("subtask "), team, run][row["metric"]] = row["value"]
    return published
