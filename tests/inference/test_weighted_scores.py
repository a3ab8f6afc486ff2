"""Average precision under item weights: against scikit-learn, weight by weight, and against derivatives in weights."""

import numpy as np
import pytest
from scipy.stats import expon, kstest
from sklearn.metrics import average_precision_score

from audit.domain import Campaign, Gold, ItemScores, LabelSet, Prevalence, ScoreKey, Submission, Task
from audit.evaluation import evaluate
from audit.inference import weighted
from audit.inference.differences import differences
from audit.inference.items import items_of
from audit.inference.weighted import N_WEIGHTS, WeightedScores
from audit.metrics import DescendingItems

LABELS = LabelSet(("no", "yes"))


def scored(seed, n_items=200, share=0.3, *, n_teams=3, decimals=2):
    """Scores with ties, those of the class higher."""
    some = np.random.default_rng(seed)
    positive = some.random(n_items) < share
    rows = tuple(np.round(some.normal(size=n_items) + positive * team, decimals) for team in range(n_teams))
    return ItemScores(positive, rows)


@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_each_draw_is_what_scikit_learn_says_of_its_weights(decimals):
    """With many ties and few; at another mass of the class the weights of each class are scaled to it."""
    some, given = np.random.default_rng(1), scored(2, decimals=decimals)
    weights = some.integers(1, 100, (4, 200)).astype(float)
    for row in given.rows:
        items = DescendingItems.of(row, given.positive)
        observed, balanced = items.average_precision(weights, [None, 0.5])
        for draw, each in enumerate(weights):
            mass = np.where(given.positive, each[given.positive].sum(), each[~given.positive].sum())
            expected = [average_precision_score(given.positive, row, sample_weight=w) for w in (each, each / mass)]
            assert [observed[draw], balanced[draw]] == pytest.approx(expected, abs=1e-12)


def test_weights_are_exponential_and_shared_and_of_whole_groups():
    """Whole numbers above 0; every item of a group has that of the group."""
    given = scored(3, 400)
    weighted = WeightedScores(given, {"observed": None}, 5)
    weights = weighted._weights(slice(0, 20), np.arange(400))
    assert kstest(weights.ravel() / 2**16, expon.cdf).pvalue > 0.01
    assert (weights >= 1).all()
    assert (weights == np.rint(weights)).all()
    groups = np.arange(400) % 7
    grouped = weighted._weights(slice(0, 3), groups)
    assert [np.unique(grouped[draw][groups == 4]).size for draw in range(3)] == [1, 1, 1]
    twins = WeightedScores(ItemScores(given.positive, (given.rows[1], given.rows[1] * 2)), {"observed": None}, 5)
    first, second = twins.deviations("observed", grouped=False)
    assert np.array_equal(first, second)


def test_blocks_decide_nothing_and_the_seed_does(monkeypatch):
    """The same to the last bit, whoever computes how many draws at once."""
    given = scored(4, 150)
    whole = WeightedScores(given, {"observed": None, "balanced": 0.5}, 1)
    expected = [whole.deviations(name, grouped=False) for name in ("observed", "balanced")]
    monkeypatch.setattr(weighted, "_VALUES", 777)
    cut = WeightedScores(given, {"observed": None, "balanced": 0.5}, 1)
    assert np.array_equal(expected, [cut.deviations(name, grouped=False) for name in ("observed", "balanced")])
    other = WeightedScores(given, {"observed": None}, 2).deviations("observed", grouped=False)
    assert not np.array_equal(expected[0], other)


def test_the_variance_is_that_of_a_small_change_of_each_weight():
    """The infinitesimal jackknife, by differences of the score; of one score, and of two scores together."""
    given = scored(5, 600, decimals=8)
    found = WeightedScores(given, {"observed": None}, 1).deviations("observed", grouped=False)[1:]
    many = 10_000.0
    moved = [np.full((600, 600), many) + sign * np.eye(600) for sign in (1, -1)]
    ends = [
        [DescendingItems.of(row, given.positive).average_precision(weights, [None])[0] for row in given.rows[1:]]
        for weights in moved
    ]
    slopes = np.subtract(*np.array(ends)) / 2 * many
    assert (found**2).sum(axis=1) == pytest.approx((slopes**2).sum(axis=1), rel=0.15)
    spread = [each.std() * np.sqrt(each.size) for each in (found[0] - found[1], slopes[0] - slopes[1])]
    assert spread[0] == pytest.approx(spread[1], rel=0.1)


