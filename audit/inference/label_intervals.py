"""Intervals of scores of labels, from confusions alone: Wilson's, with an effective number of items.

The variance is that of the delta method at a confusion with a few pseudo-items
(:mod:`audit.inference.smoothing`; for macro F1 the delta method is that of Takahashi et al. 2022). It
says of how many items a proportion would vary as much (Korn and Graubard 1998; Franco et al. 2019), and
Wilson's interval is that of this proportion.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from audit.domain import MARKS, OBSERVED, Feature, LabelSet, Mark, Prevalence, ScoreKey, Undefined
from audit.domain.arrays import Bools, Counts, Floats
from audit.inference.items import Items, leverage_of, worth_of
from audit.inference.proportion_intervals import (
    ONE_SIDED,
    quantile_of,
    quantile_with_freedom,
    share_ends,
    wilson,
)
from audit.inference.seldom_predicted import FEWEST_ANSWERS, Function, SeldomPredicted
from audit.inference.smoothing import Smoothed, SmoothedScale, SmoothedSets
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
    named_metric,
    prevalence_shares,
    row_scale,
)
from audit.metrics.confusion import over_classes, ratio
from audit.metrics.elementary import exponential, logarithm

if TYPE_CHECKING:
    from audit.metrics.metric import Proportion

FEWEST_ITEMS = 5
"""Below so many gold items of an averaged class no interval of some scores holds its level."""

_PRODUCT_OF_RECALLS = "product of recalls"
_MANY_AVERAGED = 20
"""Averaged classes from which on one rare class marks a score, and products of recalls need hits."""
_HITS_BY_CLASS = 0.5
"""Right answers for every class that each of many classes needs, where recalls are multiplied."""
_FEW_HITS = 3  # of a recall that could well be near to 0

_FEWEST_CARRYING = 3.0
"""Units: where one or two carry the variance of a score, no interval holds its level."""
_NO_VARIANCE = 1e-18  # a sum of squares that is rounding: a team without an error
_LEAST_FREEDOM = 4.0  # of Student's quantile where many units could err and few do
_CONSTANT = 1e-6
"""A variance below this share of that of one item among N, squared, is rounding: the score is constant."""
_NO_SPREAD = 1e-12  # far below y(1 - y) of any score y that can vary

Ends = tuple[Floats, Floats]
"""Lower and upper ends of intervals, of one shape."""


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


class IntervalInputs:
    """Inputs shared by the intervals of all scores: counts, pseudo-items, groups and the quantile."""

    def __init__(self, scored: Scored, items: Items | None, quantile: float | None) -> None:
        self.scored = scored
        self.cells = scored.cells
        self.has_units = scored.label_set.supports(Feature.UNITS)
        self.smoothed: Smoothed | SmoothedSets = Smoothed.of(self.cells)
        self.pooled: SmoothedSets | None = None
        if self.has_units:
            self.smoothed = SmoothedSets.of(self.cells)
            self.pooled = SmoothedSets.of(self.cells, pooled=True)
        self.margins = Margins.of_cells(self.cells)
        n_scored = scored.label_set.n_scored
        # (T, 1): gold items, or things in gold sets
        self.n_gold = over_classes(self.margins.prevalence[..., :n_scored])
        self.items: Items | None = None  # None where each item was drawn by itself
        self.n_groups = 0
        if items is not None and items.groups is not None:
            self.items = items
            self.n_groups = items.n_groups
        if quantile is None:
            self.quantile = quantile_of(self.n_groups)
        else:
            self.quantile = quantile
        self.gold: Counts = scored.cells.prevalence.sum(axis=0)  # (C,): gold items of each class
        if scored.gold is not None:
            self.gold = scored.gold

    def ends(self) -> tuple[Floats, Floats, Floats, NDArray[np.uint8]]:
        """The intervals of all scores, shape (K, T) each.

        Lower ends, upper ends, upper ends given that no further class is ever predicted, and marks.
        """
        scored = self.scored
        shape = scored.values.shape
        lower, upper, given = np.full((3, *shape), np.nan)
        marks = np.zeros(shape, dtype=np.uint8)
        for prevalence in scored.prevalences:
            view = IntervalsAtPrevalence(self, prevalence)
            for row, key in enumerate(scored.keys):
                named = named_metric(key.metric, scored.label_set)
                if key.prevalence != prevalence.name or not named.metric.of_labels:
                    continue
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
        """Upper end of the one-sided interval of Δ, and a mark where it is missing or rough, (T,)."""
        labels = self.scored.label_set
        if not labels.supports(Feature.MACRO_F1):
            return np.full(len(self.cells), np.nan), np.zeros(len(self.cells), dtype=np.uint8)
        averaged, of_averages = (named_metric(slug, labels) for slug in BOTH_MACRO_F1)
        view = IntervalsAtPrevalence(self, OBSERVED)
        has_every_class = (self.margins.prevalence > 0)[:, self.gold > 0].all(axis=-1)
        is_one_group = self.n_groups == 1
        marks = np.where(is_one_group, MARKS.index(Mark.FEW_GROUPS), view.marks(averaged))
        marks = (marks * has_every_class).astype(np.uint8)

        gap = Function.of(of_averages).gap_to(Function.of(averaged))
        values = gap.score(self.margins)
        quantile = quantile_of(self.n_groups, ONE_SIDED)
        design_effect = view.design_effect(gap, BOTH_MACRO_F1[0])
        _, upper = view.by_delta_method(gap, values, quantile, design_effect)
        few = view.seldom.where(averaged)
        if few.any():
            held = view.seldom.held(of_averages).gap_to(view.seldom.held(averaged))
            inner = view.by_delta_method(held.function, values, quantile, design_effect)
            _, most, *_ = held.moves.ends(values, *inner)
            upper = np.where(few, np.minimum(np.maximum(upper, most), gap.upper), upper)
        return np.where(has_every_class & ~np.bool_(is_one_group), upper, np.nan), marks


class IntervalsAtPrevalence:
    """Intervals at one class distribution: its confusions, with and without pseudo-items."""

    def __init__(self, inputs: IntervalInputs, prevalence: Prevalence) -> None:
        self.inputs = inputs
        self.is_observed = prevalence.name == OBSERVED.name
        self.shares = prevalence_shares(prevalence, inputs.gold, inputs.scored.label_set)
        # factors of the gold rows; None where these stay as they are
        self.scale: Floats | None = None
        unsmoothed = inputs.margins
        if not self.is_observed:
            self.scale = row_scale(inputs.margins.prevalence, self.shares)
            unsmoothed = Margins.of_cells(inputs.cells, self.scale)
        self.margins = inputs.smoothed.margins(self.scale)
        self.seldom = SeldomPredicted(
            unsmoothed, inputs.margins.bias, self._ends_of_seldom, self._terms
        )
        self._n_carrying_of: dict[str, Floats] = {}
        self._class_ends_of: dict[str, Ends] = {}
        self._seldom_ends_of: dict[tuple[str, bool], Ends] = {}

    # One score of every team

    def ends(self, name: str, values: Floats) -> tuple[Floats, Floats, Floats]:
        """Lower and upper ends of one score, and upper ends without the never predicted, (T,) each."""
        inputs = self.inputs
        named = named_metric(name, inputs.scored.label_set)
        metric = named.metric
        if metric.takes == "class":
            lower, upper = self._ends_of_class(named, name, values)
            return lower, upper, upper
        function = Function.of(named)
        design_effect = self.design_effect(function, name)
        quantile = self.quantile(function, name)
        if metric.proportion and self.is_observed:
            _, trials = metric.proportion(inputs.margins)
            n_effective = np.maximum(trials / design_effect, 1.0)
            lower, upper = share_ends(values, n_effective, quantile)
        else:
            lower, upper = self.by_delta_method(function, values, quantile, design_effect)
        if metric.terms == _PRODUCT_OF_RECALLS:
            lower, upper = self._ends_of_product(named, values, lower, upper)
        given = upper
        few = self.seldom.where(named)
        if few.any():
            drawn = (quantile, design_effect)
            lower, upper, given = self._wider(named, values, (lower, upper), few, drawn)
        if any(part.metric.terms == _PRODUCT_OF_RECALLS or part.n_below for part in named.scores):
            is_marked = self.marks(named) > 0
            lower = np.where(is_marked, np.nan, lower)
            upper = np.where(is_marked, np.nan, upper)
            given = np.where(is_marked, np.nan, given)
        return lower, upper, given

    def _wider(
        self,
        named: NamedMetric,
        values: Floats,
        ends: Ends,
        few: Bools,
        drawn: tuple[Floats | float, Floats | float],  # the quantile, and the design effect
    ) -> tuple[Floats, Floats, Floats]:
        """The wider one, end by end, of an interval and that with seldom predicted classes moved."""
        metric = named.metric
        held = self.seldom.held(named)
        inner = self.by_delta_method(held.function, values, *drawn)
        least, most, given = held.moves.ends(
            values, *inner, greater_is_better=metric.greater_is_better
        )
        lower, upper = ends
        wider_lower = np.maximum(np.minimum(lower, least), metric.lower)
        wider_upper = np.minimum(np.maximum(upper, most), metric.upper)
        wider_given = np.minimum(np.maximum(upper, given), metric.upper)
        return (
            np.where(few, wider_lower, lower),
            np.where(few, wider_upper, upper),
            np.where(few, wider_given, upper),
        )

    def by_delta_method(
        self,
        function: Function,
        values: Floats,
        quantile: Floats | float,
        design_effect: Floats | float,
    ) -> Ends:
        """Wilson's interval of as many items as a proportion would need to vary as the score does."""
        width = function.upper - function.lower
        _, n_effective = self.effective(function, values)
        share = ratio(values - function.lower, width)
        lower, upper = wilson(share, np.maximum(n_effective / design_effect, 1.0), quantile)
        return function.lower + width * lower, function.lower + width * upper

    def effective(self, function: Function, values: Floats) -> tuple[Floats, Floats]:
        """The smoothed score as a share of its range, and its effective number of items, (T,) each."""
        inputs = self.inputs
        if function.pools and inputs.pooled is not None:
            return self._effective(function, values, inputs.pooled)
        kind: type[Smoothed | SmoothedScale | SmoothedSets] = type(inputs.smoothed)
        mass: Smoothed | SmoothedScale | SmoothedSets = inputs.smoothed
        if function.on_scale:
            kind = SmoothedScale
            mass = SmoothedScale.of(inputs.cells)
        smoothed, n_effective = self._effective(function, values, mass)
        has_one_answer = over_classes(inputs.margins.bias > 0) == 1
        is_still = (np.isinf(n_effective) | function.on_scale) & has_one_answer
        if not is_still.any():
            return smoothed, n_effective
        # What always answering with one class scores by construction, a team that may answer
        # otherwise need not score.
        everywhere = kind.of(inputs.cells, everywhere=True)
        moving, n_moving = self._effective(function, values, everywhere)
        return np.where(is_still, moving, smoothed), np.where(is_still, n_moving, n_effective)

    def _effective(
        self, function: Function, values: Floats, mass: Smoothed | SmoothedScale | SmoothedSets
    ) -> tuple[Floats, Floats]:
        """The same, with the pseudo-items of `mass`."""
        width = function.upper - function.lower
        margins = mass.margins(self.scale)
        cells: Cells | Smoothed | SmoothedScale = self.inputs.cells
        if not isinstance(mass, SmoothedSets):
            cells = mass
        slopes = influence(
            function.gradient(margins), cells, self.scale, stratified=self.inputs.scored.stratified
        )
        variance = ratio(ratio(mass.sum_of_squares(slopes), width), width)
        smoothed = ratio(function.score(margins) - function.lower, width)
        share = ratio(values - function.lower, width)
        return smoothed, _n_effective(smoothed, variance, share, self.inputs.n_gold)

    def effective_with_moves(self, named: NamedMetric, values: Floats) -> tuple[Floats, Floats]:
        """The same, of an interval as wide as that with seldom predicted classes moved."""
        function = Function.of(named)
        quantile = self.inputs.quantile
        smoothed, n_effective = self.effective(function, values)
        few = self.seldom.where(named)
        if not few.any():
            return smoothed, n_effective
        usual = self.by_delta_method(function, values, quantile, 1.0)
        lower, upper, _ = self._wider(named, values, usual, few, (quantile, 1.0))
        width = function.upper - function.lower
        middle = ((upper + lower) / 2 - function.lower) / width
        standard_error = (upper - lower) / (2 * quantile * width)
        # n with y(1 − y)/n = the square of the standard error
        n_wider = ratio(middle * (1 - middle), standard_error**2)
        n_wider = np.maximum(np.minimum(n_wider, n_effective), 1.0)
        return np.where(few, middle, smoothed), np.where(few, n_wider, n_effective)

    # Groups of items

    def slopes(self, function: Function) -> Influence:
        """The slope of the score in each answer, without pseudo-items."""
        gradient = function.gradient(self.seldom.margins)
        stratified = self.inputs.scored.stratified
        return influence(gradient, self.inputs.cells, self.scale, stratified=stratified)

    def design_effect(self, function: Function, name: str) -> Floats | float:
        """The factor by which groups, weighed as in the named score, increase a score's variance."""
        items = self.inputs.items
        if items is None:
            return 1.0
        return items.design_effect(self.slopes(function), self._leverage(items, name))

    def quantile(self, function: Function, name: str) -> Floats | float:
        """The quantile of a score, shape (T,): Student's, with as much freedom as groups are worth.

        Of sets no more than that of the units that carry errors.
        """
        inputs = self.inputs
        items = inputs.items
        if items is None:
            return inputs.quantile
        freedom = worth_of(self._leverage(items, name)) - 1
        if inputs.has_units:
            of_carrying = np.maximum(self._n_carrying(items, function, name), _LEAST_FREEDOM)
            freedom = np.minimum(freedom, of_carrying)
        return quantile_with_freedom(inputs.quantile, items.n_groups, freedom)

    def _n_carrying(self, items: Items, function: Function, name: str) -> Floats:
        """How many units carry the variance of a score, shape (T,); 0 where there is no error.

        E = (Σψ²)² / Σψ⁴, where ψ is what a unit adds to the score. It is not divided by 1 − leverage,
        which a variance needs: that would say of one large unit that it carries nearly all, though
        others err as much.
        """
        if name not in self._n_carrying_of:
            no_leverage = np.zeros((1, items.n_groups))
            squares = items.by_group(self.slopes(function), no_leverage) ** 2
            total = squares.sum(axis=-1)
            n_carrying = ratio(total**2, (squares**2).sum(axis=-1))
            self._n_carrying_of[name] = np.where(total > _NO_VARIANCE, n_carrying, 0.0)
        return self._n_carrying_of[name]

    def _leverage(self, items: Items, name: str) -> Floats:
        named = named_metric(name, self.inputs.scored.label_set)
        return leverage_of(named, items, self.shares, self.scale)

    # Marks: why an interval is missing or rough

    def marks(self, named: NamedMetric) -> NDArray[np.uint8]:
        """The mark of each team's interval of a metric, shape (T,), as an index into MARKS."""
        if named.parts:
            return self.marks_of_mean(named)
        if named.n_below and not named.metric.proportion:
            return self._marks_of_cut(named.n_below)
        margins = self.inputs.margins
        terms = self._terms(named)
        if named.metric.takes == "class" or not terms:
            return np.zeros(len(margins.total), dtype=np.uint8)
        n_items = margins.prevalence
        if named.metric.abstention == "left out" and named.metric.terms:
            n_items = answered_margins(margins).prevalence  # few where gold has many
        averaged = named.margins(margins).averaged & (margins.prevalence > 0)
        has_rare_class = ((n_items < FEWEST_ITEMS) & averaged).any(axis=-1)
        n_averaged = over_classes(averaged)
        averages_many = n_averaged >= _MANY_AVERAGED
        is_seldom_hit = (margins.correct < _HITS_BY_CLASS * n_averaged[..., None]) & averaged
        has_few_hits = averages_many & is_seldom_hit.any(axis=-1)
        is_product = terms == _PRODUCT_OF_RECALLS
        marks = np.zeros(has_rare_class.shape, dtype=np.uint8)
        marks[has_few_hits & is_product] = MARKS.index(Mark.FEW_HITS)
        marks[has_rare_class & (averages_many | is_product)] = MARKS.index(Mark.RARE_CLASS)
        return marks

    def _marks_of_cut(self, n_below: int) -> NDArray[np.uint8]:
        """The marks of a scale cut in two: few answers, or gold items, in one half."""
        margins = self.inputs.margins
        sizes = []
        for counts in (margins.bias, margins.prevalence):
            sizes.append(counts[:, :n_below].sum(axis=1))
            sizes.append(counts[:, n_below:].sum(axis=1))
        marks = np.zeros(len(margins.total), dtype=np.uint8)
        marks[np.min(sizes, axis=0) < FEWEST_ANSWERS] = MARKS.index(Mark.FEW_ANSWERS)
        return marks

    def marks_of_mean(self, named: NamedMetric) -> NDArray[np.uint8]:
        """The marks of a mean of scores, or of one in it: those of the first score that has one."""
        marks = np.zeros(len(self.margins.total), dtype=np.uint8)
        for part in named.scores:
            own = self.marks(part)
            if part.metric.terms == _PRODUCT_OF_RECALLS:
                margins = part.margins(self.inputs.margins)
                has_zero_recall = ((margins.correct == 0) & margins.averaged).any(axis=-1)
                own[has_zero_recall] = MARKS.index(Mark.FEW_HITS)
            marks = first_marks(marks, own)
        return marks

    def few_in_sets(self, named: NamedMetric, name: str) -> Iterator[tuple[Bools, Mark]]:
        """The teams whose score of whole sets has no interval, shape (T,), for each of two reasons.

        One or two units carry its variance; or the team's sets have few things in all, of which too
        little is known.
        """
        inputs = self.inputs
        if inputs.items is None or not inputs.has_units or named.metric.takes == "class":
            return
        n_carrying = self._n_carrying(inputs.items, Function.of(named), name)
        yield (n_carrying > 0) & (n_carrying < _FEWEST_CARRYING), Mark.FEW_UNITS
        rest_code = inputs.scored.label_set.rest_code
        n_things = over_classes(inputs.margins.bias[:, :rest_code])
        yield n_things < FEWEST_ANSWERS, Mark.FEW_THINGS

    def _terms(self, named: NamedMetric) -> str:
        """The terms that a score averages over classes here: balanced accuracy is macro recall."""
        metric = named.metric
        if named.counts_predicted:
            return "precisions"
        if metric.terms or metric.takes == "class" or self.is_observed:
            return metric.terms
        return metric.calibrated_terms

    # Products of recalls

    def _ends_of_product(
        self, named: NamedMetric, values: Floats, lower: Floats, upper: Floats
    ) -> Ends:
        """The interval of a product of recalls, which is [0, U] where one of them is 0."""
        scale = named.metric.scale
        is_zero = scale.goodness(values) == 0
        worst = scale.goodness(0.0)
        best = scale.goodness(self._upper_end_at_zero(named.margins(self.inputs.margins).averaged))
        lower, upper = self._widened_by_few_hits(named, values, lower, upper)
        if scale.greater_is_better:
            return np.where(is_zero, worst, lower), np.where(is_zero, best, upper)
        return np.where(is_zero, best, lower), np.where(is_zero, worst, upper)

    def _widened_by_few_hits(
        self, named: NamedMetric, values: Floats, lower: Floats, upper: Floats
    ) -> Ends:
        """The interval, moved to the end by MOVER over the recalls that rest on a few hits.

        By such a recall the score is not nearly linear, as the delta method takes it to be: it could
        be a tenth of it. The step is √Σ_c (y − y with the recall of c at its lower end)².
        """
        metric = named.metric
        margins = named.margins(self.inputs.margins)
        lower_recalls, _ = self.ends_by_class("recall")
        fewest_hits = lower_recalls * margins.prevalence
        few = margins.averaged & (margins.correct > 0) & (margins.correct <= _FEW_HITS)
        classes = np.arange(few.shape[-1])
        squared_step = np.zeros(len(values))
        for code in np.flatnonzero(few.any(axis=0)):
            correct = np.where(few & (classes == code), fewest_hits, margins.correct)
            moved = named.score(replace(self.inputs.margins, correct=correct))
            squared_step += (values - moved) ** 2
        step = np.sqrt(squared_step)
        if metric.greater_is_better:
            step = -step
        end = np.clip(values + step, metric.lower, metric.upper)
        return np.minimum(lower, end), np.maximum(upper, end)

    def _upper_end_at_zero(self, averaged: Bools) -> Floats:
        """Upper end of a product of recalls of which one is 0, (T,): MOVER on their logarithms.

        exp((Σ log r_c + √Σ (log u_c − log r_c)²) / n), where u_c is the upper end of recall r_c, at
        which a recall of 0 stands. The end of the geometric mean serves the harmonic one too, which is
        never above it.
        """
        margins = self.inputs.margins
        _, upper = self.ends_by_class("recall")
        recalls = upper.copy()
        np.divide(margins.correct, margins.prevalence, out=recalls, where=margins.correct > 0)
        log_recalls = logarithm(np.where(averaged, recalls, 1.0))
        log_upper = logarithm(np.where(averaged, upper, 1.0))
        root = np.sqrt(over_classes((log_upper - log_recalls) ** 2))
        n_averaged = np.maximum(over_classes(averaged), 1)
        return exponential((over_classes(log_recalls) + root) / n_averaged)

    # Scores of single classes

    def _ends_of_class(self, named: NamedMetric, name: str, values: Floats) -> Ends:
        """Ends of one score of one class."""
        metric = named.metric
        few = self.inputs.margins.bias[:, named.code] < FEWEST_ANSWERS
        if metric.proportion:
            lower, upper = (ends[:, named.code] for ends in self.ends_by_class(metric.slug))
        else:
            function = Function.of(named)
            design_effect = self.design_effect(function, name)
            quantile = self.inputs.quantile
            lower, upper = self.by_delta_method(function, values, quantile, design_effect)
            if few.any():
                of_few = (ends[:, named.code] for ends in self.ends_by_class(metric.slug))
                lower, upper = _replaced(few, of_few, (lower, upper))
        if named.reading.undefined is Undefined.ZERO or metric.terms == "recalls":
            return lower, upper
        # By other rules one answer less is another value.
        return np.where(few, metric.lower, lower), np.where(few, metric.upper, upper)

    def ends_by_class(self, slug: str) -> Ends:
        """Ends of one score of every class, shape (T, C) each."""
        if slug not in self._class_ends_of:
            self._class_ends_of[slug] = self._class_ends(METRICS[slug])
        return self._class_ends_of[slug]

    def _class_ends(self, metric: Metric) -> Ends:
        if not metric.proportion:
            return self._ends_of_seldom(metric.slug)
        if self._is_share_of_items(metric):
            return self._shares_by_class(metric)
        bias = self.inputs.margins.bias
        # What a team of one answer scores by construction, one that may answer otherwise need not
        # score.
        has_one_answer = over_classes(bias > 0)[..., None] == 1
        few = (bias < FEWEST_ANSWERS) | has_one_answer
        usual = self._calibrated_class_ends(metric)
        if not few.any():
            return usual
        return _replaced(few, self._ends_of_seldom(metric.slug), usual)

    def _is_share_of_items(self, metric: Metric) -> bool:
        """Whether a score of a class is a share of items here, as recall is at every prevalence."""
        is_unscaled = self.is_observed or metric.terms == "recalls"
        return metric.proportion is not None and is_unscaled

    def _ends_of_seldom(self, slug: str, of_answered: bool = False) -> Ends:  # noqa: FBT001, FBT002
        """Ends of one score of every class that hold where it is seldom predicted.

        Of the answered items alone, where that is asked.
        """
        if (slug, of_answered) not in self._seldom_ends_of:
            metric = METRICS[slug]
            compute = self._by_hits_and_alarms
            if self._is_share_of_items(metric):
                compute = self._shares_by_class
            self._seldom_ends_of[slug, of_answered] = compute(metric, of_answered=of_answered)
        return self._seldom_ends_of[slug, of_answered]

    def _shares_by_class(self, metric: Metric, *, of_answered: bool = False) -> Ends:
        """Wilson's ends of a share of the items of every class, as they are."""
        margins = self.inputs.margins
        if of_answered:
            margins = answered_margins(margins)
        successes, trials = cast("Proportion", metric.proportion)(margins)
        share = ratio(successes, trials)
        n_items = trials / self._class_design_effects(metric, None)
        lower, upper = share_ends(share, np.maximum(n_items, 1.0), self.inputs.quantile)
        upper = np.where(trials > 0, upper, 1.0)
        return metric.from_proportion(lower), metric.from_proportion(upper)

    def _by_hits_and_alarms(self, metric: Metric, *, of_answered: bool = False) -> Ends:
        """Ends of one score of every class: right and false answers moved to the ends of their shares.

        By MOVER (Zou and Donner 2008): the distance of an end is √(step by hits² + step by alarms²).
        What a false answer counts is not known well from a few: at the upper end as much as those that
        there are, or as the items of the other classes on average, whichever is more.
        """
        counts = self.inputs.margins
        scaled = self.seldom.margins
        if of_answered:
            counts = answered_margins(counts)
            scaled = answered_margins(scaled)
        n_false = counts.bias - counts.correct
        false = scaled.bias - scaled.correct
        hit_ends = [end * scaled.prevalence for end in self._ends_of_seldom("recall", of_answered)]
        specificity_ends = self._shares_by_class(METRICS["specificity"], of_answered=of_answered)
        most_share, fewest_share = (1 - end for end in specificity_ends)
        usual_weight = ratio(scaled.others, counts.others)
        own_weight = np.where(n_false > 0, ratio(false, n_false), usual_weight)
        fewest_alarms = counts.others * (fewest_share * np.minimum(own_weight, usual_weight))
        most_alarms = counts.others * (most_share * np.maximum(own_weight, usual_weight))

        values = metric.kernel(scaled)
        moved = []
        for hits in hit_ends:
            moved.append(metric.kernel(replace(scaled, correct=hits, bias=hits + false)))
        for alarms in (fewest_alarms, most_alarms):
            moved.append(metric.kernel(replace(scaled, bias=scaled.correct + alarms)))
        steps = np.nan_to_num(np.stack(moved) - values)
        down = np.sqrt((np.minimum(steps, 0.0) ** 2).sum(axis=0))
        up = np.sqrt((np.maximum(steps, 0.0) ** 2).sum(axis=0))
        return np.maximum(values - down, metric.lower), np.minimum(values + up, metric.upper)

    def _calibrated_class_ends(self, metric: Metric) -> Ends:
        """Ends of the precision or F1 of every class, whose gold rows are scaled.

        The influence of an answer on class j depends on whether it is j, so the variance is a sum over
        the rows of r(1 − r), r being the share of the row that is answered j.
        """
        inputs = self.inputs
        assert self.scale is not None  # noqa: S101 - asked of a scaled view alone
        gradient = metric.gradient(self.margins)
        off_diagonal = gradient.bias**2
        on_diagonal = (gradient.bias + gradient.correct) ** 2
        sums, diagonal = Smoothed.of(inputs.cells).binomial_columns(self.scale)
        variance = off_diagonal * sums + (on_diagonal - off_diagonal) * diagonal
        values = metric.kernel(self.seldom.margins)
        n_gold = over_classes(inputs.margins.prevalence)[..., None]
        n_effective = _n_effective(metric.kernel(self.margins), variance, values, n_gold)
        n_effective = n_effective / self._class_design_effects(metric, self.scale)
        return wilson(values, np.maximum(n_effective, 1.0), inputs.quantile)

    def _class_design_effects(self, metric: Metric, scale: Floats | None) -> Floats | float:
        """Design effect of one score of every class, shape (T, C)."""
        items = self.inputs.items
        if items is None:
            return 1.0
        cells = self.inputs.cells
        gradient = metric.gradient(Margins.of_cells(cells, scale))
        proportion = cast("Proportion", metric.proportion)
        return items.class_design_effects(gradient, cells, scale, proportion)


def first_marks(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Of two marks of each team the first one, if there is any."""
    return np.where(one > 0, one, other).astype(np.uint8)


def _replaced(where: Bools, ends: Iterator[Floats] | Ends, otherwise: Ends) -> Ends:
    """Some ends in place of others."""
    lower, upper = ends
    return np.where(where, lower, otherwise[0]), np.where(where, upper, otherwise[1])


def _n_effective(smoothed: Floats, variance: Floats, share: Floats, n_items: Counts) -> Floats:
    """The number n of items for which a proportion y would vary so: y(1 − y)/n = variance.

    Infinitely many of a constant score; of one at an end of its range, all items that there are.
    """
    spread = np.maximum(smoothed * (1 - smoothed), _NO_SPREAD)  # rounding may carry y out of [0, 1]
    is_constant = variance * n_items <= _CONSTANT * spread
    n_effective = np.full(np.shape(spread), np.inf)
    np.divide(spread, variance, out=n_effective, where=~is_constant)
    is_at_end = (share <= _NO_SPREAD) | (share >= 1 - _NO_SPREAD)
    return np.where(is_constant & is_at_end, n_items, np.maximum(n_effective, 1.0))
