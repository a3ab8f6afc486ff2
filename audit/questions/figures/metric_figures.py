"""Figures across metrics: who moves between them, and how alike they rank."""

from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.arrays import Floats, Ints
from audit.metrics import aggregates_of
from audit.questions.figures.common import WIDE, height_of, is_wide, metric_words, name_of, shown_teams
from audit.questions.figures.style import ACCENT, INK, LINE, QUIET, new_figure, quiet_axes, signed_shade, smallest_type
from audit.questions.printing import crowning_keys, short_label, usual_keys
from audit.questions.wording import shown_name
from audit.ranking import competition_ranks
from audit.text import agreeing, listed, number, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_MOST_HEADS = 5  # metrics side by side in a column
_LONG_HEAD = 8  # characters of a head that is turned
_MOST_IN_COLUMN = 13  # metrics whose agreement a column can print
_DIGIT, _BETWEEN, _OF_ROW = 0.64, 0.3, 0.85  # of the size of type: a digit, the room between cells; of a row, its type
_NAMES_BELOW = 1.0  # inches that every matrix keeps for the names below it
_APART = 0.9  # of the size of type, from one name to the next


def _ranks(evaluation: Evaluation, keys: tuple[ScoreKey, ...], teams: list[int]) -> Ints:
    """Ranks among the teams shown, ties by their order, shape (K, n): a place of its own for every line."""
    goodness = np.stack([evaluation.goodness_of(key)[teams] for key in keys])
    return np.argsort(np.argsort(competition_ranks(goodness), axis=1, kind="stable"), axis=1, kind="stable") + 1


def draw_bump(evaluation: Evaluation, width: float) -> "Figure":
    """A line for each team across the metrics."""
    keys = crowning_keys(evaluation) if is_wide(width) else usual_keys(evaluation)[:_MOST_HEADS]
    teams = _followed(evaluation)
    places = _ranks(evaluation, keys, teams)
    figure = new_figure(width, height_of(len(teams), 0.7))
    axes = figure.subplots()
    across = np.arange(len(keys))
    wins = (places == 1).any(axis=0)
    for line in range(len(teams)):
        color = ACCENT if wins[line] else QUIET
        axes.plot(across, places[:, line], color=color, linewidth=1.6 if wins[line] else 0.7, zorder=2 + wins[line])
    marked = np.flatnonzero(wins)
    axes.scatter(np.repeat(across, len(marked)), places[:, marked].ravel(), s=9, color=ACCENT, zorder=4, clip_on=False)
    orders = np.argsort(places[0]), np.argsort(places[-1])
    left_names = _line_names(evaluation, keys[0], [teams[line] for line in orders[0]], width)
    right = _line_names(evaluation, keys[-1], [teams[line] for line in orders[1]], width)
    if not is_wide(width):
        right = [f"{evaluation.ranks_of(keys[-1])[teams[line]]}" for line in orders[1]]
    axes.set_yticks(np.arange(1, len(teams) + 1), left_names)
    axes.set_ylim(len(teams) + 0.6, 0.4)
    quiet_axes(axes, grid="x")
    twin = axes.secondary_yaxis("right")
    twin.set_yticks(np.arange(1, len(teams) + 1), right)
    twin.tick_params(length=0)
    twin.spines["right"].set_visible(False)
    axes.xaxis.tick_top()
    heads = [short_label(key, evaluation) for key in keys]
    turned = any(len(head) > _LONG_HEAD for head in heads)
    axes.set_xticks(across, heads, rotation=35 if turned else 0, ha="left" if turned else "center")
    axes.set_xlim(-0.1, len(keys) - 0.9)
    return figure


def _line_names(evaluation: Evaluation, key: ScoreKey, teams: list[int], width: float) -> list[str]:
    """Names at an end of the lines; where not every team has a line, with its rank among all."""
    if len(teams) == int(evaluation.competing.sum()):
        return [name_of(evaluation, team, width) for team in teams]
    ranks = evaluation.ranks_of(key)
    return [f"{name_of(evaluation, team, width)} ({ranks[team]})" for team in teams]


def _followed(evaluation: Evaluation) -> list[int]:
    """The teams that have a line: those that a figure shows, and whoever is first by any of the metrics."""
    teams = [team for team in shown_teams(evaluation) if evaluation.competing[team]]
    winners = {team for key in crowning_keys(evaluation) for team in evaluation.winners(key)[:1]}
    order = evaluation.order(evaluation.task.ranking_metric)
    return [team for team in order if team in winners.union(teams)]


def bump_caption(evaluation: Evaluation) -> str:
    """The caption: who wins by which metric."""
    winners: dict[str, list[str]] = {}
    for key in crowning_keys(evaluation):
        for team in evaluation.winners(key):
            winners.setdefault(shown_name(evaluation, team), []).append(metric_words(evaluation, key))
    if len(winners) == 1:
        return f"{next(iter(winners))} is first by each metric drawn here.{_not_followed(evaluation)}"
    clauses = [f"{name} by {listed(metrics, limit=3)}" for name, metrics in winners.items()]
    return f"First places: {'; '.join(clauses)}.{_not_followed(evaluation)}"


def _not_followed(evaluation: Evaluation) -> str:
    """A last sentence on how many teams have no line."""
    n_others = int(evaluation.competing.sum()) - len(_followed(evaluation))
    if not n_others:
        return ""
    return f" {plural(n_others, 'other')} {agreeing(n_others, 'is', 'are')} not drawn."


