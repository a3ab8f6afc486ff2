"""Intervals of every score from confusions alone: Wilson's, with an effective number of items.

The variance is that of the delta method at a confusion with a few pseudo-items (:mod:`audit.inference.smoothing`; for
macro F1 the delta method is that of Takahashi et al. 2022). It says of how many items a proportion would vary as much
(Korn and Graubard 1998; Franco et al. 2019), and Wilson's interval is that of this proportion.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from audit.domain import MARKS, OBSERVED, Evaluation, Intervals, LabelSet, Mark, Prevalence, ScoreKey, Undefined
from audit.domain.arrays import Bools, Counts, Floats, Ints
from audit.inference.influence.item_score_certainty import ItemScoreView
from audit.inference.influence.items import Items
from audit.inference.influence.leverage import leverage_of
from audit.inference.influence.mean_certainty import MeanParts, MeanView
from audit.inference.smoothing import Smoothed
from audit.metrics import (
    BOTH_MACRO_F1,
    METRICS,
    Cells,
    Gradient,
    Influence,
    Margins,
    Metric,
    NamedMetric,
    answered_margins,
    gradient_of,
    influence,
    metric_of,
    named_metric,
    prevalence_shares,
    row_scale,
    score_margins,
)
from audit.metrics.confusion import over_classes
from audit.metrics.kernels.elementary import exponential, logarithm

if TYPE_CHECKING:
    from audit.metrics.metric import Proportion

_TWO_SIDED, _ONE_SIDED = 0.975, 0.95
_FEWEST_ITEMS = 5
"""Below so many gold items of an averaged class, or predictions of it, no interval of some scores holds its level."""
_MANY_AVERAGED = 20
"""From so many averaged classes on, one rare class marks a score, and recalls that are multiplied need more hits."""
_HITS_BY_CLASS = 0.5
"""Of many classes, each needs so many right answers for every class, where recalls are multiplied: 10 of 20 classes."""

_CONSTANT = 1e-6
"""A variance below this share of that of one item among N, squared, is rounding: the score cannot vary."""

_NO_SPREAD = 1e-12
"""Far below y(1 - y) of any score y that can vary."""


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores whose intervals are wanted.

    Parameters
    ----------
    cells : Cells
        Gold × predicted counts of T confusions.
    keys : sequence of K ScoreKey
        Which scores.
    values : ndarray, shape (K, T)
        The scores; NaN where undefined.
    prevalences : sequence of Prevalence
        Every prevalence that a key names.
    label_set : LabelSet
        The C labels.
    stratified : bool
        Whether class counts are fixed by design.
    gold : ndarray of int, shape (C,), optional
        Gold items of each class; by default a class is in gold that is in some confusion. Teams may have dropped items.
    """

    cells: Cells
    keys: Sequence[ScoreKey]
    values: Floats
    prevalences: Sequence[Prevalence]
    label_set: LabelSet
    stratified: bool = False
    gold: Counts | None = None


def wilson(share: Floats, n_items: Floats, quantile: Floats | float) -> tuple[Floats, Floats]:
    """Wilson's score interval of a share of a number of items.

    Parameters
    ----------
    share : ndarray, range [0, 1]
        The observed shares.
    n_items : ndarray
        Effective number of items; infinite where a share cannot vary.
    quantile : float or ndarray
        A quantile of the standard normal, or of Student's distribution.

    Returns
    -------
    tuple of two ndarrays
        Lower and upper ends, inside [0, 1].

    Examples
    --------
    Nine of ten items, as in statsmodels' ``proportion_confint(9, 10, method="wilson")``:

    >>> [round(float(end), 4) for end in wilson(np.array(0.9), np.array(10.0), 1.959964)]
    [0.5958, 0.9821]
    """
    weight = quantile**2 / n_items
    centre = (share + weight / 2) / (1 + weight)
    half = np.sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight)
    # The share lies inside, apart from rounding errors.
    return np.minimum(np.maximum(centre - half, 0.0), share), np.maximum(np.minimum(centre + half, 1.0), share)


