"""Intervals against loops, statsmodels, and what must not change them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from audit.domain import BALANCED, MARKS, OBSERVED, Cells, Mark, ScoreKey
from audit.inference.intervals import intervals_of
from audit.inference.items import Items
from audit.inference.label_intervals import Scored
from audit.inference.proportion_intervals import quantile_of, share_ends, wilson
from audit.metrics import METRICS, all_keys, score
from tests.nightly import by_day

from . import reference
from .campaigns import (
    AGGREGATES,
    as_scored,
    confusions_of,
    ends_of_entry,
    field_of,
    labels_of,
    made_certain,
    named_prevalence,
    scored_with_items,
)

CLASSES = ("recall", "precision", "f1")
OVER_CLASSES = ("macro_recall", "macro_precision", "averaged_f1", "f1_of_averages")


def names_of(n_classes):
    """Every score of a label set, and each average over two named classes."""
    of_class = [f"{slug}[c{code}]" for slug in CLASSES for code in range(n_classes)]
    named = [f"{slug}[c0,c{n_classes - 1}]" for slug in OVER_CLASSES if n_classes > 1]
    return [*AGGREGATES, *of_class, *named]


def field_scored(seed, n_classes, *, extra=0, n_items=120, stratified=False):
    """A field of eight kinds of teams by every score at three prevalences; extra classes are not in gold."""
    gold, teams = field_of(seed, n_classes, n_items)
    confusions = confusions_of(gold, teams, n_classes + extra)
    prevalences = (OBSERVED, BALANCED, named_prevalence(gold, n_classes))
    names = names_of(n_classes + extra)
    return gold, teams, as_scored(confusions, names, prevalences=prevalences, stratified=stratified)


@pytest.fixture
def unmarked(monkeypatch):
    """Whatever is marked shows its ends."""
    monkeypatch.setattr("audit.inference.label_intervals.FEWEST_ITEMS", 0)


def by_loops(scored, items=None):
    """Ends of every interval, one by one."""
    ends = np.full((2, *scored.values.shape), np.nan)
    prevalence_of = {prevalence.name: prevalence for prevalence in scored.prevalences}
    for row, key in enumerate(scored.keys):
        for team, x in enumerate(scored.cells.dense()):
            if not np.isnan(scored.values[row, team]):
                of_team = None if items is None else (items[0], items[1][team], items[2])
                prevalence = prevalence_of[key.prevalence]
                ends[:, row, team] = reference.interval(
                    x, key, prevalence, scored.label_set, of_team, scored.stratified
                )
    return ends


# Against loops


@pytest.mark.usefixtures("unmarked")
@pytest.mark.parametrize(
    ("n_classes", "extra", "stratified"),
    [(1, 1, False), (2, 0, False), (3, 1, False), (4, 0, True)],
)
def test_intervals_are_those_of_loops(n_classes, extra, stratified):
    """Of every score at every prevalence, of teams of every kind."""
    _, _, scored = field_scored(1, n_classes, extra=extra, stratified=stratified)
    found = intervals_of(scored)
    lower, upper = by_loops(scored)
    for row, key in enumerate(scored.keys):
        np.testing.assert_allclose(found.lower[row], lower[row], atol=2e-7, err_msg=str(key))
        np.testing.assert_allclose(found.upper[row], upper[row], atol=2e-7, err_msg=str(key))


@pytest.mark.usefixtures("unmarked")
@pytest.mark.parametrize("n_classes", [3, 2])
@by_day(1)
def test_intervals_by_group_are_those_of_loops(n_classes):
    """With the design effect of each team's own answers, and Student's quantile."""
    gold, teams, scored = field_scored(2, n_classes, n_items=80)
    groups = np.random.default_rng(3).integers(0, 17, len(gold))
    found = intervals_of(scored, Items.of(gold, teams, n_classes, groups))
    lower, upper = by_loops(scored, (gold, teams, groups))
    for row, key in enumerate(scored.keys):
        np.testing.assert_allclose(found.lower[row], lower[row], atol=2e-7, err_msg=str(key))
        np.testing.assert_allclose(found.upper[row], upper[row], atol=2e-7, err_msg=str(key))


def gap_ends(x, label_set, items):
    """Upper end of Δ: that of 2Δ as a share, one-sided."""
    averaged, of_averages = (ScoreKey(name) for name in ("averaged_f1", "f1_of_averages"))

    def slopes(at):
        both = (reference.slopes(at, key, OBSERVED, label_set) for key in (of_averages, averaged))
        return np.subtract(*both)

    def value(at):
        return np.subtract(
            *(reference.value(at, key, OBSERVED, label_set) for key in (of_averages, averaged))
        )

    n_items = reference.effective_of(x, value, (max(value(x), 0.0), 0.0, 0.5), False, slopes)  # noqa: FBT003 - as it is done
    design = 1
    if items is not None:
        shares = reference.leverage(ScoreKey("averaged_f1"), OBSERVED, label_set, items)
        design = reference.design_effect(slopes(x), *items, shares)
    quantile = stats.norm.ppf(0.95) if items is None else stats.t.ppf(0.95, len(set(items[2])) - 1)
    usual = reference.wilson(2 * max(value(x), 0.0), max(1, n_items / design), quantile)[1] / 2
    one, other = (
        reference.moves_of(x, key, OBSERVED, label_set, items) for key in (of_averages, averaged)
    )
    if one is None:
        return usual

    def held(at):
        return max(one.function(at) - other.function(at), 0.0)

    above = reference.ends_with_held(x, held, (0.0, 0.5), design, quantile)[1]
    steps = [one.up.get(code, 0.0) + other.down[code] for code in other.down]
    return min(max(usual, held(x) + np.sqrt(above**2 + np.sum(np.square(steps))) + one.unseen), 0.5)


@pytest.mark.usefixtures("unmarked")
@pytest.mark.parametrize("grouped", [False, True])
def test_the_gap_of_the_macro_f1s_has_an_upper_end(grouped):
    """Wilson's of twice the gap, which is at most a half, with the one-sided quantile."""
    gold, teams, scored = field_scored(4, 3)
    groups = np.random.default_rng(5).integers(0, 17, len(gold)) if grouped else None
    found = intervals_of(scored, Items.of(gold, teams, 3, groups))
    gap = scored.values[scored.keys.index(ScoreKey("f1_of_averages"))]
    gap = gap - scored.values[scored.keys.index(ScoreKey("averaged_f1"))]
    for team, x in enumerate(scored.cells.dense()):
        items = (gold, teams[team], groups) if grouped else None
        assert found.gap_upper[team] == pytest.approx(
            gap_ends(x, scored.label_set, items), abs=2e-7
        ), team
        assert gap[team] - 1e-12 <= found.gap_upper[team] <= 0.5


