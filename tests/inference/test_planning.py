"""Plans from pilots: as many items as say so find the difference as often as is said."""

import math

import numpy as np
import pytest
from scipy.stats import studentized_range
from statsmodels.stats.power import NormalIndPower

from audit.domain import BALANCED, OBSERVED, LabelSet, ScoreKey
from audit.errors import UsageError
from audit.inference.confusions_alone import critical_value_among, plan
from audit.inference.gaussian import draw
from audit.metrics import AGGREGATES, score

LABELS = LabelSet(("a", "b", "c"))
FIRST = np.array([[700, 200, 60, 40], [150, 500, 40, 10], [60, 40, 180, 20]])
SECOND = np.array([[650, 220, 90, 40], [180, 460, 50, 10], [70, 50, 160, 20]])


@pytest.mark.parametrize("n_teams", [2, 5, 20, 48])
def test_the_critical_value_is_the_quantile_of_the_largest_difference(n_teams):
    """Of as many normal variables with equal correlation: the range of their draws, whatever the correlation."""
    covariance = np.full((n_teams, n_teams), 0.6) + 0.4 * np.eye(n_teams)
    normal = np.random.default_rng(1).standard_normal((n_teams, 40_000))
    ranges = np.ptp(np.linalg.cholesky(covariance) @ normal, axis=0) / math.sqrt(2 * 0.4)
    assert critical_value_among(n_teams) == pytest.approx(np.quantile(ranges, 0.95), abs=0.03)
    ours = np.ptp(draw(covariance, seed=1), axis=0) / math.sqrt(2 * 0.4)
    assert critical_value_among(n_teams) == pytest.approx(np.quantile(ours, 0.95), abs=0.08)


