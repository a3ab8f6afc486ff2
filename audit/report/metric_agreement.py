"""Do the metrics rank the teams alike? Spearman's correlation between every two metrics, and each team's ranks."""

import math

import numpy as np

from audit.document import Beside, Block, Cell, Column, Section, Table, row_names
from audit.domain import Evaluation, Feature, ScoreKey
from audit.domain.arrays import Floats, Ints
from audit.findings.wording import entrants, shown_name
from audit.report.metric_columns import column_label, metric_columns
from audit.report.plots import LinearAxis, coloured_name, first_rows, plotted, winner_colours
from audit.report.printing import SHADES, Printing
from audit.text import in_words, listed, number, plural
from audit.vocabulary import QUESTIONS

PLACE = 45
MOST_TEAMS = 15

_ALIKE = 0.9
_LARGELY = 0.5
"""From which correlation on metrics are said to rank the teams alike, or largely so."""

_PRINTED_AS_ONE = 0.995
_SAME_ORDER = 1 - 1e-9
"""Above it a correlation is 1 but for rounding: both metrics rank the teams in the same order."""


def section(show: Printing) -> Section:
    """The correlations as numbers, in the open, beside the best and the worst rank of each team."""
    evaluation = show.evaluation
    keys = compared_metrics(evaluation)
    rho = correlations(evaluation, keys)
    blocks: list[Block] = []
    # A correlation takes two metrics; where every cell would read 1.00 the answer says as much
    if len(keys) > 1 and not (rho >= _PRINTED_AS_ONE).all():
        blocks.append(Beside((correlation_matrix(show, keys, rho),), (rank_ranges(show, keys),)))
    question = QUESTIONS["agreement"]
    answer = agreement_answer(evaluation, keys, rho)
    return Section(
        "agreement",
        question,
        (answer,),
        tuple(blocks),
        "audit show TASK --json",
        "Rank correlation",
    )


