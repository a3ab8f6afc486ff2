"""The winner map: who would be first under which class distribution, by the metrics that matter most."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.arrays import Floats
from audit.metrics import BOTH_MACRO_F1
from audit.questions.figures.style import (
    INK,
    OTHER_REGIONS,
    PAPER,
    QUIET,
    REGIONS,
    fill_areas,
    height_of,
    label_of,
    name_of,
    new_figure,
    quiet_axes,
    score_ticks,
    write_names,
)
from audit.questions.printing import short_label
from audit.questions.wording import of, shown_name
from audit.ranking.nearest import MANY_CLASSES
from audit.ranking.prevalence_shift import against_the_rest, first_under, reference_shares, triangle_rows
from audit.text import listed, sentence_case

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Winners = tuple[int, ...]  # who is first somewhere: the teams, by index; several where they share the place

MOST_BARS, FEWER_BARS = 40, 10
"""Fewer above `MANY_CLASSES`: every step of a bar takes the scores of all teams, which add up all classes."""
THREE = 3
_ROWS = 60  # of small triangles
_STEPS = 200  # of a bar
_LEAST_AREA = 0.02  # a smaller region has no number in it
_CLEARANCE = 0.07  # of a triangle's side, between a number and a mark
_NUMBER = 14.0  # points that a number takes in a bar
_BAR = 0.36  # half the height of a bar, of the distance between two
_WIDE = 5.0  # inches from which three triangles stand side by side


@dataclass(frozen=True, eq=False)
class Regions:
    """The regions of class distributions that each winner holds by one metric."""

    key: ScoreKey  # the metric
    reference: Floats  # shape (C,): the class distribution at which the ranking stands
    codes: tuple[int, ...]  # the classes: the corners of the triangle, or one for each bar
    rows: tuple[tuple[Winners, ...], ...]  # who wins in each small triangle, row by row; or at each step of each bar

    @property
    def is_triangle(self) -> bool:
        """Whether three classes make a triangle; otherwise there are bars."""
        return bool(np.count_nonzero(self.reference) == THREE)

    @property
    def areas(self) -> dict[Winners, float]:
        """The share of the drawing where each of them wins."""
        cells = Counter(winners for row in self.rows for winners in row)
        return {winners: count / cells.total() for winners, count in cells.items()}


_FOUND: WeakKeyDictionary[Evaluation, tuple[Regions, ...]] = WeakKeyDictionary()
"""The regions of an evaluation, for the caption and for drawings of every width; they go with it."""


def regions_of(evaluation: Evaluation) -> tuple[Regions, ...]:
    """The regions of the winners by each metric that is drawn."""
    if evaluation not in _FOUND:
        _FOUND[evaluation] = tuple(_regions(evaluation, key) for key in _keys_drawn(evaluation))
    return _FOUND[evaluation]


def _keys_drawn(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """The ranking metric, and beside it what it is compared with; of many classes only one that can change."""
    ranking = evaluation.task.ranking_metric
    averaged, of_averages = map(ScoreKey, BOTH_MACRO_F1)
    if evaluation.present.sum() <= THREE:
        return tuple(dict.fromkeys((ranking, averaged, of_averages, ScoreKey("accuracy"))))
    winner_map = evaluation.winner_map
    return (ranking if winner_map is not None and winner_map.nearest is not None else averaged,)


def _regions(evaluation: Evaluation, key: ScoreKey) -> Regions:
    """The regions on the triangle of three classes, or along the share of each class against the rest."""
    reference = reference_shares(evaluation, key)
    codes = np.flatnonzero(reference)
    if codes.size == THREE:
        rows = [row @ np.eye(reference.size)[codes] for row in triangle_rows(_ROWS)]  # over the whole label set
    else:
        largest = codes[np.argsort(-reference[codes], kind="stable")][: _most_bars(codes.size)]
        codes = codes[1:] if codes.size == 2 else np.sort(largest)  # noqa: PLR2004 - two classes make one bar
        rows = [against_the_rest(reference, code, _STEPS) for code in codes.tolist()]
    first = first_under(evaluation, np.concatenate(rows), key.metric)
    winners = [tuple(np.flatnonzero(row).tolist()) for row in first]
    ends = np.cumsum([len(row) for row in rows]).tolist()
    cells = tuple(tuple(winners[start:end]) for start, end in zip([0, *ends], ends, strict=False))
    return Regions(key, reference, tuple(codes.tolist()), cells)


def _most_bars(n_classes: int) -> int:
    return MOST_BARS if n_classes <= MANY_CLASSES else FEWER_BARS


_WHO = "Number and colour say who would be first there."
OF_TRIANGLES = (
    "Each point of a triangle is a distribution over the classes: all items of one class in its corner, none of it on "
    f"the side across. {_WHO} The filled diamond is the distribution at which the ranking stands, the open one "
    "balanced prevalence."
)
OF_BARS = (
    f"Each bar takes the share of one class from 0 to 1, the others in the proportions of gold. {_WHO} The diamond is "
    "the distribution at which the ranking stands."
)


def winner_map_read(evaluation: Evaluation) -> str:
    """How to read triangles, or bars: whichever are drawn."""
    return OF_TRIANGLES if regions_of(evaluation)[0].is_triangle else OF_BARS


def classes_left_out(evaluation: Evaluation) -> str:
    """A sentence on how many classes have a bar, where not each has one."""
    n_classes = int(np.count_nonzero(regions_of(evaluation)[0].reference))
    bars = _most_bars(n_classes)
    return f"The {bars} largest of {n_classes:,} classes are shown." if n_classes > bars else ""


def names_of(evaluation: Evaluation, winners: Winners) -> str:
    """The names of the winners, in words."""
    return listed([shown_name(evaluation, team) for team in winners], limit=3) or "nobody"


def draw_winner_map(evaluation: Evaluation, width: float) -> "Figure":
    """A triangle for each metric where there are three classes; otherwise a bar for each class."""
    maps = regions_of(evaluation)
    styles = _styles(evaluation, maps)
    draw = _draw_triangles if maps[0].is_triangle else _draw_bars
    figure = draw(evaluation, maps, styles, width)
    _add_legend(figure, evaluation, styles, width)
    return figure


def _styles(evaluation: Evaluation, maps: Sequence[Regions]) -> dict[Winners, tuple[str, str]]:
    """A number and a colour for the largest regions, in the order of the ranking; the others share a grey."""
    areas: Counter[Winners] = Counter()
    for each in maps:
        areas.update(each.areas)
    ranks = evaluation.ranks_of(evaluation.task.ranking_metric)
    largest = [winners for winners, _ in areas.most_common(len(REGIONS)) if winners]
    ordered = sorted(largest, key=lambda winners: (min(ranks[team] for team in winners), winners))
    styles = {winners: (str(place + 1), REGIONS[place]) for place, winners in enumerate(ordered)}
    return {winners: styles.get(winners, ("", OTHER_REGIONS)) for winners in (*ordered, *areas)}


def _add_legend(
    figure: "Figure", evaluation: Evaluation, styles: Mapping[Winners, tuple[str, str]], width: float
) -> None:
    """The numbers and colours of the regions, with who is first there."""
    from matplotlib.patches import Patch  # noqa: PLC0415 - a third of a second that only figures need

    texts = {}
    for winners, (sign, color) in styles.items():
        names = listed([name_of(evaluation, team, width) for team in winners], limit=2)
        texts[color] = f"{sign}  {names}" if sign else "others"
    handles = [Patch(facecolor=color, label=text) for color, text in texts.items()]
    n_columns = 2 if width >= _WIDE else 1
    figure.legend(handles=handles, loc="outside lower left", ncols=n_columns, frameon=False, fontsize=7)


def _mark(axes: "Axes", x: float, y: float, *, hollow: bool = False) -> None:
    """A diamond where a class distribution lies."""
    face, edge = (PAPER, INK) if hollow else (INK, PAPER)
    axes.plot(
        [x], [y], linestyle="none", marker="D", markersize=4.5, markerfacecolor=face, markeredgecolor=edge, zorder=4
    )


def _sign(axes: "Axes", x: float, y: float, text: str) -> None:
    """The number of a region."""
    axes.text(x, y, text, ha="center", va="center", fontsize=7, color=INK, in_layout=False)


# Three classes


def _triangle_points(second: Any, third: Any) -> tuple[Any, Any]:  # noqa: ANN401 - numbers or arrays of them
    """Points of a triangle for shares of its second and third class: first at lower left, third on top."""
    return second + third / 2, third * (sqrt(3) / 2)


def _draw_triangles(
    evaluation: Evaluation, maps: Sequence[Regions], styles: Mapping[Winners, tuple[str, str]], width: float
) -> "Figure":
    n_columns = min(len(maps), 3) if width >= _WIDE and len(maps) != 4 else min(len(maps), 2)  # noqa: PLR2004 - two by two
    n_rows = -(-len(maps) // n_columns)
    figure = new_figure(width, n_rows * (width / n_columns * 0.87 + 0.3) + 0.2 * len({*styles.values()}))
    cells = figure.subplots(n_rows, n_columns, squeeze=False).ravel().tolist()
    for axes, each in zip(cells, maps, strict=False):
        _draw_triangle(axes, evaluation, each, styles)
    for axes in cells[len(maps) :]:
        axes.set_axis_off()
    return figure


def _draw_triangle(
    axes: "Axes", evaluation: Evaluation, each: Regions, styles: Mapping[Winners, tuple[str, str]]
) -> None:
    quads: dict[str, list[Floats]] = {}
    for row, cells in enumerate(each.rows):
        for start, stop in stretches(cells):
            quads.setdefault(styles[cells[start]][1], []).append(_strip(row, start, stop - 1))
    fill_areas(axes, quads)
    corners = [_triangle_points(0, 0), _triangle_points(1, 0), _triangle_points(0, 1), _triangle_points(0, 0)]
    axes.plot(*zip(*corners, strict=True), color=QUIET, linewidth=0.6, zorder=3)
    marks = [_triangle_points(*each.reference[list(each.codes[1:])].tolist()), _triangle_points(1 / 3, 1 / 3)]
    _mark(axes, *marks[1], hollow=True)
    _mark(axes, *marks[0])
    for x, y, text in _places_of_signs(each, styles, marks):
        _sign(axes, x, y, text)
    names = [label_of(evaluation, code, 0) for code in each.codes]
    for (x, y), name, side in zip(corners, names, ("left", "right", "center"), strict=False):
        axes.text(x, y + (0.03 if y else -0.03), name, ha=side, va="bottom" if y else "top", fontsize=7)
    axes.set_title(sentence_case(of(evaluation, each.key)), fontsize=7)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.12, sqrt(3) / 2 + 0.1)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _strip(row: int, first: int, last: int) -> Floats:
    """The corners of neighbouring small triangles of one row, from the first to the last."""
    lower, upper = row / _ROWS, (row + 1) / _ROWS
    corners = (((first + 1) // 2, lower), (last // 2 + 1, lower), ((last + 1) // 2, upper), (first // 2, upper))
    return np.array([_triangle_points(second / _ROWS, third) for second, third in corners])


def _places_of_signs(
    each: Regions, styles: Mapping[Winners, tuple[str, str]], marks: Sequence[tuple[float, float]]
) -> list[tuple[float, float, str]]:
    """The places for the numbers of large enough regions: near their middle, and not on a mark."""
    centres = np.concatenate(triangle_rows(_ROWS))
    places = np.stack(_triangle_points(centres[:, 1], centres[:, 2]), axis=-1)
    free = np.array([np.abs(places - mark).max(axis=-1) > _CLEARANCE for mark in marks]).all(axis=0)
    cells = [winners for row in each.rows for winners in row]
    signs = []
    for winners, area in each.areas.items():
        own = np.array([cell == winners for cell in cells]) & free
        if area >= _LEAST_AREA and own.any():
            from_middle = np.abs(places[own] - places[own].mean(axis=0)).sum(axis=-1)
            x, y = places[own][from_middle.argmin()].tolist()
            signs.append((x, y, styles[winners][0]))
    return signs


# Any other number of classes


def _draw_bars(
    evaluation: Evaluation, maps: Sequence[Regions], styles: Mapping[Winners, tuple[str, str]], width: float
) -> "Figure":
    bars = [(each, code, cells) for each in maps for code, cells in zip(each.codes, each.rows, strict=True)]
    figure = new_figure(width, height_of(len(bars), 0.8 + 0.18 * len({*styles.values()})))
    axes = figure.subplots()
    quads: dict[str, list[Floats]] = {}
    for row, (each, code, cells) in enumerate(bars):
        _mark(axes, float(each.reference[code]), row)
        for start, stop in stretches(cells):
            sign, color = styles[cells[start]]
            left, right = start / _STEPS, stop / _STEPS
            box = [(left, row - _BAR), (right, row - _BAR), (right, row + _BAR), (left, row + _BAR)]
            quads.setdefault(color, []).append(np.array(box))
            room = _NUMBER / (72 * width)
            if right - left > 2 * room and abs((left + right) / 2 - each.reference[code]) > room:
                _sign(axes, (left + right) / 2, row, sign)
    fill_areas(axes, quads)
    names = [label_of(evaluation, code, width) for _, code, _ in bars]
    by_class = len(maps) == 1  # otherwise there is one class, and a bar for each metric
    write_names(axes, names if by_class else [short_label(each.key, evaluation) for each in maps])
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    quiet_axes(axes)
    score_ticks(axes.xaxis)
    axes.set_xlabel("Share of the class" if by_class else f"Share of {names[0]}")
    return figure


def stretches(cells: Sequence[Winners]) -> list[tuple[int, int]]:
    """Stretches of equal neighbours, as (start, stop)."""
    starts = [place for place, cell in enumerate(cells) if place == 0 or cell != cells[place - 1]]
    return list(zip(starts, [*starts[1:], len(cells)], strict=True))
