"""Influence values item by item: sums by group, design effects, and products that no processor rounds otherwise."""

from fractions import Fraction

import numpy as np
import pytest

from audit.domain import BALANCED, OBSERVED, ScoreKey
from audit.inference import influence_blocks
from audit.inference import items as module
from audit.inference.differences import differences
from audit.inference.influence_blocks import Splitting
from audit.inference.items import Items, design_effect_of, leverage_of
from audit.metrics import (
    METRICS,
    Cells,
    Margins,
    gradient_of,
    influence,
    named_metric,
    row_scale,
    score,
)

from .campaigns import field_of, labels_of, scored_with_items
from .reference import design_effect, leverage

N_CLASSES = 3
NAMES = ("accuracy", "averaged_f1", "mcc", "f1[c1]")


def influence_of(name, confusions, prevalence=OBSERVED, *, stratified=False):
    """Influence of a score of every team."""
    cells = Cells.of(confusions)
    scale = None
    if prevalence is BALANCED:
        prevalences = confusions.sum(axis=-1)
        scale = row_scale(prevalences, (prevalences[0] > 0) / (prevalences[0] > 0).sum())
    gradient = gradient_of(name, Margins.of_cells(cells, scale), labels_of(confusions.shape[1]))
    return influence(gradient, cells, scale, stratified=stratified)


def counted(gold, teams, n_classes=N_CLASSES):
    """Confusions; what lies beyond *unanswered* is dropped."""
    confusions = np.zeros((len(teams), n_classes, n_classes + 2), dtype=np.int64)
    for confusion, given in zip(confusions, teams, strict=True):
        np.add.at(confusion, (gold, given), 1)
    return confusions[..., :-1]


@pytest.fixture(scope="module")
def field():
    """Gold, eight teams, of which one leaves items out, and 15 groups with numbers of no order."""
    gold, teams = field_of(21, N_CLASSES)
    groups = np.random.default_rng(22).choice([7, -3, *range(100, 113)], len(gold))
    teams[1] = np.where(np.arange(len(gold)) % 9 == 0, N_CLASSES, teams[1])
    return gold, teams, groups


def key_of(name, code=None, prevalence=OBSERVED):
    """A score, of a class by its code."""
    return ScoreKey(name if code is None else f"{name}[c{code}]", prevalence.name)


def shares_of(name, gold, given, groups, prevalence=OBSERVED):
    """The leverage of every group, in the order of their numbers, by loops."""
    shares = leverage(
        key_of(name, prevalence=prevalence), prevalence, labels_of(N_CLASSES), (gold, given, groups)
    )
    return np.array([shares[group] for group in np.unique(groups)])


def leverage_in(items, name, gold):
    """The leverage of every group, as the engine has it."""
    shares = np.bincount(gold, minlength=N_CLASSES) / len(gold)
    return leverage_of(named_metric(name, labels_of(N_CLASSES)), items, shares, None)


def values_of(of, gold, given):
    """Influence of each item's answer, in the order of the items; shape (T, N)."""
    by_cell = np.stack([of.of_gold(code) for code in range(N_CLASSES)], axis=1)
    return np.stack([each[gold, answers] for each, answers in zip(by_cell, given, strict=True)])


# Sums by group


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("block", [1 << 20, 40])
def test_sums_by_group_are_those_of_loops(monkeypatch, field, name, block):
    """However many values are taken at once; the groups in the order of their numbers."""
    monkeypatch.setattr(influence_blocks, "_VALUES", block)
    gold, teams, groups = field
    of = influence_of(name, counted(gold, teams))
    found = Items.of(gold, teams, N_CLASSES, groups)
    values = values_of(of, gold, teams)
    expected = np.stack(
        [values[:, groups == group].sum(axis=1) for group in np.unique(groups)], axis=1
    )
    assert found.n_groups == len(np.unique(groups))
    even = np.zeros((1, found.n_groups))
    assert found.by_group(of, even) == pytest.approx(expected, abs=1e-15)
    shares = leverage_in(found, name, gold)
    for team, given in enumerate(teams):
        own = shares_of(name, gold, given, groups)
        assert shares[min(team, len(shares) - 1)] == pytest.approx(own, abs=1e-12)
    assert found.by_group(of, shares) == pytest.approx(expected / (1 - shares), abs=1e-14)


def test_items_alone_are_the_units():
    """Where there are no groups, there are as many draws as items."""
    gold, teams = field_of(23, N_CLASSES)
    items = Items.of(gold, teams, N_CLASSES)
    assert items.n_groups == 0


