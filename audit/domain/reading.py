"""A reading: every choice behind a score that its name leaves open; and published numbers, each of some reading."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Floats
from audit.domain.cells import Cells
from audit.domain.submitted_runs import SourceFile
from audit.domain.task import Prevalence, ScoreKey
from audit.text import listed

RANK_HEADINGS = frozenset({"rank", "ranks", "ranking", "place", "position", "pos"})
"""What a column of ranks is called, without blanks and in lower case."""
_RANKING = frozenset({"rank", "ranks"})
_SCORES = frozenset(
    {"score", "scores", "mean", "average", "averaged", "avg", "correlation", "loss"}
)
"""Whether a heading names the numbers below it."""


class ClassSet(StrEnum):
    """The classes over which an average runs."""

    IN_GOLD = "in-gold"
    DECLARED = "declared"
    UNION = "union"
    UNION_PER_TEAM = "union-per-team"


class Named(StrEnum):
    """The effect of labels in brackets: an average takes only these, all but these, or the rest class too."""

    ONLY = "only"
    ALL_BUT = "all-but"
    WITH_REST = "with-rest"


class Undefined(StrEnum):
    """The value of an undefined class score (denominator 0) in an average."""

    ZERO = "0"
    ONE = "1"
    DROPPED = "dropped"
    WHOLE = "whole"


class F1Undefined(StrEnum):
    """The rule by which a class F1 is undefined; each rule includes the cases of the rule before it."""

    EMPTY = "empty"  # the class is neither in gold nor predicted: the denominator is 0
    ONE_SIDED = "one-sided"  # it lacks one of both: precision or recall is undefined
    NONE_CORRECT = "none-correct"  # no item of it is correct: precision and recall are both 0


class Empty(StrEnum):
    """The value of a unit whose two sets are empty in a mean over units, or the units that the mean leaves out."""

    ONE = "one"
    ZERO = "zero"
    DROPPED = "dropped"
    GOLD_DROPPED = "gold-empty-dropped"
    EITHER_DROPPED = "either-empty-dropped"


class Unknown(StrEnum):
    """The way to count things of sets whose labels gold has nowhere."""

    FALSE_ALARM = "false-alarm"
    DROPPED = "dropped"


class Missing(StrEnum):
    """The way to count items for which a submission gave no label."""

    WRONG = "wrong"
    DROPPED = "dropped"


class Outside(StrEnum):
    """The way to count items that a submission answers with a label outside the scale of the labels."""

    UNANSWERED = "unanswered"
    DROPPED = "dropped"
    CLIPPED = "clipped"


class Repair(StrEnum):
    """The spans that broken tags of tokens mark: those that the campaign was read with, or by another rule."""

    AS_READ = "as-read"
    CONLL = "conll"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class Reading:
    """Every choice behind a score. The default of each choice is what this program scores by.

    ``str`` of a reading is its signature: the metric's slug, in parentheses the choices that are not the default, the
    named classes, and the prevalence. The signature of a reading with default choices is that of its score.
    """

    metric: str
    """The metric's slug, with labels in brackets where it is over named classes or of one class."""
    classes: ClassSet = ClassSet.IN_GOLD
    """Those of a macro score; a union is over all teams, or of each team alone."""
    named: Named = Named.ONLY  # of a macro score; without brackets whether the rest class joins
    undefined: Undefined = Undefined.ZERO  # what an undefined class score becomes
    f1_undefined: F1Undefined = F1Undefined.EMPTY  # which class F1s are undefined
    missing: Missing = Missing.WRONG  # how an item without a label counts
    prevalence: str = "observed"
    """The class distribution: ``observed``, ``balanced``, or a name from task.toml."""
    empty: Empty = Empty.ONE  # of a mean over units: what becomes of units with empty sets
    unknown: Unknown = Unknown.FALSE_ALARM  # of sets: how things of labels that gold lacks count
    outside: Outside = Outside.UNANSWERED
    """Of labels on a scale: how answers with other labels count."""
    repair: Repair = Repair.AS_READ  # of spans that tags mark: which of them broken ones do

    @property
    def slug(self) -> str:
        """The metric's slug alone; a composite, which is of several metrics, whole."""
        if self.metric.startswith("mean("):
            return self.metric
        return self.metric.partition("[")[0]

    @property
    def brackets(self) -> str:
        """The named classes with their brackets, or nothing."""
        return self.metric.removeprefix(self.slug)

    @property
    def key(self) -> ScoreKey:
        """The score that this reading reads."""
        return ScoreKey(self.metric, self.prevalence)

    @property
    def choices(self) -> Mapping[str, str]:
        """Every choice by name, as text; two readings with equal choices are one."""
        return MappingProxyType(dict(zip(_NAMES, map(str, self.chosen), strict=True)))

    @property
    def chosen(self) -> tuple[str, ...]:
        """What is chosen, in the order in which the choices are named."""
        names_classes = self.brackets or self.named is Named.WITH_REST
        if names_classes:
            named_classes = f"{self.named} {self.brackets}".strip()
        else:
            named_classes = ""
        return (self.slug, named_classes, *_rules_of(self), self.prevalence)

    def differs_in(self, other: "Reading") -> tuple[str, ...]:
        """Names of the choices in which two readings differ."""
        both = zip(_NAMES, self.chosen, other.chosen, strict=True)
        return tuple(name for name, ours, theirs in both if ours != theirs)

    def __str__(self) -> str:
        plain = Reading(self.metric)
        choices = ",".join(
            f"{begins}{getattr(self, name)}"
            for name, (_, begins) in CHOICES.items()
            if getattr(self, name) is not getattr(plain, name)
        )
        return f"{self.slug}{f'({choices})' if choices else ''}{self.brackets}{Prevalence(self.prevalence).suffix}"


