"""Built-in baselines against scikit-learn's dummy classifiers, and against all that they could have drawn."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier

from audit.domain import BALANCED, OBSERVED, LabelSet, Prevalence, ScoreKey
from audit.metrics import (
    BASELINE_KINDS,
    ORACLE_TEAMS,
    all_keys,
    chance_baselines,
    count_confusions,
    oracle,
    score,
)
from tests.nightly import examples

PREVALENCES = (OBSERVED, BALANCED, Prevalence("named", (("c0", 0.6), ("c1", 0.3), ("c2", 0.1))))
COUNTS = np.array([60, 25, 15, 0])
LABELS = LabelSet(("c0", "c1", "c2", "never"))
STRATEGIES = {"uniform": "uniform", "prevalence": "stratified"}


def baselines(counts=COUNTS, labels=LABELS, prevalences=PREVALENCES, further=()):
    """Score by key, and its Monte Carlo error, of each baseline."""
    keys = (*all_keys(labels, prevalences), *further)
    found = chance_baselines(counts, keys, prevalences, labels)
    return keys, {each.slug: (each.values, each.standard_errors) for each in found}


def gold_of(counts):
    return np.repeat(np.arange(len(counts)), counts)


def drawn(counts, strategy, n_draws):
    """Confusions of scikit-learn's dummy classifier, drawn anew each time."""
    gold = gold_of(counts)
    dummy = DummyClassifier(strategy=strategy, random_state=1).fit(np.zeros((len(gold), 1)), gold)
    answers = dummy.predict(np.zeros((n_draws * len(gold), 1))).reshape(n_draws, -1)
    return count_confusions(gold, list(answers), len(counts))


@pytest.mark.parametrize("slug", STRATEGIES)
def test_random_baselines_are_those_of_scikit_learn(slug):
    """Every expected score, exact or drawn, within five standard errors of 2,000 dummy classifiers."""
    keys, found = baselines()
    theirs = score(drawn(COUNTS, STRATEGIES[slug], 2000), keys, PREVALENCES, LABELS)
    values, errors = found[slug]
    margin = 5 * np.hypot(errors, theirs.std(axis=1) / np.sqrt(2000)) + 1e-12
    for key, ours, mean, most in zip(keys, values, theirs.mean(axis=1), margin, strict=True):
        assert np.isnan(ours) == np.isnan(mean), str(key)
        assert np.isnan(ours) or abs(ours - mean) <= most, str(key)


def test_the_majority_is_that_of_scikit_learn():
    """Exactly, the first of the most frequent where several are."""
    for counts in (COUNTS, np.array([10, 30, 30, 0])):
        keys, found = baselines(counts)
        gold = gold_of(counts)
        dummy = DummyClassifier(strategy="most_frequent").fit(gold[:, None], gold)
        theirs = count_confusions(gold, [dummy.predict(gold[:, None])], len(counts))
        np.testing.assert_array_equal(
            found["majority"][0], score(theirs, keys, PREVALENCES, LABELS)[:, 0]
        )
        assert not found["majority"][1].any()


@given(st.lists(st.integers(1, 4), min_size=2, max_size=3), st.sampled_from(sorted(STRATEGIES)))
def test_exact_expectations_are_sums_over_everything_that_can_be_drawn(counts, slug):
    """All assignments of labels to a few items, each with its probability."""
    while sum(counts) > 6:
        counts[counts.index(max(counts))] -= 1
    counts, n_classes = np.array(counts), len(counts)
    labels = LabelSet(tuple(f"c{code}" for code in range(n_classes)))
    keys, found = baselines(counts, labels, (OBSERVED, BALANCED), (ScoreKey("averaged_f1[c0]"),))
    shares = np.full(n_classes, 1 / n_classes) if slug == "uniform" else counts / counts.sum()
    answers = np.array(list(itertools.product(range(n_classes), repeat=int(counts.sum()))))
    chance = shares[answers].prod(axis=1)
    scores = score(
        count_confusions(gold_of(counts), list(answers), n_classes),
        keys,
        (OBSERVED, BALANCED),
        labels,
    )
    values, errors = found[slug]
    exact = errors == 0
    np.testing.assert_allclose(values[exact], (scores @ chance)[exact], rtol=0, atol=1e-12)
    np.testing.assert_array_less(np.abs(values - scores @ chance)[~exact], 5 * errors[~exact])


