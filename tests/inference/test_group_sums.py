"""Signs of whole groups: patterns, p and intervals by hand, what few groups can decide, and that no name matters."""

import json
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import audit
from audit.domain import ScoreKey
from audit.findings.comparisons import what_few_groups_decide
from audit.inference.group_sums import (
    GroupSums,
    all_patterns,
    smallest_root,
    squares_of_differences,
)
from audit.inference.ordering import order_of
from audit.report.ahead import PROMISE
from audit.writers.data.certainty_data import power_document
from audit.writers.data.export import certainty_data
from audit.writers.html import render_html

from .campaigns import compared, made_certain, noisy, shared

ACCURACY = ScoreKey("accuracy")


def perfect_and_half(n_groups, size=20):
    """A perfect team, and one at .5, in groups of one size."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 2, n_groups * size)
    half = np.where(np.tile([True, False], len(gold) // 2), gold, 1 - gold)
    return gold, [gold, half], np.repeat(np.arange(n_groups), size)


def by_hand(right, groups):
    """Adjusted p of every pair by accuracy: every pattern of signs, and stepdown as Romano and Wolf write it."""
    n_teams, names = len(right), sorted(set(groups.tolist()))
    sums = [[right[team][groups == name].sum() for name in names] for team in range(n_teams)]
    pairs = list(combinations(range(n_teams), 2))
    d = {(a, b): [x - y for x, y in zip(sums[a], sums[b], strict=True)] for a, b in pairs}
    size = {pair: sum(x * x for x in values) for pair, values in d.items()}
    observed = {pair: Fraction(int(sum(d[pair])) ** 2, int(size[pair])) for pair in pairs}
    patterns = [(1, *signs) for signs in product((1, -1), repeat=len(names) - 1)]
    z = {
        pair: [Fraction(int(np.dot(signs, d[pair])) ** 2, int(size[pair])) for signs in patterns]
        for pair in pairs
    }  # squares, so that no root is taken; the observed pattern is one of them
    p, before, left = {}, 0.0, set(pairs)
    for pair in sorted(pairs, key=lambda each: -observed[each]):
        here = [each for each in left if observed[each] <= observed[pair]]
        reached = sum(
            max(z[each][place] for each in here) >= observed[pair] for place in range(len(patterns))
        )
        before = p[pair] = max(before, reached / len(patterns))
    return p


@pytest.mark.parametrize("n_groups", [3, 6, 9])
def test_p_is_that_of_every_pattern_of_signs(n_groups):
    """In exact fractions: squares of sums of whole numbers of right answers."""
    rng = np.random.default_rng(n_groups)
    gold = rng.integers(0, 3, 12 * n_groups)
    groups = np.repeat(np.arange(n_groups), 12)
    teams = noisy(rng, gold, 3, [0.95, 0.6, 0.55, 0.3])
    found = compared("accuracy", gold, teams, 3, groups=groups)
    for (a, b), p in by_hand([team == gold for team in teams], groups).items():
        if not found.against_best[[a, b], [b, a]].any():
            # of the comparison with the best, if that is smaller
            assert found.adjusted_p[a, b] <= p + 1e-12
    whole = compared("accuracy", gold, teams[:2], 3, groups=groups)
    ((_, expected),) = by_hand([team == gold for team in teams[:2]], groups).items()
    assert whole.adjusted_p[0, 1] == pytest.approx(expected)
    assert whole.n_draws == 2 ** (n_groups - 1) - 1


@pytest.mark.parametrize(
    ("n_groups", "p"), [(4, 1 / 8), (5, 1 / 16), (6, 1 / 32), (10, 1 / 512), (13, 1 / 4096)]
)
def test_a_perfect_team_is_ahead_of_one_at_a_half_once_groups_are_six(n_groups, p):
    """In 10 groups it was not: t could not reach its threshold whatever the teams did."""
    gold, teams, groups = perfect_and_half(n_groups)
    found = compared("accuracy", gold, teams, 2, groups=groups)
    assert found.adjusted_p[0, 1] == pytest.approx(p)
    assert found.smallest_p == pytest.approx(p)
    assert found.ahead[0, 1] == (p <= 0.05)
    lower, upper = found.difference_lower[0, 1], found.difference_upper[0, 1]
    if p <= 0.05:
        assert 0 < lower <= 0.5 <= upper < 1
    else:
        assert (lower, upper) == (-np.inf, np.inf)
        assert found.critical_value == np.inf


@pytest.mark.parametrize(
    ("n_groups", "said"),
    [
        (
            4,
            "With 4 groups no difference can be significant at 5%: the smallest possible p-value is .12.",
        ),
        (
            5,
            "With 5 groups no difference can be significant at 5%: the smallest possible p-value is .062.",
        ),
        (8, "With 8 groups only large differences among few teams can be significant."),
        (13, ""),
    ],
)
def test_few_groups_say_what_they_can_decide(n_groups, said):
    """In the finding, and beside the number of pairs."""
    gold, teams, groups = perfect_and_half(n_groups)
    evaluation = made_certain(gold, teams, 2, groups=groups, official_metric=ACCURACY)
    assert what_few_groups_decide(evaluation) == said
    assert what_few_groups_decide(made_certain(gold, teams, 2, official_metric=ACCURACY)) == ""


def test_nothing_breaks_where_nothing_can_be_significant():
    """A whole evaluation of four groups: report and JSON, with bounds that are none."""
    gold, teams, groups = perfect_and_half(4)
    answers = {"a": teams[0].tolist(), "b": teams[1].tolist(), "c": (1 - teams[0]).tolist()}
    evaluation = audit.evaluate(
        gold.tolist(), answers, groups=groups.tolist(), official_metric="accuracy"
    )
    assert "the smallest possible p-value is .12" in render_html(evaluation)
    data = certainty_data(evaluation), power_document(evaluation.power, evaluation.names)
    (first, *_) = json.loads(json.dumps(data, allow_nan=False))[0]["comparisons"]
    assert first["critical_value"] is None
    assert first["difference_lower"][0][1] is None
    (comparison, *_) = evaluation.certainty.comparisons
    assert not comparison.ahead.any()
    assert comparison.could_be_best.all()


def test_groups_of_one_item_have_mcnemar_s_t():
    """√(b + c) right answers that only one of two has: Σd² needs no variance under "no difference" beside it."""
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 2, 200)
    one, other = noisy(rng, gold, 2, [0.8, 0.7])
    found = compared("accuracy", gold, [one, other], 2, groups=np.arange(200))
    apart = ((one == gold) != (other == gold)).sum()
    assert found.standard_error[0, 1] == pytest.approx(np.sqrt(apart) / 200)


def test_the_ends_are_where_t_is_the_critical_value():
    """A true difference at an end leaves the groups' sums with just as many standard errors."""
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 2, 600)
    groups = np.sort(rng.integers(0, 25, 600))
    teams = noisy(rng, gold, 2, [0.85, 0.7])
    found = compared("accuracy", gold, teams, 2, groups=groups)
    d = (
        np.array(
            [
                ((teams[0] == gold) * 1.0 - (teams[1] == gold))[groups == name].sum()
                for name in range(25)
            ]
        )
        / 600
    )
    share = np.bincount(groups) / 600
    for end in (found.difference_lower[0, 1], found.difference_upper[0, 1]):
        left = d - end * share
        assert abs(left.sum()) / np.sqrt((left**2).sum()) == pytest.approx(
            found.critical_value, rel=1e-9
        )


