"""Teams compared over groups of items: by labels, by labels on a scale, by sets; and two of them alone."""

from dataclasses import replace

import numpy as np
import pytest

import audit
from audit.domain import ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.inference.comparison import Family
from audit.inference.sources import UnitSource
from audit.resources import samples


def on_a_scale(n_groups=14, size=12):
    """Four teams on labels from 1 to 4, each further from gold than the one before."""
    rng = np.random.default_rng(3)
    gold = rng.integers(1, 5, n_groups * size)
    teams = {}
    for place, name in enumerate(("Ann", "Ben", "Cem", "Dee")):
        noise = rng.integers(-1, 2, gold.size) * (rng.random(gold.size) < 0.12 + 0.16 * place)
        teams[name] = list(map(str, np.clip(gold + noise, 1, 4)))
    groups = [f"document {place // size}" for place in range(gold.size)]
    return list(map(str, gold)), teams, groups


def assert_p_decides(comparison):
    """A printed p is at most .05 exactly where the team of the row is ahead, or the other is."""
    is_ahead = comparison.ahead | comparison.ahead.T
    pairs = ~np.eye(len(is_ahead), dtype=bool)
    np.testing.assert_array_equal((comparison.adjusted_p <= 0.05)[pairs], is_ahead[pairs])


@pytest.mark.parametrize(
    "metric",
    [
        "quadratic_kappa",
        "mae",
        "cem",
        "averaged_f1",
        "macro_precision",
        "mean(accuracy,quadratic_kappa)",
    ],
)
def test_the_p_of_every_metric_decides_over_groups(metric):
    """Of scores of cells, of classes, and of a mean of both."""
    gold, teams, groups = on_a_scale()
    evaluation = audit.evaluate(
        gold, teams, labels=list("1234"), scale=True, groups=groups, official_metric=metric
    )
    comparison = (
        evaluation.certainty.comparison(ScoreKey(metric)) or evaluation.certainty.comparisons[0]
    )
    assert_p_decides(comparison)
    assert comparison.ahead.any()


def test_two_teams_that_were_fixed_beforehand_have_an_interval_over_groups():
    """It holds the difference; one that is alone in the campaign has none."""
    gold, teams, groups = on_a_scale()
    evaluation = audit.evaluate(gold, teams, groups=groups, official_metric="accuracy")
    pair = evaluation.compare("Ann", "Dee")
    lower, upper = pair.interval_alone
    assert lower <= pair.difference <= upper
    assert lower > 0


@pytest.mark.parametrize("metric", ["averaged_f1", "micro_f1", "example_f1"])
def test_sets_are_compared_by_classes_and_by_units(metric):
    """The p of the printed pairs decides there, too."""
    campaign = read_campaign(samples() / "harbour-messages")
    # things by themselves, which have no units
    alone = replace(campaign, gold=replace(campaign.gold, groups=None))
    task = replace(campaign.task, official_metric=ScoreKey(metric))
    for each in (campaign,) if metric == "example_f1" else (campaign, alone):
        comparison = evaluate(replace(each, task=task)).certainty.comparisons[0]
        assert comparison.key == task.official_metric
        assert comparison.ahead.any()
        assert (comparison.adjusted_p[comparison.ahead] <= 0.05).all()


def test_what_stands_beside_the_best_is_left_to_the_pairs(monkeypatch):
    """Where others stay in the confidence set, the comparison with the best decides no pair."""
    families = []
    deciding = Family.deciding

    def kept(family, relation):
        families.append((family, relation))
        return deciding(family, relation)

    monkeypatch.setattr(Family, "deciding", kept)
    gold, teams, groups = on_a_scale()
    assert_p_decides(
        audit.evaluate(gold, teams, groups=groups, official_metric="accuracy").comparison(
            "accuracy"
        )
    )
    family, relation = families[0]
    assert family.own_critical_value(1) > 1
    widened = replace(relation, could_be_best=np.ones_like(relation.could_be_best))
    p, by_best = deciding(family, widened)
    assert not by_best.any()
    np.testing.assert_array_equal(p, family.adjusted_p)


def test_two_teams_of_which_the_first_is_ahead_need_no_other():
    """The comparison with the best is over every rival."""
    gold, teams, groups = on_a_scale()
    two = {name: teams[name] for name in ("Ann", "Dee")}
    evaluation = audit.evaluate(gold, two, groups=groups, official_metric="accuracy")
    assert_p_decides(evaluation.comparison("accuracy"))


def test_the_null_variance_of_a_mean_over_units_is_its_square_over_them():
    """For every pair of teams, from the scores alone."""
    campaign = read_campaign(samples() / "harbour-messages")
    key, teams = ScoreKey("example_f1"), np.arange(3)
    evaluation = evaluate(replace(campaign, task=replace(campaign.task, official_metric=key)))
    source = UnitSource.of(evaluation, key, teams)
    scores = evaluation.scores_of(key)[teams]
    np.testing.assert_allclose(
        source.null_variance(),
        (scores[:, None] - scores) ** 2 / evaluation.gold.n_units,
        atol=1e-12,
    )
