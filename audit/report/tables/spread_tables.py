"""How far apart the class scores are behind each macro score of every team."""

from dataclasses import dataclass

import numpy as np

from audit.domain import OBSERVED, ScoreKey
from audit.flags.wording import shown_name
from audit.metrics import AGGREGATES, Spread, phrase, spread_of
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import Printing, metric_column, range_text, score_cells, short_label


@dataclass(frozen=True, eq=False)
class _Shown:
    """One macro score with the spread of its class scores."""

    key: ScoreKey
    spread: Spread


def spread_table(show: Printing) -> Table:
    """The ranking metric, and the macro scores of every evaluation, with deviation and range over the classes."""
    shown = _shown(show)
    cells = [list(zip(score_cells(show, each.key), *_spread_cells(show, each), strict=True)) for each in shown]
    rows = tuple((show.name(team), *(cell for column in cells for cell in column[team])) for team in show.order)
    heads = (column for each in shown for column in _columns(show, each.key))
    note = "SD: standard deviation over the averaged classes; beside it the lowest and the highest class score."
    return show.with_legend(
        Table("table-spread", _caption(show, shown), (Column("Team", numeric=False), *heads), rows, note=note)
    )


def _shown(show: Printing) -> list[_Shown]:
    """The scores that are means of class scores."""
    evaluation = show.evaluation
    keys = (evaluation.task.ranking_metric, *(ScoreKey(metric.slug, OBSERVED.name) for metric in AGGREGATES))
    spreads = ((key, spread_of(evaluation, key)) for key in dict.fromkeys(keys))
    return [_Shown(key, spread) for key, spread in spreads if spread is not None]


def _spread_cells(show: Printing, shown: _Shown) -> tuple[list[Cell], list[Cell]]:
    spread = shown.spread
    ranges = [
        Cell(range_text(show, *ends)) for ends in zip(spread.lowest.tolist(), spread.highest.tolist(), strict=True)
    ]
    return [Cell(show.score(value)) for value in spread.deviation.tolist()], ranges


def _columns(show: Printing, key: ScoreKey) -> tuple[Column, Column, Column]:
    name, words = short_label(key, show.evaluation), phrase(key, show.evaluation.task.label_set)
    return (
        metric_column(key, show.evaluation),
        Column("SD", title=f"Standard deviation of the class scores behind {words}"),
        Column("range", title=f"Lowest and highest class score behind {name}"),
    )


def _caption(show: Printing, shown: list[_Shown]) -> str:
    """The caption: the teams whose class scores are most alike and furthest apart."""
    first, teams = shown[0], list(show.ranked)
    deviation = np.where(np.isnan(show.evaluation.scores_of(first.key)), np.nan, first.spread.deviation)[teams]
    words = phrase(first.key, show.evaluation.task.label_set)
    if np.isnan(deviation).all():
        return f"No team has class scores behind {words}."
    least, most = int(np.nanargmin(deviation)), int(np.nanargmax(deviation))
    names = [
        f"{shown_name(show.evaluation, teams[place])} (SD {show.score(float(deviation[place]))})"
        for place in (least, most)
    ]
    if least == most:
        return f"Behind {words} the class scores of {names[0]} vary."
    return f"Behind {words} class scores are most alike for {names[0]}, and furthest apart for {names[1]}."