CHOICES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "classes": ("class set", ""),
        "named": ("named classes", ""),
        "undefined": ("undefined class score", "undefined="),
        "f1_undefined": ("undefined class F1", "f1-undefined="),
        "missing": ("missing items", "missing="),
        "outside": ("labels outside the scale", "outside="),
        "empty": ("empty sets", "empty="),
        "unknown": ("labels that gold lacks", "unknown="),
        "repair": ("broken tags", "repair="),
    }
)
"""Each choice that stands in the parentheses of a signature → its name in words, and what stands before its value."""
_RULES = {name: words for name, (words, _) in CHOICES.items() if name != "named"}
_NAMES = ("metric", "named classes", *_RULES.values(), "prevalence")
_rules_of = attrgetter(*_RULES)


@dataclass(frozen=True, eq=False)
class Answers:
    """The counts from which a team's score is computed under every reading."""

    cells: Cells
    """Gold × predicted, *unanswered* being the items with a label outside the label set."""
    missing: NDArray[np.int64]  # (T, C): items of each gold class that are missing
    below: NDArray[np.int64]
    """(T, C): items of each gold class that are answered with a number below the scale."""
    strays: tuple[frozenset[str], ...]  # the labels outside the label set that each team predicts

    def of_teams(self, teams: Sequence[int]) -> "Answers":
        """The answers of some of the teams."""
        some = list(teams)
        strays = tuple(self.strays[team] for team in some)
        return Answers(self.cells.of_teams(some), self.missing[some], self.below[some], strays)

    def plus(self, other: "Answers") -> "Answers":
        """The answers of the same teams to these items and to others."""
        missing = self.missing + other.missing
        below = self.below + other.below
        return replace(self, cells=self.cells.plus(other.cells), missing=missing, below=below)

    @property
    def n_strays(self) -> NDArray[np.int64]:
        """Different labels outside the label set that each team predicts, shape (T,)."""
        return np.fromiter(map(len, self.strays), dtype=np.int64, count=len(self.strays))

    @property
    def n_all_strays(self) -> int:
        """Different ones that all teams together predict."""
        return len(frozenset().union(*self.strays))

    @cached_property
    def in_gold(self) -> NDArray[np.bool_]:
        """The classes that occur in gold, shape (T, C): the same for all teams, whatever any of them left out."""
        return np.asarray(self.cells.prevalence + self.missing > 0)

    def confusions(self, missing: Missing) -> Cells:
        """Gold × predicted and unanswered, with missing items as unanswered or left out."""
        if missing is Missing.WRONG:
            return self.cells.with_unanswered(self.missing)
        return self.cells


