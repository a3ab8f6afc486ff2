"""Repositories as their organisers published them: the plain door and the folder, against published scores."""

import csv
import re
import zipfile

import numpy as np
import pytest

import audit
from audit.errors import UsageError
from audit.formats.campaign.campaigns import campaigns_of
from audit.formats.door.finding import find_campaign
from audit.formats.door.opening import open_door
from audit.formats.door.said import Said
from tests.real_campaigns import folder_of


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """A function that unpacks a repository once, and gives its folder."""
    done = {}

    def folder(name):
        if name not in done:
            into = tmp_path_factory.mktemp(name)
            with zipfile.ZipFile(folder_of("downloads") / f"{name}.zip") as archive:
                archive.extractall(into)
            (done[name],) = into.iterdir()
        return done[name]

    return folder


def campaigns(opening, *, skip_rejected=False):
    with opening.tree() as tree:
        return campaigns_of(tree, skip_rejected=skip_rejected)


def sizes(campaign):
    return len(campaign.submissions), len({each.team for each in campaign.submissions})


def scores(evaluation, metric):
    return evaluation.scores[metric].to_dict()


def test_swisstext_is_read_in_one_command_as_its_table_has_it(unpacked):
    folder = unpacked("swisstext2024-sdg")
    evaluation = audit.load(
        gold=folder / "data/testdata_results.jsonl",
        submissions=folder / "data/participant_submissions",
        certainty=False,
    )
    averaged = scores(evaluation, "averaged_f1")
    assert len(averaged) == 15
    assert round(averaged["roberta_base_synth/test_roberta_base_synth_RUN33"], 3) == 0.556
    assert round(averaged["pronto"], 3) == 0.524
    assert (
        round(scores(evaluation, "accuracy")["NLPChur/merged_synthetic_data_bad_words"], 3) == 0.519
    )


def test_the_folder_of_swisstext_is_one_command(unpacked):
    """The other file that may be gold lacks labels."""
    opening = find_campaign(unpacked("swisstext2024-sdg"))
    assert opening.told[0].startswith("Gold: data/testdata_results.jsonl, 156 items")
    assert sizes(campaigns(opening)[0]) == (15, 7)


def test_ironita_both_tasks(unpacked):
    folder = unpacked("evalita2018-ironita") / "IronITA"
    gold, results = folder / "evaluation_ironita2018/test_gold_ironita2018.xlsx", folder / "results"
    opening = open_door(gold, [results])
    (campaign,) = campaigns(opening)
    assert sizes(campaign) == (19, 9)
    assert campaign.gold.n_items == 872
    assert (
        "“sarcasm” holds labels, too, and 9 of the submissions have it: --label sarcasm makes its report."
        in opening.told
    )
    averaged = scores(audit.load(gold=gold, submissions=results, certainty=False), "averaged_f1")
    best = sorted((round(score, 3) for score in averaged.values()), reverse=True)[:4]
    assert best == [0.731, 0.713, 0.71, 0.71]
    (second,) = campaigns(open_door(gold, [results], Said(label="sarcasm")))
    assert sizes(second) == (9, 6)


def test_the_folder_of_ironita_is_one_command(unpacked):
    opening = find_campaign(unpacked("evalita2018-ironita"))
    (campaign,) = campaigns(opening)
    assert sizes(campaign) == (19, 9)
    assert any(
        "outside IronITA/results/, where the submissions stand" in line for line in opening.told
    )


def test_dstc9_matches_every_published_score(unpacked):
    folder = unpacked("dstc9-track1")
    opening = open_door(folder / "data_eval/test/labels.json", [folder / "results"])
    (campaign,) = campaigns(opening)
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
        hits = np.count_nonzero((each.codes == true) & (campaign.gold.codes == true))
        found = (
            2
            * hits
            / (np.count_nonzero(each.codes == true) + np.count_nonzero(campaign.gold.codes == true))
        )
        assert found == pytest.approx(float(row["detection_f1"]), abs=1e-9)
        n_compared += 1
    assert n_compared >= 80


@pytest.mark.parametrize("way", ["named", "folder"])
def test_dstc9_has_83_submissions_of_19_teams(unpacked, way):
    folder = unpacked("dstc9-track1")
    if way == "named":
        opening = open_door(folder / "data_eval/test/labels.json", [folder / "results"])
    else:
        opening = find_campaign(folder)
    (campaign,) = campaigns(opening)
    assert sizes(campaign) == (83, 19)


