"""Variances of single scores against formulas that nobody here made up."""

import numpy as np
import pytest

from audit.domain import ScoreKey
from audit.inference.comparison import differences

from .campaigns import noisy, scored_with_items

N_ITEMS, N_CLASSES = 3_000, 3


@pytest.fixture(scope="module")
def campaign():
    """Three classes, and four correlated teams of which the last leaves items unanswered."""
    rng = np.random.default_rng(21)
    gold = rng.choice(N_CLASSES, N_ITEMS, p=[0.6, 0.28, 0.12])
    teams = noisy(rng, gold, N_CLASSES, [0.75, 0.72, 0.6, 0.55])
    skewed = np.where((teams[1] == 1) & (rng.random(N_ITEMS) < 0.3), 0, teams[1])
    unanswered = np.where(rng.random(N_ITEMS) < 0.08, N_CLASSES, teams[3])
    return scored_with_items(gold, [teams[0], skewed, teams[2], unanswered], N_CLASSES)


def errors_of(campaign, *key):
    """Standard error of every team's score, by the delta method."""
    evaluation, items = campaign
    return np.sqrt(np.diagonal(differences(evaluation, ScoreKey(*key), items).covariance))


def shares_of(campaign, team):
    """A team's confusion as shares, without the unanswered column."""
    return campaign[0].confusions[team, :, :-1] / N_ITEMS


def test_accuracy_has_its_binomial_variance(campaign):
    """p(1 − p)/N."""
    share = campaign[0].scores_of(ScoreKey("accuracy"))
    assert errors_of(campaign, "accuracy") == pytest.approx(
        np.sqrt(share * (1 - share) / N_ITEMS), rel=1e-9
    )


def test_a_class_s_recall_and_precision_are_ratios_of_counts(campaign):
    """R(1 − R)/prevalence and P(1 − P)/bias."""
    evaluation, _ = campaign
    for code in range(N_CLASSES):
        sizes = {
            "recall": evaluation.confusions[:, code].sum(axis=1),
            "precision": evaluation.confusions[..., code].sum(axis=1),
        }
        for slug, size in sizes.items():
            value = evaluation.scores_of(ScoreKey(f"{slug}[c{code}]"))
            exact = np.sqrt(value * (1 - value) / size)
            assert errors_of(campaign, f"{slug}[c{code}]") == pytest.approx(exact, rel=1e-9)


def test_macro_recall_is_a_mean_of_independent_shares(campaign):
    """Σ R(1 − R)/n over k², at any prevalence; geometric and harmonic means by their slopes in the recalls."""
    evaluation, _ = campaign
    gold = evaluation.prevalence_counts
    recall = np.diagonal(evaluation.confusions, axis1=1, axis2=2) / gold
    variance = recall * (1 - recall) / gold
    geometric, harmonic = np.exp(np.log(recall).mean(axis=1)), N_CLASSES / (1 / recall).sum(axis=1)
    slopes = {
        "macro_recall": np.full(recall.shape, 1 / N_CLASSES),
        "geometric_macro_recall": geometric[:, None] / recall / N_CLASSES,
        "harmonic_macro_recall": harmonic[:, None] ** 2 / recall**2 / N_CLASSES,
    }
    for name, slope in slopes.items():
        exact = np.sqrt((slope**2 * variance).sum(axis=1))
        for prevalence in ("observed", "balanced"):
            assert errors_of(campaign, name, prevalence) == pytest.approx(exact, rel=1e-9)


def test_kappa_has_the_standard_error_of_statsmodels(campaign):
    """Of teams that answer every item: statsmodels knows no unanswered column."""
    inter_rater = pytest.importorskip(
        "statsmodels.stats.inter_rater", reason="statsmodels is the oracle"
    )
    found = errors_of(campaign, "kappa")
    for team in range(3):
        oracle = inter_rater.cohens_kappa(campaign[0].confusions[team, :, :-1])
        assert campaign[0].scores_of(ScoreKey("kappa"))[team] == pytest.approx(
            oracle.kappa, abs=1e-12
        )
        assert found[team] == pytest.approx(np.sqrt(oracle.var_kappa), rel=1e-9)


