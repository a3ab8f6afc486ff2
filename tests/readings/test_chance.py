"""What many readings give by chance: invented tables are not identified, and real ones are."""

import numpy as np
import pytest

from audit.domain import PrintedScore, Published, PublishedColumn
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.readings import identify
from audit.readings.printed import LEVEL, chance_of
from audit.readings.tried_readings import TriedReadings
from audit.resources import samples
from tests.nightly import by_day, whole_or

SOME = np.random.default_rng(20260501)


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(read_campaign(samples() / "flood-posts"))


def column(values, decimals=3, heading="Macro-F1"):
    units = [round(value * 10**decimals) for value in values]
    return PublishedColumn(
        heading, tuple(PrintedScore(f".{unit:03}", unit, decimals) for unit in units)
    )


def identified(evaluation, names, *columns):
    return identify(evaluation, Published("t.csv", tuple(names), columns)).columns


def invented(evaluation, n_teams, n_true):
    """Scores among those of the readings, of which some are macro-averaged F1."""
    entries = SOME.choice(len(evaluation.names), n_teams, replace=False).tolist()
    values = SOME.uniform(0.6, 0.8, n_teams)
    values[:n_true] = evaluation.scores["averaged_f1"].to_numpy()[entries[:n_true]]
    return [evaluation.names[entry] for entry in entries], values


def test_no_reading_is_recommended_for_three_scores_of_which_two_are_invented(evaluation):
    """Whatever the heading says, no metric is named and no correction asked for; the matches stand beside chance."""
    names, _ = invented(evaluation, 3, 0)
    true = evaluation.scores.loc[names[0], "averaged_f1"]
    columns = [column([true, *SOME.uniform(0.6, 0.8, 2)]) for _ in range(whole_or(10, 40))]
    for found in identified(evaluation, names, *columns):
        assert not found.beats_chance
        assert found.heading_says == "cannot tell"
        assert found.matches[0].n_matched in (1, 2)
        assert found.sentences[0].startswith("No reading fits “Macro-F1”: the best, ")
        assert found.sentences[-1].endswith("these matches say nothing of what the column holds.")


@pytest.mark.parametrize("n_teams", [1, 2, 3, 5, 8, 11])
@by_day(3)
def test_invented_columns_are_told_no_more_often_than_stated(evaluation, n_teams):
    """Invented scores as they are modelled: any number among those of the readings."""
    n_drawn = whole_or(20, 40)
    columns = [column(invented(evaluation, n_teams, 0)[1], heading=f"c{n}") for n in range(n_drawn)]
    names = invented(evaluation, n_teams, 0)[0]
    n_told = sum(found.beats_chance for found in identified(evaluation, names, *columns))
    assert n_told <= max(1, 2 * LEVEL * n_drawn)


@pytest.mark.parametrize("n_teams", [3, 5, 11])
def test_true_columns_are_told(evaluation, n_teams):
    """Every score of the column is that of its reading; one that is not, among five, leaves the others told."""
    names, values = invented(evaluation, n_teams, n_teams)
    (found,) = identified(evaluation, names, column(values))
    assert (found.beats_chance, found.is_exact, found.heading_says) == (True, True, "leaves open")
    values[0] += 0.05
    (found,) = identified(evaluation, names, column(values))
    assert found.beats_chance == (n_teams >= 5)
    assert not found.is_exact


def test_the_bound_is_that_of_a_simulation():
    """Independent readings of scores that are uniform: the share of columns with more matches is at most 5%."""
    n_readings, n_teams = 60, 6
    scores = SOME.random((n_readings, n_teams))
    printed = [PrintedScore(".50", 50, 2)] * n_teams
    most = chance_of(printed, scores, ["accuracy"] * n_readings).of_invented
    units = np.floor(scores * 100 + 0.5)
    drawn = np.floor(SOME.random((4000, n_teams)) * 100 + 0.5)
    matched = (drawn[:, None] == units).sum(axis=-1).max(axis=1)
    assert (matched > most).mean() <= LEVEL
    assert (matched > most - 1).mean() > LEVEL / 4  # and the bound is not empty


def test_one_number_that_every_reading_gives_is_no_evidence():
    """As the score of a perfect team."""
    assert chance_of([PrintedScore("1.0", 10, 1)] * 3, np.ones((5, 3)), "abcde").of_invented == 3
    assert (
        chance_of([PrintedScore("1.0", 10, 1)], np.full((5, 1), np.nan), "abcde").of_invented == 1
    )


def test_readings_of_other_metrics_that_print_alike_are_counted():
    """Of four readings, a and b print as .71 and .64, two of a as well: 1, 1, 2 and 0 others, by hand."""
    scores = np.array([[0.712, 0.641], [0.708, 0.638], [0.714, 0.644], [0.5, 0.5]])
    printed = [PrintedScore(".71", 71, 2), PrintedScore(".64", 64, 2)]
    chance = chance_of(printed, scores, ["a", "a", "b", "c"])
    assert (chance.n_others, chance.share_of_others, chance.n_digits) == (1.0, 0.75, 4)


@pytest.mark.parametrize("n_scores", [2, 3])
def test_three_scores_of_two_decimals_never_make_a_certainty(evaluation, n_scores):
    """Whatever reading they are of: they could be of it, and it is said how many readings fit."""
    for heading, slug in (("Macro-F1", "averaged_f1"), ("Acc", "accuracy"), ("kappa", "kappa")):
        names = evaluation.names[:n_scores]
        values = evaluation.scores.loc[list(names), slug].to_numpy()
        (found,) = identified(evaluation, names, column(values, 2, heading))
        assert (found.is_exact, found.beats_chance, found.is_undecided) == (True, False, True)
        assert not found.is_unexplained
        assert found.heading_says == "cannot tell"
        assert " could be " in found.sentences[0]
        assert found.sentences[1].startswith(
            f"{n_scores} scores of 2 decimals have too few digits to tell: "
        )


def test_another_metric_gives_all_of_few_digits_as_often_as_is_said(evaluation):
    """A simulation: a reading's numbers are printed, its metric is not tried, and the others that fit are counted."""
    tried = TriedReadings.of(evaluation, [])
    metrics = np.array([tried.readings[group[0]].slug for group in tried.groups])
    scores = tried.scores[[group[0] for group in tried.groups]][:, :3]
    drawn = SOME.choice(np.flatnonzero(~np.isnan(scores).any(axis=1)), 200)
    n_fitting = []
    for reading in drawn.tolist():
        printed = [PrintedScore(f"{value:.2f}", round(value * 100), 2) for value in scores[reading]]
        others = scores[metrics != metrics[reading]]
        n_fitting.append(
            (np.rint(others * 100) == [each.units for each in printed]).all(axis=1).sum()
        )
    said = chance_of([PrintedScore(".50", 50, 2)] * 3, scores, metrics.tolist())
    assert np.mean(n_fitting) == pytest.approx(
        said.n_others, abs=4 * np.std(n_fitting) / np.sqrt(len(drawn))
    )
    assert np.mean(np.array(n_fitting) > 0) == pytest.approx(said.share_of_others, abs=0.15)
    assert said.share_of_others > LEVEL
