"""How sure the ranking is: intervals, who could be best, tiers, possible ranks, and who is separable from whom."""

import numpy as np

from audit.domain import Comparison, ScoreKey
from audit.flags.certainty_rules import comparison_of, family_of
from audit.metrics import phrase
from audit.report.interval_reasons import possible_ranks_text, rank_shares, shown_intervals
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import (
    NAME_LIMIT,
    SHADES,
    Printing,
    best_text,
    interval_notes,
    interval_texts,
    p_text,
    score_cells,
    tier_text,
)
from audit.sentences import say
from audit.text import number, plural, visible

_TEAMS_IN_SIGHT = 24
_WIDE = " The table goes on to the right: it scrolls in its box."
MOST_TEAMS = 60
"""Above this many teams a picture of all pairs is no picture."""


def certainty_table(show: Printing, comparison: Comparison) -> Table:
    """Score, interval, tier and possible ranks of every team, whether it could be best, its distance to the first."""
    evaluation, key = show.evaluation, comparison.key
    made = comparison_of(evaluation, key)
    bars, scores, intervals = _bars(show, key), score_cells(show, key), interval_texts(show, key)
    shares = rank_shares(evaluation, key)
    rows = tuple(
        (
            show.name(team),
            scores[team],
            Cell(intervals[team]),
            bars[team],
            *(() if made is None else _compared(show, made, team)),
            *(() if shares is None else (Cell(_won(comparison, shares[team, 0], team), style="quiet"),)),
        )
        for team in show.order
    )
    columns = (
        Column("Team", numeric=False),
        Column("Score", title=phrase(key, evaluation.task.label_set)),
        Column("95% interval", title=say("column-interval")),
        Column("drawn", title=say("column-drawn"), numeric=False),
        *(() if made is None else _COMPARED),
        *(() if shares is None else (Column("Won", title=say("column-won")),)),
    )
    table = Table("table-certainty", _caption(show, comparison), columns, rows, note=_note(show, made, key))
    return show.with_legend(table)


_COMPARED = (
    Column("Could be best", title=say("column-could-be-best")),
    Column("Tier", title=say("column-tier")),
    Column("Possible ranks", title=say("column-possible-ranks")),
    Column("drawn", title=say("column-ranks-drawn"), numeric=False),
    Column("Behind the first", title=say("column-behind")),
    Column("Adjusted p", title=say("column-adjusted-p")),
)


def _compared(show: Printing, comparison: Comparison, team: int) -> tuple[Cell, ...]:
    """What the comparison of all pairs says of a team."""
    return (
        Cell(best_text(comparison, team)),
        Cell(tier_text(comparison, team)),
        Cell(possible_ranks_text(comparison, team)),
        _rank_bar(comparison, team, len(show.comparable)),
        Cell(behind_text(show, comparison, team)),
        Cell(_p(show, comparison, team)),
    )


def _note(show: Printing, comparison: Comparison | None, key: ScoreKey) -> str:
    """What the heads and marks of the table mean."""
    evaluation = show.evaluation
    beside = comparison is not None and not np.isnan(comparison.standard_error[~evaluation.comparable]).all()
    said = (
        say("behind-note") if comparison is not None else "",
        say("behind-baselines") if beside else "",
        say("won-note") if rank_shares(evaluation, key) is not None else "",
        *interval_notes(evaluation, key),
    )
    return " ".join(filter(None, said))


def _won(comparison: Comparison, share: float, team: int) -> str:
    return _fraction(float(share)) if comparison.tiers[team] else "–"


def _fraction(share: float) -> str:
    """A share of the replicates; none is 0, and what is nearly none or all is not rounded to it."""
    if share in (0, 1):
        return str(int(share))
    return "<.001" if share < 0.0005 else ">.999" if share >= 0.9995 else number(share)  # noqa: PLR2004 - three digits


def behind_text(show: Printing, comparison: Comparison, team: int) -> str:
    """How far a team is behind the first, ± half of the interval over all pairs; nothing for the first itself."""
    leader = comparison.leader
    if leader is None or team == leader or np.isnan(comparison.half_width[leader, team]):
        return ""
    scores = show.evaluation.scores_of(comparison.key)
    behind = float(scores[leader] - scores[team])
    return f"{show.score(behind)} ± {show.score(float(comparison.half_width[leader, team]))}"


def _p(show: Printing, comparison: Comparison, team: int) -> str:
    """The adjusted p of a team's difference from the first; nothing for who is in no pair."""
    leader, inside = comparison.leader, family_of(show.evaluation, comparison)
    if leader is None or team == leader or team not in inside:
        return ""
    return p_text(float(comparison.adjusted_p[leader, team]))


def _bars(show: Printing, key: ScoreKey) -> list[Cell]:
    """Intervals drawn on a common scale, the point on top."""
    values, shown = show.evaluation.scores_of(key), shown_intervals(show.evaluation, key)
    lower, upper = (np.full(values.shape, np.nan),) * 2 if shown is None else (shown.lower, shown.upper)
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
    """How many tiers there are, and who is in the first."""
    by = phrase(comparison.key, show.evaluation.task.label_set)
    family = family_of(show.evaluation, comparison)
    if comparison_of(show.evaluation, comparison.key) is None:
        return f"By {by} no team is compared with another."
    tiers = comparison.tiers[family]
    n_first = int((tiers == 1).sum())
    leader = visible(show.evaluation.names[family[0]], NAME_LIMIT)
    first = (
        say("tier-alone", leader=leader)
        if n_first == 1
        else say("tier-together", leader=leader, others=plural(n_first - 1, "team"))
    )
    return say("table-tiers", metric=by, tiers=plural(int(tiers.max()), "tier"), first=first)


def separable_table(show: Printing, comparison: Comparison) -> Table | None:
    """Which team is separable from which; None above 60 teams, and where no two are compared."""
    made = comparison_of(show.evaluation, comparison.key)
    teams = [] if made is None else family_of(show.evaluation, comparison)
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
    n_pairs = plural(len(teams) * (len(teams) - 1) // 2, "pair")
    caption = say("table-pairs", separable=f"{int(comparison.separable.sum()):,}", pairs=n_pairs)
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