def test_what_has_a_closed_form_is_exact():
    """And the rest says how far off it may be."""
    keys, found = baselines(
        further=(ScoreKey("averaged_f1[c0,c2]"), ScoreKey("macro_recall[never]"))
    )
    for values, errors in (found[slug] for slug in STRATEGIES):
        exact = {str(key) for key, error in zip(keys, errors, strict=True) if error == 0}
        drawn_keys = {str(key) for key in keys} - exact
        assert {
            "accuracy",
            "macro_recall",
            "macro_precision",
            "averaged_f1",
            "weighted_f1",
            "kappa",
            "mcc",
        } <= exact
        assert {
            "accuracy~",
            "kappa~",
            "geometric_macro_recall@named",
            "f1[c0]",
            "averaged_f1[c0,c2]",
        } <= exact
        assert {
            "f1_of_averages",
            "harmonic_macro_recall",
            "mcc~",
            "averaged_f1~",
            "kappa@named",
        } <= drawn_keys
        assert np.isnan(values[-1])
        assert errors.max() < 0.01


@pytest.mark.parametrize("counts", [[50, 50], [20, 20, 20, 20]])
def test_in_a_balanced_gold_the_calibrated_expectations_are_the_observed_ones(counts):
    """Nothing is drawn for what is exact at observed prevalence."""
    labels = LabelSet(tuple(f"c{code}" for code in range(len(counts))))
    keys, found = baselines(np.array(counts), labels, (OBSERVED, BALANCED))
    values, errors = found["uniform"]
    half = len(keys) // 2
    np.testing.assert_allclose(values[:half], values[half:], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(errors[:half] == 0, errors[half:] == 0)


def test_a_gold_of_one_class_leaves_nothing_to_draw():
    """All three baselines answer with it."""
    keys, found = baselines(np.array([0, 7]), LabelSet(("a", "b")), (OBSERVED, BALANCED))
    for values, errors in found.values():
        np.testing.assert_array_equal(values, found["majority"][0])
        assert not errors.any()
    assert found["uniform"][0][keys.index(ScoreKey("accuracy"))] == 1
    assert np.isnan(found["uniform"][0][keys.index(ScoreKey("kappa"))])


def test_baselines_are_the_same_every_time_and_in_any_blocks(monkeypatch):
    """Their draws are seeded; memory is bounded by blocks of them."""
    keys, found = baselines()
    assert all(np.array_equal(found[slug], baselines()[1][slug], equal_nan=True) for slug in found)
    monkeypatch.setattr("audit.metrics.baselines._DRAWN_CELLS", 1 << 14)
    fewer = baselines()[1]["uniform"]
    assert fewer[1].max() > found["uniform"][1].max()
    margin = 5 * np.hypot(fewer[1], found["uniform"][1])
    defined = ~np.isnan(fewer[0])
    assert (np.abs(fewer[0] - found["uniform"][0]) <= margin)[defined].all()
    assert len(keys) == len(defined)


def test_items_are_drawn_where_no_matrix_of_cells_is_affordable(monkeypatch):
    """Their means are those of cells that are drawn, within the error that is told."""
    found = baselines()[1]["uniform"]
    monkeypatch.setattr("audit.metrics.baselines._DRAWN_CELLS", 1)
    by_item = baselines()[1]["uniform"]
    margin = 5 * np.hypot(by_item[1], found[1])
    defined = ~np.isnan(found[0]) & ~np.isnan(by_item[0])
    assert defined.any()
    assert (np.abs(by_item[0] - found[0]) <= margin)[defined].all()


def test_a_large_label_set_is_drawn_less_often():
    """As many classes as there may be, in bounded time and memory."""
    labels = LabelSet(tuple(f"c{code}" for code in range(150)))
    keys = [ScoreKey("f1_of_averages"), ScoreKey("averaged_f1")]
    for baseline in chance_baselines(np.full(150, 2), keys, [OBSERVED], labels):
        assert 0 <= baseline.values.min() <= baseline.values.max() < 0.02


# The oracle


@examples(18)
@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_the_oracle_is_right_where_any_is(n_teams, seed):
    """And has the first one's answer elsewhere, missing ones too."""
    rng = np.random.default_rng(seed)
    gold, teams = rng.integers(0, 3, 40), list(rng.integers(0, 5, (n_teams, 40)))
    for item, answer in enumerate(oracle(gold, teams).tolist()):
        given = [int(team[item]) for team in teams]
        assert answer == (gold[item] if gold[item] in given else given[0])


def test_every_baseline_is_in_the_registry():
    """With a title and an explanation that ends."""
    assert list(BASELINE_KINDS) == ["majority", "uniform", "prevalence", "oracle"]
    assert str(ORACLE_TEAMS) in BASELINE_KINDS["oracle"][0]
    for title, explanation in BASELINE_KINDS.values():
        assert title
        assert explanation.endswith(".")


def test_expectations_in_closed_form_need_no_draws():
    """Accuracy alone: every baseline has it without a Monte Carlo error."""
    for each in chance_baselines(COUNTS, [ScoreKey("accuracy")], [OBSERVED], LABELS):
        assert each.standard_errors.tolist() == [0.0]
