"""Figures across metrics: who moves between them, and how alike they rank."""

from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.arrays import Floats
from audit.findings.macro_f1 import swapped_pairs
from audit.metrics import BOTH_MACRO_F1, aggregates_of
from audit.report.figures.label_places import place_names
from audit.report.figures.style import (
    INK,
    LINE,
    ORANGES,
    QUIET,
    SMALLEST,
    WIDE,
    dots,
    fill_areas,
    height_of,
    is_wide,
    label_of,
    lay_out,
    name_of,
    new_figure,
    quiet_axes,
    score_ticks,
    shade_of,
    signed_shade,
    write_names,
)
from audit.report.printing import (
    BEST_SHOWN,
    FEW,
    class_scores,
    counted,
    shades_of_distance,
    short_label,
    usual_keys,
)
from audit.text import agreeing, number, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

_MOST_HEADS = 5  # metrics side by side in a column
# characters of a head that is turned; of all heads side by side
_LONG_HEAD = 8
_MOST_LETTERS = 60
_MOST_IN_COLUMN = 13  # metrics whose agreement a column can print
# of the size of type: a digit, the room between cells; of a row, its type
_DIGIT = 0.64
_BETWEEN = 0.3
_OF_ROW = 0.85
_NAMES_BELOW = 1.0  # inches that every matrix keeps for the names below it
_APART = 0.9  # of the size of type, from one name to the next


def agreement_rows(evaluation: Evaluation) -> list[int]:
    """The aggregate metrics of the agreement matrix, observed and balanced, that are not constant over the teams."""
    aggregates = {metric.slug for metric in aggregates_of(evaluation)} | {
        evaluation.task.ranking_metric.metric
    }
    rho = evaluation.agreement.spearman
    return [
        row
        for row, key in enumerate(evaluation.agreement.keys)
        if key.metric in aggregates and not np.isnan(rho[row, row])
    ]


def by_similarity(rho: Floats) -> list[int]:
    """An order in which rows that agree stand together: from the least alike on, each before the most like it."""
    rounded = np.round(rho, 12)  # equal ones are, whichever processor made them
    order = [int(rounded.sum(axis=1).round(9).argmin())]
    while len(order) < len(rounded):
        alike = rounded[order[-1]].copy()
        alike[order] = -np.inf
        order.append(int(alike.argmax()))
    return order


def _ordered_agreement(evaluation: Evaluation, width: float = WIDE) -> tuple[list[int], Floats]:
    """The metrics compared, those that agree beside each other; in a column the usual ones and the least alike."""
    rows = agreement_rows(evaluation)
    if not is_wide(width) and len(rows) > _MOST_IN_COLUMN:
        rho = np.nan_to_num(evaluation.agreement.spearman[np.ix_(rows, rows)], nan=1.0)
        least = {rows[at] for at in np.unravel_index(rho.argmin(), rho.shape)}
        kept = [
            row
            for row in rows
            if evaluation.agreement.keys[row] in usual_keys(evaluation) or row in least
        ]
        others = [
            row
            for row in rows
            if row not in kept and evaluation.agreement.keys[row].prevalence == "observed"
        ]
        rows = sorted([*kept, *others[: max(0, _MOST_IN_COLUMN - len(kept))]])
    rho = np.nan_to_num(evaluation.agreement.spearman[np.ix_(rows, rows)])
    order = by_similarity(rho)
    return [rows[place] for place in order], rho[np.ix_(order, order)]


def draw_agreement(evaluation: Evaluation, width: float) -> "Figure":
    """ρ between the metrics' rankings, a number in every cell."""
    rows, rho = _ordered_agreement(evaluation, width)
    n_rows = len(rows)
    figure = new_figure(width, width * 0.92)
    axes = figure.subplots()
    cell_grid(axes, [[signed_shade(value) for value in line] for line in np.tril(rho, -1).tolist()])
    labels = [short_label(evaluation.agreement.keys[row], evaluation) for row in rows]
    names = write_names(axes, labels, side="below"), write_names(axes, labels)
    below = zip(*(at.tolist() for at in np.tril_indices(n_rows, -1)), strict=True)
    write_cells(
        figure,
        axes,
        names,
        {(row, column): number(100 * rho[row, column], 0) for row, column in below},
    )
    return figure