def test_dropped_items_add_nothing(field):
    """Neither to a group nor to a covariance."""
    gold, teams, groups = field
    short = teams[0].copy()
    short[::3] = N_CLASSES  # missing
    codes = [*teams[1:], short]
    items = Items.of(gold, codes, N_CLASSES, groups, drop_missing=True)
    dropped = [np.where(given == N_CLASSES, N_CLASSES + 1, given) for given in codes]
    confusions = counted(gold, dropped)
    of = influence_of("accuracy", confusions)
    values = np.stack(
        [
            np.where(given > N_CLASSES, 0, of_team[gold, np.minimum(given, N_CLASSES)])
            for given, of_team in zip(
                dropped,
                np.stack([of.of_gold(code) for code in range(N_CLASSES)], axis=1),
                strict=True,
            )
        ]
    )
    expected = np.stack(
        [values[:, groups == group].sum(axis=1) for group in np.unique(groups)], axis=1
    )
    assert items.by_group(of, np.zeros((1, items.n_groups))) == pytest.approx(expected, abs=1e-15)
    assert items.covariance(of) == pytest.approx(values @ values.T, abs=1e-12)


# Design effects


@pytest.mark.parametrize("name", NAMES)
def test_design_effects_are_those_of_loops(field, name):
    """At least 1; each group as if it were left out."""
    gold, teams, groups = field
    of, items = influence_of(name, counted(gold, teams)), Items.of(gold, teams, N_CLASSES, groups)
    found = items.design_effect(of, leverage_in(items, name, gold))
    for team, given in enumerate(teams):
        psi = np.stack([of.of_gold(code)[team] for code in range(N_CLASSES)])
        shares = leverage(key_of(name), OBSERVED, labels_of(N_CLASSES), (gold, given, groups))
        assert found[team] == pytest.approx(
            design_effect(psi, gold, given, groups, shares), abs=1e-9
        )


@pytest.mark.parametrize("prevalence", [OBSERVED, BALANCED], ids=lambda prevalence: prevalence.name)
@pytest.mark.parametrize("slug", ["recall", "precision", "f1", "jaccard", "specificity"])
@pytest.mark.parametrize("block", [1 << 20, 1])
@pytest.mark.parametrize("drop", [False, True])
def test_design_effects_of_class_scores_are_those_of_loops(  # noqa: PLR0913, PLR0917 - one for each choice
    monkeypatch, field, prevalence, slug, block, drop
):
    """Class by class and item by item, however many teams are taken at once, also where items are dropped."""
    monkeypatch.setattr(module, "_VALUES", block)
    gold, teams, groups = field
    items = Items.of(gold, teams, N_CLASSES, groups, drop_missing=drop)
    codes = [np.where((given == N_CLASSES) & drop, N_CLASSES + 1, given) for given in teams]
    confusions = counted(gold, codes)
    cells, scale = Cells.of(confusions), None
    if prevalence is BALANCED:
        scale = row_scale(confusions.sum(axis=-1), np.full(N_CLASSES, 1 / N_CLASSES))
    gradient = METRICS[slug].gradient(Margins.of_cells(cells, scale))
    found = items.class_design_effects(gradient, cells, scale, METRICS[slug].proportion)
    for code in range(N_CLASSES):
        of = influence(gradient.of_class(code), cells, scale)
        for team, given in enumerate(codes):
            psi = np.stack([of.of_gold(row)[team] for row in range(N_CLASSES)])
            key = key_of(slug, code, prevalence)
            shares = leverage(key, prevalence, labels_of(N_CLASSES), (gold, given, groups))
            expected = design_effect(psi, gold, given, groups, shares)
            assert found[team, code] == pytest.approx(expected, abs=1e-7), (team, code)


def test_a_design_effect_is_at_least_one():
    """Groups that cancel out say nothing; nor do they where nothing varies."""
    found = design_effect_of(np.array([0.5, 4.0, 1e-30]), np.array([1.0, 1.0, 0.0]))
    assert found.tolist() == [1.0, 4.0, 1.0]


@pytest.mark.parametrize(
    "name", ["accuracy", "recall[c1]", "precision[c1]", "jaccard[c1]", "specificity[c0]"]
)
def test_a_share_moves_without_a_group_as_the_influence_over_one_less_its_leverage(field, name):
    """Exactly, for every share of items: the score less what it is on the items of all other groups."""
    gold, teams, groups = field
    items, key = Items.of(gold, teams, N_CLASSES, groups), ScoreKey(name)
    found = items.by_group(influence_of(name, counted(gold, teams)), leverage_in(items, name, gold))
    labels = labels_of(N_CLASSES)
    for place, group in enumerate(np.unique(groups)):
        kept = groups != group
        both = [
            counted(gold[which], [given[which] for given in teams]) for which in (kept | True, kept)
        ]
        whole, rest = (score(each, [key], [OBSERVED], labels)[0] for each in both)
        assert found[:, place] == pytest.approx(whole - rest, abs=1e-12)


