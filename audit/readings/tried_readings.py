"""Every reading that published numbers are held against, with the scores of all entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from audit.readings.space import (
    base_reading,
    every_reading,
    groups_of_equal_scores,
    means_of_columns,
)


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
        labels = task.label_set
        slugs = set()  # also those of families of metrics, such as F-beta
        for heading in headings:
            slugs |= {slug for slug in heading.slugs if slug in METRICS}
        of_item_scores = _of_item_scores(evaluation)
        means = []  # of labels or scores of items: ranks are found elsewhere
        for mean in _means(headings, labels):
            metric = metric_of(mean.metric, labels)
            has_scores = metric.of_item_scores and evaluation.item_scores is not None
            if metric.of_labels or has_scores:
                means.append(mean)
        readings = every_reading(
            task,
            [prevalence.name for prevalence in evaluation.prevalences],
            slugs - set(ITEM_SCORE_METRICS),
            (*of_item_scores, *means),
        )
        plain = [reading for reading in readings if _is_plain(reading)]
        further = [*of_item_scores]
        has_strays = evaluation.answers is not None and evaluation.answers.n_all_strays > 0
        if labels.scale and has_strays:
            for reading in plain:
                further.append(replace(reading, outside=Outside.DROPPED))
                further.append(replace(reading, outside=Outside.CLIPPED))
        further += _of_sets(labels)
        readings = tuple(dict.fromkeys((*readings, *further)))
        parts = [_scores_of(evaluation, readings)]
        for rule, other in repaired.items():
            # of other labels, a type is in no span that is whole
            has_all = other.task.label_set == labels
            some = [reading for reading in plain if has_all or not reading.brackets]
            readings += tuple(replace(reading, repair=Repair(rule)) for reading in some)
            parts.append(_scores_of(other, some))
        scores = np.concatenate(parts)
        groups = groups_of_equal_scores(readings, scores, base_reading(task))
        places = {slug: place for place, slug in enumerate(METRICS)}
        plainness = [_plainness(reading, places) for reading in readings]
        return cls(readings, scores, groups, plainness, evaluation.names, labels)

    @property
    def has_item_scores(self) -> bool:
        """Whether scores of single items are among what is tried."""
        return any(reading.metric in ITEM_SCORE_METRICS for reading in self.readings)

    def computed(self, rows: TableRows) -> list[ScoredColumn]:
        """Scores of a table's rows by the readings, the plainest first."""
        plainest = [min(group, key=self.plainness.__getitem__) for group in self.groups]
        columns = []
        for place in sorted(plainest, key=self.plainness.__getitem__):
            reading = self.readings[place]
            name = f"{reading_phrase(reading, self.label_set)}, as computed here"
            columns.append(rows.column(name, self.scores[place], rises=self.rises(reading)))
        return columns

    def rises(self, reading: Reading) -> bool:
        """Whether higher is better by a reading."""
        return metric_of(reading.metric, self.label_set).greater_is_better


def _means(headings: Sequence[Heading], label_set: LabelSet) -> list[Reading]:
    """The composites and cuts that headings name, and for one like Overall the means of what the others name."""
    means = []
    for heading in headings:
        if heading.exact:
            reading = parse_reading(heading.exact, label_set)
            if reading.slug not in METRICS or "|" in reading.brackets:
                means.append(reading)
    for heading in headings:
        if heading.cut:
            slugs = [slug for slug in sorted(heading.slugs) if METRICS[slug].takes != "class"]
            means += [Reading(f"{slug}[{heading.cut}]") for slug in slugs]
    if any(heading.is_overall for heading in headings):
        means += means_of_columns([heading.slugs for heading in headings])
    return means


def _is_plain(reading: Reading) -> bool:
    """Whether it chooses nothing of how classes are averaged: the others are not tried by further rules."""
    plain = Reading(reading.metric, missing=reading.missing, prevalence=reading.prevalence)
    return reading == plain


def _of_item_scores(evaluation: Evaluation) -> list[Reading]:
    """The scores of single items, and the official mean if it has some, where teams' scores are kept."""
    slugs = metrics_of_item_scores(evaluation.task.scored_labels)
    if not slugs:
        return []
    keys = [ScoreKey(slug) for slug in slugs]
    official = evaluation.task.ranking_metric
    if metric_of(official.metric, evaluation.task.label_set).of_item_scores:
        keys.append(official)
    return [Reading(key.metric, prevalence=key.prevalence) for key in keys]


def _scores_of(evaluation: Evaluation, readings: Sequence[Reading]) -> Floats:
    """Scores of every entry under every reading, shape (R, T)."""
    assert evaluation.answers is not None  # noqa: S101 - asked of what holds them
    task = evaluation.task
    labels = task.label_set
    prevalences = evaluation.prevalences
    rows_of_labels = []
    other_rows = []
    other_keys = []
    for row, reading in enumerate(readings):
        counts_unknown = reading.unknown is Unknown.FALSE_ALARM
        if metric_of(reading.metric, labels).of_labels and counts_unknown:
            rows_of_labels.append(row)
        else:
            name = str(replace(reading, prevalence=OBSERVED.name))
            other_rows.append(row)
            other_keys.append(ScoreKey(name, reading.prevalence))
    values = np.empty((len(readings), len(evaluation.names)))
    of_labels = [readings[row] for row in rows_of_labels]
    values[rows_of_labels] = score_readings(evaluation.answers, of_labels, prevalences, labels)
    sources = ScoreSources(
        task,
        evaluation.prevalence_counts,
        evaluation.cells,
        evaluation.item_scores,
        evaluation.ranked,
    )
    values[other_rows] = sources.scores(other_keys, prevalences)
    return values


def _of_sets(label_set: LabelSet) -> list[Reading]:
    """Means over units by each rule for empty sets, and sums of sets without the labels that gold lacks."""
    readings = []
    for slug in unit_metrics_on(label_set):
        for empty in Empty:
            if slug == "hamming" and empty is not Empty.ONE:
                continue
            readings += [Reading(slug, empty=empty, unknown=unknown) for unknown in Unknown]
    for metric in aggregates_on(label_set):
        if metric.sums_over_units(label_set):
            readings.append(Reading(metric.slug, unknown=Unknown.DROPPED))
    return readings


def _plainness(reading: Reading, places: Mapping[str, int]) -> tuple[int, int]:
    """How many choices a reading makes, and the place of its metric: the lower, the likelier it is meant."""
    n_choices = len(reading.differs_in(Reading(reading.metric)))
    is_of_class = reading.slug in METRICS and METRICS[reading.slug].takes == "class"
    if reading.slug in METRICS and not is_of_class and "[" in reading.metric:
        n_choices += 1  # the classes that it averages
    return n_choices, places.get(reading.slug, len(places))