def write_cells(
    figure: "Figure",
    axes: "Axes",
    names: tuple[list["Text"], list["Text"]],
    texts: Mapping[tuple[int, int], str],
) -> None:
    """Numbers in cells, and names below and beside, as large as cells allow: no number where it would be too small.

    Where names would lie on each other, every second one stands, or every third.

    The drawing is laid out here, and must not change any more.
    """
    lacking = (
        max((name.get_window_extent().height for name in names[0]), default=0.0) / figure.dpi
        - _NAMES_BELOW
    )
    if lacking > 0:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + lacking)
    lay_out(figure, last=False)
    for some, room in zip(names, _pitch(axes), strict=True):
        size = min(7.0, max(SMALLEST, room * _OF_ROW))
        step = max(1, ceil(_APART * size / room))
        for place, name in enumerate(some):
            name.set_fontsize(size)
            name.set_visible(place % step == 0)
    lay_out(figure)
    across, down = _pitch(axes)
    digits = max(map(len, texts.values()), default=1)
    size = min(7.0, across / (digits * _DIGIT + _BETWEEN), down * _OF_ROW)
    if size < SMALLEST:
        return
    for (row, column), text in texts.items():
        axes.text(
            column, row, text, ha="center", va="center", fontsize=size, color=INK, in_layout=False
        )


def _pitch(axes: "Axes") -> tuple[float, float]:
    """Points from one cell to the next, across and down."""
    box = axes.get_window_extent()
    (left, right) = axes.get_xlim()
    (bottom, top) = axes.get_ylim()
    scale = 72 / axes.figure.dpi
    return scale * box.width / abs(right - left), scale * box.height / abs(top - bottom)


def cell_grid(axes: "Axes", shades: list[list[str]]) -> None:
    """A square for every cell, shaded; the first row on top."""
    squares: dict[str, list[list[tuple[float, float]]]] = {}
    for row, line in enumerate(shades):
        for column, shade in enumerate(line):
            left = column - 0.5
            right = column + 0.5
            top = row - 0.5
            bottom = row + 0.5
            corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
            squares.setdefault(shade, []).append(corners)
    squares.pop("none", None)
    fill_areas(axes, squares, LINE)
    axes.set_xlim(-0.5, len(shades[0]) - 0.5)
    axes.set_ylim(len(shades) - 0.5, -0.5)
    quiet_axes(axes)


_AVERAGED, _OF_AVERAGES = map(ScoreKey, BOTH_MACRO_F1)
_MOST_FLIPS = 200
_FENCE = 1.5  # quartile distances below the first quartile, as in a box plot
_NAME_SIZE = 6.5


def _macro_f1_pair(evaluation: Evaluation) -> tuple[Floats, Floats]:
    return evaluation.scores_of(_AVERAGED), evaluation.scores_of(_OF_AVERAGES)


def defined(evaluation: Evaluation) -> bool:
    """Whether some competing team has both scores."""
    averaged, of_averages = _macro_f1_pair(evaluation)
    return not np.isnan(averaged + of_averages)[evaluation.competing].all()


def draw_scatter(evaluation: Evaluation, width: float) -> "Figure":
    """F1 of averages over macro-averaged F1, with the diagonal, and the flips joined."""
    averaged, of_averages = _macro_f1_pair(evaluation)
    teams = _scattered(evaluation)
    figure = new_figure(width, width * (0.72 if is_wide(width) else 1.0))
    axes = figure.subplots()
    (low, right) = (limit(averaged[teams]) for limit in (np.min, np.max))
    high = float(np.max(of_averages[teams]))
    edge = max(0.005, 0.06 * (high - low))
    lines = [np.array([(low - edge, low - edge), (high + edge, high + edge)])]
    axes.plot(*lines[0].T, color=LINE, linewidth=1.0, zorder=1)
    points = np.stack([averaged, of_averages], axis=-1)
    joined = [pair for pair in swapped_pairs(evaluation).tolist() if set(pair) <= set(teams)]
    for pair in joined[:_MOST_FLIPS]:
        lines.append(points[pair])
        axes.plot(*points[pair].T, color=QUIET, linewidth=0.5, zorder=2)
    for hollow in (False, True):
        group = [team for team in teams if evaluation.competing[team] != hollow]
        dots(axes, averaged[group], of_averages[group], hollow=hollow)
    score_ticks(axes.xaxis)
    score_ticks(axes.yaxis)
    axes.set_xlabel("Macro-averaged F1")
    axes.set_ylabel("F1 of averages")
    axes.set_xlim(low - edge, right + edge)
    axes.set_ylim(low - edge, high + edge)
    lay_out(figure)
    ranks = evaluation.ranks_of(_AVERAGED)
    names = [
        (name_of(evaluation, team, width), *([f"{ranks[team]}"] if ranks[team] else ()))
        for team in teams
    ]
    place_names(axes, points[teams], names, _NAME_SIZE, lines)
    return figure


def _scattered(evaluation: Evaluation) -> list[int]:
    """The teams drawn: first those that are best by either score, then the others in their order."""
    averaged, of_averages = _macro_f1_pair(evaluation)
    able = ~np.isnan(averaged) & ~np.isnan(of_averages)
    first = [team for key in (_AVERAGED, _OF_AVERAGES) for team in evaluation.winners(key)]
    order = dict.fromkeys([*first, *evaluation.order(_AVERAGED)])
    least = _shown_from(evaluation)
    teams = [team for team in order if able[team] and averaged[team] >= least]
    if len(teams) <= FEW:
        return teams
    return teams[:BEST_SHOWN]