def test_a_class_in_one_group_alone_is_one_item():
    """Of how its scores vary nothing is known: all items count as one; a score of all items is another matter."""
    gold, groups = np.array([0, 0, 1, 1, 0, 0]), np.array([7, 7, 8, 8, 9, 9])
    teams = [np.array([0, 1, 1, 1, 0, 0])]
    items, cells = Items.of(gold, teams, 2, groups), Cells.of(counted(gold, teams, 2))
    gradient = METRICS["recall"].gradient(Margins.of_cells(cells))
    assert items.class_design_effects(gradient, cells, None, METRICS["recall"].proportion)[
        0, 1
    ] == len(gold)
    shares = leverage_of(
        named_metric("recall[c1]", labels_of(2)), items, np.array([4, 2]) / 6, None
    )
    assert shares.tolist() == [[0.0, 1.0, 0.0]]
    of = influence(gradient.of_class(1), cells)
    assert items.design_effect(of, shares).tolist() == [len(gold)]


# Products


def split_gram(columns, largest, n_columns):
    """Ψ Ψᵀ as the engine multiplies it, some columns at a time."""
    splitting = Splitting.of(largest, n_columns)
    return splitting.gram(splitting.products(columns))


def exactly(psi):
    """Ψ Ψᵀ without any rounding."""
    rows = [[Fraction(value) for value in row] for row in psi.tolist()]
    return [[sum(a * b for a, b in zip(one, other, strict=True)) for other in rows] for one in rows]


def skewed(rng, n_columns):
    """Values as they are with one rare class: many alike and small, a few large, two rows nearly the same."""
    small, large = rng.uniform(1e-5, 1e-3, (4, 2)), rng.uniform(0.1, 1, (4, 2))
    rare, right = rng.random(n_columns) < 0.05, rng.random((4, n_columns)) < 0.8
    pick = np.arange(4)[:, None]
    psi = np.where(rare, large[pick, right.astype(int)], small[pick, right.astype(int)])
    psi[1] = psi[0] * (1 + 1e-7)
    psi[1, :2] += 1e-4
    return psi


@pytest.mark.parametrize("seed", range(5))
def test_products_are_exact_but_for_the_last_digits(seed):
    """Against fractions: also the variance of a difference that is small beside the variances of both."""
    psi = skewed(np.random.default_rng(seed), 400)
    largest, sums = np.abs(psi).max(axis=1), np.abs(psi).sum(axis=1)
    found, exact = split_gram([psi], largest, 400), exactly(psi)
    off = 400 * 2.0**-49  # of the largest value: what is left of each one
    for one, other in np.ndindex(4, 4):
        bound = off * (sums[one] * largest[other] + sums[other] * largest[one])
        assert abs(found[one, other] - float(exact[one][other])) < bound
        difference = float(exact[one][one] + exact[other][other] - 2 * exact[one][other])
        assert found[one, one] + found[other, other] - 2 * found[one, other] == pytest.approx(
            difference, rel=1e-6, abs=1e-15 * float(exact[one][one])
        )


def test_two_teams_that_differ_in_few_items_of_a_large_class_have_their_variance():
    """A million items and a rare class: values of the two classes differ by a factor of 2,000."""
    confusions = np.zeros((2, 2, 3), dtype=np.int64)
    confusions[0] = [[900_000, 99_500, 0], [200, 300, 0]]
    confusions[1] = [[900_010, 99_490, 0], [200, 300, 0]]  # ten items of the large class more
    of = influence_of("macro_recall", confusions)
    counts = np.array([900_000, 10, 99_490, 200, 300])
    first, second = (
        np.array([rows[0][p] for p in answers] + [rows[1][0], rows[1][1]])
        for rows, answers in (
            ([of.of_gold(code)[0] for code in (0, 1)], (0, 1, 1)),
            ([of.of_gold(code)[1] for code in (0, 1)], (0, 0, 1)),
        )
    )
    psi = np.repeat(np.stack([first, second]), counts, axis=1)
    found = split_gram([psi], np.abs(psi).max(axis=1), psi.shape[1])
    exact = float(
        sum(
            n * (Fraction(a) - Fraction(b)) ** 2
            for n, a, b in zip(counts.tolist(), first, second, strict=True)
        )
    )
    assert found[0, 0] + found[1, 1] - 2 * found[0, 1] == pytest.approx(exact, rel=1e-4)