def test_independent_proportions_need_what_statsmodels_says():
    """Accuracies of two systems that err independently: a test of two proportions, but for the null variance."""
    n_items = 200_000
    pilot = np.array(
        [[[n_items * 4 // 10, n_items // 10, 0], [n_items // 10, n_items * 4 // 10, 0]]]
    )
    found = plan(
        pilot,
        LabelSet(("a", "b")),
        ScoreKey("accuracy"),
        difference=0.01,
        n_teams=2,
        correlations=[0.0],
    )
    effect = 0.01 / math.sqrt(0.8 * 0.2)
    exact = NormalIndPower().solve_power(effect, power=0.8, alpha=0.05)
    assert found.needed[0].as_pair == pytest.approx(exact, rel=2e-3)
    assert found.needed[0].among_all == pytest.approx(exact, rel=2e-3)
    assert found.scores == (0.8,)
    assert found.n_items == (n_items,)


@pytest.mark.parametrize(
    ("key", "correlation"),
    [
        (ScoreKey("averaged_f1"), 0.0),
        (ScoreKey("f1_of_averages", "balanced"), 0.5),
        (ScoreKey("mcc"), 0.5),
    ],
    ids=str,
)
def test_a_test_set_of_that_size_finds_the_difference_four_times_in_five(key, correlation):
    """Two systems are drawn item by item, with the same gold and errors that are alike to some degree."""
    true = score(np.stack([FIRST, SECOND]), [key], [OBSERVED, BALANCED], LABELS)[0]
    difference = float(true[0] - true[1])
    rng = np.random.default_rng(4)
    few = _drawn(rng, 400, 2000, correlation)
    scores = score(few, [key], [OBSERVED, BALANCED], LABELS)[0]
    alike = float(np.corrcoef(scores.T)[0, 1])
    found = plan(
        np.stack([FIRST, SECOND]),
        LABELS,
        key,
        difference=difference,
        n_teams=10,
        correlations=[alike],
    )
    for n_items, critical in (
        (found.needed[0].as_pair, 1.96),
        (found.needed[0].among_all, studentized_range.ppf(0.95, 10, np.inf) / math.sqrt(2)),
    ):
        scores = score(
            _drawn(rng, 1500, n_items, correlation), [key], [OBSERVED, BALANCED], LABELS
        )[0]
        differences = scores[:, 0] - scores[:, 1]
        assert differences.mean() == pytest.approx(difference, rel=0.15)
        assert (differences > critical * differences.std()).mean() == pytest.approx(0.8, abs=0.06)


def _drawn(rng, n_sets, n_items, correlation):
    """Confusions of two systems on test sets of so many items; a share of the second's answers hangs on the first's."""
    rows = FIRST.sum(axis=1)
    gold = rng.choice(3, (n_sets, n_items), p=rows / rows.sum())
    together = rng.random((n_sets, n_items))
    apart = np.where(
        rng.random((n_sets, n_items)) < correlation, together, rng.random((n_sets, n_items))
    )
    answers = [
        (
            chance[..., None]
            > np.cumsum(system / system.sum(axis=1, keepdims=True), axis=1)[gold][..., :-1]
        ).sum(axis=-1)
        for system, chance in ((FIRST, together), (SECOND, apart))
    ]
    codes = [np.arange(n_sets)[:, None] * 12 + gold * 4 + given for given in answers]
    return np.stack(
        [np.bincount(each.ravel(), minlength=12 * n_sets).reshape(n_sets, 3, 4) for each in codes],
        axis=1,
    )


@pytest.mark.parametrize(
    "key",
    [ScoreKey(metric.slug, at) for metric in AGGREGATES for at in ("observed", "balanced")],
    ids=str,
)
def test_more_alike_systems_need_fewer_items(key):
    """By every metric; a comparison of all pairs needs more than a test of one."""
    found = plan(FIRST[None], LABELS, key, difference=0.03)
    as_pair, among_all = (
        [getattr(each, name) for each in found.needed] for name in ("as_pair", "among_all")
    )
    assert as_pair == sorted(as_pair, reverse=True)
    assert among_all == sorted(among_all, reverse=True)
    assert all(one < all_pairs for one, all_pairs in zip(as_pair, among_all, strict=True))
    two = plan(np.stack([FIRST, FIRST]), LABELS, key, difference=0.03)
    assert two.needed == found.needed


def test_a_small_pilot_without_errors_does_not_promise_that_none_come():
    """Fifty right answers of fifty do not mean that a difference of .02 needs no items."""
    perfect = plan(
        np.array([[[25, 0, 0], [0, 25, 0]]]),
        LabelSet(("a", "b")),
        ScoreKey("accuracy"),
        difference=0.02,
    )
    assert perfect.needed[0].as_pair > 500


@pytest.mark.parametrize(
    ("pilots", "key", "given", "message"),
    [
        ([FIRST], ScoreKey("accuracy"), {"difference": 0.0}, "above 0"),
        ([FIRST], ScoreKey("accuracy"), {"difference": math.nan}, "above 0"),
        ([FIRST], ScoreKey("accuracy"), {"difference": 1.0}, "below 1"),
        ([FIRST], ScoreKey("accuracy"), {"n_teams": 1}, "two teams"),
        ([FIRST] * 3, ScoreKey("accuracy"), {}, "from two"),
        ([FIRST], ScoreKey("accuracy", "there"), {}, "observed or with balanced"),
        ([[[9, 0, 0, 0], [0] * 4, [0] * 4]], ScoreKey("kappa"), {}, "undefined"),
        (
            [[[9, 0, 0, 0], [9, 0, 0, 0], [0] * 4]],
            ScoreKey("macro_recall"),
            {},
            "no standard error",
        ),
        (
            [[[9, 0, 0, 0], [9, 0, 0, 0], [0] * 4]],
            ScoreKey("geometric_macro_recall"),
            {},
            "no standard error",
        ),
    ],
)
def test_what_cannot_be_planned_is_said(pilots, key, given, message):
    """Wrong usage, with the reason."""
    with pytest.raises(UsageError, match=message):
        plan(np.array(pilots), LABELS, key, **{"difference": 0.02, **given})
