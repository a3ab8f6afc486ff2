"""A layout that is possible by the sample, and how much speaks for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from audit.errors import Issue
from audit.formats.settings.layout import Layout
from audit.formats.table.columns import ColumnChoice, Grid, fits, fits_ids
from audit.formats.table.parsed import TaskFacts

SAMPLE = 1000
"""How many lines of a submission decide its layout, which then has to hold for all lines; of gold, all lines decide."""

Key = tuple[tuple[str, ...], tuple[str, ...]]


class Trust(IntEnum):
    """The evidence that a layout rests on, firmest last."""

    NOTHING = 0
    ELIMINATION = 1
    NAMES = 2
    IDS = 3
    CONTENT = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A layout that is possible by the sample."""

    layout: Layout
    ids: tuple[str, ...]  # what it gives for the sample; two candidates that give the same are one layout
    labels: tuple[str, ...]
    lines: Sequence[int]  # the sample's line numbers
    trust: Trust  # what it rests on
    share: float = 1.0  # share of the sample's lines that have the expected number of columns, range (0, 1]

    @property
    def cells(self) -> Key:
        """The sample's ids and labels by this layout."""
        return self.ids, self.labels


@dataclass(frozen=True, slots=True)
class Findings:
    """The possible layouts by one format; where there is none, the refusals may say why."""

    candidates: tuple[Candidate, ...] = ()
    refusals: tuple[Issue, ...] = ()


def candidates_of(
    layouts: Sequence[Layout], grid: Grid, lines: Sequence[int], facts: TaskFacts, share: float = 1.0
) -> tuple[Candidate, ...]:
    """The candidates for the same columns: each is trusted as much as the most trusted one, since they compete."""
    trust = max((_trust(layout, grid, facts) for layout in layouts), default=Trust.NOTHING)
    return tuple(
        Candidate(
            layout,
            () if layout.id is None else tuple(grid.ids(layout.id)),
            tuple(grid.labels(layout.label, layout.rule)),
            lines,
            trust,
            share,
        )
        for layout in layouts
    )


def _trust(layout: Layout, grid: Grid, facts: TaskFacts) -> Trust:
    choice = ColumnChoice(layout.id, layout.label)
    # Without its first row, which may be a header, a column must not fit better than with it: that would decide.
    if fits(grid, choice, layout.rule, facts) or fits(grid.below_first(), choice, layout.rule, facts):
        return Trust.CONTENT
    if layout.id is not None and facts.ids is not None and fits_ids(grid.ids(layout.id), facts):
        return Trust.IDS
    return Trust.NAMES if layout.names else Trust.ELIMINATION


def best_of(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that rest on the firmest ground: those that hold on every line, or else the least broken.

    Readings that most lines contradict are none.
    """
    for trust in sorted(Trust, reverse=True):
        trusted = [candidate for candidate in candidates if candidate.trust == trust and candidate.share > 0.5]  # noqa: PLR2004 - most
        whole = [candidate for candidate in trusted if candidate.share == 1.0]
        if trusted:
            return whole or _least_broken(trusted)
    return []


def _least_broken(candidates: Sequence[Candidate]) -> list[Candidate]:
    best = max(candidates, key=lambda candidate: candidate.share)
    return [candidate for candidate in candidates if candidate.layout.delimiter == best.layout.delimiter]
