"""The properties that the registry declares hold, and those that it does not declare fail (Opitz 2024, section 3).

Each property has a search for what contradicts it. For a ✓ the search finds nothing, for a ✗ it finds something, and
for a ~ it finds something in the observed confusions and nothing in the calibrated ones.
"""

from dataclasses import fields

import numpy as np
import pytest

from audit.metrics import AGGREGATES, METRICS, SCALE_METRICS, Holds, Margins, Properties, calibrate
from tests.nightly import whole_or

from .strategies import by_kernel

ROUNDING = 1e-12
N_CONFUSIONS = whole_or(1_000, 4_000)


def observed(confusions):
    """Confusions as they are."""
    return confusions


def scores(metric, view, confusions):
    """The scores of a stack in one of the two views, observed or calibrated, turned so that higher is better.

    Krippendorff's correction for few items moves alpha by up to 1/(2N): it is looked at with many.
    """
    masses = view(confusions) * (1e15 if metric.slug == "ordinal_alpha" else 1)
    return metric.kernel(Margins.of(masses)) * (1 if metric.greater_is_better else -1)


def random_confusions(n_classes, *, answered, seed=0):
    """Many small confusions, sparse and dense, an item in every class of gold."""
    rng = np.random.default_rng([seed, n_classes, answered])
    shape = (N_CONFUSIONS, n_classes, n_classes + 1)
    cells = rng.integers(0, 9, shape) * (
        rng.random(shape) < rng.uniform(0.3, 1, (N_CONFUSIONS, 1, 1))
    )
    if answered:
        cells[..., -1] = 0
    return cells[(cells.sum(axis=-1) > 0).all(axis=-1)]


POPULATIONS = [
    random_confusions(n_classes, answered=answered)
    for n_classes in (2, 3, 4)
    for answered in (True, False)
]


def effects(metric, view, confusions):
    """What one more item in each cell does to the score, shape (C, C + 1, confusions); NaN where one is undefined."""
    before = scores(metric, view, confusions)
    n_classes = confusions.shape[-2]
    one_more = np.eye(n_classes * (n_classes + 1), dtype=int).reshape(
        -1, 1, n_classes, n_classes + 1
    )
    changes = scores(metric, view, confusions + one_more) - before
    return changes.reshape(n_classes, n_classes + 1, -1)


def non_monotonic(metric, view):
    """PI fails where a correct item lowers the score, or an error raises it; gold already has every class."""
    for confusions in POPULATIONS:
        changes = effects(metric, view, confusions)
        correct = np.eye(*changes.shape[:2], dtype=bool)
        if np.nanmin(changes[correct]) < -ROUNDING or np.nanmax(changes[~correct]) > ROUNDING:
            return True
    return False


def blind_to_classes(metric, view):
    """PII fails where a correct item does the same in every class, and an error does the same in every cell.

    An item that is left out is no error in the paper, where every item is answered.
    """
    for confusions in POPULATIONS:
        changes = effects(metric, view, confusions)[:, :-1]
        correct = np.eye(*changes.shape[:2], dtype=bool)
        for alike in (changes[correct], changes[~correct]):
            if np.nanmax(np.abs(alike - alike[0])) > ROUNDING:
                return False
    return True


def blocks(rng, n_classes, *, answered):
    """Confusions of a few classes, of different sizes, with something correct in every class."""
    shape = (N_CONFUSIONS * 5, n_classes, n_classes + 1)
    cells = rng.integers(0, 12, shape) * (rng.random(shape) < 0.8) + np.eye(*shape[1:], dtype=int)
    cells *= rng.choice([1, 1, 10], size=(len(cells), 1, 1))
    if answered:
        cells[..., -1] = 0
    return cells


def block_diagonal(upper, lower):
    """Two confusions as one, with no item of the one predicted as a class of the other."""
    (n_confusions, k, _), size = upper.shape, upper.shape[1] + lower.shape[1]
    joined = np.zeros((n_confusions, size, size + 1), dtype=int)
    joined[:, :k, :k], joined[:, :k, -1] = upper[..., :-1], upper[..., -1]
    joined[:, k:, k:-1], joined[:, k:, -1] = lower[..., :-1], lower[..., -1]
    return joined


