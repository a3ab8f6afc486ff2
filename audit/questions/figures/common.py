"""What several figures need: the teams in their order, names that fit, and the ink of a row of names."""

from textwrap import fill
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.metrics import phrase
from audit.questions.figures.style import QUIET, quiet_axes
from audit.questions.printing import BEST_SHOWN, FEW
from audit.text import distinct, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NARROW, WIDE = 3.03, 6.3
"""Inches of a column, and of the text, on a two-column page."""

_WIDE = 5.0  # inches from which a figure has room for whole names
_LONG_NAME, _SHORT_NAME = 28, 16
_LONG_LABEL, _SHORT_LABEL = 20, 12
_DOUBLE = frozenset("WF")  # letters as wide as two, as Unicode calls their widths
_WIDE_LINE, _NARROW_LINE = 80, 42  # characters of an axis title
_ROW = 0.155  # inches a row of text needs


def is_wide(width: float) -> bool:
    """Whether a figure has room for whole names, and for panels side by side."""
    return width >= _WIDE


def shown_teams(evaluation: Evaluation, *, comparable: bool = False) -> list[int]:
    """The entries that a figure shows, best first: all where they are few, otherwise the best of them."""
    order = evaluation.order(evaluation.task.ranking_metric)
    teams = [team for team in order if evaluation.comparable[team] or not comparable]
    return teams if len(teams) <= FEW else teams[:BEST_SHOWN]


def rest_note(evaluation: Evaluation, *, comparable: bool = False) -> str:
    """A last sentence on what a figure leaves out; empty where it leaves out nothing."""
    n_all = int(evaluation.comparable.sum()) if comparable else len(evaluation.entries)
    return f" The first {BEST_SHOWN} of {n_all:,} are shown." if n_all > FEW else ""


def name_of(evaluation: Evaluation, team: int, width: float) -> str:
    """A team's name as long as the figure's width allows, unlike any other's."""
    return _cut(tuple(evaluation.names), team, _LONG_NAME if is_wide(width) else _SHORT_NAME)


def label_of(evaluation: Evaluation, code: int, width: float) -> str:
    """A class's name as long as the figure's width allows; behind the last class stands what was not answered."""
    labels = (*evaluation.task.label_set.shown, "unanswered")
    return _cut(labels, code, _LONG_LABEL if is_wide(width) else _SHORT_LABEL)


def _cut(texts: tuple[str, ...], place: int, limit: int) -> str:
    """One of several texts, cut unlike any other; of letters as wide as two, like Chinese, half as many."""
    shown = distinct(texts, limit)[place]
    n_wide = sum(east_asian_width(letter) in _DOUBLE for letter in shown)
    return shown if len(shown) + n_wide <= limit else distinct(texts, limit // 2)[place]


def height_of(n_rows: int, extra: float = 0.55) -> float:
    """The height in inches of a number of rows of text, with an axis below."""
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


def axis_title(axes: "Axes", text: str, width: float) -> None:
    """The title of an axis below; in a column it ends at the right and breaks into lines."""
    if is_wide(width):
        axes.set_xlabel(fill(text, _WIDE_LINE))
    else:
        axes.set_xlabel(fill(text, _NARROW_LINE), loc="right")


def metric_words(evaluation: Evaluation, key: ScoreKey | None = None) -> str:
    """A metric's name in a sentence: the ranking metric's, where none is named."""
    return phrase(key or evaluation.task.ranking_metric, evaluation.task.label_set)


def score_text(evaluation: Evaluation, value: float) -> str:
    """A score as the report prints it."""
    return number(value, evaluation.task.printed_decimals)
