"""The judge of benchmarks/coverage.py: its scores are scikit-learn's, its populations known, and it finds faults."""

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as peer
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

truths = pytest.importorskip(
    "benchmarks.judge.truths", reason="the benchmarks are in the checkout, not in the wheel"
)
from benchmarks.judge import cells, fields, findings, judging, page, populations, program  # noqa: E402

LABELS = ("a", "b", "c", "d")
PEERS = {
    "accuracy": peer.accuracy_score,
    "macro_recall": lambda *given, **weights: peer.recall_score(*given, **weights, **OVER_CLASSES),
    "macro_precision": lambda *given, **weights: peer.precision_score(
        *given, **weights, **OVER_CLASSES
    ),
    "averaged_f1": lambda *given, **weights: peer.f1_score(*given, **weights, **OVER_CLASSES),
    "weighted_f1": lambda *given, **weights: peer.f1_score(
        *given, **weights, labels=range(4), average="weighted", zero_division=0
    ),
    "kappa": peer.cohen_kappa_score,
    "mcc": peer.matthews_corrcoef,
}
OVER_CLASSES = {"labels": range(4), "average": "macro", "zero_division": 0}


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def as_items(confusion):
    """Gold, answers and weights: one item for each cell."""
    gold, answers = (index.ravel() for index in np.indices(confusion.shape))
    return gold, answers, confusion.ravel()


# Scores


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("tilde", ["", "~"])
def test_scores_of_expected_confusions_are_scikit_learn_s_with_weights(rng, name, tilde):
    """Shares, not counts: every cell is one item with its share as weight, unanswered a label of its own."""
    for confusion in rng.dirichlet(np.full(20, 0.5), size=20).reshape(20, 4, 5):
        gold, answers, weights = as_items(confusion)
        if tilde:
            weights = weights / confusion.sum(axis=1)[gold]
        expected = PEERS[name](gold, answers, sample_weight=weights)
        assert truths.score(confusion, [name + tilde], LABELS)[0] == pytest.approx(
            expected, abs=1e-12
        )


def test_the_other_scores_follow_from_class_scores(rng):
    """Geometric and harmonic means of recalls by SciPy, F1 of averages and the gap from the macro scores."""
    for confusion in rng.dirichlet(np.ones(20), size=20).reshape(20, 4, 5):
        recalls = confusion.diagonal() / confusion.sum(axis=1)
        names = (
            "geometric_macro_recall",
            "harmonic_macro_recall",
            "f1_of_averages",
            "gap",
            "averaged_f1",
        )
        geometric, harmonic, f1_of_averages, gap, averaged_f1 = truths.score(
            confusion, names, LABELS
        )
        precision, recall = truths.score(confusion, ["macro_precision", "macro_recall"], LABELS)
        assert geometric == pytest.approx(stats.gmean(recalls))
        assert harmonic == pytest.approx(stats.hmean(recalls))
        assert f1_of_averages == pytest.approx(stats.hmean([precision, recall]))
        assert gap == pytest.approx(f1_of_averages - averaged_f1)


def test_class_scores_are_scikit_learn_s(rng):
    confusion = rng.integers(1, 9, size=(4, 5)).astype(float)
    gold, answers, weights = as_items(confusion)
    expected = peer.precision_recall_fscore_support(
        gold, answers, labels=range(4), sample_weight=weights
    )
    for kind, values in zip(("precision", "recall", "f1"), expected[:3], strict=True):
        found = truths.score(confusion, [f"{kind}[{label}]" for label in LABELS], LABELS)
        assert found == pytest.approx(values)


def test_a_class_without_gold_is_in_no_average_and_has_no_score():
    confusion = np.array([[3.0, 1, 1, 0], [0, 4, 1, 0], [0, 0, 0, 0]])
    recall, of_class = truths.score(confusion, ["macro_recall", "recall[c]"], LABELS[:3])
    assert recall == pytest.approx((3 / 5 + 4 / 5) / 2)
    assert np.isnan(of_class)


def test_a_recall_of_0_makes_both_means_0_and_a_constant_answer_has_mcc_0():
    confusion = np.array([[7.0, 0, 0], [3, 0, 0]])
    names = (
        "geometric_macro_recall",
        "harmonic_macro_recall",
        "mcc",
        "mcc~",
        "kappa",
        "precision[b]",
    )
    assert truths.score(confusion, names, LABELS[:2]).tolist() == [0] * 6


