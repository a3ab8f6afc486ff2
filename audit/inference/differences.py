"""Every paired difference of scores by one metric: covariances, and standard errors that hold where items are few.

The variance of a difference is that of the influence functions, plus what small samples lack if the two teams were
equally good.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial, reduce

import numpy as np

from audit.domain import OBSERVED, Evaluation, ScoreKey
from audit.domain.arrays import Bools, Counts, Floats
from audit.inference.gaussian import DEPENDENT
from audit.inference.item_score_certainty import ByUnit, ItemScoreView, MeanParts, MeanView
from audit.inference.items import Items, in_one_group, leverage_by
from audit.metrics import (
    METRICS,
    Cells,
    Influence,
    Margins,
    Metric,
    gradient_of,
    influence,
    metric_of,
    named_metric,
    prevalence_shares,
    row_scale,
    score_margins,
)
from audit.metrics.confusion import over_classes

_PAIR_CELLS = 1 << 20  # cells of pairs of confusions at once: 8 MB
_MOST_RESCORED = 500
"""Up to so many classes a score with one class changed is computed from all of them; above, from this class alone."""
_FEW_ANSWERS = 10  # answers of a class below which a score that divides by them is no smooth function of them
_SAME = 1e-12  # scores that are nearer to each other differ by rounding
_VANISHING = 1e-300  # so few answers move no score but one that divides by them


@dataclass(frozen=True, eq=False)
class Differences:
    """All paired differences of the entries that are scored on all items."""

    teams: Counts  # (t,): which entries: scored on all items, with a score that has an influence function
    covariance: Floats  # (t, t): the covariance of the scores
    spread: Floats  # (t, t): standard deviation of each difference
    error: Floats  # (t, t): the standard error of each difference, with the variance under "no difference"
    unidentified: Floats  # (t, t): what the column could gain by classes that only the row predicts

    def among(self, kept: Bools) -> "Differences":
        """The differences among some of the entries, which are given as a mask over all."""
        places = np.flatnonzero(kept[self.teams])
        square = np.ix_(places, places)
        matrices = (self.covariance, self.spread, self.error, self.unidentified)
        return Differences(self.teams[places], *(matrix[square] for matrix in matrices))


def differences(evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts | None = None) -> Differences:
    """Covariances of the scores by one metric, and the standard error of every paired difference."""
    named = named_metric(key.metric, evaluation.task.label_set)
    if named.metric.of_ranks:
        return _no_differences()  # no item adds to a rank
    if named.is_mean_with_item_scores:
        return _of_mean(evaluation, key, items, entries)
    if named.metric.of_item_scores:
        return _of_item_scores(evaluation, key, items, entries)
    return _of_labels(evaluation, key, items, entries)


def _of_labels(evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts | None) -> Differences:
    """All paired differences by a metric of labels."""
    function = LabelFunction.of(evaluation, key)
    teams = _able(evaluation, key, items, entries, function.has_influence)
    if not teams.size:
        return _no_differences()
    function, answers = function.of_teams(teams), items.of_teams(teams)
    scores = evaluation.scores_of(key)[teams]
    squares, covariance = (scores[:, None] - scores) ** 2, answers.covariance(function.influence)
    variance = _variances(covariance)
    unidentified = function.unidentified
    if items.groups is None:
        null = function.null_variance_of_score(squares, variance)
        return _differences(teams, covariance, null, squares, unidentified)
    leverage = leverage_by(evaluation, key, answers, teams).mean(axis=0, keepdims=True)
    if in_one_group(leverage).any():
        return _no_differences()
    by_item, covariance = variance, answers.covariance(function.influence, leverage)
    variance = _variances(covariance)
    null = function.null_variance_of_score(squares, variance)
    null = _null_of_groups(null, variance, by_item, squares, leverage)
    return _differences(teams, covariance, null, squares, unidentified)


def _able(
    evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts | None, has_influence: Bools | None = None
) -> Counts:
    """The entries that can be compared, of all or of some: scored on all items, which fall into more than one group."""
    able = evaluation.whole & ~np.isnan(evaluation.scores_of(key)) & (items.n_groups != 1)
    if has_influence is not None:
        able &= has_influence
    return np.flatnonzero(able) if entries is None else entries[able[entries]]


def _of_item_scores(evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts | None) -> Differences:
    """All paired differences by a metric of scores of single items."""
    teams = _able(evaluation, key, items, entries)
    view = ItemScoreView.of(evaluation, key, teams)
    if not teams.size or not view.is_testable:
        return _no_differences()
    scores = evaluation.scores_of(key)[teams]
    return _of_units(teams, view, view.null_variance(scores), scores, items)


def _of_mean(evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts | None) -> Differences:
    """All paired differences by a mean of scores of labels and of scores of single items."""
    parts = MeanParts.of(key, evaluation.task.label_set)
    function = None if parts.labels is None else LabelFunction.of(evaluation, parts.labels)
    teams = _able(evaluation, key, items, entries, None if function is None else function.has_influence)
    if not teams.size:
        return _no_differences()
    of_labels = None if function is None else function.of_teams(teams)
    view = MeanView.of(evaluation, parts, teams, items, None if of_labels is None else of_labels.influence)
    if not view.is_testable:
        return _no_differences()
    null = view.null_variance(None if of_labels is None else _null_of_labels(of_labels, items.of_teams(teams)))
    unidentified = None if of_labels is None else parts.weights[0] * of_labels.unidentified
    return _of_units(teams, view, null, evaluation.scores_of(key)[teams], items, unidentified)


def _null_of_labels(function: "LabelFunction", answers: Items) -> Floats:
    """The variance under "no difference" of a score of labels, of which the evaluation need have no row."""
    scores = score_margins(function.key.metric, function.margins, function.evaluation.task.label_set)
    variance = _variances(answers.covariance(function.influence))
    return function.null_variance_of_score((scores[:, None] - scores) ** 2, variance)


def _of_units(  # noqa: PLR0913, PLR0917 - whose, and what is known of them
    teams: Counts, view: ByUnit, null: Floats, scores: Floats, items: Items, unidentified: Floats | None = None
) -> Differences:
    """All differences, from what each item or group adds, and their variance under "no difference"."""
    covariance, squares = view.covariance(grouped=items.groups is not None), (scores[:, None] - scores) ** 2
    if items.groups is not None:
        by_item = _variances(view.covariance(grouped=False))
        null = _null_of_groups(null, _variances(covariance), by_item, squares, view.leverage)
    return _differences(teams, covariance, null, squares, unidentified)


def _no_differences() -> Differences:
    return Differences(np.zeros(0, dtype=np.int64), *[np.zeros((0, 0))] * 4)


def _null_of_groups(null: Floats, variance: Floats, by_item: Floats, squares: Floats, leverage: Floats) -> Floats:
    """The variance under "no difference" where groups of items are drawn, given that of items."""
    design = np.divide(variance, by_item, out=np.ones_like(variance), where=by_item > 0)
    return np.asarray(np.maximum(null * np.maximum(design, 1.0), squares * (leverage.mean(axis=0) ** 2).sum()))


def _differences(
    teams: Counts, covariance: Floats, null: Floats, squares: Floats, unidentified: Floats | None = None
) -> Differences:
    variance = _variances(covariance)
    differ = (variance > 0) | (squares > _SAME**2)
    error = np.sqrt(np.where(differ, variance + null, 0.0))
    unidentified = np.zeros_like(variance) if unidentified is None else unidentified
    return Differences(teams, covariance, np.sqrt(variance), error, unidentified)


def combined(parts: Sequence[tuple[Differences, Floats]], scores: Floats) -> Differences:
    """The differences of sums of independent scores, each times weights of the entries, shape (T,), from 0 on.

    Of the entries that can be compared in every part; scores are the sums. What a part leaves open under "no
    difference" counts with the larger weight of the two.
    """
    teams = reduce(np.intersect1d, (part.teams for part, _ in parts))
    sums = np.zeros((3, len(teams), len(teams)))  # covariance, variance under "no difference", unidentified
    for part, weights in parts:
        square, own = np.ix_(*[np.isin(part.teams, teams)] * 2), weights[teams]
        larger = np.maximum(own[:, None], own)
        null = np.maximum(part.error[square] ** 2 - part.spread[square] ** 2, 0.0)
        sums += own[:, None] * own * part.covariance[square], larger**2 * null, larger * part.unidentified[square]
    squares = (scores[teams, None] - scores[teams]) ** 2
    return _differences(teams, sums[0], sums[1], squares, sums[2])


def _variances(covariance: Floats) -> Floats:
    """Variance of every difference, shape (t, t); 0 where the answers cannot move it, as of label-identical teams."""
    own = np.diagonal(covariance)
    variance = own[:, None] + own - 2 * covariance
    return np.where(variance > DEPENDENT * (own[:, None] + own), variance, 0.0)


@dataclass(frozen=True, eq=False)
class LabelFunction:
    """One score of labels as a function of the cells of the teams' confusions."""

    evaluation: Evaluation
    key: ScoreKey
    cells: Cells
    scale: Floats | None
    margins: Margins
    influence: Influence

    @classmethod
    def of(cls, evaluation: Evaluation, key: ScoreKey, cells: Cells | None = None) -> "LabelFunction":
        """The score of every entry."""
        cells = evaluation.cells if cells is None else cells
        labels, scale = evaluation.task.label_set, None
        if key.prevalence != OBSERVED.name:
            prevalence = next(item for item in evaluation.prevalences if item.name == key.prevalence)
            shares = prevalence_shares(prevalence, evaluation.prevalence_counts, labels)
            scale = row_scale(Margins.of_cells(cells).prevalence, shares)
        margins = Margins.of_cells(cells, scale)
        slopes = influence(
            gradient_of(key.metric, margins, labels), cells, scale, stratified=evaluation.gold.stratified
        )
        return cls(evaluation, key, cells, scale, margins, slopes)

    @property
    def has_influence(self) -> Bools:
        """Which entries have an influence function, shape (T,): not one with a recall of 0 in a product of recalls."""
        unknown = (np.isnan(self.influence.row) | np.isnan(self.influence.diagonal)).any(axis=-1)
        if self.influence.cells is not None:
            unknown |= np.isnan(self.influence.cells).any(axis=(1, 2))
        return np.asarray(~unknown)

    @property
    def metric(self) -> Metric:
        """The metric of the score."""
        return metric_of(self.key.metric, self.evaluation.task.label_set)

    @property
    def divides_by_answers(self) -> bool:
        """Whether few answers of a class can move the score far."""
        named = named_metric(self.key.metric, self.evaluation.task.label_set)
        return named.metric.divides_by_answers or named.counts_predicted

    @property
    def is_whole(self) -> bool:
        """Whether the score is of all items alike, and averages nothing over classes."""
        named = named_metric(self.key.metric, self.evaluation.task.label_set)
        of_all = not self.metric.needs_every_class and self.metric.takes != "class" and not named.looks_at_rest
        return of_all and self.key.prevalence == OBSERVED.name

    def of_teams(self, teams: Counts) -> "LabelFunction":
        """The function for some of the entries."""
        cells = replace(self.cells, counts=self.cells.counts[teams])
        return LabelFunction.of(self.evaluation, self.key, cells)

    def null_variance_of_score(self, squares: Floats, variance: Floats) -> Floats:
        """Variance of each difference that small samples lack under "no difference", whatever the score, (T, T)."""
        null = self.null_variance_of_whole(squares, variance) if self.is_whole else self.null_variance()
        return null + self.variance_of_few_answers() if self.divides_by_answers else null

    def null_variance_of_whole(self, squares: Floats, variance: Floats) -> Floats:
        """Variance of each difference under "no difference" for a score of all items alike, shape (T, T).

        D²/N beside a variance; where there is none, D² over the items that must have moved from one cell to another.
        """
        n_items = self.cells.counts.sum(axis=1).max()
        null = squares / n_items
        first, second = np.nonzero((variance == 0) & (squares > _SAME**2))
        n_moved = np.abs(self.cells.counts[first] - self.cells.counts[second]).sum(axis=1) / 2
        null[first, second] = squares[first, second] / n_moved
        return np.asarray(null)

    def null_variance(self) -> Floats:
        """Variance of each difference if the two teams were equally good, shape (T, T).

        The influence at the mean of the two confusions times their difference, cell by cell, summed over the rows and
        over the columns, whichever leaves more.
        """
        first, second = np.triu_indices(len(self.cells.counts), k=1)
        return self._of_pairs(first, second, self._null_of_pairs, self._n_numbers)

    def _of_pairs(
        self, first: Counts, second: Counts, of_pairs: Callable[[Counts, Counts], Floats], n_numbers: int
    ) -> Floats:
        """Variances of some pairs, a few at a time to save memory, shape (T, T)."""
        n_teams, step = len(self.cells.counts), max(1, _PAIR_CELLS // max(1, n_numbers))
        matrix = np.zeros((n_teams, n_teams))
        for start in range(0, len(first), step):
            some = first[start : start + step], second[start : start + step]
            matrix[some] = of_pairs(*some)
        return matrix + matrix.T

    def _mean_cells(self, first: Counts, second: Counts) -> Cells:
        """The mean of the two confusions of some pairs."""
        return replace(self.cells, counts=(self.cells.counts[first] + self.cells.counts[second]) / 2)

    def _mean_margins(self, first: Counts, second: Counts) -> Margins:
        """The margins of that mean, which are the means of the margins."""
        own = self.margins
        parts = (own.correct, own.bias, own.prevalence, own.unanswered, own.total)
        correct, bias, prevalence, unanswered, total = ((part[first] + part[second]) / 2 for part in parts)
        matrices = cache(partial(self._mean_matrices, first, second))
        return Margins(correct, bias, prevalence, unanswered, total, prevalence > 0, made=matrices)

    def _mean_matrices(self, first: Counts, second: Counts) -> Floats:
        """The mean itself, its rows scaled, as matrices."""
        mean = self._mean_cells(first, second)
        return np.asarray(mean.dense(None if self.scale is None else mean.counts * self.scale[first][:, mean.gold]))

    def _null_of_sets(self, first: Counts, second: Counts) -> Floats:
        """Likewise for sets, whose misses and false alarms are no pairs: by label, over its gold or predicted things.

        For scores of all labels as one, and weighted ones, nothing: what the units that are drawn leave is enough.
        """
        labels = self.evaluation.task.label_set
        if not self.metric.needs_every_class or self.metric.sums:
            return np.zeros(len(first))
        margins = self._mean_margins(first, second)
        gradient, own = gradient_of(self.key.metric, margins, labels), self.margins
        moved = gradient.correct * (own.correct[first] - own.correct[second])
        moved = (moved + gradient.bias * (own.bias[first] - own.bias[second]))[..., : labels.n_scored]
        totals = (margins.prevalence, margins.bias)
        by_things = (moved**2 / np.maximum(total[..., : labels.n_scored], 1.0) for total in totals)
        return np.maximum(*map(over_classes, by_things))

    def _null_of_pairs(self, first: Counts, second: Counts) -> Floats:
        if self.evaluation.task.label_set.is_of_sets:
            return self._null_of_sets(first, second)
        cells, counts = self.cells, self.cells.counts
        mean, scale = self._mean_cells(first, second), None if self.scale is None else self.scale[first]
        gradient = gradient_of(self.key.metric, self._mean_margins(first, second), self.evaluation.task.label_set)
        slopes = influence(gradient, mean, scale, stratified=self.evaluation.gold.stratified)
        moved = slopes.at(cells.gold, cells.predicted) * (counts[first] - counts[second])
        rows, columns = cells.by_gold(moved), cells.by_predicted(moved)
        n_items, n_answers = ((sums[first] + sums[second]) / 2 for sums in (cells.prevalence, cells.answers))
        by_row = np.divide(rows**2, n_items, out=np.zeros(rows.shape), where=n_items > 0)
        by_column = np.divide(columns**2, n_answers, out=np.zeros(columns.shape), where=n_answers > 0)
        return np.maximum(over_classes(by_row), over_classes(by_column))

    @property
    def unidentified(self) -> Floats:
        """How much classes that the column's entry never predicts, and the row's does, could add to its score, (T, T).

        The precision of a class that is never predicted is not identified: with a vanishing number of answers, all of
        them right, it is 1, and nothing else moves. So a score that does not divide by answers stays as it is.
        """
        never = (self._answers == 0) & (self.margins.prevalence > 0)
        unidentified = np.zeros((len(never), len(never)))
        if not (self.divides_by_answers and never.any()):
            return unidentified
        n_classes = (self._answers > 0).astype(np.float32) @ never.astype(
            np.float32
        ).T  # so many, exactly, of each pair
        first, second = np.nonzero(n_classes)
        step = max(1, _PAIR_CELLS // max(self._n_numbers, never.shape[-1]))
        for start in range(0, len(first), step):
            above, below = first[start : start + step], second[start : start + step]
            unidentified[above, below] = self._could_add(below, (self._answers[above] > 0) & never[below])
        return unidentified

    def _could_add(self, teams: Counts, classes: Bools) -> Floats:
        """What classes that teams never predict could add to their scores at most, shape (P,)."""
        own, labels = self.margins.at(teams), self.evaluation.task.label_set
        pair, code = np.nonzero(classes)
        vanishing = np.full(len(pair), _VANISHING)
        after = self._with_answers(own, (pair, code), vanishing, vanishing)
        before = score_margins(self.key.metric, own, labels)
        return np.maximum(self.metric.scale.goodness(after) - self.metric.scale.goodness(before), 0.0)

    def variance_of_few_answers(self) -> Floats:
        """Variance of each difference that few answers of a class leave open, shape (T, T).

        One answer more moves a precision from 0 to 1, which no slope shows. Where one of two teams gives an answer
        rarely, what the class adds to their difference, but no more than right answers in place of wrong ones would add
        for that team, is taken to rest on so many items.
        """
        answers = self._answers
        rare = np.asarray(((answers > 0) & (answers < _FEW_ANSWERS)).any(axis=-1))
        first, second = np.nonzero(np.triu(rare[:, None] | rare, k=1))
        n_numbers = max(self._n_numbers, answers.shape[-1] * min(answers.shape[-1], _MOST_RESCORED))
        return self._of_pairs(first, second, self._few_answers_of_pairs, n_numbers)

    @property
    def _n_numbers(self) -> int:
        """How many numbers a pair takes: the cells of its confusions, where these are looked at the empty ones too."""
        n_classes = self.cells.n_classes
        return n_classes * (n_classes + 1) if self.metric.over == "confusions" else self.cells.gold.size

    @cached_property
    def _answers(self) -> Counts:
        """How often each team predicts each class, shape (T, C)."""
        return Margins.of_cells(self.cells).bias

    def _few_answers_of_pairs(self, first: Counts, second: Counts) -> Floats:
        answers = self._answers
        less, more = np.minimum(answers[first], answers[second]), np.maximum(answers[first], answers[second])
        fewest = np.where(less > 0, less, more)
        pair, code = np.nonzero((fewest > 0) & (fewest < _FEW_ANSWERS))
        one, other, places = first[pair], second[pair], (np.arange(len(pair)), code)
        around = self._mean_margins(first, second)
        rarer = np.where(answers[one, code] == fewest[pair, code], one, other)
        own = [(self.margins.correct[team, code], self.margins.bias[team, code]) for team in (one, other)]
        n_predicted = self.margins.bias[rarer, code]
        counts = (*own, (n_predicted, n_predicted), (0.0 * n_predicted, n_predicted))
        by_class = self._by_class(around) if self.cells.n_classes > _MOST_RESCORED else None
        if by_class is not None:
            sides = [by_class(pair, code, *each) for each in counts]
        else:
            around = around.at(pair)
            sides = [self._with_answers(around, places, *each) for each in counts]
        moved = np.minimum(np.abs(sides[0] - sides[1]), np.abs(sides[2] - sides[3]))
        squares = np.nan_to_num(moved) ** 2 / fewest[pair, code]
        return np.asarray(np.bincount(pair, squares, minlength=len(first)), dtype=np.float64)

    def _by_class(self, margins: Margins) -> "Callable[..., Floats] | None":
        """The score of some pairs with other counts of one class, from what it adds; None where that is not known."""
        named = named_metric(self.key.metric, self.evaluation.task.label_set)
        if named.reading is None and named.metric.harmonic_mean_of:
            return partial(_harmonic_mean_with, named.metric, named.margins(margins))
        if named.reading is None and named.metric.mean_of and named.metric.terms == "precisions":
            return partial(_mean_with, named.metric, named.margins(margins))
        return None

    def _with_answers(self, margins: Margins, places: tuple[Counts, Counts], correct: Floats, bias: Floats) -> Floats:
        """The score with other counts of right answers and of answers of some classes, shape (P,)."""
        new_correct, new_bias = margins.correct.astype(np.float64), margins.bias.astype(np.float64)
        new_correct[places], new_bias[places] = correct, bias
        matrices = cache(lambda: _with_column(margins.confusion, places, correct, bias))
        other = replace(margins, correct=new_correct, bias=new_bias, made=matrices)
        return score_margins(self.key.metric, other, self.evaluation.task.label_set)


def _mean_with(metric: Metric, margins: Margins, pair: Counts, code: Counts, *counts: Counts) -> Floats:
    """A mean of class scores with other counts of right answers and of answers of one class, shape (P,)."""
    correct, bias = counts
    own = replace(
        margins,
        correct=margins.correct[pair, code, None],
        bias=margins.bias[pair, code, None],
        prevalence=margins.prevalence[pair, code, None],
        averaged=margins.averaged[pair, code, None],
        made=None,
    )
    terms = METRICS[metric.mean_of].kernel
    changed = terms(replace(own, correct=correct[:, None], bias=bias[:, None])) - terms(own)
    step = np.where(own.averaged, changed, 0.0)[:, 0] / margins.n_averaged[pair]
    return np.asarray(metric.kernel(margins)[pair] + step)


def _harmonic_mean_with(metric: Metric, margins: Margins, *changed: Counts) -> Floats:
    """A harmonic mean of two means of class scores, with other counts of one class, shape (P,)."""
    first, second = (_mean_with(METRICS[slug], margins, *changed) for slug in metric.harmonic_mean_of)
    both = first + second
    return np.divide(2 * first * second, both, out=np.zeros(both.shape), where=both > 0)


def _with_column(confusion: Counts, places: tuple[Counts, Counts], correct: Floats, bias: Floats) -> Floats:
    """Confusions with other counts of right answers and answers of some classes, the wrong ones spread as they were."""
    cells, (pair, code) = confusion.astype(np.float64), places
    column, diagonal = cells[pair, :, code], (np.arange(len(code)), code)
    column[diagonal] = 0.0
    wrong = over_classes(column)
    column *= np.divide(bias - correct, wrong, out=np.zeros(wrong.shape), where=wrong > 0)[:, None]
    column[diagonal] = correct
    cells[pair, :, code] = column
    return cells