# Against statsmodels


def test_proportions_have_the_interval_of_statsmodels():
    """Accuracy, and recall and precision of every class; F1 as 2u/(1 + u) of the share of what is gold or predicted.

    Where two or three items are of one sort, the end on that side is another one.
    """
    proportion = pytest.importorskip(
        "statsmodels.stats.proportion", reason="statsmodels is the oracle"
    )
    _, _, scored = field_scored(6, 4)
    found = intervals_of(scored)
    hits = np.diagonal(scored.cells.dense(), axis1=1, axis2=2)
    gold, answers = scored.cells.dense().sum(axis=2), scored.cells.dense().sum(axis=1)[:, :-1]
    expected = {"accuracy": (hits.sum(axis=1), gold.sum(axis=1))}
    for code in range(4):
        expected[f"recall[c{code}]"] = hits[:, code], gold[:, code]
        expected[f"precision[c{code}]"] = hits[:, code], answers[:, code]
        expected[f"f1[c{code}]"] = hits[:, code], (gold + answers - hits)[:, code]
    for name, (count, size) in expected.items():
        row = scored.keys.index(ScoreKey(name))
        for ends, side, of_sort in ((found.lower, 0, count), (found.upper, 1, size - count)):
            there = (size > 0) & ((of_sort == 0) | (of_sort > 3))
            theirs = proportion.proportion_confint(count[there], size[there], method="wilson")[side]
            theirs = 2 * theirs / (1 + theirs) if name.startswith("f1") else theirs
            assert there.any()
            assert ends[row, there] == pytest.approx(theirs, abs=1e-9), name