def test_mcc_of_two_classes_has_the_variance_of_the_phi_coefficient():
    """Bishop, Fienberg and Holland 1975, chapter 11: that of φ of a fourfold table under multinomial sampling."""
    rng = np.random.default_rng(22)
    gold = rng.choice(2, 1000, p=[0.7, 0.3])
    campaign = scored_with_items(gold, noisy(rng, gold, 2, [0.8, 0.6]), 2)
    phi, found = campaign[0].scores_of(ScoreKey("mcc")), errors_of(campaign, "mcc")
    for team in range(2):
        shares = campaign[0].confusions[team, :, :-1] / 1000
        gold_gap = np.subtract(*shares.sum(axis=1)) / np.sqrt(np.prod(shares.sum(axis=1)))
        given_gap = np.subtract(*shares.sum(axis=0)) / np.sqrt(np.prod(shares.sum(axis=0)))
        variance = (
            1
            - phi[team] ** 2
            + phi[team] * (1 + phi[team] ** 2 / 2) * gold_gap * given_gap
            - 3 / 4 * phi[team] ** 2 * (gold_gap**2 + given_gap**2)
        )
        assert found[team] == pytest.approx(np.sqrt(variance / 1000), rel=1e-9)


# Both macro F1s: Takahashi, Yamamoto, Kuchiba and Koyama 2022, Applied Intelligence 52


def takahashi_averaged_f1(shares):
    """Their closed-form variance of macro-averaged F1, of shares in a table, times N."""
    n_classes = len(shares)
    sizes = shares.sum(axis=0) + shares.sum(axis=1)
    f1 = 2 * shares.diagonal() / sizes
    wrong = (sizes - 2 * shares.diagonal()) / sizes
    same = (f1 * wrong / sizes * (wrong + f1 / 2)).sum()
    cross = sum(
        shares[i, j] * f1[i] * f1[j] / (sizes[i] * sizes[j])
        for i in range(n_classes)
        for j in range(n_classes)
        if i != j
    )
    return 2 / n_classes**2 * (same + cross)


def multinomial(shares, gradient):
    """Variance of a function of multinomial shares, times N, from its gradient."""
    return (shares * gradient**2).sum() - (shares * gradient).sum() ** 2


def gradient_of_averaged_f1(shares):
    """∂/∂p_ab of the mean of 2 p_ii / (p_i. + p_.i), by the quotient rule."""
    n_classes = len(shares)
    sizes = shares.sum(axis=0) + shares.sum(axis=1)
    gradient = np.zeros_like(shares)
    for a, b in np.ndindex(shares.shape):
        for i in range(n_classes):
            numerator = 2 * (a == b == i) * sizes[i] - 2 * shares[i, i] * ((a == i) + (b == i))
            gradient[a, b] += numerator / sizes[i] ** 2 / n_classes
    return gradient


def gradient_of_f1_of_averages(shares):
    """∂/∂p_ab of 2PR/(P + R) with P and R the means of precision and recall: 2R²/(P + R)² ∂P + 2P²/(P + R)² ∂R."""
    n_classes = len(shares)
    gold, given, right = shares.sum(axis=1), shares.sum(axis=0), shares.diagonal()
    precision, recall = (right / given).mean(), (right / gold).mean()
    gradient = np.zeros_like(shares)
    for a, b in np.ndindex(shares.shape):
        of_precision = ((a == b) * given[b] - right[b]) / given[b] ** 2 / n_classes
        of_recall = ((a == b) * gold[a] - right[a]) / gold[a] ** 2 / n_classes
        both = precision + recall
        gradient[a, b] = 2 * (recall**2 * of_precision + precision**2 * of_recall) / both**2
    return gradient


def test_the_closed_form_of_takahashi_is_the_multinomial_delta_method():
    """Two derivations of the same variance, of random tables."""
    rng = np.random.default_rng(1)
    for n_classes in (2, 3, 5):
        shares = rng.dirichlet(np.ones(n_classes**2)).reshape(n_classes, n_classes)
        by_gradient = multinomial(shares, gradient_of_averaged_f1(shares))
        assert takahashi_averaged_f1(shares) == pytest.approx(by_gradient, rel=1e-10)


