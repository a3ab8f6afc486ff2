"""Figures of the ranking: scores with intervals, rank sets, separable pairs, ranks in the replicates."""

from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Comparison, Evaluation
from audit.flags.wording import share_of_replicates
from audit.report.figures.common import (
    height_of,
    metric_words,
    name_of,
    name_rows,
    rest_note,
    score_text,
    shown_teams,
)
from audit.report.figures.style import ACCENT, INK, LINE, QUIET, dots, new_figure, quiet_axes, score_ticks
from audit.text import listed, plural, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LARGEST_BLOB = 60.0
_MOST_TICKS = 12


def draw_scores(evaluation: Evaluation, width: float) -> "Figure":
    """Every team's score with its interval, best on top."""
    teams, key = shown_teams(evaluation), evaluation.task.ranking_metric
    values = evaluation.scores_of(key)[teams]
    figure = new_figure(width, height_of(len(teams)))
    axes = figure.subplots()
    rows = np.arange(len(teams))
    uncertainty = evaluation.uncertainty
    if uncertainty is not None:
        row = evaluation.keys.index(key)
        axes.hlines(rows, uncertainty.lower[row, teams], uncertainty.upper[row, teams], color=QUIET, linewidth=1.0)
    competes = evaluation.competing[teams]
    dots(axes, values[competes], rows[competes])
    dots(axes, values[~competes], rows[~competes], hollow=True)
    name_rows(axes, evaluation, teams, width)
    axes.set_xlabel(_capital(metric_words(evaluation)))
    score_ticks(axes.xaxis)
    return figure


def scores_caption(evaluation: Evaluation) -> str:
    """Who is first, with the interval."""
    key = evaluation.task.ranking_metric
    winners = evaluation.winners(key)
    if not winners:
        return f"No team has a defined score by {metric_words(evaluation)}."
    names = listed([visible(evaluation.names[team], 40) for team in winners], limit=3)
    score = score_text(evaluation, float(evaluation.scores_of(key)[winners[0]]))
    verb = "has" if len(winners) == 1 else "have"
    interval = ""
    if evaluation.uncertainty is not None and len(winners) == 1:
        row = evaluation.keys.index(key)
        ends = (evaluation.uncertainty.lower[row, winners[0]], evaluation.uncertainty.upper[row, winners[0]])
        interval = f", 95% interval {score_text(evaluation, ends[0])} to {score_text(evaluation, ends[1])}"
    return f"{names} {verb} the best {metric_words(evaluation)}: {score}{interval}.{rest_note(evaluation)}"


def _comparison(evaluation: Evaluation) -> Comparison:
    """The comparison by the ranking metric."""
    if evaluation.uncertainty is None:
        raise ValueError("nothing was resampled")
    return evaluation.uncertainty.comparisons[0]


def draw_rank_sets(evaluation: Evaluation, width: float) -> "Figure":
    """The ranks that the data leave open, a bar for each team."""
    teams = shown_teams(evaluation, comparable=True)
    comparison = _comparison(evaluation)
    first, last = comparison.rank_sets[teams].T
    figure = new_figure(width, height_of(len(teams)))
    axes = figure.subplots()
    rows = np.arange(len(teams))
    possible = first == 1
    for mask, color in ((possible, ACCENT), (~possible, QUIET)):
        axes.hlines(rows[mask], first[mask] - 0.3, last[mask] + 0.3, color=color, linewidth=2.2)
    ranks = evaluation.ranks_of(comparison.key)[teams]
    dots(axes, ranks, rows, color=INK)
    name_rows(axes, evaluation, teams, width)
    axes.set_xlabel(f"Rank by {metric_words(evaluation)}, 1 is best")
    _rank_ticks(axes, int(last.max(initial=1)))
    return figure


