"""The made-up campaign of predicted numbers tells the story on its page, by SciPy, scikit-learn and the audit."""

import csv
import json

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from audit.domain import ScoreKey, State
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples

FOLDER = samples() / "tide-levels"


@pytest.fixture(scope="module")
def tides():
    """The evaluation."""
    return evaluate(read_campaign(FOLDER))


@pytest.fixture(scope="module")
def page():
    return " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())


def levels_of(path):
    """The level of each reading, in the order of the file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".jsonl":
        return np.array([json.loads(line)["level"] for line in lines])
    return np.array([float(row["level"]) for row in csv.DictReader(lines)])


@pytest.fixture(scope="module")
def predictions():
    """Of everybody; what Fulmar leaves out is the mean of its own."""
    files = sorted((FOLDER / "submissions").iterdir())
    found = {file.stem: levels_of(file) for file in files}
    given = found["Fulmar"]
    assert given.size == 354
    found["Fulmar"] = np.concatenate([given, np.full(6, given.mean())])
    return found


def test_the_generator_writes_the_same_bytes(regenerate, assert_same_bytes):
    """As they are committed."""
    assert_same_bytes(regenerate("generate_tide_levels.py"), FOLDER)


@pytest.mark.parametrize(
    ("slug", "score"),
    [
        ("spearman", lambda gold, given: stats.spearmanr(gold, given)[0]),
        ("pearson", lambda gold, given: stats.pearsonr(gold, given)[0]),
        ("kendall_tau_b", lambda gold, given: stats.kendalltau(gold, given)[0]),
        ("mean_absolute_error", mean_absolute_error),
        ("rmse", root_mean_squared_error),
        ("r_squared", r2_score),
    ],
)
def test_scores_are_those_of_scipy_and_scikit_learn(tides, predictions, slug, score):
    """From the files themselves."""
    gold = levels_of(FOLDER / "gold.csv")
    computed = dict(zip(tides.names, tides.scores_of(ScoreKey(slug)), strict=True))
    teams = [name for name in predictions if name != "baseline-mean-level"]
    expected = {name: score(gold, predictions[name]) for name in teams}
    assert {name: computed[name] for name in teams} == pytest.approx(expected, abs=1e-12)


def test_the_page_says_who_is_first_by_what(tides, page):
    """And that it is the scale alone that parts them."""
    assert tides.verdict.claim.value == "best"
    assert ".986" in page
    assert [tides.names[team] for team in tides.winners(ScoreKey("pearson"))] == ["Barnacle"]
    assert [tides.names[team] for team in tides.winners(ScoreKey("rmse"))] == ["Anemone"]
    rmse = dict(zip(tides.names, tides.scores_of(ScoreKey("rmse")), strict=True))
    assert f"{rmse['Anemone']:.3f}" in page
    assert f"{rmse['Barnacle']:.3f}" in page
    (metric,) = [each for each in tides.verdict.depends_on if each.choice == "metric"]
    assert metric.state is State.OTHER_SHOWN
    flags = {flag.slug: flag.sentence for flag in tides.flags}
    assert "97% of Barnacle’s squared error" in flags["another-scale"]
    assert "baseline-mean-level" in flags["constant-predictions"]


def test_what_is_constant_has_no_correlation_and_no_rank(tides):
    place = tides.names.index("baseline-mean-level")
    undefined = ("spearman", "pearson", "kendall_tau_b")
    assert all(np.isnan(tides.scores_of(ScoreKey(slug))[place]) for slug in undefined)
    assert tides.scores_of(ScoreKey("ccc"))[place] == 0
    assert not tides.entries[place].competes
