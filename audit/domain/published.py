"""Published numbers: scores as a table prints them, and which readings they turn out to be of."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from audit.domain.reading import Reading
from audit.domain.submitted_runs import SourceFile

RANK_HEADINGS = frozenset({"rank", "ranks", "ranking", "place", "position", "pos"})
"""What a column of ranks is called, without blanks and in lower case."""
_RANKING = frozenset({"rank", "ranks"})
_SCORES = frozenset({"score", "scores", "mean", "average", "averaged", "avg", "correlation", "loss"})
HEADING_SAYS = ("yes", "no", "leaves open", "names no metric", "cannot tell")
"""Whether a heading names the numbers below it."""


@dataclass(frozen=True, slots=True)
class PrintedScore:
    """A score as printed.

    Examples
    --------
    >>> PrintedScore("35,99", 3599, 2).value
    35.99
    """

    text: str  # the cell as it stands
    units: int  # the digits of the cell as a whole number, with the sign
    decimals: int  # digits after the point or comma
    percent: bool = False  # whether a percent sign stands behind it

    @property
    def value(self) -> float:
        """The number."""
        return float(self.units / 10**self.decimals)


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """One column of scores, or of ranks; None where a team has none."""

    heading: str
    scores: tuple[PrintedScore | None, ...]
    can_only_be_ranks: bool = False  # whether its numbers are none of rows, though its heading would say so

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
    """The readings; the one nearest to the column's heading and to the default comes first."""
    n_matched: int  # teams whose printed score they give
    rounding: str
    """How the column must have been rounded for that: ``rounded``, ``half up``, ``half even``, ``rounded, halves either
    way`` or ``truncated``.
    """
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
    """The readings that give every team's score; where none does, the readings that give the most."""
    heading_says: str
    """Whether the heading names the numbers: ``yes``, ``no``, ``leaves open`` (its name has several meanings), ``names
    no metric``, or ``cannot tell`` (chance explains as many matches).
    """
    by_chance: int = 0
    """The most scores that some reading would give if all were invented, with a probability of at least 95%."""
    beats_chance: bool = False
    """Whether more scores match than chance explains: without that nothing is said of the heading."""
    open_choices: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Choices that the numbers leave open, with the values that all give every team's score."""
    sentences: tuple[str, ...] = ()  # all of this in sentences

    @property
    def is_exact(self) -> bool:
        """Whether some reading gives every team's score."""
        return bool(self.matches) and self.matches[0].n_matched == self.n_teams


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the teams that printed ranks do not keep to."""

    by: str  # the score that makes the order, as a sentence names it
    n_turned: int  # the number of pairs of teams that are in the other order
    turned: tuple[tuple[str, int, str, int], ...]
    """The first of these pairs: the better team, its printed rank, the worse team, its printed rank."""


@dataclass(frozen=True, slots=True)
class IdentifiedRanks:
    """The scores by which a published column of ranks, or of means of ranks, may be."""

    heading: str  # the column's heading, as it is printed
    n_teams: int  # teams of the table that have a rank
    by: tuple[str, ...]
    """The scores in whose order the ranks stand, as a sentence names them; none where no score fits. Of means of ranks
    which means give every value.
    """
    beats_chance: bool  # whether chance explains that with a probability below 5%; also where no score fits
    nearest: Order | None  # the nearest order, where no score fits
    sentences: tuple[str, ...]  # all of this in sentences
    are_means: bool = False  # whether they are means of ranks by their heading, and their values were looked for


@dataclass(frozen=True, slots=True)
class Identification:
    """The readings of which the columns of a published table may be."""

    path: str  # the file
    columns: tuple[IdentifiedColumn, ...]  # one for each column of scores
    renamed: tuple[tuple[str, str], ...]  # spelled otherwise, and taken for the same
    unmatched: tuple[str, ...]  # names in the table that the campaign does not have
    absent: tuple[str, ...]  # entries of the campaign that the table does not have
    set_aside: tuple[tuple[str, str], ...]  # columns that hold no scores
    n_readings: int  # how many readings were tried
    findings: tuple[str, ...]  # sentences about headings and columns that are not what they say
    ranks: tuple[IdentifiedRanks, ...] = ()  # one for each column of ranks, or of means of ranks
