"""Every metric of every team, and the rank that each gives."""

from collections.abc import Sequence

import numpy as np

from audit.domain import BALANCED, OBSERVED, Evaluation, Prevalence, ScoreKey
from audit.domain.arrays import Ints
from audit.flags.wording import NAME_LIMIT, shown_name
from audit.metrics import aggregate_keys, phrase
from audit.ranking import printed_ranks
from audit.report.baseline_rows import baseline_cells, baseline_name, by_score, with_computed
from audit.report.page import Alternative, Cell, Column, Table
from audit.report.table_printing import SHADES, Printing, metric_column, score_cells, shares_text
from audit.text import listed, quoted, visible


def metrics_table(show: Printing, prevalence: Prevalence) -> Table:
    """Every aggregate metric of every team at one prevalence, the best of each in bold."""
    evaluation = show.evaluation
    keys = aggregate_keys(evaluation, prevalence.name)
    cells = list(zip(*(score_cells(show, key) for key in keys), strict=True))
    columns = (Column("Team", numeric=False), *(metric_column(key, evaluation) for key in keys))
    rows = [(show.name(team), *cells[team]) for team in show.order]
    computed = [(baseline_name(baseline), *baseline_cells(show, baseline, keys)) for baseline in by_score(evaluation)]
    anchor, caption = f"table-metrics-{_anchor(prevalence, evaluation)}", _metrics_caption(show, prevalence)
    return with_computed(show.with_legend(Table(anchor, caption, columns, (*rows, *computed))), evaluation)


def switched_metrics_tables(show: Printing) -> tuple[Alternative, ...]:
    """The tables of scores by every metric, one for each prevalence."""
    named = {"observed": "as in the test set", "balanced": "balanced"}
    return tuple(
        Alternative(named.get(each.name, visible(each.name, NAME_LIMIT)), metrics_table(show, each))
        for each in show.evaluation.prevalences
    )


def _anchor(prevalence: Prevalence, evaluation: Evaluation) -> str:
    return prevalence.name if not prevalence.shares else f"named-{evaluation.prevalences.index(prevalence)}"


def _metrics_caption(show: Printing, prevalence: Prevalence) -> str:
    winners = {
        team for key in aggregate_keys(show.evaluation, prevalence.name) for team in show.evaluation.winners(key)
    }
    leaders = [shown_name(show.evaluation, team) for team in show.order if team in winners]
    at = {"observed": "At observed prevalence", "balanced": "At balanced prevalence (calibrated, ~)"}.get(
        prevalence.name,
        f"At prevalence {quoted(prevalence.name)} ({shares_text(show.evaluation.task.label_set, prevalence.shares)})",
    )
    if not leaders:
        return f"{at} no team has a defined score."
    if len(leaders) == 1:
        return f"{at} {leaders[0]} is best by every metric."
    return f"{at} {listed(leaders, 'or', limit=6)} is best, depending on the metric."


def ranks_table(show: Printing) -> Table:
    """Rank by every metric, observed and balanced, shaded from first to last."""
    evaluation = show.evaluation
    keys = [key for prevalence in (OBSERVED, BALANCED) for key in aggregate_keys(evaluation, prevalence.name)]
    ranks = np.stack([evaluation.ranks_of(key) for key in keys])
    printed = [printed_ranks(evaluation.goodness_of(key), evaluation.competing) for key in keys]
    rows = tuple(
        (
            show.name(team),
            *(
                Cell(printed[row][team], style=_rank_shade(int(ranks[row, team]), len(show.ranked)))
                for row in range(len(keys))
            ),
        )
        for team in show.order
    )
    columns = (Column("Team", numeric=False), *(metric_column(key, evaluation) for key in keys))
    caption = _ranks_caption(show, keys, ranks)
    note = "Darker is a better rank."
    return show.with_legend(Table("table-ranks", caption, columns, rows, note=note, upright=True, ranks=True))


def _rank_shade(rank: int, n_teams: int) -> str:
    return f"r{min(SHADES - 1, round((rank - 1) / max(1, n_teams - 1) * (SHADES - 1)))}"


def _ranks_caption(show: Printing, keys: Sequence[ScoreKey], ranks: Ints) -> str:
    teams = sorted(show.ranked)
    spread = (ranks.max(axis=0) - ranks.min(axis=0))[teams]
    if not spread.any():
        return "Rank by metric: every metric ranks the teams alike."
    team = teams[int(spread.argmax())]
    labels = show.evaluation.task.label_set
    best, worst = keys[int(ranks[:, team].argmin())], keys[int(ranks[:, team].argmax())]
    return (
        f"Rank by metric: {shown_name(show.evaluation, team)} moves most, from {ranks[:, team].min()} "
        f"by {phrase(best, labels)} to {ranks[:, team].max()} by {phrase(worst, labels)}."
    )
