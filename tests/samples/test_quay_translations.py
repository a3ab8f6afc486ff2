"""The made-up campaign of a scorer's numbers tells the story on its page."""

import csv

import numpy as np
import pytest

from audit.domain import ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples

FOLDER = samples() / "quay-translations"
WORST = {"COMET": 0, "chrF": 0, "TER": 150}


@pytest.fixture(scope="module")
def quay():
    """The evaluation."""
    return evaluate(read_campaign(FOLDER))


@pytest.fixture(scope="module")
def page():
    return " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())


def test_the_generator_writes_the_same_bytes(regenerate, assert_same_bytes):
    """As they are committed."""
    assert_same_bytes(regenerate("generate_quay_translations.py"), FOLDER)


@pytest.mark.parametrize("column", WORST)
def test_scores_are_the_means_of_the_files(quay, column):
    """With the worst number of the range for each segment that has none."""
    means = {}
    for path in sorted((FOLDER / "submissions").iterdir()):
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
        numbers = [float(row[column]) for row in rows]
        means[path.stem] = np.mean(numbers + [WORST[column]] * (360 - len(numbers)))
    computed = dict(zip(quay.names, quay.scores_of(ScoreKey(column)), strict=True))
    assert computed == pytest.approx(means, abs=1e-12)


def test_the_page_says_who_is_first_by_what(quay, page):
    """Not significantly by COMET, significantly by TER."""
    assert quay.verdict.claim.value == "open"
    best = {quay.names[team] for team in quay.verdict.could_be_best}
    assert best == {"Bollard", "Capstan", "Derrick"}
    (short,) = quay.winners(ScoreKey("TER"))
    assert quay.names[short] == "Capstan"
    for column, names in {"COMET": ("Bollard", "Capstan"), "TER": ("Capstan", "Bollard")}.items():
        scores = dict(zip(quay.names, quay.scores_of(ScoreKey(column)), strict=True))
        assert all(f"{scores[name]:.3f}".removeprefix("0") in page for name in names)
    comparison = quay.certainty.comparison(ScoreKey("TER"))
    others = [team for team in range(len(quay.names)) if team != short and quay.comparable[team]]
    assert comparison.ahead[short, others].all()
    assert "slice-crowns-another" in {flag.slug for flag in quay.flags}
