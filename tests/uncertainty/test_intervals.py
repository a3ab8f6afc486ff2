"""Intervals contain their score, stay in the metric's range, and leave out replicates that lost a class."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from audit.domain import Prevalence, ScoreKey
from audit.ranking import Draws, percentile_intervals

from .campaigns import AGGREGATE_KEYS, noisy, replicates, resampled, rows, shared
from .test_separability import columns

SIGNED = {"kappa", "mcc"}
NEED_NO_CLASS = {
    *("accuracy", "weighted_f1", "kappa", "mcc"),
    *(f"{metric}[c0{code}]" for metric in ("recall", "precision", "f1") for code in (0, 1)),
}


def lowest(key):
    # Kappa of a team that is always wrong is rounded to as little as -1 - 4e-16 at balanced prevalence.
    return -1 if key.metric in SIGNED else 0


def is_sound(evaluation):
    """Every interval contains its score, stays in range exactly, and is undefined where the score is."""
    uncertainty, values = evaluation.uncertainty, evaluation.values
    undefined = np.isnan(values)
    assert (np.isnan(uncertainty.lower) == undefined).all()
    assert (np.isnan(uncertainty.upper) == undefined).all()
    least = np.array([lowest(key) for key in evaluation.keys])[:, None]
    inside = (uncertainty.lower >= least) & (uncertainty.upper <= 1)
    assert (inside | undefined).all()
    assert ((uncertainty.lower <= values) & (values <= uncertainty.upper) | undefined).all()
    assert (uncertainty.gap_lower >= -1e-12).all()
    assert (uncertainty.gap_upper <= 0.5 + 1e-12).all()


@st.composite
def fields(draw):
    """Gold of two to five classes, declared ones without gold among them, and teams: random, perfect, constant."""
    n_classes, n_items = draw(st.integers(2, 5)), draw(st.integers(8, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gold = rng.integers(0, draw(st.integers(2, n_classes)), n_items)
    gold[:2] = 0, 1
    kinds = {
        "random": lambda: rng.integers(0, n_classes + 2, n_items),
        "good": lambda: np.where(rng.random(n_items) < 0.8, gold, rng.integers(0, n_classes, n_items)),
        "perfect": gold.copy,
        "constant": lambda: np.full(n_items, rng.integers(0, n_classes + 1)),
        "wrong": lambda: (gold + 1) % n_classes,
    }
    teams = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=4))
    return gold, [kinds[kind]() for kind in teams], n_classes


@settings(max_examples=40, deadline=None)
@given(fields(), st.booleans())
def test_intervals_are_sound(field, grouped):
    """On random campaigns with perfect, constant and wholly wrong teams, with and without groups."""
    groups = np.arange(len(field[0])) // 2 if grouped else None
    evaluation = resampled(*field, n_replicates=64, groups=groups)
    if evaluation.uncertainty.share_left_out < 1:
        is_sound(evaluation)


def test_intervals_are_sound_with_many_classes():
    """Twenty classes, perfect, constant and half-right teams, at observed, balanced and named prevalence."""
    rng = np.random.default_rng(2)
    gold = rng.permutation(np.repeat(np.arange(20), 25))
    shares = tuple((f"c{code:02}", (code + 1) / 210) for code in range(20))
    teams = [gold, np.zeros(500, int), *noisy(rng, gold, 20, [0.5, 0.98])]
    is_sound(resampled(gold, teams, 20, n_replicates=300, prevalences=(Prevalence("named", shares),)))


def test_ends_are_the_percentiles_of_the_replicates():
    """2.5 and 97.5%, widened to the score where it lies outside."""
    scores = np.random.default_rng(3).normal(0.5, 0.1, (1, 999, 2))
    lower, upper = percentile_intervals(scores, np.array([[0.5, 0.1]]))
    expected = np.sort(scores[0], axis=0)[[round(0.025 * 998), round(0.975 * 998)]]
    assert lower[0, 0] == pytest.approx(expected[0, 0], abs=2e-3)
    assert upper[0].tolist() == pytest.approx(expected[1].tolist(), abs=2e-3)
    assert lower[0, 1] == 0.1


def test_undefined_replicates_are_left_out_and_an_undefined_score_has_no_interval():
    """NaN only where the score, or every replicate, is undefined."""
    scores = np.array([[[0.1, 0.2, np.nan], [np.nan, 0.4, np.nan], [0.3, 0.6, np.nan]]])
    lower, upper = percentile_intervals(scores, np.array([[0.2, np.nan, 0.5]]))
    assert lower[0, 0] == pytest.approx(np.quantile([0.1, 0.3], 0.025))
    assert upper[0, 0] == pytest.approx(np.quantile([0.1, 0.3], 0.975))
    assert np.isnan(lower[0, 1:]).all()
    assert np.isnan(upper[0, 1:]).all()


# Lost classes


@pytest.fixture(scope="module")
def rare():
    """A class of two gold items, which one replicate in seven or so has none of; and a class that gold lacks."""
    rng = np.random.default_rng(5)
    gold = rng.permutation(np.repeat([0, 1, 2], [40, 30, 2]))
    return gold, noisy(rng, gold, 3, [0.8, 0.6, 0.5])


@pytest.fixture(scope="module")
def rare_replicates(rare):
    shares = (("c00", 0.3), ("c01", 0.3), ("c02", 0.4))
    return replicates(*rare, 4, n_replicates=500, prevalences=(Prevalence("named", shares),))


def lost_by_counting(gold, n_replicates):
    """Which replicates have no item of the rare class, from the weights alone."""
    weights = Draws(len(gold), n_replicates, 1).weights(0, n_replicates)
    return weights[:, np.sort(gold) == 2].sum(axis=1) == 0


def test_a_replicate_without_an_averaged_class_is_undefined_for_what_averages_it(rare, rare_replicates):
    """For every team alike: macro averages, everything calibrated or at a named prevalence; nothing else is."""
    evaluation, scores = rare_replicates
    lost = lost_by_counting(rare[0], 500)
    assert 0.05 < lost.mean() < 0.3
    for key, found in zip(evaluation.keys, scores, strict=True):
        if key.metric.endswith("[c03]"):
            assert np.isnan(found).all()
        elif key.prevalence == "observed" and key.metric in NEED_NO_CLASS:
            assert not np.isnan(found).any()
        else:
            assert (np.isnan(found) == lost[:, None]).all(), str(key)


def test_what_survives_a_lost_class_is_scored_on_what_is_left(rare, rare_replicates):
    """Accuracy of such a replicate is the weighted share of right answers."""
    gold, teams = rare
    evaluation, scores = rare_replicates
    lost, order = lost_by_counting(gold, 500), np.argsort(gold, kind="stable")
    weights = Draws(len(gold), 500, 1).weights(0, 500)[lost].astype(float)
    right = np.stack([team == gold for team in teams])[:, order]
    found = scores[evaluation.keys.index(ScoreKey("accuracy"))][lost]
    repaired = evaluation.confusions[:, 2, 2] % 2 == 0  # whose row of the lost class has no mass to repair
    assert found[:, repaired] == pytest.approx((weights @ right.T / len(gold))[:, repaired], abs=1e-12)


def test_the_share_left_out_counts_them(rare):
    """And comparisons rest on the other replicates."""
    found = resampled(*rare, 4, n_replicates=500).uncertainty
    lost = lost_by_counting(rare[0], 500)
    assert found.share_left_out == lost.mean()
    assert found.comparisons[0].adjusted_p.min() >= 1 / (501 - lost.sum())
    assert found.comparisons[0].rank_shares.sum(axis=1) == pytest.approx(1)


def test_nothing_is_left_out_where_no_class_is_lost(rare):
    """With many items of every class, or where only the classes in gold are averaged."""
    gold = rare[0] % 2
    assert resampled(gold, [gold, 1 - gold], 4, n_replicates=300).uncertainty.share_left_out == 0


@pytest.mark.parametrize("n_replicates", [1, 2, 20])
def test_where_every_replicate_is_left_out_nothing_is_claimed(n_replicates):
    """Twenty classes of one item: macro scores have no interval, accuracy has, and nobody is separable."""
    gold = np.arange(20)
    evaluation = resampled(gold, [gold, np.zeros(20, int), gold // 2], 20, n_replicates=n_replicates)
    found = evaluation.uncertainty
    assert found.share_left_out == 1
    assert np.isnan(found.lower[rows(evaluation, [ScoreKey("averaged_f1")])]).all()
    assert not np.isnan(found.lower[rows(evaluation, [ScoreKey("accuracy")])]).any()
    assert not any(comparison.separable.any() for comparison in found.comparisons)
    assert found.comparisons[0].rank_sets.tolist() == [[1, 3]] * 3
    assert np.isnan([found.macro_f1_disagreement, found.prevalence_disagreement]).all()


def test_a_team_without_a_defined_score_is_separable_from_nobody():
    """The official metric is the F1 of a class that gold lacks."""
    gold = np.repeat([0, 1], 30)
    found = resampled(gold, [gold, 1 - gold], 3, n_replicates=50, official_metric=ScoreKey("f1[c02]"))
    comparison = found.uncertainty.comparisons[0]
    assert not comparison.separable.any()
    assert np.isnan(comparison.standard_error).all()
    assert np.isnan(comparison.randomization_p).all()
    assert np.isnan(comparison.behind_lower).all()
    assert np.isnan(comparison.resolution)


# What else is read off the replicates


@pytest.fixture(scope="module")
def close():
    """Five close teams of three classes, with every replicate."""
    rng = np.random.default_rng(6)
    gold = rng.choice(3, 400, p=[0.6, 0.3, 0.1])
    teams = noisy(rng, gold, 3, [0.72, 0.7, 0.69, 0.66, 0.5])
    return resampled(gold, teams, 3, n_replicates=400).uncertainty, *replicates(gold, teams, 3, n_replicates=400)


def test_shares_of_ranks_and_leads_are_those_of_the_replicates(close):
    """Counted one by one; the first team's lead over itself has no interval."""
    uncertainty, evaluation, scores = close
    replicated = scores[evaluation.keys.index(ScoreKey("averaged_f1"))]
    comparison = uncertainty.comparisons[0]
    (first,) = evaluation.winners(ScoreKey("averaged_f1"))
    for team in range(5):
        ranks = [1 + sum(other > row[team] + 1e-12 for other in row) for row in replicated]
        assert comparison.rank_shares[team] == pytest.approx([ranks.count(rank) / 400 for rank in range(1, 6)])
        if team == first:
            assert np.isnan(comparison.behind_lower[team])
            continue
        lead = replicated[:, first] - replicated[:, team]
        assert comparison.behind_lower[team] == pytest.approx(np.percentile(lead, 2.5))
        assert comparison.behind_upper[team] == pytest.approx(np.percentile(lead, 97.5))
    assert comparison.key == ScoreKey("averaged_f1")


