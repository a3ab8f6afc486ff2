"""Two entries and all pairs of them: who alone is right, what the comparison says, and approximate randomization."""

from itertools import permutations, product

import numpy as np
import pytest
from sklearn import metrics as peer

from audit.domain import MOST_PAIRED, Options, Role, ScoreKey
from audit.errors import UsageError
from audit.evaluation import evaluate
from audit.inference import certainty_analysis, randomization
from audit.inference.certainty_analysis import pairs_of
from audit.inference.comparison import compare_pair
from audit.inference.proportion_intervals import quantile_of
from audit.inference.randomization import randomization_p

from .campaigns import campaign_of, noisy, scored_with_items

AVERAGED, MCC = ScoreKey("averaged_f1"), ScoreKey("mcc")
N_RANDOMIZATIONS = 4000
SCORES = {
    "accuracy": peer.accuracy_score,
    "averaged_f1": lambda gold, given: peer.f1_score(
        gold, given, average="macro", labels=[0, 1, 2], zero_division=0
    ),
    "macro_recall": lambda gold, given: peer.recall_score(
        gold, given, average="macro", labels=[0, 1, 2], zero_division=0
    ),
    "weighted_f1": lambda gold, given: peer.f1_score(
        gold, given, average="weighted", labels=[0, 1, 2], zero_division=0
    ),
}


def made(**settings):
    """Five teams, A to E, of whom C and E are label-identical."""
    rng = np.random.default_rng(91)
    gold = rng.choice(3, 300, p=[0.6, 0.3, 0.1])
    teams = noisy(rng, gold, 3, [0.85, 0.77, 0.7, 0.5])
    return campaign_of(gold, dict(zip("ABCDE", [*teams, teams[2]], strict=True)), 3, **settings)


def pair(campaign, first, second, key=AVERAGED, *, evaluation=None):
    evaluation = evaluation or evaluate(campaign)
    return compare_pair(evaluation, campaign.predictions_of(evaluation.entries), first, second, key)


# Items that only one gets right


@pytest.mark.parametrize("missing", ["wrong", "drop"])
@pytest.mark.parametrize("block", [1 << 22, 40])
def test_items_that_only_one_gets_right_are_counted_one_by_one(monkeypatch, missing, block):
    """For every ordered pair and class, whatever the missing rule and however many items are counted at once."""
    monkeypatch.setattr(certainty_analysis, "_ANSWERS", block)
    campaign = made(missing=missing)
    for shift, submission in enumerate(campaign.submissions):
        submission.codes[shift::7] = 3 + shift % 2
    evaluation = evaluate(campaign)
    right = [submission.codes == campaign.gold.codes for submission in campaign.submissions]
    for one, other in permutations(range(5), 2):
        alone = campaign.gold.codes[right[one] & ~right[other]]
        assert evaluation.pairs[one, other].tolist() == np.bincount(alone, minlength=3).tolist()
    assert not np.diagonal(evaluation.pairs).any()


def test_mcnemar_s_counts_are_those_of_the_comparison():
    """√(b + c)/N, from the items that only one of two gets right."""
    campaign = made()
    evaluation = evaluate(campaign, Options(compare=("accuracy",)))
    alone = evaluation.pairs.sum(axis=-1)
    error = evaluation.comparison("accuracy").standard_error
    assert error == pytest.approx(np.sqrt(alone + alone.T) / 300, rel=1e-9)


@pytest.mark.parametrize(
    ("n_teams", "there"), [(1, False), (2, True), (MOST_PAIRED, True), (MOST_PAIRED + 1, False)]
)
def test_pairs_are_for_two_to_sixty_entries(n_teams, there):
    """One entry makes no pair, and nobody looks through more than 60."""
    gold = np.arange(12) % 2
    evaluation, _ = scored_with_items(gold, [np.roll(gold, n % 3 + 1) for n in range(n_teams)], 2)
    assert (pairs_of(evaluation, [gold] * n_teams) is not None) == there


def test_nobody_alone_is_right_where_all_answer_alike():
    """Twins differ in no item."""
    gold = np.array([0, 1, 1])
    evaluation, _ = scored_with_items(gold, [gold, gold], 2)
    assert pairs_of(evaluation, [gold, gold]).tolist() == np.zeros((2, 2, 2)).tolist()


