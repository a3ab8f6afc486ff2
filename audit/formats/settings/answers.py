"""How cells become labels where they are none themselves: scores, several columns, other spellings.

None of this is ever assumed: each rule stands in task.toml, or is not applied.
"""

import json
import math
import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from audit.domain import numerals
from audit.errors import Choice
from audit.text import listed, quoted

Column = Sequence[str]
CLASH_EXPECTED = "spellings that differ in more than case, or the same label for both"

_SCORE = re.compile(r"[ \t]*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t]*")


def number_of(cell: str) -> float | None:
    """The finite number that a cell writes, blanks and tabs around it left out; None where it writes none."""
    if _SCORE.fullmatch(cell):
        value = float(cell)
    else:
        value = math.nan
    if math.isfinite(value):
        return value
    return None


@dataclass(frozen=True, slots=True)
class Threshold:
    """Scores as labels: ``above`` from the threshold on, ``below`` under it."""

    value: float  # the threshold; a score that equals it is above
    above: str
    below: str
    abstain: tuple[float, float] | str | None = None
    """No answer: a band, from its lowest to its highest score; or a cell, or every writing of the number in it."""

    def labels(self, columns: Sequence[Column]) -> list[str]:
        """The label of every score; empty where the team abstains, and no label where the score is no number."""
        (cells,) = columns
        label_of = {cell: self._label(cell) for cell in set(cells)}
        return [label_of[cell] for cell in cells]

    def _label(self, cell: str) -> str:
        if not cell or cell == self.abstain:
            return ""
        score = number_of(cell)
        if score is None:
            return f"score {cell}"
        lowest, highest = (
            self.abstain if isinstance(self.abstain, tuple) else [number_of(self.abstain or "")] * 2
        )
        if lowest is not None and highest is not None and lowest <= score <= highest:
            return ""
        return self.above if score >= self.value else self.below

    def __str__(self) -> str:
        """The rule in words."""
        words = (
            f"scores from {self.value:g} on are {quoted(self.above)}, others {quoted(self.below)}"
        )
        if isinstance(self.abstain, tuple):
            return f"{words}, those from {self.abstain[0]:g} to {self.abstain[1]:g} unanswered"
        if self.abstain is None:
            return words
        return f"{words}, and {quoted(self.abstain)} is unanswered"


@dataclass(frozen=True, slots=True)
class Combinations:
    """The values of several columns as one label."""

    label_of: Mapping[str, str]  # the label of each combination, its values joined by commas

    def labels(self, columns: Sequence[Column]) -> list[str]:
        """The label of every row; empty where all cells are, and no label where the combination is no class."""
        nothing = "," * (len(columns) - 1)
        joined = list(map(",".join, zip(*columns, strict=True)))
        label_of = {
            cells: self.label_of.get(cells, f"combination {cells}") for cells in set(joined)
        }
        label_of[nothing] = self.label_of.get(nothing, "")
        return [label_of[cells] for cells in joined]

    def __str__(self) -> str:
        """The rule in words."""
        return f"their combinations are {len(self.label_of)} classes"


@dataclass(frozen=True, slots=True)
class Greatest:
    """The label whose column has the greatest score."""

    names: tuple[str, ...]
    columns: tuple[str, ...]  # the column of each label

    def labels(self, columns: Sequence[Column]) -> list[str]:
        """The label of every row; none where two scores are the greatest, or one is no number; empty where all are."""
        return [self._label(cells) for cells in zip(*columns, strict=True)]

    def _label(self, cells: Sequence[str]) -> str:
        if not any(cells):
            return ""
        scores = [number_of(cell) for cell in cells]
        greatest = max((score for score in scores if score is not None), default=None)
        is_told = None not in scores and scores.count(greatest) == 1
        return self.names[scores.index(greatest)] if is_told else f"scores {', '.join(cells)}"

    def __str__(self) -> str:
        """The rule in words."""
        return (
            "the label is the one of "
            f"{listed([quoted(name) for name in self.names], limit=8)} with the greatest score"
        )


FORMS: Mapping[str, str] = {
    "list": "a list in a cell: parted by `separator`, JSON, or as Python writes a list or set",
    "rows": "a row for each label of an item",
    "columns": "a column of 0 and 1 for each label, which `label` lists",
    "tags": "the tags of tokens (B-, I-, E-, S-, and O), which mark spans",
    "spans": "a JSON list of objects with `start`, `end` and `label`, or of such triples",
}
REPAIRS: Mapping[str, str] = {
    "conll": "as conlleval and seqeval read broken tags: an I- behind O or another type opens a span",
    "strict": "only B- (S-) opens a span, and what is broken is none",
}
TRIPLES: Mapping[str, int] = {"label-start-end": 0, "start-end-label": 2}
"""The orders of a span that is a list of three, with the place of the label in it."""

