"""Item weights shared by teams, the answers that they weigh, and confusions under weights."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from audit.domain import CodeRows
from audit.domain.arrays import Counts

# randomizations drawn from one stream of random numbers: draws do not depend on block sizes
CHUNK = 64
_ANSWERS = 1 << 22  # answers of some teams to some items at once: 16 MB
_ROWS_AT_ONCE = 64  # rows of weights, few enough for their sums to stay in the processor's cache
Weights = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class SwapDraws:
    """Random swaps: whether two teams' answers to an item change places, for each randomization and item."""

    n_items: int  # N
    seed: int  # seeds every stream of random numbers
    groups: Counts | None = None
    """(N,): which group each item belongs to; the items of one swap together."""
    order: Counts | None = None
    """(N,): the place of each item in gold, in whose order units are drawn; None for as is."""

    def swaps(self, start: int, stop: int) -> Weights:
        """Zeros and ones of some randomizations, from a multiple of CHUNK on, shape (stop - start, N)."""
        unit_of = self._units()
        if unit_of is None:
            n_units = self.n_items
        else:
            n_units = int(unit_of.max()) + 1
        numbers = np.empty((stop - start, n_units), dtype=np.uint8)
        for first in range(start, stop, CHUNK):
            stream = np.random.default_rng([self.seed, first // CHUNK, *b"swaps"])
            _flip(numbers[first - start :][:CHUNK], stream)
        if unit_of is None:
            return numbers
        return numbers[:, unit_of]

    def _units(self) -> Counts | None:
        """The unit of each item: its place in gold, or its group by number as groups first appear there, shape (N,)."""
        if self.groups is None:
            return self.order
        if self.order is None:
            order = np.arange(self.n_items)
        else:
            order = self.order
        in_gold = np.empty(self.n_items, dtype=np.int64)
        in_gold[order] = self.groups
        _, first, group_of = np.unique(in_gold, return_index=True, return_inverse=True)
        number = np.empty(len(first), dtype=np.int64)
        number[np.argsort(first)] = np.arange(len(first))
        return number[group_of][order]


def _flip(into: Weights, stream: np.random.Generator) -> None:
    """Fill each row of a chunk, or the first of them, with zeros and ones."""
    shape = CHUNK, into.shape[1]
    bits = np.unpackbits(np.frombuffer(stream.bytes((math.prod(shape) + 7) // 8), dtype=np.uint8))
    into[:] = bits[: math.prod(shape)].reshape(shape)[: len(into)]


@dataclass(frozen=True, eq=False)
class MappedAnswers:
    """The answers of a sample that stay in the file that they are mapped from, and are sorted as they are asked for."""

    codes: CodeRows  # the codes in gold order
    order: Counts  # (N,): which item each item of the sample is in gold order
    scored_as: Counts  # (C + 2,): the answer that each code is

    @property
    def shape(self) -> tuple[int, int]:
        """Teams and items."""
        return len(self.codes), len(self.order)

    def __getitem__(self, part: "tuple[slice | Counts, slice | Counts]") -> Counts:
        """Answers of some teams to some items."""
        teams, items = part
        codes = self.of_teams(teams).codes.columns(self.order[items].astype(np.intp))
        # NumPy makes indices of eight bytes of what it looks up: of a row at a time
        for row in codes:
            np.take(self.scored_as, row, out=row, mode="clip")
        return codes

    def of_teams(self, teams: slice | Counts) -> "MappedAnswers":
        """The answers of some teams."""
        rows = np.array(self.codes.rows)[teams].tolist()
        return replace(self, codes=replace(self.codes, rows=tuple(rows)))


@dataclass(frozen=True, eq=False)
class Sample:
    """Gold and predictions, the items sorted by gold class."""

    predictions: Counts | MappedAnswers  # (T, N): predicted codes, C *unanswered*, C + 1 *dropped*
    bounds: Counts  # (C + 1,): the place where the items of each class start, and N
    n_classes: int

    @classmethod
    def of(
        cls,
        gold: Counts,
        predictions: Sequence[Counts],
        n_classes: int,
        *,
        drop_missing: bool = False,
    ) -> "Sample":
        """A sample from codes in any order of items; as for `count_confusions`, missing items may be dropped."""
        order = np.argsort(gold, kind="stable")
        bounds = np.concatenate([[0], np.cumsum(np.bincount(gold, minlength=n_classes))])
        answers = np.arange(n_classes + 2)
        if drop_missing:
            answers[n_classes:] = [n_classes + 1, n_classes]
        else:
            answers[n_classes:] = n_classes
        if isinstance(predictions, CodeRows):
            order = order.astype(np.min_scalar_type(order.size))  # it goes to every worker
            return cls(
                MappedAnswers(predictions, order, answers.astype(predictions.dtype)),
                bounds,
                n_classes,
            )
        stacked = np.take(np.stack(predictions), order, axis=1)
        np.minimum(stacked, n_classes + drop_missing, out=stacked)
        if drop_missing:  # the codes of missing and of unusable items change places
            stacked = answers.astype(stacked.dtype)[stacked]
        return cls(stacked, bounds, n_classes)

    def answers(
        self, teams: slice | Counts = slice(None), items: slice | Counts = slice(None)
    ) -> Counts:
        """The answers of some teams to some items, shape (t, n)."""
        return self.predictions[teams, items]

    def of_teams(self, teams: Counts) -> "Sample":
        """The sample of some of the teams."""
        if isinstance(self.predictions, MappedAnswers):
            return replace(self, predictions=self.predictions.of_teams(teams))
        return replace(self, predictions=self.predictions[teams])

    @property
    def gold(self) -> Counts:
        """The gold class of every item, shape (N,)."""
        return np.repeat(np.arange(self.n_classes), np.diff(self.bounds))

    def gold_of(self, items: Counts) -> Counts:
        """The gold classes of some items."""
        return np.searchsorted(self.bounds, items, side="right") - 1

    @property
    def n_items(self) -> int:
        """N."""
        return int(self.predictions.shape[1])

    @property
    def n_teams(self) -> int:
        """T."""
        return int(self.predictions.shape[0])

    def confusions(self, teams: slice | Counts, weights: Weights) -> NDArray[np.float32]:
        """Confusions of some teams under item weights, shape (B, t, C, C + 1)."""
        block = self.answers(teams)
        confusions = np.zeros(
            (len(weights), len(block), self.n_classes, self.n_classes + 1), dtype=np.float32
        )
        step = max(1, _ANSWERS // len(block))
        for label, (start, stop) in enumerate(pairwise(self.bounds.tolist())):
            for first in range(start, stop, step):
                items = slice(first, min(first + step, stop))
                _add_products(confusions[:, :, label], weights[:, items], block[:, items])
        return confusions


def _add_products(rows: NDArray[np.float32], weights: Weights, predictions: Counts) -> None:
    """Add one-hot predictions times weights to one gold row of every confusion, shape (B, t, C + 1).

    One-hot predictions are sparse: one of C + 2 is hot. The sums are exact in the narrowest integer that holds them.
    """
    from scipy import sparse  # noqa: PLC0415 - a command that weighs no items does not wait for it

    # the last one takes what is dropped
    (n_teams, n_items) = predictions.shape
    n_columns = rows.shape[-1] + 1
    kind = np.min_scalar_type(int(weights.sum(axis=1, dtype=np.int64).max()))
    hot = predictions.T + np.arange(n_teams, dtype=np.int32) * n_columns
    ends = np.arange(n_items + 1, dtype=np.int32) * n_teams
    shape = (n_teams * n_columns, n_items)
    one_hot = sparse.csc_array((np.ones(hot.size, dtype=kind), hot.ravel(), ends), shape=shape)
    for start in range(0, len(weights), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        products = one_hot @ weights[part].T.astype(kind)
        rows[part] += products.T.reshape(-1, n_teams, n_columns)[..., :-1]
