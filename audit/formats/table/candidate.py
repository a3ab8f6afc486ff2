"""A reading that is possible by the sample, and how much speaks for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from audit.errors import Issue
from audit.formats.settings.layout import Known, Reading
from audit.formats.table.columns import Choice, Grid, fits, fits_ids

SAMPLE = 1000
"""So many lines of a submission are looked at; the chosen reading then has to hold for all. Gold is looked at whole."""

Key = tuple[tuple[str, ...], tuple[str, ...]]


class Trust(IntEnum):
    """What a reading rests on, firmest last."""

    NOTHING = 0
    ELIMINATION = 1
    NAMES = 2
    IDS = 3
    CONTENT = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reading that is possible by the sample.

    Parameters
    ----------
    reading : Reading
        The reading.
    ids, labels : tuple of str
        What it gives for the sample; two candidates that give the same are one reading.
    lines : sequence of int
        The sample's line numbers.
    trust : Trust
        What it rests on.
    share : float
        Share of the sample's lines that have the expected number of columns, range (0, 1].
    """

    reading: Reading
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    lines: Sequence[int]
    trust: Trust
    share: float = 1.0

    @property
    def cells(self) -> Key:
        """What the sample's rows say by this reading."""
        return self.ids, self.labels


@dataclass(frozen=True, slots=True)
class Findings:
    """The possible readings by one format; where there is none, the refusals may say why."""

    candidates: tuple[Candidate, ...] = ()
    refusals: tuple[Issue, ...] = ()


def candidates_of(
    readings: Sequence[Reading], grid: Grid, lines: Sequence[int], known: Known, share: float = 1.0
) -> tuple[Candidate, ...]:
    """The candidates for readings of the same columns: each is trusted as the firmest, since they are rivals."""
    trust = max((_trust(reading, grid, known) for reading in readings), default=Trust.NOTHING)
    return tuple(
        Candidate(
            reading,
            () if reading.id is None else tuple(grid.ids(reading.id)),
            tuple(grid.labels(reading.label, reading.rule)),
            lines,
            trust,
            share,
        )
        for reading in readings
    )


def _trust(reading: Reading, grid: Grid, known: Known) -> Trust:
    choice = Choice(reading.id, reading.label)
    # Without its first row, which may be a header, a column must not fit better than with it: that would decide.
    if fits(grid, choice, reading.rule, known) or fits(grid.below_first(), choice, reading.rule, known):
        return Trust.CONTENT
    if reading.id is not None and known.ids is not None and fits_ids(grid.ids(reading.id), known):
        return Trust.IDS
    return Trust.NAMES if reading.names else Trust.ELIMINATION


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
    return [candidate for candidate in candidates if candidate.reading.delimiter == best.reading.delimiter]