def reversals(metric, view, *, answered=True):
    """How often it depends on the lower block which of two upper blocks scores higher."""
    rng = np.random.default_rng(3)
    size = 3 if metric.of_scale else 2  # of two labels on a scale each is next to the other
    upper, other_upper, lower, other_lower = (
        blocks(rng, size, answered=answered) for _ in range(4)
    )
    first, second = (
        scores(metric, view, block_diagonal(upper, below))
        - scores(metric, view, block_diagonal(other_upper, below))
        for below in (lower, other_lower)
    )
    return int(
        ((np.minimum(first, second) < -ROUNDING) & (np.maximum(first, second) > ROUNDING)).sum()
    )


def inseparable(metric, view):
    """PIII fails where there is any such reversal; every item is answered, as in the paper."""
    return reversals(metric, view) > 0


def prevalence_dependent(metric, view):
    """PIV fails where scaling the gold rows by positive integers changes the score."""
    rng = np.random.default_rng(4)
    return any(
        np.nanmax(
            np.abs(scores(metric, view, confusions * scales) - scores(metric, view, confusions))
        )
        > ROUNDING
        for confusions in POPULATIONS
        for scales in [rng.integers(1, 100, (len(confusions), confusions.shape[1], 1))]
    )


def chance_classifiers(n_classes, *, predict_every_class):
    """Expected confusions: any prevalence × any distribution of predictions, the uniform and the observed included."""
    rng = np.random.default_rng([5, n_classes, predict_every_class])
    prevalence, predictions = rng.dirichlet(np.full(n_classes, 0.5), (2, N_CONFUSIONS)) + 1e-3
    predictions[::5], predictions[1::5] = 1, prevalence[1::5]
    if not predict_every_class:
        predictions[2::5, 0] = 0
        predictions[3::5] = np.eye(n_classes)[rng.integers(0, n_classes, len(predictions[3::5]))]
    prevalence, predictions = (
        shares / shares.sum(axis=-1, keepdims=True) for shares in (prevalence, predictions)
    )
    expected = prevalence[:, :, None] * predictions[:, None, :]
    return np.concatenate([expected, np.zeros((*expected.shape[:2], 1))], axis=-1)


def chance_scores(metric, n_classes, view=observed, *, predict_every_class=False):
    """What chance classifiers score."""
    return scores(
        metric, view, chance_classifiers(n_classes, predict_every_class=predict_every_class)
    )


def best_chance(metric, n_classes):
    """The best that a chance classifier may score: 0, 1/k, or on a scale that of one label where classes are even."""
    if metric.baseline.startswith("0"):
        return 0
    always = np.eye(n_classes, n_classes + 1)[:, None].repeat(n_classes, axis=1)
    return scores(metric, observed, always).max() if metric.of_scale else 1 / n_classes


def not_chance_corrected(metric, view):
    """PV fails where a chance classifier exceeds the bound that the number of classes gives."""
    return any(
        np.nanmax(chance_scores(metric, n, view)) > best_chance(metric, n) + ROUNDING
        for n in (2, 3, 5)
    )


SEARCHES = {
    "monotonic": non_monotonic,
    "class_sensitive": blind_to_classes,
    "decomposable": inseparable,
    "prevalence_invariant": prevalence_dependent,
    "chance_corrected": not_chance_corrected,
}
WITH_PROPERTIES = [
    metric for metric in (*METRICS.values(), *SCALE_METRICS.values()) if metric.properties
]

CONTRADICTED = {Holds.YES: (False, None), Holds.CALIBRATED: (True, False), Holds.NO: (True, True)}
"""What a search finds: in the observed confusions, in the calibrated ones; None where the table says nothing."""


@pytest.mark.parametrize("property_", [field.name for field in fields(Properties)])
@pytest.mark.parametrize("metric", WITH_PROPERTIES, ids=lambda metric: metric.slug)
def test_declared_properties_hold_and_the_others_fail(metric, property_):
    """Every mark of the table, in both directions."""
    search = SEARCHES[property_]
    in_observed, in_calibrated = CONTRADICTED[getattr(metric.properties, property_)]
    assert search(metric, observed) == in_observed
    if in_calibrated is not None:
        assert search(metric, calibrate) == in_calibrated


def test_the_marks_have_words():
    """A reader who cannot see ✓, ~ and ✗ hears what they say."""
    assert [mark.words for mark in Holds] == ["yes", "after calibration", "no"]


# What a chance classifier scores, for every phrase that a registry entry may have as its baseline


def is_strict(metric):
    """Every chance classifier scores 1/k."""
    for n_classes in (2, 3, 5):
        np.testing.assert_allclose(chance_scores(metric, n_classes), 1 / n_classes, rtol=1e-12)


