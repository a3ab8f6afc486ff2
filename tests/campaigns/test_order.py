"""Who is ahead of whom in five campaigns by five metrics: against the order that an independent program found."""

import json

import numpy as np
import pytest

from audit.domain import ScoreKey
from audit.evaluation import score_campaign
from audit.formats.campaign.campaigns import read_campaign
from audit.inference.comparison import Family, compare
from audit.inference.differences import differences
from audit.inference.items import items_of
from audit.resources import samples
from tests.inference.campaigns import largest_of_each
from tests.real_campaigns import folder_of

METRICS = ("averaged_f1", "f1_of_averages", "accuracy", "macro_recall", "macro_precision")
FIXTURES = {
    "semeval2018-task2-emoji-en": "emoji_campaign",
    "semeval2018-task12-arct": "arct_whole_campaign",
    "compstats-six-systems": "compstats_campaign",
}
ALL_PAIRS, OWN = 0.07, 0.16
"""Monte Carlo error of two quantiles of 4,000 draws: of all pairs, and the largest of many teams' own.

At a p of .05 ± .0034 and a density of about .17 each threshold has a standard error of .02, two apart one of .028.
"""
LEVELS = (0.035, 0.065)
"""Of 4,000 draws a p of .05 has a standard error of .0034."""


@pytest.fixture(scope="module")
def order():
    return json.loads(
        (folder_of("statistics-reference") / "order.json").read_text(encoding="utf-8")
    )


@pytest.fixture(scope="module")
def scored(request):
    """Scores and answers of each campaign, once."""
    made = {}

    def of(name):
        if name not in made:
            fixture = FIXTURES.get(name)
            campaign = (
                request.getfixturevalue(fixture) if fixture else read_campaign(samples() / name)
            )
            evaluation = score_campaign(campaign)
            made[name] = (
                evaluation,
                items_of(evaluation, campaign.predictions_of(evaluation.entries)),
            )
        return made[name]

    return of


@pytest.fixture(params=[*FIXTURES, "flood-posts", "semeval2017-task4a"])
def case(request, order, scored):
    """The found order of one campaign by all metrics, its scores and answers."""
    return order[request.param], *scored(request.param)


@pytest.mark.parametrize("metric", METRICS)
def test_the_order_is_the_found_one(case, metric):
    """Scores, who could be best and who is uncertain exactly; pairs but for those whose p is .05, about."""
    found, (evaluation, items) = case[0][metric], case[1:]
    comparison = compare(evaluation, ScoreKey(metric), items, 1)
    teams = [evaluation.names.index(name) for name in found["order"]]
    assert evaluation.scores_of(ScoreKey(metric))[teams] == pytest.approx(found["score"], abs=1e-11)
    assert [
        found["order"][place] for place in np.flatnonzero(comparison.could_be_best[teams])
    ] == found["could_be_best"]
    assert {evaluation.names[team] for team in np.flatnonzero(comparison.uncertain)} == set(
        found["marked"]
    )
    assert comparison.critical_value == pytest.approx(found["first_pair_threshold"], abs=ALL_PAIRS)
    sure, perhaps = (_ahead_at(evaluation, comparison, level) for level in LEVELS)
    assert sure.sum() <= found["n_ahead"] <= perhaps.sum()
    assert sure.sum() <= comparison.ahead.sum() <= perhaps.sum()
    both = found["n_ahead"] + found["n_ahead_given_only"]
    assert both == pytest.approx(comparison.ahead.sum() + comparison.ahead_given.sum(), abs=5)
    first, last = (np.array(found[end]) for end in ("rank_low", "rank_high"))
    for ahead, low, high in (
        (sure, np.less_equal, np.greater_equal),
        (perhaps, np.greater_equal, np.less_equal),
    ):
        outside = np.where(comparison.could_be_best, 1, 2)
        assert low(np.maximum(1 + ahead.sum(axis=0), outside)[teams], first).all()
        assert high(len(teams) - ahead.sum(axis=1)[teams], last).all()


def _ahead_at(evaluation, comparison, level):
    """Who is ahead of whom where pairs are decided at another level than .05."""
    higher = evaluation.scores_of(comparison.key)[:, None] > evaluation.scores_of(comparison.key)
    alone = comparison.could_be_best & (comparison.could_be_best.sum() == 1)
    return higher & ((comparison.adjusted_p <= level) | alone[:, None])


@pytest.mark.parametrize("metric", METRICS)
def test_thresholds_of_each_team_s_own_comparisons_are_the_found_ones(case, metric):
    found, (evaluation, items) = case[0][metric], case[1:]
    key = ScoreKey(metric)
    among = differences(evaluation, key, items)
    family = Family.of(
        evaluation.scores_of(key)[among.teams], among, 1, 0, np.arange(len(among.teams))
    )
    place = {evaluation.names[team]: row for row, team in enumerate(among.teams.tolist())}
    own = np.quantile(largest_of_each(family.draws, among.spread), 0.95, axis=1)[
        [place[name] for name in found["order"]]
    ]
    assert own == pytest.approx(found["row_threshold"], abs=OWN)
    assert own.mean() == pytest.approx(np.mean(found["row_threshold"]), abs=ALL_PAIRS)
