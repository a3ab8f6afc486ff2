"""Sets of things a unit: the labels of a message, the spans of a sentence; and scores of single items and units.

A thing is a label, or a label at a place. Pooled over gold and all submissions each thing is an item with one label:
its own where a set has it, *nothing* where not. So hits, misses and false alarms are cells of a confusion whose rest
class is *nothing*, and its margins are those of the sets. In front of its things each unit has an item of its own,
which is *nothing* for everybody and unanswered by a team that leaves out the unit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Bools, Codes, Floats, Ints
from audit.domain.numbers import Numbers

NOTHING = "nothing"
OTHER = "other"  # what stands for every label that only teams use

Place = str | tuple[int, int]
"""Where a thing is: first and last of a span, the text of an object of an open set, empty for a label alone."""
Thing = tuple[str, Place]


@dataclass(frozen=True, eq=False)
class GivenSets:
    """The sets of one file as numbers, which take a tenth of what lists do; what a unit has twice counts once.

    >>> sets = GivenSets.of([[("joy", ""), ("fear", "")], None, [("joy", "")]])
    >>> sets.answered.tolist(), sets.distinct
    ([True, False, True], (('joy', ''), ('fear', '')))
    """

    answered: Bools  # (U,): the units that the file has, be it with an empty set
    distinct: tuple[Thing, ...]  # the different things that it gives to some unit
    units: NDArray[np.signedinteger[Any]]  # (M,): the unit of each thing that it gives, 0 … U - 1
    numbers: NDArray[np.signedinteger[Any]]  # (M,): which of the different things it is

    @classmethod
    def of(cls, sets: Sequence[Sequence[Thing] | None]) -> "GivenSets":
        """The sets from the things of each unit, None for a unit that the file lacks."""
        number_of: dict[Thing, int] = {}
        every = (
            number_of.setdefault(thing, len(number_of)) for things in sets for thing in things or ()
        )
        numbers = np.fromiter(every, np.int32)
        units = np.repeat(
            np.arange(len(sets), dtype=np.int32), [len(things or ()) for things in sets]
        )
        return cls(
            np.array([things is not None for things in sets], bool),
            tuple(number_of),
            units,
            numbers,
        )

    def says(self, other: "GivenSets") -> bool:
        """Whether another file gives the same, in the same order."""
        rows = (
            (self.answered, other.answered),
            (self.units, other.units),
            (self.numbers, other.numbers),
        )
        return self.distinct == other.distinct and all(np.array_equal(*each) for each in rows)


NO_SETS = GivenSets.of(())


@dataclass(frozen=True, eq=False)
class ItemScores:
    """The scores that each entry gives every item, one for each of L classes; higher where it is more of the class."""

    positive: NDArray[np.bool_]  # (N, L): which items are of each class, in gold order
    rows: tuple[Floats | None, ...]  # (N, L): each entry's scores in gold order, all finite

    @classmethod
    def of(
        cls, codes: NDArray[Any], classes: Sequence[int], rows: Iterable[Floats | None]
    ) -> "ItemScores":
        """Scores for some classes, by their codes; those for one class may be a row of numbers."""
        together = tuple(None if row is None else row.reshape(len(codes), -1) for row in rows)
        return cls(np.asarray(codes)[:, None] == np.asarray(classes), together)

    @property
    def n_items(self) -> int:
        """N."""
        return len(self.positive)

    @property
    def has_order(self) -> NDArray[np.bool_]:
        """Which classes have items, and not all of them, shape (L,)."""
        return np.asarray(self.positive.any(axis=0) & ~self.positive.all(axis=0))

    @property
    def entries(self) -> NDArray[np.intp]:
        """Indices of the entries that have scores, ascending."""
        return np.array(
            [entry for entry, row in enumerate(self.rows) if row is not None], dtype=np.intp
        )

    def of_entries(self, entries: NDArray[np.intp]) -> "ItemScores":
        """The scores of some of the entries."""
        return replace(self, rows=tuple(self.rows[entry] for entry in entries.tolist()))

    def of_items(self, selected: NDArray[Any]) -> "ItemScores":
        """The scores of some of the items."""
        rows = tuple(None if row is None else row[selected] for row in self.rows)
        return ItemScores(self.positive[selected], rows)


@dataclass(frozen=True, eq=False)
class UnitCounts:
    """How many things of each of U units are in the sets of gold and of T entries."""

    unit_of: Ints  # (N,): the unit of each item of the pool
    gold: Ints  # (U,): things in the set of gold
    predicted: Ints  # (T, U): in those of the entries
    known: Ints  # (T, U): of these with labels that gold has anywhere
    hits: Ints  # (T, U): in both
    answered: Bools  # (T, U): which units an entry has, be it with an empty set
    n_labels: int  # labels that a thing can have
    drops_missing: bool = False  # whether units that an entry lacks are left out of its means
    scores: ItemScores | None = None  # how far each unit has each label, where entries say it

    @classmethod
    def of(  # noqa: PLR0913 - gold, teams, and how both are counted
        cls,
        gold: Codes,
        units: Ints,
        predictions: Iterable[Codes],
        nothing: int,
        *,
        n_labels: int | None = None,
        drops_missing: bool = False,
    ) -> "UnitCounts":
        """The counts of items of a pool.

        `nothing` is the code of no thing, behind those of all labels. There are `n_labels` that a thing can have, which
        are all of these where nothing else is said: not what stands for labels that only teams use.
        """
        n_units = int(units.max(initial=-1)) + 1
        in_gold = gold < nothing
        first = np.flatnonzero(np.diff(units, prepend=-1))
        is_known = np.isin(np.arange(nothing + 3), gold)

        def counted(items: Bools) -> Ints:
            return np.bincount(units[items], minlength=n_units).astype(np.int32)

        rows = [
            (
                counted(codes < nothing),
                counted((codes < nothing) & is_known[np.minimum(codes, nothing)]),
                counted(in_gold & (codes == gold)),
                codes[first] <= nothing,
            )
            for codes in predictions
        ]
        predicted, known, hits, answered = map(np.stack, zip(*rows, strict=True))
        if n_labels is None:
            n_labels = nothing
        return cls(
            units, counted(in_gold), predicted, known, hits, answered, n_labels, drops_missing
        )

    @cached_property
    def first(self) -> Ints:
        """The item that stands for each unit as a whole, shape (U,)."""
        return np.flatnonzero(np.diff(self.unit_of, prepend=-1))

    def of_items(self, selected: Bools) -> "UnitCounts":
        """The counts of some of the items, which are whole units."""
        kept, unit_of = np.unique(self.unit_of[selected], return_inverse=True)
        rows = {
            name: getattr(self, name)[:, kept]
            for name in ("predicted", "known", "hits", "answered")
        }
        scores = self.scores and self.scores.of_items(kept)
        return replace(self, unit_of=unit_of, gold=self.gold[kept], scores=scores, **rows)

    def of_entries(self, entries: Ints) -> "UnitCounts":
        """The counts of some of the entries."""
        rows = {
            name: getattr(self, name)[entries]
            for name in ("predicted", "known", "hits", "answered")
        }
        return replace(self, scores=self.scores and self.scores.of_entries(entries), **rows)


def scores_in(given: ItemScores | UnitCounts | Numbers | None) -> ItemScores | None:
    """The scores of single items, or of units where sets are scored; None where there are none."""
    if isinstance(given, UnitCounts):
        return given.scores
    if isinstance(given, ItemScores):
        return given
    return None


@dataclass(frozen=True, eq=False)
class Pool:
    """The items of gold and some submissions together: each unit, then its things by place and label.

    Two units; gold has label a in the first, a team labels a and b in the first and does not answer the second. With
    two labels *nothing* is code 2 and *missing* is code 3.

    >>> gold, team = map(GivenSets.of, ([[("a", "")], []], [[("a", ""), ("b", "")], None]))
    >>> pool = Pool.of([gold, team], ["a", "b"])
    >>> pool.units.tolist(), pool.codes(gold).tolist(), pool.codes(team).tolist()
    ([0, 0, 0, 1], [2, 0, 2, 2], [2, 0, 1, 3])
    """

    n_units: int
    labels: Sequence[str]
    places: Sequence[Place]
    keys: Ints  # (M,): the things, ascending
    n_known: int  # labels with a code of their own, the first ones; all others share the next code

    @classmethod
    def of(
        cls, every: Sequence[GivenSets], labels: Sequence[str], n_known: int | None = None
    ) -> "Pool":
        """The pool of several files, of which the first is gold, with labels that hold those of all things."""
        places = {place for sets in every for _, place in sets.distinct} or {""}
        in_order = sorted(places, key=lambda place: (isinstance(place, str), place))
        if n_known is None:
            n_known = len(labels)
        empty = cls(every[0].answered.size, labels, in_order, np.empty(0, np.int64), n_known)
        return replace(
            empty, keys=np.unique(np.concatenate([empty.key_of(sets) for sets in every]))
        )

    @cached_property
    def _number_of(self) -> dict[Place, int]:
        return {place: number for number, place in enumerate(self.places)}

    @cached_property
    def _code_of(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.labels)}

    def key_of(self, sets: GivenSets) -> Ints:
        """The number of each thing, shape (M,)."""
        n_labels = len(self.labels)
        numbers = [
            self._number_of[place] * n_labels + self._code_of[label]
            for label, place in sets.distinct
        ]
        of_units = sets.units.astype(np.int64) * (len(self.places) * n_labels)
        return np.asarray(of_units + np.array(numbers, np.int64)[sets.numbers])

    @cached_property
    def unit_of_things(self) -> Ints:
        """The unit of each thing, shape (M,)."""
        return self.keys // (len(self.places) * len(self.labels))

    @cached_property
    def units(self) -> Ints:
        """The unit of each item, shape (N,)."""
        return np.sort(np.concatenate([np.arange(self.n_units), self.unit_of_things]))

    @cached_property
    def positions(self) -> Ints:
        """The item that each thing is, shape (M,)."""
        return np.arange(self.keys.size) + self.unit_of_things + 1

    @property
    def nothing(self) -> int:
        """The code of *nothing*, behind those of all labels."""
        return min(len(self.labels), self.n_known + 1)

    @cached_property
    def own(self) -> Codes:
        """The label that each item has or has not, *nothing* for one that stands for a unit, shape (N,)."""
        own = np.full(
            self.units.size, self.nothing, np.min_scalar_type(self.nothing + 3).newbyteorder("<")
        )
        own[self.positions] = np.minimum(self.keys % len(self.labels), self.n_known)
        return own

    def codes(self, sets: GivenSets) -> Codes:
        """The label code of each item by one file, shape (N,)."""
        codes = np.full_like(self.own, self.nothing)
        items = self.positions[np.searchsorted(self.keys, self.key_of(sets))]
        codes[items] = self.own[items]
        codes[~sets.answered[self.units]] = self.nothing + 1
        return codes

    def ids(self, unit_ids: Sequence[str]) -> tuple[str, ...]:
        """The id of each item: that of its unit; of a thing with its label and place behind a tab each."""
        ids = [""] * self.units.size
        names = [
            place if isinstance(place, str) else f"{place[0]}–{place[1]}" for place in self.places
        ]
        n_before = np.searchsorted(self.unit_of_things, np.arange(self.n_units))
        for unit, before in enumerate(n_before.tolist()):
            ids[unit + before] = unit_ids[unit]
        for position, key in zip(self.positions.tolist(), self.keys.tolist(), strict=True):
            rest, label = divmod(key, len(self.labels))
            unit, place = divmod(rest, len(self.places))
            ids[position] = "\t".join(
                filter(None, (unit_ids[unit], self.labels[label], names[place]))
            )
        return tuple(ids)