IN_ORDER = "the labels in their order, lowest first: labels = […]"

ROUNDED = Choice("", 'round = "nearest"', "its numbers count as the nearest label of the scale")

# what task.toml states where an item has any number of labels, or spans are found
SETS = 'kind = "sets"'

NEITHER = "[neither 0 nor 1: "  # in front of a cell that no column of 0 and 1 has
_YES = frozenset({"1", "1.0", "true"})
_NO = frozenset({"0", "0.0", "false"})


@dataclass(frozen=True, slots=True)
class Indicators:
    """Columns of 0 and 1, one for each label, as a JSON list of the labels."""

    names: tuple[str, ...]

    def labels(self, columns: Sequence[Column]) -> list[str]:
        """The labels of each row; a cell that is neither yes nor no stays for the reader of sets to refuse."""
        if len(columns) != len(self.names):  # of a layout that is tried and is none
            return [f"[{len(columns)} columns"] * len(columns[0])
        rows = []
        for cells in zip(*columns, strict=True):
            odd = [cell for cell in cells if cell.casefold() not in _YES | _NO]
            chosen = [
                name
                for name, cell in zip(self.names, cells, strict=True)
                if cell.casefold() in _YES
            ]
            rows.append(f"{NEITHER}{odd[0]}" if odd else json.dumps(chosen))
        return rows

    def __str__(self) -> str:
        """The rule in words."""
        return "each of them says whether an item has the label that it is called"


Rule = Threshold | Combinations | Indicators | Greatest
# the rules that make labels of scores, which are then kept beside them
OF_SCORES = (Threshold, Greatest)


_HALF = 1e-9  # of the distance of two labels: a number so near the middle between them is halfway


@dataclass(frozen=True, slots=True)
class Rounding:
    """Numbers between the labels of a scale as the nearest label, those halfway between two as the higher."""

    values: Mapping[str, float] | None = None
    """The value of each label; None where labels are numerals."""

    def nearest(self, cells: Iterable[str], labels: Collection[str]) -> dict[str, str]:
        """The label that each cell stands for which is a number, and no label itself."""
        values = self.values or dict(zip(labels, numerals(list(labels)), strict=False))
        if not values:
            return {}
        rising = sorted(values, key=values.__getitem__)
        steps = [(values[low], values[high]) for low, high in pairwise(rising)]
        middles = [(low + high) / 2 - _HALF * (high - low) for low, high in steps]
        numbers = {cell: number_of(cell) for cell in cells if cell and cell not in values}
        return {
            cell: rising[bisect(middles, number)]
            for cell, number in numbers.items()
            if number is not None
        }


