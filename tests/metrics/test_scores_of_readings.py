"""A reading as the name of a score: the same numbers as among the readings that are tried, with influence functions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

from audit.domain import (
    BALANCED,
    OBSERVED,
    ClassSet,
    F1Undefined,
    LabelSet,
    Named,
    Reading,
    ScoreKey,
    Undefined,
)
from audit.errors import MetricNameError
from audit.metrics import (
    METRICS,
    Cells,
    Margins,
    count_answers,
    gradient_of,
    influence,
    metric_name,
    named_metric,
    parse_reading,
    parse_score_key,
    phrase,
    reading_phrase,
    score,
    score_readings,
    spread_over_classes,
)
from audit.metrics.reading_choices import moot_choice

from .strategies import confusions, items_of, label_set_of

MACROS = (
    "macro_recall",
    "macro_precision",
    "averaged_f1",
    "f1_of_averages",
    "averaged_f2",
    "macro_jaccard",
)
SUMS = ("micro_f1", "micro_precision")
CLASS_SCORES = ("recall", "precision", "f1", "f2")


@st.composite
def readings(draw, n_classes):
    """Any reading that a score may be of."""
    label_set = label_set_of(np.empty((n_classes, n_classes + 1)))
    slug = draw(st.sampled_from((*MACROS, *SUMS, *CLASS_SCORES)))
    some = draw(st.sets(st.integers(0, n_classes - 1), max_size=n_classes))
    codes = (draw(st.integers(0, n_classes - 1)),) if slug in CLASS_SCORES else tuple(some) or None
    of_class, of_sums = slug in CLASS_SCORES, slug in SUMS
    class_sets = [ClassSet.IN_GOLD, ClassSet.DECLARED, ClassSet.UNION_PER_TEAM]
    rules = [
        rule for rule in Undefined if rule is not Undefined.DROPPED or not (of_class or of_sums)
    ]
    undefined = draw(st.sampled_from(rules))
    of_f = METRICS[slug].averages_f and undefined is not Undefined.ZERO
    reading = Reading(
        metric_name(slug, codes, label_set),
        ClassSet.IN_GOLD if of_class else draw(st.sampled_from(class_sets[: 2 if of_sums else 3])),
        draw(st.sampled_from([Named.ONLY, Named.ALL_BUT]))
        if codes and not of_class
        else Named.ONLY,
        undefined,
        draw(st.sampled_from(F1Undefined)) if of_f else F1Undefined.EMPTY,
        prevalence=draw(st.sampled_from(["observed", "balanced"])),
    )
    assert not moot_choice(reading, label_set)
    return reading


@st.composite
def cases(draw):
    """A confusion and a reading."""
    confusion = draw(confusions(least_present=2, largest=40))
    return confusion, draw(readings(len(confusion)))


def scored(confusion, key, labels):
    """One score of one confusion."""
    return score(np.asarray(confusion)[None], [key], [OBSERVED, BALANCED], labels)[0, 0]


@given(cases())
def test_its_score_is_that_of_the_reading(case):
    """By its signature as a name, which is read back as it is."""
    confusion, reading = case
    labels, (gold, predicted) = label_set_of(confusion), items_of(confusion)
    key = parse_score_key(str(reading), labels)
    assert str(key) == str(reading)
    assert parse_score_key(str(key), labels) == key
    answers = count_answers(gold, [predicted], len(labels), [()])
    expected = score_readings(answers, [reading], [OBSERVED, BALANCED], labels)[0, 0]
    assert scored(confusion, key, labels) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(cases())
def test_its_influence_is_the_slope_where_there_are_items(case):
    """One answer more of a kind that there is changes no class set, and the score as the influence says."""
    confusion, reading = case
    labels, step = label_set_of(confusion), 1e-5
    key = parse_score_key(str(replace(reading, prevalence="observed")), labels)
    before = scored(confusion, key, labels)
    assume(not np.isnan(before))
    cells = Cells.of(confusion[None])
    found = influence(gradient_of(key.metric, Margins.of_cells(cells), labels), cells).at(
        cells.gold, cells.predicted
    )[0]
    for gold, predicted, slope in zip(cells.gold, cells.predicted, found, strict=True):
        sides = []
        for sign in (-1, 1):
            moved = confusion.astype(float)
            moved[gold, predicted] += sign * step
            sides.append(scored(moved, key, labels))
        assert (sides[1] - sides[0]) / (2 * step) == pytest.approx(slope, rel=1e-4, abs=1e-6)


@given(confusion=confusions(least_present=2, answered=True, largest=40))
def test_the_union_of_gold_and_predictions_is_scikit_learns_default(confusion):
    """f1_score, precision_score and recall_score with average="macro" and no labels."""
    gold, predicted = items_of(confusion)
    oracles = {
        "averaged_f1": sklearn_metrics.f1_score,
        "macro_precision": sklearn_metrics.precision_score,
        "macro_recall": sklearn_metrics.recall_score,
        "macro_jaccard": sklearn_metrics.jaccard_score,
    }
    for slug, oracle in oracles.items():
        expected = oracle(gold, predicted, average="macro", zero_division=0)
        key = ScoreKey(f"{slug}(union-per-team)")
        assert scored(confusion, key, label_set_of(confusion)) == pytest.approx(expected, abs=1e-12)


LABELS = LabelSet(("a", "b", "O"))


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("averaged_f1( union-per-team )", "averaged_f1(union-per-team)"),
        ("averaged_f1(undefined=1,declared)[b,a]~", "averaged_f1(declared,undefined=1)[a,b]~"),
        ("averaged_f1(in-gold)", "averaged_f1"),
        ("averaged_f1()", "averaged_f1"),
        ("micro_f1(all-but)[O]", "micro_f1(all-but)[O]"),
        ("averaged_f1 (declared) [a]@few", "averaged_f1(declared)[a]@few"),
    ],
)
def test_a_reading_has_one_spelling_as_a_name(name, canonical):
    """Choices in their order, without those that are the default."""
    assert str(parse_score_key(name, LABELS)) == canonical


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("averaged_f1(missing=dropped)", r"write missing = \"drop\" into \[policies\]"),
        ("averaged_f1(union)", "write declared, or union-per-team"),
        ("accuracy(outside=dropped)", "no label is outside a scale"),
        ("kappa(declared)", "leaves no choice of classes"),
        ("averaged_f1(declred)", "“declred” is no choice. Did you mean “declared”"),
        ("averaged_f1(declared,union-per-team)", "decides twice"),
        ("f1(macro)", "is two metrics"),
        ("f1_score(average='macro')", "is two metrics"),
        ("nothing(declared)", "is no metric"),
        ("averaged_f1(declared", "does not close"),
    ],
)
def test_what_cannot_rank_is_refused_with_what_is_right(name, message):
    """Never a traceback, always the next step."""
    with pytest.raises(MetricNameError, match=message):
        parse_score_key(name, LABELS)


@pytest.mark.parametrize(
    "name", ["averaged_f1(union-per-team)~", "averaged_f1(all-but)[O]", "f1(undefined=whole)[a]"]
)
def test_a_name_in_a_sentence_says_the_choices(name):
    """As a reading is named."""
    assert phrase(parse_score_key(name, LABELS), LABELS) == reading_phrase(
        parse_reading(name, LABELS), LABELS
    )


def test_plain_names_carry_no_reading():
    """The default choices are no choice."""
    assert named_metric("averaged_f1(in-gold)[a]", LABELS) == named_metric("averaged_f1[a]", LABELS)


def test_the_spread_follows_the_class_set():
    """A declared class that gold lacks is a term of 0, or of 1, or none."""
    confusion = np.array([[[5, 5, 0, 0], [1, 9, 0, 0], [0, 0, 0, 0]]])
    lowest = {
        name: float(spread_over_classes(confusion, ScoreKey(name), [OBSERVED], LABELS).lowest[0])
        for name in (
            "macro_recall",
            "macro_recall(declared)",
            "macro_recall(declared,undefined=dropped)",
        )
    }
    assert list(lowest.values()) == [0.5, 0, 0.5]
    found = spread_over_classes(
        confusion, ScoreKey("macro_recall(declared,undefined=1)"), [OBSERVED], LABELS
    )
    assert (found.lowest, found.highest) == ([0.5], [1])
