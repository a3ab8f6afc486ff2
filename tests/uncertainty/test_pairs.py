"""Single comparisons, comparisons on request, and the delta method by groups."""

from dataclasses import replace

import numpy as np
import pytest

from audit.domain import Campaign, Gold, LabelSet, Resampling, Role, ScoreKey, Submission, Task, code_dtype
from audit.errors import MetricNameError, UsageError
from audit.evaluation import evaluate, predictions_of, score_campaign
from audit.ranking import Draws, Sample, compare_pair, covariance, pairwise_p, standard_errors

from .campaigns import AGGREGATE_KEYS, bits, noisy, replicates, rows, scored

AVERAGED, MCC = ScoreKey("averaged_f1"), ScoreKey("mcc")
N_CLASSES = 3


def made(*, groups=None, n_replicates=300, roles=(), n_items=300, **settings):
    """Five teams, two of them label-identical, one with a class wholly right; perhaps in groups."""
    rng = np.random.default_rng(31)
    gold = rng.choice(N_CLASSES, n_items, p=[0.6, 0.3, 0.1])
    teams = noisy(rng, gold, N_CLASSES, [0.8, 0.77, 0.7, 0.5])
    teams[1][gold == 2] = 2
    labels, dtype = LabelSet(("a", "b", "c")), code_dtype(N_CLASSES)
    named = dict(zip("ABCDE", [*teams, teams[2]], strict=True))
    roles = dict(roles)
    submissions = (
        Submission(name, codes.astype(dtype), role=roles.get(name, Role.PRIMARY)) for name, codes in named.items()
    )
    task = Task("t", "T", labels, resampling=Resampling(n_replicates), **settings)
    return Campaign(task, Gold(labels, gold.astype(dtype), groups=groups), tuple(submissions))


def pair(campaign, first, second, key=AVERAGED, *, evaluation=None):
    evaluation = evaluation or evaluate(campaign)
    return compare_pair(evaluation, predictions_of(evaluation, campaign), first, second, key)


# Comparisons on request


@pytest.mark.parametrize("groups", [None, np.arange(300) % 40])
def test_a_comparison_on_request_is_that_of_a_full_run(groups):
    """To the last bit, whatever else is compared with it; the ones that are always made stay as they were."""
    campaign = made(groups=groups)
    plain = evaluate(campaign)
    asked = evaluate(campaign, compare=["mcc", "averaged_f1[a,b]~", "averaged_f1"])
    extended = evaluate(
        campaign, compare=["mcc", "averaged_f1[a,b]~", "averaged_f1"], known=lambda _: plain.uncertainty
    )
    keys = [comparison.key for comparison in asked.uncertainty.comparisons]
    n_always = len(plain.uncertainty.comparisons)
    assert keys[n_always:] == [MCC, ScoreKey("averaged_f1[a,b]", "balanced")]
    assert bits(extended.uncertainty) == bits(asked.uncertainty)
    first = replace(
        asked.uncertainty,
        comparisons=asked.uncertainty.comparisons[:n_always],
        lower=asked.uncertainty.lower[rows(asked, plain.keys)],
        upper=asked.uncertainty.upper[rows(asked, plain.keys)],
    )
    assert bits(first) == bits(plain.uncertainty)
    official = evaluate(replace(campaign, task=replace(campaign.task, official_metric=MCC))).uncertainty
    as_official = replace(asked.uncertainty, comparisons=(asked.uncertainty.comparisons[n_always],))
    assert bits(replace(as_official, comparisons=())) != bits(replace(official, comparisons=()))  # other intervals of ρ
    for name in ("standard_error", "adjusted_p", "rank_sets", "tiers", "behind_lower", "randomization_p"):
        found, expected = (getattr(uncertainty.comparisons[0], name) for uncertainty in (as_official, official))
        np.testing.assert_array_equal(found, expected)


def test_what_is_known_is_returned_where_nothing_is_missing():
    """The very same value."""
    campaign = made()
    plain = evaluate(campaign)
    again = evaluate(campaign, compare=["averaged_f1"], also=["kappa"], known=lambda _: plain.uncertainty)
    assert again.uncertainty is plain.uncertainty


@pytest.mark.parametrize(
    ("name", "error"), [("macro_f1", MetricNameError), ("mcc@nowhere", UsageError), ("nosuch", MetricNameError)]
)
def test_a_comparison_by_no_score_is_refused_before_anything_is_resampled(name, error):
    """With and without resampling."""
    for n_replicates in (0, 10**6):
        with pytest.raises(error):
            evaluate(made(n_replicates=n_replicates), compare=[name])


