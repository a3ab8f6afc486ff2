"""Intervals of every score of an evaluation: of labels, of scores of single items, and of means of both."""

from dataclasses import replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from audit.domain import MARKS, Evaluation, Intervals, Mark, ScoreKey
from audit.domain.arrays import Counts, Floats, Ints
from audit.inference.items import Items, worth_of
from audit.inference.label_intervals import (
    FEWEST_ITEMS,
    IntervalInputs,
    IntervalsAtPrevalence,
    Scored,
    first_marks,
)
from audit.inference.label_source import LabelSource
from audit.inference.mean_source import MeanSource, SourceOfOne, source_of
from audit.inference.number_intervals import number_ends
from audit.inference.number_source import NumberSource
from audit.inference.proportion_intervals import quantile_of, quantile_with_freedom, wilson
from audit.inference.sources import ItemScoreSource
from audit.metrics import metric_of, named_metric


def intervals_of(
    scored: Scored, items: Items | None = None, quantile: float | None = None
) -> Intervals:
    """Intervals of every score of every team, of 95% unless a quantile is given; and of Δ, one-sided."""
    inputs = IntervalInputs(scored, items, quantile)
    return Intervals(*inputs.ends(), *inputs.gap_upper())


def scored_of(evaluation: Evaluation) -> Scored:
    """The scores of an evaluation, as `intervals_of` takes them."""
    return Scored(
        cells=evaluation.cells,
        keys=evaluation.keys,
        values=evaluation.values,
        prevalences=evaluation.prevalences,
        label_set=evaluation.task.label_set,
        stratified=evaluation.gold.stratified,
        gold=evaluation.prevalence_counts,
    )


def ends_of_entries(
    evaluation: Evaluation, key: ScoreKey, entries: Ints, items: Items, quantile: float
) -> tuple[Floats, Floats]:
    """Ends of some entries' intervals by one score, with a stated quantile; NaN where it is marked."""
    if metric_of(key.metric, evaluation.task.label_set).of_item_scores:
        lower, upper, _ = item_score_ends(evaluation, key, entries, items, quantile)
        return lower, upper
    scored = replace(
        scored_of(evaluation),
        cells=evaluation.cells.of_teams(entries),
        keys=(key,),
        prevalences=tuple(each for each in evaluation.prevalences if each.name == key.prevalence),
        values=evaluation.scores_of(key)[None, entries],
    )
    inputs = IntervalInputs(scored, items.of_teams(entries), quantile)
    (lower,), (upper,), *_ = inputs.ends()
    return lower, upper


def intervals_of_evaluation(
    evaluation: Evaluation, items: Items, *, grouped: bool = True
) -> Intervals:
    """The intervals of every score of an evaluation, those of scores of single items too."""
    if grouped:
        intervals = intervals_of(scored_of(evaluation), items)
        drawn = items
    else:
        intervals = intervals_of(scored_of(evaluation))
        drawn = replace(items, groups=None, n_groups=0)
    for row, key in enumerate(evaluation.keys):
        metric = metric_of(key.metric, evaluation.task.label_set)
        entries = np.flatnonzero(~np.isnan(evaluation.values[row]))
        if evaluation.item_scores is not None and metric.of_item_scores:
            quantile = quantile_of(drawn.n_groups)
            lower, upper, marks = item_score_ends(evaluation, key, entries, drawn, quantile)
            intervals.lower[row, entries] = lower
            intervals.upper[row, entries] = upper
            intervals.marks[row, entries] = marks
        elif metric.of_ranks:
            intervals.marks[row, entries] = MARKS.index(Mark.MEAN_OF_RANKS)
    return intervals


def item_score_ends(
    evaluation: Evaluation, key: ScoreKey, entries: Counts, items: Items, quantile: float
) -> tuple[Floats, Floats, NDArray[np.uint8]]:
    """Ends of some entries' intervals by scores of single items, alone or in a mean; and marks, (t,)."""
    if not len(entries):
        return np.zeros(0), np.zeros(0), np.zeros(0, np.uint8)
    labels = evaluation.task.label_set
    source = source_of(evaluation, key, items, entries)
    if isinstance(source, NumberSource) and not source.is_bounded:
        return number_ends(source, quantile, items.n_groups)
    if isinstance(source, MeanSource):
        parts = source.parts
    else:
        parts = (source,)
    marks_of_parts = []
    shares_of_parts = []
    n_items_of_parts = []
    for part in parts:
        part_marks, part_shares, part_n_items = _part_inputs(evaluation, part)
        marks_of_parts.append(part_marks)
        shares_of_parts.append(part_shares)
        n_items_of_parts.append(part_n_items)
    marks = reduce(first_marks, marks_of_parts)
    if items.n_groups == 1:
        marks[:] = MARKS.index(Mark.FEW_GROUPS)

    n_effective = n_items_of_parts[0]
    if isinstance(source, MeanSource):
        metrics = [metric_of(part.metric, labels) for part in source.keys]
        widths = np.array([metric.upper - metric.lower for metric in metrics])
        n_effective = source.n_effective(
            np.stack(shares_of_parts), np.stack(n_items_of_parts), widths
        )
    own_quantile: Floats | float = quantile
    if items.n_groups:
        n_effective = n_effective / source.design_effect()
        freedom = worth_of(source.leverage) - 1
        own_quantile = quantile_with_freedom(quantile, items.n_groups, freedom)

    whole = metric_of(key.metric, labels)
    width = whole.upper - whole.lower
    share = (evaluation.scores_of(key)[entries] - whole.lower) / width
    lower, upper = wilson(share, np.maximum(n_effective, 1.0), own_quantile)
    is_marked = marks > 0
    lower = np.where(is_marked, np.nan, whole.lower + width * lower)
    upper = np.where(is_marked, np.nan, whole.lower + width * upper)
    return lower, upper, marks


def _part_inputs(
    evaluation: Evaluation, part: SourceOfOne
) -> tuple[NDArray[np.uint8], Floats, Floats]:
    """What an interval of a mean takes of one of its scores, or of the only one, of t entries.

    Why it has no interval, as an index into MARKS; the score as a share of its range; the effective
    number of items.
    """
    if not isinstance(part, LabelSource):
        marks = np.zeros(len(part.values), np.uint8)
        if isinstance(part, ItemScoreSource) and (part.class_sizes < FEWEST_ITEMS).any():
            marks[:] = MARKS.index(Mark.RARE_CLASS)
        return marks, part.smoothed_values, part.n_effective
    scored = replace(
        scored_of(evaluation),
        cells=evaluation.cells.of_teams(part.entries),
        values=evaluation.values[:, part.entries],
    )
    prevalence = evaluation.prevalence_of(part.key)
    view = IntervalsAtPrevalence(IntervalInputs(scored, None, None), prevalence)
    named = named_metric(part.key.metric, evaluation.task.label_set)
    values = named.score(view.seldom.margins)
    return view.marks_of_mean(named), *view.effective_with_moves(named, values)