def test_products_do_not_depend_on_order_or_blocks():
    """To the last bit: integers sum to the same, whatever comes first, and however many are taken at once."""
    rng = np.random.default_rng(24)
    psi = skewed(rng, 5000) * rng.choice([-1, 1], 5000)
    largest = np.abs(psi).max(axis=1)
    whole = split_gram([psi], largest, 5000)
    for order in (rng.permutation(5000), np.arange(5000)[::-1]):
        shuffled = psi[:, order]
        assert split_gram([shuffled], largest, 5000).tobytes() == whole.tobytes()
        parts = np.split(shuffled, [1, 7, 2500], axis=1)
        assert split_gram(parts, largest, 5000).tobytes() == whole.tobytes()
    np.testing.assert_array_equal(whole, whole.T)


def test_products_of_nothing_are_0():
    """A team whose answers cannot move its score."""
    psi = np.array([[0.0, 0.0], [0.5, -0.5]])
    assert split_gram([psi], np.array([0.0, 0.5]), 2).tolist() == [[0, 0], [0, 0.5]]
    assert split_gram([], np.array([1.0]), 0).tolist() == [[0.0]]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("grouped", [False, True])
def test_covariances_are_products_of_influence(field, name, grouped):
    """Summed over items, or over groups left out one by one; twins have the same row to the last bit."""
    gold, teams, groups = field
    teams = [*teams, teams[0].copy()]
    of = influence_of(name, counted(gold, teams))
    items = Items.of(gold, teams, N_CLASSES, groups)
    shares = leverage_in(items, name, gold)
    values = items.by_group(of, shares) if grouped else values_of(of, gold, teams)
    found = items.covariance(of, shares if grouped else None)
    assert found == pytest.approx(
        values @ values.T, rel=1e-9, abs=1e-12 * np.abs(values).max() ** 2
    )
    np.testing.assert_array_equal(found[0], found[-1])
    np.testing.assert_array_equal(found[:, 0], found[:, -1])


@pytest.mark.parametrize("block", [1 << 20, 50])
def test_covariances_do_not_depend_on_the_order_of_items(monkeypatch, field, block):
    """Nor on how many values are taken at once: the same bytes, by item and by group."""
    gold, teams, groups = field
    of = influence_of("averaged_f1", counted(gold, teams))
    order = np.random.default_rng(25).permutation(len(gold))
    expected = Items.of(gold, teams, N_CLASSES, groups)
    monkeypatch.setattr(influence_blocks, "_VALUES", block)
    shuffled = Items.of(gold[order], [given[order] for given in teams], N_CLASSES, groups[order])
    assert shuffled.covariance(of).tobytes() == expected.covariance(of).tobytes()
    by_group = (
        each.covariance(of, leverage_in(each, "averaged_f1", gold)) for each in (shuffled, expected)
    )
    np.testing.assert_allclose(*by_group, rtol=1e-12)


def test_scores_of_some_teams_have_part_of_the_covariance(field):
    """Rows and columns of those teams."""
    gold, teams, _ = field
    of = influence_of("averaged_f1", counted(gold, teams))
    kept = np.array([4, 1])
    part = influence_of("averaged_f1", counted(gold, [teams[team] for team in kept]))
    items = Items.of(gold, teams, N_CLASSES)
    whole = items.covariance(of)
    assert items.of_teams(kept).covariance(part) == pytest.approx(
        whole[np.ix_(kept, kept)], rel=1e-9
    )


def test_the_diagonal_holds_the_variances_of_the_delta_method():
    """Σ counts ψ² of each team."""
    gold, teams = field_of(26, N_CLASSES)
    confusions = counted(gold, teams)
    for name in NAMES:
        for prevalence in (OBSERVED, BALANCED):
            key = ScoreKey(name, prevalence.name)
            of = influence_of(name, confusions, prevalence)
            dense = np.stack([of.of_gold(code) for code in range(N_CLASSES)], axis=1)
            exact = (confusions * dense**2).sum(axis=(1, 2))
            found = Items.of(gold, teams, N_CLASSES).covariance(of)
            assert np.diagonal(found) == pytest.approx(exact, rel=1e-9, abs=1e-18), key


def test_where_a_class_is_in_one_group_alone_no_score_of_it_is_compared():
    """How its scores vary from group to group nothing tells; scores of all items are compared."""
    gold, groups = np.repeat([0, 1, 0, 0], 5), np.repeat([7, 8, 9, 10], 5)
    teams = [np.where(np.arange(20) % step == 0, 1 - gold, gold) for step in (3, 4)]
    evaluation, items = scored_with_items(gold, teams, 2, groups=groups)
    assert differences(evaluation, ScoreKey("recall[c1]"), items).teams.size == 0
    assert differences(evaluation, ScoreKey("accuracy"), items).teams.tolist() == [0, 1]
