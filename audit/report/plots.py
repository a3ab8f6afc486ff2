"""Axes of plotted columns, and the colours of the teams that win: the same on the whole page."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from audit.document import Axis, Cell, Column, Shape
from audit.domain import Evaluation
from audit.report.metric_columns import metric_columns
from audit.report.printing import Printing
from audit.text import number

MOST_COLOURS = 4
_NO_COLOUR = "wo"
_MOST_TICKS = 7
_STEPS = (1, 2, 5, 10)
_MARGIN = 0.04  # of the range of the values, on each side


@dataclass(frozen=True)
class LinearAxis:
    """A linear scale from one value to another, on which values have places in percent."""

    first: float
    last: float
    whole: bool = False  # whether ticks are whole numbers, as of ranks

    @classmethod
    def of_ranks(cls, last: int) -> "LinearAxis":
        """The axis of the ranks from 1 to the last."""
        return cls(0.5, last + 0.5, whole=True)

    @classmethod
    def around(cls, values: Iterable[float]) -> "LinearAxis":
        """The axis that holds all of these values, with a margin; undefined ones are left out."""
        defined = [value for value in values if not math.isnan(value)]
        if not defined:
            return cls(0.0, 1.0)
        margin = _MARGIN * (max(defined) - min(defined)) or 0.05
        return cls(min(defined) - margin, max(defined) + margin)

    def place(self, value: float) -> float:
        """The place of a value in percent, clipped at the ends."""
        share = (value - self.first) / (self.last - self.first)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    @cached_property
    def axis(self) -> Axis:
        """The axis with round numbers as its ticks."""
        step = _round_step((self.last - self.first) / _MOST_TICKS)
        if self.whole:
            step = max(1.0, step)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        lowest = math.ceil(self.first / step - 1e-9)
        highest = math.floor(self.last / step + 1e-9)
        values = [place * step for place in range(lowest, highest + 1)]
        return Axis(tuple((self.place(value), number(value, digits)) for value in values))

    def line(self, start: float, end: float, style: str = "") -> Shape:
        """A line between two values."""
        return Shape("line", self.place(start), self.place(end), style)

    def dot(self, value: float, style: str = "") -> Shape:
        """A filled point."""
        return self._at("dot", value, style)

    def ring(self, value: float, style: str = "") -> Shape:
        """An open point."""
        return self._at("ring", value, style)

    def guide(self, value: float, style: str = "") -> Shape:
        """A dotted line from the top of the row to its bottom."""
        return self._at("guide", value, style)

    def _at(self, kind: str, value: float, style: str) -> Shape:
        return Shape(kind, self.place(value), self.place(value), style)


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, … and their tenths that is not below this."""
    magnitude = 10.0 ** math.floor(math.log10(least))
    return next(step * magnitude for step in _STEPS if step * magnitude >= least * (1 - 1e-9))


def plotted(axis: LinearAxis, title: str = "") -> Column:
    """The head of a column whose cells are drawn on an axis."""
    return Column("", title=title, axis=axis.axis)


def winner_colours(evaluation: Evaluation) -> dict[int, str]:
    """A colour for each team that wins by a usual metric: w0 for the official winner, at most four; then wo.

    The teams that win by most metrics come first, those with as many in the order of the ranking.
    """
    key = evaluation.task.ranking_metric
    official = evaluation.winners(key)
    wins = _wins_by_team(evaluation)
    place = {team: rank for rank, team in enumerate(evaluation.order(key))}
    others = sorted(
        (team for team in wins if team not in official), key=lambda team: (-wins[team], place[team])
    )
    colours = dict.fromkeys(official, "w0")
    for number_, team in enumerate(others, start=1):
        if number_ < MOST_COLOURS:
            colours[team] = f"w{number_}"
        else:
            colours[team] = _NO_COLOUR
    return colours


def coloured_name(show: Printing, team: int, colours: Mapping[int, str]) -> Cell:
    """The name of a team, in its colour where it wins by some metric."""
    name = show.name(team)
    colour = colours.get(team)
    if colour is None or colour == _NO_COLOUR:
        return name
    return replace(name, style=f"{name.style} team {colour}".strip())


def _wins_by_team(evaluation: Evaluation) -> dict[int, int]:
    """By how many of the usual metrics each team is first; teams that are first by none are left out."""
    wins: dict[int, int] = {}
    for key in metric_columns(evaluation):
        for team in evaluation.winners(key):
            wins[team] = wins.get(team, 0) + 1
    return wins


def first_rows(teams: Sequence[int], most: int, also: Iterable[int] = ()) -> tuple[int, ...]:
    """The first of the teams, and after them those of the others that must not be left out."""
    shown = list(teams[:most])
    needed = set(also)
    shown += [team for team in teams[most:] if team in needed]
    return tuple(shown)