def test_an_end_without_a_root_has_no_bound():
    """Where one group has nearly all items, a larger difference never becomes less likely."""
    assert smallest_root(-1.0, np.array([1.0]), np.array([2.0]))[0] == np.inf
    x = smallest_root(0.5, np.array([0.3]), np.array([2.0]))[0]
    assert 0.5 * x**2 - 2 * 0.3 * x - 2.0 == pytest.approx(0)


def test_patterns_are_all_but_the_observed_one():
    """Up to a common sign, each once."""
    patterns = all_patterns(6).T
    assert len({tuple(each) for each in patterns.tolist()}) == 31
    assert patterns.any(axis=1).all()
    assert not patterns[:, 0].any()


def test_squares_of_near_twins_are_not_lost_in_rounding():
    """One item of a million apart, in a field that is far apart."""
    sums = np.random.default_rng(6).random((4, 20))
    sums[1] = sums[0]
    sums[1, 3] += 1e-6
    expected = np.array([[((one - other) ** 2).sum() for other in sums] for one in sums])
    np.testing.assert_allclose(squares_of_differences(sums), expected, rtol=1e-9, atol=0)


def test_sums_over_test_sets_add_what_a_group_has_in_each():
    """Before anything is squared: a group that is in two test sets has one sign."""
    rng, few = np.random.default_rng(7), np.zeros((2, 2))
    one, other = (
        GroupSums(*rng.random((2, 2, 3)), rng.random(3), few, names)
        for names in ([1, 2, 5], [2, 5, 9])
    )
    both = GroupSums.of_sum([one, other])
    assert both.names.tolist() == [1, 2, 5, 9]
    np.testing.assert_allclose(both.by_class[:, 1], one.by_class[:, 1] + other.by_class[:, 0])
    np.testing.assert_allclose(
        both.by_class.sum(axis=1), one.by_class.sum(axis=1) + other.by_class.sum(axis=1)
    )