def _shown_from(evaluation: Evaluation) -> float:
    """The start of the axes: teams far below the bulk would press all others into a corner."""
    averaged = _macro_f1_pair(evaluation)[0][evaluation.competing]
    quarter, three_quarters = np.nanquantile(averaged, (0.25, 0.75))
    fence = quarter - _FENCE * (three_quarters - quarter)
    return float(np.nanmin(averaged[averaged >= fence]))


def not_scattered(evaluation: Evaluation) -> str:
    """A sentence on what the figure leaves out; empty where it leaves out nothing."""
    averaged = _macro_f1_pair(evaluation)[0]
    teams = _scattered(evaluation)
    n_all = int((~np.isnan(averaged)).sum())
    if len(teams) == BEST_SHOWN and n_all > FEW:
        return f"The first {len(teams)} of {n_all:,} are shown."
    n_below = n_all - len(teams)
    least = number(float(np.min(averaged[teams])), evaluation.task.printed_decimals)
    submissions = plural(n_below, "submission")
    are = agreeing(n_below, "is", "are")
    below = f"{submissions} below {least} by macro-averaged F1 {are} not drawn."
    if n_below:
        return below
    return ""


_MOST_SHOWN = 40


def _classes(evaluation: Evaluation) -> list[int]:
    """The classes in gold, most frequent first: as many as can be read."""
    order = np.argsort(-evaluation.prevalence_counts, kind="stable")
    return [code for code in order.tolist() if evaluation.present[code]][:_MOST_SHOWN]


def first_team(evaluation: Evaluation) -> int:
    """The winner by the ranking metric; the first in order where there is none."""
    key = evaluation.task.ranking_metric
    return (*evaluation.winners(key), *evaluation.order(key))[0]


def draw_recall(evaluation: Evaluation, width: float) -> "Figure":
    """Every team's recall of each class."""
    codes = _classes(evaluation)
    recall = class_scores(evaluation, "recall")
    figure = new_figure(width, height_of(len(codes)))
    axes = figure.subplots()
    others = np.flatnonzero(evaluation.competing)
    rows = np.repeat(np.arange(len(codes)), len(others))
    dots(axes, recall[others][:, codes].T.ravel(), rows, hollow=True)
    winner = first_team(evaluation)
    dots(axes, recall[winner, codes], np.arange(len(codes)), size=4.4)
    counts = evaluation.prevalence_counts
    labels = [f"{label_of(evaluation, code, width)} ({counts[code]:,})" for code in codes]
    write_names(axes, labels)
    axes.set_ylim(len(codes) - 0.4, -0.6)
    quiet_axes(axes, grid="x")
    score_ticks(axes.xaxis)
    axes.set_xlabel("Recall")
    axes.set_xlim(-0.02, 1.02)
    return figure


def draw_confusion(evaluation: Evaluation, width: float) -> "Figure":
    """Gold × predicted counts of the winner."""
    labels = evaluation.task.label_set
    (confusion,) = counted(evaluation.cells.of_teams([first_team(evaluation)]).dense(), labels)
    present = np.flatnonzero(evaluation.present)
    if labels.nothing_code is not None:  # false alarms
        present = np.append(present, labels.nothing_code)
    answered = np.flatnonzero(confusion.sum(axis=0) > 0)
    # of a team whose items are all dropped, no cell has a count
    if answered.size:
        columns = answered
    else:
        columns = present
    counts = confusion[np.ix_(present, columns)]
    shares = counts / np.maximum(confusion[present].sum(axis=1, keepdims=True), 1)
    figure = new_figure(
        width, max(min(width, 0.28 * len(present) + 1.1), 0.09 * len(present) + 1.1)
    )
    axes = figure.subplots()
    shades = [
        [shade_of(share) if share > 0 else "none" for share in line] for line in shares.tolist()
    ]
    if labels.scale:
        steps = shades_of_distance(labels)[np.ix_(present, columns)]
        for row, column in np.argwhere((steps > 0) & (counts > 0)).tolist():
            shades[row][column] = ORANGES[steps[row, column] - 1]
    cell_grid(axes, shades)
    across, down = (
        [label_of(evaluation, code, width) for code in codes.tolist()]
        for codes in (columns, present)
    )
    names = write_names(axes, across, side="below"), write_names(axes, down)
    below = figure.supxlabel("Predicted", fontsize=8.0)
    beside = figure.supylabel("Gold", fontsize=8.0)
    write_cells(
        figure,
        axes,
        names,
        {(row, column): f"{counts[row, column]}" for row, column in np.argwhere(counts).tolist()},
    )
    box = axes.get_position()
    below.set_x((box.x0 + box.x1) / 2)
    beside.set_y((box.y0 + box.y1) / 2)
    return figure
