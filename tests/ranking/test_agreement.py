"""Rank correlations are SciPy's over the teams with both scores, and equal by identity is not equal by accident."""

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau, spearmanr

from audit.domain import BALANCED, Cells, LabelSet, Prevalence, ScoreKey, Task
from audit.metrics import AGGREGATES, parse_score_key, score
from audit.ranking.ranks import agreement, identical_rankings, kendall_tau_b, spearman
from tests.nightly import examples

LABELS = LabelSet(("a", "b", "c"))
TASK = Task("t", "T", LABELS)
BOTH = [Prevalence("observed"), BALANCED]
CORRELATIONS = pytest.mark.parametrize(
    ("correlation", "reference"),
    [(spearman, spearmanr), (kendall_tau_b, kendalltau)],
    ids=["spearman", "kendall"],
)

a_score = st.integers(0, 5).map(lambda tenths: tenths / 10) | st.just(np.nan)
score_tables = arrays(float, st.tuples(st.integers(1, 5), st.integers(0, 8)), elements=a_score)


def pair_by_pair(reference, scores):
    """A matrix of SciPy's coefficients; NaN with fewer than three teams, or where either metric is constant."""
    matrix = np.full((len(scores), len(scores)), np.nan)
    for row, first in enumerate(scores):
        for column, second in enumerate(scores):
            both = ~np.isnan(first) & ~np.isnan(second)
            if both.sum() >= 3 and np.ptp(first[both]) > 0 and np.ptp(second[both]) > 0:
                matrix[row, column] = reference(first[both], second[both]).statistic
    return matrix


