"""A campaign without names is the same campaign: the same runs count, and the board has the same scores and ranks."""

from dataclasses import replace

import numpy as np
import pytest

from audit.domain import (
    Campaign,
    ChosenRun,
    Gold,
    LabelSet,
    Options,
    Policies,
    Role,
    ScoreKey,
    Submission,
    Task,
)
from audit.evaluation import evaluate
from audit.service.stages import without_names

LABELS = LabelSet(("no", "yes"))
RUNS = ("1", "2", "10", "final")


def campaign_of(policies):
    """Three teams with four runs each, of which the last by name is no other's, and a lone one without a run."""
    rng = np.random.default_rng(7)
    gold = (np.arange(60) % 2).astype(np.uint8)

    def submission(team, run, role=Role.PRIMARY):
        return Submission(
            team, np.where(rng.random(60) < 0.3, 1 - gold, gold).astype(np.uint8), run, role=role
        )

    runs = [submission(team, run) for team in ("Ann", "Bob", "Çelik") for run in sorted(RUNS)]
    task = Task(
        "small", "Small", LABELS, ScoreKey("accuracy"), policies=policies, note="Ann came late"
    )
    return Campaign(
        task,
        Gold(LABELS, gold),
        (*runs, submission("Delta", None), submission("Eve", None, Role.BASELINE)),
    )


def board(evaluation):
    """Every entry's score with its rank, whoever it is."""
    key = evaluation.task.ranking_metric
    return sorted(
        zip(evaluation.scores_of(key).tolist(), evaluation.ranks_of(key).tolist(), strict=True)
    )


CHOSEN = (ChosenRun("Bob", "2", "Bob wrote a mail"),)


@pytest.mark.parametrize("salt", ["a", "b"])
@pytest.mark.parametrize("chosen", [(), CHOSEN])
@pytest.mark.parametrize("runs", ["all", "primary", "last", "best"])
def test_the_board_is_the_same(runs, chosen, salt):
    """Also where a run is the last by its number, or was chosen by the organisers."""
    campaign = campaign_of(replace(Policies(), runs=runs, chosen=chosen))
    options = Options(certainty=False)
    named, numbered = (
        evaluate(each, options) for each in (campaign, without_names(campaign, salt))
    )
    assert board(numbered) == board(named)
    assert len(numbered.uncounted) == len(named.uncounted)


def test_no_name_is_left():
    """Of a team, a run, or in a reason; teams have one number in every test set."""
    campaign = campaign_of(replace(Policies(), runs="last", chosen=CHOSEN))
    numbered = without_names(campaign, "a")
    assert {each.team for each in numbered.submissions} == {
        f"Team {number}" for number in range(1, 6)
    }
    assert {each.run for each in numbered.submissions} == {"run 1", "run 2", "run 3", "run 4", None}
    said = repr((numbered.task, [(each.team, each.run) for each in numbered.submissions]))
    assert not [
        name for name in ("Ann", "Bob", "Çelik", "Delta", "Eve", "final", "mail") if name in said
    ]
    fewer = replace(
        campaign_of(Policies()), submissions=campaign.submissions[:3] + campaign.submissions[-2:]
    )
    assert len({each.team for each in without_names(fewer, "a").submissions}) == 3


def test_a_team_has_one_number_in_all_test_sets():
    """Else the page of all test sets would add up the scores of different teams; nor is teams.csv read out."""
    first = campaign_of(Policies())
    about = (("Ann", (("institution", "Ann’s lab"),)),)
    second = replace(
        first,
        task=replace(first.task, about_teams=about),
        submissions=tuple(each for each in first.submissions if each.team != "Bob"),
    )
    teams = {each.team for each in first.submissions}
    codes = {}
    for campaign in (first, second):
        numbered = without_names(campaign, "a", teams)
        assert numbered.task.about_teams == ()
        called = dict(
            zip(
                sorted((each.codes.tobytes(), each.team) for each in campaign.submissions),
                sorted((each.codes.tobytes(), each.team) for each in numbered.submissions),
                strict=True,
            )
        )
        codes[campaign is first] = {team[1]: number[1] for team, number in called.items()}
    assert codes[False].items() <= codes[True].items()
