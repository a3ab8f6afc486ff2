"""What else was found on a campaign: the winners under other rules, and what shows that a metric lacks a property."""

from dataclasses import dataclass

import numpy as np

from audit.domain.arrays import Floats
from audit.domain.cells import Cells


@dataclass(frozen=True, eq=False)
class Outcome:
    """The winners under a rule that makes one ranking of several."""

    rule: str
    """The rule's slug."""
    winners: tuple[int, ...]
    """The candidates with the best value; none where nobody has one."""
    values: Floats
    """Higher is better (mean ranks are negative), shape (T,); NaN where a candidate has none."""


@dataclass(frozen=True)
class Addition:
    """Items added to a submission's confusion.

    Parameters
    ----------
    gold, predicted : int
        The cell: their gold class, and how they are answered; the code C is *unanswered*.
    amount : int
        How many.
    """

    gold: int
    predicted: int
    amount: int


@dataclass(frozen=True, eq=False)
class Witness:
    """Confusions on which a metric visibly lacks a property.

    Parameters
    ----------
    metric : str
        The metric's slug.
    property_ : str
        A field of `Properties` of :mod:`audit.metrics`.
    teams : tuple of int
        The team whose confusion each matrix is; −1 for a chance classifier.
    additions : tuple of tuple of Addition
        What was added to each.
    balanced : tuple of bool
        Whether each was calibrated to balanced prevalence.
    scores : ndarray, shape (n,)
        What the metric gives.
    cells : tuple of Cells
        What is compared, a confusion each; nothing for a chance classifier.
    chance : ndarray, optional
        How often a chance classifier answers each class, and what gold has of it, shape (2, C).
    always : int, optional
        The class that a chance classifier always answers.
    """

    metric: str
    property_: str
    teams: tuple[int, ...]
    additions: tuple[tuple[Addition, ...], ...]
    balanced: tuple[bool, ...]
    scores: Floats
    cells: tuple[Cells, ...]
    chance: Floats | None = None
    always: int | None = None

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

    metric: str
    """The metric's slug."""
    property_: str
    """A field of `Properties` of :mod:`audit.metrics`."""
    witness: Witness | None
    """Confusions of this campaign on which the metric lacks the property; None where it has it, or none was found."""