@pytest.mark.parametrize("n_items", [10, 50, 51, 200, 1000])
def test_a_share_next_to_0_or_1_is_in_its_interval(n_items):
    """Of all test sets: their chances are those of the binomial distribution. Wilson's own holds it in .84 of them."""
    counts = np.arange(n_items + 1)
    own, wilson_s = (
        of(counts / n_items, np.float64(n_items), quantile_of(0)) for of in (share_ends, wilson)
    )
    true = np.concatenate([at := np.geomspace(1e-5, 0.5, 2000), 1 - at])[:, None]
    chances = stats.binom.pmf(counts, n_items, true)
    held, held_by_wilson_s = (
        (chances * ((lower <= true) & (true <= upper))).sum(axis=1)
        for lower, upper in (own, wilson_s)
    )
    assert held.min() > 0.91
    assert held_by_wilson_s.min() < 0.87
    few = 3 if n_items > 50 else 2
    exact = stats.chi2.ppf(0.05, 2 * counts[1 : few + 1]) / 2 / n_items
    np.testing.assert_allclose(own[0][1 : few + 1], exact)
    np.testing.assert_allclose(own[1][::-1], 1 - own[0], atol=1e-12)
    np.testing.assert_array_equal(own[0][few + 1 :], wilson_s[0][few + 1 :])


@pytest.mark.parametrize("quantile", [1.0, 1.96, 3.0])
def test_wilson_s_ends_are_as_far_as_the_quantile_says(quantile):
    """And never past the share, nor outside [0, 1]; a share that cannot vary has no width."""
    share, n_items = np.meshgrid([0.0, 0.001, 0.3, 0.5, 1 - 1e-12, 1.0], [1.0, 7.5, 1e3, 1e9])
    lower, upper = wilson(share, n_items, quantile)
    assert ((lower >= 0) & (lower <= share) & (share <= upper) & (upper <= 1)).all()
    for at, n, low, high in zip(
        *(values.ravel() for values in (share, n_items, lower, upper)), strict=True
    ):
        assert (low, high) == pytest.approx(reference.wilson(at, n, quantile), abs=1e-7)
    still = wilson(share, np.full(share.shape, np.inf), quantile)
    np.testing.assert_array_equal(still, np.stack([share, share]))


# What holds of every interval


def sizes_of(scored):
    """Range of every score, shape (K,)."""
    metrics = [METRICS[key.metric.partition("[")[0]] for key in scored.keys]
    return np.array([[metric.lower, metric.upper] for metric in metrics]).T[..., None]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("grouped", [False, True])
def test_a_score_is_inside_its_interval_and_both_inside_its_range(seed, grouped):
    """Of every score, of teams of every kind; NaN exactly where the score is undefined or marked."""
    n_classes = 2 + seed % 4
    gold, teams, scored = field_scored(seed, n_classes, extra=seed % 2, n_items=40 + 40 * seed)
    groups = np.random.default_rng(seed).integers(0, 9, len(gold)) if grouped else None
    found = intervals_of(scored, Items.of(gold, teams, n_classes + seed % 2, groups))
    there = ~np.isnan(scored.values) & (found.marks == 0)
    np.testing.assert_array_equal(np.isnan(found.lower), ~there)
    np.testing.assert_array_equal(np.isnan(found.upper), ~there)
    least, most = (np.broadcast_to(ends, there.shape)[there] for ends in sizes_of(scored))
    lower, value, upper = found.lower[there], scored.values[there], found.upper[there]
    assert (least - 1e-12 <= lower).all()
    assert (lower <= value + 1e-12).all()
    assert (value <= upper + 1e-12).all()
    assert (upper <= most + 1e-12).all()
    assert (found.marks[np.isnan(scored.values)] == 0).all()


@pytest.mark.parametrize("hits", [(1, 1, 1), (1, 2, 3), (3, 3, 9)])
def test_recalls_of_few_hits_move_a_product_of_recalls_no_further_than_to_0(hits):
    """To less than the delta method does, and the wider end of both is printed."""
    confusion = np.zeros((3, 4), int)
    confusion[range(3), range(3)] = hits
    confusion[range(3), (1, 2, 0)] = 10 - np.array(hits)
    scored = as_scored(
        confusion[None],
        ("harmonic_macro_recall", "geometric_macro_recall"),
        prevalences=(OBSERVED,),
    )
    found = intervals_of(scored)
    expected = [
        reference.interval(confusion, key, OBSERVED, scored.label_set) for key in scored.keys
    ]
    assert (found.lower >= 0).all()
    assert np.stack([found.lower[:, 0], found.upper[:, 0]], axis=1) == pytest.approx(
        np.array(expected), abs=2e-7
    )


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_constant_system_s_score_is_not_taken_for_one_that_cannot_vary(grouped, n_classes):
    """What one answer scores by construction, a team that may give another need not; no answer at all scores 0."""
    gold = np.repeat([0, 1, 2], [40, 20, 9])[: -9 if n_classes == 2 else None]
    n_items = len(gold)
    teams = [np.full(n_items, answer) for answer in range(n_classes + 1)]
    groups = np.arange(n_items) % 11 if grouped else None
    names = ("macro_recall", "kappa", "mcc", "averaged_f1", "macro_precision", "f1_of_averages")
    scored = as_scored(confusions_of(gold, teams, n_classes), names)
    found = intervals_of(scored, Items.of(gold, teams, n_classes, groups))
    one_answer = slice(0, n_classes)
    assert (found.lower[:, one_answer] < scored.values[:, one_answer]).all()
    assert (scored.values[:, one_answer] < found.upper[:, one_answer]).all()
    row = scored.keys.index(ScoreKey("macro_recall"))
    if not grouped:  # at the end of the range: as if of N items
        expected = reference.wilson(0.0, n_items, stats.norm.ppf(0.975))
        assert (found.lower[row, -1], found.upper[row, -1]) == pytest.approx(expected)


