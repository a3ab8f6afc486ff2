"""The choices that a reading makes: how a signature writes them, what each means, and which change nothing."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from audit.domain import (
    ClassSet,
    Empty,
    F1Undefined,
    Feature,
    LabelSet,
    Missing,
    Named,
    Outside,
    Reading,
    Repair,
    Undefined,
    Unknown,
)
from audit.domain.reading import CHOICES
from audit.errors import MetricNameError
from audit.metrics.metric import Metric
from audit.metrics.registry import METRICS
from audit.text import did_you_mean, listed, quoted

_PLAIN = Reading("")
_SIGNED: Mapping[str, tuple[str, StrEnum]] = {
    f"{begins}{value}": (name, value)
    for name, (_, begins) in CHOICES.items()
    for value in type(getattr(_PLAIN, name))
}
"""Every choice as a signature writes it → the field of a reading that it sets, and to what."""

_CLASSES = MappingProxyType(
    {
        ClassSet.IN_GOLD: "the classes in gold",
        ClassSet.DECLARED: "all classes of the label set",
        ClassSet.UNION: "the classes in gold or predicted by any team",
        ClassSet.UNION_PER_TEAM: "the classes in gold or predicted by the team itself",
    }
)


def classes_in_words(classes: ClassSet, label_set: LabelSet) -> str:
    """A class set as a noun; of sets of labels or types."""
    return label_set.worded(_CLASSES[classes])


_RULES: Mapping[str, Mapping[Any, tuple[str, str, str]]] = {
    "undefined": {
        Undefined.ZERO: ("undefined class scores", "count", "as 0"),
        Undefined.ONE: ("undefined class scores", "count", "as 1"),
        Undefined.DROPPED: ("undefined class scores", "are", "dropped from the average"),
        Undefined.WHOLE: ("the whole", "is", "undefined where a class score is"),
    },
    "f1_undefined": {
        F1Undefined.EMPTY: (
            "class F1",
            "is",
            "undefined for a class neither in gold nor predicted",
        ),
        F1Undefined.ONE_SIDED: ("class F1", "is", "undefined where precision or recall is"),
        F1Undefined.NONE_CORRECT: (
            "class F1",
            "is",
            "undefined for a class without a correct item",
        ),
    },
    "missing": {
        Missing.WRONG: ("missing items", "count", "as wrong"),
        Missing.DROPPED: ("missing items", "are", "left out"),
    },
    "outside": {
        Outside.UNANSWERED: ("labels outside the scale", "count", "as no answer"),
        Outside.DROPPED: ("items with labels outside the scale", "are", "left out"),
        Outside.CLIPPED: ("labels beyond the scale", "count", "as its end"),
    },
    "empty": {
        Empty.ONE: ("units with two empty sets", "count", "as 1"),
        Empty.ZERO: ("units with two empty sets", "count", "as 0"),
        Empty.DROPPED: ("units with two empty sets", "are", "left out"),
        Empty.GOLD_DROPPED: ("units with an empty set in gold", "are", "left out"),
        Empty.EITHER_DROPPED: ("units with an empty set in gold or predicted", "are", "left out"),
    },
    "unknown": {
        Unknown.FALSE_ALARM: ("things of labels that gold lacks", "count", "as false alarms"),
        Unknown.DROPPED: ("things of labels that gold lacks", "are", "left out"),
    },
    "repair": {
        Repair.AS_READ: ("broken tags", "count", "as they were read"),
        Repair.CONLL: ("broken tags", "count", "as spans, by conlleval’s rule"),
        Repair.STRICT: ("broken tags", "count", "as no spans"),
    },
}
"""The choices that are rules → each value as a clause; without its verb it is a noun."""


def choices_of(choices: str, text: str) -> dict[str, Any]:
    """The fields of a reading that the parentheses of a signature set."""
    chosen: dict[str, Any] = {}
    for choice in filter(None, map(str.strip, choices.split(","))):
        if choice not in _SIGNED:
            near = did_you_mean(choice, _SIGNED)
            allowed = listed(list(_SIGNED))
            raise MetricNameError(
                f"{quoted(text)}: {quoted(choice)} is no choice.{near} The choices are {allowed}."
            )
        field, value = _SIGNED[choice]
        if field in chosen:
            raise MetricNameError(f"{quoted(text)} decides twice: {chosen[field]} and {value}.")
        chosen[field] = value
    return chosen


def moot_choice(reading: Reading, label_set: LabelSet) -> str:
    """Why a reading, which is then refused, makes a choice that changes nothing; nothing where every choice applies."""
    if reading.named is Named.WITH_REST and label_set.rest is None:
        return "there is no rest class that could join the average (rest_label)."
    slug = reading.slug
    metric = METRICS[reading.slug]
    takes = metric.takes
    if takes != "classes" and (
        reading.classes is not ClassSet.IN_GOLD or reading.named is not Named.ONLY
    ):
        return f"{slug} leaves no choice of classes."
    if takes == "nothing" and reading.undefined is not Undefined.ZERO:
        return f"{slug} is no average of class scores that can be undefined."
    if reading.named is Named.ALL_BUT and not reading.brackets:
        return f"name the classes that are left out, like {slug}(all-but)[label]."
    if reading.named is Named.WITH_REST and reading.brackets:
        return "with-rest is of all classes; write the rest class into the brackets."
    return _moot_rule(reading, metric) or _moot_elsewhere(reading, metric, label_set)


def _moot_elsewhere(reading: Reading, metric: Metric, label_set: LabelSet) -> str:
    """Why a rule for labels on a scale or for sets changes nothing."""
    if reading.outside is not Outside.UNANSWERED and not label_set.scale:
        return "no label is outside a scale where labels are on none (scale = true)."
    if reading.repair is not Repair.AS_READ and not label_set.supports(Feature.BOUNDARIES):
        return "no tag is broken where no spans are scored."
    is_of_units = metric.over == "units"
    if reading.empty is not Empty.ONE and (not is_of_units or metric.slug == "hamming"):
        return f"{reading.slug} is no mean over units that empty sets leave undefined."
    heeds_unknown = metric.sums_over_units(label_set) or (
        is_of_units and label_set.supports(Feature.UNITS)
    )
    if reading.unknown is not Unknown.FALSE_ALARM and not heeds_unknown:
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
            f"f1-undefined={reading.f1_undefined} decides nothing: no undefined class F1 is "
            "averaged as other than 0."
        )
    return ""


# In words


def rules_in_words(reading: Reading, *, stated_only: bool = False) -> list[str]:
    """The rules of a reading as clauses: those that are not the default, and how undefined and missing ones count."""
    always = () if stated_only else ("undefined", "missing")
    return [
        " ".join(clauses[getattr(reading, name)])
        for name, clauses in _RULES.items()
        if name in always or getattr(reading, name) is not getattr(_PLAIN, name)
    ]


def rule_nouns(reading: Reading) -> dict[str, str]:
    """Each rule of a reading as a noun, by the name of the choice."""
    rules = {name: clauses[getattr(reading, name)] for name, clauses in _RULES.items()}
    return {CHOICES[name][0]: f"{subject} {rest}" for name, (subject, _, rest) in rules.items()}
