"""Intervals of every score from confusions alone: Wilson's, with an effective number of items.

The variance is that of the delta method at a confusion with a few pseudo-items (:mod:`audit.inference.smoothing`; for
macro F1 the delta method is that of Takahashi et al. 2022). It says of how many items a proportion would vary as much
(Korn and Graubard 1998; Franco et al. 2019), and Wilson's interval is that of this proportion.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from audit.domain import (
    MARKS,
    OBSERVED,
    Evaluation,
    Feature,
    Intervals,
    LabelSet,
    Mark,
    Prevalence,
    ScoreKey,
    Undefined,
)
from audit.domain.arrays import Bools, Counts, Floats, Ints
from audit.inference.items import Items, leverage_of, worth_of
from audit.inference.label_source import LabelSource
from audit.inference.mean_source import MeanSource, SourceOfOne, source_of
from audit.inference.seldom_predicted import FEWEST_ANSWERS, Function, SeldomPredicted
from audit.inference.smoothing import Smoothed, SmoothedScale, SmoothedSets
from audit.inference.sources import ItemScoreSource
from audit.metrics import (
    BOTH_MACRO_F1,
    METRICS,
    Cells,
    Influence,
    Margins,
    Metric,
    NamedMetric,
    answered_margins,
    influence,
    metric_of,
    named_metric,
    prevalence_shares,
    row_scale,
)
from audit.metrics.confusion import over_classes, ratio
from audit.metrics.elementary import exponential, logarithm

if TYPE_CHECKING:
    from audit.metrics.metric import Proportion

_TWO_SIDED, _ONE_SIDED = 0.975, 0.95
_FEWEST_ITEMS = 5  # below so many gold items of an averaged class no interval of some scores holds its level
_MANY_AVERAGED = 20  # averaged classes from which on one rare class marks a score, and products of recalls need hits
_HITS_BY_CLASS = 0.5  # right answers for every class that each of many classes needs, where recalls are multiplied

_FEWEST_CARRYING = 3.0  # of units: where one or two carry the variance of a score, no interval holds its level
_NO_VARIANCE = 1e-18  # a sum of squares that is rounding: a team without an error
_FEWEST_FREE = 2.0  # degrees of freedom of Student's quantile, however uneven groups are
_LEAST_FREEDOM = 4.0  # of Student's quantile where many units could err and few do
_CONSTANT = 1e-6  # a variance below this share of that of one item among N, squared, is rounding: the score cannot vary
_FEW_HITS = 3  # of a recall that could well be near to 0
_MANY_ITEMS = 50  # from here on three items of one sort are few, else two
_ROUNDING = 1e-9  # of a count of items
_NO_SPREAD = 1e-12  # far below y(1 - y) of any score y that can vary


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores whose intervals are wanted."""

    cells: Cells  # gold × predicted counts of T confusions
    keys: Sequence[ScoreKey]
    values: Floats  # (K, T): the scores; NaN where undefined
    prevalences: Sequence[Prevalence]  # every prevalence that a key names
    label_set: LabelSet
    stratified: bool = False  # whether class counts are fixed by design
    gold: Counts | None = None  # (C,): gold items of each class


def wilson(share: Floats, n_items: Floats, quantile: Floats | float) -> tuple[Floats, Floats]:
    """Wilson's score interval of a share of a number of items: lower and upper ends, inside [0, 1]."""
    weight = quantile**2 / n_items
    centre = (share + weight / 2) / (1 + weight)
    half = np.sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight)
    # The share lies inside, apart from rounding errors.
    return np.minimum(np.maximum(centre - half, 0.0), share), np.maximum(np.minimum(centre + half, 1.0), share)


def share_ends(share: Floats, n_items: Floats, quantile: Floats | float) -> tuple[Floats, Floats]:
    """Wilson's interval of a share of items, modified by Brown, Cai and DasGupta (2001) where few are of one sort.

    A true share so near to 0 that one or two items of that sort are seldom seen lies below Wilson's lower end when they
    are: there the Poisson distribution's one-sided end is taken. Likewise near to 1.
    """
    from scipy.special import gammaincinv, ndtr  # noqa: PLC0415 - a command without certainty does not wait for it

    lower, upper = wilson(share, n_items, quantile)
    most, level = np.where(n_items > _MANY_ITEMS, 3, 2) + _ROUNDING, 2 * ndtr(-np.asarray(quantile))
    counts = n_items * np.stack([share, 1 - share])
    is_few = (counts > _ROUNDING) & (counts < most)
    fewest = gammaincinv(np.where(is_few, counts, 1.0), level) / n_items
    from_zero, from_one = np.where(is_few, fewest, np.inf)
    return np.minimum(lower, from_zero), np.maximum(upper, 1 - from_one)