def is_strict_where_every_class_is_predicted(metric):
    """1/k for a chance classifier that predicts every class, and less for some that do not."""
    for n_classes in (2, 3, 5):
        every_class = chance_scores(metric, n_classes, predict_every_class=True)
        np.testing.assert_allclose(every_class, 1 / n_classes, rtol=1e-12)
        assert chance_scores(metric, n_classes).min() < 0.9 / n_classes


def is_a_bound(metric):
    """At most 1/k, reached by some, missed by others even where every class is predicted."""
    for n_classes in (2, 3, 5):
        found = chance_scores(metric, n_classes, predict_every_class=True)
        assert found.max() == pytest.approx(1 / n_classes, rel=1e-9)
        assert found.min() < 0.9 / n_classes


def is_below(metric):
    """Less than 1/k, whatever the classifier; nearly 1/k where one class is nearly all of gold."""
    for n_classes in (2, 3, 5):
        assert 0.9 / n_classes < chance_scores(metric, n_classes).max() < 1 / n_classes


def is_a_lower_bound(metric):
    """At least 1/k, reached by some, exceeded by others."""
    for n_classes in (2, 3, 5):
        found = chance_scores(metric, n_classes)
        assert found.min() == pytest.approx(1 / n_classes, rel=1e-9)
        assert found.max() > 1.1 / n_classes


def is_all_but_a_share(metric):
    """Every chance classifier has the same share of the other classes right."""
    for n_classes in (2, 3, 5):
        np.testing.assert_allclose(chance_scores(metric, n_classes), 1 - 1 / n_classes, rtol=1e-12)


def is_complete(metric):
    """0 for any number of classes, or undefined."""
    for n_classes in (2, 3, 5):
        assert np.nanmax(np.abs(chance_scores(metric, n_classes))) < ROUNDING


def is_nothing_for_golds_distribution(metric):
    """0 where predictions have the distribution of gold, and below it elsewhere."""
    for n_classes in (2, 3, 5):
        found = chance_scores(metric, n_classes)
        np.testing.assert_allclose(found[1::5], 0, atol=ROUNDING)
        assert found.max() < ROUNDING


def is_a_middle_label(metric):
    """The mean distance of a middle label from all of them, which no other chance classifier is below."""
    for n_classes, distance in ((2, 1 / 2), (3, 2 / 3), (5, 6 / 5)):
        assert -chance_scores(metric, n_classes).max() == pytest.approx(distance, rel=1e-9)


def depends_on_prevalence(metric):
    """The best of the binary chance classifiers gets more where the classes are more skewed."""
    share = np.linspace(0, 1, 11)
    predictions = np.stack([share, 1 - share, np.zeros(11)], axis=-1)
    even, skewed = (
        scores(metric, observed, np.array(prevalence)[:, None] * predictions[:, None, :]).max()
        for prevalence in [(0.5, 0.5), (0.9, 0.1)]
    )
    assert skewed > even + 0.1


def is_the_class_prevalence(metric):
    """The class's share of gold, wherever it is predicted."""
    confusions = chance_classifiers(3, predict_every_class=True)
    np.testing.assert_allclose(
        scores(metric, observed, confusions), confusions.sum(axis=-1), rtol=1e-9
    )


def is_what_is_left_of_the_answers(metric):
    """How often it predicts another class, whatever the prevalence."""
    confusions = chance_classifiers(3, predict_every_class=True)
    expected = 1 - confusions[..., :-1].sum(axis=-2)
    np.testing.assert_allclose(scores(metric, observed, confusions), expected, rtol=1e-9)


def depends_on_the_classifier(metric):
    """How often it predicts the class, whatever the prevalence."""
    confusions = chance_classifiers(3, predict_every_class=True)
    np.testing.assert_allclose(
        scores(metric, observed, confusions), confusions[..., :-1].sum(axis=-2), rtol=1e-9
    )


def is_one_where_all_is_answered(metric):
    """However bad the answers are."""
    assert (scores(metric, observed, chance_classifiers(3, predict_every_class=True)) == 1).all()