@dataclass(frozen=True, slots=True)
class Spelling:
    """Other spellings of labels that task.toml accepts."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    """The label that each of them stands for; the empty text for no answer."""
    fold_case: bool = False  # whether upper and lower case are one
    labels: tuple[str, ...] | None = None  # the declared label set
    rounding: Rounding | None = None
    """Of numbers between labels on a scale; None where they are no labels."""

    @property
    def is_silent(self) -> bool:
        """Whether labels are taken exactly as they stand."""
        return not self.aliases and not self.fold_case and self.rounding is None

    def changes(self, counts: Counter[str], labels: Collection[str] | None) -> dict[str, str]:
        """The spellings among those found that stand for another label, each with that label."""
        if self.fold_case:
            usual = self._usual_spellings(counts, labels)
        else:
            usual = {}
        meant = {
            spelling: self._label_of(spelling, labels, usual) for spelling in counts if spelling
        }
        return {spelling: label for spelling, label in meant.items() if label != spelling}

    def _usual_spellings(
        self, counts: Counter[str], labels: Collection[str] | None
    ) -> dict[str, str]:
        """The label of each folded spelling: as the label set or gold writes it, before what aliases stand for."""
        if labels is None:
            labels = sorted(
                (spelling for spelling in counts if spelling not in self.aliases),
                key=counts.__getitem__,
            )
        label_of = {label.casefold(): label for label in [*self.aliases.values(), *labels]}
        return {
            alias.casefold(): label_of[label.casefold()] for alias, label in self.aliases.items()
        } | label_of

    def _label_of(
        self, spelling: str, labels: Collection[str] | None, usual: Mapping[str, str]
    ) -> str:
        if spelling in self.aliases:
            label = self.aliases[spelling]
            return usual.get(label.casefold(), label)
        is_label = labels is not None and spelling in labels
        if is_label:
            return spelling
        return usual.get(spelling.casefold(), spelling)

    def clash(self, labels: Iterable[str]) -> tuple[str, str] | None:
        """An alias and another spelling that case alone tells apart, which stand for different labels; or None."""
        if not self.fold_case:
            return None
        itself = [*self.aliases.values(), *(label for label in labels if label not in self.aliases)]
        first: dict[str, tuple[str, str]] = {}
        for spelling, label in [*zip(itself, itself, strict=True), *self.aliases.items()]:
            other, other_label = first.setdefault(spelling.casefold(), (spelling, label))
            if other_label.casefold() != label.casefold():
                return spelling, other
        return None

    def clash_words(self, alias: str, other: str) -> str:
        """Two spellings that clash, and what each of them stands for."""
        pairs = [
            f"{quoted(each)} stands for {quoted(self.aliases.get(each, each))}"
            for each in (alias, other)
        ]
        return f"{listed(pairs)}, and fold_case = true makes one spelling of both"


AS_IT_STANDS = Spelling()


class AcceptedLabels(Collection[str]):
    """The label set together with every accepted spelling, for what asks whether a cell is a label."""

    def __init__(self, labels: Iterable[str], spelling: Spelling) -> None:
        self._labels = frozenset((*labels, *spelling.aliases))
        if spelling.fold_case:
            self._folded = frozenset(map(str.casefold, self._labels))
        else:
            self._folded = frozenset()
        self._has_numbers = spelling.rounding is not None

    def __contains__(self, cell: object) -> bool:
        if cell in self._labels or not isinstance(cell, str):
            return cell in self._labels
        return cell.casefold() in self._folded or (
            self._has_numbers and number_of(cell) is not None
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)


def are_tag_lists(texts: Iterable[str]) -> bool:
    """Whether texts are rather lists of tags than labels."""
    lists = [tuple(text.split()) for text in set(texts)]
    tags = set().union(*lists)
    if len(tags) >= len(set(lists)):
        return False
    return any(len(set(each)) < len(each) for each in lists) or len(
        set(map(frozenset, lists))
    ) < len(set(lists))


_PARTED_BY = (",", ";", "|")
_AROUND = " \t[](){}'\","
_SET = re.compile(r"^(?:frozen)?set(?=\()|\bfrozenset(?=\()")
_FRACTIONS = frozenset({"0", "00", "25", "5", "50", "75"})


def labels_in_one(labels: Iterable[str]) -> list[str]:
    """The labels that are rather several in one cell, as tasks have them where an item has any number of labels."""
    distinct = sorted(set(labels))
    for character in _PARTED_BY:
        pieces_of = {label: _pieces(label, character) for label in distinct}
        joined = {label: pieces for label, pieces in pieces_of.items() if len(pieces) > 1}
        alone = {pieces[0] for label, pieces in pieces_of.items() if label not in joined}
        first = {pieces[0] for pieces in joined.values()}
        behind = {piece for _, *rest in joined.values() for piece in rest}
        are_decimals = character == "," and behind <= _FRACTIONS and all(map(str.isdecimal, first))
        if not joined or behind.isdisjoint(first | alone) or (are_decimals and len(joined) > 1):
            continue
        n_cells = Counter(piece for pieces in joined.values() for piece in set(pieces))
        n_sure = sum(alone.issuperset(pieces) for pieces in joined.values())
        n_likely = sum(
            all(piece in alone or n_cells[piece] > 1 for piece in pieces)
            for pieces in joined.values()
        )
        if 2 * n_sure >= len(joined) or (
            2 * n_likely >= len(joined) and len(alone | first | behind) < len(distinct)
        ):
            return list(joined)
    return []


def _pieces(label: str, character: str) -> list[str]:
    """What a character parts a label into, without the marks of a list; the label itself where it has nothing else."""
    bare = _SET.sub("", label).strip(_AROUND)
    pieces = [piece.strip(_AROUND) for piece in bare.split(character)]
    if all(pieces):
        return pieces
    return [label]