def intervals_of(scored: Scored, items: Items | None = None, quantile: float | None = None) -> Intervals:
    """Intervals of every score of every team, of 95% where no quantile is given; and of Δ, one-sided."""
    reckoning = _Reckoning(scored, items, quantile)
    return Intervals(*reckoning.ends(), *reckoning.gap_upper())


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
    """Ends of some entries' intervals by one score, with another quantile than that of 95%; NaN where it is marked."""
    if metric_of(key.metric, evaluation.task.label_set).of_item_scores:
        lower, upper, _ = item_score_ends(evaluation, key, entries, items, quantile)
        return lower, upper
    of_entries = replace(
        scored_of(evaluation),
        cells=evaluation.cells.of_teams(entries),
        keys=(key,),
        prevalences=tuple(each for each in evaluation.prevalences if each.name == key.prevalence),
        values=evaluation.scores_of(key)[None, entries],
    )
    (lower,), (upper,), *_ = _Reckoning(of_entries, items.of_teams(entries), quantile).ends()
    return lower, upper


def intervals_of_evaluation(evaluation: Evaluation, items: Items, *, grouped: bool = True) -> Intervals:
    """The intervals of every score of an evaluation, those of scores of single items too."""
    all_intervals = intervals_of(scored_of(evaluation), items if grouped else None)
    drawn = items if grouped else replace(items, groups=None, n_groups=0)
    for row, key in enumerate(evaluation.keys):
        metric = metric_of(key.metric, evaluation.task.label_set)
        if evaluation.item_scores is not None and metric.of_item_scores:
            entries = np.flatnonzero(~np.isnan(evaluation.values[row]))
            lower, upper, marks = item_score_ends(evaluation, key, entries, drawn, quantile_of(drawn.n_groups))
            all_intervals.lower[row, entries], all_intervals.upper[row, entries], all_intervals.marks[row, entries] = (
                lower,
                upper,
                marks,
            )
        elif metric.of_ranks:
            all_intervals.marks[row, ~np.isnan(evaluation.values[row])] = MARKS.index(Mark.MEAN_OF_RANKS)
    return all_intervals


def item_score_ends(
    evaluation: Evaluation, key: ScoreKey, entries: Counts, items: Items, quantile: float
) -> tuple[Floats, Floats, NDArray[np.uint8]]:
    """Ends of the intervals of some entries by scores of single items, alone or in a mean; and marks, (t,) each."""
    marks = np.zeros(len(entries), np.uint8)
    if not len(entries):
        return np.zeros(0), np.zeros(0), marks
    source, whole = source_of(evaluation, key, items, entries), metric_of(key.metric, evaluation.task.label_set)
    parts = source.parts if isinstance(source, MeanSource) else (source,)
    marks_of, shares, n_items = map(np.stack, zip(*(_of_part(evaluation, part) for part in parts), strict=True))
    marks = reduce(_first_mark, marks_of)
    if items.n_groups == 1:
        marks[:] = MARKS.index(Mark.FEW_GROUPS)
    width = whole.upper - whole.lower
    n_effective = n_items[0]
    if isinstance(source, MeanSource):
        ranges = [metric_of(part.metric, evaluation.task.label_set) for part in source.keys]
        n_effective = source.n_effective(shares, n_items, np.array([each.upper - each.lower for each in ranges]))
    own_quantile: Floats | float = quantile
    if items.n_groups:
        n_effective = n_effective / source.design_effect()
        own_quantile = of_freedom(quantile, items.n_groups, worth_of(source.leverage) - 1)
    share = (evaluation.scores_of(key)[entries] - whole.lower) / width
    ends = [whole.lower + width * end for end in wilson(share, np.maximum(n_effective, 1.0), own_quantile)]
    lower, upper = (np.where(marks > 0, np.nan, end) for end in ends)
    return lower, upper, marks