def intervals_of(scored: Scored, items: Items | None = None, quantile: float | None = None) -> Intervals:
    """95% intervals of every score of every team, and of Δ.

    Parameters
    ----------
    scored : Scored
        The scores.
    items : Items, optional
        The answers by item; where items come in groups, the groups are what is drawn.
    quantile : float, optional
        The half width in standard errors; by default that of a two-sided 95% interval.
    """
    grouped = items if items is not None and items.groups is not None else None
    return _Reckoning(scored, grouped, quantile).intervals()


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
    intervals = intervals_of(_of_entries(evaluation, key, entries), items.of_teams(entries), quantile)
    return intervals.lower[0], intervals.upper[0]


def _of_entries(evaluation: Evaluation, key: ScoreKey, entries: Counts) -> Scored:
    """One score of labels of some entries."""
    return replace(
        scored_of(evaluation),
        cells=evaluation.cells.of_teams(entries),
        keys=(key,),
        values=evaluation.scores_of(key)[None, entries],
    )


def intervals_of_evaluation(evaluation: Evaluation, items: Items, *, grouped: bool = True) -> Intervals:
    """The intervals of every score of an evaluation, those of scores of single items too.

    Parameters
    ----------
    evaluation : Evaluation
        The scores.
    items : Items
        The answers by item.
    grouped : bool
        Whether groups of items are what is drawn, where items come in groups.
    """
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
    if len(entries) and named_metric(key.metric, evaluation.task.label_set).is_mean_with_item_scores:
        return _mean_ends(evaluation, key, entries, items, quantile)
    nothing = np.full(len(entries), np.nan)
    view = ItemScoreView.of(evaluation, key, entries, items)
    mark = _mark_of_item_scores(view, items.n_groups)
    if mark is not Mark.NONE or not len(entries):
        return nothing, nothing, np.full(len(entries), MARKS.index(mark), np.uint8)
    scores = evaluation.scores_of(key)[entries]
    n_items = view.n_effective(scores) / (view.design_effect() if items.n_groups else 1.0)
    return *wilson(scores, np.maximum(n_items, 1.0), quantile), np.zeros(len(entries), np.uint8)


def _mean_ends(
    evaluation: Evaluation, key: ScoreKey, entries: Counts, items: Items, quantile: float
) -> tuple[Floats, Floats, NDArray[np.uint8]]:
    """Ends and marks by a mean of scores of labels and of single items; the mark is that of the first part with one."""
    parts = MeanParts.of(key, evaluation.task.label_set)
    labels = None if parts.labels is None else _LabelPart.of(evaluation, parts.labels, entries)
    view = MeanView.of(evaluation, parts, entries, items, None if labels is None else labels.slopes)
    marks = np.zeros(len(entries), np.uint8) if labels is None else labels.marks
    for each in view.views:
        marks = np.where(marks > 0, marks, MARKS.index(_mark_of_item_scores(each, items.n_groups))).astype(np.uint8)
    if items.n_groups == 1:
        marks[:] = MARKS.index(Mark.FEW_GROUPS)
    of_labels = [] if labels is None else [labels.effective]
    of_items = [(each.smoothed_values(each.values), each.n_effective(each.values)) for each in view.views]
    shares, n_items = (np.stack(columns) for columns in zip(*of_labels, *of_items, strict=True))
    metrics = [metric_of(each.metric, evaluation.task.label_set) for each in parts.keys]
    n_effective = view.n_effective(shares, n_items, np.array([metric.upper - metric.lower for metric in metrics]))
    if items.n_groups:
        n_effective = n_effective / view.design_effect()
    whole = metric_of(key.metric, evaluation.task.label_set)
    width = whole.upper - whole.lower
    share = (evaluation.scores_of(key)[entries] - whole.lower) / width
    ends = [whole.lower + width * end for end in wilson(share, np.maximum(n_effective, 1.0), quantile)]
    lower, upper = (np.where(marks > 0, np.nan, end) for end in ends)
    return lower, upper, marks


