"""The made-up campaign of three languages tells its story: by scikit-learn, and by the audit."""

import csv

import numpy as np
import pytest
from sklearn.metrics import f1_score

from audit.evaluation import evaluate
from audit.findings.campaign import CampaignFindings
from audit.formats.campaign.campaigns import read_campaigns
from audit.report.campaign_words import CampaignWords
from audit.resources import samples
from sample_submissions.generate_pier_notices import SEED, generate

FOLDER = samples() / "pier-notices"
LABELS = ("urgent", "planned", "cancelled")


def rows_of(path):
    """The id and label of each line."""
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["id"], row["label"]) for row in csv.DictReader(file)]


@pytest.fixture(scope="module")
def found():
    return CampaignFindings([evaluate(track) for track in read_campaigns(FOLDER)])


def by_scikit_learn():
    """Macro F1 of each team in each language."""
    scores = {}
    for language in ("de", "en", "sw"):
        gold = dict(rows_of(FOLDER / language / "gold.csv"))
        for path in (FOLDER / language / "submissions").iterdir():
            answers = dict(rows_of(path))
            pairs = [(gold[item], answers[item]) for item in gold]
            scores[path.stem, language] = f1_score(
                *zip(*pairs, strict=True), average="macro", labels=LABELS
            )
    return scores


def test_the_files_are_those_of_the_script():
    """Label by label."""
    made = generate(np.random.default_rng(SEED))
    for language, (ids, gold, answers) in made.items():
        assert rows_of(FOLDER / language / "gold.csv") == [
            (item, LABELS[code]) for item, code in zip(ids, gold, strict=True)
        ]
        assert {path.stem for path in (FOLDER / language / "submissions").iterdir()} == set(answers)


def test_another_team_ranks_first_in_each_language_and_the_mean_is_scikit_learns(found):
    """And Estuary, which skipped one, has no overall rank."""
    scores = by_scikit_learn()
    best = {
        language: max((score, team) for (team, of), score in scores.items() if of == language)[1]
        for language in ("de", "en", "sw")
    }
    assert best == {"de": "Albatross", "en": "Bollard", "sw": "Capstan"}
    names = [row.name for row in found.tracks.rows]
    for row, name in enumerate(names):
        own = [scores.get((name, language)) for language in ("de", "en", "sw")]
        if None in own:
            assert name == "Estuary"
            assert row not in found.ranked
        else:
            assert found.tracks.summary.mean_score[row] == pytest.approx(np.mean(own))
    assert names[found.winners[0]] == "Capstan"


def test_german_and_english_share_half_of_their_notices(found):
    """By their ids; Swahili shares none."""
    ids = [
        {item for item, _ in rows_of(FOLDER / language / "gold.csv")}
        for language in ("de", "en", "sw")
    ]
    assert [len(ids[0] & ids[1]), len(ids[0] & ids[2]), len(ids[1] & ids[2])] == [150, 0, 0]
    assert [(each.first, each.second, each.n_items) for each in found.means.shared] == [(0, 1, 150)]


def test_the_readme_tells_what_the_audit_says(found):
    """The lead, who else may be best, and who would win without Swahili."""
    told = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())
    words = CampaignWords(found)
    assert (
        "with a mean macro-averaged F1 of .816, but its lead is not statistically significant"
        in words.verdict()
    )
    assert "with a mean of .816, .011 ahead of Bollard" in told
    assert "The lead over Bollard, in second place, is .011" in " ".join(words.more())
    in_set = [found.tracks.rows[row].name for row in found.comparison.contenders]
    assert sorted(in_set) == ["Albatross", "Bollard", "Capstan"]
    (without_swahili,) = [choice for choice in found.tracks_left_out if choice.name == "2"]
    assert [found.tracks.rows[row].name for row in without_swahili.winners] == ["Estuary"]
    assert "without Swahili it would rank first (.842)" in told
    sentence = words.choice_sentence(without_swahili)
    assert sentence == "Estuary wins without sw (.842), .019 ahead of Capstan (adjusted p = .64)."
    assert ".019 ahead of Capstan (adjusted p = .64)" in told
    asked = words.changes_of_winner([without_swahili])
    assert asked == "the winner changes if sw is left out (not significantly)"
