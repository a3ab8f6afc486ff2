"""Scores of a stack of confusions by name, the spread of class scores behind a mean, and influence functions.

Of scores one pass through calibration, margins and kernels for each prevalence, or for several of small confusions; of
the spread Opitz 2024, section 8.

The influence ψ of a cell is the score's derivative in its count, through the calibration where there is one. Every
metric of margins alone has C × (C + 1) values that are a sum of a few vectors, and are never stored as a matrix; what
depends on single cells is added to them where a metric looks at these:

    ψ[g, p] = row[g] + scale[g] · (column[p] + cells[g, p]) + diagonal[g] where p = g

The sum of ψ over a confusion's items is 0: a score does not change when every count grows alike. Source of the use of
it for standard errors: Takahashi et al. 2022; of the calibration: Opitz 2024, equations 5 and 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from audit.domain import (
    OBSERVED,
    Cells,
    Evaluation,
    ItemScores,
    LabelSet,
    Prevalence,
    ScoreKey,
    Task,
)
from audit.domain.arrays import Bools, Counts, Floats
from audit.errors import UsageError
from audit.metrics.calibration import calibrate, calibrated_margins
from audit.metrics.confusion import Margins, over_classes, ratio
from audit.metrics.gradients import Gradient
from audit.metrics.metric import Metric
from audit.metrics.names import NamedMetric, metric_name, metric_of, named_metric, scale_of
from audit.metrics.registry import CLASS_METRICS, METRICS, aggregates_on
from audit.text import did_you_mean, listed, quoted

_ROUNDING = 1e-12  # of the parts of a sum; what an item adds is at least 1/N of them
_TOGETHER = 1 << 20  # cells of the confusions, at several prevalences, that are scored at once


def all_keys(label_set: LabelSet, prevalences: Sequence[Prevalence]) -> tuple[ScoreKey, ...]:
    """Keys of every metric: the aggregates, then each class-wise metric of each class, for each prevalence."""
    classwise = [
        metric_name(metric.slug, (code,), label_set)
        for metric in CLASS_METRICS
        for code in range(label_set.n_scored)
    ]
    names = [metric.slug for metric in aggregates_on(label_set)] + classwise
    return tuple(ScoreKey(name, prevalence.name) for prevalence in prevalences for name in names)


def margins_at(confusions: Counts | Cells, prevalence: Prevalence, label_set: LabelSet) -> Margins:
    """Margins of a stack of confusions at a prevalence; of cells the same, to the last bit."""
    is_observed = prevalence.name == OBSERVED.name
    if isinstance(confusions, Cells):
        if is_observed:
            return Margins.of_cells(confusions)
        return calibrated_margins(confusions, _target(prevalence, label_set))
    if is_observed:
        return Margins.of(confusions)
    return Margins.of(calibrate(confusions, _target(prevalence, label_set)))


def prevalence_shares(prevalence: Prevalence, counts: Counts, label_set: LabelSet) -> Floats:
    """Share of each class at a prevalence, given the gold items of each, shape (C,)."""
    if prevalence.name == OBSERVED.name:
        return np.asarray(counts / counts.sum())
    target = _target(prevalence, label_set)
    if target is None:
        return np.asarray((counts > 0) / (counts > 0).sum())
    return target


def shares_of_scored(
    scores: ItemScores, key: ScoreKey, prevalences: Sequence[Prevalence], counts: Counts, task: Task
) -> Floats:
    """The mass of each label with scores at the prevalence of a score, shape (L,); of sets the share that has it."""
    if key.prevalence == OBSERVED.name:
        return np.asarray(scores.positive.mean(axis=0))
    prevalence = next(each for each in prevalences if each.name == key.prevalence)
    return np.asarray(prevalence_shares(prevalence, counts, task.label_set)[task.scored_codes])


def _target(prevalence: Prevalence, label_set: LabelSet) -> Floats | None:
    if prevalence.name == "balanced":
        return None
    target = np.zeros(len(label_set))
    for label, share in prevalence.shares:
        if label not in label_set.code_of:
            raise UsageError(
                f"The prevalence {quoted(prevalence.name)} names {quoted(label)}, which is no label here."
            )
        target[label_set.code_of[label]] = share
    return target / (target.sum() or 1.0)


def score(
    confusions: Counts | Cells,
    keys: Sequence[ScoreKey],
    prevalences: Sequence[Prevalence],
    label_set: LabelSet,
) -> Floats:
    """Scores of a stack of confusions, gold × predicted and *unanswered*, (..., C, C + 1); K keys give shape (K, ...).

    NaN where undefined. Which end of its range is best, a metric declares: see :func:`goodness`. UsageError when a key
    names a prevalence that is not given, and as :func:`margins_at` raises it.

    Two submissions to one gold, from tables 1 and 2 of Opitz & Burst 2019, of which each wins by one macro F1:

    >>> labels, keys = LabelSet(("a", "b")), [ScoreKey("averaged_f1"), ScoreKey("f1_of_averages")]
    >>> confusions = np.array([[[5, 5, 0], [10, 10, 0]], [[1, 9, 0], [1, 19, 0]]])
    >>> score(confusions, keys, [Prevalence("observed")], labels).round(3).tolist()
    [[0.486, 0.479], [0.5, 0.555]]
    """
    names = [prevalence.name for prevalence in prevalences]
    _check_prevalences(keys, names)
    if not keys:
        return np.empty((0, *_prevalence(confusions).shape[:-1]))
    metrics = list(dict.fromkeys(key.metric for key in keys))
    if isinstance(confusions, Cells):
        n_cells = len(label_set) * (len(label_set) + 1) * len(confusions)
    else:
        n_cells = np.size(confusions)
    step = max(1, _TOGETHER // max(1, n_cells))
    parts = []
    for start in range(0, len(prevalences), step):
        some = prevalences[start : start + step]
        margins = Margins.stacked([margins_at(confusions, each, label_set) for each in some])
        parts.append(score_each(metrics, margins, label_set))
    scores = np.concatenate(parts, axis=1)  # (metrics, prevalences, ...)
    rows = [metrics.index(key.metric) for key in keys]
    columns = [names.index(key.prevalence) for key in keys]
    return np.asarray(scores[rows, columns])


def _check_prevalences(keys: Sequence[ScoreKey], names: Sequence[str]) -> None:
    unknown = {key.prevalence for key in keys} - set(names)
    if not unknown:
        return
    name = min(unknown)
    known = f"are {listed(names)}"
    if len(names) == 1:
        known = f"is {names[0]} alone"
    raise UsageError(
        f"There is no prevalence {quoted(name)}.{did_you_mean(name, names)} There {known}."
    )


def goodness(scores: Floats, names: Sequence[str], label_set: LabelSet) -> Floats:
    """Scores by several metrics, turned so that higher is better by each."""
    scales = {name: scale_of(name, label_set) for name in dict.fromkeys(names)}
    if all(scale.greater_is_better for scale in scales.values()):
        return scores
    return np.stack([scales[name].goodness(row) for name, row in zip(names, scores, strict=True)])


def lost_classes(confusions: Counts | Cells, present: Bools) -> Bools:
    """Which confusions have lost all items of some class in gold, shape (...)."""
    return np.asarray(((_prevalence(confusions) == 0) & present).any(axis=-1))


def _prevalence(confusions: Counts | Cells) -> Counts:
    """Items of each gold class, shape (..., C)."""
    if isinstance(confusions, Cells):
        return confusions.prevalence
    return over_classes(confusions)


def _some(confusions: Counts | Cells, selected: Bools) -> Counts | Cells:
    if isinstance(confusions, Cells):
        return confusions.of_teams(selected)
    return confusions[selected]


def score_what_is_left(
    confusions: Counts | Cells,
    lost: Bools,
    keys: Sequence[ScoreKey],
    prevalences: Sequence[Prevalence],
    label_set: LabelSet,
) -> Floats:
    """Scores of confusions that may have lost items, over the classes in gold.

    Where a class has lost all of its items, the averages over classes and every score at another prevalence are
    undefined; where no item at all is left, everything is. Parameters and result are those of :func:`score`.
    """
    if not lost.any():
        return score(confusions, keys, prevalences, label_set)
    scores = np.full((len(keys), *lost.shape), np.nan)
    if not lost.all():
        scores[:, ~lost] = score(_some(confusions, ~lost), keys, prevalences, label_set)
    has_items = lost & (_prevalence(confusions).sum(axis=-1) > 0)
    if not has_items.any():
        return scores
    rows = []
    for row, key in enumerate(keys):
        needs_every_class = metric_of(key.metric, label_set).needs_every_class
        if key.prevalence == OBSERVED.name and not needs_every_class:
            rows.append(row)
    of_all_items = [keys[row] for row in rows]
    found = score(_some(confusions, has_items), of_all_items, [OBSERVED], label_set)
    for row, values in zip(rows, found, strict=True):
        scores[row, has_items] = values
    return scores


def score_margins(name: str, margins: Margins, label_set: LabelSet) -> Floats:
    """Scores by one metric, by its name in a key, from margins, shape (...)."""
    return _score_one(named_metric(name, label_set), margins, {})


def score_each(names: Sequence[str], margins: Margins, label_set: LabelSet) -> Floats:
    """Scores by several metrics from margins, shape (number of names, ...)."""
    by_class: dict[str, Floats] = {}
    return np.stack(
        [_score_one(named_metric(name, label_set), margins, by_class) for name in names]
    )


def _score_one(named: NamedMetric, margins: Margins, by_class: dict[str, Floats]) -> Floats:
    """One score: a class-wise kernel runs once for all classes, one over confusions where there are cells."""
    metric = named.metric
    if metric.over == "confusions" and margins.made is None:
        return np.full(margins.total.shape, np.nan)
    if metric.takes != "class" or not named.is_plain:
        return named.score(margins)
    if metric.slug not in by_class:
        by_class[metric.slug] = metric.kernel(margins)
    return by_class[metric.slug][..., named.code]


@dataclass(frozen=True, eq=False)
class Spread:
    """The spread of every team's class scores around their mean."""

    deviation: Floats
    """(...): over the averaged classes, divided by their number; NaN where there is none."""
    lowest: Floats  # (...)
    highest: Floats  # (...)