@dataclass(frozen=True, eq=False)
class _LabelPart:
    """The scores of labels in a mean with scores of single items, of some entries.

    Parameters
    ----------
    marks : ndarray of uint8, shape (t,)
        Why they have no interval, as an index into MARKS.
    effective : tuple of two ndarrays, shape (t,)
        The mean of them with pseudo-items, as a share of its range, and its effective number of items.
    slopes : Influence
        What each answer adds, without pseudo-items.
    """

    marks: NDArray[np.uint8]
    effective: tuple[Floats, Floats]
    slopes: Influence

    @classmethod
    def of(cls, evaluation: Evaluation, key: ScoreKey, entries: Counts) -> "_LabelPart":
        """The part of labels of some entries, by the mean of these scores alone."""
        scored = replace(
            scored_of(evaluation), cells=evaluation.cells.of_teams(entries), values=evaluation.values[:, entries]
        )
        prevalence = next(each for each in evaluation.prevalences if each.name == key.prevalence)
        view, labels = _View(_Reckoning(scored, None, None), prevalence), evaluation.task.label_set
        named, function = named_metric(key.metric, labels), _function_of(key.metric, labels)
        values = function.score(Margins.of_cells(scored.cells, view.scale))
        marks = view.marks(named if named.parts else replace(named, parts=(named,)))
        return cls(marks, view.effective(function, values), view.slopes(function))


def _mark_of_item_scores(view: ItemScoreView, n_groups: int) -> Mark:
    if n_groups == 1:
        return Mark.FEW_GROUPS
    return Mark.RARE_CLASS if int(view.class_sizes.min()) < _FEWEST_ITEMS else Mark.NONE


def quantile_of(n_groups: int, probability: float = _TWO_SIDED) -> float:
    """Quantile of the standard normal, or of Student's distribution where few groups were drawn."""
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415 - a command without certainty does not wait for it

    return float(ndtri(probability) if n_groups == 0 else stdtrit(max(n_groups - 1, 1), probability))


def two_sided_p(t: Floats, n_groups: int) -> Floats:
    """Two-sided p of |difference| / standard error by the same distribution as :func:`quantile_of`."""
    from scipy.special import ndtr, stdtr  # noqa: PLC0415 - a command without certainty does not wait for it

    return np.asarray(2 * (ndtr(-t) if n_groups == 0 else stdtr(max(n_groups - 1, 1), -t)))


@dataclass(frozen=True, eq=False)
class _Function:
    """A score as a function of margins, with its gradient and range."""

    score: Callable[[Margins], Floats]
    gradient: Callable[[Margins], Gradient]
    lower: float
    upper: float


def _function_of(name: str, label_set: LabelSet) -> _Function:
    """A score by the name that a key has for it."""
    metric = metric_of(name, label_set)
    return _Function(
        lambda margins: score_margins(name, margins, label_set),
        lambda margins: gradient_of(name, margins, label_set),
        metric.lower,
        metric.upper,
    )


def _gap(label_set: LabelSet) -> _Function:
    """Δ over the classes that both scores average over."""

    def score(margins: Margins) -> Floats:
        averaged, of_averages = (score_margins(slug, margins, label_set) for slug in BOTH_MACRO_F1)
        return np.maximum(of_averages - averaged, 0.0)

    def gradient(margins: Margins) -> Gradient:
        averaged, of_averages = (gradient_of(slug, margins, label_set) for slug in BOTH_MACRO_F1)
        return of_averages.minus(averaged)

    return _Function(score, gradient, 0.0, 0.5)