def compared_metrics(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """The metrics of the matrix: those of which a correlation with some other is defined."""
    rows = {key: row for row, key in enumerate(evaluation.agreement.keys)}
    rho = evaluation.agreement.spearman
    return tuple(
        key
        for key in metric_columns(evaluation)
        if key in rows and not np.isnan(rho[rows[key], rows[key]])
    )


def correlations(evaluation: Evaluation, keys: tuple[ScoreKey, ...]) -> Floats:
    """Spearman's ρ between these metrics, shape (M, M); NaN where undefined."""
    rows = [evaluation.agreement.keys.index(key) for key in keys]
    return np.asarray(evaluation.agreement.spearman[np.ix_(rows, rows)])


def agreement_answer(evaluation: Evaluation, keys: tuple[ScoreKey, ...], rho: Floats) -> str:
    """Whether the metrics rank the teams alike, by their lowest correlation, and which two agree least."""
    pairs = [
        (float(rho[row, column]), row, column) for row in range(len(keys)) for column in range(row)
    ]
    defined = [pair for pair in pairs if not np.isnan(pair[0])]
    if not defined:
        return "The correlation between metrics is undefined: fewer than three teams have defined scores."
    lowest, row, column = min(defined)
    if lowest >= _ALIKE:
        if lowest > _SAME_ORDER:
            n_metrics = in_words(len(keys))
            return f"Yes: all {n_metrics} metrics rank the teams in the same order (ρ = 1)"
        decimals = 2
        if math.floor(100 * lowest) < round(100 * lowest):  # the cell is rounded up
            decimals = 3
        floor = math.floor(10**decimals * lowest) / 10**decimals
        return f"Yes: all correlations are {number(floor, decimals)} or higher"
    least_alike = (
        f"{column_label(evaluation, keys[column])} and {column_label(evaluation, keys[row])}"
    )
    if lowest >= _LARGELY:
        return f"Largely: {least_alike} agree least (ρ = {number(lowest, 2)})"
    if lowest < 0:
        return f"No: {least_alike} disagree (ρ = {number(lowest, 2)})"
    return f"No: {least_alike} agree only weakly (ρ = {number(lowest, 2)})"


def correlation_matrix(show: Printing, keys: tuple[ScoreKey, ...], rho: Floats) -> Table:
    """The lower triangle of the correlations, each cell with its number, shaded by its size."""
    evaluation = show.evaluation
    columns = [row_names("Metric")]
    columns += [Column(column_label(evaluation, key)) for key in keys]
    rows = []
    for row, key in enumerate(keys):
        named = Cell(column_label(evaluation, key))
        cells = [_correlation_cell(float(value)) for value in rho[row, :row]]
        above = [Cell("", style="empty")] * (len(keys) - row - 1)
        rows.append((named, *cells, Cell("1", style="self"), *above))
    n_teams = int(evaluation.ranked.sum())
    return Table(
        "table-correlations",
        f"Spearman’s rank correlation between metrics, {entrants(evaluation, n_teams)}",
        tuple(columns),
        tuple(rows),
        note=_matrix_note(evaluation),
        sortable=False,
        upright=True,
        style="matrix",
    )


def _matrix_note(evaluation: Evaluation) -> str:
    """At which class distribution the scores stand, where there is one, and how ties and gaps are read."""
    if not evaluation.task.label_set.supports(Feature.PREVALENCES):
        return "Tied teams share ranks. – is undefined."
    return (
        "Scores at the test set’s own class distribution; tied teams share ranks. – is undefined."
    )


def _correlation_cell(value: float) -> Cell:
    if np.isnan(value):
        return Cell("–")
    if value >= 0:
        sign = "p"
    else:
        sign = "m"
    return Cell(number(value, 2), style=f"{sign}{round(abs(value) * (SHADES - 1))}")


def rank_ranges(show: Printing, keys: tuple[ScoreKey, ...]) -> Table:
    """The best and the worst rank of each team over the metrics, drawn as a line through its official rank."""
    evaluation = show.evaluation
    ranks: Ints = np.stack([evaluation.ranks_of(key) for key in keys])
    best = ranks.min(axis=0)
    worst = ranks.max(axis=0)
    official = evaluation.ranks_of(evaluation.task.ranking_metric)
    colours = winner_colours(evaluation)
    teams = first_rows(show.ranked, MOST_TEAMS, colours)
    axis = LinearAxis.of_ranks(int(worst[list(teams)].max()))
    rows = []
    for team in teams:
        colour = colours.get(team, "")
        name = coloured_name(show, team, colours)
        shapes = (
            axis.line(best[team], worst[team], colour),
            axis.dot(official[team], colour),
        )
        rows.append((name, Cell("", shapes=shapes), Cell(f"{best[team]}"), Cell(f"{worst[team]}")))
    official_name = column_label(evaluation, evaluation.task.ranking_metric)
    return Table(
        "table-rank-ranges",
        _ranges_caption(evaluation, teams, worst - best),
        (row_names("Team"), plotted(axis, "Ranks"), Column("Best rank"), Column("Worst rank")),
        tuple(rows),
        note=f"● rank by {official_name}; line: from the best to the worst rank over {len(keys)} metrics.",
        sortable=False,
        style="plot",
    )


def _ranges_caption(evaluation: Evaluation, teams: tuple[int, ...], spread: Ints) -> str:
    """Whose rank depends most on the metric, of the teams that have a row."""
    most = max(int(spread[team]) for team in teams)
    if not most:
        return "No rank depends on the metric"
    if len(teams) < int(evaluation.ranked.sum()):
        of_shown = " of the teams shown"
    else:
        of_shown = ""
    widest = [shown_name(evaluation, team) for team in teams if spread[team] == most]
    apart = plural(most, "rank")
    return (
        f"Over the metrics, the rank of {listed(widest, limit=2)} varies most{of_shown}: by {apart}"
    )
