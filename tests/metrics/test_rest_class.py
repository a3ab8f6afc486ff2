"""A rest class joins no average over classes, and stays in the confusion: scikit-learn's labels= without it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import gmean, hmean
from sklearn import metrics
from sklearn.utils.class_weight import compute_sample_weight

from audit.domain import BALANCED, OBSERVED, ClassSet, LabelSet, Named, Reading, ScoreKey
from audit.errors import MetricNameError, UsageError
from audit.metrics import (
    AGGREGATES,
    METRICS,
    PRESETS,
    Cells,
    Margins,
    averaged_in_words,
    chance_baselines,
    count_answers,
    count_confusions,
    difference_in_words,
    gradient_of,
    influence,
    macro_f1_gap,
    metric_name,
    parse_reading,
    parse_score_key,
    phrase,
    reading_phrase,
    score,
    score_readings,
    spread_over_classes,
    without_rest,
)

from .strategies import confusions, items_of, label_set_of

UNANSWERED = -1


def averaged(function, average="macro"):
    """A scikit-learn score over some of the classes."""

    def oracle(gold, predicted, weights, classes):
        return function(
            gold, predicted, labels=classes, average=average, sample_weight=weights, zero_division=0
        )

    return oracle


def f1_of_averages(*given_):
    """The harmonic mean of scikit-learn's macro precision and macro recall."""
    return hmean(
        [
            averaged(function)(*given_)
            for function in (metrics.precision_score, metrics.recall_score)
        ]
    )


ORACLES = {
    "averaged_f1": averaged(metrics.f1_score),
    "macro_recall": averaged(metrics.recall_score),
    "macro_precision": averaged(metrics.precision_score),
    "weighted_f1": averaged(metrics.f1_score, "weighted"),
    "micro_f1": averaged(metrics.f1_score, "micro"),
    "micro_recall": averaged(metrics.recall_score, "micro"),
    "micro_precision": averaged(metrics.precision_score, "micro"),
    "macro_jaccard": averaged(metrics.jaccard_score),
    "averaged_f2": averaged(lambda *items, **said: metrics.fbeta_score(*items, beta=2, **said)),
    "f1_of_averages": f1_of_averages,
    "geometric_macro_recall": lambda *given_: gmean(averaged(metrics.recall_score, None)(*given_)),
    "harmonic_macro_recall": lambda *given_: hmean(averaged(metrics.recall_score, None)(*given_)),
}
WHOLE = ("accuracy", "kappa", "mcc", "c_at_1")


@st.composite
def cases(draw, least_present=2):
    """A confusion, and its labels with one of them as the rest class."""
    confusion = draw(confusions(least_present=least_present))
    labels = label_set_of(confusion)
    assume(len(labels) > 1)
    return confusion, replace(labels, rest=draw(st.sampled_from(labels.labels)))


def over(confusion, labels):
    """The classes in gold but the rest class."""
    return [
        code for code in np.flatnonzero(confusion.sum(axis=1)).tolist() if code != labels.rest_code
    ]


def scores_of(confusion, names, labels):
    """Scores by some names, observed and balanced."""
    keys = [
        ScoreKey(name, prevalence.name) for name in names for prevalence in (OBSERVED, BALANCED)
    ]
    return score(np.asarray(confusion)[None], keys, [OBSERVED, BALANCED], labels)[:, 0]


@given(cases())
def test_it_is_scikit_learn_over_the_other_labels(case):
    """With the rest class in gold and predictions, where it costs the precision and recall of the others."""
    confusion, labels = case
    gold, predicted = items_of(confusion)
    predicted = np.where(predicted == len(labels), UNANSWERED, predicted)
    classes = over(confusion, labels)
    for slug, oracle in ORACLES.items():
        found = scores_of(confusion, [slug], labels)
        for weights, value in zip(
            (None, compute_sample_weight("balanced", gold)), found, strict=True
        ):
            assert value == pytest.approx(oracle(gold, predicted, weights, classes), abs=1e-9), slug


@given(cases())
def test_what_averages_nothing_stays_as_it_is(case):
    """Accuracy, kappa, MCC and every score of a class, that of the rest class among them."""
    confusion, labels = case
    of_classes = [
        metric_name(slug, (code,), labels)
        for slug in ("recall", "f1")
        for code in range(len(labels))
    ]
    names = [*WHOLE, *of_classes]
    np.testing.assert_array_equal(
        scores_of(confusion, names, labels), scores_of(confusion, names, replace(labels, rest=None))
    )