class _Reckoning:
    """All scores of all teams, with what the prevalences share."""

    def __init__(self, scored: Scored, items: Items | None, quantile: float | None) -> None:
        self.scored, self.items = scored, items
        self.cells = scored.cells
        self.smoothed = Smoothed.of(self.cells)
        self.margins = Margins.of_cells(self.cells)
        self.n_groups = 0 if items is None else items.n_groups
        self.quantile = quantile_of(self.n_groups) if quantile is None else quantile
        self.gold = scored.cells.prevalence.sum(axis=0) if scored.gold is None else scored.gold

    def intervals(self) -> Intervals:
        """The intervals of all scores."""
        scored, shape = self.scored, self.scored.values.shape
        lower, upper, marks = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape, dtype=np.uint8)
        for prevalence in scored.prevalences:
            view = _View(self, prevalence)
            for row, key in enumerate(scored.keys):
                named = named_metric(key.metric, scored.label_set)
                if key.prevalence == prevalence.name and named.metric.of_labels:
                    marks[row] = view.marks(named)
                    lower[row], upper[row] = view.ends(key.metric, scored.values[row])
        if self.n_groups == 1:
            marks[:] = MARKS.index(Mark.FEW_GROUPS)
        undefined = np.isnan(scored.values)
        marks[undefined] = 0
        lower[undefined | (marks > 0)] = upper[undefined | (marks > 0)] = np.nan
        return Intervals(lower, upper, marks, *self._gap_upper())

    def _gap_upper(self) -> tuple[Floats, NDArray[np.uint8]]:
        """Upper end of the one-sided interval of Δ, and where there is none."""
        view, labels = _View(self, OBSERVED), self.scored.label_set
        whole = (self.margins.prevalence > 0)[:, self.gold > 0].all(axis=-1)
        marks = view.marks(named_metric(BOTH_MACRO_F1[0], labels))
        gap = _gap(labels)
        marks = np.where(self.n_groups == 1, MARKS.index(Mark.FEW_GROUPS), marks) * whole
        quantile = quantile_of(self.n_groups, _ONE_SIDED)
        upper = view.by_delta_method(gap, BOTH_MACRO_F1[0], gap.score(self.margins), quantile)[1]
        return np.where(whole & (marks == 0), upper, np.nan), marks.astype(np.uint8)