def _first_mark(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Of two marks of each entry the first one, if there is any."""
    return np.where(one > 0, one, other).astype(np.uint8)


def _of_part(evaluation: Evaluation, part: SourceOfOne) -> tuple[NDArray[np.uint8], Floats, Floats]:
    """What an interval of a mean takes of one of its scores, or of the only one, of t entries.

    Why it has no interval, as an index into MARKS; the score as a share of its range; the effective number of items.
    """
    if not isinstance(part, LabelSource):
        is_rare = isinstance(part, ItemScoreSource) and part.class_sizes.min(initial=_FEWEST_ITEMS) < _FEWEST_ITEMS
        marks = np.full(len(part.values), MARKS.index(Mark.RARE_CLASS) if is_rare else 0, np.uint8)
        return marks, part.smoothed_values, part.n_effective
    cells, labels = evaluation.cells.of_teams(part.entries), evaluation.task.label_set
    scored = replace(scored_of(evaluation), cells=cells, values=evaluation.values[:, part.entries])
    prevalence = next(each for each in evaluation.prevalences if each.name == part.key.prevalence)
    view, named = _View(_Reckoning(scored, None, None), prevalence), named_metric(part.key.metric, labels)
    return view.marks_of_mean(named), *view.effective_with_moves(named, named.score(view.seldom.margins))


def quantile_of(n_groups: int, probability: float = _TWO_SIDED) -> float:
    """Quantile of the standard normal, or of Student's distribution where few groups were drawn."""
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415 - a command without certainty does not wait for it

    return float(ndtri(probability) if n_groups == 0 else stdtrit(max(n_groups - 1, 1), probability))


def of_freedom(quantile: float, n_groups: int, freedom: Floats) -> Floats:
    """A quantile of Student's distribution with other degrees of freedom than one fewer than there are groups."""
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - a command without certainty does not wait for it

    most = max(n_groups - 1, 1)
    return np.asarray(stdtrit(np.clip(freedom, min(_FEWEST_FREE, most), most), stdtr(most, quantile)))


def two_sided_p(t: Floats, n_groups: int) -> Floats:
    """Two-sided p of |difference| / standard error by the same distribution as :func:`quantile_of`."""
    from scipy.special import ndtr, stdtr  # noqa: PLC0415 - a command without certainty does not wait for it

    return np.asarray(2 * (ndtr(-t) if n_groups == 0 else stdtr(max(n_groups - 1, 1), -t)))


class _Reckoning:
    """All scores of all teams, with what the prevalences share."""

    def __init__(self, scored: Scored, items: Items | None, quantile: float | None) -> None:
        items = items if items is not None and items.groups is not None else None  # else each was drawn by itself
        self.scored, self.items = scored, items
        self.cells = scored.cells
        self.has_units = scored.label_set.supports(Feature.UNITS)
        self.smoothed = SmoothedSets.of(self.cells) if self.has_units else Smoothed.of(self.cells)
        self.pooled = SmoothedSets.of(self.cells, pooled=True) if self.has_units else None
        self.margins = Margins.of_cells(self.cells)
        n_scored = scored.label_set.n_scored
        self.n_gold = over_classes(self.margins.prevalence[..., :n_scored])  # gold items, or things in gold sets
        self.n_groups = 0 if items is None else items.n_groups
        self.quantile = quantile_of(self.n_groups) if quantile is None else quantile
        self.gold = scored.cells.prevalence.sum(axis=0) if scored.gold is None else scored.gold

    def ends(self) -> tuple[Floats, Floats, Floats, NDArray[np.uint8]]:
        """Lower and upper ends of all scores, upper ones without what is never predicted, and marks, (K, T) each."""
        scored, shape = self.scored, self.scored.values.shape
        (lower, upper, given), marks = np.full((3, *shape), np.nan), np.zeros(shape, dtype=np.uint8)
        for prevalence in scored.prevalences:
            view = _View(self, prevalence)
            for row, key in enumerate(scored.keys):
                named = named_metric(key.metric, scored.label_set)
                if key.prevalence == prevalence.name and named.metric.of_labels:
                    marks[row] = view.marks(named)
                    lower[row], upper[row], given[row] = view.ends(key.metric, scored.values[row])
                    for few, mark in view.few_in_sets(named, key.metric):
                        marks[row, few] = MARKS.index(mark)
                        lower[row, few] = upper[row, few] = np.nan
        if self.n_groups == 1:
            marks[:] = MARKS.index(Mark.FEW_GROUPS)
            lower[:] = upper[:] = np.nan
        undefined = np.isnan(scored.values)
        marks[undefined] = 0
        lower[undefined] = upper[undefined] = np.nan
        given[~(given < upper)] = np.nan
        return lower, upper, given, marks

    def gap_upper(self) -> tuple[Floats, NDArray[np.uint8]]:
        """Upper end of the one-sided interval of Δ, and a mark where it is missing or rough."""
        view, labels = _View(self, OBSERVED), self.scored.label_set
        whole = (self.margins.prevalence > 0)[:, self.gold > 0].all(axis=-1)
        averaged, of_averages = (named_metric(slug, labels) for slug in BOTH_MACRO_F1)
        marks = np.where(self.n_groups == 1, MARKS.index(Mark.FEW_GROUPS), view.marks(averaged)) * whole
        gap = Function.of(of_averages).gap_to(Function.of(averaged))
        values, quantile = gap.score(self.margins), quantile_of(self.n_groups, _ONE_SIDED)
        design = view.design_effect(gap, BOTH_MACRO_F1[0])
        upper = view.by_delta_method(gap, values, quantile, design)[1]
        seldom = view.seldom
        if (few := seldom.where(averaged)).any():
            held = seldom.held(of_averages).gap_to(seldom.held(averaged))
            most = held.moves.ends(values, *view.by_delta_method(held.function, values, quantile, design))[1]
            upper = np.where(few, np.minimum(np.maximum(upper, most), gap.upper), upper)
        return np.where(whole & (self.n_groups != 1), upper, np.nan), marks.astype(np.uint8)


class _View:
    """The confusions at one prevalence: with and without pseudo-items, and what the scores of classes share."""

    def __init__(self, reckoning: _Reckoning, prevalence: Prevalence) -> None:
        self.of, self.prevalence = reckoning, prevalence
        scored = reckoning.scored
        self.shares = prevalence_shares(prevalence, reckoning.gold, scored.label_set)
        observed = prevalence.name == OBSERVED.name
        self.scale = None if observed else row_scale(reckoning.margins.prevalence, self.shares)
        self.margins = reckoning.smoothed.margins(self.scale)
        self.is_observed = observed
        self.carrying: dict[str, Floats] = {}
        self.class_ends: dict[str, tuple[Floats, Floats]] = {}
        self.seldom_ends: dict[tuple[str, bool], tuple[Floats, Floats]] = {}
        at = reckoning.margins if observed else Margins.of_cells(reckoning.cells, self.scale)
        self.seldom = SeldomPredicted(at, reckoning.margins.bias, self._ends_of_seldom, self._terms)

    def ends(self, name: str, values: Floats) -> tuple[Floats, Floats, Floats]:
        """Lower and upper ends of one score of every team, and the upper one without the never predicted, (T,) each."""
        named = named_metric(name, self.of.scored.label_set)
        if named.metric.takes == "class":
            lower, upper = self._ends_of_class(named, name, values)
            return lower, upper, upper
        function = Function.of(named)
        design, quantile = self.design_effect(function, name), self.quantile(function, name)
        if named.metric.proportion and self.is_observed:
            trials = named.metric.proportion(self.of.margins)[1]
            lower, upper = share_ends(values, np.maximum(trials / design, 1.0), quantile)
        else:
            lower, upper = self.by_delta_method(function, values, quantile, design)
        if named.metric.terms == "product of recalls":
            lower, upper = self._of_product(named, values, lower, upper)
        given = upper
        if (few := self.seldom.where(named)).any():
            lower, upper, given = self._wider(named, values, (lower, upper), few, (quantile, design))
        if any(each.metric.terms == "product of recalls" or each.n_below for each in named.scores):
            missing = self.marks(named) > 0
            lower, upper, given = (np.where(missing, np.nan, end) for end in (lower, upper, given))
        return lower, upper, given

    def _wider(
        self,
        named: NamedMetric,
        values: Floats,
        ends: tuple[Floats, Floats],
        few: Bools,
        drawn: tuple[Floats | float, Floats | float],  # the quantile, and the design effect
    ) -> tuple[Floats, Floats, Floats]:
        """The wider one, end by end, of an interval and that with seldom predicted classes moved."""
        held = self.seldom.held(named)
        inner = self.by_delta_method(held.function, values, *drawn)
        least, most, given = held.moves.ends(values, *inner, greater_is_better=named.metric.greater_is_better)
        lower, upper = ends
        lower = np.where(few, np.maximum(np.minimum(lower, least), named.metric.lower), lower)
        wider, given = (np.minimum(np.maximum(upper, end), named.metric.upper) for end in (most, given))
        return lower, np.where(few, wider, upper), np.where(few, given, upper)

    def _ends_of_class(self, named: NamedMetric, name: str, values: Floats) -> tuple[Floats, Floats]:
        metric, few = named.metric, self.of.margins.bias[:, named.code] < FEWEST_ANSWERS
        if metric.proportion:
            lower, upper = (ends[:, named.code] for ends in self.ends_by_class(metric.slug))
        else:
            function = Function.of(named)
            lower, upper = self.by_delta_method(function, values, self.of.quantile, self.design_effect(function, name))
            if few.any():
                moved = (ends[:, named.code] for ends in self.ends_by_class(metric.slug))
                lower, upper = (np.where(few, *both) for both in zip(moved, (lower, upper), strict=True))
        if named.reading.undefined is Undefined.ZERO or metric.terms == "recalls":
            return lower, upper
        return np.where(few, metric.lower, lower), np.where(few, metric.upper, upper)  # one answer less: another value

    def marks(self, named: NamedMetric) -> NDArray[np.uint8]:
        """Why the interval of a metric is missing or rough, of every team, shape (T,), as an index into MARKS."""
        of = self.of
        if named.parts:
            return self.marks_of_mean(named)
        if named.n_below and not named.metric.proportion:
            return self._marks_of_cut(named.n_below)
        terms = self._terms(named)
        if named.metric.takes == "class" or not terms:
            return np.zeros(len(of.margins.total), dtype=np.uint8)
        averaged, in_gold = named.margins(of.margins).averaged, of.margins.prevalence > 0
        n_items = of.margins.prevalence
        if named.metric.abstention == "left out" and named.metric.terms:  # few may be answered where gold has many
            n_items = answered_margins(of.margins).prevalence
        averaged = averaged & in_gold
        rare = ((n_items < _FEWEST_ITEMS) & averaged).any(axis=-1)
        n_averaged = over_classes(averaged)
        many = n_averaged >= _MANY_AVERAGED
        few_hits = many & ((of.margins.correct < _HITS_BY_CLASS * n_averaged[..., None]) & averaged).any(axis=-1)
        mark_codes = np.zeros(rare.shape, dtype=np.uint8)
        mark_codes[few_hits & (terms == "product of recalls")] = MARKS.index(Mark.FEW_HITS)
        mark_codes[rare & (many | (terms == "product of recalls"))] = MARKS.index(Mark.RARE_CLASS)
        return mark_codes

    def _marks_of_cut(self, n_below: int) -> NDArray[np.uint8]:
        """The marks of a scale cut in two: of teams with few answers, or gold items, in one half."""
        margins, parts = self.of.margins, (slice(n_below), slice(n_below, None))
        halves = (counts[:, part].sum(axis=1) for counts in (margins.bias, margins.prevalence) for part in parts)
        return np.where(np.min(list(halves), axis=0) < FEWEST_ANSWERS, MARKS.index(Mark.FEW_ANSWERS), 0).astype(
            np.uint8
        )

    def marks_of_mean(self, named: NamedMetric) -> NDArray[np.uint8]:
        """The marks of a mean of scores, or of one in it: for each team that of the first score that has one."""
        mark_codes = np.zeros(len(self.margins.total), dtype=np.uint8)
        for part in named.scores:
            own = self.marks(part)
            if part.metric.terms == "product of recalls":
                margins = part.margins(self.of.margins)
                own[((margins.correct == 0) & margins.averaged).any(axis=-1)] = MARKS.index(Mark.FEW_HITS)
            mark_codes = _first_mark(mark_codes, own)
        return mark_codes

    def _terms(self, named: NamedMetric) -> str:
        """The terms that a score averages over classes at this prevalence: balanced accuracy is macro recall."""
        metric = named.metric
        if named.counts_predicted:
            return "precisions"
        if metric.terms or metric.takes == "class" or self.is_observed:
            return metric.terms
        return metric.calibrated_terms

    def by_delta_method(
        self, function: Function, values: Floats, quantile: Floats | float, design: Floats | float
    ) -> tuple[Floats, Floats]:
        """Wilson's interval with the number of items for which a proportion would vary as the score does."""
        width = function.upper - function.lower
        n_items = self.effective(function, values)[1] / design
        share = ratio(values - function.lower, width)
        lower, upper = wilson(share, np.maximum(n_items, 1.0), quantile)
        return function.lower + width * lower, function.lower + width * upper

    def effective(self, function: Function, values: Floats) -> tuple[Floats, Floats]:
        """The score with pseudo-items, as a share of its range, and its effective number of items, shape (T,) each."""
        if function.pools and self.of.pooled is not None:
            return self._effective(function, values, self.of.pooled)
        smoothing = SmoothedScale if function.on_scale else type(self.of.smoothed)
        mass = smoothing.of(self.of.cells) if function.on_scale else self.of.smoothed
        smoothed, n_items = self._effective(function, values, mass)
        still = (np.isinf(n_items) | function.on_scale) & (over_classes(self.of.margins.bias > 0) == 1)
        if not still.any():
            return smoothed, n_items
        # What always answering with one class scores by construction, a team that may answer otherwise need not score.
        moving = self._effective(function, values, smoothing.of(self.of.cells, everywhere=True))
        return np.where(still, moving[0], smoothed), np.where(still, moving[1], n_items)

    def _effective(
        self, function: Function, values: Floats, mass: Smoothed | SmoothedScale | SmoothedSets
    ) -> tuple[Floats, Floats]:
        width, margins = function.upper - function.lower, mass.margins(self.scale)
        gradient, cells = function.gradient(margins), self.of.cells if isinstance(mass, SmoothedSets) else mass
        slopes = influence(gradient, cells, self.scale, stratified=self.of.scored.stratified)
        variance = ratio(ratio(mass.sum_of_squares(slopes), width), width)
        smoothed = ratio(function.score(margins) - function.lower, width)
        share = ratio(values - function.lower, width)
        return smoothed, _effective(smoothed, variance, share, self.of.n_gold)

    def effective_with_moves(self, named: NamedMetric, values: Floats) -> tuple[Floats, Floats]:
        """Likewise, but of as many items as an interval as wide as that with seldom predicted classes moved is of."""
        function, few = Function.of(named), self.seldom.where(named)
        smoothed, n_items = self.effective(function, values)
        if not few.any():
            return smoothed, n_items
        usual = self.by_delta_method(function, values, self.of.quantile, 1.0)
        lower, upper, _ = self._wider(named, values, usual, few, (self.of.quantile, 1.0))
        width = function.upper - function.lower
        middle, half = ((upper + lower) / 2 - function.lower) / width, (upper - lower) / (2 * self.of.quantile * width)
        n_wider = np.maximum(np.minimum(ratio(middle * (1 - middle), half**2), n_items), 1.0)
        return np.where(few, middle, smoothed), np.where(few, n_wider, n_items)

    def slopes(self, function: Function) -> Influence:
        """The slope of the score in each answer, without pseudo-items."""
        cells = self.of.cells
        gradient = function.gradient(self.seldom.margins)
        return influence(gradient, cells, self.scale, stratified=self.of.scored.stratified)

    def design_effect(self, function: Function, name: str) -> Floats | float:
        """The factor by which groups increase the variance of a score, in which they weigh as in the named one."""
        items = self.of.items
        if items is None:
            return 1.0
        return items.design_effect(self.slopes(function), self._leverage(items, name))

    def quantile(self, function: Function, name: str) -> Floats | float:
        """The quantile of a score, shape (T,): Student's, with the freedom of as many groups as they are worth.

        Of sets no more than that of the units that carry errors.
        """
        items = self.of.items
        if items is None:
            return self.of.quantile
        freedom = worth_of(self._leverage(items, name)) - 1
        if self.of.has_units:
            freedom = np.minimum(freedom, np.maximum(self._n_carrying(items, function, name), _LEAST_FREEDOM))
        return of_freedom(self.of.quantile, items.n_groups, freedom)

    def _n_carrying(self, items: Items, function: Function, name: str) -> Floats:
        """How many units carry the variance of a score, E = (Σψ²)² / Σψ⁴, shape (T,); 0 where there is no error.

        ψ is what a unit adds to the score. It is not divided by 1 - leverage, which a variance needs: that would say
        of one large unit that it carries nearly all, though others err as much.
        """
        if name not in self.carrying:
            no_leverage = np.zeros((1, items.n_groups))
            squares = items.by_group(self.slopes(function), no_leverage) ** 2
            total = squares.sum(axis=-1)
            varies = total > _NO_VARIANCE
            self.carrying[name] = np.where(varies, ratio(total**2, (squares**2).sum(axis=-1)), 0.0)
        return self.carrying[name]

    def _leverage(self, items: Items, name: str) -> Floats:
        return leverage_of(named_metric(name, self.of.scored.label_set), items, self.shares, self.scale)

    def few_in_sets(self, named: NamedMetric, name: str) -> Iterator[tuple[Bools, Mark]]:
        """The teams whose score of whole sets has no interval, shape (T,), for each of two reasons.

        One or two units carry its variance; or the team's sets have few things in all, of which too little is known.
        """
        items, labels = self.of.items, self.of.scored.label_set
        if items is None or not self.of.has_units or named.metric.takes == "class":
            return
        n_carrying = self._n_carrying(items, Function.of(named), name)
        yield (n_carrying > 0) & (n_carrying < _FEWEST_CARRYING), Mark.FEW_UNITS
        n_things = over_classes(self.of.margins.bias[:, : labels.rest_code])
        yield n_things < FEWEST_ANSWERS, Mark.FEW_THINGS

    def _of_product(self, named: NamedMetric, values: Floats, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """The interval of a product of recalls, which is [0, U] where one of them is 0."""
        scale = named.metric.scale
        upper_end = self._from_zero(named.margins(self.of.margins).averaged)
        missed, ends = scale.goodness(values) == 0, (scale.goodness(0.0), scale.goodness(upper_end))
        least, most = ends if scale.greater_is_better else ends[::-1]
        lower, upper = self._of_few_hits(named, values, lower, upper)
        return np.where(missed, least, lower), np.where(missed, most, upper)

    def _of_few_hits(self, named: NamedMetric, values: Floats, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """The wider one, end by end, of an interval and that by MOVER over the recalls that rest on a few hits.

        By such a recall the score is not nearly linear, as the delta method takes it to be: it could be a tenth of it.
        """
        margins = named.margins(self.of.margins)
        fewest = self.ends_by_class("recall")[0] * margins.prevalence
        few = margins.averaged & (margins.correct > 0) & (margins.correct <= _FEW_HITS)
        worse = np.zeros(len(values))
        for code in np.flatnonzero(few.any(axis=0)):
            moved = few & (np.arange(few.shape[-1]) == code)
            worse += (
                values - named.score(replace(self.of.margins, correct=np.where(moved, fewest, margins.correct)))
            ) ** 2
        metric, step = named.metric, np.sqrt(worse)
        end = np.clip(values - step if metric.greater_is_better else values + step, metric.lower, metric.upper)
        return np.minimum(lower, end), np.maximum(upper, end)

    def _from_zero(self, averaged: Bools) -> Floats:
        """Upper end of a product of recalls of which one is 0, shape (T,): MOVER on their logarithms.

        A recall of 0 stands at its own upper end. The end of the geometric mean serves the harmonic one too, which is
        never above it.
        """
        margins = self.of.margins
        upper = self.ends_by_class("recall")[1]
        hit = margins.correct > 0
        recall = np.divide(margins.correct, margins.prevalence, out=upper.copy(), where=hit)
        logarithms = [logarithm(np.where(averaged, ends, 1.0)) for ends in (recall, upper)]
        root = np.sqrt(over_classes((logarithms[1] - logarithms[0]) ** 2))
        n_averaged = np.maximum(over_classes(averaged), 1)
        return exponential((over_classes(logarithms[0]) + root) / n_averaged)

    def ends_by_class(self, slug: str) -> tuple[Floats, Floats]:
        """Ends of one score of every class, shape (T, C) each."""
        if slug not in self.class_ends:
            self.class_ends[slug] = self._class_ends(METRICS[slug])
        return self.class_ends[slug]

    def _class_ends(self, metric: Metric) -> tuple[Floats, Floats]:
        if metric.proportion and (self.is_observed or metric.terms == "recalls"):
            return self._shares_by_class(metric)
        bias = self.of.margins.bias
        # What a team of one answer scores by construction, one that may answer otherwise need not score.
        few = (bias < FEWEST_ANSWERS) | (over_classes(bias > 0)[..., None] == 1)
        usual = self._calibrated_class_ends(metric) if metric.proportion else self._ends_of_seldom(metric.slug)
        if not metric.proportion or not few.any():
            return usual
        lower, upper = (np.where(few, *both) for both in zip(self._ends_of_seldom(metric.slug), usual, strict=True))
        return lower, upper

    def _ends_of_seldom(self, slug: str, of_answered: bool = False) -> tuple[Floats, Floats]:  # noqa: FBT001, FBT002
        """Ends of one score of every class that hold where it is seldom predicted; of the answered items, if asked."""
        if (slug, of_answered) not in self.seldom_ends:
            metric = METRICS[slug]
            of_items = metric.proportion and (self.is_observed or metric.terms == "recalls")
            ends = self._shares_by_class if of_items else self._by_hits_and_alarms
            self.seldom_ends[slug, of_answered] = ends(metric, of_answered=of_answered)
        return self.seldom_ends[slug, of_answered]

    def _shares_by_class(self, metric: Metric, *, of_answered: bool = False) -> tuple[Floats, Floats]:
        """Wilson's ends of a share of the items of every class, as they are."""
        margins = answered_margins(self.of.margins) if of_answered else self.of.margins
        successes, trials = cast("Proportion", metric.proportion)(margins)
        share = ratio(successes, trials)
        n_items = trials / self._class_design_effects(metric, None)
        lower, upper = share_ends(share, np.maximum(n_items, 1.0), self.of.quantile)
        return metric.from_proportion(lower), metric.from_proportion(np.where(trials > 0, upper, 1.0))

    def _by_hits_and_alarms(self, metric: Metric, *, of_answered: bool) -> tuple[Floats, Floats]:
        """Ends of one score of every class: its right and its false answers moved to the ends of their shares.

        By MOVER (Zou and Donner 2008). What a false answer counts is not known well from a few: at the upper end as
        much as those that there are, or as the items of the other classes on average, whichever is more.
        """
        counts, at = self.of.margins, self.seldom.margins
        if of_answered:
            counts, at = answered_margins(counts), answered_margins(at)
        n_false, false = counts.bias - counts.correct, at.bias - at.correct
        hits = [end * at.prevalence for end in self._ends_of_seldom("recall", of_answered)]
        most, fewest = (1 - end for end in self._shares_by_class(METRICS["specificity"], of_answered=of_answered))
        usual = ratio(at.others, counts.others)
        own = np.where(n_false > 0, ratio(false, n_false), usual)
        alarms = counts.others * np.stack([fewest * np.minimum(own, usual), most * np.maximum(own, usual)])
        values = metric.kernel(at)
        moved = [metric.kernel(replace(at, correct=end, bias=end + false)) for end in hits]
        moved += [metric.kernel(replace(at, bias=at.correct + end)) for end in alarms]
        steps = np.nan_to_num(np.stack(moved) - values)
        down, up = (np.sqrt((side**2).sum(axis=0)) for side in (np.minimum(steps, 0.0), np.maximum(steps, 0.0)))
        return np.maximum(values - down, metric.lower), np.minimum(values + up, metric.upper)

    def _calibrated_class_ends(self, metric: Metric) -> tuple[Floats, Floats]:
        """Ends of the precision or F1 of every class, whose gold rows are scaled.

        The influence of an answer on class j depends on whether it is j, so the variance is a sum over the rows of
        r(1 - r), r being the share of the row that is answered j.
        """
        of, scale = self.of, self.scale
        assert scale is not None  # noqa: S101 - asked of a scaled view alone
        gradient = metric.gradient(self.margins)
        off, on = gradient.bias**2, (gradient.bias + gradient.correct) ** 2
        sums, diagonal = Smoothed.of(of.cells).binomial_columns(scale)
        variance = off * sums + (on - off) * diagonal
        values = metric.kernel(self.seldom.margins)
        n_items = over_classes(of.margins.prevalence)[..., None]
        n_items = _effective(metric.kernel(self.margins), variance, values, n_items)
        n_items = n_items / self._class_design_effects(metric, self.scale)
        return wilson(values, np.maximum(n_items, 1.0), self.of.quantile)

    def _class_design_effects(self, metric: Metric, scale: Floats | None) -> Floats | float:
        """Design effect of one score of every class, shape (T, C)."""
        if self.of.items is None:
            return 1.0
        gradient, proportion = metric.gradient(Margins.of_cells(self.of.cells, scale)), metric.proportion
        return self.of.items.class_design_effects(gradient, self.of.cells, scale, cast("Proportion", proportion))


def _effective(smoothed: Floats, variance: Floats, share: Floats, n_items: Counts) -> Floats:
    """Items for which a proportion would vary so: infinitely many of a constant score; at an end, all there are."""
    spread = np.maximum(smoothed * (1 - smoothed), _NO_SPREAD)  # rounding may carry a score beyond its range
    constant = variance * n_items <= _CONSTANT * spread
    n_effective = np.divide(spread, variance, out=np.full(np.shape(spread), np.inf), where=~constant)
    at_end = (share <= _NO_SPREAD) | (share >= 1 - _NO_SPREAD)
    return np.where(constant & at_end, n_items, np.maximum(n_effective, 1.0))
