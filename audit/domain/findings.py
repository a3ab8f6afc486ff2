"""What is found on a campaign: flags, other winners, baselines, the verdict, and parts of a test set."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Any

from audit.domain.arrays import Floats, Ints
from audit.domain.certainty import Mark, State
from audit.domain.lazy import LazyField
from audit.domain.task import ScoreKey
from audit.errors import UsageError
from audit.text import did_you_mean, listed, quoted

MOST_PAIRED = 60  # the largest number of entries of which all pairs are kept


class Severity(IntEnum):
    """The severity of a finding by what it changes, most consequential first."""

    WINNER = 1
    ORDER = 2
    NOTE = 3

    @property
    def label(self) -> str:
        """The severity in words."""
        return {1: "changes the winner", 2: "changes the order", 3: "note"}[self.value]


@dataclass(frozen=True)
class Flag:
    """One finding of the audit."""

    slug: str  # the rule that fired, as ``audit flags`` lists it
    severity: Severity  # what the finding changes
    sentence: str  # the finding in one sentence, with its numbers
    remedy: str  # what the organiser can do about it
    paper: str  # a sentence for the paper
    evidence: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """The finding as plain data: strings, numbers, lists and mappings of them."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The winners under a rule that makes one ranking of several."""

    rule: str  # the rule's slug
    winners: tuple[int, ...]  # the candidates with the best value; none where nobody has one
    values: Floats
    """Higher is better (mean ranks are negative), shape (T,); NaN where a candidate has none."""


@dataclass(frozen=True, eq=False)
class Baseline:
    """A built-in baseline: computed, not submitted."""

    slug: str  # the name of the baseline for programs and for readers
    title: str
    explanation: str  # how its scores are found, in one sentence
    values: Floats  # (K,): its scores, in the order of the evaluation's keys; NaN where undefined
    standard_errors: Floats  # (K,): Monte Carlo error of each; 0 where it is exact


@dataclass(frozen=True, eq=False)
class Shift:
    """A change of the class distribution that changes the winner."""

    shares: Floats  # the new class distribution, shape (C,)
    distance: float
    """Total variation distance: the share of items that would be of another class, range (0, 1]."""
    winners: tuple[int, ...]  # the entries that are first there


@dataclass(frozen=True, eq=False)
class WinnerMap:
    """Winners under other class distributions, with each team's error behaviour within a gold class unchanged."""

    key: ScoreKey  # the metric, and the prevalence at which its ranking stands
    reference: Floats  # (C,): the class distribution of that prevalence
    winners: tuple[int, ...]  # who is first there
    uniform: Floats
    """(T,): share of the drawn distributions at which a team is first, alone or with others."""
    nearby: Floats  # (T,)
    holds_uniform: float  # share of them at which a team that is first at the reference still is
    holds_nearby: float
    n_draws: int  # distributions drawn of either kind, and what seeds them
    seed: int
    concentration: float  # sum of the parameters of the Dirichlet distribution around the reference
    spread: float
    """Mean total variation distance from the reference of the distributions drawn around it."""
    nearest: Shift | None
    """The nearest distribution found at which another team is first; None where none was found."""


class Claim(StrEnum):
    """The claim about the first place by the ranking metric that the data allow."""

    BEST = "best"  # one entry is first, and no other could be best
    OPEN = "open"  # one entry is first, and its lead is not significant
    SHARED = "shared"  # several entries share first place
    FEWER_ITEMS = "fewer-items"
    """The first is scored on fewer items than the others and compared with none."""
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
    sentence: str = ""
    """The claim in words, with names and numbers; before it what destroys it, such as a copy of gold."""
    more: str = ""  # what would tell more, or what the sentence does not say; may be empty
    winners: tuple[int, ...] = ()  # the entries that share rank 1 and are ahead of somebody
    could_be_best: tuple[int, ...] = ()
    """The entries that could be best, best first; none where that is not known."""
    uncertain: tuple[int, ...] = ()
    """Those of them that are much less sure than the others, and so not excluded."""
    # What the first place depends on, always in the same order.
    depends_on: LazyField[tuple[Dependence, ...]] = LazyField(())
    # What to do before the results are published, the most harmful first.
    to_do: LazyField[tuple[ToDo, ...]] = LazyField(())


@dataclass(frozen=True, eq=False)
class Slice:
    """One part of the test set: the items that have one value."""

    value: str  # what these items have in common, as the column says it
    n_items: int  # items in this part; where sets are scored, units
    class_counts: Ints  # (C,): gold items of each class in this part
    values: Floats
    """(K, T): every score of the evaluation, of this part's items alone; NaN where undefined."""
    rank_values: Ints  # (K, T): ranks by them, as those of an evaluation
    lower: Floats
    """(T,): 95% intervals of the ranking metric; NaN where undefined, marked, or left out."""
    upper: Floats  # (T,)
    marks: tuple[Mark, ...]  # why a defined score has no interval, or a rough one
    corrected: tuple[int, ...]
    """Those whose interval is corrected for having been chosen as the best."""
    verdict: Verdict  # what may be said of the first place in this part, without what it depends on
    state: State | None
    """What becomes of the first place of the whole test set on the items of this part alone."""
    crowns_another: bool
    """Whether others are first here than in the whole test set, or not the same share first place."""


@dataclass(frozen=True, eq=False)
class SpanScores:
    """The spans that tags of tokens mark, scored beside the tokens."""

    outside: float  # the share of gold's tokens that are in no span
    values: Floats | None
    """(2, T): micro F1, and the mean F1 of the types; None where there are too many tokens."""


@dataclass(frozen=True, eq=False)
class Sliced:
    """A test set cut by the values of one column."""

    column: str  # the column
    slices: tuple[Slice, ...]
    """The parts, in the natural order of their values. Each item is in one of them."""
    macro: Floats  # (K, T): the mean of the parts' scores, each part alike whatever its size
    macro_ranks: Ints  # (K, T): ranks by it
    state: State | None = None
    """What becomes of the first place by that mean; None where it was not tested."""


def find_slice(cuts: tuple[Sliced, ...], named: str) -> tuple[Sliced, Slice | None]:
    """The column, and the part of it, that a user names: ``language=es``; the column alone: ``language``."""
    if not cuts:
        raise UsageError(
            'No column cuts the test set. Write into task.toml, under [gold]: slices = ["COLUMN"].'
        )
    for sliced in cuts:
        if named == sliced.column:
            return sliced, None
        for part in sliced.slices:
            if named == f"{sliced.column}={part.value}":
                return sliced, part
    slices = [f"{sliced.column}={part.value}" for sliced in cuts for part in sliced.slices]
    shown = listed(list(map(quoted, slices)), limit=8)
    raise UsageError(
        f"There is no slice {quoted(named)}.{did_you_mean(named, slices)} The slices are {shown}."
    )
