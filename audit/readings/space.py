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
    labels = task.label_set
    base = base_reading(task)
    selections = _every(task)
    official_codes = named_metric(base.metric, labels).codes
    if official_codes:
        selections.append((base.named, official_codes))
    selections += _all_but_one(labels.n_scored)
    readings = [base]
    for slug in BOTH_MACRO_F1:
        readings += _macro_readings(slug, labels, selections, prevalences)
    return tuple(dict.fromkeys(readings))


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
    labels = task.label_set
    official_key = task.ranking_metric
    official = named_metric(official_key.metric, labels)
    asked = {*asked_slugs, *labels.kind.traits.own_metrics}
    for part in official.parts or (official,):
        if not part.n_below:
            asked.add(part.metric.slug)
    selections = [*_every(task), *_selections(labels.n_scored)]
    of_families = [METRICS[slug] for slug in sorted(asked - set(METRICS))]
    readings = [base_reading(task)]
    for metric in supported([*METRICS.values(), *of_families], labels.kind):
        if not metric.standard:
            readings += _further_readings(metric, labels, is_asked=metric.slug in asked)
        elif metric.takes == "classes":
            readings += _macro_readings(metric.slug, labels, selections, prevalences)
        elif metric.takes == "class":
            names = [metric_name(metric.slug, (code,), labels) for code in range(labels.n_scored)]
            readings += _own_readings(metric.slug, names, prevalences)
        else:
            for missing, name in product(Missing, prevalences):
                readings.append(Reading(metric.slug, missing=missing, prevalence=name))
    readings += _on_scale(labels, prevalences)
    is_composite_or_cut = official.parts or official.n_below
    if official.metric.of_labels and is_composite_or_cut:  # ranks are found elsewhere
        readings.append(Reading(official_key.metric, prevalence=official_key.prevalence))
    if labels.kind.supports(Feature.ANSWERS):
        readings += means
    return tuple(dict.fromkeys(readings))


def _on_scale(label_set: LabelSet, prevalences: Sequence[str]) -> Iterator[Reading]:
    """The metrics of a scale, and the scores that are commonly told of it cut in two; none without a scale."""
    if not label_set.scale:
        return
    for slug, missing, name in product(SCALE_METRICS, Missing, prevalences):
        yield Reading(slug, missing=missing, prevalence=name)
    for slug, cut, missing in product(_OF_CUTS, cuts_of(label_set), Missing):
        yield Reading(f"{slug}[{cut}]", missing=missing)


def means_of_columns(columns: Sequence[Collection[str]]) -> tuple[Reading, ...]:
    """The means that a column called Overall may hold: of the scores that two or more of the other columns name."""
    listing = [*METRICS, *ITEM_SCORE_METRICS]
    candidates = []  # of each column that names some, the scores that it may be of
    for column in columns:
        slugs = [slug for slug in listing if slug in column and METRICS[slug].takes != "class"]
        if slugs:
            candidates.append(slugs)
    return tuple(islice(_means_of(candidates[:_MOST_AVERAGED]), _MOST_MEANS))


def _means_of(candidates: Sequence[Sequence[str]]) -> Iterator[Reading]:
    """The means of different scores of one direction, of two or more columns."""
    for size in range(2, len(candidates) + 1):
        for some in combinations(candidates, size):
            for slugs in product(*some):
                directions = {METRICS[slug].greater_is_better for slug in slugs}
                if len(set(slugs)) == len(slugs) and len(directions) == 1:
                    yield Reading(composite_name([Term(1, slug) for slug in slugs]))


def _every(task: Task) -> list[_Selection]:
    """All classes but the rest class; and with it, as a scorer takes them that is not told of it."""
    selections: list[_Selection] = [(Named.ONLY, ())]
    if task.label_set.rest_class is not None:
        selections.append((Named.WITH_REST, ()))
    return selections


_ACCURACY = frozenset({"micro_precision", "micro_recall"})
"""Over all classes these are accuracy, of the answered items or of all: a column called so would be of two metrics."""


def _all_but_one(n_classes: int) -> list[_Selection]:
    fits = 2 < n_classes <= MOST_CLASSES_LEFT_OUT  # noqa: PLR2004 - of two classes one would be left: no average
    if fits:
        return [(Named.ALL_BUT, (code,)) for code in range(n_classes)]
    return []


def _selections(n_classes: int) -> list[_Selection]:
    """All classes but one; and for few classes, every selection of two or more."""
    selections = _all_but_one(n_classes)
    if n_classes <= MOST_CLASSES_COMBINED:
        for size in range(2, n_classes - 1):
            for codes in combinations(range(n_classes), size):
                selections.append((Named.ONLY, codes))
    return selections


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
        for code in range(label_set.n_scored):
            yield Reading(metric_name(metric.slug, (code,), label_set))
    elif is_asked and (metric.sums_over_units(label_set) or metric.slug not in _ACCURACY):
        yield Reading(metric.slug)
    if not metric.sums:
        return
    for named, codes in _all_but_one(label_set.n_scored):
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


def groups_of_equal_scores(
    readings: Sequence[Reading], scores: Floats, base: Reading
) -> list[list[int]]:
    """Groups of readings that give every team the same score, shape (R, T); those like the base first."""
    is_undefined = np.isnan(scores)
    rounded = np.where(is_undefined, np.inf, np.round(scores, _SAME_SCORE)) + 0.0  # no −0.0
    _, group_of = np.unique(rounded, axis=0, return_inverse=True)
    n_undefined = is_undefined.sum(axis=1).tolist()
    base_choices = base.choices
    places = {name: place for place, name in enumerate(base_choices)}

    def precedence(row: int) -> tuple[int, int, list[int], int]:
        """The fewer choices differ from the base's, and the earlier ones, the earlier a reading stands."""
        choices = readings[row].choices
        changed = [places[name] for name, value in choices.items() if value != base_choices[name]]
        return len(changed), n_undefined[row], changed, row

    groups: dict[int, list[int]] = {}
    for row in sorted(range(len(readings)), key=precedence):
        groups.setdefault(int(group_of.ravel()[row]), []).append(row)
    return list(groups.values())
