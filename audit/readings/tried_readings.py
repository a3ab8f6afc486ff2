"""Every reading that published numbers are held against, with the scores of all entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from types import MappingProxyType

import numpy as np

from audit.domain import (
    OBSERVED,
    Empty,
    Evaluation,
    LabelSet,
    Outside,
    Reading,
    Repair,
    ScoreKey,
    Unknown,
)
from audit.domain.arrays import Floats
from audit.metrics import (
    ITEM_SCORE_METRICS,
    METRICS,
    aggregates_on,
    metric_of,
    metrics_of_item_scores,
    parse_reading,
    reading_phrase,
    score_readings,
    unit_metrics_on,
)
from audit.ranking.prevalence_shift import ScoreSources
from audit.readings.headings import Heading
from audit.readings.space import base_reading, every_reading, means_of_columns, told_apart


@dataclass(frozen=True, eq=False)
class ScoredColumn:
    """A column of scores that ranks can be by, beside them or computed."""

    name: str  # the column, as a sentence names it
    scores: Floats  # shape (T,), of all rows of the table; NaN where there is none
    greater_is_better: bool = True
    is_mean: bool = False  # of ranks; no further mean is tried of it

    @property
    def goodness(self) -> Floats:
        """The scores, the higher the better."""
        if self.greater_is_better:
            return self.scores
        return -self.scores


@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of a published table, and the entries of the campaign that some of them are."""

    entry_of: Mapping[int, int]
    n_rows: int

    def column(self, name: str, scores: Floats, *, rises: bool) -> ScoredColumn:
        """The scores of entries as a column of the table, NaN at rows that are none."""
        rows = np.full(self.n_rows, np.nan)
        rows[list(self.entry_of)] = scores[list(self.entry_of.values())]
        return ScoredColumn(name, rows, greater_is_better=rises)


@dataclass(frozen=True, eq=False)
class TriedReadings:
    """Every reading with its scores, and which of them this campaign tells apart."""

    readings: tuple[Reading, ...]
    scores: Floats
    groups: Sequence[Sequence[int]]
    plainness: Sequence[tuple[int, int]]
    names: tuple[str, ...]
    label_set: LabelSet

    @classmethod
    def of(
        cls,
        evaluation: Evaluation,
        headings: Sequence[Heading],
        repaired: Mapping[str, Evaluation] = MappingProxyType({}),
    ) -> "TriedReadings":
        """The readings that a table of these headings is compared with: the more, the more match by chance."""
        task = evaluation.task
        prevalences = evaluation.prevalences
        slugs = {
            slug
            for heading in headings
            for slug in heading.slugs
            if slug in METRICS and slug not in ITEM_SCORE_METRICS
        }
        has_item_scores = evaluation.item_scores is not None
        metrics = [
            (mean, metric_of(mean.metric, task.label_set))
            for mean in _means(headings, task.label_set)
        ]
        means = [
            mean
            for mean, metric in metrics
            if metric.of_labels or (metric.of_item_scores and has_item_scores)
        ]  # of no ranks
        own = _of_item_scores(evaluation)
        readings = every_reading(
            task, [prevalence.name for prevalence in prevalences], slugs, (*own, *means)
        )
        # What chooses nothing of how classes are averaged: the fewer are tried by further rules.
        plain = [
            each
            for each in readings
            if each == Reading(each.metric, missing=each.missing, prevalence=each.prevalence)
        ]
        has_strays = evaluation.answers is not None and evaluation.answers.n_all_strays > 0
        rules = (Outside.DROPPED, Outside.CLIPPED) if task.label_set.scale and has_strays else ()
        outside = (replace(reading, outside=rule) for reading in plain for rule in rules)
        readings = tuple(dict.fromkeys((*readings, *own, *outside, *_of_sets(task.label_set))))
        scores = [_scores_of(evaluation, readings)]
        for rule, other in repaired.items():
            # else a type is in no span that is whole
            has_all = other.task.label_set == task.label_set
            some = [reading for reading in plain if has_all or not reading.brackets]
            readings += tuple(replace(reading, repair=Repair(rule)) for reading in some)
            scores.append(_scores_of(other, some))
        every = np.concatenate(scores)
        groups = told_apart(readings, every, base_reading(task))
        places = {slug: n for n, slug in enumerate(METRICS)}
        plainness = [_plainness(reading, places) for reading in readings]
        return cls(readings, every, groups, plainness, evaluation.names, task.label_set)

    @property
    def has_item_scores(self) -> bool:
        """Whether scores of single items are among what is tried."""
        return any(reading.metric in ITEM_SCORE_METRICS for reading in self.readings)

    def computed(self, rows: TableRows) -> list[ScoredColumn]:
        """Scores of a table's rows by the readings, the plainest first."""
        plainest = [min(group, key=self.plainness.__getitem__) for group in self.groups]
        return [
            rows.column(
                f"{reading_phrase(self.readings[place], self.label_set)}, as computed here",
                self.scores[place],
                rises=self.rises(self.readings[place]),
            )
            for place in sorted(plainest, key=self.plainness.__getitem__)
        ]

    def rises(self, reading: Reading) -> bool:
        """Whether higher is better by a reading."""
        return metric_of(reading.metric, self.label_set).greater_is_better