# Single comparisons


@pytest.mark.parametrize("groups", [None, np.arange(300) % 40])
@pytest.mark.parametrize(("first", "second"), [("A", "B"), ("D", "A"), ("C", "E")])
def test_a_pair_is_what_the_whole_comparison_says_of_it(groups, first, second):
    """The same replicates, repaired rows, and randomizations."""
    campaign = made(groups=groups)
    evaluation = evaluate(campaign)
    comparison = evaluation.uncertainty.comparisons[0]
    found = pair(campaign, first, second, evaluation=evaluation)
    one, other = evaluation.names.index(first), evaluation.names.index(second)
    scores = evaluation.scores_of(AVERAGED)
    assert (found.first, found.second, found.key) == (first, second, AVERAGED)
    assert found.difference == scores[one] - scores[other]
    assert found.standard_error == pytest.approx(comparison.standard_error[one, other], rel=1e-12, abs=1e-15)
    assert found.adjusted_p == min(comparison.adjusted_p[one, other], comparison.adjusted_p[other, one])
    assert found.lower <= found.difference <= found.upper
    assert (found.n_replicates, found.seed) == (300, 1)
    leader = evaluation.leader(AVERAGED)
    if leader in (one, other):
        loser = other if leader == one else one
        assert found.randomization_p == comparison.randomization_p[loser]
        ends = [found.lower, found.upper] if leader == one else [-found.upper, -found.lower]
        assert ends == pytest.approx([comparison.behind_lower[loser], comparison.behind_upper[loser]], rel=1e-12)


def test_the_other_way_round_the_signs_change():
    """And nothing else does."""
    campaign = made()
    evaluation = evaluate(campaign)
    one, other = (pair(campaign, *names, evaluation=evaluation) for names in (("A", "D"), ("D", "A")))
    assert one.difference == -other.difference
    assert (one.lower, one.upper) == pytest.approx((-other.upper, -other.lower), rel=1e-12)
    assert one.randomization_p == other.randomization_p
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-12)
    assert one.delta_error == pytest.approx(other.delta_error, rel=1e-12)


def test_a_pair_s_randomization_is_that_of_all_pairs():
    """From the same swaps as all pairs at once."""
    campaign = made()
    evaluation = score_campaign(campaign)
    predictions = predictions_of(evaluation, campaign)
    sample = Sample.of(evaluation.gold.codes, predictions, N_CLASSES)
    expected = pairwise_p(evaluation, {MCC: np.array([[1, 3], [2, 4]])}, sample, Draws(300, 300, 1))[MCC]
    found = [pair(campaign, *names, MCC).randomization_p for names in ("BD", "CE")]
    assert found == expected.tolist()


def test_where_no_comparison_was_made_nothing_is_adjusted():
    """By another metric, with a baseline, or without resampling: then by as many replicates as the rule gives."""
    campaign = made(roles={"D": Role.BASELINE})
    assert pair(campaign, "A", "B", MCC).adjusted_p is None
    assert pair(campaign, "A", "D").adjusted_p is None
    assert not np.isnan(pair(campaign, "A", "D").randomization_p)
    without = made(n_replicates=0, n_items=60)
    found = pair(without, "A", "B")
    assert (found.n_replicates, found.adjusted_p) == (10_000, None)
    assert found.standard_error > 0


def test_an_undefined_score_leaves_the_pair_undefined():
    """Of a class that gold lacks."""
    labels = LabelSet(("a", "b", "c"))
    gold = np.repeat([0, 1], 20).astype(np.uint8)
    submissions = tuple(Submission(name, gold.copy()) for name in "AB")
    campaign = Campaign(Task("t", "T", labels, resampling=Resampling(50)), Gold(labels, gold), submissions)
    found = pair(campaign, "A", "B", ScoreKey("f1[c]"))
    numbers = (found.difference, found.lower, found.upper, found.standard_error, found.delta_error)
    assert np.isnan([*numbers, found.randomization_p]).all()
    assert found.adjusted_p is None


def test_a_pair_needs_two_entries_and_a_score_that_exist():
    """Each mistake is said."""
    campaign = made(n_replicates=20)
    for names, key, said in (
        (("A", "A"), AVERAGED, "“A” cannot be compared with itself"),
        (("A", "Z"), AVERAGED, "no entry “Z”"),
        (("A", "B"), ScoreKey("averaged_f2"), "Did you mean “averaged_f1”"),
    ):
        with pytest.raises(UsageError, match=said):
            pair(campaign, *names, key)