class _View:
    """The confusions at one prevalence: with and without pseudo-items, and what the scores of classes share."""

    def __init__(self, reckoning: _Reckoning, prevalence: Prevalence) -> None:
        self.of, self.prevalence = reckoning, prevalence
        scored = reckoning.scored
        self.shares = prevalence_shares(prevalence, reckoning.gold, scored.label_set)
        observed = prevalence.name == OBSERVED.name
        self.scale = None if observed else row_scale(reckoning.margins.prevalence, self.shares)
        self.margins = reckoning.smoothed.margins(self.scale)
        self.class_ends: dict[str, tuple[Floats, Floats]] = {}

    def ends(self, name: str, values: Floats) -> tuple[Floats, Floats]:
        """Lower and upper ends of one score of every team, shape (T,) each, whether marked or not."""
        scored, quantile = self.of.scored, self.of.quantile
        named = named_metric(name, scored.label_set)
        if named.metric.takes == "class" and named.metric.proportion:
            if named.metric.slug not in self.class_ends:
                self.class_ends[named.metric.slug] = self._class_ends(named.metric)
            lower, upper = self.class_ends[named.metric.slug]
            return lower[:, named.code], upper[:, named.code]
        if named.metric.proportion and self.scale is None:
            return self._proportion(named.metric, name, values, quantile)
        lower, upper = self.by_delta_method(_function_of(name, scored.label_set), name, values, quantile)
        if named.metric.terms == "product of recalls":
            scale = named.metric.scale
            upper_end = self._from_zero(named.margins(self.of.margins).averaged)
            missed, ends = scale.goodness(values) == 0, (scale.goodness(0.0), scale.goodness(upper_end))
            least, most = ends if scale.greater_is_better else ends[::-1]
            lower, upper = np.where(missed, least, lower), np.where(missed, most, upper)
        return lower, upper

    def marks(self, named: NamedMetric) -> NDArray[np.uint8]:
        """Why a metric has no interval here, of every team, shape (T,), as an index into MARKS."""
        of = self.of
        if named.parts:
            return self._composite_marks(named)
        if named.metric.takes == "class":
            return self._class_marks(named)
        averaged = named.margins(of.margins).averaged
        in_gold = of.margins.prevalence > 0
        n_items = answered_margins(of.margins).prevalence if _is_of_answered_classes(named) else of.margins.prevalence
        rare = ((n_items < _FEWEST_ITEMS) & averaged & in_gold).any(axis=-1)
        # Of a class without gold each term is 0, unless it counts as something else where it is never predicted.
        moves = in_gold | named.counts_predicted | (named.undefined is not Undefined.ZERO)
        rarely = ((of.margins.bias < _FEWEST_ITEMS) & averaged & moves).any(axis=-1)
        averaged = averaged & in_gold
        terms = "precisions" if named.counts_predicted else self._terms(named.metric)
        n_averaged = over_classes(averaged)
        many = n_averaged >= _MANY_AVERAGED
        few_hits = many & ((of.margins.correct < _HITS_BY_CLASS * n_averaged[..., None]) & averaged).any(axis=-1)
        mark_codes = np.zeros(rare.shape, dtype=np.uint8)
        mark_codes[few_hits & (terms == "product of recalls")] = MARKS.index(Mark.FEW_HITS)
        mark_codes[rarely & (terms == "precisions")] = MARKS.index(Mark.RARELY_PREDICTED)
        mark_codes[rare & (many | (terms == "product of recalls")) & bool(terms)] = MARKS.index(Mark.RARE_CLASS)
        return mark_codes

    def _composite_marks(self, named: NamedMetric) -> NDArray[np.uint8]:
        """The marks of a mean of scores: for each team that of the first score that has one."""
        mark_codes = np.zeros(len(self.margins.total), dtype=np.uint8)
        for part in named.parts:
            own = self.marks(part)
            if part.metric.terms == "product of recalls":
                margins = part.margins(self.of.margins)
                missed = ((margins.correct == 0) & margins.averaged).any(axis=-1)
                own = np.where(missed, MARKS.index(Mark.FEW_HITS), own).astype(np.uint8)
            mark_codes = np.where(mark_codes > 0, mark_codes, own)
        return mark_codes

    def _class_marks(self, named: NamedMetric) -> NDArray[np.uint8]:
        """The marks of the score of one class, shape (T,): where the class is rarely predicted."""
        bias = self.of.margins.bias[:, named.code]
        if named.metric.terms == "recalls":
            fewest = 0
        elif not named.metric.proportion or named.undefined is not Undefined.ZERO:
            fewest = _FEWEST_ITEMS
        elif self.scale is None:
            fewest = 1 if named.metric.terms == "precisions" else 0
        else:
            fewest = _FEWEST_ITEMS
        return np.where(bias < fewest, MARKS.index(Mark.RARELY_PREDICTED), 0).astype(np.uint8)

    def _terms(self, metric: Metric) -> str:
        """The terms that a score averages over classes at this prevalence: balanced accuracy is macro recall."""
        if metric.terms or metric.takes == "class" or self.scale is None:
            return metric.terms
        return metric.calibrated_terms

    def by_delta_method(self, function: _Function, name: str, values: Floats, quantile: float) -> tuple[Floats, Floats]:
        """Wilson's interval with the number of items for which a proportion would vary as the score does.

        The name is that of a score in which groups weigh as much.
        """
        width = function.upper - function.lower
        n_items = self.effective(function, values)[1] / self._design_effect(function, name)
        lower, upper = wilson((values - function.lower) / width, np.maximum(n_items, 1.0), quantile)
        return function.lower + width * lower, function.lower + width * upper

    def effective(self, function: _Function, values: Floats) -> tuple[Floats, Floats]:
        """The score with pseudo-items, as a share of its range, and its effective number of items, shape (T,) each."""
        of, width = self.of, function.upper - function.lower
        gradient = function.gradient(self.margins)
        slopes = influence(gradient, of.smoothed, self.scale, stratified=of.scored.stratified)
        variance = of.smoothed.sum_of_squares(slopes) / width**2
        smoothed = (function.score(self.margins) - function.lower) / width
        share = (values - function.lower) / width
        return smoothed, _effective(smoothed, variance, share, over_classes(of.margins.prevalence))

    def slopes(self, function: _Function) -> Influence:
        """The slope of the score in each answer, without pseudo-items."""
        cells = self.of.cells
        gradient = function.gradient(Margins.of_cells(cells, self.scale))
        return influence(gradient, cells, self.scale, stratified=self.of.scored.stratified)

    def _design_effect(self, function: _Function, name: str) -> Floats | float:
        items, labels = self.of.items, self.of.scored.label_set
        if items is None:
            return 1.0
        return items.design_effect(self.slopes(function), leverage_of(name, labels, items, self.shares, self.scale))

    def _proportion(self, metric: Metric, name: str, values: Floats, quantile: float) -> tuple[Floats, Floats]:
        """Wilson's interval of a proportion of items as they are."""
        _, trials = cast("Proportion", metric.proportion)(self.of.margins)
        function = _Function(metric.kernel, metric.gradient, 0.0, 1.0)
        return wilson(values, np.maximum(trials / self._design_effect(function, name), 1.0), quantile)

    def _from_zero(self, averaged: Bools) -> Floats:
        """Upper end of a product of recalls of which one is 0, shape (T,): MOVER on their logarithms.

        A recall of 0 stands at its own upper end. The end of the geometric mean serves the harmonic one too, which is
        never above it.
        """
        margins = self.of.margins
        upper = self._recall_ends()[1]
        hit = margins.correct > 0
        recall = np.divide(margins.correct, margins.prevalence, out=upper.copy(), where=hit)
        logarithms = [logarithm(np.where(averaged, ends, 1.0)) for ends in (recall, upper)]
        root = np.sqrt(over_classes((logarithms[1] - logarithms[0]) ** 2))
        n_averaged = np.maximum(over_classes(averaged), 1)
        return exponential((over_classes(logarithms[0]) + root) / n_averaged)

    def _recall_ends(self) -> tuple[Floats, Floats]:
        if "recall" not in self.class_ends:
            self.class_ends["recall"] = self._class_ends(METRICS["recall"])
        return self.class_ends["recall"]

    def _class_ends(self, metric: Metric) -> tuple[Floats, Floats]:
        """Ends of one score of every class, shape (T, C) each."""
        of = self.of
        quantile = of.quantile
        if self.scale is not None and metric.terms != "recalls":
            return self._calibrated_class_ends(metric, quantile)
        successes, trials = cast("Proportion", metric.proportion)(of.margins)
        share = np.divide(successes, trials, out=np.zeros(trials.shape), where=trials > 0)
        n_items = trials / self._class_design_effects(metric)
        lower, upper = wilson(share, np.maximum(n_items, 1.0), quantile)
        return metric.from_proportion(lower), metric.from_proportion(upper)

    def _calibrated_class_ends(self, metric: Metric, quantile: float) -> tuple[Floats, Floats]:
        """Ends of the precision or F1 of every class, whose gold rows are scaled.

        The influence of an answer on class j depends on whether it is j, so the variance is a sum over the rows of
        r(1 - r), r being the share of the row that is answered j.
        """
        of, scale = self.of, self.scale
        assert scale is not None  # noqa: S101 - asked of a scaled view alone
        gradient = metric.gradient(self.margins)
        off, on = gradient.bias**2, (gradient.bias + gradient.correct) ** 2
        sums, diagonal = of.smoothed.binomial_columns(scale)
        variance = off * sums + (on - off) * diagonal
        values = metric.kernel(Margins.of_cells(of.cells, scale))
        n_items = over_classes(of.margins.prevalence)[..., None]
        n_items = _effective(metric.kernel(self.margins), variance, values, n_items)
        n_items = n_items / self._class_design_effects(metric)
        return wilson(values, np.maximum(n_items, 1.0), quantile)

    def _class_design_effects(self, metric: Metric) -> Floats | float:
        """Design effect of one score of every class, shape (T, C)."""
        if self.of.items is None:
            return 1.0
        gradient, proportion = metric.gradient(Margins.of_cells(self.of.cells, self.scale)), metric.proportion
        return self.of.items.class_design_effects(gradient, self.of.cells, self.scale, cast("Proportion", proportion))


def _is_of_answered_classes(named: NamedMetric) -> bool:
    """Whether a score averages over classes of answered items, which may be few where gold has many."""
    return named.metric.abstention == "left out" and bool(named.metric.terms)


def _effective(smoothed: Floats, variance: Floats, share: Floats, n_items: Counts) -> Floats:
    """Number of items for which a proportion would have this variance.

    A score that cannot vary has infinitely many; at an end of its range, as many as there are.
    """
    spread = np.maximum(smoothed * (1 - smoothed), _NO_SPREAD)  # rounding may carry a score beyond its range
    constant = variance * n_items <= _CONSTANT * spread
    n_effective = np.divide(spread, variance, out=np.full(np.shape(spread), np.inf), where=~constant)
    return np.where(constant & ((share <= 0) | (share >= 1)), n_items, np.maximum(n_effective, 1.0))
