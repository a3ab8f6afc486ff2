"""Standard errors against formulas that nobody here made up, and the two ways to them against each other."""

import numpy as np
import pytest

from audit.domain import ScoreKey
from audit.ranking import Sample, covariance, influence, standard_errors

from .campaigns import AGGREGATE_KEYS, noisy, replicates, rows, scored

N_ITEMS, N_REPLICATES, N_CLASSES = 12_000, 10_000, 3
MONTE_CARLO = 4 / np.sqrt(2 * N_REPLICATES)
"""Four standard errors of a standard deviation over the replicates: 2.8%."""


def made():
    """Three classes of at least 1,200 items, and four correlated teams; the last leaves items unanswered."""
    rng = np.random.default_rng(21)
    gold = rng.choice(N_CLASSES, N_ITEMS, p=[0.6, 0.28, 0.12])
    teams = noisy(rng, gold, N_CLASSES, [0.75, 0.72, 0.6, 0.55])
    skewed = np.where((teams[1] == 1) & (rng.random(N_ITEMS) < 0.3), 0, teams[1])
    unanswered = np.where(rng.random(N_ITEMS) < 0.08, N_CLASSES, teams[3])
    return gold, [teams[0], skewed, teams[2], unanswered]


@pytest.fixture(scope="module")
def campaign():
    return made()


@pytest.fixture(scope="module")
def evaluation(campaign):
    return scored(*campaign, N_CLASSES)


@pytest.fixture(scope="module")
def bootstrap(campaign):
    """Every aggregate score in 10,000 replicates, shape (20, B, T)."""
    evaluation, scores = replicates(*campaign, N_CLASSES, n_replicates=N_REPLICATES)
    return scores[rows(evaluation, AGGREGATE_KEYS)]


@pytest.fixture(scope="module")
def sample(campaign):
    return Sample.of(*campaign, N_CLASSES)


def replicated(bootstrap, metric):
    return bootstrap[AGGREGATE_KEYS.index(ScoreKey(metric))]


def table(evaluation, team):
    """A team's confusion as shares, without the unanswered column."""
    return evaluation.confusions[team, :, :-1] / N_ITEMS


# Accuracy


def test_accuracy_has_its_binomial_variance(evaluation, bootstrap):
    """p(1 − p)/N: exactly by the delta method, within Monte Carlo error by the bootstrap."""
    share = evaluation.scores_of(ScoreKey("accuracy"))
    exact = np.sqrt(share * (1 - share) / N_ITEMS)
    assert standard_errors(evaluation, ScoreKey("accuracy")) == pytest.approx(exact, rel=1e-6)
    assert replicated(bootstrap, "accuracy").std(axis=0) == pytest.approx(exact, rel=MONTE_CARLO)


def test_a_class_s_recall_is_a_ratio_of_counts(campaign, evaluation):
    """Its delta variance is R(1 − R)/prevalence, the unconditional one as well as the conditional."""
    gold, _ = campaign
    for code in range(N_CLASSES):
        key = ScoreKey(f"recall[c{code:02}]")
        recall, prevalence = evaluation.scores_of(key), (gold == code).sum()
        exact = np.sqrt(recall * (1 - recall) / prevalence)
        assert standard_errors(evaluation, key) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("pair", [(0, 1), (0, 3), (1, 2)])
def test_differences_of_accuracy_have_mcnemar_s_variance(campaign, evaluation, bootstrap, sample, pair):
    """(b + c − (b − c)²/N)/N², b and c the items that only one of the two has right."""
    (gold, teams), (one, other) = campaign, pair
    first, second = teams[one] == gold, teams[other] == gold
    b, c = (first & ~second).sum(), (second & ~first).sum()
    exact = np.sqrt((b + c - (b - c) ** 2 / N_ITEMS) / N_ITEMS**2)
    assert paired(covariance(evaluation, ScoreKey("accuracy"), sample))[pair] == pytest.approx(exact, rel=1e-6)
    accuracy = replicated(bootstrap, "accuracy")
    assert (accuracy[:, one] - accuracy[:, other]).std() == pytest.approx(exact, rel=MONTE_CARLO)


# Kappa