def spread_over_classes(
    confusions: Counts | Cells,
    key: ScoreKey,
    prevalences: Sequence[Prevalence],
    label_set: LabelSet,
) -> Spread | None:
    """The spread of the class scores behind a score, as terms of its average; None where it is no mean of any."""
    named = named_metric(key.metric, label_set)
    if not named.metric.mean_of:
        return None
    prevalence = next(each for each in prevalences if each.name == key.prevalence)
    margins = named.margins(margins_at(confusions, prevalence, label_set))
    terms = _terms(named.metric, margins)
    averaged = margins.averaged & ~np.isnan(terms)
    n_averaged = np.maximum(over_classes(averaged), 1)
    kept = np.where(averaged, terms, 0.0)
    mean = over_classes(kept) / n_averaged
    squares = np.where(averaged, (kept - mean[..., None]) ** 2, 0.0)
    deviation = np.sqrt(over_classes(squares) / n_averaged)
    lowest = np.where(averaged, terms, np.inf).min(axis=-1)
    highest = np.where(averaged, terms, -np.inf).max(axis=-1)
    has_classes = averaged.any(axis=-1)
    return Spread(
        np.where(has_classes, deviation, np.nan),
        np.where(has_classes, lowest, np.nan),
        np.where(has_classes, highest, np.nan),
    )


