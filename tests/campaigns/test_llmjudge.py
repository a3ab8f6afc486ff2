"""LLMJudge 2024: relevance on a scale of four labels, from TREC files as they were downloaded."""

import csv

import pytest

from audit.domain import ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.small_tables import read_published
from audit.readings import identify
from tests.real_campaigns import copied, folder_of

SETTINGS = """\
labels = ["0", "1", "2", "3"]
scale = true
official_metric = "kappa"
official_decimals = 4
[gold]
path = "gold/llmjudge_test_qrel_idx.txt"
format = "delimited"
delimiter = "blanks"
id = [1, 3]
label = 4
group = 1
[submissions]
format = "delimited"
delimiter = "blanks"
id = [1, 3]
label = 4
"""
CUTS = ("kappa[0|123]", "kappa[01|23]", "kappa[012|3]")
COLUMNS = {
    "kappa": "kappa",
    "alpha": "ordinal_alpha",
    **{cut.replace("[", " ").strip("]"): cut for cut in CUTS},
}


def _evaluated(folder, settings):
    copied(folder_of("llmjudge-2024"), folder, "gold/*", "submissions/*")
    (folder / "task.toml").write_text(settings, encoding="utf-8")
    return evaluate(read_campaign(folder), also=CUTS)


@pytest.fixture(scope="module")
def llmjudge(tmp_path_factory):
    """The evaluation."""
    return _evaluated(tmp_path_factory.mktemp("llmjudge"), SETTINGS)


def _other_than_published(evaluation):
    """Cells of the published tables that are another number to four decimals."""
    with (folder_of("llmjudge-2024") / "published_scores.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert {row["run"] for row in rows} == set(evaluation.names)
    for heading, metric in COLUMNS.items():
        scores = dict(zip(evaluation.names, evaluation.scores_of(ScoreKey(metric)), strict=True))
        for row in rows:
            if f"{scores[row['run']]:.4f}".replace("0.", ".") != row[heading]:
                yield row["run"], heading


def test_every_published_value_is_met(tmp_path):
    """165 of 165, with two labels beyond the scale, 5 and 10, as the nearest label; 5 columns of 33 runs."""
    clipped = _evaluated(tmp_path, f'aliases = {{ "5" = "3", "10" = "3" }}\n{SETTINGS}')
    assert list(_other_than_published(clipped)) == []


def test_every_published_column_is_identified(llmjudge):
    """All 33 scores of each by one reading of the files as they stand, in which one clips labels beyond the scale."""
    found = identify(llmjudge, read_published(folder_of("llmjudge-2024") / "published_scores.tsv"))
    assert {column.heading_says for column in found.columns} == {"yes"}
    assert [column.n_teams for column in found.columns if column.is_exact] == [33] * 5
    for column, metric in zip(found.columns, COLUMNS.values(), strict=True):
        readings = {str(reading) for reading in column.matches[0].readings}
        slug, *cut = metric.partition("[")
        assert column.is_exact
        assert f"{slug}(outside=clipped){''.join(cut)}" in readings
        assert (metric in readings) == (metric == "ordinal_alpha")


def test_as_they_stand_labels_beyond_the_scale_are_unanswered(llmjudge):
    """Two of one run, one of another: their cuts differ, where a label above the scale was taken to be above a cut."""
    cuts = [heading for heading in COLUMNS if "|" in heading]
    other = [(run, heading) for run in ("RMITIR-llama70B", "h2oloo-zeroshot2") for heading in cuts]
    assert set(_other_than_published(llmjudge)) == {("RMITIR-llama70B", "kappa"), *other}


def test_the_weights_alone_crown_four(llmjudge):
    """By kappa, linear kappa, quadratic kappa with alpha, and accuracy."""
    winners = {
        slug: llmjudge.names[llmjudge.winners(ScoreKey(slug))[0]]
        for slug in ("kappa", "linear_kappa", "quadratic_kappa", "ordinal_alpha", "accuracy", "mae")
    }
    assert winners == {
        "kappa": "willia-umbrela1",
        "linear_kappa": "h2oloo-fewself",
        "quadratic_kappa": "Olz-gpt4o",
        "ordinal_alpha": "Olz-gpt4o",
        "accuracy": "willia-umbrela3",
        "mae": "willia-umbrela1",
    }


def test_queries_are_drawn(llmjudge):
    """25 of them: intervals are far wider than those of 4,423 items."""
    key, intervals = ScoreKey("quadratic_kappa"), llmjudge.certainty.intervals
    lower, upper = (ends[llmjudge.keys.index(key)] for ends in (intervals.lower, intervals.upper))
    leader = llmjudge.names.index("Olz-gpt4o")
    assert (lower[leader], upper[leader]) == pytest.approx((0.37, 0.62), abs=0.02)