# Names


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_what_things_are_called_changes_no_number(seed, grouped):
    """Other names and another order of teams, other names of labels and of groups: every p, end and decision stands."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(3, 150, p=[0.5, 0.3, 0.2])
    teams = noisy(rng, gold, 3, [0.9, 0.8, 0.78, 0.6])
    groups = rng.integers(0, 18, 150) if grouped else None
    order, labels, names = rng.permutation(4), rng.permutation(3), rng.permutation(18)
    keys = ("accuracy", "averaged_f1", "macro_precision", "mcc")
    called = {f"x{place}": labels[teams[team]] for place, team in enumerate(order)}
    for key in keys:
        there = compared(key, gold, teams, 3, groups=groups)
        back = compared(key, labels[gold], called, 3, groups=names[groups] if grouped else None)
        square = np.ix_(order, order)
        np.testing.assert_allclose(back.adjusted_p, there.adjusted_p[square], atol=1e-12)
        np.testing.assert_allclose(back.difference_lower, there.difference_lower[square], atol=1e-9)
        np.testing.assert_array_equal(back.ahead, there.ahead[square])
        np.testing.assert_array_equal(back.possible_ranks, there.possible_ranks[order])
        assert back.critical_value == pytest.approx(there.critical_value, rel=1e-6)
        np.testing.assert_allclose(back.leader_interval, there.leader_interval, atol=1e-9)


def test_an_order_follows_from_values_alone():
    """Whatever order things are given in; what rounding makes of equal values does not count."""
    rng = np.random.default_rng(8)
    scores = np.array([0.3, 0.1, 0.3 + 1e-17, 0.2])
    common = rng.normal(size=(4, 9))
    covariance = common @ common.T
    first = order_of(scores, covariance)
    for _ in range(10):
        other = rng.permutation(4)
        assert (
            other[order_of(scores[other], covariance[np.ix_(other, other)])].tolist()
            == first.tolist()
        )


# The printed p


def test_the_p_beside_ahead_of_all_others_is_that_of_the_deciding_test():
    """Arct's was .051, of all pairs, beside a claim that the comparison with the best decides."""
    rng, seen = np.random.default_rng(9), 0
    for _ in range(200):
        gold = rng.integers(0, 2, 150)
        teams = noisy(rng, gold, 2, [0.82, 0.7, 0.68, 0.66, 0.6, 0.5])
        found = compared("accuracy", gold, teams, 2)
        if not found.against_best.any():
            continue
        seen += 1
        (best,) = found.contenders
        behind = np.flatnonzero(found.against_best[best])
        assert (found.adjusted_p[best] <= 0.05)[np.arange(6) != best].all()
        assert (found.difference_lower[best, behind] > 0).all()
        half = found.critical_value * found.standard_error[best, behind]
        lead = (teams[best] == gold).mean() - np.array(
            [(teams[team] == gold).mean() for team in behind]
        )
        # its own comparisons ask less
        assert (lead - found.difference_lower[best, behind] < half).all()
        if seen == 3:
            return
    raise AssertionError


def test_who_is_first_of_those_compared_has_its_p_where_another_is_ahead_on_fewer_items():
    """The first of the ranking is in no pair: the p of the best is that of the next."""
    rng = np.random.default_rng(10)
    gold = rng.integers(0, 2, 300)
    teams = noisy(rng, gold, 2, [0.9, 0.6, 0.55])
    few = gold.copy()
    few[:5] = 2  # missing
    found = compared("accuracy", gold, [few, *teams], 2, missing="drop")
    assert found.contenders == (1,)
    assert (found.adjusted_p[1, 2:] <= 0.05).all()
    assert found.adjusted_p[1, 2] == found.adjusted_p[1, 3]


def test_joint_firsts_are_ahead_by_the_p_of_all_pairs_alone():
    """Two that are level: neither is the best, and no pair has another p."""
    gold = np.repeat([0, 1], 60)
    one, other = np.where(np.arange(120) < 6, 1, gold), np.where(np.arange(120) >= 114, 0, gold)
    found = compared("accuracy", gold, [one, other, 1 - one], 2)
    assert found.adjusted_p[0, 1] == 1
    assert not found.against_best.any()


def test_the_promise_is_of_two_statements():
    """And says by which of the two a team is ahead of all others."""
    assert PROMISE.startswith(
        "The 95% confidence set contains the true best team in 95% of test sets"
    )
    assert "so that a single team in it counts as significantly ahead" in PROMISE


# A real campaign


@pytest.fixture(scope="module")
def by_query():
    """LLMJudge 2024: 33 runs on 4,423 pairs of 25 queries."""
    folder = shared("llmjudge-2024")

    def labels_in(file):
        lines = (line.split() for line in file.read_text(encoding="utf-8").splitlines())
        return {(query, passage): label for query, _, passage, label in lines}

    gold = labels_in(folder / "gold" / "llmjudge_test_qrel_idx.txt")
    answers = {
        file.stem: labels_in(file) for file in sorted((folder / "submissions").glob("*.txt"))
    }
    return audit.evaluate(
        list(gold.values()),
        {name: [given.get(each) for each in gold] for name, given in answers.items()},
        labels=list("0123"),
        groups=[query for query, _ in gold],
        official_metric="accuracy",
        compare=["kappa", "f1_of_averages"],
    )


@pytest.mark.parametrize(
    ("metric", "fewest", "most", "best"),
    [
        ("accuracy", 21, 24, 23),
        ("averaged_f1", 4, 6, 28),
        ("f1_of_averages", 0, 0, 27),
        ("kappa", 2, 2, 29),
    ],
)
def test_llmjudge_by_query_decides_as_an_independent_program(by_query, metric, fewest, most, best):
    """Of 528 pairs none was decided; the pairs and confidence sets are those that another implementation finds."""
    found = by_query.certainty.comparison(ScoreKey(metric))
    assert fewest <= found.ahead.sum() <= most
    assert abs(int(found.could_be_best.sum()) - best) <= 1
