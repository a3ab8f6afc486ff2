"""The verdict: who may be called the winner, what that depends on, what to do first; and parts of a test set."""

from dataclasses import dataclass
from enum import StrEnum

from audit.domain.arrays import Floats, Ints
from audit.domain.certainty import Mark, State
from audit.errors import UsageError
from audit.text import did_you_mean, listed, quoted


class Claim(StrEnum):
    """The claim about the first place by the ranking metric that the data allow."""

    BEST = "best"  # one entry is first, and no other could be best
    OPEN = "open"  # one entry is first, and others could be best, too
    SHARED = "shared"  # several entries share first place
    FEWER_ITEMS = "fewer-items"  # the first is scored on fewer items than the others and compared with none
    UNDECIDED = "undecided"  # one entry is first, and nothing can be compared
    NOT_TESTED = "not-tested"  # one entry is first; the certainty was left out
    LEVEL = "level"  # everybody has the same score, or nobody more than 0
    ALONE = "alone"  # there is one entry
    NOBODY = "nobody"  # no entry takes a rank, or none of those that do has a score


@dataclass(frozen=True, slots=True)
class Dependence:
    """One thing that could have been chosen otherwise, and what becomes of the first place."""

    choice: str  # what could have been chosen otherwise
    title: str  # the choice in words
    state: State  # what becomes of the first place
    first: str  # who is first by what
    sentence: str  # all of it in words
    reason: str = ""  # why it was not tested; empty where it was


@dataclass(frozen=True, slots=True)
class ToDo:
    """Something to do before the results are published."""

    about: str  # the flag that it follows from, or what is no flag
    text: str  # what to do


@dataclass(frozen=True)
class Verdict:
    """The verdict on the first place by the ranking metric, and what it depends on."""

    claim: Claim = Claim.NOBODY  # what the data allow to be said
    sentence: str = ""  # the claim in words, with names and numbers; before it what destroys it, such as a copy of gold
    more: str = ""  # what would tell more, or what the sentence does not say; may be empty
    winners: tuple[int, ...] = ()  # the entries that share rank 1 and are ahead of somebody
    could_be_best: tuple[int, ...] = ()  # the entries that could be best, best first; none where that is not known
    depends_on: tuple[Dependence, ...] = ()  # what the first place depends on, always in the same order
    to_do: tuple[ToDo, ...] = ()  # what to do before the results are published, the most harmful first


@dataclass(frozen=True, eq=False)
class Slice:
    """One part of the test set: the items that have one value.

    It is the evaluation of a campaign that has these items alone, with the entries of the whole: averages run over the
    classes that occur in this part.
    """

    value: str  # what these items have in common, as the column says it
    class_counts: Ints  # (C,): gold items of each class in this part
    values: Floats  # (K, T): every score of the evaluation, of this part's items alone; NaN where undefined
    rank_values: Ints  # (K, T): ranks by them, as those of an evaluation
    lower: Floats  # (T,): 95% intervals of the ranking metric; NaN where undefined, marked, or left out
    upper: Floats  # (T,)
    marks: tuple[Mark, ...]  # why a defined score has no interval, or a rough one
    corrected: tuple[int, ...]  # those whose interval is corrected for having been chosen as the best
    verdict: Verdict  # what may be said of the first place in this part, without what it depends on
    state: State | None  # what becomes of the first place of the whole test set on the items of this part alone
    crowns_another: bool  # whether others are first here than in the whole test set, or not the same share first place

    @property
    def n_items(self) -> int:
        """Number of items in this part."""
        return int(self.class_counts.sum())


@dataclass(frozen=True, eq=False)
class Sliced:
    """A test set cut by the values of one column."""

    column: str  # the column
    slices: tuple[Slice, ...]  # the parts, in the natural order of their values. Each item is in one of them
    macro: Floats  # (K, T): the mean of the parts' scores, each part alike whatever its size
    macro_ranks: Ints  # (K, T): ranks by it


def find_slice(cuts: tuple[Sliced, ...], named: str) -> tuple[Sliced, Slice | None]:
    """The column, and the part of it, that a user names: ``language=es``; the column alone: ``language``."""
    if not cuts:
        raise UsageError('No column cuts the test set. Write into task.toml, under [gold]: slices = ["COLUMN"].')
    for sliced in cuts:
        if named == sliced.column:
            return sliced, None
        for part in sliced.slices:
            if named == f"{sliced.column}={part.value}":
                return sliced, part
    slices = [f"{sliced.column}={part.value}" for sliced in cuts for part in sliced.slices]
    shown = listed(list(map(quoted, slices)), limit=8)
    raise UsageError(f"There is no slice {quoted(named)}.{did_you_mean(named, slices)} The slices are {shown}.")