def spread_of(evaluation: Evaluation, key: ScoreKey) -> Spread | None:
    """The spread behind each entry's score, shape (T,), NaN where the score is undefined; None where it is no mean."""
    scored = ~np.isnan(evaluation.scores_of(key))
    labels = evaluation.task.label_set
    if not metric_of(key.metric, labels).mean_of:
        return None
    parts = np.full((3, scored.size), np.nan)
    if scored.any():
        spread = spread_over_classes(
            evaluation.cells.of_teams(scored), key, evaluation.prevalences, labels
        )
        assert spread is not None  # noqa: S101 - it is a mean
        parts[:, scored] = spread.deviation, spread.lowest, spread.highest
    return Spread(*parts)


def _terms(metric: Metric, margins: Margins) -> Floats:
    """The class scores as terms of their mean, shape (..., C); NaN for a class that is dropped from it."""
    terms = METRICS[metric.mean_of].kernel(margins).copy()
    # by itself a class without gold has no score
    absent = margins.averaged & (margins.prevalence == 0)
    codes = np.arange(terms.shape[-1])
    for code in np.flatnonzero(absent.reshape(-1, codes.size).any(axis=0)).tolist():
        terms[..., code] = metric.kernel(
            replace(margins, averaged=np.broadcast_to(codes == code, terms.shape))
        )
    return terms


class Masses(Protocol):
    """Confusions held by their cells, from which an influence is computed."""

    def row_means(self, column: Floats, diagonal: Floats, cells: Floats | None = None) -> Floats:
        """Mean over each gold row of a value by answer, one more where it is correct, and one by cell, shape (T, C)."""


