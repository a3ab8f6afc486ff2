"""How a campaign differs from what the store holds of its task: which submissions come, go and stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from audit.domain import Submission
from audit.store.summaries import LoadSummary

Name = tuple[str, str | None]
"""A submission's team and run, which tell a task's submissions apart."""


class Current(NamedTuple):
    """The values of a current submission that decide whether it stays as it is."""

    id: int
    gold_id: int
    fingerprint: str
    position: int


@dataclass(frozen=True)
class Changes:
    """The difference, by name.

    Parameters
    ----------
    current : mapping of Name to Current
        The task's current submissions.
    positions : mapping of Name to int
        The places of the submissions that are wanted.
    added, replaced, unchanged, removed : sequence of Name
        What is to be done with each.
    gold_changed : bool
        Whether the gold takes the place of another one.
    """

    current: Mapping[Name, Current]
    positions: Mapping[Name, int]
    added: Sequence[Name]
    replaced: Sequence[Name]
    unchanged: Sequence[Name]
    removed: Sequence[Name]
    gold_changed: bool

    @classmethod
    def between(
        cls, current: Mapping[Name, Current], fingerprints: Mapping[Name, str], gold_id: int, former_gold_id: int | None
    ) -> Self:
        """The difference between the current submissions and those wanted, given as fingerprints."""
        common = [name for name in fingerprints if name in current]
        same = {name for name in common if current[name][1:3] == (gold_id, fingerprints[name])}
        return cls(
            current=current,
            positions={name: position for position, name in enumerate(fingerprints)},
            added=[name for name in fingerprints if name not in current],
            replaced=[name for name in common if name not in same],
            unchanged=[name for name in common if name in same],
            removed=[name for name in current if name not in fingerprints],
            gold_changed=former_gold_id not in (None, gold_id),
        )

    @property
    def new(self) -> frozenset[Name]:
        """The submissions that need a row."""
        return frozenset((*self.added, *self.replaced))

    @property
    def retired(self) -> list[int]:
        """The ids of the rows that go into history."""
        return [self.current[name].id for name in (*self.replaced, *self.removed)]

    @property
    def moved(self) -> dict[int, int]:
        """The new places of the rows that stay, by id."""
        places = ((self.current[name], self.positions[name]) for name in self.unchanged)
        return {row.id: position for row, position in places if row.position != position}

    def summary(self, *, created: bool) -> LoadSummary:
        """The difference in the names that people read."""
        added, replaced, unchanged, removed = (
            tuple(map(shown, names)) for names in (self.added, self.replaced, self.unchanged, self.removed)
        )
        return LoadSummary(created, added, replaced, unchanged, removed, self.gold_changed)


def name_of(submission: Submission) -> Name:
    """A submission's team and run."""
    return submission.team, submission.run


def shown(name: Name) -> str:
    """TEAM, or TEAM/RUN where there is a run.

    Examples
    --------
    >>> shown(("UIUC", None)), shown(("UIUC", "2"))
    ('UIUC', 'UIUC/2')
    """
    team, run = name
    return team if run is None else f"{team}/{run}"
