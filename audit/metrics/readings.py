"""Readings: their signatures, and scores under them: the same kernels, with the class set and rules that each names."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from audit.domain import (
    Answers,
    Cells,
    ClassSet,
    F1Undefined,
    LabelSet,
    Missing,
    Named,
    Outside,
    Prevalence,
    Reading,
    Undefined,
)
from audit.domain.arrays import Bools, Counts, Floats
from audit.metrics.confusion import Margins, count_cells
from audit.metrics.metric import Metric
from audit.metrics.names import (
    averaged_in_words,
    metric_of,
    named_metric,
    over_classes_in_words,
    prevalence_in_words,
)
from audit.metrics.reading_choices import classes_in_words, rule_nouns
from audit.metrics.registry import METRICS
from audit.metrics.scoring import margins_at

_BLOCK = 1 << 20  # cells of a stack of class masks scored at once: bounded memory
# stand-ins for labels outside the label set: those that a team predicts, and those of other teams
_STRAYS = 2


def difference_in_words(reading: Reading, base: Reading, label_set: LabelSet) -> list[str]:
    """The choices that a reading makes and another one does not, a noun for each."""
    phrases = {
        "metric": metric_of(reading.metric, label_set).phrase,
        "named classes": over_classes_in_words(reading, label_set).removeprefix(" over ")
        if reading.brackets
        else averaged_in_words(reading, label_set),
        "class set": classes_in_words(reading.classes, label_set),
        **{name: label_set.worded(noun) for name, noun in rule_nouns(reading).items()},
        "prevalence": prevalence_in_words(reading.prevalence),
    }
    changed = reading.differs_in(base)
    if "named classes" in changed:
        hidden = {"class set"}
    else:
        hidden = set()
    return [phrases[name] for name in changed if name not in hidden]


def count_answers(
    gold: Counts,
    predictions: Sequence[Counts],
    n_classes: int,
    strays: Sequence[Iterable[str]],
    most: float = math.inf,
) -> Answers:
    """Answers of many submissions to one gold."""
    cells = count_cells(gold, predictions, n_classes, drop_missing=True, most=most)
    missing = []
    below = []
    for codes in predictions:
        missing.append(np.bincount(gold[codes == n_classes], minlength=n_classes))
        below.append(np.bincount(gold[codes == n_classes + 2], minlength=n_classes))
    return Answers(cells, np.stack(missing), np.stack(below), tuple(map(frozenset, strays)))


def score_readings(
    answers: Answers,
    readings: Sequence[Reading],
    prevalences: Sequence[Prevalence],
    label_set: LabelSet,
) -> Floats:
    """Scores of T teams under R readings, shape (R, T), given every prevalence that a reading names.

    NaN where undefined: also for a team that answers no item where missing items are left out, at a named prevalence
    for a team that is left without any item of a class, and where labels are clipped for a team of whose labels outside
    the scale some are beyond neither end of it.

    A constant predictor, and one that also uses a label outside the label set:

    >>> gold, given = np.array([0, 0, 1, 1]), [np.array([0, 0, 0, 0]), np.array([0, 0, 1, 3])]
    >>> answers = count_answers(gold, given, 2, [(), ("c",)])
    >>> from audit.metrics import parse_reading
    >>> labels = LabelSet(("a", "b"))
    >>> names = ["averaged_f1", "averaged_f1(union-per-team)", "macro_precision(undefined=1)"]
    >>> readings = [parse_reading(name, labels) for name in names]
    >>> score_readings(answers, readings, [Prevalence("observed")], labels).round(3).tolist()
    [[0.333, 0.833], [0.333, 0.556], [0.75, 1.0]]
    """
    values = np.empty((len(readings), len(answers.cells)))
    prevalence_of = {prevalence.name: prevalence for prevalence in prevalences}
    views: dict[tuple[Missing, Outside, str], _View] = {}
    for alike, rows in _scored_alike(readings, label_set).items():
        metric, undefined, f1_undefined, of_items = alike
        if of_items not in views:
            missing, outside, name = of_items
            views[of_items] = _View.of(answers, missing, outside, prevalence_of[name], label_set)
        view = views[of_items]
        margins = replace(view.margins, undefined=undefined, f1_undefined=f1_undefined)
        view = replace(view, margins=margins)
        values[rows] = view.scores(metric, [readings[row] for row in rows])
    return values


_Alike = tuple[Metric, Undefined, F1Undefined, tuple[Missing, Outside, str]]


def _scored_alike(readings: Sequence[Reading], label_set: LabelSet) -> dict[_Alike, list[int]]:
    """Rows of readings that one call of a kernel scores: they differ in classes only."""
    rows: dict[_Alike, list[int]] = {}
    for row, reading in enumerate(readings):
        metric = METRICS.get(reading.slug)
        if metric is None or (label_set.scale and (metric.of_scale or "|" in reading.brackets)):
            metric = metric_of(reading.metric, label_set)
        of_items = (reading.missing, reading.outside, reading.prevalence)
        alike = (metric, reading.undefined, reading.f1_undefined, of_items)
        rows.setdefault(alike, []).append(row)
    return rows


@dataclass(frozen=True, eq=False)
class _View:
    """The margins of all teams with missing items and labels outside a scale as a reading has them."""

    answers: Answers
    label_set: LabelSet
    margins: Margins
    scorable: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        answers: Answers,
        missing: Missing,
        outside: Outside,
        prevalence: Prevalence,
        label_set: LabelSet,
    ) -> Self:
        inside, is_told = _within_scale(answers, outside, label_set)
        confusions = replace(answers, cells=inside).confusions(missing)
        has_items = np.asarray(confusions.prevalence > 0)
        if prevalence.shares:  # every class in gold has one
            is_scorable = (has_items == answers.in_gold).all(axis=-1)
        else:
            is_scorable = has_items.any(axis=-1)
        scorable = is_told & is_scorable
        # where nothing can be scored gold stands in for the answers; the score is replaced by NaN afterwards
        if not scorable.all():
            confusions = confusions.where(scorable, answers.in_gold)
        margins = margins_at(confusions, prevalence, label_set)
        return cls(answers, label_set, replace(margins, averaged=answers.in_gold), scorable)

    def scores(self, metric: Metric, readings: Sequence[Reading]) -> Floats:
        """Scores by one metric under readings that differ in classes only, shape (R, T)."""
        if metric.takes == "classes":
            values = self._macro_scores(metric, readings)
        else:
            margins = self.margins
            # a composite's scores each leave the rest class out or do not
            if metric.slug in METRICS:
                margins = margins.without(self.label_set.rest_code)
            values = metric.kernel(margins)
            if metric.takes == "class":
                codes = [self._codes(reading.metric)[0] for reading in readings]
                values = values[:, codes].T
        return np.where(self.scorable, values, np.nan)

    def _macro_scores(self, metric: Metric, readings: Sequence[Reading]) -> Floats:
        margins = _with_strays(self.margins)
        averaged: dict[ClassSet, NDArray[np.int64]] = {}  # each is asked for by many readings
        masks = []
        for reading in readings:
            if reading.classes not in averaged:
                averaged[reading.classes] = self._averaged(reading.classes)
            counts = averaged[reading.classes]
            if metric.sums_over_units(self.label_set):
                counts = self._every_label
            masks.append((counts, self._named(reading.metric, reading.named)))
        step = max(1, _BLOCK // margins.correct.size)
        parts = []
        for start in range(0, len(masks), step):
            stack = np.stack([counts * kept for counts, kept in masks[start : start + step]])
            parts.append(metric.kernel(replace(margins, averaged=stack)))
        return np.concatenate(parts)

    @property
    def _every_label(self) -> NDArray[np.int64]:
        """The labels over which sums of sets run, in gold or not, without the stand-ins, shape (T, C + 2)."""
        counts = np.ones((len(self.scorable), len(self.label_set) + _STRAYS), dtype=np.int64)
        counts[:, len(self.label_set) :] = 0  # the label set has a code for all stray labels
        return counts

    def _averaged(self, classes: ClassSet) -> NDArray[np.int64]:
        """How often each class, and each stand-in for stray labels, counts in an average, shape (T, C + 2)."""
        predicted = self.margins.bias > 0
        strays = np.zeros((len(self.scorable), _STRAYS), dtype=np.int64)
        other = self.label_set.other_code
        if classes is ClassSet.IN_GOLD:
            averaged = self.margins.averaged
        elif classes is ClassSet.DECLARED:
            averaged = np.ones_like(predicted)
        elif classes is ClassSet.UNION_PER_TEAM:
            averaged = predicted | (self.margins.prevalence > 0)
            strays[:, 0] = self.answers.n_strays
        else:
            averaged = predicted.any(axis=0) | self.answers.in_gold
            strays[:, 0] = self.answers.n_strays
            strays[:, 1] = self.answers.n_all_strays - self.answers.n_strays
        if other is not None:
            # each stray label counts by itself
            averaged = averaged & (np.arange(averaged.shape[-1]) != other)
        return np.concatenate([averaged, strays], axis=-1)

    def _named(self, metric: str, named: Named) -> NDArray[np.bool_]:
        """Which classes the brackets leave in the average, shape (C + 2,)."""
        codes = self._codes(metric)
        rest = self.label_set.rest_code
        excluded = not codes or named is Named.ALL_BUT
        mask = np.full(len(self.label_set) + _STRAYS, excluded)
        mask[list(codes)] = not excluded
        if excluded and rest is not None and named is not Named.WITH_REST:
            mask[rest] = False
        return mask

    def _codes(self, metric: str) -> tuple[int, ...]:
        return named_metric(metric, self.label_set).codes or ()


def _within_scale(answers: Answers, outside: Outside, label_set: LabelSet) -> tuple[Cells, Bools]:
    """Answers with labels outside the scale left out or at its ends, and of which teams it is told at which ends."""
    cells = answers.cells
    n_classes = len(label_set)
    everybody = np.ones(len(cells), dtype=bool)
    if outside is Outside.UNANSWERED:
        return cells, everybody
    is_outside = cells.predicted == n_classes
    inside = replace(cells, counts=np.where(is_outside, 0, cells.counts))
    if outside is Outside.DROPPED:
        return inside, everybody
    gold = cells.gold[is_outside]
    n_below = answers.below[:, gold]
    n_above = cells.counts[:, is_outside] - n_below
    for counts, end in ((n_below, 0), (n_above, n_classes - 1)):
        inside = inside.plus(Cells(counts, gold, np.full(gold.shape, end), n_classes))
    is_told = [all(map(label_set.beyond, labels)) for labels in answers.strays]
    return inside, np.array(is_told)


def _with_strays(margins: Margins) -> Margins:
    """Margins with two more classes, of which gold has nothing: one that a team predicts, one that it does not."""
    shape = (*margins.bias.shape[:-1], _STRAYS)
    nothing = np.zeros(shape, dtype=margins.bias.dtype)
    predicted = np.broadcast_to(np.array([1, 0], dtype=margins.bias.dtype), shape)
    places = [margins.bias.shape[-1]] * _STRAYS

    def matrices() -> Floats:
        """With empty rows and columns before *unanswered*: a label that is none is an unanswered item."""
        with_rows = np.insert(margins.confusion, places, 0, axis=-2)
        return np.insert(with_rows, places, 0, axis=-1)

    return replace(
        margins,
        correct=np.concatenate([margins.correct, nothing], axis=-1),
        bias=np.concatenate([margins.bias, predicted], axis=-1),
        prevalence=np.concatenate([margins.prevalence, nothing], axis=-1),
        made=matrices,
    )