def test_counting_is_scikit_learn_s(rng):
    gold, answers = rng.integers(0, 3, 50), rng.integers(0, 4, (2, 50))
    for given, counts in zip(answers, truths.count(gold, answers, 3), strict=True):
        assert counts.tolist() == peer.confusion_matrix(gold, given, labels=range(4))[:3].tolist()


# Populations


def near(share, expected, n):
    """Within five standard errors and five items of a share, element by element; 0 where nothing is expected."""
    return (
        np.abs(share - expected)
        <= 5 * np.sqrt(expected * (1 - expected) / n) + 5 / n * (expected > 0)
    ).all()


@pytest.mark.parametrize("distribution", populations.DISTRIBUTIONS)
@pytest.mark.parametrize("n_classes", [2, 4, 20])
def test_a_large_test_set_has_the_population_s_confusions(rng, n_classes, distribution):
    """Every kind of system answers as its population says, unanswered items included."""
    shares = populations.DISTRIBUTIONS[distribution](n_classes)
    assert shares.sum() == pytest.approx(1)
    population = populations.systems(shares, list(populations.KINDS), 1, seed=1)
    test_set = population.draw(rng, 40_000)
    counts = truths.count(test_set.gold, test_set.answers, n_classes)
    expected = population.confusions(np.ones(n_classes, dtype=bool))
    assert expected.sum(axis=(1, 2)) == pytest.approx(1)
    assert near(counts / 40_000, expected, 40_000)


@pytest.mark.parametrize("design", fields.FIELDS)
def test_fields_answer_as_their_populations_say(rng, design):
    """Correlated errors and groups leave every single item's chances as they are."""
    population = fields.FIELDS[design](populations.skewed(3), 6, rng)
    counts = sum(
        truths.count(test_set.gold, test_set.answers, 3)
        for test_set in (population.draw(rng, 4000) for _ in range(20))
    )
    expected = population.confusions(np.ones(3, dtype=bool))
    # In groups the 80,000 items are worth fewer: a group's items share difficulty and class.
    assert near(counts / 80_000, expected, 80_000 if design != "groups" else 16_000)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_teams_that_are_tied_otherwise_have_equal_scores_and_other_confusions(n_classes):
    population = fields.tied_otherwise(
        populations.uniform(n_classes), n_classes, np.random.default_rng(0)
    )
    confusions = population.confusions(np.ones(n_classes, dtype=bool))
    scores = truths.score(confusions, list(truths.AGGREGATES), LABELS)
    assert np.ptp(scores, axis=1).max() < 1e-12
    assert np.abs(confusions[0] - confusions[1]).max() > 0.01


def test_twins_hand_in_the_same_answers(rng):
    answers = fields.twins(populations.uniform(3), 6, rng).draw(rng, 50).answers
    assert (answers[:3] == answers[3:]).all()
    assert (answers[0] != answers[1]).any()


def test_items_of_a_group_are_alike(rng):
    """What a test that takes them as independent would miss: a group's right answers vary more than binomially."""
    population = fields.in_groups(populations.uniform(2), 1, rng)
    test_set = population.draw(rng, 20_000)
    right = (test_set.answers[0] == test_set.gold).astype(float)
    sizes = np.bincount(test_set.groups)
    by_group = np.bincount(test_set.groups, right - right.mean())
    assert (by_group**2).sum() > 1.5 * right.var() * sizes.sum()


def test_fixed_class_counts_are_fixed(rng):
    population = populations.systems(populations.zipf(5), ["good"], 2, seed=1)
    for _ in range(3):
        counts = np.bincount(population.draw(rng, 100, stratified=True).gold, minlength=5)
        assert (counts == population.stratum_sizes(100)).all()
        assert counts.sum() == 100


# Counting


def claims_of(interval):
    """A program that gives intervals of accuracy, and decides by a paired z-test of it, corrected by Bonferroni."""

    def ask(test_set, labels, names, compared, stratified):
        del stratified
        scores = truths.score(
            truths.count(test_set.gold, test_set.answers, len(labels)), names, labels
        )
        row = names.index("accuracy")
        lower, upper, marked = (
            np.full(scores.shape, value)
            for value in (np.nan, np.nan, np.array("rare-class", dtype="<U20"))
        )
        lower[row], upper[row] = interval(scores[row], test_set.gold.size)
        marked[row] = ""
        right = (test_set.answers == test_set.gold).astype(float)
        difference = right[:, None] - right
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            z = difference.mean(axis=-1) / (difference.std(axis=-1) / np.sqrt(test_set.gold.size))
        limit = stats.norm.isf(0.025 / max(1, len(right) * (len(right) - 1) / 2))
        best = right.mean(axis=1).argmax()
        decisions = program.Decisions(
            z > limit,
            ~(z[best] > limit),
            int(best),
            float(lower[row, best]),
            float(upper[row, best]),
        )
        return program.Claims(scores, lower, upper, marked, dict.fromkeys(compared, decisions))

    return ask