@dataclass(frozen=True, eq=False)
class ReadingGroup:
    """Readings that give every team of a campaign the same score: its data cannot tell them apart."""

    readings: tuple[Reading, ...]  # the one with the fewest changes from the base first
    scores: NDArray[np.float64]  # every team's score, shape (T,); NaN where undefined
    ranks: NDArray[np.int64]  # competition ranks, shape (T,)
    changed: tuple[str, ...]  # the choices in which the first reading differs from the base

    @property
    def reading(self) -> Reading:
        """The reading nearest to the base."""
        return self.readings[0]

    @property
    def winners(self) -> tuple[int, ...]:
        """Indices of the teams that share rank 1; none where every score is undefined."""
        return tuple(np.flatnonzero((self.ranks == 1) & ~np.isnan(self.scores)).tolist())


@dataclass(frozen=True, eq=False)
class MacroF1Audit:
    """Every team under every reading of macro F1."""

    base: Reading
    """With which the others are compared: the official one where it is a macro F1, else macro-averaged F1."""
    teams: tuple[str, ...]
    """The T entries that take a rank, in the order of the groups' scores and ranks."""
    groups: tuple[ReadingGroup, ...]
    """What this campaign can tell apart: the base's first, then by changed choices."""

    @property
    def n_readings(self) -> int:
        """The number of readings that were tried."""
        return sum(len(group.readings) for group in self.groups)


@dataclass(frozen=True, slots=True)
class PrintedScore:
    """A score as printed."""

    text: str  # the cell as it stands
    units: int  # the digits of the cell as a whole number, with the sign
    decimals: int  # digits after the point or comma
    percent: bool = False  # whether a percent sign stands behind it
    is_highlighted: bool = False
    """Whether it is set in bold, or marked by *, as the best of its column."""

    @property
    def number(self) -> str:
        """The number as it stands, without what highlights it."""
        return self.text.strip("*_ ")

    @property
    def value(self) -> float:
        """The number."""
        return float(self.units / 10**self.decimals)


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """One column of scores, or of ranks; None where a team has none."""

    heading: str
    scores: tuple[PrintedScore | None, ...]
    can_only_be_ranks: bool = False
    """Whether its numbers are none of rows, though its heading would say so."""
    table: int = 0  # of several tables that are looked at as one, the one that it is in

    @property
    def values(self) -> Floats:
        """The numbers as they are printed, NaN where a team has none."""
        return np.array([np.nan if cell is None else cell.value for cell in self.scores])

    @property
    def is_of_ranks(self) -> bool:
        """Whether its heading says that its numbers are ranks, or they can be nothing else."""
        words = re.findall(r"[^\W_]+", self.heading.casefold())
        alone = self.heading.strip(" .:").casefold() in RANK_HEADINGS
        named = not _RANKING.isdisjoint(words) and _SCORES.isdisjoint(words)
        return self.can_only_be_ranks or alone or named


@dataclass(frozen=True, slots=True)
class Published:
    """A published table."""

    path: str  # the file
    teams: tuple[str, ...]  # the rows' names as they stand
    columns: tuple[PublishedColumn, ...]  # the columns that hold scores, and those that hold ranks
    set_aside: tuple[tuple[str, str], ...] = ()  # the columns that hold none
    source: SourceFile | None = None  # the file's bytes, where it belongs to a campaign
    defects: tuple[str, ...] = ()  # what could not be read, each in a sentence


@dataclass(frozen=True, slots=True)
class Miss:
    """A team whose printed score a reading does not give."""

    team: str  # the entry
    printed: str  # the cell as it stands
    computed: float  # the score by this reading, on the scale of the column; NaN where undefined
    difference: float  # printed less computed
    other: Reading | None = None  # another reading of the same metric that gives the printed score


@dataclass(frozen=True, slots=True)
class Match:
    """Readings that this campaign cannot tell apart, and how far they give a column's numbers."""

    readings: tuple[Reading, ...]
    """The one nearest to the column's heading and to the default first."""
    n_matched: int  # teams whose printed score they give
    rounding: str
    """``rounded``, ``half up``, ``half even``, ``rounded, halves either way`` or ``truncated``."""
    decimals: str  # digits after the point: a number, or that each cell has its own
    misses: tuple[Miss, ...]  # the teams whose score they do not give, the largest difference first

    @property
    def reading(self) -> Reading:
        """The reading to name."""
        return self.readings[0]