def test_kappa_has_the_standard_error_of_statsmodels(evaluation, bootstrap):
    """Of teams that answer every item: statsmodels knows no unanswered column."""
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater", reason="statsmodels is the oracle")
    found = standard_errors(evaluation, ScoreKey("kappa"))
    for team in range(3):
        oracle = inter_rater.cohens_kappa(evaluation.confusions[team, :, :-1])
        assert evaluation.scores_of(ScoreKey("kappa"))[team] == pytest.approx(oracle.kappa, abs=1e-12)
        assert found[team] == pytest.approx(np.sqrt(oracle.var_kappa), rel=1e-5)
        assert replicated(bootstrap, "kappa")[:, team].std() == pytest.approx(
            np.sqrt(oracle.var_kappa), rel=MONTE_CARLO
        )


# Both macro F1s: Takahashi, Yamamoto, Kuchiba and Koyama 2022, Applied Intelligence 52


def takahashi_averaged_f1(shares):
    """Their closed-form variance of averaged F1, of shares in a table, times N."""
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
def test_averaged_f1_has_the_variance_of_takahashi(evaluation, bootstrap, team):
    """By the delta method to the sixth digit, by the bootstrap within Monte Carlo error."""
    exact = np.sqrt(takahashi_averaged_f1(table(evaluation, team)) / N_ITEMS)
    assert standard_errors(evaluation, ScoreKey("averaged_f1"))[team] == pytest.approx(exact, rel=1e-6)
    assert replicated(bootstrap, "averaged_f1")[:, team].std() == pytest.approx(exact, rel=MONTE_CARLO)


@pytest.mark.parametrize("team", [0, 1, 2])
def test_f1_of_averages_has_the_variance_of_takahashi(evaluation, bootstrap, team):
    """Their macro F1*: the multinomial delta method with the gradient written out."""
    shares = table(evaluation, team)
    exact = np.sqrt(multinomial(shares, gradient_of_f1_of_averages(shares)) / N_ITEMS)
    assert standard_errors(evaluation, ScoreKey("f1_of_averages"))[team] == pytest.approx(exact, rel=1e-6)
    assert replicated(bootstrap, "f1_of_averages")[:, team].std() == pytest.approx(exact, rel=MONTE_CARLO)


# The delta method and the bootstrap


def paired(covariances):
    """Standard errors of all paired differences."""
    variance = np.diag(covariances)
    return np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariances, 0))


@pytest.mark.parametrize("key", AGGREGATE_KEYS, ids=str)
def test_both_ways_agree_on_every_standard_error(evaluation, bootstrap, sample, key):
    """Within 3%, of every score and every paired difference, at 10,000 replicates and 500 items a class or more."""
    assert evaluation.prevalence_counts.min() >= 500
    scores = bootstrap[AGGREGATE_KEYS.index(key)]
    assert standard_errors(evaluation, key) == pytest.approx(scores.std(axis=0, ddof=1), rel=0.03)
    found = paired(covariance(evaluation, key, sample))
    for one, other in np.argwhere(np.triu(np.ones_like(found), k=1)):
        assert found[one, other] == pytest.approx((scores[:, one] - scores[:, other]).std(ddof=1), rel=0.03)


@pytest.mark.parametrize("key", AGGREGATE_KEYS, ids=str)
def test_covariances_hold_the_standard_errors(evaluation, sample, key):
    """On the diagonal of Ψ Ψᵀ / N²."""
    found = covariance(evaluation, key, sample)
    assert np.sqrt(np.diag(found)) == pytest.approx(standard_errors(evaluation, key), rel=1e-9)
    assert np.linalg.eigvalsh(found).min() > -1e-15


@pytest.mark.parametrize("key", AGGREGATE_KEYS, ids=str)
def test_influence_values_have_mean_zero(evaluation, key):
    """A score depends on shares alone: one more item of every kind in proportion changes nothing."""
    psi = influence(evaluation, key)
    assert (psi * evaluation.confusions).sum(axis=(1, 2)) / N_ITEMS == pytest.approx(0, abs=1e-5)
    assert (psi[evaluation.confusions == 0] == 0).all()