# One pair


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(("first", "second"), [("A", "B"), ("D", "A"), ("C", "E")])
def test_a_pair_is_what_the_whole_comparison_says_of_it(grouped, first, second):
    """Its error, p and half width; alone with the quantile of one pair."""
    groups = np.arange(300) % 40 if grouped else None
    campaign = made(groups=groups)
    evaluation = evaluate(campaign)
    comparison = evaluation.comparison(AVERAGED)
    found = pair(campaign, first, second, evaluation=evaluation)
    one, other = evaluation.names.index(first), evaluation.names.index(second)
    scores = evaluation.scores_of(AVERAGED)
    assert (found.first, found.second, found.key) == (first, second, AVERAGED)
    assert found.difference == scores[one] - scores[other]
    assert found.standard_error == pytest.approx(comparison.standard_error[one, other], rel=1e-9)
    assert found.adjusted_p == comparison.adjusted_p[one, other]
    ends = comparison.difference_lower[one, other], comparison.difference_upper[one, other]
    assert found.interval == pytest.approx(ends)
    assert found.against_best == comparison.against_best[[one, other], [other, one]].any()
    if grouped:
        assert (
            found.interval[0]
            <= found.interval_alone[0]
            <= found.difference
            <= found.interval_alone[1]
        )
    else:
        assert found.half_width_alone == pytest.approx(quantile_of(0) * found.standard_error)
    ahead = {(True, False): first, (False, True): second, (False, False): None}
    assert (
        found.ahead == ahead[bool(comparison.ahead[one, other]), bool(comparison.ahead[other, one])]
    )


def test_the_other_way_round_the_sign_changes():
    """And nothing else does."""
    campaign = made()
    evaluation = evaluate(campaign)
    one, other = (
        pair(campaign, *names, evaluation=evaluation) for names in (("A", "D"), ("D", "A"))
    )
    assert one.difference == -other.difference
    assert one.ahead == other.ahead == "A"
    for name in (
        "standard_error",
        "half_width",
        "adjusted_p",
        "half_width_alone",
        "randomization_p",
    ):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9)


@pytest.mark.parametrize("certainty", [True, False])
def test_another_metric_s_comparison_is_made_on_request(certainty):
    """With the evaluation's seed; with or without its certainty."""
    campaign = made()
    evaluation = evaluate(campaign, Options(certainty=certainty))
    found = pair(campaign, "A", "B", MCC, evaluation=evaluation)
    expected = evaluate(campaign, Options(compare=("mcc",))).comparison("mcc")
    assert found.adjusted_p == expected.adjusted_p[0, 1]
    assert found.interval == pytest.approx(
        (expected.difference_lower[0, 1], expected.difference_upper[0, 1])
    )


def test_nothing_is_adjusted_where_one_does_not_compete():
    """It is in no family; its error and the test of the pair alone stand."""
    found = pair(made(roles={"D": Role.BASELINE}), "A", "D")
    assert found.adjusted_p is None
    assert found.half_width is None
    assert found.ahead is None
    assert found.standard_error > 0
    assert 0 < found.randomization_p <= 1


@pytest.mark.parametrize("key", [ScoreKey("f1[c3]"), ScoreKey("f1[c3]", "balanced")])
def test_an_undefined_score_leaves_the_pair_undefined(key):
    """Of a class that gold lacks."""
    gold = np.repeat([0, 1], 20)
    found = pair(campaign_of(gold, {"A": gold, "B": 1 - gold}, 4), "A", "B", key)
    assert np.isnan(
        [found.difference, found.standard_error, *found.interval_alone, found.randomization_p]
    ).all()
    assert found.adjusted_p is None


def test_a_recall_of_0_leaves_randomization_alone():
    """A product of recalls has no influence there, but its answers can still change places."""
    gold = np.repeat([0, 1], 20)
    fair = np.where(np.arange(40) % 4 == 0, 1 - gold, gold)
    found = pair(
        campaign_of(gold, {"A": fair, "B": np.zeros(40, int)}, 2),
        "A",
        "B",
        ScoreKey("geometric_macro_recall"),
    )
    assert np.isnan(found.standard_error)
    assert found.adjusted_p is None
    assert found.randomization_p < 0.05


@pytest.mark.parametrize(
    ("names", "key", "said"),
    [
        (("A", "A"), AVERAGED, "“A” cannot be compared with itself"),
        (("A", "Z"), AVERAGED, "no entry “Z”"),
        (("A", "B"), ScoreKey("averaged_f2"), "Did you mean “averaged_f1”"),
    ],
)
def test_a_pair_needs_two_entries_and_a_score_that_exist(names, key, said):
    """Each mistake is said."""
    with pytest.raises(UsageError, match=said):
        pair(made(), *names, key)


