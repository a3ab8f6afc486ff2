"""Two real campaigns against an independent program: intervals and errors to rounding, draws to Monte Carlo error."""

from itertools import product

import numpy as np
import pytest

from audit.domain import ScoreKey
from audit.inference import comparison as module
from audit.inference import gaussian, label_source
from audit.inference.comparison import compare
from audit.inference.intervals import intervals_of, scored_of
from tests.nightly import slow

CAMPAIGNS = pytest.mark.parametrize("name", ["emoji", "arct"])
SCORES = (
    "accuracy",
    "macro_recall",
    "averaged_f1",
    "f1_of_averages",
    "mcc",
    "averaged_f1~",
    "f1_of_averages~",
)
SLOW = {("emoji", "macro_recall"), ("emoji", "f1_of_averages"), ("emoji", "mcc")}
CASES = pytest.mark.parametrize(
    ("name", "score"),
    [
        pytest.param(
            *case,
            marks=[slow("the same test by macro-averaged F1, and of arct by this score")]
            * (case in SLOW),
        )
        for case in product(("emoji", "arct"), SCORES)
    ],
)
N_DRAWS = 20_000
"""As many as they drew, so that decisions differ by little."""
CRITICAL_ERROR = 0.05
"""Of the difference of two 95% quantiles of the largest of many pairs: four standard errors."""


@pytest.fixture(scope="module")
def comparisons():
    """Those that were made, by campaign and score."""
    return {}


@pytest.fixture
def case(request, monkeypatch, comparisons, name, score):
    """What was found of all pairs by one score, and what is found here without what few answers leave open.

    The other program leaves that out.
    """
    found, evaluation, items = request.getfixturevalue(name)
    if (name, score) not in comparisons:
        monkeypatch.setattr(label_source, "_FEW_ANSWERS", 0)
        monkeypatch.setattr(
            module, "draw", lambda covariance, seed, *_: gaussian.draw(covariance, seed, N_DRAWS)
        )
        key = next(key for key in evaluation.keys if str(key) == score)
        comparisons[name, score] = compare(evaluation, key, items, 1)
    return found["pairs"][score], evaluation, comparisons[name, score]


def by_team(evaluation, of_team):
    """Rows in the order of the entries."""
    return np.array([of_team[team] for team in evaluation.names])


@CAMPAIGNS
def test_intervals_agree(request, name):
    """Of all fifteen scores: the score and both ends, of every team, to the sixth decimal."""
    found, evaluation, _ = request.getfixturevalue(name)
    intervals = intervals_of(scored_of(evaluation))
    assert len(found["intervals"]) == 15
    for row, key in enumerate(evaluation.keys):
        if str(key) in found["intervals"]:
            expected = by_team(
                evaluation, dict(zip(found["teams"], found["intervals"][str(key)], strict=True))
            )
            unmarked = (evaluation.cells.answers[:, :-1] >= 5).all(axis=-1) & (
                intervals.marks[row] == 0
            )
            ours = np.stack(
                [evaluation.values[row], intervals.lower[row], intervals.upper[row]], axis=-1
            )
            assert ours[unmarked] == pytest.approx(expected[unmarked], abs=1e-6), key
            assert ours[:, 0] == pytest.approx(expected[:, 0], abs=1e-6), key


@CAMPAIGNS
def test_no_interval_is_missing_but_of_products_of_recalls(request, name):
    """And few of these: of teams that hit some class of many too seldom."""
    _, evaluation, _ = request.getfixturevalue(name)
    intervals = intervals_of(scored_of(evaluation))
    missing = np.isnan(intervals.lower)
    metrics = {evaluation.keys[row].metric for row in np.flatnonzero(missing.any(axis=1))}
    assert metrics <= {"geometric_macro_recall", "harmonic_macro_recall"}
    assert missing.mean() < 0.05


def test_teams_that_seldom_predict_a_class_have_an_interval_of_the_usual_width(emoji):
    """By macro-averaged F1, where a class hardly predicted goes to 0: .006 beside .008, from another program."""
    _, evaluation, _ = emoji
    intervals, row = (
        intervals_of(scored_of(evaluation)),
        evaluation.keys.index(ScoreKey("averaged_f1")),
    )
    widths, seldom = (
        intervals.upper[row] - intervals.lower[row],
        (evaluation.cells.answers[:, :-1] < 5).any(axis=-1),
    )
    assert seldom.sum() == 11
    assert widths[seldom].mean() == pytest.approx(0.006, abs=0.0006)
    assert widths[~seldom].mean() == pytest.approx(0.008, abs=0.0006)


@CASES
def test_errors_of_the_leader_s_differences_agree(case):
    """To the last digit that is given."""
    expected, evaluation, comparison = case
    assert evaluation.names[comparison.leader] == expected["leader"]
    for team, error in expected["se_leader_against"].items():
        ours = comparison.standard_error[comparison.leader, evaluation.entry_number(team)]
        assert ours == pytest.approx(error, abs=6e-8), team


@CASES
def test_critical_values_agree(case):
    """Up to what other draws may change; decisions are held against a later program's, in tests/campaigns."""
    expected, _, comparison = case
    assert comparison.critical_value == pytest.approx(
        expected["critical_value"], abs=CRITICAL_ERROR
    )


@CASES
def test_the_leader_s_interval_agrees(case):
    """Its upper end to rounding; the corrected lower end up to Monte Carlo error of the quantile."""
    expected, evaluation, comparison = case
    lower, upper = expected["leader_interval"]
    width = upper - lower
    assert comparison.leader_interval[1] == pytest.approx(upper, abs=6e-6)
    assert comparison.leader_interval[0] == pytest.approx(lower, abs=0.02 * width)
    assert evaluation.scores_of(comparison.key)[comparison.leader] > comparison.leader_interval[0]


@pytest.mark.parametrize("score", ["averaged_f1", "f1_of_averages"])
def test_few_answers_of_a_class_take_decisions_away_and_add_none(emoji, monkeypatch, score):
    """Of pairs with one of the few teams that give some answer one to nine times; the best set stays."""
    _, evaluation, items = emoji
    own = compare(evaluation, ScoreKey(score), items, 1)
    monkeypatch.setattr(label_source, "_FEW_ANSWERS", 0)
    without = compare(evaluation, ScoreKey(score), items, 1)
    answers = evaluation.confusions[..., :-1].sum(axis=1)
    rare = ((answers > 0) & (answers < 10)).any(axis=1)
    changed = own.ahead != without.ahead
    assert 0 < rare.sum() < len(rare) / 3
    assert not (own.ahead & ~without.ahead).any()
    often = np.ix_(~rare, ~rare)
    np.testing.assert_array_equal(own.standard_error[often], without.standard_error[often])
    assert changed.sum() <= 0.05 * own.ahead.sum()
    assert own.contenders == without.contenders
    assert (own.standard_error >= without.standard_error).all()