BASELINES = {
    "1 where every item is answered": is_one_where_all_is_answered,
    "1/k, strict": is_strict,
    "1/k, strict where every class is predicted": is_strict_where_every_class_is_predicted,
    "≤ 1/k": is_a_bound,
    "< 1/k": is_below,
    "≥ 1/k": is_a_lower_bound,
    "1 − 1/k, strict": is_all_but_a_share,
    "0, complete": is_complete,
    "depends on prevalence": depends_on_prevalence,
    "the class’s prevalence": is_the_class_prevalence,
    "1 − the share of answers that are the class": is_what_is_left_of_the_answers,
    "depends on the classifier": depends_on_the_classifier,
    "0 where predictions have gold’s distribution": is_nothing_for_golds_distribution,
    "that of always answering with a middle label": is_a_middle_label,
}
WITH_BASELINES = [
    *METRICS.values(),
    *(each for each in SCALE_METRICS.values() if "depends" not in each.baseline),
]


@pytest.mark.parametrize("metric", WITH_BASELINES, ids=lambda metric: metric.slug)
def test_chance_classifiers_score_what_the_registry_says(metric):
    """A new phrase for a baseline needs a new check here."""
    BASELINES[metric.baseline](metric)


# Where a search says more than the table


def test_kappa_loses_separability_when_items_are_unanswered():
    """The paper prints ✗ for kappa's PIII; a search finds no reversal after calibration while every item is answered.

    With unanswered items it finds some: kappa~ depends on their share, which both blocks have in common. For every
    other metric unanswered items make no difference to PIII.
    """
    separable = {
        metric.slug: (
            reversals(metric, observed, answered=False) == 0,
            reversals(metric, calibrate, answered=False) == 0,
        )
        for metric in AGGREGATES
    }
    declared = {metric.slug: metric.properties.decomposable for metric in AGGREGATES} | {
        "kappa": Holds.NO
    }
    expected = {Holds.YES: (True, True), Holds.CALIBRATED: (False, True), Holds.NO: (False, False)}
    assert separable == {slug: expected[mark] for slug, mark in declared.items()}


def test_a_first_gold_item_answered_right_can_lower_averaged_f1():
    """PI is stated for a fixed set of averaged classes: the second class enters, and .800 becomes .733."""
    before, after = np.array([[2, 1, 0], [0, 0, 0]]), np.array([[2, 1, 0], [0, 1, 0]])
    assert [f"{by_kernel('averaged_f1', cells):.3f}" for cells in (before, after)] == [
        "0.800",
        "0.733",
    ]


@pytest.mark.parametrize("slug", ["macro_precision", "averaged_f1", "f1_of_averages"])
@pytest.mark.parametrize("column", [2, 3], ids=["an error", "an unanswered item"])
def test_an_error_can_raise_a_calibrated_score(slug, column):
    """PI is stated for the observed counts: after calibration one more error of a class dilutes its other errors."""
    everything_as_the_second_class = np.array([[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]])
    with_one_more_error = everything_as_the_second_class.copy()
    with_one_more_error[0, column] += 1
    tables = np.stack([everything_as_the_second_class, with_one_more_error])
    (before, after), (before_calibrated, after_calibrated) = (
        by_kernel(slug, tables, calibrated=calibrated) for calibrated in (False, True)
    )
    assert after <= before
    assert after_calibrated > before_calibrated + 0.01


def test_binary_mcc_is_monotonic_while_every_item_is_answered():
    """The ✗ for MCC needs a third class or an unanswered item.

    For [[a, b], [c, d]] with all answered, the derivative of MCC with respect to a has the sign of
    abd + acd + 2bcd + 2abc + b²c + bc².
    """
    changes = effects(METRICS["mcc"], observed, random_confusions(2, answered=True, seed=1))
    correct = np.eye(2, 3, dtype=bool)
    errors = np.eye(2, 3, dtype=bool)[::-1] & [True, True, False]
    assert np.nanmin(changes[correct]) > -ROUNDING
    assert np.nanmax(changes[errors]) < ROUNDING


@pytest.mark.parametrize(
    "metric", [*METRICS.values(), *SCALE_METRICS.values()], ids=lambda metric: metric.slug
)
def test_what_is_declared_to_move_with_classes_does_and_nothing_else(metric):
    """In both directions, with two classes in gold and with three; unanswered items are there too."""
    rng = np.random.default_rng(3)
    for n_classes, moves in (
        (2, metric.moves_with_classes and metric.moves_with_two),
        (3, metric.moves_with_classes),
    ):
        cells = rng.integers(1, 40, (20, n_classes, n_classes + 1))
        assert (
            np.abs(scores(metric, observed, cells) - scores(metric, calibrate, cells)).max() > 1e-6
        ) == moves
    if metric.properties:
        assert (metric.properties.prevalence_invariant is Holds.YES) == (
            not metric.moves_with_classes
        )