def _agreement_rows(evaluation: Evaluation) -> list[int]:
    """The aggregate metrics of the agreement matrix, observed and balanced, that are not constant over the teams."""
    aggregates = {metric.slug for metric in aggregates_of(evaluation)} | {evaluation.task.ranking_metric.metric}
    rho = evaluation.agreement.spearman
    return [
        row
        for row, key in enumerate(evaluation.agreement.keys)
        if key.metric in aggregates and not np.isnan(rho[row, row])
    ]


def agreement_possible(evaluation: Evaluation) -> bool:
    """Whether two metrics or more have a ranking to compare."""
    return len(_agreement_rows(evaluation)) > 1


def by_similarity(rho: Floats) -> list[int]:
    """An order in which rows that agree stand together: the leaves of an average-linkage tree on 1 − ρ."""
    from scipy.cluster.hierarchy import leaves_list, linkage  # noqa: PLC0415 - a fifth of a second that only this needs
    from scipy.spatial.distance import squareform  # noqa: PLC0415 - a fifth of a second that only this needs

    distance = np.clip(1 - rho, 0, 2)
    np.fill_diagonal(distance, 0)
    tree = linkage(squareform(np.round(distance, 12), checks=False), "average", optimal_ordering=True)
    order: list[int] = leaves_list(tree).tolist()
    return order


def _ordered_agreement(evaluation: Evaluation, width: float = WIDE) -> tuple[list[int], Floats]:
    """The metrics compared, those that agree beside each other; in a column the usual ones and the least alike."""
    rows = _agreement_rows(evaluation)
    if not is_wide(width) and len(rows) > _MOST_IN_COLUMN:
        rho = np.nan_to_num(evaluation.agreement.spearman[np.ix_(rows, rows)], nan=1.0)
        least = {rows[at] for at in np.unravel_index(rho.argmin(), rho.shape)}
        kept = [row for row in rows if evaluation.agreement.keys[row] in usual_keys(evaluation) or row in least]
        others = [row for row in rows if row not in kept and evaluation.agreement.keys[row].prevalence == "observed"]
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
    cell_grid(axes, rho, [[signed_shade(value) for value in line] for line in np.tril(rho, -1).tolist()])
    labels = [short_label(evaluation.agreement.keys[row], evaluation) for row in rows]
    axes.set_xticks(np.arange(n_rows), labels, rotation=90)
    axes.set_yticks(np.arange(n_rows), labels)
    below = zip(*(at.tolist() for at in np.tril_indices(n_rows, -1)), strict=True)
    write_cells(figure, axes, {(row, column): f"{100 * rho[row, column]:.0f}" for row, column in below})
    return figure


def write_cells(figure: "Figure", axes: "Axes", texts: Mapping[tuple[int, int], str]) -> None:
    """Numbers in cells, and names beside them, as large as the cells allow: no number where it would be too small.

    Where names would lie on each other, every second one stands, or every third.

    The drawing is laid out here, and must not change any more.
    """
    _make_room_below(figure, axes)
    figure.draw_without_rendering()
    across, down = _pitch(axes)
    for axis, room in ((axes.xaxis, across), (axes.yaxis, down)):
        size = min(7.0, max(smallest_type(), room * _OF_ROW))
        step = max(1, ceil(_APART * size / room))
        for place, label in enumerate(axis.get_ticklabels()):
            label.set_fontsize(size)
            label.set_visible(place % step == 0)
    figure.draw_without_rendering()
    across, down = _pitch(axes)
    digits = max(map(len, texts.values()), default=1)
    size = min(7.0, across / (digits * _DIGIT + _BETWEEN), down * _OF_ROW)
    if size < smallest_type():
        return
    for (row, column), text in texts.items():
        axes.text(column, row, text, ha="center", va="center", fontsize=size, color=INK, in_layout=False)


def _make_room_below(figure: "Figure", axes: "Axes") -> None:
    """Make the figure taller where the names below its columns take more than is kept for them: of wide letters."""
    names = (label.get_window_extent().height for label in axes.get_xticklabels())
    lacking = max(names, default=0.0) / figure.dpi - _NAMES_BELOW
    if lacking > 0:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + lacking)


def _pitch(axes: "Axes") -> tuple[float, float]:
    """Points from one cell to the next, across and down."""
    box = axes.get_window_extent()
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    scale = 72 / axes.figure.dpi
    return scale * box.width / abs(right - left), scale * box.height / abs(top - bottom)


def cell_grid(axes: "Axes", values: Floats, shades: list[list[str]]) -> None:
    """A square for every cell, shaded; the first row on top."""
    from matplotlib.collections import PatchCollection  # noqa: PLC0415 - a third of a second that only figures need
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - a third of a second that only figures need

    n_rows, n_columns = values.shape
    filled = [
        (Rectangle((column - 0.5, row - 0.5), 1, 1), shade)
        for row, line in enumerate(shades)
        for column, shade in enumerate(line)
        if shade != "none"
    ]
    patches = PatchCollection(
        [patch for patch, _ in filled], facecolor=[shade for _, shade in filled], edgecolor=LINE, linewidth=0.3
    )
    axes.add_collection(patches)
    axes.set_xlim(-0.5, n_columns - 0.5)
    axes.set_ylim(n_rows - 0.5, -0.5)
    quiet_axes(axes)


def agreement_caption(evaluation: Evaluation) -> str:
    """The pair of metrics that agrees least."""
    rows, rho = _ordered_agreement(evaluation)
    row, column = np.unravel_index(rho.argmin(), rho.shape)
    one, other = (metric_words(evaluation, evaluation.agreement.keys[rows[at]]) for at in (row, column))
    if rho.min() > 1 - 1e-12:
        return "Every one of these metrics ranks the teams alike."
    return f"Least alike are the rankings by {one} and by {other}: ρ = {number(rho.min(), 2)}."
