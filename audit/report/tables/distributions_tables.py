"""Shares of the simplex of class distributions: by team, and by metric."""

import numpy as np

from audit.domain import Evaluation, WinnerMap
from audit.flags.wording import entrant, entrants, shown_name
from audit.metrics import phrase
from audit.ranking import monte_carlo_interval
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import Printing, metric_href
from audit.sentences import say
from audit.text import listed, number, sentence_case


def interval(share: float, n_draws: int) -> str:
    """The Monte Carlo interval of a share, as printed."""
    lower, upper = monte_carlo_interval(share, n_draws)
    return f"[{number(lower)}, {number(upper)}]"


def held_by_team_table(show: Printing, winner_map: WinnerMap) -> Table:
    """How much of the simplex each team holds by the ranking metric; teams that hold nothing are left out."""
    holding = [team for team in show.order if winner_map.uniform[team] or winner_map.nearby[team]]
    rows = tuple(
        (
            show.name(team),
            *_share(float(winner_map.uniform[team]), winner_map.n_draws),
            *_share(float(winner_map.nearby[team]), winner_map.n_draws),
        )
        for team in holding
    )
    columns = (
        Column("Team", numeric=False),
        Column("Anywhere", title="Share of class distributions, drawn uniformly, at which the team is first"),
        Column("95%", title=say("column-monte-carlo")),
        Column("Around here", title="Share of class distributions around this one at which the team is first"),
        Column("95%", title=say("column-monte-carlo")),
    )
    return Table("table-held-by-team", _team_caption(show.evaluation, winner_map, len(holding)), columns, rows)


def _share(share: float, n_draws: int) -> tuple[Cell, Cell]:
    return Cell(number(share), style="best" if share > 0.5 else ""), Cell(interval(share, n_draws), style="quiet")  # noqa: PLR2004 - more than half


def _team_caption(evaluation: Evaluation, winner_map: WinnerMap, n_holding: int) -> str:
    by = phrase(winner_map.key, evaluation.task.label_set)
    if n_holding == 1:
        return f"By {by} one {entrant(evaluation)} is first under every class distribution drawn."
    return f"By {by} {entrants(evaluation, n_holding)} are first under some class distribution drawn."


def held_by_metric_table(show: Printing, maps: tuple[WinnerMap, ...]) -> Table:
    """How much of the simplex the winner holds by each metric, and who holds most of it."""
    evaluation = show.evaluation
    rows = tuple(
        (
            Cell(
                sentence_case(phrase(of_metric.key, evaluation.task.label_set)),
                href=metric_href(of_metric.key, evaluation),
            ),
            Cell(_names(evaluation, of_metric.winners)),
            *_share(of_metric.holds_uniform, of_metric.n_draws),
            *_share(of_metric.holds_nearby, of_metric.n_draws),
            *_largest_share(evaluation, of_metric),
        )
        for of_metric in maps
    )
    columns = (
        Column("Metric", numeric=False),
        Column("First here", numeric=False),
        Column("Holds anywhere", title="Share of class distributions, drawn uniformly, at which the winner still wins"),
        Column("95%", title=say("column-monte-carlo")),
        Column(
            "Holds around here", title="Share of class distributions around this one at which the winner still wins"
        ),
        Column("95%", title=say("column-monte-carlo")),
        Column("Wins most of the simplex", numeric=False),
        Column("Share", title="Share of class distributions, drawn uniformly, at which that team is first"),
    )
    return Table("table-held-by-metric", _metric_caption(maps), columns, rows)


def _names(evaluation: Evaluation, teams: tuple[int, ...]) -> str:
    return listed([shown_name(evaluation, team) for team in teams], limit=3) or "–"


def _largest_share(evaluation: Evaluation, winner_map: WinnerMap) -> tuple[Cell, Cell]:
    share = float(winner_map.uniform.max())
    most = tuple(np.flatnonzero(winner_map.uniform == share).tolist()) if share else ()
    return Cell(_names(evaluation, most), style="same" if most == winner_map.winners else ""), Cell(number(share))


def _metric_caption(maps: tuple[WinnerMap, ...]) -> str:
    little = sum(of_metric.holds_uniform < 0.5 for of_metric in maps)  # noqa: PLR2004 - less than half
    return (
        f"By {little} of {len(maps)} metrics the winner holds on less than half of the simplex of class distributions."
    )