def test_disagreement_counts_replicates_with_different_winners(close):
    """Between the two macro F1s, and between observed and balanced prevalence."""
    uncertainty, evaluation, scores = close
    best = {key: scores[evaluation.keys.index(key)].argmax(axis=1) for key in AGGREGATE_KEYS}
    averaged, averages = best[ScoreKey("averaged_f1")], best[ScoreKey("f1_of_averages")]
    assert uncertainty.macro_f1_disagreement == pytest.approx((averaged != averages).mean(), abs=1e-12)
    balanced = best[ScoreKey("averaged_f1", "balanced")]
    assert uncertainty.prevalence_disagreement == pytest.approx((averaged != balanced).mean(), abs=1e-12)
    assert 0 < uncertainty.macro_f1_disagreement < 1


def test_spearman_intervals_are_those_of_scipy(close):
    """Percentiles of ρ between two metrics over the replicates, and 1 for a metric with itself."""
    uncertainty, evaluation, scores = close
    keys = evaluation.agreement.keys
    one, other = keys.index(ScoreKey("accuracy")), keys.index(ScoreKey("macro_recall"))
    pair = [scores[evaluation.keys.index(keys[place])].round(12) for place in (one, other)]
    rho = [spearmanr(first, second).statistic for first, second in zip(*pair, strict=True)]
    observed = evaluation.agreement.spearman[one, other]
    assert uncertainty.spearman_lower[one, other] == pytest.approx(min(np.percentile(rho, 2.5), observed))
    assert uncertainty.spearman_upper[one, other] == pytest.approx(max(np.percentile(rho, 97.5), observed))
    assert np.diag(uncertainty.spearman_lower) == pytest.approx(1)
    assert uncertainty.n_spearman == 400


