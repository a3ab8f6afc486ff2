"""What several figures need: the teams in their order, names that fit, and the ink of a row of names."""

from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.metrics import phrase
from audit.report.figures.style import QUIET, quiet_axes
from audit.text import number, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_SHOWN = 60
_WIDE = 5.0  # inches from which a figure has room for whole names
_ROW = 0.155  # inches a row of text needs


def shown_teams(evaluation: Evaluation, *, comparable: bool = False) -> list[int]:
    """The entries that a figure shows, best first: at most as many as can be read."""
    order = evaluation.order(evaluation.task.ranking_metric)
    return [team for team in order if evaluation.comparable[team] or not comparable][:MOST_SHOWN]


def rest_note(evaluation: Evaluation, *, comparable: bool = False) -> str:
    """What a figure leaves out, as a last sentence; nothing where it leaves out nothing."""
    n_all = int(evaluation.comparable.sum()) if comparable else len(evaluation.entries)
    return f" The first {MOST_SHOWN} of {n_all:,} are shown." if n_all > MOST_SHOWN else ""


def name_of(evaluation: Evaluation, team: int, width: float) -> str:
    """A team's name as long as the figure's width allows."""
    return visible(evaluation.names[team], 28 if width >= _WIDE else 16)


def label_of(label: str, width: float) -> str:
    """A class's name as long as the figure's width allows."""
    return visible(label, 20 if width >= _WIDE else 12)


def height_of(n_rows: int, extra: float = 0.55) -> float:
    """Inches for so many rows of text, an axis below."""
    return max(1.4, _ROW * n_rows + extra)


def name_rows(axes: "Axes", evaluation: Evaluation, teams: list[int], width: float) -> None:
    """A row for each team, best on top, its name on the left: italic where it does not compete."""
    axes.set_yticks(np.arange(len(teams)), [name_of(evaluation, team, width) for team in teams])
    axes.set_ylim(len(teams) - 0.4, -0.6)
    for text, team in zip(axes.get_yticklabels(), teams, strict=True):
        if not evaluation.entries[team].competes:
            text.set_fontstyle("italic")
            text.set_color(QUIET)
    quiet_axes(axes, grid="x")


def metric_words(evaluation: Evaluation, key: ScoreKey | None = None) -> str:
    """A metric's name in a sentence: the ranking metric's, where none is named."""
    return phrase(key or evaluation.task.ranking_metric, evaluation.task.label_set)


def score_text(evaluation: Evaluation, value: float) -> str:
    """A score as the report prints it."""
    return number(value, evaluation.task.printed_decimals)
