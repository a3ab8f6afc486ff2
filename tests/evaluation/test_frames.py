"""Scores, ranks and correlations come out as DataFrames."""

import numpy as np
import pandas as pd
import pytest

from audit.domain import Prevalence, ScoreKey
from audit.evaluation import evaluate

from .campaigns import AGGREGATES, campaign

SHARES = Prevalence("flat", (("a", 0.5), ("b", 0.5)))


@pytest.fixture(scope="module")
def evaluation():
    """Three teams, two classes in gold, one declared class without gold, a named prevalence."""
    predictions = {"Ada": [0, 0, 1, 1], "Bob": [0, 1, 1, 2], "Eve": [3, 3, 4, 4]}
    return evaluate(campaign([0, 0, 0, 1], predictions, prevalences=(SHARES,)))


@pytest.mark.parametrize("name", ["scores", "ranks"])
def test_a_row_for_each_team_and_a_column_for_each_score(evaluation, name):
    """Teams are the index, which says what it is; columns are written as keys are."""
    frame = getattr(evaluation, name)
    assert isinstance(frame, pd.DataFrame)
    assert frame.shape == (3, 3 * (10 + 3 * 3))
    assert frame.index.name == "team"
    assert frame.index.tolist() == ["Ada", "Bob", "Eve"]
    assert frame.columns.tolist()[:10] == list(AGGREGATES)
    assert frame.columns.is_unique
    assert {"averaged_f1~", "averaged_f1@flat", "recall[a]", "f1[c]~"} <= set(frame.columns)


def test_the_cells_are_the_scores_and_ranks(evaluation):
    """By hand: Ada has 3 of 4 right, Bob 1, Eve none."""
    assert evaluation.scores["accuracy"].tolist() == [0.75, 0.25, 0]
    assert evaluation.ranks["accuracy"].tolist() == [1, 2, 3]
    assert evaluation.scores.loc["Ada", "recall[a]"] == pytest.approx(2 / 3)
    for key in evaluation.keys:
        np.testing.assert_array_equal(evaluation.scores[str(key)], evaluation.scores_of(key))
        np.testing.assert_array_equal(evaluation.ranks[str(key)], evaluation.ranks_of(key))


def test_undefined_is_nan_and_last(evaluation):
    """Of a class without gold nobody has a recall; everybody shares the rank."""
    assert evaluation.scores["recall[c]"].isna().all()
    assert evaluation.ranks["recall[c]"].tolist() == [1, 1, 1]
    assert (
        evaluation.scores.drop(columns=[c for c in evaluation.scores if "[c]" in c])
        .notna()
        .all(axis=None)
    )


def test_ranks_are_whole_numbers(evaluation):
    """And scores are floats."""
    assert set(evaluation.ranks.dtypes) == {np.dtype(np.int64)}
    assert set(evaluation.scores.dtypes) == {np.dtype(np.float64)}


def test_correlations_are_square_with_the_metrics_on_both_sides(evaluation):
    """The ten metrics, the recalls of the classes in gold, and the ten calibrated metrics."""
    frame = evaluation.correlations
    names = [*AGGREGATES, "recall[a]", "recall[b]", *(f"{name}~" for name in AGGREGATES)]
    assert frame.index.tolist() == frame.columns.tolist() == names
    pd.testing.assert_frame_equal(frame, frame.T)
    defined = frame.notna().to_numpy()
    assert np.diagonal(frame)[np.diagonal(defined)].tolist() == pytest.approx(
        [1.0] * np.diagonal(defined).sum()
    )


def test_a_correlation_with_a_constant_metric_is_nan():
    """All teams miss a class, so that geometric macro recall is 0 for all."""
    predictions = {"Ada": [0, 0, 1, 0], "Bob": [0, 1, 2, 0], "Eve": [1, 2, 2, 0]}
    frame = evaluate(campaign([0, 0, 0, 1], predictions)).correlations
    assert frame["geometric_macro_recall"].isna().all()
    assert frame.loc["accuracy", "macro_recall"] == pytest.approx(1)


def test_frames_are_copies(evaluation):
    """Writing into one changes neither the evaluation nor the next."""
    for frame in (evaluation.scores, evaluation.ranks, evaluation.correlations):
        frame.iloc[0, 0] = 9
    assert evaluation.scores_of(ScoreKey("accuracy"))[0] == 0.75
    assert evaluation.ranks.loc["Ada", "accuracy"] == 1
    assert evaluation.correlations.iloc[0, 0] == pytest.approx(1)