def test_more_items_of_the_same_kind_make_an_interval_narrower():
    """Of every score that has a width, and about as the root of their number, where every class is predicted."""
    _, _, scored = field_scored(7, 3, n_items=600)
    more = replace(scored, cells=replace(scored.cells, counts=scored.cells.counts * 4))
    once, often = intervals_of(scored), intervals_of(more)
    there = (once.marks == 0) & (often.marks == 0) & (once.upper - once.lower > 1e-9)
    there &= (scored.cells.answers[:, :-1] > 0).all(axis=1)
    ratio = (often.upper - often.lower)[there] / (once.upper - once.lower)[there]
    assert (ratio < 1).all()
    assert np.median(ratio) == pytest.approx(0.5, abs=0.03)


# What must not change an interval


def assert_alike(one, other, rows=slice(None), teams=slice(None), atol=1e-9):
    """Two intervals are one, the teams and scores of the second in another order."""
    np.testing.assert_allclose(one.lower, other.lower[rows][:, teams], atol=atol)
    np.testing.assert_allclose(one.upper, other.upper[rows][:, teams], atol=atol)
    np.testing.assert_array_equal(one.marks, other.marks[rows][:, teams])
    np.testing.assert_allclose(one.gap_upper, other.gap_upper[teams], atol=atol)
    np.testing.assert_array_equal(one.gap_marks, other.gap_marks[teams])


@pytest.mark.parametrize("grouped", [False, True])
def test_the_order_of_classes_changes_nothing(grouped):
    """Relabelled gold and answers have the same intervals under the new names."""
    gold, teams, scored = field_scored(8, 4, n_items=200)
    new = np.array([2, 0, 3, 1, 4])  # the code of each old one; unanswered stays
    groups = np.arange(200) // 7 if grouped else None
    there = intervals_of(scored, Items.of(gold, teams, 4, groups))
    relabelled, answers = new[gold], [new[given] for given in teams]
    names = [
        name
        if "[" not in name
        else f"{name.partition('[')[0]}[{','.join(sorted(_renamed(name, new)))}]"
        for name in names_of(4)
    ]
    shares = named_prevalence(gold, 4).shares
    moved = tuple((f"c{new[int(label[1:])]}", share) for label, share in shares)
    prevalences = (OBSERVED, BALANCED, replace(scored.prevalences[2], shares=moved))
    other = as_scored(confusions_of(relabelled, answers, 4), names, prevalences=prevalences)
    assert_alike(there, intervals_of(other, Items.of(relabelled, answers, 4, groups)))


def _renamed(name, new):
    inside = name.partition("[")[2].removesuffix("]")
    return [f"c{new[int(label[1:])]}" for label in inside.split(",")]


@pytest.mark.parametrize("grouped", [False, True])
def test_the_order_of_teams_and_items_changes_nothing(grouped):
    """Each team's intervals are its own, wherever it and the items stand."""
    gold, teams, scored = field_scored(9, 3)
    groups = np.arange(len(gold)) % 13 if grouped else None
    rng = np.random.default_rng(10)
    places, order = rng.permutation(len(teams)), rng.permutation(len(gold))
    other = as_scored(scored.cells.dense()[places], names_of(3), prevalences=scored.prevalences)
    items = Items.of(
        gold[order], [teams[team][order] for team in places], 3, groups[order] if grouped else None
    )
    assert_alike(
        intervals_of(other, items),
        intervals_of(scored, Items.of(gold, teams, 3, groups)),
        teams=places,
    )


