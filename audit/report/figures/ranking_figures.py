"""Figures of the ranking: scores with intervals, possible ranks, who is ahead of whom."""

from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Comparison, Evaluation
from audit.findings.comparisons import comparison_of
from audit.findings.shown_intervals import shown_intervals
from audit.findings.wording import of
from audit.report.figures.metric_figures import write_cells
from audit.report.figures.style import (
    ACCENT,
    INK,
    LINE,
    QUIET,
    axis_title,
    dots,
    height_of,
    is_wide,
    name_of,
    name_rows,
    new_figure,
    quiet_axes,
    rest_note,
    score_ticks,
    shown_teams,
    write_names,
)
from audit.report.printing import BEST_SHOWN
from audit.sentences import say
from audit.text import sentence_case

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_TICKS = 12


def draw_scores(evaluation: Evaluation, width: float) -> "Figure":
    """Every team's score with its interval, best on top."""
    teams = shown_teams(evaluation)
    key = evaluation.task.ranking_metric
    values = evaluation.scores_of(key)[teams]
    figure = new_figure(width, height_of(len(teams)))
    axes = figure.subplots()
    rows = np.arange(len(teams))
    shown = shown_intervals(evaluation, key)
    if shown is not None:
        drawn = ~np.isnan(shown.lower[teams])
        ends = shown.lower[teams][drawn], shown.upper[teams][drawn]
        axes.hlines(rows[drawn], *ends, color=QUIET, linewidth=1.0)
    competes = evaluation.competing[teams]
    dots(axes, values[competes], rows[competes])
    dots(axes, values[~competes], rows[~competes], hollow=True)
    name_rows(axes, evaluation, teams, width)
    if key.metric in evaluation.scales:
        lower = ", lower is better"
    else:
        lower = ""
    axis_title(axes, sentence_case(of(evaluation, key)) + lower, width)
    score_ticks(axes.xaxis)
    return figure


def scores_note(evaluation: Evaluation) -> str:
    """What is not drawn: teams behind the first ones, and intervals that there are none of."""
    shown = shown_intervals(evaluation, evaluation.task.ranking_metric)
    lack = shown is not None and bool(np.isnan(shown.lower[shown_teams(evaluation)]).any())
    parts = rest_note(evaluation), say("A point without a line has no interval.") if lack else ""
    return " ".join(filter(None, parts))


def _compared(evaluation: Evaluation) -> tuple[list[int], Comparison]:
    """The teams that are drawn, of those that were compared, and their comparison by the ranking metric."""
    comparison = comparison_of(evaluation)
    if comparison is None:
        raise ValueError("the certainty was left out")
    return shown_teams(evaluation, comparable=True), comparison


def draw_rank_sets(evaluation: Evaluation, width: float) -> "Figure":
    """The ranks that the data leave open, a bar for each team."""
    teams, comparison = _compared(evaluation)
    teams = [team for team in teams if comparison.possible_ranks[team, 0]]
    first, last = comparison.possible_ranks[teams].T
    figure = new_figure(width, height_of(len(teams)))
    axes = figure.subplots()
    rows = np.arange(len(teams))
    best = comparison.could_be_best[teams]
    for mask, color, thickness in ((best, ACCENT, 2.8), (~best, QUIET, 1.2)):
        axes.hlines(
            rows[mask], first[mask] - 0.3, last[mask] + 0.3, color=color, linewidth=thickness
        )
    ranks = evaluation.ranks_of(comparison.key)[teams]
    dots(axes, ranks, rows, color=INK)
    name_rows(axes, evaluation, teams, width)
    axis_title(axes, f"Rank by {of(evaluation, comparison.key)}, 1 is best", width)
    most = int(last.max(initial=1))
    step = next(step for step in (1, 5, 10, 50, 100, most) if most <= step * _MOST_TICKS)
    axes.set_xlim(0.3, most + 0.7)
    axes.set_xticks(sorted({1, *range(step, most + 1, step)}))
    return figure


def draw_separable(evaluation: Evaluation, width: float) -> "Figure":
    """A square where the team of the row is ahead of that of the column."""
    teams, comparison = _compared(evaluation)
    n_teams = len(teams)
    side = min((width - (1.4 if is_wide(width) else 1.05)) * 72 / n_teams, 14.0)
    figure = new_figure(width, side * n_teams / 72 + 1.3)
    axes = figure.subplots()
    row, column = np.nonzero(comparison.ahead[np.ix_(teams, teams)])
    axes.plot(
        column,
        row,
        linestyle="none",
        marker="s",
        markersize=min(side * 0.72, 11),
        color=ACCENT,
        mew=0,
    )
    axes.plot([-0.5, n_teams - 0.5], [-0.5, n_teams - 0.5], color=LINE)
    names = [name_of(evaluation, team, width if n_teams <= BEST_SHOWN else 0) for team in teams]
    written = write_names(axes, names, side="below"), write_names(axes, names)
    axes.set_xlim(-0.6, n_teams - 0.4)
    axes.set_ylim(n_teams - 0.4, -0.6)
    axes.set_aspect("equal", anchor="W")
    quiet_axes(axes)
    write_cells(figure, axes, written, {})
    return figure
