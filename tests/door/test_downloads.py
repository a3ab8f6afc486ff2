"""Repositories as their organisers published them: the plain door and the folder, against published scores.

Each is read and scored once, by its named files; its folder has to take the same files for the same runs, which is
compared line by line in place of a second load.
"""

import csv
import re
import zipfile

import numpy as np
import pytest

from audit.domain import ScoreKey
from audit.errors import UsageError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import campaigns_of
from audit.formats.door.finding import find_campaign
from audit.formats.door.opening import open_door
from audit.formats.door.said import Said
from tests.nightly import slow
from tests.real_campaigns import folder_of


@pytest.fixture
def unpacked(tmp_path):
    """A function that unpacks a repository, and gives its folder."""

    def folder(name):
        with zipfile.ZipFile(folder_of("downloads") / f"{name}.zip") as archive:
            archive.extractall(tmp_path)
        (found,) = tmp_path.iterdir()
        return found

    return folder


def campaigns(opening):
    with opening.tree() as tree:
        return campaigns_of(tree)


def sizes(campaign):
    return len(campaign.submissions), len({each.team for each in campaign.submissions})


def scores(campaign, metric):
    """The score of each run, by its team and run."""
    evaluation = evaluate(campaign)
    values = evaluation.scores_of(ScoreKey(metric)).tolist()
    names = [(entry.team, entry.run) for entry in evaluation.entries]
    return dict(zip(names, values, strict=True))


def taken(opening):
    """Gold and submissions of an opening: where each stands, whose it is, and its role."""
    return {
        (str(opening.root / row.file), row.kind, row.team, row.run, row.role)
        for row in opening.rows
        if row.kind != "ignore"
    }


def test_swisstext(unpacked):
    """Its table; in the folder the other file that may be gold lacks labels."""
    folder = unpacked("swisstext2024-sdg")
    gold = folder / "data/testdata_results.jsonl"
    named = open_door(gold, [folder / "data/participant_submissions"])
    (campaign,) = campaigns(named)
    assert sizes(campaign) == (15, 7)
    averaged = scores(campaign, "averaged_f1")
    best = averaged["roberta_base_synth", "test_roberta_base_synth_RUN33"]
    assert round(best, 3) == 0.556
    assert round(averaged["pronto", None], 3) == 0.524
    accuracy = scores(campaign, "accuracy")
    assert round(accuracy["NLPChur", "merged_synthetic_data_bad_words"], 3) == 0.519
    of_folder = find_campaign(folder)
    assert of_folder.told[0].startswith("Gold: data/testdata_results.jsonl, 156 items")
    assert of_folder.told[1].startswith("6 teams and 1 baseline by what differs in the paths")
    assert taken(of_folder) == taken(named)


def test_ironita(unpacked):
    """Both tasks, by named files and by the folder, which leaves out the baselines beside gold."""
    folder = unpacked("evalita2018-ironita") / "IronITA"
    gold = folder / "evaluation_ironita2018/test_gold_ironita2018.xlsx"
    first = open_door(gold, [folder / "results"])
    (campaign,) = campaigns(first)
    assert sizes(campaign) == (19, 9)
    assert campaign.gold.n_items == 872
    assert not campaign.issues  # three ids lost digits in gold, and in all submissions alike
    averaged = scores(campaign, "averaged_f1")
    best = sorted((round(score, 3) for score in averaged.values()), reverse=True)[:4]
    assert best == [0.731, 0.713, 0.71, 0.71]
    second = open_door(gold, [folder / "results"], Said(label="sarcasm"))
    assert sizes(campaigns(second)[0]) == (9, 6)
    of_folder = find_campaign(folder.parent)
    assert taken(of_folder) == taken(first)
    assert any("outside IronITA/results/, where the sub" in line for line in of_folder.told)
    said = "“sarcasm” holds labels, too, and 9 of the submissions have it: --label sarcasm"
    for opening in (first, of_folder):
        assert any(line.startswith(said) for line in opening.told)


@slow("test_ironita and test_swisstext, of fewer and smaller files")
def test_dstc9_matches_every_published_score(unpacked):
    folder = unpacked("dstc9-track1")
    named = open_door(folder / "data_eval/test/labels.json", [folder / "results"])
    (campaign,) = campaigns(named)
    assert sizes(campaign) == (83, 19)
    assert taken(find_campaign(folder)) == taken(named)
    with (folder / "results/score.csv").open(encoding="utf-8") as file:
        published = {
            (int(row["team_id"]), int(row["entry_id"])): row for row in csv.DictReader(file)
        }
    n_compared = 0
    true = campaign.task.label_set.code_of["true"]
    for each in campaign.submissions:
        team, entry = each.source.path.removesuffix(".json").split("/")[-2:]
        number = 0 if team == "baseline" else int(team.removeprefix("team"))
        row = published.get((number, int(entry.removeprefix("entry"))))
        if row is None:
            continue
        said = np.count_nonzero(each.codes == true)
        hits = np.count_nonzero((each.codes == true) & (campaign.gold.codes == true))
        found = 2 * hits / (said + np.count_nonzero(campaign.gold.codes == true))
        assert found == pytest.approx(float(row["detection_f1"]), abs=1e-9)
        n_compared += 1
    assert n_compared >= 80