@CORRELATIONS
@given(scores=score_tables, block=st.integers(1, 200))
@examples(21)
def test_correlations_are_scipys(correlation, reference, scores, block):
    """With ties, undefined scores, constant metrics and few teams; computed in one block or in many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.import_module("audit.ranking.ranks"), "_BLOCK", block)
        found = correlation(scores)
    np.testing.assert_allclose(found, pair_by_pair(reference, scores), rtol=0, atol=1e-12)
    assert np.all(np.isnan(found) | (np.abs(found) <= 1))


@CORRELATIONS
def test_correlations_of_many_teams_are_scipys(correlation, reference):
    """Forty metrics over three hundred teams, some scores missing."""
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 60, (8, 300)) / 60
    scores[rng.random(scores.shape) < 0.05] = np.nan
    np.testing.assert_allclose(
        correlation(scores), pair_by_pair(reference, scores), rtol=0, atol=1e-12
    )


@CORRELATIONS
def test_scores_that_differ_by_rounding_are_tied(correlation, reference):
    """The tolerance of the ranking is that of the correlations: .3 and .1 + .2 are one score."""
    rounded, exact = np.array([[0.3, 0.1 + 0.2, 0.5, 0.1]]), np.array([[0.3, 0.3, 0.5, 0.1]])
    other = np.array([[0.2, 0.1, 0.3, 0.4]])
    assert correlation(np.vstack([rounded, other]))[0, 1] == pytest.approx(
        reference(exact[0], other[0]).statistic
    )


@CORRELATIONS
@pytest.mark.parametrize(
    "constant", [np.full(5, 0.7), np.array([0.3, 0.1 + 0.2, 0.3, 0.3, 0.3]), np.full(5, np.nan)]
)
def test_a_constant_or_undefined_metric_correlates_with_nothing(correlation, reference, constant):
    """Not even with itself; and the others are not disturbed."""
    found = correlation(np.vstack([constant, np.arange(5.0), np.array([0.0, 2, 1, 3, 4])]))
    assert np.isnan(found[0]).all()
    assert np.isnan(found[:, 0]).all()
    assert found[1, 2] == pytest.approx(reference([0, 1, 2, 3, 4], [0, 2, 1, 3, 4]).statistic)


@CORRELATIONS
def test_two_teams_in_common_are_too_few(correlation, reference):
    """Each metric has three scores, but only two teams have both."""
    scores = np.array([[0.1, 0.2, 0.3, np.nan], [np.nan, 0.2, 0.3, 0.4]])
    found = correlation(scores)
    assert np.isnan(found[0, 1])
    assert found[0, 0] == pytest.approx(reference(scores[0, :3], scores[0, :3]).statistic)


# Identity


def campaign(gold, *, unanswered=False, absent=False, seed=0, n_teams=12):
    """Random submissions to a gold; every item is answered with a class in gold, unless said otherwise."""
    gold = np.array(gold)
    rng = np.random.default_rng(seed)
    allowed = np.append((gold > 0) | absent, unanswered)
    shares = rng.random((n_teams, len(gold), len(gold) + 1)) * allowed
    shares[:, range(len(gold)), range(len(gold))] += 0.3
    return rng.multinomial(gold, shares / shares.sum(axis=-1, keepdims=True))


def identical_groups(names, confusions, task=TASK):
    """The groups of metrics that rank alike by identity, of two or more."""
    keys = tuple(parse_score_key(name, task.label_set) for name in names)
    matrix = identical_rankings(keys, Cells.of(confusions), task)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert matrix.diagonal().all()
    groups = {
        frozenset(name for name, same in zip(names, row, strict=True) if same) for row in matrix
    }
    assert sum(map(len, groups)) == len(names)
    return {group for group in groups if len(group) > 1}


SLUGS = [metric.slug for metric in AGGREGATES]
EVERYTHING = [name for slug in SLUGS for name in (slug, f"{slug}~")] + [
    f"recall[{label}]" for label in LABELS
]
ALWAYS = [
    {"weighted_f1~", "averaged_f1~"},
    {"geometric_macro_recall", "geometric_macro_recall~"},
    {"harmonic_macro_recall", "harmonic_macro_recall~"},
]
MACRO_RECALLS = {"accuracy~", "macro_recall", "macro_recall~"}


def groups_of(*groups):
    """Groups as a set of sets."""
    return set(map(frozenset, groups))


@pytest.mark.parametrize("gold", [(50, 30, 11), (500, 7, 40), (3972, 5937, 2375)])
@pytest.mark.parametrize("seed", range(3))
def test_exactly_the_known_identities_are_found(gold, seed):
    """The identities of METRICS.md, section 3, and nothing that is merely similar, among all metrics and recalls."""
    answered = identical_groups(EVERYTHING, campaign(gold, seed=seed))
    assert answered == groups_of(*ALWAYS, MACRO_RECALLS | {"kappa~"})


@pytest.mark.parametrize("seed", range(3))
def test_calibrated_kappa_is_no_macro_recall_once_an_item_is_unanswered(seed):
    """One unanswered item of one team, be it the last, is enough: any other submission might leave more."""
    confusions = campaign((50, 30, 11), seed=seed)
    confusions[-1, 0, 0] -= 1
    confusions[-1, 0, -1] += 1
    assert identical_groups(EVERYTHING, confusions) == groups_of(*ALWAYS, MACRO_RECALLS)


def test_calibrated_kappa_is_no_macro_recall_once_an_absent_class_is_predicted():
    """A class that gold lacks has no recall; predicting it is what breaks the identity, not declaring it."""
    names = [name for name in EVERYTHING if name != "recall[c]"]
    declared = campaign((50, 30, 0))
    predicted = campaign((50, 30, 0), absent=True)
    assert frozenset(MACRO_RECALLS | {"kappa~"}) in identical_groups(names, declared)
    assert frozenset(MACRO_RECALLS) in identical_groups(names, predicted)


def test_a_class_that_no_team_predicts_might_have_been_predicted():
    """The imagined submissions may use every class in gold, so that teams that all play safe change no identity."""
    confusions = np.array(
        [[[50 - n, n, 0, 0], [n, 30 - n, 0, 0], [5, 6, 0, 0]] for n in range(1, 9)]
    )
    assert identical_groups(EVERYTHING, confusions) == groups_of(
        *ALWAYS, MACRO_RECALLS | {"kappa~"}
    )


def test_in_a_balanced_gold_every_metric_equals_its_calibrated_form():
    """And accuracy and kappa join macro recall."""
    joined = {"accuracy", "macro_recall", "kappa", "weighted_f1", "averaged_f1"}
    found = identical_groups(EVERYTHING, campaign((40, 40, 40)))
    assert found == groups_of(
        {"accuracy", "kappa", "kappa~"} | MACRO_RECALLS,
        {"weighted_f1", "weighted_f1~", "averaged_f1", "averaged_f1~"},
        *({slug, f"{slug}~"} for slug in SLUGS if slug not in joined),
    )


def test_in_a_balanced_gold_with_unanswered_items_kappa_stands_alone():
    """Each metric still equals its own calibrated form."""
    found = identical_groups(EVERYTHING, campaign((40, 40, 40), unanswered=True))
    assert frozenset({"kappa", "kappa~"}) in found
    assert frozenset({"accuracy"} | MACRO_RECALLS) in found


def test_named_classes_are_identical_to_what_they_name():
    """One class named is its class score, all classes named are the plain average."""
    names = [
        "f1[a]",
        "averaged_f1[a]",
        "averaged_f1",
        "averaged_f1[a,b,c]",
        "averaged_f1[a,b]",
        "recall[a]",
    ]
    assert identical_groups(names, campaign((50, 30, 11))) == groups_of(names[:2], names[2:4])


def test_a_named_prevalence_that_gold_has_is_the_observed_one():
    """Identity is decided from the confusions, so that what a prevalence is called does not matter."""
    task = Task(
        "t", "T", LABELS, prevalences=(Prevalence("same", (("a", 50), ("b", 30), ("c", 20))),)
    )
    names = ["kappa", "kappa@same", "kappa~", "averaged_f1", "averaged_f1@same"]
    assert identical_groups(names, campaign((50, 30, 20)), task) == groups_of(names[:2], names[3:])


@pytest.mark.parametrize("n_teams", [1, 2])
def test_identity_does_not_depend_on_the_number_of_teams(n_teams):
    """Two metrics that agree on a handful of teams are not identical for it."""
    found = identical_groups(EVERYTHING, campaign((50, 30, 11), n_teams=n_teams))
    assert found == groups_of(*ALWAYS, MACRO_RECALLS | {"kappa~"})


@given(
    gold=st.tuples(*[st.integers(1, 200)] * 3),
    unanswered=st.booleans(),
    seed=st.integers(0, 1000),
    n=st.integers(3, 15),
)
def test_metrics_that_are_identical_agree_completely_on_the_real_teams(gold, unanswered, seed, n):
    """Wherever identity is claimed, ρ and τ over the teams at hand are 1 or undefined."""
    confusions = campaign(gold, unanswered=unanswered, seed=seed, n_teams=n)
    keys = tuple(parse_score_key(name, LABELS) for name in EVERYTHING)
    found = agreement(keys, score(confusions, keys, BOTH, LABELS), Cells.of(confusions), TASK)
    assert found.keys == keys
    for matrix in (found.spearman, found.kendall):
        claimed = matrix[found.identical & ~np.isnan(matrix)]
        np.testing.assert_allclose(claimed, 1, rtol=0, atol=1e-12)


def test_agreement_by_accident_is_not_identity():
    """Three teams that every metric ranks alike: ρ is 1 everywhere, and identity is claimed for none of it."""
    confusions = np.array([[[9 - e, e, 0, 0], [e, 6 - e, 0, 0], [0, 0, 3, 0]] for e in range(3)])
    keys = (ScoreKey("accuracy"), ScoreKey("mcc"), ScoreKey("averaged_f1"))
    found = agreement(keys, score(confusions, keys, BOTH, LABELS), Cells.of(confusions), TASK)
    np.testing.assert_allclose(found.spearman, 1)
    np.testing.assert_allclose(found.kendall, 1)
    assert found.identical.tolist() == np.eye(3, dtype=bool).tolist()


def test_of_many_classes_an_imagined_submission_may_be_right_wrong_or_silent(monkeypatch):
    """All cells of few classes; of many the right answer, none, and some that are drawn."""
    module = importlib.import_module("audit.ranking.ranks")
    few = module._imagined_answers(3)
    assert few.numbers.tolist() == list(range(12))
    monkeypatch.setattr(module, "_MOST_CLASSES", 99)
    many = module._imagined_answers(100)
    cells = set(zip(many.gold.tolist(), many.predicted.tolist(), strict=True))
    assert {(code, code) for code in range(100)} | {(code, 100) for code in range(100)} < cells
    assert len(cells) < 100 * 101 * 0.7
    assert min(np.bincount(many.gold)) > 30