@pytest.mark.parametrize("grouped", [False, True])
def test_a_team_s_twin_changes_nothing(grouped):
    """It has the same intervals, and nobody else's move."""
    gold, teams, scored = field_scored(11, 3)
    groups = np.arange(len(gold)) % 13 if grouped else None
    twice = [0, 1, 2, 3, 4, 5, 6, 7, 1]
    other = as_scored(scored.cells.dense()[twice], names_of(3), prevalences=scored.prevalences)
    found = intervals_of(other, Items.of(gold, [teams[team] for team in twice], 3, groups))
    assert_alike(
        found, intervals_of(scored, Items.of(gold, teams, 3, groups)), teams=twice, atol=1e-12
    )
    np.testing.assert_array_equal(found.lower[:, 1], found.lower[:, 8])
    np.testing.assert_array_equal(found.upper[:, 1], found.upper[:, 8])


def test_each_team_alone_has_the_interval_that_it_has_among_others():
    """The cells of others are empty in its confusion."""
    _, _, scored = field_scored(12, 3)
    whole = intervals_of(scored)
    for team in range(len(scored.cells.dense())):
        alone = as_scored(scored.cells.dense()[[team]], names_of(3), prevalences=scored.prevalences)
        assert_alike(intervals_of(alone), whole, teams=[team], atol=1e-12)


IDENTITIES = {
    "accuracy~": "macro_recall",
    "macro_recall~": "macro_recall",
    "geometric_macro_recall~": "geometric_macro_recall",
    "harmonic_macro_recall~": "harmonic_macro_recall",
    "weighted_f1~": "averaged_f1~",
    "recall[c1]~": "recall[c1]",
    "averaged_f1[c0,c1,c2]": "averaged_f1",
    "macro_recall[c0,c1,c2]~": "macro_recall",
    "f1_of_averages[c0,c1,c2]~": "f1_of_averages~",
}


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(("one", "other"), IDENTITIES.items())
def test_scores_equal_by_identity_have_the_same_interval(grouped, one, other):
    """Marks too. Kappa with balanced classes has its own, on the range from -1 on, though macro recall decides it."""
    gold, teams = field_of(13, 3)
    groups = np.arange(len(gold)) % 13 if grouped else None
    scored = as_scored(
        confusions_of(gold, teams, 3), [one.removesuffix("~"), other.removesuffix("~")]
    )
    found = intervals_of(scored, Items.of(gold, teams, 3, groups))
    rows = [list(map(str, scored.keys)).index(name) for name in (one, other)]
    for values in (scored.values, found.lower, found.upper):
        np.testing.assert_allclose(*values[rows], atol=1e-9)
    np.testing.assert_array_equal(*found.marks[rows])


# Groups


def test_groups_of_one_item_are_items_but_for_student_s_quantile():
    """The design effect of what can vary is (N/(N − 1))², and the quantile has N − 1 degrees of freedom."""
    gold, teams, scored = field_scored(14, 3)
    n_items = len(gold)
    alone = intervals_of(
        scored, Items.of(gold, teams, 3, np.random.default_rng(1).permutation(n_items))
    )
    row = scored.keys.index(ScoreKey("accuracy"))
    quantile, effect = stats.t.ppf(0.975, n_items - 1), (n_items / (n_items - 1)) ** 2
    expected = wilson(
        scored.values[row], n_items / np.where(scored.values[row] < 1, effect, 1), quantile
    )
    assert alone.lower[row] == pytest.approx(expected[0], abs=1e-12)
    assert alone.upper[row] == pytest.approx(expected[1], abs=1e-12)
    # every other score: as without groups, and hardly wider, the less so the more items its classes have
    without = intervals_of(scored, quantile=quantile)
    there = (alone.marks == 0) & ~np.isnan(scored.values)
    width, before = (found.upper[there] - found.lower[there] for found in (alone, without))
    assert (width >= before - 1e-12).all()
    rarest = np.bincount(gold).min()
    assert (width <= before * (rarest / (rarest - 1)) ** 2 + 1e-12).all()


