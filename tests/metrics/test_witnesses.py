"""Witnesses of what a metric lacks: scored again by scikit-learn, and found exactly for what the registry declares."""

import numpy as np
import pytest
from scipy.stats import gmean, hmean
from sklearn import metrics as peer

from audit.domain import Addition
from audit.metrics import AGGREGATES, METRICS, SCALE_METRICS, Cells, Holds, Margins, chance_bound
from audit.metrics.scale_metrics import on_scale
from audit.metrics.witnesses import SEARCHES, VISIBLE, amounts_for, class_sensitive

# Opitz 2024, appendix G, tables 7 and 8, transposed to gold × predicted
APPENDIX_G = np.array([[[10, 1, 0, 0], [43, 1, 0, 0], [0, 0, 1, 0]]])


def campaign(seed, n_teams=4, n_classes=3):
    """Teams good and bad on a skewed gold, with some items unanswered."""
    rng = np.random.default_rng([seed, n_classes])
    sizes = rng.integers(5, 200, n_classes)
    quality = np.linspace(0.5, 6, n_teams)
    rows = [
        [rng.multinomial(n, rng.dirichlet(0.3 + q * np.eye(n_classes + 1)[code])) for code, n in enumerate(sizes)]
        for q in quality
    ]
    return np.array(rows)


CAMPAIGNS = [campaign(seed, n_classes=n_classes) for seed in range(3) for n_classes in (2, 3, 5)] + [APPENDIX_G]


def by_scikit_learn(slug, confusion):
    """One metric of one confusion of any masses, by the peer; unanswered items are one more label."""
    gold, predicted = np.indices(confusion.shape)
    y, answers, weights = gold.ravel(), predicted.ravel(), np.asarray(confusion, float).ravel()
    kept = weights > 0
    y, answers, weights = y[kept], answers[kept], weights[kept]
    classes = sorted(set(y.tolist()))
    precision, recall, f1, support = peer.precision_recall_fscore_support(
        y, answers, labels=classes, zero_division=0, sample_weight=weights
    )
    p, r = precision.mean(), recall.mean()
    return {
        "accuracy": lambda: peer.accuracy_score(y, answers, sample_weight=weights),
        "macro_recall": lambda: r,
        "geometric_macro_recall": lambda: gmean(recall),
        "harmonic_macro_recall": lambda: hmean(recall),
        "macro_precision": lambda: p,
        "averaged_f1": f1.mean,
        "f1_of_averages": lambda: 2 * p * r / (p + r),
        "weighted_f1": lambda: (support * f1).sum() / weights.sum(),
        "kappa": lambda: peer.cohen_kappa_score(y, answers, sample_weight=weights),
        "mcc": lambda: peer.matthews_corrcoef(y, answers, sample_weight=weights),
    }[slug]()


@pytest.fixture(scope="module")
def found():
    """Every search for every metric in every campaign."""
    return [
        (confusions, property_, metric, search(metric, Cells.of(confusions)))
        for confusions in CAMPAIGNS
        for property_, search in SEARCHES.items()
        for metric in (*AGGREGATES, *on_a_scale(confusions.shape[1]))
    ]


def on_a_scale(n_classes):
    """The metrics of labels on a scale of steps of one."""
    return [on_scale(metric, tuple(map(float, range(n_classes)))) for metric in SCALE_METRICS.values()]


def test_a_property_that_a_metric_has_is_contradicted_nowhere(found):
    """The same searches, run on what the registry declares with ✓, find nothing in any campaign.

    Of distances it is the errors that count differently, which the search for class sensitivity does not look at; of
    few items alpha is up to 1/(2N) above the 0 of many.
    """
    few = {("mae", "class_sensitive"), ("within_one", "class_sensitive"), ("ordinal_alpha", "chance_corrected")}
    for confusions, property_, metric, witness in found:
        if getattr(metric.properties, property_) is Holds.YES and (metric.slug, property_) not in few:
            assert witness is None, (metric.slug, property_)
        if witness is not None and property_ == "chance_corrected" and metric.slug == "ordinal_alpha":
            assert witness.scores[0] <= 1 / (2 * confusions[0].sum()) + 1e-12


@pytest.mark.parametrize("property_", SEARCHES)
@pytest.mark.parametrize("metric", [*AGGREGATES, *SCALE_METRICS.values()], ids=lambda metric: metric.slug)
def test_a_property_that_a_metric_lacks_is_shown_somewhere(found, metric, property_):
    """For every other mark of the table some campaign has a witness."""
    if getattr(metric.properties, property_) is not Holds.YES:
        assert any(w is not None for _, p, m, w in found if (p, m.slug) == (property_, metric.slug))


def test_every_witness_is_scored_alike_by_scikit_learn(found):
    """Each confusion that a witness compares, whole, by a peer that knows nothing of the search."""
    checked = 0
    for _, _, metric, witness in found:
        if witness is not None and not metric.of_scale:
            peers = [by_scikit_learn(metric.slug, confusion) for confusion in witness.confusions]
            np.testing.assert_allclose(witness.scores, peers, atol=1e-9)
            checked += len(peers)
    assert checked > 200


def test_every_witness_is_made_of_the_campaign(found):
    """Each confusion is the team's own, with the items that are named added, calibrated where that is said."""
    for confusions, property_, _, witness in found:
        if witness is None or property_ == "chance_corrected":
            continue
        for team, additions, balanced, confusion in zip(
            witness.teams, witness.additions, witness.balanced, witness.confusions, strict=True
        ):
            expected = confusions[team].astype(float)
            for addition in additions:
                expected[addition.gold, addition.predicted] += addition.amount
            if balanced:
                present = expected.sum(axis=1) > 0
                scale = np.where(present, expected.sum() / present.sum() / np.maximum(expected.sum(axis=1), 1), 0)
                expected *= scale[:, None]
            np.testing.assert_allclose(confusion, expected)


