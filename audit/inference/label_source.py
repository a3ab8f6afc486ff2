"""Scores of labels as a source of variance: influence by answer, and what small samples lack of a difference."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import numpy as np

from audit.domain import OBSERVED, Evaluation, Feature, ScoreKey
from audit.domain.arrays import Bools, Counts, Floats
from audit.inference.contributions import Shared, gold_masses
from audit.inference.influence_blocks import values_of
from audit.inference.items import Items, leverage_by
from audit.inference.sources import SAME, Source, variances
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
from audit.metrics.confusion import over_classes, ratio

_PAIR_CELLS = 1 << 20  # cells of pairs of confusions at once: 8 MB
# classes up to which a score with one changed is computed from all of them; above, from it alone
_MOST_RESCORED = 500
# answers of a class below which a score that divides by them is no smooth function of them
_FEW_ANSWERS = 10
_VANISHING = 1e-300  # so few answers move no score but one that divides by them


@dataclass(frozen=True, eq=False)
class LabelSource(Source):
    """One score of labels, as a function of the cells of the confusions of some entries."""

    evaluation: Evaluation
    key: ScoreKey
    entries: Counts  # (t,): which entries
    answers: Items  # their answers, and the groups of items
    cells: Cells
    scale: Floats | None
    margins: Margins
    influence: Influence

    @classmethod
    def of(
        cls, evaluation: Evaluation, key: ScoreKey, entries: Counts, items: Items
    ) -> "LabelSource":
        """The score of some entries, given the answers of all."""
        cells = replace(evaluation.cells, counts=evaluation.cells.counts[entries])
        labels = evaluation.task.label_set
        scale = None
        if key.prevalence != OBSERVED.name:
            prevalence = next(
                item for item in evaluation.prevalences if item.name == key.prevalence
            )
            shares = prevalence_shares(prevalence, evaluation.prevalence_counts, labels)
            scale = row_scale(Margins.of_cells(cells).prevalence, shares)
        margins = Margins.of_cells(cells, scale)
        slopes = influence(
            gradient_of(key.metric, margins, labels),
            cells,
            scale,
            stratified=evaluation.gold.stratified,
        )
        return cls(evaluation, key, entries, items.of_teams(entries), cells, scale, margins, slopes)

    @property
    def has_influence(self) -> Bools:
        """Which entries have an influence function, shape (t,): not one with a recall of 0 in a product of recalls."""
        unknown = (np.isnan(self.influence.row) | np.isnan(self.influence.diagonal)).any(axis=-1)
        if self.influence.cells is not None:
            unknown |= np.isnan(self.influence.cells).any(axis=(1, 2))
        return np.asarray(~unknown)

    @property
    def by_item(self) -> Floats:
        """The value that each item adds to each score, in gold order, shape (t, N); 0 for a dropped item."""
        sample = self.answers.sample
        values = np.empty((sample.n_teams, sample.n_items))
        order = np.argsort(self.evaluation.gold.codes, kind="stable")
        values[:, order] = np.concatenate(
            list(values_of(sample, self.influence, (0, sample.n_items))), axis=1
        )
        return values

    @property
    def by_group(self) -> Floats:
        """How far each score moves without each group, shape (t, G)."""
        return self.answers.by_group(self.influence, self.leverage)

    def shared(self) -> tuple[Floats, Floats]:
        """What each group has of the scores, in both ways that :mod:`audit.inference.contributions` shares them."""
        named = named_metric(self.key.metric, self.evaluation.task.label_set)
        ways = self._sharing.by_influence(named), self._sharing.by_class(named)
        return self.answers.sums(ways[0]), self.answers.sums(ways[1])

    def gold_leverage(self) -> Floats:
        """The share of gold's part of the scores that is each group's, shape (G,)."""
        sharing = self._sharing
        named = named_metric(self.key.metric, self.evaluation.task.label_set)
        masses = gold_masses(named, sharing.margins, sharing.counts, sharing.shares)
        return np.asarray(self.answers.leverage(masses)[0])

    @cached_property
    def _sharing(self) -> Shared:
        evaluation = self.evaluation
        counts = np.diff(self.answers.sample.bounds)
        prevalence = next(
            each for each in evaluation.prevalences if each.name == self.key.prevalence
        )
        shares = prevalence_shares(
            prevalence, evaluation.prevalence_counts, evaluation.task.label_set
        )
        return Shared(
            self.cells, self.margins, self.scale, counts, shares, evaluation.gold.stratified
        )

    @cached_property
    def leverage(self) -> Floats:
        """The share of the scores that is each group's, shape (1, G); of scores of one class the mean over entries."""
        leverage = leverage_by(self.evaluation, self.key, self.answers, self.entries)
        return np.asarray(leverage.mean(axis=0, keepdims=True))

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the scores as if items were drawn, shape (t, t), block by block."""
        return self.answers.covariance(self.influence)

    @cached_property
    def group_covariance(self) -> Floats:
        """Likewise where groups of them are."""
        return self.answers.covariance(self.influence, self.leverage)

    @cached_property
    def values(self) -> Floats:
        """The scores, shape (t,), of which the evaluation need have no row."""
        if self.key in self.evaluation.keys:
            return np.asarray(self.evaluation.scores_of(self.key)[self.entries])
        return np.asarray(
            score_margins(self.key.metric, self.margins, self.evaluation.task.label_set)
        )

    @property
    def metric(self) -> Metric:
        """The metric of the score."""
        return metric_of(self.key.metric, self.evaluation.task.label_set)

    @property
    def divides_by_answers(self) -> bool:
        """Whether few answers of a class can move the score far."""
        named = named_metric(self.key.metric, self.evaluation.task.label_set)
        return (
            named.metric.divides_by_answers
            or named.metric.terms == "precisions"
            or named.counts_predicted
        )

    @property
    def is_whole(self) -> bool:
        """Whether the score is of all items alike, and averages nothing over classes."""
        named = named_metric(self.key.metric, self.evaluation.task.label_set)
        of_all = not self.metric.needs_every_class and self.metric.takes != "class"
        return (
            of_all
            and all(each.rest is None for each in named.scores)
            and self.key.prevalence == OBSERVED.name
        )

    def null_variance(self) -> Floats:
        """Variance of each difference that small samples lack under "no difference", shape (t, t)."""
        pairs = np.triu_indices(len(self.cells), k=1)
        if self.is_whole:
            null = self._null_of_whole()
        else:
            null = self._of_pairs(*pairs, self._null_of_pairs, self._n_numbers)
        if self.divides_by_answers:
            return null + self.variance_of_few_answers()
        return null

    def beyond_groups(self) -> Floats:
        """Variance of each difference beside that of what groups add to it, shape (t, t).

        What few answers of a class leave open, and for a product of recalls, which bends most, the variance under "no
        difference" of single items.
        """
        named = named_metric(self.key.metric, self.evaluation.task.label_set)
        nothing = np.zeros((len(self.entries),) * 2)
        if self.divides_by_answers:
            of_few = self.variance_of_few_answers()
        else:
            of_few = nothing
        if not any(each.metric.terms == "product of recalls" for each in named.scores):
            return of_few
        return of_few + self._of_pairs(
            *np.triu_indices(len(self.cells), k=1), self._null_of_pairs, self._n_numbers
        )

    def _null_of_whole(self) -> Floats:
        """Of a score of all items alike D²/N beside a variance, else D² over the items that must have moved, (T, T)."""
        squares = (self.values[:, None] - self.values) ** 2
        null = squares / self.cells.counts.sum(axis=1).max()
        first, second = np.nonzero((variances(self.covariance) == 0) & (squares > SAME**2))
        n_moved = np.abs(self.cells.counts[first] - self.cells.counts[second]).sum(axis=1) / 2
        null[first, second] = squares[first, second] / n_moved
        return np.asarray(null)

    def _of_pairs(
        self,
        first: Counts,
        second: Counts,
        of_pairs: Callable[[Counts, Counts], Floats],
        n_numbers: int,
    ) -> Floats:
        """Variances of some pairs, a few at a time to save memory, shape (T, T)."""
        n_teams = len(self.cells.counts)
        step = max(1, _PAIR_CELLS // max(1, n_numbers))
        matrix = np.zeros((n_teams, n_teams))
        for start in range(0, len(first), step):
            some = first[start : start + step], second[start : start + step]
            matrix[some] = of_pairs(*some)
        return matrix + matrix.T

    def _mean_cells(self, first: Counts, second: Counts) -> Cells:
        return replace(
            self.cells, counts=(self.cells.counts[first] + self.cells.counts[second]) / 2
        )

    def _mean_margins(self, first: Counts, second: Counts) -> Margins:
        """The margins of that mean, which are the means of the margins."""
        own = self.margins
        parts = (own.correct, own.bias, own.prevalence, own.unanswered, own.total)
        correct, bias, prevalence, unanswered, total = (
            (part[first] + part[second]) / 2 for part in parts
        )

        @cache
        def matrices() -> Floats:
            """The mean itself, its rows scaled."""
            mean = self._mean_cells(first, second)
            return np.asarray(
                mean.dense(
                    None if self.scale is None else mean.counts * self.scale[first][:, mean.gold]
                )
            )

        return Margins(correct, bias, prevalence, unanswered, total, prevalence > 0, made=matrices)

    def _null_of_sets(self, first: Counts, second: Counts) -> Floats:
        """Likewise for sets, whose misses and false alarms are no pairs: by label, over its gold or predicted things.

        For scores of all labels as one, and weighted ones, nothing: what the units that are drawn leave is enough.
        """
        labels = self.evaluation.task.label_set
        if not self.metric.needs_every_class or self.metric.sums:
            return np.zeros(len(first))
        margins = self._mean_margins(first, second)
        gradient = gradient_of(self.key.metric, margins, labels)
        own = self.margins
        moved = gradient.correct * (own.correct[first] - own.correct[second])
        moved = (moved + gradient.bias * (own.bias[first] - own.bias[second]))[
            ..., : labels.n_scored
        ]
        totals = (margins.prevalence, margins.bias)
        by_things = (moved**2 / np.maximum(total[..., : labels.n_scored], 1.0) for total in totals)
        return np.maximum(*map(over_classes, by_things))

    def _null_of_pairs(self, first: Counts, second: Counts) -> Floats:
        """Variance of the differences of some pairs if both teams were equally good, for a mean over classes.

        The influence at the mean of the two confusions times their difference, cell by cell, summed over the rows and
        over the columns, whichever leaves more.
        """
        if self.evaluation.task.label_set.supports(Feature.UNITS):
            return self._null_of_sets(first, second)
        cells = self.cells
        counts = self.cells.counts
        mean = self._mean_cells(first, second)
        scale = None if self.scale is None else self.scale[first]
        gradient = gradient_of(
            self.key.metric, self._mean_margins(first, second), self.evaluation.task.label_set
        )
        slopes = influence(gradient, mean, scale, stratified=self.evaluation.gold.stratified)
        moved = slopes.at(cells.gold, cells.predicted) * (counts[first] - counts[second])
        rows = cells.by_gold(moved)
        columns = cells.by_predicted(moved)
        n_items, n_answers = (
            (sums[first] + sums[second]) / 2 for sums in (cells.prevalence, cells.answers)
        )
        return np.maximum(
            over_classes(ratio(rows**2, n_items)), over_classes(ratio(columns**2, n_answers))
        )

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
        # As floats, which are exact for so few: a product of integers takes no library of linear algebra.
        n_classes = (self._answers > 0).astype(np.float32) @ never.astype(np.float32).T
        first, second = np.nonzero(n_classes)
        step = max(1, _PAIR_CELLS // max(self._n_numbers, never.shape[-1]))
        for start in range(0, len(first), step):
            above = first[start : start + step]
            below = second[start : start + step]
            unidentified[above, below] = self._could_add(
                below, (self._answers[above] > 0) & never[below]
            )
        return unidentified

    def _could_add(self, teams: Counts, classes: Bools) -> Floats:
        """What classes that teams never predict could add to their scores at most, shape (P,)."""
        own = self.margins.at(teams)
        labels = self.evaluation.task.label_set
        pair, code = np.nonzero(classes)
        vanishing = np.full(len(pair), _VANISHING)
        after = self._with_answers(own, (pair, code), vanishing, vanishing)
        before = score_margins(self.key.metric, own, labels)
        return np.maximum(
            self.metric.scale.goodness(after) - self.metric.scale.goodness(before), 0.0
        )

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
        if self.metric.over == "confusions":
            return n_classes * (n_classes + 1)
        return self.cells.gold.size

    @cached_property
    def _answers(self) -> Counts:
        """How often each team predicts each class, shape (T, C)."""
        return Margins.of_cells(self.cells).bias

    def _few_answers_of_pairs(self, first: Counts, second: Counts) -> Floats:
        answers = self._answers
        less = np.minimum(answers[first], answers[second])
        more = np.maximum(answers[first], answers[second])
        fewest = np.where(less > 0, less, more)
        pair, code = np.nonzero((fewest > 0) & (fewest < _FEW_ANSWERS))
        one = first[pair]
        other = second[pair]
        places = (np.arange(len(pair)), code)
        around = self._mean_margins(first, second)
        rarer = np.where(answers[one, code] == fewest[pair, code], one, other)
        own = [
            (self.margins.correct[team, code], self.margins.bias[team, code])
            for team in (one, other)
        ]
        n_predicted = self.margins.bias[rarer, code]
        counts = (*own, (n_predicted, n_predicted), (0.0 * n_predicted, n_predicted))
        if self.cells.n_classes > _MOST_RESCORED:
            by_class = self._by_class(around)
        else:
            by_class = None
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
        if named.is_plain and named.metric.harmonic_mean_of:
            return partial(_harmonic_mean_with, named.metric, named.margins(margins))
        if named.is_plain and named.metric.mean_of and named.metric.terms == "precisions":
            return partial(_mean_with, named.metric, named.margins(margins))
        return None

    def _with_answers(
        self, margins: Margins, places: tuple[Counts, Counts], correct: Floats, bias: Floats
    ) -> Floats:
        """The score with other counts of right answers and of answers of some classes, shape (P,)."""
        new_correct = margins.correct.astype(np.float64)
        new_bias = margins.bias.astype(np.float64)
        new_correct[places], new_bias[places] = correct, bias
        matrices = cache(lambda: _with_column(margins.confusion, places, correct, bias))
        other = replace(margins, correct=new_correct, bias=new_bias, made=matrices)
        return score_margins(self.key.metric, other, self.evaluation.task.label_set)


def _mean_with(
    metric: Metric, margins: Margins, pair: Counts, code: Counts, *counts: Counts
) -> Floats:
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
    first, second = (
        _mean_with(METRICS[slug], margins, *changed) for slug in metric.harmonic_mean_of
    )
    return ratio(2 * first * second, first + second)


def _with_column(
    confusion: Counts, places: tuple[Counts, Counts], correct: Floats, bias: Floats
) -> Floats:
    """Confusions with other counts of right answers and answers of some classes, the wrong ones spread as they were."""
    cells = confusion.astype(np.float64)
    (pair, code) = places
    column = cells[pair, :, code]
    diagonal = (np.arange(len(code)), code)
    column[diagonal] = 0.0
    wrong = over_classes(column)
    column *= ratio(bias - correct, wrong)[:, None]
    column[diagonal] = correct
    cells[pair, :, code] = column
    return cells
