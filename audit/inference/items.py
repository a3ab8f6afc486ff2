"""Influence values item by item: sums over groups, products of every two teams', and how much hangs on a group."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from audit.domain import OBSERVED, Evaluation, ScoreKey
from audit.domain.arrays import Bools, Counts, Floats
from audit.execution import IN_THIS_PROCESS, Blocks, Span, spans
from audit.inference.influence_blocks import (
    GroupedItems,
    Splitting,
    group_product_block,
    group_squares_block,
    group_sums,
    largest_block,
    product_block,
    squares_block,
)
from audit.inference.weighted import Sample
from audit.metrics import (
    Cells,
    Gradient,
    Influence,
    Margins,
    NamedMetric,
    named_metric,
    prevalence_shares,
    row_scale,
)
from audit.metrics.confusion import over_classes, ratio, weighted_sum

if TYPE_CHECKING:
    from audit.metrics.metric import Proportion

_VALUES = 1 << 20  # values of groups at once: 8 MB
_ROUNDING = 1e-9  # of two sums of squares that cancel
_NO_MASS = 1e-300  # in place of 0, where a score has no class in gold


@dataclass(frozen=True, eq=False)
class Items:
    """The teams' answers to every item, in the order of gold classes, and the groups of items."""

    sample: Sample
    groups: Counts | None = None  # (N,): 0 … G - 1; None where items are independent
    n_groups: int = 0  # 0 where there are none
    blocks: Blocks = IN_THIS_PROCESS  # who computes over blocks of items, or of groups

    @classmethod
    def of(
        cls,
        gold: Counts,
        predictions: Sequence[Counts],
        n_classes: int,
        groups: Counts | None = None,
        *,
        drop_missing: bool = False,
    ) -> "Items":
        """Items made from codes, with or without groups, in any order of the items."""
        sample = Sample.of(gold, predictions, n_classes, drop_missing=drop_missing)
        if groups is None:
            return cls(sample)
        names, group_of = np.unique(groups[np.argsort(gold, kind="stable")], return_inverse=True)
        return cls(sample, group_of, names.size)

    def of_teams(self, teams: Counts) -> "Items":
        """The answers of some of the teams."""
        return replace(self, sample=self.sample.of_teams(teams))

    @cached_property
    def spans(self) -> list[Span]:
        """Blocks of items, in the order of the sample."""
        return spans(self.sample.n_items, self.sample.n_teams)

    @cached_property
    def _grouped(self) -> GroupedItems:
        return GroupedItems.of(self.sample, np.asarray(self.groups), self.n_groups)

    def _weighted(self, leverage: Floats) -> GroupedItems:
        """The items group by group, each group with the weight that its leverage gives to it."""
        return replace(self._grouped, weights=leave_out_factors(leverage))

    def leverage(self, masses: Floats) -> Floats:
        """The mass of the items of each group, shape (1, G), given that of each class, which its items share."""
        counts = np.diff(self.sample.bounds)
        in_gold = counts > 0
        weights = np.divide(masses, counts, out=np.zeros(len(masses)), where=in_gold)
        groups = np.asarray(self.groups)
        own = np.bincount(groups, weights[self.sample.gold], minlength=self.n_groups)
        return own[None].astype(np.float64)

    def class_leverage(self, proportion: "Proportion", scale: Floats | None, code: int) -> Floats:
        """The part of each group in what the score of one class is a share of, shape (T, G)."""
        leverage = np.empty((self.sample.n_teams, self.n_groups))
        for teams in self._few_teams():
            leverage[teams] = self._class_leverages(teams, proportion, scale)[..., code]
        return leverage

    def sums(self, values: Influence) -> Floats:
        """Values of the answers, summed over each group, shape (T, G)."""
        return group_sums((self._grouped, values), (0, self.n_groups))

    def by_group(self, influence: Influence, leverage: Floats) -> Floats:
        """How far each score would move without each group, shape (T, G)."""
        return group_sums((self._weighted(leverage), influence), (0, self.n_groups))

    def design_effect(self, influence: Influence, leverage: Floats) -> Floats:
        """The factor by which groups increase the variance of each score, at least 1, shape (T,).

        Computed in this process: it is asked for score by score, and starting others costs more than each saves.
        """
        grouped = self._weighted(leverage)
        by_item = IN_THIS_PROCESS.sum(squares_block, (self.sample, influence), self.spans)
        by_group = IN_THIS_PROCESS.sum(group_squares_block, (grouped, influence), grouped.spans)
        return np.where(
            in_one_group(leverage), float(self.sample.n_items), design_effect_of(by_group, by_item)
        )

    def class_design_effects(
        self, gradient: Gradient, cells: Cells, scale: Floats | None, proportion: "Proportion"
    ) -> Floats:
        """The factor by which groups increase the variance of each class's score, at least 1, shape (T, C).

        An answer p adds to the score of class p; where gold rows keep their mass, every item also takes from the score
        of each class the mean of its row.
        """
        effects = np.empty(gradient.correct.shape)
        for teams in self._few_teams():
            confusions = replace(cells, counts=cells.counts[teams]).dense()
            leverage = self._class_leverages(teams, proportion, scale)
            effects[teams] = self._class_design_effects(
                teams, gradient, confusions, scale, leverage
            )
        return effects

    def _few_teams(self) -> Iterator[slice]:
        """All teams, as many at a time as arrays by group and class have room for."""
        n_classes = self.sample.n_classes
        n_values = n_classes * max(self.n_groups, n_classes)
        step = max(1, _VALUES // n_values)
        for start in range(0, self.sample.n_teams, step):
            yield slice(start, start + step)

    def _class_leverages(
        self, teams: slice, proportion: "Proportion", scale: Floats | None
    ) -> Floats:
        """The part of each group in what the score of each class is a share of, shape (t, G, C)."""
        n_classes = self.sample.n_classes
        n_teams = len(self.sample.answers(teams))
        factor = np.ones((1, n_classes))
        if scale is not None:
            factor = scale[teams]
        gold = self._gold_by_group(teams) * factor[:, None]
        # of an answer to an item of class g its factor, to the class that is answered
        of_answer = np.broadcast_to(factor[..., None], (n_teams, n_classes, n_classes))
        correct = self._group_sums(teams, np.eye(n_classes) * of_answer)
        bias = self._group_sums(teams, of_answer)
        no_unanswered = np.zeros((*bias.shape[:-1], 1))
        answers = np.concatenate([bias, no_unanswered], axis=-1)
        _, trials = proportion(Margins.of_answers(correct, answers, gold))
        return ratio(trials, trials.sum(axis=1, keepdims=True))

    def _class_design_effects(
        self,
        teams: slice,
        gradient: Gradient,
        confusions: Counts,
        scale: Floats | None,
        leverage: Floats,
    ) -> Floats:
        """Σ_G (S_G/(1 − h_G))² / Σψ² of each class's score, at least 1, shape (t, C).

        ψ of an item of gold class g with answer p, for the score of class j: what its answer adds, of_answer[g, j]
        where p = j, and row[g, j] whatever it answers.
        """
        n_classes = self.sample.n_classes
        own_class = np.eye(n_classes)
        prevalence = confusions.sum(axis=-1)
        predicted = confusions[..., :-1]
        correct = gradient.correct[teams][:, None, :]
        bias = gradient.bias[teams][:, None, :]
        slope = own_class * correct + bias  # of an answer j, by gold class
        if scale is None:
            of_answer = slope
            of_gold = own_class * gradient.prevalence[teams][:, None, :]
            row = of_gold + gradient.total[teams][:, None, :]
        else:
            factor = scale[teams][..., None]
            of_answer = factor * slope
            # scaled rows keep their mass: an item takes the mean of its row from every class
            shares = np.divide(
                confusions,
                prevalence[..., None],
                out=np.zeros(confusions.shape),
                where=confusions > 0,
            )
            row = -factor * shares[..., :-1] * slope
        # Σψ² = Σ_g n_g row² + Σ_gj x_gj (of_answer² + 2 of_answer · row)
        of_rows = np.einsum("tg,tgj->tj", prevalence, row**2)
        of_answers = np.einsum("tgj,tgj->tj", predicted, of_answer**2 + 2 * of_answer * row)
        by_item = of_answers + of_rows
        by_item = np.where(by_item > _ROUNDING * of_rows, by_item, 0.0)
        gold_by_group = self._gold_by_group(teams)
        sums = self._group_sums(teams, of_answer) + np.einsum("tag,tgj->taj", gold_by_group, row)
        by_group = ((sums * leave_out_factors(leverage)) ** 2).sum(axis=1)
        effects = design_effect_of(by_group, by_item)
        return np.where(in_one_group(leverage, axis=1), float(self.sample.n_items), effects)

    def _gold_by_group(self, teams: slice) -> Floats:
        """Items of each gold class in each group, without those that a team dropped, shape (t or 1, G, C)."""
        n_classes = self.sample.n_classes
        n_cells = self.n_groups * n_classes
        cell = np.asarray(self.groups) * n_classes + self.sample.gold
        counts = np.bincount(cell, minlength=n_cells)[None]
        answers = self.sample.answers(teams)
        n_teams = len(answers)
        team, item = np.nonzero(answers > n_classes)
        if team.size:
            dropped = np.bincount(team * n_cells + cell[item], minlength=n_teams * n_cells)
            counts = counts - dropped.reshape(n_teams, n_cells)
        return counts.reshape(-1, self.n_groups, n_classes).astype(np.float64)

    def _group_sums(self, teams: slice, of_answer: Floats) -> Floats:
        """The values that the answers in each group add to the score of each class, shape (t, G, C)."""
        shape = (len(of_answer), self.n_groups, self.sample.n_classes)
        answers = self.sample.answers(teams).astype(np.intp)
        team, item = np.nonzero(answers < self.sample.n_classes)
        answer = answers[team, item]
        group = np.asarray(self.groups)[item]
        place = np.ravel_multi_index((team, group, answer), shape)
        values = of_answer[team, self.sample.gold[item], answer]
        sums = np.bincount(place, values, minlength=math.prod(shape))
        return sums.astype(np.float64).reshape(shape)

    def covariance(self, influence: Influence, leverage: Floats | None = None) -> Floats:
        """Covariance of the teams' scores, shape (T, T): ΨΨᵀ over items, or over groups where leverage is given."""
        if leverage is None:
            splitting = Splitting.of(influence.bound, self.sample.n_items)
            shared = (self.sample, influence, splitting)
            return splitting.gram(self.blocks.sum(product_block, shared, self.spans))
        grouped = self._weighted(leverage)
        bounds = list(self.blocks.map(largest_block, (grouped, influence), grouped.spans))
        splitting = Splitting.of(np.max(bounds, axis=0), self.n_groups)
        of_groups = (grouped, influence, splitting)
        return splitting.gram(self.blocks.sum(group_product_block, of_groups, grouped.spans))


def items_of(
    evaluation: Evaluation, predictions: Sequence[Counts], blocks: Blocks = IN_THIS_PROCESS
) -> Items:
    """The answers that were scored, with the groups of items, and who computes over blocks of them."""
    items = Items.of(
        evaluation.gold.codes,
        predictions,
        len(evaluation.task.label_set),
        evaluation.gold.groups,
        drop_missing=evaluation.task.policies.missing == "drop",
    )
    return replace(items, blocks=blocks)


def design_effect_of(by_group: Floats, by_item: Floats) -> Floats:
    """Design effect from the sums of squares by group and by item, at least 1; 1 where nothing but rounding varies."""
    varies = by_item > _ROUNDING**2
    effect = np.divide(by_group, by_item, out=np.ones(np.shape(by_item)), where=varies)
    return np.maximum(1.0, effect)


def leave_out_factors(leverage: Floats) -> Floats:
    """How many times a group's influence a score moves by when the group is left out; 0 where nothing would be left."""
    return np.divide(
        1.0, 1 - leverage, out=np.zeros(leverage.shape), where=leverage < 1 - _ROUNDING
    )


def worth_of(leverage: Floats) -> Floats:
    """How many groups of one size the groups with these leverages are worth, shape (T,); 0 where none has any."""
    squares = (leverage**2).sum(axis=-1)
    return ratio(np.ones(squares.shape), squares)


def in_one_group(leverage: Floats, axis: int = -1) -> Bools:
    """Whether all of a score is one group's, so that nothing tells how it varies."""
    return np.asarray((leverage >= 1 - _ROUNDING).any(axis=axis))


def leverage_by(evaluation: Evaluation, key: ScoreKey, items: Items, entries: Counts) -> Floats:
    """The share of a score that is each group's, as `leverage_of` has it, for some entries, whose answers are given."""
    labels = evaluation.task.label_set
    prevalence = evaluation.prevalence_of(key)
    shares = prevalence_shares(prevalence, evaluation.prevalence_counts, labels)
    scale = None
    if prevalence.name != OBSERVED.name:
        scale = row_scale(evaluation.cells.prevalence[entries], shares)
    return leverage_of(named_metric(key.metric, labels), items, shares, scale)


def leverage_of(named: NamedMetric, items: Items, shares: Floats, scale: Floats | None) -> Floats:
    """The share of a score that is each group's, shape (1, G), or (T, G) of the score of one class.

    Of a score of all items alike it is the mass of its items; of an average over classes each class counts alike; of a
    score of one class, its part in what the score is a share of.
    """
    if named.parts:
        leverages = [leverage_of(part, items, shares, scale) for part in named.parts]
        return weighted_sum(leverages, named.weights) / sum(named.weights)
    if named.metric.takes == "class" and named.metric.proportion:
        return items.class_leverage(named.metric.proportion, scale, named.code)
    counts = np.diff(items.sample.bounds)
    return items.leverage(masses_of(named, counts, shares))


def masses_of(named: NamedMetric, counts: Counts, shares: Floats) -> Floats:
    """The part of a score of all items, or of an average over classes, that each class's items have, shape (C,)."""
    in_gold = counts > 0
    n_items = over_classes(counts)
    of_gold = Margins(counts, counts, counts, 0 * n_items, n_items, averaged=in_gold)
    averaged = named.margins(of_gold).averaged & in_gold
    masses = np.where(averaged, shares, 0.0)
    if named.metric.needs_every_class and not named.metric.sums:
        masses = averaged
    return masses / max(float(masses.sum()), _NO_MASS)