def test_a_witness_against_monotonicity_goes_the_wrong_way(found):
    """More errors of one kind raise the score, or more correct items lower it."""
    for _, property_, metric, witness in found:
        if property_ == "monotonic" and witness is not None:
            (addition,) = witness.additions[1]
            before, after = metric.scale.goodness(witness.scores)
            assert (after < before) if addition.gold == addition.predicted else (after > before)


def test_the_table_of_the_paper_is_a_witness():
    """Opitz 2024, appendix G: errors on the last class raise MCC and kappa from 0."""
    for slug in ("mcc", "kappa"):
        witness = SEARCHES["monotonic"](METRICS[slug], Cells.of(APPENDIX_G))
        assert witness.scores[0] == pytest.approx(0, abs=1e-12)
        assert witness.scores[1] > VISIBLE
        ten_more = APPENDIX_G[0].copy()
        ten_more[1, 2] += 10
        assert by_scikit_learn(slug, ten_more) == pytest.approx({"mcc": 0.07, "kappa": 0.02}[slug], abs=0.005)


def test_the_first_team_with_a_visible_effect_is_taken():
    """The order of the teams is that of the ranking, and a good team says more than a bad one."""
    mcc, bad = METRICS["mcc"], APPENDIX_G[0]
    good = np.array([[50, 1, 0, 0], [1, 42, 1, 0], [0, 0, 1, 0]])
    assert SEARCHES["monotonic"](mcc, Cells.of(np.stack([bad, good]))).teams == (0, 0)
    assert SEARCHES["monotonic"](mcc, Cells.of(np.stack([good, bad]))).teams[0] in {0, 1}
    alone = SEARCHES["monotonic"](mcc, Cells.of(good[None]))
    assert SEARCHES["monotonic"](mcc, Cells.of(np.stack([good, bad]))).teams[0] == (0 if alone is not None else 1)


def test_a_witness_against_decomposability_is_a_reversal(found):
    """The same items raise the score alone and lower it beside others, or the other way round."""
    for _, property_, _, witness in found:
        if property_ == "decomposable" and witness is not None:
            before, changed, beside, both = witness.scores
            assert (changed - before) * (both - beside) < 0
            own, other = ({addition.gold for addition in witness.additions[place]} for place in (1, 2))
            assert not own & other
            assert set(witness.additions[3]) == {*witness.additions[1], *witness.additions[2]}


def test_a_witness_against_prevalence_invariance_is_a_swap_or_a_change(found):
    """Two teams change places, or one team's score moves."""
    for _, property_, metric, witness in found:
        if property_ == "prevalence_invariant" and witness is not None:
            scores = metric.scale.goodness(witness.scores)
            if len(scores) == 4:
                assert scores[0] > scores[1]
                assert scores[2] < scores[3]
            else:
                assert scores[0] != pytest.approx(scores[1], abs=1e-10)


def test_a_chance_classifier_above_the_bound_does_not_look_at_the_item(found):
    """Its rows are one distribution of answers, and its score is above the bound."""
    for confusions, property_, metric, witness in found:
        if property_ == "chance_corrected" and witness is not None:
            (cells,) = witness.confusions
            present = cells.sum(axis=1) > 0
            rates = cells[present] / cells[present].sum(axis=1, keepdims=True)
            np.testing.assert_allclose(rates, rates[:1].repeat(len(rates), axis=0))
            np.testing.assert_allclose(cells.sum(axis=1), confusions[0].sum(axis=1))
            ours, bound = (metric.scale.goodness(each) for each in (witness.scores[0], chance_bound(metric, present)))
            assert ours > bound


def test_accuracy_is_moved_alike_by_every_class():
    """And macro-averaged F1 is not: the witness of the one shows one effect, of the other two."""
    confusions = campaign(1)
    alike = class_sensitive(METRICS["accuracy"], Cells.of(confusions), 2)
    assert alike.scores[1] == alike.scores[2] > alike.scores[0]
    different = class_sensitive(METRICS["averaged_f1"], Cells.of(confusions), 2)
    assert different.scores[1] > different.scores[2]
    assert different.additions[1] != different.additions[2]


def test_what_cannot_be_shown_is_not():
    """One class has no other beside it; a balanced gold leaves nothing to calibrate, and bounds no chance."""
    for slug in ("accuracy", "mcc"):
        assert SEARCHES["decomposable"](METRICS[slug], Cells.of(np.array([[[3, 1]]]))) is None
    even = np.array([[[6, 4, 0], [3, 7, 0]]])
    assert SEARCHES["prevalence_invariant"](METRICS["accuracy"], Cells.of(even)) is None
    assert SEARCHES["chance_corrected"](METRICS["accuracy"], Cells.of(even)) is None


def test_amounts_suit_the_number_of_items():
    """Neither lost among the items nor more than all of them, and never none."""
    assert [amounts_for(n) for n in (1, 60, 5_000, 2_000_000)] == [[1], [1, 10], [10, 100, 1000], [1000]]


def test_added_items_are_where_they_are_said_to_be():
    """The scores of the search, made of margins, are those of the confusions made of cells."""
    confusion = campaign(2)[1]
    witness = SEARCHES["monotonic"](METRICS["kappa"], Cells.of(APPENDIX_G))
    assert isinstance(witness.additions[1][0], Addition)
    assert METRICS["kappa"].kernel(Margins.of(confusion)) == pytest.approx(by_scikit_learn("kappa", confusion))