def test_one_replicate_has_no_spread():
    """No standard error is made up."""
    found = pair(made(n_replicates=1), "A", "B")
    assert np.isnan(found.standard_error)
    assert not np.isnan(found.delta_error)


# The delta method


@pytest.fixture(scope="module")
def clustered():
    """12,000 items in 1,500 groups within which all items are equally hard, and three teams."""
    rng = np.random.default_rng(41)
    groups = np.repeat(np.arange(1500), 8)
    difficulty = np.repeat(rng.random(1500), 8)
    gold = rng.choice(N_CLASSES, 12_000, p=[0.5, 0.3, 0.2])
    order = rng.permutation(12_000)
    teams = noisy(rng, gold, N_CLASSES, [0.75, 0.7, 0.6], difficulty)
    return gold[order], [team[order] for team in teams], groups[order]


@pytest.fixture(scope="module")
def by_groups(clustered):
    gold, teams, groups = clustered
    evaluation, scores = replicates(gold, teams, N_CLASSES, n_replicates=4000, groups=groups)
    sample = Sample.of(evaluation.gold.codes, teams, N_CLASSES)
    return evaluation, scores, sample, groups[np.argsort(gold, kind="stable")]


@pytest.mark.parametrize("key", AGGREGATE_KEYS, ids=str)
def test_by_groups_both_ways_agree(by_groups, key):
    """Within 5% (4,000 replicates: four standard errors are 4.5%), of scores and of paired differences."""
    evaluation, scores, sample, groups = by_groups
    replicated = scores[evaluation.keys.index(key)]
    found = standard_errors(evaluation, key, sample, groups)
    assert found == pytest.approx(replicated.std(axis=0, ddof=1), rel=0.05)
    spread = covariance(evaluation, key, sample, groups)
    assert np.sqrt(np.diag(spread)) == pytest.approx(found, rel=1e-9)
    lead = np.sqrt(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1])
    assert lead == pytest.approx((replicated[:, 0] - replicated[:, 1]).std(ddof=1), rel=0.05)


def test_groups_of_hard_items_make_a_score_less_sure(by_groups):
    """By more than a quarter here, which errors by item do not see."""
    evaluation, _, sample, groups = by_groups
    by_item, by_group = (standard_errors(evaluation, AVERAGED, sample, each) for each in (None, groups))
    assert (by_group > 1.25 * by_item).all()


def test_groups_of_one_item_are_items():
    """Summed by group, each value stands alone."""
    campaign = made()
    evaluation = score_campaign(campaign)
    sample = Sample.of(evaluation.gold.codes, predictions_of(evaluation, campaign), N_CLASSES)
    for key in AGGREGATE_KEYS:
        alone = standard_errors(evaluation, key, sample, np.random.default_rng(1).permutation(300))
        assert alone == pytest.approx(standard_errors(evaluation, key), rel=1e-9)


def test_accuracy_by_groups_is_the_textbook_s(by_groups, clustered):
    """Of a ratio of group totals: Σ (right − accuracy · size)² over the groups, over N²."""
    evaluation, _, sample, groups = by_groups
    gold, teams, of_item = clustered
    accuracy = ScoreKey("accuracy")
    for team, found in zip(teams, standard_errors(evaluation, accuracy, sample, groups), strict=True):
        right = np.bincount(of_item, weights=team == gold)
        size = np.bincount(of_item)
        residual = right - (team == gold).mean() * size
        assert found == pytest.approx(np.sqrt((residual**2).sum()) / len(gold), rel=1e-6)


@pytest.mark.parametrize("groups", [None, np.arange(300) % 40])
def test_the_comparison_shows_the_delta_method_s_error(groups):
    """Of every score that is compared, by groups where items come in groups."""
    campaign = made(groups=groups)
    evaluation = evaluate(campaign)
    sample = Sample.of(evaluation.gold.codes, predictions_of(evaluation, campaign), N_CLASSES)
    ordered = None if groups is None else groups[np.argsort(evaluation.gold.codes, kind="stable")]
    for comparison in evaluation.uncertainty.comparisons:
        expected = standard_errors(evaluation, comparison.key, sample, ordered)
        np.testing.assert_array_equal(comparison.delta_error, expected)
        assert (comparison.delta_error > 0).all()


def test_an_undefined_score_has_no_delta_error():
    """NaN, not 0."""
    evaluation = scored([0, 0, 1], [[0, 1, 1], [0, 0, 1]], 3)
    assert np.isnan(standard_errors(evaluation, ScoreKey("f1[c02]"))).all()
