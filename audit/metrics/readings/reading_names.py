"""Names of readings: signatures, and what sets one reading apart from another."""

from dataclasses import replace

from audit.domain import LabelSet, Reading
from audit.errors import MetricNameError
from audit.metrics.composites import split_composite
from audit.metrics.names import (
    averaged_in_words,
    metric_of,
    over_classes_in_words,
    parse_score_key,
    prevalence_in_words,
)
from audit.metrics.readings.choices import (
    CLASSES,
    F1_UNDEFINED_NOUN,
    MISSING_NOUN,
    UNDEFINED_NOUN,
    choices_of,
    moot_choice,
)
from audit.text import quoted


def parse_reading(text: str, label_set: LabelSet) -> Reading:
    """The reading of a signature: a score's name, with choices in parentheses behind the slug.

    Parameters
    ----------
    text : str
        Like ``averaged_f1(union-per-team,undefined=1)[a,b]~``; choices in any order.
    label_set : LabelSet
        The labels that may stand in the brackets.

    Raises
    ------
    MetricNameError
        When the score does not exist, or a choice does not, is made twice, or does not apply to the metric.

    Examples
    --------
    >>> labels = LabelSet(("a", "b", "Other"))
    >>> str(parse_reading("averaged_f1(missing=dropped,union)[b,a]", labels))
    'averaged_f1(union,missing=dropped)[a,b]'
    >>> parse_reading("kappa(union)", labels)
    Traceback (most recent call last):
      ...
    audit.errors.MetricNameError: “kappa(union)”: kappa leaves no choice of classes.
    """
    if split_composite(text.strip()) is not None:
        key = parse_score_key(text, label_set)
        return Reading(key.metric, prevalence=key.prevalence)
    slug, choices, rest = _parts(text)
    key = parse_score_key(slug + rest, label_set)
    reading = replace(Reading(key.metric, prevalence=key.prevalence), **choices_of(choices, text))
    moot = moot_choice(reading, label_set)
    if moot:
        raise MetricNameError(f"{quoted(text)}: {moot}")
    return reading


def _parts(text: str) -> tuple[str, str, str]:
    """The slug, what stands in the parentheses right behind it, and the rest."""
    slug, parenthesis, rest = text.partition("(")
    if not parenthesis or set(slug) & set("[~@"):  # the parenthesis is part of a label or of a prevalence's name
        return text, "", ""
    choices, closing, rest = rest.partition(")")
    if not closing:
        raise MetricNameError(f"{quoted(text)} opens a parenthesis and does not close it.")
    return slug.strip(), choices, rest


def difference_in_words(reading: Reading, base: Reading, label_set: LabelSet) -> list[str]:
    """The choices that a reading makes and another one does not, a noun for each.

    Examples
    --------
    >>> labels = LabelSet(("a", "b"))
    >>> base = parse_reading("averaged_f1", labels)
    >>> difference_in_words(parse_reading("averaged_f1(declared,undefined=1)~", labels), base, labels)
    ['all classes of the label set', 'undefined class scores as 1', 'balanced prevalence']
    """
    phrases = {
        "metric": metric_of(reading.metric, label_set).phrase,
        "named classes": over_classes_in_words(reading, label_set).removeprefix(" over ")
        if reading.brackets
        else averaged_in_words(reading, label_set),
        "class set": CLASSES[reading.classes],
        "undefined class score": UNDEFINED_NOUN[reading.undefined],
        "undefined class F1": F1_UNDEFINED_NOUN[reading.f1_undefined],
        "missing items": MISSING_NOUN[reading.missing],
        "prevalence": prevalence_in_words(reading.prevalence),
    }
    changed = reading.differs_in(base)
    hidden = {"class set"} if "named classes" in changed else set()
    return [phrases[name] for name in changed if name not in hidden]