def _means(headings: Sequence[Heading], label_set: LabelSet) -> list[Reading]:
    """The composites and cuts that headings name, and for one like Overall the means of what the others name."""
    exact = [parse_reading(heading.exact, label_set) for heading in headings if heading.exact]
    named = [reading for reading in exact if reading.slug not in METRICS or "|" in reading.brackets]
    named.extend(
        Reading(f"{slug}[{heading.cut}]")
        for heading in headings
        for slug in sorted(heading.slugs if heading.cut else ())
        if METRICS[slug].takes != "class"
    )
    if any(heading.is_overall for heading in headings):
        named.extend(means_of_columns([heading.slugs for heading in headings]))
    return named


def _of_item_scores(evaluation: Evaluation) -> list[Reading]:
    """The scores of single items, and the official mean if it has some, where teams' scores are kept."""
    own = metrics_of_item_scores(evaluation.task.scored_labels)
    official = evaluation.task.ranking_metric
    if not own:
        return []
    is_such = metric_of(official.metric, evaluation.task.label_set).of_item_scores
    keys = [*map(ScoreKey, own), *([official] if is_such else [])]
    return [Reading(key.metric, prevalence=key.prevalence) for key in keys]


def _scores_of(evaluation: Evaluation, readings: Sequence[Reading]) -> Floats:
    """Scores of every entry under every reading, shape (R, T)."""
    assert evaluation.answers is not None  # noqa: S101 - asked of what holds them
    answers = evaluation.answers
    task = evaluation.task
    prevalences = evaluation.prevalences
    of_labels = [
        metric_of(reading.metric, task.label_set).of_labels
        and reading.unknown is Unknown.FALSE_ALARM
        for reading in readings
    ]
    values = np.empty((len(readings), len(evaluation.names)))
    values[of_labels] = score_readings(
        answers, list(compress(readings, of_labels)), prevalences, task.label_set
    )
    gold = evaluation.prevalence_counts
    item_scores = evaluation.item_scores
    sources = ScoreSources(task, gold, evaluation.cells, item_scores, evaluation.ranked)
    others = [row for row, is_one in enumerate(of_labels) if not is_one]
    told = [
        (str(replace(readings[row], prevalence=OBSERVED.name)), readings[row].prevalence)
        for row in others
    ]
    values[others] = sources.scores([ScoreKey(*each) for each in told], prevalences)
    return values


def _of_sets(label_set: LabelSet) -> list[Reading]:
    """Means over units by each rule for empty sets, and sums of sets without the labels that gold lacks."""
    rules = [
        (slug, empty)
        for slug in unit_metrics_on(label_set)
        for empty in Empty
        if slug != "hamming" or empty is Empty.ONE
    ]
    sums = [metric.slug for metric in aggregates_on(label_set) if metric.sums_over_units(label_set)]
    return [
        *(
            Reading(slug, empty=empty, unknown=unknown)
            for slug, empty in rules
            for unknown in Unknown
        ),
        *(Reading(slug, unknown=Unknown.DROPPED) for slug in sums),
    ]


def _plainness(reading: Reading, places: Mapping[str, int]) -> tuple[int, int]:
    """How many choices a reading makes, and the place of its metric: the lower, the likelier it is meant."""
    chosen = len(reading.differs_in(Reading(reading.metric)))
    over_named = (
        reading.slug in METRICS and METRICS[reading.slug].takes != "class" and "[" in reading.metric
    )
    return chosen + over_named, places.get(reading.slug, len(places))