def wilson(share, n):
    return proportion_confint(share * n, n, method="wilson")


def too_short(share, n):
    half = 1.3 * np.sqrt(share * (1 - share) / n)
    return share - half, share + half


SMALL = cells.Cell("systems", 3, 100, "uniform", 4, 100, kinds=("good", "weak", "near-perfect"))
N_INTERVALS = 400


@pytest.fixture(scope="module")
def by_wilson():
    """What the judge counts of Wilson's intervals."""
    return judging.judge(SMALL, claims_of(wilson), seed=1)


@pytest.fixture(scope="module")
def by_short():
    """What it counts of intervals that are too short."""
    return judging.judge(SMALL, claims_of(too_short), seed=1)


def accuracy_of(outcome):
    return {
        item.kind: item for item in findings.interval_findings(outcome) if item.score == "accuracy"
    }


def test_intervals_that_hold_their_level_pass(by_wilson):
    """Wilson's, for which 95% is known to be kept."""
    judged = accuracy_of(by_wilson)
    assert set(judged) == set(SMALL.kinds)
    for finding in judged.values():
        assert finding.n == N_INTERVALS
        assert finding.lower < 0.95 < finding.upper or finding.share > 0.95
        assert not finding.fails
        assert finding.width == pytest.approx(1.1, abs=0.25)
    for fault in page.FAULTS:
        assert not by_wilson.interval_sum(fault).any()


def test_intervals_that_are_too_short_fail(by_short):
    """1.3 standard errors hold 80%: the limit is one that can be crossed."""
    judged = accuracy_of(by_short)
    assert judged["good"].fails
    assert judged["weak"].share == pytest.approx(2 * stats.norm.cdf(1.3) - 1, abs=0.06)


def test_scores_without_interval_are_marked_and_others_are_counted_as_faults(by_wilson):
    def silent(*asked):
        claims = claims_of(wilson)(*asked)
        return program.Claims(
            claims.scores + 0.1,
            claims.lower,
            claims.upper - 1,
            np.full(claims.marked.shape, ""),
            claims.decisions,
        )

    outcome = judging.judge(SMALL, silent, seed=1)
    row = SMALL.scores.index("accuracy")
    assert outcome.interval_sum("score outside")[row].tolist() == [N_INTERVALS] * 3
    assert outcome.interval_sum("beyond range")[row].sum() == 0
    assert outcome.interval_sum("other score")[row].tolist() == [N_INTERVALS] * 3
    assert outcome.interval_sum("no reason")[row + 1].tolist() == [N_INTERVALS] * 3
    assert by_wilson.interval_sum("marked")[row + 1].tolist() == [N_INTERVALS] * 3
    assert by_wilson.interval_sum("rare-class")[row + 1].tolist() == [N_INTERVALS] * 3


def test_false_claims_are_counted():
    """Bonferroni keeps 5% with all teams tied; pairs one by one do not."""
    cell = cells.Cell("tied", 3, 200, "uniform", 6, 100)
    row = cell.compared.index("accuracy")
    found = judging.judge(cell, claims_of(wilson), seed=1)
    assert found.decision_sum("false claim")[row] <= stats.binom.isf(1e-4, 100, 0.05)

    def hasty(*asked):
        claims = claims_of(wilson)(*asked)
        ahead = claims.scores[cell.scores.index("accuracy")]
        decisions = claims.decisions["accuracy"]
        decided = program.Decisions(
            ahead[:, None] > ahead, ahead == ahead.max(), decisions.leader, np.nan, np.nan
        )
        return program.Claims(
            claims.scores,
            claims.lower,
            claims.upper,
            claims.marked,
            dict.fromkeys(cell.compared, decided),
        )

    outcome = judging.judge(cell, hasty, seed=1)
    by_claim = {
        item.claim: item for item in findings.decision_findings(outcome) if item.score == "accuracy"
    }
    assert by_claim["false claim"].fails
    assert by_claim["best set"].fails
    assert "leader" not in by_claim  # none was given


def test_holm_is_statsmodels_holm(rng):
    for _ in range(5):
        p_values = rng.random(12) ** 4
        assert judging.holm(p_values).tolist() == multipletests(p_values, method="holm")[0].tolist()