@dataclass(frozen=True, slots=True)
class IdentifiedColumn:
    """The readings of which a published column of scores may be."""

    heading: str  # the column's heading, as it is printed
    n_teams: int  # teams compared: those in the table and in the campaign with a printed score
    percent: bool  # whether the numbers are percentages
    matches: tuple[Match, ...]
    """The readings that give every team's score, or else those that give the most."""
    # Whether the heading names the numbers: ``yes``, ``no``, ``leaves open``, ``names no metric`` or ``cannot tell``.
    heading_says: str
    by_chance: int = 0  # the most scores that a reading would give if all were invented, with 95%
    beats_chance: bool = False
    """Whether more match than chance explains: else nothing is said of the heading."""
    n_others: float = 0.0
    """Readings of other metrics that print as the numbers of a reading do, in the mean."""
    open_choices: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """Choices that the numbers leave open, with the values that all give every team's score."""
    sentences: tuple[str, ...] = ()  # all of this in sentences
    table: int = 0  # the table that it is in
    apart: str = ""
    """The score from which all printed ones are the same number apart, and which, in words."""

    @property
    def is_unexplained(self) -> bool:
        """Whether the column has scores of the campaign's teams, and no reading gives all or more than chance."""
        return self.n_teams > 0 and not self.beats_chance and not self.is_exact

    @property
    def is_undecided(self) -> bool:
        """Whether some reading gives every score, but the scores have too few digits to tell whether by chance."""
        return self.is_exact and self.n_teams > 0 and not self.beats_chance

    @property
    def is_exact(self) -> bool:
        """Whether some reading gives every team's score."""
        return bool(self.matches) and self.matches[0].n_matched == self.n_teams


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the teams that printed ranks do not keep to."""

    by: str  # the score that makes the order, as a sentence names it
    n_turned: int  # the number of pairs of teams that are in the other order
    turned: tuple[tuple[str, float, str, float], ...]
    """The first pairs: better team, its rank, worse team, its rank."""


@dataclass(frozen=True, slots=True)
class IdentifiedRanks:
    """The scores by which a published column of ranks, or of means of ranks, may be."""

    heading: str  # the column's heading, as it is printed
    n_teams: int  # teams of the table that have a rank
    by: tuple[str, ...]  # the scores in whose order the ranks stand, as a sentence names them
    beats_chance: bool
    """Whether chance explains that with a probability below 5%; also where no score fits."""
    nearest: Order | None  # the nearest order, where no score fits
    sentences: tuple[str, ...]  # all of this in sentences
    table: int = 0  # the table that it is in


@dataclass(frozen=True, slots=True)
class IdentifiedTable:
    """One published table, alone or of several that are looked at as one."""

    path: str  # the file
    columns: tuple[IdentifiedColumn, ...]  # one for each column of scores
    ranks: tuple[IdentifiedRanks, ...]  # one for each column of ranks, or of means of ranks
    set_aside: tuple[tuple[str, str], ...]  # columns that hold no scores


@dataclass(frozen=True, slots=True)
class Identification:
    """The readings of which the columns of published tables may be."""

    tables: tuple[IdentifiedTable, ...]
    renamed: tuple[tuple[str, str], ...]  # spelled otherwise, and taken for the same
    unmatched: tuple[str, ...]  # names in the table that the campaign does not have
    absent: tuple[str, ...]  # entries of the campaign that the table does not have
    n_readings: int  # how many readings were tried
    findings: tuple[str, ...]  # sentences about headings and columns that are not what they say
    contradictions: tuple[str, ...] = ()  # sentences about what the table says against itself
    defects: tuple[str, ...] = ()
    """Sentences about what of the tables could not be read or compared."""

    @property
    def path(self) -> str:
        """The files."""
        return listed([table.path for table in self.tables])

    @property
    def columns(self) -> tuple[IdentifiedColumn, ...]:
        """The columns of scores of all tables."""
        return tuple(column for table in self.tables for column in table.columns)

    @property
    def ranks(self) -> tuple[IdentifiedRanks, ...]:
        """The columns of ranks of all tables."""
        return tuple(ranks for table in self.tables for ranks in table.ranks)