def made(given, **gold):
    """A campaign of teams with these scores."""
    task = Task("t", "T", LABELS, official_metric=ScoreKey("average_precision"), scored_label="yes")
    teams = tuple(
        Submission(f"T{place}", given.positive.astype(np.uint8), scores=row) for place, row in enumerate(given.rows)
    )
    return Campaign(task, Gold(LABELS, given.positive.astype(np.uint8), **gold), teams)


def test_intervals_and_decisions_follow_from_the_draws():
    """A team that is far better is separably ahead, and the only one that could be best; nobody is left unmarked."""
    campaign = made(scored(6, 400, n_teams=4))
    evaluation = evaluate(campaign)
    key = ScoreKey("average_precision")
    comparison, intervals = evaluation.comparison("average_precision"), evaluation.certainty.intervals
    assert comparison.ahead[3, :3].all()
    assert comparison.contenders == (3,)
    assert comparison.leader_interval[0] < evaluation.scores_of(key)[3] < comparison.leader_interval[1]
    row, scores = evaluation.keys.index(key), evaluation.scores_of(key)
    items = items_of(evaluation, campaign.predictions_of(evaluation.entries))
    drawn = items.weighted.deviations("observed", grouped=False)
    n_positive = campaign.submissions[0].codes.sum()
    spread = scores * (1 - scores)
    n_items = np.minimum(spread / (drawn**2).sum(axis=1), n_positive)
    middle = (scores + 1.959964**2 / n_items / 2) / (1 + 1.959964**2 / n_items)
    assert (intervals.lower[row] + intervals.upper[row]) / 2 == pytest.approx(middle, abs=1e-6)
    errors = differences(evaluation, key, items).error
    null = (scores[0] - scores[1]) ** 2 * (1 / n_positive + 1 / (400 - n_positive))
    assert errors[0, 1] ** 2 == pytest.approx(((drawn[0] - drawn[1]) ** 2).sum() + null)
    assert drawn.shape == (4, N_WEIGHTS)


def test_masses_are_fixed_by_design_and_by_a_prevalence():
    """By design the share of the class stays; at a named prevalence it is the named one."""
    given = scored(7)
    campaign = made(given, stratified=True)
    rare = Prevalence("rare", (("no", 0.9), ("yes", 0.1)))
    task = Task("t", "T", LABELS, prevalences=(rare,), scored_label="yes")
    evaluation = evaluate(Campaign(task, campaign.gold, campaign.submissions))
    shares = WeightedScores.of(evaluation).shares
    assert shares == pytest.approx({"observed": given.positive.mean(), "balanced": 0.5, "rare": 0.1})
    free = evaluate(made(given))
    assert WeightedScores.of(free).shares["observed"] is None
    assert WeightedScores.of(evaluate(Campaign(Task("t", "T", LABELS), campaign.gold, campaign.submissions))) is None


def test_a_perfect_order_has_the_interval_of_as_many_right_answers():
    """As many as the class has items; a team without scores has none, and no draw."""
    positive = np.arange(60) < 20
    rows = (positive * 1.0, np.sin(np.arange(60)))
    campaign = made(ItemScores(positive, rows))
    without = Submission("Z", positive.astype(np.uint8))
    evaluation = evaluate(Campaign(campaign.task, campaign.gold, (*campaign.submissions, without)))
    row = evaluation.keys.index(ScoreKey("average_precision"))
    intervals = evaluation.certainty.intervals
    assert intervals.lower[row, 0] == pytest.approx(1 / (1 + 1.959964**2 / 20), abs=1e-6)
    assert np.isnan(intervals.lower[row, 2])
    assert np.isnan(WeightedScores.of(evaluation).deviations("observed", grouped=False)[2]).all()


def test_at_another_prevalence_it_is_as_unsure_as_the_rarer_class():
    """A perfect order of few items of the other class, which count for half there."""
    positive = np.arange(60) < 50
    evaluation = evaluate(made(ItemScores(positive, (positive * 1.0, np.sin(np.arange(60))))))
    lower = evaluation.certainty.intervals.lower
    for prevalence, n_items in (("observed", 50), ("balanced", 10)):
        row = evaluation.keys.index(ScoreKey("average_precision", prevalence))
        assert lower[row, 0] == pytest.approx(1 / (1 + 1.959964**2 / n_items), abs=1e-6)
