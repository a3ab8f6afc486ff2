"""The verdict: who may be called the winner, what that depends on, and what to do before it is published."""

from dataclasses import dataclass
from enum import StrEnum

from audit.domain.results.certainty import State


class Claim(StrEnum):
    """The claim about the first place by the ranking metric that the data allow."""

    BEST = "best"
    """One entry is first, and no other could be best."""
    OPEN = "open"
    """One entry is first, and others could be best, too."""
    SHARED = "shared"
    """Several entries share first place."""
    FEWER_ITEMS = "fewer-items"
    """The first is scored on fewer items than the others and compared with none."""
    UNDECIDED = "undecided"
    """One entry is first, and nothing can be compared."""
    NOT_TESTED = "not-tested"
    """One entry is first; the certainty was left out."""
    LEVEL = "level"
    """Everybody has the same score, or nobody more than 0."""
    ALONE = "alone"
    """There is one entry."""
    NOBODY = "nobody"
    """No entry takes a rank, or none of those that do has a score."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """One thing that could have been chosen otherwise, and what becomes of the first place.

    Parameters
    ----------
    choice : {"macro-f1", "metric", "prevalence", "class-set", "slice", "missing-items", "rounding"}
        What could have been chosen otherwise.
    title : str
        The choice in words.
    state : State
        What becomes of the first place.
    first : str
        Who is first by what.
    sentence : str
        All of it in words.
    reason : str
        Why it was not tested; empty where it was.
    """

    choice: str
    title: str
    state: State
    first: str
    sentence: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ToDo:
    """Something to do before the results are published.

    Parameters
    ----------
    about : str
        The flag that it follows from, or what is no flag: ``unused-files``, ``runs``, ``first-place``, ``wording``.
    text : str
        What to do.
    """

    about: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """The verdict on the first place by the ranking metric, and what it depends on.

    Parameters
    ----------
    claim : Claim
        What the data allow to be said.
    sentence : str
        The claim in words, with names and numbers; before it what destroys it, such as a copy of gold.
    more : str
        What would tell more, or what the sentence does not say; may be empty.
    winners : tuple of int
        The entries that share rank 1 and are ahead of somebody.
    could_be_best : tuple of int
        The entries that could be best, best first; none where that is not known.
    depends_on : tuple of Dependence
        What the first place depends on, always in the same order.
    to_do : tuple of ToDo
        What to do before the results are published, the most harmful first.
    """

    claim: Claim = Claim.NOBODY
    sentence: str = ""
    more: str = ""
    winners: tuple[int, ...] = ()
    could_be_best: tuple[int, ...] = ()
    depends_on: tuple[Dependence, ...] = ()
    to_do: tuple[ToDo, ...] = ()
