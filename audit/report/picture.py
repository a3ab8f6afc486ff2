"""The winner map drawn: a ternary picture for three classes, bars from 0 to 1 for any number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.evaluation import Floats
from audit.metrics import phrase
from audit.ranking import against_the_rest, first_under, reference_shares, triangle_rows
from audit.report.page import Label, Picture, Shape
from audit.report.table_printing import label_text
from audit.text import listed, number, plural, sentence_case, visible

Winners = tuple[int, ...]
"""Who is first somewhere: the teams, by index; several where they share the place."""

THREE = 3
_ROWS = 60  # of small triangles
_STEPS = 200  # of a bar
_SIDE, _MARGIN, _HEAD = 300.0, 26.0, 30.0
_BAR, _BAR_HEIGHT, _BAR_GAP, _NAMES = 460.0, 14.0, 8.0, 130.0
_LEAST_AREA = 0.02  # a smaller region has no number in it
_MARK, _CLEARANCE = 5.0, 14.0
_AXIS = ((0.0, "0"), (0.25, ".25"), (0.5, ".5"), (0.75, ".75"), (1.0, "1"))


@dataclass(frozen=True, eq=False)
class Drawn:
    """Who wins where by one metric, before it has colours.

    Parameters
    ----------
    key : ScoreKey
        The metric.
    reference : ndarray, shape (C,)
        The class distribution at which the ranking stands.
    codes : tuple of int
        The classes: the corners of the triangle, or one for each bar.
    rows : tuple of tuple of Winners
        Who wins in each small triangle, row by row; or at each step of each bar.
    """

    key: ScoreKey
    reference: Floats
    codes: tuple[int, ...]
    rows: tuple[tuple[Winners, ...], ...]

    @property
    def areas(self) -> dict[Winners, float]:
        """Share of the picture where each of them wins."""
        cells = [winners for row in self.rows for winners in row]
        return {winners: cells.count(winners) / len(cells) for winners in dict.fromkeys(cells)}


def drawn(evaluation: Evaluation, key: ScoreKey, most_bars: int) -> Drawn:
    """Who wins where: on the triangle of three classes, or along the share of each class against the rest."""
    reference = reference_shares(evaluation, key)
    codes = np.flatnonzero(reference)
    if codes.size == THREE:
        rows = [_whole(row, codes, reference.size) for row in triangle_rows(_ROWS)]
    else:
        codes = np.sort(codes[np.argsort(-reference[codes], kind="stable")][:most_bars])
        codes = codes[1:] if np.count_nonzero(reference) == 2 else codes  # noqa: PLR2004 - two classes make one bar
        rows = [against_the_rest(reference, code, _STEPS) for code in codes.tolist()]
    first = first_under(evaluation, np.concatenate(rows), [key.metric])[0]
    winners = [tuple(np.flatnonzero(row).tolist()) for row in first]
    ends = np.cumsum([len(row) for row in rows]).tolist()
    starts = [0, *ends[:-1]]
    cells = tuple(tuple(winners[start:end]) for start, end in zip(starts, ends, strict=True))
    return Drawn(key, reference, tuple(codes.tolist()), cells)


def _whole(points: Floats, codes: np.ndarray, n_classes: int) -> Floats:
    """Points of the triangle as distributions over the whole label set."""
    shares = np.zeros((len(points), n_classes))
    shares[:, codes] = points
    return shares


def picture(evaluation: Evaluation, what: Drawn, styles: Mapping[Winners, tuple[str, str]], place: int) -> Picture:
    """A picture of who wins where.

    Parameters
    ----------
    evaluation : Evaluation
        Names and labels.
    what : Drawn
        Who wins where.
    styles : mapping of Winners to (number, CSS class)
        How each region is marked.
    place : int
        Which picture of the page it is.
    """
    draw = _triangle if len(what.codes) == THREE and what.reference[list(what.codes)].sum() > 1 - 1e-9 else _bars
    width, height, shapes, labels = draw(evaluation, what, styles)
    return Picture(f"winner-map-{place}", _caption(evaluation, what), width, height, shapes, labels)


def _caption(evaluation: Evaluation, what: Drawn) -> str:
    by = sentence_case(phrase(what.key, evaluation.task.label_set))
    areas = sorted(what.areas.items(), key=lambda item: -item[1])
    if len(areas) == 1:
        return f"{by}: {names_of(evaluation, areas[0][0])} everywhere."
    if len(what.codes) != THREE:
        teams = {team for winners in what.areas for team in winners}
        return f"{by}: {plural(len(teams), 'team')} win somewhere as the share of one class grows."
    shown = [f"{names_of(evaluation, winners)} on {number(area, 2)}" for winners, area in areas[:2]]
    more = f", {len(areas) - 2} more" if len(areas) > 2 else ""  # noqa: PLR2004 - two are named
    return f"{by}: {', '.join(shown)} of the simplex{more}."


def names_of(evaluation: Evaluation, winners: Winners) -> str:
    """Who is first, in words."""
    return listed([visible(evaluation.names[team], 40) for team in winners], limit=3) or "nobody"


# Three classes


def _at(second: Any, third: Any) -> tuple[Any, Any]:  # noqa: ANN401 - numbers or arrays of them
    """Where shares of the second and third class lie: the first class is at the lower left, the third on top."""
    height = _SIDE * sqrt(3) / 2
    return _MARGIN + _SIDE * (second + third / 2), _HEAD + height * (1 - third)


def _points(*corners: tuple[float, float]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def _triangle(
    evaluation: Evaluation, what: Drawn, styles: Mapping[Winners, tuple[str, str]]
) -> tuple[int, int, tuple[Shape, ...], tuple[Label, ...]]:
    shapes = []
    for row, cells in enumerate(what.rows):
        for start, stop in runs(cells):
            style = styles[cells[start]][1]
            shapes.append(Shape(_strip(row, start, stop - 1), style, names_of(evaluation, cells[start])))
    shapes.append(Shape(_points(_at(0, 0), _at(1, 0), _at(0, 1)), "outline"))
    marks = (_at(1 / 3, 1 / 3), _at(*what.reference[list(what.codes[1:])].tolist()))
    shapes.append(Shape(_diamond(*marks[0]), "mark balanced", "balanced prevalence"))
    shapes.append(Shape(_diamond(*marks[1]), "mark", "the class distribution of the ranking"))
    corner = [label_text(evaluation.task.label_set.labels[code]) for code in what.codes]
    bottom = _HEAD + _SIDE * sqrt(3) / 2 + 18
    labels = [
        Label(_MARGIN, bottom, corner[0], "start"),
        Label(_MARGIN + _SIDE, bottom, corner[1], "end"),
        Label(_MARGIN + _SIDE / 2, _HEAD - 10, corner[2], "middle"),
        *_region_numbers(what, styles, marks),
    ]
    return int(_SIDE + 2 * _MARGIN), int(bottom + 10), tuple(shapes), tuple(labels)


def _strip(row: int, first: int, last: int) -> str:
    """The outline of neighbouring small triangles of one row, from the first to the last."""
    lower, upper = row / _ROWS, (row + 1) / _ROWS
    corners = (
        ((first + 1) // 2, lower),
        (last // 2 + 1, lower),
        ((last + 1) // 2, upper),
        (first // 2, upper),
    )
    return _points(*(_at(second / _ROWS, third) for second, third in corners))


def _region_numbers(
    what: Drawn, styles: Mapping[Winners, tuple[str, str]], marks: Sequence[tuple[float, float]]
) -> list[Label]:
    """A number in each region that is large enough: near its middle, and not on a mark."""
    centres = np.concatenate(triangle_rows(_ROWS))
    places = np.stack(_at(centres[:, 1], centres[:, 2]), axis=-1)
    free = np.array([np.abs(places - mark).max(axis=-1) > _CLEARANCE for mark in marks]).all(axis=0)
    cells = [winners for row in what.rows for winners in row]
    found = []
    for winners, area in what.areas.items():
        own = np.array([cell == winners for cell in cells]) & free
        if area >= _LEAST_AREA and own.any():
            middle = places[own].mean(axis=0)
            x, y = places[own][np.abs(places[own] - middle).sum(axis=-1).argmin()].tolist()
            found.append(Label(round(x, 1), round(y + 4, 1), styles[winners][0], "number"))
    return found


def _diamond(x: float, y: float) -> str:
    return _points((x - _MARK, y), (x, y - _MARK), (x + _MARK, y), (x, y + _MARK))


# Any number of classes


def _bars(
    evaluation: Evaluation, what: Drawn, styles: Mapping[Winners, tuple[str, str]]
) -> tuple[int, int, tuple[Shape, ...], tuple[Label, ...]]:
    shapes: list[Shape] = []
    labels: list[Label] = []
    for place, (code, cells) in enumerate(zip(what.codes, what.rows, strict=True)):
        top = _HEAD + place * (_BAR_HEIGHT + _BAR_GAP)
        name = label_text(evaluation.task.label_set.labels[code])
        labels.append(Label(_NAMES - 8, top + _BAR_HEIGHT - 3, name, "end"))
        mark = _NAMES + _BAR * float(what.reference[code])
        for start, stop in runs(cells):
            text, style = styles[cells[start]]
            left, right = (_NAMES + _BAR * end / _STEPS for end in (start, stop))
            shapes.append(Shape(_box(left, right, top), style, names_of(evaluation, cells[start])))
            place_of_number = (left + right) / 2
            if right - left > _CLEARANCE and abs(place_of_number - mark) > _CLEARANCE / 2:
                labels.append(Label(round(place_of_number, 1), top + _BAR_HEIGHT - 3, text, "number"))
        shapes.append(Shape(_diamond(mark, top + _BAR_HEIGHT / 2), "mark", "the share at which the ranking stands"))
    bottom = _HEAD + len(what.codes) * (_BAR_HEIGHT + _BAR_GAP)
    labels.extend(Label(_NAMES + _BAR * share, _HEAD - 10, text, "axis") for share, text in _AXIS)
    return int(_NAMES + _BAR + 20), int(bottom), tuple(shapes), tuple(labels)


def _box(left: float, right: float, top: float) -> str:
    return _points((left, top), (right, top), (right, top + _BAR_HEIGHT), (left, top + _BAR_HEIGHT))


def runs(cells: Sequence[Winners]) -> list[tuple[int, int]]:
    """Stretches of equal neighbours, as (start, stop).

    Examples
    --------
    >>> runs([(0,), (0,), (1,)])
    [(0, 2), (2, 3)]
    """
    starts = [place for place, cell in enumerate(cells) if place == 0 or cell != cells[place - 1]]
    return list(zip(starts, [*starts[1:], len(cells)], strict=True))
