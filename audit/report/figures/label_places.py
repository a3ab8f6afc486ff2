"""Names beside points: where they lie on no line, on no point and on no other name."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import cos, pi, sin
from typing import TYPE_CHECKING

import numpy as np

from audit.domain.arrays import Floats
from audit.report.figures.style import QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# points from a point to its name's edge
_DISTANCES = (*(5.0, 9.0, 14.0, 20.0, 28.0), *(38.0, 50.0, 66.0, 84.0, 104.0))
_DIRECTIONS = 24
_WITHOUT_LINE = 6.0  # points up to which a name needs no line to its point
_CLEARANCE = 1.0  # points around a name
_POINT = 2.2  # points from the middle of a point to its edge, and a little
_MOST_CROWDED = 3  # points without room: of more, another order would help few
_STEP = 1.5  # points between the places at which a line is looked at

Box = tuple[float, float, float, float]  # left, bottom, right and top, in points


@dataclass(frozen=True)
class Taken:
    """The places in a drawing that no name may cover, and the names placed so far, in points."""

    bounds: Box  # the area in which names may stand
    places: list[Floats]  # the points, and places along every line
    points: Floats  # the points alone, shape (n, 2)
    names: list[Box] = field(default_factory=list)  # those that stand there

    def is_free(self, box: Box) -> bool:
        """Whether a name may stand in a box."""
        left, bottom, right, top = box
        low_x, low_y, high_x, high_y = self.bounds
        if left < low_x or bottom < low_y or right > high_x or top > high_y:
            return False
        if any(
            left < other[2] and other[0] < right and bottom < other[3] and other[1] < top
            for other in self.names
        ):
            return False
        x, y = np.concatenate(self.places).T
        return not bool(((x > left) & (x < right) & (y > bottom) & (y < top)).any())

    def is_open(self, line: Floats, own: Floats) -> bool:
        """Whether a line from a point to its name meets no name and no other point."""
        x, y = line.T
        if any(
            ((x > box[0]) & (x < box[2]) & (y > box[1]) & (y < box[3])).any() for box in self.names
        ):
            return False
        others = self.points[(self.points != own).any(axis=1)]
        if others.size:
            apart = np.abs(line[:, None, :] - others).max(axis=-1, initial=0)
        else:
            apart = np.ones((1, 1)) * np.inf
        return bool((apart > _POINT).all())


def place_names(
    axes: "Axes",
    points: Floats,
    names: Sequence[Sequence[str]],
    size: float,
    lines: Sequence[Floats] = (),
) -> list[int]:
    """Write names beside their points, the first ones first; a thin line leads to those that stand further away.

    Where a few find no room, all is placed anew, and these choose first, by what stands in their names' stead.

    The axes have their limits, and the layout must not change any more. Points (n, 2) and lines (2, 2) are in the units
    of the axes, points with names first; each name comes with what stands there instead where it finds no room.
    """
    scale = 72 / axes.figure.dpi
    pixels = axes.transData.transform(np.asarray(points, dtype=np.float64)) * scale
    drawn = [_along(*(axes.transData.transform(line) * scale)) for line in lines]
    edges = axes.get_window_extent()
    bounds = (edges.x0 * scale, edges.y0 * scale, edges.x1 * scale, edges.y1 * scale)
    n_texts = len(axes.texts)
    n_lines = len(axes.lines)
    urgent: list[int] = []
    while True:
        shifts = _POINT * np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)])
        taken = Taken(
            bounds, [np.asarray((pixels[:, None, :] + shifts).reshape(-1, 2)), *drawn], pixels
        )

        def put(place: int, name: str, taken: Taken = taken) -> bool:
            return _placed(axes, taken, pixels[place], points[place], name, size)

        left_out = _placed_in_turn(put, names, urgent)
        crowded = [place for place in left_out if len(names[place]) > 1 and place not in urgent]
        if not 0 < len(crowded) <= _MOST_CROWDED:
            return left_out
        urgent += crowded
        for artist in (*axes.texts[n_texts:], *axes.lines[n_lines:]):
            artist.remove()


def _placed_in_turn(
    put: Callable[[int, str], bool], names: Sequence[Sequence[str]], urgent: Sequence[int]
) -> list[int]:
    """Write the last resort of those that are urgent, then the names of the others; say who found no room."""
    refused = [place for place in urgent if not put(place, names[place][-1])]
    left_out = [place for place in range(len(names)) if place not in urgent]
    for attempt in range(max(map(len, names), default=0)):
        texts = {place: names[place][attempt] for place in left_out if len(names[place]) > attempt}
        left_out = [
            place for place in left_out if place not in texts or not put(place, texts[place])
        ]
    return [*refused, *left_out]


def _placed(axes: "Axes", taken: Taken, at: Floats, point: Floats, name: str, size: float) -> bool:  # noqa: PLR0913, PLR0917 - a name and where it belongs
    """Write one name where there is room, and say whether there is."""
    text = axes.annotate(
        name,
        tuple(point),
        (0, 0),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=size,
        in_layout=False,
    )
    extent = text.get_window_extent()
    scale = 72 / axes.figure.dpi
    half = np.array([extent.width, extent.height]) * scale / 2 + _CLEARANCE
    for distance, offset in _offsets(half):
        middle = at + offset
        box = (*(middle - half).tolist(), *(middle + half).tolist())
        near = at + offset * max(0.0, 1 - min(half / np.maximum(np.abs(offset), 1e-9)))
        line = _along(at, near)
        if taken.is_free(box) and (distance <= _WITHOUT_LINE or taken.is_open(line, at)):
            taken.names.append(box)
            text.set_position(tuple(offset.tolist()))
            if distance > _WITHOUT_LINE:
                taken.places.append(line)
                ends = axes.transData.inverted().transform(np.stack([at, near]) / scale)
                axes.plot(*ends.T, color=QUIET, linewidth=0.4, zorder=2.5)
            return True
    text.remove()
    return False


def _offsets(half: Floats) -> Iterator[tuple[float, Floats]]:
    """Offsets from a point to the middle of its name: near ones first, sideways before up and down."""
    turns = sorted(range(_DIRECTIONS), key=lambda turn: abs(sin(2 * pi * turn / _DIRECTIONS)))
    for distance in _DISTANCES:
        for turn in turns:
            across = cos(2 * pi * turn / _DIRECTIONS)
            up = sin(2 * pi * turn / _DIRECTIONS)
            reach = min(half[0] / max(abs(across), 1e-9), half[1] / max(abs(up), 1e-9))
            yield distance, np.array([across, up]) * (reach + distance)


def _along(start: Floats, end: Floats) -> Floats:
    """Places along a line, close enough that no name slips between two."""
    n_places = max(2, int(np.hypot(*(end - start)) / _STEP) + 1)
    return np.linspace(start, end, n_places)
