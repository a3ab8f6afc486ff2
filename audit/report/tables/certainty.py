"""How sure the ranking is: intervals, tiers, rank sets, and which pairs the test set separates."""

import numpy as np

from audit.domain import Comparison, Uncertainty
from audit.metrics import phrase
from audit.report.page import Cell, Column, Table
from audit.report.printing import (
    NAME_LIMIT,
    SHADES,
    Printing,
    interval_text,
    range_text,
    rank_set_text,
    score_cells,
    tier_text,
)
from audit.text import plural, visible

MOST_TEAMS = 60
"""Above this many teams a picture of all pairs is no picture."""


def certainty_table(show: Printing, uncertainty: Uncertainty) -> Table:
    """Score, interval, tier and rank set of every team, its share of replicates won, its distance to the first."""
    evaluation, comparison = show.evaluation, uncertainty.comparisons[0]
    row = evaluation.keys.index(comparison.key)
    lower, upper = uncertainty.lower[row], uncertainty.upper[row]
    bars = _bars(lower, evaluation.values[row], upper)
    scores = score_cells(show, comparison.key)
    n_compared = len(show.comparable)
    rows = tuple(
        (
            show.name(team),
            scores[team],
            Cell(interval_text(show, uncertainty, comparison.key, team)),
            bars[team],
            Cell(tier_text(comparison, team)),
            Cell(rank_set_text(comparison, team)),
            _rank_bar(comparison, team, n_compared),
            Cell(_won(show, comparison, team), style="quiet"),
            Cell(_behind(show, comparison, team)),
            Cell(_p(comparison.randomization_p[team]), style="quiet"),
        )
        for team in show.order
    )
    columns = (
        Column("Team", numeric=False),
        Column("Score", title=phrase(comparison.key, evaluation.task.label_set)),
        Column("95% interval", title="Percentile bootstrap"),
        Column("interval", title="The same, drawn", numeric=False),
        Column("Tier", title="1: the first team and all not separable from it"),
        Column("Rank set", title="Ranks that the data do not reject, simultaneously at 95%"),
        Column("ranks", title="The same, drawn from rank 1 on the left", numeric=False),
        Column("Won", title="Share of replicates in which the team is first: a description, no probability"),
        Column("Behind the first", title="95% interval of the paired difference"),
        Column("p", title="Approximate randomization against the first team, two-sided, unadjusted"),
    )
    return show.with_legend(Table("table-certainty", _caption(show, comparison), columns, rows))


def _won(show: Printing, comparison: Comparison, team: int) -> str:
    return show.score(comparison.rank_shares[team, 0]) if comparison.tiers[team] else "–"


def _behind(show: Printing, comparison: Comparison, team: int) -> str:
    lower, upper = comparison.behind_lower[team], comparison.behind_upper[team]
    return "" if np.isnan(lower) else range_text(show, lower, upper)


def _p(value: float) -> str:
    if np.isnan(value):
        return ""
    return "<.001" if value < 0.001 else f"{value:.3f}".lstrip("0")  # noqa: PLR2004 - three digits are printed


def _bars(lower: np.ndarray, values: np.ndarray, upper: np.ndarray) -> list[Cell]:
    """Intervals drawn on a common scale, the point on top."""
    start = np.min(lower, initial=np.inf, where=~np.isnan(lower))
    width = max(np.max(upper, initial=-np.inf, where=~np.isnan(upper)) - start, 1e-12)
    shares = (np.stack([lower, values, upper], axis=-1) - start) / width * 100
    return [Cell("", bar=None if np.isnan(bar).any() else tuple(bar.round(1).tolist())) for bar in shares]


def _rank_bar(comparison: Comparison, team: int, n_compared: int) -> Cell:
    first, last = comparison.rank_sets[team].tolist()
    if not first:
        return Cell("")
    start, stop = (first - 1) / n_compared * 100, last / n_compared * 100
    return Cell("", bar=(round(start, 1), -1.0, round(stop, 1)))


def _caption(show: Printing, comparison: Comparison) -> str:
    n_possible = len(comparison.possible_winners)
    by = phrase(comparison.key, show.evaluation.task.label_set)
    if not n_possible:
        return f"By {by} no team is compared with another."
    if n_possible == 1:
        winner = visible(show.evaluation.names[comparison.possible_winners[0]], NAME_LIMIT)
        return f"By {by} {winner} is the only possible winner; its rank set is 1."
    return f"By {by} {plural(n_possible, 'team')} are possible winners: their rank sets hold 1."


def separable_table(show: Printing, comparison: Comparison) -> Table | None:
    """Which team is separable from which; None above 60 teams, and where no two are compared."""
    teams = show.comparable
    if not 1 < len(teams) <= MOST_TEAMS:
        return None
    marks = np.where(comparison.separable, 1, np.where(comparison.separable.T, -1, 0))
    cells = {1: Cell("▲", style="p3"), -1: Cell("▽", style="m2"), 0: Cell("·", style="quiet")}
    rows = tuple(
        (
            show.name(team),
            *(Cell("", style="self") if other == team else cells[int(marks[team, other])] for other in teams),
        )
        for team in teams
    )
    columns = (Column("Team", numeric=False), *(Column(show.name(team).text) for team in teams))
    n_pairs = len(teams) * (len(teams) - 1) // 2
    caption = f"{int(comparison.separable.sum())} of {plural(n_pairs, 'pair')} of teams are separable."
    note = "▲ the team of the row is separable from, and above, that of the column; ▽ below; · not separable."
    return Table("table-separable", caption, columns, rows, note=note, sortable=False, upright=True)


def rank_shares_table(show: Printing, comparison: Comparison) -> Table | None:
    """The bootstrap distribution of every team's rank; None above 60 teams, and where no two are compared."""
    teams = show.comparable
    if not 1 < len(teams) <= MOST_TEAMS:
        return None
    shares = comparison.rank_shares[:, : len(teams)]
    rows = tuple(
        (show.name(team), *(Cell(_share(share), style=_shade(share)) for share in shares[team].tolist()))
        for team in teams
    )
    columns = (Column("Team", numeric=False), *(Column(str(rank + 1)) for rank in range(len(teams))))
    caption = "Share of replicates in which a team has a rank, in percent: a description of the bootstrap, no rank set."
    return Table("table-rank-shares", caption, columns, rows, sortable=False, upright=True)


def _share(share: float) -> str:
    percent = round(share * 100)
    return str(percent) if percent else ("" if share == 0 else "<1")


def _shade(share: float) -> str:
    return f"v{min(SHADES - 1, round(share * 2 * (SHADES - 1)))}" if share else ""