@given(cases())
def test_it_is_the_average_over_the_other_classes_by_name(case):
    """The score and its influence are those of the classes in brackets, to the last bit."""
    confusion, labels = case
    plain, cells = replace(labels, rest=None), Cells.of(confusion[None])
    others = tuple(code for code in range(len(labels)) if code != labels.rest_code)
    for metric in METRICS.values():
        if metric.takes == "classes":
            by_name = metric_name(metric.slug, others, labels)
            np.testing.assert_array_equal(
                scores_of(confusion, [metric.slug], labels), scores_of(confusion, [by_name], plain)
            )
            slopes = [
                influence(gradient_of(name, Margins.of_cells(cells), each), cells).at(
                    cells.gold, cells.predicted
                )
                for name, each in ((metric.slug, labels), (by_name, plain))
            ]
            np.testing.assert_array_equal(*slopes)


@given(cases())
def test_weighted_f1_has_the_slope_of_its_differences(case):
    """Its weights are shares of the averaged classes alone, which every item of these changes."""
    confusion, labels = case
    cells, step = Cells.of(confusion[None]), 1e-4
    slopes = influence(gradient_of("weighted_f1", Margins.of_cells(cells), labels), cells).at(
        cells.gold, cells.predicted
    )[0]
    for gold, predicted, slope in zip(cells.gold, cells.predicted, slopes, strict=True):
        sides = []
        for sign in (-1, 1):
            moved = confusion.astype(float)
            moved[gold, predicted] += sign * step
            sides.append(scores_of(moved, ["weighted_f1"], labels)[0])
        assert slope == pytest.approx((sides[1] - sides[0]) / (2 * step), abs=1e-5)


@given(cases())
def test_a_named_rest_class_counts_and_so_does_one_that_is_asked_for(case):
    """In brackets it is a class like any other; with-rest is the average of a task that has no rest class."""
    confusion, labels = case
    plain = replace(labels, rest=None)
    every = metric_name("averaged_f1", tuple(range(len(labels))), labels)
    expected = scores_of(confusion, ["averaged_f1"], plain)
    for name in ("averaged_f1(with-rest)", every):
        np.testing.assert_array_equal(scores_of(confusion, [name], labels), expected)


@given(cases())
def test_readings_leave_it_out_as_scores_do(case):
    """Every class set, all but a class, all with it: by the engine of readings and by that of scores."""
    confusion, labels = case
    gold, predicted = items_of(confusion)
    answers = count_answers(gold, [predicted], len(labels), [()])
    other = next(label for label in labels if label != labels.rest)
    names = [
        "averaged_f1",
        "weighted_f1",
        "geometric_macro_recall~",
        "macro_recall(declared)",
        "averaged_f1(union-per-team,undefined=1)",
        "averaged_f1(union-per-team,with-rest)",
        f"averaged_f1(all-but)[{other}]",
        f"f1_of_averages(all-but)[{labels.rest}]",
        "micro_f1",
        "accuracy",
        f"f1[{labels.rest}]",
    ]
    keys, readings = (
        [parse(name, labels) for name in names] for parse in (parse_score_key, parse_reading)
    )
    by_score = score(confusion[None], keys, [OBSERVED, BALANCED], labels)
    by_reading = score_readings(answers, readings, [OBSERVED, BALANCED], labels)
    np.testing.assert_allclose(by_score, by_reading, atol=1e-12)


@given(cases())
def test_the_gap_and_the_spread_are_over_the_same_classes(case):
    """Δ is the difference of the two scores, and the spread that of the classes that are averaged."""
    confusion, labels = case
    averaged_f1, _, of_averages, _ = scores_of(confusion, ["averaged_f1", "f1_of_averages"], labels)
    gap = macro_f1_gap(Margins.of(confusion).without(labels.rest_code))
    assert gap == pytest.approx(of_averages - averaged_f1, abs=1e-12)
    spread = spread_over_classes(confusion, ScoreKey("averaged_f1"), [OBSERVED], labels)
    classes = over(confusion, labels)
    f1 = scores_of(confusion, [metric_name("f1", (code,), labels) for code in classes], labels)[::2]
    assert (spread.lowest, spread.highest) == (f1.min(), f1.max())


LABELS = LabelSet(("happy", "sad", "angry", "others"), rest="others")


