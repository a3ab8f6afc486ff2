"""A row of the ranking, as it was handed in: who, which file, and how much of it was answered."""

from dataclasses import dataclass

from audit.domain.submitted_run import UNKNOWN_ORIGIN, Origin, Role
from audit.errors import Issue


@dataclass(frozen=True)
class Entry:
    """A row of the ranking: one submission, without its predictions, and the team's others with the same answers.

    Parameters
    ----------
    name : str
        The team, or TEAM/RUN where a team has several rows. Unique.
    team, run : str
        Where the name comes from.
    path, sha256 : str, optional
        The file and its digest; None for arrays.
    n_missing, n_unusable : int
        Items with no label, and with a label outside the label set.
    unusable_labels : tuple of (label, count)
        The labels that are not in the label set, with their counts.
    predictions_digest : str
        SHA-256 of the label codes: equal for label-identical submissions.
    issues : tuple of Issue
        What was odd about the file.
    role : Role
        What the run is to the campaign.
    n_dropped : int
        Missing items that its scores leave out, by policy: they are then of other items than those of the others.
    competes : bool
        Whether it takes a rank. A baseline, an unofficial run, and a late run beside the one that counts for its team
        stand beside those that do, with the rank that they would take.
    origin : Origin
        Who is behind it.
    scores_digest : str, optional
        SHA-256 of its scores of items; None where it has none.
    same : tuple of Entry
        The team's other runs with the same answers to every item: they share this row, its scores and its rank. Each is
        called TEAM/RUN.
    """

    name: str
    team: str
    run: str | None
    path: str | None
    sha256: str | None
    n_missing: int
    n_unusable: int
    unusable_labels: tuple[tuple[str, int], ...]
    predictions_digest: str
    issues: tuple[Issue, ...] = ()
    role: Role = Role.PRIMARY
    n_dropped: int = 0
    competes: bool = True
    origin: Origin = UNKNOWN_ORIGIN
    scores_digest: str | None = None
    same: tuple["Entry", ...] = ()

    @property
    def runs(self) -> tuple["Entry", ...]:
        """Every run of the row: this one, and those with the same answers."""
        return (self, *self.same)

    @property
    def n_unanswered(self) -> int:
        """Items for which the submission gave no usable label."""
        return self.n_missing + self.n_unusable

    @property
    def contends(self) -> bool:
        """Whether it can be first: it competes, and is no baseline that is ranked like a team."""
        return self.competes and self.role != Role.BASELINE

    @property
    def is_comparable(self) -> bool:
        """Whether it takes part in paired comparisons: it can be first, on the same items as all others."""
        return self.contends and not self.n_dropped
