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
    NamedMetric,
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
            prevalence = evaluation.prevalence_of(key)
            shares = prevalence_shares(prevalence, evaluation.prevalence_counts, labels)
            scale = row_scale(Margins.of_cells(cells).prevalence, shares)
        margins = Margins.of_cells(cells, scale)
        gradient = gradient_of(key.metric, margins, labels)
        slopes = influence(gradient, cells, scale, stratified=evaluation.gold.stratified)
        return cls(evaluation, key, entries, items.of_teams(entries), cells, scale, margins, slopes)

    @property
    def _named(self) -> NamedMetric:
        return named_metric(self.key.metric, self.evaluation.task.label_set)

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
        by_class = list(values_of(sample, self.influence, (0, sample.n_items)))
        values = np.empty((sample.n_teams, sample.n_items))
        order = np.argsort(self.evaluation.gold.codes, kind="stable")
        values[:, order] = np.concatenate(by_class, axis=1)
        return values

    @property
    def by_group(self) -> Floats:
        """How far each score moves without each group, shape (t, G)."""
        return self.answers.by_group(self.influence, self.leverage)

    def shared(self) -> tuple[Floats, Floats]:
        """What each group has of the scores, in both ways that :mod:`audit.inference.contributions` shares them."""
        by_influence = self._sharing.by_influence(self._named)
        by_class = self._sharing.by_class(self._named)
        return self.answers.sums(by_influence), self.answers.sums(by_class)

    def gold_leverage(self) -> Floats:
        """The share of gold's part of the scores that is each group's, shape (G,)."""
        sharing = self._sharing
        masses = gold_masses(self._named, sharing.margins, sharing.counts, sharing.shares)
        return np.asarray(self.answers.leverage(masses)[0])

    @cached_property
    def _sharing(self) -> Shared:
        evaluation = self.evaluation
        gold_counts = evaluation.prevalence_counts
        prevalence = evaluation.prevalence_of(self.key)
        shares = prevalence_shares(prevalence, gold_counts, evaluation.task.label_set)
        counts = np.diff(self.answers.sample.bounds)
        stratified = evaluation.gold.stratified
        return Shared(self.cells, self.margins, self.scale, counts, shares, stratified)

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
            return self.evaluation.scores_of(self.key)[self.entries]
        labels = self.evaluation.task.label_set
        return score_margins(self.key.metric, self.margins, labels)

    @property
    def metric(self) -> Metric:
        """The metric of the score."""
        return metric_of(self.key.metric, self.evaluation.task.label_set)

    @property
    def divides_by_answers(self) -> bool:
        """Whether few answers of a class can move the score far."""
        named = self._named
        is_of_precisions = named.metric.terms == "precisions"
        return named.metric.divides_by_answers or is_of_precisions or named.counts_predicted

    @property
    def is_whole(self) -> bool:
        """Whether the score is of all items alike, and averages nothing over classes."""
        if self.metric.needs_every_class or self.metric.takes == "class":
            return False
        is_of_all_labels = all(part.rest is None for part in self._named.scores)
        return is_of_all_labels and self.key.prevalence == OBSERVED.name

    def null_variance(self) -> Floats:
        """Variance of each difference that small samples lack under "no difference", shape (t, t)."""
        if self.is_whole:
            null = self._null_of_whole()
        else:
            null = self._null_of_means()
        if self.divides_by_answers:
            return null + self.variance_of_few_answers()
        return null

    def beyond_groups(self) -> Floats:
        """Variance of each difference beside that of what groups add to it, shape (t, t).

        What few answers of a class leave open, and for a product of recalls, which bends most, the variance under "no
        difference" of single items.
        """
        beyond = np.zeros((len(self.entries),) * 2)
        if self.divides_by_answers:
            beyond = self.variance_of_few_answers()
        if any(part.metric.terms == "product of recalls" for part in self._named.scores):
            beyond = beyond + self._null_of_means()
        return beyond

    def _null_of_whole(self) -> Floats:
        """Of a score of all items alike D²/N beside a variance, else D² over the items that must have moved, (T, T)."""
        counts = self.cells.counts
        squares = (self.values[:, None] - self.values) ** 2
        null = squares / counts.sum(axis=1).max()
        is_unmoved = (variances(self.covariance) == 0) & (squares > SAME**2)
        first, second = np.nonzero(is_unmoved)
        n_moved = np.abs(counts[first] - counts[second]).sum(axis=1) / 2
        null[first, second] = squares[first, second] / n_moved
        return np.asarray(null)

    def _null_of_means(self) -> Floats:
        """Of a mean over classes, pair by pair, shape (T, T)."""
        first, second = np.triu_indices(len(self.cells), k=1)
        return self._of_pairs(first, second, self._null_of_pairs, self._n_numbers)

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

        def mean(part: Counts) -> Floats:
            return (part[first] + part[second]) / 2

        @cache
        def matrices() -> Floats:
            """The mean itself, its rows scaled."""
            cells = self._mean_cells(first, second)
            if self.scale is None:
                return cells.dense()
            return cells.dense(cells.counts * self.scale[first][:, cells.gold])

        prevalence = mean(own.prevalence)
        return Margins(
            mean(own.correct),
            mean(own.bias),
            prevalence,
            mean(own.unanswered),
            mean(own.total),
            averaged=prevalence > 0,
            made=matrices,
        )

    def _null_of_sets(self, first: Counts, second: Counts) -> Floats:
        """Likewise for sets, whose misses and false alarms are no pairs: by label, over its gold or predicted things.

        max(Σ_l q_l²/n_l, Σ_l q_l²/b_l), where q_l is how far label l moves the score: slopes at the mean of the two
        times their difference (SETS.md, section 4). For scores of all labels as one, and weighted ones, nothing: what
        the units that are drawn leave is enough.
        """
        labels = self.evaluation.task.label_set
        if not self.metric.needs_every_class or self.metric.sums:
            return np.zeros(len(first))
        own = self.margins
        mean = self._mean_margins(first, second)
        gradient = gradient_of(self.key.metric, mean, labels)
        by_correct = gradient.correct * (own.correct[first] - own.correct[second])
        by_bias = gradient.bias * (own.bias[first] - own.bias[second])
        scored = slice(labels.n_scored)
        squares = (by_correct + by_bias)[..., scored] ** 2
        over_gold = over_classes(squares / np.maximum(mean.prevalence[..., scored], 1.0))
        over_answers = over_classes(squares / np.maximum(mean.bias[..., scored], 1.0))
        return np.maximum(over_gold, over_answers)

    def _null_of_pairs(self, first: Counts, second: Counts) -> Floats:
        """Variance of the differences of some pairs if both teams were equally good, for a mean over classes, (P,).

        max(Σ_g (Σ_p q_gp)²/n_g, Σ_p (Σ_g q_gp)²/b̄_p) with q_gp = ψ_gp · (x_a − x_b)_gp, ψ being the influence at the
        mean of the two confusions x (STATISTICS.md, section 3).
        """
        labels = self.evaluation.task.label_set
        if labels.supports(Feature.UNITS):
            return self._null_of_sets(first, second)
        cells = self.cells
        scale = None
        if self.scale is not None:
            scale = self.scale[first]
        mean = self._mean_cells(first, second)
        gradient = gradient_of(self.key.metric, self._mean_margins(first, second), labels)
        slopes = influence(gradient, mean, scale, stratified=self.evaluation.gold.stratified)
        moved = slopes.at(cells.gold, cells.predicted) * (
            cells.counts[first] - cells.counts[second]
        )
        mean_gold = (cells.prevalence[first] + cells.prevalence[second]) / 2
        mean_answers = (cells.answers[first] + cells.answers[second]) / 2
        by_row = over_classes(ratio(cells.by_gold(moved) ** 2, mean_gold))
        by_column = over_classes(ratio(cells.by_predicted(moved) ** 2, mean_answers))
        return np.maximum(by_row, by_column)

    @property
    def unidentified(self) -> Floats:
        """How much classes that the column's entry never predicts, and the row's does, could add to its score, (T, T).

        The precision of a class that is never predicted is not identified: with a vanishing number of answers, all of
        them right, it is 1, and nothing else moves. So a score that does not divide by answers stays as it is.
        """
        is_predicted = self._answers > 0
        is_never = (self._answers == 0) & (self.margins.prevalence > 0)
        n_teams, n_classes = is_never.shape
        unidentified = np.zeros((n_teams, n_teams))
        if not (self.divides_by_answers and is_never.any()):
            return unidentified
        # As floats, which are exact for so few: a product of integers takes no library of linear algebra.
        n_open = is_predicted.astype(np.float32) @ is_never.astype(np.float32).T
        first, second = np.nonzero(n_open)
        step = max(1, _PAIR_CELLS // max(self._n_numbers, n_classes))
        for start in range(0, len(first), step):
            above = first[start : start + step]
            below = second[start : start + step]
            open_classes = is_predicted[above] & is_never[below]
            unidentified[above, below] = self._could_add(below, open_classes)
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
        """Variance of each difference where teams seldom give an answer that a score divides by, shape (T, T).

        One answer more moves a precision from 0 to 1, which no slope shows. Where one of two teams gives an answer
        rarely, what the class adds to their difference, but no more than right answers in place of wrong ones would add
        for that team, is taken to rest on so many items.
        """
        answers = self._answers
        n_classes = answers.shape[-1]
        has_rare = np.asarray(((answers > 0) & (answers < _FEW_ANSWERS)).any(axis=-1))
        first, second = np.nonzero(np.triu(has_rare[:, None] | has_rare, k=1))
        n_numbers = max(self._n_numbers, n_classes * min(n_classes, _MOST_RESCORED))
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
        """Σ over classes with m < 10 of min(|s(a) − s(b)|, |s(m, m) − s(0, m)|)²/m, of some pairs, shape (P,).

        m is the smaller positive number of the two teams' answers of a class, and s the score at the mean of their
        confusions with that class's (hits, answers) replaced (STATISTICS.md, section 3).
        """
        own = self.margins
        answers = self._answers
        fewer = np.minimum(answers[first], answers[second])
        more = np.maximum(answers[first], answers[second])
        fewest = np.where(fewer > 0, fewer, more)
        pair, code = np.nonzero((fewest > 0) & (fewest < _FEW_ANSWERS))
        one = first[pair]
        other = second[pair]
        n_fewest = fewest[pair, code]
        rarer = np.where(answers[one, code] == n_fewest, one, other)
        n_predicted = own.bias[rarer, code]
        hits_and_answers = (
            (own.correct[one, code], own.bias[one, code]),
            (own.correct[other, code], own.bias[other, code]),
            (n_predicted, n_predicted),
            (0.0 * n_predicted, n_predicted),
        )
        mean = self._mean_margins(first, second)
        by_class = None
        if self.cells.n_classes > _MOST_RESCORED:
            by_class = self._by_class(mean)
        if by_class is not None:
            scores = [by_class(pair, code, *counts) for counts in hits_and_answers]
        else:
            mean = mean.at(pair)
            places = (np.arange(len(pair)), code)
            scores = [self._with_answers(mean, places, *counts) for counts in hits_and_answers]
        of_a, of_b, all_right, none_right = scores
        moved = np.minimum(np.abs(of_a - of_b), np.abs(all_right - none_right))
        squares = np.nan_to_num(moved) ** 2 / n_fewest
        return np.asarray(np.bincount(pair, squares, minlength=len(first)), dtype=np.float64)

    def _by_class(self, margins: Margins) -> "Callable[..., Floats] | None":
        """The score of some pairs with other counts of one class, from what it adds; None where that is not known."""
        named = self._named
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
        new_correct[places] = correct
        new_bias = margins.bias.astype(np.float64)
        new_bias[places] = bias
        matrices = cache(lambda: _with_column(margins.confusion, places, correct, bias))
        other = replace(margins, correct=new_correct, bias=new_bias, made=matrices)
        return score_margins(self.key.metric, other, self.evaluation.task.label_set)


def _mean_with(  # noqa: PLR0913, PLR0917 - a mean, a class of each pair, and its other counts
    metric: Metric,
    margins: Margins,
    pair: Counts,
    code: Counts,
    correct: Floats,
    bias: Floats,
) -> Floats:
    """A mean of class scores with other counts of right answers and of answers of one class, shape (P,)."""
    own = replace(
        margins,
        correct=margins.correct[pair, code, None],
        bias=margins.bias[pair, code, None],
        prevalence=margins.prevalence[pair, code, None],
        averaged=margins.averaged[pair, code, None],
        made=None,
    )
    class_score = METRICS[metric.mean_of].kernel
    changed = replace(own, correct=correct[:, None], bias=bias[:, None])
    gain = np.where(own.averaged, class_score(changed) - class_score(own), 0.0)[:, 0]
    return metric.kernel(margins)[pair] + gain / margins.n_averaged[pair]


def _harmonic_mean_with(  # noqa: PLR0913, PLR0917 - a mean, a class of each pair, and its other counts
    metric: Metric,
    margins: Margins,
    pair: Counts,
    code: Counts,
    correct: Floats,
    bias: Floats,
) -> Floats:
    """A harmonic mean of two means of class scores, with other counts of one class, shape (P,)."""
    means = [
        _mean_with(METRICS[slug], margins, pair, code, correct, bias)
        for slug in metric.harmonic_mean_of
    ]
    first, second = means
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
