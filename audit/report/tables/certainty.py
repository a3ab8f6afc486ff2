"""How sure the ranking is: intervals, tiers, rank sets, and which pairs the test set separates."""

import numpy as np

from audit.domain import Comparison, Uncertainty
from audit.metrics import phrase
from audit.metrics.confusion import Bools
from audit.ranking.repair import at_boundary
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
from audit.text import number, plural, visible

REPAIRED_MARK = "*"
_TEAMS_IN_SIGHT = 24
_WIDE = " The table goes on to the right: it scrolls in its box."
MOST_TEAMS = 60
"""Above this many teams a picture of all pairs is no picture."""


def certainty_table(show: Printing, uncertainty: Uncertainty) -> Table:
    """Score, interval, tier and rank set of every team, its share of replicates won, its distance to the first."""
    evaluation, comparison = show.evaluation, uncertainty.comparisons[0]
    row = evaluation.keys.index(comparison.key)
    lower, upper = uncertainty.lower[row], uncertainty.upper[row]
    bars = _bars(lower, evaluation.values[row], upper)
    scores = score_cells(show, comparison.key)
    n_compared, repaired = len(show.comparable), _repaired(show, uncertainty)
    rows = tuple(
        (
            show.name(team),
            scores[team],
            Cell(interval_text(show, uncertainty, comparison.key, team) + (REPAIRED_MARK if repaired[team] else "")),
            bars[team],
            Cell(tier_text(comparison, team)),
            Cell(rank_set_text(comparison, team)),
            _rank_bar(comparison, team, n_compared),
            Cell(_won(comparison, team), style="quiet"),
            Cell(_behind(show, comparison, team)),
            Cell(_p(comparison.randomization_p[team]), style="quiet"),
        )
        for team in show.order
    )
    columns = (
        Column("Team", numeric=False),
        Column("Score", title=phrase(comparison.key, evaluation.task.label_set)),
        Column("95% interval", title="Percentile bootstrap"),
        Column("drawn", title="The interval, with the score as its point", numeric=False),
        Column("Tier", title="1: the first team and all not separable from it"),
        Column("Rank set", title="Ranks that the data do not reject, simultaneously at 95%"),
        Column("drawn", title="The rank set, from rank 1 on the left", numeric=False),
        Column("Won", title="Share of replicates in which the team is first: a description, no probability"),
        Column("Behind the first", title="95% interval of the paired difference"),
        Column("p", title="Approximate randomization against the first team, two-sided, unadjusted"),
    )
    note = _note(marked=bool(repaired.any()))
    return show.with_legend(Table("table-certainty", _caption(show, comparison), columns, rows, note=note))


def _note(*, marked: bool) -> str:
    """What the heads and marks of the table mean."""
    note = (
        "Won: share of the replicates in which a team is first, which describes the bootstrap. Behind the first: 95% "
        "interval of the paired difference. p: approximate randomization against the first team, unadjusted."
    )
    off_centre = (
        f" {REPAIRED_MARK} A recall of the team is exactly 0 or 1, and its replicates are drawn from a Beta "
        "distribution (below): the interval may lie off the score."
    )
    return note + (off_centre if marked else "")


def _repaired(show: Printing, uncertainty: Uncertainty) -> Bools:
    """Whose interval rests on a recall that resampling cannot move, and that is drawn otherwise, shape (T,)."""
    row = show.evaluation.keys.index(uncertainty.comparisons[0].key)
    defined = ~np.isnan(uncertainty.lower[row])
    return np.asarray(at_boundary(show.evaluation.confusions).any(axis=-1) & defined & (uncertainty.n_repaired > 0))


def _won(comparison: Comparison, team: int) -> str:
    return _fraction(float(comparison.rank_shares[team, 0])) if comparison.tiers[team] else "–"


def _fraction(share: float) -> str:
    """A share of the replicates; none is 0, and what is nearly none or all is not rounded to it."""
    if share in (0, 1):
        return str(int(share))
    return "<.001" if share < 0.0005 else ">.999" if share >= 0.9995 else number(share)  # noqa: PLR2004 - three digits


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
    by = phrase(comparison.key, show.evaluation.task.label_set)
    tiers = comparison.tiers[list(show.comparable)]
    if len(tiers) < 2:  # noqa: PLR2004 - a pair
        return f"By {by} no team is compared with another."
    n_tiers, n_first = int(tiers.max()), int((tiers == 1).sum())
    first = visible(show.evaluation.names[show.comparable[0]], NAME_LIMIT)
    first_tier = (
        f"{first} alone" if n_first == 1 else f"{first} and {plural(n_first - 1, 'team')} not separable from it"
    )
    return f"By {by} the teams fall into {plural(n_tiers, 'tier')}; the first has {first_tier}."


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
    caption = f"{int(comparison.separable.sum()):,} of {plural(n_pairs, 'pair')} of teams are separable."
    note = "▲ the team of the row is separable from, and above, that of the column; ▽ below; · not separable."
    note += _WIDE if len(teams) > _TEAMS_IN_SIGHT else ""
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
    note = _WIDE.strip() if len(teams) > _TEAMS_IN_SIGHT else ""
    return Table("table-rank-shares", caption, columns, rows, note=note, sortable=False, upright=True)


def _share(share: float) -> str:
    percent = round(share * 100)
    return str(percent) if percent else ("" if share == 0 else "<1")


def _shade(share: float) -> str:
    return f"v{min(SHADES - 1, round(share * 2 * (SHADES - 1)))}" if share else ""