@pytest.mark.parametrize(
    ("test_set", "n_files", "n_teams"),
    [
        ("newseye-sv", 3, 2),
        ("newseye-fi", 3, 2),
        ("ajmc-fr", 9, 4),
        ("hipe2020-en", 10, 5),
        ("topres19th-en", 6, 4),
    ],
)
def test_hipe_is_scored_as_its_tables_have_it(unpacked, test_set, n_files, n_teams):
    folder = unpacked("hipe2022-nerc")
    name, language = test_set.split("-")
    gold = folder / f"data/HIPE-2022-v2.1-{name}-test-{language}.tsv"
    files = sorted((folder / "evaluation/submitted").glob(f"*_{name}_{language}_*"))
    opening = open_door(gold, files)
    assert "scored as spans (entities)" in opening.told[0]
    (campaign,) = campaigns(opening)
    assert sizes(campaign) == (n_files, n_teams)
    table = folder / f"evaluation/system-rankings/ranking-{test_set}-coarse-micro-strict-all.tsv"
    with table.open(encoding="utf-8") as file:
        published = {
            row["System"]: row
            for row in csv.DictReader(file, delimiter="\t")
            if row["Label"] == "ALL"
        }
    paths = {
        each.source.path.rpartition("/")[2].removesuffix(".tsv"): each
        for each in campaign.submissions
    }
    n_nothing = campaign.task.label_set.n_scored
    for system, row in published.items():
        if system not in paths or (system.startswith("team2") and name == "ajmc"):
            continue  # whose E- and S- the campaign's scorer read otherwise
        codes, truth = paths[system].codes, campaign.gold.codes
        hits = int(np.count_nonzero((codes == truth) & (truth < n_nothing)))
        assert (hits, int(np.count_nonzero(codes < n_nothing)) - hits) == (
            int(row["TP"]),
            int(row["FP"]),
        )


def test_the_folder_of_hipe_is_one_command_for_five_test_sets(unpacked):
    """Some tokens of gold are missing in some files, others are in doubled quotes, some labels in upper case."""
    read = campaigns(find_campaign(unpacked("hipe2022-nerc")))
    assert [sizes(campaign) for campaign in read] == [(10, 5), (9, 4), (6, 4), (3, 2), (3, 2)]


def test_a_whole_distribution_with_four_subtasks_is_four_tracks():
    folder = folder_of("semeval2016-task3-cqa")
    opening = find_campaign(folder)
    read = campaigns(opening)
    assert sorted(sizes(campaign) for campaign in read) == [(13, 11), (16, 6), (28, 12), (32, 13)]
    assert sorted(campaign.gold.n_items for campaign in read) == [700, 3270, 7000, 7369]


@pytest.mark.parametrize(
    ("name", "gold", "submissions", "size"),
    [
        ("semeval2018-task12-arct", "data/gold/truth.txt", "data/submissions", (23, 23)),
        (
            "semeval2018-task2-emoji-en",
            "tools/detailed_results/us_test.labels",
            "results/teams",
            (48, 48),
        ),
        ("wnut2017-emerging-entities", "emerging.test.annotated", "submissions", (7, 7)),
        ("llmjudge-2024", "gold/llmjudge_test_qrel_idx.txt", "submissions", (33, 33)),
        ("dstc11-track5", "data/test/labels.json", "results.zip", (48, 15)),
    ],
)
def test_the_earlier_campaigns_are_one_command_each(name, gold, submissions, size):
    folder = folder_of(name)
    (campaign,) = campaigns(open_door(folder / gold, [folder / submissions]))
    assert sizes(campaign) == size


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("semeval2018-task12-arct", (23, 23)),
        ("semeval2018-task2-emoji-en", (48, 48)),
        ("llmjudge-2024", (33, 33)),
    ],
)
def test_the_earlier_folders_are_one_command_each(name, size):
    (campaign,) = campaigns(find_campaign(folder_of(name)))
    assert sizes(campaign) == size


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
    opening = open_door(
        folder / "gold/llmjudge_test_qrel_idx.txt",
        [folder / "submissions"],
        Said(name="{team}-{run}"),
    )
    assert sizes(campaigns(opening)[0]) == (33, 7)
