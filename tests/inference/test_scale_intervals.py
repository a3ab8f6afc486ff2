"""Intervals of scores on a scale: their pseudo-items, what they hold in simulation, and where there is none."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from audit.domain import MARKS, OBSERVED, Cells, LabelSet, Mark, ScoreKey
from audit.inference.intervals import intervals_of
from audit.inference.label_intervals import Scored
from audit.inference.smoothing import SmoothedScale
from audit.metrics import SCALE_METRICS, score

FIVE = LabelSet(tuple("01234"), scale=(0.0, 1.0, 2.0, 3.0, 4.0))
CUTS = ("kappa[0|1234]", "averaged_f1[0123|4]", "f1_of_averages[012|34]")
GOLD = np.array([0.35, 0.25, 0.2, 0.12, 0.08])


def intervals(confusions, names):
    keys = [ScoreKey(name) for name in names]
    values = score(confusions, keys, [OBSERVED], FIVE)
    return values, intervals_of(Scored(Cells.of(confusions), keys, values, [OBSERVED], FIVE))


def test_wrong_pseudo_items_are_next_on_the_scale():
    """Half of them right; a quarter of each class's missed, a quarter false alarms of neighbours that gold has."""
    confusions = np.zeros((1, 5, 6), dtype=int)
    confusions[0, [0, 1, 3], [0, 1, 3]] = 10, 20, 40
    confusions[0, 1, 4] = 5
    smoothed = SmoothedScale.of(Cells.of(confusions))
    added = smoothed.confusion[0] - confusions[0]
    inverse = np.array([1 / 10, 1 / 25, 0, 1 / 40])
    pseudo = 1 + 4 * inverse / inverse.sum()
    missed, alarms = pseudo / 4, pseudo / 4
    expected = np.zeros((5, 6))
    expected[0, 0], expected[1, 1], expected[3, 3] = pseudo[[0, 1, 3]] / 2
    expected[0, 1], expected[1, [0, 2]], expected[3, [2, 4]] = (
        missed[0],
        missed[1] / 2,
        missed[3] / 2,
    )
    expected[1, 0] += alarms[0]
    # of the other neighbour gold has nothing, and so of both of label 3
    expected[0, 1] += alarms[1]
    assert added == pytest.approx(expected)
    margins = smoothed.margins()
    assert margins.prevalence[0] == pytest.approx(confusions[0].sum(axis=1))


@pytest.mark.parametrize("strength", [0.7, 1.5, 4.0])
def test_intervals_hold_in_simulation(strength):
    """95% of them, of 400 test sets of 300 items, with unanswered ones: errors are the rarer, the farther they are."""
    codes = np.arange(5)
    answers = np.exp(-strength * np.abs(np.subtract.outer(codes, codes)))
    answers *= 0.97 / answers.sum(axis=1, keepdims=True)
    population = GOLD[:, None] * np.concatenate([answers, np.full((5, 1), 0.03)], axis=1)
    drawn = np.random.default_rng(3).multinomial(300, population.ravel(), 400).reshape(400, 5, 6)
    names = [*SCALE_METRICS, *CUTS]
    truth = score(population[None] * 1e7, [ScoreKey(name) for name in names], [OBSERVED], FIVE)
    _, found = intervals(drawn, names)
    holds = (found.lower <= truth) & (truth <= found.upper)
    coverage = dict(
        zip(names, np.nanmean(np.where(np.isnan(found.lower), np.nan, holds), axis=1), strict=True)
    )
    assert min(coverage.values()) > 0.915, coverage  # 95% less three standard errors of 400
    assert max(coverage.values()) < 0.995, coverage


def test_the_share_within_one_step_has_wilsons_interval():
    confusions = np.zeros((1, 5, 6), dtype=int)
    confusions[0, :, 0] = 8, 6, 4, 3, 2
    _, found = intervals(confusions, ["within_one"])
    lower, upper = proportion_confint(14, 23, method="wilson")
    assert (found.lower[0, 0], found.upper[0, 0]) == pytest.approx((lower, upper))


def test_a_half_with_few_answers_has_a_mark_and_no_interval():
    """By accuracy of the halves, which is a share, it has one; so has a score of the whole scale."""
    confusions = np.zeros((2, 5, 6), dtype=int)
    confusions[:, range(5), range(5)] = 30
    confusions[0, 4, 4], confusions[0, 4, 3] = 3, 27
    names = ["kappa[0123|4]", "mean(kappa[0123|4],kappa)", "accuracy[0123|4]", "quadratic_kappa"]
    _, found = intervals(confusions, names)
    assert [MARKS[code] for code in found.marks[:, 0]] == [
        Mark.FEW_ANSWERS,
        Mark.FEW_ANSWERS,
        Mark.NONE,
        Mark.NONE,
    ]
    assert np.isnan(found.lower[:, 0]).tolist() == [True, True, False, False]
    assert not np.isnan(found.lower[:, 1]).any()


def test_what_always_answers_with_one_label_has_an_interval():
    """Its weighted kappa is 0 by construction, and need not be."""
    confusions = np.zeros((1, 5, 6), dtype=int)
    confusions[0, :, 2] = 70, 50, 40, 24, 16
    values, found = intervals(confusions, ["linear_kappa", "ordinal_alpha", "mae", "tau_b"])
    assert np.isnan(values[3, 0])
    assert np.isnan(found.lower[3, 0])
    assert (found.lower[:3, 0] < values[:3, 0]).all()
    assert (values[:3, 0] < found.upper[:3, 0]).all()