HIPE = {
    "newseye-sv": (3, 2),
    "newseye-fi": (3, 2),
    "ajmc-fr": (9, 4),
    "hipe2020-en": (10, 5),
    "topres19th-en": (6, 4),
}


def test_hipe_is_scored_as_its_tables_have_it(unpacked):
    """Five sets by their files, and in one command by the folder.

    Some tokens of gold are missing in some files, others are in doubled quotes, some labels in upper case.
    """
    folder = unpacked("hipe2022-nerc")
    every = set()
    for test_set, size in HIPE.items():
        name, language = test_set.split("-")
        gold = folder / f"data/HIPE-2022-v2.1-{name}-test-{language}.tsv"
        files = sorted((folder / "evaluation/submitted").glob(f"*_{name}_{language}_*"))
        opening = open_door(gold, files)
        assert "scored as spans (entities)" in opening.told[0]
        (campaign,) = campaigns(opening)
        assert sizes(campaign) == size
        check_hipe(folder, test_set, campaign)
        every |= {row[:2] for row in taken(opening)}
    of_folder = find_campaign(folder)
    assert {row[:2] for row in taken(of_folder)} == every
    assert len([line for line in of_folder.told if line.startswith("Gold: ")]) == len(HIPE)


def check_hipe(folder, test_set, campaign):
    """Hits and false alarms of every system are those of the published table."""
    table = folder / f"evaluation/system-rankings/ranking-{test_set}-coarse-micro-strict-all.tsv"
    with table.open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        published = {row["System"]: row for row in rows if row["Label"] == "ALL"}
    runs = {
        each.source.path.rpartition("/")[2].removesuffix(".tsv"): each
        for each in campaign.submissions
    }
    nothing = campaign.task.label_set.n_scored
    for system, row in published.items():
        if system not in runs or (system.startswith("team2") and test_set == "ajmc-fr"):
            continue  # whose E- and S- the campaign's scorer read otherwise
        codes, truth = runs[system].codes, campaign.gold.codes
        hits = int(np.count_nonzero((codes == truth) & (truth < nothing)))
        false = int(np.count_nonzero(codes < nothing)) - hits
        assert (hits, false) == (int(row["TP"]), int(row["FP"]))


def test_a_whole_distribution_with_four_subtasks_is_four_tracks():
    read = campaigns(find_campaign(folder_of("semeval2016-task3-cqa")))
    assert sorted(sizes(campaign) for campaign in read) == [(13, 11), (16, 6), (28, 12), (32, 13)]
    assert sorted(campaign.gold.n_items for campaign in read) == [700, 3270, 7000, 7369]


@pytest.mark.parametrize(
    ("name", "gold", "submissions", "size", "by_folder"),
    [
        ("semeval2018-task12-arct", "data/gold/truth.txt", "data/submissions", (23, 23), True),
        (
            "semeval2018-task2-emoji-en",
            "tools/detailed_results/us_test.labels",
            "results/teams",
            (48, 48),
            True,
        ),
        ("wnut2017-emerging-entities", "emerging.test.annotated", "submissions", (7, 7), False),
        ("llmjudge-2024", "gold/llmjudge_test_qrel_idx.txt", "submissions", (33, 33), True),
        pytest.param(
            *("dstc11-track5", "data/test/labels.json", "results.zip", (48, 15), False),
            marks=slow("the same test of other campaigns"),
        ),
    ],
)
def test_the_earlier_campaigns_are_one_command_each(name, gold, submissions, size, by_folder):
    """By their files; where the folder is one command, too, it takes the same."""
    folder = folder_of(name)
    opening = open_door(folder / gold, [folder / submissions])
    (campaign,) = campaigns(opening)
    assert sizes(campaign) == size
    if by_folder:
        assert taken(find_campaign(folder)) == taken(opening)


def test_two_golds_of_wnut_are_one_question():
    folder = folder_of("wnut2017-emerging-entities")
    with pytest.raises(UsageError, match="Which is gold") as asked:
        find_campaign(folder)
    golds = re.findall(r"--gold (\S+)", str(asked.value))
    assert sorted(golds) == [
        str(folder / f"emerging.test.{ending}") for ending in ("annotated", "conll")
    ]


def test_teams_of_llmjudge_by_a_pattern():
    folder = folder_of("llmjudge-2024")
    gold = folder / "gold/llmjudge_test_qrel_idx.txt"
    opening = open_door(gold, [folder / "submissions"], Said(name="{team}-{run}"))
    rows = [row for row in opening.rows if row.kind == "submission"]
    assert (len(rows), len({row.team for row in rows})) == (33, 7)
