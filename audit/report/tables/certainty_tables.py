"""Tables of who is ahead of whom, and of the ranks in the replicates."""

import numpy as np

from audit.domain import Comparison, ScoreKey
from audit.flags.rules.certainty_rules import comparison_of, family_of
from audit.report.interval_reasons import rank_shares
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import (
    SHADES,
    Printing,
)
from audit.sentences import say
from audit.text import plural

_TEAMS_IN_SIGHT = 24
_WIDE = " The table goes on to the right: it scrolls in its box."
MOST_TEAMS = 60
"""The largest number of teams of which a picture of all pairs can be read."""


def separable_table(show: Printing, comparison: Comparison) -> Table | None:
    """Which team is ahead of which; None above 60 teams, and where no two are compared."""
    tested = comparison_of(show.evaluation, comparison.key)
    teams = [] if tested is None else family_of(show.evaluation, comparison)
    if not 1 < len(teams) <= MOST_TEAMS:
        return None
    marks = np.where(comparison.ahead, 1, np.where(comparison.ahead.T, -1, 0))
    cells = {1: Cell("▲", style="p3"), -1: Cell("▽", style="m2"), 0: Cell("·", style="quiet")}
    rows = tuple(
        (
            show.name(team),
            *(Cell("", style="self") if other == team else cells[int(marks[team, other])] for other in teams),
        )
        for team in teams
    )
    columns = (Column("Team", numeric=False), *(Column(show.name(team).text) for team in teams))
    n_pairs = plural(len(teams) * (len(teams) - 1) // 2, "pair")
    caption = say("table-pairs", separable=f"{int(comparison.ahead.sum()):,}", pairs=n_pairs)
    note = say("table-pairs-note") + (_WIDE if len(teams) > _TEAMS_IN_SIGHT else "")
    return Table("table-separable", caption, columns, rows, note=note, sortable=False, upright=True)


def rank_shares_table(show: Printing, key: ScoreKey) -> Table | None:
    """How often each team has each rank in the replicates; None above 60 teams, and where there are none to count."""
    teams, shares = show.comparable, rank_shares(show.evaluation, key)
    if shares is None or not 1 < len(teams) <= MOST_TEAMS:
        return None
    rows = tuple(
        (
            show.name(team),
            *(Cell(_share(share), style=_shade(share)) for share in shares[team, : len(teams)].tolist()),
        )
        for team in teams
    )
    columns = (Column("Team", numeric=False), *(Column(str(rank + 1)) for rank in range(len(teams))))
    note = _WIDE.strip() if len(teams) > _TEAMS_IN_SIGHT else ""
    return Table("table-rank-shares", say("rank-shares"), columns, rows, note=note, sortable=False, upright=True)


def _share(share: float) -> str:
    percent = round(share * 100)
    return str(percent) if percent else ("" if share == 0 else "<1")


def _shade(share: float) -> str:
    return f"v{min(SHADES - 1, round(share * 2 * (SHADES - 1)))}" if share else ""