def test_items_that_stand_there_twice_say_nothing_twice():
    """In groups of two identical items shares have the half's interval, with (N − 1)²/N items and Student's quantile.

    Other scores nearly so: there are half as many pseudo-items to each item. Not those of a perfect team: where nothing
    varies, nothing shows that items hang together.
    """
    gold, teams, half = field_scored(15, 3, n_items=2000)
    teams = teams[:-1]
    half = replace(
        half, cells=half.cells.of_teams(range(len(half.cells) - 1)), values=half.values[:, :-1]
    )
    twice = as_scored(half.cells.dense() * 2, names_of(3), prevalences=half.prevalences)
    n_items = len(gold)
    groups = np.tile(np.arange(n_items), 2)
    items = Items.of(np.tile(gold, 2), [np.tile(team, 2) for team in teams], 3, groups)
    found = intervals_of(twice, items)
    quantile, effect = stats.t.ppf(0.975, n_items - 1), (n_items / (n_items - 1)) ** 2
    accuracy = half.keys.index(ScoreKey("accuracy"))
    expected = wilson(half.values[accuracy], n_items / effect, quantile)
    assert found.lower[accuracy] == pytest.approx(expected[0], abs=1e-12)
    assert found.upper[accuracy] == pytest.approx(expected[1], abs=1e-12)
    once = intervals_of(half, quantile=quantile)
    there = (found.marks == 0) & (once.marks == 0) & (once.upper - once.lower > 1e-9)
    ratio = (found.upper - found.lower)[there] / (once.upper - once.lower)[there]
    assert np.median(ratio) == pytest.approx(1, abs=0.01)


