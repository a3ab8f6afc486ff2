"""Figures across metrics: who moves between them, and how alike they rank."""

from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.evaluation import Floats, Ints
from audit.metrics import AGGREGATES
from audit.ranking import competition_ranks
from audit.report.figures.common import height_of, metric_words, name_of, rest_note, shown_teams
from audit.report.figures.style import ACCENT, INK, LINE, QUIET, new_figure, quiet_axes, signed_shade
from audit.report.table_printing import short_label, usual_keys
from audit.text import listed, number, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _ranks(evaluation: Evaluation, keys: tuple[ScoreKey, ...], teams: list[int]) -> Ints:
    """Ranks among the teams shown, ties by their order, shape (K, n): a place of its own for every line."""
    goodness = np.stack([evaluation.goodness_of(key)[teams] for key in keys])
    return np.argsort(np.argsort(competition_ranks(goodness), axis=1, kind="stable"), axis=1, kind="stable") + 1


def draw_bump(evaluation: Evaluation, width: float) -> "Figure":
    """A line for each team across the metrics."""
    teams = [team for team in shown_teams(evaluation) if evaluation.competing[team]]
    keys = usual_keys(evaluation)
    if width < 5.0:  # noqa: PLR2004 - inches: a column has room for five heads
        keys = keys[:5]
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
    _names_at(axes, evaluation, teams, places[0], width)
    twin = axes.secondary_yaxis("right")
    last = np.argsort(places[-1])
    twin.set_yticks(np.arange(1, len(teams) + 1), [name_of(evaluation, teams[line], width) for line in last])
    twin.tick_params(length=0)
    twin.spines["right"].set_visible(False)
    axes.xaxis.tick_top()
    heads = [short_label(key, evaluation) for key in keys]
    axes.set_xticks(across, heads, rotation=35 if width < 5.0 else 0, ha="left" if width < 5.0 else "center")  # noqa: PLR2004
    axes.set_xlim(-0.1, len(keys) - 0.9)
    return figure


def _names_at(axes: "Axes", evaluation: Evaluation, teams: list[int], places: Ints, width: float) -> None:
    order = np.argsort(places)
    axes.set_yticks(np.arange(1, len(teams) + 1), [name_of(evaluation, teams[line], width) for line in order])
    axes.set_ylim(len(teams) + 0.6, 0.4)
    quiet_axes(axes, grid="x")


def bump_caption(evaluation: Evaluation) -> str:
    """Who wins under which metric."""
    winners: dict[str, list[str]] = {}
    for key in usual_keys(evaluation):
        for team in evaluation.winners(key):
            winners.setdefault(visible(evaluation.names[team], 40), []).append(metric_words(evaluation, key))
    if len(winners) == 1:
        return f"{next(iter(winners))} is first by each of these metrics.{rest_note(evaluation)}"
    said = [f"{name} by {listed(metrics, limit=3)}" for name, metrics in winners.items()]
    return f"First places: {'; '.join(said)}.{rest_note(evaluation)}"


def _agreement_rows(evaluation: Evaluation) -> list[int]:
    """The aggregate metrics of the agreement matrix, observed and balanced, that are not constant over the teams."""
    aggregates = {metric.slug for metric in AGGREGATES} | {evaluation.task.ranking_metric.metric}
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
    from scipy.spatial.distance import squareform  # noqa: PLC0415 - likewise

    distance = np.clip(1 - rho, 0, 2)
    np.fill_diagonal(distance, 0)
    tree = linkage(squareform(np.round(distance, 12), checks=False), "average", optimal_ordering=True)
    order: list[int] = leaves_list(tree).tolist()
    return order


def _ordered_agreement(evaluation: Evaluation) -> tuple[list[int], Floats]:
    rows = _agreement_rows(evaluation)
    rho = np.nan_to_num(evaluation.agreement.spearman[np.ix_(rows, rows)])
    order = by_similarity(rho)
    return [rows[place] for place in order], rho[np.ix_(order, order)]


def draw_agreement(evaluation: Evaluation, width: float) -> "Figure":
    """ρ between the metrics' rankings, a number in every cell."""
    rows, rho = _ordered_agreement(evaluation)
    n_rows = len(rows)
    figure = new_figure(width, width * 0.92)
    axes = figure.subplots()
    cell_grid(axes, rho, [[signed_shade(value) for value in line] for line in np.tril(rho, -1).tolist()])
    size = min(7.0, (width - 1.0) * 72 / n_rows / 2.4)
    for row, line in enumerate(rho.tolist()):
        for column, value in enumerate(line):
            if column < row:
                cell_text(axes, row, column, f"{100 * value:.0f}", size)
    labels = [short_label(evaluation.agreement.keys[row], evaluation) for row in rows]
    axes.set_xticks(np.arange(n_rows), labels, rotation=90)
    axes.set_yticks(np.arange(n_rows), labels)
    return figure


def cell_grid(axes: "Axes", values: Floats, shades: list[list[str]]) -> None:
    """A square for every cell, shaded; the first row on top."""
    from matplotlib.collections import PatchCollection  # noqa: PLC0415 - a third of a second that only figures need
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - likewise

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


def cell_text(axes: "Axes", row: int, column: int, text: str, size: float) -> None:
    """A text in the middle of a cell; it needs no room of its own."""
    axes.text(column, row, text, ha="center", va="center", fontsize=size, color=INK, in_layout=False)


def agreement_caption(evaluation: Evaluation) -> str:
    """The pair of metrics that agrees least."""
    rows, rho = _ordered_agreement(evaluation)
    row, column = np.unravel_index(rho.argmin(), rho.shape)
    one, other = (metric_words(evaluation, evaluation.agreement.keys[rows[at]]) for at in (row, column))
    if rho.min() > 1 - 1e-12:
        return "Every one of these metrics ranks the teams alike."
    return f"Least alike are the rankings by {one} and by {other}: ρ = {number(rho.min(), 2)}."
