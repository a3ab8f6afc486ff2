"""What item weights say of numbers without an influence function, against replicates that are scored one by one."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from audit.domain import Options, Role, ScoreKey
from audit.evaluation import evaluate
from audit.inference import resampling, weighted
from audit.inference.differences import differences
from audit.inference.resampling import resample
from audit.inference.weighted import Draws
from audit.metrics import count_confusions, lost_classes, score_what_is_left

from .campaigns import campaign_of, noisy, scored_with_items

N_REPLICATES = 300
AVERAGED, OF_AVERAGES = ScoreKey("averaged_f1"), ScoreKey("f1_of_averages")
FIELDS = ("lower", "upper", "rank_shares", "spearman_lower", "spearman_upper")
NUMBERS = ("n_usable", "macro_f1_disagreement", "prevalence_disagreement", "n_spearman")


def close_field(n_items=250):
    """Five close teams of three classes."""
    rng = np.random.default_rng(81)
    gold = rng.choice(3, n_items, p=[0.6, 0.3, 0.1])
    return gold, noisy(rng, gold, 3, [0.72, 0.7, 0.69, 0.66, 0.5])


def one_by_one(evaluation, teams, n_replicates, groups=None):
    """Every score of every replicate, shape (K, B, T): items are repeated as often as they were drawn."""
    gold = evaluation.gold.codes.astype(int)
    weights = Draws(len(gold), n_replicates, 1, groups).weights(0, n_replicates).astype(np.int64)
    confusions = np.stack(
        [
            count_confusions(np.repeat(gold, row), [np.repeat(given, row) for given in teams], 3).astype(float)
            for row in weights
        ]
    )
    lost = lost_classes(confusions, evaluation.present)
    labels = evaluation.task.label_set
    return score_what_is_left(confusions, lost, evaluation.keys, evaluation.prevalences, labels), weights


@pytest.fixture(scope="module", params=[False, True], ids=["items", "groups"])
def close(request):
    """The field, what is said of it, and its replicates."""
    gold, teams = close_field()
    groups = np.arange(len(gold)) % 80 if request.param else None
    evaluation, items = scored_with_items(gold, teams, 3, groups=groups, roles={"team 004": Role.BASELINE})
    scores, _ = one_by_one(evaluation, teams, N_REPLICATES, groups)
    return evaluation, resample(evaluation, items, N_REPLICATES, 1), scores


def test_ends_are_the_percentiles_of_the_replicates(close):
    """2.5 and 97.5% of every score, unrepaired, unwidened."""
    evaluation, found, scores = close
    ends = np.quantile(scores, [0.025, 0.975], axis=1)
    np.testing.assert_allclose(found.lower, ends[0], atol=1e-9)
    np.testing.assert_allclose(found.upper, ends[1], atol=1e-9)
    assert (found.n_replicates, found.seed, found.n_usable) == (N_REPLICATES, 1, N_REPLICATES)
    assert found.keys == (evaluation.task.ranking_metric, OF_AVERAGES)


def test_shares_of_ranks_are_those_of_the_replicates(close):
    """Counted one by one among the entries that are comparable."""
    evaluation, found, scores = close
    for place, key in enumerate(found.keys):
        replicated = scores[evaluation.keys.index(key)][:, :4]
        for team in range(4):
            ranks = [1 + sum(other > row[team] + 1e-12 for other in row) for row in replicated]
            shares = [ranks.count(rank) / N_REPLICATES for rank in range(1, 6)]
            assert found.rank_shares[place, team] == pytest.approx(shares)
    assert (found.rank_shares[:, 4] == 0).all()


def test_disagreement_counts_replicates_with_different_winners(close):
    """Between the two macro F1s, and between observed and balanced prevalence."""
    evaluation, found, scores = close

    def best(*key):
        return scores[evaluation.keys.index(ScoreKey(*key))][:, :4].argmax(axis=1)

    assert found.macro_f1_disagreement == (best("averaged_f1") != best("f1_of_averages")).mean()
    assert found.prevalence_disagreement == (best("averaged_f1") != best("averaged_f1", "balanced")).mean()
    assert 0 < found.macro_f1_disagreement < 1


def test_correlations_are_those_of_scipy(close):
    """The middle 95% of ρ between two metrics over the competing entries; 1 for a metric with itself.

    None of a score by which all entries tie in some replicate.
    """
    evaluation, found, scores = close
    keys = evaluation.agreement.keys
    one, other = keys.index(ScoreKey("accuracy")), keys.index(ScoreKey("macro_recall"))
    pair = [scores[evaluation.keys.index(keys[place])][:, :4].round(12) for place in (one, other)]
    rho = [spearmanr(first, second).statistic for first, second in zip(*pair, strict=True)]
    assert found.spearman_lower[one, other] == pytest.approx(np.quantile(rho, 0.025))
    assert found.spearman_upper[one, other] == pytest.approx(np.quantile(rho, 0.975))
    replicated = scores[[evaluation.keys.index(key) for key in keys]][..., :4]
    tied = (np.ptp(replicated, axis=-1) < 1e-12).any(axis=1)
    assert 0 < tied.sum() < len(keys) / 2
    np.testing.assert_allclose(np.diag(found.spearman_lower), np.where(tied, np.nan, 1))
    assert found.n_spearman == N_REPLICATES


def test_the_spread_of_replicates_is_the_delta_method_s():
    """The second opinion agrees: within 8% over 1,000 replicates, by item and by group."""
    rng = np.random.default_rng(82)
    gold = rng.choice(3, 1500, p=[0.5, 0.3, 0.2])
    hard = np.repeat(rng.random(300), 5)
    teams = noisy(rng, gold, 3, [0.75, 0.6], hard)
    for groups in (None, np.arange(1500) // 5):
        evaluation, items = scored_with_items(gold, teams, 3, groups=groups)
        found = resample(evaluation, items, 1000, 1)
        for name in ("accuracy", "averaged_f1", "mcc", "macro_precision"):
            row = evaluation.keys.index(ScoreKey(name))
            error = np.sqrt(np.diagonal(differences(evaluation, ScoreKey(name), items).covariance))
            width = (found.upper - found.lower)[row]
            assert width == pytest.approx(2 * 1.96 * error, rel=0.12), name


# Lost classes


@pytest.fixture(scope="module")
def rare():
    """A class of two gold items, which one replicate in seven or so has none of; and a class that gold lacks."""
    rng = np.random.default_rng(83)
    gold = rng.permutation(np.repeat([0, 1, 2], [40, 30, 2]))
    return gold, noisy(rng, gold, 3, [0.8, 0.6, 0.5])


def test_replicates_that_lose_a_class_are_left_out_and_counted(rare):
    """For every score alike, whether it averages over classes or not."""
    gold, teams = rare
    evaluation, items = scored_with_items(gold, teams, 3)
    found = resample(evaluation, items, 500, 1)
    scores, weights = one_by_one(evaluation, teams, 500)
    lost = weights[:, gold == 2].sum(axis=1) == 0
    assert 0.05 < lost.mean() < 0.3
    assert found.n_usable == (~lost).sum()
    row = evaluation.keys.index(ScoreKey("accuracy"))
    np.testing.assert_allclose(found.lower[row], np.quantile(scores[row, ~lost], 0.025, axis=0), atol=1e-9)
    assert found.rank_shares.sum(axis=-1) == pytest.approx(1)


def test_a_class_that_gold_lacks_loses_nothing(rare):
    """And its own scores have no ends."""
    gold, teams = rare[0] % 2, [given % 2 for given in rare[1]]
    evaluation, items = scored_with_items(gold, teams, 4)
    found = resample(evaluation, items, 250, 1)
    assert found.n_usable == 250
    assert np.isnan(found.lower[evaluation.keys.index(ScoreKey("f1[c3]"))]).all()
    assert not np.isnan(found.lower[evaluation.keys.index(AVERAGED)]).any()


@pytest.mark.parametrize("n_replicates", [1, 199, 200])
def test_from_few_replicates_no_percentile_is_printed(n_replicates):
    """Below 200 usable ones."""
    gold, teams = close_field(120)
    evaluation, items = scored_with_items(gold, teams, 3)
    found = resample(evaluation, items, n_replicates, 1)
    few = n_replicates < resampling.FEWEST_USABLE
    row = evaluation.keys.index(AVERAGED)
    assert np.isnan(found.lower[row]).all() == np.isnan(found.upper[row]).all() == few
    assert np.isnan(found.spearman_lower[0, 1]) == few


def test_where_every_replicate_is_left_out_nothing_is_said():
    """Twenty classes of one item: no ends, no shares, no disagreement."""
    gold = np.arange(20)
    evaluation, items = scored_with_items(gold, [gold, np.zeros(20, int), gold // 2], 20)
    found = resample(evaluation, items, 20, 1)
    assert found.n_usable == found.n_spearman == 0
    assert np.isnan(found.lower).all()
    assert np.isnan([found.macro_f1_disagreement, found.prevalence_disagreement]).all()
    assert (found.rank_shares == 0).all()


# The same bytes


def bits(found):
    """Everything that is said."""
    arrays = [np.ascontiguousarray(getattr(found, name)).tobytes() for name in FIELDS]
    return b"".join(arrays) + np.array([getattr(found, name) for name in NUMBERS]).tobytes()


@pytest.mark.parametrize("grouped", [False, True])
def test_block_sizes_change_no_bit(monkeypatch, grouped):
    """Memory is bounded by blocks of teams, replicates and items, of which the result knows nothing."""
    gold, teams = close_field(120)
    evaluation, items = scored_with_items(gold, teams, 3, groups=np.arange(120) % 37 if grouped else None)
    whole = bits(resample(evaluation, items, 210, 1))
    for module, constants in (
        (resampling, ("_SCORE_BYTES", "_CONFUSION_CELLS", "_SCORING_CELLS")),
        (weighted, ("_CACHED_DRAWS", "_ANSWERS", "_REPLICATES_AT_ONCE")),
    ):
        for constant in constants:
            monkeypatch.setattr(module, constant, 700)
    assert bits(resample(evaluation, items, 210, 1)) == whole
    assert bits(resample(evaluation, items, 210, 2)) != whole


def test_progress_is_told_block_by_block(monkeypatch):
    """Whoever asks hears of every block of teams, and of their total."""
    heard = []
    gold, teams = close_field(60)
    evaluation, items = scored_with_items(gold, teams, 3)
    monkeypatch.setattr(resampling, "_SCORE_BYTES", 1)
    resample(evaluation, items, 20, 1, lambda *step: heard.append(step))
    assert heard == [(number, 5) for number in range(1, 6)]


def test_replicates_are_drawn_on_request_alone():
    """An evaluation has none unless its options ask for them; decisions are the same either way."""
    campaign = campaign_of(*close_field(100), 3)
    plain, asked = (evaluate(campaign, Options(replicates=replicates)) for replicates in (0, 220))
    assert plain.certainty.resampled is None
    assert asked.certainty.resampled.n_replicates == 220
    for one, other in zip(plain.certainty.comparisons, asked.certainty.comparisons, strict=True):
        assert one.adjusted_p.tobytes() == other.adjusted_p.tobytes()
    np.testing.assert_array_equal(plain.certainty.intervals.lower, asked.certainty.intervals.lower)
