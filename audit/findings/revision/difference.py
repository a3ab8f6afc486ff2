"""The difference between two evaluations of one task, as values that a terminal or a page shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from audit.domain import Evaluation, Flag, Role, ScoreKey


@dataclass(frozen=True, slots=True)
class GoldChange:
    """The change of the items and their gold labels."""

    n_before: int  # items of the old gold
    n_after: int  # items of the new gold
    n_common: int | None  # items of both; None where nothing says which items are the same
    relabelled: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """The number of items of both whose label was the first and is the second, the most frequent change first."""

    @property
    def n_relabelled(self) -> int:
        """Items of both whose label changed."""
        return sum(self.relabelled.values())

    @property
    def n_added(self) -> int | None:
        """Items of the new gold alone; None where nothing says which are the same."""
        if self.n_common is None:
            return None
        return self.n_after - self.n_common

    @property
    def n_removed(self) -> int | None:
        """Items of the old gold alone; None where nothing says which are the same."""
        if self.n_common is None:
            return None
        return self.n_before - self.n_common

    @property
    def is_empty(self) -> bool:
        """Whether both have the same items with the same labels."""
        return self.n_before == self.n_after == self.n_common and not self.relabelled


class SubmissionFate(StrEnum):
    """The fate of a submission: how it changed from one evaluation to the next."""

    ADDED = "added"  # it is in the new evaluation alone
    WITHDRAWN = "withdrawn"
    """It is in the old evaluation alone, or has been given the role *withdrawn*."""
    COUNTED = "counted"  # it was kept and not shown, and is shown now
    UNCOUNTED = "uncounted"  # it was shown, and is kept and not shown now
    CHANGED = "changed"  # its answers have changed
    OTHER_RUN = "other-run"  # another run of the team stands in its place
    RENAMED = "renamed"  # the same file, under another name
    ROLE = "role"  # the same answers, in another role, so that it takes a rank or takes none


@dataclass(frozen=True, slots=True)
class SubmissionChange:
    """A submission that came, went, or is another one now."""

    fate: SubmissionFate  # the fate of the submission
    before: str | None  # the name on the old board; None where it was not there
    after: str | None  # the name on the new board; None where it is not there
    roles: tuple[Role | None, Role | None]
    """What it was and is to the campaign; None where it was or is no submission."""
    runs: tuple[str | None, str | None] = (None, None)  # the names of the runs
    reason: str = ""  # why a run is kept and not shown, in a few words

    @property
    def name(self) -> str:
        """The name of the submission; the new one where it has two."""
        if self.after is not None:
            return self.after
        return self.before or ""


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A thing that the campaign says in another way."""

    slug: str  # the name of the setting for programs: official_metric, policy.missing, label, …
    what: str  # the name of the setting inside a sentence
    before: str | None  # the old value in words; None for nothing
    after: str | None  # the new value in words; None for nothing
    matters: bool = True  # whether a rank, an interval or a finding can depend on it


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of an entry on a board, by the metric that ranks there."""

    name: str  # TEAM, or TEAM/RUN where the team has several runs there
    competes: bool  # whether it takes a rank
    score: float | None  # the score; None where undefined
    rank: int | None
    """Its rank, 1 is best; where it does not compete, the rank that it would take. None where the score is undefined.
    """
    printed_rank: str  # the rank as boards print it: 2= is shared, (3) is not taken, – is undefined
    could_be_best: bool | None = None  # whether it could be best; None where that is not known
    uncertain: bool = False
    """Whether its differences are much less sure than the field's, so that it can hardly be excluded."""
    possible_ranks: tuple[int, int] | None = None
    """First and last possible rank; None where it is in no comparison."""

    @property
    def is_ranked(self) -> bool:
        """Whether the entry takes a rank and has one."""
        return self.competes and self.rank is not None


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One entry on both boards."""

    before: Standing | None  # the old standing; None where it was not shown
    after: Standing | None  # the new standing; None where it is not shown

    @property
    def name(self) -> str:
        """The name of the entry; the new one where it has two."""
        side = self.after or self.before
        if side:
            return side.name
        return ""

    @property
    def is_ranked_on_both(self) -> bool:
        """Whether the entry takes a rank before and after."""
        return bool(self.before and self.after and self.before.is_ranked and self.after.is_ranked)

    @property
    def moved(self) -> bool:
        """Whether its rank is another one, or shared on one side only; not said of an entry that is ranked on one."""
        pair = self.before, self.after
        return self.is_ranked_on_both and len({side.printed_rank for side in pair if side}) > 1

    @property
    def changed(self) -> bool:
        """Whether anything of it is another one: rank, score, or what the test set tells of it."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding that came, went, or says something else now."""

    before: Flag | None  # the finding as it was; None where it is new
    after: Flag | None  # the finding as it is; None where it is gone

    @property
    def slug(self) -> str:
        """The rule that fired."""
        flag = self.after or self.before
        if flag:
            return flag.slug
        return ""

    @property
    def state(self) -> str:
        """``new``, ``gone`` or ``changed``."""
        if self.before is None:
            return "new"
        if self.after is None:
            return "gone"
        return "changed"


@dataclass(frozen=True, eq=False)
class Difference:
    """The changes between two evaluations of one task, and their consequences."""

    before: Evaluation
    after: Evaluation
    gold: GoldChange  # what became of the items and their labels
    submissions: tuple[SubmissionChange, ...]
    """The submissions that came, went or are others, in the order of their names."""
    settings: tuple[SettingChange, ...]  # what the campaign says in another way
    board: tuple[BoardRow, ...]
    """Every entry on both boards: in the order of the new one, and behind it those that are gone."""
    findings: tuple[FindingChange, ...]
    """The findings that are new, changed or gone, the most consequential first."""
    what_changed: tuple[str, ...] = ()
    """What was changed and can matter, one clause each: “12 of 1,000 gold labels were corrected”."""
    erratum: tuple[str, ...] = ()
    """Sentences for an erratum: what was changed, what is said of the first place, which ranks and scores changed."""

    @property
    def keys(self) -> tuple[ScoreKey, ScoreKey]:
        """The metrics that rank, before and after."""
        return self.before.task.ranking_metric, self.after.task.ranking_metric

    @property
    def same_metric(self) -> bool:
        """Whether one metric ranks on both sides, so that scores can be set against each other."""
        return self.keys[0] == self.keys[1]

    @property
    def moved(self) -> tuple[BoardRow, ...]:
        """The entries that are ranked on both sides and have another rank."""
        return tuple(row for row in self.board if row.moved)

    @property
    def ranks_differ(self) -> bool:
        """Whether some entry has another rank, or is ranked on one side only."""
        ranked = [
            [bool(side and side.is_ranked) for side in (row.before, row.after)]
            for row in self.board
        ]
        return bool(self.moved) or any(before != after for before, after in ranked)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was changed and nothing became of it."""
        changed = (
            self.submissions
            or self.settings
            or self.findings
            or any(row.changed for row in self.board)
        )
        return (
            self.gold.is_empty
            and not changed
            and self.before.verdict.sentence == self.after.verdict.sentence
        )
