"""Signatures of readings: short, canonical, parsed back; and what is refused."""

from itertools import product

import pytest

from audit.domain import (
    BALANCED,
    OBSERVED,
    ClassSet,
    F1Undefined,
    LabelSet,
    Missing,
    Named,
    Prevalence,
    Reading,
    ScoreKey,
    Task,
    Undefined,
)
from audit.errors import MetricNameError
from audit.metrics import METRICS, all_keys, difference_in_words, parse_reading, reading_phrase
from audit.metrics.reading_choices import moot_choice
from audit.readings import every_reading

HOSTILE = (
    "a,b",
    "(x)",
    "]~@",
    '"q"',
    "undefined=1",
    "averaged_f1(union)",
    " blank ",
    "",
    "line\nfeed",
    "|",
)


def task(labels):
    return Task("t", "T", LabelSet(labels), prevalences=(Prevalence("even-one", ()),))


@pytest.mark.parametrize(
    "labels", [("a", "b", "c"), HOSTILE[:5], HOSTILE[5:]], ids=["plain", "hostile", "odd"]
)
def test_every_reading_has_a_signature_of_its_own_that_parses_back(labels):
    """Whatever the labels and the prevalences are called."""
    readings = every_reading(task(labels), ["observed", "balanced", "even-one"])
    signatures = list(map(str, readings))
    assert len(set(signatures)) == len(readings)
    assert [parse_reading(signature, LabelSet(labels)) for signature in signatures] == list(
        readings
    )


def test_a_default_readings_signature_is_its_scores():
    """So that the two never say different things."""
    label_set = LabelSet(("a", "b"))
    for key in all_keys(label_set, [OBSERVED, BALANCED]):
        reading = parse_reading(str(key), label_set)
        assert (str(reading), reading.key) == (str(key), key)
        assert reading == Reading(key.metric, prevalence=key.prevalence)


def test_choices_are_parsed_in_any_order_and_written_in_one():
    label_set = LabelSet(("a", "b", "c"))
    text = "averaged_f1( missing=dropped , f1-undefined=one-sided,all-but,undefined=whole,  union )[c , a]@x"
    written = (
        "averaged_f1(union,all-but,undefined=whole,f1-undefined=one-sided,missing=dropped)[a,c]@x"
    )
    assert str(parse_reading(text, label_set)) == written
    assert parse_reading("averaged_f1()", label_set) == parse_reading(
        "averaged_f1(in-gold,undefined=0)", label_set
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("averaged_f1(union", "does not close"),
        ("averaged_f1(uninon)", "Did you mean “union”"),
        ("averaged_f1(union,declared)", "decides twice"),
        ("macro_f1(union)", "two metrics"),
        ("kappa(undefined=1)", "no average of class scores"),
        ("accuracy(declared)", "no choice of classes"),
        ("recall(union)[a]", "no choice of classes"),
        ("precision(undefined=dropped)[a]", "undefined=whole"),
        ("averaged_f1(all-but)", "name the classes"),
        ("averaged_f1(f1-undefined=one-sided)", "decides nothing"),
        ("macro_recall(undefined=1,f1-undefined=one-sided)", "decides nothing"),
        ("averaged_f1(union)[z]", "not in the label set"),
    ],
)
def test_what_is_no_reading_is_refused_with_the_reason(text, said):
    """A choice that changes nothing is no reading of its own."""
    with pytest.raises(MetricNameError, match=said):
        parse_reading(text, LabelSet(("a", "b")))


def test_every_choice_that_is_not_refused_is_named_in_words():
    """A sentence says each choice that is not the default, and the difference has a noun for each."""
    label_set = LabelSet(("a", "b"))
    default = Reading("averaged_f1")
    seen = set()
    for classes, named, undefined, which, missing in product(
        ClassSet, Named, Undefined, F1Undefined, Missing
    ):
        reading = Reading("averaged_f1[a]", classes, named, undefined, which, missing)
        if moot_choice(reading, label_set):
            continue
        sentence = reading_phrase(reading, label_set)
        assert sentence not in seen
        seen.add(sentence)
        nouns = difference_in_words(reading, default, label_set)
        assert len(nouns) == len(set(reading.differs_in(default)) - {"class set"})
    assert len(seen) == 4 * 2 * 2 * (1 + 3 * 3)


def test_every_metric_has_words():
    for slug, metric in METRICS.items():
        name = f"{slug}[a]" if metric.takes == "class" else slug
        assert metric.phrase in reading_phrase(
            Reading(name, prevalence="balanced"), LabelSet(("a", "b"))
        )
    assert str(ScoreKey("averaged_f1")) == str(Reading("averaged_f1"))