@dataclass(frozen=True, eq=False)
class Influence:
    """Influence values of every cell of T confusions."""

    row: Floats  # (T, C): values by gold class
    scale: Floats  # (T, C)
    column: Floats  # (T, C + 1): values by answer, the last one *unanswered*
    diagonal: Floats  # (T, C)
    cells: Floats | None = None  # (T, C, C + 1): values by cell; None for a metric of margins alone

    def of_team(self, team: int) -> "Influence":
        """The influence for one team's confusion alone."""
        cells = self.cells
        if cells is not None:
            cells = cells[[team]]
        return Influence(
            self.row[[team]], self.scale[[team]], self.column[[team]], self.diagonal[[team]], cells
        )

    def at(self, gold: Counts, predicted: Counts) -> Floats:
        """Values of some cells, shape (T, U); gold and predicted have shape (U,)."""
        values = np.take(self.column, predicted, axis=1)
        if self.cells is not None:
            values += self.cells[:, gold, predicted]
        values *= np.take(self.scale, gold, axis=1)
        values += np.take(self.row, gold, axis=1)
        right = np.flatnonzero(gold == predicted)
        values[:, right] += self.diagonal[:, gold[right]]
        return values

    def of_gold(self, code: int) -> Floats:
        """Values of the answers to items of one gold class, shape (T, C + 1); exactly 0 where all parts cancel."""
        row = self.row[:, [code]]
        column = self.scale[:, [code]] * self.column
        values = row + column
        size = np.abs(row) + np.abs(column)
        if self.cells is not None:
            values = values + self.scale[:, [code]] * self.cells[:, code]
            size = size + np.abs(self.scale[:, [code]]) * self._largest_cell[:, None]
        values[:, code] += self.diagonal[:, code]
        size[:, code] += np.abs(self.diagonal[:, code])
        values[np.abs(values) <= _ROUNDING * size] = 0.0
        return np.asarray(values)

    @cached_property
    def _largest_cell(self) -> Floats:
        """The largest value by cell of each team, shape (T,), beside which rounding is known as such."""
        return np.asarray(np.abs(np.asarray(self.cells)).max(axis=(1, 2)))

    @property
    def bound(self) -> Floats:
        """An upper bound of the absolute values of each team, shape (T,)."""
        largest = np.abs(self.column).max(axis=-1, keepdims=True)
        if self.cells is not None:
            largest = largest + np.abs(self.cells).max(axis=-1)
        of_classes = np.abs(self.row) + np.abs(self.scale) * largest + np.abs(self.diagonal)
        return np.asarray(of_classes.max(axis=-1))


def gradient_of(name: str, margins: Margins, label_set: LabelSet) -> Gradient:
    """The gradient of a score, by the name that a key has for it."""
    return named_metric(name, label_set).gradient(margins)


def row_scale(prevalence: Counts, shares: Floats) -> Floats:
    """Factors of the gold rows that give classes their shares of all items, shape (T, C); 0 for a class without any."""
    return ratio(over_classes(prevalence)[..., None] * shares, prevalence)


def influence(
    gradient: Gradient, masses: Masses, scale: Floats | None = None, *, stratified: bool = False
) -> Influence:
    """Influence values from a score's gradient at the margins of some masses, with their scale.

    The scale, shape (T, C), has the factors of the gold rows, as `row_scale` gives them; None at observed prevalence.
    Where class counts are fixed by design, what an item adds is measured from the mean of its class.

    The influence of right and wrong answers on accuracy, with two of three items right: (1 - 2/3)/3 and -(2/3)/3.

    >>> from audit.domain import Cells, LabelSet
    >>> cells = Cells.of(np.array([[[1, 1, 0], [0, 1, 0]]]))
    >>> slopes = gradient_of("accuracy", Margins.of_cells(cells), LabelSet(("a", "b")))
    >>> influence(slopes, cells).of_gold(0).round(3).tolist()
    [[0.111, -0.222, -0.222]]
    """
    column = np.concatenate([gradient.bias, gradient.unanswered[..., None]], axis=-1)
    ones = np.ones(gradient.correct.shape)
    if scale is None and not stratified:
        row = gradient.prevalence + gradient.total[..., None]
        return Influence(row, ones, column, gradient.correct, gradient.cells)
    # A row that keeps its mass: what one more item adds to one cell is taken from all cells of the row.
    if scale is None:
        factor = ones
    else:
        factor = scale
    means = masses.row_means(column, gradient.correct, gradient.cells)
    return Influence(-factor * means, factor, column, factor * gradient.correct, gradient.cells)
