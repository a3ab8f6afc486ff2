"""W-NUT 2017 as spans, from its folder as it is."""

import csv

import pytest
from typer.testing import CliRunner

from audit.cli import app
from audit.domain import Kind, ScoreKey, State
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import campaigns_of, read_campaign
from audit.formats.door.opening import open_door
from tests.real_campaigns import copied, folder_of

SETTINGS = """\
kind = "sets"
official_metric = "micro_f1"
[gold]
path = "emerging.test.annotated"
format = "tokens"
delimiter = "tab"
[submissions]
format = "tokens"
"""
COLUMNS = {
    "entity precision": "micro_precision",
    "entity recall": "micro_recall",
    "micro F1": "micro_f1",
    "averaged F1 of types": "averaged_f1",
    "F1 of type averages": "f1_of_averages",
}


@pytest.fixture(scope="module")
def wnut(tmp_path_factory):
    """The evaluation."""
    source = folder_of("wnut2017-emerging-entities")
    folder = copied(
        source, tmp_path_factory.mktemp("wnut"), "emerging.test.annotated", "submissions/*"
    )
    (folder / "task.toml").write_text(SETTINGS, encoding="utf-8")
    return evaluate(read_campaign(folder))


def test_files_without_blank_lines_have_the_same_scores(wnut, tmp_path):
    """Six teams have gold's tokens; mic-cis changed 1,283 of 23,394, so that its sequences would be guessed."""
    source = folder_of("wnut2017-emerging-entities")
    folder = copied(source, tmp_path, "emerging.test.annotated", "submissions/*")
    (folder / "task.toml").write_text(SETTINGS, encoding="utf-8")
    for file in (folder / "submissions").iterdir():
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text("".join(filter(str.strip, lines)), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_campaign(folder)
    fatal = [(issue.slug, issue.file) for issue in refused.value.issues if issue.fatal]
    assert fatal == [("line-count", "submissions/mic-cis.txt")]
    (folder / "submissions" / "mic-cis.txt").unlink()
    without = evaluate(read_campaign(folder))
    scores = dict(zip(wnut.names, wnut.scores_of(ScoreKey("micro_f1")).tolist(), strict=True))
    del scores["mic-cis"]
    assert (
        dict(zip(without.names, without.scores_of(ScoreKey("micro_f1")).tolist(), strict=True))
        == scores
    )


def test_every_published_value_is_met(wnut):
    """Of seven teams, to the printed digit: the official micro scores, and both macro F1s of types."""
    with (folder_of("wnut2017-emerging-entities") / "published_scores.tsv").open(
        encoding="utf-8"
    ) as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert {row["team"] for row in rows} == set(wnut.names)
    for heading, slug in COLUMNS.items():
        scores = dict(zip(wnut.names, wnut.scores_of(ScoreKey(slug)), strict=True))
        assert {team: f"{score:.4f}".lstrip("0") for team, score in scores.items()} == {
            row["team"]: row[heading] for row in rows
        }


def test_the_macro_f1s_crown_different_teams_and_neither_is_shown(wnut):
    """uh_ritual by macro-averaged F1, sjtu_adapt by F1 of averages."""
    winners = [
        wnut.names[wnut.winners(ScoreKey(slug))[0]] for slug in ("averaged_f1", "f1_of_averages")
    ]
    assert winners == ["uh_ritual", "sjtu_adapt"]
    change = next(
        each for each in wnut.certainty.changes if each.keys[1] == ScoreKey("f1_of_averages")
    )
    assert change.state is State.OTHER_NOT_SHOWN


def test_the_folder_as_downloaded_takes_two_commands(tmp_path):
    """Two files may be gold, and which is asked; with either answer its spans are scored."""
    folder = copied(
        folder_of("wnut2017-emerging-entities"), tmp_path / "wnut", "*.*", "submissions/*"
    )
    asked = CliRunner().invoke(app, ["init", str(folder)])
    assert "Which is gold?" in asked.output
    with open_door(folder / "emerging.test.annotated", [folder / "submissions"]).tree() as tree:
        (campaign,) = campaigns_of(tree)
    assert (campaign.gold.n_units, campaign.task.label_set.kind, len(campaign.submissions)) == (
        1287,
        Kind.SPANS,
        7,
    )


def test_sentences_are_drawn(wnut):
    """1,287 of them with 1,079 entities."""
    assert (wnut.gold.n_units, int(wnut.prevalence_counts[:-1].sum()), wnut.gold.unit) == (
        1287,
        1079,
        "sequence",
    )
