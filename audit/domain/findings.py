"""What is found on a campaign: flags, winners under other rules and class distributions, baselines, witnesses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Floats
from audit.domain.cells import Cells
from audit.domain.task import ScoreKey

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
    values: Floats  # higher is better (mean ranks are negative), shape (T,); NaN where a candidate has none


@dataclass(frozen=True)
class Addition:
    """Items added to a submission's confusion."""

    gold: int  # the cell: their gold class, and how they are answered; the code C is *unanswered*
    predicted: int
    amount: int  # how many


@dataclass(frozen=True, eq=False)
class Witness:
    """Confusions on which a metric visibly lacks a property."""

    metric: str  # the metric's slug
    property_: str  # a field of `Properties` of :mod:`audit.metrics`
    teams: tuple[int, ...]  # the team whose confusion each matrix is; −1 for a chance classifier
    additions: tuple[tuple[Addition, ...], ...]  # what was added to each
    balanced: tuple[bool, ...]  # whether each was calibrated to balanced prevalence
    scores: Floats  # (n,): what the metric gives
    cells: tuple[Cells, ...]  # what is compared, a confusion each; nothing for a chance classifier
    chance: Floats | None = None  # (2, C): how often a chance classifier answers each class, and what gold has of it
    always: int | None = None  # the class that a chance classifier always answers

    @property
    def confusions(self) -> Floats:
        """What is compared as matrices, shape (n, C, C + 1)."""
        if self.chance is not None:
            answers, prevalence = self.chance
            return np.asarray(np.append(prevalence[:, None] * answers, np.zeros((prevalence.size, 1)), axis=-1)[None])
        return np.asarray(np.concatenate([each.dense() for each in self.cells]), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Demonstration:
    """A test on confusions of this campaign of whether a metric has a property."""

    metric: str  # the metric's slug
    property_: str  # a field of `Properties` of :mod:`audit.metrics`
    witness: Witness | None
    """Confusions of this campaign on which the metric lacks the property; None where it has it, or none was found."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Items on which entries differ. The comparisons of the certainty say how sure the differences are."""

    only_right: NDArray[np.int64]
    """Gold items of each class that the row's entry answers right and the column's does not, whether that one is wrong
    or gives no answer, shape (T, T, C).
    """


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
    """Total variation distance from the old one: the share of items that would have to be of another class, range (0,
    1].
    """
    winners: tuple[int, ...]  # the entries that are first there


@dataclass(frozen=True, eq=False)
class WinnerMap:
    """Winners under other class distributions, with each team's error behaviour within a gold class unchanged."""

    key: ScoreKey  # the metric, and the prevalence at which its ranking stands
    reference: Floats  # (C,): the class distribution of that prevalence
    winners: tuple[int, ...]  # who is first there
    uniform: Floats  # (T,): share of the drawn distributions at which a team is first, alone or with others
    nearby: Floats  # (T,)
    holds_uniform: float  # share of them at which a team that is first at the reference still is
    holds_nearby: float
    n_draws: int  # distributions drawn of either kind, and what seeds them
    seed: int
    concentration: float  # sum of the parameters of the Dirichlet distribution around the reference
    spread: float  # mean total variation distance from the reference of the distributions drawn around it
    nearest: Shift | None  # the nearest distribution found at which another team is first; None where none was found
