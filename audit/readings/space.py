"""The readings that are tried: of macro F1 for the audit, of every metric for published numbers."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, product

import numpy as np

from audit.domain import (
    ClassSet,
    F1Undefined,
    Feature,
    LabelSet,
    Missing,
    Named,
    Reading,
    Task,
    Undefined,
    supported,
)
from audit.domain.arrays import Floats
from audit.metrics import (
    BOTH_MACRO_F1,
    ITEM_SCORE_METRICS,
    METRICS,
    SCALE_METRICS,
    Metric,
    cuts_of,
    metric_name,
    named_metric,
)
from audit.metrics.composites import Term, composite_name

MOST_CLASSES_LEFT_OUT = 30  # averages over all classes but one are tried up to so many classes
# averages over every selection of classes are tried up to so many classes
MOST_CLASSES_COMBINED = 6

# columns that a mean is tried of, and means: the more, the more match by chance
_MOST_AVERAGED = 6
_MOST_MEANS = 200
_OF_CUTS = ("kappa", "accuracy", "averaged_f1")
_SAME_SCORE = 11  # decimals to which scores are compared: as TIE_TOLERANCE has it, within rounding

# which classes an average takes; no class for all of its set
_Selection = tuple[Named, tuple[int, ...]]


def base_reading(task: Task) -> Reading:
    """The reading with which others are compared: the official one where that is a macro F1, else macro-averaged F1.

    Missing items count as the task's own policy has it.
    """
    official = task.ranking_metric
    if task.policies.missing == "drop":
        missing = Missing.DROPPED
    else:
        missing = Missing.WRONG
    named = named_metric(official.metric, task.label_set)
    if named.metric.slug in BOTH_MACRO_F1:
        return replace(named.reading, missing=missing, prevalence=official.prevalence)
    return Reading("averaged_f1", missing=missing)


def macro_f1_readings(task: Task, prevalences: Sequence[str]) -> tuple[Reading, ...]:
    """Every reading of macro F1, the base first.

    Both formulas, over each class set and over all of it but one class, with each rule for undefined class scores and
    for missing items, at each prevalence; and over the classes that the official metric names.
    """
    base = base_reading(task)
    named = named_metric(base.metric, task.label_set).codes
    selections = [*([(base.named, named)] if named else []), *_all_but_one(task.label_set.n_scored)]
    readings = (
        reading
        for slug in BOTH_MACRO_F1
        for reading in _macro_readings(
            slug, task.label_set, [*_every(task), *selections], prevalences
        )
    )
    return tuple(dict.fromkeys((base, *readings)))


def every_reading(
    task: Task,
    prevalences: Sequence[str],
    asked_slugs: Collection[str] = (),
    means: Sequence[Reading] = (),
) -> tuple[Reading, ...]:
    """Every reading of every metric: those of the macro scores over selections of classes, too.

    Of the metrics that not every evaluation has there are sums over all classes but one, which scorers are known to
    compute, and what is asked for: the more is tried, the more matches by chance.
    """
    official = named_metric(task.ranking_metric.metric, task.label_set)
    parts = official.parts or (official,)
    asked_slugs = {*asked_slugs, *(part.metric.slug for part in parts if not part.n_below)}
    kind = task.label_set.kind
    asked_slugs |= set(kind.traits.own_metrics)
    if not kind.supports(Feature.ANSWERS):
        means = ()
    selections = [*_every(task), *_selections(task.label_set.n_scored)]
    readings: list[Reading] = []
    of_families = [METRICS[slug] for slug in sorted(asked_slugs - set(METRICS))]
    for metric in supported([*METRICS.values(), *of_families], kind):
        if not metric.standard:
            readings.extend(
                _further_readings(metric, task.label_set, is_asked=metric.slug in asked_slugs)
            )
        elif metric.takes == "classes":
            readings.extend(_macro_readings(metric.slug, task.label_set, selections, prevalences))
        elif metric.takes == "class":
            names = [
                metric_name(metric.slug, (code,), task.label_set)
                for code in range(task.label_set.n_scored)
            ]
            readings.extend(_own_readings(metric.slug, names, prevalences))
        else:
            readings.extend(
                Reading(metric.slug, missing=missing, prevalence=name)
                for missing, name in product(Missing, prevalences)
            )
    readings.extend(_on_scale(task.label_set, prevalences))
    # or a cut; ranks are found elsewhere
    is_mean = official.metric.of_labels and (official.parts or official.n_below)
    if is_mean:
        own = [Reading(task.ranking_metric.metric, prevalence=task.ranking_metric.prevalence)]
    else:
        own = []
    return tuple(dict.fromkeys((base_reading(task), *readings, *own, *means)))


def _on_scale(label_set: LabelSet, prevalences: Sequence[str]) -> Iterator[Reading]:
    """The metrics of a scale, and the scores that are commonly told of it cut in two; none without a scale."""
    for slug, missing, name in product(
        SCALE_METRICS if label_set.scale else (), Missing, prevalences
    ):
        yield Reading(slug, missing=missing, prevalence=name)
    for slug, cut, missing in product(_OF_CUTS, cuts_of(label_set), Missing):
        yield Reading(f"{slug}[{cut}]", missing=missing)


def means_of_columns(columns: Sequence[Collection[str]]) -> tuple[Reading, ...]:
    """The means that a column called Overall may hold: of the scores that two or more of the other columns name."""
    listing = [*METRICS, *ITEM_SCORE_METRICS]
    scores = [
        [slug for slug in listing if slug in column and METRICS[slug].takes != "class"]
        for column in columns
    ]
    filled = [column for column in scores if column][:_MOST_AVERAGED]
    chosen = (some for size in range(2, len(filled) + 1) for some in combinations(filled, size))
    names = (
        slugs
        for some in chosen
        for slugs in product(*some)
        if len(set(slugs)) == len(slugs)
        and len({METRICS[slug].greater_is_better for slug in slugs}) == 1
    )
    return tuple(
        Reading(composite_name([Term(1, slug) for slug in slugs]))
        for slugs in islice(names, _MOST_MEANS)
    )


def _every(task: Task) -> list[_Selection]:
    """All classes but the rest class; and with it, as a scorer takes them that is not told of it."""
    return [
        (Named.ONLY, ()),
        *([] if task.label_set.rest_class is None else [(Named.WITH_REST, ())]),
    ]


_ACCURACY = frozenset({"micro_precision", "micro_recall"})
"""Over all classes these are accuracy, of the answered items or of all: a column called so would be of two metrics."""


def _all_but_one(n_classes: int) -> list[_Selection]:
    fits = 2 < n_classes <= MOST_CLASSES_LEFT_OUT  # noqa: PLR2004 - of two classes one would be left: no average
    if fits:
        return [(Named.ALL_BUT, (code,)) for code in range(n_classes)]
    return []


def _selections(n_classes: int) -> list[_Selection]:
    """All classes but one; and for few classes, every selection of two or more."""
    sizes = range(2, n_classes - 1) if n_classes <= MOST_CLASSES_COMBINED else ()
    only = [(Named.ONLY, codes) for size in sizes for codes in combinations(range(n_classes), size)]
    return [*_all_but_one(n_classes), *only]


def _macro_readings(
    slug: str, label_set: LabelSet, selections: Sequence[_Selection], prevalences: Sequence[str]
) -> Iterator[Reading]:
    for named, codes in selections:
        metric = metric_name(slug, codes or None, label_set)
        for classes, rules, missing, name in product(ClassSet, _rules(slug), Missing, prevalences):
            yield Reading(metric, classes, named, *rules, missing, name)


def _further_readings(metric: Metric, label_set: LabelSet, *, is_asked: bool) -> Iterator[Reading]:
    """The readings of a metric that is asked for: itself, each class, or sums that leave one class out."""
    if is_asked and metric.takes == "class":
        yield from (
            Reading(metric_name(metric.slug, (code,), label_set))
            for code in range(label_set.n_scored)
        )
    elif is_asked and (metric.sums_over_units(label_set) or metric.slug not in _ACCURACY):
        yield Reading(metric.slug)
    for named, codes in _all_but_one(label_set.n_scored) if metric.sums else ():
        for classes in (ClassSet.IN_GOLD, ClassSet.DECLARED):
            yield Reading(metric_name(metric.slug, codes, label_set), classes, named)


def _own_readings(slug: str, names: Sequence[str], prevalences: Sequence[str]) -> Iterator[Reading]:
    """Readings of a class score on its own; recall is undefined only where gold lacks the class, which has no score."""
    rules = [rule for rule in _rules(slug) if rule[0] is not Undefined.DROPPED]
    if METRICS[slug].is_share_of_gold:
        kept = rules[:1]
    else:
        kept = rules
    for metric, rule, missing, name in product(names, kept, Missing, prevalences):
        yield Reading(metric, ClassSet.IN_GOLD, Named.ONLY, *rule, missing, name)


def _rules(slug: str) -> list[tuple[Undefined, F1Undefined]]:
    """The rules for undefined class scores; for F1, where these are no number, also which F1s are undefined.

    No scorer is known that gives a class F1 of 1 to a class in gold that was never predicted: that is not tried.
    """
    if METRICS[slug].averages_f:
        f1_rules = list(F1Undefined)
    else:
        f1_rules = [F1Undefined.EMPTY]
    numbers = [(value, F1Undefined.EMPTY) for value in (Undefined.ZERO, Undefined.ONE)]
    return [*numbers, *product((Undefined.DROPPED, Undefined.WHOLE), f1_rules)]


def told_apart(readings: Sequence[Reading], scores: Floats, base: Reading) -> list[list[int]]:
    """Groups of readings that give every team the same score, shape (R, T); those like the base first."""
    of_base = base.choices
    changes = [
        [name for name, value in each.choices.items() if value != of_base[name]]
        for each in readings
    ]
    rounded = np.where(np.isnan(scores), np.inf, np.round(scores, _SAME_SCORE)) + 0.0  # no −0.0
    _, group_of = np.unique(rounded, axis=0, return_inverse=True)
    groups: dict[int, list[int]] = {}
    undefined = np.isnan(scores).sum(axis=1).tolist()
    places = {name: place for place, name in enumerate(of_base)}
    order = sorted(
        range(len(readings)),
        key=lambda row: (
            len(changes[row]),
            undefined[row],
            [places[name] for name in changes[row]],
            row,
        ),
    )
    for row, group in zip(order, group_of.ravel()[order].tolist(), strict=True):
        groups.setdefault(group, []).append(row)
    return list(groups.values())