def test_who_dropped_items_is_not_compared():
    """Its score is of other items."""
    campaign = made(missing="drop")
    campaign.submissions[1].codes[:3] = 3
    with pytest.raises(
        UsageError, match="“B” cannot be compared: its scores leave out 3 missing items"
    ):
        pair(campaign, "A", "B")


# Approximate randomization


def tiny(seed, n_items=8):
    """Gold of three classes and two teams, one better than the other."""
    rng = np.random.default_rng(seed)
    gold = np.arange(n_items) % 3
    good, bad = (
        np.where(rng.random(n_items) < share, gold, rng.integers(0, 3, n_items))
        for share in (0.85, 0.15)
    )
    return gold, [good, bad]


def enumerated(gold, teams, score, units):
    """Share of all ways of swapping the answers of units that reach the difference: nothing is left to chance."""
    observed = abs(score(gold, teams[0]) - score(gold, teams[1]))
    names, unit_of = np.unique(units, return_inverse=True)
    reached = 0
    for swap in product([False, True], repeat=len(names)):
        swapped = np.array(swap)[unit_of]
        one, other = np.where(swapped, teams[1], teams[0]), np.where(swapped, teams[0], teams[1])
        reached += abs(score(gold, one) - score(gold, other)) >= observed - 1e-12
    return reached / 2 ** len(names)


def p_of(gold, teams, key, which=(0, 1), n=N_RANDOMIZATIONS, **settings):
    """P of one pair."""
    evaluation, items = scored_with_items(gold, teams, 3, **settings)
    return randomization_p(evaluation, key, which, items, seed=1, n_randomizations=n)


@pytest.mark.parametrize("metric", SCORES)
def test_p_is_that_of_all_swaps(metric):
    """Within four standard errors of 4,000 randomizations."""
    gold, teams = tiny(2, 7)
    exact = enumerated(gold, teams, SCORES[metric], np.arange(7))
    found = p_of(gold, teams, ScoreKey(metric))
    assert found == pytest.approx(
        exact, abs=4 * np.sqrt(exact * (1 - exact) / N_RANDOMIZATIONS) + 1 / N_RANDOMIZATIONS
    )


def test_groups_swap_as_wholes():
    """Three groups have eight ways to swap, and p is a multiple of an eighth up to Monte Carlo error."""
    gold, teams = tiny(3, 12)
    groups = np.array([5, 2, 2, 9] * 3)
    exact = enumerated(gold, teams, SCORES["accuracy"], groups)
    found = p_of(gold, teams, ScoreKey("accuracy"), groups=groups)
    assert found == pytest.approx(exact, abs=4 * np.sqrt(0.25 / N_RANDOMIZATIONS))


@pytest.mark.parametrize("metric", ["accuracy", "averaged_f1", "mcc", "f1_of_averages"])
def test_identical_teams_have_p_1(metric):
    """Nothing is smaller than no difference, at observed and with balanced classes."""
    gold, teams = tiny(4, 60)
    for prevalence in ("observed", "balanced"):
        assert p_of(gold, [teams[0], teams[0].copy()], ScoreKey(metric, prevalence), n=200) == 1


def test_p_is_symmetric_and_never_below_its_floor():
    """Two-sided: the order of a pair does not matter; and (c + 1)/(R + 1) is not 0 however far apart they are."""
    gold = np.arange(300) % 3
    teams = [gold, (gold + 1) % 3, tiny(5, 300)[1][0]]
    for one, other in permutations(range(3), 2):
        found, back = (
            p_of(gold, teams, AVERAGED, which, n=500) for which in ((one, other), (other, one))
        )
        assert found == back
    assert p_of(gold, teams, AVERAGED, (0, 1), n=500) == pytest.approx(1 / 501)


@pytest.mark.parametrize("cells", [1, 1 << 22])
def test_blocks_change_no_p(monkeypatch, cells):
    """However few randomizations are scored at once."""
    gold, teams = tiny(6, 60)
    expected = p_of(gold, teams, MCC, n=300)
    monkeypatch.setattr(randomization, "_CELLS", cells)
    assert p_of(gold, teams, MCC, n=300) == expected


def test_under_exchangeable_answers_p_is_uniform():
    """Over pairs that answer at random, p ≤ .1 in a tenth, within four standard errors."""
    rng = np.random.default_rng(7)
    found = []
    for _ in range(60):
        gold = rng.integers(0, 3, 90)
        teams = [np.where(rng.random(90) < 0.5, gold, rng.integers(0, 3, 90)) for _ in range(2)]
        found.append(p_of(gold, teams, AVERAGED, n=199))
    assert np.mean(np.array(found) <= 0.1) == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / 60))
    assert np.mean(found) == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / 60))