def test_holm_mcnemar_is_the_closed_form_for_two_teams(rng):
    """χ² uncorrected is (b − c)² / (b + c); exact is a sign test."""
    gold = np.zeros(100, dtype=np.int64)
    for _ in range(20):
        answers = (rng.random((2, 100)) < [[0.3], [0.2]]).astype(np.int64)
        first, second = answers == gold
        only_first, only_second = (first & ~second).sum(), (second & ~first).sum()
        asymptotic, exact = judging.holm_mcnemar(populations.TestSet(gold, answers, None))
        p = stats.chi2.sf((only_first - only_second) ** 2 / (only_first + only_second), 1)
        assert asymptotic.any() == (p <= 0.05)
        assert exact.any() == (stats.binomtest(only_first, only_first + only_second).pvalue <= 0.05)
        if asymptotic.any():
            assert asymptotic[0, 1] == (only_first > only_second)


def test_copies_that_share_everything_count_once():
    """All copies right or all wrong: what is counted four times is worth one; apart from each other, four."""
    shape = (len(judging.INTERVAL_COUNTS), len(SMALL.scores), 3)
    rng = np.random.default_rng(1)
    for together, expected in ((True, 1000), (False, 4000)):
        sums = np.zeros(shape)
        for _ in range(1000):
            held = 4 * (rng.random() < 0.9) if together else rng.binomial(4, 0.9)
            for name, value in (
                ("given", 4),
                ("covered", held),
                ("given²", 16),
                ("given × covered", 4 * held),
            ):
                sums[judging.INTERVAL_COUNTS.index(name)] += value
            sums[judging.INTERVAL_COUNTS.index("covered²")] += held**2
        worth = judging.effective_repetitions(judging.Outcome(SMALL, 0, sums, np.zeros((1, 1))))
        assert worth == pytest.approx(expected, rel=0.15)


def test_the_monte_carlo_interval_is_statsmodels_clopper_pearson():
    share, n = np.array([0.0, 0.05, 0.9, 1.0]), np.array([40.0, 200, 1000, 30])
    expected = proportion_confint(share * n, n, alpha=0.01, method="beta")
    assert np.allclose(judging.monte_carlo_interval(share, n), expected)


# Looking again, and the page


def test_suspects_are_looked_at_again_and_the_second_look_counts(by_short):
    (again,) = findings.second_looks(findings.all_findings([by_short]), 5, 400)
    assert set(again.kinds) <= set(SMALL.kinds)
    assert again.n_teams * again.n_repetitions == 400
    assert again.name == SMALL.name
    second = judging.judge(again, claims_of(too_short), seed=1, look=1)
    settled = findings.settled(findings.all_findings([by_short, second]))
    looks = {item.kind: item.look for item in settled if item.score == "accuracy"}
    assert looks == {kind: int(kind in again.kinds) for kind in SMALL.kinds}


def test_a_second_look_draws_other_test_sets_from_the_same_population():
    once, again = SMALL.generator(1, 0), SMALL.generator(1, 1)
    assert once.random() != again.random()
    assert (SMALL.population(1).conditional == SMALL.population(1).conditional).all()


def test_the_same_seed_counts_the_same(by_wilson):
    again = judging.judge(SMALL, claims_of(wilson), seed=1)
    assert (again.intervals == by_wilson.intervals).all()
    assert (again.decisions == by_wilson.decisions).all()


def test_the_page_says_what_fails(by_wilson, by_short):
    cell = cells.Cell("mixed", 3, 200, "skewed", 6, 30)
    power = cells.Cell("power pair", 3, 300, "skewed", 2, 30)
    outcomes = [judging.judge(one, claims_of(too_short), seed=1) for one in (cell, power)]
    text = page.page([by_short, *outcomes], [], seed=1)
    assert "| systems, C = 3, N = 100, uniform | good | `accuracy` | interval |" in text
    assert "**1 fail**" in text or "**2 fail**" in text or "**3 fail**" in text
    assert "$" not in text
    passing = page.page([by_wilson], [], seed=1)
    assert "## What fails" in passing
    assert "\nNothing.\n" in passing


def test_every_cell_can_be_drawn():
    """All populations of the whole run: shares sum to 1, and the rarest class is not absurdly rare."""
    every = [*cells.all_cells(), *cells.quick_cells()]
    assert len({cell.name for cell in cells.all_cells()}) == len(cells.all_cells())
    for cell in every:
        population = cell.population(1)
        assert population.conditional.sum(axis=-1) == pytest.approx(1)
        assert population.n_teams == len(cell.team_kinds)
        assert cell.expected_items >= 0.4
