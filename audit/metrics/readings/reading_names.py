"""Names of readings: signatures, sentences, and what sets one reading apart from another."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from audit.domain import ClassSet, F1Undefined, LabelSet, Missing, Named, Reading, Undefined
from audit.errors import MetricNameError
from audit.metrics.metric import Metric
from audit.metrics.names import named_metric, parse_score_key
from audit.metrics.registry import METRICS
from audit.text import did_you_mean, listed, quoted

_CHOICES: Mapping[str, tuple[str, StrEnum]] = MappingProxyType(
    {
        **{value.value: ("classes", value) for value in ClassSet},
        **{value.value: ("named", value) for value in Named},
        **{f"undefined={value}": ("undefined", value) for value in Undefined},
        **{f"f1-undefined={value}": ("f1_undefined", value) for value in F1Undefined},
        **{f"missing={value}": ("missing", value) for value in Missing},
    }
)
"""Every choice as a signature writes it → the field of a reading that it sets, and to what."""

_CLASSES = MappingProxyType(
    {
        ClassSet.IN_GOLD: "the classes in gold",
        ClassSet.DECLARED: "all classes of the label set",
        ClassSet.UNION: "the classes in gold or predicted by any team",
        ClassSet.UNION_PER_TEAM: "the classes in gold or predicted by the team itself",
    }
)
_UNDEFINED = MappingProxyType(
    {
        Undefined.ZERO: "an undefined class score counts as 0",
        Undefined.ONE: "an undefined class score counts as 1",
        Undefined.DROPPED: "an undefined class score is dropped from the average",
        Undefined.WHOLE: "an undefined class score leaves the whole undefined",
    }
)
_F1_UNDEFINED = MappingProxyType(
    {
        F1Undefined.EMPTY: "a class F1 is undefined where the class is neither in gold nor predicted",
        F1Undefined.ONE_SIDED: "a class F1 is undefined where its precision or recall is",
        F1Undefined.NONE_CORRECT: "a class F1 is undefined where no item of the class is correct",
    }
)
_MISSING = MappingProxyType(
    {Missing.WRONG: "a missing item counts as wrong", Missing.DROPPED: "a team’s missing items are left out"}
)
_UNDEFINED_NOUN = MappingProxyType(
    {
        Undefined.ZERO: "undefined class scores as 0",
        Undefined.ONE: "undefined class scores as 1",
        Undefined.DROPPED: "undefined class scores dropped",
        Undefined.WHOLE: "the whole undefined where a class score is",
    }
)
_F1_UNDEFINED_NOUN = MappingProxyType(
    {
        F1Undefined.EMPTY: "F1 undefined for a class neither in gold nor predicted",
        F1Undefined.ONE_SIDED: "F1 undefined where precision or recall is",
        F1Undefined.NONE_CORRECT: "F1 undefined for a class without a correct item",
    }
)
_MISSING_NOUN = MappingProxyType({Missing.WRONG: "missing items as wrong", Missing.DROPPED: "missing items left out"})


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
    slug, choices, rest = _parts(text)
    key = parse_score_key(slug + rest, label_set)
    reading = replace(Reading(key.metric, prevalence=key.prevalence), **_made(choices, text))
    moot = moot_choice(reading)
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


def _made(choices: str, text: str) -> dict[str, Any]:
    """The fields of a reading that the parentheses of a signature set."""
    made: dict[str, Any] = {}
    for choice in filter(None, map(str.strip, choices.split(","))):
        if choice not in _CHOICES:
            near = did_you_mean(choice, _CHOICES)
            known = listed(list(_CHOICES))
            raise MetricNameError(f"{quoted(text)}: {quoted(choice)} is no choice.{near} The choices are {known}.")
        field, value = _CHOICES[choice]
        if field in made:
            raise MetricNameError(f"{quoted(text)} decides twice: {made[field]} and {value}.")
        made[field] = value
    return made


def moot_choice(reading: Reading) -> str:
    """Why a reading makes a choice that changes nothing, in a sentence; nothing where every choice applies.

    Such a reading is refused, so that each has one signature.
    """
    slug, metric = reading.slug, METRICS[reading.slug]
    takes = metric.takes
    if takes != "classes" and (reading.classes is not ClassSet.IN_GOLD or reading.named is not Named.ONLY):
        return f"{slug} leaves no choice of classes."
    if takes == "nothing" and reading.undefined is not Undefined.ZERO:
        return f"{slug} is no average of class scores that can be undefined."
    if reading.named is Named.ALL_BUT and not reading.brackets:
        return f"name the classes that are left out, like {slug}(all-but)[label]."
    return _moot_rule(reading, metric)


def _moot_rule(reading: Reading, metric: Metric) -> str:
    """Likewise of the rules for class scores, in an average or of a class."""
    if metric.sums and reading.classes in (ClassSet.UNION, ClassSet.UNION_PER_TEAM):
        return f"a class without items and answers adds nothing to {reading.slug}; write declared."
    if reading.undefined is Undefined.DROPPED and (metric.sums or metric.takes == "class"):
        return "there is no average to drop the class from; write undefined=whole."
    f1_matters = metric.averages_f and reading.undefined is not Undefined.ZERO
    if reading.f1_undefined is not F1Undefined.EMPTY and not f1_matters:
        return (
            f"f1-undefined={reading.f1_undefined} decides nothing: no undefined class F1 is averaged as other than 0."
        )
    return ""


# In words


def reading_phrase(reading: Reading, label_set: LabelSet) -> str:
    """A reading's name inside a sentence; choices that are the default are left unsaid.

    Examples
    --------
    >>> labels = LabelSet(("a", "b"))
    >>> reading_phrase(parse_reading("averaged_f1~", labels), labels)
    'averaged F1 at balanced prevalence'
    >>> print(reading_phrase(parse_reading("f1_of_averages(declared,all-but,undefined=dropped)[b]", labels), labels))
    F1 of averages over all classes of the label set but “b”, where an undefined class score is dropped from the average
    """
    metric = METRICS[reading.slug]
    words = metric.phrase + _over(reading, label_set)
    if reading.prevalence != "observed":
        words += f" at {_prevalence(reading.prevalence)}"
    rules = rules_in_words(reading, stated_only=True)
    return f"{words}, where {listed(rules)}" if rules else words


def _over(reading: Reading, label_set: LabelSet) -> str:
    codes = named_metric(reading.metric, label_set).codes
    labels = listed([quoted(label_set.named[code]) for code in codes or ()])
    if METRICS[reading.slug].takes == "class":
        return f" of {labels}"
    if reading.named is Named.ALL_BUT:
        return f" over {_CLASSES[reading.classes]} but {labels}"
    if reading.classes is ClassSet.IN_GOLD:
        return f" over {labels}" if labels else ""
    return f" over {labels} among {_CLASSES[reading.classes]}" if labels else f" over {_CLASSES[reading.classes]}"


def _prevalence(name: str) -> str:
    known = {"observed": "observed prevalence", "balanced": "balanced prevalence"}
    return known.get(name, f"prevalence {quoted(name)}")


def classes_in_words(reading: Reading) -> str:
    """The classes that a macro score averages over, as a noun."""
    return _CLASSES[reading.classes]


def rules_in_words(reading: Reading, *, stated_only: bool = False) -> list[str]:
    """The rules for undefined class scores and missing items as clauses: all, or those that are not the default."""
    rules = []
    if reading.undefined is not Undefined.ZERO or not stated_only:
        rules.append(_UNDEFINED[reading.undefined])
    if reading.f1_undefined is not F1Undefined.EMPTY:
        rules.append(_F1_UNDEFINED[reading.f1_undefined])
    if reading.missing is not Missing.WRONG or not stated_only:
        rules.append(_MISSING[reading.missing])
    return rules


def difference_in_words(reading: Reading, base: Reading, label_set: LabelSet) -> list[str]:
    """What a reading has that another one has not, a noun for each choice.

    Examples
    --------
    >>> labels = LabelSet(("a", "b"))
    >>> base = parse_reading("averaged_f1", labels)
    >>> difference_in_words(parse_reading("averaged_f1(declared,undefined=1)~", labels), base, labels)
    ['all classes of the label set', 'undefined class scores as 1', 'balanced prevalence']
    """
    said = {
        "metric": METRICS[reading.slug].phrase,
        "named classes": _over(reading, label_set).removeprefix(" over ") or _CLASSES[reading.classes],
        "class set": _CLASSES[reading.classes],
        "undefined class score": _UNDEFINED_NOUN[reading.undefined],
        "undefined class F1": _F1_UNDEFINED_NOUN[reading.f1_undefined],
        "missing items": _MISSING_NOUN[reading.missing],
        "prevalence": _prevalence(reading.prevalence),
    }
    changed = reading.differs_in(base)
    hidden = {"class set"} if "named classes" in changed else set()
    return [said[name] for name in changed if name not in hidden]