@pytest.mark.parametrize("team", [0, 1, 2])
def test_both_macro_f1s_have_the_variance_of_takahashi(campaign, team):
    """Macro-averaged F1 by their closed form, macro F1* by the multinomial delta method, the gradient written out."""
    shares = shares_of(campaign, team)
    averaged = np.sqrt(takahashi_averaged_f1(shares) / N_ITEMS)
    assert errors_of(campaign, "averaged_f1")[team] == pytest.approx(averaged, rel=1e-9)
    of_averages = np.sqrt(multinomial(shares, gradient_of_f1_of_averages(shares)) / N_ITEMS)
    assert errors_of(campaign, "f1_of_averages")[team] == pytest.approx(of_averages, rel=1e-9)


def test_accuracy_by_groups_is_the_jackknife_s():
    """Of groups of any size: Σ (accuracy − accuracy without the group)² (Bell and McCaffrey 2002)."""
    rng = np.random.default_rng(23)
    groups = np.sort(rng.zipf(1.5, 1200).clip(max=150))
    gold = rng.choice(N_CLASSES, 1200)
    teams = noisy(rng, gold, N_CLASSES, [0.75, 0.6], rng.random(151)[groups])
    found = errors_of(scored_with_items(gold, teams, N_CLASSES, groups=groups), "accuracy")
    for team, error in zip(teams, found, strict=True):
        right = team == gold
        moved = [right.mean() - right[groups != group].mean() for group in np.unique(groups)]
        assert error == pytest.approx(np.sqrt(np.sum(np.square(moved))), rel=1e-9)


def test_errors_are_those_of_resampled_items(campaign):
    """Within 5% of the spread over 2,000 multinomial draws, of the scores and of their differences."""
    from audit.domain import BALANCED, OBSERVED  # noqa: PLC0415
    from audit.metrics import score  # noqa: PLC0415

    evaluation, items = campaign
    rng, labels = np.random.default_rng(24), evaluation.task.label_set
    gold, answers = evaluation.gold.codes.astype(int), np.stack([*_answers(evaluation, items)])
    joint = np.ravel_multi_index(
        (gold, *answers[[0, 1]]), (N_CLASSES, N_CLASSES + 1, N_CLASSES + 1)
    )
    kinds, counts = np.unique(joint, return_counts=True)
    drawn = rng.multinomial(N_ITEMS, counts / N_ITEMS, 2000)
    g, a, b = np.unravel_index(kinds, (N_CLASSES, N_CLASSES + 1, N_CLASSES + 1))
    confusions = np.zeros((2000, 2, N_CLASSES, N_CLASSES + 1), dtype=np.int64)
    for place, (row, one, other) in enumerate(zip(g, a, b, strict=True)):
        confusions[:, 0, row, one] += drawn[:, place]
        confusions[:, 1, row, other] += drawn[:, place]
    keys = [
        ScoreKey(name, prevalence)
        for name in (
            "averaged_f1",
            "f1_of_averages",
            "mcc",
            "kappa",
            "macro_precision",
            "weighted_f1",
        )
        for prevalence in ("observed", "balanced")
    ]
    drawn = score(confusions, keys, [OBSERVED, BALANCED], labels)
    for key, values in zip(keys, drawn, strict=True):
        found = differences(evaluation, key, items)
        assert np.sqrt(np.diagonal(found.covariance))[:2] == pytest.approx(
            values.std(axis=0), rel=0.06
        )
        assert found.spread[0, 1] == pytest.approx((values[:, 0] - values[:, 1]).std(), rel=0.06)


def _answers(evaluation, items):
    """Answers in the order of the items, from those in the order of gold."""
    order = np.argsort(evaluation.gold.codes, kind="stable")
    for sorted_answers in items.sample.predictions:
        answers = np.empty(len(order), dtype=int)
        answers[order] = sorted_answers
        yield answers