def rank_sets_caption(evaluation: Evaluation) -> str:
    """How many may be best."""
    comparison = _comparison(evaluation)
    n_possible = len(comparison.possible_winners)
    what = "is a possible winner" if n_possible == 1 else "are possible winners"
    n_teams = int(evaluation.comparable.sum())
    return (
        f"{n_possible:,} of {plural(n_teams, 'team')} {what} by {metric_words(evaluation)}: "
        f"the rank set holds rank 1.{rest_note(evaluation, comparable=True)}"
    )


def draw_separable(evaluation: Evaluation, width: float) -> "Figure":
    """A square for every ordered pair that is separable."""
    teams = shown_teams(evaluation, comparable=True)
    comparison = _comparison(evaluation)
    separable = comparison.separable[np.ix_(teams, teams)]
    n_teams = len(teams)
    side = min((width - 1.4) * 72 / n_teams, 14.0)
    figure = new_figure(width, side * n_teams / 72 + 1.3)
    axes = figure.subplots()
    row, column = np.nonzero(separable)
    axes.plot(column, row, linestyle="none", marker="s", markersize=min(side * 0.72, 11), color=ACCENT, mew=0)
    axes.plot([-0.5, n_teams - 0.5], [-0.5, n_teams - 0.5], color=LINE)
    names = [name_of(evaluation, team, width) for team in teams]
    size = min(7.0, 0.95 * side)
    axes.set_xticks(np.arange(n_teams), names, rotation=90, fontsize=size)
    axes.set_yticks(np.arange(n_teams), names, fontsize=size)
    axes.set_xlim(-0.6, n_teams - 0.4)
    axes.set_ylim(n_teams - 0.4, -0.6)
    axes.set_aspect("equal", anchor="W")
    quiet_axes(axes)
    return figure


def separable_caption(evaluation: Evaluation) -> str:
    """How many pairs the test set separates."""
    comparison = _comparison(evaluation)
    n_teams = int(evaluation.comparable.sum())
    return (
        f"The test set separates {int(comparison.separable.sum()):,} of {plural(n_teams * (n_teams - 1) // 2, 'pair')} "
        f"of teams by {metric_words(evaluation)}."
    )


def draw_blobs(evaluation: Evaluation, width: float) -> "Figure":
    """How often each team has each rank in the replicates."""
    teams = shown_teams(evaluation, comparable=True)
    comparison = _comparison(evaluation)
    shares = comparison.rank_shares[teams]
    figure = new_figure(width, height_of(len(teams), 0.6))
    axes = figure.subplots()
    row, rank = np.nonzero(shares >= 0.005)  # noqa: PLR2004 - smaller ones cannot be seen
    axes.scatter(rank + 1, row, s=shares[row, rank] * _LARGEST_BLOB, color=ACCENT, alpha=0.55, linewidth=0)
    axes.scatter(
        evaluation.ranks_of(comparison.key)[teams], np.arange(len(teams)), marker="x", s=10, color=INK, linewidth=0.8
    )
    name_rows(axes, evaluation, teams, width)
    axes.set_xlabel(f"Rank by {metric_words(evaluation)} in the replicates")
    _rank_ticks(axes, int((rank + 1).max(initial=1)))
    return figure


def blobs_caption(evaluation: Evaluation) -> str:
    """In how many replicates the first team is first."""
    comparison = _comparison(evaluation)
    winners = evaluation.winners(comparison.key)
    if not winners:
        return "No team has a defined score."
    team = winners[0]
    share = share_of_replicates(float(comparison.rank_shares[team, 0]))
    return f"{visible(evaluation.names[team], 40)} has rank 1 in {share} of the replicates."


def _rank_ticks(axes: "Axes", last: int) -> None:
    """Rank 1, and as many others as can be read."""
    step = next(step for step in (1, 5, 10, 50, 100, last) if last <= step * _MOST_TICKS)
    axes.set_xlim(0.3, last + 0.7)
    axes.set_xticks(sorted({1, *range(step, last + 1, step)}))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
