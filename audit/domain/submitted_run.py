"""One file of predictions as it was handed in: whose it is, what it is to the campaign, and what it answers."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from audit.domain.arrays import Codes
from audit.domain.source import SourceFile
from audit.errors import Issue


class Role(StrEnum):
    """The role of a run in the campaign."""

    PRIMARY = "primary"
    CONTRASTIVE = "contrastive"
    BASELINE = "baseline"
    LATE = "late"
    UNOFFICIAL = "unofficial"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Origin:
    """The people behind a submission, by the organiser's table; None where it does not say.

    Parameters
    ----------
    affiliation, paper : str, optional
        The affiliation and the paper, as readers see them.
    """

    affiliation: str | None = None
    paper: str | None = None


UNKNOWN_ORIGIN = Origin()


@dataclass(frozen=True, eq=False)
class Submission:
    """One file of predictions, in gold order.

    Parameters
    ----------
    team : str
        The team's name.
    codes : ndarray of unsigned int, shape (N,)
        Each item's predicted class, 0 … C - 1; C where no label was given, C + 1 where it is outside the label set.
    run : str, optional
        The run's name, where a team may have several.
    unusable_labels : tuple of (label, count)
        The labels outside the label set, as text, with the number of items they stand on.
    issues : tuple of Issue
        What was odd about the file and did not reject it.
    source : SourceFile, optional
        The file it was read from; None for arrays.
    role : Role
        What the run is to the campaign.
    origin : Origin
        Who is behind it.
    scores : ndarray of float, shape (N,), optional
        A finite score for each item, the higher the more it is of the task's scored label; None where the file has not
        one for every item, or none are kept.
    """

    team: str
    codes: Codes
    run: str | None = None
    unusable_labels: tuple[tuple[str, int], ...] = ()
    issues: tuple[Issue, ...] = ()
    source: SourceFile | None = None
    role: Role = Role.PRIMARY
    origin: Origin = UNKNOWN_ORIGIN
    scores: NDArray[np.float64] | None = None
