"""Item weights shared by all teams: the paired bootstrap over items, and average precision under random weights."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from audit.domain import OBSERVED, CodeRows, Evaluation, ItemScores
from audit.domain.arrays import Counts, Floats
from audit.metrics import DescendingItems, prevalence_shares

CHUNK = 64  # replicates drawn from one stream of random numbers: draws do not depend on block sizes
_CACHED_DRAWS = 1 << 15  # item numbers drawn at once, few enough to stay in the processor's cache
_ANSWERS = 1 << 22  # answers of some teams to some items at once: 16 MB
_REPLICATES_AT_ONCE = 64  # few enough for their sums to stay in the processor's cache
Weights = NDArray[np.uint8]
N_WEIGHTS = 1000  # draws of item weights. A standard error from so many is itself uncertain by some 2%
_VALUES = 1 << 17  # weights of some draws at once: 1 MB, which stays in the processor's cache
_BITS = 16  # behind the point of a weight, before it is made a whole number
_SUM_BITS = 48  # 53 are exact; a weight is below 2^5, as of a billion numbers from the exponential distribution all are


@dataclass(frozen=True, eq=False)
class Draws:
    """Item weights of every replicate."""

    n_items: int  # N, the items drawn from and drawn
    n_replicates: int
    seed: int  # seeds every stream of random numbers
    groups: Counts | None = None  # (N,): which group each item belongs to

    def weights(self, start: int, stop: int) -> Weights:
        """How often each item is drawn in some replicates, from a multiple of CHUNK on, shape (stop - start, N)."""
        group_of, units = (None, self.n_items) if self.groups is None else self._units()
        weights = np.empty((stop - start, units), dtype=np.uint8)
        for first in range(start, stop, CHUNK):
            last = min(first + CHUNK, stop)
            _draw(weights[first - start : last - start], self.stream(first // CHUNK, "items"))
        return weights if group_of is None else weights[:, group_of]

    def swaps(self, start: int, stop: int) -> Weights:
        """Whether two teams' answers to each item change places, in some randomizations, shape (stop - start, N)."""
        group_of, units = (None, self.n_items) if self.groups is None else self._units()
        swaps = np.empty((stop - start, units), dtype=np.uint8)
        for first in range(start, stop, CHUNK):
            last = min(first + CHUNK, stop)
            bits = np.unpackbits(
                np.frombuffer(self.stream(first // CHUNK, "swaps").bytes((CHUNK * units + 7) // 8), dtype=np.uint8)
            )
            swaps[first - start : last - start] = bits[: CHUNK * units].reshape(CHUNK, units)[: last - first]
        return swaps if group_of is None else swaps[:, group_of]

    def _units(self) -> tuple[Counts, int]:
        groups, group_of = np.unique(np.asarray(self.groups), return_inverse=True)
        return group_of, len(groups)

    def stream(self, chunk: int, purpose: str) -> np.random.Generator:
        """The random numbers of one chunk of replicates for one purpose."""
        return np.random.default_rng([self.seed, chunk, *purpose.encode()])


def _draw(into: Weights, stream: np.random.Generator) -> None:
    """Fill each row with the counts of as many draws with replacement as it has columns."""
    n_units = into.shape[1]
    step = max(1, _CACHED_DRAWS // n_units)
    offsets = np.arange(step, dtype=np.int32)[:, None] * n_units
    for start in range(0, len(into), step):
        rows = into[start : start + step]
        drawn = stream.integers(0, n_units, rows.shape, dtype=np.int32) + offsets[: len(rows)]
        rows[:] = np.bincount(drawn.ravel(), minlength=rows.size).reshape(rows.shape)


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
        for row in codes:  # NumPy makes indices of eight bytes of what it looks up: of a row at a time
            np.take(self.scored_as, row, out=row, mode="clip")
        return codes

    def of_teams(self, teams: slice | Counts) -> "MappedAnswers":
        """The answers of some teams."""
        rows = np.array(self.codes.rows)[teams].tolist()
        return replace(self, codes=replace(self.codes, rows=tuple(rows)))


@dataclass(frozen=True, eq=False)
class Sample:
    """The sample that is resampled: gold and predictions, the items sorted by gold class."""

    predictions: Counts | MappedAnswers  # (T, N): predicted codes, C *unanswered*, C + 1 *dropped*
    bounds: Counts  # (C + 1,): the place where the items of each class start, and N
    n_classes: int

    @classmethod
    def of(cls, gold: Counts, predictions: Sequence[Counts], n_classes: int, *, drop_missing: bool = False) -> "Sample":
        """A sample from codes in any order of items; as for `count_confusions`, missing items may be dropped."""
        order = np.argsort(gold, kind="stable")
        bounds = np.concatenate([[0], np.cumsum(np.bincount(gold, minlength=n_classes))])
        answers = np.arange(n_classes + 2)
        answers[n_classes:] = [n_classes + 1, n_classes] if drop_missing else n_classes
        if isinstance(predictions, CodeRows):
            order = order.astype(np.min_scalar_type(order.size))  # it goes to every worker
            return cls(MappedAnswers(predictions, order, answers.astype(predictions.dtype)), bounds, n_classes)
        stacked = np.take(np.stack(predictions), order, axis=1)
        np.minimum(stacked, n_classes + drop_missing, out=stacked)
        if drop_missing:  # the codes of missing and of unusable items change places
            stacked = answers.astype(stacked.dtype)[stacked]
        return cls(stacked, bounds, n_classes)

    def answers(self, teams: slice | Counts = slice(None), items: slice | Counts = slice(None)) -> Counts:
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
        return np.asarray(np.searchsorted(self.bounds, items, side="right") - 1)

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
        confusions = np.zeros((len(weights), len(block), self.n_classes, self.n_classes + 1), dtype=np.float32)
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
    from scipy import sparse  # noqa: PLC0415 - a command that resamples nothing does not wait for it

    (n_teams, n_items), n_columns = predictions.shape, rows.shape[-1] + 1  # the last one takes what is dropped
    kind = np.min_scalar_type(int(weights.sum(axis=1, dtype=np.int64).max()))
    hot = predictions.T + np.arange(n_teams, dtype=np.int32) * n_columns
    ends = np.arange(n_items + 1, dtype=np.int32) * n_teams
    shape = (n_teams * n_columns, n_items)
    one_hot = sparse.csc_array((np.ones(hot.size, dtype=kind), hot.ravel(), ends), shape=shape)
    for start in range(0, len(weights), _REPLICATES_AT_ONCE):
        part = slice(start, start + _REPLICATES_AT_ONCE)
        products = one_hot @ weights[part].T.astype(kind)
        rows[part] += products.T.reshape(-1, n_teams, n_columns)[..., :-1]


@dataclass(frozen=True, eq=False)
class WeightedScores:
    """Average precision of every entry that has scores of items, in every draw of weights."""

    given: ItemScores  # the scores of T entries
    shares: Mapping[str, float | None]  # for each prevalence by name, the mass of the items of the class
    seed: int
    groups: Counts | None = None  # (N,): which group each item belongs to

    @classmethod
    def of(cls, evaluation: Evaluation) -> "WeightedScores | None":
        """The weighted scores of an evaluation; None where no scores of single items are kept."""
        item_scores, labels = evaluation.item_scores, evaluation.task.label_set
        if item_scores is None:
            return None
        code, counts = labels.code_of[evaluation.task.scored_label or ""], evaluation.prevalence_counts
        shares: dict[str, float | None] = {
            each.name: float(prevalence_shares(each, counts, labels)[code]) for each in evaluation.prevalences
        }
        if not evaluation.gold.stratified:
            shares[OBSERVED.name] = None
        return cls(item_scores, shares, evaluation.options.seed, evaluation.gold.groups)

    def deviations(self, prevalence: str, *, grouped: bool) -> Floats:
        """How far the score in each draw is from its mean over the draws, shape (T, B); NaN without scores.

        So scaled that the sum of their squares is the variance of the score.
        """
        drawn = self._of_groups if grouped else self._of_items
        return np.asarray(drawn[list(self.shares).index(prevalence)])

    def of_values(self, values: Floats, *, grouped: bool) -> Floats:
        """The sums of item values by each draw of item weights, shape (T, B), scaled like :meth:`deviations`."""
        unit_of = self._group_of if grouped else np.arange(self.given.positive.size)
        of_units = np.stack([np.bincount(unit_of, row) for row in values])
        largest = np.abs(of_units).max(axis=1, initial=0.0)
        # Whole numbers, as the weights are, of which no sum has more bits than a float holds.
        unit = np.ldexp(1.0, np.frexp(largest)[1] - (_SUM_BITS - _BITS - of_units.shape[1].bit_length()))[:, None]
        whole, numbers = np.rint(of_units / unit), np.arange(of_units.shape[1])
        sums, step = np.empty((len(values), N_WEIGHTS)), max(1, _VALUES // numbers.size)
        for first in range(0, N_WEIGHTS, step):
            draws = slice(first, min(first + step, N_WEIGHTS))
            sums[:, draws] = whole @ self._weights(draws, numbers).T
        sums *= np.ldexp(unit, -_BITS)
        return _scaled(sums)

    @cached_property
    def _of_items(self) -> Floats:
        return self._drawn(np.arange(self.given.positive.size))

    @cached_property
    def _of_groups(self) -> Floats:
        return self._drawn(self._group_of)

    @cached_property
    def _group_of(self) -> Counts:
        """Which group each item belongs to, from 0 on."""
        return np.unique(np.asarray(self.groups), return_inverse=True)[1]

    def _drawn(self, unit_of: Counts) -> Floats:
        """The deviations at every prevalence, shape (K, T, B)."""
        scores = np.full((len(self.shares), len(self.given.rows), N_WEIGHTS), np.nan)
        entries = [(entry, self._descending(entry)) for entry in self.given.entries.tolist()]
        shares, step = list(self.shares.values()), max(1, _VALUES // unit_of.size)

        def add(first: int) -> None:
            draws = slice(first, min(first + step, N_WEIGHTS))
            weights = self._weights(draws, unit_of)
            for entry, items in entries:
                scores[:, entry, draws] = items.average_precision(weights, shares)

        with ThreadPoolExecutor() as pool:  # NumPy's loops let go of Python's lock
            list(pool.map(add, range(0, N_WEIGHTS, step)))
        return _scaled(scores)

    def _descending(self, entry: int) -> DescendingItems:
        scores = self.given.rows[entry]
        assert scores is not None  # noqa: S101 - asked of those that have them
        return DescendingItems.of(scores, self.given.positive)

    def _weights(self, draws: slice, unit_of: Counts) -> Floats:
        """Weights of all items in some draws, shape (b, N)."""
        n_units = int(unit_of.max()) + 1
        streams = (
            np.random.default_rng([self.seed, draw, *b"item weights"]) for draw in range(draws.start, draws.stop)
        )
        drawn = np.stack([stream.standard_exponential(n_units) for stream in streams])
        return np.take(np.maximum(np.rint(np.ldexp(drawn, _BITS)), 1.0), unit_of, axis=1)


def _scaled(values: Floats) -> Floats:
    """Scores in each draw, less their mean over the draws, so that their squares add up to the variance."""
    values -= values.mean(axis=-1, keepdims=True)
    values /= np.sqrt(N_WEIGHTS - 1)
    return values
