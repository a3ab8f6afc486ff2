"""Influence values item by item: their sums over groups, and the products of every two teams'."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from audit.domain import Evaluation
from audit.inference.weighted_sample import Sample
from audit.metrics import Gradient, Influence
from audit.metrics.confusion import Counts, Floats

_VALUES = 1 << 20  # influence values at once: 8 MB
_ROUNDING = 1e-9  # of two sums of squares that cancel
_EXACT_BITS = 53  # integers below 2^53 are exact in float64, and so is their sum in any order


@dataclass(frozen=True, eq=False)
class Items:
    """The teams' answers to every item, in the order of gold classes, and the groups of items.

    Parameters
    ----------
    sample : Sample
        The answers.
    groups : ndarray of int, shape (N,), optional
        Which of the G groups, 0 … G - 1, each item belongs to, in the order of the sample; None where items are
        independent.
    n_groups : int
        G; 0 where there are none.
    """

    sample: Sample
    groups: Counts | None = None
    n_groups: int = 0

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
        """From codes, and groups by any numbers, in any order of items; as for `count_confusions`."""
        sample = Sample.of(gold, predictions, n_classes, drop_missing=drop_missing)
        if groups is None:
            return cls(sample)
        names, group_of = np.unique(groups[np.argsort(gold, kind="stable")], return_inverse=True)
        return cls(sample, group_of, names.size)

    @property
    def n_units(self) -> int:
        """How many independent draws there are: G groups, or N items."""
        return self.n_groups or self.sample.n_items

    def of_teams(self, teams: Counts) -> "Items":
        """The answers of some of the teams."""
        return replace(self, sample=replace(self.sample, predictions=self.sample.predictions[teams]))

    def values(self, influence: Influence) -> Iterator[tuple[slice, Floats]]:
        """Influence values of the answers to some items at a time, shape (T, n); 0 for those that were dropped."""
        answers, step = self.sample.predictions, max(1, _VALUES // self.sample.n_teams)
        for code, (start, stop) in enumerate(pairwise(self.sample.bounds.tolist())):
            if start == stop:
                continue
            of_answer = np.pad(influence.of_gold(code), ((0, 0), (0, 1)))
            for first in range(start, stop, step):
                items = slice(first, min(first + step, stop))
                yield items, np.take_along_axis(of_answer, answers[:, items].astype(np.intp), axis=1)

    def by_group(self, influence: Influence) -> Floats:
        """Influence values summed by group, shape (T, G)."""
        assert self.groups is not None  # noqa: S101 - asked of groups alone
        sums = np.zeros((self.sample.n_teams, self.n_groups))
        for items, values in self.values(influence):
            order = np.argsort(self.groups[items], kind="stable")
            there, starts = np.unique(self.groups[items][order], return_index=True)
            sums[:, there] += np.add.reduceat(values[:, order], starts, axis=1)
        return sums

    def design_effect(self, influence: Influence) -> Floats:
        """By how much groups blow up the variance of each score, at least 1, shape (T,)."""
        if self.groups is None:
            return np.ones(self.sample.n_teams)
        by_item = sum((values**2).sum(axis=1) for _, values in self.values(influence))
        return blown_up((self.by_group(influence) ** 2).sum(axis=1), np.asarray(by_item), self.n_groups)

    def class_design_effects(self, gradient: Gradient, confusions: Counts, scale: Floats | None) -> Floats:
        """Likewise of one score of every class, shape (T, C).

        An answer p adds to the score of class p; where gold rows keep their mass, every item also takes from the score
        of each class the mean of its row.
        """
        found = np.empty(gradient.correct.shape)
        step = max(1, _VALUES // (self.sample.n_classes * max(self.n_groups, self.sample.n_classes)))
        for start in range(0, self.sample.n_teams, step):
            teams = slice(start, start + step)
            found[teams] = self._class_design_effects(teams, gradient, confusions[teams], scale)
        return found

    def _class_design_effects(
        self, teams: slice, gradient: Gradient, confusions: Counts, scale: Floats | None
    ) -> Floats:
        n_classes, prevalence = self.sample.n_classes, confusions.sum(axis=-1)
        correct, bias = gradient.correct[teams], gradient.bias[teams]
        factor = np.ones(prevalence.shape) if scale is None else scale[teams]
        own = np.eye(n_classes)[:, :] * correct[:, None, :] + bias[:, None, :]  # of an answer, by gold class
        if scale is None:
            row = np.eye(n_classes) * gradient.prevalence[teams][:, None, :]
        else:
            shares = np.divide(confusions, prevalence[..., None], out=np.zeros(confusions.shape), where=confusions > 0)
            row = -factor[..., None] * shares[..., :-1] * own
        of_answer = factor[..., None] * own
        by_item = np.einsum("tgj,tgj->tj", confusions[..., :-1], of_answer**2 + 2 * of_answer * row)
        by_row = np.einsum("tg,tgj->tj", prevalence, row**2)
        by_item = np.where(by_item + by_row > _ROUNDING * by_row, by_item + by_row, 0.0)
        sums = self._group_sums(teams, of_answer) + np.einsum("tag,tgj->taj", self._gold_by_group(teams), row)
        return blown_up((sums**2).sum(axis=1), by_item, self.n_groups)

    def _gold_by_group(self, teams: slice) -> Floats:
        """Items of each gold class in each group, without those that a team dropped, shape (t or 1, G, C)."""
        n_classes, n_cells = self.sample.n_classes, self.n_groups * self.sample.n_classes
        gold = np.repeat(np.arange(n_classes), np.diff(self.sample.bounds))
        cell = np.asarray(self.groups) * n_classes + gold
        counts = np.bincount(cell, minlength=n_cells)[None]
        team, item = np.nonzero(self.sample.predictions[teams] > n_classes)
        if team.size:
            n_teams = len(self.sample.predictions[teams])
            dropped = np.bincount(team * n_cells + cell[item], minlength=n_teams * n_cells)
            counts = counts - dropped.reshape(n_teams, n_cells)
        return counts.reshape(-1, self.n_groups, n_classes).astype(np.float64)

    def _group_sums(self, teams: slice, of_answer: Floats) -> Floats:
        """What the answers in each group add to the score of each class, shape (t, G, C)."""
        n_classes, n_teams = self.sample.n_classes, len(of_answer)
        gold = np.repeat(np.arange(n_classes), np.diff(self.sample.bounds))
        answers = self.sample.predictions[teams].astype(np.intp)
        answered = answers < n_classes
        team, item = np.nonzero(answered)
        answer = answers[team, item]
        place = (team * self.n_groups + np.asarray(self.groups)[item]) * n_classes + answer
        sums = np.bincount(place, of_answer[team, gold[item], answer], minlength=n_teams * self.n_groups * n_classes)
        return sums.astype(np.float64).reshape(n_teams, self.n_groups, n_classes)

    def covariance(self, influence: Influence, *, grouped: bool) -> Floats:
        """Covariance of the teams' scores: the products of their influence values, summed over units, shape (T, T).

        Of groups, which are few, the sum is that of an unbiased estimate.
        """
        if grouped and self.groups is not None:
            sums = self.by_group(influence)
            products = exact_gram([sums], np.abs(sums).max(axis=1, initial=0.0), self.n_groups)
            return products * finite(self.n_groups)
        return exact_gram((values for _, values in self.values(influence)), influence.bound, self.sample.n_items)


def items_of(evaluation: Evaluation, predictions: Sequence[Counts]) -> Items:
    """The answers that were scored, with the groups of items."""
    return Items.of(
        evaluation.gold.codes,
        predictions,
        len(evaluation.task.label_set),
        evaluation.gold.groups,
        drop_missing=evaluation.task.policies.missing == "drop",
    )


def blown_up(by_group: Floats, by_item: Floats, n_groups: int) -> Floats:
    """Design effect from the sums of squares by group and by item, at least 1."""
    ratio = np.divide(by_group, by_item, out=np.ones(np.shape(by_group)), where=by_item > 0)
    return np.maximum(1.0, finite(n_groups) * ratio)


def finite(n_groups: int) -> float:
    """By how much a variance over so many groups is too small: G/(G - 1)."""
    return n_groups / max(n_groups - 1, 1)


def exact_gram(blocks: Iterable[Floats], largest: Floats, n_columns: int) -> Floats:
    """Ψ Ψᵀ, the same to the last bit whatever processor multiplies, in whatever order.

    Each value is split into two integers of few bits. Products of these sum to integers that float64 holds exactly, and
    so do those of their sums, which say what the mixed products are.

    Parameters
    ----------
    blocks : iterable of ndarray, shape (T, n)
        Ψ, some columns at a time.
    largest : ndarray, shape (T,)
        A bound of the absolute values in each row.
    n_columns : int
        Columns of all blocks together, N: values are exact to (49 - log2 N) bits of their row's bound.

    Examples
    --------
    >>> psi = np.array([[0.5, -0.25, 0.0], [0.1, 0.2, -0.3]])
    >>> exact_gram([psi[:, :2], psi[:, 2:]], np.array([0.5, 0.3]), 3).round(6).tolist()
    [[0.3125, 0.0], [0.0, 0.14]]
    """
    bits = (_EXACT_BITS - 2 - max(1, n_columns).bit_length()) // 2
    unit = np.ldexp(1.0, np.frexp(largest)[1] - bits)[:, None]  # every value is at most 2^bits of it
    of_whole, of_rest, of_sums = np.zeros((3, len(largest), len(largest)))
    for block in blocks:
        scaled = block / unit
        whole = np.rint(scaled)
        rest = np.rint(np.ldexp(scaled - whole, bits))
        of_whole += whole @ whole.T
        of_rest += rest @ rest.T
        whole += rest
        of_sums += whole @ whole.T
    mixed = of_sums - of_whole - of_rest
    return np.asarray((of_whole + np.ldexp(mixed, -bits) + np.ldexp(of_rest, -2 * bits)) * unit * unit.T)
