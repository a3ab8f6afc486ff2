"""A reading: every choice behind a score that its name leaves open; and what readings do to a ranking."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from audit.domain.cells import Cells
from audit.domain.task import Prevalence, ScoreKey


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

    EMPTY = "empty"
    ONE_SIDED = "one-sided"
    NONE_CORRECT = "none-correct"


class Missing(StrEnum):
    """The way to count items for which a submission gave no label."""

    WRONG = "wrong"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Reading:
    """Every choice behind a score. The default of each choice is what this program scores by.

    ``str`` of a reading is its signature: the metric's slug, in parentheses the choices that are not the default, the
    named classes, and the prevalence. The signature of a reading with default choices is that of its score.

    Examples
    --------
    >>> str(Reading("averaged_f1")), str(Reading("averaged_f1", ClassSet.UNION_PER_TEAM, prevalence="balanced"))
    ('averaged_f1', 'averaged_f1(union-per-team)~')
    >>> str(Reading("averaged_f1[Other]", named=Named.ALL_BUT, undefined=Undefined.DROPPED, missing=Missing.DROPPED))
    'averaged_f1(all-but,undefined=dropped,missing=dropped)[Other]'
    """

    metric: str  # the metric's slug, with labels in brackets where it is over named classes or of one class
    classes: ClassSet = ClassSet.IN_GOLD
    """For a macro score: the classes in gold, those of the label set, or the union of gold and predicted labels, over
    all teams or of each team alone.
    """
    named: Named = Named.ONLY
    """For a macro score with labels in brackets: whether the average runs over these only, or over all but these.

    Without brackets: whether the rest class joins, where the task has one.
    """
    undefined: Undefined = Undefined.ZERO  # what an undefined class score becomes
    f1_undefined: F1Undefined = F1Undefined.EMPTY
    """For averaged F1 and class F1: whether F1 is undefined where a class is neither in gold nor predicted (its
    denominator is 0); also where it lacks one of both (precision or recall is undefined); or where no item of it is
    correct (precision and recall are both 0).
    """
    missing: Missing = Missing.WRONG
    """Whether an item without a label is wrong, or left out of this submission's scores."""
    prevalence: str = "observed"  # the class distribution: ``observed``, ``balanced``, or a name from task.toml

    @property
    def slug(self) -> str:
        """The metric's slug alone; a composite, which is of several metrics, whole."""
        return self.metric if self.metric.startswith("mean(") else self.metric.partition("[")[0]

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
        return MappingProxyType(
            {
                "metric": self.slug,
                "named classes": f"{self.named} {self.brackets}".strip() if self.brackets or self._with_rest else "",
                "class set": self.classes.value,
                "undefined class score": self.undefined.value,
                "undefined class F1": self.f1_undefined.value,
                "missing items": self.missing.value,
                "prevalence": self.prevalence,
            }
        )

    def differs_in(self, other: "Reading") -> tuple[str, ...]:
        """Names of the choices in which two readings differ."""
        theirs = other.choices
        return tuple(name for name, value in self.choices.items() if value != theirs[name])

    @property
    def _with_rest(self) -> bool:
        return self.named is Named.WITH_REST

    def __str__(self) -> str:
        choices = ",".join(self._stated())
        return f"{self.slug}{f'({choices})' if choices else ''}{self.brackets}{Prevalence(self.prevalence).suffix}"

    def _stated(self) -> Iterator[str]:
        """The choices that are not the default, as the signature has them."""
        if self.classes is not ClassSet.IN_GOLD:
            yield self.classes.value
        if self.named is not Named.ONLY:
            yield self.named.value
        if self.undefined is not Undefined.ZERO:
            yield f"undefined={self.undefined}"
        if self.f1_undefined is not F1Undefined.EMPTY:
            yield f"f1-undefined={self.f1_undefined}"
        if self.missing is not Missing.WRONG:
            yield f"missing={self.missing}"


@dataclass(frozen=True, eq=False)
class Answers:
    """The counts from which a team's score is computed under every reading."""

    cells: Cells  # gold × predicted, *unanswered* being the items with a label outside the label set
    missing: NDArray[np.int64]  # (T, C): items of each gold class that are missing
    strays: tuple[frozenset[str], ...]  # the labels outside the label set that each team predicts

    def of_teams(self, teams: Sequence[int]) -> "Answers":
        """The answers of some of the teams."""
        some = list(teams)
        strays = tuple(self.strays[team] for team in some)
        return Answers(self.cells.of_teams(some), self.missing[some], strays)

    def plus(self, other: "Answers") -> "Answers":
        """The answers of the same teams to these items and to others."""
        return replace(self, cells=self.cells.plus(other.cells), missing=self.missing + other.missing)

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
        """Which classes occur in gold, shape (T, C): the same for all teams, whatever any of them left out."""
        return np.asarray(self.cells.prevalence + self.missing > 0)

    def confusions(self, missing: Missing) -> Cells:
        """Gold × predicted and unanswered, with missing items as unanswered or left out."""
        return self.cells.with_unanswered(self.missing) if missing is Missing.WRONG else self.cells


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
    """The reading that the others are compared with: the official one where it is a macro F1, else averaged F1."""
    teams: tuple[str, ...]
    """The names of the T entries that take a rank; scores and ranks of the groups are in this order."""
    groups: tuple[ReadingGroup, ...]
    """The readings that this campaign can tell apart, that of the base first, then by number of changed choices."""

    @property
    def n_readings(self) -> int:
        """The number of readings that were tried."""
        return sum(len(group.readings) for group in self.groups)