def test_the_gap_s_interval_is_that_of_the_replicated_gap(close):
    """Δ of every replicate, not the difference of two intervals."""
    uncertainty, evaluation, scores = close
    averaged, averages = (scores[evaluation.keys.index(ScoreKey(m))] for m in ("averaged_f1", "f1_of_averages"))
    gap = evaluation.scores_of(ScoreKey("f1_of_averages")) - evaluation.scores_of(ScoreKey("averaged_f1"))
    lower, upper = np.percentile(averages - averaged, [2.5, 97.5], axis=0)
    assert uncertainty.gap_lower == pytest.approx(np.minimum(lower, gap))
    assert uncertainty.gap_upper == pytest.approx(np.maximum(upper, gap))


# Published


def test_published_p_values_of_compstats():
    """INGEOTEC against each other system in weighted F1: the share of replicates in which it does not lead.

    Theirs from 1,000 replicates, ours from 10,000: within four standard errors of the difference of two such shares.
    """
    folder = shared("compstats-six-systems")
    table = columns(folder / "CompStats/tests/data.csv", ",")
    page = (folder / "docs/source/index.rst").read_text(encoding="utf-8")
    block = page[page.index("p_values = difference_p_value(diff)") :].split("}")[0]
    published = {name: float(p) for name, p in re.findall(r"'(.+?)': (\d[\d.]*)", block)}
    gold = np.array(table.pop("y"), dtype=np.int64)
    teams = {name: np.array(codes, dtype=np.int64) for name, codes in table.items()}
    evaluation, scores = replicates(gold, teams, 8, n_replicates=10_000)
    weighted = dict(zip(evaluation.names, scores[evaluation.keys.index(ScoreKey("weighted_f1"))].T, strict=True))
    others = {name: p for name, p in published.items() if name != "INGEOTEC"}
    assert len(others) == 5
    for name, p in others.items():
        ours = (weighted["INGEOTEC"] - weighted[name] <= 0).mean()
        middle = (1000 * p + 10_000 * ours) / 11_000
        assert ours == pytest.approx(p, abs=4 * np.sqrt(middle * (1 - middle) * (1 / 1000 + 1 / 10_000)))
