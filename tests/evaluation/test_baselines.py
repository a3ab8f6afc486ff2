"""The built-in baselines of a campaign: a score for every key, and the oracle of the best teams."""

from dataclasses import replace

import numpy as np
import pytest

from audit.domain import Policies, Role, ScoreKey
from audit.evaluation import evaluate

from .campaigns import campaign, submission

GOLD = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
TEAMS = {
    "A/1": [0, 0, 0, 0, 1, 1, 1, 0, 0, 0],  # 7
    "A/2": [0, 0, 0, 0, 1, 1, 0, 0, 0, 0],  # 6
    "B": [1, 1, 0, 0, 0, 1, 1, 2, 0, 0],  # 5
    "C": [1, 1, 1, 0, 0, 0, 1, 2, 2, 0],  # 4
    "D": [1, 1, 1, 1, 0, 0, 0, 2, 2, 2],  # 3, and all that nobody else has right
}


def made(teams=TEAMS, roles=None, **settings):
    empty = campaign(GOLD, {}, official_metric=ScoreKey("accuracy"), **settings)
    roles = roles or {}
    runs = (
        submission(name, codes, empty.task.label_set, role=roles.get(name, Role.PRIMARY))
        for name, codes in teams.items()
    )
    return replace(empty, submissions=tuple(runs))


def oracle_of(evaluation):
    (found,) = [baseline for baseline in evaluation.baselines if baseline.slug == "oracle"]
    return found


def test_every_baseline_has_every_score():
    """In the order of the keys."""
    evaluation = evaluate(made(), also=["averaged_f1[a,b]"])
    assert [baseline.slug for baseline in evaluation.baselines] == [
        "majority",
        "uniform",
        "prevalence",
        "oracle",
    ]
    for baseline in evaluation.baselines:
        assert baseline.values.shape == baseline.standard_errors.shape == (len(evaluation.keys),)
        assert baseline.title
    accuracy = evaluation.keys.index(ScoreKey("accuracy"))
    assert [baseline.values[accuracy] for baseline in evaluation.baselines] == pytest.approx(
        [0.4, 1 / 3, 0.34, 0.9]
    )


def test_the_oracle_chooses_between_the_best_runs_of_the_best_teams():
    """One run a team: the second of A has no say, and D is fourth."""
    evaluation = evaluate(made())
    found = oracle_of(evaluation)
    assert found.explanation.endswith("Here: A/1, B and C.")
    assert not found.standard_errors.any()
    union = np.logical_or.reduce([np.array(TEAMS[name]) == GOLD for name in ("A/1", "B", "C")])
    assert found.values[evaluation.keys.index(ScoreKey("accuracy"))] == union.mean()


@pytest.mark.parametrize("how", ["a baseline", "dropped items"])
def test_only_comparable_teams_are_in_the_oracle(how):
    """Not a baseline that is ahead, nor one who dropped items: D takes its place."""
    if how == "a baseline":
        evaluation = evaluate(made(roles={"B": Role.BASELINE}))
    else:
        teams = {**TEAMS, "B": [1, 1, 0, 0, 0, 1, 1, 2, 3, 3]}
        evaluation = evaluate(made(teams, policies=Policies(missing="drop")))
    assert oracle_of(evaluation).explanation.endswith("Here: A/1, C and D.")


def test_two_teams_have_no_oracle_of_three():
    """It would be another one."""
    evaluation = evaluate(made({name: TEAMS[name] for name in ("A/1", "A/2", "B")}))
    assert [baseline.slug for baseline in evaluation.baselines] == [
        "majority",
        "uniform",
        "prevalence",
    ]


def test_an_oracle_is_as_good_as_each_of_its_teams_in_accuracy_and_recall():
    """It is right wherever one of them is."""
    evaluation = evaluate(made())
    for key in evaluation.keys:
        if key.metric.startswith(("accuracy", "recall", "macro_recall")):
            best = np.nanmax(evaluation.scores_of(key)[[0, 2, 3]])
            assert oracle_of(evaluation).values[evaluation.keys.index(key)] >= best