def test_baselines_of_chance_leave_it_out():
    """Every closed form against all that was drawn, within five standard errors."""
    counts, slugs = np.array([40, 30, 20, 110]), [metric.slug for metric in AGGREGATES]
    keys = [
        ScoreKey(slug, prevalence.name) for slug in slugs for prevalence in (OBSERVED, BALANCED)
    ]
    rng = np.random.default_rng(8)
    gold = np.repeat(np.arange(4), counts)
    for baseline in chance_baselines(counts, keys, [OBSERVED, BALANCED], LABELS)[1:]:
        shares = np.full(4, 0.25) if baseline.slug == "uniform" else counts / counts.sum()
        drawn = count_confusions(gold, list(rng.choice(4, (4000, len(gold)), p=shares)), 4)
        scores = score(drawn, keys, [OBSERVED, BALANCED], LABELS)
        margin = 5 * np.hypot(baseline.standard_errors, scores.std(axis=1) / np.sqrt(4000)) + 1e-12
        assert (np.abs(baseline.values - scores.mean(axis=1)) <= margin).all(), baseline.slug


def test_names_say_which_classes_are_left_out():
    """In a sentence, as a noun, and where readings differ."""
    assert reading_phrase(Reading("micro_f1"), LABELS) == "micro F1 without “others”"
    # that it leaves the class out is said once
    assert phrase(ScoreKey("micro_f1"), LABELS) == "micro F1"
    assert without_rest(LABELS) == "averages over classes leave out the rest class “others”"
    assert not without_rest(LabelSet(("a", "b")))
    assert (
        phrase(ScoreKey("accuracy"), LABELS)
        == reading_phrase(Reading("accuracy"), LABELS)
        == "accuracy"
    )
    assert phrase(ScoreKey("recall[others]"), LABELS) == "recall of “others”"
    assert phrase(ScoreKey("averaged_f1(declared)"), LABELS) == (
        "macro-averaged F1 over all classes of the label set but “others”"
    )
    assert (
        phrase(ScoreKey("averaged_f1(with-rest)"), LABELS)
        == "macro-averaged F1 over the classes in gold, “others” too"
    )
    assert phrase(ScoreKey("averaged_f1(all-but)[sad]"), LABELS) == (
        "macro-averaged F1 over the classes in gold but “sad” and “others”"
    )
    plain, other = Reading("averaged_f1"), Reading("averaged_f1", named=Named.WITH_REST)
    assert averaged_in_words(plain, LABELS) == "the classes in gold but “others”"
    assert plain.differs_in(other) == ("named classes",)
    assert difference_in_words(plain, other, LABELS) == ["the classes in gold but “others”"]
    assert difference_in_words(other, plain, LABELS) == ["the classes in gold, “others” too"]


def test_a_scorer_that_is_told_of_no_rest_class_averages_over_it():
    """Known scorers are named with the reading that they compute here."""
    sklearn = PRESETS["scikit-learn-f1-macro"].reading(LABELS)
    assert sklearn == Reading("averaged_f1", ClassSet.UNION_PER_TEAM, Named.WITH_REST)
    other = LabelSet(("a", "b", "Other"), rest="Other")
    named = next(preset for preset in PRESETS.values() if preset.signature.endswith("[Other]"))
    assert named.reading(other).brackets == "[Other]"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("averaged_f1(with-rest)", "no rest class"),
        ("kappa(with-rest)", "no rest class"),
    ],
)
def test_there_is_nothing_to_take_in_without_one(name, words):
    """The choice is that of tasks with a rest class."""
    with pytest.raises(MetricNameError, match=words):
        parse_score_key(name, LabelSet(("a", "b")))


@pytest.mark.parametrize(
    "name", ["averaged_f1(with-rest)[sad]", "weighted_f1(with-rest)", "f1(with-rest)[sad]"]
)
def test_it_cannot_be_taken_in_where_classes_are_named_or_none_can_be(name):
    """A name says it otherwise."""
    with pytest.raises(MetricNameError):
        parse_score_key(name, LABELS)


@pytest.mark.parametrize(
    ("labels", "words"), [(("a", "b"), "no label here"), (("x",), "no class to average over")]
)
def test_a_rest_class_is_a_label_beside_others(labels, words):
    """Of the label set, which has more."""
    with pytest.raises(UsageError, match=words):
        LabelSet(labels, rest="x")
