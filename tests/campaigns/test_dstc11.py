"""DSTC11 track 5: knowledge selection as open sets, from the organisers' archive as it is."""

import csv

import pytest

from audit.domain import Options, ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from tests.nightly import slow
from tests.real_campaigns import copied, folder_of

SETTINGS = """\
kind = "sets"
official_metric = "micro_f1"
[gold]
path = "data/test/labels.json"
id = false
label = "knowledge"
[submissions]
files = "results.zip/{team}/{run}.json"
id = false
label = "knowledge"
"""
COLUMNS = {"prec": "micro_precision", "rec": "micro_recall", "f1": "micro_f1"}


@slow("test_every_published_value_is_met")
def test_all_48_entries_have_the_published_scores(tmp_path):
    """Precision, recall and F1 of each, 144 values, to the sixth digit."""
    source = folder_of("dstc11-track5")
    folder = copied(source, tmp_path, "results.zip", "data/test/labels.json")
    (folder / "task.toml").write_text(SETTINGS, encoding="utf-8")
    evaluation = evaluate(read_campaign(folder), Options(certainty=False))
    with (source / "published_scores.tsv").open(encoding="utf-8") as file:
        rows = {
            (int(row["team_id"]), int(row["entry_id"])): row
            for row in csv.DictReader(file, delimiter="\t")
        }
    found = 0
    for place, entry in enumerate(evaluation.entries):
        for run in entry.runs:
            row = rows[int(run.team.removeprefix("team")), int(run.run.removeprefix("entry"))]
            for column, slug in COLUMNS.items():
                score = evaluation.scores_of(ScoreKey(slug))[place]
                assert score == pytest.approx(float(row[f"selection_{column}"]), abs=1e-6)
                found += 1
    assert found == 144
