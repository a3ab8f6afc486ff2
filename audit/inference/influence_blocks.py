"""Influence values of a span of items, or of groups, and what they add up to: pure functions, run on any process.

A block of products is a sum of integers, exact whatever is added first. A group lies in one block: spans of groups are
cut between groups, however their items are scattered. So no byte of a covariance depends on where blocks end.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from audit.domain.arrays import Counts, Floats
from audit.execution import Span, merge, spans
from audit.inference.weighted import Sample
from audit.metrics import Influence

_VALUES = 1 << 16  # influence values at once: half a megabyte, which stays near the processor
_PIECE = 1 << 12  # items of one group and class that are summed at once
_EXACT_BITS = 53  # integers below 2^53 are exact in float64, and so is their sum in any order


@dataclass(frozen=True, eq=False)
class Splitting:
    """A splitting of values into two integers of few bits each, whose products sum exactly in float64."""

    unit: Floats  # (T, 1): the unit of each row; every value is at most 2^bits of it
    bits: int  # the bits of each integer

    @classmethod
    def of(cls, largest: Floats, n_columns: int) -> "Splitting":
        """A splitting for N columns whose rows have a bound: exact to (49 - log2 N) bits of it."""
        bits = (_EXACT_BITS - 2 - max(1, n_columns).bit_length()) // 2
        exponent = np.frexp(largest)[1]
        return cls(np.ldexp(1.0, exponent - bits)[:, None], bits)

    def products(self, columns: Iterable[Floats]) -> Floats:
        """Products of every two rows: of first integers, of second ones, and of their sums, shape (3, T, T)."""
        n_teams = len(self.unit)
        of_whole = np.zeros((n_teams, n_teams))
        of_rest = np.zeros((n_teams, n_teams))
        of_sums = np.zeros((n_teams, n_teams))
        for values in columns:
            # value = unit · (whole + 2^−bits · rest); in place, as blocks are large
            rest = values / self.unit
            whole = np.rint(rest)
            rest -= whole
            rest *= 2.0**self.bits
            np.rint(rest, out=rest)
            of_whole += whole @ whole.T
            of_rest += rest @ rest.T
            whole += rest
            of_sums += whole @ whole.T
        return np.stack([of_whole, of_rest, of_sums])

    def gram(self, products: Floats) -> Floats:
        """Ψ Ψᵀ from the products of all columns, shape (T, T).

        With w the first and r the second integers, (w + r)(w + r)ᵀ − wwᵀ − rrᵀ are the mixed products.
        """
        of_whole, of_rest, of_sums = products
        mixed = of_sums - of_whole - of_rest
        in_units = of_whole + np.ldexp(mixed, -self.bits) + np.ldexp(of_rest, -2 * self.bits)
        return np.asarray(in_units * self.unit * self.unit.T)


# Of items


def values_of(sample: Sample, influence: Influence, span: Span) -> Iterator[Floats]:
    """Influence values of a span of items, some at a time, shape (T, n); 0 for those that were dropped."""
    begin, end = span
    answers = sample.answers(items=slice(begin, end))
    step = max(1, _VALUES // sample.n_teams)
    bounds = np.clip(sample.bounds, begin, end).tolist()
    for code, (start, stop) in enumerate(pairwise(bounds)):
        if start == stop:
            continue
        of_answer = _of_answer(influence, code)
        for first in range(start, stop, step):
            last = min(first + step, stop)
            yield _looked_up(of_answer, answers[:, first - begin : last - begin])


def squares_block(shared: tuple[Sample, Influence], span: Span) -> Floats:
    """Squares of the influence values of a span of items, summed, shape (T,)."""
    return merge((values**2).sum(axis=1) for values in values_of(*shared, span))


def product_block(shared: tuple[Sample, Influence, Splitting], span: Span) -> Floats:
    """Products of every two teams over a span of items, as `Splitting.products` has them, shape (3, T, T)."""
    sample, influence, splitting = shared
    return splitting.products(values_of(sample, influence, span))


# Of groups


@dataclass(frozen=True, eq=False)
class GroupedItems:
    """The items of a sample group by group, and within a group in the order of the sample."""

    sample: Sample
    order: Counts  # (N,): which item of the sample each one is
    bounds: Counts  # (G + 1,): the place where the items of each group start, and N
    weights: Floats  # (T or 1, G): what the influence of each group is multiplied by

    @classmethod
    def of(cls, sample: Sample, groups: Counts, n_groups: int) -> "GroupedItems":
        """Grouped items made from the group of every item of the sample, 0 … G - 1."""
        order = np.argsort(groups, kind="stable").astype(np.min_scalar_type(groups.size))
        bounds = np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=n_groups))])
        return cls(sample, order, bounds, np.ones((1, n_groups)))

    @property
    def n_groups(self) -> int:
        """G."""
        return len(self.bounds) - 1

    @cached_property
    def spans(self) -> list[Span]:
        """Spans of whole groups; beside its items, a group takes the room of eight answers for its sum."""
        room = self.bounds + 8 * np.arange(self.n_groups + 1)  # before each group
        ends = [stop for _, stop in spans(int(room[-1]), self.sample.n_teams)]
        cuts = np.searchsorted(room, ends, side="right") - 1
        return list(pairwise(np.unique([0, *cuts.tolist()]).tolist()))

    def pieces(self, start: int, stop: int) -> tuple[Counts, Counts]:
        """The places where items of some groups are cut into pieces of one group and class, and the group of each.

        A piece is cut at a fixed number of items from where its class begins in its group, wherever blocks end.
        """
        first = self.bounds[start]
        last = self.bounds[stop]
        group = np.repeat(np.arange(start, stop), np.diff(self.bounds[start : stop + 1]))
        gold = self.sample.gold_of(self.order[first:last])
        group_and_class = group * self.sample.n_classes + gold
        begins = np.flatnonzero(np.diff(group_and_class, prepend=-1))
        sizes = np.diff(begins, append=group.size)
        place_within = np.arange(group.size) - np.repeat(begins, sizes)
        cuts = np.flatnonzero(place_within % _PIECE == 0)
        return first + cuts, group[cuts]


def group_sums(shared: tuple[GroupedItems, Influence], span: Span) -> Floats:
    """Influence values of groups, summed in the order of the classes, times the group's weight, shape (T, g)."""
    grouped, influence = shared
    sample = grouped.sample
    sums = np.zeros((sample.n_teams, span[1] - span[0]))
    cuts, groups = grouped.pieces(*span)
    ends = np.append(cuts[1:], grouped.bounds[span[1]])
    step = max(_PIECE, _VALUES // sample.n_teams)
    for first, last in _chunks(cuts, ends, step):
        items = grouped.order[cuts[first] : ends[last - 1]].astype(np.intp)
        values = _values_of_some(sample, influence, items)
        of_pieces = np.add.reduceat(values, cuts[first:last] - cuts[first], axis=1)
        _add_in_order(sums, groups[first:last] - span[0], of_pieces)
    return sums * grouped.weights[:, slice(*span)]


def _values_of_some(sample: Sample, influence: Influence, items: Counts) -> Floats:
    """Influence values of the answers to some items in any order, shape (T, n)."""
    answers = sample.answers(items=items)
    gold = sample.gold_of(items)
    values = np.empty(answers.shape)
    for code in np.unique(gold).tolist():
        places = np.flatnonzero(gold == code)
        values[:, places] = _looked_up(_of_answer(influence, code), answers[:, places])
    return values


def _of_answer(influence: Influence, code: int) -> Floats:
    """Influence values by answer, of items of one gold class, shape (T, C + 2): 0 for those that were dropped."""
    return np.pad(influence.of_gold(code), ((0, 0), (0, 1)))


def _looked_up(of_answer: Floats, answers: Counts) -> Floats:
    """The value of each team's answers, shape (T, n)."""
    row_starts = np.arange(0, of_answer.size, of_answer.shape[1])
    return of_answer.take(answers + row_starts[:, None])


def _chunks(cuts: Counts, ends: Counts, step: int) -> Iterator[Span]:
    """Runs of pieces with at most a given number of items together; no piece has more."""
    first = 0
    while first < len(cuts):
        last = int(np.searchsorted(ends, cuts[first] + step, side="right"))
        yield first, last
        first = last


def _add_in_order(sums: Floats, groups: Counts, of_pieces: Floats) -> None:
    """Add the pieces of each group one after the other; groups ascend."""
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    place = np.arange(groups.size) - np.repeat(begins, np.diff(begins, append=groups.size))
    for number in range(int(place.max()) + 1):
        selected = place == number
        sums[:, groups[selected]] += of_pieces[:, selected]


def largest_block(shared: tuple[GroupedItems, Influence], span: Span) -> Floats:
    """The largest absolute sum of each team over a span of groups, shape (T,)."""
    return np.asarray(np.abs(group_sums(shared, span)).max(axis=1))


def group_squares_block(shared: tuple[GroupedItems, Influence], span: Span) -> Floats:
    """Squares of the sums of a span of groups, summed, shape (T,)."""
    return np.asarray((group_sums(shared, span) ** 2).sum(axis=1))


def group_product_block(shared: tuple[GroupedItems, Influence, Splitting], span: Span) -> Floats:
    """Products of every two teams over a span of groups, as `Splitting.products` has them, shape (3, T, T)."""
    grouped, influence, splitting = shared
    sums = group_sums((grouped, influence), span)
    step = max(1, _VALUES // grouped.sample.n_teams)
    return splitting.products(
        sums[:, first : first + step] for first in range(0, sums.shape[1], step)
    )
