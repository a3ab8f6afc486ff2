"""The choices that a reading makes: how a signature writes them, what each means, and which change nothing."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from audit.domain import ClassSet, Empty, F1Undefined, LabelSet, Missing, Named, Reading, Undefined, Unknown
from audit.errors import MetricNameError
from audit.metrics.metric import Metric
from audit.metrics.registry import METRICS
from audit.text import did_you_mean, listed, quoted

_CHOICES: Mapping[str, tuple[str, StrEnum]] = {
    **{value.value: ("classes", value) for value in ClassSet},
    **{value.value: ("named", value) for value in Named},
    **{f"undefined={value}": ("undefined", value) for value in Undefined},
    **{f"f1-undefined={value}": ("f1_undefined", value) for value in F1Undefined},
    **{f"missing={value}": ("missing", value) for value in Missing},
    **{f"empty={value}": ("empty", value) for value in Empty},
    **{f"unknown={value}": ("unknown", value) for value in Unknown},
}
"""Every choice as a signature writes it → the field of a reading that it sets, and to what."""

CLASSES = MappingProxyType(
    {
        ClassSet.IN_GOLD: "the classes in gold",
        ClassSet.DECLARED: "all classes of the label set",
        ClassSet.UNION: "the classes in gold or predicted by any team",
        ClassSet.UNION_PER_TEAM: "the classes in gold or predicted by the team itself",
    }
)
_UNDEFINED = {
    Undefined.ZERO: "an undefined class score counts as 0",
    Undefined.ONE: "an undefined class score counts as 1",
    Undefined.DROPPED: "an undefined class score is dropped from the average",
    Undefined.WHOLE: "an undefined class score leaves the whole undefined",
}
_F1_UNDEFINED = {
    F1Undefined.EMPTY: "a class F1 is undefined where the class is neither in gold nor predicted",
    F1Undefined.ONE_SIDED: "a class F1 is undefined where its precision or recall is",
    F1Undefined.NONE_CORRECT: "a class F1 is undefined where no item of the class is correct",
}
_MISSING = {Missing.WRONG: "a missing item counts as wrong", Missing.DROPPED: "a team’s missing items are left out"}
EMPTY_NOUN = MappingProxyType(
    {
        Empty.ONE: "units with two empty sets as 1",
        Empty.ZERO: "units with two empty sets as 0",
        Empty.DROPPED: "units with two empty sets left out",
        Empty.GOLD_DROPPED: "units with an empty set in gold left out",
        Empty.EITHER_DROPPED: "units with an empty set left out",
    }
)
UNKNOWN_NOUN = MappingProxyType(
    {Unknown.FALSE_ALARM: "labels that gold lacks as false alarms", Unknown.DROPPED: "labels that gold lacks left out"}
)
_EMPTY = {
    Empty.ZERO: "a unit with two empty sets counts as 0",
    Empty.DROPPED: "units with two empty sets are left out",
    Empty.GOLD_DROPPED: "units with an empty set in gold are left out",
    Empty.EITHER_DROPPED: "units with an empty set, in gold or predicted, are left out",
}
UNDEFINED_NOUN = MappingProxyType(
    {
        Undefined.ZERO: "undefined class scores as 0",
        Undefined.ONE: "undefined class scores as 1",
        Undefined.DROPPED: "undefined class scores dropped",
        Undefined.WHOLE: "the whole undefined where a class score is",
    }
)
F1_UNDEFINED_NOUN = MappingProxyType(
    {
        F1Undefined.EMPTY: "F1 undefined for a class neither in gold nor predicted",
        F1Undefined.ONE_SIDED: "F1 undefined where precision or recall is",
        F1Undefined.NONE_CORRECT: "F1 undefined for a class without a correct item",
    }
)
MISSING_NOUN = MappingProxyType({Missing.WRONG: "missing items as wrong", Missing.DROPPED: "missing items left out"})


def choices_of(choices: str, text: str) -> dict[str, Any]:
    """The fields of a reading that the parentheses of a signature set."""
    chosen: dict[str, Any] = {}
    for choice in filter(None, map(str.strip, choices.split(","))):
        if choice not in _CHOICES:
            near = did_you_mean(choice, _CHOICES)
            allowed = listed(list(_CHOICES))
            raise MetricNameError(f"{quoted(text)}: {quoted(choice)} is no choice.{near} The choices are {allowed}.")
        field, value = _CHOICES[choice]
        if field in chosen:
            raise MetricNameError(f"{quoted(text)} decides twice: {chosen[field]} and {value}.")
        chosen[field] = value
    return chosen


def moot_choice(reading: Reading, label_set: LabelSet) -> str:
    """Why a reading makes a choice that changes nothing, in a sentence; nothing where every choice applies.

    Such a reading is refused, so that each has one signature.
    """
    if reading.named is Named.WITH_REST and label_set.rest is None:
        return "there is no rest class that could join the average (rest_label)."
    slug, metric = reading.slug, METRICS[reading.slug]
    takes = metric.takes
    if takes != "classes" and (reading.classes is not ClassSet.IN_GOLD or reading.named is not Named.ONLY):
        return f"{slug} leaves no choice of classes."
    if takes == "nothing" and reading.undefined is not Undefined.ZERO:
        return f"{slug} is no average of class scores that can be undefined."
    if reading.named is Named.ALL_BUT and not reading.brackets:
        return f"name the classes that are left out, like {slug}(all-but)[label]."
    if reading.named is Named.WITH_REST and reading.brackets:
        return "with-rest is of all classes; write the rest class into the brackets."
    return _moot_rule(reading, metric) or _moot_of_sets(reading, metric, label_set)


def _moot_of_sets(reading: Reading, metric: Metric, label_set: LabelSet) -> str:
    """Why a rule for sets changes nothing."""
    is_of_units = metric.over == "units"
    if reading.empty is not Empty.ONE and (not is_of_units or metric.slug == "hamming"):
        return f"{reading.slug} is no mean over units that empty sets leave undefined."
    if reading.unknown is not Unknown.FALSE_ALARM and not (label_set.is_of_sets and (metric.sums or is_of_units)):
        return f"labels that gold lacks add nothing to {reading.slug}."
    return ""


def _moot_rule(reading: Reading, metric: Metric) -> str:
    """Why a rule for class scores changes nothing, in an average or by itself; nothing where it changes something."""
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


def rules_in_words(reading: Reading, *, stated_only: bool = False) -> list[str]:
    """The rules for undefined class scores and missing items as clauses: all, or those that are not the default."""
    rules = []
    if reading.undefined is not Undefined.ZERO or not stated_only:
        rules.append(_UNDEFINED[reading.undefined])
    if reading.f1_undefined is not F1Undefined.EMPTY:
        rules.append(_F1_UNDEFINED[reading.f1_undefined])
    if reading.missing is not Missing.WRONG or not stated_only:
        rules.append(_MISSING[reading.missing])
    if reading.empty is not Empty.ONE:
        rules.append(_EMPTY[reading.empty])
    if reading.unknown is not Unknown.FALSE_ALARM:
        rules.append("things of labels that gold lacks are left out")
    return rules
