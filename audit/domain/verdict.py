"""The verdict: who may be called the winner, what that depends on, what to do first; and parts of a test set."""

from dataclasses import dataclass
from enum import StrEnum

from audit.domain.arrays import Floats, Ints
from audit.domain.certainty import Mark, State
from audit.errors import UsageError
from audit.text import did_you_mean, listed, quoted


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


@dataclass(frozen=True, eq=False)
class Slice:
    """One part of the test set: the items that have one value.

    It is the evaluation of a campaign that has these items alone, with the entries of the whole: averages run over the
    classes that occur in this part.

    Parameters
    ----------
    value : str
        What these items have in common, as the column says it.
    class_counts : ndarray of int, shape (C,)
        Gold items of each class in this part.
    values : ndarray, shape (K, T)
        Every score of the evaluation, of this part's items alone; NaN where undefined.
    rank_values : ndarray of int, shape (K, T)
        Ranks by them, as those of an evaluation.
    lower, upper : ndarray, shape (T,)
        95% intervals of the ranking metric; NaN where undefined, marked, or left out.
    marks : tuple of T Mark
        Why a defined score has no interval, or a rough one.
    corrected : tuple of int
        The entries whose interval is corrected for having been chosen as the best of this part.
    verdict : Verdict
        What may be said of the first place in this part, without what it depends on.
    state : State, optional
        What becomes of the first place of the whole test set on the items of this part alone. None where nobody is
        ahead in one of the two.
    crowns_another : bool
        Whether others are first here than in the whole test set, or not the same share first place.
    """

    value: str
    class_counts: Ints
    values: Floats
    rank_values: Ints
    lower: Floats
    upper: Floats
    marks: tuple[Mark, ...]
    corrected: tuple[int, ...]
    verdict: Verdict
    state: State | None
    crowns_another: bool

    @property
    def n_items(self) -> int:
        """Number of items in this part."""
        return int(self.class_counts.sum())


@dataclass(frozen=True, eq=False)
class Sliced:
    """A test set cut by the values of one column.

    Parameters
    ----------
    column : str
        The column.
    slices : tuple of Slice
        The parts, in the natural order of their values. Each item is in one of them.
    macro : ndarray, shape (K, T)
        The mean of the parts' scores, each part alike whatever its size; NaN where one of them is undefined. (The score
        of all items together, also called micro, is the evaluation's own.)
    macro_ranks : ndarray of int, shape (K, T)
        Ranks by it.
    """

    column: str
    slices: tuple[Slice, ...]
    macro: Floats
    macro_ranks: Ints


def find_slice(cuts: tuple[Sliced, ...], named: str) -> tuple[Sliced, Slice | None]:
    """The column, and the part of it, that a user names: ``language=es``; the column alone: ``language``.

    Raises
    ------
    UsageError
        When nothing is called so.
    """
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