def test_equally_hard_items_of_a_group_widen_the_interval():
    """Twenty items that stand and fall together are hardly more than one."""
    rng = np.random.default_rng(16)
    gold = rng.integers(0, 2, 1000)
    right = np.repeat(rng.random(50) < 0.7, 20)
    teams = [np.where(right, gold, 1 - gold)]
    scored = as_scored(confusions_of(gold, teams, 2), AGGREGATES)
    grouped = intervals_of(scored, Items.of(gold, teams, 2, np.arange(1000) // 20))
    alone = intervals_of(scored)
    ratio = (grouped.upper - grouped.lower) / (alone.upper - alone.lower)
    assert ratio == pytest.approx(np.sqrt(20), rel=0.15)


def test_one_group_is_no_sample():
    """Nothing has an interval then, and the reason is said of every defined score and of the gap."""
    gold, teams, scored = field_scored(17, 3, extra=1)
    found = intervals_of(scored, Items.of(gold, teams, 4, np.zeros(len(gold), dtype=int)))
    few = MARKS.index(Mark.FEW_GROUPS)
    np.testing.assert_array_equal(found.marks, np.where(np.isnan(scored.values), 0, few))
    assert np.isnan(found.lower).all()
    assert np.isnan(found.upper).all()
    assert (found.gap_marks == few).all()
    assert np.isnan(found.gap_upper).all()


# Classes that are seldom or never predicted


def never(n_others=50):
    """A confusion whose last class of three is never predicted."""
    return np.array([[40, 10, 0, 0], [5, n_others, 0, 0], [4, 5, 0, 1]])


def ends_of(x, *names):
    """The intervals of some scores of one confusion, and the upper ends given that it never predicts a class."""
    found = intervals_of(as_scored([x], names, prevalences=(OBSERVED,)))
    return np.stack([found.lower, found.upper, found.upper_if_never], axis=-1)[:, 0].tolist()


def test_a_precision_that_nothing_is_known_of_adds_all_that_it_could():
    """A third to macro precision of three classes; of that class itself anything is possible."""
    ((lower, upper, given),) = ends_of(never(), "macro_precision")
    assert 1 / 3 - 0.02 < upper - given <= 1 / 3
    assert lower < (40 / 49 + 50 / 65) / 3 < given
    assert ends_of(never(), "precision[c2]") == [[0.0, 1.0, pytest.approx(np.nan, nan_ok=True)]]


def test_an_f1_that_goes_to_0_with_the_answers_adds_its_own_upper_end():
    """With all other classes perfect in many items, a third of the upper end of F1, from ten items without a hit."""
    proportion = pytest.importorskip(
        "statsmodels.stats.proportion", reason="statsmodels is the oracle"
    )
    x = np.array([[10**7, 0, 0, 0], [0, 10**7, 0, 0], [0, 0, 0, 10]])
    ((lower, upper, given),) = ends_of(x, "averaged_f1")
    share = proportion.proportion_confint(0, 10, method="wilson")[1]
    assert upper == pytest.approx(2 / 3 + 2 * share / (1 + share) / 3, abs=1e-6)
    assert lower == pytest.approx(2 / 3, abs=1e-5)
    assert np.isnan(given)  # nothing is assumed


NAMED = [
    "averaged_f1[c0,c1]",
    "macro_precision[c0,c1]",
    "mean(averaged_f1[c0,c1],macro_precision[c0,c1])",
]


@pytest.mark.parametrize("name", NAMED)
def test_a_class_that_is_left_out_leaves_nothing_open(name):
    """The average over the others has the interval that it has where that class is often predicted."""
    often = never()
    often[2] = [4, 5, 1, 0]
    often[:, 2] += [0, 0, 90]
    ((lower, upper, given),) = ends_of(never(), name)
    assert np.isnan(given)
    assert upper - lower == pytest.approx(np.diff(ends_of(often, name)[0][:2])[0], rel=0.1)


def test_a_mean_moves_as_its_scores_do():
    """The mean of a score with itself over the same classes has its interval; that of two is between theirs."""
    one, other, both = ends_of(
        never(), "averaged_f1", "macro_precision", "mean(averaged_f1,macro_precision)"
    )
    assert max(one[0], other[0]) > both[0] > min(one[0], other[0]) - 0.05
    assert min(one[1], other[1]) < both[1] < max(one[1], other[1])
    assert both[1] - both[2] == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    "name",
    ["f2[c2]", "informedness[c2]", "jaccard[c2]", "f1[c2]~", "precision[c2]~", "specificity[c2]~"],
)
@pytest.mark.parametrize("answers", [0, 1, 4])
def test_every_score_of_a_seldom_predicted_class_has_an_interval(name, answers):
    """Around the score, inside its range, and wide: so few answers say little."""
    x = never()
    x[2, 0] -= answers
    x[2, 2] += answers
    if answers == 4:
        x[0, 0] -= 1
        x[0, 2] += 1
        x[2, 2] -= 1
        x[2, 0] += 1
    metric = name.removesuffix("~")
    scored = as_scored([x], [metric], prevalences=(OBSERVED, BALANCED))
    row = list(map(str, scored.keys)).index(name)
    found = intervals_of(scored)
    lower, upper, value = found.lower[row, 0], found.upper[row, 0], scored.values[row, 0]
    assert METRICS[metric.partition("[")[0]].lower <= lower <= value <= upper <= 1
    assert upper - lower > (0.02 if "specificity" in name else 0.15)


# Where nothing works


def rarely(n_classes, *, n_rare, predicted, n_items=30):
    """A confusion whose last class has few items and is predicted as often as said, by mistake or not."""
    x = np.zeros((n_classes, n_classes + 1), dtype=int)
    x[np.arange(n_classes), np.arange(n_classes)] = n_items
    x[0, 1] = 7
    x[-1] = 0
    x[-1, 0] = n_rare - min(n_rare, predicted)
    x[-1, -2] = min(n_rare, predicted)
    x[0, -2] = predicted - min(n_rare, predicted)
    return x


@pytest.mark.parametrize("n_classes", [3, 19, 20, 21])
@pytest.mark.parametrize("n_rare", [1, 4, 5])
@pytest.mark.parametrize("predicted", [0, 1, 4, 5])
def test_marks_stand_exactly_where_nothing_works(n_classes, n_rare, predicted):
    """Rare classes, by themselves or among twenty, and no other score; beside a rough interval but for products."""
    x = rarely(n_classes, n_rare=n_rare, predicted=predicted)
    names = [*AGGREGATES, *(f"{slug}[c{code}]" for slug in CLASSES for code in (0, n_classes - 1))]
    names += [f"{slug}[c0,c{n_classes - 1}]" for slug in OVER_CLASSES]
    names += [f"{slug}[c0,c1]" for slug in OVER_CLASSES]
    scored = as_scored([x], names)
    found = intervals_of(scored)
    for row, key in enumerate(scored.keys):
        assert MARKS[found.marks[row, 0]] == reference.mark(x, key, scored.label_set), key
        without = found.marks[row, 0] and ("geometric" in key.metric or "harmonic" in key.metric)
        assert np.isnan(found.lower[row, 0]) == bool(without), key
    gap = reference.mark(x, ScoreKey("averaged_f1"), scored.label_set)
    assert MARKS[found.gap_marks[0]] == gap
    assert 0 <= found.gap_upper[0] <= 0.5


def test_a_class_outside_the_average_marks_nothing():
    """Averages over named classes depend on these alone; a class without gold is in no average."""
    x = np.array([[30, 5, 0, 0], [4, 30, 0, 0], [0, 0, 0, 0]])
    scored = as_scored([x], [*AGGREGATES, "averaged_f1[c0,c2]"])
    assert not intervals_of(scored).marks.any()


# Other doors


def test_another_quantile_gives_other_ends():
    """With the quantile of 95% they are the intervals; a larger one gives wider ones; a marked score has none."""
    gold, teams = field_of(18, 3)
    evaluation, items = scored_with_items(gold, teams, 3)
    certain = made_certain(gold, teams, 3)
    for name in ("accuracy", "averaged_f1", "mcc"):
        for prevalence in ("observed", "balanced"):
            key = ScoreKey(name, prevalence)
            for entry in range(len(teams)):
                usual = ends_of_entry(evaluation, key, entry, items, quantile_of(0))
                ends = certain.intervals[str(key)].to_numpy()[entry]
                assert usual == pytest.approx(ends, abs=1e-12, nan_ok=True)
                wider = ends_of_entry(evaluation, key, entry, items, 3.0)
                assert np.isnan(usual[0]) or (wider[0] <= usual[0] <= usual[1] <= wider[1])


@pytest.mark.parametrize("n_groups", [0, 1, 2, 30])
def test_quantiles_are_student_s_where_groups_are_drawn(n_groups):
    """The normal one where there are none; with a single group no smaller than with two."""
    theirs = stats.norm.ppf(0.975) if not n_groups else stats.t.ppf(0.975, max(n_groups - 1, 1))
    assert quantile_of(n_groups) == pytest.approx(theirs, abs=1e-9)


def test_dropped_items_are_in_no_interval():
    """A team that leaves out items is scored on what is left; where it lost a class, what needs it is undefined."""
    gold = np.repeat([0, 1, 2], [40, 30, 10])
    rng = np.random.default_rng(19)
    whole = np.where(rng.random(80) < 0.8, gold, (gold + 1) % 3)
    partly, lost = whole.copy(), whole.copy()
    partly[::4], lost[gold == 2] = 3, 3
    certain = made_certain(gold, [whole, partly, lost], 3, missing="drop")
    kept = gold[partly != 3], whole[partly != 3]
    alone = made_certain(kept[0], [kept[1]], 3)
    for name in ("accuracy", "averaged_f1", "mcc~", "f1[c1]"):
        found, expected = certain.intervals[name].to_numpy(), alone.intervals[name].to_numpy()
        assert found[1] == pytest.approx(expected[0], abs=1e-9, nan_ok=True)
    assert np.isnan(certain.intervals["averaged_f1"].to_numpy()[2]).all()
    assert not np.isnan(certain.intervals["accuracy"].to_numpy()[2]).any()
    assert certain.marks["averaged_f1"].iloc[2] == ""
    assert np.isnan(certain.certainty.intervals.gap_upper[2])


@pytest.mark.parametrize("grouped", [False, True])
def test_all_keys_of_a_task_have_an_interval_or_a_reason(grouped):
    """As the engine asks for them: every metric at every prevalence."""
    gold, teams = field_of(20, 3)
    labels, prevalences = labels_of(3), (OBSERVED, BALANCED, named_prevalence(gold, 3))
    confusions = confusions_of(gold, teams, 3)
    keys = all_keys(labels, prevalences)
    values = score(confusions, keys, prevalences, labels)
    groups = np.arange(len(gold)) % 10 if grouped else None
    found = intervals_of(
        Scored(Cells.of(confusions), keys, values, prevalences, labels),
        Items.of(gold, teams, 3, groups),
    )
    np.testing.assert_array_equal(np.isnan(found.lower), np.isnan(values) | (found.marks > 0))


def test_a_class_that_everybody_dropped_is_still_in_gold():
    """What averages over it is undefined for all, the gap of the macro F1s too; a team may be left with nothing."""
    gold = np.repeat([0, 1, 2], [20, 20, 5])
    given = np.where(np.arange(45) % 5 == 0, (gold + 1) % 3, gold)
    given[gold == 2] = 3
    nothing = np.full(45, 3)
    certain = made_certain(gold, [given, given, nothing], 3, missing="drop")
    assert np.isnan(certain.certainty.intervals.gap_upper).all()
    assert np.isnan(certain.intervals["averaged_f1~"].to_numpy()).all()
    assert not np.isnan(certain.intervals["accuracy"].to_numpy()[:2]).any()
    assert np.isnan(certain.intervals["accuracy"].to_numpy()[2]).all()
    alone = made_certain(gold, [nothing], 3, missing="drop")
    assert np.isnan(alone.certainty.intervals.lower).all()
